#include "report/scan_picture.h"

#include <math.h>

const double *scan_objectives(const ObjectiveScan *s, int lambda) {
  return s->objective + (size_t)lambda * (size_t)s->points;
}

// ---------------------------------------------------------------- the scale of colours

static const double SPANS_MUCH = 30; // ratio from which on a scale is logarithmic
static const double DEEPEST = 1e-4;  // an exact minimum does not stretch the scale without end

ScanScale scan_scale(const ObjectiveScan *s, int lambda) {
  Axis axis = AXIS_EMPTY(false, "objective");
  axis_include(&axis, scan_objectives(s, lambda), s->points);
  if (!(axis.least <= axis.most)) axis.least = 0, axis.most = 1;
  axis.log = axis.most > 0 && (s->log_objective || axis.most > SPANS_MUCH * axis.least);
  if (axis.log) axis.least = fmax(axis.least, DEEPEST * axis.most);
  if (axis.log && axis.most <= 1.1 * axis.least) axis.log = false;
  if (!axis.log) ticks_widen(&axis.least, &axis.most);
  return (ScanScale){axis};
}

double scan_height(const ScanScale *scale, double objective) {
  const Axis *a = &scale->axis;
  double h = a->log ? log(fmax(objective, a->least) / a->least) / log(a->most / a->least)
                    : ticks_fraction(objective, a->least, a->most);
  return fmin(fmax(h, 0), 1);
}

int scan_band(const ScanScale *scale, double objective) {
  if (!isfinite(objective)) return SCAN_GAP;
  int band = (int)(SCAN_BANDS * scan_height(scale, objective));
  return band < SCAN_BANDS ? band : SCAN_BANDS - 1;
}

// From dark blue to yellow, ever lighter, so that it can be read without colours, too.
Ink scan_ink(int band) {
  static const Ink STOPS[] = {0x30104A, 0x3B4C8A, 0x2A8A8C, 0x5CBF62, 0xF4E04D};
  enum { LAST = sizeof STOPS / sizeof *STOPS - 1 };
  if (band >= SCAN_GAP) return INK_WHITE;
  double at = LAST * (band + 0.5) / SCAN_BANDS;
  int k = (int)at < LAST ? (int)at : LAST - 1;
  return ink_mix(STOPS[k], STOPS[k + 1], at - k);
}

// The nearest colour of the cube of 6 x 6 x 6.
int scan_terminal(int band) {
  if (band >= SCAN_GAP) return -1;
  Ink ink = scan_ink(band);
  int part[3] = {ink >> 16 & 255, ink >> 8 & 255, ink & 255};
  for (int i = 0; i < 3; i++) part[i] = part[i] < 48 ? 0 : part[i] < 115 ? 1 : (part[i] - 35) / 40;
  return 16 + 36 * part[0] + 6 * part[1] + part[2];
}

char scan_letter(int band) {
  static const char LETTERS[] = "@%#*+=-:.";
  enum { COUNT = sizeof LETTERS - 1 };
  return band >= SCAN_GAP ? ' ' : LETTERS[band * COUNT / SCAN_BANDS];
}

// ---------------------------------------------------------------- axes and texts

Axis scan_axis(const ObjectiveScan *s, int k, bool cells, Arena *a) {
  const ScanAxis *x = &s->axes[k];
  Axis axis = {x->from, scan_value(x, x->count - 1), x->log, axis_label(a, x->name, x->unit)};
  if (axis.log && axis.most <= axis.least) axis.least /= 1.1, axis.most *= 1.1;
  if (!axis.log) ticks_widen(&axis.least, &axis.most);
  if (!cells || x->count < 2) return axis;
  double half = 0.5 / (x->count - 1), factor = axis.log ? pow(axis.most / axis.least, half) : 1;
  double more = half * (axis.most - axis.least);
  if (axis.log)
    axis.least /= factor, axis.most *= factor;
  else
    axis.least -= more, axis.most += more;
  return axis;
}

const char *scan_lambda_text(Arena *a, double lambda) {
  return arena_print(a, "lambda = %.6g", lambda);
}

const char *scan_title(const ObjectiveScan *s, Arena *a) {
  return arena_print(a, "Objective over %s%s%s: %s", s->axes[0].name,
                     s->axis_count > 1 ? " and " : "", s->axis_count > 1 ? s->axes[1].name : "",
                     problem_name(s->problem));
}

bool scan_curves_are_log(const ObjectiveScan *s) {
  bool any = false;
  for (size_t i = 0; i < (size_t)s->points * (size_t)s->lambda_count; i++) {
    if (isfinite(s->objective[i]) && !(s->objective[i] > 0)) return false;
    any = any || isfinite(s->objective[i]);
  }
  return s->log_objective && any;
}

// ---------------------------------------------------------------- curves

bool scan_is_curves(const ObjectiveScan *s) {
  return s->axis_count == 1 || s->axes[1].count <= SCAN_CURVES_MOST;
}

int scan_panel_count(const ObjectiveScan *s) {
  return s->axis_count == 1 ? 1 : s->lambda_count;
}

int scan_curve_count(const ObjectiveScan *s) {
  return s->axis_count == 1 ? s->lambda_count : s->axes[1].count;
}

static int least_of(const double *values, int count) {
  int best = -1;
  for (int i = 0; i < count; i++)
    if (isfinite(values[i]) && (best < 0 || values[i] < values[best])) best = i;
  return best;
}

ScanCurve scan_curve(const ObjectiveScan *s, int panel, int i, Arena *a) {
  bool one = s->axis_count == 1;
  int count = s->axes[0].count, lambda = one ? i : panel;
  ScanCurve c = {.label = "", .values = scan_objectives(s, lambda)};
  if (!one) c.values += (size_t)i * (size_t)count;
  if (!one)
    c.label = arena_print(a, "%s = %.6g", s->axes[1].name, scan_value(&s->axes[1], i));
  else if (s->lambda_count > 1 || s->lambda[0] > 0)
    c.label = scan_lambda_text(a, s->lambda[lambda]);
  c.best = least_of(c.values, count);
  return c;
}
