#include "report/compare_work_figure.h"

#include <math.h>

#include "draw/figure_panels.h"
#include "write/rounded.h"

static const Stroke TRUTH = {INK_GREY, 1.2, DASH_DASHED};
enum { UNKNOWNS_MOST = 30 }; // with a panel; of more, the first
static const double LINE = 1.6, END_SIZE = 6;

static const char *title_of(Arena *a, const char *what, const Compare *c) {
  return arena_print(a, "%s: %s", what, problem_name(c->problem));
}

static bool is_drawn(const CompareRow *r) {
  return r->shown && r->shown->trace.count > 0;
}

static Stroke stroke_of(int row) {
  return (Stroke){ink_series(row), LINE, (Dash)((row / INK_SERIES) % DASH_COUNT)};
}

// ---------------------------------------------------------------- unknowns

typedef struct UnknownCurve {
  double *x, *y;
  int count;
} UnknownCurve;

static void add_step(UnknownCurve *v, double x, double y) { // constant until then
  x = fmax(1, x);
  if (v->count) {
    v->x[v->count] = x;
    v->y[v->count] = v->y[v->count - 1];
    v->count++;
  }
  v->x[v->count] = x;
  v->y[v->count++] = y;
}

// A staircase from the start, at one evaluation, to the result.
static UnknownCurve curve_of(Arena *a, const Compare *c, const CompareRow *r, int k) {
  const CompareRun *run = r->shown;
  int room = 2 * run->trace.count + 4;
  UnknownCurve v = {ARENA_ARRAY(a, double, room), ARENA_ARRAY(a, double, room), 0};
  add_step(&v, 1, run->start ? run->start[k] : c->problem->unknowns[k].start);
  for (int i = 0; i < run->trace.count; i++)
    add_step(&v, (double)run->trace.at[i].fair, run->trace.at[i].x[k]);
  if (run->x) add_step(&v, fmax(v.x[v.count - 1], run->figures.fair), run->x[k]);
  return v;
}

static void add_numbers(const Axes *axes, const Compare *c, const UnknownCurve *curves,
                        const double *truth) {
  Figure *f = axes->figure;
  axes_plot(axes, false);
  for (int i = 0; i < c->done; i++)
    if (curves[i].count)
      figure_series(f, &(FigureSeries){c->rows[i].spec.label, stroke_of(i).ink, stroke_of(i).dash,
                                       false, curves[i].x, curves[i].y, curves[i].count});
  if (truth)
    figure_series(f, &(FigureSeries){"truth", TRUTH.ink, TRUTH.dash, false,
                                     (double[]){axes->x.least, axes->x.most},
                                     (double[]){*truth, *truth}, 2});
}

static void draw_unknown(Figure *f, Frame frame, const Compare *c, int k) {
  const Unknown *u = &c->problem->unknowns[k];
  const double *truth = c->truth ? c->truth->x : NULL;
  Axes axes = {f, frame, AXIS_EMPTY(true, "evaluations, slopes counted fairly"),
               AXIS_EMPTY(u->log, axis_label(f->arena, u->name, u->unit))};
  UnknownCurve *curves = ARENA_ARRAY(f->arena, UnknownCurve, c->done + 1);
  for (int i = 0; i < c->done; i++) {
    if (!is_drawn(&c->rows[i])) continue;
    curves[i] = curve_of(f->arena, c, &c->rows[i], k);
    axis_include(&axes.x, curves[i].x, curves[i].count);
    axis_include(&axes.y, curves[i].y, curves[i].count);
  }
  if (truth) axis_include(&axes.y, &truth[k], 1);
  axis_settle(&axes.x);
  axis_settle(&axes.y);
  axes_grid(&axes);
  if (truth) axes_level(&axes, truth[k], TRUTH);
  for (int i = 0; i < c->done; i++) {
    const UnknownCurve *v = &curves[i];
    if (!v->count) continue;
    axes_curve(&axes, v->x, v->y, v->count, stroke_of(i));
    axes_markers(&axes, &v->x[v->count - 1], &v->y[v->count - 1], 1, MARKER_CIRCLE, END_SIZE,
                 stroke_of(i).ink, NO_STROKE);
  }
  axes_border(&axes);
  add_numbers(&axes, c, curves, truth ? &truth[k] : NULL);
}

Figure *compare_parameters_figure(Arena *a, const Compare *c) {
  LegendRow *legend = ARENA_ARRAY(a, LegendRow, c->done + 1);
  int rows = 0;
  for (int i = 0; i < c->done; i++)
    if (is_drawn(&c->rows[i]))
      legend[rows++] =
          (LegendRow){c->rows[i].spec.label, INK_NONE, stroke_of(i), MARKER_NONE, true, false};
  if (!rows || !c->problem->unknown_count) return NULL;
  int n = c->problem->unknown_count < UNKNOWNS_MOST ? c->problem->unknown_count : UNKNOWNS_MOST;
  if (c->truth) legend[rows++] = (LegendRow){"truth", INK_NONE, TRUTH, MARKER_NONE, true, false};
  Panels panels =
      panels_new(a, title_of(a, "Parameters over the work", c), n, panel_usual(n), legend, rows);
  for (int k = 0; k < n; k++) draw_unknown(panels.figure, panels_frame(&panels, k), c, k);
  return panels.figure;
}

// ---------------------------------------------------------------- effort

enum { BAR_LINE = 26, BAR_WIDTH = 260, LABEL_MOST = 260 };
static const double HEAD = 64, FOOT = 52, EDGE = 12, NUMBER = 60;

static double number_of(const CompareRow *r, bool objective) {
  if (r->refused || !r->shown) return nan("");
  return objective ? r->median.objective : r->median.fair;
}

static void draw_bar(const Axes *axes, const CompareRow *r, int row, bool objective) {
  double value = number_of(r, objective);
  double y = axes->frame.y + (row + 0.5) * BAR_LINE, x0 = axes->frame.x;
  char text[ROUNDED_SIZE] = "-";
  double end = x0;
  if (isfinite(value)) {
    double x = value > 0 ? axes_x(axes, value) : x0;
    end = fmin(fmax(x, x0 + 2), x0 + axes->frame.width);
    figure_box(axes->figure, (Frame){x0, y - 8, end - x0, 16}, ink_series(row), NO_STROKE);
    if (!r->found)
      figure_hatch(axes->figure, (Frame){x0, y - 8, end - x0, 16}, 6,
                   (Stroke){INK_WHITE, 1.5, DASH_FULL});
    rounded_digits(value, objective ? 3 : 6, text);
  }
  figure_text(axes->figure, (Spot){end + 5, y}, text,
              (Lettering){.size = AXES_TEXT, .centred = true});
}

static void draw_bars(Figure *f, const Compare *c, double left, bool objective) {
  Axes axes = {f,
               {left, HEAD, BAR_WIDTH, c->done * BAR_LINE},
               AXIS_EMPTY(true, objective ? "objective" : "evaluations, slopes counted fairly"),
               {0, 1, false, ""}};
  for (int i = 0; i < c->done; i++) {
    double value = number_of(&c->rows[i], objective);
    axis_include(&axes.x, &value, 1);
  }
  axis_settle(&axes.x);
  axes.x.least /= 2; // the shortest bar has a length
  Ticks ticks;
  axis_ticks(&axes.x, 4, &ticks);
  for (int i = 0; i < ticks.count; i++) {
    double x = axes_x(&axes, ticks.at[i]);
    axes_upright(&axes, ticks.at[i], (Stroke){0xE4E4E4, 0.8, DASH_FULL});
    figure_text(f, (Spot){x, HEAD + axes.frame.height + 16}, ticks.label[i],
                (Lettering){.size = AXES_TEXT, .align = ALIGN_CENTRE});
  }
  for (int i = 0; i < c->done; i++) draw_bar(&axes, &c->rows[i], i, objective);
  figure_line(f, (Spot){left, HEAD}, (Spot){left, HEAD + axes.frame.height},
              (Stroke){0x303030, 1, DASH_FULL});
  figure_text(f, (Spot){left + BAR_WIDTH / 2.0, HEAD + axes.frame.height + 36}, axes.x.label,
              (Lettering){.size = AXES_TEXT + 1, .align = ALIGN_CENTRE});
}

static bool some_have_results(const Compare *c) {
  for (int i = 0; i < c->done; i++)
    if (isfinite(number_of(&c->rows[i], true))) return true;
  return false;
}

Figure *compare_effort_figure(Arena *a, const Compare *c) {
  if (!some_have_results(c)) return NULL;
  double label = 0;
  for (int i = 0; i < c->done; i++)
    label = fmax(label, figure_text_room(c->rows[i].spec.label, AXES_TEXT, false));
  label = fmin(label, LABEL_MOST);
  double first = EDGE + label + 8, second = first + BAR_WIDTH + NUMBER + 30;
  const char *title = title_of(a, "Effort and result of each method", c);
  Figure *f = figure_new(a, second + BAR_WIDTH + NUMBER + EDGE,
                         HEAD + c->done * BAR_LINE + FOOT + 24, title);
  figure_text_within(f, (Spot){f->width / 2, 26}, title,
                     (Lettering){.size = 15, .align = ALIGN_CENTRE, .bold = true},
                     f->width - 2 * EDGE);
  for (int i = 0; i < c->done; i++)
    figure_text_within(f, (Spot){EDGE + label, HEAD + (i + 0.5) * BAR_LINE}, c->rows[i].spec.label,
                       (Lettering){.size = AXES_TEXT, .align = ALIGN_RIGHT, .centred = true},
                       label);
  draw_bars(f, c, first, false);
  draw_bars(f, c, second, true);
  figure_text(f, (Spot){EDGE, f->height - 10}, "Hatched: not found.",
              (Lettering){.size = AXES_TEXT, .ink = INK_GREY});
  return f;
}
