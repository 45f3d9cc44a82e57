#include "base/character.h"

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

Character character_at(const char *text) {
  unsigned code;
  int bytes = decode((const unsigned char *)text, &code);
  if (!bytes) return (Character){1, 0xFFFD, true};
  return (Character){bytes, code, acts(code)};
}
