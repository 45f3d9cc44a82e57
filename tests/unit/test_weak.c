#include "search/weak.h"

#include "hand_problem.h"

// Start values of the problem in, what the weak form makes of them out.
static int start(const Hand *h, double *x, bool *found) {
  for (int i = 0; i < h->problem.unknown_count; i++) x[i] = h->unknowns[i].start;
  int count = weak_start(&h->problem, x, found, NULL);
  int told = 0;
  for (int i = 0; i < h->problem.unknown_count; i++) {
    assert_true(isfinite(x[i]) && x[i] >= h->unknowns[i].min && x[i] <= h->unknowns[i].max);
    if (!found[i]) assert_true(x[i] == h->unknowns[i].start);
    told += found[i];
  }
  assert_int_equal(count, told);
  return count;
}

static Hand *pendulum(double step, double noise, uint64_t seed) {
  Hand *h = hand_load("models/pendulum.mo");
  hand_experiment(h, (HandData){.channels = {"theta"},
                                .step = step,
                                .count = (int)(50 / step) + 1,
                                .noise = noise,
                                .seed = seed});
  hand_estimate(h, "p", -1, 15, 0.1, 200);
  return h;
}

static void pendulum_without_noise_is_found_without_simulation(void **state) {
  (void)state;
  double steps[] = {0.01, 0.05, 0.1}, tolerance[] = {1e-6, 1e-4, 1e-3};
  for (int i = 0; i < 3; i++) {
    Hand *h = pendulum(steps[i], 0, 1);
    double x[1];
    bool found[1];
    assert_int_equal(start(h, x, found), 1);
    assert_close(x[0], 10, tolerance[i]);
    hand_done(h);
  }
}

static void pendulum_with_noise_stays_within_what_the_case_measured(void **state) {
  (void)state;
  double noise[] = {0.05, 0.2}, mean[] = {0.004, 0.03}, spread[] = {0.006, 0.03};
  for (int k = 0; k < 2; k++) {
    enum { SEEDS = 12 };
    double sum = 0, square = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      Hand *h = pendulum(0.05, noise[k], seed);
      double x[1];
      bool found[1];
      start(h, x, found);
      sum += x[0] - 10;
      square += (x[0] - 10) * (x[0] - 10);
      hand_done(h);
    }
    assert_close(sum / SEEDS, 0, mean[k]);
    assert_true(sqrt(square / SEEDS) < spread[k]);
  }
}

static Hand *duffing(double alpha, double beta, double stop, double noise, uint64_t seed) {
  Hand *h = hand_load("models/vanderpol_duffing.mo");
  hand_truth(h, "alpha", alpha);
  hand_truth(h, "beta", beta);
  hand_experiment(h, (HandData){.channels = {"x1"},
                                .step = 0.05,
                                .count = (int)(stop / 0.05 + 0.5) + 1,
                                .noise = noise,
                                .seed = seed});
  bool hump = beta < 0;
  hand_estimate(h, "alpha", -1, hump ? 5 : 10, hump ? 1 : -5, hump ? 5 : 10);
  hand_estimate(h, "beta", -1, hump ? -0.1 : 10, hump ? -0.9 : 0.1, hump ? -0.1 : 10);
  hand_estimate(h, "mu", -1, hump ? 1 : 2, 0.01, hump ? 1 : 2);
  return h;
}

static const struct {
  double alpha, beta, stop;
} DUFFING[] = {{0.5, 0.5, 20}, {-0.5, 0.5, 20}, {1.5, -0.5, 10}};

static void duffing_without_noise_is_found_in_one_step(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    Hand *h = duffing(DUFFING[k].alpha, DUFFING[k].beta, DUFFING[k].stop, 0, 1);
    double x[3];
    bool found[3];
    assert_int_equal(start(h, x, found), 3);
    assert_close_relative(x[0], DUFFING[k].alpha, 1e-4);
    assert_close_relative(x[1], DUFFING[k].beta, 1e-4);
    assert_close_relative(x[2], 0.1, 1e-4);
    hand_done(h);
  }
}

static void duffing_with_noise_is_close(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      Hand *h = duffing(DUFFING[k].alpha, DUFFING[k].beta, DUFFING[k].stop, 0.05, seed);
      double x[3];
      bool found[3];
      assert_int_equal(start(h, x, found), 3);
      assert_close(x[0], DUFFING[k].alpha, 0.12);
      assert_close(x[1], DUFFING[k].beta, 0.1);
      assert_close(x[2], 0.1, 0.04);
      hand_done(h);
    }
}

static double distance_modulo(double a, double b, double period) {
  return fabs(remainder(a - b, period));
}

static void parameters_inside_functions_are_found_from_any_start(void **state) {
  (void)state;
  double k0[] = {0.1, 4, 20}, psi0[] = {-0.5, 0.75, 2};
  for (int noisy = 0; noisy < 2; noisy++)
    for (int i = 0; i < 9; i++) {
      Hand *h = hand_load("models/arctan_oscillator.mo");
      hand_experiment(h, (HandData){.channels = {"u"},
                                    .step = 0.1,
                                    .count = 501,
                                    .noise = noisy ? 0.05 : 0,
                                    .seed = (uint64_t)i + 1});
      hand_estimate(h, "k", -1, k0[i / 3], 0.01, 100);
      hand_estimate(h, "psi", -1, psi0[i % 3], -5, 5);
      double x[2];
      bool found[2];
      assert_int_equal(start(h, x, found), 2);
      assert_close(x[0], 1, noisy ? 0.15 : 1e-4);
      assert_true(distance_modulo(x[1], 0.5, 2) < (noisy ? 0.02 : 1e-4));
      hand_done(h);
    }
}

static void hidden_states_leave_the_numbers_alone(void **state) {
  (void)state;
  Hand *h = hand_load("models/lorenz.mo");
  hand_experiment(h, (HandData){.channels = {"x"}, .step = 0.02, .count = 501});
  hand_estimate(h, "sigma", -1, 9, 1, 100);
  hand_estimate(h, "beta", -1, 3, 0.1, 20);
  double x[2];
  bool found[2];
  assert_int_equal(start(h, x, found), 0);
  hand_done(h);
}

static void equations_whose_states_are_known_are_used_and_only_those(void **state) {
  (void)state;
  Hand *h = hand_load("models/lorenz.mo");
  hand_experiment(h, (HandData){.channels = {"x", "y"}, .step = 0.005, .count = 2001});
  int sigma = hand_estimate(h, "sigma", -1, 30, 1, 100);
  int rho = hand_estimate(h, "rho", -1, 40, 1, 200);
  double x[2];
  bool found[2];
  assert_int_equal(start(h, x, found), 1);
  assert_true(found[sigma] && !found[rho]);
  assert_close(x[sigma], 10, 1e-3);
  hand_done(h);
}

static const char DRIVEN[] = "model Driven\n"
                             "  parameter Real k = 4;\n"
                             "  parameter Real d = 0.3;\n"
                             "  parameter Real scale = 2.5;\n"
                             "  parameter Real zero = -0.5;\n"
                             "  input Real force;\n"
                             "  Real x(start = 0.5, fixed = true);\n"
                             "  Real v(start = -0.4, fixed = true);\n"
                             "  Real shown;\n"
                             "equation\n"
                             "  der(x) = v;\n"
                             "  der(v) = -k*x - d*v*(if v > 0 then 1 else 2) + force;\n"
                             "  shown = scale*x + zero;\n"
                             "end Driven;\n";

static const Input **force(Hand *h, double frequency) {
  enum { SAMPLES = 2001 };
  double *t = ARENA_ARRAY(h->arena, double, SAMPLES), *v = ARENA_ARRAY(h->arena, double, SAMPLES);
  for (int i = 0; i < SAMPLES; i++) t[i] = 0.02 * i, v[i] = sin(frequency * t[i]);
  const Input **inputs = ARENA_ARRAY(h->arena, const Input *, 2);
  Err err = {0};
  inputs[0] = input_new(h->arena, t, v, SAMPLES, INPUT_SPLINE, &err);
  assert_non_null(inputs[0]);
  return inputs;
}

static Experiment *drive(Hand *h, const char *channel, double frequency, double noise) {
  return hand_experiment(h, (HandData){.channels = {channel},
                                       .step = 0.02,
                                       .count = 1501,
                                       .noise = noise,
                                       .seed = 5,
                                       .inputs = force(h, frequency)});
}

static void sensors_with_known_gain_and_offset_are_inverted(void **state) {
  (void)state;
  Hand *h = hand_text(DRIVEN);
  drive(h, "shown", 1.3, 0);
  hand_estimate(h, "k", -1, 1, 0.1, 100);
  hand_estimate(h, "d", -1, 1, 0, 10);
  double x[2];
  bool found[2];
  assert_int_equal(start(h, x, found), 2);
  assert_close(x[0], 4, 1e-3);
  assert_close(x[1], 0.3, 2e-3);
  hand_estimate(h, "scale", -1, 1, 0.1, 100); // now nothing is known
  double y[3];
  bool none[3];
  assert_int_equal(start(h, y, none), 0);
  hand_done(h);
}

static void a_known_delay_is_taken_off(void **state) {
  (void)state;
  Hand *h = hand_text(DRIVEN);
  Experiment *e = drive(h, "x", 1.3, 0);
  Channel *c = &e->channels[0];
  double *late = ARENA_ARRAY(h->arena, double, c->count), delay = 0.3;
  for (int i = 0; i < c->count; i++) late[i] = c->t[i] + delay;
  c->t = late;
  c->delay = hand_parameter(h, "zero"); // any parameter that x does not depend on
  e->p[c->delay] = delay;
  hand_estimate(h, "k", -1, 1, 0.1, 100);
  hand_estimate(h, "d", -1, 1, 0, 10);
  double x[2];
  bool found[2];
  assert_int_equal(start(h, x, found), 2);
  assert_close(x[0], 4, 1e-3);
  assert_close(x[1], 0.3, 2e-3);
  hand_done(h);
}

static void several_experiments_share_some_numbers_and_have_others_of_their_own(void **state) {
  (void)state;
  Hand *h = hand_text(DRIVEN);
  double d[3] = {0.1, 0.4, 0.9}, x[4];
  bool found[4];
  hand_estimate(h, "k", -1, 1, 0.1, 100);
  for (int e = 0; e < 3; e++) {
    hand_truth(h, "d", d[e]);
    drive(h, e == 1 ? "shown" : "x", 1 + 0.3 * e, 0.01);
    hand_estimate(h, "d", e, 1, 0, 10);
  }
  assert_int_equal(start(h, x, found), 4);
  assert_close(x[0], 4, 0.02);
  for (int e = 0; e < 3; e++) assert_close(x[1 + e], d[e], 0.03);
  hand_done(h);
}

static void start_values_are_read_off_the_data(void **state) {
  (void)state;
  for (int noisy = 0; noisy < 2; noisy++) {
    Hand *h = hand_text(DRIVEN);
    drive(h, "x", 1.3, noisy ? 0.05 : 0);
    hand_estimate(h, "k", -1, 1, 0.1, 100);
    hand_estimate(h, "x.start", -1, 0, -5, 5);
    hand_estimate(h, "v.start", -1, 0, -5, 5);
    double x[3];
    bool found[3];
    assert_int_equal(start(h, x, found), 3);
    assert_close(x[1], 0.5, noisy ? 0.03 : 1e-3);
    assert_close(x[2], -0.4, noisy ? 0.1 : 2e-2);
    hand_done(h);
  }
}

static const char JERK[] = "model Jerk\n" // Genesio and Tesi (1992), chaotic
                           "  parameter Real a = 0.44;\n"
                           "  parameter Real b = 1.1;\n"
                           "  parameter Real c = 1;\n"
                           "  Real x(start = 0.1, fixed = true);\n"
                           "  Real v(start = 0.1, fixed = true);\n"
                           "  Real w(start = 0.1, fixed = true);\n"
                           "equation\n"
                           "  der(x) = v;\n"
                           "  der(v) = w;\n"
                           "  der(w) = -c*x - b*v - a*w + x^2;\n"
                           "end Jerk;\n";

static void second_derivatives_of_the_data_serve_too(void **state) {
  (void)state;
  for (int noisy = 0; noisy < 2; noisy++) {
    Hand *h = hand_text(JERK);
    hand_experiment(
        h,
        (HandData){
            .channels = {"x"}, .step = 0.05, .count = 2001, .noise = noisy ? 0.01 : 0, .seed = 1});
    hand_estimate(h, "a", -1, 3, 0, 10);
    hand_estimate(h, "b", -1, 3, 0, 10);
    hand_estimate(h, "c", -1, 3, 0, 10);
    double x[3], truth[3] = {0.44, 1.1, 1};
    bool found[3];
    assert_int_equal(start(h, x, found), 3);
    for (int i = 0; i < 3; i++) assert_close(x[i], truth[i], noisy ? 0.02 : 1e-4);
    hand_done(h);
  }
}

// Keeps samples for which keep says so.
static void thin(Hand *h, Channel *c, bool (*keep)(int i)) {
  double *t = ARENA_ARRAY(h->arena, double, c->count), *y = ARENA_ARRAY(h->arena, double, c->count);
  int count = 0;
  for (int i = 0; i < c->count; i++)
    if (keep(i)) {
      t[count] = c->t[i];
      y[count++] = c->y[i];
    }
  c->t = t, c->y = y, c->count = count;
}

static bool keep_most(int i) {
  return i % 7 != 3 && i % 11 != 5;
}
static bool keep_outside_a_gap(int i) {
  return i < 300 || i > 420;
}
static bool keep_ever_fewer(int i) {
  return i < 400 || i % 2 == 0;
}

static void missing_and_uneven_samples_do_no_harm(void **state) {
  (void)state;
  bool (*keep[])(int) = {keep_most, keep_outside_a_gap, keep_ever_fewer};
  for (int k = 0; k < 3; k++) {
    Hand *h = pendulum(0.05, 0, 1);
    thin(h, &h->experiments[0].channels[0], keep[k]);
    double x[1];
    bool found[1];
    assert_int_equal(start(h, x, found), 1);
    assert_close(x[0], 10, 0.01);
    hand_done(h);
  }
}

static void bounds_hold_where_the_truth_lies_outside(void **state) {
  (void)state;
  Hand *h = duffing(0.5, 0.5, 20, 0, 1);
  h->unknowns[1].min = 0.7, h->unknowns[1].start = 0.8;
  double x[3];
  bool found[3];
  assert_int_equal(start(h, x, found), 3);
  assert_close(x[1], 0.7, 1e-9);
  hand_done(h);
}

// Whatever the data are: no number that is not finite, none outside its bounds.
static void rubbish_as_data_gives_numbers_inside_the_bounds(void **state) {
  (void)state;
  for (int kind = 0; kind < 6; kind++) {
    Hand *h = hand_load("models/arctan_oscillator.mo");
    Experiment *e = hand_experiment(
        h, (HandData){.channels = {"u"}, .step = 0.1, .count = kind == 5 ? 9 : 101});
    double *y = ARENA_ARRAY(h->arena, double, 101);
    for (int i = 0; i < 101; i++) {
      double kinds[] = {0, 1e300 * cos(i), i % 2 ? -1 : 1, 1e-300 * sin(i), i == 50 ? 1e9 : 0, i};
      y[i] = kinds[kind];
    }
    e->channels[0].y = y;
    hand_estimate(h, "k", -1, 4, 0.01, 100);
    hand_estimate(h, "psi", -1, 2, -5, HUGE_VAL);
    double x[2];
    bool found[2];
    start(h, x, found);
    hand_done(h);
  }
}

static void the_same_seed_gives_the_same_numbers(void **state) {
  (void)state;
  double x[2][2];
  bool found[2];
  for (int i = 0; i < 2; i++) {
    Hand *h = hand_load("models/arctan_oscillator.mo");
    hand_experiment(h, (HandData){.channels = {"u"}, .step = 0.1, .count = 301, .noise = 0.1});
    hand_estimate(h, "k", -1, 4, 0.01, 100);
    hand_estimate(h, "psi", -1, 2, -5, 5);
    start(h, x[i], found);
    hand_done(h);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
}

// With positions measured, the forces of a constraint follow from the data; its length does not, as no equation of the
// motion contains it.
static void constraints_do_no_harm(void **state) {
  (void)state;
  Hand *h = hand_text("model Pendulum\n"
                      "  parameter Real L = 1.2;\n"
                      "  parameter Real g = 9.81;\n"
                      "  parameter Real d = 0.3;\n"
                      "  Real x(start = 0.9), y(start = -0.6), vx(start = 0.5), vy, F;\n"
                      "equation\n"
                      "  der(x) = vx;\n"
                      "  der(y) = vy;\n"
                      "  der(vx) = -F*x - d*vx;\n"
                      "  der(vy) = -F*y - d*vy - g;\n"
                      "  x^2 + y^2 = L^2;\n"
                      "end Pendulum;\n");
  hand_experiment(h, (HandData){.channels = {"x", "y"}, .step = 0.02, .count = 301});
  hand_estimate(h, "g", -1, 5, 1, 20);
  hand_estimate(h, "d", -1, 2, 0, 5);
  hand_estimate(h, "L", -1, 2, 0.1, 10);
  double x[3];
  bool found[3];
  assert_int_equal(start(h, x, found), 2);
  assert_close_relative(x[0], 9.81, 1e-3);
  assert_close_relative(x[1], 0.3, 1e-2);
  assert_false(found[2]);
  hand_done(h);
}

// Numbers that are computed for so many equal experiments of the same two kinds.
static long cost_of(int experiments) {
  Hand *h = hand_text(DRIVEN);
  for (int e = 0; e < experiments; e++) drive(h, e % 2 ? "shown" : "x", 1.5, 0.01);
  hand_estimate(h, "k", -1, 2, 0.1, 100);
  hand_estimate(h, "d", -1, 1, 0, 10);
  double x[2];
  bool found[2];
  WeakFacts facts;
  for (int i = 0; i < 2; i++) x[i] = h->unknowns[i].start;
  assert_int_equal(weak_start(&h->problem, x, found, &facts), 2);
  assert_string_equal(facts.why, "");
  hand_done(h);
  return facts.evaluated;
}

static void an_experiment_costs_the_same_however_many_there_are(void **state) {
  (void)state;
  long two = cost_of(2);
  assert_true(two > 0);
  assert_int_equal(cost_of(8), 4 * two);
  assert_int_equal(cost_of(16), 8 * two);
}

static const char HIDDEN_AND_SEEN[] = "model Hidden\n"
                                      "  parameter Real a = 1, b = 2, c = 3, s = 1, z0 = 0.5;\n"
                                      "  Real x(start = 1, fixed = true);\n"
                                      "  Real z(start = z0, fixed = true);\n"
                                      "  Real shown;\n"
                                      "equation\n"
                                      "  der(x) = -a*x + z;\n"
                                      "  der(z) = b*x - c*z;\n"
                                      "  shown = s*x;\n"
                                      "end Hidden;\n";

// What is said of the one unknown, with this channel.
static void assert_why(const char *channel, const char *unknown, int count, const char *why) {
  Hand *h = hand_text(HIDDEN_AND_SEEN);
  hand_experiment(h, (HandData){.channels = {channel}, .step = 0.05, .count = count});
  hand_estimate(h, unknown, -1, 0.9, 0.1, 10);
  double x[1] = {0.9};
  bool found[1];
  WeakFacts facts;
  assert_int_equal(weak_start(&h->problem, x, found, &facts), 0);
  assert_string_equal(facts.why, why);
  hand_done(h);
}

static void it_says_why_an_unknown_is_not_found(void **state) {
  (void)state;
  assert_why("x", "a", 201, "a: der(x) also contains z, which is not measured");
  assert_why("x", "c", 201,
             "c: only der(z) contains it, and z is neither measured nor the derivative of what is");
  assert_why("x", "z0", 201, "z0: it is the start value of z, which is not measured");
  assert_why("shown", "s", 201, "s: it enters no equation of a derivative");
}

static void a_model_without_states_has_no_weak_form(void **state) {
  (void)state;
  Hand *h = hand_text("model Line\n  parameter Real a = 1;\n  Real y;\nequation\n"
                      "  y = a*time;\nend Line;\n");
  hand_experiment(h, (HandData){.channels = {"y"}, .step = 0.05, .count = 101});
  hand_estimate(h, "a", -1, 0.9, 0.1, 10);
  double x[1] = {0.9};
  bool found[1];
  WeakFacts facts;
  assert_int_equal(weak_start(&h->problem, x, found, &facts), 0);
  assert_string_equal(facts.why, "a: the model has no states");
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_without_noise_is_found_without_simulation),
      cmocka_unit_test(pendulum_with_noise_stays_within_what_the_case_measured),
      cmocka_unit_test(duffing_without_noise_is_found_in_one_step),
      cmocka_unit_test(duffing_with_noise_is_close),
      cmocka_unit_test(parameters_inside_functions_are_found_from_any_start),
      cmocka_unit_test(hidden_states_leave_the_numbers_alone),
      cmocka_unit_test(equations_whose_states_are_known_are_used_and_only_those),
      cmocka_unit_test(sensors_with_known_gain_and_offset_are_inverted),
      cmocka_unit_test(a_known_delay_is_taken_off),
      cmocka_unit_test(several_experiments_share_some_numbers_and_have_others_of_their_own),
      cmocka_unit_test(start_values_are_read_off_the_data),
      cmocka_unit_test(second_derivatives_of_the_data_serve_too),
      cmocka_unit_test(missing_and_uneven_samples_do_no_harm),
      cmocka_unit_test(bounds_hold_where_the_truth_lies_outside),
      cmocka_unit_test(rubbish_as_data_gives_numbers_inside_the_bounds),
      cmocka_unit_test(the_same_seed_gives_the_same_numbers),
      cmocka_unit_test(constraints_do_no_harm),
      cmocka_unit_test(an_experiment_costs_the_same_however_many_there_are),
      cmocka_unit_test(it_says_why_an_unknown_is_not_found),
      cmocka_unit_test(a_model_without_states_has_no_weak_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
