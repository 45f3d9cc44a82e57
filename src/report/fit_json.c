#include "report/fit_json.h"

#include <math.h>
#include <string.h>

#include "problem/residual_kind.h"
#include "report/failures.h"
#include "report/fit_settings.h"
#include "report/run_report.h"
#include "study/evaluated_point.h"

static void parameters(Json *j, const FitReport *r) {
  json_open(j, "parameters", '[', true);
  for (int i = 0; i < r->problem->unknown_count; i++) {
    const Unknown *f = &r->problem->unknowns[i];
    const StatParameter *s = &r->statistics->parameters[i];
    json_open(j, NULL, '{', false);
    json_text(j, "name", f->name);
    json_number(j, "value", r->result->x[i]);
    json_number(j, "start", f->start);
    json_number(j, "min", f->min);
    json_number(j, "max", f->max);
    json_flag(j, "free", true);
    json_flag(j, "at_bound", s->at_bound);
    json_number(j, "std_error", s->std_error);
    json_numbers(j, "ci95", (double[]){s->ci_low, s->ci_high}, 2);
    json_flag(j, "identifiable", s->identifiable);
    json_text(j, "open_end", s->open > 0 ? "max" : s->open < 0 ? "min" : NULL);
    json_text(j, "bound", !s->at_bound ? NULL : s->lower_bound ? "lower" : "upper");
    json_flag(j, "inactive", s->inactive);
    json_number(j, "relative_at_1_percent", s->relative_at_1_percent);
    json_text(j, "reason", s->reason);
    json_text(j, "unit", f->unit);
    json_text(j, "scale", f->log ? "log" : "linear");
    json_text(j, "interval", interval_kind_word(s->interval));
    json_flag(j, "profile_wanted", s->profile_wanted);
    json_close(j);
  }
  json_close(j);
}

// Constraints on the unknowns; no member if the problem has none.
static void constraints(Json *j, const FitReport *r) {
  const Problem *p = r->problem;
  if (!p->constraints.count) return;
  json_open(j, "constraints", '[', true);
  for (int k = 0; k < p->constraints.count; k++) {
    const Constraint *c = &p->constraints.at[k];
    ConstraintState state = constraint_state(p, k, r->result->x);
    json_open(j, NULL, '{', false);
    json_text(j, "text", c->text);
    json_number(j, "value", constraint_value(p, k, r->result->x));
    json_flag(j, "active", state == CONSTRAINT_ACTIVE);
    json_flag(j, "satisfied", state != CONSTRAINT_VIOLATED);
    json_text(j, "experiment", c->experiment < 0 ? NULL : p->experiments[c->experiment].name);
    json_close(j);
  }
  json_close(j);
}

static void channels(Json *j, const FitReport *r) {
  const Statistics *s = r->statistics;
  json_open(j, "channels", '[', true);
  for (int i = 0; i < s->channel_count; i++) {
    const StatChannel *c = &s->channels[i];
    const Experiment *e = &r->problem->experiments[c->experiment];
    const Channel *data = &e->channels[c->channel];
    json_open(j, NULL, '{', false);
    json_whole(j, "experiment", e->number);
    json_text(j, "variable", data->name);
    json_whole(j, "n", c->n);
    json_number(j, "rmse", c->rmse);
    json_number(j, "fit_percent", c->fit_percent);
    json_text(j, "experiment_name", e->name);
    json_text(j, "column", data->column);
    json_text(j, "unit", data->unit);
    json_whole(j, "missing", data->missing);
    json_whole(j, "unpredicted", data->unpredicted);
    json_number(j, "range", data->range > 0 ? data->range : nan(""));
    json_number(j, "sigma", r->result->sigma[i]);
    json_number(j, "noise", c->noise);
    json_number(j, "autocorrelation", c->autocorrelation);
    json_number(j, "white_p", c->white_p);
    json_number(j, "runs_p", c->runs_p);
    json_number(j, "lag1_p", c->lag1_p);
    json_flag(j, "exact", c->exact);
    json_text(j, "role", "fit");
    if (r->point) json_text(j, "failed", r->run->why[c->experiment]);
    run_windows_json(j, e, r->run && !r->run->recorded ? r->run->channels[i].windows : NULL);
    json_close(j);
  }
  if (r->run && r->run->recorded) run_channels_json(j, r->run, "free-run");
  if (r->validation) run_channels_json(j, r->validation, "validation");
  json_close(j);
}

static void pooled(Json *j, const FitReport *r) {
  Arena *scratch = arena_new();
  pooled_json(j, scratch, r->problem, r->statistics, r->run, r->validation);
  arena_free(scratch);
}

static void known_states(Json *j, const Problem *p) {
  json_open(j, "states", '[', true);
  for (int e = 0; e < p->experiment_count; e++)
    for (int i = 0; p->experiments[e].states && i < p->model->nx; i++) {
      const StateSource *s = &p->experiments[e].states->source[i];
      const Channel *c = s->channel >= 0 ? &p->experiments[e].recorded[s->channel] : NULL;
      json_open(j, NULL, '{', false);
      json_whole(j, "experiment", p->experiments[e].number);
      json_text(j, "state", p->model->flat->variables.at[p->model->state[i]].name);
      json_text(j, "from", state_origin_word(s->origin));
      json_text(j, "channel", c ? c->name : NULL);
      json_text(j, "column", c ? c->column : NULL);
      json_close(j);
    }
  json_close(j);
}

static void residual_kind(Json *j, const Problem *p) {
  char by[OPTION_WORD_SIZE], scale[OPTION_WORD_SIZE];
  option_value(options_find(&FIT_OPTIONS, "prediction_by"), &p->options, by);
  option_value(options_find(&FIT_OPTIONS, "scale"), &p->options, scale);
  bool predicts = p->options.residual == RESIDUAL_PREDICTION;
  json_open(j, "residual", '{', false);
  json_text(j, "kind", residual_word(p));
  json_text(j, "by", !predicts ? NULL : p->model->flat->hybrid ? "integrator" : by);
  json_whole(j, "ahead", predicts ? p->options.prediction_ahead : 0);
  json_text(j, "scale", scale);
  known_states(j, p);
  json_close(j);
}

static void direction(Json *j, const Statistics *s, const StatDirection *d) {
  json_open(j, NULL, '{', false);
  json_number(j, "singular_value", d->singular_value);
  json_numbers(j, "vector", d->vector, s->n);
  json_flag(j, "structural", d->structural);
  json_flag(j, "confirmed", d->confirmed);
  json_number(j, "confirmed_change", d->confirmed ? d->confirmed_change : nan(""));
  json_number(j, "confirmed_factor", d->confirmed ? d->confirmed_factor : nan(""));
  json_open(j, "combinations", '[', false);
  for (int k = 0; k < d->combination_count; k++) {
    json_open(j, NULL, '{', false);
    json_text(j, "text", d->combinations[k].text);
    json_number(j, "value", d->combinations[k].value);
    json_text(j, "kind", d->combinations[k].sum ? "sum" : "product");
    json_numbers(j, "exponents", d->combinations[k].exponent, s->n);
    json_numbers(j, "ci95", (double[]){d->combinations[k].low, d->combinations[k].high}, 2);
    json_close(j);
  }
  json_close(j);
  json_text(j, "text", d->text);
  json_close(j);
}

void fit_json_identifiability(Json *j, const Statistics *s) {
  json_open(j, "identifiability", '{', false);
  json_whole(j, "rank", s->rank);
  json_whole(j, "free", s->n);
  json_numbers(j, "singular_values", s->singular_values, s->n);
  json_open(j, "directions", '[', s->direction_count > 0);
  for (int i = 0; i < s->direction_count; i++) direction(j, s, &s->directions[i]);
  json_close(j);
  json_close(j);
}

static void work_numbers(Json *j, const WorkCount *w) {
  json_whole(j, "iterations", w->iterations);
  json_whole(j, "simulations", w->simulations);
  json_whole(j, "sensitivity_simulations", w->sensitivity_simulations);
  json_whole(j, "rhs", w->rhs);
  json_number(j, "seconds", w->seconds);
  json_whole(j, "steps", w->steps);
  json_whole(j, "rejected", w->rejected);
}

// Times by experiment, null: at the start.
static void restart(Json *j, const FitResult *r) {
  json_open(j, "restart", '{', false);
  json_open(j, "times", '[', false);
  for (int e = 0; e < r->problem->experiment_count; e++)
    json_number(j, NULL, r->restart ? r->problem->experiments[e].origin + r->restart[e] : nan(""));
  json_close(j);
  json_whole(j, "points", r->work.restart_points);
  json_whole(j, "simulations", r->work.restarted);
  json_number(j, "saved", r->work.saved);
  json_close(j);
}

// Of everything; what the search itself used, without confirming.
static void work(Json *j, const FitResult *r) {
  json_open(j, "work", '{', false);
  work_numbers(j, &r->work);
  json_open(j, "search", '{', false);
  work_numbers(j, &r->search_work);
  json_close(j);
  json_open(j, "profiles", '{', false);
  work_numbers(j, &r->profile_work);
  json_close(j);
  restart(j, r);
  if (r->problem->closed) {
    json_open(j, "slopes", '{', false);
    json_whole(j, "by_equations", r->work.slopes_by_equations);
    json_whole(j, "by_runs", r->work.slopes_by_runs);
    json_flag(j, "contradicted", r->work.slopes_contradicted > 0);
    json_close(j);
  }
  json_close(j);
}

static bool has_gain(const FitResult *r, int measured) {
  for (int i = 0; i < r->gains.count; i++)
    if (r->gains.at[i].measured == measured) return true;
  return false;
}

// By measured name: the gains, or the states whose equations contain them.
static void gains(Json *j, const FitReport *r, const char *key, bool states) {
  const Problem *p = r->problem;
  json_open(j, key, '{', false);
  for (int m = 0; m < p->measured_count; m++) {
    if (!has_gain(r->result, m)) continue;
    json_open(j, p->measured_name[m], '[', false);
    for (int i = 0; i < r->result->gains.count; i++) {
      const FitGain *g = &r->result->gains.at[i];
      if (g->measured != m) continue;
      if (states)
        json_text(j, NULL, p->model->flat->variables.at[p->model->state[g->state]].name);
      else
        json_number(j, NULL, g->gain);
    }
    json_close(j);
  }
  json_close(j);
}

// Whether the coupled model follows the data at lambda = 1, where the homotopy begins.
static void synchronisation(Json *j, const FitReport *r) {
  const FitPathPoint *p = r->result->path.count ? r->result->path.at : NULL;
  if (!p || isnan(p->misfit.size)) return;
  const FitMisfit *m = &p->misfit;
  int measured = r->problem->channel_measured[m->experiment][m->channel];
  json_open(j, "synchronisation", '{', false);
  json_number(j, "lambda", p->lambda);
  json_text(j, "variable", r->problem->measured_name[measured]);
  json_whole(j, "experiment", r->problem->experiments[m->experiment].number);
  json_number(j, "misfit_start", p->misfit_start.size);
  json_number(j, "misfit", m->size);
  json_flag(j, "follows_at_start", p->misfit_start.size <= FIT_FOLLOWS);
  json_flag(j, "follows", m->size <= FIT_FOLLOWS);
  json_close(j);
}

static void homotopy(Json *j, const FitReport *r) {
  json_open(j, "homotopy", '{', true);
  if (r->result->observer) json_text(j, "observer", r->result->observer);
  gains(j, r, "gains", false);
  gains(j, r, "gain_states", true);
  synchronisation(j, r);
  json_open(j, "path", '[', r->result->path.count > 0);
  for (int i = 0; i < r->result->path.count; i++) {
    const FitPathPoint *p = &r->result->path.at[i];
    json_open(j, NULL, '{', false);
    json_number(j, "lambda", p->lambda);
    json_number(j, "objective", p->objective);
    json_number(j, "objective_start", p->objective_start);
    json_number(j, "misfit", p->misfit.size);
    json_numbers(j, "parameters", p->x, r->problem->unknown_count);
    json_whole(j, "iterations", p->iterations);
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

static void invariant(Json *j, const char *key, const Model *m, int i) {
  const Invariant *v = &m->invariants[i];
  json_open(j, key, '{', false);
  json_whole(j, "line", flat_line_number(m->flat, m->flat->equations.at[v->equation].line));
  json_whole(j, "differentiated", v->level);
  json_close(j);
}

static void solver(Json *j, const FitReport *report) {
  const FitResult *r = report->result;
  const InvariantViolation *v = report->violation;
  const Model *m = report->problem->model;
  json_open(j, "solver", '{', false);
  json_text(j, "name", r->solver);
  json_whole(j, "steps", r->solver_steps);
  json_whole(j, "rejected", r->solver_rejected);
  json_number(j, "invariant_violation", v ? v->largest : 0);
  if (v && v->of >= 0) invariant(j, "invariant", m, v->of);
  if (v && v->sens_of >= 0) {
    json_number(j, "invariant_violation_sens", v->largest_sens);
    invariant(j, "invariant_sens", m, v->sens_of);
  }
  json_close(j);
}

static void searches(Json *j, const FitSearches *n) {
  json_open(j, "searches", '{', false);
  json_whole(j, "planned", n->planned);
  json_whole(j, "done", n->done);
  json_whole(j, "agree", n->agree);
  json_whole(j, "better", n->better);
  json_whole(j, "far", n->far);
  json_whole(j, "far_agree", n->far_agree);
  json_whole(j, "failed", n->failed);
  json_flag(j, "cut", n->cut);
  json_close(j);
}

void fit_json_optima(Json *j, const FitResult *r) {
  json_open(j, "optima", '[', r->optima.count > 0);
  for (int k = 0; k < r->optima.count; k++) {
    const FitOptimum *o = &r->optima.at[k];
    json_open(j, NULL, '{', false);
    json_number(j, "objective", o->objective);
    json_numbers(j, "parameters", o->x, r->problem->unknown_count);
    json_whole(j, "searches", o->searches);
    json_number(j, "difference", o->worse);
    json_flag(j, "distinct", o->distinct);
    json_close(j);
  }
  json_close(j);
}

static void missing_term(Json *j, const FitTerm *m) {
  if (!m->term) return json_text(j, "missing_term", NULL);
  json_open(j, "missing_term", '{', false);
  json_text(j, "term", m->term);
  json_text(j, "state", m->state);
  json_number(j, "share", m->share);
  json_number(j, "p", m->p);
  json_close(j);
}

// Null where nobody has seen the residuals.
static double seen(const FitResult *r, double value) {
  return r->facts.known ? value : nan("");
}

static void certificate(Json *j, const FitResult *r) {
  json_open(j, "certificate", '{', false);
  json_flag(j, "certain", r->verdict == FIT_CERTAIN);
  json_text(j, "verdict", fit_has_result(r) ? fit_verdict_word(r->verdict) : NULL);
  json_text(j, "why", r->why);
  json_number(j, "floor", r->floor);
  json_text(j, "by", r->by);
  json_flag(j, "fits", r->fits);
  json_flag(j, "exact", r->facts.exact);
  json_open(j, "noise", '{', false);
  json_number(j, "ratio", seen(r, r->facts.noise.ratio));
  json_number(j, "limit", seen(r, r->facts.noise.limit));
  json_flag(j, "holds", r->facts.noise.holds);
  json_close(j);
  json_open(j, "white", '{', false);
  json_number(j, "p", seen(r, r->facts.white.p));
  json_flag(j, "holds", r->facts.white.holds);
  json_flag(j, "clean", r->facts.white.clean);
  json_number(j, "correlation", seen(r, r->facts.white.correlation));
  json_close(j);
  missing_term(j, &r->facts.missing);
  searches(j, &r->searches);
  fit_json_optima(j, r);
  json_close(j);
}

// By experiment, if one simulation over the whole time cannot follow the motion; else null.
static void pieces(Json *j, const FitReport *r) {
  const FitPieces *p = r->result->pieces;
  if (!p) return json_text(j, "pieces", NULL);
  json_open(j, "pieces", '{', false);
  json_open(j, "count", '[', false);
  for (int e = 0; e < r->problem->experiment_count; e++) json_whole(j, NULL, p->count[e]);
  json_close(j);
  json_number(j, "gap", p->gap);
  json_close(j);
}

static void stages(Json *j, const FitResult *r) {
  json_open(j, "stages", '[', r->stages.count > 0);
  for (int i = 0; i < r->stages.count; i++) {
    const FitStage *s = &r->stages.at[i];
    json_open(j, NULL, '{', false);
    json_text(j, "name", s->name);
    json_text(j, "message", s->message);
    json_number(j, "objective", s->objective);
    json_whole(j, "simulations", s->simulations);
    json_flag(j, "fits", s->fits);
    json_close(j);
  }
  json_close(j);
}

static void missing(Json *j, const Statistics *s) {
  json_open(j, "missing", '[', false);
  for (int i = 0; i < s->missing_count; i++) json_text(j, NULL, s->missing[i]);
  json_close(j);
}

// Terms that would explain residuals; no member if none was found.
static void unmodelled(Json *j, const Statistics *s) {
  if (!s->unmodelled_count) return;
  json_open(j, "unmodelled", '[', true);
  for (int i = 0; i < s->unmodelled_count; i++) {
    json_open(j, NULL, '{', false);
    json_number(j, "share", s->unmodelled[i].share);
    json_number(j, "p", s->unmodelled[i].p);
    json_text(j, "text", s->unmodelled[i].text);
    json_close(j);
  }
  json_close(j);
}

// No member if all samples count the same.
static void weights(Json *j, const SampleWeights *w) {
  if (!w) return;
  json_open(j, "weights", '{', false);
  json_text(j, "kind", weight_kind_word(w->kind));
  json_whole(j, "samples", w->count);
  json_whole(j, "counted", w->counted);
  json_number(j, "equal", w->equal);
  json_number(j, "least", w->least);
  json_number(j, "most", w->most);
  json_close(j);
}

static void remarks(Json *j, const Statistics *s) {
  json_open(j, "remarks", '[', s->remark_count > 0);
  for (int i = 0; i < s->remark_count; i++) json_text(j, NULL, s->remarks[i]);
  json_close(j);
}

static void add_setting(void *data, const OptionRow *row, const char *value) {
  double number;
  if (!row->choices && number_parse(value, &number))
    json_number(data, row->name, number);
  else
    json_text(data, row->name, value);
}

static void data_starts(Json *j, const Problem *p, const Experiment *e) {
  if (!e->data_start_count) return;
  json_open(j, "data_starts", '{', false);
  for (int i = 0; i < e->data_start_count; i++)
    json_number(j, p->model->flat->parameters.at[e->data_starts[i].parameter].name,
                e->data_starts[i].value);
  json_close(j);
}

static void experiments(Json *j, const Problem *p) {
  json_open(j, "experiments", '[', true);
  int count = p->experiment_count + (p->validation ? p->validation->experiment_count : 0);
  for (int k = 0; k < count; k++) {
    const Experiment *e = problem_experiment(p, k);
    bool fitted = e >= p->experiments && e < p->experiments + p->experiment_count;
    json_open(j, NULL, '{', false);
    json_text(j, "name", e->name);
    json_text(j, "data", e->file);
    if (e->time_origin) json_text(j, "time_origin", e->time_origin);
    if (e->epoch_unit) json_text(j, "epoch_unit", e->epoch_unit);
    json_number(j, "start", e->origin + e->start);
    json_number(j, "stop", e->origin + e->stop);
    json_text(j, "role", fitted ? "fit" : "validation");
    if (e->every.samples > 1) {
      json_open(j, "every", '{', false);
      json_number(j, "samples", e->every.samples);
      json_text(j, "filter", e->every.filter);
      if (e->every.cutoff > 0) json_number(j, "cutoff", e->every.cutoff);
      json_number(j, "noise", e->every.noise);
      if (e->every.left_out) json_whole(j, "left_out", e->every.left_out);
      json_close(j);
    }
    data_starts(j, p, e);
    json_close(j);
  }
  json_close(j);
}

static void head(Json *j, const FitReport *r, const char *version) {
  const FitResult *f = r->result;
  Arena *scratch = arena_new();
  json_text(j, "entrain", version);
  json_text(j, "problem", r->problem->path);
  if (!r->point) json_text(j, "method", problem_method(r->problem, scratch));
  arena_free(scratch);
  json_text(j, "outcome", fit_outcome_word(f->outcome));
  json_text(j, "message", f->message);
  json_number(j, "objective", f->objective);
  if (!r->point) return json_number(j, "objective_start", f->objective_start);
  json_number(j, "lambda", r->point->lambda);
  json_number(j, "decrease", r->point->decrease);
  json_flag(j, "at_minimum", r->point->at_minimum);
}

// For whoever shows the result again: what it was made from.
static void sources(Json *j, const Problem *p) {
  const MadeFrom *m = &p->files;
  json_open(j, "settings", '[', p->setting_count > 0);
  for (int i = 0; i < p->setting_count; i++) {
    if (p->settings[i].is_option && strcmp(p->settings[i].path, "threads") == 0) continue;
    json_open(j, NULL, '{', false);
    json_text(j, "name", p->settings[i].path);
    json_text(j, "value", p->settings[i].value);
    json_flag(j, "option", p->settings[i].is_option);
    json_close(j);
  }
  json_close(j);
  json_open(j, "files", '[', m->count > 0);
  for (int i = 0; i < m->count; i++) {
    json_open(j, NULL, '{', false);
    json_text(j, "path", m->at[i].path);
    if (!m->at[i].closed) json_whole(j, "bytes", (long)m->at[i].length);
    json_text(j, "sha256", m->at[i].hash);
    json_close(j);
  }
  json_close(j);
}

// What is not in every problem, and what the others are made of.
static void details(Json *j, const FitReport *r) {
  if (r->point) {
    json_number(j, "floor", r->result->floor);
  } else {
    certificate(j, r->result);
    pieces(j, r);
    stages(j, r->result);
  }
  json_flag(j, "sandwich", r->statistics->sandwich);
  json_number(j, "variance", r->statistics->variance);
  json_number(j, "freedom", r->statistics->freedom);
  json_whole(j, "samples", r->statistics->samples);
  missing(j, r->statistics);
  unmodelled(j, r->statistics);
  remarks(j, r->statistics);
  experiments(j, r->problem);
  weights(j, r->problem->weights);
  residual_kind(j, r->problem);
  json_text(j, "model", r->problem->model_path);
  json_open(j, "options", '{', false);
  fit_settings_changed(r->problem, add_setting, j);
  json_close(j);
  if (!r->point) json_text(j, "end", local_end_word(r->result->end));
  sources(j, r->problem);
}

void fit_json(Text *out, const FitReport *r, const char *version) {
  Json j = json_on(out);
  json_open(&j, NULL, '{', true);
  head(&j, r, version);
  parameters(&j, r);
  constraints(&j, r);
  channels(&j, r);
  pooled(&j, r);
  fit_json_identifiability(&j, r->statistics);
  json_numbers(&j, "gradient", r->statistics->gradient, r->statistics->n);
  if (r->hessian) json_matrix(&j, "hessian", r->hessian, r->statistics->n);
  json_matrix(&j, "covariance", r->statistics->covariance, r->statistics->n);
  json_matrix(&j, "correlation", r->statistics->correlation, r->statistics->n);
  work(&j, r->result);
  failures_json(&j, r->result->problem, r->result->failures.at, r->result->failures.count);
  if (!r->point) homotopy(&j, r);
  solver(&j, r);
  details(&j, r);
  json_close(&j);
}
