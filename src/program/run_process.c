#include "program/run_process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/patience.h"
#include "program/descendants.h"

enum {
  LOOK_MS = 20,      // between two questions whether to stop
  LOOK_BLIND_MS = 2, // the same without pidfd: also whether it has ended
  LAST_READS = 64,   // of what is left in the pipe at the end: it holds 64 kB unless enlarged
};

// The only thing that is shared with signal handlers: somebody wants the run to end.
static atomic_bool stop_wanted;

void run_process_stop(void) {
  atomic_store(&stop_wanted, true);
}

void run_process_begin(void) {
  atomic_store(&stop_wanted, false);
}

bool run_process_is_stopped(void) {
  return atomic_load(&stop_wanted);
}

// ---- in the child, between fork and exec: system calls only

enum { FD_TROUBLE = 3, FD_ABOVE = 10 };

static void limit(int resource, rlim_t value) {
  setrlimit(resource, &(struct rlimit){value, value});
}

static void default_signals(void) {
  for (int s = 1; s < NSIG; s++) signal(s, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// Numbers above those that it is going to have.
static bool move_descriptors(int *folder, int *log, int *trouble) {
  *folder = fcntl(*folder, F_DUPFD, FD_ABOVE);
  *log = fcntl(*log, F_DUPFD, FD_ABOVE);
  *trouble = fcntl(*trouble, F_DUPFD, FD_ABOVE);
  return *folder >= 0 && *log >= 0 && *trouble >= 0;
}

static bool place_descriptors(int folder, int log, int trouble) {
  int null = open("/dev/null", O_RDONLY);
  if (null < 0 || fchdir(folder) != 0) return false;
  if (dup2(null, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0) return false;
  if (dup2(log, STDERR_FILENO) < 0 || dup2(trouble, FD_TROUBLE) < 0) return false;
  fcntl(FD_TROUBLE, F_SETFD, FD_CLOEXEC);
  closefrom(FD_TROUBLE + 1);
  return true;
}

// Does not return. What goes wrong before the program runs is written to `trouble`, which exec closes.
static void become(const RunProcess *p, pid_t parent, int log, int trouble) {
  int folder = p->folder;
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool orphan = getppid() != parent; // which died before
  bool ready = !orphan && move_descriptors(&folder, &log, &trouble) &&
               place_descriptors(folder, log, trouble);
  if (ready) {
    default_signals();
    limit(RLIMIT_CORE, 0);
    if (p->memory > 0) limit(RLIMIT_AS, (rlim_t)fmin(p->memory, 1e18));
    execv(p->path, p->arguments);
  }
  int number = errno;
  (void)!write(ready ? FD_TROUBLE : trouble, &number, sizeof number);
  _exit(127);
}

// ---- in this process

typedef struct Running {
  const RunProcess *p;
  pid_t pid;
  int pidfd; // -1: the kernel has none
  int log;   // the end of the pipe that is read; -1: closed
  Text *tail;
} Running;

static void add_log(Text *tail, const char *bytes, size_t length) {
  text_add_bytes(tail, bytes, length);
  if (tail->length <= 2 * (size_t)LOG_KEPT) return;
  memmove(tail->at, tail->at + tail->length - LOG_KEPT, LOG_KEPT + 1);
  tail->length = LOG_KEPT;
}

static void close_log(Running *r) {
  if (r->log >= 0) close(r->log);
  r->log = -1;
}

// One piece of what it has printed. false: there is none now.
static bool read_log(Running *r) {
  char chunk[1 << 14];
  ssize_t got = r->log >= 0 ? read(r->log, chunk, sizeof chunk) : 0;
  if (got > 0) add_log(r->tail, chunk, (size_t)got);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close_log(r);
  return got > 0;
}

// Blocks signals: until exec the child has the handlers of this process.
static pid_t start(const RunProcess *p, int log, int trouble) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) become(p, parent, log, trouble);
  int number = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = number;
  return pid;
}

// 0, or why it could not be started. Returns when the program runs.
static int wait_for_exec(int trouble) {
  int number = 0;
  ssize_t got;
  while ((got = read(trouble, &number, sizeof number)) < 0 && errno == EINTR) continue;
  return got == sizeof number ? number : 0;
}

// Whether the process has ended; it stays there to be waited for, so that its number is not used again.
static bool has_ended(const Running *r) {
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != EINTR;
  return info.si_pid != 0;
}

static int wait_ms(const Running *r, double until) {
  int most = r->pidfd >= 0 ? LOOK_MS : LOOK_BLIND_MS;
  double left = until > 0 ? ceil(1000 * (until - clock_seconds())) : most;
  return left < 0 ? 0 : left < most ? (int)left : most;
}

static ProcessEnd wait_for_end(Running *r) {
  double until = r->p->timeout > 0 ? clock_seconds() + r->p->timeout : 0;
  while (!has_ended(r)) {
    if (run_process_is_stopped() || !patience_asks()) return PROCESS_STOPPED;
    if (until > 0 && clock_seconds() >= until) return PROCESS_TIMED_OUT;
    struct pollfd fds[] = {{.fd = r->pidfd, .events = POLLIN}, {.fd = r->log, .events = POLLIN}};
    if (poll(fds, 2, wait_ms(r, until)) > 0 && fds[1].revents) read_log(r);
  }
  return PROCESS_EXITED;
}

static ProcessEnd reap(const Running *r, ProcessEnd end, int *number) {
  int status = 0;
  pid_t got;
  while ((got = waitpid(r->pid, &status, 0)) < 0 && errno == EINTR) continue;
  if (end != PROCESS_EXITED) return end;
  if (got != r->pid) return PROCESS_LOST;
  *number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return WIFSIGNALED(status) ? PROCESS_SIGNALLED : PROCESS_EXITED;
}

static ProcessEnd watch(Running *r, Children *before, int *number) {
  r->pidfd = pidfd_open(r->pid, 0);
  ProcessEnd end = wait_for_end(r);
  kill(-r->pid, SIGKILL); // the process itself still has its number
  end = reap(r, end, number);
  kill_descendants(before);
  for (int i = 0; i < LAST_READS && read_log(r); i++) continue;
  if (r->pidfd >= 0) close(r->pidfd);
  return end;
}

static bool make_pipes(int log[2], int trouble[2]) {
  if (pipe2(log, O_CLOEXEC) != 0) return false;
  if (pipe2(trouble, O_CLOEXEC) == 0) {
    fcntl(log[0], F_SETFL, O_NONBLOCK);
    return true;
  }
  int number = errno;
  close(log[0]), close(log[1]);
  errno = number;
  return false;
}

ProcessEnd run_process(const RunProcess *p, Text *log, int *number) {
  int output[2], trouble[2];
  if (!make_pipes(output, trouble)) {
    *number = errno;
    return PROCESS_NOT_STARTED;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Children before;
  children_find(&before);
  Running r = {.p = p, .pidfd = -1, .log = output[0], .tail = log};
  r.pid = start(p, output[1], trouble[1]);
  *number = r.pid < 0 ? errno : 0;
  close(output[1]), close(trouble[1]);
  if (!*number) *number = wait_for_exec(trouble[0]);
  close(trouble[0]);
  ProcessEnd end = PROCESS_NOT_STARTED;
  if (!*number)
    end = watch(&r, &before, number);
  else if (r.pid > 0)
    reap(&r, end, number);
  close_log(&r);
  children_done(&before);
  return end;
}
