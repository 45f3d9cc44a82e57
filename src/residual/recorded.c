#include "residual/recorded.h"

void answer_trajectory(AnswerBytes *b, SimulationWork *w, ModelRun *r) {
  Trajectory *t = &r->trajectory;
  answer_bytes(b, &t->outcome, sizeof t->outcome);
  answer_bytes(b, &t->rows, sizeof t->rows);
  answer_bytes(b, &t->with_sens, sizeof t->with_sens);
  answer_bytes(b, &t->work, sizeof t->work);
  answer_bytes(b, &t->events, sizeof t->events);
  answer_bytes(b, &t->t_end, sizeof t->t_end);
  answer_bytes(b, &t->violation, sizeof t->violation);
  answer_bytes(b, &t->violation_relative, sizeof t->violation_relative);
  answer_bytes(b, &t->violation_sens, sizeof t->violation_sens);
  answer_bytes(b, &t->violation_of, sizeof t->violation_of);
  answer_bytes(b, &t->violation_relative_of, sizeof t->violation_relative_of);
  answer_bytes(b, &t->violation_sens_of, sizeof t->violation_sens_of);
  answer_bytes(b, &t->runs.count, sizeof t->runs.count);
  answer_bytes(b, t->runs.ended, sizeof t->runs.ended);
  answer_bytes(b, &t->runs.how, sizeof t->runs.how);
  answer_text(b, t->runs.message, sizeof t->runs.message);
  answer_bytes(b, &t->slopes_failed, sizeof t->slopes_failed);
  answer_text(b, t->slopes_by, sizeof t->slopes_by);
  answer_text(b, t->solver, sizeof t->solver);
  answer_text(b, t->message, sizeof t->message);
  answer_text(b, t->log, sizeof t->log);
  answer_bytes(b, &w->violation, sizeof w->violation);
  answer_text(b, w->solver, sizeof w->solver);
  answer_text(b, w->message, sizeof w->message);
  answer_text(b, w->remark, sizeof w->remark);
}

uint64_t eval_spec_digest(const EvalSpec *s, uint64_t before) {
  double numbers[] = {s->lambda, s->strength, s->horizon, s->abandon_above, (double)s->step_limit};
  char flags[] = {s->quick, s->slopes, s->free_run, s->gains != NULL};
  return record_digest(record_digest(before, numbers, sizeof numbers), flags, sizeof flags);
}

// ---------------------------------------------------------------- simulations

void answer_simulation(AnswerBytes *b, SimulationWork *w, const EvalSpec *spec, ModelRun *r, int e,
                       bool slopes, const BudgetMark *before, EvalEnd *end) {
  const CompiledModel *m = r->compiled;
  size_t rows = (size_t)simulation_rows(w, spec, e);
  int columns = m->outputs * (1 + (slopes ? m->parameter_count : 0));
  answer_bytes(b, end, sizeof *end);
  for (int k = 0; *end == EVAL_DONE && k < columns; k++)
    answer_bytes(b, r->column[k], rows * sizeof(double));
  answer_budget(b, spec->budget, before, w->fitting->n);
  answer_trajectory(b, w, r);
}

static uint64_t simulation_digest(const SimulationWork *w, const EvalSpec *spec, const ModelRun *r,
                                  int e, bool slopes) {
  int numbers[] = {e, slopes};
  size_t np = (size_t)w->fitting->problem->model->np;
  return eval_spec_digest(
      spec, record_digest(record_digest(0, r->p, np * sizeof *r->p), numbers, sizeof numbers));
}

// Simulations that take less time, or have more bytes a second, are made again rather than kept.
static const double KEEP_SECONDS = 0.02, KEEP_BYTES_A_SECOND = 2e7;

EvalEnd recorded_simulation(SimulationWork *w, const EvalSpec *spec, ModelRun *r, int e,
                            bool slopes, double total) {
  if (!record_here()) return simulation_run(w, spec, r, e, slopes, total);
  fitting_prepare(w->fitting, slopes, spec->budget); // not inside of the item
  RecordItem item;
  Text answer;
  text_init(&answer);
  BudgetMark before = budget_mark(spec->budget);
  EvalEnd end = EVAL_STOPPED;
  AnswerBytes b = {0};
  switch (record_ask(&item, "simulation", simulation_digest(w, spec, r, e, slopes), &answer)) {
  case RECORD_COMPUTE:
    end = simulation_run(w, spec, r, e, slopes, total);
    if (end == EVAL_STOPPED || record_item_seconds(&item) < KEEP_SECONDS) break;
    b.to = &answer;
    answer_simulation(&b, w, spec, r, e, slopes, &before, &end);
    if ((double)answer.length < KEEP_BYTES_A_SECOND * record_item_seconds(&item))
      record_tell(&item, answer.at, answer.length);
    break;
  case RECORD_KNOWN:
    b.from = answer.at, b.left = answer.length;
    answer_simulation(&b, w, spec, r, e, slopes, &before, &end);
    if (b.failed) end = EVAL_STOPPED;
    break;
  case RECORD_STOP: break;
  }
  text_done(&answer);
  return end;
}
