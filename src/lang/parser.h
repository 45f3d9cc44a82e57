// State and functions that the grammar rules share. Errors are sticky: after the first one the text
// ends, so that rules need no checks; the entry point checks once.
#pragma once
#include "base/array.h"
#include "lang/ast.h"
#include "lang/lex.h"

enum {
  PARSE_NESTING_MOST = 1000, // parentheses, calls and if-expressions inside each other
  PARSE_CLASSES_MOST = 100,  // classes, if, for, when and modifiers inside each other
  PARSE_COUNT_MOST = 1000000 // declarations, and equations of each kind
};

typedef struct SourceSpot { // a place in the text
  int line, column;
} SourceSpot;

typedef struct Pending { // a part of a node that is not complete
  Ast *tree;
} Pending;

typedef struct AstNotes { // what is read of annotations; all else is skipped
  bool evaluate;          // Evaluate = true
  double start_time, stop_time, tolerance, interval; // experiment(StopTime = ...); NaN: not given
  const char *version;                               // NULL: not given
} AstNotes;

typedef struct Parser {
  Arena *arena;
  Lexer lexer;
  Token token;               // the next one, not yet taken
  TokenKind taken;           // the previous one
  SourceSpot end;            // just behind the previous one
  SourceSpot expression_end; // just behind the last expression
  int nesting;               // of expressions, now
  int subscripts;            // of subscripts, now: 'end' stands for the size
  int classes;               // of classes and of clauses, now
  bool in_function;          // where := may stand in a declaration
  AstNotes *notes;           // of the annotations of the class that is read
  ARRAY(Pending) pending;    // arguments and branches of incomplete nodes
} Parser;

void parser_begin(Parser *p, Arena *a, const Source *source, Err *err);
void parser_next(Parser *p);
static inline SourceSpot parser_spot(const Parser *p) {
  return (SourceSpot){p->token.line, p->token.column};
}
bool parser_accept(Parser *p, TokenKind kind); // takes it if it is there
TokenKind parser_peek(const Parser *p);        // the kind of the token after the next

// Takes kind, or fails: "expected ';' after the equation, found 'end'"; where: "after the equation".
// A missing closing token is reported behind the previous token, all others at the token found.
void parser_expect(Parser *p, TokenKind kind, const char *where);
void parser_expect_close(Parser *p, SourceSpot open); // the ) of the ( at open
// Takes a name that can be declared. what: "the name of the model".
const char *parser_name(Parser *p, const char *what);

void parser_fail(Parser *p, ErrCode code, SourceSpot at, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));
// "expected <what>, found 'x'" at the next token
void parser_fail_found(Parser *p, const char *what) __attribute__((cold));
// Fails if count has reached the limit. what: "equations".
void parser_check_count(Parser *p, int count, const char *what);
