#include "model/echelon.h"

#include "random_expression.h"
#include "test.h"

enum { N = 8 };
static const int COLUMNS[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void random_row(Rng *r, double *row) {
  for (int j = 0; j < N; j++) row[j] = rng_below(r, 2) ? rng_between(r, -2, 2) : 0;
}

static void sums_of_rows_are_refused_and_taken_apart(void **state) {
  (void)state;
  Rng r = {7};
  for (int trial = 0; trial < 200; trial++) {
    Arena *a = arena_new();
    Echelon *e = echelon_new(a, N, N + 1);
    double rows[N][N], sum[N] = {0}, factor[N] = {0};
    int count = 2 + rng_below(&r, N - 3), kept = 0;
    bool independent[N];
    for (int k = 0; k < count; k++) {
      random_row(&r, rows[k]);
      independent[k] = echelon_add(e, COLUMNS, rows[k], N, NULL, 0);
      kept += independent[k];
    }
    assert_int_equal(echelon_rank(e), kept);
    for (int k = 0; k < count; k++) {
      factor[k] = independent[k] && rng_below(&r, 2) ? rng_between(&r, 0.5, 2) : 0;
      for (int j = 0; j < N; j++) sum[j] += factor[k] * rows[k][j];
    }
    assert_false(echelon_add(e, COLUMNS, sum, N, NULL, 0));
    const double *parts = echelon_parts(e);
    assert_close(parts[count], 1, 0);
    for (int k = 0; k < count; k++) assert_close(parts[k], -factor[k], 1e-9);
    assert_int_equal(echelon_rank(e), kept);
    arena_free(a);
  }
}

static void columns_bound_the_rank(void **state) {
  (void)state;
  Rng r = {8};
  Arena *a = arena_new();
  Echelon *e = echelon_new(a, N, 3 * N);
  for (int k = 0; k < 3 * N; k++) {
    double row[N];
    for (int j = 0; j < N; j++) row[j] = rng_between(&r, -1, 1);
    assert_int_equal(echelon_add(e, COLUMNS, row, N, NULL, 0), k < N);
  }
  assert_int_equal(echelon_rank(e), N);
  arena_free(a);
}

static void small_entries_do_where_they_are_allowed(void **state) {
  (void)state;
  Arena *a = arena_new();
  Echelon *e = echelon_new(a, N, N);
  assert_true(echelon_add(e, COLUMNS, (double[]){1, 1}, 2, NULL, 0));
  const double row[] = {1, 1.001}, strict[] = {0.1, 0.1}, lenient[] = {0.1, 1e-4};
  assert_false(echelon_add(e, COLUMNS, row, 2, strict, 0.1));
  assert_true(echelon_add(e, COLUMNS, row, 2, lenient, 0.1));
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_of_rows_are_refused_and_taken_apart),
      cmocka_unit_test(columns_bound_the_rank),
      cmocka_unit_test(small_entries_do_where_they_are_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
