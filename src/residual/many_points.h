// Objectives or residuals of many points at once: on all cores, and several points in the lanes of one simulation where the
// integrator can. Answers do not depend on the number of threads.
#pragma once
#include "residual/evaluate.h"

typedef struct ManyPoints ManyPoints;

// w: evaluates itself where it runs in a lane scheduler; takes note of what workers found out. Keeps the pointer.
ManyPoints *many_points_new(EvalWork *w, int threads);
void many_points_free(ManyPoints *m); // NULL is allowed

// V[k] of the rows of n unknowns, HUGE_VAL where it cannot be computed. The spec must have a budget. EVAL_DONE, or
// EVAL_STOPPED: V is then HUGE_VAL where nothing was computed. steps: as in EvalPoint, the most of all points.
EvalEnd many_values(ManyPoints *m, const EvalSpec *spec, const double *x, int count, double *V,
                    long *steps);
// The same, and tells the number of points that are done without a gap.
typedef void ManyPointsTaken(void *data, int done);
EvalEnd many_values_taken(ManyPoints *m, const EvalSpec *spec, const double *x, int count,
                          double *V, long *steps, ManyPointsTaken *taken, void *data);
// From now on points are the runs of a study: each is recorded, however short it is.
void many_points_keep(ManyPoints *m);
// The same with the residuals of point k in r[k*rows ...], rows = residual_count; of no meaning where V is HUGE_VAL.
EvalEnd many_residuals(ManyPoints *m, const EvalSpec *spec, const double *x, int count, double *V,
                       double *r, long *steps);
