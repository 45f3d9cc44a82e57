// Any text as a model and as an expression: nothing may crash, and what is accepted prints as text
// that reads back as the same tree.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "instance/flat_model.h"
#include "lang/ast_print.h"
#include "lang/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool law) {
  if (!law) abort();
}

// A failure has a sentence and a place inside the text.
static void check_error(const Source *s, const Err *err) {
  check(err->code != ERR_NONE && err->text[0]);
  check(err->line >= 1 && err->line <= s->line_count && err->column >= 1);
}

static void check_model(Arena *a, const Source *s) {
  Err err = {0};
  const AstModel *m = parse_model(a, s, &err);
  if (!m) {
    check_error(s, &err);
    return;
  }
  Text out;
  text_init(&out);
  ast_print_model(&out, m);
  const Source *again = source_new(a, "<again>", out.at, out.length, &err);
  check(again != NULL);
  const AstModel *copy = parse_model(a, again, &err);
  check(copy && ast_model_equal(m, copy));
  text_done(&out);
}

static void check_expression(Arena *a, const Source *s) {
  Err err = {0};
  const Ast *e = parse_expression(a, s, &err);
  if (!e) {
    check_error(s, &err);
    return;
  }
  Text out;
  text_init(&out);
  ast_print(&out, e);
  const Source *again = source_new(a, "<again>", out.at, out.length, &err);
  check(again != NULL);
  const Ast *copy = parse_expression(a, again, &err);
  check(copy && ast_equal(e, copy));
  text_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = source_new(a, "<fuzz>", (const char *)data, size, &err);
  if (s) {
    check_model(a, s);
    check_expression(a, s);
  }
  arena_free(a);
  return 0;
}
