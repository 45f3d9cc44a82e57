// Errors of free-running simulations: against the residuals of the fit, in windows, for validation.
#include "stats/run_errors.h"

#include "made_problem.h"

static const char SPRING[] = "model Spring\n"
                             "  parameter Real k = 1; parameter Real c = 0.1;\n"
                             "  input Real F;\n"
                             "  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
                             "equation\n"
                             "  der(x) = v; der(v) = -k*x - c*v + F;\n"
                             "end Spring;\n";

static const char PROBLEM[] =
    "model: spring.mo\n"
    "experiments:\n"
    "  - {data: a.csv, measure: {x: x}, role: validation, windows: {all: [~, ~]}}\n"
    "  - data: b.csv\n"
    "    measure: {x: {column: x, sigma: 0.1, weight: 3, offset: {start: 0.2}}, v: v}\n"
    "    windows: {early: [0, 1.95], late: [1.96, 100], none: [3.05, 3.1]}\n"
    "  - {data: a.csv, name: again, measure: {v: v}, role: validation}\n"
    "estimate: {k: {start: 1.3, prior: {mean: 1, sd: 0.1}}, c: 0.2}\n"
    "options: {loss: huber}\n";

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

typedef struct Sums {
  double squares[2], worst[2];
  int unknowns;
} Sums;

static void add(void *data, const ResidualBlock *b) {
  Sums *s = data;
  for (int i = 0; i < b->rows; i++) {
    double r = b->column[s->unknowns][i] / b->scale[i];
    s->squares[b->channel] += r * r;
    s->worst[b->channel] = fmax(s->worst[b->channel], fabs(r));
  }
}

static void errors_are_the_residuals_without_weights(void **state) {
  const Problem *p = ((Made *)*state)->problem;
  Arena *a = arena_new();
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, 1, NULL);
  double x[] = {1.1, 0.3, -0.1};
  Sums s = {.unknowns = f->n};
  EvalSpec spec = eval_spec(f, NULL);
  assert_int_equal(f->n, 3);
  assert_true(evaluate_rows(w, &spec, x, add, &s));
  const RunErrors *r = run_errors(a, w, 0, x);
  assert_int_equal(r->channel_count, 2);
  assert_false(run_errors_failed(r));
  for (int k = 0; k < 2; k++) {
    const SpanError *all = &r->channels[k].all;
    assert_int_equal(all->n, p->experiments[0].channels[k].count);
    assert_close(all->rmse * all->rmse * all->n, s.squares[k], 1e-12 * s.squares[k]);
    assert_close(all->most, s.worst[k], 1e-12 * s.worst[k]);
    assert_true(fabs(all->mean) <= all->rmse && all->rmse <= all->most);
  }
  eval_work_free(w);
  fitting_free(f);
  arena_free(a);
}

// Disjoint windows that cover everything add up to everything.
static void windows_add_up(void **state) {
  const Problem *p = ((Made *)*state)->problem;
  Arena *a = arena_new();
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, 1, NULL);
  const RunErrors *r = run_errors(a, w, 0, (double[]){1.1, 0.3, -0.1});
  for (int k = 0; k < 2; k++) {
    const RunChannel *c = &r->channels[k];
    double squares = 0, sum = 0;
    for (int i = 0; i < 2; i++) {
      squares += c->windows[i].rmse * c->windows[i].rmse * c->windows[i].n;
      sum += c->windows[i].mean * c->windows[i].n;
    }
    assert_int_equal(c->windows[0].n + c->windows[1].n, c->all.n);
    assert_close(squares, c->all.rmse * c->all.rmse * c->all.n, 1e-12 * squares);
    assert_close(sum, c->all.mean * c->all.n, 1e-12);
    assert_close(fmax(c->windows[0].most, c->windows[1].most), c->all.most, 0);
  }
  assert_int_equal(r->channels[0].windows[2].n, 0); // missing in x, there in v
  assert_true(isnan(r->channels[0].windows[2].rmse));
  assert_int_equal(r->channels[1].windows[2].n, 1);
  eval_work_free(w);
  fitting_free(f);
  arena_free(a);
}

static void validation_is_simulated_with_the_same_numbers(void **state) {
  const Problem *p = ((Made *)*state)->problem, *v = p->validation;
  Arena *a = arena_new();
  const RunErrors *r = validation_errors(a, p, 0, (double[]){1.1, 0.3, -0.1});
  assert_int_equal(p->experiment_count, 1);
  assert_int_equal(p->experiments[0].number, 1);
  assert_int_equal(v->experiment_count, 2);
  assert_int_equal(v->experiments[1].number, 2);
  assert_ptr_equal(problem_experiment(p, 2), &v->experiments[1]);
  assert_null(problem_experiment(p, 3));
  assert_int_equal(p->measured_count,
                   2); // with the offset; without it, x is measured for validation only
  assert_int_equal(v->measured_count, 3);
  assert_int_equal(r->channel_count, 2);
  assert_close(r->channels[0].windows[0].rmse, r->channels[0].all.rmse, 0);
  // The objective of the validation alone, by the way that fits go: no prior, no constraint.
  Fitting *f = fitting_new(v);
  EvalWork *w = eval_work_new(f, 1, NULL);
  Weighting *plain = weighting_plain(f->data);
  EvalSpec spec = eval_spec(f, NULL);
  spec.weighting = plain;
  double V = evaluate_value(w, &spec, (double[]){1.1, 0.3, -0.1}), sum = 0;
  for (int k = 0; k < 2; k++)
    sum += r->channels[k].all.rmse * r->channels[k].all.rmse * r->channels[k].all.n / 2;
  assert_close(V, sum, 1e-12 * V);
  weighting_free(plain);
  eval_work_free(w);
  fitting_free(f);
  arena_free(a);
}

static void a_failure_is_told(void **state) {
  const Problem *p = ((Made *)*state)->problem;
  Arena *a = arena_new();
  const RunErrors *r = validation_errors(a, p, 0, (double[]){nan(""), 0.3, -0.1});
  assert_true(run_errors_failed(r));
  assert_non_null(r->why[0]);
  assert_null(r->channels[0].error);
  assert_true(isnan(r->channels[0].all.rmse) && isnan(r->channels[0].windows[0].rmse));
  assert_int_equal(r->channels[0].windows[0].n, r->channels[0].all.n);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(errors_are_the_residuals_without_weights, begin, end),
      cmocka_unit_test_setup_teardown(windows_add_up, begin, end),
      cmocka_unit_test_setup_teardown(validation_is_simulated_with_the_same_numbers, begin, end),
      cmocka_unit_test_setup_teardown(a_failure_is_told, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
