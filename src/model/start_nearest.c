// Start values with constraints c(x) = 0 (invariants and initial equations): the states nearest to their start attributes,
// min sum ((x - start)/nominal)^2 with c(x) = 0, by Lagrange's equations (x - start)/nominal^2 + c_x' mu = 0. Positions
// come first, rates after them.
#include "model/start_nearest.h"

#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"
#include "model/independent.h"
#include "model/mode_order.h"

int rank_of_initial(const Model *m, int i) {
  return sort_rank(m->flat->equations.count + m->order.initial_equation[i], 0);
}

int rank_of_start(const Model *m, int variable) {
  int before = m->flat->equations.count + m->flat->initial_equations.count;
  return sort_rank(before + m->order.variable[variable], 0);
}

SortUnknown start_unknown(const Model *m, int variable) {
  const Variable *v = &m->flat->variables.at[variable];
  return (SortUnknown){
      v->node, v->name, v->start, false, sort_rank(m->order.variable[variable], 0), v->has_start};
}

// Fixed states are as given. The others are those nearest to their start attributes (in nominal sizes) that satisfy the
// conditions: Lagrange's equations, solved by one Newton block for each stage. Positions come first, so that a poor guess
// of velocities does not move them.
typedef struct NearestStart {
  Model *m;
  Arena *scratch;
  Replacer *direct; // modes by what they stand for, unknowns by their solution
  Replacer *x0;     // states by their start values, as far as they are known
  ARRAY(StartCondition) conditions;
  IntArray rank;  // by condition: its place
  Expr *residual; // by condition, in states
  int *stage;     // by condition
  double *x;      // of the states, near the start
  bool *free;     // by state: not fixed
  bool *done;     // by state: x0 knows it
  int stages;
} NearestStart;

static void add_condition(NearestStart *s, StartCondition c, int rank) {
  array_push(s->m->arena, &s->conditions, c);
  array_push(s->scratch, &s->rank, rank);
}

static void list_conditions(NearestStart *s) {
  Model *m = s->m;
  const Flat *f = m->flat;
  for (int i = 0; i < m->invariant_count; i++) {
    const Equation *e = &f->equations.at[m->invariants[i].equation];
    StartCondition c = {m->invariants[i].residual, 0, e->line, e->column, i, -1};
    int place = m->order.equation[m->invariants[i].equation];
    add_condition(s, c, sort_rank(place, m->invariants[i].level));
  }
  for (int i = 0; i < f->initial_equations.count; i++) {
    const Equation *e = &f->initial_equations.at[i];
    StartCondition c = {e->residual, 0, e->line, e->column, -1, -1};
    add_condition(s, c, rank_of_initial(m, i));
  }
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    if (v->kind != VARIABLE_UNKNOWN || v->state || !v->fixed) continue;
    if (f->hybrid && (v->boolean || v->integer)) continue; // see hold_start
    Expr residual = expr_sub(m->graph, v->node, v->start);
    StartCondition c = {residual, 0, v->line, v->column, -1, -1};
    add_condition(s, c, rank_of_start(m, i));
  }
  s->residual = ARENA_ARRAY(s->scratch, Expr, s->conditions.count + 1);
  for (int i = 0; i < s->conditions.count; i++)
    s->residual[i] = replace(s->direct, s->conditions.at[i].residual);
}

static bool is_redundant(const NearestStart *s, int condition) {
  int i = s->conditions.at[condition].invariant;
  return i >= 0 && s->m->invariants[i].redundant;
}

// Inserts condition i into a list that is sorted by rank: what depends on others comes after them in any text.
static void insert_by_rank(const NearestStart *s, int *list, int count, int i) {
  int k = count;
  for (; k > 0 && s->rank.at[list[k - 1]] > s->rank.at[i]; k--) list[k] = list[k - 1];
  list[k] = i;
}

// By state: a stage from this one on can choose it.
static bool *states_left(NearestStart *s, const Derivatives *d, int stage) {
  bool *left = ARENA_ARRAY(s->scratch, bool, s->m->nx + 1);
  memcpy(left, s->free, (size_t)s->m->nx * sizeof *left);
  for (int i = 0; i < d->rows; i++)
    for (int e = d->start[i]; e < d->start[i + 1] && s->stage[i] < stage; e++)
      left[d->column[e]] = false;
  return left;
}

// Conditions of a stage by the states that it can choose. A matching serves columns in their order, here the conditions:
// those of low rank find a state if any do.
static Matching match_stage(NearestStart *s, const Derivatives *d, int stage) {
  Arena *a = s->scratch;
  int nx = s->m->nx, *start = ARENA_ARRAY(a, int, nx + 2);
  int *condition = ARENA_ARRAY(a, int, d->start[d->rows] + 1);
  const bool *left = states_left(s, d, stage);
  for (int i = 0; i < d->rows; i++)
    for (int e = d->start[i]; e < d->start[i + 1] && s->stage[i] == stage; e++)
      if (left[d->column[e]] && !is_redundant(s, i)) start[d->column[e] + 1]++;
  for (int j = 0; j < nx; j++) start[j + 1] += start[j];
  start[nx + 1] = start[nx]; // filled from the ends: then start[j + 1] is where j begins
  for (int i = d->rows - 1; i >= 0; i--)
    for (int e = d->start[i]; e < d->start[i + 1] && s->stage[i] == stage; e++)
      if (left[d->column[e]] && !is_redundant(s, i)) condition[--start[d->column[e] + 1]] = i;
  Incidence by_state = {nx, d->rows, start + 1, condition};
  int *order = ARENA_ARRAY(a, int, d->rows + 1);
  for (int i = 0; i < d->rows; i++) insert_by_rank(s, order, i, i);
  return match(a, &by_state, order);
}

// Whether a condition contains free states that the constraint it was differentiated from does not: what it is about.
static bool is_about_free(const NearestStart *s, const Derivatives *d, int i) {
  int v = s->conditions.at[i].invariant;
  const Invariant *of = v > 0 ? &s->m->invariants[v] : NULL;
  bool differentiated = of && of[-1].equation == of->equation; // condition i - 1
  for (int e = d->start[i]; e < d->start[i + 1]; e++) {
    bool inside = false;
    for (int k = d->start[i - differentiated]; k < d->start[i] && differentiated; k++)
      inside |= d->column[k] == d->column[e];
    if (!inside && s->free[d->column[e]]) return true;
  }
  return false;
}

// A condition that finds no state of its own, because stages before choose all of them, belongs to these.
static bool move_earlier(NearestStart *s, const Derivatives *d) {
  bool any = false;
  for (int stage = s->stages - 1; stage > 0 && !any; stage--) {
    Matching m = match_stage(s, d, stage);
    for (int i = 0; i < d->rows; i++) {
      if (s->stage[i] != stage || m.equation_of[i] >= 0 || is_redundant(s, i)) continue;
      if (!is_about_free(s, d, i)) continue;
      s->stage[i]--;
      any = true;
    }
  }
  return any;
}

// Invariants by level; what was added to them belongs to the positions if it contains nothing else, or makes one stage
// of all.
static void choose_stages(NearestStart *s) {
  Model *m = s->m;
  Arena *a = s->scratch;
  int count = s->conditions.count;
  s->stage = ARENA_ARRAY(a, int, count + 1);
  Derivatives d = derive_rows(m->graph, a, s->residual, count, m->x, m->nx);
  bool *position = ARENA_ARRAY(a, bool, m->nx + 1), all_in_one = false;
  for (int i = 0; i < m->invariant_count; i++) {
    s->stage[i] = m->invariants[i].level;
    if (s->stage[i] >= s->stages) s->stages = s->stage[i] + 1;
    for (int e = d.start[i]; e < d.start[i + 1] && s->stage[i] == 0; e++)
      position[d.column[e]] = true;
  }
  for (int i = m->invariant_count; i < count; i++)
    for (int e = d.start[i]; e < d.start[i + 1]; e++)
      all_in_one |= s->free[d.column[e]] && !position[d.column[e]];
  if (all_in_one) {
    memset(s->stage, 0, (size_t)count * sizeof *s->stage);
    s->stages = 1;
  }
  while (move_earlier(s, &d)) {
  }
}

// A point near the start that satisfies what can be satisfied.
static void settle(NearestStart *s) {
  Model *m = s->m;
  int count = s->conditions.count, *order = ARENA_ARRAY(s->scratch, int, count + 1);
  Expr *residuals = ARENA_ARRAY(s->scratch, Expr, count + 1);
  for (int i = 0; i < count; i++) insert_by_rank(s, order, i, i);
  for (int i = 0; i < count; i++) residuals[i] = s->residual[order[i]];
  s->x = ARENA_ARRAY(s->scratch, double, m->nx + 1);
  Conditions *c = conditions_new(m, residuals, count);
  start_attributes(m, NULL, s->x);
  conditions_settle(c, s->free, s->x);
  conditions_free(c);
}

typedef struct StartStage {
  IntArray state, condition;
  Derivatives slopes; // of the conditions by the states
} StartStage;

// The first of a condition's own states when none of them changes it here, such as y where y^2 is and y begins at 0.
static int state_without_slope(NearestStart *s, Expr residual, const bool *own) {
  Derivatives d = derive_rows(s->m->graph, s->scratch, &residual, 1, s->m->x, s->m->nx);
  int state = -1;
  unsigned char mark;
  for (int e = d.start[1] - 1; e >= 0; e--)
    if (own[d.column[e]]) state = d.column[e];
  if (state < 0) return -1;
  Conditions *c = conditions_new(s->m, &residual, 1);
  bool has_slope = conditions_independent(c, own, s->x, &mark) > 0;
  conditions_free(c);
  return has_slope ? -1 : state;
}

// Conditions that follow from others at the start, or contain none of the states, are checked only.
static void keep_independent(NearestStart *s, StartStage *stage, const Expr *residuals,
                             const bool *own) {
  int count = stage->condition.count, kept = 0;
  unsigned char *mark = ARENA_ARRAY(s->scratch, unsigned char, count + 1);
  Conditions *c = conditions_new(s->m, residuals, count);
  conditions_independent(c, own, s->x, mark);
  conditions_free(c);
  for (int k = 0; k < count; k++) {
    int i = stage->condition.at[k];
    if (mark[k])
      stage->condition.at[kept++] = i;
    else
      s->conditions.at[i].without_slope = state_without_slope(s, residuals[k], own);
  }
  stage->condition.count = kept;
}

static Derivatives stage_slopes(NearestStart *s, const StartStage *stage, Expr *residuals) {
  for (int k = 0; k < stage->condition.count; k++)
    residuals[k] = s->residual[stage->condition.at[k]];
  return derive_rows(s->m->graph, s->scratch, residuals, stage->condition.count, s->m->x, s->m->nx);
}

static void list_stage(NearestStart *s, int number, StartStage *stage) {
  Model *m = s->m;
  Arena *a = s->scratch;
  Expr *residuals = ARENA_ARRAY(a, Expr, s->conditions.count + 1);
  for (int i = 0; i < s->conditions.count; i++) {
    if (s->stage[i] != number || is_redundant(s, i)) continue;
    array_push(a, &stage->condition, i);
    insert_by_rank(s, stage->condition.at, stage->condition.count - 1, i);
  }
  Derivatives d = stage_slopes(s, stage, residuals);
  bool *own = ARENA_ARRAY(a, bool, m->nx + 1);
  for (int e = 0; e < d.start[d.rows]; e++)
    own[d.column[e]] = s->free[d.column[e]] && !s->done[d.column[e]];
  for (int i = 0; i < m->nx; i++)
    if (own[i]) array_push(a, &stage->state, i);
  keep_independent(s, stage, residuals, own);
  stage->slopes = stage_slopes(s, stage, residuals);
}

static Expr slope_of(const StartStage *stage, int row, int state) {
  for (int e = stage->slopes.start[row]; e < stage->slopes.start[row + 1]; e++)
    if (stage->slopes.column[e] == state) return stage->slopes.value[e];
  return 0; // the node of the number 0
}

// Unit of the multipliers. Next to a target that satisfies the conditions they are nothing but rounding errors, which must
// not count when Newton's method asks whether it has converged.
static const double MULTIPLIER_UNIT = 1e8;

// (z - start)/nominal^2 + sum of mu_k dc_k/dz = 0
static Expr pull(NearestStart *s, const StartStage *stage, int state, Expr z, const Expr *mu) {
  Graph *g = s->m->graph;
  const Variable *v = &s->m->flat->variables.at[s->m->state[state]];
  Expr weight = expr_const(g, 1 / (v->nominal * v->nominal));
  Expr unit = expr_const(g, MULTIPLIER_UNIT);
  Expr sum = expr_mul(g, weight, expr_sub(g, z, v->start));
  for (int k = 0; k < stage->condition.count; k++)
    sum = expr_add(g, sum, expr_mul(g, expr_mul(g, unit, mu[k]), slope_of(stage, k, state)));
  return sum;
}

// As many conditions as states: they can be taken apart into blocks, most of them explicit. false: they cannot.
static bool solve_square(NearestStart *s, const StartStage *stage) {
  Model *m = s->m;
  int n = stage->state.count;
  SortEquation *equations = ARENA_ARRAY(s->scratch, SortEquation, n + 1);
  SortUnknown *unknowns = ARENA_ARRAY(s->scratch, SortUnknown, n + 1);
  for (int i = 0; i < n; i++) {
    const StartCondition *c = &s->conditions.at[stage->condition.at[i]];
    equations[i] = (SortEquation){.residual = replace(s->x0, s->residual[stage->condition.at[i]]),
                                  .line = c->line,
                                  .column = c->column,
                                  .rank = s->rank.at[stage->condition.at[i]]};
    unknowns[i] = start_unknown(m, m->state[stage->state.at[i]]);
  }
  Incidence in = sort_incidence(m->graph, s->scratch, equations, n, unknowns, n);
  Matching matching = match(s->scratch, &in, NULL);
  Sorted sorted;
  if (matching.count < n ||
      !sort_solve(m->graph, m->arena, equations, unknowns, &in, &matching, NULL, NULL, &sorted))
    return false;
  for (int i = 0; i < n; i++) {
    replacer_set(s->x0, m->x[stage->state.at[i]], sorted.solution[i]);
    s->done[stage->state.at[i]] = true;
  }
  return true;
}

// States that this stage does not determine: should they occur in it, their values make no difference.
static void hold_others(NearestStart *s) {
  const Model *m = s->m;
  for (int i = 0; i < m->nx; i++)
    if (s->free[i] && !s->done[i])
      replacer_set(s->x0, m->x[i], m->flat->variables.at[m->state[i]].start);
}

static void release(NearestStart *s, const StartStage *stage) {
  for (int i = 0; i < stage->state.count; i++) replacer_clear(s->x0, s->m->x[stage->state.at[i]]);
}

static void solve_stage(NearestStart *s, const StartStage *stage) {
  Model *m = s->m;
  Graph *g = m->graph;
  Arena *a = s->scratch;
  int n = stage->state.count, rows = stage->condition.count;
  bool square = n == rows;
  int size = square ? n : n + rows;
  if (n == 0 || rows == 0) return;
  hold_others(s);
  release(s, stage);
  if (square && solve_square(s, stage)) return;
  Expr *z = ARENA_ARRAY(a, Expr, size + 1), *residual = ARENA_ARRAY(a, Expr, size + 1);
  Expr *start = ARENA_ARRAY(a, Expr, size + 1);
  const char **names = ARENA_ARRAY(m->arena, const char *, size + 1);
  for (int i = 0; i < size; i++) {
    const Variable *v = i < n ? &m->flat->variables.at[m->state[stage->state.at[i]]] : NULL;
    names[i] = v ? v->name : "a multiplier of the start";
    z[i] = expr_symbol(g, names[i], true);
    start[i] = v ? v->start : expr_const(g, 0);
    if (v) replacer_set(s->x0, m->x[stage->state.at[i]], z[i]);
  }
  for (int i = 0; i < n && !square; i++)
    residual[rows + i] = replace(s->x0, pull(s, stage, stage->state.at[i], z[i], z + n));
  for (int k = 0; k < rows; k++) residual[k] = replace(s->x0, s->residual[stage->condition.at[k]]);
  const StartCondition *at = &s->conditions.at[stage->condition.at[0]];
  Expr first = expr_newton(g, size, z, residual, start, names, at->line, at->column);
  for (int i = 0; i < n; i++) {
    replacer_set(s->x0, m->x[stage->state.at[i]], first + i);
    s->done[stage->state.at[i]] = true;
  }
}

// Sum of what its terms can be: residuals are compared with it.
static Expr size_of(NearestStart *s, int condition) {
  Graph *g = s->m->graph;
  Expr e = s->residual[condition], sum = expr_const(g, 0);
  Derivatives d = derive_rows(g, s->scratch, &e, 1, s->m->x, s->m->nx);
  for (int k = 0; k < d.start[1]; k++) {
    const Variable *v = &s->m->flat->variables.at[s->m->state[d.column[k]]];
    Expr scale = expr_add(g, expr_call(g, OP_ABS, s->m->x[d.column[k]]), expr_const(g, v->nominal));
    sum = expr_add(g, sum, expr_mul(g, expr_call(g, OP_ABS, d.value[k]), scale));
  }
  return replace(s->x0, sum);
}

static void store_start(NearestStart *s) {
  Model *m = s->m;
  Arena *a = m->arena;
  m->x0 = ARENA_ARRAY(a, Expr, m->nx + 1);
  for (int i = 0; i < m->nx; i++) m->x0[i] = replace(s->x0, m->x[i]);
  m->mode0 = ARENA_ARRAY(a, Expr, m->ne + 1);
  for (int k = 0; k < m->ne; k++)
    m->mode0[k] = replace(s->x0, replace(s->direct, m->flat->events.at[k].mode));
  m->initial.solution = ARENA_ARRAY(a, Expr, m->unknown_count + 1);
  for (int j = 0; j < m->unknown_count; j++)
    m->initial.solution[j] = replace(s->x0, replace(s->direct, m->sorted.solution[j]));
  m->condition_count = s->conditions.count;
  m->conditions = s->conditions.at;
  for (int i = 0; i < m->condition_count; i++) {
    m->conditions[i].size = size_of(s, i);
    m->conditions[i].residual = replace(s->x0, s->residual[i]);
  }
}

static void prepare_replacers(NearestStart *s) {
  Model *m = s->m;
  s->direct = replacer_new(m->graph, s->scratch);
  s->x0 = replacer_new(m->graph, s->scratch);
  replace_modes(m, s->scratch, s->direct);
  s->free = ARENA_ARRAY(s->scratch, bool, m->nx + 1);
  s->done = ARENA_ARRAY(s->scratch, bool, m->nx + 1);
  for (int i = 0; i < m->nx; i++) {
    const Variable *v = &m->flat->variables.at[m->state[i]];
    s->free[i] = !v->fixed;
    if (v->fixed) replacer_set(s->x0, m->x[i], v->start);
  }
}

void find_nearest_start(Model *m) {
  NearestStart s = {.m = m, .scratch = arena_new()};
  prepare_replacers(&s);
  list_conditions(&s);
  choose_stages(&s);
  settle(&s);
  for (int k = 0; k < s.stages; k++) {
    StartStage stage = {0};
    list_stage(&s, k, &stage);
    solve_stage(&s, &stage);
  }
  for (int i = 0; i < m->nx; i++)
    if (s.free[i] && !s.done[i])
      replacer_set(s.x0, m->x[i], m->flat->variables.at[m->state[i]].start);
  store_start(&s);
  arena_free(s.scratch);
}
