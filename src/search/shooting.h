// Multiple shooting: the horizon in pieces, each with a start of its own; the gaps between pieces are closed by and by. For
// chaotic motion, where one simulation over the whole horizon says nothing.
#pragma once
#include "residual/objective.h"

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

typedef struct ShootingResult {
  double
      objective; // V over all pieces, priors included, as the free model would have it if the gaps were zero
  double gap;     // largest gap relative to the range of its state
  bool converged; // the gaps are closed and no step reduces the objective
  LocalEnd end;
  int iterations; // accepted steps
  // n x n by rows and n, the caller's, or NULL: triangle of the Jacobian and Q'r with the gaps held closed, as in LsqPoint.
  double *R, *Qr;
} ShootingResult;

// x: free numbers, in and out. Work is added to *work. Channels with a delay and states without a guess that is finite
// cannot be treated: the end is then LOCAL_NO_START_END.
void shooting_run(const Problem *p, const ShootingRequest *request, double *x, FitWork *work,
                  ShootingResult *out);

// As objective_rows, but simulates the pieces from their states. Slopes are those of the whole motion: when a free number
// changes, the states of all pieces follow, so that the gaps stay closed. Motion that magnifies changes would carry such
// slopes away to where they say nothing; therefore gaps may open by a little that hardly any data would show (see
// shooting_rows.c), and every piece but the last of an experiment adds a block of channel -1 with what its gap does: nx
// rows, first = piece*nx. Their scale makes a gap of that size weigh as much as a typical residual.
bool shooting_rows(const Problem *p, const FitPieces *pieces, const double *sigma, const double *x,
                   ResidualSink *sink, void *data);
// Rows of a result: in its pieces, or, when they are NULL, as objective_rows.
bool result_rows(const Problem *p, Objective *o, const FitPieces *pieces, const double *x,
                 ResidualSink *sink, void *data, char why[700]);
// objective_update_sigma by the residuals of a result.
double result_update_sigma(const Problem *p, Objective *o, const FitPieces *pieces,
                           const double *x);
