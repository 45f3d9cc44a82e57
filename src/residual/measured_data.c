// Noise from differences of the data (num/noise.h), the dominant angular frequency by omega^2 = mean(y'^2)/mean((y - mean)^2), as
// for a sine, and the weights of the trapezoidal rule.
#include "residual/measured_data.h"

#include <math.h>

#include "num/noise.h"
#include "residual/sample_times.h"

// By differences of the data; with the Huber loss by a rule that outliers do not disturb. Where an input jumps, so may what
// is measured: such differences do not count. The order of rows without times means nothing, but
// the Huber loss needs some size. NaN: unknown.
static double noise_of(const Problem *p, const Experiment *e, const Channel *c) {
  if (!problem_simulates(p)) return nan("");
  if (p->options.loss == LOSS_HUBER) return noise_deviation_robust(c->t, c->y, c->count);
  if (e->without_times) return nan("");
  Arena *scratch = arena_new();
  IntArray jumps = {0};
  for (int i = 0; i + 1 < c->count; i++) {
    bool jump = false;
    for (int u = 0; u < p->model->nu && !jump; u++)
      jump = input_jumps(e->inputs[u]) && input_next_break(e->inputs[u], c->t[i], 0) <= c->t[i + 1];
    if (jump) array_push(scratch, &jumps, i);
  }
  // An input that is held from sample to sample jumps everywhere: then nothing would be left.
  if (3 * jumps.count > c->count) jumps.count = 0;
  double noise = noise_deviation_between(c->t, c->y, c->count, jumps.at, jumps.count);
  arena_free(scratch);
  return noise;
}

// A prediction has the noise of its sample and that of the sample it begins at.
static double bulk_of(const Problem *p, const Channel *c, double noise) {
  if (problem_simulates(p) || p->options.loss != LOSS_HUBER) return noise;
  double one = noise_deviation_robust(c->t, c->y, c->count);
  return c->from ? one * 1.4142135623730951 : one;
}

// sqrt(mean(y'^2)/mean((y - mean)^2)), without what noise adds to both; at least one period over the recording.
static double frequency_of(const Channel *c, double mean, double noise) {
  double rise = 0, time = 0, deviation = 0, known = isnan(noise) ? 0 : noise;
  for (int i = 0; i < c->count; i++) deviation += (c->y[i] - mean) * (c->y[i] - mean);
  deviation -= c->count * known * known;
  for (int i = 1; i < c->count; i++) {
    double dt = c->t[i] - c->t[i - 1], dy = c->y[i] - c->y[i - 1];
    rise += (dy * dy - 2 * known * known) / (dt * dt) * dt;
    time += dt;
  }
  double slowest = time > 0 ? 6.283185307179586 / time : 1;
  if (!(rise > 0) || !(deviation > 0)) return slowest;
  return fmax(slowest, sqrt(rise / time / (deviation / c->count)));
}

// Trapezoidal rule on the samples of the channel itself.
static void fill_quadrature(const Problem *p, const Channel *c, double *q) {
  for (int i = 0; i < c->count; i++) {
    double before = i > 0 ? c->t[i] - c->t[i - 1] : 0;
    double after = i + 1 < c->count ? c->t[i + 1] - c->t[i] : 0;
    q[i] = p->options.criterion == CRITERION_INTEGRAL ? (before + after) / 2 : 1;
  }
}

static const double INCREMENT_SIZE = 0.01;

static void set_moments(ChannelFacts *f) {
  const Channel *c = f->channel;
  double sum = 0, squares = 0, sizes = 0, count = c->count ? c->count : 1;
  double first = c->count && !c->from ? c->y[0] : 0; // exact where they do not change
  for (int i = 0; i < c->count; i++) {
    double target = sample_target(c, i);
    if (!isnan(target)) sum += target - first;
    sizes += c->y[i] * c->y[i];
  }
  f->mean = first + sum / count;
  for (int i = 0; i < c->count; i++) {
    double target = sample_target(c, i);
    if (!isnan(target)) squares += (target - f->mean) * (target - f->mean);
  }
  f->variance = squares / count;
  // Errors of computed increments are relative to the states, too.
  if (c->from) f->variance += INCREMENT_SIZE * INCREMENT_SIZE * sizes / count;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < c->count; i++) low = fmin(low, c->y[i]), high = fmax(high, c->y[i]);
  f->range = c->count ? high - low : 0;
}

MeasuredData *measured_data_new(Arena *a, const Problem *p) {
  MeasuredData *d = ARENA_NEW(a, MeasuredData);
  d->problem = p;
  d->first_channel = ARENA_ARRAY(a, int, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    d->first_channel[e] = d->channel_count;
    d->channel_count += p->experiments[e].channel_count;
  }
  d->channels = ARENA_ARRAY(a, ChannelFacts, d->channel_count + 1);
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      const Channel *c = &p->experiments[e].channels[k];
      ChannelFacts *f = &d->channels[channel_number(d, e, k)];
      f->channel = c;
      d->samples += f->counted = samples_that_count(c, c->count);
      set_moments(f);
      f->unordered = p->experiments[e].without_times;
      f->noise = noise_of(p, &p->experiments[e], c);
      f->bulk = bulk_of(p, c, f->noise);
      f->frequency = frequency_of(c, f->mean, f->noise);
      f->quadrature = ARENA_ARRAY(a, double, c->count + 1);
      fill_quadrature(p, c, f->quadrature);
    }
  return d;
}

bool noise_is_given(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (!sigma_is_given(&p->experiments[e].channels[c])) return false;
  return true;
}

bool noise_is_estimated(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->experiments[e].channels[c].sigma_kind == SIGMA_ESTIMATED) return true;
  return false;
}

double sample_count(const Problem *p, double horizon) {
  double samples = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      samples += samples_that_count(&p->experiments[e].channels[c],
                                    samples_in_horizon(&p->experiments[e], c, horizon));
  return samples;
}
