#include "report/profile_figure.h"

#include <math.h>
#include <stdlib.h>

#include "draw/figure_panels.h"
#include "report/profile_curve.h"
#include "write/rounded.h"

enum { SAMPLES = 401 };

typedef struct ProfilePanel {
  Axes axes;
  const Profile *p;
  const ProfileCurve *c;
  CurveSamples s;
} ProfilePanel;

static Ink curve_ink(void) {
  return ink_series(0);
}
static Ink theory_ink(void) {
  return ink_series(1);
}

static Stroke curve_stroke(void) {
  return (Stroke){curve_ink(), 2, DASH_FULL};
}
static Stroke theory_stroke(void) {
  return (Stroke){theory_ink(), 1.6, DASH_DASHED};
}
static const Stroke LEVEL = {INK_GREY, 1.2, DASH_DASHED};

static ProfilePanel panel_new(Figure *f, Frame frame, const Profile *p, const ProfileCurve *c) {
  ProfilePanel panel = {.p = p, .c = c, .s = curve_samples(f->arena, p, c, SAMPLES)};
  const Unknown *number = &p->problem->unknowns[c->number];
  CurveSamples *s = &panel.s;
  panel.axes = (Axes){f,
                      frame,
                      {.least = s->least,
                       .most = s->most,
                       .log = s->log,
                       .label = axis_label(f->arena, number->name, number->unit)},
                      {.least = 0, .most = s->highest, .label = "likelihood ratio"}};
  return panel;
}

// ---------------------------------------------------------------- one panel

static void draw_interval(const ProfilePanel *panel) {
  const ProfileSide *side = panel->c->side;
  double x[2] = {side[0].at, side[1].at};
  if (isnan(x[0]) || isnan(x[1])) return;
  double low[2] = {0, 0}, high[2] = {panel->s.highest, panel->s.highest};
  axes_band(&panel->axes, x, low, high, 2, ink_mix(curve_ink(), INK_WHITE, 0.9));
}

static bool is_shown(const CurveSamples *s, double bound) {
  return bound >= s->least && bound <= s->most;
}

static void draw_bounds(const ProfilePanel *panel) {
  const Unknown *f = &panel->p->problem->unknowns[panel->c->number];
  const double bound[2] = {f->min, f->max};
  for (int i = 0; i < 2; i++)
    if (is_shown(&panel->s, bound[i]))
      axes_upright(&panel->axes, bound[i], (Stroke){INK_BLACK, 1.6, DASH_FULL});
}

static void draw_points(const ProfilePanel *panel) {
  for (int i = 0; i < panel->c->point_count; i++) {
    const ProfilePoint *at = &panel->c->points[i];
    if (at->ratio <= panel->s.highest && at->value >= panel->s.least && at->value <= panel->s.most)
      axes_markers(&panel->axes, &at->value, &at->ratio, 1, MARKER_CIRCLE, 4, curve_ink(),
                   NO_STROKE);
  }
}

static void draw_ends(const ProfilePanel *panel) {
  for (int i = 0; i < 2; i++) {
    const ProfileSide *side = &panel->c->side[i];
    if (side->end == PROFILE_CROSSED)
      axes_markers(&panel->axes, &side->at, &panel->p->threshold, 1, MARKER_DIAMOND, 9, INK_WHITE,
                   (Stroke){curve_ink(), 1.6, DASH_FULL});
  }
}

static double *cut_above(Arena *a, const double *v, int count, double highest) {
  double *out = ARENA_ARRAY(a, double, count + 1);
  for (int i = 0; i < count; i++) out[i] = v[i] <= highest ? v[i] : nan("");
  return out;
}

static void add_series(const ProfilePanel *panel, const char *name, const double *y,
                       Stroke stroke) {
  Figure *f = panel->axes.figure;
  const CurveSamples *s = &panel->s;
  figure_series(f, &(FigureSeries){name, stroke.ink, stroke.dash, false, s->value,
                                   cut_above(f->arena, y, s->count, s->highest), s->count});
}

static void add_numbers(const ProfilePanel *panel) {
  double *level = ARENA_ARRAY(panel->axes.figure->arena, double, panel->s.count + 1);
  for (int i = 0; i < panel->s.count; i++) level[i] = panel->p->threshold;
  axes_plot(&panel->axes, false);
  add_series(panel, "profile", panel->s.ratio, curve_stroke());
  if (isfinite(panel->c->std_error))
    add_series(panel, "covariance", panel->s.parabola, theory_stroke());
  add_series(panel, "threshold", level, LEVEL);
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
  ProfilePanel panel = panel_new(f, frame, p, c);
  const CurveSamples *s = &panel.s;
  draw_interval(&panel);
  axes_grid(&panel.axes);
  axes_level(&panel.axes, p->threshold, LEVEL);
  axes_curve(&panel.axes, s->value, s->parabola, s->count, theory_stroke());
  axes_curve(&panel.axes, s->value, s->ratio, s->count, curve_stroke());
  draw_bounds(&panel);
  draw_points(&panel);
  draw_ends(&panel);
  axes_border(&panel.axes);
  axes_title(&panel.axes, panel_title(f->arena, c, p->problem->unknowns[c->number].name));
  add_numbers(&panel);
}

// ---------------------------------------------------------------- all panels

static bool is_drawn(const ProfileCurve *c) {
  return c->point_count > 1;
}

static bool any_bound_is_shown(Arena *a, const Profile *p) {
  for (int i = 0; i < p->count; i++) {
    const Unknown *f = &p->problem->unknowns[p->curves[i].number];
    CurveSamples s = curve_samples(a, p, &p->curves[i], 2);
    if (is_drawn(&p->curves[i]) && (is_shown(&s, f->min) || is_shown(&s, f->max))) return true;
  }
  return false;
}

static bool any_covariance_is_shown(const Profile *p) {
  for (int i = 0; i < p->count; i++)
    if (is_drawn(&p->curves[i]) && isfinite(p->curves[i].std_error)) return true;
  return false;
}

enum { LEGEND_MOST = 4 };

static int legend_rows(Arena *a, const Profile *p, LegendRow rows[LEGEND_MOST]) {
  char threshold[ROUNDED_SIZE], level[ROUNDED_SIZE];
  int count = 0;
  rounded_digits(p->threshold, 4, threshold);
  rounded_digits(100 * p->level, 6, level);
  rows[count++] = (LegendRow){"profile", curve_ink(), curve_stroke(), MARKER_CIRCLE, true, false};
  if (any_covariance_is_shown(p))
    rows[count++] = (LegendRow){"covariance", INK_NONE, theory_stroke(), MARKER_NONE, true, false};
  rows[count++] = (LegendRow){arena_print(a, "threshold %s (%s %%)", threshold, level),
                              INK_NONE,
                              LEVEL,
                              MARKER_NONE,
                              true,
                              false};
  if (any_bound_is_shown(a, p))
    rows[count++] =
        (LegendRow){"bound", INK_NONE, {INK_BLACK, 1.6, DASH_FULL}, MARKER_NONE, true, false};
  return count;
}

static int drawable(const Profile *p) {
  int count = 0;
  for (int i = 0; i < p->count; i++) count += is_drawn(&p->curves[i]);
  return count;
}

Figure *profile_figure(Arena *a, const Profile *p) {
  int count = drawable(p);
  if (!count) return NULL;
  LegendRow legend[LEGEND_MOST];
  int legend_count = legend_rows(a, p, legend);
  const char *title = arena_print(a, "Profile likelihood: %s", problem_name(p->problem));
  PanelSize size = PANEL_SMALL;
  size.titled = true;
  Panels panels = panels_new(a, title, count, size, legend, legend_count);
  for (int i = 0, k = 0; i < p->count; i++)
    if (is_drawn(&p->curves[i]))
      draw_panel(panels.figure, panels_frame(&panels, k++), p, &p->curves[i]);
  return panels.figure;
}
