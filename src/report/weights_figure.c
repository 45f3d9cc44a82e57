// Samples that would cover one another are drawn as one dot in the colour of the largest weight, and large weights cover
// small ones: so files stay small, and a short transient is seen among many steady samples.
#include "report/weights_figure.h"

#include <math.h>
#include <stdlib.h>

#include "draw/colour_scale.h"
#include "draw/figure_panels.h"

static const PanelSize PANELS = {300, 250, 3, false};
static const double DOT = 4, BIN = 2; // diameter of a dot, distance of those that are told apart
static const double LOG_FROM = 20;    // ratio of weights from which on their scale is logarithmic
enum { VARIABLES_MOST = 4, TIMES_MOST = 3 };
static const Ink ZERO_INK = 0xB8B8B8; // of samples that do not count

typedef struct Dot {
  double x, y, weight;
} Dot;

typedef struct DotList {
  Dot *at;
  int count;
} DotList;

static int compare_weights(const void *a, const void *b) {
  double x = ((const Dot *)a)->weight, y = ((const Dot *)b)->weight;
  return (x > y) - (x < y);
}

// One dot for each bin of the frame, the smallest weights first.
static DotList thin_out(Arena *a, const Axes *axes, const DotList *all) {
  int columns = (int)(axes->frame.width / BIN) + 2, rows = (int)(axes->frame.height / BIN) + 2;
  int *best = ARENA_ARRAY(a, int, (size_t)columns *(size_t)rows);
  DotList out = {ARENA_ARRAY(a, Dot, (size_t)columns * (size_t)rows), 0};
  for (int i = 0; i < all->count; i++) {
    Spot s = axes_spot(axes, all->at[i].x, all->at[i].y);
    if (!(s.x >= axes->frame.x && s.x <= axes->frame.x + axes->frame.width &&
          s.y >= axes->frame.y && s.y <= axes->frame.y + axes->frame.height))
      continue;
    int *bin =
        &best[(int)((s.y - axes->frame.y) / BIN) * columns + (int)((s.x - axes->frame.x) / BIN)];
    if (!*bin || all->at[i].weight > all->at[*bin - 1].weight) *bin = i + 1;
  }
  for (int i = 0; i < columns * rows; i++)
    if (best[i]) out.at[out.count++] = all->at[best[i] - 1];
  qsort(out.at, (size_t)out.count, sizeof *out.at, compare_weights);
  return out;
}

static void draw_dots(Arena *a, Axes *axes, const DotList *all, const ColourScale *scale) {
  for (int i = 0; i < all->count; i++) {
    axis_include(&axes->x, &all->at[i].x, 1);
    axis_include(&axes->y, &all->at[i].y, 1);
  }
  axis_settle(&axes->x), axis_settle(&axes->y);
  axes_grid(axes);
  DotList dots = thin_out(a, axes, all);
  for (int i = 0; i < dots.count; i++)
    figure_circle(axes->figure, axes_spot(axes, dots.at[i].x, dots.at[i].y), DOT / 2,
                  dots.at[i].weight > 0 ? colour_of(scale, dots.at[i].weight) : ZERO_INK,
                  NO_STROKE);
  axes_border(axes);
}

// ---------------------------------------------------------------- panels

typedef struct WeightsSheet {
  Arena *a;
  const Problem *p;
  const SampleWeights *w;
  ColourScale scale;
  int shown[VARIABLES_MOST], shown_count; // variables that change
  Panels panels;
  int next; // panel
} WeightsSheet;

static double time_shown(const Experiment *x, double t) {
  return x->origin + t;
}

// y < 0: the weights.
static void draw_plane(WeightsSheet *s, int x, int y) {
  const WeightVariable *v = s->w->variables;
  Axes axes = {
      s->panels.figure, panels_frame(&s->panels, s->next++),
      AXIS_EMPTY(false, axis_label(s->a, v[x].name, v[x].unit)),
      AXIS_EMPTY(y < 0 && s->scale.log, y < 0 ? "weight" : axis_label(s->a, v[y].name, v[y].unit))};
  DotList all = {ARENA_ARRAY(s->a, Dot, s->w->count + 1), 0};
  for (int e = 0; e < s->p->experiment_count; e++)
    for (int i = 0; i < s->w->at[e].count; i++) {
      const WeightInstants *at = &s->w->at[e];
      all.at[all.count++] =
          (Dot){at->value[x][i], y < 0 ? at->weight[i] : at->value[y][i], at->weight[i]};
    }
  draw_dots(s->a, &axes, &all, &s->scale);
}

static void draw_time(WeightsSheet *s, int e) {
  const Experiment *x = &s->p->experiments[e];
  const WeightInstants *at = &s->w->at[e];
  const char *label =
      s->p->experiment_count > 1
          ? arena_print(s->a, "%s of %s", x->without_times ? "row" : "time", x->name)
      : x->without_times ? "row"
                         : "time";
  Axes axes = {s->panels.figure, panels_frame(&s->panels, s->next++), AXIS_EMPTY(false, label),
               AXIS_EMPTY(s->scale.log, "weight")};
  DotList all = {ARENA_ARRAY(s->a, Dot, at->count + 1), at->count};
  for (int i = 0; i < at->count; i++)
    all.at[i] = (Dot){time_shown(x, at->t[i]), at->weight[i], at->weight[i]};
  draw_dots(s->a, &axes, &all, &s->scale);
  double *t = ARENA_ARRAY(s->a, double, at->count + 1);
  for (int i = 0; i < at->count; i++) t[i] = all.at[i].x;
  axes_plot(&axes, false);
  figure_series(axes.figure, &(FigureSeries){"weight", ink_series(0), DASH_FULL, true, t,
                                             at->weight, at->count});
}

static void choose_scale(WeightsSheet *s) {
  double least = s->w->most;
  for (int e = 0; e < s->p->experiment_count; e++)
    for (int i = 0; i < s->w->at[e].count; i++)
      if (s->w->at[e].weight[i] > 0) least = fmin(least, s->w->at[e].weight[i]);
  s->scale = (ColourScale){least, s->w->most, s->w->most > LOG_FROM * least, "weight", false};
}

static const char *sheet_title(const WeightsSheet *s) {
  int changing = 0;
  for (int k = 0; k < s->w->variable_count; k++) changing += s->w->variables[k].range > 0;
  const char *some =
      changing > s->shown_count
          ? arena_print(s->a, " (the first %d of %d variables)", s->shown_count, changing)
          : "";
  return arena_print(s->a, "Weights of samples, %s: %s%s", weight_kind_word(s->w->kind),
                     problem_name(s->p), some);
}

static void draw_legend(WeightsSheet *s, double foot) {
  Figure *f = s->panels.figure;
  LegendRow zero = {"weight 0: does not count", ZERO_INK, NO_STROKE, MARKER_CIRCLE, false, false};
  double side = s->w->counted < s->w->count ? legend_width(&zero, 1) + 24 : 0;
  double width = fmin(f->width - 120 - side, 420);
  Spot corner = {fmax((f->width - width) / 2, side), foot + 4};
  colour_bar(f, corner, width, &s->scale);
  if (s->w->counted == s->w->count) return;
  legend_draw(f, (Spot){16, foot + 2}, &zero, 1, false);
}

Figure *weights_figure(Arena *a, const Problem *p, const SampleWeights *w) {
  WeightsSheet s = {.a = a, .p = p, .w = w};
  choose_scale(&s);
  for (int k = 0; k < w->variable_count && s.shown_count < VARIABLES_MOST; k++)
    if (w->variables[k].range > 0) s.shown[s.shown_count++] = k;
  int planes = s.shown_count == 1 ? 1 : s.shown_count * (s.shown_count - 1) / 2;
  int times = p->experiment_count <= TIMES_MOST ? p->experiment_count : 0;
  if (planes + times == 0) return NULL;
  s.panels = panels_new(a, sheet_title(&s), planes + times, PANELS, NULL, 0);
  double foot = s.panels.figure->height;
  s.panels.figure->height += COLOUR_BAR_ROOM + 8;
  if (s.shown_count == 1) draw_plane(&s, s.shown[0], -1);
  for (int i = 0; i < s.shown_count; i++)
    for (int k = i + 1; k < s.shown_count; k++) draw_plane(&s, s.shown[i], s.shown[k]);
  for (int e = 0; e < times; e++) draw_time(&s, e);
  draw_legend(&s, foot);
  return s.panels.figure;
}
