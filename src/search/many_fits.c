// Jobs are blocks of starts; a block shares the lanes of one scheduler. The blocks do not depend on the number of threads.
#include "search/many_fits.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/jobs.h"
#include "base/patience.h"
#include "base/run_limit.h"
#include "residual/lane_scheduler.h"

typedef struct ManyFits {
  const Fitting *fitting;
  Problem problem; // as each fit sees it: it has one core
  int n;
  int block; // starts of a job: those that share simulations, whatever the number of threads
  bool lanes;
  atomic_int *finished;
  const ManyFitsRequest *request;
} ManyFits;

typedef struct FitWorker {
  Arena *arena;
  const ManyFits *all;
  EvalWork *work;           // without lanes
  LaneScheduler *scheduler; // with them
} FitWorker;

// A job: this, then `block` starts, then their answers.
typedef struct ManyFitsJob {
  long first;
  long count;
  long unfinished; // starts that were stopped
} ManyFitsJob;

size_t many_fits_answer_size(int n) {
  return sizeof(ManyFitsAnswer) + (size_t)n * sizeof(double) + failed_simulations_size(n);
}

static size_t answer_size(const ManyFits *b) {
  return many_fits_answer_size(b->n);
}

static size_t starts_size(const ManyFits *b) {
  return (size_t)b->block * (size_t)b->n * sizeof(double);
}

static size_t question_size(const ManyFits *b) {
  return sizeof(ManyFitsJob) + starts_size(b);
}

static size_t job_size(const ManyFits *b) {
  return question_size(b) + (size_t)b->block * answer_size(b);
}

static double *start_of(const ManyFits *b, ManyFitsJob *job, int k) {
  return (double *)(job + 1) + (size_t)k * (size_t)b->n;
}

static ManyFitsAnswer *answer_of(const ManyFits *b, ManyFitsJob *job, int k) {
  return (ManyFitsAnswer *)((char *)(job + 1) + starts_size(b) + (size_t)k * answer_size(b));
}

// ---------------------------------------------------------------- workers

static void *begin_worker(const void *shared) {
  Arena *a = arena_new();
  FitWorker *w = ARENA_NEW(a, FitWorker);
  w->arena = a;
  w->all = shared;
  if (w->all->lanes)
    w->scheduler = lane_scheduler_new(w->all->fitting);
  else
    w->work = eval_work_new(w->all->fitting, 1, NULL);
  return w;
}

static void end_worker(void *data) {
  FitWorker *w = data;
  lane_scheduler_free(w->scheduler);
  eval_work_free(w->work);
  arena_free(w->arena);
}

void many_fits_answer(const FitResult *r, int n, ManyFitsAnswer *to) {
  to->outcome = r->outcome;
  to->end = r->end;
  to->fits = r->fits;
  to->objective = r->objective;
  to->comparable = fit_comparable(r);
  to->work = r->work;
  memcpy(to->x, r->x, (size_t)n * sizeof *to->x);
  Arena *scratch = arena_new();
  FailedSimulation *failed = failed_simulations_new(scratch, n);
  for (int k = 0; k < r->failures.count; k++) {
    const FitFailure *f = &r->failures.at[k];
    if (f->x) failed_simulation_note(failed, f->how, f->x, n, f->log);
  }
  failed_simulations_pack(failed, n, to->x + n);
  arena_free(scratch);
}

void many_fits_failures(const ManyFitsAnswer *answer, int n, FailedSimulation *into) {
  failed_simulations_unpack(answer->x + n, n, into);
}

static void fit_one(const FitWorker *w, ManyFitsJob *job, int k, EvalWork *work) {
  const ManyFits *b = w->all;
  job->unfinished++;
  if (!patience_asks()) return;
  Problem own = b->problem;
  const Method *methods = b->request->methods;
  if (methods) own.method = methods[job->first + k];
  void *about = b->request->about ? b->request->about[job->first + k] : NULL;
  RunLimit limit;
  run_limit_begin(&limit, own.options.run_seconds, own.options.run_memory);
  FitResult *r = b->request->fit(&own, work, start_of(b, job, k), NULL, about);
  if (run_limit_end(&limit)) r->outcome = FIT_OVER_LIMIT;
  ManyFitsAnswer *answer = answer_of(b, job, k);
  many_fits_answer(r, b->n, answer);
  if (w->scheduler) answer->work.seconds = lane_scheduler_seconds(w->scheduler);
  answer->finished = r->outcome != FIT_STOPPED && patience_asks();
  if (answer->finished) atomic_fetch_add(b->finished, 1), job->unfinished--;
  fit_free(r);
}

typedef struct StartBlock {
  const FitWorker *worker;
  ManyFitsJob *job;
} StartBlock;

static void fit_beside_others(void *data, int number, EvalWork *work) {
  const StartBlock *block = data;
  fit_one(block->worker, block->job, number, work);
}

static void work_block(void *own, void *data) {
  FitWorker *w = own;
  ManyFitsJob *job = data;
  if (w->scheduler)
    lane_scheduler_run(w->scheduler, (int)job->count, fit_beside_others, &(StartBlock){w, job});
  else
    for (int k = 0; k < job->count; k++) fit_one(w, job, k, w->work);
}

// ---------------------------------------------------------------- jobs

// Jobs of `brief`: 1, 1, 2, 4, ... starts share simulations, then `block`.
static bool grows(const ManyFits *b) {
  return b->request->brief && b->lanes && b->block > 1;
}

// The first start of job `number`.
static long first_of(const ManyFits *b, long number) {
  long first = number * b->block;
  if (grows(b)) {
    long jobs = 0;
    for (first = 0; jobs < number && first < b->block; jobs++) first = first ? 2 * first : 1;
    first += (number - jobs) * b->block;
  }
  return first < b->request->count ? first : b->request->count;
}

static long job_count(const ManyFits *b) {
  long jobs = 0;
  if (!grows(b)) return (b->request->count + b->block - 1) / b->block;
  while (first_of(b, jobs) < b->request->count) jobs++;
  return jobs;
}

static void make_job(void *data, long number, void *to) {
  const ManyFits *b = data;
  ManyFitsJob *job = to;
  size_t n = (size_t)b->n;
  job->first = first_of(b, number);
  job->count = first_of(b, number + 1) - job->first;
  memcpy(start_of(b, job, 0), b->request->starts + (size_t)job->first * n,
         (size_t)job->count * n * sizeof *b->request->starts);
}

// Of a job that was stopped some starts may be finished.
static bool take_job(void *data, long number, const void *taken) {
  const ManyFits *b = data;
  const ManyFitsRequest *q = b->request;
  ManyFitsJob *job = (ManyFitsJob *)taken;
  (void)number;
  for (int k = 0; k < job->count; k++) {
    const ManyFitsAnswer *answer = answer_of(b, job, k);
    if (!answer->finished || !q->take(q->data, (int)job->first + k, answer)) return false;
  }
  return true;
}

static bool is_done(const void *job) {
  return ((const ManyFitsJob *)job)->unfinished == 0;
}

static int runs_of(const void *job) {
  return (int)((const ManyFitsJob *)job)->count;
}

static long first_run(const void *job) {
  return ((const ManyFitsJob *)job)->first;
}

static void give_up(const void *shared, void *data, const char *why) {
  const ManyFits *b = shared;
  ManyFitsJob *job = data;
  (void)why;
  for (int k = 0; k < job->count; k++) {
    ManyFitsAnswer *answer = answer_of(b, job, k);
    answer->finished = true;
    answer->outcome = FIT_LOST;
    answer->end = LOCAL_NO_START_END;
    answer->objective = answer->comparable = HUGE_VAL;
    memcpy(answer->x, start_of(b, job, k), (size_t)b->n * sizeof *answer->x);
  }
}

static const RecordLayout *layout_of(const ManyFits *b, Arena *a) {
  enum { FIXED = 4 };
  RecordColumn *c = ARENA_ARRAY(a, RecordColumn, FIXED + b->n);
  RecordLayout *layout = ARENA_NEW(a, RecordLayout);
  c[0] =
      (RecordColumn){"outcome", RECORD_INT, offsetof(ManyFitsAnswer, outcome), fit_outcome_words()};
  c[1] = (RecordColumn){"objective", RECORD_REAL, offsetof(ManyFitsAnswer, objective), NULL};
  c[2] =
      (RecordColumn){"simulations", RECORD_LONG, offsetof(ManyFitsAnswer, work.simulations), NULL};
  c[3] = (RecordColumn){"sensitivity_simulations", RECORD_LONG,
                        offsetof(ManyFitsAnswer, work.sensitivity_simulations), NULL};
  for (int i = 0; i < b->n; i++)
    c[FIXED + i] = (RecordColumn){b->problem.unknowns[i].name, RECORD_REAL,
                                  offsetof(ManyFitsAnswer, x) + (size_t)i * sizeof(double), NULL};
  *layout = (RecordLayout){"start", 0, answer_size(b), c, FIXED + b->n};
  return layout;
}

// Many enough that those who need the same steps find each other, few enough that all threads have some.
enum { BLOCK_LEAST = 8, BLOCK_MOST = 64, BLOCKS = 8 };

static int block_of(int count) {
  int block = (count + BLOCKS - 1) / BLOCKS;
  block = (block + BLOCK_LEAST - 1) / BLOCK_LEAST * BLOCK_LEAST;
  return block < BLOCK_LEAST ? BLOCK_LEAST : block > BLOCK_MOST ? BLOCK_MOST : block;
}

// Limits of seconds are those of each fit by itself.
static bool in_lanes(const Problem *p, const ManyFitsRequest *q) {
  return q->lanes && q->count > 1 && p->options.max_seconds == 0 && p->options.run_seconds == 0 &&
         p->options.run_memory == 0 && lane_scheduler_can(p);
}

static bool listen(void *data) {
  const ManyFits *b = data;
  const ManyFitsRequest *q = b->request;
  return !q->listener || q->listener(q->data, atomic_load(b->finished));
}

bool many_fits_run(const Fitting *f, const Problem *p, const ManyFitsRequest *q) {
  Arena *a = arena_new();
  atomic_int finished = 0;
  ManyFits b = {.fitting = f,
                .problem = *p,
                .n = p->unknown_count,
                .block = 1,
                .lanes = in_lanes(p, q),
                .finished = &finished,
                .request = q};
  if (b.lanes) b.block = q->block ? q->block : block_of(q->count);
  b.problem.options.threads = 1;
  JobKind kind = {.worker = {job_size(&b), begin_worker, end_worker, work_block, &b},
                  .question = question_size(&b),
                  .is_done = is_done,
                  .give_up = give_up,
                  .runs = runs_of,
                  .first = first_run,
                  .layout = layout_of(&b, a),
                  .always = q->keep};
  JobSet set = {job_count(&b), q->count, q->brief, make_job, take_job, &b};
  Patience patience = {.goes_on = listen, .data = &b};
  patience_begin(&patience);
  Jobs *jobs = jobs_new(pool_size(q->threads, (int)set.count), &kind);
  bool whole = jobs_run(jobs, &set) == JOBS_ALL;
  jobs_free(jobs);
  patience_end(&patience);
  arena_free(a);
  return whole;
}
