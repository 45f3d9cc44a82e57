#include "base/character.h"

#include <string.h>

// Decodes the UTF-8 character at s; returns its bytes, 0 if it is none. Overlong forms and surrogates are none.
static int decode(const unsigned char *s, unsigned *code) {
  static const unsigned LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  int length = s[0] < 0x80   ? 1
               : s[0] < 0xC2 ? 0
               : s[0] < 0xE0 ? 2
               : s[0] < 0xF0 ? 3
               : s[0] < 0xF5 ? 4
                             : 0;
  if (length < 2) {
    *code = s[0];
    return length;
  }
  *code = s[0] & (0x7Fu >> length);
  for (int i = 1; i < length; i++) {
    if ((s[i] & 0xC0) != 0x80) return 0;
    *code = *code << 6 | (s[i] & 0x3F);
  }
  return *code < LEAST[length] || *code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000) ? 0
                                                                                          : length;
}

static bool acts(unsigned code) { // on the terminal, or on the order of what it shows
  if (code < 0x20) return code != '\n' && code != '\t';
  return (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

typedef struct CodeRange {
  unsigned first, last;
} CodeRange;

static bool is_among(unsigned code, const CodeRange *ranges, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (code >= ranges[i].first && code <= ranges[i].last) return true;
  return false;
}

// Marks that combine, and the scripts and pictures that terminals show two columns wide (Unicode, EastAsianWidth: W and F).
static int width_of(unsigned code) {
  static const CodeRange NONE[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},
                                   {0x610, 0x61A},   {0x64B, 0x65F},   {0x1AB0, 0x1AFF},
                                   {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF},
                                   {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
  static const CodeRange WIDE[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                                   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                                   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                                   {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  if (code < 0x300) return 1;
  if (is_among(code, NONE, sizeof NONE / sizeof *NONE)) return 0;
  return is_among(code, WIDE, sizeof WIDE / sizeof *WIDE) ? 2 : 1;
}

Character character_at(const char *text) {
  unsigned code;
  int bytes = decode((const unsigned char *)text, &code);
  if (!bytes) return (Character){1, 0xFFFD, true, 1};
  return (Character){bytes, code, acts(code), width_of(code)};
}

int characters_width(const char *text) {
  int width = 0;
  while (*text) {
    if (*text == '\033') {
      text += strcspn(text, "m");
      text += *text == 'm';
    } else {
      Character c = character_at(text);
      width += c.width;
      text += c.bytes;
    }
  }
  return width;
}

const char *characters_shortened(Arena *a, const char *text, int width) {
  int all = characters_width(text);
  if (all <= width) return text;
  int front = width / 2, back = width - 1 - front, at = 0; // the ellipsis takes one
  const char *cut = text, *rest = text;
  while (*cut && at + character_at(cut).width <= front) {
    Character c = character_at(cut);
    at += c.width;
    cut += c.bytes;
  }
  for (at = all; *rest && at > back;) {
    Character c = character_at(rest);
    at -= c.width;
    rest += c.bytes;
  }
  return arena_print(a, "%.*s\u2026%s", (int)(cut - text), text, rest);
}
