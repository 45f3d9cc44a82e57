// Functions of the language, through whole simulations.
#include "model/scope.h"

#include "api/api.h"
#include "simulation.h"

static void whole_numbers_follow_the_language(void **state) {
  (void)state;
  static const char TEXT[] =
      "model A Real x = 4.1 - time, d = div(x, 1.5), r = rem(x, 1.5), m = mod(x, 1.5), f = "
      "floor(x), "
      "c = ceil(x), i = integer(x), n = div(x, -1.5), q = rem(x, -1.5); end A;";
  Run run = simulate_fully(.text = TEXT, .stop = 9, .step = 0.37);
  for (int i = 0; i < rows(&run); i++) {
    double x = value_at(&run, "x", i);
    assert_close(value_at(&run, "d", i), trunc(x / 1.5), 0);
    assert_close(value_at(&run, "n", i), trunc(x / -1.5), 0);
    assert_close(value_at(&run, "r", i), fmod(x, 1.5), 1e-12);
    assert_close(value_at(&run, "q", i), fmod(x, -1.5), 1e-12);
    assert_close(value_at(&run, "m", i), x - 1.5 * floor(x / 1.5), 1e-12);
    assert_close(value_at(&run, "f", i), floor(x), 0);
    assert_close(value_at(&run, "i", i), floor(x), 0);
    assert_close(value_at(&run, "c", i), ceil(x), 0);
  }
  run_free(&run);
}

// Between -1 and 1 the whole part is 0: no event where the sign changes.
static void div_makes_events_where_it_jumps(void **state) {
  (void)state;
  Run run = simulate_fully(.text = "model A Real y(start = 0, fixed = true); equation der(y) = "
                                   "div(time - 2, 0.8); end A;",
                           .stop = 4, .step = 4, .options = "rel_tol=1e-9");
  assert_int_equal(run.work.events, 4); // at time - 2 = -1.6, -0.8, 0.8, 1.6
  assert_close(last_value(&run, "y"), 0, 1e-9);
  run_free(&run);
  run = simulate_fully(.text = "model A Real y(start = 0, fixed = true); equation der(y) = "
                               "noEvent(div(time - 2, 0.8)); end A;",
                       .stop = 4, .step = 4);
  assert_int_equal(run.work.events, 0);
  run_free(&run);
}

static void semi_linear_has_two_slopes(void **state) {
  (void)state;
  Run run = simulate_fully(.text = "model A parameter Real a = 2, b = 5; Real x = time - 1, y = "
                                   "semiLinear(x, a, b); end A;",
                           .stop = 2, .step = 0.25, .sens = "a b");
  for (int i = 0; i < rows(&run); i++) {
    double x = value_at(&run, "x", i);
    assert_close(value_at(&run, "y", i), x >= 0 ? 2 * x : 5 * x, 1e-14);
    assert_close(value_at(&run, "dy/da", i), fmax(x, 0), 1e-14);
    assert_close(value_at(&run, "dy/db", i), fmin(x, 0), 1e-14);
  }
  run_free(&run);
}

static void homotopy_is_its_first_argument(void **state) {
  (void)state;
  Run run = simulate_fully(.text = "model A Real y = homotopy(time^2, time); end A;", .stop = 2,
                           .step = 0.5);
  for (int i = 0; i < rows(&run); i++)
    assert_close(value_at(&run, "y", i), pow(value_at(&run, "time", i), 2), 1e-15);
  run_free(&run);
}

static void smooth_takes_an_order_that_follows_from_parameters(void **state) {
  (void)state;
  static const char TEXT[] = "model A parameter Integer n = 1; Real y(start = 0, fixed = true); "
                             "equation der(y) = smooth(n - 1, abs(time - 1)); end A;";
  Run run = simulate_fully(.text = TEXT, .stop = 2, .step = 2);
  assert_int_equal(run.work.events, 1);
  run_free(&run);
  run = simulate_fully(.text = TEXT, .set = "n=2", .stop = 2, .step = 2);
  assert_int_equal(run.work.events, 0);
  run_free(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_numbers_follow_the_language),
      cmocka_unit_test(div_makes_events_where_it_jumps),
      cmocka_unit_test(semi_linear_has_two_slopes),
      cmocka_unit_test(homotopy_is_its_first_argument),
      cmocka_unit_test(smooth_takes_an_order_that_follows_from_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
