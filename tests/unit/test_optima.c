// Models without states, whose objective as a function of the unknowns is known: residuals are f(unknowns)*sin(time), the data
// are 0 or a part that no unknown explains.
#include "search/optima.h"

#include "search/certificate.h"
#include "search/local_search.h"
#include "searching.h"
#include "threshold.h"

enum { SAMPLES = 63 }; // ten periods of sin(time)

typedef struct Wells {
  Hand *hand;
  Searching q;
  double one; // sigma that makes the objective f^2
} Wells;

// rest: of the data, orthogonal to sin(time), as half the sum of its squares by sigma^2.
static Wells wells_open(const char *f, const char *unknowns, double low, double high,
                        SigmaKind kind, double rest) {
  char text[900];
  Wells w = {0};
  snprintf(
      text, sizeof text,
      "model Wells\n  parameter Real a = 1;\n  parameter Real b = 1;\n  parameter Real c = 1;\n"
      "  Real y;\nequation\n  y = (%s)*sin(time);\nend Wells;\n",
      f);
  w.hand = hand_text(text);
  Experiment *e = hand_experiment(
      w.hand,
      (HandData){.channels = {"y"}, .step = 6.283185307179586 * 10 / SAMPLES, .count = SAMPLES});
  Channel *c = &e->channels[0];
  double *y = ARENA_ARRAY(w.hand->arena, double, SAMPLES);
  w.one = sqrt(SAMPLES / 4.0); // half the sum of sin^2 over whole periods
  for (int i = 0; i < SAMPLES; i++)
    y[i] = sqrt(rest) * cos(c->t[i]) * (kind == SIGMA_NUMBER ? 1 : 1 / w.one);
  if (kind == SIGMA_NUMBER) c->sigma = w.one;
  c->sigma_kind = kind;
  c->y = y;
  for (const char *name = unknowns; *name; name++)
    hand_estimate(w.hand, *name == 'a' ? "a" : *name == 'b' ? "b" : "c", -1, 1, low, high);
  return w;
}

static void wells_ready(Wells *w) {
  searching_open(&w->q, &w->hand->problem, NULL, NULL);
}

static void wells_close(Wells *w) {
  searching_close(&w->q);
  hand_done(w->hand);
}

static bool barrier_between(Wells *w, const double *a, const double *b) {
  Search *s = w->q.s;
  double va = search_evaluate(s, 0, 1, a), vb = search_evaluate(s, 0, 1, b);
  s->best.objective = fmin(va, vb);
  memcpy(s->best.x, va <= vb ? a : b, (size_t)s->n * sizeof *a);
  bool there = optima_barrier(s, a, b, fmax(va, vb));
  assert_true(optima_barrier(s, b, a, fmax(va, vb)) == there); // either way
  return there;
}

// ---------------------------------------------------------------- differences of objectives

static void differences_are_those_of_the_likelihood(void **state) {
  (void)state;
  static const SigmaKind KINDS[] = {SIGMA_NUMBER, SIGMA_ESTIMATED, SIGMA_UNKNOWN};
  for (int k = 0; k < 3; k++) {
    Wells w = wells_open("a", "a", -9, 9, KINDS[k], 5);
    wells_ready(&w);
    Search *s = w.q.s;
    double expected = KINDS[k] == SIGMA_UNKNOWN ? SAMPLES * log(7.0 / 5) : 2 * (7 - 5);
    assert_close_relative(optima_difference(s, 5, 7), expected, 1e-9);
    assert_true(optima_difference(s, 5, 5) == 0);
    assert_true(optima_difference(s, 5, HUGE_VAL) == HUGE_VAL);
    s->best.facts = (FitFacts){.known = true, .effective = SAMPLES / 4.0}; // correlated
    assert_close_relative(optima_difference(s, 5, 7), expected / 4, 1e-9);
    s->best.facts.effective = 3 * SAMPLES; // there are no more than there are
    assert_close_relative(optima_difference(s, 5, 7), expected, 1e-9);
    s->best.facts = (FitFacts){.known = false, .effective = SAMPLES / 4.0};
    assert_close_relative(optima_difference(s, 5, 7), expected, 1e-9);
    wells_close(&w);
  }
}

// An integral is no sum of squares of independent residuals, whatever sigma.
static void integrals_are_compared_by_their_ratio(void **state) {
  (void)state;
  Wells w = wells_open("a", "a", -9, 9, SIGMA_NUMBER, 5);
  w.hand->problem.options.criterion = CRITERION_INTEGRAL;
  wells_ready(&w);
  assert_close_relative(optima_difference(w.q.s, 5, 7), SAMPLES * log(7.0 / 5), 1e-9);
  wells_close(&w);
}

// Below the errors of simulations nothing differs.
static void exact_objectives_do_not_differ(void **state) {
  (void)state;
  Wells w = wells_open("a", "a", -9, 9, SIGMA_UNKNOWN, 5);
  wells_ready(&w);
  double floor = certificate_numerical_floor(w.q.s->weighting);
  assert_true(floor > 0);
  assert_close_relative(optima_difference(w.q.s, 0, floor), SAMPLES * log(2), 1e-9);
  assert_true(optima_difference(w.q.s, 0, 1e-6 * floor) < 1e-4);
  assert_true(optima_same_objective(w.q.s, 0, 0.99 * floor));
  assert_false(optima_same_objective(w.q.s, 0, 1.01 * floor));
  wells_close(&w);
}

// Of a range over decades that does not contain 0, small numbers are as different as large ones.
static void numbers_far_below_their_bound_differ(void **state) {
  (void)state;
  for (int crosses = 0; crosses < 2; crosses++) {
    Wells w = wells_open("a", "a", crosses ? -1 : 1e-12, 1, SIGMA_NUMBER, 5);
    wells_ready(&w);
    bool same = optima_same_numbers(w.q.s, (double[]){1e-9}, (double[]){5e-9});
    assert_int_equal(same, crosses);
    wells_close(&w);
  }
}

static void the_unit_is_a_difference_of_one(void **state) {
  (void)state;
  static const SigmaKind KINDS[] = {SIGMA_NUMBER, SIGMA_ESTIMATED, SIGMA_UNKNOWN};
  for (int k = 0; k < 6; k++) {
    Wells w = wells_open("a", "a", -9, 9, KINDS[k / 2], 5);
    wells_ready(&w);
    Search *s = w.q.s;
    s->best.objective = 5;
    double share = k % 2 ? 0.25 : 1; // of the samples: correlated ones tell less of the difference
    if (k % 2) s->best.facts = (FitFacts){.known = true, .effective = SAMPLES / 4.0};
    double small = 1e-6 * optima_unit(s);
    assert_close_relative(optima_difference(s, 5, 5 + small), share * 1e-6, 1e-5);
    wells_close(&w);
  }
}

// ---------------------------------------------------------------- the same, and near

static bool same_objective(void *data, double difference) {
  Wells *w = data;
  bool same = optima_same_objective(w->q.s, 5, 5 + difference);
  assert_true(optima_same_objective(w->q.s, 5 + difference, 5) == same);
  return same;
}

static void objectives_within_a_thousandth_are_the_same(void **state) {
  (void)state;
  Wells w = wells_open("a", "a", -9, 9, SIGMA_UNKNOWN, 5);
  wells_ready(&w);
  assert_threshold(same_objective, &w, 5e-3);
  wells_close(&w);
  w = wells_open("a", "a", -9, 9, SIGMA_ESTIMATED, 5); // with logarithms: near any number, even 0
  wells_ready(&w);
  assert_threshold(same_objective, &w, 1e-3 * SAMPLES / 2);
  wells_close(&w);
}

static bool same_number(void *data, double difference) {
  double at = *(double *)data;
  Wells w = wells_open("a+b", "ab", -9, 9, SIGMA_UNKNOWN, 5);
  wells_ready(&w);
  double a[] = {7, at}, b[] = {7, at + difference};
  bool same = optima_same_numbers(w.q.s, a, b);
  assert_true(optima_same_numbers(w.q.s, b, a) == same);
  double c[] = {at, 7}, d[] = {at + difference, 7};
  assert_true(optima_same_numbers(w.q.s, c, d) == same);
  wells_close(&w);
  return same;
}

// Relative to the larger one; where that is 0, to a millionth of the range.
static void numbers_within_a_fiftieth_are_the_same(void **state) {
  (void)state;
  double at = -5;
  assert_threshold(same_number, &at, 0.02 * 5);
  at = 0.98; // the other one is larger
  assert_threshold(same_number, &at, 0.02);
  at = 0;
  assert_threshold(same_number, &at, 0.02 * 18e-6);
}

static bool is_near(void *data, double difference) {
  int n = *(int *)data;
  Wells w = wells_open("a+b+c", "abc" + 3 - n, -9, 9, SIGMA_NUMBER, 5);
  wells_ready(&w);
  bool near = optima_is_near(w.q.s, 5, 5 + difference / 2);
  wells_close(&w);
  return near;
}

// 99 % of the chi-square law with as many degrees of freedom as unknowns.
static void rivals_are_as_near_as_chance_explains(void **state) {
  (void)state;
  static const double LIMITS[] = {6.634897, 9.210340, 11.344867};
  for (int n = 1; n <= 3; n++) assert_threshold(is_near, &n, LIMITS[n - 1]);
}

// ---------------------------------------------------------------- barriers

typedef struct Height {
  SigmaKind kind;
  double effective; // samples; 0: all
  double unit;      // of the objective
} Height;

// Two wells at a = 1 and a = -1 with this height between them, as a difference of twice the log-likelihood.
static bool there_is_a_barrier(void *data, double height) {
  const Height *q = data;
  char f[60];
  double scale = q->kind == SIGMA_NUMBER ? 1 : 1 / sqrt(SAMPLES / 4.0);
  snprintf(f, sizeof f, "%.12g*(a^2 - 1)", sqrt(height * q->unit) * scale);
  Wells w = wells_open(f, "a", -9, 9, q->kind, 5);
  wells_ready(&w);
  if (q->effective > 0) w.q.s->best.facts = (FitFacts){.known = true, .effective = q->effective};
  bool there = barrier_between(&w, (double[]){-1}, (double[]){1});
  wells_close(&w);
  return there;
}

// 95 % of the chi-square law with one degree of freedom.
static void a_barrier_is_more_than_chance(void **state) {
  (void)state;
  Height given = {SIGMA_NUMBER, 0, 0.5}, unknown = {SIGMA_UNKNOWN, 0, 5.0 / SAMPLES};
  Height correlated = {SIGMA_NUMBER, SAMPLES / 4.0, 0.5}; // makes no difference
  assert_threshold_from_above(there_is_a_barrier, &given, 3.84);
  assert_threshold_from_above(there_is_a_barrier, &unknown, 3.84);
  assert_threshold_from_above(there_is_a_barrier, &correlated, 3.84);
}

static bool barrier_of(const char *f, const char *unknowns, double low, double high,
                       const double *a, const double *b) {
  Wells w = wells_open(f, unknowns, low, high, SIGMA_NUMBER, 5);
  wells_ready(&w);
  bool there = barrier_between(&w, a, b);
  wells_close(&w);
  return there;
}

static void a_curved_valley_has_none(void **state) {
  (void)state;
  for (int steep = 10; steep <= 1000; steep *= 10) {
    char f[60];
    snprintf(f, sizeof f, "%d*(b - a^2)", steep);
    assert_false(barrier_of(f, "ab", -9, 9, (double[]){-1.5, 2.25}, (double[]){2, 4}));
  }
}

static void a_flat_direction_has_none(void **state) {
  (void)state;
  assert_false(barrier_of("1000*(a*b - 2)", "ab", 0.1, 9, (double[]){0.5, 4}, (double[]){8, 0.25}));
  assert_false(
      barrier_of("1000*(a*b*c - 2)", "abc", 0.1, 9, (double[]){1, 2, 1}, (double[]){0.5, 0.5, 8}));
  assert_false(barrier_of("1000*(a + b - 2)", "ab", -9, 9, (double[]){-5, 7}, (double[]){3, -1}));
}

// In one well there is none, however deep.
static void one_well_has_none(void **state) {
  (void)state;
  assert_false(barrier_of("1000*(a - 1)", "a", -9, 9, (double[]){1}, (double[]){1.01}));
}

// A wall at a = 1, seen half way in logarithms only.
static void decades_are_crossed_in_logarithms(void **state) {
  (void)state;
  const char *wall = "90/(1 + 1e4*log(abs(a))^2)";
  double a[] = {0.1}, b[] = {10};
  assert_true(barrier_of(wall, "a", 0.01, 100, a, b));
  assert_false(barrier_of(wall, "a", -1, 100, a, b));
}

// A wall at a quarter of the way.
static void quarters_of_the_way_are_looked_at(void **state) {
  (void)state;
  assert_true(barrier_of("10/(1 + 1e4*(a - 1)^2)", "a", -9, 9, (double[]){0}, (double[]){4}));
  assert_true(barrier_of("10/(1 + 1e4*(a - 3)^2)", "a", -9, 9, (double[]){0}, (double[]){4}));
  Wells w = wells_open("a", "a", -9, 9, SIGMA_NUMBER, 5);
  wells_ready(&w);
  assert_false(optima_barrier(w.q.s, (double[]){-1}, (double[]){1}, 9));
  assert_int_equal(work_count_simulations(&w.q.s->budget.used), 3);
  wells_close(&w);
}

// Sums of two decays do not change when these change places; between, they would be equal.
static void exchanged_decays_have_one(void **state) {
  (void)state;
  Hand *h =
      hand_text("model Decays\n  parameter Real k1 = 1;\n  parameter Real k2 = 4;\n  Real y;\n"
                "equation\n  y = exp(-k1*time) + exp(-k2*time);\nend Decays;\n");
  Experiment *e = hand_experiment(
      h, (HandData){.channels = {"y"}, .step = 0.05, .count = 80, .noise = 0.005, .seed = 2});
  e->channels[0].sigma_kind = SIGMA_NUMBER, e->channels[0].sigma = 0.004;
  hand_estimate(h, "k1", -1, 1, 0.1, 10);
  hand_estimate(h, "k2", -1, 4, 0.1, 10);
  Wells w = {.hand = h};
  wells_ready(&w);
  assert_true(barrier_between(&w, (double[]){1, 4}, (double[]){4, 1}));
  assert_false(barrier_between(&w, (double[]){1, 4}, (double[]){1.01, 3.9}));
  wells_close(&w);
}

// A refit that gets nowhere is given up after 25 steps, from either end.
static void refits_are_given_up(void **state) {
  (void)state;
  Wells w = wells_open("1000*(b - 5*a)", "ab", -99, 99, SIGMA_NUMBER, 5);
  w.hand->problem.options.local = LOCAL_GAUSS_NEWTON;
  w.hand->problem.options.line_search = LINE_SEARCH_OFF;
  w.hand->problem.options.step_factor = 0.01;
  wells_ready(&w);
  Search *s = w.q.s;
  s->method = METHOD_AUTO;
  s->best.objective = 5;
  assert_true(optima_barrier(s, (double[]){-1, -5}, (double[]){7, 35}, 5) == false); // straight
  WorkCount before = s->budget.used;
  assert_true(optima_barrier(s, (double[]){-1, -5}, (double[]){7, 5}, 5)); // b does not follow
  assert_int_equal(s->budget.used.iterations - before.iterations, 2 * 25);
  wells_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_are_those_of_the_likelihood),
      cmocka_unit_test(integrals_are_compared_by_their_ratio),
      cmocka_unit_test(exact_objectives_do_not_differ),
      cmocka_unit_test(numbers_far_below_their_bound_differ),
      cmocka_unit_test(the_unit_is_a_difference_of_one),
      cmocka_unit_test(objectives_within_a_thousandth_are_the_same),
      cmocka_unit_test(numbers_within_a_fiftieth_are_the_same),
      cmocka_unit_test(rivals_are_as_near_as_chance_explains),
      cmocka_unit_test(a_barrier_is_more_than_chance),
      cmocka_unit_test(a_curved_valley_has_none),
      cmocka_unit_test(a_flat_direction_has_none),
      cmocka_unit_test(one_well_has_none),
      cmocka_unit_test(decades_are_crossed_in_logarithms),
      cmocka_unit_test(quarters_of_the_way_are_looked_at),
      cmocka_unit_test(exchanged_decays_have_one),
      cmocka_unit_test(refits_are_given_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
