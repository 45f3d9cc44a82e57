// x(k) follows from the state known at the earlier sample k - a: for each of the a sample intervals one step of the classical
// Runge-Kutta method of order 4, or x + h f(t, x, u) (Euler); inputs are read between the samples as they are interpolated, and
// what is held keeps the value that it has where the step begins. The columns S = dx/dp are carried along by the same
// steps from 0, since data do not depend on parameters; so slopes are exactly those of the predictions.
//
// By the integrator: one simulation over the experiment whose states are set anew at every sample, after its row; for a
// samples ahead, a of them, each of which does so at every a-th sample. Discrete variables that are not measured are
// carried along.
#include "residual/from_data.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "model/direct_modes.h"
#include "model/extend.h"
#include "residual/step_lanes.h"

enum { STAGES = 4, ROWS_AT_ONCE = 256 };

struct FromDataWork {
  Arena *arena;
  const FromData *shared;
  SystemWork *work[2]; // [slopes], NULL until needed
  StepLanes *lanes[2];
  double *y, *stage, *k[STAGES], *row;
  int *pieces;
  SimulateWork *simulate[2]; // [slopes], of the integrator
  double *times, *stops;     // of all rows, of those at which states are set anew
  double **column;           // of a run from which only some rows are taken
  TiedWork *tied;            // NULL: no states need it
  // of the run
  const Experiment *e;
  int number; // of the experiment
  const System *system;
  SystemWork *now;
  bool slopes;
  bool without_lanes[2]; // [slopes]: they cannot be used
  Trajectory *out;
};

// ---------------------------------------------------------------- set-up

// The model without events.
static CompiledModel *without_events(Arena *a, const Problem *p) {
  Model *m = p->model;
  pthread_mutex_lock(m->lock);
  Model *copy = model_copy(m, a);
  Replacer *direct = direct_modes(m, a);
  Expr *measured = ARENA_ARRAY(a, Expr, p->measured_count + 1);
  copy->f = ARENA_ARRAY(a, Expr, m->nx + 1);
  for (int i = 0; i < m->nx; i++) copy->f[i] = replace(direct, m->f[i]);
  for (int i = 0; i < p->measured_count; i++) measured[i] = replace(direct, p->measured[i]);
  pthread_mutex_unlock(m->lock);
  return compiled_model_new(p, copy, measured, &p->simulate);
}

static void find_bases(FromData *f, SampleTimes *const *times) {
  const Problem *p = f->problem;
  f->base = ARENA_ARRAY(f->arena, int *, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *x = &p->experiments[e];
    f->base[e] = ARENA_ARRAY(f->arena, int, times[e]->count + 1);
    for (int i = 0, row = 0; i < times[e]->count; i++) {
      while (row < x->row_count && x->row_t[row] < times[e]->at[i]) row++;
      f->base[e][i] = row - f->ahead;
    }
  }
}

FromData *from_data_new(const MeasuredData *d, const CompiledModel *model,
                        SampleTimes *const *times) {
  const Problem *p = d->problem;
  if (problem_simulates(p)) return NULL;
  Arena *a = arena_new();
  FromData *f = ARENA_NEW(a, FromData);
  f->arena = a;
  f->problem = p;
  f->ahead = p->options.residual == RESIDUAL_EQUATION ? 0 : p->options.prediction_ahead;
  f->integrates =
      f->ahead && (p->options.prediction_by == PREDICTION_BY_INTEGRATOR || p->model->flat->hybrid);
  if (p->model->ne && !f->integrates) f->own = without_events(a, p);
  f->model = f->own ? f->own : model;
  f->tied = tied_states_new(d, f->model);
  find_bases(f, times);
  return f;
}

void from_data_free(FromData *f) {
  if (!f) return;
  tied_states_free(f->tied);
  compiled_model_free(f->own);
  arena_free(f->arena);
}

static void make_room(FromDataWork *w) {
  const FromData *f = w->shared;
  const CompiledModel *m = f->model;
  int rows = 0, columns = m->outputs * (1 + m->parameter_count);
  for (int e = 0; e < f->problem->experiment_count; e++)
    if (f->problem->experiments[e].row_count > rows) rows = f->problem->experiments[e].row_count;
  w->times = ARENA_ARRAY(w->arena, double, rows + 1);
  w->stops = ARENA_ARRAY(w->arena, double, rows + 1);
  w->column = ARENA_ARRAY(w->arena, double *, columns + 1);
  for (int c = 0; f->ahead > 1 && c < columns; c++)
    w->column[c] = ARENA_ARRAY(w->arena, double, rows + 8);
}

FromDataWork *from_data_work_new(const FromData *f) {
  if (!f) return NULL;
  Arena *a = arena_new();
  FromDataWork *w = ARENA_NEW(a, FromDataWork);
  const CompiledModel *m = f->model;
  w->arena = a;
  w->shared = f;
  size_t columns = (size_t)m->parameter_count + 8; // steps may carry some more than there are
  size_t numbers = (size_t)m->model->nx * (1 + columns) + 16;
  w->y = ARENA_ARRAY(a, double, numbers);
  w->stage = ARENA_ARRAY(a, double, numbers);
  for (int i = 0; i < STAGES; i++) w->k[i] = ARENA_ARRAY(a, double, numbers);
  w->row = ARENA_ARRAY(a, double, (size_t)m->outputs *(1 + (size_t)m->parameter_count) + 8);
  w->pieces = ARENA_ARRAY(a, int, m->model->nu + 1);
  w->tied = tied_work_new(f->tied);
  if (f->integrates) make_room(w);
  return w;
}

void from_data_work_free(FromDataWork *w) {
  if (!w) return;
  for (int i = 0; i < 2; i++) {
    system_work_free(w->work[i]);
    step_lanes_free(w->lanes[i]);
    simulate_work_free(w->simulate[i]);
  }
  tied_work_free(w->tied);
  arena_free(w->arena);
}

// ---------------------------------------------------------------- steps

static void read_inputs(void *data, double t, double *u, double *du) {
  FromDataWork *w = data;
  int nu = w->now->system->nu;
  input_eval_all(w->e->inputs, nu, t, w->pieces, u, du, nu);
}

static void enter_pieces(FromDataWork *w, double t) {
  for (int i = 0; i < w->now->system->nu; i++)
    w->pieces[i] = input_piece_near(w->e->inputs[i], t, w->pieces[i]);
}

static void slope_at(FromDataWork *w, double t, const double *y, double *dy) {
  if (w->now->system->ns)
    system_rhs_sens(w->now, t, y, dy);
  else
    system_rhs(w->now, t, y, dy);
  w->out->work.rhs++;
  w->out->work.rhs_sens += w->now->system->ns > 0;
}

static void euler_step(FromDataWork *w, int n, double t, double h) {
  slope_at(w, t, w->y, w->k[0]);
  for (int i = 0; i < n; i++) w->y[i] += h * w->k[0][i];
}

static void rk4_step(FromDataWork *w, int n, double t, double h) {
  double *y = w->y, *z = w->stage, *const *k = w->k;
  slope_at(w, t, y, k[0]);
  for (int i = 0; i < n; i++) z[i] = y[i] + h / 2 * k[0][i];
  slope_at(w, t + h / 2, z, k[1]);
  for (int i = 0; i < n; i++) z[i] = y[i] + h / 2 * k[1][i];
  slope_at(w, t + h / 2, z, k[2]);
  for (int i = 0; i < n; i++) z[i] = y[i] + h * k[2][i];
  slope_at(w, t + h, z, k[3]);
  for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
}

// A state of the coupled model, with its slopes.
static void set_tied(const FromDataWork *w, const System *s, int row, int number, double *x,
                     double *S) {
  size_t at = (size_t)row * (size_t)w->tied->tied->count + (size_t)number;
  const double *slopes = w->tied->slopes + at * (size_t)s->np;
  *x = w->tied->values[at];
  for (int k = 0; k < s->ns; k++) S[k] = slopes[s->columns.active[k]];
}

// What is known of the states at a row of the data; others stay as they are.
static void set_states(void *data, const System *s, int row, double *y) {
  const FromDataWork *w = data;
  const double *x = w->e->states->x + (size_t)row * (size_t)s->nx;
  for (int i = 0; i < s->nx; i++) {
    double *S = y + s->nx + i * s->stride;
    int tied = tied_number(w->shared->tied, w->number, i);
    if (tied >= 0) set_tied(w, s, row, tied, &y[i], S);
    if (tied >= 0 || isnan(x[i])) continue;
    y[i] = x[i];
    memset(S, 0, (size_t)s->stride * sizeof *S);
  }
}

// From one row of the data to a later one.
static void advance(FromDataWork *w, int base) {
  const FromData *f = w->shared;
  const System *s = w->now->system;
  const double *t = w->e->row_t + base;
  bool euler = f->problem->options.prediction_by == PREDICTION_BY_EULER;
  for (int j = 0; j < f->ahead; j++) {
    enter_pieces(w, t[j]);
    if (s->branch_count) system_branch_restart(w->now, t[j], w->y);
    (euler ? euler_step : rk4_step)(w, s->nx + s->nx * s->stride, t[j], t[j + 1] - t[j]);
    w->out->work.steps++;
  }
  enter_pieces(w, t[f->ahead]);
  if (s->branch_count) system_branch_restart(w->now, t[f->ahead], w->y);
}

// ---------------------------------------------------------------- rows

static bool all_finite(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * 0;
  return sum == 0;
}

static bool end_at(FromDataWork *w, double t) {
  char at[32];
  Text why;
  text_init(&why);
  bool known = system_explain(w->now, KERNEL_RHS, t, w->y, &why);
  w->out->outcome = OUTCOME_NOT_COMPUTABLE;
  c_snprintf(w->out->message, sizeof w->out->message, "at t = %s, computed from the data: %.500s",
             experiment_time(w->e, t, 10, at), known ? why.at : "the numbers became too large");
  text_done(&why);
  return false;
}

static bool put_row(FromDataWork *w, int row, double t) {
  const CompiledModel *m = w->shared->model;
  Trajectory *out = w->out;
  int slopes = w->slopes ? m->outputs * m->parameter_count : 0;
  system_outputs(w->now, t, w->y, w->row, slopes ? w->row + m->outputs : NULL);
  if (!all_finite(w->row, (size_t)(m->outputs + slopes))) return end_at(w, t);
  for (int i = 0; i < m->outputs + slopes; i++) out->column[i][row] = w->row[i];
  out->rows = row + 1;
  return true;
}

// Whether it is worth going on.
static bool goes_on(Trajectory *out) {
  if (!patience_lasts(PATIENCE_LOOK))
    out->outcome = OUTCOME_STOPPED;
  else if (out->watch && !out->watch(out->watch_data, out->rows))
    out->outcome = OUTCOME_ABANDONED;
  return out->outcome == OUTCOME_REACHED_END;
}

// Several rows at once, until one cannot be computed: rows from there on are made one by one, which say why.
static void fill_in_lanes(FromDataWork *w, const double *p, const int *base, int rows) {
  const FromData *f = w->shared;
  StepLanes **lanes = &w->lanes[w->slopes];
  Trajectory *out = w->out;
  if (!*lanes && !w->without_lanes[w->slopes]) *lanes = step_lanes_new(f->model, w->slopes);
  w->without_lanes[w->slopes] = !*lanes;
  if (!*lanes) return;
  StepRequest q = {.e = w->e,
                   .p = p,
                   .base = base,
                   .rows = rows,
                   .ahead = f->ahead,
                   .euler = f->problem->options.prediction_by == PREDICTION_BY_EULER,
                   .states = set_states,
                   .data = w};
  int width = step_lanes_width(*lanes), stages = q.euler ? 1 : STAGES;
  step_lanes_begin(*lanes, &q);
  for (int first = 0; first < rows; first += width) {
    int count = rows - first < width ? rows - first : width;
    if (!step_lanes_rows(*lanes, &q, first, out->column)) return;
    out->rows = first + count;
    out->work.steps += count * f->ahead;
    out->work.rhs += (long)count * f->ahead * stages;
    if (w->slopes) out->work.rhs_sens += (long)count * f->ahead * stages;
    if (first / ROWS_AT_ONCE != (first + width) / ROWS_AT_ONCE && !goes_on(out)) return;
  }
}

static void fill_rows(FromDataWork *w, const int *base, int rows) {
  Trajectory *out = w->out;
  int ahead = w->shared->ahead;
  for (int i = out->rows; i < rows && out->outcome == OUTCOME_REACHED_END; i++) {
    set_states(w, w->system, base[i], w->y);
    advance(w, base[i]);
    double t = w->e->row_t[base[i] + ahead];
    if (!put_row(w, i, t)) return;
    if ((i + 1) % ROWS_AT_ONCE == 0 && !goes_on(out)) return;
  }
}

// ---------------------------------------------------------------- by the integrator

typedef struct StateSetter {
  FromDataWork *w;
  int first; // row of the first stop
} StateSetter;

static void set_at_stop(void *data, int k, double *y) {
  const StateSetter *s = data;
  set_states(s->w, s->w->system, s->first + k * s->w->shared->ahead, y);
}

static void take_rows(FromDataWork *w, const int *base, int rows, int first) {
  const CompiledModel *m = w->shared->model;
  int columns = m->outputs * (w->slopes ? 1 + m->parameter_count : 1);
  for (int c = 0; c < columns; c++)
    for (int i = 0; i < rows; i++)
      if ((base[i] - first) % w->shared->ahead == 0) w->out->column[c][i] = w->column[c][i];
}

static void add_work(StepCount *sum, const StepCount *c) {
  sum->steps += c->steps, sum->rejected += c->rejected;
  sum->rhs += c->rhs, sum->rhs_sens += c->rhs_sens;
  sum->jacobians += c->jacobians, sum->factorisations += c->factorisations;
}

// States are set at every row of the data from `first` on that is `ahead` rows after another such row.
static void integrate_from(FromDataWork *w, const double *p, const int *base, int rows, int first) {
  const Experiment *e = w->e;
  int ahead = w->shared->ahead, stops = 0;
  Trajectory *out = w->out, one = *out;
  for (int row = first; row <= base[rows - 1]; row += ahead) w->stops[stops++] = e->row_t[row];
  StateSetter setter = {w, first};
  SimulateRequest request = {.p = p,
                             .inputs = e->inputs,
                             .origin = e->origin,
                             .start = e->start,
                             .times = w->times,
                             .count = rows,
                             .stops = w->stops,
                             .stop_count = stops,
                             .reset = set_at_stop,
                             .reset_data = &setter};
  if (ahead > 1) one.column = w->column, one.watch = NULL;
  simulate_run(w->simulate[w->slopes], &request, &one);
  if (ahead > 1) take_rows(w, base, one.rows, first);
  StepCount work = out->work;
  one.column = out->column, one.watch = out->watch;
  *out = one;
  add_work(&out->work, &work);
}

static void integrate_rows(FromDataWork *w, const double *p, const int *base, int rows) {
  const FromData *f = w->shared;
  SimulateWork **work = &w->simulate[w->slopes];
  if (!*work) *work = simulate_work_new(w->system, compiled_options(f->model, false));
  for (int i = 0; i < rows; i++) w->times[i] = w->e->row_t[base[i] + f->ahead];
  for (int j = 0; rows && j < f->ahead && w->out->outcome == OUTCOME_REACHED_END; j++)
    integrate_from(w, p, base, rows, j);
}

// ---------------------------------------------------------------- all

static void clear(Trajectory *t) {
  t->outcome = OUTCOME_REACHED_END;
  t->rows = 0, t->events = 0, t->work = (StepCount){0};
  t->violation = t->violation_relative = t->violation_sens = 0;
  t->violation_of = t->violation_relative_of = t->violation_sens_of = -1;
  t->message[0] = 0;
}

static const char *step_word(const FromData *f) {
  if (f->ahead == 0) return "";
  return f->problem->options.prediction_by == PREDICTION_BY_EULER ? "euler" : "rk4";
}

static void step_rows(FromDataWork *w, const double *p, const int *base, int rows) {
  const FromData *f = w->shared;
  SystemWork **work = &w->work[w->slopes];
  c_snprintf(w->out->solver, sizeof w->out->solver, "%s", step_word(f));
  fill_in_lanes(w, p, base, rows);
  if (!*work) *work = system_work_new(w->system);
  w->now = *work;
  w->now->inputs = read_inputs;
  w->now->inputs_data = w;
  system_set_origin(w->now, w->e->origin);
  system_set_parameters(w->now, p);
  if (w->system->branch_count) { // which root is meant follows by continuity from the start
    enter_pieces(w, w->e->start);
    system_start(w->now, w->e->start, w->y);
  }
  fill_rows(w, base, rows);
  if (w->out->outcome == OUTCOME_REACHED_END && rows)
    w->out->t_end = w->e->origin + w->e->row_t[base[rows - 1] + f->ahead];
}

void from_data_run(FromDataWork *w, int experiment, const double *p, int rows, Trajectory *t) {
  const FromData *f = w->shared;
  w->slopes = t->with_sens;
  w->system = compiled_system(f->model, w->slopes);
  w->number = experiment;
  w->e = &f->problem->experiments[experiment];
  w->out = t;
  clear(t);
  if (w->e->states->tied && !tied_run(w->tied, experiment, p, w->slopes, t)) return;
  if (f->integrates)
    integrate_rows(w, p, f->base[experiment], rows);
  else
    step_rows(w, p, f->base[experiment], rows);
}
