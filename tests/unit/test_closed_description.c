#include "closed/closed_description.h"

#include <string.h>

#include "lang/source.h"
#include "model/model_build.h"
#include "test.h"

typedef struct Described {
  Arena *arena;
  ClosedDescription d;
  Model *model;
} Described;

static ClosedVariable variable(const char *name, double value) {
  return (ClosedVariable){.name = name,
                          .description = "",
                          .unit = "",
                          .has_value = true,
                          .value = value,
                          .text = "",
                          .min = -HUGE_VAL,
                          .max = HUGE_VAL,
                          .nominal = 1,
                          .start_of = -1};
}

static void open_described(Described *x) {
  *x = (Described){.arena = arena_new()};
  x->d.name = "Thing";
  x->d.description = "what it is";
}

static void build(Described *x) {
  Err err = {0};
  const AstModel *ast = closed_ast(x->arena, &x->d, NULL);
  x->model = model_new(source_new(x->arena, "thing", "", 0, &err), ast, NULL, 0, &err);
  if (!x->model) fail_msg("%s", err.text);
}

static void close_described(Described *x) {
  model_free(x->model);
  arena_free(x->arena);
}

static const Parameter *parameter(const Described *x, const char *name) {
  const Flat *f = x->model->flat;
  for (int k = 0; k < f->parameters.count; k++)
    if (strcmp(f->parameters.at[k].name, name) == 0) return &f->parameters.at[k];
  fail_msg("there is no parameter %s", name);
  return NULL;
}

static const Variable *of_name(const Described *x, const char *name) {
  int i = names_find(x->model->flat->names, name);
  if (i < 0) fail_msg("there is no variable %s", name);
  return &x->model->flat->variables.at[i];
}

static void parameters_keep_values_bounds_and_units(void **state) {
  (void)state;
  static const double VALUES[] = {0, -0.0, 1.5, -2.25, 1e300, -1e-300, 1. / 3};
  for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
    Described x;
    open_described(&x);
    ClosedVariable v = variable("body.m", VALUES[i]);
    v.min = VALUES[i] - 1, v.max = VALUES[i] + 1, v.nominal = 3;
    v.unit = "kg", v.description = "mass";
    array_push(x.arena, &x.d.parameters, v);
    build(&x);
    assert_true(parameter(&x, "body.m")->value == VALUES[i]);
    const Variable *m = of_name(&x, "body.m");
    assert_true(m->min == VALUES[i] - 1 && m->max == VALUES[i] + 1);
    assert_close(m->nominal, 3, 0);
    assert_string_equal(m->unit, "kg");
    assert_string_equal(m->description, "mass");
    close_described(&x);
  }
}

static void integers_booleans_and_texts_are_parameters(void **state) {
  (void)state;
  Described x;
  open_described(&x);
  ClosedVariable n = variable("n", 7), on = variable("on", 1), file = variable("file", 0);
  n.type = CLOSED_INTEGER, on.type = CLOSED_BOOLEAN, file.type = CLOSED_TEXT;
  file.text = "gains.txt";
  array_push(x.arena, &x.d.parameters, n);
  array_push(x.arena, &x.d.parameters, on);
  array_push(x.arena, &x.d.parameters, file);
  build(&x);
  assert_close(parameter(&x, "n")->value, 7, 0);
  assert_close(parameter(&x, "on")->value, 1, 0);
  assert_close(parameter(&x, "file")->value, 0, 0); // its default
  close_described(&x);
}

static void variables_are_states_under_any_name(void **state) {
  (void)state;
  static const char *const NAMES[] = {
      "x", "body.m", "outputs[1]", "der(x)", "volume@INJ01", "A[2,3]", "with blank", "time2"};
  enum { COUNT = sizeof NAMES / sizeof *NAMES };
  Described x;
  open_described(&x);
  for (int i = 0; i < COUNT; i++) array_push(x.arena, &x.d.variables, variable(NAMES[i], 0));
  build(&x);
  assert_int_equal(x.model->nx, COUNT);
  for (int i = 0; i < COUNT; i++) of_name(&x, NAMES[i]);
  assert_int_equal(x.model->flat->parameters.count, 0); // no start values that nobody can set
  close_described(&x);
}

static void start_values_that_can_be_set_are_parameters_of_their_states(void **state) {
  (void)state;
  Described x;
  open_described(&x);
  ClosedVariable start = variable("v.start", -2.5);
  start.start_of = 1;
  array_push(x.arena, &x.d.variables, variable("u", 0));
  array_push(x.arena, &x.d.variables, variable("v", 0));
  array_push(x.arena, &x.d.parameters, start);
  build(&x);
  assert_int_equal(x.model->flat->parameters.count, 1);
  assert_close(parameter(&x, "v.start")->value, -2.5, 0);
  assert_true(parameter(&x, "v.start")->is_start);
  close_described(&x);
}

static void inputs_have_defaults_where_they_say_so(void **state) {
  (void)state;
  Described x;
  open_described(&x);
  ClosedVariable needs = variable("needs", 0);
  needs.has_value = false;
  array_push(x.arena, &x.d.inputs, variable("u", 4));
  array_push(x.arena, &x.d.inputs, needs);
  array_push(x.arena, &x.d.variables, variable("y", 0));
  build(&x);
  assert_int_equal(x.model->nu, 2);
  assert_string_equal(x.model->flat->variables.at[x.model->input[0]].name, "u");
  close_described(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_keep_values_bounds_and_units),
      cmocka_unit_test(integers_booleans_and_texts_are_parameters),
      cmocka_unit_test(variables_are_states_under_any_name),
      cmocka_unit_test(start_values_that_can_be_set_are_parameters_of_their_states),
      cmocka_unit_test(inputs_have_defaults_where_they_say_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
