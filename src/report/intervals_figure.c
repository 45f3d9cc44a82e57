// A row for each unknown: name, bounds, a bar from one to the other with start, interval and estimate, the numbers, what is to
// be said. An unknown without bounds has a bar around what is known of it, open at that end.
#include "report/intervals_figure.h"

#include <math.h>

#include "draw/figure_axes.h"
#include "report/interval_text.h"
#include "write/rounded.h"

static const double EDGE = 16, HEAD = 74, LINE = 25, BAR = 250, GAP = 12, FOOT = 12; // points
static const double BAR_HEIGHT = 9, INTERVAL_HEIGHT = 15, CAP_HEIGHT = 15, MARK = 9;
static const double LABEL_MOST = 190, NUMBER_MOST = 215, WIDTH_LEAST = 560;
static const Ink BAR_INK = 0xDCDCDC;
static const Stroke CAP = {0x303030, 1.4, DASH_FULL};
static const double WIDE = 100; // ratio of bounds from which on the scale is logarithmic

typedef struct IntervalRow {
  const Unknown *unknown;
  double x, start, low, high; // low, high: of the interval; NaN: unknown
  bool at_bound, undetermined;
  const char *cell[6]; // see COLUMNS
} IntervalRow;

enum { NAME, MIN, MAX, VALUE, INTERVAL, FLAGS, COLUMNS };

typedef struct IntervalSheet {
  Arena *arena;
  const FitReport *report;
  IntervalRow *rows;
  int count;
  double at[COLUMNS], width[COLUMNS], bar; // places; that of names and minima is the right end
  double right;
} IntervalSheet;

// ---------------------------------------------------------------- rows

static const char *number(Arena *a, double value) {
  char text[ROUNDED_SIZE];
  if (isinf(value)) return value > 0 ? "∞" : "-∞";
  rounded_digits(value, 4, text);
  return arena_print(a, "%s", text);
}

static const char *interval_words(Arena *a, const IntervalRow *w) {
  char text[ROUNDED_INTERVAL_SIZE];
  if (isnan(w->low) || isnan(w->high)) return "";
  if (isinf(w->low) || isinf(w->high))
    return arena_print(a, "%s .. %s", number(a, w->low), number(a, w->high));
  rounded_interval(w->x, w->low, w->high, text);
  return arena_print(a, "%s", text);
}

static IntervalRow row_of(Arena *a, const FitReport *r, int k) {
  const Unknown *u = &r->problem->unknowns[k];
  const Statistics *s = r->statistics && k < r->statistics->n ? r->statistics : NULL;
  const StatParameter *q = s ? &s->parameters[k] : NULL;
  IntervalRow w = {.unknown = u, .x = r->result->x[k], .low = nan(""), .high = nan("")};
  char value[ROUNDED_SIZE];
  double near = 1e-9 * fabs(w.x);
  w.start = r->point ? nan("") : r->result->start ? r->result->start[k] : u->start;
  w.at_bound = w.x <= u->min + near || w.x >= u->max - near;
  if (q) w.low = q->ci_low, w.high = q->ci_high;
  w.undetermined = q && !q->identifiable && !statistics_miss(s, "identifiability");
  const char *bound = w.x <= u->min + near ? "at its lower bound" : "at its upper bound";
  rounded_value(w.x, q ? q->std_error : nan(""), value);
  w.cell[NAME] = axis_label(a, u->name, u->unit);
  w.cell[MIN] = number(a, u->min);
  w.cell[MAX] = number(a, u->max);
  w.cell[VALUE] = arena_print(a, "%s", value);
  w.cell[INTERVAL] = interval_words(a, &w);
  w.cell[FLAGS] = q ? parameter_flags(s, k) : w.at_bound ? bound : "";
  return w;
}

// ---------------------------------------------------------------- bars

static bool is_log(const IntervalRow *w) {
  const Unknown *u = w->unknown;
  if (!(u->min > 0) || !(w->x > 0)) return false;
  return u->log || (isfinite(u->max) && u->max > WIDE * u->min);
}

// From bound to bound; where there is none, a little beyond what there is to show.
static Axes bar_axes(const IntervalSheet *s, Figure *f, const IntervalRow *w, double y) {
  const Unknown *u = w->unknown;
  Axes axes = {
      f, {s->bar, y - LINE / 2, BAR, LINE}, AXIS_EMPTY(is_log(w), NULL), {0, 1, false, NULL}};
  double shown[] = {u->min, u->max, w->x, w->start, w->low, w->high};
  axis_include(&axes.x, shown, isfinite(u->min) && isfinite(u->max) && u->min < u->max ? 2 : 6);
  Axis exact = axes.x;
  axis_settle(&axes.x);
  bool some = exact.most > exact.least;
  if (some && exact.least == u->min) axes.x.least = u->min;
  if (some && exact.most == u->max) axes.x.most = u->max;
  return axes;
}

static double place(const Axes *axes, double value) {
  double from = axes->frame.x, to = from + axes->frame.width;
  double x = axes->x.log && !(value > 0) ? from : axes_x(axes, value);
  return fmin(fmax(x, from), to);
}

// A gap in the bar at each power of ten.
static void draw_decades(const Axes *axes, double y) {
  double low = log10(axes->x.least), high = log10(axes->x.most);
  if (!axes->x.log || high - low > 40) return;
  for (int k = (int)floor(low) + 1; k < high; k++) {
    double x = axes_x(axes, pow(10, k));
    figure_line(axes->figure, (Spot){x, y - BAR_HEIGHT / 2}, (Spot){x, y + BAR_HEIGHT / 2},
                (Stroke){INK_WHITE, 1.2, DASH_FULL});
  }
}

static Ink mark_ink(const IntervalRow *w) {
  return w->at_bound ? ink_series(1) : ink_series(0);
}

static Ink interval_ink(void) {
  return ink_mix(ink_series(5), INK_WHITE, 0.2);
}

static void draw_cap(Figure *f, double x, double y) {
  figure_line(f, (Spot){x, y - CAP_HEIGHT / 2}, (Spot){x, y + CAP_HEIGHT / 2}, CAP);
}

static void draw_bar(const IntervalSheet *s, Figure *f, const IntervalRow *w, double y) {
  Axes axes = bar_axes(s, f, w, y);
  figure_box(f, (Frame){s->bar, y - BAR_HEIGHT / 2, BAR, BAR_HEIGHT}, BAR_INK, NO_STROKE);
  draw_decades(&axes, y);
  if (!isnan(w->low) && !isnan(w->high)) { // taller than the mark: seen however narrow
    double low = place(&axes, w->low), high = place(&axes, w->high);
    double more = fmax(0, 1.6 - (high - low)) / 2;
    figure_box(f,
               (Frame){low - more, y - INTERVAL_HEIGHT / 2, high - low + 2 * more, INTERVAL_HEIGHT},
               interval_ink(), NO_STROKE);
  }
  if (isfinite(w->unknown->min)) draw_cap(f, place(&axes, w->unknown->min), y);
  if (isfinite(w->unknown->max)) draw_cap(f, place(&axes, w->unknown->max), y);
  if (isfinite(w->start))
    figure_marker(f, MARKER_CIRCLE, (Spot){place(&axes, w->start), y}, MARK - 1.5, INK_WHITE,
                  (Stroke){INK_GREY, 1.4, DASH_FULL});
  if (isfinite(w->x))
    figure_marker(f, MARKER_DIAMOND, (Spot){place(&axes, w->x), y}, MARK,
                  w->undetermined ? INK_WHITE : mark_ink(w), (Stroke){mark_ink(w), 1.6, DASH_FULL});
}

// ---------------------------------------------------------------- sheet

static const char *const HEADINGS[COLUMNS] = {
    [NAME] = "", [MIN] = "min", [MAX] = "max", [INTERVAL] = "95 % interval", [FLAGS] = ""};

static const char *heading(const IntervalSheet *s, int column) {
  if (column == VALUE) return s->report->point ? "value" : "estimate";
  return HEADINGS[column];
}

static void find_widths(IntervalSheet *s) {
  for (int c = 0; c < COLUMNS; c++) {
    for (int i = 0; i < s->count; i++)
      s->width[c] = fmax(s->width[c], figure_text_room(s->rows[i].cell[c], AXES_TEXT, false));
    if (s->width[c] > 0)
      s->width[c] = fmax(s->width[c], figure_text_room(heading(s, c), AXES_TEXT, false));
    s->width[c] = fmin(s->width[c], c == NAME ? LABEL_MOST : NUMBER_MOST);
  }
  s->at[NAME] = EDGE + s->width[NAME];
  s->at[MIN] = s->at[NAME] + GAP + s->width[MIN];
  s->bar = s->at[MIN] + GAP;
  double x = s->bar + BAR + GAP;
  for (int c = MAX; c < COLUMNS; c++) {
    s->at[c] = x;
    if (s->width[c] > 0) x += s->width[c] + GAP * (c == MAX ? 2 : 1.5);
  }
  s->right = fmax(x, WIDTH_LEAST);
}

static Lettering lettering(int column, Ink ink) {
  return (Lettering){.size = AXES_TEXT,
                     .ink = ink,
                     .align = column <= MIN ? ALIGN_RIGHT : ALIGN_LEFT,
                     .centred = true};
}

enum { LEGEND_MOST = 6 };

static int legend_of(const IntervalSheet *s, LegendRow rows[LEGEND_MOST]) {
  bool start = false, interval = false, bound = false, open = false, plain = false;
  for (int i = 0; i < s->count; i++) {
    const IntervalRow *w = &s->rows[i];
    start = start || isfinite(w->start);
    interval = interval || !isnan(w->low);
    bound = bound || w->at_bound;
    open = open || w->undetermined;
    plain = plain || (!w->at_bound && !w->undetermined);
  }
  int n = 0;
  Stroke mark = {ink_series(0), 1.6, DASH_FULL}, stopped = {ink_series(1), 1.6, DASH_FULL};
  Stroke faint = {INK_GREY, 1.4, DASH_FULL};
  rows[n++] = (LegendRow){"between the bounds", BAR_INK, NO_STROKE, MARKER_NONE, false, false};
  if (start) rows[n++] = (LegendRow){"start", INK_WHITE, faint, MARKER_CIRCLE, false, false};
  if (plain)
    rows[n++] = (LegendRow){heading(s, VALUE), mark.ink, mark, MARKER_DIAMOND, false, false};
  if (bound)
    rows[n++] = (LegendRow){"at a bound", stopped.ink, stopped, MARKER_DIAMOND, false, false};
  if (open)
    rows[n++] = (LegendRow){"not determined", INK_WHITE, mark, MARKER_DIAMOND, false, false};
  if (interval)
    rows[n++] = (LegendRow){"95 % interval", interval_ink(), NO_STROKE, MARKER_NONE, false, false};
  return n;
}

static bool some_are_log(const IntervalSheet *s) {
  for (int i = 0; i < s->count; i++)
    if (is_log(&s->rows[i])) return true;
  return false;
}

static Figure *draw_sheet(const IntervalSheet *s, const char *title) {
  LegendRow legend[LEGEND_MOST];
  int rows = legend_of(s, legend);
  double body = HEAD + s->count * LINE + FOOT, end = s->right - EDGE;
  double foot = legend_flow(NULL, (Spot){EDGE, 0}, end, legend, rows);
  double note = some_are_log(s) ? LEGEND_LINE : 0;
  Figure *f = figure_new(s->arena, s->right, body + foot + note + FOOT, title);
  figure_text_within(f, (Spot){f->width / 2, 26}, title,
                     (Lettering){.size = 15, .align = ALIGN_CENTRE, .bold = true},
                     f->width - 2 * EDGE);
  for (int c = MIN; c < COLUMNS; c++)
    if (s->width[c] > 0)
      figure_text(f, (Spot){s->at[c], HEAD - LINE / 2 - 2}, heading(s, c), lettering(c, INK_GREY));
  for (int i = 0; i < s->count; i++) {
    double y = HEAD + (i + 0.5) * LINE;
    for (int c = 0; c < COLUMNS; c++)
      figure_text_within(f, (Spot){s->at[c], y}, s->rows[i].cell[c],
                         lettering(c, c == MIN || c == MAX ? INK_GREY : INK_BLACK), s->width[c]);
    draw_bar(s, f, &s->rows[i], y);
  }
  legend_flow(f, (Spot){EDGE, body}, end, legend, rows);
  if (note > 0)
    figure_text(f, (Spot){EDGE + 6, body + foot + note / 2},
                "Bars with gaps at the powers of ten have a logarithmic scale.",
                lettering(COLUMNS, INK_GREY));
  return f;
}

int intervals_figure_count(const Problem *p) {
  return (p->unknown_count + INTERVALS_ROWS - 1) / INTERVALS_ROWS;
}

Figure *intervals_figure(Arena *a, const FitReport *r, int part) {
  const Problem *p = r->problem;
  int parts = intervals_figure_count(p);
  if (part >= parts) return NULL;
  int first = p->unknown_count * part / parts, next = p->unknown_count * (part + 1) / parts;
  IntervalSheet s = {.arena = a, .report = r, .count = next - first};
  s.rows = ARENA_ARRAY(a, IntervalRow, s.count);
  for (int i = 0; i < s.count; i++) s.rows[i] = row_of(a, r, first + i);
  find_widths(&s);
  const char *some =
      parts > 1 ? arena_print(a, " (%d to %d of %d)", first + 1, next, p->unknown_count) : "";
  return draw_sheet(&s, arena_print(a, "%s: %s%s", r->point ? "Parameters" : "Estimates",
                                    p->path ? p->path : "", some));
}
