// The order: weak form, homotopy (stronger if it did not converge), growing horizon, multiple shooting, local search, local search
// in logarithms, random restarts until AGREEMENTS of them end at the same best optimum.
#include "search/portfolio.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "search/certificate.h"
#include "search/homotopy.h"
#include "search/horizon.h"
#include "search/local_search.h"
#include "search/shooting.h"
#include "search/starts.h"
#include "search/weak.h"

enum {
  AGREEMENTS = 5, // independent restarts at the same best optimum: more would tell nothing new
  PIECES_LEAST = 4,
  PIECES_MOST = 200,
};
static const double SAME = 1e-4; // relative difference of objectives of one optimum

// ---------------------------------------------------------------- parts

static bool weak_part(Search *s) {
  double *x = search_copy(s, s->next_start);
  bool *found = ARENA_ARRAY(s->arena, bool, s->n + 1);
  int count = weak_start(s->problem, x, found);
  if (count == 0) return false;
  if (count == s->n && local_search_stage(s, "weak form", x, -1)) return true;
  memcpy(s->next_start, x, (size_t)s->n * sizeof *x); // a better start for what follows
  return false;
}

static bool homotopy_part(Search *s, const double *from, double strength, int halvings,
                          const char *name) {
  if (!search_goes_on(s)) return false;
  search_begin(s, name);
  return homotopy_auto(s, from, strength, halvings);
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
  bool certain =
      any && search_goes_on(s) && local_search_stage(s, "local search in logarithms", from, -1);
  s->log = before;
  return certain;
}

// ---------------------------------------------------------------- multiple shooting

static int piece_count(const Search *s, int e) {
  const Experiment *x = &s->problem->experiments[e];
  double fastest = 0;
  int samples = 0;
  for (int c = 0; c < x->channel_count; c++) {
    fastest = fmax(fastest, channel_facts(s->fitting->data, e, c)->frequency);
    samples = x->channels[c].count > samples ? x->channels[c].count : samples;
  }
  double pieces = fastest * (x->stop - x->start) / 6.283185307179586;
  pieces = fmin(fmax(pieces, PIECES_LEAST), fmin(PIECES_MOST, samples / 4.0));
  return pieces < 1 ? 1 : (int)pieces;
}

// Pieces start where the coupled model passes.
static bool lay_pieces(Search *s, const double *x, ShootingRequest *q) {
  const Problem *p = s->problem;
  q->piece_count = ARENA_ARRAY(s->arena, int, p->experiment_count + 1);
  q->times = ARENA_ARRAY(s->arena, double *, p->experiment_count + 1);
  q->states = ARENA_ARRAY(s->arena, double *, p->experiment_count + 1);
  EvalSpec spec = search_spec(s);
  spec.lambda = 1;
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *run = &p->experiments[e];
    int count = q->piece_count[e] = piece_count(s, e);
    q->times[e] = ARENA_ARRAY(s->arena, double, count + 1);
    q->states[e] = ARENA_ARRAY(s->arena, double, count * p->model->nx + 1);
    for (int k = 0; k < count; k++)
      q->times[e][k] = run->start + (run->stop - run->start) * k / count;
    if (!evaluate_states(s->work, &spec, x, e, q->times[e], count, q->states[e])) return false;
  }
  return true;
}

static void keep_pieces(Search *s, const ShootingRequest *q, const ShootingResult *r,
                        const double *x) {
  FitPieces *pieces = s->result->pieces = ARENA_NEW(s->arena, FitPieces);
  *pieces = (FitPieces){q->piece_count, q->times, q->states, r->gap};
  memcpy(s->best.x, x, (size_t)s->n * sizeof *x);
  s->best.objective = r->objective;
  s->best.end = r->end;
}

static const double CLOSED = 1e-4; // gap relative to the range of a state
static const double WORSE =
    1.5; // one simulation over the whole time cannot follow: that much more objective

static bool is_closed(const ShootingResult *r) {
  return r->converged && r->gap < CLOSED;
}

static bool shooting_part(Search *s) {
  const Problem *p = s->problem;
  bool knows = !p->constraints.count && !p->options.round_digits; // what it leaves out of account
  if (!search_goes_on(s) || !s->coupled.converged || !knows) return false;
  ShootingRequest q = {.sigma = s->weighting->sigma};
  double *x = search_copy(s, s->coupled.x);
  search_begin(s, "multiple shooting");
  if (!lay_pieces(s, x, &q)) {
    search_end(s, false, HUGE_VAL, "the coupled model cannot be simulated where its fit ended");
    return false;
  }
  q.listener = search_relay, q.listener_data = s;
  ShootingResult r = {0};
  shooting_run(s->problem, &q, x, &s->budget.used, &r);
  bool closed = is_closed(&r);
  search_end(s, false, closed ? r.objective : HUGE_VAL,
             closed ? "the gaps closed, largest %.2g" : "the gaps did not close (largest %.2g)",
             r.gap);
  if (!closed) return false;
  if (local_search_stage(s, "local search after shooting", x, -1)) return true;
  if (!(s->best.objective > WORSE * r.objective)) return false;
  FitPieces pieces = {q.piece_count, q.times, q.states, r.gap};
  EvalSpec spec = search_spec(s);
  if (!certificate_holds(s->work, &spec, &pieces, x, r.objective)) return false;
  keep_pieces(s, &q, &r, x);
  s->result->by = "multiple shooting";
  s->result->certain = true;
  certificate_explain(s->result, s->weighting, s->result->by, r.objective);
  return true;
}

void portfolio_refit_pieces(Search *s) {
  FitPieces *pieces = s->result->pieces;
  ShootingRequest q = {pieces->count,       pieces->times, pieces->states,
                       s->weighting->sigma, search_relay,  s};
  ShootingResult r = {0};
  double *x = search_copy(s, s->best.x);
  shooting_run(s->problem, &q, x, &s->budget.used, &r);
  if (is_closed(&r)) keep_pieces(s, &q, &r, x);
}

// ---------------------------------------------------------------- restarts

static bool restart(Search *s, int k) {
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  random_point(s->problem, (uint64_t)k + 1, x);
  const char *name = arena_print(s->arena, "restart %d", k + 1);
  if (s->problem->model->nx == 0) return local_search_stage(s, name, x, -1);
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
    if (restart(s, k)) return;
    double now = s->result->stages.at[s->result->stages.count - 1].objective;
    agreed = s->best.objective < before * (1 - SAME) ? 0 : agreed + (now <= before * (1 + SAME));
    if (agreed >= AGREEMENTS) return;
  }
}

// Without states there is nothing to couple, and time is no more than a name.
static void algebraic(Search *s, const double *start) {
  if (local_search_stage(s, "local search", start, -1) || log_part(s, start)) return;
  restarts(s);
}

void portfolio_run(Search *s) {
  double *start = search_copy(s, s->next_start);
  if (s->problem->model->nx == 0) {
    algebraic(s, start);
    return;
  }
  if (weak_part(s)) return;
  const double *better = search_copy(s, s->next_start);
  if (homotopy_part(s, better, 1, 1, "homotopy")) return;
  bool stronger = fitting_feedback(s->fitting) && !s->coupled.converged;
  if (stronger && homotopy_part(s, better, 4, 1, "homotopy, stronger")) return;
  stronger &= !s->coupled.converged;
  if (stronger && homotopy_part(s, better, 16, 1, "homotopy, much stronger")) return;
  const double *coupled = s->coupled.converged ? s->coupled.x : start;
  if (horizon_part(s, coupled, 0.05, "growing horizon after homotopy")) return;
  if (s->coupled.converged && s->coupled.objective <= certificate_floor(s->weighting, 1) &&
      shooting_part(s))
    return;
  if (horizon_part(s, start, 0.05, "growing horizon")) return;
  if (fitting_feedback(s->fitting) && homotopy_part(s, start, 4, 5, "homotopy, stronger")) return;
  if (search_goes_on(s) && local_search_stage(s, "local search", start, -1)) return;
  if (log_part(s, start)) return;
  if (horizon_part(s, start, 0.01, "growing horizon from less")) return;
  if (s->coupled.converged && s->coupled.objective > certificate_floor(s->weighting, 1) &&
      shooting_part(s))
    return;
  restarts(s);
}
