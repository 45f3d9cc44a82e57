// All statistics of a result: bounds, quality of the fit by channel, noise, then intervals.c, identify.c and
// remarks.c. fit_percent = 100 (1 - |y - model| / |y - mean y|); of
// predictions the same with increments in place of y.
#include "stats/assess.h"

#include <math.h>

#include "base/patience.h"
#include "num/residual_tests.h"
#include "stats/held_samples.h"
#include "stats/identify.h"
#include "stats/intervals.h"
#include "stats/projections.h"
#include "stats/remarks.h"

static const double ASSUMED_NOISE = 0.01; // of the rms of a channel, where nothing else is known

// ---------------------------------------------------------------- bounds

static void find_bounds(Analysis *an) {
  for (int k = 0; k < an->s->n; k++) {
    const Unknown *f = &an->p->unknowns[k];
    double x = an->x[k], near = 1e-9 * fabs(x);
    StatParameter *out = &an->s->parameters[k];
    out->lower_bound = x <= f->min + near;
    out->at_bound = out->lower_bound || x >= f->max - near;
  }
}

// ---------------------------------------------------------------- channels

static void describe_channel(Analysis *an, int at) {
  const SampleChannel *c = &an->rows->channels[at];
  const double *r = an->rows->column[an->rows->n] + c->first;
  StatChannel *out = &an->s->channels[at];
  double squares = sum_of_squares(r, c->count);
  *out = (StatChannel){.experiment = c->experiment, .channel = c->channel, .n = c->count};
  out->rmse = c->count ? sqrt(squares / c->count) : nan("");
  out->fit_percent = channel_fit_percent(c->data, squares);
  out->noise = c->noise;
  out->exact = out->rmse <= residual_accuracy(an->p) * c->size;
  out->unordered = an->p->experiments[c->experiment].without_times;
  bool tested = !out->exact && !out->unordered;
  out->autocorrelation = out->unordered ? nan("") : autocorrelation(r, c->count, 1);
  out->white_p = tested ? ljung_box_p(r, c->count) : nan("");
  out->runs_p = tested ? runs_p(r, c->count) : nan("");
  out->lag1_p = tested ? lag1_p(r, c->count) : nan("");
  out->effective = c->count;
}

static void describe_colour(Analysis *an) {
  for (int at = 0; an->colour && at < an->s->channel_count; at++) {
    an->s->channels[at].effective = an->rows->channels[at].count / an->colour[at].time;
    an->s->channels[at].uneven = an->colour[at].uneven;
  }
}

// Noise as given, else from the residuals of a fit, else from differences of the data, else assumed.
static void find_noise(Analysis *an) {
  for (int at = 0; at < an->s->channel_count; at++) {
    const SampleChannel *c = &an->rows->channels[at];
    double least = residual_accuracy(an->p) * c->size;
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

// ---------------------------------------------------------------- all

static const char STOPPED[] = "it was stopped before this was examined";

static void describe_without_time(Statistics *s) {
  s->missing[0] = "residuals", s->missing[1] = "intervals", s->missing[2] = "identifiability";
  s->missing_count = 3;
  s->remarks[s->remark_count++] =
      "Stopped before the statistics of this point were computed: there are no residuals of the "
      "channels, no standard errors and no intervals.";
}

static void describe_no_channel(Statistics *s, const Problem *p) {
  int at = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      double none = nan("");
      s->channels[at++] =
          (StatChannel){.experiment = e,
                        .channel = c,
                        .n = samples_that_count(&p->experiments[e].channels[c],
                                                p->experiments[e].channels[c].count),
                        .rmse = none,
                        .fit_percent = none,
                        .noise = none,
                        .autocorrelation = none,
                        .white_p = none,
                        .runs_p = none,
                        .lag1_p = none,
                        .effective = none};
    }
}

// why: "" when the result itself says it.
static void describe_without_simulation(Statistics *s, const Problem *p, const char *why) {
  bool stopped = !patience_lasts(0);
  s->remarks = ARENA_ARRAY(s->arena, const char *, 1);
  if (stopped)
    describe_without_time(s);
  else if (why[0])
    s->remarks[s->remark_count++] = arena_print(
        s->arena, "The model cannot be simulated here, so nothing can be said about this point: %s",
        why);
  for (int k = 0; k < s->n; k++)
    s->parameters[k].reason = stopped ? STOPPED : "the model cannot be simulated here";
  describe_no_channel(s, p);
}

static void miss(Statistics *s, const char *word) {
  s->missing[s->missing_count++] = word;
}

// Names what there was no time for. Standard errors stay: they need no more than the sensitivities at the point.
static void miss_what_follows(Analysis *an, bool intervals) {
  Statistics *s = an->s;
  if (intervals) {
    statistics_forget_intervals(s);
    miss(s, "intervals");
  }
  statistics_forget_identifiability(s);
  miss(s, "identifiability");
  for (int k = 0; k < s->n; k++) s->parameters[k].reason = STOPPED;
  s->remarks = ARENA_ARRAY(s->arena, const char *, 1);
  s->remarks[s->remark_count++] =
      intervals ? "Stopped before standard errors and intervals were computed and before it was "
                  "examined what the data determine."
                : "Stopped before it was examined what the data determine: standard errors and "
                  "intervals hold only if they determine all parameters.";
}

// A motion in pieces has another objective.
static void find_gradient(Analysis *an) {
  const Samples *rows = an->rows;
  for (int k = 0; k < an->s->n && !an->pieces; k++) {
    double sum = 0;
    for (int i = 0; i < rows->count + rows->prior_count; i++) {
      double r = rows->column[rows->n][i], pull = fmin(fmax(r, -rows->huber[i]), rows->huber[i]);
      sum += rows->scale[i] * rows->column[k][i] * rows->scale[i] * pull;
    }
    an->s->gradient[k] = sum;
  }
}

static void analyse(Analysis *an) {
  Statistics *s = an->s;
  s->samples = an->rows->count;
  find_gradient(an);
  an->noise = ARENA_ARRAY(an->scratch, double, s->channel_count + 1);
  find_bounds(an);
  find_projections(an);
  for (int at = 0; at < s->channel_count; at++) describe_channel(an, at);
  find_noise(an);
  find_held_samples(an);
  find_intervals(an);
  describe_colour(an);
  if (!patience_asks()) {
    miss_what_follows(an, true);
    return;
  }
  analyse_identifiability(an);
  if (!patience_asks()) {
    miss_what_follows(an, false);
    return;
  }
  drop_intervals_of_undetermined(s);
  write_remarks(an);
}

Weighting *assess_weighting(const FitResult *r, EvalWork *w) {
  const Fitting *f = eval_fitting(w);
  Weighting *own = weighting_new(f->data, r->sigma);
  if (r->objective == HUGE_VAL || !noise_is_estimated(f->problem)) return own;
  EvalSpec spec = eval_spec(f, NULL);
  spec.weighting = own;
  double change;
  Weighting *next = result_weighting(w, &spec, r->pieces, r->x, &change);
  if (!next) return own;
  weighting_free(own);
  return next;
}

static Statistics *assess(EvalWork *w, const Weighting *weighting, const double *x,
                          const FitPieces *pieces, bool fitted) {
  const Problem *p = eval_fitting(w)->problem;
  Arena *scratch = arena_new();
  Statistics *s = statistics_new(p->unknown_count, eval_fitting(w)->data->channel_count);
  Analysis an = {.s = s,
                 .a = s->arena,
                 .scratch = scratch,
                 .p = p,
                 .work = w,
                 .weighting = weighting,
                 .x = x,
                 .pieces = pieces,
                 .fitted = fitted};
  an.rows = samples_new(scratch, w, weighting, pieces, x);
  if (an.rows)
    analyse(&an);
  else
    describe_without_simulation(s, p, result_why(w, pieces));
  arena_free(scratch);
  return s;
}

Statistics *assess_fit(const FitResult *r, EvalWork *w, const Weighting *weighting) {
  if (r->objective == HUGE_VAL) {
    const Fitting *f = eval_fitting(w);
    Statistics *s = statistics_new(f->problem->unknown_count, f->data->channel_count);
    describe_without_simulation(s, f->problem, "");
    return s;
  }
  return assess(w, weighting, r->x, r->pieces, true);
}

Statistics *assess_runs(const Problem *p, const RunErrors *r) {
  int channels = 0;
  for (int e = 0; e < p->experiment_count; e++) channels += p->experiments[e].channel_count;
  Statistics *s = statistics_new(p->unknown_count, channels);
  describe_no_channel(s, p);
  for (int i = 0; i < channels && !r->recorded; i++) {
    s->channels[i].rmse = r->channels[i].all.rmse;
    s->channels[i].fit_percent = r->channels[i].fit_percent;
    s->samples += r->channels[i].all.n;
  }
  miss(s, "intervals");
  miss(s, "identifiability");
  return s;
}

Statistics *assess_point(EvalWork *w, const double *x) {
  return assess(w, eval_fitting(w)->weighting, x, NULL, false);
}
