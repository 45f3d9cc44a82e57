#include "draw/plot.h"

#include <math.h>

enum { LEAST_PANEL = 5, PANELS_MOST = 8 };

typedef struct ValueRange {
  double least, most; // least > most: nothing yet
} ValueRange;

typedef struct PlotPanel {
  ValueRange range;
  bool *shows; // by column
} PlotPanel;

typedef struct Plot {
  Arena *arena;
  const Series *s;
  ValueRange *ranges; // by column
  PlotPanel panels[PANELS_MOST];
  int panel_count;
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
    *p = (PlotPanel){plot->ranges[column], ARENA_ARRAY(plot->arena, bool, plot->s->columns)};
  }
  if (!p) p = &plot->panels[plot->panel_count - 1];
  p->range = hull(p->range, plot->ranges[column]);
  p->shows[column] = true;
}

static void find_ranges(Plot *plot) {
  const Series *s = plot->s;
  plot->ranges = ARENA_ARRAY(plot->arena, ValueRange, s->columns + 1);
  for (int c = 0; c < s->columns; c++) plot->ranges[c] = range_of(s->column[c], s->rows);
}

static void add_panel(Figure *f, const Plot *plot, const PlotPanel *panel) {
  const Series *s = plot->s;
  figure_plot(f, &(FigurePlot){.x_label = s->names[0], .y_label = ""});
  for (int c = 1; c < s->columns; c++)
    if (panel->shows[c])
      figure_series(f, &(FigureSeries){.name = s->names[c],
                                       .ink = ink_series(c - 1),
                                       .x = s->column[0],
                                       .y = s->column[c],
                                       .count = s->rows});
}

void plot_series(const Series *s, const ScreenStyle *style, Text *out) {
  Plot plot = {.arena = arena_new(), .s = s};
  int panels_most = style->height / LEAST_PANEL;
  if (panels_most < 1) panels_most = 1;
  if (panels_most > PANELS_MOST) panels_most = PANELS_MOST;
  Figure *f = figure_new(plot.arena, 0, 0, "");
  find_ranges(&plot);
  for (int c = 1; c < s->columns; c++)
    if (!is_empty(plot.ranges[c])) put(&plot, c, panels_most);
  for (int i = 0; i < plot.panel_count; i++) add_panel(f, &plot, &plot.panels[i]);
  figure_screen(f, PANELS_MOST, style, out);
  arena_free(plot.arena);
}
