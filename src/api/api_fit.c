// The public library: fits.
#include "api/api_fit.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "api/api_figures.h"
#include "base/memory.h"
#include "report/fit_figures.h"
#include "report/fit_json.h"
#include "report/fit_residuals.h"
#include "report/fit_screen.h"
#include "report/fit_text.h"
#include "report/run_report.h"
#include "residual/hessian.h"

typedef struct Relay {
  FitTrace *trace;
  EntrainListener *listener;
  void *data;
} Relay;

static bool relay(void *data, const FitProgress *p) {
  const Relay *r = data;
  fit_trace_add(r->trace, p);
  if (!r->listener) return true;
  long simulations = p->work ? p->work->simulations + p->work->sensitivity_simulations : 0;
  EntrainProgress told = {.size = sizeof told,
                          .stage = p->stage,
                          .lambda = p->lambda,
                          .iteration = p->iteration,
                          .objective = p->objective,
                          .values = p->x,
                          .simulations = simulations,
                          .doubt = p->doubt ? p->doubt : "",
                          .best = p->best,
                          .searches = p->searches,
                          .enough = p->enough};
  PatienceLeft around = patience_leave();
  return patience_return(around, r->listener(r->data, &told));
}

static void ignore_block(void *data, const ResidualBlock *block) {
  (void)data, (void)block;
}

static void find_violation(EntrainFit *f) {
  f->violation = (InvariantViolation){nan(""), nan(""), -1, -1, nan("")};
  bool coupled = f->point && f->point->lambda > 0;
  if (!f->problem->model->invariant_count || f->result->objective == HUGE_VAL || coupled) return;
  EvalSpec spec = eval_spec(f->fit.fitting, NULL);
  spec.slopes = true; // their violation is reported, too
  if (evaluate_rows(f->fit.work, &spec, f->result->x, ignore_block, NULL))
    f->violation = eval_violation(f->fit.work);
}

// Of the free-running simulation at the result.
static void find_errors(EntrainFit *f) {
  if (f->result->objective == HUGE_VAL) return;
  if (problem_has_windows(f->problem)) f->run = run_errors(f->arena, f->fit.work, 0, f->result->x);
  f->validation = validation_errors(f->arena, f->problem, 0, f->result->x);
}

Patience fit_patience(const EntrainFit *f, double grace) {
  double limit = f->problem->options.max_seconds;
  bool limited = limit > 0 || f->result->cut == FIT_CUT_STOP;
  double left = fmax(limit - f->result->work.seconds, fmax(grace, 1e-3));
  return (Patience){.grace = grace, .until = limited ? patience_clock() + left : 0};
}

static void find_rest(EntrainFit *f) {
  Patience after =
      fit_patience(f, statistics_miss(f->statistics, "identifiability") ? 0 : PATIENCE_GRACE);
  patience_begin(&after);
  fit_evaluate_start(f->fit.result, f->fit.work);
  find_violation(f);
  find_errors(f);
  patience_end(&after);
}

EntrainFit *entrain_fit_run(const EntrainProblem *problem, EntrainListener *listener, void *data,
                            EntrainError *error) {
  if (!problem) return api_none("problem", error);
  Err err = {0};
  const Problem *p = problem->problem;
  EntrainFit *f = must_have(calloc(1, sizeof *f));
  f->problem = p;
  f->arena = arena_new();
  f->trace = fit_trace_new(p);
  Relay r = {f->trace, listener, data};
  f->fit = assessed_fit_run(p, NULL, PATIENCE_GRACE, relay, &r);
  assessed_fit_examine(&f->fit, relay, &r);
  f->result = f->fit.result;
  f->statistics = f->fit.statistics;
  find_rest(f);
  api_publish(&err, error);
  return f;
}

EntrainFit *entrain_evaluate(const EntrainProblem *problem, const double *values, double lambda,
                             EntrainError *error) {
  if (!problem) return api_none("problem", error);
  Err err = {0};
  EvaluatedPoint point;
  EntrainFit *f = NULL;
  if (evaluated_point(problem->problem, values, lambda, &point, &err)) {
    f = must_have(calloc(1, sizeof *f));
    f->problem = problem->problem;
    f->arena = arena_new();
    f->trace = fit_trace_new(f->problem);
    f->point = ARENA_NEW(f->arena, EvaluatedPoint);
    *f->point = point;
    f->fit = point.fit;
    f->result = point.fit.result;
    f->statistics = point.fit.statistics;
    f->run = point.run, f->validation = point.validation;
    find_violation(f);
  }
  api_publish(&err, error);
  return f;
}

void entrain_fit_free(EntrainFit *f) {
  if (!f) return;
  if (f->point)
    evaluated_point_done(f->point);
  else
    assessed_fit_done(&f->fit);
  fit_trace_free(f->trace);
  arena_free(f->arena);
  free(f);
}

EntrainFitOutcome entrain_fit_outcome(const EntrainFit *f) {
  if (!f) return ENTRAIN_FIT_NO_START;
  return (EntrainFitOutcome)f->result->outcome;
}
const char *entrain_fit_outcome_name(const EntrainFit *f) {
  if (!f) return NULL;
  return fit_outcome_word(f->result->outcome);
}
const char *entrain_fit_message(const EntrainFit *f) {
  if (!f) return NULL;
  return f->result->message;
}

bool entrain_fit_quality(const EntrainFit *f, EntrainQuality *out) {
  if (!f) return API_GIVE(out, EntrainQuality, 0) && false;
  const FitResult *r = f->result;
  const Statistics *s = f->statistics;
  const FitTerm *missing = &r->facts.missing;
  double none = nan("");
  return API_GIVE(
      out, EntrainQuality, .objective = r->objective, .objective_start = r->objective_start,
      .floor = r->floor, .certain = r->verdict == FIT_CERTAIN, .why = r->why,
      .by = r->by ? r->by : "", .samples = s->samples, .verdict = fit_verdict_word(r->verdict),
      .noise_ratio = r->facts.noise.ratio, .noise_limit = r->facts.noise.limit,
      .white_p = r->facts.white.p, .rank = s->rank, .fits = r->fits, .exact = r->facts.exact,
      .noise_holds = r->facts.noise.holds, .white_holds = r->facts.white.holds,
      .white_clean = r->facts.white.clean,
      .correlation = r->facts.known ? r->facts.white.correlation : none,
      .missing_term = missing->term ? missing->term : "",
      .missing_state = missing->term && missing->state ? missing->state : "",
      .missing_share = missing->term ? missing->share : none,
      .missing_p = missing->term ? missing->p : none, .sandwich = s->sandwich,
      .variance = s->variance, .freedom = s->freedom,
      .pieces = r->pieces ? fit_piece_count(f->problem, r->pieces) : 1,
      .gap = r->pieces ? r->pieces->gap : 0, .end = f->point ? "" : local_end_word(r->end),
      .solver = r->solver, .solver_steps = r->solver_steps, .solver_rejected = r->solver_rejected);
}

// ---------------------------------------------------------------- estimates

int entrain_fit_count(const EntrainFit *f) {
  if (!f) return 0;
  return f->problem->unknown_count;
}

bool entrain_fit_estimate(const EntrainFit *f, int i, EntrainEstimate *out) {
  if (!f || !out) return false;
  if (i < 0 || i >= f->problem->unknown_count) return false;
  const Unknown *x = &f->problem->unknowns[i];
  const StatParameter *s = &f->statistics->parameters[i];
  return API_GIVE(out, EntrainEstimate, .name = x->name, .unit = x->unit ? x->unit : "",
                  .value = f->result->x[i], .start = x->start, .min = x->min, .max = x->max,
                  .std_error = s->std_error, .ci_low = s->ci_low, .ci_high = s->ci_high,
                  .at_bound = s->at_bound, .at_lower_bound = s->at_bound && s->lower_bound,
                  .inactive = s->inactive, .identifiable = s->identifiable,
                  .reason = s->reason ? s->reason : "", .interval = interval_kind_word(s->interval),
                  .log = x->log, .profile_wanted = s->profile_wanted, .open = s->open,
                  .relative_at_1_percent = s->relative_at_1_percent);
}

static double entry(const EntrainFit *f, const double *matrix, int i, int j) {
  int n = f->problem->unknown_count;
  return i >= 0 && j >= 0 && i < n && j < n ? matrix[i * n + j] : nan("");
}

double entrain_fit_gradient(const EntrainFit *f, int i) {
  if (!f || i < 0 || i >= f->statistics->n) return nan("");
  return f->statistics->gradient[i];
}

static bool find_hessian(EntrainFit *f, Err *err) {
  int n = f->problem->unknown_count;
  double value, *gradient = ARENA_ARRAY(f->arena, double, n + 1);
  double *H = ARENA_ARRAY(f->arena, double, (size_t)n *(size_t)n + 1);
  if (f->point && f->point->lambda > 0)
    return fail(err, ERR_UNSUPPORTED, "second derivatives are those of the free model, lambda 0");
  if (f->result->objective == HUGE_VAL || f->result->pieces)
    return fail(err, ERR_VALUE, "there is no whole simulation at the result");
  Hessian *h = hessian_new(f->fit.fitting, (HessianWay)f->problem->options.newton_hessian);
  EvalSpec spec = eval_spec(f->fit.fitting, NULL);
  spec.weighting = f->fit.weighting;
  EvalEnd end = hessian_eval(h, f->fit.work, &spec, f->result->x, &value, gradient, H);
  if (end == EVAL_DONE)
    f->hessian = H;
  else if (end == EVAL_STOPPED || !patience_lasts(0))
    fail(err, ERR_STOPPED, "it was stopped before the second derivatives were computed");
  else
    fail(err, ERR_UNSUPPORTED, "there are no second derivatives: %.600s", hessian_why(h));
  hessian_free(h);
  return f->hessian != NULL;
}

bool entrain_fit_find_hessian(EntrainFit *f, EntrainError *error) {
  if (!f) return api_missing("fit", error);
  Err err = {0};
  Patience after = fit_patience(f, PATIENCE_GRACE);
  patience_begin(&after);
  find_hessian(f, &err);
  patience_end(&after);
  return api_fine(&err, error);
}

double entrain_fit_hessian(const EntrainFit *f, int i, int j) {
  return f && f->hessian ? entry(f, f->hessian, i, j) : nan("");
}

double entrain_fit_covariance(const EntrainFit *f, int i, int j) {
  if (!f) return nan("");
  return entry(f, f->statistics->covariance, i, j);
}
double entrain_fit_correlation(const EntrainFit *f, int i, int j) {
  if (!f) return nan("");
  return entry(f, f->statistics->correlation, i, j);
}
double entrain_fit_singular_value(const EntrainFit *f, int i) {
  if (!f) return nan("");
  return i >= 0 && i < f->statistics->n ? f->statistics->singular_values[i] : nan("");
}

// ---------------------------------------------------------------- channels

// Channels of a free run that are not those of the fit stand between them and those of validation.
static int recorded_count(const EntrainFit *f) {
  return f->run && f->run->recorded ? f->run->channel_count : 0;
}

int entrain_fit_channel_count(const EntrainFit *f) {
  if (!f) return 0;
  return f->statistics->channel_count + recorded_count(f) +
         (f->validation ? f->validation->channel_count : 0);
}

const RunErrors *fit_errors_with(const EntrainFit *f, int *i) {
  int fitted = f->statistics->channel_count, recorded = recorded_count(f);
  if (*i < fitted) return recorded ? NULL : f->run;
  *i -= fitted;
  if (*i < recorded) return f->run;
  *i -= recorded;
  return f->validation;
}

static bool describe_run(const RunErrors *v, int i, EntrainChannel *out) {
  const RunChannel *r = &v->channels[i];
  const Experiment *e = &v->problem->experiments[r->experiment];
  const Channel *c = &e->channels[r->channel];
  double none = nan("");
  return API_GIVE(out, EntrainChannel, .experiment = e->number, .experiment_name = e->name,
                  .variable = c->name, .column = c->column, .unit = c->unit ? c->unit : "",
                  .n = r->all.n, .rmse = r->all.rmse, .fit_percent = r->fit_percent, .sigma = none,
                  .noise = none, .autocorrelation = none, .white_p = none, .runs_p = none,
                  .role = v->recorded ? "free-run" : "validation",
                  .failed = v->why[r->experiment] ? v->why[r->experiment] : "",
                  .windows = e->window_count, .missing = c->missing, .unpredicted = c->unpredicted,
                  .range = c->range > 0 ? c->range : none, .lag1_p = none);
}

bool entrain_fit_channel(const EntrainFit *f, int i, EntrainChannel *out) {
  if (!f || !out) return false;
  if (i < 0 || i >= entrain_fit_channel_count(f)) return false;
  if (i >= f->statistics->channel_count) {
    const RunErrors *run = fit_errors_with(f, &i);
    return describe_run(run, i, out);
  }
  const StatChannel *s = &f->statistics->channels[i];
  const Experiment *e = &f->problem->experiments[s->experiment];
  const char *why = f->point ? f->run->why[s->experiment] : NULL;
  const Channel *c = &e->channels[s->channel];
  return API_GIVE(
      out, EntrainChannel, .experiment = e->number, .experiment_name = e->name, .variable = c->name,
      .column = c->column, .unit = c->unit ? c->unit : "", .n = s->n, .rmse = s->rmse,
      .fit_percent = s->fit_percent, .sigma = f->result->sigma[i], .noise = s->noise,
      .autocorrelation = s->autocorrelation, .white_p = s->white_p, .runs_p = s->runs_p,
      .role = "fit", .failed = why ? why : "", .windows = recorded_count(f) ? 0 : e->window_count,
      .missing = c->missing, .unpredicted = c->unpredicted,
      .range = c->range > 0 ? c->range : nan(""), .lag1_p = s->lag1_p, .exact = s->exact);
}

bool entrain_fit_window(const EntrainFit *f, int i, int k, EntrainWindow *out) {
  if (!f || !out || i < 0 || i >= entrain_fit_channel_count(f)) return false;
  const RunErrors *errors = fit_errors_with(f, &i);
  if (!errors) return false;
  const RunChannel *c = &errors->channels[i];
  const Experiment *e = &errors->problem->experiments[c->experiment];
  if (k < 0 || k >= e->window_count) return false;
  const NamedWindow *w = &e->windows[k];
  const SpanError *s = &c->windows[k];
  return API_GIVE(out, EntrainWindow, w->name, e->origin + w->start, e->origin + w->stop, s->n,
                  s->rmse, s->mean, s->most);
}

// Fitted ones, recorded ones, those for validation. role: of row i, counted from there.
static PooledErrors pooled_of(const EntrainFit *f, Arena *a, int *i, const char **role) {
  bool recorded = f->run && f->run->recorded;
  PooledErrors none = {0};
  PooledErrors parts[] = {pooled_of_fit(a, f->problem, f->statistics, f->run),
                          recorded ? pooled_of_runs(a, f->run) : none,
                          pooled_of_runs(a, f->validation)};
  static const char *const ROLE[] = {"fit", "free-run", "validation"};
  for (int k = 0; k < 3; k++) {
    *role = ROLE[k];
    if (*i < parts[k].rows.count) return parts[k];
    *i -= parts[k].rows.count;
  }
  return none;
}

int entrain_fit_pooled_count(const EntrainFit *f) {
  if (!f) return 0;
  Arena *a = arena_new();
  const char *role;
  int i = INT_MAX; // beyond the last
  pooled_of(f, a, &i, &role);
  arena_free(a);
  return INT_MAX - i;
}

bool entrain_fit_pooled(const EntrainFit *f, int i, EntrainPooled *out) {
  if (!f || !out || i < 0 || i >= entrain_fit_pooled_count(f)) return false;
  Arena *a = arena_new();
  const char *role;
  PooledErrors rows = pooled_of(f, a, &i, &role);
  const PooledError *e = &rows.rows.at[i]; // its texts are those of the problem
  bool given = API_GIVE(out, EntrainPooled, e->variable ? e->variable : "", e->unit ? e->unit : "",
                        role, e->window ? e->window : "", e->experiments, e->failed, e->n, e->rmse,
                        e->fit_percent);
  arena_free(a);
  return given;
}

// ---------------------------------------------------------------- what the data do not tell

int entrain_fit_direction_count(const EntrainFit *f) {
  if (!f) return 0;
  return f->statistics->direction_count;
}

bool entrain_fit_direction(const EntrainFit *f, int i, EntrainDirection *out) {
  if (!f || !out) return false;
  if (i < 0 || i >= f->statistics->direction_count) return false;
  const StatDirection *d = &f->statistics->directions[i];
  return API_GIVE(out, EntrainDirection, d->singular_value, d->vector, d->structural, d->confirmed,
                  d->text, d->combination_count,
                  .confirmed_change = d->confirmed ? d->confirmed_change : nan(""),
                  .confirmed_factor = d->confirmed ? d->confirmed_factor : nan(""));
}

const char *entrain_fit_combination(const EntrainFit *f, int i, int k, double *value) {
  if (!f) return NULL;
  if (i < 0 || i >= f->statistics->direction_count) return NULL;
  const StatDirection *d = &f->statistics->directions[i];
  if (k < 0 || k >= d->combination_count) return NULL;
  if (value) *value = d->combinations[k].value;
  return d->combinations[k].text;
}

int entrain_fit_missing_count(const EntrainFit *f) {
  return f ? f->statistics->missing_count : 0;
}

const char *entrain_fit_missing(const EntrainFit *f, int i) {
  return i >= 0 && i < entrain_fit_missing_count(f) ? f->statistics->missing[i] : NULL;
}

int entrain_fit_remark_count(const EntrainFit *f) {
  if (!f) return 0;
  return f->statistics->remark_count;
}
const char *entrain_fit_remark(const EntrainFit *f, int i) {
  if (!f) return NULL;
  return i >= 0 && i < f->statistics->remark_count ? f->statistics->remarks[i] : NULL;
}

bool entrain_fit_work_of(const EntrainFit *f, EntrainFitPart part, EntrainFitWork *out) {
  if (!f) return API_GIVE(out, EntrainFitWork, 0) && false;
  const FitResult *r = f->result;
  const WorkCount *of[] = {&r->work, &r->search_work, &r->profile_work}, *w;
  if ((int)part < ENTRAIN_PART_ALL || part > ENTRAIN_PART_PROFILES) return false;
  w = of[part];
  return API_GIVE(out, EntrainFitWork, w->iterations, w->simulations, w->sensitivity_simulations,
                  w->rhs, w->steps, w->rejected, w->seconds);
}

bool entrain_fit_work(const EntrainFit *f, EntrainFitWork *out) {
  return entrain_fit_work_of(f, ENTRAIN_PART_ALL, out);
}

// ---------------------------------------------------------------- constraints

double entrain_fit_invariant_violation(const EntrainFit *f) {
  if (!f) return nan("");
  return f->problem->model->invariant_count ? f->violation.largest : 0;
}

double entrain_fit_invariant_violation_sens(const EntrainFit *f) {
  if (!f) return nan("");
  return f->problem->model->invariant_count ? f->violation.largest_sens : 0;
}

// ---------------------------------------------------------------- texts

FitReport fit_report_of(const EntrainFit *f) {
  return (FitReport){f->problem,    f->result,
                     f->statistics, f->problem->model->invariant_count ? &f->violation : NULL,
                     f->run,        f->validation,
                     f->hessian,    f->point};
}

char *entrain_fit_report(const EntrainFit *f, int width, bool colour) {
  if (!f) return NULL;
  Text t;
  FitReport r = fit_report_of(f);
  text_init(&t);
  fit_text(&t, &r, api_style(width, colour));
  return t.at;
}

char *entrain_fit_json(const EntrainFit *f) {
  if (!f) return NULL;
  Text t;
  FitReport r = fit_report_of(f);
  text_init(&t);
  fit_json(&t, &r, entrain_version());
  return t.at;
}

char *entrain_fit_trace_csv(const EntrainFit *f) {
  if (!f) return NULL;
  Text t;
  text_init(&t);
  fit_trace_csv(f->trace, &t);
  return t.at;
}

char *entrain_fit_residuals_csv(EntrainFit *f, EntrainError *error) {
  if (!f) return api_none("fit", error);
  Text t;
  Err err = {0};
  FitReport r = fit_report_of(f);
  text_init(&t);
  Patience after = fit_patience(f, PATIENCE_GRACE);
  patience_begin(&after);
  if (!fit_residuals_csv(&t, &r, f->fit.work, f->fit.weighting, &err)) text_done(&t);
  patience_end(&after);
  api_publish(&err, error);
  return t.at;
}

char *entrain_fit_plot(EntrainFit *f, int width, int height, bool colour) {
  if (!f) return NULL;
  Text t;
  FitReport r = fit_report_of(f);
  text_init(&t);
  Patience after = fit_patience(f, PATIENCE_GRACE);
  patience_begin(&after);
  fit_screen(&t, &r, f->fit.work, f->fit.weighting,
             (ScreenStyle){api_size(width), api_size(height), colour});
  patience_end(&after);
  return t.at;
}

EntrainFigures *entrain_fit_figures(EntrainFit *f) {
  if (!f) return NULL;
  FitReport r = fit_report_of(f);
  Patience after = fit_patience(f, PATIENCE_GRACE);
  patience_begin(&after);
  FigureList *l = fit_figures(&r, f->trace, f->fit.work, f->fit.weighting);
  patience_end(&after);
  return api_figures(l);
}
