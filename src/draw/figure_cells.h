// A grid of coloured cells, and lines of equal height over a grid.
#pragma once
#include "draw/figure_axes.h"

typedef struct FigureCells {
  int columns, rows;
  const unsigned char *kind; // by row, the lowest first
} FigureCells;

// Draws patches of equal kind; equal neighbours become one rectangle, which keeps files small.
typedef void CellPainter(void *data, Figure *f, int kind, Frame patch);
void figure_cells(Figure *f, Frame frame, const FigureCells *cells, CellPainter *paint, void *data);

typedef struct HeightGrid {
  const double *x, *y; // of the columns and rows
  int columns, rows;
  const double *z; // by row; a value that is not finite is a gap
} HeightGrid;

// The lines z = level, straight between the edges of cells (marching squares), as curves.
void axes_height_lines(const Axes *a, const HeightGrid *grid, double level, Stroke stroke);
