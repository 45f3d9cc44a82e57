// The expression graph: equal expressions are one node. simplify.h makes them, and makes them simple.
//
// An Expr is an index; arguments have smaller indices than the node that uses them, so ascending order is an order of
// evaluation. Nodes are never removed.
//
// Simultaneous equations are blocks. A FACTOR block is a square matrix, a SOLVE block one right-hand side for a factor
// (or for its transpose), a NEWTON block a set of residuals in unknowns that are symbols of their own. The results of a
// block are SOLVED nodes: a = block, b = component.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/text.h"
#include "expr/op.h"
#include "expr/table.h"

typedef int Expr;

enum { EXPR_VARYING = 1 }; // flag: depends on a symbol that is no parameter

typedef struct ExprNode {
  uint8_t op, flags;
  int a, b, c;  // arguments; SYMBOL: a is the symbol; SOLVED: block and component
  double value; // CONST
} ExprNode;

typedef enum ExprBlockKind { EXPR_FACTOR, EXPR_SOLVE, EXPR_NEWTON } ExprBlockKind;

typedef struct ExprBlock {
  ExprBlockKind kind;
  int n;
  bool transposed; // SOLVE
  int factor;      // SOLVE: the FACTOR block
  Expr *matrix;    // FACTOR: n*n by rows
  bool loose;      // FACTOR: may be singular and still have a solution, see code/loose.h
  Expr *right;     // SOLVE: n
  Expr first;      // SOLVE, NEWTON: SOLVED nodes first .. first+n-1
  // NEWTON: residuals in `unknowns` (symbols) and in expressions that do not contain them
  Expr *unknowns, *residuals, *starts;
  const char *const *names; // of the unknowns, for messages
  // NEWTON: at the solution, with SOLVED nodes in place of the unknowns; made when first needed
  Expr *inputs; // the expressions free of unknowns that the residuals use
  int input_count;
  Expr *inside, *inside_inputs; // residuals and their Jacobian in symbols that stand for the inputs
  Expr *by_input;               // n*input_count: derivative of residual i by input j
  int factor_at_solution;       // FACTOR block of the derivative by the unknowns, -1: not made yet
  int line, column;             // of the first equation, for messages
} ExprBlock;

typedef struct ExprSymbol {
  const char *name;
  Expr node;
} ExprSymbol;

typedef struct Graph {
  Arena *arena;
  ExprNode *nodes;
  int count, room;
  int *table; // hash table of node indices + 1
  int table_size;
  ARRAY(ExprSymbol) symbols;
  ARRAY(ExprBlock) blocks;
  ARRAY(const ExprTable *) tables;
  Expr time, origin, now; // see expr_make_time; now is 0 before
} Graph;

Graph *graph_new(Arena *a);
// Grows apart from the other one, with the same numbers for all that is there. Uses its memory, too: it must not live longer.
Graph *graph_copy(const Graph *g, Arena *a);

Expr expr_const(Graph *g, double value);
Expr expr_symbol(Graph *g, const char *name,
                 bool varying); // a new one each time; the name is borrowed
// Time as expressions see it (g->now) is the sum of two symbols: the time since an origin, and the origin, which does not
// vary and may be very large. Once for a graph. simplify.h adds what is added to g->now to the origin first.
void expr_make_time(Graph *g);
// The node as if it did not: g->now - c, not time + (origin - c).
ExprNode expr_as_written(const Graph *g, Expr e);
// The node as it is. Use simplify.h to make an expression.
Expr expr_insert(Graph *g, Op op, Expr a, Expr b, Expr c);

// A table as the first operand of RANK and LOOKUP: a constant, the same for equal numbers, which are copied. Those for RANK
// rise strictly.
Expr expr_table(Graph *g, const double *numbers, int count);
const ExprTable *expr_table_of(const Graph *g, Expr table);
// Value of a node with these values of its arguments; not for leaves.
double expr_apply(const Graph *g, const ExprNode *n, double a, double b, double c);

int expr_factor(Graph *g, int n,
                const Expr *matrix); // returns the block; equal matrices give the same one
// Returns the first of n SOLVED nodes; the same for an equal right side. Use expr_solve of simplify.h.
Expr expr_insert_solve(Graph *g, int factor, bool transposed, const Expr *right);
Expr expr_newton(Graph *g, int n, const Expr *unknowns, const Expr *residuals, const Expr *starts,
                 const char *const *names, int line, int column);
// Fills inputs and input_count of a NEWTON block: the expressions free of unknowns that the residuals use. Makes no nodes.
void expr_newton_inputs(Graph *g, int block);

bool expr_is_positive(const Graph *g, Expr e); // for certain; false means unknown

static inline const ExprNode *expr_node(const Graph *g, Expr e) {
  return &g->nodes[e];
}
static inline bool expr_is_const(const Graph *g, Expr e) {
  return g->nodes[e].op == OP_CONST;
}
bool expr_is_value(const Graph *g, Expr e, double value);
static inline bool expr_varies(const Graph *g, Expr e) {
  return g->nodes[e].flags & EXPR_VARYING;
}
static inline int expr_arg_count(const Graph *g, Expr e) {
  return OPS[g->nodes[e].op].args;
}
static inline Expr expr_arg(const Graph *g, Expr e, int i) {
  const ExprNode *n = &g->nodes[e];
  return i == 0 ? n->a : i == 1 ? n->b : n->c;
}

// Calls visit for the arguments of a node and, for a SOLVED node, for everything its block is made of.
typedef void ExprVisit(void *data, Expr argument);
void expr_each_argument(const Graph *g, Expr e, ExprVisit *visit, void *data);

// By node: 1 when it is one of the given nodes or contains one. Lives in the arena.
unsigned char *expr_dependents(const Graph *g, Arena *a, const Expr *nodes, int count);

// By node: 1 when it is one of the given nodes or inside one of them. Lives in the arena.
unsigned char *expr_contents(const Graph *g, Arena *a, const Expr *nodes, int count);

// Value at given symbol values (by symbol number), without blocks (NaN where one is needed).
double expr_eval(const Graph *g, Expr e, const double *symbols);

void expr_print(Text *out, const Graph *g, Expr e); // infix; deep expressions are cut with "..."
