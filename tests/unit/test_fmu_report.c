#include "fmu/fmu_report.h"

#include <string.h>

#include "base/json_tree.h"
#include "test.h"
#include "write/listing.h"

static int setup(void **state) {
  return (*state = arena_new()) ? 0 : -1;
}

static int teardown(void **state) {
  arena_free(*state);
  return 0;
}

static const char BALL[] =
    "<fmiModelDescription fmiVersion='2.0' modelName='Ball' guid='g' description='a ball'"
    " generationTool='Tool 1' author='A. Author' license='BSD' numberOfEventIndicators='1'>"
    "<ModelExchange modelIdentifier='Ball' providesDirectionalDerivative='true'/>"
    "<CoSimulation modelIdentifier='BallCs' needsExecutionTool='true'"
    " canBeInstantiatedOnlyOncePerProcess='true'/>"
    "<TypeDefinitions><SimpleType name='E'><Enumeration><Item name='soft' value='1'/><Item"
    " name='hard' value='2'/></Enumeration></SimpleType></TypeDefinitions>"
    "<DefaultExperiment startTime='0' stopTime='3'/><ModelVariables>"
    "<ScalarVariable name='g' valueReference='1' causality='parameter' description='gravity'>"
    "<Real start='-9.81' unit='m/s2'/></ScalarVariable>"
    "<ScalarVariable name='e' valueReference='2' causality='parameter' variability='tunable'>"
    "<Real start='0.7' min='0.5' max='1'/></ScalarVariable>"
    "<ScalarVariable name='n' valueReference='1' causality='parameter'><Integer start='4'/>"
    "</ScalarVariable>"
    "<ScalarVariable name='on' valueReference='1' causality='parameter'><Boolean start='true'/>"
    "</ScalarVariable>"
    "<ScalarVariable name='file' valueReference='1' causality='parameter'><String start='a.txt'/>"
    "</ScalarVariable>"
    "<ScalarVariable name='floor' valueReference='2' causality='parameter'><Enumeration"
    " declaredType='E' start='2'/></ScalarVariable>"
    "<ScalarVariable name='u' valueReference='3' causality='input'><Real start='0' unit='N'/>"
    "</ScalarVariable>"
    "<ScalarVariable name='h' valueReference='4' causality='output' initial='exact'>"
    "<Real start='1' unit='m'/></ScalarVariable>"
    "<ScalarVariable name='der(h)' valueReference='5'><Real derivative='8'/></ScalarVariable>"
    "<ScalarVariable name='h_too' valueReference='4' initial='exact'><Real start='1'/>"
    "</ScalarVariable>"
    "<ScalarVariable name='count' valueReference='6' variability='discrete' initial='approx'>"
    "<Integer start='5'/></ScalarVariable>"
    "</ModelVariables><ModelStructure><Outputs><Unknown index='8'/></Outputs><Derivatives>"
    "<Unknown index='9'/></Derivatives></ModelStructure></fmiModelDescription>";

static FmuDescription *parse(void **state, const char *xml) {
  Err err = {0};
  FmuDescription *d = fmu_description_parse(*state, "ball.fmu", xml, strlen(xml), &err);
  if (!d) print_error("%d:%d: %s\n", err.line, err.column, err.text);
  assert_non_null(d);
  return d;
}

static const char *text_of(void **state, const FmuDescription *d) {
  Text t;
  text_init(&t);
  fmu_report_text(d, &t);
  const char *copy = arena_copy(*state, t.at, t.length);
  text_done(&t);
  return copy;
}

static JsonTree *json_of(void **state, const FmuDescription *d) {
  Text t;
  Err err = {0};
  text_init(&t);
  fmu_report_json(d, &t);
  JsonTree *tree = json_parse(*state, "report", t.at, &err);
  if (!tree) print_error("%s\n%s\n", err.text, t.at);
  assert_non_null(tree);
  text_done(&t);
  return tree;
}

static void the_text_tells_what_the_fmu_is_and_what_can_be_done(void **state) {
  FmuDescription *d = parse(state, BALL);
  array_push(*state, &d->platforms, "linux64");
  array_push(*state, &d->platforms, "win64");
  d->has_sources = true;
  assert_string_equal(
      text_of(state, d),
      "Ball: a ball\n"
      "6 parameters, 1 input, 1 output, 1 continuous state, 2 other variables\n"
      "\n"
      "  FMI version         2.0\n"
      "  made by             Tool 1\n"
      "  author              A. Author\n"
      "  licence             BSD\n"
      "  model exchange      Ball; directional derivatives; 1 event indicator\n"
      "  co-simulation       BallCs; needs the tool that made it; one instance in each process; one"
      " step\n"
      "                      size only\n"
      "  platforms           linux64, win64, sources\n"
      "  default experiment  from 0; until 3\n"
      "\n"
      "Parameters\n"
      "  name      start  unit  range     type                can be     description\n"
      "  g         -9.81  m/s2            Real, fixed         estimated  gravity\n"
      "  e           0.7        0.5 .. 1  Real, tunable       estimated\n"
      "  n             4                  Integer, fixed      set\n"
      "  on         true                  Boolean, fixed      set\n"
      "  file    \"a.txt\"                  String, fixed       set\n"
      "  floor  2 (hard)                  Enumeration, fixed  set\n"
      "\n"
      "Inputs\n"
      "  name  start  unit  type\n"
      "  u         0  N     Real, continuous\n"
      "\n"
      "Outputs\n"
      "  name  unit  type\n"
      "  h     m     Real, continuous\n"
      "\n"
      "Continuous states\n"
      "  name  start  unit  initial  set by\n"
      "  h         1  m     exact    h.start\n"
      "\n"
      "Other start values\n"
      "  name   start  initial  set by\n"
      "  count      5  approx   count.start\n");
}

static void only_real_parameters_can_be_estimated(void **state) {
  const FmuDescription *d = parse(state, BALL);
  for (int i = 0; i < d->variables.count; i++) {
    const FmuVariable *v = &d->variables.at[i];
    if (fmu_is_parameter(v))
      assert_int_equal(fmu_use(v), v->type == FMU_REAL ? FMU_ESTIMATE : FMU_SET);
  }
  FmuVariable v = {.type = FMU_INTEGER, .causality = FMU_STRUCTURAL_PARAMETER};
  assert_int_equal(fmu_use(&v), FMU_KEEP);
  v = (FmuVariable){.type = FMU_BINARY, .causality = FMU_PARAMETER};
  assert_int_equal(fmu_use(&v), FMU_KEEP);
}

static void a_start_is_free_if_it_is_exact_or_a_guess(void **state) {
  (void)state;
  FmuVariable v = {.causality = FMU_LOCAL, .variability = FMU_CONTINUOUS, .has_start = true};
  for (int i = FMU_EXACT; i <= FMU_NO_INITIAL; i++) {
    v.initial = (FmuInitial)i;
    assert_int_equal(fmu_has_free_start(&v), i == FMU_EXACT || i == FMU_APPROX);
  }
  v.initial = FMU_EXACT;
  v.variability = FMU_CONSTANT;
  assert_false(fmu_has_free_start(&v));
  v.variability = FMU_CONTINUOUS;
  v.has_start = false;
  assert_false(fmu_has_free_start(&v));
  v.has_start = true;
  v.causality = FMU_PARAMETER; // it is set under its own name
  assert_false(fmu_has_free_start(&v));
}

static void the_json_holds_every_variable_once(void **state) {
  const FmuDescription *d = parse(state, BALL);
  const JsonTree *j = json_of(state, d);
  const char *keys[] = {"parameters", "inputs", "outputs", "variables"};
  int count = 0;
  for (int k = 0; k < 4; k++) {
    const JsonTree *list = json_find(j, keys[k]);
    for (int i = 0; i < list->items.count; i++, count++)
      assert_true(names_find(d->names, json_find(list->items.at[i], "name")->text) >= 0);
  }
  assert_int_equal(count, d->variables.count);
}

static void the_json_holds_values_by_type(void **state) {
  const JsonTree *j = json_of(state, parse(state, BALL)), *p = json_find(j, "parameters");
  assert_string_equal(json_find(j, "model")->text, "Ball");
  assert_close(json_find(p->items.at[0], "start")->number, -9.81, 0);
  assert_string_equal(json_find(p->items.at[0], "use")->text, "estimate");
  assert_int_equal(json_find(p->items.at[0], "min")->kind, JSON_NULL);
  assert_close(json_find(p->items.at[1], "max")->number, 1, 0);
  assert_int_equal(json_find(p->items.at[3], "start")->kind, JSON_FLAG);
  assert_string_equal(json_find(p->items.at[4], "start")->text, "a.txt");
  const JsonTree *hard = json_find(p->items.at[5], "items")->items.at[1];
  assert_string_equal(json_find(hard, "name")->text, "hard");
  assert_close(json_find(hard, "value")->number, 2, 0);
  const JsonTree *state_of = json_find(j, "states")->items.at[0];
  assert_string_equal(json_find(state_of, "derivative")->text, "der(h)");
  assert_close(json_find(state_of, "free_start")->number, 1, 0);
  assert_close(json_find(json_find(j, "co_simulation"), "needs_execution_tool")->number, 1, 0);
  assert_int_equal(json_find(json_find(j, "default_experiment"), "step")->kind, JSON_NULL);
}

static void an_interface_that_is_not_offered_is_null(void **state) {
  const JsonTree *j =
      json_of(state, parse(state, "<fmiModelDescription fmiVersion='3.0' instantiationToken='g'>"
                                  "<CoSimulation modelIdentifier='M'/></fmiModelDescription>"));
  assert_int_equal(json_find(j, "model_exchange")->kind, JSON_NULL);
  assert_int_equal(json_find(j, "co_simulation")->kind, JSON_MAP);
}

// An FMU with very long and dangerous texts.
static FmuDescription *wild(void **state, int variables) {
  Text t;
  text_init(&t);
  text_add(&t, "<fmiModelDescription fmiVersion='3.0' modelName='a&#10;b&#x9b;31m' guid='g'"
               " instantiationToken='g' license='");
  for (int i = 0; i < 300; i++) text_add(&t, "word&#10; ");
  text_add(&t, "'><ModelExchange modelIdentifier='M'/><ModelVariables>");
  for (int i = 0; i < variables; i++) {
    text_print(&t, "<Float64 name='&#x202e;");
    for (int k = 0; k < 3 * i; k++) text_add(&t, "\xc3\xa4");
    text_print(&t, "%d' valueReference='%d' causality='parameter' start='%d' unit='", i, i, i);
    for (int k = 0; k < i; k++) text_add(&t, "m.");
    text_add(&t, "' description='a&#10;line'/>");
  }
  text_add(&t, "</ModelVariables></fmiModelDescription>");
  FmuDescription *d = parse(state, t.at);
  text_done(&t);
  return d;
}

static void no_line_is_wider_than_the_terminal(void **state) {
  const char *text = text_of(state, wild(state, 60));
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    assert_in_range(listing_width(arena_copy(*state, line, length)), 0, 100);
    line += length + 1;
  }
}

static void texts_of_the_fmu_cannot_act_on_the_terminal(void **state) {
  const char *text = text_of(state, wild(state, 3));
  assert_null(strstr(text, "\xc2\x9b"));
  assert_null(strstr(text, "\xe2\x80\xae"));
  assert_non_null(strstr(text, "a b\\u009b31m\n"));
  assert_non_null(strstr(text, "\\u202e0"));
  assert_non_null(strstr(text, "a line\n"));
}

static void long_lists_say_how_many_rows_are_left_out(void **state) {
  for (int count = 50; count <= 52; count++) {
    const char *text = text_of(state, wild(state, count)), *more = strstr(text, "... and ");
    const char *wanted = arena_print(*state, "... and %d more, which --json shows\n", count - 50);
    assert_int_equal(more != NULL && strcmp(more, wanted) == 0, count > 50);
    assert_int_equal(json_find(json_of(state, wild(state, count)), "parameters")->items.count,
                     count);
  }
}

static void an_fmu_without_anything_has_a_report(void **state) {
  const FmuDescription *d =
      parse(state, "<fmiModelDescription fmiVersion='3.0' instantiationToken='g'>"
                   "<CoSimulation modelIdentifier='M'/></fmiModelDescription>");
  assert_string_equal(text_of(state, d),
                      "ball.fmu\n"
                      "0 parameters, 0 inputs, 0 outputs, 0 continuous states, 0 other variables\n"
                      "\n"
                      "  FMI version         3.0\n"
                      "  co-simulation       M; one step size only\n"
                      "  platforms           none\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_text_tells_what_the_fmu_is_and_what_can_be_done),
      TEST(only_real_parameters_can_be_estimated),
      TEST(a_start_is_free_if_it_is_exact_or_a_guess),
      TEST(the_json_holds_every_variable_once),
      TEST(the_json_holds_values_by_type),
      TEST(an_interface_that_is_not_offered_is_null),
      TEST(no_line_is_wider_than_the_terminal),
      TEST(texts_of_the_fmu_cannot_act_on_the_terminal),
      TEST(long_lists_say_how_many_rows_are_left_out),
      TEST(an_fmu_without_anything_has_a_report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
