// Index reduction. The algorithm of Pantelides (1988, SIAM J. Sci. Stat. Comput. 9:213) looks for a matching of the
// equations with the highest derivatives; where an augmenting path from an equation fails, the equations and variables
// that the search reached (colored) are differentiated, and it tries again.
//
// Afterwards the equations that were differentiated are matched with the lower derivatives; those that are left over
// are invariants. Instead of the c-th derivative of a constraint g, (d/dt + rate)^c g = 0 is solved, so that errors of
// the invariants die out (Baumgarte 1972, Comput. Methods Appl. Mech. Eng. 1:1).
#include "model/reduce.h"

#include <math.h>
#include <string.h>

#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"
#include "lang/source_warn.h"

enum { LEVELS_MOST = 12 }; // of differentiation; mechanisms need 2

typedef struct VariableNode { // a variable or one of its derivatives
  Expr symbol;
  const char *name;
  int variable, order;
  int next;     // its derivative, -1: it is the highest
  int equation; // that it is assigned to, -1: none
  bool colored;
} VariableNode;

typedef struct EquationNode { // an equation or one of its derivatives
  SortEquation e;
  int next; // its derivative, -1: it is the last
  IntArray nodes;
  int unknown; // among those that are solved for, -1: an invariant
  bool colored;
} EquationNode;

typedef struct Reducer {
  Model *m;
  Graph *g;
  Arena *arena; // of the model
  Arena *scratch;
  ARRAY(VariableNode) variables;
  ARRAY(EquationNode) equations;
  int typed;        // equations
  IntArray node_at; // by graph node: variable node + 1
  int *stamp, stamp_room, now;
  Err *err;
} Reducer;

// ---------------------------------------------------------------- nodes

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

static int differentiate_variable(Reducer *r, int node) {
  VariableNode v = r->variables.at[node];
  v.name = arena_print(r->arena, "der(%s)", v.name);
  v.symbol = expr_symbol(r->g, v.name, true);
  v.order++;
  v.colored = false;
  int next = add_variable(r, v);
  r->variables.at[node].next = next;
  return next;
}

static void list_variables(Reducer *r) {
  const Model *m = r->m;
  for (int j = 0; j < m->unknown_count; j++) {
    const Variable *v = &m->flat->variables.at[m->unknown_variable[j]];
    int node =
        add_variable(r, (VariableNode){v->node, v->name, m->unknown_variable[j], 0, 0, 0, 0});
    if (!v->state) continue;
    VariableNode slope = {v->derivative, v->derivative_name, m->unknown_variable[j], 1, 0, 0, 0};
    int next = add_variable(r, slope);
    r->variables.at[node].next = next;
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

// Variables that occur in an expression.
static IntArray occurrences(Reducer *r, Expr e) {
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

static int add_equation(Reducer *r, SortEquation e) {
  EquationNode n = {.e = e, .next = -1, .nodes = occurrences(r, e.residual), .unknown = -1};
  array_push(r->scratch, &r->equations, n);
  return r->equations.count - 1;
}

// ---------------------------------------------------------------- differentiating by time

enum { INPUT_ORDER_MOST = 2 }; // derivatives of inputs that equations may contain

// What every symbol that moves changes at.
static int slopes(Reducer *r, Expr *by, Expr *seed) {
  Model *m = r->m;
  const Expr *du = model_helpers(m, HELPER_INPUT_SLOPE, m->nu);
  const Expr *ddu = model_helpers(m, HELPER_INPUT_SECOND, m->nu);
  int count = 0;
  by[count] = m->flat->time, seed[count++] = expr_const(r->g, 1);
  for (int i = 0; i < m->nu; i++) {
    by[count] = m->u[i], seed[count++] = du[i];
    by[count] = du[i], seed[count++] = ddu[i];
  }
  for (int i = 0; i < r->variables.count; i++) {
    const VariableNode *v = &r->variables.at[i];
    if (v->next < 0) continue;
    by[count] = v->symbol, seed[count++] = r->variables.at[v->next].symbol;
  }
  return count;
}

// The highest derivative of input i in an expression.
static int input_order(Reducer *r, Expr e, int i) {
  static const HelperSymbol ORDERS[INPUT_ORDER_MOST] = {HELPER_INPUT_SLOPE, HELPER_INPUT_SECOND};
  Model *m = r->m;
  int order = 0;
  Arena *scratch = arena_new();
  for (int k = 0; k < INPUT_ORDER_MOST; k++) {
    Expr symbol = model_helpers(m, ORDERS[k], m->nu)[i];
    if (expr_dependents(r->g, scratch, &symbol, 1)[e]) order = k + 1;
  }
  arena_free(scratch);
  return order;
}

static bool check_inputs(Reducer *r, int equation) {
  Model *m = r->m;
  const SortEquation *e = &r->equations.at[equation].e;
  for (int i = 0; i < m->nu && e->level >= INPUT_ORDER_MOST; i++)
    if (input_order(r, e->residual, i) == INPUT_ORDER_MOST)
      return source_fail(m->flat->source, r->err, ERR_UNSUPPORTED, e->line, e->column,
                         "this constraint has to be differentiated %d times, and with it the input "
                         "%s, of which only two derivatives are known; write that motion as an "
                         "expression of time",
                         e->level + 1, m->flat->variables.at[m->input[i]].name);
  return true;
}

static bool differentiate_equations(Reducer *r) {
  int count = r->equations.count, rows = 0;
  Arena *scratch = arena_new();
  Expr *from = ARENA_ARRAY(scratch, Expr, count + 1), *to = ARENA_ARRAY(scratch, Expr, count + 1);
  int *which = ARENA_ARRAY(scratch, int, count + 1);
  int room = 1 + 2 * r->m->nu + r->variables.count;
  Expr *by = ARENA_ARRAY(scratch, Expr, room + 1), *seed = ARENA_ARRAY(scratch, Expr, room + 1);
  bool ok = true;
  for (int i = 0; i < count && ok; i++) {
    if (!r->equations.at[i].colored) continue;
    ok = check_inputs(r, i);
    which[rows] = i, from[rows++] = r->equations.at[i].e.residual;
  }
  if (ok) derive_direction(r->g, from, rows, by, seed, slopes(r, by, seed), to);
  for (int k = 0; k < rows && ok; k++) {
    SortEquation e = r->equations.at[which[k]].e;
    e.residual = to[k];
    e.level++;
    int next = add_equation(r, e);
    r->equations.at[which[k]].next = next;
  }
  arena_free(scratch);
  return ok;
}

// ---------------------------------------------------------------- Pantelides

// An augmenting path from the equation `root` to a highest derivative that nothing determines (augment_from in match.c,
// with a stack of its own for the same reason). Colors what it looked at.
static bool assign_equation(Reducer *r, int root) {
  IntArray equation = {0}, from = {0}, taken = {0}; // the path; by equation: place in its nodes
  array_push(r->scratch, &equation, root);
  array_push(r->scratch, &from, 0);
  r->equations.at[root].colored = true;
  while (equation.count) {
    int top = equation.count - 1, e = equation.at[top], *k = &from.at[top];
    const IntArray *nodes = &r->equations.at[e].nodes;
    for (int i = 0; i < nodes->count; i++) {
      VariableNode *v = &r->variables.at[nodes->at[i]];
      if (v->next >= 0 || v->equation >= 0) continue;
      v->equation = e; // the path ends here: every equation takes the variable that it reached
      while (top--) r->variables.at[taken.at[top]].equation = equation.at[top];
      return true;
    }
    while (*k < nodes->count &&
           (r->variables.at[nodes->at[*k]].next >= 0 || r->variables.at[nodes->at[*k]].colored))
      (*k)++;
    if (*k == nodes->count) { // a dead end: back by one
      equation.count--, from.count--;
      if (taken.count) taken.count--;
      continue;
    }
    VariableNode *v = &r->variables.at[nodes->at[*k]];
    v->colored = r->equations.at[v->equation].colored = true;
    array_push(r->scratch, &taken, nodes->at[*k]);
    array_push(r->scratch, &equation, v->equation);
    array_push(r->scratch, &from, 0);
  }
  return false;
}

// For each equation that the matching leaves without an unknown: as long as no path assigns it, the colored part is
// differentiated, and the derivative of the equation takes its place. The derivatives are assigned to each other as what
// they are made from.
static bool pantelides(Reducer *r, const Matching *known) {
  for (int j = 0; j < r->m->unknown_count; j++) {
    int node = r->node_at.at[r->m->unknowns[j].symbol] - 1, e = known->equation_of[j];
    if (e >= 0 && !r->equations.at[e].e.redundant) r->variables.at[node].equation = e;
  }
  for (int k = 0; k < r->typed; k++) {
    if (known->unknown_of[k] >= 0 || r->equations.at[k].e.redundant) continue;
    for (int i = k;; i = r->equations.at[i].next) {
      int count = r->variables.count;
      for (int j = 0; j < count; j++) r->variables.at[j].colored = false;
      for (int j = 0; j < r->equations.count; j++) r->equations.at[j].colored = false;
      if (assign_equation(r, i)) break;
      const SortEquation *e = &r->equations.at[i].e;
      if (e->level >= LEVELS_MOST)
        return source_fail(r->m->flat->source, r->err, ERR_UNSUPPORTED, e->line, e->column,
                           "this equation would have to be differentiated more than %d times",
                           (int)LEVELS_MOST);
      for (int j = 0; j < count; j++)
        if (r->variables.at[j].colored) differentiate_variable(r, j);
      if (!differentiate_equations(r)) return false;
      for (int j = 0; j < count; j++) {
        const VariableNode *v = &r->variables.at[j];
        if (v->colored) r->variables.at[v->next].equation = r->equations.at[v->equation].next;
      }
    }
  }
  return true;
}

// ---------------------------------------------------------------- what determines lower derivatives

static bool is_known(const Reducer *r, const VariableNode *v) {
  return v->order == 0 && r->m->flat->variables.at[v->variable].state;
}

typedef struct LowerEquations { // equations and derivatives below the last
  int rows, count;
  int *row_of, *node_of; // by variable node: its row, -1 = none; by row: the variable node
  int *equation;         // those of low level first
  int *start;            // by equation: rows of the variables in it
  IntArray found;
} LowerEquations;

static void list_lower(Reducer *r, LowerEquations *l) {
  Arena *a = r->scratch;
  int variables = r->variables.count;
  l->row_of = ARENA_ARRAY(a, int, variables + 1);
  l->node_of = ARENA_ARRAY(a, int, variables + 1);
  l->equation = ARENA_ARRAY(a, int, r->equations.count + 1);
  l->start = ARENA_ARRAY(a, int, r->equations.count + 1);
  for (int i = 0; i < variables; i++) {
    const VariableNode *v = &r->variables.at[i];
    l->row_of[i] = v->next >= 0 && !is_known(r, v) ? l->rows : -1;
    if (l->row_of[i] >= 0) l->node_of[l->rows++] = i;
  }
  for (int level = 0; level <= LEVELS_MOST; level++)
    for (int i = 0; i < r->equations.count; i++)
      if (r->equations.at[i].next >= 0 && r->equations.at[i].e.level == level)
        l->equation[l->count++] = i;
}

// Everything at its start attribute, derivatives and time at 0.
static Replacer *at_start(Reducer *r) {
  const Flat *f = r->m->flat;
  Replacer *start = replacer_new(r->g, r->scratch);
  Expr zero = expr_const(r->g, 0);
  replacer_set(start, f->time, zero);
  replacer_set(start, f->origin, zero);
  for (int i = 0; i < r->m->nu; i++)
    replacer_set(start, r->m->u[i],
                 expr_const(r->g, f->variables.at[r->m->input[i]].default_value));
  for (int i = 0; i < r->variables.count; i++) {
    const VariableNode *v = &r->variables.at[i];
    replacer_set(start, v->symbol, v->order ? zero : f->variables.at[v->variable].start);
  }
  return start;
}

// How well an equation determines each variable in it at the start values: its slope against the largest of the equation.
// A slope that is a number is as good as any, because it stays.
static double *qualities(Reducer *r, const Derivatives *d) {
  Arena *a = r->scratch;
  double *quality = ARENA_ARRAY(a, double, d->start[d->rows] + 1);
  Replacer *start = at_start(r);
  for (int k = 0; k < d->rows; k++) {
    double most = 0;
    for (int e = d->start[k]; e < d->start[k + 1]; e++) {
      Expr slope = replace(start, d->value[e]);
      double size = expr_varies(r->g, slope) ? nan("") : fabs(flat_value(r->m->flat, slope));
      quality[e] = size;
      if (size > most) most = size;
    }
    for (int e = d->start[k]; e < d->start[k + 1]; e++) {
      bool known = isfinite(quality[e]) && most > 0;
      quality[e] = expr_is_const(r->g, d->value[e]) ? 1 : known ? quality[e] / most : 0.1;
    }
  }
  return quality;
}

static void fill_by_slopes(Reducer *r, LowerEquations *l, const Derivatives *d,
                           const double *quality, double least) {
  l->found.count = 0;
  for (int k = 0; k < l->count; k++) {
    for (int e = d->start[k]; e < d->start[k + 1]; e++) {
      int row = l->row_of[d->column[e]];
      if (row >= 0 && quality[e] >= least) array_push(r->scratch, &l->found, row);
    }
    l->start[k + 1] = l->found.count;
  }
}

static void fill_by_occurrence(Reducer *r, LowerEquations *l) {
  l->found.count = 0;
  for (int k = 0; k < l->count; k++) {
    const IntArray *nodes = &r->equations.at[l->equation[k]].nodes;
    for (int e = 0; e < nodes->count; e++)
      if (l->row_of[nodes->at[e]] >= 0) array_push(r->scratch, &l->found, l->row_of[nodes->at[e]]);
    l->start[k + 1] = l->found.count;
  }
}

// A matching serves columns in their order: here these are the equations.
static bool match_filled(Reducer *r, const LowerEquations *l) {
  Arena *a = r->scratch;
  int *by_row = ARENA_ARRAY(a, int, l->rows + 2), *column = ARENA_ARRAY(a, int, l->found.count + 1);
  for (int e = 0; e < l->found.count; e++) by_row[l->found.at[e] + 2]++;
  for (int i = 0; i < l->rows; i++) by_row[i + 2] += by_row[i + 1];
  for (int k = 0; k < l->count; k++)
    for (int e = l->start[k]; e < l->start[k + 1]; e++) column[by_row[l->found.at[e] + 1]++] = k;
  Incidence in = {l->rows, l->count, by_row, column};
  Matching m = match(a, &in, NULL);
  for (int i = 0; i < l->rows; i++)
    if (m.unknown_of[i] >= 0)
      r->variables.at[l->node_of[i]].equation = l->equation[m.unknown_of[i]];
  return m.count == l->rows;
}

// Lower equations are matched with lower derivatives, those of low level first; what is left over are the invariants. If
// possible variables are computed from equations that determine them well at the start.
static bool match_lower(Reducer *r) {
  static const double LEAST[] = {0.3, 0.03, 1e-3, 1e-9};
  LowerEquations l = {0};
  list_lower(r, &l);
  int n = r->variables.count;
  Expr *residual = ARENA_ARRAY(r->scratch, Expr, l.count + 1);
  Expr *by = ARENA_ARRAY(r->scratch, Expr, n + 1);
  for (int k = 0; k < l.count; k++) residual[k] = r->equations.at[l.equation[k]].e.residual;
  for (int i = 0; i < n; i++) by[i] = r->variables.at[i].symbol;
  Derivatives d = derive_rows(r->g, r->scratch, residual, l.count, by, n);
  const double *quality = qualities(r, &d);
  for (size_t k = 0; k < sizeof LEAST / sizeof *LEAST; k++) {
    fill_by_slopes(r, &l, &d, quality, LEAST[k]);
    if (match_filled(r, &l)) return true;
  }
  fill_by_occurrence(r, &l);
  return match_filled(r, &l);
}

// Unknowns that nothing determines stand against the redundant equations, whichever against which.
static void pair_redundant(Reducer *r) {
  int next = 0;
  for (int i = 0; i < r->variables.count; i++) {
    VariableNode *v = &r->variables.at[i];
    if (v->equation >= 0 || v->next >= 0) continue;
    while (next < r->typed && !r->equations.at[next].e.redundant) next++;
    if (next < r->typed) v->equation = next++;
  }
}

// ---------------------------------------------------------------- the equations that are solved

static double binomial(int n, int k) {
  double b = 1;
  for (int i = 0; i < k; i++) b = b * (n - i) / (i + 1);
  return b;
}

// (d/dt + rate)^c of the equation instead of its c-th derivative: errors of the invariants then die out.
static void stabilise(Reducer *r, int typed) {
  Graph *g = r->g;
  int order = 0;
  for (int i = typed; r->equations.at[i].next >= 0; i = r->equations.at[i].next) order++;
  int last = typed;
  while (r->equations.at[last].next >= 0) last = r->equations.at[last].next;
  Expr sum = r->equations.at[last].e.residual;
  for (int i = typed; i != last; i = r->equations.at[i].next) {
    const EquationNode *n = &r->equations.at[i];
    if (n->unknown >= 0) continue; // solved: always 0
    int power = order - n->e.level;
    Expr factor = expr_const(g, binomial(order, power));
    for (int k = 0; k < power; k++) factor = expr_mul(g, factor, r->m->stabilise);
    sum = expr_add(g, sum, expr_mul(g, factor, n->e.residual));
  }
  r->equations.at[last].e.residual = sum;
}

static void number_unknowns(Reducer *r) {
  Model *m = r->m;
  int count = 0;
  m->unknowns = ARENA_ARRAY(r->arena, SortUnknown, r->variables.count + 1);
  m->unknown_variable = ARENA_ARRAY(r->arena, int, r->variables.count + 1);
  m->unknown_order = ARENA_ARRAY(r->arena, int, r->variables.count + 1);
  m->index = 0;
  for (int i = 0; i < r->variables.count; i++) {
    const VariableNode *v = &r->variables.at[i];
    if (is_known(r, v)) continue;
    const Variable *of = &m->flat->variables.at[v->variable];
    m->unknowns[count] = (SortUnknown){v->symbol, v->name, v->order == 0 ? of->start : 0,
                                       v->order == 0, v->order == 0 && of->has_start};
    m->unknown_variable[count] = v->variable;
    m->unknown_order[count] = v->order;
    r->equations.at[v->equation].unknown = count++;
    if (v->order == 0 && v->next < 0) m->index = 1; // added to the differentiations below
  }
  m->unknown_count = count;
}

static void number_equations(Reducer *r, Matching *matching) {
  Model *m = r->m;
  int count = 0, levels = 0;
  m->equations = ARENA_ARRAY(r->arena, SortEquation, r->equations.count + 1);
  *matching = (Matching){ARENA_ARRAY(r->arena, int, m->unknown_count + 1),
                         ARENA_ARRAY(r->arena, int, m->unknown_count + 1), m->unknown_count};
  for (int i = 0; i < r->equations.count; i++) {
    const EquationNode *n = &r->equations.at[i];
    if (n->e.level > levels) levels = n->e.level;
    if (n->unknown < 0) continue;
    matching->unknown_of[count] = n->unknown;
    matching->equation_of[n->unknown] = count;
    m->equations[count++] = n->e;
  }
  m->equation_count = count;
  m->index += levels;
}

static void list_invariants(Reducer *r) {
  Model *m = r->m;
  m->invariants = ARENA_ARRAY(r->arena, Invariant, r->equations.count + 1);
  m->invariant_count = 0;
  for (int k = 0; k < r->typed; k++)
    for (int i = k; i >= 0; i = r->equations.at[i].next) {
      const EquationNode *n = &r->equations.at[i];
      if (n->unknown >= 0 && !n->e.redundant) continue;
      Invariant *v = &m->invariants[m->invariant_count++];
      *v = (Invariant){n->e.residual, n->e.origin, n->e.level, n->e.redundant};
    }
}

static void find_input_orders(Reducer *r) {
  Model *m = r->m;
  for (int i = 0; i < m->nu; i++) m->input_order[i] = 0;
  for (int k = 0; k < r->equations.count; k++)
    for (int i = 0; i < m->nu && r->equations.at[k].e.level > 0; i++) {
      int order = input_order(r, r->equations.at[k].e.residual, i);
      if (order > m->input_order[i]) m->input_order[i] = order;
    }
}

// true: nothing is.
static bool report_undetermined(Reducer *r) {
  for (int i = 0; i < r->variables.count; i++) {
    const VariableNode *v = &r->variables.at[i];
    if (v->equation >= 0 || is_known(r, v)) continue;
    const Variable *of = &r->m->flat->variables.at[v->variable];
    return source_fail(r->m->flat->source, r->err, ERR_MODEL, of->line, of->column,
                       "nothing determines %s, although constraints were differentiated", v->name);
  }
  return true;
}

bool reduce_index(Model *m, Matching *matching, const unsigned char *redundant, Err *err) {
  Reducer r = {.m = m, .g = m->graph, .arena = m->arena, .scratch = arena_new(), .err = err};
  r.typed = m->equation_count;
  list_variables(&r);
  for (int i = 0; i < r.typed; i++) {
    SortEquation e = m->equations[i];
    e.redundant = redundant && redundant[i];
    add_equation(&r, e);
  }
  bool ok = pantelides(&r, matching);
  if (ok) {
    bool matched = match_lower(&r);
    pair_redundant(&r);
    ok = report_undetermined(&r) && matched;
  }
  if (ok) {
    if (!m->stabilise) m->stabilise = expr_symbol(m->graph, "rate of stabilisation", true);
    number_unknowns(&r);
    list_invariants(&r);
    for (int k = 0; k < r.typed; k++)
      if (r.equations.at[k].next >= 0) stabilise(&r, k);
    number_equations(&r, matching);
    find_input_orders(&r);
  }
  arena_free(r.scratch);
  return ok;
}
