#include "lib/curve.h"

#include <math.h>
#include <stdbool.h>

void curve_add(Curve *c, double error, double seconds) {
  if (c->count >= CURVE_MOST || !(error > 0) || !isfinite(error)) return;
  c->error[c->count] = error;
  c->seconds[c->count++] = seconds;
}

static bool is_beaten(const Curve *c, int i) {
  for (int j = 0; j < c->count; j++)
    if (c->error[j] <= c->error[i] && c->seconds[j] < c->seconds[i]) return true;
  return false;
}

double curve_at(const Curve *c, double error) {
  int below = -1, above = -1; // nearest points of the front on both sides of the error
  for (int i = 0; i < c->count; i++) {
    if (is_beaten(c, i)) continue;
    if (c->error[i] <= error && (below < 0 || c->error[i] > c->error[below])) below = i;
    if (c->error[i] > error && (above < 0 || c->error[i] < c->error[above])) above = i;
  }
  if (below < 0) return nan("");
  // Nothing looser was measured that is cheaper: the point below is the answer.
  if (above < 0) return c->seconds[below];
  double part = log(error / c->error[below]) / log(c->error[above] / c->error[below]);
  return c->seconds[below] * pow(c->seconds[above] / c->seconds[below], part);
}
