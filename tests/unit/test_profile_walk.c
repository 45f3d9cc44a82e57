// Walks along profiles whose shape is known.
#include "study/profile_walk.h"

#include "test.h"

typedef struct Hill {
  double (*root)(double at); // NaN: there is no value; infinite: forbidden
  int visits;
  double farthest;
} Hill;

static VisitEnd climb(void *self, double at, double *root) {
  Hill *h = self;
  h->visits++;
  h->farthest = fmax(h->farthest, fabs(at));
  *root = h->root(at);
  if (isnan(*root)) return VISIT_FAILED;
  if (isinf(*root)) return VISIT_FORBIDDEN;
  return *root < 0 ? VISIT_BETTER : VISIT_DONE;
}

static WalkResult walk(double (*root)(double), double to, double step, int *visits) {
  Hill h = {root, 0, 0};
  Walk w = {.from = 0,
            .to = to,
            .step = step,
            .step_most = isfinite(to) ? fabs(to) / 6 : HUGE_VAL,
            .height = 2,
            .visits_most = 80,
            .self = &h,
            .visit = climb};
  WalkResult r = walk_run(&w);
  assert_int_equal(r.visits, h.visits);
  assert_true(h.farthest <= fabs(to));
  if (visits) *visits = h.visits;
  return r;
}

static double straight(double at) {
  return fabs(at);
}
static double cubic(double at) {
  return fabs(at * at * at);
}
static double slow(double at) {
  return log1p(fabs(at));
}
static double flat(double at) {
  (void)at;
  return 0;
}
static double wall(double at) { // flat, then steep
  return at < 7 ? 0 : 1e6 * (at - 7);
}
static double step_up(double at) {
  return at < 3 ? 0.1 * at : 50;
}
static double ends_at_five(double at) {
  return at < 5 ? 0.1 * at : nan("");
}
static double forbidden_at_five(double at) {
  return at < 5 ? 0.1 * at : HUGE_VAL;
}
static double hole(double at) {
  return at < 1 ? at : -1;
}

static void a_parabola_is_crossed_where_its_formula_says(void **state) {
  (void)state;
  for (double step = 1e-6; step < 20; step *= 7) {
    int visits;
    WalkResult r = walk(straight, HUGE_VAL, step, &visits);
    assert_int_equal(r.end, WALK_CROSSED);
    assert_close(r.at, 2, 1e-9);
    assert_false(r.jump);
    assert_close(walk(straight, -HUGE_VAL, step, NULL).at, -2, 1e-9);
  }
  int visits;
  walk(straight, HUGE_VAL, 0.5, &visits);
  assert_true(visits <= 6); // steps of a quarter of the height, and the crossing
}

static void other_shapes_are_crossed_within_a_thousandth(void **state) {
  (void)state;
  int visits;
  for (double step = 1e-4; step < 3; step *= 5) {
    WalkResult r = walk(cubic, HUGE_VAL, step, &visits);
    assert_int_equal(r.end, WALK_CROSSED);
    assert_close_relative(r.at, cbrt(2), 1e-3);
    assert_true(visits < 30);
    r = walk(slow, HUGE_VAL, step, &visits);
    assert_close_relative(r.at, expm1(2), 1e-3);
    assert_true(visits < 30);
  }
}

static void steps_grow_where_it_is_flat(void **state) {
  (void)state;
  int visits;
  WalkResult r = walk(flat, 1000, 1e-6, &visits);
  assert_int_equal(r.end, WALK_AT_END);
  assert_close(r.at, 1000, 0);
  assert_true(visits < 35);
}

static void a_wall_is_found(void **state) {
  (void)state;
  int visits;
  WalkResult r = walk(wall, 100, 0.01, &visits);
  assert_int_equal(r.end, WALK_CROSSED);
  assert_close(r.at, 7, 2e-3);
  assert_true(visits < 45);
}

static void a_jump_is_told(void **state) {
  (void)state;
  WalkResult r = walk(step_up, 100, 0.1, NULL);
  assert_int_equal(r.end, WALK_CROSSED);
  assert_close(r.at, 3, 1e-3);
  assert_true(r.jump);
}

// The far end of the first large step is another minimum; from the near side it is low.
static VisitEnd twice(void *self, double at, double *root) {
  bool *wrong = self;
  bool far = at >= 3 && !*wrong;
  *root = far ? 50 : fabs(at) / 4;
  if (at >= 2.999 && at < 3) *wrong = true;
  return VISIT_DONE;
}

static void a_jump_that_is_a_wrong_minimum_is_walked_over(void **state) {
  (void)state;
  bool wrong = false;
  Walk w = {.to = 100,
            .step = 0.5,
            .step_most = 20,
            .height = 2,
            .visits_most = 80,
            .self = &wrong,
            .visit = twice};
  WalkResult r = walk_run(&w);
  assert_int_equal(r.end, WALK_CROSSED);
  assert_close(r.at, 8, 1e-6);
  assert_false(r.jump);
}

static void where_there_is_no_value_the_walk_ends(void **state) {
  (void)state;
  WalkResult r = walk(ends_at_five, 100, 0.1, NULL);
  assert_int_equal(r.end, WALK_FAILED);
  assert_close(r.at, 5, 0.01);
  r = walk(forbidden_at_five, 100, 0.1, NULL);
  assert_int_equal(r.end, WALK_FORBIDDEN);
  assert_close(r.at, 5, 0.01);
}

static void a_better_minimum_ends_the_walk(void **state) {
  (void)state;
  WalkResult r = walk(hole, 100, 0.1, NULL);
  assert_int_equal(r.end, WALK_BETTER);
  assert_true(r.at < 1);
}

static void an_end_at_the_start_is_reached(void **state) {
  (void)state;
  int visits;
  WalkResult r = walk(straight, 0, 0.1, &visits);
  assert_int_equal(r.end, WALK_AT_END);
  assert_close(r.at, 0, 0);
  assert_int_equal(visits, 0);
}

static void a_walk_that_is_too_long_ends(void **state) {
  (void)state;
  Hill h = {flat, 0, 0};
  Walk w = {.to = 1000,
            .step = 1,
            .step_most = 1,
            .height = 2,
            .visits_most = 20,
            .self = &h,
            .visit = climb};
  WalkResult r = walk_run(&w);
  assert_int_equal(r.end, WALK_TOO_LONG);
  assert_int_equal(h.visits, 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_parabola_is_crossed_where_its_formula_says),
      cmocka_unit_test(other_shapes_are_crossed_within_a_thousandth),
      cmocka_unit_test(steps_grow_where_it_is_flat),
      cmocka_unit_test(a_wall_is_found),
      cmocka_unit_test(a_jump_is_told),
      cmocka_unit_test(a_jump_that_is_a_wrong_minimum_is_walked_over),
      cmocka_unit_test(where_there_is_no_value_the_walk_ends),
      cmocka_unit_test(a_better_minimum_ends_the_walk),
      cmocka_unit_test(an_end_at_the_start_is_reached),
      cmocka_unit_test(a_walk_that_is_too_long_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
