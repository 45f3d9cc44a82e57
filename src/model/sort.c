// Solution of sorted equations, block by block in the order of computation (block triangular form). A single equation
// that is linear in its unknown u, slope*u + rest = 0, is divided by the slope. A larger block is torn: equations with
// one unknown left are solved explicitly, others give their unknowns to a core that is as small as a greedy choice
// makes it. The core is a linear system A z = b or, where it is not linear, Newton's method (Cellier and Kofman,
// Continuous System Simulation, 2006, chapter 7).
//
// Blocks with redundant equations have fewer rows than unknowns: of their solutions the one with the least multipliers
// is taken, W z + A'w = 0, A z = b.
#include "model/sort.h"

#include <stdlib.h>
#include <string.h>

#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"
#include "model/guess.h"
#include "model/split.h"

// ---------------------------------------------------------------- incidence

typedef struct Finder {
  const Graph *g;
  Arena *arena;
  int *stamp, now;
  int *unknown_at; // by node: unknown + 1
  IntArray stack, found;
} Finder;

static void find_node(void *data, Expr e) {
  Finder *f = data;
  if (f->stamp[e] == f->now) return;
  f->stamp[e] = f->now;
  if (f->unknown_at[e])
    array_push(f->arena, &f->found, f->unknown_at[e] - 1);
  else
    array_push(f->arena, &f->stack, e);
}

static int ascending(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

Incidence sort_incidence(Graph *g, Arena *a, const SortEquation *equations, int equation_count,
                         const SortUnknown *unknowns, int unknown_count) {
  Finder f = {.g = g, .arena = a};
  f.stamp = ARENA_ARRAY(a, int, g->count);
  f.unknown_at = ARENA_ARRAY(a, int, g->count);
  for (int j = 0; j < unknown_count; j++) f.unknown_at[unknowns[j].symbol] = j + 1;
  int *start = ARENA_ARRAY(a, int, equation_count + 1);
  for (int i = 0; i < equation_count; i++) {
    f.now++;
    find_node(&f, equations[i].residual);
    while (f.stack.count) expr_each_argument(g, f.stack.at[--f.stack.count], find_node, &f);
    int first = start[i], count = f.found.count - first;
    if (count > 1) qsort(f.found.at + first, (size_t)count, sizeof(int), ascending);
    start[i + 1] = f.found.count;
  }
  return (Incidence){equation_count, unknown_count, start, f.found.at};
}

// ---------------------------------------------------------------- blocks

typedef struct Sorter {
  Graph *g;
  Arena *arena;
  const SortEquation *equations;
  const SortUnknown *unknowns;
  const Incidence *in;
  const Matching *m;
  Replacer *solved; // unknowns that have a solution
  bool *is_solved;  // by unknown
  Guesses *guesses;
  int *local; // by unknown: its number + 1 in the block that is looked at
  Splitter *split;
  SortNonzero *nonzero;
  void *self;
  Sorted *out;
} Sorter;

static void define(Sorter *s, int unknown, Expr solution) {
  s->out->solution[unknown] = solution;
  s->is_solved[unknown] = true;
  replacer_set(s->solved, s->unknowns[unknown].symbol, solution);
  splitter_skip(s->split, solution);
}

static bool is_alias(const Graph *g, Expr e) {
  if (g->nodes[e].op == OP_NEG) e = g->nodes[e].a;
  return g->nodes[e].op == OP_SYMBOL;
}

// g(u) = 0 with a fresh symbol in place of each unknown, so that u itself can be replaced by its solution everywhere.
static void solve_newton(Sorter *s, const int *unknowns, int n, Expr *residuals, const Expr *starts,
                         const SortEquation *at, Expr *results) {
  Graph *g = s->g;
  Arena *scratch = arena_new();
  Replacer *fresh = replacer_new(g, scratch);
  Expr *z = ARENA_ARRAY(scratch, Expr, n);
  const char **names = ARENA_ARRAY(s->arena, const char *, n);
  for (int i = 0; i < n; i++) {
    const SortUnknown *u = &s->unknowns[unknowns[i]];
    names[i] = u->name;
    z[i] = expr_symbol(g, u->name, true);
    replacer_set(fresh, u->symbol, z[i]);
  }
  for (int i = 0; i < n; i++) residuals[i] = replace(fresh, residuals[i]);
  Expr first = expr_newton(g, n, z, residuals, starts, names, at->line, at->column);
  for (int i = 0; i < n; i++) results[i] = first + i;
  arena_free(scratch);
}

static const Incidence ALONE = {1, 1, (const int[]){0, 1}, (const int[]){0}};

static bool solve_single(Sorter *s, int equation, SortBlock *b) {
  int u = s->m->unknown_of[equation];
  if (s->equations[equation].redundant) { // it determines nothing: the least value
    b->kind = SORT_ASSIGN;
    define(s, u, expr_const(s->g, 0));
    return true;
  }
  Expr residual = replace(s->solved, s->equations[equation].residual), slope, rest;
  b->kind = SORT_ASSIGN;
  if (split(s->split, residual, s->unknowns[u].symbol, &slope, &rest)) {
    if (expr_is_value(s->g, slope, 0)) return false;
    Expr solution = expr_div(s->g, expr_neg(s->g, rest), slope);
    if (is_alias(s->g, solution)) b->kind = SORT_ALIAS;
    define(s, u, solution);
    return true;
  }
  Expr solution, guess;
  b->kind = SORT_NONLINEAR;
  guess_block(s->guesses, &u, &residual, &ALONE, &guess);
  solve_newton(s, &u, 1, &residual, &guess, &s->equations[equation], &solution);
  define(s, u, solution);
  return true;
}

// ---------------------------------------------------------------- tearing

typedef struct Tear { // of one block; equations and unknowns are counted from 0 within it, by rank
  int n;
  int *equation; // of the model
  int *unknown;
  Expr *residual;
  Derivatives d;               // by the block's unknowns
  Incidence in;                // unknowns may enter without a derivative: in a relation, in floor
  int *open;                   // by equation: unknowns in it that are not known yet
  unsigned char *used, *known; // by equation, by unknown
  const unsigned char *redundant; // by equation
  int redundant_count;
  IntArray solve_equation, solve_unknown, torn; // explicit steps in order, and the torn unknowns
  bool last_unknown, last_equation;             // of several equals the last is taken
  int first;                                    // unknown that is torn first, -1: chosen
  // By derivative: it is no slope, because the unknown also stands in a condition (1), or it is one (2); NULL: all are.
  unsigned char *bent;
} Tear;

static bool is_divisor(const Sorter *s, Expr e) {
  return expr_is_const(s->g, e) || (s->nonzero && !expr_varies(s->g, e) && s->nonzero(s->self, e));
}

static bool is_bent(const Sorter *s, const Tear *t, int i, int e) {
  Expr slope, rest;
  if (!t->bent[e]) {
    Expr u = s->unknowns[t->unknown[t->d.column[e]]].symbol;
    t->bent[e] = split(s->split, t->residual[i], u, &slope, &rest) ? 2 : 1;
  }
  return t->bent[e] == 1;
}

// The only open unknown of an equation if the equation can be solved for it by a coefficient that is not 0, else -1. With
// redundant equations multipliers are kept, because their squares are what the least norm is of.
static int explicit_unknown(const Sorter *s, const Tear *t, int i) {
  int k = t->in.start[i], e = t->d.start[i], end = t->d.start[i + 1];
  while (t->known[t->in.unknown[k]]) k++;
  while (e < end && t->d.column[e] != t->in.unknown[k]) e++;
  if (e == end || !is_divisor(s, t->d.value[e])) return -1;
  int j = t->in.unknown[k];
  if (t->bent && is_bent(s, t, i, e)) return -1;
  return t->redundant_count && s->unknowns[t->unknown[j]].algebraic ? -1 : j;
}

static void learn(Tear *t, const int *rows_start, const int *rows, int j) {
  t->known[j] = 1;
  for (int k = rows_start[j]; k < rows_start[j + 1]; k++) t->open[rows[k]]--;
}

static int most_wanted(const Sorter *s, const Tear *t, const int *rows_start, const int *rows) {
  int best = -1, most = -1;
  for (int j = 0; j < t->n; j++) {
    if (t->known[j]) continue;
    int wanted = 0;
    for (int k = rows_start[j]; k < rows_start[j + 1]; k++) wanted += !t->used[rows[k]];
    if (t->redundant_count && s->unknowns[t->unknown[j]].algebraic) wanted += t->n; // kept anyway
    if (wanted > most || (wanted == most && t->last_unknown)) most = wanted, best = j;
  }
  return best;
}

static bool take_explicit_steps(const Sorter *s, Tear *t, const int *rows_start, const int *rows) {
  bool any = false;
  for (int k = 0; k < t->n; k++) {
    int i = t->last_equation ? t->n - 1 - k : k;
    if (t->used[i] || t->redundant[i] || t->open[i] != 1) continue;
    int j = explicit_unknown(s, t, i);
    if (j < 0) continue;
    t->used[i] = 1;
    array_push(s->arena, &t->solve_equation, i);
    array_push(s->arena, &t->solve_unknown, j);
    learn(t, rows_start, rows, j);
    any = true;
  }
  return any;
}

// Greedy: solve what can be solved explicitly; otherwise take the unknown that most equations want as torn.
static void choose_tearing(const Sorter *s, Tear *t) {
  Arena *a = s->arena;
  int n = t->n, entries = t->in.start[n];
  int *start = ARENA_ARRAY(a, int, n + 2), *rows = ARENA_ARRAY(a, int, entries + 1);
  for (int k = 0; k < entries; k++) start[t->in.unknown[k] + 2]++;
  for (int j = 0; j < n; j++) start[j + 2] += start[j + 1];
  for (int i = 0; i < n; i++)
    for (int k = t->in.start[i]; k < t->in.start[i + 1]; k++)
      rows[start[t->in.unknown[k] + 1]++] = i;
  for (int i = 0; i < n; i++) t->open[i] = t->in.start[i + 1] - t->in.start[i];
  for (;;) {
    while (take_explicit_steps(s, t, start, rows)) {
    }
    bool given = t->torn.count == 0 && t->first >= 0 && !t->known[t->first];
    int j = given ? t->first : most_wanted(s, t, start, rows);
    if (j < 0) return;
    array_push(a, &t->torn, j);
    learn(t, start, rows, j);
  }
}

// Equations of a block that is worth several tries. In larger ones the smallest core is not the most accurate.
enum { WAYS = 4, WAYS_MOST = 300, FIRST_MOST = 8 };

static void try_tearing(const Sorter *s, Tear *t, int way, int first) {
  memset(t->used, 0, (size_t)t->n);
  memset(t->known, 0, (size_t)t->n);
  t->solve_equation.count = t->solve_unknown.count = t->torn.count = 0;
  t->last_unknown = way % 2, t->last_equation = way / 2, t->first = first;
  choose_tearing(s, t);
}

// A greedy choice depends on which of several equals it takes, and on what it takes first: the smallest core of several.
static void choose_best_tearing(const Sorter *s, Tear *t) {
  int best = 0, best_first = -1, least = 0;
  for (int way = 0; way < WAYS && t->n <= WAYS_MOST; way++) {
    try_tearing(s, t, way, -1);
    if (way == 0 || t->torn.count < least) best = way, least = t->torn.count;
  }
  for (int first = 0; first < t->n && t->n <= FIRST_MOST && least > 1; first++) {
    try_tearing(s, t, 0, first);
    if (t->torn.count < least) best = 0, best_first = first, least = t->torn.count;
  }
  try_tearing(s, t, best, best_first);
}

// Explicit unknowns in terms of the torn ones, then the residuals that are left.
static bool eliminate(Sorter *s, Tear *t, Replacer *inner, Expr *left_over) {
  for (int k = 0; k < t->solve_equation.count; k++) {
    int i = t->solve_equation.at[k], j = t->solve_unknown.at[k];
    Expr residual = replace(inner, t->residual[i]), slope, rest,
         u = s->unknowns[t->unknown[j]].symbol;
    if (!split(s->split, residual, u, &slope, &rest) || expr_is_value(s->g, slope, 0)) return false;
    replacer_set(inner, u, expr_div(s->g, expr_neg(s->g, rest), slope));
  }
  int count = 0;
  for (int last = 0; last < 2; last++) // redundant ones come last
    for (int i = 0; i < t->n; i++)
      if (!t->used[i] && t->redundant[i] == last)
        left_over[count++] = replace(inner, t->residual[i]);
  return true;
}

// Most unknowns stand in no conditions: whether some do is looked at when an equation could not be solved.
static bool choose_and_eliminate(Sorter *s, Tear *t, Replacer *inner, Expr *left_over) {
  choose_best_tearing(s, t);
  if (eliminate(s, t, inner, left_over)) return true;
  for (int k = 0; k < t->n; k++) replacer_clear(inner, s->unknowns[t->unknown[k]].symbol);
  t->bent = ARENA_ARRAY(s->arena, unsigned char, t->d.start[t->n] + 1);
  choose_best_tearing(s, t);
  return eliminate(s, t, inner, left_over);
}

// residuals = A z + b with A (rows by n) free of z?
static bool is_linear(Sorter *s, const Expr *residuals, int rows, const Expr *z, int n,
                      Expr *matrix, Expr *right) {
  Expr *rest = ARENA_ARRAY(s->arena, Expr, n);
  memcpy(rest, residuals, (size_t)rows * sizeof *rest);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++)
      if (!split(s->split, rest[i], z[j], &matrix[i * n + j], &rest[i])) return false;
  // a slope by one unknown must not contain another
  Arena *scratch = arena_new();
  const unsigned char *depends = expr_dependents(s->g, scratch, z, n);
  bool linear = true;
  for (int k = 0; k < rows * n; k++) linear &= !depends[matrix[k]];
  arena_free(scratch);
  for (int i = 0; i < rows; i++) right[i] = expr_neg(s->g, rest[i]);
  return linear;
}

static bool empty_line(const Graph *g, const Expr *matrix, int n) {
  for (int i = 0; i < n; i++) {
    bool row = false, column = false;
    for (int j = 0; j < n; j++) {
      row |= !expr_is_value(g, matrix[i * n + j], 0);
      column |= !expr_is_value(g, matrix[j * n + i], 0);
    }
    if (!row || !column) return true;
  }
  return false;
}

// The least z (in its multipliers) with A z = b, A of fewer rows than columns: W z + A' w = 0.
static void solve_least(Sorter *s, const int *unknowns, const Expr *matrix, const Expr *right,
                        int rows, int n, Expr *results) {
  int size = n + rows;
  Expr one = expr_const(s->g, 1), zero = expr_const(s->g, 0);
  Expr *K = ARENA_ARRAY(s->arena, Expr, size * size), *b = ARENA_ARRAY(s->arena, Expr, size);
  Expr *all = ARENA_ARRAY(s->arena, Expr, size);
  for (int i = 0; i < size * size; i++) K[i] = zero;
  int multipliers = 0;
  for (int j = 0; j < n; j++) multipliers += s->unknowns[unknowns[j]].algebraic;
  for (int j = 0; j < n; j++) {
    b[j] = zero;
    if (s->unknowns[unknowns[j]].algebraic || multipliers < n - rows) K[j * size + j] = one;
  }
  for (int i = 0; i < rows; i++) {
    b[n + i] = right[i];
    for (int j = 0; j < n; j++) K[(n + i) * size + j] = K[j * size + n + i] = matrix[i * n + j];
  }
  expr_solve(s->g, expr_factor(s->g, size, K), false, b, all);
  memcpy(results, all, (size_t)n * sizeof *results);
}

static const SortEquation *first_in_text(const Sorter *s, const Tear *t) {
  const SortEquation *first = &s->equations[t->equation[0]];
  for (int i = 1; i < t->n; i++) {
    const SortEquation *e = &s->equations[t->equation[i]];
    if (e->line < first->line || (e->line == first->line && e->column < first->column)) first = e;
  }
  return first;
}

static bool solve_torn(Sorter *s, Tear *t, Expr *residuals, SortBlock *b, Expr *results) {
  int n = t->torn.count, rows = n - t->redundant_count;
  if (n == 0) return true;
  Expr *z = ARENA_ARRAY(s->arena, Expr, n), *matrix = ARENA_ARRAY(s->arena, Expr, n * n);
  Expr *right = ARENA_ARRAY(s->arena, Expr, n);
  int *unknowns = ARENA_ARRAY(s->arena, int, n);
  for (int k = 0; k < n; k++) {
    unknowns[k] = t->unknown[t->torn.at[k]];
    z[k] = s->unknowns[unknowns[k]].symbol;
  }
  if (is_linear(s, residuals, rows, z, n, matrix, right)) {
    b->kind = SORT_LINEAR;
    if (rows < n) {
      solve_least(s, unknowns, matrix, right, rows, n, results);
      return true;
    }
    if (empty_line(s->g, matrix, n)) return false;
    expr_solve(s->g, expr_factor(s->g, n, matrix), false, right, results);
    return true;
  }
  b->kind = SORT_NONLINEAR;
  Expr *guess = ARENA_ARRAY(s->arena, Expr, t->n), *starts = ARENA_ARRAY(s->arena, Expr, n);
  guess_block(s->guesses, t->unknown, t->residual, &t->in, guess);
  for (int k = 0; k < n; k++) starts[k] = guess[t->torn.at[k]];
  solve_newton(s, unknowns, n, residuals, starts, first_in_text(s, t), results);
  return true;
}

// Which of the block's unknowns occur in which of its equations.
static Incidence incidence_within(Sorter *s, const Tear *t) {
  int *start = ARENA_ARRAY(s->arena, int, t->n + 1);
  IntArray found = {0};
  for (int i = 0; i < t->n; i++) s->local[t->unknown[i]] = i + 1;
  for (int i = 0; i < t->n; i++) {
    int e = t->equation[i];
    for (int k = s->in->start[e]; k < s->in->start[e + 1]; k++)
      if (s->local[s->in->unknown[k]])
        array_push(s->arena, &found, s->local[s->in->unknown[k]] - 1);
    start[i + 1] = found.count;
  }
  for (int i = 0; i < t->n; i++) s->local[t->unknown[i]] = 0;
  return (Incidence){t->n, t->n, start, found.at};
}

typedef struct ByRank {
  int rank, place, number;
} ByRank;

static int compare_ranks(const void *a, const void *b) {
  const ByRank *x = a, *y = b;
  return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : x->place - y->place;
}

// What is torn must not depend on the order of the text, nor on which of several matchings was found.
static void order_by_rank(Sorter *s, Tear *t, const int *equation) {
  ByRank *list = ARENA_ARRAY(s->arena, ByRank, t->n);
  t->equation = ARENA_ARRAY(s->arena, int, t->n);
  t->unknown = ARENA_ARRAY(s->arena, int, t->n);
  for (int i = 0; i < t->n; i++) list[i] = (ByRank){s->equations[equation[i]].rank, i, equation[i]};
  qsort(list, (size_t)t->n, sizeof *list, compare_ranks);
  for (int i = 0; i < t->n; i++) t->equation[i] = list[i].number;
  for (int i = 0; i < t->n; i++) {
    int u = s->m->unknown_of[equation[i]];
    list[i] = (ByRank){s->unknowns[u].rank, i, u};
  }
  qsort(list, (size_t)t->n, sizeof *list, compare_ranks);
  for (int i = 0; i < t->n; i++) t->unknown[i] = list[i].number;
}

static void tear_init(Sorter *s, Tear *t, const int *equation, int n) {
  Arena *a = s->arena;
  t->n = n;
  order_by_rank(s, t, equation);
  t->residual = ARENA_ARRAY(a, Expr, n);
  t->open = ARENA_ARRAY(a, int, n);
  t->used = ARENA_ARRAY(a, unsigned char, n);
  t->known = ARENA_ARRAY(a, unsigned char, n);
  Expr *by = ARENA_ARRAY(a, Expr, n);
  unsigned char *redundant = ARENA_ARRAY(a, unsigned char, n);
  t->redundant = redundant;
  for (int i = 0; i < n; i++) {
    redundant[i] = s->equations[t->equation[i]].redundant;
    t->redundant_count += redundant[i];
    t->residual[i] = replace(s->solved, s->equations[t->equation[i]].residual);
    by[i] = s->unknowns[t->unknown[i]].symbol;
  }
  t->in = incidence_within(s, t);
  t->d = derive_rows(s->g, a, t->residual, n, by, n);
}

// Tears the block, solves the core for the torn unknowns, puts the result into the explicit solutions of the others.
static bool solve_loop(Sorter *s, const int *equation, int n, SortBlock *b) {
  Tear t = {0};
  tear_init(s, &t, equation, n);
  Replacer *inner = replacer_new(s->g, s->arena);
  Expr *left_over = ARENA_ARRAY(s->arena, Expr, n), *results = ARENA_ARRAY(s->arena, Expr, n);
  if (!choose_and_eliminate(s, &t, inner, left_over)) return false;
  int explicit = t.solve_unknown.count;
  for (int k = 0; k < explicit; k++) b->unknown[k] = t.unknown[t.solve_unknown.at[k]];
  for (int k = 0; k < t.torn.count; k++) b->unknown[explicit + k] = t.unknown[t.torn.at[k]];
  b->torn = t.torn.count;
  if (!solve_torn(s, &t, left_over, b, results)) return false;
  if (t.torn.count == 0) b->kind = SORT_ASSIGN;
  Replacer *final = replacer_new(s->g, s->arena);
  for (int k = 0; k < t.torn.count; k++)
    replacer_set(final, s->unknowns[b->unknown[explicit + k]].symbol, results[k]);
  for (int k = 0; k < b->count; k++) {
    Expr u = s->unknowns[b->unknown[k]].symbol;
    define(s, b->unknown[k], replace(final, k < explicit ? replace(inner, u) : u));
  }
  return true;
}

static Guesses *prepare_guesses(const Sorter *s, Arena *a) {
  GuessEquation *equations = ARENA_ARRAY(a, GuessEquation, s->in->equations + 1);
  GuessUnknown *unknowns = ARENA_ARRAY(a, GuessUnknown, s->in->unknowns + 1);
  for (int i = 0; i < s->in->equations; i++)
    equations[i] = (GuessEquation){s->equations[i].residual, !s->equations[i].redundant};
  for (int j = 0; j < s->in->unknowns; j++)
    unknowns[j] = (GuessUnknown){s->unknowns[j].symbol, s->unknowns[j].start, s->unknowns[j].given};
  return guesses_new(s->g, a, equations, unknowns, s->in, s->solved, s->is_solved);
}

bool sort_solve(Graph *g, Arena *a, const SortEquation *equations, const SortUnknown *unknowns,
                const Incidence *in, const Matching *m, SortNonzero *nonzero, void *self,
                Sorted *out) {
  Arena *scratch = arena_new();
  Components c = components(scratch, in, m);
  Sorter s = {.g = g, .arena = a, .equations = equations, .unknowns = unknowns, .in = in, .m = m};
  s.solved = replacer_new(g, scratch);
  s.is_solved = ARENA_ARRAY(scratch, bool, in->unknowns + 1);
  s.guesses = prepare_guesses(&s, scratch);
  s.local = ARENA_ARRAY(scratch, int, in->unknowns + 1);
  s.split = splitter_new(g, scratch);
  s.nonzero = nonzero, s.self = self;
  s.out = out;
  out->solution = ARENA_ARRAY(a, Expr, in->unknowns + 1);
  out->blocks = ARENA_ARRAY(a, SortBlock, c.count + 1);
  out->block_count = c.count;
  bool ok = true;
  for (int k = 0; k < c.count && ok; k++) {
    out->block_count = k + 1;
    SortBlock *b = &out->blocks[k];
    int n = b->count = c.start[k + 1] - c.start[k];
    b->equation = ARENA_ARRAY(a, int, n);
    b->unknown = ARENA_ARRAY(a, int, n);
    memcpy(b->equation, c.member + c.start[k], (size_t)n * sizeof(int));
    b->unknown[0] = m->unknown_of[b->equation[0]];
    ok = n == 1 ? solve_single(&s, b->equation[0], b) : solve_loop(&s, b->equation, n, b);
  }
  arena_free(scratch);
  return ok;
}
