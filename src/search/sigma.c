// Sigmas from the residuals, then the unknowns with these sigmas, until neither changes.
#include "search/sigma.h"

#include <math.h>
#include <string.h>

#include "search/local_search.h"
#include "search/result_rows.h"
#include "search/shooting_part.h"

enum { SIGMA_ROUNDS = 20 };
static const double SIGMA_TOL = 1e-4;

// A local search with the present weighting. False: it was stopped before there was a point, and the best one stays.
static bool local_refit(Search *s, double target) {
  LocalSearch l = local_search_full(s);
  double *x = search_copy(s, s->best.x);
  l.near = true;
  l.target = target;
  local_search_run(s, &l, x);
  if (l.objective == HUGE_VAL) return false;
  memcpy(s->best.x, x, (size_t)s->n * sizeof *x);
  s->best.objective = l.objective;
  s->best.end = l.end;
  s->best.facts = (FitFacts){0};
  return true;
}

void sigma_settle(Search *s, double target) {
  FitResult *r = s->result;
  for (int round = 0; round < SIGMA_ROUNDS && search_goes_on(s); round++) {
    EvalSpec spec = search_spec(s);
    double change;
    Weighting *next = result_weighting(s->work, &spec, r->pieces, s->best.x, &change);
    if (!next) break;
    Weighting *before = search_swap_weighting(s, next);
    bool settled = change < SIGMA_TOL;
    bool refitted = settled || (r->pieces ? shooting_refit_pieces(s) : local_refit(s, target));
    if (!refitted) before = search_swap_weighting(s, before); // that of the objective that stays
    weighting_free(before);
    if (settled || !refitted) break;
  }
  r->objective_start = nan(""); // the sigma of the result is another one
  r->floor = noise_objective(s->weighting, 1);
}
