// The public library: weights of samples.
#include "api/api.h"
#include "api/api_figures.h"
#include "report/weights_figure.h"
#include "report/weights_report.h"

bool entrain_weights(const EntrainProblem *p, EntrainWeights *out) {
  if (!p || !out) return false;
  Arena *a = arena_new();
  const SampleWeights *w = weights_of_problem(p->problem, a);
  EntrainWeights found = {.size = sizeof found,
                          .kind = weight_kind_word(w->kind),
                          .given = p->problem->weights != NULL,
                          .samples = w->count,
                          .counted = w->counted,
                          .variables = w->variable_count,
                          .cells = w->occupied,
                          .least = w->least,
                          .most = w->most,
                          .equal = w->equal,
                          .error = w->error};
  arena_free(a);
  return api_give(out, &found, sizeof found);
}

bool entrain_weights_variable(const EntrainProblem *p, int i, EntrainWeightVariable *out) {
  const SampleWeights *w = p ? p->problem->weights : NULL;
  if (!w || !out || i < 0 || i >= w->variable_count) return false;
  const WeightVariable *v = &w->variables[i];
  return API_GIVE(out, EntrainWeightVariable, .name = v->name, .unit = v->unit, .least = v->least,
                  .most = v->least + v->range, .cells = w->kind == WEIGHT_GRID ? v->cells : 0);
}

int entrain_weights_samples(const EntrainProblem *p, int experiment, double *times,
                            double *weights) {
  if (!p || experiment < 0 || experiment >= p->problem->experiment_count) return 0;
  Arena *a = arena_new();
  const WeightInstants *at = &weights_of_problem(p->problem, a)->at[experiment];
  int count = at->count;
  for (int i = 0; i < count; i++) {
    if (times) times[i] = p->problem->experiments[experiment].origin + at->t[i];
    if (weights) weights[i] = at->weight[i];
  }
  arena_free(a);
  return count;
}

char *entrain_weights_csv(const EntrainProblem *p) {
  if (!p) return NULL;
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  weights_csv(&t, p->problem, weights_of_problem(p->problem, a));
  arena_free(a);
  return t.at;
}

char *entrain_weights_report(const EntrainProblem *p, int width, bool colour) {
  if (!p) return NULL;
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  weights_text(&t, p->problem, weights_of_problem(p->problem, a), api_style(width, colour));
  arena_free(a);
  return t.at;
}

static Figure *picture(const EntrainProblem *p, Arena *a) {
  return weights_figure(a, p->problem, weights_of_problem(p->problem, a));
}

char *entrain_weights_svg(const EntrainProblem *p) {
  if (!p) return NULL;
  Arena *a = arena_new();
  return api_svg(picture(p, a), a);
}

char *entrain_weights_png(const EntrainProblem *p, size_t *length) {
  if (!p) return NULL;
  Arena *a = arena_new();
  return api_png(picture(p, a), a, length);
}

EntrainFigures *entrain_weights_figures(const EntrainProblem *p) {
  if (!p) return NULL;
  FigureList *l = figure_list_new();
  figure_list_add(l, "weights", NULL, picture(p, l->arena));
  return api_figures(l);
}
