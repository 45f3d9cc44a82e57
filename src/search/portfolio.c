// method: auto. Parts that succeed on different kinds of problems, the cheapest first, until one result is certain.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "search/search.h"
#include "search/shooting.h"
#include "search/weak.h"

enum {
  AGREEMENTS = 5, // independent restarts at the same best optimum: more would tell nothing new
  PIECES_LEAST = 4,
  PIECES_MOST = 200,
};
static const double SAME = 1e-4; // relative difference of objectives of one optimum

static double *start_of(const Search *s) {
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  for (int i = 0; i < s->n; i++) x[i] = s->resting[i];
  return x;
}

static bool local_part(Search *s, const double *from, const char *name) {
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(x, from, (size_t)s->n * sizeof *x);
  Local l = local_free(s);
  search_begin(s, name);
  search_local(s, &l, x);
  if (l.end == LOCAL_NO_START_END) {
    search_end(s, false, HUGE_VAL, "the model cannot be simulated there: %s",
               objective_why(s->objective));
    return false;
  }
  bool certain = search_offer(s, name, x, l.objective, l.end);
  search_end(s, certain, l.objective, "%s", local_end_sentence(l.end));
  return certain;
}

// ---------------------------------------------------------------- parts

static bool weak_part(Search *s) {
  double *x = start_of(s);
  bool *found = ARENA_ARRAY(s->arena, bool, s->n + 1);
  int count = weak_start(s->problem, x, found);
  if (count == 0) return false;
  if (count == s->n && local_part(s, x, "weak form")) return true;
  memcpy(s->resting, x, (size_t)s->n * sizeof *x); // a better start for what follows
  return false;
}

static bool homotopy_part(Search *s, const double *from, double factor, int halvings,
                          const char *name) {
  if (!search_goes_on(s)) return false;
  search_begin(s, name);
  return homotopy_auto(s, from, factor, halvings);
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
  bool certain = any && search_goes_on(s) && local_part(s, from, "local search in logarithms");
  s->log = before;
  return certain;
}

// ---------------------------------------------------------------- multiple shooting

static int piece_count(const Search *s, int e) {
  const Experiment *x = &s->problem->experiments[e];
  double fastest = 0;
  int samples = 0;
  for (int c = 0; c < x->channel_count; c++) {
    fastest = fmax(fastest, objective_frequency(s->objective, e, c));
    samples = x->channels[c].count > samples ? x->channels[c].count : samples;
  }
  double pieces = fastest * (x->stop - x->start) / 6.283185307179586;
  pieces = fmin(fmax(pieces, PIECES_LEAST), fmin(PIECES_MOST, samples / 4.0));
  return pieces < 1 ? 1 : (int)pieces;
}

// Pieces start where the tied model passes.
static bool lay_pieces(Search *s, const double *x, ShootingRequest *q) {
  const Problem *p = s->problem;
  q->piece_count = ARENA_ARRAY(s->arena, int, p->experiment_count + 1);
  q->times = ARENA_ARRAY(s->arena, double *, p->experiment_count + 1);
  q->states = ARENA_ARRAY(s->arena, double *, p->experiment_count + 1);
  objective_set_lambda(s->objective, 1);
  objective_strengthen(s->objective, 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *run = &p->experiments[e];
    int count = q->piece_count[e] = piece_count(s, e);
    q->times[e] = ARENA_ARRAY(s->arena, double, count + 1);
    q->states[e] = ARENA_ARRAY(s->arena, double, count * p->model->nx + 1);
    for (int k = 0; k < count; k++)
      q->times[e][k] = run->start + (run->stop - run->start) * k / count;
    if (!objective_states(s->objective, x, e, q->times[e], count, q->states[e])) return false;
  }
  return true;
}

static void keep_pieces(Search *s, const ShootingRequest *q, const ShootingResult *r,
                        const double *x) {
  FitPieces *pieces = s->result->pieces = ARENA_NEW(s->arena, FitPieces);
  *pieces = (FitPieces){q->piece_count, q->times, q->states, r->gap};
  memcpy(s->best, x, (size_t)s->n * sizeof *x);
  s->best_objective = r->objective;
  s->best_end = r->end;
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
  if (!search_goes_on(s) || !s->tied_converged || !knows) return false;
  ShootingRequest q = {.sigma = objective_sigma(s->objective)};
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(x, s->tied, (size_t)s->n * sizeof *x);
  search_begin(s, "multiple shooting");
  if (!lay_pieces(s, x, &q)) {
    search_end(s, false, HUGE_VAL, "the tied model cannot be simulated where its fit ended");
    return false;
  }
  q.listener = search_relay, q.listener_data = s;
  ShootingResult r = {0};
  shooting_run(s->problem, &q, x, objective_count(s->objective), &r);
  bool closed = is_closed(&r);
  search_end(s, false, closed ? r.objective : HUGE_VAL,
             closed ? "the gaps closed, largest %.2g" : "the gaps did not close (largest %.2g)",
             r.gap);
  if (!closed) return false;
  if (local_part(s, x, "local search after shooting")) return true;
  if (!(s->best_objective > WORSE * r.objective)) return false;
  FitPieces pieces = {q.piece_count, q.times, q.states, r.gap};
  if (!search_is_certain(s, &pieces, x, r.objective)) return false;
  keep_pieces(s, &q, &r, x);
  s->result->by = "multiple shooting";
  s->result->certain = true;
  search_explain(s, s->result->by, r.objective);
  return true;
}

void shooting_refit(Search *s) {
  FitPieces *pieces = s->result->pieces;
  ShootingRequest q = {
      pieces->count, pieces->times, pieces->states, objective_sigma(s->objective), search_relay, s};
  ShootingResult r = {0};
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  memcpy(x, s->best, (size_t)s->n * sizeof *x);
  shooting_run(s->problem, &q, x, objective_count(s->objective), &r);
  if (is_closed(&r)) keep_pieces(s, &q, &r, x);
}

// ---------------------------------------------------------------- restarts

static bool restart(Search *s, int k) {
  double *x = ARENA_ARRAY(s->arena, double, s->n + 1);
  search_random(s, (uint64_t)k + 1, x);
  const char *name = arena_print(s->arena, "restart %d", k + 1);
  if (s->problem->model->nx == 0) return local_part(s, x, name);
  if (homotopy_part(s, x, k % 2 ? 3 : 1, 1, name)) return true;
  if (horizon_part(s, x, k % 2 ? 0.03 : 0.1, name)) return true;
  return search_goes_on(s) && local_part(s, x, name);
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
    double before = s->best_objective;
    if (restart(s, k)) return;
    double now = s->result->stages.at[s->result->stages.count - 1].objective;
    agreed = s->best_objective < before * (1 - SAME) ? 0 : agreed + (now <= before * (1 + SAME));
    if (agreed >= AGREEMENTS) return;
  }
}

// Without states there is nothing to tie, and time is no more than a name.
static void algebraic(Search *s, const double *start) {
  if (local_part(s, start, "local search") || log_part(s, start)) return;
  restarts(s);
}

void portfolio(Search *s) {
  double *start = start_of(s);
  if (s->problem->model->nx == 0) {
    algebraic(s, start);
    return;
  }
  if (weak_part(s)) return;
  const double *better = start_of(s);
  if (homotopy_part(s, better, 1, 1, "homotopy")) return;
  bool stronger = s->has_tie && !s->tied_converged;
  if (stronger && homotopy_part(s, better, 4, 1, "homotopy, stronger")) return;
  stronger &= !s->tied_converged;
  if (stronger && homotopy_part(s, better, 16, 1, "homotopy, much stronger")) return;
  const double *tied = s->tied_converged ? s->tied : start;
  if (horizon_part(s, tied, 0.05, "growing horizon after homotopy")) return;
  if (s->tied_converged && s->tied_objective <= search_floor(s, 1) && shooting_part(s)) return;
  if (horizon_part(s, start, 0.05, "growing horizon")) return;
  if (s->has_tie && homotopy_part(s, start, 4, 5, "homotopy, stronger")) return;
  if (search_goes_on(s) && local_part(s, start, "local search")) return;
  if (log_part(s, start)) return;
  if (horizon_part(s, start, 0.01, "growing horizon from less")) return;
  if (s->tied_converged && s->tied_objective > search_floor(s, 1) && shooting_part(s)) return;
  restarts(s);
}
