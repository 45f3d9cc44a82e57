// Second derivatives, forward: the states of the augmented model are [x | S] with dS_k/dt = f_x S_k + f_p_k, so its
// own sensitivities are of second order. Adjoint: dmu/dt = -f_x' mu backwards in time; the weighted second derivatives
// by p_k and p_l are the integral of mu' (f_xx S_k S_l + f_xp_l S_k + f_xp_k S_l + f_p_kp_l) plus what the start adds.
// Columns S_k may be scaled by a parameter, so that their size is that of the states.
#include "model/second.h"

#include <string.h>

#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"
#include "model/extend.h"

// ---------------------------------------------------------------- what both share

// By parameter: its column of S, -1 where it enters neither the equations nor the start values nor the times of events.
// Returns how many have one.
static int find_columns(const Model *m, const int *parameters, int count, int *column) {
  Arena *scratch = arena_new();
  Expr *by = ARENA_ARRAY(scratch, Expr, count + 1);
  for (int k = 0; k < count; k++) by[k] = m->flat->parameters.at[parameters[k]].node;
  unsigned char *moves = ARENA_ARRAY(scratch, unsigned char, count + 1);
  const Expr *const parts[] = {m->f, m->x0, m->switching};
  const int rows[] = {m->nx, m->nx, m->ne};
  for (int part = 0; part < 3; part++) {
    Derivatives d = derive_rows(m->graph, scratch, parts[part], rows[part], by, count);
    for (int e = 0; e < d.start[rows[part]]; e++) moves[d.column[e]] = 1;
  }
  int columns = 0;
  for (int k = 0; k < count; k++) column[k] = moves[k] ? columns++ : -1;
  arena_free(scratch);
  return columns;
}

// Derivatives of expressions of m by parameter p with weight `unit`, with the derivatives of the states in S (NULL: they
// do not move).
static void slopes_along(const Model *m, const Expr *e, int count, int p, const Expr *S, Expr unit,
                         Expr *slopes) {
  Arena *scratch = arena_new();
  int n = 0;
  Expr *by = ARENA_ARRAY(scratch, Expr, m->nx + 1), *seed = ARENA_ARRAY(scratch, Expr, m->nx + 1);
  by[n] = m->flat->parameters.at[p].node, seed[n++] = unit;
  for (int i = 0; S && i < m->nx; i++) by[n] = m->x[i], seed[n++] = S[i];
  derive_direction(m->graph, e, count, by, seed, n, slopes);
  arena_free(scratch);
}

void model_rates(const Model *m, Model *symbols, const Expr *e, int count, Expr *rates) {
  Arena *scratch = arena_new();
  const Expr *du = model_helpers(symbols, HELPER_INPUT_SLOPE, m->nu);
  const Expr *ddu = model_helpers(symbols, HELPER_INPUT_SECOND, m->nu);
  const Expr *dddu = model_helpers(symbols, HELPER_INPUT_THIRD, m->nu);
  int room = 1 + m->nx + 3 * m->nu, n = 0;
  Expr *by = ARENA_ARRAY(scratch, Expr, room), *seed = ARENA_ARRAY(scratch, Expr, room);
  by[n] = m->flat->time, seed[n++] = expr_const(m->graph, 1);
  for (int i = 0; i < m->nx; i++) by[n] = m->x[i], seed[n++] = m->f[i];
  for (int i = 0; i < m->nu; i++) {
    by[n] = m->u[i], seed[n++] = du[i];
    by[n] = du[i], seed[n++] = ddu[i];
    by[n] = ddu[i], seed[n++] = dddu[i];
  }
  derive_direction(m->graph, e, count, by, seed, n, rates);
  arena_free(scratch);
}

static int *copy_numbers(Arena *a, const int *from, int count) {
  int *to = ARENA_ARRAY(a, int, count + 1);
  if (count) memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

static bool same_numbers(const int *a, int a_count, const int *b, int b_count) {
  return a_count == b_count && (a_count == 0 || memcmp(a, b, (size_t)a_count * sizeof *a) == 0);
}

// Room for the states of a new model; adds none yet.
static void clear_states(Model *m, int room) {
  Arena *a = m->arena;
  m->x = ARENA_ARRAY(a, Expr, room + 1);
  m->f = ARENA_ARRAY(a, Expr, room + 1);
  m->x0 = ARENA_ARRAY(a, Expr, room + 1);
  m->state = ARENA_ARRAY(a, int, room + 1);
  m->nx = 0;
}

static Expr add_state(Model *m, const char *name, double nominal) {
  Flat *f = m->flat;
  Variable v = {.name = name,
                .description = "",
                .unit = "",
                .kind = VARIABLE_UNKNOWN,
                .state = true,
                .nominal = nominal};
  v.node = expr_symbol(m->graph, name, true);
  array_push(m->arena, &f->variables, v);
  m->state[m->nx] = f->variables.count - 1;
  m->x[m->nx] = v.node;
  return m->x[m->nx++];
}

static const Variable *state_variable(const Model *m, int i) {
  return &m->flat->variables.at[m->state[i]];
}

static const char *slope_name(const Model *m, int i, int parameter) {
  return arena_print(m->arena, "d%s/d%s", state_variable(m, i)->name,
                     m->flat->parameters.at[parameter].name);
}

// ---------------------------------------------------------------- forward

static void take_states(Model *m, const Model *of) {
  m->nx = of->nx;
  memcpy(m->x, of->x, (size_t)of->nx * sizeof *m->x);
  memcpy(m->f, of->f, (size_t)of->nx * sizeof *m->f);
  memcpy(m->x0, of->x0, (size_t)of->nx * sizeof *m->x0);
  memcpy(m->state, of->state, (size_t)of->nx * sizeof *m->state);
}

static Expr scale_of(const Augmented *a, int column) {
  return a->model->flat->parameters.at[a->scale[column]].node;
}

static void add_column(Augmented *a, int k) {
  const Model *of = a->of;
  Model *m = a->model;
  int parameter = a->parameters[k], first = m->nx, column = a->column[k];
  const char *name = of->flat->parameters.at[parameter].name;
  a->scale[column] = model_add_parameter(m, arena_print(m->arena, "size of %s", name), 1);
  for (int i = 0; i < of->nx; i++)
    add_state(m, slope_name(of, i, parameter), state_variable(of, i)->nominal);
  Expr unit = scale_of(a, column);
  slopes_along(of, of->f, of->nx, parameter, m->x + first, unit, m->f + first);
  slopes_along(of, of->x0, of->nx, parameter, NULL, unit, m->x0 + first);
}

static Augmented *make_augmented(Model *m, const int *parameters, int count) {
  Arena *arena = m->arena;
  Augmented *a = ARENA_NEW(arena, Augmented);
  *a = (Augmented){.of = m, .parameters = copy_numbers(arena, parameters, count), .count = count};
  a->column = ARENA_ARRAY(arena, int, count + 1);
  a->columns = find_columns(m, parameters, count, a->column);
  a->scale = ARENA_ARRAY(arena, int, a->columns + 1);
  a->model = model_copy(m, arena);
  clear_states(a->model, m->nx * (1 + a->columns));
  take_states(a->model, m);
  for (int k = 0; k < count; k++)
    if (a->column[k] >= 0) add_column(a, k);
  return a;
}

const Augmented *model_with_sensitivities(Model *m, const int *parameters, int count) {
  pthread_mutex_lock(m->lock);
  Augmented *a = m->augmented;
  while (a && !(a->of == m && same_numbers(a->parameters, a->count, parameters, count)))
    a = a->next;
  if (!a) {
    a = make_augmented(m, parameters, count);
    a->next = m->augmented;
    m->augmented = a;
  }
  pthread_mutex_unlock(m->lock);
  return a;
}

void augmented_slopes(const Augmented *a, const Expr *e, int count, int k, Expr *slopes) {
  Graph *g = a->of->graph;
  int column = a->column[k];
  if (column < 0) {
    slopes_along(a->of, e, count, a->parameters[k], NULL, expr_const(g, 1), slopes);
    return;
  }
  const Expr *S = a->model->x + a->of->nx * (1 + column);
  Expr scale = scale_of(a, column);
  slopes_along(a->of, e, count, a->parameters[k], S, scale, slopes);
  for (int i = 0; i < count; i++) slopes[i] = expr_div(g, slopes[i], scale);
}

// ---------------------------------------------------------------- adjoint

static void add_input(Model *m, Expr symbol) {
  m->input[m->nu] = -1; // no variable of the model
  m->u[m->nu++] = symbol;
}

static void add_adjoint_inputs(Adjoint *a) {
  const Model *of = a->of;
  Model *m = a->model;
  int more = of->nx * (1 + a->columns);
  m->u = ARENA_ARRAY(m->arena, Expr, of->nu + more + 1);
  m->input = ARENA_ARRAY(m->arena, int, of->nu + more + 1);
  if (of->nu) memcpy(m->u, of->u, (size_t)of->nu * sizeof *m->u);
  if (of->nu) memcpy(m->input, of->input, (size_t)of->nu * sizeof *m->input);
  a->first_x = m->nu;
  for (int i = 0; i < of->nx; i++) add_input(m, of->x[i]);
  a->first_S = m->nu;
  for (int i = 0; i < of->nx * a->columns; i++) add_input(m, expr_symbol(m->graph, "slope", true));
}

void adjoint_slopes(const Adjoint *a, const Expr *e, int count, int k, Expr *slopes) {
  int nx = a->of->nx, column = a->column[k];
  Arena *scratch = arena_new();
  Expr *S = ARENA_ARRAY(scratch, Expr, nx + 1);
  for (int i = 0; i < nx && column >= 0; i++)
    S[i] = a->model->u[a->first_S + i * a->columns + column];
  slopes_along(a->of, e, count, a->parameters[k], column >= 0 ? S : NULL,
               expr_const(a->of->graph, 1), slopes);
  arena_free(scratch);
}

static Expr weighted_sum(Graph *g, const Expr *weight, const Expr *e, int count) {
  Expr sum = expr_const(g, 0);
  for (int i = 0; i < count; i++) sum = expr_add(g, sum, expr_mul(g, weight[i], e[i]));
  return sum;
}

// mu' = -f_x' mu
static void add_mu(Adjoint *a) {
  const Model *of = a->of;
  Model *m = a->model;
  Graph *g = of->graph;
  Arena *scratch = arena_new();
  for (int i = 0; i < of->nx; i++)
    add_state(m, arena_print(m->arena, "mu of %s", state_variable(of, i)->name), 1);
  Derivatives d = derive_rows(g, scratch, of->f, of->nx, of->x, of->nx);
  for (int i = 0; i < of->nx; i++)
    for (int e = d.start[i]; e < d.start[i + 1]; e++) {
      Expr *f = &m->f[d.column[e]];
      *f = expr_sub(g, *f, expr_mul(g, d.value[e], m->x[i]));
    }
  arena_free(scratch);
}

// Slopes of e (count of them) by every column: [column][e].
static Expr *all_slopes(const Adjoint *a, Arena *scratch, const Expr *e, int count) {
  Expr *slopes = ARENA_ARRAY(scratch, Expr, (size_t)a->columns * (size_t)count + 1);
  for (int k = 0; k < a->count; k++)
    if (a->column[k] >= 0) adjoint_slopes(a, e, count, k, slopes + a->column[k] * count);
  return slopes;
}

static bool are_zero(const Graph *g, const Expr *e, int count) {
  for (int i = 0; i < count; i++)
    if (!expr_is_value(g, e[i], 0)) return false;
  return true;
}

// Sums over mu of the slopes of slopes of e (by state), with the slopes of the states held. All pairs with one column are
// derived together, because looking through the graph takes longer than deriving.
static Expr *weighted_pairs(const Adjoint *a, const Expr *e) {
  int nx = a->of->nx, columns = a->columns;
  Arena *scratch = arena_new();
  Expr *pairs = ARENA_ARRAY(a->model->arena, Expr, columns * (columns + 1) / 2 + 1);
  const Expr *first = all_slopes(a, scratch, e, nx);
  Expr *second = ARENA_ARRAY(scratch, Expr, (size_t)columns * (size_t)nx + 1);
  bool none = are_zero(a->of->graph, first, columns * nx);
  for (int k = 0; k < a->count && !none; k++) {
    int l = a->column[k];
    if (l < 0) continue;
    adjoint_slopes(a, first, (l + 1) * nx, k, second);
    for (int c = 0; c <= l; c++)
      pairs[c * columns - c * (c - 1) / 2 + l - c] =
          weighted_sum(a->of->graph, a->model->x, second + c * nx, nx);
  }
  arena_free(scratch);
  return pairs;
}

static void add_pairs(Adjoint *a) {
  int pairs = a->columns * (a->columns + 1) / 2;
  a->integrand = weighted_pairs(a, a->of->f);
  a->at_start = weighted_pairs(a, a->of->x0);
  a->start_matters = !are_zero(a->of->graph, a->at_start, pairs);
}

static Adjoint *make_adjoint(Model *m, const int *parameters, int count) {
  Arena *arena = m->arena;
  Adjoint *a = ARENA_NEW(arena, Adjoint);
  *a = (Adjoint){.of = m, .parameters = copy_numbers(arena, parameters, count), .count = count};
  a->column = ARENA_ARRAY(arena, int, count + 1);
  a->columns = find_columns(m, parameters, count, a->column);
  a->model = model_copy(m, arena);
  a->model->invariant_count = a->model->condition_count = 0;
  clear_states(a->model, m->nx);
  add_adjoint_inputs(a);
  add_mu(a);
  add_pairs(a);
  return a;
}

const Adjoint *model_adjoint(Model *m, const int *parameters, int count) {
  pthread_mutex_lock(m->lock);
  Adjoint *a = m->adjoint;
  while (a && !(a->of == m && same_numbers(a->parameters, a->count, parameters, count)))
    a = a->next;
  if (!a) {
    a = make_adjoint(m, parameters, count);
    a->next = m->adjoint;
    m->adjoint = a;
  }
  pthread_mutex_unlock(m->lock);
  return a;
}

// ---------------------------------------------------------------- where it is not smooth

// By node: whether the states or the parameters move it.
static const unsigned char *find_moved(const Model *m, Arena *a, const int *parameters, int count) {
  Expr *by = ARENA_ARRAY(a, Expr, m->nx + count + 1);
  memcpy(by, m->x, (size_t)m->nx * sizeof *by);
  for (int k = 0; k < count; k++) by[m->nx + k] = m->flat->parameters.at[parameters[k]].node;
  return expr_dependents(m->graph, a, by, m->nx + count);
}

int model_moved_event(Model *m, const int *parameters, int count) {
  Arena *scratch = arena_new();
  int found = -1;
  pthread_mutex_lock(m->lock);
  const unsigned char *moved = find_moved(m, scratch, parameters, count);
  for (int k = 0; k < m->ne && found < 0; k++)
    if (moved[m->switching[k]] || m->flat->hybrid) found = k; // states jump there
  pthread_mutex_unlock(m->lock);
  arena_free(scratch);
  return found;
}

typedef struct KinkSearch {
  Arena *scratch;
  Graph *g;
  unsigned char *seen;
  IntArray stack, found; // found: nodes
} KinkSearch;

static bool has_kink(Op op) {
  return op == OP_ABS || op == OP_MIN || op == OP_MAX || op == OP_LT || op == OP_LE ||
         op == OP_FLOOR;
}

static void look_at(void *data, Expr e) {
  KinkSearch *s = data;
  if (s->seen[e]) return;
  s->seen[e] = 1;
  array_push(s->scratch, &s->stack, e);
  if (has_kink((Op)s->g->nodes[e].op)) array_push(s->scratch, &s->found, e);
}

// Whole numbers change where the node is not smooth.
static Expr condition_of(Graph *g, Expr e) {
  ExprNode n = g->nodes[e];
  if (n.op == OP_ABS) return expr_make(g, OP_LT, n.a, expr_const(g, 0), 0);
  if (n.op == OP_MIN || n.op == OP_MAX) return expr_make(g, OP_LT, n.a, n.b, 0);
  return e;
}

// Residuals of Newton blocks speak of their unknowns: solutions take their place.
static Replacer *solutions(Graph *g, Arena *scratch) {
  Replacer *r = replacer_new(g, scratch);
  for (int k = 0; k < g->blocks.count; k++) {
    ExprBlock b = g->blocks.at[k];
    for (int i = 0; b.kind == EXPR_NEWTON && i < b.n; i++)
      replacer_set(r, b.unknowns[i], b.first + i);
  }
  return r;
}

int model_kinks(Model *m, Arena *a, const int *parameters, int count, Expr **kinks) {
  Arena *scratch = arena_new();
  KinkSearch s = {.scratch = scratch, .g = m->graph};
  s.seen = ARENA_ARRAY(scratch, unsigned char, m->graph->count);
  for (int i = 0; i < m->nx; i++) look_at(&s, m->f[i]);
  while (s.stack.count) expr_each_argument(s.g, s.stack.at[--s.stack.count], look_at, &s);
  Replacer *r = solutions(m->graph, scratch);
  for (int i = 0; i < s.found.count; i++)
    s.found.at[i] = replace(r, condition_of(m->graph, s.found.at[i]));
  const unsigned char *moved = find_moved(m, scratch, parameters, count);
  int found = 0;
  *kinks = ARENA_ARRAY(a, Expr, s.found.count + 1);
  for (int i = 0; i < s.found.count; i++)
    if (expr_varies(m->graph, s.found.at[i]) && moved[s.found.at[i]])
      (*kinks)[found++] = s.found.at[i];
  arena_free(scratch);
  return found;
}
