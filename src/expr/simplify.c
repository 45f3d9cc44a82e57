// Local rules, applied when a node is made: its arguments are simple already, so one look at them is enough. Constants are
// folded, signs move outwards, 0 and 1 vanish, small integer powers become products.
#include "expr/simplify.h"

#include <math.h>

typedef bool SimplifyRule(Graph *g, Expr a, Expr b, Expr c, Expr *out);

static bool gives(Expr e, Expr *out) {
  *out = e;
  return true;
}

static bool is(const Graph *g, Expr e, Op op) {
  return g->nodes[e].op == op;
}
static Expr arg(const Graph *g, Expr e) {
  return g->nodes[e].a;
}
static double value(const Graph *g, Expr e) {
  return g->nodes[e].value;
}

// c*x with a constant c and another x
static bool is_scaled(const Graph *g, Expr e) {
  return is(g, e, OP_MUL) && expr_is_const(g, arg(g, e));
}

// Sums with the time are made so that its origin is subtracted first: what is left of two large numbers is exact then, and
// smooth in time. At origin 0 the value is the same to the last bit.
static bool add_to_now(Graph *g, Expr b, Expr *out) {
  return gives(expr_insert(g, OP_ADD, g->time, expr_add(g, g->origin, b), 0), out);
}

static bool simplify_add(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)c;
  if (expr_is_value(g, a, 0)) return gives(b, out);
  if (expr_is_value(g, b, 0)) return gives(a, out);
  if (is(g, b, OP_NEG)) return gives(expr_sub(g, a, arg(g, b)), out);
  if (is(g, a, OP_NEG)) return gives(expr_sub(g, b, arg(g, a)), out);
  if (a == b) return gives(expr_mul(g, expr_const(g, 2), a), out);
  if (g->now && a == g->now) return add_to_now(g, b, out);
  if (g->now && b == g->now) return add_to_now(g, a, out);
  return false;
}

static bool simplify_sub(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)c;
  if (expr_is_value(g, b, 0)) return gives(a, out);
  if (expr_is_value(g, a, 0)) return gives(expr_neg(g, b), out);
  if (a == b) return gives(expr_const(g, 0), out);
  if (is(g, b, OP_NEG)) return gives(expr_add(g, a, arg(g, b)), out);
  if (is(g, a, OP_NEG)) return gives(expr_neg(g, expr_add(g, arg(g, a), b)), out);
  if (g->now && a == g->now)
    return gives(expr_insert(g, OP_ADD, g->time, expr_sub(g, g->origin, b), 0), out);
  if (g->now && b == g->now)
    return gives(expr_insert(g, OP_SUB, expr_sub(g, a, g->origin), g->time, 0), out);
  return false;
}

static bool simplify_mul(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)c;
  if (expr_is_const(g, b)) { // a constant comes first
    Expr t = a;
    a = b;
    b = t;
  }
  if (expr_is_const(g, a)) {
    double v = value(g, a);
    if (v == 0) return gives(a, out);
    if (v == 1) return gives(b, out);
    if (v == -1) return gives(expr_neg(g, b), out);
    double product = is_scaled(g, b) ? v * value(g, arg(g, b)) : 0;
    if (isnormal(product)) return gives(expr_mul(g, expr_const(g, product), g->nodes[b].b), out);
    if (is(g, b, OP_NEG)) return gives(expr_mul(g, expr_const(g, -v), arg(g, b)), out);
    return false;
  }
  if (is(g, a, OP_NEG)) return gives(expr_neg(g, expr_mul(g, arg(g, a), b)), out);
  if (is(g, b, OP_NEG)) return gives(expr_neg(g, expr_mul(g, a, arg(g, b))), out);
  return false;
}

static bool simplify_div(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)c;
  if (expr_is_value(g, b, 0)) return false; // stays, and is reported where it is computed
  if (expr_is_value(g, a, 0)) return gives(a, out);
  if (expr_is_value(g, b, 1)) return gives(a, out);
  if (expr_is_value(g, b, -1)) return gives(expr_neg(g, a), out);
  if (is(g, a, OP_NEG)) return gives(expr_neg(g, expr_div(g, arg(g, a), b)), out);
  if (is(g, b, OP_NEG)) return gives(expr_neg(g, expr_div(g, a, arg(g, b))), out);
  if (a == b && !expr_is_const(g, a)) return gives(expr_const(g, 1), out);
  // division by what does not vary: the reciprocal is computed once, outside the loop
  bool by_fixed = !expr_varies(g, b) && expr_varies(g, a);
  if (by_fixed) return gives(expr_mul(g, a, expr_div(g, expr_const(g, 1), b)), out);
  return false;
}

static bool simplify_neg(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)b, (void)c;
  if (is(g, a, OP_NEG)) return gives(arg(g, a), out);
  ExprNode n = expr_as_written(g, a);
  if (n.op == OP_SUB) return gives(expr_sub(g, n.b, n.a), out);
  if (is_scaled(g, a))
    return gives(expr_mul(g, expr_const(g, -value(g, arg(g, a))), g->nodes[a].b), out);
  return false;
}

static Expr power_by_squaring(Graph *g, Expr a, int n) {
  if (n == 1) return a;
  Expr half = power_by_squaring(g, a, n / 2), square = expr_mul(g, half, half);
  return n % 2 ? expr_mul(g, square, a) : square;
}

enum { POWER_MOST = 16 }; // larger integer powers call pow

static bool simplify_pow(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)c;
  if (!expr_is_const(g, b)) return false;
  double v = value(g, b);
  if (v == 0) return gives(expr_const(g, 1), out);
  if (v == 0.5) return gives(expr_call(g, OP_SQRT, a), out);
  if (v != floor(v) || fabs(v) > POWER_MOST) return false;
  Expr power = power_by_squaring(g, a, (int)fabs(v));
  return gives(v > 0 ? power : expr_div(g, expr_const(g, 1), power), out);
}

// Odd functions: f(-x) = -f(x)
static bool odd(Graph *g, Op op, Expr a, Expr *out) {
  if (!is(g, a, OP_NEG)) return false;
  return gives(expr_neg(g, expr_call(g, op, arg(g, a))), out);
}

// sqrt(1 + x^2) = 1/cos(atan(x)). Beyond 1e154 the square overflows: slopes of that size are not met.
static Expr secant_of_atan(Graph *g, Expr x) {
  return expr_call(g, OP_SQRT, expr_add(g, expr_const(g, 1), expr_mul(g, x, x)));
}

// x where the angle is 2*atan(x), as in tyre models; 0: it is none.
static Expr of_double_atan(const Graph *g, Expr a) {
  if (!is(g, a, OP_MUL)) return 0;
  const ExprNode *n = &g->nodes[a];
  Expr other = expr_is_value(g, n->a, 2) ? n->b : expr_is_value(g, n->b, 2) ? n->a : 0;
  return other && is(g, other, OP_ATAN) ? arg(g, other) : 0;
}

// sin = 2 x/(1 + x^2), cos = 2/(1 + x^2) - 1
static bool double_atan(Graph *g, Op op, Expr x, Expr *out) {
  if (!x) return false;
  Expr one = expr_const(g, 1), two = expr_const(g, 2);
  Expr bottom = expr_add(g, one, expr_mul(g, x, x));
  if (op == OP_SIN) return gives(expr_div(g, expr_mul(g, two, x), bottom), out);
  return gives(expr_sub(g, expr_div(g, two, bottom), one), out);
}

static bool simplify_sin(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)b, (void)c;
  if (is(g, a, OP_ATAN)) return gives(expr_div(g, arg(g, a), secant_of_atan(g, arg(g, a))), out);
  if (double_atan(g, OP_SIN, of_double_atan(g, a), out)) return true;
  return odd(g, OP_SIN, a, out);
}

static bool simplify_cos(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)b, (void)c;
  if (is(g, a, OP_ATAN))
    return gives(expr_div(g, expr_const(g, 1), secant_of_atan(g, arg(g, a))), out);
  if (double_atan(g, OP_COS, of_double_atan(g, a), out)) return true;
  if (is(g, a, OP_NEG)) return gives(expr_call(g, OP_COS, arg(g, a)), out);
  return false;
}

static bool simplify_tan(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)b, (void)c;
  return odd(g, OP_TAN, a, out);
}

static bool simplify_atan(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)b, (void)c;
  return odd(g, OP_ATAN, a, out);
}

static bool simplify_tanh(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)b, (void)c;
  return odd(g, OP_TANH, a, out);
}

static bool simplify_abs(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)b, (void)c;
  if (is(g, a, OP_NEG)) return gives(expr_call(g, OP_ABS, arg(g, a)), out);
  if (is(g, a, OP_ABS) || is(g, a, OP_SQRT)) return gives(a, out);
  return false;
}

static bool simplify_extremum(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)g, (void)c;
  return a == b && gives(a, out);
}

static bool simplify_select(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  if (b == c) return gives(b, out);
  if (expr_is_const(g, a)) return gives(value(g, a) != 0 ? b : c, out);
  if (is(g, a, OP_NOT)) return gives(expr_select(g, arg(g, a), c, b), out);
  return false;
}

static bool simplify_and(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)c;
  if (expr_is_const(g, a)) return gives(value(g, a) != 0 ? b : a, out);
  if (expr_is_const(g, b)) return gives(value(g, b) != 0 ? a : b, out);
  return a == b && gives(a, out);
}

static bool simplify_or(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)c;
  if (expr_is_const(g, a)) return gives(value(g, a) != 0 ? a : b, out);
  if (expr_is_const(g, b)) return gives(value(g, b) != 0 ? b : a, out);
  return a == b && gives(a, out);
}

static bool simplify_not(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  (void)b, (void)c;
  return is(g, a, OP_NOT) && gives(arg(g, a), out);
}

static bool keep(Graph *g, Expr a, Expr b, Expr c, Expr *out) {
  return (void)g, (void)a, (void)b, (void)c, (void)out, false;
}

static SimplifyRule *const RULES[OP_COUNT] = {
#define OP(name, args, kind, text, value, derivative, simplification, ...)                         \
  [OP_##name] = simplification,
#include "expr/ops.def"
};

// Only finite results are folded: 1/0 stays and is reported where it is computed.
static bool fold(Graph *g, Op op, Expr a, Expr b, Expr c, Expr *out) {
  int args = OPS[op].args;
  if (args == 0 || !expr_is_const(g, a)) return false;
  if (args > 1 && !expr_is_const(g, b)) return false;
  if (args > 2 && !expr_is_const(g, c)) return false;
  ExprNode n = {.op = (uint8_t)op};
  double v = expr_apply(g, &n, value(g, a), value(g, b), value(g, c));
  return isfinite(v) && gives(expr_const(g, v), out);
}

static bool commutes(Op op) {
  return op == OP_ADD || op == OP_MUL || op == OP_EQ || op == OP_NE || op == OP_AND || op == OP_OR;
}

Expr expr_make(Graph *g, Op op, Expr a, Expr b, Expr c) {
  Expr simple;
  if (commutes(op) && a > b) {
    Expr t = a;
    a = b;
    b = t;
  }
  if (fold(g, op, a, b, c, &simple) || RULES[op](g, a, b, c, &simple)) return simple;
  return expr_insert(g, op, a, b, c);
}

Expr expr_add(Graph *g, Expr a, Expr b) {
  return expr_make(g, OP_ADD, a, b, 0);
}
Expr expr_sub(Graph *g, Expr a, Expr b) {
  return expr_make(g, OP_SUB, a, b, 0);
}
Expr expr_mul(Graph *g, Expr a, Expr b) {
  return expr_make(g, OP_MUL, a, b, 0);
}
Expr expr_div(Graph *g, Expr a, Expr b) {
  return expr_make(g, OP_DIV, a, b, 0);
}
Expr expr_neg(Graph *g, Expr a) {
  return expr_make(g, OP_NEG, a, 0, 0);
}
Expr expr_pow(Graph *g, Expr a, Expr b) {
  return expr_make(g, OP_POW, a, b, 0);
}
Expr expr_call(Graph *g, Op op, Expr a) {
  return expr_make(g, op, a, 0, 0);
}
Expr expr_select(Graph *g, Expr condition, Expr yes, Expr no) {
  return expr_make(g, OP_SELECT, condition, yes, no);
}

static bool all_zero(const Graph *g, const Expr *e, int n) {
  for (int i = 0; i < n; i++)
    if (!expr_is_value(g, e[i], 0)) return false;
  return true;
}

Expr expr_solve(Graph *g, int factor, bool transposed, const Expr *right, Expr *results) {
  int n = g->blocks.at[factor].n;
  if (n == 1) return results[0] = expr_div(g, right[0], g->blocks.at[factor].matrix[0]);
  if (all_zero(g, right, n)) {
    for (int i = 0; i < n; i++) results[i] = expr_const(g, 0);
    return results[0];
  }
  Expr first = expr_insert_solve(g, factor, transposed, right);
  for (int i = 0; i < n; i++) results[i] = first + i;
  return first;
}
