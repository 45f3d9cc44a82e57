#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "test.h"

// Runs work in another process; returns its exit status, and what it wrote to standard error.
static int status_of(void (*work)(void), char said[200]) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    work();
    _exit(100); // it must not come back
  }
  close(ends[1]);
  ssize_t got = read(ends[0], said, 199);
  said[got > 0 ? got : 0] = 0;
  close(ends[0]);
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void too_much_in_an_arena(void) {
#ifndef __SANITIZE_ADDRESS__ // which would end the process itself
  arena_alloc(arena_new(), 1, (size_t)1 << 60);
#endif
  arena_alloc(arena_new(), 1, SIZE_MAX);
}
static void too_many_in_an_arena(void) {
  arena_alloc(arena_new(), (size_t)1 << 40, (size_t)1 << 40);
}
static void nothing(void) {
  must_have(NULL);
}
static void errno_says_so(void) {
  errno = ENOMEM;
  memory_check_errno();
}
static void own_end(void) {
  _exit(42);
}
static void with_handler(void) {
  memory_on_failure(own_end);
  must_have(NULL);
}
static void returns(void) {}
static void with_handler_that_returns(void) {
  memory_on_failure(returns);
  must_have(NULL);
}

static void without_memory_the_process_ends_with_status_3_and_a_message(void **state) {
  (void)state;
  void (*const WAYS[])(void) = {too_much_in_an_arena, too_many_in_an_arena, nothing, errno_says_so,
                                with_handler_that_returns};
  char said[200];
  for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
    assert_int_equal(status_of(WAYS[i], said), 3);
    assert_string_equal(said, "entrain: error: out of memory\n");
  }
}

static void a_handler_decides_instead(void **state) {
  (void)state;
  char said[200];
  assert_int_equal(status_of(with_handler, said), 42);
  assert_string_equal(said, "");
}

static void what_there_is_passes(void **state) {
  (void)state;
  int x;
  assert_ptr_equal(must_have(&x), &x);
  errno = EINTR;
  memory_check_errno();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_memory_the_process_ends_with_status_3_and_a_message),
      cmocka_unit_test(a_handler_decides_instead),
      cmocka_unit_test(what_there_is_passes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
