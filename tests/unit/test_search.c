#include "search/search.h"

#include "search/fit.h"
#include "searching.h"
#include "threshold.h"

// ---------------------------------------------------------------- offers

static void the_best_offer_is_kept(void **state) {
  (void)state;
  static const double X[][2] = {{3, 1}, {2.5, 1}, {4, 1}, {2.1, 0.4}, {5, 0}};
  Searching q;
  Hand *h = duffing(1, 0.05);
  searching_open(&q, &h->problem, NULL, NULL);
  double best = HUGE_VAL;
  for (int k = 0; k < 5; k++) {
    double v = search_evaluate(q.s, 0, 1, X[k]);
    search_offer(q.s, k % 2 ? "odd" : "even", X[k], v, LOCAL_STEP_END);
    if (v < best) {
      best = v;
      assert_memory_equal(q.s->best.x, X[k], sizeof X[k]);
      assert_string_equal(q.result->by, k % 2 ? "odd" : "even");
    }
    assert_true(q.s->best.objective == best);
  }
  searching_close(&q);
  hand_done(h);
}

// The truth of exact data fits, but for a search that did not converge there.
static void an_offer_that_fits_has_converged(void **state) {
  (void)state;
  Searching q;
  Hand *h = duffing(1, 0);
  searching_open(&q, &h->problem, NULL, NULL);
  double v = search_evaluate(q.s, 0, 1, DUFFING_TRUTH);
  assert_false(search_offer(q.s, "early", DUFFING_TRUTH, v, LOCAL_ITERATIONS_END));
  assert_false(q.s->best.fits);
  assert_true(search_offer(q.s, "later", DUFFING_TRUTH, v, LOCAL_STEP_END));
  assert_true(q.s->best.fits && q.s->best.facts.exact);
  assert_string_equal(q.result->by, "later"); // it confirms the point of the first
  searching_close(&q);
  hand_done(h);
}

typedef struct Confirmed {
  Hand *hand;
  double objective; // that a search which did not converge found
} Confirmed;

static bool is_confirmed(void *data, double worse) {
  const Confirmed *c = data;
  Hand *h = c->hand;
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  double allowed = accuracy_objective(q.fitting, q.s->weighting, false, 1), v = c->objective;
  double x[2] = {2, 0.5};
  search_offer(q.s, "first", x, v, LOCAL_ITERATIONS_END);
  x[0] = 2.1;
  search_offer(q.s, "second", x, v + worse * (1e-9 * v + allowed), LOCAL_STEP_END);
  bool confirmed = strcmp(q.result->by, "second") == 0;
  assert_true((q.s->best.end == LOCAL_STEP_END) == confirmed);
  searching_close(&q);
  return confirmed;
}

static void a_converged_search_confirms_within_accuracy(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.05);
  assert_threshold(is_confirmed, (&(Confirmed){h, 1}), 1);
  assert_threshold(is_confirmed, (&(Confirmed){h, 0}), 1); // the accuracy of simulations alone
  hand_done(h);
}

// ---------------------------------------------------------------- specs, stages, limits

static void trials_are_limited_once_one_has_succeeded(void **state) {
  (void)state;
  Searching q;
  Hand *h = duffing(1, 0);
  searching_open(&q, &h->problem, NULL, NULL);
  assert_int_equal(search_spec(q.s).step_limit, 0);
  search_evaluate(q.s, 0, 1, DUFFING_TRUTH);
  long limit = search_spec(q.s).step_limit;
  assert_int_equal(limit, eval_step_limit(q.fitting, q.s->longest));
  search_note_steps(q.s, 1); // fewer steps change nothing
  assert_int_equal(search_spec(q.s).step_limit, limit);
  assert_true(eval_spec_is_full(&(EvalSpec){.horizon = search_spec(q.s).horizon}));
  searching_close(&q);
  hand_done(h);
}

static void a_weighting_can_be_taken_over_and_given_back(void **state) {
  (void)state;
  Searching q;
  Hand *h = duffing(1, 0.05);
  searching_open(&q, &h->problem, NULL, NULL);
  double before = search_evaluate(q.s, 0, 1, DUFFING_TRUTH);
  assert_null(
      search_swap_weighting(q.s, weighting_new(q.fitting->data, (const double[]){0.5, 0.5})));
  assert_close_relative(search_evaluate(q.s, 0, 1, DUFFING_TRUTH), 4 * before, 1e-12);
  weighting_free(search_swap_weighting(q.s, NULL));
  assert_true(search_evaluate(q.s, 0, 1, DUFFING_TRUTH) == before);
  searching_close(&q);
  hand_done(h);
}

static void a_stage_counts_its_own_simulations(void **state) {
  (void)state;
  Searching q;
  Hand *h = duffing(2, 0);
  searching_open(&q, &h->problem, NULL, NULL);
  for (int k = 1; k <= 3; k++) {
    search_begin(q.s, "stage");
    for (int i = 0; i < k; i++) search_evaluate(q.s, 0, 1, DUFFING_TRUTH);
    search_end(q.s, false, k, "%d evaluations", k);
    assert_int_equal(last_stage(&q)->simulations, 2 * k);
    assert_true(last_stage(&q)->objective == k);
  }
  assert_string_equal(last_stage(&q)->message, "3 evaluations");
  searching_close(&q);
  hand_done(h);
}

static void work_done_elsewhere_must_be_affordable(void **state) {
  (void)state;
  Searching q;
  Hand *h = duffing(1, 0);
  h->problem.options.max_simulations = 10;
  searching_open(&q, &h->problem, NULL, NULL);
  assert_true(search_affords(q.s, &(WorkCount){.simulations = 6, .sensitivity_simulations = 4}));
  assert_true(search_goes_on(q.s));
  assert_false(search_affords(q.s, &(WorkCount){.simulations = 7, .sensitivity_simulations = 4}));
  assert_false(search_goes_on(q.s));
  searching_close(&q);
  hand_done(h);
}

// ---------------------------------------------------------------- the listener

typedef struct Listening {
  int left, asked, after; // questions to say yes to, that came, that came after no
} Listening;

static bool listen(void *data, const FitProgress *p) {
  Listening *l = data;
  assert_non_null(p->work);
  l->after += l->asked > l->left;
  return l->asked++ < l->left;
}

static void a_search_that_is_stopped_has_a_result(void **state) {
  (void)state;
  static const char *const METHODS[] = {"auto", "lm", "homotopy", "de", "nelder-mead"};
  for (int m = 0; m < 5; m++)
    for (int k = 0; k < 40; k += 1 + k / 3) {
      Hand *h = pendulum(0.05, 15);
      assert_true(method_find(METHODS[m], &h->problem.method));
      h->problem.options.threads = 1;
      Listening l = {.left = k};
      FitResult *r = fit_run(&h->problem, NULL, listen, &l);
      // A no while the residuals of the result are looked at comes after the search.
      if (l.asked > k) assert_int_equal(r->cut, FIT_CUT_STOP);
      if (l.asked > k && r->outcome != FIT_STOPPED) assert_true(local_end_converged(r->end));
      assert_int_equal(l.after, 0); // it is not asked again
      // Stopped while it is coupled, a homotopy has evaluated the free model nowhere: its start is the result.
      assert_true(r->objective < HUGE_VAL || r->x[0] == r->start[0]);
      assert_true(r->x[0] >= 1 && r->x[0] <= 40);
      fit_free(r);
      hand_done(h);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_offer_is_kept),
      cmocka_unit_test(an_offer_that_fits_has_converged),
      cmocka_unit_test(a_converged_search_confirms_within_accuracy),
      cmocka_unit_test(trials_are_limited_once_one_has_succeeded),
      cmocka_unit_test(a_weighting_can_be_taken_over_and_given_back),
      cmocka_unit_test(a_stage_counts_its_own_simulations),
      cmocka_unit_test(work_done_elsewhere_must_be_affordable),
      cmocka_unit_test(a_search_that_is_stopped_has_a_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
