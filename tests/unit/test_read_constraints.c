#include <string.h>

#include "made_problem.h"
#include "problem/read_problem.h"
#include "test.h"

static const char MODEL[] = "model M\n"
                            "  parameter Real k(min = 0.1, max = 50) = 4;\n"
                            "  parameter Real d = 0.3;\n"
                            "  parameter Real m = 2;\n"
                            "  parameter Real both = k*m;\n"
                            "  constant Real g = 9.81;\n"
                            "  Real x(start = 1, fixed = true);\n"
                            "  Real v(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(x) = v;\n"
                            "  m*der(v) = -k*x - d*v;\n"
                            "end M;\n";

static const char ONE[] =
    "model: m.mo\n"
    "experiments: {data: a.csv, measure: {x: {column: x, offset: {start: 0.1}}}}\n"
    "estimate: {k: {start: 4}, d: {start: 0.3, min: 0.01, max: 5}, "
    "x.start: {start: 1, min: 0.1, max: 3, scale: log}}\n"
    "method: sqp\n";

static const char TWO[] = "model: m.mo\n"
                          "experiments:\n"
                          "  - {name: soft, data: a.csv, measure: {x: x}, set: {m: 1}}\n"
                          "  - {name: hard, data: b.csv, measure: {x: x}, set: {m: 3}}\n"
                          "estimate:\n"
                          "  k: {start: 4, min: 0.1, max: 50, per_experiment: true}\n"
                          "  d: {start: 0.3, min: 0.01, max: 5}\n"
                          "method: sqp\n";

static Problem *load(Made *m, const char *problem, const char *constraints) {
  char text[2000];
  made_open(m);
  made_file(m, "m.mo", MODEL);
  made_waves(m, "a.csv", 0, 40);
  made_waves(m, "b.csv", 0.1, 40);
  snprintf(text, sizeof text, "%sconstraints: %s\n", problem, constraints);
  return made_load(m, text);
}

// The error of a problem with these constraints.
static Err refuse(const char *problem, const char *constraints) {
  Made m;
  char text[2000], path[128];
  Err err = {0};
  made_open(&m);
  made_file(&m, "m.mo", MODEL);
  made_waves(&m, "a.csv", 0, 40);
  made_waves(&m, "b.csv", 0.1, 40);
  snprintf(text, sizeof text, "%sconstraints: %s\n", problem, constraints);
  made_file(&m, "problem.yaml", text);
  snprintf(path, sizeof path, "%s/problem.yaml", m.folder);
  Problem *p = problem_load(path, NULL, 0, &err);
  assert_null(p);
  made_close(&m);
  return err;
}

static void assert_refused(const char *problem, const char *constraints, int line, int column,
                           const char *said) {
  Err err = refuse(problem, constraints);
  if (!strstr(err.text, said) || err.line != line || err.column != column)
    fail_msg("%s: %d:%d: %s", constraints, err.line, err.column, err.text);
}

// ---- values

static void rows_are_what_must_not_be_negative(void **state) {
  (void)state;
  Made m;
  Problem *p = load(
      &m, ONE, "[k + d <= 10, k >= 2*d, k*d = 1.2, 0.1 < k/d < 30, x.start <= 2*x.offset + g]");
  const double x[] = {3, 0.5, 1.1, 0.2}; // k, d, x.start, x.offset
  double c[6];
  assert_int_equal(p->unknown_count, 4);
  assert_string_equal(p->unknowns[3].name, "x.offset");
  assert_int_equal(p->constraints.count, 5);
  assert_int_equal(p->constraints.equalities, 1);
  assert_int_equal(p->constraints.inequalities, 5);
  problem_constraints(p, x, c, NULL);
  const double want[] = {1.5 - 1.2, 10 - 3.5, 3 - 1, 6 - 0.1, 30 - 6, 0.4 + 9.81 - 1.1};
  for (int i = 0; i < 6; i++) assert_close(c[i], want[i], 1e-14);
  const double shown[] = {3.5, 3 - 1, 1.5, 6, 1.1 - 0.4 - 9.81};
  for (int i = 0; i < 5; i++) assert_close(constraint_value(p, i, x), shown[i], 1e-14);
  made_close(&m);
}

static void slopes_are_those_of_differences(void **state) {
  (void)state;
  Made m;
  Problem *p = load(&m, ONE,
                    "[both*d <= 100, exp(-d)*k^1.5 >= x.start, sin(k*x.start)/(1 + x.offset^2) = "
                    "-0.7, \"max(k, d) <= 40\", k <= 2*k + d]");
  const double at[] = {3, 0.5, 1.1, 0.2};
  double x[4], c[5], C[20], up[5], down[5];
  problem_constraints(p, at, c, C);
  for (int i = 0; i < 4; i++) {
    memcpy(x, at, sizeof x);
    x[i] = at[i] + 1e-6;
    problem_constraints(p, x, up, NULL);
    x[i] = at[i] - 1e-6;
    problem_constraints(p, x, down, NULL);
    for (int k = 0; k < 5; k++) assert_close(C[4 * k + i], (up[k] - down[k]) / 2e-6, 1e-7);
  }
  made_close(&m);
}

static void what_differs_between_experiments_is_a_constraint_in_each(void **state) {
  (void)state;
  Made m;
  Problem *p = load(&m, TWO, "[k/m <= 9, 'd <= k[hard]', d <= 4]");
  const double x[] = {2, 6, 0.5}; // k[soft], k[hard], d
  double c[4], C[12];
  assert_int_equal(p->constraints.count, 4);
  const int experiments[] = {0, 1, -1, -1};
  for (int i = 0; i < 4; i++) assert_int_equal(p->constraints.at[i].experiment, experiments[i]);
  problem_constraints(p, x, c, C);
  const double want[] = {9 - 2, 9 - 6 / 3., 6 - 0.5, 4 - 0.5};
  const double slopes[] = {-1, 0, 0, 0, -1 / 3., 0, 0, 1, -1, 0, 0, -1};
  for (int i = 0; i < 4; i++) assert_close(c[i], want[i], 1e-14);
  for (int i = 0; i < 12; i++) assert_close(C[i], slopes[i], 1e-14);
  made_close(&m);
}

static void states_tell_how_they_stand(void **state) {
  (void)state;
  Made m;
  Problem *p = load(&m, ONE, "[k + d <= 10, k*d = 1.2, 1 <= k <= 20]");
  const double slack[] = {3, 0.4, 1, 0}, tight[] = {20, 0.06, 1, 0}, edge[] = {9, 1, 1, 0};
  assert_int_equal(constraint_state(p, 0, slack), CONSTRAINT_SLACK);
  assert_int_equal(constraint_state(p, 1, slack), CONSTRAINT_ACTIVE);
  assert_int_equal(constraint_state(p, 2, slack), CONSTRAINT_SLACK);
  assert_int_equal(constraint_state(p, 0, tight), CONSTRAINT_VIOLATED);
  assert_int_equal(constraint_state(p, 1, tight), CONSTRAINT_ACTIVE);
  assert_int_equal(constraint_state(p, 2, tight), CONSTRAINT_ACTIVE);
  assert_int_equal(constraint_state(p, 0, edge), CONSTRAINT_ACTIVE);
  assert_int_equal(constraint_state(p, 1, edge), CONSTRAINT_VIOLATED);
  made_close(&m);
}

static void a_start_that_violates_one_is_a_warning(void **state) {
  (void)state;
  Made m;
  Problem *p = load(&m, ONE, "k + d <= 2");
  bool said = false;
  for (int i = 0; i < p->warnings.list.count; i++)
    said = said || (strstr(p->warnings.list.at[i].text, "do not satisfy 'k + d <= 2'") &&
                    strstr(p->warnings.list.at[i].text, "4.3") && p->warnings.list.at[i].line == 5);
  assert_true(said);
  made_close(&m);
}

// ---- errors

static void mistakes_are_named_with_their_place(void **state) {
  (void)state;
  assert_refused(ONE, "[k + dd <= 10]", 5, 19, "there is no parameter 'dd'; did you mean 'd'?");
  assert_refused(ONE, "[\"k <= xx.start\"]", 5, 21, "did you mean 'x.start'?");
  assert_refused(ONE, "[k <= x]", 5, 20, "x varies in time; a constraint is about parameters and");
  assert_refused(ONE, "[k <= time]", 5, 20, "time varies in time");
  assert_refused(ONE, "[k + d]", 5, 15, "it must contain =, <= or >=");
  assert_refused(ONE, "[m <= g]", 5, 15, "'m <= g' contains no unknown");
  assert_refused(ONE, "[k <> d]", 5, 17, "'<>' is not allowed in a constraint");
  assert_refused(ONE, "[d <= k >= 2]", 5, 22, "must point the same way");
  assert_refused(ONE, "[d <= k = 2]", 5, 22, "must point the same way");
  assert_refused(ONE, "[1 <= d <= k <= 20]", 5, 27, "has one relation, or two");
  assert_refused(ONE, "[d <= k and d <= 4]", 5, 22, "two constraints instead");
  assert_refused(ONE, "[(k < 3) <= d]", 5, 15, "this side is Boolean");
  assert_refused(ONE, "[k + <= d]", 5, 18, "");
  assert_refused(ONE, "[k <= ]", 5, 19, "one side of the constraint is missing");
  assert_refused(ONE, "[k*(d <= 2]", 5, 15, "a parenthesis in 'k*(d <= 2' is not closed");
  assert_refused(ONE, "{k: 2}", 5, 14, "'constraints' is a list of texts");
  assert_refused(ONE, "[[k]]", 5, 15, "must be a text");
}

static void contradictions_are_seen(void **state) {
  (void)state;
  assert_refused(ONE, "[d >= 6]", 5, 15, "cannot hold inside the bounds of the unknowns");
  assert_refused(ONE, "[k*d = 300]", 5, 15, "they allow 0.001 to 250");
  assert_refused(ONE, "[k + d <= 10, k + d >= 11]", 5, 28, "cannot hold together");
  assert_refused(ONE, "[k = 3, k - d >= 2.9, d = 0.2]", 5, 22, "cannot hold together");
  assert_refused(ONE, "[3 <= k <= 1]", 5, 15, "cannot hold");
  assert_refused(ONE, "[k*d <= 5, k*d >= 10]", 5, 25,
                 "'k*d >= 10' cannot hold together with 'k*d <= 5'");
  assert_refused(ONE, "[k*d = 5, k <= 20, 6 = k*d]", 5, 33, "cannot hold together with 'k*d = 5'");
  assert_refused(ONE, "[10 <= k*d <= 5]", 5, 15, "'10 <= k*d <= 5' cannot hold");
  assert_refused(ONE, "[k^2 <= d^2, k^2 - d^2 >= 1]", 5, 27, "cannot hold together");
  assert_refused(TWO, "[k*d <= m, k*d >= 2*m]", 9, 25, "cannot hold together with 'k*d <= m'");
}

// The same expression, limits that leave something between them, or other numbers in other experiments.
static void what_looks_like_a_contradiction_is_none(void **state) {
  (void)state;
  static const char *const GOOD[] = {"[k*d <= 5, k*d >= 5]", "[k*d = 5, 5 <= k*d <= 5]",
                                     "[k*d <= 10, k*d >= 5]", "[k*d <= 5, k*d^2 >= 10]",
                                     "[k*d <= 5, k*x.start >= 10]"};
  Made m;
  for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
    load(&m, ONE, GOOD[i]);
    made_close(&m);
  }
  load(&m, TWO, "[\"k*d <= 2*m\", \"k*d >= m\"]"); // 1 to 2, and 3 to 6
  made_close(&m);
}

static void limits_are_finite(void **state) {
  (void)state;
  assert_refused(ONE, "[k <= 1/0]", 5, 20, "this side of the constraint is not a finite number");
  assert_refused(ONE, "[-1/0 <= k*d]", 5, 15, "not a finite number");
  assert_refused(ONE, "[1 <= k*d <= log(0)]", 5, 27, "not a finite number");
  assert_refused(ONE, "[k = sqrt(m - 3)]", 5, 19, "not a finite number");
}

static void methods_that_ignore_them_are_refused(void **state) {
  (void)state;
  char text[2000];
  static const char *const BAD[] = {"lm", "ga", "multistart(lm, 5)", "portfolio(sqp, lm)"};
  static const char *const GOOD[] = {
      "sqp",        "cobyla",   "multistart(sqp, 5)", "portfolio(sqp, cobyla)",
      "multistart", "homotopy", "portfolio",          "auto"};
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
    snprintf(text, sizeof text, "%.*s%s\n", (int)(strlen(ONE) - strlen("sqp\n")), ONE, BAD[i]);
    assert_refused(text, "[k <= 5]", 4, 9,
                   "does not support constraints; these do: auto, homotopy, weak, sqp, cobyla");
  }
  for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
    Made m;
    snprintf(text, sizeof text, "%.*s%s\n", (int)(strlen(ONE) - strlen("sqp\n")), ONE, GOOD[i]);
    load(&m, text, "[k <= 5]");
    made_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_what_must_not_be_negative),
      cmocka_unit_test(slopes_are_those_of_differences),
      cmocka_unit_test(what_differs_between_experiments_is_a_constraint_in_each),
      cmocka_unit_test(states_tell_how_they_stand),
      cmocka_unit_test(a_start_that_violates_one_is_a_warning),
      cmocka_unit_test(mistakes_are_named_with_their_place),
      cmocka_unit_test(contradictions_are_seen),
      cmocka_unit_test(what_looks_like_a_contradiction_is_none),
      cmocka_unit_test(limits_are_finite),
      cmocka_unit_test(methods_that_ignore_them_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
