#include "search/fit_result.h"

#include <math.h>

static const struct {
  const char *word, *sentence;
} OUTCOME_TABLE[] = {
#define FIT_OUTCOME(name, word, sentence) {word, sentence},
    FIT_OUTCOMES
#undef FIT_OUTCOME
};

const char *fit_outcome_word(FitOutcome o) {
  return OUTCOME_TABLE[o].word;
}
const char *fit_outcome_sentence(FitOutcome o) {
  return OUTCOME_TABLE[o].sentence;
}

double fit_least_sigma(const Problem *p, const Channel *c) {
  double squares = 0;
  for (int i = 0; i < c->count; i++) squares += c->y[i] * c->y[i];
  return fmax(100 * problem_accuracy(p) * sqrt(squares / (c->count ? c->count : 1)), 1e-300);
}

double fit_comparable(const FitResult *f) {
  double v = f->objective;
  int k = 0;
  for (int e = 0; e < f->problem->experiment_count; e++)
    for (int c = 0; c < f->problem->experiments[e].channel_count; c++, k++) {
      const Channel *channel = &f->problem->experiments[e].channels[c];
      if (channel->sigma_kind == SIGMA_ESTIMATED)
        v += channel->count * log(fmax(f->sigma[k], fit_least_sigma(f->problem, channel)));
    }
  return v;
}

int fit_piece_count(const Problem *p, const FitPieces *pieces) {
  int count = 0;
  for (int e = 0; pieces && e < p->experiment_count; e++) count += pieces->count[e];
  return count;
}

void fit_free(FitResult *r) {
  if (r) arena_free(r->arena);
}
