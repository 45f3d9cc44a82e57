// Pieces begin where the coupled model passes; shooting.h closes the gaps between them. A motion that is too sensitive for one
// simulation over the whole time stays in pieces.
#include "search/shooting_part.h"

#include <math.h>
#include <string.h>

#include "search/certificate.h"
#include "search/local_search.h"
#include "search/shooting.h"

enum { PIECES_LEAST = 4, PIECES_MOST = 200 };

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
  spec.lambda = 1, spec.gains = s->coupled.gains;
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

bool shooting_part(Search *s) {
  const Problem *p = s->problem;
  // What it leaves out of account; values of discrete variables where pieces begin are not known.
  bool knows =
      !p->constraints.count && !p->options.round_digits && !p->model->flat->hybrid && !p->closed;
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
  FitFacts facts;
  if (!certificate_holds(s->work, &spec, &pieces, x, r.objective, &facts)) return false;
  keep_pieces(s, &q, &r, x);
  s->result->by = "multiple shooting";
  s->best.facts = facts;
  s->best.fits = true;
  return true;
}

bool shooting_refit_pieces(Search *s) {
  FitPieces *pieces = s->result->pieces;
  ShootingRequest q = {pieces->count,       pieces->times, pieces->states,
                       s->weighting->sigma, search_relay,  s};
  ShootingResult r = {0};
  double *x = search_copy(s, s->best.x);
  shooting_run(s->problem, &q, x, &s->budget.used, &r);
  if (!is_closed(&r)) return false;
  keep_pieces(s, &q, &r, x);
  s->best.facts = (FitFacts){0};
  return true;
}
