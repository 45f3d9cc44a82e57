#include "num/noise.h"

#include <math.h>
#include <stdbool.h>

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

// Mean square of the differences of order k; NaN when there are too few.
static double mean_square(const double *t, const double *y, int n, int k, bool equal) {
  double factor[ORDER_MOST + 1], sum = 0;
  int count = 0;
  bool good = false;
  for (int i = 0; i + k < n; i++) {
    if (!equal || i == 0) good = difference_factors(t + i, k, factor);
    if (!good) continue;
    double d = 0;
    for (int j = 0; j <= k; j++) d += factor[j] * y[i + j];
    sum += d * d;
    count++;
  }
  return count >= WINDOWS_LEAST ? sum / count : nan("");
}

double noise_deviation(const double *t, const double *y, int n) {
  double least = nan("");
  if (n < ORDER_LEAST + WINDOWS_LEAST) return least;
  bool equal = equal_steps(t, n);
  for (int k = ORDER_LEAST; k <= ORDER_MOST; k++)
    least =
        fmin(least, mean_square(t, y, n, k, equal)); // fmin takes the number when the other is NaN
  return sqrt(least);
}
