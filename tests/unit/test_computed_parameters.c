// Parameters with fixed = false, through whole simulations.
#include "api/api.h"
#include "loaded.h"
#include "simulation.h"

static const char STEADY[] =
    "model A parameter Real a = 2, b = 0.3; parameter Real k(fixed = false, start = 1); parameter "
    "Real twice = 2*k; Real x(start = 1.5, fixed = true), y; initial equation der(x) = 0; equation "
    "der(x) = a - k*x + b*sin(time); y = twice*x; end A;";

static void initial_equations_determine_the_parameter(void **state) {
  (void)state;
  Run r = simulate_fully(.text = STEADY, .stop = 3, .step = 0.5, .sens = "a b x.start");
  for (int i = 0; i < rows(&r); i++) {
    assert_close(value_at(&r, "k", i), 2 / 1.5, 1e-12);
    assert_close(value_at(&r, "y", i), 2 * value_at(&r, "k", i) * value_at(&r, "x", i), 1e-12);
    assert_close(value_at(&r, "dk/da", i), 1 / 1.5, 1e-12);
    assert_close(value_at(&r, "dk/dx.start", i), -2 / (1.5 * 1.5), 1e-12);
  }
  run_free(&r);
}

static void its_sensitivities_are_exact(void **state) {
  (void)state;
  Spec s = {.text = STEADY,
            .stop = 3,
            .step = 0.5,
            .sens = "a b x.start",
            .options = "rel_tol=1e-11 abs_tol=1e-12"};
  assert_sensitivities(&s, .step = 1e-3, .tolerance = 1e-7);
}

// The start attribute is where Newton's method begins, and tells which of two solutions is meant.
static void its_start_is_the_guess(void **state) {
  (void)state;
  for (int sign = -1; sign <= 1; sign += 2) {
    char text[300];
    snprintf(
        text, sizeof text,
        "model A parameter Real k(fixed = false, start = %d); Real x(start = 1, fixed = true); "
        "initial equation k^2 + k = 6; equation der(x) = -k*x; end A;",
        3 * sign);
    Run r = simulate_fully(.text = text, .stop = 1, .step = 1);
    assert_close(last_value(&r, "k"), sign > 0 ? 2 : -3, 1e-10);
    run_free(&r);
  }
}

static void it_is_constant_along_constraints(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text = "model A parameter Real L(fixed = false, start = 2); Real x(start = 3), y(start "
                  "= 4), "
                  "u(start = 0), v(start = 0), f; initial equation x = 3; y = 4; u = 0; equation "
                  "der(x) = u; der(y) = v; der(u) = -f*x; der(v) = -f*y - 9.81; x^2 + y^2 = L^2; "
                  "end A;",
          .stop = 1, .step = 0.1);
  for (int i = 0; i < rows(&r); i++) assert_close(value_at(&r, "L", i), 5, 1e-7);
  run_free(&r);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  refused("model A\nparameter Real k(fixed = false);\nReal x(start = 1, fixed = true);\nequation "
          "der(x) = -k*x;\nend A;",
          2, "the initial equations do not determine it");
  refused("model A\nparameter Real k(fixed = false) = 3;\nReal x = k;\nend A;", 2,
          "has a value and fixed = false");
  refused("model A\nparameter Integer k(fixed = false);\nReal x = k;\nend A;", 2, "must be Real");
  refused("model A\nparameter Real k(fixed = false);\nReal x(start = k, fixed = true);\ninitial "
          "equation k = 2;\nequation der(x) = -k*x;\nend A;",
          3, "the initial equations determine 'k'");
  Run r = simulate_try(&(Spec){.text = STEADY, .set = "k=3", .stop = 1, .step = 1});
  assert_non_null(strstr(r.error.text, "k cannot be set: the initial equations determine it"));
  run_free(&r);
}

// Unknowns of 1 and of 1e-7: a damped step must suit both, or it leads to tau1 = tau2, where eta is 0.
static void parameters_of_different_sizes_are_found(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text =
              "model Impulse parameter Real rise = 1e-5, half = 3.5e-4; parameter Real eta(fixed = "
              "false, start = 1), T(fixed = false, start = 3.66e-5), T10(fixed = false, start = "
              "3.66e-7), tau1(fixed = false, start = 3.5e-4), tau2(fixed = false, start = 1e-5); "
              "Real "
              "x(start = 0, fixed = true); initial equation exp(-T/tau1)/tau1 = exp(-T/tau2)/tau2; "
              "eta "
              "= exp(-T/tau1) - exp(-T/tau2); 0.1*eta = exp(-T10/tau1) - exp(-T10/tau2); 0.9*eta = "
              "exp(-(T10 + 0.8*rise)/tau1) - exp(-(T10 + 0.8*rise)/tau2); 0.5*eta = exp(-(T10 - "
              "0.1*rise + half)/tau1) - exp(-(T10 - 0.1*rise + half)/tau2); equation der(x) = 1; "
              "end "
              "Impulse;",
          .stop = 1, .step = 1);
  assert_close(last_value(&r, "eta"), 0.95112485, 1e-7); // by another program
  assert_close(last_value(&r, "tau1"), 4.70106612e-4, 1e-11);
  assert_close(last_value(&r, "tau2"), 4.06395161e-6, 1e-13);
  run_free(&r);
}

static void true_or_false_follows_from_parameters(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Supply parameter Real V = 60, I = 50, P = 1200; parameter Boolean limited(fixed = "
      "false); "
      "parameter Real least(fixed = false); parameter Integer n(fixed = false); Real y; initial "
      "equation least = min(V*I, P); limited = least < V*I; n = if limited then 2 else 1; equation "
      "y "
      "= if limited then n*time else -n*time; end Supply;";
  Run a = simulate_fully(.text = TEXT, .stop = 1, .step = 1);
  assert_close(last_value(&a, "y"), 2, 1e-15);
  run_free(&a);
  Run b = simulate_fully(.text = TEXT, .set = "P=4000", .stop = 1, .step = 1);
  assert_close(last_value(&b, "y"), -1, 1e-15);
  run_free(&b);
}

static void a_sample_may_begin_at_a_computed_time(void **state) {
  (void)state;
  for (double start = 0; start < 1; start += 0.3) {
    Run r =
        simulate_fully(.text =
                           "model Mean parameter Real f = 2; parameter Real t0(fixed = false); "
                           "Real x(start = 0, fixed = true); discrete Real y(start = 0, fixed = "
                           "true); initial equation t0 = time; equation der(x) = 2*time; when "
                           "sample(t0 + 1/f, 1/f) then y = f*pre(x); reinit(x, 0); end when; end "
                           "Mean;",
                       .start = start, .stop = start + 3.1, .step = 0.1, .select = "x y");
    for (int i = 0; i < rows(&r); i++) {
      double last = start + 0.5 * floor((value_at(&r, "time", i) - start) / 0.5 + 1e-9);
      double mean = last > start + 0.4 ? 2 * last - 0.5 : 0;
      assert_close(value_at(&r, "y", i), mean, 1e-5);
    }
    run_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(initial_equations_determine_the_parameter),
      cmocka_unit_test(its_sensitivities_are_exact),
      cmocka_unit_test(its_start_is_the_guess),
      cmocka_unit_test(it_is_constant_along_constraints),
      cmocka_unit_test(what_does_not_fit_is_refused),
      cmocka_unit_test(parameters_of_different_sizes_are_found),
      cmocka_unit_test(true_or_false_follows_from_parameters),
      cmocka_unit_test(a_sample_may_begin_at_a_computed_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
