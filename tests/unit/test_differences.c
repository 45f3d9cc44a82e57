// Slopes by differences are those of the sensitivity equations, within what their steps leave; any number of threads.
#include "evaluation.h"
#include "known_truth.h"

// Two experiments' worth of everything that slopes depend on: a start value, an offset, a nonlinear parameter.
static const char OSCILLATOR[] =
    "model Oscillator\n"
    "  parameter Real a(min = 0) = 2;\n  parameter Real b = 0.3;\n  parameter Real c = 0;\n"
    "  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\n"
    "equation\n  der(x) = v;\n  der(v) = -a*x - b*v + c*sin(time);\nend Oscillator;\n";

static const char UNKNOWNS[] =
    "a: {start: 1.7, min: 0.1, max: 9}, b: {start: 0.4, min: 0, max: 2}, "
    "c: {start: 0, min: 0, max: 1}, x.start: {start: 1.1, min: -4, max: 4}";

static Known oscillator_of(const char *unknowns, const char *options) {
  Known k = {.text = OSCILLATOR,
             .measured = {"x", "v"},
             .stop = 6,
             .step = 0.1,
             .estimate = unknowns,
             .truth = {2, 0.3, 0.2, 1},
             .options = options};
  known_open(&k);
  return k;
}

static Known oscillator(const char *options) {
  return oscillator_of(UNKNOWNS, options);
}

static LsqPoint *slopes_at(const Known *k, const double *x, Arena *a) {
  int n = k->problem->unknown_count;
  LsqPoint *p = lsq_point_new(a, n);
  memcpy(p->x, x, (size_t)n * sizeof *x);
  Evaluation *o = evaluation_new(k->problem);
  assert_int_equal(evaluation_point(o, p, true), EVAL_DONE);
  evaluation_free(o);
  return p;
}

static double gradient_of(const LsqPoint *p, int n, int i) {
  double sum = 0;
  for (int j = 0; j <= i; j++) sum += p->R[j * n + i] * p->Qr[j];
  return sum;
}

static double size_of_column(const LsqPoint *p, int n, int i) {
  double sum = 0;
  for (int j = 0; j <= i; j++) sum += p->R[j * n + i] * p->R[j * n + i];
  return sqrt(sum);
}

static void differences_agree_with_sensitivities(void **state) {
  (void)state;
  static const struct {
    const char *options;
    double tolerance;
  } WAYS[] = {{"options: {derivatives: forward}", 1e-2}, {"options: {derivatives: central}", 1e-3}};
  static const double POINTS[][4] = {{1.7, 0.4, 0.3, 1.1}, // inside
                                     {9, 0, 0, -4},        // at bounds
                                     {0.1, 2, 1, 4},
                                     {0.1000001, 1.9999999, 0.5, 0}}; // nearly so
  Known exact = oscillator("options: {}");
  for (int w = 0; w < 2; w++) {
    Known k = oscillator(WAYS[w].options);
    for (int m = 0; m < 4; m++) {
      Arena *a = arena_new();
      LsqPoint *p = slopes_at(&exact, POINTS[m], a), *q = slopes_at(&k, POINTS[m], a);
      assert_close_relative(p->objective, q->objective, 1e-6);
      for (int i = 0; i < 4; i++)
        assert_close(gradient_of(p, 4, i), gradient_of(q, 4, i),
                     WAYS[w].tolerance * size_of_column(p, 4, i) * sqrt(2 * p->objective));
      arena_free(a);
    }
    known_close(&k);
  }
  known_close(&exact);
}

// What curvature leaves in the slope by `a`, relative to the slope.
static double error_of_a(const char *options) {
  static const double AT[] = {1.7, 0.4, 0.3, 1.1};
  Known exact = oscillator("options: {}"), k = oscillator(options);
  Arena *a = arena_new();
  double right = gradient_of(slopes_at(&exact, AT, a), 4, 0);
  double error = gradient_of(slopes_at(&k, AT, a), 4, 0) / right - 1;
  arena_free(a);
  known_close(&k);
  known_close(&exact);
  return error;
}

static void errors_grow_with_the_step_that_is_given(void **state) {
  (void)state;
  double forward = error_of_a("options: {derivatives: forward, fd_step: 1e-3}");
  double twice = error_of_a("options: {derivatives: forward, fd_step: 2e-3}");
  assert_true(fabs(forward) > 1e-5);
  assert_close(twice / forward, 2, 0.05);
  double central = error_of_a("options: {derivatives: central, fd_step: 1e-2}");
  double wider = error_of_a("options: {derivatives: central, fd_step: 2e-2}");
  assert_true(fabs(central) > 1e-6);
  assert_close(wider / central, 4, 0.2);
}

// Steps in parts of their start values would change nothing that a simulation shows.
static void tiny_start_values_are_no_sizes(void **state) {
  (void)state;
  static const char *const WAYS[] = {"options: {derivatives: forward}",
                                     "options: {derivatives: central}"};
  static const double AT[] = {1.7, 1e-9, 1e-12, 1.1};
  const char *unknowns = "a: {start: 1.7, min: 0.1, max: 9}, b: {start: 1e-9, min: 1e-9, max: 2}, "
                         "c: {start: 1e-12, min: 1e-12, max: 1}, x.start: 1.1";
  Known exact = oscillator_of(unknowns, "options: {}");
  Arena *a = arena_new();
  LsqPoint *p = slopes_at(&exact, AT, a);
  for (int w = 0; w < 2; w++) {
    Known k = oscillator_of(unknowns, WAYS[w]);
    LsqPoint *q = slopes_at(&k, AT, a);
    for (int i = 0; i < 4; i++)
      assert_close_relative(gradient_of(p, 4, i), gradient_of(q, 4, i), 1e-2);
    known_close(&k);
  }
  arena_free(a);
  known_close(&exact);
}

static void one_unknown_can_have_a_step_of_its_own(void **state) {
  (void)state;
  static const double AT[] = {1.7, 0.4, 0.3, 1.1};
  Known usual = oscillator("options: {derivatives: forward, fd_step: 1e-3}");
  Known own = oscillator_of("a: {start: 1.7, min: 0.1, max: 9, fd_step: 2e-3}, "
                            "b: {start: 0.4, min: 0, max: 2}, c: {start: 0, min: 0, max: 1}, "
                            "x.start: {start: 1.1, min: -4, max: 4}",
                            "options: {derivatives: forward, fd_step: 1e-3}");
  Arena *a = arena_new();
  LsqPoint *p = slopes_at(&usual, AT, a), *q = slopes_at(&own, AT, a);
  assert_true(fabs(gradient_of(p, 4, 0) / gradient_of(q, 4, 0) - 1) > 1e-5);
  for (int i = 1; i < 4; i++)
    assert_close_relative(gradient_of(p, 4, i), gradient_of(q, 4, i), 1e-9);
  arena_free(a);
  known_close(&own);
  known_close(&usual);
}

static void the_number_of_threads_changes_nothing(void **state) {
  (void)state;
  static const double AT[] = {1.7, 0.4, 0.3, 1.1};
  static const char *const THREADS[] = {
      "options: {derivatives: central, threads: 1}", "options: {derivatives: central, threads: 2}",
      "options: {derivatives: central, threads: 3}", "options: {derivatives: central, threads: 8}"};
  Arena *a = arena_new();
  LsqPoint *first = NULL;
  for (int t = 0; t < 4; t++) {
    Known k = oscillator(THREADS[t]);
    LsqPoint *p = slopes_at(&k, AT, a);
    if (!first) first = p;
    assert_memory_equal(p->R, first->R, 16 * sizeof *p->R);
    assert_memory_equal(p->Qr, first->Qr, 4 * sizeof *p->Qr);
    known_close(&k);
  }
  arena_free(a);
}

static void a_fit_by_differences_finds_the_truth(void **state) {
  (void)state;
  Known k = oscillator("method: lm\noptions: {derivatives: forward, threads: 2}");
  FitResult *r = fit_run(k.problem, NULL, NULL, NULL);
  assert_int_equal(r->outcome, FIT_CONVERGED);
  for (int i = 0; i < 4; i++) assert_close(r->x[i], k.truth[i], 1e-5);
  assert_int_equal(r->work.sensitivity_simulations, 0);
  assert_true(r->work.simulations > 4 * r->work.iterations); // each step needs four columns
  assert_true(r->work.in_turn < r->work.simulations);
  fit_free(r);
  known_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_agree_with_sensitivities),
      cmocka_unit_test(errors_grow_with_the_step_that_is_given),
      cmocka_unit_test(tiny_start_values_are_no_sizes),
      cmocka_unit_test(one_unknown_can_have_a_step_of_its_own),
      cmocka_unit_test(the_number_of_threads_changes_nothing),
      cmocka_unit_test(a_fit_by_differences_finds_the_truth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
