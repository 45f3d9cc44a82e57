#include "residual/vectors.h"

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
    Objective *o = objective_new(&h->problem);
    Vectors *v = vectors_new(o);
    static double V[POINTS], r[POINTS * ROWS], alone[ROWS];
    assert_int_equal(objective_vector_rows(o), ROWS);
    assert_int_equal(vectors_values(v, X, POINTS, V, r), LSQ_DONE);
    long work = objective_work(o)->simulations;
    assert_true(work >= 2 * POINTS - 1 && work <= 2 * POINTS);
    Objective *other = objective_new(&h->problem);
    for (int k = 0; k < POINTS; k++) {
      LsqPoint at = {.x = (double *)X + 2 * k};
      LsqEnd end = objective_vector(other, X + 2 * k, alone, NULL);
      assert_int_equal(end, X[2 * k] < 0 ? LSQ_FAILED : LSQ_DONE);
      assert_true((V[k] == HUGE_VAL) == (end == LSQ_FAILED));
      if (end == LSQ_FAILED) continue;
      assert_memory_equal(alone, r + k * ROWS, sizeof alone);
      assert_int_equal(objective_eval(other, &at, HUGE_VAL, false), LSQ_DONE);
      assert_close_relative(V[k], at.objective, 1e-12);
    }
    objective_free(other);
    vectors_free(v);
    objective_free(o);
    hand_done(h);
  }
}

static void the_budget_is_kept(void **state) {
  (void)state;
  static double V[POINTS], r[POINTS * ROWS];
  Hand *h = oscillator(2);
  h->problem.options.max_simulations = 5; // two for each point
  Objective *o = objective_new(&h->problem);
  Vectors *v = vectors_new(o);
  assert_int_equal(vectors_values(v, X, POINTS, V, r), LSQ_STOP);
  for (int k = 0; k < POINTS; k++) assert_true((V[k] < HUGE_VAL) == (k < 2));
  assert_int_equal(objective_work(o)->simulations, 4);
  vectors_free(v);
  objective_free(o);
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
  Objective *o = objective_new(&h->problem);
  Vectors *v = vectors_new(o);
  objective_listen(o, never, NULL);
  assert_int_equal(vectors_values(v, X, POINTS, V, r), LSQ_STOP);
  vectors_free(v);
  objective_free(o);
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
