// Reinsch's algorithm: with the second derivatives c at the inner samples, R (tridiagonal) and Q (second differences),
// (R + alpha Q'Q) c = Q'y and g = y - alpha Q c. The trace of I - A = alpha Q (R + alpha Q'Q)^-1 Q' needs five bands of the
// inverse (Hutchinson and de Hoog 1985). All is O(n). Green and Silverman, Nonparametric Regression, 1994, chapters 2 and 3.
#include "num/smoothing_spline.h"

#include <math.h>

typedef struct
    Bands { // by inner sample i: entries (i, i), (i, i + 1), (i, i + 2) of symmetric matrices
  int m;
  double *h;            // steps of t, in units of their mean
  double *q0, *q1, *q2; // row i of Q'
  double *r0, *r1;      // R
  double *k0, *k1, *k2; // Q'Q
  double *d, *l1, *l2;  // factors L D L' of R + alpha Q'Q
  double *b0, *b1, *b2; // its inverse
  double *right, *c;    // Q'y; second derivatives
} Bands;

static Bands *bands_new(Arena *a, const double *t, const double *y, int n, double unit) {
  Bands *b = ARENA_NEW(a, Bands);
  int m = b->m = n - 2;
  double **all[] = {&b->q0, &b->q1, &b->q2, &b->r0, &b->r1, &b->k0, &b->k1,    &b->k2,
                    &b->d,  &b->l1, &b->l2, &b->b0, &b->b1, &b->b2, &b->right, &b->c};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = ARENA_ARRAY(a, double, m + 3);
  b->h = ARENA_ARRAY(a, double, n);
  for (int i = 0; i + 1 < n; i++) b->h[i] = (t[i + 1] - t[i]) / unit;
  for (int i = 0; i < m; i++) {
    double u = 1 / b->h[i], v = 1 / b->h[i + 1];
    b->q0[i] = u, b->q1[i] = -u - v, b->q2[i] = v;
    b->r0[i] = (b->h[i] + b->h[i + 1]) / 3, b->r1[i] = i + 1 < m ? b->h[i + 1] / 6 : 0;
    b->right[i] = u * (y[i] - y[i + 1]) + v * (y[i + 2] - y[i + 1]);
  }
  for (int i = 0; i < m; i++) {
    b->k0[i] = b->q0[i] * b->q0[i] + b->q1[i] * b->q1[i] + b->q2[i] * b->q2[i];
    b->k1[i] = i + 1 < m ? b->q1[i] * b->q0[i + 1] + b->q2[i] * b->q1[i + 1] : 0;
    b->k2[i] = i + 2 < m ? b->q2[i] * b->q0[i + 2] : 0;
  }
  return b;
}

static void factor(Bands *b, double alpha) {
  for (int i = 0; i < b->m; i++) {
    double one = i > 0 ? b->l1[i - 1] : 0, two = i > 1 ? b->l2[i - 2] : 0;
    double d1 = i > 0 ? b->d[i - 1] : 0, d2 = i > 1 ? b->d[i - 2] : 0;
    b->d[i] = b->r0[i] + alpha * b->k0[i] - one * one * d1 - two * two * d2;
    b->l1[i] = (b->r1[i] + alpha * b->k1[i] - (i > 0 ? one * b->l2[i - 1] * d1 : 0)) / b->d[i];
    b->l2[i] = alpha * b->k2[i] / b->d[i];
  }
}

static void solve(Bands *b) {
  double *c = b->c;
  for (int i = 0; i < b->m; i++)
    c[i] =
        b->right[i] - (i > 0 ? b->l1[i - 1] * c[i - 1] : 0) - (i > 1 ? b->l2[i - 2] * c[i - 2] : 0);
  for (int i = 0; i < b->m; i++) c[i] /= b->d[i];
  for (int i = b->m - 2; i >= 0; i--)
    c[i] -= b->l1[i] * c[i + 1] + (i + 2 < b->m ? b->l2[i] * c[i + 2] : 0);
}

// Trace of Q B^-1 Q' = trace of B^-1 Q'Q, B = L D L'.
static double trace_rest(Bands *b) {
  double sum = 0;
  for (int i = b->m - 1; i >= 0; i--) {
    double one = i + 1 < b->m ? b->l1[i] : 0, two = i + 2 < b->m ? b->l2[i] : 0;
    double next1 = i + 1 < b->m ? b->b1[i + 1] : 0;
    b->b1[i] = i + 1 < b->m ? -one * b->b0[i + 1] - two * next1 : 0;
    b->b2[i] = i + 2 < b->m ? -one * next1 - two * b->b0[i + 2] : 0;
    b->b0[i] = 1 / b->d[i] - one * b->b1[i] - two * b->b2[i];
    sum += b->b0[i] * b->k0[i] + 2 * (b->b1[i] * b->k1[i] + b->b2[i] * b->k2[i]);
  }
  return sum;
}

// Sum of (alpha Q c)^2: the squared residuals.
static double squares_of(const Bands *b, double alpha) {
  double sum = 0;
  for (int k = 0; k < b->m + 2; k++) {
    double r = (k < b->m ? b->q0[k] * b->c[k] : 0) +
               (k >= 1 && k - 1 < b->m ? b->q1[k - 1] * b->c[k - 1] : 0) +
               (k >= 2 ? b->q2[k - 2] * b->c[k - 2] : 0);
    sum += alpha * r * (alpha * r);
  }
  return sum;
}

typedef struct Score {
  double value, rest; // what is minimised; trace of I - A
  double squares;
} Score;

static Score score_at(Bands *b, double log_alpha, double variance) {
  double alpha = exp(log_alpha), n = b->m + 2;
  factor(b, alpha);
  solve(b);
  Score s = {.rest = fmin(alpha * trace_rest(b), n - 2), .squares = squares_of(b, alpha)};
  if (isnan(variance))
    s.value = n * s.squares / (s.rest * s.rest);
  else
    s.value = s.squares / n + 2 * variance * (n - s.rest) / n;
  return s;
}

// A grid over all that makes a difference, then golden section about its least point.
static double best_log_alpha(Bands *b, double variance) {
  enum { GRID = 45, GOLDEN = 30 };
  static const double LOW = -20.7, STEP = 1.15, RATIO = 0.6180339887498949; // 1e-9 ... 1e13
  double best = HUGE_VAL, at = LOW;
  for (int k = 0; k < GRID; k++) {
    double value = score_at(b, LOW + k * STEP, variance).value;
    if (value < best) best = value, at = LOW + k * STEP;
  }
  double low = at - STEP, high = at + STEP;
  double x = high - RATIO * (high - low), y = low + RATIO * (high - low);
  double fx = score_at(b, x, variance).value, fy = score_at(b, y, variance).value;
  for (int k = 0; k < GOLDEN; k++) {
    if (fx < fy) {
      high = y, y = x, fy = fx, x = high - RATIO * (high - low);
      fx = score_at(b, x, variance).value;
    } else {
      low = x, x = y, fx = fy, y = low + RATIO * (high - low);
      fy = score_at(b, y, variance).value;
    }
  }
  return fx < fy ? x : y;
}

// Values and second derivatives make the slopes.
static void set_slopes(SmoothingSpline *s, const double *t, int n) {
  for (int i = 0; i + 1 < n; i++) {
    double h = t[i + 1] - t[i], rise = (s->value[i + 1] - s->value[i]) / h;
    s->slope[i] = rise - h / 6 * (2 * s->curvature[i] + s->curvature[i + 1]);
    if (i + 2 == n) s->slope[n - 1] = rise + h / 6 * (s->curvature[i] + 2 * s->curvature[n - 1]);
  }
}

static void interpolate_few(SmoothingSpline *s, const double *t, const double *y, int n) {
  for (int i = 0; i < n; i++) s->value[i] = y[i];
  if (n < 2) return;
  double first = (y[1] - y[0]) / (t[1] - t[0]), bend = 0;
  if (n == 3) bend = ((y[2] - y[1]) / (t[2] - t[1]) - first) / (t[2] - t[0]);
  for (int i = 0; i < n; i++) {
    s->slope[i] = first + bend * (2 * t[i] - t[0] - t[1]);
    s->curvature[i] = 2 * bend;
  }
}

SmoothingSpline smoothing_spline(Arena *a, const double *t, const double *y, int n, double sigma) {
  SmoothingSpline s = {.value = ARENA_ARRAY(a, double, n + 1),
                       .slope = ARENA_ARRAY(a, double, n + 1),
                       .curvature = ARENA_ARRAY(a, double, n + 1),
                       .freedom = n};
  if (n < 4) {
    interpolate_few(&s, t, y, n);
    return s;
  }
  Arena *scratch = arena_new();
  double unit = (t[n - 1] - t[0]) / (n - 1);
  Bands *b = bands_new(scratch, t, y, n, unit);
  double log_alpha = best_log_alpha(b, sigma * sigma), alpha = exp(log_alpha);
  Score at = score_at(b, log_alpha, sigma * sigma);
  for (int i = 0; i < n; i++) {
    double r = (i < b->m ? b->q0[i] * b->c[i] : 0) +
               (i >= 1 && i - 1 < b->m ? b->q1[i - 1] * b->c[i - 1] : 0) +
               (i >= 2 ? b->q2[i - 2] * b->c[i - 2] : 0);
    s.value[i] = y[i] - alpha * r;
  }
  for (int i = 0; i < b->m; i++) s.curvature[i + 1] = b->c[i] / (unit * unit);
  set_slopes(&s, t, n);
  s.alpha = alpha * unit * unit * unit;
  s.freedom = n - at.rest;
  s.residual = sqrt(at.squares / n);
  arena_free(scratch);
  return s;
}
