#include "simulate/trajectory.h"

static const struct {
  const char *word, *meaning;
} TABLE[] = {
#define OUTCOME(name, word, meaning) {word, meaning},
    OUTCOMES
#undef OUTCOME
};

const char *outcome_word(Outcome o) {
  return TABLE[o].word;
}
const char *outcome_meaning(Outcome o) {
  return TABLE[o].meaning;
}
