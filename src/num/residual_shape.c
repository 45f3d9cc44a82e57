#include "num/residual_shape.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "num/distribution.h"

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// By parts of the largest, so that no sum and no square overflows.
static void find_moments(ResidualShape *s) {
  double largest = s->n ? fmax(fabs(s->sorted[0]), fabs(s->sorted[s->n - 1])) : 0, sum = 0;
  double unit = largest > 0 ? largest : 1, squares = 0;
  for (int i = 0; i < s->n; i++) sum += s->sorted[i] / unit;
  double mean = sum / s->n;
  for (int i = 0; i < s->n; i++) squares += pow(s->sorted[i] / unit - mean, 2);
  s->mean = s->n ? mean * unit : nan("");
  s->deviation = s->n > 1 ? sqrt(squares / (s->n - 1)) * unit : nan("");
  if (s->n > 1 && s->sorted[0] == s->sorted[s->n - 1]) s->deviation = 0; // no rounding
}

ResidualShape residual_shape(Arena *a, const double *r, int count) {
  ResidualShape s = {.sorted = ARENA_ARRAY(a, double, count + 1)};
  for (int i = 0; i < count; i++)
    if (isfinite(r[i])) s.sorted[s.n++] = r[i];
  qsort(s.sorted, (size_t)s.n, sizeof *s.sorted, compare_numbers);
  find_moments(&s);
  return s;
}

// ---------------------------------------------------------------- histogram

enum { BARS_LEAST = 5, BARS_MOST = 60 };
// What is farther from the median than FAR times the distance of the quartiles and beyond the central part, which leaves out
// at least one at each end, gets no bars of its own.
static const double FAR = 5, OUTER = 0.01;

static double quantile(const ResidualShape *s, double part) {
  return s->sorted[(int)(part * (s->n - 1) + 0.5)];
}

static Histogram one_bar(Arena *a, const ResidualShape *s) {
  double middle = s->sorted[0], width = middle != 0 ? fabs(middle) : 1;
  Histogram h = {middle - width / 2, width, ARENA_ARRAY(a, int, 1), 1, 0};
  h.count[0] = s->n;
  return h;
}

Histogram residual_histogram(Arena *a, const ResidualShape *s) {
  if (!s->n) return (Histogram){0};
  double middle = quantile(s, 0.5), quarters = quantile(s, 0.75) - quantile(s, 0.25);
  double far = FAR * (quarters > 0 ? quarters : s->deviation), most = DBL_MAX / 8;
  int half = (s->n - 1) / 2, outer = (int)fmin(ceil(OUTER * s->n), half);
  double low = fmin(s->sorted[outer], fmax(s->sorted[0], middle - far));
  double high = fmax(s->sorted[s->n - 1 - outer], fmin(s->sorted[s->n - 1], middle + far));
  low = fmax(low, -most), high = fmin(high, most);
  double span = high - low;
  if (!(span / BARS_MOST > 0)) return one_bar(a, s);
  double wanted = span / (2 * quarters) * cbrt(s->n), least = fmin(s->n, BARS_LEAST);
  Histogram h = {.from = low, .bars = (int)fmin(fmax(ceil(wanted), least), BARS_MOST)};
  h.width = span / h.bars;
  h.count = ARENA_ARRAY(a, int, h.bars);
  for (int i = 0; i < s->n; i++) {
    double at = (s->sorted[i] - low) / h.width;
    h.beyond += s->sorted[i] < low || s->sorted[i] > high;
    h.count[(int)fmin(fmax(at, 0), h.bars - 1)]++;
  }
  return h;
}

double histogram_normal(const ResidualShape *s, const Histogram *h, double x) {
  double z = (x - s->mean) / s->deviation;
  return s->n * (h->width / s->deviation) * exp(-z * z / 2) / sqrt(2 * M_PI);
}

// ---------------------------------------------------------------- quantiles

static void take(NormalQuantiles *q, const ResidualShape *s, int rank) {
  q->normal[q->count] = normal_quantile((rank + 0.5) / s->n);
  q->value[q->count++] = s->sorted[rank];
}

NormalQuantiles residual_quantiles(Arena *a, const ResidualShape *s, int most) {
  int room = s->n < most ? s->n : most, last = -1;
  NormalQuantiles q = {ARENA_ARRAY(a, double, room + 1), ARENA_ARRAY(a, double, room + 1), 0};
  if (s->n <= most) {
    for (int i = 0; i < s->n; i++) take(&q, s, i);
    return q;
  }
  double first = normal_quantile(0.5 / s->n);
  for (int k = 0; k < most; k++) {
    double z = first * (1 - 2.0 * k / (most - 1));
    int rank = (int)fmin(fmax(floor(normal_below(z) * s->n), 0), s->n - 1);
    if (rank > last) take(&q, s, last = rank);
  }
  return q;
}

// ---------------------------------------------------------------- correlation

enum { LAGS_MOST = 60 };

int autocorrelation_lags(int n) {
  return n / 4 < LAGS_MOST ? n / 4 : LAGS_MOST;
}

// Four sums side by side do not wait for each other.
static double lagged_product(const double *r, int n, int lag) {
  double sum[4] = {0};
  int i = lag;
  for (; i + 3 < n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += r[i + k] * r[i + k - lag];
  for (; i < n; i++) sum[0] += r[i] * r[i - lag];
  return sum[0] + sum[1] + (sum[2] + sum[3]);
}

void autocorrelations(const double *r, int n, int lags, double *out) {
  Arena *scratch = arena_new();
  double *part = ARENA_ARRAY(scratch, double, n + 1), largest = 0; // of the largest
  for (int i = 0; i < n; i++)
    if (isfinite(r[i])) largest = fmax(largest, fabs(r[i]));
  for (int i = 0; i < n; i++) part[i] = isfinite(r[i]) && largest > 0 ? r[i] / largest : 0;
  double square = lagged_product(part, n, 0);
  for (int lag = 1; lag <= lags; lag++)
    out[lag - 1] = square > 0 && lag < n ? lagged_product(part, n, lag) / square : nan("");
  arena_free(scratch);
}
