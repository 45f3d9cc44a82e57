#include "problem/closed_expression.h"

#include <string.h>

#include "closed/closed_description.h"
#include "lang/source.h"
#include "model/model_build.h"
#include "test.h"

// A simulator with such variables.
static const char *const NAMES[] = {
    "x", "v", "body.m", "outputs[1]", "A[2,3]", "der(x)", "volume@INJ01", "x-y", "a.b[2].c"};

typedef struct Known {
  Arena *arena;
  ClosedDescription d;
  Model *model;
} Known;

static int known_open(void **state) {
  Arena *a = arena_new();
  Known *k = ARENA_NEW(a, Known);
  Err err = {0};
  k->arena = a;
  k->d.name = "Known";
  k->d.description = "";
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    array_push(a, &k->d.variables,
               ((ClosedVariable){.name = NAMES[i],
                                 .description = "",
                                 .unit = "",
                                 .min = -HUGE_VAL,
                                 .max = HUGE_VAL,
                                 .nominal = 1,
                                 .start_of = -1}));
  const AstModel *ast = closed_ast(a, &k->d, NULL);
  k->model = model_new(source_new(a, "known.fmu", "", 0, &err), ast, NULL, 0, &err);
  *state = k;
  return k->model ? 0 : -1;
}

static int known_close(void **state) {
  Known *k = *state;
  model_free(k->model);
  arena_free(k->arena);
  return 0;
}

static const Ast *read(const Known *k, const char *text, Err *err) {
  const Source *s = source_new(k->arena, "expression", text, strlen(text), err);
  return closed_expression(k->arena, k->model->flat, s, err);
}

static const Ast *read_good(const Known *k, const char *text) {
  Err err = {0};
  const Ast *e = read(k, text, &err);
  if (!e) fail_msg("%s: %s", text, err.text);
  return e;
}

static void a_name_of_the_simulator_is_that_variable_whatever_it_contains(void **state) {
  const Known *k = *state;
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    const Ast *e = read_good(k, NAMES[i]);
    assert_int_equal(e->kind, AST_NAME);
    assert_string_equal(e->name, NAMES[i]);
  }
}

static void quoted_names_may_stand_in_expressions(void **state) {
  const Known *k = *state;
  const Ast *e = read_good(k, "2*'volume@INJ01'");
  assert_int_equal(e->kind, AST_BINARY);
  assert_string_equal(e->args[1]->name, "volume@INJ01");
  e = read_good(k, "'x-y' - 'x'");
  assert_string_equal(e->args[0]->name, "x-y");
  assert_string_equal(e->args[1]->name, "x");
}

static void components_elements_and_derivatives_are_variables(void **state) {
  const Known *k = *state;
  static const struct {
    const char *text, *name;
  } ONES[] = {{"1 + body.m", "body.m"}, {"1 + outputs[1]", "outputs[1]"},
              {"1 + A[2,3]", "A[2,3]"}, {"1 + A[2, 3]", "A[2,3]"},
              {"1 + der(x)", "der(x)"}, {"1 + a.b[2].c", "a.b[2].c"}};
  for (size_t i = 0; i < sizeof ONES / sizeof *ONES; i++) {
    const Ast *e = read_good(k, ONES[i].text);
    if (e->args[1]->kind != AST_NAME) fail_msg("%s", ONES[i].text);
    assert_string_equal(e->args[1]->name, ONES[i].name);
  }
}

static void a_derivative_that_it_does_not_have_is_refused_where_it_stands(void **state) {
  const Known *k = *state;
  Err err = {0};
  assert_null(read(k, "x + der(v)", &err));
  assert_string_equal(err.text, "known.fmu has no variable 'der(v)'; its equations are not known");
  assert_int_equal(err.line, 1);
  assert_int_equal(err.column, 5);
}

static void what_is_no_expression_is_refused(void **state) {
  const Known *k = *state;
  Err err = {0};
  assert_null(read(k, "x +", &err));
  assert_true(err.code != 0 && err.text[0]);
}

static void quotes_are_removed_from_names_that_have_both(void **state) {
  const Known *k = *state;
  assert_string_equal(closed_name_unquoted(k->arena, "'a b'"), "a b");
  assert_string_equal(closed_name_unquoted(k->arena, "''"), "");
  assert_string_equal(closed_name_unquoted(k->arena, "'"), "'");
  assert_string_equal(closed_name_unquoted(k->arena, "'a"), "'a");
  assert_string_equal(closed_name_unquoted(k->arena, "a"), "a");
  assert_string_equal(closed_name_unquoted(k->arena, ""), "");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, known_open, known_close)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_name_of_the_simulator_is_that_variable_whatever_it_contains),
      TEST(quoted_names_may_stand_in_expressions),
      TEST(components_elements_and_derivatives_are_variables),
      TEST(a_derivative_that_it_does_not_have_is_refused_where_it_stands),
      TEST(what_is_no_expression_is_refused),
      TEST(quotes_are_removed_from_names_that_have_both),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
