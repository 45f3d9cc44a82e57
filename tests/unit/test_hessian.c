#include "residual/hessian.h"

#include "base/patience.h"
#include "evaluation.h"
#include "hand_problem.h"
#include "made_problem.h"
#include "threshold.h"

static const double STEP = 1e-3; // of difference quotients, relative

typedef struct At { // what an evaluation gives
  double value, gradient[HAND_MOST], H[HAND_MOST * HAND_MOST];
} At;

static void evaluate_at(Evaluation *o, HessianWay way, const double *x, At *at) {
  Hessian *h = hessian_new(o->fitting, way);
  EvalEnd end = hessian_eval(h, o->work, &o->spec, x, &at->value, at->gradient, at->H);
  if (end != EVAL_DONE) print_error("%s\n", hessian_why(h));
  assert_int_equal(end, EVAL_DONE);
  hessian_free(h);
}

static void gradient_of(Evaluation *o, const double *x, double *value, double *gradient) {
  int n = o->fitting->problem->unknown_count;
  Arena *a = arena_new();
  LsqPoint *p = lsq_point_new(a, n);
  memcpy(p->x, x, (size_t)n * sizeof *x);
  assert_int_equal(evaluation_point(o, p, true), EVAL_DONE);
  *value = p->objective;
  for (int j = 0; j < n; j++) {
    gradient[j] = 0;
    for (int i = 0; i <= j; i++) gradient[j] += p->R[i * n + j] * p->Qr[i];
  }
  arena_free(a);
}

// Column j of the Hessian by differences of the gradient, of fourth order.
static void difference(Evaluation *o, const double *x, double step, int j, double *column) {
  static const double WEIGHT[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12}, AT[4] = {-2, -1, 1, 2};
  int n = o->fitting->problem->unknown_count;
  double y[HAND_MOST], g[HAND_MOST], value, h = step * fmax(0.1, fabs(x[j]));
  memcpy(y, x, (size_t)n * sizeof *x);
  memset(column, 0, (size_t)n * sizeof *column);
  for (int k = 0; k < 4; k++) {
    y[j] = x[j] + AT[k] * h;
    gradient_of(o, y, &value, g);
    for (int i = 0; i < n; i++) column[i] += WEIGHT[k] * g[i] / h;
  }
}

static double size_of(const At *at, int n, int i, int j) {
  return sqrt(fabs(at->H[i * n + i] * at->H[j * n + j])) + fabs(at->H[i * n + j]);
}

// Value and gradient are those of the objective; the Hessian is that of differences; both ways agree.
static void check_laws(Evaluation *o, const double *x, double step, double tol) {
  int n = o->fitting->problem->unknown_count;
  static At forward, adjoint;
  double value, gradient[HAND_MOST], column[HAND_MOST];
  evaluate_at(o, HESSIAN_FORWARD, x, &forward);
  evaluate_at(o, HESSIAN_ADJOINT, x, &adjoint);
  gradient_of(o, x, &value, gradient);
  assert_close_relative(forward.value, value, 1e-12);
  assert_close_relative(adjoint.value, value, 1e-12);
  for (int j = 0; j < n; j++) {
    double scale = sqrt(fabs(2 * value * forward.H[j * n + j])) + fabs(gradient[j]);
    assert_close(forward.gradient[j], gradient[j], 1e-10 * scale);
    difference(o, x, step, j, column);
    for (int i = 0; i < n; i++) {
      double size = size_of(&forward, n, i, j);
      assert_close(forward.H[i * n + j], column[i], tol * size);
      assert_close(adjoint.H[i * n + j], forward.H[i * n + j], 1e-6 * size);
      assert_true(forward.H[i * n + j] == forward.H[j * n + i]);
    }
  }
}

// A model, what is measured of it, what is estimated and where: not where the data were made, so residuals are large.
typedef struct Case {
  const char *model, *channels[HAND_CHANNELS], *names[8];
  double x[8];
  double step;
  int count;
} Case;

static const Case CASES[] = {
    {"examples/pendulum/pendulum.mo", {"theta"}, {"p", "theta.start"}, {10.4, 0.45}, 0.1, 101},
    {"examples/arctan_oscillator/arctan_oscillator.mo", {"u"}, {"k", "psi"}, {1.3, 0.6}, 0.1, 151},
    {"examples/two_dof/two_dof.mo", {"u"}, {"C1", "C2", "C3"}, {1.3, 1.8, 3.3}, 0.1, 151},
    {"examples/single_well/vanderpol_duffing.mo",
     {"x1"},
     {"alpha", "beta", "mu"},
     {0.6, 0.45, 0.12},
     0.05,
     201},
    {"examples/double_well/vanderpol_duffing.mo",
     {"x1"},
     {"alpha", "beta", "mu", "x2.start"},
     {-0.4, 0.45, 0.12, 0.05},
     0.05,
     201},
    {"examples/double_pendulum/double_pendulum.mo",
     {"theta1", "theta2"},
     {"L1", "L2", "mu"},
     {1.02, 0.74, 0.48},
     0.02,
     101},
};

static Hand *hand_of(const Case *c) {
  Hand *h = hand_load(c->model);
  h->problem.simulate.rel_tol = 1e-10;
  h->problem.simulate.abs_tol = 1e-12;
  HandData data = {.step = c->step, .count = c->count};
  memcpy(data.channels, c->channels, sizeof data.channels);
  hand_experiment(h, data);
  for (int i = 0; i < 8 && c->names[i]; i++)
    hand_estimate(h, c->names[i], -1, c->x[i], -HUGE_VAL, HUGE_VAL);
  return h;
}

static void check_case(const Case *c) {
  Hand *h = hand_of(c);
  Evaluation *o = evaluation_new(&h->problem);
  check_laws(o, c->x, STEP, 1e-5);
  evaluation_free(o);
  hand_done(h);
}

static void it_is_that_of_differences(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    check_case(&CASES[i]);
  }
}

static const Case CONSTRAINED[] = {
    {"examples/frewin/frewin.mo", {"alpha", "y"}, {"c", "d", "IA"}, {5, 1.5, 1.05}, 0.1, 41},
    {"examples/slider_crank/slider_crank.mo",
     {"phi1", "x3", "Bx"},
     {"m3", "k", "l1"},
     {0.75, 300, 0.101},
     0.01,
     101},
    {"examples/frewin_correct/frewin_correct.mo", {"alpha", "lam"}, {"c", "d"}, {5, 1.5}, 0.1, 41},
    {"examples/four_bar/four_bar.mo",
     {"phi1", "phi3"},
     {"m2", "k", "d"},
     {0.45, 1.1, 0.28},
     0.01,
     51},
    {"examples/double_pendulum_cartesian/double_pendulum_cartesian.mo",
     {"phi1", "phi2"},
     {"L1", "L2", "m2", "d"},
     {1.02, 0.74, 0.78, 0.03},
     0.02,
     51},
    {"examples/mount_dae/mount_dae_published.mo",
     {"x1"},
     {"dH2", "cE1", "dE"},
     {3e-9, 120, 6e-3},
     0.002,
     51},
    {"examples/andrews/andrews.mo",
     {"beta", "phi"},
     {"c0", "mom", "m3"},
     {4700, 0.034, 0.025},
     0.0003,
     31},
    {"examples/parallelogram/parallelogram.mo",
     {"q1", "x"},
     {"m", "k", "l"},
     {2.8, 6.5, 0.51},
     0.02,
     51},
};

static void it_is_that_of_differences_under_constraints(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CONSTRAINED / sizeof *CONSTRAINED; i++) {
    check_case(&CONSTRAINED[i]);
  }
}

// However the constraints are kept: the Hessian comes from the same motion.
static void it_does_not_depend_on_how_constraints_are_kept(void **state) {
  (void)state;
  static At first, at;
  for (int k = 0; k < 4; k++) {
    static const char *const INDEX[] = {"stabilise", "project", "direct", "index3"};
    Hand *h = hand_of(&CONSTRAINED[0]);
    Err err = {0};
    h->problem.simulate.rel_tol = 1e-8;
    assert_true(options_set(&SIMULATE_OPTIONS, &h->problem.simulate, "index", INDEX[k], &err));
    Evaluation *o = evaluation_new(&h->problem);
    for (int way = HESSIAN_FORWARD; way <= HESSIAN_ADJOINT; way++) {
      evaluate_at(o, (HessianWay)way, CONSTRAINED[0].x, &at);
      if (k == 0 && way == HESSIAN_FORWARD) first = at;
      for (int i = 0; i < 9; i++)
        assert_close(at.H[i], first.H[i], 3e-5 * size_of(&first, 3, i / 3, i % 3));
    }
    evaluation_free(o);
    hand_done(h);
  }
}

static void at_an_exact_fit_it_is_that_of_gauss_and_newton(void **state) {
  (void)state;
  Hand *h = hand_of(&CASES[2]);
  Evaluation *o = evaluation_new(&h->problem);
  int n = h->problem.unknown_count;
  static At at;
  double truth[] = {1, 2, 3};
  LsqPoint *p = lsq_point_new(h->arena, n);
  memcpy(p->x, truth, sizeof truth);
  assert_int_equal(evaluation_point(o, p, true), EVAL_DONE);
  for (int way = HESSIAN_FORWARD; way <= HESSIAN_ADJOINT; way++) {
    evaluate_at(o, (HessianWay)way, truth, &at);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += p->R[k * n + i] * p->R[k * n + j];
        assert_close(at.H[i * n + j], sum, 1e-8 * size_of(&at, n, i, j));
      }
  }
  evaluation_free(o);
  hand_done(h);
}

// ---------------------------------------------------------------- whatever a problem asks for

static const char MODEL[] = "model Duffing\n"
                            "  parameter Real a = 0.5;\n"
                            "  parameter Real b = 0.5;\n"
                            "  parameter Real s = 0.3;\n"
                            "  input Real force = 0;\n"
                            "  Real x(start = exp(s)*b, fixed = true);\n"
                            "  Real v(start = sin(a*s), fixed = true);\n"
                            "equation\n"
                            "  der(x) = v;\n"
                            "  der(v) = -0.1*v - a*x - b*x^3 + (1 + a*s)*force;\n"
                            "end Duffing;\n";

static const char *const PROBLEMS[] = {
    "experiments:\n"
    "  - {data: one.csv, measure: {x: x, v: v}, inputs: {force: F}}\n"
    "estimate: {a: 0.8, b: 0.3, s: 0.35}\n",
    "criterion: integral\n"
    "options: {interpolation: spline}\n"
    "experiments:\n"
    "  - {data: one.csv, measure: {x: x}, inputs: {force: F}}\n"
    "  - {data: two.csv, measure: {v: v}, inputs: {force: F}, window: [1, 7]}\n"
    "estimate: {a: {start: 0.8, per_experiment: true}, b: 0.3, x.start: 0.9}\n",
    "options: {interpolation: hold}\n"
    "experiments:\n"
    "  - data: one.csv\n"
    "    inputs: {force: F}\n"
    "    measure:\n"
    "      x: {column: x, sigma: 0.1, weight: 2}\n"
    "      'a*x + v^2*b - force*a': {column: v, sigma: 5%}\n"
    "estimate: {a: {start: 0.8, prior: {mean: 1, sd: 0.05}}, b: {start: 0.3, scale: log, min: "
    "0.1}}\n",
    "experiments:\n"
    "  - data: one.csv\n"
    "    inputs: {force: F}\n"
    "    measure:\n"
    "      x: {column: x, gain: {start: 1.1, min: 0.5, max: 2}, offset: {start: 0.1, min: -1, max: "
    "1}}\n"
    "      v: {column: v, delay: {start: 0.13, min: 0, max: 1}}\n"
    "estimate: {a: 0.8, b: 0.3}\n",
    // Many samples of v are from before the start.
    "options: {interpolation: spline}\n"
    "experiments:\n"
    "  - data: one.csv\n"
    "    window: [0, 6]\n"
    "    inputs: {force: F}\n"
    "    measure: {x: x, v: {column: v, delay: {start: 2.737, min: 0, max: 3}}}\n"
    "estimate: {a: 0.8, b: 0.3}\n",
    // What is measured follows the input at once, and the delay is a number of the model.
    "experiments:\n"
    "  - data: one.csv\n"
    "    inputs: {force: F}\n"
    "    measure: {force*a - a*x: {column: v, delay: {start: 0.57, min: 0, max: 1}, gain: 1.2}}\n"
    "estimate: {a: 0.8, b: 0.3}\n",
    "loss: huber\n"
    "experiments:\n"
    "  - {data: one.csv, measure: {x: {column: x, sigma: 0.2}}, inputs: {force: F}}\n"
    "estimate: {a: 0.8, b: 0.3}\n",
    "options: {solver: rosenbrock}\n"
    "experiments:\n"
    "  - {data: one.csv, measure: {x: x, v: v}, inputs: {force: F}}\n"
    "estimate: {a: 0.8, b: 0.3, s: 0.35}\n",
};

typedef struct Fixture {
  Made made;
  Evaluation *evaluation;
  double x[HAND_MOST];
} Fixture;

static void open_problem(Fixture *f, const char *text) {
  char yaml[2000];
  snprintf(yaml, sizeof yaml, "model: duffing.mo\n%s", text);
  made_open(&f->made);
  made_file(&f->made, "duffing.mo", MODEL);
  made_waves(&f->made, "one.csv", 0, 101);
  made_waves(&f->made, "two.csv", 0.4, 81);
  Problem *p = made_load(&f->made, yaml);
  p->simulate.rel_tol = 1e-11;
  p->simulate.abs_tol = 1e-13;
  f->evaluation = evaluation_new(p);
  for (int i = 0; i < p->unknown_count; i++) f->x[i] = p->unknowns[i].start;
}

static void close_problem(Fixture *f) {
  evaluation_free(f->evaluation);
  made_close(&f->made);
}

// With the Huber loss the steps must not move residuals across its limit.
static void it_is_that_of_differences_whatever_is_asked_for(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof PROBLEMS / sizeof *PROBLEMS; k++) {
    Fixture f;
    open_problem(&f, PROBLEMS[k]);
    check_laws(f.evaluation, f.x, strstr(PROBLEMS[k], "huber") ? 1e-5 : STEP, 1e-5);
    close_problem(&f);
  }
}

static void refused(const char *model, const char *problem, bool ever, const char *word) {
  for (int way = HESSIAN_FORWARD; way <= HESSIAN_ADJOINT; way++) {
    Made made;
    made_open(&made);
    made_file(&made, "duffing.mo", model);
    made_waves(&made, "one.csv", 0, 21);
    Evaluation *o = evaluation_new(made_load(&made, problem));
    Hessian *h = hessian_new(o->fitting, (HessianWay)way);
    double x[3] = {0.8, 0.3, 0.5}, value, gradient[3], H[9];
    assert_int_equal(hessian_exists(h), ever);
    assert_int_equal(hessian_eval(h, o->work, &o->spec, x, &value, gradient, H), EVAL_FAILED);
    assert_true(value == HUGE_VAL);
    if (!strstr(hessian_why(h), word)) print_error("%s\n", hessian_why(h));
    assert_non_null(strstr(hessian_why(h), word));
    hessian_free(h);
    evaluation_free(o);
    made_close(&made);
  }
}

#define KINK(law)                                                                                  \
  "model Kink\n"                                                                                   \
  "  parameter Real a = 0.5;\n"                                                                    \
  "  Real x(start = 1, fixed = true);\n"                                                           \
  "equation\n"                                                                                     \
  "  der(x) = " law ";\n"                                                                          \
  "end Kink;\n"

static const char KINK_PROBLEM[] = "model: duffing.mo\n"
                                   "experiments: [{data: one.csv, measure: {abs(x - 0.43): x}}]\n"
                                   "estimate: {a: {start: 0.8, min: -9, max: 9}}\n";

static void what_it_cannot_do_it_says(void **state) {
  (void)state;
  refused(KINK("if x > a then -x else -2*x"), KINK_PROBLEM, true, "'x > a' in line 5");
  refused(KINK("if time > a then -x else -2*x"), KINK_PROBLEM, true, "'time > a' in line 5");
  refused(KINK("-noEvent(abs(x - a)) - 1"), KINK_PROBLEM, true, "'x - a < 0' changes");
  refused(KINK("-noEvent(max(x, 0.2*a)) - 0.1"), KINK_PROBLEM, true, "crosses a kink");
  refused(MODEL,
          "model: duffing.mo\n"
          "options: {interpolation: spline}\n"
          "experiments:\n"
          "  - data: one.csv\n"
          "    inputs: {force: F}\n"
          "    measure: {x + force: {column: x, delay: {start: 0.1, min: 0, max: 1}}}\n"
          "estimate: {a: 0.8}\n",
          false, "delay of 'x + force'");
}

// Nor do events and kinks matter that are not met, or that nothing moves.
static void kinks_that_do_not_move_are_harmless(void **state) {
  (void)state;
  static const char *const LAWS[] = {
      KINK("if x > -a then -a*x else -2*x"),
      KINK("-noEvent(abs(x + a))*x"),
      KINK("if time > 0.63 then -a*x else -2*a*x"),
      KINK("(if noEvent(time > 0.63) then 1 else 2)*(-a*x*x)"),
  };
  for (size_t k = 0; k < sizeof LAWS / sizeof *LAWS; k++) {
    Made made;
    made_open(&made);
    made_file(&made, "duffing.mo", LAWS[k]);
    made_waves(&made, "one.csv", 0, 21);
    Problem *p = made_load(&made, KINK_PROBLEM);
    p->simulate.rel_tol = 1e-10, p->simulate.abs_tol = 1e-12;
    Evaluation *o = evaluation_new(p);
    check_laws(o, (double[]){0.8}, STEP, 1e-5);
    evaluation_free(o);
    made_close(&made);
  }
}

static bool stop_at_once(void *data) {
  (void)data;
  return false;
}

static void failures_and_stops_are_told(void **state) {
  (void)state;
  Fixture f;
  open_problem(&f, "experiments: [{data: one.csv, measure: {x: x}, inputs: {force: F}}]\n"
                   "estimate: {b: {start: -5, min: -9, max: 1}}\n");
  Evaluation *o = f.evaluation;
  Hessian *h = hessian_new(o->fitting, HESSIAN_AUTO);
  double value, gradient[1], H[1];
  assert_int_equal(hessian_eval(h, o->work, &o->spec, f.x, &value, gradient, H), EVAL_FAILED);
  assert_true(value == HUGE_VAL && strlen(hessian_why(h)) > 20);
  Patience patience = {.goes_on = stop_at_once};
  patience_begin(&patience);
  assert_int_equal(hessian_eval(h, o->work, &o->spec, f.x, &value, gradient, H), EVAL_STOPPED);
  patience_end(&patience);
  hessian_free(h);
  close_problem(&f);
}

static void work_is_counted_in_simulations_of_first_order(void **state) {
  (void)state;
  Fixture f;
  open_problem(&f, PROBLEMS[0]);
  static At at;
  const WorkCount *work = &f.evaluation->budget.used;
  evaluate_at(f.evaluation, HESSIAN_FORWARD, f.x, &at);
  assert_int_equal(work->sensitivity_simulations, 1 + 1 + 3);
  long rhs = work->rhs;
  evaluate_at(f.evaluation, HESSIAN_ADJOINT, f.x, &at);
  assert_int_equal(work->sensitivity_simulations, 1 + 1 + 3 + 3);
  assert_true(work->rhs > rhs);
  close_problem(&f);
}

// The same model, asked for again and again, does not make the graph grow.
static void another_one_costs_no_memory(void **state) {
  (void)state;
  Hand *h = hand_of(&CASES[2]);
  Evaluation *o = evaluation_new(&h->problem);
  static At at;
  for (int way = HESSIAN_FORWARD; way <= HESSIAN_ADJOINT; way++) {
    evaluate_at(o, (HessianWay)way, CASES[2].x, &at);
    int nodes = h->problem.model->graph->count;
    evaluate_at(o, (HessianWay)way, CASES[2].x, &at);
    assert_int_equal(h->problem.model->graph->count, nodes);
  }
  evaluation_free(o);
  hand_done(h);
}

// 99 parameters have 4950 pairs.
static bool has_second_derivatives(void *data, double expressions) {
  (void)data;
  enum { PARAMETERS = 99 };
  static char model[40000], problem[10000];
  int states = (int)round(expressions / (PARAMETERS * (PARAMETERS + 1) / 2));
  size_t m = (size_t)sprintf(model, "model Many\n"), p = (size_t)sprintf(problem, "%s", "");
  for (int k = 0; k < PARAMETERS; k++)
    m += (size_t)sprintf(model + m, "  parameter Real p%d = 1;\n", k);
  for (int i = 0; i < states; i++)
    m += (size_t)sprintf(model + m, "  Real x%d(start = 1, fixed = true);\n", i);
  m += (size_t)sprintf(model + m, "equation\n");
  for (int i = 0; i < states; i++)
    m += (size_t)sprintf(model + m, "  der(x%d) = -p%d*x%d;\n", i, i % PARAMETERS, i);
  sprintf(model + m, "end Many;\n");
  p += (size_t)sprintf(
      problem, "model: many.mo\nexperiments: {data: one.csv, measure: {x0: x}}\nestimate:\n");
  for (int k = 0; k < PARAMETERS; k++) p += (size_t)sprintf(problem + p, "  p%d: 1\n", k);
  Made made;
  made_open(&made);
  made_file(&made, "many.mo", model);
  made_waves(&made, "one.csv", 0, 21);
  Evaluation *o = evaluation_new(made_load(&made, problem));
  Hessian *h = hessian_new(o->fitting, HESSIAN_AUTO);
  bool exists = hessian_exists(h);
  assert_int_equal(exists, !strstr(hessian_why(h), "expressions"));
  hessian_free(h);
  evaluation_free(o);
  made_close(&made);
  return exists;
}

static void too_many_expressions_are_refused(void **state) {
  (void)state;
  assert_threshold(has_second_derivatives, NULL, 5e5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_that_of_differences),
      cmocka_unit_test(it_is_that_of_differences_under_constraints),
      cmocka_unit_test(it_does_not_depend_on_how_constraints_are_kept),
      cmocka_unit_test(at_an_exact_fit_it_is_that_of_gauss_and_newton),
      cmocka_unit_test(it_is_that_of_differences_whatever_is_asked_for),
      cmocka_unit_test(what_it_cannot_do_it_says),
      cmocka_unit_test(kinks_that_do_not_move_are_harmless),
      cmocka_unit_test(failures_and_stops_are_told),
      cmocka_unit_test(work_is_counted_in_simulations_of_first_order),
      cmocka_unit_test(another_one_costs_no_memory),
      cmocka_unit_test(too_many_expressions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
