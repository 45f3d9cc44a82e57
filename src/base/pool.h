// A worker pool: threads that work on jobs in parallel. A job is a fixed number of bytes without pointers: it is copied when
// it is submitted, a worker fills in its answer, and jobs come back in the order of submission for any number of workers.
// So the same calls could also be served by processes on other machines.
//
// The thread that collects also works while it waits: a pool of one worker starts no thread. Jobs go on as long as its
// patience lasts (base/patience.h): then the pool stops, and loops in the threads of workers hear it when they ask.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct Pool Pool;

typedef struct PoolWorker {
  size_t size; // of a job
  // begin makes the private data of a worker in its thread, before its first job; NULL: there are none.
  void *(*begin)(const void *shared);
  void (*end)(void *own);
  void (*work)(void *own, void *job);
  const void *shared;
} PoolWorker;

int pool_cores(void); // processors that this process may use
// Number of workers. threads 0: one per core. At most the number of jobs, and not many more than cores.
int pool_size(int threads, int jobs);

Pool *pool_new(int workers, const PoolWorker *work);
void pool_free(Pool *p); // drops jobs that are not collected

void pool_submit(Pool *p, const void *job);
int pool_workers(const Pool *p); // at least 1
int pool_pending(const Pool *p); // submitted, not collected
// Waits for the oldest job and copies it with its answer. false: nothing is pending, or the pool was stopped.
bool pool_collect(Pool *p, void *job);

// After a stop: waits for all workers, then returns the next job that was begun, finished or not. false: there is none.
bool pool_salvage(Pool *p, void *job);
void pool_stop(Pool *p);
