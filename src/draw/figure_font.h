// A stroke font for PNG pictures: printable ASCII, Greek letters and a few scientific symbols.
#pragma once

// Units: capitals are FONT_CAPITAL high; at text size FONT_SIZE a unit is one point.
enum { FONT_SIZE = 17, FONT_CAPITAL = 12, FONT_SPOTS_MOST = 128 };
#define FONT_BETWEEN 2.9 // letters

typedef struct Glyph {
  double width; // of the drawing; letters are FONT_BETWEEN apart
  const char *strokes;
} Glyph;

// Reads the next letter of a UTF-8 text; a letter that the font lacks is a box.
Glyph font_glyph(const char **utf8);
double font_advance(const Glyph *g); // to the next letter
double font_bearing(const Glyph *g); // from the begin of a letter to its strokes

typedef struct FontSpot {
  double x, y; // y upwards from the base line
} FontSpot;

// The next stroke of a glyph as a polygon. Returns the number of spots (1: a dot), 0 after the last stroke.
int font_stroke(const char **strokes, FontSpot spots[FONT_SPOTS_MOST]);
