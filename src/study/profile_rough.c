// How rough the objective is: how far values near the estimates lie beside a polynomial.
#include "study/profile_rough.h"

#include <math.h>
#include <string.h>

#include "search/samples.h"

enum { POINTS = 11, TERMS = 6, CURVES_MOST = 3, HALVINGS_MOST = 12 };
// The first distance to each side: the standard error of the unknown if all others were known, but at most WIDE of its
// size. Where values differ by more than SPREAD thresholds, nearer ones are used, as long as that makes a difference: the
// spread of smooth ones falls to a half or less.
static const double WIDE = 0.1, SPREAD = 4, ROUGH_FALL = 0.7;
// Above SUSPECT thresholds, half the distance must give the same: it divides what is smooth by 64, what is rough by less
// than SMOOTH.
static const double SUSPECT = 0.01, SMOOTH = 4;

typedef struct Path { // along which one unknown moves, the others fixed
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
static bool sample(const Path *path, double way, double v[POINTS]) {
  const Profile *p = path->p;
  int number = path->c->number;
  const Unknown *f = &p->problem->unknowns[number];
  double at = p->fit->x[number];
  double low = fmax(f->min, at - way), high = fmin(f->max, at + way);
  if (!(high > low)) return false;
  memcpy(path->x, p->fit->x, (size_t)p->problem->unknown_count * sizeof *path->x);
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

static double first_way(const Path *path) {
  int number = path->c->number;
  const Unknown *f = &path->p->problem->unknowns[number];
  double way = fmin(path->c->alone, WIDE * typical_size(f, path->p->fit->x[number]));
  return isfinite(path->c->alone) ? fmin(way, (f->max - f->min) / 2) : 0;
}

// 0 where it cannot be determined.
static double rough_along(const Path *path) {
  double v[POINTS], unit = path->p->threshold * path->c->factor / 2, last = HUGE_VAL;
  double way = first_way(path);
  bool ok = sample(path, way, v);
  for (int i = 0; i < HALVINGS_MOST && way > 0; i++) {
    double spread = ok ? spread_of(v) : HUGE_VAL;
    if (ok && (spread <= SPREAD * unit || spread > ROUGH_FALL * last)) break;
    last = spread;
    ok = sample(path, way /= 2, v);
  }
  if (!ok) return 0;
  double rough = beside_polynomial(v);
  if (rough < SUSPECT * unit || !sample(path, way / 2, v)) return rough;
  return fmin(rough, SMOOTH * beside_polynomial(v));
}

double profile_roughness(const Profile *p, Refit *refit) {
  Arena *a = arena_new();
  Path path = {.p = p, .refit = refit, .x = ARENA_ARRAY(a, double, p->problem->unknown_count + 1)};
  double most = 0;
  for (int i = 0; i < p->count && i < CURVES_MOST; i++) {
    path.c = &p->curves[i];
    most = fmax(most, rough_along(&path));
  }
  arena_free(a);
  return most;
}
