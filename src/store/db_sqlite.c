#include "store/db_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/patience.h"
#include "base/text.h"

static const double BUSY_LIMIT = 30;    // s, then a lock is DB_BUSY
static const double LAST_WAIT = 0.3;    // s, for a lock after the end of patience
static const double SLICE = 0.02;       // s, between questions of patience
static const double LONGEST_LOOK = 0.1; // s, between looks whether something changed

typedef struct SqliteDb {
  Db db;
  sqlite3 *handle;
  char *path; // absolute, without links
  struct stat file;
  bool read_only;
  bool unchanging; // opened without any lock: folder and file are read-only
  double busy_since, over_since;
  int64_t version; // of the data when db_wait last looked
  DbValue *columns;
  int room;
} SqliteDb;

static void pause_for(double seconds) {
  struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&t, NULL);
}

// ---- network file systems

// Locks or shared memory of two computers do not see each other there.
static const struct {
  long f_type;
  const char *name;
} NETWORK_TYPES[] = {
    {0x6969, "NFS"},
    {0x517B, "SMB"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB2"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x5346414F, "AFS"},
    {0x6B414653, "AFS"},
    {0x00C36400, "Ceph"},
    {0x73757245, "Coda"},
    {0x564C, "NCP"},
    {0x19830326, "BeeGFS"},
    {0xAAD7AAEA, "PanFS"},
    {0x20030528, "OrangeFS"},
    {0x7461636F, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x786F4256, "a shared folder of VirtualBox"},
};

// Others by FUSE (NTFS, encrypted folders, overlays of containers) are local, and work.
static const char *const NETWORK_FUSE[] = {
    "sshfs",  "glusterfs", "ceph",    "s3fs",    "rclone", "davfs",    "davfs2", "curlftpfs",
    "goofys", "gcsfuse",   "juicefs", "moosefs", "mfs",    "lizardfs", "cvmfs2", "smbnetfs",
};

enum { FUSE_TYPE = 0x65735546 };

const char *sqlite_network_name(long f_type, const char *mount_type) {
  for (size_t i = 0; i < sizeof NETWORK_TYPES / sizeof *NETWORK_TYPES; i++)
    // statfs gives 32 bits, of some systems with their sign
    if ((uint32_t)f_type == (uint32_t)NETWORK_TYPES[i].f_type) return NETWORK_TYPES[i].name;
  if ((uint32_t)f_type != FUSE_TYPE || !mount_type || strncmp(mount_type, "fuse.", 5) != 0)
    return NULL;
  for (size_t i = 0; i < sizeof NETWORK_FUSE / sizeof *NETWORK_FUSE; i++)
    if (strcmp(mount_type + 5, NETWORK_FUSE[i]) == 0) return NETWORK_FUSE[i];
  return NULL;
}

// "fuse.sshfs" and the like. A line is "36 35 98:0 /root /where options - type source options"; "98:0" is the device.
static const char *find_mount_type(Arena *a, const char *path) {
  struct stat s;
  char *mounts = file_read(a, "/proc/self/mountinfo", 1 << 24, NULL, NULL);
  if (!mounts || stat(path, &s) != 0) return NULL;
  const char *device = arena_print(a, " %u:%u ", major(s.st_dev), minor(s.st_dev));
  char *rest = NULL;
  for (char *line = strtok_r(mounts, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *type = strstr(line, " - ");
    if (!type || !strstr(line, device) || strstr(line, device) > type) continue;
    type += 3;
    type[strcspn(type, " ")] = 0;
    return type;
  }
  return NULL;
}

static bool check_file_system(SqliteDb *s, const char *path, Err *err) {
  struct statfs system;
  if (statfs(path, &system) != 0) return true; // opening will say why
  long f_type = (long)system.f_type;
  const char *type = (uint32_t)f_type == FUSE_TYPE ? find_mount_type(s->db.arena, path) : NULL;
  const char *name = sqlite_network_name(f_type, type);
  if (!name) return true;
  return db_fail(&s->db, DB_WRONG, err,
                 "'%s' lies on %s, where SQLite cannot lock files; put the store on a local disk, "
                 "or use postgresql://host/database",
                 s->db.place, name);
}

// ---- trouble

static bool is_permission(int number) {
  return number == EACCES || number == EROFS || number == EPERM;
}

static DbTrouble trouble_of(SqliteDb *s, int code) {
  int number = s->handle ? sqlite3_system_errno(s->handle) : 0;
  switch (code & 0xff) {
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
  case SQLITE_PROTOCOL: return DB_BUSY;
  case SQLITE_FULL: return DB_FULL;
  case SQLITE_IOERR: return number == ENOSPC || number == EDQUOT ? DB_FULL : DB_WRONG;
  case SQLITE_READONLY:
  case SQLITE_PERM: return DB_READ_ONLY;
  case SQLITE_CANTOPEN: return is_permission(number) ? DB_READ_ONLY : DB_WRONG;
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB: return DB_DAMAGED;
  default: return DB_WRONG;
  }
}

// code: what SQLite has answered. sql: NULL while opening.
static bool refuse(SqliteDb *s, int code, const char *sql, Err *err) {
  if ((code & 0xff) == SQLITE_NOMEM) out_of_memory();
  Db *db = &s->db;
  const char *why = s->handle ? sqlite3_errmsg(s->handle) : sqlite3_errstr(code);
  DbTrouble trouble = trouble_of(s, code);
  switch (trouble) {
  case DB_BUSY:
    return db_fail(db, trouble, err, "'%s' is locked by another process for too long", db->place);
  case DB_FULL:
    return db_fail(db, trouble, err, "no room for '%s': the disk or the quota is full", db->place);
  case DB_READ_ONLY:
    return db_fail(db, trouble, err,
                   "cannot write '%s': the file or its folder is read-only; SQLite needs both",
                   db->place);
  case DB_DAMAGED:
    if ((code & 0xff) == SQLITE_NOTADB)
      return db_fail(db, trouble, err, "'%s' is not an SQLite database", db->place);
    return db_fail(db, trouble, err,
                   "'%s' is damaged (%s); restore a copy, or try: sqlite3 FILE .recover", db->place,
                   why);
  default:
    if (!sql) return db_fail(db, trouble, err, "cannot open '%s': %s", db->place, why);
    return db_fail(db, trouble, err, "'%s': %s, in: %.200s", db->place, why, sql);
  }
}

// A lock is held by another one. SQLite calls this until it returns 0.
static int wait_for_lock(void *data, int count) {
  SqliteDb *s = data;
  double now = clock_seconds();
  if (count == 0) {
    s->busy_since = now;
    s->over_since = 0;
  }
  if (s->over_since == 0 && !patience_asks()) s->over_since = now;
  if (now - s->busy_since > BUSY_LIMIT || (s->over_since > 0 && now - s->over_since > LAST_WAIT))
    return 0;
  pause_for(count < 10 ? 0.001 * (1 + count) : SLICE);
  return 1;
}

// ---- opening

// A new file that nobody else makes at the same time.
static bool make_file(SqliteDb *s, Err *err) {
  const char *place = s->db.place;
  int fd = open(place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST)
    return db_fail(&s->db, DB_WRONG, err, "'%s' exists already; choose another name", place);
  if (fd < 0)
    return db_fail(&s->db, is_permission(errno) ? DB_READ_ONLY : DB_WRONG, err,
                   "cannot make '%s': %s", place, strerror(errno));
  close(fd);
  return true;
}

static bool find_file(SqliteDb *s, Err *err) {
  const char *place = s->db.place;
  if (stat(place, &s->file) != 0 || !(s->path = realpath(place, NULL)))
    return db_fail(&s->db, DB_WRONG, err, "cannot open '%s': %s", place, strerror(errno));
  if (S_ISREG(s->file.st_mode)) return true;
  return db_fail(&s->db, DB_DAMAGED, err, "'%s' is not a file", place);
}

// Runs SQL without parameters; out (may be NULL) gets the first value. The code of SQLite.
static int run_plain(SqliteDb *s, const char *sql, char *out, size_t size) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(s->handle, sql, -1, &statement, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  if (code == SQLITE_ROW && out) {
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    size_t length = text ? strnlen(text, size - 1) : 0;
    if (text) memcpy(out, text, length);
    out[length] = 0;
  }
  int end = sqlite3_finalize(statement);
  return end != SQLITE_OK ? end : code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

// The change to a write-ahead log needs the file for itself, and SQLite does not wait for that by itself.
static int ask_for_log(SqliteDb *s, char *mode, size_t size) {
  for (int count = 0;; count++) {
    int code = run_plain(s, "PRAGMA journal_mode = WAL", mode, size);
    if ((code & 0xff) != SQLITE_BUSY || !wait_for_lock(s, count)) return code;
  }
}

static int open_handle(SqliteDb *s, const char *name, int flags) {
  int code = sqlite3_open_v2(name, &s->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_extended_result_codes(s->handle, 1);
  sqlite3_busy_handler(s->handle, wait_for_lock, s);
  // As in PostgreSQL, "x" is a name and never a text.
  sqlite3_db_config(s->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
  sqlite3_db_config(s->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
  code = run_plain(s, "PRAGMA synchronous = NORMAL", NULL, 0);
  if (code == SQLITE_OK) code = run_plain(s, "PRAGMA foreign_keys = OFF", NULL, 0);
  return code;
}

static void close_handle(SqliteDb *s) {
  sqlite3_close_v2(s->handle);
  s->handle = NULL;
}

// The log beside the file; false: it is absent or empty.
static bool find_log(const SqliteDb *s, struct stat *log) {
  Text name;
  text_init(&name);
  text_print(&name, "%s-wal", s->path);
  bool found = stat(name.at, log) == 0 && log->st_size > 0;
  text_done(&name);
  return found;
}

static uint64_t mix_in(uint64_t sum, const struct stat *s) {
  uint64_t parts[] = {(uint64_t)s->st_size, (uint64_t)s->st_mtim.tv_sec,
                      (uint64_t)s->st_mtim.tv_nsec};
  for (int i = 0; i < 3; i++) sum = (sum ^ parts[i]) * 0x100000001b3; // as in FNV-1a
  return sum;
}

// A number that changes with the data. Without the right to lock, data_version changes at every look: the times of the files
// tell it.
static int read_version(SqliteDb *s, int64_t *version) {
  struct stat file, log;
  char text[32] = "";
  if (!s->read_only) {
    int code = run_plain(s, "PRAGMA data_version", text, sizeof text);
    if (code == SQLITE_OK) *version = strtoll(text, NULL, 10);
    return code;
  }
  uint64_t sum = stat(s->path, &file) == 0 ? mix_in(1, &file) : 0;
  *version = (int64_t)(find_log(s, &log) ? mix_in(sum, &log) : sum);
  return SQLITE_OK;
}

// Where no lock can be made nobody else writes as long as there is no log: it can be read without locks.
static int open_unchanging(SqliteDb *s) {
  static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.";
  Text uri;
  text_init(&uri);
  text_add(&uri, "file:");
  for (const char *c = s->path; *c; c++)
    if (strchr(PLAIN, *c))
      text_add_bytes(&uri, c, 1);
    else
      text_print(&uri, "%%%02X", (unsigned char)*c);
  text_add(&uri, "?immutable=1");
  int code = open_handle(s, uri.at, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  if (code == SQLITE_OK) code = run_plain(s, "SELECT count(*) FROM sqlite_schema", NULL, 0);
  s->unchanging = true;
  text_done(&uri);
  return code;
}

static bool open_file(SqliteDb *s, Err *err) {
  char mode[16] = "wal";
  int code = open_handle(s, s->path, SQLITE_OPEN_READWRITE);
  bool writable = code == SQLITE_OK && sqlite3_db_readonly(s->handle, "main") == 0;
  if (writable)
    code = ask_for_log(s, mode, sizeof mode);
  else if (code == SQLITE_OK)
    code = run_plain(s, "SELECT count(*) FROM sqlite_schema", NULL, 0);
  int kind = code & 0xff;
  struct stat log;
  if ((kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY) && !find_log(s, &log)) {
    close_handle(s);
    code = open_unchanging(s);
  }
  s->read_only = !writable || s->unchanging;
  if (code == SQLITE_OK) code = read_version(s, &s->version);
  if (code != SQLITE_OK) return refuse(s, code, NULL, err);
  if (strcmp(mode, "wal") == 0) return true;
  return db_fail(&s->db, DB_WRONG, err,
                 "'%s' lies where SQLite cannot keep a write-ahead log (journal_mode is %s); put "
                 "the store on a local disk, or use postgresql://host/database",
                 s->db.place, mode);
}

static void remove_files(const SqliteDb *s) {
  static const char *const ENDINGS[] = {"", "-wal", "-shm", "-journal"};
  Text name;
  text_init(&name);
  for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
    text_clear(&name);
    text_print(&name, "%s%s", s->path, ENDINGS[i]);
    unlink(name.at);
  }
  text_done(&name);
}

static bool sqlite_connect(Db *db, bool create, Err *err) {
  SqliteDb *s = (SqliteDb *)db;
  char *copy = arena_copy(db->arena, db->place, strlen(db->place));
  if (!check_file_system(s, create ? dirname(copy) : db->place, err)) return false;
  if (create && !make_file(s, err)) return false;
  if (!find_file(s, err)) return false;
  if (open_file(s, err)) return true;
  close_handle(s);
  if (create) remove_files(s);
  return false;
}

static void sqlite_disconnect(Db *db) {
  SqliteDb *s = (SqliteDb *)db;
  close_handle(s);
  free(s->path);
  free(s->columns);
  s->path = NULL;
  s->columns = NULL;
  s->room = 0;
  s->unchanging = false;
}

// ---- statements

// What is written into a file that was deleted is lost without a word.
static bool is_same_file(SqliteDb *s, Err *err) {
  struct stat now;
  int64_t version = s->version;
  if (stat(s->path, &now) != 0 || now.st_dev != s->file.st_dev || now.st_ino != s->file.st_ino)
    return db_fail(&s->db, DB_LOST, err, "'%s' was moved or deleted while it was in use",
                   s->db.place);
  if (s->unchanging) read_version(s, &version);
  if (version == s->version) return true;
  return db_fail(&s->db, DB_LOST, err, "'%s', which is read-only here, was changed by another one",
                 s->db.place);
}

static bool is_ready(SqliteDb *s, Err *err) {
  if (!s->handle) return db_fail(&s->db, DB_LOST, err, "'%s' is not open any more", s->db.place);
  return !sqlite3_get_autocommit(s->handle) || is_same_file(s, err);
}

static bool prepare(SqliteDb *s, DbStatement *statement, Err *err) {
  sqlite3_stmt *made = NULL;
  const char *rest = NULL;
  int code =
      sqlite3_prepare_v3(s->handle, statement->sql, -1, SQLITE_PREPARE_PERSISTENT, &made, &rest);
  if (code != SQLITE_OK) return refuse(s, code, statement->sql, err);
  if (!made || rest[strspn(rest, " \t\n;")]) {
    sqlite3_finalize(made);
    return db_fail(&s->db, DB_WRONG, err, "one statement at a time, not: %.200s", statement->sql);
  }
  statement->prepared = made;
  return true;
}

static int bind(sqlite3_stmt *statement, int i, const DbValue *v) {
  switch (v->type) {
  case DB_NULL: return sqlite3_bind_null(statement, i);
  case DB_INT: return sqlite3_bind_int64(statement, i, v->integer);
  case DB_REAL: return sqlite3_bind_double(statement, i, v->real);
  case DB_TEXT:
    return sqlite3_bind_text64(statement, i, v->bytes, v->length, SQLITE_STATIC, SQLITE_UTF8);
  case DB_BYTES: return sqlite3_bind_blob64(statement, i, v->bytes, v->length, SQLITE_STATIC);
  }
  return SQLITE_MISUSE;
}

static bool bind_all(SqliteDb *s, DbStatement *statement, const DbCall *call, Err *err) {
  sqlite3_stmt *prepared = statement->prepared;
  int wanted = sqlite3_bind_parameter_count(prepared);
  if (wanted != call->count)
    return db_fail(&s->db, DB_WRONG, err, "%d parameters instead of %d for: %.200s", call->count,
                   wanted, statement->sql);
  for (int i = 0; i < call->count; i++) {
    int code = bind(prepared, i + 1, &call->parameters[i]);
    if (code != SQLITE_OK) return refuse(s, code, statement->sql, err);
  }
  return true;
}

static DbValue column(sqlite3_stmt *statement, int i) {
  int type = sqlite3_column_type(statement, i);
  switch (type) {
  case SQLITE_INTEGER: {
    const char *declared = sqlite3_column_decltype(statement, i);
    if (declared && strcmp(declared, DB_SQLITE_REAL) == 0)
      return db_real(sqlite3_column_double(statement, i));
    return db_int(sqlite3_column_int64(statement, i));
  }
  case SQLITE_FLOAT: return db_real(sqlite3_column_double(statement, i));
  case SQLITE_TEXT:
  case SQLITE_BLOB: { // as a text, since that has a closing NUL; no byte is changed
    const char *bytes = (const char *)sqlite3_column_text(statement, i);
    return (DbValue){.type = type == SQLITE_TEXT ? DB_TEXT : DB_BYTES,
                     .bytes = must_have((void *)bytes),
                     .length = (size_t)sqlite3_column_bytes(statement, i)};
  }
  default: return db_null();
  }
}

static bool hand_over_row(SqliteDb *s, sqlite3_stmt *statement, const DbCall *call) {
  int count = sqlite3_column_count(statement);
  if (count > s->room) {
    s->room = count;
    s->columns = must_have(realloc(s->columns, (size_t)count * sizeof *s->columns));
  }
  for (int i = 0; i < count; i++) s->columns[i] = column(statement, i);
  return call->row(call->data, s->columns, count);
}

static bool step_all(SqliteDb *s, DbStatement *statement, DbCall *call, Err *err) {
  int code;
  while ((code = sqlite3_step(statement->prepared)) == SQLITE_ROW)
    if (call->row && !hand_over_row(s, statement->prepared, call)) break;
  return code == SQLITE_ROW || code == SQLITE_DONE || refuse(s, code, statement->sql, err);
}

static bool sqlite_run(Db *db, DbStatement *statement, DbCall *call, Err *err) {
  SqliteDb *s = (SqliteDb *)db;
  if (!is_ready(s, err)) return false;
  if (!statement->prepared && !prepare(s, statement, err)) return false;
  sqlite3_int64 before = sqlite3_total_changes64(s->handle);
  bool done = bind_all(s, statement, call, err) && step_all(s, statement, call, err);
  // An autocommit ends here, and may fail. Only now it counts what it has changed.
  int code = sqlite3_reset(statement->prepared);
  sqlite3_clear_bindings(statement->prepared);
  call->changed = (long)(sqlite3_total_changes64(s->handle) - before);
  if (done && code != SQLITE_OK) return refuse(s, code, statement->sql, err);
  return done;
}

static void sqlite_forget(Db *db, DbStatement *statement) {
  (void)db;
  sqlite3_finalize(statement->prepared);
  statement->prepared = NULL;
}

// ---- transactions

static bool sqlite_begin(Db *db, Err *err) {
  SqliteDb *s = (SqliteDb *)db;
  if (!is_ready(s, err)) return false;
  int code = run_plain(s, "BEGIN IMMEDIATE", NULL, 0);
  return code == SQLITE_OK || refuse(s, code, "BEGIN IMMEDIATE", err);
}

// synchronous = NORMAL leaves the log to the system; this waits for the disk.
static int sync_log(SqliteDb *s) {
  sqlite3_file *log = NULL;
  int code = sqlite3_file_control(s->handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code != SQLITE_OK || !log || !log->pMethods) return code;
  return log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}

static bool sqlite_commit(Db *db, bool durable, Err *err) {
  SqliteDb *s = (SqliteDb *)db;
  int code = run_plain(s, "COMMIT", NULL, 0);
  if (code == SQLITE_OK && durable) code = sync_log(s);
  return code == SQLITE_OK || refuse(s, code, "COMMIT", err);
}

static void sqlite_rollback(Db *db) {
  SqliteDb *s = (SqliteDb *)db;
  if (s->handle && !sqlite3_get_autocommit(s->handle)) run_plain(s, "ROLLBACK", NULL, 0);
}

// The first column of the answer is 1 where others kept it from being done.
static bool sqlite_settle(Db *db, Err *err) {
  SqliteDb *s = (SqliteDb *)db;
  char busy[16] = "0";
  if (!is_ready(s, err)) return false;
  int code = run_plain(s, "PRAGMA wal_checkpoint(TRUNCATE)", busy, sizeof busy);
  if (code == SQLITE_OK && strcmp(busy, "0") != 0) code = SQLITE_BUSY;
  return code == SQLITE_OK || refuse(s, code, "PRAGMA wal_checkpoint", err);
}

// ---- waiting

static bool sqlite_notify(Db *db, Err *err) {
  (void)db;
  (void)err;
  return true;
}

static bool has_changed(SqliteDb *s) {
  if (!s->handle || s->db.trouble == DB_LOST) return false;
  if (!is_same_file(s, NULL)) return true;
  int64_t version = s->version;
  if (read_version(s, &version) != SQLITE_OK) return false; // the next look will tell
  bool changed = version != s->version;
  s->version = version;
  return changed;
}

static bool sqlite_wait(Db *db, double seconds) {
  SqliteDb *s = (SqliteDb *)db;
  double now = clock_seconds(), until = now + seconds, gap = SLICE;
  while (!has_changed(s)) {
    double next = now + gap < until ? now + gap : until;
    for (; now < next; now = clock_seconds()) {
      if (!patience_asks()) return false;
      pause_for(next - now < SLICE ? next - now : SLICE);
    }
    if (now >= until) return has_changed(s);
    gap = 1.5 * gap < LONGEST_LOOK ? 1.5 * gap : LONGEST_LOOK;
  }
  return true;
}

const DbKind DB_SQLITE = {
    .bytes = sizeof(SqliteDb),
    .connect = sqlite_connect,
    .disconnect = sqlite_disconnect,
    .run = sqlite_run,
    .forget = sqlite_forget,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .settle = sqlite_settle,
    .notify = sqlite_notify,
    .wait = sqlite_wait,
};
