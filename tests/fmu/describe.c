#include "describe.h"

#include <stdlib.h>
#include <string.h>

#include "model.h"

static const char *const TYPES[] = {"Real", "Integer", "Boolean", "String", "Enumeration"};

static bool is(const char *word, const char *other) {
  return strcmp(word, other) == 0;
}

static bool has_start(const Variable *v) {
  return is(v->causality, "parameter") || is(v->causality, "input") || v->exact;
}

static unsigned reference(const Variable *v) {
  return FIRST_REFERENCE + (unsigned)variable_first(v);
}

static const Variable *state_of(const Variable *derivative) {
  for (int k = 0; k < MODEL.count; k++)
    if (variable_first(&MODEL.variables[k]) == derivative->derivative_of)
      return &MODEL.variables[k];
  return NULL;
}

// ---- both versions

static void units(FILE *out) {
  fprintf(out, "  <UnitDefinitions>\n");
  for (int k = 0; k < MODEL.count; k++) {
    const char *unit = MODEL.variables[k].unit;
    bool is_new = unit != NULL;
    for (int n = 0; n < k && is_new; n++)
      is_new = !MODEL.variables[n].unit || !is(MODEL.variables[n].unit, unit);
    if (is_new) fprintf(out, "    <Unit name=\"%s\"/>\n", unit);
  }
  fprintf(out, "  </UnitDefinitions>\n");
}

static void enumeration(FILE *out, int fmi) {
  if (!MODEL.items[0]) return;
  fprintf(out, "  <TypeDefinitions>\n");
  if (fmi == 2)
    fprintf(out, "    <SimpleType name=\"Choice\"><Enumeration>\n");
  else
    fprintf(out, "    <EnumerationType name=\"Choice\">\n");
  for (int k = 0; k < ITEMS_MOST && MODEL.items[k]; k++)
    fprintf(out, "      <Item name=\"%s\" value=\"%d\"/>\n", MODEL.items[k], k + 1);
  fprintf(out, "    %s\n  </TypeDefinitions>\n",
          fmi == 2 ? "</Enumeration></SimpleType>" : "</EnumerationType>");
}

static void real(FILE *out, double value) { // as short as it reads back
  char digits[32];
  snprintf(digits, sizeof digits, "%.15g", value);
  if (strtod(digits, NULL) != value) snprintf(digits, sizeof digits, "%.17g", value);
  fprintf(out, "%s", digits);
}

static void number(FILE *out, const Variable *v, double value) {
  if (v->type == BOOLEAN)
    fprintf(out, "%s", value != 0 ? "true" : "false");
  else
    real(out, value);
}

static void bound(FILE *out, const char *name, double value) {
  fprintf(out, " %s=\"", name);
  real(out, value);
  fprintf(out, "\"");
}

static void flag(FILE *out, const char *name, bool value) {
  if (value) fprintf(out, " %s=\"true\"", name);
}

static void interfaces(FILE *out, int fmi) {
  const char *directional =
      fmi == 2 ? "providesDirectionalDerivative" : "providesDirectionalDerivatives";
  fprintf(out, "  <ModelExchange modelIdentifier=\"%s\"", MODEL.name);
  flag(out, "canBeInstantiatedOnlyOncePerProcess", MODEL.once);
  flag(out, directional, MODEL.partial != NULL);
  if (fmi == 2)
    flag(out, "completedIntegratorStepNotNeeded", !MODEL.completes);
  else
    flag(out, "needsCompletedIntegratorStep", MODEL.completes);
  fprintf(out, "/>\n  <CoSimulation modelIdentifier=\"%s\"", MODEL.name);
  flag(out, "canBeInstantiatedOnlyOncePerProcess", MODEL.once);
  flag(out, directional, MODEL.partial != NULL);
  flag(out, "canHandleVariableCommunicationStepSize", true);
  if (fmi == 3 && MODEL.step > 0) bound(out, "fixedInternalStepSize", MODEL.step);
  fprintf(out, "/>\n");
}

// What belongs to the variable in FMI 3 and to its type in FMI 2; the start value of a String only in FMI 2.
static void attributes(FILE *out, int fmi, const Variable *v) {
  if (v->type == ENUMERATION) fprintf(out, " declaredType=\"Choice\"");
  if (v->unit) fprintf(out, " unit=\"%s\"", v->unit);
  if (v->bounded) bound(out, "min", v->min);
  if (v->bounded) bound(out, "max", v->max);
  if (!has_start(v) || (v->type == STRING && fmi == 3)) return;
  fprintf(out, " start=\"");
  for (int e = 0; e < variable_size(v) && v->type != STRING; e++) {
    if (e) fprintf(out, " ");
    number(out, v, v->start[e]);
  }
  fprintf(out, "%s\"", v->type == STRING ? v->text : "");
}

static void common(FILE *out, const Variable *v) {
  fprintf(out, " name=\"%s\" valueReference=\"%u\" causality=\"%s\" variability=\"%s\"", v->name,
          reference(v), v->causality, v->variability);
  if (v->exact) fprintf(out, " initial=\"exact\"");
  if (v->description) fprintf(out, " description=\"%s\"", v->description);
}

// ---- FMI 2

static void variable2(FILE *out, const Variable *v) {
  fprintf(out, "    <ScalarVariable");
  common(out, v);
  fprintf(out, "><%s", TYPES[v->type]);
  attributes(out, 2, v);
  if (v->derivative_of)
    fprintf(out, " derivative=\"%d\"", (int)(state_of(v) - MODEL.variables) + 1);
  fprintf(out, "/></ScalarVariable>\n");
}

typedef bool Choice(const Variable *v);

static bool is_output(const Variable *v) {
  return is(v->causality, "output");
}

static bool is_derivative(const Variable *v) {
  return v->derivative_of != 0;
}

static bool is_indicator(const Variable *v) {
  return v->indicator;
}

static bool is_unknown_at_start(const Variable *v) {
  return !v->exact && (is_output(v) || is_derivative(v));
}

static void unknowns2(FILE *out, const char *list, Choice *choice) {
  bool any = false;
  for (int k = 0; k < MODEL.count; k++) {
    if (!choice(&MODEL.variables[k])) continue;
    if (!any) fprintf(out, "    <%s>\n", list);
    fprintf(out, "      <Unknown index=\"%d\"/>\n", k + 1);
    any = true;
  }
  if (any) fprintf(out, "    </%s>\n", list);
}

// ---- FMI 3

static void variable3(FILE *out, const Variable *v) {
  const char *element = v->type == ENUMERATION ? "Enumeration" : variable_wire(v);
  fprintf(out, "    <%s", element);
  common(out, v);
  attributes(out, 3, v);
  if (v->derivative_of) fprintf(out, " derivative=\"%u\"", reference(state_of(v)));
  fprintf(out, ">");
  if (v->rows) fprintf(out, "<Dimension start=\"%d\"/>", v->rows);
  if (v->columns) fprintf(out, "<Dimension start=\"%d\"/>", v->columns);
  if (v->type == STRING) fprintf(out, "<Start value=\"%s\"/>", v->text);
  fprintf(out, "</%s>\n", element);
}

static void unknowns3(FILE *out, const char *element, Choice *choice) {
  for (int k = 0; k < MODEL.count; k++)
    if (choice(&MODEL.variables[k]))
      fprintf(out, "    <%s valueReference=\"%u\"/>\n", element, reference(&MODEL.variables[k]));
}

void describe(FILE *out, int fmi) {
  fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
          fmi == 2 ? "2.0" : "3.0");
  fprintf(out, " modelName=\"%s\" %s=\"%s\"", MODEL.name, fmi == 2 ? "guid" : "instantiationToken",
          MODEL.name);
  if (MODEL.description) fprintf(out, " description=\"%s\"", MODEL.description);
  fprintf(out, " generationTool=\"test FMUs of entrain\"");
  if (fmi == 2) fprintf(out, " numberOfEventIndicators=\"%zu\"", model_indicator_count());
  fprintf(out, ">\n");
  interfaces(out, fmi);
  units(out);
  enumeration(out, fmi);
  fprintf(out, "  <DefaultExperiment startTime=\"0\" stopTime=\"%g\"/>\n", MODEL.stop);
  fprintf(out, "  <ModelVariables>\n");
  for (int k = 0; k < MODEL.count; k++)
    (fmi == 2 ? variable2 : variable3)(out, &MODEL.variables[k]);
  fprintf(out, "  </ModelVariables>\n  <ModelStructure>\n");
  if (fmi == 2) {
    unknowns2(out, "Outputs", is_output);
    unknowns2(out, "Derivatives", is_derivative);
    unknowns2(out, "InitialUnknowns", is_unknown_at_start);
  } else {
    unknowns3(out, "Output", is_output);
    unknowns3(out, "ContinuousStateDerivative", is_derivative);
    unknowns3(out, "InitialUnknown", is_unknown_at_start);
    unknowns3(out, "EventIndicator", is_indicator);
  }
  fprintf(out, "  </ModelStructure>\n</fmiModelDescription>\n");
}
