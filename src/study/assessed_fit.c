#include "study/assessed_fit.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "base/record.h"
#include "search/confirm.h"
#include "stats/assess.h"
#include "stats/interpolation.h"
#include "stats/unmodelled.h"
#include "study/profile_intervals.h"

typedef struct Assessing { // who is asked during the statistics
  const char *stage;
  FitListener *listener;
  void *data;
  FitResult *result;
} Assessing;

static bool goes_on(void *data) {
  const Assessing *a = data;
  FitProgress progress = {.stage = a->stage,
                          .objective = HUGE_VAL,
                          .x = a->result->x,
                          .work = &a->result->work,
                          .best = a->result->objective,
                          .searches = a->result->searches_ended};
  return !a->listener || a->listener(a->data, &progress);
}

// Whoever has said no is not asked again by what follows.
static void end_patience(Assessing *a, Patience *p) {
  if (!patience_lasts(0) && a->result->cut == FIT_CUT_NOTHING)
    a->result->cut = patience_is_late() ? FIT_CUT_SECONDS : FIT_CUT_STOP;
  patience_end(p);
}

// Whether there is a point whose statistics may be ready within this time: they take some simulations with slopes.
static bool is_worth_trying(const FitResult *r, double seconds) {
  long simulations = work_count_simulations(&r->work);
  return r->objective < HUGE_VAL && simulations && r->work.seconds / (double)simulations < seconds;
}

// What is left of the time of the fit; where it is used up, as much as the end of a fit may take.
static Patience patience_of_statistics(Assessing *a, double began, double grace) {
  double limit = a->result->problem->options.max_seconds, now = patience_clock();
  bool ended = a->result->cut == FIT_CUT_STOP || (limit > 0 && now > began + limit);
  if (ended && !is_worth_trying(a->result, grace)) grace = 0;
  Patience p = {.goes_on = goes_on, .data = a, .grace = grace};
  if (limit > 0) p.until = began + limit;
  if (ended) p.goes_on = NULL, p.until = now + grace;
  return p;
}

// A point that violates constraints is no result: its errors and what the data determine there mean nothing.
static void forget_statistics(Statistics *s) {
  statistics_forget_intervals(s);
  statistics_forget_identifiability(s);
  s->remark_count = 0;
  for (int k = 0; k < s->n; k++)
    s->parameters[k].reason = "the constraints do not hold here, so this is no result";
}

// Statistics and intervals of the result. Returns a better point that a profile has passed, NULL: none.
static const double *assess(AssessedFit *f, double began, double grace, FitListener *listener,
                            void *data) {
  Assessing assessing = {"statistics", listener, data, f->result};
  Patience patience = patience_of_statistics(&assessing, began, grace);
  patience_begin(&patience);
  f->weighting = assess_weighting(f->result, f->work);
  f->statistics = assess_fit(f->result, f->work, f->weighting);
  if (f->result->objective < HUGE_VAL && !fit_has_result(f->result))
    forget_statistics(f->statistics);
  assessing.stage = "profiles";
  const double *better = profile_intervals(f->result, f->statistics, f->work, f->weighting);
  end_patience(&assessing, &patience);
  return better;
}

// ---------------------------------------------------------------- a better optimum that a profile leads to

enum { AGAIN_MOST = 2 };

// What is left of the limits. false: nothing.
static bool limits_left(Problem *p, const FitResult *r, double began) {
  FitOptions *o = &p->options;
  long simulations = problem_max_simulations(p) - work_count_simulations(&r->work);
  double seconds = o->max_seconds - (patience_clock() - began);
  o->max_simulations = (int)fmax((double)simulations, 0);
  if (o->max_seconds > 0) o->max_seconds = seconds;
  return simulations > 0 && (o->max_seconds == 0 || seconds > 0) && r->cut == FIT_CUT_NOTHING;
}

// Counts of both, and an example of each kind.
static void add_failures(FitResult *r, const FitResult *other) {
  int n = r->problem->unknown_count;
  for (int i = 0; i < other->failures.count; i++) {
    FitFailure one = other->failures.at[i];
    bool known = false;
    for (int k = 0; k < r->failures.count && !known; k++)
      if ((known = strcmp(r->failures.at[k].reason, one.reason) == 0))
        r->failures.at[k].count += one.count;
    if (known) continue;
    double *x = one.x ? ARENA_ARRAY(r->arena, double, n + 1) : NULL;
    if (x) memcpy(x, one.x, (size_t)n * sizeof *x);
    one.x = x;
    one.log = arena_print(r->arena, "%s", one.log ? one.log : "");
    array_push(r->arena, &r->failures, one);
  }
}

// The fit that went before has its place in the history of the later one.
static void continue_history(FitResult *r, const FitResult *before) {
  int own = r->stages.count, n = r->problem->unknown_count;
  const FitStage *later = r->stages.at;
  r->stages.at = NULL, r->stages.count = r->stages.room = 0;
  for (int i = 0; i < before->stages.count; i++) {
    FitStage stage = before->stages.at[i];
    stage.name = arena_print(r->arena, "%s", stage.name);
    stage.message = arena_print(r->arena, "%s", stage.message);
    array_push(r->arena, &r->stages, stage);
  }
  long told = 0; // those of profiles before
  for (int i = 0; i < before->stages.count; i++)
    told += strcmp(before->stages.at[i].name, "profiles") ? 0 : before->stages.at[i].simulations;
  FitStage profiles = {.name = "profiles",
                       .message = "one of them passed a better point: again from there",
                       .objective = HUGE_VAL,
                       .simulations = work_count_simulations(&before->profile_work) - told};
  array_push(r->arena, &r->stages, profiles);
  for (int i = 0; i < own; i++) array_push(r->arena, &r->stages, later[i]);
  add_failures(r, before);
  memcpy(r->start, before->start, (size_t)n * sizeof *r->start);
  r->objective_start = before->objective_start;
  work_count_add(&r->work, &before->work);
  work_count_add(&r->search_work, &before->search_work);
  work_count_add(&r->profile_work, &before->profile_work);
}

// Fits again from this point. false: that is no better.
static bool fit_again(AssessedFit *f, const Problem *p, const double *from, double began,
                      FitListener *listener, void *data) {
  Problem rest = *p;
  if (!confirm_is_wanted(p) || !limits_left(&rest, f->result, began)) return false;
  FitResult *again = fit_run_on(&rest, f->work, from, listener, data);
  again->problem = p;
  bool better = fit_has_result(again) && fit_comparable(again) < fit_comparable(f->result);
  if (!better) {
    work_count_add(&f->result->work, &again->work);
    work_count_add(&f->result->search_work, &again->search_work);
    add_failures(f->result, again);
    if (f->result->cut == FIT_CUT_NOTHING) f->result->cut = again->cut;
    fit_free(again);
    return false;
  }
  continue_history(again, f->result);
  statistics_free(f->statistics);
  weighting_free(f->weighting);
  fit_free(f->result);
  f->result = again;
  return true;
}

AssessedFit assessed_fit_run(const Problem *p, const double *start, double grace,
                             FitListener *listener, void *data) {
  double began = patience_clock() - patience_spent();
  AssessedFit f = {.fitting = fitting_new(p)};
  f.work = eval_work_new(f.fitting, p->options.threads, NULL);
  f.result = fit_run_on(p, f.work, start, listener, data);
  const double *better = assess(&f, began, grace, listener, data);
  for (int k = 0; better && k < AGAIN_MOST && fit_again(&f, p, better, began, listener, data); k++)
    better = assess(&f, began, grace, listener, data);
  f.result->work.seconds = record_seconds(patience_clock() - began);
  return f;
}

static bool is_worth_examining(const AssessedFit *f) {
  const FitResult *r = f->result;
  bool taken = r->cut == FIT_CUT_ENOUGH && local_end_converged(r->end);
  bool ended = taken || r->outcome == FIT_CONVERGED || r->outcome == FIT_UNCERTAIN;
  bool lasts = r->cut != FIT_CUT_STOP && r->cut != FIT_CUT_SECONDS;
  return ended && lasts && !statistics_miss(f->statistics, "identifiability") &&
         f->statistics->samples > f->statistics->n;
}

void assessed_fit_examine(AssessedFit *f, FitListener *listener, void *data) {
  double before = f->result->work.seconds, began = patience_clock() - before;
  Assessing assessing = {"statistics", listener, data, f->result};
  Patience patience = patience_of_statistics(&assessing, began, 0);
  if (!is_worth_examining(f)) return;
  patience_begin(&patience);
  find_unmodelled(f->result, f->weighting, f->work, f->statistics);
  for (int i = 0; i < f->statistics->unmodelled_count; i++)
    statistics_add_remark(f->statistics, f->statistics->unmodelled[i].text);
  compare_interpolations(f->result, f->weighting, f->work, f->statistics);
  patience_end(&patience);
  f->result->work.seconds = record_seconds(patience_clock() - began);
}

bool assessed_fit_is_usable(const AssessedFit *f) {
  return f->result->outcome == FIT_CONVERGED && !f->statistics->missing_count;
}

void assessed_fit_done(AssessedFit *f) {
  statistics_free(f->statistics);
  weighting_free(f->weighting);
  fit_free(f->result);
  eval_work_free(f->work);
  fitting_free(f->fitting);
}
