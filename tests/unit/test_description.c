#include "fmu/description.h"
#include "fmu/fmu_model.h"
#include "fmu/fmu_report.h"

#include <string.h>

#include "base/text.h"
#include "made_archive.h"

// A description with these attributes of the root, and these elements behind the interfaces. The variables begin in line 3.
#define FMI2(variables, rest)                                                                      \
  "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g'>\n"                                \
  "<ModelExchange modelIdentifier='M'/><CoSimulation "                                             \
  "modelIdentifier='M'/><ModelVariables>\n" variables "</ModelVariables>" rest                     \
  "</fmiModelDescription>"
#define FMI3(variables, rest)                                                                      \
  "<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='g'>\n"                  \
  "<ModelExchange modelIdentifier='M'/><CoSimulation "                                             \
  "modelIdentifier='M'/><ModelVariables>\n" variables "</ModelVariables>" rest                     \
  "</fmiModelDescription>"

#define SCALAR(name, reference, attributes, type)                                                  \
  "<ScalarVariable name='" name "' valueReference='" reference "' " attributes ">" type            \
  "</ScalarVariable>\n"

static Arena *arena_of(void **state) {
  return ((MadeArchive *)*state)->arena;
}

static FmuDescription *parse(void **state, const char *xml) {
  Err err = {0};
  FmuDescription *d = fmu_description_parse(arena_of(state), "car.fmu/modelDescription.xml", xml,
                                            strlen(xml), &err);
  if (!d) print_error("%d:%d: %s\n", err.line, err.column, err.text);
  assert_non_null(d);
  return d;
}

static void assert_fails(void **state, const char *xml, int line, int column, const char *why) {
  Err err = {0};
  assert_null(fmu_description_parse(arena_of(state), "car.fmu/modelDescription.xml", xml,
                                    strlen(xml), &err));
  assert_string_equal(err.text, why);
  assert_int_equal(err.line, line);
  assert_int_equal(err.column, column);
  assert_string_equal(err.file, "car.fmu/modelDescription.xml");
}

static const FmuVariable *find(const FmuDescription *d, const char *name) {
  int i = names_find(d->names, name);
  assert_in_range(i, 0, d->variables.count - 1);
  assert_string_equal(d->variables.at[i].name, name);
  return &d->variables.at[i];
}

// ---------------------------------------------------------------- the root

static void facts_about_the_model_are_read(void **state) {
  const FmuDescription *d = parse(
      state,
      "<fmiModelDescription fmiVersion='2.0' modelName='a.B' guid='{8c}' description='what'"
      " author='who' version='1.2' copyright='c' license='BSD' generationTool='T 3'"
      " generationDateAndTime='2020-01-02T03:04:05Z' variableNamingConvention='structured'"
      " numberOfEventIndicators='7'><CoSimulation modelIdentifier='B'/>"
      "<DefaultExperiment startTime='1' stopTime='2.5' tolerance='1e-4'/></fmiModelDescription>");
  assert_int_equal(d->fmi, 2);
  assert_string_equal(d->version, "2.0");
  assert_string_equal(d->model_name, "a.B");
  assert_string_equal(d->token, "{8c}");
  assert_string_equal(d->description, "what");
  assert_string_equal(d->author, "who");
  assert_string_equal(d->model_version, "1.2");
  assert_string_equal(d->copyright, "c");
  assert_string_equal(d->license, "BSD");
  assert_string_equal(d->tool, "T 3");
  assert_string_equal(d->date, "2020-01-02T03:04:05Z");
  assert_string_equal(d->naming, "structured");
  assert_int_equal(d->indicators, 7);
  assert_close(d->start_time, 1, 0);
  assert_close(d->stop_time, 2.5, 0);
  assert_close(d->tolerance, 1e-4, 0);
  assert_true(isnan(d->step_size));
  assert_int_equal(d->variables.count, 0);
}

static void what_is_not_said_is_empty(void **state) {
  const FmuDescription *d = parse(state, FMI3("", ""));
  assert_int_equal(d->fmi, 3);
  const char *texts[] = {d->description, d->author, d->model_version, d->copyright,
                         d->license,     d->tool,   d->date};
  for (int i = 0; i < 7; i++) assert_string_equal(texts[i], "");
  assert_string_equal(d->naming, "flat");
  assert_true(isnan(d->start_time) && isnan(d->stop_time) && isnan(d->tolerance));
  assert_int_equal(d->platforms.count, 0);
}

static void capabilities_have_the_names_of_their_version(void **state) {
  const FmuDescription *d =
      parse(state, "<fmiModelDescription fmiVersion='2.0' guid='g'>"
                   "<ModelExchange modelIdentifier='A' needsExecutionTool='true'"
                   " canBeInstantiatedOnlyOncePerProcess='1' canGetAndSetFMUstate='true'"
                   " providesDirectionalDerivative='true' completedIntegratorStepNotNeeded='true'/>"
                   "<CoSimulation modelIdentifier='B' canHandleVariableCommunicationStepSize='true'"
                   " canInterpolateInputs='true' canSerializeFMUstate=' true '"
                   " needsExecutionTool='false'/></fmiModelDescription>");
  const FmuInterfaceInfo *me = &d->model_exchange, *cs = &d->co_simulation;
  assert_string_equal(me->identifier, "A");
  assert_true(me->offered && me->needs_execution_tool && me->once_per_process);
  assert_true(me->gets_and_sets_state && me->directional_derivatives && !me->serializes_state);
  assert_false(me->needs_completed_step);
  assert_string_equal(cs->identifier, "B");
  assert_true(cs->offered && cs->variable_step && cs->interpolates_inputs && cs->serializes_state);
  assert_false(cs->needs_execution_tool || cs->directional_derivatives || cs->needs_completed_step);
  assert_close(cs->internal_step, 0, 0);
  d = parse(state, "<fmiModelDescription fmiVersion='3.0' instantiationToken='g'>"
                   "<ModelExchange modelIdentifier='A' canGetAndSetFMUState='true'"
                   " providesDirectionalDerivatives='true' needsCompletedIntegratorStep='true'/>"
                   "<CoSimulation modelIdentifier='B' fixedInternalStepSize='0.01'/>"
                   "<ScheduledExecution modelIdentifier='C'/></fmiModelDescription>");
  assert_true(d->model_exchange.gets_and_sets_state && d->model_exchange.directional_derivatives);
  assert_true(d->model_exchange.needs_completed_step);
  assert_close(d->co_simulation.internal_step, 0.01, 0);
  assert_true(d->scheduled_execution);
}

// FMI 2 calls it unless it is said not to be needed, FMI 3 if it is said to be needed.
static void completed_steps_have_opposite_defaults(void **state) {
  assert_true(parse(state, FMI2("", ""))->model_exchange.needs_completed_step);
  assert_false(parse(state, FMI3("", ""))->model_exchange.needs_completed_step);
}

static void other_versions_and_interfaces_are_refused_by_name(void **state) {
  assert_fails(state, "<fmiModelDescription fmiVersion='1.0' modelIdentifier='M' guid='g'/>", 1, 1,
               "this is FMI 1.0; entrain reads FMI 2.0 and 3.0");
  assert_fails(state, "<fmiModelDescription fmiVersion='2.1'/>", 1, 1,
               "this is FMI 2.1; entrain reads FMI 2.0 and 3.0");
  assert_fails(state, "<fmiModelDescription fmiVersion='3'/>", 1, 1,
               "this is FMI 3; entrain reads FMI 2.0 and 3.0");
  assert_fails(state, "<fmiModelDescription guid='g'/>", 1, 1,
               "fmiModelDescription needs the attribute fmiVersion");
  assert_fails(state, "<!-- -->\n<html/>", 2, 1,
               "the root element is html, not fmiModelDescription");
  assert_fails(state, "<fmiModelDescription fmiVersion='2.0' guid='g'/>", 1, 1,
               "this FMU offers no interface; entrain needs model exchange or co-simulation");
  assert_fails(state,
               "<fmiModelDescription fmiVersion='3.0' instantiationToken='g'>"
               "<ScheduledExecution modelIdentifier='M'/></fmiModelDescription>",
               1, 1,
               "this FMU offers scheduled execution only; entrain needs model exchange or"
               " co-simulation");
  assert_fails(state, "<fmiModelDescription fmiVersion='2.0'/>", 1, 1,
               "fmiModelDescription needs the attribute guid");
  assert_fails(state, "<fmiModelDescription fmiVersion='3.0' guid='g'/>", 1, 1,
               "fmiModelDescription needs the attribute instantiationToken");
}

// It becomes the name of the library that is loaded.
static void an_identifier_must_not_lead_to_another_folder(void **state) {
  const char *names[] = {"../evil", "/lib/x", "a/b", "a\\b", ".hidden", "a&#10;b"};
  for (int i = 0; i < 6; i++) {
    Err err = {0};
    const char *xml = arena_print(arena_of(state),
                                  "<fmiModelDescription fmiVersion='2.0' guid='g'>\n <CoSimulation "
                                  "modelIdentifier='%s'/></fmiModelDescription>",
                                  names[i]);
    assert_null(fmu_description_parse(arena_of(state), "x", xml, strlen(xml), &err));
    assert_non_null(strstr(err.text, "must be the name of a file"));
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 2);
  }
  assert_fails(state,
               "<fmiModelDescription fmiVersion='2.0' guid='g'><CoSimulation/>"
               "</fmiModelDescription>",
               1, 48, "CoSimulation needs the attribute modelIdentifier");
}

static void values_that_are_none_are_shown(void **state) {
  assert_fails(state,
               "<fmiModelDescription fmiVersion='2.0' guid='g'><CoSimulation modelIdentifier='M' "
               "needsExecutionTool='yes'/></fmiModelDescription>",
               1, 48, "needsExecutionTool 'yes' must be true or false");
  assert_fails(state, FMI2("", "<DefaultExperiment stopTime='1 s'/>"), 3, 18,
               "stopTime '1 s' is not a number");
  assert_fails(state,
               "<fmiModelDescription fmiVersion='2.0' guid='g' numberOfEventIndicators='-1'>"
               "<CoSimulation modelIdentifier='M'/></fmiModelDescription>",
               1, 1, "numberOfEventIndicators '-1' must be a whole number from 0 to 1000000");
  assert_fails(state,
               "<fmiModelDescription fmiVersion='2.0' guid='g' variableNamingConvention='x\033'/>",
               1, 75, "this is not well-formed XML: not well-formed (invalid token)");
  assert_fails(
      state, "<fmiModelDescription fmiVersion='2.0' guid='g' variableNamingConvention='&#155;'/>",
      1, 1, "variableNamingConvention '\\u009b' is unknown; it must be flat or structured");
}

// ---------------------------------------------------------------- variables

static void variables_of_fmi_2_have_types_and_start_values(void **state) {
  const FmuDescription *d = parse(
      state,
      FMI2(SCALAR("r", "1", "causality='parameter' variability='tunable' description='a &lt; b'",
                  "<Real start='-1.5e3' min='-2e3' max='INF' nominal='-10' unit='m/s'/>")
               SCALAR("i", "1", "causality='input'", "<Integer start='-7'/>")
                   SCALAR("b", "1", "", "<Boolean start='true'/>")
                       SCALAR("s", "1", "causality='parameter'", "<String start=''/>")
                           SCALAR("e", "2", "", "<Enumeration declaredType='E' start='2'/>")
                               SCALAR("n", "9", "", "<Annotations><x/></Annotations><Real/>"),
           "<TypeDefinitions><SimpleType name='E'><Enumeration><Item name='one' value='1'/>"
           "<Item name='two' value='2'/></Enumeration></SimpleType></TypeDefinitions>"));
  assert_int_equal(d->variables.count, 6);
  const FmuVariable *r = find(d, "r");
  assert_int_equal(r->type, FMU_REAL);
  assert_int_equal(r->wire, FMU_WIRE_FLOAT64);
  assert_true(r->has_start);
  assert_close(r->start, -1500, 0);
  assert_close(r->min, -2000, 0);
  assert_true(isinf(r->max) && r->max > 0);
  assert_close(r->nominal, 10, 0);
  assert_string_equal(r->unit, "m/s");
  assert_string_equal(r->description, "a < b");
  assert_int_equal(r->line, 3);
  assert_int_equal(find(d, "i")->wire, FMU_WIRE_INT32);
  assert_close(find(d, "i")->start, -7, 0);
  assert_close(find(d, "b")->start, 1, 0);
  assert_string_equal(find(d, "s")->start_text, "");
  const FmuVariable *e = find(d, "e"), *n = find(d, "n");
  assert_int_equal(e->wire, FMU_WIRE_INT32);
  const FmuEnumeration *items = &d->enumerations.at[e->enumeration];
  assert_string_equal(items->name, "E");
  assert_string_equal(items->items.at[1].name, "two");
  assert_int_equal(items->items.at[1].value, 2);
  assert_int_equal(n->line, 8);
  assert_int_equal(n->reference, 9);
  assert_false(n->has_start);
  assert_int_equal(n->array, -1);
  assert_close(n->nominal, 1, 0);
  assert_true(isinf(n->min) && n->min < 0);
}

static void every_type_of_fmi_3_has_its_wire(void **state) {
  const struct {
    const char *word;
    FmuType type;
    FmuWire wire;
  } TYPES[] = {
      {"Float64", FMU_REAL, FMU_WIRE_FLOAT64},
      {"Float32", FMU_REAL, FMU_WIRE_FLOAT32},
      {"Int8", FMU_INTEGER, FMU_WIRE_INT8},
      {"UInt8", FMU_INTEGER, FMU_WIRE_UINT8},
      {"Int16", FMU_INTEGER, FMU_WIRE_INT16},
      {"UInt16", FMU_INTEGER, FMU_WIRE_UINT16},
      {"Int32", FMU_INTEGER, FMU_WIRE_INT32},
      {"UInt32", FMU_INTEGER, FMU_WIRE_UINT32},
      {"Int64", FMU_INTEGER, FMU_WIRE_INT64},
      {"UInt64", FMU_INTEGER, FMU_WIRE_UINT64},
      {"Boolean", FMU_BOOLEAN, FMU_WIRE_BOOLEAN},
      {"String", FMU_STRING, FMU_WIRE_STRING},
      {"Binary", FMU_BINARY, FMU_WIRE_BINARY},
      {"Clock", FMU_CLOCK, FMU_WIRE_CLOCK},
      {"Enumeration", FMU_ENUMERATION, FMU_WIRE_INT64},
  };
  for (int i = 0; i < 15; i++) {
    const char *xml = arena_print(arena_of(state), FMI3("<%s name='x' valueReference='5'/>\n", ""),
                                  TYPES[i].word);
    const FmuVariable *v = find(parse(state, xml), "x");
    assert_int_equal(v->type, TYPES[i].type);
    assert_int_equal(v->wire, TYPES[i].wire);
    assert_int_equal(v->reference, 5);
  }
}

// FMI 2.0.4, section 2.2.7, and FMI 3.0.2, section 2.4.7: what holds where nothing is said.
static void defaults_are_those_of_the_standard(void **state) {
  const struct {
    const char *attributes;
    bool real;
    FmuCausality causality;
    FmuVariability variability;
    FmuInitial two, three;
  } CASES[] = {
      {"", true, FMU_LOCAL, FMU_CONTINUOUS, FMU_CALCULATED, FMU_CALCULATED},
      {"", false, FMU_LOCAL, FMU_DISCRETE, FMU_CALCULATED, FMU_CALCULATED},
      {"causality='parameter'", true, FMU_PARAMETER, FMU_FIXED, FMU_EXACT, FMU_EXACT},
      {"causality='parameter'", false, FMU_PARAMETER, FMU_FIXED, FMU_EXACT, FMU_EXACT},
      {"causality='parameter' variability='tunable'", true, FMU_PARAMETER, FMU_TUNABLE, FMU_EXACT,
       FMU_EXACT},
      {"causality='calculatedParameter'", true, FMU_CALCULATED_PARAMETER, FMU_FIXED, FMU_CALCULATED,
       FMU_CALCULATED},
      {"causality='input'", true, FMU_INPUT, FMU_CONTINUOUS, FMU_NO_INITIAL, FMU_EXACT},
      {"causality='input'", false, FMU_INPUT, FMU_DISCRETE, FMU_NO_INITIAL, FMU_EXACT},
      {"causality='output'", true, FMU_OUTPUT, FMU_CONTINUOUS, FMU_CALCULATED, FMU_CALCULATED},
      {"causality='output'", false, FMU_OUTPUT, FMU_DISCRETE, FMU_CALCULATED, FMU_CALCULATED},
      {"causality='output' variability='constant'", true, FMU_OUTPUT, FMU_CONSTANT, FMU_EXACT,
       FMU_EXACT},
      {"variability='constant'", false, FMU_LOCAL, FMU_CONSTANT, FMU_EXACT, FMU_EXACT},
      {"variability='fixed'", true, FMU_LOCAL, FMU_FIXED, FMU_CALCULATED, FMU_CALCULATED},
      {"variability='tunable'", true, FMU_LOCAL, FMU_TUNABLE, FMU_CALCULATED, FMU_CALCULATED},
      {"variability='discrete'", true, FMU_LOCAL, FMU_DISCRETE, FMU_CALCULATED, FMU_CALCULATED},
      {"causality='independent'", true, FMU_INDEPENDENT, FMU_CONTINUOUS, FMU_NO_INITIAL,
       FMU_NO_INITIAL},
      {"causality='output' initial='exact'", true, FMU_OUTPUT, FMU_CONTINUOUS, FMU_EXACT,
       FMU_EXACT},
      {"initial='approx'", true, FMU_LOCAL, FMU_CONTINUOUS, FMU_APPROX, FMU_APPROX},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    for (int fmi = 2; fmi <= 3; fmi++) {
      const char *xml =
          fmi == 2 ? arena_print(arena_of(state),
                                 FMI2("<ScalarVariable name='x' valueReference='1' %s><%s/>"
                                      "</ScalarVariable>",
                                      ""),
                                 CASES[i].attributes, CASES[i].real ? "Real" : "Integer")
                   : arena_print(arena_of(state), FMI3("<%s name='x' valueReference='1' %s/>", ""),
                                 CASES[i].real ? "Float32" : "UInt8", CASES[i].attributes);
      const FmuVariable *v = find(parse(state, xml), "x");
      assert_int_equal(v->causality, CASES[i].causality);
      assert_int_equal(v->variability, CASES[i].variability);
      assert_int_equal(v->initial, fmi == 2 ? CASES[i].two : CASES[i].three);
    }
  const FmuDescription *d =
      parse(state, FMI3("<UInt64 name='n' valueReference='1' causality='structuralParameter'"
                        " start='2'/><Clock name='c' valueReference='2' causality='input'/>",
                        ""));
  assert_int_equal(find(d, "n")->variability, FMU_FIXED);
  assert_int_equal(find(d, "n")->initial, FMU_EXACT);
  assert_int_equal(find(d, "c")->variability, FMU_DISCRETE);
  assert_int_equal(find(d, "c")->initial, FMU_NO_INITIAL);
}

static void words_are_those_of_the_standard(void **state) {
  for (int c = FMU_PARAMETER; c <= FMU_INDEPENDENT; c++)
    for (int v = FMU_CONSTANT; v <= FMU_CONTINUOUS; v++) {
      bool parameter = c <= FMU_STRUCTURAL_PARAMETER;
      bool timed = v == FMU_DISCRETE || v == FMU_CONTINUOUS;
      bool allowed = parameter              ? v == FMU_FIXED || v == FMU_TUNABLE
                     : c == FMU_INPUT       ? timed
                     : c == FMU_OUTPUT      ? timed || v == FMU_CONSTANT
                     : c == FMU_INDEPENDENT ? v == FMU_CONTINUOUS
                                            : true;
      const char *causality = fmu_causality_word((FmuCausality)c);
      const char *variability = fmu_variability_word((FmuVariability)v);
      const char *xml = arena_print(
          arena_of(state),
          FMI3("<Float64 name='x' valueReference='1' causality='%s' variability='%s'/>", ""),
          causality, variability);
      const FmuVariable *x = find(parse(state, xml), "x");
      if (allowed) {
        assert_int_equal(x->causality, c);
        assert_int_equal(x->variability, v);
      } else if (parameter) { // other combinations are taken as what can be meant
        assert_int_equal(x->causality, v == FMU_CONSTANT ? FMU_LOCAL : c);
        assert_int_equal(x->variability, v == FMU_CONSTANT ? v : FMU_TUNABLE);
      } else if (c != FMU_OUTPUT) {
        assert_int_equal(x->variability, c == FMU_INPUT ? FMU_DISCRETE : FMU_CONTINUOUS);
      }
    }
  const char *whole =
      FMI2(SCALAR("x", "1", "causality='input' variability='continuous'", "<Integer/>"), "");
  assert_int_equal(find(parse(state, whole), "x")->variability, FMU_DISCRETE);
}

static void declared_types_give_what_the_variable_does_not_say(void **state) {
  static const char TYPES2[] =
      "<TypeDefinitions><SimpleType name='L'><Real unit='m' min='0' max='5' nominal='2'/>"
      "</SimpleType></TypeDefinitions>";
  static const char TYPES3[] = "<TypeDefinitions><Float64Type name='L' unit='m' min='0' max='5'"
                               " nominal='2'/></TypeDefinitions>";
  const char *texts[] = {
      arena_print(
          arena_of(state), "%s%s%s",
          "<fmiModelDescription fmiVersion='2.0' guid='g'><CoSimulation"
          " modelIdentifier='M'/>",
          TYPES2,
          "<ModelVariables>" SCALAR("a", "1", "", "<Real declaredType='L'/>") SCALAR(
              "b", "2", "", "<Real declaredType='L' unit='km' max='3'/>") SCALAR("c", "3", "",
                                                                                 "<Real/>")
              SCALAR("d", "4", "",
                     "<Real declaredType='L' unit=''/>") "</ModelVariables></fmiModelDescription>"),
      arena_print(arena_of(state), "%s%s%s",
                  "<fmiModelDescription fmiVersion='3.0' instantiationToken='g'><CoSimulation"
                  " modelIdentifier='M'/>",
                  TYPES3,
                  "<ModelVariables><Float64 name='a' valueReference='1' declaredType='L'/>"
                  "<Float64 name='b' valueReference='2' declaredType='L' unit='km' max='3'/>"
                  "<Float64 name='c' valueReference='3'/>"
                  "<Float64 name='d' valueReference='4' declaredType='L' unit=''/></ModelVariables>"
                  "</fmiModelDescription>"),
  };
  for (int i = 0; i < 2; i++) {
    const FmuDescription *d = parse(state, texts[i]);
    const FmuVariable *a = find(d, "a"), *b = find(d, "b");
    assert_string_equal(a->unit, "m");
    assert_close(a->max, 5, 0);
    assert_close(a->nominal, 2, 0);
    assert_string_equal(b->unit, "km");
    assert_close(b->min, 0, 0);
    assert_close(b->max, 3, 0);
    assert_string_equal(find(d, "c")->unit, "");
    assert_string_equal(find(d, "d")->unit, "");
  }
}

static void mistakes_in_variables_are_reported_with_their_line(void **state) {
  assert_fails(state, FMI2("<ScalarVariable name='x' valueReference='1'/>", ""), 3, 1,
               "this variable has no type: Real, Integer, Boolean, String or Enumeration");
  assert_fails(state, FMI2("<ScalarVariable name='x'><Real/></ScalarVariable>", ""), 3, 1,
               "ScalarVariable needs the attribute valueReference");
  assert_fails(state, FMI2("<ScalarVariable valueReference='1'><Real/></ScalarVariable>", ""), 3, 1,
               "ScalarVariable needs the attribute name");
  assert_fails(state, FMI2("\n " SCALAR("x", "4294967296", "", "<Real/>"), ""), 4, 2,
               "valueReference '4294967296' must be a whole number from 0 to 4294967295");
  assert_fails(state, FMI2(SCALAR("x", "1", "", "<Real/>") SCALAR("x", "2", "", "<Real/>"), ""), 4,
               1, "the name 'x' is used twice; the first is in line 3");
  assert_fails(state, FMI2(SCALAR("x", "1", "causality='paramter'", "<Real/>"), ""), 3, 1,
               "causality 'paramter' is unknown; it must be parameter, calculatedParameter,"
               " structuralParameter, input, output, local or independent");
  assert_fails(state, FMI2(SCALAR("x", "1", "initial=''", "<Real/>"), ""), 3, 1,
               "initial '' is unknown; it must be exact, approx or calculated");
  assert_fails(state, FMI2(SCALAR("x", "1", "", "<Real start='1,5'/>"), ""), 3, 46,
               "start '1,5' is not a number");
  assert_fails(state, FMI2(SCALAR("x", "1", "", "<Integer start='1.5'/>"), ""), 3, 46,
               "start '1.5' is not a whole number");
  assert_fails(state, FMI2(SCALAR("x", "1", "", "<Boolean start='yes'/>"), ""), 3, 46,
               "start 'yes' is not true or false");
  assert_fails(state, FMI2(SCALAR("x", "1", "", "<Real start=''/>"), ""), 3, 46,
               "there are 0 start values for 1 element");
  assert_fails(state, FMI2(SCALAR("x", "1", "", "<Real start='1 2'/>"), ""), 3, 46,
               "there are 2 start values for 1 element");
  assert_fails(state, FMI2(SCALAR("x", "1", "", "<Real min='2' max='1'/>"), ""), 3, 46,
               "min 2 must not exceed max 1");
  assert_fails(state, FMI2(SCALAR("x", "1", "", "<Real declaredType='T'/>"), ""), 3, 46,
               "declaredType 'T' is not among the TypeDefinitions");
  assert_fails(state, FMI3("<Real name='x' valueReference='1'/>", ""), 3, 1,
               "Real is not a type of variable of FMI 3");
  assert_fails(state, FMI3("<Int8 name='x' valueReference='1' start='128'/>", ""), 3, 1,
               "start 128 is outside of what Int8 can hold, -128 to 127");
  assert_fails(state,
               FMI3("<Int8 name='x' valueReference='1'/>\n<Int8 name='y' "
                    "valueReference='1'/>",
                    ""),
               4, 1, "valueReference 1 belongs to 'x' already");
}

// In FMI 2 aliases share their reference.
static void aliases_of_fmi_2_are_variables_of_their_own(void **state) {
  const FmuDescription *d =
      parse(state, FMI2(SCALAR("x", "1", "", "<Real/>") SCALAR("y", "1", "", "<Real/>"), ""));
  assert_int_equal(find(d, "x")->reference, find(d, "y")->reference);
}

static void names_stay_as_they_are_and_are_shown_safely(void **state) {
  const FmuDescription *d =
      parse(state, FMI2(SCALAR("der(a.b[1]) &#x202e;\xc3\xa4", "1", "", "<Real/>"), ""));
  assert_string_equal(d->variables.at[0].name, "der(a.b[1]) \xe2\x80\xae\xc3\xa4");
  assert_fails(
      state,
      FMI2(SCALAR("&#x202e;", "1", "", "<Real/>") SCALAR("&#x202e;", "1", "", "<Real/>"), ""), 4, 1,
      "the name '\\u202e' is used twice; the first is in line 3");
}

// ---------------------------------------------------------------- arrays

static void arrays_become_their_elements_row_by_row(void **state) {
  const FmuDescription *d = parse(
      state, FMI3("<Float64 name='a' valueReference='1'/>"
                  "<Float64 name='A' valueReference='2' causality='parameter' unit='m'"
                  " start='1 2 3\n 4  5 6' description='d'><Dimension start='2'/><Dimension"
                  " start='3'/></Float64><Float64 name='v' valueReference='3' causality='input'"
                  " start='7'><Dimension valueReference='9'/></Float64><UInt64 name='n'"
                  " valueReference='9' causality='structuralParameter' start='2'/><String name='s'"
                  " valueReference='4'><Dimension start='2'/><Start value='p'/><Start"
                  " value='q'/></String><Int8 name='one' valueReference='5'><Dimension start='1'/>"
                  "</Int8>",
                  ""));
  assert_int_equal(d->variables.count, 1 + 6 + 2 + 1 + 2 + 1);
  const char *names[] = {"A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]"};
  for (int i = 0; i < 6; i++) {
    const FmuVariable *v = find(d, names[i]);
    assert_ptr_equal(v, &d->variables.at[1 + i]);
    assert_close(v->start, i + 1, 0);
    assert_int_equal(v->element, i);
    assert_int_equal(v->array, 0);
    assert_int_equal(v->reference, 2);
    assert_string_equal(v->unit, "m");
    assert_string_equal(v->description, "d");
  }
  assert_close(find(d, "v[1]")->start, 7, 0); // one value for all
  assert_close(find(d, "v[2]")->start, 7, 0);
  assert_string_equal(find(d, "s[2]")->start_text, "q");
  assert_int_equal(d->arrays.count, 4);
  assert_int_equal(d->arrays.at[1].reference, 3);
  assert_int_equal(d->arrays.at[1].first, 7);
  assert_int_equal(d->arrays.at[1].count, 2);
  assert_int_equal(find(d, "one[1]")->array, 3);
  assert_int_equal(find(d, "n")->array, -1);
}

static void every_element_stands_where_its_array_says(void **state) {
  const FmuDescription *d =
      parse(state, FMI3("<Float64 name='T' valueReference='1'><Dimension start='3'/><Dimension"
                        " start='2'/><Dimension start='4'/></Float64>",
                        ""));
  int at = d->arrays.at[0].first;
  for (int i = 1; i <= 3; i++)
    for (int j = 1; j <= 2; j++)
      for (int k = 1; k <= 4; k++, at++) {
        const char *name = arena_print(arena_of(state), "T[%d,%d,%d]", i, j, k);
        assert_int_equal(names_find(d->names, name), at);
        assert_int_equal(d->variables.at[at].element, at - d->arrays.at[0].first);
      }
  assert_int_equal(at, d->variables.count);
}

static void aliases_of_fmi_3_are_further_variables(void **state) {
  const FmuDescription *d = parse(
      state, FMI3("<Float64 name='x' valueReference='1' unit='N.m' start='2' initial='exact'>"
                  "<Alias name='y' description='the same'/></Float64>"
                  "<Float64 name='v' valueReference='2' start='1 2' initial='exact'><Dimension"
                  " start='2'/><Alias name='w'/></Float64>",
                  ""));
  assert_int_equal(d->variables.count, 6);
  const FmuVariable *y = find(d, "y");
  assert_int_equal(y->reference, 1);
  assert_close(y->start, 2, 0);
  assert_string_equal(y->unit, "N.m");
  assert_string_equal(y->description, "the same");
  assert_string_equal(find(d, "x")->description, "");
  const FmuVariable *v = find(d, "v[2]"), *w = find(d, "w[2]");
  assert_int_equal(v->reference, w->reference);
  assert_int_equal(v->element, w->element);
  assert_close(v->start, w->start, 0);
  assert_int_equal(d->arrays.at[w->array].first, 4);
  assert_fails(state,
               FMI3("<Float64 name='x' valueReference='1'>\n<Alias name='x'/></Float64>", ""), 4, 1,
               "the name 'x' is used twice; the first is in line 3");
  assert_fails(state, FMI3("<Float64 name='x' valueReference='1'>\n<Alias/></Float64>", ""), 4, 1,
               "Alias needs the attribute name");
}

#define VECTOR(dimension) FMI3("<Float64 name='x' valueReference='1'>\n" dimension "</Float64>", "")
#define SIZED(size)                                                                                \
  FMI3("<Float64 name='x' valueReference='1'>\n<Dimension valueReference='2'/></Float64>" size, "")

static void mistakes_in_arrays_are_reported_with_their_line(void **state) {
  assert_fails(state, VECTOR("<Dimension/>"), 4, 1,
               "Dimension needs the attribute start or valueReference");
  assert_fails(state, VECTOR("<Dimension start='0'/>"), 4, 1, "a dimension must be at least 1");
  assert_fails(state, VECTOR("<Dimension start='-1'/>"), 4, 1,
               "start '-1' must be a whole number from 0 to 1000000");
  assert_fails(state, VECTOR("<Dimension valueReference='2'/>"), 4, 1,
               "there is no variable with valueReference 2");
  assert_fails(state, SIZED("<UInt64 name='n' valueReference='2' start='2'/>"), 4, 1,
               "'n' gives a dimension, but is neither a structural parameter nor constant");
  assert_fails(state,
               SIZED("<UInt64 name='n' valueReference='2' causality='structuralParameter'/>"), 4, 1,
               "'n' gives a dimension, but has no start value");
  assert_fails(state,
               FMI3("<Float64 name='x' valueReference='1' start='1 2'><Dimension start='3'/>"
                    "</Float64>",
                    ""),
               3, 1, "there are 2 start values for 3 elements");
  assert_fails(state,
               FMI3("<Float64 name='x' valueReference='1'><Dimension start='2'/></Float64>\n"
                    "<Float64 name='x[2]' valueReference='2'/>",
                    ""),
               4, 1, "the name 'x[2]' is used twice; the first is in line 3");
}

static void arrays_cannot_be_too_large(void **state) {
  static const char MANY[] = "more than 1000000 variables, elements of arrays included";
  assert_int_equal(parse(state, VECTOR("<Dimension start='1000000'/>"))->variables.count, 1000000);
  assert_fails(state, VECTOR("<Dimension start='1000'/><Dimension start='1001'/>"), 4, 26, MANY);
  assert_fails(state,
               FMI3("<Int8 name='x' valueReference='1'><Dimension start='1000000'/></Int8>\n"
                    "<Int8 name='y' valueReference='2'/>",
                    ""),
               4, 1, MANY);
  assert_fails(state, VECTOR("<Dimension start='600000'/><Alias name='y'/>"), 3, 1, MANY);
  assert_fails(state, VECTOR("<Dimension start='1000000000000'/>"), 4, 1,
               "start '1000000000000' must be a whole number from 0 to 1000000");
  Text t;
  text_init(&t);
  for (int i = 0; i < 21; i++) text_add(&t, "<Dimension start='1'/>\n");
  assert_fails(state, arena_print(arena_of(state), VECTOR("%s"), t.at), 24, 1,
               "an array has more than 20 dimensions");
  text_done(&t);
}

// A short text must not become gigabytes of names.
static void names_cannot_be_too_long(void **state) {
  char *name = ARENA_ARRAY(arena_of(state), char, 4002);
  memset(name, 'n', 4001);
  const char *form = FMI3("<Int8 name='%s' valueReference='1'><Dimension start='%d'/></Int8>", "");
  assert_fails(state, arena_print(arena_of(state), form, name, 1), 3, 1,
               "this name has more than 4000 bytes");
  name[4000] = 0;
  parse(state, arena_print(arena_of(state), form, name, 1));
  assert_fails(state, arena_print(arena_of(state), form, name, 1000000), 3, 1,
               "the names of all variables have more than 134217728 bytes");
}

// ---------------------------------------------------------------- structure

// There is a state, but which variable it is nobody knows.
static void a_derivative_of_nothing_counts_as_a_state(void **state) {
  const FmuDescription *d = parse(
      state,
      FMI2(SCALAR("x", "1", "", "<Real/>"),
           "<ModelStructure><Derivatives>\n<Unknown index='1'/></Derivatives></ModelStructure>"));
  assert_int_equal(d->states.count, 1);
  assert_int_equal(d->states.at[0], -1);
  assert_int_equal(d->derivatives.at[0], 0);
  FmuModel *m = fmu_model_new(arena_of(state), d, FMU_ME);
  assert_int_equal(m->closed.states.count, 0);
  Text out;
  text_init(&out);
  fmu_report_text(d, &out);
  assert_non_null(strstr(out.at, "1 of the continuous states: the FMU does not say which"));
  text_done(&out);
}

static void states_are_what_the_derivatives_belong_to(void **state) {
  const FmuDescription *d = parse(
      state, FMI2(SCALAR("t", "0", "causality='independent'", "<Real/>")
                      SCALAR("h", "1", "causality='output'", "<Real/>")
                          SCALAR("der(h)", "2", "", "<Real derivative='2'/>")
                              SCALAR("v", "3", "", "<Real derivative='2'/>")
                                  SCALAR("a", "4", "", "<Real derivative='4'/>"),
                  "<ModelStructure><Outputs><Unknown index='2'/></Outputs><Derivatives><Unknown"
                  " index='5'/><Unknown index='3'/></Derivatives><InitialUnknowns><Unknown"
                  " index='99'/></InitialUnknowns></ModelStructure>"));
  assert_int_equal(d->outputs.count, 1);
  assert_int_equal(d->outputs.at[0], 1);
  assert_int_equal(d->states.count, 2);
  assert_int_equal(d->derivatives.at[0], 4);
  assert_int_equal(d->states.at[0], 3);
  assert_int_equal(d->states.at[1], 1);
  assert_int_equal(find(d, "v")->derivative_of, 1);
  assert_int_equal(find(d, "t")->derivative_of, -1);
}

static void structure_of_fmi_3_goes_by_reference_and_element(void **state) {
  const FmuDescription *d = parse(
      state,
      FMI3(
          "<Float64 name='dx' valueReference='7' derivative='3'><Dimension start='2'/><Alias"
          " name='xp'/></Float64><Float64 name='x' valueReference='3'><Dimension start='2'/>"
          "</Float64><Float64 name='y' valueReference='5' causality='output'><Dimension start='3'/>"
          "</Float64><Float64 name='z' valueReference='6'><Dimension start='4'/></Float64>",
          "<ModelStructure><Output valueReference='5'/><ContinuousStateDerivative"
          " valueReference='7'/><InitialUnknown valueReference='77'/><EventIndicator"
          " valueReference='6'/><EventIndicator valueReference='3'/></ModelStructure>"));
  assert_int_equal(d->outputs.count, 3);
  assert_int_equal(d->states.count, 2);
  for (int i = 0; i < 2; i++) {
    const FmuVariable *dx = &d->variables.at[d->derivatives.at[i]];
    assert_string_equal(dx->name, i ? "dx[2]" : "dx[1]");
    assert_int_equal(dx->derivative_of, d->states.at[i]);
    assert_string_equal(d->variables.at[d->states.at[i]].name, i ? "x[2]" : "x[1]");
  }
  assert_int_equal(find(d, "xp[2]")->derivative_of, names_find(d->names, "x[2]"));
  assert_int_equal(d->indicators, 4 + 2);
}

static void mistakes_in_the_structure_are_reported_with_their_line(void **state) {
  assert_fails(state,
               FMI2(SCALAR("x", "1", "", "<Real/>"),
                    "<ModelStructure><Outputs>\n<Unknown index='2'/></Outputs></ModelStructure>"),
               5, 1, "index 2 is none of the 1 variables");
  assert_fails(state,
               FMI2(SCALAR("x", "1", "", "<Real/>"),
                    "<ModelStructure><Outputs>\n<Unknown/></Outputs></ModelStructure>"),
               5, 1, "Unknown needs the attribute index");
  assert_fails(state, FMI2(SCALAR("x", "1", "", "<Real derivative='0'/>"), ""), 3, 46,
               "derivative 0 is none of the 1 variables");
  assert_fails(state, FMI3("<Float64 name='x' valueReference='1' derivative='2'/>", ""), 3, 1,
               "there is no variable with valueReference 2");
  assert_fails(state,
               FMI3("<Float64 name='x' valueReference='1' derivative='2'/><Float64 name='y'"
                    " valueReference='2'><Dimension start='2'/></Float64>",
                    ""),
               3, 1, "'x' cannot be the derivative of 'y[1]': types or sizes differ");
  assert_fails(state, FMI3("", "<ModelStructure>\n<Output valueReference='4'/></ModelStructure>"),
               4, 1, "there is no variable with valueReference 4");
}

// ---------------------------------------------------------------- archives

static const char *made_fmu(MadeArchive *m, const char *xml, const char *const *others) {
  made_archive_begin(m, "car.fmu");
  made_archive_add(m, "modelDescription.xml", xml);
  for (; *others; others++) made_archive_add(m, *others, "x");
  return made_archive_end(m);
}

static void an_fmu_has_platforms_and_sources(void **state) {
  MadeArchive *m = *state;
  Err err = {0};
  const char *others[] = {
      "binaries/win64/M.dll", "binaries/linux64/M.so", "binaries/linux64/a.so", "binaries/empty/",
      "binaries/README",      "sources/all.c",         "resources/x/y",         NULL};
  const char *path = made_fmu(m, FMI2(SCALAR("x", "1", "", "<Real/>"), ""), others);
  FmuDescription *d = fmu_describe(m->arena, path, &err);
  assert_non_null(d);
  assert_string_equal(d->path, path);
  assert_int_equal(d->variables.count, 1);
  assert_int_equal(d->platforms.count, 2);
  assert_string_equal(d->platforms.at[0], "win64");
  assert_string_equal(d->platforms.at[1], "linux64");
  assert_true(d->has_sources);
}

static void errors_name_the_archive_and_the_line(void **state) {
  MadeArchive *m = *state;
  Err err = {0};
  const char *path = made_fmu(m, FMI2("<ScalarVariable/>", ""), (const char *[]){NULL});
  assert_null(fmu_describe(m->arena, path, &err));
  assert_string_equal(err.file, arena_print(m->arena, "%s/modelDescription.xml", path));
  assert_int_equal(err.line, 3);
}

static void an_archive_without_description_is_no_fmu(void **state) {
  MadeArchive *m = *state;
  Err nothing = {0}, deeper = {0};
  made_archive_begin(m, "a.fmu");
  made_archive_add(m, "x", "");
  made_archive_end(m);
  assert_null(fmu_describe(m->arena, m->path, &nothing));
  assert_string_equal(nothing.text,
                      "this is not an FMU: there is no modelDescription.xml in the archive");
  assert_string_equal(nothing.file, m->path);
  made_archive_begin(m, "a.fmu");
  made_archive_add(m, "car/modelDescription.xml", FMI2("", ""));
  made_archive_end(m);
  assert_null(fmu_describe(m->arena, m->path, &deeper));
  assert_string_equal(deeper.text, "this is not an FMU: modelDescription.xml must be at the top of"
                                   " the archive, not 'car/modelDescription.xml'");
}

#if defined(__x86_64__)
static void the_platform_of_this_machine_is_chosen(void **state) {
  MadeArchive *m = *state;
  const char *both[] = {"binaries/x86_64-linux/M.so", "binaries/linux64/M.so", NULL};
  const char *old[] = {"binaries/darwin64/M.dylib", "binaries/linux64/M.so", NULL};
  Err err = {0};
  FmuDescription *d = fmu_describe(m->arena, made_fmu(m, FMI2("", ""), both), &err);
  assert_string_equal(fmu_platform(d, &err), "linux64");
  d = fmu_describe(m->arena, made_fmu(m, FMI3("", ""), both), &err);
  assert_string_equal(fmu_platform(d, &err), "x86_64-linux");
  d = fmu_describe(m->arena, made_fmu(m, FMI3("", ""), old), &err);
  assert_string_equal(fmu_platform(d, &err), "linux64");
}

static void what_is_inside_instead_is_named(void **state) {
  MadeArchive *m = *state;
  const struct {
    const char *others[4], *why;
  } CASES[] = {
      {{"binaries/win64/M.dll", "binaries/darwin64/M.dylib"},
       "this FMU has no binaries for this machine (linux64); inside are win64, darwin64"},
      {{"binaries/win64/M.dll", "sources/M.c"},
       "this FMU has no binaries for this machine (linux64); inside are win64 and sources, which"
       " entrain does not compile"},
      {{"sources/M.c"},
       "this FMU has no binaries for this machine (linux64); inside are sources, which entrain"
       " does not compile"},
      {{NULL}, "this FMU has no binaries for this machine (linux64); inside are none at all"},
  };
  for (int i = 0; i < 4; i++) {
    Err err = {0};
    FmuDescription *d = fmu_describe(m->arena, made_fmu(m, FMI2("", ""), CASES[i].others), &err);
    assert_null(fmu_platform(d, &err));
    assert_string_equal(err.text, CASES[i].why);
    assert_int_equal(err.code, ERR_UNSUPPORTED);
    assert_string_equal(err.file, m->path);
  }
}
#endif

// ---------------------------------------------------------------- damage

static uint64_t random_bits(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

static const char WHOLE2[] = FMI2(
    SCALAR("h", "1", "causality='output' initial='exact'", "<Real declaredType='L' start='1'/>")
        SCALAR("dh", "2", "", "<Real derivative='1'/>")
            SCALAR("e", "3", "causality='parameter' variability='fixed'", "<Integer start='3'/>"),
    "<TypeDefinitions><SimpleType name='L'><Real unit='m' min='0'/></SimpleType></TypeDefinitions>"
    "<ModelStructure><Outputs><Unknown index='1'/></Outputs><Derivatives><Unknown index='2'/>"
    "</Derivatives></ModelStructure>");
static const char WHOLE3[] = FMI3(
    "<UInt64 name='n' valueReference='9' causality='structuralParameter' start='3'/><Float64"
    " name='x' valueReference='1' start='1 2 3' initial='exact'><Dimension valueReference='9'/>"
    "<Alias name='y'/></Float64><Float64 name='dx' valueReference='2' derivative='1'><Dimension"
    " start='3'/></Float64><String name='s' valueReference='3'><Start value='q'/></String>",
    "<TypeDefinitions><EnumerationType name='L'><Item name='a' value='1'/></EnumerationType>"
    "</TypeDefinitions><ModelStructure><Output valueReference='1'/><ContinuousStateDerivative"
    " valueReference='2'/><EventIndicator valueReference='1'/></ModelStructure>");

// The description is whole if it is there: numbers refer to variables.
static void assert_sound(const FmuDescription *d) {
  int count = d->variables.count;
  assert_int_equal(names_count(d->names), count);
  for (int i = 0; i < count; i++) {
    const FmuVariable *v = &d->variables.at[i];
    assert_int_equal(names_find(d->names, v->name), i);
    assert_true(v->derivative_of >= -1 && v->derivative_of < count);
    assert_true(v->enumeration < d->enumerations.count && v->array < d->arrays.count);
    assert_true(v->min <= v->max && v->nominal > 0);
    assert_true(v->array < 0 || d->arrays.at[v->array].first + v->element == i);
    assert_non_null(v->unit);
    assert_non_null(v->description);
  }
  assert_int_equal(d->states.count, d->derivatives.count);
  for (int i = 0; i < d->states.count; i++)
    assert_int_equal(d->variables.at[d->derivatives.at[i]].derivative_of, d->states.at[i]);
}

// Bytes, digits and quoted values are exchanged, and pieces are cut out or doubled.
static char *damage(Arena *a, const char *whole, uint64_t *seed, size_t *length) {
  static const char BYTES[] = "<>/='\"& 0123456789-.eExn[]!\n\0\xff\xc3";
  size_t n = strlen(whole), from = random_bits(seed) % n, to = from + random_bits(seed) % 40;
  char *bytes = ARENA_ARRAY(a, char, n + 50);
  memcpy(bytes, whole, n);
  if (to > n) to = n;
  switch (random_bits(seed) % 4) {
  case 0: // another byte
    bytes[from] = BYTES[random_bits(seed) % (sizeof BYTES - 1)];
    break;
  case 1: // another digit
    for (size_t i = from; i < n; i++)
      if (bytes[i] >= '0' && bytes[i] <= '9') {
        bytes[i] = (char)('0' + random_bits(seed) % 10);
        break;
      }
    break;
  case 2: // less
    memmove(bytes + from, bytes + to, n - to);
    n -= to - from;
    break;
  default: // more
    memcpy(bytes + to, whole + from, n - from);
    n += to - from;
  }
  *length = n;
  return bytes;
}

static void damaged_descriptions_are_harmless(void **state) {
  const char *wholes[] = {WHOLE2, WHOLE3};
  uint64_t seed = 3;
  int refused = 0, rounds = 20000;
  for (int i = 0; i < 2; i++) assert_sound(parse(state, wholes[i]));
  for (int i = 0; i < rounds; i++) {
    Arena *a = arena_new();
    Err err = {0};
    size_t length;
    const char *bytes = damage(a, wholes[i % 2], &seed, &length);
    FmuDescription *d = fmu_description_parse(a, "x", bytes, length, &err);
    assert_true((d != NULL) == (err.code == ERR_NONE));
    if (d) assert_sound(d);
    refused += !d;
    arena_free(a);
  }
  assert_true(refused > rounds / 4 && refused < rounds - rounds / 20);
}

static void a_hundred_thousand_variables_are_read(void **state) {
  Text t;
  text_init(&t);
  for (int i = 0; i < 100000; i++)
    text_print(&t,
               "<ScalarVariable name='component.part%d.x' valueReference='%d' description='text'>"
               "<Real start='%d' unit='m'/></ScalarVariable>\n",
               i, i, i);
  const FmuDescription *d = parse(state, arena_print(arena_of(state), FMI2("%s", ""), t.at));
  text_done(&t);
  assert_int_equal(d->variables.count, 100000);
  assert_close(find(d, "component.part77777.x")->start, 77777, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, made_archive_setup, made_archive_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(facts_about_the_model_are_read),
    TEST(what_is_not_said_is_empty),
    TEST(capabilities_have_the_names_of_their_version),
    TEST(completed_steps_have_opposite_defaults),
    TEST(other_versions_and_interfaces_are_refused_by_name),
    TEST(an_identifier_must_not_lead_to_another_folder),
    TEST(values_that_are_none_are_shown),
    TEST(variables_of_fmi_2_have_types_and_start_values),
    TEST(every_type_of_fmi_3_has_its_wire),
    TEST(defaults_are_those_of_the_standard),
    TEST(words_are_those_of_the_standard),
    TEST(declared_types_give_what_the_variable_does_not_say),
    TEST(mistakes_in_variables_are_reported_with_their_line),
    TEST(aliases_of_fmi_2_are_variables_of_their_own),
    TEST(names_stay_as_they_are_and_are_shown_safely),
    TEST(arrays_become_their_elements_row_by_row),
    TEST(every_element_stands_where_its_array_says),
    TEST(aliases_of_fmi_3_are_further_variables),
    TEST(mistakes_in_arrays_are_reported_with_their_line),
    TEST(arrays_cannot_be_too_large),
    TEST(names_cannot_be_too_long),
    TEST(a_derivative_of_nothing_counts_as_a_state),
    TEST(states_are_what_the_derivatives_belong_to),
    TEST(structure_of_fmi_3_goes_by_reference_and_element),
    TEST(mistakes_in_the_structure_are_reported_with_their_line),
    TEST(an_fmu_has_platforms_and_sources),
    TEST(errors_name_the_archive_and_the_line),
    TEST(an_archive_without_description_is_no_fmu),
#if defined(__x86_64__)
    TEST(the_platform_of_this_machine_is_chosen),
    TEST(what_is_inside_instead_is_named),
#endif
    TEST(damaged_descriptions_are_harmless),
    TEST(a_hundred_thousand_variables_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
