// A table in plain text or Markdown: numbers aligned to the right, words to the left.
#pragma once
#include "base/arena.h"
#include "base/text.h"

typedef struct Listing Listing;

// heads: one for each column; a leading '>' aligns the column to the right.
Listing *listing_new(Arena *a, const char *const *heads, int columns); // lives in a
void listing_add(Listing *t, const char *const *cells); // copies; NULL is an empty cell
void listing_print(const Listing *t,
                   Text *out); // two blanks between columns, none at the end of a line
void listing_markdown(const Listing *t, Text *out);

int listing_width(const char *utf8); // in characters
