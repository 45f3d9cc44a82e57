#include "problem/decimation.h"

#include <math.h>

#include "base/arena.h"

const char *const DECIMATION_WORDS[DECIMATION_COUNT] = {"fir", "sharp", "mean", "none"};

static const double PI = 3.14159265358979323846;
static const double ROLL_OFF = 0.2, FIR_BETA = 2.5;
static const double CUTOFF = 0.85, SHARP_BETA = 4.5335; // 50 dB: 0.1102*(50 - 8.7), Kaiser (1974)

// Modified Bessel function of the first kind, of order 0.
static double bessel_0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > 1e-17 * sum; k++) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

// Impulse response of the root of a raised cosine at t > 0 in new intervals.
static double root_cosine(double t) {
  double x = 4 * ROLL_OFF * t, quarter = PI / (4 * ROLL_OFF);
  if (fabs(x - 1) < 1e-9)
    return ROLL_OFF / sqrt(2) * ((1 + 2 / PI) * sin(quarter) + (1 - 2 / PI) * cos(quarter));
  return (sin(PI * t * (1 - ROLL_OFF)) + x * cos(PI * t * (1 + ROLL_OFF))) / (PI * t * (1 - x * x));
}

static double response(DecimationFilter filter, double t) {
  if (filter == DECIMATE_FIR) return t > 0 ? root_cosine(t) : 1 - ROLL_OFF + 4 * ROLL_OFF / PI;
  return t > 0 ? sin(CUTOFF * PI * t) / (CUTOFF * PI * t) : 1;
}

// Weights in the middle and to one side; together with the other side their sum is 1.
static void find_weights(const Decimation *d, double *w) {
  double beta = d->filter == DECIMATE_FIR ? FIR_BETA : SHARP_BETA, sum = 0;
  int reach = decimation_reach(d);
  for (int j = 0; j <= reach; j++) {
    double x = (double)j / (reach + 1);
    w[j] = response(d->filter, (double)j / d->m) * bessel_0(beta * sqrt(1 - x * x));
    sum += (j ? 2 : 1) * w[j];
  }
  for (int j = 0; j <= reach; j++) w[j] /= sum;
}

static bool is_long(const Decimation *d) { // reaches beyond the samples of one result
  return d->m > 1 && (d->filter == DECIMATE_FIR || d->filter == DECIMATE_SHARP);
}

int decimation_reach(const Decimation *d) {
  return is_long(d) ? DECIMATION_REACH * d->m : 0;
}

Decimation decimation_new(Arena *a, int m, DecimationFilter filter) {
  Decimation d = {.m = m, .filter = filter, .noise = 1};
  if (m == 1) return d;
  if (filter == DECIMATE_MEAN) d.noise = 1 / sqrt(m);
  if (!is_long(&d)) return d;
  int reach = decimation_reach(&d);
  double *w = ARENA_ARRAY(a, double, reach + 1), square = 0;
  find_weights(&d, w);
  for (int j = 0; j <= reach; j++) square += (j ? 2 : 1) * w[j] * w[j];
  d.weights = w, d.noise = sqrt(square);
  return d;
}

double decimation_cutoff(const Decimation *d, double interval) {
  if (d->m == 1 || d->filter == DECIMATE_NONE || !(interval > 0)) return 0;
  double nyquist = 1 / (2 * d->m * interval);
  return nyquist * (d->filter == DECIMATE_FIR     ? 1
                    : d->filter == DECIMATE_SHARP ? CUTOFF
                                                  : 1.2067); // sinc(x/2) = 1/2
}

int decimated_count(const Decimation *d, int rows) {
  return d->filter == DECIMATE_MEAN ? rows / d->m : (rows + d->m - 1) / d->m;
}

int decimated_row(const Decimation *d, int i) {
  return d->m * i + (d->filter == DECIMATE_MEAN ? d->m / 2 : 0);
}

// ---------------------------------------------------------------- fir, sharp

static double filtered(const double *y, int reach, const double *w) {
  double sum = w[0] * y[0];
  for (int j = 1; j <= reach; j++) sum += w[j] * (y[-j] + y[j]);
  return sum;
}

static void decimate_long(const Decimation *d, const double *y, const RecordRows *rows,
                          double *out) {
  Arena *scratch = arena_new();
  int reach = decimation_reach(d), from = -rows->before, to = rows->count + rows->after;
  int *breaks = ARENA_ARRAY(scratch, int, to - from + 1); // missing samples and gaps before a row
  for (int i = from; i < to; i++)
    breaks[i - from + 1] = breaks[i - from] + isnan(y[i]) + (i > from && rows->gap[i]);
  for (int k = 0, i = 0; i < rows->count; k++, i += d->m) {
    int first = i - reach, last = i + reach;
    bool full = first >= from && last < to && !isnan(y[first]) &&
                breaks[last + 1 - from] == breaks[first + 1 - from];
    out[k] = full ? filtered(y + i, reach, d->weights) : (double)NAN;
  }
  arena_free(scratch);
}

// ---------------------------------------------------------------- mean

static double mean_of_pairs(const double *y, const bool *gap, int m) {
  double sum = 0;
  int count = 0;
  for (int j = 0; j < m; j++) {
    if (j && gap[j]) return (double)NAN;
    if (isnan(y[j]) || isnan(y[m - 1 - j])) continue;
    sum += y[j], count++;
  }
  return count ? sum / count : (double)NAN;
}

void decimate(const Decimation *d, const double *y, const RecordRows *rows, double *out) {
  int count = decimated_count(d, rows->count);
  if (is_long(d)) {
    decimate_long(d, y, rows, out);
    return;
  }
  for (int i = 0; i < count; i++)
    out[i] = d->filter == DECIMATE_MEAN && d->m > 1
                 ? mean_of_pairs(y + i * d->m, rows->gap + i * d->m, d->m)
                 : y[i * d->m];
}

// Differences to the first are added up: times may be far from 0.
void decimate_times(const Decimation *d, const double *t, int rows, double *out) {
  int count = decimated_count(d, rows);
  for (int i = 0; i < count; i++) {
    const double *block = t + i * d->m;
    double sum = 0;
    for (int j = 0; j < d->m && d->filter == DECIMATE_MEAN; j++) sum += block[j] - block[0];
    out[i] = block[0] + sum / d->m;
  }
}
