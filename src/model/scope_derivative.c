// de/dt = sum of e_v der(v) over the variables v in e, and e_t. Modes, which are constant between events, and what else
// does not move have no part in it.
#include <math.h>
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

// A variable that is the derivative of another one: der(x) becomes a state, whose derivative is der(der(x)). It has no
// declaration; see add_starts_of_rates in flatten.c.
static int rate_variable(Scope *s, const Ast *at, const Variable *of) {
  Flat *f = s->flat;
  Variable v = {.name = of->derivative_name, .description = "", .unit = "", .nominal = of->nominal};
  Equation e = {.right = of->derivative, .line = at->line, .column = at->column, .description = ""};
  v.kind = VARIABLE_UNKNOWN;
  v.min = -HUGE_VAL, v.max = HUGE_VAL;
  v.line = of->line, v.column = of->column;
  v.node = e.left = expr_symbol(s->g, v.name, true);
  e.residual = expr_sub(s->g, e.left, e.right);
  names_set(f->names, v.name, f->variables.count);
  array_push(f->arena, &f->variables, v);
  array_push(f->arena, &f->equations, e);
  return f->variables.count - 1;
}

static Expr second_derivative(Scope *s, const Ast *at, Expr symbol) {
  const Flat *f = s->flat;
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    if (!v->state || v->derivative != symbol) continue;
    int rate = names_find(f->names, v->derivative_name);
    if (rate >= 0) return scope_rate(s, at, rate).e;
    if (s->context != IN_EQUATION)
      return scope_wrong(s, at, ERR_MODEL, "the derivative of %s does not occur in the equations",
                         v->derivative_name)
          .e;
    return scope_rate(s, at, rate_variable(s, at, v)).e;
  }
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
  if (strncmp(name, "der(", 4) == 0) return second_derivative(s, at, symbol);
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
