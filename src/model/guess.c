// An equation that is linear in an unknown u without a start value gives it one, u = -rest/slope, where all others in it
// have start values. Within a block one unknown after the other is found so. An equation of another block, such as
// y = u where y has the start value, counts if it has no other unknowns than these two.
#include "model/guess.h"

#include "expr/derive.h"
#include "expr/simplify.h"

enum { CHAIN_MOST = 4 }; // of equations between two unknowns

struct Guesses {
  Graph *g;
  const GuessEquation *equations;
  const GuessUnknown *unknowns;
  const Incidence *in;
  Replacer *solved;
  const bool *is_solved;
  int *start, *equation; // which equations an unknown is in
};

Guesses *guesses_new(Graph *g, Arena *a, const GuessEquation *equations,
                     const GuessUnknown *unknowns, const Incidence *in, Replacer *solved,
                     const bool *is_solved) {
  Guesses *w = ARENA_NEW(a, Guesses);
  int entries = in->start[in->equations];
  *w = (Guesses){g, equations, unknowns, in, solved, is_solved, NULL, NULL};
  w->start = ARENA_ARRAY(a, int, in->unknowns + 2);
  w->equation = ARENA_ARRAY(a, int, entries + 1);
  for (int k = 0; k < entries; k++) w->start[in->unknown[k] + 2]++;
  for (int j = 0; j < in->unknowns; j++) w->start[j + 2] += w->start[j + 1];
  for (int i = 0; i < in->equations; i++)
    for (int k = in->start[i]; k < in->start[i + 1]; k++)
      w->equation[w->start[in->unknown[k] + 1]++] = i;
  return w;
}

// -rest/slope of residual = slope*u + rest, 0 where that is no number; false when it is not linear in u.
static bool solve_linear(Graph *g, Expr residual, Expr u, Expr *solution) {
  Arena *scratch = arena_new();
  Derivatives d = derive_rows(g, scratch, &residual, 1, &u, 1);
  Expr slope = d.start[1] ? d.value[0] : 0;
  bool linear = !expr_is_value(g, slope, 0) && !expr_dependents(g, scratch, &u, 1)[slope];
  if (linear) {
    Replacer *at_zero = replacer_new(g, scratch);
    replacer_set(at_zero, u, expr_const(g, 0));
    Expr q = expr_neg(g, expr_div(g, replace(at_zero, residual), slope));
    Expr is_number = expr_make(g, OP_LT, expr_mul(g, q, q), expr_const(g, 1e200), 0);
    *solution = expr_is_const(g, slope) ? q : expr_select(g, is_number, q, expr_const(g, 0));
  }
  arena_free(scratch);
  return linear;
}

// The other unknown of an equation that has two which are not solved, else -1.
static int other_unknown(const Guesses *w, int equation, int u) {
  int other = -1, count = 0;
  for (int k = w->in->start[equation]; k < w->in->start[equation + 1]; k++) {
    int v = w->in->unknown[k];
    if (v == u || w->is_solved[v]) continue;
    other = v;
    count++;
  }
  return count == 1 && w->equations[equation].counts ? other : -1;
}

// u from an equation with one other unknown, whose start value is known.
static bool solve_pair(const Guesses *w, int equation, int u, int other, Expr other_start,
                       Expr *start) {
  Arena *scratch = arena_new();
  Replacer *r = replacer_new(w->g, scratch);
  replacer_set(r, w->unknowns[other].symbol, other_start);
  Expr residual = replace(r, replace(w->solved, w->equations[equation].residual));
  arena_free(scratch);
  return solve_linear(w->g, residual, w->unknowns[u].symbol, start);
}

// from: the unknown that asks. depth: how many equations may be between.
static bool find_start(const Guesses *w, int u, int from, int depth, Expr *start) {
  Expr other_start;
  if (w->unknowns[u].given) *start = w->unknowns[u].start;
  if (w->unknowns[u].given) return true;
  for (int k = w->start[u]; k < w->start[u + 1] && depth > 0; k++) {
    int e = w->equation[k], v = other_unknown(w, e, u);
    if (v >= 0 && v != from && find_start(w, v, u, depth - 1, &other_start) &&
        solve_pair(w, e, u, v, other_start, start))
      return true;
  }
  return false;
}

// The only unknown of an equation without a start value, else -1.
static int missing_unknown(const Incidence *within, const bool *known, int equation) {
  int missing = -1, count = 0;
  for (int k = within->start[equation]; k < within->start[equation + 1]; k++)
    if (!known[within->unknown[k]]) missing = within->unknown[k], count++;
  return count == 1 ? missing : -1;
}

typedef struct GuessBlock {
  const int *unknown;
  const Expr *residual;
  const Incidence *within;
  Replacer *starts; // unknowns by their start values, as far as they are known
  bool *known;      // by unknown of the block
  bool *tried;      // by equation
} GuessBlock;

static void spread(const Guesses *w, GuessBlock *b, Expr *starts) {
  for (bool any = true; any;) {
    any = false;
    for (int i = 0; i < b->within->equations; i++) {
      int j = b->tried[i] ? -1 : missing_unknown(b->within, b->known, i);
      if (j < 0) continue;
      Expr u = w->unknowns[b->unknown[j]].symbol;
      b->tried[i] = true;
      if (!solve_linear(w->g, replace(b->starts, b->residual[i]), u, &starts[j])) continue;
      replacer_set(b->starts, u, starts[j]);
      any = b->known[j] = true;
    }
  }
}

void guess_block(const Guesses *w, const int *unknown, const Expr *residual,
                 const Incidence *within, Expr *starts) {
  int n = within->unknowns;
  Arena *scratch = arena_new();
  GuessBlock b = {unknown, residual, within, replacer_new(w->g, scratch), NULL, NULL};
  b.known = ARENA_ARRAY(scratch, bool, n);
  b.tried = ARENA_ARRAY(scratch, bool, n);
  for (int j = 0; j < n; j++) starts[j] = w->unknowns[unknown[j]].start;
  for (int depth = 0; depth <= CHAIN_MOST; depth += CHAIN_MOST) { // its own start values come first
    for (int j = 0; j < n; j++) {
      if (b.known[j] || !find_start(w, unknown[j], -1, depth, &starts[j])) continue;
      replacer_set(b.starts, w->unknowns[unknown[j]].symbol, starts[j]);
      b.known[j] = true;
    }
    spread(w, &b, starts);
  }
  arena_free(scratch);
}
