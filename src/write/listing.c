#include "write/listing.h"

#include <stdbool.h>
#include <string.h>

#include "base/array.h"
#include "base/character.h"

struct Listing {
  Arena *arena;
  int columns;
  const char **heads;
  bool *right;
  ARRAY(const char **) rows;
};

static const char *copy(Arena *a, const char *text) {
  return text ? arena_copy(a, text, strlen(text)) : "";
}

Listing *listing_new(Arena *a, const char *const *heads, int columns) {
  Listing *t = ARENA_NEW(a, Listing);
  t->arena = a;
  t->columns = columns;
  t->heads = ARENA_ARRAY(a, const char *, columns);
  t->right = ARENA_ARRAY(a, bool, columns);
  for (int c = 0; c < columns; c++) {
    t->right[c] = heads[c][0] == '>';
    t->heads[c] = copy(a, heads[c] + t->right[c]);
  }
  return t;
}

void listing_add(Listing *t, const char *const *cells) {
  const char **row = ARENA_ARRAY(t->arena, const char *, t->columns);
  for (int c = 0; c < t->columns; c++) row[c] = copy(t->arena, cells[c]);
  array_push(t->arena, &t->rows, row);
}

int listing_width(const char *utf8) {
  return characters_width(utf8);
}

static int column_width(const Listing *t, int c) {
  int width = listing_width(t->heads[c]);
  for (int r = 0; r < t->rows.count; r++) {
    int w = listing_width(t->rows.at[r][c]);
    if (w > width) width = w;
  }
  return width;
}

static void add_blanks(Text *out, int count) {
  for (int i = 0; i < count; i++) text_add(out, " ");
}

static void print_row(const Listing *t, const char *const *cells, Text *out) {
  int owed = 0; // blanks are written only when something follows
  for (int c = 0; c < t->columns; c++) {
    int pad = column_width(t, c) - listing_width(cells[c]);
    if (t->right[c]) owed += pad;
    if (cells[c][0]) {
      add_blanks(out, owed);
      text_add(out, cells[c]);
      owed = 0;
    }
    owed += (t->right[c] ? 0 : pad) + 2;
  }
  text_add(out, "\n");
}

void listing_print(const Listing *t, Text *out) {
  print_row(t, t->heads, out);
  for (int r = 0; r < t->rows.count; r++) print_row(t, t->rows.at[r], out);
}

static void markdown_row(const Listing *t, const char *const *cells, Text *out) {
  for (int c = 0; c < t->columns; c++) {
    text_add(out, c ? " " : "| ");
    for (const char *s = cells[c]; *s; s++) {
      if (*s == '|') text_add(out, "\\");
      text_add_bytes(out, s, 1);
    }
    text_add(out, " |");
  }
  text_add(out, "\n");
}

void listing_markdown(const Listing *t, Text *out) {
  markdown_row(t, t->heads, out);
  text_add(out, "|");
  for (int c = 0; c < t->columns; c++) text_add(out, t->right[c] ? " ---: |" : " --- |");
  text_add(out, "\n");
  for (int r = 0; r < t->rows.count; r++) markdown_row(t, t->rows.at[r], out);
}
