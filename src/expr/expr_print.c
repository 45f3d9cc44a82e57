// Expressions as people write them: infix with as few brackets as the levels of precedence allow.
#include <string.h>

#include "expr/expr.h"

enum { PRINT_DEPTH = 40 }; // deeper parts are cut: the text is for people

typedef enum PrintLevel {
  LEVEL_OR = 1,
  LEVEL_AND,
  LEVEL_NOT,
  LEVEL_RELATION,
  LEVEL_SUM,
  LEVEL_TERM,
  LEVEL_POWER,
  LEVEL_ATOM
} PrintLevel;

static PrintLevel level_of(Op op) {
  switch (op) {
  case OP_OR: return LEVEL_OR;
  case OP_AND: return LEVEL_AND;
  case OP_NOT: return LEVEL_NOT;
  case OP_LT:
  case OP_LE:
  case OP_EQ:
  case OP_NE: return LEVEL_RELATION;
  case OP_ADD:
  case OP_SUB:
  case OP_NEG: return LEVEL_SUM;
  case OP_MUL:
  case OP_DIV: return LEVEL_TERM;
  case OP_POW: return LEVEL_POWER;
  case OP_SELECT: return LEVEL_OR;
  default: return LEVEL_ATOM;
  }
}

static void print(Text *out, const Graph *g, Expr e, PrintLevel outer, int depth);

static void print_infix(Text *out, const Graph *g, const ExprNode *n, PrintLevel level, int depth) {
  bool tight = n->op == OP_MUL || n->op == OP_DIV || n->op == OP_POW;
  // the right side and both sides of ^ and of relations need the tighter level
  bool strict_left = n->op == OP_POW || level == LEVEL_RELATION;
  print(out, g, n->a, strict_left ? level + 1 : level, depth);
  text_print(out, tight ? "%s" : " %s ", OPS[n->op].text);
  print(out, g, n->b, level + 1, depth);
}

static void print_call(Text *out, const Graph *g, const ExprNode *n, int depth) {
  text_print(out, "%s(", OPS[n->op].text);
  for (int i = 0; i < OPS[n->op].args; i++) {
    if (i) text_add(out, ", ");
    if (i == 0 && op_reads_table((Op)n->op))
      text_print(out, "table%d", 1 + (int)g->nodes[n->a].value);
    else
      print(out, g, i == 0 ? n->a : i == 1 ? n->b : n->c, LEVEL_OR, depth);
  }
  text_add(out, ")");
}

static void print_inside(Text *out, const Graph *g, const ExprNode *n, PrintLevel level,
                         int depth) {
  switch (n->op) {
  case OP_NEG:
    text_add(out, "-");
    print(out, g, n->a, LEVEL_TERM, depth);
    return;
  case OP_NOT:
    text_add(out, "not ");
    print(out, g, n->a, LEVEL_RELATION, depth);
    return;
  case OP_SELECT:
    text_add(out, "if ");
    print(out, g, n->a, LEVEL_OR, depth);
    text_add(out, " then ");
    print(out, g, n->b, LEVEL_OR, depth);
    text_add(out, " else ");
    print(out, g, n->c, LEVEL_OR, depth);
    return;
  case OP_SOLVED: {
    const ExprBlock *b = &g->blocks.at[n->a];
    if (b->kind == EXPR_NEWTON && b->names)
      text_add(out, b->names[n->b]);
    else
      text_print(out, "solved[%d.%d]", n->a, n->b + 1);
    return;
  }
  default: break;
  }
  if (level == LEVEL_ATOM)
    print_call(out, g, n, depth);
  else
    print_infix(out, g, n, level, depth);
}

static void print(Text *out, const Graph *g, Expr e, PrintLevel outer, int depth) {
  ExprNode written = e == g->now ? g->nodes[g->time] : expr_as_written(g, e);
  const ExprNode *n = &written;
  if (n->op == OP_SYMBOL) {
    text_add(out, g->symbols.at[n->a].name);
    return;
  }
  bool negative = n->op == OP_CONST && n->value < 0;
  PrintLevel level = negative ? LEVEL_SUM : level_of((Op)n->op);
  bool brackets = level < outer;
  if (depth == 0) {
    text_add(out, "...");
    return;
  }
  if (brackets) text_add(out, "(");
  if (n->op == OP_CONST)
    text_add_number(out, n->value);
  else
    print_inside(out, g, n, level, depth - 1);
  if (brackets) text_add(out, ")");
}

void expr_print(Text *out, const Graph *g, Expr e) {
  print(out, g, e, LEVEL_OR, PRINT_DEPTH);
}
