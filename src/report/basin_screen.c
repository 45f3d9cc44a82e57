#include "report/basin_screen.h"

#include <math.h>
#include <string.h>

#include "write/rounded.h"

enum { GUTTER = 10, ROWS_MOST = 26, NOTHING = -1, STRIP_ROWS = 2 };

// A dot is half a character with colours, a whole character without.
typedef struct Screen {
  int columns, rows; // of dots; row 0 is at the bottom
  int *dot;          // shade, or NOTHING
  bool colour;
} Screen;

static int *dot_at(const Screen *s, int column, int row) {
  return &s->dot[(size_t)row * (size_t)s->columns + (size_t)column];
}

typedef struct Room { // in dots
  int wide, tall;
  int twice; // dots in width per dot in height: a letter is twice as high as wide
} Room;

static int least(int a, int b) {
  return a < b ? a : b;
}

// As many dots for each cell as fit, at most three; fewer dots than cells if there are too many cells.
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

// The starts of a dot: several if the grid is larger than the screen.
typedef struct Patch {
  int left, right, low, high; // left <= column < right, low <= row < high
} Patch;

static Patch patch_of(const Screen *s, const Basin *b, int column, int row) {
  int across = b->axes[0].count, up = b->axis_count > 1 ? b->axes[1].count : 1;
  Patch p = {(int)((long)column * across / s->columns),
             (int)((long)(column + 1) * across / s->columns), (int)((long)row * up / s->rows),
             (int)((long)(row + 1) * up / s->rows)};
  if (p.right <= p.left) p.right = p.left + 1;
  if (p.high <= p.low) p.high = p.low + 1;
  return p;
}

static int most_frequent(const int *seen) {
  int most = 0;
  for (int k = 1; k < SHADE_COUNT; k++)
    if (seen[k] > seen[most]) most = k;
  return most;
}

// The most frequent outcome over the axes that the map does not show, as in the picture.
static int cell_outcome(const Basin *b, int i, int j) {
  int across = b->axes[0].count, up = b->axis_count > 1 ? b->axes[1].count : 1;
  int seen[SHADE_COUNT] = {0};
  for (int at = j * across + i; at < b->count; at += across * up) seen[shade_of(b, at)]++;
  return most_frequent(seen);
}

// Keeps a small basin of the best optimum visible.
static int patch_outcome(const Basin *b, Patch p) {
  int seen[SHADE_COUNT] = {0};
  for (int j = p.low; j < p.high; j++)
    for (int i = p.left; i < p.right; i++) seen[cell_outcome(b, i, j)]++;
  return seen[SHADE_BEST] ? SHADE_BEST : most_frequent(seen);
}

static void fill_from_grid(Screen *s, const Basin *b) {
  for (int row = 0; row < s->rows; row++)
    for (int column = 0; column < s->columns; column++)
      *dot_at(s, column, row) = patch_outcome(b, patch_of(s, b, column, row));
}

static int dot_number(const BasinAxis *x, double v, int dots) {
  int k = (int)floor(basin_axis_fraction(x, v) * dots);
  return k < 0 ? 0 : k >= dots ? dots - 1 : k;
}

// If several starts share a dot, it shows the best optimum if one of them reached it, otherwise the worst outcome, because
// the search is not reliable there.
static int worse(int shown, int shade) {
  if (shown == SHADE_BEST || shade == SHADE_BEST) return SHADE_BEST;
  return shade > shown ? shade : shown;
}

static void fill_from_random(Screen *s, const Basin *b) {
  size_t n = (size_t)b->problem->unknown_count;
  for (int i = 0; i < s->columns * s->rows; i++) s->dot[i] = NOTHING;
  for (int i = 0; i < b->done; i++) {
    const double *x = b->starts + (size_t)i * n;
    int column = dot_number(&b->axes[0], x[b->axes[0].number], s->columns);
    for (int row = 0; row < s->rows; row++) {
      if (b->axis_count > 1 && row != dot_number(&b->axes[1], x[b->axes[1].number], s->rows))
        continue;
      int *dot = dot_at(s, column, row), shade = (int)shade_of(b, i);
      *dot = worse(*dot, shade);
    }
  }
}

// ---------------------------------------------------------------- printing

static int terminal_colour(int shade) {
  return shade == NOTHING ? -1 : shade_terminal((BasinShade)shade);
}

// The foreground colours the upper half, the background the lower half.
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

typedef struct Ends { // of an axis, as labels
  char low[ROUNDED_SIZE], high[ROUNDED_SIZE];
} Ends;

// As many digits as distinguish the ends; a single grid point has one label, at the upper end.
static Ends ends_of(const Basin *b, const BasinAxis *x) {
  Ends e = {{0}, {0}};
  if (!b->random && x->count == 1) {
    rounded_digits(basin_axis_value(x, 0), 4, e.high);
    return e;
  }
  for (int digits = 4; digits <= 15 && strcmp(e.low, e.high) == 0; digits++) {
    rounded_digits(x->low, digits, e.low);
    rounded_digits(x->high, digits, e.high);
  }
  return e;
}

static bool fits_gutter(const char *text) {
  return page_width_of(text) < GUTTER;
}

// Labels that do not fit beside the map are printed above it.
static void print_long_labels(const Basin *b, int lines, Text *out) {
  if (b->axis_count < 2) return;
  const BasinAxis *y = &b->axes[1];
  Ends e = ends_of(b, y);
  bool ends = fits_gutter(e.low) && fits_gutter(e.high), name = fits_gutter(y->name) && lines > 2;
  if (!name || !ends) text_print(out, "  upwards: %s", y->name);
  if (!ends) text_print(out, " from %s to %s", e.low, e.high);
  if (!name || !ends) text_add(out, "\n");
}

static void print_gutter(const Basin *b, int line, int lines, Text *out) {
  const char *label = "";
  Ends e = {{0}, {0}};
  if (b->axis_count > 1) {
    e = ends_of(b, &b->axes[1]);
    if (line == 0)
      label = e.high;
    else if (line == lines - 1)
      label = e.low;
    else if (line == lines / 2)
      label = b->axes[1].name;
  }
  if (!fits_gutter(label)) label = "";
  text_print(out, "%*s%s ", GUTTER - 1 - page_width_of(label), "", label);
}

static void print_foot(const Basin *b, const Screen *s, Text *out) {
  const BasinAxis *x = &b->axes[0];
  Ends e = ends_of(b, x);
  int used = (int)strlen(e.low) + (int)strlen(e.high), name = page_width_of(x->name);
  bool beside = used + name + 2 <= s->columns;
  int spare = s->columns - used - (beside ? name : 0);
  if (spare < 2) spare = 2;
  text_print(out, "%*s%s%*s%s%*s%s\n", GUTTER, "", e.low, spare / 2, "", beside ? x->name : "",
             spare - spare / 2, "", e.high);
  if (!beside) text_print(out, "  to the right: %s\n", x->name);
}

static bool starts_share_dots(const Basin *b, const Screen *s) {
  int taken = 0, tall = b->axis_count > 1 ? 1 : STRIP_ROWS; // dots of a start
  for (int i = 0; i < s->columns * s->rows; i++) taken += s->dot[i] != NOTHING;
  return taken < tall * b->done;
}

// Explains which of several starts a dot shows.
static void print_what_dots_mean(const Basin *b, const Screen *s, Text *out) {
  int up = b->axis_count > 1 ? b->axes[1].count : 1;
  if (b->random && starts_share_dots(b, s))
    text_print(out, "%*sseveral starts in one place: the best optimum, else the worst outcome\n",
               GUTTER, "");
  if (b->random) return;
  if (b->axis_count > 2)
    text_print(out, "%*sover %s%s the most frequent outcome\n", GUTTER, "", b->axes[2].name,
               b->axis_count > 3 ? ", ..." : "");
  if (b->axes[0].count > s->columns || (b->axis_count > 1 && up > s->rows))
    text_print(out, "%*sseveral starts each: the best optimum before the most frequent\n", GUTTER,
               "");
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
  print_long_labels(b, line_count(&s), out);
  for (int line = 0; line < line_count(&s); line++) {
    print_gutter(b, line, line_count(&s), out);
    print_line(&s, line, out);
    text_add(out, "\n");
  }
  print_foot(b, &s, out);
  print_what_dots_mean(b, &s, out);
  print_legend(b, style, out);
  arena_free(a);
}
