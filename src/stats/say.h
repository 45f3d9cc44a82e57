// Words for people.
#pragma once
#include "base/text.h"

// "a", "a and b", "a, b and c"
static inline void say_list(Text *t, const char *const *item, int count) {
  for (int i = 0; i < count; i++)
    text_print(t, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", item[i]);
}

// "a, b and c", or of more than `most`: "a, b, c and 12 more"
static inline void say_some(Text *t, const char *const *item, int count, int most) {
  if (count <= most + 1) { // one more would not be shorter
    say_list(t, item, count);
    return;
  }
  for (int i = 0; i < most; i++) text_print(t, "%s%s", i ? ", " : "", item[i]);
  text_print(t, " and %d more", count - most);
}
