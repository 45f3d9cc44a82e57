// A comparison of models as JSON.
#include <math.h>

#include "report/models_report.h"
#include "write/json.h"

static void errors(Json *j, const Models *m, const char *key, const double *rmse) {
  json_open(j, key, '{', false);
  for (int v = 0; v < m->variable_count; v++) json_number(j, m->variables[v], rmse[v]);
  json_close(j);
}

static void criteria(Json *j, const Models *m, const ModelRow *r) {
  json_whole(j, "sigmas", r->likelihood.sigmas);
  json_whole(j, "samples", r->likelihood.samples);
  json_number(j, "objective", r->objective);
  json_number(j, "log_likelihood", r->likelihood.log);
  json_flag(j, "exact", r->likelihood.exact);
  json_flag(j, "greatest", r->likelihood.greatest);
  json_number(j, "aic", r->aic);
  json_number(j, "delta_aic", r->delta);
  json_number(j, "akaike_weight", r->weight);
  json_number(j, "aicc", r->aicc);
  json_number(j, "bic", r->bic);
  json_flag(j, "correlated", r->correlated);
  json_number(j, "effective_samples", r->effective);
  if (m->inflation > 1) json_number(j, "qaic", r->quasi);
  if (m->inflation > 1) json_number(j, "delta_qaic", r->quasi_delta);
  if (r->rank >= 0) json_whole(j, "rank", r->rank);
}

static void row_json(Json *j, const Models *m, const ModelRow *r) {
  json_open(j, NULL, '{', true);
  json_text(j, "model", r->label);
  json_text(j, "outcome", r->done ? fit_outcome_word(r->outcome) : "not-run");
  json_flag(j, "usable", r->usable);
  json_whole(j, "unknowns", r->unknowns);
  json_whole(j, "parameters", r->parameters);
  json_whole(j, "nuisance", r->nuisance);
  if (r->done) json_text(j, "message", r->message);
  if (r->x) {
    json_text(j, "verdict", fit_verdict_word(r->verdict));
    criteria(j, m, r);
    errors(j, m, "rmse", r->rmse);
    if (m->has_validation) errors(j, m, "validation_rmse", r->validation);
    if (models_have_folds(m)) errors(j, m, "cv_rmse", r->cross);
    if (models_have_folds(m)) json_whole(j, "folds_done", r->folds_done);
    json_open(j, "values", '{', false);
    for (int i = 0; i < r->unknowns; i++) json_number(j, r->problem->unknowns[i].name, r->x[i]);
    json_close(j);
  }
  if (r->done) json_number(j, "seconds", r->seconds);
  json_close(j);
}

static void test_json(Json *j, Arena *a, const Models *m, const ModelTest *t) {
  json_open(j, NULL, '{', true);
  json_text(j, "small", m->rows[t->small].label);
  json_text(j, "large", m->rows[t->large].label);
  json_flag(j, "known", t->known);
  json_flag(j, "failed", t->failed);
  json_number(j, "ratio", t->ratio);
  json_whole(j, "freedom", t->freedom);
  json_number(j, "p", t->p);
  if (isfinite(t->quasi_p)) json_number(j, "p_correlated", t->quasi_p);
  if (isfinite(t->bounded_p)) json_number(j, "p_at_bound", t->bounded_p);
  json_text(j, "text", model_test_text(a, m, t));
  json_close(j);
}

void models_json(Text *out, const Models *m, const char *version) {
  Arena *a = arena_new();
  char digest[SHA256_TEXT];
  const char **remarks;
  Json j = json_on(out);
  json_open(&j, NULL, '{', true);
  json_text(&j, "entrain", version);
  json_text(&j, "data_sha256", sha256_print(&m->data, digest));
  json_flag(&j, "stopped", m->stopped);
  json_whole(&j, "folds", m->request.folds);
  json_number(&j, "inflation", m->inflation);
  json_open(&j, "models", '[', true);
  for (int i = 0; i < m->count; i++) row_json(&j, m, &m->rows[i]);
  json_close(&j);
  json_open(&j, "nested", '[', true);
  for (int i = 0; i < m->test_count; i++) test_json(&j, a, m, &m->tests[i]);
  json_close(&j);
  int count = models_remarks(a, m, &remarks);
  json_open(&j, "remarks", '[', true);
  for (int i = 0; i < count; i++) json_text(&j, NULL, remarks[i]);
  json_close(&j);
  json_number(&j, "seconds", m->seconds);
  json_close(&j);
  arena_free(a);
}
