// entrain-worker: the process in which a closed simulator runs. The host program speaks to it through descriptor 3: first what it will
// simulate, then one message for each simulation. It ends with its host, whatever its simulator does.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/sanitizer.h"
#include "closed/call_message.h"
#include "closed/process.h"
#include "closed/session.h"
#include "closed/worker_open.h"
#include "fmu/fmu_run.h"
#include "fmu/fmu_spec.h"
#include "program/program.h"

enum { HOST = 3, HIGH = 200 }; // descriptors

typedef struct Worker {
  int host;
  Arena *arena; // as long as the worker
  WorkerOpen open;
  FmuRunner *fmu;
  ClosedProgram *program;
  char *scratch; // folder of its runs
  Message in, out;
} Worker;

// ---------------------------------------------------------------- the host

static bool read_all(int from, void *to, size_t length) {
  for (char *at = to; length;) {
    ssize_t got = read(from, at, length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    length -= (size_t)got;
  }
  return true;
}

static bool receive(Worker *w) {
  unsigned long length;
  errno = 0;
  if (!read_all(w->host, &length, sizeof length)) return false;
  return read_all(w->host, message_room(&w->in, length), length);
}

// What the simulator has printed goes first.
static bool answer(Worker *w) {
  unsigned long length = w->out.length;
  fflush(NULL);
  errno = 0;
  return file_write_all(w->host, &length, sizeof length) &&
         file_write_all(w->host, w->out.at, length);
}

// ---------------------------------------------------------------- the end

static const double LET_GO = 5; // s that a killed host may take until its lock is free
enum { PAUSE = 2000 };          // us
enum { WATCH_MOST = 30 };       // s: the watcher takes no longer

// Held while a program runs, by the watcher at the end: then no further one begins.
static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER;

// The program is killed with its children and reaped, its folder removed. A host that lives waits a moment only.
static void end_program(const Worker *w, double seconds) {
  double until = clock_seconds() + seconds;
  while (w->program && pthread_mutex_trylock(&running) != 0 && clock_seconds() < until) {
    program_stop();
    usleep(PAUSE);
  }
}

// A process that dies closes the connection before it lets go of its lock.
static void sweep_host(const Worker *w) {
  double until = clock_seconds() + LET_GO;
  while (!session_sweep(w->open.session) && clock_seconds() < until) usleep(PAUSE);
}

// Ends everything when the host is gone, or wants the end, even if the simulator hangs. A host that lives shuts down its
// direction of the connection only, and removes its folder itself.
static void *watch(void *data) {
  const Worker *w = data;
  struct pollfd host = {w->host, POLLRDHUP, 0};
  pid_t parent = getppid();
  while (poll(&host, 1, -1) < 0 && errno == EINTR) continue;
  bool closed_here = host.revents & POLLNVAL; // by the simulator
  while (closed_here && getppid() == parent) usleep(50 * PAUSE);
  bool lives = !(host.revents & (POLLHUP | POLLERR | POLLNVAL));
  end_program(w, lives ? PROCESS_GENTLE : LET_GO);
  if (w->scratch) folder_remove(w->scratch);
  if (!lives && w->open.session) sweep_host(w);
  kill(0, SIGKILL);
  _exit(0);
}

// ---------------------------------------------------------------- beginning

static void set_limits(const Worker *w) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(SIGPIPE, SIG_IGN);
  if (w->open.kind == WORKER_PROGRAM) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#ifndef ADDRESS_SANITIZER // which reserves more address space than any limit
  struct rlimit memory = {(rlim_t)w->open.memory, (rlim_t)w->open.memory};
  if (w->open.kind == WORKER_FMU && w->open.memory > 0) setrlimit(RLIMIT_AS, &memory);
#endif
}

static bool open_simulator(Worker *w, Err *err) {
  if (w->open.kind == WORKER_FMU) {
    FmuSpec *spec = fmu_spec_get(&w->in, w->arena);
    w->fmu = spec ? fmu_runner_open(spec, err) : NULL;
    return w->fmu != NULL;
  }
  const ProgramSpec *spec = program_spec_get(&w->in, w->arena);
  w->program = spec ? program_open(w->arena, spec, NULL, err) : NULL;
  w->scratch = arena_print(w->arena, "%s/runs-%ld", w->open.session, (long)getpid());
  if (w->program && mkdir(w->scratch, 0700) != 0)
    return fail(err, ERR_FILE, "%s cannot be made: %s", w->scratch, strerror(errno));
  return w->program != NULL;
}

static bool begin_watch(Worker *w, Err *err) {
  pthread_t watcher;
  int error = pthread_create(&watcher, NULL, watch, w);
  if (error)
    return fail(err, ERR_FILE, "entrain-worker cannot start a thread: %s", strerror(error));
  pthread_detach(watcher);
  return true;
}

// The answer is empty, or what is wrong.
static bool begin(Worker *w) {
  char wrong[1600] = "";
  Err err = {0};
  if (!receive(w)) _exit(0);
  message_clear(&w->out);
  bool ok = worker_open_get(&w->in, w->arena, &w->open);
  if (!ok) fail(&err, ERR_INTERNAL, "entrain-worker belongs to another version of entrain");
  ok = begin_watch(w, &err) && ok;
  if (ok) set_limits(w);
  ok = ok && open_simulator(w, &err);
  if (!ok) err_format(&err, wrong, sizeof wrong);
  if (!ok && !err.line) memcpy(wrong, err.text, sizeof err.text);
  put_text(&w->out, wrong);
  return answer(w) && ok;
}

static bool serve(Worker *w, Arena *scratch) {
  if (!receive(w)) return false;
  arena_reset(scratch);
  const SimulatorCall *call = simulator_call_get(&w->in, scratch);
  if (!call) _exit(2); // the host speaks another language
  SimulatorAnswer *a = simulator_answer_new(scratch, call);
  if (w->fmu) {
    fmu_runner_run(w->fmu, call, a);
  } else {
    pthread_mutex_lock(&running);
    program_run(w->program, w->scratch, call, a);
    pthread_mutex_unlock(&running);
  }
  message_clear(&w->out);
  simulator_answer_put(&w->out, call, a);
  return answer(w);
}

int main(void) {
  Worker w = {.host = fcntl(HOST, F_DUPFD_CLOEXEC, HIGH), .arena = arena_new()};
  if (w.host < 0) {
    fprintf(stderr, "entrain-worker is started by entrain, not by hand\n");
    return 2;
  }
  close(HOST);
  message_init(&w.in);
  message_init(&w.out);
  bool ok = begin(&w);
  Arena *scratch = arena_new();
  while (ok && serve(&w, scratch)) continue;
  if (errno == EBADF) { // nobody else sees that
    dprintf(STDERR_FILENO, "the simulator has closed the connection to entrain\n");
    _exit(1);
  }
  sleep(WATCH_MOST); // the host ends it, or the watcher
  _exit(1);
}
