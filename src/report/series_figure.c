#include "report/series_figure.h"

#include <string.h>

#include "draw/figure_panels.h"

enum { PANELS_MOST = 12 };

static void draw_column(Figure *f, Frame frame, const Series *s, const char *const *units, int k) {
  Arena *a = f->arena;
  Axes axes = {f, frame, AXIS_EMPTY(false, axis_label(a, s->names[0], units[0])),
               AXIS_EMPTY(false, axis_label(a, s->names[k], units[k]))};
  axis_include(&axes.x, s->column[0], s->rows);
  axis_include(&axes.y, s->column[k], s->rows);
  axis_settle(&axes.x);
  axis_settle(&axes.y);
  axes_grid(&axes);
  axes_curve(&axes, s->column[0], s->column[k], s->rows, (Stroke){ink_series(0), 1.6, DASH_FULL});
  if (s->rows == 1)
    axes_markers(&axes, s->column[0], s->column[k], 1, MARKER_CIRCLE, 5, ink_series(0), NO_STROKE);
  axes_border(&axes);
  axes_plot(&axes, false);
  figure_series(f, &(FigureSeries){.name = s->names[k],
                                   .ink = ink_series(0),
                                   .dots = s->rows == 1,
                                   .x = s->column[0],
                                   .y = s->column[k],
                                   .count = s->rows});
}

void series_figures(FigureList *l, const Series *s, const char *const *units, const char *title) {
  for (int first = 1; s->rows && first < s->columns; first += PANELS_MOST) {
    int left = s->columns - first, count = left < PANELS_MOST ? left : PANELS_MOST;
    PanelSize size = count == 1   ? PANEL_WIDE
                     : count <= 4 ? (PanelSize){360, 220, 2, false}
                                  : PANEL_SMALL;
    Panels panels = panels_new(l->arena, title, count, size, NULL, 0);
    for (int i = 0; i < count; i++)
      draw_column(panels.figure, panels_frame(&panels, i), s, units, first + i);
    figure_list_add(l, "motion", NULL, panels.figure);
  }
}
