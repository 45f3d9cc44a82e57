// A store of its own for each test, in SQLite or in PostgreSQL, and members who take part in its studies.
#pragma once
#include <ftw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/patience.h"
#include "postgres_trial.h"
#include "store/store.h"
#include "store/study_record.h"
#include "test.h"

typedef struct StoreTrial {
  bool postgresql;
  Arena *arena;
  char folder[64];
  const char *place; // NULL: there is no server, and the test is skipped
  FileSet *files;
  StudySpec spec;
} StoreTrial;

static PostgresTrial *store_server;            // NULL: not installed, or not wanted
static bool SQLITE = false, POSTGRESQL = true; // which one: the initial state of a test

static inline StudySpec trial_spec(FileSet *files) {
  return (StudySpec){.name = "basin swing.yaml",
                     .words = "basin\nswing.yaml\n--points\n100",
                     .all_words = "basin\nswing.yaml\n--points\n100\n--threads\n2",
                     .files = files,
                     .version = "1.2 abc",
                     .fingerprint = "8 lanes",
                     .tags = "gpu,fast"};
}

static inline int store_trial_begin(void **state) {
  StoreTrial *t = calloc(1, sizeof *t);
  t->postgresql = *(bool *)*state;
  t->arena = arena_new();
  // In memory, if possible: these tests are not about disks.
  strcpy(t->folder, "/dev/shm/entrain-store-XXXXXX");
  if (!mkdtemp(t->folder)) {
    strcpy(t->folder, "/tmp/entrain-store-XXXXXX");
    if (!mkdtemp(t->folder)) return -1;
  }
  *state = t;
  t->files = file_set_new(t->arena);
  file_set_add(t->files, "swing.yaml", FILE_REGULAR, "model: swing.mo\n", 16);
  file_set_add(t->files, "swing.mo", FILE_REGULAR, "model Swing\0end", 15);
  t->spec = trial_spec(t->files);
  if (!t->postgresql) {
    t->place = arena_print(t->arena, "%s/x.db", t->folder);
  } else if (store_server) {
    Err err = {0};
    t->place = postgres_url(store_server);
    Db *db = db_open(t->place, false, &err);
    assert_non_null(db);
    assert_true(db_run(db, "DROP SCHEMA public CASCADE", NULL, 0, NULL, NULL, NULL, &err));
    assert_true(db_run(db, "CREATE SCHEMA public", NULL, 0, NULL, NULL, NULL, &err));
    db_close(db);
  }
  return 0;
}

static inline int store_trial_end(void **state) {
  StoreTrial *t = *state;
  nftw(t->folder, postgres_remove_one, 16, FTW_DEPTH | FTW_PHYS);
  arena_free(t->arena);
  free(t);
  return 0;
}

static inline StoreTrial *trial_of(void **state) {
  StoreTrial *t = *state;
  if (!t->place) skip();
  return t;
}

static inline int start_server(void **state) {
  (void)state;
  store_server = postgres_start();
  return 0;
}

static inline int stop_server(void **state) {
  (void)state;
  postgres_stop(store_server);
  return 0;
}

#define IN(database, law)                                                                          \
  { #law " (" #database ")", law, store_trial_begin, store_trial_end, &database }
#define IN_BOTH(law) IN(SQLITE, law), IN(POSTGRESQL, law)

// ---- the store

static inline Store *trial_open(const StoreTrial *t) {
  Err err = {0};
  Store *s = store_open(t->place, &err);
  if (!s) fail_msg("%s", err.text);
  return s;
}

// Of the spec of the trial.
static inline Store *trial_study(const StoreTrial *t, int64_t *study) {
  Err err = {0};
  Store *s = store_begin(t->place, &t->spec, false, study, &err);
  if (!s) fail_msg("%s", err.text);
  return s;
}

static inline bool take_value(void *data, const DbValue *columns, int count) {
  assert_int_equal(count, 1);
  *(double *)data = db_as_real(&columns[0]);
  return true;
}

// The number that a statement gives; NaN: NULL, or nothing. Texts as by printf.
static inline double sql(Store *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline double sql(Store *s, const char *format, ...) {
  char text[2000];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  assert_in_range(length, 1, sizeof text - 1);
  double value = nan("");
  if (!store_query(s, text, NULL, 0, take_value, &value)) fail_msg("%s", s->err.text);
  return value;
}

// ---- members

typedef struct Member {
  Store *store;
  Participant *participant;
  StudyRecord *study;
  Record *record;
} Member;

static inline Member member_come(const StoreTrial *t, int threads) {
  Err err = {0};
  Member m = {.store = trial_open(t)};
  ParticipantAbout about = {threads, "", t->spec.fingerprint};
  m.participant = participant_new(m.store, &about, &err);
  if (!m.participant) fail_msg("%s", err.text);
  return m;
}

static inline void member_join_as(Member *m, int64_t study, bool wants_result) {
  Err err = {0};
  m->study = study_join(m->participant, study, &(JoinRequest){wants_result}, &err);
  if (!m->study) fail_msg("%s", err.text);
  m->record = study_record(m->study);
}

static inline Member member_join(const StoreTrial *t, int64_t study) {
  Member m = member_come(t, 1);
  member_join_as(&m, study, true);
  return m;
}

static inline void member_leave(Member *m, const StudyEnd *end) {
  study_leave(m->study, end);
  m->study = NULL;
}

static inline void member_go(Member *m) {
  if (m->study) member_leave(m, NULL);
  participant_free(m->participant);
  store_close(m->store);
  *m = (Member){0};
}

static inline int64_t member_id(const Member *m) {
  return participant_id(m->participant);
}

// ---- answers of a made-up study: runs with an objective and a word

typedef struct MadeRun {
  double objective;
  int outcome;
  bool good;
  long work;
} MadeRun;

static const RecordColumn MADE_COLUMNS[] = {
    {"objective", RECORD_REAL, offsetof(MadeRun, objective), NULL},
    {"outcome", RECORD_INT, offsetof(MadeRun, outcome), "fine poor lost"},
    {"good", RECORD_BOOL, offsetof(MadeRun, good), NULL},
    {"work", RECORD_LONG, offsetof(MadeRun, work), NULL},
};
static const RecordLayout MADE_LAYOUT = {"start", 0, sizeof(MadeRun), MADE_COLUMNS, 4};

// Answers to the first `count` jobs of a claim, `each` runs in every job, one behind the other.
static inline void member_commit(Member *m, int64_t item, const RecordClaim *claim,
                                 const MadeRun *runs, int count, int each) {
  RecordedJob *jobs = calloc((size_t)count + 1, sizeof *jobs);
  Text packed;
  text_init(&packed);
  size_t *at = calloc((size_t)count + 1, sizeof *at);
  for (int k = 0; k < count; k++) {
    const MadeRun *answer = runs + (size_t)k * (size_t)each;
    jobs[k] = (RecordedJob){.number = claim->first + k,
                            .first = (claim->first + k) * each,
                            .runs = each,
                            .seconds = 0.5 * each};
    record_summarise(&MADE_LAYOUT, answer, &jobs[k]);
    at[k] = packed.length;
    record_pack(&packed, answer, (size_t)each * sizeof *answer);
    jobs[k].length = packed.length - at[k];
  }
  for (int k = 0; k < count; k++) jobs[k].bytes = packed.at + at[k];
  m->record->commit(m->record, item, &MADE_LAYOUT, claim, jobs, count);
  text_done(&packed);
  free(at);
  free(jobs);
}

// A set of jobs under this number.
static inline void member_open(Member *m, int64_t item, long count, long each, bool brief) {
  RecordSet set = {&MADE_LAYOUT, count, count * each, brief, 7};
  Text none;
  text_init(&none);
  RecordState state = m->record->look(m->record, item, MADE_LAYOUT.kind, 7, &none);
  text_done(&none);
  assert_true(state == RECORD_NOTHING || state == RECORD_SET);
  assert_true(m->record->open_set(m->record, item, &set));
}
