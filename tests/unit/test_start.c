#include "model/start.h"

#include <stdlib.h>

#include "loaded.h"
#include "model/system.h"

enum { MOST = 32 };

typedef struct Begin { // a model compiled for its start values, slopes by all parameters
  Loaded l;
  System *s;
  SystemWork *w;
  int parameters[MOST];
  double p[MOST], y[MOST * MOST];
} Begin;

static void begin_at(Begin *b) {
  system_set_parameters(b->w, b->p);
  system_forget(b->w);
  system_start(b->w, 0, b->y);
}

static Begin *begin_new(const char *text) {
  Begin *b = calloc(1, sizeof *b);
  b->l = load_good(text);
  Model *m = b->l.m;
  int count = 0;
  for (int k = 0; k < m->np; k++) {
    if (!m->flat->parameters.at[k].dependent) b->parameters[count++] = k;
    b->p[k] = m->flat->parameters.at[k].value;
  }
  SystemSpec spec = {.parameters = b->parameters, .parameter_count = count, .lanes = 1};
  b->s = system_new(m, &spec);
  b->w = system_work_new(b->s);
  begin_at(b);
  return b;
}

static void begin_free(Begin *b) {
  system_work_free(b->w);
  system_free(b->s);
  unload(&b->l);
  free(b);
}

static double largest_condition(const Begin *b) {
  double most = 0, residual, size;
  for (int i = 0; i < b->l.m->condition_count; i++) {
    system_condition(b->w, i, &residual, &size);
    most = fmax(most, fabs(residual) / (size > 0 ? size : 1));
  }
  return most;
}

static void set(Begin *b, const char *parameter, double value) {
  int k = names_find(b->l.m->flat->parameter_names, parameter);
  assert_true(k >= 0);
  b->p[k] = value;
}

#define EQUATIONS                                                                                  \
  "equation der(x) = vx; der(y) = vy; der(vx) = -2*x*lam - b*vx; der(vy) = -9.81 - 2*y*lam;\n"     \
  "x^2 + y^2 = L^2; phi = atan2(x, -y); end P;"
#define PENDULUM(x, y, vx, vy, phi)                                                                \
  "model P parameter Real L = 2; parameter Real b = 0.1;\n"                                        \
  "Real x(" x "), y(" y "), vx(" vx "), vy(" vy "), lam, phi(" phi ");\n" EQUATIONS

// The nearest point of a circle lies on the ray; the nearest velocity is the part along the tangent.
static void free_states_are_the_nearest_consistent_ones(void **state) {
  (void)state;
  Begin *b =
      begin_new(PENDULUM("start = 0.9", "start = -1.2", "start = 1", "start = 3", "start = 0"));
  assert_close(b->y[0], 1.2, 1e-14);
  assert_close(b->y[1], -1.6, 1e-14);
  double along = 0.8 * 1 + 0.6 * 3;
  assert_close(b->y[2], 0.8 * along, 1e-14);
  assert_close(b->y[3], 0.6 * along, 1e-14);
  assert_true(largest_condition(b) < 1e-14);
  begin_free(b);
}

static void nominal_sizes_say_what_is_near(void **state) {
  (void)state;
  // y counts in hundredths: it stays nearly where it is
  Begin *b = begin_new(PENDULUM("start = 0.9", "start = -1.2, nominal = 0.01", "start = 0",
                                "start = 0", "start = 0"));
  assert_close(b->y[1], -1.2, 1e-3);
  assert_close(hypot(b->y[0], b->y[1]), 2, 1e-13);
  begin_free(b);
}

static void fixed_values_are_kept(void **state) {
  (void)state;
  Begin *b = begin_new(
      PENDULUM("start = 1.5, fixed = true", "start = -1", "start = 0.3, fixed = true", "", ""));
  assert_true(b->y[0] == 1.5 && b->y[2] == 0.3);
  assert_close(b->y[1], -sqrt(4 - 2.25), 1e-13);
  assert_close(b->y[3], -1.5 * 0.3 / b->y[1], 1e-13);
  begin_free(b);
}

static void an_algebraic_variable_can_be_fixed(void **state) {
  (void)state;
  Begin *b = begin_new(PENDULUM("start = 0.5", "start = -1", "", "", "start = 0.7, fixed = true"));
  assert_close(b->y[0], 2 * sin(0.7), 1e-13);
  assert_close(b->y[1], -2 * cos(0.7), 1e-13);
  begin_free(b);
}

static void initial_equations_choose_among_consistent_points(void **state) {
  (void)state;
  Begin *b =
      begin_new("model P parameter Real L = 2; parameter Real b = 0.1; parameter Real F = 3;\n"
                "Real x(start = 0.5), y(start = -1.5), vx(fixed = true), vy, lam;\n"
                "initial equation der(vx) = 0;\n"
                "equation der(x) = vx; der(y) = vy; der(vx) = F - 2*x*lam - b*vx;\n"
                "der(vy) = -9.81 - 2*y*lam; x^2 + y^2 = L^2; end P;");
  assert_true(largest_condition(b) < 1e-12);
  assert_close(b->y[0] / -b->y[1], 3 / 9.81, 1e-12); // hangs along the resultant force
  begin_free(b);
}

// Consistent as given: nothing to solve, and no complaint. With another length it is not.
static void too_many_fixed_values_are_checked(void **state) {
  (void)state;
  Begin *b = begin_new(PENDULUM("start = 1.2, fixed = true", "start = -1.6, fixed = true",
                                "start = 0, fixed = true", "start = 0, fixed = true", ""));
  assert_true(largest_condition(b) < 1e-15);
  set(b, "L", 2.1);
  begin_at(b);
  double residual, size;
  system_condition(b->w, 0, &residual, &size);
  assert_close(residual, 4 - 2.1 * 2.1, 1e-13);
  assert_true(size > 1 && size < 100);
  assert_int_equal(b->l.m->conditions[0].line, 4);
  begin_free(b);
}

// The velocity of a hanging pendulum: vy cannot follow from vx nor vx from vy.
static void a_condition_that_determines_nothing_is_only_checked(void **state) {
  (void)state;
  Begin *b = begin_new(PENDULUM("start = 0, fixed = true", "start = -2", "start = 0.4",
                                "start = 0, fixed = true", ""));
  assert_close(b->y[1], -2, 1e-14);
  assert_close(b->y[2], 0.4, 1e-14);
  begin_free(b);
}

static const char *const MODELS[] = {
    PENDULUM("start = 0.9", "start = -1.2", "start = 1", "start = 3", "start = 0"),
    PENDULUM("start = L/3, fixed = true", "start = -1", "start = 0.3*L", "start = b", ""),
    PENDULUM("start = 0.5", "start = -1", "", "", "start = 0.7, fixed = true"),
    "model Twice parameter Real L = 2; parameter Real b = 0.1; Real x(start = 1), y(start = "
    "-1.6);\n"
    "Real vx(start = 0.5), vy, lam, mu; equation der(x) = vx; der(y) = vy;\n"
    "der(vx) = -x*lam - x*mu; der(vy) = -b - y*lam - y*mu; x^2 + y^2 = L^2;\n"
    "sqrt(x^2 + y^2) = L; end Twice;",
};

// Gears coupled by angles and by rates: the rates that the angles couple are those that other gears couple directly.
static void rates_fit_together_whatever_couples_them(void **state) {
  (void)state;
  Begin *b = begin_new(
      "model Gears parameter Real n = 3, m = 2; Real a, b, c, d, s, u, v, w(start = -2);\n"
      "Real p, q, r, t, h, k; equation der(a) = s; der(b) = u; der(c) = v; der(d) = w;\n"
      "der(s) = p; der(u) = q + r; der(v) = t + h; der(w) = k; s = m*u; q = -m*p; b = n*c;\n"
      "t = -n*r; v = m*w; k = -m*h; end Gears;");
  assert_true(largest_condition(b) < 1e-12);
  const Model *m = b->l.m;
  double w = b->y[m->nx - 1];
  assert_true(w < -0.01); // near -2 as far as the others let it
  begin_free(b);
}

// der(i) = 0 says that u is 0: of the three states it is u that must not keep its start value, wherever it is declared.
static void initial_equations_leave_start_values_that_fit(void **state) {
  (void)state;
  static const char *const STATES[] = {"Real i(start = 1), w(start = 2), u(start = 3);",
                                       "Real u(start = 3), w(start = 2), i(start = 1);",
                                       "Real w(start = 2), u(start = 3), i(start = 1);"};
  for (size_t k = 0; k < sizeof STATES / sizeof *STATES; k++) {
    char text[600];
    snprintf(text, sizeof text,
             "model Resonance %s Real a, c, uL, iC, iD, iR; initial equation der(i) = 0;\n"
             "equation uL = c - a; uL = der(i); u = c - a; iC = der(u); w = a; iD = 2*der(w);\n"
             "iR = c/2; iD - iC - i = 0; i + iR + iC = 0; end Resonance;",
             STATES[k]);
    Begin *b = begin_new(text);
    for (int i = 0; i < 3; i++) {
      const char *name = b->l.m->flat->variables.at[b->l.m->state[i]].name;
      assert_close(b->y[i], *name == 'i' ? 1 : *name == 'w' ? 2 : 0, 1e-12);
    }
    begin_free(b);
  }
}

// The angle is the solution of an equation of its own, which is solved within the search for the nearest position.
static void what_needs_an_iteration_can_be_constrained(void **state) {
  (void)state;
  Begin *b = begin_new(
      "model Angle parameter Real L = 2; Real x(start = 1.2), y(start = -1.5), vx, vy, lam;\n"
      "Real phi(start = 0.6); equation der(x) = vx; der(y) = vy; der(vx) = -lam*x;\n"
      "der(vy) = -lam*y - 9.81; x = L*sin(phi); y = -L*cos(phi); end Angle;");
  assert_true(largest_condition(b) < 1e-12);
  double radius = sqrt(1.2 * 1.2 + 1.5 * 1.5); // the nearest point of the circle
  assert_close(b->y[0], 2 * 1.2 / radius, 1e-9);
  begin_free(b);
}

static void slopes_of_start_values_agree_with_differences(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
    Begin *b = begin_new(MODELS[i]);
    const System *s = b->s;
    double y[MOST * MOST], low[MOST], high[MOST], h = 1e-6;
    memcpy(y, b->y, sizeof y);
    for (int k = 0; k < s->ns; k++) {
      int at = s->columns.parameter[k];
      double p = b->p[at];
      b->p[at] = p - h, begin_at(b), memcpy(low, b->y, (size_t)s->nx * sizeof *low);
      b->p[at] = p + h, begin_at(b), memcpy(high, b->y, (size_t)s->nx * sizeof *high);
      b->p[at] = p;
      for (int j = 0; j < s->nx; j++)
        assert_close(y[s->nx + j * s->stride + k], (high[j] - low[j]) / (2 * h), 1e-8);
    }
    begin_free(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_states_are_the_nearest_consistent_ones),
      cmocka_unit_test(nominal_sizes_say_what_is_near),
      cmocka_unit_test(fixed_values_are_kept),
      cmocka_unit_test(an_algebraic_variable_can_be_fixed),
      cmocka_unit_test(initial_equations_choose_among_consistent_points),
      cmocka_unit_test(too_many_fixed_values_are_checked),
      cmocka_unit_test(a_condition_that_determines_nothing_is_only_checked),
      cmocka_unit_test(rates_fit_together_whatever_couples_them),
      cmocka_unit_test(initial_equations_leave_start_values_that_fit),
      cmocka_unit_test(what_needs_an_iteration_can_be_constrained),
      cmocka_unit_test(slopes_of_start_values_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
