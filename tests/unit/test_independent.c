#include "model/independent.h"

#include "loaded.h"

enum { MOST = 16 };

// Two circles in space, of radius r around the z axis and of radius s around the x axis, and what follows from both.
static const char CURVES[] =
    "model C parameter Real r = 2; parameter Real s = 1.5; Real x(start = 1.5), y(start = r/2);\n"
    "Real z(start = 0.8), u, v, w, p, q, o; equation der(x) = u; der(y) = v; der(z) = w;\n"
    "der(u) = -p*x - o*x; der(v) = -p*y - q*y - o*(y - y); der(w) = -q*z + o*z;\n"
    "x^2 + y^2 = r^2; y^2 + z^2 = s^2; x^2 - z^2 = r^2 - s^2; end C;";

static int list_residuals(const Model *m, Expr *residuals) {
  for (int i = 0; i < m->invariant_count; i++) residuals[i] = m->invariants[i].residual;
  return m->invariant_count;
}

static void a_point_is_found_near_the_start(void **state) {
  (void)state;
  Loaded l = load_good(CURVES);
  Expr residuals[MOST];
  double x[MOST], before[MOST];
  Conditions *c = conditions_new(l.m, residuals, list_residuals(l.m, residuals));
  start_attributes(l.m, NULL, x);
  memcpy(before, x, sizeof x);
  assert_true(conditions_settle(c, NULL, x));
  assert_close(x[0] * x[0] + x[1] * x[1], 4, 1e-12);
  assert_close(x[1] * x[1] + x[2] * x[2], 2.25, 1e-12);
  for (int i = 0; i < 3; i++) assert_true(fabs(x[i] - before[i]) < 0.5);
  conditions_free(c);
  unload(&l);
}

static void states_that_are_not_free_stay(void **state) {
  (void)state;
  Loaded l = load_good(CURVES);
  Expr residuals[MOST];
  const bool free[MOST] = {true, false, true, true, true, true};
  double x[MOST];
  Conditions *c = conditions_new(l.m, residuals, list_residuals(l.m, residuals));
  start_attributes(l.m, NULL, x);
  double y = x[1];
  assert_true(conditions_settle(c, free, x));
  assert_close(x[1], y, 0);
  assert_close(x[0], sqrt(4 - y * y), 1e-12);
  conditions_free(c);
  unload(&l);
}

static void later_conditions_follow_from_earlier_ones(void **state) {
  (void)state;
  Loaded l = load_good(CURVES);
  Expr residuals[MOST];
  unsigned char mark[MOST];
  double x[MOST];
  int count = list_residuals(l.m, residuals), dependent = 0, last = 0;
  while (!l.m->invariants[last].redundant) last++;
  Expr redundant = residuals[last]; // to the end
  residuals[last] = residuals[count - 1], residuals[count - 1] = redundant;
  Conditions *c = conditions_new(l.m, residuals, count);
  start_attributes(l.m, NULL, x);
  assert_true(conditions_settle(c, NULL, x));
  int rank = conditions_independent(c, NULL, x, mark);
  for (int i = 0; i < count; i++) dependent += !mark[i];
  assert_int_equal(rank + dependent, count);
  assert_int_equal(dependent, 1);
  assert_false(mark[count - 1]);
  conditions_free(c);
  unload(&l);
}

static void start_attributes_follow_parameters(void **state) {
  (void)state;
  Loaded l = load_good(CURVES);
  double x[MOST], p[MOST];
  for (int k = 0; k < l.m->np; k++) p[k] = l.m->flat->parameters.at[k].value;
  p[names_find(l.m->flat->parameter_names, "r")] = 3;
  start_attributes(l.m, NULL, x);
  assert_close(x[1], 1, 0);
  start_attributes(l.m, p, x);
  assert_close(x[1], 1.5, 0);
  unload(&l);
}

// A third constraint of its own radius follows from the others at one value of it only.
static void parameters_that_hold_a_redundancy_are_known(void **state) {
  (void)state;
  Loaded l = load_good(
      "model C parameter Real r = 2; parameter Real k = 4; parameter Real g = 9.81;\n"
      "Real x(start = 1.2), y(start = 1.6), u, v, p, q; equation der(x) = u; der(y) = v;\n"
      "der(u) = -p*x - q*x; der(v) = -p*y - q*y - g; x^2 + y^2 = r^2; x^2 + y^2 = k; end C;");
  assert_non_null(l.m->redundant_at);
  const char *const names[] = {"r", "k", "g"};
  for (int i = 0; i < 3; i++) {
    int parameter = names_find(l.m->flat->parameter_names, names[i]);
    assert_int_equal(l.m->redundant_at[parameter] >= 0, i < 2);
  }
  unload(&l);
}

// Whatever the units: lengths of micrometres and kilometres.
static void redundancy_does_not_depend_on_units(void **state) {
  (void)state;
  const double units[] = {1e-6, 1e-3, 1, 1e3};
  for (int k = 0; k < 4; k++) {
    char text[600];
    snprintf(text, sizeof text,
             "model C parameter Real r = %g; Real x(start = %g), y(start = %g), u, v, p, q;\n"
             "equation der(x) = u; der(y) = v; der(u) = -p*x - q*x; der(v) = -p*y - q*y;\n"
             "x^2 + y^2 = r^2; sqrt(x^2 + y^2) = r; end C;",
             2 * units[k], 1.1 * units[k], 1.7 * units[k]);
    Loaded l = load_good(text);
    int redundant = 0;
    for (int i = 0; i < l.m->invariant_count; i++) redundant += l.m->invariants[i].redundant;
    assert_int_equal(redundant, 1);
    unload(&l);
  }
}

static void what_cannot_be_satisfied_is_named(void **state) {
  (void)state;
  Loaded l =
      load_good("model C parameter Real r = 2; Real x(start = 3, fixed = true), y(start = 1);\n"
                "Real u, v, p; equation der(x) = u; der(y) = v; der(u) = -p*x;\n"
                "der(v) = -p*y - 9.81; x^2 + y^2 = r^2; end C;");
  int invariant;
  double residual, p[MOST];
  for (int k = 0; k < l.m->np; k++) p[k] = l.m->flat->parameters.at[k].value;
  assert_true(unsatisfied_invariant(l.m, 0, p, &invariant, &residual));
  assert_int_equal(l.m->invariants[invariant].level, 0);
  assert_close(residual, 5, 0.1);
  p[names_find(l.m->flat->parameter_names, "r")] = 4;
  assert_false(unsatisfied_invariant(l.m, 0, p, &invariant, &residual));
  unload(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_is_found_near_the_start),
      cmocka_unit_test(states_that_are_not_free_stay),
      cmocka_unit_test(later_conditions_follow_from_earlier_ones),
      cmocka_unit_test(start_attributes_follow_parameters),
      cmocka_unit_test(parameters_that_hold_a_redundancy_are_known),
      cmocka_unit_test(redundancy_does_not_depend_on_units),
      cmocka_unit_test(what_cannot_be_satisfied_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
