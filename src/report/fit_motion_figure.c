#include "report/fit_motion_figure.h"

#include <math.h>
#include <string.h>

#include "draw/figure_panels.h"
#include "report/channel_label.h"

static const PanelSize MOTION_SIZE = {640, 300, 1, false}, PLANE_SIZE = {300, 260, 3, false};
static const double RESIDUAL_SHARE = 0.27, GAP = 14; // height of the residuals, and the gap above
enum { DOTS_MOST = 250 };                            // more samples than that are a line
static const double LINE = 1.6, PALE = 3.2, DOT = 5;

static Ink data_ink(void) {
  return ink_series(0);
}
static Stroke model_stroke(void) {
  return (Stroke){ink_series(1), LINE, DASH_FULL};
}
static Stroke start_stroke(void) {
  return (Stroke){INK_GREY, 1, DASH_DASHED};
}
static Stroke pale_stroke(void) {
  return (Stroke){ink_mix(data_ink(), INK_WHITE, 0.45), PALE, DASH_FULL};
}

// ---------------------------------------------------------------- one channel

typedef struct ChannelCurves {                       // of one channel
  const double *t, *data, *model, *start, *residual; // start NULL: unknown
  int count;
  bool apart; // nothing is between samples: rows of a table, or only one
} ChannelCurves;

static ChannelCurves curves_of(Arena *a, const FitMotion *m, int experiment, int channel) {
  const Experiment *x = &m->problem->experiments[experiment];
  const Channel *c = &x->channels[channel];
  ChannelCurves v = {.data = c->y, .count = m->result->count[experiment][channel]};
  v.apart = x->without_times || v.count == 1;
  double *t = ARENA_ARRAY(a, double, v.count + 1);
  for (int i = 0; i < v.count; i++) t[i] = x->origin + c->t[i];
  v.t = t;
  v.residual = m->result->residual[experiment][channel];
  v.model = m->result->model[experiment][channel];
  if (m->start && m->start->count[experiment][channel] == v.count)
    v.start = m->start->model[experiment][channel];
  return v;
}

// A start far away would make data and model small: then the axis shows it only as far as three times what they span.
static void include_start(Axis *axis, const double *start, int count) {
  double low = axis->least, high = axis->most, span = high - low;
  axis_include(axis, start, count);
  axis->least = fmax(axis->least, low - span);
  axis->most = fmin(axis->most, high + span);
}

static void draw_data(const Axes *axes, const double *x, const double *y, int count, bool apart) {
  if (count > DOTS_MOST && !apart)
    axes_curve(axes, x, y, count, pale_stroke());
  else
    axes_markers(axes, x, y, count, MARKER_CIRCLE, DOT, INK_NONE,
                 (Stroke){data_ink(), 1.1, DASH_FULL});
}

static void draw_model(const Axes *axes, const ChannelCurves *v, const double *y, Stroke stroke) {
  if (v->apart)
    axes_markers(axes, v->t, y, v->count, MARKER_CROSS, DOT + 2, INK_NONE,
                 (Stroke){stroke.ink, stroke.width, DASH_FULL});
  else
    axes_curve(axes, v->t, y, v->count, stroke);
}

static void add_series(Figure *f, const ChannelCurves *v, const char *name, const double *y,
                       Stroke stroke, bool dots) {
  figure_series(
      f, &(FigureSeries){name, stroke.ink, stroke.dash, dots || v->apart, v->t, y, v->count});
}

static void draw_motion(Figure *f, Frame frame, const ChannelCurves *v, const char *label,
                        const char *time) {
  double below = frame.height * RESIDUAL_SHARE + GAP;
  Axes axes = {f,
               {frame.x, frame.y, frame.width, frame.height - below},
               AXIS_EMPTY(false, ""),
               AXIS_EMPTY(false, label)};
  axis_include(&axes.x, v->t, v->count);
  axis_include(&axes.y, v->data, v->count);
  axis_include(&axes.y, v->model, v->count);
  if (v->start) include_start(&axes.y, v->start, v->count);
  axis_settle(&axes.x);
  axis_settle(&axes.y);
  axes_grid(&axes);
  if (v->start) draw_model(&axes, v, v->start, start_stroke());
  draw_data(&axes, v->t, v->data, v->count, v->apart);
  draw_model(&axes, v, v->model, model_stroke());
  axes_border_plain(&axes);
  axes.x.label = time;
  axes_plot(&axes, false);
  add_series(f, v, "data", v->data, (Stroke){data_ink(), 1, DASH_FULL}, true);
  add_series(f, v, "model", v->model, model_stroke(), false);
  if (v->start) add_series(f, v, "start", v->start, start_stroke(), false);
}

static void draw_residuals(Figure *f, Frame frame, const ChannelCurves *v, const char *time) {
  double high = frame.height * RESIDUAL_SHARE;
  Axes axes = {f,
               {frame.x, frame.y + frame.height - high, frame.width, high},
               AXIS_EMPTY(false, time),
               AXIS_EMPTY(false, "residual")};
  axis_include(&axes.x, v->t, v->count);
  axis_include(&axes.y, v->residual, v->count);
  axis_include(&axes.y, (const double[]){0}, 1);
  axis_settle(&axes.x);
  axis_settle(&axes.y);
  axes_grid(&axes);
  axes_level(&axes, 0, (Stroke){INK_GREY, 1, DASH_FULL});
  Stroke stroke = {ink_series(2), 1, DASH_FULL};
  if (v->count > DOTS_MOST && !v->apart)
    axes_curve(&axes, v->t, v->residual, v->count, stroke);
  else
    axes_markers(&axes, v->t, v->residual, v->count, MARKER_CIRCLE, DOT - 1.5, stroke.ink,
                 NO_STROKE);
  axes_border(&axes);
  axes_plot(&axes, true);
  add_series(f, v, "residual", v->residual, stroke, true);
}

// ---------------------------------------------------------------- figures

enum { LEGEND_ROWS = 4 };

static LegendRow model_row(const char *text, Stroke stroke, bool apart) {
  if (apart) stroke.dash = DASH_FULL;
  return (LegendRow){text, INK_NONE, stroke, apart ? MARKER_CROSS : MARKER_NONE, !apart, false};
}

static int legend_of(const FitMotion *m, int samples, bool apart, bool residuals,
                     LegendRow rows[LEGEND_ROWS]) {
  int n = 0;
  bool line = samples > DOTS_MOST && !apart;
  Stroke data = line ? pale_stroke() : (Stroke){data_ink(), 1.1, DASH_FULL};
  rows[n++] = (LegendRow){"data", INK_NONE, data, line ? MARKER_NONE : MARKER_CIRCLE, line, false};
  rows[n++] = model_row("model", model_stroke(), apart);
  if (m->start) rows[n++] = model_row("model at the start", start_stroke(), apart);
  if (residuals)
    rows[n++] = (LegendRow){"residual: model - data",
                            INK_NONE,
                            {ink_series(2), LINE, DASH_FULL},
                            MARKER_NONE,
                            true,
                            false};
  return n;
}

Figure *fit_motion_figure(Arena *a, const FitMotion *m, int experiment, int first) {
  const Experiment *x = &m->problem->experiments[experiment];
  int shown[MOTION_CHANNELS], count = 0, most = 0;
  for (int k = first; k < x->channel_count && k < first + MOTION_CHANNELS; k++) {
    int samples = m->result->count[experiment][k];
    if (samples) shown[count++] = k;
    most = samples > most ? samples : most;
  }
  if (!count) return NULL;
  LegendRow legend[LEGEND_ROWS];
  PanelSize size = MOTION_SIZE;
  if (count > 2) size = (PanelSize){440, 260, 2, false};
  Panels panels = panels_new(a, experiment_title(a, m->what, m->problem, experiment), count, size,
                             legend, legend_of(m, most, x->without_times, true, legend));
  for (int i = 0; i < count; i++) {
    ChannelCurves v = curves_of(a, m, experiment, shown[i]);
    Frame frame = panels_frame(&panels, i);
    const char *time = time_label(m->problem, x);
    draw_motion(panels.figure, frame, &v, channel_label(a, &x->channels[shown[i]]), time);
    draw_residuals(panels.figure, frame, &v, time);
  }
  return panels.figure;
}

static bool have_same_times(const Channel *a, const Channel *b) {
  return a->count > 1 && a->count == b->count &&
         memcmp(a->t, b->t, (size_t)a->count * sizeof *a->t) == 0;
}

enum { PLANES_MOST = 6 };

typedef struct ChannelPair {
  int x, y;
} ChannelPair;

// Every pair of at most four channels; of more, the first one and each of the next.
static int pairs_of(const Experiment *e, ChannelPair pairs[PLANES_MOST]) {
  int count = 0, firsts = e->channel_count <= 4 ? e->channel_count : 1;
  for (int i = 0; i < firsts; i++)
    for (int k = i + 1; k < e->channel_count && count < PLANES_MOST; k++)
      if (have_same_times(&e->channels[i], &e->channels[k])) pairs[count++] = (ChannelPair){i, k};
  return count;
}

static void draw_plane(Figure *f, Frame frame, const FitMotion *m, int experiment,
                       ChannelPair pair) {
  const Experiment *e = &m->problem->experiments[experiment];
  ChannelCurves x = curves_of(f->arena, m, experiment, pair.x),
                y = curves_of(f->arena, m, experiment, pair.y);
  int count = x.count < y.count ? x.count : y.count;
  Axes axes = {f, frame, AXIS_EMPTY(false, channel_label(f->arena, &e->channels[pair.x])),
               AXIS_EMPTY(false, channel_label(f->arena, &e->channels[pair.y]))};
  axis_include(&axes.x, x.data, count);
  axis_include(&axes.x, x.model, count);
  axis_include(&axes.y, y.data, count);
  axis_include(&axes.y, y.model, count);
  if (x.start) include_start(&axes.x, x.start, count);
  if (y.start) include_start(&axes.y, y.start, count);
  axis_settle(&axes.x);
  axis_settle(&axes.y);
  axes_grid(&axes);
  if (x.start && y.start) axes_curve(&axes, x.start, y.start, count, start_stroke());
  draw_data(&axes, x.data, y.data, count, false);
  axes_curve(&axes, x.model, y.model, count, model_stroke());
  axes_border(&axes);
}

Figure *fit_plane_figure(Arena *a, const FitMotion *m, int experiment) {
  const Experiment *x = &m->problem->experiments[experiment];
  ChannelPair pairs[PLANES_MOST];
  int count = x->without_times ? 0 : pairs_of(x, pairs);
  if (!count) return NULL;
  LegendRow legend[LEGEND_ROWS];
  PanelSize size = count > 1 ? PLANE_SIZE : (PanelSize){440, 360, 1, false};
  Panels panels = panels_new(
      a, experiment_title(a, arena_print(a, "%s in the plane", m->what), m->problem, experiment),
      count, size, legend, legend_of(m, x->channels[pairs[0].x].count, false, false, legend));
  for (int i = 0; i < count; i++)
    draw_plane(panels.figure, panels_frame(&panels, i), m, experiment, pairs[i]);
  return panels.figure;
}
