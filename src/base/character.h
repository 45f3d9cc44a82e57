// Characters of UTF-8 texts, and which of them act on a terminal instead of being shown.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef struct Character {
  int bytes;     // at least 1
  unsigned code; // 0xFFFD if the byte is not UTF-8
  bool
      hidden; // a control character other than line end and tab, one that changes the direction of writing, not UTF-8
  int width; // columns of a terminal: 0 if it combines with the one before, 2 of wide scripts, else 1
} Character;

Character character_at(const char *text); // not at the end of the text
// Columns of a terminal that a text takes; escape sequences of colours take none.
int characters_width(const char *text);
// The text if it fits, else with an ellipsis in its middle. Lives in a.
const char *characters_shortened(Arena *a, const char *text, int width);
