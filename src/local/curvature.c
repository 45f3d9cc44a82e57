// The quasi-Newton update of NL2SOL (Dennis, Gay and Welsch, ACM Trans. Math. Softw. 7 (1981) 348). With y the change of the
// slope along the step d, and w = y - R'R d what S should give, S d = w: S is first scaled down by |d'w|/|d'S d| where that is
// below 1, then
//   S += (m y' + y m')/(y'd) - (m'd) y y'/(y'd)^2,   m = w - S d.
#include "local/curvature.h"

#include <math.h>
#include <string.h>

#include "num/cholesky.h"

struct Curvature {
  int n;
  double *S; // symmetric, by rows
  double *d, *change, *want, *miss;
};

Curvature *curvature_new(Arena *a, int n) {
  Curvature *c = ARENA_NEW(a, Curvature);
  c->n = n;
  c->S = ARENA_ARRAY(a, double, (size_t)n *n);
  c->d = ARENA_ARRAY(a, double, n);
  c->change = ARENA_ARRAY(a, double, n);
  c->want = ARENA_ARRAY(a, double, n);
  c->miss = ARENA_ARRAY(a, double, n);
  return c;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// out = R'R d
static void squared(int n, const double *R, const double *d, double *out) {
  memset(out, 0, (size_t)n * sizeof *out);
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = i; j < n; j++) row += R[(size_t)i * n + j] * d[j];
    for (int j = i; j < n; j++) out[j] += R[(size_t)i * n + j] * row;
  }
}

static double quadratic(const Curvature *c, const double *d) {
  double sum = 0;
  for (int i = 0; i < c->n; i++) sum += d[i] * dot(c->n, c->S + (size_t)i * c->n, d);
  return sum;
}

double curvature_gain(const Curvature *c, const double *d) {
  return -quadratic(c, d) / 2;
}

void curvature_update(Curvature *c, const LsqPoint *from, const double *from_slope,
                      const LsqPoint *to, const double *to_slope) {
  int n = c->n;
  for (int i = 0; i < n; i++) {
    c->d[i] = to->x[i] - from->x[i];
    c->change[i] = to_slope[i] - from_slope[i];
  }
  squared(n, to->R, c->d, c->want);
  for (int i = 0; i < n; i++) c->want[i] = c->change[i] - c->want[i];
  double along = dot(n, c->change, c->d), has = fabs(quadratic(c, c->d));
  double needs = fabs(dot(n, c->want, c->d));
  // Residuals that become small take their curvature with them.
  double size = has > needs ? needs / has : 1;
  for (int i = 0; i < n * n; i++) c->S[i] *= size;
  if (!(along > 0)) return;
  for (int i = 0; i < n; i++) c->miss[i] = c->want[i] - dot(n, c->S + (size_t)i * n, c->d);
  double rest = dot(n, c->miss, c->d) / along;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c->S[(size_t)i * n + j] += (c->miss[i] * c->change[j] + c->change[i] * c->miss[j] -
                                  rest * c->change[i] * c->change[j]) /
                                 along;
}

bool curvature_model(Curvature *c, const LsqPoint *p, const double *slope, const double *scale,
                     double *R, double *Qr) {
  int n = c->n;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double sum = c->S[(size_t)i * n + j];
      for (int k = 0; k <= i; k++) sum += p->R[(size_t)k * n + i] * p->R[(size_t)k * n + j];
      R[(size_t)i * n + j] = sum / (scale[i] * scale[j]);
    }
  if (!cholesky(n, R, 1e-6)) return false;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) R[(size_t)i * n + j] *= scale[j];
  for (int i = 0; i < n; i++) {
    double sum = slope[i];
    for (int k = 0; k < i; k++) sum -= R[(size_t)k * n + i] * Qr[k];
    Qr[i] = sum / R[(size_t)i * n + i];
  }
  return true;
}
