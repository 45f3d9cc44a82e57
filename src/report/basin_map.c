#include "report/basin_map.h"

#include <math.h>
#include <stdio.h>

#include "draw/figure_axes.h"
#include "draw/figure_cells.h"
#include "write/rounded.h"

static const double SIDE = 420, LEFT = 70, TOP = 62, BOTTOM = 56, GAP = 18, EDGE = 12; // points
static const Stroke OUTLINE = {INK_BLACK, 1.1, DASH_FULL}, HATCH = {0xA8A8A8, 0.7, DASH_FULL};
enum { LEGEND_ROWS = SHADE_COUNT + 4 };

// ---------------------------------------------------------------- legend and title

static int legend_rows(const Basin *b, Arena *a, LegendRow *rows) {
  int count = 0;
  for (int s = 0; s < SHADE_COUNT; s++) {
    int starts = shade_starts(b, (BasinShade)s);
    if (!starts) continue;
    const char *name = shade_name(b, (BasinShade)s, a);
    if (s != SHADE_OPEN) name = arena_print(a, "%s: %s", basin_percent(b, starts, a), name);
    rows[count++] =
        (LegendRow){.text = name,
                    .fill = shade_ink((BasinShade)s),
                    .stroke = s >= SHADE_OTHER ? (Stroke){0xB0B0B0, 0.8, DASH_FULL} : NO_STROKE,
                    .hatched = s == SHADE_NOT_CONVERGED};
  }
  return count;
}

static void add_marker_rows(const Basin *b, LegendRow *rows, int *count) {
  if (b->optimum_count)
    rows[(*count)++] =
        (LegendRow){"optimum (star: the best)", INK_WHITE, OUTLINE, MARKER_DIAMOND, false, false};
  rows[(*count)++] =
      (LegendRow){"start of the problem", INK_WHITE, OUTLINE, MARKER_CIRCLE, false, false};
  if (b->truth)
    rows[(*count)++] =
        (LegendRow){"truth", INK_NONE, {INK_BLACK, 1.8, DASH_FULL}, MARKER_CROSS, false, false};
}

static const char *subtitle(const Basin *b, Arena *a) {
  const char *more = b->axis_count > 2 && !b->random ? "; the most frequent outcome" : "";
  const char *file = figure_shortened(a, problem_name(b->problem), AXES_TEXT, false, SIDE / 2);
  return arena_print(a, "%s, %s: %s%s%s", file, basin_method(b, a), basin_starts_text(b, a),
                     basin_fixed(b, a), more);
}

static void draw_titles(const Basin *b, const Axes *axes, Arena *a) {
  figure_text(axes->figure, (Spot){axes->frame.x, 24}, basin_headline(b, a),
              (Lettering){.size = AXES_TEXT + 3, .bold = true});
  figure_text_within(axes->figure, (Spot){axes->frame.x, 44}, subtitle(b, a),
                     (Lettering){.size = AXES_TEXT, .ink = 0x505050},
                     axes->figure->width - axes->frame.x - EDGE);
}

// ---------------------------------------------------------------- cells

// The axis extends half a cell beyond the first and the last point.
static Axis axis_of(const Basin *b, const BasinAxis *x, Arena *a) {
  const Unknown *f = &b->problem->unknowns[x->number];
  Axis axis = {x->low, x->high, x->scale == BASIN_LOG, axis_label(a, f->name, f->unit)};
  double half = b->random || x->count < 2 ? 0.02 : 0.5 / (x->count - 1);
  if (axis.log) {
    double factor = pow(x->high / x->low, half);
    axis.least /= factor, axis.most *= factor;
  } else {
    axis.least -= half * (x->high - x->low), axis.most += half * (x->high - x->low);
  }
  return axis;
}

// The outcome of a cell of the first two axes: the most frequent one over the other axes.
static BasinShade cell_shade(const Basin *b, int i, int j) {
  int seen[SHADE_COUNT] = {0}, best = 0;
  int first = b->axes[0].count, second = b->axes[1].count;
  for (int at = j * first + i; at < b->count; at += first * second) seen[shade_of(b, at)]++;
  for (int s = 1; s < SHADE_COUNT; s++)
    if (seen[s] > seen[best]) best = s;
  return (BasinShade)best;
}

static void draw_patch(void *data, Figure *f, int shade, Frame frame) {
  (void)data;
  figure_box(f, frame, shade_ink((BasinShade)shade), NO_STROKE);
  if (shade == SHADE_NOT_CONVERGED) figure_hatch(f, frame, 6, HATCH);
}

static void draw_cells(const Basin *b, const Axes *axes, Arena *a) {
  int columns = b->axes[0].count, rows = b->axes[1].count;
  unsigned char *shade = ARENA_ARRAY(a, unsigned char, (size_t)columns *(size_t)rows);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < columns; i++)
      shade[(size_t)j * (size_t)columns + (size_t)i] = (unsigned char)cell_shade(b, i, j);
  figure_cells(axes->figure, axes->frame, &(FigureCells){columns, rows, shade}, draw_patch, NULL);
}

static void draw_spots(const Basin *b, const Axes *axes) {
  int n = b->problem->unknown_count;
  double size = b->count > 2000 ? 4 : b->count > 300 ? 6 : 8;
  axes_grid(axes);
  for (int i = 0; i < b->done; i++) {
    const double *x = b->starts + (size_t)i * (size_t)n;
    BasinShade s = shade_of(b, i);
    Stroke edge = {s == SHADE_NOT_CONVERGED || s == SHADE_OTHER
                       ? 0x808080
                       : ink_mix(shade_ink(s), INK_BLACK, 0.4),
                   0.6, DASH_FULL};
    axes_markers(axes, &x[b->axes[0].number], &x[b->axes[1].number], 1, MARKER_CIRCLE, size,
                 shade_ink(s), edge);
  }
}

static void draw_markers(const Basin *b, const Axes *axes) {
  const Unknown *f = b->problem->unknowns;
  int x = b->axes[0].number, y = b->axes[1].number;
  for (int k = b->optimum_count - 1; k >= 0; k--) {
    BasinShade s = shade_of_optimum(b, k);
    if (s == SHADE_OTHER) continue;
    axes_markers(axes, &b->optima[k].x[x], &b->optima[k].x[y], 1, k ? MARKER_DIAMOND : MARKER_STAR,
                 k ? 10 : 16, ink_mix(shade_ink(s), INK_WHITE, k ? 0.25 : 0.75), OUTLINE);
  }
  axes_markers(axes, &f[x].start, &f[y].start, 1, MARKER_CIRCLE, 10, INK_WHITE,
               (Stroke){INK_BLACK, 2, DASH_FULL});
  if (b->truth)
    axes_markers(axes, &b->truth[x], &b->truth[y], 1, MARKER_CROSS, 9, INK_NONE,
                 (Stroke){INK_BLACK, 1.8, DASH_FULL});
}

// ---------------------------------------------------------------- one axis

// Objectives of exact fits are errors of the simulation, so their distance below the others means nothing.
static Axis objective_axis(const Basin *b) {
  double least = HUGE_VAL, most = 0;
  for (int i = 0; i < b->done; i++) {
    double v = b->start[i].objective;
    if (!(v < HUGE_VAL)) continue;
    least = fmin(least, v), most = fmax(most, v);
  }
  if (!(most > 0)) return (Axis){1e-3, 1, true, "objective reached"};
  least = fmin(fmax(least, 1e-8 * most), most / 10);
  return (Axis){least / 2, most * 2, true, "objective reached"};
}

static void draw_profile(const Basin *b, const Axes *axes) {
  int n = b->problem->unknown_count;
  axes_grid(axes);
  for (int i = 0; i < b->done; i++) {
    double x = b->starts[(size_t)i * (size_t)n + (size_t)b->axes[0].number];
    double y = fmax(b->start[i].objective, axes->y.least * 1.3);
    BasinShade s = shade_of(b, i);
    if (s == SHADE_FAILED) y = axes->y.most / 1.3;
    axes_markers(axes, &x, &y, 1, MARKER_CIRCLE, b->count > 300 ? 4 : 6, shade_ink(s),
                 (Stroke){ink_mix(shade_ink(s), INK_BLACK, 0.4), 0.6, DASH_FULL});
  }
  axes_upright(axes, b->problem->unknowns[b->axes[0].number].start,
               (Stroke){INK_BLACK, 1, DASH_DASHED});
}

static void add_line_row(LegendRow *rows, int *count) {
  rows[(*count)++] = (LegendRow){
      "start of the problem", INK_NONE, {INK_BLACK, 1, DASH_DASHED}, MARKER_NONE, true, false};
}

// ---------------------------------------------------------------- the picture

Figure *basin_map(const Basin *b, Arena *a) {
  LegendRow rows[LEGEND_ROWS];
  int count = legend_rows(b, a, rows);
  bool flat = b->axis_count > 1;
  if (flat)
    add_marker_rows(b, rows, &count);
  else
    add_line_row(rows, &count);
  double height = flat ? SIDE : 0.7 * SIDE;
  double text = LEFT + figure_text_room(basin_headline(b, a), AXES_TEXT + 3, true);
  double width = fmax(LEFT + SIDE + GAP + legend_width(rows, count), text) + EDGE;
  Figure *f = figure_new(a, ceil(width), TOP + height + BOTTOM, basin_headline(b, a));
  Axes axes = {f,
               {LEFT, TOP, SIDE, height},
               axis_of(b, &b->axes[0], a),
               flat ? axis_of(b, &b->axes[1], a) : objective_axis(b)};
  if (!flat)
    draw_profile(b, &axes);
  else if (b->random)
    draw_spots(b, &axes);
  else
    draw_cells(b, &axes, a);
  if (flat) draw_markers(b, &axes);
  axes_border(&axes);
  draw_titles(b, &axes, a);
  legend_draw(f, (Spot){LEFT + SIDE + GAP, TOP}, rows, count, false);
  return f;
}
