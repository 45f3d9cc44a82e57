// A clause when c1 then v = e1; elsewhen c2 then v = e2; end when is the equation v = if edge(c1) then e1 elseif edge(c2)
// then e2 else pre(v) (Modelica language specification 3.6, 8.3.5). A branch that does not assign v leaves it as it is,
// also where a later branch would assign it.
#include "model/when.h"

#include <string.h>

#include "base/c_locale.h"
#include "expr/replace.h"
#include "expr/simplify.h"
#include "lang/ast_print.h"
#include "lang/source_warn.h"
#include "model/discrete.h"

// ---------------------------------------------------------------- which variables

static bool wrong_at(Scope *s, const AstAction *a, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool wrong_at(Scope *s, const AstAction *a, const char *format, ...) {
  char text[600];
  va_list args;
  va_start(args, format);
  c_vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return source_fail(s->source, s->err, ERR_MODEL, a->line, a->column, "%s", text);
}

static Variable *target(Scope *s, const AstAction *a) {
  int i = -1;
  if (a->left->kind == AST_NAME) i = names_find(s->flat->names, a->left->name);
  if (a->left->kind != AST_NAME) {
    wrong_at(s, a,
             a->kind == AST_REINIT
                 ? "reinit() takes the name of a state"
                 : "an equation in a when-clause is written variable = expression");
    return NULL;
  }
  if (i < 0) {
    scope_convert(s, a->left); // says that it is not declared
    return NULL;
  }
  Variable *v = &s->flat->variables.at[i];
  if (v->kind != VARIABLE_UNKNOWN) {
    wrong_at(s, a, "%s is %s and cannot change at an event", v->name,
             v->kind == VARIABLE_INPUT ? "an input" : "a parameter or constant");
    return NULL;
  }
  return v;
}

static void make_discrete(Scope *s, Variable *v) {
  v->now = expr_symbol(s->g, arena_print(s->flat->arena, "now(%s)", v->name), true);
  s->flat->hybrid = true;
  if (v->boolean || v->integer) {
    Held h = {.variable = (int)(v - s->flat->variables.at), .name = v->name};
    h.before = v->node, h.value = v->now;
    array_push(s->flat->arena, &s->flat->held, h);
    return;
  }
  v->state = true;
  v->derivative_name = arena_print(s->flat->arena, "der(%s)", v->name);
  v->derivative = expr_symbol(s->g, v->derivative_name, true);
}

static bool scan_set(Scope *s, const AstAction *a, int clause) {
  Variable *v = target(s, a);
  if (!v) return false;
  const AstDeclaration *d = &s->flat->ast->declarations.at[v - s->flat->variables.at];
  if (d->binding)
    return wrong_at(s, a,
                    "%s has an equation in its declaration (line %s) and cannot be assigned here",
                    v->name, flat_line(s->flat, v->line).at);
  if (v->when && v->when != clause)
    return wrong_at(
        s, a,
        "%s is assigned in two when-clauses, here and in line %s; write one clause with "
        "elsewhen",
        v->name, flat_line(s->flat, v->when_line).at);
  if (!v->when) make_discrete(s, v);
  v->when = clause;
  if (!v->when_line) v->when_line = a->line;
  return true;
}

static bool scan_reinit(Scope *s, const AstAction *a, int clause) {
  Variable *v = target(s, a);
  if (!v) return false;
  if (v->reinit && v->reinit != clause)
    return wrong_at(s, a, "%s is reinitialised in two when-clauses, here and in line %s", v->name,
                    flat_line(s->flat, v->reinit_line).at);
  v->reinit = clause;
  if (!v->reinit_line) v->reinit_line = a->line;
  s->flat->hybrid = true;
  return true;
}

static bool scan_branch(Scope *s, const AstBranch *b, int clause) {
  for (int i = 0; i < b->actions.count; i++) {
    const AstAction *a = &b->actions.at[i];
    if (a->kind == AST_SET && !scan_set(s, a, clause)) return false;
    if (a->kind == AST_REINIT && !scan_reinit(s, a, clause)) return false;
    for (int k = 0; k < i; k++) {
      const AstAction *other = &b->actions.at[k];
      bool twice = other->kind == a->kind && a->left && other->left && a->kind != AST_ASSERT &&
                   strcmp(a->left->name, other->left->name) == 0;
      if (twice)
        return wrong_at(s, a, "%s is assigned twice in this when-clause, also in line %s",
                        a->left->name, flat_line(s->flat, other->line).at);
    }
  }
  return true;
}

bool when_scan(Scope *s) {
  const AstModel *m = s->flat->ast;
  for (int w = 0; w < m->whens.count; w++)
    for (int b = 0; b < m->whens.at[w].branches.count; b++)
      if (!scan_branch(s, &m->whens.at[w].branches.at[b], w + 1)) return false;
  return true;
}

// ---------------------------------------------------------------- conditions and equations

static Expr condition(Scope *s, const Ast *e) {
  s->context = IN_EQUATION;
  Typed t = scope_convert(s, e);
  if (!scope_want(s, e, t, true, "'when'")) return 0;
  return discrete_is_pulse(s->flat, t.e) ? t.e : discrete_edge(s, t.e, scope_text(s, e));
}

static Expr branch_condition(Scope *s, const AstBranch *b) {
  const Ast *e = b->condition;
  if (e->kind != AST_CALL || strcmp(e->name, "edges") != 0) return condition(s, e);
  Expr any = expr_const(s->g, 0);
  for (int i = 0; i < e->arg_count && !scope_failed(s); i++)
    any = expr_make(s->g, OP_OR, any, condition(s, e->args[i]), 0);
  return any;
}

static Typed body(Scope *s, const Ast *e) {
  s->in_when = true, s->no_event++;
  Typed t = scope_convert(s, e);
  s->in_when = false, s->no_event--;
  return t;
}

static WhenEquation *equation_of(Scope *s, int variable) {
  Flat *f = s->flat;
  for (int i = 0; i < f->whens.count; i++)
    if (f->whens.at[i].variable == variable) return &f->whens.at[i];
  const Variable *v = &f->variables.at[variable];
  WhenEquation e = {.variable = variable, .value = v->node, .line = v->when_line};
  array_push(f->arena, &f->whens, e);
  return &f->whens.at[f->whens.count - 1];
}

// Branches do not meet: `active` is false where one before this is true.
static bool convert_set(Scope *s, const AstAction *a, Expr active) {
  int i = names_find(s->flat->names, a->left->name);
  const Variable *v = &s->flat->variables.at[i];
  Typed t = body(s, a->right);
  if (!scope_want(s, a->right, t, v->boolean, v->name)) return false;
  if (v->integer && !t.integer)
    return wrong_at(s, a, "%s is Integer, this is Real; write integer(...) to round it down",
                    v->name);
  WhenEquation *e = equation_of(s, i);
  e->value = expr_select(s->g, active, t.e, e->value);
  e->line = a->line, e->column = a->column;
  return true;
}

static bool convert_reinit(Scope *s, const AstAction *a, Expr active) {
  Typed t = body(s, a->right);
  if (!scope_want(s, a->right, t, false, "reinit")) return false;
  Reinit r = {names_find(s->flat->names, a->left->name), active, t.e, a->line, a->column};
  array_push(s->flat->arena, &s->flat->reinits, r);
  return true;
}

static bool convert_action(Scope *s, const AstAction *a, Expr active) {
  Terminate t = {.active = active};
  switch (a->kind) {
  case AST_SET: return convert_set(s, a, active);
  case AST_REINIT: return convert_reinit(s, a, active);
  case AST_TERMINATE:
    t.message = a->right && a->right->kind == AST_STRING ? a->right->name : "";
    array_push(s->flat->arena, &s->flat->terminates, t);
    s->flat->hybrid = true;
    return true;
  case AST_ASSERT:
    source_warn(s->source, &s->flat->warnings, a->line, a->column,
                "assert in a when-clause is not checked");
    return true;
  }
  return true;
}

static bool convert_clause(Scope *s, const AstWhen *w) {
  Graph *g = s->g;
  Expr earlier = expr_const(g, 0);
  for (int i = 0; i < w->branches.count; i++) {
    const AstBranch *b = &w->branches.at[i];
    Expr own = branch_condition(s, b), no = expr_make(g, OP_NOT, earlier, 0, 0);
    if (scope_failed(s)) return false;
    Expr active = expr_make(g, OP_AND, own, no, 0);
    for (int k = 0; k < b->actions.count; k++)
      if (!convert_action(s, &b->actions.at[k], active)) return false;
    earlier = expr_make(g, OP_OR, earlier, own, 0);
  }
  return true;
}

// Between events a discrete Real variable is a state that stays where it is.
static void add_standstill(Scope *s, const Variable *v) {
  Equation e = {.left = v->derivative, .right = expr_const(s->g, 0), .residual = v->derivative};
  e.line = v->when_line, e.column = 1, e.description = "", e.from_binding = true;
  array_push(s->flat->arena, &s->flat->equations, e);
}

bool when_convert(Scope *s) {
  Flat *f = s->flat;
  for (int w = 0; w < f->ast->whens.count; w++)
    if (!convert_clause(s, &f->ast->whens.at[w])) return false;
  for (int i = 0; i < f->variables.count; i++)
    if (f->variables.at[i].now && f->variables.at[i].state) add_standstill(s, &f->variables.at[i]);
  return true;
}

// ---------------------------------------------------------------- between events

static bool check_reinits(Scope *s) {
  const Flat *f = s->flat;
  for (int i = 0; i < f->reinits.count; i++) {
    const Reinit *r = &f->reinits.at[i];
    const Variable *v = &f->variables.at[r->variable];
    if (v->state && !v->now) continue;
    Text states;
    text_init(&states);
    for (int k = 0, n = 0; k < f->variables.count && n < 8; k++)
      if (f->variables.at[k].state && !f->variables.at[k].now)
        text_print(&states, "%s%s", n++ ? ", " : "", f->variables.at[k].name);
    source_fail(s->source, s->err, ERR_MODEL, r->line, r->column,
                "reinit of %s: it is not a state; %s%s", v->name,
                states.length ? "states are " : "this model has no states",
                states.at ? states.at : "");
    text_done(&states);
    return false;
  }
  return true;
}

// pre(x) of a state: where x is when the event comes.
static void put_left_limits(Scope *s, Replacer *r) {
  for (int i = 0; i < s->flat->variables.count; i++) {
    Variable *v = &s->flat->variables.at[i];
    if (!v->pre_line || !v->state) continue;
    replacer_set(r, v->pre, v->node);
  }
}

static void finish_live(Flat *f, Replacer *r) {
  for (int i = 0; i < f->whens.count; i++) f->whens.at[i].value = replace(r, f->whens.at[i].value);
  for (int i = 0; i < f->reinits.count; i++)
    f->reinits.at[i].value = replace(r, f->reinits.at[i].value);
}

bool when_finish(Scope *s) {
  Flat *f = s->flat;
  for (int i = 0; i < f->equations.count; i++)
    f->equations.at[i].live = f->equations.at[i].residual;
  for (int k = 0; k < f->events.count; k++)
    f->events.at[k].live = f->events.at[k].switching,
    f->events.at[k].live_direct = f->events.at[k].direct;
  if (!f->hybrid) return true;
  if (!check_reinits(s)) return false;
  Replacer *limits = replacer_new(s->g, f->arena), *r = replacer_new(s->g, f->arena);
  put_left_limits(s, limits);
  finish_live(f, limits);
  for (int k = 0; k < f->pulses.count; k++)
    replacer_set(r, f->pulses.at[k].symbol, expr_const(s->g, 0));
  for (int i = 0; i < f->variables.count; i++)
    if (f->variables.at[i].now) replacer_set(r, f->variables.at[i].now, f->variables.at[i].node);
  for (int i = 0; i < f->equations.count; i++) {
    Equation *e = &f->equations.at[i];
    e->left = replace(r, e->left), e->right = replace(r, e->right);
    e->residual = replace(r, e->residual);
  }
  for (int k = 0; k < f->events.count; k++) {
    Event *e = &f->events.at[k];
    e->switching = replace(r, e->switching), e->direct = replace(r, e->direct);
  }
  return true;
}
