// The objective on a grid: every point by itself, whatever the threads; failures, stops and wrong requests.
#include "study/scan.h"

#include "made_problem.h"
#include "residual/evaluate.h"

static const char SPRING[] =
    "model Spring\n"
    "  parameter Real k = 1; parameter Real c = 0.1;\n"
    "  input Real F;\n"
    "  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
    "equation\n"
    "  der(x) = v; der(v) = -k*x - c*v + F + (if k > 4 then 1e4*x^3 else 0);\n"
    "end Spring;\n";

static const char PROBLEM[] =
    "model: spring.mo\n"
    "experiments:\n"
    "  - {data: a.csv, measure: {x: x}}\n"
    "  - {data: b.csv, measure: {x: {column: x, sigma: 0.1, weight: 3, offset: {start: 0.2}}, v: "
    "v}}\n"
    "  - {data: a.csv, name: proof, role: validation, measure: {x: x}, set: {c: 1}}\n"
    "estimate:\n"
    "  k: {start: 1.3, min: 0.5, max: 5, prior: {mean: 1, sd: 0.1}}\n"
    "  c: {start: 0.2, per_experiment: true}\n";

static int begin(void **state) {
  static Made m;
  made_open(&m);
  made_file(&m, "spring.mo", SPRING);
  made_waves(&m, "a.csv", 0.3, 60);
  made_waves(&m, "b.csv", 0, 50);
  made_load(&m, PROBLEM);
  *state = &m;
  return 0;
}

static int end(void **state) {
  made_close(*state);
  return 0;
}

static const ScanAxis K = {.name = "k", .from = 0.3, .to = 3, .count = 11, .log = true},
                      C = {.name = "c", .from = 0, .to = 1, .count = 5};

static ObjectiveScan *scan_two(const Problem *p) {
  ScanAxis axes[] = {K, C};
  const double lambda[] = {1, 0.25, 0};
  Err err = {0};
  ObjectiveScan *s = scan_run(p, &(ScanRequest){axes, 2, lambda, 3, NULL, false}, NULL, NULL, &err);
  if (!s) fail_msg("%s", err.text);
  return s;
}

static void points_are_evaluated_by_themselves(void **state) {
  const Problem *p = ((Made *)*state)->problem;
  ObjectiveScan *s = scan_two(p);
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, 1, NULL);
  EvalSpec spec = eval_spec(f, NULL);
  assert_true(s->points == 55 && s->done == 165 && s->failed == 0 && s->cut == FIT_CUT_NOTHING);
  assert_close(scan_value(&s->axes[0], 10), 3, 0);
  assert_close(scan_value(&s->axes[0], 5), sqrt(0.9), 1e-15);
  assert_true(scan_leaves_bounds(&s->axes[0]) && !scan_leaves_bounds(&s->axes[1]));
  for (int l = 0; l < 3; l++) {
    int best = 0;
    spec.lambda = s->lambda[l];
    for (int i = 0; i < s->points; i++) {
      double k = scan_value(&s->axes[0], i % 11), c = scan_value(&s->axes[1], i / 11);
      double x[] = {k, c, c, 0.2}; // c of both experiments
      double V = evaluate_value(w, &spec, x), mine = s->objective[l * s->points + i];
      assert_close(mine, V, (l < 2 ? 1e-4 : 1e-6) * V);
      if (mine < s->objective[l * s->points + best]) best = i;
    }
    assert_int_equal(s->best[l], best);
  }
  eval_work_free(w);
  fitting_free(f);
  scan_free(s);
}

static void threads_do_not_matter(void **state) {
  Problem *p = ((Made *)*state)->problem;
  p->options.threads = 1;
  ObjectiveScan *one = scan_two(p);
  p->options.threads = 3;
  ObjectiveScan *three = scan_two(p);
  assert_memory_equal(one->objective, three->objective, 165 * sizeof(double));
  scan_free(one);
  scan_free(three);
}

static void failures_are_gaps(void **state) {
  const Problem *p = ((Made *)*state)->problem;
  ScanAxis axis = {.name = "k", .from = 3, .to = 5, .count = 21};
  Err err = {0};
  ObjectiveScan *s = scan_run(p, &(ScanRequest){&axis, 1, NULL, 0, NULL, false}, NULL, NULL, &err);
  int gaps = 0;
  assert_non_null(s);
  for (int i = 0; i < 21; i++) {
    bool fails = scan_value(&s->axes[0], i) > 4;
    assert_true(isnan(s->objective[i]) == fails);
    gaps += fails;
  }
  assert_true(gaps == s->failed && s->done == 21 && s->cut == FIT_CUT_NOTHING);
  long told = 0;
  for (int k = 0; k < s->failures.count; k++) told += s->failures.at[k].count;
  assert_int_equal(told, gaps);
  assert_true(s->failures.at[0].log[0] != 0);
  scan_free(s);
}

static bool stop_after(void *data, const ObjectiveScan *s) {
  return s->done < *(int *)data;
}

// What is done when it is stopped is what the whole has.
static void a_stop_keeps_what_is_done(void **state) {
  Problem *p = ((Made *)*state)->problem;
  ScanAxis axis = {.name = "k", .from = 0.5, .to = 3, .count = 20000};
  int enough = 40;
  Err err = {0};
  ScanRequest q = {&axis, 1, NULL, 0, NULL, false};
  ObjectiveScan *s = scan_run(p, &q, stop_after, &enough, &err);
  assert_non_null(s);
  assert_true(s->cut == FIT_CUT_STOP && s->done >= 40 && s->done < 20000);
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, 1, NULL);
  EvalSpec spec = eval_spec(f, NULL);
  for (int i = 0; i < s->done; i += 7) {
    double V = evaluate_value(w, &spec, (double[]){scan_value(&s->axes[0], i), 0.2, 0.2, 0.2});
    assert_close(s->objective[i], V, 1e-6 * V);
  }
  eval_work_free(w);
  fitting_free(f);
  scan_free(s);
  p->options.max_simulations = 50; // 25 points of two experiments
  s = scan_run(p, &q, NULL, NULL, &err);
  assert_true(s->cut == FIT_CUT_SIMULATIONS && s->done <= 25 && s->done > 0);
  scan_free(s);
  p->options.max_simulations = 0;
}

static void wrong_requests_are_refused(void **state) {
  const Problem *p = ((Made *)*state)->problem;
  const ScanAxis WRONG[][2] = {
      {{.name = "kk", .from = 0, .to = 1, .count = 3}},
      {{.name = "k", .from = 1, .to = 1, .count = 3}},
      {{.name = "k", .from = 2, .to = 1, .count = 3}},
      {{.name = "k", .from = 0, .to = 1, .count = 3, .log = true}},
      {{.name = "k", .from = 0, .to = 1, .count = 0}},
      {{.name = "k", .from = 0, .to = HUGE_VAL, .count = 3}},
      {{.name = "k", .from = nan(""), .to = 1, .count = 1}},
      {{.name = "k", .from = 0, .to = 1, .count = 3},
       {.name = "k", .from = 0, .to = 1, .count = 3}},
      {{.name = "c", .from = 0, .to = 1, .count = 3},
       {.name = "c[b]", .from = 0, .to = 1, .count = 3}},
      {{.name = "k", .from = 0, .to = 1, .count = 3000},
       {.name = "c", .from = 0, .to = 1, .count = 3000}},
  };
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    Err err = {0};
    int count = WRONG[i][1].name ? 2 : 1;
    assert_null(
        scan_run(p, &(ScanRequest){WRONG[i], count, NULL, 0, NULL, false}, NULL, NULL, &err));
    assert_true(err.code != ERR_NONE && err.text[0]);
  }
  const double LAMBDAS[][2] = {{1, 1}, {0, 2}, {-1, 0}, {nan(""), 0}};
  for (int i = 0; i < 4; i++) {
    Err err = {0};
    assert_null(scan_run(p, &(ScanRequest){&C, 1, LAMBDAS[i], 2, NULL, false}, NULL, NULL, &err));
    assert_int_equal(err.code, ERR_VALUE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(points_are_evaluated_by_themselves, begin, end),
      cmocka_unit_test_setup_teardown(threads_do_not_matter, begin, end),
      cmocka_unit_test_setup_teardown(failures_are_gaps, begin, end),
      cmocka_unit_test_setup_teardown(a_stop_keeps_what_is_done, begin, end),
      cmocka_unit_test_setup_teardown(wrong_requests_are_refused, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
