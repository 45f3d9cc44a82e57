// Lower equations and lower derivatives. There are more equations than derivatives; those that are left over become
// invariants. Equations are taken one by one if they are independent of those taken before, in numbers near the start:
// equations that look as if they determined their unknowns may say the same thing twice (u = a - b, w = a - b, b = 0).
//
// Those of low level come first. Definitions are followed from what is known to what they give, as far as they lead; only
// then an implicit equation is taken. Where several would do, those that can be solved for an unknown at any point come
// first; of these, definitions by states come before conditions on what states define; of the others, those of states
// come last. Equals are taken in the order of the model, never in that of the text.
#include "model/reduce_lower.h"

#include <math.h>
#include <stdlib.h>

#include "expr/derive.h"
#include "model/echelon.h"
#include "model/probe.h"
#include "model/split.h"

typedef enum LowerKind { LOWER_NUMBER, LOWER_PARAMETER, LOWER_VARYING } LowerKind; // of slopes

typedef struct LowerEquation {
  int equation;
  LowerKind kind; // the best of its slopes: it can be solved for an unknown at any point
  bool has_state;
  int level, rank;
  IntArray occurring;         // rows of the unknowns in it
  IntArray row;               // of those that have a slope
  ARRAY(double) slope, least; // by entry; least: what must be left of it to be solved for
  IntArray kinds;
  double most;  // the largest slope by any variable
  int previous; // the same equation, differentiated less, among all; -1: none
  bool decided, taken;
} LowerEquation;

typedef struct LowerEquations {
  int rows, count;
  int *row_of, *node_of; // by variable node: its row, -1 = none; by row: the variable node
  LowerEquation *at;
} LowerEquations;

typedef struct RankedNode {
  int rank, node;
} RankedNode;

static int by_rank(const void *a, const void *b) {
  const RankedNode *x = a, *y = b;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static void list_lower(Reducer *r, LowerEquations *l) {
  Arena *a = r->scratch;
  int variables = r->variables.count;
  l->row_of = ARENA_ARRAY(a, int, variables + 1);
  l->node_of = ARENA_ARRAY(a, int, variables + 1);
  l->at = ARENA_ARRAY(a, LowerEquation, r->equations.count + 1);
  RankedNode *node = ARENA_ARRAY(a, RankedNode, variables + 1);
  for (int i = 0; i < variables; i++) {
    const VariableNode *v = &r->variables.at[i];
    l->row_of[i] = -1;
    if (v->next < 0 || is_known(r, v)) continue;
    node[l->rows++] = (RankedNode){sort_rank(r->m->order.variable[v->variable], v->order), i};
  }
  if (l->rows > 1) qsort(node, (size_t)l->rows, sizeof *node, by_rank);
  for (int i = 0; i < l->rows; i++) l->node_of[i] = node[i].node, l->row_of[node[i].node] = i;
  for (int i = 0; i < r->equations.count; i++) {
    const EquationNode *n = &r->equations.at[i];
    if (n->next < 0) continue;
    LowerEquation q = {.equation = i, .kind = LOWER_VARYING};
    q.level = n->e.level, q.rank = n->e.rank;
    for (int k = 0; k < n->nodes.count; k++)
      if (l->row_of[n->nodes.at[k]] >= 0) array_push(a, &q.occurring, l->row_of[n->nodes.at[k]]);
    l->at[l->count++] = q;
  }
}

static void note_slope(Reducer *r, const LowerEquations *l, LowerEquation *q, int node, Expr slope,
                       double value) {
  const Graph *g = r->g;
  q->has_state |= is_known(r, &r->variables.at[node]);
  if (l->row_of[node] < 0 || value == 0) return;
  LowerKind kind = expr_is_const(g, slope)  ? LOWER_NUMBER
                   : !expr_varies(g, slope) ? LOWER_PARAMETER
                                            : LOWER_VARYING;
  if (kind < q->kind) q->kind = kind;
  array_push(r->scratch, &q->row, l->row_of[node]);
  array_push(r->scratch, &q->kinds, (int)kind);
  array_push(r->scratch, &q->slope, value);
  array_push(r->scratch, &q->least, 0);
}

// ---------------------------------------------------------------- a point near the start

enum { SWEEPS_MOST = 60 }; // longer chains of definitions are left at 0

// The only variable of an equation that has no value yet, -1: none or several.
static int only_open(const EquationNode *n, const bool *open) {
  int node = -1, count = 0;
  for (int i = 0; i < n->nodes.count; i++)
    if (open[n->nodes.at[i]]) node = n->nodes.at[i], count++;
  return count == 1 ? node : -1;
}

// Values of what the equations define by what has a value now. Returns how many.
static int sweep(Reducer *r, Probe *probe, Splitter *splitter, const bool *open, double *value,
                 int *rank) {
  int found = 0;
  for (int k = 0; k < r->typed; k++) {
    const EquationNode *n = &r->equations.at[k];
    int u = only_open(n, open);
    Expr slope, rest;
    if (u < 0 || (rank[u] >= 0 && rank[u] < n->e.rank)) continue;
    if (!split(splitter, n->e.residual, r->variables.at[u].symbol, &slope, &rest)) continue;
    double by = expr_varies(r->g, slope) ? 0 : probe_value(probe, slope);
    double v = by != 0 ? -probe_value(probe, rest) / by : nan("");
    if (isfinite(v)) found++, value[u] = v, rank[u] = n->e.rank;
  }
  return found;
}

// Variables without a start attribute take the values that definitions give them: c = cos(phi) is not near 0.
static void follow_definitions(Reducer *r, Probe *probe) {
  int n = r->variables.count;
  bool *open = ARENA_ARRAY(r->scratch, bool, n + 1);
  double *value = ARENA_ARRAY(r->scratch, double, n + 1);
  int *rank = ARENA_ARRAY(r->scratch, int, n + 1);
  Splitter *splitter = splitter_new(r->g, r->scratch);
  for (int i = 0; i < n; i++) {
    const VariableNode *v = &r->variables.at[i];
    open[i] = v->order == 0 && !is_known(r, v) && !r->m->flat->variables.at[v->variable].has_start;
    rank[i] = -1;
  }
  for (int k = 0; k < SWEEPS_MOST && sweep(r, probe, splitter, open, value, rank); k++)
    for (int i = 0; i < n; i++) {
      if (!open[i] || rank[i] < 0) continue;
      probe_put(probe, r->variables.at[i].symbol, value[i]);
      open[i] = false;
    }
}

// Slopes of every equation near the start.
static void find_slopes(Reducer *r, LowerEquations *l) {
  Arena *a = r->scratch;
  int n = r->variables.count;
  Expr *residual = ARENA_ARRAY(a, Expr, l->count + 1), *by = ARENA_ARRAY(a, Expr, n + 1);
  Probe *probe = probe_new(r->m, a, 0, 0);
  for (int k = 0; k < l->count; k++) residual[k] = r->equations.at[l->at[k].equation].e.residual;
  for (int i = 0; i < n; i++) {
    const VariableNode *v = &r->variables.at[i];
    by[i] = v->symbol;
    probe_set(probe, v->symbol, v->variable, v->order);
  }
  follow_definitions(r, probe);
  Derivatives d = derive_rows(r->g, a, residual, l->count, by, n);
  for (int k = 0; k < l->count; k++) {
    LowerEquation *q = &l->at[k];
    for (int e = d.start[k]; e < d.start[k + 1]; e++) {
      double value = probe_value(probe, d.value[e]);
      if (isfinite(value)) q->most = fmax(q->most, fabs(value));
      note_slope(r, l, q, d.column[e], d.value[e], value);
    }
    for (int i = 0; i < q->row.count; i++)
      if (!isfinite(q->slope.at[i])) q->slope.at[i] = q->most > 0 ? 0.1 * q->most : 1;
  }
}

static int by_preference(const void *a, const void *b) {
  const LowerEquation *x = a, *y = b;
  if (x->level != y->level) return x->level - y->level;
  if (x->kind != y->kind) return (int)x->kind - (int)y->kind;
  if (x->has_state != y->has_state) return x->has_state == (x->kind != LOWER_VARYING) ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static void sort_lower(Reducer *r, LowerEquations *l) {
  int *place = ARENA_ARRAY(r->scratch, int, r->equations.count + 1);
  if (l->count > 1) qsort(l->at, (size_t)l->count, sizeof *l->at, by_preference);
  for (int k = 0; k < l->count; k++) l->at[k].previous = -1, place[l->at[k].equation] = k;
  for (int k = 0; k < l->count; k++) {
    int next = r->equations.at[l->at[k].equation].next;
    if (r->equations.at[next].next >= 0) l->at[place[next]].previous = k;
  }
}

// ---------------------------------------------------------------- taking equations

typedef struct Taker {
  LowerEquations *l;
  Echelon *echelon;
  double
      least; // slope that an unknown must have to be solved for, against the largest of the equation
  bool *open; // by row: not determined yet
} Taker;

// Open unknowns of an equation; *row is the last of them.
static int count_open(const Taker *t, const LowerEquation *q, int *row) {
  int count = 0;
  for (int i = 0; i < q->occurring.count; i++)
    if (t->open[q->occurring.at[i]]) count++, *row = q->occurring.at[i];
  return count;
}

static void take(Taker *t, LowerEquation *q) {
  bool numbers = true;
  for (int i = 0; i < q->row.count; i++) {
    bool number = q->kinds.at[i] == LOWER_NUMBER; // it stays what it is
    q->least.at[i] = number ? 0.1 * fabs(q->slope.at[i]) : t->least * q->most;
    numbers &= number;
  }
  q->decided = true;
  q->taken = echelon_rank(t->echelon) < t->l->rows &&
             echelon_add(t->echelon, q->row.at, q->slope.at, q->row.count,
                         numbers ? NULL : q->least.at, numbers ? 0 : t->least * q->most);
}

// Whether the equation gives this unknown at any point: by a number, or by a parameter that is not small.
static bool is_explicit(const Taker *t, const LowerEquation *q, int row) {
  for (int i = 0; i < q->row.count; i++)
    if (q->row.at[i] == row)
      return q->kinds.at[i] == LOWER_NUMBER ||
             (q->kinds.at[i] == LOWER_PARAMETER && fabs(q->slope.at[i]) >= t->least * q->most);
  return false;
}

// Equations from..end: those with one open unknown that they give, or that were taken already, determine it.
static bool follow(Taker *t, int from, int end) {
  bool any = false;
  for (int i = from; i < end; i++) {
    LowerEquation *q = &t->l->at[i];
    int row;
    if (count_open(t, q, &row) != 1) continue;
    if (!q->decided && is_explicit(t, q, row)) take(t, q);
    if (!q->taken) continue;
    t->open[row] = false;
    any = true;
  }
  return any;
}

// What an equation determines, its derivative goes on with: an unknown and its derivative then belong together beside
// the constraints, too.
static void go_on(Taker *t, int from, int end) {
  for (int i = from; i < end; i++) {
    LowerEquation *q = &t->l->at[i];
    if (q->previous < 0 || !t->l->at[q->previous].taken) continue;
    take(t, q);
    for (int k = 0; k < q->occurring.count && q->taken; k++) t->open[q->occurring.at[k]] = false;
  }
}

// Of one level. As long as there are explicit ones they are followed; then an implicit one is taken.
static void take_level(Taker *t, int from, int end) {
  go_on(t, from, end);
  for (int i = from; i < end; i++) {
    while (follow(t, from, end)) {
    }
    if (!t->l->at[i].decided) take(t, &t->l->at[i]);
  }
}

// Takes independent equations whose slopes are good enough. false: they do not determine everything.
static bool take_equations(Reducer *r, LowerEquations *l, double least) {
  Taker t = {.l = l, .echelon = echelon_new(r->scratch, l->rows, l->count), .least = least};
  t.open = ARENA_ARRAY(r->scratch, bool, l->rows + 1);
  for (int i = 0; i < l->rows; i++) t.open[i] = true;
  for (int k = 0; k < l->count; k++) l->at[k].taken = l->at[k].decided = false;
  for (int k = 0; k < l->count;) {
    int end = k;
    while (end < l->count && l->at[end].level == l->at[k].level) end++;
    take_level(&t, k, end);
    k = end;
  }
  return echelon_rank(t.echelon) == l->rows;
}

// Among the equations that are taken; a matching serves columns in their order, here these are the equations.
static bool match_taken(Reducer *r, const LowerEquations *l, bool by_slopes) {
  Arena *a = r->scratch;
  int *start = ARENA_ARRAY(a, int, l->count + 2);
  IntArray found = {0};
  for (int k = 0; k < l->count; k++) {
    const LowerEquation *q = &l->at[k];
    for (int i = 0; by_slopes && q->taken && i < q->row.count; i++)
      array_push(a, &found, q->row.at[i]);
    for (int i = 0; !by_slopes && i < q->occurring.count; i++)
      array_push(a, &found, q->occurring.at[i]);
    start[k + 1] = found.count;
  }
  int *by_row = ARENA_ARRAY(a, int, l->rows + 2), *column = ARENA_ARRAY(a, int, found.count + 1);
  for (int e = 0; e < found.count; e++) by_row[found.at[e] + 2]++;
  for (int i = 0; i < l->rows; i++) by_row[i + 2] += by_row[i + 1];
  for (int k = 0; k < l->count; k++)
    for (int e = start[k]; e < start[k + 1]; e++) column[by_row[found.at[e] + 1]++] = k;
  Incidence in = {l->rows, l->count, by_row, column};
  Matching m = match(a, &in, NULL);
  for (int i = 0; i < l->rows; i++)
    if (m.unknown_of[i] >= 0)
      r->variables.at[l->node_of[i]].equation = l->at[m.unknown_of[i]].equation;
  return m.count == l->rows;
}

bool match_lower(Reducer *r) {
  static const double LEAST[] = {0.3, 0.03, 1e-3, 1e-9};
  LowerEquations l = {0};
  list_lower(r, &l);
  find_slopes(r, &l);
  sort_lower(r, &l);
  for (size_t k = 0; k < sizeof LEAST / sizeof *LEAST; k++)
    if (take_equations(r, &l, LEAST[k]) && match_taken(r, &l, true)) return true;
  return match_taken(r, &l, false);
}
