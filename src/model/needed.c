// `pre(mode) == 0 and u > 1`: while pre(mode) is another number nothing depends on u > 1, and the event of it need not be
// found; at other events its mode is brought up to date as all modes are. Conditions that decide this are constant between
// events. They are handed down from the equations to the modes: need of a node = or over its users of (need of the user
// and, in `a and b`, `a or b` and `if`, the condition under which the user looks at it). Of two operands that are both
// constant the first is always looked at.
#include "model/needed.h"

#include "expr/replace.h"
#include "expr/simplify.h"

typedef struct Needed {
  Model *m;
  Graph *g;
  int count;            // nodes
  Expr *need;           // by node
  bool *reached;        // by node: need is set
  int *event_of;        // by node: the event whose mode it is, counted from 1
  unsigned char *still; // by node: constant between events
  Replacer *between;    // pulses are false, discrete variables what they are computed from
} Needed;

static void and_argument(void *data, Expr e) {
  const Needed *n = ((void **)data)[0];
  bool *all = ((void **)data)[1];
  *all &= n->still[e];
}

static void join_arguments(Needed *n) {
  for (Expr e = 0; e < n->count; e++) {
    const ExprNode *node = expr_node(n->g, e);
    if (!expr_varies(n->g, e)) n->still[e] = 1;
    if (n->still[e] || node->op == OP_SYMBOL || node->op == OP_SOLVED) continue;
    bool all = true;
    expr_each_argument(n->g, e, and_argument, (void *[]){n, &all});
    n->still[e] = all;
  }
}

static void find_still(Needed *n) {
  const Model *m = n->m;
  const Flat *f = m->flat;
  for (int k = 0; k < f->held.count; k++) n->still[f->held.at[k].before] = 1;
  for (int k = 0; k < f->pulses.count; k++) n->still[f->pulses.at[k].symbol] = 1;
  for (int k = 0; k < f->events.count; k++) n->still[f->events.at[k].mode] = 1;
  join_arguments(n);
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    bool discrete = v->kind == VARIABLE_UNKNOWN && (v->boolean || v->integer);
    if (!discrete || m->value[i] == v->node || !n->still[m->value[i]]) continue;
    n->still[v->node] = 1;
    replacer_set(n->between, v->node, replace(n->between, m->value[i]));
  }
  join_arguments(n);
}

static void add_need(Needed *n, Expr e, Expr need) {
  need = replace(n->between, need);
  n->need[e] = n->reached[e] ? expr_make(n->g, OP_OR, n->need[e], need, 0) : need;
  n->reached[e] = true;
}

static void need_always(void *data, Expr e) {
  add_need(data, e, expr_const(((Needed *)data)->g, 1));
}

static void need_if(Needed *n, Expr e, Expr need, Expr condition, bool is) {
  Expr truth = is ? condition : expr_make(n->g, OP_NOT, condition, 0, 0);
  add_need(n, e, expr_make(n->g, OP_AND, need, truth, 0));
}

// One of two operands may decide without the other: where it is not `is`.
static void hand_to_both(Needed *n, Expr need, Expr a, Expr b, bool is) {
  bool first = n->still[a], second = n->still[b] && !first;
  if (second)
    need_if(n, a, need, b, is);
  else
    add_need(n, a, need);
  if (first)
    need_if(n, b, need, a, is);
  else
    add_need(n, b, need);
}

static void hand_down(Needed *n, Expr e) {
  ExprNode node = *expr_node(n->g, e);
  Expr need = n->need[e];
  if (node.op == OP_SOLVED) {
    expr_each_argument(n->g, e, need_always, n);
    return;
  }
  switch (node.op) {
  case OP_AND: hand_to_both(n, need, node.a, node.b, true); return;
  case OP_OR: hand_to_both(n, need, node.a, node.b, false); return;
  case OP_SELECT:
    add_need(n, node.a, need);
    if (n->still[node.a]) {
      need_if(n, node.b, need, node.a, true);
      need_if(n, node.c, need, node.a, false);
    } else {
      add_need(n, node.b, need);
      add_need(n, node.c, need);
    }
    return;
  default:
    for (int i = 0; i < expr_arg_count(n->g, e); i++) add_need(n, expr_arg(n->g, e, i), need);
  }
}

// A mode stands behind its switching function, so that its need is known by now.
static void hand_to_switching(Needed *n, Expr mode) {
  int event = n->event_of[mode];
  if (event) add_need(n, n->m->flat->events.at[event - 1].switching, n->need[mode]);
}

static void begin_at_equations(Needed *n) {
  const Flat *f = n->m->flat;
  for (int i = 0; i < f->equations.count; i++) need_always(n, f->equations.at[i].residual);
  for (int i = 0; i < f->held.count; i++) need_always(n, f->held.at[i].value);
  for (int i = 0; i < f->whens.count; i++) need_always(n, f->whens.at[i].value);
  for (int i = 0; i < f->pulses.count; i++) need_always(n, f->pulses.at[i].value);
  for (int i = 0; i < f->events.count;
       i++) { // a switching function as its mode, see hand_to_switching
    const Event *e = &f->events.at[i];
    if (e->switching < e->mode)
      n->event_of[e->mode] = i + 1;
    else
      need_always(n, e->switching);
  }
  for (int i = 0; i < f->asserts.count; i++) need_always(n, f->asserts.at[i].condition);
  for (int i = 0; i < f->terminates.count; i++) need_always(n, f->terminates.at[i].active);
}

void find_needed_events(Model *m) {
  const Flat *f = m->flat;
  if (!f->hybrid) return;
  Arena *scratch = arena_new();
  Needed n = {.m = m, .g = m->graph, .count = m->graph->count};
  n.need = ARENA_ARRAY(scratch, Expr, n.count + 1);
  n.reached = ARENA_ARRAY(scratch, bool, n.count + 1);
  n.still = ARENA_ARRAY(scratch, unsigned char, n.count + 1);
  n.event_of = ARENA_ARRAY(scratch, int, n.count + 1);
  n.between = replacer_new(m->graph, scratch);
  for (int k = 0; k < f->pulses.count; k++)
    replacer_set(n.between, f->pulses.at[k].symbol, expr_const(m->graph, 0));
  find_still(&n);
  begin_at_equations(&n);
  for (Expr e = n.count - 1; e >= 0; e--)
    if (n.reached[e]) hand_to_switching(&n, e), hand_down(&n, e);
  m->needed = ARENA_ARRAY(m->arena, Expr, f->events.count + 1);
  for (int k = 0; k < f->events.count; k++) {
    Expr mode = f->events.at[k].mode;
    m->needed[k] = n.reached[mode] ? n.need[mode] : expr_const(m->graph, 0);
    m->some_unneeded |= !expr_is_value(m->graph, m->needed[k], 1);
  }
  arena_free(scratch);
}
