// Text in columns, for people: numbers to the right, words to the left.
#pragma once
#include "base/arena.h"
#include "base/text.h"

typedef struct Listing Listing;

// heads: one word for each column; a '>' in front of it aligns the column to the right.
Listing *listing_new(Arena *a, const char *const *heads, int columns); // lives in a
void listing_add(Listing *t, const char *const *cells); // copies; NULL is an empty cell
void listing_print(const Listing *t, Text *out); // two blanks between columns, no line is padded
void listing_markdown(const Listing *t, Text *out);

int listing_width(const char *utf8); // in characters
