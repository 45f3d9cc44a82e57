#include "study/check_run.h"

#include <math.h>

#include "base/patience.h"
#include "problem/residual_kind.h"
#include "simulate/closed.h"
#include "stats/assess.h"
#include "stats/held_samples.h"
#include "stats/interpolation.h"
#include "study/check_closed.h"
#include "study/check_constraints.h"
#include "study/check_data.h"
#include "study/check_sticking.h"
#include "study/synthetic.h"

enum { UNKNOWNS_TO_DESCRIBE = 30, CHANNELS_IN_A_SENTENCE = 4, OUT_OF_PROPORTION = 30 };

// ---------------------------------------------------------------- model

static const char *plural(int n) {
  return n == 1 ? "" : "s";
}

static void pass_on_warnings(Check *c, const char *topic, const Warnings *w) {
  int before = c->findings.count;
  for (int i = 0; i < w->list.count; i++) {
    const Err *e = &w->list.at[i];
    if (e->line)
      check_add(c, FINDING_WARNING, topic, "%s:%d:%d: %s", e->file, e->line, e->column, e->text);
    else
      check_add(c, FINDING_WARNING, topic, "%s", e->text);
  }
  if (w->left_out) check_add(c, FINDING_NOTE, topic, "And %d more warnings.", w->left_out);
  for (int i = before; i < c->findings.count; i++) c->findings.at[i].was_read = true;
}

static bool start_is_estimated(const Problem *p, int variable) {
  for (int i = 0; i < p->unknown_count; i++) {
    const Parameter *q = &p->model->flat->parameters.at[p->unknowns[i].parameter];
    if (q->is_start && q->variable == variable) return true;
  }
  return false;
}

static void check_start_values(Check *c) {
  const Model *m = c->problem->model;
  if (m->flat->initial_equations.count || m->invariant_count) return; // they decide
  for (int i = 0; i < m->nx; i++) {
    const Variable *v = &m->flat->variables.at[m->state[i]];
    if (v->fixed || start_is_estimated(c->problem, m->state[i])) continue;
    check_add_about(
        c, v->name, FINDING_NOTE, "model",
        "The start value of %s is not fixed in the model; it is taken as known (%s). Estimate "
        "%s.start if it is not.",
        v->name, v->has_start ? "its 'start'" : "0", v->name);
  }
}

static void describe_kind(Check *c) {
  Text t;
  text_init(&t);
  residual_kind_describe(c->problem, &t);
  if (t.length) check_add(c, FINDING_NOTE, "model", "%s", t.at);
  text_done(&t);
}

static void check_model(Check *c) {
  const Model *m = c->problem->model;
  if (c->problem->closed) {
    check_closed_model(c);
    pass_on_warnings(c, "data", &c->problem->warnings);
    return;
  }
  check_add(
      c, FINDING_GOOD, "model",
      "%s: %d equation%s for %d unknown%s; %d state%s, %d input%s; %d parameter%s to estimate.",
      m->flat->name, m->equation_count, plural(m->equation_count), m->unknown_count,
      plural(m->unknown_count), m->nx, plural(m->nx), m->nu, plural(m->nu),
      c->problem->unknown_count, plural(c->problem->unknown_count));
  pass_on_warnings(c, "model", &m->flat->warnings);
  pass_on_warnings(c, "data", &c->problem->warnings);
  describe_kind(c);
  if (problem_simulates(c->problem)) check_start_values(c);
}

// ---------------------------------------------------------------- parameters

static bool is_on_bound(const Unknown *f) {
  return f->max > f->min && (f->start <= f->min || f->start >= f->max);
}

static void check_bounds(Check *c, const Unknown *f) {
  if (!(f->max > f->min))
    check_add_about(
        c, f->name, FINDING_ERROR, "parameters",
        "%s: min and max are both %.6g, so there is nothing to find. Take it out of 'estimate' "
        "or widen its bounds.",
        f->name, f->min);
  else if (!isfinite(f->min) || !isfinite(f->max))
    check_add_about(
        c, f->name, c->problem->method == METHOD_AUTO ? FINDING_WARNING : FINDING_NOTE,
        "parameters",
        "%s has no %s bound, so random starts cannot be drawn when everything else fails. Give "
        "it min and max.",
        f->name,
        isfinite(f->min)   ? "upper"
        : isfinite(f->max) ? "lower"
                           : "lower and no upper");
}

static void check_starts_on_bounds(Check *c) {
  int count = 0, on_bound = 0;
  Text names;
  text_init(&names);
  for (int i = 0; i < c->problem->unknown_count; i++)
    on_bound += is_on_bound(&c->problem->unknowns[i]);
  for (int i = 0; i < c->problem->unknown_count; i++) {
    if (!is_on_bound(&c->problem->unknowns[i])) continue;
    text_print(&names, "%s%s",
               !count                  ? ""
               : count + 1 == on_bound ? " and "
                                       : ", ",
               c->problem->unknowns[i].name);
    count++;
  }
  if (count)
    check_add(c, FINDING_NOTE, "parameters",
              "%s start%s on a bound; a search moves %s inside first.", names.at,
              count == 1 ? "s" : "", count == 1 ? "it" : "them");
  text_done(&names);
}

static void check_problem_constraints(Check *c) {
  const Problem *p = c->problem;
  double *x = ARENA_ARRAY(c->arena, double, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) x[i] = p->unknowns[i].start;
  for (int k = 0; k < p->constraints.count; k++) {
    const Constraint *one = &p->constraints.at[k];
    bool violated = constraint_state(p, k, x) == CONSTRAINT_VIOLATED;
    check_add(c, violated ? FINDING_NOTE : FINDING_GOOD, "parameters",
              "The constraint %s%s%s %s at the start values: it is %.6g there%s.", one->text,
              one->experiment < 0 ? "" : " in ",
              one->experiment < 0 ? "" : p->experiments[one->experiment].name,
              violated ? "does not hold" : "holds", constraint_value(p, k, x),
              violated ? ", and a search first moves to where it holds" : "");
  }
}

static void check_parameters(Check *c) {
  if (c->problem->unknown_count == 0)
    check_add(c, FINDING_ERROR, "parameters",
              "Nothing is to be estimated. Name parameters under 'estimate'.");
  for (int i = 0; i < c->problem->unknown_count; i++) check_bounds(c, &c->problem->unknowns[i]);
  check_starts_on_bounds(c);
  check_problem_constraints(c);
}

// ---------------------------------------------------------------- the simulation at the start values

typedef struct StartChannel {
  int count;
  double noise;
  double data, about, error; // sums of squares: of the data, about their mean, of model - data
  double *slope;             // by unknown: sum of squares
  double first_error;        // model - data at the first sample
  bool first_is_given;       // no unknown changes the first sample
} StartChannel;

typedef struct StartFacts {
  Check *c;
  int n;
  int *first; // channel of each experiment in the row of all
  StartChannel *channels;
} StartFacts;

static void sum_data(const Channel *channel, StartChannel *out) {
  double mean = 0;
  int counted = samples_that_count(channel, channel->count);
  for (int i = 0; i < channel->count; i++)
    if (sample_counts(channel, i)) mean += channel->y[i] / counted;
  for (int i = 0; i < channel->count; i++) {
    if (!sample_counts(channel, i)) continue;
    out->data += channel->y[i] * channel->y[i];
    out->about += (channel->y[i] - mean) * (channel->y[i] - mean);
  }
}

static StartFacts start_facts_new(Check *c, const MeasuredData *d) {
  const Problem *p = c->problem;
  StartFacts f = {c, p->unknown_count, ARENA_ARRAY(c->arena, int, p->experiment_count + 1),
                  ARENA_ARRAY(c->arena, StartChannel, problem_channels(p))};
  for (int e = 0; e < p->experiment_count; e++) {
    f.first[e + 1] = f.first[e] + p->experiments[e].channel_count;
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      const Channel *channel = &p->experiments[e].channels[k];
      StartChannel *s = &f.channels[f.first[e] + k];
      s->noise = channel_facts(d, e, k)->noise;
      s->slope = ARENA_ARRAY(c->arena, double, f.n);
      sum_data(channel, s);
    }
  }
  return f;
}

static void add_block(void *data, const ResidualBlock *b) {
  StartFacts *f = data;
  StartChannel *s = &f->channels[f->first[b->experiment] + b->channel];
  if (b->rows && b->first == 0) {
    s->first_error = b->column[f->n][0] / b->scale[0];
    s->first_is_given = true;
    for (int j = 0; j < f->n; j++) s->first_is_given &= b->column[j][0] == 0;
  }
  const Channel *c = &f->c->problem->experiments[b->experiment].channels[b->channel];
  for (int i = 0; i < b->rows; i++) {
    double scale = b->scale[i], r = b->column[f->n][i];
    if (!sample_counts(c, b->first + i)) continue;
    s->count++;
    if (!(scale > 0)) continue;
    s->error += r * r / (scale * scale);
    for (int j = 0; j < f->n; j++)
      s->slope[j] += b->column[j][i] * b->column[j][i] / (scale * scale);
  }
}

static void report_failure(Check *c, const char *why) {
  const ClosedModel *closed = c->problem->closed;
  bool couples = !closed || closed->has_slopes_of_states;
  check_add(c, FINDING_ERROR, "start",
            "The model cannot be simulated at the start values: %.1200s. Change the start values "
            "under 'estimate', or the window.%s",
            failure_sentence(c->arena, why),
            couples ? " Methods auto and homotopy may still work, because they couple the model to "
                      "the data."
                    : "");
}

static void report_no_slopes(Check *c, const char *why) {
  check_add(
      c, FINDING_ERROR, "start",
      "The model can be simulated at the start values, but not next to them, where the slopes "
      "need it: %.1200s. Change the start values or their bounds under 'estimate'.",
      failure_sentence(c->arena, why));
}

// Samples at the very start that no parameter can change.
static void check_first_samples(const StartFacts *f) {
  const Problem *p = f->c->problem;
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      const Channel *channel = &p->experiments[e].channels[k];
      const StartChannel *s = &f->channels[f->first[e] + k];
      double noise = isfinite(s->noise) ? s->noise : 0;
      double allowed = 6 * noise + 0.02 * sqrt(s->about / fmax(1, s->count));
      if (!s->count || channel->t[0] != p->experiments[e].start || !s->first_is_given ||
          !(fabs(s->first_error) > allowed))
        continue;
      check_add_about(
          f->c, check_channel_label(f->c, e, k), FINDING_WARNING, "start",
          "%s: the data begin at %.4g, the model at %.4g, and no estimated parameter can change "
          "that. Correct the start values, or estimate them (name.start).",
          check_channel_label(f->c, e, k), channel->y[0], channel->y[0] + s->first_error);
    }
}

static void check_phase(const StartFacts *f) {
  double error = 0, about = 0;
  for (int k = 0; k < problem_channels(f->c->problem); k++)
    if (f->channels[k].about > 0) error += f->channels[k].error / f->channels[k].about, about += 1;
  if (!(error > about)) return; // a constant would do better
  Method m = f->c->problem->method;
  bool local = m != METHOD_AUTO && m != METHOD_HOMOTOPY && m != METHOD_WEAK;
  check_add(
      f->c, local ? FINDING_WARNING : FINDING_NOTE, "start",
      "At the start values the model is further from the data than their mean is. A search from "
      "there alone (lm, newton ...) may end in a wrong minimum; %s.",
      local ? "use method: auto"
      : f->c->problem->closed && !f->c->problem->closed->has_slopes_of_states
          ? "auto also tries others"
          : "auto and homotopy are made for that");
}

// Start values are rarely wrong by that much; units are.
static void check_sizes(const StartFacts *f) {
  const Problem *p = f->c->problem;
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++) {
      const StartChannel *s = &f->channels[f->first[e] + k];
      double ratio = s->data > 0 ? sqrt(s->error / s->data) : 0;
      if (!(ratio > OUT_OF_PROPORTION)) continue;
      check_add_about(
          f->c, check_channel_label(f->c, e, k), FINDING_WARNING, "start",
          "%s: at the start values the model is about %.1g times as large as the data. Check "
          "the units of column '%s' and of the inputs, and the start values.",
          check_channel_label(f->c, e, k), ratio, p->experiments[e].channels[k].column);
    }
}

static void check_objective(const StartFacts *f, double data) {
  Check *c = f->c;
  if (!(c->floor > 1e-8 * data)) {
    check_add(c, FINDING_GOOD, "start",
              "The model can be simulated at the start values; objective %.4g%s.",
              c->objective_start, isfinite(c->floor) ? ", and the data hold hardly any noise" : "");
  } else if (c->objective_start <= c->problem->options.floor_factor * c->floor) {
    check_add(c, FINDING_GOOD, "start",
              "Objective %.4g at the start values: no more than noise alone explains (about %.3g).",
              c->objective_start, c->floor);
  } else {
    check_add(
        c, FINDING_GOOD, "start",
        "The model can be simulated at the start values; objective %.4g, %.3g times what noise "
        "alone explains (about %.3g).",
        c->objective_start, c->objective_start / c->floor, c->floor);
  }
  if (noise_is_estimated(c->problem))
    check_add(c, FINDING_NOTE, "start",
              "These objectives hold with sigma as differences of the data show it; 'fit' finds "
              "its own, and its objectives hold with that one.");
  check_sizes(f);
  check_phase(f);
}

// ---------------------------------------------------------------- sensitivity

// One per cent of an unknown; of its range when it is 0.
static double one_percent(const Unknown *f) {
  if (f->start != 0) return 0.01 * fabs(f->start);
  double range = f->max - f->min;
  return isfinite(range) && range > 0 ? 0.01 * range : 0.01;
}

static void fill_sensitivity(const StartFacts *f) {
  Check *c = f->c;
  int channels = problem_channels(c->problem);
  c->sensitivity = ARENA_ARRAY(c->arena, double, channels * f->n);
  for (int k = 0; k < channels; k++)
    for (int j = 0; j < f->n; j++) {
      const StartChannel *s = &f->channels[k];
      double change = one_percent(&c->problem->unknowns[j]) * sqrt(s->slope[j]);
      double share = s->data > 0 ? change / sqrt(s->data) : 0;
      c->sensitivity[k * f->n + j] = share > 0.01 * STAT_NOTHING ? share : 0;
    }
}

// The channel with the largest share that is smaller than `below` (or equal and behind `after`), -1 = none.
static int next_channel(const Check *c, int number, double below, int after) {
  int best = -1, n = c->problem->unknown_count, channels = problem_channels(c->problem);
  for (int k = 0; k < channels; k++) {
    double s = c->sensitivity[k * n + number];
    bool behind = s < below || (s == below && k > after);
    if (s > 0 && behind && (best < 0 || s > c->sensitivity[best * n + number])) best = k;
  }
  return best;
}

static const char *label_in_row(Check *c, int k) {
  int e = 0;
  while (k >= c->problem->experiments[e].channel_count)
    k -= c->problem->experiments[e++].channel_count;
  return check_channel_label(c, e, k);
}

// Returns the largest change.
static double describe_sensitivity(Check *c, int j) {
  const Unknown *f = &c->problem->unknowns[j];
  int n = c->problem->unknown_count, k = -1, listed = 0;
  double last = HUGE_VAL, largest = 0;
  Text text;
  text_init(&text);
  while (listed < CHANNELS_IN_A_SENTENCE && (k = next_channel(c, j, last, k)) >= 0) {
    last = c->sensitivity[k * n + j];
    largest = fmax(largest, last);
    text_print(&text, last < 1 ? "%s%s by %.2g %%" : "%s%s by %.0f %%", listed++ ? ", " : "",
               label_in_row(c, k), 100 * last);
  }
  if (listed)
    check_add(c, largest < 1 ? FINDING_GOOD : FINDING_NOTE, "sensitivity",
              "%s changes %s of %s rms.",
              f->start != 0 ? arena_print(c->arena, "1 %% more %s", f->name)
                            : arena_print(c->arena, "%.3g more %s", one_percent(f), f->name),
              text.at, listed == 1 ? "its" : "their");
  text_done(&text);
  return largest;
}

static void check_sensitivity(const StartFacts *f) {
  Check *c = f->c;
  double largest = 0;
  fill_sensitivity(f);
  if (f->n > UNKNOWNS_TO_DESCRIBE) return;
  for (int j = 0; j < f->n; j++) largest = fmax(largest, describe_sensitivity(c, j));
  if (largest >= 1)
    check_add(
        c, FINDING_NOTE, "sensitivity",
        "A change by 1 %% changes the simulated data by as much as the data themselves: at the "
        "start values the model is unstable, chaotic or far too large.");
}

// ---------------------------------------------------------------- interpolation of inputs

static const double MATTERS = 0.05; // share of the variation of the data

// The channel that changes most against its variation, if it is beyond the noise and matters; -1: none.
static int most_changed(const StartFacts *f, const double *change, double *share) {
  int most = -1;
  for (int k = 0; k < problem_channels(f->c->problem); k++) {
    const StartChannel *s = &f->channels[k];
    double variation = sqrt(s->about / fmax(1, s->count));
    double noise = isfinite(s->noise) ? s->noise : 0;
    if (!(change[k] > fmax(MATTERS * variation, noise)) || !(variation > 0)) continue;
    if (most >= 0 && change[k] / variation <= *share) continue;
    most = k, *share = change[k] / variation;
  }
  return most;
}

static void check_interpolation(const StartFacts *f, EvalWork *w, const double *x) {
  Check *c = f->c;
  double *change = ARENA_ARRAY(c->arena, double, problem_channels(c->problem) + 1), share = 0;
  InputGroups groups = input_groups(c->arena, c->problem);
  for (int g = 0; g < groups.count; g++)
    for (int kind = 0; kind < INPUT_KINDS && patience_asks(); kind++) {
      const struct InputGroup *group = &groups.at[g];
      if ((InputKind)kind == group->present) continue;
      if (!interpolation_change(w, x, group, (InputKind)kind, change)) continue;
      int k = most_changed(f, change, &share);
      if (k < 0) continue;
      check_add(c, FINDING_NOTE, "start",
                "With %s interpolated by %s the simulated %s would change by %.2g %% of its "
                "variation. Make sure that 'interpolation' is how the input was between its "
                "samples.",
                group->name, input_kind_word((InputKind)kind), label_in_row(c, k), 100 * share);
      break; // one sentence for each
    }
}

// ---------------------------------------------------------------- identifiability

static void check_single_unknowns(Check *c, const Statistics *s) {
  for (int i = 0; i < s->n; i++) {
    const StatParameter *q = &s->parameters[i];
    const char *name = c->problem->unknowns[i].name;
    if (q->inactive)
      check_add_about(
          c, name, FINDING_WARNING, "identifiability",
          "%s changes no measured value at the start. Take it out of 'estimate', measure something "
          "that depends on it, or begin with values at which it acts.",
          name);
    else if (q->relative_at_1_percent > 0.5 && q->identifiable)
      check_add_about(
          c, name, FINDING_NOTE, "identifiability",
          "At the start values and with noise of 1 %% the standard error of %s would be %.2g times "
          "its value. If 'fit' says the same: measure longer, excite it more, or take it out of "
          "'estimate'.",
          name, q->relative_at_1_percent);
  }
}

static bool moves_inactive_only(const Statistics *s, const StatDirection *d) {
  for (int i = 0; i < s->n; i++)
    if (d->vector[i] != 0 && !s->parameters[i].inactive) return false;
  return true;
}

// A structural direction is one for all values of the parameters; any other belongs to the start values.
static void tell_direction(Check *c, const StatDirection *d) {
  if (d->structural)
    check_add(c, FINDING_WARNING, "identifiability",
              "%s Take one of these out of 'estimate', or measure something that tells them apart.",
              d->text);
  else
    check_add(c, FINDING_NOTE, "identifiability",
              "%s (At the start values; it may be different at the optimum, which 'fit' shows.)",
              d->text);
}

static bool noise_hides_some(const Statistics *s) {
  bool hidden = s->direction_count > 0;
  for (int i = 0; i < s->n; i++) hidden |= !s->parameters[i].identifiable;
  return hidden;
}

static void check_identifiability(Check *c) {
  const Statistics *s = c->statistics;
  for (int k = 0; k < s->direction_count; k++)
    if (!moves_inactive_only(s, &s->directions[k])) tell_direction(c, &s->directions[k]);
  check_single_unknowns(c, s);
  if (s->rank < s->n)
    check_add(c, FINDING_NOTE, "identifiability", "Rank %d of %d at the start.", s->rank, s->n);
  else if (noise_hides_some(s))
    check_add(c, FINDING_NOTE, "identifiability",
              "Only noise prevents it: more or better data of the same kind would determine %s "
              "(condition of the scaled sensitivities %.3g).",
              s->n == 1 ? c->problem->unknowns[0].name : "all parameters",
              s->singular_values[0] / s->singular_values[s->n - 1]);
  else if (s->n == 1)
    check_add(c, FINDING_GOOD, "identifiability", "The data determine %s.",
              c->problem->unknowns[0].name);
  else if (s->n)
    check_add(c, FINDING_GOOD, "identifiability",
              "The data determine all %d parameters at the start values (condition of the scaled "
              "sensitivities %.3g).",
              s->n, s->singular_values[0] / s->singular_values[s->n - 1]);
}

// ---------------------------------------------------------------- the whole

// Samples that the delay of a sensor puts before the start.
static void check_held(Check *c) {
  for (int k = 0; k < c->statistics->channel_count; k++) {
    const StatChannel *s = &c->statistics->channels[k];
    const char *label = check_channel_label(c, s->experiment, s->channel);
    if (s->held)
      check_add_about(c, label, FINDING_WARNING, "start",
                      "%s: the model moves at its start, and has nothing before it: the first %d "
                      "sample%s, which the delay of the sensor puts there, %s compared with the "
                      "start value. They bias a fit: %s.",
                      label, s->held, s->held == 1 ? "" : "s", s->held == 1 ? "is" : "are",
                      held_remedy(c->arena, c->problem, s));
  }
}

static void check_simulation(const StartFacts *facts, const double *x, EvalWork *w) {
  Check *c = facts->c;
  const char *remark = eval_remark(w);
  if (remark[0]) check_add(c, FINDING_WARNING, "start", "The simulations are slow: %s.", remark);
  check_objective(facts, data_objective(eval_fitting(w)->weighting, 1));
  check_first_samples(facts);
  check_interpolation(facts, w, x);
  check_sticking(c, w, x);
  check_sensitivity(facts);
  c->statistics = assess_point(w, x);
  check_held(c);
  c->stopped = c->statistics->missing_count > 0;
  if (c->stopped)
    check_add(c, FINDING_WARNING, "identifiability",
              "Stopped before it was examined what the data can tell.");
  else
    check_identifiability(c);
}

static void check_start(Check *c, EvalWork *w) {
  const Problem *p = c->problem;
  const Fitting *f = eval_fitting(w);
  EvalSpec spec = eval_spec(f, NULL);
  spec.slopes = true;
  StartFacts facts = start_facts_new(c, f->data);
  double *x = ARENA_ARRAY(c->arena, double, p->unknown_count);
  for (int i = 0; i < p->unknown_count; i++) x[i] = p->unknowns[i].start;
  c->floor = noise_objective(f->weighting, 1);
  bool runs = evaluate_rows(w, &spec, x, add_block, &facts);
  const char *why = runs ? "" : arena_print(c->arena, "%s", eval_why(w));
  spec.slopes = false;
  if (runs) c->objective_start = evaluate_value(w, &spec, x);
  bool next_to_it = !runs && p->closed && isfinite(evaluate_value(w, &spec, x));
  c->starts = isfinite(c->objective_start);
  c->stopped = !c->starts && !patience_lasts(0);
  if (c->stopped)
    check_add(c, FINDING_WARNING, "start",
              "Stopped before the model was simulated at the start values.");
  else if (c->starts)
    check_simulation(&facts, x, w);
  else if (!runs && !next_to_it)
    report_failure(c, why);
  else if (!runs)
    report_no_slopes(c, why);
  else
    check_add(c, FINDING_ERROR, "start",
              "At the start values the model can be simulated, but its distance to the data is too "
              "large to be computed. Look for impossible values in the data, or change the start "
              "values under 'estimate'.");
}

Check *check_run(const Problem *p) {
  Arena *a = arena_new();
  Check *c = ARENA_NEW(a, Check);
  *c = (Check){.arena = a, .problem = p, .objective_start = HUGE_VAL, .floor = nan("")};
  Patience patience = {.until = patience_until(p->options.max_seconds)};
  patience_begin(&patience);
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, p->options.threads, NULL);
  check_model(c);
  check_constraints(c);
  check_data(c, f->data);
  check_parameters(c);
  if (p->unknown_count) check_start(c, w);
  check_closed_accuracy(c);
  eval_work_free(w);
  fitting_free(f);
  patience_end(&patience);
  return c;
}
