// Variance of white noise from differences of order k: d = sum c_i y_i with the weights of the divided difference,
// scaled to sum c_i^2 = 1. d is 0 for polynomials of degree below k, and the variance of d is that of the noise, so
// the mean of d^2 estimates it (Hall, Kay and Titterington 1990, Biometrika 77:521). What is not removed of the signal
// makes it larger: the least over the orders counts. Robust: median |d| / 0.6745 instead of the root mean square.
//
// A signal that is sampled near its bandwidth reaches into the differences, which all see half of the frequencies or more.
// Where steps are equal, a filter that passes the top fifth of them only (window method, Kaiser 1974) shows what the noise is
// if it is clearly lower, and if it has reached a floor: the top tenth is not lower again.
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

// ---------------------------------------------------------------- the highest frequencies

// A high-pass of TAPS factors with a stop band of -66 dB, after differences of order 3 for offset and trend.
enum { TAPS = 41, SPAN = TAPS + 3 };

typedef struct TopFilter {
  double factor[SPAN];
  double
      memory; // sum of squared correlations over all lags: one independent number in so many samples
} TopFilter;

static double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k <= 30; k++) term *= x / (2 * k) * (x / (2 * k)), sum += term;
  return sum;
}

static double squared_correlations(const double *factor) { // of unit length
  double sum = 0;
  for (int lag = 0; lag < SPAN; lag++) {
    double product = 0;
    for (int i = lag; i < SPAN; i++) product += factor[i] * factor[i - lag];
    sum += (lag ? 2 : 1) * product * product;
  }
  return sum;
}

// passed: the share of the frequencies below half the sampling rate that it lets pass, from above.
static TopFilter top_filter(double passed) {
  static const double DIFFERENCE[] = {1, -3, 3, -1}, BETA = 6, PI = 3.14159265358979323846;
  TopFilter f = {0};
  double square = 0;
  for (int i = 0; i < TAPS; i++) {
    double at = i - (TAPS - 1) / 2.0, x = 2 * at / (TAPS - 1), angle = PI * passed * at;
    double tap = (i % 2 ? -1 : 1) * bessel_i0(BETA * sqrt(1 - x * x));
    if (angle != 0) tap *= sin(angle) / angle;
    for (int k = 0; k < 4; k++) f.factor[i + k] += tap * DIFFERENCE[k];
  }
  for (int i = 0; i < SPAN; i++) square += f.factor[i] * f.factor[i];
  for (int i = 0; i < SPAN; i++) f.factor[i] /= sqrt(square);
  f.memory = squared_correlations(f.factor);
  return f;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_step(const double *t, int n) {
  Arena *scratch = arena_new();
  double *step = ARENA_ARRAY(scratch, double, n);
  for (int i = 0; i + 1 < n; i++) step[i] = t[i + 1] - t[i];
  qsort(step, (size_t)n - 1, sizeof *step, by_size);
  double median = step[(n - 1) / 2];
  arena_free(scratch);
  return median;
}

typedef struct TopVariance {
  double variance;  // of the noise; NaN: too few equal steps
  double deviation; // of the logarithm of this estimate
} TopVariance;

// Times that were rounded differ by a few per cent of a step.
static const double STEP_ACCURACY = 0.05;

static TopVariance top_variance(const double *t, const double *y, int n, Stretches s, double step,
                                double passed) {
  TopFilter f = top_filter(passed);
  double sum = 0, count = 0;
  for (int i = 1, next = 0, steps = 0; i < n; i++) { // steps: equal ones that end here
    while (next < s.jumps && s.jump[next] < i - 1) next++;
    bool jumps = next < s.jumps && s.jump[next] == i - 1;
    steps = !jumps && fabs(t[i] - t[i - 1] - step) <= STEP_ACCURACY * step ? steps + 1 : 0;
    if (steps < SPAN - 1) continue;
    double d = 0;
    for (int k = 0; k < SPAN; k++) d += f.factor[k] * y[i - k];
    sum += d * d, count++;
  }
  if (!(count > WINDOWS_LEAST * f.memory)) return (TopVariance){nan(""), nan("")};
  return (TopVariance){sum / count, sqrt(2 * f.memory / count)};
}

// What the highest frequencies leave of an estimate by differences. White noise and a slow signal alone let them change it
// in less than 1 of 10000 cases, so that the law of the least of the orders holds. One deviation is added: the estimate is
// as rarely far too small as that by differences.
static const double CLEARLY = 4.5, FLAT = 3;

static double without_fast_signal(double variance, const double *t, const double *y, int n,
                                  Stretches s) {
  double step = median_step(t, n);
  TopVariance fifth = top_variance(t, y, n, s, step, 0.2),
              tenth = top_variance(t, y, n, s, step, 0.1);
  bool lower = log(variance / fifth.variance) > CLEARLY * fifth.deviation;
  bool flat = log(fifth.variance / tenth.variance) < FLAT * tenth.deviation;
  return lower && flat ? fmin(variance, fifth.variance * exp(fifth.deviation)) : variance;
}

// ---------------------------------------------------------------- coarse readings

// Fewer levels may be what is measured: a switch, a gear.
enum { LEVELS_LEAST = 8 };

// The step of the instrument if the samples are multiples of one, apart from an offset, and take each level several times;
// else 0.
static double resolution(const double *y, int n) {
  double least = HUGE_VAL, low = y[0], high = y[0], change = 0;
  for (int i = 1; i < n; i++) {
    double d = fabs(y[i] - y[i - 1]);
    if (d > 0) least = fmin(least, d);
    low = fmin(low, y[i]), high = fmax(high, y[i]);
  }
  double levels = (high - low) / least + 1;
  if (!(levels >= LEVELS_LEAST && levels <= n / 3.0)) return 0;
  for (int i = 0; i < n; i++) {
    double multiple = (y[i] - low) / least;
    change = fmax(change, fabs(multiple - round(multiple)));
  }
  return change < 0.01 ? least : 0;
}

// ---------------------------------------------------------------- estimates

static const double ROUNDING =
    0.28867513459481287; // 1/sqrt(12): deviation of what rounding to 1 leaves

double noise_deviation_between(const double *t, const double *y, int n, const int *jump,
                               int jumps) {
  if (n < ORDER_LEAST + WINDOWS_LEAST) return nan("");
  bool plain = jumps == 0 && equal_steps(t, n);
  Stretches s = {jump, jumps};
  double variance = plain ? least_mean_square_equal(y, n) : least_mean_square(t, y, n, s);
  return fmax(sqrt(without_fast_signal(variance, t, y, n, s)), ROUNDING * resolution(y, n));
}

double noise_deviation(const double *t, const double *y, int n) {
  return noise_deviation_between(t, y, n, NULL, 0);
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
