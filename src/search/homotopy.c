// Minimises V(x; lambda) of the coupled model at lambda = 1, then of the free model (lambda = 0) from there; when that does not
// reach the noise floor, lambda is halved first. The method, with a ladder of fixed steps of lambda, is that of Vyasarayani,
// Uchida, Carvalho and McPhee, Multibody System Dynamics 26 (2011) 411.
#include "search/homotopy.h"

#include <math.h>
#include <string.h>

#include "search/certificate.h"
#include "search/local_search.h"

// A free fit that may still be in the wrong basin gets FIRST iterations, and TRIES if it has come near the noise floor.
enum { FIRST = 12, TRIES = 40 };
static const double NEAR = 5;

static void add_to_path(Search *s, double lambda, const LocalSearch *l, const double *x) {
  FitPathPoint point = {lambda, l->objective, search_copy(s, x), l->iterations};
  array_push(s->arena, &s->result->path, point);
}

static bool coupled_stage(Search *s, double lambda, double strength, double *x, double *objective) {
  LocalSearch l = local_search_coupled(lambda, strength);
  local_search_run(s, &l, x);
  if (l.end == LOCAL_NO_START_END) return false;
  add_to_path(s, lambda, &l, x);
  *objective = l.objective;
  return true;
}

static bool free_stage(Search *s, const double *from, double *x, double *objective) {
  LocalSearch l = local_search_full(s);
  l.near = true;
  int most = l.max_iterations;
  l.max_iterations = most < FIRST ? most : FIRST;
  memcpy(x, from, (size_t)s->n * sizeof *x);
  local_search_run(s, &l, x);
  if (l.end == LOCAL_ITERATIONS_END && l.objective < NEAR * certificate_floor(s->weighting, 1)) {
    int before = l.iterations;
    l.max_iterations = most < TRIES ? most : TRIES;
    local_search_run(s, &l, x);
    l.iterations += before;
  }
  *objective = l.objective;
  if (l.end == LOCAL_NO_START_END) return false;
  add_to_path(s, 0, &l, x);
  return search_offer(s, s->progress.stage, x, l.objective, l.end);
}

// A coupled model that does not even follow the data is no start for a free one; in the portfolio other parts are tried then.
static const double LOST = 0.01; // of the variation of the data

static bool is_lost(const Search *s, double coupled) {
  double near = NEAR * certificate_floor(s->weighting, 1);
  return s->problem->method == METHOD_AUTO && coupled > near &&
         coupled > LOST * data_objective(s->weighting, 1);
}

// The feedback of the fitting, whose gains are reported once. False: there is none.
static bool couple_model(Search *s) {
  const Feedback *f = fitting_feedback(s->fitting);
  if (!f) {
    search_end(s, false, HUGE_VAL, "nothing that is measured can be coupled to the model");
    return false;
  }
  for (int k = 0; s->result->gains.count < f->coupling.term_count; k++) {
    const CoupleTerm *term = &f->coupling.terms[k];
    array_push(s->arena, &s->result->gains, ((FitGain){term->channel, term->state, f->gain[k]}));
  }
  return true;
}

bool homotopy_auto(Search *s, const double *start, double strength, int halvings) {
  if (!couple_model(s)) return false;
  double *x = search_copy(s, start), *y = ARENA_ARRAY(s->arena, double, s->n + 1);
  double lambda = 1, objective = HUGE_VAL, coupled;
  if (!coupled_stage(s, lambda, strength, x, &coupled)) {
    search_end(s, false, HUGE_VAL, "the coupled model cannot be simulated at the start: %s",
               eval_why(s->work));
    return false;
  }
  if (is_lost(s, coupled)) {
    search_end(s, false, HUGE_VAL, "the coupled model does not follow the data");
    return false;
  }
  if (!s->coupled.converged) {
    memcpy(s->coupled.x, x, (size_t)s->n * sizeof *x);
    s->coupled.objective = coupled;
    s->coupled.converged = true;
  }
  bool certain = free_stage(s, x, y, &objective);
  for (int k = 0; k < halvings && !certain && search_goes_on(s); k++) {
    lambda /= 2;
    if (!coupled_stage(s, lambda, strength, x, &coupled)) break;
    double other;
    certain = free_stage(s, x, y, &other);
    objective = fmin(objective, other);
  }
  search_end(s, certain, objective,
             certain ? "the free model reaches the noise floor"
                     : "released at lambda = %.3g, the model does not reach the noise floor",
             lambda);
  return certain;
}

bool homotopy_paper(Search *s, const double *start) {
  if (!couple_model(s)) return false;
  const FitOptions *o = &s->problem->options;
  double *x = search_copy(s, start), objective = HUGE_VAL;
  int stages = (int)ceil(1 / o->lambda_step - 1e-9);
  LocalEnd end = LOCAL_NO_START_END;
  for (int k = 0; k <= stages && search_goes_on(s); k++) {
    LocalSearch l = local_search_full(s);
    l.lambda = k == stages ? 0 : 1 - k * o->lambda_step;
    l.target = o->lambda_eps;
    l.near = true; // one search for each lambda, as in the papers
    local_search_run(s, &l, x);
    if (l.end == LOCAL_NO_START_END) break;
    add_to_path(s, l.lambda, &l, x);
    end = l.end, objective = l.objective;
  }
  bool whole = s->result->path.count == stages + 1;
  bool certain = whole && search_offer(s, s->progress.stage, x, objective, end);
  search_end(s, certain, objective,
             whole ? "lambda went down to 0 in %d steps"
                   : "the ladder ended before lambda = 0 (%d steps)",
             stages);
  return certain;
}
