#include "fmu/instance.h"

#include <assert.h>
#include <string.h>

#include "fmu/instance_parts.h"

static FmuStatus outcome(int status) {
  static const FmuStatus OUTCOMES[] = {
      [fmi3OK] = FMU_OK,       [fmi3Warning] = FMU_OK,  [fmi3Discard] = FMU_DISCARD,
      [fmi3Error] = FMU_ERROR, [fmi3Fatal] = FMU_FATAL,
  };
  return OUTCOMES[status];
}

// After an error nothing more is called; a value or step that was discarded does not matter to the next call.
static FmuStatus so_far(const FmuInstance *i) {
  return i->status < fmi3Error ? FMU_OK : outcome(i->status);
}

#define CALL(name, ...)                                                                            \
  outcome(i->status < fmi3Error ? i->library->calls->name(i, ##__VA_ARGS__) : i->status)

FmuInstance *fmu_instance_new(FmuLibrary *l, const char *name, Err *err) {
  Arena *a = arena_new();
  FmuInstance *i = ARENA_NEW(a, FmuInstance);
  i->arena = a;
  i->library = l;
  i->failed = "";
  i->component = l->calls->instantiate(i, name);
  if (i->component) return i;
  size_t cut = i->log_length > 500 ? i->log_length - 500 : 0; // as much as an Err has room for
  fail(err, ERR_MODEL, "'%s' cannot be instantiated%s%s", l->description->path,
       i->log_length ? ": " : "; it does not say why", i->log + cut);
  arena_free(a);
  return NULL;
}

void fmu_instance_free(FmuInstance *i) {
  if (!i) return;
  if (i->initialized && i->status < fmi3Error) i->library->calls->terminate(i);
  if (i->status < fmi3Fatal) i->library->calls->free_instance(i);
  arena_free(i->direction.arena);
  arena_free(i->arena);
}

const char *fmu_instance_log(const FmuInstance *i) {
  return i->log;
}

FmuStatus fmu_instance_status(const FmuInstance *i) {
  return outcome(i->status);
}

const char *fmu_instance_failed(const FmuInstance *i) {
  return i->failed;
}

static int refuse_variable(FmuInstance *i, const char *function, int variable) {
  const FmuVariable *v = &i->library->description->variables.at[variable];
  return instance_refuse(i, function, "variable '%s' is of type %s, which %s cannot have", v->name,
                         fmu_type_word(v->type), function);
}

FmuStatus fmu_set(FmuInstance *i, const FmuGroup *g, const double *values) {
  if (i->status < fmi3Error && g->unfit >= 0) refuse_variable(i, "fmu_set", g->unfit);
  for (int k = 0; k < g->part_count; k++) {
    if (i->status < fmi3Error) instance_part_fits(i, &g->parts[k], values);
    FmuStatus status = CALL(set, &g->parts[k], values);
    if (status != FMU_OK) return status;
  }
  return so_far(i);
}

FmuStatus fmu_get(FmuInstance *i, const FmuGroup *g, double *values) {
  if (i->status < fmi3Error && g->unfit >= 0) refuse_variable(i, "fmu_get", g->unfit);
  for (int k = 0; k < g->part_count; k++) {
    FmuStatus status = CALL(get, &g->parts[k], values);
    if (status != FMU_OK) return status;
  }
  return so_far(i);
}

FmuStatus fmu_set_text(FmuInstance *i, int variable, const char *text) {
  const FmuVariable *v = &i->library->description->variables.at[variable];
  if (i->status < fmi3Error && v->wire != FMU_WIRE_STRING)
    refuse_variable(i, "fmu_set_text", variable);
  return CALL(set_text, v, text);
}

FmuStatus fmu_set_experiment(FmuInstance *i, double start, double stop, double tolerance) {
  i->start = start, i->stop = stop, i->tolerance = tolerance;
  return i->library->calls->set_experiment ? CALL(set_experiment) : so_far(i);
}

FmuStatus fmu_enter_initialization(FmuInstance *i) {
  return CALL(enter_initialization);
}

FmuStatus fmu_exit_initialization(FmuInstance *i) {
  FmuStatus status = CALL(exit_initialization);
  i->initialized = status == FMU_OK;
  return status;
}

FmuStatus fmu_step(FmuInstance *i, double t, double h, double *reached, bool *ended) {
  *reached = t;
  *ended = false;
  return CALL(step, t, h, reached, ended);
}

int fmu_state_count(FmuInstance *i) {
  int count = 0;
  return CALL(state_count, &count) == FMU_OK ? count : -1;
}

int fmu_indicator_count(FmuInstance *i) {
  int count = 0;
  return CALL(indicator_count, &count) == FMU_OK ? count : -1;
}

FmuStatus fmu_new_discrete_states(FmuInstance *i, FmuDiscrete *out) {
  *out = (FmuDiscrete){0};
  return CALL(new_discrete_states, out);
}

FmuStatus fmu_enter_event_mode(FmuInstance *i) {
  return CALL(enter_event_mode);
}

FmuStatus fmu_enter_continuous_mode(FmuInstance *i) {
  return CALL(enter_continuous_mode);
}

FmuStatus fmu_set_time(FmuInstance *i, double t) {
  return CALL(set_time, t);
}

FmuStatus fmu_set_states(FmuInstance *i, const double *x, int count) {
  return CALL(set_states, x, (size_t)count);
}

FmuStatus fmu_get_states(FmuInstance *i, double *x, int count) {
  return CALL(get_states, x, (size_t)count);
}

FmuStatus fmu_get_derivatives(FmuInstance *i, double *dx, int count) {
  return CALL(get_derivatives, dx, (size_t)count);
}

FmuStatus fmu_get_indicators(FmuInstance *i, double *z, int count) {
  return CALL(get_indicators, z, (size_t)count);
}

FmuStatus fmu_get_nominals(FmuInstance *i, double *nominal, int count) {
  return CALL(get_nominals, nominal, (size_t)count);
}

FmuStatus fmu_completed_step(FmuInstance *i, bool *enter_event_mode, bool *terminate) {
  *enter_event_mode = *terminate = false;
  if (!i->library->info->needs_completed_step) return so_far(i);
  return CALL(completed_step, enter_event_mode, terminate);
}

// ---------------------------------------------------------------- directional derivatives

static bool is_same(const int *a, int count, const int *b, int other_count) {
  return count == other_count && memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static int *copy_of(Arena *a, const int *from, int count) {
  int *to = ARENA_ARRAY(a, int, count);
  memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

static void set_direction(FmuInstance *i, const int *unknowns, int unknown_count, const int *knowns,
                          int known_count) {
  FmuDirection *d = &i->direction;
  if (d->arena && is_same(d->unknowns, d->unknown_count, unknowns, unknown_count) &&
      is_same(d->knowns, d->known_count, knowns, known_count))
    return;
  if (!d->arena) d->arena = arena_new();
  arena_reset(d->arena);
  d->unknowns = copy_of(d->arena, unknowns, d->unknown_count = unknown_count);
  d->knowns = copy_of(d->arena, knowns, d->known_count = known_count);
  d->unknown = fmu_group_new(d->arena, i->library, unknowns, unknown_count);
  d->known = fmu_group_new(d->arena, i->library, knowns, known_count);
}

// The derivatives are of type Float64: the first other variable is refused.
static bool is_real(FmuInstance *i, const FmuGroup *g) {
  if (g->unfit >= 0) return refuse_variable(i, "fmu_directional", g->unfit), false;
  for (int k = 0; k < g->part_count; k++)
    if (g->parts[k].wire != FMU_WIRE_FLOAT64)
      return refuse_variable(i, "fmu_directional", g->parts[k].variable[0]), false;
  return true;
}

// Elements of arrays that are not among the knowns do not move.
static void put_seed(const FmuPart *known, const double *seed) {
  double *buffer = known->buffer;
  memset(buffer, 0, (size_t)known->value_count * sizeof *buffer);
  for (int k = 0; k < known->count; k++) buffer[known->slot[k]] += seed[known->place[k]];
}

FmuStatus fmu_directional(FmuInstance *i, const int *unknowns, int unknown_count, const int *knowns,
                          int known_count, const double *seed, double *sensitivity) {
  assert(i->library->info->directional_derivatives);
  if (unknown_count == 0 || i->status >= fmi3Error) return so_far(i);
  memset(sensitivity, 0, (size_t)unknown_count * sizeof *sensitivity);
  if (known_count == 0) return FMU_OK;
  set_direction(i, unknowns, unknown_count, knowns, known_count);
  const FmuDirection *d = &i->direction;
  if (!is_real(i, d->unknown) || !is_real(i, d->known)) return outcome(i->status);
  const FmuPart *unknown = d->unknown->parts, *known = d->known->parts;
  put_seed(known, seed);
  FmuStatus status = CALL(directional, unknown, known);
  const double *buffer = unknown->buffer;
  for (int k = 0; k < unknown->count; k++)
    sensitivity[unknown->place[k]] = buffer[unknown->slot[k]];
  return status;
}
