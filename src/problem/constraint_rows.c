#include "problem/constraint_rows.h"

#include <math.h>
#include <string.h>

#include "expr/derive.h"
#include "expr/range.h"

// ---------------------------------------------------------------- making

static void mark_argument(void *data, Expr e) {
  ((bool *)data)[e] = true;
}

static void mark_needed(const Graph *g, const Expr *outputs, int count, Expr last, bool *needed) {
  for (int i = 0; i < count; i++) needed[outputs[i]] = true;
  for (Expr e = last; e >= 0; e--)
    if (needed[e]) expr_each_argument(g, e, mark_argument, needed);
}

static ExprNode leaf_node(Expr symbol, const ConstraintLeaf *leaves, int count) {
  for (int i = 0; i < count; i++) {
    if (leaves[i].symbol != symbol) continue;
    if (leaves[i].number >= 0) return (ExprNode){.op = OP_SYMBOL, .a = leaves[i].number};
    return (ExprNode){.op = OP_CONST, .value = leaves[i].value};
  }
  return (ExprNode){.op = OP_CONST,
                    .value = nan("")}; // never used: the reader rejects other symbols
}

ConstraintRow constraint_row(Arena *a, Graph *g, Expr e, const ConstraintLeaf *leaves, int count,
                             bool without_slopes) {
  ConstraintRow row = {.slope = ARENA_ARRAY(a, int, count + 1),
                       .number = ARENA_ARRAY(a, int, count + 1)};
  Arena *scratch = arena_new();
  Expr *outputs = ARENA_ARRAY(scratch, Expr, count + 1), last = e;
  outputs[0] = e;
  for (int i = 0; i < count && !without_slopes; i++) {
    if (leaves[i].number < 0) continue;
    row.number[row.slope_count++] = leaves[i].number;
    outputs[row.slope_count] = derive(g, e, leaves[i].symbol);
    if (outputs[row.slope_count] > last) last = outputs[row.slope_count];
  }
  bool *needed = ARENA_ARRAY(scratch, bool, last + 1);
  int *place = ARENA_ARRAY(scratch, int, last + 1);
  mark_needed(g, outputs, row.slope_count + 1, last, needed);
  int room = 1;
  for (Expr k = 0; k <= last; k++) room += needed[k];
  row.nodes = ARENA_ARRAY(a, ExprNode, room);
  for (Expr k = 0; k <= last; k++) {
    if (!needed[k]) continue;
    ExprNode n = *expr_node(g, k);
    place[k] = row.count;
    if (n.op == OP_SYMBOL)
      n = leaf_node(k, leaves, count);
    else
      n.a = place[n.a], n.b = place[n.b], n.c = place[n.c];
    row.nodes[row.count++] = n;
  }
  for (int i = 0; i < row.slope_count; i++) row.slope[i] = place[outputs[i + 1]];
  row.value = place[e];
  arena_free(scratch);
  return row;
}

bool constraint_is_linear(const ConstraintRow *row) {
  for (int i = 0; i < row->slope_count; i++)
    if (row->nodes[row->slope[i]].op != OP_CONST) return false;
  return true;
}

// ---------------------------------------------------------------- values

static void run(const ConstraintRow *row, const double *x, double *v) {
  for (int i = 0; i < row->count; i++) {
    const ExprNode *n = &row->nodes[i];
    if (n->op == OP_CONST)
      v[i] = n->value;
    else if (n->op == OP_SYMBOL)
      v[i] = x[n->a];
    else
      v[i] = op_apply((Op)n->op, v[n->a], v[n->b], v[n->c]);
  }
}

static int longest(const ConstraintRow *rows, int count) {
  int most = 1;
  for (int k = 0; k < count; k++)
    if (rows[k].count > most) most = rows[k].count;
  return most;
}

void problem_constraints(const Problem *p, const double *x, double *c, double *C) {
  const ProblemConstraints *all = &p->constraints;
  int rows = all->equalities + all->inequalities, n = p->unknown_count;
  if (!rows) return;
  Arena *scratch = arena_new();
  double *v = ARENA_ARRAY(scratch, double, longest(all->rows, rows));
  for (int k = 0; k < rows; k++) {
    const ConstraintRow *row = &all->rows[k];
    run(row, x, v);
    c[k] = v[row->value];
    if (!C) continue;
    memset(C + (size_t)k * n, 0, (size_t)n * sizeof *C);
    for (int i = 0; i < row->slope_count; i++)
      C[(size_t)k * n + row->number[i]] += v[row->slope[i]];
  }
  arena_free(scratch);
}

double constraint_row_value(const ConstraintRow *row, const double *x) {
  Arena *scratch = arena_new();
  double *v = ARENA_ARRAY(scratch, double, row->count);
  run(row, x, v);
  double value = v[row->value];
  arena_free(scratch);
  return value;
}

double constraint_value(const Problem *p, int k, const double *x) {
  return constraint_row_value(p->constraints.at[k].shown, x);
}

static bool nodes_equal(const ExprNode *a, const ExprNode *b) {
  if (a->op != b->op) return false;
  if (a->op == OP_CONST) return a->value == b->value;
  return a->a == b->a && (a->op == OP_SYMBOL || (a->b == b->b && a->c == b->c));
}

bool constraint_rows_equal(const ConstraintRow *a, const ConstraintRow *b) {
  bool equal = a->count == b->count && a->value == b->value;
  for (int i = 0; i < a->count && equal; i++) equal = nodes_equal(&a->nodes[i], &b->nodes[i]);
  return equal;
}

// ---------------------------------------------------------------- states

// A relative change of the unknowns by this takes a row to 0.
static const double ACTIVE_TOL = 1e-6;

static ConstraintState row_state(const Problem *p, const double *x, const double *c,
                                 const double *C, int k) {
  double size = 0;
  for (int i = 0; i < p->unknown_count; i++)
    size += fabs(C[(size_t)k * p->unknown_count + i]) *
            fmax(fabs(x[i]), 1e-3 * fabs(p->unknowns[i].start));
  bool equality = k < p->constraints.equalities;
  if (fabs(c[k]) <= ACTIVE_TOL * size) return CONSTRAINT_ACTIVE; // written so that NaN is violated
  return !equality && c[k] > 0 ? CONSTRAINT_SLACK : CONSTRAINT_VIOLATED;
}

int problem_active_constraints(const Problem *p, const double *x, double *C) {
  const ProblemConstraints *all = &p->constraints;
  int rows = all->equalities + all->inequalities, n = p->unknown_count, count = 0;
  Arena *scratch = arena_new();
  double *c = ARENA_ARRAY(scratch, double, rows + 1);
  problem_constraints(p, x, c, C);
  for (int k = 0; k < rows; k++) {
    bool holds = k < all->equalities || row_state(p, x, c, C, k) == CONSTRAINT_ACTIVE;
    if (holds) memmove(C + (size_t)count++ * n, C + (size_t)k * n, (size_t)n * sizeof *C);
  }
  arena_free(scratch);
  return count;
}

ConstraintState constraint_state(const Problem *p, int k, const double *x) {
  const ProblemConstraints *all = &p->constraints;
  const Constraint *one = &all->at[k];
  int rows = all->equalities + all->inequalities;
  Arena *scratch = arena_new();
  double *c = ARENA_ARRAY(scratch, double, rows);
  double *C = ARENA_ARRAY(scratch, double, (size_t)rows *(size_t)p->unknown_count + 1);
  problem_constraints(p, x, c, C);
  ConstraintState worst = CONSTRAINT_SLACK;
  for (int i = 0; i < one->row_count; i++) {
    ConstraintState s = row_state(p, x, c, C, one->rows[i]);
    if (s > worst) worst = s;
  }
  arena_free(scratch);
  return worst;
}

bool problem_satisfied(const Problem *p, const double *x) {
  for (int k = 0; k < p->constraints.count; k++)
    if (constraint_state(p, k, x) == CONSTRAINT_VIOLATED) return false;
  return true;
}

const char *constraint_state_word(ConstraintState s) {
  static const char *const WORDS[] = {"slack", "active", "violated"};
  return WORDS[s];
}

// ---------------------------------------------------------------- ranges

void constraint_range(const ConstraintRow *row, const Unknown *free, double *low, double *high) {
  Arena *scratch = arena_new();
  OpRange *r = ARENA_ARRAY(scratch, OpRange, row->count);
  for (int i = 0; i < row->count; i++) {
    const ExprNode *n = &row->nodes[i];
    if (n->op == OP_CONST)
      r[i] = (OpRange){n->value, n->value};
    else if (n->op == OP_SYMBOL)
      r[i] = (OpRange){free[n->a].min, free[n->a].max};
    else
      r[i] = op_range((Op)n->op, r[n->a], r[n->b], n->a == n->b);
    if (isnan(r[i].low) || isnan(r[i].high)) r[i] = (OpRange){-HUGE_VAL, HUGE_VAL};
  }
  *low = r[row->value].low, *high = r[row->value].high;
  arena_free(scratch);
}
