// A picture of dots, printed with the Braille characters of Unicode: 2 by 4 dots in each cell.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

typedef struct Canvas {
  int width, height;   // in cells
  unsigned char *dots; // of each cell, as Unicode numbers them
  signed char *colour; // of each cell: -1 none, else the index of the pen that drew last
} Canvas;

enum { CELL_WIDTH = 2, CELL_HEIGHT = 4 }; // dots

typedef struct Pen {
  int colour;     // index
  int on, off;    // dots drawn and left out in turn; off 0: a full line
  long travelled; // dots since the line began
} Pen;

Canvas *canvas_new(Arena *a, int width, int height);
// A line of dots, both ends included; (0, 0) is at the top left. Ends outside of the picture are allowed.
void canvas_line(Canvas *c, Pen *pen, int x0, int y0, int x1, int y1);
// One row of cells without its trailing blanks. fill (UTF-8) stands in empty cells, NULL: blank.
void canvas_print_row(const Canvas *c, int row, const char *fill, bool colour, Text *out);

void pen_begin_colour(int colour, Text *out); // the escape sequences
void pen_end_colour(Text *out);
