// The order is that of expected cost: weak form; homotopy; a short local search unless the coupled model follows the data, which
// means that the way of the free model is what is hard; then stronger feedback, growing horizon, multiple shooting, local
// searches, and random restarts. A result that fits the noise is confirmed at once, another one when homotopy and local
// search have been tried. The search ends as soon as the verdict is decided.
#include "search/portfolio.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "search/certificate.h"
#include "search/confirm.h"
#include "search/homotopy.h"
#include "search/horizon.h"
#include "search/local_search.h"
#include "search/shooting_part.h"
#include "search/starts.h"
#include "search/weak.h"
#include "simulate/closed.h"

enum {
  AGREEMENTS = 5,   // independent restarts at the same best optimum: more would tell nothing new
  FIRST_LOCAL = 25, // steps of a local search before the more expensive parts
};
static const double SAME = 1e-4; // relative difference of objectives of one optimum

// ---------------------------------------------------------------- parts

static bool weak_part(Search *s) {
  double *x = search_copy(s, s->next_start);
  bool *found = ARENA_ARRAY(s->arena, bool, s->n + 1);
  int count = weak_start(s->problem, x, found, NULL);
  if (count == 0) return false;
  if (count == s->n && local_search_stage(s, "weak form", x, -1)) return true;
  memcpy(s->next_start, x, (size_t)s->n * sizeof *x); // a better start for what follows
  return false;
}

static bool homotopy_part(Search *s, const double *from, double strength, int halvings,
                          const char *name) {
  const ClosedModel *closed = s->problem->closed;
  if (!search_goes_on(s) || (closed && !closed->has_slopes_of_states)) return false;
  search_begin(s, name);
  HomotopyPlan plan = {strength, halvings, strength <= 3};
  return homotopy_auto(s, from, &plan);
}

static bool horizon_part(Search *s, const double *from, double first, const char *name) {
  if (!search_goes_on(s)) return false;
  search_begin(s, name);
  return horizon_grow(s, from, first);
}

// The same local search in logarithms, where bounds span decades.
static bool log_part(Search *s, const double *from) {
  bool *before = s->log, any = false;
  s->log = ARENA_ARRAY(s->arena, bool, s->n + 1);
  for (int i = 0; i < s->n; i++) {
    const Unknown *f = &s->problem->unknowns[i];
    s->log[i] = before[i] || (f->min > 0 && f->max > 10 * f->min);
    any |= s->log[i] != before[i];
  }
  bool fits =
      any && search_goes_on(s) && local_search_stage(s, "local search in logarithms", from, -1);
  s->log = before;
  return fits;
}

// A local search that is given up when it does not get there soon.
static bool short_local_part(Search *s, const double *from) {
  double *x = search_copy(s, from);
  LocalSearch l = local_search_full(s);
  if (l.max_iterations > FIRST_LOCAL) l.max_iterations = FIRST_LOCAL;
  search_begin(s, "short local search");
  local_search_run(s, &l, x);
  bool fits =
      l.end != LOCAL_NO_START_END && search_offer(s, s->progress.stage, x, l.objective, l.end);
  search_end(s, fits, l.objective, "%s", local_end_sentence(l.end));
  return fits;
}

// ---------------------------------------------------------------- restarts

// Without states there is nothing to couple, and time is no more than a name; where rows begin at the data, they are coupled
// as much as can be.
static bool has_motion(const Search *s) {
  return s->problem->model->nx > 0 && problem_simulates(s->problem);
}

static bool restart(Search *s, int k) {
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  random_point(s->problem, (uint64_t)k + 1, x);
  const char *name = arena_print(s->arena, "restart %d", k + 1);
  s->offered.objective = HUGE_VAL;
  if (!has_motion(s)) return local_search_stage(s, name, x, -1);
  if (homotopy_part(s, x, k % 2 ? 3 : 1, 1, name)) return true;
  if (horizon_part(s, x, k % 2 ? 0.03 : 0.1, name)) return true;
  return search_goes_on(s) && local_search_stage(s, name, x, -1);
}

static bool is_bounded(const Search *s) {
  for (int i = 0; i < s->n; i++)
    if (!isfinite(s->problem->unknowns[i].max - s->problem->unknowns[i].min)) return false;
  return true;
}

static void restarts(Search *s) {
  int agreed = 0;
  if (!is_bounded(s)) return; // where should they be drawn from
  for (int k = 0; k < s->problem->options.restarts && search_goes_on(s); k++) {
    double before = s->best.objective;
    restart(s, k);
    double now = s->offered.objective;
    confirm_note(s, s->offered.x, now, s->offered.end);
    if (confirm_best(s)) return;
    agreed = s->best.objective < before * (1 - SAME) ? 0 : agreed + (now <= before * (1 + SAME));
    if (agreed >= AGREEMENTS) return;
  }
}

// ---------------------------------------------------------------- all

// Whether the search may end after a part whose result fits the noise.
static bool is_done(Search *s, bool fits) {
  return fits && (!confirm_is_wanted(s->problem) || confirm_best(s));
}

static void algebraic(Search *s, const double *start) {
  local_search_stage(s, "local search", start, -1);
  if (confirm_best(s)) return;
  log_part(s, start);
  if (confirm_best(s)) return;
  restarts(s);
}

static bool coupled_follows(const Search *s) {
  return s->coupled.converged && s->coupled.objective <= certificate_floor(s->weighting, 1);
}

// A model that leaves more than this of the variation of the data unexplained, besides noise, may be in a wrong optimum that is
// wide enough for searches to agree on: other parts are tried first.
static const double UNEXPLAINED = 0.05, NOISE_MORE = 1.5;

static bool is_worth_confirming(const Search *s) {
  double noise = noise_objective(s->weighting, 1), data = data_objective(s->weighting, 1);
  double limit = UNEXPLAINED * data + (isnan(noise) ? 0 : NOISE_MORE * noise);
  return s->best.fits || (local_end_converged(s->best.end) && s->best.objective <= limit);
}

static bool is_confirmed(Search *s) {
  return is_worth_confirming(s) && confirm_best(s);
}

// Weak form, homotopy, a short local search. True: the search may end. *better: where the next parts begin.
static bool first_parts(Search *s, const double **better) {
  weak_part(s);
  if (is_confirmed(s)) return true;
  *better = search_copy(s, s->next_start);
  if (is_done(s, homotopy_part(s, *better, 1, 1, "homotopy"))) return true;
  if (!coupled_follows(s) && search_goes_on(s) && is_done(s, short_local_part(s, *better)))
    return true;
  return !coupled_follows(s) && is_confirmed(s);
}

// Parts after which the best point is confirmed if it is new. True: the search may end.
static bool next_parts(Search *s, const double *start, const double *better) {
  bool coupled = fitting_feedback(s->fitting);
  if (coupled && !s->coupled.converged) {
    homotopy_part(s, better, 4, 1, "homotopy, stronger");
    if (!s->coupled.converged) homotopy_part(s, better, 16, 1, "homotopy, much stronger");
    if (is_confirmed(s)) return true;
  }
  bool after = s->coupled.converged;
  horizon_part(s, after ? s->coupled.x : start, 0.05,
               after ? "growing horizon after homotopy" : "growing horizon");
  if (is_confirmed(s)) return true;
  if (coupled_follows(s)) shooting_part(s);
  if (is_confirmed(s)) return true;
  horizon_part(s, start, 0.05, "growing horizon");
  if (is_confirmed(s)) return true;
  if (coupled) homotopy_part(s, start, 4, 5, "homotopy, stronger");
  if (is_confirmed(s)) return true;
  if (search_goes_on(s)) local_search_stage(s, "local search", start, -1);
  log_part(s, start);
  if (is_confirmed(s)) return true;
  horizon_part(s, start, 0.01, "growing horizon from less");
  if (s->coupled.converged && !coupled_follows(s)) shooting_part(s);
  return confirm_best(s);
}

void portfolio_run(Search *s) {
  const double *start = search_copy(s, s->next_start), *better = start;
  if (!has_motion(s))
    algebraic(s, start);
  else if (!first_parts(s, &better) && !next_parts(s, start, better))
    restarts(s);
}
