#include "closed/workers.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/c_locale.h"
#include "base/memory.h"
#include "base/patience.h"
#include "base/pool.h"
#include "closed/call_message.h"
#include "closed/process.h"

static const double ASK_EACH = 0.02;   // s between questions whether to go on
static const double LATE = 2;          // s that a worker with a time-out of its own has more
static const double OPEN_SECONDS = 60; // s that loading a simulator may take
static const double NEAR_LIMIT = 0.6;  // of the memory limit: then that ended it

struct Workers {
  WorkerSetup setup;
  Arena *arena;
  const char *program;
  pthread_mutex_t lock;
  pthread_cond_t freed;
  Process **idle;
  int idle_count, idle_room;
  int busy, most;
};

Workers *workers_new(const WorkerSetup *setup) {
  Arena *a = arena_new();
  Workers *w = ARENA_NEW(a, Workers);
  w->arena = a;
  w->setup = *setup;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->freed, NULL);
  workers_set_most(w, 0);
  return w;
}

int workers_most(const Workers *w) {
  return w->most;
}

void workers_set_most(Workers *w, int most) {
  w->most = most > 0 ? most : pool_cores();
}

void workers_free(Workers *w) {
  if (!w) return;
  for (int i = 0; i < w->idle_count; i++) process_end(w->idle[i], w->setup.gently);
  for (int i = 0; i < w->idle_count; i++) process_free(w->idle[i]);
  free(w->idle);
  message_done(&w->setup.open);
  pthread_mutex_destroy(&w->lock);
  pthread_cond_destroy(&w->freed);
  arena_free(w->arena);
}

// ---------------------------------------------------------------- a new worker

static void say_gone(const Process *p, char *out, size_t size) {
  if (p->left)
    c_snprintf(out, size, "closed its connection to entrain");
  else if (WIFSIGNALED(p->status))
    c_snprintf(out, size, "was ended by signal %d (%s)", WTERMSIG(p->status),
               strsignal(WTERMSIG(p->status)));
  else
    c_snprintf(out, size, "ended its process with exit status %d", WEXITSTATUS(p->status));
}

// A process that has been told what it will simulate; its answer is still to come.
static Process *start(Workers *w, Err *err) {
  pthread_mutex_lock(&w->lock);
  if (!w->program) w->program = worker_program(w->arena, err);
  pthread_mutex_unlock(&w->lock);
  Process *p = w->program ? process_start(w->program, err) : NULL;
  if (p) process_send(p, &w->setup.open); // one that is gone is seen when its answer is waited for
  return p;
}

// The answer to the first message is empty, or what is wrong. PROCESS_NOTHING: it has not come.
static bool has_opened(const Workers *w, Process *p, ProcessEvent e, Err *err) {
  const char *name = w->setup.name;
  char how[200], log[1000];
  if (e == PROCESS_ANSWER) {
    Arena *a = arena_new();
    const char *wrong = get_text(&p->in, a);
    bool ok = wrong && !wrong[0] && !p->in.bad;
    if (!ok)
      fail(err, ERR_MODEL, "%s", wrong && wrong[0] ? wrong : "the worker is of another version");
    arena_free(a);
    return ok;
  }
  if (e == PROCESS_NOTHING && !patience_asks())
    return fail(err, ERR_STOPPED, "stopped while %s was loaded", name);
  process_log(p, log, sizeof log);
  const char *wrote = log[0] ? "; it wrote:\n" : "";
  if (e == PROCESS_NOTHING)
    return fail(err, ERR_MODEL, "%s did not finish loading within %g s%s%s", name, OPEN_SECONDS,
                wrote, log);
  say_gone(p, how, sizeof how);
  return fail(err, ERR_MODEL, "%s %s while it was loaded%s%s", name, how, wrote, log);
}

// ---------------------------------------------------------------- idle ones

static void give_back(Workers *w, Process *p, bool used) {
  bool stays = !p->has_ended && !(used && w->setup.once);
  if (!stays) process_end(p, w->setup.gently), process_free(p);
  pthread_mutex_lock(&w->lock);
  if (stays && w->idle_count == w->idle_room) {
    w->idle_room = 2 * w->idle_room + 4;
    w->idle = must_have(realloc(w->idle, (size_t)w->idle_room * sizeof(Process *)));
  }
  if (stays) w->idle[w->idle_count++] = p;
  w->busy--;
  pthread_cond_signal(&w->freed);
  pthread_mutex_unlock(&w->lock);
}

static void wait_a_moment(Workers *w) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(1e9 * ASK_EACH);
  if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
  pthread_cond_clockwait(&w->freed, &w->lock, CLOCK_MONOTONIC, &until);
}

// A place among those that may be busy. wait: until there is one, or patience is over.
static bool take_place(Workers *w, bool wait) {
  bool got = false;
  pthread_mutex_lock(&w->lock);
  for (;;) {
    got = w->busy < w->most;
    if (got || !wait) break;
    wait_a_moment(w);
    pthread_mutex_unlock(&w->lock);
    bool on = patience_asks();
    pthread_mutex_lock(&w->lock);
    if (!on) break;
  }
  if (got) w->busy++;
  pthread_mutex_unlock(&w->lock);
  return got;
}

static void leave_place(Workers *w) {
  pthread_mutex_lock(&w->lock);
  w->busy--;
  pthread_cond_signal(&w->freed);
  pthread_mutex_unlock(&w->lock);
}

static Process *take_idle(Workers *w) {
  pthread_mutex_lock(&w->lock);
  Process *p = w->idle_count ? w->idle[--w->idle_count] : NULL;
  pthread_mutex_unlock(&w->lock);
  return p;
}

bool workers_try(Workers *w, Err *err) {
  if (!take_place(w, true)) return fail(err, ERR_STOPPED, "stopped");
  Process *p = take_idle(w);
  bool ok = p != NULL;
  if (!ok && (p = start(w, err))) {
    int which;
    ProcessEvent e = PROCESS_NOTHING;
    double until = patience_clock() + OPEN_SECONDS;
    while (e == PROCESS_NOTHING && patience_clock() < until && patience_asks())
      e = process_wait(&p, 1, ASK_EACH, &which);
    ok = has_opened(w, p, e, err);
    if (!ok) process_end(p, w->setup.gently);
  }
  if (p)
    give_back(w, p, false);
  else
    leave_place(w);
  return ok;
}

// ---------------------------------------------------------------- runs

typedef struct WorkerRun {
  Process *process;
  int call;
  bool opening; // the worker is new and loads its simulator; the call is sent afterwards
  double until;
} WorkerRun;

typedef struct Runs {
  Workers *w;
  const SimulatorCall *const *calls;
  SimulatorAnswer *const *answers;
  WorkerRun *running;
  int count;
  Message message;
} Runs;

static bool send_call(Runs *r, WorkerRun *run) {
  const WorkerSetup *s = &r->w->setup;
  double limit = s->timeout > 0 ? s->timeout + (s->own_timeout ? LATE : 0) : HUGE_VAL;
  process_clear_log(run->process);
  message_clear(&r->message);
  simulator_call_put(&r->message, r->calls[run->call]);
  run->opening = false;
  bool sent = process_send(run->process, &r->message);
  run->until = patience_clock() + limit;
  return sent;
}

static void refuse(const Runs *r, int call, const Err *err) {
  const SimulatorCall *c = r->calls[call];
  answer_end(r->answers[call], err->code == ERR_STOPPED ? OUTCOME_STOPPED : OUTCOME_REFUSED,
             c->origin + c->start, "%s", err->text);
}

// With an idle worker, or a new one; there is a place for it.
static void begin(Runs *r, int call) {
  WorkerRun run = {.call = call};
  Err err = {0};
  while ((run.process = take_idle(r->w))) { // which may have died meanwhile
    if (send_call(r, &run)) break;
    process_end(run.process, r->w->setup.gently);
    process_free(run.process);
  }
  if (!run.process) {
    run.opening = true;
    run.until = patience_clock() + OPEN_SECONDS;
    run.process = start(r->w, &err);
  }
  if (run.process) {
    r->running[r->count++] = run;
  } else {
    refuse(r, call, &err);
    leave_place(r->w);
  }
}

static void drop(Runs *r, int i) {
  give_back(r->w, r->running[i].process, true);
  r->running[i] = r->running[--r->count];
}

// The simulator of a new worker is loaded, or cannot be.
static void finish_opening(Runs *r, int i, ProcessEvent e) {
  WorkerRun *run = &r->running[i];
  Err err = {0};
  if (has_opened(r->w, run->process, e, &err)) {
    if (send_call(r, run)) return;
    fail(&err, ERR_MODEL, "the worker of %s cannot be reached", r->w->setup.name);
  }
  refuse(r, run->call, &err);
  process_end(run->process, r->w->setup.gently);
  drop(r, i);
}

static void take_log(const Process *p, SimulatorAnswer *answer) {
  char log[sizeof answer->log];
  process_log(p, log, sizeof log);
  size_t used = strlen(answer->log);
  if (log[0] && used + 2 < sizeof answer->log)
    c_snprintf(answer->log + used, sizeof answer->log - used, "%s%s", used ? "\n" : "", log);
}

static void end_gone(const Runs *r, const Process *p, const SimulatorCall *c,
                     SimulatorAnswer *answer) {
  const WorkerSetup *s = &r->w->setup;
  char how[200];
  double at = c->origin + c->start;
  say_gone(p, how, sizeof how);
  bool memory = s->memory > 0 && p->peak > NEAR_LIMIT * s->memory;
  if (memory)
    answer_end(answer, OUTCOME_NO_MEMORY, at,
               "%s %s when it had used %.0f MB of the %.0f MB that it may use (key memory)",
               s->name, how, p->peak / 1e6, s->memory / 1e6);
  else
    answer_end(answer, WIFSIGNALED(p->status) && !p->left ? OUTCOME_CRASHED : OUTCOME_EXITED, at,
               "%s %s", s->name, how);
  answer->rows = 0;
  take_log(p, answer);
}

static void finish(Runs *r, int i, ProcessEvent e) {
  WorkerRun *run = &r->running[i];
  if (run->opening) {
    finish_opening(r, i, e);
    return;
  }
  const SimulatorCall *c = r->calls[run->call];
  SimulatorAnswer *answer = r->answers[run->call];
  if (e == PROCESS_ANSWER && !simulator_answer_get(&run->process->in, c, answer)) {
    process_end(run->process, r->w->setup.gently);
    answer_end(answer, OUTCOME_BAD_OUTPUT, c->origin + c->start,
               "the worker of %s gave an answer that cannot be read", r->w->setup.name);
    answer->rows = 0;
  }
  if (e == PROCESS_ANSWER) process_read_log(run->process), take_log(run->process, answer);
  if (e == PROCESS_GONE) end_gone(r, run->process, c, answer);
  drop(r, i);
}

static void end_late(Runs *r) {
  double now = patience_clock();
  for (int i = r->count - 1; i >= 0; i--) {
    WorkerRun *run = &r->running[i];
    if (now < run->until) continue;
    if (run->opening) {
      finish_opening(r, i, PROCESS_NOTHING);
      continue;
    }
    const SimulatorCall *c = r->calls[run->call];
    SimulatorAnswer *answer = r->answers[run->call];
    process_end(run->process, r->w->setup.gently);
    process_read_log(run->process);
    answer_end(answer, OUTCOME_TIMED_OUT, c->origin + c->start,
               "%s took longer than its timeout of %g s", r->w->setup.name, r->w->setup.timeout);
    answer->rows = 0;
    take_log(run->process, answer);
    drop(r, i);
  }
}

static void stop_all(Runs *r, int from, int count) {
  while (r->count) {
    WorkerRun *run = &r->running[r->count - 1];
    process_end(run->process, r->w->setup.gently);
    r->answers[run->call]->outcome = OUTCOME_STOPPED;
    drop(r, r->count - 1);
  }
  for (int i = from; i < count; i++) r->answers[i]->outcome = OUTCOME_STOPPED;
}

static double next_deadline(const Runs *r) {
  double wait = ASK_EACH, now = patience_clock();
  for (int i = 0; i < r->count; i++) wait = fmin(wait, r->running[i].until - now);
  return fmax(wait, 0);
}

void workers_run(Workers *w, const SimulatorCall *const *calls, SimulatorAnswer *const *answers,
                 int count) {
  Runs r = {.w = w, .calls = calls, .answers = answers};
  int next = 0, which;
  r.running = must_have(calloc((size_t)count + 1, sizeof *r.running));
  Process **list = must_have(calloc((size_t)count + 1, sizeof *list));
  message_init(&r.message);
  while (next < count || r.count) {
    while (next < count && take_place(w, r.count == 0)) begin(&r, next++);
    if (next < count && r.count == 0 && !patience_asks()) break;
    for (int i = 0; i < r.count; i++) list[i] = r.running[i].process;
    ProcessEvent e =
        r.count ? process_wait(list, r.count, next_deadline(&r), &which) : PROCESS_NOTHING;
    if (e != PROCESS_NOTHING)
      finish(&r, which, e);
    else if (!patience_asks())
      break;
    end_late(&r);
  }
  stop_all(&r, next, count);
  message_done(&r.message);
  free(list);
  free(r.running);
}
