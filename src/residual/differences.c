// Forward: (y(p + h) - y(p))/h. Central: (y(p + h) - y(p - h))/(2h); at a bound (-3 y(p) + 4 y(p + h) - y(p + 2h))/(2h). The
// steps are explained in differences.h. Each simulation is a job (base/jobs.h); columns are summed in the order of the jobs.
#include "residual/differences.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/jobs.h"

enum { ENDS = 2 }; // simulations besides that at x, for one parameter

typedef struct Stencil {
  double value[ENDS];      // that the parameter takes
  double weight[ENDS + 1]; // slope = weighted sum of what these give and, last, of what x gives
  int count;
} Stencil;

typedef struct ColumnJob {
  int experiment, parameter; // its place among those of the compiled model
  double value;
  long stopped; // it was not worked on to its end
  double x[];   // behind it a ColumnAnswer
} ColumnJob;

typedef struct ColumnAnswer {
  EvalEnd end;
  Outcome outcome;
  char message[FAILED_MESSAGE]; // of a simulation that failed
  WorkCount work;
  double numbers[]; // rows of output 0, of output 1, ...
} ColumnAnswer;

struct Differences {
  Arena *arena;
  const Fitting *fitting;
  EvalSpec spec; // of the jobs under way
  Jobs *jobs;
  Stencil *stencils;
  double *again; // columns of one parameter with a longer step
};

static ColumnAnswer *answer_of(const Differences *d, const void *job) {
  return (ColumnAnswer *)(((ColumnJob *)job)->x + d->fitting->n);
}

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
  ColumnAnswer *answer = answer_of(w->shared, job);
  EvalSpec spec = w->shared->spec;
  spec.budget = &w->budget;
  spec.abandon_above = HUGE_VAL;
  w->budget.used = (WorkCount){0};
  ModelRun *r = simulation_set(w->work, &spec, job->experiment, job->x);
  r->p[r->compiled->parameters[job->parameter]] = job->value;
  answer->end = simulation_run(w->work, &spec, r, job->experiment, false, 0);
  job->stopped = answer->end == EVAL_STOPPED;
  answer->work = w->budget.used;
  answer->outcome = r->trajectory.outcome;
  if (answer->end == EVAL_FAILED)
    c_snprintf(answer->message, sizeof answer->message, "%.*s", FAILED_MESSAGE - 1,
               w->work->message);
  int rows = simulation_rows(w->work, &spec, job->experiment);
  double *to = answer->numbers;
  for (int k = 0; answer->end == EVAL_DONE && k < r->compiled->outputs; k++, to += rows)
    memcpy(to, r->column[k], (size_t)rows * sizeof *to);
}

static bool is_done(const void *job) {
  return !((const ColumnJob *)job)->stopped;
}

static const RecordLayout COLUMNS = {"column", 0, 0, NULL, 0};

// The coupled model has the outputs and parameters of the free one.
Differences *differences_new(const Fitting *f, int threads) {
  Arena *a = arena_new();
  Differences *d = ARENA_NEW(a, Differences);
  int parameters = f->model->parameter_count;
  d->arena = a;
  d->fitting = f;
  d->stencils = ARENA_ARRAY(a, Stencil, parameters + 1);
  size_t numbers = (size_t)f->model->outputs * (size_t)f->most_rows;
  d->again = ARENA_ARRAY(a, double, numbers + 1);
  size_t question = sizeof(ColumnJob) + (size_t)f->n * sizeof(double);
  JobKind kind = {.worker = {question + sizeof(ColumnAnswer) + numbers * sizeof(double),
                             begin_worker, end_worker, work_column, d},
                  .question = question,
                  .is_done = is_done,
                  .layout = &COLUMNS};
  d->jobs = jobs_new(pool_size(threads, ENDS * parameters), &kind);
  return d;
}

void differences_free(Differences *d) {
  if (!d) return;
  jobs_free(d->jobs);
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

// The simulations of all stencils, one after the other: number i is end `end` of parameter k.
typedef struct ColumnSet {
  Differences *d;
  Budget *budget;
  ModelRun *run;
  int experiment, rows;
  const double *x;
  EvalEnd end;
  bool longer; // with longer steps: where one cannot be simulated, the first ones stay
  bool whole;  // all ends so far of the parameter at hand
} ColumnSet;

static int parameter_of(const Differences *d, long number, int *end) {
  int k = 0;
  while (number >= d->stencils[k].count) number -= d->stencils[k++].count;
  *end = (int)number;
  return k;
}

static void make_column(void *data, long number, void *to) {
  const ColumnSet *s = data;
  ColumnJob *job = to;
  int end;
  job->experiment = s->experiment;
  job->parameter = parameter_of(s->d, number, &end);
  job->value = s->d->stencils[job->parameter].value[end];
  memcpy(job->x, s->x, (size_t)s->d->fitting->n * sizeof *job->x);
}

static void add_to_column(const ColumnSet *s, int k, const double *from, double weight) {
  for (int j = 0; j < s->run->compiled->outputs; j++, from += s->rows) {
    double *to = model_run_slope(s->run, j, k);
    for (int i = 0; i < s->rows; i++) to[i] += weight * from[i];
  }
}

// The column is replaced when all its ends are there.
static void add_to_longer(ColumnSet *s, int k, int end, const ColumnAnswer *answer) {
  Differences *d = s->d;
  const Stencil *stencil = &d->stencils[k];
  int outputs = s->run->compiled->outputs, rows = s->rows;
  if (end == 0) {
    s->whole = true;
    for (int j = 0; j < outputs; j++)
      for (int i = 0; i < rows; i++)
        d->again[j * rows + i] = stencil->weight[ENDS] * s->run->column[j][i];
  }
  s->whole = s->whole && answer->end == EVAL_DONE;
  for (int i = 0; s->whole && i < outputs * rows; i++)
    d->again[i] += stencil->weight[end] * answer->numbers[i];
  for (int j = 0; s->whole && end == stencil->count - 1 && j < outputs; j++)
    memcpy(model_run_slope(s->run, j, k), d->again + (size_t)j * (size_t)rows,
           (size_t)rows * sizeof *d->again);
}

static bool take_column(void *data, long number, const void *job) {
  ColumnSet *s = data;
  const ColumnAnswer *answer = answer_of(s->d, job);
  int end, k = parameter_of(s->d, number, &end);
  if (s->budget) work_count_add(&s->budget->used, &answer->work);
  if (s->budget && answer->end == EVAL_FAILED)
    failed_simulation_note(s->budget->failed, answer->outcome, s->x, s->d->fitting->n,
                           answer->message);
  if (s->longer)
    add_to_longer(s, k, end, answer);
  else if (answer->end == EVAL_DONE)
    add_to_column(s, k, answer->numbers, s->d->stencils[k].weight[end]);
  bool matters = !s->longer || answer->end == EVAL_STOPPED;
  if (answer->end != EVAL_DONE && matters && s->end != EVAL_STOPPED) s->end = answer->end;
  return answer->end != EVAL_STOPPED;
}

// Makes the simulations of all stencils, if the budget allows them.
static EvalEnd run_columns(ColumnSet *s) {
  long count = 0;
  for (int k = 0; k < s->run->compiled->parameter_count; k++) count += s->d->stencils[k].count;
  if (!budget_allows(s->budget, count)) return EVAL_STOPPED;
  if (count == 0) return EVAL_DONE;
  JobsEnd end = jobs_run(s->d->jobs, &(JobSet){count, 0, false, make_column, take_column, s});
  return end == JOBS_ALL ? s->end : EVAL_STOPPED;
}

EvalEnd differences_fill(Differences *d, const EvalSpec *spec, ModelRun *r, int e, const double *x,
                         int rows) {
  Budget *budget = spec->budget;
  int parameters = r->compiled->parameter_count;
  long before = budget ? budget->used.in_turn : 0;
  d->spec = *spec;
  ColumnSet s = {d, budget, r, e, rows, x, EVAL_DONE, false, false};
  for (int k = 0; k < parameters; k++) lay_first(spec, r, e, k, &d->stencils[k]);
  begin_columns(r, d->stencils, rows);
  EvalEnd end = run_columns(&s);
  s.longer = true;
  for (int k = 0; end == EVAL_DONE && k < parameters; k++)
    if (!lay_again(spec, r, e, k, rows, &d->stencils[k])) d->stencils[k].count = 0;
  if (end == EVAL_DONE) end = run_columns(&s);
  if (budget) work_count_share(&budget->used, before, jobs_workers(d->jobs));
  return end;
}
