// Nodes are found by a hash table with open addressing before they are made, so equal expressions are one node and a
// comparison of expressions is one of indices (hash consing).
#include "expr/expr.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- nodes

static uint32_t hash_node(const ExprNode *n) {
  uint64_t bits;
  memcpy(&bits, &n->value, sizeof bits);
  uint64_t h = n->op * 0x9E3779B97F4A7C15ull;
  h = (h ^ (uint32_t)n->a) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (uint32_t)n->b) * 0x94D049BB133111EBull;
  h = (h ^ (uint32_t)n->c) * 0x9E3779B97F4A7C15ull;
  h = (h ^ bits ^ bits >> 32) * 0xBF58476D1CE4E5B9ull;
  return (uint32_t)(h >> 32);
}

static bool same_node(const ExprNode *x, const ExprNode *y) {
  return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c &&
         memcmp(&x->value, &y->value, sizeof x->value) == 0;
}

static void grow_nodes(Graph *g) {
  int room = g->room ? 2 * g->room : 256;
  ExprNode *nodes = ARENA_ARRAY(g->arena, ExprNode, room);
  if (g->count) memcpy(nodes, g->nodes, (size_t)g->count * sizeof *nodes);
  g->nodes = nodes;
  g->room = room;
  g->table_size = 2 * room;
  g->table = ARENA_ARRAY(g->arena, int, g->table_size);
  uint32_t mask = (uint32_t)g->table_size - 1;
  for (int i = 0; i < g->count; i++) {
    uint32_t h = hash_node(&nodes[i]) & mask;
    while (g->table[h]) h = (h + 1) & mask;
    g->table[h] = i + 1;
  }
}

static uint8_t flags_of(const Graph *g, const ExprNode *n) {
  uint8_t flags = 0;
  for (int i = 0, args = OPS[n->op].args; i < args; i++)
    flags |= g->nodes[i == 0 ? n->a : i == 1 ? n->b : n->c].flags;
  return flags;
}

static Expr intern(Graph *g, ExprNode n) {
  if (g->count == g->room) grow_nodes(g);
  uint32_t mask = (uint32_t)g->table_size - 1, h = hash_node(&n) & mask;
  for (; g->table[h]; h = (h + 1) & mask)
    if (same_node(&g->nodes[g->table[h] - 1], &n)) return g->table[h] - 1;
  g->table[h] = g->count + 1;
  n.flags |= flags_of(g, &n);
  g->nodes[g->count] = n;
  return g->count++;
}

Graph *graph_new(Arena *a) {
  Graph *g = ARENA_NEW(a, Graph);
  g->arena = a;
  expr_const(g, 0); // node 0: so that a zeroed argument or map entry means the number 0
  expr_const(g, 1);
  return g;
}

#define COPY_ARRAY(a, array)                                                                       \
  ((array).at = (array).room                                                                       \
                    ? memcpy(arena_alloc_raw((a), (size_t)(array).room, sizeof *(array).at),       \
                             (array).at, (size_t)(array).count * sizeof *(array).at)               \
                    : NULL)

Graph *graph_copy(const Graph *g, Arena *a) {
  Graph *copy = ARENA_NEW(a, Graph);
  *copy = *g;
  copy->arena = a;
  copy->nodes = ARENA_RAW(a, ExprNode, g->room);
  memcpy(copy->nodes, g->nodes, (size_t)g->count * sizeof *g->nodes);
  copy->table = ARENA_RAW(a, int, g->table_size);
  memcpy(copy->table, g->table, (size_t)g->table_size * sizeof *g->table);
  COPY_ARRAY(a, copy->symbols);
  COPY_ARRAY(a, copy->blocks);
  COPY_ARRAY(a, copy->tables);
  return copy;
}

Expr expr_const(Graph *g, double value) {
  if (value == 0) value = 0; // one zero
  return intern(g, (ExprNode){.op = OP_CONST, .value = value});
}

Expr expr_symbol(Graph *g, const char *name, bool varying) {
  ExprNode n = {.op = OP_SYMBOL, .a = g->symbols.count, .flags = varying ? EXPR_VARYING : 0};
  Expr e = intern(g, n);
  array_push(g->arena, &g->symbols, ((ExprSymbol){name, e}));
  return e;
}

bool expr_is_value(const Graph *g, Expr e, double value) {
  return expr_is_const(g, e) && g->nodes[e].value == value;
}

void expr_make_time(Graph *g) {
  g->time = expr_symbol(g, "time", true);
  g->origin = expr_symbol(g, "origin of time", false);
  g->now = expr_insert(g, OP_ADD, g->time, g->origin, 0);
}

ExprNode expr_as_written(const Graph *g, Expr e) {
  ExprNode n = g->nodes[e];
  bool sum = n.op == OP_ADD && n.a == g->time, minus = n.op == OP_SUB && n.b == g->time;
  if (!g->now || (!sum && !minus)) return n;
  const ExprNode *k = &g->nodes[sum ? n.b : n.a];
  bool first = k->a == g->origin && (k->op == OP_SUB || k->op == OP_ADD);
  if (sum && first) n.op = k->op, n.a = g->now, n.b = k->b;
  if (minus && k->op == OP_SUB && k->b == g->origin) n.a = k->a, n.b = g->now;
  return n;
}

Expr expr_insert(Graph *g, Op op, Expr a, Expr b, Expr c) {
  return intern(g, (ExprNode){.op = (uint8_t)op, .a = a, .b = b, .c = c});
}

// ---------------------------------------------------------------- tables

static bool is_table(const ExprTable *t, uint64_t hash, const double *numbers, int count) {
  return t->hash == hash && t->count == count &&
         memcmp(t->at, numbers, (size_t)count * sizeof *numbers) == 0;
}

Expr expr_table(Graph *g, const double *numbers, int count) {
  uint64_t hash = table_hash(numbers, count);
  for (int i = 0; i < g->tables.count; i++)
    if (is_table(g->tables.at[i], hash, numbers, count)) return expr_const(g, i);
  double *copy = ARENA_ARRAY(g->arena, double, count);
  memcpy(copy, numbers, (size_t)count * sizeof *copy);
  ExprTable *t = ARENA_NEW(g->arena, ExprTable);
  *t = (ExprTable){count, copy, hash};
  array_push(g->arena, &g->tables, t);
  return expr_const(g, g->tables.count - 1);
}

const ExprTable *expr_table_of(const Graph *g, Expr table) {
  return g->tables.at[(int)g->nodes[table].value];
}

double expr_apply(const Graph *g, const ExprNode *n, double a, double b, double c) {
  Op op = (Op)n->op;
  return op_apply(op, op_reads_table(op) ? table_address(g->tables.at[(int)a]) : a, b, c);
}

// ---------------------------------------------------------------- blocks

static Expr *copy_exprs(Graph *g, const Expr *from, int n) {
  Expr *to = ARENA_ARRAY(g->arena, Expr, n);
  if (n) memcpy(to, from, (size_t)n * sizeof *to);
  return to;
}

static uint8_t flags_of_all(const Graph *g, const Expr *e, int n) {
  uint8_t flags = 0;
  for (int i = 0; i < n; i++) flags |= g->nodes[e[i]].flags;
  return flags;
}

int expr_factor(Graph *g, int n, const Expr *matrix) {
  size_t bytes = (size_t)n * (size_t)n * sizeof *matrix;
  for (int i = 0; i < g->blocks.count; i++) {
    const ExprBlock *b = &g->blocks.at[i];
    if (b->kind == EXPR_FACTOR && b->n == n && memcmp(b->matrix, matrix, bytes) == 0) return i;
  }
  array_push(g->arena, &g->blocks,
             ((ExprBlock){.kind = EXPR_FACTOR, .n = n, .matrix = copy_exprs(g, matrix, n * n)}));
  return g->blocks.count - 1;
}

static Expr make_solved(Graph *g, int block, int n, uint8_t flags) {
  for (int i = 0; i < n; i++)
    intern(g, (ExprNode){.op = OP_SOLVED, .a = block, .b = i, .flags = flags});
  return g->count - n;
}

static int find_solve(const Graph *g, int factor, bool transposed, const Expr *right, int n) {
  for (int i = factor + 1; i < g->blocks.count; i++) {
    const ExprBlock *b = &g->blocks.at[i];
    if (b->kind == EXPR_SOLVE && b->factor == factor && b->transposed == transposed &&
        memcmp(b->right, right, (size_t)n * sizeof *right) == 0)
      return i;
  }
  return -1;
}

Expr expr_insert_solve(Graph *g, int factor, bool transposed, const Expr *right) {
  int n = g->blocks.at[factor].n;
  const Expr *matrix = g->blocks.at[factor].matrix;
  int block = find_solve(g, factor, transposed, right, n);
  if (block >= 0) return g->blocks.at[block].first;
  array_push(g->arena, &g->blocks,
             ((ExprBlock){.kind = EXPR_SOLVE,
                          .n = n,
                          .factor = factor,
                          .transposed = transposed,
                          .right = copy_exprs(g, right, n)}));
  block = g->blocks.count - 1;
  uint8_t flags = flags_of_all(g, right, n) | flags_of_all(g, matrix, n * n);
  Expr first = make_solved(g, block, n, flags);
  g->blocks.at[block].first = first;
  return first;
}

static bool is_among(Expr e, const Expr *list, int n) {
  for (int i = 0; i < n; i++)
    if (list[i] == e) return true;
  return false;
}

// The unknowns themselves vary, so look at what else a block of residuals contains.
static uint8_t newton_flags(const Graph *g, const ExprBlock *b) {
  Arena *scratch = arena_new();
  IntArray varying = {0};
  for (int i = 0; i < g->symbols.count; i++) {
    Expr s = g->symbols.at[i].node;
    if (expr_varies(g, s) && !is_among(s, b->unknowns, b->n)) array_push(scratch, &varying, s);
  }
  const unsigned char *depends = expr_dependents(g, scratch, varying.at, varying.count);
  uint8_t flags = 0;
  for (int i = 0; i < b->n; i++)
    if (depends[b->residuals[i]] || depends[b->starts[i]]) flags = EXPR_VARYING;
  arena_free(scratch);
  return flags;
}

Expr expr_newton(Graph *g, int n, const Expr *unknowns, const Expr *residuals, const Expr *starts,
                 const char *const *names, int line, int column) {
  ExprBlock b = {
      .kind = EXPR_NEWTON, .n = n, .factor_at_solution = -1, .line = line, .column = column};
  b.unknowns = copy_exprs(g, unknowns, n);
  b.residuals = copy_exprs(g, residuals, n);
  b.starts = copy_exprs(g, starts, n);
  b.names = names;
  b.first = make_solved(g, g->blocks.count, n, newton_flags(g, &b));
  array_push(g->arena, &g->blocks, b);
  return b.first;
}

void expr_each_argument(const Graph *g, Expr e, ExprVisit *visit, void *data) {
  const ExprNode *node = &g->nodes[e];
  if (node->op != OP_SOLVED) {
    for (int i = 0, args = OPS[node->op].args; i < args; i++) visit(data, expr_arg(g, e, i));
    return;
  }
  const ExprBlock *b = &g->blocks.at[node->a];
  if (b->kind == EXPR_SOLVE) {
    const ExprBlock *f = &g->blocks.at[b->factor];
    for (int i = 0; i < f->n * f->n; i++) visit(data, f->matrix[i]);
    for (int i = 0; i < b->n; i++) visit(data, b->right[i]);
  } else {
    for (int i = 0; i < b->n; i++) visit(data, b->residuals[i]);
    for (int i = 0; i < b->n; i++) visit(data, b->starts[i]);
  }
}

typedef struct Mark {
  const unsigned char *depends;
  unsigned char found;
} Mark;

static void mark_argument(void *data, Expr argument) {
  Mark *m = data;
  m->found |= m->depends[argument];
}

static unsigned char block_depends(const Graph *g, Expr e, const unsigned char *depends) {
  if (g->nodes[e].b > 0) return depends[e - 1]; // components of a block depend on the same things
  Mark m = {depends, 0};
  expr_each_argument(g, e, mark_argument, &m);
  return m.found;
}

unsigned char *expr_dependents(const Graph *g, Arena *a, const Expr *nodes, int count) {
  unsigned char *depends = ARENA_ARRAY(a, unsigned char, g->count);
  for (int i = 0; i < count; i++) depends[nodes[i]] = 1;
  for (int e = 0; e < g->count; e++) {
    const ExprNode *n = &g->nodes[e];
    unsigned char found = depends[e];
    if (n->op == OP_SOLVED)
      found |= block_depends(g, e, depends);
    else
      for (int i = 0, args = OPS[n->op].args; i < args; i++) found |= depends[expr_arg(g, e, i)];
    depends[e] = found;
  }
  return depends;
}

static void mark_node(void *marks, Expr e) {
  ((unsigned char *)marks)[e] = 1;
}

// Arguments come before what contains them.
unsigned char *expr_contents(const Graph *g, Arena *a, const Expr *nodes, int count) {
  unsigned char *inside = ARENA_ARRAY(a, unsigned char, g->count);
  for (int i = 0; i < count; i++) inside[nodes[i]] = 1;
  for (int e = g->count - 1; e >= 0; e--)
    if (inside[e]) expr_each_argument(g, e, mark_node, inside);
  return inside;
}

// A NEWTON block whose solution depends on the unknowns of another one is solved within it. Its own unknowns mean nothing
// outside: they are no inputs, nor is what contains them.
typedef struct InputSearch {
  const Graph *g;
  Arena *arena;
  const unsigned char *depends; // on unknowns of the block, or of those within it
  unsigned char *seen;
  IntArray stack, inputs, unknowns;
} InputSearch;

static void find_input(void *data, Expr e) {
  InputSearch *s = data;
  if (s->seen[e] || expr_is_const(s->g, e)) return;
  s->seen[e] = 1;
  if (s->depends[e])
    array_push(s->arena, &s->stack, e);
  else
    array_push(s->arena, &s->inputs, e);
}

static void add_unknowns(InputSearch *s, const ExprBlock *b) {
  for (int i = 0; i < b->n; i++) array_push(s->arena, &s->unknowns, b->unknowns[i]);
}

// One search through the residuals; adds the unknowns of blocks within. Ends at the first, and returns whether there is one.
static bool search_inputs(InputSearch *s, const ExprBlock *b) {
  const Graph *g = s->g;
  s->depends = expr_dependents(g, s->arena, s->unknowns.at, s->unknowns.count);
  s->seen = ARENA_ARRAY(s->arena, unsigned char, g->count);
  s->inputs.count = s->stack.count = 0;
  for (int i = 0; i < b->n; i++) find_input(s, b->residuals[i]);
  while (s->stack.count) {
    Expr e = s->stack.at[--s->stack.count];
    const ExprBlock *inner = g->nodes[e].op == OP_SOLVED ? &g->blocks.at[g->nodes[e].a] : NULL;
    if (inner && inner->kind == EXPR_NEWTON) {
      bool known = false;
      for (int i = 0; i < s->unknowns.count; i++) known |= s->unknowns.at[i] == inner->unknowns[0];
      if (!known) add_unknowns(s, inner);
      if (!known) return true;
    }
    expr_each_argument(g, e, find_input, s);
  }
  return false;
}

void expr_newton_inputs(Graph *g, int block) {
  ExprBlock *b = &g->blocks.at[block];
  if (b->inputs) return;
  Arena *scratch = arena_new();
  InputSearch s = {.g = g, .arena = scratch};
  add_unknowns(&s, b);
  while (search_inputs(&s, b)) {
  }
  b->input_count = s.inputs.count;
  b->inputs = ARENA_ARRAY(g->arena, Expr, s.inputs.count + 1);
  if (s.inputs.count) memcpy(b->inputs, s.inputs.at, (size_t)s.inputs.count * sizeof(Expr));
  arena_free(scratch);
}

// ---------------------------------------------------------------- signs

// Looks a few levels deep only: enough for 1 + x^2, exp(x), sqrt(eps + v*v).
static bool at_least_zero(const Graph *g, Expr e, int depth);

static bool above_zero(const Graph *g, Expr e, int depth) {
  const ExprNode *n = &g->nodes[e];
  if (depth == 0) return false;
  switch (n->op) {
  case OP_CONST: return n->value > 0;
  case OP_EXP:
  case OP_COSH: return true;
  case OP_ADD:
    return (above_zero(g, n->a, depth - 1) && at_least_zero(g, n->b, depth - 1)) ||
           (above_zero(g, n->b, depth - 1) && at_least_zero(g, n->a, depth - 1));
  case OP_MUL:
  case OP_DIV: return above_zero(g, n->a, depth - 1) && above_zero(g, n->b, depth - 1);
  case OP_SQRT: return above_zero(g, n->a, depth - 1);
  default: return false;
  }
}

static bool at_least_zero(const Graph *g, Expr e, int depth) {
  const ExprNode *n = &g->nodes[e];
  if (depth == 0) return false;
  switch (n->op) {
  case OP_CONST: return n->value >= 0;
  case OP_ABS:
  case OP_SQRT: return true;
  case OP_ADD: return at_least_zero(g, n->a, depth - 1) && at_least_zero(g, n->b, depth - 1);
  case OP_MUL:
    return n->a == n->b || (at_least_zero(g, n->a, depth - 1) && at_least_zero(g, n->b, depth - 1));
  default: return above_zero(g, e, depth);
  }
}

bool expr_is_positive(const Graph *g, Expr e) {
  return above_zero(g, e, 6);
}

// ---------------------------------------------------------------- values

double expr_eval(const Graph *g, Expr e, const double *symbols) {
  Arena *scratch = arena_new();
  double *v = ARENA_ARRAY(scratch, double, e + 1);
  for (Expr i = 0; i <= e; i++) {
    const ExprNode *n = &g->nodes[i];
    if (n->op == OP_CONST)
      v[i] = n->value;
    else if (n->op == OP_SYMBOL)
      v[i] = symbols[n->a];
    else if (n->op == OP_SOLVED)
      v[i] = nan("");
    else
      v[i] = expr_apply(g, n, v[n->a], v[n->b], v[n->c]);
  }
  double result = v[e];
  arena_free(scratch);
  return result;
}
