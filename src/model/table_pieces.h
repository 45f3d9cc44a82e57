// A table of points as a piecewise polynomial: numbers only.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef enum TableKind {
  TABLE_LINEAR,
  TABLE_HOLD,      // the value of the point to the left
  TABLE_AKIMA,     // Akima 1970
  TABLE_MAKIMA,    // its modified weights
  TABLE_MONOTONE,  // Fritsch and Butland 1984
  TABLE_MONOTONE2, // Steffen 1990
} TableKind;

typedef enum TableBeyond { // the end points, in the numbers of the Modelica library
  TABLE_HOLD_LAST = 1,
  TABLE_CONTINUE, // with the slope at the end; linear and hold: through the last two points
  TABLE_PERIODIC,
  TABLE_NOTHING, // must not be left
} TableBeyond;

// Piece k = 0 .. breaks lies between break points k-1 and k, and is a + b d + c d^2 + e d^3 with d = u - origin.
typedef struct TablePieces {
  int breaks;
  double *at; // break points, strictly rising
  double *origin, *coefficient[4];
  int order; // the highest that is not 0 everywhere
} TablePieces;

// x does not fall; for splines it rises strictly. Of a periodic table the pieces between x[0] and x[n-1], n > 1.
// whole: break points where nothing changes are left out.
TablePieces table_pieces(Arena *a, TableKind kind, TableBeyond beyond, const double *x,
                         const double *y, int n, bool whole);
