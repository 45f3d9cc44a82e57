#include "base/visible.h"

#include <string.h>

#include "base/character.h"
#include "base/text.h"

static bool is_visible(const char *text) {
  while (*text) {
    Character c = character_at(text);
    if (c.hidden) return false;
    text += c.bytes;
  }
  return true;
}

static void add_visible(Text *out, const char *text) {
  while (*text) {
    Character c = character_at(text);
    if (!c.hidden)
      text_add_bytes(out, text, (size_t)c.bytes);
    else if (c.bytes == 1)
      text_print(out, "\\x%02x", (unsigned char)*text);
    else
      text_print(out, "\\u%04x", c.code);
    text += c.bytes;
  }
}

const char *visible(Arena *a, const char *text) {
  if (is_visible(text)) return text;
  Text t;
  text_init(&t);
  add_visible(&t, text);
  const char *copy = arena_copy(a, t.at, t.length);
  text_done(&t);
  return copy;
}

void visible_fixed(char *text, size_t size) {
  if (is_visible(text)) return;
  Text t;
  text_init(&t);
  add_visible(&t, text);
  size_t length = t.length < size ? t.length : size - 1;
  memcpy(text, t.at, length);
  text[length] = 0;
  text_done(&t);
}
