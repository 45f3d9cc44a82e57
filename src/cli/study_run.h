// Studies in a store: --store of fits and studies, and the commands that go on with a study or take part in one.
//
// A command calls study_note before it reads its files, study_begin before it computes and study_end afterwards. Without --store these
// do nothing.
#pragma once
#include "cli/arguments.h"

#define FLAG_STORE                                                                                 \
  {"store",                                                                                        \
   0,                                                                                              \
   "PLACE",                                                                                        \
   "keeps all that is found: FILE.db, or postgresql://host/database for several machines; the "    \
   "same command goes on where it ended",                                                          \
   NULL,                                                                                           \
   false},                                                                                         \
      {"fork", 0,                                                                                  \
       NULL,   "with --store: if model, data, options or program have changed since, a new study", \
       NULL,   false},                                                                             \
  {                                                                                                \
    "tags", 0, "LIST", "with --store: only workers with these tags take part: licence,gpu", NULL,  \
        false                                                                                      \
  }

typedef enum StudyRole {
  STUDY_BEGINS, // the command itself, with --store or without
  STUDY_RESUMES,
  STUDY_WORKS // a worker: no results are wanted
} StudyRole;

// The study that the next command runs in; NULL: as its flags say. Kept until study_end.
void study_attend(EntrainStudy *study, StudyRole role);
// Pictures and traces of a comparison need more than its table: whether it is computed.
bool study_keeps_traces(const Arguments *a);
bool study_is_worker(void); // the command that runs is that of a worker: it prints nothing

// false: the error is printed.
bool study_note(const Arguments *a);
bool study_begin(const Arguments *a, int *status);
// failed: why there is no result, or NULL. false: no result is wanted, and *status is the exit status.
bool study_end(const EntrainError *failed, int *status);

// About the study that runs; false: there is none.
bool study_numbers(EntrainStudyProgress *out);
// The same as a line.
bool study_line(char *line, size_t size, bool json);
void study_progress_line(const EntrainStudyProgress *p, const char *name, bool json, char *line,
                         size_t size);
void study_tell(void *data, const char *text); // an EntrainStoreListener that prints

// Runs a command whose words were kept in a store, with more words behind them. refused: flags that must not be there (the list ends with
// NULL). Returns its exit status.
int study_run_words(const char *lines, char *const *more, int more_count,
                    const char *const *refused);
// Flags that change no result: files, reports, threads and limits of time. Ends with NULL.
extern const char *const STUDY_ASIDE[];
