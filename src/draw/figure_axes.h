// Axes, curves and legends in a figure.
#pragma once
#include <math.h>

#include "draw/figure.h"
#include "draw/ticks.h"

typedef struct Axis {
  double least, most; // least < most; > 0 on a logarithmic scale
  bool log;
  const char *label; // "" or NULL: none
} Axis;

typedef struct Axes {
  Figure *figure;
  Frame frame; // the inside
  Axis x, y;
} Axes;

enum { AXES_TEXT = 12 }; // size of the letters

// "name [unit]", or the name if the unit is unknown or 1. Lives in a.
const char *axis_label(Arena *a, const char *name, const char *unit);
// An axis that grows with what it must show: begin with AXIS_EMPTY, include, and settle. Values that the axis cannot show are
// left out. axis_settle adds a margin and widens an axis without length.
#define AXIS_EMPTY(is_log, text) ((Axis){HUGE_VAL, -HUGE_VAL, (is_log), (text)})
void axis_include(Axis *axis, const double *values, int count);
void axis_settle(Axis *axis);
// Linear axis: as ticks_make. Logarithmic axis: powers of ten, or 1, 2 and 5 times them.
void axis_ticks(const Axis *axis, int wanted, Ticks *out);

// Positions of values in the figure.
double axes_x(const Axes *a, double value);
double axes_y(const Axes *a, double value);
Spot axes_spot(const Axes *a, double x, double y);

void axes_grid(const Axes *a); // faint lines at the ticks; draw it first
// Frame, ticks, their numbers and labels; draw it last. Numbers with many equal digits are shown as differences: "x - 20".
void axes_border(const Axes *a);
void axes_border_plain(const Axes *a); // without numbers along x, which stand below another panel
void axes_title(const Axes *a, const char *title); // above the frame, shortened to its width
// A curve, clipped at the frame; points too close to be told apart are drawn as one. A value that is not finite (or not positive on a logarithmic axis) is a gap.
void axes_curve(const Axes *a, const double *x, const double *y, int count, Stroke stroke);
void axes_markers(const Axes *a, const double *x, const double *y, int count, Marker marker,
                  double size, Ink fill, Stroke stroke);
// The area between two curves over the same x.
void axes_band(const Axes *a, const double *x, const double *low, const double *high, int count,
               Ink fill);
// Lines across the whole frame.
void axes_level(const Axes *a, double y, Stroke stroke);
void axes_upright(const Axes *a, double x, Stroke stroke);

// The plot of these axes as numbers, see figure_plot; curves follow by figure_series.
void axes_plot(const Axes *a, bool below);
void axes_plot_titled(const Axes *a, const char *title);

// One row of a legend: a small box in `fill`, a marker, or with `line` a piece of line.
typedef struct LegendRow {
  const char *text;
  Ink fill; // INK_NONE: no box
  Stroke stroke;
  Marker marker;
  bool line;
  bool hatched; // the box
} LegendRow;

enum { LEGEND_LINE = 18 }; // height of a row
double legend_width(const LegendRow *rows, int count);
double legend_height(int count);
// Draws the rows below each other; `at` is the upper left corner; framed: on white, in a frame.
void legend_draw(Figure *f, Spot at, const LegendRow *rows, int count, bool framed);
// Draws the rows side by side from `at` on, in as many lines as fit left of `right`. Returns the height; f NULL: draws nothing.
double legend_flow(Figure *f, Spot at, double right, const LegendRow *rows, int count);

// Diagonal lines inside a frame.
void figure_hatch(Figure *f, Frame frame, double distance, Stroke stroke);
