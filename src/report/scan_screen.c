#include "report/scan_screen.h"

#include <math.h>

#include "draw/figure_screen.h"
#include "draw/map_screen.h"
#include "report/scan_figure.h"
#include "report/scan_picture.h"

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
  Figure *curves = scan_is_curves(s) ? scan_figure(a, s) : NULL;
  int panels = scan_panel_count(s);
  if (curves)
    figure_screen(curves, panels, &(ScreenStyle){style.width, panels * height, style.colour}, out);
  for (int i = 0; !scan_is_curves(s) && i < panels; i++) print_map(out, s, i, style, a);
  arena_free(a);
}
