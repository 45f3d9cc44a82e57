// multistart(method, n): the answer and the work do not depend on threads; budgets, targets and certainty end it.
#include "search/multistart.h"

#include "num/design.h"
#include "search/fit.h"
#include "searching.h"
#include "threshold.h"

static FitResult *fit_text(Hand *h, const char *method) {
  Err err = {0};
  assert_true(method_parse(method, &h->problem.method, &h->problem.parts, &err));
  return fit_run(&h->problem, NULL, NULL, NULL);
}

static void one_start_of_many_finds_the_truth(void **state) {
  (void)state;
  static const int SAMPLING[] = {DESIGN_LATIN_HYPERCUBE, DESIGN_SOBOL, DESIGN_RANDOM};
  for (int i = 0; i < 3; i++) {
    Hand *h = pendulum(0, 15);
    h->problem.options.sampling = SAMPLING[i];
    h->problem.options.seed = 2;
    FitResult *r = fit_text(h, "multistart(lm, 60)");
    assert_int_equal(r->outcome, FIT_CONVERGED);
    assert_true(r->fits);
    assert_close(r->x[0], 10, 1e-6);
    fit_free(r);
    r = fit_text(h, "lm");
    assert_true(fabs(r->x[0] - 10) > 1); // which one start does not
    fit_free(r);
    hand_done(h);
  }
}

static void the_number_of_threads_changes_nothing(void **state) {
  (void)state;
  static const char *const METHODS[] = {"multistart(lm, 9)",
                                        "multistart(homotopy, 3)",
                                        "multistart(auto, 3)",
                                        "ga",
                                        "pso",
                                        "de",
                                        "cma-es",
                                        "implicit-filtering"};
  static const int THREADS[] = {1, 2, 3, 8};
  for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
    double first[3] = {0};
    for (int t = 0; t < 4; t++) {
      Hand *h = pendulum(0, 15);
      h->problem.options.threads = THREADS[t];
      h->problem.options.generations = 6;
      h->problem.options.floor_factor = 0.1;
      FitResult *r = fit_text(h, METHODS[m]);
      double found[3] = {r->x[0], r->objective, (double)work_count_simulations(&r->work)};
      if (t == 0) memcpy(first, found, sizeof first);
      if (memcmp(first, found, sizeof first) != 0)
        print_error("%s, %d threads: %.17g %.17g %g, not %.17g %.17g %g\n", METHODS[m], THREADS[t],
                    found[0], found[1], found[2], first[0], first[1], first[2]);
      assert_memory_equal(found, first, sizeof first);
      fit_free(r);
      hand_done(h);
    }
  }
}

static void a_budget_ends_it_with_the_best_point(void **state) {
  (void)state;
  for (int most = 1; most <= 100; most += 33) {
    Hand *h = pendulum(0, 15);
    h->problem.options.max_simulations = most;
    h->problem.options.threads = 2;
    FitResult *r = fit_text(h, "multistart(lm, 1000)");
    assert_true(r->outcome == FIT_BUDGET || r->fits);
    assert_true(r->objective < HUGE_VAL);
    assert_true(work_count_simulations(&r->work) <= most);
    fit_free(r);
    hand_done(h);
  }
}

static bool never(void *data, const FitProgress *p) {
  (void)data, (void)p;
  return false;
}

static void it_can_be_stopped(void **state) {
  (void)state;
  for (int threads = 1; threads <= 2; threads++) {
    Hand *h = pendulum(0, 15);
    Err err = {0};
    h->problem.options.threads = threads;
    assert_true(
        method_parse("multistart(lm, 100000)", &h->problem.method, &h->problem.parts, &err));
    FitResult *r = fit_run(&h->problem, NULL, never, NULL);
    assert_int_equal(r->outcome, FIT_STOPPED);
    assert_true(r->objective < HUGE_VAL); // its start
    fit_free(r);
    hand_done(h);
  }
}

// ---------------------------------------------------------------- with fits that a test makes up

// The objective is a function of the start alone: 1 at the start of the fit, else what the test wants.
static double elsewhere;

static FitResult *made_up(const Problem *p, EvalWork *w, const double *start, FitListener *listener,
                          void *data) {
  (void)w, (void)listener, (void)data;
  Arena *a = arena_new();
  FitResult *r = ARENA_NEW(a, FitResult);
  r->arena = a, r->problem = p;
  r->x = ARENA_ARRAY(a, double, 2);
  r->sigma = ARENA_ARRAY(a, double, 2);
  r->x[0] = start[0];
  r->objective = start[0] == 15 ? 1 : elsewhere;
  r->end = LOCAL_STEP_END;
  r->work.simulations = 1;
  return r;
}

// The numbers of its sentence.
static void run_made_up(int count, double target, int *agree, int *done, double *x) {
  Hand *h = pendulum(0.05, 15);
  h->problem.options.threads = 1;
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  multistart_run(q.s, made_up, METHOD_LM, count, target);
  assert_int_equal(sscanf(last_stage(&q)->message, "%d of %d", agree, done), 2);
  *x = q.s->best.x[0];
  searching_close(&q);
  hand_done(h);
}

static bool both_agree(void *data, double worse) {
  (void)data;
  int agree, done;
  double x;
  elsewhere = 1 + worse;
  run_made_up(2, -1, &agree, &done, &x);
  assert_int_equal(done, 2);
  assert_true(x == 15);
  return agree == 2;
}

static bool better_ones_agree(void *data, double better) {
  (void)data;
  int agree, done;
  double x;
  elsewhere = 1 - better;
  run_made_up(2, -1, &agree, &done, &x);
  assert_true(x != 15);
  return agree == 2;
}

static void objectives_within_a_millionth_are_one_optimum(void **state) {
  (void)state;
  assert_threshold(both_agree, NULL, 1e-6);
  assert_threshold(better_ones_agree, NULL, 1e-6);
}

static void a_target_ends_it(void **state) {
  (void)state;
  int agree, done;
  double x;
  elsewhere = 0.5;
  run_made_up(30, 0.7, &agree, &done, &x);
  assert_int_equal(done, 2);
  run_made_up(30, 0.3, &agree, &done, &x);
  assert_int_equal(done, 30);
  run_made_up(30, 1, &agree, &done, &x);
  assert_int_equal(done, 1); // the first start is that of the fit
  assert_true(x == 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_start_of_many_finds_the_truth),
      cmocka_unit_test(the_number_of_threads_changes_nothing),
      cmocka_unit_test(a_budget_ends_it_with_the_best_point),
      cmocka_unit_test(it_can_be_stopped),
      cmocka_unit_test(objectives_within_a_millionth_are_one_optimum),
      cmocka_unit_test(a_target_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
