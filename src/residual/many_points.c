// Jobs are groups of GROUP points that share simulations in lanes, or single points. They do not depend on the number of
// threads, so neither do the answers.
#include "residual/many_points.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/jobs.h"
#include "residual/lane_scheduler.h"

enum { GROUP = 8 }; // points that share a simulation, whatever the number of threads

// A job: a group of points, in lanes where the integrator can.
typedef struct ValuesJob {
  long first, count; // number of the first point, and how many
  long stopped;      // it was not worked on to its end
  double x[];        // rows; behind them a ValuesAnswer, behind that the failures
} ValuesJob;

typedef struct ValuesAnswer {
  EvalEnd end; // EVAL_DONE or EVAL_STOPPED
  long steps;
  char solver[48];
  WorkCount work;
  double V[GROUP];
} ValuesAnswer;

typedef struct ResidualsJob {
  long rows;    // that are wanted
  long stopped; // as above
  double x[];   // behind it a ResidualsAnswer
} ResidualsJob;

typedef struct ResidualsAnswer {
  EvalEnd end;
  long steps;
  WorkCount work;
  double objective; // half the sum of the squares
  double numbers[]; // the residuals, behind them the failures
} ResidualsAnswer;

struct ManyPoints {
  Arena *arena;
  EvalWork *work;
  const Fitting *fitting;
  int threads;
  int group;                // points that share a simulation
  bool keep;                // points are the runs of a study
  EvalSpec spec;            // of the jobs under way
  Jobs *values, *residuals; // NULL until needed
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

static ValuesAnswer *values_answer(const ManyPoints *m, const void *job) {
  return (ValuesAnswer *)(((ValuesJob *)job)->x + (size_t)m->group * (size_t)m->fitting->n);
}

static ResidualsAnswer *residuals_answer(const ManyPoints *m, const void *job) {
  return (ResidualsAnswer *)(((ResidualsJob *)job)->x + m->fitting->n);
}

static double *failures_of_residuals(const ManyPoints *m, ResidualsAnswer *answer) {
  return answer->numbers + residual_count(m->fitting->problem, 1);
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

static void evaluate_point(PointWorker *w, const ValuesJob *job, EvalWork *work, int k) {
  ValuesAnswer *answer = values_answer(w->shared, job);
  EvalSpec spec = spec_of(w);
  EvalPoint at = {0};
  EvalEnd end = evaluate(work, &spec, job->x + (size_t)k * (size_t)w->shared->fitting->n, &at);
  if (end == EVAL_STOPPED) answer->end = EVAL_STOPPED;
  answer->V[k] = at.objective;
  if (at.steps > answer->steps && end == EVAL_DONE) answer->steps = at.steps;
  c_snprintf(answer->solver, sizeof answer->solver, "%s", eval_last_solver(work));
}

typedef struct PointGroup {
  PointWorker *worker;
  const ValuesJob *job;
} PointGroup;

static void evaluate_in_lanes(void *data, int number, EvalWork *work) {
  const PointGroup *g = data;
  if (values_answer(g->worker->shared, g->job)->end != EVAL_STOPPED)
    evaluate_point(g->worker, g->job, work, number);
}

static void work_values(void *own, void *data) {
  PointWorker *w = own;
  ValuesJob *job = data;
  ValuesAnswer *answer = values_answer(w->shared, job);
  begin_job(w);
  answer->end = EVAL_DONE;
  for (int k = 0; k < job->count; k++) answer->V[k] = HUGE_VAL;
  if (w->shared->group > 1) {
    if (!w->scheduler) w->scheduler = lane_scheduler_new(w->shared->fitting);
    lane_scheduler_run(w->scheduler, (int)job->count, evaluate_in_lanes, &(PointGroup){w, job});
  } else {
    evaluate_point(w, job, w->work, 0);
  }
  job->stopped = answer->end == EVAL_STOPPED;
  answer->work = w->budget.used;
  failed_simulations_pack(w->budget.failed, w->shared->fitting->n, answer + 1);
}

static void work_residuals(void *own, void *data) {
  PointWorker *w = own;
  ResidualsJob *job = data;
  ResidualsAnswer *answer = residuals_answer(w->shared, job);
  EvalSpec spec = spec_of(w);
  begin_job(w);
  answer->end = evaluate_residuals(w->work, &spec, job->x, answer->numbers, NULL, &answer->steps);
  if (answer->end != EVAL_DONE) answer->steps = 0;
  job->stopped = answer->end == EVAL_STOPPED;
  answer->objective = answer->end == EVAL_DONE ? 0 : HUGE_VAL;
  for (long j = 0; answer->end == EVAL_DONE && j < job->rows; j++)
    answer->objective += answer->numbers[j] * answer->numbers[j] / 2;
  answer->work = w->budget.used;
  failed_simulations_pack(w->budget.failed, w->shared->fitting->n,
                          failures_of_residuals(w->shared, answer));
}

// ---------------------------------------------------------------- set-up

ManyPoints *many_points_new(EvalWork *work, int threads) {
  const Fitting *f = eval_fitting(work);
  Arena *a = arena_new();
  ManyPoints *m = ARENA_NEW(a, ManyPoints);
  bool lanes = f->problem->options.lanes == LANES_AUTO && lane_scheduler_can(f->problem);
  m->arena = a;
  m->work = work;
  m->fitting = f;
  m->threads = threads;
  m->group = lanes ? GROUP : 1;
  return m;
}

void many_points_free(ManyPoints *m) {
  if (!m) return;
  jobs_free(m->values);
  jobs_free(m->residuals);
  arena_free(m->arena);
}

// The answer of one point is the objective; of those that share a simulation the least one counts for the group.
static const RecordColumn VALUE_COLUMNS[] = {{"objective", RECORD_REAL, 0, NULL}};
static const RecordLayout VALUES_OF_GROUP = {"point", offsetof(ValuesAnswer, V), sizeof(double),
                                             VALUE_COLUMNS, 1};
static const RecordLayout RESIDUALS_OF_POINT = {"residuals", offsetof(ResidualsAnswer, objective),
                                                sizeof(double), VALUE_COLUMNS, 1};

static bool are_values_done(const void *job) {
  return !((const ValuesJob *)job)->stopped;
}

static bool are_residuals_done(const void *job) {
  return !((const ResidualsJob *)job)->stopped;
}

static int runs_of_values(const void *job) {
  return (int)((const ValuesJob *)job)->count;
}

static long first_of_values(const void *job) {
  return ((const ValuesJob *)job)->first;
}

static void start_values(ManyPoints *m) {
  size_t question = sizeof(ValuesJob) + (size_t)m->group * (size_t)m->fitting->n * sizeof(double);
  size_t answer = sizeof(ValuesAnswer) + failed_simulations_size(m->fitting->n);
  JobKind kind = {.worker = {question + answer, begin_worker, end_worker, work_values, m},
                  .question = question,
                  .is_done = are_values_done,
                  .runs = runs_of_values,
                  .first = first_of_values,
                  .layout = &VALUES_OF_GROUP,
                  .always = m->keep};
  m->values = jobs_new(pool_size(m->threads, INT_MAX), &kind);
}

static void start_residuals(ManyPoints *m) {
  const Fitting *f = m->fitting;
  size_t question = sizeof(ResidualsJob) + (size_t)f->n * sizeof(double);
  size_t answer = sizeof(ResidualsAnswer) + (size_t)residual_count(f->problem, 1) * sizeof(double) +
                  failed_simulations_size(f->n);
  JobKind kind = {.worker = {question + answer, begin_worker, end_worker, work_residuals, m},
                  .question = question,
                  .is_done = are_residuals_done,
                  .layout = &RESIDUALS_OF_POINT};
  m->residuals = jobs_new(pool_size(m->threads, INT_MAX), &kind);
}

// ---------------------------------------------------------------- values

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

typedef struct ValuesSet { // of one call
  ManyPoints *m;
  const double *x;
  int count;
  double *V;
  long *steps;
  EvalEnd end;
  ManyPointsTaken *taken;
  void *data;
} ValuesSet;

static void make_values(void *data, long number, void *to) {
  const ValuesSet *s = data;
  ValuesJob *job = to;
  size_t n = (size_t)s->m->fitting->n, group = (size_t)s->m->group;
  long left = s->count - number * s->m->group;
  job->first = number * s->m->group;
  job->count = left < s->m->group ? left : s->m->group;
  memcpy(job->x, s->x + (size_t)number * group * n, (size_t)job->count * n * sizeof *job->x);
}

static bool take_values(void *data, long number, const void *taken) {
  ValuesSet *s = data;
  ManyPoints *m = s->m;
  const ValuesJob *job = taken;
  const ValuesAnswer *answer = values_answer(m, job);
  memcpy(s->V + number * m->group, answer->V, (size_t)job->count * sizeof *s->V);
  work_count_add(&m->spec.budget->used, &answer->work);
  failed_simulations_unpack(answer + 1, m->fitting->n, m->spec.budget->failed);
  if (answer->end == EVAL_STOPPED) s->end = EVAL_STOPPED;
  if (answer->solver[0]) eval_note_solver(m->work, answer->solver);
  if (answer->steps > *s->steps) *s->steps = answer->steps;
  if (s->taken && s->end == EVAL_DONE) s->taken(s->data, (int)(number * m->group + job->count));
  return true;
}

static EvalEnd values_by_jobs(ManyPoints *m, ValuesSet *s) {
  WorkCount *used = &m->spec.budget->used;
  long before = used->in_turn;
  if (!m->values) start_values(m);
  JobsEnd end = jobs_run(m->values, &(JobSet){(s->count + m->group - 1) / m->group, s->count, false,
                                              make_values, take_values, s});
  work_count_share(used, before, jobs_workers(m->values));
  return end == JOBS_ALL ? s->end : EVAL_STOPPED;
}

static void take_order(ManyPoints *m, const EvalSpec *spec) {
  m->spec = *spec;
  m->spec.slopes = false;
  m->spec.abandon_above = HUGE_VAL;
}

EvalEnd many_values_taken(ManyPoints *m, const EvalSpec *spec, const double *x, int count,
                          double *V, long *steps, ManyPointsTaken *taken, void *data) {
  int some = budget_affords(spec->budget, count, m->fitting->problem->experiment_count);
  take_order(m, spec);
  *steps = 0;
  for (int k = 0; k < count; k++) V[k] = HUGE_VAL;
  ValuesSet set = {m, x, some, V, steps, EVAL_DONE, taken, data};
  EvalEnd end = eval_simulator(m->work) ? values_in_turn(m, &m->spec, x, some, V, steps)
                                        : values_by_jobs(m, &set);
  if (some < count) spec->budget->exhausted = true;
  return some < count ? EVAL_STOPPED : end;
}

EvalEnd many_values(ManyPoints *m, const EvalSpec *spec, const double *x, int count, double *V,
                    long *steps) {
  return many_values_taken(m, spec, x, count, V, steps, NULL, NULL);
}

void many_points_keep(ManyPoints *m) {
  m->keep = true;
}

// ---------------------------------------------------------------- residuals

typedef struct ResidualsSet { // of one call
  ManyPoints *m;
  const double *x;
  size_t rows;
  double *V, *r;
  long *steps;
  EvalEnd end;
} ResidualsSet;

static void make_residuals(void *data, long number, void *to) {
  const ResidualsSet *s = data;
  ResidualsJob *job = to;
  size_t n = (size_t)s->m->fitting->n;
  job->rows = (long)s->rows;
  memcpy(job->x, s->x + (size_t)number * n, n * sizeof *job->x);
}

static bool take_residuals(void *data, long number, const void *job) {
  ResidualsSet *s = data;
  ManyPoints *m = s->m;
  Budget *budget = m->spec.budget;
  ResidualsAnswer *answer = residuals_answer(m, job);
  work_count_add(&budget->used, &answer->work);
  failed_simulations_unpack(failures_of_residuals(m, answer), m->fitting->n, budget->failed);
  if (answer->steps > *s->steps) *s->steps = answer->steps;
  if (answer->end == EVAL_STOPPED) s->end = EVAL_STOPPED;
  if (answer->end != EVAL_DONE) return true;
  memcpy(s->r + (size_t)number * s->rows, answer->numbers, s->rows * sizeof *s->r);
  s->V[number] = answer->objective;
  return true;
}

EvalEnd many_residuals(ManyPoints *m, const EvalSpec *spec, const double *x, int count, double *V,
                       double *r, long *steps) {
  Budget *budget = spec->budget;
  int some = budget_affords(budget, count, m->fitting->problem->experiment_count);
  long before = budget->used.in_turn;
  take_order(m, spec);
  *steps = 0;
  for (int k = 0; k < count; k++) V[k] = HUGE_VAL;
  if (!m->residuals) start_residuals(m);
  ResidualsSet set = {m,
                      x,
                      (size_t)residual_count(m->fitting->problem, spec->horizon),
                      V,
                      r,
                      steps,
                      some < count ? EVAL_STOPPED : EVAL_DONE};
  JobsEnd end =
      jobs_run(m->residuals, &(JobSet){some, 0, false, make_residuals, take_residuals, &set});
  if (some < count) budget->exhausted = true;
  work_count_share(&budget->used, before, jobs_workers(m->residuals));
  return end == JOBS_ALL ? set.end : EVAL_STOPPED;
}
