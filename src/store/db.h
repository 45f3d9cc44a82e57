// One connection to a database, SQLite or PostgreSQL, with the same SQL and the same laws for both. Used by one thread at a
// time: the caller locks.
//
// One SQL text serves both. Parameters are $1, $2, ...; a word in braces becomes what each database calls it:
//   {now}      seconds since 1970 by the clock of the database, a real
//   {id}       a primary key that is given, {serial} one that the database counts
//   {int} {real} {text} {bytes}  types of columns
//   {skip}     behind SELECT: locks the rows, and leaves out those that another one has locked
//   {lock}     behind SELECT: locks the rows
//   {least} {most}  functions of two arguments
// Reals keep their bits, also the infinities and -0.0; SQLite makes a NaN NULL. What is put into a {real} column by the SQL
// itself must be a real (0.0, not 0): SQLite would compute with the integer.
#pragma once
#include "base/err.h"
#include "store/db_value.h"

typedef struct Db Db;

bool db_is_url(const char *place); // postgresql://... or postgres://...

// SQLite: `create` makes a new file, which must not exist; without it the file must exist. PostgreSQL: connects, whatever
// create says; a URL with a password in it is refused. NULL and an Err that names the place and the remedy.
Db *db_open(const char *place, bool create, Err *err);
void db_close(Db *db); // rolls back what is not committed; NULL is allowed
bool db_is_postgresql(const Db *db);

// Why the last call failed; DB_FINE if it did not.
DbTrouble db_trouble(const Db *db);

// Runs one statement, which is prepared the first time and kept by its text. row (may be NULL) gets each row of the result.
// *changed (may be NULL): how many rows were inserted, changed or deleted.
bool db_run(Db *db, const char *sql, const DbValue *parameters, int count, DbRow *row, void *data,
            long *changed, Err *err);

// In a transaction: runs one statement for each of the rows, which have count parameters each, one behind the other. Where the
// server is far away this takes the time of some statements, not of all. *changed: by all of them.
bool db_run_many(Db *db, const char *sql, const DbValue *parameters, int count, int rows,
                 long *changed, Err *err);

// A transaction. SQLite: it is the only one that writes. PostgreSQL: READ COMMITTED, so that rows that are read and then
// changed need {skip} or FOR UPDATE. After a failed statement in it all others fail until db_rollback.
bool db_begin(Db *db, Err *err);
// durable: it is on the disk when this returns; otherwise a failure of the power or of the server may take the last
// transactions with it, whole ones. After DB_LOST nobody knows whether it was committed.
bool db_commit(Db *db, bool durable, Err *err);
// Never fails; nothing to do without a transaction and after DB_LOST. Keeps db_trouble.
void db_rollback(Db *db);

// SQLite: moves all that is committed from the log into the file itself, which is whole without the log then.
bool db_settle(Db *db, Err *err);

// After DB_LOST; what was not committed is gone.
bool db_reconnect(Db *db, Err *err);

// Tells all who wait that something changed: at the commit if in a transaction. In SQLite every commit does.
bool db_notify(Db *db, Err *err);
// Waits until another connection has told that something changed since the last db_wait (or db_open), at most so many
// seconds and as long as patience lasts; not in a transaction. true: look again; there may be nothing new. When the
// connection breaks meanwhile: true, and db_trouble is DB_LOST. With a lost connection it only waits.
bool db_wait(Db *db, double seconds);
