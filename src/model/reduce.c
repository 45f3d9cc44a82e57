// Index reduction. The algorithm of Pantelides (1988, SIAM J. Sci. Stat. Comput. 9:213) looks for a matching of the
// equations with the highest derivatives; where an augmenting path from an equation fails, the equations and variables
// that the search reached (colored) are differentiated, and it tries again.
//
// Afterwards the equations that were differentiated are matched with the lower derivatives; those that are left over
// are invariants. Instead of the c-th derivative of a constraint g, (d/dt + rate)^c g = 0 is solved, so that errors of
// the invariants die out (Baumgarte 1972, Comput. Methods Appl. Mech. Eng. 1:1).
#include "model/reduce.h"

#include <string.h>

#include "expr/derive.h"
#include "expr/simplify.h"
#include "lang/source_warn.h"
#include "model/reduce_combine.h"
#include "model/reduce_lower.h"
#include "model/reduce_nodes.h"

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
    e.level++, e.rank++;
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

// A largest matching with the highest derivatives. Redundant equations take none.
static void assign_first(Reducer *r) {
  Arena *a = r->scratch;
  int *start = ARENA_ARRAY(a, int, r->typed + 1);
  IntArray found = {0};
  for (int k = 0; k < r->typed; k++) {
    const EquationNode *n = &r->equations.at[k];
    for (int i = 0; i < n->nodes.count && !n->e.redundant; i++)
      if (r->variables.at[n->nodes.at[i]].next < 0) array_push(a, &found, n->nodes.at[i]);
    start[k + 1] = found.count;
  }
  Incidence in = {r->typed, r->variables.count, start, found.at};
  Matching m = match(a, &in, NULL);
  for (int i = 0; i < r->variables.count; i++) r->variables.at[i].equation = m.equation_of[i];
  for (int k = 0; k < r->typed; k++) r->equations.at[k].unknown = m.unknown_of[k];
}

// For each equation that the matching leaves without an unknown: as long as no path assigns it, the colored part is
// differentiated, and the derivative of the equation takes its place. The derivatives are assigned to each other as what
// they are made from.
static bool pantelides(Reducer *r) {
  assign_first(r);
  for (int k = 0; k < r->typed; k++) {
    bool assigned = r->equations.at[k].unknown >= 0;
    r->equations.at[k].unknown = -1;
    if (assigned || r->equations.at[k].e.redundant) continue;
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

// Puts a combination in the place of one of its equations. false: there is none, or it leads nowhere; then all is as it was.
static bool combine_equations(Reducer *r) {
  int typed;
  Expr sum;
  if (!find_hidden_equation(r, &typed, &sum)) return false;
  SortEquation before = r->typed_equations[typed];
  r->typed_equations[typed].residual = sum;
  r->typed_equations[typed].combined = true;
  list_typed(r);
  if (can_be_reduced(r)) return true;
  r->typed_equations[typed] = before;
  list_typed(r);
  pantelides(r);
  return false;
}

// ---------------------------------------------------------------- redundant equations

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

// (d/dt + rate)^c of the equation instead of its c-th derivative: errors of the invariants then die out. Two rates: that of the
// highest term may differ from that of the others, g'' + 2 alpha g' + beta^2 g.
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
    Expr rate = power == 1 ? r->m->stabilise : r->m->stabilise_beta;
    for (int k = 0; k < power; k++) factor = expr_mul(g, factor, rate);
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
    m->unknowns[count] = (SortUnknown){v->symbol,
                                       v->name,
                                       v->order == 0 ? of->start : 0,
                                       v->order == 0,
                                       sort_rank(m->order.variable[v->variable], v->order),
                                       v->order == 0 && of->has_start};
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
      *v = (Invariant){n->e.residual, n->e.origin, n->e.level, n->e.redundant, n->e.combined};
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
  r.typed_equations = m->equations;
  r.made = ARENA_ARRAY(r.scratch, VariableNode, m->flat->variables.count * (LEVELS_MOST + 2) + 1);
  for (int i = 0; i < r.typed; i++)
    r.typed_equations[i].redundant = redundant && redundant[m->equations[i].origin];
  list_typed(&r);
  bool ok = pantelides(&r);
  for (int k = 0; k < r.typed && ok && combine_equations(&r); k++) ok = pantelides(&r);
  if (ok) {
    bool matched = match_lower(&r);
    pair_redundant(&r);
    ok = report_undetermined(&r) && matched;
  }
  if (ok) {
    number_unknowns(&r);
    list_invariants(&r);
    if (m->invariant_count && !m->stabilise) {
      m->stabilise = expr_symbol(m->graph, "rate of stabilisation", true);
      m->stabilise_beta = expr_symbol(m->graph, "second rate of stabilisation", true);
    }
    for (int k = 0; k < r.typed; k++)
      if (r.equations.at[k].next >= 0) stabilise(&r, k);
    number_equations(&r, matching);
    find_input_orders(&r);
  }
  arena_free(r.scratch);
  return ok;
}
