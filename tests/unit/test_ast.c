#include "lang/ast.h"

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "test.h"

static const Ast *read_expression(Arena *a, const char *text) {
  Err err = {0};
  return parse_expression(a, source_new(a, "<text>", text, strlen(text), &err), &err);
}

static const AstModel *read_model(Arena *a, const char *text) {
  Err err = {0};
  return parse_model(a, source_new(a, "<text>", text, strlen(text), &err), &err);
}

static void trees_are_equal_exactly_when_their_texts_are(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"a",
                                      "b",
                                      "1",
                                      "2",
                                      "true",
                                      "false",
                                      "a + b",
                                      "a - b",
                                      "b + a",
                                      "-a",
                                      "+a",
                                      "not a",
                                      "f(a)",
                                      "g(a)",
                                      "f(a, b)",
                                      "f()",
                                      "if a then b else 1",
                                      "a + b*2",
                                      "a*b + 2",
                                      "a < b",
                                      "a <= b",
                                      "'a'"};
  enum { COUNT = sizeof TEXTS / sizeof *TEXTS };
  Arena *a = arena_new();
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < COUNT; j++)
      assert_int_equal(ast_equal(read_expression(a, TEXTS[i]), read_expression(a, TEXTS[j])),
                       i == j);
  assert_true(ast_equal(NULL, NULL));
  assert_false(ast_equal(NULL, read_expression(a, "a")));
  arena_free(a);
}

static void models_are_equal_exactly_when_their_texts_are(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "model M end M;",
      "model N end N;",
      "model M \"d\" end M;",
      "model M Real x; end M;",
      "model M Integer x; end M;",
      "model M parameter Real x; end M;",
      "model M Real x(min = 1); end M;",
      "model M Real x(max = 1); end M;",
      "model M Real x(min = 2); end M;",
      "model M Real x = 1; end M;",
      "model M Real x \"d\"; end M;",
      "model M Real y; end M;",
      "model M Real x; equation x = 1; end M;",
      "model M Real x; equation x = 2; end M;",
      "model M Real x; equation x = 1 \"d\"; end M;",
      "model M Real x; initial equation x = 1; end M;",
  };
  enum { COUNT = sizeof TEXTS / sizeof *TEXTS };
  Arena *a = arena_new();
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < COUNT; j++)
      assert_int_equal(ast_model_equal(read_model(a, TEXTS[i]), read_model(a, TEXTS[j])), i == j);
  arena_free(a);
}

static void places_do_not_matter(void **state) {
  (void)state;
  Arena *a = arena_new();
  assert_true(ast_equal(read_expression(a, "a+b"), read_expression(a, "(a\n + b)")));
  arena_free(a);
}

static void a_node_is_small(void **state) {
  (void)state;
  assert_int_equal(sizeof(Ast), 32);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_are_equal_exactly_when_their_texts_are),
      cmocka_unit_test(models_are_equal_exactly_when_their_texts_are),
      cmocka_unit_test(places_do_not_matter),
      cmocka_unit_test(a_node_is_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
