// Two passes over the nodes that the motion and the outputs are made of. Bounds: modes of events begin with all their values,
// and the bounds of their switching functions narrow them, round by round; each round alone is right. Marks: of what may depend
// on a free parameter, until nothing changes.
#include "model/acting.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MOST = 40 }; // of bounds: a chain of modes has as many links at most

static const OpRange WHOLE = {-HUGE_VAL, HUGE_VAL}, TRUE_OR_FALSE = {0, 1};

typedef struct ActingWork {
  Arena *arena;
  const Model *m;
  const Graph *g;
  const ActingSpec *spec;
  unsigned char *needed; // by node
  IntArray nodes;        // those needed, arguments first
  OpRange *range;        // by node
  bool *marked;          // by node
  IntArray motion;       // roots
} ActingWork;

static OpRange point(double x) {
  return (OpRange){x, x};
}

static bool is_point(OpRange r) {
  return r.low == r.high;
}

static OpRange hull(OpRange a, OpRange b) {
  return (OpRange){fmin(a.low, b.low), fmax(a.high, b.high)};
}

// ---------------------------------------------------------------- what is looked at

static void need(void *data, Expr e) {
  ActingWork *w = data;
  w->needed[e] = 1;
}

static void add(ActingWork *w, Expr e) {
  array_push(w->arena, &w->motion, e);
  w->needed[e] = 1;
}

static void add_all(ActingWork *w, const Expr *list, int count) {
  for (int i = 0; list && i < count; i++) add(w, list[i]);
}

static void add_discrete(ActingWork *w) {
  const Model *m = w->m;
  const Flat *f = m->flat;
  if (!f->hybrid) return;
  add_all(w, m->live_switching, m->ne);
  add_all(w, m->needed, m->ne);
  add_all(w, m->held, f->held.count);
  add_all(w, m->held0, f->held.count);
  add_all(w, m->jump, m->jump_count);
  add_all(w, m->terminate, f->terminates.count);
  for (int i = 0; i < f->pulses.count; i++) add(w, f->pulses.at[i].value);
  for (int i = 0; i < f->reinits.count; i++)
    add(w, f->reinits.at[i].active), add(w, f->reinits.at[i].value);
}

static void add_motion(ActingWork *w) {
  const Model *m = w->m;
  add_all(w, m->f, m->nx);
  add_all(w, m->x0, m->nx);
  add_all(w, m->switching, m->ne);
  add_all(w, m->mode0, m->ne);
  for (int i = 0; i < m->timed_count; i++) add(w, m->timed[i].slope), add(w, m->timed[i].offset);
  for (int i = 0; i < m->invariant_count; i++) add(w, m->invariants[i].residual);
  for (int i = 0; i < m->condition_count; i++) add(w, m->conditions[i].residual);
  for (int i = 0; i < m->assert_count; i++)
    if (expr_varies(m->graph, m->asserts[i])) add(w, m->asserts[i]);
  add_discrete(w);
}

static void list_nodes(ActingWork *w) {
  for (int i = 0; i < w->spec->output_count; i++) w->needed[w->spec->outputs[i]] = 1;
  for (Expr e = w->g->count - 1; e >= 0; e--)
    if (w->needed[e]) expr_each_argument(w->g, e, need, w);
  for (Expr e = 0; e < w->g->count; e++)
    if (w->needed[e]) array_push(w->arena, &w->nodes, e);
}

// ---------------------------------------------------------------- symbols

// All values of a mode.
static OpRange mode_range(EventKind kind) {
  return kind == EVENT_FLOOR ? WHOLE : kind == EVENT_SIGN ? (OpRange){-1, 1} : TRUE_OR_FALSE;
}

static double sign(double x) {
  return (x > 0) - (x < 0);
}

static OpRange mode_from(EventKind kind, OpRange w) {
  if (isnan(w.low) || isnan(w.high)) return mode_range(kind);
  switch (kind) {
  case EVENT_FLOOR: return (OpRange){floor(w.low), floor(w.high)};
  case EVENT_SIGN: return (OpRange){sign(w.low), sign(w.high)};
  case EVENT_NOT_POSITIVE: return (OpRange){w.high <= 0, w.low <= 0};
  case EVENT_NEGATIVE: break;
  }
  return (OpRange){w.high < 0, w.low < 0};
}

static void set_helpers(ActingWork *w, HelperSymbol kind) {
  const IntArray *list = &w->m->symbols->helpers[kind];
  for (int i = 0; i < list->count && i < w->m->nu; i++)
    if (list->at[i] < w->g->count && is_point(w->spec->inputs[i])) w->range[list->at[i]] = point(0);
}

// Symbols that are not set here are states, and whatever else nothing is known about.
static void set_symbols(ActingWork *w) {
  const Model *m = w->m;
  const ActingSpec *s = w->spec;
  w->range[m->flat->time] = (OpRange){s->from, s->until};
  w->range[m->flat->origin] = point(s->origin);
  for (int k = 0; k < m->np; k++) {
    const Parameter *p = &m->flat->parameters.at[k];
    if (p->dependent || w->g->nodes[p->node].op != OP_SYMBOL) continue;
    w->range[p->node] = s->free[k] ? WHOLE : point(s->p[k]);
    w->marked[p->node] = s->free[k];
  }
  for (int i = 0; i < m->nu; i++) w->range[m->u[i]] = s->inputs[i];
  for (HelperSymbol k = HELPER_INPUT_SLOPE; k <= HELPER_INPUT_THIRD; k++) set_helpers(w, k);
  for (int k = 0; k < m->ne; k++)
    w->range[m->flat->events.at[k].mode] = mode_range(m->flat->events.at[k].kind);
}

// ---------------------------------------------------------------- bounds

static OpRange range_of_lookup(const ExprTable *t, OpRange i) {
  double low = i.low >= 1 ? fmin(i.low, t->count - 1) : 0;
  double high = i.high >= 1 ? fmin(i.high, t->count - 1) : 0;
  OpRange r = point(t->at[(int)low]);
  for (int k = (int)low; k <= (int)high; k++) r = hull(r, point(t->at[k]));
  return r;
}

static bool is_zero(OpRange r) {
  return r.low == 0 && r.high == 0;
}

static bool is_never_zero(OpRange r) {
  return r.low > 0 || r.high < 0;
}

static OpRange range_of_relation(Op op, OpRange a, OpRange b) {
  bool apart = a.high < b.low || b.high < a.low;
  switch (op) {
  case OP_LT: return (OpRange){a.high < b.low, a.low < b.high};
  case OP_LE: return (OpRange){a.high <= b.low, a.low <= b.high};
  case OP_EQ: return (OpRange){0, !apart};
  case OP_NE: return (OpRange){apart, 1};
  case OP_AND: return (OpRange){is_never_zero(a) && is_never_zero(b), !is_zero(a) && !is_zero(b)};
  case OP_OR: return (OpRange){is_never_zero(a) || is_never_zero(b), !is_zero(a) || !is_zero(b)};
  case OP_NOT: return (OpRange){is_zero(a), !is_never_zero(a)};
  default: return TRUE_OR_FALSE;
  }
}

// The operand that a choice gives for certain: 1 or 2, 0: either.
static int chosen(const ActingWork *w, const ExprNode *n) {
  if (n->op != OP_SELECT) return 0;
  OpRange a = w->range[n->a];
  return is_never_zero(a) ? 1 : is_zero(a) ? 2 : 0;
}

static bool all_points(const ActingWork *w, Expr e) {
  for (int i = 0; i < expr_arg_count(w->g, e); i++)
    if (!is_point(w->range[expr_arg(w->g, e, i)])) return false;
  return true;
}

static OpRange range_of_choice(const ActingWork *w, const ExprNode *n) {
  int which = chosen(w, n);
  if (which) return w->range[which == 1 ? n->b : n->c];
  return hull(w->range[n->b], w->range[n->c]);
}

static OpRange range_of_rank(const ActingWork *w, const ExprNode *n) {
  OpRange b = w->range[n->b];
  double high = expr_table_of(w->g, n->a)->count + 1.0, table = w->range[n->a].low;
  return (OpRange){isfinite(b.low) ? expr_apply(w->g, n, table, b.low, 0) : 0,
                   isfinite(b.high) ? expr_apply(w->g, n, table, b.high, 0) : high};
}

static OpRange range_of_operation(const ActingWork *w, const ExprNode *n) {
  OpRange a = w->range[n->a], b = w->range[OPS[n->op].args > 1 ? n->b : n->a];
  Op op = (Op)n->op;
  switch (op) {
  case OP_MUL:
    if (is_zero(a) || is_zero(b)) return point(0); // whatever the other one is
    break;
  case OP_DIV:
    if (is_zero(a)) return point(0);
    break;
  case OP_MIN: return (OpRange){fmin(a.low, b.low), fmin(a.high, b.high)};
  case OP_MAX: return (OpRange){fmax(a.low, b.low), fmax(a.high, b.high)};
  case OP_FLOOR: return (OpRange){floor(a.low), floor(a.high)};
  case OP_SELECT: return range_of_choice(w, n);
  case OP_RANK: return range_of_rank(w, n);
  case OP_LOOKUP: return range_of_lookup(expr_table_of(w->g, n->a), b);
  default:
    if (OPS[op].kind == OP_KIND_RELATION) return range_of_relation(op, a, b);
  }
  return op_range(op, a, b, OPS[op].args > 1 && n->a == n->b);
}

static OpRange range_of(const ActingWork *w, Expr e) {
  const ExprNode *n = &w->g->nodes[e];
  OpRange r = WHOLE;
  if (n->op == OP_CONST) return point(n->value);
  if (n->op == OP_SYMBOL) return w->range[e];
  if (n->op == OP_SOLVED) return WHOLE;
  if (all_points(w, e))
    r = point(expr_apply(w->g, n, w->range[n->a].low, w->range[n->b].low, w->range[n->c].low));
  else
    r = range_of_operation(w, n);
  return r.low <= r.high ? r : WHOLE; // not a number
}

// A round. Whether the modes are narrower than before.
static bool find_ranges(ActingWork *w) {
  const Flat *f = w->m->flat;
  bool narrower = false;
  for (int i = 0; i < w->nodes.count; i++) w->range[w->nodes.at[i]] = range_of(w, w->nodes.at[i]);
  for (int k = 0; k < w->m->ne; k++) {
    OpRange *mode = &w->range[f->events.at[k].mode];
    OpRange now = mode_from(f->events.at[k].kind, w->range[w->m->switching[k]]);
    narrower |= now.low > mode->low || now.high < mode->high;
    *mode = (OpRange){fmax(now.low, mode->low), fmin(now.high, mode->high)};
  }
  return narrower;
}

// ---------------------------------------------------------------- marks

typedef struct MarkSearch {
  const bool *marked;
  bool found;
} MarkSearch;

static void find_mark(void *data, Expr e) {
  MarkSearch *s = data;
  s->found |= s->marked[e];
}

static bool mark_of(const ActingWork *w, Expr e) {
  const ExprNode *n = &w->g->nodes[e];
  if (n->op == OP_SYMBOL) return w->marked[e];
  if (is_point(w->range[e])) return false;
  int which = chosen(w, n);
  if (which) return w->marked[which == 1 ? n->b : n->c];
  MarkSearch s = {w->marked, false};
  expr_each_argument(w->g, e, find_mark, &s);
  return s.found;
}

// A round. Whether there are more marks than before.
static bool find_marks(ActingWork *w) {
  const Flat *f = w->m->flat;
  bool more = false;
  for (int i = 0; i < w->nodes.count; i++) {
    Expr e = w->nodes.at[i];
    w->marked[e] = w->marked[e] || mark_of(w, e);
  }
  for (int k = 0; k < w->m->ne; k++) {
    Expr mode = f->events.at[k].mode;
    bool now = w->marked[w->m->switching[k]] && !is_point(w->range[mode]);
    more |= now && !w->marked[mode];
    w->marked[mode] = w->marked[mode] || now;
  }
  return more;
}

static bool any_marked(const ActingWork *w, const Expr *list, int count) {
  bool found = false;
  for (int i = 0; i < count; i++) found |= w->marked[list[i]];
  return found;
}

Acting model_acting(Model *m, const ActingSpec *s) {
  ActingWork w = {.arena = arena_new(), .m = m, .g = m->graph, .spec = s};
  pthread_mutex_lock(m->lock);
  w.needed = ARENA_ARRAY(w.arena, unsigned char, w.g->count);
  w.range = ARENA_ARRAY(w.arena, OpRange, w.g->count);
  w.marked = ARENA_ARRAY(w.arena, bool, w.g->count);
  for (Expr e = 0; e < w.g->count; e++) w.range[e] = WHOLE;
  add_motion(&w);
  list_nodes(&w);
  set_symbols(&w);
  for (int round = 0; find_ranges(&w) && round < ROUNDS_MOST; round++) {
  }
  while (find_marks(&w)) {
  }
  Acting out = {any_marked(&w, w.motion.at, w.motion.count),
                any_marked(&w, s->outputs, s->output_count)};
  pthread_mutex_unlock(m->lock);
  arena_free(w.arena);
  return out;
}
