#include "report/model_equations.h"

#include "expr/derive.h"
#include "expr/replace.h"
#include "expr/simplify.h"
#include "lang/ast_print.h"
#include "report/model_constraints.h"
#include "report/model_text.h"

enum {
  DERIVATIVE_MOST = 300
}; // longer differentiated equations are not written out, in operations

typedef struct Printer {
  Model *m;
  Text *out;
  Arena *arena;
  const EquationText *texts;
  Derivatives slope; // all equations by all unknowns
  Incidence inside;  // unknowns in the derivative of each equation by its own unknown
  Replacer *without;
  int *own; // by equation that is a block of its own: its unknown, -1 = in a system
} Printer;

static void list_own(Printer *p) {
  const Model *m = p->m;
  p->own = ARENA_ARRAY(p->arena, int, m->equation_count + 1);
  for (int i = 0; i < m->equation_count; i++) p->own[i] = -1;
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    if (b->count == 1) p->own[b->equation[0]] = b->unknown[0];
  }
}

static Expr own_slope(const Printer *p, int equation) {
  for (int k = p->slope.start[equation]; k < p->slope.start[equation + 1]; k++)
    if (p->slope.column[k] == p->own[equation]) return p->slope.value[k];
  return 0;
}

static void derive_slopes(Printer *p) {
  Model *m = p->m;
  int n = m->equation_count;
  Expr *residual = ARENA_ARRAY(p->arena, Expr, n + 1),
       *unknown = ARENA_ARRAY(p->arena, Expr, m->unknown_count + 1);
  SortEquation *slopes = ARENA_ARRAY(p->arena, SortEquation, n + 1);
  for (int i = 0; i < n; i++) residual[i] = m->equations[i].residual;
  for (int j = 0; j < m->unknown_count; j++) unknown[j] = m->unknowns[j].symbol;
  p->slope = derive_rows(m->graph, p->arena, residual, n, unknown, m->unknown_count);
  for (int i = 0; i < n; i++) slopes[i].residual = own_slope(p, i);
  p->inside = sort_incidence(m->graph, p->arena, slopes, n, m->unknowns, m->unknown_count);
}

static bool is_linear(const Printer *p, int equation) {
  if (own_slope(p, equation) == 0) return false;
  for (int k = p->inside.start[equation]; k < p->inside.start[equation + 1]; k++)
    if (p->inside.unknown[k] == p->own[equation]) return false;
  return true;
}

static Expr without_unknown(Printer *p, Expr e, Expr u) {
  replacer_set(p->without, u, expr_const(p->m->graph, 0));
  Expr rest = replace(p->without, e);
  replacer_clear(p->without, u);
  return rest;
}

static Expr without_stabilisation(Printer *p, Expr e) {
  if (!p->m->stabilise) return e;
  return without_unknown(p, without_unknown(p, e, p->m->stabilise), p->m->stabilise_beta);
}

static bool holds_together(const Graph *g, Expr e) {
  int op = g->nodes[e].op;
  return op == OP_SYMBOL || (op == OP_CONST && g->nodes[e].value > 0);
}

static void print_divisor(Printer *p, Expr slope) {
  Graph *g = p->m->graph;
  bool brackets = !holds_together(g, slope);
  if (expr_is_value(g, slope, 1)) return;
  text_add(p->out, brackets ? "/(" : "/");
  expr_print(p->out, g, slope);
  text_add(p->out, brackets ? ")" : "");
}

static bool is_sum(const Ast *e) {
  bool product =
      e->kind == AST_BINARY && (e->op == AST_TIMES || e->op == AST_DIVIDE || e->op == AST_POWER);
  return !product && (e->kind == AST_BINARY || e->kind == AST_UNARY || e->kind == AST_IF);
}

static void print_side(Printer *p, const EquationText *text, bool left, bool divided) {
  const Ast *side = left ? text->left : text->right;
  bool brackets = divided && side && is_sum(side);
  text_add(p->out, brackets ? "(" : "");
  if (side)
    ast_print(p->out, side);
  else
    text_add(p->out, text->name);
  text_add(p->out, brackets ? ")" : "");
}

// One side is slope*u and the other does not contain u: the equation is shown as written.
static bool print_other_side(Printer *p, int equation) {
  Graph *g = p->m->graph;
  const SortEquation *sorted = &p->m->equations[equation];
  const Equation *e = &p->m->flat->equations.at[sorted->origin];
  if (sorted->level || sorted->combined) return false; // not what was typed
  Expr u = p->m->unknowns[p->own[equation]].symbol, slope = own_slope(p, equation);
  Expr left = without_unknown(p, e->left, u), right = without_unknown(p, e->right, u);
  bool on_left = expr_is_value(g, left, 0) && right == e->right;
  bool on_right = expr_is_value(g, right, 0) && left == e->left;
  if (!p->texts || (!on_left && !on_right)) return false;
  if (!on_left) slope = expr_neg(g, slope);
  print_side(p, &p->texts[sorted->origin], !on_left, !expr_is_value(g, slope, 1));
  print_divisor(p, slope);
  return true;
}

// residual = slope*u + rest
static void print_solved(Printer *p, int equation) {
  Graph *g = p->m->graph;
  Expr u = p->m->unknowns[p->own[equation]].symbol, slope = own_slope(p, equation);
  Expr residual = without_stabilisation(p, p->m->equations[equation].residual);
  Expr right = expr_neg(g, without_unknown(p, residual, u));
  if (expr_is_const(g, slope) || expr_is_const(g, right)) {
    expr_print(p->out, g, expr_div(g, right, slope));
    return;
  }
  int op = g->nodes[right].op;
  bool brackets = op == OP_ADD || op == OP_SUB || op == OP_NEG || op == OP_SELECT;
  text_add(p->out, brackets ? "(" : "");
  expr_print(p->out, g, right);
  text_add(p->out, brackets ? ")" : "");
  print_divisor(p, slope);
}

// ---------------------------------------------------------------- differentiated equations

// Whether a printed expression has at most this many operations; counts down.
static bool is_short(const Graph *g, Expr e, int *left) {
  if (--*left < 0) return false;
  for (int i = 0; i < expr_arg_count(g, e); i++)
    if (!is_short(g, expr_arg(g, e, i), left)) return false;
  return true;
}

// "residual = 0", or a description if that is long.
static void print_derivative(Printer *p, Expr residual, int origin, int level, bool combined) {
  int left = DERIVATIVE_MOST;
  Expr e = without_stabilisation(p, residual);
  if ((level || combined) && is_short(p->m->graph, e, &left)) {
    expr_print(p->out, p->m->graph, e);
    text_add(p->out, " = 0");
    return;
  }
  for (int i = 0; i < level; i++) text_add(p->out, "der(");
  typed_equation_print(p->out, p->m, p->texts, origin);
  for (int i = 0; i < level; i++) text_add(p->out, ")");
}

static void print_equation(Printer *p, int equation) {
  const SortEquation *e = &p->m->equations[equation];
  print_derivative(p, e->residual, e->origin, e->level, e->combined);
}

static void print_place(Printer *p, int line, int level, bool combined) {
  text_print(p->out, "  // line %s", flat_line(p->m->flat, line).at);
  if (combined) text_add(p->out, ", combined with others");
  if (level) text_print(p->out, ", differentiated %s", times_in_words(p->arena, level));
}

// ---------------------------------------------------------------- blocks

static void print_unknowns(Printer *p, const SortBlock *b, int first, int last) {
  for (int i = first; i < last; i++)
    text_print(p->out, "%s%s", i > first ? ", " : "", p->m->unknowns[b->unknown[i]].name);
}

static bool is_too_long(Printer *p, const SortEquation *e) {
  int left = DERIVATIVE_MOST;
  return (e->level || e->combined) &&
         !is_short(p->m->graph, without_stabilisation(p, e->residual), &left);
}

static void print_assignment(Printer *p, int number, const SortBlock *b) {
  int equation = b->equation[0];
  const SortEquation *e = &p->m->equations[equation];
  bool in_words = is_too_long(p, e);
  text_print(p->out, "%5d  %s %s ", number, p->m->unknowns[b->unknown[0]].name,
             in_words ? "from" : ":=");
  if (in_words) print_equation(p, equation);
  bool as_written = in_words || print_other_side(p, equation);
  if (!as_written) print_solved(p, equation);
  print_place(p, e->line, e->level, e->combined);
  if (!as_written) text_add(p->out, ": ");
  if (!as_written) typed_equation_print(p->out, p->m, p->texts, e->origin);
  text_add(p->out, "\n");
}

static void print_system_head(Printer *p, int number, const SortBlock *b) {
  int before = b->count - b->torn;
  bool linear = b->kind == SORT_LINEAR;
  text_print(p->out, "%5d  ", number);
  if (b->kind == SORT_ASSIGN || b->kind == SORT_ALIAS) {
    text_print(p->out, "chain of %d, solved one after the other: ", b->count);
    print_unknowns(p, b, 0, b->count);
  } else {
    text_print(p->out, "%s system of %d, %s ", linear ? "linear" : "nonlinear", b->count,
               linear ? "solved for" : "iterated on");
    print_unknowns(p, b, b->count == 1 ? 0 : before, b->count);
    if (b->count > 1 && before) text_add(p->out, "; from these ");
    if (b->count > 1) print_unknowns(p, b, 0, before);
  }
  text_add(p->out, "\n");
}

static void print_system(Printer *p, int number, const SortBlock *b) {
  print_system_head(p, number, b);
  for (int i = 0; i < b->count; i++) {
    const SortEquation *e = &p->m->equations[b->equation[i]];
    text_add(p->out, "         ");
    print_equation(p, b->equation[i]);
    print_place(p, e->line, e->level, e->combined);
    text_add(p->out, e->redundant ? ", redundant: left out\n" : "\n");
  }
}

// The invariants that index reduction left: true at the start, and maintained.
static void print_invariants(Printer *p) {
  const Model *m = p->m;
  if (m->invariant_count) text_add(p->out, "\nInvariants, maintained as the option index says:\n");
  for (int i = 0; i < m->invariant_count; i++) {
    const Invariant *v = &m->invariants[i];
    text_add(p->out, "  ");
    print_derivative(p, v->residual, v->equation, v->level, v->combined);
    print_place(p, m->flat->equations.at[v->equation].line, v->level, v->combined);
    text_add(p->out, v->redundant ? ", redundant\n" : "\n");
  }
}

static void print_modes(Printer *p) {
  const Flat *f = p->m->flat;
  if (f->events.count) text_add(p->out, "\nModes, constant between events:\n");
  for (int k = 0; k < f->events.count; k++) {
    const Event *e = &f->events.at[k];
    text_add(p->out, "  ");
    expr_print(p->out, f->graph, e->mode);
    text_add(p->out, e->kind == EVENT_FLOOR  ? " = floor("
                     : e->kind == EVENT_SIGN ? " = sign("
                                             : " = ");
    expr_print(p->out, f->graph, e->switching);
    text_print(p->out, "%s  // %s, line %s\n",
               e->kind == EVENT_NEGATIVE       ? " < 0"
               : e->kind == EVENT_NOT_POSITIVE ? " <= 0"
                                               : ")",
               e->text, flat_line(f, e->line).at);
  }
}

// Values at events: now(v) is that of v, and v the one before the event.
static void print_discrete(Printer *p) {
  const Flat *f = p->m->flat;
  if (f->whens.count + f->reinits.count) text_add(p->out, "\nAt events:\n");
  for (int k = 0; k < f->pulses.count; k++) {
    if (f->pulses.at[k].initial) continue;
    text_add(p->out, "  ");
    expr_print(p->out, f->graph, f->pulses.at[k].symbol);
    text_add(p->out, " = ");
    expr_print(p->out, f->graph, f->pulses.at[k].value);
    text_add(p->out, "\n");
  }
  for (int k = 0; k < f->whens.count; k++) {
    text_print(p->out, "  now(%s) = ", f->variables.at[f->whens.at[k].variable].name);
    expr_print(p->out, f->graph, f->whens.at[k].value);
    text_print(p->out, "  // line %s\n", flat_line(f, f->whens.at[k].line).at);
  }
  for (int k = 0; k < f->reinits.count; k++) {
    const Reinit *r = &f->reinits.at[k];
    text_add(p->out, "  if ");
    expr_print(p->out, f->graph, r->active);
    text_print(p->out, " then reinit(%s, ", f->variables.at[r->variable].name);
    expr_print(p->out, f->graph, r->value);
    text_print(p->out, ")  // line %s\n", flat_line(f, r->line).at);
  }
}

void model_equations(Text *out, Model *m) {
  Printer p = {.m = m, .out = out, .arena = arena_new()};
  p.texts = equation_texts(p.arena, m);
  p.without = replacer_new(m->graph, p.arena);
  list_own(&p);
  derive_slopes(&p);
  text_print(out, "%s: %d equations in %d blocks, in the order of computation\n\n", m->flat->name,
             m->equation_count, m->sorted.block_count);
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    bool plain = b->count == 1 && b->kind != SORT_NONLINEAR && is_linear(&p, b->equation[0]);
    if (plain)
      print_assignment(&p, k + 1, b);
    else
      print_system(&p, k + 1, b);
  }
  print_invariants(&p);
  print_modes(&p);
  print_discrete(&p);
  arena_free(p.arena);
}
