// The value of a table is the polynomial of the piece in which u lies: coefficients LOOKUP(c, k), k = floor(RANK(x, u)). k is
// the mode of an event where the pieces meet with a jump or a kink. Where values are parameters, linear in them: the sum of
// each times its hat function.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/simplify.h"
#include "model/scope.h"
#include "model/table_pieces.h"

enum { FREE_MOST = 500 }; // values that stay parameters: each is a term of its own

static const char PREFIX[] = "Entrain.Tables.";

static const struct {
  const char *name;
  TableKind kind;
} KINDS[] = {{"linear", TABLE_LINEAR},     {"hold", TABLE_HOLD},
             {"spline", TABLE_AKIMA},      {"makima", TABLE_MAKIMA},
             {"monotone", TABLE_MONOTONE}, {"monotone2", TABLE_MONOTONE2}};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

bool is_table_call(const char *name) {
  return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0;
}

// ---------------------------------------------------------------- numbers

typedef struct Points {
  int n;
  double *x, *y;
  Expr *free; // by point: a value that is a parameter, 0: the number y
  int free_count;
  const Ast *xs, *ys; // in the text
} Points;

static bool literal(const Ast *e, double *value) {
  bool minus = e->kind == AST_UNARY && e->op == AST_MINUS;
  if (minus) e = e->args[0];
  if (e->kind != AST_NUMBER) return false;
  *value = minus ? -e->number : e->number;
  return true;
}

// Of numbers and parameters.
static Expr element(Scope *s, const Ast *e) {
  Context outer = s->context;
  s->context = IN_PARAMETER;
  Typed t = scope_convert(s, e);
  s->context = outer;
  return scope_want(s, e, t, false, "a table") ? t.e : 0;
}

typedef struct TableMark {
  Scope *s;
  const Ast *at;
} TableMark;

static void mark_evaluated(void *data, Expr e) {
  TableMark *m = data;
  Flat *f = m->s->flat;
  const ExprNode n = m->s->g->nodes[e];
  if (n.op != OP_SYMBOL) {
    expr_each_argument(m->s->g, e, mark_evaluated, m);
    return;
  }
  int k = names_find(f->parameter_names, m->s->g->symbols.at[n.a].name);
  if (k < 0 || f->parameters.at[k].evaluated_line) return;
  f->parameters.at[k].evaluated_line = m->at->line;
  f->parameters.at[k].evaluated_column = m->at->column;
}

// Its value now. mark: parameters in it cannot change later.
static double value_now(Scope *s, const Ast *e, bool mark) {
  double value = 0;
  if (!literal(e, &value)) {
    Expr x = element(s, e);
    if (scope_failed(s)) return 0;
    value = flat_value(s->flat, x);
    if (mark) mark_evaluated(&(TableMark){s, e}, x);
  }
  if (!isfinite(value)) scope_wrong(s, e, ERR_VALUE, "a number of a table is not finite");
  return value;
}

static double fixed_number(Scope *s, const Ast *e) {
  return value_now(s, e, true);
}

static bool want_array(Scope *s, const Ast *e, const char *what) {
  if (e->kind == AST_ARRAY && e->arg_count > 0) return true;
  scope_wrong(s, e, ERR_MODEL, "the %s of a table are an array such as {0, 1, 2}", what);
  return false;
}

static double *fixed_numbers(Scope *s, Arena *a, const Ast *array, const char *what) {
  if (!want_array(s, array, what)) return NULL;
  double *x = ARENA_ARRAY(a, double, array->arg_count);
  for (int i = 0; i < array->arg_count && !scope_failed(s); i++)
    x[i] = fixed_number(s, array->args[i]);
  return x;
}

static bool rises(Scope *s, const Ast *array, const double *x, bool strictly) {
  for (int i = 1; i < array->arg_count && !scope_failed(s); i++)
    if (strictly ? !(x[i] > x[i - 1]) : !(x[i] >= x[i - 1]))
      scope_wrong(s, array->args[i], ERR_VALUE, "break point %d of the table, %g, is %s %g", i + 1,
                  x[i], strictly ? "not above the one before it," : "below the one before it,",
                  x[i - 1]);
  return !scope_failed(s);
}

static bool read_beyond(Scope *s, const Ast *e, TableBeyond *beyond) {
  double value = fixed_number(s, e);
  if (scope_failed(s)) return false;
  if (value == floor(value) && value >= TABLE_HOLD_LAST && value <= TABLE_NOTHING) {
    *beyond = (TableBeyond)value;
    return true;
  }
  scope_wrong(s, e, ERR_VALUE,
              "what lies beyond a table is 1 (the last value), 2 (the line through the last two "
              "points), 3 (its period) or 4 (an error)");
  return false;
}

static bool is_spline(TableKind kind) {
  return kind > TABLE_HOLD;
}

static bool read_values(Scope *s, Arena *a, TableKind kind, Points *p) {
  bool fixed = is_spline(kind);
  p->y = ARENA_ARRAY(a, double, p->n);
  p->free = ARENA_ARRAY(a, Expr, p->n);
  int named = 0;
  for (int i = 0; i < p->n; i++) named += !literal(p->ys->args[i], &p->y[i]);
  fixed |= named > FREE_MOST;
  for (int i = 0; i < p->n && !scope_failed(s); i++) {
    const Ast *e = p->ys->args[i];
    double number;
    Expr value = fixed || literal(e, &number) ? 0 : element(s, e);
    bool free = value && !scope_failed(s) && !flat_number(s->flat, value, &number);
    p->y[i] = value_now(s, e, !free);
    if (free) p->free[i] = value, p->y[i] = 0, p->free_count++;
  }
  return !scope_failed(s);
}

static bool read_points(Scope *s, Arena *a, TableKind kind, const Ast *call, Points *p) {
  p->xs = call->args[1], p->ys = call->args[2];
  p->x = fixed_numbers(s, a, p->xs, "break points");
  if (scope_failed(s) || !want_array(s, p->ys, "values")) return false;
  p->n = p->xs->arg_count;
  if (p->ys->arg_count != p->n) {
    scope_wrong(s, p->ys, ERR_VALUE, "the table has %d break points and %d values", p->n,
                p->ys->arg_count);
    return false;
  }
  return rises(s, p->xs, p->x, is_spline(kind)) && read_values(s, a, kind, p);
}

// ---------------------------------------------------------------- expressions

static Expr lookup(Scope *s, const double *numbers, int count, Expr k) {
  bool same = true;
  for (int i = 1; i < count; i++) same &= numbers[i] == numbers[0];
  if (same) return expr_const(s->g, numbers[0]);
  return expr_make(s->g, OP_LOOKUP, expr_table(s->g, numbers, count), k, 0);
}

static Expr piece_of(Scope *s, const Ast *call, const double *breaks, int count, bool events,
                     Expr u) {
  if (count == 0) return expr_const(s->g, 0);
  Expr rank = expr_make(s->g, OP_RANK, expr_table(s->g, breaks, count), u, 0);
  return events ? scope_table_piece(s, rank, call) : expr_call(s->g, OP_FLOOR, rank);
}

// By Horner's rule.
static Expr polynomial(Scope *s, const TablePieces *p, Expr u, Expr k) {
  int pieces = p->breaks + 1;
  Expr value = lookup(s, p->coefficient[p->order], pieces, k);
  if (p->order == 0) return value;
  Expr d = expr_sub(s->g, u, lookup(s, p->origin, pieces, k));
  for (int i = p->order - 1; i >= 0; i--)
    value = expr_add(s->g, expr_mul(s->g, d, value), lookup(s, p->coefficient[i], pieces, k));
  return value;
}

// The table of which one value is 1 and all others are 0, in the few pieces where it is not 0.
static Expr hat(Scope *s, const TablePieces *p, Expr u, Expr k) {
  Graph *g = s->g;
  Expr value = expr_const(g, 0);
  for (int i = 0; i <= p->breaks; i++) {
    double a = p->coefficient[0][i], b = p->coefficient[1][i];
    if (a == 0 && b == 0) continue;
    Expr d = expr_sub(g, u, expr_const(g, p->origin[i]));
    Expr here = expr_add(g, expr_const(g, a), expr_mul(g, expr_const(g, b), d));
    Expr is_here = expr_make(g, OP_EQ, k, expr_const(g, i), 0);
    value = p->breaks ? expr_select(g, is_here, here, value) : here;
  }
  return value;
}

static Expr add_free_values(Scope *s, Arena *a, TableKind kind, TableBeyond beyond, Points *p,
                            Expr u, Expr k, Expr sum) {
  double *unit = ARENA_ARRAY(a, double, p->n);
  for (int i = 0; i < p->n; i++) {
    if (!p->free[i]) continue;
    unit[i] = 1;
    TablePieces one = table_pieces(a, kind, beyond, p->x, unit, p->n, false);
    unit[i] = 0;
    sum = expr_add(s->g, sum, expr_mul(s->g, p->free[i], hat(s, &one, u, k)));
  }
  return sum;
}

// u in the first period
static Expr wrapped(Scope *s, const Ast *call, Expr u, double from, double to) {
  Graph *g = s->g;
  Expr period = expr_const(g, to - from);
  Expr count = expr_div(g, expr_sub(g, u, expr_const(g, from)), period);
  return expr_sub(g, u, expr_mul(g, period, scope_table_piece(s, count, call)));
}

// Rounding errors at the ends are allowed.
static void must_stay(Scope *s, const Ast *call, Expr u, double from, double to) {
  Graph *g = s->g;
  double little = 1e-10 * (to - from + fabs(from) + fabs(to));
  Expr above = expr_make(g, OP_LE, expr_const(g, from - little), u, 0);
  Expr below = expr_make(g, OP_LE, u, expr_const(g, to + little), 0);
  const char *text = arena_print(
      s->flat->arena, "the argument of %s leaves its table, from %g to %g", call->name, from, to);
  scope_assert(s, call, expr_make(g, OP_AND, above, below, 0), text, false);
}

// What u becomes because of what lies beyond the points.
static Expr prepare(Scope *s, const Ast *call, const Ast *xs, const double *x, TableBeyond beyond,
                    Expr u) {
  int n = xs->arg_count;
  if (beyond == TABLE_NOTHING) must_stay(s, call, u, x[0], x[n - 1]);
  if (beyond != TABLE_PERIODIC) return u;
  if (x[n - 1] > x[0]) return wrapped(s, call, u, x[0], x[n - 1]);
  scope_wrong(s, xs, ERR_VALUE, "a periodic table needs break points that are apart");
  return 0;
}

static Expr argument(Scope *s, const Ast *e) {
  Typed t = scope_convert(s, e);
  return scope_want(s, e, t, false, "a table") ? t.e : 0;
}

static bool check_count(Scope *s, const Ast *call, int least, int most) {
  if (call->arg_count >= least && call->arg_count <= most) return true;
  scope_wrong(s, call, ERR_SYNTAX, "%s takes %d arguments, not %d", call->name, least,
              call->arg_count);
  return false;
}

static Expr one_dimension(Scope *s, Arena *a, const Ast *call, TableKind kind) {
  Points p = {0};
  TableBeyond beyond;
  if (!check_count(s, call, 4, 4)) return 0;
  Expr u = argument(s, call->args[0]);
  if (scope_failed(s) || !read_points(s, a, kind, call, &p) ||
      !read_beyond(s, call->args[3], &beyond))
    return 0;
  u = prepare(s, call, p.xs, p.x, beyond, u);
  if (scope_failed(s)) return 0;
  TablePieces pieces = table_pieces(a, kind, beyond, p.x, p.y, p.n, p.free_count == 0);
  bool events = !is_spline(kind) || p.n < 3; // steps adapt to kinks of the second derivative
  Expr k = piece_of(s, call, pieces.at, pieces.breaks, events, u);
  Expr value = polynomial(s, &pieces, u, k);
  return add_free_values(s, a, kind, beyond, &p, u, k, value);
}

// ---------------------------------------------------------------- two dimensions

typedef struct TableAxis {
  int n;
  double *x;
  Expr cell, d; // number of the cell, and the distance from its beginning
} TableAxis;

static void place_in_cell(Scope *s, Arena *a, const Ast *call, TableBeyond beyond, Expr u,
                          TableAxis *axis) {
  Graph *g = s->g;
  int n = axis->n;
  bool holds = beyond == TABLE_HOLD_LAST;
  if (n == 1) {
    axis->cell = axis->d = expr_const(g, 0);
    return;
  }
  Expr k = holds ? piece_of(s, call, axis->x, n, true, u)
                 : piece_of(s, call, axis->x + 1, n - 2, true, u);
  axis->cell = k;
  if (holds) {
    double *cell = ARENA_ARRAY(a, double, n + 1);
    for (int i = 0; i <= n; i++) cell[i] = i == 0 ? 0 : i < n ? i - 1 : n - 2;
    axis->cell = lookup(s, cell, n + 1, k);
    Expr is_above = expr_make(g, OP_EQ, k, expr_const(g, n), 0),
         is_below = expr_make(g, OP_EQ, k, expr_const(g, 0), 0);
    u = expr_select(g, is_above, expr_const(g, axis->x[n - 1]), u);
    u = expr_select(g, is_below, expr_const(g, axis->x[0]), u);
  }
  axis->d = expr_sub(g, u, lookup(s, axis->x, n - 1, axis->cell));
}

static double *read_matrix(Scope *s, Arena *a, const Ast *rows, int n, int m) {
  double *z = ARENA_ARRAY(a, double, (size_t)n *(size_t)m);
  if (!want_array(s, rows, "rows of values")) return NULL;
  if (rows->arg_count != n)
    scope_wrong(s, rows, ERR_VALUE, "the table has %d break points and %d rows of values", n,
                rows->arg_count);
  for (int i = 0; i < n && !scope_failed(s); i++) {
    const Ast *row = rows->args[i];
    if (row->kind != AST_ARRAY || row->arg_count != m)
      scope_wrong(s, row, ERR_VALUE, "row %d of the table has %d values for %d break points", i + 1,
                  row->kind == AST_ARRAY ? row->arg_count : 1, m);
    for (int j = 0; j < m && !scope_failed(s); j++) z[i * m + j] = fixed_number(s, row->args[j]);
  }
  return z;
}

// z + (z_u + z_uv e) d + z_v e in a cell, at the distances d and e from its corner.
static Expr bilinear(Scope *s, Arena *a, const TableAxis *u, const TableAxis *v, const double *z) {
  Graph *g = s->g;
  int n = u->n > 1 ? u->n - 1 : 1, m = v->n > 1 ? v->n - 1 : 1, count = n * m;
  double *c[4];
  for (int i = 0; i < 4; i++) c[i] = ARENA_ARRAY(a, double, count);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      int up = u->n > 1 ? v->n : 0, right = v->n > 1;
      const double *at = z + i * v->n + j;
      double h = u->n > 1 ? u->x[i + 1] - u->x[i] : 1, w = v->n > 1 ? v->x[j + 1] - v->x[j] : 1;
      c[0][i * m + j] = at[0];
      c[1][i * m + j] = (at[up] - at[0]) / h;
      c[2][i * m + j] = (at[right] - at[0]) / w;
      c[3][i * m + j] = (at[up + right] - at[up] - at[right] + at[0]) / (h * w);
    }
  Expr k = expr_add(g, expr_mul(g, expr_const(g, m), u->cell), v->cell), e[4];
  for (int i = 0; i < 4; i++) e[i] = lookup(s, c[i], count, k);
  Expr by_u = expr_add(g, e[1], expr_mul(g, e[3], v->d));
  return expr_add(g, expr_add(g, e[0], expr_mul(g, by_u, u->d)), expr_mul(g, e[2], v->d));
}

static Expr two_dimensions(Scope *s, Arena *a, const Ast *call) {
  TableBeyond beyond = TABLE_CONTINUE;
  TableAxis axis[2];
  Expr u[2] = {0};
  if (!check_count(s, call, 5, 6)) return 0;
  for (int i = 0; i < 2 && !scope_failed(s); i++) {
    u[i] = argument(s, call->args[i]);
    axis[i].x = fixed_numbers(s, a, call->args[2 + i], "break points");
    axis[i].n = call->args[2 + i]->arg_count;
    if (!scope_failed(s)) rises(s, call->args[2 + i], axis[i].x, true);
  }
  if (scope_failed(s)) return 0;
  const double *z = read_matrix(s, a, call->args[4], axis[0].n, axis[1].n);
  if (call->arg_count == 6) read_beyond(s, call->args[5], &beyond);
  for (int i = 0; i < 2 && !scope_failed(s); i++) {
    Expr inside = prepare(s, call, call->args[2 + i], axis[i].x, beyond, u[i]);
    if (!scope_failed(s)) place_in_cell(s, a, call, beyond, inside, &axis[i]);
  }
  return scope_failed(s) ? 0 : bilinear(s, a, &axis[0], &axis[1], z);
}

Typed table_call(Scope *s, const Ast *call) {
  const char *name = call->name + sizeof PREFIX - 1;
  Arena *scratch = arena_new();
  Typed t = {0};
  int kind = 0;
  while (kind < KIND_COUNT && strcmp(KINDS[kind].name, name) != 0) kind++;
  if (kind < KIND_COUNT)
    t.e = one_dimension(s, scratch, call, KINDS[kind].kind);
  else if (strcmp(name, "linear2") == 0)
    t.e = two_dimensions(s, scratch, call);
  else if (strcmp(name, "spline2") == 0)
    scope_wrong(
        s, call, ERR_UNSUPPORTED,
        "smooth interpolation in two dimensions is not supported; use %slinear2 (smoothness "
        "= LinearSegments)",
        PREFIX);
  else
    scope_wrong(s, call, ERR_NAME, "'%s' is not a function that entrain knows", call->name);
  arena_free(scratch);
  return t;
}
