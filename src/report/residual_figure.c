#include "report/residual_figure.h"

#include <math.h>

#include "draw/figure_panels.h"
#include "num/distribution.h"
#include "num/residual_shape.h"
#include "report/channel_label.h"
#include "residual/measured_data.h"
#include "write/rounded.h"

enum { KINDS = 4 }; // panels of a channel
enum { QUANTILES_MOST = 300, DOTS_MOST = 1500, LAW_POINTS = 401 };
static const PanelSize FOUR_ABREAST = {216, 160, KINDS, true}, TWO_ABREAST = {320, 200, 2, true};
static const double DOT = 4, LINE = 1.6;
static const Stroke GIVEN = {INK_GREY, 1.4, DASH_DASHED}, BAND = {INK_GREY, 1.1, DASH_DOTTED};
static const Stroke ZERO = {INK_GREY, 1, DASH_FULL};

static Ink residual_ink(void) {
  return ink_series(2);
}
static Stroke law_stroke(void) {
  return (Stroke){ink_series(1), LINE, DASH_FULL};
}

typedef struct ResidualPanels { // of one channel
  Figure *figure;
  Arena *scratch;
  const Experiment *experiment;
  const Channel *channel;
  double *r, *model; // residuals, divided by sigma where that is known, and values of the model
  int count;
  ResidualShape shape;
  bool normalised, given; // sigma is known; it is given, so that the law has deviation 1
  const char *label;      // of residuals
} ResidualPanels;

// ---------------------------------------------------------------- one channel

static int channels_before(const Problem *p, int experiment) {
  int count = 0;
  for (int e = 0; e < experiment; e++) count += p->experiments[e].channel_count;
  return count;
}

static double sigma_of(const ResidualView *v, int experiment, int k) {
  const Channel *c = &v->problem->experiments[experiment].channels[k];
  if (sigma_is_given(c)) return c->sigma;
  if (c->sigma_kind == SIGMA_UNKNOWN || !v->sigma) return nan("");
  return v->sigma[channels_before(v->problem, experiment) + k];
}

static ResidualPanels panels_of(Arena *a, const ResidualView *v, int experiment, int k) {
  const Experiment *x = &v->problem->experiments[experiment];
  const Channel *c = &x->channels[k];
  int all = v->residuals->count[experiment][k];
  double sigma = sigma_of(v, experiment, k);
  ResidualPanels p = {.scratch = a, .experiment = x, .channel = c};
  p.normalised = sigma > 0 && isfinite(sigma);
  p.given = p.normalised && sigma_is_given(c);
  p.r = ARENA_ARRAY(a, double, all + 1), p.model = ARENA_ARRAY(a, double, all + 1);
  for (int i = 0; i < all; i++) {
    if (!sample_counts(c, i)) continue;
    double residual = v->residuals->residual[experiment][k][i];
    p.model[p.count] = c->y[i] + residual;
    p.r[p.count++] = p.normalised ? residual / sigma : residual;
  }
  p.shape = residual_shape(a, p.r, p.count);
  p.label = p.normalised ? "residual / sigma" : axis_label(a, "residual", c->unit);
  return p;
}

static void draw_note(const Axes *axes, const char *text) {
  Frame f = axes->frame;
  figure_text_within(
      axes->figure, (Spot){f.x + f.width / 2, f.y + f.height / 2}, text,
      (Lettering){.size = AXES_TEXT, .ink = INK_GREY, .align = ALIGN_CENTRE, .centred = true},
      f.width - 8);
}

// Over all four panels, what the first ones show as numbers.
static void draw_heading(const ResidualPanels *p, Frame frame, double room) {
  char mean[ROUNDED_SIZE], deviation[ROUNDED_SIZE];
  const ResidualShape *s = &p->shape;
  Arena *a = p->scratch;
  rounded_digits(s->mean, 3, mean);
  rounded_digits(s->deviation, 3, deviation);
  const char *left = s->n < p->count ? arena_print(a, ", %d not finite", p->count - s->n) : "";
  figure_text_within(p->figure, (Spot){frame.x, frame.y - 12},
                     arena_print(a, "%s: %d residual%s, mean %s, deviation %s%s", p->channel->name,
                                 s->n, s->n == 1 ? "" : "s", mean, deviation, left),
                     (Lettering){.size = AXES_TEXT + 1, .bold = true}, room);
}

// ---------------------------------------------------------------- histogram

static void draw_law(const Axes *axes, const ResidualShape *s, const Histogram *h, Stroke stroke) {
  double x[LAW_POINTS], y[LAW_POINTS];
  if (!(s->deviation > 0)) return;
  for (int i = 0; i < LAW_POINTS; i++) {
    x[i] = axes->x.least + (axes->x.most - axes->x.least) * i / (LAW_POINTS - 1);
    y[i] = histogram_normal(s, h, x[i]);
  }
  axes_curve(axes, x, y, LAW_POINTS, stroke);
}

static void draw_histogram(const ResidualPanels *p, Frame frame) {
  Arena *a = p->scratch;
  Histogram h = residual_histogram(a, &p->shape);
  const char *label = h.beyond ? arena_print(a, "%s, outer bars: all beyond", p->label) : p->label;
  Axes axes = {p->figure, frame, AXIS_EMPTY(false, label), {0, 1, false, "number"}};
  for (int i = 0; i < h.bars; i++) axes.y.most = fmax(axes.y.most, h.count[i]);
  if (p->shape.deviation > 0)
    axes.y.most = fmax(axes.y.most, histogram_normal(&p->shape, &h, p->shape.mean));
  if (p->given) { // unless it hides the bars
    ResidualShape law = {.n = p->shape.n, .deviation = 1};
    axes.y.most = fmax(axes.y.most, fmin(histogram_normal(&law, &h, 0), 1.3 * axes.y.most));
  }
  axes.y.most *= 1.06;
  axis_include(&axes.x, (double[]){h.from, h.from + h.bars * h.width}, 2);
  axis_settle(&axes.x);
  axes_grid(&axes);
  Ink fill = ink_mix(residual_ink(), INK_WHITE, 0.35);
  for (int i = 0; i < h.bars; i++) {
    double left = axes_x(&axes, h.from + i * h.width), top = axes_y(&axes, h.count[i]);
    double right = axes_x(&axes, h.from + (i + 1) * h.width);
    if (h.count[i])
      figure_box(p->figure, (Frame){left, top, right - left, frame.y + frame.height - top}, fill,
                 (Stroke){INK_WHITE, 0.6, DASH_FULL});
  }
  if (p->given) draw_law(&axes, &(ResidualShape){.n = p->shape.n, .deviation = 1}, &h, GIVEN);
  draw_law(&axes, &p->shape, &h, law_stroke());
  axes_border(&axes);
}

// ---------------------------------------------------------------- autocorrelation

enum { STEPS_LOOKED_AT = 1001 };
static const double JITTER = 0.1, UNEVEN = 0.01; // of a step; share of steps

static bool is_uneven(const Channel *c, Arena *scratch) {
  int steps = c->count - 1, looked = steps < STEPS_LOOKED_AT ? steps : STEPS_LOOKED_AT, others = 0;
  double step[STEPS_LOOKED_AT];
  if (steps < 2) return false;
  for (int k = 0; k < looked; k++) {
    long i = (long)steps * k / looked;
    step[k] = c->t[i + 1] - c->t[i];
  }
  double usual = residual_shape(scratch, step, looked).sorted[looked / 2];
  for (int i = 0; i < steps; i++)
    others += !(fabs(c->t[i + 1] - c->t[i] - usual) <= JITTER * usual);
  return others > UNEVEN * steps;
}

static const char *lag_label(const ResidualPanels *p) {
  if (p->experiment->without_times) return "lag [rows, as they stand]";
  return is_uneven(p->channel, p->scratch) ? "lag [samples, unequal in time]" : "lag [samples]";
}

static void add_lags(const ResidualPanels *p, const Axes *axes, const double *lag, const double *c,
                     int lags, double band) {
  double level[2] = {band, -band};
  axes_plot(axes, false);
  figure_series(p->figure,
                &(FigureSeries){"autocorrelation", residual_ink(), DASH_FULL, true, lag, c, lags});
  for (int k = 0; k < 2; k++) {
    double y[2] = {level[k], level[k]}, x[2] = {lag[0], lag[lags - 1]};
    figure_series(p->figure,
                  &(FigureSeries){k ? "95 % of white noise, below" : "95 % of white noise",
                                  BAND.ink, BAND.dash, false, x, y, 2});
  }
}

static void draw_autocorrelation(const ResidualPanels *p, Frame frame) {
  Arena *a = p->scratch;
  int lags = autocorrelation_lags(p->shape.n);
  double *c = ARENA_ARRAY(a, double, lags + 1), *lag = ARENA_ARRAY(a, double, lags + 1);
  double band = p->shape.n ? normal_quantile(0.975) / sqrt(p->shape.n) : 0;
  Axes axes = {
      p->figure, frame, {0, lags + 1, false, lag_label(p)}, AXIS_EMPTY(false, "autocorrelation")};
  autocorrelations(p->r, p->count, lags, c);
  for (int i = 0; i < lags; i++) lag[i] = i + 1;
  bool known = lags > 0 && isfinite(c[0]);
  axis_include(&axes.y, (double[]){-1.3 * band, 1.3 * band}, 2);
  axis_include(&axes.y, c, lags);
  axis_settle(&axes.y);
  axes_grid(&axes);
  axes_level(&axes, 0, ZERO);
  for (int i = 0; known && i < lags; i++)
    figure_line(p->figure, axes_spot(&axes, lag[i], 0), axes_spot(&axes, lag[i], c[i]),
                (Stroke){residual_ink(), lags > 30 ? 2 : 3, DASH_FULL});
  if (known) {
    axes_level(&axes, band, BAND);
    axes_level(&axes, -band, BAND);
    add_lags(p, &axes, lag, c, lags, band);
  } else {
    draw_note(&axes, lags ? "all residuals are 0" : "too few residuals");
  }
  axes_border(&axes);
}

// ---------------------------------------------------------------- quantiles

static void draw_quantiles(const ResidualPanels *p, Frame frame) {
  NormalQuantiles q = residual_quantiles(p->scratch, &p->shape, QUANTILES_MOST);
  Axes axes = {p->figure, frame, AXIS_EMPTY(false, "normal quantile"), AXIS_EMPTY(false, p->label)};
  axis_include(&axes.x, q.normal, q.count);
  axis_include(&axes.y, q.value, q.count);
  axis_settle(&axes.x);
  axis_settle(&axes.y);
  axes_grid(&axes);
  axes_markers(&axes, q.normal, q.value, q.count, MARKER_CIRCLE, DOT, residual_ink(), NO_STROKE);
  double x[2] = {axes.x.least, axes.x.most};
  if (p->given) axes_curve(&axes, x, x, 2, GIVEN);
  if (p->shape.deviation >= 0)
    axes_curve(&axes, x,
               (double[]){p->shape.mean + p->shape.deviation * x[0],
                          p->shape.mean + p->shape.deviation * x[1]},
               2, law_stroke());
  axes_border(&axes);
}

// ---------------------------------------------------------------- over the values of the model

typedef struct DotGrid { // of residuals that lie in one square of the frame the largest is drawn
  const ResidualPanels *p;
  const Axes *axes;
  double size; // of a square
  int columns, rows;
  int *largest; // by square: its number + 1, 0: none
  int count;
} DotGrid;

static void fill_grid(DotGrid *g) {
  const Frame *f = &g->axes->frame;
  for (int i = 0; i < g->p->count; i++) {
    Spot s = axes_spot(g->axes, g->p->model[i], g->p->r[i]);
    int column = (int)((s.x - f->x) / g->size), row = (int)((s.y - f->y) / g->size);
    if (!(isfinite(s.x) && isfinite(s.y)) || column < 0 || row < 0) continue;
    int *at = &g->largest[row * g->columns + column];
    g->count += *at == 0;
    if (*at == 0 || fabs(g->p->r[i]) > fabs(g->p->r[*at - 1])) *at = i + 1;
  }
}

// Squares as large as needed for at most DOTS_MOST dots.
static DotGrid grid_of(const ResidualPanels *p, const Axes *axes) {
  DotGrid g = {.p = p, .axes = axes, .size = DOT / 4};
  if (p->count > DOTS_MOST) // a third of the frame is filled mostly
    g.size = sqrt(axes->frame.width * axes->frame.height / (3 * DOTS_MOST)) / 1.5;
  do {
    g.size *= 1.5;
    g.columns = (int)(axes->frame.width / g.size) + 2;
    g.rows = (int)(axes->frame.height / g.size) + 2;
    g.largest = ARENA_ARRAY(p->scratch, int, (size_t)g.columns *(size_t)g.rows);
    g.count = 0;
    fill_grid(&g);
  } while (g.count > DOTS_MOST);
  return g;
}

static void draw_over_model(const ResidualPanels *p, Frame frame, const char *label) {
  Axes axes = {p->figure, frame, AXIS_EMPTY(false, label), AXIS_EMPTY(false, p->label)};
  axis_include(&axes.x, p->model, p->count);
  axis_include(&axes.y, p->r, p->count);
  axis_settle(&axes.x);
  axis_settle(&axes.y);
  axes_grid(&axes);
  axes_level(&axes, 0, ZERO);
  DotGrid g = grid_of(p, &axes);
  for (int k = 0; k < g.columns * g.rows; k++)
    if (g.largest[k])
      figure_circle(p->figure, axes_spot(&axes, p->model[g.largest[k] - 1], p->r[g.largest[k] - 1]),
                    DOT / 2, residual_ink(), NO_STROKE);
  axes_border(&axes);
}

// ---------------------------------------------------------------- figure

enum { LEGEND_ROWS = 4 };

static int legend_of(const ResidualPanels *p, int count, LegendRow rows[LEGEND_ROWS]) {
  bool given = false;
  int n = 0;
  for (int i = 0; i < count; i++) given = given || p[i].given;
  rows[n++] = (LegendRow){
      "residuals: model - data", residual_ink(), NO_STROKE, MARKER_CIRCLE, false, false};
  rows[n++] = (LegendRow){
      "normal law with their mean and deviation", INK_NONE, law_stroke(), MARKER_NONE, true, false};
  if (given)
    rows[n++] =
        (LegendRow){"normal law with the given sigma", INK_NONE, GIVEN, MARKER_NONE, true, false};
  rows[n++] = (LegendRow){"95 % of white noise", INK_NONE, BAND, MARKER_NONE, true, false};
  return n;
}

static void draw_channel(const ResidualPanels *p, const Panels *panels, int first,
                         const char *model) {
  Frame frame = panels_frame(panels, first);
  draw_heading(p, frame, panels->figure->width - frame.x - 8);
  draw_histogram(p, frame);
  draw_autocorrelation(p, panels_frame(panels, first + 1));
  draw_quantiles(p, panels_frame(panels, first + 2));
  draw_over_model(p, panels_frame(panels, first + 3), model);
}

static Figure *draw_channels(Arena *a, const ResidualView *v, int experiment, ResidualPanels *p,
                             int count) {
  LegendRow legend[LEGEND_ROWS];
  const char *title = experiment_title(a, "Residuals", v->problem, experiment);
  Panels panels = panels_new(a, title, KINDS * count, count > 1 ? FOUR_ABREAST : TWO_ABREAST,
                             legend, legend_of(p, count, legend));
  for (int i = 0; i < count; i++) {
    p[i].figure = panels.figure;
    draw_channel(&p[i], &panels, KINDS * i,
                 arena_print(a, "model: %s", channel_label(a, p[i].channel)));
  }
  return panels.figure;
}

Figure *residual_figure(Arena *a, const ResidualView *v, int experiment, int first) {
  const Experiment *x = &v->problem->experiments[experiment];
  Arena *scratch = arena_new(); // some numbers by sample
  ResidualPanels p[RESIDUAL_CHANNELS];
  int count = 0;
  for (int k = first; k < x->channel_count && k < first + RESIDUAL_CHANNELS; k++) {
    p[count] = panels_of(scratch, v, experiment, k);
    count += p[count].shape.n > 0;
  }
  Figure *figure = count ? draw_channels(a, v, experiment, p, count) : NULL;
  arena_free(scratch);
  return figure;
}
