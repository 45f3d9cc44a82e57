// Method: equations that are linear in unknowns and derivatives, with coefficients of numbers and parameters, are rows.
// Elimination solves each for one of its variables: a derivative or an algebraic variable if there is one, else the
// state that is least wanted. That state is then a combination of others, and so is its derivative, which may relate more
// derivatives to each other (w = der(phi)): this is repeated until nothing is found.
#include "model/states.h"

#include <math.h>
#include <string.h>

#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"

enum {
  TERMS_MOST = 12, // of a row; longer ones tell little and cost much
  PASSES_MOST = 30,
};

typedef struct LinearTerm {
  int column;
  Expr coefficient;
} LinearTerm;

typedef struct LinearRow { // the sum of the terms, and rest, is 0
  LinearTerm term[TERMS_MOST];
  int count;
  Expr rest;
} LinearRow;

typedef struct StateChoice {
  Flat *f;
  Graph *g;
  Arena *scratch;
  int columns;    // 2*variable: the variable, 2*variable + 1: its derivative
  int *column_of; // by symbol number, -1: none
  int symbol_count;
  int *wanted; // by column: how much it should stay
  LinearRow *rows;
  int row_count;
  int *pivot_row; // by column, -1: none
} StateChoice;

// ---------------------------------------------------------------- what is wanted

static const AstAttribute *attribute_of(const AstDeclaration *d, const char *name) {
  for (int i = 0; i < d->attributes.count; i++)
    if (strcmp(d->attributes.at[i].name, name) == 0) return &d->attributes.at[i];
  return NULL;
}

static int select_rank(const AstDeclaration *d) {
  const AstAttribute *a = attribute_of(d, "stateSelect");
  const char *word = a && a->value->kind == AST_NAME ? a->value->name : "";
  const char *dot = strrchr(word, '.');
  word = dot ? dot + 1 : word;
  return strcmp(word, "always") == 0   ? 50
         : strcmp(word, "prefer") == 0 ? 40
         : strcmp(word, "avoid") == 0  ? 10
         : strcmp(word, "never") == 0  ? 2
                                       : 20;
}

static int rank_of(const StateChoice *c, int variable) {
  const Variable *v = &c->f->variables.at[variable];
  if (!v->state) return 1;
  if (v->now) return 100; // discrete
  for (int i = 0; i < c->f->reinits.count; i++)
    if (c->f->reinits.at[i].variable == variable) return 100;
  if (variable >= c->f->ast->declarations.count || v->computed) return 100;
  const AstDeclaration *d = &c->f->ast->declarations.at[variable];
  return select_rank(d) + (v->fixed ? 5 : 0) + (attribute_of(d, "start") ? 2 : 0);
}

static void set_columns(StateChoice *c) {
  const Flat *f = c->f;
  int n = f->variables.count;
  c->symbol_count = c->g->symbols.count;
  c->column_of = ARENA_ARRAY(c->scratch, int, c->symbol_count + 1);
  c->wanted = ARENA_ARRAY(c->scratch, int, 2 * n + 1);
  c->columns = 2 * n;
  for (int i = 0; i < c->symbol_count; i++) c->column_of[i] = -1;
  for (int i = 0; i < n; i++) {
    const Variable *v = &f->variables.at[i];
    if (v->kind != VARIABLE_UNKNOWN || v->boolean || v->integer) continue;
    c->column_of[expr_node(c->g, v->node)->a] = 2 * i;
    c->wanted[2 * i] = rank_of(c, i);
    if (v->state) c->column_of[expr_node(c->g, v->derivative)->a] = 2 * i + 1;
  }
}

// ---------------------------------------------------------------- rows

static bool only_time(const StateChoice *c, Expr e, int *left) {
  if (!expr_varies(c->g, e)) return true;
  if (--*left < 0) return false;
  const ExprNode *n = expr_node(c->g, e);
  if (n->op == OP_SYMBOL) return e == c->f->time;
  if (n->op == OP_SOLVED) return false;
  for (int i = 0; i < expr_arg_count(c->g, e); i++)
    if (!only_time(c, expr_arg(c->g, e, i), left)) return false;
  return true;
}

static bool add_term(const StateChoice *c, LinearRow *r, int column, Expr coefficient) {
  for (int i = 0; i < r->count; i++) {
    if (r->term[i].column != column) continue;
    Expr sum = expr_add(c->g, r->term[i].coefficient, coefficient);
    if (expr_is_value(c->g, sum, 0)) {
      r->term[i] = r->term[--r->count];
      return true;
    }
    // a sum of parameters that vanishes at their values only decides nothing
    if (!(fabs(flat_value(c->f, sum)) > 1e-9 * fabs(flat_value(c->f, coefficient)))) return false;
    r->term[i].coefficient = sum;
    return true;
  }
  if (r->count == TERMS_MOST) return false;
  r->term[r->count++] = (LinearTerm){column, coefficient};
  return true;
}

// factor*e as terms and a rest. false: it is not linear, or contains what is no unknown.
static bool decompose(const StateChoice *c, LinearRow *r, Expr e, Expr factor, int *left) {
  Graph *g = c->g;
  int steps = 50;
  if (--*left < 0) return false;
  if (!expr_varies(g, e) || only_time(c, e, &steps)) {
    r->rest = expr_add(g, r->rest, expr_mul(g, factor, e));
    return true;
  }
  ExprNode n = *expr_node(g, e);
  switch (n.op) {
  case OP_SYMBOL: {
    int column = n.a < c->symbol_count ? c->column_of[n.a] : -1;
    return column >= 0 && add_term(c, r, column, factor);
  }
  case OP_ADD: return decompose(c, r, n.a, factor, left) && decompose(c, r, n.b, factor, left);
  case OP_SUB:
    return decompose(c, r, n.a, factor, left) && decompose(c, r, n.b, expr_neg(g, factor), left);
  case OP_NEG: return decompose(c, r, n.a, expr_neg(g, factor), left);
  case OP_MUL:
    if (!expr_varies(g, n.a)) return decompose(c, r, n.b, expr_mul(g, factor, n.a), left);
    return !expr_varies(g, n.b) && decompose(c, r, n.a, expr_mul(g, factor, n.b), left);
  case OP_DIV: return !expr_varies(g, n.b) && decompose(c, r, n.a, expr_div(g, factor, n.b), left);
  default: return false;
  }
}

// row += factor*(the row that is solved for the column); that column leaves the row.
static bool substitute(const StateChoice *c, LinearRow *r, int term) {
  const LinearRow *by = &c->rows[c->pivot_row[r->term[term].column]];
  Expr factor = expr_neg(c->g, r->term[term].coefficient);
  int column = r->term[term].column;
  r->term[term] = r->term[--r->count];
  for (int i = 0; i < by->count; i++)
    if (by->term[i].column != column &&
        !add_term(c, r, by->term[i].column, expr_mul(c->g, factor, by->term[i].coefficient)))
      return false;
  r->rest = expr_add(c->g, r->rest, expr_mul(c->g, factor, by->rest));
  return true;
}

static bool reduce(const StateChoice *c, LinearRow *r, int own) {
  for (int steps = 0; steps < 100; steps++) {
    int found = -1;
    for (int i = 0; i < r->count && found < 0; i++)
      if (r->term[i].column != own && c->pivot_row[r->term[i].column] >= 0) found = i;
    if (found < 0) return true;
    if (!substitute(c, r, found)) return false;
  }
  return false;
}

// The term that is least wanted; of equals the one that is declared last.
static int pivot_of(const StateChoice *c, const LinearRow *r) {
  int best = -1;
  for (int i = 0; i < r->count; i++) {
    double value = flat_value(c->f, r->term[i].coefficient);
    if (!(isfinite(value) && value != 0)) continue;
    int a = c->wanted[r->term[i].column], b = best < 0 ? 0 : c->wanted[r->term[best].column];
    if (best < 0 || a < b || (a == b && r->term[i].column > r->term[best].column)) best = i;
  }
  return best;
}

static void add_row(StateChoice *c, Expr residual) {
  LinearRow r = {.rest = expr_const(c->g, 0)};
  int left = 60;
  if (!decompose(c, &r, residual, expr_const(c->g, 1), &left) || !reduce(c, &r, -1)) return;
  int pivot = pivot_of(c, &r);
  if (pivot < 0) return;
  Expr divide = r.term[pivot].coefficient;
  for (int i = 0; i < r.count; i++)
    r.term[i].coefficient = expr_div(c->g, r.term[i].coefficient, divide);
  r.rest = expr_div(c->g, r.rest, divide);
  c->pivot_row[r.term[pivot].column] = c->row_count;
  c->rows[c->row_count++] = r;
}

// ---------------------------------------------------------------- states that follow

// The derivative of a state that its row gives by other states. false: a variable in it is no state.
static bool derivative_of(const StateChoice *c, int column, Expr *out) {
  LinearRow r = c->rows[c->pivot_row[column]];
  if (!reduce(c, &r, column)) return false;
  Expr sum = derive(c->g, r.rest, c->f->time);
  for (int i = 0; i < r.count; i++) {
    if (r.term[i].column == column) continue;
    const Variable *v = &c->f->variables.at[r.term[i].column / 2];
    if (r.term[i].column % 2 || !v->state || v->now) return false;
    sum = expr_add(c->g, sum, expr_mul(c->g, r.term[i].coefficient, v->derivative));
  }
  *out = expr_neg(c->g, sum);
  return true;
}

static bool one_pass(Flat *f) {
  Arena *scratch = arena_new();
  StateChoice c = {.f = f, .g = f->graph, .scratch = scratch};
  set_columns(&c);
  c.rows = ARENA_ARRAY(scratch, LinearRow, f->equations.count + 1);
  c.pivot_row = ARENA_ARRAY(scratch, int, c.columns + 1);
  for (int i = 0; i < c.columns; i++) c.pivot_row[i] = -1;
  for (int i = 0; i < f->equations.count; i++) add_row(&c, f->equations.at[i].residual);
  Replacer *r = replacer_new(f->graph, scratch);
  int n = f->variables.count, found = 0;
  int *gone = ARENA_ARRAY(scratch, int, n + 1);
  Expr *rate = ARENA_ARRAY(scratch, Expr, n + 1);
  for (int i = 0; i < n; i++) {
    const Variable *v = &f->variables.at[i];
    bool candidate = v->kind == VARIABLE_UNKNOWN && v->state && c.pivot_row[2 * i] >= 0;
    if (candidate && c.wanted[2 * i] < 50 && derivative_of(&c, 2 * i, &rate[found]))
      gone[found++] = i;
  }
  for (int k = 0; k < found; k++) replacer_set(r, f->variables.at[gone[k]].derivative, rate[k]);
  if (found) flat_replace(f, r);
  for (int k = 0; k < found; k++) f->variables.at[gone[k]].state = false;
  arena_free(scratch);
  return found > 0;
}

// ---------------------------------------------------------------- states that are wished for

// stateSelect = prefer or always of a variable whose derivative does not occur: it is a state on trial.
static bool is_wished(const Flat *f, int variable) {
  const Variable *v = &f->variables.at[variable];
  if (v->kind != VARIABLE_UNKNOWN || v->state || v->boolean || v->integer || v->computed ||
      variable >= f->ast->declarations.count)
    return false;
  return select_rank(&f->ast->declarations.at[variable]) >= 40;
}

static void make_state(Flat *f, Variable *v) {
  v->state = true;
  v->derivative_name = arena_print(f->arena, "der(%s)", v->name);
  v->derivative = expr_symbol(f->graph, v->derivative_name, true);
}

typedef struct Reached {
  const Graph *g;
  unsigned char *node;
} Reached;

static void reach(void *data, Expr *e) {
  ((Reached *)data)->node[*e] = 1;
}

static void reach_argument(void *data, Expr e) {
  ((Reached *)data)->node[e] = 1;
}

// Those that took no other's place are none after all.
static void end_trial(Flat *f, const bool *wished) {
  Arena *scratch = arena_new();
  Reached r = {f->graph, ARENA_ARRAY(scratch, unsigned char, f->graph->count + 1)};
  flat_visit(f, reach, &r);
  for (Expr e = f->graph->count - 1; e > 0; e--)
    if (r.node[e]) expr_each_argument(f->graph, e, reach_argument, &r);
  for (int i = 0; i < f->variables.count; i++) {
    Variable *v = &f->variables.at[i];
    if (wished[i] && !(v->state && r.node[v->derivative])) v->state = false, v->derivative = 0;
  }
  arena_free(scratch);
}

void choose_states(Flat *f) {
  bool any = false;
  if (!flat_has_components(f)) return;
  bool *wished = ARENA_ARRAY(f->arena, bool, f->variables.count + 1);
  for (int i = 0; i < f->variables.count; i++)
    if ((wished[i] = is_wished(f, i))) make_state(f, &f->variables.at[i]), any = true;
  for (int pass = 0; pass < PASSES_MOST && one_pass(f); pass++) {
  }
  if (any) end_trial(f, wished);
}
