// A table of the names of a text: each is stored once, with a number of the caller. Faster than
// base/names for names that are not NUL-terminated and mostly short.
#pragma once
#include <stdint.h>

#include "base/arena.h"

typedef struct WordTable WordTable;

typedef struct Word {
  uint64_t key;     // made from the name
  const char *name; // NUL-terminated, in the arena
  uint32_t length;
  int value; // 0 at first
} Word;

WordTable *words_new(Arena *a); // lives in a
// Finds the name, or adds it. Valid until the next call: the table may move.
Word *words_find(WordTable *w, const char *text, size_t length);
