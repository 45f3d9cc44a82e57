// Problems whose models are polynomials of time: their fits and likelihoods are known by linear algebra.
#pragma once
#include "base/array.h"
#include "made_problem.h"
#include "num/random.h"

enum { LINE_ROWS = 60, LINE_TERMS = 5 };

typedef struct Lines {
  Made made;
  double t[LINE_ROWS], y[LINE_ROWS], z[LINE_ROWS];
  ARRAY(Problem *) problems;
  Arena *arena;
} Lines;

// y = 1 + 2 t, z = 3 - t, with noise of these sizes.
static inline void lines_open(Lines *l, uint64_t seed, double noise_y, double noise_z) {
  Random random;
  char text[20000] = "t,y,z\n";
  *l = (Lines){.arena = arena_new()};
  made_open(&l->made);
  made_file(&l->made, "m.mo",
            "model M\n  parameter Real a = 0;\n  parameter Real b = 0;\n  parameter Real c = 0;\n"
            "  parameter Real d = 0;\n  parameter Real e = 0;\n  parameter Real g = 3;\n  Real y;\n"
            "  Real z;\nequation\n"
            "  y = a + b*time + c*time^2 + d*time^3 + e*time^4;\n  z = g - time;\nend M;\n");
  random_seed_stream(&random, seed, 0);
  for (int i = 0; i < LINE_ROWS; i++) {
    char row[100];
    l->t[i] = i / (double)(LINE_ROWS - 1);
    l->y[i] = 1 + 2 * l->t[i] + noise_y * random_normal(&random);
    l->z[i] = 3 - l->t[i] + noise_z * random_normal(&random);
    snprintf(row, sizeof row, "%.17g,%.17g,%.17g\n", l->t[i], l->y[i], l->z[i]);
    strcat(text, row);
  }
  made_file(&l->made, "d.csv", text);
}

// experiment: more of it, as "measure: [y]"; estimate: the unknowns.
static inline const Problem *lines_problem(Lines *l, const char *name, const char *experiment,
                                           const char *estimate) {
  char yaml[2000];
  Err err = {0};
  int length = snprintf(yaml, sizeof yaml,
                        "model: m.mo\nexperiments: [{data: d.csv, %s}]\nestimate: {%s}\n"
                        "method: lm\n",
                        experiment, estimate);
  Problem *p = problem_parse(name, l->made.folder, yaml, (size_t)length, NULL, 0, &err);
  if (!p) fail_msg("%s:%d:%d: %s", err.file, err.line, err.column, err.text);
  array_push(l->arena, &l->problems, p);
  return p;
}

static inline void lines_close(Lines *l) {
  for (int i = 0; i < l->problems.count; i++) problem_free(l->problems.at[i]);
  made_close(&l->made);
  arena_free(l->arena);
}

// Least sum of w (y - polynomial with n terms)^2, by the normal equations.
static inline double line_squares(const double *t, const double *y, const double *w, int rows,
                                  int n) {
  double A[LINE_TERMS][LINE_TERMS + 1] = {{0}}, x[LINE_TERMS] = {0}, sum = 0;
  for (int i = 0; i < rows; i++)
    for (int r = 0; r < n; r++) {
      for (int c = 0; c < n; c++) A[r][c] += (w ? w[i] : 1) * pow(t[i], r + c);
      A[r][n] += (w ? w[i] : 1) * pow(t[i], r) * y[i];
    }
  for (int k = 0; k < n; k++)
    for (int r = k + 1; r < n; r++)
      for (int c = n; c >= k; c--) A[r][c] -= A[r][k] / A[k][k] * A[k][c];
  for (int k = n - 1; k >= 0; k--) {
    x[k] = A[k][n];
    for (int c = k + 1; c < n; c++) x[k] -= A[k][c] * x[c];
    x[k] /= A[k][k];
  }
  for (int i = 0; i < rows; i++) {
    double model = 0;
    for (int c = 0; c < n; c++) model += x[c] * pow(t[i], c);
    sum += (w ? w[i] : 1) * (y[i] - model) * (y[i] - model);
  }
  return sum;
}

static const char LINE_AB[] = "a: {start: 0}, b: {start: 0}";
static const char LINE_ABC[] = "a: {start: 0}, b: {start: 0}, c: {start: 0}";
