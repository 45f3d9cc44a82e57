#include "draw/figure_panels.h"

#include <math.h>

static const double LEFT = 72, RIGHT = 22, ABOVE = 12, TITLE = 22, BELOW = 50, HEAD = 44, EDGE = 8;

PanelSize panel_usual(int count) {
  return count > 1 ? PANEL_SMALL : (PanelSize){480, 260, 1, false};
}

static double cell_width(const Panels *p) {
  return LEFT + p->size.width + RIGHT;
}
static double above(const Panels *p) {
  return ABOVE + (p->size.titled ? TITLE : 0);
}
static double cell_height(const Panels *p) {
  return above(p) + p->size.height + BELOW;
}

Panels panels_new(Arena *a, const char *title, int count, PanelSize size, const LegendRow *legend,
                  int legend_count) {
  int rows = (count + size.columns_most - 1) / size.columns_most;
  Panels p = {.size = size, .columns = (count + rows - 1) / rows}; // rows of nearly equal length
  double width = p.columns * cell_width(&p), panels = HEAD + rows * cell_height(&p);
  double foot = legend_flow(NULL, (Spot){LEFT, 0}, width - EDGE, legend, legend_count) + EDGE;
  p.figure = figure_new(a, width, panels + foot, title);
  figure_text_within(p.figure, (Spot){width / 2, 26}, title,
                     (Lettering){.size = 15, .ink = INK_BLACK, .align = ALIGN_CENTRE, .bold = true},
                     width - 2 * EDGE);
  legend_flow(p.figure, (Spot){LEFT, panels}, width - EDGE, legend, legend_count);
  return p;
}

Frame panels_frame(const Panels *p, int k) {
  int row = k / p->columns, column = k % p->columns;
  return (Frame){column * cell_width(p) + LEFT, HEAD + row * cell_height(p) + above(p),
                 p->size.width, p->size.height};
}
