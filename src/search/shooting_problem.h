// Multiple shooting as a least-squares problem: the experiments in pieces, each with a start of its own, the gaps between
// pieces as residuals. What its parts (shooting_setup, _eval, _step) share.
#pragma once
#include "local/linear.h"
#include "num/qr.h"
#include "search/fit_result.h"
#include "simulate/simulate.h"

typedef struct ShootingRequest {
  int *piece_count; // by experiment
  double *
      *times; // [experiment][piece]: where each begins; the first at the start of the experiment
  // [experiment][piece*nx + i]: guess on entry, the states found on return. Those of piece 0 follow from the parameters.
  double **states;
  const double *sigma;   // [experiment][channel] in one row: what residuals are divided by
  FitListener *listener; // NULL: nobody listens
  void *listener_data;
} ShootingRequest;

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

// What a simulated piece leaves behind. Columns: its node states, the unknowns, the residual.
typedef struct ShootingOutcome {
  double *triangle;   // of the data rows, (nx + n + 1)^2 by rows
  double *end;        // state at the end: nx
  double *by_state;   // nx x nx
  double *by_unknown; // nx x n
  // With invariants a piece starts at the states next to its node that satisfy them; these are its node from then on.
  // NULL without invariants: at the node itself.
  double *start_by_state;   // nx x nx
  double *start_by_unknown; // nx x n
} ShootingOutcome;

typedef struct ShootingPoint {
  double *x;      // unknowns
  double *states; // [piece][nx]; of first pieces not used: they follow from the parameters
  ShootingOutcome *pieces;
  double data; // objective of the data and the priors
  double gaps; // half the sum of squares of scaled gaps at weight 1
  double gap;  // largest, relative to the range
} ShootingPoint;

typedef struct ShootingModel { // compiled for pieces
  System *system;
  SimulateWork *work;
  double **column; // of the trajectory
  double *p;
  int np; // slopes per output
} ShootingModel;

typedef struct ShootingStep { // scratch of a step, and the step itself
  QrSum *piece_sum, *free_sum;
  double *block, **block_column;
  double *eliminated;             // [piece]: nx rows of (2 nx + n + 1)
  double *carried;                // rows that later pieces take over: (nx + n + 1)^2
  double *state_size, *free_size; // largest norms of columns so far; damping is relative to them
  double *low, *high;             // bounds of by_unknowns
  double *by_unknowns, *by_states;
  double *R, *Qr;
  LinearWork *linear;
} ShootingStep;

typedef struct Shooting {
  const Problem *problem;
  const ShootingRequest *request;
  Arena *arena;
  int n, nx, width; // unknowns, states, nx + n
  bool constrained; // the model has invariants
  int *parameters, parameter_count;
  int **slope_of;  // [experiment][unknown]: position among the parameters, -1: none
  int first_start; // parameter that is the start of state 0 in the model of later pieces
  ShootingModel first, later;
  ShootingPiece *pieces;
  int piece_count;
  // Scales.
  double **scale; // [experiment*channels + channel][sample]: sqrt(weight * quadrature)/sigma
  double *huber;  // by channel over all experiments: limit in its unit, HUGE_VAL: none
  int *first_channel;
  double *gap_scale; // by state: what a gap is multiplied with at weight 1
  double *range;     // by state
  double nothing;    // an objective that is no more than the errors of integration
  // Scratch.
  double **rows; // columns of a block of data rows
  double *model; // values of the model in these rows
  QrSum *data_sum;
  ShootingStep step;
  // What it costs.
  WorkCount *count;
  long most_steps, step_limit; // of the integrator in one piece; 0: no limit found yet
} Shooting;

static inline int shooting_channel(const Shooting *s, int experiment, int channel) {
  return s->first_channel[experiment] + channel;
}
