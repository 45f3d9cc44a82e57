// The pendulum with spring and damper of Frewin (2013), reduced by hand to its angle and as the paper has it, of index 3:
// trajectories, sensitivities, values of the objective, the tables of the finite-difference Newton method, and what methods
// with sensitivities need from the same starts. The figures were computed with exact integration; where the paper's own
// cannot be had (6.5.2, table 6d), nothing is claimed.
#include "known_truth.h"

static const char REDUCED[] =
    "model Reduced\n"
    "  parameter Real c = 6; parameter Real d = 2;\n"
    "  parameter Real m = 1; parameter Real l = 1; parameter Real IA = 1; parameter Real g = "
    "9.81;\n"
    "  Real alpha(start = 1.5707963267948966, fixed = true); Real w(start = 0, fixed = true);\n"
    "  Real y;\n"
    "equation\n"
    "  der(alpha) = w;\n"
    "  (IA + m*l^2)*der(w) = -(m*g + c)*l*sin(alpha) - d*l*cos(alpha)*w;\n"
    "  y = l - l*cos(alpha);\n"
    "end Reduced;\n";

static const char AS_PUBLISHED[] =
    "model AsPublished\n"
    "  parameter Real c = 6; parameter Real d = 2;\n"
    "  parameter Real m = 1; parameter Real l = 1; parameter Real IA = 1; parameter Real g = "
    "9.81;\n"
    "  Real alpha(start = 1.5707963267948966, fixed = true); Real w(start = 0, fixed = true);\n"
    "  Real y; Real vy; Real lam;\n"
    "equation\n"
    "  der(alpha) = w;\n"
    "  der(y) = vy;\n"
    "  (IA + m*l^2*cos(alpha)^2)*der(w) + l*sin(alpha)*lam\n"
    "    = 1/2*m*l^2*sin(2*alpha)*w^2 - c*l*sin(alpha) - d*l*cos(alpha)*w;\n"
    "  m*der(vy) - lam = -m*g;\n"
    "  l - l*cos(alpha) - y = 0;\n"
    "end AsPublished;\n";

static const char *model; // one of them: nearly all tests run on both

enum { SAMPLES = 81, ALPHA = 0, HEIGHT = 1, CHANNELS = 2 };

typedef struct Pendulum {
  Known known;
  const Problem *problem;
  char options[300];
} Pendulum;

// Samples every 0.1 s of the pendulum at (c, d), where both are free, or c alone while d = 2.
static void open_pendulum(Pendulum *q, double c, double d, bool both, const char *options) {
  snprintf(q->options, sizeof q->options, "%s", options);
  q->known = (Known){.text = model,
                     .measured = {"alpha", "y"},
                     .stop = 8,
                     .step = 0.1,
                     .estimate = both ? "c: {start: 1, max: 1000}, d: {start: 1, max: 1000}"
                                      : "c: {start: 1, max: 1000}",
                     .truth = {c, d},
                     .options = q->options};
  known_open(&q->known);
  q->problem = q->known.problem;
  assert_int_equal(q->problem->experiments[0].channels[ALPHA].count, SAMPLES);
}

static void close_pendulum(Pendulum *q) {
  known_close(&q->known);
}

static FitResult *fit_from(const Pendulum *q, double c, double d) {
  return fit_run(q->problem, (double[]){c, d}, NULL, NULL);
}

// ---------------------------------------------------------------- what is simulated

typedef struct Motion {
  double value[CHANNELS][SAMPLES];
  double slope[CHANNELS][2][SAMPLES]; // by c and d
  const Problem *problem;
  bool slopes;
} Motion;

static void take(void *data, const ResidualBlock *b) {
  Motion *m = data;
  const Channel *c = &m->problem->experiments[0].channels[b->channel];
  for (int j = 0; j < b->rows; j++) {
    int at = b->first + j;
    m->value[b->channel][at] = b->column[2][j] + c->y[at];
    for (int i = 0; m->slopes && i < 2; i++) m->slope[b->channel][i][at] = b->column[i][j];
  }
}

static Motion motion_of(Evaluation *o, const Problem *p, const double *x, bool slopes) {
  Motion m = {.problem = p, .slopes = slopes};
  bool ok = evaluation_rows(o, x, slopes, take, &m);
  assert_true(ok);
  return m;
}

static void the_motion_is_that_of_the_reference(void **state) {
  (void)state;
  static const double REFERENCE[][8] = {
      // c, d, alpha at 1, 2, 4, 8, y at 1, 2
      {6, 2, -.721222, .184005, -.118766, -.029222, .249000, .016881},
      {0, 0, -.499188, -1.311246, .565901, -1.233452, .122028, .743354},
      {2, 1, -.575965, -.456874, -.544393, .217511, .161333, .102564},
      {1, 2, -.311709, -.402578, -.155898, .011179, .048189, .079946},
      {1, 3, -.184389, -.293397, -.043953, -.000660, .016952, .042733},
      {100, 100, .334156, .106649, .011255, .000126, .055313, .005682},
  };
  Pendulum q;
  open_pendulum(&q, 6, 2, true, "");
  Evaluation *o = evaluation_new(q.problem);
  for (size_t k = 0; k < sizeof REFERENCE / sizeof *REFERENCE; k++) {
    const double *r = REFERENCE[k];
    Motion m = motion_of(o, q.problem, r, false);
    static const int AT[] = {10, 20, 40, 80};
    for (int i = 0; i < 4; i++) assert_close(m.value[ALPHA][AT[i]], r[2 + i], 1e-5);
    for (int i = 0; i < 2; i++) assert_close(m.value[HEIGHT][AT[i]], r[6 + i], 1e-5);
    for (int i = 0; i < SAMPLES; i++)
      assert_close(m.value[HEIGHT][i], 1 - cos(m.value[ALPHA][i]), 1e-8);
  }
  evaluation_free(o);
  close_pendulum(&q);
}

static void sensitivities_are_those_of_the_reference(void **state) {
  (void)state;
  static const struct {
    double x[2];
    int channel, by;
    double at[5]; // 0.5, 1, 2, 4, 8
  } REFERENCE[] = {
      {{6, 2}, ALPHA, 0, {-.052220, -.060873, .105836, .073356, -.010107}},
      {{6, 2}, HEIGHT, 0, {-.031811, .040195, .019365, -.008692, .000295}},
      {{6, 2}, ALPHA, 1, {.019747, .186767, -.093188, .109454, .060146}},
      {{100, 100}, ALPHA, 0, {-.003697, -.003625, -.002237, -.000471, -.000011}},
  };
  Pendulum q;
  open_pendulum(&q, 6, 2, true, "");
  Evaluation *o = evaluation_new(q.problem);
  for (size_t k = 0; k < sizeof REFERENCE / sizeof *REFERENCE; k++) {
    static const int AT[] = {5, 10, 20, 40, 80};
    Motion m = motion_of(o, q.problem, REFERENCE[k].x, true);
    for (int i = 0; i < 5; i++)
      assert_close(m.slope[REFERENCE[k].channel][REFERENCE[k].by][AT[i]], REFERENCE[k].at[i], 1e-5);
  }
  evaluation_free(o);
  close_pendulum(&q);
}

static void sensitivities_are_central_differences(void **state) {
  (void)state;
  const double x[] = {6, 2}, h = 1e-3;
  Pendulum q;
  open_pendulum(&q, 6, 2, true, "options: {rel_tol: 1e-11, abs_tol: 1e-13}");
  Evaluation *o = evaluation_new(q.problem);
  Motion m = motion_of(o, q.problem, x, true);
  for (int i = 0; i < 2; i++) {
    double up[] = {x[0], x[1]}, down[] = {x[0], x[1]};
    up[i] += h, down[i] -= h;
    Motion above = motion_of(o, q.problem, up, false), below = motion_of(o, q.problem, down, false);
    for (int c = 0; c < CHANNELS; c++) {
      double most = 0;
      for (int j = 0; j < SAMPLES; j++) most = fmax(most, fabs(m.slope[c][i][j]));
      for (int j = 0; j < SAMPLES; j++)
        assert_close(m.slope[c][i][j], (above.value[c][j] - below.value[c][j]) / (2 * h),
                     1e-5 * most);
    }
  }
  evaluation_free(o);
  close_pendulum(&q);
}

static void the_objective_has_the_reference_values(void **state) {
  (void)state;
  static const struct {
    double truth[2], x[2], V, digit;
  } VALUES[] = {
      {{10, 10}, {0, 10}, 1.13547, 1e-5},     {{10, 10}, {20, 10}, .32169, 1e-5},
      {{10, 10}, {10, 0}, 61.6231, 1e-4},     {{10, 10}, {10, 5}, .59958, 1e-5},
      {{10, 10}, {10, 20}, .66253, 1e-5},     {{100, 100}, {50, 50}, .03426, 1e-5},
      {{100, 100}, {200, 200}, .01716, 1e-5}, {{5, 1}, {0, 0}, 64.735, 1e-3},
      {{5, 1}, {10, 1}, 11.096, 1e-3},        {{5, 1}, {5, 2}, 2.4761, 1e-4},
      {{6, 2}, {6.2, 1.8}, .0529382, 1e-7},
  };
  for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
    Pendulum q;
    open_pendulum(&q, VALUES[i].truth[0], VALUES[i].truth[1], true, "");
    double V = objective_at(q.problem, VALUES[i].x);
    assert_close(V, VALUES[i].V, fmax(1e-4 * V, VALUES[i].digit / 2));
    close_pendulum(&q);
  }
}

// ---------------------------------------------------------------- the tables of the paper

typedef struct Published {
  const char *name;
  int n; // numbers: c and d, or c alone
  double truth[2], start[2];
  const char *options;
  int updates;        // steps; the paper counts one more in 6.5.1 and tables 6 and 8
  int simulations;    // without sensitivities
  double found[2], V; // where it stops
} Published;

#define TENTH "step_factor: 0.1"

static const Published TABLES[] = {
    {"6.5.1", 2, {6, 2}, {6.2, 1.8}, TENTH, 37, 186, {5.9943, 1.9903}, 9.318e-5},
    {"6.5.1, whole", 2, {6, 2}, {6.2, 1.8}, "", 2, 11, {5.9875, 1.9933}, 5.867e-5},
    {"6a", 2, {10, 10}, {0, 0}, "", 22, 111, {9.8198, 9.8793}, 8.244e-5},
    {"6b", 2, {10, 10}, {20, 20}, "", 23, 116, {9.8261, 9.8835}, 7.674e-5},
    {"6c", 2, {10, 10}, {0, 20}, "", 23, 116, {9.8212, 9.8803}, 8.115e-5},
    {"8, below", 1, {6}, {1}, "", 4, 13, {5.9937}, 4.894e-6},
    {"8, above", 1, {6}, {10}, "", 5, 16, {5.9950}, 3.144e-6},
    {"9", 1, {6}, {6.2}, TENTH ", fd_gradient: sensitivities", 19, 38, {6.0266}, 8.824e-5},
    {"9, differences", 1, {6}, {6.2}, TENTH, 18, 55, {6.0254}, 8.008e-5},
    {"9, smaller", 1, {6}, {6.2}, TENTH ", fd_step: 0.004", 18, 55, {6.0280}, 9.72e-5},
};

static void differences_take_the_published_steps(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof TABLES / sizeof *TABLES; k++) {
    const Published *t = &TABLES[k];
    Pendulum q;
    char options[200];
    snprintf(options, sizeof options,
             "method: newton-fd\noptions: {rel_tol: 1e-10, abs_tol: 1e-12, target_objective: 1e-4, "
             "fd_clip: on%s%s}",
             *t->options ? ", " : "", t->options);
    open_pendulum(&q, t->truth[0], t->truth[1], t->n == 2, options);
    FitResult *r = fit_from(&q, t->start[0], t->start[1]);
    assert_fit(r->end == LOCAL_TARGET_END, t->name, r);
    assert_fit(r->work.iterations == t->updates, t->name, r);
    assert_fit(r->work.simulations == t->simulations, t->name, r);
    for (int i = 0; i < t->n; i++) assert_fit(fabs(r->x[i] - t->found[i]) < 1e-4, t->name, r);
    assert_fit(fabs(r->objective - t->V) < 1e-3 * t->V, t->name, r);
    fit_free(r);
    close_pendulum(&q);
  }
}

static bool note_lowest(void *data, const FitProgress *p) {
  double *lowest = data;
  for (int i = 0; i < 2; i++) *lowest = fmin(*lowest, p->x[i]);
  return true;
}

// The first step from there leads to c = -8.7.
static void clipping_keeps_numbers_from_becoming_negative(void **state) {
  (void)state;
  for (int clip = 0; clip < 2; clip++) {
    Pendulum q;
    double lowest = 1;
    char options[200];
    snprintf(options, sizeof options,
             "method: newton-fd\noptions: {max_iterations: 1, fd_clip: %s}", clip ? "on" : "off");
    open_pendulum(&q, 6, 2, true, options);
    FitResult *r = fit_run(q.problem, (double[]){11, 2}, note_lowest, &lowest);
    assert_true(clip ? lowest == 0 : lowest < -1);
    fit_free(r);
    close_pendulum(&q);
  }
}

// ---------------------------------------------------------------- with sensitivities

typedef struct Start {
  const char *name;
  double truth[2], from[2];
  int solves; // that a Newton method with exact second derivatives needed until V < 1e-20
} Start;

static const Start STARTS[] = {
    {"6.5.1", {6, 2}, {6.2, 1.8}, 5}, {"6.5.2", {2, 2}, {20, 20}, 15},
    {"6a", {10, 10}, {0, 0}, 15},     {"6b", {10, 10}, {20, 20}, 11},
    {"6c", {10, 10}, {0, 20}, 13},    {"6d", {10, 10}, {20, 1}, 12},
};
enum { START_COUNT = sizeof STARTS / sizeof *STARTS };

static void first_derivatives_find_the_truth_from_every_start(void **state) {
  (void)state;
  static const char *const METHODS[] = {"gauss-newton\noptions: {line_search: on}", "lm"};
  for (int k = 0; k < START_COUNT; k++)
    for (int j = 0; j < 2; j++) {
      char options[80];
      Pendulum q;
      snprintf(options, sizeof options, "method: %s", METHODS[j]);
      open_pendulum(&q, STARTS[k].truth[0], STARTS[k].truth[1], true, options);
      FitResult *r = fit_from(&q, STARTS[k].from[0], STARTS[k].from[1]);
      assert_fit(largest_error(r, STARTS[k].truth) < 1e-6, STARTS[k].name, r);
      assert_fit(solves(r) <= 20, STARTS[k].name, r);
      assert_fit(r->fits, STARTS[k].name, r);
      fit_free(r);
      close_pendulum(&q);
    }
}

// One simulation with sensitivities for each point that is tried, and second derivatives for each step.
static void second_derivatives_find_the_truth_from_every_start(void **state) {
  (void)state;
  for (int k = 0; k < START_COUNT; k++)
    for (int adjoint = 0; adjoint < 2; adjoint++) {
      char options[200];
      Pendulum q;
      snprintf(options, sizeof options,
               "method: newton\noptions: {rel_tol: 1e-12, abs_tol: 1e-13, step_tol: 1e-10, "
               "target_objective: 1e-20, newton_hessian: %s}",
               adjoint ? "adjoint" : "forward");
      open_pendulum(&q, STARTS[k].truth[0], STARTS[k].truth[1], true, options);
      FitResult *r = fit_from(&q, STARTS[k].from[0], STARTS[k].from[1]);
      long each = adjoint ? 3 : 4; // of a Hessian
      long tried = r->work.sensitivity_simulations - each * r->work.iterations;
      assert_fit(r->objective < 1e-20, STARTS[k].name, r);
      assert_fit(largest_error(r, STARTS[k].truth) < 1e-6, STARTS[k].name, r);
      assert_fit(tried <= STARTS[k].solves + 1, STARTS[k].name, r);
      assert_fit(!strstr(r->message, "linear residuals"), STARTS[k].name, r);
      fit_free(r);
      close_pendulum(&q);
    }
}

// 99 starts over [0, 25]^2; differences find the truth from fewer than a third of them.
static void all_starts_of_a_grid_lead_to_the_truth(void **state) {
  (void)state;
  static const Method METHODS[] = {METHOD_LM, METHOD_NEWTON};
  const double truth[] = {6, 2};
  Pendulum q;
  open_pendulum(&q, truth[0], truth[1], true, "");
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 11 * 9; i++) {
      q.known.problem->method = METHODS[k];
      int row = i / 9, column = i % 9;
      FitResult *r = fit_from(&q, 2.5 * row, 3.125 * column);
      assert_fit(largest_error(r, truth) < 1e-5, method_word(METHODS[k]), r);
      assert_fit(r->work.iterations <= 20, method_word(METHODS[k]), r);
      fit_free(r);
    }
  close_pendulum(&q);
}

#define TESTS                                                                                      \
  cmocka_unit_test(the_motion_is_that_of_the_reference),                                           \
      cmocka_unit_test(sensitivities_are_those_of_the_reference),                                  \
      cmocka_unit_test(sensitivities_are_central_differences),                                     \
      cmocka_unit_test(the_objective_has_the_reference_values),                                    \
      cmocka_unit_test(differences_take_the_published_steps),                                      \
      cmocka_unit_test(clipping_keeps_numbers_from_becoming_negative),                             \
      cmocka_unit_test(first_derivatives_find_the_truth_from_every_start),                         \
      cmocka_unit_test(second_derivatives_find_the_truth_from_every_start)

int main(void) {
  const struct CMUnitTest tests[] = {TESTS};
  const struct CMUnitTest reduced[] = {
      TESTS,
      cmocka_unit_test(all_starts_of_a_grid_lead_to_the_truth),
  };
  model = REDUCED;
  int failed = cmocka_run_group_tests_name("reduced to the angle", reduced, NULL, NULL);
  model = AS_PUBLISHED;
  return failed + cmocka_run_group_tests_name("as published", tests, NULL, NULL);
}
