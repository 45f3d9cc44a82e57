// x(k) follows from the state known at the earlier sample k - a: for each of the a sample intervals one step of the classical
// Runge-Kutta method of order 4, or x + h f(t, x, u) (Euler); inputs are read between the samples as they are interpolated, and
// what is held keeps the value that it has where the step begins. The columns S = dx/dp are carried along by the same
// steps from 0, since data do not depend on parameters; so slopes are exactly those of the predictions.
#include "residual/from_data.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "model/direct_modes.h"
#include "model/extend.h"

enum { STAGES = 4, ROWS_AT_ONCE = 256 };

struct FromDataWork {
  Arena *arena;
  const FromData *shared;
  SystemWork *work[2]; // [slopes], NULL until needed
  double *y, *stage, *k[STAGES], *row;
  int *pieces;
  // of the run
  const Experiment *e;
  SystemWork *now;
  bool slopes;
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

FromData *from_data_new(const Problem *p, const CompiledModel *model, SampleTimes *const *times) {
  if (problem_simulates(p)) return NULL;
  Arena *a = arena_new();
  FromData *f = ARENA_NEW(a, FromData);
  f->arena = a;
  f->problem = p;
  f->ahead = p->options.residual == RESIDUAL_EQUATION ? 0 : p->options.prediction_ahead;
  if (p->model->ne && !p->model->flat->hybrid) f->own = without_events(a, p);
  f->model = f->own ? f->own : model;
  find_bases(f, times);
  return f;
}

void from_data_free(FromData *f) {
  if (!f) return;
  compiled_model_free(f->own);
  arena_free(f->arena);
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
  return w;
}

void from_data_work_free(FromDataWork *w) {
  if (!w) return;
  for (int i = 0; i < 2; i++) system_work_free(w->work[i]);
  arena_free(w->arena);
}

// ---------------------------------------------------------------- steps

static void read_inputs(void *data, double t, double *u, double *du) {
  FromDataWork *w = data;
  int nu = w->now->system->nu;
  input_eval_all(w->e->inputs, nu, t, w->pieces, u, du, nu);
}

static void enter_pieces(FromDataWork *w, double t) {
  for (int i = 0; i < w->now->system->nu; i++) w->pieces[i] = input_piece(w->e->inputs[i], t, +1);
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

static void begin_at(FromDataWork *w, int base) {
  const System *s = w->now->system;
  memcpy(w->y, w->e->states->x + (size_t)base * (size_t)s->nx, (size_t)s->nx * sizeof *w->y);
  memset(w->y + s->nx, 0, (size_t)(s->nx * s->stride) * sizeof *w->y);
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

static void fill_rows(FromDataWork *w, const int *base, int rows) {
  Trajectory *out = w->out;
  int ahead = w->shared->ahead;
  for (int i = 0; i < rows; i++) {
    begin_at(w, base[i]);
    advance(w, base[i]);
    double t = w->e->row_t[base[i] + ahead];
    if (!put_row(w, i, t)) return;
    if ((i + 1) % ROWS_AT_ONCE) continue;
    if (!patience_lasts(PATIENCE_LOOK)) {
      out->outcome = OUTCOME_STOPPED;
      return;
    }
    if (out->watch && !out->watch(out->watch_data, out->rows)) {
      out->outcome = OUTCOME_ABANDONED;
      return;
    }
  }
}

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

void from_data_run(FromDataWork *w, int experiment, const double *p, int rows, Trajectory *t) {
  const FromData *f = w->shared;
  w->slopes = t->with_sens;
  SystemWork **work = &w->work[w->slopes];
  if (!*work) *work = system_work_new(compiled_system(f->model, w->slopes));
  w->now = *work;
  w->e = &f->problem->experiments[experiment];
  w->out = t;
  clear(t);
  c_snprintf(t->solver, sizeof t->solver, "%s", step_word(f));
  w->now->inputs = read_inputs;
  w->now->inputs_data = w;
  system_set_origin(w->now, w->e->origin);
  system_set_parameters(w->now, p);
  if (w->now->system->branch_count) { // which root is meant follows by continuity from the start
    enter_pieces(w, w->e->start);
    system_start(w->now, w->e->start, w->y);
  }
  fill_rows(w, f->base[experiment], rows);
  if (t->outcome == OUTCOME_REACHED_END && rows)
    t->t_end = w->e->origin + w->e->row_t[f->base[experiment][rows - 1] + f->ahead];
}
