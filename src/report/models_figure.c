#include "report/models_figure.h"

#include <math.h>

#include "draw/figure_axes.h"
#include "write/rounded.h"

enum { BAR_LINE = 26, BAR_WIDTH = 300, LABEL_MOST = 260, VARIABLES_MOST = 6 };
static const double HEAD = 64, FOOT = 52, EDGE = 12, NUMBER = 70, GAP = 40;

typedef struct BarGroup { // a column of bars, one for each model
  const char *label;
  const double *value; // by row, >= 0; NaN: none
} BarGroup;

static void draw_bar(Figure *f, Frame frame, int row, double value, double most) {
  double y = frame.y + (row + 0.5) * BAR_LINE, end = frame.x;
  char text[ROUNDED_SIZE] = "-";
  if (isfinite(value)) {
    end += fmax(most > 0 ? value / most * frame.width : 0, 2);
    figure_box(f, (Frame){frame.x, y - 8, end - frame.x, 16}, ink_series(row), NO_STROKE);
    rounded_digits(value, 4, text);
  }
  figure_text(f, (Spot){end + 5, y}, text, (Lettering){.size = AXES_TEXT, .centred = true});
}

static void draw_group(Figure *f, const BarGroup *g, double left, int rows) {
  Frame frame = {left, HEAD, BAR_WIDTH, rows * BAR_LINE};
  double most = 0;
  for (int i = 0; i < rows; i++)
    if (isfinite(g->value[i])) most = fmax(most, g->value[i]);
  for (int i = 0; i < rows; i++) draw_bar(f, frame, i, g->value[i], most);
  figure_line(f, (Spot){left, HEAD}, (Spot){left, HEAD + frame.height},
              (Stroke){0x303030, 1, DASH_FULL});
  figure_text_within(f, (Spot){left, HEAD + frame.height + 20}, g->label,
                     (Lettering){.size = AXES_TEXT + 1}, BAR_WIDTH + NUMBER);
}

static Figure *draw_bars(Arena *a, const Models *m, const char *title, const BarGroup *groups,
                         int count) {
  double label = 0, step = BAR_WIDTH + NUMBER + GAP;
  if (!count) return NULL;
  for (int i = 0; i < m->count; i++)
    label = fmax(label, figure_text_room(m->rows[i].label, AXES_TEXT, false));
  label = fmin(label, LABEL_MOST);
  double first = EDGE + label + 8;
  Figure *f =
      figure_new(a, first + count * step - GAP + EDGE, HEAD + m->count * BAR_LINE + FOOT, title);
  figure_text_within(f, (Spot){f->width / 2, 26}, title,
                     (Lettering){.size = 15, .align = ALIGN_CENTRE, .bold = true},
                     f->width - 2 * EDGE);
  for (int i = 0; i < m->count; i++)
    figure_text_within(f, (Spot){EDGE + label, HEAD + (i + 0.5) * BAR_LINE}, m->rows[i].label,
                       (Lettering){.size = AXES_TEXT, .align = ALIGN_RIGHT, .centred = true},
                       label);
  for (int k = 0; k < count; k++) draw_group(f, &groups[k], first + k * step, m->count);
  return f;
}

static double *room_for(Arena *a, const Models *m) {
  return ARENA_ARRAY(a, double, m->count + 1);
}

Figure *models_criteria_figure(Arena *a, const Models *m) {
  BarGroup groups[2];
  double *aic = room_for(a, m), *quasi = room_for(a, m);
  int count = 0;
  if (m->best < 0) return NULL;
  for (int i = 0; i < m->count; i++) aic[i] = m->rows[i].delta, quasi[i] = m->rows[i].quasi_delta;
  groups[count++] = (BarGroup){"AIC above the least", aic};
  if (m->inflation > 1)
    groups[count++] = (BarGroup){"QAIC above the least (correlated residuals)", quasi};
  return draw_bars(a, m, "Information criteria: less is better", groups, count);
}

typedef double *RowErrors(const ModelRow *r);
static double *fitted(const ModelRow *r) {
  return r->rmse;
}
static double *left_out(const ModelRow *r) {
  return r->cross;
}
static double *validated(const ModelRow *r) {
  return r->validation;
}

static void add_group(Arena *a, const Models *m, BarGroup *groups, int *count, const char *what,
                      int v, RowErrors *errors) {
  double *value = room_for(a, m);
  bool some = false;
  for (int i = 0; i < m->count; i++) some |= isfinite(value[i] = errors(&m->rows[i])[v]);
  if (!some) return;
  const char *unit = m->units[v];
  groups[(*count)++] = (BarGroup){arena_print(a, "rms error of %s%s%s%s, %s", m->variables[v],
                                              unit[0] ? " (" : "", unit, unit[0] ? ")" : "", what),
                                  value};
}

Figure *models_errors_figure(Arena *a, const Models *m) {
  BarGroup groups[3 * VARIABLES_MOST];
  int count = 0;
  for (int v = 0; v < m->variable_count && v < VARIABLES_MOST; v++) {
    add_group(a, m, groups, &count, "fitted", v, fitted);
    add_group(a, m, groups, &count, "cross-validation", v, left_out);
    add_group(a, m, groups, &count, "validation", v, validated);
  }
  return draw_bars(a, m, "Errors of simulations", groups, count);
}
