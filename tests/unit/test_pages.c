#include "code/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

// "r-xp" and the like for the mapping that holds the address; counts mappings that can be both
// written and executed.
static int read_maps(const void *address, char rights[5]) {
  FILE *f = fopen("/proc/self/maps", "r");
  assert_non_null(f);
  char line[512], found[5];
  unsigned long long from, to, at = (unsigned long long)(uintptr_t)address;
  int both = 0;
  strcpy(rights, "none");
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%llx-%llx %4s", &from, &to, found) != 3) continue;
    if (from <= at && at < to) strcpy(rights, found);
    both += found[1] == 'w' && found[2] == 'x';
  }
  fclose(f);
  return both;
}

static const uint8_t RETURN_42[] = {0xb8, 42, 0, 0, 0, 0xc3}; // mov eax, 42; ret

static void pages_are_never_writable_and_executable(void **state) {
  (void)state;
  char rights[5];
  Pages *p = pages_new(sizeof RETURN_42);
  assert_non_null(p);
  assert_int_equal(read_maps(pages_start(p), rights), 0);
  assert_string_equal(rights, "---p");
  assert_true(pages_fill(p, RETURN_42));
  assert_int_equal(read_maps(pages_start(p), rights), 0);
  assert_string_equal(rights, "r-xp");
  const void *start = pages_start(p);
  pages_free(p);
  read_maps(start, rights);
  assert_string_equal(rights, "none");
}

static int run_42(void) {
  Pages *p = pages_new(sizeof RETURN_42);
  if (!p || !pages_fill(p, RETURN_42)) return -1;
  int (*f)(void);
  const void *start = pages_start(p);
  memcpy(&f, &start, sizeof f);
  int x = f();
  pages_free(p);
  return x;
}

static void the_bytes_can_be_run(void **state) {
  (void)state;
#if defined(__x86_64__)
  assert_int_equal(run_42(), 42);
#else
  skip();
#endif
}

static void large_contents_arrive_whole(void **state) {
  (void)state;
  size_t count = 5000001;
  uint8_t *bytes = malloc(count);
  for (size_t k = 0; k < count; k++) bytes[k] = (uint8_t)(k * 7 + k / 251);
  Pages *p = pages_new(count);
  assert_true(pages_fill(p, bytes));
  assert_memory_equal(pages_start(p), bytes, count);
  assert_int_equal((uintptr_t)pages_start(p) % 4096, 0);
  pages_free(p);
  free(bytes);
}

static void nothing_is_refused_and_freed(void **state) {
  (void)state;
  assert_null(pages_new(0));
  pages_free(NULL);
}

// Some services run with this rule of the system switched on.
static void it_works_where_writable_memory_may_not_become_executable(void **state) {
  (void)state;
#if defined(__x86_64__)
  enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1, NOT_SUPPORTED = 77 };
  pid_t child = fork();
  if (child == 0) {
    if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0) _exit(NOT_SUPPORTED);
    _exit(run_42() == 42 ? 0 : 1);
  }
  int status;
  assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
  if (WEXITSTATUS(status) == NOT_SUPPORTED) skip();
  assert_int_equal(WEXITSTATUS(status), 0);
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pages_are_never_writable_and_executable),
      cmocka_unit_test(the_bytes_can_be_run),
      cmocka_unit_test(large_contents_arrive_whole),
      cmocka_unit_test(nothing_is_refused_and_freed),
      cmocka_unit_test(it_works_where_writable_memory_may_not_become_executable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
