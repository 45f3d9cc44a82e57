#include "residual/compiled_model.h"

#include <string.h>

#include "model/second.h"

static const double QUICK_REL_TOL = 1e-5; // enough to see where to go, not where to stop

static bool is_delayed(const Problem *p, int measured) {
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->channel_measured[e][c] == measured && p->experiments[e].channels[c].delay >= 0)
        return true;
  return false;
}

static Expr *list_outputs(Rig *r, const Problem *p) {
  Expr *outputs = ARENA_ARRAY(r->arena, Expr, 2 * p->measured_count + 1);
  r->rate = ARENA_ARRAY(r->arena, int, p->measured_count + 1);
  for (int k = 0; k < p->measured_count; k++) outputs[r->outputs++] = p->measured[k];
  pthread_mutex_lock(r->model->lock);
  for (int k = 0; k < p->measured_count; k++) {
    r->rate[k] = -1;
    if (!is_delayed(p, k)) continue;
    r->rate[k] = r->outputs;
    model_rates(r->model, r->model, &p->measured[k], 1, &outputs[r->outputs++]);
  }
  pthread_mutex_unlock(r->model->lock);
  return outputs;
}

static void make_columns(Rig *r, int rows) {
  int count = r->outputs * (1 + r->parameter_count);
  size_t room = (size_t)rows + 8;
  r->column = ARENA_ARRAY(r->arena, double *, count + 1);
  double *all = ARENA_RAW(r->arena, double, (size_t)count *room + 1);
  for (int i = 0; i < count; i++) r->column[i] = all + (size_t)i * room;
}

static void compile(Rig *r) {
  const SimulateOptions *options = &r->options;
  SystemSpec spec = {.outputs = r->output,
                     .output_count = r->outputs,
                     .parameters = r->parameters,
                     .parameter_count = r->parameter_count,
                     .lanes = 1};
  char jit[OPTION_WORD_SIZE];
  simulate_options_word(options, "jit", jit);
  spec.code = strcmp(jit, "off") == 0 ? CODE_INTERPRETER : CODE_AUTO;
  simulate_needs(options, r->model->nx, &spec);
  r->system = system_new(r->model, &spec);
  r->work = simulate_work_new(r->system, options);
  if (r->has_quick) r->quick = simulate_work_new(r->system, &r->quick_options);
}

static Rig *rig_begin(const Problem *p, Model *m, const SimulateOptions *options) {
  Arena *a = arena_new();
  Rig *r = ARENA_NEW(a, Rig);
  r->arena = a;
  r->model = m;
  r->problem = p;
  r->options = r->quick_options = *options;
  r->quick_options.rel_tol = QUICK_REL_TOL;
  r->quick_options.abs_tol = options->abs_tol * (QUICK_REL_TOL / options->rel_tol);
  r->has_quick = m->nx > 0 && options->rel_tol < QUICK_REL_TOL / 10;
  r->output = list_outputs(r, p);
  r->parameters = ARENA_ARRAY(a, int, p->unknown_count + 1);
  return r;
}

Rig *rig_new(const Problem *p, Model *m, const SimulateOptions *options, int rows) {
  Rig *r = rig_begin(p, m, options);
  r->p = ARENA_ARRAY(r->arena, double, m->np + 1);
  for (int k = 0; k < m->np; k++) r->p[k] = m->flat->parameters.at[k].value;
  r->parameter_count = problem_unknown_parameters(p, r->parameters);
  make_columns(r, rows);
  r->trajectory.column = r->column;
  return r;
}

SimulateWork *rig_work(Rig *r, bool quick, bool slopes) {
  if (!slopes && r->parameter_count > 0) {
    if (!r->plain) r->plain = rig_begin(r->problem, r->model, &r->options);
    r = r->plain;
  }
  if (!r->system) compile(r);
  return quick && r->quick ? r->quick : r->work;
}

const SimulateOptions *rig_options(const Rig *r, bool quick) {
  return quick && r->has_quick ? &r->quick_options : &r->options;
}

void rig_free(Rig *r) {
  if (!r) return;
  rig_free(r->plain);
  simulate_work_free(r->work);
  simulate_work_free(r->quick);
  system_free(r->system);
  arena_free(r->arena);
}
