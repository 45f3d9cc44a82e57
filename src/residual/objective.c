#include "residual/objective.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "num/noise.h"
#include "residual/hub.h"
#include "residual/objective_parts.h"

enum {
  CHUNK = 128,         // rows that are reduced at once: they stay in the first cache
  TRIAL_STEPS = 20000, // of the integrator that any trial may take once one has succeeded
  TRIAL_FACTOR = 50,   // and how many times those of the best run so far
};
static const double TIED_REL_TOL = 1e-6,
                    TIED_ABS_TOL = 1e-8; // a tied fit is only a start for the free one

// ---------------------------------------------------------------- data

static const Channel *channel_of(const Objective *o, int e, int c) {
  return &o->problem->experiments[e].channels[c];
}

static double mean_of(const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i];
  return n ? sum / n : 0;
}

// Trapezoid rule on the channel's own samples.
static void find_quadrature(const Objective *o, const Channel *c, double *q) {
  for (int i = 0; i < c->count; i++) {
    double before = i > 0 ? c->t[i] - c->t[i - 1] : 0;
    double after = i + 1 < c->count ? c->t[i + 1] - c->t[i] : 0;
    q[i] = o->problem->options.criterion == CRITERION_INTEGRAL ? (before + after) / 2 : 1;
  }
}

// rms of the slope over rms of the deviation; what noise adds to differences is taken off.
static double find_frequency(const Channel *c, double mean, double noise) {
  double rise = 0, time = 0, deviation = 0, known = isnan(noise) ? 0 : noise;
  for (int i = 0; i < c->count; i++) deviation += (c->y[i] - mean) * (c->y[i] - mean);
  deviation -= c->count * known * known;
  for (int i = 1; i < c->count; i++) {
    double dt = c->t[i] - c->t[i - 1], dy = c->y[i] - c->y[i - 1];
    rise += (dy * dy - 2 * known * known) / (dt * dt) * dt;
    time += dt;
  }
  double slowest = time > 0 ? 6.283185307179586 / time : 1;
  if (!(rise > 0) || !(deviation > 0)) return slowest;
  return fmax(slowest, sqrt(rise / time / (deviation / c->count)));
}

static void set_scale(Objective *o, int e, int c) {
  const Channel *ch = channel_of(o, e, c);
  ChannelData *d = &o->data[e][c];
  double sigma = o->sigma[o->first_channel[e] + c];
  for (int i = 0; i < ch->count; i++) d->scale[i] = sqrt(ch->weight * d->quadrature[i]) / sigma;
  bool known = ch->sigma_kind != SIGMA_UNKNOWN;
  d->huber = HUGE_VAL;
  if (o->problem->options.loss != LOSS_HUBER) return;
  double deviation = known ? sigma : d->noise;
  if (deviation > 0) d->huber = o->problem->options.huber_limit * deviation;
}

static double first_sigma(const Channel *ch, const ChannelData *d) {
  if (ch->sigma_kind == SIGMA_NUMBER || ch->sigma_kind == SIGMA_RELATIVE) return ch->sigma;
  if (ch->sigma_kind == SIGMA_UNKNOWN) return 1;
  double spread = 0;
  for (int i = 0; i < ch->count; i++) spread += (ch->y[i] - d->mean) * (ch->y[i] - d->mean);
  spread = sqrt(spread / (ch->count ? ch->count : 1));
  double noise = d->noise > 1e-3 * spread ? d->noise : 1e-3 * spread;
  return noise > 0 ? noise : 1; // a first guess; see objective_update_sigma
}

// Noise by differences, without outliers where they count less. Where an input jumps, so may what is measured.
static double noise_of(Objective *o, int e, const Channel *ch) {
  if (o->problem->options.loss == LOSS_HUBER)
    return noise_deviation_robust(ch->t, ch->y, ch->count);
  const Experiment *x = &o->problem->experiments[e];
  Arena *scratch = arena_new();
  IntArray jumps = {0};
  for (int i = 0; i + 1 < ch->count; i++) {
    bool jump = false;
    for (int u = 0; u < o->problem->model->nu && !jump; u++)
      jump = input_kind(x->inputs[u]) == INPUT_HOLD &&
             input_next_break(x->inputs[u], ch->t[i], 0) <= ch->t[i + 1];
    if (jump) array_push(scratch, &jumps, i);
  }
  // An input that is held from sample to sample jumps everywhere: then nothing would be left.
  if (3 * jumps.count > ch->count) jumps.count = 0;
  double noise = noise_deviation_between(ch->t, ch->y, ch->count, jumps.at, jumps.count);
  arena_free(scratch);
  return noise;
}

static void look_at_channel(Objective *o, int e, int c) {
  const Channel *ch = channel_of(o, e, c);
  ChannelData *d = &o->data[e][c];
  d->scale = ARENA_ARRAY(o->arena, double, ch->count + 1);
  d->quadrature = ARENA_ARRAY(o->arena, double, ch->count + 1);
  d->mean = mean_of(ch->y, ch->count);
  d->noise = noise_of(o, e, ch);
  d->frequency = find_frequency(ch, d->mean, d->noise);
  find_quadrature(o, ch, d->quadrature);
  o->sigma[o->first_channel[e] + c] = first_sigma(ch, d);
  set_scale(o, e, c);
}

static void look_at_data(Objective *o) {
  const Problem *p = o->problem;
  o->plans = ARENA_ARRAY(o->arena, Plan *, p->experiment_count + 1);
  o->data = ARENA_ARRAY(o->arena, ChannelData *, p->experiment_count + 1);
  o->first_channel = ARENA_ARRAY(o->arena, int, p->experiment_count + 1);
  int most = 0;
  for (int e = 0; e < p->experiment_count; e++) {
    o->first_channel[e] = o->channel_count;
    o->channel_count += p->experiments[e].channel_count;
    most = p->experiments[e].channel_count > most ? p->experiments[e].channel_count : most;
  }
  o->sigma = ARENA_ARRAY(o->arena, double, o->channel_count + 1);
  o->next = ARENA_ARRAY(o->arena, int, most + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    o->plans[e] = plan_new(o->arena, &p->experiments[e]);
    o->data[e] = ARENA_ARRAY(o->arena, ChannelData, p->experiments[e].channel_count + 1);
    for (int c = 0; c < p->experiments[e].channel_count; c++) look_at_channel(o, e, c);
  }
}

// ---------------------------------------------------------------- set-up

static int most_rows(const Objective *o) {
  int most = 1;
  for (int e = 0; e < o->problem->experiment_count; e++) {
    int rows = 0;
    for (int c = 0; c < o->problem->experiments[e].channel_count; c++)
      rows += channel_of(o, e, c)->count; // a delay can move all of them apart
    if (!o->plans[e]->delayed) rows = o->plans[e]->count;
    most = rows > most ? rows : most;
  }
  return most;
}

static int position(const int *list, int count, int value) {
  for (int i = 0; i < count; i++)
    if (list[i] == value) return i;
  return -1;
}

static void map_slopes(Objective *o) {
  const Problem *p = o->problem;
  o->slope_of = ARENA_ARRAY(o->arena, int *, p->experiment_count + 1);
  o->active = ARENA_ARRAY(o->arena, int *, p->experiment_count + 1);
  o->active_count = ARENA_ARRAY(o->arena, int, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    o->slope_of[e] = ARENA_ARRAY(o->arena, int, o->n + 1);
    o->active[e] = ARENA_ARRAY(o->arena, int, o->n + 1);
    for (int i = 0; i < o->n; i++) {
      bool here = p->unknowns[i].experiment < 0 || p->unknowns[i].experiment == e;
      o->slope_of[e][i] =
          here ? position(o->free->parameters, o->free->parameter_count, p->unknowns[i].parameter)
               : -1;
      if (o->slope_of[e][i] >= 0) o->active[e][o->active_count[e]++] = i;
    }
  }
}

static void make_blocks(Objective *o) {
  int columns = o->n + 1;
  o->qr = qr_sum_new(o->arena, o->n);
  o->vector_R = ARENA_ARRAY(o->arena, double, (size_t)o->n *columns + 1);
  o->part = qr_sum_new(o->arena, o->n);
  o->part_column = ARENA_ARRAY(o->arena, double *, columns + 1);
  o->block = ARENA_ARRAY(o->arena, double, (size_t)columns *CHUNK + 16);
  o->block_column = ARENA_ARRAY(o->arena, double *, columns + 1);
  for (int i = 0; i < columns; i++) o->block_column[i] = o->block + (size_t)i * CHUNK;
}

Objective *objective_new(const Problem *p) {
  Arena *a = arena_new();
  Objective *o = ARENA_NEW(a, Objective);
  o->arena = a;
  o->problem = p;
  o->n = p->unknown_count;
  o->horizon = 1;
  look_at_data(o);
  o->free = rig_new(p, p->model, &p->simulate, most_rows(o));
  o->last = o->free;
  map_slopes(o);
  make_blocks(o);
  return o;
}

void objective_reset(Objective *o) {
  for (int e = 0; e < o->problem->experiment_count; e++)
    for (int c = 0; c < o->problem->experiments[e].channel_count; c++) {
      o->sigma[o->first_channel[e] + c] = first_sigma(channel_of(o, e, c), &o->data[e][c]);
      set_scale(o, e, c);
    }
  o->factor = 1, o->lambda = 0, o->horizon = 1, o->quick = false;
  o->best_steps = 0, o->looked = 0, o->cut = false;
  o->work = (FitWork){0};
  o->violation = (InvariantViolation){0};
  o->listener = NULL, o->listener_data = NULL;
  o->message[0] = 0;
  o->last = o->free;
}

void objective_set_hub(Objective *o, Hub *h) {
  o->hub = h;
}

const Problem *objective_problem(const Objective *o) {
  return o->problem;
}

static void untie(Objective *o) {
  rig_free(o->tied);
  arena_free(o->tie_arena);
  o->tied = NULL, o->tie_arena = NULL;
  o->last = o->free;
}

void objective_free(Objective *o) {
  if (!o) return;
  untie(o);
  differences_free(o->differences);
  rig_free(o->free);
  arena_free(o->arena);
}

void objective_listen(Objective *o, bool (*listener)(void *), void *data) {
  o->listener = listener, o->listener_data = data;
}

// ---------------------------------------------------------------- the tie

static const Input *data_as_input(Objective *o, int e, int measured) {
  const Experiment *x = &o->problem->experiments[e];
  for (int c = 0; c < x->channel_count; c++) {
    if (o->problem->channel_measured[e][c] != measured) continue;
    const Channel *ch = &x->channels[c];
    double delay = ch->delay >= 0 ? x->p[ch->delay] : 0;
    double *t = ARENA_ARRAY(o->tie_arena, double, ch->count + 1);
    for (int i = 0; i < ch->count; i++) t[i] = ch->t[i] - delay;
    Err err = {0};
    const Input *in = input_new(o->tie_arena, t, ch->y, ch->count, INPUT_SPLINE, &err);
    if (in) return in;
  }
  return input_constant(o->tie_arena, 0); // its gain is 0
}

static void make_data_inputs(Objective *o) {
  const Problem *p = o->problem;
  o->data_inputs = ARENA_ARRAY(o->tie_arena, const Input **, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    int own = o->coupled->first_input;
    o->data_inputs[e] = ARENA_ARRAY(o->tie_arena, const Input *, own + p->measured_count + 1);
    for (int i = 0; i < own; i++) o->data_inputs[e][i] = p->experiments[e].inputs[i];
    for (int k = 0; k < p->measured_count; k++) o->data_inputs[e][own + k] = data_as_input(o, e, k);
  }
}

static bool is_tied_so(const Objective *o, const Coupling *c) {
  const Coupling *have = &o->coupling;
  if (!o->tied || have->measured != c->measured || have->channels != c->channels ||
      have->integral != c->integral || have->term_count != c->term_count)
    return false;
  for (int i = 0; i < c->term_count; i++) {
    const CoupleTerm *a = &have->terms[i], *b = &c->terms[i];
    if (a->channel != b->channel || a->state != b->state || a->rate != b->rate ||
        a->direction != b->direction)
      return false;
  }
  return true;
}

void objective_tie(Objective *o, const Coupling *c, const double *gain, double gain_integral) {
  if (is_tied_so(o, c)) {
    memcpy(o->gain, gain, (size_t)c->term_count * sizeof *gain);
    o->gain_integral = gain_integral;
    o->factor = 1;
    return;
  }
  untie(o);
  o->tie_arena = arena_new();
  o->coupling = *c;
  o->coupling.terms = ARENA_ARRAY(o->tie_arena, CoupleTerm, c->term_count + 1);
  memcpy(o->coupling.terms, c->terms, (size_t)c->term_count * sizeof *c->terms);
  o->gain = ARENA_ARRAY(o->tie_arena, double, c->term_count + 1);
  memcpy(o->gain, gain, (size_t)c->term_count * sizeof *gain);
  o->gain_integral = gain_integral;
  o->factor = 1;
  o->coupled = couple(o->problem->model, c);
  SimulateOptions options = o->problem->simulate;
  options.rel_tol = fmax(options.rel_tol, TIED_REL_TOL);
  options.abs_tol = fmax(options.abs_tol, TIED_ABS_TOL);
  o->tied = rig_new(o->problem, o->coupled->model, &options, most_rows(o));
  make_data_inputs(o);
}

void objective_follow(Objective *to, const Objective *from) {
  size_t bytes = (size_t)from->channel_count * sizeof *from->sigma;
  if (memcmp(to->sigma, from->sigma, bytes) != 0) objective_set_sigma(to, from->sigma);
  if (from->lambda > 0 && from->tied)
    objective_tie(to, &from->coupling, from->gain, from->gain_integral);
  to->factor = from->factor;
  to->lambda = from->lambda;
  to->horizon = from->horizon;
  to->best_steps = from->best_steps;
  objective_set_quick(to, from->quick);
}

void objective_strengthen(Objective *o, double factor) {
  o->factor = factor;
}
void objective_set_lambda(Objective *o, double lambda) {
  o->lambda = lambda;
}
void objective_set_horizon(Objective *o, double fraction) {
  o->horizon = fraction;
}
double objective_lambda(const Objective *o) {
  return o->lambda;
}

bool objective_is_full(const Objective *o) {
  return o->lambda == 0 && o->horizon >= 1 && !o->quick;
}

Rig *objective_rig(Objective *o) {
  return o->lambda > 0 && o->tied ? o->tied : o->free;
}

bool objective_set_quick(Objective *o, bool quick) {
  o->quick = quick && objective_rig(o)->has_quick;
  return o->quick;
}

static bool has_data(const Objective *o, int e, int measured) {
  const int *list = o->problem->channel_measured[e];
  return position(list, o->problem->experiments[e].channel_count, measured) >= 0;
}

static void set_tie(Objective *o, int e, double *p) {
  const Coupled *k = o->coupled;
  p[k->lambda] = o->lambda;
  for (int i = 0; i < o->coupling.term_count; i++) {
    const CoupleTerm *term = &o->coupling.terms[i];
    double factor = term->rate ? o->factor * o->factor : o->factor;
    p[k->gain[i]] = has_data(o, e, term->channel) ? factor * o->gain[i] : 0;
  }
  for (int i = 0; k->gain_integral && i < o->coupling.channels; i++)
    p[k->gain_integral[i]] = has_data(o, e, i) ? o->gain_integral : 0;
}

// ---------------------------------------------------------------- one simulation

void objective_set_parameters(Objective *o, Rig *r, int e, const double *x) {
  const Problem *p = o->problem;
  memcpy(r->p, p->experiments[e].p, (size_t)p->model->np * sizeof *r->p);
  for (int i = 0; i < o->n; i++)
    if (p->unknowns[i].experiment < 0 || p->unknowns[i].experiment == e)
      r->p[p->unknowns[i].parameter] = x[i];
  if (r == o->tied) set_tie(o, e, r->p);
  if (o->plans[e]->delayed) plan_update(o->plans[e], &p->experiments[e], r->p);
}

static const Input *const *inputs_of(Objective *o, Rig *r, int e) {
  return r == o->tied ? o->data_inputs[e] : o->problem->experiments[e].inputs;
}

int objective_rows_in_horizon(const Objective *o, int e) {
  const Plan *plan = o->plans[e];
  if (o->horizon >= 1) return plan->count;
  const Experiment *x = &o->problem->experiments[e];
  double end = x->start + o->horizon * (x->stop - x->start);
  int rows = 0;
  while (rows < plan->count && plan->times[rows] <= end) rows++;
  return rows;
}

static double loss(double residual, double huber) { // rho, without the factor scale^2
  double size = fabs(residual);
  return size <= huber ? residual * residual / 2 : huber * (size - huber / 2);
}

enum { STEPS_BETWEEN_LOOKS = 2000 }; // at the listener: some milliseconds

static bool listener_goes_on(Objective *o) {
  if (++o->looked % STEPS_BETWEEN_LOOKS || !o->listener) return true;
  o->interrupted = !o->listener(o->listener_data);
  return !o->interrupted;
}

// Partial objective while the simulation runs: false once it exceeds what is worth finishing.
static bool watch(void *data, int rows) {
  Objective *o = data;
  int e = o->watched;
  if (!listener_goes_on(o)) return false;
  if (o->worth == HUGE_VAL || o->problem->options.round_digits > 0) return true;
  const Experiment *x = &o->problem->experiments[e];
  for (int c = 0; c < x->channel_count; c++) {
    const Channel *ch = &x->channels[c];
    const ChannelData *d = &o->data[e][c];
    const int *row = o->plans[e]->channels[c].row;
    const double *y = o->last->column[o->problem->channel_measured[e][c]];
    int i = o->next[c];
    double sum = 0;
    if (d->huber == HUGE_VAL)
      for (; i < ch->count && row[i] < rows; i++) {
        double r = (y[row[i]] - ch->y[i]) * d->scale[i];
        sum += r * r / 2;
      }
    for (; i < ch->count && row[i] < rows; i++)
      sum += d->scale[i] * d->scale[i] * loss(y[row[i]] - ch->y[i], d->huber);
    o->total += sum;
    o->next[c] = i;
  }
  return o->total <= o->worth;
}

static void count_work(Objective *o, const Rig *r, bool slopes) {
  const Trajectory *t = &r->trajectory;
  *(slopes ? &o->work.sensitivity_simulations : &o->work.simulations) += 1;
  o->work.in_turn++;
  o->work.rhs += t->work.rhs;
  o->work.steps += t->work.steps;
  o->work.rejected += t->work.rejected;
}

static void note_violation(InvariantViolation *v, const Trajectory *t) {
  if (t->violation_of >= 0 && (v->of < 0 || t->violation > v->largest))
    v->largest = t->violation, v->of = t->violation_of;
  if (t->violation_relative > v->relative) v->relative = t->violation_relative;
  if (t->with_sens && t->violation_sens_of >= 0 &&
      (v->sens_of < 0 || t->violation_sens > v->largest_sens))
    v->largest_sens = t->violation_sens, v->sens_of = t->violation_sens_of;
}

static double rounded(double y, int digits) {
  if (y == 0 || !isfinite(y)) return y;
  double unit = pow(10, floor(log10(fabs(y))) + 1 - digits);
  return nearbyint(y / unit) * unit;
}

static void round_outputs(const Rig *r, int rows, int digits) {
  for (int k = 0; k < r->outputs; k++)
    for (int i = 0; i < rows; i++) r->column[k][i] = rounded(r->column[k][i], digits);
}

LsqEnd objective_simulate(Objective *o, Rig *r, int e, bool slopes) {
  const Plan *plan = o->plans[e];
  SimulateRequest request = {.p = r->p,
                             .inputs = inputs_of(o, r, e),
                             .start = o->problem->experiments[e].start,
                             .times = plan->times,
                             .count = objective_rows_in_horizon(o, e)};
  long most = TRIAL_STEPS + TRIAL_FACTOR * o->best_steps;
  request.max_steps = o->best_steps && most < o->problem->simulate.max_steps ? most : 0;
  Trajectory *t = &r->trajectory;
  t->with_sens = slopes && r->parameter_count > 0;
  t->watch = watch;
  t->watch_data = o;
  o->watched = e;
  o->interrupted = false;
  o->last = r;
  memset(o->next, 0, (size_t)o->problem->experiments[e].channel_count * sizeof *o->next);
  if (o->hub)
    hub_simulate(o->hub, o, r, e, &request);
  else
    simulate_run(rig_work(r, o->quick, slopes), &request, t);
  count_work(o, r, slopes);
  note_violation(&o->violation, t);
  if (t->outcome == OUTCOME_ABANDONED) return o->interrupted ? LSQ_STOP : LSQ_ABANDONED;
  if (t->outcome != OUTCOME_REACHED_END) {
    snprintf(o->message, sizeof o->message, "%s", t->message);
    return LSQ_FAILED;
  }
  int digits = o->problem->options.round_digits;
  if (digits > 0) round_outputs(r, request.count, digits);
  return LSQ_DONE;
}

static LsqEnd simulate(Objective *o, Rig *r, int e, const double *x, bool slopes) {
  bool differences = slopes && o->problem->options.derivatives != DERIVATIVES_SENSITIVITIES;
  objective_set_parameters(o, r, e, x);
  LsqEnd end = objective_simulate(o, r, e, slopes && !differences);
  if (end == LSQ_DONE && differences) end = differences_fill(o, r, e, x);
  return end;
}

// ---------------------------------------------------------------- rows

static int samples_in_horizon(const Objective *o, int e, int c) {
  const Channel *ch = channel_of(o, e, c);
  int rows = objective_rows_in_horizon(o, e), n = ch->count;
  const int *row = o->plans[e]->channels[c].row;
  if (o->horizon >= 1) return n;
  while (n > 0 && row[n - 1] >= rows) n--;
  return n;
}

static void fill_slopes(Objective *o, const Rig *r, int e, int c, int first, int rows) {
  const Channel *ch = channel_of(o, e, c);
  const int *row = o->plans[e]->channels[c].row + first;
  const double *scale = o->data[e][c].scale + first;
  int output = o->problem->channel_measured[e][c];
  // Samples from before the start, which only a delay makes, share their row.
  bool straight = ch->delay < 0 && row[rows - 1] - row[0] == rows - 1;
  for (int i = 0; i < o->n; i++) {
    double *to = o->block_column[i];
    int k = o->slope_of[e][i];
    if (k < 0) {
      memset(to, 0, (size_t)rows * sizeof *to);
      continue;
    }
    const double *from = rig_slope(r, output, k);
    if (straight)
      for (int j = 0; j < rows; j++) to[j] = from[row[0] + j] * scale[j];
    else
      for (int j = 0; j < rows; j++) to[j] = from[row[j]] * scale[j];
    if (ch->delay < 0 || o->problem->unknowns[i].parameter != ch->delay) continue;
    const double *rate = r->column[r->rate[output]];
    for (int j = 0; j < rows; j++) // before the start nothing moves
      if (ch->t[first + j] - r->p[ch->delay] > o->problem->experiments[e].start)
        to[j] -= rate[row[j]] * scale[j];
  }
}

static void fill_residuals(Objective *o, const Rig *r, int e, int c, int first, int rows) {
  const Channel *ch = channel_of(o, e, c);
  const int *row = o->plans[e]->channels[c].row + first;
  const double *scale = o->data[e][c].scale + first, *data = ch->y + first;
  const double *y = r->column[o->problem->channel_measured[e][c]];
  double *to = o->block_column[o->n];
  for (int j = 0; j < rows; j++) to[j] = (y[row[j]] - data[j]) * scale[j];
}

static void each_block(Objective *o, int e, bool slopes, ResidualSink *sink, void *data) {
  const Rig *r = o->last;
  for (int c = 0; c < o->problem->experiments[e].channel_count; c++) {
    int n = samples_in_horizon(o, e, c);
    for (int first = 0; first < n; first += CHUNK) {
      int rows = n - first < CHUNK ? n - first : CHUNK;
      if (slopes) fill_slopes(o, r, e, c, first, rows);
      fill_residuals(o, r, e, c, first, rows);
      sink(data, &(ResidualBlock){e, c, first, rows, o->block_column, o->data[e][c].scale + first});
    }
  }
}

// ---------------------------------------------------------------- the objective

typedef struct Sum {
  Objective *o;
  double objective;
  bool slopes;
  bool in_part; // rows go into that of the experiment
} Sum;

// Rows of an experiment have zeros in the columns of numbers that belong to others: where these are most, its rows get a
// triangle of their own columns first.
static void begin_part(Sum *s, int e) {
  Objective *o = s->o;
  int count = o->active_count[e];
  s->in_part = s->slopes && count < o->n;
  if (!s->in_part) return;
  o->part->n = count;
  qr_sum_clear(o->part);
  for (int k = 0; k < count; k++) o->part_column[k] = o->block_column[o->active[e][k]];
  o->part_column[count] = o->block_column[o->n];
}

static void end_part(const Sum *s) {
  Objective *o = s->o;
  int side = o->part->n + 1;
  for (int first = 0; s->in_part && first < side; first += CHUNK) {
    int rows = side - first < CHUNK ? side - first : CHUNK;
    for (int i = 0; i < o->n; i++) memset(o->block_column[i], 0, (size_t)rows * sizeof(double));
    for (int k = 0; k < side; k++)
      for (int j = 0; j < rows; j++)
        o->part_column[k][j] = o->part->R[(size_t)(first + j) * (size_t)side + (size_t)k];
    qr_sum_add(o->qr, o->block_column, rows);
  }
}

// Rows beyond the limit of the Huber loss count less: sqrt(limit/|r|).
static void reweight(const Objective *o, const ResidualBlock *b, bool slopes, int j, double limit) {
  double *r = b->column[o->n], weight = sqrt(limit / fabs(r[j]));
  for (int i = 0; slopes && i < o->n; i++) b->column[i][j] *= weight;
  r[j] *= weight;
}

// Four sums side by side: the time goes into waiting for the previous one.
static double half_squares(const double *r, int n) {
  double sum[4] = {0};
  int j = 0;
  for (; j + 4 <= n; j += 4)
    for (int k = 0; k < 4; k++) sum[k] += r[j + k] * r[j + k];
  for (; j < n; j++) sum[0] += r[j] * r[j];
  return (sum[0] + sum[1] + (sum[2] + sum[3])) / 2;
}

// Rows for those who want them all: half the sum of their squares is the objective.
static void keep_vector(Objective *o, double *const *column, int rows, bool slopes) {
  if (!o->vector) return;
  size_t bytes = (size_t)rows * sizeof(double);
  memcpy(o->vector + o->vector_at, column[o->n], bytes);
  for (int i = 0; slopes && o->jacobian && i < o->n; i++)
    memcpy(o->jacobian + (size_t)i * (size_t)o->vector_rows + o->vector_at, column[i], bytes);
  o->vector_at += rows;
}

// A row that was kept, beyond the limit of the Huber loss: half its square becomes that loss, its slopes follow.
static void bend_kept(Objective *o, int back, double limit, bool slopes) {
  if (!o->vector) return;
  int at = o->vector_at - back;
  double *r = &o->vector[at], bent = sqrt(2 * loss(*r, limit));
  for (int i = 0; slopes && o->jacobian && i < o->n; i++)
    o->jacobian[(size_t)i * (size_t)o->vector_rows + (size_t)at] *= limit / bent;
  *r = copysign(bent, *r);
}

static void add_block(void *data, const ResidualBlock *b) {
  Sum *s = data;
  Objective *o = s->o;
  const double *r = b->column[o->n];
  double huber = o->data[b->experiment][b->channel].huber, sum = 0;
  keep_vector(o, b->column, b->rows, s->slopes);
  if (huber == HUGE_VAL) sum = half_squares(r, b->rows);
  for (int j = 0; huber < HUGE_VAL && j < b->rows; j++) {
    double limit = huber * b->scale[j];
    if (!(fabs(r[j]) > limit)) {
      sum += r[j] * r[j] / 2;
      continue;
    }
    sum += loss(r[j], limit);
    bend_kept(o, b->rows - j, limit, s->slopes);
    reweight(o, b, s->slopes, j, limit);
  }
  s->objective += sum;
  if (!s->slopes) return;
  if (s->in_part)
    qr_sum_add(o->part, o->part_column, b->rows);
  else
    qr_sum_add(o->qr, b->column, b->rows);
}

static void add_priors(Sum *s, const double *x) {
  Objective *o = s->o;
  for (int i = 0; i < o->n; i++) {
    const Unknown *f = &o->problem->unknowns[i];
    if (!f->has_prior) continue;
    double r = (x[i] - f->prior_mean) / f->prior_sd;
    s->objective += r * r / 2;
    for (int k = 0; k < o->n; k++) o->block_column[k][0] = k == i ? 1 / f->prior_sd : 0;
    o->block_column[o->n][0] = r;
    keep_vector(o, o->block_column, 1, s->slopes);
    if (s->slopes) qr_sum_add(o->qr, o->block_column, 1);
  }
}

static void take_triangle(const Objective *o, LsqPoint *out) {
  int n = o->n;
  for (int i = 0; i < n; i++) {
    memcpy(out->R + (size_t)i * (size_t)n, o->qr->R + (size_t)i * (size_t)(n + 1),
           (size_t)n * sizeof *out->R);
    out->Qr[i] = o->qr->R[(size_t)i * (size_t)(n + 1) + (size_t)n];
  }
}

static LsqEnd give_up(LsqPoint *out, LsqEnd end) {
  out->objective = HUGE_VAL;
  out->has_slopes = false;
  return end;
}

static bool triangle_is_finite(const Objective *o) {
  double sum = 0;
  for (int i = 0; i < (o->n + 1) * (o->n + 1); i++) sum += o->qr->R[i] * 0;
  return sum == 0;
}

static LsqEnd evaluate(Objective *o, LsqPoint *out, double worth, bool slopes) {
  Rig *r = objective_rig(o);
  Sum sum = {.o = o, .slopes = slopes};
  qr_sum_clear(o->qr);
  add_priors(&sum, out->x);
  o->worth = worth;
  long steps = 0;
  for (int e = 0; e < o->problem->experiment_count; e++) {
    o->total = sum.objective;
    if (e > 0 && o->listener && !o->listener(o->listener_data)) return give_up(out, LSQ_STOP);
    LsqEnd end = simulate(o, r, e, out->x, slopes);
    if (end != LSQ_DONE) return give_up(out, end);
    begin_part(&sum, e);
    each_block(o, e, slopes, add_block, &sum);
    end_part(&sum);
    steps = r->trajectory.work.steps > steps ? r->trajectory.work.steps : steps;
    if (sum.objective > worth) return give_up(out, LSQ_ABANDONED);
  }
  if (!isfinite(sum.objective) || (slopes && !triangle_is_finite(o))) {
    snprintf(o->message, sizeof o->message, "numbers became too large");
    return give_up(out, LSQ_FAILED);
  }
  out->objective = sum.objective;
  out->has_slopes = slopes;
  if (slopes) take_triangle(o, out);
  if (o->best_steps < steps) o->best_steps = steps;
  return LSQ_DONE;
}

long objective_left(const Objective *o) {
  const FitWork *w = &o->work;
  return o->problem->options.max_simulations - w->simulations - w->sensitivity_simulations;
}

int objective_affords(const Objective *o, int count) {
  long most = objective_left(o) / o->problem->experiment_count;
  return most >= count ? count : most > 0 ? (int)most : 0;
}

void objective_cut(Objective *o) {
  o->cut = true;
}

bool objective_was_cut(const Objective *o) {
  return o->cut;
}

bool objective_is_over(Objective *o) {
  return o->cut || objective_left(o) <= 0 || (o->listener && !o->listener(o->listener_data));
}

LsqEnd objective_eval(Objective *o, LsqPoint *out, double worth, bool slopes) {
  if (objective_is_over(o)) return give_up(out, LSQ_STOP);
  double begin = clock_seconds();
  LsqEnd end = evaluate(o, out, worth, slopes);
  o->work.seconds += clock_seconds() - begin;
  return end;
}

int objective_vector_rows(const Objective *o) {
  int rows = 0;
  for (int i = 0; i < o->n; i++) rows += o->problem->unknowns[i].has_prior;
  for (int e = 0; e < o->problem->experiment_count; e++)
    for (int c = 0; c < o->problem->experiments[e].channel_count; c++)
      rows += samples_in_horizon(o, e, c);
  return rows;
}

LsqEnd objective_vector(Objective *o, const double *x, double *r, double *J) {
  LsqPoint at = {.x = (double *)x, .R = o->vector_R, .Qr = o->vector_R + o->n * o->n};
  o->vector = r, o->jacobian = J;
  o->vector_rows = objective_vector_rows(o), o->vector_at = 0;
  LsqEnd end = objective_eval(o, &at, HUGE_VAL, J != NULL);
  o->vector = o->jacobian = NULL;
  return end;
}

const char *objective_why(const Objective *o) {
  return o->message;
}
const FitWork *objective_work(const Objective *o) {
  return &o->work;
}
FitWork *objective_count(Objective *o) {
  return &o->work;
}

void objective_solver(const Objective *o, char name[48], long *steps, long *rejected) {
  const Trajectory *t = &o->free->trajectory;
  const char *solver = t->solver[0] ? t->solver : o->solver;
  snprintf(name, 48, "%s",
           o->problem->model->nx ? solver : ""); // without states nothing is integrated
  *steps = t->work.steps;
  *rejected = t->work.rejected;
}

InvariantViolation objective_violation(const Objective *o) {
  return o->violation;
}

// ---------------------------------------------------------------- rows for others

static bool give_rows(Objective *o, const double *x, bool slopes, ResidualSink *sink, void *data,
                      char why[700]) {
  o->worth = HUGE_VAL;
  o->violation = (InvariantViolation){0, 0, -1, -1, 0};
  double horizon = o->horizon;
  o->horizon = 1;
  o->quick = false;
  bool ok = true;
  for (int e = 0; ok && e < o->problem->experiment_count; e++) {
    objective_set_parameters(o, o->free, e, x); // slopes by sensitivities, whatever the search uses
    ok = objective_simulate(o, o->free, e, slopes) == LSQ_DONE;
    if (ok) each_block(o, e, slopes, sink, data);
  }
  if (!ok && why) snprintf(why, 700, "%s", o->message);
  o->horizon = horizon;
  return ok;
}

bool objective_rows(Objective *o, const double *x, ResidualSink *sink, void *data, char why[700]) {
  return give_rows(o, x, true, sink, data, why);
}

bool objective_residuals(Objective *o, const double *x, ResidualSink *sink, void *data) {
  return give_rows(o, x, false, sink, data, NULL);
}

bool objective_states(Objective *o, const double *x, int experiment, const double *times, int count,
                      double *states) {
  Rig *r = objective_rig(o);
  const Model *m = r->model;
  int nx = o->problem->model->nx;
  SystemSpec spec = {.outputs = m->x, .output_count = nx, .lanes = 1};
  SimulateOptions options = o->problem->simulate;
  simulate_needs(&options, m->nx, &spec);
  System *s = system_new(r->model, &spec);
  SimulateWork *w = simulate_work_new(s, &options);
  objective_set_parameters(o, r, experiment, x);
  SimulateRequest request = {.p = r->p,
                             .inputs = inputs_of(o, r, experiment),
                             .start = o->problem->experiments[experiment].start,
                             .times = times,
                             .count = count};
  Trajectory t = {.values = states};
  simulate_run(w, &request, &t);
  o->work.simulations++;
  o->work.rhs += t.work.rhs, o->work.steps += t.work.steps;
  simulate_work_free(w);
  system_free(s);
  return t.outcome == OUTCOME_REACHED_END;
}

// ---------------------------------------------------------------- noise

const double *objective_sigma(const Objective *o) {
  return o->sigma;
}
int objective_channel(const Objective *o, int experiment, int channel) {
  return o->first_channel[experiment] + channel;
}
int objective_channel_count(const Objective *o) {
  return o->channel_count;
}

void objective_set_sigma(Objective *o, const double *sigma) {
  memcpy(o->sigma, sigma, (size_t)o->channel_count * sizeof *sigma);
  for (int e = 0; e < o->problem->experiment_count; e++)
    for (int c = 0; c < o->problem->experiments[e].channel_count; c++) set_scale(o, e, c);
}

typedef struct Sizes { // of residuals, by channel, in its unit
  const Objective *o;
  double **at;
  int *count;
} Sizes;

static void add_sizes(void *data, const ResidualBlock *b) {
  Sizes *s = data;
  if (b->channel < 0) return;
  int at = objective_channel(s->o, b->experiment, b->channel);
  const double *r = b->column[s->o->n];
  for (int j = 0; j < b->rows; j++)
    if (b->scale[j] > 0) s->at[at][s->count[at]++] = fabs(r[j] / b->scale[j]);
}

static Sizes sizes_new(Arena *a, const Objective *o) {
  Sizes s = {o, ARENA_ARRAY(a, double *, o->channel_count + 1),
             ARENA_ARRAY(a, int, o->channel_count + 1)};
  for (int e = 0; e < o->problem->experiment_count; e++)
    for (int c = 0; c < o->problem->experiments[e].channel_count; c++)
      s.at[objective_channel(o, e, c)] = ARENA_ARRAY(a, double, channel_of(o, e, c)->count + 1);
  return s;
}

// Root mean square; without outliers where they count less.
static double deviation_of(const Objective *o, double *size, int n) {
  double sum = 0;
  if (n > 0 && o->problem->options.loss == LOSS_HUBER) return deviation_by_median(size, n);
  for (int i = 0; i < n; i++) sum += size[i] * size[i];
  return n > 0 ? sqrt(sum / n) : 0;
}

double objective_update_sigma(Objective *o, ResidualSource *source, void *self) {
  Arena *scratch = arena_new();
  Sizes s = sizes_new(scratch, o);
  double most = 0;
  if (source(self, add_sizes, &s))
    for (int e = 0; e < o->problem->experiment_count; e++)
      for (int c = 0; c < o->problem->experiments[e].channel_count; c++) {
        int at = objective_channel(o, e, c);
        double sigma = deviation_of(o, s.at[at], s.count[at]);
        if (channel_of(o, e, c)->sigma_kind != SIGMA_ESTIMATED || !(sigma > 0)) continue;
        most = fmax(most, fabs(sigma / o->sigma[at] - 1));
        o->sigma[at] = sigma;
        set_scale(o, e, c);
      }
  arena_free(scratch);
  return most;
}

double objective_noise(const Objective *o, int experiment, int channel) {
  return o->data[experiment][channel].noise;
}
double objective_huber(const Objective *o, int experiment, int channel) {
  return o->data[experiment][channel].huber;
}
double objective_frequency(const Objective *o, int experiment, int channel) {
  return o->data[experiment][channel].frequency;
}

// Sum over samples of 1/2 scale^2 times what `value` says of a sample.
typedef double SampleValue(const Channel *c, const ChannelData *d, int i);

static double sum_samples(const Objective *o, SampleValue *value) {
  double sum = 0;
  for (int e = 0; e < o->problem->experiment_count; e++)
    for (int c = 0; c < o->problem->experiments[e].channel_count; c++) {
      const ChannelData *d = &o->data[e][c];
      int n = samples_in_horizon(o, e, c);
      for (int i = 0; i < n; i++)
        sum += d->scale[i] * d->scale[i] / 2 * value(channel_of(o, e, c), d, i);
    }
  return sum;
}

static bool sigma_is_given(const Channel *c) {
  return c->sigma_kind == SIGMA_NUMBER || c->sigma_kind == SIGMA_RELATIVE;
}

// Differences of samples that are far apart show more than noise, those of few samples scatter: a sigma that was given is
// then nearer to it.
enum { DIFFERENCES_LEAST = 50 };

static double noise_value(const Channel *c, const ChannelData *d, int i) {
  (void)i;
  double noise = d->noise; // fmin of NaN and a number is the number
  if (sigma_is_given(c)) noise = c->count < DIFFERENCES_LEAST ? c->sigma : fmin(noise, c->sigma);
  return noise * noise;
}

bool objective_noise_is_given(const Objective *o) {
  for (int e = 0; e < o->problem->experiment_count; e++)
    for (int c = 0; c < o->problem->experiments[e].channel_count; c++)
      if (!sigma_is_given(channel_of(o, e, c))) return false;
  return true;
}

static double data_value(const Channel *c, const ChannelData *d, int i) {
  return (c->y[i] - d->mean) * (c->y[i] - d->mean);
}

double objective_floor(const Objective *o) {
  return sum_samples(o, noise_value);
}
double objective_data(const Objective *o) {
  return sum_samples(o, data_value);
}

double objective_samples(const Objective *o) {
  double samples = 0;
  for (int e = 0; e < o->problem->experiment_count; e++)
    for (int c = 0; c < o->problem->experiments[e].channel_count; c++)
      samples += samples_in_horizon(o, e, c);
  return samples;
}

double objective_accuracy(const Objective *o) {
  double rel = problem_accuracy(o->problem);
  if (o->lambda > 0 && o->tied) rel = fmax(rel, TIED_REL_TOL);
  return rel * rel * objective_data(o);
}
