// Residual i has the variance s^2/w_i, where w_i = weight * sample weight * quadrature are what the objective multiplies its
// square with.
//   sigma given:      s is that number; the quadrature is taken relative to its mean over the channel, so that s stays the size of
//                     the noise.
//   sigma estimated:  each channel of each experiment has an s of its own.
//   sigma unknown:    one s for all of them, because the objective adds their squares.
// For n residuals that share an unknown s, its most likely value is s^2 = S/n, S = sum w r^2, and then
//   log L = -n/2 (log(2 pi S/n) + 1) + 1/2 sum log w.
//
// The fit minimises 1/2 sum of F, F = sum of squares as it weighs them, group by group. Its gradient is the sum of F/2 d log S, that of
// -log L the sum of L/2 d log S, L = n where s is unknown and S/s^2 where it is given. So log L has its maximum where the
// fit ends if F/L is the same for all groups. A channel weight beside `sigma: estimate` breaks this: it cancels in log L, as s follows from the
// residuals, but the fit counts the channel so often.
#include "study/likelihood.h"

#include <math.h>

#include "search/result_rows.h"

typedef struct NoiseGroup { // residuals that share a standard deviation
  double squares;           // S
  double logs;              // sum of log w
  double least;             // S of residuals that are no more than errors of the simulation
  double fitted;            // F
  long n;
} NoiseGroup;

typedef struct LikelihoodSum {
  const Weighting *weighting;
  NoiseGroup *own;   // by channel
  NoiseGroup shared; // of channels with unknown sigma
  double *mean;      // by channel: of the quadrature
} LikelihoodSum;

static void add_block(void *data, const ResidualBlock *b) {
  LikelihoodSum *s = data;
  if (b->channel < 0) return; // a gap between pieces
  const MeasuredData *d = s->weighting->data;
  const Problem *p = d->problem;
  int at = channel_number(d, b->experiment, b->channel);
  const Channel *c = d->channels[at].channel;
  bool given = c->sigma_kind == SIGMA_NUMBER || c->sigma_kind == SIGMA_RELATIVE;
  NoiseGroup *g = c->sigma_kind == SIGMA_UNKNOWN ? &s->shared : &s->own[at];
  double sigma = s->weighting->sigma[at], least = fit_least_sigma(p, c);
  const double *r = b->column[p->unknown_count];
  for (int j = 0; j < b->rows; j++) {
    if (!sample_counts(c, b->first + j) || !(b->scale[j] > 0)) continue;
    double w = b->scale[j] * sigma, residual = r[j] / b->scale[j];
    w = w * w / (given ? s->mean[at] : 1);
    g->squares += w * residual * residual;
    g->least += w * least * least;
    g->logs += log(w);
    g->fitted += r[j] * r[j];
    g->n++;
  }
}

static double mean_quadrature(const ChannelFacts *f) {
  double sum = 0;
  for (int i = 0; i < f->channel->count; i++)
    if (sample_counts(f->channel, i)) sum += f->quadrature[i];
  return sum > 0 && f->counted ? sum / f->counted : 1;
}

typedef struct RatioRange { // of F/L
  double least, most;
} RatioRange;

static void add_ratio(RatioRange *range, double fitted, double likely) {
  double ratio = fitted / likely;
  if (!(likely > 0 && ratio > 0)) return; // residuals of 0 tell nothing
  range->least = fmin(range->least, ratio);
  range->most = fmax(range->most, ratio);
}

// With the most likely s.
static void add_group(Likelihood *l, RatioRange *range, const NoiseGroup *g) {
  if (!g->n) return;
  double n = (double)g->n, squares = fmax(g->squares, g->least);
  l->exact |= g->squares <= g->least;
  l->log += -n / 2 * (log(2 * M_PI * squares / n) + 1) + g->logs / 2;
  l->samples += g->n;
  l->sigmas++;
  if (g->squares > g->least) add_ratio(range, g->fitted, n);
}

static void add_given(Likelihood *l, RatioRange *range, const NoiseGroup *g, double sigma) {
  double n = (double)g->n;
  l->log += -n / 2 * log(2 * M_PI * sigma * sigma) - g->squares / (2 * sigma * sigma) + g->logs / 2;
  l->samples += g->n;
  add_ratio(range, g->fitted, g->squares / (sigma * sigma));
}

// Residuals whose weights are in the wrong ratio by 1 + d lower log L by the order of d^2: much less than the samples can tell.
static const double EVEN = 0.05;

int likelihood_sigmas(const Problem *p) {
  int own = 0, shared = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      const Channel *c = &p->experiments[e].channels[k];
      if (!samples_that_count(c, c->count)) continue;
      own += c->sigma_kind == SIGMA_ESTIMATED;
      shared = shared || c->sigma_kind == SIGMA_UNKNOWN;
    }
  return own + shared;
}

Likelihood likelihood_of(const AssessedFit *f) {
  Likelihood l = {.log = nan("")};
  const MeasuredData *d = f->fitting->data;
  if (!fit_has_result(f->result)) return l;
  Arena *a = arena_new();
  LikelihoodSum s = {.weighting = f->weighting,
                     .own = ARENA_ARRAY(a, NoiseGroup, d->channel_count + 1),
                     .mean = ARENA_ARRAY(a, double, d->channel_count + 1)};
  for (int k = 0; k < d->channel_count; k++) s.mean[k] = mean_quadrature(&d->channels[k]);
  EvalSpec spec = eval_spec(f->fitting, NULL);
  spec.weighting = f->weighting;
  if (result_rows(f->work, &spec, f->result->pieces, f->result->x, add_block, &s)) {
    RatioRange range = {HUGE_VAL, 0};
    l.log = 0;
    for (int k = 0; k < d->channel_count; k++) {
      const Channel *c = d->channels[k].channel;
      if (c->sigma_kind == SIGMA_NUMBER || c->sigma_kind == SIGMA_RELATIVE)
        add_given(&l, &range, &s.own[k], c->sigma);
      else
        add_group(&l, &range, &s.own[k]);
    }
    add_group(&l, &range, &s.shared);
    l.greatest = f->fitting->data->problem->options.loss == LOSS_SQUARES &&
                 !(range.most > (1 + EVEN) * range.least);
  }
  arena_free(a);
  return l;
}
