// Equations and statements.
#include <string.h>

#include "base/c_locale.h"
#include "lang/comment.h"
#include "lang/expression.h"
#include "lang/rules.h"

bool rule_enter(Parser *p) {
  if (p->classes++ < PARSE_CLASSES_MOST) return true;
  parser_fail(p, ERR_LIMIT, parser_spot(p), "classes and clauses are nested more than %d deep",
              PARSE_CLASSES_MOST);
  return false;
}

static void fail_declaration(Parser *p, SourceSpot at) {
  parser_fail(p, ERR_SYNTAX, at,
              "a declaration among the equations; move it before 'equation' or after 'public'");
}

static bool is_type_name(const char *name) {
  return strcmp(name, "Real") == 0 || strcmp(name, "Integer") == 0 ||
         strcmp(name, "Boolean") == 0 || strcmp(name, "String") == 0;
}

// The left side is read, and no '=' follows.
static void fail_equation(Parser *p, const Ast *left) {
  SourceSpot at = {left->line, left->column};
  bool name_first = left->kind == AST_NAME && p->token.kind != TOKEN_SEMICOLON;
  if (p->token.kind == TOKEN_ASSIGN)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "an equation is written with '=', not ':='");
  else if (left->kind == AST_BINARY && left->op == AST_EQUAL)
    parser_fail(p, ERR_SYNTAX, at, "an equation is written with '=', not '=='");
  else if (name_first && is_type_name(left->name))
    fail_declaration(p, at);
  else if (name_first && p->token.kind == TOKEN_NAME && rule_word(left->name))
    parser_fail(p, ERR_SYNTAX, at, "unknown keyword '%.80s'; did you mean '%s'?", left->name,
                rule_word(left->name));
  else
    parser_expect(p, TOKEN_EQUALS, "in the equation");
}

static void fail_statement(Parser *p, const Ast *left) {
  SourceSpot at = {left->line, left->column};
  if (p->token.kind == TOKEN_EQUALS)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "a statement is written with ':=', not '='");
  else if (left->kind == AST_NAME && is_type_name(left->name))
    fail_declaration(p, at);
  else
    parser_expect(p, TOKEN_ASSIGN, "in the statement");
}

// equation = simple_expression "=" expression; statement = reference ":=" expression; or a call
static void relation(Parser *p, AstItem *e, bool statements) {
  e->left = expression_read_simple(p);
  if (p->token.kind == (statements ? TOKEN_ASSIGN : TOKEN_EQUALS)) {
    e->kind = statements ? ITEM_ASSIGN : ITEM_EQUATE;
    parser_next(p);
    e->right = expression_read(p);
  } else if (e->left->kind == AST_CALL && p->token.kind != TOKEN_EQUALS &&
             p->token.kind != TOKEN_ASSIGN) {
    e->kind = ITEM_CALL;
  } else if (statements) {
    fail_statement(p, e->left);
  } else {
    fail_equation(p, e->left);
  }
}

// connect = "connect" "(" reference "," reference ")"
static void connect(Parser *p, AstItem *e) {
  e->kind = ITEM_CONNECT;
  parser_next(p);
  SourceSpot open = parser_spot(p);
  parser_expect(p, TOKEN_LEFT_PAREN, "after 'connect'");
  e->left = expression_read_simple(p);
  parser_expect(p, TOKEN_COMMA, "between the connectors");
  e->right = expression_read_simple(p);
  parser_expect_close(p, open);
}

// "end" word, for the word of the item
static void end_of(Parser *p, const AstItem *e, TokenKind word) {
  bool ends = p->token.kind == TOKEN_END && parser_peek(p) == word;
  if (!ends) {
    char wanted[80];
    int line = e->line - p->lexer.source->lines_before;
    c_snprintf(wanted, sizeof wanted, "'end %s;' for the '%s' of %d:%d", token_text(word),
               token_text(word), line, e->column);
    parser_fail_found(p, wanted);
  }
  parser_next(p);
  parser_next(p);
}

// The condition of the next branch, up to and with `then` or `loop`; its body.
static void branch(Parser *p, AstItem *e, bool statements, TokenKind word, const char *where) {
  AstItemBranch b = {0};
  b.condition = expression_read(p);
  parser_expect(p, word, where);
  rule_items(p, &b.body, statements);
  array_push(p->arena, &e->branches, b);
}

// if = "if" c "then" items { "elseif" c "then" items } [ "else" items ] "end" "if"
static void conditional(Parser *p, AstItem *e, bool statements) {
  e->kind = ITEM_IF;
  do {
    parser_next(p);
    branch(p, e, statements, TOKEN_THEN, "after the condition");
  } while (p->token.kind == TOKEN_ELSEIF);
  if (parser_accept(p, TOKEN_ELSE)) {
    AstItemBranch b = {0};
    rule_items(p, &b.body, statements);
    array_push(p->arena, &e->branches, b);
  }
  end_of(p, e, TOKEN_IF);
}

static void when(Parser *p, AstItem *e, bool statements) {
  e->kind = ITEM_WHEN;
  do {
    parser_next(p);
    branch(p, e, statements, TOKEN_THEN, "after the condition");
  } while (p->token.kind == TOKEN_ELSEWHEN);
  end_of(p, e, TOKEN_WHEN);
}

// for = "for" iterator { "," iterator } "loop" items "end" "for"
static void loop(Parser *p, AstItem *e, bool statements) {
  e->kind = ITEM_FOR;
  parser_next(p);
  do array_push(p->arena, &e->iterators, expression_read_iterator(p));
  while (parser_accept(p, TOKEN_COMMA));
  parser_expect(p, TOKEN_LOOP, "after the iterators");
  AstItemBranch b = {0};
  rule_items(p, &b.body, statements);
  array_push(p->arena, &e->branches, b);
  end_of(p, e, TOKEN_FOR);
}

static void while_loop(Parser *p, AstItem *e) {
  e->kind = ITEM_WHILE;
  parser_next(p);
  branch(p, e, true, TOKEN_LOOP, "after the condition");
  end_of(p, e, TOKEN_WHILE);
}

static bool is_declaration_word(TokenKind k) {
  return k == TOKEN_PARAMETER || k == TOKEN_CONSTANT || k == TOKEN_INPUT || k == TOKEN_OUTPUT ||
         k == TOKEN_FINAL || k == TOKEN_FLOW || k == TOKEN_DISCRETE;
}

static void item(Parser *p, AstItem *e, bool statements) {
  switch (p->token.kind) {
  case TOKEN_IF: conditional(p, e, statements); return;
  case TOKEN_WHEN: when(p, e, statements); return;
  case TOKEN_FOR: loop(p, e, statements); return;
  case TOKEN_WHILE:
    if (!statements) break;
    while_loop(p, e);
    return;
  case TOKEN_BREAK:
  case TOKEN_RETURN:
    if (!statements) break;
    e->kind = p->token.kind == TOKEN_BREAK ? ITEM_BREAK : ITEM_RETURN;
    parser_next(p);
    return;
  case TOKEN_CONNECT:
    if (statements) break;
    connect(p, e);
    return;
  default:
    if (is_declaration_word(p->token.kind)) fail_declaration(p, parser_spot(p));
    relation(p, e, statements);
    return;
  }
  parser_fail(p, ERR_SYNTAX, parser_spot(p), "'%s' cannot stand among %s",
              token_text(p->token.kind), statements ? "statements" : "equations");
}

static bool ends_items(const Parser *p) {
  switch (p->token.kind) {
  case TOKEN_END:
  case TOKEN_END_OF_TEXT:
  case TOKEN_ELSE:
  case TOKEN_ELSEIF:
  case TOKEN_ELSEWHEN:
  case TOKEN_EQUATION:
  case TOKEN_ALGORITHM:
  case TOKEN_PUBLIC:
  case TOKEN_PROTECTED:
  case TOKEN_EXTERNAL: return true;
  case TOKEN_PARAMETER: return parser_peek(p) == TOKEN_EQUATION; // Base Modelica
  case TOKEN_INITIAL: return parser_peek(p) != TOKEN_LEFT_PAREN;
  default: return false;
  }
}

// items = { ( item | annotation ) ";" }
void rule_items(Parser *p, AstItemList *list, bool statements) {
  if (!rule_enter(p)) return;
  while (!ends_items(p)) {
    if (p->token.kind == TOKEN_ANNOTATION) {
      comment_annotation(p, p->notes);
      parser_expect(p, TOKEN_SEMICOLON, "after the annotation");
      continue;
    }
    parser_check_count(p, list->count, statements ? "statements" : "equations");
    AstItem e = {.line = p->token.line, .column = p->token.column};
    item(p, &e, statements);
    e.description = comment_read(p, NULL);
    parser_expect(p, TOKEN_SEMICOLON, statements ? "after the statement" : "after the equation");
    array_push(p->arena, list, e);
  }
  p->classes--;
}
