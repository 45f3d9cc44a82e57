// Machine code is made once for each kind of use (values, slopes, lanes) and kept; the lock is held only while it is made.
#include "residual/compiled_model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "model/second.h"
#include "simulate/closed.h"

static const double QUICK_REL_TOL = 1e-5; // enough to see where to go, not where to stop

typedef struct LaneCode { // for several parameter sets at once
  struct LaneCode *next;
  bool slopes;
  int lanes;
  System *system;
} LaneCode;

struct CompiledCode {
  pthread_mutex_t lock;
  _Atomic(System *) values, slopes; // NULL until needed
  LaneCode *lanes;
};

static bool is_delayed(const Problem *p, int measured) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->channel_measured[e][c] == measured && p->experiments[e].channels[c].delay >= 0)
        return true;
  return false;
}

static void list_outputs(CompiledModel *m, const Expr *measured) {
  const Problem *p = m->problem;
  m->output = ARENA_ARRAY(m->arena, Expr, 2 * p->measured_count + 1);
  m->rate = ARENA_ARRAY(m->arena, int, p->measured_count + 1);
  for (int k = 0; k < p->measured_count; k++) m->output[m->outputs++] = measured[k];
  pthread_mutex_lock(m->model->lock);
  for (int k = 0; k < p->measured_count; k++) {
    m->rate[k] = -1;
    if (!is_delayed(p, k)) continue;
    m->rate[k] = m->outputs;
    model_rates(m->model, m->model, &measured[k], 1, &m->output[m->outputs++]);
  }
  pthread_mutex_unlock(m->model->lock);
}

CompiledModel *compiled_model_new(const Problem *p, Model *model, const Expr *measured,
                                  const SimulateOptions *options) {
  Arena *a = arena_new();
  CompiledModel *m = ARENA_NEW(a, CompiledModel);
  m->arena = a;
  m->problem = p;
  m->model = model;
  m->options = m->quick_options = *options;
  m->quick_options.rel_tol = QUICK_REL_TOL;
  m->quick_options.abs_tol = options->abs_tol * (QUICK_REL_TOL / options->rel_tol);
  m->has_quick = model->nx > 0 && options->rel_tol < QUICK_REL_TOL / 10 &&
                 !simulate_first(options, model->nx)->fixed &&
                 (!p->closed || p->closed->has_slopes_of_states);
  list_outputs(m, measured);
  m->parameters = ARENA_ARRAY(a, int, p->unknown_count + 1);
  m->parameter_count = problem_unknown_parameters(p, m->parameters);
  m->code = ARENA_NEW(a, struct CompiledCode);
  pthread_mutex_init(&m->code->lock, NULL);
  return m;
}

void compiled_model_free(CompiledModel *m) {
  if (!m) return;
  System *values = atomic_load(&m->code->values), *slopes = atomic_load(&m->code->slopes);
  if (values != slopes) system_free(values);
  system_free(slopes);
  for (LaneCode *c = m->code->lanes; c; c = c->next) system_free(c->system);
  pthread_mutex_destroy(&m->code->lock);
  arena_free(m->arena);
}

const SimulateOptions *compiled_options(const CompiledModel *m, bool quick) {
  return quick && m->has_quick ? &m->quick_options : &m->options;
}

static System *compile(const CompiledModel *m, bool slopes, int lanes) {
  char jit[OPTION_WORD_SIZE];
  simulate_options_word(&m->options, "jit", jit);
  SystemSpec spec = {.outputs = m->output,
                     .output_count = lanes > 1 ? m->problem->measured_count : m->outputs,
                     .parameters = m->parameters,
                     .parameter_count = slopes ? m->parameter_count : 0,
                     .lanes = lanes,
                     .code = strcmp(jit, "off") == 0 ? CODE_INTERPRETER : CODE_AUTO};
  if (lanes == 1) simulate_needs(&m->options, m->model->nx, &spec);
  return system_new(m->model, &spec);
}

const System *compiled_system(const CompiledModel *m, bool slopes) {
  if (m->parameter_count == 0) slopes = false; // the same code
  _Atomic(System *) *place = slopes ? &m->code->slopes : &m->code->values;
  System *s = atomic_load(place);
  if (s) return s;
  pthread_mutex_lock(&m->code->lock);
  s = atomic_load(place);
  if (!s) {
    s = compile(m, slopes, 1);
    atomic_store(place, s);
  }
  pthread_mutex_unlock(&m->code->lock);
  return s;
}

const System *compiled_lanes(const CompiledModel *m, bool slopes, int lanes) {
  pthread_mutex_lock(&m->code->lock);
  LaneCode *c = m->code->lanes;
  while (c && (c->slopes != slopes || c->lanes != lanes)) c = c->next;
  if (!c) {
    c = ARENA_NEW(m->arena, LaneCode);
    *c = (LaneCode){m->code->lanes, slopes, lanes, compile(m, slopes, lanes)};
    m->code->lanes = c;
  }
  pthread_mutex_unlock(&m->code->lock);
  return c->system;
}

// ---------------------------------------------------------------- runs

ModelRun *model_run_new(const CompiledModel *m, int rows) {
  Arena *a = arena_new();
  ModelRun *r = ARENA_NEW(a, ModelRun);
  int columns = m->outputs * (1 + m->parameter_count), np = m->model->np;
  size_t room = (size_t)rows + 8;
  r->arena = a;
  r->compiled = m;
  r->p = ARENA_ARRAY(a, double, np + 1);
  for (int k = 0; k < np; k++) r->p[k] = m->model->flat->parameters.at[k].value;
  r->column = ARENA_ARRAY(a, double *, columns + 1);
  double *all = ARENA_RAW(a, double, (size_t)columns *room + 1);
  for (int i = 0; i < columns; i++) r->column[i] = all + (size_t)i * room;
  r->trajectory.column = r->column;
  return r;
}

void model_run_free(ModelRun *r) {
  if (!r) return;
  for (int i = 0; i < 4; i++) simulate_work_free(r->work[i / 2][i % 2]);
  arena_free(r->arena);
}

SimulateWork *model_run_work(ModelRun *r, bool slopes, bool quick) {
  const CompiledModel *m = r->compiled;
  SimulateWork **work = &r->work[slopes][quick];
  if (!*work) *work = simulate_work_new(compiled_system(m, slopes), compiled_options(m, quick));
  return *work;
}
