// A map of coloured dots for a terminal, with two axes.
#pragma once
#include "write/page.h"
#include "write/rounded.h"

enum { MAP_GUTTER = 10, MAP_NOTHING = -1 };

// A dot is half a character with colours, a whole character without.
typedef struct MapScreen {
  int columns, rows; // of dots; row 0 is at the bottom
  int *dot;          // its kind, or MAP_NOTHING
  bool colour;
  int (*terminal)(int kind); // one of the 256 colours of a terminal, -1: none
  char (*letter)(int kind);  // without colours
} MapScreen;

typedef struct MapRoom { // in dots
  int wide, tall;
  int twice; // dots in width per dot in height: a letter is twice as high as wide
} MapRoom;
MapRoom map_room(PageStyle style);

typedef struct MapAxis {
  const char *name;
  char low[ROUNDED_SIZE], high[ROUNDED_SIZE];
} MapAxis;
// The ends with as many digits as tell them apart.
MapAxis map_axis(const char *name, double low, double high);

// y NULL: there is no second axis.
void map_screen(Text *out, const MapScreen *s, const MapAxis *x, const MapAxis *y);
