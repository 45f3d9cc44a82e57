#include "num/cholesky.h"

#include "num/random.h"
#include "test.h"

enum { N = 7 };

// B'B + size I
static void make_definite(Random *r, double size, double *A) {
  double B[N * N];
  for (int i = 0; i < N * N; i++) B[i] = random_normal(r);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i * N + j] = i == j ? size : 0;
      for (int k = 0; k < N; k++) A[i * N + j] += B[k * N + i] * B[k * N + j];
    }
}

static void the_triangle_squared_is_the_matrix(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 1);
  for (int trial = 0; trial < 20; trial++) {
    double A[N * N], R[N * N];
    make_definite(&r, 0.1, A);
    for (int i = 0; i < N * N; i++) R[i] = A[i];
    assert_true(cholesky(N, R, 1e-14));
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int k = 0; k < N; k++) sum += R[k * N + i] * R[k * N + j];
        assert_close(sum, A[i * N + j], 1e-12);
        if (j < i) assert_close(R[i * N + j], 0, 0);
      }
  }
}

static void what_is_not_definite_is_told(void **state) {
  (void)state;
  double indefinite[] = {1, 2, 2, 1}, singular[] = {1, 1, 1, 1}, zero[] = {0},
         nearly[] = {1, 1, 1, 1.0001};
  double unknown[] = {nan("")};
  assert_false(cholesky(2, indefinite, 0));
  assert_false(cholesky(2, singular, 0));
  assert_false(cholesky(1, zero, 0));
  assert_false(cholesky(1, unknown, 0));
  assert_false(cholesky(2, nearly, 1e-3));
  double same[] = {1, 1, 1, 1.0001};
  assert_true(cholesky(2, same, 1e-6));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_triangle_squared_is_the_matrix),
      cmocka_unit_test(what_is_not_definite_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
