// A picture: a list of shapes in points (1/96 inch), (0, 0) at the top left, y downwards. figure_svg and figure_cairo
// write it; figure_axes draws axes, curves and legends with it. Where its curves shall be looked at closely it has them as numbers, too:
// a page makes charts of these, a terminal a picture of dots.
#pragma once
#include <stdbool.h>

#include "base/array.h"
#include "base/text.h"

// Colours. A page with a dark background shows the same picture with black, white and pure greys (0xE4E4E4) exchanged for
// their opposites, and all others as they are. So axes and texts are black or grey, data have the colours of ink_series, and
// what lies on a coloured area and must be told apart from it is INK_ON_LIGHT or INK_ON_DARK (ink_on chooses), which are
// never exchanged. A coloured area is no pure grey, not even where its scale passes through white.
typedef int Ink; // 0xRRGGBB
enum { INK_NONE = -1, INK_BLACK = 0, INK_WHITE = 0xFFFFFF, INK_GREY = 0x707070 };
enum { INK_ON_LIGHT = 0x010101, INK_ON_DARK = 0xFEFEFE };

// Colours that most people with a colour deficiency can distinguish; the strongest first. They repeat after INK_SERIES.
enum { INK_SERIES = 7 };
Ink ink_series(int i);
Ink ink_mix(Ink a, Ink b, double share_of_b); // a tint: ink_mix(ink, INK_WHITE, 0.8)
Ink ink_on(Ink area); // INK_ON_LIGHT or INK_ON_DARK, whichever is read better there

typedef struct Spot {
  double x, y;
} Spot;

typedef struct Frame {
  double x, y, width, height; // x, y: of the upper left corner
} Frame;

typedef enum Dash { DASH_FULL, DASH_DASHED, DASH_DOTTED, DASH_MIXED, DASH_COUNT } Dash;

typedef struct Stroke {
  Ink ink; // INK_NONE: no line
  double width;
  Dash dash;
} Stroke;
#define NO_STROKE ((Stroke){INK_NONE, 0, DASH_FULL})

typedef enum Marker {
  MARKER_NONE,
  MARKER_CIRCLE,
  MARKER_SQUARE,
  MARKER_DIAMOND,
  MARKER_TRIANGLE,
  MARKER_PLUS,  // drawn with the stroke only
  MARKER_CROSS, // drawn with the stroke only
  MARKER_STAR,
} Marker;

typedef enum Align { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT } Align;

typedef struct Lettering {
  double size; // of the font, in points
  Ink ink;
  Align align;
  bool upright; // reads from the bottom to the top
  bool bold;
  bool centred; // the spot is the middle of the capitals, not the base line
} Lettering;

typedef enum ShapeKind { SHAPE_BOX, SHAPE_PATH, SHAPE_CIRCLE, SHAPE_LETTERS } ShapeKind;

typedef struct Shape {
  ShapeKind kind;
  int clip;    // number of the clip frame, -1: none
  Frame frame; // BOX
  Spot *spots; // PATH; CIRCLE and LETTERS: one
  int spot_count;
  bool closed;   // PATH
  double radius; // CIRCLE
  Ink fill;
  Stroke stroke;
  const char *text;  // LETTERS: UTF-8
  const char *whole; // the full text if it was shortened, else NULL
  Lettering lettering;
} Shape;

typedef struct FigureSeries { // a curve as numbers
  const char *name;
  Ink ink;
  Dash dash;
  bool dots;           // single points, nothing is between them
  const double *x, *y; // thinned: so that no picture shows a difference
  int count;
} FigureSeries;

typedef struct FigurePlot {      // what one frame shows
  const char *title;             // what tells it from the others, NULL or "": nothing
  const char *x_label, *y_label; // "": none
  bool x_log, y_log;
  bool below; // belongs to the plot before, as residuals do
  ARRAY(FigureSeries) series;
} FigurePlot;

typedef struct Figure {
  Arena *arena;
  double width, height;
  const char *title; // a description, for screen readers
  ARRAY(Shape) shapes;
  ARRAY(Frame) clips;
  int clip;                // for the next shapes
  ARRAY(FigurePlot) plots; // of frames with curves; others, such as maps and histograms, have none
  int frames;              // with axes: as many plots are all that is drawn
} Figure;

Figure *figure_new(Arena *a, double width, double height, const char *title); // lives in a

// Clips the following shapes at the frame, until figure_unclip.
void figure_clip(Figure *f, Frame frame);
void figure_unclip(Figure *f);

// A box without stroke has sharp edges, so that there is no gap between neighbours.
void figure_box(Figure *f, Frame frame, Ink fill, Stroke stroke);
void figure_line(Figure *f, Spot from, Spot to, Stroke stroke);
void figure_curve(Figure *f, const Spot *spots, int count, Stroke stroke); // an open polygon
void figure_polygon(Figure *f, const Spot *spots, int count, Ink fill, Stroke stroke);
void figure_circle(Figure *f, Spot middle, double radius, Ink fill, Stroke stroke);
// size: the diameter.
void figure_marker(Figure *f, Marker marker, Spot middle, double size, Ink fill, Stroke stroke);
// Copies the text, as figure_letters does.
void figure_text(Figure *f, Spot at, const char *text, Lettering lettering);
// Letters that every writer takes, for a text of others: bytes that are not UTF-8, control characters and those that change the
// direction of writing become U+FFFD, line ends and tabs blanks. Lives in a.
const char *figure_letters(Arena *a, const char *text);
// Largest width in any usual font: that of DejaVu Sans, with which PNG and PDF are drawn. An SVG uses the font of the viewer.
double figure_text_room(const char *utf8, double size, bool bold);
// The text if it fits, else with an ellipsis in its middle; of "what: of what" in the middle of the second part. Lives in a.
const char *figure_shortened(Arena *a, const char *utf8, double size, bool bold, double room);
// Draws a text, shortened to that room along its line.
void figure_text_within(Figure *f, Spot at, const char *text, Lettering lettering, double room);

// A plot and its curves as numbers; names, labels and numbers are copied. At most FIGURE_POINTS of a curve are kept: of each of many parts with
// equally many points the least and the greatest value and one that is missing, so that no peak and no gap is lost.
enum { FIGURE_POINTS = 4000 };
void figure_plot(Figure *f, const FigurePlot *plot);  // without curves
void figure_series(Figure *f, const FigureSeries *s); // of the last plot

// Lengths of dashes and gaps in multiples of the line width; returns their count, 0 for a solid line.
int dash_pattern(Dash d, double lengths[4]);
