// Points are handed out in blocks. Groups of GROUP points share simulations in lanes; the groups do not depend on the number
// of threads, so neither do the answers.
#include "residual/many_points.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/pool.h"
#include "residual/lane_scheduler.h"

enum {
  BLOCK_MOST = 64, // points of a job
  SHARES = 12,     // jobs by worker
  GROUP = 8,       // points that share a simulation, whatever the number of threads
};

typedef struct ValuesJob {
  int count;
  EvalEnd end; // EVAL_DONE or EVAL_STOPPED
  long steps;
  char solver[48];
  WorkCount work;
  double V[BLOCK_MOST];
  double x[]; // rows; behind them the failures
} ValuesJob;

typedef struct ResidualsJob {
  EvalEnd end;
  long steps;
  WorkCount work;
  double numbers[]; // x, then the residuals, then the failures
} ResidualsJob;

struct ManyPoints {
  Arena *arena;
  EvalWork *work;
  const Fitting *fitting;
  int threads;
  int group;                // points that share a simulation
  EvalSpec spec;            // of the jobs under way
  Pool *values, *residuals; // NULL until needed
  size_t values_size, residuals_size;
  ValuesJob *values_job;
  ResidualsJob *residuals_job;
};

// ---------------------------------------------------------------- workers

typedef struct PointWorker {
  Arena *arena;
  const ManyPoints *shared;
  Budget budget; // without a limit: the owner hands out only what can be afforded
  EvalWork *work;
  LaneScheduler *scheduler; // NULL until needed
} PointWorker;

static void *begin_worker(const void *shared) {
  const ManyPoints *m = shared;
  Arena *a = arena_new();
  PointWorker *w = ARENA_NEW(a, PointWorker);
  w->arena = a;
  w->shared = m;
  w->budget =
      (Budget){.max_simulations = LONG_MAX, .failed = failed_simulations_new(a, m->fitting->n)};
  w->work = eval_work_new(m->fitting, 1, NULL);
  return w;
}

static void end_worker(void *data) {
  PointWorker *w = data;
  lane_scheduler_free(w->scheduler);
  eval_work_free(w->work);
  arena_free(w->arena);
}

static double *failures_of_values(const ManyPoints *m, ValuesJob *job) {
  return job->x + BLOCK_MOST * (size_t)m->fitting->n;
}

static double *failures_of_residuals(const ManyPoints *m, ResidualsJob *job) {
  return job->numbers + m->fitting->n + residual_count(m->fitting->problem, 1);
}

static void begin_job(PointWorker *w) {
  w->budget.used = (WorkCount){0};
  for (int k = 0; k < OUTCOME_COUNT; k++) w->budget.failed[k].seen = false;
}

static EvalSpec spec_of(PointWorker *w) {
  EvalSpec spec = w->shared->spec;
  spec.budget = &w->budget;
  return spec;
}

static void evaluate_point(PointWorker *w, ValuesJob *job, EvalWork *work, int k) {
  EvalSpec spec = spec_of(w);
  EvalPoint at = {0};
  EvalEnd end = evaluate(work, &spec, job->x + (size_t)k * (size_t)w->shared->fitting->n, &at);
  if (end == EVAL_STOPPED) job->end = EVAL_STOPPED;
  job->V[k] = at.objective;
  if (at.steps > job->steps && end == EVAL_DONE) job->steps = at.steps;
  c_snprintf(job->solver, sizeof job->solver, "%s", eval_last_solver(work));
}

static void work_values(void *own, void *data) {
  PointWorker *w = own;
  ValuesJob *job = data;
  begin_job(w);
  job->end = EVAL_DONE;
  for (int k = 0; k < job->count && job->end != EVAL_STOPPED; k++)
    evaluate_point(w, job, w->work, k);
  job->work = w->budget.used;
  failed_simulations_pack(w->budget.failed, w->shared->fitting->n,
                          failures_of_values(w->shared, job));
}

typedef struct PointGroup {
  PointWorker *worker;
  ValuesJob *job;
  int first;
} PointGroup;

static void evaluate_in_lanes(void *data, int number, EvalWork *work) {
  const PointGroup *g = data;
  if (g->job->end != EVAL_STOPPED) evaluate_point(g->worker, g->job, work, g->first + number);
}

static void work_groups(void *own, void *data) {
  PointWorker *w = own;
  ValuesJob *job = data;
  if (!w->scheduler) w->scheduler = lane_scheduler_new(w->shared->fitting);
  begin_job(w);
  job->end = EVAL_DONE;
  for (int k = 0; k < job->count; k += GROUP) {
    int left = job->count - k;
    lane_scheduler_run(w->scheduler, left < GROUP ? left : GROUP, evaluate_in_lanes,
                       &(PointGroup){w, job, k});
  }
  job->work = w->budget.used;
  failed_simulations_pack(w->budget.failed, w->shared->fitting->n,
                          failures_of_values(w->shared, job));
}

static void work_residuals(void *own, void *data) {
  PointWorker *w = own;
  ResidualsJob *job = data;
  EvalSpec spec = spec_of(w);
  begin_job(w);
  job->steps = 0;
  job->end = evaluate_residuals(w->work, &spec, job->numbers, job->numbers + w->shared->fitting->n,
                                NULL, &job->steps);
  if (job->end != EVAL_DONE) job->steps = 0;
  job->work = w->budget.used;
  failed_simulations_pack(w->budget.failed, w->shared->fitting->n,
                          failures_of_residuals(w->shared, job));
}

// ---------------------------------------------------------------- set-up

ManyPoints *many_points_new(EvalWork *work, int threads) {
  const Fitting *f = eval_fitting(work);
  Arena *a = arena_new();
  ManyPoints *m = ARENA_NEW(a, ManyPoints);
  size_t n = (size_t)f->n;
  bool lanes = f->problem->options.lanes == LANES_AUTO && lane_scheduler_can(f->problem);
  m->arena = a;
  m->work = work;
  m->fitting = f;
  m->threads = threads;
  m->group = lanes ? GROUP : 1;
  m->values_size =
      sizeof *m->values_job + BLOCK_MOST * n * sizeof(double) + failed_simulations_size(f->n);
  m->values_job = arena_alloc(a, 1, m->values_size);
  m->residuals_size = sizeof *m->residuals_job +
                      (n + (size_t)residual_count(f->problem, 1)) * sizeof(double) +
                      failed_simulations_size(f->n);
  m->residuals_job = arena_alloc(a, 1, m->residuals_size);
  return m;
}

void many_points_free(ManyPoints *m) {
  if (!m) return;
  pool_free(m->values);
  pool_free(m->residuals);
  arena_free(m->arena);
}

static Pool *start_workers(ManyPoints *m, size_t job_size, void (*work)(void *, void *)) {
  PoolWorker worker = {job_size, begin_worker, end_worker, work, m};
  return pool_new(pool_size(m->threads, INT_MAX), &worker);
}

// ---------------------------------------------------------------- values

// Points of a job, whole groups: few enough that all workers have some, many enough that handing them out costs nothing.
static int block_of(const ManyPoints *m, int count) {
  int jobs = SHARES * pool_workers(m->values), share = (count + jobs - 1) / jobs;
  int block = (share + m->group - 1) / m->group * m->group;
  return block < m->group ? m->group : block > BLOCK_MOST ? BLOCK_MOST : block;
}

// In a task of a lane scheduler: simulations are shared with the other tasks.
static EvalEnd values_in_turn(const ManyPoints *m, const EvalSpec *spec, const double *x, int count,
                              double *V, long *steps) {
  EvalEnd end = EVAL_DONE;
  for (int k = 0; k < count && end != EVAL_STOPPED; k++) {
    EvalPoint at = {0};
    end = evaluate(m->work, spec, x + (size_t)k * (size_t)m->fitting->n, &at);
    V[k] = at.objective;
    if (end == EVAL_DONE && at.steps > *steps) *steps = at.steps;
  }
  return end == EVAL_STOPPED ? EVAL_STOPPED : EVAL_DONE;
}

static EvalEnd values_in_pool(ManyPoints *m, const double *x, int count, double *V, long *steps) {
  size_t n = (size_t)m->fitting->n;
  WorkCount *used = &m->spec.budget->used;
  long before = used->in_turn;
  ValuesJob *job = m->values_job;
  EvalEnd end = EVAL_DONE;
  if (!m->values)
    m->values = start_workers(m, m->values_size, m->group > 1 ? work_groups : work_values);
  int block = block_of(m, count);
  for (int k = 0; k < count; k += block) {
    *job = (ValuesJob){.count = count - k < block ? count - k : block};
    for (int i = 0; i < BLOCK_MOST; i++) job->V[i] = HUGE_VAL;
    memcpy(job->x, x + (size_t)k * n, (size_t)job->count * n * sizeof *x);
    pool_submit(m->values, job);
  }
  for (int k = 0; k < count; k += block) {
    if (!pool_collect(m->values, job)) return EVAL_STOPPED;
    memcpy(V + k, job->V, (size_t)job->count * sizeof *V);
    work_count_add(used, &job->work);
    failed_simulations_unpack(failures_of_values(m, job), m->fitting->n, m->spec.budget->failed);
    if (job->end == EVAL_STOPPED) end = EVAL_STOPPED;
    if (job->solver[0]) eval_note_solver(m->work, job->solver);
    if (job->steps > *steps) *steps = job->steps;
  }
  work_count_share(used, before, pool_workers(m->values));
  return end;
}

static void take_order(ManyPoints *m, const EvalSpec *spec) {
  m->spec = *spec;
  m->spec.slopes = false;
  m->spec.abandon_above = HUGE_VAL;
}

EvalEnd many_values(ManyPoints *m, const EvalSpec *spec, const double *x, int count, double *V,
                    long *steps) {
  int some = budget_affords(spec->budget, count, m->fitting->problem->experiment_count);
  take_order(m, spec);
  *steps = 0;
  for (int k = 0; k < count; k++) V[k] = HUGE_VAL;
  EvalEnd end = eval_simulator(m->work) ? values_in_turn(m, &m->spec, x, some, V, steps)
                                        : values_in_pool(m, x, some, V, steps);
  if (some < count) spec->budget->exhausted = true;
  return some < count ? EVAL_STOPPED : end;
}

// ---------------------------------------------------------------- residuals

EvalEnd many_residuals(ManyPoints *m, const EvalSpec *spec, const double *x, int count, double *V,
                       double *r, long *steps) {
  Budget *budget = spec->budget;
  size_t n = (size_t)m->fitting->n,
         rows = (size_t)residual_count(m->fitting->problem, spec->horizon);
  int some = budget_affords(budget, count, m->fitting->problem->experiment_count);
  long before = budget->used.in_turn;
  ResidualsJob *job = m->residuals_job;
  EvalEnd end = some < count ? EVAL_STOPPED : EVAL_DONE;
  take_order(m, spec);
  *steps = 0;
  if (!m->residuals) m->residuals = start_workers(m, m->residuals_size, work_residuals);
  for (int k = 0; k < count; k++) V[k] = HUGE_VAL;
  for (int k = 0; k < some; k++) {
    memcpy(job->numbers, x + (size_t)k * n, n * sizeof *x);
    pool_submit(m->residuals, job);
  }
  for (int k = 0; k < some; k++, r += rows) {
    if (!pool_collect(m->residuals, job)) {
      end = EVAL_STOPPED;
      continue;
    }
    work_count_add(&budget->used, &job->work);
    failed_simulations_unpack(failures_of_residuals(m, job), m->fitting->n, budget->failed);
    if (job->steps > *steps) *steps = job->steps;
    if (job->end == EVAL_STOPPED) end = EVAL_STOPPED;
    if (job->end != EVAL_DONE) continue;
    memcpy(r, job->numbers + n, rows * sizeof *r);
    V[k] = 0;
    for (size_t j = 0; j < rows; j++) V[k] += r[j] * r[j] / 2;
  }
  if (some < count) budget->exhausted = true;
  work_count_share(&budget->used, before, pool_workers(m->residuals));
  return end;
}
