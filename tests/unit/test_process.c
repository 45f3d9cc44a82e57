#include "closed/process.h"

#include <signal.h>

#include "run_trial.h"

// A process that does what the shell commands say; descriptor 3 is the connection.
static Process *shell(const Trial *t, const char *commands) {
  static int number; // a script that is still read must not change
  Err err = {0};
  const char *script = trial_write(t, arena_print(t->arena, "script%d", number++),
                                   arena_print(t->arena, "#!/bin/sh\n%s\n", commands), 0755);
  Process *p = process_start(script, &err);
  if (!p) fail_msg("%s", err.text);
  return p;
}

static void end(Process *p) {
  process_end(p, false);
  assert_true(p->has_ended);
  process_free(p);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

static ProcessEvent wait_for(Process *p) {
  int which = -1;
  ProcessEvent e = process_wait(&p, 1, 60, &which);
  if (e != PROCESS_NOTHING) assert_int_equal(which, 0);
  return e;
}

static void a_message_goes_there_and_comes_back(void **state) {
  const Trial *t = *state;
  Process *p = shell(t, "exec cat <&3 >&3");
  Message m;
  message_init(&m);
  for (size_t length = 0; length < 100000; length = 5 * length + 1) {
    message_clear(&m);
    for (size_t i = 0; i < length; i++) put_bytes(&m, &"abcdefg"[i % 7], 1);
    assert_true(process_send(p, &m));
    assert_int_equal(wait_for(p), PROCESS_ANSWER);
    assert_int_equal(p->in.length, length);
    if (length) assert_memory_equal(p->in.at, m.at, length);
  }
  message_done(&m);
  end(p);
}

static void how_it_ended_is_known(void **state) {
  const Trial *t = *state;
  Process *p = shell(t, "exit 3");
  assert_int_equal(wait_for(p), PROCESS_GONE);
  assert_true(WIFEXITED(p->status));
  assert_int_equal(WEXITSTATUS(p->status), 3);
  end(p);
  p = shell(t, "kill -ABRT $$");
  assert_int_equal(wait_for(p), PROCESS_GONE);
  assert_true(WIFSIGNALED(p->status));
  assert_int_equal(WTERMSIG(p->status), SIGABRT);
  Message m;
  message_init(&m);
  put_int(&m, 1);
  assert_false(process_send(p, &m));
  message_done(&m);
  end(p);
}

static void a_part_of_an_answer_is_none_and_an_impossible_one_ends_it(void **state) {
  const Trial *t = *state;
  int which;
  Process *p = shell(t, "printf '\\004\\000\\000' >&3; echo there; exec sleep 1000");
  while (!p->last_length) process_wait(&p, 1, 0.01, &which);
  assert_int_equal(process_wait(&p, 1, 0.01, &which), PROCESS_NOTHING);
  end(p);
  p = shell(t, "printf '\\377\\377\\377\\377\\377\\377\\377\\377' >&3; exec sleep 1000");
  assert_int_equal(wait_for(p), PROCESS_GONE);
  end(p);
  p = shell(t, "printf '\\010\\000\\000\\000\\000\\000\\000\\000half' >&3");
  assert_int_equal(wait_for(p), PROCESS_GONE);
  end(p);
}

static void the_first_of_several_to_answer_is_told(void **state) {
  const Trial *t = *state;
  Process *list[3];
  int which = -1;
  for (int i = 0; i < 3; i++)
    list[i] = shell(t, i == 1 ? "printf '\\001\\000\\000\\000\\000\\000\\000\\000x' >&3; cat <&3"
                              : "cat <&3");
  assert_int_equal(process_wait(list, 3, 60, &which), PROCESS_ANSWER);
  assert_int_equal(which, 1);
  for (int i = 0; i < 3; i++) process_end(list[i], i == 0);
  for (int i = 0; i < 3; i++) process_free(list[i]);
}

static const char *log_of(const Trial *t, const char *commands, size_t size) {
  Process *p = shell(t, commands);
  char *text = ARENA_ARRAY(t->arena, char, size);
  assert_int_equal(wait_for(p), PROCESS_GONE);
  process_log(p, text, size);
  process_clear_log(p);
  assert_int_equal(p->last_length, 0);
  end(p);
  return text;
}

static void what_it_prints_is_kept_as_visible_text(void **state) {
  const Trial *t = *state;
  assert_string_equal(log_of(t, "echo one; echo two >&2", 1000), "one\ntwo");
  assert_string_equal(log_of(t, "true", 1000), "");
  assert_string_equal(log_of(t, "printf 'a\\000b\\033[31mc\\n\\n'", 1000), "a b\\x1b[31mc");
}

// From the beginning of a line, and never more than there is room for.
static void the_last_lines_are_kept(void **state) {
  const Trial *t = *state;
  const char *log = log_of(t, "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done", 200);
  assert_true(strlen(log) < 200);
  assert_int_equal(strncmp(log, "line 29", 7), 0);
  assert_non_null(strstr(log, "\nline 2999"));
  log = log_of(t, "head -c 100000 /dev/zero | tr '\\000' '\\001'", 300); // every byte becomes four
  assert_true(strlen(log) < 300);
  assert_int_equal(strncmp(log, "\\x01\\x01", 8), 0);
}

static bool is_alive(int pid) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *f = fopen(path, "r");
  if (!f) return false;
  if (fscanf(f, "%*d %*s %c", &state) != 1) state = 0;
  fclose(f);
  return state && state != 'Z';
}

static void its_children_end_with_it(void **state) {
  const Trial *t = *state;
  for (int gently = 0; gently < 2; gently++) {
    Process *p = shell(t, "sleep 1000 & echo $!; cat <&3");
    int which;
    while (!memchr(p->last, '\n', p->last_length)) process_wait(&p, 1, 0.01, &which);
    int child = atoi(p->last);
    assert_true(is_alive(child));
    process_end(p, gently);
    for (int i = 0; i < 1000 && is_alive(child); i++) usleep(1000); // the kill is on its way
    assert_false(is_alive(child));
    process_free(p);
  }
}

static void it_begins_with_signals_as_usual(void **state) {
  const Trial *t = *state;
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  void (*old)(int) = signal(SIGINT, SIG_IGN);
  const char *log = log_of(t, "grep -E 'Sig(Blk|Ign)' /proc/self/status", 1000);
  signal(SIGINT, old);
  sigprocmask(SIG_SETMASK, &before, NULL);
  unsigned long held, ignored;
  assert_int_equal(sscanf(log, "SigBlk: %lx SigIgn: %lx", &held, &ignored), 2);
  assert_int_equal(held, 0);
  assert_int_equal(ignored & 0x7fffffff, 0); // the two above are those of the C library
}

static void it_inherits_no_descriptors(void **state) {
  const Trial *t = *state;
  int one = open("/dev/null", O_RDONLY), low = fcntl(one, F_DUPFD, 20);
  int high = fcntl(one, F_DUPFD, 100);
  const char *commands = "for i in 0 1 2 3 %d %d; do [ -e /proc/self/fd/$i ] && echo $i; done";
  const char *log = log_of(t, arena_print(t->arena, commands, low, high), 1000);
  close(one);
  close(low);
  close(high);
  assert_string_equal(log, "0\n1\n2\n3");
}

static void a_program_that_cannot_start_says_why(void **state) {
  const Trial *t = *state;
  Err err = {0};
  int before = trial_descriptors();
  assert_null(process_start("/no/such", &err));
  assert_string_equal(err.text, "the worker /no/such cannot be started: No such file or directory");
  assert_int_equal(trial_descriptors(), before);
  assert_nothing_is_left(t);
}

static void descriptors_are_closed(void **state) {
  const Trial *t = *state;
  int before = trial_descriptors();
  for (int i = 0; i < 10; i++) end(shell(t, "cat <&3"));
  assert_int_equal(trial_descriptors(), before);
}

static void the_worker_is_beside_or_named(void **state) {
  const Trial *t = *state;
  Err err = {0};
  unsetenv("ENTRAIN_WORKER");
  const char *found = worker_program(t->arena, &err);
  assert_non_null(found);
  assert_non_null(strstr(found, "entrain-worker"));
  const char *script = trial_write(t, "mine", "#!/bin/sh\n", 0755);
  setenv("ENTRAIN_WORKER", script, 1);
  assert_string_equal(worker_program(t->arena, &err), script);
  setenv("ENTRAIN_WORKER", trial_write(t, "plain", "x", 0644), 1);
  assert_null(worker_program(t->arena, &err));
  unsetenv("ENTRAIN_WORKER");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, trial_new, trial_free)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_message_goes_there_and_comes_back),
      TEST(how_it_ended_is_known),
      TEST(a_part_of_an_answer_is_none_and_an_impossible_one_ends_it),
      TEST(the_first_of_several_to_answer_is_told),
      TEST(what_it_prints_is_kept_as_visible_text),
      TEST(the_last_lines_are_kept),
      TEST(its_children_end_with_it),
      TEST(it_begins_with_signals_as_usual),
      TEST(it_inherits_no_descriptors),
      TEST(a_program_that_cannot_start_says_why),
      TEST(descriptors_are_closed),
      TEST(the_worker_is_beside_or_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
