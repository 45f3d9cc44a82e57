// Start values from samples: exact for polynomials, averages of noise, the same for any scale of time.
#include "problem/data_start.h"

#include <math.h>

#include "test.h"

static double uniform_at(uint64_t *seed, double low, double high) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

static int degree_of(int count) {
  return count < 2 ? 0 : count < 5 ? 1 : 2;
}

// Uneven samples that begin at or after the start, on scales from ns to days.
static void polynomials_are_found_exactly(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int trial = 0; trial < 2000; trial++) {
    int count = 1 + trial % 40;
    double scale = pow(10, uniform_at(&seed, -9, 5)), t[40], y[40], at, rate, c[3];
    for (int k = 0; k < 3; k++) c[k] = k <= degree_of(count) ? uniform_at(&seed, -2, 2) : 0;
    double s = uniform_at(&seed, 0, 0.5);
    for (int i = 0; i < count; i++) {
      t[i] = scale * s;
      y[i] = c[0] + s * (c[1] + s * c[2]);
      s += uniform_at(&seed, 0.05, 0.15);
    }
    start_of_samples(t, y, count, &at, &rate);
    // one sample is taken as it is, wherever it lies
    double limit = 1e-9 * (1 + count);
    assert_true(fabs(at - c[0]) < limit * 10);
    assert_true(fabs(rate * scale - (count > 1 ? c[1] : 0)) < limit * 100);
  }
}

// Standard deviations follow from the normal equations, solved here in another way: by the rows of the pseudo-inverse.
static void noise_is_averaged_as_least_squares_do(void **state) {
  (void)state;
  enum { COUNT = 20 };
  double t[COUNT], sums[5] = {0};
  for (int i = 0; i < COUNT; i++) t[i] = 0.1 * i;
  for (int i = 0; i < COUNT; i++)
    for (int k = 0; k < 5; k++) sums[k] += pow(t[i], k);
  // variance of the value at 0: the first element of the inverse of {{s0,s1,s2},{s1,s2,s3},{s2,s3,s4}}
  double d = sums[0] * (sums[2] * sums[4] - sums[3] * sums[3]) -
             sums[1] * (sums[1] * sums[4] - sums[3] * sums[2]) +
             sums[2] * (sums[1] * sums[3] - sums[2] * sums[2]);
  double of_value = (sums[2] * sums[4] - sums[3] * sums[3]) / d;
  double of_slope = (sums[0] * sums[4] - sums[2] * sums[2]) / d;
  double value = 0, slope = 0; // the estimate is linear: responses to single samples
  for (int i = 0; i < COUNT; i++) {
    double y[COUNT] = {0}, at, rate;
    y[i] = 1;
    start_of_samples(t, y, COUNT, &at, &rate);
    value += at * at, slope += rate * rate;
  }
  assert_true(fabs(value / of_value - 1) < 1e-9);
  assert_true(fabs(slope / of_slope - 1) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_are_found_exactly),
      cmocka_unit_test(noise_is_averaged_as_least_squares_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
