#include "store/db_postgresql.h"

#include <dlfcn.h>
#include <poll.h>
#include <postgresql/libpq-fe.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/patience.h"
#include "base/text.h"

static const double ANSWER_LIMIT = 8; // s without a byte from the server, then it is lost
static const double LAST_WAIT = 0.3;  // s, for an answer after the end of patience
static const double SLICE = 0.02;     // s, between questions of patience
static const double BLIND_WAIT = 0.5; // s, where nothing can be listened to

// A server waits for locks for less time than we wait for the server: DB_BUSY, not DB_LOST. It notices by itself that a
// client is gone or stopped, and frees its locks.
#define SESSION                                                                                    \
  "SET lock_timeout = '6s'; SET idle_in_transaction_session_timeout = '60s';"                      \
  "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3"

// A statement that is prepared for parameters of these types; a statement may have several.
typedef struct PostgresForm {
  struct PostgresForm *next;
  char name[24];
  int count;
  Oid types[]; // 0: unknown, since the value was NULL
} PostgresForm;

typedef struct PostgresDb {
  Db db;
  PGconn *link; // NULL: lost
  bool listens;
  long forms;
  double heard, over_since; // s of the clock; 0: patience lasts
  Arena *scratch;           // of one call
} PostgresDb;

// ---- the library

#define PQ_FUNCTIONS(F)                                                                            \
  F(backendPID)                                                                                    \
  F(clear)                                                                                         \
  F(cmdStatus)                                                                                     \
  F(cmdTuples)                                                                                     \
  F(connectPoll)                                                                                   \
  F(connectStartParams)                                                                            \
  F(connectionNeedsPassword)                                                                       \
  F(conninfoFree)                                                                                  \
  F(conninfoParse)                                                                                 \
  F(consumeInput)                                                                                  \
  F(errorMessage)                                                                                  \
  F(enterPipelineMode)                                                                             \
  F(exitPipelineMode)                                                                              \
  F(finish)                                                                                        \
  F(flush)                                                                                         \
  F(freemem)                                                                                       \
  F(ftype)                                                                                         \
  F(getResult)                                                                                     \
  F(getisnull)                                                                                     \
  F(getlength)                                                                                     \
  F(getvalue)                                                                                      \
  F(isBusy)                                                                                        \
  F(nfields)                                                                                       \
  F(notifies)                                                                                      \
  F(ntuples)                                                                                       \
  F(pipelineSync)                                                                                  \
  F(resultErrorField)                                                                              \
  F(resultStatus)                                                                                  \
  F(sendPrepare)                                                                                   \
  F(sendQuery)                                                                                     \
  F(sendQueryPrepared)                                                                             \
  F(setNoticeProcessor)                                                                            \
  F(setnonblocking)                                                                                \
  F(socket)                                                                                        \
  F(status)                                                                                        \
  F(transactionStatus)

// PQfinish is pq.finish, and so on. Filled once, and never changed.
static struct {
  bool complete;
#define F(name) __typeof__(PQ##name) *name;
  PQ_FUNCTIONS(F)
#undef F
} pq;

static void load_library(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  bool complete = true;
#define F(name) complete = (pq.name = (__typeof__(pq.name))dlsym(library, "PQ" #name)) && complete;
  PQ_FUNCTIONS(F)
#undef F
  pq.complete = complete;
}

static bool has_library(PostgresDb *p, Err *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_library);
  if (pq.complete) return true;
  return db_fail(
      &p->db, DB_WRONG, err,
      "PostgreSQL needs the library libpq.so.5 (Debian: libpq5), of version 14 or later");
}

// ---- passwords

// Where a password may begin: behind the first colon if there is an @ after it, and where values are given. Rather one too
// many: what is behind it appears in no message. NULL: nowhere.
static const char *find_password(const char *url) {
  const char *host = strstr(url, "://") + 3;
  const char *colon = strchr(host, ':'), *at = strrchr(host, '@');
  if (colon && at && colon < at) return colon;
  const char *values = strchr(host, '?');
  return values && strcasestr(values, "password") ? values : NULL;
}

static bool refuse_password(PostgresDb *p, int length, Err *err) {
  return db_fail(&p->db, DB_WRONG, err,
                 "the URL %.*s... contains a password, which others could read; put it into "
                 "~/.pgpass (or the file that PGPASSFILE names) as host:port:database:user:password"
                 ", and write an @ or : that belongs to no password as %%40 or %%3A",
                 length, p->db.place);
}

// What libpq itself takes for a password, however it is written.
static bool check_url(PostgresDb *p, Err *err) {
  char *why = NULL;
  PQconninfoOption *options = pq.conninfoParse(p->db.place, &why);
  if (!options) {
    db_fail(&p->db, DB_WRONG, err, "'%s' is not a URL of PostgreSQL: %s", p->db.place,
            why ? why : "");
    pq.freemem(why);
    return false;
  }
  bool has = false;
  for (PQconninfoOption *o = options; o->keyword; o++)
    has |= strstr(o->keyword, "password") && o->val;
  pq.conninfoFree(options);
  return !has || refuse_password(p, (int)strcspn(p->db.place, "?"), err);
}

// ---- trouble

static void finish(PostgresDb *p) {
  if (p->link) pq.finish(p->link);
  p->link = NULL;
}

// A message of libpq in one line.
static const char *line_of(PostgresDb *p, const char *message) {
  char *line = arena_copy(p->scratch, message ? message : "", message ? strlen(message) : 0);
  size_t length = 0;
  for (const char *c = line; *c; c++) {
    bool blank = strchr(" \t\n\r", *c);
    if (!blank) line[length++] = *c;
    if (blank && length > 0 && line[length - 1] != ' ') line[length++] = ' ';
  }
  while (length > 0 && line[length - 1] == ' ') length--;
  line[length] = 0;
  return line;
}

// why: NULL: what libpq says.
static bool lose(PostgresDb *p, const char *why, Err *err) {
  const char *line = line_of(p, why || !p->link ? why : pq.errorMessage(p->link));
  finish(p);
  return db_fail(&p->db, DB_LOST, err, "the connection to '%s' is lost%s%s", p->db.place,
                 *line ? ": " : "", line);
}

// Errors of class 53 and 57 and others, see the table "PostgreSQL Error Codes" of its manual.
static const struct {
  const char *begin; // of the code
  DbTrouble trouble;
} STATES[] = {
    {"08P01", DB_WRONG}, // a wrong number of parameters; the connection is sound
    {"08", DB_LOST},         {"57P01", DB_LOST},    {"57P02", DB_LOST},    {"57P03", DB_LOST},
    {"40001", DB_BUSY},      {"40P01", DB_BUSY},    {"55P03", DB_BUSY},    {"53100", DB_FULL},
    {"25006", DB_READ_ONLY}, {"XX001", DB_DAMAGED}, {"XX002", DB_DAMAGED},
};

static DbTrouble trouble_of(const char *state) {
  for (size_t i = 0; state && i < sizeof STATES / sizeof *STATES; i++)
    if (strncmp(state, STATES[i].begin, strlen(STATES[i].begin)) == 0) return STATES[i].trouble;
  return DB_WRONG;
}

static bool refuse(PostgresDb *p, const PGresult *result, const char *sql, Err *err) {
  const char *why = line_of(p, pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  DbTrouble trouble = trouble_of(pq.resultErrorField(result, PG_DIAG_SQLSTATE));
  if (trouble == DB_LOST || pq.status(p->link) == CONNECTION_BAD)
    return lose(p, *why ? why : NULL, err);
  const char *place = p->db.place;
  switch (trouble) {
  case DB_FULL: return db_fail(&p->db, trouble, err, "no room in '%s': %s", place, why);
  case DB_READ_ONLY: return db_fail(&p->db, trouble, err, "cannot write '%s': %s", place, why);
  case DB_DAMAGED: return db_fail(&p->db, trouble, err, "'%s' is damaged: %s", place, why);
  default: return db_fail(&p->db, trouble, err, "'%s': %s, in: %.200s", place, why, sql);
  }
}

// ---- answers

static void begin_waiting(PostgresDb *p) {
  p->heard = clock_seconds();
  p->over_since = 0;
}

// false: the time is over.
static bool wait_for_socket(PostgresDb *p, short events) {
  struct pollfd socket = {pq.socket(p->link), events, 0};
  for (;;) {
    double now = clock_seconds();
    if (now - p->heard > ANSWER_LIMIT) return false;
    if (p->over_since > 0 && now - p->over_since > LAST_WAIT) return false;
    if (poll(&socket, 1, (int)(1000 * SLICE)) > 0) {
      if (p->over_since == 0 && !patience_lasts(1000)) p->over_since = now;
      return true;
    }
    if (p->over_since == 0 && !patience_asks()) p->over_since = now;
  }
}

static const char *why_over(const PostgresDb *p) {
  return p->over_since > 0 ? "it was stopped before the server answered"
                           : "the server does not answer";
}

// Notices of others that wait in the library.
static void take_notices(PostgresDb *p) {
  for (PGnotify *n; (n = pq.notifies(p->link));) {
    if (n->be_pid != pq.backendPID(p->link)) p->db.told = true;
    pq.freemem(n);
  }
}

// Waits for the next result; NULL is the end of an answer. false: the connection is lost. After: the result before it.
static bool read_result(PostgresDb *p, const PGresult *after, PGresult **result, Err *err) {
  for (;;) {
    int unsent = pq.flush(p->link);
    if (unsent == 0 && !pq.isBusy(p->link)) {
      *result = pq.getResult(p->link);
      return true;
    }
    bool there = unsent >= 0 && wait_for_socket(p, unsent ? POLLIN | POLLOUT : POLLIN);
    if (!there || !pq.consumeInput(p->link)) {
      // A server that ends says why before it closes.
      const char *why = after ? pq.resultErrorField(after, PG_DIAG_MESSAGE_PRIMARY) : NULL;
      return lose(p, why || unsent < 0 || there ? why : why_over(p), err);
    }
    p->heard = clock_seconds();
  }
}

static bool is_failure(const PGresult *r) {
  ExecStatusType status = pq.resultStatus(r);
  return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY;
}

static bool is_copy(const PGresult *r) {
  ExecStatusType status = pq.resultStatus(r);
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

// The answer to what was sent: of several results the first failure or, without one, the last. NULL: the connection is lost.
static PGresult *read_answer(PostgresDb *p, Err *err) {
  PGresult *result = NULL, *next;
  begin_waiting(p);
  bool there;
  while ((there = read_result(p, result, &next, err)) && next) {
    bool keep = result && is_failure(result);
    pq.clear(keep ? next : result);
    if (!keep) result = next;
    if (is_copy(result)) {
      there = lose(p, "COPY is not possible here", err);
      break;
    }
  }
  if (there) {
    take_notices(p);
    return result;
  }
  pq.clear(result);
  return NULL;
}

static bool is_connected(PostgresDb *p, Err *err) {
  arena_reset(p->scratch);
  return p->link || lose(p, "", err);
}

// sent: whether libpq has taken it. NULL: it has failed.
static PGresult *answer_of(PostgresDb *p, bool sent, const char *sql, Err *err) {
  if (!sent) {
    if (pq.status(p->link) == CONNECTION_BAD)
      lose(p, NULL, err);
    else
      db_fail(&p->db, DB_WRONG, err, "'%s': %s, in: %.200s", p->db.place,
              line_of(p, pq.errorMessage(p->link)), sql);
    return NULL;
  }
  PGresult *result = read_answer(p, err);
  if (result && !is_failure(result)) return result;
  if (result) refuse(p, result, sql, err);
  pq.clear(result);
  return NULL;
}

// Statements without parameters and results, one or more. tag (may be NULL): the word that the last one must answer.
static bool run_plain(PostgresDb *p, const char *sql, const char *tag, Err *err) {
  if (!is_connected(p, err)) return false;
  PGresult *result = answer_of(p, pq.sendQuery(p->link, sql), sql, err);
  if (!result) return false;
  bool as_wanted = !tag || strcmp(pq.cmdStatus(result), tag) == 0;
  pq.clear(result);
  return as_wanted || db_fail(&p->db, DB_WRONG, err, "'%s' did not %s", p->db.place, sql);
}

// ---- connecting

static void swallow(void *data, const char *message) {
  (void)data;
  (void)message;
}

static bool poll_connection(PostgresDb *p, Err *err) {
  begin_waiting(p);
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
    if (!wait_for_socket(p, status == PGRES_POLLING_READING ? POLLIN : POLLOUT))
      return db_fail(&p->db, DB_LOST, err,
                     "cannot connect to '%s': %s; does it run, and is the "
                     "network open?",
                     p->db.place, why_over(p));
    status = pq.connectPoll(p->link);
  }
  if (status == PGRES_POLLING_OK) return true;
  const char *why = line_of(p, pq.errorMessage(p->link));
  const char *hint = pq.connectionNeedsPassword(p->link) ? "; put the password into ~/.pgpass" : "";
  return db_fail(&p->db, DB_LOST, err, "cannot connect to '%s': %s%s", p->db.place, why, hint);
}

static bool begin_session(PostgresDb *p, Err *err) {
  p->listens = run_plain(p, SESSION "; LISTEN entrain", NULL, err);
  if (p->listens || p->db.trouble != DB_READ_ONLY) return p->listens;
  // A server that only follows another one can be read, but not listened to.
  if (err) *err = (Err){0};
  return run_plain(p, SESSION, NULL, err);
}

static bool postgres_connect(Db *db, bool create, Err *err) {
  (void)create;
  PostgresDb *p = (PostgresDb *)db;
  const char *password = find_password(db->place);
  if (password) return refuse_password(p, (int)(password - db->place), err);
  if (!has_library(p, err)) return false;
  if (!p->scratch) p->scratch = arena_new();
  if (!check_url(p, err)) return false;
  // What the URL says wins over what stands before it.
  static const char *const KEYS[] = {"application_name",
                                     "keepalives",
                                     "keepalives_idle",
                                     "keepalives_interval",
                                     "keepalives_count",
                                     "tcp_user_timeout",
                                     "dbname",
                                     "client_encoding",
                                     NULL};
  const char *values[] = {"entrain", "1", "3", "2", "2", "6000", db->place, "UTF8", NULL};
  p->link = must_have(pq.connectStartParams(KEYS, values, 1));
  pq.setNoticeProcessor(p->link, swallow, NULL);
  p->forms = 0;
  bool done = pq.status(p->link) != CONNECTION_BAD
                  ? poll_connection(p, err)
                  : db_fail(db, DB_LOST, err, "cannot connect to '%s': %s", db->place,
                            line_of(p, pq.errorMessage(p->link)));
  if (done && pq.setnonblocking(p->link, 1) != 0) done = lose(p, NULL, err);
  if (done && begin_session(p, err)) return true;
  finish(p);
  return false;
}

static void postgres_disconnect(Db *db) {
  PostgresDb *p = (PostgresDb *)db;
  finish(p);
  arena_free(p->scratch);
  p->scratch = NULL;
}

// ---- values

enum { // from the catalogue of types, pg_type.dat
  OID_BOOL = 16,
  OID_BYTES = 17,
  OID_CHAR = 18,
  OID_NAME = 19,
  OID_INT8 = 20,
  OID_INT2 = 21,
  OID_INT4 = 23,
  OID_TEXT = 25,
  OID_OID = 26,
  OID_JSON = 114,
  OID_FLOAT4 = 700,
  OID_FLOAT8 = 701,
  OID_UNKNOWN = 705,
  OID_PADDED = 1042,
  OID_VARCHAR = 1043,
  OID_VOID = 2278
};

static const Oid OIDS[] = {[DB_NULL] = 0,
                           [DB_INT] = OID_INT8,
                           [DB_REAL] = OID_FLOAT8,
                           [DB_TEXT] = OID_TEXT,
                           [DB_BYTES] = OID_BYTES};

static void put_number(uint64_t bits, char out[8]) { // the highest byte first
  for (int i = 0; i < 8; i++) out[i] = (char)(bits >> (56 - 8 * i));
}

static uint64_t take_number(const char *bytes, int length) {
  uint64_t bits = 0;
  for (int i = 0; i < length; i++) bits = bits << 8 | (unsigned char)bytes[i];
  return bits;
}

static double take_real(const char *bytes, int length) {
  double real;
  float single;
  uint64_t bits = take_number(bytes, length);
  uint32_t half = (uint32_t)bits;
  memcpy(&real, &bits, sizeof real);
  memcpy(&single, &half, sizeof single);
  return length == 4 ? (double)single : real;
}

static bool is_readable(Oid type) {
  switch (type) {
  case OID_BOOL:
  case OID_BYTES:
  case OID_CHAR:
  case OID_NAME:
  case OID_INT8:
  case OID_INT2:
  case OID_INT4:
  case OID_TEXT:
  case OID_OID:
  case OID_JSON:
  case OID_FLOAT4:
  case OID_FLOAT8:
  case OID_UNKNOWN:
  case OID_PADDED:
  case OID_VARCHAR:
  case OID_VOID: return true;
  default: return false;
  }
}

static DbValue value_of(Oid type, const char *bytes, int length) {
  switch (type) {
  case OID_VOID: return db_null();
  case OID_INT2: return db_int((int16_t)take_number(bytes, length));
  case OID_INT4: return db_int((int32_t)take_number(bytes, length));
  case OID_BOOL:
  case OID_OID:
  case OID_INT8: return db_int((int64_t)take_number(bytes, length));
  case OID_FLOAT4:
  case OID_FLOAT8: return db_real(take_real(bytes, length));
  default:
    return (DbValue){
        .type = type == OID_BYTES ? DB_BYTES : DB_TEXT, .bytes = bytes, .length = (size_t)length};
  }
}

// ---- statements

enum {
  LONGEST_VALUE = 1 << 30, // bytes
  UNDER_WAY = 256          // statements whose answers are not read yet
};

static bool fits(const PostgresForm *form, const DbCall *call) {
  if (form->count != call->count) return false;
  for (int i = 0; i < call->count; i++)
    if (call->parameters[i].type != DB_NULL && OIDS[call->parameters[i].type] != form->types[i])
      return false;
  return true;
}

static const PostgresForm *prepare(PostgresDb *p, DbStatement *statement, const DbCall *call,
                                   Err *err) {
  for (int i = 0; i < call->count; i++)
    if (call->parameters[i].length > LONGEST_VALUE) {
      db_fail(&p->db, DB_WRONG, err, "a value of %zu bytes is too long for PostgreSQL",
              call->parameters[i].length);
      return NULL;
    }
  for (const PostgresForm *f = statement->prepared; f; f = f->next)
    if (fits(f, call)) return f;
  size_t size = sizeof(PostgresForm) + (size_t)call->count * sizeof(Oid);
  PostgresForm *form = must_have(calloc(1, size));
  c_snprintf(form->name, sizeof form->name, "entrain%ld", ++p->forms);
  form->count = call->count;
  for (int i = 0; i < call->count; i++) form->types[i] = OIDS[call->parameters[i].type];
  const char *sql = statement->sql;
  bool sent = pq.sendPrepare(p->link, form->name, sql, call->count, form->types);
  PGresult *result = answer_of(p, sent, sql, err);
  if (!result) {
    free(form);
    return NULL;
  }
  pq.clear(result);
  form->next = statement->prepared;
  statement->prepared = form;
  return form;
}

// false: libpq has refused it.
static bool send_statement(PostgresDb *p, const PostgresForm *form, const DbCall *call) {
  int count = call->count;
  const char **values = ARENA_ARRAY(p->scratch, const char *, count + 1);
  int *lengths = ARENA_ARRAY(p->scratch, int, count + 1);
  int *formats = ARENA_ARRAY(p->scratch, int, count + 1);
  char(*numbers)[8] = arena_alloc(p->scratch, (size_t)count + 1, 8);
  for (int i = 0; i < count; i++) {
    const DbValue *v = &call->parameters[i];
    uint64_t bits = (uint64_t)v->integer;
    if (v->type == DB_REAL) memcpy(&bits, &v->real, sizeof bits);
    put_number(bits, numbers[i]);
    bool number = v->type == DB_INT || v->type == DB_REAL;
    if (v->type != DB_NULL) values[i] = number ? numbers[i] : v->bytes;
    lengths[i] = number ? 8 : (int)v->length;
    formats[i] = 1;
  }
  return pq.sendQueryPrepared(p->link, form->name, count, values, lengths, formats, 1);
}

static bool hand_over_rows(PostgresDb *p, const PGresult *result, const DbCall *call, Err *err) {
  int count = pq.nfields(result), rows = pq.ntuples(result);
  for (int i = 0; i < count; i++)
    if (!is_readable(pq.ftype(result, i)))
      return db_fail(
          &p->db, DB_WRONG, err,
          "column %d of a result has a type of PostgreSQL (%u) that is not read; cast it", i + 1,
          pq.ftype(result, i));
  DbValue *columns = ARENA_ARRAY(p->scratch, DbValue, count + 1);
  for (int row = 0; row < rows; row++) {
    for (int i = 0; i < count; i++)
      columns[i] = pq.getisnull(result, row, i)
                       ? db_null()
                       : value_of(pq.ftype(result, i), pq.getvalue(result, row, i),
                                  pq.getlength(result, row, i));
    if (!call->row(call->data, columns, count)) break;
  }
  return true;
}

// SELECT counts its rows, too: those are not changed.
static long count_changed(PGresult *result) {
  static const char *const CHANGING[] = {"INSERT", "UPDATE", "DELETE", "MERGE"};
  const char *tag = pq.cmdStatus(result);
  for (size_t i = 0; i < sizeof CHANGING / sizeof *CHANGING; i++)
    if (strncmp(tag, CHANGING[i], strlen(CHANGING[i])) == 0)
      return strtol(pq.cmdTuples(result), NULL, 10);
  return 0;
}

static bool postgres_run(Db *db, DbStatement *statement, DbCall *call, Err *err) {
  PostgresDb *p = (PostgresDb *)db;
  if (!is_connected(p, err)) return false;
  const PostgresForm *form = prepare(p, statement, call, err);
  if (!form) return false;
  PGresult *result = answer_of(p, send_statement(p, form, call), statement->sql, err);
  if (!result) return false;
  bool done = !call->row || hand_over_rows(p, result, call, err);
  call->changed = count_changed(result);
  pq.clear(result);
  return done;
}

// The results of all statements up to the mark that was sent behind them. After a failure the rest is left out.
static bool read_to_mark(PostgresDb *p, const char *sql, DbCall *call, Err *err) {
  bool done = true;
  PGresult *result;
  begin_waiting(p);
  for (bool mark = false; p->link && !mark;) {
    if (!read_result(p, NULL, &result, err)) return false;
    if (!result) continue;
    ExecStatusType status = pq.resultStatus(result);
    mark = status == PGRES_PIPELINE_SYNC;
    if (!mark && !is_failure(result)) call->changed += count_changed(result);
    if (!mark && is_failure(result) && status != PGRES_PIPELINE_ABORTED)
      done = refuse(p, result, sql, err);
    pq.clear(result);
  }
  return done;
}

static bool postgres_run_many(Db *db, DbStatement *statement, DbCall *call, int rows, Err *err) {
  PostgresDb *p = (PostgresDb *)db;
  if (!is_connected(p, err)) return false;
  DbCall one = *call;
  for (int i = 0; i < rows; i++, one.parameters += one.count)
    if (!prepare(p, statement, &one, err)) return false;
  if (!pq.enterPipelineMode(p->link)) return lose(p, NULL, err);
  bool done = true;
  one.parameters = call->parameters;
  for (int i = 0; done && i < rows; i++, one.parameters += one.count) {
    done = send_statement(p, prepare(p, statement, &one, err), &one);
    bool last = i + 1 == rows || i % UNDER_WAY == UNDER_WAY - 1;
    if (!done || (last && !pq.pipelineSync(p->link))) return lose(p, NULL, err);
    if (last) done = read_to_mark(p, statement->sql, call, err);
    arena_reset(p->scratch);
  }
  if (p->link && !pq.exitPipelineMode(p->link)) return lose(p, NULL, err);
  return done;
}

static void postgres_forget(Db *db, DbStatement *statement) {
  PostgresDb *p = (PostgresDb *)db;
  for (PostgresForm *f = statement->prepared, *next; f; f = next) {
    next = f->next;
    char sql[48];
    c_snprintf(sql, sizeof sql, "DEALLOCATE %s", f->name);
    if (p->link) run_plain(p, sql, NULL, NULL);
    free(f);
  }
  statement->prepared = NULL;
}

// ---- transactions

static bool postgres_begin(Db *db, Err *err) {
  return run_plain((PostgresDb *)db, "BEGIN ISOLATION LEVEL READ COMMITTED", NULL, err);
}

static bool postgres_commit(Db *db, bool durable, Err *err) {
  const char *sql = durable ? "COMMIT" : "SET LOCAL synchronous_commit = off; COMMIT";
  return run_plain((PostgresDb *)db, sql, "COMMIT", err); // a failed transaction answers ROLLBACK
}

static void postgres_rollback(Db *db) {
  PostgresDb *p = (PostgresDb *)db;
  if (!p->link || pq.transactionStatus(p->link) == PQTRANS_IDLE) return;
  if (!run_plain(p, "ROLLBACK", NULL, NULL) && p->link) lose(p, "", NULL);
}

// ---- waiting

static bool postgres_notify(Db *db, Err *err) {
  return run_plain((PostgresDb *)db, "NOTIFY entrain", NULL, err);
}

static bool was_told(PostgresDb *p) {
  if (!p->link) return false;
  if (!pq.consumeInput(p->link)) {
    lose(p, NULL, NULL);
    return true;
  }
  take_notices(p);
  return p->db.told;
}

static bool postgres_wait(Db *db, double seconds) {
  PostgresDb *p = (PostgresDb *)db;
  double now = clock_seconds();
  bool blind = p->link && !p->listens && seconds > BLIND_WAIT;
  double until = now + (blind ? BLIND_WAIT : seconds);
  if (p->scratch) arena_reset(p->scratch);
  for (; !was_told(p); now = clock_seconds()) {
    if (now >= until) return blind;
    if (!patience_asks()) return false;
    double slice = until - now < SLICE ? until - now : SLICE;
    struct pollfd socket = {p->link ? pq.socket(p->link) : -1, POLLIN, 0}; // -1: only the time
    struct timespec t = {0, (long)(1e9 * slice)};
    ppoll(&socket, 1, &t, NULL);
  }
  return true;
}

const DbKind DB_POSTGRESQL = {
    .bytes = sizeof(PostgresDb),
    .connect = postgres_connect,
    .disconnect = postgres_disconnect,
    .run = postgres_run,
    .run_many = postgres_run_many,
    .forget = postgres_forget,
    .begin = postgres_begin,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .notify = postgres_notify,
    .wait = postgres_wait,
};
