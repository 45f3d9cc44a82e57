// A NEWTON block r(z, u) = 0 by the implicit function theorem: dz/du = -r_z^-1 r_u at the solution. The derivatives are
// taken in the unknowns z; SOLVED nodes then take their place.
#include "expr/newton.h"

#include <string.h>

#include "expr/derive.h"
#include "expr/replace.h"

typedef struct InputSearch {
  const Graph *g;
  Arena *arena;
  const unsigned char *depends;
  unsigned char *seen;
  IntArray stack, inputs;
} InputSearch;

static void find_input(void *data, Expr e) {
  InputSearch *s = data;
  if (s->seen[e] || expr_is_const(s->g, e)) return;
  s->seen[e] = 1;
  if (s->depends[e])
    array_push(s->arena, &s->stack, e);
  else
    array_push(s->arena, &s->inputs, e);
}

static void derive_dense(Graph *g, Arena *a, const Expr *outputs, int rows, const Expr *by,
                         int columns, Expr *dense) {
  memset(dense, 0, (size_t)rows * (size_t)columns * sizeof *dense); // node 0 is the number 0
  Derivatives d = derive_rows(g, a, outputs, rows, by, columns);
  for (int i = 0; i < rows; i++)
    for (int k = d.start[i]; k < d.start[i + 1]; k++) dense[i * columns + d.column[k]] = d.value[k];
}

static void at_solution(Graph *g, Arena *scratch, const ExprBlock *b, Expr *values, int count) {
  Replacer *r = replacer_new(g, scratch);
  for (int i = 0; i < b->n; i++) replacer_set(r, b->unknowns[i], b->first + i);
  for (int i = 0; i < count; i++) values[i] = replace(r, values[i]);
}

void newton_inputs(Graph *g, int block) {
  ExprBlock *b = &g->blocks.at[block];
  if (b->inputs) return;
  Arena *scratch = arena_new();
  InputSearch s = {.g = g, .arena = scratch};
  s.depends = expr_dependents(g, scratch, b->unknowns, b->n);
  s.seen = ARENA_ARRAY(scratch, unsigned char, g->count);
  for (int i = 0; i < b->n; i++) find_input(&s, b->residuals[i]);
  while (s.stack.count) expr_each_argument(g, s.stack.at[--s.stack.count], find_input, &s);
  b->input_count = s.inputs.count;
  b->inputs = ARENA_ARRAY(g->arena, Expr, s.inputs.count + 1);
  if (s.inputs.count) memcpy(b->inputs, s.inputs.at, (size_t)s.inputs.count * sizeof(Expr));
  arena_free(scratch);
}

void newton_inside(Graph *g, int block) {
  newton_inputs(g, block);
  ExprBlock b = g->blocks.at[block];
  if (b.inside) return;
  Arena *scratch = arena_new();
  Replacer *r = replacer_new(g, scratch);
  b.inside = ARENA_ARRAY(g->arena, Expr, b.n + b.n * b.n);
  b.inside_inputs = ARENA_ARRAY(g->arena, Expr, b.input_count + 1);
  for (int i = 0; i < b.input_count; i++) {
    b.inside_inputs[i] = expr_symbol(g, "input", expr_varies(g, b.inputs[i]));
    replacer_hold(r, b.inputs[i], b.inside_inputs[i]);
  }
  for (int i = 0; i < b.n; i++) b.inside[i] = replace(r, b.residuals[i]);
  derive_dense(g, scratch, b.inside, b.n, b.unknowns, b.n, b.inside + b.n);
  g->blocks.at[block].inside = b.inside;
  g->blocks.at[block].inside_inputs = b.inside_inputs;
  arena_free(scratch);
}

void newton_linearise(Graph *g, int block) {
  if (g->blocks.at[block].factor_at_solution >= 0) return;
  newton_inputs(g, block);
  Arena *scratch = arena_new();
  ExprBlock b = g->blocks.at[block];
  Expr *by_unknown = ARENA_ARRAY(scratch, Expr, b.n * b.n);
  derive_dense(g, scratch, b.residuals, b.n, b.unknowns, b.n, by_unknown);
  Expr *by_input = ARENA_ARRAY(g->arena, Expr, b.n * b.input_count + 1);
  derive_dense(g, scratch, b.residuals, b.n, b.inputs, b.input_count, by_input);
  at_solution(g, scratch, &b, by_unknown, b.n * b.n);
  at_solution(g, scratch, &b, by_input, b.n * b.input_count);
  int factor = expr_factor(g, b.n, by_unknown);
  g->blocks.at[block].by_input = by_input;
  g->blocks.at[block].factor_at_solution = factor;
  arena_free(scratch);
}
