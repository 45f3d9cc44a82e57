#include "lang/comment.h"
#include "lang/expression.h"
#include "lang/rules.h"

// Adds a modifier of a.b.c as nested ones; returns the innermost.
static AstModifier *add_path(Parser *p, AstModifierList *list, bool each, bool final) {
  for (;;) {
    AstModifier m = {.each = each, .final = final};
    m.line = p->token.line, m.column = p->token.column;
    m.name = parser_name(p, "the name of an attribute or of a component");
    array_push(p->arena, list, m);
    AstModifier *last = &list->at[list->count - 1];
    if (p->token.kind == TOKEN_LEFT_BRACKET)
      parser_fail(p, ERR_UNSUPPORTED, parser_spot(p),
                  "a modifier of one element of an array is not allowed in Modelica");
    if (!parser_accept(p, TOKEN_DOT)) return last;
    last->each = false, last->final = false;
    list = &last->sub;
  }
}

// value = "=" expression | ":=" expression
static void value(Parser *p, AstModifier *m) {
  if (p->token.kind == TOKEN_ASSIGN)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "a modifier is written with '=', not ':='");
  if (!parser_accept(p, TOKEN_EQUALS)) return;
  if (p->token.kind == TOKEN_BREAK)
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p), "'break' as a value is not supported");
  m->value = expression_read(p);
}

// modifier = { "each" | "final" } ( element | name [ modifiers ] [ value ] description )
static void modifier(Parser *p, AstModifierList *list) {
  bool each = false, final = false;
  for (; p->token.kind == TOKEN_EACH || p->token.kind == TOKEN_FINAL; parser_next(p)) {
    final |= p->token.kind == TOKEN_FINAL;
    each |= p->token.kind == TOKEN_EACH;
  }
  if (p->token.kind == TOKEN_REDECLARE || p->token.kind == TOKEN_REPLACEABLE) {
    AstElement *e = rule_redeclared(p);
    e->final |= final;
    AstModifier m = {.name = e->name, .each = each, .final = final, .redeclare = e};
    m.line = e->line, m.column = e->column;
    array_push(p->arena, list, m);
    return;
  }
  AstModifier *m = add_path(p, list, each, final);
  bool nested = p->token.kind == TOKEN_LEFT_PAREN;
  rule_modifiers(p, &m->sub);
  value(p, m);
  TokenKind k = p->token.kind;
  bool ends = k == TOKEN_COMMA || k == TOKEN_RIGHT_PAREN || k == TOKEN_STRING;
  if (!nested && !m->value && !ends) parser_expect(p, TOKEN_EQUALS, "after the attribute");
  comment_description(p);
}

// modifiers = "(" [ modifier { "," modifier } ] ")"
void rule_modifiers(Parser *p, AstModifierList *list) {
  if (p->token.kind != TOKEN_LEFT_PAREN || !rule_enter(p)) return;
  SourceSpot open = parser_spot(p);
  parser_next(p);
  if (p->token.kind != TOKEN_RIGHT_PAREN) {
    do modifier(p, list);
    while (parser_accept(p, TOKEN_COMMA));
  }
  parser_expect_close(p, open);
  p->classes--;
}
