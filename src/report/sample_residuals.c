#include "report/sample_residuals.h"

#include "search/result_rows.h"

typedef struct ResidualCollector {
  const Problem *p;
  SampleResiduals *to;
} ResidualCollector;

void sample_residuals_room(SampleResiduals *s, Arena *a, const Problem *p) {
  s->residual = ARENA_ARRAY(a, double **, p->experiment_count + 1);
  s->model = ARENA_ARRAY(a, double **, p->experiment_count + 1);
  s->count = ARENA_ARRAY(a, int *, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *x = &p->experiments[e];
    s->residual[e] = ARENA_ARRAY(a, double *, x->channel_count + 1);
    s->model[e] = ARENA_ARRAY(a, double *, x->channel_count + 1);
    s->count[e] = ARENA_ARRAY(a, int, x->channel_count + 1);
    for (int k = 0; k < x->channel_count; k++) {
      s->residual[e][k] = ARENA_ARRAY(a, double, x->channels[k].count + 1);
      s->model[e][k] = ARENA_ARRAY(a, double, x->channels[k].count + 1);
    }
  }
}

// Blocks of a channel come in the order of time.
static void collect(void *data, const ResidualBlock *b) {
  ResidualCollector *c = data;
  if (b->experiment < 0 || b->experiment >= c->p->experiment_count) return;
  const Experiment *x = &c->p->experiments[b->experiment];
  if (b->channel < 0 || b->channel >= x->channel_count) return; // a gap between two pieces
  int *seen = &c->to->count[b->experiment][b->channel];
  for (int i = 0; i < b->rows && *seen < x->channels[b->channel].count; i++, ++*seen) {
    c->to->residual[b->experiment][b->channel][*seen] =
        b->column[c->p->unknown_count][i] / b->scale[i];
    c->to->model[b->experiment][b->channel][*seen] = b->model[i];
  }
}

bool sample_residuals_of(SampleResiduals *out, EvalWork *w, const EvalSpec *spec, const double *x,
                         int experiment) {
  ResidualCollector c = {eval_fitting(w)->problem, out};
  return evaluate_experiment_rows(w, spec, x, experiment, collect, &c);
}

bool sample_residuals(SampleResiduals *out, Arena *a, EvalWork *w, const Weighting *weighting,
                      const FitPieces *pieces, const double *x) {
  ResidualCollector c = {eval_fitting(w)->problem, out};
  EvalSpec spec = eval_spec(eval_fitting(w), NULL);
  spec.weighting = weighting;
  spec.slopes = true;
  sample_residuals_room(out, a, c.p);
  return result_rows(w, &spec, pieces, x, collect, &c);
}
