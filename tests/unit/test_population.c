#include "global/population.h"

#include "global_trial.h"

static const PopulationDefaults SUITS = {12, 30, 5};

static Population *begun(Trial *t, bool begin) {
  t->lowest = t->last = HUGE_VAL;
  Population *p = population_new(&t->lsq, &t->options, &t->result, &SUITS);
  if (begin) population_begin(p);
  return p;
}

static void options_go_before_what_suits(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, 1);
  Population *p = begun(t, false);
  assert_int_equal(p->size, 12);
  assert_int_equal(p->generations, 30);
  assert_int_equal(p->stall.window, 5);
  population_free(p);
  t->population.population = 7, t->population.generations = 4, t->population.stall = 3;
  p = begun(t, false);
  assert_int_equal(p->size, 7);
  assert_int_equal(p->generations, 4);
  assert_int_equal(p->stall.window, 3);
  population_free(p);
  t->population.population = 10000000, t->population.max_simulations = 50,
  t->population.stall = 1000000000;
  p = begun(t, false);
  assert_int_equal(p->size, 50);
  assert_int_equal(p->stall.window, 5);
  population_free(p);
  trial_free(t);
}

static void the_start_is_the_first_member(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 3, 0.7);
  t->result.best->x[2] = 99; // moved inside the bounds
  Population *p = begun(t, true);
  const double start[] = {0.7, 0.7, 5};
  assert_true(memcmp(p->x, start, sizeof start) == 0);
  assert_int_equal(t->points, 12);
  assert_true(t->result.best->objective == t->lowest);
  assert_false(p->ended);
  population_free(p);
  trial_free(t);
}

// A Latin hypercube of the eleven others: one in each eleventh of the box.
static void members_are_spread_over_the_box(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, 1);
  t->box_low[0] = -2, t->box_high[0] = 1;
  t->lower[1] = t->upper[1] = t->box_low[1] = t->box_high[1] = 3;
  Population *p = begun(t, true);
  int held[11] = {0};
  assert_int_equal(p->movable, 1);
  for (int k = 1; k < 12; k++) {
    held[(int)((p->x[2 * k] + 2) / 3 * 11)]++;
    assert_true(p->x[2 * k + 1] == 3);
  }
  for (int k = 0; k < 11; k++) assert_int_equal(held[k], 1);
  population_free(p);
  trial_free(t);
}

static bool wall_but_a_corner(const double *x) {
  return x[0] < 4.8; // of -5 to 5
}

static void the_first_population_is_drawn_again_when_none_can_be_simulated(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, 1);
  t->population.population = 4;
  t->wall = wall_but_a_corner;
  Population *p = begun(t, true);
  assert_false(p->ended);
  assert_true(t->calls > 1);
  assert_int_equal(t->result.evaluations, t->points);
  assert_true(t->result.best->x[0] >= 4.8);
  population_free(p);
  t->wall = wall_everywhere;
  p = begun(t, true);
  assert_true(p->ended);
  assert_int_equal(t->result.end, LOCAL_NO_START_END);
  population_free(p);
  trial_free(t);
}

static void equal_objectives_keep_their_order(void **state) {
  (void)state;
  const double V[] = {3, 1, HUGE_VAL, 1, 0, 3, HUGE_VAL, 1};
  const int expected[] = {4, 1, 3, 7, 0, 5, 2, 6};
  int order[8], scratch[8];
  population_rank(V, 8, order, scratch);
  for (int k = 0; k < 8; k++) assert_int_equal(order[k], expected[k]);
}

static void ranking_sorts(void **state) {
  (void)state;
  enum { COUNT = 1000 };
  static double V[COUNT];
  static int order[COUNT], scratch[COUNT], seen[COUNT];
  Random r;
  random_seed(&r, 1);
  for (int k = 0; k < COUNT; k++) V[k] = random_normal(&r);
  population_rank(V, COUNT, order, scratch);
  for (int k = 0; k < COUNT; k++) {
    seen[order[k]]++;
    if (k) assert_true(V[order[k - 1]] <= V[order[k]]);
  }
  for (int k = 0; k < COUNT; k++) assert_int_equal(seen[k], 1);
}

// Objectives 2^-k fall by half each time: never a stall. From a certain one on they fall by a millionth.
static void a_stall_is_seen_after_its_window(void **state) {
  (void)state;
  Arena *a = arena_new();
  Stall s;
  stall_init(&s, a, 4);
  double V = 1;
  for (int k = 0; k < 20; k++, V /= 2) assert_false(stall_add(&s, V, 1e-3, 0));
  V *= 2;
  for (int k = 0; k < 3; k++) assert_false(stall_add(&s, V *= 1 - 1e-6, 1e-3, 0));
  assert_true(stall_add(&s, V *= 1 - 1e-6, 1e-3, 0));
  assert_false(stall_add(&s, V / 2, 1e-3, 0));
  arena_free(a);
}

static void a_stall_is_relative_to_the_objective_and_the_floor(void **state) {
  (void)state;
  Arena *a = arena_new();
  const double floors[] = {0, 1}, sizes[] = {1e-9, 1e9};
  for (int f = 0; f < 2; f++)
    for (int k = 0; k < 2; k++) {
      Stall s;
      stall_init(&s, a, 2);
      bool stalls = false;
      for (int i = 0; i < 6; i++) stalls = stall_add(&s, sizes[k] * (10 - i), 1e-6, floors[f]);
      assert_int_equal(stalls, floors[f] == 1 && sizes[k] < 1);
    }
  arena_free(a);
}

static void nothing_that_fails_is_a_stall(void **state) {
  (void)state;
  Arena *a = arena_new();
  Stall s;
  stall_init(&s, a, 2);
  for (int i = 0; i < 6; i++) assert_false(stall_add(&s, HUGE_VAL, 1e-6, 0));
  assert_false(stall_add(&s, 1, 1e-6, 0));
  arena_free(a);
}

static void points_within_the_step_tolerance_are_one(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 2, 4);
  Population *p = begun(t, true);
  double *best = t->result.best->x, points[6];
  for (int k = 0; k < 6; k++) points[k] = best[k % 2] * (1 + 0.5e-8);
  assert_true(population_is_one_point(p, points, 3));
  points[5] = best[1] * (1 + 2e-8);
  assert_false(population_is_one_point(p, points, 3));
  assert_true(population_is_one_point(p, points, 2));
  population_free(p);
  trial_free(t);
}

// What has come to rest in the last generation allowed has come to rest.
static void rest_goes_before_the_limit(void **state) {
  (void)state;
  Trial *t = trial_new(flat, 2, 4);
  t->population.stall = 3;
  t->population.generations = 3;
  Population *p = begun(t, true);
  while (!p->ended) population_next(p, p->x);
  assert_int_equal(t->result.iterations, 3);
  assert_int_equal(t->result.end, LOCAL_STALL_END);
  population_free(p);
  trial_free(t);
}

// A stall in the same generation does not hide that the objective is as small as it can be.
static void a_good_objective_goes_before_a_stall(void **state) {
  (void)state;
  Trial *t = trial_new(flat, 2, 4);
  t->population.stall = 1;
  t->lsq.noise = 5;
  Population *p = begun(t, true);
  population_next(p, p->x);
  assert_int_equal(t->result.end, LOCAL_REDUCTION_END);
  population_free(p);
  trial_free(t);
}

static void picks_are_even(void **state) {
  (void)state;
  Trial *t = trial_new(flat, 2, 4);
  Population *p = begun(t, false);
  int count[7] = {0};
  for (int k = 0; k < 70000; k++) count[population_pick(p, 7)]++;
  for (int k = 0; k < 7; k++) assert_close(count[k], 10000, 5 * sqrt(10000));
  population_free(p);
  trial_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_go_before_what_suits),
      cmocka_unit_test(the_start_is_the_first_member),
      cmocka_unit_test(members_are_spread_over_the_box),
      cmocka_unit_test(the_first_population_is_drawn_again_when_none_can_be_simulated),
      cmocka_unit_test(equal_objectives_keep_their_order),
      cmocka_unit_test(ranking_sorts),
      cmocka_unit_test(a_stall_is_seen_after_its_window),
      cmocka_unit_test(a_stall_is_relative_to_the_objective_and_the_floor),
      cmocka_unit_test(nothing_that_fails_is_a_stall),
      cmocka_unit_test(points_within_the_step_tolerance_are_one),
      cmocka_unit_test(rest_goes_before_the_limit),
      cmocka_unit_test(a_good_objective_goes_before_a_stall),
      cmocka_unit_test(picks_are_even),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
