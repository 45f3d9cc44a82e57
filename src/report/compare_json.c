// A comparison as JSON.
#include <math.h>

#include "report/compare_report.h"
#include "write/json.h"

static void figures(Json *j, const char *key, const CompareFigures *f) {
  json_open(j, key, '{', false);
#define FIGURE(name, meaning)                                                                      \
  if (isfinite(f->name)) json_number(j, #name, f->name);
  COMPARE_FIGURES
#undef FIGURE
  json_close(j);
}

static void parameters(Json *j, const char *key, const Problem *p, const double *x) {
  json_open(j, key, '{', false);
  for (int i = 0; x && i < p->unknown_count; i++)
    if (!isnan(x[i])) json_number(j, p->unknowns[i].name, x[i]);
  json_close(j);
}

static void run_json(Json *j, const Compare *c, const CompareRun *r) {
  json_open(j, NULL, '{', false);
  json_whole(j, "seed", r->seed);
  json_text(j, "outcome", fit_outcome_word(r->outcome));
  json_flag(j, "fits", r->fits);
  json_flag(j, "found", r->found);
  json_flag(j, "same", r->same);
  json_text(j, "message", r->message);
  figures(j, "figures", &r->figures);
  if (r->start) parameters(j, "start", c->problem, r->start);
  if (r->x) parameters(j, "parameters", c->problem, r->x);
  json_close(j);
}

static void row_json(Json *j, const Compare *c, const CompareRow *r) {
  json_open(j, NULL, '{', true);
  json_text(j, "label", r->spec.label);
  json_text(j, "method", r->spec.method);
  json_text(j, "spec", r->spec.text);
  json_text(j, "outcome", r->shown ? fit_outcome_word(r->shown->outcome) : "refused");
  if (r->refused) json_text(j, "refused", r->refused);
  json_whole(j, "found", r->found);
  json_flag(j, "same", r->same);
  json_flag(j, "confirmed", r->confirms);
  if (r->run_count) {
    figures(j, "median", &r->median);
    figures(j, "least", &r->least);
    figures(j, "most", &r->most);
    if (r->shown->x) parameters(j, "parameters", c->problem, r->shown->x);
  }
  json_open(j, "runs", '[', true);
  for (int i = 0; i < r->run_count; i++) run_json(j, c, &r->runs[i]);
  json_close(j);
  json_close(j);
}

static void truth_json(Json *j, const Compare *c) {
  if (!c->truth) return;
  parameters(j, "truth", c->problem, c->truth->x);
  json_open(j, "error_of", '[', false);
  for (int i = 0; i < c->truth->count; i++) json_text(j, NULL, c->truth->terms[i].text);
  json_close(j);
  json_open(j, "not_determined", '[', false);
  for (int i = 0; i < c->truth->left_out_count; i++) json_text(j, NULL, c->truth->left_out[i]);
  json_close(j);
}

static void published_json(Json *j, const CompareReport *r) {
  if (!r->published) return;
  json_open(j, "published", '{', true);
  json_text(j, "source", r->published->source);
  json_open(j, "rows", '[', true);
  for (int i = 0; i < r->published->count; i++) {
    const PublishedRow *row = &r->published->rows[i];
    json_open(j, NULL, '{', false);
    json_text(j, "method", row->method);
    figures(j, "figures", &row->figures);
    parameters(j, "parameters", r->compare->problem, row->x);
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

void compare_json(Text *out, const CompareReport *r, const char *version) {
  const Compare *c = r->compare;
  Json j = json_on(out);
  json_open(&j, NULL, '{', true);
  json_text(&j, "entrain", version);
  json_text(&j, "problem", c->problem->path);
  json_whole(&j, "threads", c->threads);
  json_flag(&j, "stopped", c->stopped);
  json_number(&j, "found_within", c->request.found);
  truth_json(&j, c);
  json_open(&j, "methods", '[', true);
  for (int i = 0; i < c->done; i++) row_json(&j, c, &c->rows[i]);
  json_close(&j);
  published_json(&j, r);
  json_number(&j, "seconds", c->seconds);
  json_close(&j);
}
