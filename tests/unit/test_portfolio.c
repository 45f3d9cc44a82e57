#include "search/portfolio.h"

#include "chosen_residuals.h"
#include "search/fit.h"
#include "searching.h"
#include "threshold.h"

static FitResult *fit_text(Hand *h, const char *method) {
  Err err = {0};
  assert_true(method_parse(method, &h->problem.method, &h->problem.parts, &err));
  return fit_run(&h->problem, NULL, NULL, NULL);
}

// The stage before the last one fits, the last one confirms it.
static void it_ends_with_the_first_certain_result(void **state) {
  (void)state;
  static const double NOISE[] = {0, 0.01, 0.1};
  for (int k = 0; k < 3; k++) {
    Hand *h = pendulum(NOISE[k], 15);
    FitResult *r = fit_text(h, "auto");
    assert_int_equal(r->verdict, FIT_CERTAIN);
    assert_int_equal(r->outcome, FIT_CONVERGED);
    assert_close(r->x[0], 10, 1e-5 + NOISE[k]);
    int count = r->stages.count;
    assert_true(count >= 2);
    for (int i = 0; i < count; i++) assert_true(r->stages.at[i].fits == (i >= count - 2));
    assert_string_equal(r->by, r->stages.at[count - 2].name);
    assert_string_equal(r->stages.at[count - 1].name, "confirming searches");
    fit_free(r);
    hand_done(h);
  }
}

static void its_stages_add_up_to_all_simulations(void **state) {
  (void)state;
  Hand *h = pendulum(0.6, 15); // noise that cannot be told from motion: every part is tried
  h->problem.options.restarts = 1;
  h->problem.options.confirm = CONFIRM_OFF;
  FitResult *r = fit_text(h, "auto");
  assert_false(r->fits);
  assert_int_equal(r->verdict, FIT_DOUBTFUL);
  assert_int_equal(r->outcome, FIT_UNCERTAIN);
  long sum = 0;
  double best = HUGE_VAL;
  for (int i = 0; i < r->stages.count; i++) {
    sum += r->stages.at[i].simulations;
    best = fmin(best, r->stages.at[i].objective);
  }
  assert_true(r->stages.count > 4);
  assert_true(sum <= work_count_simulations(&r->work)); // the certificate looks at residuals, too
  assert_true(r->objective <= best * (1 + 1e-9));
  fit_free(r);
  hand_done(h);
}

// Noise that tells nothing apart: searches from elsewhere agree, and no further part is tried.
static void searches_that_agree_end_it(void **state) {
  (void)state;
  Hand *h = pendulum(0.6, 15);
  FitResult *r = fit_text(h, "auto");
  assert_int_equal(r->verdict, FIT_AGREED);
  assert_int_equal(r->outcome, FIT_CONVERGED);
  assert_string_equal(r->stages.at[r->stages.count - 1].name, "confirming searches");
  assert_true(r->searches.far_agree >= 2);
  fit_free(r);
  hand_done(h);
}

static void parts_follow_each_other_until_one_fits(void **state) {
  (void)state;
  Hand *h = pendulum(0, 15);
  h->problem.options.confirm = CONFIRM_OFF;
  FitResult *r = fit_text(h, "portfolio(lm, homotopy, de)");
  assert_int_equal(r->outcome, FIT_CONVERGED);
  assert_close(r->x[0], 10, 1e-6);
  assert_int_equal(r->stages.count, 2);
  assert_string_equal(r->stages.at[0].name, "local search");
  assert_string_equal(r->stages.at[1].name, "homotopy");
  fit_free(r);
  hand_done(h);
}

static void a_budget_ends_it_with_the_best_point(void **state) {
  (void)state;
  Hand *h = pendulum(0.6, 15);
  FitResult *whole = fit_text(h, "auto");
  int needed = (int)work_count_simulations(&whole->work);
  for (int most = 1; most <= needed; most++) {
    h->problem.options.max_simulations = most;
    FitResult *r = fit_text(h, "auto");
    bool budget = r->outcome == FIT_BUDGET;
    assert_true(work_count_simulations(&r->work) <= most + 1); // residuals are looked at once
    assert_true(budget == (r->verdict == FIT_DOUBTFUL));
    assert_true(budget || r->searches.far_agree >= 2); // what was cut would not change it
    fit_free(r);
  }
  fit_free(whole);
  hand_done(h);
}

// ---------------------------------------------------------------- restarts

typedef struct Restarts {
  Search *s;
  double worse;   // relative: the objective of every restart
  double falling; // relative: each restart is so much better than the one before
} Restarts;

static int restart_number(const Search *s) {
  int k = 0;
  sscanf(s->progress.stage, "restart %d", &k);
  return k;
}

static void change_restarts(Watched *w, const SimulationOrder *o) {
  const Restarts *r = w->data;
  int k = restart_number(r->s);
  if (k) scale_residuals(w, o, sqrt((1 + r->worse) * pow(1 - r->falling, k)));
}

// A model without states and one optimum, whose residuals show a pattern: nothing is ever certain.
static int restarts_of(Restarts how) {
  enum { N = 100 };
  double r[N];
  for (int i = 0; i < N; i++) r[i] = 0.3 * cos(0.05 * i * 1.7);
  Chosen c = chosen_open(N, r, 0);
  c.problem->options.confirm = CONFIRM_OFF;
  Searching q;
  searching_open(&q, c.problem, NULL, NULL);
  how.s = q.s;
  q.watched.change = change_restarts, q.watched.keep_all = true, q.watched.data = &how;
  q.s->method = METHOD_AUTO;
  portfolio_run(q.s);
  assert_false(q.s->best.fits);
  int most = 0;
  for (int i = 0; i < q.result->stages.count; i++) {
    int k = 0;
    sscanf(q.result->stages.at[i].name, "restart %d", &k);
    most = k > most ? k : most;
  }
  searching_close(&q);
  chosen_close(&c);
  return most;
}

static void five_restarts_that_agree_are_enough(void **state) {
  (void)state;
  assert_int_equal(restarts_of((Restarts){0}), 5);
}

static bool worse_ones_agree(void *data, double worse) {
  (void)data;
  return restarts_of((Restarts){.worse = worse}) == 5;
}

static bool falling_ones_agree(void *data, double falling) {
  (void)data;
  return restarts_of((Restarts){.falling = falling}) == 5;
}

// Of 20 that are allowed.
static void objectives_within_a_ten_thousandth_agree(void **state) {
  (void)state;
  assert_threshold(worse_ones_agree, NULL, 1e-4);
  assert_threshold(falling_ones_agree, NULL, 1e-4);
  assert_int_equal(restarts_of((Restarts){.worse = 0.1}), 20);
}

static void unbounded_unknowns_cannot_be_drawn(void **state) {
  (void)state;
  double r[40];
  for (int i = 0; i < 40; i++) r[i] = 0.3 * cos(0.1 * i);
  Chosen c = chosen_open(40, r, 0);
  c.hand->unknowns[0].max = HUGE_VAL;
  FitResult *f = fit_text(c.hand, "auto");
  for (int i = 0; i < f->stages.count; i++) assert_null(strstr(f->stages.at[i].name, "restart"));
  fit_free(f);
  chosen_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_ends_with_the_first_certain_result),
      cmocka_unit_test(its_stages_add_up_to_all_simulations),
      cmocka_unit_test(searches_that_agree_end_it),
      cmocka_unit_test(parts_follow_each_other_until_one_fits),
      cmocka_unit_test(a_budget_ends_it_with_the_best_point),
      cmocka_unit_test(five_restarts_that_agree_are_enough),
      cmocka_unit_test(objectives_within_a_ten_thousandth_agree),
      cmocka_unit_test(unbounded_unknowns_cannot_be_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
