#include "draw/canvas.h"

#include <stdlib.h>
#include <string.h>

Canvas *canvas_new(Arena *a, int width, int height) {
  Canvas *c = ARENA_NEW(a, Canvas);
  size_t cells = (size_t)width * (size_t)height;
  *c = (Canvas){.width = width,
                .height = height,
                .dots = ARENA_ARRAY(a, unsigned char, cells),
                .colour = ARENA_ARRAY(a, signed char, cells),
                .mark = ARENA_ARRAY(a, unsigned char, cells),
                .above = ARENA_ARRAY(a, bool, cells),
                .mark_colour = ARENA_ARRAY(a, signed char, cells)};
  memset(c->colour, -1, cells);
  return c;
}

static bool is_inside(const Canvas *c, int x, int y) {
  return x >= 0 && y >= 0 && x < c->width * CELL_WIDTH && y < c->height * CELL_HEIGHT;
}

static size_t cell_at(const Canvas *c, int x, int y) {
  return (size_t)(y / CELL_HEIGHT) * (size_t)c->width + (size_t)(x / CELL_WIDTH);
}

static void dot(Canvas *c, Pen *pen, int x, int y) {
  // Bit of each dot by row and column; Unicode numbers the fourth row after the first three.
  static const unsigned char BIT[CELL_HEIGHT][CELL_WIDTH] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  long phase = pen->travelled++ % (pen->on + pen->off);
  if (phase >= pen->on || !is_inside(c, x, y)) return;
  size_t cell = cell_at(c, x, y);
  c->dots[cell] |= BIT[y % CELL_HEIGHT][x % CELL_WIDTH];
  c->colour[cell] = (signed char)pen->colour;
}

// Bresenham's line. The first dot is drawn only at the begin of a curve: otherwise the previous segment drew it.
void canvas_line(Canvas *c, Pen *pen, int x0, int y0, int x1, int y1) {
  int dx = abs(x1 - x0), dy = -abs(y1 - y0), sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
  int error = dx + dy;
  if (pen->travelled == 0) dot(c, pen, x0, y0);
  while (x0 != x1 || y0 != y1) {
    int twice = 2 * error;
    if (twice >= dy) {
      error += dy;
      x0 += sx;
    }
    if (twice <= dx) {
      error += dx;
      y0 += sy;
    }
    dot(c, pen, x0, y0);
  }
}

void canvas_mark(Canvas *c, int mark, int colour, bool above, int x, int y) {
  if (!is_inside(c, x, y)) return;
  size_t cell = cell_at(c, x, y);
  c->mark[cell] = (unsigned char)(1 + mark);
  c->above[cell] = above;
  c->mark_colour[cell] = (signed char)colour;
}

void pen_begin_colour(int colour, Text *out) {
  static const int CODES[CANVAS_COLOURS] = {36, 33, 35,
                                            32, 31, 34}; // cyan, yellow, magenta, green, red, blue
  text_print(out, "\033[%dm", CODES[colour % CANVAS_COLOURS]);
}

void pen_end_colour(Text *out) {
  text_add(out, "\033[0m");
}

static void add_braille(unsigned char dots, Text *out) { // U+2800 + dots in UTF-8
  const char bytes[] = {(char)0xE2, (char)(0xA0 | dots >> 6), (char)(0x80 | (dots & 0x3F))};
  text_add_bytes(out, bytes, sizeof bytes);
}

typedef struct ShownCell {
  int mark; // -1: its dots
  unsigned char dots;
  int colour; // -1: it is empty
} ShownCell;

static ShownCell shown(const Canvas *c, size_t cell) {
  if (c->mark[cell] && (c->above[cell] || !c->dots[cell]))
    return (ShownCell){c->mark[cell] - 1, 0, c->mark_colour[cell]};
  return (ShownCell){-1, c->dots[cell], c->dots[cell] ? c->colour[cell] : -1};
}

void canvas_print_row(const Canvas *c, int row, const char *fill, bool colour, Text *out) {
  static const char *const MARKS[CANVAS_MARKS] = {"•", "×", "+", "◦"};
  size_t first = (size_t)row * (size_t)c->width;
  int end = c->width, now = -1;
  while (!fill && end > 0 && shown(c, first + (size_t)end - 1).colour < 0) end--;
  for (int i = 0; i < end; i++) {
    ShownCell cell = shown(c, first + (size_t)i);
    if (colour && cell.colour != now) {
      if (now >= 0) pen_end_colour(out);
      if (cell.colour >= 0) pen_begin_colour(cell.colour, out);
      now = cell.colour;
    }
    if (cell.mark >= 0)
      text_add(out, MARKS[cell.mark]);
    else if (cell.dots)
      add_braille(cell.dots, out);
    else
      text_add(out, fill ? fill : " ");
  }
  if (now >= 0) pen_end_colour(out);
}
