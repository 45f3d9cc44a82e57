#include "search/homotopy.h"

#include "search/certificate.h"
#include "search/fit.h"
#include "searching.h"
#include "threshold.h"

static double found(Hand *h, Method m) {
  h->problem.method = m;
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  double x = r->x[0];
  if (m == METHOD_HOMOTOPY) {
    assert_true(r->certain);
    assert_true(r->path.count >= 2 && r->path.at[0].lambda == 1);
    assert_true(r->path.at[r->path.count - 1].lambda == 0);
    assert_true(r->gains.count > 0);
  }
  fit_free(r);
  return x;
}

static void it_finds_the_truth_where_a_local_search_does_not(void **state) {
  (void)state;
  static const double STARTS[] = {3, 15, 20, 35};
  for (int k = 0; k < 4; k++)
    for (int noisy = 0; noisy < 2; noisy++) {
      Hand *h = pendulum(noisy ? 0.05 : 0, STARTS[k]);
      assert_close(found(h, METHOD_HOMOTOPY), 10, noisy ? 0.05 : 1e-5);
      assert_true(fabs(found(h, METHOD_LM) - 10) > 1);
      hand_done(h);
    }
}

static void a_self_excited_oscillator_is_found_from_far_away(void **state) {
  (void)state;
  Hand *h = hand_text("model VanDerPolDuffing\n  parameter Real mu = 2;\n  parameter Real k = 4;\n"
                      "  parameter Real b = 1;\n"
                      "  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\n"
                      "equation\n  der(x) = v;\n  der(v) = mu*(1 - x^2)*v - k*x - b*x^3;\n"
                      "end VanDerPolDuffing;\n");
  hand_experiment(h, (HandData){.channels = {"x"}, .step = 0.05, .count = 401});
  hand_estimate(h, "mu", -1, 0.3, 0, 10);
  hand_estimate(h, "k", -1, 15, 0, 50);
  hand_estimate(h, "b", -1, 6, 0, 20);
  assert_close(found(h, METHOD_HOMOTOPY), 2, 1e-4);
  assert_true(fabs(found(h, METHOD_LM) - 2) > 0.1);
  hand_done(h);
}

static void the_ladder_of_the_papers_has_equal_steps(void **state) {
  (void)state;
  Hand *h = pendulum(0, 15);
  h->problem.method = METHOD_HOMOTOPY;
  h->problem.options.homotopy = HOMOTOPY_PAPER;
  h->problem.options.lambda_step = 0.25;
  h->problem.options.lambda_eps = 0;
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  assert_int_equal(r->path.count, 5);
  for (int k = 0; k < 5; k++) assert_close(r->path.at[k].lambda, 1 - 0.25 * k, 1e-12);
  fit_free(r);
  hand_done(h);
}

static void without_a_feedback_it_ends_at_once(void **state) {
  (void)state;
  Hand *h = hand_text("model Still\n  parameter Real a = 1;\n"
                      "  Real x(start = 1, fixed = true);\n  Real y;\nequation\n"
                      "  der(x) = -a*x;\n  y = a*time;\nend Still;\n");
  hand_experiment(h, (HandData){.channels = {"y"}, .step = 0.1, .count = 21});
  hand_estimate(h, "a", -1, 1, 0, 2);
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  search_begin(q.s, "homotopy");
  assert_false(homotopy_auto(q.s, q.s->start, 1, 5));
  assert_true(last_stage(&q)->objective == HUGE_VAL);
  assert_int_equal(last_stage(&q)->simulations, 0);
  searching_close(&q);
  hand_done(h);
}

// ---------------------------------------------------------------- thresholds

static void coupled_leaves(Watched *w, const SimulationOrder *o) {
  if (order_is_coupled(w, o)) set_residuals(w, o, *(double *)w->data, 0);
}

// A coupled model that leaves this share of the variation of the data: is it followed?
static bool is_followed(void *data, double share) {
  Hand *h = data;
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.watched.change = coupled_leaves, q.watched.keep_all = true, q.watched.data = &share;
  search_begin(q.s, "homotopy");
  homotopy_auto(q.s, q.s->start, 1, 0);
  bool followed = q.s->coupled.converged;
  assert_true(followed == (q.result->path.count > 1));
  searching_close(&q);
  return followed;
}

// In the portfolio other parts come next. It is lost above a hundredth of the variation.
static void a_coupled_model_far_from_the_data_is_not_let_go(void **state) {
  (void)state;
  Hand *h = pendulum(0, 15);
  h->problem.method = METHOD_AUTO;
  assert_threshold(is_followed, h, 0.01);
  h->problem.method = METHOD_HOMOTOPY; // where it is asked for, there is nothing else to try
  assert_true(is_followed(h, 0.5));
  hand_done(h);
}

// With noise, five times the floor is allowed.
static void noise_allows_the_coupled_model_more(void **state) {
  (void)state;
  Hand *h = pendulum(0.2, 15);
  h->problem.method = METHOD_AUTO;
  Fitting *f = fitting_new(&h->problem);
  double share = 5 * certificate_floor(f->weighting, 1) / data_objective(f->weighting, 1);
  fitting_free(f);
  assert_true(share > 0.02);
  assert_threshold(is_followed, h, share);
  hand_done(h);
}

static void free_is_spoiled(Watched *w, const SimulationOrder *o) {
  if (!order_is_coupled(w, o)) set_residuals(w, o, 0.5, 0);
}

static void lambda_is_halved_until_the_free_model_succeeds(void **state) {
  (void)state;
  enum { HALVINGS = 4 };
  Hand *h = pendulum(0, 15);
  h->problem.method = METHOD_HOMOTOPY;
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.watched.change = free_is_spoiled;
  search_begin(q.s, "homotopy");
  assert_false(homotopy_auto(q.s, q.s->start, 1, HALVINGS));
  assert_int_equal(q.result->path.count, 2 * (1 + HALVINGS));
  double lambda = 1;
  for (int k = 0; k < q.result->path.count; k += 2, lambda /= 2) {
    assert_true(q.result->path.at[k].lambda == lambda);
    assert_true(q.result->path.at[k + 1].lambda == 0);
  }
  searching_close(&q);
  hand_done(h);
}

typedef struct Crawl {
  Hand *hand;
  double floor;
} Crawl;

static double value_at(Searching *q, double p) {
  EvalSpec spec = eval_spec(q->fitting, NULL);
  return evaluate_value(q->work, &spec, &p);
}

// Iterations of the free model that begins with this objective, in floors.
static int free_iterations(const Crawl *c, double floors) {
  Searching q;
  searching_open(&q, &c->hand->problem, NULL, NULL);
  double low = 10, high = 11;
  for (int k = 0; k < 50; k++) {
    double middle = (low + high) / 2;
    *(value_at(&q, middle) < floors * c->floor ? &low : &high) = middle;
  }
  search_begin(q.s, "homotopy");
  homotopy_auto(q.s, &low, 1, 0);
  assert_int_equal(q.result->path.count, 2);
  int iterations = q.result->path.at[1].iterations;
  searching_close(&q);
  return iterations;
}

static bool gets_more_tries(void *data, double floors) {
  return free_iterations(data, floors) > 12;
}

static void a_free_fit_gets_12_iterations_and_40_more_near_the_floor(void **state) {
  (void)state;
  Crawl c = {pendulum(0.02, 15), 0};
  crawl(&c.hand->problem);
  c.hand->problem.method = METHOD_HOMOTOPY;
  Fitting *f = fitting_new(&c.hand->problem);
  c.floor = certificate_floor(f->weighting, 1);
  fitting_free(f);
  assert_threshold(gets_more_tries, &c, 5);
  assert_int_equal(free_iterations(&c, 8), 12);
  assert_int_equal(free_iterations(&c, 3), 12 + 40);
  c.hand->problem.options.max_iterations = 9; // never more than the option says
  assert_int_equal(free_iterations(&c, 8), 9);
  hand_done(c.hand);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_finds_the_truth_where_a_local_search_does_not),
      cmocka_unit_test(a_self_excited_oscillator_is_found_from_far_away),
      cmocka_unit_test(the_ladder_of_the_papers_has_equal_steps),
      cmocka_unit_test(without_a_feedback_it_ends_at_once),
      cmocka_unit_test(a_coupled_model_far_from_the_data_is_not_let_go),
      cmocka_unit_test(noise_allows_the_coupled_model_more),
      cmocka_unit_test(lambda_is_halved_until_the_free_model_succeeds),
      cmocka_unit_test(a_free_fit_gets_12_iterations_and_40_more_near_the_floor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
