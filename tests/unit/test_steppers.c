#include "simulate/steppers.h"

#include "test.h"

static void every_row_is_found_by_its_name(void **state) {
  (void)state;
  for (int i = 0; i < STEPPER_COUNT; i++) {
    assert_ptr_equal(stepper_find(STEPPERS[i]->name), STEPPERS[i]);
    assert_non_null(STEPPERS[i]->meaning);
  }
  assert_null(stepper_find("euler"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_found_by_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
