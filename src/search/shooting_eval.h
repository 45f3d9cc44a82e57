// Simulates the pieces of multiple shooting and keeps what a step needs of them.
#pragma once
#include "search/shooting_problem.h"

// All pieces at a point, whose nodes are moved to where the invariants are satisfied. false: one of them failed.
bool shooting_eval(Shooting *s, ShootingPoint *at);
// Simulates piece k at a point. false: it failed.
bool shooting_simulate(Shooting *s, int k, const ShootingPoint *at);
// Into s->rows: those of one channel of the piece that was just simulated. Slopes by the node states, by the unknowns, the
// residual.
void shooting_fill_rows(Shooting *s, int k, int channel);
// Between the end of piece k and the node that follows, in state i.
static inline double shooting_gap(const Shooting *s, const ShootingPoint *at, int k, int i) {
  return at->pieces[k].end[i] - at->states[(size_t)(k + 1) * (size_t)s->nx + (size_t)i];
}
double shooting_priors(const Shooting *s, const double *x); // half their sum of squares
