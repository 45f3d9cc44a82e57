#include "study/recover.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "study/random_start.h"
#include "study/synthetic.h"

typedef struct Study { // what all trials share
  const Problem *p;
  Recover *r;
  const double *truth;
  ModelValues clean;
  bool random_starts;
  RecoverListener *listener;
  void *listener_data;
  bool stop;
} Study;

static bool goes_on(void *data, const FitProgress *progress) {
  Study *s = data;
  (void)progress;
  if (s->listener && !s->stop) s->stop = !s->listener(s->listener_data, s->r);
  return !s->stop;
}

// Of a channel that is fitted down to the errors of simulations sigma means nothing.
static double least_sigma(const Problem *p, const Channel *c) {
  double squares = 0;
  for (int i = 0; i < c->count; i++) squares += c->y[i] * c->y[i];
  return fmax(100 * p->simulate.rel_tol * sqrt(squares / (c->count ? c->count : 1)), 1e-300);
}

// V with what it leaves out when channels are weighted by their own residuals: without the logarithms of the sigmas such
// objectives cannot be compared.
static double comparable_objective(const FitResult *f) {
  double v = f->objective;
  int k = 0;
  for (int e = 0; e < f->problem->experiment_count; e++)
    for (int c = 0; c < f->problem->experiments[e].channel_count; c++, k++) {
      const Channel *channel = &f->problem->experiments[e].channels[c];
      if (channel->sigma_kind == SIGMA_ESTIMATED)
        v += channel->count * log(fmax(f->sigma[k], least_sigma(f->problem, channel)));
    }
  return v;
}

// As low as the search from the truth, up to what convergence and the accuracy of simulations leave open.
static bool is_global(const FitResult *f, const FitResult *from_truth, double size) {
  double allowed = 1e-6 * fabs(from_truth->objective) + 1e-12 * size;
  return comparable_objective(f) <= comparable_objective(from_truth) + allowed;
}

static void record(Study *s, int trial, const FitResult *f, const FitResult *from_truth,
                   const Statistics *stats) {
  Recover *r = s->r;
  int n = s->p->free_count;
  for (int i = 0; i < n; i++) {
    r->estimates[trial * n + i] = f->x[i];
    r->std_errors[trial * n + i] = stats->parameters[i].std_error;
  }
  r->objectives[trial] = comparable_objective(f);
  r->objectives_truth[trial] = comparable_objective(from_truth);
  r->work[trial] = f->work.simulations + f->work.sensitivity_simulations;
  r->ok[trial] = is_global(f, from_truth, s->clean.size);
}

static bool covers(const Statistics *stats, int i, double truth) {
  return stats->parameters[i].ci_low <= truth && truth <= stats->parameters[i].ci_high;
}

typedef struct TrialNotes { // of one trial, by free number
  bool certain;
  bool *has_interval, *covered;
} TrialNotes;

static void note(const Study *s, const FitResult *f, const Statistics *stats, TrialNotes *out) {
  out->certain = f->certain;
  for (int i = 0; i < s->p->free_count; i++) {
    out->has_interval[i] = isfinite(stats->parameters[i].ci_low + stats->parameters[i].ci_high);
    out->covered[i] = out->has_interval[i] && covers(stats, i, s->truth[i]);
  }
}

// Two streams for each trial, so that random starts do not change the noise.
static const double *trial_start(const Study *s, int trial, Arena *a) {
  Random random;
  if (!s->random_starts) return NULL;
  double *x = ARENA_ARRAY(a, double, s->p->free_count);
  random_seed_stream(&random, (uint64_t)s->p->options.seed, 2 * (uint64_t)trial + 1);
  random_start(s->p, &random, x);
  return x;
}

static const Problem *trial_problem(const Study *s, int trial, Arena *a) {
  const FitOptions *o = &s->p->options;
  Random random;
  random_seed_stream(&random, (uint64_t)o->seed, 2 * (uint64_t)trial);
  return problem_with_samples(s->p, &s->clean, o->noise_kind, o->noise, &random, a);
}

// Trials see only the study and write only where their number says. false when it was stopped.
static bool run_trial(Study *s, int trial, TrialNotes *notes) {
  Arena *a = arena_new();
  const Problem *noisy = trial_problem(s, trial, a);
  Problem local = *noisy;
  local.method = METHOD_TRUST_REGION;
  FitResult *f = fit_run(noisy, trial_start(s, trial, a), goes_on, s);
  FitResult *from_truth = s->stop ? NULL : fit_run(&local, s->truth, goes_on, s);
  if (!s->stop) {
    Objective *o = objective_new(noisy);
    Statistics *stats = statistics_new(noisy, f, o);
    record(s, trial, f, from_truth, stats);
    note(s, f, stats, notes);
    statistics_free(stats);
    objective_free(o);
  }
  fit_free(from_truth);
  fit_free(f);
  arena_free(a);
  return !s->stop;
}

// ---------------------------------------------------------------- what came out

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *v, int n) { // sorts v
  qsort(v, (size_t)n, sizeof *v, compare_numbers);
  return n == 0 ? nan("") : n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void mean_and_spread(const double *v, int n, double *mean, double *spread) {
  double sum = 0, squares = 0;
  for (int i = 0; i < n; i++) sum += v[i];
  *mean = n ? sum / n : nan("");
  for (int i = 0; i < n; i++) squares += (v[i] - *mean) * (v[i] - *mean);
  *spread = n > 1 ? sqrt(squares / (n - 1)) : nan("");
}

static void summarise_parameter(const Study *s, const TrialNotes *notes, int i,
                                RecoverParameter *out) {
  const Recover *r = s->r;
  int n = s->p->free_count, good = 0, errors = 0, intervals = 0, covered = 0;
  Arena *a = arena_new();
  double *estimate = ARENA_ARRAY(a, double, r->done), *error = ARENA_ARRAY(a, double, r->done);
  for (int t = 0; t < r->done; t++) {
    if (!r->ok[t]) continue;
    estimate[good++] = r->estimates[t * n + i];
    if (isfinite(r->std_errors[t * n + i])) error[errors++] = r->std_errors[t * n + i];
    intervals += notes[t].has_interval[i];
    covered += notes[t].covered[i];
  }
  out->truth = s->truth[i];
  mean_and_spread(estimate, good, &out->mean, &out->spread);
  out->bias = out->mean - out->truth;
  out->bias_t = out->spread > 0 ? out->bias / (out->spread / sqrt(good)) : nan("");
  out->predicted = median(error, errors);
  out->coverage = intervals ? (double)covered / intervals : nan("");
  arena_free(a);
}

static void summarise(Study *s, const TrialNotes *notes) {
  Recover *r = s->r;
  for (int t = 0; t < r->done; t++) {
    r->succeeded += r->ok[t];
    r->certain += notes[t].certain;
    r->false_certain += notes[t].certain && !r->ok[t];
  }
  for (int i = 0; i < s->p->free_count; i++) summarise_parameter(s, notes, i, &r->parameters[i]);
}

// ---------------------------------------------------------------- the study

static bool truth_is_inside(const Problem *p, const double *truth, Err *err) {
  for (int i = 0; i < p->free_count; i++) {
    const Free *f = &p->free[i];
    if (!(truth[i] >= f->min && truth[i] <= f->max))
      return fail(err, ERR_VALUE,
                  "the truth of %s, %g, is outside its bounds [%g, %g]; give another truth, or "
                  "wider bounds",
                  f->name, truth[i], f->min, f->max);
  }
  return true;
}

static bool starts_can_be_drawn(const Problem *p, Err *err) {
  int i = first_unbounded(p);
  if (i < 0) return true;
  return fail(err, ERR_VALUE,
              "random starts need finite bounds of all parameters; give min and max to %s",
              p->free[i].name);
}

static bool simulate_truth(Study *s, Err *err) {
  char why[700];
  bool ok = model_values(s->p, s->truth, s->r->arena, &s->clean, why);
  return ok || fail(err, ERR_VALUE, "the model cannot be simulated at the truth: %.600s", why);
}

static bool sigma_is_there(const Problem *p, Err *err) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      const Channel *c = &p->experiments[e].channels[k];
      if (c->sigma_kind != SIGMA_NUMBER && c->sigma_kind != SIGMA_RELATIVE)
        return fail(err, ERR_VALUE,
                    "noise_kind sigma needs the sigma of every channel, and %s has none; give it "
                    "under 'measure', or choose noise_kind additive or proportional",
                    c->name);
    }
  return true;
}

static void compare_with_sigma(Study *s) {
  const FitOptions *o = &s->p->options;
  Recover *r = s->r;
  for (int e = 0, at = 0; e < s->p->experiment_count; e++)
    for (int k = 0; k < s->p->experiments[e].channel_count; k++, at++) {
      const Channel *c = &s->p->experiments[e].channels[k];
      double ratio = noise_of_samples(c, s->clean.y[at], o->noise_kind, o->noise) /
                     sigma_of_samples(c, s->clean.y[at]);
      if (!(ratio > 0) || fabs(log(ratio)) <= fabs(log(r->noise_over_sigma))) continue;
      r->noise_over_sigma = ratio;
      r->noisy_channel = c->name;
    }
}

static Recover *recover_new(const Problem *p) {
  Arena *a = arena_new();
  Recover *r = ARENA_NEW(a, Recover);
  int n = p->free_count, trials = p->options.trials;
  *r = (Recover){.arena = a,
                 .problem = p,
                 .noise_over_sigma = nan(""),
                 .trials = trials,
                 .parameters = ARENA_ARRAY(a, RecoverParameter, n),
                 .estimates = ARENA_ARRAY(a, double, (size_t)trials *n),
                 .std_errors = ARENA_ARRAY(a, double, (size_t)trials *n),
                 .objectives = ARENA_ARRAY(a, double, trials),
                 .objectives_truth = ARENA_ARRAY(a, double, trials),
                 .ok = ARENA_ARRAY(a, bool, trials),
                 .work = ARENA_ARRAY(a, long, trials)};
  return r;
}

static const double *truth_or_model(const Problem *p, const double *truth, Arena *a) {
  double *x = ARENA_ARRAY(a, double, p->free_count);
  for (int i = 0; i < p->free_count; i++) x[i] = truth ? truth[i] : p->free[i].in_model;
  return x;
}

static TrialNotes *notes_new(Arena *a, int trials, int n) {
  TrialNotes *notes = ARENA_ARRAY(a, TrialNotes, trials);
  for (int t = 0; t < trials; t++) {
    notes[t].has_interval = ARENA_ARRAY(a, bool, n);
    notes[t].covered = ARENA_ARRAY(a, bool, n);
  }
  return notes;
}

static void run_trials(Study *s) {
  Recover *r = s->r;
  double begin = clock_seconds();
  TrialNotes *notes = notes_new(r->arena, r->trials, s->p->free_count);
  for (int t = 0; t < r->trials && !s->stop; t++) {
    if (!run_trial(s, t, &notes[t])) break;
    r->done++;
    r->seconds = clock_seconds() - begin;
    goes_on(s, NULL);
  }
  summarise(s, notes);
}

Recover *recover_run(const Problem *p, const double *truth, bool random_starts,
                     RecoverListener *listener, void *data, Err *err) {
  Study s = {.p = p,
             .r = recover_new(p),
             .random_starts = random_starts,
             .listener = listener,
             .listener_data = data};
  s.truth = truth_or_model(p, truth, s.r->arena);
  if (!truth_is_inside(p, s.truth, err) || (random_starts && !starts_can_be_drawn(p, err)) ||
      (p->options.noise_kind == NOISE_SIGMA && !sigma_is_there(p, err)) ||
      !simulate_truth(&s, err)) {
    recover_free(s.r);
    return NULL;
  }
  compare_with_sigma(&s);
  run_trials(&s);
  return s.r;
}

void recover_free(Recover *r) {
  if (r) arena_free(r->arena);
}
