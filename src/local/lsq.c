#include "local/lsq.h"

#include <math.h>
#include <string.h>

LsqPoint *lsq_point_new(Arena *a, int n) {
  LsqPoint *p = ARENA_NEW(a, LsqPoint);
  p->x = ARENA_ARRAY(a, double, n);
  p->R = ARENA_ARRAY(a, double, (size_t)n *n);
  p->Qr = ARENA_ARRAY(a, double, n);
  p->objective = HUGE_VAL;
  return p;
}

void lsq_point_copy(LsqPoint *to, const LsqPoint *from, int n) {
  size_t bytes = (size_t)n * sizeof(double);
  to->objective = from->objective;
  to->has_slopes = from->has_slopes;
  if (n == 0) return;
  memcpy(to->x, from->x, bytes);
  memcpy(to->R, from->R, bytes * (size_t)n);
  memcpy(to->Qr, from->Qr, bytes);
}
