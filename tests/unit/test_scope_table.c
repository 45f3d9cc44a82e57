// Tables of the model text, through whole simulations.
#include "model/scope.h"

#include "api/api.h"
#include "loaded.h"
#include "simulation.h"

static const double X[] = {0, 1, 1.5, 3}, Y[] = {0, 2, -1, 1};
#define POINTS "{0, 1, 1.5, 3}, {0, 2, -1, 1}"

static double line_at(double u) {
  int k = 0;
  while (k < 2 && u >= X[k + 1]) k++;
  return Y[k] + (Y[k + 1] - Y[k]) * (u - X[k]) / (X[k + 1] - X[k]);
}

static double expected(int beyond, double u) {
  if (beyond == 1) return line_at(fmin(fmax(u, 0), 3));
  return line_at(beyond == 3 ? u - 3 * floor(u / 3) : u);
}

static void a_linear_table_of_time_is_exact(void **state) {
  (void)state;
  for (int beyond = 1; beyond <= 3; beyond++)
    for (int state_event = 0; state_event < 2; state_event++) {
      char text[400];
      snprintf(text, sizeof text,
               "model A Real s(start = -2, fixed = true), z(start = 0, fixed = true), y; equation "
               "der(s) = 1; y = Entrain.Tables.linear(%s, " POINTS ", %d); der(z) = y; end A;",
               state_event ? "s" : "time - 2", beyond);
      Run r = simulate_fully(.text = text, .stop = 10, .step = 0.125,
                             .options = "rel_tol=1e-9 abs_tol=1e-10");
      double integral = 0;
      for (int i = 0; i < rows(&r); i++) {
        double u = value_at(&r, "time", i) - 2;
        assert_close(value_at(&r, "y", i), expected(beyond, u), 1e-7);
        assert_close(value_at(&r, "z", i), integral, 1e-7);
        integral += 0.0625 * (expected(beyond, u) + expected(beyond, u + 0.125 - 1e-12));
      }
      run_free(&r);
    }
}

static void steps_end_at_the_points_of_a_table_in_time(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model A Real z(start = 0, fixed = true); equation der(z) = "
                                 "Entrain.Tables.hold(time/2, " POINTS ", 1); end A;",
                         .stop = 7, .step = 7);
  assert_close(last_value(&r, "z"), 2 * (1 * 0 + 0.5 * 2 - 1.5 * 1 + 0.5 * 1), 1e-14);
  assert_true(r.work.steps < 40);
  run_free(&r);
}

static void equal_points_are_jumps_in_time(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model A Real z(start = 0, fixed = true), y; equation der(z) = y; "
                                 "y = Entrain.Tables.linear(time, {0, 1, 1, 2}, {0, 1, 5, 6}, 1); "
                                 "end A;",
                         .stop = 2, .step = 0.5);
  static const double VALUES[] = {0, 0.5, 5, 5.5, 6}, SUMS[] = {0, 0.125, 0.5, 3.125, 6};
  for (int i = 0; i < 5; i++) {
    assert_close(value_at(&r, "y", i), VALUES[i], 1e-12);
    assert_close(value_at(&r, "z", i), SUMS[i], 1e-12);
  }
  run_free(&r);
}

static const char FREE[] =
    "model A parameter Real a = 1, b = 0.5, c = 2, v = 1; Real s(start = 0, fixed = true), z(start "
    "= "
    "0, fixed = true), y; equation der(s) = v + 0.2*sin(time); y = "
    "Entrain.Tables.%s(s, {0, 1, 2, 3}, {a, 2*b, 1, c}, %d); der(z) = y - 0.3*z; end A;";

static void values_may_be_estimated(void **state) {
  (void)state;
  static const char *const KINDS[] = {"linear", "hold"};
  for (int k = 0; k < 2; k++)
    for (int beyond = 1; beyond <= 3; beyond++) {
      char text[500];
      snprintf(text, sizeof text, FREE, KINDS[k], beyond);
      double times[] = {0.3, 0.7, 1.3, 1.7, 2.6, 3.4, 4.3};
      Spec s = {.text = text,
                .times = times,
                .count = 7,
                .sens = "a b c v",
                .select = "s z",
                .options = "rel_tol=1e-11 abs_tol=1e-12"};
      assert_sensitivities(&s, .step = 1e-3, .tolerance = 1e-6);
    }
}

static void splines_have_exact_sensitivities(void **state) {
  (void)state;
  static const char *const KINDS[] = {"spline", "makima", "monotone", "monotone2"};
  for (int k = 0; k < 4; k++) {
    char text[500];
    snprintf(text, sizeof text,
             "model A parameter Real v = 1; Real z(start = 0, fixed = true); equation der(z) = "
             "Entrain.Tables.%s(z + v*time, " POINTS ", 2); end A;",
             KINDS[k]);
    Spec s = {.text = text,
              .stop = 2,
              .step = 0.25,
              .sens = "v",
              .options = "rel_tol=1e-11 abs_tol=1e-12"};
    assert_sensitivities(&s, .step = 1e-4, .tolerance = 1e-5);
  }
}

static void a_table_in_two_dimensions_is_bilinear(void **state) {
  (void)state;
  static const char *const BEYOND[] = {"", ", 1", ", 2"};
  for (int b = 0; b < 3; b++) {
    char text[400];
    snprintf(
        text, sizeof text,
        "model A Real u = 3*sin(time), v = 2.5*cos(2*time), y; equation y = "
        "Entrain.Tables.linear2(u, v, {-1, 0, 2}, {0, 1.5}, {{1, 2}, {0, -1}, {4, 5}}%s); end A;",
        BEYOND[b]);
    Run r = simulate_fully(.text = text, .stop = 7, .step = 0.1);
    for (int i = 0; i < rows(&r); i++) {
      double u = value_at(&r, "u", i), v = value_at(&r, "v", i);
      if (b == 1) u = fmin(fmax(u, -1), 2), v = fmin(fmax(v, 0), 1.5);
      double low = u < 0 ? -u : 2 * u, high = u < 0 ? -1 - 3 * u : -1 + 3 * u;
      assert_close(value_at(&r, "y", i), low + (high - low) * v / 1.5, 1e-12);
    }
    run_free(&r);
  }
}

static void without_extrapolation_the_table_must_not_be_left(void **state) {
  (void)state;
  static const char TEXT[] = "model A Real y = Entrain.Tables.linear(time, " POINTS ", 4); end A;";
  Run r = simulate_fully(.text = TEXT, .stop = 3, .step = 1);
  run_free(&r);
  r = simulate(.text = TEXT, .stop = 4, .step = 1);
  assert_int_equal(outcome(&r), ENTRAIN_ASSERTION);
  run_free(&r);
}

static void break_points_may_be_parameters_that_are_not_estimated(void **state) {
  (void)state;
  static const char TEXT[] = "model A parameter Real x = 1; Real y = Entrain.Tables.linear(time, "
                             "{0, x, 3}, {0, 1, 0}, 1); "
                             "end A;";
  Run r = simulate_fully(.text = TEXT, .set = "x=2", .stop = 1, .step = 1);
  assert_close(last_value(&r, "y"), 0.5, 1e-14);
  run_free(&r);
  r = simulate_try(&(Spec){.text = TEXT, .sens = "x", .stop = 1, .step = 1});
  assert_non_null(strstr(r.error.text, "x is a number of the table in line 1"));
  run_free(&r);
}

#define BAD(arguments) "model A\nReal y = Entrain.Tables." arguments ";\nend A;"

static void bad_tables_are_refused_at_their_place(void **state) {
  (void)state;
  refused(BAD("linear(time, {0, 1}, {0}, 1)"), 2, "has 2 elements, this is an array [1]");
  refused(BAD("linear(time, {0, 2, 1}, {0, 0, 0}, 1)"), 2,
          "break point 3 of the table, 1, is below");
  refused(BAD("spline(time, {0, 1, 1}, {0, 0, 0}, 1)"), 2,
          "break point 3 of the table, 1, is not above");
  refused(BAD("linear(time, 3, {0}, 1)"), 2, "has 1 dimension, this is a scalar");
  refused(BAD("linear(time, {0}, {1/0}, 1)"), 2, "not finite");
  refused(BAD("linear(time, {0, time}, {1, 2}, 1)"), 2, "time varies");
  refused(BAD("linear(time, {0, 1}, {1, 2}, 5)"), 2, "what lies beyond a table is 1");
  refused(BAD("linear(time, {1, 1}, {1, 2}, 3)"), 2, "break points that are apart");
  refused(BAD("linear2(time, time, {0, 1}, {0, 1}, {{1, 2}})"), 2,
          "has 2 elements, this is an array");
  refused(BAD("linear2(time, time, {0, 1}, {0, 1}, {{1, 2}, {3}})"), 2,
          "the elements of an array differ in size");
  refused(BAD("spline2(time, time, {0, 1}, {0, 1}, {{1, 2}, {3, 4}})"), 2, "is not a function");
  refused(BAD("cubic(time)"), 2, "is not a function that entrain knows");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_linear_table_of_time_is_exact),
      cmocka_unit_test(steps_end_at_the_points_of_a_table_in_time),
      cmocka_unit_test(equal_points_are_jumps_in_time),
      cmocka_unit_test(values_may_be_estimated),
      cmocka_unit_test(splines_have_exact_sensitivities),
      cmocka_unit_test(a_table_in_two_dimensions_is_bilinear),
      cmocka_unit_test(without_extrapolation_the_table_must_not_be_left),
      cmocka_unit_test(break_points_may_be_parameters_that_are_not_estimated),
      cmocka_unit_test(bad_tables_are_refused_at_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
