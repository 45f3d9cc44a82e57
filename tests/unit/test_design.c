#include "num/design.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "test.h"

enum { KINDS = DESIGN_RANDOM + 1 };

static double *points(Arena *a, int kind, uint64_t seed, int n, int count) {
  double *x = ARENA_ARRAY(a, double, n *count);
  design_points(kind, seed, n, count, x);
  for (int i = 0; i < n * count; i++) assert_true(x[i] > 0 && x[i] < 1);
  return x;
}

// Whether each of `parts` equal parts of the range of every number holds the same number of points.
static bool is_even(const double *x, int n, int first, int count, int parts) {
  bool even = true;
  for (int i = first; i < n; i++) {
    int *held = calloc((size_t)parts, sizeof *held);
    for (int k = 0; k < count; k++) held[(int)(x[k * n + i] * parts)]++;
    for (int part = 0; part < parts; part++) even = even && held[part] == count / parts;
    free(held);
  }
  return even;
}

// Star discrepancy in the plane; corners at the points are enough to compare.
static double discrepancy(const double *x, int count) {
  double most = 0;
  for (int k = 0; k < count; k++)
    for (int l = 0; l < count; l++) {
      double u = x[2 * k], v = x[2 * l + 1];
      int open = 0, closed = 0;
      for (int m = 0; m < count; m++) {
        open += x[2 * m] < u && x[2 * m + 1] < v;
        closed += x[2 * m] <= u && x[2 * m + 1] <= v;
      }
      double low = u * v - (double)open / count, high = (double)closed / count - u * v;
      most = fmax(most, fmax(low, high));
    }
  return most;
}

static void points_follow_from_the_seed(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; kind++)
    for (int n = 1; n < 50; n += 12) {
      Arena *a = arena_new();
      double *x = points(a, kind, 5, n, 20), *again = points(a, kind, 5, n, 20);
      double *other = points(a, kind, 6, n, 20);
      assert_true(memcmp(x, again, (size_t)n * 20 * sizeof *x) == 0);
      for (int i = 0; i < 20 * n; i++) assert_true(x[i] != other[i]);
      arena_free(a);
    }
}

static void every_part_of_a_latin_hypercube_holds_one_point(void **state) {
  (void)state;
  const int counts[] = {1, 2, 7, 50, 400, 401, 1000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (int n = 1; n < 12; n += 5) {
      Arena *a = arena_new();
      double *x = points(a, DESIGN_LATIN_HYPERCUBE, c, n, counts[c]);
      assert_true(is_even(x, n, 0, counts[c], counts[c]));
      arena_free(a);
    }
}

// Points that are drawn at random pass no such test.
static void random_points_are_uneven(void **state) {
  (void)state;
  Arena *a = arena_new();
  assert_false(is_even(points(a, DESIGN_RANDOM, 1, 3, 64), 3, 0, 64, 64));
  arena_free(a);
}

static double nearest(const double *x, int n, int count) {
  double least = HUGE_VAL;
  for (int k = 0; k < count; k++)
    for (int l = 0; l < k; l++) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += pow(x[k * n + i] - x[l * n + i], 2);
      least = fmin(least, sqrt(sum));
    }
  return least;
}

static void points_of_a_latin_hypercube_keep_their_distance(void **state) {
  (void)state;
  double latin = 0, random = 0;
  for (uint64_t seed = 0; seed < 50; seed++) {
    Arena *a = arena_new();
    latin += nearest(points(a, DESIGN_LATIN_HYPERCUBE, seed, 3, 30), 3, 30) / 50;
    random += nearest(points(a, DESIGN_RANDOM, seed, 3, 30), 3, 30) / 50;
    arena_free(a);
  }
  assert_true(latin > 1.5 * random);
}

static void powers_of_two_of_sobol_points_are_even(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int k = 0; k <= 12; k++) {
    double *x = points(a, DESIGN_SOBOL, 3, DESIGN_SOBOL_NUMBERS, 1 << k);
    for (int j = 0; j <= k; j++) assert_true(is_even(x, DESIGN_SOBOL_NUMBERS, 0, 1 << k, 1 << j));
  }
  arena_free(a);
}

// The first two numbers: every rectangle of area 1/256 with sides of powers of two holds one of 256 points.
static void pairs_of_sobol_numbers_are_even(void **state) {
  (void)state;
  Arena *a = arena_new();
  double *x = points(a, DESIGN_SOBOL, 7, 2, 256);
  for (int wide = 0; wide <= 8; wide++) {
    int held[256] = {0};
    for (int k = 0; k < 256; k++)
      held[((int)(x[2 * k] * (1 << wide)) << (8 - wide)) + (int)(x[2 * k + 1] * (256 >> wide))]++;
    for (int k = 0; k < 256; k++) assert_int_equal(held[k], 1);
  }
  arena_free(a);
}

// Numbers that are far from each other in the table are no copies or mirrors of each other.
static void sobol_numbers_are_uncorrelated(void **state) {
  (void)state;
  enum { N = DESIGN_SOBOL_NUMBERS, COUNT = 1024 };
  Arena *a = arena_new();
  double *x = points(a, DESIGN_SOBOL, 1, N, COUNT);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) {
      double sum = 0;
      for (int k = 0; k < COUNT; k++) sum += (x[k * N + i] - 0.5) * (x[k * N + j] - 0.5) * 12;
      assert_close(sum / COUNT, 0, 0.1);
    }
  arena_free(a);
}

static void short_sobol_designs_begin_long_ones(void **state) {
  (void)state;
  Arena *a = arena_new();
  double *shorter = points(a, DESIGN_SOBOL, 2, 9, 37), *longer = points(a, DESIGN_SOBOL, 2, 9, 300);
  assert_true(memcmp(shorter, longer, (size_t)(37 * 9) * sizeof *shorter) == 0);
  arena_free(a);
}

static void sobol_points_are_spread_better_than_random_ones(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 10; seed++) {
    Arena *a = arena_new();
    double sobol = discrepancy(points(a, DESIGN_SOBOL, seed, 2, 128), 128);
    assert_true(sobol < 0.5 * discrepancy(points(a, DESIGN_RANDOM, seed, 2, 128), 128));
    assert_true(sobol < 0.04);
    arena_free(a);
  }
}

static void numbers_beyond_the_sobol_table_are_a_latin_hypercube(void **state) {
  (void)state;
  enum { N = DESIGN_SOBOL_NUMBERS + 10, COUNT = 75 };
  Arena *a = arena_new();
  double *x = points(a, DESIGN_SOBOL, 4, N, COUNT);
  assert_true(is_even(x, N, DESIGN_SOBOL_NUMBERS, COUNT, COUNT));
  arena_free(a);
}

static void nothing_is_written_for_no_point(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) {
    double x = 7;
    design_points(kind, 1, 0, 5, &x);
    design_points(kind, 1, 5, 0, &x);
    assert_true(x == 7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_follow_from_the_seed),
      cmocka_unit_test(every_part_of_a_latin_hypercube_holds_one_point),
      cmocka_unit_test(random_points_are_uneven),
      cmocka_unit_test(points_of_a_latin_hypercube_keep_their_distance),
      cmocka_unit_test(powers_of_two_of_sobol_points_are_even),
      cmocka_unit_test(pairs_of_sobol_numbers_are_even),
      cmocka_unit_test(sobol_numbers_are_uncorrelated),
      cmocka_unit_test(short_sobol_designs_begin_long_ones),
      cmocka_unit_test(sobol_points_are_spread_better_than_random_ones),
      cmocka_unit_test(numbers_beyond_the_sobol_table_are_a_latin_hypercube),
      cmocka_unit_test(nothing_is_written_for_no_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
