// AIC = 2k - 2 log L, AICc = AIC + 2k(k + 1)/(n - k - 1), BIC = k log n - 2 log L; k counts unknowns and estimated sigmas. Akaike weights
// are exp(-delta/2), their sum 1 (Burnham and Anderson 2002, section 2.9). Correlated residuals make log L too large: with the
// inflation c = n/(effective n) of the model that fits best, QAIC = 2k - 2 log L/c (the same, section 2.5).
#include "study/models_run.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "base/record.h"
#include "model/flat.h"
#include "num/distribution.h"
#include "stats/run_errors.h"
#include "study/folds.h"
#include "study/models_nested.h"

typedef struct ModelsStudy { // what all fits share
  Models *m;
  ModelsListener *listener;
  void *listener_data;
  int row, fold;
  int fits_left;
  bool stop; // by the listener
  Patience patience;
} ModelsStudy;

// ---------------------------------------------------------------- listening, time

static bool tell(ModelsStudy *s, const FitProgress *fit) {
  ModelsProgress told = {s->m, s->row, s->fold, fit};
  if (!s->stop && s->listener) s->stop = !s->listener(s->listener_data, &told);
  return !s->stop;
}

static bool goes_on(void *data) {
  return tell(data, NULL);
}

static bool listen_to_fit(void *data, const FitProgress *f) {
  return tell(data, f);
}

// Of the time that is left, each fit that is to come may take the same share.
static double share_of_time(const ModelsStudy *s, double own) {
  if (!(s->patience.until > 0)) return own;
  int left = s->fits_left > 1 ? s->fits_left : 1;
  double share = fmax(s->patience.until - patience_clock(), 1e-3) / left;
  return own > 0 ? fmin(own, share) : share;
}

// Seconds for all of it: the command line gives all problems the same; a problem without a limit has none.
static double limit_of(const ModelsRequest *q) {
  double most = 0;
  for (int i = 0; i < q->count; i++) {
    double one = q->problems[i]->options.max_seconds;
    if (!(one > 0)) return 0;
    most = fmax(most, one);
  }
  return most;
}

// ---------------------------------------------------------------- variables

static int variable_number(const Models *m, const char *column) {
  for (int i = 0; i < m->variable_count; i++)
    if (strcmp(m->variables[i], column) == 0) return i;
  return -1;
}

static int channels_of(const Problem *p) {
  int n = 0;
  for (int e = 0; p && e < p->experiment_count; e++)
    n += p->experiments[e].channel_count + p->experiments[e].recorded_count;
  return n;
}

static void add_variables(Models *m, const Channel *c, int count) {
  for (int k = 0; k < count; k++)
    if (variable_number(m, c[k].column) < 0) {
      m->units[m->variable_count] = c[k].unit ? c[k].unit : "";
      m->variables[m->variable_count++] = c[k].column;
    }
}

// Errors are those of simulations, also where a fit compares something else: so of what was recorded.
static void list_variables(Models *m, const Problem *p) {
  int room = channels_of(p) + channels_of(p->validation) + 1;
  m->variables = ARENA_ARRAY(m->arena, const char *, room);
  m->units = ARENA_ARRAY(m->arena, const char *, room);
  for (int e = 0; e < p->experiment_count; e++)
    add_variables(m, p->experiments[e].recorded, p->experiments[e].recorded_count);
  for (int e = 0; p->validation && e < p->validation->experiment_count; e++)
    add_variables(m, p->validation->experiments[e].recorded,
                  p->validation->experiments[e].recorded_count);
}

// ---------------------------------------------------------------- errors of simulations

typedef struct ErrorSums { // by variable
  double *squares;
  long *n;
} ErrorSums;

static ErrorSums error_sums(Arena *a, const Models *m) {
  return (ErrorSums){ARENA_ARRAY(a, double, m->variable_count + 1),
                     ARENA_ARRAY(a, long, m->variable_count + 1)};
}

static const Channel *channel_of(const RunErrors *r, const RunChannel *c) {
  const Experiment *e = &r->problem->experiments[c->experiment];
  return &e->channels[c->channel];
}

// fold < 0: all samples, else those of this block. Those of weight 0 in the problem do not count, unless the fold made it so.
static void add_errors(ErrorSums *s, const Models *m, const RunErrors *r, const Problem *whole,
                       int fold) {
  for (int k = 0; k < r->channel_count; k++) {
    const RunChannel *c = &r->channels[k];
    const Channel *channel = channel_of(r, c);
    const Experiment *e = &whole->experiments[c->experiment];
    const Channel *own =
        c->channel < e->channel_count && !r->recorded ? &e->channels[c->channel] : channel;
    int v = variable_number(m, channel->column);
    for (int i = 0; c->error && v >= 0 && i < channel->count; i++) {
      if (fold >= 0 && fold_of(e, channel->t[i], m->request.folds) != fold) continue;
      if (!sample_counts(own, i)) continue;
      s->squares[v] += c->error[i] * c->error[i];
      s->n[v]++;
    }
  }
}

static void take_rmse(const ErrorSums *s, const Models *m, bool whole, double *out) {
  for (int v = 0; v < m->variable_count; v++)
    out[v] = whole && s->n[v] ? sqrt(s->squares[v] / (double)s->n[v]) : nan("");
}

static const char *first_failure(Arena *a, const RunErrors *r) {
  for (int e = 0; e < r->problem->experiment_count; e++)
    if (r->why[e])
      return arena_print(a, "experiment %s cannot be simulated: %s",
                         r->problem->experiments[e].name, r->why[e]);
  return NULL;
}

static void find_errors(const Models *m, ModelRow *r, const AssessedFit *f) {
  Arena *a = arena_new();
  const RunErrors *run = run_errors(a, f->work, 0, r->x);
  const RunErrors *validation = validation_errors(a, r->problem, 0, r->x);
  ErrorSums own = error_sums(a, m), others = error_sums(a, m);
  add_errors(&own, m, run, r->problem, -1);
  take_rmse(&own, m, !run_errors_failed(run), r->rmse);
  if (validation) {
    add_errors(&others, m, validation, r->problem->validation, -1);
    take_rmse(&others, m, !run_errors_failed(validation), r->validation);
    r->validation_failed = first_failure(m->arena, validation);
  }
  arena_free(a);
}

// ---------------------------------------------------------------- the fit of a row

static bool is_sensor(const Problem *p, int parameter) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      const Channel *c = &p->experiments[e].channels[k];
      if (parameter == c->gain || parameter == c->offset || parameter == c->delay) return true;
    }
  return false;
}

static int count_nuisance(const Problem *p) {
  int n = 0;
  for (int i = 0; i < p->unknown_count; i++) {
    int parameter = p->unknowns[i].parameter;
    n += p->model->flat->parameters.at[parameter].is_start || is_sensor(p, parameter);
  }
  return n;
}

double aicc_of(double aic, int parameters, long samples) {
  double k = parameters, rest = (double)samples - k - 1;
  return rest > 0 ? aic + 2 * k * (k + 1) / rest : nan("");
}

static void take_criteria(ModelRow *r) {
  const Likelihood *l = &r->likelihood;
  double k = r->parameters;
  r->aic = 2 * k - 2 * l->log;
  r->aicc = aicc_of(r->aic, r->parameters, l->samples);
  r->bic = k * log((double)l->samples) - 2 * l->log;
}

static void take_statistics(const Models *m, ModelRow *r, const AssessedFit *f) {
  const Statistics *s = f->statistics;
  r->at_bound = ARENA_ARRAY(m->arena, bool, r->unknowns + 1);
  for (int i = 0; i < r->unknowns; i++) r->at_bound[i] = s->parameters[i].at_bound;
  if (!statistics_miss(s, "identifiability")) r->rank = s->rank;
  r->effective = 0;
  double level = white_level(s);
  for (int k = 0; k < s->channel_count; k++) {
    r->correlated |= least_white_p(&s->channels[k]) < level; // NaN: too few to tell
    r->effective += s->channels[k].effective;
  }
  if (!(r->effective > 0)) r->effective = nan("");
}

static void take_fit(const Models *m, ModelRow *r, const AssessedFit *f) {
  const FitResult *result = f->result;
  r->done = true;
  r->outcome = result->outcome;
  r->verdict = result->verdict;
  r->message = arena_print(m->arena, "%s", result->message);
  if (!fit_has_result(result)) return;
  r->usable = assessed_fit_is_usable(f);
  r->objective = fit_comparable(result);
  r->x = ARENA_ARRAY(m->arena, double, r->unknowns + 1);
  memcpy(r->x, result->x, (size_t)r->unknowns * sizeof *r->x);
  take_statistics(m, r, f);
  r->likelihood = likelihood_of(f);
  take_criteria(r);
}

// Intervals are not shown: they need no profiles.
static Problem *problem_to_fit(Arena *a, const ModelsStudy *s, const Problem *p) {
  Problem *out = ARENA_NEW(a, Problem);
  *out = *p;
  out->options.profiles = PROFILES_OFF;
  out->options.max_seconds = share_of_time(s, p->options.max_seconds);
  return out;
}

static void fit_row(ModelsStudy *s, ModelRow *r) {
  Arena *a = arena_new();
  s->fold = -1;
  Problem *p = problem_to_fit(a, s, r->problem);
  AssessedFit f = assessed_fit_run(p, NULL, PATIENCE_GRACE, listen_to_fit, s);
  Patience after = {.grace = PATIENCE_GRACE};
  patience_begin(&after); // what follows an end may take a moment
  take_fit(s->m, r, &f);
  if (r->x) find_errors(s->m, r, &f);
  patience_end(&after);
  assessed_fit_done(&f);
  arena_free(a);
  s->fits_left--;
}

// ---------------------------------------------------------------- cross-validation

// From the result for all data, so that a fold needs few steps. Why it failed; NULL: it did not.
static const char *run_fold(ModelsStudy *s, const ModelRow *r, int fold, ErrorSums *sums) {
  Arena *a = arena_new();
  const char *why = NULL;
  Problem *p = problem_to_fit(a, s, problem_without_fold(a, r->problem, s->m->request.folds, fold));
  p->options.confirm = CONFIRM_OFF;
  Fitting *fitting = fitting_new(p);
  EvalWork *work = eval_work_new(fitting, p->options.threads, NULL);
  FitResult *result = fit_run_on(p, work, r->x, listen_to_fit, s);
  if (!patience_asks())
    why = "it was stopped";
  else if (!fit_has_result(result))
    why = arena_print(s->m->arena, "fold %d: %s", fold + 1, result->message);
  const RunErrors *run = why ? NULL : run_errors(a, work, 0, result->x);
  if (run && run_errors_failed(run))
    why = arena_print(s->m->arena, "fold %d: %s", fold + 1, first_failure(s->m->arena, run));
  if (!why) add_errors(sums, s->m, run, r->problem, fold);
  fit_free(result);
  eval_work_free(work);
  fitting_free(fitting);
  arena_free(a);
  return why;
}

static void cross_validate(ModelsStudy *s, ModelRow *r) {
  ErrorSums sums = error_sums(s->m->arena, s->m);
  int folds = s->m->request.folds;
  for (int k = 0; k < folds && !r->cross_failed && r->x; k++) {
    s->fold = k;
    r->cross_failed = patience_asks() ? run_fold(s, r, k, &sums) : "it was stopped";
    r->folds_done += !r->cross_failed;
    s->fits_left--;
  }
  take_rmse(&sums, s->m, r->folds_done == folds, r->cross);
  s->fold = -1;
}

// ---------------------------------------------------------------- between rows

static bool is_known(const ModelRow *r) {
  return r->done && isfinite(r->likelihood.log);
}

static void weigh(Models *m) {
  double least = HUGE_VAL, quasi_least = HUGE_VAL, sum = 0;
  m->best = -1, m->inflation = 1;
  for (int i = 0; i < m->count; i++) {
    if (!is_known(&m->rows[i])) continue;
    least = fmin(least, m->rows[i].aic);
    if (m->best < 0 || m->rows[i].likelihood.log > m->rows[m->best].likelihood.log) m->best = i;
  }
  if (m->best < 0) return;
  const ModelRow *best = &m->rows[m->best];
  bool quasi = best->correlated && best->effective < (double)best->likelihood.samples;
  if (quasi) m->inflation = (double)best->likelihood.samples / best->effective;
  for (int i = 0; i < m->count; i++) {
    ModelRow *r = &m->rows[i];
    if (!is_known(r)) continue;
    sum += exp(-(r->aic - least) / 2);
    if (!quasi) continue;
    r->quasi = 2 * r->parameters - 2 * r->likelihood.log / m->inflation;
    quasi_least = fmin(quasi_least, r->quasi);
  }
  for (int i = 0; i < m->count; i++) {
    ModelRow *r = &m->rows[i];
    if (!is_known(r)) continue;
    r->delta = r->aic - least;
    r->weight = exp(-r->delta / 2) / sum;
    r->quasi_delta = r->quasi - quasi_least;
  }
}

// ---------------------------------------------------------------- the comparison

static double *unknown_numbers(Arena *a, int n) {
  double *out = ARENA_ARRAY(a, double, n + 1);
  for (int i = 0; i < n; i++) out[i] = nan("");
  return out;
}

static const char *label_like_no_other(const Models *m, int rows, const char *wanted) {
  const char *label = wanted;
  for (int n = 2, i = 0; i < rows; i++)
    if (strcmp(m->rows[i].label, label) == 0)
      label = arena_print(m->arena, "%s (%d)", wanted, n++), i = -1;
  return label;
}

static Models *models_new(const ModelsRequest *q) {
  Arena *a = arena_new();
  Models *m = ARENA_NEW(a, Models);
  *m = (Models){.arena = a, .request = *q, .count = q->count, .best = -1, .inflation = 1};
  m->rows = ARENA_ARRAY(a, ModelRow, q->count);
  m->data = data_digest(q->problems[0]);
  m->has_validation = q->problems[0]->validation != NULL;
  list_variables(m, q->problems[0]);
  double none = nan("");
  for (int i = 0; i < q->count; i++) {
    const Problem *p = q->problems[i];
    m->rows[i] = (ModelRow){.label = label_like_no_other(m, i, p->path),
                            .problem = p,
                            .outcome = FIT_STOPPED,
                            .message = "",
                            .unknowns = p->unknown_count,
                            .parameters =
                                p->unknown_count - p->constraints.equalities + likelihood_sigmas(p),
                            .nuisance = count_nuisance(p),
                            .rank = -1,
                            .objective = none,
                            .likelihood = {.log = none},
                            .aic = none,
                            .aicc = none,
                            .bic = none,
                            .delta = none,
                            .weight = none,
                            .effective = none,
                            .quasi = none,
                            .quasi_delta = none,
                            .rmse = unknown_numbers(a, m->variable_count),
                            .validation = unknown_numbers(a, m->variable_count),
                            .cross = unknown_numbers(a, m->variable_count)};
  }
  return m;
}

static bool can_begin(const ModelsRequest *q, Err *err) {
  if (q->count < 2)
    return fail(err, ERR_USAGE, "a comparison of models needs two problems or more");
  for (int i = 1; i < q->count; i++)
    if (!same_data(q->problems[0], q->problems[i], err)) return false;
  for (int i = 0; i < q->count; i++) {
    const Problem *p = q->problems[i];
    if (q->folds && !folds_suit(p, q->folds, err)) return false;
    if (!problem_method_suits(p, p->method, &p->parts, err)) return false;
  }
  return models_nesting_suits(q, err);
}

Models *models_run(const ModelsRequest *q, ModelsListener *listener, void *data, Err *err) {
  if (!can_begin(q, err)) return NULL;
  Models *m = models_new(q);
  ModelsStudy s = {.m = m, .listener = listener, .listener_data = data, .fold = -1};
  s.fits_left = q->count * (1 + q->folds);
  s.patience = (Patience){.goes_on = goes_on, .data = &s, .until = patience_until(limit_of(q))};
  patience_begin(&s.patience);
  double began = patience_clock();
  for (int i = 0; i < m->count && patience_asks(); i++) {
    double row_began = patience_clock();
    s.row = i;
    fit_row(&s, &m->rows[i]);
    if (q->folds) cross_validate(&s, &m->rows[i]);
    m->rows[i].seconds = record_seconds(patience_clock() - row_began);
  }
  m->seconds = record_seconds(patience_clock() - began);
  m->stopped = s.patience.over || s.stop;
  patience_end(&s.patience);
  weigh(m);
  models_test_nesting(m);
  return m;
}

void models_free(Models *m) {
  if (m) arena_free(m->arena);
}

bool models_all_usable(const Models *m) {
  for (int i = 0; i < m->count; i++)
    if (!m->rows[i].usable) return false;
  return true;
}
