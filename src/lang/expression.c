#include "lang/expression.h"

#include <string.h>

#include "base/deep.h"

enum { NESTING_SMALL = 30 }; // what is nested more deeply is read on a stack of its own

// ---- nodes ----

static Ast *make(Parser *p, AstKind kind, SourceSpot at, int arg_count) {
  Ast *e = arena_alloc(p->arena, 1, sizeof(Ast) + (size_t)arg_count * sizeof(Ast *));
  e->kind = kind;
  e->line = at.line;
  e->column = at.column;
  if (arg_count) e->args = (Ast **)(e + 1);
  e->arg_count = arg_count;
  e->depth = 1;
  return e;
}

static __attribute__((noinline, cold)) void fail_depth(Parser *p, const Ast *e) {
  parser_fail(p, ERR_LIMIT, (SourceSpot){e->line, e->column},
              "the expression is deeper than %d operators; split it with auxiliary variables",
              AST_DEPTH_MOST);
}

static void set_depth(Parser *p, Ast *e) {
  unsigned depth = 0;
  for (int i = 0; i < e->arg_count; i++)
    if (e->args[i]->depth > depth) depth = e->args[i]->depth;
  e->depth = (depth + 1) & 0xFFFF;
  if (depth >= AST_DEPTH_MOST) fail_depth(p, e);
}

Ast *expression_leaf(Parser *p, AstKind kind) {
  return make(p, kind, parser_spot(p), 0);
}

static Ast *nothing(Parser *p) {
  return expression_leaf(p, AST_NUMBER);
}

static Ast *take_number(Parser *p, AstKind kind, double number) {
  Ast *e = expression_leaf(p, kind);
  e->number = number;
  parser_next(p);
  return e;
}

// ---- operators ----

static const unsigned char OPERATOR[TOKEN_COUNT] = {
    [TOKEN_PLUS] = AST_PLUS,       [TOKEN_MINUS] = AST_MINUS,
    [TOKEN_TIMES] = AST_TIMES,     [TOKEN_DIVIDE] = AST_DIVIDE,
    [TOKEN_POWER] = AST_POWER,     [TOKEN_LESS] = AST_LESS,
    [TOKEN_GREATER] = AST_GREATER, [TOKEN_LESS_EQUAL] = AST_LESS_EQUAL,
    [TOKEN_SAME] = AST_EQUAL,      [TOKEN_GREATER_EQUAL] = AST_GREATER_EQUAL,
    [TOKEN_AND] = AST_AND,         [TOKEN_NOT_SAME] = AST_NOT_EQUAL,
    [TOKEN_OR] = AST_OR,           [TOKEN_NOT] = AST_NOT,
};

static bool is_sum(TokenKind k) {
  return k == TOKEN_PLUS || k == TOKEN_MINUS;
}

static bool is_product(TokenKind k) {
  return k == TOKEN_TIMES || k == TOKEN_DIVIDE;
}

static bool is_relation(TokenKind k) {
  return k >= TOKEN_SAME && k <= TOKEN_GREATER_EQUAL;
}

// Takes the next operator and makes its node; the operands follow later.
static Ast *take_operator(Parser *p, AstKind kind) {
  Ast *e = make(p, kind, parser_spot(p), kind == AST_BINARY ? 2 : 1);
  e->op = (AstOp)OPERATOR[p->token.kind];
  parser_next(p);
  return e;
}

static Ast *unary(Parser *p, Ast *e, Ast *operand) {
  e->args[0] = operand;
  set_depth(p, e);
  return e;
}

static Ast *binary(Parser *p, Ast *e, Ast *left, Ast *right) {
  e->args[0] = left;
  e->args[1] = right;
  set_depth(p, e);
  return e;
}

// ---- primary ----

const char *expression_read_name(Parser *p) {
  SourceSpot at = parser_spot(p);
  const char *name = parser_name(p, "a name");
  while (p->token.kind == TOKEN_DOT) {
    parser_next(p);
    const char *part = parser_name(p, "a name after the dot");
    if (strlen(name) + strlen(part) >= LEX_NAME_MOST) {
      parser_fail(p, ERR_LIMIT, at, "a name of more than %d characters", LEX_NAME_MOST);
      return "";
    }
    name = arena_print(p->arena, "%s.%s", name, part);
  }
  return name;
}

// A name with dots; its first part starts at text.
static __attribute__((noinline, cold)) Ast *fail_component(Parser *p, SourceSpot at,
                                                           const char *text) {
  Token whole = {.kind = TOKEN_NAME, .text = text};
  while (p->token.kind == TOKEN_DOT) {
    parser_next(p);
    whole.length = (size_t)(p->token.text + p->token.length - text);
    if (p->token.kind == TOKEN_NAME) parser_next(p);
  }
  char quoted[TOKEN_QUOTE];
  token_quote(&whole, quoted);
  if (strncmp(text, "Modelica.", 9) == 0)
    parser_fail(p, ERR_UNSUPPORTED, at,
                "%s: names of the Modelica library are not supported yet; write the value, or the "
                "function by its short name, as in sin(x)",
                quoted);
  else
    parser_fail(p, ERR_UNSUPPORTED, at, "%s: components are not supported yet", quoted);
  return nothing(p);
}

static __attribute__((noinline, cold)) void fail_argument(Parser *p, const Ast *e) {
  if (p->token.kind == TOKEN_EQUALS)
    parser_fail(p, ERR_UNSUPPORTED, (SourceSpot){e->line, e->column},
                "named arguments in calls are not supported yet");
  else
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p), "'for' in an expression is not supported yet");
}

// argument = expression
static void argument(Parser *p) {
  Ast *e = expression_read(p);
  array_push(p->arena, &p->pending, (Pending){e});
  if (p->token.kind == TOKEN_EQUALS || p->token.kind == TOKEN_FOR) fail_argument(p, e);
}

// What was read since `base` as the arguments of e.
static Ast *take_pending(Parser *p, AstKind kind, SourceSpot at, int base) {
  int count = p->pending.count - base;
  Ast *e = make(p, kind, at, count);
  for (int i = 0; i < count; i++) e->args[i] = p->pending.at[base + i].tree;
  p->pending.count = base;
  set_depth(p, e);
  return e;
}

// array = "{" argument { "," argument } "}"
static Ast *array(Parser *p) {
  SourceSpot open = parser_spot(p);
  int base = p->pending.count;
  parser_next(p);
  do argument(p);
  while (parser_accept(p, TOKEN_COMMA));
  parser_expect(p, TOKEN_RIGHT_BRACE, "after the elements of the array");
  return take_pending(p, AST_ARRAY, open, base);
}

// call = NAME "(" [ argument { "," argument } ] ")"
static Ast *call(Parser *p, SourceSpot at, const char *name) {
  SourceSpot open = parser_spot(p);
  int base = p->pending.count;
  parser_next(p);
  if (p->token.kind != TOKEN_RIGHT_PAREN) {
    do argument(p);
    while (parser_accept(p, TOKEN_COMMA));
  }
  parser_expect_close(p, open);
  Ast *e = take_pending(p, AST_CALL, at, base);
  e->name = name;
  return e;
}

// Functions of entrain itself: Entrain.Tables.linear(...)
static const char *own_name(Parser *p, const char *first) {
  const char *name = first;
  while (parser_accept(p, TOKEN_DOT))
    name = arena_print(p->arena, "%s.%s", name, parser_name(p, "a name after the dot"));
  return name;
}

// reference = NAME | call
static Ast *reference(Parser *p) {
  SourceSpot at = parser_spot(p);
  const char *name = p->token.name, *text = p->token.text;
  TokenKind kind = p->token.kind;
  parser_next(p);
  if (p->token.kind == TOKEN_DOT && strcmp(name, "Entrain") == 0) name = own_name(p, name);
  switch (p->token.kind) {
  case TOKEN_LEFT_PAREN: return call(p, at, name);
  case TOKEN_DOT: return fail_component(p, at, text);
  case TOKEN_LEFT_BRACKET: parser_fail_unsupported(p); return nothing(p);
  default: break;
  }
  if (kind != TOKEN_NAME) // der or initial
    parser_expect(p, TOKEN_LEFT_PAREN, kind == TOKEN_DER ? "after 'der'" : "after 'initial'");
  Ast *e = make(p, AST_NAME, at, 0);
  e->name = name;
  return e;
}

// group = "(" expression ")"
static Ast *group(Parser *p) {
  SourceSpot open = parser_spot(p);
  parser_next(p);
  Ast *e = expression_read(p);
  if (p->token.kind == TOKEN_COMMA)
    parser_fail(p, ERR_UNSUPPORTED, open, "a list of results (a, b) is not supported yet");
  parser_expect_close(p, open);
  return e;
}

// Signs, not, if and strings are expressions, but they are not allowed here.
static __attribute__((noinline, cold)) Ast *fail_operand(Parser *p) {
  TokenKind kind = p->token.kind;
  if (is_sum(kind) && OPERATOR[p->taken])
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "a sign after '%s' needs parentheses, as in a%s(%sb)", token_text(p->taken),
                token_text(p->taken), token_text(kind));
  else if (kind == TOKEN_NOT || kind == TOKEN_IF)
    parser_fail(p, ERR_SYNTAX, parser_spot(p), "'%s' inside a larger expression needs parentheses",
                token_text(kind));
  else if (kind == TOKEN_STRING)
    parser_fail(p, ERR_UNSUPPORTED, parser_spot(p),
                "a string can only be a description or the value of an attribute such as unit");
  else if (kind == TOKEN_FUNCTION || !token_is_keyword(kind))
    parser_fail_unsupported(p);
  parser_fail_found(p, "an expression"); // has no effect after an earlier error
  return nothing(p);
}

// primary = NUMBER | "true" | "false" | reference | group
static Ast *primary(Parser *p) {
  switch (p->token.kind) {
  case TOKEN_NUMBER: return take_number(p, AST_NUMBER, p->token.number);
  case TOKEN_TRUE: return take_number(p, AST_BOOL, 1);
  case TOKEN_FALSE: return take_number(p, AST_BOOL, 0);
  case TOKEN_NAME:
  case TOKEN_DER:
  case TOKEN_INITIAL: return reference(p);
  case TOKEN_LEFT_PAREN: return group(p);
  case TOKEN_LEFT_BRACE: return array(p);
  default: return fail_operand(p);
  }
}

// ---- from strong to weak operators ----

// factor = primary [ "^" primary ]
static Ast *factor(Parser *p) {
  Ast *e = primary(p);
  if (p->token.kind != TOKEN_POWER) return e;
  Ast *power = take_operator(p, AST_BINARY);
  e = binary(p, power, e, primary(p));
  if (p->token.kind == TOKEN_POWER)
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "a^b^c needs parentheses in Modelica: write (a^b)^c or a^(b^c)");
  return e;
}

// term = factor { ("*" | "/") factor }
static Ast *term(Parser *p) {
  Ast *e = factor(p);
  while (is_product(p->token.kind)) {
    Ast *product = take_operator(p, AST_BINARY);
    e = binary(p, product, e, factor(p));
  }
  return e;
}

// arithmetic = [ "+" | "-" ] term { ("+" | "-") term }
static Ast *arithmetic(Parser *p) {
  Ast *sign = is_sum(p->token.kind) ? take_operator(p, AST_UNARY) : NULL;
  Ast *e = term(p);
  if (sign) e = unary(p, sign, e);
  while (is_sum(p->token.kind)) {
    Ast *sum = take_operator(p, AST_BINARY);
    e = binary(p, sum, e, term(p));
  }
  return e;
}

// relation = arithmetic [ ("<" | "<=" | ">" | ">=" | "==" | "<>") arithmetic ]
static Ast *relation(Parser *p) {
  Ast *e = arithmetic(p);
  if (!is_relation(p->token.kind)) return e;
  Ast *compare = take_operator(p, AST_BINARY);
  e = binary(p, compare, e, arithmetic(p));
  if (is_relation(p->token.kind))
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "relations do not chain: write a < b and b < c instead of a < b < c");
  return e;
}

// negation = [ "not" ] relation
static Ast *negation(Parser *p) {
  if (p->token.kind != TOKEN_NOT) return relation(p);
  Ast *negated = take_operator(p, AST_UNARY);
  return unary(p, negated, relation(p));
}

// conjunction = negation { "and" negation }
static Ast *conjunction(Parser *p) {
  Ast *e = negation(p);
  while (p->token.kind == TOKEN_AND) {
    Ast *both = take_operator(p, AST_BINARY);
    e = binary(p, both, e, negation(p));
  }
  return e;
}

// simple_expression = conjunction { "or" conjunction }
Ast *expression_read_simple(Parser *p) {
  Ast *e = conjunction(p);
  while (p->token.kind == TOKEN_OR) {
    Ast *either = take_operator(p, AST_BINARY);
    e = binary(p, either, e, conjunction(p));
  }
  p->expression_end = p->end;
  TokenKind k = p->token.kind;
  if (k == TOKEN_COLON || (k >= TOKEN_DOT_PLUS && k <= TOKEN_DOT_POWER)) parser_fail_unsupported(p);
  return e;
}

// "if" expression "then" expression; the other branch follows later
static Ast *branch(Parser *p) {
  Ast *e = make(p, AST_IF, parser_spot(p), 3);
  parser_next(p);
  e->args[0] = expression_read(p);
  parser_expect(p, TOKEN_THEN, "after the condition");
  e->args[1] = expression_read(p);
  return e;
}

// conditional = "if" expression "then" expression
//               { "elseif" expression "then" expression } "else" expression
static Ast *conditional(Parser *p) {
  int base = p->pending.count;
  do {
    Ast *e = branch(p);
    array_push(p->arena, &p->pending, (Pending){e});
  } while (p->token.kind == TOKEN_ELSEIF);
  parser_expect(p, TOKEN_ELSE, "in the if-expression");
  Ast *last = expression_read(p);
  while (p->pending.count > base) {
    Ast *e = p->pending.at[--p->pending.count].tree;
    e->args[2] = last;
    set_depth(p, e);
    last = e;
  }
  return last;
}

static Ast *either_kind(Parser *p) {
  return p->token.kind == TOKEN_IF ? conditional(p) : expression_read_simple(p);
}

typedef struct NestedExpression {
  Parser *parser;
  Ast *tree;
} NestedExpression;

static void read_nested(void *data) {
  NestedExpression *n = data;
  n->tree = either_kind(n->parser);
}

static Ast *on_own_stack(Parser *p) {
  NestedExpression n = {p, NULL};
  deep_call(read_nested, &n);
  return n.tree;
}

// expression = conditional | simple_expression
Ast *expression_read(Parser *p) {
  if (p->nesting == PARSE_NESTING_MOST) {
    parser_fail(p, ERR_LIMIT, parser_spot(p), "expressions are nested more than %d deep",
                PARSE_NESTING_MOST);
    return nothing(p);
  }
  Ast *e = ++p->nesting == NESTING_SMALL ? on_own_stack(p) : either_kind(p);
  p->nesting--;
  return e;
}
