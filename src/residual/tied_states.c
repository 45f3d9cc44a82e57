#include "residual/tied_states.h"

#include <string.h>

static bool is_tied(const Problem *p, int e, int state) {
  const KnownStates *s = p->experiments[e].states;
  return s && s->source[state].origin == STATE_TIED;
}

static bool is_tied_somewhere(const Problem *p, int state) {
  for (int e = 0; e < p->experiment_count; e++)
    if (is_tied(p, e, state)) return true;
  return false;
}

static System *compile(const TiedStates *t, const CompiledModel *model, const Expr *outputs,
                       bool slopes) {
  SystemSpec spec = {.outputs = outputs,
                     .output_count = t->count,
                     .parameters = model->parameters,
                     .parameter_count = slopes ? model->parameter_count : 0,
                     .lanes = 1};
  Model *coupled = t->feedback->coupled->model;
  simulate_needs(&t->problem->simulate, coupled->nx, &spec);
  return system_new(coupled, &spec);
}

TiedStates *tied_states_new(const MeasuredData *d, const CompiledModel *model) {
  const Problem *p = d->problem;
  Arena *a = arena_new();
  TiedStates *t = ARENA_NEW(a, TiedStates);
  *t = (TiedStates){.arena = a, .problem = p, .state = ARENA_ARRAY(a, int, p->model->nx + 1)};
  for (int i = 0; i < p->model->nx; i++)
    if (is_tied_somewhere(p, i)) t->state[t->count++] = i;
  t->feedback = t->count ? feedback_new(d) : NULL;
  if (!t->feedback) {
    arena_free(a);
    return NULL;
  }
  Expr *outputs =
      ARENA_ARRAY(a, Expr, t->count + 1); // the coupled model has them in the same order
  for (int i = 0; i < t->count; i++) outputs[i] = t->feedback->coupled->model->x[t->state[i]];
  for (int i = 0; i < 2; i++) t->system[i] = compile(t, model, outputs, i);
  return t;
}

void tied_states_free(TiedStates *t) {
  if (!t) return;
  for (int i = 0; i < 2; i++) system_free(t->system[i]);
  feedback_free(t->feedback);
  arena_free(t->arena);
}

TiedWork *tied_work_new(const TiedStates *t) {
  if (!t) return NULL;
  Arena *a = arena_new();
  TiedWork *w = ARENA_NEW(a, TiedWork);
  const Problem *p = t->problem;
  int rows = 0;
  for (int e = 0; e < p->experiment_count; e++)
    if (p->experiments[e].row_count > rows) rows = p->experiments[e].row_count;
  size_t numbers = (size_t)rows * (size_t)t->count;
  *w = (TiedWork){.tied = t, .arena = a};
  w->p = ARENA_ARRAY(a, double, t->feedback->coupled->model->np + 1);
  w->values = ARENA_ARRAY(a, double, numbers + 8);
  w->slopes = ARENA_ARRAY(a, double, numbers *(size_t)t->system[1]->np + 8);
  return w;
}

void tied_work_free(TiedWork *w) {
  if (!w) return;
  for (int i = 0; i < 2; i++) simulate_work_free(w->simulate[i]);
  arena_free(w->arena);
}

bool tied_run(TiedWork *w, int e, const double *p, bool slopes, Trajectory *t) {
  const TiedStates *tied = w->tied;
  const Problem *problem = tied->problem;
  const Experiment *x = &problem->experiments[e];
  const Model *coupled = tied->feedback->coupled->model;
  SimulateWork **work = &w->simulate[slopes];
  if (!*work) *work = simulate_work_new(tied->system[slopes], &problem->simulate);
  for (int k = 0; k < coupled->np; k++) w->p[k] = coupled->flat->parameters.at[k].value;
  memcpy(w->p, p, (size_t)problem->model->np * sizeof *p);
  feedback_set(tied->feedback, problem, e, 1, 1, NULL, w->p);
  SimulateRequest request = {.p = w->p,
                             .inputs = tied->feedback->inputs[e],
                             .origin = x->origin,
                             .start = x->start,
                             .times = x->row_t,
                             .count = x->row_count};
  Trajectory own = {.values = w->values, .sens = slopes ? w->slopes : NULL};
  simulate_run(*work, &request, &own);
  t->work = own.work;
  t->outcome = own.outcome;
  memcpy(t->message, own.message, sizeof t->message);
  return own.outcome == OUTCOME_REACHED_END;
}

int tied_number(const TiedStates *t, int e, int state) {
  for (int i = 0; t && i < t->count; i++)
    if (t->state[i] == state && is_tied(t->problem, e, state)) return i;
  return -1;
}
