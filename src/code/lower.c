// Expressions to instructions in depth-first order from the outputs: a value is computed shortly before its first use, so
// few are alive at a time. A product that is used in one sum becomes a fused multiply-add, sin and cos of one argument
// become one SINCOS, a block stores what it needs to work[], runs, and its results are fetched from there.
#include "code/lower.h"

#include <string.h>

#include "code/blocks.h"
#include "code/loose.h"
#include "code/roots.h"
#include "expr/newton.h"
#include "num/vec.h"

typedef struct Lowering {
  Graph *g;
  Arena *arena, *scratch;
  const Location *where;
  int where_count;
  int *uses;           // by node
  int *value;          // by node: instruction + 1
  Expr *sine, *cosine; // by argument: the node + 0, 0 = none
  ARRAY(Instr) code;
  IntArray node_of;
  ARRAY(double) constants;
  ARRAY(CodeBlock) blocks;
  ARRAY(Code *) inner;
  ARRAY(NewtonPlace) newton;
  int work_count;
  CodeChoice choice;
  IntArray stack;
  int *block_first_slot; // by block: work slot of its results + 1
  bool *ready;           // by block: what it needs has been counted or computed
} Lowering;

static bool located(const Lowering *l, Expr e) {
  return e < l->where_count && l->where[e].segment >= 0;
}

// ---------------------------------------------------------------- what a node needs

static void each_of(Lowering *l, const Expr *e, int count, ExprVisit *visit) {
  for (int i = 0; i < count; i++) visit(l, e[i]);
}

// A Newton block needs its inputs and first guesses; its residuals are a program of their own. A block that is
// ready is skipped, or each of its components would go through the whole matrix.
static void each_of_block(Lowering *l, int block, ExprVisit *visit) {
  const ExprBlock *b = &l->g->blocks.at[block];
  if (l->ready[block]) return;
  if (b->kind == EXPR_NEWTON) {
    each_of(l, b->inputs, b->input_count, visit);
    each_of(l, b->starts, b->n, visit);
    return;
  }
  const ExprBlock *f = &l->g->blocks.at[b->factor];
  if (!l->ready[b->factor]) each_of(l, f->matrix, f->n * f->n, visit);
  each_of(l, b->right, b->n, visit);
}

static void each_needed(Lowering *l, Expr e, ExprVisit *visit) {
  const ExprNode *n = &l->g->nodes[e];
  if (located(l, e)) return;
  if (n->op == OP_SOLVED)
    each_of_block(l, n->a, visit);
  else
    expr_each_argument(l->g, e, visit, l);
}

static void set_ready(Lowering *l, Expr e) {
  const ExprNode *n = &l->g->nodes[e];
  if (n->op != OP_SOLVED || located(l, e)) return;
  l->ready[n->a] = true;
  if (l->g->blocks.at[n->a].kind == EXPR_SOLVE) l->ready[l->g->blocks.at[n->a].factor] = true;
}

static void count_use(void *data, Expr e) {
  Lowering *l = data;
  if (l->uses[e]++ == 0) array_push(l->scratch, &l->stack, e);
}

static void note_sine(Lowering *l, Expr e) {
  const ExprNode *n = &l->g->nodes[e];
  if (located(l, e)) return;
  if (n->op == OP_SIN) l->sine[n->a] = e;
  if (n->op == OP_COS) l->cosine[n->a] = e;
}

static void count_uses(Lowering *l, const Expr *outputs, int count) {
  for (int i = 0; i < count; i++) {
    count_use(l, outputs[i]);
    while (l->stack.count) {
      Expr e = l->stack.at[--l->stack.count];
      note_sine(l, e);
      each_needed(l, e, count_use);
      set_ready(l, e);
    }
  }
}

// ---------------------------------------------------------------- instructions

static int push(Lowering *l, Instr i, Expr node) {
  array_push(l->arena, &l->code, i);
  array_push(l->arena, &l->node_of, node);
  return l->code.count - 1;
}

static int value_of(const Lowering *l, Expr e) {
  return l->value[e] - 1;
}

static void store(Lowering *l, Expr e, int slot) {
  push(l, (Instr){.op = OP_STORE, .a = value_of(l, e), .index = slot}, -1);
}

static int reserve(Lowering *l, int slots) {
  int at = l->work_count;
  l->work_count += slots;
  return at;
}

static void run_block(Lowering *l, void (*run)(const CodeBlock *, double *, int),
                      const void *data) {
  array_push(l->arena, &l->blocks, ((CodeBlock){run, data}));
  push(l, (Instr){.op = OP_BLOCK, .index = l->blocks.count - 1}, -1);
}

static const FactorData *lower_factor(Lowering *l, int block) {
  const ExprBlock *b = &l->g->blocks.at[block];
  FactorData *d = ARENA_NEW(l->arena, FactorData);
  d->wide = vec_wide();
  d->n = b->n;
  d->matrix = reserve(l, b->n * b->n);
  d->loose = b->loose;
  d->pivots = reserve(l, b->loose ? loose_pivots(b->n) : b->n);
  for (int i = 0; i < b->n * b->n; i++) store(l, b->matrix[i], d->matrix + i);
  run_block(l, block_factor, d);
  return d;
}

static int lower_solve(Lowering *l, const ExprBlock *b, const FactorData **factors) {
  if (!factors[b->factor]) factors[b->factor] = lower_factor(l, b->factor);
  SolveData *d = ARENA_NEW(l->arena, SolveData);
  d->factor = *factors[b->factor];
  d->transposed = b->transposed;
  d->right = reserve(l, b->n);
  for (int i = 0; i < b->n; i++) store(l, b->right[i], d->right + i);
  run_block(l, block_solve, d);
  return d->right;
}

static Code *newton_code(Lowering *l, int block) {
  Graph *g = l->g;
  Arena *scratch = arena_new(); // tables of the size of the graph: not to be kept for every block
  newton_inside(g, block);
  ExprBlock b = g->blocks.at[block];
  int n = b.n, count = g->count;
  Location *where = ARENA_ARRAY(scratch, Location, count);
  for (int i = 0; i < count; i++) where[i].segment = -1;
  for (int i = 0; i < b.input_count; i++) where[b.inside_inputs[i]] = (Location){0, i};
  for (int i = 0; i < n; i++) where[b.unknowns[i]] = (Location){1, i};
  int sizes[SEGMENTS] = {b.input_count, n, 0};
  Lowered *inner = lower(g, l->arena, b.inside, n + n * n, where, count, sizes, l->choice);
  Code *code = code_compile(&inner->program, 1, 0, l->choice);
  array_push(l->arena, &l->inner, code);
  for (int i = 0; i < inner->inner_count; i++) array_push(l->arena, &l->inner, inner->inner[i]);
  arena_free(scratch);
  return code;
}

static int lower_newton(Lowering *l, int block) {
  const Code *code = newton_code(l, block);
  const ExprBlock *b = &l->g->blocks.at[block];
  NewtonData *d = ARENA_NEW(l->arena, NewtonData);
  d->n = b->n;
  d->inputs = b->input_count;
  d->code = code;
  d->input = reserve(l, d->inputs);
  d->start = reserve(l, d->n);
  d->solution = reserve(l, d->n);
  d->anchor = reserve(l, newton_anchor(d->n, d->inputs));
  d->scratch = reserve(l, newton_scratch(d->n, d->inputs, code->work_count));
  for (int i = 0; i < d->inputs; i++) store(l, b->inputs[i], d->input + i);
  for (int i = 0; i < d->n; i++) store(l, b->starts[i], d->start + i);
  run_block(l, block_newton, d);
  array_push(l->arena, &l->newton,
             ((NewtonPlace){block, d->n, d->inputs, d->input, d->solution, d->anchor}));
  return d->solution;
}

static void lower_solved(Lowering *l, Expr e, const FactorData **factors) {
  ExprNode n = l->g->nodes[e];
  if (!l->block_first_slot[n.a]) {
    ExprBlock b = l->g->blocks.at[n.a];
    int slot = b.kind == EXPR_NEWTON ? lower_newton(l, n.a) : lower_solve(l, &b, factors);
    l->block_first_slot[n.a] = slot + 1;
  }
  int slot = l->block_first_slot[n.a] - 1 + n.b;
  l->value[e] = push(l, (Instr){.op = OP_FETCH, .index = slot}, e) + 1;
}

static void lower_leaf(Lowering *l, Expr e) {
  const ExprNode *n = &l->g->nodes[e];
  Instr i = {.op = OP_INPUT};
  if (located(l, e)) {
    i.segment = (uint8_t)l->where[e].segment;
    i.index = l->where[e].index;
  } else {
    i.op = OP_CONST;
    i.index = l->constants.count;
    array_push(l->arena, &l->constants, n->op == OP_CONST ? n->value : 0);
  }
  l->value[e] = push(l, i, e) + 1;
}

static bool lower_sincos(Lowering *l, const ExprNode *n) {
  if (n->op != OP_SIN && n->op != OP_COS) return false;
  Expr sine = l->sine[n->a], cosine = l->cosine[n->a];
  if (!sine || !cosine) return false;
  int first = push(l, (Instr){.op = OP_SINCOS, .a = value_of(l, n->a)}, sine);
  int second = push(l, (Instr){.op = OP_SECOND, .a = first}, cosine);
  l->value[sine] = first + 1;
  l->value[cosine] = second + 1;
  return true;
}

typedef struct Fused { // a, b, c of FMA and its relatives
  Op op;
  Expr a, b, c;
} Fused;

static bool only_here(const Lowering *l, Expr e, Op op) {
  return l->g->nodes[e].op == op && l->uses[e] == 1 && !l->value[e] && !located(l, e);
}

// A sum or difference with a product that is used nowhere else, or the negative of such a sum.
static bool fuse(const Lowering *l, Expr e, Fused *out) {
  const ExprNode *n = &l->g->nodes[e];
  bool negative = n->op == OP_NEG && only_here(l, n->a, OP_ADD);
  if (negative) n = &l->g->nodes[n->a];
  if (located(l, e) || (n->op != OP_ADD && n->op != OP_SUB)) return false;
  for (int i = 1; i >= 0; i--) {
    Expr product = i ? n->b : n->a;
    if (!only_here(l, product, OP_MUL)) continue;
    const ExprNode *p = &l->g->nodes[product];
    Op op = negative ? OP_FNMS : n->op == OP_ADD ? OP_FMA : i ? OP_FNMA : OP_FMS;
    *out = (Fused){op, p->a, p->b, i ? n->a : n->b};
    return true;
  }
  return false;
}

static void lower_fused(Lowering *l, Expr e, const Fused *f) {
  Instr i = {
      .op = (uint8_t)f->op, .a = value_of(l, f->a), .b = value_of(l, f->b), .c = value_of(l, f->c)};
  l->value[e] = push(l, i, e) + 1;
}

// The operand that is a table: its address.
static int lower_table(Lowering *l, Expr table) {
  Instr i = {.op = OP_CONST, .index = l->constants.count};
  array_push(l->arena, &l->constants, table_address(expr_table_of(l->g, table)));
  return push(l, i, -1);
}

static void lower_plain(Lowering *l, Expr e) {
  ExprNode n = l->g->nodes[e];
  int args = OPS[n.op].args;
  Instr i = {.op = n.op};
  i.a = op_reads_table((Op)n.op) ? lower_table(l, n.a) : value_of(l, n.a);
  if (args > 1) i.b = value_of(l, n.b);
  if (args > 2) i.c = value_of(l, n.c);
  l->value[e] = push(l, i, e) + 1;
}

// ---------------------------------------------------------------- order: depth first from the outputs

static void push_missing(void *data, Expr e) {
  Lowering *l = data;
  if (!l->value[e]) array_push(l->scratch, &l->stack, e);
}

static void push_needed(Lowering *l, Expr e) {
  Fused f;
  if (!fuse(l, e, &f)) {
    each_needed(l, e, push_missing);
    return;
  }
  push_missing(l, f.c);
  push_missing(l, f.b);
  push_missing(l, f.a);
}

static void lower_node(Lowering *l, Expr e, const FactorData **factors) {
  const ExprNode *n = &l->g->nodes[e];
  if (located(l, e) || n->op == OP_CONST || n->op == OP_SYMBOL) {
    lower_leaf(l, e);
    return;
  }
  if (n->op == OP_SOLVED) {
    lower_solved(l, e, factors);
    return;
  }
  Fused f;
  if (fuse(l, e, &f))
    lower_fused(l, e, &f);
  else if (!lower_sincos(l, n))
    lower_plain(l, e);
}

static void lower_output(Lowering *l, Expr output, const FactorData **factors) {
  array_push(l->scratch, &l->stack, output);
  while (l->stack.count) {
    Expr e = l->stack.at[l->stack.count - 1];
    int before = l->stack.count;
    if (!l->value[e]) push_needed(l, e);
    if (l->stack.count > before) continue;
    l->stack.count--;
    if (!l->value[e]) lower_node(l, e, factors);
    set_ready(l, e);
  }
}

Lowered *lower(Graph *g, Arena *a, const Expr *outputs, int count, const Location *where,
               int where_count, const int input_counts[SEGMENTS], CodeChoice choice) {
  // the inputs of Newton blocks must be known before uses are counted; finding them makes no nodes
  for (int i = 0; i < g->blocks.count; i++)
    if (g->blocks.at[i].kind == EXPR_NEWTON) expr_newton_inputs(g, i);
  Arena *scratch = arena_new();
  Lowering l = {
      .g = g,
      .arena = a,
      .scratch = scratch,
      .where = where,
      .where_count = where_count,
      .uses = ARENA_ARRAY(scratch, int, g->count),
      .value = ARENA_ARRAY(scratch, int, g->count),
      .sine = ARENA_ARRAY(scratch, Expr, g->count),
      .cosine = ARENA_ARRAY(scratch, Expr, g->count),
      .block_first_slot = ARENA_ARRAY(scratch, int, g->blocks.count + 1),
      .ready = ARENA_ARRAY(scratch, bool, g->blocks.count + 1),
      .choice = choice,
  };
  const FactorData **factors = ARENA_ARRAY(scratch, const FactorData *, g->blocks.count + 1);
  count_uses(&l, outputs, count);
  memset(l.ready, 0, (size_t)g->blocks.count * sizeof *l.ready);
  for (int i = 0; i < count; i++) {
    lower_output(&l, outputs[i], factors);
    push(&l, (Instr){.op = OP_RESULT, .a = value_of(&l, outputs[i]), .index = i}, -1);
  }
  Lowered *result = ARENA_NEW(a, Lowered);
  Program *p = &result->program;
  p->code = l.code.at, p->count = l.code.count;
  p->constants = l.constants.at, p->constant_count = l.constants.count;
  p->blocks = l.blocks.at, p->block_count = l.blocks.count;
  memcpy(p->input_counts, input_counts, sizeof p->input_counts);
  p->result_count = count;
  p->work_count = l.work_count;
  result->node_of = l.node_of.at;
  result->inner = l.inner.at, result->inner_count = l.inner.count;
  result->newton = l.newton.at, result->newton_count = l.newton.count;
  arena_free(scratch);
  return result;
}

void lowered_done(Lowered *l) {
  if (!l) return;
  for (int i = 0; i < l->inner_count; i++) code_free(l->inner[i]);
}

Operations program_operations(const Program *p) {
  Operations o = {0};
  for (int i = 0; i < p->count; i++) {
    const Instr *in = &p->code[i];
    if (in->op == OP_BLOCK)
      o.blocks++;
    else if (in->op == OP_STORE || in->op == OP_RESULT)
      continue;
    else if (OPS[in->op].kind == OP_KIND_CALL)
      o.calls++;
    else if (OPS[in->op].kind != OP_KIND_LEAF)
      o.arithmetic++;
  }
  return o;
}
