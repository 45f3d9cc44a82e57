// A test FMU by FMI 2.0.
#include "fmu/fmi2.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#pragma GCC visibility push(default)
#define FMI_FUNCTION(need, type, name, arguments) type name arguments;
#include "fmu/fmi2.def"
#undef FMI_FUNCTION
#pragma GCC visibility pop

#define ALLOWED(phases)                                                                            \
  if (!model_allows(c, phases, __func__)) return fmi2Error

enum { RUNNING = INITIALIZING | EVENT | CONTINUOUS | STEPPING | STEP_FAILED | TERMINATED };

static void write_log(Model *m, Status status, const char *text) {
  const fmi2CallbackFunctions *f = m->callbacks;
  f->logger(f->componentEnvironment, MODEL.name, (fmi2Status)status, "logStatusError",
            "%s (time %g)", text, m->v[0]);
}

// file:///a%20folder/resources -> /a folder/resources/
static void folder_of(const char *uri, char *folder, size_t size) {
  if (strncmp(uri, "file://", 7) == 0) uri += 7;
  size_t n = 0;
  for (; *uri && n + 2 < size; uri++) {
    unsigned code = (unsigned char)*uri;
    if (*uri == '%' && sscanf(uri + 1, "%2x", &code) == 1) uri += 2;
    folder[n++] = (char)code;
  }
  folder[n++] = '/';
  folder[n] = 0;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                              fmi2Boolean logging) {
  (void)name, (void)visible, (void)logging;
  Model *m = callbacks->allocateMemory(1, sizeof *m);
  m->callbacks = (void *)callbacks;
  m->log = write_log;
  m->is_stepped = type == fmi2CoSimulation;
  if (resources) folder_of(resources, m->folder, sizeof m->folder);
  m->resources = m->folder;
  model_start(m);
  if (strcmp(guid, MODEL.name) != 0)
    model_log(m, ERROR, "the guid is %s instead of %s", guid, MODEL.name);
  else if (model_enter(m))
    return m;
  callbacks->freeMemory(m);
  return NULL;
}

void fmi2FreeInstance(fmi2Component c) {
  Model *m = c;
  const fmi2CallbackFunctions *f = m->callbacks;
  model_leave(m);
  f->freeMemory(m);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  ALLOWED(INSTANTIATED);
  Model *m = c;
  model_start(m); // as FMUs of 20-sim: what was set before is lost
  m->v[0] = m->start = start;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  ALLOWED(INSTANTIATED);
  Model *m = c;
  m->phase = INITIALIZING;
  m->is_stale = true;
  return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  ALLOWED(INITIALIZING);
  Model *m = c;
  Status status = model_begin(m);
  if (status == OK) m->phase = m->is_stepped ? STEPPING : EVENT;
  return (fmi2Status)status;
}

fmi2Status fmi2Terminate(fmi2Component c) {
  ALLOWED(EVENT | CONTINUOUS | STEPPING | STEP_FAILED);
  Model *m = c;
  m->phase = TERMINATED;
  return fmi2OK;
}

// ---- values

// Of type REAL, INTEGER and ENUMERATION, or BOOLEAN.
static const Variable *find(Model *m, unsigned reference, Type type, bool write) {
  const char *wire = type == REAL ? "Float64" : type == BOOLEAN ? "Boolean" : "Int32";
  int n = (int)(reference - FIRST_REFERENCE);
  for (int k = 0; k < MODEL.count; k++)
    if (variable_first(&MODEL.variables[k]) == n && MODEL.variables[k].type == ENUMERATION &&
        type == INTEGER)
      wire = "Int64";
  return model_find(m, reference, wire, write);
}

#define GET_AND_SET(Type, TYPE)                                                                    \
  fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference *references, size_t count,    \
                           fmi2##Type *values) {                                                   \
    ALLOWED(RUNNING);                                                                              \
    Model *m = c;                                                                                  \
    Status status = model_update(m);                                                               \
    for (size_t k = 0; k < count && status < ERROR; k++) {                                         \
      const Variable *v = find(m, references[k], TYPE, false);                                     \
      if (!v) return fmi2Error;                                                                    \
      values[k] = (fmi2##Type)m->v[variable_first(v)];                                             \
    }                                                                                              \
    return (fmi2Status)status;                                                                     \
  }                                                                                                \
  fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference *references, size_t count,    \
                           const fmi2##Type *values) {                                             \
    Model *m = c;                                                                                  \
    for (size_t k = 0; k < count; k++) {                                                           \
      const Variable *v = find(m, references[k], TYPE, true);                                      \
      if (!v) return fmi2Error;                                                                    \
      m->v[variable_first(v)] = values[k];                                                         \
    }                                                                                              \
    return fmi2OK;                                                                                 \
  }

GET_AND_SET(Real, REAL)
GET_AND_SET(Integer, INTEGER)
GET_AND_SET(Boolean, BOOLEAN)

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference *references, size_t count,
                         const fmi2String *values) {
  Model *m = c;
  for (size_t k = 0; k < count; k++) {
    if (!model_find(m, references[k], "String", true)) return fmi2Error;
    snprintf(m->text, sizeof m->text, "%s", values[k]);
  }
  return fmi2OK;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference *unknowns,
                                        size_t unknown_count, const fmi2ValueReference *knowns,
                                        size_t known_count, const fmi2Real *seed,
                                        fmi2Real *sensitivity) {
  ALLOWED(RUNNING);
  return (fmi2Status)model_directional(c, unknowns, unknown_count, knowns, known_count, seed,
                                       known_count, sensitivity, unknown_count);
}

// ---- model exchange

fmi2Status fmi2EnterEventMode(fmi2Component c) {
  ALLOWED(CONTINUOUS);
  Model *m = c;
  if (!model_may_have_event(m, __func__)) return fmi2Error;
  m->phase = EVENT;
  return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  ALLOWED(EVENT);
  Model *m = c;
  *info = (fmi2EventInfo){0};
  info->valuesOfContinuousStatesChanged = model_handle_event(m);
  info->terminateSimulation = m->terminate;
  info->nextEventTime = model_next(m);
  info->nextEventTimeDefined = isfinite(info->nextEventTime);
  return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  ALLOWED(EVENT);
  Model *m = c;
  m->phase = CONTINUOUS;
  return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_return,
                                       fmi2Boolean *enter_event_mode, fmi2Boolean *terminate) {
  (void)no_return;
  ALLOWED(CONTINUOUS);
  Model *m = c;
  Status status = model_update(m);
  *enter_event_mode = fmi2False;
  *terminate = m->terminate;
  m->completed = m->v[0];
  return (fmi2Status)status;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  ALLOWED(EVENT | CONTINUOUS);
  Model *m = c;
  m->v[0] = time;
  m->is_stale = true;
  return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real *x, size_t nx) {
  ALLOWED(CONTINUOUS);
  return (fmi2Status)model_set_states(c, x, nx);
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real *dx, size_t nx) {
  ALLOWED(EVENT | CONTINUOUS | TERMINATED);
  return (fmi2Status)model_get_states(c, NULL, dx, nx);
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real *z, size_t nz) {
  ALLOWED(RUNNING);
  return (fmi2Status)model_get_indicators(c, z, nz);
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real *x, size_t nx) {
  ALLOWED(RUNNING);
  return (fmi2Status)model_get_states(c, x, NULL, nx);
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real *nominal, size_t nx) {
  ALLOWED(RUNNING);
  for (size_t k = 0; k < nx; k++) nominal[k] = 1;
  return fmi2OK;
}

// ---- co-simulation

// The model ends the simulation: a discarded step.
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_return) {
  (void)no_return;
  ALLOWED(STEPPING);
  Model *m = c;
  Status status = model_step(m, t, h);
  if (status != OK || !m->terminate) return (fmi2Status)status;
  m->phase = STEP_FAILED;
  return fmi2Discard;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
  ALLOWED(STEPPING | STEP_FAILED);
  const Model *m = c;
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = m->last;
  return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
  ALLOWED(STEPPING | STEP_FAILED);
  const Model *m = c;
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = m->terminate;
  return fmi2OK;
}
