// The public library: what a fit knows besides its estimates, as numbers: samples, steps, stages, optima.
#include <math.h>

#include "api/api_fit.h"
#include "search/result_rows.h"

// ---------------------------------------------------------------- samples

static bool no_channel(int i, Err *err) {
  return fail(err, ERR_VALUE, "there is no channel number %d", i);
}

// residual: model - data, of so many samples; NULL: unknown.
static void fill_samples(EntrainFit *f, EntrainSamples *out, const Experiment *x, const Channel *c,
                         const double *residual, const double *model, int n) {
  *out = (EntrainSamples){.size = sizeof *out, .n = residual ? n : 0};
  if (!residual) return;
  double *time = ARENA_ARRAY(f->arena, double, n + 1);
  for (int i = 0; i < n; i++) time[i] = x->origin + c->t[i];
  out->time = time, out->data = c->y, out->model = model, out->residual = residual;
  out->weight = c->sample_weight;
}

// Of a simulation that ran freely, or tied to the data.
static void samples_of_run(EntrainFit *f, const RunErrors *r, int i, EntrainSamples *out) {
  const RunChannel *c = &r->channels[i];
  const Experiment *x = &r->problem->experiments[c->experiment];
  fill_samples(f, out, x, &x->channels[c->channel], c->error, c->model, c->all.n);
}

static bool find_residuals(EntrainFit *f, Err *err) {
  if (f->has_residuals) return true;
  const FitPieces *pieces = f->result->pieces;
  Patience after = fit_patience(f, PATIENCE_GRACE);
  patience_begin(&after);
  f->has_residuals = sample_residuals(&f->residuals, f->arena, f->fit.work, f->fit.weighting,
                                      pieces, f->result->x);
  bool stopped = !f->has_residuals && !patience_lasts(0);
  patience_end(&after);
  if (stopped) return fail(err, ERR_STOPPED, "it was stopped before residuals were computed");
  return f->has_residuals ||
         fail(err, ERR_VALUE, "there are no residuals: %s", result_why(f->fit.work, pieces));
}

static bool find_samples(EntrainFit *f, int i, EntrainSamples *out, Err *err) {
  int channel = i;
  bool fitted = i < f->statistics->channel_count, tied = f->point && f->point->lambda > 0;
  if (!fitted || tied) {
    if (f->result->objective == HUGE_VAL)
      return fail(err, ERR_VALUE, "there are no residuals: %s", f->result->message);
    const RunErrors *errors = fit_errors_with(f, &channel);
    samples_of_run(f, errors, channel, out);
    return true;
  }
  const StatChannel *s = &f->statistics->channels[i];
  const Experiment *x = &f->problem->experiments[s->experiment];
  if (!find_residuals(f, err)) return false;
  fill_samples(
      f, out, x, &x->channels[s->channel], f->residuals.residual[s->experiment][s->channel],
      f->residuals.model[s->experiment][s->channel], f->residuals.count[s->experiment][s->channel]);
  return true;
}

bool entrain_fit_samples(EntrainFit *f, int i, EntrainSamples *out, EntrainError *error) {
  if (!f) return api_missing("fit", error);
  if (!out || out->size < sizeof out->size)
    return api_missing("EntrainSamples with its size", error);
  Err err = {0};
  int count = entrain_fit_channel_count(f);
  if (!f->samples) f->samples = ARENA_ARRAY(f->arena, EntrainSamples, count + 1);
  bool found = i >= 0 && i < count ? f->samples[i].size || find_samples(f, i, &f->samples[i], &err)
                                   : no_channel(i, &err);
  if (found) api_give(out, &f->samples[i], sizeof *out);
  return api_fine(&err, error);
}

// ---------------------------------------------------------------- steps and stages

int entrain_fit_step_count(const EntrainFit *f) {
  return f ? fit_trace_count(f->trace) : 0;
}

bool entrain_fit_step(const EntrainFit *f, int i, EntrainStep *out) {
  if (i < 0 || i >= entrain_fit_step_count(f)) return false;
  const FitTracePoint *p = fit_trace_point(f->trace, i);
  return API_GIVE(out, EntrainStep, .stage = p->stage, .lambda = p->lambda,
                  .iteration = p->iteration, .objective = p->objective,
                  .simulations = p->simulations, .values = p->x);
}

int entrain_fit_stage_count(const EntrainFit *f) {
  return f ? f->result->stages.count : 0;
}

bool entrain_fit_stage(const EntrainFit *f, int i, EntrainStage *out) {
  if (i < 0 || i >= entrain_fit_stage_count(f)) return false;
  const FitStage *s = &f->result->stages.at[i];
  return API_GIVE(out, EntrainStage, .name = s->name, .message = s->message,
                  .objective = s->objective, .iterations = s->iterations,
                  .simulations = s->simulations, .fits = s->fits, .values = s->x);
}

int entrain_fit_path_count(const EntrainFit *f) {
  return f ? f->result->path.count : 0;
}

bool entrain_fit_path(const EntrainFit *f, int i, EntrainPathPoint *out) {
  if (i < 0 || i >= entrain_fit_path_count(f)) return false;
  const FitPathPoint *p = &f->result->path.at[i];
  return API_GIVE(out, EntrainPathPoint, .lambda = p->lambda, .objective = p->objective,
                  .objective_start = p->objective_start, .misfit = p->misfit.size,
                  .iterations = p->iterations, .values = p->x);
}

int entrain_fit_gain_count(const EntrainFit *f) {
  return f ? f->result->gains.count : 0;
}

bool entrain_fit_gain(const EntrainFit *f, int i, EntrainGain *out) {
  if (i < 0 || i >= entrain_fit_gain_count(f)) return false;
  const FitGain *g = &f->result->gains.at[i];
  const Model *m = f->problem->model;
  return API_GIVE(out, EntrainGain, .measured = f->problem->measured_name[g->measured],
                  .state = m->flat->variables.at[m->state[g->state]].name, .gain = g->gain);
}

// ---------------------------------------------------------------- searches

int entrain_fit_optimum_count(const EntrainFit *f) {
  return f ? f->result->optima.count : 0;
}

bool entrain_fit_optimum(const EntrainFit *f, int i, EntrainFoundOptimum *out) {
  if (i < 0 || i >= entrain_fit_optimum_count(f)) return false;
  const FitOptimum *o = &f->result->optima.at[i];
  return API_GIVE(out, EntrainFoundOptimum, .objective = o->objective, .difference = o->worse,
                  .searches = o->searches, .converged = o->converged, .distinct = o->distinct,
                  .values = o->x);
}

bool entrain_fit_searches(const EntrainFit *f, EntrainSearches *out) {
  if (!f) return API_GIVE(out, EntrainSearches, 0) && false;
  const FitSearches *n = &f->result->searches;
  return API_GIVE(out, EntrainSearches, .planned = n->planned, .done = n->done, .agree = n->agree,
                  .better = n->better, .far = n->far, .far_agree = n->far_agree,
                  .failed = n->failed, .cut = n->cut);
}

int entrain_fit_failure_count(const EntrainFit *f) {
  return f ? f->result->failures.count : 0;
}

bool entrain_fit_failure(const EntrainFit *f, int i, EntrainFailure *out) {
  return f && api_give_failure(f->result->failures.at, f->result->failures.count, i, out);
}

// ---------------------------------------------------------------- what the problem and the data say of the result

bool entrain_fit_combination_at(const EntrainFit *f, int i, int k, EntrainCombination *out) {
  if (!f || i < 0 || i >= f->statistics->direction_count) return false;
  const StatDirection *d = &f->statistics->directions[i];
  if (k < 0 || k >= d->combination_count) return false;
  const StatCombination *c = &d->combinations[k];
  return API_GIVE(out, EntrainCombination, .text = c->text, .value = c->value, .sum = c->sum,
                  .exponents = c->exponent, .ci_low = c->low, .ci_high = c->high);
}

int entrain_fit_constraint_count(const EntrainFit *f) {
  return f ? f->problem->constraints.count : 0;
}

bool entrain_fit_constraint(const EntrainFit *f, int i, EntrainFitConstraint *out) {
  if (i < 0 || i >= entrain_fit_constraint_count(f)) return false;
  const Problem *p = f->problem;
  const Constraint *c = &p->constraints.at[i];
  ConstraintState state = constraint_state(p, i, f->result->x);
  return API_GIVE(out, EntrainFitConstraint, .text = c->text,
                  .experiment = c->experiment < 0 ? "" : p->experiments[c->experiment].name,
                  .value = constraint_value(p, i, f->result->x),
                  .active = state == CONSTRAINT_ACTIVE, .satisfied = state != CONSTRAINT_VIOLATED);
}

int entrain_fit_unmodelled_count(const EntrainFit *f) {
  return f ? f->statistics->unmodelled_count : 0;
}

bool entrain_fit_unmodelled(const EntrainFit *f, int i, EntrainUnmodelled *out) {
  if (i < 0 || i >= entrain_fit_unmodelled_count(f)) return false;
  const StatUnmodelled *u = &f->statistics->unmodelled[i];
  return API_GIVE(out, EntrainUnmodelled, .text = u->text, .share = u->share, .p = u->p);
}
