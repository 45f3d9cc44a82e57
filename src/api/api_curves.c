// The public library: data and model at a point.
#include "api/api.h"
#include "report/sample_residuals.h"
#include "study/evaluated_point.h"

typedef struct CurveOf {
  int experiment, channel;
  double *t, *model; // model NULL: none
} CurveOf;

struct EntrainCurves {
  const Problem *problem;
  Arena *arena, *scratch; // scratch: of the present point
  Fitting *fitting;
  EvalWork *work;
  CurveOf *curves;
  int count;
};

EntrainCurves *entrain_curves_new(const EntrainProblem *problem) {
  if (!problem) return NULL;
  const Problem *p = problem->problem;
  Arena *a = arena_new();
  EntrainCurves *c = ARENA_NEW(a, EntrainCurves);
  *c = (EntrainCurves){.problem = p, .arena = a, .scratch = arena_new()};
  c->fitting = fitting_new(p);
  c->work = eval_work_new(c->fitting, 1, NULL);
  int most = 0;
  for (int e = 0; e < p->experiment_count; e++) most += p->experiments[e].channel_count;
  c->curves = ARENA_ARRAY(a, CurveOf, most + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const Experiment *x = &p->experiments[e];
    for (int k = 0; k < x->channel_count; k++) {
      CurveOf *to = &c->curves[c->count++];
      *to = (CurveOf){.experiment = e, .channel = k};
      to->t = ARENA_ARRAY(a, double, x->channels[k].count + 1);
      for (int i = 0; i < x->channels[k].count; i++) to->t[i] = x->origin + x->channels[k].t[i];
    }
  }
  return c;
}

void entrain_curves_free(EntrainCurves *c) {
  if (!c) return;
  eval_work_free(c->work);
  fitting_free(c->fitting);
  arena_free(c->scratch);
  arena_free(c->arena);
}

int entrain_curves_at(EntrainCurves *c, const double *values, double lambda) {
  if (!c || !values) return 0;
  EvalSpec spec = eval_spec(c->fitting, NULL);
  Err err = {0};
  SampleResiduals found;
  int fine = 0;
  spec.lambda = feedback_can(c->fitting, lambda, &err) ? lambda : 0;
  spec.quick = eval_has_quick(c->fitting, spec.lambda);
  arena_reset(c->scratch);
  sample_residuals_room(&found, c->scratch, c->problem);
  for (int e = 0, at = 0; e < c->problem->experiment_count; e++) {
    bool done = sample_residuals_of(&found, c->work, &spec, values, e);
    fine += done;
    for (; at < c->count && c->curves[at].experiment == e; at++) {
      CurveOf *to = &c->curves[at];
      const Channel *channel = &c->problem->experiments[e].channels[to->channel];
      bool whole = done && found.count[e][to->channel] == channel->count;
      to->model = whole ? found.model[e][to->channel] : NULL;
    }
  }
  return fine;
}

int entrain_curves_count(const EntrainCurves *c) {
  return c ? c->count : 0;
}

bool entrain_curves_channel(const EntrainCurves *c, int i, EntrainCurve *out) {
  if (!c || !out || i < 0 || i >= c->count) return false;
  const CurveOf *from = &c->curves[i];
  const Experiment *x = &c->problem->experiments[from->experiment];
  const Channel *channel = &x->channels[from->channel];
  return API_GIVE(out, EntrainCurve, .experiment = x->name, .variable = channel->name,
                  .unit = channel->unit ? channel->unit : "", .n = channel->count, .t = from->t,
                  .data = channel->y, .model = from->model, .apart = x->without_times);
}
