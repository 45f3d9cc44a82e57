// Characters of UTF-8 texts, and which of them act on a terminal instead of being shown.
#pragma once
#include <stdbool.h>

typedef struct Character {
  int bytes;     // at least 1
  unsigned code; // 0xFFFD if the byte is not UTF-8
  bool
      hidden; // a control character other than line end and tab, one that changes the direction of writing, not UTF-8
} Character;

Character character_at(const char *text); // not at the end of the text
