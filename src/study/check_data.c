#include "study/check_data.h"

#include <math.h>
#include <stdlib.h>

#include "study/data_quality.h"
#include "study/synthetic.h"

enum { CHANNELS_TO_DESCRIBE = 20 }; // with more, lines about single channels would hide the rest

static const char TOPIC[] = "data";

static const char *steps_in_words(Check *c, const DataQuality *q) {
  bool even = q->step_most - q->step_least <= 0.01 * q->step;
  return even ? arena_print(c->arena, "steps of %.3g", q->step)
              : arena_print(c->arena, "uneven steps of %.3g to %.3g", q->step_least, q->step_most);
}

static const char *noise_in_words(Check *c, const DataQuality *q) {
  double noise = 100 * q->noise / q->deviation;
  return q->constant        ? "all the same"
         : !isfinite(noise) ? "too few samples to tell the noise"
         : noise < 0.01     ? "hardly any noise"
                            : arena_print(c->arena, "noise about %.2g %% of its variation", noise);
}

static void describe(Check *c, const char *label, const Experiment *x, const Channel *channel,
                     const DataQuality *q) {
  char from[32], to[32];
  experiment_time(x, channel->t[0], 6, from);
  experiment_time(x, channel->t[q->count - 1], 6, to);
  if (q->count == 1)
    check_add(c, FINDING_GOOD, TOPIC, "%s: 1 sample at %s.", label, from);
  else
    check_add(c, FINDING_GOOD, TOPIC, "%s: %d samples from %s to %s, %s, %s.", label, q->count,
              from, to, steps_in_words(c, q), noise_in_words(c, q));
}

static void check_missing(Check *c, const char *label, const Channel *channel) {
  int all = channel->count + channel->missing;
  double share = all ? (double)channel->missing / all : 0;
  if (share > 0.5)
    check_add_about(c, label, FINDING_WARNING, TOPIC,
                    "%s: %d of %d samples are missing. Check that column '%s' is the right one.",
                    label, channel->missing, all, channel->column);
  else if (channel->missing)
    check_add_about(c, label, FINDING_NOTE, TOPIC,
                    "%s: %d of %d samples are missing and are left out.", label, channel->missing,
                    all);
}

static void check_gaps(Check *c, const char *label, const Experiment *x, const DataQuality *q) {
  if (!(q->step_most > 5 * q->step)) return;
  char from[32], to[32];
  check_add_about(
      c, label, FINDING_WARNING, TOPIC,
      "%s: no samples between %s and %s, %.3g times the usual step. If the recording was "
      "interrupted, make two experiments of it, each with its own window.",
      label, experiment_time(x, q->gap_from, 6, from), experiment_time(x, q->gap_to, 6, to),
      q->step_most / q->step);
}

static void check_sampling(Check *c, const char *label, const DataQuality *q) {
  double samples = q->period / q->step;
  if (!(samples < 8)) return; // where a cubic spline errs by about 0.1 %
  check_add_about(
      c, label, FINDING_WARNING, TOPIC,
      "%s: only %.2g samples in one oscillation (period %.3g, step %.3g). Values between "
      "samples, which the homotopy needs, and often the noise cannot be determined from such "
      "data: "
      "sample "
      "at least %.2g times as fast, or do not rely on a certificate.",
      label, samples, q->period, q->step, 8 / samples);
}

static void check_values(Check *c, const char *label, const Experiment *x, const Channel *channel,
                         const DataQuality *q) {
  char at[32];
  if (q->constant)
    check_add_about(
        c, label, FINDING_WARNING, TOPIC,
        "%s: all samples are %.6g. Constant data tell little; check that column '%s' is the "
        "right one.",
        label, q->most, channel->column);
  if (q->outliers)
    check_add_about(
        c, label, FINDING_WARNING, TOPIC,
        "%s: %d sample%s, the worst is %.6g at %s. Empty such cells, or use loss: huber.", label,
        q->outliers,
        q->outliers > 1 ? "s contradict their neighbours" : " contradicts its neighbours",
        q->outlier_y, experiment_time(x, q->outlier_t, 6, at));
  if (q->clipped)
    check_add_about(
        c, label, FINDING_WARNING, TOPIC,
        "%s: %d samples in a row from %s on are exactly %.6g, the %s of all. If the sensor "
        "was at "
        "its limit there, empty these cells.",
        label, q->clipped, experiment_time(x, q->clipped_t, 6, at), q->clipped_y,
        q->clipped_y == q->most ? "largest" : "smallest");
  if (q->noise > 0.5 * q->deviation && !q->constant)
    check_add_about(
        c, label, FINDING_WARNING, TOPIC,
        "%s: the noise (about %.3g) is as large as the motion (%.3g). Smoothing does not "
        "help a fit; "
        "more samples, or a stronger excitation, do.",
        label, q->noise, q->deviation);
}

// With so many samples and a smooth motion, differences of the data give the noise to about a third. They take rough motion
// for noise, so that an estimate below sigma says more than one above.
enum { SAMPLES_TO_JUDGE = 30, NOISE_APART = 3 };

static void check_sigma(Check *c, const char *label, const Channel *channel, const DataQuality *q) {
  if (!sigma_is_given(channel) || q->count < SAMPLES_TO_JUDGE || !(q->noise > 0)) return;
  double ratio = q->noise / channel->sigma;
  if (ratio > NOISE_APART && q->noise < 0.2 * q->deviation)
    check_add_about(
        c, label, FINDING_WARNING, TOPIC,
        "%s: sigma is %.3g, but neighbouring samples show noise of about %.3g, %.2g times as "
        "much: intervals would be too narrow. Correct it, or write sigma: estimate.",
        label, channel->sigma, q->noise, ratio);
  else if (ratio < 1.0 / NOISE_APART)
    check_add_about(
        c, label, FINDING_WARNING, TOPIC,
        "%s: sigma is %.3g, but neighbouring samples show noise of only about %.3g. Unless "
        "noise changes slowly, intervals would be too wide. Correct it, or write sigma: "
        "estimate.",
        label, channel->sigma, q->noise);
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Marks the steps between samples in which an input changes by far more than it usually does.
static void mark_jumps(Arena *a, const Input *in, const Channel *channel, bool *jump) {
  int n = channel->count, piece;
  double *step = ARENA_ARRAY(a, double, n), *sorted = ARENA_ARRAY(a, double, n);
  double before = 0, least = HUGE_VAL, most = -HUGE_VAL;
  for (int i = 0; i < n; i++) {
    double now;
    piece = input_piece(in, channel->t[i], 1);
    input_eval(in, channel->t[i], &piece, &now, NULL);
    if (i) sorted[i - 1] = step[i - 1] = fabs(now - before);
    least = fmin(least, now), most = fmax(most, now);
    before = now;
  }
  qsort(sorted, (size_t)(n - 1), sizeof *sorted, compare_numbers);
  double usual = sorted[(n - 1) / 2];
  for (int i = 0; i < n - 1; i++)
    jump[i] |= step[i] > 0.05 * (most - least) && step[i] > 10 * usual;
}

static const bool *jumps_of(Check *c, int e, const Channel *channel) {
  const Experiment *x = &c->problem->experiments[e];
  bool *jump = ARENA_ARRAY(c->arena, bool, channel->count + 1);
  Arena *scratch = arena_new();
  for (int i = 0; channel->count > 1 && i < c->problem->model->nu; i++)
    mark_jumps(scratch, x->inputs[i], channel, jump);
  arena_free(scratch);
  return jump;
}

static void check_channel(Check *c, const MeasuredData *d, int e, int k, bool description) {
  const Experiment *x = &c->problem->experiments[e];
  const Channel *channel = &x->channels[k];
  const char *label = check_channel_label(c, e, k);
  DataQuality q;
  data_quality(channel->t, channel->y, channel->count, jumps_of(c, e, channel), &q);
  if (problem_simulates(c->problem)) q.noise = channel_facts(d, e, k)->noise; // as in a fit
  if (channel->count == 0) {
    check_add_about(c, label, FINDING_ERROR, TOPIC,
                    "%s: no samples in the window. Change 'window' or the column.", label);
    return;
  }
  if (description) describe(c, label, x, channel, &q);
  check_missing(c, label, channel);
  check_gaps(c, label, x, &q);
  check_sampling(c, label, &q);
  check_values(c, label, x, channel, &q);
  check_sigma(c, label, channel, &q);
}

typedef struct Extreme { // channel with the largest or smallest deviation
  double deviation;
  const char *label;
} Extreme;

// Without sigma all residuals count alike, so a small quantity beside a large one hardly counts.
static void compare_sizes(Check *c) {
  Extreme small = {HUGE_VAL, NULL}, large = {0, NULL};
  for (int e = 0; e < c->problem->experiment_count; e++)
    for (int k = 0; k < c->problem->experiments[e].channel_count; k++) {
      const Channel *channel = &c->problem->experiments[e].channels[k];
      DataQuality q;
      if (channel->sigma_kind != SIGMA_UNKNOWN) continue;
      data_quality(channel->t, channel->y, channel->count, NULL, &q);
      double d = q.deviation * sqrt(channel->weight);
      if (!(d > 0)) continue;
      if (d < small.deviation) small = (Extreme){d, check_channel_label(c, e, k)};
      if (d > large.deviation) large = (Extreme){d, check_channel_label(c, e, k)};
    }
  if (small.label && large.deviation > 10 * small.deviation)
    check_add(c, FINDING_WARNING, TOPIC,
              "%s varies %.2g times as much as %s, and no sigma says how exact they are: %s will "
              "hardly count. Give both channels 'sigma' (a number, relative, or estimated).",
              large.label, large.deviation / small.deviation, small.label, small.label);
}

static void count_samples(Check *c) {
  long samples = (long)sample_count(c->problem, 1), priors = 0;
  for (int i = 0; i < c->problem->unknown_count; i++) priors += c->problem->unknowns[i].has_prior;
  if (samples + priors < c->problem->unknown_count)
    check_add(c, FINDING_ERROR, TOPIC,
              "%ld sample%s cannot determine %d parameters. Measure more, or estimate fewer.",
              samples, samples == 1 ? "" : "s", c->problem->unknown_count);
}

void check_data(Check *c, const MeasuredData *d) {
  int channels = problem_channels(c->problem);
  bool describe_each = channels <= CHANNELS_TO_DESCRIBE;
  if (!describe_each)
    check_add(c, FINDING_GOOD, TOPIC, "%d channels in %d experiments.", channels,
              c->problem->experiment_count);
  for (int e = 0; e < c->problem->experiment_count; e++)
    for (int k = 0; k < c->problem->experiments[e].channel_count; k++)
      check_channel(c, d, e, k, describe_each);
  compare_sizes(c);
  count_samples(c);
}
