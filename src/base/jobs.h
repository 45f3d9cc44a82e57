// A set of numbered jobs: made from their numbers, worked on in parallel, their answers taken in order. In a study with a
// record (base/record.h) the jobs are handed out to all who take part in it, and answers that are there are not computed again.
//
// A job is a fixed number of bytes without pointers; what it computes depends on these bytes alone. So answers are the same
// for any number of threads, processes and machines.
#pragma once
#include "base/pool.h"
#include "base/record.h"

typedef struct Jobs Jobs; // threads with their scratch, for sets of one kind

typedef struct JobKind {
  PoolWorker worker;
  size_t question; // bytes of a job that `make` fills; the answer is behind them
  // Whether the job was worked on to its end. One that was stopped is not recorded, and ends the set.
  bool (*is_done)(const void *job);
  // Fills in the answer of a job that nobody could finish: those who began it died. NULL: the study cannot do without it.
  void (*give_up)(const void *shared, void *job, const char *why);
  // Number of runs in a job, and of its first run; NULL: one, that of the job.
  int (*runs)(const void *job);
  long (*first)(const void *job);
  const RecordLayout *layout; // offsets count from the answer on. NULL: never recorded
  bool always; // recorded job by job, however short it is; else only where a set takes long
  bool
      parts; // simulations inside that take long are recorded, too: not for jobs that share simulations
} JobKind;

typedef struct JobSet {
  long count;
  long runs;  // in all of them; 0: one in each job
  bool brief; // `take` may end it: not many more jobs are begun than are needed
  void (*make)(void *data, long number, void *job); // fills in a job whose bytes are 0
  // In the order of the numbers, without gaps. false ends the set.
  bool (*take)(void *data, long number, const void *job);
  void *data;
} JobSet;

typedef enum JobsEnd {
  JOBS_ALL,     // all were taken
  JOBS_ENOUGH,  // `take` ended it
  JOBS_STOPPED, // patience is over; what was finished without a gap was taken
} JobsEnd;

Jobs *jobs_new(int workers, const JobKind *kind);
void jobs_free(Jobs *j); // NULL is allowed
int jobs_workers(const Jobs *j);
// Seconds that a job takes on all workers together, as seen last; NaN: unknown. Where that is known from elsewhere: say it.
double jobs_expected(const Jobs *j);
void jobs_expect(Jobs *j, double seconds);
JobsEnd jobs_run(Jobs *j, const JobSet *set);
