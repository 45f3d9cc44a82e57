// How rough the objective is: how far values near the estimates lie beside a polynomial.
#include <math.h>
#include <string.h>

#include "study/profile_parts.h"

enum { POINTS = 11, TERMS = 6, CURVES_MOST = 3, HALVINGS_MOST = 12 };
static const double WIDE =
    1; // the first reach, in standard errors of the number if all others were known
static const double SPREAD =
    1; // thresholds that values may differ by: beyond, no polynomial need follow them
static const double SUSPECT = 0.01; // thresholds
static const double SMOOTH =
    4; // halving the reach divides what is smooth by 64, what is rough by much less than this

typedef struct Path { // along which one number moves, the others as they are
  const Profile *p;
  const ProfileCurve *c;
  Refit *refit;
  double *x;
} Path;

// Takes out of v its part along each power of the place (Gram and Schmidt). Returns the standard deviation of the rest.
static double beside_polynomial(double v[POINTS]) {
  double basis[TERMS][POINTS], square = 0;
  for (int k = 0; k < TERMS; k++) {
    double length = 0, part = 0;
    for (int i = 0; i < POINTS; i++) basis[k][i] = pow(2.0 * i / (POINTS - 1) - 1, k);
    for (int m = 0; m < k; m++) {
      double shared = 0;
      for (int i = 0; i < POINTS; i++) shared += basis[m][i] * basis[k][i];
      for (int i = 0; i < POINTS; i++) basis[k][i] -= shared * basis[m][i];
    }
    for (int i = 0; i < POINTS; i++) length = hypot(length, basis[k][i]);
    for (int i = 0; i < POINTS; i++) basis[k][i] /= length;
    for (int i = 0; i < POINTS; i++) part += basis[k][i] * v[i];
    for (int i = 0; i < POINTS; i++) v[i] -= part * basis[k][i];
  }
  for (int i = 0; i < POINTS; i++) square += v[i] * v[i];
  return sqrt(square / (POINTS - TERMS));
}

// Values along the path, less the objective at the estimates. false: some cannot be simulated.
static bool sample(const Path *path, double reach, double v[POINTS]) {
  const Profile *p = path->p;
  int number = path->c->number;
  const Free *f = &p->problem->free[number];
  double at = p->fit->x[number], way = reach * path->c->alone;
  double low = fmax(f->min, at - way), high = fmin(f->max, at + way);
  if (!isfinite(way) || !(high > low)) return false;
  memcpy(path->x, p->fit->x, (size_t)p->problem->free_count * sizeof *path->x);
  for (int i = 0; i < POINTS; i++) {
    path->x[number] = low + (high - low) * i / (POINTS - 1);
    if (!refit_value_anywhere(path->refit, path->x, &v[i])) return false;
    v[i] -= p->objective;
  }
  return true;
}

static double spread_of(const double v[POINTS]) {
  double least = v[0], most = v[0];
  for (int i = 1; i < POINTS; i++) least = fmin(least, v[i]), most = fmax(most, v[i]);
  return most - least;
}

// 0 where it cannot be told.
static double rough_along(const Path *path) {
  double v[POINTS], unit = path->p->threshold * path->c->factor / 2, reach = WIDE;
  bool ok = sample(path, reach, v);
  for (int i = 0; i < HALVINGS_MOST && isfinite(path->c->alone); i++) {
    if (ok && spread_of(v) <= SPREAD * unit) break;
    ok = sample(path, reach /= 2, v);
  }
  if (!ok) return 0;
  double rough = beside_polynomial(v);
  if (rough < SUSPECT * unit || !sample(path, reach / 2, v)) return rough;
  return fmin(rough, SMOOTH * beside_polynomial(v));
}

double profile_roughness(const Profile *p, Refit *refit) {
  Arena *a = arena_new();
  Path path = {.p = p, .refit = refit, .x = ARENA_ARRAY(a, double, p->problem->free_count + 1)};
  double most = 0;
  for (int i = 0; i < p->count && i < CURVES_MOST; i++) {
    path.c = &p->curves[i];
    most = fmax(most, rough_along(&path));
  }
  arena_free(a);
  return most;
}
