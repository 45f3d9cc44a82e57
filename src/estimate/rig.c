#include "estimate/rig.h"

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

static Expr *list_outputs(Rig *r, const Problem *p, Arena *scratch) {
  Expr *outputs = ARENA_ARRAY(scratch, Expr, 2 * p->measured_count + 1);
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

static void compile(Rig *r, const SimulateOptions *options, const Expr *outputs) {
  SystemSpec spec = {.outputs = outputs,
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
  r->rel_tol = options->rel_tol, r->quick_rel_tol = QUICK_REL_TOL;
  SimulateOptions quick = *options;
  quick.rel_tol = QUICK_REL_TOL;
  quick.abs_tol = options->abs_tol * (QUICK_REL_TOL / options->rel_tol);
  if (options->rel_tol < QUICK_REL_TOL / 10) r->quick = simulate_work_new(r->system, &quick);
}

static Rig *rig_begin(const Problem *p, Model *m, const SimulateOptions *options) {
  Arena *a = arena_new();
  Rig *r = ARENA_NEW(a, Rig);
  r->arena = a;
  r->model = m;
  r->problem = p;
  SimulateOptions *own = ARENA_NEW(a, SimulateOptions);
  *own = *options;
  r->options = own;
  r->parameters = ARENA_ARRAY(a, int, p->free_count + 1);
  return r;
}

Rig *rig_new(const Problem *p, Model *m, const SimulateOptions *options, int rows) {
  Rig *r = rig_begin(p, m, options);
  Arena *scratch = arena_new();
  r->p = ARENA_ARRAY(r->arena, double, m->np + 1);
  for (int k = 0; k < m->np; k++) r->p[k] = m->flat->parameters.at[k].value;
  r->parameter_count = problem_free_parameters(p, r->parameters);
  compile(r, options, list_outputs(r, p, scratch));
  make_columns(r, rows);
  r->trajectory.column = r->column;
  arena_free(scratch);
  return r;
}

SimulateWork *rig_work(Rig *r, bool quick, bool slopes) {
  if (slopes || r->parameter_count == 0) return quick && r->quick ? r->quick : r->work;
  if (!r->plain) {
    Arena *scratch = arena_new();
    r->plain = rig_begin(r->problem, r->model, r->options);
    compile(r->plain, r->options, list_outputs(r->plain, r->problem, scratch));
    arena_free(scratch);
  }
  return rig_work(r->plain, quick, slopes);
}

void rig_free(Rig *r) {
  if (!r) return;
  rig_free(r->plain);
  simulate_work_free(r->work);
  simulate_work_free(r->quick);
  system_free(r->system);
  arena_free(r->arena);
}
