// A picture of dots for a terminal, printed with Braille characters: 2 by 4 dots in each cell.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

typedef struct Canvas {
  int width, height;   // in cells
  unsigned char *dots; // of each cell, as Unicode numbers them
  signed char *colour; // of each cell: colour of the last pen, -1: none
  // Of each cell: 1 + the number of a mark, 0: none; whether dots do not hide it; its colour.
  unsigned char *mark;
  bool *above;
  signed char *mark_colour;
} Canvas;

enum { CANVAS_MARKS = 4, CANVAS_COLOURS = 6 }; // kinds of marks, colours of pens

enum { CELL_WIDTH = 2, CELL_HEIGHT = 4 }; // dots

typedef struct Pen {
  int colour;     // index
  int on, off;    // lengths of dashes and gaps in dots; off 0: a solid line
  long travelled; // dots since the line began
} Pen;

Canvas *canvas_new(Arena *a, int width, int height);
// A line of dots, both ends included; (0, 0) is at the top left. Ends may lie outside the picture.
void canvas_line(Canvas *c, Pen *pen, int x0, int y0, int x1, int y1);
// A mark that fills the cell of a dot: above the lines, or where there are none.
void canvas_mark(Canvas *c, int mark, int colour, bool above, int x, int y);
// Prints one row of cells without trailing blanks. Empty cells show fill (UTF-8), NULL: blank.
void canvas_print_row(const Canvas *c, int row, const char *fill, bool colour, Text *out);

void pen_begin_colour(int colour, Text *out); // escape sequences
void pen_end_colour(Text *out);
