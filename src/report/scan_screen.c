#include "report/scan_screen.h"

#include <math.h>

#include "draw/map_screen.h"
#include "draw/plot.h"
#include "report/scan_picture.h"

// ---------------------------------------------------------------- curves

static double *plotted(Arena *a, const double *values, int count, bool is_log) {
  double *out = ARENA_ARRAY(a, double, count + 1);
  for (int i = 0; i < count; i++) out[i] = is_log ? log10(values[i]) : values[i];
  return out;
}

static const char *in_log(Arena *a, const char *name, bool is_log) {
  return is_log ? arena_print(a, "log10(%s)", name) : name;
}

static void print_curves(Text *out, const ObjectiveScan *s, int panel, int height, PageStyle style,
                         Arena *a) {
  int columns = 1 + scan_curve_count(s), rows = s->axes[0].count;
  bool is_log = scan_curves_are_log(s);
  const char **names = ARENA_ARRAY(a, const char *, columns + 1);
  const double **column = ARENA_ARRAY(a, const double *, columns + 1);
  const ScanAxis *axis = &s->axes[0];
  double *x = ARENA_ARRAY(a, double, rows + 1);
  for (int i = 0; i < rows; i++) x[i] = scan_value(axis, i);
  names[0] = in_log(a, axis_label(a, axis->name, axis->unit), axis->log);
  column[0] = plotted(a, x, rows, axis->log);
  for (int i = 0; i + 1 < columns; i++) {
    ScanCurve c = scan_curve(s, panel, i, a);
    const char *name = in_log(a, "objective", is_log);
    names[1 + i] = c.label[0] ? arena_print(a, "%s, %s", name, c.label) : name;
    column[1 + i] = plotted(a, c.values, rows, is_log);
  }
  if (scan_panel_count(s) > 1) text_print(out, "%s\n", scan_lambda_text(a, s->lambda[panel]));
  plot_series(&(Series){rows, columns, names, column},
              &(PlotStyle){style.width, height, style.colour}, out);
}

// ---------------------------------------------------------------- maps

// As many dots for each cell as fit, at most three.
static MapScreen screen_of(const ObjectiveScan *s, PageStyle style, Arena *a) {
  MapRoom room = map_room(style);
  int across = s->axes[0].count, up = s->axes[1].count, each = 3;
  if (room.wide / room.twice / across < each) each = room.wide / room.twice / across;
  if (room.tall / up < each) each = room.tall / up;
  MapScreen m = {.colour = style.colour, .terminal = scan_terminal, .letter = scan_letter};
  m.columns = each >= 1 ? across * each * room.twice : across < room.wide ? across : room.wide;
  m.rows = each >= 1 ? up * each : up < room.tall ? up : room.tall;
  m.dot = ARENA_ARRAY(a, int, (size_t)m.columns *(size_t)m.rows);
  return m;
}

// The least objective of the points of a dot, so that no minimum is lost.
static double least_of_dot(const ObjectiveScan *s, const MapScreen *m, int lambda, int column,
                           int row) {
  int across = s->axes[0].count, up = s->axes[1].count;
  int left = (int)((long)column * across / m->columns),
      right = (int)((long)(column + 1) * across / m->columns);
  int low = (int)((long)row * up / m->rows), high = (int)((long)(row + 1) * up / m->rows);
  double least = nan("");
  for (int j = low; j <= high && (j < high || j == low); j++)
    for (int i = left; i <= right && (i < right || i == left); i++)
      least = fmin(least, scan_objectives(s, lambda)[(size_t)j * (size_t)across + (size_t)i]);
  return least;
}

static void print_scale(Text *out, const ScanScale *scale, PageStyle style) {
  Page page = page_on(out, style);
  text_print(out, "%*sobjective %s ", MAP_GUTTER, "", page_digits(&page, scale->axis.least, 4));
  for (int band = 0; band < SCAN_BANDS; band += 2) {
    if (style.colour)
      text_print(out, "\033[38;5;%dm█\033[0m", scan_terminal(band));
    else
      text_print(out, "%c", scan_letter(band));
  }
  text_print(out, " %s%s\n", page_digits(&page, scale->axis.most, 4),
             scale->axis.log ? " (logarithmic)" : "");
  page_done(&page);
}

static void print_map(Text *out, const ObjectiveScan *s, int lambda, PageStyle style, Arena *a) {
  ScanScale scale = scan_scale(s, lambda);
  MapScreen m = screen_of(s, style, a);
  for (int row = 0; row < m.rows; row++)
    for (int column = 0; column < m.columns; column++)
      m.dot[(size_t)row * (size_t)m.columns + (size_t)column] =
          scan_band(&scale, least_of_dot(s, &m, lambda, column, row));
  MapAxis axis[SCAN_AXES];
  for (int k = 0; k < SCAN_AXES; k++)
    axis[k] = map_axis(axis_label(a, s->axes[k].name, s->axes[k].unit), s->axes[k].from,
                       scan_value(&s->axes[k], s->axes[k].count - 1));
  if (s->lambda_count > 1 || s->lambda[lambda] > 0)
    text_print(out, "%*s%s\n", MAP_GUTTER, "", scan_lambda_text(a, s->lambda[lambda]));
  map_screen(out, &m, &axis[0], &axis[1]);
  print_scale(out, &scale, style);
}

void scan_screen(Text *out, const ObjectiveScan *s, int height, PageStyle style) {
  Arena *a = arena_new();
  for (int i = 0; i < scan_panel_count(s); i++) {
    if (scan_is_curves(s))
      print_curves(out, s, i, height, style, a);
    else
      print_map(out, s, i, style, a);
  }
  arena_free(a);
}
