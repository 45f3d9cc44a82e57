// The public library: simulators of the caller, and FMUs with settings.
#include "api/api_simulator.h"

#include <math.h>
#include <string.h>

#include "api/api.h"
#include "closed/closed_function.h"
#include "fmu/fmu_closed.h"
#include "problem/read_problem.h"

typedef struct Callback {
  EntrainSimulator simulator;
  int input_count;
} Callback;

typedef struct CallbackCall { // what the caller sees; the call behind it
  EntrainSimulatorCall shown;
  FunctionCall *inside;
} CallbackCall;

static void read_inputs(const EntrainSimulatorCall *call, double t, double *values) {
  const FunctionCall *f = ((const CallbackCall *)call)->inside;
  f->inputs(f, t, values);
}

static bool still_wanted(const EntrainSimulatorCall *call) {
  const FunctionCall *f = ((const CallbackCall *)call)->inside;
  return f->goes_on(f);
}

static bool call_back(void *data, FunctionCall *f) {
  const Callback *c = data;
  CallbackCall call = {.shown = {.size = sizeof call.shown,
                                 .parameters = f->parameters,
                                 .start = f->start,
                                 .times = f->times,
                                 .time_count = f->time_count,
                                 .experiment = f->experiment,
                                 .read_inputs = read_inputs,
                                 .goes_on = still_wanted,
                                 .outputs = f->outputs,
                                 .slopes = f->slopes},
                       .inside = f};
  bool ok = c->simulator.simulate(c->simulator.data, &call.shown);
  call.shown.message[sizeof call.shown.message - 1] = 0;
  if (!ok) memcpy(f->message, call.shown.message, sizeof f->message);
  return ok;
}

// ---------------------------------------------------------------- what it says about itself

static const char *copied(Arena *a, const char *text) {
  return arena_print(a, "%s", text ? text : "");
}

bool simulator_is_complete(const EntrainSimulator *s, Err *err) {
  bool lists = s->parameter_count >= 0 && s->input_count >= 0 && s->output_count > 0 &&
               (s->parameters || !s->parameter_count) && (s->inputs || !s->input_count) &&
               s->outputs;
  if (!s->name || !s->name[0] || !s->simulate || !lists)
    return fail(err, ERR_USAGE,
                "a simulator needs a name, a function, and at least one output; its lists must be "
                "there");
  for (int i = 0; i < s->parameter_count; i++) {
    const EntrainSimulatorParameter *p = &s->parameters[i];
    if (!p->name || !p->name[0] || !isfinite(p->value) || !(p->min <= p->max))
      return fail(
          err, ERR_USAGE,
          "parameter %d of the simulator %.100s needs a name, a finite value, and min <= max",
          i + 1, s->name);
  }
  for (int i = 0; i < s->input_count; i++)
    if (!s->inputs[i] || !s->inputs[i][0])
      return fail(err, ERR_USAGE, "input %d has no name", i + 1);
  for (int i = 0; i < s->output_count; i++)
    if (!s->outputs[i] || !s->outputs[i][0])
      return fail(err, ERR_USAGE, "output %d has no name", i + 1);
  return true;
}

static ClosedVariable variable(Arena *a, const char *name, const char *unit) {
  return (ClosedVariable){.name = copied(a, name),
                          .description = "",
                          .unit = copied(a, unit),
                          .min = -HUGE_VAL,
                          .max = HUGE_VAL,
                          .nominal = 1,
                          .start_of = -1};
}

static bool add_name(Names *known, const char *name, Err *err) {
  if (names_find(known, name) >= 0)
    return fail(err, ERR_NAME, "the simulator has two things called '%.100s'", name);
  names_set(known, name, 0);
  return true;
}

static ClosedDescription *describe(Arena *a, const EntrainSimulator *s, Err *err) {
  ClosedDescription *d = ARENA_NEW(a, ClosedDescription);
  Names *known = names_new(a);
  d->name = copied(a, s->name);
  d->description = "";
  d->start_time = d->stop_time = d->interval = nan("");
  for (int i = 0; i < s->parameter_count; i++) {
    const EntrainSimulatorParameter *p = &s->parameters[i];
    ClosedVariable v = variable(a, p->name, p->unit);
    v.has_value = true;
    v.value = p->value, v.min = p->min, v.max = p->max;
    if (!add_name(known, v.name, err)) return NULL;
    array_push(a, &d->parameters, v);
  }
  for (int i = 0; i < s->input_count; i++) {
    if (!add_name(known, s->inputs[i], err)) return NULL;
    array_push(a, &d->inputs, variable(a, s->inputs[i], ""));
  }
  for (int i = 0; i < s->output_count; i++) {
    if (!add_name(known, s->outputs[i], err)) return NULL;
    array_push(a, &d->variables, variable(a, s->outputs[i], ""));
  }
  return d;
}

static ClosedSimulator *closed_of_function(const EntrainSimulator *s, Err *err) {
  if (!simulator_is_complete(s, err)) return NULL;
  Arena *a = arena_new();
  ClosedDescription *d = describe(a, s, err);
  if (!d) {
    arena_free(a);
    return NULL;
  }
  Callback *c = ARENA_NEW(a, Callback);
  c->simulator = *s;
  ClosedFunction f = {call_back, c, s->concurrent, s->has_slopes};
  return closed_function_new(&f, d, d->name, a);
}

// ---------------------------------------------------------------- how one is made

static const char *const *copied_names(Arena *a, const char *const *names, int count) {
  const char **list = ARENA_ARRAY(a, const char *, count + 1);
  for (int i = 0; i < count; i++) list[i] = copied(a, names[i]);
  return list;
}

ClosedMaker *closed_maker_copy(Arena *a, const ClosedMaker *m, ClosedModel *of) {
  ClosedMaker *c = ARENA_NEW(a, ClosedMaker);
  *c = *m;
  if (of)
    c->texts = closed_simulator(of)->texts.at, c->text_count = closed_simulator(of)->texts.count;
  c->texts = copied_names(a, c->texts, c->text_count);
  if (m->fmu.path) {
    c->fmu.path = copied(a, m->fmu.path);
    return c;
  }
  EntrainSimulator *f = &c->function;
  f->name = copied(a, f->name);
  f->inputs = copied_names(a, f->inputs, f->input_count);
  f->outputs = copied_names(a, f->outputs, f->output_count);
  EntrainSimulatorParameter *list =
      ARENA_ARRAY(a, EntrainSimulatorParameter, f->parameter_count + 1);
  for (int i = 0; i < f->parameter_count; i++) {
    list[i] = m->function.parameters[i];
    list[i].name = copied(a, list[i].name), list[i].unit = copied(a, list[i].unit);
  }
  f->parameters = list;
  return c;
}

ClosedSimulator *closed_maker_open(const ClosedMaker *m, Err *err) {
  ClosedSimulator *s =
      m->fmu.path ? fmu_closed_open(&m->fmu, err) : closed_of_function(&m->function, err);
  for (int i = 1; s && i < m->text_count; i++) closed_text(&s->model, m->texts[i]);
  return s;
}
