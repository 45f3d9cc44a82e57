#include "closed/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/patience.h"
#include "base/visible.h"

extern char **environ;

// ---------------------------------------------------------------- the program

static bool is_program(const char *path) {
  return access(path, X_OK) == 0;
}

// Beside a file, or where 'make install' puts it.
static const char *near_file(Arena *a, const char *file) {
  static const char *const PLACES[] = {"entrain-worker", "../libexec/entrain/entrain-worker",
                                       "../entrain-worker"};
  const char *slash = strrchr(file, '/');
  int length = slash ? (int)(slash - file) : 1;
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
    const char *path = arena_print(a, "%.*s/%s", length, slash ? file : ".", PLACES[i]);
    if (is_program(path)) return path;
  }
  return NULL;
}

const char *worker_program(Arena *a, Err *err) {
  const char *named = getenv("ENTRAIN_WORKER"), *found = NULL;
  if (named && is_program(named)) return named;
  if (named) {
    fail(err, ERR_FILE, "ENTRAIN_WORKER is '%.200s', which cannot be executed", named);
    return NULL;
  }
  Dl_info own;
  char self[4096];
  if (dladdr((void *)(size_t)&worker_program, &own) && own.dli_fname)
    found = near_file(a, own.dli_fname);
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (!found && length > 0) {
    self[length] = 0;
    found = near_file(a, self);
  }
  if (!found)
    fail(err, ERR_FILE,
         "the program entrain-worker, in which FMUs and programs run, is not beside entrain or its "
         "library; name it by the environment variable ENTRAIN_WORKER");
  return found;
}

// ---------------------------------------------------------------- beginning and end

static bool spawn(Process *p, const char *program, int theirs, int log, int nothing) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, nothing, 0);
  posix_spawn_file_actions_adddup2(&files, log, 1);
  posix_spawn_file_actions_adddup2(&files, log, 2);
  posix_spawn_file_actions_adddup2(&files, theirs, 3);
  posix_spawn_file_actions_addclosefrom_np(&files, 4);
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  char name[] = "entrain-worker";
  char *const arguments[] = {name, NULL};
  int error = posix_spawn(&p->pid, program, &files, &how, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  errno = error;
  return error == 0;
}

// Above 9, so that the child's 0 to 3 are never among them.
static int high(int descriptor) {
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
  close(descriptor);
  return moved;
}

Process *process_start(const char *program, Err *err) {
  Process *p = must_have(calloc(1, sizeof *p));
  int pair[2] = {-1, -1}, log[2] = {-1, -1}, nothing = -1;
  message_init(&p->in);
  bool ok = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
  ok = ok && pipe2(log, O_CLOEXEC) == 0;
  for (int i = 0; ok && i < 2; i++) pair[i] = high(pair[i]), log[i] = high(log[i]);
  ok = ok && (nothing = high(open("/dev/null", O_RDONLY | O_CLOEXEC))) >= 0;
  ok = ok && pair[0] >= 0 && pair[1] >= 0 && log[0] >= 0 && log[1] >= 0;
  ok = ok && fcntl(log[0], F_SETFL, O_NONBLOCK) == 0;
  ok = ok && spawn(p, program, pair[1], log[1], nothing);
  if (!ok) fail(err, ERR_FILE, "the worker %s cannot be started: %s", program, strerror(errno));
  close(pair[1]);
  close(log[1]);
  close(nothing);
  p->socket = pair[0];
  p->log = log[0];
  if (ok) return p;
  p->has_ended = true;
  process_free(p);
  return NULL;
}

static bool reap(Process *p, bool wait) {
  if (p->has_ended) return true;
  struct rusage used = {0};
  pid_t got;
  do got = wait4(p->pid, &p->status, wait ? 0 : WNOHANG, &used);
  while (got < 0 && errno == EINTR);
  if (got == 0) return false;
  p->has_ended = true; // or somebody else has reaped it: the status is unknown
  if (got < 0) p->status = 0;
  p->peak = 1024.0 * (double)used.ru_maxrss;
  return true;
}

void process_end(Process *p, bool gently) {
  if (gently && !p->has_ended) {
    shutdown(p->socket, SHUT_WR); // of a host that is gone both directions are closed
    for (double until = patience_clock() + PROCESS_GENTLE;
         !reap(p, false) && patience_clock() < until;)
      usleep(500);
  }
  if (!p->has_ended) kill(-p->pid, SIGKILL);
  reap(p, true);
  kill(-p->pid, SIGKILL); // children that outlived it
}

void process_free(Process *p) {
  if (!p) return;
  if (p->socket >= 0) close(p->socket);
  if (p->log >= 0) close(p->log);
  message_done(&p->in);
  free(p);
}

// ---------------------------------------------------------------- messages

static const double SEND_SECONDS = 10; // without progress: a worker that does not read is of no use

static bool can_send(int socket, double since) {
  struct pollfd at = {socket, POLLOUT, 0};
  poll(&at, 1, 20);
  return patience_asks() && patience_clock() - since < SEND_SECONDS;
}

static bool send_all(int socket, const char *bytes, size_t length) {
  double since = patience_clock();
  while (length) {
    ssize_t sent = send(socket, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    bool full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (sent < 0 && errno == EINTR) continue;
    if (full && can_send(socket, since)) continue;
    if (sent <= 0) return false;
    since = patience_clock();
    bytes += sent;
    length -= (size_t)sent;
  }
  return true;
}

// The length, then the bytes.
bool process_send(Process *p, const Message *m) {
  unsigned long length = m->length;
  p->in_begun = false;
  p->in_have = 0;
  return send_all(p->socket, (const char *)&length, sizeof length) &&
         send_all(p->socket, m->at, m->length);
}

static const unsigned long ANSWER_MOST = 1UL << 36; // bytes

// What has come of the answer. A simulator may write into the socket, too: an impossible length ends it.
static ProcessEvent receive(Process *p) {
  for (;;) {
    size_t want = p->in_begun ? p->in_length : sizeof p->in_length;
    char *to = p->in_begun ? p->in.at : (char *)&p->in_length;
    if (p->in_have == want && p->in_begun) return PROCESS_ANSWER;
    if (p->in_have == want) {
      if (p->in_length > ANSWER_MOST) return PROCESS_GONE;
      message_room(&p->in, p->in_length);
      p->in_begun = true;
      p->in_have = 0;
      continue;
    }
    ssize_t got = recv(p->socket, to + p->in_have, want - p->in_have, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return PROCESS_NOTHING;
    if (got <= 0) return PROCESS_GONE;
    p->in_have += (size_t)got;
  }
}

static const double LEAVE = 0.8; // s between the end of the connection and that of the process

// A process that dies closes its connection a moment before it can be waited for; one that has closed it otherwise is of no use.
static void end_gone(Process *p) {
  for (double until = patience_clock() + LEAVE; !reap(p, false) && patience_clock() < until;)
    usleep(200);
  p->left = !p->has_ended;
  process_end(p, false);
  process_read_log(p);
}

static ProcessEvent look(Process *const *list, int count, struct pollfd *at, int *which) {
  for (int i = 0; i < count; i++) {
    if (at[2 * i + 1].revents) process_read_log(list[i]);
    if (!at[2 * i].revents) continue;
    ProcessEvent e = receive(list[i]);
    *which = i;
    if (e == PROCESS_GONE) end_gone(list[i]);
    if (e != PROCESS_NOTHING) return e;
  }
  return PROCESS_NOTHING;
}

enum { WAITED_MOST = 1024 };

ProcessEvent process_wait(Process *const *list, int count, double seconds, int *which) {
  struct pollfd at[2 * WAITED_MOST];
  double until = patience_clock() + seconds;
  if (count > WAITED_MOST) count = WAITED_MOST;
  for (;;) {
    double left = until - patience_clock();
    for (int i = 0; i < count; i++) {
      at[2 * i] = (struct pollfd){list[i]->socket, POLLIN, 0};
      at[2 * i + 1] = (struct pollfd){list[i]->log_ended ? -1 : list[i]->log, POLLIN, 0};
    }
    int ready = poll(at, (nfds_t)(2 * count), left > 0 ? (int)(1000 * left) + 1 : 0);
    if (ready > 0) {
      ProcessEvent e = look(list, count, at, which);
      if (e != PROCESS_NOTHING) return e;
    }
    if (patience_clock() >= until) return PROCESS_NOTHING;
  }
}

// ---------------------------------------------------------------- the log

static void keep(Process *p, const char *bytes, size_t length) {
  if (length > PROCESS_LOG_MOST) bytes += length - PROCESS_LOG_MOST, length = PROCESS_LOG_MOST;
  size_t stays = p->last_length;
  if (stays + length > PROCESS_LOG_MOST) stays = PROCESS_LOG_MOST - length;
  memmove(p->last, p->last + p->last_length - stays, stays);
  memcpy(p->last + stays, bytes, length);
  p->last_length = stays + length;
  p->last[p->last_length] = 0;
}

// At most a pipe full at a time: a simulator that prints without end must not hold up its host.
void process_read_log(Process *p) {
  char bytes[16384];
  for (int i = 0; i < 8; i++) {
    ssize_t got = read(p->log, bytes, sizeof bytes);
    if (got == 0) p->log_ended = true;
    if (got <= 0) return;
    keep(p, bytes, (size_t)got);
  }
}

void process_clear_log(Process *p) {
  process_read_log(p);
  p->last_length = 0;
  p->last[0] = 0;
}

// From the beginning of a line, where there is one.
void process_log(const Process *p, char *out, size_t size) {
  size_t most = size / 2, from = p->last_length > most ? p->last_length - most : 0;
  const char *line = from ? memchr(p->last + from, '\n', p->last_length - from) : NULL;
  if (line && line[1]) from = (size_t)(line + 1 - p->last);
  size_t length = p->last_length - from;
  memcpy(out, p->last + from, length);
  out[length] = 0;
  for (size_t i = 0; i < length; i++)
    if (!out[i]) out[i] = ' ';
  while (length && out[length - 1] == '\n') out[--length] = 0;
  visible_fixed(out, size);
}
