// Partial derivatives of the operators, one rule each; ops.def says which. A rule builds an expression of the node itself
// (e), its arguments a and b, and the number i of the argument. Products and sums of derivatives keep choices outside.
#include "expr/partial.h"

#include <assert.h>
#include <math.h>

#include "expr/simplify.h"

// Partial derivative of node e (op(a, b, c)) by its argument number i.
typedef Expr Partial(Graph *g, Expr e, Expr a, Expr b, int i);

static Expr one(Graph *g) {
  return expr_const(g, 1);
}
static Expr reciprocal(Graph *g, Expr a) {
  return expr_div(g, one(g), a);
}
static Expr square(Graph *g, Expr a) {
  return expr_mul(g, a, a);
}

// Where the slope of a finite function is infinite (sqrt, a^n with n < 1, asin, atan2 at their ends) it counts as 0, so
// that products whose limit is finite stay finite: z*abs(z)^(n-1) at z = 0, sqrt(x^2 + y^2) at the origin.
static Expr zero_where(Graph *g, Expr vanishes, Expr slope) {
  if (expr_is_positive(g, vanishes)) return slope;
  Expr zero = expr_const(g, 0);
  return expr_select(g, expr_make(g, OP_EQ, vanishes, zero, 0), zero, slope);
}

static Expr d_add(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)a, (void)b, (void)i, one(g);
}
static Expr d_sub(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)a, (void)b, expr_const(g, i ? -1 : 1);
}
static Expr d_mul(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)g, (void)e, i ? a : b;
}

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
  return zero_where(g, a, expr_div(g, expr_const(g, 0.5), e));
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

static Expr d_select(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)e, (void)b;
  Expr zero = expr_const(g, 0);
  if (i == 0) return zero;
  return i == 1 ? expr_select(g, a, one(g), zero) : expr_select(g, a, zero, one(g));
}

static Expr d_zero(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)a, (void)b, (void)i, expr_const(g, 0);
}

// Linear between break points; below them r = 1/(1 + s), above all n of them r = n + 1 - 1/(1 + s), where s is the distance
// in widths.
static Expr d_rank(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)b;
  if (i == 0) return expr_const(g, 0);
  const ExprTable *t = expr_table_of(g, a);
  int n = t->count;
  double *steep = ARENA_ARRAY(g->arena, double, n + 1);
  for (int k = 0; k <= n; k++) steep[k] = 1 / table_width(t, k);
  Expr inside = expr_make(g, OP_LOOKUP, expr_table(g, steep, n + 1), expr_call(g, OP_FLOOR, e), 0);
  Expr above = square(g, expr_sub(g, expr_const(g, n + 1), e));
  Expr factor = expr_select(g, expr_make(g, OP_LT, e, expr_const(g, n), 0), one(g), above);
  factor = expr_select(g, expr_make(g, OP_LT, e, one(g), 0), square(g, e), factor);
  return expr_mul(g, inside, factor);
}

// By the exponent: a^b log(a), 0 where a is 0 (its limit for b > 0). By the base: at 0 it is 1 or 0 for b >= 1, and
// infinite, so 0 by the rule above, for b < 1.
static Expr d_pow(Graph *g, Expr e, Expr a, Expr b, int i) {
  if (i) return zero_where(g, a, expr_mul(g, e, expr_call(g, OP_LOG, a)));
  Expr slope = expr_mul(g, b, expr_pow(g, a, expr_sub(g, b, one(g))));
  if (expr_is_const(g, b) && g->nodes[b].value >= 1) return slope;
  if (expr_is_positive(g, a)) return slope;
  Expr zero = expr_const(g, 0), steep = expr_make(g, OP_LT, b, one(g), 0);
  Expr at_zero = expr_make(g, OP_EQ, a, zero, 0);
  return expr_select(g, expr_make(g, OP_AND, at_zero, steep, 0), zero, slope);
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
  return zero_where(g, root, reciprocal(g, root));
}

static Expr d_asin(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)b, (void)i, inverse_root(g, a);
}
static Expr d_acos(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)e, (void)b, (void)i;
  return expr_neg(g, inverse_root(g, a));
}
static Expr d_atan(Graph *g, Expr e, Expr a, Expr b, int i) {
  return (void)e, (void)b, (void)i, reciprocal(g, expr_add(g, one(g), square(g, a)));
}

static Expr d_atan2(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)e;
  Expr sum = expr_add(g, square(g, a), square(g, b)), r = zero_where(g, sum, reciprocal(g, sum));
  return i ? expr_neg(g, expr_mul(g, a, r)) : expr_mul(g, b, r);
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

// Constants, symbols and instructions: nothing to differentiate.
static Expr d_none(Graph *g, Expr e, Expr a, Expr b, int i) {
  (void)g, (void)e, (void)a, (void)b, (void)i;
  assert(!"an operator of the graph has a derivative");
  return 0;
}

static Partial *const PARTIALS[OP_COUNT] = {
#define OP(name, args, kind, text, value, derivative, ...) [OP_##name] = derivative,
#include "expr/ops.def"
};

Expr expr_partial(Graph *g, Expr e, int i) {
  ExprNode n = g->nodes[e];
  return PARTIALS[n.op](g, e, n.a, n.b, i);
}

static bool chooses(const Graph *g, Expr e) { // between something and nothing, or between constants
  const ExprNode *n = &g->nodes[e];
  if (n->op != OP_SELECT) return false;
  return expr_is_value(g, n->b, 0) || expr_is_value(g, n->c, 0) ||
         (expr_is_const(g, n->b) && expr_is_const(g, n->c));
}

typedef struct Scaling { // of a choice; one of its branches, or both, are constants
  ExprNode choice;
  Expr factor;
  Expr yes; // the first branch scaled, if it is a constant
} Scaling;

// outer * inner. The choice stays outside: a branch that is not taken may be not a number, and 0 times that is no 0.
// Choices in choices go down in one loop, because there may be very many.
Expr expr_chain(Graph *g, Expr outer, Expr inner) {
  if (!chooses(g, inner) && !chooses(g, outer)) return expr_mul(g, outer, inner);
  Arena *scratch = arena_new();
  ARRAY(Scaling) open = {0};
  while (chooses(g, inner) || chooses(g, outer)) {
    bool of_inner = chooses(g, inner);
    Scaling s = {.choice = g->nodes[of_inner ? inner : outer], .factor = of_inner ? outer : inner};
    bool constant = expr_is_const(g, s.choice.b);
    if (constant) s.yes = expr_mul(g, s.choice.b, s.factor);
    array_push(scratch, &open, s);
    outer = constant ? s.choice.c : s.choice.b;
    inner = s.factor;
    if (expr_is_const(g, outer)) break; // both are
  }
  Expr product = expr_mul(g, outer, inner);
  while (open.count) {
    Scaling s = open.at[--open.count];
    bool constant = expr_is_const(g, s.choice.b);
    Expr yes = constant ? s.yes : product;
    Expr no = constant ? product : expr_mul(g, s.choice.c, s.factor);
    product = expr_select(g, s.choice.a, yes, no);
  }
  arena_free(scratch);
  return product;
}

Expr expr_join(Graph *g, Expr a, Expr b) {
  ExprNode x = g->nodes[a], y = g->nodes[b];
  if (!chooses(g, a) || !chooses(g, b) || x.a != y.a) return expr_add(g, a, b);
  return expr_select(g, x.a, expr_add(g, x.b, y.b), expr_add(g, x.c, y.c));
}
