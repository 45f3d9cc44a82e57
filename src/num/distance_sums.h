// Sums of the distances of every point of a cloud to all others, in units of the ranges.
#pragma once
#include "num/cloud.h"

enum { DISTANCES_EXACT = 20000 }; // up to so many points every distance is computed
#define DISTANCES_ERROR 1e-3      // relative, at most, beyond

// sum[i] = sum over j of the 2-norm of (point i - point j)/ranges. Returns the largest relative error, as found at points for
// which all distances are computed: 0 when all sums are exact.
double distance_sums(const Cloud *c, double *sum);
double distance_sums_by_tree(const Cloud *c, double *sum); // for any number of points
