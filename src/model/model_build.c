// From a flat model to dx/dt = f: matching, index reduction where no perfect matching exists (reduce.c), blocks and
// their solutions (sort.c), redundant constraints (independent.c), start values (start.c).
#include "model/model_build.h"

#include <math.h>
#include <string.h>

#include "base/patience.h"
#include "expr/replace.h"
#include "model/at_event.h"
#include "model/combine.h"
#include "model/flatten.h"
#include "model/independent.h"
#include "model/needed.h"
#include "model/reduce.h"
#include "model/smooth.h"
#include "model/start.h"
#include "model/structure.h"
#include "model/timed.h"

// ---------------------------------------------------------------- the unknowns and equations of the motion

static void list_unknowns(Model *m) {
  Flat *f = m->flat;
  int n = f->variables.count;
  m->nx = m->nu = m->unknown_count = 0;
  m->unknown_order = ARENA_ARRAY(m->arena, int, n + 1);
  m->unknowns = ARENA_ARRAY(m->arena, SortUnknown, n + 1);
  m->unknown_variable = ARENA_ARRAY(m->arena, int, n + 1);
  m->state = ARENA_ARRAY(m->arena, int, n + 1);
  m->input = ARENA_ARRAY(m->arena, int, n + 1);
  m->input_order = ARENA_ARRAY(m->arena, int, n + 1);
  m->x = ARENA_ARRAY(m->arena, Expr, n + 1);
  m->u = ARENA_ARRAY(m->arena, Expr, n + 1);
  for (int i = 0; i < n; i++) {
    const Variable *v = &f->variables.at[i];
    if (v->kind == VARIABLE_INPUT) m->u[m->nu] = v->node, m->input[m->nu++] = i;
    if (v->kind != VARIABLE_UNKNOWN || (v->now && !v->state)) continue;
    int rank = sort_rank(m->order.variable ? m->order.variable[i] : i, 0);
    m->unknown_variable[m->unknown_count] = i;
    m->unknown_order[m->unknown_count] = v->state;
    m->unknowns[m->unknown_count++] =
        v->state ? (SortUnknown){v->derivative, v->derivative_name, 0, false, rank + 1, false}
                 : (SortUnknown){v->node, v->name, v->start, true, rank, v->has_start};
    if (v->state) m->x[m->nx] = v->node, m->state[m->nx++] = i;
  }
}

static void list_equations(Model *m) {
  Flat *f = m->flat;
  m->equation_count = f->equations.count;
  m->equations = ARENA_ARRAY(m->arena, SortEquation, m->equation_count + 1);
  for (int i = 0; i < m->equation_count; i++) {
    const Equation *e = &f->equations.at[i];
    m->equations[i] =
        (SortEquation){.residual = e->residual,
                       .line = e->line,
                       .column = e->column,
                       .origin = i,
                       .rank = sort_rank(m->order.equation ? m->order.equation[i] : i, 0)};
  }
}

// ---------------------------------------------------------------- motion

// Newton's method cannot find true or false.
static bool check_booleans(Model *m, Err *err) {
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    for (int i = 0; i < b->count && b->kind == SORT_NONLINEAR; i++) {
      const Variable *v = &m->flat->variables.at[m->unknown_variable[b->unknown[i]]];
      const SortEquation *e = &m->equations[b->equation[0]];
      if (v->boolean)
        return source_fail(
            m->flat->source, err, ERR_UNSUPPORTED, e->line, e->column,
            "this equation cannot be solved for the Boolean variable %s; write %s = ...", v->name,
            v->name);
    }
  }
  return true;
}

// A condition on what a nonlinear block is solved for, inside that block: q*abs(q) = dp. With the branch held fixed
// there may be no solution just beyond the kink, so the condition is computed from the present values, as noEvent does
// it.
typedef struct Loops {
  int *block_of_unknown, *block_of_equation; // nonlinear blocks, -1 for the others
  Incidence by_mode;                         // which modes occur in which equation
  Incidence by_unknown;                      // which unknowns occur in which switching function
  unsigned char *looped;                     // by event
} Loops;

static void number_blocks(const Model *m, Arena *a, Loops *l) {
  l->block_of_unknown = ARENA_ARRAY(a, int, m->unknown_count + 1);
  l->block_of_equation = ARENA_ARRAY(a, int, m->equation_count + 1);
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    int number = b->kind == SORT_NONLINEAR ? k : -1;
    for (int i = 0; i < b->count; i++) {
      l->block_of_unknown[b->unknown[i]] = number;
      l->block_of_equation[b->equation[i]] = number;
    }
  }
}

static void find_incidences(Model *m, Arena *a, Loops *l) {
  const Flat *f = m->flat;
  int count = f->events.count;
  SortUnknown *modes = ARENA_ARRAY(a, SortUnknown, count + 1);
  SortEquation *switching = ARENA_ARRAY(a, SortEquation, count + 1);
  for (int k = 0; k < count; k++) {
    modes[k] = (SortUnknown){.symbol = f->events.at[k].mode};
    switching[k] = (SortEquation){.residual = f->events.at[k].switching};
  }
  l->by_mode = sort_incidence(m->graph, a, m->equations, m->equation_count, modes, count);
  l->by_unknown = sort_incidence(m->graph, a, switching, count, m->unknowns, m->unknown_count);
}

static bool depends_on_block(const Loops *l, int event, int block) {
  for (int e = l->by_unknown.start[event]; e < l->by_unknown.start[event + 1]; e++)
    if (l->block_of_unknown[l->by_unknown.unknown[e]] == block) return true;
  return false;
}

static bool find_loops(Model *m, Arena *a, Loops *l) {
  bool any = false;
  number_blocks(m, a, l);
  find_incidences(m, a, l);
  l->looped = ARENA_ARRAY(a, unsigned char, m->flat->events.count + 1);
  for (int i = 0; i < m->equation_count; i++) {
    int block = l->block_of_equation[i];
    for (int e = l->by_mode.start[i]; e < l->by_mode.start[i + 1] && block >= 0; e++) {
      int event = l->by_mode.unknown[e];
      if (depends_on_block(l, event, block)) l->looped[event] = any = true;
    }
  }
  return any;
}

static void replace_in_equations(Model *m, Replacer *r) {
  Flat *f = m->flat;
  for (int i = 0; i < f->equations.count; i++) {
    Equation *e = &f->equations.at[i];
    e->left = replace(r, e->left), e->right = replace(r, e->right);
    e->residual = replace(r, e->residual), e->live = replace(r, e->live);
  }
  for (int k = 0; k < f->events.count; k++) {
    Event *e = &f->events.at[k];
    e->switching = replace(r, e->switching), e->direct = replace(r, e->direct);
    e->live = replace(r, e->live), e->live_direct = replace(r, e->live_direct);
  }
  for (int k = 0; k < f->asserts.count; k++)
    f->asserts.at[k].condition = replace(r, f->asserts.at[k].condition);
}

// What discrete variables depend on stays an event: they change there.
static void keep_discrete(Model *m, Arena *a, unsigned char *marked) {
  const Flat *f = m->flat;
  for (int k = 0; k < f->events.count && f->hybrid; k++) {
    const unsigned char *users = expr_dependents(m->graph, a, &f->events.at[k].mode, 1);
    bool used = false;
    for (int i = 0; i < f->held.count; i++) used |= users[f->held.at[i].value];
    for (int i = 0; i < f->whens.count; i++) used |= users[f->whens.at[i].value];
    for (int i = 0; i < f->reinits.count; i++)
      used |= users[f->reinits.at[i].value] || users[f->reinits.at[i].active];
    for (int i = 0; i < f->pulses.count; i++) used |= users[f->pulses.at[i].value];
    for (int i = 0; i < f->equations.count; i++)
      used |= users[f->equations.at[i].live] && !users[f->equations.at[i].residual];
    if (used) marked[k] = false;
  }
}

static bool any_marked(const unsigned char *marked, int count) {
  return count > 0 && memchr(marked, 1, (size_t)count) != NULL;
}

// Marked events are none any more: what their modes stand for is computed from the present values, as noEvent does it.
static void compute_directly(Model *m, const unsigned char *marked) {
  Flat *f = m->flat;
  Arena *scratch = arena_new();
  Replacer *r = replacer_new(m->graph, scratch);
  int kept = 0;
  for (int k = 0; k < f->events.count;
       k++) { // what an event stands for may contain those before it
    const Event *e = &f->events.at[k];
    if (marked[k])
      replacer_set(r, e->mode, replace(r, e->direct));
    else
      f->events.at[kept++] = *e;
  }
  f->events.count = kept;
  replace_in_equations(m, r);
  arena_free(scratch);
}

// true: there were some, and the equations have to be sorted again.
static bool compute_looped_modes_directly(Model *m) {
  Arena *scratch = arena_new();
  Loops l;
  bool any = m->flat->events.count && find_loops(m, scratch, &l);
  if (any) keep_discrete(m, scratch, l.looped);
  any = any && any_marked(l.looped, m->flat->events.count);
  if (any) compute_directly(m, l.looped);
  arena_free(scratch);
  return any;
}

static void compute_smooth_modes_directly(Model *m) {
  Arena *scratch = arena_new();
  unsigned char *smooth = ARENA_ARRAY(scratch, unsigned char, m->flat->events.count + 1);
  bool any = find_smooth_events(m->flat, smooth);
  if (any) keep_discrete(m, scratch, smooth);
  if (any && any_marked(smooth, m->flat->events.count)) compute_directly(m, smooth);
  arena_free(scratch);
}

static void solved_invariants(Model *m) {
  Arena *scratch = arena_new();
  Replacer *r = replacer_new(m->graph, scratch);
  for (int j = 0; j < m->unknown_count; j++)
    replacer_set(r, m->unknowns[j].symbol, m->sorted.solution[j]);
  for (int i = 0; i < m->invariant_count; i++)
    m->invariants[i].residual = replace(r, m->invariants[i].residual);
  arena_free(scratch);
}

static void find_incidence(Model *m) {
  m->incidence = sort_incidence(m->graph, m->arena, m->equations, m->equation_count, m->unknowns,
                                m->unknown_count);
}

// What a redundant equation would determine is any of the unknowns: as if it contained all of them. Its block is then what
// the others leave undetermined.
static void open_redundant(Model *m) {
  int count = m->equation_count, n = m->unknown_count;
  int *start = ARENA_ARRAY(m->arena, int, count + 1);
  IntArray found = {0};
  for (int i = 0; i < count; i++) {
    const int *own = m->incidence.unknown + m->incidence.start[i];
    int length = m->equations[i].redundant ? n : m->incidence.start[i + 1] - m->incidence.start[i];
    for (int k = 0; k < length; k++)
      array_push(m->arena, &found, m->equations[i].redundant ? k : own[k]);
    start[i + 1] = found.count;
  }
  m->incidence = (Incidence){count, n, start, found.at};
}

static bool match_reduced(Model *m, const unsigned char *redundant, Matching *matching, Err *err) {
  if (!reduce_index(m, matching, redundant, err)) return false;
  find_incidence(m);
  if (!redundant) return true;
  open_redundant(m);
  *matching = match(m->arena, &m->incidence, NULL);
  return matching->count == m->unknown_count || report_structure(m, matching, "", err);
}

static Matching match_typed(Model *m) {
  list_unknowns(m);
  list_equations(m);
  find_incidence(m);
  return match(m->arena, &m->incidence, NULL);
}

static bool has_value(void *flat, Expr e) {
  double value = flat_value(flat, e);
  return isfinite(value) && value != 0;
}

// Whether something has to be chosen: which equations are differentiated or solved together, what initial equations are
// solved for. Most models are explicit, and need no order.
static bool has_choices(Model *m, const Matching *matching) {
  const Flat *f = m->flat;
  if (matching->count < m->unknown_count || matching->count < m->equation_count) return true;
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    if (v->kind == VARIABLE_UNKNOWN && v->fixed && !v->state) return true;
  }
  Arena *scratch = arena_new();
  bool loops = components(scratch, &m->incidence, matching).count < m->equation_count;
  arena_free(scratch);
  return loops || f->initial_equations.count > 0;
}

// Whether equations depend on one another, although the matching is perfect.
static bool has_combination(Model *m, const Matching *matching) {
  Arena *scratch = arena_new();
  int n = m->equation_count;
  int *rank = ARENA_ARRAY(scratch, int, n + 1), *unknown_rank = ARENA_ARRAY(scratch, int, n + 1);
  Expr *residual = ARENA_ARRAY(scratch, Expr, n + 1), *symbol = ARENA_ARRAY(scratch, Expr, n + 1);
  for (int i = 0; i < n; i++) {
    residual[i] = m->equations[i].residual, rank[i] = m->equations[i].rank;
    symbol[i] = m->unknowns[i].symbol, unknown_rank[i] = m->unknowns[i].rank;
  }
  CombineSystem system = {residual, symbol, rank, unknown_rank, &m->incidence, matching};
  Combination c;
  bool found = find_combination(m, scratch, &system, &c);
  arena_free(scratch);
  return found;
}

// Matching, index reduction where it is needed, and the solution for every unknown. `redundant`: by typed equation,
// NULL: none.
static bool solve_motion(Model *m, const unsigned char *redundant, Err *err) {
  Matching matching = match_typed(m);
  bool perfect = matching.count == m->unknown_count && matching.count == m->equation_count;
  if (!perfect && m->equation_count != m->unknown_count)
    return report_structure(m, &matching, "", err);
  if ((!perfect || has_combination(m, &matching)) && !match_reduced(m, redundant, &matching, err))
    return false;
  SortNonzero *nonzero = m->invariant_count ? has_value : NULL; // masses, above all
  if (!sort_solve(m->graph, m->arena, m->equations, m->unknowns, &m->incidence, &matching, nonzero,
                  m->flat, &m->sorted))
    return report_dependent(m, &m->sorted, m->equations, m->equation_count, m->unknowns,
                            m->unknown_count, err);
  solved_invariants(m);
  return true;
}

static bool report_left_over(Model *m, const char *hint, Err *err) {
  Matching matching = match_typed(m);
  return report_structure(m, &matching, hint, err);
}

// A model with equations that find no unknown whatever is differentiated: some constraints must follow from others.
static bool solve_overdetermined(Model *m, const unsigned char *left, int count, Err *err) {
  const unsigned char *redundant = NULL;
  Err unexplained = {0};
  if (!solve_motion(m, left, &unexplained)) return report_left_over(m, "", err);
  if (redundant_equations(m, &redundant, true) < count)
    return report_left_over(
        m, "; constraints may follow from others, but these do not at the start values", err);
  return solve_motion(m, redundant, err);
}

static bool solve_with_redundant(Model *m, Err *err) {
  const unsigned char *redundant = NULL;
  if (!solve_motion(m, NULL, err)) return false;
  return !m->invariant_count || redundant_equations(m, &redundant, false) == 0 ||
         solve_motion(m, redundant, err);
}

static bool sort_motion(Model *m, Err *err) {
  Matching matching = match_typed(m);
  if (!m->order.variable)
    m->order =
        has_choices(m, &matching) ? order_new(m->flat, m->arena) : order_of_text(m->flat, m->arena);
  int count = 0;
  unsigned char *left = ARENA_ARRAY(m->arena, unsigned char, m->equation_count + 1);
  if (matching.count < m->unknown_count && m->equation_count == m->unknown_count)
    count = structure_left_over(m, left);
  if (count < 0) return report_structure(m, &matching, "", err);
  bool ok = count ? solve_overdetermined(m, left, count, err) : solve_with_redundant(m, err);
  if (!ok) return false;
  if (compute_looped_modes_directly(m)) return sort_motion(m, err);
  return check_booleans(m, err);
}

static void assign_values(Model *m) {
  Flat *f = m->flat;
  m->value = ARENA_ARRAY(m->arena, Expr, f->variables.count + 1);
  m->f = ARENA_ARRAY(m->arena, Expr, m->nx + 1);
  int *state_of = ARENA_ARRAY(m->arena, int, f->variables.count + 1);
  for (int i = 0; i < m->nx; i++) state_of[m->state[i]] = i;
  for (int i = 0; i < f->variables.count; i++) m->value[i] = f->variables.at[i].node;
  for (int j = 0; j < m->unknown_count; j++) {
    int i = m->unknown_variable[j], order = m->unknown_order[j];
    if (f->variables.at[i].state && order == 1) m->f[state_of[i]] = m->sorted.solution[j];
    if (f->variables.at[i].state || order > 0) continue;
    m->value[i] = m->sorted.solution[j];
    if (m->index == 0) m->index = 1;
  }
}

static void assign_switching(Model *m) {
  Flat *f = m->flat;
  Replacer *r = replacer_new(m->graph, m->arena);
  for (int j = 0; j < m->unknown_count; j++)
    replacer_set(r, m->unknowns[j].symbol, m->sorted.solution[j]);
  m->ne = f->events.count;
  m->switching = ARENA_ARRAY(m->arena, Expr, m->ne + 1);
  for (int k = 0; k < m->ne; k++) m->switching[k] = replace(r, f->events.at[k].switching);
  m->assert_count = f->asserts.count;
  m->asserts = ARENA_ARRAY(m->arena, Expr, m->assert_count + 1);
  for (int k = 0; k < m->assert_count; k++) {
    m->asserts[k] = replace(r, f->asserts.at[k].condition);
    m->assert_varies |= expr_varies(m->graph, m->asserts[k]);
  }
}

// Where modes lock more than one element of the same motion, how they share the load is left open.
static void find_loose_systems(Model *m) {
  Flat *f = m->flat;
  if (!f->hybrid) return;
  Arena *scratch = arena_new();
  int n = 0;
  Expr *by = ARENA_ARRAY(scratch, Expr, f->events.count + f->held.count + 1);
  for (int k = 0; k < f->events.count; k++) by[n++] = f->events.at[k].mode;
  for (int k = 0; k < f->held.count; k++) by[n++] = f->held.at[k].before;
  const unsigned char *mixed = expr_dependents(m->graph, scratch, by, n);
  for (int k = 0; k < m->graph->blocks.count; k++) {
    ExprBlock *b = &m->graph->blocks.at[k];
    for (int i = 0; b->kind == EXPR_FACTOR && i < b->n * b->n; i++) b->loose |= mixed[b->matrix[i]];
  }
  arena_free(scratch);
}

static bool goes_on(Err *err) {
  return patience_asks() || fail(err, ERR_STOPPED, "stopped while the model was built");
}

Model *model_new(const Source *source, const AstModel *ast, const Override *overrides, int count,
                 Err *err) {
  Arena *a = arena_new();
  Model *m = ARENA_NEW(a, Model);
  m->arena = a;
  m->flat = flatten(a, source, ast, overrides, count, err);
  if (!m->flat) {
    arena_free(a);
    return NULL;
  }
  m->graph = m->flat->graph;
  m->symbols = ARENA_NEW(a, ModelSymbols);
  m->np = m->flat->parameters.count;
  compute_smooth_modes_directly(m);
  bool ok = goes_on(err) && sort_motion(m, err) && goes_on(err);
  if (ok) {
    assign_values(m);
    assign_switching(m);
    find_timed_events(m);
    find_needed_events(m);
    ok = live_solve(m, err) && find_start(m, err);
    find_loose_systems(m);
  }
  if (!ok) {
    arena_free(a);
    return NULL;
  }
  m->lock = ARENA_NEW(a, pthread_mutex_t);
  pthread_mutex_init(m->lock, NULL);
  return m;
}
