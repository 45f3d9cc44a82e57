// Tests for whiteness. Lag 1: sum r_i r_(i-1) over the root of sum r_i^2 r_(i-1)^2 is nearly normal. Ljung-Box: sum over lags of (sum r_i r_(i-lag))^2 / sum r_i^2 r_(i-lag)^2 is chi-square with as
// many degrees of freedom as lags. Runs: with a positive and b negative residuals the number of runs has the mean
// 2ab/(a+b) + 1 and is nearly normal.
#include "num/residual_tests.h"

#include <math.h>

#include "num/distribution.h"

enum { LAGS_MOST = 10, COUNT_LEAST = 20 };

static double lagged_product(const double *r, int n, int lag) {
  double sum = 0;
  for (int i = lag; i < n; i++) sum += r[i] * r[i - lag];
  return sum;
}

// What the square of the lagged product has as its mean if residuals are independent, whatever their sizes.
static double lagged_variance(const double *r, int n, int lag) {
  double sum = 0;
  for (int i = lag; i < n; i++) sum += r[i] * r[i] * r[i - lag] * r[i - lag];
  return sum;
}

double autocorrelation(const double *r, int n, int lag) {
  double square = lagged_product(r, n, 0);
  return n > lag && square > 0 ? lagged_product(r, n, lag) / square : nan("");
}

double lag1_p(const double *r, int n) {
  double variance = lagged_variance(r, n, 1);
  if (n < COUNT_LEAST || !(variance > 0)) return nan("");
  return 2 * normal_below(-fabs(lagged_product(r, n, 1)) / sqrt(variance));
}

double ljung_box_p(const double *r, int n) {
  if (n < COUNT_LEAST) return nan("");
  int lags = n / 5 < LAGS_MOST ? n / 5 : LAGS_MOST;
  double sum = 0;
  for (int lag = 1; lag <= lags; lag++) {
    double product = lagged_product(r, n, lag), variance = lagged_variance(r, n, lag);
    if (!(variance > 0)) return nan("");
    sum += product * product / variance;
  }
  return chi_square_above(sum, lags);
}

// Where the noise is far below its usual size, residuals show the errors of the parameters: such rows are left out. The
// signs of the others stay as independent as they were.
static double least_size_with_sign(const double *r, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(r[i]);
  return 0.3 * sum / n;
}

double runs_p(const double *r, int n) {
  double above = 0, below = 0, runs = 0, least = least_size_with_sign(r, n);
  int last = 0;
  for (int i = 0; i < n; i++) {
    int sign = (r[i] > least) - (r[i] < -least);
    if (sign == 0) continue;
    above += sign > 0;
    below += sign < 0;
    runs += sign != last;
    last = sign;
  }
  double total = above + below, product = 2 * above * below;
  if (total < COUNT_LEAST) return nan("");
  if (product == 0) return 0;
  double mean = product / total + 1;
  double variance = product * (product - total) / (total * total * (total - 1));
  return 2 * normal_below(-fabs(runs - mean) / sqrt(variance));
}

double white_p(const double *r, int n) {
  return fmin(lag1_p(r, n), fmin(ljung_box_p(r, n), runs_p(r, n)));
}
