// Multiple shooting: the horizon in pieces, each with a start of its own; the gaps between pieces are closed by and by. For
// chaotic motion, where one simulation over the whole horizon says nothing.
#pragma once
#include "search/shooting_problem.h"

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

// x: unknowns, in and out. Work is added to *work. Channels with a delay and states without a guess that is finite
// cannot be treated: the end is then LOCAL_NO_START_END.
void shooting_run(const Problem *p, const ShootingRequest *request, double *x, WorkCount *work,
                  ShootingResult *out);
