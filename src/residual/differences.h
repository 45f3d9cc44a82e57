// Slopes by differences of simulations: one column for each parameter, on all cores.
//
// The step is where the error of the simulation, divided by the step, equals the error by curvature: h = size*eps^(1/2) for
// forward differences, size*eps^(1/3) for central ones, eps the relative accuracy of a simulation (Gill, Murray and Wright,
// Practical Optimization, 1981, section 8.6), or h = size*fd_step where that is given. size: of the parameter, at least a tenth
// of its start value; where both are 0, or where the bounds leave less than a hundredth of it, a tenth of what the bounds
// leave; 1 where there are none. A parameter that starts at a tiny bound may be far from its size: where the outputs change by
// no more than ten times the error of a simulation, the column is made once more with a step that should show, at most a
// hundredth of the range between the bounds (without bounds: the size). At a bound the step turns round; a central difference that would leave the
// bounds becomes a one-sided one through three points.
#pragma once
#include "residual/simulation.h"

typedef struct Differences Differences; // workers and their scratch

Differences *differences_new(const Fitting *f, int threads);
void differences_free(Differences *d); // NULL is allowed
// Fills the slope columns of the run, which has just been simulated at x for this experiment.
EvalEnd differences_fill(Differences *d, const EvalSpec *spec, ModelRun *r, int experiment,
                         const double *x, int rows);
