// Noise test, by channel. Sigma given: the sum of (residual/sigma)^2 is chi-square with M degrees of freedom. Else
// l = ln(mean square of the residuals/noise^2) is compared with 2.25 z/sqrt(M) (1 + 3/sqrt(M)), z the normal quantile: the law
// of this ratio when the noise is the least estimate by differences of orders 3 to 8 (num/noise.h), found by simulation, within
// 10 % and on the wide side for 20 to 2000 samples. M = samples less their share of the unknowns. Besides each channel at the
// level 1e-3/channels, all together are tested at 1e-3: in units of the limit for z = 1 the l of a channel has a mean of at
// most 0.4 and a standard deviation of at most 0.85 (the same simulations).
//
// White, by channel: least of three tests (num/residual_tests.h), and the lag-1 products of all channels together.
#include "search/certificate.h"

#include <math.h>

#include "num/distribution.h"
#include "num/residual_tests.h"
#include "residual/sample_times.h"
#include "search/result_rows.h"

// ---------------------------------------------------------------- floors

static const double ACCURACY_FACTOR = 100; // errors of simulations, in units of rel_tol

// Variance of the errors that simulations may have in a channel.
static double error_variance(const MeasuredData *d, int at) {
  const ChannelFacts *f = &d->channels[at];
  double relative = ACCURACY_FACTOR * problem_accuracy(d->problem);
  double size = f->variance > 0 ? f->variance : f->mean * f->mean; // data that do not change
  return relative * relative * size;
}

static double sum_of_scales(const Weighting *w, int at) { // of their half squares
  double sum = 0;
  for (int i = 0; i < w->data->channels[at].channel->count; i++)
    sum += w->channels[at].scale[i] * w->channels[at].scale[i] / 2;
  return sum;
}

// The largest that the objective can be for a given sum of squared residuals, over what it is if all scales are the same:
// weights of samples may put all of it where residuals are large.
static double most_by_weights(const Weighting *w, int at) {
  const Channel *c = w->data->channels[at].channel;
  double most = 0, sum = 0;
  for (int i = 0; c->sample_weight && i < c->count; i++) {
    most = fmax(most, c->sample_weight[i]);
    sum += c->sample_weight[i];
  }
  return sum > 0 ? most * w->data->channels[at].counted / sum : 1;
}

// Data that do not change at all have no variation; their size is then what errors are compared with. Beside others they do
// not count: what is large in one unit is no excuse in another.
double certificate_numerical_floor(const Weighting *w) {
  double relative = ACCURACY_FACTOR * problem_accuracy(w->data->problem), sum = 0;
  bool by_size = w->data->problem->options.residual == RESIDUAL_PREDICTION;
  if (data_objective(w, 1) > 0 && !by_size) return relative * relative * data_objective(w, 1);
  for (int at = 0; at < w->data->channel_count; at++)
    sum += error_variance(w->data, at) * sum_of_scales(w, at);
  return sum;
}

// Of the variation of the data: what interpolation and integration may leave in a search that is on its way.
static const double GOES_ON = 1e-7, NEAR_FLOOR = 1.5, SCATTER = 4;

// Samples of equal weight whose sum of squares would scatter as much, Kish (1965): (sum of weights)^2/(sum of their squares).
static double weighty_samples(const Weighting *w, double horizon) {
  const Problem *p = w->data->problem;
  double sum = 0, squares = 0, n = sample_count(p, horizon);
  if (!p->weights) return n;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      const double *weight = p->experiments[e].channels[c].sample_weight;
      int some = weight ? samples_in_horizon(&p->experiments[e], c, horizon) : 0;
      for (int i = 0; i < some; i++) sum += weight[i], squares += weight[i] * weight[i];
    }
  return squares > 0 ? sum / squares * sum : n;
}

double certificate_floor(const Weighting *w, double horizon) {
  double noise = noise_objective(w, horizon), data = data_objective(w, horizon);
  double slack = 1 + SCATTER * sqrt(2 / fmax(2, weighty_samples(w, horizon)));
  if (isnan(noise)) noise = 0;
  return NEAR_FLOOR * slack * noise + GOES_ON * data;
}

// ---------------------------------------------------------------- what the data allow to tell

// Samples beyond the unknowns that are needed to tell anything of noise.
enum { LEFT_LEAST = 20, LEFT_LEAST_GIVEN = 5 };

bool certificate_samples_are_few(const Problem *p) {
  int least = noise_is_given(p) ? LEFT_LEAST_GIVEN : LEFT_LEAST;
  return sample_count(p, 1) < p->unknown_count + least;
}

// Where samples are far apart, differences show the motion as well as the noise. Noise that is larger, given or not, hides what
// another optimum would leave.
static const double NOISE_SHARE = 0.1;

bool certificate_noise_tells(const Weighting *w) {
  double data = data_objective(w, 1);
  const Problem *p = w->data->problem;
  for (int at = 0; at < w->data->channel_count; at++)
    if (w->data->channels[at].unordered && !sigma_is_given(w->data->channels[at].channel))
      return false;
  return data > 0 && !certificate_samples_are_few(p) && noise_objective(w, 1) <= NOISE_SHARE * data;
}

// As many unknowns as samples fit anything.
bool certificate_is_exact(const Weighting *w, double objective) {
  const Problem *p = w->data->problem;
  return data_objective(w, 1) > 0 && objective <= certificate_numerical_floor(w) &&
         sample_count(p, 1) >= 2 * p->unknown_count + 5;
}

// ---------------------------------------------------------------- the noise test

static const double LEVEL = 1e-3;                    // of all tests of noise together
static const double SPREAD = 2.25, SPREAD_SMALL = 3; // of l, see above
static const double POOLED_MEAN = 0.4, POOLED_SPREAD = 0.85;

// Degrees of freedom of so many samples: less their share of the unknowns.
static double freedom_of(const MeasuredData *d, double samples) {
  return fmax(samples * (1 - d->problem->unknown_count / fmax(d->samples, 1)), 1);
}

static double spread_of_log(double freedom) {
  double root = sqrt(freedom);
  return SPREAD / root * (1 + SPREAD_SMALL / root);
}

// Variance of the noise of a channel, with what simulations add to it.
static double noise_variance(const MeasuredData *d, int at) {
  const ChannelFacts *f = &d->channels[at];
  double noise = sigma_is_given(f->channel) ? f->channel->sigma : f->noise;
  return d->problem->options.floor_factor * noise * noise + error_variance(d, at);
}

// The largest ratio of residual to noise variance that noise of this channel alone explains.
static double ratio_limit(const MeasuredData *d, int at, double level) {
  const Channel *c = d->channels[at].channel;
  double freedom = freedom_of(d, d->channels[at].counted);
  if (sigma_is_given(c)) return chi_square_quantile(1 - level, freedom) / freedom;
  return exp(normal_quantile(1 - level) * spread_of_log(freedom));
}

double certificate_allowance(const MeasuredData *d) {
  double freedom = freedom_of(d, d->samples);
  if (noise_is_given(d->problem)) return chi_square_quantile(1 - LEVEL, freedom) / freedom;
  return exp(normal_quantile(1 - LEVEL) * spread_of_log(freedom));
}

static double level_of_channel(const MeasuredData *d) {
  return LEVEL / (d->channel_count > 1 ? d->channel_count : 1);
}

double certificate_limit(const Weighting *w) {
  const MeasuredData *d = w->data;
  double sum = 0;
  for (int at = 0; at < d->channel_count; at++) {
    int n = d->channels[at].counted;
    double share = freedom_of(d, n) / (n ? n : 1);
    sum += ratio_limit(d, at, level_of_channel(d)) * noise_variance(d, at) * share *
           sum_of_scales(w, at) * most_by_weights(w, at);
  }
  return sum;
}

// ---------------------------------------------------------------- residuals

typedef struct
    CutResiduals { // by channel in its own unit, cut where the Huber loss leaves the square
  const Weighting *w;
  double **at;
  int *count;
  long beyond; // how many were cut
} CutResiduals;

static void keep_rows(void *data, const ResidualBlock *b) {
  CutResiduals *rows = data;
  if (b->channel < 0) return; // a gap between pieces
  int at = channel_number(rows->w->data, b->experiment, b->channel);
  double limit = rows->w->channels[at].huber;
  const Channel *c = rows->w->data->channels[at].channel;
  const double *residual = b->column[rows->w->data->problem->unknown_count];
  for (int j = 0; j < b->rows; j++) {
    if (!sample_counts(c, b->first + j)) continue;
    double r = b->scale[j] > 0 ? residual[j] / b->scale[j] : 0;
    if (fabs(r) > limit) r = copysign(limit, r), rows->beyond++;
    rows->at[at][rows->count[at]++] = r; // blocks come in the order of time
  }
}

static double sum_of_squares(const double *r, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += r[i] * r[i];
  return sum;
}

// Keeps the test that is nearest to its limit, or farthest beyond it.
static void note_noise(FitFacts *f, int channel, double ratio, double limit) {
  double before = log(f->noise.ratio) / log(f->noise.limit);
  if (f->noise.limit > 0 && !(log(ratio) / log(limit) > before)) return;
  f->noise.channel = channel;
  f->noise.ratio = ratio, f->noise.limit = limit;
}

static void test_noise(FitFacts *f, const CutResiduals *rows) {
  const MeasuredData *d = rows->w->data;
  double pooled = 0, logs = 0, spreads = 0, squares = 0, freedom_given = 0;
  int estimated = 0, given = 0;
  bool holds = true;
  for (int at = 0; at < d->channel_count; at++) {
    int n = rows->count[at];
    double sum = sum_of_squares(rows->at[at], n);
    if (sum == 0) continue; // nothing is left to be explained
    double freedom = freedom_of(d, n);
    double ratio = sum / freedom / noise_variance(d, at);
    double limit = ratio_limit(d, at, level_of_channel(d));
    holds = holds && ratio <= limit;
    note_noise(f, at, ratio, limit);
    if (sigma_is_given(d->channels[at].channel))
      given++, squares += ratio * freedom, freedom_given += freedom;
    else {
      double spread = spread_of_log(freedom);
      estimated++, logs += log(ratio), spreads += spread, pooled += log(ratio) / spread;
    }
  }
  if (given > 1) {
    double limit = chi_square_quantile(1 - LEVEL, freedom_given) / freedom_given;
    holds = holds && squares / freedom_given <= limit;
    note_noise(f, -1, squares / freedom_given, limit);
  }
  if (estimated > 1) {
    double limit = POOLED_MEAN + POOLED_SPREAD * normal_quantile(1 - LEVEL) / sqrt(estimated);
    holds = holds && pooled / estimated <= limit;
    note_noise(f, -1, exp(logs / estimated), exp(limit * spreads / estimated));
  }
  f->noise.holds = holds && certificate_noise_tells(rows->w);
}

// ---------------------------------------------------------------- do they look like noise

// White noise shows as much of a pattern only once in a million cases; weaker patterns count where they are not weak in
// size.
static const double UNLIKELY = 1e-6, WEAK = 0.2;
// With few samples neither the size of residuals nor their pattern tells much by itself. Where residuals are larger than noise
// is at this level, a less unlikely pattern counts.
static const double LARGE = 0.05, LEVEL_OF_LARGE = 1e-2;

static bool is_large(const MeasuredData *d, int at, double squares, int n) {
  double ratio = squares / freedom_of(d, n) / noise_variance(d, at);
  return ratio > ratio_limit(d, at, LARGE / (d->channel_count > 1 ? d->channel_count : 1));
}

// Samples that would tell as much of the size of residuals if these were independent: the variance of a first-order process with
// correlations rho^k is known as well as that of N/(1 + 2 sum rho^(2k)) independent samples.
static double effective_samples(double samples, double correlation) {
  double rho = fmin(fmax(correlation, 0), 0.999);
  return isnan(correlation) ? samples : samples * (1 - rho * rho) / (1 + rho * rho);
}

static void test_white(FitFacts *f, const CutResiduals *rows) {
  const MeasuredData *d = rows->w->data;
  double tests = 3 * (d->channel_count > 1 ? d->channel_count : 1), few = LEVEL / tests;
  double product = 0, variance = 0;
  f->white.holds = true;
  for (int at = 0; at < d->channel_count; at++) {
    const double *r = rows->at[at];
    int n = rows->count[at];
    double squares = sum_of_squares(r, n);
    bool exact = squares <= n * error_variance(d, at); // its pattern means nothing
    bool ordered = !d->channels[at].unordered;
    double p = exact || !ordered ? nan("") : white_p(r, n), rho = autocorrelation(r, n, 1);
    f->effective += p < few ? effective_samples(n, rho) : n;
    if (n > 1 && !exact && ordered) product += rho * sqrt(n), variance += 1;
    if (isnan(p)) continue;
    double level = is_large(d, at, squares, n) ? LEVEL_OF_LARGE / tests : few;
    f->white.holds = f->white.holds && !(p < UNLIKELY || (p < level && fabs(rho) > WEAK));
    if (!(p >= f->white.p)) f->white.p = p, f->white.channel = at, f->white.correlation = rho;
  }
  // One-sided: unknowns of single channels make their residuals slightly negatively correlated.
  double together = variance > 1 ? normal_below(-product / sqrt(variance)) : 1;
  if (variance > 1 && !(together / LEVEL >= f->white.p / few)) { // in units of their levels
    f->white.channel = -1;
    f->white.correlation = product / sqrt(variance * d->samples);
    f->white.p = together;
  }
  f->white.holds = f->white.holds && !(together < UNLIKELY);
  f->white.clean = f->white.holds && f->white.p >= (f->white.channel < 0 ? LEVEL : few);
}

// The Huber loss leaves outliers out of account: a few, not the bulk, which tells noise from a wrong optimum.
static const double OUTLIERS_MOST = 1.0 / 3;

FitFacts certificate_facts(EvalWork *work, const EvalSpec *spec, const FitPieces *pieces,
                           const double *x, double objective) {
  const Weighting *w = spec->weighting;
  const Problem *p = w->data->problem;
  int channels = w->data->channel_count;
  FitFacts f = {.noise = {.ratio = nan(""), .limit = nan(""), .channel = -1},
                .white = {.p = nan(""), .correlation = nan(""), .channel = -1},
                .exact = certificate_is_exact(w, objective)};
  Arena *a = arena_new();
  CutResiduals rows = {.w = w,
                       .at = ARENA_ARRAY(a, double *, channels + 1),
                       .count = ARENA_ARRAY(a, int, channels + 1)};
  for (int at = 0; at < channels; at++)
    rows.at[at] = ARENA_ARRAY(a, double, w->data->channels[at].channel->count + 1);
  f.known = result_rows(work, spec, pieces, x, keep_rows, &rows);
  if (f.known) {
    test_noise(&f, &rows);
    test_white(&f, &rows);
    if ((double)rows.beyond > OUTLIERS_MOST * sample_count(p, 1)) f.noise.holds = false;
  }
  arena_free(a);
  return f;
}

bool certificate_fits(const FitFacts *f) {
  return f->exact || (f->known && f->noise.holds && f->white.holds && !f->missing.term);
}

static bool has_priors(const Problem *p) {
  for (int i = 0; i < p->unknown_count; i++)
    if (p->unknowns[i].has_prior) return true;
  return false;
}

bool certificate_holds(EvalWork *work, const EvalSpec *spec, const FitPieces *pieces,
                       const double *x, double objective, FitFacts *facts) {
  const Weighting *w = spec->weighting;
  const Problem *p = w->data->problem;
  bool bounded = p->options.loss != LOSS_HUBER && !has_priors(p); // the objective is all residuals
  *facts = (FitFacts){.exact = certificate_is_exact(w, objective)};
  if (facts->exact) return true;
  if (bounded && objective > certificate_limit(w)) return false;
  *facts = certificate_facts(work, spec, pieces, x, objective);
  return certificate_fits(facts);
}
