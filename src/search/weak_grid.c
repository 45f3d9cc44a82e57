// The states of each experiment on equally spaced points, from curves through the data.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/patience.h"
#include "search/weak_form.h"

static void eval_inputs(void *data, double t, double *u, double *du) {
  WeakRun *r = data;
  for (int i = 0; i < r->inputs; i++) r->pieces[i] = input_piece(r->experiment->inputs[i], t, +1);
  input_eval_all(r->experiment->inputs, r->inputs, t, r->pieces, u, du, r->inputs);
}

static System *compile(const Weak *w, const Expr *outputs, int count) {
  SystemSpec spec = {.outputs = outputs, .output_count = count, .lanes = 1};
  spec.code = w->problem->simulate.jit ? CODE_INTERPRETER : CODE_AUTO;
  return system_new(w->model, &spec);
}

static bool uses(const Weak *w, const WeakRun *r, int channel) {
  for (int i = 0; i < w->model->nx; i++)
    if (r->known[i].channel == channel) return true;
  return false;
}

typedef ARRAY(Expr) InversePairs; // gain, offset, gain, offset ...

// The output that is this gain, followed by this offset; they are added when there are none.
static int pair_number(Arena *a, InversePairs *pairs, Expr gain, Expr offset) {
  for (int k = pairs->count - 2; k >= 0; k -= 2)
    if (pairs->at[k] == gain && pairs->at[k + 1] == offset) return k;
  array_push(a, pairs, gain);
  array_push(a, pairs, offset);
  return pairs->count - 2;
}

// Apart from the equations, which are evaluated at every point; and once for all experiments that are measured alike, or
// each experiment would pay for the channels of all others.
static void compile_inverses(Weak *w, Arena *scratch) {
  InversePairs pairs = {0};
  for (int e = 0; e < w->run_count; e++) {
    WeakRun *r = &w->runs[e];
    for (int c = 0; c < r->experiment->channel_count; c++)
      r->inverse[c] = uses(w, r, c) ? pair_number(scratch, &pairs, r->gain[c], r->offset[c]) : -1;
  }
  w->inverses = compile(w, pairs.at, pairs.count);
  w->inverse_work = system_work_new(w->inverses);
  w->inverse_work->inputs = eval_inputs;
}

void weak_compile(Weak *w, Arena *scratch) {
  int slopes = w->slopes.start[w->equation_count];
  Expr *outputs = ARENA_ARRAY(scratch, Expr, w->equation_count + slopes + 1);
  for (int q = 0; q < w->equation_count; q++) outputs[w->outputs++] = w->equations[q].f;
  for (int k = 0; k < slopes; k++) outputs[w->outputs++] = w->slopes.value[k];
  w->system = compile(w, outputs, w->outputs);
  w->work = system_work_new(w->system);
  w->work->inputs = eval_inputs;
  compile_inverses(w, scratch);
  int most = w->outputs > w->inverses->ny ? w->outputs : w->inverses->ny;
  w->values = ARENA_ARRAY(w->arena, double, most + 8);
}

void weak_enter_run(SystemWork *work, WeakRun *r) {
  work->inputs_data = r;
  system_set_origin(work, r->experiment->origin);
  system_set_parameters(work, r->p);
  system_forget(work);
}

// A curve for each channel that makes a state known. false: its samples cannot be turned into numbers of the state.
static bool make_curve(Weak *w, WeakRun *r, int c, double gain, double offset, Arena *scratch) {
  const Channel *channel = &r->experiment->channels[c];
  double late = channel->delay >= 0 ? r->p[channel->delay] : 0;
  double *t = ARENA_ARRAY(scratch, double, channel->count + 1);
  double *v = ARENA_ARRAY(scratch, double, channel->count + 1);
  for (int k = 0; k < channel->count; k++) {
    t[k] = channel->t[k] - late;
    v[k] = (channel->y[k] - offset) / gain;
    if (!isfinite(v[k]) || !isfinite(t[k])) return false;
  }
  Err ignored = {0};
  r->curve[c] = input_new(w->arena, t, v, channel->count, INPUT_SPLINE, &ignored);
  return r->curve[c];
}

static bool make_curves(Weak *w, WeakRun *r, Arena *scratch) {
  double *zero = ARENA_ARRAY(scratch, double, w->model->nx + 8);
  weak_enter_run(w->inverse_work, r);
  system_outputs(w->inverse_work, r->experiment->start, zero, w->values, NULL);
  w->evaluated += w->inverses->ny;
  for (int c = 0; c < r->experiment->channel_count; c++) {
    const double *pair = w->values + r->inverse[c];
    if (r->inverse[c] >= 0 && !make_curve(w, r, c, pair[0], pair[1], scratch)) return false;
  }
  return true;
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_step(const Channel *c, Arena *scratch) {
  double *steps = ARENA_ARRAY(scratch, double, c->count);
  for (int k = 1; k < c->count; k++) steps[k - 1] = c->t[k] - c->t[k - 1];
  qsort(steps, (size_t)c->count - 1, sizeof *steps, compare_numbers);
  return steps[(c->count - 1) / 2];
}

// The time that all curves cover, in steps of the densest one.
static bool lay_grid(WeakRun *r, Arena *scratch) {
  double first = -HUGE_VAL, last = HUGE_VAL, step = HUGE_VAL;
  int most = 0;
  for (int c = 0; c < r->experiment->channel_count; c++) {
    if (!r->curve[c]) continue;
    const Channel *channel = &r->experiment->channels[c];
    double late = channel->delay >= 0 ? r->p[channel->delay] : 0;
    first = fmax(first, channel->t[0] - late);
    last = fmin(last, channel->t[channel->count - 1] - late);
    step = fmin(step, median_step(channel, scratch));
    if (channel->count > most) most = channel->count;
  }
  if (!(last > first) || !isfinite(last - first)) return false;
  double steps = fmin(round((last - first) / step), 4.0 * most);
  if (!(steps >= 2 * WEAK_HALF_LEAST)) return false;
  r->first = first;
  r->points = (int)steps + 1;
  r->step = (last - first) / steps;
  return true;
}

static double *state_at(const WeakRun *r, int nx, int point, int i) {
  return &r->x[(size_t)point * (size_t)nx + (size_t)i];
}

static void fill_state(Weak *w, WeakRun *r, int i) {
  const WeakKnown *known = &r->known[i];
  const Input *curve = r->curve[known->channel];
  double *data = known->level == 0 ? ARENA_ARRAY(w->arena, double, r->points) : NULL;
  int piece = input_piece(curve, r->first, +1);
  for (int k = 0; k < r->points; k++) {
    double value, slope;
    input_eval(curve, weak_point_time(r, k), &piece, &value, &slope);
    *state_at(r, w->model->nx, k, i) = data ? value : slope;
    if (data) data[k] = value;
  }
  if (data) r->data[known->channel] = data;
}

// The second derivative is the slope of a curve through the slopes: smoother than that of the curve itself.
static void differentiate_state(Weak *w, WeakRun *r, int i, Arena *scratch) {
  int piece = 0;
  double *t = ARENA_ARRAY(scratch, double, r->points), *v = ARENA_ARRAY(scratch, double, r->points);
  double ignored;
  for (int k = 0; k < r->points; k++) {
    t[k] = weak_point_time(r, k);
    v[k] = *state_at(r, w->model->nx, k, i);
  }
  Err none = {0};
  const Input *curve = input_new(scratch, t, v, r->points, INPUT_SPLINE, &none);
  for (int k = 0; curve && k < r->points; k++)
    input_eval(curve, t[k], &piece, &ignored, state_at(r, w->model->nx, k, i));
}

// How far apart the samples around each point are, in the worst channel.
static void fill_spacing(WeakRun *r) {
  for (int c = 0; c < r->experiment->channel_count; c++) {
    if (!r->curve[c]) continue;
    const Channel *channel = &r->experiment->channels[c];
    double late = channel->delay >= 0 ? r->p[channel->delay] : 0;
    for (int k = 0, at = 1; k < r->points; k++) {
      while (at < channel->count - 1 && channel->t[at] - late < weak_point_time(r, k)) at++;
      r->spacing[k] = fmax(r->spacing[k], channel->t[at] - channel->t[at - 1]);
    }
  }
}

// Mean square of what changes over a lag.
static double change_over(const double *v, int count, int lag) {
  double sum = 0;
  for (int k = 0; k + lag < count; k++) sum += (v[k + lag] - v[k]) * (v[k + lag] - v[k]);
  return sum / (count - lag);
}

static double variance(const double *v, int count) {
  double mean = 0, sum = 0;
  for (int k = 0; k < count; k++) mean += v[k] / count;
  for (int k = 0; k < count; k++) sum += (v[k] - mean) * (v[k] - mean);
  return sum / count;
}

// A quarter of the dominant period: the first lag over which a signal changes as much as if the two values had nothing to do
// with each other. White noise adds the same to both sides and does not count.
static double quarter_period(const double *v, int count, double step) {
  double unrelated = 2 * variance(v, count);
  int most = count / 4;
  for (int lag = 1; lag < most && patience_lasts(count); lag += 1 + lag / 16)
    if (change_over(v, count, lag) >= unrelated) return lag * step;
  return most * step;
}

// States from curves; those that are slopes of other curves after them.
static void fill_states(Weak *w, WeakRun *r, Arena *scratch) {
  r->quarter = HUGE_VAL;
  for (int i = 0; i < w->model->nx; i++) {
    const WeakKnown *known = &r->known[i];
    if (known->channel < 0) continue;
    fill_state(w, r, i);
    if (known->level == 2) differentiate_state(w, r, i, scratch);
    if (known->level == 0)
      r->quarter = fmin(r->quarter, quarter_period(r->data[known->channel], r->points, r->step));
  }
}

static bool prepare_run(Weak *w, WeakRun *r, Arena *scratch) {
  int nx = w->model->nx;
  if (!make_curves(w, r, scratch) || !lay_grid(r, scratch)) return false;
  r->x = ARENA_ARRAY(w->arena, double, (size_t)r->points *(size_t)nx + 8);
  r->out = ARENA_ARRAY(w->arena, double, (size_t)r->points *(size_t)w->outputs + 8);
  r->spacing = ARENA_ARRAY(w->arena, double, r->points);
  r->center = ARENA_ARRAY(w->arena, int, r->points);
  r->fixed = ARENA_ARRAY(w->arena, double, (size_t)w->equation_count *(size_t)r->points + 1);
  r->scale = ARENA_ARRAY(w->arena, double, w->equation_count + 1);
  r->phi = ARENA_ARRAY(w->arena, double, r->points + 1);
  fill_spacing(r);
  fill_states(w, r, scratch);
  return true;
}

// Experiments whose data cannot be used take no part.
void weak_prepare_runs(Weak *w, Arena *scratch) {
  for (int e = 0; e < w->run_count; e++) {
    WeakRun *r = &w->runs[e];
    if (!patience_asks() || !prepare_run(w, r, scratch)) {
      r->points = 0;
      memset(r->usable, 0, (size_t)w->equation_count * sizeof *r->usable);
    }
    if (r->points > w->row_room) w->row_room = r->points;
  }
}
