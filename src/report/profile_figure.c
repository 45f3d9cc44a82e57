#include "report/profile_figure.h"

#include <math.h>
#include <stdlib.h>

#include "report/figure_axes.h"
#include "report/profile_curve.h"
#include "report/rounded.h"

enum { SAMPLES = 401, COLUMNS_MOST = 3 };
static const double PANEL_WIDTH = 240, PANEL_HEIGHT = 170; // of the frames
static const double LEFT = 62, RIGHT = 22, ABOVE = 34, BELOW = 50, HEAD = 44, FOOT = 46;

typedef struct Panel {
  Axes axes;
  const Profile *p;
  const ProfileCurve *c;
  CurveSamples s;
  double offset; // what the numbers of the axis are less by
} Panel;

static Ink curve_ink(void) {
  return ink_series(0);
}
static Ink theory_ink(void) {
  return ink_series(1);
}

// Numbers that agree in many digits are shown as differences from a round one near the estimate.
static const double NARROW = 1e-3;

static double find_offset(double estimate, double least, double most) {
  if (most - least > NARROW * fabs(estimate)) return 0;
  char text[ROUNDED_SIZE];
  rounded_digits(estimate, 6, text);
  double offset = strtod(text, NULL);
  return isfinite(offset) ? offset : 0;
}

static const char *x_label(Arena *a, const Free *f, double offset) {
  char text[ROUNDED_SIZE];
  if (offset == 0) return axis_label(a, f->name, f->unit);
  rounded_digits(fabs(offset), 6, text);
  return axis_label(a, arena_print(a, "%s %s %s", f->name, offset > 0 ? "-" : "+", text), f->unit);
}

static double shown(const Panel *panel, double value) {
  return value - panel->offset;
}

static Panel panel_new(Figure *f, Frame frame, const Profile *p, const ProfileCurve *c) {
  Panel panel = {.p = p, .c = c, .s = curve_samples(f->arena, p, c, SAMPLES)};
  const Free *number = &p->problem->free[c->number];
  CurveSamples *s = &panel.s;
  if (!s->log) panel.offset = find_offset(p->fit->x[c->number], s->least, s->most);
  for (int i = 0; i < s->count; i++) s->value[i] = shown(&panel, s->value[i]);
  panel.axes = (Axes){f,
                      frame,
                      {.least = shown(&panel, s->least),
                       .most = shown(&panel, s->most),
                       .log = s->log,
                       .label = x_label(f->arena, number, panel.offset)},
                      {.least = 0, .most = s->highest, .label = "likelihood ratio"}};
  return panel;
}

// ---------------------------------------------------------------- inside of a panel

static void draw_interval(const Panel *panel) {
  const ProfileSide *side = panel->c->side;
  double x[2] = {shown(panel, side[0].at), shown(panel, side[1].at)};
  if (isnan(x[0]) || isnan(x[1])) return;
  double low[2] = {0, 0}, high[2] = {panel->s.highest, panel->s.highest};
  axes_band(&panel->axes, x, low, high, 2, ink_mix(curve_ink(), INK_WHITE, 0.9));
}

static void draw_bounds(const Panel *panel) {
  const Free *f = &panel->p->problem->free[panel->c->number];
  const double bound[2] = {f->min, f->max};
  for (int i = 0; i < 2; i++)
    if (bound[i] >= panel->s.least && bound[i] <= panel->s.most)
      axes_upright(&panel->axes, shown(panel, bound[i]), (Stroke){INK_BLACK, 1.6, DASH_FULL});
}

static void draw_points(const Panel *panel) {
  for (int i = 0; i < panel->c->point_count; i++) {
    const ProfilePoint *at = &panel->c->points[i];
    double x = shown(panel, at->value);
    if (at->ratio <= panel->s.highest && at->value >= panel->s.least && at->value <= panel->s.most)
      axes_markers(&panel->axes, &x, &at->ratio, 1, MARKER_CIRCLE, 4, curve_ink(), NO_STROKE);
  }
}

static void draw_ends(const Panel *panel) {
  for (int i = 0; i < 2; i++) {
    const ProfileSide *side = &panel->c->side[i];
    double x = shown(panel, side->at);
    if (side->end == PROFILE_CROSSED)
      axes_markers(&panel->axes, &x, &panel->p->threshold, 1, MARKER_DIAMOND, 9, INK_WHITE,
                   (Stroke){curve_ink(), 1.6, DASH_FULL});
  }
}

static const char *panel_title(Arena *a, const ProfileCurve *c, const char *name) {
  bool flat = c->verdict == PROFILE_IS_FLAT || c->verdict == PROFILE_IS_STRUCTURAL;
  const char *word = flat                               ? ": flat"
                     : c->verdict == PROFILE_IS_OPEN    ? ": open"
                     : c->verdict == PROFILE_IS_UNKNOWN ? ": not finished"
                                                        : "";
  return arena_print(a, "%s%s", name, word);
}

static void draw_panel(Figure *f, Frame frame, const Profile *p, const ProfileCurve *c) {
  Panel panel = panel_new(f, frame, p, c);
  const CurveSamples *s = &panel.s;
  draw_interval(&panel);
  axes_grid(&panel.axes);
  axes_level(&panel.axes, p->threshold, (Stroke){INK_GREY, 1.2, DASH_DASHED});
  axes_curve(&panel.axes, s->value, s->parabola, s->count,
             (Stroke){theory_ink(), 1.6, DASH_DASHED});
  axes_curve(&panel.axes, s->value, s->ratio, s->count, (Stroke){curve_ink(), 2, DASH_FULL});
  draw_bounds(&panel);
  draw_points(&panel);
  draw_ends(&panel);
  axes_border(&panel.axes);
  axes_title(&panel.axes, panel_title(f->arena, c, p->problem->free[c->number].name));
}

// ---------------------------------------------------------------- all panels

static void draw_legend(Figure *f, const Profile *p) {
  char threshold[ROUNDED_SIZE], level[ROUNDED_SIZE];
  rounded_digits(p->threshold, 4, threshold);
  rounded_digits(100 * p->level, 5, level);
  LegendRow rows[] = {
      {"profile", curve_ink(), {curve_ink(), 2, DASH_FULL}, MARKER_CIRCLE, true, false},
      {"covariance", INK_NONE, {theory_ink(), 1.6, DASH_DASHED}, MARKER_NONE, true, false},
      {arena_print(f->arena, "threshold %s (%s %%)", threshold, level),
       INK_NONE,
       {INK_GREY, 1.2, DASH_DASHED},
       MARKER_NONE,
       true,
       false},
      {"bound", INK_NONE, {INK_BLACK, 1.6, DASH_FULL}, MARKER_NONE, true, false}};
  double x = LEFT, y = f->height - FOOT + 8;
  for (int i = 0; i < 4; i++) {
    double width = legend_width(&rows[i], 1);
    if (x > LEFT && x + width > f->width - RIGHT) x = LEFT, y += LEGEND_LINE;
    legend_draw(f, (Spot){x, y}, &rows[i], 1, false);
    x += width + 14;
  }
}

static int drawable(const Profile *p) {
  int count = 0;
  for (int i = 0; i < p->count; i++) count += p->curves[i].point_count > 1;
  return count;
}

Figure *profile_figure(Arena *a, const Profile *p) {
  int count = drawable(p);
  if (!count) return NULL;
  int columns = count < COLUMNS_MOST ? count : COLUMNS_MOST, rows = (count + columns - 1) / columns;
  double cell_width = LEFT + PANEL_WIDTH + RIGHT, cell_height = ABOVE + PANEL_HEIGHT + BELOW;
  const char *title = arena_print(a, "Profile likelihood: %s", p->problem->path);
  Figure *f = figure_new(a, columns * cell_width, HEAD + rows * cell_height + FOOT, title);
  figure_text(f, (Spot){f->width / 2, 26}, title,
              (Lettering){.size = 15, .ink = INK_BLACK, .align = ALIGN_CENTRE, .bold = true});
  for (int i = 0, k = 0; i < p->count; i++) {
    if (p->curves[i].point_count < 2) continue;
    int row = k / columns, column = k % columns;
    Frame frame = {column * cell_width + LEFT, HEAD + row * cell_height + ABOVE, PANEL_WIDTH,
                   PANEL_HEIGHT};
    draw_panel(f, frame, p, &p->curves[i]);
    k++;
  }
  draw_legend(f, p);
  return f;
}
