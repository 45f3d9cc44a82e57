// The simulations of all experiments at one point as a set of jobs (base/jobs.h), where each of them takes long: those who take
// part in a study share them.
#pragma once
#include "residual/recorded.h"

typedef struct ExperimentRuns ExperimentRuns;

ExperimentRuns *experiment_runs_new(const Fitting *f, int threads); // keeps the pointer
void experiment_runs_free(ExperimentRuns *r);                       // NULL is allowed
// Makes all of them. false: it was stopped.
bool experiment_runs_make(ExperimentRuns *r, const EvalSpec *spec, const double *x, bool slopes);
// One of them, as simulation_run would leave it in the work; the parameters of the run are set.
EvalEnd experiment_runs_take(ExperimentRuns *r, int experiment, SimulationWork *w,
                             const EvalSpec *spec, ModelRun *run, bool slopes);
