// Directions along invariants g(x) = 0. With G = dg/dx and W the squared nominal sizes, pushes V (columns) become
// V a - W G' nu with G (V a - W G' nu) = 0: the projection in the metric of W. The strengths a are such that the motion
// along each push is what it would be without invariants, as far as these allow. Positions are corrected before rates,
// stage by stage.
#include "model/tangent.h"

#include "expr/derive.h"
#include "expr/simplify.h"

// An equation that was differentiated c times leaves c invariants. The last of them needs one differentiation more and
// is about rates (stage 0), the one before is about positions (stage 1), and so on.
typedef struct TangentStage {
  int *row; // numbers of invariants
  int rows;
  bool *corrects; // by state: it may be changed to satisfy them
  int factor;     // block of the matrix G W G', -1: not made yet
} TangentStage;

struct Tangent {
  Model *m;
  Graph *g;
  Arena *arena;
  Derivatives by_state; // of all invariants
  int *stage_of_state;  // -1: in no invariant
  TangentStage *stages; // rates last
  int stage_count;
  TangentStage together;
};

double tangent_weight(const Model *m, int state) {
  double nominal = m->flat->variables.at[m->state[state]].nominal;
  return nominal > 0 || nominal < 0 ? nominal * nominal : 1;
}

// ---------------------------------------------------------------- stages

static int stage_of(const Model *m, int invariant) {
  int last = invariant;
  while (last + 1 < m->invariant_count &&
         m->invariants[last + 1].equation == m->invariants[invariant].equation)
    last++;
  return m->invariants[last].level - m->invariants[invariant].level;
}

static int highest_stage(const Model *m) {
  int most = 0;
  for (int i = 0; i < m->invariant_count; i++)
    if (stage_of(m, i) > most) most = stage_of(m, i);
  return most;
}

static TangentStage new_stage(const Tangent *t) {
  return (TangentStage){.row = ARENA_ARRAY(t->arena, int, t->m->invariant_count + 1),
                        .corrects = ARENA_ARRAY(t->arena, bool, t->m->nx + 1),
                        .factor = -1};
}

static void add_row(Tangent *t, TangentStage *s, int invariant) {
  s->row[s->rows++] = invariant;
  for (int e = t->by_state.start[invariant]; e < t->by_state.start[invariant + 1]; e++)
    s->corrects[t->by_state.column[e]] = true;
}

// States of earlier stages are settled.
static void number_states(Tangent *t) {
  for (int i = 0; i < t->m->nx; i++) {
    t->stage_of_state[i] = -1;
    for (int k = 0; k < t->stage_count; k++) {
      TangentStage *s = &t->stages[k];
      if (t->stage_of_state[i] >= 0)
        s->corrects[i] = false;
      else if (s->corrects[i])
        t->stage_of_state[i] = k;
    }
  }
}

static void make_stages(Tangent *t) {
  int highest = highest_stage(t->m);
  t->stage_count = highest + 1;
  t->stages = ARENA_ARRAY(t->arena, TangentStage, t->stage_count);
  t->stage_of_state = ARENA_ARRAY(t->arena, int, t->m->nx + 1);
  t->together = new_stage(t);
  for (int k = 0; k < t->stage_count; k++) t->stages[k] = new_stage(t);
  for (int i = 0; i < t->m->invariant_count; i++) {
    if (t->m->invariants[i].redundant) continue;
    add_row(t, &t->stages[highest - stage_of(t->m, i)], i);
    add_row(t, &t->together, i);
  }
  number_states(t);
}

Tangent *tangent_new(Model *m, Arena *a) {
  if (m->invariant_count == 0) return NULL;
  Tangent *t = ARENA_NEW(a, Tangent);
  *t = (Tangent){.m = m, .g = m->graph, .arena = a};
  Expr *residual = ARENA_ARRAY(a, Expr, m->invariant_count);
  for (int i = 0; i < m->invariant_count; i++) residual[i] = m->invariants[i].residual;
  t->by_state = derive_rows(m->graph, a, residual, m->invariant_count, m->x, m->nx);
  make_stages(t);
  return t;
}

// ---------------------------------------------------------------- products

static Expr weight_of(const Tangent *t, int state) {
  return expr_const(t->g, tangent_weight(t->m, state));
}

static void add_product(const Tangent *t, Expr *sum, Expr a, Expr b) {
  *sum = expr_add(t->g, *sum, expr_mul(t->g, a, b));
}

// Sum over the corrected states of G_i W G_k; the columns of both rows ascend.
static Expr row_product(const Tangent *t, const TangentStage *s, int i, int k) {
  const Derivatives *d = &t->by_state;
  Expr sum = expr_const(t->g, 0);
  for (int a = d->start[i], b = d->start[k]; a < d->start[i + 1] && b < d->start[k + 1];) {
    int left = d->column[a], right = d->column[b];
    if (left == right && s->corrects[left])
      add_product(t, &sum, weight_of(t, left), expr_mul(t->g, d->value[a], d->value[b]));
    a += left <= right, b += right <= left;
  }
  return sum;
}

// Of directions, relative to the sizes of the states.
static Expr direction_product(const Tangent *t, const Expr *a, const Expr *b) {
  Expr sum = expr_const(t->g, 0);
  for (int i = 0; i < t->m->nx; i++)
    add_product(t, &sum, a[i], expr_div(t->g, b[i], weight_of(t, i)));
  return sum;
}

static Expr change_of(const Tangent *t, int invariant, const Expr *direction) {
  const Derivatives *d = &t->by_state;
  Expr sum = expr_const(t->g, 0);
  for (int e = d->start[invariant]; e < d->start[invariant + 1]; e++)
    add_product(t, &sum, d->value[e], direction[d->column[e]]);
  return sum;
}

// ---------------------------------------------------------------- correction of one direction

static int factor_of(Tangent *t, TangentStage *s) {
  if (s->factor >= 0) return s->factor;
  Expr *matrix = ARENA_ARRAY(t->arena, Expr, (size_t)s->rows * (size_t)s->rows);
  for (int i = 0; i < s->rows; i++)
    for (int k = 0; k < s->rows; k++)
      matrix[i * s->rows + k] = row_product(t, s, s->row[i], s->row[k]);
  return s->factor = expr_factor(t->g, s->rows, matrix);
}

// direction -= W G' nu
static void take_off(const Tangent *t, const TangentStage *s, const Expr *nu, Expr *direction) {
  const Derivatives *d = &t->by_state;
  for (int i = 0; i < s->rows; i++)
    for (int e = d->start[s->row[i]]; e < d->start[s->row[i] + 1]; e++) {
      int state = d->column[e];
      if (!s->corrects[state]) continue;
      Expr change = expr_mul(t->g, weight_of(t, state), expr_mul(t->g, d->value[e], nu[i]));
      direction[state] = expr_sub(t->g, direction[state], change);
    }
}

// With (G W G') nu = G direction.
static void correct(Tangent *t, TangentStage *s, Expr *direction) {
  if (s->rows == 0) return;
  Expr *right = ARENA_ARRAY(t->arena, Expr, s->rows), *nu = ARENA_ARRAY(t->arena, Expr, s->rows);
  for (int i = 0; i < s->rows; i++) right[i] = change_of(t, s->row[i], direction);
  expr_solve(t->g, factor_of(t, s), false, right, nu);
  take_off(t, s, nu, direction);
}

// ---------------------------------------------------------------- which stage a direction belongs to

enum { NO_STAGE = -1, SEVERAL_STAGES = -2 };

static int stage_of_direction(const Tangent *t, const Expr *direction) {
  int stage = NO_STAGE;
  for (int i = 0; i < t->m->nx; i++) {
    if (expr_is_value(t->g, direction[i], 0) || t->stage_of_state[i] < 0) continue;
    if (stage >= 0 && stage != t->stage_of_state[i]) return SEVERAL_STAGES;
    stage = t->stage_of_state[i];
  }
  return stage;
}

bool tangent_is_pure(const Tangent *t, const Expr *direction) {
  return stage_of_direction(t, direction) != SEVERAL_STAGES;
}

static int common_stage(const Tangent *t, const TangentPush *list, int count) {
  int common = NO_STAGE;
  for (int k = 0; k < count; k++) {
    int stage = stage_of_direction(t, list[k].direction);
    if (stage == NO_STAGE) continue;
    if (common != NO_STAGE && common != stage) return SEVERAL_STAGES;
    common = stage;
  }
  return common == NO_STAGE ? 0 : common;
}

static bool can_correct(const Tangent *t, const TangentStage *s, int invariant) {
  for (int e = t->by_state.start[invariant]; e < t->by_state.start[invariant + 1]; e++)
    if (s->corrects[t->by_state.column[e]]) return true;
  return false;
}

// A stage that has nothing left to correct with cannot be satisfied after those before it.
static bool has_proper_stages(const Tangent *t) {
  for (int k = 0; k < t->stage_count; k++) {
    const TangentStage *s = &t->stages[k];
    int states = 0;
    for (int i = 0; i < t->m->nx; i++) states += s->corrects[i];
    if (states < s->rows) return false;
    for (int i = 0; i < s->rows; i++)
      if (!can_correct(t, s, s->row[i])) return false;
  }
  return true;
}

// ---------------------------------------------------------------- pushes

// Unknowns: the strength a of each push, then the multipliers nu of the invariants. push = V a - W G' nu has to satisfy
// G push = 0 and, for each push i, v_i/W push + slack |v_i|^2 a_i = (1 + slack) |v_i|^2 signal_i: what lies along the
// invariants already stays as it is.
typedef struct Balance {
  Tangent *t;
  const TangentStage *s;
  const TangentPush *list;
  int count, n;
  Expr *matrix, *right, *solution;
} Balance;

static Expr *cell(const Balance *b, int row, int column) {
  return &b->matrix[(size_t)row * (size_t)b->n + (size_t)column];
}

static void fill_push(const Balance *b, int i) {
  Graph *g = b->t->g;
  const TangentPush *p = &b->list[i];
  Expr whole = direction_product(b->t, p->direction, p->direction);
  for (int k = 0; k < b->count; k++)
    *cell(b, i, k) = direction_product(b->t, p->direction, b->list[k].direction);
  Expr more = expr_mul(g, p->slack, whole);
  *cell(b, i, i) = expr_add(g, *cell(b, i, i), more);
  *cell(b, i, i) = expr_add(g, *cell(b, i, i), expr_const(g, 1e-300)); // gains may be 0
  b->right[i] = expr_mul(g, expr_add(g, whole, more), p->signal);
  for (int k = 0; k < b->s->rows; k++) {
    Expr change = change_of(b->t, b->s->row[k], p->direction);
    *cell(b, i, b->count + k) = expr_neg(g, change);
    *cell(b, b->count + k, i) = change;
  }
}

static void solve_balance(Balance *b) {
  Tangent *t = b->t;
  size_t n = (size_t)b->n;
  b->matrix = ARENA_ARRAY(t->arena, Expr, n * n + 1);
  b->right = ARENA_ARRAY(t->arena, Expr, n + 1);
  b->solution = ARENA_ARRAY(t->arena, Expr, n + 1);
  for (int i = 0; i < b->count; i++) fill_push(b, i);
  for (int i = 0; i < b->s->rows; i++)
    for (int k = 0; k < b->s->rows; k++)
      *cell(b, b->count + i, b->count + k) =
          expr_neg(t->g, row_product(t, b->s, b->s->row[i], b->s->row[k]));
  expr_solve(t->g, expr_factor(t->g, b->n, b->matrix), false, b->right, b->solution);
}

void tangent_push(Tangent *t, const TangentPush *list, int count, Expr *push) {
  int first = has_proper_stages(t) ? common_stage(t, list, count) : SEVERAL_STAGES;
  Balance b = {.t = t, .s = first < 0 ? &t->together : &t->stages[first], .list = list};
  b.count = count, b.n = count + b.s->rows;
  solve_balance(&b);
  for (int i = 0; i < t->m->nx; i++) {
    push[i] = expr_const(t->g, 0);
    for (int k = 0; k < count; k++) add_product(t, &push[i], list[k].direction[i], b.solution[k]);
  }
  take_off(t, b.s, b.solution + count, push);
  for (int k = first + 1; first >= 0 && k < t->stage_count; k++) correct(t, &t->stages[k], push);
}

Expr tangent_freedom(Tangent *t, const Expr *direction) {
  int stage = has_proper_stages(t) ? stage_of_direction(t, direction) : SEVERAL_STAGES;
  if (stage == NO_STAGE) return expr_const(t->g, 1);
  Expr *along = ARENA_ARRAY(t->arena, Expr, t->m->nx + 1);
  for (int i = 0; i < t->m->nx; i++) along[i] = direction[i];
  correct(t, stage == SEVERAL_STAGES ? &t->together : &t->stages[stage], along);
  return expr_div(t->g, direction_product(t, direction, along),
                  direction_product(t, direction, direction));
}
