// Gains: a measured state gets g = 4 omega, its rate g^2/4, so that the error e of a double integrator obeys
// e'' + g e' + g^2/4 e = 0 with both poles at -g/2: twice as fast as the data move at their angular frequency omega.
#include "residual/feedback.h"

#include <math.h>

#include "residual/closed_terms.h"
#include "simulate/closed.h"

static const double FEEDBACK_ABS_TOL = 1e-8;
static const double GAIN_PER_FREQUENCY =
    4; // of a measured state: times the angular frequency of the data

// ---------------------------------------------------------------- terms and gains

static double frequency_of(const MeasuredData *d, int measured) {
  double most = 0;
  const Problem *p = d->problem;
  for (int e = 0; e < p->experiment_count; e++)
    for (int c = 0; c < p->experiments[e].channel_count; c++)
      if (p->channel_measured[e][c] == measured)
        most = fmax(most, channel_facts(d, e, c)->frequency);
  return most > 0 ? most : 1;
}

// Both poles of the error of a measured state and its rate lie at half the first gain: s^2 + g s + g^2/4.
static double default_gain(const MeasuredData *d, const CoupleTerm *term) {
  double given = d->problem->options.gain;
  if (given > 0) return given;
  double first = GAIN_PER_FREQUENCY * frequency_of(d, term->channel);
  return term->rate ? first * first / 4 : first;
}

static bool is_given(const Problem *p, int measured) {
  for (int k = 0; k < p->gain_count; k++)
    if (p->gains[k].channel == measured) return true;
  return false;
}

static Expr number_one(Model *m) {
  pthread_mutex_lock(m->lock);
  Expr one = expr_const(m->graph, 1);
  pthread_mutex_unlock(m->lock);
  return one;
}

// What the user gave under 'gains', else the default terms.
static void list_terms(Feedback *f, const MeasuredData *d) {
  const Problem *p = d->problem;
  bool rates = p->options.coupling != COUPLING_P;
  ClosedTerms *closed = p->closed ? closed_terms_new(f->arena, p) : NULL;
  int most = p->measured_count * (2 * p->model->nx + 1) + p->gain_count, count = 0;
  CoupleTerm *terms = ARENA_ARRAY(f->arena, CoupleTerm, most + 1);
  f->gain = ARENA_ARRAY(f->arena, double, most + 1);
  for (int k = 0; k < p->measured_count; k++) {
    if (is_given(p, k)) continue;
    int more = closed
                   ? closed_default_terms(closed, f->arena, k, rates, terms + count)
                   : couple_default_terms(p->model, f->arena, p->measured, k, rates, terms + count);
    for (int i = count; i < count + more; i++) f->gain[i] = default_gain(d, &terms[i]);
    count += more;
  }
  Expr one = number_one(p->model);
  for (int k = 0; k < p->gain_count; k++) {
    const GivenGain *g = &p->gains[k];
    bool measured_state = p->measured[g->channel] == p->model->x[g->state];
    f->gain[count] = g->gain;
    terms[count++] = (CoupleTerm){g->channel, g->state, one, !measured_state};
  }
  static const CoupleIntegral INTEGRAL[] = {
      [COUPLING_PID] = COUPLE_ERROR, [COUPLING_PID_SQUARED] = COUPLE_SQUARE};
  f->coupling = (Coupling){
      .measured = p->measured,
      .channels = p->measured_count,
      .terms = terms,
      .term_count = count,
      .integral = p->options.coupling >= COUPLING_PID ? INTEGRAL[p->options.coupling] : 0};
}

static void list_all_pairs(Feedback *f, const Problem *p, const int *states, int state_count) {
  int count = 0;
  CoupleTerm *terms = ARENA_ARRAY(f->arena, CoupleTerm, p->measured_count * state_count + 1);
  Expr one = number_one(p->model);
  for (int k = 0; k < p->measured_count; k++)
    for (int i = 0; i < state_count; i++) terms[count++] = (CoupleTerm){k, states[i], one, false};
  f->gain = ARENA_ARRAY(f->arena, double, count + 1);
  f->coupling = (Coupling){.measured = p->measured,
                           .channels = p->measured_count,
                           .terms = terms,
                           .term_count = count,
                           .by_state = true};
}

// ---------------------------------------------------------------- data as inputs

static const Input *data_as_input(Arena *a, const Problem *p, int e, int measured) {
  const Experiment *x = &p->experiments[e];
  for (int k = 0; k < x->channel_count; k++) {
    if (p->channel_measured[e][k] != measured) continue;
    const Channel *c = x->states ? &x->recorded[k] : &x->channels[k]; // with all their samples
    double delay = c->delay >= 0 ? x->p[c->delay] : 0;
    double *t = ARENA_ARRAY(a, double, c->count + 1);
    for (int i = 0; i < c->count; i++) t[i] = c->t[i] - delay;
    Err err = {0};
    const Input *in = input_new(a, t, c->y, c->count, INPUT_SPLINE, &err);
    if (in) return in;
  }
  return input_constant(a, 0); // its gain is 0
}

static void list_inputs(Feedback *f, const Problem *p) {
  int own = f->coupled->first_input;
  f->inputs = ARENA_ARRAY(f->arena, const Input *const *, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++) {
    const Input **list = ARENA_ARRAY(f->arena, const Input *, own + p->measured_count + 1);
    for (int i = 0; i < own; i++) list[i] = p->experiments[e].inputs[i];
    for (int k = 0; k < p->measured_count; k++) list[own + k] = data_as_input(f->arena, p, e, k);
    f->inputs[e] = list;
  }
}

// ---------------------------------------------------------------- widths of transitions

// Part of the size that a switching function has along the free motion at the start values of the problem, or along the motion
// tied to the data, where it is more than STANDS times as large: at these start values the free one stands still then, as a body
// does whose friction is too strong. Steps of the coupled model depend little on the width, unless it is that of rounding errors.
static const double WIDTH = 0.005, STANDS = 100;
static const double WIDTH_REL_TOL = 1e-4;
enum { WIDTH_STEPS = 20000 };

// Root mean squares of the switching functions along a motion of the first experiment, as far as it comes.
static void sizes_along(const Feedback *f, const Problem *p, Model *m, const double *parameters,
                        const Input *const *inputs, double *size) {
  const Experiment *e = &p->experiments[0];
  const Channel *c = &e->channels[0];
  int count = f->coupled->blend_count;
  Expr *outputs = ARENA_ARRAY(f->arena, Expr, count + 1);
  double *values = ARENA_ARRAY(f->arena, double, (size_t)c->count *(size_t)count + 16);
  for (int k = 0; k < count; k++) outputs[k] = f->coupled->blends[k].switching;
  SimulateOptions options = p->simulate;
  options.rel_tol = fmax(options.rel_tol, WIDTH_REL_TOL);
  SystemSpec spec = {.outputs = outputs, .output_count = count, .lanes = 1};
  simulate_needs(&options, m->nx, &spec);
  System *system = system_new(m, &spec);
  SimulateWork *work = simulate_work_new(system, &options);
  SimulateRequest request = {.p = parameters,
                             .inputs = inputs,
                             .origin = e->origin,
                             .start = e->start,
                             .times = c->t,
                             .count = c->count,
                             .max_steps = WIDTH_STEPS};
  Trajectory t = {.values = values};
  simulate_run(work, &request, &t);
  simulate_work_free(work);
  system_free(system);
  for (int k = 0; k < count; k++) {
    double squares = 0;
    for (int i = 0; i < t.rows; i++) squares += values[i * count + k] * values[i * count + k];
    size[k] = sqrt(squares / fmax(t.rows, 1));
    if (!isfinite(size[k])) size[k] = 0;
  }
}

static void measure_widths(Feedback *f, const Problem *p) {
  Model *coupled = f->coupled->model;
  int count = f->coupled->blend_count;
  f->width = ARENA_ARRAY(f->arena, double, count + 1);
  if (count == 0) return;
  double *parameters = ARENA_ARRAY(f->arena, double, coupled->np + 1);
  double *free = ARENA_ARRAY(f->arena, double, count), *tied = ARENA_ARRAY(f->arena, double, count);
  for (int k = 0; k < coupled->np; k++) parameters[k] = coupled->flat->parameters.at[k].value;
  problem_parameters(p, 0, NULL, parameters);
  sizes_along(f, p, p->model, parameters, p->experiments[0].inputs, free);
  for (int k = 0; k < count; k++) f->width[k] = WIDTH; // of 1, to learn how large it is
  feedback_set(f, p, 0, 1, 1, NULL, parameters);
  sizes_along(f, p, coupled, parameters, f->inputs[0], tied);
  for (int k = 0; k < count; k++) {
    double size = tied[k] > STANDS * free[k] ? tied[k] : free[k];
    f->width[k] = WIDTH * (size > 0 ? size : 1);
  }
}

static Feedback *new_feedback(void) {
  Arena *a = arena_new();
  Feedback *f = ARENA_NEW(a, Feedback);
  f->arena = a;
  return f;
}

// The coupled model of its terms.
static Feedback *finish(Feedback *f, const Problem *p) {
  if (f->coupling.term_count == 0) {
    arena_free(f->arena);
    return NULL;
  }
  f->coupled = couple(p->model, &f->coupling);
  SimulateOptions options = p->simulate;
  options.rel_tol = fmax(options.rel_tol, FEEDBACK_REL_TOL);
  options.abs_tol = fmax(options.abs_tol, FEEDBACK_ABS_TOL);
  f->compiled = compiled_model_new(p, f->coupled->model, f->coupled->measured, &options);
  list_inputs(f, p);
  measure_widths(f, p);
  return f;
}

Feedback *feedback_new(const MeasuredData *d) {
  if (d->problem->closed && !d->problem->closed->has_slopes_of_states) return NULL;
  Feedback *f = new_feedback();
  list_terms(f, d);
  return finish(f, d->problem);
}

Feedback *feedback_new_full(const MeasuredData *d, const int *states, int count) {
  Feedback *f = new_feedback();
  list_all_pairs(f, d->problem, states, count);
  return finish(f, d->problem);
}

void feedback_free(Feedback *f) {
  if (!f) return;
  compiled_model_free(f->compiled);
  arena_free(f->arena);
}

static bool has_data(const Problem *p, int e, int measured) {
  for (int c = 0; c < p->experiments[e].channel_count; c++)
    if (p->channel_measured[e][c] == measured) return true;
  return false;
}

void feedback_set(const Feedback *f, const Problem *p, int e, double lambda, double strength,
                  const double *gain, double *parameters) {
  const Coupled *k = f->coupled;
  if (!gain) gain = f->gain;
  for (int i = 0; i < k->blend_count; i++) parameters[k->blends[i].width] = f->width[i];
  parameters[k->lambda] = lambda;
  for (int i = 0; i < f->coupling.term_count; i++) {
    const CoupleTerm *term = &f->coupling.terms[i];
    double factor = term->rate ? strength * strength : strength;
    parameters[k->gain[i]] = has_data(p, e, term->channel) ? factor * gain[i] : 0;
  }
  for (int i = 0; k->gain_integral && i < f->coupling.channels; i++)
    parameters[k->gain_integral[i]] = has_data(p, e, i) ? p->options.gain_integral : 0;
}
