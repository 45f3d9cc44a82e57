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

const char *fit_outcome_words(void) {
#define FIT_OUTCOME(name, word, sentence) word " "
  return FIT_OUTCOMES;
#undef FIT_OUTCOME
}

static const char *const CUT_CLAUSE[] = {
#define FIT_CUT(name, clause) clause,
    FIT_CUTS
#undef FIT_CUT
};

const char *fit_cut_clause(FitCut c) {
  return CUT_CLAUSE[c];
}

static const struct {
  const char *word, *sentence;
} VERDICT_TABLE[] = {
#define FIT_VERDICT(name, word, sentence) {word, sentence},
    FIT_VERDICTS
#undef FIT_VERDICT
};

const char *fit_verdict_word(FitVerdict v) {
  return VERDICT_TABLE[v].word;
}
const char *fit_verdict_sentence(FitVerdict v) {
  return VERDICT_TABLE[v].sentence;
}
const char *fit_verdict_words(void) {
#define FIT_VERDICT(name, word, sentence) word " "
  return FIT_VERDICTS;
#undef FIT_VERDICT
}
bool fit_is_unjudged(FitOutcome o, FitVerdict v) {
  return o == FIT_CONVERGED && v == FIT_DOUBTFUL;
}
const char *fit_trust_word(FitOutcome o, FitVerdict v) {
  return fit_is_unjudged(o, v) ? "not certain" : fit_verdict_word(v);
}
bool fit_verdict_is_good(FitVerdict v) {
  return v == FIT_CERTAIN || v == FIT_AGREED;
}

double fit_least_sigma(const Problem *p, const Channel *c) {
  double squares = 0;
  for (int i = 0; i < c->count; i++) squares += c->y[i] * c->y[i];
  return fmax(100 * problem_accuracy(p) * sqrt(squares / (c->count ? c->count : 1)), 1e-300);
}

double comparable_objective(const Problem *p, double objective, const double *sigma) {
  double v = objective;
  int k = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++, k++) {
      const Channel *channel = &p->experiments[e].channels[c];
      if (channel->sigma_kind == SIGMA_ESTIMATED)
        v += weight_of_samples(p, channel) * log(fmax(sigma[k], fit_least_sigma(p, channel)));
    }
  return v;
}

double fit_comparable(const FitResult *f) {
  return comparable_objective(f->problem, f->objective, f->sigma);
}

FitResult *fit_result_new(const Problem *p, const double *start) {
  Arena *a = arena_new();
  FitResult *r = ARENA_NEW(a, FitResult);
  r->arena = a;
  r->problem = p;
  r->by = "";
  r->x = ARENA_ARRAY(a, double, p->unknown_count + 1);
  r->start = ARENA_ARRAY(a, double, p->unknown_count + 1);
  r->objective_start = nan("");
  for (int i = 0; i < p->unknown_count; i++) {
    const Unknown *u = &p->unknowns[i];
    r->start[i] = r->x[i] = fmin(fmax(start ? start[i] : u->start, u->min), u->max);
  }
  return r;
}

bool fit_has_result(const FitResult *r) {
  return r->objective < HUGE_VAL && problem_satisfied(r->problem, r->x);
}

int fit_piece_count(const Problem *p, const FitPieces *pieces) {
  int count = 0;
  for (int e = 0; pieces && e < p->experiment_count; e++) count += pieces->count[e];
  return count;
}

void fit_free(FitResult *r) {
  if (r) arena_free(r->arena);
}
