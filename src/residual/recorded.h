// Simulations as answers of a record (base/record.h).
#pragma once
#include "residual/answer_bytes.h"
#include "residual/simulation.h"

// The last simulation of a run, and what it left in the work.
void answer_trajectory(AnswerBytes *b, SimulationWork *w, ModelRun *r);

// A simulation of an experiment: how it ended, its columns, and all that it left behind.
void answer_simulation(AnswerBytes *b, SimulationWork *w, const EvalSpec *spec, ModelRun *r,
                       int experiment, bool slopes, const BudgetMark *before, EvalEnd *end);
// simulation_run; in a study with a record, slow ones are recorded.
EvalEnd recorded_simulation(SimulationWork *w, const EvalSpec *spec, ModelRun *r, int experiment,
                            bool slopes, double total);

uint64_t eval_spec_digest(const EvalSpec *spec, uint64_t before);
