// Workers that do jobs side by side. A job is a fixed number of bytes without pointers: it is copied when it is submitted,
// a worker fills in its answer, and it comes back in the order of submission, whatever the number of workers. So the same
// calls can be served by threads here, and by processes on other machines.
//
// Who collects works, too, while it waits: a crew of one has no thread of its own.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct Crew Crew;

typedef struct CrewWork {
  size_t size; // of a job
  // What a worker needs for itself, made in its own thread before its first job; NULL: nothing.
  void *(*begin)(const void *shared, const Crew *crew);
  void (*end)(void *own);
  void (*work)(void *own, void *job);
  const void *shared;
} CrewWork;

int crew_cores(void); // processors that this process may use
// threads 0: all cores; never more than there are jobs, nor many more than cores
int crew_size(int threads, int jobs);

Crew *crew_new(int workers, const CrewWork *work);
void crew_free(Crew *c); // jobs that are not collected are given up

void crew_submit(Crew *c, const void *job);
int crew_workers(const Crew *c); // at least 1
int crew_pending(const Crew *c); // submitted, not collected
// Waits for the oldest job. false: nothing is pending, or it was stopped. `job` is the job with its answer.
bool crew_collect(Crew *c, void *job);

// After a stop: the next job that was begun, finished or not, once all workers have let go. false: there is none.
bool crew_salvage(Crew *c, void *job);

// Asked in the thread that made the crew, about thirty times a second while it waits or works; false stops everything.
void crew_listen(Crew *c, bool (*listener)(void *), void *data);
void crew_stop(Crew *c);
// For work: whether to go on with the job.
bool crew_goes_on(const Crew *c);
