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

typedef struct BlockRows { // rows of a block whose slopes are numbers and parameters, by rank
  int count, columns;
  int *row;                // number of the equation
  int *start;              // count + 1
  IntArray column, slopes; // numbers of unknowns within the block; nodes
} BlockRows;

typedef struct Combiner {
  Model *m;
  Arena *scratch;
  const CombineSystem *of;
  Probe *probe[2];
  int *column; // by unknown: its number + 1 in the block
  // Of all blocks of several equations: their equations by their unknowns.
  int *place;   // by equation: its row in d
  int *unknown; // by column of d
  Derivatives d;
} Combiner;

// ---------------------------------------------------------------- rows

// Derivatives of all blocks at once: one by one they would take as long, each.
static void derive_blocks(Combiner *c, const Components *blocks) {
  int n = c->of->in->equations, rows = 0;
  Expr *from = ARENA_ARRAY(c->scratch, Expr, n + 1), *by = ARENA_ARRAY(c->scratch, Expr, n + 1);
  c->place = ARENA_ARRAY(c->scratch, int, n + 1);
  c->unknown = ARENA_ARRAY(c->scratch, int, n + 1);
  for (int k = 0; k < blocks->count; k++) {
    if (blocks->start[k + 1] - blocks->start[k] < 2) continue;
    for (int i = blocks->start[k]; i < blocks->start[k + 1]; i++) {
      int equation = blocks->member[i];
      c->place[equation] = rows;
      c->unknown[rows] = c->of->matching->unknown_of[equation];
      by[rows] = c->of->symbols[c->unknown[rows]];
      from[rows++] = c->of->residuals[equation];
    }
  }
  if (rows) c->d = derive_rows(c->m->graph, c->scratch, from, rows, by, rows);
}

static int occurring_in(const Combiner *c, int row) {
  int count = 0;
  for (int k = c->of->in->start[row]; k < c->of->in->start[row + 1]; k++)
    count += c->column[c->of->in->unknown[k]] > 0;
  return count;
}

// Adds the row of an equation unless a slope varies, or something is in a relation and has none.
static void add_row(Combiner *c, BlockRows *b, int equation) {
  int row = c->place[equation], before = b->column.count;
  bool constant = true;
  for (int e = c->d.start[row]; e < c->d.start[row + 1]; e++) {
    int column = c->column[c->unknown[c->d.column[e]]] - 1;
    if (column < 0) continue; // of another block
    constant &= !expr_varies(c->m->graph, c->d.value[e]);
    array_push(c->scratch, &b->column, column);
    array_push(c->scratch, &b->slopes, c->d.value[e]);
  }
  int count = b->column.count - before;
  if (!constant || count == 0 || count < occurring_in(c, equation)) {
    b->column.count = b->slopes.count = before;
    return;
  }
  b->row[b->count] = equation;
  b->start[++b->count] = b->column.count;
}

typedef struct RankedItem {
  int rank, number;
} RankedItem;

static int by_rank(const void *a, const void *b) {
  const RankedItem *x = a, *y = b;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static BlockRows list_rows(Combiner *c, const int *member, int n) {
  Arena *a = c->scratch;
  RankedItem *row = ARENA_ARRAY(a, RankedItem, n), *column = ARENA_ARRAY(a, RankedItem, n);
  BlockRows b = {.row = ARENA_ARRAY(a, int, n), .start = ARENA_ARRAY(a, int, n + 1), .columns = n};
  for (int i = 0; i < n; i++) {
    int unknown = c->of->matching->unknown_of[member[i]];
    row[i] = (RankedItem){c->of->equation_rank[member[i]], member[i]};
    column[i] = (RankedItem){c->of->unknown_rank[unknown], unknown};
  }
  qsort(row, (size_t)n, sizeof *row, by_rank);
  qsort(column, (size_t)n, sizeof *column, by_rank);
  for (int i = 0; i < n; i++) c->column[column[i].number] = i + 1;
  for (int i = 0; i < n; i++) add_row(c, &b, row[i].number);
  for (int i = 0; i < n; i++) c->column[column[i].number] = 0;
  return b;
}

// ---------------------------------------------------------------- in numbers

// The first row that depends on those before it at this point: *parts is what of each. -1: none does.
static int first_dependent(Combiner *c, const BlockRows *b, Probe *probe, const double **parts) {
  Echelon *e = echelon_new(c->scratch, b->columns, b->count);
  double *value = ARENA_ARRAY(c->scratch, double, b->columns + 1);
  for (int k = 0; k < b->count; k++) {
    int from = b->start[k], count = b->start[k + 1] - from;
    for (int i = 0; i < count; i++) {
      value[i] = probe_value(probe, b->slopes.at[from + i]);
      if (!isfinite(value[i])) return -1;
    }
    if (echelon_add(e, b->column.at + from, value, count, NULL, 0)) continue;
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
    for (int e = b->start[pick[k]]; e < b->start[pick[k] + 1]; e++)
      row[b->column.at[e]] = b->slopes.at[e];
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
  for (int k = 0; k < count; k++) weight[k] = s.at[(count - 1) * s.width + s.columns + k];
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
  for (int i = 0; i < n; i++) out->unknowns[i] = c->of->matching->unknown_of[member[i]];
  return weights_of(c, &b, pick, count, out->weight);
}

static int last_rank(const Combiner *c, const Combination *x) {
  return c->of->equation_rank[x->row[x->count - 1]];
}

bool find_combination(Model *m, Arena *a, const CombineSystem *system, Combination *out) {
  Combiner c = {.m = m, .scratch = arena_new(), .of = system};
  c.column = ARENA_ARRAY(c.scratch, int, system->in->unknowns + 1);
  bool found = false;
  Components blocks = components(c.scratch, system->in, system->matching);
  derive_blocks(&c, &blocks);
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
