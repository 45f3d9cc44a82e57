#include "report/recover_figure.h"

#include <math.h>

#include "draw/figure_panels.h"

enum { PANELS_MOST = 12, BINS_MOST = 40, SAMPLES = 161 };
static const double ERRORS = 2; // standard errors that are shown: about a 95 % interval
static const Stroke TRUTH = {INK_BLACK, 1.6, DASH_FULL}, MEAN = {INK_BLACK, 1.2, DASH_DOTTED};

static Ink estimate_ink(void) {
  return ink_series(0);
}
static Ink other_ink(void) {
  return ink_series(1);
}
static Stroke predicted_stroke(void) {
  return (Stroke){other_ink(), 1.6, DASH_DASHED};
}

typedef struct Estimates { // of one unknown
  const RecoverParameter *parameter;
  const char *label;
  double *trial, *value, *error; // of trials that succeeded, from 1
  int count;
  double *wrong_trial, *wrong; // of the others
  int wrong_count;
} Estimates;

static Estimates estimates_of(Arena *a, const Recover *r, int k) {
  const Unknown *u = &r->problem->unknowns[k];
  Estimates e = {.parameter = &r->parameters[k],
                 .label = axis_label(a, u->name, u->unit),
                 .trial = ARENA_ARRAY(a, double, r->done + 1),
                 .value = ARENA_ARRAY(a, double, r->done + 1),
                 .error = ARENA_ARRAY(a, double, r->done + 1),
                 .wrong_trial = ARENA_ARRAY(a, double, r->done + 1),
                 .wrong = ARENA_ARRAY(a, double, r->done + 1)};
  for (int t = 0; t < r->done; t++) {
    size_t at = (size_t)t * (size_t)r->problem->unknown_count + (size_t)k;
    if (r->ok[t]) {
      e.trial[e.count] = t + 1;
      e.value[e.count] = r->estimates[at];
      e.error[e.count++] = ERRORS * r->std_errors[at];
    } else {
      e.wrong_trial[e.wrong_count] = t + 1;
      e.wrong[e.wrong_count++] = r->estimates[at];
    }
  }
  return e;
}

// ---------------------------------------------------------------- histograms

typedef struct EstimateBars {
  double least, width; // of the first bin, of all
  int bins;
  int count[BINS_MOST];
} EstimateBars;

static EstimateBars histogram_of(const Estimates *e, const Axis *axis) {
  int bins = (int)fmin(BINS_MOST, fmax(8, 2 * sqrt(e->count)));
  EstimateBars h = {axis->least, (axis->most - axis->least) / bins, bins, {0}};
  for (int i = 0; i < e->count; i++) {
    double at = (e->value[i] - h.least) / h.width;
    if (at >= 0 && at <= bins) h.count[at < bins ? (int)at : bins - 1]++;
  }
  return h;
}

static int highest(const EstimateBars *h) {
  int most = 0;
  for (int i = 0; i < h->bins; i++) most = h->count[i] > most ? h->count[i] : most;
  return most;
}

static void draw_bars(const Axes *axes, const EstimateBars *h) {
  for (int i = 0; i < h->bins; i++) {
    Spot top = axes_spot(axes, h->least + i * h->width, h->count[i]);
    Spot foot = axes_spot(axes, h->least + (i + 1) * h->width, 0);
    if (h->count[i])
      figure_box(axes->figure, (Frame){top.x, top.y, foot.x - top.x, foot.y - top.y},
                 ink_mix(estimate_ink(), INK_WHITE, 0.35), (Stroke){INK_WHITE, 0.6, DASH_FULL});
  }
}

// Trials in a bin if the estimates were spread around the truth as their standard errors say.
static double predicted_count(const Estimates *e, const EstimateBars *h, double at) {
  double z = (at - e->parameter->truth) / e->parameter->predicted;
  return e->count * h->width * exp(-z * z / 2) / (e->parameter->predicted * sqrt(2 * M_PI));
}

static void draw_histogram(Figure *f, Frame frame, const Estimates *e) {
  const RecoverParameter *p = e->parameter;
  Axes axes = {f, frame, AXIS_EMPTY(false, e->label), {0, 1, false, "trials"}};
  bool predicts = p->predicted > 0;
  double ends[2] = {p->truth - 3 * p->predicted, p->truth + 3 * p->predicted};
  axis_include(&axes.x, e->value, e->count);
  axis_include(&axes.x, &p->truth, 1);
  if (predicts && ends[1] - ends[0] < 20 * p->spread) axis_include(&axes.x, ends, 2);
  axis_settle(&axes.x);
  EstimateBars h = histogram_of(e, &axes.x);
  axes.y.most = 1.08 * fmax(1, highest(&h));
  if (predicts)
    axes.y.most = fmax(axes.y.most, fmin(1.08 * predicted_count(e, &h, p->truth), 3 * axes.y.most));
  axes_grid(&axes);
  draw_bars(&axes, &h);
  double x[SAMPLES], y[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) {
    x[i] = axes.x.least + (axes.x.most - axes.x.least) * i / (SAMPLES - 1);
    y[i] = predicts ? predicted_count(e, &h, x[i]) : nan("");
  }
  axes_curve(&axes, x, y, SAMPLES, predicted_stroke());
  axes_upright(&axes, p->mean, MEAN);
  axes_upright(&axes, p->truth, TRUTH);
  axes_border(&axes);
}

// ---------------------------------------------------------------- trials

static void draw_trials(Figure *f, Frame frame, const Estimates *e) {
  double truth = e->parameter->truth;
  Axes axes = {f, frame, AXIS_EMPTY(false, "trial"), AXIS_EMPTY(false, e->label)};
  axis_include(&axes.x, e->trial, e->count);
  axis_include(&axes.x, e->wrong_trial, e->wrong_count);
  axis_include(&axes.y, e->value, e->count);
  axis_include(&axes.y, &truth, 1);
  double beyond = ERRORS * e->parameter->predicted; // lines of the usual length are seen whole
  if (beyond < 5 * e->parameter->spread)
    axis_include(&axes.y, (double[]){axes.y.least - beyond, axes.y.most + beyond}, 2);
  axis_settle(&axes.x);
  axis_settle(&axes.y);
  axes_grid(&axes);
  axes_level(&axes, truth, TRUTH);
  for (int i = 0; i < e->count; i++) {
    bool outside = fabs(e->value[i] - truth) > e->error[i];
    Ink ink = outside ? other_ink() : estimate_ink();
    double x[2] = {e->trial[i], e->trial[i]};
    double y[2] = {e->value[i] - e->error[i], e->value[i] + e->error[i]};
    axes_curve(&axes, x, y, 2, (Stroke){ink, 0.8, DASH_FULL});
    axes_markers(&axes, &e->trial[i], &e->value[i], 1, MARKER_CIRCLE, 3.5, ink, NO_STROKE);
  }
  axes_markers(&axes, e->wrong_trial, e->wrong, e->wrong_count, MARKER_CROSS, 6, INK_NONE,
               (Stroke){INK_GREY, 1.2, DASH_FULL});
  axes_border(&axes);
}

// ---------------------------------------------------------------- sheets

enum { LEGEND_MOST = 4 };

static int histogram_legend(LegendRow rows[LEGEND_MOST]) {
  const LegendRow all[] = {
      {"estimates", ink_mix(estimate_ink(), INK_WHITE, 0.35), NO_STROKE, MARKER_NONE, false, false},
      {"truth", INK_NONE, TRUTH, MARKER_NONE, true, false},
      {"mean", INK_NONE, MEAN, MARKER_NONE, true, false},
      {"predicted by standard errors", INK_NONE, predicted_stroke(), MARKER_NONE, true, false}};
  for (int i = 0; i < LEGEND_MOST; i++) rows[i] = all[i];
  return LEGEND_MOST;
}

static int trials_legend(const Recover *r, LegendRow rows[LEGEND_MOST]) {
  const LegendRow all[] = {
      {"estimate, 2 standard errors",
       estimate_ink(),
       {estimate_ink(), 0.8, DASH_FULL},
       MARKER_CIRCLE,
       true,
       false},
      {"the truth is outside",
       other_ink(),
       {other_ink(), 0.8, DASH_FULL},
       MARKER_CIRCLE,
       true,
       false},
      {"truth", INK_NONE, TRUTH, MARKER_NONE, true, false},
      {"wrong optimum", INK_NONE, {INK_GREY, 1.2, DASH_FULL}, MARKER_CROSS, false, false}};
  for (int i = 0; i < LEGEND_MOST; i++) rows[i] = all[i];
  return r->succeeded < r->done ? LEGEND_MOST : LEGEND_MOST - 1;
}

typedef void DrawEstimates(Figure *f, Frame frame, const Estimates *e);

static void add_sheets(FigureList *l, const Recover *r, const char *name, const char *what,
                       const LegendRow *legend, int legend_count, DrawEstimates *draw) {
  int n = r->problem->unknown_count;
  const char *title = arena_print(l->arena, "%s: %s", what, problem_name(r->problem));
  for (int first = 0; first < n; first += PANELS_MOST) {
    int count = n - first < PANELS_MOST ? n - first : PANELS_MOST;
    Panels panels = panels_new(l->arena, title, count, panel_usual(count), legend, legend_count);
    for (int i = 0; i < count; i++) {
      Estimates e = estimates_of(l->arena, r, first + i);
      draw(panels.figure, panels_frame(&panels, i), &e);
    }
    figure_list_add(l, name, NULL, panels.figure);
  }
}

void recover_figures(FigureList *l, const Recover *r) {
  LegendRow rows[LEGEND_MOST];
  if (!r->succeeded) return;
  int count = histogram_legend(rows);
  add_sheets(l, r, "estimates", arena_print(l->arena, "Estimates of %d trials", r->succeeded), rows,
             count, draw_histogram);
  count = trials_legend(r, rows);
  add_sheets(l, r, "trials", "Estimates by trial", rows, count, draw_trials);
}
