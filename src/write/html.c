#include "write/html.h"

#include <string.h>

#include "base/character.h"

static const char REPLACEMENT[] = "\xEF\xBF\xBD"; // U+FFFD

static const char *entity(char c) {
  return c == '<'    ? "&lt;"
         : c == '>'  ? "&gt;"
         : c == '&'  ? "&amp;"
         : c == '"'  ? "&quot;"
         : c == '\'' ? "&#39;"
                     : NULL;
}

// One character; returns the rest.
static const char *add_character(Text *out, const char *s) {
  Character c = character_at(s);
  const char *name = entity(*s);
  if (name)
    text_add(out, name);
  else if (c.hidden || c.code == 0xFFFE || c.code == 0xFFFF) // the last two are in no XML
    text_add(out, REPLACEMENT);
  else
    text_add_bytes(out, s, (size_t)c.bytes);
  return s + c.bytes;
}

typedef struct TintCode {
  const char *code, *mark; // mark: of the element
} TintCode;
static const TintCode TINTS[] = {{"\033[1m", "strong"},
                                 {"\033[2m", "faint"},
                                 {"\033[32m", "good"},
                                 {"\033[33m", "notice"},
                                 {"\033[31m", "bad"}};
static const char TINT_END[] = "\033[0m";

static const TintCode *tint_at(const char *s) {
  for (size_t i = 0; *s == '\033' && i < sizeof TINTS / sizeof *TINTS; i++)
    if (strncmp(s, TINTS[i].code, strlen(TINTS[i].code)) == 0) return &TINTS[i];
  return NULL;
}

static void add_text(Text *out, const char *text, bool tinted) {
  int open = 0;
  while (*text) {
    const TintCode *tint = tint_at(text);
    if (tint) {
      if (tinted) text_print(out, "<span class=\"%s\">", tint->mark), open++;
      text += strlen(tint->code);
    } else if (strncmp(text, TINT_END, sizeof TINT_END - 1) == 0) {
      if (open) text_add(out, "</span>"), open--;
      text += sizeof TINT_END - 1;
    } else {
      text = add_character(out, text);
    }
  }
  while (open--) text_add(out, "</span>");
}

void html_text(Text *out, const char *text) {
  add_text(out, text, true);
}

void html_attribute(Text *out, const char *text) {
  add_text(out, text, false);
}

void html_json_string(Text *out, const char *text) {
  text_add(out, "\"");
  while (*text) {
    Character c = character_at(text);
    if (c.code == 0xFFFD)
      text_add(out, REPLACEMENT);
    else if (c.hidden || c.code < ' ' || strchr("\"\\<>&", *text))
      text_print(out, "\\u%04x", c.code);
    else
      text_add_bytes(out, text, (size_t)c.bytes);
    text += c.bytes;
  }
  text_add(out, "\"");
}

void html_id(Text *out, const char *heading) {
  bool blank = false;
  size_t before = out->length;
  for (; *heading; heading++) {
    char c = *heading;
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    bool fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (fine && blank && out->length > before) text_add(out, "-");
    if (fine) text_add_bytes(out, &c, 1);
    blank = !fine;
  }
  if (out->length == before) text_add(out, "part");
}
