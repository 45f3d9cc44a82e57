// Workers that do jobs side by side. A job is a fixed number of bytes without pointers: it is copied when it is submitted,
// a worker fills in its answer, and it comes back in the order of submission, whatever the number of workers. So the same
// calls can be served by threads here, and by processes on other machines.
//
// Who collects works, too, while it waits: a pool of one has no thread of its own.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct Pool Pool;

typedef struct PoolWorker {
  size_t size; // of a job
  // What a worker needs for itself, made in its own thread before its first job; NULL: nothing.
  void *(*begin)(const void *shared, const Pool *pool);
  void (*end)(void *own);
  void (*work)(void *own, void *job);
  const void *shared;
} PoolWorker;

int pool_cores(void); // processors that this process may use
// threads 0: all cores; never more than there are jobs, nor many more than cores
int pool_size(int threads, int jobs);

Pool *pool_new(int workers, const PoolWorker *work);
void pool_free(Pool *c); // jobs that are not collected are given up

void pool_submit(Pool *c, const void *job);
int pool_workers(const Pool *c); // at least 1
int pool_pending(const Pool *c); // submitted, not collected
// Waits for the oldest job. false: nothing is pending, or it was stopped. `job` is the job with its answer.
bool pool_collect(Pool *c, void *job);

// After a stop: the next job that was begun, finished or not, once all workers have let go. false: there is none.
bool pool_salvage(Pool *c, void *job);

// Asked in the thread that made the pool, about thirty times a second while it waits or works; false stops everything.
void pool_listen(Pool *c, bool (*listener)(void *), void *data);
void pool_stop(Pool *c);
// For work: whether to go on with the job.
bool pool_goes_on(const Pool *c);
