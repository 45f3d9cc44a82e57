// Standard errors and 95 % intervals: estimate +- t * standard error, t of the normal law where the noise is given, of
// Student's law where it is estimated from the residuals; on logarithmic scales symmetric in the logarithm. Unknowns at
// bounds: see find_sides.
#include "stats/intervals.h"

#include <math.h>

#include "num/distribution.h"

static const double CONFIDENCE = 0.95;

// ---------------------------------------------------------------- rows

static RowSet row_set(const Analysis *an, const bool *held) {
  const Samples *rows = an->rows;
  int count = samples_rows(rows);
  bool *ignored = ARENA_ARRAY(an->scratch, bool, count + 1);
  for (int i = 0; i < count; i++) ignored[i] = fabs(rows->column[rows->n][i]) > rows->huber[i];
  return (RowSet){rows->n, count, rows->column, rows->scale, ignored, held};
}

Projection *project_rows(const Analysis *an, const bool *held) {
  RowSet set = row_set(an, held);
  return projection_new(an->scratch, &set, fmax(1e-10, 10 * problem_accuracy(an->p)));
}

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
    double least = an->rows->scale[i] * 10 * problem_accuracy(an->p) * c->rms;
    v->variance[i] = fmax(v->variance[i], least * least);
  }
}

// Few samples do not show how the noise changes along a channel: one variance for all of them.
enum { FEW = 50 };

static void pool_variance(const Analysis *an, const Projection *projection, int at,
                          RowVariance *v) {
  const SampleChannel *c = &an->rows->channels[at];
  const double *r = an->rows->column[an->rows->n], *scale = an->rows->scale;
  double sum = 0, freedom = an->rows->count + an->rows->constraint_count - projection->rank;
  for (int i = c->first; i < c->first + c->count; i++) sum += r[i] * r[i];
  double variance = sum / c->count * (an->rows->count / freedom);
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
  int freedom = rows->count + rows->constraint_count - projection->rank;
  bool few = freedom > 0 && freedom < FEW && !robust;
  for (int at = 0; at < an->s->channel_count; at++) {
    const Channel *c = rows->channels[at].data;
    bool own = an->fitted && (c->sigma_kind == SIGMA_UNKNOWN || robust);
    v.sandwich |= own && !few;
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
  RowSet set = row_set(an, stopped);
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
  double *covariance = ARENA_ARRAY(an->scratch, double, n *n + 1),
         *above = ARENA_ARRAY(an->scratch, double, n + 1);
  const Projection *held = project_rows(an, stopped);
  projection_covariance(held, row_variances(an, held).variance, covariance);
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

void find_intervals(Analysis *an) {
  Statistics *s = an->s;
  RowVariance v = row_variances(an, an->projection);
  double freedom = (double)an->rows->count + an->rows->prior_count + an->rows->constraint_count -
                   an->projection->rank;
  s->sandwich = v.sandwich;
  s->variance =
      freedom > 0 ? sum_of_squares(weighted_residuals(an), an->rows->count) / freedom : nan("");
  projection_covariance(an->projection, v.variance, s->covariance);
  keep_above_accuracy(an, s->covariance);
  clear_fixed(an, s->covariance);
  double t = nan(""), tail = 0.5 + CONFIDENCE / 2;
  if (!v.estimated)
    t = normal_quantile(tail);
  else if (freedom > 0)
    t = student_quantile(tail, freedom);
  for (int k = 0; k < s->n; k++)
    s->parameters[k].std_error = isnan(t) ? t : sqrt(s->covariance[k * s->n + k]);
  Sides sides = find_sides(an);
  for (int k = 0; k < s->n; k++)
    set_interval(&an->p->unknowns[k], an->x[k], t * sides.below[k], t * sides.above[k],
                 &s->parameters[k]);
  set_correlation(s);
}

void drop_intervals_of_undetermined(Statistics *s) {
  for (int k = 0; k < s->n; k++) {
    StatParameter *out = &s->parameters[k];
    if (!out->identifiable) out->std_error = out->ci_low = out->ci_high = nan("");
  }
}
