// Residuals of many points at once, on all cores.
#pragma once
#include "residual/objective.h"

typedef struct Vectors Vectors;

// Evaluates as the objective does when it is asked.
Vectors *vectors_new(Objective *o);
void vectors_free(Vectors *v);
// As points_values; r has objective_vector_rows numbers a point, of no meaning where V is HUGE_VAL.
LsqEnd vectors_values(Vectors *v, const double *x, int count, double *V, double *r);
