// A problem without states whose residuals a test chooses: the model is y = a*sin(time), the data are sin(time) - r, so that
// the residuals at a = 1 are r.
#pragma once
#include "evaluation.h"
#include "hand_problem.h"

typedef struct Chosen {
  Hand *hand;
  Problem *problem;
  Channel *channel;
  double *y;              // the data, which a test may change before chosen_ready
  Evaluation *evaluation; // NULL until chosen_ready
  EvalSpec *spec;
  const Weighting *weighting;
} Chosen;

static const double CHOSEN_TRUTH[] = {1};

// residuals NULL: 0. sigma 0: not given.
static inline Chosen chosen_open(int count, const double *residuals, double sigma) {
  Chosen c = {.hand = hand_text("model Wave\n  parameter Real a = 1;\n  Real y;\nequation\n"
                                "  y = a*sin(time);\nend Wave;\n")};
  Experiment *e =
      hand_experiment(c.hand, (HandData){.channels = {"y"}, .step = 0.05, .count = count});
  hand_estimate(c.hand, "a", -1, 1, -10, 10);
  c.problem = &c.hand->problem;
  c.channel = &e->channels[0];
  c.y = ARENA_ARRAY(c.hand->arena, double, count);
  for (int i = 0; i < count; i++) c.y[i] = c.channel->y[i] - (residuals ? residuals[i] : 0);
  c.channel->y = c.y;
  c.channel->sigma_kind = sigma > 0 ? SIGMA_NUMBER : SIGMA_UNKNOWN;
  c.channel->sigma = sigma;
  return c;
}

static inline void chosen_ready(Chosen *c) {
  c->evaluation = evaluation_new(c->problem);
  c->spec = &c->evaluation->spec;
  c->weighting = c->spec->weighting;
}

static inline void chosen_close(Chosen *c) {
  if (c->evaluation) evaluation_free(c->evaluation);
  hand_done(c->hand);
}
