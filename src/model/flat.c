#include "model/flat.h"

#include <math.h>
#include <string.h>

// Values are kept by node: parameters have theirs as soon as their symbol exists, and never change.
double flat_value(Flat *f, Expr e) {
  const Graph *g = f->graph;
  if (f->value_room <= e) {
    int room = 2 * g->count;
    double *grown = ARENA_ARRAY(f->arena, double, room);
    if (f->value_count) memcpy(grown, f->values, (size_t)f->value_count * sizeof *grown);
    f->values = grown;
    f->value_room = room;
  }
  for (; f->value_count <= e; f->value_count++) {
    const ExprNode *n = expr_node(g, f->value_count);
    double *v = f->values;
    if (n->op == OP_CONST)
      v[f->value_count] = n->value;
    else if (OPS[n->op].args)
      v[f->value_count] = expr_apply(g, n, v[n->a], v[n->b], v[n->c]);
    else
      v[f->value_count] = nan(""); // varies
  }
  return f->values[e];
}

bool flat_number(Flat *f, Expr e, double *value) {
  const Graph *g = f->graph;
  Arena *scratch = arena_new();
  bool *needed = ARENA_ARRAY(scratch, bool, e + 1), numbers = true;
  needed[e] = true;
  for (Expr i = e; numbers && i >= 0; i--) { // arguments come before their node
    const ExprNode *n = expr_node(g, i);
    if (!needed[i] || n->op == OP_CONST) continue;
    numbers = OPS[n->op].args > 0;
    for (int k = 0; numbers && k < expr_arg_count(g, i); k++) needed[expr_arg(g, i, k)] = true;
  }
  arena_free(scratch);
  *value = flat_value(f, e);
  return numbers;
}

LineName flat_line(const Flat *f, int line) {
  LineName n;
  source_line_name(f->source, line, n.at);
  return n;
}
