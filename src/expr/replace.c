// Replaced nodes are remembered with a stamp. A new replacement of a symbol raises the stamp, which forgets all of them
// at once without touching the memory.
#include "expr/replace.h"

#include <string.h>

#include "expr/simplify.h"

enum { HELD = -1 }; // as a stamp: always valid

typedef struct Memo {
  int stamp;
  Expr value;
} Memo;

struct Replacer {
  Graph *g;
  Arena *arena;
  Memo *memo; // by node
  int room, now;
  Expr *by; // by symbol: replacement + 1
  int symbol_room;
  IntArray stack;
};

Replacer *replacer_new(Graph *g, Arena *a) {
  Replacer *r = ARENA_NEW(a, Replacer);
  r->g = g;
  r->arena = a;
  r->now = 1;
  return r;
}

static void *grown(Arena *a, const void *old, int count, int room, size_t size) {
  void *p = arena_alloc(a, (size_t)room, size);
  if (count) memcpy(p, old, (size_t)count * size);
  return p;
}

static void fit(Replacer *r) {
  if (r->room < r->g->count) {
    int room = 2 * r->g->count;
    r->memo = grown(r->arena, r->memo, r->room, room, sizeof *r->memo);
    r->room = room;
  }
  if (r->symbol_room < r->g->symbols.count) {
    int room = 2 * r->g->symbols.count;
    r->by = grown(r->arena, r->by, r->symbol_room, room, sizeof *r->by);
    r->symbol_room = room;
  }
}

void replacer_set(Replacer *r, Expr symbol, Expr by) {
  fit(r);
  r->by[r->g->nodes[symbol].a] = by + 1;
  r->now++;
}

void replacer_hold(Replacer *r, Expr e, Expr by) {
  if (r->g->nodes[e].op == OP_SYMBOL) {
    replacer_set(r, e, by);
    return;
  }
  fit(r);
  r->memo[e] = (Memo){HELD, by};
}

void replacer_clear(Replacer *r, Expr symbol) {
  fit(r);
  r->by[r->g->nodes[symbol].a] = 0;
  r->now++;
}

// Replacement + 1, 0 = not known yet.
static Expr known(const Replacer *r, Expr e) {
  const ExprNode *n = &r->g->nodes[e];
  if (n->op == OP_SYMBOL) return r->by[n->a] ? r->by[n->a] : e + 1;
  if (n->op == OP_CONST) return e + 1;
  int stamp = r->memo[e].stamp;
  return stamp == r->now || stamp == HELD ? r->memo[e].value + 1 : 0;
}

static void remember(Replacer *r, Expr e, Expr value) {
  fit(r); // the replacement may have made nodes
  if (r->memo[e].stamp == HELD) return;
  r->memo[e] = (Memo){r->now, value};
}

static void push_unknown(void *data, Expr e) {
  Replacer *r = data;
  if (!known(r, e)) array_push(r->arena, &r->stack, e);
}

static bool replace_all(const Replacer *r, const Expr *from, Expr *to, int n) {
  bool changed = false;
  for (int i = 0; i < n; i++) {
    to[i] = known(r, from[i]) - 1;
    changed |= to[i] != from[i];
  }
  return changed;
}

static void rebuild_solve(Replacer *r, const ExprBlock *b, Arena *scratch) {
  Graph *g = r->g;
  int n = b->n;
  const Expr *old = g->blocks.at[b->factor].matrix;
  Expr *matrix = ARENA_ARRAY(scratch, Expr, n * n), *right = ARENA_ARRAY(scratch, Expr, n);
  Expr *results = ARENA_ARRAY(scratch, Expr, n);
  bool changed = replace_all(r, old, matrix, n * n);
  changed |= replace_all(r, b->right, right, n);
  if (changed) expr_solve(g, expr_factor(g, n, matrix), b->transposed, right, results);
  for (int i = 0; i < n; i++) remember(r, b->first + i, changed ? results[i] : b->first + i);
}

// Unknowns of its own for a block: its solution may become part of the block that it was made from.
static void fresh_unknowns(Graph *g, const ExprBlock *b, Arena *scratch, Expr *unknowns,
                           Expr *residuals) {
  Replacer *r = replacer_new(g, scratch);
  for (int i = 0; i < b->n; i++) {
    unknowns[i] = expr_symbol(g, b->names[i], true);
    replacer_set(r, b->unknowns[i], unknowns[i]);
  }
  for (int i = 0; i < b->n; i++) residuals[i] = replace(r, residuals[i]);
}

static void rebuild_newton(Replacer *r, const ExprBlock *b, Arena *scratch) {
  int n = b->n;
  Expr *unknowns = ARENA_ARRAY(scratch, Expr, n);
  Expr *residuals = ARENA_ARRAY(scratch, Expr, n), *starts = ARENA_ARRAY(scratch, Expr, n);
  bool changed = replace_all(r, b->residuals, residuals, n);
  changed |= replace_all(r, b->starts, starts, n);
  Expr first = b->first;
  if (changed) {
    fresh_unknowns(r->g, b, scratch, unknowns, residuals);
    first = expr_newton(r->g, n, unknowns, residuals, starts, b->names, b->line, b->column);
  }
  for (int i = 0; i < n; i++) remember(r, b->first + i, first + i);
}

static void rebuild_block(Replacer *r, int block) {
  Arena *scratch = arena_new();
  ExprBlock b = r->g->blocks.at[block];
  if (b.kind == EXPR_SOLVE)
    rebuild_solve(r, &b, scratch);
  else
    rebuild_newton(r, &b, scratch);
  arena_free(scratch);
}

static void rebuild(Replacer *r, Expr e) {
  ExprNode n = r->g->nodes[e];
  if (n.op == OP_SOLVED) {
    rebuild_block(r, n.a);
    return;
  }
  int args = OPS[n.op].args;
  Expr to[3] = {0}, from[3] = {n.a, n.b, n.c};
  bool changed = replace_all(r, from, to, args);
  remember(r, e, changed ? expr_make(r->g, (Op)n.op, to[0], to[1], to[2]) : e);
}

Expr replace(Replacer *r, Expr e) {
  fit(r);
  push_unknown(r, e);
  while (r->stack.count) { // an explicit stack: chains of thousands of terms are ordinary
    Expr top = r->stack.at[r->stack.count - 1];
    int before = r->stack.count;
    if (!known(r, top)) expr_each_argument(r->g, top, push_unknown, r);
    if (r->stack.count > before) continue;
    r->stack.count--;
    if (!known(r, top)) rebuild(r, top);
  }
  return known(r, e) - 1;
}
