#include "report/fit_residuals.h"

#include "base/patience.h"
#include "search/result_rows.h"
#include "write/cells.h"

typedef struct ResidualCollector {
  const Problem *p;
  double ***residual; // [experiment][channel][sample]
  int **seen;         // number of samples so far
} ResidualCollector;

static ResidualCollector collector_new(Arena *a, const Problem *p) {
  ResidualCollector c = {p, ARENA_ARRAY(a, double **, p->experiment_count + 1),
                         ARENA_ARRAY(a, int *, p->experiment_count + 1)};
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *x = &p->experiments[e];
    c.residual[e] = ARENA_ARRAY(a, double *, x->channel_count + 1);
    c.seen[e] = ARENA_ARRAY(a, int, x->channel_count + 1);
    for (int k = 0; k < x->channel_count; k++)
      c.residual[e][k] = ARENA_ARRAY(a, double, x->channels[k].count + 1);
  }
  return c;
}

// Blocks of a channel come in the order of time.
static void collect(void *data, const ResidualBlock *b) {
  ResidualCollector *c = data;
  if (b->experiment < 0 || b->experiment >= c->p->experiment_count) return;
  const Experiment *x = &c->p->experiments[b->experiment];
  if (b->channel < 0 || b->channel >= x->channel_count) return; // a gap between two pieces
  int *seen = &c->seen[b->experiment][b->channel];
  for (int i = 0; i < b->rows && *seen < x->channels[b->channel].count; i++)
    c->residual[b->experiment][b->channel][(*seen)++] =
        b->column[c->p->unknown_count][i] / b->scale[i];
}

static void add_number(Text *out, double value) {
  text_add(out, ",");
  cells_number(out, value);
}

// role: NULL without that column.
static void add_channel(Text *out, const Experiment *x, const Channel *c, const double *residual,
                        int count, const char *role) {
  for (int i = 0; i < count; i++) {
    cells_text(out, x->name);
    text_add(out, ",");
    cells_text(out, c->name);
    add_number(out, x->origin + c->t[i]);
    add_number(out, c->y[i]);
    add_number(out, c->y[i] + residual[i]);
    add_number(out, residual[i]);
    text_print(out, "%s%s\n", role ? "," : "", role ? role : "");
  }
}

static void add_validation(Text *out, const RunErrors *r) {
  for (int i = 0; i < r->channel_count; i++) {
    const RunChannel *c = &r->channels[i];
    const Experiment *e = &r->problem->experiments[c->experiment];
    if (c->error) add_channel(out, e, &e->channels[c->channel], c->error, c->all.n, "validation");
  }
}

bool fit_residuals_csv(Text *out, const FitReport *r, EvalWork *w, const Weighting *weighting,
                       Err *err) {
  const Problem *p = r->problem;
  Arena *a = arena_new();
  ResidualCollector c = collector_new(a, p);
  EvalSpec spec = eval_spec(eval_fitting(w), NULL);
  spec.weighting = weighting;
  spec.slopes = true;
  const FitPieces *pieces = r->result->pieces;
  bool done = result_rows(w, &spec, pieces, r->result->x, collect, &c);
  if (!done && !patience_lasts(0))
    fail(err, ERR_STOPPED, "there are no residuals: it was stopped before they were computed");
  else if (!done)
    fail(err, ERR_VALUE, "there are no residuals: %s", result_why(w, pieces));
  text_print(out, "experiment,variable,time,data,model,residual%s\n", r->validation ? ",role" : "");
  for (int e = 0; done && e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++)
      add_channel(out, &p->experiments[e], &p->experiments[e].channels[k], c.residual[e][k],
                  c.seen[e][k], r->validation ? "fit" : NULL);
  if (done && r->validation) add_validation(out, r->validation);
  arena_free(a);
  return done;
}
