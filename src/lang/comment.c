#include "lang/comment.h"

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

// annotation = "annotation" "(" anything with balanced parentheses ")"
void comment_annotation(Parser *p) {
  parser_next(p);
  SourceSpot open = parser_spot(p);
  parser_expect(p, TOKEN_LEFT_PAREN, "after 'annotation'");
  for (int depth = 1; depth && !p->lexer.failed;) {
    if (p->token.kind == TOKEN_END_OF_TEXT) parser_expect_close(p, open);
    depth += (p->token.kind == TOKEN_LEFT_PAREN) - (p->token.kind == TOKEN_RIGHT_PAREN);
    parser_next(p);
  }
}

// comment = description [ annotation ]
const char *comment_read(Parser *p) {
  const char *what = comment_description(p);
  if (p->token.kind == TOKEN_ANNOTATION) comment_annotation(p);
  return what;
}
