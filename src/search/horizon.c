// The share of the data grows by a factor of at most GROWTH; when a fit of the longer part does not reach its noise floor, it
// grows more slowly from the last part that did.
#include "search/horizon.h"

#include <math.h>
#include <string.h>

#include "search/certificate.h"
#include "search/local_search.h"

enum { RETREATS = 6, FIRST_ITERATIONS = 40, NEXT_ITERATIONS = 15, SAMPLES_LEAST = 6 };
static const double GROWTH = 1.35, GROWTH_LEAST = 1.03;

static double samples_in(const Search *s, double horizon) {
  double samples = 0;
  const Problem *p = s->problem;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      samples += horizon * channel_facts(s->fitting->data, e, c)->counted;
  return samples;
}

static double fit_over(Search *s, double horizon, int iterations, double *x, bool *fits) {
  LocalSearch l = local_search_coupled(0, 1);
  l.horizon = horizon;
  l.max_iterations = iterations;
  if (horizon >= 1) l = local_search_full(s);
  local_search_run(s, &l, x);
  if (horizon >= 1) *fits |= search_offer(s, s->progress.stage, x, l.objective, l.end);
  return l.objective;
}

bool horizon_grow(Search *s, const double *start, double first) {
  double *x = search_copy(s, start), *next = ARENA_ARRAY(s->arena, double, s->n + 1);
  double horizon = first, growth = GROWTH, objective;
  bool fits = false;
  double least = (SAMPLES_LEAST + 2.0 * s->n) / fmax(samples_in(s, 1), 1);
  horizon = fmin(1, fmax(horizon, least));
  objective = fit_over(s, horizon, FIRST_ITERATIONS, x, &fits);
  if (!(objective <= certificate_floor(s->weighting, horizon))) {
    search_end(s, false, HUGE_VAL, "the first %.3g %% of the data cannot be fitted", 100 * horizon);
    return false;
  }
  for (int retreats = 0; horizon < 1 && retreats < RETREATS && search_goes_on(s);) {
    double longer = fmin(1, horizon * growth);
    memcpy(next, x, (size_t)s->n * sizeof *x);
    objective = fit_over(s, longer, NEXT_ITERATIONS, next, &fits);
    if (objective <= certificate_floor(s->weighting, longer)) {
      memcpy(x, next, (size_t)s->n * sizeof *x);
      horizon = longer;
      growth = fmin(GROWTH, 1 + 1.5 * (growth - 1));
    } else {
      retreats++;
      growth = fmax(GROWTH_LEAST, 1 + (growth - 1) / 3);
    }
  }
  search_end(s, fits, horizon >= 1 ? objective : HUGE_VAL,
             horizon >= 1 ? "the horizon grew to the end of the data (from %.3g %% to %.3g %%)"
                          : "from %.3g %% the horizon grew to %.3g %% of the data only",
             100 * first, 100 * horizon);
  return fits;
}
