#include "closed/closed_function.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/patience.h"
#include "base/visible.h"
#include "closed/closed_model.h"

typedef struct FunctionData {
  ClosedFunction function;
  pthread_mutex_t lock; // unless it is concurrent
} FunctionData;

static void read_inputs(const FunctionCall *f, double t, double *values) {
  const SimulatorCall *c = f->call;
  for (int i = 0; i < c->input_count; i++)
    values[i] = c->inputs[i] ? input_value(c->inputs[i], t - c->origin) : 0;
}

static bool still_wanted(const FunctionCall *f) {
  (void)f;
  return patience_asks();
}

static bool is_finite(const double *x, size_t n, size_t *where) {
  for (*where = 0; *where < n; ++*where)
    if (!isfinite(x[*where])) return false;
  return true;
}

// What the call wants of all that the function has filled in.
static void pick(const ClosedSimulator *s, const SimulatorCall *c, const FunctionCall *f,
                 SimulatorAnswer *a) {
  size_t all = (size_t)s->description->variables.count, parameters = (size_t)c->parameter_count;
  for (int row = 0; row < c->count; row++)
    for (int i = 0; i < c->variable_count; i++) {
      size_t from = (size_t)row * all + (size_t)c->variables[i];
      size_t to = (size_t)row * (size_t)c->variable_count + (size_t)i;
      a->values[to] = f->outputs[from];
      for (int k = 0; f->slopes && k < c->slope_count; k++)
        a->slopes[to * (size_t)c->slope_count + (size_t)k] =
            f->slopes[from * parameters + (size_t)c->slopes[k]];
    }
  a->rows = c->count;
}

static void run_one(ClosedSimulator *s, const SimulatorCall *c, SimulatorAnswer *a) {
  FunctionData *d = s->data;
  Arena *scratch = arena_new();
  size_t numbers = (size_t)c->count * (size_t)s->description->variables.count, where;
  double *times = ARENA_ARRAY(scratch, double, c->count + 1);
  for (int i = 0; i < c->count; i++) times[i] = c->origin + c->times[i];
  FunctionCall f = {.parameters = c->parameters,
                    .start = c->origin + c->start,
                    .times = times,
                    .time_count = c->count,
                    .experiment = c->experiment,
                    .inputs = read_inputs,
                    .goes_on = still_wanted,
                    .call = c};
  f.outputs = ARENA_ARRAY(scratch, double, numbers + 1);
  bool slopes = d->function.has_slopes && c->slope_count > 0;
  if (slopes) f.slopes = ARENA_ARRAY(scratch, double, numbers *(size_t)c->parameter_count + 1);
  bool concurrent = d->function.concurrent;
  if (!concurrent && !patience_lock(&d->lock)) {
    a->outcome = OUTCOME_STOPPED;
    arena_free(scratch);
    return;
  }
  bool ok = d->function.simulate(d->function.data, &f);
  if (!concurrent) pthread_mutex_unlock(&d->lock);
  f.message[sizeof f.message - 1] = 0;
  visible_fixed(f.message, sizeof f.message);
  c_snprintf(a->solver, sizeof a->solver, "%.40s", s->model.name);
  if (!ok && !patience_asks())
    a->outcome = OUTCOME_STOPPED;
  else if (!ok)
    answer_end(a, OUTCOME_REFUSED, f.start, "%s failed%s%s", s->model.name,
               f.message[0] ? ": " : "", f.message);
  else if (!is_finite(f.outputs, numbers, &where))
    answer_end(a, OUTCOME_BAD_OUTPUT, f.start, "%s: %s is not finite at time %.9g", s->model.name,
               s->description->variables.at[where % (size_t)s->description->variables.count].name,
               times[where / (size_t)s->description->variables.count]);
  else
    pick(s, c, &f, a);
  if (!slopes) a->slopes = NULL;
  if (slopes) c_snprintf(a->slopes_by, sizeof a->slopes_by, "slopes of the function");
  if (ok) a->t_end = c->count ? times[c->count - 1] : f.start;
  arena_free(scratch);
}

static void run_all(ClosedSimulator *s, const SimulatorCall *const *calls,
                    SimulatorAnswer *const *answers, int count) {
  for (int i = 0; i < count; i++)
    if (patience_asks())
      run_one(s, calls[i], answers[i]);
    else
      answers[i]->outcome = OUTCOME_STOPPED;
}

static void free_function(ClosedSimulator *s) {
  pthread_mutex_destroy(&((FunctionData *)s->data)->lock);
}

ClosedSimulator *closed_function_new(const ClosedFunction *f, const ClosedDescription *d,
                                     const char *name, Arena *owned) {
  ClosedSimulator *s = closed_simulator_new(d, name, "function");
  FunctionData *data = ARENA_NEW(s->arena, FunctionData);
  data->function = *f;
  pthread_mutex_init(&data->lock, NULL);
  s->data = data;
  s->owned = owned;
  s->run_all = run_all;
  s->done = free_function;
  s->model.makes_slopes = f->has_slopes;
  return s;
}
