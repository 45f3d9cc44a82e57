// A sheet of equal panels in rows, below a title, with a legend at its foot.
#pragma once
#include "draw/figure_axes.h"

typedef struct PanelSize {
  double width, height; // of the frames
  int columns_most;
  bool titled; // there is room for a title above each
} PanelSize;

static const PanelSize PANEL_SMALL = {240, 170, 3, false}, PANEL_WIDE = {640, 300, 1, false};

PanelSize panel_usual(int count); // small, larger if there is only one

typedef struct Panels {
  Figure *figure;
  PanelSize size;
  int columns;
} Panels;

// The figure with its title and legend; the panels are the caller's to draw. Lives in a.
Panels panels_new(Arena *a, const char *title, int count, PanelSize size, const LegendRow *legend,
                  int legend_count);
Frame panels_frame(const Panels *p, int k); // the inside of panel k
