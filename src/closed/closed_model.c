#include "closed/closed_model.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "closed/closed_differences.h"
#include "closed/closed_runs.h"

// ---------------------------------------------------------------- the answer as rows

static bool all_finite(const double *x, int n) {
  double zero = 0;
  for (int i = 0; i < n; i++) zero += x[i] * 0;
  return zero == 0;
}

static void enter_row(ClosedWork *w, const SimulatorAnswer *a, int row) {
  const System *s = w->work->system;
  const double *values = a->values + (size_t)row * (size_t)w->variable_count;
  for (int i = 0; i < w->variable_count; i++) w->y[w->state[i]] = values[i];
  if (!a->slopes) return;
  const double *slopes =
      a->slopes + (size_t)row * (size_t)w->variable_count * (size_t)w->slope_count;
  for (int i = 0; i < w->variable_count; i++) {
    double *S = w->y + s->nx + (size_t)w->state[i] * (size_t)s->stride;
    for (int k = 0; k < w->slope_count; k++) S[w->columns[k]] = slopes[i * w->slope_count + k];
  }
}

static bool end_not_finite(ClosedWork *w, const SimulatorAnswer *a, int row, double t,
                           Trajectory *out) {
  const ClosedDescription *d = w->simulator->description;
  const double *values = a->values + (size_t)row * (size_t)w->variable_count;
  const char *name = "a slope"; // or an output
  for (int i = w->variable_count - 1; i >= 0; i--)
    if (!isfinite(values[i])) name = d->variables.at[w->variables[i]].name;
  char time[32];
  out->outcome = OUTCOME_BAD_OUTPUT;
  out->t_end = t;
  number_format(t, time);
  c_snprintf(out->message, sizeof out->message, "%.200s: %.200s is not finite at time %s",
             w->simulator->model.name, name, time);
  return false;
}

static bool put_row(ClosedWork *w, const SimulatorAnswer *a, int row, Trajectory *out) {
  const System *s = w->work->system;
  bool sens = (out->sens || out->with_sens) && s->np > 0;
  int width = s->ny, slopes = sens ? width * s->np : 0;
  double t = w->request->times[row];
  enter_row(w, a, row);
  system_outputs(w->work, t, w->y, w->row, sens ? w->row + width : NULL);
  if (!all_finite(w->row, width + slopes))
    return end_not_finite(w, a, row, w->request->origin + t, out);
  if (out->column)
    for (int i = 0; i < width + slopes; i++) out->column[i][row] = w->row[i];
  if (out->values)
    memcpy(out->values + (size_t)row * (size_t)width, w->row, (size_t)width * sizeof *w->row);
  if (out->sens && sens)
    memcpy(out->sens + (size_t)row * (size_t)slopes, w->row + width,
           (size_t)slopes * sizeof *w->row);
  out->rows = row + 1;
  return true;
}

static void put_rows(ClosedWork *w, const SimulatorAnswer *a, Trajectory *out) {
  for (int row = 0; row < a->rows; row++)
    if (!put_row(w, a, row, out)) break;
  if (out->watch && out->rows && !out->watch(out->watch_data, out->rows))
    out->outcome = OUTCOME_ABANDONED;
}

static void take_facts(const SimulatorAnswer *a, Trajectory *out) {
  out->outcome = a->outcome;
  out->work = a->work;
  out->events = a->events;
  out->t_end = a->t_end;
  memcpy(out->solver, a->solver, sizeof out->solver);
  memcpy(out->slopes_by, a->slopes_by, sizeof out->slopes_by);
  memcpy(out->message, a->message, sizeof out->message);
  memcpy(out->log, a->log, sizeof out->log);
}

static void run(ClosedWork *w, const SimulateRequest *q, Trajectory *out) {
  const System *s = w->work->system;
  ClosedSimulator *simulator = w->simulator;
  bool sens = (out->sens || out->with_sens) && s->ns > 0;
  arena_reset(w->scratch);
  w->request = q;
  SimulatorCall *call = closed_call(w, q, q->p);
  bool whole_runs = q->slopes && q->slopes->whole_runs;
  if (sens && simulator->model.makes_slopes && w->slope_count && !whole_runs)
    closed_want_slopes(w, q, call);
  SimulatorAnswer *answer = simulator_answer_new(w->scratch, call);
  closed_runs(simulator, (const SimulatorCall *const *)&call, &answer, 1);
  out->runs.count = 1;
  bool slopes = call->slope_count > 0 && answer->slopes;
  if (slopes && !q->slopes && answer->outcome == OUTCOME_REACHED_END &&
      !closed_slopes_hold(w, q, answer, &out->runs)) {
    slopes = false;
    c_snprintf(answer->slopes_by, sizeof answer->slopes_by, "%s",
               "they contradict the slopes that it makes itself");
  }
  if (answer->outcome == OUTCOME_REACHED_END && sens && w->slope_count && !slopes)
    out->slopes_failed = !closed_differences(w, q, answer, &out->runs);
  take_facts(answer, out);
  system_set_origin(w->work, q->origin);
  system_set_parameters(w->work, q->p);
  put_rows(w, answer, out);
}

// ---------------------------------------------------------------- the model

static void set_threads(ClosedModel *self, int threads) {
  ClosedSimulator *s = closed_simulator(self);
  if (s->workers) workers_set_most(s->workers, threads);
}

static void free_simulator(ClosedModel *self) {
  ClosedSimulator *s = closed_simulator(self);
  if (s->done) s->done(s);
  workers_free(s->workers);
  session_free(s->session);
  arena_free(s->owned);
  arena_free(s->arena);
}

ClosedSimulator *closed_simulator_new(const ClosedDescription *d, const char *name,
                                      const char *kind) {
  Arena *a = arena_new();
  ClosedSimulator *s = ARENA_NEW(a, ClosedSimulator);
  s->arena = a;
  s->description = d;
  s->model = (ClosedModel){.name = arena_print(a, "%s", name),
                           .kind = kind,
                           .work_new = closed_work_new,
                           .work_done = closed_work_done,
                           .run = run,
                           .choose_steps = closed_choose_steps,
                           .choose_parts = closed_choose_parts,
                           .set_threads = set_threads,
                           .free = free_simulator};
  array_push(a, &s->texts, "");
  return s;
}
