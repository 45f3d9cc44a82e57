#include "report/compare_figure.h"

#include <math.h>
#include <string.h>

#include "draw/figure_axes.h"

enum { WIDTH = 760, HEIGHT = 440, LEFT = 70, TOP = 36, BELOW = 50, BESIDE = 14 };
static const double LINE = 1.8, END_SIZE = 7;

typedef struct ConvergenceCurve { // of one method
  const char *label;
  double *x, *y; // a staircase: constant until the next evaluation
  int count;
  int behind; // number of earlier curves that coincide with it
} ConvergenceCurve;

static bool can_be_drawn(const ComparePoint *p) {
  return p->fair > 0 && p->best >= 0 && isfinite(p->best);
}

static ConvergenceCurve course_of(Arena *a, const CompareRow *r, double least) {
  const CompareRun *run = r->shown;
  int points = run ? run->trace.count : 0;
  ConvergenceCurve c = {.label = r->spec.label};
  c.x = ARENA_ARRAY(a, double, 2 * points + 2);
  c.y = ARENA_ARRAY(a, double, 2 * points + 2);
  for (int i = 0; i < points; i++) {
    const ComparePoint *p = &run->trace.at[i];
    if (!can_be_drawn(p)) continue;
    if (c.count) {
      c.x[c.count] = (double)p->fair;
      c.y[c.count] = c.y[c.count - 1];
      c.count++;
    }
    c.x[c.count] = (double)p->fair;
    c.y[c.count] = fmax(p->best, least);
    c.count++;
  }
  if (c.count && run->figures.fair > c.x[c.count - 1]) { // work after the last accepted step
    c.x[c.count] = run->figures.fair;
    c.y[c.count] = c.y[c.count - 1];
    c.count++;
  }
  return c;
}

// An objective of 0 has no logarithm: it is drawn at the lower edge.
static double least_positive(const Compare *c) {
  double least = HUGE_VAL;
  for (int i = 0; i < c->done; i++)
    for (int k = 0; c->rows[i].shown && k < c->rows[i].shown->trace.count; k++) {
      const ComparePoint *p = &c->rows[i].shown->trace.at[k];
      if (can_be_drawn(p) && p->best > 0) least = fmin(least, p->best);
    }
  return isfinite(least) ? least : 1;
}

static void widen(Axis *axis, const double *values, int count) {
  for (int i = 0; i < count; i++) {
    axis->least = fmin(axis->least, values[i]);
    axis->most = fmax(axis->most, values[i]);
  }
}

static void round_to_decades(Axis *axis) {
  axis->least = pow(10, floor(log10(axis->least)));
  axis->most = pow(10, ceil(log10(axis->most)));
  if (!(axis->most > axis->least)) axis->most = 10 * axis->least;
}

static bool runs_along(const ConvergenceCurve *a, const ConvergenceCurve *b) {
  int same = 0;
  while (same < a->count && same < b->count && a->x[same] == b->x[same] && a->y[same] == b->y[same])
    same++;
  return 2 * same > b->count;
}

static void find_what_is_hidden(ConvergenceCurve *courses, int count) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < i; k++) courses[i].behind += runs_along(&courses[k], &courses[i]);
}

// Dashes: coinciding curves behind show through the gaps.
static Stroke stroke_of(const ConvergenceCurve *c, int i) {
  return (Stroke){ink_series(i), LINE, (Dash)((i / INK_SERIES + c->behind) % DASH_COUNT)};
}

static void draw_course(const Axes *axes, const ConvergenceCurve *c, int i) {
  if (!c->count) return;
  Stroke s = stroke_of(c, i);
  axes_curve(axes, c->x, c->y, c->count, s);
  axes_markers(axes, &c->x[c->count - 1], &c->y[c->count - 1], 1, MARKER_CIRCLE, END_SIZE, s.ink,
               NO_STROKE);
}

static LegendRow *legend_of(Arena *a, const ConvergenceCurve *courses, int count) {
  LegendRow *rows = ARENA_ARRAY(a, LegendRow, count);
  for (int i = 0; i < count; i++)
    rows[i] = (LegendRow){.text = courses[i].label,
                          .fill = INK_NONE,
                          .stroke = stroke_of(&courses[i], i),
                          .line = true};
  return rows;
}

static void draw(Figure *f, const ConvergenceCurve *courses, int count, const LegendRow *rows,
                 double legend) {
  Axes axes = {f,
               {LEFT, TOP, f->width - LEFT - legend - 2 * BESIDE, f->height - TOP - BELOW},
               {HUGE_VAL, 0, true, "evaluations, slopes counted fairly"},
               {HUGE_VAL, 0, true, "best objective so far"}};
  for (int i = 0; i < count; i++) {
    widen(&axes.x, courses[i].x, courses[i].count);
    widen(&axes.y, courses[i].y, courses[i].count);
  }
  round_to_decades(&axes.x);
  round_to_decades(&axes.y);
  axes_grid(&axes);
  for (int i = 0; i < count; i++) draw_course(&axes, &courses[i], i);
  axes_border(&axes);
  axes_plot(&axes, false);
  for (int i = 0; i < count; i++) {
    Stroke stroke = stroke_of(&courses[i], i);
    figure_series(f, &(FigureSeries){courses[i].label, stroke.ink, stroke.dash, false, courses[i].x,
                                     courses[i].y, courses[i].count});
  }
  axes_title(&axes, f->title);
  legend_draw(f, (Spot){f->width - legend - BESIDE, TOP}, rows, count, false);
}

Figure *compare_figure(Arena *a, const Compare *c) {
  ConvergenceCurve *courses = ARENA_ARRAY(a, ConvergenceCurve, c->done + 1);
  int count = 0;
  double least = least_positive(c);
  for (int i = 0; i < c->done; i++) {
    ConvergenceCurve course = course_of(a, &c->rows[i], least);
    if (course.count) courses[count++] = course;
  }
  if (!count) return NULL;
  find_what_is_hidden(courses, count);
  const LegendRow *rows = legend_of(a, courses, count);
  double legend = legend_width(rows, count),
         high = fmax(HEIGHT, TOP + legend_height(count) + BESIDE);
  const char *path = problem_name(c->problem);
  Figure *f = figure_new(a, WIDTH + legend, high, arena_print(a, "Convergence: %s", path));
  draw(f, courses, count, rows, legend);
  return f;
}
