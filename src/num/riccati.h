// One step of a linear motion and of the Riccati equation of its observer, with constant matrices. Matrices are square, by rows.
// Both are exact up to a small error for any step, however stiff the motion is: short steps are doubled, not repeated.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef struct RiccatiWork RiccatiWork; // scratch; nothing but riccati_new allocates

RiccatiWork *riccati_new(Arena *a, int n);
// P' = A P + P A' + Q - P G P over time h; G, Q, P symmetric, not negative. false: P is not finite any more.
bool riccati_step(RiccatiWork *w, const double *A, const double *G, const double *Q, double h,
                  double *P);
// x' = J x + b from x = 0 over time h: x becomes the integral of exp(J t) b, E becomes exp(J h). false: not finite.
bool motion_step(RiccatiWork *w, const double *J, const double *b, double h, double *E, double *x);
// Multiply-adds of the steps so far: what they cost, the same on every machine.
double riccati_work(const RiccatiWork *w);

void matrix_product(int n, const double *A, const double *B, double *out); // out = A B
