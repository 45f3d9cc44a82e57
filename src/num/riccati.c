// Over a time t the Riccati equation maps P to Q_t + F P (I + G_t P)^-1 F'. Two equal maps one after the other are a map of the
// same kind: with D = (I + Q G)^-1
//   F2 = F D F,  Q2 = Q + F D Q F',  G2 = G + F' G D F
// (structure-preserving doubling; Anderson 1978, Int. J. Control 28, 295). A step is a short one, from the first terms of its
// series, doubled often enough. Sums of matrices that are not negative: nothing cancels, and P stays not negative.
#include "num/riccati.h"

#include <math.h>
#include <string.h>

#include "num/lu.h"

struct RiccatiWork {
  int n;
  double *F, *Q, *G, *E; // of the map
  double *D, *R, *T, *U; // scratch; R has 2n columns
  double *both;          // [F | Q] and what D makes of it
  double *v;
  Lu *lu;
  double work;
};

RiccatiWork *riccati_new(Arena *a, int n) {
  RiccatiWork *w = ARENA_NEW(a, RiccatiWork);
  size_t square = (size_t)n * (size_t)n + 8;
  double **all[] = {&w->F, &w->Q, &w->G, &w->E, &w->D, &w->T, &w->U};
  w->n = n;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) *all[k] = ARENA_ARRAY(a, double, square);
  w->R = ARENA_ARRAY(a, double, 2 * square);
  w->both = ARENA_ARRAY(a, double, 2 * square);
  w->v = ARENA_ARRAY(a, double, n + 8);
  w->lu = lu_new(a, n);
  return w;
}

double riccati_work(const RiccatiWork *w) {
  return w->work;
}

void matrix_product(int n, const double *A, const double *B, double *out) {
  memset(out, 0, (size_t)n * (size_t)n * sizeof *out);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double a = A[i * n + k];
      if (a == 0) continue;
      for (int j = 0; j < n; j++) out[i * n + j] += a * B[k * n + j];
    }
}

// out = A B', the transpose of B
static void product_transposed(int n, const double *A, const double *B, double *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += A[i * n + k] * B[j * n + k];
      out[i * n + j] = sum;
    }
}

static void transpose(int n, const double *A, double *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[j * n + i] = A[i * n + j];
}

static double largest_row(int n, const double *A) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    most = sum <= most ? most : sum; // NaN stays
  }
  return most;
}

static bool is_finite(int count, const double *v) {
  double zero = 0;
  for (int i = 0; i < count; i++) zero += v[i] * 0;
  return zero == 0;
}

static void make_symmetric(int n, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
}

// Doublings after which `size` is below SHORT; -1: it is not finite.
static const double SHORT = 1.0 / 16;
enum { DOUBLINGS_MOST = 200 };

static int doublings_for(double size) {
  if (!isfinite(size)) return -1;
  int count = size > SHORT ? (int)ceil(log2(size / SHORT)) : 0;
  return count <= DOUBLINGS_MOST ? count : -1;
}

// ---------------------------------------------------------------- the Riccati equation

// The first two terms of the series in the short time d.
static void short_map(RiccatiWork *w, const double *A, const double *G, const double *Q, double d) {
  int n = w->n;
  matrix_product(n, A, A, w->T);
  matrix_product(n, Q, G, w->U);
  for (int i = 0; i < n * n; i++) w->F[i] = d * A[i] + d * d / 2 * (w->T[i] - w->U[i]);
  for (int i = 0; i < n; i++) w->F[i * n + i] += 1;
  matrix_product(n, A, Q, w->T);
  matrix_product(n, G, A, w->U);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      w->Q[i * n + j] = d * Q[i * n + j] + d * d / 2 * (w->T[i * n + j] + w->T[j * n + i]);
      w->G[i * n + j] = d * G[i * n + j] + d * d / 2 * (w->U[i * n + j] + w->U[j * n + i]);
    }
}

// [X | Y] = (I + A B)^-1 [X | Y]
static bool solve_both(RiccatiWork *w, const double *A, const double *B, double *X, double *Y) {
  int n = w->n;
  size_t row = (size_t)n * sizeof(double);
  matrix_product(n, A, B, w->D);
  for (int i = 0; i < n; i++) w->D[i * n + i] += 1;
  if (!lu_factor(w->lu, w->D)) return false;
  for (int i = 0; i < n; i++) {
    memcpy(w->both + 2 * i * n, X + i * n, row);
    memcpy(w->both + 2 * i * n + n, Y + i * n, row);
  }
  lu_solve_block(w->lu, w->both, 2 * n, 2 * n, w->R);
  for (int i = 0; i < n; i++) {
    memcpy(X + i * n, w->R + 2 * i * n, row);
    memcpy(Y + i * n, w->R + 2 * i * n + n, row);
  }
  return true;
}

static bool double_map(RiccatiWork *w) {
  int n = w->n;
  size_t bytes = (size_t)n * (size_t)n * sizeof(double);
  memcpy(w->T, w->F, bytes);
  memcpy(w->U, w->Q, bytes);
  if (!solve_both(w, w->Q, w->G, w->T, w->U)) return false; // D F and D Q
  product_transposed(n, w->U, w->F, w->D);
  matrix_product(n, w->F, w->D, w->U); // F D Q F'
  for (int i = 0; i < n * n; i++) w->Q[i] += w->U[i];
  matrix_product(n, w->G, w->T, w->U); // G D F
  transpose(n, w->F, w->D);
  matrix_product(n, w->D, w->U, w->E);
  for (int i = 0; i < n * n; i++) w->G[i] += w->E[i];
  matrix_product(n, w->F, w->T, w->D);
  memcpy(w->F, w->D, bytes);
  make_symmetric(n, w->Q);
  make_symmetric(n, w->G);
  return true;
}

bool riccati_step(RiccatiWork *w, const double *A, const double *G, const double *Q, double h,
                  double *P) {
  int n = w->n;
  size_t bytes = (size_t)n * (size_t)n * sizeof(double);
  matrix_product(n, Q, G, w->T);
  int count = doublings_for(h * fmax(largest_row(n, A), sqrt(largest_row(n, w->T))));
  w->work += (8.0 * count + 8) * n * n * n;
  if (count < 0) return false;
  short_map(w, A, G, Q, ldexp(h, -count));
  for (int k = 0; k < count; k++)
    if (!double_map(w)) return false;
  // P (I + G P)^-1 = ((I + P G)^-1 P)', which is symmetric
  memcpy(w->T, P, bytes);
  memcpy(w->U, P, bytes);
  if (!solve_both(w, P, w->G, w->T, w->U)) return false;
  product_transposed(n, w->T, w->F, w->U);
  matrix_product(n, w->F, w->U, P);
  for (int i = 0; i < n * n; i++) P[i] += w->Q[i];
  make_symmetric(n, P);
  return is_finite(n * n, P);
}

// ---------------------------------------------------------------- the linear motion

enum { SERIES = 5 };

bool motion_step(RiccatiWork *w, const double *J, const double *b, double h, double *E, double *x) {
  int n = w->n, count = doublings_for(h * largest_row(n, J));
  w->work += (double)(count + SERIES) * n * n * n;
  if (count < 0) return false;
  double d = ldexp(h, -count);
  memset(E, 0, (size_t)n * (size_t)n * sizeof *E);
  for (int i = 0; i < n; i++) E[i * n + i] = 1, x[i] = d * b[i];
  for (int k = SERIES; k > 0; k--) { // E = I + d J/k E, x = d (b + J x/(k + 1)): Horner
    matrix_product(n, J, E, w->T);
    for (int i = 0; i < n * n; i++) E[i] = d / k * w->T[i];
    for (int i = 0; i < n; i++) E[i * n + i] += 1;
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += J[i * n + j] * x[j];
      w->v[i] = d * (b[i] + sum / (k + 1));
    }
    memcpy(x, w->v, (size_t)n * sizeof *x);
  }
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < n; i++) {
      w->v[i] = x[i];
      for (int j = 0; j < n; j++) w->v[i] += E[i * n + j] * x[j];
    }
    memcpy(x, w->v, (size_t)n * sizeof *x);
    matrix_product(n, E, E, w->T);
    memcpy(E, w->T, (size_t)n * (size_t)n * sizeof *E);
  }
  return is_finite(n, x) && is_finite(n * n, E);
}
