// Runs the method that the problem asks for, improves what was cut short, finds the estimated sigmas, and writes the message
// of the result.
#include "search/fit.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "search/confirm.h"
#include "search/homotopy.h"
#include "search/local_search.h"
#include "search/multistart.h"
#include "search/portfolio.h"
#include "search/sigma.h"
#include "search/verdict.h"
#include "search/weak.h"

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
  HomotopyPlan plan = {.strength = 1, .halvings = HALVINGS, .second_observer = true};
  if (homotopy_auto(s, s->next_start, &plan) || s->problem->options.gain > 0 ||
      s->problem->gain_count)
    return;
  static const double STRENGTHS[] = {4, 0.25, 16};
  static const char *const NAMES[] = {"homotopy, stronger", "homotopy, weaker",
                                      "homotopy, much stronger"};
  for (int k = 0; k < 3 && search_goes_on(s); k++) {
    search_begin(s, NAMES[k]);
    plan = (HomotopyPlan){.strength = STRENGTHS[k], .halvings = HALVINGS};
    if (homotopy_auto(s, s->next_start, &plan)) return;
  }
}

// Without any unknown from the weak form there is no result: a local search from the start values is another method.
static void run_weak(Search *s) {
  double *x = search_copy(s, s->next_start);
  bool *found = ARENA_ARRAY(s->arena, bool, s->n + 1);
  WeakFacts facts;
  int count = weak_start(s->problem, x, found, &facts);
  if (!search_goes_on(s)) return;
  if (count == s->n) {
    local_search_stage(s, "weak form", x, target_of(s->problem));
    return;
  }
  search_begin(s, "weak form");
  search_end(s, false, HUGE_VAL, "%d of %d unknowns found without simulation; not %s", count, s->n,
             facts.why);
  if (count == 0)
    s->refused = arena_print(s->arena, "the weak form does not apply; %s", facts.why);
  else
    local_search_stage(s, "local search", x, target_of(s->problem));
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
    if (confirm_best(s) || s->best.objective <= target) break;
    if (s->best.objective < HUGE_VAL)
      memcpy(s->next_start, s->best.x, (size_t)s->n * sizeof *s->best.x);
  }
  s->method = METHOD_AUTO;
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
  memcpy(s->next_start, s->start, (size_t)s->n * sizeof *s->start);
  run_local(s);
}

static FitCut cut_of(const Search *s) {
  double limit = s->problem->options.max_seconds;
  if (s->stopped) return s->enough ? FIT_CUT_ENOUGH : FIT_CUT_STOP;
  if (!s->over_budget) return FIT_CUT_NOTHING;
  bool late =
      (limit > 0 && patience_clock() - s->began + patience_spent() > limit) || patience_is_late();
  return late ? FIT_CUT_SECONDS : FIT_CUT_SIMULATIONS;
}

// stopped: before the search was done. A stop after all that the verdict needs changes nothing.
static FitOutcome outcome_of(const Search *s, bool stopped) {
  bool confirms = confirm_is_wanted(s->problem), converged = local_end_converged(s->best.end);
  bool good = confirms && fit_verdict_is_good(s->result->verdict);
  if (stopped && !(good && !s->result->searches.cut)) return FIT_STOPPED;
  if (s->best.objective == HUGE_VAL) return s->over_budget ? FIT_BUDGET : FIT_NO_START;
  if (confirms ? good : s->result->fits && converged) return FIT_CONVERGED;
  if (s->over_budget) return FIT_BUDGET;
  if (!converged) return FIT_NOT_CONVERGED;
  bool at_target = s->best.objective <= target_of(s->problem);
  return asks_for_certainty(s->problem) && !at_target ? FIT_UNCERTAIN : FIT_CONVERGED;
}

// Of the last simulation; of another one where workers have made all of them.
static const char *why_no_start(const Search *s) {
  const char *why = eval_why(s->work);
  for (int k = 0; !*why && k < OUTCOME_COUNT; k++)
    if (s->budget.failed[k].seen) why = s->budget.failed[k].message;
  return why;
}

static void write_message(Search *s) {
  FitResult *r = s->result;
  const char *why = "";
  if (r->outcome == FIT_NO_START && s->refused) {
    c_snprintf(r->message, sizeof r->message, "%.500s", s->refused);
    return;
  }
  if (r->outcome == FIT_NO_START)
    why = why_no_start(s);
  else if (r->outcome == FIT_CONVERGED || r->outcome == FIT_NOT_CONVERGED)
    why = local_end_sentence(r->end);
  else if (r->outcome != FIT_UNCERTAIN && r->objective < HUGE_VAL)
    why = "this is the best point so far";
  const char *link = !*why                                                   ? ""
                     : r->outcome == FIT_STOPPED || r->outcome == FIT_BUDGET ? "; "
                                                                             : ": ";
  int used = c_snprintf(r->message, sizeof r->message, "%s%s%.400s",
                        fit_outcome_sentence(r->outcome), link, why);
  if (s->no_hessian && hessian_why(s->hessian)[0])
    c_snprintf(
        r->message + used, sizeof r->message - (size_t)used,
        "; at %d point%s the second derivatives were those of linear residuals, because %.300s",
        s->no_hessian, s->no_hessian > 1 ? "s" : "", hessian_why(s->hessian));
}

static void note_restarts(Search *s) {
  FitResult *r = s->result;
  if (!r->work.restarted) return;
  r->restart = ARENA_ARRAY(r->arena, double, s->problem->experiment_count + 1);
  for (int e = 0; e < s->problem->experiment_count; e++)
    r->restart[e] = restart_point_time(eval_fitting(s->work)->restarts, e);
}

static void finish(Search *s) {
  FitResult *r = s->result;
  search_goes_on(s);
  bool stopped = s->stopped;
  // Only the search was to end: those around it are asked from now on.
  if (s->enough) s->patience.over = false, s->patience.goes_on = NULL;
  search_find_facts(s);
  confirm_join(s);
  search_finish(s);
  confirm_conclude(s);
  r->outcome = outcome_of(s, stopped);
  r->cut = cut_of(s);
  verdict_explain(r, s->weighting, confirm_is_wanted(s->problem));
  write_message(s);
  note_restarts(s);
}

FitResult *fit_run_on(const Problem *p, EvalWork *w, const double *start, FitListener *listener,
                      void *data) {
  FitResult *r = fit_result_new(p, start);
  Search *s = search_new(p, w, r, listener, data);
  r->floor = noise_objective(s->weighting, 1);
  s->start = r->start;
  s->next_start = search_copy(s, r->x);
  fitting_prepare(s->fitting, method_wants_slopes(p->method, &p->parts), &s->budget);
  RUN[p->method](s);
  if (asks_for_certainty(p)) {
    use_better_start(s);
    if (s->best.objective < HUGE_VAL) local_search_polish(s);
    if (confirm_is_wanted(p)) confirm_best(s);
  }
  bool settled = s->confirmation && s->confirmation->x; // confirming settles sigmas
  if (s->best.objective < HUGE_VAL && noise_is_estimated(p) && !settled)
    sigma_settle(s, target_of(p));
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
