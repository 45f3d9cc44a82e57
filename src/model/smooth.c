// Events with the same switching function w, up to its sign, switch together. Let E+ and E- be an equation with the modes
// of w > 0 and of w < 0. Where E+ = E- on w = 0, the gradient of E+ - E- is a multiple of that of w there; so all slopes
// agree if those by one symbol s do by which w has a slope other than 0. w = 0 is solved for such a symbol, w = d s + b
// with a number d, and s = -b/d is put into E+, E- and their derivatives. They agree if they become the same node: then
// they do so for every value of all other symbols.
#include "model/smooth.h"

#include <math.h>
#include <stdlib.h>

#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"
#include "model/sort.h"

typedef struct Smoothness {
  Flat *f;
  Graph *g;
  Arena *arena;
  Incidence modes; // of the equations, and behind them of the switching functions
  // A walk over the nodes of an expression: those that were met have this number.
  int *met, met_room, walk;
  IntArray nodes;
} Smoothness;

typedef struct Surface { // w = 0 and the events there
  Expr w, symbol;        // solved for this one
  int *sign;         // by event: 1 if its switching function is w, -1 if it is -w, 0: not of these
  Replacer *side[3]; // modes where w < 0, w = 0, w > 0
  Replacer *on;      // the symbol by its value on the surface
} Surface;

// ---------------------------------------------------------------- the nodes of an expression

static void meet(void *data, Expr e) {
  Smoothness *s = data;
  if (s->met[e] == s->walk) return;
  s->met[e] = s->walk;
  array_push(s->arena, &s->nodes, e);
}

static int ascending(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

// Lists them in an order of evaluation.
static void walk(Smoothness *s, Expr e) {
  if (s->met_room < s->g->count) {
    s->met_room = 2 * s->g->count;
    s->met = ARENA_ARRAY(s->arena, int, s->met_room);
    s->walk = 0;
  }
  s->walk++;
  s->nodes.count = 0;
  meet(s, e);
  for (int i = 0; i < s->nodes.count; i++) expr_each_argument(s->g, s->nodes.at[i], meet, s);
  qsort(s->nodes.at, (size_t)s->nodes.count, sizeof *s->nodes.at, ascending);
}

// ---------------------------------------------------------------- the surface

static bool is_branch(const Event *e) {
  return e->kind != EVENT_FLOOR;
}

static void find_signs(const Smoothness *s, Surface *at) {
  Expr minus = expr_neg(s->g, at->w);
  for (int k = 0; k < s->f->events.count; k++) {
    const Event *e = &s->f->events.at[k];
    if (!is_branch(e)) continue;
    if (e->switching == at->w)
      at->sign[k] = 1;
    else if (e->switching == minus || expr_neg(s->g, e->switching) == at->w)
      at->sign[k] = -1;
  }
}

static double mode_at(const Event *e, double w) {
  switch (e->kind) {
  case EVENT_NEGATIVE: return w < 0;
  case EVENT_NOT_POSITIVE: return w <= 0;
  default: return w;
  }
}

static void make_sides(const Smoothness *s, Surface *at) {
  for (int i = 0; i < 3; i++) {
    at->side[i] = replacer_new(s->g, s->arena);
    for (int k = 0; k < s->f->events.count; k++) {
      const Event *e = &s->f->events.at[k];
      if (at->sign[k])
        replacer_set(at->side[i], e->mode, expr_const(s->g, mode_at(e, (i - 1) * at->sign[k])));
    }
  }
}

static bool is_mode(const Smoothness *s, Expr e) {
  for (int k = 0; k < s->f->events.count; k++)
    if (s->f->events.at[k].mode == e) return true;
  return false;
}

// A symbol, varying or not, that w contains with a number as factor; -1: there is none.
static Expr find_symbol(Smoothness *s, Expr w, bool varying, Expr *slope) {
  walk(s, w);
  for (int i = 0; i < s->nodes.count; i++) {
    Expr e = s->nodes.at[i];
    if (expr_node(s->g, e)->op != OP_SYMBOL || expr_varies(s->g, e) != varying || is_mode(s, e))
      continue;
    *slope = derive(s->g, w, e);
    if (expr_is_const(s->g, *slope) && !expr_is_value(s->g, *slope, 0)) return e;
  }
  return -1;
}

static bool solve_surface(Smoothness *s, Surface *at) {
  Graph *g = s->g;
  Expr slope;
  at->symbol = find_symbol(s, at->w, true, &slope);
  if (at->symbol < 0) at->symbol = find_symbol(s, at->w, false, &slope);
  if (at->symbol < 0) return false;
  Replacer *zero = replacer_new(g, s->arena);
  replacer_set(zero, at->symbol, expr_const(g, 0));
  at->on = replacer_new(g, s->arena);
  replacer_set(at->on, at->symbol, expr_neg(g, expr_div(g, replace(zero, at->w), slope)));
  return true;
}

// ---------------------------------------------------------------- both sides of an equation

static bool is_kink(Op op) {
  return op == OP_ABS || op == OP_MIN || op == OP_MAX || op == OP_FLOOR || op == OP_ATAN2 ||
         op == OP_SOLVED || OPS[op].kind == OP_KIND_RELATION;
}

typedef struct Moving {
  const Smoothness *s;
  unsigned char *moves; // by node
  unsigned char any;
} Moving;

static void join(void *data, Expr e) {
  Moving *m = data;
  m->any |= m->moves[e];
}

static bool is_zero_there(const Smoothness *s, const Surface *at, Expr e) {
  return expr_is_value(s->g, replace(at->on, e), 0);
}

// A function that has no finite slope on the surface: a root of 0, for example.
static bool is_steep(const Smoothness *s, const Surface *at, Expr e) {
  const ExprNode n = *expr_node(s->g, e);
  bool above_one = expr_is_const(s->g, n.b) && expr_node(s->g, n.b)->value > 1;
  switch (n.op) {
  case OP_DIV: return is_zero_there(s, at, n.b);
  case OP_SQRT:
  case OP_LOG:
  case OP_LOG10: return is_zero_there(s, at, n.a);
  case OP_POW: return !above_one && is_zero_there(s, at, n.a);
  case OP_ASIN:
  case OP_ACOS: return expr_is_const(s->g, replace(at->on, n.a));
  default: return false;
  }
}

// Whether anything in e that changes with the symbol has a kink of its own (inside noEvent) or no slope on the surface.
static bool is_rough(Smoothness *s, const Surface *at, Expr e) {
  walk(s, e);
  Moving m = {.s = s, .moves = ARENA_ARRAY(s->arena, unsigned char, e + 1)};
  for (int i = 0; i < s->nodes.count; i++) {
    Expr node = s->nodes.at[i];
    m.any = node == at->symbol;
    expr_each_argument(s->g, node, join, &m);
    m.moves[node] = m.any;
    if (m.any && (is_kink(expr_node(s->g, node)->op) || is_steep(s, at, node))) return true;
  }
  return false;
}

// Something divided by 0, or a number that does not exist.
static bool is_singular(Smoothness *s, Expr e) {
  walk(s, e);
  for (int i = 0; i < s->nodes.count; i++) {
    const ExprNode *n = expr_node(s->g, s->nodes.at[i]);
    if (n->op == OP_CONST && !isfinite(n->value)) return true;
    if (n->op == OP_DIV && expr_is_value(s->g, n->b, 0)) return true;
  }
  return false;
}

static bool are_equal_there(Smoothness *s, const Surface *at, Expr a, Expr b) {
  Expr at_a = replace(at->on, a);
  return at_a == replace(at->on, b) && !is_singular(s, at_a);
}

static bool is_smooth(Smoothness *s, const Surface *at, Expr e) {
  Expr below = replace(at->side[0], e), there = replace(at->side[1], e);
  Expr above = replace(at->side[2], e);
  return !is_rough(s, at, below) && !is_rough(s, at, above) &&
         are_equal_there(s, at, below, above) && are_equal_there(s, at, there, above) &&
         are_equal_there(s, at, derive(s->g, below, at->symbol), derive(s->g, above, at->symbol));
}

static bool uses(const Smoothness *s, const Surface *at, int row) {
  for (int e = s->modes.start[row]; e < s->modes.start[row + 1]; e++)
    if (at->sign[s->modes.unknown[e]]) return true;
  return false;
}

static bool all_smooth(Smoothness *s, const Surface *at) {
  int equations = s->f->equations.count;
  for (int i = 0; i < equations; i++)
    if (uses(s, at, i) && !is_smooth(s, at, s->f->equations.at[i].residual)) return false;
  for (int k = 0; k < s->f->events.count; k++)
    if (uses(s, at, equations + k) && !is_smooth(s, at, s->f->events.at[k].switching)) return false;
  return true;
}

// ----------------------------------------------------------------

static void find_modes(Smoothness *s) {
  const Flat *f = s->f;
  int equations = f->equations.count, events = f->events.count;
  SortEquation *rows = ARENA_ARRAY(s->arena, SortEquation, equations + events + 1);
  SortUnknown *modes = ARENA_ARRAY(s->arena, SortUnknown, events + 1);
  for (int i = 0; i < equations; i++) rows[i].residual = f->equations.at[i].residual;
  for (int k = 0; k < events; k++) {
    rows[equations + k].residual = f->events.at[k].switching;
    modes[k].symbol = f->events.at[k].mode;
  }
  s->modes = sort_incidence(s->g, s->arena, rows, equations + events, modes, events);
}

bool find_smooth_events(Flat *f, unsigned char *smooth) {
  Smoothness s = {.f = f, .g = f->graph, .arena = arena_new()};
  int count = f->events.count;
  bool *judged = ARENA_ARRAY(s.arena, bool, count + 1), any = false;
  find_modes(&s);
  for (int k = 0; k < count; k++) {
    if (judged[k] || !is_branch(&f->events.at[k])) continue;
    Surface at = {.w = f->events.at[k].switching, .sign = ARENA_ARRAY(s.arena, int, count + 1)};
    find_signs(&s, &at);
    make_sides(&s, &at);
    bool ok = solve_surface(&s, &at) && all_smooth(&s, &at);
    for (int j = 0; j < count; j++)
      if (at.sign[j]) judged[j] = true, smooth[j] = ok;
    any |= ok;
  }
  arena_free(s.arena);
  return any;
}
