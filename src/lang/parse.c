#include "lang/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lang/expression.h"
#include "lang/parser.h"

// ---- what stands behind declarations and equations ----

// text = STRING { "+" STRING }
static const char *text(Parser *p) {
  const char *whole = p->token.name;
  parser_next(p);
  while (parser_accept(p, TOKEN_PLUS)) {
    if (p->token.kind != TOKEN_STRING) {
      parser_fail_found(p, "a string after the '+'");
      break;
    }
    whole = arena_print(p->arena, "%s%s", whole, p->token.name);
    parser_next(p);
  }
  return whole;
}

// description = [ text ]
static const char *description(Parser *p) {
  return p->token.kind == TOKEN_STRING ? text(p) : "";
}

// annotation = "annotation" "(" anything with balanced parentheses ")"
static void annotation(Parser *p) {
  parser_next(p);
  Spot open = parser_spot(p);
  parser_expect(p, TOKEN_LEFT_PAREN, "after 'annotation'");
  for (int depth = 1; depth && !p->lexer.failed;) {
    if (p->token.kind == TOKEN_END_OF_TEXT) parser_expect_close(p, open);
    depth += (p->token.kind == TOKEN_LEFT_PAREN) - (p->token.kind == TOKEN_RIGHT_PAREN);
    parser_next(p);
  }
}

// comment = description [ annotation ]
static const char *comment(Parser *p) {
  const char *what = description(p);
  if (p->token.kind == TOKEN_ANNOTATION) annotation(p);
  return what;
}

// ---- attributes ----

typedef enum AttributeKind { VALUE_EXPRESSION, VALUE_TEXT, VALUE_STATE_SELECT } AttributeKind;

static const struct {
  const char *name;
  AttributeKind kind;
} ATTRIBUTES[] = {
    {"start", VALUE_EXPRESSION},   {"fixed", VALUE_EXPRESSION},
    {"min", VALUE_EXPRESSION},     {"max", VALUE_EXPRESSION},
    {"nominal", VALUE_EXPRESSION}, {"unit", VALUE_TEXT},
    {"displayUnit", VALUE_TEXT},   {"quantity", VALUE_TEXT},
    {"unbounded", VALUE_EXPRESSION}, {"stateSelect", VALUE_STATE_SELECT},
};
enum { ATTRIBUTE_COUNT = sizeof ATTRIBUTES / sizeof *ATTRIBUTES };

static int find_attribute(const char *name) {
  for (int i = 0; i < ATTRIBUTE_COUNT; i++)
    if (strcmp(ATTRIBUTES[i].name, name) == 0) return i;
  return -1;
}

static void fail_attribute(Parser *p, Spot at, const char *name) {
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

static void check_new(Parser *p, const AstDeclaration *d, Spot at, const char *name) {
  for (int i = 0; i < d->attributes.count; i++)
    if (strcmp(d->attributes.at[i].name, name) == 0)
      parser_fail(p, ERR_NAME, at, "the attribute '%s' is given twice", name);
}

// StateSelect.never, .avoid, .default, .prefer, .always
static const Ast *state_select(Parser *p) {
  Ast *value = expression_leaf(p, AST_NAME);
  Spot at = parser_spot(p);
  value->name = dotted_name(p);
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
    if (is_text) value->name = text(p);
    else parser_fail(p, ERR_VALUE, parser_spot(p), "%s must be a string, as in %s = \"m\"", name, name);
    return value;
  }
  default:
    if (is_text)
      parser_fail(p, ERR_VALUE, parser_spot(p), "%s must be a value, not a string", name);
    return expression(p);
  }
}

// modifier = { "each" | "final" } NAME "=" value description
static void modifier(Parser *p, AstDeclaration *d) {
  while (p->token.kind == TOKEN_EACH || p->token.kind == TOKEN_FINAL) parser_next(p);
  if (parser_fail_unsupported(p)) return;
  Spot at = parser_spot(p);
  const char *name = parser_name(p, "the name of an attribute");
  int attribute = find_attribute(name);
  if (attribute < 0) {
    fail_attribute(p, at, name);
    return;
  }
  check_new(p, d, at, name);
  if (p->token.kind == TOKEN_LEFT_PAREN)
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p), "attributes inside an attribute are not supported");
  parser_expect(p, TOKEN_EQUALS, "after the attribute");
  const Ast *value = attribute_value(p, attribute);
  AstAttribute row = {ATTRIBUTES[attribute].name, value, at.line, at.column};
  array_push(p->arena, &d->attributes, row);
  description(p);
}

// modifiers = "(" [ modifier { "," modifier } ] ")"
static void modifiers(Parser *p, AstDeclaration *d) {
  Spot open = parser_spot(p);
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
  bool is_prefix; // of the names of a library of units, which are Real
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

static bool find_type(const char *name, AstType *type) {
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
    const char *row = TYPES[i].name;
    bool same = TYPES[i].is_prefix ? strncmp(name, row, strlen(row)) == 0 : strcmp(name, row) == 0;
    if (!same) continue;
    *type = TYPES[i].type;
    return true;
  }
  return false;
}

// The word that is meant by name; NULL when the likeness may be chance.
static const char *similar_word(const char *name) {
  static const char *const WORDS[] = {"parameter", "constant",  "input",    "output",  "final",
                                      "equation",  "initial",   "public",   "protected", "annotation",
                                      "end",       "Real",      "Integer",  "Boolean"};
  const char *near = nearest_name(name, WORDS, (int)(sizeof WORDS / sizeof *WORDS));
  bool same_start = near && tolower((unsigned char)*near) == tolower((unsigned char)*name);
  return same_start || strlen(name) >= 6 ? near : NULL;
}

static void fail_type(Parser *p, Spot at, const char *name) {
  const char *near = similar_word(name);
  if (near)
    parser_fail(p, ERR_SYNTAX, at, "unknown type or keyword '%.80s'; did you mean '%s'?", name, near);
  else if (strcmp(name, "String") == 0)
    parser_fail(p, ERR_UNSUPPORTED, at, "variables of type String are not supported yet");
  else if (strncmp(name, "Modelica.Blocks.Interfaces.Real", 31) == 0)
    parser_fail(p, ERR_UNSUPPORTED, at, "'%.80s' is not supported yet; write 'input Real' or 'output Real'",
                name);
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

// name stands where a type should, and is none. What is meant shows in what follows.
static void fail_type_or_equation(Parser *p, AstRole role, Spot at, const char *name) {
  TokenKind k = p->token.kind;
  bool ends = k == TOKEN_SEMICOLON || k == TOKEN_COMMA;
  if (role != AST_VARIABLE && (ends || goes_on_like_equation(k)))
    parser_fail(p, ERR_SYNTAX, at, "the type of '%.80s' is missing; write Real before it", name);
  else if (goes_on_like_equation(k))
    parser_fail(p, ERR_SYNTAX, at,
                "an equation stands among the declarations; write 'equation' before it");
  else fail_type(p, at, name);
}

// type = NAME { "." NAME }
static AstType type_name(Parser *p, AstRole role) {
  Spot at = parser_spot(p);
  const char *name = dotted_name(p);
  AstType type = AST_REAL;
  if (!find_type(name, &type)) fail_type_or_equation(p, role, at, name);
  if (p->token.kind == TOKEN_LEFT_BRACKET) parser_fail_unsupported(p);
  return type;
}

static bool find_role(TokenKind kind, AstRole *role) {
  switch (kind) {
  case TOKEN_PARAMETER: *role = AST_PARAMETER; return true;
  case TOKEN_CONSTANT: *role = AST_CONSTANT; return true;
  case TOKEN_INPUT: *role = AST_INPUT; return true;
  case TOKEN_OUTPUT: *role = AST_OUTPUT; return true;
  default: return false;
  }
}

// prefixes = [ "final" ] [ "parameter" | "constant" | "input" | "output" ]
static AstRole prefixes(Parser *p) {
  AstRole role = AST_VARIABLE, more;
  parser_accept(p, TOKEN_FINAL);
  if (!find_role(p->token.kind, &role)) return role;
  TokenKind first = p->token.kind;
  parser_next(p);
  if (find_role(p->token.kind, &more))
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "'%s' after '%s': a variable can be only one of them",
                token_text(p->token.kind), token_text(first));
  return role;
}

static void binding(Parser *p, AstDeclaration *d) {
  if (p->token.kind == TOKEN_ASSIGN)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "a declaration is written with '=', not ':='");
  if (parser_accept(p, TOKEN_EQUALS)) d->binding = expression(p);
}

// component = NAME [ modifiers ] [ "=" expression ] comment
static AstDeclaration component(Parser *p, AstRole role, AstType type) {
  AstDeclaration d = {.role = role, .type = type, .line = p->token.line, .column = p->token.column};
  d.name = parser_name(p, "the name of a variable");
  if (p->token.kind == TOKEN_LEFT_BRACKET) parser_fail_unsupported(p);
  if (p->token.kind == TOKEN_LEFT_PAREN) modifiers(p, &d);
  binding(p, &d);
  if (p->token.kind == TOKEN_IF)
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p), "conditional declarations are not supported yet");
  d.description = comment(p);
  return d;
}

static void check_count(Parser *p, int count, const char *what) {
  if (count == PARSE_COUNT_MOST)
    parser_fail(p, ERR_LIMIT, parser_spot(p), "more than %d %s", PARSE_COUNT_MOST, what);
}

// declaration = prefixes type component { "," component } ";"
static void declaration(Parser *p, AstModel *m) {
  AstRole role = prefixes(p);
  if (parser_fail_unsupported(p)) return;
  AstType type = type_name(p, role);
  do {
    check_count(p, m->declarations.count, "declarations");
    AstDeclaration d = component(p, role, type);
    array_push(p->arena, &m->declarations, d);
  } while (parser_accept(p, TOKEN_COMMA));
  parser_expect(p, TOKEN_SEMICOLON, "after the declaration");
}

// import = "import" [ NAME "=" ] name ";" of the units in the Modelica library, whose types are known anyway
static void import(Parser *p) {
  Spot at = parser_spot(p);
  parser_next(p);
  if (p->token.kind == TOKEN_NAME && parser_peek(p) == TOKEN_EQUALS) {
    parser_next(p);
    parser_next(p);
  }
  const char *name = dotted_name(p);
  static const char *const KNOWN[] = {"Modelica.Units.SI", "Modelica.SIunits", "Modelica.Units",
                                      "Modelica.Units.NonSI"};
  bool known = false;
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) known |= strcmp(name, KNOWN[i]) == 0;
  if (!known)
    parser_fail(p, ERR_UNSUPPORTED, at,
                "'import' is not supported yet, except of Modelica.Units.SI and Modelica.SIunits");
  comment(p);
  parser_expect(p, TOKEN_SEMICOLON, "after the import");
}

// element = annotation ";" | import | declaration
static void element(Parser *p, AstModel *m) {
  switch (p->token.kind) {
  case TOKEN_ANNOTATION:
    annotation(p);
    parser_expect(p, TOKEN_SEMICOLON, "after the annotation");
    return;
  case TOKEN_IMPORT: import(p); return;
  case TOKEN_DER:
  case TOKEN_NUMBER:
  case TOKEN_LEFT_PAREN:
  case TOKEN_MINUS:
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "an equation stands among the declarations; write 'equation' before it");
    return;
  case TOKEN_NAME:
  case TOKEN_FINAL: declaration(p, m); return;
  default: break;
  }
  AstRole role;
  if (find_role(p->token.kind, &role)) declaration(p, m);
  else if (!parser_fail_unsupported(p)) parser_fail_found(p, "a declaration, 'equation' or 'end'");
}

// ---- equations ----

static void fail_declaration(Parser *p, Spot at) {
  parser_fail(p, ERR_SYNTAX, at,
              "a declaration stands among the equations; put it before 'equation' or after 'public'");
}

// The left side is read, and no '=' follows.
static void fail_equation(Parser *p, const Ast *left) {
  Spot at = {left->line, left->column};
  AstType type;
  bool name_first = left->kind == AST_NAME && p->token.kind != TOKEN_SEMICOLON;
  if (p->token.kind == TOKEN_ASSIGN)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "an equation is written with '=', not ':='");
  else if (left->kind == AST_BINARY && left->op == AST_EQUAL)
    parser_fail(p, ERR_SYNTAX, at, "an equation is written with '=', not '=='");
  else if (name_first && find_type(left->name, &type)) fail_declaration(p, at);
  else if (name_first && p->token.kind == TOKEN_NAME && similar_word(left->name))
    parser_fail(p, ERR_SYNTAX, at, "unknown keyword '%.80s'; did you mean '%s'?", left->name,
                similar_word(left->name));
  else if (left->kind == AST_CALL && p->token.kind == TOKEN_SEMICOLON)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "expected '=': a call of '%.80s' alone is no equation",
                left->name);
  else parser_expect(p, TOKEN_EQUALS, "in the equation");
}

static bool is_statement(const Token *t) { // a call that acts, instead of an equation
  static const char *const NAMES[] = {"assert", "terminate", "reinit"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (strcmp(t->name, NAMES[i]) == 0) return true;
  return false;
}

static bool fail_statement(Parser *p) {
  AstRole role;
  if (find_role(p->token.kind, &role) || p->token.kind == TOKEN_FINAL) {
    fail_declaration(p, parser_spot(p));
  } else if (p->token.kind == TOKEN_NAME) {
    if (is_statement(&p->token) && parser_peek(p) == TOKEN_LEFT_PAREN)
      parser_fail(p, ERR_UNSUPPORTED, parser_spot(p), "'%s' is not supported yet", p->token.name);
  } else if (token_is_keyword(p->token.kind)) {
    parser_fail_unsupported(p);
  }
  return p->lexer.failed;
}

// equation = simple_expression "=" expression comment ";"
static AstEquation equation(Parser *p) {
  AstEquation e = {.line = p->token.line, .column = p->token.column};
  e.left = simple_expression(p);
  if (p->token.kind != TOKEN_EQUALS) fail_equation(p, e.left);
  parser_next(p);
  e.right = expression(p);
  e.description = comment(p);
  parser_expect(p, TOKEN_SEMICOLON, "after the equation");
  return e;
}

// statement = annotation ";" | equation
static void statement(Parser *p, AstModel *m, bool is_initial) {
  if (p->token.kind == TOKEN_ANNOTATION) {
    annotation(p);
    parser_expect(p, TOKEN_SEMICOLON, "after the annotation");
    return;
  }
  if (fail_statement(p)) return;
  check_count(p, is_initial ? m->initial_equations.count : m->equations.count, "equations");
  AstEquation e = equation(p);
  if (is_initial) array_push(p->arena, &m->initial_equations, e);
  else array_push(p->arena, &m->equations, e);
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
    if (section == DECLARATIONS) element(p, m);
    else statement(p, m, section == INITIAL_EQUATIONS);
  }
}

// "end" NAME ";"
static void model_end(Parser *p, const AstModel *m) {
  if (p->token.kind != TOKEN_END) {
    char wanted[100];
    snprintf(wanted, sizeof wanted, "'end %.80s;'", m->name);
    parser_fail_found(p, wanted);
  }
  parser_next(p);
  Spot at = parser_spot(p);
  const char *name = parser_name(p, "the name of the model after 'end'");
  if (strcmp(name, m->name) != 0)
    parser_fail(p, ERR_SYNTAX, at, "the model '%.80s' ends with the name '%.80s'", m->name, name);
  parser_expect(p, TOKEN_SEMICOLON, "after the end of the model");
}

static void class_keyword(Parser *p) {
  parser_accept(p, TOKEN_ENCAPSULATED);
  if (parser_accept(p, TOKEN_MODEL)) return;
  if (p->token.kind == TOKEN_END_OF_TEXT && p->taken == TOKEN_END_OF_TEXT)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "the text holds no model");
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
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p), "short class definitions are not supported yet");
  m->description = description(p);
  composition(p, m);
  model_end(p, m);
  return m;
}

// file = [ "within" [ name ] ";" ] [ "final" ] model
static AstModel *file(Parser *p) {
  if (parser_accept(p, TOKEN_WITHIN)) {
    if (p->token.kind == TOKEN_NAME) dotted_name(p);
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
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "expected the end of the text after the model, found %s",
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
  const Ast *e = expression(&p);
  if (p.token.kind != TOKEN_END_OF_TEXT) parser_fail_found(&p, "the end of the expression");
  return p.lexer.failed ? NULL : e;
}
