// The root of modelDescription.xml and the order in which its parts are read.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "fmu/description_structure.h"
#include "fmu/description_types.h"
#include "fmu/description_variables.h"

// ---------------------------------------------------------------- the root

static void read_version(DescriptionReader *r) {
  FmuDescription *d = r->d;
  if (strcmp(r->root->name, "fmiModelDescription") != 0) {
    reading_fail(r, r->root, ERR_SYNTAX, "the root element is %.60s, not fmiModelDescription",
                 r->root->name);
    return;
  }
  d->version = reading_text(r, r->root, "fmiVersion");
  if (strcmp(d->version, "2.0") == 0 || strncmp(d->version, "2.0.", 4) == 0)
    d->fmi = 2;
  else if (strncmp(d->version, "3.", 2) == 0)
    d->fmi = 3;
  else if (d->version[0])
    reading_fail(r, r->root, ERR_UNSUPPORTED, "this is FMI %.20s; entrain reads FMI 2.0 and 3.0",
                 d->version);
  else
    reading_fail(r, r->root, ERR_SYNTAX, "fmiModelDescription needs the attribute fmiVersion");
}

static void read_texts(DescriptionReader *r) {
  FmuDescription *d = r->d;
  const struct {
    const char **field, *name;
  } TEXTS[] = {
      {&d->model_name, "modelName"},  {&d->description, "description"},    {&d->author, "author"},
      {&d->model_version, "version"}, {&d->copyright, "copyright"},        {&d->license, "license"},
      {&d->tool, "generationTool"},   {&d->date, "generationDateAndTime"},
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
    *TEXTS[i].field = reading_text(r, r->root, TEXTS[i].name);
  static const char *const NAMINGS[] = {"flat", "structured", NULL};
  d->naming = NAMINGS[reading_word(r, r->root, "variableNamingConvention", NAMINGS, 0)];
  const char *token = d->fmi == 2 ? "guid" : "instantiationToken";
  if (!xml_attribute(r->root, token))
    reading_fail(r, r->root, ERR_SYNTAX, "fmiModelDescription needs the attribute %s", token);
  d->token = reading_text(r, r->root, token);
  double indicators = 0;
  if (d->fmi == 2)
    reading_count(r, r->root, "numberOfEventIndicators", FMU_VARIABLES_MOST, &indicators);
  d->indicators = (int)indicators;
}

// ---------------------------------------------------------------- interfaces

// The identifier becomes the name of a file, so it must not lead elsewhere.
static void check_identifier(DescriptionReader *r, const XmlElement *e, const char *name) {
  if (!name[0])
    reading_fail(r, e, ERR_SYNTAX, "%.60s needs the attribute modelIdentifier", e->name);
  else if (strlen(name) > 200 || strpbrk(name, "/\\\n\t\r") || name[0] == '.')
    reading_fail(r, e, ERR_VALUE,
                 "modelIdentifier '%.100s' must be the name of a file: at most 200 bytes, no"
                 " slash, no point at the beginning",
                 name);
}

static FmuInterfaceInfo read_interface(DescriptionReader *r, const char *name) {
  FmuInterfaceInfo info = {.identifier = ""};
  const XmlElement *e = xml_child(r->root, name);
  if (!e) return info;
  bool two = r->d->fmi == 2;
  info.offered = true;
  info.identifier = reading_text(r, e, "modelIdentifier");
  check_identifier(r, e, info.identifier);
  info.needs_execution_tool = reading_flag(r, e, "needsExecutionTool", false);
  info.once_per_process = reading_flag(r, e, "canBeInstantiatedOnlyOncePerProcess", false);
  info.gets_and_sets_state =
      reading_flag(r, e, two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", false);
  info.serializes_state =
      reading_flag(r, e, two ? "canSerializeFMUstate" : "canSerializeFMUState", false);
  info.directional_derivatives = reading_flag(
      r, e, two ? "providesDirectionalDerivative" : "providesDirectionalDerivatives", false);
  info.needs_completed_step = two ? !reading_flag(r, e, "completedIntegratorStepNotNeeded", false)
                                  : reading_flag(r, e, "needsCompletedIntegratorStep", false);
  info.variable_step = reading_flag(r, e, "canHandleVariableCommunicationStepSize", false);
  info.interpolates_inputs = reading_flag(r, e, "canInterpolateInputs", false);
  if (!two) info.internal_step = reading_number(r, e, "fixedInternalStepSize", 0);
  if (!(info.internal_step >= 0 && isfinite(info.internal_step)))
    reading_fail(r, e, ERR_VALUE, "fixedInternalStepSize %g must be positive", info.internal_step);
  return info;
}

static void read_interfaces(DescriptionReader *r) {
  FmuDescription *d = r->d;
  d->model_exchange = read_interface(r, "ModelExchange");
  d->co_simulation = read_interface(r, "CoSimulation");
  d->co_simulation.needs_completed_step = false; // a call of model exchange
  d->scheduled_execution = d->fmi == 3 && xml_child(r->root, "ScheduledExecution");
  if (d->model_exchange.offered || d->co_simulation.offered) return;
  reading_fail(r, r->root, ERR_UNSUPPORTED,
               "this FMU offers %s; entrain needs model exchange or"
               " co-simulation",
               d->scheduled_execution ? "scheduled execution only" : "no interface");
}

static void read_experiment(DescriptionReader *r) {
  FmuDescription *d = r->d;
  const XmlElement *e = xml_child(r->root, "DefaultExperiment"), none = {0};
  if (!e) e = &none;
  d->start_time = reading_number(r, e, "startTime", (double)NAN);
  d->stop_time = reading_number(r, e, "stopTime", (double)NAN);
  d->tolerance = reading_number(r, e, "tolerance", (double)NAN);
  d->step_size = reading_number(r, e, "stepSize", (double)NAN);
}

// ---------------------------------------------------------------- the text

static void read_description(DescriptionReader *r) {
  read_version(r);
  if (reading_failed(r)) return;
  read_texts(r);
  read_interfaces(r);
  read_experiment(r);
  reading_types(r);
  reading_variables(r);
  if (!reading_failed(r)) reading_structure(r);
}

FmuDescription *fmu_description_parse(Arena *a, const char *file, const char *xml, size_t length,
                                      Err *err) {
  // Parts that nothing here needs and that may be large.
  static const char *const SKIPPED[] = {
      "Annotations",     "VendorAnnotations", "LogCategories",  "SourceFiles",
      "UnitDefinitions", "InitialUnknowns",   "InitialUnknown", NULL};
  Err own = {0};
  DescriptionReader r = {.arena = a, .scratch = arena_new(), .file = file, .err = &own};
  r.d = ARENA_NEW(a, FmuDescription);
  r.d->path = arena_copy(a, file, strlen(file));
  r.d->names = names_new(a);
  r.type_names = names_new(r.scratch);
  r.root = xml_parse(r.scratch, file, xml, length, SKIPPED, &own);
  if (r.root) read_description(&r);
  arena_free(r.scratch);
  if (own.code == ERR_NONE) return r.d;
  if (err && err->code == ERR_NONE) *err = own;
  return NULL;
}
