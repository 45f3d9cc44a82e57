// Forward: (y(p + h) - y(p))/h. Central: (y(p + h) - y(p - h))/(2h); at a bound (-3 y(p) + 4 y(p + h) - y(p + 2h))/(2h). The
// steps are explained in differences.h. Each simulation is a job of the worker pool; columns are summed in the order of the jobs.
#include "residual/differences.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/pool.h"

enum { ENDS = 2 }; // simulations besides that at x, for one parameter

typedef struct Stencil {
  double value[ENDS];      // that the parameter takes
  double weight[ENDS + 1]; // slope = weighted sum of what these give and, last, of what x gives
  int count;
} Stencil;

typedef struct ColumnJob {
  int experiment, parameter; // its place among those of the compiled model
  double value;
  EvalEnd end;
  Outcome outcome;
  char message[FAILED_MESSAGE]; // of a simulation that failed
  WorkCount work;
  double numbers[]; // x, then the answer: rows of output 0, of output 1, ...
} ColumnJob;

struct Differences {
  Arena *arena;
  const Fitting *fitting;
  EvalSpec spec; // of the jobs under way
  Pool *pool;
  size_t job_size;
  ColumnJob *job;
  Stencil *stencils;
  double *again; // columns of one parameter with a longer step
};

// ---------------------------------------------------------------- workers

typedef struct ColumnWorker {
  const Differences *shared;
  Budget budget;
  SimulationWork *work;
} ColumnWorker;

static void *begin_worker(const void *shared) {
  const Differences *d = shared;
  SimulationWork *work = simulation_work_new(d->fitting, NULL);
  ColumnWorker *w = ARENA_NEW(work->arena, ColumnWorker);
  *w = (ColumnWorker){.shared = d, .work = work};
  return w;
}

static void end_worker(void *data) {
  simulation_work_free(((ColumnWorker *)data)->work);
}

static void work_column(void *own, void *data) {
  ColumnWorker *w = own;
  ColumnJob *job = data;
  int n = w->shared->fitting->n;
  EvalSpec spec = w->shared->spec;
  spec.budget = &w->budget;
  spec.abandon_above = HUGE_VAL;
  w->budget.used = (WorkCount){0};
  ModelRun *r = simulation_set(w->work, &spec, job->experiment, job->numbers);
  r->p[r->compiled->parameters[job->parameter]] = job->value;
  job->end = simulation_run(w->work, &spec, r, job->experiment, false, 0);
  job->work = w->budget.used;
  job->outcome = r->trajectory.outcome;
  c_snprintf(job->message, sizeof job->message, "%.*s", FAILED_MESSAGE - 1, w->work->message);
  int rows = simulation_rows(w->work, &spec, job->experiment);
  double *to = job->numbers + n;
  for (int k = 0; job->end == EVAL_DONE && k < r->compiled->outputs; k++, to += rows)
    memcpy(to, r->column[k], (size_t)rows * sizeof *to);
}

// The coupled model has the outputs and parameters of the free one.
Differences *differences_new(const Fitting *f, int threads) {
  Arena *a = arena_new();
  Differences *d = ARENA_NEW(a, Differences);
  int parameters = f->model->parameter_count;
  d->arena = a;
  d->fitting = f;
  d->job_size = sizeof *d->job +
                ((size_t)f->n + (size_t)f->model->outputs * (size_t)f->most_rows) * sizeof(double);
  d->job = arena_alloc(a, 1, d->job_size);
  d->stencils = ARENA_ARRAY(a, Stencil, parameters + 1);
  d->again = ARENA_ARRAY(a, double, (size_t)f->model->outputs *(size_t)f->most_rows + 1);
  PoolWorker worker = {d->job_size, begin_worker, end_worker, work_column, d};
  d->pool = pool_new(pool_size(threads, ENDS * parameters), &worker);
  return d;
}

void differences_free(Differences *d) {
  if (!d) return;
  pool_free(d->pool);
  arena_free(d->arena);
}

// ---------------------------------------------------------------- steps

static const Unknown *unknown_of(const Problem *p, int e, int parameter) {
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    if (u->parameter == parameter && (u->experiment < 0 || u->experiment == e)) return u;
  }
  return NULL;
}

static double accuracy_of(const EvalSpec *spec, const CompiledModel *m) {
  static const double ROUNDING = 1e-15;
  if (m->model->nx == 0) return ROUNDING;
  return fmax(compiled_options(m, spec->quick)->rel_tol, ROUNDING);
}

// The difference that the machine makes of it.
static double exact_step(double value, double step) {
  volatile double there = value + step;
  return there - value;
}

// There is room for the step on one side.
static void forward_stencil(const Unknown *f, double value, double step, Stencil *s) {
  double h = exact_step(value, value + step <= f->max ? step : -step);
  *s = (Stencil){.count = 1, .value = {value + h}, .weight = {1 / h, 0, -1 / h}};
}

static void central_stencil(const Unknown *f, double value, double step, Stencil *s) {
  double h = exact_step(value, step);
  bool up = value + h <= f->max, down = value - h >= f->min;
  if (!up) h = -h;
  if (up && down)
    *s = (Stencil){
        .count = 2, .value = {value + h, value - h}, .weight = {1 / (2 * h), -1 / (2 * h), 0}};
  else // through value, value + h, value + 2 h
    *s = (Stencil){.count = 2,
                   .value = {value + h, value + 2 * h},
                   .weight = {2 / h, -1 / (2 * h), -3 / (2 * h)}};
}

static bool is_central(const CompiledModel *m) {
  return m->problem->options.derivatives == DERIVATIVES_CENTRAL;
}

// The change of a parameter that is as large as the others: relative, of outputs, too.
static double usual_part(const EvalSpec *spec, const CompiledModel *m) {
  double accuracy = accuracy_of(spec, m);
  return is_central(m) ? cbrt(accuracy) : sqrt(accuracy);
}

static double given_part(const Problem *p, const Unknown *f) {
  return f->fd_step > 0 ? f->fd_step : p->options.fd_step;
}

// Without room for a step there is no slope: both bounds are here.
static void lay_stencil(const ModelRun *r, const Unknown *f, int k, double step, Stencil *s) {
  bool central = is_central(r->compiled);
  double value = r->p[r->compiled->parameters[k]];
  double room = fmax(f->max - value, value - f->min);
  if (central) room /= 2;
  (central ? central_stencil : forward_stencil)(f, value, fmin(step, room), s);
}

static void lay_first(const EvalSpec *spec, const ModelRun *r, int e, int k, Stencil *s) {
  const CompiledModel *m = r->compiled;
  const Unknown *f = unknown_of(m->problem, e, m->parameters[k]);
  *s = (Stencil){0};
  if (!f || !(f->max > f->min)) return;
  double given = given_part(m->problem, f), part = given > 0 ? given : usual_part(spec, m);
  lay_stencil(r, f, k, part * unknown_size(f, r->p[m->parameters[k]]), s);
}

// ---------------------------------------------------------------- steps that do not show

static double variation(const double *y, int rows) {
  double mean = 0, squares = 0;
  for (int i = 0; i < rows; i++) mean += y[i] / rows;
  for (int i = 0; i < rows; i++) squares += (y[i] - mean) * (y[i] - mean);
  return sqrt(squares / rows);
}

// By how much the step changed the outputs, relative to their variation: the most of all.
static double shown_change(ModelRun *r, int k, double step, int rows) {
  double most = 0;
  for (int j = 0; j < r->compiled->outputs; j++) {
    const double *slope = model_run_slope(r, j, k);
    double squares = 0, size = variation(r->column[j], rows);
    for (int i = 0; i < rows; i++) squares += slope[i] * slope[i];
    if (size > 0) most = fmax(most, fabs(step) * sqrt(squares / rows) / size);
  }
  return most;
}

static const double LOST = 10;         // times the error of a simulation
static const double LONGEST = 1e-2;    // of the range between the bounds
static const double MOST_LONGER = 1e6; // times the first step

// false: the first step is good enough, or there is no longer one.
static bool lay_again(const EvalSpec *spec, ModelRun *r, int e, int k, int rows, Stencil *s) {
  const CompiledModel *m = r->compiled;
  const Unknown *f = unknown_of(m->problem, e, m->parameters[k]);
  if (s->count == 0 || given_part(m->problem, f) > 0) return false;
  double value = r->p[m->parameters[k]], step = fabs(s->value[0] - value), range = f->max - f->min;
  double accuracy = accuracy_of(spec, m), change = shown_change(r, k, step, rows);
  if (change >= LOST * accuracy || m->model->nx == 0) return false;
  double longest = isfinite(range) ? LONGEST * range : unknown_size(f, value);
  double longer = fmin(usual_part(spec, m) / change, MOST_LONGER) * step;
  if (!(fmin(longer, longest) > 2 * step)) return false;
  lay_stencil(r, f, k, fmin(longer, longest), s);
  return true;
}

// ---------------------------------------------------------------- columns

static void begin_columns(ModelRun *r, const Stencil *stencils, int rows) {
  for (int k = 0; k < r->compiled->parameter_count; k++)
    for (int j = 0; j < r->compiled->outputs; j++) {
      double *to = model_run_slope(r, j, k), weight = stencils[k].weight[ENDS];
      for (int i = 0; i < rows; i++) to[i] = weight != 0 ? weight * r->column[j][i] : 0;
    }
}

static void add_to_column(ModelRun *r, const ColumnJob *job, int n, double weight, int rows) {
  const double *from = job->numbers + n;
  for (int j = 0; j < r->compiled->outputs; j++, from += rows) {
    double *to = model_run_slope(r, j, job->parameter);
    for (int i = 0; i < rows; i++) to[i] += weight * from[i];
  }
}

// Submits the simulations of all stencils. false: the budget does not allow them.
static bool submit(Differences *d, Budget *budget, int parameters, int e, const double *x) {
  long jobs = 0;
  for (int k = 0; k < parameters; k++) jobs += d->stencils[k].count;
  if (budget && budget_left(budget) < jobs) budget->exhausted = true;
  if (budget && budget->exhausted) return false;
  memcpy(d->job->numbers, x, (size_t)d->fitting->n * sizeof *x);
  d->job->experiment = e;
  for (int k = 0; k < parameters; k++)
    for (int i = 0; i < d->stencils[k].count; i++) {
      d->job->parameter = k;
      d->job->value = d->stencils[k].value[i];
      pool_submit(d->pool, d->job);
    }
  return true;
}

// The next simulation, in the order of submission.
static EvalEnd collect(Differences *d, Budget *budget, const double *x) {
  if (!pool_collect(d->pool, d->job)) return EVAL_STOPPED;
  if (budget) work_count_add(&budget->used, &d->job->work);
  if (budget && d->job->end == EVAL_FAILED)
    failed_simulation_note(budget->failed, d->job->outcome, x, d->fitting->n, d->job->message);
  return d->job->end;
}

static EvalEnd fill_first(Differences *d, const EvalSpec *spec, ModelRun *r, int e, const double *x,
                          int rows) {
  int parameters = r->compiled->parameter_count;
  EvalEnd end = EVAL_DONE;
  for (int k = 0; k < parameters; k++) lay_first(spec, r, e, k, &d->stencils[k]);
  if (!submit(d, spec->budget, parameters, e, x)) return EVAL_STOPPED;
  begin_columns(r, d->stencils, rows);
  for (int k = 0; k < parameters; k++)
    for (int i = 0; i < d->stencils[k].count; i++) {
      EvalEnd how = collect(d, spec->budget, x);
      if (how == EVAL_DONE)
        add_to_column(r, d->job, d->fitting->n, d->stencils[k].weight[i], rows);
      else if (end != EVAL_STOPPED)
        end = how;
    }
  return end;
}

// Columns that did not show, with longer steps; where these cannot be simulated the first ones stay.
static EvalEnd fill_again(Differences *d, const EvalSpec *spec, ModelRun *r, int e, const double *x,
                          int rows) {
  int parameters = r->compiled->parameter_count, outputs = r->compiled->outputs;
  EvalEnd end = EVAL_DONE;
  for (int k = 0; k < parameters; k++)
    if (!lay_again(spec, r, e, k, rows, &d->stencils[k])) d->stencils[k].count = 0;
  if (!submit(d, spec->budget, parameters, e, x)) return EVAL_STOPPED;
  for (int k = 0; k < parameters; k++) {
    const Stencil *s = &d->stencils[k];
    bool whole = s->count > 0;
    for (int j = 0; whole && j < outputs; j++)
      for (int i = 0; i < rows; i++) d->again[j * rows + i] = s->weight[ENDS] * r->column[j][i];
    for (int i = 0; i < s->count; i++) {
      EvalEnd how = collect(d, spec->budget, x);
      if (how == EVAL_STOPPED) end = how;
      const double *from = d->job->numbers + d->fitting->n;
      for (int m = 0; how == EVAL_DONE && m < outputs * rows; m++)
        d->again[m] += s->weight[i] * from[m];
      whole = whole && how == EVAL_DONE;
    }
    for (int j = 0; whole && j < outputs; j++)
      memcpy(model_run_slope(r, j, k), d->again + (size_t)j * (size_t)rows,
             (size_t)rows * sizeof *d->again);
  }
  return end;
}

EvalEnd differences_fill(Differences *d, const EvalSpec *spec, ModelRun *r, int e, const double *x,
                         int rows) {
  Budget *budget = spec->budget;
  long before = budget ? budget->used.in_turn : 0;
  d->spec = *spec;
  EvalEnd end = fill_first(d, spec, r, e, x, rows);
  if (end == EVAL_DONE) end = fill_again(d, spec, r, e, x, rows);
  if (budget) work_count_share(&budget->used, before, pool_workers(d->pool));
  return end;
}
