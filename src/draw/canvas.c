#include "draw/canvas.h"

#include <stdlib.h>
#include <string.h>

Canvas *canvas_new(Arena *a, int width, int height) {
  Canvas *c = ARENA_NEW(a, Canvas);
  *c = (Canvas){width, height, ARENA_ARRAY(a, unsigned char, (size_t)width *(size_t)height),
                ARENA_ARRAY(a, signed char, (size_t)width *(size_t)height)};
  memset(c->colour, -1, (size_t)width * (size_t)height);
  return c;
}

static void dot(Canvas *c, Pen *pen, int x, int y) {
  // Bit of each dot by row and column; Unicode numbers the fourth row after the first three.
  static const unsigned char BIT[CELL_HEIGHT][CELL_WIDTH] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  long phase = pen->travelled++ % (pen->on + pen->off);
  if (phase >= pen->on || x < 0 || y < 0 || x >= c->width * CELL_WIDTH ||
      y >= c->height * CELL_HEIGHT)
    return;
  size_t cell = (size_t)(y / CELL_HEIGHT) * (size_t)c->width + (size_t)(x / CELL_WIDTH);
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

void pen_begin_colour(int colour, Text *out) {
  static const int CODES[] = {36, 33, 35, 32, 31, 34}; // cyan, yellow, magenta, green, red, blue
  text_print(out, "\033[%dm", CODES[colour % 6]);
}

void pen_end_colour(Text *out) {
  text_add(out, "\033[0m");
}

static void add_braille(unsigned char dots, Text *out) { // U+2800 + dots in UTF-8
  const char bytes[] = {(char)0xE2, (char)(0xA0 | dots >> 6), (char)(0x80 | (dots & 0x3F))};
  text_add_bytes(out, bytes, sizeof bytes);
}

void canvas_print_row(const Canvas *c, int row, const char *fill, bool colour, Text *out) {
  const unsigned char *dots = c->dots + (size_t)row * (size_t)c->width;
  const signed char *pens = c->colour + (size_t)row * (size_t)c->width;
  int end = c->width, now = -1;
  while (!fill && end > 0 && !dots[end - 1]) end--;
  for (int i = 0; i < end; i++) {
    int pen = dots[i] ? pens[i] : -1;
    if (colour && pen != now) {
      if (now >= 0) pen_end_colour(out);
      if (pen >= 0) pen_begin_colour(pen, out);
      now = pen;
    }
    if (dots[i])
      add_braille(dots[i], out);
    else
      text_add(out, fill ? fill : " ");
  }
  if (now >= 0) pen_end_colour(out);
}
