#include "expr/newton.h"

#include "expr/derive.h"
#include "expr/replace.h"

void newton_inside(Graph *g, int block) {
  expr_newton_inputs(g, block);
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
