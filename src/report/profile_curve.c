#include "report/profile_curve.h"

#include <math.h>

static const double MARGIN = 0.08, HEADROOM = 1.5, DECADE = 10;

static double to_axis(bool log_axis, double value) {
  return log_axis ? log(value) : value;
}

static void reach(CurveSamples *s, double value) {
  if (!isfinite(value)) return;
  s->least = fmin(s->least, value);
  s->most = fmax(s->most, value);
}

static void set_axis(CurveSamples *s, const Profile *p, const ProfileCurve *c) {
  const Unknown *f = &p->problem->unknowns[c->number];
  double x = p->fit->x[c->number];
  s->least = s->most = x;
  reach(s, c->low);
  reach(s, c->high);
  for (int side = 0; side < 2; side++) reach(s, c->side[side].at);
  s->log = f->log && s->least > 0 && s->most > DECADE * s->least;
  double low = to_axis(s->log, s->least), high = to_axis(s->log, s->most);
  double margin = high > low ? MARGIN * (high - low) : fmax(1e-6 * fabs(x), 1e-300);
  s->least = s->log ? exp(low - margin) : low - margin;
  s->most = s->log ? exp(high + margin) : high + margin;
}

// Negative below the estimate, so that it is smooth there.
static double root(const ProfilePoint *at, double estimate) {
  return copysign(sqrt(at->ratio), at->value - estimate);
}

static double ratio_at(const ProfileCurve *c, double estimate, double value) {
  for (int i = 0; i + 1 < c->point_count; i++) {
    const ProfilePoint *a = &c->points[i], *b = &c->points[i + 1];
    if (value < a->value || value > b->value || !(b->value > a->value)) continue;
    double at = root(a, estimate) + (root(b, estimate) - root(a, estimate)) * (value - a->value) /
                                        (b->value - a->value);
    return at * at;
  }
  return nan("");
}

static double parabola_at(const Unknown *f, const ProfileCurve *c, double estimate, double value) {
  bool logs = f->log && estimate > 0;
  double way = logs ? log(value / estimate) * estimate : value - estimate,
         errors = way / c->std_error;
  return errors * errors;
}

CurveSamples curve_samples(Arena *a, const Profile *p, const ProfileCurve *c, int count) {
  const Unknown *f = &p->problem->unknowns[c->number];
  double estimate = p->fit->x[c->number];
  CurveSamples s = {.count = count,
                    .value = ARENA_ARRAY(a, double, count + 1),
                    .ratio = ARENA_ARRAY(a, double, count + 1),
                    .parabola = ARENA_ARRAY(a, double, count + 1)};
  set_axis(&s, p, c);
  s.highest = HEADROOM * (isnan(p->threshold) ? 1 : p->threshold);
  double low = to_axis(s.log, s.least), high = to_axis(s.log, s.most);
  for (int i = 0; i < count; i++) {
    double at = low + (high - low) * i / (count - 1), value = s.log ? exp(at) : at;
    s.value[i] = value;
    s.ratio[i] = ratio_at(c, estimate, value);
    s.parabola[i] = parabola_at(f, c, estimate, value);
  }
  return s;
}
