// Text for a terminal: headings, wrapped paragraphs, tables that fit its width. Or the same as a fragment of HTML.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

typedef struct PageStyle {
  int width;   // of the terminal in characters; small values are raised
  bool colour; // escape sequences
} PageStyle;
enum { PAGE_HTML = -1 }; // as the width: a fragment of HTML

typedef enum Tint { TINT_NONE, TINT_STRONG, TINT_FAINT, TINT_GOOD, TINT_NOTICE, TINT_BAD } Tint;

typedef struct Page {
  Text *out;
  PageStyle style;
  Arena *arena;       // freed by page_done
  bool html, in_list; // a fragment of HTML; in it items are being listed
} Page;

Page page_on(Text *out, PageStyle style);
void page_done(Page *p);
void page_end_list(Page *p); // of HTML: what follows is no item

const char *page_tinted(Page *p, Tint tint, const char *text);
// The value with at most so many significant digits, as rounded_digits. Lives in the page's arena.
const char *page_digits(Page *p, double value, int digits);
void page_title(Page *p, const char *text);    // what it is about, and the verdict; wrapped
void page_heading(Page *p, const char *title); // an empty line, then the title
// A paragraph from column `indent` on, wrapped to the width of the page; the first line begins with `lead`. With the lead "- " it is an item of a list.
void page_paragraph(Page *p, int indent, const char *lead, const char *text);
void page_line(Page *p, int indent,
               const char *text); // wrapped only if it is too long; the rest stands further right

typedef struct PageColumn {
  const char *head; // a leading '>' aligns the column to the right, numbers at their decimal points
  // 0: says which row it is, and is never dropped. If the others do not fit, those with the largest value are dropped first;
  // those with a negative one only where it does not help to shorten the names.
  int spare;
} PageColumn;

typedef struct PageTable PageTable;

PageTable *page_table_new(Page *p, const PageColumn *columns, int count);
void page_table_add(PageTable *t, const char *const *cells); // copies; NULL or "": empty
// What shows columns for which there is no room, besides a wider terminal: --json FILE unless it is set; NULL: nothing.
void page_table_elsewhere(PageTable *t, const char *flag);
// Omits empty columns. What is too wide is wrapped or shortened (never numbers), then columns are dropped; a sentence names
// these. In HTML all is shown.
void page_table_print(PageTable *t);

int page_width_of(const char *text); // in columns, without escape sequences
