// A store: studies with all that belongs to them, in a database. docs/store.md lists its tables.
//
// Threads may share a Store: one at a time talks to the database. Where that does not answer, is full or cannot be written,
// the trouble is told and the call tries again until it is mended or patience is over (base/patience.h): what was computed is
// kept in memory meanwhile.
#pragma once
#include <pthread.h>

#include "base/arena.h"
#include "base/file_set.h"
#include "store/db.h"

// text NULL: it is mended. Called from any thread of the store, one at a time.
typedef void StoreTell(void *data, const char *text);

typedef struct Store {
  Arena *arena;
  const char *place;
  Db *db;
  pthread_mutex_t lock;
  StoreTell *tell; // NULL: nobody listens
  void *tell_data;
  bool troubled;
  double told;     // s, when the trouble began
  double given_up; // s, when patience was over for the first time during it; 0: it is not
  bool failed;     // trying again does not help
  Err err;         // why
} Store;

typedef enum StudyState {
  STUDY_OPEN,
  STUDY_DONE,
  STUDY_FAILED, // the command could not be carried out; note: why
  STUDY_LIMIT,  // its time limit ended it; it goes on when somebody resumes it
} StudyState;

typedef struct StudySpec { // what makes a study what it is
  const char *
      name; // "basin swing.yaml": command and problem; a study of that name is the same or has changed
  const char *words;     // the command line without what changes no result, one word a line
  const char *all_words; // the whole command line
  const FileSet *files;  // that it was read from
  const char *version, *fingerprint;
  const char *tags; // that a worker must have, separated by commas; "": none
} StudySpec;

typedef struct StudyRow {
  int64_t number;
  const char *name, *words, *all_words, *version, *fingerprint, *tags, *note;
  StudyState state;
  double made, seconds; // s since 1970; of work on it so far, over all who led it
} StudyRow;

Store *store_open(const char *place, Err *err); // that exists
// The same; in a database of a server that has no tables yet they are made.
Store *store_open_server(const char *place, Err *err);
// A new one with its first study: SQLite files appear whole, with the study in them. *is_new false: there was one already, which is
// opened and has not got the study.
Store *store_make(const char *place, const StudySpec *spec, int64_t *study, bool *is_new, Err *err);
// Opens or makes the store, and finds or adds the study. Where one of the same name has changed: an error that says what differs,
// or, fork, a new study.
Store *store_begin(const char *place, const StudySpec *spec, bool fork, int64_t *study, Err *err);
void store_close(Store *s); // NULL is allowed
void store_listen(Store *s, StoreTell *tell, void *data);

// Work in a transaction; may be called again after the trouble that ended it. durable: it is on the disk on return.
// false: it failed for good (s->failed), or patience was over.
typedef bool StoreWork(Store *s, void *data, Err *err);
bool store_do(Store *s, bool durable, StoreWork *work, void *data);
// One statement outside of a transaction, with the same patience.
bool store_query(Store *s, const char *sql, const DbValue *parameters, int count, DbRow *row,
                 void *data);
// Waits for news of other connections.
void store_wait(Store *s, double seconds);

bool store_add_study(Store *s, const StudySpec *spec, int64_t *study, Err *err);
// All studies, the oldest first; lives in the arena.
bool store_studies(Store *s, Arena *a, StudyRow **rows, int *count, Err *err);
bool store_study(Store *s, Arena *a, int64_t study, StudyRow *row, Err *err);
// The files of a study, in the arena.
FileSet *store_files(Store *s, Arena *a, int64_t study, Err *err);
// What differs between a study and a spec, as sentences; "": nothing. A file whose content is not kept is compared by its digest.
const char *store_differences(Store *s, Arena *a, const StudyRow *row, const StudySpec *spec,
                              Err *err);
bool store_end_study(Store *s, int64_t study, StudyState state, const char *note);
