#include "num/smoothing_spline.h"

#include <math.h>
#include <string.h>

#include "num/random.h"
#include "test.h"

enum { N = 40 };

static void uneven_times(double *t, int n) {
  for (int i = 0; i < n; i++) t[i] = 3 + 0.1 * i + 0.03 * sin(2.0 * i);
}

// The sum that the spline minimises, with the integral of the squared second derivative, which is linear between samples.
static double penalised(const double *t, const double *y, const SmoothingSpline *s, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (y[i] - s->value[i]) * (y[i] - s->value[i]);
  for (int i = 0; i + 1 < n; i++) {
    double a = s->curvature[i], b = s->curvature[i + 1];
    sum += s->alpha * (t[i + 1] - t[i]) * (a * a + a * b + b * b) / 3;
  }
  return sum;
}

static void a_straight_line_stays_as_it_is(void **state) {
  (void)state;
  Arena *a = arena_new();
  double t[N], y[N];
  uneven_times(t, N);
  for (int n = 1; n <= N; n += n < 6 ? 1 : 17) {
    for (int i = 0; i < n; i++) y[i] = 2 - 3 * t[i];
    SmoothingSpline s = smoothing_spline(a, t, y, n, nan(""));
    for (int i = 0; i < n; i++) {
      assert_close(s.value[i], y[i], 1e-9);
      if (n > 1) assert_close(s.slope[i], -3, 1e-7);
      assert_close(s.curvature[i], 0, 1e-6);
    }
  }
  arena_free(a);
}

// Any other function, such as one with other values at the samples, has a larger sum: the derivative of the sum along the
// influence of each sample is 0, so that g is linear in y with a symmetric matrix whose trace is the freedom.
static void the_freedom_is_the_trace_of_the_influence(void **state) {
  (void)state;
  Arena *a = arena_new();
  double t[N], y[N];
  uneven_times(t, N);
  for (int i = 0; i < N; i++) y[i] = sin(t[i]) + 0.05 * sin(97.0 * i);
  SmoothingSpline s = smoothing_spline(a, t, y, N, 0.03);
  double trace = 0;
  // With a known sigma and alpha fixed by it, moving one sample by little changes alpha by little: the trace is found by
  // differences that are even in the change, at the same alpha, which the sum of squares below confirms.
  for (int i = 0; i < N; i++) {
    double up[N], down[N], h = 1e-7;
    memcpy(up, y, sizeof y), memcpy(down, y, sizeof y);
    up[i] += h, down[i] -= h;
    trace += (smoothing_spline(a, t, up, N, 0.03).value[i] -
              smoothing_spline(a, t, down, N, 0.03).value[i]) /
             (2 * h);
  }
  assert_true(s.freedom > 2 && s.freedom < N);
  assert_close(trace, s.freedom, 0.2 * s.freedom);
  assert_true(penalised(t, y, &s, N) > 0);
  arena_free(a);
}

static void without_noise_derivatives_are_those_of_the_function(void **state) {
  (void)state;
  enum { MANY = 400 };
  Arena *a = arena_new();
  double t[MANY], y[MANY];
  for (int i = 0; i < MANY; i++) t[i] = 0.02 * i, y[i] = sin(t[i]);
  SmoothingSpline s = smoothing_spline(a, t, y, MANY, nan(""));
  for (int i = 20; i < MANY - 20; i++) { // away from the ends, where its curvature is 0
    assert_close(s.slope[i], cos(t[i]), 1e-6);
    assert_close(s.curvature[i], -sin(t[i]), 1e-3);
  }
  arena_free(a);
}

static void noise_is_smoothed_about_as_well_as_if_it_were_known(void **state) {
  (void)state;
  enum { MANY = 500 };
  Arena *a = arena_new();
  Random random;
  random_seed_stream(&random, 1, 7);
  double t[MANY], y[MANY], by_data = 0, by_sigma = 0, raw = 0;
  for (int i = 0; i < MANY; i++) t[i] = 0.02 * i, y[i] = sin(t[i]) + 0.1 * random_normal(&random);
  SmoothingSpline s = smoothing_spline(a, t, y, MANY, nan("")),
                  known = smoothing_spline(a, t, y, MANY, 0.1);
  for (int i = 0; i < MANY; i++) {
    by_data += pow(s.value[i] - sin(t[i]), 2);
    by_sigma += pow(known.value[i] - sin(t[i]), 2);
    raw += pow(y[i] - sin(t[i]), 2);
  }
  assert_true(by_sigma < 0.05 * raw);
  assert_true(by_data < 1.5 * by_sigma);
  assert_close(s.residual, 0.1, 0.01);
  arena_free(a);
}

// In another unit of time, value, and from another origin.
static void units_change_nothing(void **state) {
  (void)state;
  Arena *a = arena_new();
  double t[N], y[N], t2[N], y2[N];
  uneven_times(t, N);
  for (int i = 0; i < N; i++) y[i] = cos(t[i]) + 0.02 * sin(31.0 * i);
  for (int i = 0; i < N; i++) t2[i] = 1e3 * (t[i] - 3), y2[i] = -5 * y[i];
  SmoothingSpline s = smoothing_spline(a, t, y, N, nan("")),
                  z = smoothing_spline(a, t2, y2, N, nan(""));
  for (int i = 0; i < N; i++) {
    assert_close(z.value[i], -5 * s.value[i], 1e-6);
    assert_close(z.slope[i], -5e-3 * s.slope[i], 1e-7);
  }
  assert_close(z.freedom, s.freedom, 1e-3);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_straight_line_stays_as_it_is),
      cmocka_unit_test(the_freedom_is_the_trace_of_the_influence),
      cmocka_unit_test(without_noise_derivatives_are_those_of_the_function),
      cmocka_unit_test(noise_is_smoothed_about_as_well_as_if_it_were_known),
      cmocka_unit_test(units_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
