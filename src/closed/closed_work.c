#include "closed/closed_work.h"

#include <math.h>
#include <string.h>

#include "base/names.h"

// ---------------------------------------------------------------- set-up

static Names *names_of(Arena *a, const ClosedVariable *list, int count) {
  Names *n = names_new(a);
  for (int i = 0; i < count; i++) names_set(n, list[i].name, i);
  return n;
}

static void map_parameters(ClosedWork *w) {
  const ClosedDescription *d = w->simulator->description;
  const Flat *f = w->work->system->model->flat;
  Arena *scratch = arena_new();
  Names *names = names_of(scratch, d->parameters.at, d->parameters.count);
  w->parameter_of = ARENA_ARRAY(w->arena, int, f->parameters.count + 1);
  for (int k = 0; k < f->parameters.count; k++)
    w->parameter_of[k] = names_find(names, f->parameters.at[k].name);
  arena_free(scratch);
}

static void map_variables(ClosedWork *w) {
  const System *s = w->work->system;
  const ClosedDescription *d = w->simulator->description;
  Arena *scratch = arena_new();
  Names *names = names_of(scratch, d->variables.at, d->variables.count);
  w->variables = ARENA_ARRAY(w->arena, int, s->nx + 1);
  w->state = ARENA_ARRAY(w->arena, int, s->nx + 1);
  for (int i = 0; i < s->nx; i++) {
    int v = s->model->state[i] < 0 || !s->output.reads[i]
                ? -1
                : names_find(names, s->model->flat->variables.at[s->model->state[i]].name);
    if (v < 0) continue;
    w->state[w->variable_count] = i;
    w->variables[w->variable_count++] = v;
  }
  arena_free(scratch);
}

static void make_tie(ClosedWork *w) {
  const System *s = w->work->system;
  const ClosedDescription *d = w->simulator->description;
  Arena *scratch = arena_new();
  Names *names = names_of(scratch, d->variables.at, d->variables.count);
  int *variable_of = ARENA_ARRAY(scratch, int, s->nx + 1);
  for (int i = 0; i < s->nx; i++)
    variable_of[i] = names_find(names, s->model->flat->variables.at[s->model->state[i]].name);
  w->tie = tie_build(w->arena, (Model *)s->model, variable_of, s->columns.parameter, s->ns);
  arena_free(scratch);
}

static void map_columns(ClosedWork *w) {
  const System *s = w->work->system;
  w->columns = ARENA_ARRAY(w->arena, int, s->ns + 1);
  w->slopes = ARENA_ARRAY(w->arena, int, s->ns + 1);
  for (int k = 0; k < s->ns; k++) {
    int p = w->parameter_of[s->columns.parameter[k]];
    if (p < 0 && !w->tie) continue; // a feedback may depend on it
    w->columns[w->slope_count] = k;
    w->slopes[w->slope_count++] = p;
  }
}

static void read_inputs(void *data, double t, double *u, double *du) {
  ClosedWork *w = data;
  int nu = w->work->system->nu;
  for (int i = 0; i < nu; i++) w->pieces[i] = input_piece(w->request->inputs[i], t, 1);
  input_eval_all(w->request->inputs, nu, t, w->pieces, u, du, nu);
}

ClosedWork *closed_work_new(ClosedModel *self, Arena *a, SystemWork *work,
                            const SimulateOptions *options) {
  const System *s = work->system;
  ClosedWork *w = ARENA_NEW(a, ClosedWork);
  *w = (ClosedWork){.simulator = closed_simulator(self),
                    .arena = a,
                    .scratch = arena_new(),
                    .work = work,
                    .options = options};
  map_parameters(w);
  map_variables(w);
  make_tie(w);
  map_columns(w);
  w->pieces = ARENA_ARRAY(a, int, s->nu + 1);
  w->y = ARENA_ARRAY(a, double, (size_t)s->nx *(size_t)(1 + s->stride) + 16);
  w->row = ARENA_ARRAY(a, double, (size_t)s->ny *(size_t)(1 + s->np) + 8);
  work->inputs = read_inputs;
  work->inputs_data = w;
  return w;
}

void closed_work_done(ClosedWork *w) {
  tie_build_done(w->tie);
  arena_free(w->scratch);
}

// ---------------------------------------------------------------- the call

static bool differs(double a, double b) {
  return !(a == b);
}

static void set_parameters(ClosedWork *w, const double *p, SimulatorCall *c) {
  const ClosedDescription *d = w->simulator->description;
  const Flat *f = w->work->system->model->flat;
  int count = d->parameters.count;
  double *values = ARENA_ARRAY(w->scratch, double, count + 1);
  bool *given = ARENA_ARRAY(w->scratch, bool, count + 1);
  CallText *texts = ARENA_ARRAY(w->scratch, CallText, count + 1);
  for (int i = 0; i < count; i++) values[i] = d->parameters.at[i].value;
  for (int k = 0; k < f->parameters.count; k++) {
    int i = w->parameter_of[k];
    if (i < 0) continue;
    given[i] = differs(p[k], d->parameters.at[i].value);
    values[i] = p[k];
    if (d->parameters.at[i].type != CLOSED_TEXT) continue;
    given[i] = false;
    int text = (int)p[k];
    if (text > 0 && text < w->simulator->texts.count)
      texts[c->text_count++] = (CallText){i, w->simulator->texts.at[text]};
  }
  c->parameters = values;
  c->given = given;
  c->parameter_count = count;
  c->texts = texts;
}

// The feedback with its numbers at p.
static const Tie *tie_at(ClosedWork *w, const SimulateRequest *q, const double *p) {
  if (!w->tie) return NULL;
  Tie *t = ARENA_NEW(w->scratch, Tie);
  *t = w->tie->tie;
  const Input **signals = ARENA_ARRAY(w->scratch, const Input *, t->signal_count + 1);
  double *parameters = ARENA_ARRAY(w->scratch, double, t->parameter_count + 1);
  for (int i = 0; i < t->signal_count; i++) signals[i] = q->inputs[w->tie->input[i]];
  for (int k = 0; k < t->parameter_count; k++)
    parameters[k] = w->tie->parameter[k] < 0 ? q->origin : p[w->tie->parameter[k]];
  t->signals = signals;
  t->parameters = parameters;
  return t;
}

SimulatorCall *closed_call(ClosedWork *w, const SimulateRequest *q, const double *p) {
  const SimulateOptions *o = w->options;
  SimulatorCall *c = ARENA_NEW(w->scratch, SimulatorCall);
  *c = (SimulatorCall){.origin = q->origin,
                       .start = q->start,
                       .times = q->times,
                       .count = q->count,
                       .inputs = q->inputs,
                       .input_count = w->simulator->description->inputs.count,
                       .variables = w->variables,
                       .variable_count = w->variable_count,
                       .rel_tol = o->rel_tol,
                       .abs_tol = o->abs_tol,
                       .max_step = o->max_step,
                       .max_steps = q->max_steps ? q->max_steps : o->max_steps,
                       .max_events = o->max_events,
                       .refined = q->refined,
                       .solver = o->solver,
                       .experiment = q->experiment,
                       .name = q->experiment_name};
  set_parameters(w, p, c);
  c->tie = tie_at(w, q, p);
  return c;
}

SlopeStep closed_default_step(const ClosedWork *w, int parameter, double value) {
  const Flat *f = w->work->system->model->flat;
  const Parameter *p = &f->parameters.at[parameter];
  const Variable *v = &f->variables.at[p->variable];
  double low = p->is_start ? -HUGE_VAL : v->min, high = p->is_start ? HUGE_VAL : v->max;
  double range = high - low, size = fabs(value);
  if (!(size > 0) && isfinite(range) && range > 0) size = 0.1 * range;
  if (!(size > 0)) size = v->nominal > 0 ? v->nominal : 1;
  return (SlopeStep){.size = size, .low = low, .high = high};
}

void closed_want_slopes(ClosedWork *w, const SimulateRequest *q, SimulatorCall *c) {
  int n = w->slope_count;
  double *numbers = ARENA_ARRAY(w->scratch, double, 4 * n + 1);
  double *size = numbers, *low = size + n, *high = low + n, *part = high + n;
  for (int k = 0; k < n; k++) {
    int p = w->work->system->columns.parameter[w->columns[k]];
    SlopeStep s = q->slopes ? q->slopes->steps[p] : closed_default_step(w, p, q->p[p]);
    size[k] = s.size, low[k] = s.low, high[k] = s.high, part[k] = s.part;
  }
  c->slopes = w->slopes;
  c->slope_size = size, c->slope_low = low, c->slope_high = high, c->slope_part = part;
  c->slope_count = n;
}
