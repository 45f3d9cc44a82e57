#include "report/optima_figure.h"

#include <float.h>
#include <math.h>

#include "draw/figure_panels.h"
#include "search/optima.h"

static const PanelSize PANEL = {520, 300, 1, false};
static const double DOT = 9, DOT_MOST = 34; // diameter for one search, and at most
static const double LEAST = 0.01;           // a difference below it is drawn as this one
static const Stroke CHANCE = {INK_GREY, 1.2, DASH_DASHED};

// ---------------------------------------------------------------- distance

static double scaled(const Unknown *u, double x) {
  return u->log ? log(x) : x;
}

static double unit_of(const FitResult *r, int i) {
  const Unknown *u = &r->problem->unknowns[i];
  double low = scaled(u, u->min), high = scaled(u, u->max);
  if (!(isfinite(low) && isfinite(high) && high > low)) {
    low = HUGE_VAL, high = -HUGE_VAL;
    for (int k = 0; k < r->optima.count; k++) {
      double x = scaled(u, r->optima.at[k].x[i]);
      low = fmin(low, x), high = fmax(high, x);
    }
  }
  return high > low ? high - low : 1;
}

double optimum_distance(const FitResult *r, int k) {
  const Problem *p = r->problem;
  double squares = 0;
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    double apart = scaled(u, r->optima.at[k].x[i]) - scaled(u, r->optima.at[0].x[i]);
    squares += pow(apart / unit_of(r, i), 2);
  }
  return sqrt(squares / (p->unknown_count > 0 ? p->unknown_count : 1));
}

// ---------------------------------------------------------------- picture

static Ink ink_of(int k) {
  return ink_series(k ? 1 : 0);
}

static bool is_apart(const FitResult *r, int k) {
  return k == 0 || r->optima.at[k].distinct;
}

static double height_of(const FitResult *r, int k) {
  double worse = r->optima.at[k].worse;
  return isfinite(worse) ? fmax(worse / 2, LEAST) : nan("");
}

static double size_of(const FitResult *r, int k) {
  int searches = r->optima.at[k].searches;
  return fmin(DOT * sqrt(searches > 1 ? searches : 1), DOT_MOST);
}

static int legend_of(const FitResult *r, LegendRow rows[4]) {
  bool joined = false, apart = false;
  int n = 0;
  for (int k = 1; k < r->optima.count; k++) {
    joined = joined || !is_apart(r, k);
    apart = apart || is_apart(r, k);
  }
  Stroke line = {ink_of(1), 1.6, DASH_FULL};
  rows[n++] = (LegendRow){"the best", ink_of(0), NO_STROKE, MARKER_CIRCLE, false, false};
  if (apart)
    rows[n++] = (LegendRow){"behind a barrier", ink_of(1), line, MARKER_CIRCLE, false, false};
  if (joined)
    rows[n++] = (LegendRow){"no barrier is known", INK_WHITE, line, MARKER_CIRCLE, false, false};
  rows[n++] = (LegendRow){"below: chance explains it", INK_NONE, CHANCE, MARKER_NONE, true, false};
  return n;
}

// Large ones first, so that they hide nothing.
static void draw_optima(const Axes *axes, const FitResult *r) {
  for (double size = DOT_MOST, next; size > 0; size = next) {
    next = 0;
    for (int k = r->optima.count - 1; k >= 0; k--) {
      if (size_of(r, k) < size) next = fmax(next, size_of(r, k));
      double x = optimum_distance(r, k), y = height_of(r, k);
      if (size_of(r, k) == size)
        axes_markers(axes, &x, &y, 1, MARKER_CIRCLE, size, is_apart(r, k) ? ink_of(k) : INK_WHITE,
                     (Stroke){is_apart(r, k) ? INK_WHITE : ink_of(k), is_apart(r, k) ? 0.8 : 1.6,
                              DASH_FULL});
    }
  }
}

Figure *optima_figure(Arena *a, const FitResult *r) {
  const Problem *p = r->problem;
  if (r->optima.count < 2) return NULL;
  LegendRow legend[4];
  const char *title = arena_print(a, "Optima found: %s", p->path ? p->path : "");
  Panels panels = panels_new(a, title, 1, PANEL, legend, legend_of(r, legend));
  int most = 1;
  Axes axes = {panels.figure, panels_frame(&panels, 0),
               AXIS_EMPTY(false, "distance of the parameters from the best, parts of their bounds"),
               AXIS_EMPTY(true, "log-likelihood below the best")};
  double chance = optima_chance(p->unknown_count) / 2;
  for (int k = 0; k < r->optima.count; k++) {
    double x = optimum_distance(r, k), y = height_of(r, k);
    axis_include(&axes.x, &x, 1);
    axis_include(&axes.y, &y, 1);
    most = r->optima.at[k].searches > most ? r->optima.at[k].searches : most;
  }
  axis_include(&axes.y, &chance, 1);
  axis_settle(&axes.x), axis_settle(&axes.y);
  double wide = DOT_MOST / 2 * (axes.x.most - axes.x.least) / axes.frame.width;
  axes.x.least -= wide, axes.x.most += wide;
  axes.y.least /= 1.6, axes.y.most = fmin(1.6 * axes.y.most, DBL_MAX);
  axes_grid(&axes);
  axes_level(&axes, chance, CHANCE);
  draw_optima(&axes, r);
  axes_border(&axes);
  double foot = panels.figure->height;
  panels.figure->height += LEGEND_LINE;
  figure_text_within(
      panels.figure, (Spot){panels_frame(&panels, 0).x, foot},
      arena_print(a, "Area: searches that ended there, at most %d. Less than %g is drawn there.",
                  most, LEAST),
      (Lettering){.size = AXES_TEXT, .ink = INK_GREY}, panels.figure->width - 90);
  return panels.figure;
}
