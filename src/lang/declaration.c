// What a class declares: components, classes, extends, import.
#include <ctype.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "lang/comment.h"
#include "lang/expression.h"
#include "lang/rules.h"

// The keyword that name may be a misspelling of; NULL: none is near enough.
const char *rule_word(const char *name) {
  static const char *const WORDS[] = {"parameter", "constant", "input",   "output",    "final",
                                      "equation",  "initial",  "public",  "protected", "annotation",
                                      "end",       "Real",     "Integer", "Boolean"};
  const char *near = nearest_name(name, WORDS, (int)(sizeof WORDS / sizeof *WORDS));
  bool same_start = near && tolower_l((unsigned char)*near, c_locale()) ==
                                tolower_l((unsigned char)*name, c_locale());
  return same_start || strlen(name) >= 6 ? near : NULL;
}

static bool goes_on_like_equation(TokenKind k) {
  return k == TOKEN_EQUALS || k == TOKEN_ASSIGN || k == TOKEN_LEFT_PAREN ||
         (k >= TOKEN_PLUS && k <= TOKEN_DOT_POWER);
}

// The type is read. What follows shows whether it was one.
static void check_type(Parser *p, bool has_prefix, SourceSpot at, const char *type) {
  TokenKind k = p->token.kind;
  bool ends = k == TOKEN_SEMICOLON || k == TOKEN_COMMA, builtin = false;
  static const char *const TYPES[] = {"Real", "Integer", "Boolean", "String"};
  for (int i = 0; i < 4; i++) builtin |= strcmp(type, TYPES[i]) == 0;
  bool another = k == TOKEN_DER || (k == TOKEN_NAME && parser_peek(p) == TOKEN_NAME);
  const char *near = builtin || !another ? NULL : rule_word(type);
  if (builtin) return;
  if (has_prefix && (ends || goes_on_like_equation(k)))
    parser_fail(p, ERR_SYNTAX, at, "the type of '%.80s' is missing; write Real before it", type);
  else if (goes_on_like_equation(k))
    parser_fail(p, ERR_SYNTAX, at,
                "an equation among the declarations; write 'equation' before it");
  else if (near)
    parser_fail(p, ERR_SYNTAX, at, "unknown type or keyword '%.80s'; did you mean '%s'?", type,
                near);
}

// prefix = [ "flow" | "stream" ] [ "discrete" | "parameter" | "constant" ] [ "input" | "output" ]
AstPrefix rule_prefix(Parser *p) {
  AstPrefix prefix = {0};
  TokenKind before = TOKEN_END_OF_TEXT;
  for (;; parser_next(p)) {
    TokenKind k = p->token.kind;
    bool known = true;
    bool was_variability = prefix.variability != VARIABILITY_NONE;
    bool was_causality = prefix.causality != CAUSALITY_NONE;
    switch (k) {
    case TOKEN_FLOW: prefix.flow = true; break;
    case TOKEN_STREAM: prefix.stream = true; break;
    case TOKEN_DISCRETE: prefix.variability = VARIABILITY_DISCRETE; break;
    case TOKEN_PARAMETER: prefix.variability = VARIABILITY_PARAMETER; break;
    case TOKEN_CONSTANT: prefix.variability = VARIABILITY_CONSTANT; break;
    case TOKEN_INPUT: prefix.causality = CAUSALITY_INPUT; break;
    case TOKEN_OUTPUT: prefix.causality = CAUSALITY_OUTPUT; break;
    default: known = false;
    }
    if (!known) return prefix;
    bool twice = (k == TOKEN_INPUT || k == TOKEN_OUTPUT)
                     ? was_causality
                     : (k != TOKEN_FLOW && k != TOKEN_STREAM && was_variability);
    if (twice)
      parser_fail(p, ERR_SYNTAX, parser_spot(p),
                  "'%s' after '%s': a variable can be only one of them", token_text(k),
                  token_text(before));
    before = k;
  }
}

void rule_sizes(Parser *p, AstList *sizes) {
  if (p->token.kind != TOKEN_LEFT_BRACKET) return;
  parser_next(p);
  do {
    bool open = p->token.kind == TOKEN_COLON;
    array_push(p->arena, sizes, open ? expression_leaf(p, AST_COLON) : expression_read(p));
    if (open) parser_next(p);
  } while (parser_accept(p, TOKEN_COMMA));
  parser_expect(p, TOKEN_RIGHT_BRACKET, "after the sizes");
}

// component = NAME [ sizes ] [ modifiers ] [ "=" expression ] [ "if" expression ] comment
static void component(Parser *p, AstElement *e, const AstList *type_sizes) {
  AstNotes notes = notes_none();
  e->line = p->token.line, e->column = p->token.column;
  e->name = parser_name(p, "the name of a variable");
  rule_sizes(p, &e->sizes);
  for (int i = 0; i < type_sizes->count; i++) array_push(p->arena, &e->sizes, type_sizes->at[i]);
  rule_modifiers(p, &e->modifiers);
  if (p->token.kind == TOKEN_ASSIGN && !p->in_function)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "a declaration is written with '=', not ':='");
  if (parser_accept(p, TOKEN_EQUALS) || parser_accept(p, TOKEN_ASSIGN))
    e->binding = expression_read(p);
  if (parser_accept(p, TOKEN_IF)) e->condition = expression_read(p);
  e->description = comment_read(p, &notes);
  e->evaluate = notes.evaluate;
}

static void constraint(Parser *p, AstElement *e) {
  if (!parser_accept(p, TOKEN_CONSTRAINEDBY)) return;
  parser_accept(p, TOKEN_DOT);
  e->constraint = expression_read_name(p);
  rule_modifiers(p, &e->constraint_modifiers);
  comment_read(p, NULL);
}

static const char *type_name(Parser *p) {
  bool top = parser_accept(p, TOKEN_DOT);
  const char *name = expression_read_name(p);
  return top ? arena_print(p->arena, ".%s", name) : name;
}

// components = prefix type [ sizes ] component { "," component }
static void components(Parser *p, AstClass *c, AstElement base, bool several) {
  bool starts = p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_DOT;
  TokenKind first = p->token.kind;
  base.kind = ELEMENT_COMPONENT;
  base.prefix = rule_prefix(p);
  bool has_prefix = first != p->token.kind || !starts || base.final;
  SourceSpot at = parser_spot(p);
  base.type = type_name(p);
  base.type_line = at.line, base.type_column = at.column;
  AstList sizes = {0};
  rule_sizes(p, &sizes);
  check_type(p, has_prefix, at, base.type);
  int from = c->elements.count;
  do {
    parser_check_count(p, c->elements.count, "declarations");
    AstElement e = base;
    component(p, &e, &sizes);
    array_push(p->arena, &c->elements, e);
  } while (several && parser_accept(p, TOKEN_COMMA));
  for (int i = from; i < c->elements.count && p->token.kind == TOKEN_CONSTRAINEDBY; i++)
    constraint(p, &c->elements.at[i]);
}

static void nested_class(Parser *p, AstClass *c, AstElement e) {
  e.kind = ELEMENT_CLASS;
  e.class = rule_class(p);
  e.name = e.class->name;
  e.line = e.class->line, e.column = e.class->column;
  e.description = e.class->description;
  constraint(p, &e);
  array_push(p->arena, &c->elements, e);
}

// extends = "extends" name [ modifiers ]
static void extends(Parser *p, AstClass *c, bool hidden) {
  AstElement e = {.kind = ELEMENT_EXTENDS, .hidden = hidden};
  parser_next(p);
  e.line = p->token.line, e.column = p->token.column;
  e.type = type_name(p);
  rule_modifiers(p, &e.modifiers);
  comment_read(p, NULL);
  array_push(p->arena, &c->elements, e);
}

static void add_import(Parser *p, AstClass *c, AstElement e, const char *name, const char *alias) {
  e.type = name;
  e.name = alias;
  array_push(p->arena, &c->elements, e);
}

static const char *last_part(const char *name) {
  const char *dot = name;
  bool quoted = false;
  for (const char *s = name; *s; s++) {
    if (*s == '\'') quoted = !quoted;
    if (*s == '.' && !quoted) dot = s + 1;
  }
  return dot;
}

// import = "import" ( NAME "=" name | name [ ".*" | ".{" NAME { "," NAME } "}" ] )
static void import(Parser *p, AstClass *c) {
  AstElement e = {.kind = ELEMENT_IMPORT};
  parser_next(p);
  e.line = p->token.line, e.column = p->token.column;
  if (p->token.kind == TOKEN_NAME && parser_peek(p) == TOKEN_EQUALS) {
    const char *alias = p->token.name;
    parser_next(p);
    parser_next(p);
    add_import(p, c, e, type_name(p), alias);
    comment_read(p, NULL);
    return;
  }
  const char *name = parser_name(p, "a name");
  while (p->token.kind == TOKEN_DOT || p->token.kind == TOKEN_DOT_TIMES) {
    if (parser_accept(p, TOKEN_DOT_TIMES)) {
      add_import(p, c, e, name, NULL);
      comment_read(p, NULL);
      return;
    }
    parser_next(p);
    if (parser_accept(p, TOKEN_LEFT_BRACE)) {
      do {
        const char *part = parser_name(p, "a name");
        add_import(p, c, e, arena_print(p->arena, "%s.%s", name, part), part);
      } while (parser_accept(p, TOKEN_COMMA));
      parser_expect(p, TOKEN_RIGHT_BRACE, "after the names");
      comment_read(p, NULL);
      return;
    }
    name = arena_print(p->arena, "%s.%s", name, parser_name(p, "a name after the dot"));
  }
  add_import(p, c, e, name, last_part(name));
  comment_read(p, NULL);
}

// prefixes = { "each" | "redeclare" | "final" | "inner" | "outer" | "replaceable" }
static AstElement element_prefixes(Parser *p) {
  AstElement e = {0};
  for (;; parser_next(p)) switch (p->token.kind) {
    case TOKEN_EACH: break;
    case TOKEN_REDECLARE: e.redeclare = true; break;
    case TOKEN_FINAL: e.final = true; break;
    case TOKEN_INNER: e.inner = true; break;
    case TOKEN_OUTER: e.outer = true; break;
    case TOKEN_REPLACEABLE: e.replaceable = true; break;
    default: return e;
    }
}

static void declared(Parser *p, AstClass *c, bool hidden, bool several) {
  AstElement e = element_prefixes(p);
  e.hidden = hidden;
  if (rule_starts_class(p))
    nested_class(p, c, e);
  else
    components(p, c, e, several);
}

AstElement *rule_redeclared(Parser *p) {
  AstClass list = {0};
  declared(p, &list, false, false);
  if (list.elements.count) return &list.elements.at[0];
  return ARENA_NEW(p->arena, AstElement);
}

// element = ( annotation | import | extends | prefixes ( class | components ) ) ";"
void rule_element(Parser *p, AstClass *c, bool hidden) {
  const char *where = "after the declaration";
  switch (p->token.kind) {
  case TOKEN_ANNOTATION:
    comment_annotation(p, p->notes);
    where = "after the annotation";
    break;
  case TOKEN_IMPORT:
    import(p, c);
    where = "after the import";
    break;
  case TOKEN_EXTENDS:
    extends(p, c, hidden);
    where = "after 'extends'";
    break;
  case TOKEN_DER:
  case TOKEN_NUMBER:
  case TOKEN_LEFT_PAREN:
  case TOKEN_MINUS:
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "an equation among the declarations; write 'equation' before it");
    return;
  case TOKEN_NAME:
  case TOKEN_DOT:
  case TOKEN_REDECLARE:
  case TOKEN_FINAL:
  case TOKEN_INNER:
  case TOKEN_OUTER:
  case TOKEN_REPLACEABLE:
  case TOKEN_FLOW:
  case TOKEN_STREAM:
  case TOKEN_DISCRETE:
  case TOKEN_PARAMETER:
  case TOKEN_CONSTANT:
  case TOKEN_INPUT:
  case TOKEN_OUTPUT: declared(p, c, hidden, true); break;
  default:
    if (!rule_starts_class(p)) {
      parser_fail_found(p, "a declaration, 'equation' or 'end'");
      return;
    }
    declared(p, c, hidden, true);
  }
  parser_expect(p, TOKEN_SEMICOLON, where);
}
