#include "search/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "search/search.h"
#include "search/shooting.h"

static const struct {
  const char *word, *sentence;
} OUTCOME_TABLE[] = {
#define FIT_OUTCOME(name, word, sentence) {word, sentence},
    FIT_OUTCOMES
#undef FIT_OUTCOME
};

const char *fit_outcome_word(FitOutcome o) {
  return OUTCOME_TABLE[o].word;
}
const char *fit_outcome_sentence(FitOutcome o) {
  return OUTCOME_TABLE[o].sentence;
}

// ---------------------------------------------------------------- methods

// Asked for as the method, a local search may stop early.
static double target_of(const Problem *p) {
  bool local = p->method != METHOD_AUTO && p->method != METHOD_HOMOTOPY;
  return local && p->options.target_objective > 0 ? p->options.target_objective : -1;
}

static void run_local(Search *s) {
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(x, s->resting, (size_t)s->n * sizeof *x);
  Local l = local_free(s);
  l.target = target_of(s->problem);
  const char *stage =
      method_has(s->method, METHOD_GLOBAL) ? method_word(s->method) : "local search";
  search_begin(s, stage);
  search_local(s, &l, x);
  bool certain = false;
  if (l.end != LOCAL_NO_START_END) certain = search_offer(s, stage, x, l.objective, l.end);
  search_end(s, certain, l.objective, "%s", local_end_sentence(l.end));
}

enum { HALVINGS = 5 };

static void run_homotopy(Search *s) {
  search_begin(s, "homotopy");
  if (s->problem->options.homotopy == HOMOTOPY_PAPER) {
    homotopy_paper(s, s->resting);
    return;
  }
  if (homotopy_auto(s, s->resting, 1, HALVINGS) || s->problem->options.gain > 0 ||
      s->problem->gain_count)
    return;
  static const double FACTORS[] = {4, 0.25, 16};
  static const char *const NAMES[] = {"homotopy, stronger", "homotopy, weaker",
                                      "homotopy, much stronger"};
  for (int k = 0; k < 3 && search_goes_on(s); k++) {
    search_begin(s, NAMES[k]);
    if (homotopy_auto(s, s->resting, FACTORS[k], HALVINGS)) return;
  }
}

static void run_method(Search *s, Method m) {
  s->method = m;
  if (m == METHOD_AUTO)
    portfolio(s);
  else if (m == METHOD_HOMOTOPY)
    run_homotopy(s);
  else
    run_local(s);
}

static void run_multistart(Search *s) {
  const Problem *p = s->problem;
  Method method = p->parts.count ? p->parts.at[0] : search_option_method(p);
  multistart(s, method, p->parts.starts ? p->parts.starts : p->options.starts, target_of(p));
}

// Each part goes on from the best point so far.
static void run_parts(Search *s) {
  const MethodParts *parts = &s->problem->parts;
  double target = target_of(s->problem);
  for (int k = 0; k < parts->count && search_goes_on(s); k++) {
    run_method(s, parts->at[k]);
    if (s->result->certain || s->best_objective <= target) break;
    if (s->best_objective < HUGE_VAL) memcpy(s->resting, s->best, (size_t)s->n * sizeof *s->best);
  }
  s->method = METHOD_AUTO;
}

static void run_call(Search *s) {
  Method m = s->problem->method;
  if (m == METHOD_MULTISTART)
    run_multistart(s);
  else if (m == METHOD_PORTFOLIO && s->problem->parts.count)
    run_parts(s);
  else
    run_method(s, m == METHOD_PORTFOLIO ? METHOD_AUTO : m);
}

// ---------------------------------------------------------------- sigma that is found together with the parameters

enum { SIGMA_ROUNDS = 20 };
static const double SIGMA_TOL = 1e-4;

static bool has_estimated_sigma(const Problem *p) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->experiments[e].channels[c].sigma_kind == SIGMA_ESTIMATED) return true;
  return false;
}

// false: it was stopped before there was a point, and the best one stays.
static bool local_refit(Search *s) {
  Local l = local_free(s);
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(x, s->best, (size_t)s->n * sizeof *x);
  l.near = true;
  l.target = target_of(s->problem);
  search_local(s, &l, x);
  if (l.objective == HUGE_VAL) return false;
  memcpy(s->best, x, (size_t)s->n * sizeof *x);
  s->best_objective = l.objective;
  s->best_end = l.end;
  return true;
}

static void settle_sigma(Search *s) {
  FitResult *r = s->result;
  size_t bytes = (size_t)objective_channel_count(s->objective) * sizeof(double);
  double *before = arena_alloc(s->arena, 1, bytes);
  for (int round = 0; round < SIGMA_ROUNDS && search_goes_on(s); round++) {
    memcpy(before, objective_sigma(s->objective), bytes);
    double change = result_update_sigma(s->problem, s->objective, r->pieces, s->best);
    if (change < SIGMA_TOL) break;
    if (r->pieces)
      shooting_refit(s);
    else if (!local_refit(s))
      objective_set_sigma(s->objective, before); // that of the objective that stays
  }
  r->objective_start = nan(""); // the sigma of the result is another one
  objective_set_horizon(s->objective, 1);
  r->floor = objective_floor(s->objective);
  if (r->certain) search_explain(s, r->by, s->best_objective);
}

static bool asks_for_certainty(const Problem *p) {
  return p->method == METHOD_AUTO || p->method == METHOD_PORTFOLIO ||
         (p->method == METHOD_HOMOTOPY && p->options.homotopy == HOMOTOPY_AUTO);
}

// No result is worse than what it began with.
static void use_better_start(Search *s) {
  FitResult *r = s->result;
  if (!search_goes_on(s) || !problem_satisfied(s->problem, s->start)) return;
  if (isnan(r->objective_start)) r->objective_start = search_evaluate(s, 0, 1, s->start);
  if (!(r->objective_start < s->best_objective)) return;
  r->certain = false;
  memcpy(s->resting, s->start, (size_t)s->n * sizeof *s->start);
  run_local(s);
}

// The best point may come from a search that was cut short.
static void polish(Search *s) {
  if (local_end_converged(s->best_end) || !search_goes_on(s)) return;
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(x, s->best, (size_t)s->n * sizeof *x);
  Local l = local_free(s);
  search_local(s, &l, x);
  if (l.end != LOCAL_NO_START_END) search_offer(s, s->result->by, x, l.objective, l.end);
  if (l.objective <= s->best_objective) s->best_end = l.end;
}

// ---------------------------------------------------------------- the result

static void explain_doubt(Search *s) {
  FitResult *r = s->result;
  double V = s->best_objective;
  size_t room = sizeof r->why;
  if (V == HUGE_VAL)
    snprintf(r->why, room, "there is no result");
  else if (!problem_satisfied(s->problem, s->best))
    snprintf(r->why, room,
             "the numbers do not satisfy the constraints, so they are no result: look whether the "
             "violated ones can hold together, or begin elsewhere");
  else if (!isfinite(r->floor) || search_is_short(s))
    snprintf(r->why, room,
             "there are too few samples to tell noise from motion: nothing says whether this "
             "optimum is the best one; a sigma for each channel would");
  else if (!(objective_data(s->objective) > 0))
    snprintf(r->why, room,
             "the data do not change at all: nothing in them tells noise from motion, or one "
             "optimum from another");
  else if (!search_noise_is_known(s))
    snprintf(r->why, room,
             "neighbouring samples differ so much (as noise of objective %.4g would) that noise "
             "cannot be told from motion: the data are very noisy, or too far apart in time; "
             "another optimum may fit better",
             r->floor);
  else if (V <= search_limit(s))
    snprintf(r->why, room,
             "the objective %.4g is at the level of the noise (%.4g), but the residuals show a "
             "pattern: the model misses something that the data show, or another optimum fits "
             "better",
             V, r->floor);
  else
    snprintf(r->why, room,
             "the objective %.4g is above the %.4g that the noise of the data alone explains: "
             "another optimum may fit better, or the model misses something that the data show",
             V, r->floor);
}

static FitOutcome outcome_of(const Search *s) {
  if (s->stopped) return FIT_STOPPED;
  if (s->best_objective == HUGE_VAL) return s->over_budget ? FIT_BUDGET : FIT_NO_START;
  if (s->result->certain) return FIT_CONVERGED;
  if (s->over_budget) return FIT_BUDGET;
  if (!local_end_converged(s->best_end)) return FIT_NOT_CONVERGED;
  bool at_target = s->best_objective <= target_of(s->problem);
  return asks_for_certainty(s->problem) && !at_target ? FIT_UNCERTAIN : FIT_CONVERGED;
}

static void write_message(Search *s) {
  FitResult *r = s->result;
  const char *why = "";
  if (r->outcome == FIT_NO_START)
    why = objective_why(s->objective);
  else if (r->outcome == FIT_CONVERGED || r->outcome == FIT_NOT_CONVERGED)
    why = local_end_sentence(r->end);
  int used = snprintf(r->message, sizeof r->message, "%s%s%.400s", fit_outcome_sentence(r->outcome),
                      *why ? ": " : "", why);
  if (s->no_hessian && hessian_why(s->hessian)[0])
    snprintf(
        r->message + used, sizeof r->message - (size_t)used,
        "; at %d point%s the second derivatives were those of linear residuals, because %.300s",
        s->no_hessian, s->no_hessian > 1 ? "s" : "", hessian_why(s->hessian));
}

static void finish(Search *s) {
  FitResult *r = s->result;
  search_goes_on(s); // notices a budget that the last simulation used up
  int channels = objective_channel_count(s->objective);
  if (s->best_objective < HUGE_VAL) memcpy(r->x, s->best, (size_t)s->n * sizeof *r->x);
  r->objective = s->best_objective;
  r->end = s->best_end;
  r->sigma = ARENA_ARRAY(s->arena, double, channels + 1);
  memcpy(r->sigma, objective_sigma(s->objective), (size_t)channels * sizeof *r->sigma);
  if (!r->certain) explain_doubt(s);
  r->outcome = outcome_of(s);
  write_message(s);
  r->work = *objective_work(s->objective);
  r->work.seconds = clock_seconds() - s->began;
  objective_solver(s->objective, r->solver, &r->solver_steps, &r->solver_rejected);
}

double fit_least_sigma(const Problem *p, const Channel *c) {
  double squares = 0;
  for (int i = 0; i < c->count; i++) squares += c->y[i] * c->y[i];
  return fmax(100 * problem_accuracy(p) * sqrt(squares / (c->count ? c->count : 1)), 1e-300);
}

double fit_comparable(const FitResult *f) {
  double v = f->objective;
  int k = 0;
  for (int e = 0; e < f->problem->experiment_count; e++)
    for (int c = 0; c < f->problem->experiments[e].channel_count; c++, k++) {
      const Channel *channel = &f->problem->experiments[e].channels[c];
      if (channel->sigma_kind == SIGMA_ESTIMATED)
        v += channel->count * log(fmax(f->sigma[k], fit_least_sigma(f->problem, channel)));
    }
  return v;
}

FitResult *fit_run_on(const Problem *p, Objective *o, const double *start, FitListener *listener,
                      void *data) {
  Arena *a = arena_new();
  FitResult *r = ARENA_NEW(a, FitResult);
  r->arena = a;
  r->problem = p;
  r->by = "";
  r->x = ARENA_ARRAY(a, double, p->unknown_count + 1);
  if (o) objective_reset(o);
  Search *s = search_new(p, o, r, listener, data);
  s->start = r->start = ARENA_ARRAY(a, double, p->unknown_count + 1);
  s->resting = ARENA_ARRAY(a, double, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) {
    double x = start ? start[i] : p->unknowns[i].start;
    r->x[i] = s->start[i] = s->resting[i] = fmin(fmax(x, p->unknowns[i].min), p->unknowns[i].max);
  }
  objective_set_horizon(s->objective, 1);
  r->floor = objective_floor(s->objective);
  r->objective_start = nan("");
  run_call(s);
  if (asks_for_certainty(p)) {
    use_better_start(s);
    if (s->best_objective < HUGE_VAL) polish(s);
  }
  if (s->best_objective < HUGE_VAL && has_estimated_sigma(p)) settle_sigma(s);
  finish(s);
  search_free(s);
  return r;
}

FitResult *fit_run(const Problem *p, const double *start, FitListener *listener, void *data) {
  return fit_run_on(p, NULL, start, listener, data);
}

void fit_work_add(FitWork *to, const FitWork *more) {
  to->iterations += more->iterations;
  to->simulations += more->simulations;
  to->sensitivity_simulations += more->sensitivity_simulations;
  to->in_turn += more->in_turn;
  to->rhs += more->rhs;
  to->steps += more->steps;
  to->rejected += more->rejected;
  to->seconds += more->seconds;
}

void fit_work_share(FitWork *work, long before, int workers) {
  work->in_turn = before + (work->in_turn - before + workers - 1) / workers;
}

void fit_evaluate_start(FitResult *r, Objective *o) {
  if (!isnan(r->objective_start)) return;
  LsqPoint *at = lsq_point_new(r->arena, r->problem->unknown_count);
  memcpy(at->x, r->start, (size_t)r->problem->unknown_count * sizeof *at->x);
  objective_set_sigma(o, r->sigma);
  objective_set_lambda(o, 0);
  objective_set_horizon(o, 1);
  objective_set_quick(o, false);
  objective_eval(o, at, HUGE_VAL, false);
  r->objective_start = at->objective;
}

int fit_piece_count(const Problem *p, const FitPieces *pieces) {
  int count = 0;
  for (int e = 0; pieces && e < p->experiment_count; e++) count += pieces->count[e];
  return count;
}

void fit_free(FitResult *r) {
  if (r) arena_free(r->arena);
}
