// Which operation gave a number that is not finite: the program once more, slowly, with every value kept.
#include <math.h>
#include <string.h>

#include "model/system.h"

typedef struct Replay {
  const System *s;
  const Model *m;
  const Program *program;
  const Expr *node_of;
  const double *value; // by instruction
} Replay;

// What went into the blocks before instruction `end` and is not finite, -1 = nothing.
static int bad_in_blocks(const Replay *r, int end) {
  for (int i = 0; i < end; i++) {
    const Instr *in = &r->program->code[i];
    if (in->op == OP_STORE && !isfinite(r->value[in->a])) return in->a;
  }
  return -1;
}

// The operand that made value v not finite, -1 = it was made here. Branches that were not taken do not count.
static int bad_operand(const Replay *r, int v) {
  const Instr *in = &r->program->code[v];
  int args = OPS[in->op].args;
  if (in->op == OP_SELECT) return r->value[in->a] != 0 ? in->b : in->c;
  if (in->op == OP_FETCH) return bad_in_blocks(r, v);
  if (args > 0 && !isfinite(r->value[in->a])) return in->a;
  if (args > 1 && !isfinite(r->value[in->b])) return in->b;
  return args > 2 && !isfinite(r->value[in->c]) ? in->c : -1;
}

// From the first result that is not finite back to where that began; -1 when all are finite.
static int first_bad(const Replay *r) {
  int v = -1;
  for (int i = 0; i < r->program->count && v < 0; i++) {
    const Instr *in = &r->program->code[i];
    if (in->op == OP_RESULT && !isfinite(r->value[in->a])) v = in->a;
  }
  for (int from = v; from >= 0; from = bad_operand(r, v)) v = from;
  return v;
}

// ---------------------------------------------------------------- which equation a node belongs to

typedef struct Contains {
  const Graph *g;
  Arena *arena;
  unsigned char *seen;
  IntArray stack;
} Contains;

static void visit(void *data, Expr e) {
  Contains *c = data;
  if (c->seen[e]) return;
  c->seen[e] = 1;
  array_push(c->arena, &c->stack, e);
}

// Blocks are searched in the order of computation, so the first that contains the node is the one that needs it.
static int block_of(const Model *m, Expr node, Arena *scratch) {
  Contains c = {.g = m->graph, .arena = scratch};
  if (node >= m->graph->count) return -1; // a slope, which only its system has
  c.seen = ARENA_ARRAY(scratch, unsigned char, m->graph->count);
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    for (int i = 0; i < b->count; i++) visit(&c, m->sorted.solution[b->unknown[i]]);
    while (c.stack.count) expr_each_argument(m->graph, c.stack.at[--c.stack.count], visit, &c);
    if (c.seen[node]) return k;
  }
  return -1;
}

static void add_place(Text *out, const Model *m, Expr node) {
  Arena *scratch = arena_new();
  int k = block_of(m, node, scratch);
  if (k < 0)
    text_add(out, ", in a derivative or a start value");
  else {
    const SortBlock *b = &m->sorted.blocks[k];
    const SortEquation *e = &m->equations[b->equation[0]];
    text_print(out, ", in the equation of line %s for %s", flat_line(m->flat, e->line).at,
               m->unknowns[b->unknown[0]].name);
  }
  arena_free(scratch);
}

// ---------------------------------------------------------------- the sentence

// Characters of an expression: everything is substituted in it, it may be long.
enum { SHOWN = 100 };

static void add_expression(Text *out, const Graph *g, Expr e) {
  Text whole;
  text_init(&whole);
  expr_print(&whole, g, e);
  bool cut = whole.length > SHOWN;
  text_add_bytes(out, whole.at, cut ? SHOWN : whole.length);
  if (cut) text_add(out, "...");
  text_done(&whole);
}

static void add_operand(Text *out, const Replay *r, int value) {
  Expr e = r->node_of[value];
  if (e < 0 || expr_is_const(r->s->graph, e)) return;
  text_add(out, ", ");
  add_expression(out, r->s->graph, e);
  text_print(out, " = %.6g", r->value[value]);
}

static const char *what_came_out(double v) {
  return isnan(v) ? "not a number" : "infinite";
}

static void explain_operation(const Replay *r, int i, Text *out) {
  const Instr *in = &r->program->code[i];
  Expr e = r->node_of[i];
  if (e >= 0) add_expression(out, r->s->graph, e);
  text_print(out, " is %s", what_came_out(r->value[i]));
  int args = OPS[in->op].args;
  if (args > 0) add_operand(out, r, in->a);
  if (args > 1) add_operand(out, r, in->b);
  if (e >= 0) add_place(out, r->m, e);
}

static void explain_block(const Replay *r, Expr e, Text *out) {
  const ExprBlock *b = &r->s->graph->blocks.at[r->s->graph->nodes[e].a];
  if (b->kind == EXPR_NEWTON) {
    text_add(out, "Newton's method found no solution for ");
    for (int i = 0; i < b->n; i++) text_print(out, "%s%s", i ? ", " : "", b->names[i]);
    text_print(
        out,
        " (the equations around line %s); give better start values or check whether there is one",
        flat_line(r->m->flat, b->line).at);
    return;
  }
  text_print(out, "a system of %d linear equations is singular", b->n);
  add_place(out, r->m, e);
}

static void explain_input(const Replay *r, int i, Text *out) {
  Expr e = r->node_of[i];
  text_add(out, "a value that goes into the equations is not finite: ");
  if (e >= 0) add_expression(out, r->s->graph, e);
  text_print(out, " = %g", r->value[i]);
}

static bool explain_kernel(SystemWork *w, const Kernel *k, const double *x, Text *out) {
  const System *s = w->system;
  if (s->lanes != 1 || !k->code) return false;
  Arena *a = arena_new();
  Code *slow = code_compile(&k->lowered->program, 1, 0, CODE_INTERPRETER);
  double *work = arena_alloc(a, (size_t)slow->work_count + 8, sizeof(double));
  double *results = arena_alloc(a, (size_t)k->results + 8, sizeof(double));
  if (k->block_count)
    system_branch_load(w, w->now, k->lowered->newton, k->lowered->newton_count, work);
  code_run(slow, w->par, x, w->lane_in, results, work);
  Replay r = {s, s->model, &k->lowered->program, k->lowered->node_of,
              work + k->lowered->program.work_count};
  int bad = first_bad(&r);
  if (bad >= 0) {
    Op op = (Op)r.program->code[bad].op;
    if (op == OP_FETCH)
      explain_block(&r, r.node_of[bad], out);
    else if (op == OP_INPUT)
      explain_input(&r, bad, out);
    else
      explain_operation(&r, bad, out);
  }
  code_free(slow);
  arena_free(a);
  return bad >= 0;
}

bool system_explain(SystemWork *w, SystemKernel kernel, double t, const double *y, Text *out) {
  const System *s = w->system;
  system_set_time(w, t);
  pthread_mutex_lock(s->model->lock);
  bool found = explain_kernel(w, &s->kernel[KERNEL_HOIST], y, out) ||
               explain_kernel(w, &s->kernel[kernel], y, out);
  pthread_mutex_unlock(s->model->lock);
  return found;
}
