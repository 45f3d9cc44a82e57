// Many starts: the answers, their order and their number do not depend on threads; budgets and targets end them.
#include "known_truth.h"
#include "search/many_fits.h"

static const char PENDULUM[] = "model Pendulum\n"
                               "  parameter Real p(min = 0.1) = 10;\n"
                               "  Real theta(start = 0.5, fixed = true);\n"
                               "  Real omega(start = 0, fixed = true);\n"
                               "equation\n  der(theta) = omega;\n"
                               "  der(omega) = -p*sin(theta);\nend Pendulum;\n";

static Known pendulum(const char *options) {
  Known k = {.text = PENDULUM,
             .measured = {"theta"},
             .stop = 20,
             .step = 0.1,
             .estimate = "p: {start: 15, min: 1, max: 40}",
             .truth = {10},
             .options = options};
  known_open(&k);
  return k;
}

static FitResult *fit(const Known *k) {
  return fit_run(k->problem, NULL, NULL, NULL);
}

static void one_start_of_many_finds_the_truth(void **state) {
  (void)state;
  static const char *const SAMPLING[] = {"latin-hypercube", "sobol", "random"};
  for (int i = 0; i < 3; i++) {
    char options[200];
    snprintf(options, sizeof options,
             "method: multistart(lm, 60)\noptions: {sampling: %s, seed: 2}", SAMPLING[i]);
    Known k = pendulum(options);
    FitResult *r = fit(&k);
    assert_int_equal(r->outcome, FIT_CONVERGED);
    assert_true(r->certain);
    assert_close(r->x[0], 10, 1e-6);
    fit_free(r);
    known_close(&k);
  }
  Known k = pendulum("method: lm");
  FitResult *r = fit(&k);
  assert_true(fabs(r->x[0] - 10) > 1); // which one start does not
  fit_free(r);
  known_close(&k);
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
      char options[200];
      snprintf(options, sizeof options,
               "method: %s\noptions: {threads: %d, generations: 6, floor_factor: 0.1}", METHODS[m],
               THREADS[t]);
      Known k = pendulum(options);
      FitResult *r = fit(&k);
      double found[3] = {r->x[0], r->objective,
                         (double)(r->work.simulations + r->work.sensitivity_simulations)};
      if (t == 0) memcpy(first, found, sizeof first);
      if (memcmp(first, found, sizeof first) != 0)
        print_error("%s, %d threads: %.17g %.17g %g, not %.17g %.17g %g\n", METHODS[m], THREADS[t],
                    found[0], found[1], found[2], first[0], first[1], first[2]);
      assert_memory_equal(found, first, sizeof first);
      fit_free(r);
      known_close(&k);
    }
  }
}

static void a_budget_ends_it_with_the_best_point(void **state) {
  (void)state;
  Known k = pendulum("method: multistart(lm, 1000)\noptions: {max_simulations: 100, threads: 2}");
  FitResult *r = fit(&k);
  long work = r->work.simulations + r->work.sensitivity_simulations;
  assert_true(r->outcome == FIT_BUDGET || r->certain);
  assert_true(r->objective < HUGE_VAL);
  assert_true(work <= 100);
  fit_free(r);
  known_close(&k);
}

static bool never(void *data, const FitProgress *p) {
  (void)data, (void)p;
  return false;
}

static void it_can_be_stopped(void **state) {
  (void)state;
  for (int threads = 1; threads <= 2; threads++) {
    char options[100];
    snprintf(options, sizeof options, "method: multistart(lm, 100000)\noptions: {threads: %d}",
             threads);
    Known k = pendulum(options);
    FitResult *r = fit_run(k.problem, NULL, never, NULL);
    assert_int_equal(r->outcome, FIT_STOPPED);
    fit_free(r);
    known_close(&k);
  }
}

static void parts_of_a_portfolio_follow_each_other(void **state) {
  (void)state;
  Known k = pendulum("method: portfolio(lm, homotopy)");
  FitResult *r = fit(&k);
  assert_int_equal(r->outcome, FIT_CONVERGED);
  assert_close(r->x[0], 10, 1e-6);
  assert_string_equal(r->stages.at[0].name, "local search");
  assert_string_equal(r->stages.at[1].name, "homotopy");
  fit_free(r);
  known_close(&k);
}

typedef struct Seen {
  int count;
  double x[40], objective[40];
  int most;
} Seen;

static bool take(void *data, int number, const ManyFitsAnswer *a) {
  Seen *s = data;
  assert_int_equal(number, s->count);
  s->x[s->count] = a->x[0];
  s->objective[s->count++] = a->objective;
  return s->count < s->most;
}

static void many_fits_give_what_single_fits_give(void **state) {
  (void)state;
  enum { COUNT = 40 };
  double starts[COUNT];
  for (int i = 0; i < COUNT; i++) starts[i] = 8 + 0.1 * i;
  Known k = pendulum("method: lm");
  for (int threads = 1; threads <= 3; threads++) {
    Seen seen = {.most = 1000};
    ManyFitsRequest q = {
        .starts = starts, .count = COUNT, .threads = threads, .take = take, .data = &seen};
    q.fit = fit_run_on;
    Fitting *f = fitting_new(k.problem);
    assert_true(many_fits_run(f, k.problem, &q));
    assert_int_equal(seen.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
      FitResult *r = fit_run(k.problem, &starts[i], NULL, NULL);
      assert_memory_equal(&seen.x[i], r->x, sizeof seen.x[i]);
      assert_memory_equal(&seen.objective[i], &r->objective, sizeof r->objective);
      fit_free(r);
    }
    Seen few = {.most = 7};
    q.data = &few;
    assert_false(many_fits_run(f, k.problem, &q));
    fitting_free(f);
    assert_int_equal(few.count, 7);
  }
  known_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_start_of_many_finds_the_truth),
      cmocka_unit_test(the_number_of_threads_changes_nothing),
      cmocka_unit_test(a_budget_ends_it_with_the_best_point),
      cmocka_unit_test(it_can_be_stopped),
      cmocka_unit_test(parts_of_a_portfolio_follow_each_other),
      cmocka_unit_test(many_fits_give_what_single_fits_give),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
