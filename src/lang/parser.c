#include "lang/parser.h"

#include "base/c_locale.h"

void parser_begin(Parser *p, Arena *a, const Source *source, Err *err) {
  *p = (Parser){.arena = a, .taken = TOKEN_END_OF_TEXT, .end = {1, 1}};
  lex_begin(&p->lexer, a, source, err);
  lex_next(&p->lexer, &p->token);
}

void parser_next(Parser *p) {
  p->taken = p->token.kind;
  p->end = (SourceSpot){p->token.end_line, p->token.end_column};
  lex_next(&p->lexer, &p->token);
}

bool parser_accept(Parser *p, TokenKind kind) {
  if (p->token.kind != kind) return false;
  parser_next(p);
  return true;
}

TokenKind parser_peek(const Parser *p) {
  Lexer ahead = p->lexer; // the error of a bad token is reported when it is reached
  ahead.err = NULL;
  Token token;
  lex_next(&ahead, &token);
  return token.kind;
}

void parser_fail(Parser *p, ErrCode code, SourceSpot at, const char *format, ...) {
  char text[sizeof((Err *)0)->text];
  va_list args;
  va_start(args, format);
  c_vsnprintf(text, sizeof text, format, args);
  va_end(args);
  lex_fail(&p->lexer, code, at.line, at.column, "%s", text);
  p->token.kind = TOKEN_END_OF_TEXT;
}

// Where something is missing. At the end of the text: behind the previous token, which is nearer to the cause.
static void fail_missing(Parser *p, bool behind, const char *text) {
  bool use_end = behind || p->token.kind == TOKEN_END_OF_TEXT;
  parser_fail(p, ERR_SYNTAX, use_end ? p->end : parser_spot(p), "%s", text);
}

void parser_fail_found(Parser *p, const char *what) {
  char text[400], quoted[TOKEN_QUOTE];
  c_snprintf(text, sizeof text, "expected %s, found %s", what, token_quote(&p->token, quoted));
  fail_missing(p, false, text);
}

static bool same_spot(SourceSpot a, SourceSpot b) {
  return a.line == b.line && a.column == b.column;
}

// A hint at the likely mistake.
static const char *hint(const Parser *p, TokenKind wanted) {
  TokenKind found = p->token.kind;
  if (found == TOKEN_EQUALS && (wanted == TOKEN_THEN || wanted == TOKEN_RIGHT_PAREN))
    return "; a comparison is written ==";
  if (found == TOKEN_NAME && wanted == TOKEN_RIGHT_PAREN && parser_peek(p) == TOKEN_EQUALS)
    return "; is a comma missing?";
  bool operand = found == TOKEN_NAME || found == TOKEN_NUMBER || found == TOKEN_LEFT_PAREN;
  if (operand && same_spot(p->end, p->expression_end) && p->token.line == p->end.line)
    return "; a product is written with *";
  return "";
}

void parser_expect(Parser *p, TokenKind kind, const char *where) {
  if (parser_accept(p, kind)) return;
  char text[400], quoted[TOKEN_QUOTE];
  c_snprintf(text, sizeof text, "expected '%s' %s, found %s%s", token_text(kind), where,
             token_quote(&p->token, quoted), hint(p, kind));
  fail_missing(p, kind == TOKEN_SEMICOLON, text);
}

void parser_expect_close(Parser *p, SourceSpot open) {
  if (parser_accept(p, TOKEN_RIGHT_PAREN)) return;
  char text[400], quoted[TOKEN_QUOTE];
  c_snprintf(text, sizeof text, "expected ')' for the '(' of %d:%d, found %s%s", open.line,
             open.column, token_quote(&p->token, quoted), hint(p, TOKEN_RIGHT_PAREN));
  fail_missing(p, true, text);
}

const char *parser_name(Parser *p, const char *what) {
  const char *name = p->token.name;
  if (parser_accept(p, TOKEN_NAME)) return name;
  if (token_is_keyword(p->token.kind))
    parser_fail(p, ERR_SYNTAX, parser_spot(p),
                "expected %s, found '%s', which is a reserved word of Modelica", what,
                token_text(p->token.kind));
  else
    parser_fail_found(p, what);
  return "";
}

static const char *const UNSUPPORTED[TOKEN_COUNT] = {
    [TOKEN_IF] = "if-equations are not supported yet; write x = if a > 0 then b else c",
    [TOKEN_FOR] = "'for' is not supported yet; write the equations one by one",
    [TOKEN_WHEN] = "'when' cannot stand here",
    [TOKEN_ELSEWHEN] = "'elsewhen' without 'when'",
    [TOKEN_WHILE] = "'while' is not supported yet",
    [TOKEN_CONNECT] = "'connect' is not supported yet; write the equations of the connection",
    [TOKEN_ALGORITHM] = "algorithm sections are not supported yet; write equations",
    [TOKEN_EXTERNAL] = "external functions are not supported",
    [TOKEN_FUNCTION] = "functions of the user are not supported yet",
    [TOKEN_PURE] = "functions of the user are not supported yet",
    [TOKEN_IMPURE] = "functions of the user are not supported yet",
    [TOKEN_RECORD] = "records are not supported yet",
    [TOKEN_PACKAGE] = "packages are not supported yet; a file holds one flat model",
    [TOKEN_BLOCK] = "'block' is not supported yet; write a model",
    [TOKEN_CLASS] = "'class' is not supported yet; write a model",
    [TOKEN_MODEL] = "a model inside a model is not supported yet",
    [TOKEN_CONNECTOR] = "connectors are not supported yet",
    [TOKEN_EXPANDABLE] = "connectors are not supported yet",
    [TOKEN_TYPE] = "definitions of types are not supported yet; use Real, Integer or Boolean",
    [TOKEN_ENUMERATION] = "enumerations are not supported yet",
    [TOKEN_OPERATOR] = "user-defined operators are not supported",
    [TOKEN_EXTENDS] = "'extends' is not supported yet; a model is written out in full",
    [TOKEN_REDECLARE] = "'redeclare' is not supported yet",
    [TOKEN_REPLACEABLE] = "'replaceable' is not supported yet",
    [TOKEN_CONSTRAINEDBY] = "'constrainedby' is not supported yet",
    [TOKEN_INNER] = "'inner' is not supported yet",
    [TOKEN_OUTER] = "'outer' is not supported yet",
    [TOKEN_FLOW] = "'flow' variables are not supported yet",
    [TOKEN_STREAM] = "'stream' variables are not supported yet",
    [TOKEN_PARTIAL] =
        "a partial model has no solution of its own, and 'extends' is not supported yet",
    [TOKEN_ENCAPSULATED] = "classes inside a model are not supported yet",
    [TOKEN_BREAK] = "algorithm sections are not supported yet; write equations",
    [TOKEN_RETURN] = "algorithm sections are not supported yet; write equations",
    [TOKEN_LEFT_BRACKET] = "arrays are not supported yet",
    [TOKEN_LEFT_BRACE] = "arrays are not supported yet",
    [TOKEN_COLON] = "ranges are not supported yet",
    [TOKEN_DOT] = "names that start with a dot are not supported",
    [TOKEN_DOT_PLUS] = "the elementwise operator .+ is not supported; write +",
    [TOKEN_DOT_MINUS] = "the elementwise operator .- is not supported; write -",
    [TOKEN_DOT_TIMES] = "the elementwise operator .* is not supported; write *",
    [TOKEN_DOT_DIVIDE] = "the elementwise operator ./ is not supported; write /",
    [TOKEN_DOT_POWER] = "the elementwise operator .^ is not supported; write ^",
};

bool parser_fail_unsupported(Parser *p) {
  const char *why = UNSUPPORTED[p->token.kind];
  if (why) parser_fail(p, ERR_UNSUPPORTED, parser_spot(p), "%s", why);
  return why != NULL;
}

void parser_check_count(Parser *p, int count, const char *what) {
  if (count == PARSE_COUNT_MOST)
    parser_fail(p, ERR_LIMIT, parser_spot(p), "more than %d %s", PARSE_COUNT_MOST, what);
}
