// A test FMU by FMI 3.0.
#include "fmu/fmi3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#pragma GCC visibility push(default)
#define FMI_FUNCTION(need, type, name, arguments) type name arguments;
#include "fmu/fmi3.def"
#undef FMI_FUNCTION
#pragma GCC visibility pop

#define ALLOWED(phases)                                                                            \
  if (!model_allows(c, phases, __func__)) return fmi3Error

enum { RUNNING = INITIALIZING | EVENT | CONTINUOUS | STEPPING | TERMINATED };

static void write_log(Model *m, Status status, const char *text) {
  fmi3LogMessageCallback log = (fmi3LogMessageCallback)m->callbacks;
  char line[500];
  snprintf(line, sizeof line, "%s (time %g)", text, m->v[0]);
  log(m->environment, (fmi3Status)status, "logStatusError", line);
}

static Model *make(fmi3String token, fmi3String resources, fmi3InstanceEnvironment environment,
                   fmi3LogMessageCallback log) {
  Model *m = calloc(1, sizeof *m);
  m->environment = environment;
  m->callbacks = (void *)log;
  m->log = write_log;
  if (resources) m->resources = strcpy(m->folder, resources);
  model_start(m);
  if (strcmp(token, MODEL.name) != 0)
    model_log(m, ERROR, "the token is %s instead of %s", token, MODEL.name);
  else if (model_enter(m))
    return m;
  free(m);
  return NULL;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
  (void)name, (void)visible, (void)logging;
  return make(token, resources, environment, log);
}

fmi3Instance
fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                            fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode_used,
                            fmi3Boolean early_return_allowed,
                            const fmi3ValueReference *intermediate, size_t intermediate_count,
                            fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                            fmi3IntermediateUpdateCallback update) {
  (void)name, (void)visible, (void)logging, (void)intermediate, (void)update;
  if (event_mode_used || early_return_allowed || intermediate_count) return NULL;
  Model *m = make(token, resources, environment, log);
  if (m) m->is_stepped = true;
  return m;
}

void fmi3FreeInstance(fmi3Instance c) {
  model_leave(c);
  free(c);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  ALLOWED(INSTANTIATED);
  Model *m = c;
  m->v[0] = m->start = start;
  m->phase = INITIALIZING;
  m->is_stale = true;
  return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  ALLOWED(INITIALIZING);
  Model *m = c;
  Status status = model_begin(m);
  if (status == OK) m->phase = m->is_stepped ? STEPPING : EVENT;
  return (fmi3Status)status;
}

fmi3Status fmi3Terminate(fmi3Instance c) {
  ALLOWED(EVENT | CONTINUOUS | STEPPING | STEP_FAILED);
  Model *m = c;
  m->phase = TERMINATED;
  return fmi3OK;
}

// ---- values

#define NUMBER(WIRE, Type, least, most)                                                            \
  fmi3Status fmi3Get##Type(fmi3Instance c, const fmi3ValueReference *references, size_t count,     \
                           fmi3##Type *values, size_t value_count) {                               \
    ALLOWED(INSTANTIATED | RUNNING);                                                               \
    Model *m = c;                                                                                  \
    size_t n = 0;                                                                                  \
    Status status = model_update(m);                                                               \
    for (size_t k = 0; k < count && status < ERROR; k++) {                                         \
      const Variable *v = model_find(m, references[k], #Type, false);                              \
      if (!v || n + (size_t)variable_size(v) > value_count) return fmi3Error;                      \
      for (int e = 0; e < variable_size(v); e++)                                                   \
        values[n++] = (fmi3##Type)m->v[variable_first(v) + e];                                     \
    }                                                                                              \
    return status < ERROR && n != value_count ? fmi3Error : (fmi3Status)status;                    \
  }                                                                                                \
  fmi3Status fmi3Set##Type(fmi3Instance c, const fmi3ValueReference *references, size_t count,     \
                           const fmi3##Type *values, size_t value_count) {                         \
    Model *m = c;                                                                                  \
    size_t n = 0;                                                                                  \
    for (size_t k = 0; k < count; k++) {                                                           \
      const Variable *v = model_find(m, references[k], #Type, true);                               \
      if (!v || n + (size_t)variable_size(v) > value_count) return fmi3Error;                      \
      for (int e = 0; e < variable_size(v); e++)                                                   \
        m->v[variable_first(v) + e] = (double)values[n++];                                         \
    }                                                                                              \
    return n == value_count ? fmi3OK : fmi3Error;                                                  \
  }

FMI3_NUMBERS(NUMBER)

fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference *references, size_t count,
                         fmi3String *values, size_t value_count) {
  Model *m = c;
  if (value_count != count) return fmi3Error;
  for (size_t k = 0; k < count; k++) {
    if (!model_find(m, references[k], "String", false)) return fmi3Error;
    values[k] = m->text;
  }
  return fmi3OK;
}

fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference *references, size_t count,
                         const fmi3String *values, size_t value_count) {
  Model *m = c;
  if (value_count != count) return fmi3Error;
  for (size_t k = 0; k < count; k++) {
    if (!model_find(m, references[k], "String", true)) return fmi3Error;
    snprintf(m->text, sizeof m->text, "%s", values[k]);
  }
  return fmi3OK;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference *unknowns,
                                        size_t unknown_count, const fmi3ValueReference *knowns,
                                        size_t known_count, const fmi3Float64 *seed,
                                        size_t seed_count, fmi3Float64 *sensitivity,
                                        size_t sensitivity_count) {
  ALLOWED(RUNNING);
  return (fmi3Status)model_directional(c, unknowns, unknown_count, knowns, known_count, seed,
                                       seed_count, sensitivity, sensitivity_count);
}

// ---- model exchange

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *nx) {
  *nx = model_state_count(c);
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *nz) {
  (void)c;
  *nz = model_indicator_count();
  return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
  ALLOWED(CONTINUOUS);
  Model *m = c;
  if (!model_may_have_event(m, __func__)) return fmi3Error;
  m->phase = EVENT;
  return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *states_changed,
                                    fmi3Boolean *has_next, fmi3Float64 *next) {
  ALLOWED(EVENT);
  Model *m = c;
  *again = *nominals_changed = false;
  *states_changed = model_handle_event(m);
  *terminate = m->terminate;
  *next = model_next(m);
  *has_next = isfinite(*next);
  return fmi3OK;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
  ALLOWED(EVENT);
  Model *m = c;
  m->phase = CONTINUOUS;
  return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_return,
                                       fmi3Boolean *enter_event_mode, fmi3Boolean *terminate) {
  (void)no_return;
  ALLOWED(CONTINUOUS);
  Model *m = c;
  Status status = model_update(m);
  *enter_event_mode = false;
  *terminate = m->terminate;
  m->completed = m->v[0];
  return (fmi3Status)status;
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
  ALLOWED(CONTINUOUS);
  Model *m = c;
  m->v[0] = time;
  m->is_stale = true;
  return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 *x, size_t nx) {
  ALLOWED(CONTINUOUS);
  return (fmi3Status)model_set_states(c, x, nx);
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 *dx, size_t nx) {
  ALLOWED(RUNNING);
  return (fmi3Status)model_get_states(c, NULL, dx, nx);
}

fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 *z, size_t nz) {
  ALLOWED(RUNNING);
  return (fmi3Status)model_get_indicators(c, z, nz);
}

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 *x, size_t nx) {
  ALLOWED(RUNNING);
  return (fmi3Status)model_get_states(c, x, NULL, nx);
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 *nominal, size_t nx) {
  ALLOWED(RUNNING);
  for (size_t k = 0; k < nx; k++) nominal[k] = 1;
  return fmi3OK;
}

// ---- co-simulation

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_return,
                      fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_time) {
  (void)no_return;
  ALLOWED(STEPPING);
  Model *m = c;
  Status status = model_step(m, t, h);
  *event_needed = *early_return = false;
  *terminate = m->terminate;
  *last_time = m->last;
  return (fmi3Status)status;
}
