#include "code/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "num/vec.h"
#include "test.h"

enum { MOST = 12, SLOTS = 600 };

static double noise(unsigned *seed) { // in [-1, 1)
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

// Slots: matrix, pivots, right-hand side.
static SolveData solve_data(int n, bool transposed) {
  return (SolveData){{n, 0, n * n, false, false}, transposed, n * n + n};
}

static void solve(const SolveData *d, double *work, int lanes) {
  block_factor(&(CodeBlock){NULL, &d->factor}, work, lanes);
  block_solve(&(CodeBlock){NULL, d}, work, lanes);
}

static void solutions_satisfy_their_equations(void **state) {
  (void)state;
  unsigned seed = 1;
  static const int LANES[] = {1, 4, 8};
  for (int trial = 0; trial < 150; trial++) {
    int n = 1 + trial % MOST, lanes = LANES[trial / MOST % 3];
    SolveData d = solve_data(n, trial % 2);
    double work[SLOTS * 8] = {0}, matrix[MOST * MOST * 8], right[MOST * 8];
    for (int i = 0; i < n * n * lanes; i++) work[i] = matrix[i] = noise(&seed);
    for (int i = 0; i < n * lanes; i++) work[d.right * lanes + i] = right[i] = noise(&seed);
    solve(&d, work, lanes);
    for (int l = 0; l < lanes; l++)
      for (int i = 0; i < n; i++) {
        double sum = -right[i * lanes + l], size = 1;
        for (int j = 0; j < n; j++) {
          double a = matrix[(d.transposed ? j * n + i : i * n + j) * lanes + l],
                 x = work[(d.right + j) * lanes + l];
          sum += a * x;
          size += fabs(a * x);
        }
        assert_close(sum, 0, 1e-12 * size);
      }
  }
}

// Whatever the width: pivots of lanes may differ or not, the bits are those of a lane alone.
static void lanes_give_the_bits_of_one_lane_alone(void **state) {
  (void)state;
  unsigned seed = 7;
  for (int trial = 0; trial < 200; trial++) {
    int n = 1 + trial % MOST, lanes = trial % 2 ? 4 : 8;
    bool alike = trial % 3 == 0;
    SolveData d = solve_data(n, trial / 2 % 2);
    d.factor.wide = vec_wide() && trial % 5 != 0;
    double work[SLOTS * 8] = {0}, alone[8][SLOTS] = {0};
    for (int i = 0; i < n * n + 2 * n; i++) {
      double common = noise(&seed);
      for (int l = 0; l < lanes; l++)
        work[i * lanes + l] = alone[l][i] = alike && i < n * n ? common : noise(&seed);
    }
    solve(&d, work, lanes);
    for (int l = 0; l < lanes; l++) {
      solve(&d, alone[l], 1);
      for (int i = 0; i < n; i++)
        assert_true(work[(d.right + i) * lanes + l] == alone[l][d.right + i]);
    }
  }
}

static void zeros_on_the_diagonal_are_pivoted_away(void **state) {
  (void)state;
  for (int transposed = 0; transposed < 2; transposed++) {
    SolveData d = solve_data(3, transposed);
    double work[20] = {0, 0, 2, 3, 0, 0, 0, 5, 0, /* pivots */ 0, 0, 0, /* right */ 4, 9, 10};
    solve(&d, work, 1);
    const double *x = work + d.right;
    if (transposed)
      assert_true(x[0] == 5 && x[1] == 4. / 3 && x[2] == 9. / 5);
    else
      assert_true(x[0] == 3 && x[1] == 2 && x[2] == 2);
  }
}

static void singular_matrices_give_no_finite_solution(void **state) {
  (void)state;
  SolveData d = solve_data(2, false);
  double work[8] = {1, 2, 2, 4, 0, 0, 1, 1};
  solve(&d, work, 1);
  assert_false(isfinite(work[6]) && isfinite(work[7]));
  double zero[8] = {0, 0, 0, 0, 0, 0, 1, 1};
  solve(&d, zero, 1);
  assert_false(isfinite(zero[6]) && isfinite(zero[7]));
}

static void a_singular_lane_does_not_disturb_the_others(void **state) {
  (void)state;
  SolveData d = solve_data(2, false);
  double work[8 * 4] = {0};
  static const double MATRIX[] = {2, 0, 0, 4};
  for (int l = 0; l < 4; l++) {
    for (int i = 0; i < 4; i++) work[i * 4 + l] = l == 2 ? 1 : MATRIX[i];
    for (int i = 0; i < 2; i++) work[(6 + i) * 4 + l] = 8;
  }
  solve(&d, work, 4);
  for (int l = 0; l < 4; l++)
    if (l != 2) assert_true(work[6 * 4 + l] == 4 && work[7 * 4 + l] == 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_satisfy_their_equations),
      cmocka_unit_test(lanes_give_the_bits_of_one_lane_alone),
      cmocka_unit_test(zeros_on_the_diagonal_are_pivoted_away),
      cmocka_unit_test(singular_matrices_give_no_finite_solution),
      cmocka_unit_test(a_singular_lane_does_not_disturb_the_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
