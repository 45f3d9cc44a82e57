#include "model/reduce_nodes.h"

#include <math.h>

#include "expr/derive.h"
#include "model/probe.h"
#include "model/split.h"

static void set_node_at(Reducer *r, Expr symbol, int node) {
  while (r->node_at.count <= symbol) array_push(r->scratch, &r->node_at, 0);
  r->node_at.at[symbol] = node + 1;
}

static int add_variable(Reducer *r, VariableNode v) {
  v.next = v.equation = -1;
  array_push(r->scratch, &r->variables, v);
  set_node_at(r, v.symbol, r->variables.count - 1);
  return r->variables.count - 1;
}

static VariableNode *made_at(Reducer *r, int variable, int order) {
  return &r->made[variable * (LEVELS_MOST + 2) + order];
}

int differentiate_variable(Reducer *r, int node) {
  VariableNode v = r->variables.at[node];
  VariableNode *made = made_at(r, v.variable, v.order + 1);
  if (!made->symbol) {
    *made = (VariableNode){.variable = v.variable, .order = v.order + 1};
    made->name = arena_print(r->arena, "der(%s)", v.name);
    made->symbol = expr_symbol(r->g, made->name, true);
  }
  int next = add_variable(r, *made);
  r->variables.at[node].next = next;
  return next;
}

// The highest derivative of a variable among those that were made that occurs in the typed equations, 0: none.
static int highest_typed(Reducer *r, int variable) {
  int order = LEVELS_MOST + 1;
  for (; order > 0; order--) {
    Expr symbol = made_at(r, variable, order)->symbol;
    if (!symbol) continue;
    Arena *scratch = arena_new();
    const unsigned char *depends = expr_dependents(r->g, scratch, &symbol, 1);
    bool found = false;
    for (int k = 0; k < r->typed && !found; k++) found = depends[r->typed_equations[k].residual];
    arena_free(scratch);
    if (found) break;
  }
  return order;
}

static void list_variables(Reducer *r) {
  const Model *m = r->m;
  for (int j = 0; j < m->unknown_count; j++) {
    int number = m->unknown_variable[j];
    const Variable *v = &m->flat->variables.at[number];
    int node = add_variable(r, (VariableNode){v->node, v->name, number, 0, 0, 0, 0});
    if (v->state) {
      VariableNode slope = {v->derivative, v->derivative_name, number, 1, 0, 0, 0};
      int next = add_variable(r, slope);
      r->variables.at[node].next = next;
      node = next;
    }
    for (int most = highest_typed(r, number); r->variables.at[node].order < most;)
      node = differentiate_variable(r, node);
  }
}

typedef struct Occurrence {
  Reducer *r;
  IntArray stack, found;
} Occurrence;

static void occur(void *data, Expr e) {
  Occurrence *o = data;
  if (o->r->stamp[e] == o->r->now) return;
  o->r->stamp[e] = o->r->now;
  const IntArray *at = &o->r->node_at;
  if (e < at->count && at->at[e])
    array_push(o->r->scratch, &o->found, at->at[e] - 1);
  else
    array_push(o->r->scratch, &o->stack, e);
}

IntArray occurrences(Reducer *r, Expr e) {
  Occurrence o = {.r = r};
  if (r->stamp_room < r->g->count) {
    r->stamp_room = 2 * r->g->count;
    r->stamp = ARENA_ARRAY(r->scratch, int, r->stamp_room);
    r->now = 0;
  }
  r->now++;
  occur(&o, e);
  while (o.stack.count) expr_each_argument(r->g, o.stack.at[--o.stack.count], occur, &o);
  return o.found;
}

int add_equation(Reducer *r, SortEquation e) {
  EquationNode n = {.e = e, .next = -1, .nodes = occurrences(r, e.residual), .unknown = -1};
  array_push(r->scratch, &r->equations, n);
  return r->equations.count - 1;
}

// Slopes of an expression by the variables that occur in it, near the start; NaN: not known.
static double *slopes_near_start(Reducer *r, Expr e, const IntArray *nodes, double rounding) {
  Expr *by = ARENA_ARRAY(r->scratch, Expr, nodes->count + 1);
  double *slope = ARENA_ARRAY(r->scratch, double, nodes->count + 1);
  for (int i = 0; i < nodes->count; i++) by[i] = r->variables.at[nodes->at[i]].symbol;
  Derivatives d = derive_rows(r->g, r->scratch, &e, 1, by, nodes->count);
  Probe *probe = rounding > 0 ? probe_new(r->m, r->scratch, 0.1, 3) : NULL;
  for (int k = 0; k < d.start[1]; k++)
    slope[d.column[k]] = probe && !expr_varies(r->g, d.value[k]) ? probe_value(probe, d.value[k]) : nan("");
  return slope;
}

Expr without_cancelled(Reducer *r, Expr e, double rounding) {
  IntArray nodes = occurrences(r, e);
  double *slope = slopes_near_start(r, e, &nodes, rounding), most = 0;
  Splitter *splitter = NULL;
  for (int i = 0; i < nodes.count; i++)
    if (isfinite(slope[i])) most = fmax(most, fabs(slope[i]));
  for (int i = 0; i < nodes.count; i++) {
    Expr by = r->variables.at[nodes.at[i]].symbol, of_it, rest;
    if (!(fabs(slope[i]) <= rounding * most)) continue;
    if (!splitter) splitter = splitter_new(r->g, r->scratch);
    if (split(splitter, e, by, &of_it, &rest)) e = rest;
  }
  return e;
}

void list_typed(Reducer *r) {
  r->variables.count = r->equations.count = r->node_at.count = 0;
  list_variables(r);
  for (int i = 0; i < r->typed; i++) {
    SortEquation *e = &r->typed_equations[i];
    e->residual = without_cancelled(r, e->residual, 0);
    add_equation(r, *e);
  }
}

bool is_known(const Reducer *r, const VariableNode *v) {
  return v->order == 0 && r->m->flat->variables.at[v->variable].state;
}
