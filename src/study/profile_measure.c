// Thresholds of the profiles: the squared quantile of the normal law, or of Student's where the noise is not given,
// times the variance by the covariance of the fit over that by the curvature alone. Coloured residuals raise that
// covariance, and count as fewer samples in Student's law: so the threshold rises with them, and where the model is
// linear the profile ends where the widened interval does. Unknowns without a variance get the mean rise. Tangents of the profiles from the
// inverse curvature.
#include "study/profile_measure.h"

#include <math.h>

#include "num/distribution.h"
#include "search/samples.h"
#include "stats/covariance.h"

// ---------------------------------------------------------------- noise

// Rows of the objective's second derivatives, as they are where residuals are linear.
static Projection *curvature_rows(Arena *a, const Problem *p, const Samples *rows) {
  int count = samples_rows(rows);
  bool *ignored = ARENA_ARRAY(a, bool, count + 1);
  for (int i = 0; i < count; i++) ignored[i] = fabs(rows->column[rows->n][i]) > rows->huber[i];
  RowSet set = {rows->n, count, rows->column, rows->scale, ignored, NULL};
  return projection_new(a, &set, fmax(1e-10, 10 * problem_accuracy(p)));
}

// Variance of a weighted residual, not below what simulations leave open (as in the intervals of a fit).
static double usual_variance(const Profile *p, const Samples *rows) {
  double least = 0;
  for (int c = 0; c < rows->channel_count; c++)
    for (int i = 0; i < rows->channels[c].count; i++) {
      double error = rows->scale[rows->channels[c].first + i] * 10 * problem_accuracy(p->problem) *
                     rows->channels[c].size;
      least += error * error / (rows->count ? rows->count : 1);
    }
  double variance = p->statistics->variance;
  return isnan(variance) ? fmax(least, 1e-300) : fmax(variance, fmax(least, 1e-300));
}

// Standard error of unknown k if all others were known.
static double error_alone(const Samples *rows, int k, double factor) {
  double square = 0;
  for (int i = 0; i < rows->count + rows->prior_count; i++)
    if (!(fabs(rows->column[rows->n][i]) > rows->huber[i]))
      square += pow(rows->scale[i] * rows->column[k][i], 2);
  return square > 0 ? sqrt(factor / square) : nan("");
}

// ---------------------------------------------------------------- the interval by the covariance

static double quantile(double level, double freedom) {
  double tail = 0.5 + level / 2;
  return freedom == HUGE_VAL ? normal_quantile(tail) : student_quantile(tail, freedom);
}

// Half widths of a fit's 95 % interval, which ends at the bounds.
static double half_width(const ProfileCurve *c, double end, double bound, double x, bool logs) {
  double whole = c->std_error / (logs ? x : 1);
  if (end == bound || !isfinite(end)) return nan("");
  double half = logs ? fabs(log(end / x)) : fabs(end - x);
  return half > 0 ? half : whole;
}

static void set_interval(const Profile *p, ProfileCurve *c) {
  const Unknown *f = &p->problem->unknowns[c->number];
  const StatParameter *s = &p->statistics->parameters[c->number];
  double x = p->fit->x[c->number], t = sqrt(p->threshold), t95 = quantile(0.95, p->freedom);
  bool logs = profile_in_logs(f, x);
  c->std_error = s->std_error;
  c->low = c->high = nan("");
  if (isnan(s->std_error)) return;
  double below = half_width(c, s->ci_low, f->min, x, logs) * t / t95,
         above = half_width(c, s->ci_high, f->max, x, logs) * t / t95;
  double usual = t * s->std_error / (logs ? x : 1);
  if (isnan(below)) below = usual;
  if (isnan(above)) above = usual;
  c->low = fmax(logs ? x * exp(-below) : x - below, f->min);
  c->high = fmin(logs ? x * exp(above) : x + above, f->max);
}

// ---------------------------------------------------------------- all

void profile_measure(Profile *p, EvalWork *w, const Weighting *weighting) {
  Arena *a = arena_new();
  int n = p->problem->unknown_count;
  bool given = p->problem->options.loss != LOSS_HUBER && noise_is_given(p->problem);
  const Samples *rows = samples_new(a, w, weighting, NULL, p->fit->x);
  Projection *projection = rows ? curvature_rows(a, p->problem, rows) : NULL;
  double *inverse = ARENA_ARRAY(a, double, n *n + 1);
  double usual = (rows && !given ? usual_variance(p, rows) : 1) * p->statistics->colour;
  p->freedom = isnan(p->statistics->freedom) ? 0 : p->statistics->freedom;
  p->threshold = p->freedom > 0 ? pow(quantile(p->level, p->freedom), 2) : nan("");
  if (rows) {
    double *one = ARENA_ARRAY(a, double, samples_rows(rows) + 1);
    for (int i = 0; i < samples_rows(rows); i++) one[i] = 1;
    projection_covariance(projection, one, inverse);
  }
  for (int i = 0; i < p->count; i++) {
    ProfileCurve *c = &p->curves[i];
    int k = c->number;
    double factor = p->statistics->covariance[k * n + k] / inverse[k * n + k];
    c->factor = rows && factor > 0 && isfinite(factor) ? factor : usual;
    c->alone = rows ? error_alone(rows, k, c->factor) : nan("");
    for (int j = 0; j < n; j++)
      c->tangent[j] = rows ? inverse[j * n + k] / inverse[k * n + k] : nan("");
    set_interval(p, c);
  }
  arena_free(a);
}
