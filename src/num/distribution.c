// Tails and quantiles. Normal: erfc. Student: P(T > t) = I_x(v/2, 1/2) / 2 with x = v/(v + t^2) and the incomplete
// beta function I. Chi-square: the incomplete gamma function of v/2 and x/2, by its series or its continued fraction,
// whichever gives the smaller tail directly (Abramowitz and Stegun, sections 6.5 and 26). Continued fractions by the
// modified method of Lentz; quantiles by safeguarded Newton steps.
#include "num/distribution.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { TERMS_MOST = 100000 };
static const double SMALLEST = 1e-300; // stands for a zero denominator in continued fractions

double normal_below(double x) {
  return 0.5 * erfc(-x * M_SQRT1_2);
}

// The root of the tail 0 < q <= 1/2: a rational start (Abramowitz and Stegun 26.2.23, error below 5e-4) and steps of
// third order.
static double normal_tail_root(double q) {
  double w = sqrt(-2 * log(q));
  double x = w - (2.515517 + w * (0.802853 + w * 0.010328)) /
                     (1 + w * (1.432788 + w * (0.189269 + w * 0.001308)));
  for (int i = 0; i < 3; i++) {
    double density = exp(-0.5 * x * x) / sqrt(2 * M_PI);
    double step = (normal_below(-x) - q) / density;
    x += step / (1 - 0.5 * x * step);
  }
  return x;
}

double normal_quantile(double p) {
  return p < 0.5 ? -normal_tail_root(p) : normal_tail_root(1 - p);
}

static double log_gamma(double a) { // lgamma() also writes a global variable
  int sign;
  return lgamma_r(a, &sign);
}

// log(Gamma(a + 1/2) / Gamma(a)); the difference of large logarithms would lose digits.
static double log_half_ratio(double a) {
  if (a < 20) return log_gamma(a + 0.5) - log_gamma(a);
  double b = 1 / (a * a);
  return 0.5 * log(a) - (1. / 8 - b * (1. / 192 - b * (1. / 640 - b * 17 / 14336))) / a;
}

// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by the method of Lentz.
static double beta_fraction(double a, double b, double x) {
  double c = 1, d = 1 - (a + b) * x / (a + 1), f;
  d = 1 / (fabs(d) < SMALLEST ? SMALLEST : d);
  f = d;
  for (int m = 1; m < TERMS_MOST; m++) {
    for (int odd = 0; odd < 2; odd++) {
      double k = a + 2 * m;
      double e = odd ? -(a + m) * (a + b + m) * x / (k * (k + 1)) : m * (b - m) * x / ((k - 1) * k);
      d = 1 + e * d;
      c = 1 + e / c;
      d = 1 / (fabs(d) < SMALLEST ? SMALLEST : d);
      if (fabs(c) < SMALLEST) c = SMALLEST;
      f *= c * d;
    }
    if (fabs(c * d - 1) < DBL_EPSILON) break;
  }
  return f;
}

// P(T > t) for t >= 0: half the incomplete beta function of freedom/(freedom + t^2) with a = freedom/2 and 1/2.
static double student_above(double t, double freedom) {
  double a = 0.5 * freedom, s = t * t / freedom;
  if (!isfinite(s)) return isnan(s) ? s : 0;
  double x = 1 / (1 + s), y = s / (1 + s);
  // x^a y^(1/2) / B(a, 1/2)
  double front = exp(log_half_ratio(a) - a * log1p(s)) * sqrt(y / M_PI);
  if (x < (a + 1) / (a + 2.5)) return 0.5 * front * beta_fraction(a, 0.5, x) / a;
  return 0.5 * (1 - 2 * front * beta_fraction(0.5, a, y));
}

double student_below(double t, double freedom) {
  return t > 0 ? 1 - student_above(t, freedom) : student_above(-t, freedom);
}

static double student_density(double t, double freedom) {
  double a = 0.5 * freedom;
  return exp(log_half_ratio(a) - (a + 0.5) * log1p(t * t / freedom)) / sqrt(M_PI * freedom);
}

// The root of the tail 0 < q <= 1/2 by Newton's method between bounds.
static double student_tail_root(double q, double freedom) {
  double low = 0, high = 1;
  while (student_above(high, freedom) > q && high < 1e300) {
    low = high;
    high *= 2;
  }
  double t = 0.5 * (low + high);
  for (int i = 0; i < 200; i++) {
    double excess = student_above(t, freedom) - q, last = t;
    if (excess > 0)
      low = t;
    else
      high = t;
    t += excess / student_density(t, freedom);
    if (!(t > low && t < high)) t = 0.5 * (low + high);
    if (fabs(t - last) <= 2 * DBL_EPSILON * t) break;
  }
  return t;
}

double student_quantile(double p, double freedom) {
  if (p == 0.5) return 0;
  return p < 0.5 ? -student_tail_root(p, freedom) : student_tail_root(1 - p, freedom);
}

// log(1 + d) - d without the loss of digits near 0.
static double log1p_rest(double d) {
  if (fabs(d) > 0.1) return log1p(d) - d;
  double sum = 0, power = d;
  for (int k = 2; k < 20; k++) {
    power *= -d;
    sum += power / k;
  }
  return sum;
}

// log Gamma(a) minus Stirling's formula.
static double stirling_rest(double a) {
  double b = 1 / (a * a);
  return (1. / 12 - b * (1. / 360 - b * (1. / 1260 - b / 1680))) / a;
}

// x^a exp(-x) / Gamma(a)
static double gamma_front(double a, double x) {
  if (a < 30) return exp(a * log(x) - x - log_gamma(a));
  return exp(a * log1p_rest((x - a) / a) - stirling_rest(a)) * sqrt(a / (2 * M_PI));
}

static double gamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int k = 1; k < TERMS_MOST && term > sum * 0.1 * DBL_EPSILON; k++) sum += term *= x / (a + k);
  return sum;
}

static double gamma_fraction(double a, double x) {
  double b = x + 1 - a, c = 1 / SMALLEST, d = 1 / b, f = d;
  for (int k = 1; k < TERMS_MOST; k++) {
    double e = -k * (k - a);
    b += 2;
    d = e * d + b;
    c = b + e / c;
    d = 1 / (fabs(d) < SMALLEST ? SMALLEST : d);
    if (fabs(c) < SMALLEST) c = SMALLEST;
    f *= c * d;
    if (fabs(c * d - 1) < DBL_EPSILON) break;
  }
  return f;
}

// Both parts of the incomplete gamma function; each is found directly where it is the smaller one.
static double chi_square(double x, double freedom, bool above) {
  double a = 0.5 * freedom, half = 0.5 * x;
  if (isnan(x)) return x;
  if (x <= 0) return above ? 1 : 0;
  if (isinf(x)) return above ? 0 : 1;
  bool series = half < a + 1;
  double part = gamma_front(a, half) * (series ? gamma_series(a, half) : gamma_fraction(a, half));
  return series == above ? 1 - part : part;
}

double chi_square_below(double x, double freedom) {
  return chi_square(x, freedom, false);
}

double chi_square_above(double x, double freedom) {
  return chi_square(x, freedom, true);
}

// By the smaller of the two parts, which has all its digits.
static bool is_below_quantile(double x, double p, double freedom) {
  return p < 0.5 ? chi_square(x, freedom, false) < p : chi_square(x, freedom, true) > 1 - p;
}

// Bisection, in an interval around Wilson and Hilferty's approximation, which far below the mean is none.
double chi_square_quantile(double p, double freedom) {
  enum { ROUNDS = 1100 };
  double a = 2 / (9 * freedom), root = 1 - a + normal_quantile(p) * sqrt(a);
  double low = root > 0 ? freedom * root * root * root : freedom, high = low;
  for (int k = 0; k < ROUNDS && !is_below_quantile(low, p, freedom); k++) low /= 2;
  for (int k = 0; k < ROUNDS && is_below_quantile(high, p, freedom); k++) high *= 2;
  for (int k = 0; k < ROUNDS && high > low * (1 + 4 * DBL_EPSILON); k++) {
    double middle = sqrt(low) * sqrt(high);
    *(is_below_quantile(middle, p, freedom) ? &low : &high) = middle;
  }
  return sqrt(low) * sqrt(high);
}
