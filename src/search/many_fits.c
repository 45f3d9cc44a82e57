#include "search/many_fits.h"

#include <stdatomic.h>
#include <string.h>

#include "base/pool.h"
#include "residual/hub.h"
#include "residual/objective.h"

typedef struct Batch {
  Problem problem; // as each fit sees it: it has one core
  int n;
  int block; // starts of a job: those that share simulations, whatever the number of threads
  bool lanes;
  atomic_int *finished;
  const BatchRequest *request;
} Batch;

typedef struct Worker {
  Arena *arena;
  const Batch *batch;
  const Pool *pool;
  Objective *objective; // without lanes
  Hub *hub;             // with them
} Worker;

// A job: this, then `block` starts, then their answers.
typedef struct BatchJob {
  long first;
  long count;
} BatchJob;

static size_t answer_size(const Batch *b) {
  return sizeof(BatchAnswer) + (size_t)b->n * sizeof(double);
}

static size_t starts_size(const Batch *b) {
  return (size_t)b->block * (size_t)b->n * sizeof(double);
}

static size_t job_size(const Batch *b) {
  return sizeof(BatchJob) + starts_size(b) + (size_t)b->block * answer_size(b);
}

static double *start_of(const Batch *b, BatchJob *job, int k) {
  return (double *)(job + 1) + (size_t)k * (size_t)b->n;
}

static BatchAnswer *answer_of(const Batch *b, BatchJob *job, int k) {
  return (BatchAnswer *)((char *)(job + 1) + starts_size(b) + (size_t)k * answer_size(b));
}

// ---------------------------------------------------------------- workers

static void *begin_worker(const void *shared, const Pool *pool) {
  Arena *a = arena_new();
  Worker *w = ARENA_NEW(a, Worker);
  w->arena = a;
  w->batch = shared;
  w->pool = pool;
  if (w->batch->lanes)
    w->hub = hub_new(&w->batch->problem);
  else
    w->objective = objective_new(&w->batch->problem);
  return w;
}

static void end_worker(void *data) {
  Worker *w = data;
  hub_free(w->hub);
  objective_free(w->objective);
  arena_free(w->arena);
}

static bool worker_goes_on(void *data, const FitProgress *progress) {
  const Worker *w = data;
  (void)progress;
  return pool_goes_on(w->pool);
}

static void take_down(const FitResult *r, int n, BatchAnswer *to) {
  to->outcome = r->outcome;
  to->end = r->end;
  to->certain = r->certain;
  to->objective = r->objective;
  to->comparable = fit_comparable(r);
  to->work = r->work;
  memcpy(to->x, r->x, (size_t)n * sizeof *to->x);
}

static void fit_one(const Worker *w, BatchJob *job, int k, Objective *o) {
  const Batch *b = w->batch;
  if (!pool_goes_on(w->pool)) return;
  FitResult *r = fit_run_on(&b->problem, o, start_of(b, job, k), worker_goes_on, (void *)w);
  BatchAnswer *answer = answer_of(b, job, k);
  take_down(r, b->n, answer);
  if (w->hub) answer->work.seconds = hub_seconds(w->hub);
  answer->finished = r->outcome != FIT_STOPPED;
  if (answer->finished) atomic_fetch_add(b->finished, 1);
  fit_free(r);
}

typedef struct Block {
  const Worker *worker;
  BatchJob *job;
} Block;

static void fit_beside_others(void *data, int number, Objective *o) {
  const Block *block = data;
  fit_one(block->worker, block->job, number, o);
}

static void work_block(void *own, void *data) {
  Worker *w = own;
  BatchJob *job = data;
  if (w->hub)
    hub_run(w->hub, (int)job->count, fit_beside_others, &(Block){w, job});
  else
    for (int k = 0; k < job->count; k++) fit_one(w, job, k, w->objective);
}

// ---------------------------------------------------------------- the batch

// Starts of the job that begins with this one.
static int share_of(const Batch *b, int first) {
  int left = b->request->count - first, share = b->block;
  if (b->request->brief && b->lanes && first < share) share = first < 1 ? 1 : first;
  return left < share ? left : share;
}

static int submit(const Batch *b, Pool *c, BatchJob *job, const BatchRequest *q, int first) {
  memset(job, 0, job_size(b));
  job->first = first;
  job->count = share_of(b, first);
  memcpy(start_of(b, job, 0), q->starts + (size_t)first * (size_t)b->n,
         (size_t)job->count * (size_t)b->n * sizeof *q->starts);
  pool_submit(c, job);
  return (int)job->count;
}

static bool take_all(const Batch *b, BatchJob *job, const BatchRequest *q) {
  for (int k = 0; k < job->count; k++) {
    const BatchAnswer *answer = answer_of(b, job, k);
    if (!answer->finished || !q->take(q->data, (int)job->first + k, answer)) return false;
  }
  return true;
}

enum { AHEAD = 4 }; // jobs that wait, by worker

static bool run_jobs(const Batch *b, Pool *c, int workers, const BatchRequest *q) {
  Arena *a = arena_new();
  BatchJob *job = arena_alloc(a, 1, job_size(b));
  bool collected = true, wanted = true;
  int next = 0;
  while (collected && wanted && (next < q->count || pool_pending(c))) {
    while (next < q->count && pool_pending(c) < AHEAD * workers) next += submit(b, c, job, q, next);
    collected = pool_collect(c, job);
    wanted = !collected || take_all(b, job, q);
  }
  while (!collected && wanted && pool_salvage(c, job)) wanted = take_all(b, job, q);
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
static bool in_lanes(const Problem *p, const BatchRequest *q) {
  return q->lanes && q->count > 1 && p->options.max_seconds == 0 && hub_can(p);
}

static bool listen(void *data) {
  const Batch *b = data;
  const BatchRequest *q = b->request;
  return !q->listener || q->listener(q->data, atomic_load(b->finished));
}

bool batch_run(const Problem *p, const BatchRequest *q) {
  atomic_int finished = 0;
  Batch b = {.problem = *p,
             .n = p->unknown_count,
             .block = 1,
             .lanes = in_lanes(p, q),
             .finished = &finished,
             .request = q};
  if (b.lanes) b.block = block_of(q->count);
  b.problem.options.threads = 1;
  PoolWorker work = {job_size(&b), begin_worker, end_worker, work_block, &b};
  int workers = pool_size(q->threads, (q->count + b.block - 1) / b.block);
  Pool *c = pool_new(workers, &work);
  pool_listen(c, listen, &b);
  bool whole = run_jobs(&b, c, workers, q);
  pool_free(c);
  return whole;
}
