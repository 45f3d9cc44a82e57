// A model to a System: which expressions each kernel computes, what is computed once, where symbols come from.
#include <string.h>

#include "code/roots.h"
#include "expr/simplify.h"
#include "model/system.h"

// Multiplications: above, sparse products over columns are faster than straight-line code.
enum { AUGMENTED_MOST = 600 };

// ---------------------------------------------------------------- building

typedef struct SystemBuilder {
  System *s;
  Model *m;
  Graph *g;
  Arena *scratch;
  const SystemSpec *spec;
  Expr *parameter;     // symbols of spec.parameters
  Expr *active_symbol; // of the active ones
  int *column_of;      // by spec.parameters: its active column, -1 = none
  const Expr *du, *ddu, *dddu, *S, *unit,
      *S_lane; // symbols: input slopes, sensitivities, unit directions, sensitivities in lanes
  Derivatives f_x, f_p, outputs_x, outputs_p, switching_x, switching_p, g_x, g_p, jump_x, jump_p,
      slide_x, slide_p;
  Derivatives start_p;
  Expr *ft;
  int *start_guess; // by block: the first of its solutions among the results of start + 1
  int start_guess_count;
  int *branch_of; // by block: number of its branch + 1
  IntArray hoisted;
  IntArray clock; // nodes that the clock computes
  Location *where;
  int where_count;
  unsigned char *seen;
  unsigned char *depends, of; // by node; of the one that is looked at
  IntArray stack;
} SystemBuilder;

// Columns first .. first+count-1 of d, renamed by `to` (-1 leaves a column out).
static Derivatives take_columns(SystemBuilder *b, const Derivatives *d, int first, int count,
                                const int *to) {
  int entries = d->start[d->rows], at = 0;
  Derivatives part = {.rows = d->rows, .start = ARENA_ARRAY(b->scratch, int, d->rows + 1)};
  part.column = ARENA_ARRAY(b->scratch, int, entries + 1);
  part.value = ARENA_ARRAY(b->scratch, Expr, entries + 1);
  for (int i = 0; i < d->rows; i++) {
    for (int e = d->start[i]; e < d->start[i + 1]; e++) {
      int k = d->column[e] - first;
      if (k < 0 || k >= count || (to && to[k] < 0)) continue;
      part.column[at] = to ? to[k] : k;
      part.value[at++] = d->value[e];
    }
    part.start[i + 1] = at;
  }
  return part;
}

// By states and parameters at once: what the two share is derived once.
static Derivatives derive_both(SystemBuilder *b, const Expr *outputs, int rows) {
  int nx = b->s->nx, np = b->s->np;
  Expr *by = ARENA_ARRAY(b->scratch, Expr, nx + np + 1);
  memcpy(by, b->m->x, (size_t)nx * sizeof *by);
  if (np) memcpy(by + nx, b->parameter, (size_t)np * sizeof *by);
  return derive_rows(b->g, b->scratch, outputs, rows, by, nx + np);
}

static void mark_columns(const Derivatives *d, int first, unsigned char *mark) {
  for (int e = 0; e < d->start[d->rows]; e++)
    if (d->column[e] >= first) mark[d->column[e] - first] = 1;
}

// Parameters that enter neither the equations nor the start values nor the times of events cost nothing.
static void derive_motion(SystemBuilder *b) {
  System *s = b->s;
  Derivatives f = derive_both(b, b->m->f, s->nx);
  Derivatives x0 = derive_rows(b->g, b->scratch, b->m->x0, s->nx, b->parameter, s->np);
  unsigned char *moves = ARENA_ARRAY(b->scratch, unsigned char, s->np + 1);
  mark_columns(&f, s->nx, moves);
  mark_columns(&x0, 0, moves);
  if (s->ne) {
    Derivatives g = derive_rows(b->g, b->scratch, b->m->switching, s->ne, b->parameter, s->np);
    mark_columns(&g, 0, moves);
  }
  if (s->hybrid) {
    int count = b->m->jump_count;
    Derivatives j = derive_rows(b->g, b->scratch, b->m->jump, count, b->parameter, s->np);
    mark_columns(&j, 0, moves);
  }
  if (model_closed(b->m)) memset(moves, 1, (size_t)s->np); // only its simulator knows
  s->columns.active = ARENA_ARRAY(s->arena, int, s->np + 1);
  s->columns.parameter = ARENA_ARRAY(s->arena, int, s->np + 1);
  b->active_symbol = ARENA_ARRAY(b->scratch, Expr, s->np + 1);
  b->column_of = ARENA_ARRAY(b->scratch, int, s->np + 1);
  for (int k = 0; k < s->np; k++) {
    b->column_of[k] = moves[k] ? s->ns : -1;
    if (!moves[k]) continue;
    b->active_symbol[s->ns] = b->parameter[k];
    s->columns.parameter[s->ns] = b->spec->parameters[k];
    s->columns.active[s->ns++] = k;
  }
  b->f_x = take_columns(b, &f, 0, s->nx, NULL);
  b->f_p = take_columns(b, &f, s->nx, s->np, b->column_of);
  b->start_p = take_columns(b, &x0, 0, s->np, b->column_of);
  long work = (long)b->f_x.start[s->nx] * s->ns;
  s->columns.augmented = s->lanes > 1 || work <= AUGMENTED_MOST;
  s->stride = s->columns.augmented ? s->ns : (s->ns + 3) / 4 * 4;
}

static int column_at(const Derivatives *d, int row, int column) {
  for (int e = d->start[row]; e < d->start[row + 1]; e++)
    if (d->column[e] == column) return e;
  return -1;
}

static Pattern copy_pattern(SystemBuilder *b, const Derivatives *d, int columns) {
  int rows = d->rows, count = d->start[rows];
  int *start = ARENA_ARRAY(b->s->arena, int, rows + 1),
      *column = ARENA_ARRAY(b->s->arena, int, count + 1);
  memcpy(start, d->start, (size_t)(rows + 1) * sizeof(int));
  if (count) memcpy(column, d->column, (size_t)count * sizeof(int));
  return (Pattern){rows, columns, start, column};
}

typedef struct Outputs { // expressions of one kernel
  ARRAY(Expr) list;
} Outputs;

static void add_outputs(SystemBuilder *b, Outputs *o, const Expr *e, int count) {
  for (int i = 0; i < count; i++) array_push(b->scratch, &o->list, e[i]);
}

static void add_sparse(SystemBuilder *b, Outputs *o, const Derivatives *d) {
  add_outputs(b, o, d->value, d->start[d->rows]);
}

// What the unknowns of the motion's Newton blocks are at the start.
static void add_start_guesses(SystemBuilder *b, Outputs *o) {
  const Model *m = b->m;
  b->start_guess_count = b->g->blocks.count;
  b->start_guess = ARENA_ARRAY(b->scratch, int, b->start_guess_count + 1);
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *block = &m->sorted.blocks[k];
    if (block->kind != SORT_NONLINEAR) continue;
    int count = block->count == 1 ? 1 : block->torn;
    const int *torn = block->unknown + block->count - count;
    const ExprNode *n = &b->g->nodes[m->sorted.solution[torn[0]]];
    b->start_guess[n->a] = o->list.count + 1;
    for (int i = 0; i < count; i++) add_outputs(b, o, &m->initial.solution[torn[i]], 1);
  }
}

static Outputs start_outputs(SystemBuilder *b) {
  System *s = b->s;
  Outputs o = {0};
  add_outputs(b, &o, b->m->x0, s->nx);
  add_outputs(b, &o, b->m->mode0, s->ne);
  if (s->hybrid) add_outputs(b, &o, b->m->held0, s->nh);
  s->sparse.start_p = (SparsePart){copy_pattern(b, &b->start_p, s->ns), o.list.count};
  if (s->ns) add_sparse(b, &o, &b->start_p);
  s->first_condition = o.list.count;
  for (int i = 0; i < b->m->condition_count; i++)
    add_outputs(b, &o, (Expr[]){b->m->conditions[i].residual, b->m->conditions[i].size}, 2);
  add_start_guesses(b, &o);
  return o;
}

// dS_ik = sum_j f_x[ij] S_jk + f_p[ik]
static Outputs augmented_outputs(SystemBuilder *b) {
  System *s = b->s;
  Outputs o = {0};
  add_outputs(b, &o, b->m->f, s->nx);
  for (int i = 0; i < s->nx; i++)
    for (int k = 0; k < s->ns; k++) {
      int own = column_at(&b->f_p, i, k);
      Expr sum = own >= 0 ? b->f_p.value[own] : expr_const(b->g, 0);
      for (int e = b->f_x.start[i]; e < b->f_x.start[i + 1]; e++)
        sum = expr_add(b->g, sum,
                       expr_mul(b->g, b->f_x.value[e], b->S[b->f_x.column[e] * s->stride + k]));
      add_outputs(b, &o, &sum, 1);
    }
  return o;
}

static Outputs sparse_outputs(SystemBuilder *b) {
  Outputs o = {0};
  add_outputs(b, &o, b->m->f, b->s->nx);
  b->s->sparse.f_x = (SparsePart){copy_pattern(b, &b->f_x, b->s->nx), o.list.count};
  add_sparse(b, &o, &b->f_x);
  b->s->sparse.f_p = (SparsePart){copy_pattern(b, &b->f_p, b->s->ns), o.list.count};
  add_sparse(b, &o, &b->f_p);
  return o;
}

// Derivatives by time along given inputs: e_t + e_u du/dt, and the same for the derivatives of inputs
static void by_time(SystemBuilder *b, const Expr *e, int count, Expr *results) {
  int nu = b->m->nu, n = 0;
  Expr *by = ARENA_ARRAY(b->scratch, Expr, 3 * nu + 1);
  Expr *seed = ARENA_ARRAY(b->scratch, Expr, 3 * nu + 1);
  by[n] = b->m->flat->time, seed[n++] = expr_const(b->g, 1);
  for (int i = 0; i < nu; i++) {
    by[n] = b->m->u[i], seed[n++] = b->du[i];
    by[n] = b->du[i], seed[n++] = b->ddu[i];
    by[n] = b->ddu[i], seed[n++] = b->dddu[i];
  }
  derive_direction(b->g, e, count, by, seed, n, results);
}

static Outputs jacobian_outputs(SystemBuilder *b) {
  System *s = b->s;
  Outputs o = {0};
  s->sparse.jacobian = copy_pattern(b, &b->f_x, s->nx);
  add_sparse(b, &o, &b->f_x);
  return o;
}

// Empty when f does not depend on time: most models then save a kernel.
static Outputs by_time_outputs(SystemBuilder *b) {
  int nx = b->s->nx;
  Outputs o = {0};
  bool varies = false;
  b->ft = ARENA_ARRAY(b->scratch, Expr, nx + 1);
  by_time(b, b->m->f, nx, b->ft);
  for (int i = 0; i < nx; i++) varies |= !expr_is_value(b->g, b->ft[i], 0);
  if (varies) add_outputs(b, &o, b->ft, nx);
  return o;
}

static Outputs jacobian_sens_outputs(SystemBuilder *b) {
  System *s = b->s;
  int n = s->nx + s->ns;
  Outputs first = jacobian_outputs(b), o = {0};
  add_outputs(b, &first, b->ft, s->nx);
  Expr *by = ARENA_ARRAY(b->scratch, Expr, n + 1), *seed = ARENA_ARRAY(b->scratch, Expr, n + 1);
  for (int i = 0; i < s->nx; i++) by[i] = b->m->x[i], seed[i] = b->S_lane[i];
  for (int k = 0; k < s->ns; k++) by[s->nx + k] = b->active_symbol[k], seed[s->nx + k] = b->unit[k];
  Expr *results = ARENA_ARRAY(b->scratch, Expr, first.list.count + 1);
  derive_direction(b->g, first.list.at, first.list.count, by, seed, n, results);
  add_outputs(b, &o, results, first.list.count);
  return o;
}

static Outputs output_outputs(SystemBuilder *b) {
  System *s = b->s;
  Outputs o = {0};
  add_outputs(b, &o, b->spec->outputs, s->ny);
  if (s->np == 0) return o;
  Derivatives y = derive_both(b, b->spec->outputs, s->ny);
  b->outputs_x = take_columns(b, &y, 0, s->nx, NULL);
  b->outputs_p = take_columns(b, &y, s->nx, s->np, NULL);
  s->sparse.outputs_x = (SparsePart){copy_pattern(b, &b->outputs_x, s->nx), o.list.count};
  add_sparse(b, &o, &b->outputs_x);
  s->sparse.outputs_p = (SparsePart){copy_pattern(b, &b->outputs_p, s->np), o.list.count};
  add_sparse(b, &o, &b->outputs_p);
  return o;
}

static Outputs event_outputs(SystemBuilder *b) {
  Outputs o = {0};
  add_outputs(b, &o, b->m->switching, b->s->ne);
  return o;
}

// |a| + |b| of a + b and a - b, and so on; cancellation leaves errors of the size of the terms.
static Expr size_of_terms(Graph *g, Expr e, int depth) {
  const ExprNode n = *expr_node(g, e);
  if (depth > 0 && (n.op == OP_ADD || n.op == OP_SUB))
    return expr_add(g, size_of_terms(g, n.a, depth - 1), size_of_terms(g, n.b, depth - 1));
  return n.op == OP_NEG ? size_of_terms(g, n.a, depth) : expr_call(g, OP_ABS, e);
}

static Outputs event_scale_outputs(SystemBuilder *b) {
  enum { DEPTH = 8 };
  Outputs o = {0};
  for (int k = 0; k < b->s->ne; k++) {
    Expr size = size_of_terms(b->g, b->m->switching[k], DEPTH);
    add_outputs(b, &o, &size, 1);
  }
  return o;
}

static Outputs event_sens_outputs(SystemBuilder *b) {
  System *s = b->s;
  Outputs o = event_outputs(b);
  Derivatives d = derive_both(b, b->m->switching, s->ne);
  b->switching_x = take_columns(b, &d, 0, s->nx, NULL);
  b->switching_p = take_columns(b, &d, s->nx, s->np, b->column_of);
  s->sparse.switching_x = (SparsePart){copy_pattern(b, &b->switching_x, s->nx), o.list.count};
  add_sparse(b, &o, &b->switching_x);
  s->sparse.switching_p = (SparsePart){copy_pattern(b, &b->switching_p, s->ns), o.list.count};
  add_sparse(b, &o, &b->switching_p);
  Expr *rates = ARENA_ARRAY(b->scratch, Expr, s->ne + 1);
  by_time(b, b->m->switching, s->ne, rates);
  add_outputs(b, &o, rates, s->ne);
  return o;
}

// Time derivatives of the switching functions along the motion.
static Expr *rates_along_motion(SystemBuilder *b) {
  const Model *m = b->m;
  int ne = b->s->ne, nx = b->s->nx;
  Expr *rates = ARENA_ARRAY(b->scratch, Expr, ne + 1);
  by_time(b, m->switching, ne, rates);
  Derivatives d = derive_rows(b->g, b->scratch, m->switching, ne, m->x, nx);
  for (int k = 0; k < ne; k++)
    for (int e = d.start[k]; e < d.start[k + 1]; e++)
      rates[k] = expr_add(b->g, rates[k], expr_mul(b->g, d.value[e], m->f[d.column[e]]));
  return rates;
}

// Whether the motion may stay where the switching function of event k is 0: relations of this surface change the rate, and
// none of them is in the switching function or changes anything discrete.
static bool can_hold(SystemBuilder *b, int k, Expr rate) {
  const Surfaces *f = &b->s->surfaces;
  const Model *m = b->m;
  const unsigned char *in_held = expr_contents(b->g, b->scratch, m->held, b->s->nh);
  const unsigned char *in_jump = expr_contents(b->g, b->scratch, m->jump, m->jump_count);
  const unsigned char *in_rate = expr_contents(b->g, b->scratch, &rate, 1);
  const unsigned char *in_w = expr_contents(b->g, b->scratch, &b->m->switching[k], 1);
  bool holds = false;
  for (int j = 0; j < b->s->ne; j++) {
    Expr mode = b->m->flat->events.at[j].mode;
    if (f->of[j] == k && in_rate[mode]) holds = true;
    if (f->of[j] == k && (in_w[mode] || in_held[mode] || in_jump[mode])) return false;
  }
  return holds;
}

// Equations, rates, outputs and switching functions that are not linear in the signs on which the motion may stay.
static bool bends(SystemBuilder *b, const Expr *rates) {
  const Surfaces *f = &b->s->surfaces;
  const Model *m = b->m;
  int ne = b->s->ne, signs = 0;
  Expr *modes = ARENA_ARRAY(b->scratch, Expr, ne + 1);
  for (int j = 0; j < ne; j++) {
    const Event *e = &m->flat->events.at[j];
    if (f->of[j] >= 0 && f->row[f->of[j]] >= 0 && e->kind == EVENT_SIGN) modes[signs++] = e->mode;
  }
  return signs > 0 && (surfaces_bend(b->g, b->scratch, modes, signs, m->f, m->nx) ||
                       surfaces_bend(b->g, b->scratch, modes, signs, rates, ne) ||
                       surfaces_bend(b->g, b->scratch, modes, signs, m->switching, ne) ||
                       surfaces_bend(b->g, b->scratch, modes, signs, b->spec->outputs, b->s->ny));
}

static Outputs slide_outputs(SystemBuilder *b) {
  System *s = b->s;
  Surfaces *f = &s->surfaces;
  Outputs o = {0};
  if (!s->ne || s->lanes > 1) return o;
  const Expr *rates = rates_along_motion(b);
  for (int k = 0; k < s->ne; k++)
    if (f->of[k] == k && can_hold(b, k, rates[k])) f->row[k] = f->count, f->event[f->count++] = k;
  f->bends = f->count > 0 && bends(b, rates);
  for (int i = 0; i < f->count; i++) add_outputs(b, &o, &rates[f->event[i]], 1);
  if (!s->ns || !f->count) return o;
  Derivatives d = derive_both(b, o.list.at, f->count);
  b->slide_x = take_columns(b, &d, 0, s->nx, NULL);
  b->slide_p = take_columns(b, &d, s->nx, s->np, b->column_of);
  s->sparse.slide_x = (SparsePart){copy_pattern(b, &b->slide_x, s->nx), o.list.count};
  add_sparse(b, &o, &b->slide_x);
  s->sparse.slide_p = (SparsePart){copy_pattern(b, &b->slide_p, s->ns), o.list.count};
  add_sparse(b, &o, &b->slide_p);
  return o;
}

static Outputs timed_outputs(SystemBuilder *b) {
  Outputs o = {0};
  for (int i = 0; i < b->m->timed_count; i++)
    add_outputs(b, &o, (Expr[]){b->m->timed[i].slope, b->m->timed[i].offset}, 2);
  return o;
}

static Outputs assert_outputs(SystemBuilder *b) {
  Outputs o = {0};
  add_outputs(b, &o, b->m->asserts, b->m->assert_count);
  return o;
}

// ---------------------------------------------------------------- discrete variables

static Outputs live_event_outputs(SystemBuilder *b) {
  Outputs o = {0};
  if (b->s->hybrid) add_outputs(b, &o, b->m->live_switching, b->s->ne);
  return o;
}

static Outputs jump_outputs(SystemBuilder *b) {
  const Model *m = b->m;
  Outputs o = {0};
  if (!b->s->hybrid) return o;
  add_outputs(b, &o, m->held, b->s->nh);
  add_outputs(b, &o, m->jump, m->jump_count);
  add_outputs(b, &o, m->terminate, m->flat->terminates.count);
  return o;
}

static Outputs needed_outputs(SystemBuilder *b) {
  Outputs o = {0};
  if (b->m->some_unneeded) add_outputs(b, &o, b->m->needed, b->s->ne);
  return o;
}

static Outputs jump_sens_outputs(SystemBuilder *b) {
  System *s = b->s;
  Outputs o = {0};
  int count = b->m->jump_count;
  Derivatives d = derive_both(b, b->m->jump, count);
  b->jump_x = take_columns(b, &d, 0, s->nx, NULL);
  b->jump_p = take_columns(b, &d, s->nx, s->np, b->column_of);
  s->sparse.jump_x = (SparsePart){copy_pattern(b, &b->jump_x, s->nx), o.list.count};
  add_sparse(b, &o, &b->jump_x);
  s->sparse.jump_p = (SparsePart){copy_pattern(b, &b->jump_p, s->ns), o.list.count};
  add_sparse(b, &o, &b->jump_p);
  Expr *rates = ARENA_ARRAY(b->scratch, Expr, count + 1);
  by_time(b, b->m->jump, count, rates);
  s->sparse.jump_t = o.list.count;
  add_outputs(b, &o, rates, count);
  return o;
}

// By node: whether it moves between events. What is SOLVED may.
static unsigned char *find_moving(SystemBuilder *b, bool with_time) {
  const Model *m = b->m;
  int n = 0;
  Expr *by = ARENA_ARRAY(b->scratch, Expr, m->nx + m->nu + 2);
  if (with_time) by[n++] = m->flat->time;
  for (int i = 0; i < m->nx; i++) {
    const Variable *v = &m->flat->variables.at[m->state[i]];
    if (!v->now && !v->computed) by[n++] = m->x[i];
  }
  for (int i = 0; i < m->nu; i++) by[n++] = m->u[i];
  return expr_dependents(b->g, b->scratch, by, n);
}

static Outputs timer_outputs(SystemBuilder *b) {
  System *s = b->s;
  Outputs o = {0};
  if (!s->hybrid) return o;
  Expr *slope = ARENA_ARRAY(b->scratch, Expr, s->ne + 1);
  by_time(b, b->m->switching, s->ne, slope);
  const unsigned char *moved = find_moving(b, false), *bent = find_moving(b, true);
  s->timers = ARENA_ARRAY(s->arena, int, s->ne + 1);
  for (int k = 0; k < s->ne; k++) {
    bool still = expr_is_value(b->g, slope[k], 0);
    if (moved[b->m->switching[k]] || still || bent[slope[k]]) continue;
    s->timers[s->timer_count++] = k;
    add_outputs(b, &o, &b->m->switching[k], 1);
  }
  for (int i = 0; i < s->timer_count; i++) add_outputs(b, &o, &slope[s->timers[i]], 1);
  return o;
}

static Outputs invariant_outputs(SystemBuilder *b) {
  Outputs o = {0};
  for (int i = 0; i < b->s->ni; i++) add_outputs(b, &o, &b->m->invariants[i].residual, 1);
  return o;
}

static Outputs invariant_sens_outputs(SystemBuilder *b) {
  System *s = b->s;
  Outputs o = invariant_outputs(b);
  Derivatives g = derive_both(b, o.list.at, s->ni);
  b->g_x = take_columns(b, &g, 0, s->nx, NULL);
  b->g_p = take_columns(b, &g, s->nx, s->np, b->column_of);
  s->sparse.g_x = (SparsePart){copy_pattern(b, &b->g_x, s->nx), o.list.count};
  add_sparse(b, &o, &b->g_x);
  s->sparse.g_p = (SparsePart){copy_pattern(b, &b->g_p, s->ns), o.list.count};
  add_sparse(b, &o, &b->g_p);
  return o;
}

// ---------------------------------------------------------------- where symbols come from

static void place(SystemBuilder *b, Expr e, int segment, int index) {
  b->where[e] = (Location){(signed char)segment, index};
}

static void lay_out(SystemBuilder *b) {
  System *s = b->s;
  s->at.origin = 1; // as in compile_clock
  s->at.u = 2;
  s->at.du = s->at.u + s->nu;
  s->at.mode = s->at.du + 3 * s->nu;
  s->at.held = s->at.mode + s->ne;
  s->at.rate = s->at.held + s->nh;
  s->at.p = s->at.rate + 2;
  s->at.hoisted = s->at.p + b->m->np;
  b->where_count = b->g->count;
  b->where = ARENA_ARRAY(b->scratch, Location, b->where_count);
  b->seen = ARENA_ARRAY(b->scratch, unsigned char, b->where_count);
  for (int i = 0; i < b->where_count; i++) b->where[i].segment = -1;
  place(b, b->m->flat->time, 0, 0);
  place(b, b->m->flat->origin, 0, s->at.origin);
  for (int i = 0; i < s->nu; i++) {
    place(b, b->m->u[i], 0, s->at.u + i);
    place(b, b->du[i], 0, s->at.du + i);
    place(b, b->ddu[i], 0, s->at.du + s->nu + i);
    place(b, b->dddu[i], 0, s->at.du + 2 * s->nu + i);
  }
  for (int k = 0; k < s->ne; k++) place(b, b->m->flat->events.at[k].mode, 0, s->at.mode + k);
  for (int k = 0; k < s->nh; k++) place(b, b->m->flat->held.at[k].before, 0, s->at.held + k);
  if (b->m->stabilise) {
    place(b, b->m->stabilise, 0, s->at.rate);
    place(b, b->m->stabilise_beta, 0, s->at.rate + 1);
  }
  for (int k = 0; k < b->m->np; k++) {
    const Parameter *p = &b->m->flat->parameters.at[k];
    if (!p->dependent) place(b, p->node, 0, s->at.p + k);
  }
  for (int i = 0; i < s->nx; i++) place(b, b->m->x[i], 1, i);
  for (int i = 0; i < s->nx * s->stride && b->S; i++) place(b, b->S[i], 1, s->nx + i);
  for (int i = 0; i < s->nx && b->S_lane; i++) place(b, b->S_lane[i], 2, i);
  for (int k = 0; k < s->ns && b->unit; k++) place(b, b->unit[k], 2, s->nx + k);
}

static void hoist_node(void *data, Expr e) {
  SystemBuilder *b = data;
  const ExprNode *n = &b->g->nodes[e];
  if (b->seen[e] || n->op == OP_CONST || n->op == OP_SYMBOL) return;
  b->seen[e] = 1;
  if (expr_varies(b->g, e)) {
    array_push(b->scratch, &b->stack, e);
    return;
  }
  place(b, e, 0, b->s->at.hoisted + b->hoisted.count);
  array_push(b->scratch, &b->hoisted, e);
}

// What does not vary in time is computed when parameters are set.
static void hoist(SystemBuilder *b, const Outputs *o) {
  for (int i = 0; i < o->list.count; i++) {
    hoist_node(b, o->list.at[i]);
    while (b->stack.count) expr_each_argument(b->g, b->stack.at[--b->stack.count], hoist_node, b);
  }
}

// ---------------------------------------------------------------- functions of time alone

enum { OF_NOTHING, OF_TIME, OF_MORE }; // what a node depends on
enum { OF_MASK = 3, COSTLY = 4 };      // and whether it contains a function call

static void join_argument(void *data, Expr e) {
  SystemBuilder *b = data;
  unsigned char mine = b->of, its = b->depends[e];
  int most = (mine & OF_MASK) > (its & OF_MASK) ? mine & OF_MASK : its & OF_MASK;
  b->of = (unsigned char)(most | ((mine | its) & COSTLY));
}

// Arguments stand before what is made of them.
static void find_dependence(SystemBuilder *b) {
  b->depends = ARENA_ARRAY(b->scratch, unsigned char, b->where_count);
  for (Expr e = 0; e < b->where_count; e++) {
    const ExprNode *n = &b->g->nodes[e];
    b->of = OPS[n->op].kind == OP_KIND_CALL ? COSTLY : OF_NOTHING;
    if (n->op == OP_SYMBOL)
      b->of = e == b->m->flat->time ? OF_TIME : e == b->m->flat->origin ? OF_NOTHING : OF_MORE;
    else if (n->op == OP_SOLVED)
      b->of = OF_MORE;
    else if (n->op != OP_CONST)
      expr_each_argument(b->g, e, join_argument, b);
    b->depends[e] = b->of;
  }
}

static void clock_node(void *data, Expr e) {
  SystemBuilder *b = data;
  if (b->seen[e] || b->where[e].segment >= 0 || b->g->nodes[e].op == OP_CONST) return;
  b->seen[e] = 1;
  if ((b->depends[e] & OF_MASK) == OF_MORE) array_push(b->scratch, &b->stack, e);
  if (b->depends[e] != (OF_TIME | COSTLY)) return;
  place(b, e, 2, b->clock.count);
  array_push(b->scratch, &b->clock, e);
}

// Of a motion with lanes: they are the same in all of them, and known for all times that a step needs before it is made.
static void find_clock(SystemBuilder *b, const Outputs *rhs, const Outputs *rhs_sens) {
  if (b->s->lanes == 1) return;
  const Outputs *motion[] = {rhs, rhs_sens};
  find_dependence(b);
  memset(b->seen, 0, (size_t)b->where_count);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < motion[k]->list.count; i++) {
      clock_node(b, motion[k]->list.at[i]);
      while (b->stack.count) expr_each_argument(b->g, b->stack.at[--b->stack.count], clock_node, b);
    }
}

// ---------------------------------------------------------------- compiling

static void compile(SystemBuilder *b, SystemKernel which, const Outputs *o, int lanes,
                    unsigned uniform) {
  System *s = b->s;
  Kernel *k = &s->kernel[which];
  int counts[SEGMENTS] = {s->at.count, s->nx + s->nx * s->stride, s->nx + s->ns};
  if (b->clock.count > counts[2]) counts[2] = b->clock.count;
  k->lowered = lower(b->g, s->arena, o->list.at, o->list.count, b->where, b->where_count, counts,
                     b->spec->code);
  k->code = code_compile_in(s->codes, &k->lowered->program, lanes, uniform, b->spec->code);
  k->results = o->list.count;
  k->lanes = lanes;
  k->work_at = (int)s->scratch_count;
  s->scratch_count += ((size_t)k->code->work_count + 15) / 8 * 8;
}

static bool contains_block(const Kernel *k, int block) {
  for (int i = 0; k->code && i < k->lowered->newton_count; i++)
    if (k->lowered->newton[i].block == block) return true;
  return false;
}

static bool runs_along_the_motion(int kernel) {
  return kernel != KERNEL_HOIST && kernel != KERNEL_CLOCK && kernel != KERNEL_START;
}

static void add_branch(SystemBuilder *b, const NewtonPlace *p) {
  System *s = b->s;
  if (b->branch_of[p->block]) return;
  int start = p->block < b->start_guess_count ? b->start_guess[p->block] - 1 : -1;
  s->branches[s->branch_count] =
      (Branch){.block = p->block,
               .n = p->n,
               .inputs = p->inputs,
               .at = s->anchor_slots,
               .start = start,
               .outside = !contains_block(&s->kernel[KERNEL_RHS], p->block)};
  b->branch_of[p->block] = ++s->branch_count;
  s->anchor_slots += newton_anchor(p->n, p->inputs);
}

// All Newton blocks of the kernels that were compiled for the motion, and a kernel that solves nothing but them.
static void find_branches(SystemBuilder *b) {
  System *s = b->s;
  Outputs o = {0};
  b->branch_of = ARENA_ARRAY(b->scratch, int, b->g->blocks.count + 1);
  s->branches = ARENA_ARRAY(s->arena, Branch, b->g->blocks.count + 1);
  for (int k = 0; k < KERNEL_COUNT; k++)
    for (int i = 0; s->kernel[k].code && i < s->kernel[k].lowered->newton_count; i++)
      if (runs_along_the_motion(k)) add_branch(b, &s->kernel[k].lowered->newton[i]);
  for (int i = 0; i < s->branch_count; i++)
    for (int j = 0; j < s->branches[i].n; j++)
      add_outputs(b, &o, &(Expr){b->g->blocks.at[s->branches[i].block].first + j}, 1);
  if (s->branch_count) compile(b, KERNEL_BRANCHES, &o, s->lanes, 0);
}

static void place_blocks(SystemBuilder *b) {
  for (int i = 0; i < KERNEL_COUNT; i++) {
    Kernel *k = &b->s->kernel[i];
    if (!k->code || !runs_along_the_motion(i)) continue;
    k->block_count = k->lowered->newton_count;
    k->blocks = ARENA_ARRAY(b->s->arena, KernelBlock, k->block_count + 1);
    for (int j = 0; j < k->block_count; j++) {
      const NewtonPlace *p = &k->lowered->newton[j];
      k->blocks[j] = (KernelBlock){.branch = b->branch_of[p->block] - 1,
                                   .input = k->work_at + p->input * k->lanes,
                                   .solution = k->work_at + p->solution * k->lanes,
                                   .anchor = k->work_at + p->anchor * k->lanes};
    }
  }
}

// The clock knows the time and its origin, no parameters: it computes what depends on the origin only itself.
static void show_hoisted_origin(SystemBuilder *b, bool shown) {
  for (int i = 0; i < b->hoisted.count; i++) {
    Expr e = b->hoisted.at[i];
    if ((b->depends[e] & OF_MASK) == OF_NOTHING) place(b, e, shown ? 0 : -1, b->s->at.hoisted + i);
  }
}

// Behind the motion: others compute these nodes themselves.
static void compile_clock(SystemBuilder *b) {
  Outputs o = {0};
  for (int i = 0; i < b->clock.count; i++) {
    Expr e = b->clock.at[i];
    b->where[e].segment = -1;
    add_outputs(b, &o, &e, 1);
  }
  if (!b->clock.count) return;
  show_hoisted_origin(b, false);
  compile(b, KERNEL_CLOCK, &o, CLOCK_LANES, 0);
  show_hoisted_origin(b, true);
}

static void compile_hoist(SystemBuilder *b) {
  Outputs o = {0};
  for (int i = 0; i < b->hoisted.count; i++) {
    Expr e = b->hoisted.at[i];
    b->where[e].segment = -1; // here they are computed
    add_outputs(b, &o, &e, 1);
  }
  compile(b, KERNEL_HOIST, &o, b->s->lanes, 0);
}

static void find_plain_outputs(SystemBuilder *b) {
  System *s = b->s;
  s->output.state = ARENA_ARRAY(s->arena, int, s->ny + 1);
  s->output.all_states = true;
  for (int i = 0; i < s->ny; i++) {
    s->output.state[i] = -1;
    for (int k = 0; k < s->nx; k++)
      if (b->spec->outputs[i] == b->m->x[k]) s->output.state[i] = k;
    s->output.all_states &= s->output.state[i] >= 0;
  }
  s->output.are_y = s->output.all_states && s->ny == s->nx && s->ns == s->np && s->stride == s->ns;
  for (int i = 0; i < s->ny; i++) s->output.are_y &= s->output.state[i] == i;
}

// A closed model records no more than is asked for.
static void find_outputs_read(SystemBuilder *b) {
  System *s = b->s;
  if (!model_closed(b->m)) return;
  const unsigned char *read = expr_contents(b->g, b->scratch, b->spec->outputs, s->ny);
  s->output.reads = ARENA_ARRAY(s->arena, bool, s->nx + 1);
  for (int i = 0; i < s->nx; i++) s->output.reads[i] = read[b->m->x[i]];
}

// The equations may contain them: they are symbols of the model.
static void find_input_slopes(SystemBuilder *b) {
  b->du = model_helpers(b->m, HELPER_INPUT_SLOPE, b->s->nu);
  b->ddu = model_helpers(b->m, HELPER_INPUT_SECOND, b->s->nu);
  b->dddu = model_helpers(b->m, HELPER_INPUT_THIRD, b->s->nu);
}

static const Expr *new_symbols(SystemBuilder *b, int count) {
  Expr *list = ARENA_ARRAY(b->scratch, Expr, count + 1);
  for (int i = 0; i < count; i++) list[i] = expr_symbol(b->g, "derivative", true);
  return list;
}

static void make_symbols(SystemBuilder *b) {
  System *s = b->s;
  bool second = b->spec->jacobian_sens && s->ns > 0;
  if (s->columns.augmented) b->S = new_symbols(b, s->nx * s->stride);
  if (!second) return;
  b->S_lane = new_symbols(b, s->nx);
  b->unit = new_symbols(b, s->ns);
}

static void build_kernels(SystemBuilder *b) {
  System *s = b->s;
  bool sens = s->ns > 0, second = b->spec->jacobian_sens && sens;
  Outputs rhs = {0}, rhs_sens = {0}, jacobian = {0}, times = {0}, jacobian_sens = {0},
          event_scales = event_scale_outputs(b), event_sens = {0}, invariant_sens = {0};
  add_outputs(b, &rhs, b->m->f, s->nx);
  if (sens) rhs_sens = s->columns.augmented ? augmented_outputs(b) : sparse_outputs(b);
  if (b->spec->jacobian) jacobian = jacobian_outputs(b), times = by_time_outputs(b);
  if (second) jacobian_sens = jacobian_sens_outputs(b);
  Outputs start = start_outputs(b), outputs = output_outputs(b), events = event_outputs(b);
  if (sens && s->ne) event_sens = event_sens_outputs(b);
  Outputs slide = slide_outputs(b);
  Outputs live_events = live_event_outputs(b), jump = jump_outputs(b), jump_sens = {0};
  Outputs timers = timer_outputs(b), needed = needed_outputs(b);
  if (sens && b->m->jump_count) jump_sens = jump_sens_outputs(b);
  Outputs invariants = invariant_outputs(b);
  if (s->ni) invariant_sens = invariant_sens_outputs(b);
  Outputs timed = timed_outputs(b), asserts = assert_outputs(b);
  const Outputs *varying[] = {
      &rhs,    &rhs_sens,   &jacobian,       &jacobian_sens, &outputs,     &events, &event_sens,
      &times,  &invariants, &invariant_sens, &event_scales,  &live_events, &jump,   &jump_sens,
      &timers, &timed,      &asserts,        &needed,        &slide};
  lay_out(b);
  for (size_t i = 0; i < sizeof varying / sizeof *varying; i++) hoist(b, varying[i]);
  s->at.count = s->at.hoisted + b->hoisted.count;
  find_clock(b, &rhs, &rhs_sens);
  unsigned clock = b->clock.count ? 4 : 0; // uniform: the third array has one number for all lanes
  compile(b, KERNEL_RHS, &rhs, s->lanes, clock);
  if (sens) compile(b, KERNEL_RHS_SENS, &rhs_sens, s->lanes, clock);
  compile_clock(b);
  if (b->spec->jacobian) compile(b, KERNEL_JACOBIAN, &jacobian, 1, 0);
  if (times.list.count) compile(b, KERNEL_BY_TIME, &times, 1, 0);
  s->columns.lanes = code_lanes();
  if (second) compile(b, KERNEL_JACOBIAN_SENS, &jacobian_sens, s->columns.lanes, 3);
  compile(b, KERNEL_OUTPUTS, &outputs, s->lanes, 0);
  compile(b, KERNEL_START, &start, s->lanes, 0);
  if (s->ne) compile(b, KERNEL_EVENTS, &events, s->lanes, 0);
  if (s->ne) compile(b, KERNEL_EVENT_SCALES, &event_scales, s->lanes, 0);
  if (sens && s->ne) compile(b, KERNEL_EVENT_SENS, &event_sens, s->lanes, 0);
  if (slide.list.count) compile(b, KERNEL_SLIDE, &slide, 1, 0);
  if (timed.list.count) compile(b, KERNEL_TIMED, &timed, s->lanes, 0);
  if (asserts.list.count) compile(b, KERNEL_ASSERTS, &asserts, s->lanes, 0);
  if (s->hybrid && s->ne) compile(b, KERNEL_LIVE_EVENTS, &live_events, s->lanes, 0);
  if (needed.list.count) compile(b, KERNEL_NEEDED, &needed, s->lanes, 0);
  if (s->hybrid) compile(b, KERNEL_JUMP, &jump, s->lanes, 0);
  if (jump_sens.list.count) compile(b, KERNEL_JUMP_SENS, &jump_sens, s->lanes, 0);
  if (s->timer_count) compile(b, KERNEL_TIMERS, &timers, s->lanes, 0);
  if (s->ni) compile(b, KERNEL_INVARIANTS, &invariants, s->lanes, 0);
  if (s->ni) compile(b, KERNEL_INVARIANT_SENS, &invariant_sens, 1, 0);
  find_branches(b);
  compile_hoist(b); // last: it takes the hoisted nodes out of `where`
  code_batch_seal(s->codes);
  place_blocks(b);
}

System *system_new(Model *m, const SystemSpec *spec) {
  Arena *a = arena_new();
  System *s = ARENA_NEW(a, System);
  s->arena = a;
  s->model = m;
  s->nx = m->nx, s->nu = m->nu, s->ne = m->ne;
  s->ni = m->invariant_count;
  s->hybrid = m->flat->hybrid;
  s->nh = m->flat->held.count;
  s->ny = spec->output_count;
  s->np = spec->parameter_count;
  s->lanes = spec->lanes;
  s->codes = code_batch_new();
  SystemBuilder b = {.s = s, .m = m, .scratch = arena_new(), .spec = spec};
  b.parameter = ARENA_ARRAY(b.scratch, Expr, s->np + 1);
  for (int k = 0; k < s->np; k++) b.parameter[k] = m->flat->parameters.at[spec->parameters[k]].node;
  pthread_mutex_lock(m->lock);
  s->events = mode_order(m, a);
  s->surfaces = surfaces_find(m, a);
  find_input_slopes(&b);
  b.g = s->graph = graph_copy(m->graph, a);
  pthread_mutex_unlock(m->lock);
  derive_motion(&b);
  make_symbols(&b);
  find_plain_outputs(&b);
  find_outputs_read(&b);
  build_kernels(&b);
  arena_free(b.scratch);
  return s;
}

void system_free(System *s) {
  if (!s) return;
  for (int k = 0; k < KERNEL_COUNT; k++) {
    code_free(s->kernel[k].code);
    lowered_done(s->kernel[k].lowered);
  }
  code_batch_free(s->codes);
  arena_free(s->arena);
}
