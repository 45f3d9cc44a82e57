#include "store/db.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "store/db_kind.h"
#include "store/db_postgresql.h"
#include "store/db_sqlite.h"

enum { STATEMENTS_KEPT = 500 }; // far more than the store has: texts that are made anew each time

bool db_is_url(const char *place) {
  return strncmp(place, "postgresql://", 13) == 0 || strncmp(place, "postgres://", 11) == 0;
}

bool db_is_postgresql(const Db *db) {
  return db->kind == &DB_POSTGRESQL;
}

DbTrouble db_trouble(const Db *db) {
  return db->trouble;
}

// ---- statements

static const struct {
  const char *word, *sqlite, *postgresql;
} WORDS[] = {
#define DB_WORD(word, sqlite, postgresql) {word, sqlite, postgresql},
    DB_WORDS(DB_WORD)
#undef DB_WORD
};

// What the word at s (behind its brace) becomes; NULL: it is none.
static const char *find_word(const char *s, size_t length, bool postgresql) {
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
    if (strlen(WORDS[i].word) == length && memcmp(WORDS[i].word, s, length) == 0)
      return postgresql ? WORDS[i].postgresql : WORDS[i].sqlite;
  return NULL;
}

// Behind the quote that ends what begins at s.
static const char *behind_quotes(const char *s) {
  const char *end = strchr(s + 1, *s);
  return end ? end + 1 : s + strlen(s);
}

// Replaces words in braces and, for SQLite, $1 by ?1: there $1 is a name, and names count in the order in which they occur.
static bool translate(Db *db, const char *sql, Text *out, Err *err) {
  bool postgresql = db_is_postgresql(db);
  for (const char *s = sql; *s;) {
    const char *end = s + 1;
    if (*s == '\'' || *s == '"') end = behind_quotes(s);
    if (*s == '{') {
      size_t length = strcspn(s + 1, "}");
      const char *word = s[1 + length] ? find_word(s + 1, length, postgresql) : NULL;
      if (!word) return db_fail(db, DB_WRONG, err, "unknown word in braces in the SQL: %s", s);
      text_add(out, word);
      s += length + 2;
    } else if (*s == '$' && !postgresql) {
      text_add(out, "?");
      s = end;
    } else {
      text_add_bytes(out, s, (size_t)(end - s));
      s = end;
    }
  }
  return true;
}

static void forget_statements(Db *db) {
  for (int i = 0; i < db->statements.count; i++)
    if (db->statements.at[i].prepared) db->kind->forget(db, &db->statements.at[i]);
  arena_free(db->kept);
  db->kept = arena_new();
  db->texts = names_new(db->kept);
  memset(&db->statements, 0, sizeof db->statements);
}

static DbStatement *find_statement(Db *db, const char *sql, Err *err) {
  int i = names_find(db->texts, sql);
  if (i >= 0) return &db->statements.at[i];
  if (db->statements.count >= STATEMENTS_KEPT) forget_statements(db);
  Text text;
  text_init(&text);
  bool translated = translate(db, sql, &text, err);
  if (translated) {
    DbStatement made = {.sql = arena_copy(db->kept, text.at, text.length)};
    names_set(db->texts, sql, db->statements.count);
    array_push(db->kept, &db->statements, made);
  }
  text_done(&text);
  return translated ? &db->statements.at[db->statements.count - 1] : NULL;
}

// ---- connection

Db *db_open(const char *place, bool create, Err *err) {
  const DbKind *kind = db_is_url(place) ? &DB_POSTGRESQL : &DB_SQLITE;
  Db *db = must_have(calloc(1, kind->bytes));
  db->kind = kind;
  db->arena = arena_new();
  db->place = arena_copy(db->arena, place, strlen(place));
  forget_statements(db);
  if (kind->connect(db, create, err)) return db;
  db_close(db);
  return NULL;
}

void db_close(Db *db) {
  if (!db) return;
  db_rollback(db);
  db->kind->disconnect(db);
  forget_statements(db);
  arena_free(db->kept);
  arena_free(db->arena);
  free(db);
}

bool db_reconnect(Db *db, Err *err) {
  assert(!db->running);
  db->in_transaction = db->failed = false;
  db->kind->disconnect(db);
  forget_statements(db);
  db->trouble = DB_FINE;
  db->told = true; // who was away may have missed something
  if (db->kind->connect(db, false, err)) return true;
  // The caller tries again later.
  if (db->trouble == DB_WRONG || db->trouble == DB_BUSY) db->trouble = DB_LOST;
  return false;
}

// ---- statements and transactions

// After a failure in a transaction PostgreSQL refuses all statements; SQLite would go on with a part of it.
static bool may_go_on(Db *db, Err *err) {
  assert(!db->running);
  if (db->in_transaction && db->failed)
    return fail(err, ERR_FILE, "a statement before it in the transaction has failed");
  db->trouble = DB_FINE;
  return true;
}

static bool run_each(Db *db, DbStatement *statement, DbCall *call, int rows, Err *err) {
  if (db->kind->run_many) return db->kind->run_many(db, statement, call, rows, err);
  DbCall one = *call;
  for (int i = 0; i < rows; i++, one.parameters += one.count) {
    if (!db->kind->run(db, statement, &one, err)) return false;
    call->changed += one.changed;
  }
  return true;
}

bool db_run(Db *db, const char *sql, const DbValue *parameters, int count, DbRow *row, void *data,
            long *changed, Err *err) {
  if (!may_go_on(db, err)) return false;
  DbCall call = {parameters, count, row, data, 0};
  DbStatement *statement = find_statement(db, sql, err);
  db->running = true;
  bool done = statement && db->kind->run(db, statement, &call, err);
  db->running = false;
  db->failed = !done;
  if (changed) *changed = call.changed;
  return done;
}

bool db_run_many(Db *db, const char *sql, const DbValue *parameters, int count, int rows,
                 long *changed, Err *err) {
  assert(db->in_transaction);
  if (!may_go_on(db, err)) return false;
  DbCall call = {parameters, count, NULL, NULL, 0};
  DbStatement *statement = find_statement(db, sql, err);
  bool done = statement && run_each(db, statement, &call, rows, err);
  db->failed = !done;
  if (changed) *changed = call.changed;
  return done;
}

bool db_begin(Db *db, Err *err) {
  assert(!db->in_transaction);
  db->failed = false;
  if (!may_go_on(db, err) || !db->kind->begin(db, err)) return false;
  db->in_transaction = true;
  return true;
}

bool db_commit(Db *db, bool durable, Err *err) {
  assert(db->in_transaction);
  if (may_go_on(db, err) && db->kind->commit(db, durable, err)) {
    db->in_transaction = false;
    return true;
  }
  db->failed = true;
  return false;
}

void db_rollback(Db *db) {
  DbTrouble trouble = db->trouble;
  if (db->in_transaction) db->kind->rollback(db);
  db->in_transaction = db->failed = false;
  if (db->trouble != DB_LOST) db->trouble = trouble;
}

bool db_settle(Db *db, Err *err) {
  assert(!db->in_transaction);
  return may_go_on(db, err) && (!db->kind->settle || db->kind->settle(db, err));
}

bool db_notify(Db *db, Err *err) {
  if (!may_go_on(db, err)) return false;
  if (db->kind->notify(db, err)) return true;
  db->failed = true;
  return false;
}

bool db_wait(Db *db, double seconds) {
  assert(!db->running && !db->in_transaction);
  bool told = (db->told && db->trouble != DB_LOST) || db->kind->wait(db, seconds);
  db->told = false;
  return told;
}
