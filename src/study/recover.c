// Monte Carlo study: trials with noise of their own are fitted; bias, spread and coverage of the estimates over the
// trials that reached the optimum of a search from the truth.
#include "study/recover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/memory.h"
#include "base/patience.h"
#include "base/run_limit.h"
#include "search/confirm.h"
#include "study/assessed_fit.h"
#include "study/random_start.h"
#include "study/synthetic.h"

typedef struct RecoverStudy { // what all trials share
  const Problem *p;
  Recover *r;
  const double *truth;
  ModelValues clean;
  bool random_starts;
  RecoverListener *listener;
  void *listener_data;
  double began; // s
} RecoverStudy;

typedef struct Trial { // a job
  long number;         // the question
  bool finished;       // false: it was stopped
  bool ok, fits;
  FitOutcome outcome;
  FitVerdict verdict;
  double objective, objective_truth;
  long work;
  double numbers[]; // by unknown, as NUMBERS lists them
} Trial;
enum { ESTIMATE, STD_ERROR, HAS_INTERVAL, COVERED, NUMBERS };

static double *numbers_of(Trial *t, int n, int kind) {
  return t->numbers + (size_t)kind * (size_t)n;
}

static bool goes_on(void *data) {
  const RecoverStudy *s = data;
  return !s->listener || s->listener(s->listener_data, s->r);
}

// As low as the search from the truth, up to what convergence and the accuracy of simulations leave open.
static bool is_global(const FitResult *f, const FitResult *from_truth, double size) {
  double allowed = 1e-6 * fabs(from_truth->objective) + 1e-12 * size;
  return fit_comparable(f) <= fit_comparable(from_truth) + allowed;
}

static void record(const RecoverStudy *s, const FitResult *f, const FitResult *from_truth,
                   const Statistics *stats, Trial *t) {
  int n = s->p->unknown_count;
  for (int i = 0; i < n; i++) {
    const StatParameter *of = &stats->parameters[i];
    bool has_interval = !isnan(of->ci_low) && !isnan(of->ci_high); // one end may be infinite
    numbers_of(t, n, ESTIMATE)[i] = f->x[i];
    numbers_of(t, n, STD_ERROR)[i] = of->std_error;
    numbers_of(t, n, HAS_INTERVAL)[i] = has_interval;
    numbers_of(t, n, COVERED)[i] =
        has_interval && of->ci_low <= s->truth[i] && s->truth[i] <= of->ci_high;
  }
  t->objective = fit_comparable(f);
  t->objective_truth = fit_comparable(from_truth);
  t->work = work_count_simulations(&f->search_work);
  t->ok = is_global(f, from_truth, s->clean.size);
  t->outcome = f->outcome;
  t->fits = f->fits;
  t->verdict = f->verdict;
  t->finished = true;
}

// Two streams for each trial, so that random starts do not change the noise.
static const double *trial_start(const RecoverStudy *s, int trial, Arena *a) {
  Random random;
  if (!s->random_starts) return NULL;
  double *x = ARENA_ARRAY(a, double, s->p->unknown_count);
  random_seed_stream(&random, (uint64_t)s->p->options.seed, 2 * (uint64_t)trial + 1);
  random_start(s->p, &random, x);
  return x;
}

static const Problem *trial_problem(const RecoverStudy *s, int trial, Arena *a) {
  const FitOptions *o = &s->p->options;
  Random random;
  random_seed_stream(&random, (uint64_t)o->seed, 2 * (uint64_t)trial);
  return problem_with_samples(s->p, &s->clean, o->noise_kind, o->noise, &random, a);
}

// ---------------------------------------------------------------- workers

static void *begin_worker(const void *study) {
  return (void *)study;
}

// A trial without a result: neither estimates nor intervals.
static void lose_trial(const RecoverStudy *s, Trial *t, FitOutcome outcome) {
  int n = s->p->unknown_count;
  t->ok = t->fits = false;
  t->verdict = FIT_DOUBTFUL;
  t->outcome = outcome;
  t->objective = HUGE_VAL;
  t->objective_truth = nan("");
  for (int i = 0; i < n; i++) {
    numbers_of(t, n, ESTIMATE)[i] = numbers_of(t, n, STD_ERROR)[i] = nan("");
    numbers_of(t, n, HAS_INTERVAL)[i] = numbers_of(t, n, COVERED)[i] = 0;
  }
  t->finished = true;
}

static void give_up(const void *study, void *job, const char *why) {
  (void)why;
  lose_trial(study, job, FIT_LOST);
}

static bool is_done(const void *job) {
  return ((const Trial *)job)->finished;
}

static void work_trial(void *study, void *job) {
  const RecoverStudy *s = study;
  Trial *t = job;
  Arena *a = arena_new();
  RunLimit limit;
  run_limit_begin(&limit, s->p->options.run_seconds, s->p->options.run_memory);
  Problem noisy = *trial_problem(s, (int)t->number, a);
  noisy.options.threads = 1;
  noisy.options.max_seconds = 0; // those of the study end it
  Problem local = noisy;
  local.method = METHOD_LM;
  local.options.lm_damping = LM_DAMPING_RADIUS;
  AssessedFit f = assessed_fit_run(&noisy, trial_start(s, (int)t->number, a), 0, NULL, NULL);
  FitResult *from_truth = fit_run_on(&local, f.work, s->truth, NULL, NULL);
  if (patience_asks()) record(s, f.result, from_truth, f.statistics, t);
  fit_free(from_truth);
  assessed_fit_done(&f);
  if (run_limit_end(&limit) && !t->finished) lose_trial(s, t, FIT_OVER_LIMIT);
  arena_free(a);
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

typedef struct Notes { // [trial*n + i]
  double *has_interval, *covered;
} Notes;

static void summarise_parameter(const RecoverStudy *s, const Notes *notes, int i,
                                RecoverParameter *out) {
  const Recover *r = s->r;
  int n = s->p->unknown_count, good = 0, errors = 0, intervals = 0, covered = 0;
  Arena *a = arena_new();
  double *estimate = ARENA_ARRAY(a, double, r->done), *error = ARENA_ARRAY(a, double, r->done);
  for (int t = 0; t < r->done; t++) {
    if (!r->ok[t]) continue;
    estimate[good++] = r->estimates[t * n + i];
    if (isfinite(r->std_errors[t * n + i])) error[errors++] = r->std_errors[t * n + i];
    intervals += notes->has_interval[t * n + i] != 0;
    covered += notes->covered[t * n + i] != 0;
  }
  out->truth = s->truth[i];
  mean_and_spread(estimate, good, &out->mean, &out->spread);
  out->bias = out->mean - out->truth;
  out->bias_t = out->spread > 0 ? out->bias / (out->spread / sqrt(good)) : nan("");
  out->predicted = median(error, errors);
  out->coverage = intervals ? (double)covered / intervals : nan("");
  arena_free(a);
}

static void summarise(RecoverStudy *s, const Notes *notes) {
  Recover *r = s->r;
  for (int t = 0; t < r->done; t++) {
    r->succeeded += r->ok[t];
    r->fits += r->fit[t];
    r->false_fits += r->fit[t] && !r->ok[t];
    if (r->confirmed) r->verdicts[r->verdict[t]]++;
    r->false_certain += r->verdict[t] == FIT_CERTAIN && !r->ok[t];
  }
  r->certain = r->verdicts[FIT_CERTAIN];
  for (int i = 0; i < s->p->unknown_count; i++) summarise_parameter(s, notes, i, &r->parameters[i]);
}

// ---------------------------------------------------------------- the study

static bool truth_is_inside(const Problem *p, const double *truth, Err *err) {
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *f = &p->unknowns[i];
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
              p->unknowns[i].name);
}

// false without an error: it was stopped.
static bool simulate_truth(RecoverStudy *s, Err *err) {
  char why[700];
  bool ok = model_values(s->p, s->truth, s->r->arena, &s->clean, why);
  if (!ok && patience_lasts(0))
    fail(err, ERR_VALUE, "the model cannot be simulated at the truth: %.600s", why);
  return ok;
}

static bool sigma_is_there(const Problem *p, Err *err) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      const Channel *c = &p->experiments[e].channels[k];
      if (!sigma_is_given(c))
        return fail(err, ERR_VALUE,
                    "noise_kind sigma needs the sigma of every channel, and %s has none; give it "
                    "under 'measure', or choose noise_kind additive or proportional",
                    c->name);
    }
  return true;
}

// Of an error that is spread evenly over one step of a converter.
static double rounding_noise(double quantum) {
  return quantum / sqrt(12);
}

static void compare_with_sigma(RecoverStudy *s) {
  const FitOptions *o = &s->p->options;
  Recover *r = s->r;
  for (int e = 0, at = 0; e < s->p->experiment_count; e++)
    for (int k = 0; k < s->p->experiments[e].channel_count; k++, at++) {
      const Channel *c = &s->p->experiments[e].channels[k];
      double noise = noise_of_samples(c, s->clean.y[at], o->noise_kind, o->noise);
      double ratio = hypot(noise, rounding_noise(o->quantum)) / sigma_of_samples(c, s->clean.y[at]);
      if (!(ratio > 0) || fabs(log(ratio)) <= fabs(log(r->noise_over_sigma))) continue;
      r->noise_over_sigma = ratio;
      r->noisy_channel = c->name;
    }
}

static Recover *recover_new(const Problem *p, const Problem *own) {
  Arena *a = arena_new();
  Recover *r = ARENA_NEW(a, Recover);
  int n = p->unknown_count, trials = p->options.trials;
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
                 .fit = ARENA_ARRAY(a, bool, trials),
                 .outcome = ARENA_ARRAY(a, FitOutcome, trials),
                 .verdict = ARENA_ARRAY(a, FitVerdict, trials),
                 .work = ARENA_ARRAY(a, long, trials)};
  Problem confirming = *own;
  confirming.options.confirm = CONFIRM_ON;
  r->confirmed = confirm_is_wanted(own);
  r->can_confirm = confirm_is_wanted(&confirming);
  return r;
}

typedef struct TrialTaking {
  RecoverStudy *study;
  Notes notes;
} TrialTaking;

static void make_trial(void *data, long number, void *job) {
  (void)data;
  ((Trial *)job)->number = number;
}

static bool take_trial(void *data, long number, const void *job) {
  RecoverStudy *s = ((TrialTaking *)data)->study;
  Notes *notes = &((TrialTaking *)data)->notes;
  Trial *t = (Trial *)job;
  Recover *r = s->r;
  int n = s->p->unknown_count;
  (void)number;
  if (!t->finished) return false;
  size_t at = (size_t)t->number * (size_t)n, bytes = (size_t)n * sizeof(double);
  memcpy(r->estimates + at, numbers_of(t, n, ESTIMATE), bytes);
  memcpy(r->std_errors + at, numbers_of(t, n, STD_ERROR), bytes);
  memcpy(notes->has_interval + at, numbers_of(t, n, HAS_INTERVAL), bytes);
  memcpy(notes->covered + at, numbers_of(t, n, COVERED), bytes);
  r->fit[t->number] = t->fits;
  r->outcome[t->number] = t->outcome;
  r->verdict[t->number] = t->verdict;
  r->objectives[t->number] = t->objective;
  r->objectives_truth[t->number] = t->objective_truth;
  r->work[t->number] = t->work;
  r->ok[t->number] = t->ok;
  r->done++;
  r->seconds = patience_clock() - s->began;
  return patience_asks();
}

static const RecordLayout *trial_layout(const Problem *p, Arena *a) {
  enum { FIXED = 6 };
#define TRIAL_OFFSET(member) (offsetof(Trial, member) - offsetof(Trial, finished))
  int n = p->unknown_count;
  RecordColumn *c = ARENA_ARRAY(a, RecordColumn, FIXED + 2 * n);
  RecordLayout *layout = ARENA_NEW(a, RecordLayout);
  c[0] = (RecordColumn){"outcome", RECORD_INT, TRIAL_OFFSET(outcome), fit_outcome_words()};
  c[1] = (RecordColumn){"verdict", RECORD_INT, TRIAL_OFFSET(verdict), fit_verdict_words()};
  c[2] = (RecordColumn){"found", RECORD_BOOL, TRIAL_OFFSET(ok), NULL};
  c[3] = (RecordColumn){"objective", RECORD_REAL, TRIAL_OFFSET(objective), NULL};
  c[4] = (RecordColumn){"objective_truth", RECORD_REAL, TRIAL_OFFSET(objective_truth), NULL};
  c[5] = (RecordColumn){"simulations", RECORD_LONG, TRIAL_OFFSET(work), NULL};
  for (int i = 0; i < 2 * n; i++) { // estimates, then their standard errors
    const char *name = p->unknowns[i % n].name;
    c[FIXED + i] = (RecordColumn){i < n ? name : arena_print(a, "std_error(%s)", name), RECORD_REAL,
                                  TRIAL_OFFSET(numbers) + (size_t)i * sizeof(double), NULL};
  }
  *layout = (RecordLayout){"trial", 0, 0, c, FIXED + 2 * n};
#undef TRIAL_OFFSET
  return layout;
}

static void run_trials(RecoverStudy *s, int count) {
  Recover *r = s->r;
  size_t n = (size_t)s->p->unknown_count, all = (size_t)r->trials * n;
  TrialTaking taking = {
      s, {ARENA_ARRAY(r->arena, double, all + 1), ARENA_ARRAY(r->arena, double, all + 1)}};
  JobKind kind = {.worker = {.size = sizeof(Trial) + NUMBERS * n * sizeof(double),
                             .begin = begin_worker,
                             .work = work_trial,
                             .shared = s},
                  .question = offsetof(Trial, finished),
                  .is_done = is_done,
                  .give_up = give_up,
                  .layout = trial_layout(s->p, r->arena),
                  .always = true};
  if (count) {
    Jobs *jobs = jobs_new(pool_size(s->p->options.threads, count), &kind);
    jobs_run(jobs, &(JobSet){count, 0, false, make_trial, take_trial, &taking});
    jobs_free(jobs);
  }
  r->seconds = record_seconds(patience_clock() - s->began);
  summarise(s, &taking.notes);
}

static bool study(RecoverStudy *s, Err *err) {
  const Problem *p = s->p;
  if (!truth_is_inside(p, s->truth, err) || (s->random_starts && !starts_can_be_drawn(p, err)) ||
      (p->options.noise_kind == NOISE_SIGMA && !sigma_is_there(p, err)))
    return false;
  bool simulated = simulate_truth(s, err);
  if (!simulated && patience_lasts(0)) return false;
  if (simulated) compare_with_sigma(s);
  run_trials(s, simulated ? s->r->trials : 0);
  return true;
}

Recover *recover_run(const Problem *p, const double *truth, bool random_starts,
                     RecoverListener *listener, void *data, Err *err) {
  Problem own = *p;
  if (own.options.confirm == CONFIRM_AUTO) own.options.confirm = CONFIRM_OFF;
  RecoverStudy s = {.p = &own,
                    .r = recover_new(p, &own),
                    .random_starts = random_starts,
                    .listener = listener,
                    .listener_data = data,
                    .began = patience_clock()};
  double *x = ARENA_ARRAY(s.r->arena, double, p->unknown_count);
  for (int i = 0; i < p->unknown_count; i++) x[i] = truth ? truth[i] : p->unknowns[i].in_model;
  s.truth = x;
  Patience patience = {
      .goes_on = goes_on, .data = &s, .until = patience_until(p->options.max_seconds)};
  patience_begin(&patience);
  bool done = study(&s, err);
  patience_end(&patience);
  if (done) return s.r;
  recover_free(s.r);
  return NULL;
}

void recover_free(Recover *r) {
  if (r) arena_free(r->arena);
}
