// The parts of multiple shooting that shooting.c puts together: pieces and scales, their simulation, the step.
#pragma once
#include "local/linear.h"
#include "num/qr.h"
#include "search/shooting.h"
#include "simulate/simulate.h"

typedef struct ShootingChannel { // samples of a channel that lie in a piece
  int first, count;
  int *row; // by sample: number among the times of the piece
} ShootingChannel;

typedef struct ShootingPiece {
  int experiment;
  bool is_first, is_last; // of its experiment
  double start;
  double *times; // samples, then the end unless it is the last; with invariants the start, too
  int rows;
  ShootingChannel *channels;
} ShootingPiece;

// What a simulated piece leaves behind. Columns: its node states, the free numbers, the residual.
typedef struct ShootingOutcome {
  double *triangle; // of the data rows, (nx + n + 1)^2 by rows
  double *end;      // state at the end: nx
  double *by_state; // nx x nx
  double *by_free;  // nx x n
  // With invariants a piece starts at the states next to its node that satisfy them; these are its node from then on.
  // NULL without invariants: at the node itself.
  double *start_by_state; // nx x nx
  double *start_by_free;  // nx x n
} ShootingOutcome;

typedef struct ShootingPoint {
  double *x;      // free numbers
  double *states; // [piece][nx]; of first pieces not used: they follow from the parameters
  ShootingOutcome *pieces;
  double data; // objective of the data and the priors
  double gaps; // half the sum of squares of scaled gaps at weight 1
  double gap;  // largest, relative to the range
} ShootingPoint;

typedef struct ShootingRig { // a model compiled for pieces
  System *system;
  SimulateWork *work;
  double **column; // of the trajectory
  double *p;
  int np; // slopes per output
} ShootingRig;

typedef struct Shooting {
  const Problem *problem;
  const ShootingRequest *request;
  Arena *arena;
  int n, nx, width; // free numbers, states, nx + n
  bool constrained; // the model has invariants
  int *parameters, parameter_count;
  int **slope_of;  // [experiment][free number]: position among the parameters, -1 = none
  int first_start; // parameter that is the start of state 0 in the rig of later pieces
  ShootingRig first, later;
  ShootingPiece *pieces;
  int piece_count;
  double **scale; // [experiment*channels + channel][sample]: sqrt(weight * quadrature)/sigma
  double *huber;  // by channel over all experiments: limit in its unit, HUGE_VAL = none
  int *first_channel;
  double *gap_scale; // by state: what a gap is multiplied with at weight 1
  double *range;     // by state
  double nothing;    // an objective that is no more than the errors of integration
  double **rows;     // columns of a block of data rows
  QrSum *data_sum;
  // of a step
  QrSum *piece_sum, *free_sum;
  double *block, **block_column;
  double *eliminated;             // [piece]: nx rows of (2 nx + n + 1)
  double *carried;                // rows that later pieces take over: (nx + n + 1)^2
  double *state_size, *free_size; // largest norms of columns so far; damping is relative to them
  double *low, *high, *step_free, *step_states;
  double *R, *Qr;
  LinearWork *linear;
  FitWork *count;
  long most_steps, step_limit; // of the integrator in one piece; 0: no limit found yet
} Shooting;

// shooting.c
// The free numbers x, inside their bounds, and the nodes of the request.
void shooting_begin(const Shooting *s, const double *x, ShootingPoint *at);

// shooting_setup.c: pieces, scales, compiled models, room; problem, request, arena and count are given.
void shooting_init(Shooting *s);
void shooting_done(Shooting *s); // what the arena does not own
ShootingPoint *shooting_point_new(Shooting *s);
static inline int shooting_channel(const Shooting *s, int experiment, int channel) {
  return s->first_channel[experiment] + channel;
}

// shooting_eval.c
// All pieces at a point, whose nodes are moved to where the invariants are satisfied. false: one of them failed.
bool shooting_eval(Shooting *s, ShootingPoint *at);
// Simulates piece k at a point. false: it failed.
bool shooting_simulate(Shooting *s, int k, const ShootingPoint *at);
// Into s->rows: those of one channel of the piece that was just simulated. Slopes by the node states, by the free numbers,
// the residual.
void shooting_fill_rows(Shooting *s, int k, int channel);
double shooting_priors(const Shooting *s, const double *x); // half their sum of squares
// Between the end of piece k and the node that follows, in state i.
static inline double shooting_gap(const Shooting *s, const ShootingPoint *at, int k, int i) {
  return at->pieces[k].end[i] - at->states[(size_t)(k + 1) * (size_t)s->nx + (size_t)i];
}

// How the start of a piece that is not the first moves in state i when its node does in state j, or free number j does.
static inline double shooting_start_by_state(const ShootingOutcome *o, int nx, int i, int j) {
  return o->start_by_state ? o->start_by_state[i * nx + j] : i == j;
}
static inline double shooting_start_by_free(const ShootingOutcome *o, int n, int i, int j) {
  return o->start_by_free ? o->start_by_free[i * n + j] : 0;
}

// shooting_step.c
// Makes the sizes that damping is relative to at least those at this point.
void shooting_sizes(Shooting *s, const ShootingPoint *at, double weight);
// Into step_free and step_states: the minimum of the damped linear model inside the bounds.
void shooting_step(Shooting *s, const ShootingPoint *at, double weight, double damping);
// After shooting_reduce: how the nodes follow when free number j changes by 1.
void shooting_follow(const Shooting *s, int j, double *states);
// What the linear model expects that step to gain.
double shooting_gain(const Shooting *s, const ShootingPoint *at, const ShootingPoint *to,
                     double weight);
// R and Q'r of the problem in the free numbers, with every node where it is best.
void shooting_reduce(Shooting *s, const ShootingPoint *at, double weight, double damping);
