#include <string.h>

#include "problem/problem.h"

static const struct {
  const char *word, *meaning;
} METHODS[METHOD_COUNT] = {
#define METHOD(name, word, meaning) [METHOD_##name] = {word, meaning},
#include "problem/methods.def"
#undef METHOD
};

const char *method_word(Method m) {
  return METHODS[m].word;
}

const char *method_meaning(Method m) {
  return METHODS[m].meaning;
}

bool method_find(const char *word, Method *m) {
  for (int i = 0; i < METHOD_COUNT; i++) {
    if (strcmp(METHODS[i].word, word) != 0) continue;
    *m = (Method)i;
    return true;
  }
  return false;
}
