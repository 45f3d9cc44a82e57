// Classes and files.
#include "lang/parse.h"

#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"
#include "lang/comment.h"
#include "lang/expression.h"
#include "lang/rules.h"

static const char *const KIND_WORDS[] = {"model", "block",   "class",    "record",  "connector",
                                         "type",  "package", "function", "operator"};

const char *class_kind_word(AstClassKind kind) {
  return KIND_WORDS[kind];
}

// ---- the inside of a class ----

typedef enum ClassSection {
  DECLARATIONS,
  EQUATIONS,
  INITIAL_EQUATIONS,
  ALGORITHM,
  INITIAL_ALGORITHM,
} ClassSection;

// section = "public" | "protected" | [ "initial" ] ( "equation" | "algorithm" )
static bool section_start(Parser *p, ClassSection *section, bool *hidden) {
  switch (p->token.kind) {
  case TOKEN_PUBLIC:
  case TOKEN_PROTECTED:
    *section = DECLARATIONS;
    *hidden = p->token.kind == TOKEN_PROTECTED;
    break;
  case TOKEN_EQUATION: *section = EQUATIONS; break;
  case TOKEN_ALGORITHM: *section = ALGORITHM; break;
  case TOKEN_PARAMETER: // "parameter equation" of Base Modelica: guess values
    if (parser_peek(p) != TOKEN_EQUATION) return false;
    parser_next(p);
    *section = INITIAL_EQUATIONS;
    break;
  case TOKEN_INITIAL:
    if (parser_peek(p) == TOKEN_LEFT_PAREN) return false; // initial()
    parser_next(p);
    *section = p->token.kind == TOKEN_ALGORITHM ? INITIAL_ALGORITHM : INITIAL_EQUATIONS;
    if (p->token.kind != TOKEN_EQUATION && p->token.kind != TOKEN_ALGORITHM)
      parser_fail_found(p, "'equation' after 'initial'");
    break;
  default: return false;
  }
  parser_next(p);
  return true;
}

static void algorithm(Parser *p, AstClass *c, bool initial) {
  AstItemList list = {0};
  rule_items(p, &list, true);
  if (initial)
    array_push(p->arena, &c->initial_algorithms, list);
  else
    array_push(p->arena, &c->algorithms, list);
}

// external = "external" [ STRING ] [ [ reference "=" ] NAME "(" [ expressions ] ")" ] [ annotation ] ";"
static void external(Parser *p, AstClass *c) {
  c->is_external = true;
  c->language = "C";
  c->external_name = c->name;
  parser_next(p);
  if (p->token.kind == TOKEN_STRING) {
    c->language = p->token.name;
    parser_next(p);
  }
  if (p->token.kind == TOKEN_NAME) {
    const Ast *call = expression_read_simple(p);
    if (parser_accept(p, TOKEN_EQUALS)) {
      c->external_result = call;
      call = expression_read_simple(p);
    }
    c->external_name = call->name;
    for (int i = 0; call->kind == AST_CALL && i < call->arg_count; i++)
      array_push(p->arena, &c->external_arguments, call->args[i]);
  }
  if (p->token.kind == TOKEN_ANNOTATION) comment_annotation(p, NULL);
  parser_expect(p, TOKEN_SEMICOLON, "after the external function");
}

// composition = { element } { section { element | item } }
static void composition(Parser *p, AstClass *c) {
  ClassSection section = DECLARATIONS;
  bool hidden = false;
  while (p->token.kind != TOKEN_END && p->token.kind != TOKEN_END_OF_TEXT) {
    bool fresh = section_start(p, &section, &hidden);
    if (section == DECLARATIONS && fresh) continue;
    if (p->token.kind == TOKEN_EXTERNAL) {
      external(p, c);
      continue;
    }
    const char *at = p->token.text;
    switch (section) {
    case DECLARATIONS: rule_element(p, c, hidden); break;
    case EQUATIONS: rule_items(p, &c->equations, false); break;
    case INITIAL_EQUATIONS: rule_items(p, &c->initial_equations, false); break;
    case ALGORITHM: algorithm(p, c, false); break;
    case INITIAL_ALGORITHM: algorithm(p, c, true); break;
    }
    bool stuck = p->token.text == at && !fresh && p->token.kind != TOKEN_END;
    if (stuck && p->token.kind != TOKEN_END_OF_TEXT) parser_fail_found(p, "an expression");
  }
}

// ---- classes ----

bool rule_starts_class(const Parser *p) {
  switch (p->token.kind) {
  case TOKEN_ENCAPSULATED:
  case TOKEN_PARTIAL:
  case TOKEN_CLASS:
  case TOKEN_MODEL:
  case TOKEN_BLOCK:
  case TOKEN_RECORD:
  case TOKEN_CONNECTOR:
  case TOKEN_EXPANDABLE:
  case TOKEN_TYPE:
  case TOKEN_PACKAGE:
  case TOKEN_FUNCTION:
  case TOKEN_PURE:
  case TOKEN_IMPURE:
  case TOKEN_OPERATOR: return true;
  default: return false;
  }
}

static bool kind_of(TokenKind token, AstClassKind *kind) {
  static const TokenKind TOKENS[] = {TOKEN_MODEL,     TOKEN_BLOCK, TOKEN_CLASS,   TOKEN_RECORD,
                                     TOKEN_CONNECTOR, TOKEN_TYPE,  TOKEN_PACKAGE, TOKEN_FUNCTION};
  for (size_t i = 0; i < sizeof TOKENS / sizeof *TOKENS; i++)
    if (TOKENS[i] == token) {
      *kind = (AstClassKind)i;
      return true;
    }
  return false;
}

// kind = { "encapsulated" | "partial" | "expandable" | "pure" | "impure" | "operator" } word
static void class_kind(Parser *p, AstClass *c) {
  bool operator= false;
  for (;; parser_next(p)) {
    TokenKind k = p->token.kind;
    if (k == TOKEN_ENCAPSULATED)
      c->encapsulated = true;
    else if (k == TOKEN_PARTIAL)
      c->partial = true;
    else if (k == TOKEN_EXPANDABLE)
      c->expandable = true;
    else if (k == TOKEN_OPERATOR)
      operator= true;
    else if (k != TOKEN_PURE && k != TOKEN_IMPURE && k != TOKEN_FINAL)
      break;
  }
  if (kind_of(p->token.kind, &c->kind)) {
    parser_next(p);
    if (operator&& c->kind == CLASS_RECORD) c->operator_record = true;
    return;
  }
  c->kind = CLASS_OPERATOR;
  if (!operator) parser_fail_found(p, "'model' or another kind of class");
}

// enumeration = "enumeration" "(" ( ":" | literal { "," literal } ) ")"
static void enumeration(Parser *p, AstClass *c) {
  c->is_enumeration = true;
  parser_next(p);
  SourceSpot open = parser_spot(p);
  parser_expect(p, TOKEN_LEFT_PAREN, "after 'enumeration'");
  if (!parser_accept(p, TOKEN_COLON) && p->token.kind != TOKEN_RIGHT_PAREN) {
    do {
      AstLiteral l = {.name = parser_name(p, "a name")};
      l.description = comment_read(p, NULL);
      array_push(p->arena, &c->literals, l);
    } while (parser_accept(p, TOKEN_COMMA));
  }
  parser_expect_close(p, open);
}

// short = "=" ( enumeration | prefix name [ sizes ] [ modifiers ] | "der" "(" ... ")" ) comment
static void short_class(Parser *p, AstClass *c) {
  c->is_short = true;
  if (p->token.kind == TOKEN_ENUMERATION) {
    enumeration(p, c);
  } else if (p->token.kind == TOKEN_DER) {
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p),
                "a function as the derivative of another is not supported");
  } else {
    c->prefix = rule_prefix(p);
    c->base_line = p->token.line, c->base_column = p->token.column;
    bool top = parser_accept(p, TOKEN_DOT);
    c->base = expression_read_name(p);
    if (top) c->base = arena_print(p->arena, ".%s", c->base);
    rule_sizes(p, &c->sizes);
    rule_modifiers(p, &c->modifiers);
  }
  const char *what = comment_read(p, NULL);
  if (what[0]) c->description = what;
}

static void class_end(Parser *p, const AstClass *c) {
  if (p->token.kind != TOKEN_END) {
    char wanted[100];
    c_snprintf(wanted, sizeof wanted, "'end %.80s;'", c->name);
    parser_fail_found(p, wanted);
  }
  parser_next(p);
  SourceSpot at = parser_spot(p);
  char what[60];
  c_snprintf(what, sizeof what, "the name of the %s after 'end'", class_kind_word(c->kind));
  const char *name = parser_name(p, what);
  if (strcmp(name, c->name) != 0)
    parser_fail(p, ERR_SYNTAX, at, "the %s '%.80s' ends with the name '%.80s'",
                class_kind_word(c->kind), c->name, name);
}

static void long_class(Parser *p, AstClass *c) {
  bool outer = p->in_function;
  AstNotes *outer_notes = p->notes, notes = notes_none();
  p->in_function = c->kind == CLASS_FUNCTION;
  p->notes = &notes;
  c->description = comment_description(p);
  composition(p, c);
  class_end(p, c);
  p->in_function = outer;
  p->notes = outer_notes;
  c->start_time = notes.start_time, c->stop_time = notes.stop_time;
  c->tolerance = notes.tolerance, c->interval = notes.interval;
  c->version = notes.version;
}

// class = kind ( NAME ( short | long ) | "extends" NAME [ modifiers ] long )
AstClass *rule_class(Parser *p) {
  AstClass *c = ARENA_NEW(p->arena, AstClass);
  c->source = p->lexer.source;
  c->stop_time = c->start_time = c->tolerance = c->interval = nan("");
  c->description = "";
  if (!rule_enter(p)) return c->name = "", c;
  class_kind(p, c);
  bool extended = parser_accept(p, TOKEN_EXTENDS);
  c->line = p->token.line, c->column = p->token.column;
  char what[60];
  c_snprintf(what, sizeof what, "the name of the %s", class_kind_word(c->kind));
  c->name = parser_name(p, what);
  if (extended) {
    c->extends = c->name;
    rule_modifiers(p, &c->modifiers);
    long_class(p, c);
  } else if (parser_accept(p, TOKEN_EQUALS)) {
    short_class(p, c);
  } else {
    long_class(p, c);
  }
  p->classes--;
  return c;
}

// ---- files ----

static void fail_first_word(Parser *p) {
  if (p->token.kind == TOKEN_END_OF_TEXT && p->taken == TOKEN_END_OF_TEXT)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "the text contains no model");
  static const char *const WORDS[] = {"model", "package"};
  const char *near = p->token.kind == TOKEN_NAME ? nearest_name(p->token.name, WORDS, 2) : NULL;
  char wanted[60];
  c_snprintf(wanted, sizeof wanted, near ? "'%s' (is it misspelled?)" : "'%s'",
             near ? near : "model");
  parser_fail_found(p, wanted);
}

// file = [ "within" [ name ] ";" ] { [ "final" ] class ";" }
static AstFile *file(Parser *p) {
  AstFile *f = ARENA_NEW(p->arena, AstFile);
  if (parser_accept(p, TOKEN_WITHIN)) {
    f->within = "";
    if (p->token.kind == TOKEN_NAME) f->within = expression_read_name(p);
    parser_expect(p, TOKEN_SEMICOLON, "after 'within'");
  }
  do {
    parser_accept(p, TOKEN_FINAL);
    if (!rule_starts_class(p)) {
      if (f->classes.count == 0 || p->token.kind == TOKEN_END_OF_TEXT)
        fail_first_word(p);
      else
        parser_fail_found(p, "the end of the text or another class");
      break;
    }
    AstClass *c = rule_class(p);
    array_push(p->arena, &f->classes, c);
    char where[60];
    c_snprintf(where, sizeof where, "after the end of the %s", class_kind_word(c->kind));
    parser_expect(p, TOKEN_SEMICOLON, where);
  } while (p->token.kind != TOKEN_END_OF_TEXT);
  return f;
}

AstFile *parse_file(Arena *a, const Source *s, Err *err) {
  Parser p;
  parser_begin(&p, a, s, err);
  AstFile *f = file(&p);
  return p.lexer.failed ? NULL : f;
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
