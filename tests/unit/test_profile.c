// Profiles: where the model is linear they are what the covariance says, where it is not they are the truth.
#include "problem/read_problem.h"
#include "study/profile_run.h"

#include <string.h>
#include <time.h>

#include "known_truth.h"
#include "num/distribution.h"

// x = a t + b t^2/2: linear in both.
static const char LINEAR[] = "model Linear\n"
                             "  parameter Real a = 1;\n  parameter Real b = 2;\n"
                             "  Real x(start = 0, fixed = true);\n"
                             "equation\n  der(x) = a + b*time;\nend Linear;\n";
static const char DECAY[] = "model Decay\n"
                            "  parameter Real k = 0.5;\n  parameter Real b = 2;\n"
                            "  Real x(start = 2, fixed = true);\n"
                            "equation\n  der(x) = b - k*x;\nend Decay;\n";
static const char PRODUCT[] = "model Product\n"
                              "  parameter Real a = 2;\n  parameter Real b = 3;\n"
                              "  parameter Real c = 1;\n"
                              "  Real x(start = 1, fixed = true);\n"
                              "equation\n  der(x) = c - a*b*x;\nend Product;\n";
// Minima of (p^2 - 1)^2 + 0.1 (p + 1.2) near 1 and, lower, near -1.
static const char TWO[] = "model Two\n"
                          "  parameter Real p = 1;\n"
                          "  Real x(start = 0, fixed = true);\n"
                          "equation\n  der(x) = (p^2 - 1)^2 + 0.1*(p + 1.2);\nend Two;\n";

static Profile *profiles(const Problem *p, const int *numbers, int count, double level) {
  Err err = {0};
  ProfileRequest request = {numbers, count, level, 1000};
  Profile *r = profile_run(p, &request, NULL, NULL, &err);
  if (!r) print_error("%s\n", err.text);
  assert_non_null(r);
  return r;
}

static Known linear(const char *options) {
  Known k = {.text = LINEAR,
             .measured = {"x"},
             .stop = 3,
             .step = 0.05,
             .estimate = "a: {start: 0.5}, b: {start: 1}",
             .truth = {1, 2},
             .options = options,
             .noise = 0.1,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  return k;
}

static Known decay(const char *estimate, double noise) {
  Known k = {.text = DECAY,
             .measured = {"x"},
             .stop = 5,
             .step = 0.25,
             .estimate = estimate,
             .truth = {0.8, 2.4},
             .options = "method: trust-region",
             .noise = noise,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  return k;
}

// ---------------------------------------------------------------- intervals

static void assert_as_covariance(const ProfileCurve *c) {
  double width = c->high - c->low;
  assert_int_equal(c->verdict, PROFILE_IS_DETERMINED);
  assert_close(c->side[0].at, c->low, 1e-6 * width);
  assert_close(c->side[1].at, c->high, 1e-6 * width);
}

static void set_sigma(Known *k, SigmaKind kind, double sigma) {
  k->problem->experiments[0].channels[0].sigma_kind = kind;
  k->problem->experiments[0].channels[0].sigma = sigma;
}

static void a_linear_model_has_the_interval_of_the_covariance(void **state) {
  (void)state;
  static const char *const OPTIONS[] = {"method: trust-region",
                                        "method: trust-region\ncriterion: integral",
                                        "method: trust-region\noptions: {step_tol: 1e-10}"};
  static const SigmaKind KINDS[] = {SIGMA_UNKNOWN, SIGMA_UNKNOWN, SIGMA_NUMBER};
  for (int i = 0; i < 3; i++) {
    Known k = linear(OPTIONS[i]);
    set_sigma(&k, KINDS[i], 0.7);
    for (double level = 0.5; level < 1; level += 0.245) {
      Profile *r = profiles(k.problem, NULL, 0, level);
      assert_true(profile_is_sound(r));
      assert_int_equal(r->count, 2);
      for (int m = 0; m < 2; m++) assert_as_covariance(&r->curves[m]);
      profile_free(r);
    }
    known_close(&k);
  }
}

static void the_interval_at_95_percent_is_that_of_the_fit(void **state) {
  (void)state;
  Known k = linear("method: trust-region");
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  for (int m = 0; m < 2; m++) {
    assert_close(r->curves[m].low, r->statistics->parameters[m].ci_low, 1e-12);
    assert_close(r->curves[m].high, r->statistics->parameters[m].ci_high, 1e-12);
  }
  assert_close(r->freedom, known_rows(&k) - 2, 0);
  assert_close(r->threshold, pow(student_quantile(0.975, r->freedom), 2), 1e-12);
  profile_free(r);
  set_sigma(&k, SIGMA_NUMBER, 0.5);
  r = profiles(k.problem, NULL, 0, 0.95);
  assert_close(r->threshold, pow(normal_quantile(0.975), 2), 1e-12);
  assert_close(r->curves[0].factor, 1, 1e-9);
  profile_free(r);
  known_close(&k);
}

// With the others at their best, every number on the way is a minimum: no small change of the others is better.
static void points_are_minima_over_the_others(void **state) {
  (void)state;
  Known k = decay("k: {start: 0.7, min: 0.05, max: 5}, b: {start: 0.5, min: 0.1, max: 10}", 0.1);
  Profile *r = profiles(k.problem, (int[]){0}, 1, 0.95);
  const ProfileCurve *c = &r->curves[0];
  assert_int_equal(r->count, 1);
  assert_true(c->point_count > 6);
  for (int i = 0; i < c->point_count; i++) {
    double x[2] = {c->points[i].x[0], c->points[i].x[1]}, V = objective_at(k.problem, x);
    assert_close(x[0], c->points[i].value, 0);
    assert_close_relative(c->points[i].objective, V, 1e-7);
    if (i) assert_true(c->points[i - 1].value < c->points[i].value);
    for (int side = -1; side <= 1; side += 2) {
      double y[2] = {x[0], x[1] * (1 + 1e-3 * side)};
      assert_true(objective_at(k.problem, y) > V);
    }
  }
  profile_free(r);
  known_close(&k);
}

// V(k) = V(estimate) + what the threshold allows, by bisection.
static double direct_end(const Profile *r, double inside, double outside) {
  double limit = r->objective + r->threshold * r->curves[0].factor / 2;
  for (int i = 0; i < 60; i++) {
    double middle = (inside + outside) / 2;
    *(objective_at(r->problem, &middle) < limit ? &inside : &outside) = middle;
  }
  return inside;
}

static void one_number_ends_where_the_objective_does(void **state) {
  (void)state;
  Known k = {.text = DECAY,
             .measured = {"x"},
             .stop = 5,
             .step = 0.5,
             .estimate = "k: {start: 0.7, min: 0.01, max: 20}",
             .truth = {0.8},
             .options = "method: trust-region",
             .noise = 0.3,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  Profile *r = profiles(k.problem, NULL, 0, 0.99);
  const ProfileCurve *c = &r->curves[0];
  double width = c->side[1].at - c->side[0].at, x = r->fit->x[0];
  assert_true(profile_is_sound(r));
  assert_close(c->side[0].at, direct_end(r, x, 0.01), 1e-4 * width);
  assert_close(c->side[1].at, direct_end(r, x, 20), 1e-4 * width);
  // no parabola: that of the covariance is far off
  assert_true(fabs(c->side[1].at - c->high) > 0.05 * width);
  assert_true(c->side[1].at - x > 1.2 * (x - c->side[0].at));
  profile_free(r);
  known_close(&k);
}

static void a_number_on_a_logarithmic_scale_ends_at_the_same_places(void **state) {
  (void)state;
  Known a = decay("k: {start: 0.7, min: 0.05, max: 5}, b: {start: 0.5, min: 0.1, max: 10}", 0.1);
  Known b = decay("k: {start: 0.7, min: 0.05, max: 5, scale: log},"
                  " b: {start: 0.5, min: 0.1, max: 10, scale: log}",
                  0.1);
  Profile *one = profiles(a.problem, NULL, 0, 0.95), *two = profiles(b.problem, NULL, 0, 0.95);
  for (int m = 0; m < 2; m++)
    for (int side = 0; side < 2; side++)
      assert_close_relative(one->curves[m].side[side].at, two->curves[m].side[side].at, 1e-4);
  profile_free(one);
  profile_free(two);
  known_close(&a);
  known_close(&b);
}

// N log S rises by factor*threshold, S being the sum of squares with the other number at its best: of a linear model known.
static void an_estimated_sigma_takes_part(void **state) {
  (void)state;
  Known k = linear("method: trust-region");
  set_sigma(&k, SIGMA_ESTIMATED, 0);
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  double rows = known_rows(&k);
  assert_true(profile_is_sound(r));
  for (int m = 0; m < 2; m++) {
    const ProfileCurve *c = &r->curves[m];
    double inverse = c->std_error * c->std_error / c->factor;
    double way = sqrt(rows * inverse * expm1(c->factor * r->threshold / rows));
    assert_close_relative(c->side[1].at - r->fit->x[m], way, 1e-4);
    assert_close_relative(r->fit->x[m] - c->side[0].at, way, 1e-4);
    assert_true(way > c->high - r->fit->x[m]); // a little wider than by the covariance
    assert_close_relative(way, c->high - r->fit->x[m], 0.05);
  }
  profile_free(r);
  known_close(&k);
}

// ---------------------------------------------------------------- sides without end

static void an_interval_is_open_at_a_bound(void **state) {
  (void)state;
  Known k = decay("k: {start: 0.8, min: 0.79, max: 5}, b: {start: 0.5, min: 0.1, max: 10}", 0.1);
  Profile *r = profiles(k.problem, (int[]){0}, 1, 0.95);
  const ProfileCurve *c = &r->curves[0];
  assert_true(profile_is_sound(r));
  assert_int_equal(c->side[0].end, PROFILE_BOUND);
  assert_close(c->side[0].at, 0.79, 0);
  assert_true(c->side[0].highest < r->threshold);
  assert_int_equal(c->side[1].end, PROFILE_CROSSED);
  assert_int_equal(c->verdict, PROFILE_IS_OPEN);
  assert_non_null(strstr(c->remark, "0.79"));
  profile_free(r);
  known_close(&k);
}

static void a_bound_of_another_number_narrows_the_interval(void **state) {
  (void)state;
  Known wide = decay("k: {start: 0.7, min: 0.05, max: 5}, b: {start: 0.5, min: 0.1, max: 10}", 0.1);
  Known tight =
      decay("k: {start: 0.7, min: 0.05, max: 5}, b: {start: 2.45, min: 0.1, max: 2.5}", 0.1);
  Profile *a = profiles(wide.problem, (int[]){0}, 1, 0.95),
          *b = profiles(tight.problem, (int[]){0}, 1, 0.95);
  assert_true(profile_is_sound(b));
  assert_true(b->curves[0].side[1].at < a->curves[0].side[1].at - 1e-3);
  assert_int_equal(b->curves[0].side[1].end, PROFILE_CROSSED);
  profile_free(a);
  profile_free(b);
  known_close(&wide);
  known_close(&tight);
}

static void a_constraint_ends_an_interval(void **state) {
  (void)state;
  Known k = {.text = DECAY,
             .measured = {"x"},
             .stop = 5,
             .step = 0.25,
             .estimate = "k: {start: 0.7, min: 0.05, max: 5}, b: {start: 2.1, min: 0.1, max: 10}",
             .truth = {0.8, 2.4},
             .options = "method: sqp\nconstraints: ['b <= 3*k + 0.2', 'b <= 2.5']",
             .noise = 0.1,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  const ProfileCurve *b = &r->curves[1];
  assert_true(profile_is_sound(r));
  assert_int_equal(b->side[1].end, PROFILE_CONSTRAINT);
  assert_close(b->side[1].at, 2.5, 1e-3);
  assert_non_null(strstr(b->remark, "The constraints allow b no value above 2.5"));
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < r->curves[m].point_count; i++) {
      const double *x = r->curves[m].points[i].x;
      assert_true(x[1] <= 3 * x[0] + 0.2 + 1e-6);
      assert_true(x[1] <= 2.5 + 1e-6);
    }
  profile_free(r);
  known_close(&k);
}

static void a_product_is_flat_in_its_factors(void **state) {
  (void)state;
  Known k = {.text = PRODUCT,
             .measured = {"x"},
             .stop = 2,
             .step = 0.02,
             .estimate = "a: {start: 1.5, min: 0}, b: {start: 2, min: 0}, c: {start: 0.5}",
             .truth = {2, 3, 1},
             .options = "method: trust-region",
             .noise = 0.02,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  const ProfileCurve *a = &r->curves[0], *c = &r->curves[2];
  assert_true(profile_is_sound(r));
  assert_int_equal(a->verdict, PROFILE_IS_STRUCTURAL);
  assert_int_equal(r->curves[1].verdict, PROFILE_IS_STRUCTURAL);
  assert_int_equal(a->side[1].end, PROFILE_RANGE);
  assert_int_equal(a->move_count, 1);
  assert_int_equal(a->moves[0], 1);
  assert_non_null(strstr(a->remark, "The data do not determine a: its profile is flat over ["));
  assert_non_null(strstr(a->remark, "while b moves along with it"));
  assert_non_null(strstr(a->remark, "a*b"));
  for (int i = 0; i < a->point_count; i++)
    if (a->points[i].ratio < 1)
      assert_close_relative(a->points[i].x[0] * a->points[i].x[1], r->fit->x[0] * r->fit->x[1],
                            0.01);
  assert_int_equal(c->verdict, PROFILE_IS_DETERMINED);
  profile_free(r);
  known_close(&k);
}

// The plateau above 5 s of saturation is reached by all large k alike: no structure, but no upper end either.
static void what_noise_hides_is_open(void **state) {
  (void)state;
  Known k = {.text = "model Fast\n  parameter Real k = 1;\n  Real x(start = 0, fixed = true);\n"
                     "equation\n  der(x) = k*(1 - x);\nend Fast;\n",
             .measured = {"x"},
             .stop = 5,
             .step = 0.5,
             .estimate = "k: {start: 5, min: 0.01}",
             .truth = {12},
             .options = "method: trust-region",
             .noise = 0.05,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  const ProfileCurve *c = &r->curves[0];
  assert_true(profile_is_sound(r));
  assert_int_equal(c->side[0].end, PROFILE_CROSSED);
  assert_int_equal(c->side[1].end, PROFILE_RANGE);
  assert_true(c->verdict == PROFILE_IS_OPEN || c->verdict == PROFILE_IS_FLAT);
  assert_true(c->remark[0]);
  profile_free(r);
  known_close(&k);
}

static Known constrained(const char *options) {
  Known k = {.text = DECAY,
             .measured = {"x"},
             .stop = 5,
             .step = 0.25,
             .estimate = "k: {start: 0.7, min: 0.05, max: 5}, b: {start: 2.1, min: 0.1, max: 10}",
             .truth = {0.8, 2.4},
             .options = options,
             .noise = 0.1,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  return k;
}

// One number less is free, and the covariance keeps to the constraint, as the profile does.
static void an_equality_takes_a_degree_of_freedom(void **state) {
  (void)state;
  Known k = constrained("method: sqp\nconstraints: ['b == 3*k']");
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  assert_true(profile_is_sound(r));
  assert_close(r->freedom, known_rows(&k) - 1, 0);
  for (int m = 0; m < 2; m++) {
    const ProfileCurve *c = &r->curves[m];
    assert_int_equal(c->verdict, PROFILE_IS_DETERMINED);
    assert_close_relative(c->side[1].at - c->side[0].at, c->high - c->low, 0.05);
  }
  profile_free(r);
  known_close(&k);
}

static void constraints_that_say_the_same_count_once(void **state) {
  (void)state;
  Known one = constrained("method: sqp\nconstraints: ['b == 3*k']");
  Known many = constrained("method: sqp\nconstraints: ['b == 3*k', '2*b == 6*k', 'b <= 3*k',"
                           " 'b^2 == 9*k^2']");
  Profile *r = profiles(one.problem, NULL, 0, 0.95), *same = profiles(many.problem, NULL, 0, 0.95);
  assert_true(profile_is_sound(same));
  assert_close(same->freedom, r->freedom, 0);
  for (int m = 0; m < 2; m++) {
    assert_close_relative(same->curves[m].std_error, r->curves[m].std_error, 1e-4);
    for (int side = 0; side < 2; side++)
      assert_close(same->curves[m].side[side].at, r->curves[m].side[side].at,
                   0.01 * r->curves[m].std_error);
  }
  profile_free(r);
  profile_free(same);
  known_close(&one);
  known_close(&many);
}

static void what_constraints_fix_is_not_flat(void **state) {
  (void)state;
  Known k = constrained("method: sqp\nconstraints: ['k == 0.8']");
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  assert_true(profile_is_sound(r));
  assert_int_equal(r->curves[0].verdict, PROFILE_IS_DETERMINED);
  assert_string_equal(r->curves[0].remark, "The constraints fix k at 0.8.");
  assert_int_equal(r->curves[1].verdict, PROFILE_IS_DETERMINED);
  profile_free(r);
  known_close(&k);
}

// The standard errors of a fit keep to constraints that are active at the estimates.
static void the_covariance_is_said_to_keep_to_active_constraints(void **state) {
  (void)state;
  Known k = constrained("method: sqp\nconstraints: ['b <= 2*k + 0.2']");
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  int said = 0;
  for (int m = 0; m < 2; m++) {
    const char *remark = r->curves[m].remark;
    assert_null(strstr(remark, "nothing of"));
    said += strstr(remark, "as the covariance says, which keeps to the active constraints") != NULL;
  }
  assert_true(said > 0);
  profile_free(r);
  known_close(&k);
}

// ---------------------------------------------------------------- a rough objective

static void a_rough_objective_has_no_profiles(void **state) {
  (void)state;
  for (int digits = 1; digits <= 2; digits++) {
    Known k = linear("method: trust-region");
    k.problem->options.round_digits = digits;
    Profile *r = profiles(k.problem, NULL, 0, 0.95);
    assert_true(r->rough);
    assert_false(profile_is_sound(r));
    assert_false(r->stopped);
    assert_int_equal(r->restarts, 0);
    assert_int_equal(r->note_count, 1);
    assert_non_null(strstr(r->notes[0], "The objective is too rough for profiles"));
    assert_non_null(strstr(r->notes[0], "round_digits"));
    for (int m = 0; m < 2; m++) {
      assert_int_equal(r->curves[m].side[0].end, PROFILE_ROUGH);
      assert_int_equal(r->curves[m].verdict, PROFILE_IS_UNKNOWN);
      assert_int_equal(r->curves[m].point_count, 0);
    }
    profile_free(r);
    known_close(&k);
  }
}

// Roughness far below the threshold changes little, and is no reason to begin again.
static void a_little_roughness_does_no_harm(void **state) {
  (void)state;
  for (int digits = 4; digits <= 8; digits++) {
    Known k = linear("method: trust-region");
    k.problem->options.round_digits = digits;
    Profile *r = profiles(k.problem, NULL, 0, 0.95);
    assert_true(profile_is_sound(r));
    assert_int_equal(r->restarts, 0);
    assert_true(r->roughness > 0);
    for (int m = 0; m < 2; m++) {
      const ProfileCurve *c = &r->curves[m];
      assert_close_relative(c->side[1].at - c->side[0].at, c->high - c->low, 0.1);
    }
    profile_free(r);
    known_close(&k);
  }
}

// ---------------------------------------------------------------- budgets

static void a_budget_that_is_used_up_is_the_reason(void **state) {
  (void)state;
  Known k = decay("k: {start: 0.7, min: 0.05, max: 5}, b: {start: 0.5, min: 0.1, max: 10}", 0.1);
  k.problem->options.max_simulations = 1;
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  assert_false(profile_is_sound(r));
  assert_false(r->stopped);
  for (int m = 0; m < 2; m++) {
    assert_int_equal(r->curves[m].side[0].end, PROFILE_BUDGET);
    assert_int_equal(r->curves[m].side[1].end, PROFILE_BUDGET);
    assert_non_null(strstr(r->curves[m].remark, "could not be fitted with max_simulations 1:"));
  }
  profile_free(r);
  known_close(&k);
}

static void every_refit_has_the_budget_of_a_fit(void **state) {
  (void)state;
  Known k = decay("k: {start: 0.7, min: 0.05, max: 5}, b: {start: 0.5, min: 0.1, max: 10}", 0.1);
  k.problem->options.max_simulations = 15;
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  assert_true(profile_is_sound(r));
  assert_true(r->work.simulations + r->work.sensitivity_simulations > 4 * 15);
  profile_free(r);
  known_close(&k);
}

static const double SECONDS = 0.3;

static bool wastes_time(void *data, const Profile *p, bool fitting) {
  bool *done = data;
  (void)p;
  if (fitting || *done) return true;
  *done = true;
  nanosleep(&(struct timespec){.tv_nsec = (long)(SECONDS * 1e9)}, NULL);
  return true;
}

static void time_that_is_over_is_told_from_a_stop(void **state) {
  (void)state;
  Err err = {0};
  bool done = false;
  ProfileRequest request = {NULL, 0, 0.95, 1000};
  Known k = decay("k: {start: 0.8, min: 0.05, max: 5}, b: {start: 2.4, min: 0.1, max: 10}", 0.1);
  k.problem->options.max_seconds = SECONDS;
  Profile *r = profile_run(k.problem, &request, wastes_time, &done, &err);
  assert_non_null(r);
  assert_true(r->stopped && r->timeout);
  assert_false(profile_is_sound(r));
  assert_int_equal(r->curves[0].side[0].end, PROFILE_STOPPED);
  profile_free(r);
  known_close(&k);
}

// ---------------------------------------------------------------- a model without states

static void nothing_is_simulated_more_sharply_without_states(void **state) {
  (void)state;
  Known k = {.text = "model Straight\n  parameter Real a = 1;\n  parameter Real b = 2;\n"
                     "  Real x;\nequation\n  x = a + b*time;\nend Straight;\n",
             .measured = {"x"},
             .stop = 3,
             .step = 0.1,
             .estimate = "a: {start: 0.5}, b: {start: 1}",
             .truth = {1, 2},
             .options = "method: trust-region",
             .noise = 1e-7,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  assert_true(profile_is_sound(r));
  assert_close(r->rel_tol, k.problem->simulate.rel_tol, 0);
  for (int m = 0; m < 2; m++) {
    const ProfileCurve *c = &r->curves[m];
    assert_true(c->high - c->low < 1e-6); // noise, not rel_tol, gives the width
    assert_close_relative(c->side[1].at - c->side[0].at, c->high - c->low, 0.01);
  }
  profile_free(r);
  known_close(&k);
}

// ---------------------------------------------------------------- a better optimum

static void a_better_optimum_on_the_way_becomes_the_result(void **state) {
  (void)state;
  Known k = {.text = TWO,
             .measured = {"x"},
             .stop = 1,
             .step = 0.1,
             .estimate = "p: {start: 1.2, min: -3, max: 3}",
             .truth = {-1},
             .options = "method: trust-region",
             .noise = 0};
  known_open(&k);
  set_sigma(&k, SIGMA_NUMBER, 1.3);
  Problem local = *k.problem;
  FitResult *wrong = fit_run(&local, NULL, NULL, NULL);
  assert_true(wrong->x[0] > 0.5);
  Profile *r = profiles(k.problem, NULL, 0, 0.95);
  assert_true(profile_is_sound(r));
  assert_false(r->rough); // it bends so much that no polynomial follows it far
  assert_int_equal(r->restarts, 1);
  assert_int_equal(r->note_count, 1);
  assert_non_null(strstr(r->notes[0], "The profile of p found a better optimum"));
  assert_true(r->fit->x[0] < -0.5);
  assert_true(r->fit->objective < wrong->objective);
  for (int i = 0; i < r->curves[0].point_count; i++)
    assert_true(r->curves[0].points[i].objective >= r->fit->objective - 1e-12);
  fit_free(wrong);
  profile_free(r);
  known_close(&k);
}

// ---------------------------------------------------------------- threads, stopping

static void assert_same(const Profile *a, const Profile *b) {
  assert_int_equal(a->count, b->count);
  for (int i = 0; i < a->count; i++) {
    const ProfileCurve *x = &a->curves[i], *y = &b->curves[i];
    assert_int_equal(x->point_count, y->point_count);
    for (int side = 0; side < 2; side++) {
      assert_memory_equal(&x->side[side].at, &y->side[side].at, sizeof(double));
      assert_int_equal(x->side[side].end, y->side[side].end);
    }
    for (int k = 0; k < x->point_count; k++) {
      assert_memory_equal(&x->points[k].objective, &y->points[k].objective, sizeof(double));
      assert_memory_equal(x->points[k].x, y->points[k].x,
                          (size_t)a->problem->unknown_count * sizeof(double));
    }
    assert_string_equal(x->remark, y->remark);
  }
  assert_int_equal(a->work.simulations, b->work.simulations);
  assert_int_equal(a->work.sensitivity_simulations, b->work.sensitivity_simulations);
}

static void the_number_of_threads_changes_nothing(void **state) {
  (void)state;
  Known k = decay("k: {start: 0.7, min: 0.05, max: 5}, b: {start: 0.5, min: 0.1, max: 10}", 0.1);
  k.problem->options.threads = 1;
  Profile *one = profiles(k.problem, NULL, 0, 0.95);
  static const int THREADS[] = {2, 3, 8};
  for (int i = 0; i < 3; i++) {
    k.problem->options.threads = THREADS[i];
    Profile *many = profiles(k.problem, NULL, 0, 0.95);
    assert_same(one, many);
    profile_free(many);
  }
  profile_free(one);
  known_close(&k);
}

static bool stop_at_once(void *data, const Profile *p, bool fitting) {
  int *told = data;
  (void)p;
  *told += !fitting;
  return fitting;
}

static void who_listens_may_stop_it(void **state) {
  (void)state;
  Err err = {0};
  Known k = decay("k: {start: 0.7, min: 0.05, max: 5}, b: {start: 0.5, min: 0.1, max: 10}", 0.1);
  for (int threads = 1; threads < 4; threads++) {
    int told = 0;
    k.problem->options.threads = threads;
    Profile *r =
        profile_run(k.problem, &(ProfileRequest){NULL, 0, 0.95, 100}, stop_at_once, &told, &err);
    assert_non_null(r);
    assert_true(told > 0);
    // Other threads may have followed all sides when the first is collected: then nothing is missing.
    assert_int_equal(r->stopped, r->sides_done < r->sides);
    assert_int_equal(profile_is_sound(r), !r->stopped);
    if (threads == 1) assert_true(r->stopped);
    profile_free(r);
  }
  known_close(&k);
}

// ---------------------------------------------------------------- examples

static Problem *example(const char *path) {
  Err err = {0};
  Problem *p = problem_load(path, NULL, 0, &err);
  if (!p) print_error("%s\n", err.text);
  assert_non_null(p);
  return p;
}

static void two_dof_agrees_with_its_covariance(void **state) {
  (void)state;
  Problem *p = example("examples/two_dof/problem.yaml");
  Profile *r = profiles(p, NULL, 0, 0.95);
  assert_true(profile_is_sound(r));
  for (int m = 0; m < 3; m++) {
    const ProfileCurve *c = &r->curves[m];
    assert_int_equal(c->verdict, PROFILE_IS_DETERMINED);
    for (int side = 0; side < 2; side++) {
      double half = fabs((side ? c->high : c->low) - r->fit->x[m]);
      assert_close_relative(fabs(c->side[side].at - r->fit->x[m]), half, 0.05);
    }
  }
  profile_free(r);
  problem_free(p);
}

static void alpha_of_the_damper_is_flat(void **state) {
  (void)state;
  Problem *p = example("examples/mr_damper/problem.yaml");
  enum { C0, K0, ALPHA, BETA, GAMMA, A, EXPONENT };
  Profile *r = profiles(p, (int[]){ALPHA, C0, K0, EXPONENT}, 4, 0.95);
  const ProfileCurve *alpha = &r->curves[0];
  assert_true(profile_is_sound(r));
  assert_int_equal(alpha->verdict, PROFILE_IS_STRUCTURAL);
  assert_close(alpha->side[0].flat_to, 264, 0.3);
  assert_close(alpha->side[1].flat_to, 1000, 0);
  assert_int_equal(alpha->move_count, 3);
  assert_int_equal(alpha->moves[0], BETA);
  assert_int_equal(alpha->moves[2], A);
  assert_non_null(strstr(alpha->remark, "The data do not determine alpha: its profile is flat over "
                                        "[264, 1000], while beta, gamma and A move along"));
  for (int m = 1; m < 4; m++) {
    assert_int_equal(r->curves[m].verdict, PROFILE_IS_DETERMINED);
    assert_close_relative(r->curves[m].side[1].at - r->curves[m].side[0].at,
                          r->curves[m].high - r->curves[m].low, 0.05);
  }
  profile_free(r);
  problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_linear_model_has_the_interval_of_the_covariance),
      cmocka_unit_test(the_interval_at_95_percent_is_that_of_the_fit),
      cmocka_unit_test(points_are_minima_over_the_others),
      cmocka_unit_test(one_number_ends_where_the_objective_does),
      cmocka_unit_test(a_number_on_a_logarithmic_scale_ends_at_the_same_places),
      cmocka_unit_test(an_estimated_sigma_takes_part),
      cmocka_unit_test(an_interval_is_open_at_a_bound),
      cmocka_unit_test(a_bound_of_another_number_narrows_the_interval),
      cmocka_unit_test(a_constraint_ends_an_interval),
      cmocka_unit_test(a_product_is_flat_in_its_factors),
      cmocka_unit_test(what_noise_hides_is_open),
      cmocka_unit_test(an_equality_takes_a_degree_of_freedom),
      cmocka_unit_test(constraints_that_say_the_same_count_once),
      cmocka_unit_test(what_constraints_fix_is_not_flat),
      cmocka_unit_test(the_covariance_is_said_to_keep_to_active_constraints),
      cmocka_unit_test(a_rough_objective_has_no_profiles),
      cmocka_unit_test(a_little_roughness_does_no_harm),
      cmocka_unit_test(a_budget_that_is_used_up_is_the_reason),
      cmocka_unit_test(every_refit_has_the_budget_of_a_fit),
      cmocka_unit_test(time_that_is_over_is_told_from_a_stop),
      cmocka_unit_test(nothing_is_simulated_more_sharply_without_states),
      cmocka_unit_test(a_better_optimum_on_the_way_becomes_the_result),
      cmocka_unit_test(the_number_of_threads_changes_nothing),
      cmocka_unit_test(who_listens_may_stop_it),
      cmocka_unit_test(two_dof_agrees_with_its_covariance),
      cmocka_unit_test(alpha_of_the_damper_is_flat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
