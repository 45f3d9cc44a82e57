#include "lang/parser.h"

#include "base/c_locale.h"

void parser_begin(Parser *p, Arena *a, const Source *source, Err *err) {
  *p = (Parser){.arena = a, .taken = TOKEN_END_OF_TEXT};
  p->end = (SourceSpot){source->lines_before + 1, 1};
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
  c_snprintf(text, sizeof text, "expected ')' for the '(' of %d:%d, found %s%s",
             open.line - p->lexer.source->lines_before, open.column, token_quote(&p->token, quoted),
             hint(p, TOKEN_RIGHT_PAREN));
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

void parser_check_count(Parser *p, int count, const char *what) {
  if (count == PARSE_COUNT_MOST)
    parser_fail(p, ERR_LIMIT, parser_spot(p), "more than %d %s", PARSE_COUNT_MOST, what);
}
