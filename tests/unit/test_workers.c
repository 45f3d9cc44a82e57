#include "closed/workers.h"

#include <pthread.h>
#include <signal.h>

#include "base/patience.h"
#include "base/sanitizer.h"
#include "worker_trial.h"

// The child processes of this one.
static int children(pid_t *list, int most) {
  FILE *f = fopen("/proc/thread-self/children", "r");
  int count = 0;
  assert_non_null(f);
  for (int pid; count < most && fscanf(f, "%d", &pid) == 1;) list[count++] = pid;
  fclose(f);
  return count;
}

enum { CALLS = 24 };

// Every third one crashes, and they are answered in any order.
static void run_many(const WorkerTrial *t, SimulatorAnswer **answers) {
  const SimulatorCall *calls[CALLS];
  for (int i = 0; i < CALLS; i++) {
    calls[i] = worker_call(t, i % 3 == 1 ? CRASH : GOOD, 1 + i);
    answers[i] = simulator_answer_new(t->arena, calls[i]);
  }
  workers_run(t->workers, calls, answers, CALLS);
}

static void a_run_is_answered_by_one_worker_that_stays(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){0});
  pid_t first, again;
  assert_good(worker_run(t, GOOD, 4), 4);
  assert_int_equal(children(&first, 1), 1);
  assert_good(worker_run(t, GOOD, 9), 9);
  assert_int_equal(children(&again, 1), 1);
  assert_int_equal(first, again);
  worker_trial_close(t);
}

static void what_goes_wrong_is_an_outcome_and_the_next_run_is_good(void **state) {
  (void)state;
  static const struct {
    int mode;
    Outcome outcome;
    const char *message;
  } ENDS[] = {
      {CRASH, OUTCOME_CRASHED, "bad was ended by signal 11 (Segmentation fault)"},
      {ABORT, OUTCOME_CRASHED, "bad was ended by signal 6 (Aborted)"},
      {EXIT, OUTCOME_EXITED, "bad ended its process with exit status 0"},
      {HANG, OUTCOME_TIMED_OUT, "bad took longer than its timeout of 0.6 s"},
      {CLOSE, OUTCOME_EXITED, NULL}, // it ends itself, or has been ended
  };
  static const char *const FMUS[] = {"bad2", "bad3"};
  for (int f = 0; f < 2; f++) {
    WorkerTrial *t = worker_trial_open(FMUS[f], (WorkerSetup){.timeout = 0.6});
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
      const SimulatorAnswer *a = worker_run(t, ENDS[i].mode, 4);
      if (a->outcome != ENDS[i].outcome) fail_msg("%s", a->message);
      if (ENDS[i].message) assert_string_equal(a->message, ENDS[i].message);
      assert_int_equal(a->rows, 0);
      assert_good(worker_run(t, GOOD, 4), 4);
    }
    worker_trial_close(t);
  }
}

static void what_a_simulator_prints_is_its_log(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){0});
  const SimulatorAnswer *a = worker_run(t, FLOOD, 4);
  assert_good(a, 4);
  assert_non_null(strstr(a->log, "99999 that nobody wants to read")); // the last lines
  assert_null(strstr(a->log, "line 5 that"));
  assert_string_equal(worker_run(t, GOOD, 4)->log, ""); // not those of the run before
  worker_trial_close(t);
}

static void a_limit_of_memory_is_named(void **state) {
  (void)state;
#ifdef ADDRESS_SANITIZER
  print_message("no limit of memory under the address sanitizer\n");
  skip();
#endif
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){.memory = 3e8});
  const SimulatorAnswer *a = worker_run(t, EAT, 4);
  assert_int_equal(a->outcome, OUTCOME_NO_MEMORY);
  assert_non_null(strstr(a->message, "of the 300 MB that it may use (key memory)"));
  assert_good(worker_run(t, GOOD, 4), 4);
  worker_trial_close(t);
}

static void a_worker_that_was_killed_while_it_waited_is_replaced(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("bad3", (WorkerSetup){0});
  for (int i = 0; i < 5; i++) {
    pid_t pid = 0;
    assert_good(worker_run(t, GOOD, 4), 4);
    assert_int_equal(children(&pid, 1), 1);
    kill(pid, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT); // it is dead, but not reaped
  }
  assert_good(worker_run(t, GOOD, 4), 4);
  worker_trial_close(t);
}

static void so_are_all_of_them(void **state) {
  (void)state;
  SimulatorAnswer *answers[CALLS];
  WorkerTrial *t = worker_trial_open("bad3", (WorkerSetup){0});
  workers_set_most(t->workers, 6);
  pid_t pids[CALLS];
  int count = 0;
  for (int i = 0; i < 100 && count < 3; i++) { // how many remain depends on who is answered first
    run_many(t, answers);
    count = children(pids, CALLS);
  }
  for (int i = 0; i < count; i++) {
    siginfo_t info;
    kill(pids[i], SIGKILL);
    waitid(P_PID, (id_t)pids[i], &info, WEXITED | WNOWAIT);
  }
  assert_true(count >= 3);
  run_many(t, answers);
  for (int i = 0; i < CALLS; i++)
    assert_int_equal(answers[i]->outcome, i % 3 == 1 ? OUTCOME_CRASHED : OUTCOME_REACHED_END);
  worker_trial_close(t);
}

static void once_means_a_process_for_each_run(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){.once = true});
  pid_t pid;
  for (int i = 0; i < 3; i++) {
    assert_good(worker_run(t, GOOD, 4), 4);
    assert_int_equal(children(&pid, 1), 0);
  }
  worker_trial_close(t);
}

static void answers_do_not_depend_on_the_number_of_workers(void **state) {
  (void)state;
  SimulatorAnswer *one[CALLS], *many[CALLS];
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){0});
  workers_set_most(t->workers, 1);
  run_many(t, one);
  for (int most = 2; most <= 7; most += 5) {
    workers_set_most(t->workers, most);
    run_many(t, many);
    for (int i = 0; i < CALLS; i++) {
      assert_int_equal(one[i]->outcome, i % 3 == 1 ? OUTCOME_CRASHED : OUTCOME_REACHED_END);
      assert_int_equal(one[i]->outcome, many[i]->outcome);
      assert_string_equal(one[i]->message, many[i]->message);
      assert_int_equal(one[i]->rows, many[i]->rows);
      assert_memory_equal(one[i]->values, many[i]->values, TRIAL_ROWS * sizeof(double));
    }
  }
  worker_trial_close(t);
}

typedef struct Caller {
  const WorkerTrial *workers;
  Arena *arena;
  int failures;
} Caller;

static void *call_many(void *data) {
  Caller *c = data;
  WorkerTrial own = {c->arena, NULL, c->workers->workers};
  for (int i = 0; i < 12; i++) {
    bool crash = i % 4 == 3;
    const SimulatorAnswer *a = worker_run(&own, crash ? CRASH : GOOD, 1 + i);
    if (crash ? a->outcome != OUTCOME_CRASHED
              : a->outcome != OUTCOME_REACHED_END ||
                    fabs(a->values[TRIAL_ROWS - 1] - cos(sqrt(1 + i))) > 1e-6)
      c->failures++;
  }
  return NULL;
}

static void threads_may_call_at_the_same_time(void **state) {
  (void)state;
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  Caller callers[THREADS];
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){0});
  workers_set_most(t->workers, 2);
  for (int i = 0; i < THREADS; i++) {
    callers[i] = (Caller){t, arena_new(), 0};
    pthread_create(&threads[i], NULL, call_many, &callers[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(callers[i].failures, 0);
    arena_free(callers[i].arena);
  }
  worker_trial_close(t);
}

// Three calls hang, others wait for a worker.
static void when_patience_is_over_everything_ends(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("bad3", (WorkerSetup){0});
  const SimulatorCall *calls[5];
  SimulatorAnswer *answers[5];
  workers_set_most(t->workers, 3);
  for (int i = 0; i < 5; i++) {
    calls[i] = worker_call(t, i == 1 ? GOOD : HANG, 4);
    answers[i] = simulator_answer_new(t->arena, calls[i]);
  }
  Patience p = {.until = patience_until(0.4)};
  patience_begin(&p);
  workers_run(t->workers, calls, answers, 5);
  patience_end(&p);
  for (int i = 0; i < 5; i++)
    if (i != 1) assert_int_equal(answers[i]->outcome, OUTCOME_STOPPED);
  assert_good(answers[1], 4);
  assert_good(worker_run(t, GOOD, 4), 4);
  worker_trial_close(t);
}

static void a_hang_ends_alone(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){.timeout = 0.6});
  const SimulatorCall *calls[4];
  SimulatorAnswer *answers[4];
  workers_set_most(t->workers, 2);
  for (int i = 0; i < 4; i++) {
    calls[i] = worker_call(t, i == 0 ? HANG : GOOD, 4);
    answers[i] = simulator_answer_new(t->arena, calls[i]);
  }
  workers_run(t->workers, calls, answers, 4);
  assert_int_equal(answers[0]->outcome, OUTCOME_TIMED_OUT);
  for (int i = 1; i < 4; i++) assert_good(answers[i], 4);
  worker_trial_close(t);
}

static void a_simulator_that_cannot_be_opened_is_an_error(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("needy2", (WorkerSetup){0});
  Err err = {0};
  assert_false(workers_try(t->workers, &err));
  assert_non_null(strstr(err.text, "libabsent.so: cannot open shared object file"));
  const SimulatorAnswer *a = worker_run(t, GOOD, 4);
  assert_int_equal(a->outcome, OUTCOME_REFUSED);
  assert_non_null(strstr(a->message, "libabsent.so"));
  worker_trial_close(t);
}

static void a_worker_that_is_missing_is_named(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){0});
  const char *before = getenv("ENTRAIN_WORKER");
  Err err = {0};
  setenv("ENTRAIN_WORKER", "/no/such", 1);
  assert_false(workers_try(t->workers, &err));
  if (before)
    setenv("ENTRAIN_WORKER", before, 1);
  else
    unsetenv("ENTRAIN_WORKER");
  assert_string_equal(err.text, "ENTRAIN_WORKER is '/no/such', which cannot be executed");
  worker_trial_close(t);
}

static void a_program_that_is_no_worker_is_noticed(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){0});
  const char *before = getenv("ENTRAIN_WORKER");
  Err err = {0};
  setenv("ENTRAIN_WORKER", "/bin/false", 1);
  assert_false(workers_try(t->workers, &err));
  if (before)
    setenv("ENTRAIN_WORKER", before, 1);
  else
    unsetenv("ENTRAIN_WORKER");
  assert_string_equal(err.text, "bad ended its process with exit status 1 while it was loaded");
  worker_trial_close(t);
}

// Its workers wait for the next call when the host is killed.
static void kill_a_host(int workers) {
  int ends[2];
  char path[300];
  assert_int_equal(pipe(ends), 0);
  pid_t host = fork();
  if (host == 0) {
    WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){0});
    const SimulatorCall *calls[4];
    SimulatorAnswer *answers[4];
    workers_set_most(t->workers, workers);
    for (int i = 0; i < workers; i++)
      calls[i] = worker_call(t, GOOD, 4), answers[i] = simulator_answer_new(t->arena, calls[i]);
    workers_run(t->workers, calls, answers, workers);
    bool ok = answers[0]->outcome == OUTCOME_REACHED_END &&
              write(ends[1], t->session->path, strlen(t->session->path)) > 0;
    kill(getpid(), ok ? SIGKILL : SIGABRT);
  }
  close(ends[1]);
  ssize_t length = read(ends[0], path, sizeof path - 1);
  close(ends[0]);
  assert_true(length > 0);
  path[length] = 0;
  assert_int_equal(waitpid(host, NULL, 0), host);
  for (int i = 0; i < 1000 && access(path, F_OK) == 0; i++) usleep(10000);
  assert_int_equal(access(path, F_OK), -1);
}

// They see the end of the connection before the lock of the host is free, and must not hinder each other.
static void a_killed_host_leaves_no_folder(void **state) {
  (void)state;
  for (int i = 0; i < 12; i++) kill_a_host(1 + i % 4);
}

// Neither descriptors nor memory of the host are used up by workers that die.
static void a_hundred_crashes_leave_nothing(void **state) {
  (void)state;
  WorkerTrial *t = worker_trial_open("bad2", (WorkerSetup){0});
  assert_good(worker_run(t, GOOD, 4), 4);
  int before = 0, after = 0;
  DIR *d = opendir("/proc/self/fd");
  while (readdir(d)) before++;
  closedir(d);
  for (int i = 0; i < 100; i++) assert_int_equal(worker_run(t, CRASH, 4)->outcome, OUTCOME_CRASHED);
  assert_good(worker_run(t, GOOD, 4), 4);
  d = opendir("/proc/self/fd");
  while (readdir(d)) after++;
  closedir(d);
  assert_int_equal(before, after);
  worker_trial_close(t);
}

int main(void) {
  // Signals are those of the simulator, not of the sanitizer.
  setenv("ASAN_OPTIONS", "handle_segv=0:detect_leaks=0", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_is_answered_by_one_worker_that_stays),
      cmocka_unit_test(what_goes_wrong_is_an_outcome_and_the_next_run_is_good),
      cmocka_unit_test(what_a_simulator_prints_is_its_log),
      cmocka_unit_test(a_limit_of_memory_is_named),
      cmocka_unit_test(a_worker_that_was_killed_while_it_waited_is_replaced),
      cmocka_unit_test(so_are_all_of_them),
      cmocka_unit_test(once_means_a_process_for_each_run),
      cmocka_unit_test(answers_do_not_depend_on_the_number_of_workers),
      cmocka_unit_test(threads_may_call_at_the_same_time),
      cmocka_unit_test(when_patience_is_over_everything_ends),
      cmocka_unit_test(a_hang_ends_alone),
      cmocka_unit_test(a_simulator_that_cannot_be_opened_is_an_error),
      cmocka_unit_test(a_worker_that_is_missing_is_named),
      cmocka_unit_test(a_program_that_is_no_worker_is_noticed),
      cmocka_unit_test(a_killed_host_leaves_no_folder),
      cmocka_unit_test(a_hundred_crashes_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
