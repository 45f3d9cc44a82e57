// Integrators with fixed steps: their orders, sensitivities that are derivatives of what they compute, events and breaks, and the
// vehicle with 56 states at the limits of their stability.
#include <math.h>

#include "simulation.h"

static const char PENDULUM[] =
    "model M\n"
    "  parameter Real p = 4; parameter Real d = 0.3;\n"
    "  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
    "  Real y(start = 0.2, fixed = true);\n"
    "equation\n"
    "  der(x) = v; der(v) = -p*sin(x) - d*v*abs(v) + 0.5*cos(p*time);\n"
    "  der(y) = 30*(x^2 - y);\n"
    "end M;\n";

static const struct {
  const char *name;
  int order;
} METHODS[] = {{"rk4", 4}, {"semi-implicit-euler", 1}};

static Run run_with(const char *text, const char *method, double h, const char *more,
                    const char *set, const char *sens, double step) {
  char options[200];
  snprintf(options, sizeof options, "solver=%s fixed_step=%.17g %s", method, h, more);
  return simulate_fully(.text = text, .set = set, .options = options, .stop = 2, .step = step,
                        .sens = sens);
}

static double largest_error(const Run *a, const Run *exact) {
  double most = 0;
  for (int i = 0; i < rows(a); i++)
    most = fmax(most, fabs(value_at(a, "x", i) - value_at(exact, "x", i)) +
                          fabs(value_at(a, "y", i) - value_at(exact, "y", i)));
  return most;
}

// At the ends of steps, and (0.037) between them.
static void errors_fall_with_the_order(void **state) {
  (void)state;
  static const double OUTPUT[] = {0.1, 0.037};
  for (int k = 0; k < 2; k++)
    for (int m = 0; m < 2; m++) {
      Run exact = simulate_fully(.text = PENDULUM, .options = "rel_tol=1e-12 abs_tol=1e-13",
                                 .stop = 2, .step = OUTPUT[k]);
      double error[2];
      for (int i = 0; i < 2; i++) {
        Run r = run_with(PENDULUM, METHODS[m].name, 0.005 / (1 + i), "", "", NULL, OUTPUT[k]);
        error[i] = largest_error(&r, &exact);
        run_free(&r);
      }
      double order = log2(error[0] / error[1]);
      assert_true(error[0] > 1e-10); // not rounding
      assert_close(order, METHODS[m].order, 0.25);
      run_free(&exact);
    }
}

static void sensitivities_are_those_of_the_numbers(void **state) {
  (void)state;
  static const char *const MORE[] = {"", "jacobian_every=7"};
  for (int m = 0; m < 2; m++)
    for (int k = 0; k < 2; k++) {
      const double h = 1e-4;
      char up[40], down[40];
      snprintf(up, sizeof up, "p=%.17g", 4 + h);
      snprintf(down, sizeof down, "p=%.17g", 4 - h);
      // steps so long that the motion is wrong by percents, while its derivative is not
      Run r = run_with(PENDULUM, METHODS[m].name, 0.05, MORE[k], "", "p", 0.1);
      Run a = run_with(PENDULUM, METHODS[m].name, 0.05, MORE[k], up, NULL, 0.1);
      Run b = run_with(PENDULUM, METHODS[m].name, 0.05, MORE[k], down, NULL, 0.1);
      for (int i = 1; i < rows(&r); i++) {
        double slope = (value_at(&a, "x", i) - value_at(&b, "x", i)) / (2 * h);
        assert_close(value_at(&r, "dx/dp", i), slope, 3e-6);
        slope = (value_at(&a, "y", i) - value_at(&b, "y", i)) / (2 * h);
        assert_close(value_at(&r, "dy/dp", i), slope, 3e-6);
      }
      run_free(&r), run_free(&a), run_free(&b);
    }
}

// A table with break points that no step would meet, and a ball.
static void steps_end_at_breaks_and_events(void **state) {
  (void)state;
  static const char TABLE[] =
      "model M\n  Real x(start = 0, fixed = true); Real y(start = 0, fixed = true);\nequation\n"
      "  der(x) = Entrain.Tables.hold(time, {0, 0.333, 1.777}, {0, 1, -1}); der(y) = x;\nend M;\n";
  for (int m = 0; m < 2; m++) {
    Run r = run_with(TABLE, METHODS[m].name, 0.1, "", "", NULL, 0.1);
    for (int i = 0; i < rows(&r); i++) {
      double t = value_at(&r, "time", i);
      double x = t < 0.333 ? 0 : t < 1.777 ? t - 0.333 : 1.777 - 0.333 - (t - 1.777);
      assert_close(value_at(&r, "x", i), x, 1e-12);
    }
    run_free(&r);
  }
  static const char BALL[] =
      "model M\n  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
      "  Real y = x;\nequation\n  der(x) = v; der(v) = -9.81;\n"
      "  when x <= 0 then reinit(v, -0.9*pre(v)); end when;\nend M;\n";
  Run exact = simulate_fully(.text = BALL, .options = "rel_tol=1e-11", .stop = 2, .step = 0.1);
  Run r = run_with(BALL, "rk4", 0.07, "", "", NULL, 0.1);
  for (int i = 0; i < rows(&r); i++) // parabolas are exact
    assert_close(value_at(&r, "x", i), value_at(&exact, "x", i), 1e-8);
  run_free(&r), run_free(&exact);
}

static void without_a_length_they_are_refused(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    char options[60];
    snprintf(options, sizeof options, "solver=%s", METHODS[m].name);
    Run r = simulate_try(&(Spec){.text = PENDULUM, .options = options, .stop = 1, .step = 0.1});
    assert_non_null(strstr(entrain_result_message(r.result), "fixed_step"));
    run_free(&r);
  }
}

// The figures of the case: rk4 is unstable at 1.2 ms and stable at 1 ms, Euler stable at 6 ms with errors below 1 rad/s.
static void limits_of_the_vehicle(void **state) {
  (void)state;
  static const char FILE[] = "examples/vehicles/vehicle56.mo";
  Run r = simulate_try(&(Spec){.file = FILE,
                               .options = "solver=rk4 fixed_step=0.0012",
                               .stop = 1,
                               .step = 0.1,
                               .select = "u"});
  assert_string_equal(entrain_result_outcome_name(r.result), "not-computable");
  run_free(&r);
  r = simulate_fully(.file = FILE, .options = "solver=rk4 fixed_step=0.001", .stop = 1, .step = 0.1,
                     .select = "u om[1]");
  assert_close(value_at(&r, "u", rows(&r) - 1), 0.668256, 1e-5);
  run_free(&r);
  r = simulate_fully(.file = FILE, .options = "solver=semi-implicit-euler fixed_step=0.006",
                     .stop = 22.5, .step = 0.9, .select = "om[1]");
  assert_close(value_at(&r, "om[1]", rows(&r) - 1), 50.14646, 1);
  assert_close(value_at(&r, "om[1]", rows(&r) - 2), 62.62401, 0.05); // at 21.6 s
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_fall_with_the_order),
      cmocka_unit_test(sensitivities_are_those_of_the_numbers),
      cmocka_unit_test(steps_end_at_breaks_and_events),
      cmocka_unit_test(without_a_length_they_are_refused),
      cmocka_unit_test(limits_of_the_vehicle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
