// FMI 2.0 behind instance.h.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "fmu/instance.h"
#include "fmu/instance_parts.h"

#define CALL(name, ...) instance_note(i, #name, i->library->fmi2.name(i->component, ##__VA_ARGS__))

// %n would write into memory: such a text is no format.
static bool is_format(const char *text) {
  for (const char *c = strchr(text, '%'); c; c = strchr(c, '%')) {
    c += 1 + strspn(c + 1, "0123456789.*$#+- 'hlLqjzt");
    if (*c == 'n') return false;
    if (*c) c++;
  }
  return true;
}

static void log_line(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                     fmi2String category, fmi2String message, ...) {
  (void)instance, (void)status, (void)category;
  if (!environment || !message) return;
  char line[INSTANCE_LOG_MOST + 1];
  va_list args;
  va_start(args, message);
  bool formatted = is_format(message) && c_vsnprintf(line, sizeof line, message, args) >= 0;
  va_end(args);
  instance_log(environment, formatted ? line : message);
}

static void *instantiate(FmuInstance *i, const char *name) {
  const FmuLibrary *l = i->library;
  i->callbacks = (fmi2CallbackFunctions){
      .logger = log_line,
      .allocateMemory = calloc,
      .freeMemory = free,
      .componentEnvironment = i,
  };
  fmi2Type type = l->co_simulation ? fmi2CoSimulation : fmi2ModelExchange;
  return l->fmi2.fmi2Instantiate(name, type, l->description->token, l->resources, &i->callbacks,
                                 fmi2False, fmi2False);
}

static void free_instance(FmuInstance *i) {
  i->library->fmi2.fmi2FreeInstance(i->component);
}

static int terminate(FmuInstance *i) {
  return CALL(fmi2Terminate);
}

static int set(FmuInstance *i, const FmuPart *part, const double *values) {
  size_t n = (size_t)part->reference_count;
  fmi2Real *reals = part->buffer;
  fmi2Integer *integers = part->buffer;
  if (part->wire == FMU_WIRE_FLOAT64) {
    for (int k = 0; k < part->count; k++) reals[part->slot[k]] = values[part->place[k]];
    return CALL(fmi2SetReal, part->references, n, reals);
  }
  for (int k = 0; k < part->count; k++) integers[part->slot[k]] = (int)values[part->place[k]];
  if (part->wire == FMU_WIRE_BOOLEAN) return CALL(fmi2SetBoolean, part->references, n, integers);
  return CALL(fmi2SetInteger, part->references, n, integers);
}

static int get(FmuInstance *i, const FmuPart *part, double *values) {
  size_t n = (size_t)part->reference_count;
  fmi2Real *reals = part->buffer;
  fmi2Integer *integers = part->buffer;
  int status;
  if (part->wire == FMU_WIRE_FLOAT64) {
    status = CALL(fmi2GetReal, part->references, n, reals);
    for (int k = 0; k < part->count; k++) values[part->place[k]] = reals[part->slot[k]];
    return status;
  }
  if (part->wire == FMU_WIRE_BOOLEAN)
    status = CALL(fmi2GetBoolean, part->references, n, integers);
  else
    status = CALL(fmi2GetInteger, part->references, n, integers);
  for (int k = 0; k < part->count; k++) values[part->place[k]] = integers[part->slot[k]];
  return status;
}

static int set_text(FmuInstance *i, const FmuVariable *v, const char *text) {
  return CALL(fmi2SetString, &v->reference, 1, &text);
}

static int set_experiment(FmuInstance *i) {
  bool has_stop = !isnan(i->stop);
  return CALL(fmi2SetupExperiment, i->tolerance > 0, i->tolerance, i->start, has_stop,
              has_stop ? i->stop : 0);
}

static int enter_initialization(FmuInstance *i) {
  return CALL(fmi2EnterInitializationMode);
}

static int exit_initialization(FmuInstance *i) {
  return CALL(fmi2ExitInitializationMode);
}

// A step that was not done: how far did it go, and did the FMU end the simulation?
static int discarded_step(FmuInstance *i, double *reached, bool *ended) {
  const Fmi2Functions *f = &i->library->fmi2;
  fmi2Real last = *reached;
  fmi2Boolean terminated = fmi2False;
  fmi2Status status = f->fmi2GetRealStatus(i->component, fmi2LastSuccessfulTime, &last);
  if (status == fmi2Fatal) return instance_note(i, "fmi2GetRealStatus", fmi2Fatal);
  if (status == fmi2OK) *reached = last;
  status = f->fmi2GetBooleanStatus(i->component, fmi2Terminated, &terminated);
  if (status == fmi2Fatal) return instance_note(i, "fmi2GetBooleanStatus", fmi2Fatal);
  *ended = status == fmi2OK && terminated;
  return *ended ? fmi2OK : instance_note(i, "fmi2DoStep", fmi2Discard);
}

static int step(FmuInstance *i, double t, double h, double *reached, bool *ended) {
  *reached = t;
  *ended = false;
  fmi2Status status = i->library->fmi2.fmi2DoStep(i->component, t, h, fmi2True);
  if (status == fmi2Discard) return discarded_step(i, reached, ended);
  if (status == fmi2OK || status == fmi2Warning) *reached = t + h;
  if (status == fmi2Pending)
    return instance_refuse(i, "fmi2DoStep", "it works asynchronously, which was not allowed");
  return instance_note(i, "fmi2DoStep", (int)status);
}

static int state_count(FmuInstance *i, int *count) {
  *count = i->library->description->derivatives.count;
  return fmi2OK;
}

static int indicator_count(FmuInstance *i, int *count) {
  *count = i->library->description->indicators;
  return fmi2OK;
}

static int new_discrete_states(FmuInstance *i, FmuDiscrete *out) {
  fmi2EventInfo info = {0};
  int status = CALL(fmi2NewDiscreteStates, &info);
  *out = (FmuDiscrete){
      .again = info.newDiscreteStatesNeeded,
      .terminate = info.terminateSimulation,
      .nominals_changed = info.nominalsOfContinuousStatesChanged,
      .states_changed = info.valuesOfContinuousStatesChanged,
      .has_next = info.nextEventTimeDefined,
      .next = info.nextEventTime,
  };
  return status;
}

static int enter_event_mode(FmuInstance *i) {
  return CALL(fmi2EnterEventMode);
}

static int enter_continuous_mode(FmuInstance *i) {
  return CALL(fmi2EnterContinuousTimeMode);
}

static int set_time(FmuInstance *i, double t) {
  return CALL(fmi2SetTime, t);
}

static int set_states(FmuInstance *i, const double *x, size_t nx) {
  return CALL(fmi2SetContinuousStates, x, nx);
}

static int get_states(FmuInstance *i, double *x, size_t nx) {
  return CALL(fmi2GetContinuousStates, x, nx);
}

static int get_derivatives(FmuInstance *i, double *dx, size_t nx) {
  return CALL(fmi2GetDerivatives, dx, nx);
}

static int get_indicators(FmuInstance *i, double *z, size_t nz) {
  return CALL(fmi2GetEventIndicators, z, nz);
}

static int get_nominals(FmuInstance *i, double *nominal, size_t nx) {
  return CALL(fmi2GetNominalsOfContinuousStates, nominal, nx);
}

static int completed_step(FmuInstance *i, bool *enter_event_mode_now, bool *terminate_now) {
  fmi2Boolean enter = fmi2False, end = fmi2False;
  int status = CALL(fmi2CompletedIntegratorStep, fmi2True, &enter, &end);
  *enter_event_mode_now = enter;
  *terminate_now = end;
  return status;
}

static int directional(FmuInstance *i, const FmuPart *unknown, const FmuPart *known) {
  return CALL(fmi2GetDirectionalDerivative, unknown->references, (size_t)unknown->reference_count,
              known->references, (size_t)known->reference_count, known->buffer, unknown->buffer);
}

const FmuCalls FMI2_CALLS = {
    instantiate,
    free_instance,
    terminate,
    set,
    get,
    set_text,
    set_experiment,
    enter_initialization,
    exit_initialization,
    step,
    state_count,
    indicator_count,
    new_discrete_states,
    enter_event_mode,
    enter_continuous_mode,
    set_time,
    set_states,
    get_states,
    get_derivatives,
    get_indicators,
    get_nominals,
    completed_step,
    directional,
};
