// FMI 3.0 behind instance.h.
#include <math.h>

#include "fmu/instance.h"
#include "fmu/instance_parts.h"

#define CALL(name, ...) instance_note(i, #name, i->library->fmi3.name(i->component, ##__VA_ARGS__))

static void log_line(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                     fmi3String message) {
  (void)status, (void)category;
  if (environment && message) instance_log(environment, message);
}

// Early return, intermediate update and event mode of co-simulation are off.
static void *instantiate(FmuInstance *i, const char *name) {
  const FmuLibrary *l = i->library;
  const char *token = l->description->token;
  if (l->co_simulation)
    return l->fmi3.fmi3InstantiateCoSimulation(name, token, l->resources, false, false, false,
                                               false, NULL, 0, i, log_line, NULL);
  return l->fmi3.fmi3InstantiateModelExchange(name, token, l->resources, false, false, i, log_line);
}

static void free_instance(FmuInstance *i) {
  i->library->fmi3.fmi3FreeInstance(i->component);
}

static int terminate(FmuInstance *i) {
  return CALL(fmi3Terminate);
}

// The elements of arrays that are not set keep their values: these are read first.
static int set(FmuInstance *i, const FmuPart *p, const double *values) {
  size_t n = (size_t)p->reference_count, m = (size_t)p->value_count;
  int status = fmi3OK;
  switch (p->wire) {
#define NUMBER(WIRE, Type, least, most)                                                            \
  case FMU_WIRE_##WIRE: {                                                                          \
    fmi3##Type *buffer = p->buffer;                                                                \
    if (!p->whole) status = CALL(fmi3Get##Type, p->references, n, buffer, m);                      \
    for (int k = 0; k < p->count; k++) buffer[p->slot[k]] = (fmi3##Type)values[p->place[k]];       \
    return status == fmi3OK ? CALL(fmi3Set##Type, p->references, n, buffer, m) : status;           \
  }
    FMI3_NUMBERS(NUMBER)
#undef NUMBER
  default: return fmi3Error;
  }
}

static int get(FmuInstance *i, const FmuPart *p, double *values) {
  size_t n = (size_t)p->reference_count, m = (size_t)p->value_count;
  switch (p->wire) {
#define NUMBER(WIRE, Type, least, most)                                                            \
  case FMU_WIRE_##WIRE: {                                                                          \
    fmi3##Type *buffer = p->buffer;                                                                \
    int status = CALL(fmi3Get##Type, p->references, n, buffer, m);                                 \
    for (int k = 0; k < p->count; k++) values[p->place[k]] = (double)buffer[p->slot[k]];           \
    return status;                                                                                 \
  }
    FMI3_NUMBERS(NUMBER)
#undef NUMBER
  default: return fmi3Error;
  }
}

// Of an array the other texts are read, copied (the FMU may free them when they are set) and set again.
static int set_text(FmuInstance *i, const FmuVariable *v, const char *text) {
  if (v->array < 0) return CALL(fmi3SetString, &v->reference, 1, &text, 1);
  size_t n = (size_t)i->library->description->arrays.at[v->array].count;
  Arena *a = arena_new();
  fmi3String *texts = ARENA_ARRAY(a, fmi3String, n);
  int status = CALL(fmi3GetString, &v->reference, 1, texts, n);
  for (size_t k = 0; k < n; k++) texts[k] = arena_print(a, "%s", texts[k] ? texts[k] : "");
  texts[v->element] = text;
  if (status == fmi3OK) status = CALL(fmi3SetString, &v->reference, 1, texts, n);
  arena_free(a);
  return status;
}

static int enter_initialization(FmuInstance *i) {
  bool has_stop = !isnan(i->stop);
  return CALL(fmi3EnterInitializationMode, i->tolerance > 0, i->tolerance, i->start, has_stop,
              has_stop ? i->stop : 0);
}

static int exit_initialization(FmuInstance *i) {
  return CALL(fmi3ExitInitializationMode);
}

static int step(FmuInstance *i, double t, double h, double *reached, bool *ended) {
  fmi3Boolean event = false, terminate_now = false, early = false;
  fmi3Float64 last = t;
  int status = CALL(fmi3DoStep, t, h, true, &event, &terminate_now, &early, &last);
  *ended = status == fmi3OK && terminate_now;
  *reached = status == fmi3OK && !terminate_now && !early ? t + h : last;
  return status;
}

static int state_count(FmuInstance *i, int *count) {
  size_t n = 0;
  int status = CALL(fmi3GetNumberOfContinuousStates, &n);
  *count = (int)n;
  return status;
}

static int indicator_count(FmuInstance *i, int *count) {
  size_t n = 0;
  int status = CALL(fmi3GetNumberOfEventIndicators, &n);
  *count = (int)n;
  return status;
}

static int new_discrete_states(FmuInstance *i, FmuDiscrete *out) {
  *out = (FmuDiscrete){0};
  return CALL(fmi3UpdateDiscreteStates, &out->again, &out->terminate, &out->nominals_changed,
              &out->states_changed, &out->has_next, &out->next);
}

static int enter_event_mode(FmuInstance *i) {
  return CALL(fmi3EnterEventMode);
}

static int enter_continuous_mode(FmuInstance *i) {
  return CALL(fmi3EnterContinuousTimeMode);
}

static int set_time(FmuInstance *i, double t) {
  return CALL(fmi3SetTime, t);
}

static int set_states(FmuInstance *i, const double *x, size_t nx) {
  return CALL(fmi3SetContinuousStates, x, nx);
}

static int get_states(FmuInstance *i, double *x, size_t nx) {
  return CALL(fmi3GetContinuousStates, x, nx);
}

static int get_derivatives(FmuInstance *i, double *dx, size_t nx) {
  return CALL(fmi3GetContinuousStateDerivatives, dx, nx);
}

static int get_indicators(FmuInstance *i, double *z, size_t nz) {
  return CALL(fmi3GetEventIndicators, z, nz);
}

static int get_nominals(FmuInstance *i, double *nominal, size_t nx) {
  return CALL(fmi3GetNominalsOfContinuousStates, nominal, nx);
}

static int completed_step(FmuInstance *i, bool *enter_event_mode_now, bool *terminate_now) {
  return CALL(fmi3CompletedIntegratorStep, true, enter_event_mode_now, terminate_now);
}

static int directional(FmuInstance *i, const FmuPart *unknown, const FmuPart *known) {
  return CALL(fmi3GetDirectionalDerivative, unknown->references, (size_t)unknown->reference_count,
              known->references, (size_t)known->reference_count, known->buffer,
              (size_t)known->value_count, unknown->buffer, (size_t)unknown->value_count);
}

const FmuCalls FMI3_CALLS = {
    instantiate,
    free_instance,
    terminate,
    set,
    get,
    set_text,
    NULL,
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
