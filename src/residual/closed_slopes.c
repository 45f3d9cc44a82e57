#include "residual/closed_slopes.h"

#include <math.h>

#include "base/patience.h"
#include "residual/answer_bytes.h"

static void describe(const Problem *p, const double *x, SlopeStep *steps) {
  for (int k = 0; k < p->model->np; k++)
    steps[k] = (SlopeStep){.size = 1, .low = -HUGE_VAL, .high = HUGE_VAL};
  for (int i = p->unknown_count - 1; i >= 0; i--) {
    const Unknown *u = &p->unknowns[i];
    double size = unknown_size(u, x[i]);
    double part = u->fd_step > 0 ? u->fd_step : p->options.fd_step;
    steps[u->parameter] = (SlopeStep){
        .size = size, .low = u->min, .high = u->max, .step = part > 0 ? part * size : 0};
  }
}

// Parameters of unknowns that act in the experiment and have no step yet.
static int open_parameters(const Problem *p, int e, const SlopeStep *steps, int *list) {
  int count = 0;
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    bool acts = (u->experiment < 0 || u->experiment == e) && u->max > u->min;
    for (int k = 0; k < count; k++) acts &= list[k] != u->parameter;
    if (acts && !(steps[u->parameter].step > 0)) list[count++] = u->parameter;
  }
  return count;
}

static void longest_times(const Experiment *e, const double **times, int *count) {
  int longest = 0;
  for (int c = 1; c < e->channel_count; c++)
    if (e->channels[c].count > e->channels[longest].count) longest = c;
  *times = e->channels[longest].t;
  *count = e->channels[longest].count;
}

static void choose(Arena *a, const CompiledModel *m, const double *x, bool *whole_runs,
                   SlopeStep *steps, Budget *budget) {
  const Problem *p = m->problem;
  int *list = ARENA_ARRAY(a, int, p->unknown_count + 1);
  ModelRun *run = model_run_new(m, 1);
  SimulateWork *work = model_run_work(run, true, false);
  bool contradicted = false;
  for (int e = 0; e < p->experiment_count; e++) {
    int n = open_parameters(p, e, steps, list);
    ClosedRuns runs = {0};
    if (n == 0) continue;
    const Experiment *exp = &p->experiments[e];
    double *parameters = ARENA_ARRAY(a, double, p->model->np + 1);
    problem_parameters(p, e, x, parameters);
    SimulateRequest q = {.p = parameters,
                         .inputs = exp->inputs,
                         .origin = exp->origin,
                         .start = exp->start,
                         .experiment = exp->number,
                         .experiment_name = exp->name};
    longest_times(exp, &q.times, &q.count);
    ClosedWork *w = simulate_closed_work(work);
    bool equations = p->closed->makes_slopes && !*whole_runs;
    if (equations && budget) budget->used.sensitivity_simulations++;
    ClosedParts parts =
        equations ? p->closed->choose_parts(w, &q, steps, &runs) : CLOSED_PARTS_NONE;
    contradicted |= parts == CLOSED_PARTS_WRONG;
    if (parts != CLOSED_PARTS_CHOSEN) p->closed->choose_steps(w, &q, list, n, steps, &runs);
    if (budget) budget->used.simulations += runs.count;
    if (budget) budget_count_failed_runs(budget, &runs, x, p->unknown_count);
    if (parts == CLOSED_PARTS_WRONG) *whole_runs = true, e = -1; // those before need steps, too
  }
  if (contradicted && budget) budget->used.slopes_contradicted++;
  model_run_free(run);
}

// The choice takes many runs of the simulator.
static void choose_recorded(Arena *a, const CompiledModel *m, const double *x, ClosedSlopes *s,
                            SlopeStep *steps, Budget *budget) {
  const Problem *p = m->problem;
  size_t n = (size_t)p->unknown_count;
  RecordItem item;
  Text answer;
  text_init(&answer);
  BudgetMark before = budget_mark(budget);
  RecordAsked asked = record_ask(&item, "slopes", record_digest(0, x, n * sizeof *x), &answer);
  if (asked == RECORD_COMPUTE) choose(a, m, x, &s->whole_runs, steps, budget);
  AnswerBytes b = {
      .to = asked == RECORD_COMPUTE ? &answer : NULL, .from = answer.at, .left = answer.length};
  if (asked != RECORD_STOP) {
    answer_bytes(&b, &s->whole_runs, sizeof s->whole_runs);
    answer_bytes(&b, steps, (size_t)p->model->np * sizeof *steps);
    answer_budget(&b, budget, &before, p->unknown_count);
  }
  if (asked == RECORD_COMPUTE && patience_asks()) record_tell(&item, answer.at, answer.length);
  text_done(&answer);
}

const ClosedSlopes *closed_slopes_at(Arena *a, const CompiledModel *m, const double *x,
                                     Budget *budget) {
  const Problem *p = m->problem;
  ClosedSlopes *s = ARENA_NEW(a, ClosedSlopes);
  SlopeStep *steps = ARENA_ARRAY(a, SlopeStep, p->model->np + 1);
  describe(p, x, steps);
  bool forward = p->options.derivatives == DERIVATIVES_FORWARD;
  *s = (ClosedSlopes){.difference = forward ? CLOSED_FORWARD : CLOSED_CENTRAL, .steps = steps};
  s->whole_runs = p->options.derivatives != DERIVATIVES_SENSITIVITIES;
  choose_recorded(a, m, x, s, steps, budget);
  return s;
}
