// Runs the method that the problem asks for, improves what was cut short, finds the estimated sigmas, and writes the message
// of the result.
#include "search/fit.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/patience.h"
#include "search/certificate.h"
#include "search/homotopy.h"
#include "search/local_search.h"
#include "search/multistart.h"
#include "search/portfolio.h"
#include "search/result_rows.h"

// ---------------------------------------------------------------- methods

// Asked for as the method, a local search may stop early.
static double target_of(const Problem *p) {
  bool local = p->method != METHOD_AUTO && p->method != METHOD_HOMOTOPY;
  return local && p->options.target_objective > 0 ? p->options.target_objective : -1;
}

static void run_local(Search *s) {
  const char *stage =
      method_has(s->method, METHOD_GLOBAL) ? method_word(s->method) : "local search";
  local_search_stage(s, stage, s->next_start, target_of(s->problem));
}

static void run_portfolio(Search *s) {
  portfolio_run(s);
}

enum { HALVINGS = 5 };

static void run_homotopy(Search *s) {
  search_begin(s, "homotopy");
  if (s->problem->options.homotopy == HOMOTOPY_PAPER) {
    homotopy_paper(s, s->next_start);
    return;
  }
  if (homotopy_auto(s, s->next_start, 1, HALVINGS) || s->problem->options.gain > 0 ||
      s->problem->gain_count)
    return;
  static const double STRENGTHS[] = {4, 0.25, 16};
  static const char *const NAMES[] = {"homotopy, stronger", "homotopy, weaker",
                                      "homotopy, much stronger"};
  for (int k = 0; k < 3 && search_goes_on(s); k++) {
    search_begin(s, NAMES[k]);
    if (homotopy_auto(s, s->next_start, STRENGTHS[k], HALVINGS)) return;
  }
}

static void run_multistart(Search *s) {
  const Problem *p = s->problem;
  Method method = p->parts.count ? p->parts.at[0] : local_search_method(p);
  int starts = p->parts.starts ? p->parts.starts : p->options.starts;
  multistart_run(s, fit_run_on, method, starts, target_of(p));
}

static void run_parts(Search *s);

static void (*const RUN[METHOD_COUNT])(Search *) = {
#define METHOD(name, word, traits, run, local, meaning) [METHOD_##name] = run,
#include "problem/methods.def"
#undef METHOD
};

// portfolio(method, ...): each part goes on from the best point so far. Without parts: auto.
static void run_parts(Search *s) {
  const MethodParts *parts = &s->problem->parts;
  double target = target_of(s->problem);
  s->method = METHOD_AUTO;
  if (!parts->count) portfolio_run(s);
  for (int k = 0; k < parts->count && search_goes_on(s); k++) {
    s->method = parts->at[k];
    RUN[s->method](s);
    if (s->result->certain || s->best.objective <= target) break;
    if (s->best.objective < HUGE_VAL)
      memcpy(s->next_start, s->best.x, (size_t)s->n * sizeof *s->best.x);
  }
  s->method = METHOD_AUTO;
}

// ---------------------------------------------------------------- sigma that is found together with the parameters

enum { SIGMA_ROUNDS = 20 };
static const double SIGMA_TOL = 1e-4;

// A local search with the present weighting. False: it was stopped before there was a point, and the best one stays.
static bool local_refit(Search *s) {
  LocalSearch l = local_search_full(s);
  double *x = search_copy(s, s->best.x);
  l.near = true;
  l.target = target_of(s->problem);
  local_search_run(s, &l, x);
  if (l.objective == HUGE_VAL) return false;
  memcpy(s->best.x, x, (size_t)s->n * sizeof *x);
  s->best.objective = l.objective;
  s->best.end = l.end;
  return true;
}

// Sigmas from the residuals, then the unknowns with these sigmas, until neither changes.
static void settle_sigma(Search *s) {
  FitResult *r = s->result;
  for (int round = 0; round < SIGMA_ROUNDS && search_goes_on(s); round++) {
    EvalSpec spec = search_spec(s);
    double change;
    Weighting *next = result_weighting(s->work, &spec, r->pieces, s->best.x, &change);
    if (!next) break;
    Weighting *before = search_swap_weighting(s, next);
    bool settled = change < SIGMA_TOL;
    if (!settled && r->pieces)
      portfolio_refit_pieces(s);
    else if (!settled && !local_refit(s)) // the weighting of the objective that stays
      before = search_swap_weighting(s, before);
    weighting_free(before);
    if (settled) break;
  }
  r->objective_start = nan(""); // the sigma of the result is another one
  r->floor = noise_objective(s->weighting, 1);
  if (r->certain) certificate_explain(r, s->weighting, r->by, s->best.objective);
}

// ---------------------------------------------------------------- the end

static bool asks_for_certainty(const Problem *p) {
  return p->method == METHOD_AUTO || p->method == METHOD_PORTFOLIO ||
         (p->method == METHOD_HOMOTOPY && p->options.homotopy == HOMOTOPY_AUTO);
}

// No result is worse than what it began with.
static void use_better_start(Search *s) {
  FitResult *r = s->result;
  if (!search_goes_on(s) || !problem_satisfied(s->problem, s->start)) return;
  if (isnan(r->objective_start)) r->objective_start = search_evaluate(s, 0, 1, s->start);
  if (!(r->objective_start < s->best.objective)) return;
  r->certain = false;
  memcpy(s->next_start, s->start, (size_t)s->n * sizeof *s->start);
  run_local(s);
}

// The best point may come from a search that was cut short.
static void polish(Search *s) {
  if (local_end_converged(s->best.end) || !search_goes_on(s)) return;
  double *x = search_copy(s, s->best.x);
  LocalSearch l = local_search_full(s);
  local_search_run(s, &l, x);
  if (l.end != LOCAL_NO_START_END) search_offer(s, s->result->by, x, l.objective, l.end);
  if (l.objective <= s->best.objective) s->best.end = l.end;
}

static FitOutcome outcome_of(const Search *s) {
  if (s->stopped) return FIT_STOPPED;
  if (s->best.objective == HUGE_VAL) return s->over_budget ? FIT_BUDGET : FIT_NO_START;
  if (s->result->certain) return FIT_CONVERGED;
  if (s->over_budget) return FIT_BUDGET;
  if (!local_end_converged(s->best.end)) return FIT_NOT_CONVERGED;
  bool at_target = s->best.objective <= target_of(s->problem);
  return asks_for_certainty(s->problem) && !at_target ? FIT_UNCERTAIN : FIT_CONVERGED;
}

static void write_message(Search *s) {
  FitResult *r = s->result;
  const char *why = "";
  if (r->outcome == FIT_NO_START)
    why = eval_why(s->work);
  else if (r->outcome == FIT_CONVERGED || r->outcome == FIT_NOT_CONVERGED)
    why = local_end_sentence(r->end);
  int used = c_snprintf(r->message, sizeof r->message, "%s%s%.400s",
                        fit_outcome_sentence(r->outcome), *why ? ": " : "", why);
  if (s->no_hessian && hessian_why(s->hessian)[0])
    c_snprintf(
        r->message + used, sizeof r->message - (size_t)used,
        "; at %d point%s the second derivatives were those of linear residuals, because %.300s",
        s->no_hessian, s->no_hessian > 1 ? "s" : "", hessian_why(s->hessian));
}

static void finish(Search *s) {
  FitResult *r = s->result;
  search_goes_on(s); // notices a budget that the last simulation used up
  int channels = s->fitting->data->channel_count;
  if (s->best.objective < HUGE_VAL) memcpy(r->x, s->best.x, (size_t)s->n * sizeof *r->x);
  r->objective = s->best.objective;
  r->end = s->best.end;
  r->sigma = ARENA_ARRAY(s->arena, double, channels + 1);
  memcpy(r->sigma, s->weighting->sigma, (size_t)channels * sizeof *r->sigma);
  if (!r->certain) certificate_explain_doubt(r, s->weighting, s->best.x, s->best.objective);
  r->outcome = outcome_of(s);
  write_message(s);
  r->work = s->budget.used;
  r->work.seconds = clock_seconds() - s->began;
  eval_solver(s->work, r->solver, &r->solver_steps, &r->solver_rejected);
}

FitResult *fit_run_on(const Problem *p, EvalWork *w, const double *start, FitListener *listener,
                      void *data) {
  Arena *a = arena_new();
  FitResult *r = ARENA_NEW(a, FitResult);
  r->arena = a;
  r->problem = p;
  r->by = "";
  r->x = ARENA_ARRAY(a, double, p->unknown_count + 1);
  r->objective_start = nan("");
  Search *s = search_new(p, w, r, listener, data);
  r->floor = noise_objective(s->weighting, 1);
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    r->x[i] = fmin(fmax(start ? start[i] : u->start, u->min), u->max);
  }
  s->start = r->start = search_copy(s, r->x);
  s->next_start = search_copy(s, r->x);
  RUN[p->method](s);
  if (asks_for_certainty(p)) {
    use_better_start(s);
    if (s->best.objective < HUGE_VAL) polish(s);
  }
  if (s->best.objective < HUGE_VAL && noise_is_estimated(p)) settle_sigma(s);
  finish(s);
  search_done(s);
  return r;
}

FitResult *fit_run(const Problem *p, const double *start, FitListener *listener, void *data) {
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, p->options.threads, NULL);
  FitResult *r = fit_run_on(p, w, start, listener, data);
  eval_work_free(w);
  fitting_free(f);
  return r;
}

void fit_evaluate_start(FitResult *r, EvalWork *w) {
  if (!isnan(r->objective_start)) return;
  const Fitting *f = eval_fitting(w);
  Weighting *weighting = weighting_new(f->data, r->sigma);
  EvalSpec spec = eval_spec(f, NULL);
  spec.weighting = weighting;
  double objective = evaluate_value(w, &spec, r->start);
  if (patience_lasts(0)) r->objective_start = objective;
  weighting_free(weighting);
}
