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

// Without the variables whose slopes are 0: those of `d`, row k, by all variables, may be missing.
static Expr drop_missing(Reducer *r, Expr e, const Derivatives *d, int k) {
  IntArray nodes = occurrences(r, e);
  if (nodes.count == d->start[k + 1] - d->start[k]) return e;
  Splitter *splitter = splitter_new(r->g, r->scratch);
  for (int i = 0; i < nodes.count; i++) {
    bool found = false;
    for (int j = d->start[k]; j < d->start[k + 1]; j++) found |= d->column[j] == nodes.at[i];
    Expr slope, rest;
    if (!found && split(splitter, e, r->variables.at[nodes.at[i]].symbol, &slope, &rest)) e = rest;
  }
  return e;
}

static Derivatives derive_by_variables(Reducer *r, const Expr *e, int rows) {
  Expr *by = ARENA_ARRAY(r->scratch, Expr, r->variables.count + 1);
  for (int i = 0; i < r->variables.count; i++) by[i] = r->variables.at[i].symbol;
  return derive_rows(r->g, r->scratch, e, rows, by, r->variables.count);
}

static const double ROUNDING = 1e-11; // of a slope that should be 0, to the largest

Expr without_cancelled(Reducer *r, Expr e) {
  Derivatives d = derive_by_variables(r, &e, 1);
  Probe *probe = probe_new(r->m, r->scratch, 0.1, 3);
  double most = 0;
  int kept = 0;
  for (int k = 0; k < d.start[1]; k++)
    if (!expr_varies(r->g, d.value[k])) most = fmax(most, fabs(probe_value(probe, d.value[k])));
  for (int k = 0; k < d.start[1]; k++) {
    bool varies = expr_varies(r->g, d.value[k]);
    if (varies || fabs(probe_value(probe, d.value[k])) > ROUNDING * most)
      d.column[kept++] = d.column[k];
  }
  d.start[1] = kept;
  return drop_missing(r, e, &d, 0);
}

void list_typed(Reducer *r) {
  r->variables.count = r->equations.count = r->node_at.count = 0;
  list_variables(r);
  Expr *residual = ARENA_ARRAY(r->scratch, Expr, r->typed + 1);
  for (int i = 0; i < r->typed; i++) residual[i] = r->typed_equations[i].residual;
  Derivatives d = derive_by_variables(r, residual, r->typed);
  for (int i = 0; i < r->typed; i++) {
    SortEquation *e = &r->typed_equations[i];
    e->residual = drop_missing(r, e->residual, &d, i);
    add_equation(r, *e);
  }
}

bool is_known(const Reducer *r, const VariableNode *v) {
  return v->order == 0 && r->m->flat->variables.at[v->variable].state;
}
