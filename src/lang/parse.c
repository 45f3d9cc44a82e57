#include "lang/parse.h"

#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "lang/comment.h"
#include "lang/declaration.h"
#include "lang/expression.h"
#include "lang/parser.h"

// ---- equations ----

static void fail_declaration(Parser *p, SourceSpot at) {
  parser_fail(p, ERR_SYNTAX, at,
              "a declaration among the equations; move it before 'equation' or after 'public'");
}

// The left side is read, and no '=' follows.
static void fail_equation(Parser *p, const Ast *left) {
  SourceSpot at = {left->line, left->column};
  AstType type;
  bool name_first = left->kind == AST_NAME && p->token.kind != TOKEN_SEMICOLON;
  if (p->token.kind == TOKEN_ASSIGN)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "an equation is written with '=', not ':='");
  else if (left->kind == AST_BINARY && left->op == AST_EQUAL)
    parser_fail(p, ERR_SYNTAX, at, "an equation is written with '=', not '=='");
  else if (name_first && declaration_type(left->name, &type))
    fail_declaration(p, at);
  else if (name_first && p->token.kind == TOKEN_NAME && declaration_word(left->name))
    parser_fail(p, ERR_SYNTAX, at, "unknown keyword '%.80s'; did you mean '%s'?", left->name,
                declaration_word(left->name));
  else if (left->kind == AST_CALL && p->token.kind == TOKEN_SEMICOLON)
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "expected '=': a call of '%.80s' alone is not an equation", left->name);
  else
    parser_expect(p, TOKEN_EQUALS, "in the equation");
}

static bool is_statement(const Token *t) { // a call with an effect, not an equation
  static const char *const NAMES[] = {"assert"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (strcmp(t->name, NAMES[i]) == 0) return true;
  return false;
}

static void fail_outside(Parser *p) { // reinit and terminate
  bool is_action = strcmp(p->token.name, "reinit") == 0 || strcmp(p->token.name, "terminate") == 0;
  if (is_action && parser_peek(p) == TOKEN_LEFT_PAREN)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "%s can only stand in a when-clause", p->token.name);
}

static bool fail_statement(Parser *p) {
  AstRole role;
  if (declaration_role(p->token.kind, &role) || p->token.kind == TOKEN_FINAL) {
    fail_declaration(p, parser_spot(p));
  } else if (p->token.kind == TOKEN_NAME) {
    if (is_statement(&p->token) && parser_peek(p) == TOKEN_LEFT_PAREN)
      parser_fail(p, ERR_UNSUPPORTED, parser_spot(p), "'%s' is not supported yet", p->token.name);
    else
      fail_outside(p);
  } else if (token_is_keyword(p->token.kind)) {
    parser_fail_unsupported(p);
  }
  return p->lexer.failed;
}

// equation = simple_expression "=" expression comment ";"
static AstEquation equation(Parser *p) {
  AstEquation e = {.line = p->token.line, .column = p->token.column};
  e.left = expression_read_simple(p);
  if (p->token.kind != TOKEN_EQUALS) fail_equation(p, e.left);
  parser_next(p);
  e.right = expression_read(p);
  e.description = comment_read(p);
  parser_expect(p, TOKEN_SEMICOLON, "after the equation");
  return e;
}

// ---- when-clauses ----

static bool next_is_call(const Parser *p, const char *name) {
  return p->token.kind == TOKEN_NAME && strcmp(p->token.name, name) == 0 &&
         parser_peek(p) == TOKEN_LEFT_PAREN;
}

// terminate = "terminate" "(" text ")"
static void terminate(Parser *p, AstAction *a) {
  a->kind = AST_TERMINATE;
  parser_next(p);
  parser_expect(p, TOKEN_LEFT_PAREN, "after 'terminate'");
  Ast *text = expression_leaf(p, AST_STRING);
  if (p->token.kind != TOKEN_STRING) parser_fail_found(p, "a string");
  text->name = comment_text(p);
  a->right = text;
  parser_expect(p, TOKEN_RIGHT_PAREN, "after the string");
}

// action = reinit "(" NAME "," expression ")" | terminate | NAME "=" expression
static AstAction action(Parser *p) {
  AstAction a = {.kind = AST_SET, .line = p->token.line, .column = p->token.column};
  if (next_is_call(p, "terminate")) {
    terminate(p, &a);
  } else if (next_is_call(p, "reinit")) {
    const Ast *call = expression_read_simple(p);
    if (call->kind == AST_CALL && call->arg_count != 2)
      parser_fail(p, ERR_SYNTAX, (SourceSpot){a.line, a.column},
                  "reinit takes a state and its new value");
    a.kind = AST_REINIT;
    if (!p->lexer.failed) a.left = call->args[0], a.right = call->args[1];
  } else {
    a.left = expression_read_simple(p);
    if (!p->lexer.failed && a.left->kind != AST_NAME)
      parser_fail(p, ERR_SYNTAX, (SourceSpot){a.line, a.column},
                  "an equation in a when-clause is written variable = expression");
    parser_expect(p, TOKEN_EQUALS, "in the when-clause");
    a.right = expression_read(p);
  }
  comment_read(p);
  parser_expect(p, TOKEN_SEMICOLON, "after the equation");
  return a;
}

// condition = expression | "{" expression { "," expression } "}"
static const Ast *when_condition(Parser *p) {
  if (p->token.kind != TOKEN_LEFT_BRACE) return expression_read(p);
  Ast *edges = expression_leaf(p, AST_CALL);
  ARRAY(Ast *) list = {0};
  edges->name = "edges";
  do {
    parser_next(p);
    array_push(p->arena, &list, expression_read(p));
  } while (p->token.kind == TOKEN_COMMA);
  parser_expect(p, TOKEN_RIGHT_BRACE, "after the conditions");
  edges->args = list.at, edges->arg_count = list.count;
  for (int i = 0; i < list.count; i++)
    if (list.at[i]->depth >= edges->depth) edges->depth = list.at[i]->depth + 1;
  return edges;
}

// branch = ("when" | "elsewhen") condition "then" { action }
static AstBranch when_branch(Parser *p) {
  AstBranch b = {.line = p->token.line, .column = p->token.column};
  parser_next(p);
  b.condition = when_condition(p);
  parser_expect(p, TOKEN_THEN, "after the condition");
  while (p->token.kind != TOKEN_ELSEWHEN && p->token.kind != TOKEN_END &&
         p->token.kind != TOKEN_END_OF_TEXT)
    array_push(p->arena, &b.actions, action(p));
  return b;
}

// when = branch { branch } "end" "when" ";"
static void when_clause(Parser *p, AstModel *m) {
  AstWhen w = {0};
  do array_push(p->arena, &w.branches, when_branch(p));
  while (p->token.kind == TOKEN_ELSEWHEN);
  parser_expect(p, TOKEN_END, "of the when-clause");
  parser_expect(p, TOKEN_WHEN, "after 'end'");
  parser_expect(p, TOKEN_SEMICOLON, "after 'end when'");
  array_push(p->arena, &m->whens, w);
}

// statement = annotation ";" | when | equation
static void statement(Parser *p, AstModel *m, bool is_initial) {
  if (p->token.kind == TOKEN_ANNOTATION) {
    comment_annotation(p);
    parser_expect(p, TOKEN_SEMICOLON, "after the annotation");
    return;
  }
  if (p->token.kind == TOKEN_WHEN && !is_initial) {
    when_clause(p, m);
    return;
  }
  if (fail_statement(p)) return;
  parser_check_count(p, is_initial ? m->initial_equations.count : m->equations.count, "equations");
  AstEquation e = equation(p);
  if (is_initial)
    array_push(p->arena, &m->initial_equations, e);
  else
    array_push(p->arena, &m->equations, e);
}

// ---- the model ----

typedef enum Section { DECLARATIONS, EQUATIONS, INITIAL_EQUATIONS } Section;

// section = "public" | "protected" | "equation" | "initial" "equation". False when none comes next.
static bool section_start(Parser *p, Section *section) {
  switch (p->token.kind) {
  case TOKEN_PUBLIC:
  case TOKEN_PROTECTED: *section = DECLARATIONS; break;
  case TOKEN_EQUATION: *section = EQUATIONS; break;
  case TOKEN_INITIAL:
    if (parser_peek(p) == TOKEN_LEFT_PAREN) return false; // initial()
    parser_next(p);
    if (p->token.kind == TOKEN_ALGORITHM) parser_fail_unsupported(p);
    if (p->token.kind != TOKEN_EQUATION) parser_fail_found(p, "'equation' after 'initial'");
    *section = INITIAL_EQUATIONS;
    break;
  default: return false;
  }
  parser_next(p);
  return true;
}

// composition = { element } { section { element | statement } }
static void composition(Parser *p, AstModel *m) {
  Section section = DECLARATIONS;
  while (p->token.kind != TOKEN_END && p->token.kind != TOKEN_END_OF_TEXT) {
    if (section_start(p, &section)) continue;
    if (section == DECLARATIONS)
      declaration_element(p, m);
    else
      statement(p, m, section == INITIAL_EQUATIONS);
  }
}

// "end" NAME ";"
static void model_end(Parser *p, const AstModel *m) {
  if (p->token.kind != TOKEN_END) {
    char wanted[100];
    c_snprintf(wanted, sizeof wanted, "'end %.80s;'", m->name);
    parser_fail_found(p, wanted);
  }
  parser_next(p);
  SourceSpot at = parser_spot(p);
  const char *name = parser_name(p, "the name of the model after 'end'");
  if (strcmp(name, m->name) != 0)
    parser_fail(p, ERR_SYNTAX, at, "the model '%.80s' ends with the name '%.80s'", m->name, name);
  parser_expect(p, TOKEN_SEMICOLON, "after the end of the model");
}

static void class_keyword(Parser *p) {
  parser_accept(p, TOKEN_ENCAPSULATED);
  if (parser_accept(p, TOKEN_MODEL)) return;
  if (p->token.kind == TOKEN_END_OF_TEXT && p->taken == TOKEN_END_OF_TEXT)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "the text contains no model");
  static const char *const WORDS[] = {"model"};
  bool misspelled = p->token.kind == TOKEN_NAME && nearest_name(p->token.name, WORDS, 1);
  if (!misspelled && parser_fail_unsupported(p)) return;
  parser_fail_found(p, misspelled ? "'model' (is it misspelled?)" : "'model'");
}

// model = "model" NAME description composition "end" NAME ";"
static AstModel *model(Parser *p) {
  AstModel *m = ARENA_NEW(p->arena, AstModel);
  class_keyword(p);
  m->line = p->token.line;
  m->column = p->token.column;
  if (p->token.kind == TOKEN_EXTENDS) parser_fail_unsupported(p);
  m->name = parser_name(p, "the name of the model");
  if (p->token.kind == TOKEN_EQUALS)
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p),
                "short class definitions are not supported yet");
  m->description = comment_description(p);
  composition(p, m);
  model_end(p, m);
  return m;
}

// file = [ "within" [ name ] ";" ] [ "final" ] model
static AstModel *file(Parser *p) {
  if (parser_accept(p, TOKEN_WITHIN)) {
    if (p->token.kind == TOKEN_NAME) expression_read_name(p);
    parser_expect(p, TOKEN_SEMICOLON, "after 'within'");
  }
  parser_accept(p, TOKEN_FINAL);
  AstModel *m = model(p);
  if (p->token.kind == TOKEN_END_OF_TEXT) return m;
  char quoted[TOKEN_QUOTE];
  if (token_is_keyword(p->token.kind))
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p),
                "'%s' after the end of the model: several classes in a file are not supported yet",
                token_text(p->token.kind));
  else
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "expected the end of the text after the model, found %s",
                token_quote(&p->token, quoted));
  return m;
}

const AstModel *parse_model(Arena *a, const Source *s, Err *err) {
  Parser p;
  parser_begin(&p, a, s, err);
  const AstModel *m = file(&p);
  return p.lexer.failed ? NULL : m;
}

const Ast *parse_expression(Arena *a, const Source *s, Err *err) {
  Parser p;
  parser_begin(&p, a, s, err);
  if (p.token.kind == TOKEN_END_OF_TEXT)
    parser_fail(&p, ERR_SYNTAX, parser_spot(&p), "the expression is empty");
  const Ast *e = expression_read(&p);
  if (p.token.kind != TOKEN_END_OF_TEXT) parser_fail_found(&p, "the end of the expression");
  return p.lexer.failed ? NULL : e;
}
