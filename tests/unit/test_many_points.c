#include "residual/many_points.h"

#include "base/patience.h"
#include "evaluation.h"
#include "hand_problem.h"
#include "test.h"

static const char OSCILLATOR[] = "model Oscillator\n"
                                 "  parameter Real k = 4, c = 0.2;\n"
                                 "  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                                 "equation\n"
                                 "  der(x) = v;\n"
                                 "  der(v) = -c*v - k*x + x^3*max(0, -k);\n" // k < 0: it runs away
                                 "end Oscillator;\n";

static Hand *oscillator(int threads) {
  Hand *h = hand_text(OSCILLATOR);
  hand_estimate(h, "k", -1, 3, -100, 100);
  hand_estimate(h, "c", -1, 0.5, 0, 5);
  h->unknowns[1].has_prior = true, h->unknowns[1].prior_mean = 0.3, h->unknowns[1].prior_sd = 0.1;
  for (int e = 0; e < 2; e++)
    hand_experiment(h, (HandData){.channels = {"x", e ? "v" : NULL},
                                  .step = 0.1,
                                  .count = 60 + 7 * e,
                                  .noise = 0.01,
                                  .seed = (uint64_t)e + 1});
  h->problem.options.threads = threads;
  return h;
}

enum { POINTS = 7, ROWS = 1 + 60 + 2 * 67 };
static const double X[2 * POINTS] = {3, 0.5, 4, 0.2, 4.5, 0, -50, 0, 2, 1, 4, 0.2, 5, 0.1};

// The same as one after the other, to the bit, whatever the number of threads; work is counted.
static void many_are_as_one_by_one(void **state) {
  (void)state;
  for (int threads = 1; threads <= 3; threads++) {
    Hand *h = oscillator(threads);
    Evaluation *e = evaluation_new(&h->problem);
    ManyPoints *m = many_points_new(e->work, threads);
    static double V[POINTS], values[POINTS], r[POINTS * ROWS], alone[ROWS];
    long steps;
    assert_int_equal(residual_count(&h->problem, 1), ROWS);
    assert_int_equal(many_residuals(m, &e->spec, X, POINTS, V, r, &steps), EVAL_DONE);
    long work = e->budget.used.simulations;
    assert_true(work >= 2 * POINTS - 1 && work <= 2 * POINTS);
    assert_int_equal(many_values(m, &e->spec, X, POINTS, values, &steps), EVAL_DONE);
    Evaluation *other = evaluation_new(&h->problem);
    for (int k = 0; k < POINTS; k++) {
      EvalEnd end = evaluate_residuals(other->work, &other->spec, X + 2 * k, alone, NULL, NULL);
      assert_int_equal(end, X[2 * k] < 0 ? EVAL_FAILED : EVAL_DONE);
      assert_true((V[k] == HUGE_VAL) == (end == EVAL_FAILED));
      if (end == EVAL_FAILED) continue;
      assert_memory_equal(alone, r + k * ROWS, sizeof alone);
      double value = evaluate_value(other->work, &other->spec, X + 2 * k);
      assert_close_relative(V[k], value, 1e-12);
      assert_close_relative(values[k], value, 1e-6); // in lanes, others determine the steps
    }
    evaluation_free(other);
    many_points_free(m);
    evaluation_free(e);
    hand_done(h);
  }
}

static void the_budget_is_kept(void **state) {
  (void)state;
  static double V[POINTS], r[POINTS * ROWS];
  Hand *h = oscillator(2);
  h->problem.options.max_simulations = 5; // two for each point
  Evaluation *e = evaluation_new(&h->problem);
  ManyPoints *m = many_points_new(e->work, h->problem.options.threads);
  long steps;
  assert_int_equal(many_residuals(m, &e->spec, X, POINTS, V, r, &steps), EVAL_STOPPED);
  for (int k = 0; k < POINTS; k++) assert_true((V[k] < HUGE_VAL) == (k < 2));
  assert_int_equal(e->budget.used.simulations, 4);
  many_points_free(m);
  evaluation_free(e);
  hand_done(h);
}

static bool never(void *data) {
  (void)data;
  return false;
}

static void a_listener_ends_it(void **state) {
  (void)state;
  static double V[POINTS], r[POINTS * ROWS];
  Hand *h = oscillator(1);
  Evaluation *e = evaluation_new(&h->problem);
  ManyPoints *m = many_points_new(e->work, h->problem.options.threads);
  long steps;
  Patience patience = {.goes_on = never};
  patience_begin(&patience);
  assert_int_equal(many_residuals(m, &e->spec, X, POINTS, V, r, &steps), EVAL_STOPPED);
  patience_end(&patience);
  many_points_free(m);
  evaluation_free(e);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_are_as_one_by_one),
      cmocka_unit_test(the_budget_is_kept),
      cmocka_unit_test(a_listener_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
