#include "report/fit_figures.h"

#include <string.h>

#include "report/correlations_figure.h"
#include "report/fit_motion_figure.h"
#include "report/fit_steps_figure.h"
#include "report/intervals_figure.h"
#include "report/optima_figure.h"
#include "report/residual_figure.h"
#include "report/weights_figure.h"
#include "study/evaluated_point.h"

static bool is_tied(const FitReport *r) {
  return r->point && r->point->lambda > 0;
}

static void add_experiments(FigureList *l, const FitMotion *m, const char *name, const char *plane,
                            bool named) {
  for (int e = 0; e < m->problem->experiment_count; e++) {
    const Experiment *x = &m->problem->experiments[e];
    const char *part = named ? x->name : NULL;
    for (int first = 0; first < x->channel_count; first += MOTION_CHANNELS)
      figure_list_add(l, name, part, fit_motion_figure(l->arena, m, e, first));
    figure_list_add(l, plane, part, fit_plane_figure(l->arena, m, e));
  }
}

static void add_residuals(FigureList *l, const FitReport *r, const SampleResiduals *s, bool named) {
  ResidualView v = {r->problem, s, r->result->sigma};
  for (int e = 0; e < r->problem->experiment_count; e++) {
    const Experiment *x = &r->problem->experiments[e];
    for (int first = 0; first < x->channel_count; first += RESIDUAL_CHANNELS)
      figure_list_add(l, "residuals", named ? x->name : NULL,
                      residual_figure(l->arena, &v, e, first));
  }
}

static SampleResiduals residuals_of_run(Arena *a, const RunErrors *r) {
  int experiments = r->problem->experiment_count;
  SampleResiduals s = {ARENA_ARRAY(a, double **, experiments + 1),
                       ARENA_ARRAY(a, double **, experiments + 1),
                       ARENA_ARRAY(a, int *, experiments + 1)};
  for (int e = 0; e < experiments; e++) {
    int channels = r->problem->experiments[e].channel_count;
    s.residual[e] = ARENA_ARRAY(a, double *, channels + 1);
    s.model[e] = ARENA_ARRAY(a, double *, channels + 1);
    s.count[e] = ARENA_ARRAY(a, int, channels + 1);
  }
  for (int i = 0; i < r->channel_count; i++) {
    const RunChannel *c = &r->channels[i];
    int n = c->error ? c->all.n : 0;
    double *copy = ARENA_ARRAY(a, double, n + 1), *model = ARENA_ARRAY(a, double, n + 1);
    if (n) memcpy(copy, c->error, (size_t)n * sizeof *copy);
    if (n) memcpy(model, c->model, (size_t)n * sizeof *model);
    s.model[c->experiment][c->channel] = model;
    s.residual[c->experiment][c->channel] = copy;
    s.count[c->experiment][c->channel] = n;
  }
  return s;
}

static void add_run(FigureList *l, const RunErrors *r, const char *what, const char *name,
                    const char *plane, bool named) {
  if (!r) return;
  SampleResiduals s = residuals_of_run(l->arena, r);
  FitMotion m = {r->problem, what, &s, NULL};
  add_experiments(l, &m, name, plane, named);
}

static const char *what_residuals_show(const Problem *p) {
  static const char *const WORDS[] = {[RESIDUAL_SIMULATION] = "Data and model",
                                      [RESIDUAL_PREDICTION] = "Data and predictions",
                                      [RESIDUAL_EQUATION] = "Derivatives of data and model"};
  return WORDS[p->options.residual];
}

static const char *motion_name(const FitReport *r) {
  if (is_tied(r)) return "Data and tied model";
  return what_residuals_show(r->problem);
}

// The errors of a run are the residuals of the result.
static bool run_is_motion(const FitReport *r) {
  if (!r->run) return false;
  return is_tied(r) || (r->problem->options.residual == RESIDUAL_SIMULATION && !r->result->pieces);
}

bool fit_result_motion(FitMotion *out, Arena *a, const FitReport *r, EvalWork *w,
                       const Weighting *weighting) {
  if (!fit_has_result(r->result)) return false;
  SampleResiduals *s = ARENA_NEW(a, SampleResiduals);
  if (run_is_motion(r))
    *s = residuals_of_run(a, r->run);
  else if (is_tied(r) || !sample_residuals(s, a, w, weighting, r->result->pieces, r->result->x))
    return false;
  *out = (FitMotion){r->problem, motion_name(r), s, NULL};
  return true;
}

static void add_motions(FigureList *l, const FitReport *r, EvalWork *w,
                        const Weighting *weighting) {
  FitMotion m;
  SampleResiduals start;
  const Problem *p = r->problem;
  const FitResult *f = r->result;
  bool named = p->experiment_count > 1 || r->validation;
  if (!fit_result_motion(&m, l->arena, r, w, weighting)) return;
  bool moved = !r->point && memcmp(f->x, f->start, (size_t)p->unknown_count * sizeof *f->x) != 0;
  if (moved && sample_residuals(&start, l->arena, w, weighting, NULL, f->start)) m.start = &start;
  add_experiments(l, &m, "data-and-model", "plane", named);
  if (is_tied(r)) return;
  add_residuals(l, r, m.result, named);
  if (p->options.residual == RESIDUAL_SIMULATION) return;
  const RunErrors *run = r->run ? r->run : run_errors(l->arena, w, 0, f->x);
  add_run(l, run, "Free-running simulation", "free-run", "free-run-plane", named);
}

static void add_estimates(FigureList *l, const FitReport *r) {
  for (int i = 0; i < intervals_figure_count(r->problem); i++)
    figure_list_add(l, "intervals", NULL, intervals_figure(l->arena, r, i));
  figure_list_add(l, "correlations", NULL,
                  correlations_figure(l->arena, r->problem, r->statistics));
  figure_list_add(l, "optima", NULL, optima_figure(l->arena, r->result));
}

FigureList *fit_figures(const FitReport *r, const FitTrace *trace, EvalWork *w,
                        const Weighting *weighting) {
  FigureList *l = figure_list_new();
  if (fit_has_result(r->result)) add_estimates(l, r);
  figure_list_add(l, "lambda-path", NULL, fit_path_figure(l->arena, r->result));
  figure_list_add(l, "parameters", NULL, fit_parameters_figure(l->arena, r->result, trace));
  figure_list_add(l, "objective", NULL, fit_slopes_figure(l->arena, r->result, trace));
  figure_list_add(l, "convergence", NULL, fit_convergence_figure(l->arena, r->result, trace));
  add_motions(l, r, w, weighting);
  add_run(l, r->validation, "Validation", "validation", "validation-plane", true);
  if (r->problem->weights)
    figure_list_add(l, "weights", NULL, weights_figure(l->arena, r->problem, r->problem->weights));
  return l;
}

void start_figures(FigureList *l, const Problem *p) {
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, p->options.threads, NULL);
  SampleResiduals start;
  double *x = ARENA_ARRAY(l->arena, double, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) x[i] = p->unknowns[i].start;
  if (sample_residuals(&start, l->arena, w, eval_spec(f, NULL).weighting, NULL, x)) {
    const char *what = arena_print(l->arena, "%s at the start values", what_residuals_show(p));
    FitMotion m = {p, what, &start, NULL};
    add_experiments(l, &m, "data-and-model", "plane", p->experiment_count > 1);
  }
  eval_work_free(w);
  fitting_free(f);
}
