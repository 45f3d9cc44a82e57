#include "residual/fitting.h"

#include <pthread.h>

#include "swings.h"

// Slopes of an experiment belong to the unknowns of all experiments and to its own.
static void unknowns_of_other_experiments_have_no_slope(void **state) {
  (void)state;
  Hand *h = duffing(3, 0);
  for (int e = 0; e < 3; e++) hand_estimate(h, "x.start", e, 1, 0, 2);
  Fitting *f = fitting_new(&h->problem);
  assert_int_equal(f->n, 5);
  for (int e = 0; e < 3; e++) {
    int active = 0;
    for (int i = 0; i < f->n; i++) {
      const Unknown *u = &h->problem.unknowns[i];
      int at = f->slope_of[e][i];
      assert_true((at >= 0) == (u->experiment < 0 || u->experiment == e));
      if (at < 0) continue;
      assert_int_equal(f->model->parameters[at], u->parameter);
      assert_int_equal(f->active[e][active++], i);
    }
    assert_int_equal(f->active_count[e], active);
  }
  fitting_free(f);
  hand_done(h);
}

// A delay can move every sample of every channel to a time of its own.
static void there_is_room_for_all_rows_whatever_the_delays(void **state) {
  (void)state;
  Hand *h = duffing(2, 0);
  Fitting *f = fitting_new(&h->problem);
  assert_int_equal(f->most_rows, DUFFING_SAMPLES);
  fitting_free(f);
  h->experiments[1].channels[0].delay = hand_parameter(h, "b");
  f = fitting_new(&h->problem);
  assert_int_equal(f->most_rows, 2 * DUFFING_SAMPLES);
  fitting_free(f);
  hand_done(h);
}

static void *ask(void *f) {
  return (void *)fitting_feedback(f);
}

static void threads_share_one_feedback(void **state) {
  (void)state;
  enum { THREADS = 4 };
  Hand *h = duffing(1, 0);
  Fitting *f = fitting_new(&h->problem);
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, ask, f), 0);
  for (int i = 0; i < THREADS; i++) {
    void *feedback;
    assert_int_equal(pthread_join(thread[i], &feedback), 0);
    assert_ptr_equal(feedback, fitting_feedback(f));
  }
  assert_non_null(fitting_feedback(f));
  fitting_free(f);
  hand_done(h);
}

// Errors of simulations are the tolerance times the data; the feedback has a coarser one.
static void what_accuracy_leaves_grows_with_the_square_of_the_tolerance(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  for (double tol = 1e-9; tol < 1e-3; tol *= 100) {
    h->problem.simulate.rel_tol = tol;
    Fitting *f = fitting_new(&h->problem);
    double data = data_objective(f->weighting, 1), coupled = fmax(tol, 1e-6);
    assert_close_relative(accuracy_objective(f, f->weighting, false, 1), tol * tol * data, 1e-12);
    assert_close_relative(accuracy_objective(f, f->weighting, true, 1), coupled * coupled * data,
                          1e-12);
    fitting_free(f);
  }
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknowns_of_other_experiments_have_no_slope),
      cmocka_unit_test(there_is_room_for_all_rows_whatever_the_delays),
      cmocka_unit_test(threads_share_one_feedback),
      cmocka_unit_test(what_accuracy_leaves_grows_with_the_square_of_the_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
