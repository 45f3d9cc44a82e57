// Splits a text into tokens, one at a time. Errors are sticky: after the first one the text ends.
#pragma once
#include "base/arena.h"
#include "base/err.h"
#include "lang/source.h"
#include "lang/words.h"

typedef enum TokenKind {
#define TOKEN(name, text) TOKEN_##name,
#define SYMBOL(name, text) TOKEN_##name,
#define KEYWORD(name, text) TOKEN_##name,
#include "lang/tokens.def"
#undef TOKEN
#undef SYMBOL
#undef KEYWORD
  TOKEN_COUNT
} TokenKind;

typedef struct Token {
  TokenKind kind;
  int line, column;         // of its first character
  int end_line, end_column; // just behind its last character
  const char *text;         // as written; not NUL-terminated
  size_t length;
  const char *name; // NAME and keywords: interned, with quotes; STRING: its contents. In the arena.
  double number;    // NUMBER
} Token;

typedef struct Lexer { // plain data: a copy of it looks ahead
  const Source *source;
  Arena *arena;
  Err *err;
  WordTable *words;
  const char *at;         // the next byte
  const char *line_begin; // of the line of at
  int line;
  int hidden; // bytes from line_begin to at that start no character (UTF-8)
  bool failed;
} Lexer;

enum { LEX_NAME_MOST = 1000 }; // bytes of a name

void lex_begin(Lexer *l, Arena *a, const Source *source, Err *err);
void lex_next(Lexer *l, Token *token);
// The first error ends the text: all later tokens are END_OF_TEXT.
void lex_fail(Lexer *l, ErrCode code, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

const char *token_text(TokenKind kind); // "equation", ";", "a number"
bool token_is_keyword(TokenKind kind);
// For messages: 'end', a string, the end of the text. Long tokens are cut.
enum { TOKEN_QUOTE = 64 };
const char *token_quote(const Token *token, char out[TOKEN_QUOTE]);
