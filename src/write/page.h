// A report for people: headings, sentences that wrap, tables that fit the terminal.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

typedef struct PageStyle {
  int width;   // of the terminal in characters; small ones are made larger
  bool colour; // escape sequences
} PageStyle;

typedef enum Tint { TINT_NONE, TINT_STRONG, TINT_FAINT, TINT_GOOD, TINT_NOTICE, TINT_BAD } Tint;

typedef struct Page {
  Text *out;
  PageStyle style;
  Arena *arena; // of what is on the page, until page_done
} Page;

Page page_on(Text *out, PageStyle style);
void page_done(Page *p);

const char *page_tinted(Page *p, Tint tint, const char *text);
void page_heading(Page *p, const char *title); // with an empty line before it
// Words from column `indent` on, in lines of the page's width; the first line begins with `lead`.
void page_paragraph(Page *p, int indent, const char *lead, const char *text);

typedef struct PageColumn {
  const char *head; // a '>' in front of it aligns to the right
  int spare;        // when the table is too wide, columns with the largest go first; 0: stays
} PageColumn;

typedef struct PageTable PageTable;

PageTable *page_table_new(Page *p, const PageColumn *columns, int count);
void page_table_add(PageTable *t, const char *const *cells); // copies; NULL or "": empty
// Columns without anything in them are left out.
void page_table_print(PageTable *t);
// After it, where columns had no room: a sentence that names them, with where to see them instead ("--format csv").
void page_table_tell_missing(const PageTable *t, const char *elsewhere);

int page_width_of(const char *text); // in characters, escape sequences not counted
