#include "residual/observer.h"

#include <stdio.h>

#include "num/riccati.h"
#include "swings.h"
#include "threshold.h"

// The gains of the first experiment at the start values, by channel and state; NULL: there are none.
static const double *gains(const Fitting *f, Arena *a, const char **why) {
  const Problem *p = f->problem;
  double *x = ARENA_ARRAY(a, double, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) x[i] = p->unknowns[i].start;
  const FeedbackGains *g = observer_design(fitting_observer(f), a, x, NULL, why);
  return g ? g->gain[0] : NULL;
}

typedef struct Designed {
  Hand *hand;
  Fitting *fitting;
  Arena *arena;
  const double *gain;
  const char *why;
  double rms, omega; // of the first channel
} Designed;

static Designed design(Hand *h) {
  Designed d = {.hand = h, .fitting = fitting_new(&h->problem), .arena = arena_new()};
  const Channel *c = &h->experiments[0].channels[0];
  const ChannelFacts *facts = channel_facts(d.fitting->data, 0, 0);
  for (int i = 0; i < c->count; i++) d.rms += pow(c->y[i] - facts->mean, 2) / c->count;
  d.rms = sqrt(d.rms);
  d.omega = facts->frequency;
  d.gain = gains(d.fitting, d.arena, &d.why);
  return d;
}

static void design_done(Designed *d) {
  fitting_free(d->fitting);
  arena_free(d->arena);
  hand_done(d->hand);
}

static Hand *measured(const char *text, const char *channel, double step, int count) {
  Hand *h = hand_text(text);
  hand_experiment(h, (HandData){.channels = {channel}, .step = step, .count = count});
  hand_estimate(h, "p", -1, 1, 0.1, 10);
  return h;
}

// ---------------------------------------------------------------- one state

#define SWAY                                                                                       \
  "model Sway\n  parameter Real p = 1;\n  Real x(start = 0, fixed = true);\n"                      \
  "equation\n  der(x) = p*cos(time);\nend Sway;\n"

static void one_measured_state_gets_four_times_the_frequency(void **state) {
  (void)state;
  Designed d = design(measured(SWAY, "x", 0.05, 1601));
  assert_close_relative(d.gain[0], 4 * d.omega, 2e-3);
  assert_close_relative(d.gain[0], fitting_feedback(d.fitting)->gain[0], 2e-3); // as "pd"
  design_done(&d);
}

// R = sigma^2 dt: the gain is rms (omega/dt)^1/2 / sigma.
static void noise_makes_it_slower(void **state) {
  (void)state;
  Hand *h = measured(SWAY, "x", 0.05, 1601);
  Channel *c = &h->experiments[0].channels[0];
  c->sigma_kind = SIGMA_NUMBER, c->sigma = 4;
  Designed d = design(h);
  assert_close_relative(d.gain[0], d.rms * sqrt(d.omega / 0.05) / 4, 0.02);
  assert_true(d.gain[0] < d.omega);
  design_done(&d);
}

// ---------------------------------------------------------------- hidden states

#define CHAIN(scale)                                                                               \
  "model Chain\n  parameter Real p = 1;\n"                                                         \
  "  Real x(start = 1, fixed = true), v(start = 0, fixed = true), w(start = -" #scale              \
  ", fixed = true);\n"                                                                             \
  "equation\n  der(x) = v;\n  der(v) = w/" #scale ";\n"                                            \
  "  der(w) = " #scale "*p*sin(time);\nend Chain;\n"

// x''' = sin t: s = rms, rms omega, 4 rms omega^2, against the Riccati equation itself.
static void scales_follow_from_the_order_in_which_states_appear(void **state) {
  (void)state;
  Designed d = design(measured(CHAIN(1), "x", 0.05, 1601));
  static const double A[] = {0, 1, 0, 0, 0, 1, 0, 0, 0};
  double R = pow(d.rms / 4, 2) / d.omega, G[9] = {1 / R}, Q[9] = {0}, P[9] = {0};
  double s[] = {d.rms, d.rms * d.omega, 4 * d.rms * pow(d.omega, 2)};
  for (int i = 0; i < 3; i++) Q[4 * i] = d.omega * s[i] * s[i];
  RiccatiWork *w = riccati_new(d.arena, 3);
  for (int k = 0; k < 1600; k++) assert_true(riccati_step(w, A, G, Q, 0.05, P));
  for (int i = 0; i < 3; i++) assert_close_relative(d.gain[i], P[i] / R, 0.01);
  design_done(&d);
}

// A unit of a hidden state changes its gain, and nothing else.
static void the_coupled_motion_does_not_depend_on_units(void **state) {
  (void)state;
  Designed small = design(measured(CHAIN(1), "x", 0.05, 401));
  Designed large = design(measured(CHAIN(1000), "x", 0.05, 401));
  for (int i = 0; i < 3; i++)
    assert_close_relative(large.gain[i], small.gain[i] * (i == 2 ? 1000 : 1), 1e-6);
  double V[2], x = 3;
  for (int k = 0; k < 2; k++) {
    Designed *d = k ? &large : &small;
    EvalWork *w = eval_work_new(d->fitting, 1, NULL);
    EvalSpec spec = eval_spec(d->fitting, NULL);
    const char *why;
    double start = 1;
    spec.lambda = 1;
    spec.gains = observer_design(fitting_observer(d->fitting), d->arena, &start, NULL, &why);
    V[k] = evaluate_value(w, &spec, &x);
    spec.lambda = 0;
    assert_true(V[k] < 1e-3 * evaluate_value(w, &spec, &x));
    eval_work_free(w);
  }
  assert_close_relative(V[0], V[1], 1e-3);
  design_done(&small);
  design_done(&large);
}

// In order 4 (the fifth state) a state gets no noise of its own, and nothing moves it.
static void a_state_behind_many_others_is_left_alone(void **state) {
  (void)state;
  Designed d = design(measured(
      "model Long\n  parameter Real p = 1;\n  Real a(start = 1, fixed = true);\n"
      "  Real b(start = 0, fixed = true), c(start = 0, fixed = true), d(start = 1, fixed = true);\n"
      "  Real e(start = 1, fixed = true);\nequation\n  der(a) = b - a;\n  der(b) = c - b;\n"
      "  der(c) = d - c;\n  der(d) = e - d + sin(time);\n  der(e) = -p*e;\nend Long;\n",
      "a", 0.1, 201));
  assert_true(d.gain != NULL);
  for (int i = 0; i < 4; i++) assert_true(fabs(d.gain[i]) > 1e-3);
  assert_close(d.gain[4], 0, 0);
  design_done(&d);
}

// ---------------------------------------------------------------- where there is none

// A hidden state that grows and is never seen, at this rate over a record of 10.
static bool is_designed(void *data, double growth) {
  (void)data;
  char text[400];
  snprintf(text, sizeof text,
           "model Growing\n  parameter Real p = 1;\n  Real x(start = 0, fixed = true);\n"
           "  Real z(start = 1, fixed = true);\nequation\n  der(x) = p*cos(time);\n"
           "  der(z) = %.17g*z;\nend Growing;\n",
           log(growth) / 10);
  Designed d = design(measured(text, "x", 0.1, 101));
  bool designed = d.gain != NULL;
  if (!designed) assert_string_equal(d.why, "errors of the states grow in spite of it");
  design_done(&d);
  return designed;
}

static void errors_may_grow_by_the_root_of_ten(void **state) {
  (void)state;
  assert_threshold(is_designed, NULL, sqrt(10));
}

// A second channel that no state moves: it is missed by the square of p - 1, the mean of both by half of it.
static bool is_followed(void *data, double missed) {
  (void)data;
  Hand *h = hand_text("model Aside\n  parameter Real p = 1;\n  Real x(start = 0, fixed = true);\n"
                      "  Real y;\nequation\n  der(x) = cos(time);\n  y = p*cos(time);\n"
                      "end Aside;\n");
  hand_experiment(h, (HandData){.channels = {"x", "y"}, .step = 0.05, .count = 1257});
  hand_estimate(h, "p", -1, 1 + sqrt(2 * missed), 0.1, 10);
  Designed d = design(h);
  bool followed = d.gain != NULL;
  if (!followed) assert_string_equal(d.why, "the model does not follow the data with it");
  design_done(&d);
  return followed;
}

static void a_motion_that_misses_the_data_by_their_variation_has_none(void **state) {
  (void)state;
  assert_threshold(is_followed, NULL, 1);
}

static void a_motion_that_explodes_has_none(void **state) {
  (void)state;
  Hand *h = measured("model Exploding\n  parameter Real p = 0.001;\n"
                     "  Real x(start = 0, fixed = true), z(start = 1, fixed = true);\nequation\n"
                     "  der(x) = cos(time);\n  der(z) = p*z^2;\nend Exploding;\n",
                     "x", 0.1, 101);
  Designed d = design(h); // at p = 1 z is infinite at t = 1
  assert_null(d.gain);
  assert_string_equal(d.why, "the motion that its design follows diverges");
  design_done(&d);
}

static Hand *states(int count) {
  char text[4000];
  int at = snprintf(text, sizeof text, "model Many\n  parameter Real p = 1;\n");
  for (int i = 0; i < count; i++)
    at +=
        snprintf(text + at, sizeof text - (size_t)at, "  Real x%d(start = 1, fixed = true);\n", i);
  at += snprintf(text + at, sizeof text - (size_t)at, "equation\n  der(x0) = -p*x0;\n");
  for (int i = 1; i < count; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "  der(x%d) = x%d - x%d;\n", i, i - 1, i);
  snprintf(text + at, sizeof text - (size_t)at, "end Many;\n");
  return measured(text, "x0", 0.1, 21);
}

static bool suits(void *data, double count) {
  (void)data;
  Hand *h = states((int)count);
  bool suited = observer_suits(&h->problem);
  hand_done(h);
  return suited;
}

static void it_suits_models_of_few_states_that_are_coupled_as_usual(void **state) {
  (void)state;
  assert_turns(suits, NULL, 30, 31);
  Hand *h = pendulum(0, 15);
  assert_true(observer_suits(&h->problem));
  h->problem.options.gain = 10;
  assert_false(observer_suits(&h->problem));
  h->problem.options.gain = 0;
  h->problem.options.coupling = COUPLING_P;
  assert_false(observer_suits(&h->problem));
  hand_done(h);
}

static void data_that_do_not_vary_design_nothing(void **state) {
  (void)state;
  Hand *h = hand_text("model Still\n  parameter Real p = 1;\n  Real x(start = 1, fixed = true);\n"
                      "equation\n  der(x) = 0*p;\nend Still;\n");
  hand_experiment(h, (HandData){.channels = {"x"}, .step = 0.1, .count = 51});
  hand_estimate(h, "p", -1, 1, 0.1, 10);
  Designed d = design(h);
  assert_null(d.gain);
  assert_string_equal(d.why, "no channel varies");
  design_done(&d);
}

// ---------------------------------------------------------------- several experiments

static long passes(Hand *h, int *different) {
  Fitting *f = fitting_new(&h->problem);
  Arena *a = arena_new();
  Budget b = {.max_simulations = 1000};
  const char *why = "";
  static const double X[] = {2, 0.5};
  const FeedbackGains *g = observer_design(fitting_observer(f), a, X, &b, &why);
  *different = 0;
  for (int e = 1; g && e < h->problem.experiment_count; e++)
    *different += g->gain[e] != g->gain[e - 1];
  if (!g) *different = -1;
  arena_free(a);
  fitting_free(f);
  return b.used.simulations;
}

// Three passes for each set of measured quantities.
static void experiments_that_measure_the_same_share_a_design(void **state) {
  (void)state;
  int different;
  Hand *h = duffing(3, 0);
  assert_int_equal(passes(h, &different), 3);
  assert_int_equal(different, 0);
  h->experiments[1].channel_count = 1; // x alone
  assert_int_equal(passes(h, &different), 6);
  assert_int_equal(different, 2);
  hand_done(h);
}

static bool has_design(void *data, double sets) {
  (void)data;
  static const char *const NAMES[][3] = {{"x"}, {"v"}, {"x", "v"}, {"w"}, {"x", "w"}};
  Hand *h = hand_text("model Three\n  parameter Real a = 2;\n  parameter Real b = 0.5;\n"
                      "  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n  Real w;\n"
                      "equation\n  der(x) = v;\n  der(v) = -0.1*v - a*x - b*x^3;\n  w = x + v;\n"
                      "end Three;\n");
  for (int k = 0; k < (int)sets; k++)
    hand_experiment(h,
                    (HandData){.channels = {NAMES[k][0], NAMES[k][1]}, .step = 0.1, .count = 61});
  hand_estimate(h, "a", -1, 2, 0, 9);
  hand_estimate(h, "b", -1, 0.5, 0, 9);
  int different;
  passes(h, &different);
  hand_done(h);
  return different >= 0;
}

static void four_sets_of_measured_quantities_are_designed_for(void **state) {
  (void)state;
  assert_turns(has_design, NULL, 4, 5);
}

// ---------------------------------------------------------------- invariants and kinks

// A pendulum in Cartesian coordinates.
static void the_coupled_model_keeps_its_invariants(void **state) {
  (void)state;
  Hand *h = hand_text("model Rope\n  parameter Real p = 9.81;\n"
                      "  Real x(start = 0.6, fixed = true), y(start = -0.8);\n"
                      "  Real vx(start = 0, fixed = true), vy, F;\n"
                      "equation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = F*x;\n"
                      "  der(vy) = F*y - p;\n  x^2 + y^2 = 1;\nend Rope;\n");
  hand_experiment(h, (HandData){.channels = {"x"}, .step = 0.02, .count = 301});
  hand_estimate(h, "p", -1, 4, 1, 40);
  Designed d = design(h);
  assert_true(d.gain != NULL);
  EvalWork *w = eval_work_new(d.fitting, 1, NULL);
  EvalSpec spec = eval_spec(d.fitting, NULL);
  double x = 4, free = evaluate_value(w, &spec, &x);
  const char *why;
  spec.lambda = 1;
  spec.gains = observer_design(fitting_observer(d.fitting), d.arena, &x, NULL, &why);
  assert_true(evaluate_value(w, &spec, &x) < 0.05 * free);
  assert_true(eval_violation(w).largest < 1e-4);
  eval_work_free(w);
  design_done(&d);
}

// x^2 + y^2 = 1 leaves one position and one rate free: those that "pd" acts on, here x and vx. A swing of 0.01 about x = -0.6 is
// linear: the gains are those of the same swing in its angle, times cos.
static void gains_act_on_free_states(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "model Rope\n  parameter Real p = 9.81;\n"
      "  Real x(start = -0.61, fixed = true), y(start = -0.8);\n"
      "  Real vx(start = 0, fixed = true), vy, F;\n"
      "equation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = F*x - 7.3575;\n"
      "  der(vy) = F*y - p;\n  x^2 + y^2 = 1;\nend Rope;\n",
      "model Angle\n  parameter Real p = 9.81;\n  Real a(start = -0.6560605, fixed = true);\n"
      "  Real w(start = 0, fixed = true), x;\nequation\n  der(a) = w;\n"
      "  der(w) = -7.3575*cos(a) - p*sin(a);\n  x = sin(a);\nend Angle;\n"};
  double gain[2][2];
  for (int k = 0; k < 2; k++) {
    Hand *h = hand_text(TEXTS[k]);
    hand_experiment(h, (HandData){.channels = {"x"}, .step = 0.02, .count = 301});
    hand_estimate(h, "p", -1, 9.81, 1, 40);
    Designed d = design(h);
    assert_true(d.gain != NULL);
    for (int i = 0; i < 2; i++) gain[k][i] = d.gain[i] * (k ? 0.8 : 1);
    design_done(&d);
  }
  for (int i = 0; i < 2; i++) assert_close_relative(gain[0][i], gain[1][i], 0.03);
}

static void relations_are_seen_as_the_states_make_them(void **state) {
  (void)state;
  Hand *h = measured("model Zone\n  parameter Real p = 1;\n  Real x(start = 1, fixed = true);\n"
                     "  Real v(start = 0, fixed = true);\nequation\n  der(x) = v;\n"
                     "  der(v) = -p*(if x > 0.2 then x - 0.2 else 0) - 4*min(x, 0)\n"
                     "    - (if v > 0 then 0.1 else -0.1);\nend Zone;\n",
                     "x", 0.05, 201);
  Designed d = design(h);
  assert_true(d.gain != NULL);
  assert_true(d.gain[0] > d.omega && d.gain[1] > 0);
  design_done(&d);
}

static void unknown_start_values_begin_with_the_variance_of_their_bounds(void **state) {
  (void)state;
  double sum[2];
  for (int wide = 0; wide < 2; wide++) {
    Hand *h = measured(SWAY, "x", 0.02, 60); // short: the start counts
    hand_estimate(h, "x.start", -1, 0, wide ? -100 : -1e-6, wide ? 100 : 1e-6);
    Designed d = design(h);
    sum[wide] = d.gain[0];
    design_done(&d);
  }
  assert_true(sum[1] > 1.02 * sum[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_measured_state_gets_four_times_the_frequency),
      cmocka_unit_test(noise_makes_it_slower),
      cmocka_unit_test(scales_follow_from_the_order_in_which_states_appear),
      cmocka_unit_test(the_coupled_motion_does_not_depend_on_units),
      cmocka_unit_test(a_state_behind_many_others_is_left_alone),
      cmocka_unit_test(errors_may_grow_by_the_root_of_ten),
      cmocka_unit_test(a_motion_that_misses_the_data_by_their_variation_has_none),
      cmocka_unit_test(a_motion_that_explodes_has_none),
      cmocka_unit_test(it_suits_models_of_few_states_that_are_coupled_as_usual),
      cmocka_unit_test(data_that_do_not_vary_design_nothing),
      cmocka_unit_test(experiments_that_measure_the_same_share_a_design),
      cmocka_unit_test(four_sets_of_measured_quantities_are_designed_for),
      cmocka_unit_test(the_coupled_model_keeps_its_invariants),
      cmocka_unit_test(gains_act_on_free_states),
      cmocka_unit_test(relations_are_seen_as_the_states_make_them),
      cmocka_unit_test(unknown_start_values_begin_with_the_variance_of_their_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
