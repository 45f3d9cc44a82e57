#include "store/store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/patience.h"
#include "base/text.h"
#include "store/schema.h"

// ---------------------------------------------------------------- talking to the database

static const double RETRY_FIRST = 0.05, RETRY_MOST = 2; // s
static const double TELL_AFTER = 1;                     // s of trouble
static const double LAST_SECONDS = 0.4; // for what is left to write after patience is over

static void tell(Store *s, const char *text) {
  if (s->tell) s->tell(s->tell_data, text);
}

static const char *remedy(DbTrouble trouble) {
  switch (trouble) {
  case DB_FULL: return "; the work goes on as soon as there is room";
  case DB_READ_ONLY: return "; the work goes on as soon as it can be written";
  case DB_LOST: return "; trying again until it answers";
  default: return "; trying again";
  }
}

// Called with the lock. What fails for good ends all that goes through the store.
static void note_trouble(Store *s, const Err *err) {
  DbTrouble trouble = db_trouble(s->db);
  double now = clock_seconds();
  if (trouble == DB_WRONG || trouble == DB_DAMAGED || trouble == DB_FINE) {
    s->failed = true;
    if (!s->err.code) s->err = *err;
    return;
  }
  if (s->told == 0) s->told = now;
  if (s->troubled || (now - s->told < TELL_AFTER && trouble != DB_FULL && trouble != DB_READ_ONLY))
    return;
  char text[1000];
  c_snprintf(text, sizeof text, "%s%s", err->text, remedy(trouble));
  s->troubled = true;
  tell(s, text);
}

static void note_success(Store *s) {
  if (s->troubled) tell(s, NULL);
  s->troubled = false;
  s->told = s->given_up = 0;
}

// All that is left to write after the end of patience shares LAST_SECONDS, in whatever thread. Called with the lock.
static bool is_too_late(Store *s) {
  if (patience_asks()) return false;
  if (!(s->given_up > 0)) s->given_up = clock_seconds();
  return clock_seconds() > s->given_up + LAST_SECONDS;
}

// Sleeps without the lock, and asks meanwhile. false: it is too late to try again.
static bool rest(Store *s, double seconds) {
  double until = clock_seconds() + seconds;
  while (!is_too_late(s)) {
    if (clock_seconds() >= until) return true;
    pthread_mutex_unlock(&s->lock);
    usleep(10000);
    pthread_mutex_lock(&s->lock);
  }
  return false;
}

static bool reconnect_if_lost(Store *s, Err *err) {
  return db_trouble(s->db) != DB_LOST || db_reconnect(s->db, err);
}

typedef bool StoreAttempt(Store *s, void *data, Err *err);

static bool try_until_done(Store *s, StoreAttempt *attempt, void *data) {
  double wait = RETRY_FIRST;
  bool done = false;
  pthread_mutex_lock(&s->lock);
  patience_forbid_pauses(); // the thread that says that we live needs the lock
  while (!s->failed && !(s->troubled && is_too_late(s))) {
    Err err = {0};
    done = reconnect_if_lost(s, &err) && attempt(s, data, &err);
    if (done) {
      note_success(s);
      break;
    }
    db_rollback(s->db);
    note_trouble(s, &err);
    if (s->failed || !rest(s, wait)) break;
    wait = fmin(2 * wait, RETRY_MOST);
  }
  patience_allow_pauses();
  pthread_mutex_unlock(&s->lock);
  return done;
}

typedef struct Transaction {
  bool durable;
  StoreWork *work;
  void *data;
} Transaction;

static bool run_transaction(Store *s, void *data, Err *err) {
  const Transaction *t = data;
  return db_begin(s->db, err) && t->work(s, t->data, err) && db_commit(s->db, t->durable, err);
}

bool store_do(Store *s, bool durable, StoreWork *work, void *data) {
  return try_until_done(s, run_transaction, &(Transaction){durable, work, data});
}

typedef struct StoreQuery {
  const char *sql;
  const DbValue *parameters;
  int count;
  DbRow *row;
  void *data;
} StoreQuery;

static bool run_query(Store *s, void *data, Err *err) {
  const StoreQuery *q = data;
  return db_run(s->db, q->sql, q->parameters, q->count, q->row, q->data, NULL, err);
}

bool store_query(Store *s, const char *sql, const DbValue *parameters, int count, DbRow *row,
                 void *data) {
  return try_until_done(s, run_query, &(StoreQuery){sql, parameters, count, row, data});
}

void store_wait(Store *s, double seconds) {
  if (!patience_lock(&s->lock)) return;
  patience_forbid_pauses();
  db_wait(s->db, seconds);
  patience_allow_pauses();
  pthread_mutex_unlock(&s->lock);
}

void store_listen(Store *s, StoreTell *listener, void *data) {
  s->tell = listener;
  s->tell_data = data;
}

// ---------------------------------------------------------------- opening

static Store *store_new(const char *place, Db *db) {
  Arena *a = arena_new();
  Store *s = ARENA_NEW(a, Store);
  s->arena = a;
  s->place = arena_copy(a, place, strlen(place));
  s->db = db;
  pthread_mutex_init(&s->lock, NULL);
  return s;
}

void store_close(Store *s) {
  if (!s) return;
  db_close(s->db);
  pthread_mutex_destroy(&s->lock);
  arena_free(s->arena);
}

Store *store_open(const char *place, Err *err) {
  Db *db = db_open(place, false, err);
  if (!db) return NULL;
  if (schema_check(db, place, err)) return store_new(place, db);
  db_close(db);
  return NULL;
}

// ---------------------------------------------------------------- studies

static bool take_int(void *data, const DbValue *columns, int count) {
  (void)count;
  *(int64_t *)data = db_as_int(&columns[0]);
  return true;
}

static bool add_file(Store *s, int64_t study, const char *path, int kind, bool closed,
                     const char *digest, const void *bytes, size_t length, Err *err) {
  DbValue values[] = {db_int(study),  db_text(path),   db_int(kind),
                      db_int(closed), db_text(digest), bytes ? db_bytes(bytes, length) : db_null()};
  return db_run(s->db,
                "INSERT INTO file (study, path, kind, closed, digest, bytes) "
                "VALUES ($1, $2, $3, $4, $5, $6)",
                values, 6, NULL, NULL, NULL, err);
}

enum { KIND_VARIABLE = -1 };

static bool add_files(Store *s, int64_t study, const FileSet *files, Err *err) {
  bool added = true;
  for (int i = 0; added && i < file_set_count(files); i++) {
    const NotedFile *f = file_set_at(files, i);
    char digest[SHA256_TEXT] = "";
    if (f->bytes || f->closed) sha256_print(&f->hash, digest);
    added = add_file(s, study, f->path, (int)f->kind, f->closed, digest, f->bytes, f->length, err);
  }
  for (int i = 0; added && i < file_set_variable_count(files); i++) {
    const char *value, *name = file_set_variable_at(files, i, &value);
    added = add_file(s, study, name, KIND_VARIABLE, false, "", value, strlen(value), err);
  }
  return added;
}

typedef struct NewStudy {
  const StudySpec *spec;
  int64_t *number;
} NewStudy;

static bool insert_study(Store *s, void *data, Err *err) {
  const NewStudy *n = data;
  const StudySpec *q = n->spec;
  DbValue values[] = {db_text(q->name),    db_text(q->words),       db_text(q->all_words),
                      db_text(q->version), db_text(q->fingerprint), db_text(q->tags),
                      db_int(STUDY_OPEN)};
  return db_run(
             s->db,
             "INSERT INTO study (name, words, all_words, version, fingerprint, tags, state, made, "
             "seconds, leader, until, note) VALUES ($1, $2, $3, $4, $5, $6, $7, {now}, 0.0, 0, "
             "0.0, '') RETURNING number",
             values, 7, take_int, n->number, NULL, err) &&
         add_files(s, *n->number, q->files, err) && db_notify(s->db, err);
}

static bool give_reason(const Store *s, Err *err) {
  if (s->failed && err && !err->code) *err = s->err;
  if (!s->failed) fail(err, ERR_STOPPED, "it was stopped before the store answered");
  return false;
}

bool store_add_study(Store *s, const StudySpec *spec, int64_t *study, Err *err) {
  return store_do(s, true, insert_study, &(NewStudy){spec, study}) || give_reason(s, err);
}

// Of several who begin at the same time, one adds its study; the others see that there is a new one.
#define BEGIN_LOCK "SELECT pg_advisory_xact_lock(7236837)"

typedef struct NextStudy {
  NewStudy made;
  int64_t newest; // as seen before
  bool added;
} NextStudy;

static bool insert_next(Store *s, void *data, Err *err) {
  NextStudy *n = data;
  int64_t newest = 0;
  n->added = false;
  if ((db_is_postgresql(s->db) && !db_run(s->db, BEGIN_LOCK, NULL, 0, NULL, NULL, NULL, err)) ||
      !db_run(s->db, "SELECT coalesce(max(number), 0) FROM study", NULL, 0, take_int, &newest, NULL,
              err))
    return false;
  if (newest > n->newest) return true;
  n->added = true;
  return insert_study(s, &n->made, err);
}

static bool make_tables(Store *s, void *data, Err *err) {
  const NewStudy *n = data;
  return schema_make(s->db, err) && (!n->spec || insert_study(s, (void *)n, err));
}

// A file beside, which gets its name once the study is in it. The link fails where somebody was faster.
static Store *make_file(const char *place, const StudySpec *spec, int64_t *study, bool *is_new,
                        Err *err) {
  Text name;
  text_init(&name);
  text_print(&name, "%s.part-%ld-%llx", place, (long)getpid(),
             (unsigned long long)(1e9 * clock_seconds()));
  unlink(name.at);
  Db *db = db_open(name.at, true, err);
  Store *s = db ? store_new(place, db) : NULL;
  bool done = s && db_begin(db, err) && make_tables(s, &(NewStudy){spec, study}, err) &&
              db_commit(db, true, err) && db_settle(db, err);
  store_close(s); // which also empties and removes the log beside
  if (done && link(name.at, place) != 0) {
    *is_new = false;
    if (errno != EEXIST)
      done = fail(err, ERR_FILE, "cannot make the store '%s': %s", place, strerror(errno));
  }
  unlink(name.at);
  Text log;
  text_init(&log);
  for (int i = 0; i < 2; i++) {
    text_clear(&log);
    text_print(&log, "%s%s", name.at, i ? "-wal" : "-shm");
    unlink(log.at);
  }
  text_done(&log);
  text_done(&name);
  return done ? store_open(place, err) : NULL;
}

// Of two who make the tables at the same time, one waits for the lock and finds them.
static bool make_tables_once(Store *s, void *data, Err *err) {
  bool is_there;
  if (!db_run(s->db, BEGIN_LOCK, NULL, 0, NULL, NULL, NULL, err) ||
      !schema_is_there(s->db, &is_there, err))
    return false;
  *((bool **)data)[0] = !is_there;
  return is_there || make_tables(s, ((void **)data)[1], err);
}

static Store *make_in_server(const char *place, const StudySpec *spec, int64_t *study, bool *is_new,
                             Err *err) {
  Db *db = db_open(place, false, err);
  if (!db) return NULL;
  Store *s = store_new(place, db);
  NewStudy made = {spec, study};
  void *data[] = {is_new, &made};
  bool fine = store_do(s, true, make_tables_once, data) ? schema_check(db, place, err)
                                                        : give_reason(s, err);
  if (fine) return s;
  store_close(s);
  return NULL;
}

Store *store_open_server(const char *place, Err *err) {
  int64_t study;
  bool is_new;
  return db_is_url(place) ? make_in_server(place, NULL, &study, &is_new, err)
                          : store_open(place, err);
}

Store *store_make(const char *place, const StudySpec *spec, int64_t *study, bool *is_new,
                  Err *err) {
  *is_new = true;
  if (db_is_url(place)) return make_in_server(place, spec, study, is_new, err);
  struct stat old;
  if (stat(place, &old) != 0 && errno == ENOENT) return make_file(place, spec, study, is_new, err);
  *is_new = false;
  return store_open(place, err);
}

// ---------------------------------------------------------------- reading studies

#define STUDY_COLUMNS                                                                              \
  "number, name, words, all_words, version, fingerprint, tags, note, state, made, seconds"

typedef struct StudyList {
  Arena *a;
  ARRAY(StudyRow) rows;
} StudyList;

static const char *kept(Arena *a, const DbValue *v) {
  return arena_copy(a, db_as_text(v), strlen(db_as_text(v)));
}

static bool take_study(void *data, const DbValue *c, int count) {
  StudyList *l = data;
  (void)count;
  StudyRow row = {.number = db_as_int(&c[0]),
                  .name = kept(l->a, &c[1]),
                  .words = kept(l->a, &c[2]),
                  .all_words = kept(l->a, &c[3]),
                  .version = kept(l->a, &c[4]),
                  .fingerprint = kept(l->a, &c[5]),
                  .tags = kept(l->a, &c[6]),
                  .note = kept(l->a, &c[7]),
                  .state = (StudyState)db_as_int(&c[8]),
                  .made = db_as_real(&c[9]),
                  .seconds = db_as_real(&c[10])};
  array_push(l->a, &l->rows, row);
  return true;
}

bool store_studies(Store *s, Arena *a, StudyRow **rows, int *count, Err *err) {
  StudyList list = {.a = a};
  if (!store_query(s, "SELECT " STUDY_COLUMNS " FROM study ORDER BY number", NULL, 0, take_study,
                   &list))
    return give_reason(s, err);
  *rows = list.rows.at;
  *count = list.rows.count;
  return true;
}

bool store_study(Store *s, Arena *a, int64_t study, StudyRow *row, Err *err) {
  StudyList list = {.a = a};
  DbValue number = db_int(study);
  if (!store_query(s, "SELECT " STUDY_COLUMNS " FROM study WHERE number = $1", &number, 1,
                   take_study, &list))
    return give_reason(s, err);
  if (!list.rows.count)
    return fail(err, ERR_NAME, "the store '%s' has no study %lld", s->place, (long long)study);
  *row = list.rows.at[0];
  return true;
}

static bool read_digest(const char *text, Sha256 *out) {
  static const char DIGITS[] = "0123456789abcdef";
  for (int i = 0; i < 2 * SHA256_BYTES; i++) {
    const char *digit = text[i] ? strchr(DIGITS, text[i]) : NULL;
    if (!digit) return false;
    out->at[i / 2] = (unsigned char)(out->at[i / 2] << 4 | (digit - DIGITS));
  }
  return true;
}

static bool take_file(void *data, const DbValue *c, int count) {
  FileSet *set = data;
  (void)count;
  const char *path = db_as_text(&c[0]);
  int kind = (int)db_as_int(&c[1]);
  Sha256 digest;
  if (kind == KIND_VARIABLE)
    file_set_add_variable(set, path, db_as_text(&c[4]));
  else if (db_as_int(&c[2]) && read_digest(db_as_text(&c[3]), &digest))
    file_set_add_closed(set, path, (FileKind)kind, &digest);
  else if (c[4].type != DB_NULL)
    file_set_add(set, path, (FileKind)kind, c[4].bytes, c[4].length);
  else
    file_set_add_name(set, path, (FileKind)kind);
  return true;
}

FileSet *store_files(Store *s, Arena *a, int64_t study, Err *err) {
  FileSet *set = file_set_new(a);
  DbValue number = db_int(study);
  if (store_query(s, "SELECT path, kind, closed, digest, bytes FROM file WHERE study = $1", &number,
                  1, take_file, set))
    return set;
  give_reason(s, err);
  return NULL;
}

bool store_end_study(Store *s, int64_t study, StudyState state, const char *note) {
  DbValue values[] = {db_int(study), db_int(state), db_text(note)};
  return store_query(s, "UPDATE study SET state = $2, note = $3 WHERE number = $1", values, 3, NULL,
                     NULL);
}

// ---------------------------------------------------------------- what differs

static void compare_files(const FileSet *old, const FileSet *now, Text *to) {
  for (int i = 0; i < file_set_count(now); i++) {
    const NotedFile *f = file_set_at(now, i), *was = file_set_find(old, f->path);
    bool has_hash = f->bytes || f->closed;
    if (!was && has_hash)
      text_print(to, "'%s' was not read then; ", f->path);
    else if (was && has_hash && !sha256_equal(&f->hash, &was->hash))
      text_print(to, "'%s' has changed; ", f->path);
  }
  for (int i = 0; i < file_set_count(old); i++) {
    const NotedFile *f = file_set_at(old, i);
    if ((f->bytes || f->closed) && !file_set_find(now, f->path))
      text_print(to, "'%s' is not read any more; ", f->path);
  }
}

static bool has_word(const char *words, const char *word, size_t length) {
  for (const char *at = words; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
    if (strncmp(at, word, length) == 0 && (at[length] == '\n' || !at[length])) return true;
  return false;
}

// Words of one command line that the other has not.
static void compare_words(const char *of, const char *others, const char *which, Text *to) {
  for (const char *at = of; *at;) {
    size_t length = strcspn(at, "\n");
    if (!has_word(others, at, length)) text_print(to, "'%.*s' %s; ", (int)length, at, which);
    at += length + (at[length] == '\n');
  }
}

const char *store_differences(Store *s, Arena *a, const StudyRow *row, const StudySpec *spec,
                              Err *err) {
  Arena *scratch = arena_new();
  const FileSet *old = store_files(s, scratch, row->number, err);
  const char *out = NULL;
  if (old) {
    Text text;
    text_init(&text);
    compare_files(old, spec->files, &text);
    if (strcmp(row->words, spec->words) != 0) {
      compare_words(row->words, spec->words, "was on the command line then", &text);
      compare_words(spec->words, row->words, "is new on the command line", &text);
      if (!text.length) text_add(&text, "the words of the command line stand in another order; ");
    }
    if (strcmp(row->version, spec->version) != 0)
      text_print(&text, "it was begun by %s, this is %s; ", row->version, spec->version);
    if (strcmp(row->fingerprint, spec->fingerprint) != 0)
      text_print(&text, "this machine computes differently (%s; then %s); ", spec->fingerprint,
                 row->fingerprint);
    if (text.length) text.at[text.length - 2] = 0;
    out = arena_copy(a, text.at, strlen(text.at));
    text_done(&text);
  }
  arena_free(scratch);
  return out;
}

// ---------------------------------------------------------------- the study of a command

static bool find_study(Store *s, Arena *a, const StudySpec *spec, bool fork, int64_t *study,
                       int64_t *newest, Err *err) {
  StudyRow *rows;
  int count;
  const char *first = NULL;
  int64_t which = 0;
  *study = *newest = 0;
  if (!store_studies(s, a, &rows, &count, err)) return false;
  if (count) *newest = rows[count - 1].number;
  for (int i = count - 1; i >= 0; i--) {
    if (strcmp(rows[i].name, spec->name) != 0) continue;
    const char *differs = store_differences(s, a, &rows[i], spec, err);
    if (!differs) return false;
    if (!*differs) {
      *study = rows[i].number;
      return true;
    }
    if (!first) first = differs, which = rows[i].number;
  }
  if (!first || fork) return true;
  return fail(err, ERR_VALUE,
              "study %lld in '%s' is of the same command and problem, but %s. Go on with it as it "
              "was, or begin another one with --fork",
              (long long)which, s->place, first);
}

Store *store_begin(const char *place, const StudySpec *spec, bool fork, int64_t *study, Err *err) {
  bool is_new;
  Store *s = store_make(place, spec, study, &is_new, err);
  if (!s || is_new) return s;
  Arena *a = arena_new();
  NextStudy next = {.made = {spec, study}};
  bool done;
  do {
    done = find_study(s, a, spec, fork, study, &next.newest, err);
    if (!done || *study) break;
    done = store_do(s, true, insert_next, &next) || give_reason(s, err);
  } while (done && !next.added);
  arena_free(a);
  if (done) return s;
  store_close(s);
  return NULL;
}
