#include "model/surface.h"

#include <math.h>

#include "expr/simplify.h"
#include "model/probe.h"

enum { PROBES = 3 };
static const double SAME_RATIO = 1e-9; // relative; above rounding errors of switching functions

static bool is_candidate(const Event *e) {
  return e->kind != EVENT_FLOOR && !e->of_table;
}

// 1 and -1: proportional with this sign, 0: not proportional. value: by probe and event.
static int same_surface(double *const value[PROBES], int j, int k) {
  double first = value[0][j] / value[0][k];
  if (!isfinite(first) || first == 0) return 0;
  for (int i = 1; i < PROBES; i++)
    if (!(fabs(value[i][j] / value[i][k] - first) <= SAME_RATIO * fabs(first))) return 0;
  return first > 0 ? 1 : -1;
}

// 1 and -1: the same expression, or its negative, whatever modes it contains.
static int same_expression(Graph *g, Expr a, Expr b) {
  if (a == b) return 1;
  return expr_neg(g, a) == b || a == expr_neg(g, b) ? -1 : 0;
}

// Between events some functions stand still; two that contain modes may look proportional near the start only.
static bool contains_mode(const Model *m, Arena *scratch, Expr e) {
  const unsigned char *inside = expr_contents(m->graph, scratch, &e, 1);
  for (int k = 0; k < m->ne; k++)
    if (inside[m->flat->events.at[k].mode]) return true;
  return false;
}

Surfaces surfaces_find(Model *m, Arena *a) {
  int ne = m->ne;
  Surfaces s = {ARENA_ARRAY(a, int, ne + 1),
                ARENA_ARRAY(a, int, ne + 1),
                ARENA_ARRAY(a, int, ne + 1),
                ARENA_ARRAY(a, int, ne + 1),
                0,
                false};
  Arena *scratch = arena_new();
  double *value[PROBES];
  bool *plain = ARENA_ARRAY(scratch, bool, ne + 1);
  for (int i = 0; i < PROBES && ne; i++) {
    Probe *p = probe_new(m, scratch, 0.1, i);
    value[i] = ARENA_ARRAY(scratch, double, ne + 1);
    for (int k = 0; k < ne; k++) value[i][k] = probe_value(p, m->switching[k]);
  }
  for (int k = 0; k < ne; k++) {
    s.row[k] = -1;
    s.of[k] = is_candidate(&m->flat->events.at[k]) ? k : -1;
    s.side[k] = 1;
    plain[k] = s.of[k] == k && !contains_mode(m, scratch, m->switching[k]);
    for (int j = 0; j < k && s.of[k] == k; j++) {
      if (s.of[j] != j) continue;
      int side = plain[k] && plain[j] ? same_surface(value, k, j)
                                      : same_expression(m->graph, m->switching[k], m->switching[j]);
      if (side) s.of[k] = j, s.side[k] = side;
    }
  }
  arena_free(scratch);
  return s;
}

// ---------------------------------------------------------------- linear in modes

// 0: contains none of the modes, 1: linear in them, BENT: neither.
enum { BENT = 2 };

static int larger(int a, int b) {
  return a > b ? a : b;
}

static int most_of(const signed char *degree, const Expr *list, int count) {
  int most = 0;
  for (int i = 0; i < count; i++) most = larger(most, degree[list[i]]);
  return most;
}

static int degree_of_block(const Graph *g, const signed char *degree, const ExprBlock *b) {
  if (b->kind == EXPR_NEWTON) return most_of(degree, b->residuals, b->n) ? BENT : 0;
  const ExprBlock *factor = &g->blocks.at[b->factor];
  return most_of(degree, factor->matrix, b->n * b->n) ? BENT : most_of(degree, b->right, b->n);
}

static int degree_of_node(const Graph *g, const signed char *degree, const ExprNode *n) {
  const int a = n->a, b = n->b, c = n->c;
  switch (n->op) {
  case OP_CONST:
  case OP_SYMBOL: return 0;
  case OP_ADD:
  case OP_SUB: return larger(degree[a], degree[b]);
  case OP_NEG: return degree[a];
  case OP_MUL: return degree[a] + degree[b];
  case OP_DIV: return degree[b] ? BENT : degree[a];
  case OP_SELECT: return degree[a] ? BENT : larger(degree[b], degree[c]);
  case OP_SOLVED: return degree_of_block(g, degree, &g->blocks.at[a]);
  default: {
    const int operand[] = {a, b, c};
    int most = 0;
    for (int i = 0; i < OPS[n->op].args; i++) most = larger(most, degree[operand[i]]);
    return most ? BENT : 0;
  }
  }
}

bool surfaces_bend(const Graph *g, Arena *scratch, const Expr *modes, int mode_count,
                   const Expr *list, int count) {
  int last = 0;
  bool bends = false;
  for (int i = 0; i < count; i++) last = list[i] > last ? list[i] : last;
  signed char *degree = ARENA_ARRAY(scratch, signed char, last + 1);
  for (int i = 0; i < mode_count; i++)
    if (modes[i] <= last) degree[modes[i]] = 1;
  for (Expr e = 0; e <= last; e++) {
    if (degree[e]) continue; // a mode
    int d = degree_of_node(g, degree, &g->nodes[e]);
    degree[e] = (signed char)(d > BENT ? BENT : d);
  }
  for (int i = 0; i < count; i++) bends |= degree[list[i]] == BENT;
  return bends;
}
