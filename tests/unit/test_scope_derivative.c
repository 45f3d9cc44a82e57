// der() of expressions, through whole simulations.
#include "model/scope.h"

#include "api/api.h"
#include "loaded.h"
#include "simulation.h"

// Both texts must move alike, sensitivities included.
static void same_motion(const char *text, const char *expanded) {
  const char *options = "rel_tol=1e-10 abs_tol=1e-12";
  Run a = simulate_fully(.text = text, .options = options, .stop = 2, .step = 0.1, .sens = "k"),
      b = simulate_fully(.text = expanded, .options = options, .stop = 2, .step = 0.1, .sens = "k");
  assert_true(largest_difference(&a, &b, "x") < 1e-8);
  assert_true(largest_difference(&a, &b, "dx/dk") < 1e-7);
  run_free(&a), run_free(&b);
}

#define HEAD                                                                                       \
  "model A parameter Real k = 2; Real x(start = 1, fixed = true), y(start = 0.5, fixed = true);"
#define REST "der(y) = -y; end A;"

static void the_product_rule_holds(void **state) {
  (void)state;
  same_motion(HEAD "equation der(x*y) = -k*x; " REST,
              HEAD "equation x*der(y) + y*der(x) = -k*x; " REST);
}

static void the_chain_rule_and_time_are_in_it(void **state) {
  (void)state;
  same_motion(HEAD "equation der(k*exp(-x)*(1 + time^2) + 3) = k; " REST,
              HEAD "equation -k*exp(-x)*(1 + time^2)*der(x) + 2*k*exp(-x)*time = k; " REST);
}

static void branches_have_their_own_derivatives(void **state) {
  (void)state;
  same_motion(HEAD "equation der(if time < 1 then x else 2*x) = -k*x; " REST,
              HEAD "equation (if time < 1 then 1 else 2)*der(x) = -k*x; " REST);
}

// A momentum that is no state of its own.
static void an_algebraic_variable_may_be_in_it(void **state) {
  (void)state;
  same_motion(HEAD "Real m = 1 + y; equation der(m*x) = -k*x; " REST,
              HEAD "equation (1 + y)*der(x) + der(y)*x = -k*x; " REST);
}

static void what_does_not_vary_has_the_derivative_0(void **state) {
  (void)state;
  same_motion(HEAD "equation der(x) = -k*x + der(k^2 + 1) + der(3); " REST,
              HEAD "equation der(x) = -k*x; " REST);
}

// der(x) is a state of its own, whose start value can be set.
static void second_derivatives_are_states(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"model A parameter Real k = 2; Real x(start = 1, fixed = "
                                      "true); initial equation der(x) = 0.5; "
                                      "equation der(der(x)) = -k*x; end A;",
                                      "model A parameter Real k = 2, m = 3; Real x(start = 1, "
                                      "fixed = true); initial equation der(x) "
                                      "= 0.5; equation der(m*der(x)) = -k*x*m; end A;"};
  for (int i = 0; i < 2; i++) {
    Run r = simulate_fully(.text = TEXTS[i], .stop = 2, .step = 0.25, .sens = "k",
                           .options = "rel_tol=1e-10 abs_tol=1e-12");
    for (int row = 0; row < rows(&r); row++) {
      double t = value_at(&r, "time", row), w = sqrt(2);
      assert_close(value_at(&r, "x", row), cos(w * t) + 0.5 / w * sin(w * t), 1e-9);
      assert_close(value_at(&r, "der(x)", row), 0.5 * cos(w * t) - w * sin(w * t), 1e-9);
    }
    run_free(&r);
  }
  Run r =
      simulate_fully(.text = "model A Real x(start = 1, fixed = true); equation der(der(x)) = 0; "
                             "end A;",
                     .set = "der(x).start=3", .stop = 2, .step = 1);
  assert_close(last_value(&r, "x"), 7, 1e-9);
  run_free(&r);
}

static void inputs_and_conditions_are_refused(void **state) {
  (void)state;
  refused("model A input Real u; Real x; equation der(x*u) = 1; end A;", 1, "der() of the input u");
  refused(HEAD "equation der(x > 1) = 1; " REST, 1, "der needs a number");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_product_rule_holds),
      cmocka_unit_test(the_chain_rule_and_time_are_in_it),
      cmocka_unit_test(branches_have_their_own_derivatives),
      cmocka_unit_test(an_algebraic_variable_may_be_in_it),
      cmocka_unit_test(what_does_not_vary_has_the_derivative_0),
      cmocka_unit_test(second_derivatives_are_states),
      cmocka_unit_test(inputs_and_conditions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
