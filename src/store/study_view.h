// A look at the studies of a store, while they run and afterwards.
#pragma once
#include "base/record.h"
#include "store/study_record.h"

typedef struct StudyWord { // runs that ended so
  const char *word;
  long runs;
} StudyWord;

typedef struct StudyProgress {
  StudyState state;
  long done, total;     // runs; total may grow while it runs
  long lost;            // of those done: given up, because those who worked on them died
  double best;          // least objective; NaN: none
  double busy;          // s that all runs took together
  double seconds;       // that somebody led it
  int workers, threads; // that live and take part in the store
  const StudyWord *ended;
  int ended_count;
} StudyProgress;

// Lives in the arena.
bool study_progress(Store *s, Arena *a, int64_t study, StudyProgress *out, Err *err);

typedef struct StudyRun {
  const RecordLayout *layout;
  const void *bytes; // as the layout says
  int64_t item;
  long number;    // in its set
  double seconds; // of its job, divided by the runs of that
  const char *host;
} StudyRun;

typedef bool StudyRunTake(void *data, const StudyRun *run); // false: no more
// The runs of a study in their order; best > 0: so many with the least objectives, the best first.
bool study_runs(Store *s, int64_t study, long best, StudyRunTake *take, void *data, Err *err);
