#include "fmu/fmu_model.h"

#include "fmu_trial.h"

static const FmuModel *model_of(Arena *a, const char *name) {
  Err err = {0};
  FmuDescription *d = fmu_describe(a, fmu_place(a, arena_print(a, "%s.fmu", name)), &err);
  if (!d) fail_msg("%s", err.text);
  return fmu_model_new(a, d, FMU_ME);
}

// "a b c" of a list.
static const char *names(Arena *a, const ClosedVariable *list, int count) {
  const char *out = "";
  for (int i = 0; i < count; i++) out = arena_print(a, "%s%s%s", out, i ? " " : "", list[i].name);
  return out;
}

#define NAMES(of) names(a, (of).at, (of).count)

static void parameters_inputs_and_variables_are_those_of_the_fmu(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int version = 2; version <= 3; version++) {
    const ClosedDescription *d = &model_of(a, arena_print(a, "oscillator%d", version))->closed;
    assert_string_equal(d->name, "oscillator");
    assert_string_equal(d->description, "mass on a spring");
    assert_string_equal(NAMES(d->parameters), "m k c k3 h x.start v.start");
    assert_string_equal(NAMES(d->inputs), "F");
    assert_string_equal(NAMES(d->variables), "x v y a");
    assert_close(d->stop_time, 10, 0);
    const ClosedVariable *m = &d->parameters.at[0];
    assert_string_equal(m->unit, "kg");
    assert_string_equal(m->description, "mass");
    assert_close(m->value, 1, 0);
    assert_close(m->min, 0.01, 0);
    assert_close(m->max, 100, 0);
    assert_close(d->parameters.at[5].value, 1, 0);
    assert_int_equal(d->parameters.at[5].start_of, 0);
    assert_int_equal(d->parameters.at[6].start_of, 1);
    assert_int_equal(m->start_of, -1);
  }
  arena_free(a);
}

static void outputs_and_states_are_shown_the_rest_is_hidden(void **state) {
  (void)state;
  Arena *a = arena_new();
  const ClosedDescription *d = &model_of(a, "ball2")->closed;
  for (int i = 0; i < d->variables.count; i++) {
    const ClosedVariable *v = &d->variables.at[i];
    bool shown = strcmp(v->name, "h") == 0 || strcmp(v->name, "v") == 0;
    assert_int_equal(v->hidden, !shown);
  }
  arena_free(a);
}

static void arrays_are_their_elements(void **state) {
  (void)state;
  Arena *a = arena_new();
  const ClosedDescription *d = &model_of(a, "arrays3")->closed;
  assert_string_equal(NAMES(d->parameters), "A[1,1] A[1,2] A[2,1] A[2,2] B[1] B[2] C[1] C[2] "
                                            "x[1].start x[2].start");
  assert_string_equal(NAMES(d->variables), "x[1] x[2] der(x)[1] der(x)[2] y[1] y[2]");
  assert_close(d->parameters.at[2].value, -4, 0);
  arena_free(a);
}

static void types_are_kept(void **state) {
  (void)state;
  Arena *a = arena_new();
  const ClosedDescription *d = &model_of(a, "table2")->closed;
  assert_string_equal(NAMES(d->parameters), "file order invert speed x.start");
  assert_int_equal(d->parameters.at[0].type, CLOSED_TEXT);
  assert_string_equal(d->parameters.at[0].text, "gains.txt");
  assert_int_equal(d->parameters.at[1].type, CLOSED_INTEGER);
  assert_int_equal(d->parameters.at[2].type, CLOSED_BOOLEAN);
  assert_int_equal(d->parameters.at[3].type, CLOSED_INTEGER); // an enumeration
  arena_free(a);
}

// By entry of the description: the variable of the FMU that has its name.
static void every_entry_knows_its_variable(void **state) {
  (void)state;
  static const char *const FMUS[] = {"oscillator2", "arrays3", "table3", "thermo2", "types3"};
  Arena *a = arena_new();
  for (size_t f = 0; f < sizeof FMUS / sizeof *FMUS; f++) {
    const FmuModel *m = model_of(a, FMUS[f]);
    const FmuVariable *all = m->fmu->variables.at;
    for (int i = 0; i < m->closed.parameters.count; i++) {
      const ClosedVariable *p = &m->closed.parameters.at[i];
      const char *name = all[m->parameter[i]].name;
      if (p->start_of >= 0) name = arena_print(a, "%s.start", name);
      assert_string_equal(p->name, name);
    }
    for (int i = 0; i < m->closed.inputs.count; i++)
      assert_string_equal(m->closed.inputs.at[i].name, all[m->input[i]].name);
    for (int i = 0; i < m->closed.variables.count; i++)
      assert_string_equal(m->closed.variables.at[i].name, all[m->variable[i]].name);
  }
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_inputs_and_variables_are_those_of_the_fmu),
      cmocka_unit_test(outputs_and_states_are_shown_the_rest_is_hidden),
      cmocka_unit_test(arrays_are_their_elements),
      cmocka_unit_test(types_are_kept),
      cmocka_unit_test(every_entry_knows_its_variable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
