// Words for people.
#pragma once
#include "base/text.h"

// "a", "a and b", "a, b and c"
static inline void say_list(Text *t, const char *const *item, int count) {
  for (int i = 0; i < count; i++)
    text_print(t, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", item[i]);
}
