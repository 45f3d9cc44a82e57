#include "draw/figure_axes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "write/rounded.h"

static const Stroke BORDER = {0x303030, 1, DASH_FULL}, GRID = {0xE4E4E4, 0.8, DASH_FULL};
static const double TICK_LENGTH = 5, SMALL_TICK = 3;
static const double POINTS_A_TICK_X = 60, POINTS_A_TICK_Y = 50;

const char *axis_label(Arena *a, const char *name, const char *unit) {
  bool plain = !unit || !unit[0] || strcmp(unit, "1") == 0;
  return !plain ? arena_print(a, "%s [%s]", name, unit) : arena_print(a, "%s", name);
}

void axis_include(Axis *axis, const double *values, int count) {
  for (int i = 0; i < count; i++) {
    if (!isfinite(values[i]) || (axis->log && !(values[i] > 0))) continue;
    axis->least = fmin(axis->least, values[i]);
    axis->most = fmax(axis->most, values[i]);
  }
}

static const double MARGIN = 0.04; // share of the length, at each end

void axis_settle(Axis *axis) {
  if (!(axis->least <= axis->most)) axis->least = axis->most = axis->log ? 1 : 0;
  if (axis->log && axis->most <= axis->least * 1.1) axis->least /= 2, axis->most *= 2;
  if (!axis->log) ticks_widen(&axis->least, &axis->most);
  double low = axis->log ? log(axis->least) : axis->least;
  double high = axis->log ? log(axis->most) : axis->most, more = MARGIN * (high - low);
  axis->least = axis->log ? fmax(exp(low - more), DBL_MIN) : low - more;
  axis->most = axis->log ? fmin(exp(high + more), DBL_MAX) : high + more;
}

// ---------------------------------------------------------------- ticks

static void add_tick(Ticks *t, double v) {
  if (t->count == TICKS_MOST) return;
  double size = fabs(v);
  t->at[t->count] = v;
  char *label = t->label[t->count++];
  if (size >= 1e-3 && size < 1e5)
    c_snprintf(label, TICK_SIZE, "%.6g", v);
  else
    c_snprintf(label, TICK_SIZE, "%.0fe%d", v / pow(10, floor(log10(size) + 1e-9)),
               (int)floor(log10(size) + 1e-9));
}

// Powers of ten; some are skipped if there are too many.
static void ticks_of_powers(Ticks *t, double low, double high, int wanted) {
  int every = (int)ceil((high - low) / (wanted > 1 ? wanted : 1));
  for (int k = (int)ceil(low - 1e-9); k <= high + 1e-9; k++)
    if (every <= 1 || k % every == 0) add_tick(t, pow(10, k));
}

static void ticks_of_decades(Ticks *t, double low, double high, const int *parts, int count) {
  for (int k = (int)floor(low); k <= high; k++)
    for (int i = 0; i < count; i++) {
      double at = k + log10(parts[i]);
      if (at >= low - 1e-9 && at <= high + 1e-9) add_tick(t, parts[i] * pow(10, k));
    }
}

static void log_ticks(const Axis *axis, int wanted, Ticks *out) {
  double low = log10(axis->least), high = log10(axis->most);
  out->count = 0;
  out->step = 0;
  if (high - low < 0.7) {
    ticks_make(out, axis->least, axis->most, wanted);
  } else if (high - low < 0.4 * wanted) {
    ticks_of_decades(out, low, high, (const int[]){1, 2, 5}, 3);
  } else {
    ticks_of_powers(out, low, high, wanted);
  }
}

void axis_ticks(const Axis *axis, int wanted, Ticks *out) {
  if (axis->log)
    log_ticks(axis, wanted, out);
  else
    ticks_make(out, axis->least, axis->most, wanted);
}

static const double NARROW = 1e-3; // span relative to the values

// On a narrow axis numbers agree in many digits: they are shown as differences from a round number near them. Returns that
// number, or 0.
static double axis_shift(const Axis *axis) {
  double span = axis->most - axis->least, middle = axis->least + span / 2, shift = 0;
  if (!(span < NARROW * fabs(middle))) return 0;
  for (int digits = 1; digits < 17; digits++) {
    char text[32];
    c_snprintf(text, sizeof text, "%.*g", digits, middle);
    shift = c_strtod(text, NULL);
    if (fabs(shift - middle) <= span) break;
  }
  return shift;
}

enum { DIGITS_MOST = 6 }; // of a label, with its point

// Writes 0.00005 and 0.00010 as 5e-5 and 10e-5.
static void shorten_labels(Ticks *t) {
  bool wide = false;
  for (int i = 0; i < t->count; i++)
    wide = wide || strlen(t->label[i] + (t->at[i] < 0)) > DIGITS_MOST;
  if (!wide || !(t->step > 0)) return;
  int power = (int)floor(log10(t->step) + 1e-9);
  for (int i = 0; i < t->count; i++)
    if (t->at[i] == 0)
      c_snprintf(t->label[i], TICK_SIZE, "0");
    else
      c_snprintf(t->label[i], TICK_SIZE, "%.0fe%d", t->at[i] / pow(10, power), power);
}

enum { TRIES = 4 }; // with ever more ticks, where few of the round numbers are inside

static Ticks shifted_ticks(const Axis *axis, double wanted) {
  Ticks t;
  Axis shown = *axis;
  double shift = axis_shift(axis);
  shown.least -= shift, shown.most -= shift;
  shown.log = axis->log && shift == 0;
  for (int i = 0; i < TRIES; i++) {
    axis_ticks(&shown, (int)fmax(2, wanted) + i, &t);
    if (t.count >= (wanted < 3.5 ? 2 : 3)) break;
  }
  shorten_labels(&t);
  for (int i = 0; i < t.count; i++) t.at[i] += shift;
  return t;
}

static Ticks x_ticks(const Axes *a) {
  return shifted_ticks(&a->x, a->frame.width / POINTS_A_TICK_X);
}

static Ticks y_ticks(const Axes *a) {
  return shifted_ticks(&a->y, a->frame.height / POINTS_A_TICK_Y);
}

// "name - 20 [unit]"
static const char *shifted_label(Arena *a, const Axis *axis) {
  double shift = axis_shift(axis);
  const char *label = axis->label ? axis->label : "", *unit = strrchr(label, '[');
  if (shift == 0 || !label[0]) return label;
  size_t name =
      unit && unit > label && unit[-1] == ' ' ? (size_t)(unit - 1 - label) : strlen(label);
  char round[ROUNDED_SIZE];
  rounded_digits(fabs(shift), 15, round);
  return arena_print(a, "%.*s %s %s%s", (int)name, label, shift > 0 ? "-" : "+", round,
                     label + name);
}

// ---------------------------------------------------------------- positions

static double fraction(const Axis *axis, double v) {
  if (!axis->log) return ticks_fraction(v, axis->least, axis->most);
  if (!(v > 0)) return nan("");
  return (log(v) - log(axis->least)) / (log(axis->most) - log(axis->least)); // no overflow
}

double axes_x(const Axes *a, double value) {
  return a->frame.x + a->frame.width * fraction(&a->x, value);
}
double axes_y(const Axes *a, double value) {
  return a->frame.y + a->frame.height * (1 - fraction(&a->y, value));
}
Spot axes_spot(const Axes *a, double x, double y) {
  return (Spot){axes_x(a, x), axes_y(a, y)};
}

// ---------------------------------------------------------------- the frame

void axes_grid(const Axes *a) {
  Ticks x = x_ticks(a), y = y_ticks(a);
  for (int i = 0; i < x.count; i++) axes_upright(a, x.at[i], GRID);
  for (int i = 0; i < y.count; i++) axes_level(a, y.at[i], GRID);
}

static void draw_x_ticks(const Axes *a, bool numbers) {
  Ticks t = x_ticks(a);
  double base = a->frame.y + a->frame.height;
  Lettering letters = {.size = AXES_TEXT, .align = ALIGN_CENTRE};
  for (int i = 0; i < t.count; i++) {
    double x = axes_x(a, t.at[i]);
    figure_line(a->figure, (Spot){x, base}, (Spot){x, base + TICK_LENGTH}, BORDER);
    if (numbers) figure_text(a->figure, (Spot){x, base + TICK_LENGTH + 12}, t.label[i], letters);
  }
}

static void draw_y_ticks(const Axes *a) {
  Ticks t = y_ticks(a);
  double base = a->frame.x;
  Lettering letters = {.size = AXES_TEXT, .align = ALIGN_RIGHT, .centred = true};
  for (int i = 0; i < t.count; i++) {
    double y = axes_y(a, t.at[i]);
    figure_line(a->figure, (Spot){base - TICK_LENGTH, y}, (Spot){base, y}, BORDER);
    figure_text(a->figure, (Spot){base - TICK_LENGTH - 3, y}, t.label[i], letters);
  }
}

// Minor ticks between the powers of ten.
static void draw_small_ticks(const Axes *a, const Axis *axis, bool across) {
  double low = log10(axis->least), high = log10(axis->most);
  if (!axis->log || high - low > 8) return;
  for (int k = (int)floor(low); k <= high; k++)
    for (int i = 2; i < 10; i++) {
      double v = i * pow(10, k);
      if (!(v >= axis->least && v <= axis->most)) continue;
      Spot from = across ? (Spot){axes_x(a, v), a->frame.y + a->frame.height}
                         : (Spot){a->frame.x, axes_y(a, v)};
      Spot to = across ? (Spot){from.x, from.y + SMALL_TICK} : (Spot){from.x - SMALL_TICK, from.y};
      figure_line(a->figure, from, to, BORDER);
    }
}

static double widest_label(const Ticks *t) {
  double width = 0;
  for (int i = 0; i < t->count; i++)
    width = fmax(width, figure_text_room(t->label[i], AXES_TEXT, false));
  return width;
}

// A label may extend this far beyond the ends of its axis, but not out of the figure.
static const double LABEL_BEYOND = 30;

static double label_room(double from, double length, double whole) {
  double beyond = fmin(from, whole - from - length) - 4;
  return length + 2 * fmin(LABEL_BEYOND, fmax(0, beyond));
}

static void draw_labels(const Axes *a) {
  Ticks y = y_ticks(a);
  const Frame *f = &a->frame;
  double left = fmax(f->x - TICK_LENGTH - widest_label(&y) - 10, AXES_TEXT);
  Lettering across = {.size = AXES_TEXT + 1, .align = ALIGN_CENTRE}, upright = across;
  upright.upright = true;
  figure_text_within(a->figure, (Spot){f->x + f->width / 2, f->y + f->height + 36},
                     shifted_label(a->figure->arena, &a->x), across,
                     label_room(f->x, f->width, a->figure->width));
  figure_text_within(a->figure, (Spot){left, f->y + f->height / 2},
                     shifted_label(a->figure->arena, &a->y), upright,
                     label_room(f->y, f->height, a->figure->height));
}

static void draw_border(const Axes *a, bool numbers) {
  a->figure->frames++;
  figure_box(a->figure, a->frame, INK_NONE, BORDER);
  draw_x_ticks(a, numbers);
  draw_y_ticks(a);
  draw_small_ticks(a, &a->x, true);
  draw_small_ticks(a, &a->y, false);
  draw_labels(a);
}

void axes_border(const Axes *a) {
  draw_border(a, true);
}
void axes_border_plain(const Axes *a) {
  draw_border(a, false);
}

void axes_title(const Axes *a, const char *title) {
  figure_text_within(a->figure, (Spot){a->frame.x, a->frame.y - 12}, title,
                     (Lettering){.size = AXES_TEXT + 2, .bold = true}, a->frame.width);
}

// ---------------------------------------------------------------- curves

static bool is_place(Spot s) {
  return isfinite(s.x) && isfinite(s.y);
}

// Moves points far outside the frame nearer to it, which keeps numbers and files small.
static Spot near_frame(const Axes *a, Spot s) {
  double wide = 20 * (a->frame.width + a->frame.height);
  return (Spot){fmin(fmax(s.x, a->frame.x - wide), a->frame.x + wide),
                fmin(fmax(s.y, a->frame.y - wide), a->frame.y + wide)};
}

// Points of a curve that follow each other in a column of this width are drawn as its first, lowest, highest and last one.
static const double COLUMN = 0.4; // points

static Spot *keep_column(Spot *to, const Spot *spots, int count) {
  int low = 0, high = 0;
  for (int i = 1; i < count; i++) {
    if (spots[i].y < spots[low].y) low = i;
    if (spots[i].y > spots[high].y) high = i;
  }
  const int chosen[4] = {0, low < high ? low : high, low < high ? high : low, count - 1};
  for (int i = 0; i < 4; i++)
    if (!i || chosen[i] > chosen[i - 1]) *to++ = spots[chosen[i]];
  return to;
}

static int without_crowds(Spot *spots, int count) {
  Spot *to = spots;
  for (int i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && fabs(spots[next].x - spots[i].x) < COLUMN;) next++;
    to = keep_column(to, spots + i, next - i);
  }
  return (int)(to - spots);
}

static void draw_piece(const Axes *a, Spot *spots, int count, Stroke stroke) {
  figure_curve(a->figure, spots, without_crowds(spots, count), stroke);
}

void axes_curve(const Axes *a, const double *x, const double *y, int count, Stroke stroke) {
  Spot *spots = ARENA_ARRAY(a->figure->arena, Spot, count);
  int n = 0;
  figure_clip(a->figure, a->frame);
  for (int i = 0; i < count; i++) {
    Spot s = axes_spot(a, x[i], y[i]);
    if (is_place(s)) {
      spots[n++] = near_frame(a, s);
    } else {
      draw_piece(a, spots, n, stroke);
      n = 0;
    }
  }
  draw_piece(a, spots, n, stroke);
  figure_unclip(a->figure);
}

static bool is_inside(const Axes *a, Spot s) {
  double slack = 1e-6 * (a->frame.width + a->frame.height);
  return s.x >= a->frame.x - slack && s.x <= a->frame.x + a->frame.width + slack &&
         s.y >= a->frame.y - slack && s.y <= a->frame.y + a->frame.height + slack;
}

void axes_markers(const Axes *a, const double *x, const double *y, int count, Marker marker,
                  double size, Ink fill, Stroke stroke) {
  for (int i = 0; i < count; i++) {
    Spot s = axes_spot(a, x[i], y[i]);
    if (is_place(s) && is_inside(a, s)) figure_marker(a->figure, marker, s, size, fill, stroke);
  }
}

void axes_band(const Axes *a, const double *x, const double *low, const double *high, int count,
               Ink fill) {
  Spot *spots = ARENA_ARRAY(a->figure->arena, Spot, 2 * (size_t)count);
  int n = 0;
  for (int i = 0; i < count; i++) {
    Spot s = axes_spot(a, x[i], low[i]);
    if (is_place(s)) spots[n++] = near_frame(a, s);
  }
  for (int i = count; i-- > 0;) {
    Spot s = axes_spot(a, x[i], high[i]);
    if (is_place(s)) spots[n++] = near_frame(a, s);
  }
  figure_clip(a->figure, a->frame);
  figure_polygon(a->figure, spots, n, fill, NO_STROKE);
  figure_unclip(a->figure);
}

void axes_level(const Axes *a, double y, Stroke stroke) {
  double at = axes_y(a, y);
  if (is_inside(a, (Spot){a->frame.x, at}))
    figure_line(a->figure, (Spot){a->frame.x, at}, (Spot){a->frame.x + a->frame.width, at}, stroke);
}

void axes_upright(const Axes *a, double x, Stroke stroke) {
  double at = axes_x(a, x);
  if (is_inside(a, (Spot){at, a->frame.y}))
    figure_line(a->figure, (Spot){at, a->frame.y}, (Spot){at, a->frame.y + a->frame.height},
                stroke);
}

// ---------------------------------------------------------------- legends

static const double SAMPLE = 22, LEGEND_EDGE = 6, LEGEND_TEXT_MOST = 300; // points

double legend_width(const LegendRow *rows, int count) {
  double width = 0;
  for (int i = 0; i < count; i++)
    width = fmax(width, figure_text_room(rows[i].text, AXES_TEXT, false));
  return fmin(width, LEGEND_TEXT_MOST) + SAMPLE + 8 + 2 * LEGEND_EDGE;
}

double legend_height(int count) {
  return count * LEGEND_LINE + 2 * LEGEND_EDGE;
}

static void draw_sample(Figure *f, Spot middle, const LegendRow *r) {
  Frame box = {middle.x - 8, middle.y - 6, 16, 12};
  if (r->line)
    figure_line(f, (Spot){middle.x - SAMPLE / 2, middle.y}, (Spot){middle.x + SAMPLE / 2, middle.y},
                r->stroke);
  if (r->marker != MARKER_NONE) {
    figure_marker(f, r->marker, middle, 9, r->fill, r->stroke);
  } else if (r->fill != INK_NONE && !r->line) {
    figure_box(f, box, r->fill, r->stroke);
    if (r->hatched) figure_hatch(f, box, 5, (Stroke){INK_GREY, 0.8, DASH_FULL});
  }
}

void legend_draw(Figure *f, Spot at, const LegendRow *rows, int count, bool framed) {
  Frame all = {at.x, at.y, legend_width(rows, count), legend_height(count)};
  if (framed) figure_box(f, all, INK_WHITE, (Stroke){0xB0B0B0, 0.8, DASH_FULL});
  for (int i = 0; i < count; i++) {
    double y = at.y + LEGEND_EDGE + (i + 0.5) * LEGEND_LINE;
    draw_sample(f, (Spot){at.x + LEGEND_EDGE + SAMPLE / 2, y}, &rows[i]);
    figure_text_within(f, (Spot){at.x + LEGEND_EDGE + SAMPLE + 8, y}, rows[i].text,
                       (Lettering){.size = AXES_TEXT, .centred = true}, LEGEND_TEXT_MOST);
  }
}

static const double BETWEEN = 14; // rows side by side

double legend_flow(Figure *f, Spot at, double right, const LegendRow *rows, int count) {
  double x = at.x, y = at.y;
  for (int i = 0; i < count; i++) {
    double wide = legend_width(&rows[i], 1);
    if (x > at.x && x + wide > right) x = at.x, y += LEGEND_LINE;
    if (f) legend_draw(f, (Spot){x, y}, &rows[i], 1, false);
    x += wide + BETWEEN;
  }
  return count ? y - at.y + legend_height(1) : 0;
}

void figure_hatch(Figure *f, Frame frame, double distance, Stroke stroke) {
  // The lines x + y = k*distance, from the left or lower edge to the upper or right one.
  double first = frame.x + frame.y, last = first + frame.width + frame.height;
  for (double k = ceil(first / distance + 1e-9); k * distance < last - 1e-9; k++) {
    double sum = k * distance;
    double low = fmax(frame.x, sum - frame.y - frame.height);
    double high = fmin(frame.x + frame.width, sum - frame.y);
    if (high > low) figure_line(f, (Spot){low, sum - low}, (Spot){high, sum - high}, stroke);
  }
}

// ---------------------------------------------------------------- numbers

static FigurePlot plot_of(const Axes *a) {
  return (FigurePlot){.x_label = a->x.label ? a->x.label : "",
                      .y_label = a->y.label ? a->y.label : "",
                      .x_log = a->x.log,
                      .y_log = a->y.log};
}

void axes_plot(const Axes *a, bool below) {
  FigurePlot plot = plot_of(a);
  plot.below = below;
  figure_plot(a->figure, &plot);
}

void axes_plot_titled(const Axes *a, const char *title) {
  FigurePlot plot = plot_of(a);
  plot.title = title;
  figure_plot(a->figure, &plot);
}
