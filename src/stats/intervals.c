// Standard errors and 95 % intervals: estimate +- t * standard error, t of the normal law where the noise is given, of
// Student's law where it is estimated from the residuals; on logarithmic scales symmetric in the logarithm. Unknowns at
// bounds: see find_sides. Each standard error is the larger of two: that of independent residuals, whatever their sizes, and
// that of residuals as correlated as they show themselves (coloured.c).
#include "stats/intervals.h"

#include <math.h>
#include <string.h>

#include "num/distribution.h"
#include "stats/coloured.h"
#include "stats/projections.h"

static const double CONFIDENCE = 0.95;
static const double FREEDOM_LEAST = 3; // the intervals of fewer are too wide to be of use

// ---------------------------------------------------------------- rows

typedef struct RowVariance {
  double *variance; // by row, of the weighted residuals
  bool sandwich;    // weights are not the inverse noise
  bool estimated;   // from residuals: intervals by Student's law
} RowVariance;

// Weighted residuals, cut where the Huber loss cuts.
static double *weighted_residuals(const Analysis *an) {
  const Samples *rows = an->rows;
  int count = samples_rows(rows);
  double *out = ARENA_ARRAY(an->scratch, double, count + 1);
  for (int i = 0; i < count; i++) {
    double r = rows->column[rows->n][i];
    out[i] = rows->scale[i] * fmax(-rows->huber[i], fmin(rows->huber[i], r));
  }
  return out;
}

static void set_channel_variance(const Analysis *an, int at, RowVariance *v) {
  const SampleChannel *c = &an->rows->channels[at];
  const double *scale = an->rows->scale + c->first;
  double unit = sigma_is_given(c->data) ? c->data->sigma : an->weighting->sigma[at];
  for (int i = 0; i < c->count; i++) {
    double weighted = scale[i] * an->noise[at];
    v->variance[c->first + i] = weighted * weighted;
    v->sandwich |= fabs(scale[i] * unit - 1) > 1e-9;
  }
}

// Residuals near the tolerance of the simulations are not noise: the errors of simulations have the same sign for many
// rows, and shift the estimate by more than such residuals show. With ten times that tolerance the intervals contained
// the truth in all examples without noise.
static void raise_to_accuracy(const Analysis *an, int at, RowVariance *v) {
  const SampleChannel *c = &an->rows->channels[at];
  for (int i = c->first; i < c->first + c->count; i++) {
    double least = an->rows->scale[i] * 10 * problem_accuracy(an->p) * c->size;
    v->variance[i] = fmax(v->variance[i], least * least);
  }
}

// Few samples, or few that have nearly all the weight, do not show how the noise changes along a channel: one variance for
// all of them.
enum { FEW = 50 };

static void pool_variance(const Analysis *an, const Projection *projection, int at,
                          RowVariance *v) {
  const SampleChannel *c = &an->rows->channels[at];
  const double *scale = an->rows->scale;
  double freedom = an->rows->count + an->rows->constraint_count - projection->rank;
  double sum = sum_of_squares(noise_residuals(an, at), c->count),
         variance = sum / c->count * (an->rows->count / freedom);
  for (int i = c->first; i < c->first + c->count; i++)
    v->variance[i] = variance * scale[i] * scale[i];
}

// Rows of channels whose noise is unknown keep the variance that their own residuals show.
static RowVariance row_variances(const Analysis *an, const Projection *projection) {
  const Samples *rows = an->rows;
  int count = samples_rows(rows);
  RowVariance v = {ARENA_ARRAY(an->scratch, double, count + 1), false, false};
  projection_residual_variance(projection, weighted_residuals(an), v.variance);
  bool robust = an->p->options.loss == LOSS_HUBER;
  double freedom = rows->count + rows->constraint_count - projection->rank;
  bool few = freedom > 0 && freedom - rows->count + an->weighty < FEW && !robust;
  for (int at = 0; at < an->s->channel_count; at++) {
    const Channel *c = rows->channels[at].data;
    bool own = an->fitted && (c->sigma_kind == SIGMA_UNKNOWN || robust);
    v.sandwich |= own && (!few || an->left);
    v.estimated |= own || (an->fitted && c->sigma_kind == SIGMA_ESTIMATED);
    if (own && few) pool_variance(an, projection, at, &v);
    if (own)
      raise_to_accuracy(an, at, &v);
    else
      set_channel_variance(an, at, &v);
  }
  for (int i = rows->count; i < count; i++)
    v.variance[i] = i < rows->count + rows->prior_count  ? 1
                    : i < count - rows->constraint_count ? rows->gap_unit * rows->gap_unit
                                                         : 0;
  return v;
}

// The larger of two variances for each unknown. The matrix is one of the two, `base`, with rows and columns stretched to the
// larger diagonal: so it stays positive semidefinite, and its diagonal is that of the standard errors.
static void take_larger(int n, const double *white, const double *coloured, bool coloured_base,
                        double *covariance) {
  const double *base = coloured_base ? coloured : white;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) {
      double stretch = 1;
      for (int side = 0; side < 2; side++) {
        int d = (side ? j : k) * (n + 1);
        if (base[d] > 0) stretch *= sqrt(fmax(white[d], coloured[d]) / base[d]);
      }
      covariance[k * n + j] = base[k * n + j] * stretch;
    }
}

typedef struct Covariance {
  double *matrix;
  bool *coloured; // by unknown: correlated residuals give the larger standard error
  double excess;  // see coloured_covariance
} Covariance;

static Covariance find_covariance(const Analysis *an, const Projection *p, const double *variance) {
  int n = an->s->n;
  Covariance c = {ARENA_ARRAY(an->scratch, double, n *n + 1), ARENA_ARRAY(an->scratch, bool, n + 1),
                  1};
  double *white = ARENA_ARRAY(an->scratch, double, n *n + 1),
         *coloured = ARENA_ARRAY(an->scratch, double, n *n + 1);
  projection_covariance(p, variance, white);
  if (!has_colour(an)) return (Covariance){white, c.coloured, 1};
  coloured_covariance(an, p, variance, coloured, &c.excess);
  for (int k = 0; k < n; k++) c.coloured[k] = coloured[k * n + k] > white[k * n + k];
  take_larger(n, white, coloured, c.excess > 1, c.matrix);
  return c;
}

// The weight of constraints is finite: what they fix keeps a tiny error of it.
static void clear_fixed(const Analysis *an, double *covariance) {
  int n = an->s->n;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n && an->rows->fixed[k]; i++)
      covariance[k * n + i] = covariance[i * n + k] = 0;
}

// Chaotic motion may determine unknowns more accurately than it can be simulated.
static void keep_above_accuracy(const Analysis *an, double *covariance) {
  int n = an->s->n;
  for (int k = 0; an->pieces && k < n; k++) {
    double least = problem_accuracy(an->p) * fabs(an->x[k]), *square = &covariance[k * n + k];
    if (*square < least * least) *square = least * least;
  }
}

// ---------------------------------------------------------------- bounds

// Standard errors to either side of the estimate.
typedef struct Sides {
  double *below, *above; // by unknown
} Sides;

static bool *stopped_numbers(const Analysis *an) {
  bool *stopped = ARENA_ARRAY(an->scratch, bool, an->s->n + 1), any = false;
  for (int k = 0; k < an->s->n; k++) any |= stopped[k] = stopped_by_bound(an, k);
  return any ? stopped : NULL;
}

// Marks the sides to which the unknowns move when those at bounds leave them.
static void mark_sides(const Analysis *an, const Projection *held, const bool *stopped, bool *down,
                       bool *up) {
  int n = an->s->n;
  RowSet set = analysis_rows(an, stopped);
  double *shift = ARENA_ARRAY(an->scratch, double, n + 1);
  for (int j = 0; j < n; j++) {
    if (!stopped[j]) continue;
    double inward = an->s->parameters[j].lower_bound ? 1 : -1;
    projection_follow(held, &set, j, shift);
    for (int k = 0; k < n; k++) {
      down[k] |= inward * shift[k] < 0;
      up[k] |= inward * shift[k] > 0;
    }
  }
}

// An unknown may be at a bound by chance, which shifts the others, too. To the side to which an unknown moves when those
// at bounds leave them, it is as uncertain as if there were no bounds; to the other side, as if they were known. Together
// that covers the truth at least as often as without bounds (test_intervals.c).
static Sides find_sides(const Analysis *an) {
  int n = an->s->n;
  double *free_error = ARENA_ARRAY(an->scratch, double, n + 1),
         *below = ARENA_ARRAY(an->scratch, double, n + 1);
  for (int k = 0; k < n; k++) below[k] = free_error[k] = an->s->parameters[k].std_error;
  const bool *stopped = stopped_numbers(an);
  if (!stopped) return (Sides){below, free_error};
  bool *down = ARENA_ARRAY(an->scratch, bool, n + 1), *up = ARENA_ARRAY(an->scratch, bool, n + 1);
  double *above = ARENA_ARRAY(an->scratch, double, n + 1);
  const Projection *held = project_rows(an, stopped, NULL);
  double *covariance = find_covariance(an, held, row_variances(an, held).variance).matrix;
  keep_above_accuracy(an, covariance);
  clear_fixed(an, covariance);
  mark_sides(an, held, stopped, down, up);
  for (int k = 0; k < n; k++) {
    double error = sqrt(covariance[k * n + k]);
    bool whole = stopped[k] || isnan(free_error[k]);
    below[k] = whole || down[k] ? free_error[k] : error;
    above[k] = whole || up[k] ? free_error[k] : error;
  }
  return (Sides){below, above};
}

// ---------------------------------------------------------------- intervals

static void set_interval(const Unknown *f, double x, double below, double above,
                         StatParameter *out) {
  bool in_logs = f->log && x > 0;
  out->ci_low = in_logs ? x * exp(-below / x) : x - below;
  out->ci_high = in_logs ? x * exp(above / x) : x + above;
  out->ci_low = isnan(below) ? below : fmax(out->ci_low, f->min);
  out->ci_high = isnan(above) ? above : fmin(out->ci_high, f->max);
}

static void set_correlation(Statistics *s) {
  for (int i = 0; i < s->n; i++)
    for (int k = 0; k < s->n; k++) {
      double scale = sqrt(s->covariance[i * s->n + i]) * sqrt(s->covariance[k * s->n + k]);
      double r = s->covariance[i * s->n + k] / scale;
      s->correlation[i * s->n + k] = i == k && !isnan(scale) ? 1 : scale > 0 ? r : nan("");
    }
}

// Of Student's law for the intervals; HUGE_VAL: the normal law. Correlated samples count as the fewer independent ones that
// tell as much, but 3 stay where there are 3. Where sigma is given, only the excess of the variance over that of white
// noise is estimated: the freedom of such a sum is that of the excess times the squared ratio of the two (Satterthwaite
// 1946).
static double find_freedom(const Analysis *an, bool estimated, double excess) {
  const Samples *rows = an->rows;
  double others = (double)rows->prior_count + rows->constraint_count - an->projection->rank;
  double least = fmin(FREEDOM_LEAST, rows->count + others);
  double freedom = fmax(effective_samples(an) + others, least);
  if (estimated) return freedom;
  double ratio = excess / (excess - 1);
  return excess > 1 && freedom > 0 ? fmax(freedom, 1) * ratio * ratio : HUGE_VAL;
}

static double quantile_of(double freedom) {
  double tail = 0.5 + CONFIDENCE / 2;
  if (freedom == HUGE_VAL) return normal_quantile(tail);
  return freedom > 0 ? student_quantile(tail, freedom) : nan("");
}

static IntervalKind kind_of(double error, bool coloured, bool sandwich) {
  if (isnan(error)) return INTERVAL_NONE;
  return coloured ? INTERVAL_ARMA : sandwich ? INTERVAL_SANDWICH : INTERVAL_LINEAR;
}

void find_intervals(Analysis *an) {
  Statistics *s = an->s;
  RowVariance v = row_variances(an, an->projection);
  double freedom = (double)an->rows->count + an->rows->prior_count + an->rows->constraint_count -
                   an->projection->rank;
  find_colour(an);
  Covariance c = find_covariance(an, an->projection, v.variance);
  memcpy(s->covariance, c.matrix, (size_t)s->n * (size_t)s->n * sizeof *c.matrix);
  s->sandwich = v.sandwich;
  s->variance =
      freedom > 0 ? sum_of_squares(weighted_residuals(an), an->rows->count) / freedom : nan("");
  s->freedom = find_freedom(an, v.estimated, c.excess);
  s->colour = c.excess;
  keep_above_accuracy(an, s->covariance);
  clear_fixed(an, s->covariance);
  double t = quantile_of(s->freedom);
  for (int k = 0; k < s->n; k++) {
    StatParameter *out = &s->parameters[k];
    out->std_error = isnan(t) ? t : sqrt(s->covariance[k * s->n + k]);
    out->interval = kind_of(out->std_error, c.coloured[k], v.sandwich);
  }
  Sides sides = find_sides(an);
  for (int k = 0; k < s->n; k++)
    set_interval(&an->p->unknowns[k], an->x[k], t * sides.below[k], t * sides.above[k],
                 &s->parameters[k]);
  set_correlation(s);
}

void drop_intervals_of_undetermined(Statistics *s) {
  for (int k = 0; k < s->n; k++) {
    StatParameter *out = &s->parameters[k];
    if (out->identifiable) continue;
    out->std_error = out->ci_low = out->ci_high = nan("");
    out->interval = INTERVAL_NONE;
  }
}
