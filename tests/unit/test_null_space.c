#include "stats/null_space.h"

#include "test.h"

static const int all[] = {0, 1, 2, 3};

static void assert_unseen(const double *R, int n, const NullSpace *s, double tol) {
  for (int d = 0; d < s->count; d++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += R[i * n + k] * s->basis[d * n + k];
      assert_close(sum, 0, tol);
    }
}

static void changes_that_are_not_seen_are_found_in_any_units(void **state) {
  (void)state;
  Arena *a = arena_new();
  // column 2 = 1e20 * (column 0 + column 1); column 3 alone, tiny
  double R[16] = {1, 2, 3e20, 0, 0, 1, 1e20, 0, 0, 0, 0, 0, 0, 0, 0, 1e-15};
  NullSpace s = null_space(a, R, 4, all, 4, 1e-10, 4);
  assert_int_equal(s.count, 1);
  assert_close(s.share[3], 0, 1e-15);
  assert_close_relative(s.basis[0], -1e20 * s.basis[2], 1e-12);
  assert_close_relative(s.basis[1], -1e20 * s.basis[2], 1e-12);
  assert_true(s.largest < 1e-14 && s.gap > 0.1);
  assert_unseen(R, 4, &s, 1e-14);
  arena_free(a);
}

static void some_columns_alone_can_be_asked(void **state) {
  (void)state;
  Arena *a = arena_new();
  double R[9] = {1, 1, 2, 0, 0, 1, 0, 0, 1};
  const int pair[] = {0, 1}, other[] = {0, 2};
  assert_int_equal(null_space(a, R, 3, pair, 2, 1e-10, 2).count, 1);
  assert_int_equal(null_space(a, R, 3, other, 2, 1e-10, 2).count, 0);
  NullSpace forced = null_space_of(a, R, 3, other, 2, 1);
  assert_int_equal(forced.count, 1);
  assert_true(forced.largest > 0.1);
  arena_free(a);
}

static void reduced_rows_are_readable(void **state) {
  (void)state;
  double B[8] = {1, 1, 1, 1, 1, -1, 1, 1 + 1e-9};
  int pivot[2];
  reduce_rows(B, 2, 4, 1e-6, pivot);
  for (int r = 0; r < 2; r++)
    for (int s = 0; s < 2; s++) assert_true(B[r * 4 + pivot[s]] == (r == s));
  int zeros = 0;
  for (int i = 0; i < 8; i++) zeros += B[i] == 0;
  assert_int_equal(zeros, 4); // (1 0 1 1) and (0 1 0 0)
}

static void chosen_pivots_become_the_unit_matrix(void **state) {
  (void)state;
  double B[6] = {2, 4, 6, 0, 1, 1}, E[6];
  const int pivot[] = {2, 0}, bad[] = {1, 1};
  assert_true(echelon_by(B, 2, 3, pivot, E));
  assert_close(E[2], 1, 0);
  assert_close(E[0], 0, 0);
  assert_close(E[3], 1, 0);
  assert_close(E[5], 0, 0);
  assert_close(E[1], 1, 1e-15);
  assert_close(E[4], -1, 1e-15);
  assert_false(echelon_by(B, 2, 3, bad, E));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_that_are_not_seen_are_found_in_any_units),
      cmocka_unit_test(some_columns_alone_can_be_asked),
      cmocka_unit_test(reduced_rows_are_readable),
      cmocka_unit_test(chosen_pivots_become_the_unit_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
