#include "lang/expression.h"

#include <string.h>

#include "base/c_locale.h"
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
    [TOKEN_PLUS] = AST_PLUS,
    [TOKEN_MINUS] = AST_MINUS,
    [TOKEN_TIMES] = AST_TIMES,
    [TOKEN_DIVIDE] = AST_DIVIDE,
    [TOKEN_POWER] = AST_POWER,
    [TOKEN_LESS] = AST_LESS,
    [TOKEN_GREATER] = AST_GREATER,
    [TOKEN_LESS_EQUAL] = AST_LESS_EQUAL,
    [TOKEN_SAME] = AST_EQUAL,
    [TOKEN_GREATER_EQUAL] = AST_GREATER_EQUAL,
    [TOKEN_AND] = AST_AND,
    [TOKEN_NOT_SAME] = AST_NOT_EQUAL,
    [TOKEN_OR] = AST_OR,
    [TOKEN_NOT] = AST_NOT,
    [TOKEN_DOT_PLUS] = AST_EACH_PLUS,
    [TOKEN_DOT_MINUS] = AST_EACH_MINUS,
    [TOKEN_DOT_TIMES] = AST_EACH_TIMES,
    [TOKEN_DOT_DIVIDE] = AST_EACH_DIVIDE,
    [TOKEN_DOT_POWER] = AST_EACH_POWER,
};

static bool is_sum(TokenKind k) {
  return k == TOKEN_PLUS || k == TOKEN_MINUS || k == TOKEN_DOT_PLUS || k == TOKEN_DOT_MINUS;
}

static bool is_product(TokenKind k) {
  return k == TOKEN_TIMES || k == TOKEN_DIVIDE || k == TOKEN_DOT_TIMES || k == TOKEN_DOT_DIVIDE;
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

// The pending arguments from base on become those of a new node.
static Ast *collect(Parser *p, AstKind kind, SourceSpot at, int base) {
  int count = p->pending.count - base;
  Ast *e = make(p, kind, at, count);
  for (int i = 0; i < count; i++) e->args[i] = p->pending.at[base + i].tree;
  p->pending.count = base;
  set_depth(p, e);
  return e;
}

static void push(Parser *p, Ast *e) {
  array_push(p->arena, &p->pending, (Pending){e});
}

// iterator = NAME [ "in" expression ]
Ast *expression_read_iterator(Parser *p) {
  SourceSpot at = parser_spot(p);
  const char *name = parser_name(p, "the name of an iterator");
  int base = p->pending.count;
  if (parser_accept(p, TOKEN_IN)) push(p, expression_read(p));
  Ast *e = collect(p, AST_ITERATOR, at, base);
  e->name = name;
  return e;
}

// argument = expression [ "for" iterator { "," iterator } ]; the iterators become one node with it
static Ast *argument_with_iterators(Parser *p) {
  Ast *e = expression_read(p);
  if (p->token.kind != TOKEN_FOR) return e;
  SourceSpot at = {e->line, e->column};
  int base = p->pending.count;
  push(p, e);
  parser_next(p);
  do push(p, expression_read_iterator(p));
  while (parser_accept(p, TOKEN_COMMA));
  return collect(p, AST_EACH, at, base);
}

static void arguments(Parser *p);

// "function" name "(" arguments ")"
static Ast *partial_application(Parser *p) {
  SourceSpot at = parser_spot(p);
  parser_next(p);
  const char *name = expression_read_name(p);
  SourceSpot open = parser_spot(p);
  int base = p->pending.count;
  parser_expect(p, TOKEN_LEFT_PAREN, "after the name of the function");
  arguments(p);
  parser_expect_close(p, open);
  Ast *e = collect(p, AST_PARTIAL, at, base);
  e->name = name;
  return e;
}

// named = NAME "=" ( expression | partial_application )
static Ast *named_argument(Parser *p) {
  SourceSpot at = parser_spot(p);
  int base = p->pending.count;
  const char *name = parser_name(p, "a name");
  parser_next(p);
  push(p, p->token.kind == TOKEN_FUNCTION ? partial_application(p) : expression_read(p));
  Ast *e = collect(p, AST_NAMED, at, base);
  e->name = name;
  return e;
}

// argument = named | partial_application | expression with iterators
static Ast *argument(Parser *p) {
  if (p->token.kind == TOKEN_FUNCTION) return partial_application(p);
  if (p->token.kind == TOKEN_NAME && parser_peek(p) == TOKEN_EQUALS) return named_argument(p);
  return argument_with_iterators(p);
}

// arguments = [ argument { "," argument } ]
static void arguments(Parser *p) {
  if (p->token.kind == TOKEN_RIGHT_PAREN) return;
  do push(p, argument(p));
  while (parser_accept(p, TOKEN_COMMA));
}

// call = name "(" arguments ")"
static Ast *call(Parser *p, SourceSpot at, const char *name) {
  SourceSpot open = parser_spot(p);
  int base = p->pending.count;
  parser_next(p);
  arguments(p);
  parser_expect_close(p, open);
  Ast *e = collect(p, AST_CALL, at, base);
  e->name = name;
  return e;
}

static void expect_right(Parser *p, TokenKind kind, SourceSpot open) {
  if (parser_accept(p, kind)) return;
  char wanted[80];
  c_snprintf(wanted, sizeof wanted, "'%s' for the '%s' of %d:%d", token_text(kind),
             kind == TOKEN_RIGHT_BRACE ? "{" : "[", open.line - p->lexer.source->lines_before,
             open.column);
  parser_fail_found(p, wanted);
}

// subscripts = "[" ( ":" | expression ) { "," ... } "]"
static Ast *subscripts(Parser *p, Ast *of) {
  SourceSpot open = parser_spot(p);
  int base = p->pending.count;
  parser_next(p);
  push(p, of);
  p->subscripts++;
  do {
    bool whole = p->token.kind == TOKEN_COLON;
    push(p, whole ? expression_leaf(p, AST_COLON) : expression_read(p));
    if (whole) parser_next(p);
  } while (parser_accept(p, TOKEN_COMMA));
  p->subscripts--;
  expect_right(p, TOKEN_RIGHT_BRACKET, open);
  return collect(p, AST_INDEX, (SourceSpot){of->line, of->column}, base);
}

static Ast *field(Parser *p, Ast *of) {
  parser_next(p);
  Ast *e = make(p, AST_FIELD, (SourceSpot){of->line, of->column}, 1);
  e->name = parser_name(p, "a name after the dot");
  e->args[0] = of;
  set_depth(p, e);
  return e;
}

// The text of a.b.c; NULL: it has subscripts.
static const char *dotted(Parser *p, const Ast *e) {
  if (e->kind == AST_NAME) return e->name;
  const char *front = e->kind == AST_FIELD ? dotted(p, e->args[0]) : NULL;
  if (!front) return NULL;
  if (strlen(front) + strlen(e->name) >= LEX_NAME_MOST) {
    parser_fail(p, ERR_LIMIT, (SourceSpot){e->line, e->column}, "a name of more than %d characters",
                LEX_NAME_MOST);
    return NULL;
  }
  return arena_print(p->arena, "%s.%s", front, e->name);
}

// { "." NAME | subscripts } behind e
static Ast *parts(Parser *p, Ast *e) {
  for (;;) {
    if (p->token.kind == TOKEN_DOT)
      e = field(p, e);
    else if (p->token.kind == TOKEN_LEFT_BRACKET)
      e = subscripts(p, e);
    else
      return e;
  }
}

// reference = [ "." ] NAME { "." NAME | subscripts } [ "(" arguments ")" ]
static Ast *reference(Parser *p) {
  SourceSpot at = parser_spot(p);
  bool top = parser_accept(p, TOKEN_DOT);
  if (top && p->token.kind != TOKEN_NAME) parser_fail_found(p, "a name after the dot");
  const char *name = p->token.name;
  TokenKind kind = p->token.kind;
  parser_next(p);
  if (kind != TOKEN_NAME) { // der, initial, pure
    if (p->token.kind == TOKEN_LEFT_PAREN) return call(p, at, name);
    char where[40];
    c_snprintf(where, sizeof where, "after '%s'", token_text(kind));
    parser_expect(p, TOKEN_LEFT_PAREN, where);
    return nothing(p);
  }
  if (p->token.kind == TOKEN_LEFT_PAREN && !top) return call(p, at, name);
  Ast *e = make(p, AST_NAME, at, 0);
  e->name = top ? arena_print(p->arena, ".%s", name) : name;
  e = parts(p, e);
  if (p->token.kind != TOKEN_LEFT_PAREN) return e;
  const char *function = dotted(p, e);
  if (function) return call(p, at, function);
  parser_fail(p, ERR_UNSUPPORTED, at, "a function of an array element cannot be called");
  return nothing(p);
}

// group = "(" [ expression ] { "," [ expression ] } ")" { "." NAME | subscripts }
static Ast *group(Parser *p) {
  SourceSpot open = parser_spot(p);
  int base = p->pending.count;
  parser_next(p);
  if (p->token.kind == TOKEN_RIGHT_PAREN) {
    parser_fail_found(p, "an expression");
    return nothing(p);
  }
  Ast *first = p->token.kind == TOKEN_COMMA ? expression_leaf(p, AST_NOTHING) : expression_read(p);
  push(p, first);
  while (parser_accept(p, TOKEN_COMMA)) {
    bool left_out = p->token.kind == TOKEN_COMMA || p->token.kind == TOKEN_RIGHT_PAREN;
    push(p, left_out ? expression_leaf(p, AST_NOTHING) : expression_read(p));
  }
  parser_expect_close(p, open);
  bool single = p->pending.count == base + 1;
  if (single) p->pending.count = base;
  return single ? parts(p, first) : collect(p, AST_TUPLE, open, base);
}

// array = "{" argument { "," argument } "}"
static Ast *array(Parser *p) {
  SourceSpot open = parser_spot(p);
  int base = p->pending.count;
  parser_next(p);
  if (p->token.kind != TOKEN_RIGHT_BRACE) {
    do push(p, argument_with_iterators(p));
    while (parser_accept(p, TOKEN_COMMA));
  }
  expect_right(p, TOKEN_RIGHT_BRACE, open);
  return collect(p, AST_ARRAY, open, base);
}

// matrix = "[" expression { "," expression } { ";" expression { "," expression } } "]"
static Ast *matrix(Parser *p) {
  SourceSpot open = parser_spot(p);
  int base = p->pending.count;
  parser_next(p);
  do {
    SourceSpot at = parser_spot(p);
    int row = p->pending.count;
    do push(p, expression_read(p));
    while (parser_accept(p, TOKEN_COMMA));
    push(p, collect(p, AST_ARRAY, at, row));
  } while (parser_accept(p, TOKEN_SEMICOLON));
  expect_right(p, TOKEN_RIGHT_BRACKET, open);
  return collect(p, AST_MATRIX, open, base);
}

static Ast *string(Parser *p) {
  Ast *e = expression_leaf(p, AST_STRING);
  e->name = p->token.name;
  parser_next(p);
  return e;
}

static Ast *last_index(Parser *p) {
  Ast *e = expression_leaf(p, AST_END);
  if (!p->subscripts) parser_fail_found(p, "an expression");
  parser_next(p);
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
  parser_fail_found(p, "an expression"); // has no effect after an earlier error
  return nothing(p);
}

// primary = NUMBER | "true" | "false" | STRING | reference | group | array | matrix | "end"
static Ast *primary(Parser *p) {
  switch (p->token.kind) {
  case TOKEN_NUMBER: return take_number(p, AST_NUMBER, p->token.number);
  case TOKEN_TRUE: return take_number(p, AST_BOOL, 1);
  case TOKEN_FALSE: return take_number(p, AST_BOOL, 0);
  case TOKEN_NAME:
  case TOKEN_DER:
  case TOKEN_DOT:
  case TOKEN_PURE:
  case TOKEN_INITIAL: return reference(p);
  case TOKEN_LEFT_PAREN: return group(p);
  case TOKEN_LEFT_BRACE: return array(p);
  case TOKEN_LEFT_BRACKET: return matrix(p);
  case TOKEN_STRING: return string(p);
  case TOKEN_END: return last_index(p);
  default: return fail_operand(p);
  }
}

// ---- from strong to weak operators ----

// factor = primary [ "^" primary ]
static Ast *factor(Parser *p) {
  Ast *e = primary(p);
  if (p->token.kind != TOKEN_POWER && p->token.kind != TOKEN_DOT_POWER) return e;
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
  if (sign && sign->op == AST_EACH_PLUS) sign->op = AST_PLUS;
  if (sign && sign->op == AST_EACH_MINUS) sign->op = AST_MINUS;
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

// disjunction = conjunction { "or" conjunction }
static Ast *disjunction(Parser *p) {
  Ast *e = conjunction(p);
  while (p->token.kind == TOKEN_OR) {
    Ast *either = take_operator(p, AST_BINARY);
    e = binary(p, either, e, conjunction(p));
  }
  p->expression_end = p->end;
  return e;
}

// simple_expression = disjunction [ ":" disjunction [ ":" disjunction ] ]
Ast *expression_read_simple(Parser *p) {
  Ast *e = disjunction(p);
  if (p->token.kind != TOKEN_COLON) return e;
  SourceSpot at = {e->line, e->column};
  int base = p->pending.count;
  push(p, e);
  while (p->pending.count < base + 3 && parser_accept(p, TOKEN_COLON)) push(p, disjunction(p));
  return collect(p, AST_RANGE, at, base);
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
