#include "expr/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/replace.h"

// ---------------------------------------------------------------- partial derivatives

// Partial derivative of node e (op(a, b, c)) by its argument number i.
typedef Expr Partial(Graph *g, Expr e, Expr a, Expr b, int i);

static Expr one(Graph *g) { return expr_const(g, 1); }
static Expr reciprocal(Graph *g, Expr a) { return expr_div(g, one(g), a); }
static Expr square(Graph *g, Expr a) { return expr_mul(g, a, a); }

static Expr singular_unless_positive(Graph *g, Expr e, Expr argument) {
  return expr_is_positive(g, argument) ? e : expr_mark_singular(g, e);
}

static Expr d_add(Graph *g, Expr e, Expr a, Expr b, int i) { return (void)e, (void)a, (void)b, (void)i, one(g); }
static Expr d_sub(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)a, (void)b, expr_const(g, i ? -1 : 1);
}
static Expr d_mul(Graph *g, Expr e, Expr a, Expr b, int i) { return (void)g, (void)e, i ? a : b; }

static Expr d_div(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)a;
  Expr r = reciprocal(g, b);
  return i ? expr_neg(g, expr_mul(g, e, r)) : r;
}

static Expr d_neg(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)a, (void)b, (void)i, expr_const(g, -1);
}

static Expr d_sqrt(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)b, (void)i;
  return singular_unless_positive(g, expr_div(g, expr_const(g, 0.5), e), a);
}

// One-sided at 0: the derivative from the right.
static Expr d_abs(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)e, (void)b, (void)i;
  return expr_select(g, expr_make(g, OP_LT, a, expr_const(g, 0), 0), expr_const(g, -1), one(g));
}

static Expr d_min(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)e;
  Expr first = expr_make(g, OP_LT, a, b, 0), zero = expr_const(g, 0);
  return i ? expr_select(g, first, zero, one(g)) : expr_select(g, first, one(g), zero);
}

static Expr d_max(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)e;
  Expr first = expr_make(g, OP_LT, b, a, 0), zero = expr_const(g, 0);
  return i ? expr_select(g, first, zero, one(g)) : expr_select(g, first, one(g), zero);
}

static Expr d_zero(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)a, (void)b, (void)i, expr_const(g, 0);
}

// By the exponent: a^b log(a), 0 where a is 0 (its limit for b > 0).
static Expr d_pow(Graph *g, Expr e, Expr a, Expr b, int i) {
  if (i) {
    Expr zero = expr_const(g, 0), product = expr_mul(g, e, expr_call(g, OP_LOG, a));
    if (expr_is_positive(g, a)) return product;
    return expr_select(g, expr_make(g, OP_EQ, a, zero, 0), zero, product);
  }
  Expr power = expr_pow(g, a, expr_sub(g, b, one(g)));
  Expr slope = expr_mul(g, b, power);
  if (expr_is_const(g, b) && g->nodes[b].value >= 1) return slope;
  return singular_unless_positive(g, slope, a);
}

static Expr d_sin(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)b, (void)i, expr_call(g, OP_COS, a);
}
static Expr d_cos(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)b, (void)i, expr_neg(g, expr_call(g, OP_SIN, a));
}
static Expr d_tan(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)a, (void)b, (void)i, expr_add(g, one(g), square(g, e));
}

static Expr inverse_root(Graph *g, Expr a) { // 1/sqrt(1 - a^2)
  Expr root = expr_call(g, OP_SQRT, expr_sub(g, one(g), square(g, a)));
  return expr_mark_singular(g, reciprocal(g, root));
}

static Expr d_asin(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)b, (void)i, inverse_root(g, a);
}
static Expr d_acos(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)e, (void)b, (void)i;
  return expr_mark_singular(g, expr_neg(g, inverse_root(g, a)));
}
static Expr d_atan(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)b, (void)i, reciprocal(g, expr_add(g, one(g), square(g, a)));
}

static Expr d_atan2(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)e;
  Expr r = expr_mark_singular(g, reciprocal(g, expr_add(g, square(g, a), square(g, b))));
  return i ? expr_neg(g, expr_mul_limit(g, a, r)) : expr_mul_limit(g, b, r);
}

static Expr d_sinh(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)b, (void)i, expr_call(g, OP_COSH, a);
}
static Expr d_cosh(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)b, (void)i, expr_call(g, OP_SINH, a);
}
static Expr d_tanh(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)a, (void)b, (void)i, expr_sub(g, one(g), square(g, e));
}
static Expr d_exp(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)g, (void)a, (void)b, (void)i, e;
}
static Expr d_log(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)b, (void)i, reciprocal(g, a);
}
static Expr d_log10(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)e, (void)b, (void)i;
  return expr_div(g, expr_const(g, 1 / log(10)), a);
}

static Partial *const PARTIALS[OP_COUNT] = {
    [OP_ADD] = d_add,     [OP_SUB] = d_sub,     [OP_MUL] = d_mul,   [OP_DIV] = d_div,
    [OP_NEG] = d_neg,     [OP_SQRT] = d_sqrt,   [OP_ABS] = d_abs,   [OP_MIN] = d_min,
    [OP_MAX] = d_max,     [OP_FLOOR] = d_zero,  [OP_LT] = d_zero,   [OP_LE] = d_zero,
    [OP_EQ] = d_zero,     [OP_NE] = d_zero,     [OP_AND] = d_zero,  [OP_OR] = d_zero,
    [OP_NOT] = d_zero,    [OP_POW] = d_pow,     [OP_SIN] = d_sin,   [OP_COS] = d_cos,
    [OP_TAN] = d_tan,     [OP_ASIN] = d_asin,   [OP_ACOS] = d_acos, [OP_ATAN] = d_atan,
    [OP_ATAN2] = d_atan2, [OP_SINH] = d_sinh,   [OP_COSH] = d_cosh, [OP_TANH] = d_tanh,
    [OP_EXP] = d_exp,     [OP_LOG] = d_log,     [OP_LOG10] = d_log10,
};

// weight * d(e)/d(argument i), where weight is an adjoint (backwards) or the argument's derivative (forwards).
static Expr weighted_partial(Graph *g, Expr e, int i, Expr weight) {
  ExprNode n = g->nodes[e];
  if (n.op == OP_SELECT) {
    Expr zero = expr_const(g, 0);
    if (i == 0) return zero;
    return i == 1 ? expr_select(g, n.a, weight, zero) : expr_select(g, n.a, zero, weight);
  }
  Expr partial = PARTIALS[n.op](g, e, n.a, n.b, i);
  if (expr_is_value(g, partial, 0)) return partial;
  // a choice between the weight and nothing or its negative costs no multiplication
  const ExprNode p = g->nodes[partial];
  if (p.op == OP_SELECT && expr_is_const(g, p.b) && expr_is_const(g, p.c))
    return expr_select(g, p.a, expr_mul(g, p.b, weight), expr_mul(g, p.c, weight));
  return expr_mul_limit(g, weight, partial);
}

// ---------------------------------------------------------------- which nodes matter

static unsigned char *mark_active(Graph *g, Arena *a, const Expr *by, int columns) {
  unsigned char *seed = ARENA_ARRAY(a, unsigned char, g->count);
  unsigned char *active = ARENA_ARRAY(a, unsigned char, g->count);
  for (int i = 0; i < columns; i++) seed[by[i]] = 1;
  expr_mark_dependents(g, seed, active);
  return active;
}

typedef struct Reach {
  const Graph *g;
  Arena *arena;
  const unsigned char *active;
  int *stamp;
  int now;
  IntArray stack, found;
} Reach;

static void reach_node(void *data, Expr e) {
  Reach *r = data;
  if (r->stamp[e] == r->now || !r->active[e]) return;
  r->stamp[e] = r->now;
  array_push(r->arena, &r->stack, e);
}

static int descending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x < y) - (x > y);
}

// A block is entered by all its components: the sweep handles it at the last one.
static void reach_block_mates(Reach *r, Expr e) {
  const ExprNode *n = &r->g->nodes[e];
  if (n->op != OP_SOLVED) return;
  const ExprBlock *b = &r->g->blocks.at[n->a];
  for (int i = 0; i < b->n; i++) reach_node(r, b->first + i);
}

static void reach_from(Reach *r, Expr output) {
  r->now++;
  r->found.count = 0;
  reach_node(r, output);
  while (r->stack.count) {
    Expr e = r->stack.at[--r->stack.count];
    array_push(r->arena, &r->found, e);
    reach_block_mates(r, e);
    expr_each_argument(r->g, e, reach_node, r);
  }
  qsort(r->found.at, (size_t)r->found.count, sizeof *r->found.at, descending);
}

// ---------------------------------------------------------------- Newton blocks at their solution

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
  if (s->depends[e]) array_push(s->arena, &s->stack, e);
  else array_push(s->arena, &s->inputs, e);
}

static void search_inputs(InputSearch *s, const ExprBlock *b) {
  for (int i = 0; i < b->n; i++) find_input(s, b->residuals[i]);
  while (s->stack.count) {
    Expr e = s->stack.at[--s->stack.count];
    expr_each_argument(s->g, e, find_input, s);
  }
}

// Residual rows by unknowns and inputs; the inputs are handled as if they were symbols.
static void derive_locally(Graph *g, Arena *a, const Expr *outputs, int rows, const Expr *by, int columns,
                           Expr *dense);

static void at_solution(Graph *g, Arena *scratch, const ExprBlock *b, Expr *values, int count) {
  Replacer *r = replacer_new(g, scratch);
  for (int i = 0; i < b->n; i++) replacer_set(r, b->unknowns[i], b->first + i);
  for (int i = 0; i < count; i++) values[i] = replace(r, values[i]);
}

void expr_newton_inputs(Graph *g, int block) {
  ExprBlock *b = &g->blocks.at[block];
  if (b->inputs) return;
  Arena *scratch = arena_new();
  InputSearch s = {.g = g, .arena = scratch};
  s.depends = mark_active(g, scratch, b->unknowns, b->n);
  s.seen = ARENA_ARRAY(scratch, unsigned char, g->count);
  search_inputs(&s, b);
  b->input_count = s.inputs.count;
  b->inputs = ARENA_ARRAY(g->arena, Expr, s.inputs.count + 1);
  if (s.inputs.count) memcpy(b->inputs, s.inputs.at, (size_t)s.inputs.count * sizeof(Expr));
  arena_free(scratch);
}

Expr *expr_newton_jacobian(Graph *g, Arena *a, int block) {
  ExprBlock b = g->blocks.at[block];
  Expr *dense = ARENA_ARRAY(a, Expr, b.n * b.n);
  derive_locally(g, a, b.residuals, b.n, b.unknowns, b.n, dense);
  return dense;
}

static void linearise(Graph *g, int block) {
  if (g->blocks.at[block].factor_at_solution >= 0) return;
  expr_newton_inputs(g, block);
  Arena *scratch = arena_new();
  ExprBlock b = g->blocks.at[block];
  Expr *by_unknown = expr_newton_jacobian(g, scratch, block);
  Expr *by_input = ARENA_ARRAY(g->arena, Expr, b.n * b.input_count + 1);
  derive_locally(g, scratch, b.residuals, b.n, b.inputs, b.input_count, by_input);
  at_solution(g, scratch, &b, by_unknown, b.n * b.n);
  at_solution(g, scratch, &b, by_input, b.n * b.input_count);
  int factor = expr_factor(g, b.n, by_unknown);
  g->blocks.at[block].by_input = by_input;
  g->blocks.at[block].factor_at_solution = factor;
  arena_free(scratch);
}

// ---------------------------------------------------------------- backwards

typedef struct Sweep {
  Graph *g;
  Arena *arena;
  Expr *adjoint; // by node; 0 = none
} Sweep;

static void add_adjoint(Sweep *s, Expr e, Expr weight) {
  if (expr_is_value(s->g, weight, 0)) return;
  s->adjoint[e] = s->adjoint[e] ? expr_add(s->g, s->adjoint[e], weight) : weight;
}

// x = A^-1 b: with w = A^-T (adjoint of x), b gets w and A gets -w x^T.
static void sweep_solve(Sweep *s, const ExprBlock *b, const Expr *weights, const unsigned char *active) {
  Graph *g = s->g;
  int n = b->n;
  Expr *w = ARENA_ARRAY(s->arena, Expr, n);
  expr_solve(g, b->factor, !b->transposed, weights, w);
  const Expr *matrix = g->blocks.at[b->factor].matrix;
  for (int i = 0; i < n; i++)
    if (active[b->right[i]]) add_adjoint(s, b->right[i], w[i]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      Expr entry = b->transposed ? matrix[j * n + i] : matrix[i * n + j];
      if (active[entry]) add_adjoint(s, entry, expr_neg(g, expr_mul(g, w[i], b->first + j)));
    }
}

// g(z, in) = 0: with w = g_z^-T (adjoint of z), in gets -w g_in.
static void sweep_newton(Sweep *s, int block, const Expr *weights, const unsigned char *active) {
  Graph *g = s->g;
  linearise(g, block);
  ExprBlock b = g->blocks.at[block];
  Expr *w = ARENA_ARRAY(s->arena, Expr, b.n);
  expr_solve(g, b.factor_at_solution, true, weights, w);
  for (int j = 0; j < b.input_count; j++) {
    if (!active[b.inputs[j]]) continue;
    for (int i = 0; i < b.n; i++)
      add_adjoint(s, b.inputs[j],
                  expr_neg(g, expr_mul_limit(g, w[i], b.by_input[i * b.input_count + j])));
  }
}

static void sweep_block(Sweep *s, int block, const unsigned char *active) {
  ExprBlock b = s->g->blocks.at[block];
  Expr *weights = ARENA_ARRAY(s->arena, Expr, b.n);
  bool any = false;
  for (int i = 0; i < b.n; i++) {
    weights[i] = s->adjoint[b.first + i];
    any |= weights[i] != 0;
    s->adjoint[b.first + i] = 0;
  }
  if (!any) return;
  if (b.kind == EXPR_SOLVE) sweep_solve(s, &b, weights, active);
  else sweep_newton(s, block, weights, active);
}

static void sweep_node(Sweep *s, Expr e, const unsigned char *active, const int *interest) {
  ExprNode n = s->g->nodes[e];
  if (interest[e]) return; // kept: it is a result
  if (n.op == OP_SOLVED) {
    if (n.b == s->g->blocks.at[n.a].n - 1) sweep_block(s, n.a, active);
    return;
  }
  Expr weight = s->adjoint[e];
  s->adjoint[e] = 0;
  if (!weight) return;
  for (int i = 0; i < OPS[n.op].args; i++) {
    Expr argument = i == 0 ? n.a : i == 1 ? n.b : n.c;
    if (active[argument]) add_adjoint(s, argument, weighted_partial(s->g, e, i, weight));
  }
}

typedef struct Entry {
  int column;
  Expr value;
} Entry;

static int by_column(const void *a, const void *b) {
  return ((const Entry *)a)->column - ((const Entry *)b)->column;
}

Derivatives derive_rows(Graph *g, Arena *a, const Expr *outputs, int rows, const Expr *by, int columns) {
  Arena *scratch = arena_new();
  int nodes = g->count; // everything reached exists already; derivatives come behind
  Reach r = {.g = g, .arena = scratch, .active = mark_active(g, scratch, by, columns)};
  r.stamp = ARENA_ARRAY(scratch, int, nodes);
  Sweep s = {g, scratch, ARENA_ARRAY(scratch, Expr, nodes)};
  int *interest = ARENA_ARRAY(scratch, int, nodes);
  for (int i = 0; i < columns; i++) interest[by[i]] = i + 1;
  Derivatives d = {.rows = rows, .start = ARENA_ARRAY(a, int, rows + 1)};
  ARRAY(Entry) entries = {0};
  for (int row = 0; row < rows; row++) {
    int first = entries.count;
    reach_from(&r, outputs[row]);
    if (r.active[outputs[row]]) s.adjoint[outputs[row]] = one(g);
    for (int k = 0; k < r.found.count; k++) {
      Expr e = r.found.at[k];
      sweep_node(&s, e, r.active, interest);
      if (!interest[e]) continue;
      if (s.adjoint[e]) array_push(scratch, &entries, ((Entry){interest[e] - 1, s.adjoint[e]}));
      s.adjoint[e] = 0;
    }
    if (entries.count > first)
      qsort(entries.at + first, (size_t)(entries.count - first), sizeof(Entry), by_column);
    d.start[row + 1] = entries.count;
  }
  d.column = ARENA_ARRAY(a, int, entries.count + 1);
  d.value = ARENA_ARRAY(a, Expr, entries.count + 1);
  for (int i = 0; i < entries.count; i++) d.column[i] = entries.at[i].column, d.value[i] = entries.at[i].value;
  arena_free(scratch);
  return d;
}

static void derive_locally(Graph *g, Arena *a, const Expr *outputs, int rows, const Expr *by, int columns,
                           Expr *dense) {
  memset(dense, 0, (size_t)rows * (size_t)columns * sizeof *dense); // node 0 is the number 0
  Derivatives d = derive_rows(g, a, outputs, rows, by, columns);
  for (int i = 0; i < rows; i++)
    for (int k = d.start[i]; k < d.start[i + 1]; k++) dense[i * columns + d.column[k]] = d.value[k];
}

Expr derive(Graph *g, Expr e, Expr symbol) {
  Expr value = 0;
  Arena *scratch = arena_new();
  derive_locally(g, scratch, &e, 1, &symbol, 1, &value);
  arena_free(scratch);
  return value;
}

// ---------------------------------------------------------------- forwards

typedef struct Forward {
  Graph *g;
  Arena *arena;
  const unsigned char *active;
  Expr *dot; // by node
} Forward;

static Expr weighted_sum(Graph *g, Expr sum, Expr term) {
  return expr_is_value(g, term, 0) ? sum : expr_add(g, sum, term);
}

// A x = b: A x' = b' - A' x
static void forward_solve(Forward *f, const ExprBlock *b) {
  Graph *g = f->g;
  int n = b->n;
  const Expr *matrix = g->blocks.at[b->factor].matrix;
  Expr *right = ARENA_ARRAY(f->arena, Expr, n);
  for (int i = 0; i < n; i++) {
    right[i] = f->dot[b->right[i]];
    for (int j = 0; j < n; j++) {
      Expr entry = b->transposed ? matrix[j * n + i] : matrix[i * n + j];
      if (f->active[entry])
        right[i] = expr_sub(g, right[i], expr_mul(g, f->dot[entry], b->first + j));
    }
  }
  expr_solve(g, b->factor, b->transposed, right, &f->dot[b->first]);
}

static void forward_newton(Forward *f, int block) {
  Graph *g = f->g;
  linearise(g, block);
  ExprBlock b = g->blocks.at[block];
  Expr *right = ARENA_ARRAY(f->arena, Expr, b.n);
  for (int i = 0; i < b.n; i++)
    for (int j = 0; j < b.input_count; j++)
      if (f->active[b.inputs[j]])
        right[i] = expr_sub(g, right[i],
                            expr_mul_limit(g, f->dot[b.inputs[j]], b.by_input[i * b.input_count + j]));
  expr_solve(g, b.factor_at_solution, false, right, &f->dot[b.first]);
}

static void forward_node(Forward *f, Expr e) {
  ExprNode n = f->g->nodes[e];
  if (n.op == OP_SOLVED) {
    if (n.b != 0) return; // done with component 0
    ExprBlock b = f->g->blocks.at[n.a];
    if (b.kind == EXPR_SOLVE) forward_solve(f, &b);
    else forward_newton(f, n.a);
    return;
  }
  Expr sum = 0;
  for (int i = 0; i < OPS[n.op].args; i++) {
    Expr argument = i == 0 ? n.a : i == 1 ? n.b : n.c;
    if (f->active[argument])
      sum = weighted_sum(f->g, sum, weighted_partial(f->g, e, i, f->dot[argument]));
  }
  f->dot[e] = sum;
}

static int ascending(const void *a, const void *b) { return -descending(a, b); }

void derive_direction(Graph *g, const Expr *outputs, int rows, const Expr *by, const Expr *seed, int columns,
                      Expr *results) {
  Arena *scratch = arena_new();
  int nodes = g->count;
  Forward f = {g, scratch, mark_active(g, scratch, by, columns), ARENA_ARRAY(scratch, Expr, nodes)};
  unsigned char *seeded = ARENA_ARRAY(scratch, unsigned char, nodes);
  for (int i = 0; i < columns; i++) f.dot[by[i]] = seed[i], seeded[by[i]] = 1;
  Reach r = {.g = g, .arena = scratch, .active = f.active, .now = 1};
  r.stamp = ARENA_ARRAY(scratch, int, nodes);
  IntArray all = {0};
  for (int i = 0; i < rows; i++) {
    reach_node(&r, outputs[i]);
    while (r.stack.count) {
      Expr e = r.stack.at[--r.stack.count];
      array_push(scratch, &all, e);
      reach_block_mates(&r, e);
      expr_each_argument(g, e, reach_node, &r);
    }
  }
  if (all.count) qsort(all.at, (size_t)all.count, sizeof *all.at, ascending);
  for (int i = 0; i < all.count; i++)
    if (!seeded[all.at[i]]) forward_node(&f, all.at[i]);
  for (int i = 0; i < rows; i++) results[i] = f.dot[outputs[i]];
  arena_free(scratch);
}
