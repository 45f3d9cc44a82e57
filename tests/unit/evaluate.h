// Values of all nodes of a graph, blocks included, in the plainest way: what faster code is compared with.
#pragma once
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

enum { EVALUATE_MOST = 16 }; // size of a block

// Gauss-Jordan with the largest pivot of the column.
static inline void evaluate_linear(double *a, double *b, int n) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
    for (int j = 0; j < n; j++) {
      double t = a[k * n + j];
      a[k * n + j] = a[p * n + j];
      a[p * n + j] = t;
    }
    double t = b[k];
    b[k] = b[p];
    b[p] = t;
    for (int i = 0; i < n; i++) {
      double m = a[i * n + k] / a[k * n + k];
      if (i == k) continue;
      for (int j = k; j < n; j++) a[i * n + j] -= m * a[k * n + j];
      b[i] -= m * b[k];
    }
  }
  for (int k = 0; k < n; k++) b[k] /= a[k * n + k];
}

static inline void evaluate_solve(const Graph *g, const ExprBlock *block, double *v) {
  const ExprBlock *f = &g->blocks.at[block->factor];
  int n = block->n;
  double a[EVALUATE_MOST * EVALUATE_MOST], b[EVALUATE_MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = v[f->matrix[block->transposed ? j * n + i : i * n + j]];
  for (int i = 0; i < n; i++) b[i] = v[block->right[i]];
  evaluate_linear(a, b, n);
  for (int i = 0; i < n; i++) v[block->first + i] = b[i];
}

static inline void evaluate_plain(const Graph *g, Expr upto, double *v) {
  for (Expr i = 0; i < upto; i++) {
    const ExprNode *n = &g->nodes[i];
    if (n->op == OP_CONST)
      v[i] = n->value;
    else if (n->op != OP_SYMBOL && n->op != OP_SOLVED)
      v[i] = expr_apply(g, n, v[n->a], v[n->b], v[n->c]);
  }
}

static inline void evaluate_residuals(const Graph *g, const ExprBlock *b, const double *z,
                                      double *v, double *r) {
  for (int i = 0; i < b->n; i++) v[b->unknowns[i]] = z[i];
  evaluate_plain(g, b->first, v);
  for (int i = 0; i < b->n; i++) r[i] = v[b->residuals[i]];
}

// Newton's method with derivatives by differences, from the start values.
static inline void evaluate_newton(const Graph *g, const ExprBlock *b, double *v) {
  int n = b->n;
  double z[EVALUATE_MOST], r[EVALUATE_MOST], moved[EVALUATE_MOST], a[EVALUATE_MOST * EVALUATE_MOST];
  for (int i = 0; i < n; i++) z[i] = v[b->starts[i]];
  for (int round = 0; round < 60; round++) {
    for (int j = 0; j < n; j++) {
      double h = 1e-6 * (1 + fabs(z[j])), keep = z[j];
      z[j] = keep + h;
      evaluate_residuals(g, b, z, v, moved);
      z[j] = keep - h;
      evaluate_residuals(g, b, z, v, r);
      z[j] = keep;
      for (int i = 0; i < n; i++) a[i * n + j] = (moved[i] - r[i]) / (2 * h);
    }
    evaluate_residuals(g, b, z, v, r);
    evaluate_linear(a, r, n);
    for (int i = 0; i < n; i++) z[i] -= r[i];
  }
  evaluate_residuals(g, b, z, v, r);
  for (int i = 0; i < n; i++) v[b->first + i] = z[i];
}

// v has one number for each node below `upto`; symbols by symbol number.
static inline void evaluate_all(const Graph *g, Expr upto, const double *symbols, double *v) {
  for (Expr i = 0; i < upto; i++) {
    const ExprNode *n = &g->nodes[i];
    if (n->op == OP_CONST)
      v[i] = n->value;
    else if (n->op == OP_SYMBOL)
      v[i] = symbols[n->a];
    else if (n->op != OP_SOLVED)
      v[i] = expr_apply(g, n, v[n->a], v[n->b], v[n->c]);
    else if (n->b == 0 && g->blocks.at[n->a].kind == EXPR_SOLVE)
      evaluate_solve(g, &g->blocks.at[n->a], v);
    else if (n->b == 0)
      evaluate_newton(g, &g->blocks.at[n->a], v);
  }
}

static inline double evaluate(const Graph *g, Expr e, const double *symbols) {
  double *v = calloc((size_t)g->count, sizeof *v);
  evaluate_all(g, e + 1, symbols, v);
  double result = v[e];
  free(v);
  return result;
}
