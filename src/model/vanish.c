// An expression is 0 now if a factor of it is: a parameter whose value is 0, or a variable that an equation v = ... says to
// be 0 now. A state vanishes if every factor of its derivative is 0 now; constants that were typed as 0 do not count.
#include "model/vanish.h"

#include "expr/derive.h"
#include "expr/replace.h"

enum { PASSES_MOST = 10 }; // a chain of such variables may be so long

typedef struct Vanish {
  Flat *f;
  Graph *g;
  Arena *scratch;
  unsigned char *zero; // by node: it is 0 now
  int count;           // nodes known so far
  int *equation;       // by symbol number: the equation that says so, counted from 1
  int symbol_count;
  int line, column; // of the equation in which a derivative vanishes
} Vanish;

static bool is_zero(const Vanish *v, Expr e) {
  const ExprNode *n = expr_node(v->g, e);
  switch (n->op) {
  case OP_SYMBOL:
    return expr_varies(v->g, e) ? n->a < v->symbol_count && v->equation[n->a] > 0
                                : flat_value(v->f, e) == 0;
  case OP_MUL: return v->zero[n->a] || v->zero[n->b];
  case OP_DIV: return v->zero[n->a];
  case OP_ADD:
  case OP_SUB: return v->zero[n->a] && v->zero[n->b];
  case OP_NEG: return v->zero[n->a];
  case OP_SELECT: return v->zero[n->b] && v->zero[n->c];
  case OP_CONST: return n->value == 0;
  default: return false;
  }
}

static void find_zeros(Vanish *v) {
  v->count = v->g->count;
  v->zero = ARENA_ARRAY(v->scratch, unsigned char, v->count + 1);
  for (Expr e = 0; e < v->count; e++) v->zero[e] = is_zero(v, e);
}

static bool find_zero_variables(Vanish *v) {
  bool found = false;
  for (int i = 0; i < v->f->equations.count; i++) {
    const Equation *q = &v->f->equations.at[i];
    const ExprNode *n = expr_node(v->g, q->left);
    if (n->op != OP_SYMBOL || !expr_varies(v->g, q->left) || n->a >= v->symbol_count) continue;
    if (v->equation[n->a] || !v->zero[q->right] || expr_is_const(v->g, q->right)) continue;
    v->equation[n->a] = i + 1;
    found = true;
  }
  return found;
}

// Of what makes e 0: parameters, which cannot change any more.
static void mark_evaluated(void *data, Expr e) {
  const Vanish *v = data;
  Flat *f = v->f;
  const ExprNode n = *expr_node(v->g, e);
  if (n.op == OP_SYMBOL && expr_varies(v->g, e)) {
    int equation = n.a < v->symbol_count ? v->equation[n.a] : 0;
    if (equation) mark_evaluated(data, f->equations.at[equation - 1].right);
  } else if (n.op == OP_SYMBOL) {
    int k = names_find(f->parameter_names, v->g->symbols.at[n.a].name);
    if (k < 0 || f->parameters.at[k].evaluated_line) return;
    f->parameters.at[k].evaluated_line = v->line;
    f->parameters.at[k].evaluated_column = v->column;
  } else if (n.op == OP_MUL && expr_varies(v->g, e)) {
    mark_evaluated(data, v->zero[n.a] ? n.a : n.b);
  } else {
    expr_each_argument(v->g, e, mark_evaluated, data);
  }
}

typedef struct VanishingState {
  int variable;
  Expr slope; // by its derivative
  int equation;
  bool vanishes, seen;
} VanishingState;

static int list_candidates(const Vanish *v, VanishingState *list, Expr *rate) {
  int count = 0;
  for (int i = 0; i < v->f->variables.count; i++) {
    const Variable *of = &v->f->variables.at[i];
    if (!of->state || of->now || of->computed) continue;
    rate[count] = of->derivative;
    list[count++] = (VanishingState){.variable = i};
  }
  return count;
}

static int find_candidates(Vanish *v, VanishingState *list) {
  int n = v->f->equations.count;
  Expr *residual = ARENA_ARRAY(v->scratch, Expr, n + 1);
  Expr *rate = ARENA_ARRAY(v->scratch, Expr, v->f->variables.count + 1);
  for (int i = 0; i < n; i++) residual[i] = v->f->equations.at[i].residual;
  int count = list_candidates(v, list, rate);
  Derivatives d = derive_rows(v->g, v->scratch, residual, n, rate, count);
  find_zeros(v); // the slopes are new
  for (int i = 0; i < n; i++)
    for (int k = d.start[i]; k < d.start[i + 1]; k++) {
      VanishingState *c = &list[d.column[k]];
      bool zero = v->zero[d.value[k]] && !expr_is_const(v->g, d.value[k]);
      c->vanishes = zero && (c->vanishes || !c->seen);
      c->seen = true;
      if (zero) c->slope = d.value[k], c->equation = i;
    }
  return count;
}

void drop_vanishing_states(Flat *f) {
  if (!flat_has_components(f)) return;
  Vanish v = {.f = f, .g = f->graph, .scratch = arena_new()};
  v.symbol_count = f->graph->symbols.count;
  v.equation = ARENA_ARRAY(v.scratch, int, v.symbol_count + 1);
  find_zeros(&v);
  for (int pass = 0; pass < PASSES_MOST && find_zero_variables(&v); pass++) find_zeros(&v);
  VanishingState *list = ARENA_ARRAY(v.scratch, VanishingState, f->variables.count + 1);
  int count = find_candidates(&v, list);
  Replacer *r = replacer_new(f->graph, v.scratch);
  bool any = false;
  for (int k = 0; k < count; k++) {
    if (!list[k].vanishes) continue;
    Variable *of = &f->variables.at[list[k].variable];
    const Equation *q = &f->equations.at[list[k].equation];
    v.line = q->line, v.column = q->column;
    mark_evaluated(&v, list[k].slope);
    replacer_set(r, of->derivative, expr_const(f->graph, 0));
    of->state = false, of->derivative = 0;
    any = true;
  }
  if (any) flat_replace(f, r);
  arena_free(v.scratch);
}
