// Minimises V(x; lambda) of the coupled model at lambda = 1, then of the free model (lambda = 0) from there. The method, with a
// ladder of fixed steps of lambda, is that of Vyasarayani, Uchida, Carvalho and McPhee, Multibody System Dynamics 26 (2011) 411.
//
// What comes next is decided by q = objective of the coupled fit / noise floor. q <= REACHED: the coupled model follows the
// data, and halving lambda leads nowhere (it rescued none of 20 such fits). Above, hidden states do not follow: the second
// observer reaches them. Then lambda is halved with the observer of the smaller q.
#include "search/homotopy.h"

#include <math.h>
#include <string.h>

#include "search/certificate.h"
#include "search/local_search.h"
#include "search/starts.h"

// A free fit that may still be in the wrong basin gets FIRST iterations, and TRIES if it has come near the noise floor.
enum { FIRST = 12, TRIES = 40 };
static const double NEAR = 5;

// A fit of the coupled model, and the feedback that it has.
typedef struct CoupledFit {
  const FeedbackGains *gains; // NULL: "pd"
  double strength;
  double lambda, *x;
  double objective; // HUGE_VAL: it failed
} CoupledFit;

static void add_to_path(Search *s, double lambda, const LocalSearch *l, const double *x) {
  FitPathPoint point = {.lambda = lambda,
                        .objective = l->objective,
                        .x = search_copy(s, x),
                        .iterations = l->iterations,
                        .objective_start = l->objective_start,
                        .misfit_start = l->misfit_start,
                        .misfit = l->misfit};
  array_push(s->arena, &s->result->path, point);
}

// From its x at its lambda. step_limit: of each simulation; 0: the usual one. False: it cannot be simulated there.
static bool fit_coupled(Search *s, CoupledFit *c, long step_limit) {
  LocalSearch l = local_search_coupled(c->lambda, c->strength);
  l.gains = c->gains;
  l.step_limit = step_limit;
  local_search_run(s, &l, c->x);
  if (l.end == LOCAL_NO_START_END) return false;
  add_to_path(s, c->lambda, &l, c->x);
  c->objective = l.objective;
  return true;
}

// Reports the gains of the feedback that led to the best result so far.
static void report_gains(Search *s, const CoupledFit *c) {
  const Feedback *f = c->gains ? c->gains->feedback : fitting_feedback(s->fitting);
  FitResult *r = s->result;
  r->observer = c->gains ? "y" : "pd";
  r->gains.count = 0;
  for (int k = 0; k < f->coupling.term_count; k++) {
    const CoupleTerm *term = &f->coupling.terms[k];
    double gain = c->gains ? c->gains->gain[0][k] : f->gain[k];
    for (int e = 1; c->gains && gain == 0 && e < s->problem->experiment_count; e++)
      gain = c->gains->gain[e][k];
    if (c->gains && gain == 0) continue;
    gain *= term->rate ? c->strength * c->strength : c->strength;
    array_push(s->arena, &r->gains, ((FitGain){term->channel, term->state, gain}));
  }
}

static bool release(Search *s, const CoupledFit *from, double *objective) {
  LocalSearch l = local_search_full(s);
  double *x = search_copy(s, from->x);
  l.near = true;
  int most = l.max_iterations;
  l.max_iterations = most < FIRST ? most : FIRST;
  local_search_run(s, &l, x);
  if (l.end == LOCAL_ITERATIONS_END && l.objective < NEAR * certificate_floor(s->weighting, 1)) {
    int before = l.iterations;
    l.max_iterations = most < TRIES ? most : TRIES;
    local_search_run(s, &l, x);
    l.iterations += before;
  }
  *objective = fmin(*objective, l.objective);
  if (l.end == LOCAL_NO_START_END) return false;
  add_to_path(s, 0, &l, x);
  bool certain = search_offer(s, s->progress.stage, x, l.objective, l.end);
  if (certain || s->best.objective >= l.objective) report_gains(s, from);
  return certain;
}

// ---------------------------------------------------------------- what a coupled fit says

// What noise leaves of the objective, and errors of simulations: a hundred times their tolerance.
static double noise_floor(const Search *s) {
  double noise = noise_objective(s->weighting, 1);
  double numerical = 1e4 * accuracy_objective(s->fitting, s->weighting, true, 1);
  return numerical + (isnan(noise) ? 0 : noise); // unknown: nothing says that the floor is reached
}

static const double REACHED = 1.2; // times the floor

static bool reaches_floor(const Search *s, const CoupledFit *c) {
  return c->objective <= REACHED * noise_floor(s);
}

// A coupled model that does not even follow the data is no start for a free one.
static const double LOST = 0.01; // of the variation of the data

static bool is_lost(const Search *s, const CoupledFit *c) {
  return c->objective > NEAR * certificate_floor(s->weighting, 1) &&
         c->objective > LOST * data_objective(s->weighting, 1);
}

// Where another observer is left to try, one that makes the model stiff is given up: that many steps a simulation, and more
// with many samples.
enum { STEPS_FIRST = 20000, STEPS_A_SAMPLE = 20 };

static long steps_affordable(const Search *s) {
  long most = STEPS_FIRST + (long)STEPS_A_SAMPLE * s->fitting->most_rows;
  return most < s->problem->simulate.max_steps ? most : 0;
}

// ---------------------------------------------------------------- the whole

typedef struct Homotopy {
  Search *s;
  const double *start;
  const HomotopyPlan *plan;
  CoupledFit first, second;
  const char *no_second; // why there is none, NULL: there is one, or it was not asked for
  double lambda;         // at which it was released last
  double objective;      // the best of the free model
  bool keeps;            // the better coupled fit, for other parts; those before left none
} Homotopy;

static CoupledFit begin_at(const Homotopy *h, const double *x, const FeedbackGains *gains,
                           double strength) {
  return (CoupledFit){gains, strength, 1, search_copy(h->s, x), HUGE_VAL};
}

// In the portfolio other parts are tried where the coupled model is lost.
static bool is_useless(const Search *s, const CoupledFit *c) {
  return c->objective == HUGE_VAL || (is_lost(s, c) && s->problem->method == METHOD_AUTO);
}

static void keep_coupled(const Homotopy *h, const CoupledFit *c) {
  Search *s = h->s;
  if (!h->keeps || is_useless(s, c)) return;
  if (s->coupled.converged && s->coupled.objective <= c->objective) return;
  memcpy(s->coupled.x, c->x, (size_t)s->n * sizeof *c->x);
  s->coupled.objective = c->objective;
  s->coupled.gains = c->gains;
  s->coupled.converged = true;
}

static bool let_go(Homotopy *h, const CoupledFit *c) {
  keep_coupled(h, c);
  return !is_useless(h->s, c) && search_goes_on(h->s) && release(h->s, c, &h->objective);
}

// A fit with gains that are designed where it begins.
static CoupledFit fit_designed(const Homotopy *h, const double *from, const char **why) {
  Search *s = h->s;
  CoupledFit c = begin_at(h, from, NULL, 1);
  c.gains = observer_design(fitting_observer(s->fitting), s->arena, from, &s->budget, why);
  if (c.gains) fit_coupled(s, &c, 0);
  return c;
}

// Far from the data a design may see another motion than that which is measured: as long as the coupled model misses the
// floor but comes nearer, gains are designed anew where it ended.
enum { DESIGNS_MOST = 3 };
static const double NEARER = 0.5;

static void try_second(Homotopy *h) {
  Search *s = h->s;
  const double *from = h->start;
  double before = HUGE_VAL;
  for (int k = 0; k < DESIGNS_MOST && search_goes_on(s); k++) {
    const char *why = NULL;
    CoupledFit c = fit_designed(h, from, &why);
    if (k == 0 && !c.gains) h->no_second = why;
    if (!(c.objective < before)) return;
    h->second = c;
    from = c.x;
    if (reaches_floor(s, &c) || !(c.objective < NEARER * before)) return;
    before = c.objective;
  }
}

static bool halve(Homotopy *h, CoupledFit c) {
  bool certain = false;
  for (int k = 0; k < h->plan->halvings && !certain && search_goes_on(h->s); k++) {
    c.lambda /= 2;
    if (!fit_coupled(h->s, &c, 0)) break;
    certain = release(h->s, &c, &h->objective);
    h->lambda = c.lambda;
  }
  return certain;
}

// Unknowns that began at a bound and are still there go to the middle of their range. false: there are none.
static bool leave_bounds(const Search *s, const double *start, const double *found, double *x) {
  bool any = false;
  for (int i = 0; i < s->n; i++) {
    const Unknown *u = &s->problem->unknowns[i];
    bool held = (start[i] <= u->min || start[i] >= u->max) && found[i] == start[i];
    x[i] = held ? start_between(u, 0.5) : start[i];
    any = any || held;
  }
  return any;
}

// A bound at which a search begins may hold it although the minimum lies inside: the slope points outwards where another
// minimum is beyond, as with an angle. Another start decides, and what follows begins there if it is better.
static void fit_off_bounds(Homotopy *h, long step_limit) {
  Search *s = h->s;
  double *x = search_copy(s, h->start);
  if (h->first.objective == HUGE_VAL || reaches_floor(s, &h->first) || !search_goes_on(s)) return;
  if (!leave_bounds(s, h->start, h->first.x, x)) return;
  CoupledFit other = begin_at(h, x, NULL, h->plan->strength);
  fit_coupled(s, &other, step_limit);
  if (!(other.objective < h->first.objective)) return;
  h->first = other;
  h->start = x;
}

// The first observer; true: certain. It is let go at once unless it is lost, and there is another.
static bool run_first(Homotopy *h, bool other) {
  h->first = begin_at(h, h->start, NULL, h->plan->strength);
  if (!h->s->result->observer) report_gains(h->s, &h->first); // until a result comes out
  fit_coupled(h->s, &h->first, other ? steps_affordable(h->s) : 0);
  fit_off_bounds(h, other ? steps_affordable(h->s) : 0);
  return !(other && is_lost(h->s, &h->first)) && let_go(h, &h->first);
}

static const CoupledFit *better_of(const Homotopy *h) {
  return h->second.objective < h->first.objective ? &h->second : &h->first;
}

static bool run_both(Homotopy *h) {
  Search *s = h->s;
  bool other = h->plan->second_observer && observer_suits(s->problem);
  if (run_first(h, other)) return true;
  if (reaches_floor(s, &h->first)) return false;
  bool waits = other && is_lost(s, &h->first);
  if (other) try_second(h);
  if (let_go(h, &h->second)) return true;
  bool has_second = h->second.objective < HUGE_VAL;
  if (waits && !has_second && h->first.objective == HUGE_VAL) {
    if (run_first(h, false)) return true;
  } else if (waits && (!has_second || is_lost(s, &h->second)) && let_go(h, &h->first)) {
    return true;
  }
  const CoupledFit *better = better_of(h);
  return !is_useless(s, better) && !reaches_floor(s, better) && halve(h, *better);
}

static void end_stage(const Homotopy *h, bool certain) {
  Search *s = h->s;
  if (certain)
    search_end(s, true, h->objective, "the free model reaches the noise floor");
  else if (better_of(h)->objective == HUGE_VAL)
    search_end(s, false, HUGE_VAL, "the coupled model cannot be simulated at the start: %s",
               eval_why(s->work));
  else if (h->objective == HUGE_VAL)
    search_end(s, false, HUGE_VAL, "the coupled model does not follow the data");
  else
    search_end(s, false, h->objective,
               "released at lambda = %.3g, the model does not reach the noise floor%s%s", h->lambda,
               h->no_second ? "; no second observer: " : "", h->no_second ? h->no_second : "");
}

static bool couple_model(Search *s) {
  if (fitting_feedback(s->fitting)) return true;
  search_end(s, false, HUGE_VAL, "nothing that is measured can be coupled to the model");
  return false;
}

bool homotopy_auto(Search *s, const double *start, const HomotopyPlan *plan) {
  if (!couple_model(s)) return false;
  Homotopy h = {.s = s,
                .start = start,
                .plan = plan,
                .second.objective = HUGE_VAL,
                .lambda = 1,
                .objective = HUGE_VAL,
                .keeps = !s->coupled.converged};
  bool certain = run_both(&h);
  end_stage(&h, certain);
  return certain;
}

bool homotopy_paper(Search *s, const double *start) {
  if (!couple_model(s)) return false;
  report_gains(s, &(CoupledFit){.strength = 1});
  const FitOptions *o = &s->problem->options;
  double *x = search_copy(s, start), objective = HUGE_VAL;
  int stages = (int)ceil(1 / o->lambda_step - 1e-9);
  LocalEnd end = LOCAL_NO_START_END;
  for (int k = 0; k <= stages && search_goes_on(s); k++) {
    LocalSearch l = local_search_full(s);
    l.lambda = k == stages ? 0 : 1 - k * o->lambda_step;
    l.target = o->lambda_eps > 0 ? o->lambda_beta * o->lambda_eps : -1;
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
