#include "stats/statistics.h"

#include <math.h>
#include <string.h>

#include "num/distribution.h"
#include "stats/analysis.h"
#include "stats/residual_tests.h"

static const double CONFIDENCE = 0.95;
static const double ASSUMED_NOISE = 0.01; // of the rms of a channel, where nothing else is known

double sensitivity_accuracy(const Problem *p) {
  return p->simulate.rel_tol;
}

double residual_accuracy(const Problem *p) {
  return fmax(1e-9, 100 * p->simulate.rel_tol);
}

// ---------------------------------------------------------------- bounds

static void find_bounds(Analysis *an) {
  for (int k = 0; k < an->s->n; k++) {
    const Free *f = &an->p->free[k];
    double x = an->x[k], near = 1e-9 * fabs(x);
    StatParameter *out = &an->s->parameters[k];
    out->lower_bound = x <= f->min + near;
    out->at_bound = out->lower_bound || x >= f->max - near;
  }
}

// Numbers that are taken as known in the covariance: those that a fit has driven into a bound.
static bool *held_numbers(const Analysis *an) {
  bool *held = ARENA_ARRAY(an->scratch, bool, an->s->n + 1);
  for (int k = 0; k < an->s->n; k++) held[k] = an->fitted && an->s->parameters[k].at_bound;
  return held;
}

static void project(Analysis *an) {
  const Samples *rows = an->rows;
  int count = rows->count + rows->prior_count;
  bool *ignored = ARENA_ARRAY(an->scratch, bool, count + 1);
  for (int i = 0; i < count; i++) ignored[i] = fabs(rows->column[rows->n][i]) > rows->huber[i];
  RowSet set = {rows->n, count, rows->column, rows->scale, ignored, held_numbers(an)};
  double tolerance = fmax(1e-10, 10 * sensitivity_accuracy(an->p));
  an->projection = projection_new(an->scratch, &set, tolerance);
}

// ---------------------------------------------------------------- channels

static double sum_of_squares(const double *r, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += r[i] * r[i];
  return sum;
}

static double fit_percent(const Channel *c, double squares) {
  double mean = 0, spread = 0;
  for (int i = 0; i < c->count; i++) mean += c->y[i] / c->count;
  for (int i = 0; i < c->count; i++) spread += (c->y[i] - mean) * (c->y[i] - mean);
  return spread > 0 ? 100 * (1 - sqrt(squares / spread)) : nan("");
}

static void describe_channel(Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  const double *r = an->rows->column[an->rows->n] + c->first;
  StatChannel *out = &an->s->channels[at];
  double squares = sum_of_squares(r, c->count);
  *out = (StatChannel){.experiment = c->experiment, .channel = c->channel, .n = c->count};
  out->rmse = c->count ? sqrt(squares / c->count) : nan("");
  out->fit_percent = fit_percent(c->data, squares);
  out->noise = c->noise;
  out->exact = out->rmse <= residual_accuracy(an->p) * c->rms;
  out->autocorrelation = autocorrelation(r, c->count, 1);
  out->white_p = out->exact ? nan("") : ljung_box_p(r, c->count);
  out->runs_p = out->exact ? nan("") : runs_p(r, c->count);
}

// Root mean square of the residuals, with what the fit took from them given back.
static double residual_deviation(const Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  double freedom = c->count;
  for (int i = 0; i < c->count; i++) freedom -= an->projection->leverage[c->first + i];
  double squares = sum_of_squares(an->rows->column[an->rows->n] + c->first, c->count);
  return freedom > 0.5 ? sqrt(squares / freedom) : nan("");
}

static bool sigma_is_given(const Channel *c) {
  return c->sigma_kind == SIGMA_NUMBER || c->sigma_kind == SIGMA_RELATIVE;
}

// Given, or seen in the residuals of a fit, or in the differences of the data; else assumed.
static void find_noise(Analysis *an) {
  for (int at = 0; at < an->s->channel_count; at++) {
    const SampleChannel *c = &an->rows->channels[at];
    double least = residual_accuracy(an->p) * c->rms;
    double noise = sigma_is_given(c->data) ? c->data->sigma
                   : an->fitted            ? residual_deviation(an, at)
                                           : c->noise;
    if (!(noise > least)) {
      noise = ASSUMED_NOISE * c->rms;
      an->assumed = true;
    }
    an->noise[at] = noise;
  }
}

// ---------------------------------------------------------------- covariance

typedef struct RowVariance {
  double *variance; // by row, of the weighted residuals
  bool sandwich;    // weights are not the inverse noise
  bool estimated;   // from residuals: intervals by Student's law
} RowVariance;

// Weighted residuals, cut where the Huber loss cuts.
static double *weighted_residuals(const Analysis *an) {
  const Samples *rows = an->rows;
  int count = rows->count + rows->prior_count;
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
  double unit = sigma_is_given(c->data) ? c->data->sigma : objective_sigma(an->o)[at];
  for (int i = 0; i < c->count; i++) {
    double weighted = scale[i] * an->noise[at];
    v->variance[c->first + i] = weighted * weighted;
    v->sandwich |= fabs(scale[i] * unit - 1) > 1e-9;
  }
}

// Rows of channels whose noise is unknown keep the variance that their own residuals show.
static RowVariance row_variances(const Analysis *an) {
  const Samples *rows = an->rows;
  int count = rows->count + rows->prior_count;
  RowVariance v = {ARENA_ARRAY(an->scratch, double, count + 1), false, false};
  projection_residual_variance(an->projection, weighted_residuals(an), v.variance);
  bool robust = an->p->options.loss == LOSS_HUBER;
  for (int at = 0; at < an->s->channel_count; at++) {
    const Channel *c = rows->channels[at].data;
    bool own = an->fitted && (c->sigma_kind == SIGMA_UNKNOWN || robust);
    v.sandwich |= own;
    v.estimated |= own || (an->fitted && c->sigma_kind == SIGMA_ESTIMATED);
    if (!own) set_channel_variance(an, at, &v);
  }
  for (int i = rows->count; i < count; i++) v.variance[i] = 1; // priors
  return v;
}

static void set_interval(const Free *f, double x, double half, StatParameter *out) {
  bool in_logs = f->log && x > 0;
  out->ci_low = in_logs ? x * exp(-half / x) : x - half;
  out->ci_high = in_logs ? x * exp(half / x) : x + half;
  out->ci_low = isnan(half) ? half : fmax(out->ci_low, f->min);
  out->ci_high = isnan(half) ? half : fmin(out->ci_high, f->max);
}

static void set_correlation(Statistics *s) {
  for (int i = 0; i < s->n; i++)
    for (int k = 0; k < s->n; k++) {
      double scale = sqrt(s->covariance[i * s->n + i]) * sqrt(s->covariance[k * s->n + k]);
      double r = s->covariance[i * s->n + k] / scale;
      s->correlation[i * s->n + k] = i == k && !isnan(scale) ? 1 : scale > 0 ? r : nan("");
    }
}

static void find_covariance(Analysis *an) {
  Statistics *s = an->s;
  RowVariance v = row_variances(an);
  double freedom = (double)an->rows->count + an->rows->prior_count - an->projection->rank;
  s->sandwich = v.sandwich;
  s->variance =
      freedom > 0 ? sum_of_squares(weighted_residuals(an), an->rows->count) / freedom : nan("");
  projection_covariance(an->projection, v.variance, s->covariance);
  double t = nan(""), tail = 0.5 + CONFIDENCE / 2;
  if (!v.estimated)
    t = normal_quantile(tail);
  else if (freedom > 0)
    t = student_quantile(tail, freedom);
  for (int k = 0; k < s->n; k++) {
    StatParameter *out = &s->parameters[k];
    out->std_error = v.estimated && !(freedom > 0) ? nan("") : sqrt(s->covariance[k * s->n + k]);
    set_interval(&an->p->free[k], an->x[k], t * out->std_error, out);
  }
  set_correlation(s);
}

// ---------------------------------------------------------------- all

static void fill_with_nan(double *x, int count) {
  for (int i = 0; i < count; i++) x[i] = nan("");
}

static Statistics *empty(const Problem *p, const Objective *o) {
  Arena *a = arena_new();
  Statistics *s = ARENA_NEW(a, Statistics);
  s->arena = a;
  s->n = p->free_count;
  s->channel_count = objective_channel_count(o);
  s->parameters = ARENA_ARRAY(a, StatParameter, s->n + 1);
  s->channels = ARENA_ARRAY(a, StatChannel, s->channel_count + 1);
  s->covariance = ARENA_ARRAY(a, double, s->n * s->n + 1);
  s->correlation = ARENA_ARRAY(a, double, s->n * s->n + 1);
  s->singular_values = ARENA_ARRAY(a, double, s->n + 1);
  s->variance = nan("");
  fill_with_nan(s->covariance, s->n * s->n);
  fill_with_nan(s->correlation, s->n * s->n);
  fill_with_nan(s->singular_values, s->n);
  for (int k = 0; k < s->n; k++) {
    StatParameter *out = &s->parameters[k];
    out->std_error = out->ci_low = out->ci_high = out->relative_at_1_percent = nan("");
  }
  return s;
}

static void describe_without_simulation(Statistics *s, const Problem *p, const char *why) {
  s->remarks = ARENA_ARRAY(s->arena, const char *, 1);
  s->remarks[s->remark_count++] = arena_print(
      s->arena, "The model cannot be simulated here, so nothing can be said about this point: %s",
      why);
  for (int k = 0; k < s->n; k++) s->parameters[k].reason = "the model cannot be simulated here";
  int at = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      double none = nan("");
      s->channels[at++] = (StatChannel){
          e, c, p->experiments[e].channels[c].count, none, none, none, none, none, none, false};
    }
}

static void analyse(Analysis *an) {
  Statistics *s = an->s;
  s->samples = an->rows->count;
  an->noise = ARENA_ARRAY(an->scratch, double, s->channel_count + 1);
  an->size = ARENA_ARRAY(an->scratch, double, s->n + 1);
  for (int k = 0; k < s->n; k++) an->size[k] = typical_size(&an->p->free[k], an->x[k]);
  find_bounds(an);
  project(an);
  for (int at = 0; at < s->channel_count; at++) describe_channel(an, at);
  find_noise(an);
  find_covariance(an);
  analyse_identifiability(an);
  write_remarks(an);
}

static bool sigma_is_estimated(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->experiments[e].channels[c].sigma_kind == SIGMA_ESTIMATED) return true;
  return false;
}

static Statistics *statistics(const Problem *p, const double *x, Objective *o, bool fitted) {
  char why[700] = "";
  Arena *scratch = arena_new();
  Statistics *s = empty(p, o);
  Analysis an = {
      .s = s, .a = s->arena, .scratch = scratch, .p = p, .o = o, .x = x, .fitted = fitted};
  if (fitted && sigma_is_estimated(p)) objective_update_sigma(o, x);
  an.rows = samples_new(scratch, p, o, x, why);
  if (an.rows)
    analyse(&an);
  else
    describe_without_simulation(s, p, why);
  arena_free(scratch);
  return s;
}

Statistics *statistics_new(const Problem *p, const FitResult *r, Objective *o) {
  return statistics(p, r->x, o, true);
}

Statistics *statistics_at(const Problem *p, const double *x, Objective *o) {
  return statistics(p, x, o, false);
}

void statistics_free(Statistics *s) {
  if (s) arena_free(s->arena);
}
