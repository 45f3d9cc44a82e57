#include "lang/declaration.h"

#include <ctype.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "lang/comment.h"
#include "lang/expression.h"

// ---- attributes ----

typedef enum AttributeKind { VALUE_EXPRESSION, VALUE_TEXT, VALUE_STATE_SELECT } AttributeKind;

static const struct {
  const char *name;
  AttributeKind kind;
} ATTRIBUTES[] = {
    {"start", VALUE_EXPRESSION},     {"fixed", VALUE_EXPRESSION},
    {"min", VALUE_EXPRESSION},       {"max", VALUE_EXPRESSION},
    {"nominal", VALUE_EXPRESSION},   {"unit", VALUE_TEXT},
    {"displayUnit", VALUE_TEXT},     {"quantity", VALUE_TEXT},
    {"unbounded", VALUE_EXPRESSION}, {"stateSelect", VALUE_STATE_SELECT},
};
enum { ATTRIBUTE_COUNT = sizeof ATTRIBUTES / sizeof *ATTRIBUTES };

static int find_attribute(const char *name) {
  for (int i = 0; i < ATTRIBUTE_COUNT; i++)
    if (strcmp(ATTRIBUTES[i].name, name) == 0) return i;
  return -1;
}

static void fail_attribute(Parser *p, SourceSpot at, const char *name) {
  const char *names[ATTRIBUTE_COUNT];
  for (int i = 0; i < ATTRIBUTE_COUNT; i++) names[i] = ATTRIBUTES[i].name;
  const char *near = nearest_name(name, names, ATTRIBUTE_COUNT);
  if (near)
    parser_fail(p, ERR_NAME, at, "unknown attribute '%.80s'; did you mean '%s'?", name, near);
  else
    parser_fail(p, ERR_NAME, at,
                "unknown attribute '%.80s'; known are start, fixed, min, max, nominal and unit",
                name);
}

static void check_new(Parser *p, const AstDeclaration *d, SourceSpot at, const char *name) {
  for (int i = 0; i < d->attributes.count; i++)
    if (strcmp(d->attributes.at[i].name, name) == 0)
      parser_fail(p, ERR_NAME, at, "the attribute '%s' is given twice", name);
}

// StateSelect.never, .avoid, .default, .prefer, .always
static const Ast *state_select(Parser *p) {
  Ast *value = expression_leaf(p, AST_NAME);
  SourceSpot at = parser_spot(p);
  value->name = expression_read_name(p);
  static const char *const KNOWN[] = {"StateSelect.never", "StateSelect.avoid",
                                      "StateSelect.default", "StateSelect.prefer",
                                      "StateSelect.always"};
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
    if (strcmp(value->name, KNOWN[i]) == 0) return value;
  parser_fail(p, ERR_VALUE, at,
              "stateSelect is StateSelect.never, .avoid, .default, .prefer or .always");
  return value;
}

// value = expression | text | state_select
static const Ast *attribute_value(Parser *p, int attribute) {
  bool is_text = p->token.kind == TOKEN_STRING;
  const char *name = ATTRIBUTES[attribute].name;
  switch (ATTRIBUTES[attribute].kind) {
  case VALUE_STATE_SELECT: return state_select(p);
  case VALUE_TEXT: {
    Ast *value = expression_leaf(p, AST_STRING);
    if (is_text)
      value->name = comment_text(p);
    else
      parser_fail(p, ERR_VALUE, parser_spot(p), "%s must be a string, as in %s = \"m\"", name,
                  name);
    return value;
  }
  default:
    if (is_text)
      parser_fail(p, ERR_VALUE, parser_spot(p), "%s must be a value, not a string", name);
    return expression_read(p);
  }
}

// modifier = { "each" | "final" } NAME "=" value description
static void modifier(Parser *p, AstDeclaration *d) {
  bool final = false;
  for (; p->token.kind == TOKEN_EACH || p->token.kind == TOKEN_FINAL; parser_next(p))
    final |= p->token.kind == TOKEN_FINAL;
  if (parser_fail_unsupported(p)) return;
  SourceSpot at = parser_spot(p);
  const char *name = parser_name(p, "the name of an attribute");
  int attribute = find_attribute(name);
  if (attribute < 0) {
    fail_attribute(p, at, name);
    return;
  }
  check_new(p, d, at, name);
  if (p->token.kind == TOKEN_LEFT_PAREN)
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p),
                "attributes inside an attribute are not supported");
  parser_expect(p, TOKEN_EQUALS, "after the attribute");
  const Ast *value = attribute_value(p, attribute);
  AstAttribute row = {ATTRIBUTES[attribute].name, value, at.line, at.column, final};
  array_push(p->arena, &d->attributes, row);
  comment_description(p);
}

// modifiers = "(" [ modifier { "," modifier } ] ")"
static void modifiers(Parser *p, AstDeclaration *d) {
  SourceSpot open = parser_spot(p);
  parser_next(p);
  if (p->token.kind != TOKEN_RIGHT_PAREN) {
    do modifier(p, d);
    while (parser_accept(p, TOKEN_COMMA));
  }
  parser_expect_close(p, open);
}

// ---- declarations ----

static const struct {
  const char *name;
  AstType type;
  bool is_prefix; // of the types of a unit library, which are Real
} TYPES[] = {
    {"Real", AST_REAL, false},
    {"Integer", AST_INTEGER, false},
    {"Boolean", AST_BOOLEAN, false},
    {"SI.", AST_REAL, true},
    {"SIunits.", AST_REAL, true},
    {"NonSI.", AST_REAL, true},
    {"Units.SI.", AST_REAL, true},
    {"Modelica.SIunits.", AST_REAL, true},
    {"Modelica.Units.SI.", AST_REAL, true},
    {"Modelica.Units.NonSI.", AST_REAL, true},
};

bool declaration_type(const char *name, AstType *type) {
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
    const char *row = TYPES[i].name;
    bool same = TYPES[i].is_prefix ? strncmp(name, row, strlen(row)) == 0 : strcmp(name, row) == 0;
    if (!same) continue;
    *type = TYPES[i].type;
    return true;
  }
  return false;
}

// The keyword that name may be a misspelling of; NULL: none is near enough.
const char *declaration_word(const char *name) {
  static const char *const WORDS[] = {"parameter", "constant", "input",   "output",    "final",
                                      "equation",  "initial",  "public",  "protected", "annotation",
                                      "end",       "Real",     "Integer", "Boolean"};
  const char *near = nearest_name(name, WORDS, (int)(sizeof WORDS / sizeof *WORDS));
  bool same_start = near && tolower_l((unsigned char)*near, c_locale()) ==
                                tolower_l((unsigned char)*name, c_locale());
  return same_start || strlen(name) >= 6 ? near : NULL;
}

static void fail_type(Parser *p, SourceSpot at, const char *name) {
  const char *near = declaration_word(name);
  if (near)
    parser_fail(p, ERR_SYNTAX, at, "unknown type or keyword '%.80s'; did you mean '%s'?", name,
                near);
  else if (strcmp(name, "String") == 0)
    parser_fail(p, ERR_UNSUPPORTED, at, "variables of type String are not supported yet");
  else if (strncmp(name, "Modelica.Blocks.Interfaces.Real", 31) == 0)
    parser_fail(p, ERR_UNSUPPORTED, at,
                "'%.80s' is not supported yet; write 'input Real' or 'output Real'", name);
  else
    parser_fail(p, ERR_UNSUPPORTED, at,
                "'%.80s' is not Real, Integer or Boolean; components of other classes are not "
                "supported yet",
                name);
}

static bool goes_on_like_equation(TokenKind k) {
  return k == TOKEN_EQUALS || k == TOKEN_ASSIGN || k == TOKEN_LEFT_PAREN ||
         (k >= TOKEN_PLUS && k <= TOKEN_POWER);
}

// A type is expected, but name is none. The next token shows what was meant.
static void fail_type_or_equation(Parser *p, AstRole role, SourceSpot at, const char *name) {
  TokenKind k = p->token.kind;
  bool ends = k == TOKEN_SEMICOLON || k == TOKEN_COMMA;
  if (role != AST_VARIABLE && (ends || goes_on_like_equation(k)))
    parser_fail(p, ERR_SYNTAX, at, "the type of '%.80s' is missing; write Real before it", name);
  else if (goes_on_like_equation(k))
    parser_fail(p, ERR_SYNTAX, at,
                "an equation among the declarations; write 'equation' before it");
  else
    fail_type(p, at, name);
}

// type = NAME { "." NAME }
static AstType type_name(Parser *p, AstRole role) {
  SourceSpot at = parser_spot(p);
  const char *name = expression_read_name(p);
  AstType type = AST_REAL;
  if (!declaration_type(name, &type)) fail_type_or_equation(p, role, at, name);
  if (p->token.kind == TOKEN_LEFT_BRACKET) parser_fail_unsupported(p);
  return type;
}

bool declaration_role(TokenKind kind, AstRole *role) {
  switch (kind) {
  case TOKEN_PARAMETER: *role = AST_PARAMETER; return true;
  case TOKEN_CONSTANT: *role = AST_CONSTANT; return true;
  case TOKEN_INPUT: *role = AST_INPUT; return true;
  case TOKEN_OUTPUT: *role = AST_OUTPUT; return true;
  default: return false;
  }
}

// role = [ "parameter" | "constant" | "input" | "output" ]
static AstRole read_role(Parser *p) {
  AstRole role = AST_VARIABLE, more;
  if (!declaration_role(p->token.kind, &role)) return role;
  TokenKind first = p->token.kind;
  parser_next(p);
  if (declaration_role(p->token.kind, &more))
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "'%s' after '%s': a variable can be only one of them", token_text(p->token.kind),
                token_text(first));
  return role;
}

static void binding(Parser *p, AstDeclaration *d) {
  if (p->token.kind == TOKEN_ASSIGN)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "a declaration is written with '=', not ':='");
  if (parser_accept(p, TOKEN_EQUALS)) d->binding = expression_read(p);
}

// component = NAME [ modifiers ] [ "=" expression ] comment
static AstDeclaration component(Parser *p, bool final, AstRole role, AstType type) {
  AstDeclaration d = {.role = role, .type = type, .final = final};
  d.line = p->token.line, d.column = p->token.column;
  d.name = parser_name(p, "the name of a variable");
  if (p->token.kind == TOKEN_LEFT_BRACKET) parser_fail_unsupported(p);
  if (p->token.kind == TOKEN_LEFT_PAREN) modifiers(p, &d);
  binding(p, &d);
  if (p->token.kind == TOKEN_IF)
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p),
                "conditional declarations are not supported yet");
  d.description = comment_read(p);
  return d;
}

// declaration = [ "final" ] [ "discrete" ] role type component { "," component } ";"
static void declaration(Parser *p, AstModel *m) {
  bool final = parser_accept(p, TOKEN_FINAL), discrete = parser_accept(p, TOKEN_DISCRETE);
  AstRole role = read_role(p);
  if (parser_fail_unsupported(p)) return;
  AstType type = type_name(p, role);
  do {
    parser_check_count(p, m->declarations.count, "declarations");
    AstDeclaration d = component(p, final, role, type);
    d.discrete = discrete;
    array_push(p->arena, &m->declarations, d);
  } while (parser_accept(p, TOKEN_COMMA));
  parser_expect(p, TOKEN_SEMICOLON, "after the declaration");
}

// import = "import" [ NAME "=" ] name ";"
// Only units of the Modelica library, whose types are known without it.
static void import(Parser *p) {
  SourceSpot at = parser_spot(p);
  parser_next(p);
  if (p->token.kind == TOKEN_NAME && parser_peek(p) == TOKEN_EQUALS) {
    parser_next(p);
    parser_next(p);
  }
  const char *name = expression_read_name(p);
  static const char *const KNOWN[] = {"Modelica.Units.SI", "Modelica.SIunits", "Modelica.Units",
                                      "Modelica.Units.NonSI"};
  bool known = false;
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) known |= strcmp(name, KNOWN[i]) == 0;
  if (!known)
    parser_fail(p, ERR_UNSUPPORTED, at,
                "'import' is not supported yet, except of Modelica.Units.SI and Modelica.SIunits");
  comment_read(p);
  parser_expect(p, TOKEN_SEMICOLON, "after the import");
}

// element = annotation ";" | import | declaration
void declaration_element(Parser *p, AstModel *m) {
  switch (p->token.kind) {
  case TOKEN_ANNOTATION:
    comment_annotation(p);
    parser_expect(p, TOKEN_SEMICOLON, "after the annotation");
    return;
  case TOKEN_IMPORT: import(p); return;
  case TOKEN_DER:
  case TOKEN_NUMBER:
  case TOKEN_LEFT_PAREN:
  case TOKEN_MINUS:
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "an equation among the declarations; write 'equation' before it");
    return;
  case TOKEN_NAME:
  case TOKEN_DISCRETE:
  case TOKEN_FINAL: declaration(p, m); return;
  default: break;
  }
  AstRole role;
  if (declaration_role(p->token.kind, &role))
    declaration(p, m);
  else if (!parser_fail_unsupported(p))
    parser_fail_found(p, "a declaration, 'equation' or 'end'");
}
