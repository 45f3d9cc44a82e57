// Columns of S are scaled by |p| so that the error control sees numbers of similar size.
#include "residual/second_system.h"

#include <math.h>
#include <string.h>

SecondSystem *second_system_new(const Augmented *augmented, const Expr *outputs, int output_count,
                                const SimulateOptions *options, CodeChoice code) {
  Arena *a = arena_new();
  SecondSystem *s = ARENA_NEW(a, SecondSystem);
  Model *m = augmented->model;
  SystemSpec spec = {.outputs = outputs,
                     .output_count = output_count,
                     .parameters = augmented->parameters,
                     .parameter_count = augmented->count,
                     .lanes = 1,
                     .code = code};
  simulate_needs(options, m->nx, &spec);
  s->arena = a;
  s->augmented = augmented;
  s->system = system_new(m, &spec);
  s->work = simulate_work_new(s->system, options);
  s->p = ARENA_ARRAY(a, double, m->np + 1);
  for (int k = 0; k < m->np; k++) s->p[k] = m->flat->parameters.at[k].value;
  return s;
}

void second_system_free(SecondSystem *s) {
  if (!s) return;
  simulate_work_free(s->work);
  system_free(s->system);
  arena_free(s->arena);
}

void second_system_set(SecondSystem *s, const double *p) {
  const Augmented *a = s->augmented;
  memcpy(s->p, p, (size_t)a->of->np * sizeof *s->p);
  for (int k = 0; k < a->count; k++) {
    double size = fabs(p[a->parameters[k]]);
    if (a->column[k] >= 0) s->p[a->scale[a->column[k]]] = size > 0 ? size : 1;
  }
}

// Explicit methods need no Jacobian of second order, which takes long to compile. Constraints of sensitivities hold by the
// stabilising terms that they inherit; nothing projects them.
SimulateOptions second_simulate_options(const SimulateOptions *o, bool stiff) {
  SimulateOptions options = *o;
  char word[OPTION_WORD_SIZE];
  simulate_options_word(&options, "solver", word);
  Err err = {0};
  options_set(&SIMULATE_OPTIONS, &options, "index", "stabilise", &err);
  if (strcmp(word, "auto") == 0 && !stiff)
    options_set(&SIMULATE_OPTIONS, &options, "solver", options.rel_tol > 1e-4 ? "rk5" : "rk8",
                &err);
  return options;
}
