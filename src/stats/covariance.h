// Covariance of least-squares estimates from the rows of their sensitivities.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef struct RowSet { // row i of the problem is factor[i] * column[.][i]
  int n, count;
  double *const *column; // n slopes, then the residuals
  const double *factor;
  // By row: takes no part in the curvature (beyond the Huber limit); NULL: none.
  const bool *ignored;
  const bool *held; // by unknown: taken as known; NULL: none
} RowSet;

// The least-squares estimate as a linear map of the rows.
typedef struct Projection {
  int n, count, rank;
  double *G;        // n x rank: estimate = G * (sum over rows q * residual)
  double *q;        // count x rank: orthonormal columns
  double *leverage; // by row: |q|^2
  bool *lost;       // by unknown: held, or part of a direction that the rows do not see
} Projection;

// tolerance: directions count as unseen when rows change by less than this, with all columns of unit length.
Projection *projection_new(Arena *a, const RowSet *rows, double tolerance);
// The same without q and leverage, which are as large as all rows; count is 0.
Projection *projection_without_rows(Arena *a, const RowSet *rows, double tolerance);
void projection_row(const Projection *p, const RowSet *rows, int i, double *q); // one row of q
// n x n by rows. variance: of each row's noise (multiplied by its factor squared). NaN for what is lost.
void projection_covariance(const Projection *p, const double *variance, double *covariance);
// Its parts: adds the sum over rows of variance q q' to middle, rank x rank; then G times middle times G'.
void projection_add_middle(const Projection *p, const double *variance, double *middle);
void projection_spread(const Projection *p, const double *middle, double *covariance);
// Variances of rows from their residuals, each enlarged by what the fit took from it (HC3 of MacKinnon and White 1985):
// right whatever the noise of each row.
void projection_residual_variance(const Projection *p, const double *residual, double *variance);
// How the unknowns that are not held change when unknown k changes by 1. 0 for those that are held.
void projection_follow(const Projection *p, const RowSet *rows, int k, double *shift);
