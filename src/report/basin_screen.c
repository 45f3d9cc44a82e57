#include "report/basin_screen.h"

#include <math.h>

#include "draw/map_screen.h"
#include "write/rounded.h"

enum { NOTHING = MAP_NOTHING, STRIP_ROWS = 2 };

static int *dot_at(const MapScreen *s, int column, int row) {
  return &s->dot[(size_t)row * (size_t)s->columns + (size_t)column];
}

static int least(int a, int b) {
  return a < b ? a : b;
}

// As many dots for each cell as fit, at most three; fewer dots than cells if there are too many cells.
static void size_for_grid(MapScreen *s, const Basin *b, MapRoom room) {
  int across = b->axes[0].count, up = b->axis_count > 1 ? b->axes[1].count : 1;
  bool flat = b->axis_count > 1;
  int twice = flat ? room.twice : 1;
  int each = least(3, room.wide / twice / across);
  if (flat) each = least(each, room.tall / up);
  s->columns = each >= 1 ? across * each * twice : least(across, room.wide);
  s->rows = !flat ? STRIP_ROWS : each >= 1 ? up * each : least(up, room.tall);
}

static MapScreen screen_new(const Basin *b, PageStyle style, Arena *a) {
  MapScreen s = {.colour = style.colour};
  MapRoom room = map_room(style);
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

static Patch patch_of(const MapScreen *s, const Basin *b, int column, int row) {
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

static void fill_from_grid(MapScreen *s, const Basin *b) {
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

static void fill_from_random(MapScreen *s, const Basin *b) {
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
  return shade_terminal((BasinShade)shade);
}
static char letter_of(int shade) {
  return shade_letter((BasinShade)shade);
}

// A single grid point has one label, at the upper end.
static MapAxis axis_text(const Basin *b, const BasinAxis *x) {
  if (b->random || x->count > 1) return map_axis(x->name, x->low, x->high);
  MapAxis axis = {.name = x->name};
  rounded_digits(basin_axis_value(x, 0), 4, axis.high);
  return axis;
}

static bool starts_share_dots(const Basin *b, const MapScreen *s) {
  int taken = 0, tall = b->axis_count > 1 ? 1 : STRIP_ROWS; // dots of a start
  for (int i = 0; i < s->columns * s->rows; i++) taken += s->dot[i] != NOTHING;
  return taken < tall * b->done;
}

// Explains which of several starts a dot shows.
static void print_what_dots_mean(const Basin *b, const MapScreen *s, Page *p) {
  int up = b->axis_count > 1 ? b->axes[1].count : 1;
  if (b->random && starts_share_dots(b, s))
    page_paragraph(p, MAP_GUTTER, "",
                   "several starts in one place: the best optimum, else the worst outcome");
  if (b->random) return;
  if (b->axis_count > 2)
    page_paragraph(p, MAP_GUTTER, "",
                   arena_print(p->arena, "over %s%s the most frequent outcome", b->axes[2].name,
                               b->axis_count > 3 ? ", ..." : ""));
  if (b->axes[0].count > s->columns || (b->axis_count > 1 && up > s->rows))
    page_paragraph(p, MAP_GUTTER, "",
                   "several starts each: the best optimum before the most frequent");
}

static const char *sample_of(Page *p, BasinShade s) {
  if (p->style.colour && shade_terminal(s) >= 0)
    return arena_print(p->arena, "\033[38;5;%dm█\033[0m", shade_terminal(s));
  return arena_print(p->arena, "%c", p->style.colour ? ' ' : shade_letter(s));
}

static void print_legend(const Basin *b, Page *p) {
  for (int k = 0; k < SHADE_COUNT; k++) {
    BasinShade s = (BasinShade)k;
    int starts = shade_starts(b, s);
    if (!starts) continue;
    const char *lead = arena_print(p->arena, "%*s%s %8s  ", MAP_GUTTER, "", sample_of(p, s),
                                   s == SHADE_OPEN ? "" : basin_percent(b, starts, p->arena));
    page_paragraph(p, page_width_of(lead), lead, shade_name(b, s, p->arena));
  }
}

void basin_screen(Text *out, const Basin *b, PageStyle style) {
  Arena *a = arena_new();
  MapScreen s = screen_new(b, style, a);
  if (b->random)
    fill_from_random(&s, b);
  else
    fill_from_grid(&s, b);
  MapAxis x = axis_text(b, &b->axes[0]), y = {0};
  if (b->axis_count > 1) y = axis_text(b, &b->axes[1]);
  s.terminal = terminal_colour, s.letter = letter_of;
  map_screen(out, &s, &x, b->axis_count > 1 ? &y : NULL);
  Page page = page_on(out, (PageStyle){.width = style.width, .colour = style.colour});
  print_what_dots_mean(b, &s, &page);
  print_legend(b, &page);
  page_done(&page);
  arena_free(a);
}
