#include "residual/experiment_runs.h"

#include <limits.h>
#include <string.h>

#include "base/jobs.h"

typedef struct ExperimentJob {
  int experiment, slopes;
  long stopped; // it was not worked on to its end
  double x[];   // behind it an ExperimentAnswer
} ExperimentJob;

typedef struct ExperimentAnswer {
  size_t length;
  char bytes[];
} ExperimentAnswer;

struct ExperimentRuns {
  Arena *arena;
  const Fitting *fitting;
  int threads;
  size_t room;   // bytes of an answer, at most
  Jobs *jobs;    // NULL until needed
  EvalSpec spec; // of the jobs under way
  const double *x;
  bool slopes;
  Arena *taken; // answers of the present point
  ARRAY(struct TakenAnswer {
    const char *bytes;
    size_t length;
  })
  answers;
};

static ExperimentAnswer *answer_of(const ExperimentRuns *r, const void *job) {
  return (ExperimentAnswer *)(((ExperimentJob *)job)->x + r->fitting->n);
}

// ---------------------------------------------------------------- workers

typedef struct ExperimentWorker {
  const ExperimentRuns *shared;
  SimulationWork *work;
  Budget budget;
} ExperimentWorker;

static void *begin_worker(const void *shared) {
  const ExperimentRuns *r = shared;
  SimulationWork *work = simulation_work_new(r->fitting, NULL);
  ExperimentWorker *w = ARENA_NEW(work->arena, ExperimentWorker);
  *w = (ExperimentWorker){
      r,
      work,
      {.max_simulations = LONG_MAX, .failed = failed_simulations_new(work->arena, r->fitting->n)}};
  return w;
}

static void end_worker(void *data) {
  simulation_work_free(((ExperimentWorker *)data)->work);
}

static void work_experiment(void *own, void *data) {
  ExperimentWorker *w = own;
  ExperimentJob *job = data;
  ExperimentAnswer *to = answer_of(w->shared, job);
  EvalSpec spec = w->shared->spec;
  spec.budget = &w->budget;
  w->budget.used = (WorkCount){0};
  for (int k = 0; k < OUTCOME_COUNT; k++) w->budget.failed[k].seen = false;
  simulation_clear_violation(w->work);
  ModelRun *r = simulation_set(w->work, &spec, job->experiment, job->x);
  EvalEnd end = simulation_run(w->work, &spec, r, job->experiment, job->slopes, 0);
  job->stopped = end == EVAL_STOPPED;
  Text text;
  text_init(&text);
  AnswerBytes b = {.to = &text};
  BudgetMark none = {0};
  answer_simulation(&b, w->work, &spec, r, job->experiment, job->slopes, &none, &end);
  if (text.length <= w->shared->room) {
    to->length = text.length;
    memcpy(to->bytes, text.at, text.length);
  }
  text_done(&text);
}

static bool is_done(const void *job) {
  return !((const ExperimentJob *)job)->stopped;
}

static void make_job(void *data, long number, void *to) {
  const ExperimentRuns *r = data;
  ExperimentJob *job = to;
  job->experiment = (int)number;
  job->slopes = r->slopes;
  memcpy(job->x, r->x, (size_t)r->fitting->n * sizeof *job->x);
}

static bool take_job(void *data, long number, const void *job) {
  ExperimentRuns *r = data;
  const ExperimentAnswer *from = answer_of(r, job);
  struct TakenAnswer one = {arena_copy(r->taken, from->bytes, from->length), from->length};
  (void)number;
  if (((const ExperimentJob *)job)->stopped) return false;
  array_push(r->taken, &r->answers, one);
  return true;
}

// ---------------------------------------------------------------- the set

static const RecordLayout EXPERIMENTS = {"experiment", 0, 0, NULL, 0};

ExperimentRuns *experiment_runs_new(const Fitting *f, int threads) {
  Arena *a = arena_new();
  ExperimentRuns *r = ARENA_NEW(a, ExperimentRuns);
  size_t columns = (size_t)f->model->outputs * (1 + (size_t)f->model->parameter_count);
  *r = (ExperimentRuns){.arena = a, .fitting = f, .threads = threads, .taken = arena_new()};
  r->room = columns * (size_t)f->most_rows * sizeof(double) + failed_simulations_size(f->n) +
            sizeof(Trajectory) + sizeof(SimulationWork) + sizeof(WorkCount);
  return r;
}

void experiment_runs_free(ExperimentRuns *r) {
  if (!r) return;
  jobs_free(r->jobs);
  arena_free(r->taken);
  arena_free(r->arena);
}

bool experiment_runs_make(ExperimentRuns *r, const EvalSpec *spec, const double *x, bool slopes) {
  const Fitting *f = r->fitting;
  int count = f->problem->experiment_count;
  size_t question = sizeof(ExperimentJob) + (size_t)f->n * sizeof(double);
  r->spec = *spec;
  r->x = x;
  r->slopes = slopes;
  arena_reset(r->taken);
  memset(&r->answers, 0, sizeof r->answers);
  if (!r->jobs) {
    JobKind kind = {.worker = {question + sizeof(ExperimentAnswer) + r->room, begin_worker,
                               end_worker, work_experiment, r},
                    .question = question,
                    .is_done = is_done,
                    .layout = &EXPERIMENTS};
    r->jobs = jobs_new(pool_size(r->threads, count), &kind);
  }
  return jobs_run(r->jobs, &(JobSet){count, 0, false, make_job, take_job, r}) == JOBS_ALL;
}

EvalEnd experiment_runs_take(ExperimentRuns *r, int e, SimulationWork *w, const EvalSpec *spec,
                             ModelRun *run, bool slopes) {
  if (e >= r->answers.count) return EVAL_STOPPED;
  AnswerBytes b = {.from = r->answers.at[e].bytes, .left = r->answers.at[e].length};
  BudgetMark none = {0};
  EvalEnd end = EVAL_STOPPED;
  InvariantViolation before = w->violation;
  answer_simulation(&b, w, spec, run, e, slopes, &none, &end);
  w->violation = before;
  simulation_note_violation(w, &run->trajectory);
  return b.failed ? EVAL_STOPPED : end;
}
