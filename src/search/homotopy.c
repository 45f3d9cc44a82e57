// Homotopy: the model is tied to the data by a feedback, which makes the objective almost convex; fitted; let go.
#include <math.h>
#include <string.h>

#include "search/search.h"

// A free fit that may still be in the wrong basin gets FIRST iterations, and TRIES if it has come near the noise floor.
enum { FIRST = 12, TRIES = 40 };
static const double NEAR = 5;
static const double GAIN_PER_FREQUENCY =
    4; // feedback of a measured state: this times the data's angular frequency

// ---------------------------------------------------------------- the tie

static double frequency_of(const Search *s, int measured) {
  double most = 0;
  const Problem *p = s->problem;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->channel_measured[e][c] == measured)
        most = fmax(most, objective_frequency(s->objective, e, c));
  return most > 0 ? most : 1;
}

// Both poles of the error of a measured state and its rate lie at half the first gain.
static double default_gain(const Search *s, const CoupleTerm *term) {
  double given = s->problem->options.gain, first;
  if (given > 0) return given;
  first = GAIN_PER_FREQUENCY * frequency_of(s, term->channel);
  return term->rate ? first * first / 4 : first;
}

static bool is_given(const Problem *p, int measured) {
  for (int k = 0; k < p->gain_count; k++)
    if (p->gains[k].channel == measured) return true;
  return false;
}

static bool is_measured_state(const Problem *p, int measured, int state) {
  return p->measured[measured] == p->model->x[state];
}

// What the user gave under 'gains', else the default terms.
static int list_terms(Search *s, CoupleTerm *terms, double *gain) {
  const Problem *p = s->problem;
  bool rates = p->options.coupling != COUPLING_P;
  int count = 0;
  for (int k = 0; k < p->measured_count; k++) {
    if (is_given(p, k)) continue;
    int more = couple_default_terms(p->model, s->arena, p->measured, k, rates, terms + count);
    for (int i = count; i < count + more; i++) gain[i] = default_gain(s, &terms[i]);
    count += more;
  }
  pthread_mutex_lock(p->model->lock);
  Expr one = expr_const(p->model->graph, 1);
  pthread_mutex_unlock(p->model->lock);
  for (int k = 0; k < p->gain_count; k++) {
    const GivenGain *g = &p->gains[k];
    gain[count] = g->gain;
    terms[count++] =
        (CoupleTerm){g->channel, g->state, one, !is_measured_state(p, g->channel, g->state)};
  }
  return count;
}

bool homotopy_tie(Search *s) {
  if (s->has_tie) return true;
  const Problem *p = s->problem;
  int most = p->measured_count * (2 * p->model->nx + 1) + p->gain_count;
  CoupleTerm *terms = ARENA_ARRAY(s->arena, CoupleTerm, most + 1);
  double *gain = ARENA_ARRAY(s->arena, double, most + 1);
  static const CoupleIntegral INTEGRAL[] = {
      [COUPLING_PID] = COUPLE_ERROR, [COUPLING_PID_SQUARED] = COUPLE_SQUARE};
  Coupling c = {.measured = p->measured, .channels = p->measured_count, .terms = terms};
  c.term_count = list_terms(s, terms, gain);
  c.integral = p->options.coupling >= COUPLING_PID ? INTEGRAL[p->options.coupling] : 0;
  if (c.term_count == 0) return false;
  objective_tie(s->objective, &c, gain, p->options.gain_integral);
  for (int k = 0; k < c.term_count; k++)
    array_push(s->arena, &s->result->gains, ((FitGain){terms[k].channel, terms[k].state, gain[k]}));
  return s->has_tie = true;
}

// ---------------------------------------------------------------- stages

static void add_to_path(Search *s, double lambda, const Local *l, const double *x) {
  FitPathPoint point = {.lambda = lambda, .objective = l->objective, .iterations = l->iterations};
  point.x = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(point.x, x, (size_t)s->n * sizeof *x);
  array_push(s->arena, &s->result->path, point);
}

static bool tied_stage(Search *s, double lambda, double *x, double *objective) {
  Local l = local_tied(lambda);
  search_local(s, &l, x);
  if (l.end == LOCAL_NO_START_END) return false;
  add_to_path(s, lambda, &l, x);
  *objective = l.objective;
  return true;
}

static void keep_tied(Search *s, const double *x, double objective) {
  if (s->tied_converged) return;
  memcpy(s->tied, x, (size_t)s->n * sizeof *x);
  s->tied_objective = objective;
  s->tied_converged = true;
}

static bool free_stage(Search *s, const double *from, double *x, double *objective) {
  Local l = local_free(s);
  l.near = true;
  int most = l.max_iterations;
  l.max_iterations = most < FIRST ? most : FIRST;
  memcpy(x, from, (size_t)s->n * sizeof *x);
  search_local(s, &l, x);
  if (l.end == LOCAL_ITERATIONS_END && l.objective < NEAR * search_floor(s, 1)) {
    int before = l.iterations;
    l.max_iterations = most < TRIES ? most : TRIES;
    search_local(s, &l, x);
    l.iterations += before;
  }
  *objective = l.objective;
  if (l.end == LOCAL_NO_START_END) return false;
  add_to_path(s, 0, &l, x);
  return search_offer(s, s->progress.stage, x, l.objective, l.end);
}

// A tied model that does not even follow the data has nothing to let go of; in the portfolio other parts are tried then.
static const double LOST = 0.01; // of the data's own variation

static bool is_lost(Search *s, double tied) {
  double near = NEAR * search_floor(s, 1);
  return s->problem->method == METHOD_AUTO && tied > near &&
         tied > LOST * objective_data(s->objective);
}

// Converge tied, let go; when the free fit does not reach the noise floor, halve lambda first.
bool homotopy_auto(Search *s, const double *start, double factor, int halvings) {
  if (!homotopy_tie(s)) {
    search_end(s, false, HUGE_VAL, "nothing that is measured can be tied to the model");
    return false;
  }
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1), *y = ARENA_ARRAY(s->arena, double, s->n + 1);
  double lambda = 1, objective = HUGE_VAL, tied;
  memcpy(x, start, (size_t)s->n * sizeof *x);
  objective_strengthen(s->objective, factor);
  if (!tied_stage(s, lambda, x, &tied)) {
    search_end(s, false, HUGE_VAL, "the tied model cannot be simulated at the start: %s",
               objective_why(s->objective));
    return false;
  }
  if (is_lost(s, tied)) {
    search_end(s, false, HUGE_VAL, "the tied model does not follow the data");
    return false;
  }
  keep_tied(s, x, tied);
  bool certain = free_stage(s, x, y, &objective);
  for (int k = 0; k < halvings && !certain && search_goes_on(s); k++) {
    lambda /= 2;
    if (!tied_stage(s, lambda, x, &tied)) break;
    double other;
    certain = free_stage(s, x, y, &other);
    objective = fmin(objective, other);
  }
  search_end(s, certain, objective,
             certain ? "the free model reaches the noise floor"
                     : "let go at lambda = %.3g, the model does not reach the noise floor",
             lambda);
  return certain;
}

// The ladder of the papers: lambda = 1, 1 - step, ..., 0; each until the objective is below eps.
bool homotopy_paper(Search *s, const double *start) {
  if (!homotopy_tie(s)) {
    search_end(s, false, HUGE_VAL, "nothing that is measured can be tied to the model");
    return false;
  }
  const FitOptions *o = &s->problem->options;
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1), objective = HUGE_VAL;
  memcpy(x, start, (size_t)s->n * sizeof *x);
  objective_strengthen(s->objective, 1);
  int stages = (int)ceil(1 / o->lambda_step - 1e-9);
  LocalEnd end = LOCAL_NO_START_END;
  for (int k = 0; k <= stages && search_goes_on(s); k++) {
    Local l = local_free(s);
    l.lambda = k == stages ? 0 : 1 - k * o->lambda_step;
    l.target = o->lambda_eps;
    l.near = true; // one search for each lambda, as in the papers
    search_local(s, &l, x);
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
