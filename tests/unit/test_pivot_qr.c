#include "num/pivot_qr.h"

#include <string.h>

#include "num/random.h"
#include "test.h"

enum { ROWS = 40, N = 7 };

static void fill(double *A, int count, uint64_t seed) {
  Random random;
  random_seed_stream(&random, seed, 1);
  for (int i = 0; i < count; i++) A[i] = 2 * random_uniform(&random) - 1;
}

// Q'A P = R, column by column: turning a column of A gives that of R, and nothing below.
static void turning_the_columns_gives_the_triangle(void **state) {
  (void)state;
  Arena *a = arena_new();
  PivotQr *q = pivot_qr_new(a, ROWS, N);
  double A[ROWS * N], R[N * N];
  fill(A, ROWS * N, 1);
  memcpy(q->A, A, sizeof A);
  pivot_qr_factor(q);
  pivot_qr_triangle(q, R);
  for (int k = 0; k < N; k++) {
    double v[ROWS];
    memcpy(v, A + (size_t)q->pivot[k] * ROWS, sizeof v);
    pivot_qr_turn(q, v);
    for (int i = 0; i < ROWS; i++) assert_close(v[i], i < N ? R[i * N + k] : 0, 1e-14);
  }
  for (int k = 1; k < N; k++) assert_true(fabs(R[k * N + k]) <= fabs(R[(k - 1) * N + k - 1]));
  assert_int_equal(pivot_qr_rank(q, 1e-12), N);
  arena_free(a);
}

static void turning_keeps_lengths(void **state) {
  (void)state;
  Arena *a = arena_new();
  PivotQr *q = pivot_qr_new(a, ROWS, N);
  double v[ROWS], before = 0, after = 0;
  fill(q->A, ROWS * N, 2);
  pivot_qr_factor(q);
  fill(v, ROWS, 3);
  for (int i = 0; i < ROWS; i++) before += v[i] * v[i];
  pivot_qr_turn(q, v);
  for (int i = 0; i < ROWS; i++) after += v[i] * v[i];
  assert_close(after, before, 1e-13 * before);
  arena_free(a);
}

static void dependent_columns_end_the_rank(void **state) {
  (void)state;
  for (int rank = 0; rank <= N; rank++) {
    Arena *a = arena_new();
    PivotQr *q = pivot_qr_new(a, ROWS, N);
    double mix[N * N];
    double *base = ARENA_ARRAY(a, double, ROWS *N);
    fill(base, ROWS * N, 4);
    fill(mix, N * N, 5);
    for (int k = 0; k < N; k++)
      for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < rank; j++) q->A[k * ROWS + i] += mix[k * N + j] * base[j * ROWS + i];
    pivot_qr_factor(q);
    assert_int_equal(pivot_qr_rank(q, 1e-12), rank);
    arena_free(a);
  }
}

static void as_many_rows_as_columns_and_none(void **state) {
  (void)state;
  Arena *a = arena_new();
  PivotQr *q = pivot_qr_new(a, 2, 2), *none = pivot_qr_new(a, 3, 0);
  const double A[] = {3, 4, 6, 8.5};
  double R[4], v[] = {6, 8.5};
  memcpy(q->A, A, sizeof A);
  pivot_qr_factor(q);
  pivot_qr_triangle(q, R);
  assert_int_equal(q->pivot[0], 1); // the longer one first
  assert_close(fabs(R[0]), hypot(6, 8.5), 1e-14);
  assert_close(fabs(R[0] * R[3]), 1.5, 1e-13); // the determinant
  pivot_qr_turn(q, v);
  assert_close(v[1], 0, 1e-14);
  pivot_qr_factor(none);
  assert_int_equal(pivot_qr_rank(none, 1e-12), 0);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turning_the_columns_gives_the_triangle),
      cmocka_unit_test(turning_keeps_lengths),
      cmocka_unit_test(dependent_columns_end_the_rank),
      cmocka_unit_test(as_many_rows_as_columns_and_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
