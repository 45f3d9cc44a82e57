// What a kind of database has to do. db.c chooses the kind and does what is common to all: it translates and keeps
// statements, and watches over transactions.
#pragma once
#include <stdarg.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"
#include "base/names.h"
#include "store/db_value.h"

typedef struct Db Db;

// A column of SQLite that is REAL keeps -0.0 as the integer 0. This name has no affinity, since it contains BLOB: the column
// keeps what it is given.
#define DB_SQLITE_REAL "REAL_BLOB"

// DB_WORD(word in braces, in SQLite, in PostgreSQL)
#define DB_WORDS(DB_WORD)                                                                          \
  DB_WORD("now", "((julianday('now') - 2440587.5) * 86400.0)",                                     \
          "extract(epoch from clock_timestamp())::float8")                                         \
  DB_WORD("id", "INTEGER PRIMARY KEY", "BIGINT PRIMARY KEY")                                       \
  DB_WORD("serial", "INTEGER PRIMARY KEY AUTOINCREMENT", "BIGSERIAL PRIMARY KEY")                  \
  DB_WORD("int", "INTEGER", "BIGINT")                                                              \
  DB_WORD("real", DB_SQLITE_REAL, "DOUBLE PRECISION")                                              \
  DB_WORD("text", "TEXT", "TEXT")                                                                  \
  DB_WORD("bytes", "BLOB", "BYTEA")                                                                \
  DB_WORD("skip", "", "FOR UPDATE SKIP LOCKED")                                                    \
  DB_WORD("lock", "", "FOR UPDATE")                                                                \
  DB_WORD("least", "MIN", "LEAST")                                                                 \
  DB_WORD("most", "MAX", "GREATEST")

typedef struct DbStatement {
  const char *sql; // translated
  void *prepared;  // of the kind; NULL: not yet
} DbStatement;

// One run of a statement: see db_run.
typedef struct DbCall {
  const DbValue *parameters;
  int count;
  DbRow *row;
  void *data;
  long changed; // the answer
} DbCall;

// The functions that return bool fail by db_fail.
typedef struct DbKind {
  size_t bytes; // of a connection, which begins with a Db
  bool (*connect)(Db *db, bool create, Err *err);
  void (*disconnect)(Db *db); // also after connect has failed half-way; frees what connect made
  bool (*run)(Db *db, DbStatement *statement, DbCall *call, Err *err);
  // call->count parameters in each of the rows; without rows of results. NULL: run is called for each.
  bool (*run_many)(Db *db, DbStatement *statement, DbCall *call, int rows, Err *err);
  void (*forget)(Db *db, DbStatement *statement); // frees statement->prepared
  bool (*begin)(Db *db, Err *err);
  bool (*commit)(Db *db, bool durable, Err *err);
  void (*rollback)(Db *db);
  bool (*settle)(Db *db, Err *err); // NULL: there is nothing to do
  bool (*notify)(Db *db, Err *err);
  bool (*wait)(Db *db, double seconds); // db->told is false
} DbKind;

struct Db {
  const DbKind *kind;
  Arena *arena;
  char *place;
  DbTrouble trouble;
  bool in_transaction, failed; // a statement of this transaction has failed
  bool running;                // in db_run
  bool told;                   // something changed since the last db_wait
  Arena *kept;                 // the statements live here
  Names *texts;                // SQL text -> its index in statements
  ARRAY(DbStatement) statements;
};

// Notes the trouble and its sentence; false.
__attribute__((format(printf, 4, 5))) static inline bool
db_fail(Db *db, DbTrouble trouble, Err *err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  db->trouble = trouble;
  fail_args(err, ERR_FILE, (Place){0}, format, args);
  va_end(args);
  return false;
}
