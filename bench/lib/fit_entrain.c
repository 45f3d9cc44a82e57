#include "lib/fit_entrain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/read_problem.h"
#include "search/fit.h"

struct FitEntrain {
  const FitCase *c;
  const char *folder;
  char text[4096]; // the problem file
  size_t length;
  Problem *problem;
  char message[600];
};

__attribute__((format(printf, 2, 3))) static void add(FitEntrain *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  w->length +=
      (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, arguments);
  va_end(arguments);
}

static void write_problem(FitEntrain *w) {
  const FitCase *c = w->c;
  char *model = realpath(c->model, NULL);
  add(w, "model: %s\nexperiments:\n  - data: %s.csv\n    set: %s\n    measure: {",
      model ? model : c->model, c->name, c->set);
  for (int j = 0; j < c->measured_count; j++)
    add(w, "%s%s: %s", j ? ", " : "", c->measured_names[j], c->measured_names[j]);
  add(w, "}\nestimate:\n");
  for (int k = 0; k < c->hand->np; k++)
    add(w, "  %s: {start: %g, %s}\n", c->hand->parameter_names[k], c->start[k], c->bounds);
  add(w,
      "method: lm\noptions: {rel_tol: %g, abs_tol: %g, step_tol: %g, gradient_tol: %g, "
      "reduction_tol: %g}\n",
      FIT_REL_TOL, FIT_ABS_TOL, FIT_TOL, FIT_TOL, FIT_TOL);
  free(model);
}

static Problem *load(const FitEntrain *w) {
  Err err = {0};
  Problem *p = problem_parse("bench.yaml", w->folder, w->text, w->length, NULL, 0, &err);
  char message[1000];
  if (p) return p;
  err_format(&err, message, sizeof message);
  fprintf(stderr, "bench: %s: %s\n", w->c->name, message);
  return NULL;
}

FitEntrain *fit_entrain_new(const FitData *d, const char *folder) {
  FitEntrain *w = calloc(1, sizeof *w);
  w->c = d->c;
  w->folder = folder;
  write_problem(w);
  w->problem = load(w);
  if (w->problem) return w;
  fit_entrain_free(w);
  return NULL;
}

void fit_entrain_free(FitEntrain *w) {
  if (!w) return;
  if (w->problem) problem_free(w->problem);
  free(w);
}

static FitReport run(FitEntrain *w, const Problem *p) {
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  FitReport report = {.converged = r->outcome == FIT_CONVERGED || r->outcome == FIT_UNCERTAIN,
                      .simulations = r->work.simulations + r->work.sensitivity_simulations,
                      .rhs = r->work.rhs};
  for (int k = 0; k < w->c->hand->np; k++) report.p[k] = r->x[k];
  snprintf(w->message, sizeof w->message, "%s", r->message);
  fit_free(r);
  return report;
}

FitReport fit_entrain_run(FitEntrain *w) {
  return run(w, w->problem);
}

FitReport fit_entrain_run_whole(FitEntrain *w) {
  Problem *p = load(w);
  FitReport report = {0};
  if (!p) return report;
  report = run(w, p);
  problem_free(p);
  return report;
}

const char *fit_entrain_message(const FitEntrain *w) {
  return w->message;
}
