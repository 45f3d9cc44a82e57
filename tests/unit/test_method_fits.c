// Whole fits by single methods: what the tests of the methods, who know nothing of models, cannot see.
#include "hand_problem.h"
#include "made_problem.h"
#include "num/random.h"
#include "search/fit.h"
#include "test.h"

// ---- newton, and the others beside it

static const char OSCILLATOR[] =
    "model Oscillator\n"
    "  parameter Real k = 4; parameter Real c = 0.2;\n"
    "  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
    "equation\n"
    "  der(x) = v;\n"
    "  der(v) = -k*x - c*v;\n"
    "end Oscillator;\n";

// k = 4, c = 0.2, with noise of 0.05 that repeats.
static Problem *open_oscillator(Made *m, const char *estimate, const char *more) {
  static char text[20000], yaml[600];
  Random random;
  random_seed(&random, 5);
  made_open(m);
  made_file(m, "model.mo", OSCILLATOR);
  int used = snprintf(text, sizeof text, "t,x\n");
  for (int i = 0; i <= 200; i++) {
    double t = 0.05 * i, w = sqrt(4 - 0.01),
           x = exp(-0.1 * t) * (cos(w * t) + 0.1 / w * sin(w * t));
    used += snprintf(text + used, sizeof text - (size_t)used, "%.2f,%.12g\n", t,
                     x + 0.05 * random_normal(&random));
  }
  made_file(m, "data.csv", text);
  snprintf(yaml, sizeof yaml,
           "model: model.mo\nexperiments: {data: data.csv, measure: {x: {column: x%s}}}\n"
           "estimate: {%s}\n%s\n",
           strstr(more, "huber") ? ", sigma: 0.05" : "", estimate, more);
  return made_load(m, yaml);
}

static void fits_end_where_those_of_lm_do(void **state) {
  (void)state;
  static const char *const CASES[][2] = {
      {"k: {start: 4.4, min: 0.1, max: 50}, c: {start: 0.5, min: 0, max: 5}", ""},
      {"k: {start: 4.4, min: 0.1, max: 50, scale: log}, c: {start: 0.5, min: 0.01, scale: log}",
       ""},
      {"k: {start: 4.4, prior: {mean: 4.2, sd: 0.05}}, c: {start: 0.5, prior: {mean: 1, sd: 0.1}}",
       ""},
      {"k: {start: 4.4, min: 4.1, max: 50}, c: {start: 0.5, min: 0.3}", ""}, // at their bounds
      {"k: {start: 4.4}, c: {start: 0.5}", "loss: huber"},
      {"k: {start: 4.4}, c: {start: 0.5}", "criterion: integral"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Made m;
    Problem *p = open_oscillator(&m, CASES[i][0], CASES[i][1]);
    p->method = METHOD_LM;
    FitResult *lm = fit_run(p, NULL, NULL, NULL);
    p->method = METHOD_NEWTON;
    FitResult *r = fit_run(p, NULL, NULL, NULL);
    assert_int_equal(r->outcome, FIT_CONVERGED);
    assert_close_relative(r->objective, lm->objective, 1e-9);
    for (int k = 0; k < 2; k++) assert_close_relative(r->x[k], lm->x[k], 1e-5);
    assert_null(strstr(r->message, "linear residuals"));
    assert_true(r->work.iterations < 12);
    fit_free(lm);
    fit_free(r);
    made_close(&m);
  }
}

static bool count_down(void *data, const FitProgress *p) {
  int *left = data;
  assert_non_null(p->x);
  return --*left > 0;
}

// From farther away steps that nothing checks wander, and rounding decides where to.
static const char NEAR[] = "k: {start: 4.2}, c: {start: 0.3}";

static void fits_stop_at_any_moment_with_the_best_point(void **state) {
  (void)state;
  for (int fd = 0; fd < 2; fd++) {
    Made m;
    Problem *p = open_oscillator(&m, NEAR, "");
    p->method = fd ? METHOD_NEWTON_FD : METHOD_NEWTON;
    p->options.target_objective = fd ? 1 : 0;
    p->options.step_factor = 0.3; // whole steps of newton-fd go anywhere
    double last = HUGE_VAL;
    FitOutcome outcome = FIT_STOPPED;
    for (int most = 1; outcome == FIT_STOPPED; most++) {
      int left = most;
      FitResult *r = fit_run(p, NULL, count_down, &left);
      outcome = r->outcome;
      if (outcome == FIT_STOPPED) assert_int_equal(left, 0);
      assert_true(r->objective <= last || last == HUGE_VAL);
      last = r->objective;
      fit_free(r);
    }
    assert_true(last < 1);
    p->options.max_simulations = 3;
    FitResult *r = fit_run(p, NULL, NULL, NULL);
    assert_int_equal(r->outcome, FIT_BUDGET);
    assert_true(r->objective < HUGE_VAL);
    fit_free(r);
    made_close(&m);
  }
}

static void a_fit_says_where_second_derivatives_were_missing(void **state) {
  (void)state;
  Made m;
  open_oscillator(&m, "k: {start: 4.4}, c: {start: 0.5}", "");
  problem_free(m.problem);
  made_file(
      &m, "model.mo",
      "model Stop\n  parameter Real k = 4; parameter Real c = 0.2;\n"
      "  Real x(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
      "equation\n  der(x) = v;\n  der(v) = -k*x - (if x > 0.9 then 2*c else c)*v;\nend Stop;\n");
  Problem *p = made_load(&m, "model: model.mo\nexperiments: {data: data.csv, measure: {x: x}}\n"
                             "estimate: {k: 4.4, c: 0.5}\nmethod: newton\n");
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_int_equal(r->outcome, FIT_CONVERGED);
  assert_non_null(strstr(r->message, "linear residuals"));
  assert_non_null(strstr(r->message, "events"));
  fit_free(r);
  made_close(&m);
}

static void a_target_objective_ends_each_local_method(void **state) {
  (void)state;
  Made m;
  Problem *p = open_oscillator(&m, NEAR, "options: {target_objective: 1}");
  static const Method METHODS[] = {METHOD_LM, METHOD_GAUSS_NEWTON, METHOD_NEWTON, METHOD_NEWTON_FD};
  for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
    p->method = METHODS[i];
    if (METHODS[i] == METHOD_NEWTON_FD) p->options.step_factor = 0.3; // whole steps go anywhere
    FitResult *r = fit_run(p, NULL, NULL, NULL);
    assert_string_equal(local_end_word(r->end), "target");
    assert_true(r->objective <= 1 && r->work.iterations > 0);
    fit_free(r);
  }
  p->method = METHOD_HOMOTOPY;
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_true(r->end != LOCAL_TARGET_END);
  fit_free(r);
  made_close(&m);
}

// ---- simulations that are rounded to three digits

// A car that brakes in a straight line, after Butz and others, SIAM News 33 (2000): the friction of the four brakes is found
// from the speeds of the wheels.
static const char BRAKING[] =
    "model Braking\n"
    "  parameter Real mu1 = 0.1954, mu2 = 0.1772, mu3 = 0.1672, mu4 = 0.1669;\n"
    "  parameter Real m = 1520, J = 1.2, R = 0.31, Ff = 4000, Fr = 3450, B = 12, C = 1.5, D = "
    "1.1;\n"
    "  parameter Real cf = 62, cr = 30, pmax = 90;\n"
    "  Real u(start = 19.5, fixed = true);\n"
    "  Real w1(start = 62.9, fixed = true), w2(start = 62.9, fixed = true);\n"
    "  Real w3(start = 62.9, fixed = true), w4(start = 62.9, fixed = true);\n"
    "  Real p, F1, F2, F3, F4;\n"
    "equation\n"
    "  p = pmax*(1 - exp(-time/0.1))*(0.9 + 0.1*sin(6*time));\n"
    "  F1 = Ff*D*sin(C*atan(B*(w1*R - u)/(u + 0.5)));\n"
    "  F2 = Ff*D*sin(C*atan(B*(w2*R - u)/(u + 0.5)));\n"
    "  F3 = Fr*D*sin(C*atan(B*(w3*R - u)/(u + 0.5)));\n"
    "  F4 = Fr*D*sin(C*atan(B*(w4*R - u)/(u + 0.5)));\n"
    "  m*der(u) = F1 + F2 + F3 + F4;\n"
    "  J*der(w1) = -R*F1 - mu1*cf*p*tanh(w1);\n"
    "  J*der(w2) = -R*F2 - mu2*cf*p*tanh(w2);\n"
    "  J*der(w3) = -R*F3 - mu3*cr*p*tanh(w3);\n"
    "  J*der(w4) = -R*F4 - mu4*cr*p*tanh(w4);\n"
    "end Braking;\n";

static Hand *braking(uint64_t seed) {
  Hand *h = hand_text(BRAKING);
  static const char *const NAMES[] = {"mu1", "mu2", "mu3", "mu4"};
  for (int i = 0; i < 4; i++) hand_estimate(h, NAMES[i], -1, i < 2 ? 0.33 : 0.34, 0.05, 0.5);
  hand_experiment(h, (HandData){.channels = {"w1", "w2", "w3", "w4"},
                                .step = 0.024,
                                .count = 100,
                                .noise = 0.02,
                                .seed = seed});
  return h;
}

static double fitted(Hand *h, Method method, int digits, int derivatives, int model) {
  Problem *p = &h->problem;
  p->method = method;
  p->options.round_digits = digits;
  p->options.derivatives = derivatives;
  p->options.filter_model = model;
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  double V = r->objective;
  fit_free(r);
  return V;
}

// As the paper found: implicit filtering reaches a lower objective than Levenberg-Marquardt with forward differences.
static void rounded_simulations(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    Hand *h = braking(seed);
    double exact = fitted(h, METHOD_LM, 0, DERIVATIVES_SENSITIVITIES, 0);
    double smooth = fitted(h, METHOD_LM, 0, DERIVATIVES_FORWARD, 0);
    double lm = fitted(h, METHOD_LM, 3, DERIVATIVES_FORWARD, 0);
    assert_close_relative(smooth, exact, 1e-6); // without rounding both find it
    for (int model = FILTER_MODEL_GAUSS_NEWTON; model <= FILTER_MODEL_BFGS; model++) {
      double filter = fitted(h, METHOD_IMPLICIT_FILTERING, 3, DERIVATIVES_FORWARD, model);
      assert_true(filter < 0.95 * lm);
      assert_close_relative(filter, exact, model == FILTER_MODEL_GAUSS_NEWTON ? 0.01 : 0.03);
    }
    hand_done(h);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fits_end_where_those_of_lm_do),
      cmocka_unit_test(fits_stop_at_any_moment_with_the_best_point),
      cmocka_unit_test(a_fit_says_where_second_derivatives_were_missing),
      cmocka_unit_test(a_target_objective_ends_each_local_method),
      cmocka_unit_test(rounded_simulations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
