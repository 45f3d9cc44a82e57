// A picture: a list of shapes in points (1/96 inch), (0, 0) at the top left, y downwards. figure_svg and figure_png
// write it; figure_axes draws axes, curves and legends with it.
#pragma once
#include <stdbool.h>

#include "base/array.h"
#include "base/text.h"

typedef int Ink; // 0xRRGGBB
enum { INK_NONE = -1, INK_BLACK = 0, INK_WHITE = 0xFFFFFF, INK_GREY = 0x707070 };

// Colours that can be told apart by most people with a colour deficiency, too; the first are the strongest. They repeat
// after INK_SERIES.
enum { INK_SERIES = 7 };
Ink ink_series(int i);
Ink ink_mix(Ink a, Ink b, double share_of_b); // a tint: ink_mix(ink, INK_WHITE, 0.8)

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
  MARKER_PLUS,  // lines alone: drawn by the stroke
  MARKER_CROSS, // the same
  MARKER_STAR,
} Marker;

typedef enum Align { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT } Align;

typedef struct Lettering {
  double size; // of the font, in points
  Ink ink;
  Align align;
  bool upright; // reads from the bottom to the top
  bool bold;
  bool centred; // the middle of its capitals is at the spot, not the base line
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
  const char *whole; // what the text is short for; NULL: it is whole
  Lettering lettering;
} Shape;

typedef struct Figure {
  Arena *arena;
  double width, height;
  const char *title; // what the picture is, for those who cannot see it
  ARRAY(Shape) shapes;
  ARRAY(Frame) clips;
  int clip; // of what is drawn next
} Figure;

Figure *figure_new(Arena *a, double width, double height, const char *title); // lives in a

// What is drawn from here on is cut off at the edges of the frame, until figure_unclip.
void figure_clip(Figure *f, Frame frame);
void figure_unclip(Figure *f);

// A box without stroke has sharp edges, so that neighbours leave no gap.
void figure_box(Figure *f, Frame frame, Ink fill, Stroke stroke);
void figure_line(Figure *f, Spot from, Spot to, Stroke stroke);
void figure_curve(Figure *f, const Spot *spots, int count, Stroke stroke); // an open polygon
void figure_polygon(Figure *f, const Spot *spots, int count, Ink fill, Stroke stroke);
void figure_circle(Figure *f, Spot middle, double radius, Ink fill, Stroke stroke);
// size: across
void figure_marker(Figure *f, Marker marker, Spot middle, double size, Ink fill, Stroke stroke);
void figure_text(Figure *f, Spot at, const char *utf8, Lettering lettering); // copies the text
// In letters of our own, which a PNG has.
double figure_text_width(const char *utf8, double size);
// What a text needs at most, in the fonts of those who look at an SVG, too.
double figure_text_room(const char *utf8, double size, bool bold);
// The text itself where there is room for it, else with an ellipsis in its middle, from a.
const char *figure_shortened(Arena *a, const char *utf8, double size, bool bold, double room);
// A text that is shortened where it would need more room than that along its line.
void figure_text_within(Figure *f, Spot at, const char *utf8, Lettering lettering, double room);

// Dash and gap lengths in widths of the line; returns their count, 0 for a full line.
int dash_pattern(Dash d, double lengths[4]);
