// The tables of a store are made whole, and a database that has others is refused in words.
#include "store/schema.h"

#include "store_trial.h"
#include "test.h"

static const char *const TABLES[] = {
#define TABLE(name, columns) #name,
#include "store/schema.def"
};

static Db *opened(const StoreTrial *t) {
  Err err = {0};
  Db *db = db_open(t->place, !t->postgresql, &err);
  if (!db) fail_msg("%s", err.text);
  return db;
}

static void run(Db *db, const char *statement) {
  Err err = {0};
  if (!db_run(db, statement, NULL, 0, NULL, NULL, NULL, &err)) fail_msg("%s", err.text);
}

static void make(Db *db) {
  Err err = {0};
  if (!db_begin(db, &err) || !schema_make(db, &err) || !db_commit(db, true, &err))
    fail_msg("%s", err.text);
}

static bool is_there(Db *db) {
  Err err = {0};
  bool there = false;
  if (!schema_is_there(db, &there, &err)) fail_msg("%s", err.text);
  return there;
}

static void all_tables_are_made(void **state) {
  StoreTrial *t = trial_of(state);
  Db *db = opened(t);
  Err err = {0};
  assert_false(is_there(db));
  make(db);
  assert_true(is_there(db));
  assert_true(schema_check(db, t->place, &err));
  for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
    double rows = nan("");
    const char *count = arena_print(t->arena, "SELECT count(*) FROM %s", TABLES[i]);
    if (!db_run(db, count, NULL, 0, take_value, &rows, NULL, &err)) fail_msg("%s", err.text);
    assert_close(rows, strcmp(TABLES[i], "meta") == 0, 0);
  }
  db_close(db);
}

static void tables_are_all_or_none(void **state) {
  StoreTrial *t = trial_of(state);
  Db *db = opened(t);
  Err err = {0};
  run(db, "CREATE TABLE tally (i {int})"); // somebody else's
  assert_true(db_begin(db, &err));
  assert_false(schema_make(db, &err));
  assert_non_null(strstr(err.text, "tally"));
  db_rollback(db);
  assert_false(is_there(db));
  db_close(db);
}

static void keys_keep_questions_and_jobs_apart(void **state) {
  StoreTrial *t = trial_of(state);
  static const char *const TWICE[] = {
      "INSERT INTO job (id, first, runs, seconds, worker, answer) VALUES (5, 0, 1, 0.0, 1, $1)",
      "INSERT INTO tally (study, item, word, runs) VALUES (1, 2, 'x', 3)",
      "INSERT INTO loss (study, item, job, why) VALUES (1, 2, 3, 'x')",
      "INSERT INTO best (study, rank, job) VALUES (1, 1, 7)",
      "INSERT INTO file (study, path, kind, closed, digest) VALUES (1, 'a', 1, 0, '')",
  };
  Db *db = opened(t);
  make(db);
  DbValue answer = db_bytes("x", 1);
  for (int i = 0; i < 5; i++) {
    Err err = {0};
    int count = i == 0;
    assert_true(db_run(db, TWICE[i], &answer, count, NULL, NULL, NULL, &err));
    assert_false(db_run(db, TWICE[i], &answer, count, NULL, NULL, NULL, &err));
  }
  db_close(db);
}

static void another_version_is_refused_in_words(void **state) {
  StoreTrial *t = trial_of(state);
  Db *db = opened(t);
  Err err = {0};
  make(db);
  run(db, "UPDATE meta SET value = '77'");
  assert_false(schema_check(db, "here.db", &err));
  assert_int_equal(err.code, ERR_FILE);
  assert_non_null(strstr(err.text, "'here.db' has version 77"));
  assert_non_null(strstr(err.text, "reads version 1"));
  db_close(db);
}

static void a_database_of_somebody_else_is_no_store(void **state) {
  StoreTrial *t = trial_of(state);
  Db *db = opened(t);
  for (int meta = 0; meta < 2; meta++) { // also with a table of that name
    Err err = {0};
    if (meta) run(db, "CREATE TABLE meta (name {text}, value {text})");
    assert_int_equal(is_there(db), meta);
    assert_false(schema_check(db, "here.db", &err));
    assert_int_equal(err.code, ERR_FILE);
    assert_non_null(strstr(err.text, "'here.db' is a database, but no store of entrain"));
  }
  db_close(db);
}

int main(void) {
  (void)POSTGRESQL; // test_study_record and test_store have both
  const struct CMUnitTest tests[] = {
      IN(SQLITE, all_tables_are_made),
      IN(SQLITE, tables_are_all_or_none),
      IN(SQLITE, keys_keep_questions_and_jobs_apart),
      IN(SQLITE, another_version_is_refused_in_words),
      IN(SQLITE, a_database_of_somebody_else_is_no_store),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
