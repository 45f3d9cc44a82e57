#include "report/scan_figure.h"

#include <math.h>
#include <stdlib.h>

#include "draw/figure_cells.h"
#include "draw/figure_panels.h"
#include "report/scan_picture.h"

static const Stroke OUTLINE = {INK_BLACK, 1.1, DASH_FULL}, HATCH = {0xA8A8A8, 0.7, DASH_FULL};
static const Stroke BOUND = {INK_BLACK, 1.2, DASH_DOTTED};
enum { LEGEND_MOST = 40 };

// Bounds are shown that a range goes beyond.
static bool min_is_shown(const ScanAxis *x) {
  return x->from < x->min && scan_value(x, x->count - 1) > x->min;
}
static bool max_is_shown(const ScanAxis *x) {
  return x->from < x->max && scan_value(x, x->count - 1) > x->max;
}

static int axes_drawn(const ObjectiveScan *s) {
  return scan_is_curves(s) ? 1 : s->axis_count;
}

static bool any_bound_is_shown(const ObjectiveScan *s) {
  bool any = false;
  for (int k = 0; k < axes_drawn(s); k++)
    any = any || min_is_shown(&s->axes[k]) || max_is_shown(&s->axes[k]);
  return any;
}

static void draw_bounds(const ObjectiveScan *s, const Axes *axes) {
  for (int k = 0; k < axes_drawn(s); k++) {
    const ScanAxis *x = &s->axes[k];
    void (*line)(const Axes *, double, Stroke) = k ? axes_level : axes_upright;
    if (min_is_shown(x)) line(axes, x->min, BOUND);
    if (max_is_shown(x)) line(axes, x->max, BOUND);
  }
}

static void add_bound_row(const ObjectiveScan *s, LegendRow *rows, int *count) {
  if (any_bound_is_shown(s))
    rows[(*count)++] = (LegendRow){"bound", INK_NONE, BOUND, MARKER_NONE, true, false};
}

static const double *axis_values(const ScanAxis *x, Arena *a) {
  double *v = ARENA_ARRAY(a, double, x->count + 1);
  for (int i = 0; i < x->count; i++) v[i] = scan_value(x, i);
  return v;
}

// ---------------------------------------------------------------- curves over one number

static Stroke curve_stroke(int i) {
  return (Stroke){ink_series(i), 1.8, (Dash)(i / INK_SERIES % DASH_COUNT)};
}

static int curve_legend(const ObjectiveScan *s, Arena *a, LegendRow *rows) {
  int count = 0;
  for (int i = 0; i < scan_curve_count(s) && count < LEGEND_MOST - 2; i++) {
    const char *label = scan_curve(s, 0, i, a).label;
    if (label[0])
      rows[count++] = (LegendRow){label, INK_NONE, curve_stroke(i), MARKER_NONE, true, false};
  }
  rows[count++] = (LegendRow){"least value", INK_WHITE, OUTLINE, MARKER_CIRCLE, false, false};
  add_bound_row(s, rows, &count);
  return count;
}

// How the least value moves from one lambda, or one value of the second number, to the next.
static void join_minima(const ObjectiveScan *s, const Axes *axes, int panel, const double *x) {
  Arena *a = axes->figure->arena;
  int count = scan_curve_count(s);
  double *at = ARENA_ARRAY(a, double, count + 1), *least = ARENA_ARRAY(a, double, count + 1);
  for (int i = 0; i < count; i++) {
    ScanCurve c = scan_curve(s, panel, i, a);
    at[i] = c.best >= 0 ? x[c.best] : nan("");
    least[i] = c.best >= 0 ? c.values[c.best] : nan("");
  }
  axes_curve(axes, at, least, count, (Stroke){INK_GREY, 1, DASH_DASHED});
}

static void add_numbers(const Axes *axes, const ObjectiveScan *s, int panel, const double *x) {
  Figure *f = axes->figure;
  axes_plot_titled(axes,
                   scan_panel_count(s) > 1 ? scan_lambda_text(f->arena, s->lambda[panel]) : "");
  for (int i = 0; i < scan_curve_count(s); i++) {
    ScanCurve c = scan_curve(s, panel, i, f->arena);
    Stroke stroke = curve_stroke(i);
    figure_series(f, &(FigureSeries){c.label[0] ? c.label : axes->y.label, stroke.ink, stroke.dash,
                                     false, x, c.values, s->axes[0].count});
  }
}

static void draw_curves(Figure *f, Frame frame, const ObjectiveScan *s, int panel) {
  const double *x = axis_values(&s->axes[0], f->arena);
  int count = s->axes[0].count, curves = scan_curve_count(s);
  Axis objective = AXIS_EMPTY(scan_curves_are_log(s), "objective");
  for (int i = 0; i < curves; i++)
    axis_include(&objective, scan_curve(s, panel, i, f->arena).values, count);
  axis_settle(&objective);
  Axes axes = {f, frame, scan_axis(s, 0, false, f->arena), objective};
  axes_grid(&axes);
  draw_bounds(s, &axes);
  for (int i = 0; i < curves; i++)
    axes_curve(&axes, x, scan_curve(s, panel, i, f->arena).values, count, curve_stroke(i));
  join_minima(s, &axes, panel, x);
  for (int i = 0; i < curves; i++) {
    ScanCurve c = scan_curve(s, panel, i, f->arena);
    if (c.best >= 0)
      axes_markers(&axes, &x[c.best], &c.values[c.best], 1, MARKER_CIRCLE, 8, INK_WHITE,
                   (Stroke){ink_series(i), 1.6, DASH_FULL});
  }
  axes_border(&axes);
  add_numbers(&axes, s, panel, x);
}

static Figure *curves_figure(Arena *a, const ObjectiveScan *s) {
  LegendRow rows[LEGEND_MOST];
  int row_count = curve_legend(s, a, rows), count = scan_panel_count(s);
  PanelSize size = PANEL_WIDE;
  size.titled = count > 1;
  Panels panels = panels_new(a, scan_title(s, a), count, size, rows, row_count);
  for (int k = 0; k < count; k++) {
    Frame frame = panels_frame(&panels, k);
    draw_curves(panels.figure, frame, s, k);
    if (count > 1)
      axes_title(&(Axes){.figure = panels.figure, .frame = frame},
                 scan_lambda_text(a, s->lambda[k]));
  }
  return panels.figure;
}

// ---------------------------------------------------------------- maps over two numbers

enum { SHOWN_MOST = 400 };       // cells along an axis
enum { LINES = 14, LABELS = 6 }; // about so many lines of equal height, numbers at the scale
static const double BAR_WIDTH = 12, BAR_ROOM = 78, BAR_GAP = 10;
static const PanelSize MAP_PANEL = {400, 300, 2, false};

typedef struct MapGrid { // as many points as can be seen
  int columns, rows;
  double *x, *y, *z; // z: the objective
  double *height;    // of z along the scale
} MapGrid;

static int shown(int count) {
  return count < SHOWN_MOST ? count : SHOWN_MOST;
}

static int point_shown(int k, int of, int count) {
  return of < count ? (int)lround((double)k * (count - 1) / (of - 1)) : k;
}

static MapGrid map_grid(Arena *a, const ObjectiveScan *s, int lambda, const ScanScale *scale) {
  const ScanAxis *x = &s->axes[0], *y = &s->axes[1];
  MapGrid g = {.columns = shown(x->count), .rows = shown(y->count)};
  size_t all = (size_t)g.columns * (size_t)g.rows;
  g.x = ARENA_ARRAY(a, double, g.columns + 1), g.y = ARENA_ARRAY(a, double, g.rows + 1);
  g.z = ARENA_ARRAY(a, double, all + 1), g.height = ARENA_ARRAY(a, double, all + 1);
  for (int i = 0; i < g.columns; i++) g.x[i] = scan_value(x, point_shown(i, g.columns, x->count));
  for (int j = 0; j < g.rows; j++) g.y[j] = scan_value(y, point_shown(j, g.rows, y->count));
  for (int j = 0; j < g.rows; j++)
    for (int i = 0; i < g.columns; i++) {
      size_t from = (size_t)point_shown(j, g.rows, y->count) * (size_t)x->count +
                    (size_t)point_shown(i, g.columns, x->count);
      size_t to = (size_t)j * (size_t)g.columns + (size_t)i;
      g.z[to] = scan_objectives(s, lambda)[from];
      g.height[to] = isfinite(g.z[to]) ? scan_height(scale, g.z[to]) : nan("");
    }
  return g;
}

static void paint_cell(void *data, Figure *f, int band, Frame patch) {
  (void)data;
  figure_box(f, patch, scan_ink(band), NO_STROKE);
  if (band == SCAN_GAP) figure_hatch(f, patch, 6, HATCH);
}

static void draw_cells(const Axes *axes, const MapGrid *g, const ScanScale *scale) {
  Arena *a = axes->figure->arena;
  size_t all = (size_t)g->columns * (size_t)g->rows;
  unsigned char *band = ARENA_ARRAY(a, unsigned char, all + 1);
  for (size_t i = 0; i < all; i++) band[i] = (unsigned char)scan_band(scale, g->z[i]);
  figure_cells(axes->figure, axes->frame, &(FigureCells){g->columns, g->rows, band}, paint_cell,
               NULL);
}

// Light on dark, dark on light.
static Stroke level_stroke(double height) {
  return (Stroke){height < 0.6 ? INK_ON_DARK : INK_ON_LIGHT, 0.7, DASH_FULL};
}

static void draw_levels(const Axes *axes, const MapGrid *g, const ScanScale *scale,
                        const Ticks *ticks) {
  HeightGrid heights = {g->x, g->y, g->columns, g->rows, g->height};
  for (int i = 0; i < ticks->count; i++) {
    double height = scan_height(scale, ticks->at[i]);
    if (height > 0 && height < 1) axes_height_lines(axes, &heights, height, level_stroke(height));
  }
}

// The scale of colours with the levels of the lines.
static void draw_bar(Figure *f, Frame bar, const ScanScale *scale, const Ticks *lines,
                     const Ticks *labels) {
  double each = bar.height / SCAN_BANDS;
  for (int k = 0; k < SCAN_BANDS; k++)
    figure_box(f, (Frame){bar.x, bar.y + bar.height - (k + 1) * each, bar.width, each}, scan_ink(k),
               NO_STROKE);
  for (int i = 0; i < lines->count; i++) {
    double height = scan_height(scale, lines->at[i]), y = bar.y + bar.height * (1 - height);
    figure_line(f, (Spot){bar.x, y}, (Spot){bar.x + bar.width, y}, level_stroke(height));
  }
  figure_box(f, bar, INK_NONE, (Stroke){0x303030, 1, DASH_FULL});
  for (int i = 0; i < labels->count; i++) {
    double y = bar.y + bar.height * (1 - scan_height(scale, labels->at[i]));
    figure_text_within(f, (Spot){bar.x + bar.width + 5, y}, labels->label[i],
                       (Lettering){.size = AXES_TEXT, .centred = true},
                       BAR_ROOM - BAR_GAP - BAR_WIDTH - 5);
  }
}

static void draw_points(const ObjectiveScan *s, const Axes *axes, int lambda) {
  int best = s->best[lambda], columns = s->axes[0].count;
  double at[2] = {s->x[s->axes[0].numbers[0]], s->x[s->axes[1].numbers[0]]};
  axes_markers(axes, &at[0], &at[1], 1, MARKER_CIRCLE, 9, INK_WHITE, OUTLINE);
  if (best < 0) return;
  double x = scan_value(&s->axes[0], best % columns), y = scan_value(&s->axes[1], best / columns);
  axes_markers(axes, &x, &y, 1, MARKER_STAR, 15, INK_WHITE, OUTLINE);
}

static void draw_map(Figure *f, Frame frame, const ObjectiveScan *s, int lambda) {
  ScanScale scale = scan_scale(s, lambda);
  MapGrid g = map_grid(f->arena, s, lambda, &scale);
  Frame inside = frame, bar = frame;
  inside.width -= BAR_ROOM;
  bar.x = inside.x + inside.width + BAR_GAP, bar.width = BAR_WIDTH;
  Axes axes = {f, inside, scan_axis(s, 0, true, f->arena), scan_axis(s, 1, true, f->arena)};
  Ticks lines, labels;
  axis_ticks(&scale.axis, LINES, &lines);
  axis_ticks(&scale.axis, LABELS, &labels);
  draw_cells(&axes, &g, &scale);
  draw_levels(&axes, &g, &scale, &lines);
  draw_bounds(s, &axes);
  draw_points(s, &axes, lambda);
  axes_border(&axes);
  draw_bar(f, bar, &scale, &lines, &labels);
  if (s->lambda_count > 1 || s->lambda[0] > 0)
    axes_title(&axes, scan_lambda_text(f->arena, s->lambda[lambda]));
}

static Figure *maps_figure(Arena *a, const ObjectiveScan *s) {
  LegendRow rows[LEGEND_MOST];
  int count = 0;
  rows[count++] = (LegendRow){"least value", INK_WHITE, OUTLINE, MARKER_STAR, false, false};
  rows[count++] = (LegendRow){"given values", INK_WHITE, OUTLINE, MARKER_CIRCLE, false, false};
  add_bound_row(s, rows, &count);
  if (s->failed || s->done < s->points * s->lambda_count)
    rows[count++] = (LegendRow){"not simulated", INK_WHITE, HATCH, MARKER_NONE, false, true};
  PanelSize size = MAP_PANEL;
  size.titled = s->lambda_count > 1 || s->lambda[0] > 0;
  Panels panels = panels_new(a, scan_title(s, a), s->lambda_count, size, rows, count);
  for (int i = 0; i < s->lambda_count; i++) draw_map(panels.figure, panels_frame(&panels, i), s, i);
  return panels.figure;
}

Figure *scan_figure(Arena *a, const ObjectiveScan *s) {
  bool any = false;
  for (int i = 0; i < s->lambda_count; i++) any = any || s->best[i] >= 0;
  if (!any) return NULL;
  return scan_is_curves(s) ? curves_figure(a, s) : maps_figure(a, s);
}
