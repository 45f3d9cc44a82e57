// Machines that compute other bits have other fingerprints.
#include "code/fingerprint.h"

#include <ctype.h>
#include <fenv.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "code/code.h"
#include "test.h"

static void print(char out[100]) {
  Text t;
  text_init(&t);
  fingerprint_print(&t);
  assert_in_range(t.length, 1, 99);
  strcpy(out, t.at);
  text_done(&t);
}

static void *print_elsewhere(void *out) {
  print(out);
  return NULL;
}

static void it_is_the_same_every_time(void **state) {
  (void)state;
  char first[100], again[100], elsewhere[100];
  pthread_t thread;
  print(first);
  print(again);
  assert_string_equal(first, again);
  pthread_create(&thread, NULL, print_elsewhere, elsewhere);
  pthread_join(thread, NULL);
  assert_string_equal(first, elsewhere);
}

static void it_names_lanes_and_library(void **state) {
  (void)state;
  char text[100], version[40] = "";
  int lanes = 0, end = 0;
  unsigned digest = 0;
  print(text);
  assert_int_equal(sscanf(text, "%d lanes, libm %39s %8x%n", &lanes, version, &digest, &end), 3);
  assert_int_equal(end, strlen(text));
  assert_int_equal(lanes, code_lanes());
  assert_string_equal(version, gnu_get_libc_version());
  const char *last = strrchr(text, ' ') + 1;
  assert_int_equal(strlen(last), 8);
  for (int i = 0; i < 8; i++) assert_true(isxdigit((unsigned char)last[i]));
}

static void fewer_lanes_are_another_machine(void **state) {
  (void)state;
  char before[100], after[100];
  int lanes = code_lanes();
  print(before);
  setenv("ENTRAIN_LANES", "4", 1);
  print(after);
  unsetenv("ENTRAIN_LANES");
  assert_int_equal(strcmp(before, after) == 0, lanes == 4);
}

// Functions that round otherwise are those of another library.
static void other_last_bits_are_another_machine(void **state) {
  (void)state;
  static const int MODES[] = {FE_UPWARD, FE_DOWNWARD};
  char text[3][100];
  print(text[2]);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(fesetround(MODES[i]), 0);
    print(text[i]);
    fesetround(FE_TONEAREST);
    assert_string_not_equal(text[i], text[2]);
  }
  assert_string_not_equal(text[0], text[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_the_same_every_time),
      cmocka_unit_test(it_names_lanes_and_library),
      cmocka_unit_test(fewer_lanes_are_another_machine),
      cmocka_unit_test(other_last_bits_are_another_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
