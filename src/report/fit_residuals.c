#include "report/fit_residuals.h"

#include <math.h>

#include "base/patience.h"
#include "report/sample_residuals.h"
#include "search/result_rows.h"
#include "study/evaluated_point.h"
#include "write/cells.h"

static void add_number(Text *out, double value) {
  text_add(out, ",");
  cells_number(out, value);
}

// role: NULL without that column.
static void add_channel(Text *out, const Experiment *x, const Channel *c, const double *residual,
                        const double *model, int count, const char *role) {
  for (int i = 0; i < count; i++) {
    cells_text(out, x->name);
    text_add(out, ",");
    cells_text(out, c->name);
    add_number(out, x->origin + c->t[i]);
    add_number(out, c->y[i]);
    add_number(out, model[i]);
    add_number(out, residual[i]);
    text_print(out, "%s%s\n", role ? "," : "", role ? role : "");
  }
}

static void add_runs(Text *out, const RunErrors *r, const char *role) {
  for (int i = 0; i < r->channel_count; i++) {
    const RunChannel *c = &r->channels[i];
    const Experiment *e = &r->problem->experiments[c->experiment];
    if (c->error) add_channel(out, e, &e->channels[c->channel], c->error, c->model, c->all.n, role);
  }
}

static void add_head(Text *out, const FitReport *r) {
  text_print(out, "experiment,variable,time,data,model,residual%s\n", r->validation ? ",role" : "");
}

// Of the experiments that could be simulated with the feedback.
static bool tied_residuals(Text *out, const FitReport *r, Err *err) {
  add_head(out, r);
  if (r->result->objective == HUGE_VAL)
    return fail(err, ERR_VALUE, "there are no residuals: %s", r->result->message);
  add_runs(out, r->run, r->validation ? "fit" : NULL);
  if (r->validation) add_runs(out, r->validation, "validation");
  return true;
}

bool fit_residuals_csv(Text *out, const FitReport *r, EvalWork *w, const Weighting *weighting,
                       Err *err) {
  const Problem *p = r->problem;
  if (r->point && r->point->lambda > 0) return tied_residuals(out, r, err);
  Arena *a = arena_new();
  SampleResiduals s;
  const FitPieces *pieces = r->result->pieces;
  bool done = sample_residuals(&s, a, w, weighting, pieces, r->result->x);
  if (!done && !patience_lasts(0))
    fail(err, ERR_STOPPED, "there are no residuals: it was stopped before they were computed");
  else if (!done)
    fail(err, ERR_VALUE, "there are no residuals: %s", result_why(w, pieces));
  add_head(out, r);
  for (int e = 0; done && e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++)
      add_channel(out, &p->experiments[e], &p->experiments[e].channels[k], s.residual[e][k],
                  s.model[e][k], s.count[e][k], r->validation ? "fit" : NULL);
  if (done && r->validation) add_runs(out, r->validation, "validation");
  arena_free(a);
  return done;
}
