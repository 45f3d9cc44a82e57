#include "local/local.h"

static const struct {
  const char *word, *sentence;
  bool converged;
} ENDS[] = {
#define LOCAL_END(name, word, converged, sentence) {word, sentence, converged},
    LOCAL_ENDS
#undef LOCAL_END
};

const char *local_end_word(LocalEnd e) {
  return ENDS[e].word;
}

const char *local_end_sentence(LocalEnd e) {
  return ENDS[e].sentence;
}

bool local_end_converged(LocalEnd e) {
  return ENDS[e].converged;
}
