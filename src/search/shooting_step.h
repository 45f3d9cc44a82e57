// The damped Gauss-Newton step of multiple shooting. The nodes are eliminated piece by piece, from the last to the first
// (structured QR; Bock 1987), which leaves a small problem in the unknowns.
#pragma once
#include "search/shooting_eval.h"

// Makes the sizes that damping is relative to at least those at this point.
void shooting_sizes(Shooting *s, const ShootingPoint *at, double weight);
// Into s->step: the minimum of the damped linear model inside the bounds.
void shooting_step(Shooting *s, const ShootingPoint *at, double weight, double damping);
// After shooting_reduce: how the nodes follow when unknown j changes by 1.
void shooting_follow(const Shooting *s, int j, double *states);
// What the linear model expects that step to gain.
double shooting_gain(const Shooting *s, const ShootingPoint *at, const ShootingPoint *to,
                     double weight);
// R and Q'r of the problem in the unknowns, with every node where it is best.
void shooting_reduce(Shooting *s, const ShootingPoint *at, double weight, double damping);

// How the start of a piece that is not the first moves in state i when its node does in state j, or unknown j does.
static inline double shooting_start_by_state(const ShootingOutcome *o, int nx, int i, int j) {
  return o->start_by_state ? o->start_by_state[i * nx + j] : i == j;
}
static inline double shooting_start_by_unknown(const ShootingOutcome *o, int n, int i, int j) {
  return o->start_by_unknown ? o->start_by_unknown[i * n + j] : 0;
}
