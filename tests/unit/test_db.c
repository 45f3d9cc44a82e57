// The same laws for both databases.
#include "store/db.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/patience.h"
#include "postgres_trial.h"
#include "store/db_sqlite.h"
#include "test.h"

static PostgresTrial *server; // NULL: not installed

typedef struct Trial {
  bool postgresql;
  Arena *arena;
  char folder[64];
  const char *place;
  Db *a, *b; // two connections to the same database
} Trial;

static bool SQLITE = false, POSTGRESQL = true; // which one: the initial state of a test

static Db *opened(const char *place, bool create) {
  Err err = {0};
  Db *db = db_open(place, create, &err);
  if (!db) fail_msg("%s", err.text);
  return db;
}

static long run(Db *db, const char *sql, const DbValue *parameters, int count) {
  Err err = {0};
  long changed = -1;
  if (!db_run(db, sql, parameters, count, NULL, NULL, &changed, &err)) fail_msg("%s", err.text);
  assert_int_equal(db_trouble(db), DB_FINE);
  return changed;
}

static long run_plain(Db *db, const char *sql) {
  return run(db, sql, NULL, 0);
}

static int trial_begin(void **state) {
  Trial *t = calloc(1, sizeof *t);
  t->postgresql = *(bool *)*state;
  t->arena = arena_new();
  strcpy(t->folder, "/tmp/entrain-db-XXXXXX");
  if (!mkdtemp(t->folder)) return -1;
  *state = t;
  if (t->postgresql && !server) return 0;
  t->place = t->postgresql ? postgres_url(server) : arena_print(t->arena, "%s/x.db", t->folder);
  t->a = opened(t->place, true);
  t->b = opened(t->place, false);
  if (t->postgresql) {
    run_plain(t->a, "DROP SCHEMA public CASCADE");
    run_plain(t->a, "CREATE SCHEMA public");
  }
  return 0;
}

static int trial_end(void **state) {
  Trial *t = *state;
  if (getuid() == 0) assert_int_equal(seteuid(0), 0); // after a failure
  db_close(t->a);
  db_close(t->b);
  nftw(t->folder, postgres_remove_one, 16, FTW_DEPTH | FTW_PHYS);
  arena_free(t->arena);
  free(t);
  return 0;
}

static Trial *trial_of(void **state) {
  Trial *t = *state;
  if (!t->place) skip();
  return t;
}

// ---- helpers

static void assert_refused(Db *db, const char *sql, DbTrouble trouble) {
  Err err = {0};
  assert_false(db_run(db, sql, NULL, 0, NULL, NULL, NULL, &err));
  if (db_trouble(db) != trouble) fail_msg("trouble %d: %s", db_trouble(db), err.text);
  assert_int_equal(err.code, ERR_FILE);
  assert_true(err.text[0]);
}

typedef struct One { // the first row of a result
  Arena *arena;
  DbValue columns[8];
  int count, rows, most;
} One;

static bool keep(void *data, const DbValue *columns, int count) {
  One *one = data;
  assert_in_range(count, 1, 8);
  one->count = count;
  for (int i = 0; i < count && one->rows == 0; i++) {
    one->columns[i] = columns[i];
    if (columns[i].type == DB_TEXT || columns[i].type == DB_BYTES) {
      assert_int_equal(columns[i].bytes[columns[i].length], 0);
      one->columns[i].bytes = arena_copy(one->arena, columns[i].bytes, columns[i].length);
    }
  }
  return ++one->rows != one->most;
}

static One query(Trial *t, Db *db, const char *sql, const DbValue *parameters, int count) {
  Err err = {0};
  One one = {.arena = t->arena};
  long changed = -1;
  if (!db_run(db, sql, parameters, count, keep, &one, &changed, &err)) fail_msg("%s", err.text);
  return one;
}

static DbValue value(Trial *t, Db *db, const char *sql) {
  One one = query(t, db, sql, NULL, 0);
  assert_int_equal(one.rows, 1);
  return one.columns[0];
}

static int64_t number(Trial *t, Db *db, const char *sql) {
  DbValue v = value(t, db, sql);
  assert_int_equal(v.type, DB_INT);
  return v.integer;
}

static void begin(Db *db) {
  Err err = {0};
  if (!db_begin(db, &err)) fail_msg("%s", err.text);
}

static void commit(Db *db, bool durable) {
  Err err = {0};
  if (!db_commit(db, durable, &err)) fail_msg("%s", err.text);
}

static uint64_t random_bits(uint64_t *seed) { // splitmix64
  uint64_t z = (*seed += 0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// ---- values

static void reals_and_integers_keep_their_bits(void **state) {
  Trial *t = trial_of(state);
  const double huge = HUGE_VAL;
  const double REALS[] = {
      0,       -0.0,     1,    -1,    0.1,  1e308,      -1e308, 5e-324,
      -5e-324, 2.2e-308, huge, -huge, 1e15, -123456789, 9.0e18, 4503599627370497.5};
  static const int64_t INTEGERS[] = {0,   1,    -1,        INT64_MAX, INT64_MIN,
                                     127, -128, 1LL << 47, 1LL << 53};
  run_plain(t->a, "CREATE TABLE v (id {id}, r {real}, i {int})");
  uint64_t seed = 1;
  begin(t->a);
  for (int k = 0; k < 1000; k++) {
    uint64_t bits = random_bits(&seed);
    double r;
    memcpy(&r, &bits, sizeof r);
    if (k < (int)(sizeof REALS / sizeof *REALS)) r = REALS[k];
    if (isnan(r)) r = k;
    int64_t i = (int64_t)random_bits(&seed) >> (k % 64);
    if (k < (int)(sizeof INTEGERS / sizeof *INTEGERS)) i = INTEGERS[k];
    DbValue row[] = {db_int(k), db_real(r), db_int(i)};
    run(t->a, "INSERT INTO v (id, r, i) VALUES ($1, $2, $3)", row, 3);
    One back = query(t, t->a, "SELECT r, i FROM v WHERE id = $1", row, 1);
    assert_int_equal(back.count, 2);
    assert_int_equal(back.columns[0].type, DB_REAL);
    if (memcmp(&back.columns[0].real, &r, sizeof r) != 0)
      fail_msg("%a came back as %a", r, back.columns[0].real);
    assert_int_equal(back.columns[1].type, DB_INT);
    assert_true(back.columns[1].integer == i);
  }
  commit(t->a, true);
  assert_int_equal(number(t, t->b, "SELECT count(*) FROM v"), 1000);
}

static void texts_and_bytes_come_back_whole(void **state) {
  Trial *t = trial_of(state);
  static const char *const TEXTS[] = {"", "a", "it's \"quoted\" {now} $1 \\ %", "grüße 数 😀\n\t"};
  char bytes[70000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 31 % 256);
  static const size_t LENGTHS[] = {0, 1, 256, sizeof bytes};
  run_plain(t->a, "CREATE TABLE v (id {serial}, x {text}, y {bytes})");
  for (int i = 0; i < 4; i++) {
    DbValue row[] = {db_text(TEXTS[i]), db_bytes(bytes, LENGTHS[i])};
    One back = query(t, t->a, "INSERT INTO v (x, y) VALUES ($1, $2) RETURNING x, y, id", row, 2);
    assert_int_equal(back.columns[0].type, DB_TEXT);
    assert_string_equal(back.columns[0].bytes, TEXTS[i]);
    assert_int_equal(back.columns[0].length, strlen(TEXTS[i]));
    assert_int_equal(back.columns[1].type, DB_BYTES);
    assert_int_equal(back.columns[1].length, LENGTHS[i]);
    assert_memory_equal(back.columns[1].bytes, bytes, LENGTHS[i]);
    assert_int_equal(back.columns[2].integer, i + 1); // {serial} counts
  }
  DbValue nothing[] = {db_text("a"), db_bytes(NULL, 0)};
  assert_int_equal(run(t->a, "DELETE FROM v WHERE x = $1 OR y = $2", nothing, 2), 2);
}

static void null_comes_back_as_null(void **state) {
  Trial *t = trial_of(state);
  static const char SQL[] = "INSERT INTO v (i, r, x, y) VALUES ($1, $2, $3, $4)";
  run_plain(t->a, "CREATE TABLE v (i {int}, r {real}, x {text}, y {bytes})");
  DbValue nothing[] = {db_null(), db_null(), db_text(NULL), db_null()};
  DbValue something[] = {db_int(1), db_real(2), db_text("x"), db_bytes("y", 1)};
  DbValue mixed[] = {db_int(1), db_null(), db_text("x"), db_null()};
  assert_int_equal(run(t->a, SQL, nothing, 4), 1);
  assert_int_equal(run(t->a, SQL, something, 4), 1);
  assert_int_equal(run(t->a, SQL, mixed, 4), 1);
  One back = query(t, t->a, "SELECT i, r, x, y FROM v WHERE i IS NULL", NULL, 0);
  assert_int_equal(back.rows, 1);
  for (int i = 0; i < 4; i++) assert_int_equal(back.columns[i].type, DB_NULL);
  assert_true(isnan(db_as_real(&back.columns[1])));
  assert_int_equal(db_as_int(&back.columns[0]), 0);
  assert_string_equal(db_as_text(&back.columns[2]), "");
  assert_int_equal(number(t, t->a, "SELECT count(*) FROM v WHERE y IS NULL"), 2);
}

// The column decides: an integer in a column of reals is a real, and the other way round.
static void columns_keep_their_type(void **state) {
  Trial *t = trial_of(state);
  run_plain(t->a, "CREATE TABLE v (r {real}, i {int})");
  DbValue crossed[] = {db_int(3), db_real(4)}, straight[] = {db_real(3), db_int(4)};
  run(t->a, "INSERT INTO v VALUES ($1, $2)", crossed, 2);
  run(t->a, "INSERT INTO v VALUES ($1, $2)", straight, 2);
  assert_int_equal(number(t, t->a, "SELECT count(*) FROM v WHERE r = 3 AND i = 4"), 2);
  One back = query(t, t->a, "SELECT r, i FROM v", NULL, 0);
  assert_int_equal(back.columns[0].type, DB_REAL);
  assert_int_equal(back.columns[1].type, DB_INT);
  assert_close(db_as_real(&back.columns[1]), 4, 0);
  assert_int_equal(db_as_int(&back.columns[0]), 3);
}

// ---- statements

static void parameters_go_by_their_numbers(void **state) {
  Trial *t = trial_of(state);
  run_plain(t->a, "CREATE TABLE v (i {int}, j {int}, k {int})");
  DbValue two[] = {db_int(1), db_int(2)};
  run(t->a, "INSERT INTO v (i, j, k) VALUES ($2, $1, $2)", two, 2);
  assert_int_equal(number(t, t->a, "SELECT i * 100 + j * 10 + k FROM v"), 212);
}

static void words_in_braces_become_those_of_the_database(void **state) {
  Trial *t = trial_of(state);
  DbValue now = value(t, t->a, "SELECT {now}");
  assert_int_equal(now.type, DB_REAL);
  assert_close(now.real, (double)time(NULL), 60);
  assert_int_equal(number(t, t->a, "SELECT {least}(3, 2) * 10 + {most}(3, 2)"), 23);
  DbValue quoted = value(t, t->a, "SELECT '{now} $1 it''s' AS \"{least}\"");
  assert_string_equal(quoted.bytes, "{now} $1 it's");
  assert_refused(t->a, "SELECT {nothing}", DB_WRONG);
  assert_refused(t->a, "SELECT {now", DB_WRONG);
}

static void changed_counts_what_was_changed(void **state) {
  Trial *t = trial_of(state);
  static const char INSERT[] = "INSERT INTO v VALUES ($1, 0) ON CONFLICT DO NOTHING";
  assert_int_equal(run_plain(t->a, "CREATE TABLE v (id {id}, i {int})"), 0);
  for (int k = 0; k < 10; k++) {
    DbValue id = db_int(k / 2);
    assert_int_equal(run(t->a, INSERT, &id, 1), k % 2 == 0);
  }
  assert_int_equal(run_plain(t->a, "SELECT * FROM v"), 0);
  assert_int_equal(run_plain(t->a, "UPDATE v SET i = 1 WHERE id < 3"), 3);
  assert_int_equal(run_plain(t->a, "UPDATE v SET i = 1 WHERE id > 30"), 0);
  assert_int_equal(run_plain(t->a, "INSERT INTO v VALUES (4, 7) ON CONFLICT (id) "
                                   "DO UPDATE SET i = excluded.i RETURNING i"),
                   1);
  assert_int_equal(run_plain(t->a, "DELETE FROM v WHERE i = 0"), 1);
  assert_int_equal(run_plain(t->a, "CREATE INDEX v_i ON v (i)"), 0);
  assert_int_equal(run_plain(t->a, "DROP TABLE v"), 0);
}

static void reading_ends_when_the_reader_says_so(void **state) {
  Trial *t = trial_of(state);
  static const char SQL[] = "INSERT INTO v SELECT i + $1 FROM v RETURNING i";
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (i {int})");
  run_plain(t->a, "INSERT INTO v VALUES (0), (1), (2), (3)");
  for (int most = 1; most < 4; most++) {
    One one = {.arena = t->arena, .most = most};
    assert_true(db_run(t->a, "SELECT i FROM v ORDER BY i", NULL, 0, keep, &one, NULL, &err));
    assert_int_equal(one.rows, most);
    assert_int_equal(one.columns[0].integer, 0);
  }
  // All is done, whatever is read of it.
  One one = {.arena = t->arena, .most = 1};
  DbValue ten = db_int(10);
  long changed;
  assert_true(db_run(t->a, SQL, &ten, 1, keep, &one, &changed, &err));
  assert_int_equal(changed, 4);
  assert_int_equal(number(t, t->b, "SELECT count(*) FROM v"), 8);
}

static void a_wrong_statement_is_named_and_harms_nothing(void **state) {
  Trial *t = trial_of(state);
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (i {int} UNIQUE)");
  assert_false(db_run(t->a, "SELECT colour FROM v", NULL, 0, NULL, NULL, NULL, &err));
  assert_int_equal(db_trouble(t->a), DB_WRONG);
  assert_non_null(strstr(err.text, "colour"));
  assert_non_null(strstr(err.text, t->place));
  assert_refused(t->a, "SELECT \"text\"", DB_WRONG); // a name in both
  assert_refused(t->a, "SELECT 1; SELECT 2", DB_WRONG);
  assert_refused(t->a, "SELECT $1", DB_WRONG); // which has no value
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  assert_refused(t->a, "INSERT INTO v VALUES (1)", DB_WRONG);
  assert_int_equal(number(t, t->a, "SELECT i FROM v;"), 1);
}

static void statements_are_kept_and_many_do_no_harm(void **state) {
  Trial *t = trial_of(state);
  run_plain(t->a, "CREATE TABLE v (i {int})");
  for (int k = 0; k < 1200; k++)
    assert_int_equal(number(t, t->a, arena_print(t->arena, "SELECT %d + count(*) FROM v", k)), k);
  // One text with values of several types.
  DbValue values[] = {db_int(5), db_real(5), db_null(), db_int(6)};
  for (int i = 0; i < 8; i++) run(t->a, "INSERT INTO v (i) VALUES ($1)", &values[i % 4], 1);
  assert_int_equal(number(t, t->a, "SELECT count(i) FROM v"), 6);
  // A table of the same name with other columns.
  run_plain(t->a, "DROP TABLE v");
  run_plain(t->a, "CREATE TABLE v (j {text}, i {int})");
  run(t->a, "INSERT INTO v (i) VALUES ($1)", values, 1);
  assert_int_equal(number(t, t->a, "SELECT count(i) FROM v"), 1);
}

// ---- transactions

static void a_rollback_leaves_nothing_and_a_commit_all(void **state) {
  Trial *t = trial_of(state);
  run_plain(t->a, "CREATE TABLE v (i {int})");
  for (int durable = 0; durable < 2; durable++) {
    begin(t->a);
    run_plain(t->a, "INSERT INTO v VALUES (1)");
    assert_int_equal(number(t, t->b, "SELECT count(*) FROM v"), durable);
    db_rollback(t->a);
    assert_int_equal(number(t, t->a, "SELECT count(*) FROM v"), durable);
    begin(t->a);
    run_plain(t->a, "INSERT INTO v VALUES (1)");
    assert_int_equal(number(t, t->b, "SELECT count(*) FROM v"), durable);
    commit(t->a, durable);
    assert_int_equal(number(t, t->b, "SELECT count(*) FROM v"), durable + 1);
  }
  db_rollback(t->a); // nothing to do
  begin(t->a);
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  db_close(t->a); // as a rollback
  t->a = NULL;
  assert_int_equal(number(t, t->b, "SELECT count(*) FROM v"), 2);
}

static void after_a_failure_only_a_rollback_helps(void **state) {
  Trial *t = trial_of(state);
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (i {int} UNIQUE)");
  begin(t->a);
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  assert_refused(t->a, "INSERT INTO v VALUES (1)", DB_WRONG);
  assert_refused(t->a, "INSERT INTO v VALUES (2)", DB_WRONG);
  assert_false(db_commit(t->a, true, &err));
  assert_int_equal(db_trouble(t->a), DB_WRONG);
  assert_true(err.text[0]);
  db_rollback(t->a);
  assert_int_equal(db_trouble(t->a), DB_WRONG); // why it was rolled back
  assert_int_equal(number(t, t->a, "SELECT count(*) FROM v"), 0);
  begin(t->a);
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  commit(t->a, false);
  assert_int_equal(number(t, t->b, "SELECT count(*) FROM v"), 1);
}

// What holds the lock does so for longer than the other one has patience (SQLite) or wants to wait (PostgreSQL).
static void a_lock_that_is_held_is_busy(void **state) {
  Trial *t = trial_of(state);
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (i {int})");
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  begin(t->a);
  run_plain(t->a, "UPDATE v SET i = 2");
  if (t->postgresql) {
    run_plain(t->b, "SET lock_timeout = '20ms'");
    begin(t->b);
    assert_refused(t->b, "UPDATE v SET i = 3", DB_BUSY);
    db_rollback(t->b);
  } else {
    Patience p = {.until = patience_until(0.05)};
    patience_begin(&p);
    assert_false(db_begin(t->b, &err));
    patience_end(&p);
    assert_int_equal(db_trouble(t->b), DB_BUSY);
  }
  assert_int_equal(number(t, t->b, "SELECT i FROM v"), 1); // reading is never in the way
  commit(t->a, false);
  begin(t->b);
  run_plain(t->b, "UPDATE v SET i = i + 10");
  commit(t->b, false);
  assert_int_equal(number(t, t->a, "SELECT i FROM v"), 12);
}

static void locked_rows_are_left_to_others(void **state) {
  Trial *t = trial_of(state);
  static const char TAKE[] = "SELECT i FROM v WHERE i > 0 ORDER BY i LIMIT 1 {skip}";
  run_plain(t->a, "CREATE TABLE v (i {int})");
  run_plain(t->a, "INSERT INTO v VALUES (1), (2)");
  begin(t->a);
  assert_int_equal(number(t, t->a, TAKE), 1);
  run_plain(t->a, "UPDATE v SET i = -1 WHERE i = 1");
  if (t->postgresql) {
    begin(t->b);
    assert_int_equal(number(t, t->b, TAKE), 2);
    commit(t->b, false);
  }
  commit(t->a, false);
  assert_int_equal(number(t, t->b, TAKE), 2);
}

enum { WRITERS = 4, ADDITIONS = 50 };

static void *add_often(void *place) {
  Err err = {0};
  Db *db = db_open(place, false, &err);
  for (int done = 0; db && done < ADDITIONS;) {
    bool sound = db_begin(db, &err) &&
                 db_run(db, "UPDATE v SET i = i + 1", NULL, 0, NULL, NULL, NULL, &err) &&
                 db_commit(db, false, &err);
    if (!sound) db_rollback(db);
    if (!sound && db_trouble(db) != DB_BUSY) break;
    done += sound;
  }
  db_close(db);
  return NULL;
}

static void no_writer_overwrites_another(void **state) {
  Trial *t = trial_of(state);
  pthread_t threads[WRITERS];
  run_plain(t->a, "CREATE TABLE v (i {int})");
  run_plain(t->a, "INSERT INTO v VALUES (0)");
  for (int i = 0; i < WRITERS; i++) pthread_create(&threads[i], NULL, add_often, (void *)t->place);
  for (int i = 0; i < WRITERS; i++) pthread_join(threads[i], NULL);
  assert_int_equal(number(t, t->a, "SELECT i FROM v"), WRITERS * ADDITIONS);
}

static void many_rows_are_appended(void **state) {
  Trial *t = trial_of(state);
  enum { ROWS = 100000, EACH = 1000, COLUMNS = 3 };
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (id {serial}, i {int}, r {real}, x {text})");
  DbValue *rows = ARENA_ARRAY(t->arena, DbValue, COLUMNS * EACH);
  for (int k = 0; k < ROWS; k++) {
    DbValue *row = rows + COLUMNS * (k % EACH);
    row[0] = db_int(k);
    row[1] = k % 3 == 0 ? db_null() : db_real(1.0 / k);
    row[2] = db_text(k % 7 == 0 ? NULL : "a text");
    if (k % EACH < EACH - 1) continue;
    long changed;
    begin(t->a);
    if (!db_run_many(t->a, "INSERT INTO v (i, r, x) VALUES ($1, $2, $3)", rows, COLUMNS, EACH,
                     &changed, &err))
      fail_msg("%s", err.text);
    assert_int_equal(changed, EACH);
    commit(t->a, false);
  }
  One all = query(t, t->b, "SELECT id, i, r FROM v ORDER BY id", NULL, 0);
  assert_int_equal(all.rows, ROWS);
  assert_int_equal(number(t, t->b, "SELECT count(*) FROM v WHERE id = i + 1"), ROWS);
}

// One wrong row of many: none is kept.
static void many_rows_are_all_or_none(void **state) {
  Trial *t = trial_of(state);
  enum { ROWS = 700 };
  static const char SQL[] = "INSERT INTO v VALUES ($1)";
  Err err = {0};
  long changed;
  DbValue rows[ROWS];
  run_plain(t->a, "CREATE TABLE v (id {id})");
  for (int wrong = 1; wrong < ROWS; wrong += 233) {
    for (int i = 0; i < ROWS; i++) rows[i] = db_int(i == wrong ? 0 : i);
    begin(t->a);
    err = (Err){0};
    assert_false(db_run_many(t->a, SQL, rows, 1, ROWS, NULL, &err));
    assert_int_equal(db_trouble(t->a), DB_WRONG);
    assert_non_null(strstr(err.text, "INSERT INTO v"));
    assert_refused(t->a, "SELECT 1", DB_WRONG);
    db_rollback(t->a);
    assert_int_equal(number(t, t->a, "SELECT count(*) FROM v"), 0);
  }
  begin(t->a);
  assert_true(db_run_many(t->a, SQL, rows, 1, 0, &changed, &err));
  assert_int_equal(changed, 0);
  run_plain(t->a, "INSERT INTO v VALUES (1000)");
  commit(t->a, false);
  assert_int_equal(number(t, t->b, "SELECT count(*) FROM v"), 1);
}

// ---- waiting

typedef struct Teller {
  Db *db;
  double after; // s
} Teller;

static void *tell_later(void *data) {
  const Teller *teller = data;
  Err err = {0};
  postgres_pause(teller->after);
  bool told = db_begin(teller->db, &err) &&
              db_run(teller->db, "INSERT INTO v VALUES (1)", NULL, 0, NULL, NULL, NULL, &err) &&
              db_notify(teller->db, &err) && db_commit(teller->db, false, &err);
  return told ? data : NULL;
}

static void who_waits_hears_of_a_change(void **state) {
  Trial *t = trial_of(state);
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (i {int})");
  if (!t->postgresql) assert_true(db_wait(t->b, 20)); // it was made since db_open
  assert_false(db_wait(t->b, 0));
  assert_false(db_wait(t->b, 0.03));
  pthread_t thread;
  Teller teller = {t->a, 0.1};
  void *told;
  pthread_create(&thread, NULL, tell_later, &teller);
  bool heard = db_wait(t->b, 20);
  pthread_join(thread, &told);
  assert_non_null(told);
  assert_true(heard);
  assert_int_equal(number(t, t->b, "SELECT count(*) FROM v"), 1); // it was committed before
  assert_false(db_wait(t->b, 0.03));                              // heard once
  // One's own changes are no news, and what happened before the waiting is.
  begin(t->b);
  run_plain(t->b, "INSERT INTO v VALUES (2)");
  assert_true(db_notify(t->b, &err));
  commit(t->b, false);
  run_plain(t->b, "SELECT 1");
  assert_false(db_wait(t->b, 0.03));
  assert_true(db_wait(t->a, 20));
  assert_false(db_wait(t->a, 0));
}

static bool counts(void *data) {
  return --*(int *)data >= 0;
}

static void waiting_ends_with_patience(void **state) {
  Trial *t = trial_of(state);
  db_wait(t->b, 0);
  int answers = 3;
  Patience p = {.goes_on = counts, .data = &answers};
  patience_begin(&p);
  assert_false(db_wait(t->b, 1e6));
  assert_int_equal(answers, -1);
  // What takes no time is still possible.
  assert_int_equal(number(t, t->b, "SELECT 1"), 1);
  patience_end(&p);
}

// ---- files

static void assert_not_opened(const char *place, bool create, const char *sentence) {
  Err err = {0};
  assert_null(db_open(place, create, &err));
  assert_int_equal(err.code, ERR_FILE);
  if (!strstr(err.text, place) || !strstr(err.text, sentence)) fail_msg("%s", err.text);
}

static const char *in(Trial *t, const char *name) {
  return arena_print(t->arena, "%s/%s", t->folder, name);
}

static void what_is_no_database_is_refused_in_words(void **state) {
  Trial *t = trial_of(state);
  Err err = {0};
  char text[5000];
  memset(text, 'x', sizeof text);
  assert_true(file_write(in(t, "text"), text, sizeof text, false, &err));
  assert_not_opened(in(t, "none.db"), false, "No such file");
  assert_not_opened(in(t, "none/x.db"), true, "No such file");
  assert_not_opened(t->place, true, "exists already");
  assert_not_opened(t->folder, false, "is not a file");
  assert_not_opened(in(t, "text"), false, "is not an SQLite database");
  assert_int_equal(access(in(t, "none.db"), F_OK), -1);
  // Names that SQLite takes for something else.
  assert_int_equal(chdir(t->folder), 0);
  db_close(opened(":memory:", true));
  db_close(opened("file:a?b#c d%20e", true));
  assert_int_equal(access(in(t, ":memory:"), F_OK) | access(in(t, "file:a?b#c d%20e"), F_OK), 0);
  assert_int_equal(chdir("/"), 0);
}

static void a_file_that_is_damaged_later_is_damaged(void **state) {
  Trial *t = trial_of(state);
  char text[20000];
  memset(text, 'x', sizeof text);
  run_plain(t->a, "CREATE TABLE v (i {int})");
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  db_close(t->b);
  db_close(t->a); // the log is now in the file
  FILE *f = fopen(t->place, "r+");
  assert_int_equal(fseek(f, 4096, SEEK_SET), 0);
  assert_int_equal(fwrite(text, 1, 4096, f), 4096);
  fclose(f);
  t->a = opened(t->place, false);
  t->b = NULL;
  assert_refused(t->a, "SELECT * FROM v", DB_DAMAGED);
}

static void a_full_disk_is_full(void **state) {
  Trial *t = trial_of(state);
  static const char zeros[100000];
  DbValue large = db_bytes(zeros, sizeof zeros);
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (b {bytes})");
  run_plain(t->a, "PRAGMA max_page_count = 10");
  begin(t->a);
  assert_false(db_run(t->a, "INSERT INTO v VALUES ($1)", &large, 1, NULL, NULL, NULL, &err));
  assert_int_equal(db_trouble(t->a), DB_FULL);
  db_rollback(t->a);
  assert_int_equal(number(t, t->a, "SELECT count(*) FROM v"), 0);
}

// Root may write everything: somebody else tries it.
static void with_little_rights(uid_t user) {
  if (geteuid() == 0 || user == 0) assert_int_equal(seteuid(user), 0);
}

static void assert_only_readable(Trial *t) {
  Err err = {0};
  t->a = opened(t->place, false);
  assert_int_equal(number(t, t->a, "SELECT i FROM v"), 1);
  assert_refused(t->a, "INSERT INTO v VALUES (2)", DB_READ_ONLY);
  if (db_begin(t->a, &err)) assert_refused(t->a, "INSERT INTO v VALUES (2)", DB_READ_ONLY);
  assert_int_equal(db_trouble(t->a), DB_READ_ONLY);
  db_rollback(t->a);
  assert_int_equal(number(t, t->a, "SELECT count(*) FROM v"), 1);
  assert_false(db_wait(t->a, 0));
}

// The file; the file and the folder beside a log that another one has left; the same without a log.
static void what_cannot_be_written_can_be_read(void **state) {
  Trial *t = trial_of(state);
  bool root = geteuid() == 0;
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (i {int})");
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  for (int part = 0; part < 3; part++) {
    db_close(t->a);
    db_close(t->b);
    t->a = t->b = NULL;
    if (part == 2) {
      unlink(in(t, "x.db-wal"));
      unlink(in(t, "x.db-shm"));
    }
    assert_int_equal(chmod(t->place, 0444) | chmod(t->folder, part ? 0555 : 0777), 0);
    with_little_rights(65534);
    assert_only_readable(t);
    if (root) with_little_rights(0);
    assert_int_equal(chmod(t->folder, 0777), 0);
  }
  // Another one, who may, writes.
  assert_int_equal(chmod(t->place, 0666), 0);
  t->b = opened(t->place, false);
  run_plain(t->b, "INSERT INTO v VALUES (2)");
  assert_true(db_wait(t->a, 20));
  assert_int_equal(db_trouble(t->a), DB_LOST);
  assert_true(db_reconnect(t->a, &err));
  assert_int_equal(number(t, t->a, "SELECT count(*) FROM v"), 2);
}

static void a_file_that_is_gone_is_lost(void **state) {
  Trial *t = trial_of(state);
  const char *other = in(t, "other.db");
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (i {int})");
  assert_int_equal(rename(t->place, other), 0);
  assert_refused(t->a, "INSERT INTO v VALUES (1)", DB_LOST);
  assert_false(db_begin(t->a, &err));
  assert_int_equal(db_trouble(t->a), DB_LOST);
  err = (Err){0};
  assert_false(db_reconnect(t->a, &err));
  assert_int_equal(db_trouble(t->a), DB_LOST);
  assert_refused(t->a, "INSERT INTO v VALUES (1)", DB_LOST);
  assert_int_equal(rename(other, t->place), 0);
  err = (Err){0};
  assert_true(db_reconnect(t->a, &err));
  run_plain(t->a, "INSERT INTO v VALUES (1)");
}

static void network_file_systems_are_known(void **state) {
  (void)state;
  static const struct {
    long f_type;
    const char *name;
  } KNOWN[] = {
      {0x6969, "NFS"},     {0xFF534D42, "CIFS"},   {0xFE534D42, "SMB2"},
      {0x517B, "SMB"},     {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"},
      {0x5346414F, "AFS"}, {0x00C36400, "Ceph"},   {(int32_t)0xFF534D42, "CIFS"}, // with its sign
      {0xEF53, NULL},      {0x58465342, NULL},     {0x9123683E, NULL}, // ext4, XFS, Btrfs
      {0x01021994, NULL},  {0x794C7630, NULL},     {0x2FC12FC1, NULL}, // tmpfs, overlay, ZFS
      {0x65735546, NULL}};                                             // FUSE
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
    const char *name = sqlite_network_name(KNOWN[i].f_type, NULL);
    assert_true((name != NULL) == (KNOWN[i].name != NULL));
    if (name) assert_string_equal(name, KNOWN[i].name);
  }
  assert_string_equal(sqlite_network_name(0x65735546, "fuse.sshfs"), "sshfs");
  assert_null(sqlite_network_name(0x65735546, "fuse.ntfs-3g"));
  assert_null(sqlite_network_name(0x65735546, "fuseblk"));
}

// ---- PostgreSQL

static void a_url_is_known_by_its_beginning(void **state) {
  (void)state;
  assert_true(db_is_url("postgresql://h/d") && db_is_url("postgres://h/d"));
  assert_false(db_is_url("postgresql.db") || db_is_url("/postgres://h/d") || db_is_url(""));
}

static void assert_password_refused(const char *url) {
  Err err = {0};
  assert_null(db_open(url, false, &err));
  if (strstr(err.text, "s3cret") || !strstr(err.text, ".pgpass")) fail_msg("%s", err.text);
}

static void a_password_is_refused_and_never_shown(void **state) {
  (void)state;
  static const char *const URLS[] = {"postgresql://me:s3cret@host/d",
                                     "postgres://me:s3cret@host:5432/d?sslmode=require",
                                     "postgresql://host/d?password=s3cret",
                                     "postgresql://host/d?a=b&password=s3cret",
                                     "postgresql://host/d?sslpassword=s3cret",
                                     "postgresql://me:x/s3cret@host/d",
                                     "postgresql://me:x?s3cret@host/d",
                                     "postgresql://me:x@s3cret@host/d",
                                     "postgresql://:s3cret@host",
                                     "postgresql://me:x%20s3cret@host/d",
                                     "postgresql://me:#s3cret@host/d"};
  for (size_t i = 0; i < sizeof URLS / sizeof *URLS; i++) assert_password_refused(URLS[i]);
}

// Only libpq finds it, however it is written.
static void a_hidden_password_is_refused_too(void **state) {
  trial_of(state);
  assert_password_refused("postgresql://host/d?pass%77ord=s3cret");
}

static void what_cannot_be_reached_is_named(void **state) {
  Trial *t = trial_of(state);
  const char *nobody =
      arena_print(t->arena, "postgresql://postgres@127.0.0.1:%d/postgres", postgres_free_port());
  assert_not_opened(nobody, false, "refused");
  assert_not_opened(arena_print(t->arena, "%sx", t->place), false, "does not exist");
  assert_not_opened("postgresql://h/d?colour=red", false, "colour");
}

static void other_types_are_read_or_named(void **state) {
  Trial *t = trial_of(state);
  One back = query(t, t->a,
                   "SELECT 7::int2, -7::int4, true, false, 0.5::float4, 'a'::varchar(3), "
                   "'n'::name, 'u'",
                   NULL, 0);
  static const int64_t INTEGERS[] = {7, -7, 1, 0};
  for (int i = 0; i < 4; i++) assert_int_equal(back.columns[i].integer, INTEGERS[i]);
  assert_close(back.columns[4].real, 0.5, 0);
  assert_string_equal(back.columns[5].bytes, "a");
  assert_string_equal(back.columns[6].bytes, "n");
  assert_string_equal(back.columns[7].bytes, "u");
  Err err = {0};
  One one = {.arena = t->arena};
  assert_false(db_run(t->a, "SELECT 1, 1.5", NULL, 0, keep, &one, NULL, &err));
  assert_non_null(strstr(err.text, "column 2"));
  assert_int_equal(one.rows, 0);
  DbValue nan = db_real((double)NAN);
  back = query(t, t->a, "SELECT $1", &nan, 1);
  assert_true(back.columns[0].type == DB_REAL && isnan(back.columns[0].real));
}

static void what_another_transaction_forestalls_is_busy(void **state) {
  Trial *t = trial_of(state);
  run_plain(t->a, "CREATE TABLE v (i {int})");
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  run_plain(t->a, "BEGIN ISOLATION LEVEL REPEATABLE READ");
  run_plain(t->a, "SELECT * FROM v");
  run_plain(t->b, "UPDATE v SET i = 2");
  assert_refused(t->a, "UPDATE v SET i = 3", DB_BUSY); // serialization
  run_plain(t->a, "ROLLBACK");
}

static void *lock_both(void *data) {
  Db *db = data;
  Err err = {0};
  bool done = db_run(db, "UPDATE v SET i = i + 1 WHERE id = 2", NULL, 0, NULL, NULL, NULL, &err) &&
              db_run(db, "UPDATE v SET i = i + 1 WHERE id = 1", NULL, 0, NULL, NULL, NULL, &err);
  DbTrouble trouble = db_trouble(db);
  db_rollback(db);
  return done || trouble == DB_BUSY ? data : NULL;
}

static void a_deadlock_is_busy(void **state) {
  Trial *t = trial_of(state);
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (id {id}, i {int})");
  run_plain(t->a, "INSERT INTO v VALUES (1, 0), (2, 0)");
  begin(t->a);
  run_plain(t->a, "UPDATE v SET i = i + 1 WHERE id = 1");
  pthread_t thread;
  void *sound;
  begin(t->b);
  pthread_create(&thread, NULL, lock_both, t->b);
  postgres_pause(0.02);
  bool done = db_run(t->a, "UPDATE v SET i = i + 1 WHERE id = 2", NULL, 0, NULL, NULL, NULL, &err);
  DbTrouble trouble = db_trouble(t->a);
  db_rollback(t->a);
  pthread_join(thread, &sound);
  assert_non_null(sound);
  assert_true(done || trouble == DB_BUSY);
}

static void a_server_that_does_not_write_is_read_only(void **state) {
  Trial *t = trial_of(state);
  run_plain(t->a, "CREATE TABLE v (i {int})");
  run_plain(t->a, "SET default_transaction_read_only = on");
  assert_refused(t->a, "INSERT INTO v VALUES (1)", DB_READ_ONLY);
}

static void a_query_ends_soon_after_patience(void **state) {
  Trial *t = trial_of(state);
  Err err = {0};
  int answers = 1;
  Patience p = {.goes_on = counts, .data = &answers};
  patience_begin(&p);
  run_plain(t->a, "SELECT pg_sleep(0.1)"); // it is over in the middle of it
  assert_false(patience_asks());
  assert_refused(t->a, "SELECT pg_sleep(1000)", DB_LOST);
  patience_end(&p);
  assert_refused(t->a, "SELECT 1", DB_LOST);
  assert_true(db_reconnect(t->a, &err));
  assert_int_equal(number(t, t->a, "SELECT 1"), 1);
}

static void a_connection_that_the_server_ends_is_lost(void **state) {
  Trial *t = trial_of(state);
  Err err = {0};
  static const char END[] = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                            "application_name = 'entrain' AND pid <> pg_backend_pid()";
  run_plain(t->a, "CREATE TABLE v (i {int})");
  begin(t->a);
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  run_plain(t->b, END);
  assert_false(db_commit(t->a, true, &err));
  assert_int_equal(db_trouble(t->a), DB_LOST);
  db_rollback(t->a);
  assert_int_equal(db_trouble(t->a), DB_LOST);
  assert_false(db_wait(t->a, 0.03)); // only waits
  assert_true(db_reconnect(t->a, &err));
  assert_true(db_wait(t->a, 20)); // it may have missed something
  assert_int_equal(number(t, t->a, "SELECT count(*) FROM v"), 0);
  // One that waits sees it, too.
  run_plain(t->b, END);
  assert_true(db_wait(t->a, 20));
  assert_int_equal(db_trouble(t->a), DB_LOST);
}

static void a_server_that_comes_back_is_found_again(void **state) {
  Trial *t = trial_of(state);
  Err err = {0};
  run_plain(t->a, "CREATE TABLE v (i {int})");
  begin(t->a);
  run_plain(t->a, "INSERT INTO v VALUES (1)");
  commit(t->a, true);
  begin(t->a);
  run_plain(t->a, "INSERT INTO v VALUES (2)");
  postgres_kill(server);
  assert_refused(t->a, "INSERT INTO v VALUES (3)", DB_LOST);
  db_rollback(t->a);
  assert_false(db_reconnect(t->a, &err));
  assert_int_equal(db_trouble(t->a), DB_LOST);
  assert_non_null(strstr(err.text, t->place));
  assert_refused(t->b, "SELECT 1", DB_LOST);
  assert_true(postgres_start_again(server));
  err = (Err){0};
  if (!db_reconnect(t->a, &err)) fail_msg("%s", err.text);
  assert_int_equal(number(t, t->a, "SELECT count(*) FROM v"), 1);
  run_plain(t->a, "INSERT INTO v VALUES (2)"); // a statement that was prepared before
}

// ----

static int start_server(void **state) {
  (void)state;
  server = postgres_start();
  return 0;
}

static int stop_server(void **state) {
  (void)state;
  postgres_stop(server);
  return 0;
}

#define IN(database, law)                                                                          \
  { #law " (" #database ")", law, trial_begin, trial_end, &database }
#define IN_BOTH(law) IN(SQLITE, law), IN(POSTGRESQL, law)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_BOTH(reals_and_integers_keep_their_bits),
      IN_BOTH(texts_and_bytes_come_back_whole),
      IN_BOTH(null_comes_back_as_null),
      IN_BOTH(columns_keep_their_type),
      IN_BOTH(parameters_go_by_their_numbers),
      IN_BOTH(words_in_braces_become_those_of_the_database),
      IN_BOTH(changed_counts_what_was_changed),
      IN_BOTH(reading_ends_when_the_reader_says_so),
      IN_BOTH(a_wrong_statement_is_named_and_harms_nothing),
      IN_BOTH(statements_are_kept_and_many_do_no_harm),
      IN_BOTH(a_rollback_leaves_nothing_and_a_commit_all),
      IN_BOTH(after_a_failure_only_a_rollback_helps),
      IN_BOTH(a_lock_that_is_held_is_busy),
      IN_BOTH(locked_rows_are_left_to_others),
      IN_BOTH(no_writer_overwrites_another),
      IN_BOTH(many_rows_are_appended),
      IN_BOTH(many_rows_are_all_or_none),
      IN_BOTH(who_waits_hears_of_a_change),
      IN_BOTH(waiting_ends_with_patience),
      IN(SQLITE, what_is_no_database_is_refused_in_words),
      IN(SQLITE, a_file_that_is_damaged_later_is_damaged),
      IN(SQLITE, a_full_disk_is_full),
      IN(SQLITE, what_cannot_be_written_can_be_read),
      IN(SQLITE, a_file_that_is_gone_is_lost),
      cmocka_unit_test(network_file_systems_are_known),
      cmocka_unit_test(a_url_is_known_by_its_beginning),
      cmocka_unit_test(a_password_is_refused_and_never_shown),
      IN(POSTGRESQL, a_hidden_password_is_refused_too),
      IN(POSTGRESQL, what_cannot_be_reached_is_named),
      IN(POSTGRESQL, other_types_are_read_or_named),
      IN(POSTGRESQL, what_another_transaction_forestalls_is_busy),
      IN(POSTGRESQL, a_deadlock_is_busy),
      IN(POSTGRESQL, a_server_that_does_not_write_is_read_only),
      IN(POSTGRESQL, a_query_ends_soon_after_patience),
      IN(POSTGRESQL, a_connection_that_the_server_ends_is_lost),
      IN(POSTGRESQL, a_server_that_comes_back_is_found_again),
  };
  return cmocka_run_group_tests(tests, start_server, stop_server);
}
