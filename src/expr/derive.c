// Exact derivatives by the chain rule on the graph (Griewank and Walther, Evaluating Derivatives, 2nd edition, 2008).
// Jacobians: vertex elimination in Markowitz order (chapters 9 and 10). Directions: forward mode (chapter 3), one new node
// for each node that depends on the symbols. Solutions of blocks are differentiated implicitly:
//   A x = b       A x' = b' - A' x
//   r(z, u) = 0   r_z z' = -r_u u'
#include "expr/derive.h"

#include <stdlib.h>
#include <string.h>

#include "expr/partial.h"
#include "expr/replace.h"
#include "expr/simplify.h"

// ---------------------------------------------------------------- which nodes matter

typedef struct Reach {
  const Graph *g;
  Arena *arena;
  const unsigned char *active;
  unsigned char *seen;
  IntArray stack, found;
} Reach;

static void reach_node(void *data, Expr e) {
  Reach *r = data;
  if (r->seen[e] || !r->active[e]) return;
  r->seen[e] = 1;
  array_push(r->arena, &r->stack, e);
}

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// Active nodes that the outputs need, in order of evaluation.
static IntArray reach_all(const Graph *g, Arena *a, const unsigned char *active,
                          const Expr *outputs, int rows) {
  Reach r = {.g = g, .arena = a, .active = active, .seen = ARENA_ARRAY(a, unsigned char, g->count)};
  for (int i = 0; i < rows; i++) {
    reach_node(&r, outputs[i]);
    while (r.stack.count) {
      Expr e = r.stack.at[--r.stack.count];
      array_push(a, &r.found, e);
      if (g->nodes[e].op == OP_SOLVED) { // one component of a block reaches all of them
        const ExprBlock *b = &g->blocks.at[g->nodes[e].a];
        for (int k = 0; k < b->n; k++) reach_node(&r, b->first + k);
      }
      expr_each_argument(g, e, reach_node, &r);
    }
  }
  if (r.found.count) qsort(r.found.at, (size_t)r.found.count, sizeof *r.found.at, ascending);
  return r.found;
}

// ---------------------------------------------------------------- NEWTON blocks
//
// r(z, u) = 0 by the implicit function theorem: dz/du = -r_z^-1 r_u at the solution. The residuals are differentiated in
// the unknowns z; SOLVED nodes then take their place.

static void at_solution(Graph *g, Arena *scratch, const ExprBlock *b, Expr *values, int count) {
  Replacer *r = replacer_new(g, scratch);
  for (int i = 0; i < b->n; i++) replacer_set(r, b->unknowns[i], b->first + i);
  for (int i = 0; i < count; i++) values[i] = replace(r, values[i]);
}

// Fills by_input and factor_at_solution.
static void linearise_newton(Graph *g, int block) {
  if (g->blocks.at[block].factor_at_solution >= 0) return;
  expr_newton_inputs(g, block);
  Arena *scratch = arena_new();
  ExprBlock b = g->blocks.at[block];
  Expr *by_unknown = ARENA_ARRAY(scratch, Expr, b.n * b.n);
  derive_dense(g, scratch, b.residuals, b.n, b.unknowns, b.n, by_unknown);
  Expr *by_input = ARENA_ARRAY(g->arena, Expr, b.n * b.input_count + 1);
  derive_dense(g, scratch, b.residuals, b.n, b.inputs, b.input_count, by_input);
  at_solution(g, scratch, &b, by_unknown, b.n * b.n);
  at_solution(g, scratch, &b, by_input, b.n * b.input_count);
  int factor = expr_factor(g, b.n, by_unknown);
  g->blocks.at[block].by_input = by_input;
  g->blocks.at[block].factor_at_solution = factor;
  arena_free(scratch);
}

// ---------------------------------------------------------------- rows of a Jacobian by vertex elimination
//
// Active nodes are the vertices of a graph whose edges carry partial derivatives; outputs are vertices of their own. A
// vertex between inputs and outputs is eliminated by joining each edge that comes in with each that goes out. The
// cheapest vertex (edges in times edges out, Markowitz) goes first, which shares far more than one sweep per output.

typedef struct Link {
  int from;
  Expr weight;
} Link;

typedef struct Vertex {
  ARRAY(Link) in;
  IntArray out;
  bool kept; // input or output
} Vertex;

typedef struct Candidate {
  long cost;
  int vertex;
} Candidate;

typedef struct Elimination {
  Graph *g;
  Arena *arena;
  Vertex *vertex;
  int *number; // by node: vertex + 1
  ARRAY(Candidate) heap;
} Elimination;

static void link_to(Elimination *x, int from, int to, Expr weight) {
  Vertex *v = &x->vertex[to];
  if (expr_is_value(x->g, weight, 0)) return;
  for (int i = 0; i < v->in.count; i++)
    if (v->in.at[i].from == from) {
      v->in.at[i].weight = expr_join(x->g, v->in.at[i].weight, weight);
      return;
    }
  array_push(x->arena, &v->in, ((Link){from, weight}));
  array_push(x->arena, &x->vertex[from].out, to);
}

static void link_node(Elimination *x, Expr argument, int to, Expr weight) {
  if (x->number[argument]) link_to(x, x->number[argument] - 1, to, weight);
}

// x = A^-1 b: with w = A^-T e_i, component i has the slope w_j by b_j and -w_j x_k by A_jk.
static void link_solved(Elimination *x, const ExprBlock *b, int component, int to) {
  Graph *g = x->g;
  int n = b->n;
  Expr *unit = ARENA_ARRAY(x->arena, Expr, n), *w = ARENA_ARRAY(x->arena, Expr, n);
  unit[component] = expr_const(g, 1);
  expr_solve(g, b->factor, !b->transposed, unit, w);
  const Expr *matrix = g->blocks.at[b->factor].matrix;
  for (int j = 0; j < n; j++) link_node(x, b->right[j], to, w[j]);
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) {
      Expr entry = b->transposed ? matrix[k * n + j] : matrix[j * n + k];
      if (x->number[entry]) link_node(x, entry, to, expr_neg(g, expr_mul(g, w[j], b->first + k)));
    }
}

// r(z, in) = 0: with w = r_z^-T e_i, component i has the slope -w r_in.
static void link_newton(Elimination *x, int block, int component, int to) {
  Graph *g = x->g;
  linearise_newton(g, block);
  ExprBlock b = g->blocks.at[block];
  Expr *unit = ARENA_ARRAY(x->arena, Expr, b.n), *w = ARENA_ARRAY(x->arena, Expr, b.n);
  unit[component] = expr_const(g, 1);
  expr_solve(g, b.factor_at_solution, true, unit, w);
  for (int j = 0; j < b.input_count; j++)
    for (int i = 0; i < b.n && x->number[b.inputs[j]]; i++)
      link_node(x, b.inputs[j], to,
                expr_neg(g, expr_chain(g, w[i], b.by_input[i * b.input_count + j])));
}

static void link_arguments(Elimination *x, Expr e) {
  ExprNode n = x->g->nodes[e];
  int to = x->number[e] - 1;
  if (n.op == OP_SOLVED) {
    ExprBlock b = x->g->blocks.at[n.a];
    if (b.kind == EXPR_SOLVE)
      link_solved(x, &b, n.b, to);
    else
      link_newton(x, n.a, n.b, to);
    return;
  }
  Expr args[3] = {n.a, n.b, n.c};
  for (int i = 0; i < OPS[n.op].args; i++)
    if (x->number[args[i]]) link_node(x, args[i], to, expr_partial(x->g, e, i));
}

static long cost_of(const Elimination *x, int v) {
  return (long)x->vertex[v].in.count * x->vertex[v].out.count;
}

static bool before(Candidate a, Candidate b) {
  return a.cost < b.cost || (a.cost == b.cost && a.vertex > b.vertex);
}

static void heap_push(Elimination *x, Candidate c) {
  array_push(x->arena, &x->heap, c);
  Candidate *h = x->heap.at;
  int i = x->heap.count - 1;
  for (; i > 0 && before(c, h[(i - 1) / 2]); i = (i - 1) / 2) h[i] = h[(i - 1) / 2];
  h[i] = c;
}

static Candidate heap_pop(Elimination *x) {
  Candidate *h = x->heap.at, top = h[0], last = h[--x->heap.count];
  int i = 0;
  for (;;) {
    int child = 2 * i + 1;
    if (child >= x->heap.count) break;
    if (child + 1 < x->heap.count && before(h[child + 1], h[child])) child++;
    if (!before(h[child], last)) break;
    h[i] = h[child];
    i = child;
  }
  h[i] = last;
  return top;
}

static void remove_out(IntArray *list, int vertex) {
  for (int i = 0; i < list->count; i++)
    if (list->at[i] == vertex) {
      list->at[i] = list->at[--list->count];
      return;
    }
}

static Expr take_link(Vertex *to, int from) {
  for (int i = 0; i < to->in.count; i++)
    if (to->in.at[i].from == from) {
      Expr weight = to->in.at[i].weight;
      to->in.at[i] = to->in.at[--to->in.count];
      return weight;
    }
  return 0;
}

static void eliminate(Elimination *x, int vertex) {
  Vertex *v = &x->vertex[vertex];
  for (int k = 0; k < v->out.count; k++) {
    int to = v->out.at[k];
    Expr outer = take_link(&x->vertex[to], vertex);
    for (int i = 0; i < v->in.count; i++)
      link_to(x, v->in.at[i].from, to, expr_chain(x->g, outer, v->in.at[i].weight));
  }
  for (int i = 0; i < v->in.count; i++) remove_out(&x->vertex[v->in.at[i].from].out, vertex);
  v->in.count = v->out.count = 0;
}

// Costs change while neighbours go: a candidate whose cost has grown goes back with its new cost.
static void eliminate_all(Elimination *x, int count) {
  for (int v = 0; v < count; v++)
    if (!x->vertex[v].kept) heap_push(x, (Candidate){cost_of(x, v), v});
  while (x->heap.count) {
    Candidate c = heap_pop(x);
    long cost = cost_of(x, c.vertex);
    if (cost > c.cost)
      heap_push(x, (Candidate){cost, c.vertex});
    else
      eliminate(x, c.vertex);
  }
}

static int by_from(const void *a, const void *b) {
  return ((const Link *)a)->from - ((const Link *)b)->from;
}

static Derivatives collect(Elimination *x, Arena *a, const int *column, int first, int rows) {
  Derivatives d = {.rows = rows, .start = ARENA_ARRAY(a, int, rows + 1)};
  for (int i = 0; i < rows; i++) d.start[i + 1] = d.start[i] + x->vertex[first + i].in.count;
  d.column = ARENA_ARRAY(a, int, d.start[rows] + 1);
  d.value = ARENA_ARRAY(a, Expr, d.start[rows] + 1);
  for (int i = 0; i < rows; i++) {
    Vertex *v = &x->vertex[first + i];
    for (int k = 0; k < v->in.count; k++) v->in.at[k].from = column[v->in.at[k].from];
    if (v->in.count) qsort(v->in.at, (size_t)v->in.count, sizeof(Link), by_from);
    for (int k = 0; k < v->in.count; k++) {
      d.column[d.start[i] + k] = v->in.at[k].from;
      d.value[d.start[i] + k] = v->in.at[k].weight;
    }
  }
  return d;
}

Derivatives derive_rows(Graph *g, Arena *a, const Expr *outputs, int rows, const Expr *by,
                        int columns) {
  Arena *scratch = arena_new();
  const unsigned char *active = expr_dependents(g, scratch, by, columns);
  IntArray nodes = reach_all(g, scratch, active, outputs, rows);
  Elimination x = {.g = g, .arena = scratch};
  x.vertex = ARENA_ARRAY(scratch, Vertex, nodes.count + rows);
  x.number = ARENA_ARRAY(scratch, int, g->count);
  int *column = ARENA_ARRAY(scratch, int, nodes.count + 1);
  for (int i = 0; i < nodes.count; i++) x.number[nodes.at[i]] = i + 1;
  for (int j = 0; j < columns; j++) {
    int v = x.number[by[j]] - 1;
    if (v >= 0) x.vertex[v].kept = true, column[v] = j;
  }
  for (int i = 0; i < nodes.count; i++)
    if (!x.vertex[i].kept) link_arguments(&x, nodes.at[i]);
  for (int i = 0; i < rows; i++) {
    x.vertex[nodes.count + i].kept = true;
    link_node(&x, outputs[i], nodes.count + i, expr_const(g, 1));
  }
  eliminate_all(&x, nodes.count);
  Derivatives d = collect(&x, a, column, nodes.count, rows);
  arena_free(scratch);
  return d;
}

void derive_dense(Graph *g, Arena *a, const Expr *outputs, int rows, const Expr *by, int columns,
                  Expr *dense) {
  memset(dense, 0, (size_t)rows * (size_t)columns * sizeof *dense); // node 0 is the number 0
  Derivatives d = derive_rows(g, a, outputs, rows, by, columns);
  for (int i = 0; i < rows; i++)
    for (int k = d.start[i]; k < d.start[i + 1]; k++) dense[i * columns + d.column[k]] = d.value[k];
}

Expr derive(Graph *g, Expr e, Expr symbol) {
  Arena *scratch = arena_new();
  Derivatives d = derive_rows(g, scratch, &e, 1, &symbol, 1);
  Expr value = d.start[1] ? d.value[0] : 0;
  arena_free(scratch);
  return value;
}

// ---------------------------------------------------------------- forwards

typedef struct Forward {
  Graph *g;
  Arena *arena;
  const unsigned char *active;
  Expr *dot; // by node
} Forward;

// A x = b: A x' = b' - A' x
static void forward_solve(Forward *f, const ExprBlock *b) {
  Graph *g = f->g;
  int n = b->n;
  const Expr *matrix = g->blocks.at[b->factor].matrix;
  Expr *right = ARENA_ARRAY(f->arena, Expr, n);
  for (int i = 0; i < n; i++) {
    right[i] = f->dot[b->right[i]];
    for (int j = 0; j < n; j++) {
      Expr entry = b->transposed ? matrix[j * n + i] : matrix[i * n + j];
      if (f->active[entry])
        right[i] = expr_sub(g, right[i], expr_mul(g, f->dot[entry], b->first + j));
    }
  }
  expr_solve(g, b->factor, b->transposed, right, &f->dot[b->first]);
}

static void forward_newton(Forward *f, int block) {
  Graph *g = f->g;
  linearise_newton(g, block);
  ExprBlock b = g->blocks.at[block];
  Expr *right = ARENA_ARRAY(f->arena, Expr, b.n);
  for (int i = 0; i < b.n; i++)
    for (int j = 0; j < b.input_count; j++)
      if (f->active[b.inputs[j]])
        right[i] = expr_sub(g, right[i],
                            expr_chain(g, f->dot[b.inputs[j]], b.by_input[i * b.input_count + j]));
  expr_solve(g, b.factor_at_solution, false, right, &f->dot[b.first]);
}

static void forward_node(Forward *f, Expr e) {
  ExprNode n = f->g->nodes[e];
  if (n.op == OP_SOLVED) {
    if (n.b != 0) return; // done with component 0
    ExprBlock b = f->g->blocks.at[n.a];
    if (b.kind == EXPR_SOLVE)
      forward_solve(f, &b);
    else
      forward_newton(f, n.a);
    return;
  }
  Expr sum = 0;
  for (int i = 0; i < OPS[n.op].args; i++) {
    Expr argument = i == 0 ? n.a : i == 1 ? n.b : n.c;
    if (!f->active[argument]) continue;
    Expr term = expr_chain(f->g, f->dot[argument], expr_partial(f->g, e, i));
    if (!expr_is_value(f->g, term, 0)) sum = expr_add(f->g, sum, term);
  }
  f->dot[e] = sum;
}

void derive_direction(Graph *g, const Expr *outputs, int rows, const Expr *by, const Expr *seed,
                      int columns, Expr *results) {
  Arena *scratch = arena_new();
  int nodes = g->count;
  Forward f = {g, scratch, expr_dependents(g, scratch, by, columns),
               ARENA_ARRAY(scratch, Expr, nodes)};
  unsigned char *seeded = ARENA_ARRAY(scratch, unsigned char, nodes);
  for (int i = 0; i < columns; i++) f.dot[by[i]] = seed[i], seeded[by[i]] = 1;
  IntArray all = reach_all(g, scratch, f.active, outputs, rows);
  for (int i = 0; i < all.count; i++)
    if (!seeded[all.at[i]]) forward_node(&f, all.at[i]);
  for (int i = 0; i < rows; i++) results[i] = f.dot[outputs[i]];
  arena_free(scratch);
}
