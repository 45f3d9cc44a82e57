// Jobs are blocks of starts; a block shares the lanes of one scheduler. The blocks do not depend on the number of threads.
#include "search/many_fits.h"

#include <stdatomic.h>
#include <string.h>

#include "base/patience.h"
#include "base/pool.h"
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

static size_t job_size(const ManyFits *b) {
  return sizeof(ManyFitsJob) + starts_size(b) + (size_t)b->block * answer_size(b);
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
  if (!patience_asks()) return;
  Problem own = b->problem;
  const Method *methods = b->request->methods;
  if (methods) own.method = methods[job->first + k];
  void *about = b->request->about ? b->request->about[job->first + k] : NULL;
  FitResult *r = b->request->fit(&own, work, start_of(b, job, k), NULL, about);
  ManyFitsAnswer *answer = answer_of(b, job, k);
  many_fits_answer(r, b->n, answer);
  if (w->scheduler) answer->work.seconds = lane_scheduler_seconds(w->scheduler);
  answer->finished = r->outcome != FIT_STOPPED && patience_asks();
  if (answer->finished) atomic_fetch_add(b->finished, 1);
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

// Starts of the job that begins with this one.
static int share_of(const ManyFits *b, int first) {
  int left = b->request->count - first, share = b->block;
  if (b->request->brief && b->lanes && first < share) share = first < 1 ? 1 : first;
  return left < share ? left : share;
}

static int submit(const ManyFits *b, Pool *c, ManyFitsJob *job, const ManyFitsRequest *q,
                  int first) {
  memset(job, 0, job_size(b));
  job->first = first;
  job->count = share_of(b, first);
  memcpy(start_of(b, job, 0), q->starts + (size_t)first * (size_t)b->n,
         (size_t)job->count * (size_t)b->n * sizeof *q->starts);
  pool_submit(c, job);
  return (int)job->count;
}

// *next: the start whose answer is due. What was stopped may be missing among those that are salvaged.
static bool take_all(const ManyFits *b, ManyFitsJob *job, const ManyFitsRequest *q, int *next) {
  if (job->first != *next) return false;
  *next += (int)job->count;
  for (int k = 0; k < job->count; k++) {
    const ManyFitsAnswer *answer = answer_of(b, job, k);
    if (!answer->finished || !q->take(q->data, (int)job->first + k, answer)) return false;
  }
  return true;
}

enum { AHEAD = 4 }; // jobs that wait, by worker

static bool run_jobs(const ManyFits *b, Pool *c, int workers, const ManyFitsRequest *q) {
  Arena *a = arena_new();
  ManyFitsJob *job = arena_alloc(a, 1, job_size(b));
  bool collected = true, wanted = true;
  int next = 0, due = 0;
  while (collected && wanted && (next < q->count || pool_pending(c))) {
    while (next < q->count && pool_pending(c) < AHEAD * workers) next += submit(b, c, job, q, next);
    collected = pool_collect(c, job);
    wanted = !collected || take_all(b, job, q, &due);
  }
  while (!collected && wanted && pool_salvage(c, job)) wanted = take_all(b, job, q, &due);
  arena_free(a);
  return collected && wanted;
}

// Many enough that those who need the same steps find each other, few enough that all threads have some.
enum { BLOCK_LEAST = 8, BLOCK_MOST = 64, BLOCKS = 8 };

static int block_of(int count) {
  int block = (count + BLOCKS - 1) / BLOCKS;
  block = (block + BLOCK_LEAST - 1) / BLOCK_LEAST * BLOCK_LEAST;
  return block < BLOCK_LEAST ? BLOCK_LEAST : block > BLOCK_MOST ? BLOCK_MOST : block;
}

// A limit of seconds is one of each fit by itself.
static bool in_lanes(const Problem *p, const ManyFitsRequest *q) {
  return q->lanes && q->count > 1 && p->options.max_seconds == 0 && lane_scheduler_can(p);
}

static bool listen(void *data) {
  const ManyFits *b = data;
  const ManyFitsRequest *q = b->request;
  return !q->listener || q->listener(q->data, atomic_load(b->finished));
}

bool many_fits_run(const Fitting *f, const Problem *p, const ManyFitsRequest *q) {
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
  PoolWorker work = {job_size(&b), begin_worker, end_worker, work_block, &b};
  int workers = pool_size(q->threads, (q->count + b.block - 1) / b.block);
  Pool *c = pool_new(workers, &work);
  Patience patience = {.goes_on = listen, .data = &b};
  patience_begin(&patience);
  bool whole = run_jobs(&b, c, workers, q);
  pool_free(c);
  patience_end(&patience);
  return whole;
}
