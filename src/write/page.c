#include "write/page.h"

#include <string.h>

#include "base/character.h"
#include "write/html.h"
#include "write/rounded.h"

enum { WIDTH_LEAST = 40, SENTENCE_MOST = 100, INDENT = 2 };
static const char BLANKS[] = " \n\t";

Page page_on(Text *out, PageStyle style) {
  bool html = style.width == PAGE_HTML;
  if (style.width < WIDTH_LEAST) style.width = WIDTH_LEAST;
  if (html) style.colour = true;
  return (Page){.out = out, .style = style, .arena = arena_new(), .html = html};
}

// ---------------------------------------------------------------- HTML

void page_end_list(Page *p) {
  if (p->in_list) text_add(p->out, "</ul>\n");
  p->in_list = false;
}

static void element(Page *p, const char *begin, const char *text, const char *end) {
  text_add(p->out, begin);
  html_text(p->out, text);
  text_add(p->out, end);
}

static void html_heading(Page *p, const char *title) {
  page_end_list(p);
  text_add(p->out, "<h2 id=\"");
  html_id(p->out, title);
  element(p, "\">", title, "</h2>\n");
}

static void html_paragraph(Page *p, const char *lead, const char *text) {
  bool item = strcmp(lead, "- ") == 0;
  if (!item) page_end_list(p);
  if (item && !p->in_list) text_add(p->out, "<ul>\n");
  p->in_list = item;
  text_add(p->out, item ? "<li>" : "<p>");
  if (!item) html_text(p->out, lead);
  element(p, "", text, item ? "</li>\n" : "</p>\n");
}

// ---------------------------------------------------------------- text

void page_done(Page *p) {
  page_end_list(p);
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

static void add_blanks(Text *out, int count) {
  text_print(out, "%*s", count, "");
}

// A number and its percent sign stay together.
static int word_length(const char *text) {
  int length = (int)strcspn(text, BLANKS);
  if (strncmp(text + length, " %", 2) == 0) length += 1 + (int)strcspn(text + length + 1, BLANKS);
  return length;
}

// Words from column `at` on, further lines from `indent` on.
static void add_words(Page *p, int at, int indent, int width, const char *text) {
  bool first = true;
  for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
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

void page_title(Page *p, const char *text) {
  if (p->html)
    element(p, "<p class=\"verdict\">", text, "</p>\n");
  else
    add_words(p, 0, INDENT, p->style.width, text);
}

void page_heading(Page *p, const char *title) {
  if (p->html) {
    html_heading(p, title);
    return;
  }
  text_print(p->out, "\n%s\n", page_tinted(p, TINT_STRONG, title));
}

int page_width_of(const char *text) {
  return characters_width(text);
}

void page_paragraph(Page *p, int indent, const char *lead, const char *text) {
  int width = p->style.width < SENTENCE_MOST ? p->style.width : SENTENCE_MOST;
  int lead_width = page_width_of(lead);
  if (p->html) {
    html_paragraph(p, lead, text);
    return;
  }
  add_blanks(p->out, lead_width < indent ? indent - lead_width : 0);
  text_add(p->out, lead);
  add_words(p, indent, indent, width, text);
}

void page_line(Page *p, int indent, const char *text) {
  if (p->html) {
    page_end_list(p);
    element(p, "<p class=\"line\">", text, "</p>\n");
    return;
  }
  add_blanks(p->out, indent);
  if (indent + page_width_of(text) <= p->style.width)
    text_print(p->out, "%s\n", text);
  else
    add_words(p, indent, indent + INDENT, p->style.width, text);
}
