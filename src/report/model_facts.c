#include "report/model_facts.h"

#include <math.h>

// Largest number of states times parameters: more takes seconds to compile. Constraints couple all states.
enum { SENSITIVITIES_MOST = 1000000, SENSITIVITIES_TIED_MOST = 5000 };

// ---------------------------------------------------------------- compiled

static void default_inputs(void *data, double t, double *u, double *du) {
  (void)t;
  const Model *m = data;
  for (int i = 0; i < m->nu; i++) {
    u[i] = m->flat->variables.at[m->input[i]].default_value;
    du[i] = 0;
  }
}

static void compile(ModelFacts *f) {
  Model *m = f->m;
  int *parameters = ARENA_ARRAY(f->arena, int, m->np + 1), count = 0;
  for (int k = 0; k < m->np; k++)
    if (!m->flat->parameters.at[k].dependent) parameters[count++] = k;
  long most = m->invariant_count ? SENSITIVITIES_TIED_MOST : SENSITIVITIES_MOST;
  f->with_sensitivities = (long)count * m->nx <= most;
  SystemSpec spec = {.parameters = parameters, .lanes = 1, .jacobian = true};
  spec.parameter_count = f->with_sensitivities ? count : 0;
  spec.code = CODE_INTERPRETER; // runs once, so machine code is not worthwhile
  f->system = system_new(m, &spec);
}

// Finds the condition that the start violates most, relative to the effect of its states.
static void find_worst_condition(ModelFacts *f, const SystemWork *w) {
  f->worst_condition = -1;
  for (int i = 0; i < f->m->condition_count; i++) {
    double residual, size;
    system_condition(w, i, &residual, &size);
    double miss = residual == 0 ? 0 : fabs(residual) / size;
    if (f->worst_condition >= 0 && miss <= f->start_miss) continue; // NaN is the worst
    f->worst_condition = i;
    f->start_miss = miss;
    f->start_residual = residual;
    if (isnan(miss)) return;
  }
}

static void find_start(ModelFacts *f) {
  Model *m = f->m;
  const System *s = f->system;
  SystemWork *w = system_work_new(s);
  double *p = ARENA_ARRAY(f->arena, double, m->np + 1);
  double *y = ARENA_ARRAY(f->arena, double, m->nx *(1 + s->stride) + 1);
  for (int k = 0; k < m->np; k++) p[k] = m->flat->parameters.at[k].value;
  w->inputs = default_inputs;
  w->inputs_data = m;
  system_set_parameters(w, p);
  system_start(w, 0, y);
  f->start = y;
  model_constraints_trace(f->constraints, f->arena, w, 0, y);
  find_worst_condition(f, w);
  system_work_free(w);
}

static Operations kernel_operations(const Kernel *k) {
  return k->lowered ? program_operations(&k->lowered->program) : (Operations){0};
}

static void count_operations(ModelFacts *f) {
  const System *s = f->system;
  f->rhs = kernel_operations(&s->kernel[KERNEL_RHS]);
  f->jacobian = kernel_operations(&s->kernel[KERNEL_JACOBIAN]);
  f->sensitivities = kernel_operations(&s->kernel[KERNEL_RHS_SENS]);
  f->hoisted = kernel_operations(&s->kernel[KERNEL_HOIST]);
  if (s->ns && !s->columns.augmented)
    f->sensitivities.arithmetic += pattern_count(&s->sparse.f_x.pattern) * s->ns;
}

// ---------------------------------------------------------------- structure

static StartKind start_kind(const Model *m, int state) {
  const Variable *v = &m->flat->variables.at[m->state[state]];
  if (v->fixed) return START_FIXED;
  return m->x0[state] == v->start ? START_ASSUMED : START_COMPUTED;
}

static void find_structure(ModelFacts *f) {
  const Model *m = f->m;
  f->unknown = ARENA_ARRAY(f->arena, int, m->flat->variables.count + 1);
  for (int i = 0; i < m->flat->variables.count; i++) f->unknown[i] = -1;
  for (int j = 0; j < m->unknown_count; j++) {
    int i = m->unknown_variable[j];
    if (m->unknown_order[j] == (m->flat->variables.at[i].state ? 1 : 0)) f->unknown[i] = j;
  }
  f->block = ARENA_ARRAY(f->arena, int, m->unknown_count + 1);
  for (int k = 0; k < m->sorted.block_count; k++) {
    const SortBlock *b = &m->sorted.blocks[k];
    f->block_kinds[b->kind]++;
    for (int i = 0; i < b->count; i++) f->block[b->unknown[i]] = k;
  }
  f->start_kind = ARENA_ARRAY(f->arena, StartKind, m->nx + 1);
  for (int i = 0; i < m->nx; i++) f->start_kind[i] = start_kind(m, i);
}

ModelFacts *model_facts_new(Model *m) {
  Arena *a = arena_new();
  ModelFacts *f = ARENA_NEW(a, ModelFacts);
  f->arena = a;
  f->m = m;
  f->constraints = model_constraints_new(a, m);
  find_structure(f);
  compile(f);
  find_start(f);
  count_operations(f);
  return f;
}

void model_facts_free(ModelFacts *f) {
  if (!f) return;
  system_free(f->system);
  arena_free(f->arena);
}

const char *start_kind_name(StartKind kind) {
  static const char *const NAMES[] = {"fixed", "assumed", "computed"};
  return NAMES[kind];
}

const char *block_kind_name(SortBlockKind kind) {
  static const char *const NAMES[] = {"alias", "assigned", "linear", "nonlinear"};
  return NAMES[kind];
}
