// scale = sqrt(weight*sample weight*quadrature)/sigma. Where sigma is estimated, it is the root mean square of the residuals of its channel (by sample weights),
// which minimises the negative log-likelihood for given unknowns; with the Huber loss it is 1.4826 times the median of
// their sizes, which outliers do not disturb.
#include "residual/weighting.h"

#include <math.h>
#include <string.h>

#include "num/noise.h"
#include "residual/sample_times.h"

static double first_sigma(const Channel *c, const ChannelFacts *f) {
  if (sigma_is_given(c)) return c->sigma;
  if (c->sigma_kind == SIGMA_UNKNOWN) return 1;
  double spread = 0;
  for (int i = 0; i < c->count; i++) {
    double target = sample_target(c, i) - f->mean;
    if (!isnan(target)) spread += target * target;
  }
  spread = sqrt(spread / (c->count ? c->count : 1));
  double noise = f->noise > 1e-3 * spread ? f->noise : 1e-3 * spread;
  return noise > 0 ? noise : 1; // a first guess; a fit replaces it by that of its residuals
}

static double huber_limit(const FitOptions *o, const Channel *c, double sigma, double noise) {
  if (o->loss != LOSS_HUBER) return HUGE_VAL;
  double deviation = c->sigma_kind != SIGMA_UNKNOWN ? sigma : noise;
  return deviation > 0 ? o->huber_limit * deviation : HUGE_VAL;
}

double sample_scale(const Channel *c, int i, double quadrature, double sigma) {
  double weight = c->weight * quadrature * (c->sample_weight ? c->sample_weight[i] : 1);
  return sample_counts(c, i) ? sqrt(weight) / sigma : SCALE_OF_NOTHING / sigma;
}

static Weighting *empty_weighting(const MeasuredData *d) {
  Arena *a = arena_new();
  Weighting *w = ARENA_NEW(a, Weighting);
  w->arena = a;
  w->data = d;
  w->sigma = ARENA_ARRAY(a, double, d->channel_count + 1);
  w->channels = ARENA_ARRAY(a, ChannelWeights, d->channel_count + 1);
  return w;
}

Weighting *weighting_plain(const MeasuredData *d) {
  const Problem *p = d->problem;
  Weighting *w = empty_weighting(d);
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      int at = channel_number(d, e, k), n = p->experiments[e].channels[k].count;
      w->sigma[at] = 1;
      w->channels[at] = (ChannelWeights){ARENA_ARRAY(w->arena, double, n + 1), HUGE_VAL};
      for (int i = 0; i < n; i++) w->channels[at].scale[i] = 1;
    }
  return w;
}

Weighting *weighting_new(const MeasuredData *d, const double *sigma) {
  const Problem *p = d->problem;
  Weighting *w = empty_weighting(d);
  Arena *a = w->arena;
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      const Channel *c = &p->experiments[e].channels[k];
      int at = channel_number(d, e, k);
      const ChannelFacts *f = &d->channels[at];
      double s = w->sigma[at] = sigma ? sigma[at] : first_sigma(c, f);
      double *scale = w->channels[at].scale = ARENA_ARRAY(a, double, c->count + 1);
      for (int i = 0; i < c->count; i++) scale[i] = sample_scale(c, i, f->quadrature[i], s);
      w->channels[at].huber = huber_limit(&p->options, c, s, f->bulk);
    }
  return w;
}

void weighting_free(Weighting *w) {
  if (w) arena_free(w->arena);
}

// ---------------------------------------------------------------- sigma from residuals

typedef struct ResidualSizes { // by channel, in its unit
  const Weighting *w;
  double **at, **weight;
  int *count;
} ResidualSizes;

static void add_sizes(void *data, const ResidualBlock *b) {
  ResidualSizes *s = data;
  if (b->channel < 0) return;
  int at = channel_number(s->w->data, b->experiment, b->channel);
  const Channel *c = s->w->data->channels[at].channel;
  const double *r = b->column[s->w->data->problem->unknown_count];
  for (int j = 0; j < b->rows; j++)
    if (b->scale[j] > 0 && sample_counts(c, b->first + j)) {
      s->weight[at][s->count[at]] = c->sample_weight ? c->sample_weight[b->first + j] : 1;
      s->at[at][s->count[at]++] = fabs(r[j] / b->scale[j]);
    }
}

// Root mean square; without outliers where the Huber loss is used.
static double deviation_of(const Problem *p, double *size, const double *weight, int n) {
  double sum = 0, all = 0;
  if (n > 0 && p->options.loss == LOSS_HUBER) return deviation_by_median(size, n);
  for (int i = 0; i < n; i++) sum += weight[i] * size[i] * size[i], all += weight[i];
  return n > 0 ? sqrt(sum / all) : 0;
}

Weighting *weighting_from_residuals(const Weighting *w, ResidualSource *source, void *self,
                                    double *change) {
  const Problem *p = w->data->problem;
  Arena *scratch = arena_new();
  int channels = w->data->channel_count;
  ResidualSizes s = {w, ARENA_ARRAY(scratch, double *, channels + 1),
                     ARENA_ARRAY(scratch, double *, channels + 1),
                     ARENA_ARRAY(scratch, int, channels + 1)};
  double *sigma = ARENA_ARRAY(scratch, double, channels + 1);
  bool estimated = false;
  *change = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      int at = channel_number(w->data, e, c), count = p->experiments[e].channels[c].count;
      s.at[at] = ARENA_ARRAY(scratch, double, count + 1);
      s.weight[at] = ARENA_ARRAY(scratch, double, count + 1);
    }
  memcpy(sigma, w->sigma, (size_t)channels * sizeof *sigma);
  if (source(self, add_sizes, &s))
    for (int e = 0; e < p->experiment_count; e++)
      for (int c = 0; c < p->experiments[e].channel_count; c++) {
        int at = channel_number(w->data, e, c);
        double deviation = deviation_of(p, s.at[at], s.weight[at], s.count[at]);
        if (p->experiments[e].channels[c].sigma_kind != SIGMA_ESTIMATED || !(deviation > 0))
          continue;
        *change = fmax(*change, fabs(deviation / sigma[at] - 1));
        sigma[at] = deviation;
        estimated = true;
      }
  Weighting *next = estimated ? weighting_new(w->data, sigma) : NULL;
  arena_free(scratch);
  return next;
}

// ---------------------------------------------------------------- objectives of the data alone

// Sum over samples of 1/2 scale^2 times the square that `square` says of a sample.
typedef double SampleSquare(const Channel *c, const ChannelFacts *f, int i);

static double sum_samples(const Weighting *w, double horizon, SampleSquare *square) {
  const Problem *p = w->data->problem;
  double sum = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      int at = channel_number(w->data, e, c),
          n = samples_in_horizon(&p->experiments[e], c, horizon);
      const double *scale = w->channels[at].scale;
      for (int i = 0; i < n; i++)
        sum += scale[i] * scale[i] / 2 *
               square(&p->experiments[e].channels[c], &w->data->channels[at], i);
    }
  return sum;
}

// Differences of samples that are far apart show more than noise, those of few samples scatter: a given sigma is then nearer
// to it.
enum { DIFFERENCES_LEAST = 50 };

static double noise_square(const Channel *c, const ChannelFacts *f, int i) {
  (void)i;
  double noise = f->noise; // fmin of NaN and a number is the number
  if (sigma_is_given(c)) noise = c->count < DIFFERENCES_LEAST ? c->sigma : fmin(noise, c->sigma);
  return noise * noise;
}

static double data_square(const Channel *c, const ChannelFacts *f, int i) {
  double target = sample_target(c, i) - f->mean;
  return isnan(target) ? 0 : target * target;
}

double noise_objective(const Weighting *w, double horizon) {
  return sum_samples(w, horizon, noise_square);
}

double data_objective(const Weighting *w, double horizon) {
  return sum_samples(w, horizon, data_square);
}
