#include "lang/comment.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

// text = STRING { "+" STRING }
const char *comment_text(Parser *p) {
  const char *first = p->token.name;
  parser_next(p);
  if (p->token.kind != TOKEN_PLUS) return first;
  Text whole;
  text_init(&whole);
  text_add(&whole, first);
  while (parser_accept(p, TOKEN_PLUS)) {
    if (p->token.kind == TOKEN_STRING)
      text_add(&whole, p->token.name);
    else
      parser_fail_found(p, "a string after the '+'");
    parser_next(p);
  }
  const char *text = arena_copy(p->arena, whole.at, whole.length);
  text_done(&whole);
  return text;
}

// description = [ text ]
const char *comment_description(Parser *p) {
  return p->token.kind == TOKEN_STRING ? comment_text(p) : "";
}

AstNotes notes_none(void) {
  double none = nan("");
  return (AstNotes){false, none, none, none, none, NULL};
}

static double *experiment_number(AstNotes *n, const char *name) {
  return strcmp(name, "StartTime") == 0   ? &n->start_time
         : strcmp(name, "StopTime") == 0  ? &n->stop_time
         : strcmp(name, "Tolerance") == 0 ? &n->tolerance
         : strcmp(name, "Interval") == 0  ? &n->interval
                                          : NULL;
}

// NAME "=" value inside an annotation; the value is the next token.
static void take_note(Parser *p, AstNotes *n, const char *name, int depth, bool experiment) {
  double *number = experiment && depth == 2 ? experiment_number(n, name) : NULL;
  if (number && p->token.kind == TOKEN_NUMBER) *number = p->token.number;
  if (depth != 1) return;
  if (strcmp(name, "Evaluate") == 0) n->evaluate = p->token.kind == TOKEN_TRUE;
  if (strcmp(name, "version") == 0 && p->token.kind == TOKEN_STRING) n->version = p->token.name;
}

// annotation = "annotation" "(" anything with balanced parentheses ")"
void comment_annotation(Parser *p, AstNotes *notes) {
  parser_next(p);
  SourceSpot open = parser_spot(p);
  parser_expect(p, TOKEN_LEFT_PAREN, "after 'annotation'");
  const char *name = NULL, *outer = "";
  for (int depth = 1; depth && !p->lexer.failed;) {
    TokenKind kind = p->token.kind;
    if (kind == TOKEN_END_OF_TEXT) parser_expect_close(p, open);
    if (kind == TOKEN_LEFT_PAREN && depth == 1) outer = name ? name : "";
    depth += (kind == TOKEN_LEFT_PAREN) - (kind == TOKEN_RIGHT_PAREN);
    if (kind == TOKEN_NAME) name = p->token.name;
    parser_next(p);
    if (kind == TOKEN_EQUALS && name && notes)
      take_note(p, notes, name, depth, strcmp(outer, "experiment") == 0);
  }
}

// comment = description [ annotation ]
const char *comment_read(Parser *p, AstNotes *notes) {
  const char *what = comment_description(p);
  if (p->token.kind == TOKEN_ANNOTATION) comment_annotation(p, notes);
  return what;
}
