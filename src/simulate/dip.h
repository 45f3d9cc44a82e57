// A dip between three samples of a function that stays on one side of its limit at all of them: where may it reach the other side?
#pragma once
#include <math.h>
#include <stdbool.h>

typedef struct DipPoint {
  double t, far; // far: distance from the limit, positive on the side of the samples
} DipPoint;

static const double DIP_NEAR = 0.3;  // of the middle point: how near the lowest one must come
static const double DIP_ABOUT = 0.1; // of the larger end: what the first parabola may err by
static const double DIP_BEYOND = 0.3, DIP_INSIDE = 0.1; // of the distance of two points

// Where the parabola through the points is least, and how far it is from the limit there. false: it is not bent upwards.
static inline bool dip_lowest(const DipPoint p[3], DipPoint *out) {
  double h0 = p[1].t - p[0].t, h1 = p[2].t - p[1].t;
  double d0 = (p[1].far - p[0].far) / h0, d1 = (p[2].far - p[1].far) / h1;
  double bend = (d1 - d0) / (h0 + h1), slope = (d0 * h1 + d1 * h0) / (h0 + h1);
  if (!(bend > 0)) return false;
  out->t = p[1].t - slope / (2 * bend);
  out->far = p[1].far - slope * slope / (4 * bend);
  return true;
}

// The lowest point may lie just beyond an end, where the neighbours do not see it either: then near that end. false: it is elsewhere.
static inline bool dip_move_inside(const DipPoint p[3], double *t) {
  double left = p[1].t - p[0].t, right = p[2].t - p[1].t;
  if (!(*t > p[0].t - DIP_BEYOND * left && *t < p[2].t + DIP_BEYOND * right)) return false;
  if (*t <= p[0].t) *t = p[0].t + DIP_INSIDE * left;
  if (*t >= p[2].t) *t = p[2].t - DIP_INSIDE * right;
  return true;
}

// Where to look in this round, from 0 on. false: nowhere any more.
static inline bool dip_next(const DipPoint p[3], int round, double *t) {
  DipPoint low;
  double about = DIP_ABOUT * fmax(p[0].far, p[2].far) * pow(10, -round);
  if (!dip_lowest(p, &low) || low.far > DIP_NEAR * p[1].far + about) return false;
  *t = low.t;
  return dip_move_inside(p, t) && fabs(*t - p[1].t) > 1e-7 * (p[2].t - p[0].t);
}

static inline void dip_narrow(DipPoint p[3], DipPoint new) {
  int side = new.t < p[1].t ? 0 : 2; // of the middle one
  if (new.far < p[1].far)
    p[2 - side] = p[1], p[1] = new;
  else
    p[side] = new;
}
