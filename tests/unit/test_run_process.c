#include "program/run_process.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "program/descendants.h"
#include "run_trial.h"

typedef struct Ended {
  ProcessEnd end;
  int number;
  const char *log;
  size_t length;
} Ended;

// Runs in the folder `scratch` of the trial; checks that no process, zombie or descriptor is left.
static Ended run(const Trial *t, const char *const *arguments, double timeout, double memory) {
  int before = trial_descriptors();
  Ended e = {0};
  int folder = open(t->scratch, O_RDONLY | O_DIRECTORY);
  RunProcess p = {arguments[0], (char *const *)arguments, folder, timeout, memory};
  Text log;
  text_init(&log);
  run_process_begin();
  e.end = run_process(&p, &log, &e.number);
  e.log = arena_copy(t->arena, log.at, log.length);
  e.length = log.length;
  text_done(&log);
  close(folder);
  assert_int_equal(trial_descriptors(), before);
  return e;
}

static Ended shell(const Trial *t, const char *command, double timeout) {
  Ended e = run(t, (const char *[]){"/bin/sh", "-c", command, NULL}, timeout, 0);
  assert_nothing_is_left(t);
  return e;
}

static void the_end_of_a_process_is_seen(void **state) {
  const Trial *t = *state;
  Ended e = shell(t, "echo hello; echo trouble >&2", 0);
  assert_int_equal(e.end, PROCESS_EXITED);
  assert_int_equal(e.number, 0);
  assert_string_equal(e.log, "hello\ntrouble\n");
  e = shell(t, "exit 42", 0);
  assert_int_equal(e.end, PROCESS_EXITED);
  assert_int_equal(e.number, 42);
  e = shell(t, "kill -SEGV $$", 0);
  assert_int_equal(e.end, PROCESS_SIGNALLED);
  assert_int_equal(e.number, SIGSEGV);
}

static void a_program_that_cannot_start_says_why(void **state) {
  const Trial *t = *state;
  Ended e = run(t, (const char *[]){"/no/such", NULL}, 0, 0);
  assert_int_equal(e.end, PROCESS_NOT_STARTED);
  assert_int_equal(e.number, ENOENT);
  const char *script = trial_write(t, "script", "echo no first line\n", 0755);
  e = run(t, (const char *[]){script, NULL}, 0, 0);
  assert_int_equal(e.end, PROCESS_NOT_STARTED);
  assert_int_equal(e.number, ENOEXEC);
  assert_nothing_is_left(t);
}

static void it_has_its_folder_and_an_empty_input(void **state) {
  const Trial *t = *state;
  Ended e = shell(t, "pwd -P; cat; readlink /proc/self/fd/0", 0);
  assert_string_equal(e.log, arena_print(t->arena, "%s\n/dev/null\n", t->scratch));
}

static void it_inherits_nothing(void **state) {
  const Trial *t = *state;
  int open_one = open("/dev/null", O_RDONLY), high = fcntl(open_one, F_DUPFD, 100);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  void (*old)(int) = signal(SIGPIPE, SIG_IGN);
  Ended fds = run(t, (const char *[]){"/bin/ls", "/proc/self/fd", NULL}, 0, 0);
  Ended signals = run(t,
                      (const char *[]){"/bin/grep", "-cE", "Sig(Blk|Ign):.0000000[01][08]0000000$",
                                       "/proc/self/status", NULL},
                      0, 0);
  signal(SIGPIPE, old);
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(open_one), close(high);
  assert_string_equal(fds.log, "0\n1\n2\n3\n"); // 3 is the folder that ls reads
  assert_string_equal(signals.log, "2\n");      // none but 32 and 33, which belong to the C library
  assert_nothing_is_left(t);
}

// Also when the numbers 0 to 2 are free in this process.
static void descriptors_may_be_closed_before(void **state) {
  const Trial *t = *state;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    close(0), close(1), close(2);
    RunProcess p = {.path = "/bin/sh",
                    .arguments =
                        (char *const[]){"sh", "-c", "pwd -P; echo x >&2; ls /proc/self/fd", NULL}};
    p.folder = open(t->scratch, O_RDONLY | O_DIRECTORY);
    Text log;
    text_init(&log);
    int number;
    if (run_process(&p, &log, &number) != PROCESS_EXITED || number != 0) _exit(2);
    _exit(strcmp(log.at, arena_print(t->arena, "%s\nx\n0\n1\n2\n3\n", t->scratch)) != 0);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static void limits_are_set(void **state) {
  const Trial *t = *state;
  Ended e = run(t, (const char *[]){"/bin/sh", "-c", "ulimit -v; ulimit -c", NULL}, 0, 256e6);
  assert_string_equal(e.log, "250000\n0\n");
  e = shell(t, "ulimit -c", 0);
  assert_string_equal(e.log, "0\n");
}

static void a_process_group_of_its_own(void **state) {
  const Trial *t = *state;
  Ended e = shell(t, "cut -d' ' -f1,5,6 /proc/$$/stat | tr ' ' '\\n' | sort -u | wc -l", 0);
  assert_string_equal(e.log, "1\n"); // process, group and session
}

// ---- time, stop

static void assert_times_out(const Trial *t, const char *command) {
  Ended e = shell(t, command, 0.1);
  assert_int_equal(e.end, PROCESS_TIMED_OUT);
}

static void nothing_outlives_its_timeout(void **state) {
  const Trial *t = *state;
  assert_times_out(t, "sleep 1000");
  assert_times_out(t, "trap '' TERM INT HUP; sleep 1000; sleep 1000");
  assert_times_out(t, "sleep 1000 & sleep 1000 & wait");
  assert_times_out(t, "setsid sleep 1000 & sleep 1000");
  assert_times_out(t,
                   "(setsid sh -c 'sleep 1000 & setsid sleep 1000 & sleep 1000' &) ; sleep 1000");
  assert_times_out(t, "kill -STOP $$");
  assert_times_out(t, "exec >&- 2>&-; sleep 1000");
  assert_times_out(t, "while :; do echo a line that is printed for ever; done");
}

static void nothing_outlives_a_normal_end(void **state) {
  const Trial *t = *state;
  static const char *const COMMANDS[] = {
      "sleep 1000 & exit 0",
      "setsid sleep 1000 & sleep 0.02; exit 0",
      ("trap '' TERM HUP; (setsid sh -c 'trap \"\" TERM HUP; setsid sleep 1000 & sleep 1000' &) ; "
       "sleep 0.02"),
      "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & setsid sleep 1000 & done; sleep 0.05",
      "(yes >/dev/null &) ; (yes &) ; exit 0",
  };
  for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
    Ended e = shell(t, COMMANDS[i], 60);
    assert_int_equal(e.end, PROCESS_EXITED);
    assert_int_equal(e.number, 0);
  }
}

static void processes_that_multiply_are_caught(void **state) {
  const Trial *t = *state;
  trial_write(t, "again",
              "#!/bin/sh\n[ $1 -gt 60 ] && exec sleep 1000\n"
              "setsid $0 $(($1 + 1)) &\nsetsid sleep 1000 &\nexit 0\n",
              0755);
  Ended e = shell(t, arena_print(t->arena, "%s/again 0; sleep 0.05", t->problem), 0);
  assert_int_equal(e.end, PROCESS_EXITED);
}

static void on_alarm(int number) {
  (void)number;
  run_process_stop();
}

static void a_signal_handler_may_stop_it(void **state) {
  const Trial *t = *state;
  void (*old)(int) = signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 50000}}, NULL);
  Ended e = shell(t, "setsid sleep 1000 & sleep 1000", 0);
  signal(SIGALRM, old);
  assert_int_equal(e.end, PROCESS_STOPPED);
  assert_true(run_process_is_stopped());
  e = shell(t, "exit 0", 0);
  assert_int_equal(e.end, PROCESS_EXITED);
}

static void *stop_soon(void *data) {
  (void)data;
  usleep(50000);
  run_process_stop();
  return NULL;
}

static void another_thread_may_stop_it(void **state) {
  const Trial *t = *state;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, stop_soon, NULL), 0);
  Ended e = run(t, (const char *[]){"/bin/sleep", "1000", NULL}, 0, 0);
  pthread_join(thread, NULL);
  assert_int_equal(e.end, PROCESS_STOPPED);
  assert_nothing_is_left(t);
}

static void it_dies_with_its_worker(void **state) {
  const Trial *t = *state;
  prctl(PR_SET_CHILD_SUBREAPER, 1); // what the worker leaves is a child of this process
  fflush(NULL);
  pid_t worker = fork();
  if (worker == 0) {
    RunProcess p = {.path = "/bin/sleep", .arguments = (char *const[]){"sleep", "1000", NULL}};
    p.folder = open(t->scratch, O_RDONLY | O_DIRECTORY);
    Text log;
    text_init(&log);
    int number;
    run_process_begin();
    run_process(&p, &log, &number);
    _exit(0);
  }
  usleep(100000);
  kill(worker, SIGKILL);
  int status;
  assert_int_equal(waitpid(worker, &status, 0), worker);
  assert_true(waitpid(-1, &status, 0) > 0); // the program
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  assert_nothing_is_left(t);
}

// ---- others

static void other_children_are_left_alone(void **state) {
  const Trial *t = *state;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pause();
    _exit(0);
  }
  Ended e = run(t, (const char *[]){"/bin/sh", "-c", "setsid sleep 1000 & sleep 0.02", NULL}, 0, 0);
  assert_int_equal(e.end, PROCESS_EXITED);
  assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  assert_nothing_is_left(t);
}

static void of_a_long_log_the_end_is_kept(void **state) {
  const Trial *t = *state;
  Ended e = shell(t, "head -c 100000000 /dev/zero; echo; echo the end", 0);
  assert_int_equal(e.end, PROCESS_EXITED);
  assert_in_range(e.length, LOG_KEPT, 2 * LOG_KEPT);
  assert_string_equal(e.log + e.length - 9, "\nthe end\n");
  e = shell(t, "seq 1 100000", 0);
  assert_string_equal(e.log + e.length - 13, "99999\n100000\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, trial_new, trial_free)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_end_of_a_process_is_seen),
      TEST(a_program_that_cannot_start_says_why),
      TEST(it_has_its_folder_and_an_empty_input),
      TEST(it_inherits_nothing),
      TEST(descriptors_may_be_closed_before),
      TEST(limits_are_set),
      TEST(a_process_group_of_its_own),
      TEST(nothing_outlives_its_timeout),
      TEST(nothing_outlives_a_normal_end),
      TEST(processes_that_multiply_are_caught),
      TEST(a_signal_handler_may_stop_it),
      TEST(another_thread_may_stop_it),
      TEST(it_dies_with_its_worker),
      TEST(other_children_are_left_alone),
      TEST(of_a_long_log_the_end_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
