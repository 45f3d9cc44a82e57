#include "report/fit_steps_figure.h"

#include <math.h>
#include <string.h>

#include "draw/figure_panels.h"

static const Stroke RESULT = {INK_GREY, 1.2, DASH_DASHED}, CHANGE = {0xC8C8C8, 0.8, DASH_DOTTED};
static const double LINE = 1.6, DOT = 5;
enum { UNKNOWNS_MOST = 30 }; // with a panel; of more, the first
enum { DOTS_MOST = 120 };    // with more steps lines say as much
enum {
  STEPS_MOST = 3000,
  PANEL_STEPS = 300
};                        // in a picture, in each panel at least; of more, every second, third, ...
enum { PATHS_MOST = 30 }; // over lambda; of more, the last ones

static const char TIED[] = "tied to the data", BY_ITSELF[] = "model by itself";

static Ink tied_ink(void) {
  return ink_series(1);
}
static Ink free_ink(void) {
  return ink_series(0);
}

static LegendRow line_row(const char *text, Stroke stroke, Marker marker) {
  return (LegendRow){text, marker == MARKER_NONE ? INK_NONE : stroke.ink, stroke, marker, true,
                     false};
}

static const char *title_of(Arena *a, const char *what, const Problem *p) {
  return arena_print(a, "%s: %s", what, problem_name(p));
}

static int shown_unknowns(const Problem *p) {
  return p->unknown_count < UNKNOWNS_MOST ? p->unknown_count : UNKNOWNS_MOST;
}

// Logarithmic if it is searched so, or covers more than two decades.
static bool is_wide(const double *values, int count) {
  double least = HUGE_VAL, most = 0;
  for (int i = 0; i < count; i++) {
    if (!(values[i] > 0)) return false;
    least = fmin(least, values[i]), most = fmax(most, values[i]);
  }
  return most > 100 * least;
}

static bool all_positive(const double *values, int count) {
  for (int i = 0; i < count; i++)
    if (!(values[i] > 0)) return false;
  return true;
}

// ---------------------------------------------------------------- lambda

static Ink path_ink(bool last) {
  return last ? tied_ink() : ink_mix(tied_ink(), INK_WHITE, 0.65);
}

// A path falls from one lambda to the next; where lambda rises another one begins. The last one is drawn over the others.
static void draw_paths(const Axes *axes, const double *lambda, const double *values, int count) {
  for (int from = 0, next; from < count; from = next) {
    for (next = from + 1; next < count && lambda[next] < lambda[next - 1];) next++;
    Ink ink = path_ink(next == count);
    axes_curve(axes, lambda + from, values + from, next - from, (Stroke){ink, LINE, DASH_FULL});
    axes_markers(axes, lambda + from, values + from, next - from, MARKER_CIRCLE, DOT, ink,
                 NO_STROKE);
  }
}

// As numbers each path rises from lambda = 0.
static void add_paths(const Axes *axes, const double *lambda, const double *values, int count) {
  Figure *f = axes->figure;
  double *x = ARENA_ARRAY(f->arena, double, count), *y = ARENA_ARRAY(f->arena, double, count);
  int path = 0;
  axes_plot(axes, false);
  for (int from = 0, next; from < count; from = next, path++) {
    for (next = from + 1; next < count && lambda[next] < lambda[next - 1];) next++;
    for (int i = from; i < next; i++) {
      x[next - 1 - i] = lambda[i];
      y[next - 1 - i] = values[i];
    }
    bool last = next == count;
    const char *name =
        last ? "stages, lambda falls" : arena_print(f->arena, "searches before (%d)", path + 1);
    figure_series(f, &(FigureSeries){name, path_ink(last), DASH_FULL, false, x, y, next - from});
  }
  figure_series(f, &(FigureSeries){"end", free_ink(), DASH_FULL, true, &lambda[count - 1],
                                   &values[count - 1], 1});
}

static void draw_path(Figure *f, Frame frame, const double *lambda, const double *values, int count,
                      const char *label, bool log) {
  Axes axes = {f, frame, {-0.04, 1.04, false, "lambda"}, AXIS_EMPTY(log, label)};
  axis_include(&axes.y, values, count);
  axis_settle(&axes.y);
  axes_grid(&axes);
  draw_paths(&axes, lambda, values, count);
  axes_markers(&axes, &lambda[count - 1], &values[count - 1], 1, MARKER_CIRCLE, DOT + 3, free_ink(),
               NO_STROKE);
  axes_border(&axes);
  add_paths(&axes, lambda, values, count);
}

static bool some_rise(const FitResult *r) {
  for (int i = 1; i < r->path.count; i++)
    if (r->path.at[i].lambda >= r->path.at[i - 1].lambda) return true;
  return false;
}

// Where the last paths begin.
static int first_shown(const FitResult *r) {
  int from = r->path.count - 1;
  for (int paths = 1; from > 0; from--)
    if (r->path.at[from].lambda >= r->path.at[from - 1].lambda && paths++ == PATHS_MOST) break;
  return from;
}

Figure *fit_path_figure(Arena *a, const FitResult *r) {
  const Problem *p = r->problem;
  if (!r->path.count) return NULL;
  int n = shown_unknowns(p), first = first_shown(r), count = r->path.count - first;
  LegendRow legend[] = {
      line_row("stages, lambda falls", (Stroke){tied_ink(), LINE, DASH_FULL}, MARKER_CIRCLE),
      line_row("end", (Stroke){free_ink(), LINE, DASH_FULL}, MARKER_CIRCLE),
      line_row("searches before", (Stroke){path_ink(false), LINE, DASH_FULL}, MARKER_CIRCLE)};
  legend[1].line = false;
  Panels panels = panels_new(a, title_of(a, "Path over lambda", p), n + 1, PANEL_SMALL, legend,
                             some_rise(r) ? 3 : 2);
  double *lambda = ARENA_ARRAY(a, double, count), *values = ARENA_ARRAY(a, double, count);
  for (int i = 0; i < count; i++) {
    lambda[i] = r->path.at[first + i].lambda;
    values[i] = r->path.at[first + i].objective;
  }
  draw_path(panels.figure, panels_frame(&panels, 0), lambda, values, count, "objective",
            all_positive(values, count));
  for (int k = 0; k < n; k++) {
    const Unknown *u = &p->unknowns[k];
    for (int i = 0; i < count; i++) values[i] = r->path.at[first + i].x[k];
    draw_path(panels.figure, panels_frame(&panels, k + 1), lambda, values, count,
              axis_label(a, u->name, u->unit), u->log || is_wide(values, count));
  }
  return panels.figure;
}

// ---------------------------------------------------------------- steps

typedef struct ShownSteps { // of a trace
  const FitTrace *trace;
  int every; // so many become one
  int count;
} ShownSteps;

static ShownSteps shown_steps(const FitTrace *t, int panels) {
  int most = STEPS_MOST / panels > PANEL_STEPS ? STEPS_MOST / panels : PANEL_STEPS;
  int all = fit_trace_count(t), every = 1 + (all - 1) / most;
  return (ShownSteps){t, every, (all + every - 1) / every};
}

static int step_number(const ShownSteps *s, int i) { // the last step is always there
  return i == s->count - 1 ? fit_trace_count(s->trace) - 1 : i * s->every;
}

static const FitTracePoint *step_at(const ShownSteps *s, int i) {
  return fit_trace_point(s->trace, step_number(s, i));
}

typedef struct StepPanel {
  Axes axes;
  const ShownSteps *steps;
  const double *x, *y; // step i is at i + first
  int count, first;
} StepPanel;

static bool is_same_stage(const ShownSteps *t, int i) { // as the step before
  const FitTracePoint *before = step_at(t, i - 1), *now = step_at(t, i);
  return now->lambda == before->lambda && strcmp(now->stage, before->stage) == 0;
}

// It goes on from the step before; another search begins elsewhere.
static bool goes_on(const ShownSteps *t, int i) {
  bool further = step_at(t, i)->iteration > step_at(t, i - 1)->iteration;
  return is_same_stage(t, i) ? further : step_at(t, i - 1)->lambda > 0;
}

static void draw_changes(const StepPanel *p) {
  for (int i = 1; i < p->steps->count; i++) {
    int at = i + p->first;
    if (!is_same_stage(p->steps, i)) axes_upright(&p->axes, (p->x[at - 1] + p->x[at]) / 2, CHANGE);
  }
}

static void draw_line(const StepPanel *p) {
  Stroke stroke = {0x909090, 1, DASH_FULL};
  int from = 0;
  for (int i = p->first + 1; i < p->count; i++) {
    if (goes_on(p->steps, i - p->first)) continue;
    axes_curve(&p->axes, p->x + from, p->y + from, i - from, stroke);
    from = i;
  }
  axes_curve(&p->axes, p->x + from, p->y + from, p->count - from, stroke);
}

static void draw_steps(const StepPanel *p) {
  draw_line(p);
  for (int i = 0; i < p->count; i++) {
    const FitTracePoint *at = i >= p->first ? step_at(p->steps, i - p->first) : NULL;
    Ink ink = !at ? INK_BLACK : at->lambda > 0 ? tied_ink() : free_ink();
    double size = p->count > DOTS_MOST ? DOT - 2 : DOT;
    axes_markers(&p->axes, &p->x[i], &p->y[i], 1, MARKER_CIRCLE, size, ink, NO_STROKE);
  }
}

// The steps of one kind as numbers, with gaps where others lie between or another search begins.
static void add_kind(const StepPanel *p, bool tied) {
  Figure *f = p->axes.figure;
  double *x = ARENA_ARRAY(f->arena, double, 2 * p->count + 1);
  double *y = ARENA_ARRAY(f->arena, double, 2 * p->count + 1);
  int n = 0, last = -1;
  for (int i = p->first; i < p->count; i++) {
    if ((step_at(p->steps, i - p->first)->lambda > 0) != tied) continue;
    bool joined = last == i - 1 && last >= p->first && goes_on(p->steps, i - p->first);
    if (n && !joined) x[n] = (p->x[last] + p->x[i]) / 2, y[n++] = nan("");
    x[n] = p->x[i], y[n++] = p->y[i];
    last = i;
  }
  if (n)
    figure_series(f, &(FigureSeries){tied ? TIED : BY_ITSELF, tied ? tied_ink() : free_ink(),
                                     DASH_FULL, false, x, y, n});
}

static bool are_ordered(const double *x, int count) {
  for (int i = 1; i < count; i++)
    if (!(x[i] >= x[i - 1])) return false;
  return true;
}

// result NaN: there is no line of it.
static void add_steps(const StepPanel *p, double result) {
  Figure *f = p->axes.figure;
  if (!are_ordered(p->x, p->count)) return;
  axes_plot(&p->axes, false);
  if (p->first)
    figure_series(f, &(FigureSeries){"start", INK_BLACK, DASH_FULL, true, p->x, p->y, 1});
  add_kind(p, true);
  add_kind(p, false);
  if (!isnan(result))
    figure_series(f, &(FigureSeries){"result", RESULT.ink, RESULT.dash, false,
                                     (double[]){p->x[0], p->x[p->count - 1]},
                                     (double[]){result, result}, 2});
}

static bool some_are_tied(const ShownSteps *t) {
  for (int i = 0; i < t->count; i++)
    if (step_at(t, i)->lambda > 0) return true;
  return false;
}

enum { STEP_LEGEND = 5 };

static int step_legend(const ShownSteps *t, bool with_start, bool with_result,
                       LegendRow rows[STEP_LEGEND]) {
  int n = 0;
  Stroke dot = {free_ink(), LINE, DASH_FULL};
  if (with_start) rows[n++] = line_row("start", (Stroke){INK_BLACK, 1, DASH_FULL}, MARKER_CIRCLE);
  if (some_are_tied(t))
    rows[n++] = line_row(TIED, (Stroke){tied_ink(), LINE, DASH_FULL}, MARKER_CIRCLE);
  rows[n++] = line_row(BY_ITSELF, dot, MARKER_CIRCLE);
  for (int i = 0; i < n; i++) rows[i].line = false;
  if (with_result) rows[n++] = line_row("result", RESULT, MARKER_NONE);
  for (int i = 1; i < t->count; i++) {
    if (is_same_stage(t, i)) continue;
    rows[n++] = line_row("next stage or lambda", (Stroke){0x909090, 1, DASH_DOTTED}, MARKER_NONE);
    break;
  }
  return n;
}

static void draw_unknown(Figure *f, Frame frame, const FitResult *r, const ShownSteps *t, int k) {
  const Unknown *u = &r->problem->unknowns[k];
  int count = t->count + 1;
  double *x = ARENA_ARRAY(f->arena, double, count), *y = ARENA_ARRAY(f->arena, double, count);
  y[0] = r->start[k];
  for (int i = 1; i < count; i++) x[i] = step_number(t, i - 1) + 1, y[i] = step_at(t, i - 1)->x[k];
  bool log = (u->log && all_positive(y, count)) || is_wide(y, count);
  StepPanel p = {{f, frame, AXIS_EMPTY(false, "step"),
                  AXIS_EMPTY(log, axis_label(f->arena, u->name, u->unit))},
                 t,
                 x,
                 y,
                 count,
                 1};
  axis_include(&p.axes.x, x, count);
  axis_include(&p.axes.y, y, count);
  axis_include(&p.axes.y, &r->x[k], 1);
  axis_settle(&p.axes.x);
  axis_settle(&p.axes.y);
  axes_grid(&p.axes);
  draw_changes(&p);
  axes_level(&p.axes, r->x[k], RESULT);
  draw_steps(&p);
  axes_border(&p.axes);
  add_steps(&p, r->x[k]);
}

Figure *fit_parameters_figure(Arena *a, const FitResult *r, const FitTrace *t) {
  const Problem *p = r->problem;
  if (!fit_trace_count(t) || !p->unknown_count) return NULL;
  ShownSteps steps = shown_steps(t, shown_unknowns(p));
  LegendRow legend[STEP_LEGEND];
  Panels panels =
      panels_new(a, title_of(a, "Parameters over the steps", p), shown_unknowns(p),
                 panel_usual(p->unknown_count), legend, step_legend(&steps, true, true, legend));
  for (int k = 0; k < shown_unknowns(p); k++)
    draw_unknown(panels.figure, panels_frame(&panels, k), r, &steps, k);
  return panels.figure;
}

// The steps in the plane of one unknown and the objective.
static void draw_slopes(Figure *f, Frame frame, const FitResult *r, const ShownSteps *t, int k) {
  const Unknown *u = &r->problem->unknowns[k];
  bool with_start = isfinite(r->objective_start);
  int count = t->count + with_start;
  double *x = ARENA_ARRAY(f->arena, double, count), *y = ARENA_ARRAY(f->arena, double, count);
  if (with_start) x[0] = r->start[k], y[0] = r->objective_start;
  for (int i = with_start; i < count; i++) {
    x[i] = step_at(t, i - with_start)->x[k];
    y[i] = step_at(t, i - with_start)->objective;
  }
  bool log = (u->log && all_positive(x, count)) || is_wide(x, count);
  StepPanel p = {{f, frame, AXIS_EMPTY(log, axis_label(f->arena, u->name, u->unit)),
                  AXIS_EMPTY(all_positive(y, count), "objective")},
                 t,
                 x,
                 y,
                 count,
                 with_start};
  axis_include(&p.axes.x, x, count);
  axis_include(&p.axes.y, y, count);
  axis_settle(&p.axes.x);
  axis_settle(&p.axes.y);
  axes_grid(&p.axes);
  axes_upright(&p.axes, r->x[k], RESULT);
  draw_steps(&p);
  axes_border(&p.axes);
}

Figure *fit_slopes_figure(Arena *a, const FitResult *r, const FitTrace *t) {
  const Problem *p = r->problem;
  if (!fit_trace_count(t) || !p->unknown_count) return NULL;
  ShownSteps steps = shown_steps(t, shown_unknowns(p));
  LegendRow legend[STEP_LEGEND];
  int rows = step_legend(&steps, isfinite(r->objective_start), true, legend);
  if (rows && strncmp(legend[rows - 1].text, "next", 4) == 0) rows--; // has no place here
  Panels panels = panels_new(a, title_of(a, "Objective of the steps over the parameters", p),
                             shown_unknowns(p), panel_usual(p->unknown_count), legend, rows);
  for (int k = 0; k < shown_unknowns(p); k++)
    draw_slopes(panels.figure, panels_frame(&panels, k), r, &steps, k);
  return panels.figure;
}

Figure *fit_convergence_figure(Arena *a, const FitResult *r, const FitTrace *t) {
  bool with_start = isfinite(r->objective_start);
  if (!fit_trace_count(t)) return NULL;
  ShownSteps steps = shown_steps(t, 1);
  int count = steps.count + with_start;
  LegendRow legend[STEP_LEGEND];
  Panels panels = panels_new(a, title_of(a, "Convergence", r->problem), 1, PANEL_WIDE, legend,
                             step_legend(&steps, with_start, false, legend));
  double *x = ARENA_ARRAY(a, double, count), *y = ARENA_ARRAY(a, double, count);
  if (with_start) y[0] = r->objective_start;
  for (int i = with_start; i < count; i++) {
    x[i] = (double)step_at(&steps, i - with_start)->simulations;
    y[i] = step_at(&steps, i - with_start)->objective;
  }
  StepPanel p = {{panels.figure, panels_frame(&panels, 0), AXIS_EMPTY(false, "simulations"),
                  AXIS_EMPTY(all_positive(y, count), "objective of what is minimised")},
                 &steps,
                 x,
                 y,
                 count,
                 with_start};
  axis_include(&p.axes.x, (const double[]){0}, 1);
  axis_include(&p.axes.x, x, count);
  axis_include(&p.axes.y, y, count);
  axis_settle(&p.axes.x);
  axis_settle(&p.axes.y);
  axes_grid(&p.axes);
  draw_changes(&p);
  draw_steps(&p);
  axes_border(&p.axes);
  add_steps(&p, nan(""));
  return panels.figure;
}
