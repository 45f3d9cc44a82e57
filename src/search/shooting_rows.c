// The slopes of the whole motion: dx_node/dp follows from the linear equations that keep the gaps closed, up to gaps that the data
// would hardly show.
#include "search/shooting_rows.h"

#include <math.h>

#include "search/shooting_eval.h"
#include "search/shooting_setup.h"
#include "search/shooting_step.h"

// What a gap may be, where the noise of the data is 1 and ranges are equal. Chaotic motion follows changed parameters as
// long as it likes if it may deviate by as little as this: slopes then stay as small as those of a few pieces. Smaller gaps
// would tell more about a single combination of the unknowns, and cost the others the digits of the slopes.
static const double GAP_OF_NOISE = 1e-5;
// Gaps below this many times rel_tol are errors of the simulation.
static const double GAP_ACCURACY = 10;

typedef struct RowSource {
  Shooting s;
  ShootingPoint *at;
  double weight;   // of gaps
  double **follow; // [unknown][piece*nx + i]: slope of the node states
  double *scale;   // of gaps, by state
} RowSource;

// Root mean square of the residuals, where the range of the data is 1.
static double relative_noise(const Shooting *s, const ShootingPoint *at) {
  double samples = 0, range = s->nx ? s->gap_scale[0] * s->range[0] : 1;
  for (int k = 0; k < s->piece_count; k++)
    for (int c = 0; c < s->problem->experiments[s->pieces[k].experiment].channel_count; c++)
      samples += s->pieces[k].channels[c].count;
  double data = at->data - shooting_priors(s, at->x);
  return samples > 0 ? sqrt(2 * fmax(0, data) / samples) / range : 0;
}

static double weight_of_gaps(const Shooting *s, const ShootingPoint *at) {
  double accuracy = relative_noise(s, at) / (GAP_ACCURACY * s->problem->simulate.rel_tol);
  return fmax(1, fmin(1 / GAP_OF_NOISE, accuracy));
}

static void find_slopes(RowSource *r) {
  Shooting *s = &r->s;
  r->weight = weight_of_gaps(s, r->at);
  shooting_reduce(s, r->at, r->weight, 0);
  r->follow = ARENA_ARRAY(s->arena, double *, s->n + 1);
  for (int j = 0; j < s->n; j++) {
    r->follow[j] = ARENA_ARRAY(s->arena, double, (size_t)(s->piece_count + 1) * (size_t)s->nx + 1);
    shooting_follow(s, j, r->follow[j]);
  }
  r->scale = ARENA_ARRAY(s->arena, double, s->nx + 1);
  for (int i = 0; i < s->nx; i++) r->scale[i] = r->weight * s->gap_scale[i];
}

// ---------------------------------------------------------------- blocks

static const double *node_slope(const RowSource *r, int j, int k) {
  return r->follow[j] + (size_t)k * (size_t)r->s.nx;
}

static void give_channel(RowSource *r, int k, int c, ResidualSink *sink, void *data) {
  Shooting *s = &r->s;
  const ShootingPiece *p = &s->pieces[k];
  const ShootingChannel *part = &p->channels[c];
  if (part->count == 0) return;
  shooting_fill_rows(s, k, c);
  double **column = s->rows + s->nx;
  for (int j = 0; j < s->n; j++)
    for (int i = 0; i < s->nx; i++) {
      double slope = node_slope(r, j, k)[i];
      for (int row = 0; slope != 0 && row < part->count; row++)
        column[j][row] += s->rows[i][row] * slope;
    }
  const double *scale = s->scale[shooting_channel(s, p->experiment, c)] + part->first;
  sink(data, &(ResidualBlock){p->experiment, c, part->first, part->count, column, scale, s->model});
}

static void give_gap(RowSource *r, int k, int piece, ResidualSink *sink, void *data) {
  Shooting *s = &r->s;
  const ShootingOutcome *o = &r->at->pieces[k], *next = o + 1;
  double **column = s->step.block_column;
  for (int i = 0; i < s->nx; i++) {
    for (int j = 0; j < s->n; j++) {
      const double *node = node_slope(r, j, k), *node_next = node_slope(r, j, k + 1);
      double slope = o->by_unknown[i * s->n + j] - shooting_start_by_unknown(next, s->n, i, j);
      for (int l = 0; l < s->nx; l++)
        slope += o->by_state[i * s->nx + l] * node[l] -
                 shooting_start_by_state(next, s->nx, i, l) * node_next[l];
      column[j][i] = r->scale[i] * slope;
    }
    column[s->n][i] = r->scale[i] * shooting_gap(s, r->at, k, i);
  }
  sink(data,
       &(ResidualBlock){s->pieces[k].experiment, -1, piece * s->nx, s->nx, column, r->scale, NULL});
}

static bool give_rows(RowSource *r, ResidualSink *sink, void *data) {
  Shooting *s = &r->s;
  for (int k = 0, piece = 0; k < s->piece_count; k++, piece++) {
    const ShootingPiece *p = &s->pieces[k];
    if (p->is_first) piece = 0;
    if (!shooting_simulate(s, k, r->at)) return false;
    for (int c = 0; c < s->problem->experiments[p->experiment].channel_count; c++)
      give_channel(r, k, c, sink, data);
    if (!p->is_last && s->nx > 0) give_gap(r, k, piece, sink, data);
  }
  return true;
}

// ---------------------------------------------------------------- the whole

bool shooting_rows(const Problem *p, const FitPieces *pieces, const double *sigma, const double *x,
                   ResidualSink *sink, void *data) {
  ShootingRequest request = {.piece_count = pieces->count,
                             .times = pieces->times,
                             .states = pieces->states,
                             .sigma = sigma};
  WorkCount work = {0};
  Arena *a = arena_new();
  RowSource r = {.s = {.problem = p, .request = &request, .arena = a, .count = &work}};
  shooting_init(&r.s);
  r.at = shooting_point_new(&r.s);
  shooting_begin(&r.s, x, r.at);
  bool ok = shooting_eval(&r.s, r.at);
  if (ok) find_slopes(&r);
  ok = ok && give_rows(&r, sink, data);
  shooting_done(&r.s);
  arena_free(a);
  return ok;
}
