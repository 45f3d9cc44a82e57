// The public library: comparisons of models.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/api_figures.h"
#include "report/models_figure.h"
#include "report/models_report.h"
#include "study/models_run.h"

struct EntrainModels {
  Arena *arena;
  ARRAY(const Problem *) problems;
  ARRAY(ModelsNesting) nested;
  int folds;
  Models *models; // NULL before the run
};

EntrainModels *entrain_models_new(void) {
  Arena *a = arena_new();
  EntrainModels *m = ARENA_NEW(a, EntrainModels);
  m->arena = a;
  return m;
}

void entrain_models_free(EntrainModels *m) {
  if (!m) return;
  models_free(m->models);
  arena_free(m->arena);
}

// ---------------------------------------------------------------- request

bool entrain_models_add(EntrainModels *m, const EntrainProblem *problem, EntrainError *error) {
  if (!m) return api_missing("comparison", error);
  if (!problem) return api_missing("problem", error);
  Err err = {0};
  const Problem *p = problem->problem;
  array_push(m->arena, &m->problems, p);
  return api_fine(&err, error);
}

bool entrain_models_nested(EntrainModels *m, int small, int large, EntrainError *error) {
  if (!m) return api_missing("comparison", error);
  Err err = {0};
  int n = m->problems.count;
  ModelsNesting pair = {small, large};
  if (small < 0 || large < 0 || small >= n || large >= n)
    fail(&err, ERR_VALUE, "there is no problem number %d", small < 0 || small >= n ? small : large);
  else if (small == large)
    fail(&err, ERR_VALUE, "a model is not nested in itself");
  else
    array_push(m->arena, &m->nested, pair);
  return api_fine(&err, error);
}

bool entrain_models_folds(EntrainModels *m, int folds, EntrainError *error) {
  if (!m) return api_missing("comparison", error);
  Err err = {0};
  if (folds != 0 && (folds < 2 || folds > 1000))
    fail(&err, ERR_VALUE, "the number of folds must be from 2 to 1000, not %d", folds);
  else
    m->folds = folds;
  return api_fine(&err, error);
}

// ---------------------------------------------------------------- the run

typedef struct ModelsRelay {
  EntrainModelsListener *listener;
  void *data;
} ModelsRelay;

static bool relay(void *data, const ModelsProgress *p) {
  const ModelsRelay *to = data;
  const WorkCount *w = p->fit ? p->fit->work : NULL;
  EntrainModelsProgress told = {.size = sizeof told,
                                .model = p->models->rows[p->row].label,
                                .number = p->row,
                                .models = p->models->count,
                                .fold = p->fold + 1,
                                .folds = p->models->request.folds,
                                .stage = p->fit && p->fit->stage ? p->fit->stage : "",
                                .iteration = p->fit ? p->fit->iteration : 0,
                                .objective = p->fit ? p->fit->objective : HUGE_VAL,
                                .simulations = w ? w->simulations + w->sensitivity_simulations : 0};
  if (!to->listener) return true;
  PatienceLeft around = patience_leave();
  return patience_return(around, to->listener(to->data, &told));
}

bool entrain_models_run(EntrainModels *m, EntrainModelsListener *listener, void *data,
                        EntrainError *error) {
  if (!m) return api_missing("comparison", error);
  Err err = {0};
  ModelsRelay to = {listener, data};
  ModelsRequest q = {.problems = m->problems.at,
                     .count = m->problems.count,
                     .nested = m->nested.at,
                     .nested_count = m->nested.count,
                     .folds = m->folds};
  if (!m->models) m->models = models_run(&q, relay, &to, &err);
  return api_fine(&err, error);
}

// ---------------------------------------------------------------- results

int entrain_models_count(const EntrainModels *m) {
  return m && m->models ? m->models->count : 0;
}

bool entrain_models_row(const EntrainModels *m, int i, EntrainModelRow *out) {
  if (!out || i < 0 || i >= entrain_models_count(m)) return false;
  const ModelRow *r = &m->models->rows[i];
  EntrainModelRow row = {.size = sizeof row,
                         .label = r->label,
                         .outcome = r->done ? fit_outcome_word(r->outcome) : "not-run",
                         .verdict = r->x ? fit_verdict_word(r->verdict) : "",
                         .usable = r->usable,
                         .unknowns = r->unknowns,
                         .nuisance = r->nuisance,
                         .parameters = r->parameters,
                         .rank = r->rank,
                         .samples = r->likelihood.samples,
                         .objective = r->objective,
                         .log_likelihood = r->likelihood.log,
                         .aic = r->aic,
                         .aicc = r->aicc,
                         .bic = r->bic,
                         .delta_aic = r->delta,
                         .akaike_weight = r->weight,
                         .correlated = r->correlated,
                         .effective_samples = r->effective,
                         .qaic = r->quasi,
                         .delta_qaic = r->quasi_delta,
                         .folds_done = r->folds_done,
                         .seconds = r->seconds,
                         .values = r->x};
  return api_give(out, &row, sizeof row);
}

int entrain_models_variable_count(const EntrainModels *m) {
  return m && m->models ? m->models->variable_count : 0;
}

const char *entrain_models_variable(const EntrainModels *m, int v) {
  return v >= 0 && v < entrain_models_variable_count(m) ? m->models->variables[v] : NULL;
}

static bool has_error(const EntrainModels *m, int i, int v) {
  return i >= 0 && i < entrain_models_count(m) && v >= 0 && v < entrain_models_variable_count(m);
}

double entrain_models_rmse(const EntrainModels *m, int i, int v) {
  return has_error(m, i, v) ? m->models->rows[i].rmse[v] : nan("");
}
double entrain_models_validation(const EntrainModels *m, int i, int v) {
  return has_error(m, i, v) ? m->models->rows[i].validation[v] : nan("");
}
double entrain_models_cross(const EntrainModels *m, int i, int v) {
  return has_error(m, i, v) ? m->models->rows[i].cross[v] : nan("");
}

int entrain_models_test_count(const EntrainModels *m) {
  return m && m->models ? m->models->test_count : 0;
}

bool entrain_models_test(const EntrainModels *m, int i, EntrainModelTest *out) {
  if (!out || i < 0 || i >= entrain_models_test_count(m)) return false;
  const ModelTest *t = &m->models->tests[i];
  EntrainModelTest test = {sizeof test, t->small,   t->large, t->known,     t->failed,
                           t->ratio,    t->freedom, t->p,     t->bounded_p, t->quasi_p};
  return api_give(out, &test, sizeof test);
}

bool entrain_models_stopped(const EntrainModels *m) {
  return m && m->models && m->models->stopped;
}

bool entrain_models_all_usable(const EntrainModels *m) {
  return m && m->models && models_all_usable(m->models);
}

// ---------------------------------------------------------------- texts

char *entrain_models_report(const EntrainModels *m, int width, bool colour) {
  if (!m) return NULL;
  Text t;
  text_init(&t);
  if (m->models) models_text(&t, m->models, api_style(width, colour));
  return t.at;
}

char *entrain_models_markdown(const EntrainModels *m) {
  if (!m) return NULL;
  Text t;
  text_init(&t);
  if (m->models) models_markdown(&t, m->models);
  return t.at;
}

char *entrain_models_csv(const EntrainModels *m) {
  if (!m) return NULL;
  Text t;
  text_init(&t);
  if (m->models) models_csv(&t, m->models);
  return t.at;
}

char *entrain_models_json(const EntrainModels *m) {
  if (!m) return NULL;
  Text t;
  text_init(&t);
  if (m->models) models_json(&t, m->models, entrain_version());
  return t.at;
}

EntrainFigures *entrain_models_figures(const EntrainModels *m) {
  if (!m) return NULL;
  FigureList *l = figure_list_new();
  if (m->models) {
    figure_list_add(l, "criteria", NULL, models_criteria_figure(l->arena, m->models));
    figure_list_add(l, "errors", NULL, models_errors_figure(l->arena, m->models));
  }
  return api_figures(l);
}
