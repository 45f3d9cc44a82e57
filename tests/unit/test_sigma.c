#include "search/sigma.h"

#include "search/fit.h"
#include "searching.h"
#include "threshold.h"

typedef struct Drift {
  double by;  // relative: what residuals grow by from one look at them to the next
  int looked; // simulations without slopes
} Drift;

static void let_drift(Watched *w, const SimulationOrder *o) {
  Drift *d = w->data;
  d->looked += !o->slopes;
  scale_residuals(w, o, pow(1 + d->by, d->looked));
}

static int looks_until_settled(double by) {
  Hand *h = pendulum(0.05, 10);
  h->problem.method = METHOD_GAUSS_NEWTON;
  h->problem.options.line_search = LINE_SEARCH_OFF;
  h->experiments[0].channels[0].sigma_kind = SIGMA_ESTIMATED;
  Searching q;
  Drift drift = {by, 0};
  searching_open(&q, &h->problem, NULL, NULL);
  q.watched.change = let_drift, q.watched.keep_all = true, q.watched.data = &drift;
  FitResult *r = fit_run_on(&h->problem, q.work, NULL, NULL, NULL);
  fit_free(r);
  searching_close(&q);
  hand_done(h);
  return drift.looked;
}

static bool sigma_settles(void *data, double by) {
  (void)data;
  return looks_until_settled(by) < 10;
}

// Sigmas that change by less than a ten thousandth have settled; those that never do end after 20 rounds.
static void estimated_sigmas_settle(void **state) {
  (void)state;
  assert_threshold(sigma_settles, NULL, 1e-4);
  assert_in_range(looks_until_settled(0), 2, 4);
  int extra = looks_until_settled(0.01) - 20; // the certificate looks at residuals, too
  assert_in_range(extra, 0, 2);
}

// Each channel by its own residuals; then half a square for each sample.
static void sigmas_are_those_of_the_residuals(void **state) {
  (void)state;
  Hand *h = duffing(2, 0.05);
  for (int e = 0; e < 2; e++)
    for (int c = 0; c < 2; c++) h->experiments[e].channels[c].sigma_kind = SIGMA_ESTIMATED;
  Searching q;
  searching_open(&q, &h->problem, NULL, NULL);
  search_offer(q.s, "start", DUFFING_TRUTH, search_evaluate(q.s, 0, 1, DUFFING_TRUTH),
               LOCAL_STEP_END);
  sigma_settle(q.s, -1);
  assert_close_relative(q.s->best.objective, 4 * DUFFING_SAMPLES / 2.0, 1e-3);
  assert_close_relative(search_evaluate(q.s, 0, 1, q.s->best.x), q.s->best.objective, 1e-6);
  for (int at = 0; at < 4; at++) {
    const Channel *c = q.fitting->data->channels[at].channel;
    double square = 0;
    for (int i = 0; i < c->count; i++) square += c->y[i] * c->y[i] / c->count;
    assert_close_relative(q.s->weighting->sigma[at], 0.05 * sqrt(square), 0.3);
  }
  assert_false(q.s->best.facts.known); // those of the point before are forgotten
  assert_true(isnan(q.result->objective_start));
  searching_close(&q);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(estimated_sigmas_settle),
      cmocka_unit_test(sigmas_are_those_of_the_residuals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
