#include "residual/varied_problem.h"

#include <string.h>

#include "evaluation.h"
#include "swinging_mass.h"

static const Mass MASS = {.k = 1, .d = 0.2, .noise = 0.01};

static void only_the_inputs_named_are_interpolated_otherwise(void **state) {
  (void)state;
  Made made;
  Arena *a = arena_new();
  Problem *p = mass_problem(&made, &MASS, "");
  bool yes = true, no = false;
  Problem *same = problem_with_interpolation(a, p, &no, INPUT_HOLD);
  Problem *other = problem_with_interpolation(a, p, &yes, INPUT_HOLD);
  assert_ptr_equal(same->experiments[0].inputs[0], p->experiments[0].inputs[0]);
  assert_int_equal(input_kind(other->experiments[0].inputs[0]), INPUT_HOLD);
  assert_int_equal(input_kind(p->experiments[0].inputs[0]), INPUT_LINEAR);
  arena_free(a);
  made_close(&made);
}

enum { MOST = 20 };

static int terms_of(const Problem *p, EquationTerm *terms, int most) {
  double ones[2] = {1, 2}, rates[2] = {1, 3}, input = 0.5;
  return equation_terms(p, ones, rates, &input, terms, most);
}

// The rate of another state gets none of its own; with fewer places than terms there are none.
static void terms_are_those_that_mechanics_may_lack(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"a constant", "u", "u^2", "v", "v^3", "sign(v)", "x", "x^3"};
  Made made;
  Arena *a = arena_new();
  EquationTerm terms[MOST];
  Problem *p = mass_problem(&made, &MASS, "");
  int count = terms_of(p, terms, MOST);
  assert_int_equal(count, 8);
  for (int k = 0; k < count; k++) {
    assert_string_equal(equation_term_text(a, p, &terms[k]), TEXTS[k]);
    assert_string_equal(state_name(p, terms[k].state), "v");
    assert_true(terms[k].size == 3);
  }
  assert_int_equal(state_of_rate(p->model, terms[0].state), 1 - terms[0].state);
  assert_int_equal(state_of_rate(p->model, 1 - terms[0].state), -1);
  assert_int_equal(terms_of(p, terms, 8), 8);
  assert_int_equal(terms_of(p, terms, 7), 0);
  double none = 0, ones[2] = {1, 1};
  assert_int_equal(equation_terms(p, ones, ones, &none, terms, MOST), 6); // the input is 0
  arena_free(a);
  made_close(&made);
}

static void residuals_at(const Problem *p, const double *x, double *r, double *J) {
  Evaluation *e = evaluation_new(p);
  e->spec.slopes = J != NULL;
  assert_int_equal(evaluate_residuals(e->work, &e->spec, x, r, J, NULL), EVAL_DONE);
  evaluation_free(e);
}

// At factors of 0 it is the same model, and slopes by the factors are difference quotients.
static void factors_are_unknowns_of_the_same_model(void **state) {
  (void)state;
  enum { N = 3 };
  static double r[3][MASS_ROWS], J[(N + MOST) * MASS_ROWS];
  Made made;
  Arena *a = arena_new();
  EquationTerm terms[MOST];
  Problem *p = mass_problem(&made, &MASS, ", rel_tol: 1e-10, abs_tol: 1e-12");
  int count = terms_of(p, terms, MOST);
  Problem *with = problem_with_terms(a, p, terms, count);
  assert_int_equal(with->unknown_count, N + count);
  double x[N + MOST] = {1.05, 0.25, 0.5}, step = 1e-4;
  residuals_at(p, x, r[0], NULL);
  residuals_at(with, x, r[1], J);
  for (int i = 0; i < MASS_ROWS; i++) assert_close(r[1][i], r[0][i], 1e-8);
  for (int k = 0; k < count; k++) {
    double square = 0, wrong = 0;
    x[N + k] = step;
    residuals_at(with, x, r[1], NULL);
    x[N + k] = -step;
    residuals_at(with, x, r[2], NULL);
    x[N + k] = 0;
    for (int i = 0; i < MASS_ROWS; i++) {
      double slope = J[(N + k) * MASS_ROWS + i];
      square += slope * slope;
      wrong += pow((r[1][i] - r[2][i]) / (2 * step) - slope, 2);
    }
    assert_true(square > 1e-3);
    assert_true(sqrt(wrong / square) < 1e-3);
  }
  arena_free(a);
  made_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_the_inputs_named_are_interpolated_otherwise),
      cmocka_unit_test(terms_are_those_that_mechanics_may_lack),
      cmocka_unit_test(factors_are_unknowns_of_the_same_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
