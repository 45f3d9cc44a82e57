// Values that go into a database and come out of it, and why a call of it fails.
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum DbType { DB_NULL, DB_INT, DB_REAL, DB_TEXT, DB_BYTES } DbType;

typedef struct DbValue {
  DbType type;
  int64_t integer;
  double real;
  const char *bytes; // of texts and bytes, borrowed; never NULL in results, and followed by a NUL
  size_t length;     // without that NUL
} DbValue;

static inline DbValue db_null(void) {
  return (DbValue){0};
}

static inline DbValue db_int(int64_t integer) {
  return (DbValue){.type = DB_INT, .integer = integer};
}

static inline DbValue db_real(double real) {
  return (DbValue){.type = DB_REAL, .real = real};
}

// UTF-8 without NUL; NULL becomes DB_NULL.
static inline DbValue db_text(const char *text) {
  if (!text) return db_null();
  return (DbValue){.type = DB_TEXT, .bytes = text, .length = strlen(text)};
}

static inline DbValue db_bytes(const void *bytes, size_t length) {
  return (DbValue){.type = DB_BYTES, .bytes = bytes ? bytes : "", .length = length};
}

// What a result holds, as the type that the reader wants: NULL is 0, NaN, or the empty text. A real that no integer can hold
// is 0.
static inline int64_t db_as_int(const DbValue *v) {
  if (v->type != DB_REAL) return v->integer;
  return fabs(v->real) < 0x1p63 ? (int64_t)v->real : 0;
}

static inline double db_as_real(const DbValue *v) {
  if (v->type == DB_INT) return (double)v->integer;
  return v->type == DB_REAL ? v->real : (double)NAN;
}

static inline const char *db_as_text(const DbValue *v) {
  return v->type == DB_TEXT || v->type == DB_BYTES ? v->bytes : "";
}

// Called for each row of a result; the values last until it returns. It must not use the database. false: no further rows.
typedef bool DbRow(void *data, const DbValue *columns, int count);

typedef enum DbTrouble {
  DB_FINE,
  DB_WRONG,     // the statement, or anything else that trying again does not mend
  DB_BUSY,      // locked for long, deadlock, serialization: roll back and try the transaction again
  DB_FULL,      // disk or quota
  DB_READ_ONLY, // file, folder or server
  DB_LOST,      // connection gone, server shuts down, network cut, no answer: db_reconnect
  DB_DAMAGED    // not a database, or a corrupt one
} DbTrouble;
