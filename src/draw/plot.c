#include "draw/plot.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "draw/canvas.h"
#include "draw/ticks.h"
#include "write/listing.h"

enum { LEAST_WIDTH = 30, LEAST_HEIGHT = 8, LEAST_PANEL = 5, PANELS_MOST = 8, TICK_EVERY = 12 };

typedef struct ValueRange {
  double least, most; // least > most: nothing yet
} ValueRange;

typedef struct PlotPanel {
  ValueRange range;
  bool *shows; // by column
  int row_count;
} PlotPanel;

typedef struct Plot {
  Arena *arena;
  const Series *s;
  ValueRange time;
  ValueRange *ranges; // by column
  PlotPanel panels[PANELS_MOST];
  int panel_count;
  int width; // of the area of the curves, in cells
  int label; // width of the numbers at the left
  bool colour;
} Plot;

static ValueRange range_of(const double *v, int count) {
  ValueRange r = {HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < count; i++) {
    if (!isfinite(v[i])) continue;
    if (v[i] < r.least) r.least = v[i];
    if (v[i] > r.most) r.most = v[i];
  }
  return r;
}

static bool is_empty(ValueRange r) {
  return !(r.least <= r.most);
}

static double half_span(ValueRange r) {
  return r.most / 2 - r.least / 2;
}

static ValueRange hull(ValueRange a, ValueRange b) {
  return (ValueRange){fmin(a.least, b.least), fmax(a.most, b.most)};
}

// A curve joins a panel if neither it nor the others there become flat.
static bool fits(const Plot *plot, const PlotPanel *panel, int column) {
  const double too_flat = 10;
  ValueRange all = hull(panel->range, plot->ranges[column]);
  double span = half_span(all), own = half_span(plot->ranges[column]);
  if (own == 0) return half_span(panel->range) > 0 && span <= 1.5 * half_span(panel->range);
  if (span > too_flat * own) return false;
  for (int c = 1; c < plot->s->columns; c++) {
    if (!panel->shows[c]) continue;
    double other = half_span(plot->ranges[c]);
    if (other > 0 && span > too_flat * other) return false;
  }
  return true;
}

static void put(Plot *plot, int column, int panels_most) {
  PlotPanel *p = NULL;
  for (int i = 0; i < plot->panel_count && !p; i++)
    if (fits(plot, &plot->panels[i], column)) p = &plot->panels[i];
  if (!p && plot->panel_count < panels_most) {
    p = &plot->panels[plot->panel_count++];
    *p = (PlotPanel){plot->ranges[column], ARENA_ARRAY(plot->arena, bool, plot->s->columns), 0};
  }
  if (!p) p = &plot->panels[plot->panel_count - 1];
  p->range = hull(p->range, plot->ranges[column]);
  p->shows[column] = true;
}

static void add_blanks(Text *out, int count) {
  for (int i = 0; i < count; i++) text_add(out, " ");
}

static Pen pen_of(const Plot *plot, int column) {
  static const int ON[] = {1, 4, 1, 6, 2, 8}, OFF[] = {0, 3, 2, 2, 2, 4};
  int i = (column - 1) % 6;
  return plot->colour ? (Pen){i, 1, 0, 0} : (Pen){i, ON[i], OFF[i], 0};
}

// "⠒⠒ theta  ⠒⠒ omega", on as many lines as needed
static void print_legend(const Plot *plot, const PlotPanel *panel, Text *out) {
  enum { SAMPLE = 4 };
  int at = 0;
  for (int c = 1; c < plot->s->columns; c++) {
    if (!panel->shows[c]) continue;
    int width = SAMPLE + 1 + listing_width(plot->s->names[c]);
    if (at && at + 3 + width > plot->width) {
      text_add(out, "\n");
      at = 0;
    }
    add_blanks(out, at ? 3 : plot->label + 2);
    Canvas *sample = canvas_new(plot->arena, SAMPLE, 1);
    Pen pen = pen_of(plot, c);
    canvas_line(sample, &pen, 0, 1, SAMPLE * CELL_WIDTH - 1, 1);
    canvas_print_row(sample, 0, NULL, plot->colour, out);
    text_print(out, " %s", plot->s->names[c]);
    at += (at ? 3 : 0) + width;
  }
  text_add(out, "\n");
}

static int dot_at(double v, ValueRange r, int dots) {
  return (int)lround(ticks_fraction(v, r.least, r.most) * (dots - 1));
}

static void draw_curve(const Plot *plot, const PlotPanel *panel, Canvas *canvas, int column) {
  const double *time = plot->s->column[0], *value = plot->s->column[column];
  int wide = canvas->width * CELL_WIDTH, high = canvas->height * CELL_HEIGHT, x_old = 0, y_old = 0;
  Pen pen = pen_of(plot, column);
  bool drawing = false;
  for (int i = 0; i < plot->s->rows; i++) {
    if (!isfinite(time[i]) || !isfinite(value[i])) {
      drawing = false;
      continue;
    }
    int x = dot_at(time[i], plot->time, wide), y = high - 1 - dot_at(value[i], panel->range, high);
    if (!drawing) pen.travelled = 0;
    canvas_line(canvas, &pen, drawing ? x_old : x, drawing ? y_old : y, x, y);
    x_old = x;
    y_old = y;
    drawing = true;
  }
}

// The axis of a panel ends at a multiple of a quarter of the tick distance: close to the curves, at a round value.
static void round_range(ValueRange *r, int wanted, Ticks *ticks) {
  ticks_make(ticks, r->least, r->most, wanted);
  double unit = ticks->step / 4;
  double least = unit * floor(r->least / unit + 1e-9), most = unit * ceil(r->most / unit - 1e-9);
  if (isfinite(least) && isfinite(most) && least < most) *r = (ValueRange){least, most};
  ticks_make(ticks, r->least, r->most, wanted);
}

static int ticks_wanted(const PlotPanel *panel) {
  return panel->row_count < 6 ? 2 : panel->row_count / 3;
}

static int label_width(const Ticks *t) {
  int width = 0;
  for (int i = 0; i < t->count; i++) {
    int w = (int)strlen(t->label[i]);
    if (w > width) width = w;
  }
  return width;
}

static int tick_in_row(const Ticks *t, ValueRange r, int row_count, int row) {
  for (int i = 0; i < t->count; i++) {
    int y = row_count * CELL_HEIGHT - 1 - dot_at(t->at[i], r, row_count * CELL_HEIGHT);
    if (y / CELL_HEIGHT == row) return i;
  }
  return -1;
}

static void print_panel(const Plot *plot, const PlotPanel *panel, Text *out) {
  Ticks ticks;
  ticks_make(&ticks, panel->range.least, panel->range.most, ticks_wanted(panel));
  Canvas *canvas = canvas_new(plot->arena, plot->width, panel->row_count);
  for (int c = 1; c < plot->s->columns; c++)
    if (panel->shows[c]) draw_curve(plot, panel, canvas, c);
  print_legend(plot, panel, out);
  for (int row = 0; row < panel->row_count; row++) {
    int tick = tick_in_row(&ticks, panel->range, panel->row_count, row);
    bool zero_line = tick >= 0 && ticks.at[tick] == 0 && panel->range.least < 0;
    text_print(out, "%*s %s", plot->label, tick < 0 ? "" : ticks.label[tick], tick < 0 ? "│" : "┤");
    canvas_print_row(canvas, row, zero_line ? "┈" : NULL, plot->colour, out);
    text_add(out, "\n");
  }
}

static int tick_column(const Plot *plot, double t) {
  return dot_at(t, plot->time, plot->width * CELL_WIDTH) / CELL_WIDTH;
}

static void print_time_axis(const Plot *plot, Text *out) {
  Ticks ticks;
  ticks_make(&ticks, plot->time.least, plot->time.most, plot->width / TICK_EVERY);
  add_blanks(out, plot->label + 1);
  text_add(out, "└");
  for (int x = 0, i = 0; x < plot->width; x++) {
    bool marked = i < ticks.count && tick_column(plot, ticks.at[i]) == x;
    text_add(out, marked ? "┬" : "─");
    while (i < ticks.count && tick_column(plot, ticks.at[i]) <= x) i++;
  }
  text_print(out, " %s\n", plot->s->names[0]);
  int written = 0, offset = plot->label + 2;
  for (int i = 0; i < ticks.count; i++) {
    int length = (int)strlen(ticks.label[i]);
    int from = offset + tick_column(plot, ticks.at[i]) - (length - 1) / 2;
    if (from < 0) from = 0;
    if (written && from <= written) continue; // no room for this one
    add_blanks(out, from - written);
    text_add(out, ticks.label[i]);
    written = from + length;
  }
  text_add(out, "\n");
}

static bool find_ranges(Plot *plot) {
  const Series *s = plot->s;
  bool any = false;
  plot->ranges = ARENA_ARRAY(plot->arena, ValueRange, s->columns);
  for (int c = 0; c < s->columns; c++) {
    plot->ranges[c] = range_of(s->column[c], s->rows);
    any = any || (c && !is_empty(plot->ranges[c]));
  }
  if (!any || is_empty(plot->ranges[0])) return false;
  plot->time = plot->ranges[0];
  ticks_widen(&plot->time.least, &plot->time.most);
  return true;
}

static void share_height(Plot *plot, int height) {
  int rows = height - 2 - plot->panel_count; // two lines for the time, one legend for each panel
  for (int i = 0; i < plot->panel_count; i++) {
    int left = plot->panel_count - i, share = (rows + left - 1) / left;
    plot->panels[i].row_count = share < LEAST_PANEL - 2 ? LEAST_PANEL - 2 : share;
    rows -= share;
  }
}

static void lay_out(Plot *plot, int width, int height) {
  int panels_most = height / LEAST_PANEL;
  if (panels_most > PANELS_MOST) panels_most = PANELS_MOST;
  for (int c = 1; c < plot->s->columns; c++)
    if (!is_empty(plot->ranges[c])) put(plot, c, panels_most);
  share_height(plot, height);
  for (int i = 0; i < plot->panel_count; i++) {
    PlotPanel *panel = &plot->panels[i];
    Ticks ticks;
    ticks_widen(&panel->range.least, &panel->range.most);
    round_range(&panel->range, ticks_wanted(panel), &ticks);
    int w = label_width(&ticks);
    if (w > plot->label) plot->label = w;
  }
  plot->width = width - plot->label - 3 - listing_width(plot->s->names[0]);
  if (plot->width < LEAST_WIDTH / 2) plot->width = LEAST_WIDTH / 2;
}

void plot_series(const Series *s, const PlotStyle *style, Text *out) {
  Plot plot = {.arena = arena_new(), .s = s, .colour = style->colour};
  if (s->rows < 1 || s->columns < 2 || !find_ranges(&plot)) {
    text_add(out, "(nothing to plot)\n");
  } else {
    lay_out(&plot, style->width < LEAST_WIDTH ? LEAST_WIDTH : style->width,
            style->height < LEAST_HEIGHT ? LEAST_HEIGHT : style->height);
    for (int i = 0; i < plot.panel_count; i++) print_panel(&plot, &plot.panels[i], out);
    print_time_axis(&plot, out);
  }
  arena_free(plot.arena);
}
