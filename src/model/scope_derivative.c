// de/dt = sum of e_v der(v) over the variables v in e, and e_t. Modes, which are constant between events, and what else
// does not move have no part in it.
#include <string.h>

#include "expr/derive.h"
#include "expr/simplify.h"
#include "model/scope.h"

typedef struct SymbolWalk { // over the nodes of an expression
  const Graph *g;
  Arena *arena;
  unsigned char *seen;
  IntArray stack, symbols; // symbols that vary
} SymbolWalk;

static void meet(void *data, Expr e) {
  SymbolWalk *w = data;
  if (w->seen[e] || !expr_varies(w->g, e)) return;
  w->seen[e] = 1;
  array_push(w->arena, &w->stack, e);
  if (w->g->nodes[e].op == OP_SYMBOL) array_push(w->arena, &w->symbols, e);
}

static IntArray varying_symbols(const Graph *g, Arena *a, Expr e) {
  SymbolWalk w = {.g = g, .arena = a, .seen = ARENA_ARRAY(a, unsigned char, g->count)};
  meet(&w, e);
  while (w.stack.count) expr_each_argument(g, w.stack.at[--w.stack.count], meet, &w);
  return w.symbols;
}

static Expr second_derivative(Scope *s, const Ast *at, const char *name) {
  scope_wrong(s, at, ERR_UNSUPPORTED,
              "the derivative of %s is not supported; declare a variable v, write v = %s, and use "
              "der(v)",
              name, name);
  return 0;
}

// der() of a symbol that the expression has a slope by.
static Expr symbol_rate(Scope *s, const Ast *at, Expr symbol) {
  const Flat *f = s->flat;
  if (symbol == f->time) return expr_const(s->g, 1);
  const char *name = s->g->symbols.at[s->g->nodes[symbol].a].name;
  int i = names_find(f->names, name);
  if (i >= 0 && f->variables.at[i].node == symbol) {
    const Variable *v = &f->variables.at[i];
    return v->boolean || v->integer ? expr_const(s->g, 0) : scope_rate(s, at, i).e;
  }
  if (strncmp(name, "der(", 4) == 0) return second_derivative(s, at, name);
  return expr_const(s->g, 0); // a mode
}

Expr total_derivative(Scope *s, const Ast *at, Expr e) {
  Arena *scratch = arena_new();
  IntArray symbols = varying_symbols(s->g, scratch, e);
  Derivatives d = derive_rows(s->g, scratch, &e, 1, symbols.at, symbols.count);
  Expr sum = expr_const(s->g, 0);
  for (int k = 0; k < d.start[1] && !scope_failed(s); k++) {
    Expr rate = symbol_rate(s, at, symbols.at[d.column[k]]);
    sum = expr_add(s->g, sum, expr_mul(s->g, d.value[k], rate));
  }
  arena_free(scratch);
  return sum;
}
