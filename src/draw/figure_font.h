// Letters as strokes of a round pen, for pictures made of pixels: printable ASCII and a few signs of science.
#pragma once

// Units of the drawing: capitals are FONT_CAPITAL high, a text of size FONT_SIZE has one point a unit.
enum { FONT_SIZE = 17, FONT_CAPITAL = 12, FONT_SPOTS_MOST = 128 };
#define FONT_BETWEEN 2.9 // letters

typedef struct Glyph {
  double width; // of the drawing; letters are FONT_BETWEEN apart
  const char *strokes;
} Glyph;

// The next letter of a UTF-8 text, which moves on; what the font lacks is a box.
Glyph font_glyph(const char **utf8);
double font_advance(const Glyph *g); // to the next letter
double font_bearing(const Glyph *g); // from where a letter begins to its drawing

typedef struct FontSpot {
  double x, y; // y upwards from the base line
} FontSpot;

// The next stroke of a glyph as a polygon, curves included. Number of spots (1: a dot), 0 after the last.
int font_stroke(const char **strokes, FontSpot spots[FONT_SPOTS_MOST]);
