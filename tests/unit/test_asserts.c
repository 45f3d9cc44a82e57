// assert() through whole simulations and fits, by public functions.
#include "simulation.h"

#define DECAY(assertion)                                                                           \
  "model A parameter Real k = 1; Real x(start = 1, fixed = true);\nequation\n  der(x) = -k*x;\n  " \
  "assert(" assertion ");\nend A;"

static const char *said(const Run *r) {
  return entrain_result_message(r->result);
}

static void a_violated_condition_ends_the_simulation(void **state) {
  (void)state;
  Run r = simulate(.text = DECAY("x > 0.5, \"x is small\""), .stop = 2, .step = 0.1);
  assert_int_equal(outcome(&r), ENTRAIN_ASSERTION);
  assert_true(last_value(&r, "x") > 0.4 && last_value(&r, "x") < 0.65);
  assert_non_null(strstr(said(&r), "test:4 does not hold: x is small"));
  run_free(&r);
}

static void a_condition_that_holds_changes_nothing(void **state) {
  (void)state;
  Run a = simulate_fully(.text = DECAY("x > 0.1, \"\""), .stop = 2, .step = 0.1),
      b = simulate_fully(.text = DECAY("true, \"\""), .stop = 2, .step = 0.1);
  assert_close(largest_difference(&a, &b, "x"), 0, 0);
  run_free(&a), run_free(&b);
}

static void a_warning_is_given_once_and_the_simulation_goes_on(void **state) {
  (void)state;
  Run r = simulate_fully(.text = DECAY("x > 0.5, \"x is small\", AssertionLevel.warning"),
                         .stop = 2, .step = 0.1);
  const char *first = strstr(said(&r), "x is small");
  assert_non_null(first);
  assert_null(strstr(first + 1, "x is small"));
  run_free(&r);
}

static void conditions_of_parameters_are_checked_at_the_start(void **state) {
  (void)state;
  static const char TEXT[] = DECAY("k > 0, \"k must be positive\"");
  Run r = simulate_fully(.text = TEXT, .stop = 2, .step = 0.1);
  run_free(&r);
  r = simulate(.text = TEXT, .set = "k=-1", .stop = 2, .step = 0.1);
  assert_int_equal(outcome(&r), ENTRAIN_ASSERTION);
  assert_int_equal(rows(&r), 0);
  run_free(&r);
}

static void a_condition_of_algebraic_variables_is_computed(void **state) {
  (void)state;
  Run r = simulate(.text = "model A Real y = time^2; equation assert(y < 2, \"y\"); end A;",
                   .stop = 2, .step = 0.1);
  assert_int_equal(outcome(&r), ENTRAIN_ASSERTION);
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_violated_condition_ends_the_simulation),
      cmocka_unit_test(a_condition_that_holds_changes_nothing),
      cmocka_unit_test(a_warning_is_given_once_and_the_simulation_goes_on),
      cmocka_unit_test(conditions_of_parameters_are_checked_at_the_start),
      cmocka_unit_test(a_condition_of_algebraic_variables_is_computed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
