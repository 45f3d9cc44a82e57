#include "problem/residual_kind.h"

#include <math.h>
#include <string.h>

#include "num/smoothing_spline.h"

typedef struct KindMaker { // of one experiment
  Problem *p;
  Arena *arena;
  Err *err;
  int number; // of the experiment
  Experiment *e;
  int ahead;               // samples between the known states and what is computed from them
  SmoothingSpline *spline; // by recorded channel; value NULL: none
} KindMaker;

const char *state_origin_word(StateOrigin o) {
  static const char *const WORDS[] = {"measured", "spline", "tied", "carried"};
  return WORDS[o];
}

static const char *state_name(const Problem *p, int i) {
  return p->model->flat->variables.at[p->model->state[i]].name;
}

static bool is_discrete(const Model *m, int state) { // it changes at events only
  return m->flat->hybrid && expr_is_value(m->graph, m->f[state], 0);
}

// ---------------------------------------------------------------- which channels are states

static int channel_of(const KindMaker *k, Expr bare) {
  for (int c = 0; c < k->e->recorded_count; c++)
    if (k->e->recorded[c].bare == bare) return c;
  return -1;
}

static int state_of(const Model *m, Expr bare) {
  for (int i = 0; i < m->nx; i++)
    if (m->x[i] == bare) return i;
  return -1;
}

static const Unknown *unknown_of(const KindMaker *k, int parameter) {
  for (int i = 0; parameter >= 0 && i < k->p->unknown_count; i++) {
    const Unknown *u = &k->p->unknowns[i];
    if (u->parameter == parameter && (u->experiment < 0 || u->experiment == k->number)) return u;
  }
  return NULL;
}

// A state is known from its channel only if nothing about the sensor is unknown.
static bool check_sensor(const KindMaker *k, const Channel *c) {
  const Unknown *gain = unknown_of(k, c->gain), *offset = unknown_of(k, c->offset);
  if (gain || offset)
    return fail(
        k->err, ERR_UNSUPPORTED,
        "%.100s is estimated, but with residual: %s the state %.100s must be known from its "
        "channel; give the %s as a number",
        gain ? gain->name : offset->name, residual_word(k->p), c->name, gain ? "gain" : "offset");
  return true;
}

static bool check_channels(const KindMaker *k) {
  if (k->e->without_times)
    return fail(k->err, ERR_UNSUPPORTED,
                "residual: %s needs times; rows of %.200s have none (time: row)",
                residual_word(k->p), k->e->file);
  for (int c = 0; c < k->e->recorded_count; c++) {
    const Channel *ch = &k->e->recorded[c];
    if (ch->delay >= 0)
      return fail(k->err, ERR_UNSUPPORTED,
                  "%.100s has a delay: with residual: %s states and data are compared sample by "
                  "sample; shift the column instead",
                  ch->name, residual_word(k->p));
    if (state_of(k->p->model, ch->bare) >= 0 && !check_sensor(k, ch)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- where states come from

// Measured state whose derivative this one is; -1: none.
static int measured_integral(const KindMaker *k, int state) {
  const Model *m = k->p->model;
  for (int i = 0; i < m->nx; i++)
    if (m->f[i] == m->x[state] && channel_of(k, m->x[i]) >= 0) return i;
  return -1;
}

static bool fail_missing(const KindMaker *k, int state) {
  const char *name = state_name(k->p, state);
  if (k->p->options.residual == RESIDUAL_PREDICTION)
    return fail(k->err, ERR_DATA,
                "residual: prediction needs a measured state to begin from, but nothing that is "
                "measured in %.200s is a state; the state %.100s is missing",
                k->e->file, name);
  if (is_discrete(k->p->model, state))
    return fail(k->err, ERR_UNSUPPORTED,
                "residual: equation compares derivatives, but %.100s changes at events only; use "
                "residual: prediction",
                name);
  return fail(k->err, ERR_DATA,
              "residual: equation needs all states from the data: %.100s is neither measured in "
              "%.200s nor the derivative of a state that is",
              name, k->e->file);
}

static bool find_source(const KindMaker *k, int state, StateSource *s) {
  const Model *m = k->p->model;
  bool equation = k->p->options.residual == RESIDUAL_EQUATION;
  *s = (StateSource){STATE_MEASURED, channel_of(k, m->x[state])};
  if (equation && is_discrete(m, state)) return fail_missing(k, state);
  if (s->channel >= 0) {
    if (equation && channel_of(k, m->f[state]) < 0) s->origin = STATE_SPLINE;
    return true;
  }
  int integral = equation ? measured_integral(k, state) : -1;
  if (integral >= 0)
    *s = (StateSource){STATE_SPLINE, channel_of(k, m->x[integral])};
  else if (is_discrete(m, state))
    s->origin = STATE_CARRIED;
  else if (!equation)
    s->origin = STATE_TIED;
  else
    return fail_missing(k, state);
  return true;
}

// The slopes of states that the coupled model supplies are those by parameters of the motion.
static bool check_tie(const KindMaker *k, int state) {
  for (int c = 0; c < k->e->recorded_count; c++) {
    const Channel *ch = &k->e->recorded[c];
    const Unknown *gain = unknown_of(k, ch->gain), *offset = unknown_of(k, ch->offset);
    if (gain || offset)
      return fail(k->err, ERR_UNSUPPORTED,
                  "%.100s is estimated, but the state %.100s is not measured and would follow from "
                  "the model coupled to that channel; measure the state, or give the number",
                  gain ? gain->name : offset->name, state_name(k->p, state));
  }
  return true;
}

static bool find_sources(const KindMaker *k) {
  const Model *m = k->p->model;
  KnownStates *s = k->e->states;
  int measured = 0, tie = 0, missing = -1;
  for (int i = 0; i < m->nx; i++) {
    if (!find_source(k, i, &s->source[i])) return false;
    StateOrigin origin = s->source[i].origin;
    if (origin == STATE_TIED) s->tied = true, missing = i;
    if (origin == STATE_MEASURED || origin == STATE_SPLINE) measured++, tie += !is_discrete(m, i);
  }
  if (m->nx && !measured) return fail_missing(k, missing >= 0 ? missing : 0);
  if (s->tied && !tie) return fail_missing(k, missing);
  return !s->tied || check_tie(k, missing);
}

// ---------------------------------------------------------------- their values

static double gain_of(const KindMaker *k, const Channel *c) {
  return c->gain >= 0 ? k->e->p[c->gain] : 1;
}

static double offset_of(const KindMaker *k, const Channel *c) {
  return c->offset >= 0 ? k->e->p[c->offset] : 0;
}

// The spline of the state that the channel measures.
static void make_spline(KindMaker *k, int channel) {
  const Channel *c = &k->e->recorded[channel];
  SmoothingSpline *s = &k->spline[channel];
  double gain = gain_of(k, c), offset = offset_of(k, c);
  bool given = c->sigma_kind == SIGMA_NUMBER || c->sigma_kind == SIGMA_RELATIVE;
  double *x = ARENA_ARRAY(k->arena, double, c->count + 1);
  for (int i = 0; i < c->count; i++) x[i] = (c->y[i] - offset) / gain;
  if (!s->value)
    *s = smoothing_spline(k->arena, c->t, x, c->count, given ? c->sigma / fabs(gain) : nan(""));
}

// Rows of the data that have a sample of the channel: row[i] of sample i.
static int *rows_of(const KindMaker *k, const Channel *c) {
  int *row = ARENA_ARRAY(k->arena, int, c->count + 1);
  for (int i = 0, at = 0; i < c->count; i++) {
    while (at < k->e->row_count && k->e->row_t[at] < c->t[i]) at++;
    row[i] = at;
  }
  return row;
}

// Samples at both ends where the spline, whose curvature is 0 there, does not follow the data: some of its widths, a tenth of
// the data at most.
static int edge_of(const SmoothingSpline *g, int count) {
  static const double WIDTHS = 4;
  return (int)fmin(ceil(WIDTHS * count / g->freedom), floor(count / 10.0));
}

static void fill_state(KindMaker *k, int state) {
  const Model *m = k->p->model;
  KnownStates *s = k->e->states;
  const StateSource *from = &s->source[state];
  if (from->channel < 0) return;
  const Channel *c = &k->e->recorded[from->channel];
  double gain = gain_of(k, c), offset = offset_of(k, c);
  bool itself = c->bare == m->x[state];
  const int *row = rows_of(k, c);
  if (from->origin == STATE_SPLINE) make_spline(k, from->channel);
  const SmoothingSpline *g = &k->spline[from->channel];
  int edge = from->origin == STATE_SPLINE ? edge_of(g, c->count) : 0;
  for (int i = edge; i < c->count - edge; i++) {
    double *x = &s->x[(size_t)row[i] * (size_t)m->nx + (size_t)state];
    if (from->origin == STATE_MEASURED)
      *x = (c->y[i] - offset) / gain;
    else
      *x = itself ? g->value[i] : g->slope[i];
  }
}

static bool take_states(KindMaker *k) {
  int nx = k->p->model->nx;
  KnownStates *s = k->e->states = ARENA_NEW(k->arena, KnownStates);
  size_t numbers = (size_t)k->e->row_count * (size_t)nx;
  s->source = ARENA_ARRAY(k->arena, StateSource, nx + 1);
  s->x = ARENA_ARRAY(k->arena, double, numbers + 1);
  for (size_t i = 0; i < numbers; i++) s->x[i] = nan("");
  if (!check_channels(k) || !find_sources(k)) return false;
  for (int i = 0; i < nx; i++) fill_state(k, i);
  return true;
}

// An estimated start value of a state that always begins at its data has no effect.
static bool check_unknowns(const KindMaker *k) {
  const Model *m = k->p->model;
  for (int i = 0; i < m->nx; i++) {
    const char *name = arena_print(k->arena, "%s.start", state_name(k->p, i));
    if (k->e->states->source[i].channel < 0) continue;
    for (int u = 0; u < k->p->unknown_count; u++)
      if (strcmp(m->flat->parameters.at[k->p->unknowns[u].parameter].name, name) == 0)
        return fail(k->err, ERR_VALUE,
                    "%.100s is estimated, but with residual: %s it has no effect: %.100s begins at "
                    "its data everywhere",
                    name, residual_word(k->p), state_name(k->p, i));
  }
  return true;
}

// ---------------------------------------------------------------- channels

// residual: equation. Channels that are states become derivatives; where those are measured themselves, they are left out.
static void make_derivatives(KindMaker *k) {
  const Model *m = k->p->model;
  Experiment *e = k->e;
  Channel *out = ARENA_ARRAY(k->arena, Channel, e->recorded_count + 1);
  e->channel_count = 0;
  for (int c = 0; c < e->recorded_count; c++) {
    Channel ch = e->recorded[c];
    int state = state_of(m, ch.bare);
    if (state < 0) {
      out[e->channel_count++] = ch;
      continue;
    }
    if (channel_of(k, ch.bare) != c || channel_of(k, m->f[state]) >= 0) continue;
    int rate = state_of(m, m->f[state]); // not measured: its own derivative is what tells
    const SmoothingSpline *g = &k->spline[c];
    int of = rate >= 0 ? rate : state;
    ch.name = arena_print(k->arena, "der(%s)", state_name(k->p, of));
    ch.bare = ch.measured = m->f[of];
    ch.gain = ch.offset = -1;
    ch.unit = "";
    if (ch.sigma_kind != SIGMA_ESTIMATED) ch.sigma_kind = SIGMA_UNKNOWN; // it was that of the state
    ch.y = rate >= 0 ? g->curvature : g->slope;
    ch.spline_freedom = g->freedom;
    out[e->channel_count++] = ch;
  }
  e->channels = out;
}

static bool is_complete(const KindMaker *k, int row) {
  int nx = k->p->model->nx;
  const KnownStates *s = k->e->states;
  for (int i = 0; row >= 0 && i < nx; i++)
    if (s->source[i].channel >= 0 && isnan(s->x[(size_t)row * (size_t)nx + (size_t)i]))
      return false;
  return row >= 0;
}

// The sample of the channel in a row, NaN: none. `at` moves on with the rows.
static double sample_in(const Channel *c, const int *row, int wanted, int *at) {
  while (*at < c->count && row[*at] < wanted) ++*at;
  return *at < c->count && row[*at] == wanted ? c->y[*at] : nan("");
}

// Leaves out the samples that do not follow from known states. Channels without gaps go on sharing their times.
static bool cut_channel(KindMaker *k, Channel *c) {
  int most = c->count, first = 0, n = 0, at = 0;
  const int *row = rows_of(k, c);
  bool *kept = ARENA_ARRAY(k->arena, bool, most + 1);
  for (int i = 0; i < most; i++) n += kept[i] = is_complete(k, row[i] - k->ahead);
  while (first < most && !kept[first]) first++;
  bool together = n == most - first;
  double *t = ARENA_ARRAY(k->arena, double, n + 1), *y = ARENA_ARRAY(k->arena, double, n + 1);
  double *from = ARENA_ARRAY(k->arena, double, n + 1), *weight = NULL;
  if (c->sample_weight) weight = ARENA_ARRAY(k->arena, double, n + 1);
  Channel whole = *c;
  for (int i = first, j = 0; i < most; i++) {
    if (!kept[i]) continue;
    t[j] = c->t[i], y[j] = c->y[i];
    if (weight) weight[j] = c->sample_weight[i];
    from[j++] = sample_in(&whole, row, row[i] - k->ahead, &at);
  }
  c->t = together ? c->t + first : t;
  c->y = together ? c->y + first : y;
  c->from = k->ahead ? from : NULL;
  c->sample_weight = weight;
  c->unpredicted = most - n;
  c->count = n;
  int least = k->p->options.criterion == CRITERION_INTEGRAL ? 2 : 1;
  return n >= least ||
         fail(k->err, ERR_DATA,
              "column '%.100s' of %.200s has %d sample%s that can be computed from known states "
              "(all "
              "measured states must have a value %d row%s before): at least %d %s needed",
              c->column, k->e->file, n, n == 1 ? "" : "s", k->ahead, k->ahead == 1 ? "" : "s",
              least, least == 1 ? "is" : "are");
}

static bool make_experiment(KindMaker *k) {
  Experiment *e = k->e;
  k->spline = ARENA_ARRAY(k->arena, SmoothingSpline, e->recorded_count + 1);
  if (!take_states(k) || !check_unknowns(k)) return false;
  if (k->p->options.residual == RESIDUAL_EQUATION)
    make_derivatives(k);
  else {
    e->channels = ARENA_ARRAY(k->arena, Channel, e->recorded_count + 1);
    memcpy(e->channels, e->recorded, (size_t)e->recorded_count * sizeof *e->channels);
    e->channel_count = e->recorded_count;
  }
  if (!e->channel_count)
    return fail(k->err, ERR_DATA, "no equation is left to compare with the data of %.200s",
                e->file);
  for (int c = 0; c < e->channel_count; c++)
    if (!cut_channel(k, &e->channels[c])) return false;
  return true;
}

// ---------------------------------------------------------------- scale

// Least and largest value of what the channels of one name are about: increments, or the data themselves.
static double range_of(const Problem *p, const char *name) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++) {
      const Channel *ch = &p->experiments[e].channels[c];
      if (strcmp(ch->name, name) != 0) continue;
      for (int i = 0; i < ch->count; i++) {
        double y = ch->from ? ch->y[i] - ch->from[i] : ch->y[i]; // fmin and fmax ignore NaN
        low = fmin(low, y), high = fmax(high, y);
      }
    }
  return high - low;
}

bool residual_kind_scale(Problem *p, Arena *a, Err *err) {
  static const char *const OF[] = {"data", "increments", "derivatives"};
  if (p->options.scale == SCALE_NONE) return true;
  for (int e = 0; e < p->experiment_count; e++) {
    Experiment *x = &p->experiments[e];
    Channel *copy = ARENA_ARRAY(a, Channel, x->channel_count + 1);
    memcpy(copy, x->channels, (size_t)x->channel_count * sizeof *copy);
    for (int c = 0; c < x->channel_count; c++) {
      double r = copy[c].range = range_of(p, copy[c].name);
      if (!(r > 0) || !isfinite(r))
        return fail(err, ERR_DATA,
                    "scale divides by the range of the %s of %.100s, which is 0: column '%.100s' "
                    "does not change",
                    OF[p->options.residual], copy[c].name, copy[c].column);
      copy[c].weight /= p->options.scale == SCALE_RANGE ? r : r * r;
    }
    x->channels = copy;
  }
  return true;
}

// ---------------------------------------------------------------- all

bool residual_kind_apply(Problem *p, Arena *a, Err *err) {
  bool equation = p->options.residual == RESIDUAL_EQUATION;
  for (int e = 0; e < p->experiment_count; e++) {
    KindMaker k = {.p = p,
                   .arena = a,
                   .err = err,
                   .number = e,
                   .e = &p->experiments[e],
                   .ahead = equation ? 0 : p->options.prediction_ahead};
    k.e->channels = k.e->recorded, k.e->channel_count = k.e->recorded_count;
    if (!problem_simulates(p) && !make_experiment(&k)) return false;
  }
  if (equation) problem_list_measured(p, a, p->experiment_count, 0);
  return true;
}

// ---------------------------------------------------------------- in words

static const char *step_in_words(const Problem *p) {
  if (p->options.prediction_by == PREDICTION_BY_INTEGRATOR) return "by the integrator";
  if (p->model->flat->hybrid) return "by the integrator from event to event";
  return p->options.prediction_by == PREDICTION_BY_EULER
             ? "by one Euler step for each sample interval"
             : "by one Runge-Kutta step (rk4) for each sample interval";
}

static void describe_rows(const Problem *p, Text *out) {
  int ahead = p->options.prediction_ahead;
  if (p->options.residual == RESIDUAL_EQUATION)
    text_add(out, "Residuals are errors of derivatives that the equations give at the states of "
                  "the data.");
  else if (p->options.residual == RESIDUAL_PREDICTION)
    text_print(out, "Residuals are errors of predictions %d sample%s ahead, %s.", ahead,
               ahead == 1 ? "" : "s", step_in_words(p));
}

static bool has_origin(const Problem *p, int state, StateOrigin origin) {
  for (int e = 0; e < p->experiment_count; e++)
    if (p->experiments[e].states && p->experiments[e].states->source[state].origin == origin)
      return true;
  return false;
}

// A state may come from somewhere else in another experiment.
static void describe_states(const Problem *p, Text *out) {
  static const char *const FROM[] = {
      "measured", "from smoothing splines of the data (generalised cross-validation, or sigma)",
      "from the model coupled to the data", "from the events of the model"};
  bool begun = false;
  if (problem_simulates(p)) return;
  for (int o = 0; o <= STATE_CARRIED; o++) {
    int count = 0;
    for (int i = 0; i < p->model->nx; i++) {
      if (!has_origin(p, i, (StateOrigin)o)) continue;
      text_print(out, "%s%s", count ? ", " : begun ? "; " : " States: ", state_name(p, i));
      count++;
    }
    if (count) text_print(out, " %s", FROM[o]), begun = true;
  }
  if (begun) text_add(out, ".");
}

static void describe_derivatives(const Problem *p, Text *out) {
  int count = 0;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      count += p->experiments[e].channels[c].spline_freedom > 0;
  if (count) text_add(out, " Derivatives that are not measured are those of the splines.");
}

static void describe_scale(const Problem *p, Text *out) {
  static const char *const OF[] = {"data", "increments", "derivatives"};
  if (p->options.scale == SCALE_NONE) return;
  text_print(out, "%sResiduals of a channel are divided by %sthe range of its %s.",
             out->length ? " " : "", p->options.scale == SCALE_RANGE ? "the square root of " : "",
             OF[p->options.residual]);
}

void residual_kind_describe(const Problem *p, Text *out) {
  describe_rows(p, out);
  describe_states(p, out);
  describe_derivatives(p, out);
  describe_scale(p, out);
}
