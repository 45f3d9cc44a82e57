#include "model/reduce_combine.h"

#include "expr/replace.h"
#include "expr/simplify.h"
#include "model/combine.h"

// The last derivatives of the equations, by the highest derivatives that are assigned to them.
static bool find_last_combination(Reducer *r, int *last, int *highest, Combination *out) {
  Arena *a = r->scratch;
  int rows = 0, count = r->variables.count, *row_of = ARENA_ARRAY(a, int, r->equations.count + 1);
  int *column = ARENA_ARRAY(a, int, count + 1), *start = ARENA_ARRAY(a, int, r->typed + 2);
  int *rank = ARENA_ARRAY(a, int, r->typed + 1), *unknown_rank = ARENA_ARRAY(a, int, r->typed + 1);
  Expr *residual = ARENA_ARRAY(a, Expr, r->typed + 1), *symbol = ARENA_ARRAY(a, Expr, r->typed + 1);
  for (int k = 0; k < r->typed; k++) {
    int i = k;
    while (r->equations.at[i].next >= 0) i = r->equations.at[i].next;
    row_of[i] = rows;
    if (!r->equations.at[k].e.redundant) last[rows++] = i;
  }
  Matching m = {ARENA_ARRAY(a, int, rows + 1), ARENA_ARRAY(a, int, rows + 1), rows};
  for (int i = 0; i < count; i++) {
    const VariableNode *v = &r->variables.at[i];
    column[i] = -1;
    if (v->next >= 0 || v->equation < 0) continue;
    column[i] = row_of[v->equation]; // numbered as the equations they are assigned to
    highest[column[i]] = i, symbol[column[i]] = v->symbol;
    unknown_rank[column[i]] = sort_rank(r->m->order.variable[v->variable], v->order);
    m.equation_of[column[i]] = m.unknown_of[column[i]] = column[i];
  }
  IntArray found = {0};
  for (int k = 0; k < rows; k++) {
    const EquationNode *n = &r->equations.at[last[k]];
    residual[k] = n->e.residual, rank[k] = n->e.rank;
    for (int i = 0; i < n->nodes.count; i++)
      if (column[n->nodes.at[i]] >= 0) array_push(a, &found, column[n->nodes.at[i]]);
    start[k + 1] = found.count;
  }
  Incidence in = {rows, rows, start, found.at};
  CombineSystem system = {residual, symbol, rank, unknown_rank, &in, &m};
  return find_combination(r->m, a, &system, out);
}

// The equation of `last` that was differentiated `less` times less often.
static const EquationNode *earlier(const Reducer *r, int last, int less) {
  const SortEquation *e = &r->equations.at[last].e;
  int i = e->origin;
  for (int level = 0; level < e->level - less; level++) i = r->equations.at[i].next;
  return &r->equations.at[i];
}

// The sum with the unknowns of the block at 0, which cancel: the equations are linear in them. All of them are
// differentiated `less` times less often.
static Expr sum_without_unknowns(Reducer *r, const Combination *c, const int *last,
                                 const int *highest, int less) {
  Replacer *zero = replacer_new(r->g, r->scratch);
  Expr sum = expr_const(r->g, 0);
  for (int j = 0; j < c->unknown_count; j++) {
    const VariableNode *v = &r->variables.at[highest[c->unknowns[j]]];
    for (int i = 0; i < r->variables.count; i++)
      if (r->variables.at[i].variable == v->variable && r->variables.at[i].order == v->order - less)
        replacer_set(zero, r->variables.at[i].symbol, expr_const(r->g, 0));
  }
  for (int k = 0; k < c->count; k++) {
    Expr residual = earlier(r, last[c->row[k]], less)->e.residual;
    sum = expr_add(r->g, sum, expr_mul(r->g, c->weight[k], replace(zero, residual)));
  }
  return sum;
}

bool can_be_reduced(Reducer *r) {
  Arena *a = r->scratch;
  int *start = ARENA_ARRAY(a, int, r->typed + 1), wanted = 0;
  IntArray found = {0};
  for (int k = 0; k < r->typed; k++) {
    const EquationNode *n = &r->equations.at[k];
    wanted += !n->e.redundant;
    for (int i = 0; i < n->nodes.count && !n->e.redundant; i++)
      array_push(a, &found, r->variables.at[n->nodes.at[i]].variable);
    start[k + 1] = found.count;
  }
  Incidence in = {r->typed, r->m->flat->variables.count, start, found.at};
  return match(a, &in, NULL).count == wanted;
}

// The row to replace: among those that are differentiated least, one with a number as its weight if possible.
static int row_to_replace(const Reducer *r, const Combination *c, const int *last, int less) {
  int best = -1;
  for (int k = 0; k < c->count; k++) {
    if (r->equations.at[last[c->row[k]]].e.level != less) continue;
    bool number = expr_is_const(r->g, c->weight[k]);
    if (best < 0 || (number && !expr_is_const(r->g, c->weight[best]))) best = k;
  }
  return c->row[best];
}

bool find_hidden_equation(Reducer *r, int *typed, Expr *residual) {
  Arena *a = r->scratch;
  Combination c;
  int *last = ARENA_ARRAY(a, int, r->typed + 1), *highest = ARENA_ARRAY(a, int, r->typed + 1);
  if (!find_last_combination(r, last, highest, &c)) return false;
  int less = LEVELS_MOST + 1;
  for (int k = 0; k < c.count; k++) {
    int level = r->equations.at[last[c.row[k]]].e.level;
    if (level < less) less = level;
  }
  *typed = r->equations.at[last[row_to_replace(r, &c, last, less)]].e.origin;
  *residual = without_cancelled(r, sum_without_unknowns(r, &c, last, highest, less));
  return occurrences(r, *residual).count > 0;
}
