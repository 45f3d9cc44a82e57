// Slopes by differences of simulations: one column a parameter, on all cores.
//
// The step is where the error of the simulation, which the difference divides by it, is as large as what the curvature
// adds: the root of the relative accuracy, of central differences its cube root. At a bound it turns round; a central
// difference that would leave the bounds becomes a one-sided one through three points.
#include <math.h>
#include <string.h>

#include "residual/followers.h"
#include "residual/objective_parts.h"

enum { ENDS = 2 }; // simulations besides that at x, of one parameter

typedef struct Stencil {
  double value[ENDS];      // that the parameter takes
  double weight[ENDS + 1]; // slope = weighted sum of what these give and, last, of what x gives
  int count;
} Stencil;

typedef struct ColumnJob {
  int experiment, parameter; // its place among those of the rig
  double value;
  LsqEnd end;
  FitWork work;
  double numbers[]; // x, then the answer: rows of output 0, of output 1, ...
} ColumnJob;

struct Differences {
  Pool *pool;
  size_t job_size;
  ColumnJob *job;
  Stencil *stencils;
};

// ---------------------------------------------------------------- workers

static void work_column(void *follower, void *data) {
  ColumnJob *job = data;
  Objective *o = follower_ready(follower);
  Rig *r = objective_rig(o);
  objective_set_parameters(o, r, job->experiment, job->numbers);
  r->p[r->parameters[job->parameter]] = job->value;
  o->worth = HUGE_VAL;
  job->end = objective_simulate(o, r, job->experiment, false);
  job->work = *objective_work(o);
  int rows = objective_rows_in_horizon(o, job->experiment);
  double *to = job->numbers + o->n;
  for (int k = 0; job->end == LSQ_DONE && k < r->outputs; k++, to += rows)
    memcpy(to, r->column[k], (size_t)rows * sizeof *to);
}

static int most_rows(const Objective *o) {
  int most = 0;
  for (int e = 0; e < o->problem->experiment_count; e++)
    most = o->plans[e]->count > most ? o->plans[e]->count : most;
  return most;
}

// Outputs of the tied rig are those of the free one.
static Differences *differences_new(Objective *o) {
  Differences *d = ARENA_NEW(o->arena, Differences);
  size_t answer = (size_t)o->free->outputs * (size_t)most_rows(o);
  d->job_size = sizeof *d->job + ((size_t)o->n + answer) * sizeof(double);
  d->job = arena_alloc(o->arena, 1, d->job_size);
  d->stencils = ARENA_ARRAY(o->arena, Stencil, o->free->parameter_count + 1);
  d->pool = followers_new(o, ENDS * o->free->parameter_count, d->job_size, work_column);
  return d;
}

void differences_free(Differences *d) {
  if (d) pool_free(d->pool);
}

// ---------------------------------------------------------------- steps

static const Unknown *free_of(const Objective *o, int e, int parameter) {
  for (int i = 0; i < o->n; i++) {
    const Unknown *f = &o->problem->unknowns[i];
    if (f->parameter == parameter && (f->experiment < 0 || f->experiment == e)) return f;
  }
  return NULL;
}

// What a parameter is compared with: itself; when it is nearly 0, where it began, or what the bounds leave.
static double size_of(const Unknown *f, double value) {
  double range = f->max - f->min, size = fmax(fabs(value), 0.1 * fabs(f->start));
  if (size > 0) return size;
  return isfinite(range) && range > 0 ? 0.1 * range : 1;
}

static double accuracy_of(const Objective *o, const Rig *r) {
  static const double ROUNDING = 1e-15;
  if (r->model->nx == 0) return ROUNDING;
  return fmax(rig_options(r, o->quick)->rel_tol, ROUNDING);
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

// Without room for a step there is no slope: both bounds are here.
static void lay_stencil(const Objective *o, const Rig *r, int e, int k, Stencil *s) {
  double value = r->p[r->parameters[k]], accuracy = accuracy_of(o, r);
  const Unknown *f = free_of(o, e, r->parameters[k]);
  *s = (Stencil){0};
  if (!f || !(f->max > f->min)) return;
  bool central = o->problem->options.derivatives == DERIVATIVES_CENTRAL;
  double step = (central ? cbrt(accuracy) : sqrt(accuracy)) * size_of(f, value);
  double room = fmax(f->max - value, value - f->min);
  if (central) room /= 2;
  step = fmin(step, room);
  (central ? central_stencil : forward_stencil)(f, value, step, s);
}

// ---------------------------------------------------------------- columns

static double *slope_column(const Rig *r, int output, int k) {
  return r->column[r->outputs + output * r->parameter_count + k];
}

static void begin_columns(Rig *r, const Stencil *stencils, int rows) {
  for (int k = 0; k < r->parameter_count; k++)
    for (int j = 0; j < r->outputs; j++) {
      double *to = slope_column(r, j, k), weight = stencils[k].weight[ENDS];
      for (int i = 0; i < rows; i++) to[i] = weight != 0 ? weight * r->column[j][i] : 0;
    }
}

static void add_to_column(Rig *r, const ColumnJob *job, int n, double weight, int rows) {
  const double *from = job->numbers + n;
  for (int j = 0; j < r->outputs; j++, from += rows) {
    double *to = slope_column(r, j, job->parameter);
    for (int i = 0; i < rows; i++) to[i] += weight * from[i];
  }
}

static void submit_all(Objective *o, const Rig *r, int e, const double *x) {
  Differences *d = o->differences;
  memcpy(d->job->numbers, x, (size_t)o->n * sizeof *x);
  d->job->experiment = e;
  for (int k = 0; k < r->parameter_count; k++)
    for (int i = 0; i < d->stencils[k].count; i++) {
      d->job->parameter = k;
      d->job->value = d->stencils[k].value[i];
      pool_submit(d->pool, d->job);
    }
}

static bool affords_all(Objective *o, const Rig *r) {
  long jobs = 0;
  for (int k = 0; k < r->parameter_count; k++) jobs += o->differences->stencils[k].count;
  if (objective_left(o) < jobs) objective_cut(o);
  return !objective_was_cut(o);
}

LsqEnd differences_fill(Objective *o, Rig *r, int e, const double *x) {
  if (!o->differences) o->differences = differences_new(o);
  Differences *d = o->differences;
  int rows = objective_rows_in_horizon(o, e);
  LsqEnd end = LSQ_DONE;
  long before = o->work.in_turn;
  for (int k = 0; k < r->parameter_count; k++) lay_stencil(o, r, e, k, &d->stencils[k]);
  if (!affords_all(o, r)) return LSQ_STOP;
  begin_columns(r, d->stencils, rows);
  submit_all(o, r, e, x);
  for (int k = 0; k < r->parameter_count; k++)
    for (int i = 0; i < d->stencils[k].count; i++) {
      if (!pool_collect(d->pool, d->job)) return LSQ_STOP;
      fit_work_add(&o->work, &d->job->work);
      if (d->job->end == LSQ_DONE)
        add_to_column(r, d->job, o->n, d->stencils[k].weight[i], rows);
      else if (end != LSQ_STOP)
        end = d->job->end;
    }
  fit_work_share(&o->work, before, pool_workers(d->pool));
  return end;
}
