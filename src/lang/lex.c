#include "lang/lex.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/visible.h"

static const char *const TEXT[] = {
#define TOKEN(name, text) text,
#define SYMBOL(name, text) text,
#define KEYWORD(name, text) text,
#include "lang/tokens.def"
#undef TOKEN
#undef SYMBOL
#undef KEYWORD
};

const char *token_text(TokenKind kind) {
  return TEXT[kind];
}

bool token_is_keyword(TokenKind kind) {
  return kind >= TOKEN_ALGORITHM;
}

// ---- characters ----

typedef enum CharClass { OTHER, BLANK, NEWLINE, LETTER, DIGIT } CharClass;

static const unsigned char CLASS[256] = {
    [' '] = BLANK,          ['\t'] = BLANK,        ['\r'] = BLANK, ['\f'] = BLANK,
    ['\v'] = BLANK,         ['\n'] = NEWLINE,      ['_'] = LETTER, ['A' ... 'Z'] = LETTER,
    ['a' ... 'z'] = LETTER, ['0' ... '9'] = DIGIT,
};

static CharClass class_of(char c) {
  return (CharClass)CLASS[(unsigned char)c];
}

static bool is_digit(char c) {
  return class_of(c) == DIGIT;
}

static bool is_continuation(char c) {
  return ((unsigned char)c & 0xC0) == 0x80;
}

// ---- the state ----

static WordTable *new_words(Arena *a) {
  WordTable *w = words_new(a);
  for (int kind = TOKEN_ALGORITHM; kind < TOKEN_COUNT; kind++)
    words_find(w, TEXT[kind], strlen(TEXT[kind]))->value = kind;
  return w;
}

void lex_begin(Lexer *l, Arena *a, const Source *source, Err *err) {
  *l = (Lexer){.source = source, .arena = a, .err = err, .words = new_words(a)};
  l->line = source->lines_before + 1;
  l->at = l->line_begin = source->text;
}

void lex_fail(Lexer *l, ErrCode code, int line, int column, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (!l->failed) source_fail_args(l->source, l->err, code, line, column, format, args);
  va_end(args);
  l->failed = true;
}

static int column_of(const Lexer *l, const char *at) {
  return (int)(at - l->line_begin) + 1 - l->hidden;
}

// Takes one byte of a string or a comment, which may contain line ends and any character.
static void take_any(Lexer *l) {
  if (*l->at == '\n') {
    l->line++;
    l->line_begin = l->at + 1;
    l->hidden = 0;
  } else if (is_continuation(*l->at)) {
    l->hidden++;
  }
  l->at++;
}

// comment = "//" ... end of line | "/*" ... "*/"
static void skip_comment(Lexer *l) {
  if (l->at[1] == '/') {
    while (*l->at && *l->at != '\n') take_any(l);
    return;
  }
  int line = l->line, column = column_of(l, l->at);
  l->at += 2;
  while (*l->at && !(l->at[0] == '*' && l->at[1] == '/')) take_any(l);
  if (*l->at)
    l->at += 2;
  else
    lex_fail(l, ERR_SYNTAX, line, column, "the comment that starts here has no closing */");
}

static void skip_blanks_and_comments(Lexer *l) {
  for (;;) {
    CharClass class = class_of(*l->at);
    if (class == BLANK)
      l->at++;
    else if (class == NEWLINE)
      take_any(l);
    else if (*l->at == '/' && (l->at[1] == '/' || l->at[1] == '*'))
      skip_comment(l);
    else
      return;
  }
}

// ---- names ----

static void finish_name(Lexer *l, Token *t) {
  size_t length = (size_t)(l->at - t->text);
  if (length > LEX_NAME_MOST) {
    lex_fail(l, ERR_LIMIT, t->line, t->column, "a name of %zu characters; at most %d are allowed",
             length, LEX_NAME_MOST);
    return;
  }
  const Word *word = words_find(l->words, t->text, length);
  t->kind = word->value ? (TokenKind)word->value : TOKEN_NAME;
  t->name = word->name;
}

// name = letter { letter | digit }
static void read_name(Lexer *l, Token *t) {
  const char *c = l->at + 1;
  while (class_of(*c) >= LETTER) c++;
  l->at = c;
  finish_name(l, t);
}

// name = "'" { character | "\" character } "'"
static void read_quoted_name(Lexer *l, Token *t) {
  for (l->at++; *l->at != '\''; l->at++) {
    if (*l->at == '\\' && l->at[1] > ' ') l->at++;
    if ((unsigned char)*l->at < ' ') {
      lex_fail(l, ERR_SYNTAX, t->line, t->column,
               "the quoted name that starts here has no closing ' on its line");
      return;
    }
    if ((unsigned char)*l->at >= 0x7F) {
      lex_fail(l, ERR_SYNTAX, l->line, column_of(l, l->at),
               "a quoted name may contain only ASCII characters");
      return;
    }
  }
  l->at++;
  if (l->at - t->text == 2)
    lex_fail(l, ERR_SYNTAX, t->line, t->column, "the quoted name is empty");
  else
    finish_name(l, t);
}

// ---- numbers ----

typedef struct DecimalLiteral { // mantissa * 10^exponent
  uint64_t mantissa;
  int digits; // of the mantissa, leading zeros aside; above 19 it has overflowed
  int exponent;
  bool is_integer; // written without point and exponent
} DecimalLiteral;

static const char *read_digits(const char *c, DecimalLiteral *d) {
  for (; is_digit(*c); c++) {
    if (d->digits < 20) {
      d->mantissa = 10 * d->mantissa + (uint64_t)(*c - '0'); // wraps at the 20th digit, then unused
      d->digits += d->mantissa != 0;
    }
  }
  return c;
}

static const char *read_exponent(const char *c, DecimalLiteral *d) {
  bool negative = c[1] == '-';
  c += negative || c[1] == '+' ? 2 : 1;
  int value = 0;
  for (; is_digit(*c); c++)
    if (value < 100000) value = 10 * value + (*c - '0');
  d->exponent += negative ? -value : value;
  return c;
}

static double power_of_ten(int n) { // exact: 5^22 < 2^53
  static const double POWER[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  return POWER[n];
}

static const uint64_t EXACT = 1ull << 53; // integers up to here are doubles

// Nearest double. One exact operation on exact numbers where possible (Clinger 1990), else the C
// library.
static double decimal_value(const DecimalLiteral *d, const char *text) {
  if (d->digits <= 19 && d->mantissa <= EXACT && abs(d->exponent) <= 22) {
    double m = (double)d->mantissa;
    return d->exponent < 0 ? m / power_of_ten(-d->exponent) : m * power_of_ten(d->exponent);
  }
  return c_strtod(text, NULL);
}

static void check_number(Lexer *l, const Token *t, const DecimalLiteral *d) {
  char quoted[TOKEN_QUOTE];
  token_quote(t, quoted);
  if (isinf(t->number))
    lex_fail(l, ERR_LIMIT, t->line, t->column, "the number %s is too large", quoted);
  else if (t->number == 0 && d->digits)
    lex_fail(l, ERR_LIMIT, t->line, t->column, "the number %s is too small: it would become 0",
             quoted);
  else if (d->is_integer && t->number > (double)EXACT)
    lex_fail(l, ERR_LIMIT, t->line, t->column,
             "the integer %s is larger than 2^53 and may not be exact; write a Real, as in 1.0e20",
             quoted);
}

static bool is_exponent(const char *c) {
  if (*c != 'e' && *c != 'E') return false;
  return is_digit(c[1]) || ((c[1] == '+' || c[1] == '-') && is_digit(c[2]));
}

// Handles a letter or a dot directly behind a number: 2x, 1e, 1.5.2
static void check_number_end(Lexer *l, const Token *t) {
  char c = *l->at;
  if (class_of(c) != LETTER) return;
  const char *end = l->at;
  while (class_of(*end) >= LETTER) end++;
  int number = (int)(l->at - t->text), rest = (int)(end - l->at);
  if (rest > 20 || number > 20)
    lex_fail(l, ERR_SYNTAX, t->line, t->column, "a letter directly behind a number");
  else if ((c == 'e' || c == 'E') && rest == 1)
    lex_fail(l, ERR_SYNTAX, t->line, t->column, "the exponent of '%.*s' has no digits", number + 1,
             t->text);
  else
    lex_fail(l, ERR_SYNTAX, t->line, t->column,
             "'%.*s' is neither a number nor a name; a product is written %.*s*%.*s", number + rest,
             t->text, number, t->text, rest, l->at);
}

// number = digits [ "." [ digits ] ] [ exponent ] | "." digits [ exponent ]
// exponent = ("e" | "E") [ "+" | "-" ] digits
static void read_number(Lexer *l, Token *t) {
  DecimalLiteral d = {.is_integer = true};
  const char *c = read_digits(l->at, &d);
  if (*c == '.') {
    const char *fraction = c + 1;
    c = read_digits(fraction, &d);
    d.exponent = -(int)(c - fraction);
    d.is_integer = false;
  }
  if (is_exponent(c)) {
    c = read_exponent(c, &d);
    d.is_integer = false;
  }
  l->at = c;
  t->kind = TOKEN_NUMBER;
  t->length = (size_t)(c - t->text);
  t->number = decimal_value(&d, t->text);
  if (!(t->number <= (double)EXACT) || t->number == 0) check_number(l, t, &d);
  check_number_end(l, t);
}

// ---- strings ----

static char escaped(char c) { // the meaning of \c; 0: none
  static const char FROM[] = "'\"?\\abfnrtv", TO[] = "'\"?\\\a\b\f\n\r\t\v";
  const char *found = c ? strchr(FROM, c) : NULL;
  return found ? TO[found - FROM] : 0;
}

static const char *decode_string(Arena *a, const char *text, size_t length) {
  char *out = arena_copy(a, text, length);
  if (!memchr(text, '\\', length)) return visible(a, out);
  char *to = out;
  for (const char *c = text; c < text + length; c++) *to++ = *c == '\\' ? escaped(*++c) : *c;
  *to = 0;
  return visible(a, out);
}

// string = '"' { character | "\" character } '"'
static void read_string(Lexer *l, Token *t) {
  l->at++;
  while (*l->at && *l->at != '"') {
    if (*l->at == '\\') {
      if (!escaped(l->at[1])) {
        lex_fail(l, ERR_SYNTAX, l->line, column_of(l, l->at),
                 "unknown escape in a string; a backslash is written \\\\");
        return;
      }
      l->at++;
    }
    take_any(l);
  }
  if (!*l->at) {
    lex_fail(l, ERR_SYNTAX, t->line, t->column, "the string that starts here has no closing \"");
    return;
  }
  l->at++;
  t->kind = TOKEN_STRING;
  t->name = decode_string(l->arena, t->text + 1, (size_t)(l->at - t->text) - 2);
}

// ---- symbols ----

static const unsigned char SINGLE[128] = {
    ['('] = TOKEN_LEFT_PAREN,    [')'] = TOKEN_RIGHT_PAREN, ['['] = TOKEN_LEFT_BRACKET,
    [']'] = TOKEN_RIGHT_BRACKET, ['{'] = TOKEN_LEFT_BRACE,  ['}'] = TOKEN_RIGHT_BRACE,
    [','] = TOKEN_COMMA,         [';'] = TOKEN_SEMICOLON,   [':'] = TOKEN_COLON,
    ['.'] = TOKEN_DOT,           ['+'] = TOKEN_PLUS,        ['-'] = TOKEN_MINUS,
    ['*'] = TOKEN_TIMES,         ['/'] = TOKEN_DIVIDE,      ['^'] = TOKEN_POWER,
    ['='] = TOKEN_EQUALS,        ['<'] = TOKEN_LESS,        ['>'] = TOKEN_GREATER,
};

// The symbol of two characters, kind followed by c; kind if there is none.
static TokenKind longer_symbol(TokenKind kind, char c) {
  switch (kind) {
  case TOKEN_EQUALS: return c == '=' ? TOKEN_SAME : kind;
  case TOKEN_COLON: return c == '=' ? TOKEN_ASSIGN : kind;
  case TOKEN_GREATER: return c == '=' ? TOKEN_GREATER_EQUAL : kind;
  case TOKEN_LESS: return c == '=' ? TOKEN_LESS_EQUAL : c == '>' ? TOKEN_NOT_SAME : kind;
  case TOKEN_DOT:
    return c == '+'   ? TOKEN_DOT_PLUS
           : c == '-' ? TOKEN_DOT_MINUS
           : c == '*' ? TOKEN_DOT_TIMES
           : c == '/' ? TOKEN_DOT_DIVIDE
           : c == '^' ? TOKEN_DOT_POWER
                      : kind;
  default: return kind;
  }
}

static const struct {
  const char *text, *instead;
} FOREIGN[] = {
    // from other languages and text processors
    {"&&", "and"},
    {"||", "or"},
    {"!=", "<>"},
    {"!", "not"},
    {"~=", "<>"},
    {"%", "mod(a, b)"},
    {"#", "// for comments"},
    {"\u2212", "-"},
    {"\u2013", "-"},
    {"\u00d7", "*"},
    {"\u00b7", "*"},
    {"\u00f7", "/"},
    {"\u2264", "<="},
    {"\u2265", ">="},
    {"\u2260", "<>"},
    {"\u201c", "\""},
    {"\u201d", "\""},
    {"\u201e", "\""},
    {"\u00a0", "a blank"},
    {"\u00b2", "^2"},
    {"\u00b3", "^3"},
};

static __attribute__((cold)) void fail_character(Lexer *l, const Token *t) {
  for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++) {
    if (strncmp(l->at, FOREIGN[i].text, strlen(FOREIGN[i].text)) != 0) continue;
    lex_fail(l, ERR_SYNTAX, t->line, t->column, "'%s' has no meaning in Modelica; write %s",
             FOREIGN[i].text, FOREIGN[i].instead);
    return;
  }
  int bytes = 1;
  while (is_continuation(l->at[bytes])) bytes++;
  if ((unsigned char)*l->at < ' ' || *l->at == 0x7F)
    lex_fail(l, ERR_SYNTAX, t->line, t->column, "unexpected control character 0x%02X",
             (unsigned char)*l->at);
  else
    lex_fail(l, ERR_SYNTAX, t->line, t->column, "unexpected character '%.*s'", bytes, l->at);
}

static void read_symbol(Lexer *l, Token *t) {
  unsigned char c = (unsigned char)*l->at;
  TokenKind kind = c < 128 ? (TokenKind)SINGLE[c] : TOKEN_END_OF_TEXT;
  if (kind == TOKEN_END_OF_TEXT) {
    if (c) fail_character(l, t);
    return;
  }
  t->kind = longer_symbol(kind, l->at[1]);
  if (t->kind == TOKEN_TIMES && l->at[1] == '*') {
    lex_fail(l, ERR_SYNTAX, t->line, t->column, "'**' has no meaning in Modelica; write ^");
    return;
  }
  l->at += t->kind == kind ? 1 : 2;
}

// ---- tokens ----

static void read_token(Lexer *l, Token *t) {
  switch (class_of(*l->at)) {
  case LETTER: read_name(l, t); return;
  case DIGIT: read_number(l, t); return;
  default: break;
  }
  if (*l->at == '"')
    read_string(l, t);
  else if (*l->at == '\'')
    read_quoted_name(l, t);
  else if (*l->at == '.' && is_digit(l->at[1]))
    read_number(l, t);
  else
    read_symbol(l, t);
}

void lex_next(Lexer *l, Token *t) {
  if (!l->failed) skip_blanks_and_comments(l);
  t->kind = TOKEN_END_OF_TEXT;
  t->line = l->line;
  t->column = column_of(l, l->at);
  t->text = l->at;
  if (!l->failed) read_token(l, t);
  if (l->failed) t->kind = TOKEN_END_OF_TEXT;
  t->length = (size_t)(l->at - t->text);
  t->end_line = l->line;
  t->end_column = column_of(l, l->at);
}

const char *token_quote(const Token *t, char out[TOKEN_QUOTE]) {
  enum { SHOWN = 40 };
  if (t->kind == TOKEN_END_OF_TEXT || t->kind == TOKEN_STRING) return TEXT[t->kind];
  if (t->length <= SHOWN)
    c_snprintf(out, TOKEN_QUOTE, "'%.*s'", (int)t->length, t->text);
  else
    c_snprintf(out, TOKEN_QUOTE, "'%.*s...'", SHOWN, t->text);
  return out;
}
