#include "draw/map_screen.h"

#include <string.h>

enum { ROWS_MOST = 26, LEAST_WIDTH = 40 };

MapRoom map_room(PageStyle style) {
  int width = style.width < LEAST_WIDTH ? LEAST_WIDTH : style.width;
  return (MapRoom){width - MAP_GUTTER - 1, style.colour ? 2 * ROWS_MOST : ROWS_MOST,
                   style.colour ? 1 : 2};
}

MapAxis map_axis(const char *name, double low, double high) {
  MapAxis a = {.name = name};
  for (int digits = 4; digits <= 15 && strcmp(a.low, a.high) == 0; digits++) {
    rounded_digits(low, digits, a.low);
    rounded_digits(high, digits, a.high);
  }
  return a;
}

// ---------------------------------------------------------------- dots

static int kind_at(const MapScreen *s, int column, int row) {
  return row < 0 ? MAP_NOTHING : s->dot[(size_t)row * (size_t)s->columns + (size_t)column];
}

static int colour_of(const MapScreen *s, int kind) {
  return kind == MAP_NOTHING ? -1 : s->terminal(kind);
}

// The foreground colours the upper half, the background the lower half.
static void add_half_blocks(Text *out, int top, int bottom) {
  if (top < 0 && bottom < 0)
    text_add(out, " ");
  else if (top < 0)
    text_print(out, "\033[38;5;%dm▄\033[0m", bottom);
  else if (bottom < 0)
    text_print(out, "\033[38;5;%dm▀\033[0m", top);
  else
    text_print(out, "\033[38;5;%d;48;5;%dm▀\033[0m", top, bottom);
}

static void print_line(const MapScreen *s, int line, Text *out) {
  for (int c = 0; c < s->columns; c++) {
    if (s->colour) {
      int above = s->rows - 1 - 2 * line;
      add_half_blocks(out, colour_of(s, kind_at(s, c, above)),
                      colour_of(s, kind_at(s, c, above - 1)));
    } else {
      int kind = kind_at(s, c, s->rows - 1 - line);
      char letter[2] = {kind == MAP_NOTHING ? ' ' : s->letter(kind), 0};
      text_add(out, letter);
    }
  }
}

static int line_count(const MapScreen *s) {
  return s->colour ? (s->rows + 1) / 2 : s->rows;
}

// ---------------------------------------------------------------- axes

static bool fits_gutter(const char *text) {
  return page_width_of(text) < MAP_GUTTER;
}

// Labels that do not fit beside the map are printed above it.
static void print_long_labels(const MapAxis *y, int lines, Text *out) {
  bool ends = fits_gutter(y->low) && fits_gutter(y->high), name = fits_gutter(y->name) && lines > 2;
  if (!name || !ends) text_print(out, "  upwards: %s", y->name);
  if (!ends) text_print(out, " from %s to %s", y->low, y->high);
  if (!name || !ends) text_add(out, "\n");
}

static void print_gutter(const MapAxis *y, int line, int lines, Text *out) {
  const char *label = "";
  if (y && line == 0)
    label = y->high;
  else if (y && line == lines - 1)
    label = y->low;
  else if (y && line == lines / 2)
    label = y->name;
  if (!fits_gutter(label)) label = "";
  text_print(out, "%*s%s ", MAP_GUTTER - 1 - page_width_of(label), "", label);
}

static void print_foot(const MapAxis *x, const MapScreen *s, Text *out) {
  int used = (int)strlen(x->low) + (int)strlen(x->high), name = page_width_of(x->name);
  bool beside = used + name + 2 <= s->columns;
  int spare = s->columns - used - (beside ? name : 0);
  if (spare < 2) spare = 2;
  text_print(out, "%*s%s%*s%s%*s%s\n", MAP_GUTTER, "", x->low, spare / 2, "", beside ? x->name : "",
             spare - spare / 2, "", x->high);
  if (!beside) text_print(out, "  to the right: %s\n", x->name);
}

void map_screen(Text *out, const MapScreen *s, const MapAxis *x, const MapAxis *y) {
  int lines = line_count(s);
  if (y) print_long_labels(y, lines, out);
  for (int line = 0; line < lines; line++) {
    print_gutter(y, line, lines, out);
    print_line(s, line, out);
    text_add(out, "\n");
  }
  print_foot(x, s, out);
}
