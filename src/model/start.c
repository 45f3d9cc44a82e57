// Start values. Without constraints: the equations of the motion, initial equations and fixed values, sorted and
// solved for states and other unknowns alike; states that nothing determines take their start attributes. With
// constraints: start_nearest.c.
#include "model/start.h"

#include <math.h>

#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"
#include "lang/source_warn.h"
#include "model/at_event.h"
#include "model/echelon.h"
#include "model/probe.h"
#include "model/start_nearest.h"
#include "model/structure.h"

// Of the size of its terms: a condition that is violated by more contradicts others.
static const double CONTRADICTS = 1e-6;

typedef struct StartSystem {
  Model *m;
  Arena *scratch;
  Replacer *direct; // modes by what they stand for
  Replacer *pulses; // of discrete variables; NULL: there are none
  ARRAY(SortEquation) equations;
  ARRAY(SortUnknown) unknowns;
  IntArray variable; // by unknown
  IntArray order;    // of matching: states last
  IntArray assumed;  // variables that take their start values
  int motion;        // equations of the motion, which come first
  ARRAY(SortEquation)
  left_over; // conditions that follow from the others, if they do not contradict them
} StartSystem;

// What a start value is the value of: of a discrete variable it is pre(v).
static Expr started(const Variable *v) {
  return v->pre && !v->pre_line ? v->pre : v->node;
}

static bool has_value_before(const Variable *v) { // the start
  return v->state || v->now || (v->pre && !v->pre_line);
}

static void add_start_equation(StartSystem *s, int variable) {
  const Variable *v = &s->m->flat->variables.at[variable];
  SortEquation e = {.residual = expr_sub(s->m->graph, started(v), v->start),
                    .line = v->line,
                    .column = v->column,
                    .rank = rank_of_start(s->m, variable)};
  array_push(s->scratch, &s->equations, e);
}

static Expr at_start(StartSystem *s, Expr residual, Expr live) {
  return replace(s->direct, s->pulses ? replace(s->pulses, live) : residual);
}

static void list_when_equations(StartSystem *s) {
  const Flat *f = s->m->flat;
  for (int i = 0; i < f->whens.count; i++) {
    const WhenEquation *w = &f->whens.at[i];
    const Variable *v = &f->variables.at[w->variable];
    Expr value = at_start(s, 0, w->value);
    SortEquation e = {.residual = expr_sub(s->m->graph, v->now, value),
                      .line = w->line,
                      .column = w->column,
                      .rank = sort_rank(f->variables.count + i, 0)};
    array_push(s->scratch, &s->equations, e);
  }
}

static void list_start_equations(StartSystem *s) {
  Flat *f = s->m->flat;
  for (int k = 0; k < f->events.count; k++) {
    const Event *e = &f->events.at[k];
    replacer_set(s->direct, e->mode, at_start(s, e->direct, e->live_direct));
  }
  for (int i = 0; i < f->equations.count; i++) {
    SortEquation e = s->m->equations[i];
    e.residual = at_start(s, e.residual, f->equations.at[i].live);
    array_push(s->scratch, &s->equations, e);
  }
  list_when_equations(s);
  s->motion = s->equations.count;
  for (int i = 0; i < f->initial_equations.count; i++) {
    const Equation *q = &f->initial_equations.at[i];
    SortEquation e = {.residual = q->residual, .line = q->line, .column = q->column};
    e.rank = rank_of_initial(s->m, i);
    array_push(s->scratch, &s->equations, e);
  }
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    bool nowhere = (v->boolean || v->integer) && !has_value_before(v); // pre(v) does not occur
    if (v->kind == VARIABLE_UNKNOWN && v->fixed && !nowhere) add_start_equation(s, i);
  }
}

static void add_start_unknown(StartSystem *s, SortUnknown u, int variable) {
  array_push(s->scratch, &s->order, s->unknowns.count);
  array_push(s->scratch, &s->unknowns, u);
  array_push(s->scratch, &s->variable, variable);
}

// What initial equations determine first: parameters with fixed = false, states without a start attribute, then the others
// as a last resort.
static int pass_of(const Variable *v) {
  return v->computed ? 0 : v->has_start ? 2 : 1;
}

static void list_start_unknowns(StartSystem *s) {
  Model *m = s->m;
  const Flat *f = m->flat;
  for (int j = 0; j < m->unknown_count; j++) add_start_unknown(s, m->unknowns[j], -1);
  for (int i = 0; i < f->whens.count; i++) {
    const Variable *v = &f->variables.at[f->whens.at[i].variable];
    int rank = sort_rank(f->variables.count + i, 0);
    SortUnknown u = {v->now, v->name, v->start, false, rank, v->has_start};
    add_start_unknown(s, u, -1);
  }
  int count = m->flat->variables.count, *at = ARENA_ARRAY(s->scratch, int, count + 1);
  for (int i = 0; i < count; i++) at[m->order.variable[i]] = i;
  for (int pass = 0; pass < 3; pass++)
    for (int k = 0; k < count; k++) {
      const Variable *v = &m->flat->variables.at[at[k]];
      if (v->kind != VARIABLE_UNKNOWN || !has_value_before(v) || pass_of(v) != pass) continue;
      SortUnknown u = start_unknown(m, at[k]);
      u.symbol = started(v);
      add_start_unknown(s, u, at[k]);
    }
}

static bool report_left_over(const StartSystem *s, const SortEquation *e, Err *err) {
  return source_fail(
      s->m->flat->source, err, ERR_MODEL, e->line, e->column,
      "too many initial conditions: this one is left over (fixed start values and initial "
      "equations together must be as many as there are states)");
}

static bool report_start(StartSystem *s, const Incidence *in, const Matching *matching, Err *err) {
  const Flat *f = s->m->flat;
  for (int i = 0; i < in->equations; i++)
    if (matching->unknown_of[i] < 0) return report_left_over(s, &s->equations.at[i], err);
  for (int j = 0; j < in->unknowns; j++)
    if (matching->equation_of[j] < 0)
      return source_fail(f->source, err, ERR_MODEL, f->ast->line, f->ast->column,
                         "the initial value of %s is not determined", s->unknowns.at[j].name);
  return true;
}

// In the order of the text.
static void warn_assumed(StartSystem *s) {
  Flat *f = s->m->flat;
  bool *assumed = ARENA_ARRAY(s->scratch, bool, f->variables.count + 1);
  if (f->ast->closed) return; // its simulator knows them
  for (int k = 0; k < s->assumed.count; k++) assumed[s->assumed.at[k]] = true;
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    if (!assumed[i] || v->has_start || v->boolean || v->integer) continue;
    bool declared = i < f->ast->declarations.count;
    source_warn(
        f->source, &f->warnings, v->line, v->column,
        declared
            ? "the initial value of %s is not given: 0 is used; write %s(start = ..., fixed = "
              "true)"
            : "the initial value of %s is not given: 0 is used; write an initial equation %s = "
              "...",
        v->name, v->name);
  }
}

static void assume(StartSystem *s, int unknown) {
  array_push(s->scratch, &s->assumed, s->variable.at[unknown]);
  add_start_equation(s, s->variable.at[unknown]);
}

// States that nothing determines at the start take their start value, as other Modelica tools do.
static void assume_start_values(StartSystem *s) {
  Incidence in = sort_incidence(s->m->graph, s->scratch, s->equations.at, s->equations.count,
                                s->unknowns.at, s->unknowns.count);
  Matching matching = match(s->scratch, &in, s->order.at);
  for (int j = 0; j < in.unknowns; j++)
    if (matching.equation_of[j] < 0 && s->variable.at[j] >= 0) assume(s, j);
}

enum { SLOPES_MOST = 1000 }; // unknowns: elimination takes their cube

static void add_slopes(StartSystem *s, Echelon *e) {
  int n = s->unknowns.count, rows = s->equations.count;
  Expr *residual = ARENA_ARRAY(s->scratch, Expr, rows + 1), *by = ARENA_ARRAY(s->scratch, Expr, n);
  double *value = ARENA_ARRAY(s->scratch, double, n + 1);
  Probe *probe = probe_new(s->m, s->scratch, 0, 0);
  for (int i = 0; i < rows; i++) residual[i] = s->equations.at[i].residual;
  for (int j = 0; j < n; j++) by[j] = s->unknowns.at[j].symbol;
  Derivatives d = derive_rows(s->m->graph, s->scratch, residual, rows, by, n);
  for (int i = 0; i < rows; i++) {
    int from = d.start[i], count = d.start[i + 1] - from;
    for (int k = 0; k < count; k++) {
      value[k] = probe_value(probe, d.value[from + k]);
      if (!isfinite(value[k])) value[k] = 1;
    }
    echelon_add(e, d.column + from, value, count, NULL, 0);
  }
}

// The same where what looks determined is not, because equations depend on one another: in numbers near the start. States
// that have a start attribute keep it if possible.
static void assume_by_slopes(StartSystem *s) {
  int n = s->unknowns.count;
  Echelon *e = echelon_new(s->scratch, n, n + s->equations.count);
  add_slopes(s, e);
  for (int k = n - 1; k >= 0; k--) {
    int j = s->order.at[k];
    if (s->variable.at[j] >= 0 && echelon_add(e, &j, (double[]){1}, 1, NULL, 0)) assume(s, j);
  }
}

static Incidence match_start(StartSystem *s, Matching *matching) {
  Incidence in = sort_incidence(s->m->graph, s->scratch, s->equations.at, s->equations.count,
                                s->unknowns.at, s->unknowns.count);
  *matching = match(s->scratch, &in, s->order.at);
  return in;
}

// Everything is determined without them: two capacitors in parallel, both with a fixed voltage.
static bool set_aside(StartSystem *s, const Matching *matching) {
  int kept = 0;
  for (int i = 0; i < s->motion; i++)
    if (matching->unknown_of[i] < 0) return false;
  for (int i = 0; i < s->equations.count; i++)
    if (matching->unknown_of[i] < 0)
      array_push(s->scratch, &s->left_over, s->equations.at[i]);
    else
      s->equations.at[kept++] = s->equations.at[i];
  s->equations.count = kept;
  return true;
}

static bool solve_start(StartSystem *s, Err *err) {
  Model *m = s->m;
  Matching matching;
  Incidence in = match_start(s, &matching);
  s->left_over.count = 0;
  if (matching.count == in.unknowns && in.unknowns < in.equations && set_aside(s, &matching))
    in = match_start(s, &matching);
  if (matching.count < in.unknowns || matching.count < in.equations)
    return report_start(s, &in, &matching, err);
  if (!sort_solve(m->graph, m->arena, s->equations.at, s->unknowns.at, &in, &matching, NULL, NULL,
                  &m->initial))
    return report_dependent(m, &m->initial, s->equations.at, s->equations.count, s->unknowns.at,
                            s->unknowns.count, err);
  return true;
}

// A sample has an instant at the start if its count is a whole number there: then it was one less before.
static Expr count_before(Graph *g, Expr count) {
  Expr up = expr_neg(g, expr_call(g, OP_FLOOR, expr_neg(g, count)));
  return expr_sub(g, up, expr_const(g, 1));
}

static void assign_held(StartSystem *s, Replacer *solved) {
  Model *m = s->m;
  const Flat *f = m->flat;
  m->held0 = ARENA_ARRAY(m->arena, Expr, f->held.count + 1);
  if (!s->pulses) return;
  Replacer *between = replacer_new(m->graph, s->scratch); // when it has begun
  for (int k = 0; k < f->pulses.count; k++)
    replacer_set(between, f->pulses.at[k].symbol, expr_const(m->graph, 0));
  for (int k = 0; k < f->held.count; k++) {
    const Held *h = &f->held.at[k];
    Expr value = h->counts ? count_before(m->graph, h->sampled) : replace(between, h->value);
    m->held0[k] = replace(solved, replace(s->direct, value));
  }
}

// Sum of what its terms can be: residuals are compared with it.
static Expr size_of(StartSystem *s, Expr residual) {
  Graph *g = s->m->graph;
  int n = s->unknowns.count;
  Expr *by = ARENA_ARRAY(s->scratch, Expr, n + 1), sum = expr_const(g, 0);
  for (int j = 0; j < n; j++) by[j] = s->unknowns.at[j].symbol;
  Derivatives d = derive_rows(g, s->scratch, &residual, 1, by, n);
  for (int k = 0; k < d.start[1]; k++) {
    int i = s->variable.at[d.column[k]];
    Expr nominal = expr_const(g, i < 0 ? 1 : s->m->flat->variables.at[i].nominal);
    Expr scale = expr_add(g, expr_call(g, OP_ABS, by[d.column[k]]), nominal);
    sum = expr_add(g, sum, expr_mul(g, expr_call(g, OP_ABS, d.value[k]), scale));
  }
  return sum;
}

// What was left over must follow from the others: at the values in the text now, and at others when a simulation begins.
static bool keep_conditions(StartSystem *s, Replacer *solved, Err *err) {
  Model *m = s->m;
  Probe *probe = probe_new(m, s->scratch, 0, 0);
  probe_put(probe, m->flat->time, 0);
  m->conditions = ARENA_ARRAY(m->arena, StartCondition, s->left_over.count + 1);
  for (int i = 0; i < s->left_over.count; i++) {
    const SortEquation *e = &s->left_over.at[i];
    StartCondition c = {.line = e->line, .column = e->column, .invariant = -1, .without_slope = -1};
    c.residual = replace(solved, replace(s->direct, e->residual));
    c.size = replace(solved, replace(s->direct, size_of(s, e->residual)));
    if (fabs(probe_value(probe, c.residual)) > CONTRADICTS * probe_value(probe, c.size))
      return report_left_over(s, e, err);
    m->conditions[m->condition_count++] = c;
  }
  return true;
}

static bool assign_start(StartSystem *s, Err *err) {
  Model *m = s->m;
  Replacer *r = replacer_new(m->graph, s->scratch);
  for (int j = 0; j < s->unknowns.count; j++)
    replacer_set(r, s->unknowns.at[j].symbol, m->initial.solution[j]);
  if (s->left_over.count && !keep_conditions(s, r, err)) return false;
  m->x0 = ARENA_ARRAY(m->arena, Expr, m->nx + 1);
  for (int i = 0; i < m->nx; i++) {
    const Variable *v = &m->flat->variables.at[m->state[i]];
    m->x0[i] = replace(r, v->now ? v->now : m->x[i]);
  }
  assign_held(s, r);
  m->mode0 = ARENA_ARRAY(m->arena, Expr, m->ne + 1);
  for (int k = 0; k < m->ne; k++)
    m->mode0[k] = replace(r, replace(s->direct, m->flat->events.at[k].mode));
  return true;
}

static bool report_undetermined(const Model *m, const Variable *v, Err *err) {
  return source_fail(m->flat->source, err, ERR_MODEL, v->line, v->column,
                     "parameter %s has fixed = false, and the initial equations do not determine "
                     "it; add an initial equation, or fix a start value less",
                     v->name);
}

static bool are_parameters_determined(StartSystem *s, Err *err) {
  for (int k = 0; k < s->assumed.count; k++) {
    const Variable *v = &s->m->flat->variables.at[s->assumed.at[k]];
    if (v->computed) return report_undetermined(s->m, v, err);
  }
  return true;
}

static bool assume_and_solve(StartSystem *s, Err *err) {
  int given = s->equations.count;
  Err first = {0};
  assume_start_values(s);
  if (!are_parameters_determined(s, err)) return false;
  if (solve_start(s, &first)) return true;
  s->equations.count = given;
  s->assumed.count = 0;
  if (s->unknowns.count <= SLOPES_MOST) assume_by_slopes(s);
  if (!are_parameters_determined(s, err)) return false;
  if (s->assumed.count && solve_start(s, err)) return true;
  *err = first;
  return false;
}

// With constraints a state that no condition contains keeps its start value.
static bool are_parameters_found(const Model *m, Err *err) {
  for (int i = 0; i < m->nx; i++) {
    const Variable *v = &m->flat->variables.at[m->state[i]];
    if (v->computed && m->x0[i] == v->start) return report_undetermined(m, v, err);
  }
  return true;
}

// With constraints discrete variables begin at their start values, and the first event initialises them: initial() is true
// before it.
static bool is_held(const Variable *v) {
  return v->kind == VARIABLE_UNKNOWN && !v->state && has_value_before(v);
}

// An initial equation pre(v) = ... gives a start value.
static bool take_start(Model *m, const Equation *e) {
  Flat *f = m->flat;
  for (int i = 0; i < f->variables.count; i++) {
    Variable *v = &f->variables.at[i];
    if (!is_held(v) || expr_varies(m->graph, e->right)) continue;
    if (e->left != started(v) && e->left != v->now) continue;
    v->start = e->right;
    return true;
  }
  return false;
}

static bool hold_start(Model *m, Err *err) {
  Flat *f = m->flat;
  Arena *scratch = arena_new();
  Replacer *r = replacer_new(m->graph, scratch);
  int kept = 0, n = 0;
  Expr *held = ARENA_ARRAY(scratch, Expr, f->variables.count + 1);
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    if (v->now && v->state) replacer_set(r, v->now, v->node);
    if (is_held(v)) held[n++] = v->now ? v->now : v->node;
  }
  bool ok = true;
  for (int i = 0; i < f->initial_equations.count && ok; i++) {
    Equation e = f->initial_equations.at[i];
    if (take_start(m, &e)) continue;
    if (expr_dependents(m->graph, scratch, held, n)[e.residual])
      ok = source_fail(
          f->source, err, ERR_UNSUPPORTED, e.line, e.column,
          "in a model with constraints between states an initial equation of a discrete "
          "variable is written pre(v) = value");
    e.residual = replace(r, e.residual);
    f->initial_equations.at[kept++] = e;
  }
  f->initial_equations.count = kept;
  m->held0 = ARENA_ARRAY(m->arena, Expr, f->held.count + 1);
  arena_free(scratch);
  return ok;
}

static void hold_nearest(Model *m) {
  const Flat *f = m->flat;
  Graph *g = m->graph;
  Arena *scratch = arena_new();
  Replacer *solved = replacer_new(g, scratch), *at = replacer_new(g, scratch);
  for (int j = 0; j < m->unknown_count; j++)
    replacer_set(solved, m->unknowns[j].symbol, m->sorted.solution[j]);
  for (int k = 0; k < f->pulses.count; k++)
    replacer_set(solved, f->pulses.at[k].symbol, expr_const(g, 0));
  for (int i = 0; i < m->nx; i++) replacer_set(at, m->x[i], m->x0[i]);
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    if (v->now) replacer_set(solved, v->now, v->node);
    if (is_held(v)) replacer_set(at, started(v), v->start);
  }
  for (int k = 0; k < m->ne; k++) m->mode0[k] = replace(at, m->mode0[k]);
  for (int k = 0; k < m->ne; k++) replacer_set(at, f->events.at[k].mode, m->mode0[k]);
  for (int k = 0; k < f->held.count; k++) {
    const Held *h = &f->held.at[k];
    Expr value = h->counts ? count_before(g, h->sampled) : h->value;
    if (h->initial) value = expr_const(g, 1);
    if (h->variable >= 0 && f->variables.at[h->variable].kind == VARIABLE_UNKNOWN)
      value = f->variables.at[h->variable].start;
    m->held0[k] = replace(at, replace(solved, replace(solved, value)));
  }
  for (int i = 0; i < m->nx; i++) m->x0[i] = replace(at, m->x0[i]);
  arena_free(scratch);
}

bool find_start(Model *m, Err *err) {
  bool hybrid = m->flat->hybrid;
  if (m->invariant_count) {
    if (hybrid && !hold_start(m, err)) return false;
    find_nearest_start(m);
    if (hybrid) hold_nearest(m);
    return are_parameters_found(m, err);
  }
  StartSystem s = {.m = m, .scratch = arena_new()};
  s.direct = replacer_new(m->graph, s.scratch);
  if (hybrid) s.pulses = live_pulses_at_start(m, s.scratch);
  list_start_equations(&s);
  list_start_unknowns(&s);
  bool ok = assume_and_solve(&s, err);
  if (ok) warn_assumed(&s);
  ok = ok && assign_start(&s, err);
  arena_free(s.scratch);
  return ok;
}
