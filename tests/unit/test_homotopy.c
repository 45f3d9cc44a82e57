#include "search/homotopy.h"

#include "search/certificate.h"
#include "search/fit.h"
#include "searching.h"
#include "threshold.h"

enum { HALVINGS = 4 };
static const HomotopyPlan HALVED = {.strength = 1, .halvings = HALVINGS};

static double found(Hand *h, Method m) {
  h->problem.method = m;
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  double x = r->x[0];
  if (m == METHOD_HOMOTOPY) {
    assert_true(r->fits);
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

// The stronger the feedback, the nearer the coupled model is to the data, whatever the parameters.
static void the_path_tells_how_near_the_coupled_model_is(void **state) {
  (void)state;
  double before = HUGE_VAL;
  for (double gain = 2; gain < 1000; gain *= 5) {
    Hand *h = pendulum(0, 15);
    h->problem.method = METHOD_HOMOTOPY;
    h->problem.options.homotopy = HOMOTOPY_PAPER;
    h->problem.options.gain = gain;
    FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
    const FitPathPoint *first = &r->path.at[0], *last = &r->path.at[r->path.count - 1];
    assert_true(first->misfit_start.size < before);
    assert_true(first->misfit.size <= first->misfit_start.size);
    assert_true(first->objective <= first->objective_start);
    assert_true(isnan(last->misfit.size));
    before = first->misfit_start.size;
    fit_free(r);
    hand_done(h);
  }
  assert_true(before < FIT_FOLLOWS / 10);
}

// beta: each stage goes down to its part of eps.
static void stages_end_below_beta_eps(void **state) {
  (void)state;
  static const double BETA[] = {1, 0.3, 0.01};
  for (int k = 0; k < 3; k++) {
    Hand *h = pendulum(0, 15);
    h->problem.method = METHOD_HOMOTOPY;
    h->problem.options.homotopy = HOMOTOPY_PAPER;
    h->problem.options.lambda_eps = 1e-3;
    h->problem.options.lambda_beta = BETA[k];
    FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
    for (int i = 0; i < r->path.count; i++) {
      const FitPathPoint *p = &r->path.at[i];
      assert_true(p->objective <= BETA[k] * 1e-3);
      if (p->objective_start <= BETA[k] * 1e-3) assert_int_equal(p->iterations, 0);
    }
    fit_free(r);
    hand_done(h);
  }
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
  assert_false(homotopy_auto(q.s, q.s->start, &HALVED));
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
  homotopy_auto(q.s, q.s->start, &HOMOTOPY_ONCE);
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

// The free model never follows, the coupled one leaves this share of the variation.
static void free_is_spoiled(Watched *w, const SimulationOrder *o) {
  set_residuals(w, o, order_is_coupled(w, o) ? *(double *)w->data : 0.5, 0);
}

static void lambda_is_halved_until_the_free_model_succeeds(void **state) {
  (void)state;
  Hand *h = pendulum(0, 15);
  h->problem.method = METHOD_HOMOTOPY;
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  double share = 0.005;
  q.watched.change = free_is_spoiled, q.watched.keep_all = true, q.watched.data = &share;
  search_begin(q.s, "homotopy");
  assert_false(homotopy_auto(q.s, q.s->start, &HALVED));
  assert_int_equal(q.result->path.count, 2 * (1 + HALVINGS));
  double lambda = 1;
  for (int k = 0; k < q.result->path.count; k += 2, lambda /= 2) {
    assert_true(q.result->path.at[k].lambda == lambda);
    assert_true(q.result->path.at[k + 1].lambda == 0);
  }
  searching_close(&q);
  hand_done(h);
}

// Whether lambda stays at 1 where the coupled model leaves this share.
static bool is_not_halved(void *data, double share) {
  Hand *h = data;
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.watched.change = free_is_spoiled, q.watched.keep_all = true, q.watched.data = &share;
  search_begin(q.s, "homotopy");
  homotopy_auto(q.s, q.s->start, &HALVED);
  int path = q.result->path.count;
  assert_true(path == 2 || path == 2 * (1 + HALVINGS));
  searching_close(&q);
  return path == 2;
}

// The floor is what the noise leaves, and a hundred times the tolerance of coupled simulations: 1e-4 of the deviation.
static void lambda_is_not_halved_where_the_coupled_model_reaches_the_floor(void **state) {
  (void)state;
  for (int noisy = 0; noisy < 2; noisy++) {
    Hand *h = pendulum(noisy ? 0.01 : 0, 15);
    h->problem.method = METHOD_HOMOTOPY;
    Fitting *f = fitting_new(&h->problem);
    double noise = noise_objective(f->weighting, 1) / data_objective(f->weighting, 1);
    fitting_free(f);
    assert_threshold(is_not_halved, h, 1.2 * (noise + 1e-8));
    hand_done(h);
  }
}

// ---------------------------------------------------------------- the second observer

static const HomotopyPlan BOTH = {.strength = 1, .halvings = 1, .second_observer = true};

typedef struct Shares { // of the variation, that the models leave
  double first, second;
} Shares;

static void leave_shares(Watched *w, const SimulationOrder *o) {
  const Shares *s = w->data;
  bool first = o->run->compiled == fitting_feedback(w->fitting)->compiled;
  set_residuals(w, o, !order_is_coupled(w, o) ? 0.5 : first ? s->first : s->second, 0);
}

// The lambdas of the path, as text: 't' coupled, '0' free.
static void path_of(Hand *h, Shares shares, const HomotopyPlan *plan, char *text) {
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.watched.change = leave_shares, q.watched.keep_all = true, q.watched.data = &shares;
  search_begin(q.s, "homotopy");
  assert_false(homotopy_auto(q.s, q.s->start, plan));
  assert_true(q.result->path.count < 20);
  for (int k = 0; k < q.result->path.count; k++)
    *text++ = q.result->path.at[k].lambda > 0 ? 't' : '0';
  *text = 0;
  bool tried = plan->second_observer && q.result->path.count > 2; // it left less
  assert_true((q.s->coupled.gains != NULL) == tried);
  searching_close(&q);
}

static bool is_first_enough(void *data, double share) {
  char path[24];
  path_of(data, (Shares){share, 0.9 * share}, &BOTH, path);
  return strcmp(path, "t0") == 0;
}

// A second design at the end of its first fit leaves as much: there is no third.
static void the_second_observer_follows_where_the_first_misses_the_floor(void **state) {
  (void)state;
  static const HomotopyPlan FIRST_ONLY = {.strength = 1, .halvings = 1};
  char path[24];
  Hand *h = pendulum(0, 15);
  h->problem.method = METHOD_HOMOTOPY;
  Fitting *f = fitting_new(&h->problem);
  double noise = noise_objective(f->weighting, 1) / data_objective(f->weighting, 1);
  fitting_free(f);
  double floor = noise + 1e-8;
  assert_threshold(is_first_enough, h, 1.2 * floor);
  path_of(h, (Shares){2 * floor, 1.5 * floor}, &BOTH, path); // lambda is halved with the better
  assert_string_equal(path, "t0tt0t0");
  path_of(h, (Shares){2 * floor, floor}, &BOTH, path); // which is not where it reaches the floor
  assert_string_equal(path, "t0t0");
  path_of(h, (Shares){2 * floor, floor}, &FIRST_ONLY, path);
  assert_string_equal(path, "t0t0"); // halved
  path_of(h, (Shares){2 * floor, floor}, &HOMOTOPY_ONCE, path);
  assert_string_equal(path, "t0");
  hand_done(h);
}

// A first observer that does not follow the data is let go only if the second does not either.
static void a_lost_model_waits_for_the_second_observer(void **state) {
  (void)state;
  char path[24];
  Hand *h = pendulum(0, 15);
  h->problem.method = METHOD_HOMOTOPY;
  path_of(h, (Shares){0.02, 0.005}, &(HomotopyPlan){1, 0, true}, path);
  assert_string_equal(path, "ttt0");
  path_of(h, (Shares){0.02, 0.015}, &(HomotopyPlan){1, 0, true}, path);
  assert_string_equal(path, "ttt00");
  h->problem.method = METHOD_AUTO; // other parts are better then
  path_of(h, (Shares){0.02, 0.005}, &(HomotopyPlan){1, 0, true}, path);
  assert_string_equal(path, "ttt0");
  hand_done(h);
}

typedef struct Limits {
  Shares shares; // the first member, as leave_shares expects it
  long limit[3]; // steps of the first observer, the second, the free model
} Limits;

static void note_limit(Watched *w, const SimulationOrder *o) {
  Limits *seen = w->data;
  int which = !order_is_coupled(w, o)                                      ? 2
              : o->run->compiled == fitting_feedback(w->fitting)->compiled ? 0
                                                                           : 1;
  if (seen->limit[which] < 0) seen->limit[which] = o->request->max_steps;
  leave_shares(w, o);
}

// Where a second one is left, the first may take 20000 steps and 20 for each sample; later ones what any simulation may.
static void an_observer_that_makes_the_model_stiff_is_given_up(void **state) {
  (void)state;
  for (int second = 0; second < 2; second++) {
    Limits seen = {{0.005, 0.004}, {-1, -1, -1}};
    Hand *h = pendulum(0, 15);
    h->problem.method = METHOD_HOMOTOPY;
    Searching q;
    searching_open(&q, &h->problem, NULL, NULL);
    q.watched.change = note_limit, q.watched.keep_all = true, q.watched.data = &seen;
    search_begin(q.s, "homotopy");
    homotopy_auto(q.s, q.s->start, &(HomotopyPlan){1, 0, second});
    assert_int_equal(seen.limit[0], second ? 20000 + 20 * 301 : 0);
    assert_true(second ? seen.limit[1] > 0 : seen.limit[1] < 0); // after successful simulations
    assert_true(seen.limit[1] != seen.limit[0]);
    searching_close(&q);
    hand_done(h);
  }
}

// A cart that a force moves, with a pendulum whose angle is not measured.
static Hand *hidden(void) {
  Hand *h = hand_text("model Cart\n  parameter Real m = 0.8;\n  parameter Real l = 0.6;\n"
                      "  parameter Real c = 0.5;\n"
                      "  Real x(start = 0, fixed = true), v(start = 0, fixed = true);\n"
                      "  Real a(start = 1.5, fixed = true), w(start = 0, fixed = true);\n"
                      "equation\n  der(x) = v;\n  der(a) = w;\n"
                      "  (2 + m)*der(v) + m*l*cos(a)*der(w) = 4*sin(3*time) - c*v - 8*x\n"
                      "    + m*l*w^2*sin(a);\n"
                      "  cos(a)*der(v) + l*der(w) = -9.81*sin(a) - 0.05*w;\nend Cart;\n");
  hand_experiment(
      h, (HandData){.channels = {"x"}, .step = 0.02, .count = 501, .noise = 0.03, .seed = 3});
  hand_estimate(h, "m", -1, 1.15, 0.1, 5);
  hand_estimate(h, "l", -1, 2.11, 0.1, 3);
  hand_estimate(h, "c", -1, 1.78, 0.05, 5);
  h->problem.method = METHOD_HOMOTOPY;
  return h;
}

static void gains_are_those_that_led_to_the_result(void **state) {
  (void)state;
  Hand *h = pendulum(0, 15);
  h->problem.method = METHOD_HOMOTOPY;
  FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
  assert_string_equal(r->observer, "pd");
  assert_int_equal(r->gains.count, 2);
  fit_free(r);
  hand_done(h);
  h = hidden();
  r = fit_run(&h->problem, NULL, NULL, NULL);
  assert_true(r->fits);
  assert_close(r->x[1], 0.6, 0.01);
  assert_string_equal(r->observer, "y");
  assert_int_equal(r->gains.count, 4); // into all states
  fit_free(r);
  hand_done(h);
}

static void results_do_not_depend_on_threads(void **state) {
  (void)state;
  double x[2][3];
  long work[2];
  for (int k = 0; k < 2; k++) {
    Hand *h = hidden();
    Err err = {0};
    assert_true(
        method_parse("multistart(homotopy, 4)", &h->problem.method, &h->problem.parts, &err));
    h->problem.options.threads = k ? 3 : 1;
    FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
    memcpy(x[k], r->x, sizeof x[k]);
    work[k] = r->work.steps;
    fit_free(r);
    hand_done(h);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_int_equal(work[0], work[1]);
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
  homotopy_auto(q.s, &low, &HOMOTOPY_ONCE);
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
      cmocka_unit_test(the_path_tells_how_near_the_coupled_model_is),
      cmocka_unit_test(stages_end_below_beta_eps),
      cmocka_unit_test(the_ladder_of_the_papers_has_equal_steps),
      cmocka_unit_test(without_a_feedback_it_ends_at_once),
      cmocka_unit_test(a_coupled_model_far_from_the_data_is_not_let_go),
      cmocka_unit_test(noise_allows_the_coupled_model_more),
      cmocka_unit_test(lambda_is_halved_until_the_free_model_succeeds),
      cmocka_unit_test(lambda_is_not_halved_where_the_coupled_model_reaches_the_floor),
      cmocka_unit_test(the_second_observer_follows_where_the_first_misses_the_floor),
      cmocka_unit_test(a_lost_model_waits_for_the_second_observer),
      cmocka_unit_test(an_observer_that_makes_the_model_stiff_is_given_up),
      cmocka_unit_test(gains_are_those_that_led_to_the_result),
      cmocka_unit_test(results_do_not_depend_on_threads),
      cmocka_unit_test(a_free_fit_gets_12_iterations_and_40_more_near_the_floor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
