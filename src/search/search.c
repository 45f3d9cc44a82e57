// Keeps the best point, the stages and the budget of a fit.
#include "search/search.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "base/record.h"
#include "search/certificate.h"

static bool keeps_going(void *search);

Search *search_new(const Problem *p, EvalWork *w, FitResult *r, FitListener *listener, void *data) {
  Arena *a = r->arena;
  Search *s = ARENA_NEW(a, Search);
  s->arena = a;
  s->problem = p;
  s->fitting = eval_fitting(w);
  s->work = w;
  s->n = p->unknown_count;
  s->listener = listener, s->listener_data = data;
  s->began = patience_clock();
  s->method = p->method;
  s->log = ARENA_ARRAY(a, bool, s->n + 1);
  for (int i = 0; i < s->n; i++) s->log[i] = p->unknowns[i].log;
  s->weighting = s->fitting->weighting;
  s->budget = (Budget){.max_simulations = problem_max_simulations(p),
                       .failed = failed_simulations_new(a, s->n)};
  s->best.x = ARENA_ARRAY(a, double, s->n + 1);
  s->best.objective = HUGE_VAL;
  s->best.end = LOCAL_NO_START_END;
  s->offered.x = ARENA_ARRAY(a, double, s->n + 1);
  s->offered.objective = HUGE_VAL;
  s->running = HUGE_VAL;
  s->coupled.x = ARENA_ARRAY(a, double, s->n + 1);
  s->result = r;
  s->shown = ARENA_ARRAY(a, double, s->n + 1);
  for (int i = 0; i < s->n; i++) s->shown[i] = p->unknowns[i].start;
  s->progress =
      (FitProgress){.stage = "", .objective = HUGE_VAL, .x = s->shown, .work = &s->budget.used};
  s->patience = (Patience){.goes_on = keeps_going, .data = s, .by_work = true};
  patience_begin(&s->patience);
  return s;
}

void search_done(Search *s) {
  patience_end(&s->patience);
  many_points_free(s->many);
  hessian_free(s->hessian);
  weighting_free(s->own_weighting);
}

// ---------------------------------------------------------------- evaluation

EvalSpec search_spec(Search *s) {
  EvalSpec spec = eval_spec(s->fitting, &s->budget);
  spec.weighting = s->weighting;
  spec.closed_slopes = s->closed_slopes;
  spec.step_limit = eval_step_limit(s->fitting, s->longest);
  return spec;
}

void search_note_steps(Search *s, long steps) {
  if (steps > s->longest) s->longest = steps;
}

Weighting *search_swap_weighting(Search *s, Weighting *w) {
  Weighting *before = s->own_weighting;
  s->own_weighting = w;
  s->weighting = w ? w : s->fitting->weighting;
  return before;
}

double search_evaluate(Search *s, double lambda, double horizon, const double *x) {
  EvalSpec spec = search_spec(s);
  EvalPoint at;
  spec.lambda = lambda, spec.horizon = horizon;
  if (evaluate(s->work, &spec, x, &at) == EVAL_DONE) search_note_steps(s, at.steps);
  return at.objective;
}

double *search_copy(const Search *s, const double *x) {
  double *copy = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(copy, x, (size_t)s->n * sizeof *copy);
  return copy;
}

// ---------------------------------------------------------------- offers

// The same optimum as the best one, by a search that converged where the other ended for another reason.
static bool confirms(const Search *s, double objective, LocalEnd end) {
  double allowed =
      1e-9 * s->best.objective + accuracy_objective(s->fitting, s->weighting, false, 1);
  return local_end_converged(end) && !local_end_converged(s->best.end) &&
         objective <= s->best.objective + allowed;
}

// Where constraints are violated, no objective makes up for it.
static bool is_better(const Search *s, double objective, bool satisfied) {
  bool before = s->best.objective < HUGE_VAL && problem_satisfied(s->problem, s->best.x);
  if (satisfied != before && objective < HUGE_VAL && s->best.objective < HUGE_VAL) return satisfied;
  return objective < s->best.objective;
}

bool search_offer(Search *s, const char *by, const double *x, double objective, LocalEnd end) {
  bool satisfied = problem_satisfied(s->problem, x);
  bool better = is_better(s, objective, satisfied) || (satisfied && confirms(s, objective, end));
  EvalSpec spec = search_spec(s);
  FitFacts facts = {0};
  s->searches++;
  s->running = HUGE_VAL;
  // With a budget that is used up, search_find_facts looks at the residuals of the result.
  bool may_simulate = budget_left(&s->budget) >= s->problem->experiment_count;
  bool fits = satisfied && local_end_converged(end) && may_simulate &&
              certificate_holds(s->work, &spec, NULL, x, objective, &facts);
  if (satisfied && objective < s->offered.objective) {
    memcpy(s->offered.x, x, (size_t)s->n * sizeof *x);
    s->offered.objective = objective;
    s->offered.end = end;
  }
  if (better) {
    memcpy(s->best.x, x, (size_t)s->n * sizeof *x);
    s->best.objective = objective;
    s->best.end = end;
    s->best.facts = facts;
    s->best.fits = fits;
    s->result->by = by;
    s->result->pieces = NULL;
  }
  return fits;
}

void search_find_facts(Search *s) {
  if (s->best.facts.known || s->best.objective == HUGE_VAL) return;
  EvalSpec spec = search_spec(s);
  spec.budget = NULL;
  s->best.facts =
      certificate_facts(s->work, &spec, s->result->pieces, s->best.x, s->best.objective);
  s->best.fits = problem_satisfied(s->problem, s->best.x) && certificate_fits(&s->best.facts);
}

double search_comparable(const Search *s) {
  return comparable_objective(s->problem, s->best.objective, s->weighting->sigma);
}

// ---------------------------------------------------------------- stages

void search_begin(Search *s, const char *stage) {
  s->progress.stage = stage;
  s->progress.iteration = 0, s->progress.objective = HUGE_VAL;
  s->running = HUGE_VAL;
  FitStage part = {.name = stage, .message = "", .objective = HUGE_VAL};
  part.simulations = -work_count_simulations(&s->budget.used);
  part.iterations = -s->budget.used.iterations;
  array_push(s->arena, &s->result->stages, part);
}

void search_end(Search *s, bool fits, double objective, const char *format, ...) {
  FitStage *part = &s->result->stages.at[s->result->stages.count - 1];
  char text[400];
  va_list args;
  va_start(args, format);
  c_vsnprintf(text, sizeof text, format, args);
  va_end(args);
  part->message = arena_print(s->arena, "%s", text);
  part->objective = objective;
  part->fits = fits;
  part->simulations += work_count_simulations(&s->budget.used);
  part->iterations += s->budget.used.iterations;
  if (s->best.objective == HUGE_VAL) return;
  part->x = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(part->x, s->best.x, (size_t)s->n * sizeof *part->x);
}

// ---------------------------------------------------------------- the result

void search_add_work(Search *s, const FitResult *r) {
  work_count_add(&s->budget.used, &r->work);
  for (int k = 0; k < r->failures.count; k++) {
    const FitFailure *f = &r->failures.at[k];
    if (f->x) failed_simulation_note(s->budget.failed, f->how, f->x, s->n, f->log);
  }
}

// Simulations in lanes only tell when equations cannot be computed; one by itself tells which, and why.
static void explain_failure(Search *s) {
  FailedSimulation *lanes = &s->budget.failed[OUTCOME_NOT_COMPUTABLE];
  const char *short_one = outcome_meaning(OUTCOME_NOT_COMPUTABLE);
  size_t length = strlen(lanes->message), tail = strlen(short_one);
  bool is_short = length >= tail && strcmp(lanes->message + length - tail, short_one) == 0;
  if (!lanes->seen || !is_short) return;
  Budget alone = {.max_simulations = LONG_MAX, .failed = failed_simulations_new(s->arena, s->n)};
  EvalSpec spec = search_spec(s);
  EvalPoint at;
  spec.budget = &alone;
  evaluate(s->work, &spec, lanes->x, &at);
  const FailedSimulation *found = &alone.failed[OUTCOME_NOT_COMPUTABLE];
  if (found->seen) memcpy(lanes->message, found->message, sizeof lanes->message);
}

static void list_failures(Search *s) {
  if (!eval_simulator(s->work)) explain_failure(s);
  for (int k = 0; k < OUTCOME_COUNT; k++) {
    const FailedSimulation *one = &s->budget.failed[k];
    FitFailure failure = {.how = (Outcome)k,
                          .reason = outcome_word((Outcome)k),
                          .count = s->budget.used.ended[k],
                          .x = one->seen ? one->x : NULL,
                          .log = one->seen ? one->message : outcome_meaning((Outcome)k)};
    if (failure.count > 0) array_push(s->arena, &s->result->failures, failure);
  }
}

void search_finish(Search *s) {
  FitResult *r = s->result;
  search_goes_on(s); // notices a budget that the last simulation used up
  int channels = s->fitting->data->channel_count;
  if (s->best.objective < HUGE_VAL) memcpy(r->x, s->best.x, (size_t)s->n * sizeof *r->x);
  r->objective = s->best.objective;
  r->end = s->best.end;
  r->facts = s->best.facts;
  r->fits = s->best.fits;
  r->sigma = ARENA_ARRAY(s->arena, double, channels + 1);
  memcpy(r->sigma, s->weighting->sigma, (size_t)channels * sizeof *r->sigma);
  list_failures(s);
  r->work = s->budget.used;
  r->work.seconds = record_seconds(patience_clock() - s->began);
  r->search_work = r->work;
  r->searches_ended = s->searches;
  eval_solver(s->work, r->solver, &r->solver_steps, &r->solver_rejected);
}

// ---------------------------------------------------------------- limits and listener

bool search_relay(void *data, const FitProgress *p) {
  Search *s = data;
  if (!s->listener || s->stopped) return !s->stopped;
  FitProgress told = *p;
  told.best = fmin(s->best.objective, s->running), told.searches = s->searches,
  told.enough = &s->enough;
  if (!s->listener(s->listener_data, &told) || s->enough) {
    s->stopped = true;
    patience_cut();
  }
  return !s->stopped;
}

void search_tell(Search *s, double lambda, const double *x, double objective, int iteration) {
  memcpy(s->shown, x, (size_t)s->n * sizeof *x);
  s->progress.objective = objective;
  s->progress.iteration = iteration;
  s->progress.lambda = lambda;
  search_relay(s, &s->progress);
}

// Whoever is around it may have lost patience, too.
bool search_goes_on(Search *s) {
  if (budget_left(&s->budget) <= 0 || s->budget.exhausted) s->over_budget = true;
  if (s->patience.over && !s->over_budget && !s->stopped)
    *(patience_is_late() ? &s->over_budget : &s->stopped) = true;
  return !s->stopped && !s->over_budget;
}

// A fit that is stopped at once shall have at least its start as a result, if that does not take long.
static const double FIRST_LEAST = 0.2; // s

// Asked by the clock, so it says nothing about the number of simulations: that one is asked where evaluations begin
// (budget_allows, search_goes_on). Otherwise the last ones that it allows would be complete or not by chance.
static bool keeps_going(void *data) {
  Search *s = data;
  double limit = s->problem->options.max_seconds;
  double seconds = patience_clock() - s->began + (limit > 0 ? patience_spent() : 0);
  bool late = limit > 0 && seconds > limit;
  if (late) {
    s->over_budget = true;
    patience_cut();
  }
  if (work_count_simulations(&s->budget.used) > 0 || seconds > FIRST_LEAST)
    search_relay(s, &s->progress);
  return !late && !s->stopped;
}

bool search_affords(Search *s, const WorkCount *work) {
  bool affords = work_count_simulations(work) <= budget_left(&s->budget);
  if (!affords) s->over_budget = true;
  return affords;
}
