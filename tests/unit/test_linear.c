#include "local/linear.h"

#include <stdbool.h>
#include <string.h>

#include "num/random.h"
#include "test.h"

enum { MOST = 9 };

typedef struct Example { // a random model
  Arena *arena;
  Random random;
  LinearModel model;
  LinearWork *work;
  double R[MOST * MOST], z[MOST], scale[MOST], low[MOST], high[MOST], d[MOST];
} Example;

// Every third column is a multiple of the one before when the rank is wanted short.
static void make(Example *e, int n, bool short_of_rank, uint64_t seed) {
  memset(e, 0, sizeof *e);
  random_seed(&e->random, seed);
  for (int i = 0; i < n; i++) {
    for (int j = i; j < n; j++) e->R[i * n + j] = random_normal(&e->random);
    e->z[i] = random_normal(&e->random);
    e->scale[i] = 0.5 + random_uniform(&e->random);
    e->low[i] = -random_uniform(&e->random);
    e->high[i] = random_uniform(&e->random);
    if (random_uniform(&e->random) < 0.2) e->low[i] = 0;
    if (random_uniform(&e->random) < 0.2) e->high[i] = 0;
    if (random_uniform(&e->random) < 0.1) e->low[i] = -HUGE_VAL;
    if (random_uniform(&e->random) < 0.1) e->high[i] = HUGE_VAL;
  }
  for (int j = 2; short_of_rank && j < n; j += 3)
    for (int i = 0; i < n; i++) e->R[i * n + j] = 2 * e->R[i * n + j - 1];
  e->arena = arena_new();
  e->work = linear_new(e->arena, n);
  e->model = (LinearModel){n, e->R, e->z, e->scale, e->low, e->high};
}

// R'(z + R d) + damping*scale^2*d
static void slope_at(const Example *e, double damping, const double *d, double *slope) {
  int n = e->model.n;
  double rest[MOST] = {0};
  for (int i = 0; i < n; i++) {
    rest[i] = e->z[i];
    for (int j = i; j < n; j++) rest[i] += e->R[i * n + j] * d[j];
  }
  linear_slope(n, e->R, rest, slope, NULL);
  for (int i = 0; i < n; i++) slope[i] += damping * e->scale[i] * e->scale[i] * d[i];
}

static void the_slope_vanishes_at_the_step(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; n++)
    for (int k = 0; k < 20; k++) {
      Example e;
      double slope[MOST], damping = pow(10, -k / 2.0);
      make(&e, n, k % 2, (uint64_t)(100 * n + k));
      linear_step(e.work, &e.model, damping, NULL, e.d);
      slope_at(&e, damping, e.d, slope);
      for (int i = 0; i < n; i++) assert_close(slope[i], 0, 1e-9);
      arena_free(e.arena);
    }
}

static void numbers_that_are_not_used_stay(void **state) {
  (void)state;
  for (int k = 0; k < 100; k++) {
    Example e;
    double slope[MOST];
    int n = MOST, use[MOST];
    make(&e, n, false, (uint64_t)k);
    for (int i = 0; i < n; i++) use[i] = random_uniform(&e.random) < 0.5;
    linear_step(e.work, &e.model, 0.1, use, e.d);
    slope_at(&e, 0.1, e.d, slope);
    for (int i = 0; i < n; i++) assert_close(use[i] ? slope[i] : e.d[i], 0, use[i] ? 1e-10 : 0);
    arena_free(e.arena);
  }
}

static void the_step_of_least_damping_is_the_shortest_one(void **state) {
  (void)state;
  // z + R d = 0 for all d with d0 + 2*d1 = -5
  double R[4] = {1, 2, 0, 0}, z[2] = {5, 0}, one[2] = {1, 1}, d[2];
  Arena *a = arena_new();
  LinearModel m = {2, R, z, one, NULL, NULL};
  linear_step(linear_new(a, 2), &m, linear_least_damping(&m), NULL, d);
  assert_close(d[0], -1, 1e-9);
  assert_close(d[1], -2, 1e-9);
  assert_close(linear_gain(&m, d), 12.5, 1e-9);
  arena_free(a);
}

// Conditions of an optimum: inside no slope, at a bound none that leads inside.
static void assert_optimal(const Example *e, double damping) {
  double slope[MOST];
  slope_at(e, damping, e->d, slope);
  for (int i = 0; i < e->model.n; i++) {
    assert_true(e->d[i] >= e->low[i] && e->d[i] <= e->high[i]);
    if (e->d[i] > e->low[i]) assert_true(slope[i] < 1e-8);
    if (e->d[i] < e->high[i]) assert_true(slope[i] > -1e-8);
  }
}

static void the_boxed_step_is_the_minimum_in_the_box(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; n++)
    for (int k = 0; k < 300; k++) {
      Example e;
      double damping = k % 3 ? pow(10, -k % 8) : 1e-20;
      make(&e, n, k % 5 == 0 && k % 3, (uint64_t)(1000 * n + k));
      linear_boxed_step(e.work, &e.model, damping, e.d);
      assert_optimal(&e, damping);
      assert_true(linear_gain(&e.model, e.d) >= 0);
      arena_free(e.arena);
    }
}

static void stronger_damping_makes_shorter_steps(void **state) {
  (void)state;
  for (int k = 0; k < 50; k++) {
    Example e;
    double last = HUGE_VAL;
    make(&e, MOST, k % 2, (uint64_t)k);
    for (double damping = 1e-12; damping < 1e6; damping *= 10) {
      linear_boxed_step(e.work, &e.model, damping, e.d);
      double size = linear_size(&e.model, e.d);
      assert_true(size <= last * (1 + 1e-6));
      last = size;
    }
    arena_free(e.arena);
  }
}

static void a_column_of_zeros_does_not_move(void **state) {
  (void)state;
  Example e;
  make(&e, 4, false, 3);
  for (int i = 0; i < 4; i++) e.R[i * 4 + 2] = 0;
  linear_step(e.work, &e.model, linear_least_damping(&e.model), NULL, e.d);
  assert_close(e.d[2], 0, 0);
  arena_free(e.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_slope_vanishes_at_the_step),
      cmocka_unit_test(numbers_that_are_not_used_stay),
      cmocka_unit_test(the_step_of_least_damping_is_the_shortest_one),
      cmocka_unit_test(the_boxed_step_is_the_minimum_in_the_box),
      cmocka_unit_test(stronger_damping_makes_shorter_steps),
      cmocka_unit_test(a_column_of_zeros_does_not_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
