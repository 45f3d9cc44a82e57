#include "report/basin_screen.h"

#include <math.h>
#include <stdio.h>

#include "report/rounded.h"

enum { GUTTER = 10, ROWS_MOST = 26, NOTHING = -1, STRIP_ROWS = 2 };

// One dot of the screen: half a character with colours, a character without.
typedef struct Screen {
  int columns, rows; // of dots, rows from the bottom
  int *dot;          // shade, or NOTHING
  bool colour;
} Screen;

static int *dot_at(const Screen *s, int column, int row) {
  return &s->dot[(size_t)row * (size_t)s->columns + (size_t)column];
}

typedef struct Room { // in dots
  int wide, tall;
  int twice; // dots of the width for one of the height: a letter is twice as high as wide
} Room;

static int least(int a, int b) {
  return a < b ? a : b;
}

// As many dots for each cell as fit, at most three; fewer dots than cells where there are too many of them.
static void size_for_grid(Screen *s, const Basin *b, Room room) {
  int across = b->axes[0].count, up = b->axis_count > 1 ? b->axes[1].count : 1;
  bool flat = b->axis_count > 1;
  int twice = flat ? room.twice : 1;
  int each = least(3, room.wide / twice / across);
  if (flat) each = least(each, room.tall / up);
  s->columns = each >= 1 ? across * each * twice : least(across, room.wide);
  s->rows = !flat ? STRIP_ROWS : each >= 1 ? up * each : least(up, room.tall);
}

static Screen screen_new(const Basin *b, PageStyle style, Arena *a) {
  Screen s = {.colour = style.colour};
  Room room = {(style.width < 40 ? 40 : style.width) - GUTTER - 1,
               style.colour ? 2 * ROWS_MOST : ROWS_MOST, style.colour ? 1 : 2};
  if (b->random) {
    s.columns = least(room.wide, 60);
    s.rows = b->axis_count < 2 ? STRIP_ROWS : least(room.tall, 44 / room.twice);
  } else {
    size_for_grid(&s, b, room);
  }
  s.dot = ARENA_ARRAY(a, int, (size_t)s.columns *(size_t)s.rows);
  return s;
}

static void fill_from_grid(Screen *s, const Basin *b) {
  int across = b->axes[0].count, up = b->axis_count > 1 ? b->axes[1].count : 1;
  for (int row = 0; row < s->rows; row++)
    for (int column = 0; column < s->columns; column++) {
      int i = (int)((long)column * across / s->columns), j = (int)((long)row * up / s->rows);
      *dot_at(s, column, row) = (int)shade_of(b, j * across + i);
    }
}

static int dot_number(const BasinAxis *x, double v, int dots) {
  int k = (int)floor(basin_axis_fraction(x, v) * dots);
  return k < 0 ? 0 : k >= dots ? dots - 1 : k;
}

// Where several starts share a dot the worst outcome shows: the search is not to be trusted there.
static void fill_from_random(Screen *s, const Basin *b) {
  size_t n = (size_t)b->problem->free_count;
  for (int i = 0; i < s->columns * s->rows; i++) s->dot[i] = NOTHING;
  for (int i = 0; i < b->done; i++) {
    const double *x = b->starts + (size_t)i * n;
    int column = dot_number(&b->axes[0], x[b->axes[0].number], s->columns);
    for (int row = 0; row < s->rows; row++) {
      if (b->axis_count > 1 && row != dot_number(&b->axes[1], x[b->axes[1].number], s->rows))
        continue;
      int *dot = dot_at(s, column, row), shade = (int)shade_of(b, i);
      if (shade > *dot) *dot = shade;
    }
  }
}

// ---------------------------------------------------------------- printing

static int terminal_colour(int shade) {
  return shade == NOTHING ? -1 : shade_terminal((BasinShade)shade);
}

// Upper half in the colour of the letter, lower half in that of the ground.
static void add_half_blocks(Text *out, int above, int below) {
  int top = terminal_colour(above), bottom = terminal_colour(below);
  if (top < 0 && bottom < 0)
    text_add(out, " ");
  else if (top < 0)
    text_print(out, "\033[38;5;%dm▄\033[0m", bottom);
  else if (bottom < 0)
    text_print(out, "\033[38;5;%dm▀\033[0m", top);
  else
    text_print(out, "\033[38;5;%d;48;5;%dm▀\033[0m", top, bottom);
}

static void print_line(const Screen *s, int line, Text *out) {
  for (int c = 0; c < s->columns; c++) {
    if (s->colour) {
      int above = s->rows - 1 - 2 * line, below = above - 1;
      add_half_blocks(out, *dot_at(s, c, above), below < 0 ? NOTHING : *dot_at(s, c, below));
    } else {
      int shade = *dot_at(s, c, s->rows - 1 - line);
      char letter[2] = {shade == NOTHING ? ' ' : shade_letter((BasinShade)shade), 0};
      text_add(out, letter);
    }
  }
}

static int line_count(const Screen *s) {
  return s->colour ? (s->rows + 1) / 2 : s->rows;
}

static void print_gutter(const Basin *b, int line, int lines, Text *out) {
  char label[ROUNDED_SIZE] = "";
  if (b->axis_count > 1) {
    const BasinAxis *y = &b->axes[1];
    if (line == 0)
      rounded_digits(y->high, 4, label);
    else if (line == lines - 1)
      rounded_digits(y->low, 4, label);
    else if (line == lines / 2)
      snprintf(label, sizeof label, "%.8s", y->name);
  }
  text_print(out, "%*s ", GUTTER - 1, label);
}

static void print_foot(const Basin *b, const Screen *s, Text *out) {
  char low[ROUNDED_SIZE], high[ROUNDED_SIZE];
  const BasinAxis *x = &b->axes[0];
  rounded_digits(x->low, 4, low);
  rounded_digits(x->high, 4, high);
  int used = (int)strlen(low) + (int)strlen(high) + page_width_of(x->name);
  int spare = s->columns - used < 2 ? 2 : s->columns - used;
  text_print(out, "%*s%s%*s%s%*s%s\n", GUTTER, "", low, spare / 2, "", x->name, spare - spare / 2,
             "", high);
}

static void print_legend(const Basin *b, PageStyle style, Text *out) {
  Arena *a = arena_new();
  for (int k = 0; k < SHADE_COUNT; k++) {
    BasinShade s = (BasinShade)k;
    int starts = shade_starts(b, s);
    if (!starts) continue;
    text_print(out, "%*s", GUTTER, "");
    if (style.colour && shade_terminal(s) >= 0)
      text_print(out, "\033[38;5;%dm█\033[0m", shade_terminal(s));
    else
      text_print(out, "%c", style.colour ? ' ' : shade_letter(s));
    text_print(out, " %8s  %s\n", s == SHADE_OPEN ? "" : basin_percent(b, starts, a),
               shade_name(b, s, a));
  }
  arena_free(a);
}

void basin_screen(Text *out, const Basin *b, PageStyle style) {
  Arena *a = arena_new();
  Screen s = screen_new(b, style, a);
  if (b->random)
    fill_from_random(&s, b);
  else
    fill_from_grid(&s, b);
  for (int line = 0; line < line_count(&s); line++) {
    print_gutter(b, line, line_count(&s), out);
    print_line(&s, line, out);
    text_add(out, "\n");
  }
  print_foot(b, &s, out);
  print_legend(b, style, out);
  arena_free(a);
}
