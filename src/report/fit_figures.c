#include "report/fit_figures.h"

#include <string.h>

#include "report/fit_motion_figure.h"
#include "report/fit_steps_figure.h"

static void add_experiment(FigureList *l, const FitMotion *m, int experiment) {
  const Problem *p = m->problem;
  const Experiment *x = &p->experiments[experiment];
  const char *part = p->experiment_count > 1 ? x->name : NULL;
  for (int first = 0; first < x->channel_count; first += MOTION_CHANNELS)
    figure_list_add(l, "data-and-model", part, fit_motion_figure(l->arena, m, experiment, first));
  figure_list_add(l, "plane", part, fit_plane_figure(l->arena, m, experiment));
}

static void add_motions(FigureList *l, const FitReport *r, EvalWork *w,
                        const Weighting *weighting) {
  SampleResiduals result, start;
  const Problem *p = r->problem;
  const FitResult *f = r->result;
  if (!sample_residuals(&result, l->arena, w, weighting, f->pieces, f->x)) return;
  bool moved = memcmp(f->x, f->start, (size_t)p->unknown_count * sizeof *f->x) != 0;
  bool has_start = moved && sample_residuals(&start, l->arena, w, weighting, NULL, f->start);
  FitMotion m = {p, &result, has_start ? &start : NULL};
  for (int e = 0; e < p->experiment_count; e++) add_experiment(l, &m, e);
}

FigureList *fit_figures(const FitReport *r, const FitTrace *trace, EvalWork *w,
                        const Weighting *weighting) {
  FigureList *l = figure_list_new();
  figure_list_add(l, "lambda-path", NULL, fit_path_figure(l->arena, r->result));
  figure_list_add(l, "parameters", NULL, fit_parameters_figure(l->arena, r->result, trace));
  figure_list_add(l, "convergence", NULL, fit_convergence_figure(l->arena, r->result, trace));
  if (fit_has_result(r->result)) add_motions(l, r, w, weighting);
  return l;
}
