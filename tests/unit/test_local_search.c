#include "search/local_search.h"

#include "search/fit.h"
#include "searching.h"
#include "threshold.h"

// ---------------------------------------------------------------- less accuracy first

static long quick_simulations(Hand *h, double step_tol, bool near, Method method) {
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.s->method = method;
  LocalSearch l = local_search_full(q.s);
  double x[2] = {1.5, 0.9};
  l.step_tol = step_tol, l.near = near;
  local_search_run(q.s, &l, x);
  long quick = q.watched.quick;
  assert_true(q.watched.full > 0); // where to stop needs full accuracy
  searching_close(&q);
  return quick;
}

static bool begins_quickly(void *data, double step_tol) {
  return quick_simulations(data, step_tol, false, METHOD_LM) > 0;
}

static void a_search_for_few_digits_has_full_accuracy_at_once(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.01);
  assert_threshold(begins_quickly, h, 1e-4);
  hand_done(h);
}

static void only_methods_that_choose_their_way_begin_quickly(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.01);
  assert_true(quick_simulations(h, 1e-8, false, METHOD_LM) > 0);
  assert_int_equal(quick_simulations(h, 1e-8, true, METHOD_LM), 0); // nor where the start is near
  assert_int_equal(quick_simulations(h, 1e-8, false, METHOD_GAUSS_NEWTON), 0);
  assert_int_equal(quick_simulations(h, 1e-8, false, METHOD_BOBYQA), 0);
  h->problem.simulate.rel_tol = 1e-5; // as little accuracy as a quick one has
  assert_int_equal(quick_simulations(h, 1e-8, false, METHOD_LM), 0);
  hand_done(h);
}

typedef struct Promise {
  double factor;  // of the residuals, in quick simulations
  double start;   // of the first unknown
  int from_start; // searches with full accuracy that began there
} Promise;

static void promise_more(Watched *w, const SimulationOrder *o) {
  Promise *p = w->data;
  if (o->quick)
    scale_residuals(w, o, p->factor);
  else
    p->from_start += o->run->p[o->run->compiled->parameters[0]] == p->start;
}

// Quick simulations whose objective is too small by this ratio: is the second search content with where they led?
static bool is_not_misled(void *data, double ratio) {
  Hand *h = data;
  Promise promise = {1 / sqrt(ratio), 1.5, 0};
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.watched.change = promise_more, q.watched.keep_all = true, q.watched.data = &promise;
  q.s->method = METHOD_LM;
  LocalSearch l = local_search_full(q.s);
  double x[2] = {promise.start, 0.9};
  local_search_run(q.s, &l, x);
  assert_close(x[0], 2, 0.2); // found either way
  searching_close(&q);
  return promise.from_start == 0;
}

static void a_misled_search_begins_again(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.05);
  assert_threshold(is_not_misled, h, 1.5);
  hand_done(h);
}

// ---------------------------------------------------------------- scales, limits

static void a_logarithmic_scale_changes_the_way_but_not_the_optimum(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.02);
  double found[2][2];
  for (int k = 0; k < 2; k++) {
    h->unknowns[0].min = h->unknowns[1].min = 0.01;
    h->unknowns[0].log = h->unknowns[1].log = k;
    Searching q;
    searching_open(&q, &h->problem, NULL, NULL);
    q.s->method = METHOD_LM;
    LocalSearch l = local_search_full(q.s);
    found[k][0] = 1, found[k][1] = 2;
    local_search_run(q.s, &l, found[k]);
    assert_true(local_end_converged(l.end));
    assert_close_relative(l.objective, search_evaluate(q.s, 0, 1, found[k]), 1e-6);
    searching_close(&q);
  }
  for (int i = 0; i < 2; i++) assert_close_relative(found[0][i], found[1][i], 1e-5);
  hand_done(h);
}

static void iterations_and_targets_end_a_search(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.02);
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.s->method = METHOD_GAUSS_NEWTON;
  LocalSearch l = local_search_full(q.s);
  double x[2] = {1, 2}, start = search_evaluate(q.s, 0, 1, x);
  l.max_iterations = 1;
  local_search_run(q.s, &l, x);
  assert_int_equal(l.iterations, 1);
  assert_int_equal(l.end, LOCAL_ITERATIONS_END);
  l = local_search_full(q.s);
  x[0] = 1, x[1] = 2;
  l.target = start / 2;
  local_search_run(q.s, &l, x);
  assert_int_equal(l.end, LOCAL_TARGET_END);
  assert_true(l.objective <= start / 2);
  assert_true(isnan(q.result->objective_start)); // that was another start
  searching_close(&q);
  hand_done(h);
}

static void a_stage_offers_what_it_found_and_notes_the_start(void **state) {
  (void)state;
  Hand *h = duffing(1, 0.02);
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.s->method = METHOD_GAUSS_NEWTON;
  local_search_stage(q.s, "test", q.s->start, -1);
  assert_close_relative(q.result->objective_start, search_evaluate(q.s, 0, 1, q.s->start), 1e-6);
  assert_string_equal(last_stage(&q)->name, "test");
  assert_true(last_stage(&q)->objective == q.s->best.objective);
  assert_true(q.s->best.objective < q.result->objective_start);
  searching_close(&q);
  hand_done(h);
}

static void constraints_call_for_sqp(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  h->problem.options.local = LOCAL_LMDER;
  assert_int_equal(local_search_method(&h->problem), METHOD_LMDER);
  h->problem.constraints.count = 1;
  assert_int_equal(local_search_method(&h->problem), METHOD_SQP);
  h->problem.constraints.count = 0;
  hand_done(h);
}

// ---------------------------------------------------------------- the table of methods

typedef struct Footprint { // of a fit: what its method asked for, and found
  long iterations, simulations, sensitivity_simulations;
  LocalEnd end;
  double objective;
} Footprint;

static void make_short(Problem *p) {
  p->options.threads = 1;
  p->options.generations = 3;
  p->options.population = 12;
}

// Without the quick search that some methods begin with: the function of the method alone.
static Footprint footprint(Method m) {
  Hand *h = duffing(1, 0.05);
  make_short(&h->problem);
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  q.s->method = m;
  LocalSearch l = local_search_full(q.s);
  double x[] = {1.5, 0.9};
  l.near = true;
  local_search_run(q.s, &l, x);
  const WorkCount *used = &q.s->budget.used;
  Footprint f = {used->iterations, used->simulations, used->sensitivity_simulations, l.end,
                 l.objective};
  searching_close(&q);
  hand_done(h);
  return f;
}

static bool is_same(const Footprint *a, const Footprint *b) {
  return a->iterations == b->iterations && a->simulations == b->simulations &&
         a->sensitivity_simulations == b->sensitivity_simulations && a->end == b->end &&
         a->objective == b->objective;
}

static bool is_single(Method m) {
  return method_has(m, METHOD_LOCAL) || method_has(m, METHOD_GLOBAL);
}

static bool is_other_word_for_lm(Method m) {
  return strcmp(method_word(m), "trust-region") == 0;
}

// A method without its function, or with that of another, would do what another one does.
static void every_method_does_its_own_work(void **state) {
  (void)state;
  Footprint of[METHOD_COUNT];
  for (int m = 0; m < METHOD_COUNT; m++) {
    if (!is_single((Method)m)) continue;
    Footprint f = of[m] = footprint((Method)m);
    bool slopes = method_has((Method)m, METHOD_SLOPES) && m != METHOD_NEWTON_FD; // by differences
    assert_true((f.sensitivity_simulations > 0) == slopes);
    for (int k = 0; k < m; k++) {
      if (!is_single((Method)k) || is_other_word_for_lm((Method)k)) continue;
      if (is_same(&of[k], &f))
        fail_msg("%s does what %s does", method_word((Method)m), method_word((Method)k));
    }
  }
}

static void every_method_runs_under_its_own_name(void **state) {
  (void)state;
  for (int k = 0; k < METHOD_COUNT; k++) {
    Method m = (Method)k;
    if (!is_single(m)) continue;
    Hand *h = duffing(1, 0.05);
    make_short(&h->problem);
    h->problem.method = m;
    FitResult *r = fit_run(&h->problem, NULL, NULL, NULL);
    const char *stage = method_has(m, METHOD_GLOBAL) ? method_word(m) : "local search";
    assert_true(r->problem->method == m && r->objective < HUGE_VAL);
    assert_int_equal(r->stages.count, 1);
    assert_string_equal(r->stages.at[0].name, stage);
    assert_string_equal(r->by, stage);
    fit_free(r);
    hand_done(h);
  }
}

// ---------------------------------------------------------------- an optimum that is known

// y is linear in its n unknowns: from any point the linear model leads to the optimum.
typedef struct Region {
  int n;
  double
      away; // the known optimum is off by this, in units of twice the log-likelihood at its own minimum
  double unit;  // of the objective
  double above; // the start is above the known objective by this many units
} Region;

static LocalEnd end_of(const Region *q, double lambda, double horizon, bool known) {
  Hand *h = hand_text("model Linear\n  parameter Real a = 1;\n  parameter Real b = 1;\n  Real y;\n"
                      "equation\n  y = a*sin(time) + b*cos(time);\nend Linear;\n");
  hand_experiment(
      h, (HandData){.channels = {"y"}, .step = 0.1, .count = 100, .noise = 0.1, .seed = 1});
  hand_estimate(h, "a", -1, 3, -9, 9);
  if (q->n > 1) hand_estimate(h, "b", -1, 2, -9, 9);
  crawl(&h->problem);
  Searching w;
  searching_open(&w, &h->problem, NULL, NULL);
  w.s->method = METHOD_AUTO;
  double best[2] = {1, 1}, x[2] = {3, 2}, squares = 0;
  Problem exact = h->problem;
  exact.options = (FitOptions){0};
  fit_options_init(&exact.options);
  FitResult *r = fit_run_on(&exact, w.work, NULL, NULL, NULL);
  memcpy(best, r->x, (size_t)q->n * sizeof *best);
  fit_free(r);
  double start = search_evaluate(w.s, 0, 1, x);
  for (int i = 0; i < 100; i++) squares += sin(0.1 * i) * sin(0.1 * i);
  best[0] += sqrt(2 * q->away * q->unit / squares); // where the linear model is higher by `away`
  KnownOptimum optimum = {best, start - q->above * q->unit, q->unit};
  LocalSearch l = local_search_full(w.s);
  l.max_iterations = 2;
  l.lambda = lambda, l.horizon = horizon;
  l.near = true;
  if (known) l.known = &optimum;
  local_search_run(w.s, &l, x);
  searching_close(&w);
  hand_done(h);
  return l.end;
}

static bool ends_from_above(void *data, double above) {
  Region q = *(Region *)data;
  q.above = above;
  return end_of(&q, 0, 1, true) == LOCAL_KNOWN_END;
}

static bool ends_when_away(void *data, double away) {
  Region q = *(Region *)data;
  q.away = away;
  return end_of(&q, 0, 1, true) == LOCAL_KNOWN_END;
}

// It begins 20 units for each unknown above it; where the linear model leads may be one unit higher.
static void a_search_ends_in_the_region_of_a_known_optimum(void **state) {
  (void)state;
  for (int n = 1; n <= 2; n++)
    for (double unit = 0.5; unit <= 5; unit *= 10) {
      Region q = {.n = n, .unit = unit, .above = 10};
      assert_threshold(ends_from_above, &q, 20.0 * n);
      assert_threshold(ends_when_away, &q, 1);
    }
}

static void only_full_searches_of_the_free_model_end_there(void **state) {
  (void)state;
  Region q = {.n = 1, .unit = 1, .above = 10};
  assert_int_equal(end_of(&q, 0, 1, true), LOCAL_KNOWN_END);
  assert_int_equal(end_of(&q, 0, 0.99, true), LOCAL_ITERATIONS_END);
  assert_int_equal(end_of(&q, 0, 1, false), LOCAL_ITERATIONS_END);
  assert_true(local_end_converged(LOCAL_KNOWN_END));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_search_for_few_digits_has_full_accuracy_at_once),
      cmocka_unit_test(only_methods_that_choose_their_way_begin_quickly),
      cmocka_unit_test(a_misled_search_begins_again),
      cmocka_unit_test(a_logarithmic_scale_changes_the_way_but_not_the_optimum),
      cmocka_unit_test(iterations_and_targets_end_a_search),
      cmocka_unit_test(a_stage_offers_what_it_found_and_notes_the_start),
      cmocka_unit_test(constraints_call_for_sqp),
      cmocka_unit_test(every_method_does_its_own_work),
      cmocka_unit_test(every_method_runs_under_its_own_name),
      cmocka_unit_test(a_search_ends_in_the_region_of_a_known_optimum),
      cmocka_unit_test(only_full_searches_of_the_free_model_end_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
