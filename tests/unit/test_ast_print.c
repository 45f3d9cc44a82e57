#include "lang/ast_print.h"

#include <stdlib.h>
#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "test.h"

static const Ast *read_expression(Arena *a, const char *text) {
  Err err = {0};
  const Source *s = source_new(a, "<text>", text, strlen(text), &err);
  return s ? parse_expression(a, s, &err) : NULL;
}

static const AstModel *read_model(Arena *a, const char *text) {
  Err err = {0};
  const Source *s = source_new(a, "<text>", text, strlen(text), &err);
  const AstModel *m = s ? parse_model(a, s, &err) : NULL;
  if (!m) print_error("%d:%d: %s\n%s\n", err.line, err.column, err.text, text);
  return m;
}

// ---- random trees, of the kind that the parser makes ----

static Ast *make(Arena *a, AstKind kind, AstOp op, int arg_count) {
  Ast *e = ARENA_NEW(a, Ast);
  e->kind = kind;
  e->op = op;
  e->arg_count = arg_count;
  if (arg_count) e->args = ARENA_ARRAY(a, Ast *, arg_count);
  return e;
}

static double random_number(void) {
  switch (rand() % 4) {
  case 0: return rand() % 1000;
  case 1: return (double)rand() / RAND_MAX;
  case 2: return ldexp((double)rand() / RAND_MAX, rand() % 2000 - 1000);
  default: return ldexp(1, rand() % 80);
  }
}

static Ast *random_leaf(Arena *a) {
  static const char *const NAMES[] = {"a", "x1", "time", "'a b'", "k_2"};
  Ast *e;
  switch (rand() % 3) {
  case 0: e = make(a, AST_NUMBER, AST_NO_OP, 0), e->number = random_number(); break;
  case 1: e = make(a, AST_BOOL, AST_NO_OP, 0), e->number = rand() % 2; break;
  default: e = make(a, AST_NAME, AST_NO_OP, 0), e->name = NAMES[rand() % 5]; break;
  }
  return e;
}

static Ast *random_tree(Arena *a, int size) {
  static const AstOp UNARY[] = {AST_PLUS, AST_MINUS, AST_NOT};
  static const char *const FUNCTIONS[] = {"sin", "der", "max", "initial", "noEvent"};
  if (size <= 1) return random_leaf(a);
  Ast *e;
  switch (rand() % 6) {
  case 0: e = make(a, AST_UNARY, UNARY[rand() % 3], 1); break;
  case 1: e = make(a, AST_CALL, AST_NO_OP, rand() % 4), e->name = FUNCTIONS[rand() % 5]; break;
  case 2: e = make(a, AST_IF, AST_NO_OP, 3); break;
  default: e = make(a, AST_BINARY, AST_PLUS + rand() % (AST_OR - AST_PLUS + 1), 2); break;
  }
  for (int i = 0; i < e->arg_count; i++) e->args[i] = random_tree(a, (size - 1) / e->arg_count);
  return e;
}

static void printed_trees_read_back(void **state) {
  (void)state;
  srand(2);
  for (int i = 0; i < 5000; i++) {
    Arena *a = arena_new();
    const Ast *e = random_tree(a, 1 + rand() % 60);
    Text out;
    text_init(&out);
    ast_print(&out, e);
    const Ast *again = read_expression(a, out.at);
    if (!again || !ast_equal(e, again)) print_error("%s\n", out.at);
    assert_true(again && ast_equal(e, again));
    text_done(&out);
    arena_free(a);
  }
}

// Where the ) of the ( at open stands.
static size_t closing(const char *text, size_t open) {
  int depth = 0;
  for (size_t i = open;; i++) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (!depth) return i;
  }
}

static bool belongs_to_call(const char *text, size_t open) {
  return open && (text[open - 1] == '_' || (text[open - 1] >= '0' && text[open - 1] <= '9') ||
                  (text[open - 1] >= 'A' && text[open - 1] <= 'z' && text[open - 1] != '^'));
}

static void no_parenthesis_can_be_left_out(void **state) {
  (void)state;
  srand(3);
  int tried = 0;
  for (int i = 0; i < 2000; i++) {
    Arena *a = arena_new();
    const Ast *e = random_tree(a, 1 + rand() % 20);
    Text out;
    text_init(&out);
    ast_print(&out, e);
    for (size_t open = 0; open < out.length; open++) {
      if (out.at[open] != '(' || belongs_to_call(out.at, open)) continue;
      char *bare = arena_copy(a, out.at, out.length);
      bare[open] = bare[closing(out.at, open)] = ' ';
      const Ast *again = read_expression(a, bare);
      if (again && ast_equal(e, again)) print_error("%s\n%s\n", out.at, bare);
      assert_false(again && ast_equal(e, again));
      tried++;
    }
    text_done(&out);
    arena_free(a);
  }
  assert_true(tried > 1000);
}

static const char *printed(Arena *a, const char *text) {
  Text out;
  text_init(&out);
  const Ast *e = read_expression(a, text);
  assert_non_null(e);
  ast_print(&out, e);
  char *copy = arena_copy(a, out.at, out.length);
  text_done(&out);
  return copy;
}

static void text_in_the_usual_form_prints_as_itself(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "0",
      "10",
      "0.1",
      "1e22",
      "1e-7",
      "1.5e300",
      "5e-324",
      "123456789",
      "-a*b + (-c)*d^(-2)",
      "(a + b)*(c - d)/(e/f)",
      "(a^b)^c + a^(b^c)",
      "a - (b - c) - (d + e)",
      "not (a and b) or c < d and e == f",
      "(a < b) == (c < d)",
      "if a then b elseif c then d else e",
      "(if a then b else c) + 1",
      "f(if a then b else c, -d, 'x y')",
      "noEvent(if x > 0 then sqrt(x) else 0)",
      "(a or b) and (c or d)",
      "true and false",
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
    Arena *a = arena_new();
    assert_string_equal(printed(a, TEXTS[i]), TEXTS[i]);
    arena_free(a);
  }
}

static void numbers_print_short_and_exact(void **state) {
  (void)state;
  static const struct {
    const char *text, *want;
  } ROWS[] = {
      {"1.0", "1"},
      {"100.0", "100"},
      {"0.50", "0.5"},
      {"1.0e+05", "100000"},
      {"1.0E-07", "1e-7"},
      {"0.1000000000000000055", "0.1"},
      {"1e15", "1e15"},
      {"9007199254740992", "9007199254740992.0"},
      {"0.30000000000000004", "0.30000000000000004"},
  };
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
    Arena *a = arena_new();
    assert_string_equal(printed(a, ROWS[i].text), ROWS[i].want);
    arena_free(a);
  }
}

static void negative_numbers_of_other_makers_are_put_in_parentheses(void **state) {
  (void)state;
  Arena *a = arena_new();
  Ast *two = make(a, AST_NUMBER, AST_NO_OP, 0), *e = make(a, AST_BINARY, AST_TIMES, 2);
  two->number = -2;
  e->args[0] = e->args[1] = two;
  Text out;
  text_init(&out);
  ast_print(&out, e);
  assert_string_equal(out.at, "(-2)*(-2)");
  text_done(&out);
  arena_free(a);
}

static void deepest_trees_print(void **state) {
  (void)state;
  Arena *a = arena_new();
  Text text, out;
  text_init(&text);
  text_init(&out);
  text_add(&text, "a");
  for (int i = 1; i < AST_DEPTH_MOST; i++) text_add(&text, i % 2 ? " + b" : " - c");
  const Ast *e = read_expression(a, text.at);
  assert_int_equal(e->depth, AST_DEPTH_MOST);
  ast_print(&out, e);
  assert_string_equal(out.at, text.at);
  text_done(&text);
  text_done(&out);
  arena_free(a);
}

// ---- models ----

static const char MODEL[] =
    "model 'my model' \"a \\\"quoted\\\" text\\n\\twith \\\\\"\n"
    "  parameter Real p(min = 0.1, max = 200, unit = \"1/s2\", fixed = false) = 10 \"g/l\";\n"
    "  constant Integer n = 3;\n"
    "  input Boolean on;\n"
    "  output Real y(stateSelect = StateSelect.avoid);\n"
    "  discrete Integer k(start = 0);\n"
    "  Real x(start = -1, nominal = 1e-6) = if on then p else -p;\n"
    "initial equation\n"
    "  x = 0 \"at rest\";\n"
    "equation\n"
    "  der(x) + n*x = if time > 1 then 1 else 0;\n"
    "  (if on then y else x) = 2 \"an if on the left\";\n"
    "  when {sample(0, 1), x > 2} then\n"
    "    k = pre(k) + 1;\n"
    "    reinit(x, -x);\n"
    "  elsewhen initial() then\n"
    "    terminate(\"far \\\"enough\\\"\");\n"
    "  end when;\n"
    "end 'my model';\n";

static void a_model_in_the_usual_form_prints_as_itself(void **state) {
  (void)state;
  Arena *a = arena_new();
  const AstModel *m = read_model(a, MODEL);
  assert_non_null(m);
  Text out;
  text_init(&out);
  ast_print_model(&out, m);
  assert_string_equal(out.at, MODEL);
  text_done(&out);
  arena_free(a);
}

static void printed_models_read_back(void **state) {
  (void)state;
  Arena *a = arena_new();
  const AstModel *m = read_model(
      a, "model M Real x = 1, y(unit = \"\a\u03b1\", each final start = 2) \"d\" + \"e\"; "
         "equation der(x) = -x; public Real z; initial equation z = 1e-300; end M;");
  Text out;
  text_init(&out);
  ast_print_model(&out, m);
  assert_true(ast_model_equal(m, read_model(a, out.at)));
  text_done(&out);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(printed_trees_read_back),
      cmocka_unit_test(no_parenthesis_can_be_left_out),
      cmocka_unit_test(text_in_the_usual_form_prints_as_itself),
      cmocka_unit_test(numbers_print_short_and_exact),
      cmocka_unit_test(negative_numbers_of_other_makers_are_put_in_parentheses),
      cmocka_unit_test(deepest_trees_print),
      cmocka_unit_test(a_model_in_the_usual_form_prints_as_itself),
      cmocka_unit_test(printed_models_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
