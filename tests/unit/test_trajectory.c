#include "simulate/trajectory.h"

#include <string.h>

#include "test.h"

static void every_outcome_has_a_word_and_a_meaning(void **state) {
  (void)state;
  for (int i = 0; i < OUTCOME_COUNT; i++) {
    assert_true(strlen(outcome_word((Outcome)i)) > 3);
    assert_true(strlen(outcome_meaning((Outcome)i)) > 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_outcome_has_a_word_and_a_meaning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
