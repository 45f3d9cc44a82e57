// Variance of white noise from differences of order k: d = sum c_i y_i with the weights of the divided difference,
// scaled to sum c_i^2 = 1. d is 0 for polynomials of degree below k, and the variance of d is that of the noise, so
// the mean of d^2 estimates it (Hall, Kay and Titterington 1990, Biometrika 77:521). What is not removed of the signal
// makes it larger: the least over the orders counts. Robust: median |d| / 0.6745 instead of the root mean square.
#include "num/noise.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"

// Fewer differences than WINDOWS_LEAST say too little.
enum { ORDER_LEAST = 3, ORDER_MOST = 8, WINDOWS_LEAST = 8 };

static bool equal_steps(const double *t, int n) {
  double step = (t[n - 1] - t[0]) / (n - 1);
  for (int i = 1; i < n; i++)
    if (!(fabs(t[i] - t[i - 1] - step) <= 1e-6 * step)) return false;
  return true;
}

// Factors of the divided difference of order k, up to a common factor, of unit length: what they make of white noise has
// its variance. false when times are too close to tell.
static bool difference_factors(const double *t, int k, double *factor) {
  double span = (t[k] - t[0]) / k, square = 0;
  for (int i = 0; i <= k; i++) {
    factor[i] = 1;
    for (int j = 0; j <= k; j++)
      if (j != i) factor[i] *= span / (t[i] - t[j]);
    square += factor[i] * factor[i];
  }
  if (!isfinite(square) || square <= 0) return false;
  for (int i = 0; i <= k; i++) factor[i] /= sqrt(square);
  return true;
}

typedef struct Stretches { // where a function of time is without jumps
  const int *jump;
  int jumps;
} Stretches;

typedef struct DifferenceSums { // by order
  double sum[ORDER_MOST + 1];
  int count[ORDER_MOST + 1];
} DifferenceSums;

// The squared divided differences of all orders up to `most` that begin with the first sample, made by factors of unit
// length; those of each order follow from those below.
static void add_differences(const double *t, const double *y, int most, DifferenceSums *out) {
  double factor[ORDER_MOST + 1] = {1}, span = (t[most] - t[0]) / most;
  for (int k = 1; k <= most; k++) {
    double d = 0, square = 0;
    factor[k] = 1;
    for (int i = 0; i < k; i++) {
      double ratio = span / (t[k] - t[i]);
      factor[i] *= -ratio;
      factor[k] *= ratio;
    }
    for (int i = 0; i <= k; i++) {
      d += factor[i] * y[i];
      square += factor[i] * factor[i];
    }
    if (k < ORDER_LEAST || !isfinite(square) || square <= 0) continue; // times too close to tell
    out->sum[k] += d * d / square;
    out->count[k]++;
  }
}

static double least_mean_square(const double *t, const double *y, int n, Stretches s) {
  DifferenceSums all = {0};
  double least = nan(""); // fmin takes the number when the other is NaN
  for (int i = 0, next = 0; i + ORDER_LEAST < n; i++) {
    while (next < s.jumps && s.jump[next] < i) next++;
    int last = next < s.jumps ? s.jump[next] : n - 1, most = last - i;
    if (most >= ORDER_LEAST)
      add_differences(t + i, y + i, most < ORDER_MOST ? most : ORDER_MOST, &all);
  }
  for (int k = ORDER_LEAST; k <= ORDER_MOST; k++)
    if (all.count[k] >= WINDOWS_LEAST) least = fmin(least, all.sum[k] / all.count[k]);
  return least;
}

// The same for equal steps, where each difference is that of two of the order below. The factors of order k, which are
// binomial, have the squared length (2k over k).
static double least_mean_square_equal(const double *y, int n) {
  double before[ORDER_MOST + 1] = {0}, sum[ORDER_MOST + 1] = {0}, least = nan(""), length = 1;
  for (int i = 0; i < n; i++) {
    double d = y[i];
    int most = i < ORDER_MOST ? i : ORDER_MOST;
    for (int k = 0; k < most; k++) {
      double lower = before[k];
      before[k] = d;
      d -= lower;
      sum[k + 1] += d * d;
    }
    before[most] = d;
  }
  for (int k = 1; k <= ORDER_MOST; k++) {
    length *= (4.0 * k - 2) / k;
    if (k >= ORDER_LEAST && n - k >= WINDOWS_LEAST) least = fmin(least, sum[k] / (n - k) / length);
  }
  return least;
}

double noise_deviation_between(const double *t, const double *y, int n, const int *jump,
                               int jumps) {
  if (n < ORDER_LEAST + WINDOWS_LEAST) return nan("");
  bool plain = jumps == 0 && equal_steps(t, n);
  Stretches s = {jump, jumps};
  return sqrt(plain ? least_mean_square_equal(y, n) : least_mean_square(t, y, n, s));
}

double noise_deviation(const double *t, const double *y, int n) {
  return noise_deviation_between(t, y, n, NULL, 0);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static const double MEDIAN_OF_NORMAL = 0.6744897501960817; // median of |r|, r normal of variance 1

double deviation_by_median(double *size, int n) {
  qsort(size, (size_t)n, sizeof *size, by_size);
  return size[n / 2] / MEDIAN_OF_NORMAL;
}

double noise_deviation_robust(const double *t, const double *y, int n) {
  double factor[ORDER_MOST + 1], least = nan("");
  Arena *scratch = arena_new();
  double *size = ARENA_ARRAY(scratch, double, n + 1);
  for (int k = 2; k <= 4; k++) {
    int count = 0;
    for (int i = 0; i + k < n; i++) {
      if (!difference_factors(t + i, k, factor)) continue;
      double d = 0;
      for (int j = 0; j <= k; j++) d += factor[j] * y[i + j];
      size[count++] = fabs(d);
    }
    if (count < WINDOWS_LEAST) continue;
    least = fmin(least, deviation_by_median(size, count));
  }
  arena_free(scratch);
  return least;
}
