// What other methods that keep constraints ask of the least-squares SQP.
#pragma once
#include "local/lsq.h"

// Takes x, which is inside the bounds, to where the constraints hold, without a simulation. False: no such place was found,
// and x has not moved.
bool sqp_reach_constraints(const Lsq *lsq, const LocalOptions *options, double *x);

// What one step of the SQP from p, which has slopes, promises to gain under all constraints: 0 where Kuhn and Tucker's
// conditions are satisfied, or where the step is so short (as `part` of each number) that it does not matter.
double sqp_promise(const Lsq *lsq, const LocalOptions *options, const LsqPoint *p, double part);
