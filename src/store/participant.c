#include "store/participant.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/c_locale.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/patience.h"

static const double TICK_SECONDS = 0.2, LOOK_SECONDS = 0.5;

struct Participant {
  Arena *arena;
  Store *store;
  int64_t id;
  const char *
      boot; // machine, start of it and name space of processes: where a process number means something
  double renewed, looked; // s of the clock
  atomic_int threads;
  // The thread that keeps what is claimed:
  pthread_t keeper;
  bool has_keeper;
  atomic_bool stop, hush; // it ends; what it does at present ends
  pthread_mutex_t look_lock;
  pthread_mutex_t lock; // of all below
  pthread_cond_t wake;
  void (*tick)(void *data);
  void *tick_data;
};

// ---------------------------------------------------------------- processes

// Ticks since the machine started, from /proc: with the number it is the only process of that name. 0: there is none.
static long start_of(long process) {
  char path[64], text[1024];
  c_snprintf(path, sizeof path, "/proc/%ld/stat", process);
  FILE *f = fopen(path, "re");
  if (!f) return 0;
  size_t got = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[got] = 0;
  char *at = strrchr(text, ')'); // the name of the program may hold anything
  if (at && (at[1] != ' ' || strchr("ZXx", at[2])))
    return 0; // it is dead, and waits for its parent
  for (int i = 0; at && i < 20; i++) at = strchr(at + 1, ' ');
  return at ? strtol(at, NULL, 10) : 0;
}

static const char *boot_of(Arena *a) {
  char space[64] = "", boot[64] = "";
  FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (f && !fgets(boot, sizeof boot, f)) boot[0] = 0;
  if (f) fclose(f);
  boot[strcspn(boot, "\n")] = 0;
  ssize_t got = readlink("/proc/self/ns/pid", space, sizeof space - 1);
  if (got <= 0 || !boot[0]) return ""; // nothing can be known of other processes
  return arena_print(a, "%s %s", boot, space);
}

// ---------------------------------------------------------------- its row

static bool take_id(void *data, const DbValue *columns, int count) {
  (void)count;
  *(int64_t *)data = db_as_int(&columns[0]);
  return true;
}

typedef struct NewWorker {
  Participant *p;
  const ParticipantAbout *about;
} NewWorker;

static bool insert_worker(Store *s, void *data, Err *err) {
  const NewWorker *n = data;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  DbValue values[] = {db_text(host),
                      db_text(n->p->boot),
                      db_int(getpid()),
                      db_int(start_of(getpid())),
                      db_int(n->about->threads),
                      db_text(n->about->tags),
                      db_text(n->about->fingerprint)};
  return db_run(s->db,
                "INSERT INTO worker (host, boot, process, started, threads, tags, fingerprint, "
                "began, seen, gone, study, done, repeated) VALUES ($1, $2, $3, $4, $5, $6, $7, "
                "{now}, {now}, 0, 0, 0, 0) RETURNING id",
                values, 7, take_id, &n->p->id, NULL, err);
}

static bool run_each(Store *s, const char *const *sql, const DbValue *values, int count, Err *err) {
  for (; *sql; sql++)
    if (!db_run(s->db, *sql, values, count, NULL, NULL, NULL, err)) return false;
  return true;
}

// What a participant had: its tries count, because nobody knows what they ended by.
static bool free_all(Store *s, int64_t worker, Err *err) {
  static const char *const SQL[] = {
      "UPDATE claim SET until = 0.0 WHERE worker = $1",
      "UPDATE part SET until = 0.0 WHERE worker = $1 AND answer IS NULL",
      "UPDATE study SET leader = 0, until = 0.0 WHERE leader = $1",
      "UPDATE worker SET gone = 1 WHERE id = $1",
      NULL,
  };
  DbValue id = db_int(worker);
  return run_each(s, SQL, &id, 1, err);
}

static bool leave(Store *s, void *data, Err *err) {
  const Participant *p = data;
  static const char *const SQL[] = {
      "UPDATE claim SET worker = 0, until = 0.0 WHERE worker = $1",
      "UPDATE part SET worker = 0, until = 0.0 WHERE worker = $1 AND answer IS NULL",
      NULL,
  };
  DbValue id = db_int(p->id);
  return run_each(s, SQL, &id, 1, err) && free_all(s, p->id, err) && db_notify(s->db, err);
}

static bool renew(Store *s, void *data, Err *err) {
  Participant *p = data;
  static const char *const SQL[] = {
      "UPDATE worker SET seen = {now}, gone = 0 WHERE id = $1",
      "UPDATE claim SET until = {now} + " LEASE_SQL " WHERE worker = $1",
      "UPDATE part SET until = {now} + " LEASE_SQL " WHERE worker = $1 AND answer IS NULL",
      "UPDATE study SET until = {now} + " LEASE_SQL " WHERE leader = $1",
      NULL,
  };
  DbValue id = db_int(p->id);
  int64_t threads = 1;
  if (!run_each(s, SQL, &id, 1, err) ||
      !db_run(s->db,
              "SELECT CAST(coalesce(sum(threads), 1) AS {int}) FROM worker WHERE gone = 0 AND seen "
              "> {now} - " LEASE_SQL,
              NULL, 0, take_id, &threads, NULL, err))
    return false;
  atomic_store(&p->threads, (int)threads);
  return true;
}

// ---------------------------------------------------------------- the dead

typedef struct OtherProcess {
  int64_t worker;
  long process, started;
} OtherProcess;

typedef struct OtherProcesses {
  Arena *a;
  ARRAY(OtherProcess) list;
} OtherProcesses;

static bool take_process(void *data, const DbValue *c, int count) {
  OtherProcesses *o = data;
  (void)count;
  OtherProcess one = {db_as_int(&c[0]), (long)db_as_int(&c[1]), (long)db_as_int(&c[2])};
  array_push(o->a, &o->list, one);
  return true;
}

typedef struct DeadWorker {
  int64_t worker;
} DeadWorker;

static bool bury(Store *s, void *data, Err *err) {
  return free_all(s, ((DeadWorker *)data)->worker, err) && db_notify(s->db, err);
}

void participant_bury_dead(Participant *p) {
  double now = clock_seconds();
  pthread_mutex_lock(&p->look_lock);
  bool due = now - p->looked > LOOK_SECONDS && p->boot[0];
  if (due) p->looked = now;
  pthread_mutex_unlock(&p->look_lock);
  if (!due) return;
  Arena *a = arena_new();
  OtherProcesses others = {.a = a};
  DbValue values[] = {db_text(p->boot), db_int(p->id)};
  store_query(p->store,
              "SELECT id, process, started FROM worker WHERE gone = 0 AND boot = $1 AND id <> $2",
              values, 2, take_process, &others);
  for (int i = 0; i < others.list.count; i++)
    if (start_of(others.list.at[i].process) != others.list.at[i].started)
      store_do(p->store, true, bury, &(DeadWorker){others.list.at[i].worker});
  arena_free(a);
}

// ---------------------------------------------------------------- the thread

static bool keeps_on(void *data) {
  Participant *p = data;
  return !atomic_load(&p->stop) && !atomic_load(&p->hush);
}

// What is due, as long as nobody waits for the end of it.
static void keep_now(Participant *p) {
  Patience patience = {.goes_on = keeps_on, .data = p};
  patience_begin(&patience);
  if (p->tick) p->tick(p->tick_data);
  if (clock_seconds() - p->renewed > LEASE_SECONDS / 4 && store_do(p->store, false, renew, p))
    p->renewed = clock_seconds();
  patience_end(&patience);
}

static void *keep(void *data) {
  Participant *p = data;
  pthread_mutex_lock(&p->lock);
  while (!atomic_load(&p->stop)) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(TICK_SECONDS * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&p->wake, &p->lock, &until);
    if (!atomic_load(&p->stop)) keep_now(p);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

void participant_tick(Participant *p, void (*tick)(void *data), void *data) {
  atomic_store(&p->hush, true);
  pthread_mutex_lock(&p->lock);
  atomic_store(&p->hush, false);
  p->tick = tick;
  p->tick_data = data;
  pthread_mutex_unlock(&p->lock);
}

Participant *participant_new(Store *s, const ParticipantAbout *about, Err *err) {
  Arena *a = arena_new();
  Participant *p = ARENA_NEW(a, Participant);
  p->arena = a;
  p->store = s;
  p->boot = boot_of(a);
  p->renewed = clock_seconds();
  atomic_store(&p->threads, about->threads);
  pthread_mutex_init(&p->lock, NULL);
  pthread_mutex_init(&p->look_lock, NULL);
  pthread_condattr_t by;
  pthread_condattr_init(&by);
  pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
  pthread_cond_init(&p->wake, &by);
  pthread_condattr_destroy(&by);
  if (!store_do(s, true, insert_worker, &(NewWorker){p, about})) {
    if (s->failed && err && !err->code) *err = s->err;
    if (!s->failed) fail(err, ERR_STOPPED, "it was stopped before the store answered");
    arena_free(a);
    return NULL;
  }
  p->has_keeper = pthread_create(&p->keeper, NULL, keep, p) == 0;
  participant_bury_dead(p);
  return p;
}

void participant_free(Participant *p) {
  if (!p) return;
  atomic_store(&p->stop, true);
  pthread_mutex_lock(&p->lock);
  pthread_cond_signal(&p->wake);
  pthread_mutex_unlock(&p->lock);
  if (p->has_keeper) pthread_join(p->keeper, NULL);
  store_do(p->store, true, leave, p);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->lock);
  pthread_mutex_destroy(&p->look_lock);
  arena_free(p->arena);
}

Store *participant_store(const Participant *p) {
  return p->store;
}

int64_t participant_id(const Participant *p) {
  return p->id;
}

int participant_threads(const Participant *p) {
  return atomic_load((atomic_int *)&p->threads);
}
