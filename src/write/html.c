#include "write/html.h"

#include <string.h>

static const char REPLACEMENT[] = "\xEF\xBF\xBD"; // U+FFFD

// Bytes of the UTF-8 sequence at s; 0: there is none that is whole and shortest.
static int sequence(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  int length = u[0] < 0x80                   ? 1
               : u[0] >= 0xC2 && u[0] < 0xE0 ? 2
               : (u[0] & 0xF0) == 0xE0       ? 3
               : u[0] >= 0xF0 && u[0] < 0xF5 ? 4
                                             : 0;
  for (int i = 1; i < length; i++)
    if ((u[i] & 0xC0) != 0x80) return 0;
  if (length == 3 && u[0] == 0xE0 && u[1] < 0xA0) return 0;
  if (length == 3 && u[0] == 0xED && u[1] >= 0xA0) return 0; // surrogates
  if (length == 4 && u[0] == 0xF0 && u[1] < 0x90) return 0;
  if (length == 4 && u[0] == 0xF4 && u[1] >= 0x90) return 0;
  return length;
}

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
  int length = sequence(s);
  const char *name = entity(*s);
  bool control = length == 1 && ((unsigned char)*s < ' ' || *s == 0x7F) && *s != '\n' && *s != '\t';
  bool hidden = length == 2 && (unsigned char)s[0] == 0xC2 && (unsigned char)s[1] < 0xA0; // C1
  if (name)
    text_add(out, name);
  else if (!length || control || hidden)
    text_add(out, REPLACEMENT);
  else
    text_add_bytes(out, s, (size_t)length);
  return s + (length ? length : 1);
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
    unsigned char c = (unsigned char)*text;
    int length = sequence(text);
    if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7F)
      text_print(out, "\\u%04x", c);
    else if (!length)
      text_add(out, REPLACEMENT);
    else if (length == 3 &&
             (strncmp(text, "\xE2\x80\xA8", 3) == 0 || strncmp(text, "\xE2\x80\xA9", 3) == 0))
      text_print(out, "\\u202%d", (unsigned char)text[2] == 0xA8 ? 8 : 9); // line ends of scripts
    else
      text_add_bytes(out, text, (size_t)length);
    text += length ? length : 1;
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
