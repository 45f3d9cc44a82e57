#include "study/evaluated_point.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "base/record.h"
#include "num/lsi.h"
#include "search/result_rows.h"
#include "stats/assess.h"
#include "stats/held_samples.h"

bool feedback_can(const Fitting *f, double lambda, Err *err) {
  if (!(lambda >= 0 && lambda <= 1))
    return fail(err, ERR_VALUE, "lambda must be from 1 (tied to the data) to 0 (free), not %g",
                lambda);
  if (lambda > 0 && f->problem->options.residual != RESIDUAL_SIMULATION)
    return fail(err, ERR_VALUE,
                "lambda must be 0 here: only simulations (residual: simulation) can be tied to the "
                "data");
  if (lambda == 0 || fitting_feedback(f)) return true;
  return fail(
      err, ERR_VALUE,
      problem_has_equations(f->problem)
          ? "lambda must be 0 here: nothing that is measured can act on the model; give "
            "'gains'"
          : "lambda must be 0 here: the model is a black box, without derivatives of states "
            "that a feedback could be added to");
}

Weighting *weighting_at(EvalWork *w, double lambda, const double *x) {
  const Fitting *f = eval_fitting(w);
  EvalSpec spec = eval_spec(f, NULL);
  double change;
  spec.lambda = lambda;
  Weighting *own =
      noise_is_estimated(f->problem) ? result_weighting(w, &spec, NULL, x, &change) : NULL;
  return own ? own : weighting_new(f->data, NULL);
}

// ---------------------------------------------------------------- is it a minimum

// The most that the linear model gains by a step inside bounds and constraints.
static double find_decrease(const Problem *p, const double *x, const EvalPoint *at) {
  int n = p->unknown_count, rows = p->constraints.equalities + p->constraints.inequalities;
  Arena *a = arena_new();
  double *low = ARENA_ARRAY(a, double, n + 1), *high = ARENA_ARRAY(a, double, n + 1);
  double *d = ARENA_ARRAY(a, double, n + 1), *c = ARENA_ARRAY(a, double, rows + 1);
  double *C = ARENA_ARRAY(a, double, (size_t)rows *(size_t)n + 1);
  for (int i = 0; i < n; i++) {
    low[i] = fmin(p->unknowns[i].min - x[i], 0);
    high[i] = fmax(p->unknowns[i].max - x[i], 0);
  }
  if (rows) problem_constraints(p, x, c, C);
  for (int k = 0; k < rows; k++) c[k] = -c[k];
  LsiProblem linear = {.n = n,
                       .rows = n,
                       .M = at->R,
                       .z = at->Qr,
                       .low = low,
                       .high = high,
                       .equalities = p->constraints.equalities,
                       .inequalities = p->constraints.inequalities,
                       .A = C,
                       .b = c};
  lsi_solve(lsi_new(a, n, n, rows), &linear, d, NULL);
  double before = 0, after = 0;
  for (int i = 0; i < n; i++) {
    double rest = at->Qr[i];
    for (int k = i; k < n; k++) rest += at->R[i * n + k] * d[k];
    before += at->Qr[i] * at->Qr[i] / 2, after += rest * rest / 2;
  }
  arena_free(a);
  return before - after;
}

// The minimum lies within a tenth of a standard error; where residuals are errors of simulations, within these.
static bool is_minimum(const EvaluatedPoint *e, const double *x) {
  static const double NEAR = 0.1;
  const Problem *p = e->fit.result->problem;
  const Statistics *s = e->fit.statistics;
  bool known = noise_is_given(p) || noise_is_estimated(p);
  double unit = known ? 1 : s->variance;
  double accuracy = accuracy_objective(e->fit.fitting, e->fit.weighting, false, 1);
  for (int i = 0; i < p->unknown_count; i++)
    if (x[i] < p->unknowns[i].min || x[i] > p->unknowns[i].max) return false;
  return problem_satisfied(p, x) && e->decrease <= NEAR * NEAR / 2 * unit + accuracy;
}

// ---------------------------------------------------------------- the point

static void note_failure(FitResult *r, const Budget *b) {
  for (int k = 0; k < OUTCOME_COUNT; k++) {
    if (!b->failed[k].seen) continue;
    FitFailure f = {(Outcome)k, outcome_word((Outcome)k), b->used.ended[k], r->x,
                    arena_print(r->arena, "%s", b->failed[k].message)};
    array_push(r->arena, &r->failures, f);
  }
}

// With slopes where they can be had: so the search of a fit evaluates its last point.
static EvalEnd find_objective(EvaluatedPoint *e, EvalPoint *at) {
  AssessedFit *f = &e->fit;
  FitResult *r = f->result;
  Budget budget = {.max_simulations = LONG_MAX,
                   .failed = failed_simulations_new(r->arena, f->fitting->n)};
  EvalSpec spec = eval_spec(f->fitting, &budget);
  spec.lambda = e->lambda;
  spec.weighting = f->weighting;
  spec.slopes = true;
  EvalEnd end = evaluate(f->work, &spec, r->x, at);
  const char *why = end == EVAL_FAILED ? failure_sentence(r->arena, eval_why(f->work)) : "";
  bool slopes = end == EVAL_DONE;
  if (end == EVAL_FAILED) { // perhaps only next to the point, where slopes need it
    spec.slopes = at->has_slopes = false;
    end = evaluate(f->work, &spec, r->x, at);
  }
  r->objective = at->objective;
  r->outcome = end == EVAL_DONE ? FIT_EVALUATED : FIT_NO_START;
  if (slopes)
    c_snprintf(r->message, sizeof r->message, "%s", fit_outcome_sentence(FIT_EVALUATED));
  else
    c_snprintf(r->message, sizeof r->message, "%s: %.500s",
               end == EVAL_DONE ? "the objective has no slopes here"
                                : "the model cannot be simulated here",
               why);
  note_failure(r, &budget);
  r->work = r->search_work = budget.used;
  eval_solver(f->work, r->solver, &r->solver_steps, &r->solver_rejected);
  return end;
}

static void find_statistics(EvaluatedPoint *e, const EvalPoint *at) {
  AssessedFit *f = &e->fit;
  const FitResult *r = f->result;
  bool whole = r->outcome == FIT_EVALUATED && e->lambda == 0 && at->has_slopes;
  f->statistics = whole ? assess_fit(r, f->work, f->weighting) : assess_runs(r->problem, e->run);
  for (int i = 0; at->has_slopes && i < f->statistics->n; i++) {
    f->statistics->gradient[i] = 0;
    for (int k = 0; k <= i; k++)
      f->statistics->gradient[i] += at->R[k * f->statistics->n + i] * at->Qr[k];
  }
  if (!whole) return;
  e->decrease = find_decrease(r->problem, r->x, at);
  e->at_minimum = is_minimum(e, r->x);
  if (e->at_minimum) return;
  statistics_forget_intervals(f->statistics);
  f->statistics->remark_count = 0; // they speak of a result
  const char *held = held_remark(f->statistics->arena, r->problem, f->statistics);
  if (held) statistics_add_remark(f->statistics, held);
}

bool evaluated_point(const Problem *p, const double *x, double lambda, EvaluatedPoint *out,
                     Err *err) {
  int n = p->unknown_count;
  double began = patience_clock();
  Patience patience = {.until = patience_until(p->options.max_seconds)};
  EvaluatedPoint e = {.lambda = lambda, .arena = arena_new(), .decrease = nan("")};
  AssessedFit *f = &e.fit;
  patience_begin(&patience);
  f->fitting = fitting_new(p);
  f->work = eval_work_new(f->fitting, p->options.threads, NULL);
  f->result = fit_result_new(p, NULL);
  if (x) memcpy(f->result->x, x, (size_t)n * sizeof *x);
  EvalPoint at = {.R = ARENA_ARRAY(e.arena, double, (size_t)n *(size_t)n + 1),
                  .Qr = ARENA_ARRAY(e.arena, double, n + 1)};
  bool fine = feedback_can(f->fitting, lambda, err);
  if (fine) {
    f->weighting = weighting_at(f->work, lambda, f->result->x);
    f->result->sigma = f->weighting->sigma;
    f->result->floor = noise_objective(f->weighting, 1);
    find_objective(&e, &at);
    e.run = run_errors(e.arena, f->work, lambda, f->result->x);
    e.validation = validation_errors(e.arena, p, lambda, f->result->x);
    find_statistics(&e, &at);
    f->result->work.seconds = record_seconds(patience_clock() - began);
  }
  if (fine && !patience_lasts(0))
    fine = fail(err, ERR_STOPPED, "it was stopped before everything was computed");
  patience_end(&patience);
  if (fine)
    *out = e;
  else
    evaluated_point_done(&e);
  return fine;
}

void evaluated_point_done(EvaluatedPoint *e) {
  assessed_fit_done(&e->fit);
  arena_free(e->arena);
}
