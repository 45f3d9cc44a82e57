// Linear combinations (Tan, Nedialkov and Pryce 2017, Appl. Math. Comput. 296:23): where the Jacobian J of a block by its
// unknowns is singular at every point, w'J = 0, the equation w'f = 0 takes the place of one of the equations in it, and the
// structure becomes what it is. Only rows of J that consist of numbers and parameters are looked at: there w is constant
// as well, and w'f is exact.
//
// Numbers decide at two points with changed parameters which rows depend on others; then w is computed once more in
// symbols.
#include "model/combine.h"

#include <math.h>
#include <stdlib.h>

#include "expr/derive.h"
#include "expr/simplify.h"
#include "model/echelon.h"
#include "model/probe.h"

enum { ROWS_MOST = 400 };          // of a block: elimination takes their cube
static const double SPREAD = 0.15; // of the parameters

typedef struct BlockRows { // rows of a block whose slopes are numbers and parameters
  int count, *row;         // number of the equation, by rank
  Derivatives d;           // of these by the unknowns of the block
  int columns;
} BlockRows;

typedef struct Combiner {
  Model *m;
  Arena *scratch;
  const Expr *residuals, *symbols;
  const int *rank;
  const Incidence *in;
  const Matching *matching;
  Probe *probe[2];
  int *column; // by unknown: its number + 1 in the block
} Combiner;

// ---------------------------------------------------------------- rows

static bool is_constant_row(const Combiner *c, const Derivatives *d, int k, int occurring) {
  bool constant = d->start[k + 1] - d->start[k] == occurring && occurring > 0;
  for (int e = d->start[k]; e < d->start[k + 1]; e++)
    constant &= !expr_varies(c->m->graph, d->value[e]);
  return constant;
}

static int occurring_in(const Combiner *c, int row) {
  int count = 0;
  for (int k = c->in->start[row]; k < c->in->start[row + 1]; k++)
    count += c->column[c->in->unknown[k]] > 0;
  return count;
}

typedef struct RankedRow {
  int rank, row;
} RankedRow;

static int by_rank(const void *a, const void *b) {
  const RankedRow *x = a, *y = b;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static BlockRows list_rows(Combiner *c, const int *member, int n) {
  Arena *a = c->scratch;
  RankedRow *order = ARENA_ARRAY(a, RankedRow, n);
  Expr *residual = ARENA_ARRAY(a, Expr, n), *by = ARENA_ARRAY(a, Expr, n);
  BlockRows b = {.row = ARENA_ARRAY(a, int, n), .columns = n};
  for (int i = 0; i < n; i++) {
    order[i] = (RankedRow){c->rank[member[i]], member[i]};
    by[i] = c->symbols[c->matching->unknown_of[member[i]]];
    c->column[c->matching->unknown_of[member[i]]] = i + 1;
  }
  qsort(order, (size_t)n, sizeof *order, by_rank);
  for (int i = 0; i < n; i++) residual[i] = c->residuals[order[i].row];
  Derivatives d = derive_rows(c->m->graph, a, residual, n, by, n);
  for (int i = 0; i < n; i++)
    if (is_constant_row(c, &d, i, occurring_in(c, order[i].row))) {
      b.row[b.count] = order[i].row;
      residual[b.count++] = residual[i];
    }
  b.d = derive_rows(c->m->graph, a, residual, b.count, by, n);
  for (int i = 0; i < n; i++) c->column[c->matching->unknown_of[member[i]]] = 0;
  return b;
}

// ---------------------------------------------------------------- in numbers

// The first row that depends on those before it at this point: *parts is what of each. -1: none does.
static int first_dependent(Combiner *c, const BlockRows *b, Probe *probe, const double **parts) {
  Echelon *e = echelon_new(c->scratch, b->columns, b->count);
  double *value = ARENA_ARRAY(c->scratch, double, b->columns + 1);
  for (int k = 0; k < b->count; k++) {
    int from = b->d.start[k], count = b->d.start[k + 1] - from;
    for (int i = 0; i < count; i++) {
      value[i] = probe_value(probe, b->d.value[from + i]);
      if (!isfinite(value[i])) return -1;
    }
    if (echelon_add(e, b->d.column + from, value, count, NULL, 0)) continue;
    *parts = echelon_parts(e);
    return k;
  }
  return -1;
}

// ---------------------------------------------------------------- in symbols

typedef struct SymbolicRows { // dense, by rows; behind the columns the weights
  int rows, columns, width;
  Expr *at;
} SymbolicRows;

static double size_at(Combiner *c, Expr e) {
  return fabs(probe_value(c->probe[0], e));
}

// a - factor*b, exactly 0 where nothing but rounding is left
static Expr minus(Combiner *c, Expr a, Expr factor, Expr b) {
  Graph *g = c->m->graph;
  Expr product = expr_mul(g, factor, b), e = expr_sub(g, a, product);
  return size_at(c, e) <= 1e-11 * (size_at(c, a) + size_at(c, product)) ? expr_const(g, 0) : e;
}

// Numbers rather than parameters, and large ones.
static int pivot_of(Combiner *c, const SymbolicRows *s, int row) {
  int best = -1;
  double most = 0;
  for (int j = 0; j < s->columns; j++) {
    Expr e = s->at[row * s->width + j];
    double size = size_at(c, e);
    if (!expr_is_const(c->m->graph, e)) size *= 1e-6;
    if (size > most) most = size, best = j;
  }
  return best;
}

static SymbolicRows symbolic_rows(Combiner *c, const BlockRows *b, const int *pick, int count) {
  SymbolicRows s = {count, b->columns, b->columns + count, NULL};
  s.at = ARENA_ARRAY(c->scratch, Expr, s.rows * s.width);
  for (int k = 0; k < count; k++) {
    Expr *row = s.at + k * s.width;
    for (int e = b->d.start[pick[k]]; e < b->d.start[pick[k] + 1]; e++)
      row[b->d.column[e]] = b->d.value[e];
    row[s.columns + k] = expr_const(c->m->graph, 1);
  }
  return s;
}

// The weights of the picked rows, of which the last depends on the others; false: not so in symbols.
static bool weights_of(Combiner *c, const BlockRows *b, const int *pick, int count, Expr *weight) {
  SymbolicRows s = symbolic_rows(c, b, pick, count);
  for (int k = 0; k < count; k++) {
    Expr *row = s.at + k * s.width;
    int p = pivot_of(c, &s, k);
    if ((p < 0) != (k == count - 1)) return false;
    for (int i = k + 1; i < count && p >= 0; i++) {
      Expr *other = s.at + i * s.width;
      if (expr_is_value(c->m->graph, other[p], 0)) continue;
      Expr factor = expr_div(c->m->graph, other[p], row[p]);
      for (int j = 0; j < s.width; j++)
        other[j] = j == p ? 0 : minus(c, other[j], factor, row[j]); // node 0 is the number 0
    }
  }
  for (int k = 0; k < count; k++)
    weight[k] = s.at[(count - 1) * s.width + s.columns + k];
  return true;
}

// ---------------------------------------------------------------- the combination

static bool combine_block(Combiner *c, Arena *a, const int *member, int n, Combination *out) {
  BlockRows b = list_rows(c, member, n);
  if (b.count < 2 || b.count > ROWS_MOST) return false;
  const double *parts, *again;
  int last = first_dependent(c, &b, c->probe[0], &parts), count = 0;
  if (last < 0) return false;
  int *pick = ARENA_ARRAY(c->scratch, int, last + 1);
  for (int k = 0; k <= last; k++)
    if (parts[k] != 0) pick[count++] = k;
  if (first_dependent(c, &b, c->probe[1], &again) != last) return false;
  *out = (Combination){.count = count,
                       .row = ARENA_ARRAY(a, int, count),
                       .weight = ARENA_ARRAY(a, Expr, count),
                       .unknowns = ARENA_ARRAY(a, int, n),
                       .unknown_count = n};
  for (int k = 0; k < count; k++) out->row[k] = b.row[pick[k]];
  for (int i = 0; i < n; i++) out->unknowns[i] = c->matching->unknown_of[member[i]];
  return weights_of(c, &b, pick, count, out->weight);
}

static int last_rank(const Combiner *c, const Combination *x) {
  return c->rank[x->row[x->count - 1]];
}

bool find_combination(Model *m, Arena *a, const Expr *residuals, const Expr *symbols,
                      const int *rank, const Incidence *in, const Matching *matching,
                      Combination *out) {
  Combiner c = {.m = m,
                .scratch = arena_new(),
                .residuals = residuals,
                .symbols = symbols,
                .rank = rank,
                .in = in,
                .matching = matching};
  c.column = ARENA_ARRAY(c.scratch, int, in->unknowns + 1);
  bool found = false;
  Components blocks = components(c.scratch, in, matching);
  for (int k = 0; k < blocks.count; k++) {
    int n = blocks.start[k + 1] - blocks.start[k];
    Combination x;
    if (n < 2) continue;
    for (int i = 0; i < 2 && !c.probe[i]; i++) c.probe[i] = probe_new(m, c.scratch, SPREAD, 1 + i);
    if (!combine_block(&c, a, blocks.member + blocks.start[k], n, &x)) continue;
    if (!found || last_rank(&c, &x) < last_rank(&c, out)) *out = x;
    found = true;
  }
  arena_free(c.scratch);
  return found;
}
