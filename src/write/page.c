#include "write/page.h"

#include <string.h>

#include "base/array.h"
#include "write/html.h"
#include "write/rounded.h"

enum { WIDTH_LEAST = 40, SENTENCE_MOST = 100, INDENT = 2 };

Page page_on(Text *out, PageStyle style) {
  bool html = style.width == PAGE_HTML;
  if (style.width < WIDTH_LEAST) style.width = WIDTH_LEAST;
  if (html) style.colour = true;
  return (Page){.out = out, .style = style, .arena = arena_new(), .html = html};
}

// ---------------------------------------------------------------- HTML

static void end_list(Page *p) {
  if (p->in_list) text_add(p->out, "</ul>\n");
  p->in_list = false;
}

static void element(Page *p, const char *begin, const char *text, const char *end) {
  text_add(p->out, begin);
  html_text(p->out, text);
  text_add(p->out, end);
}

static void html_heading(Page *p, const char *title) {
  end_list(p);
  text_add(p->out, "<h2 id=\"");
  html_id(p->out, title);
  element(p, "\">", title, "</h2>\n");
}

static void html_paragraph(Page *p, const char *lead, const char *text) {
  bool item = strcmp(lead, "- ") == 0;
  if (!item) end_list(p);
  if (item && !p->in_list) text_add(p->out, "<ul>\n");
  p->in_list = item;
  text_add(p->out, item ? "<li>" : "<p>");
  if (!item) html_text(p->out, lead);
  element(p, "", text, item ? "</li>\n" : "</p>\n");
}

// ---------------------------------------------------------------- text

void page_done(Page *p) {
  end_list(p);
  arena_free(p->arena);
  p->arena = NULL;
}

const char *page_tinted(Page *p, Tint tint, const char *text) {
  static const char *const CODES[] = {"", "1", "2", "32", "33", "31"};
  if (!p->style.colour || tint == TINT_NONE || !text[0]) return text;
  return arena_print(p->arena, "\033[%sm%s\033[0m", CODES[tint], text);
}

const char *page_digits(Page *p, double value, int digits) {
  char text[ROUNDED_SIZE];
  rounded_digits(value, digits, text);
  return arena_print(p->arena, "%s", text);
}

void page_title(Page *p, const char *text) {
  if (p->html)
    element(p, "<p class=\"verdict\">", text, "</p>\n");
  else
    text_print(p->out, "%s\n", text);
}

void page_heading(Page *p, const char *title) {
  if (p->html) {
    html_heading(p, title);
    return;
  }
  text_print(p->out, "\n%s\n", page_tinted(p, TINT_STRONG, title));
}

int page_width_of(const char *text) {
  int width = 0;
  while (*text) {
    if (*text == '\033') {
      text += strcspn(text, "m");
      text += *text == 'm';
    } else {
      width += (*text & 0xC0) != 0x80;
      text++;
    }
  }
  return width;
}

static void add_blanks(Text *out, int count) {
  text_print(out, "%*s", count, "");
}

// A number and its percent sign stay together.
static int word_length(const char *text) {
  int length = (int)strcspn(text, " \n");
  if (strncmp(text + length, " %", 2) == 0) length += 1 + (int)strcspn(text + length + 1, " \n");
  return length;
}

void page_paragraph(Page *p, int indent, const char *lead, const char *text) {
  int width = p->style.width < SENTENCE_MOST ? p->style.width : SENTENCE_MOST, at = indent;
  int lead_width = page_width_of(lead);
  if (p->html) {
    html_paragraph(p, lead, text);
    return;
  }
  add_blanks(p->out, lead_width < indent ? indent - lead_width : 0);
  text_add(p->out, lead);
  bool first = true;
  for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
    int length = word_length(text);
    char *word = arena_copy(p->arena, text, (size_t)length);
    int letters = page_width_of(word);
    if (!first && at + 1 + letters > width) {
      text_add(p->out, "\n");
      add_blanks(p->out, at = indent);
    } else if (!first) {
      text_add(p->out, " ");
      at++;
    }
    text_add(p->out, word);
    at += letters;
    text += length;
    first = false;
  }
  text_add(p->out, "\n");
}

void page_line(Page *p, int indent, const char *text) {
  if (p->html) {
    end_list(p);
    element(p, "<p class=\"line\">", text, "</p>\n");
    return;
  }
  add_blanks(p->out, indent);
  text_print(p->out, "%s\n", text);
}

// ---------------------------------------------------------------- tables

struct PageTable {
  Page *page;
  const PageColumn *columns;
  bool *shown, *missing; // missing: dropped, the table was too wide
  int count;
  ARRAY(const char **) rows;
};

PageTable *page_table_new(Page *p, const PageColumn *columns, int count) {
  PageTable *t = ARENA_NEW(p->arena, PageTable);
  t->page = p;
  t->columns = columns;
  t->count = count;
  t->shown = ARENA_ARRAY(p->arena, bool, count);
  t->missing = ARENA_ARRAY(p->arena, bool, count);
  return t;
}

void page_table_add(PageTable *t, const char *const *cells) {
  Arena *a = t->page->arena;
  const char **row = ARENA_ARRAY(a, const char *, t->count);
  for (int c = 0; c < t->count; c++) {
    row[c] = cells[c] ? arena_copy(a, cells[c], strlen(cells[c])) : "";
    if (row[c][0]) t->shown[c] = true;
  }
  array_push(a, &t->rows, row);
}

static int column_width(const PageTable *t, int c) {
  int width = page_width_of(t->columns[c].head) - (t->columns[c].head[0] == '>');
  for (int r = 0; r < t->rows.count; r++) {
    int w = page_width_of(t->rows.at[r][c]);
    if (w > width) width = w;
  }
  return width;
}

static int table_width(const PageTable *t) {
  int width = 0;
  for (int c = 0; c < t->count; c++)
    if (t->shown[c]) width += column_width(t, c) + INDENT;
  return width;
}

// The column to drop next, -1: none can be dropped.
static int most_spare(const PageTable *t) {
  int best = -1;
  for (int c = 0; c < t->count; c++) {
    if (!t->shown[c] || t->columns[c].spare == 0) continue;
    if (best < 0 || t->columns[c].spare >= t->columns[best].spare) best = c;
  }
  return best;
}

static void print_row(PageTable *t, const char *const *cells, const int *width, bool head) {
  Text line;
  text_init(&line);
  int owed = INDENT; // blanks are written only when something follows
  for (int c = 0; c < t->count; c++) {
    if (!t->shown[c]) continue;
    bool right = t->columns[c].head[0] == '>';
    int pad = width[c] - page_width_of(cells[c]);
    if (right) owed += pad;
    if (cells[c][0]) {
      add_blanks(&line, owed);
      text_add(&line, cells[c]);
      owed = 0;
    }
    owed += (right ? 0 : pad) + INDENT;
  }
  text_print(t->page->out, "%s\n", head ? page_tinted(t->page, TINT_FAINT, line.at) : line.at);
  text_done(&line);
}

static void html_row(PageTable *t, const char *const *cells, const char *kind) {
  Text *out = t->page->out;
  text_add(out, "<tr>");
  for (int c = 0; c < t->count; c++) {
    if (!t->shown[c]) continue;
    bool head = strcmp(kind, "th") == 0, right = t->columns[c].head[0] == '>';
    text_print(out, "<%s%s%s>", kind, head ? " scope=\"col\"" : "", right ? " class=\"n\"" : "");
    html_text(out, cells[c] + (head && right));
    text_print(out, "</%s>", kind);
  }
  text_add(out, "</tr>\n");
}

static void html_table(PageTable *t) {
  Text *out = t->page->out;
  const char **heads = ARENA_ARRAY(t->page->arena, const char *, t->count);
  for (int c = 0; c < t->count; c++) heads[c] = t->columns[c].head;
  end_list(t->page);
  text_add(out, "<div class=\"wide\" tabindex=\"0\"><table>\n<thead>");
  html_row(t, heads, "th");
  text_add(out, "</thead>\n<tbody>\n");
  for (int r = 0; r < t->rows.count; r++) html_row(t, t->rows.at[r], "td");
  text_add(out, "</tbody></table></div>\n");
}

void page_table_print(PageTable *t) {
  if (t->page->html) {
    html_table(t);
    return;
  }
  Arena *a = t->page->arena;
  int *width = ARENA_ARRAY(a, int, t->count), spare;
  const char **heads = ARENA_ARRAY(a, const char *, t->count);
  while (table_width(t) > t->page->style.width && (spare = most_spare(t)) >= 0)
    t->shown[spare] = !(t->missing[spare] = true);
  for (int c = 0; c < t->count; c++) {
    width[c] = column_width(t, c);
    heads[c] = t->columns[c].head + (t->columns[c].head[0] == '>');
  }
  print_row(t, heads, width, true);
  for (int r = 0; r < t->rows.count; r++) print_row(t, t->rows.at[r], width, false);
}

static const char *plain_head(const PageTable *t, int c) {
  const char *head = t->columns[c].head + (t->columns[c].head[0] == '>');
  return head[0] ? head : "remarks";
}

void page_table_name_dropped(const PageTable *t, const char *elsewhere) {
  enum { NAMED_MOST = 8 };
  Page *p = t->page;
  const char *list = "";
  int count = 0;
  for (int c = 0; c < t->count; c++) {
    if (!t->missing[c] || count++ >= NAMED_MOST) continue;
    list = arena_print(p->arena, "%s%s%s", list, count > 1 ? ", " : "", plain_head(t, c));
  }
  if (!count) return;
  const char *more =
      count > NAMED_MOST ? arena_print(p->arena, " and %d more", count - NAMED_MOST) : "";
  const char *text = arena_print(
      p->arena, "No room for %s%s: a wider terminal (COLUMNS=%d) or %s shows %s.", list, more,
      p->style.width < 150 ? 200 : 2 * p->style.width, elsewhere, count == 1 ? "it" : "them");
  page_paragraph(p, INDENT, "", page_tinted(p, TINT_FAINT, text));
}
