#include "fmu/fmu_model.h"

#include <math.h>
#include <string.h>

typedef struct ModelBuilder {
  Arena *arena;
  const FmuDescription *fmu;
  FmuModel *out;
  IntArray parameter, input, variable;
} ModelBuilder;

static ClosedType closed_type(FmuType t) {
  return t == FMU_REAL      ? CLOSED_REAL
         : t == FMU_BOOLEAN ? CLOSED_BOOLEAN
         : t == FMU_STRING  ? CLOSED_TEXT
                            : CLOSED_INTEGER;
}

static void add_items(Arena *a, const FmuDescription *d, const FmuVariable *v, ClosedVariable *to) {
  if (v->enumeration < 0) return;
  const FmuEnumeration *e = &d->enumerations.at[v->enumeration];
  ClosedItem *items = ARENA_ARRAY(a, ClosedItem, e->items.count + 1);
  for (int i = 0; i < e->items.count; i++)
    items[i] = (ClosedItem){e->items.at[i].name, e->items.at[i].value};
  to->items = items;
  to->item_count = e->items.count;
}

static ClosedVariable closed_variable(const FmuVariable *v) {
  return (ClosedVariable){.name = v->name,
                          .description = v->description,
                          .unit = v->unit,
                          .type = closed_type(v->type),
                          .has_value = v->has_start,
                          .value = v->has_start ? v->start : 0,
                          .text = v->start_text,
                          .min = v->min,
                          .max = v->max,
                          .nominal = v->nominal,
                          .start_of = -1};
}

static bool is_number(const FmuVariable *v) {
  return v->type != FMU_STRING && v->type != FMU_BINARY && v->type != FMU_CLOCK;
}

static bool is_recorded(const FmuVariable *v) {
  return is_number(v) && v->variability != FMU_CONSTANT &&
         (v->causality == FMU_OUTPUT || v->causality == FMU_LOCAL ||
          v->causality == FMU_CALCULATED_PARAMETER);
}

// FMI 2.0.4, section 2.2.7: what may be set before the initialisation.
static bool start_can_be_set(const FmuVariable *v) {
  return v->type == FMU_REAL && v->has_start && v->variability != FMU_CONSTANT &&
         (v->causality == FMU_OUTPUT || v->causality == FMU_LOCAL) &&
         (v->initial == FMU_EXACT || v->initial == FMU_APPROX);
}

static void add_parameter(ModelBuilder *b, int i, ClosedVariable v) {
  array_push(b->arena, &b->out->closed.parameters, v);
  array_push(b->arena, &b->parameter, i);
}

// The name of the FMU comes first: where it has a variable called x.start, that of x cannot be set.
static void add_start(ModelBuilder *b, int i) {
  const FmuVariable *v = &b->fmu->variables.at[i];
  const char *name = arena_print(b->arena, "%s.start", v->name);
  if (!start_can_be_set(v) || names_find(b->fmu->names, name) >= 0) return;
  ClosedVariable p = closed_variable(v);
  p.name = name;
  p.start_of = b->out->closed.variables.count - 1;
  add_parameter(b, i, p);
}

static bool is_state(const ModelBuilder *b, int i) {
  for (int k = 0; k < b->fmu->states.count; k++)
    if (b->fmu->states.at[k] == i) return true;
  return false;
}

static void add_variable(ModelBuilder *b, int i) {
  const FmuVariable *v = &b->fmu->variables.at[i];
  ClosedVariable c = closed_variable(v);
  c.hidden = v->causality != FMU_OUTPUT && !is_state(b, i);
  array_push(b->arena, &b->out->closed.variables, c);
  array_push(b->arena, &b->variable, i);
  add_start(b, i);
}

static void add(ModelBuilder *b, int i) {
  const FmuVariable *v = &b->fmu->variables.at[i];
  bool parameter = v->causality == FMU_PARAMETER && v->type != FMU_BINARY && v->type != FMU_CLOCK;
  if (parameter) {
    ClosedVariable p = closed_variable(v);
    add_items(b->arena, b->fmu, v, &p);
    add_parameter(b, i, p);
  }
  if (v->causality == FMU_INPUT && is_number(v)) {
    ClosedVariable c = closed_variable(v);
    c.type = CLOSED_REAL; // data are numbers
    array_push(b->arena, &b->out->closed.inputs, c);
    array_push(b->arena, &b->input, i);
  }
  if (is_recorded(v)) add_variable(b, i);
}

static int number_of(const IntArray *list, int i) {
  for (int k = 0; k < list->count; k++)
    if (list->at[k] == i) return k;
  return -1;
}

static void list_states(ModelBuilder *b) {
  const FmuDescription *d = b->fmu;
  for (int k = 0; k < d->states.count; k++) {
    int state = number_of(&b->variable, d->states.at[k]);
    if (state < 0) continue;
    array_push(b->arena, &b->out->closed.states, state);
    array_push(b->arena, &b->out->closed.derivatives,
               number_of(&b->variable, d->derivatives.at[k]));
  }
}

FmuModel *fmu_model_new(Arena *a, const FmuDescription *d, FmuInterface interface) {
  FmuModel *m = ARENA_NEW(a, FmuModel);
  ModelBuilder b = {.arena = a, .fmu = d, .out = m};
  m->fmu = d;
  m->interface = interface;
  m->closed.name = d->model_name;
  m->closed.description = d->description;
  m->closed.start_time = d->start_time;
  m->closed.stop_time = d->stop_time;
  m->closed.interval = d->step_size;
  for (int i = 0; i < d->variables.count; i++) add(&b, i);
  if (interface == FMU_ME) list_states(&b);
  m->parameter = b.parameter.at, m->input = b.input.at, m->variable = b.variable.at;
  return m;
}
