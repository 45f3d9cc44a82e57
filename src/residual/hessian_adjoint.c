// With the adjoint mu of the weights, the sum of weight*y_pp is the integral of mu'(f_xx[S, S] + 2 f_xp[S] + f_pp) over time plus
// what start values and outputs add (second-order adjoint; compare Ozyurt and Barton, SIAM J. Sci. Comput. 26 (2005) 1725).
// The integral is a sum over the nodes of the steps of the dense history.
#include "residual/hessian_adjoint.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/c_locale.h"
#include "expr/derive.h"
#include "model/extend.h"
#include "residual/backward.h"

// Nodes in a step of the history: steps of implicit methods, which are of lower order, are shorter. A product of what
// rk8 follows with degree 7 has more wiggles than that.
enum { NODES = 11, NODES_STIFF = 7 };

typedef struct MeasuredPlace { // outputs of a measured quantity, -1: constant 0
  int *by_state;
  int *second;     // count*count, k <= l
  int *rate_slope; // by parameter, where a delay is free; else NULL
  int curvature;
} MeasuredPlace;

typedef struct Values { // expressions of the adjoint model, compiled
  System *system;
  SystemWork *work;
  double *value;
} Values;

struct AdjointWay {
  Arena *arena;
  const Adjoint *adjoint;
  bool stiff; // as it was when it was compiled
  System *there;
  SimulateWork *simulate;
  DenseHistory *history;
  HistoryInputs inputs;
  System *back; // its outputs are those of the samples
  Backward *backward;
  int nodes;
  MeasuredPlace *places; // by measured quantity
  Values integrand, at_start;
  double *output;     // of back
  double *weights;    // at the nodes of a step of the history
  double *change;     // of mu at a sample
  double *rate_slope; // by parameter
};

// ---------------------------------------------------------------- compiling

typedef struct OutputList {
  Arena *arena;
  const Graph *g;
  IntArray list;
} OutputList;

static int add_output(OutputList *o, Expr e) {
  if (expr_is_value(o->g, e, 0)) return -1;
  array_push(o->arena, &o->list, e);
  return o->list.count - 1;
}

static void list_measured(const SecondOrder *h, AdjointWay *w, int measured, OutputList *o) {
  const Model *of = w->adjoint->of;
  MeasuredPlace *place = &w->places[measured];
  int n = h->count;
  Expr e = h->problem->measured[measured];
  Expr *slope = ARENA_ARRAY(o->arena, Expr, n + 1), *second = ARENA_ARRAY(o->arena, Expr, n + 1);
  place->by_state = ARENA_ARRAY(w->arena, int, of->nx + 1);
  place->second = ARENA_ARRAY(w->arena, int, (size_t)n *(size_t)n + 1);
  for (int i = 0; i < of->nx; i++) place->by_state[i] = -1;
  Derivatives d = derive_rows(of->graph, o->arena, &e, 1, of->x, of->nx);
  for (int k = 0; k < d.start[1]; k++) place->by_state[d.column[k]] = add_output(o, d.value[k]);
  for (int k = 0; k < n; k++) adjoint_slopes(w->adjoint, &e, 1, k, &slope[k]);
  for (int l = 0; l < n; l++) {
    adjoint_slopes(w->adjoint, slope, l + 1, l, second);
    for (int k = 0; k <= l; k++) place->second[k * n + l] = add_output(o, second[k]);
  }
}

static void list_delay(const SecondOrder *h, AdjointWay *w, int measured, OutputList *o) {
  const Model *of = w->adjoint->of;
  MeasuredPlace *place = &w->places[measured];
  place->rate_slope = ARENA_ARRAY(w->arena, int, h->count + 1);
  Model *symbols = w->adjoint->model;
  Expr rate, e;
  model_rates(of, symbols, &h->problem->measured[measured], 1, &rate);
  for (int k = 0; k < h->count; k++) {
    adjoint_slopes(w->adjoint, &rate, 1, k, &e);
    place->rate_slope[k] = add_output(o, e);
  }
  model_rates(of, symbols, &rate, 1, &e);
  place->curvature = add_output(o, e);
}

static void compile_back(SecondOrder *h, AdjointWay *w) {
  Arena *scratch = arena_new();
  Model *m = w->adjoint->model;
  OutputList o = {.arena = scratch, .g = m->graph};
  w->places = ARENA_ARRAY(w->arena, MeasuredPlace, h->problem->measured_count + 1);
  pthread_mutex_lock(m->lock);
  for (int k = 0; k < h->problem->measured_count; k++) {
    list_measured(h, w, k, &o);
    if (h->delayed[k]) list_delay(h, w, k, &o);
  }
  pthread_mutex_unlock(m->lock);
  SystemSpec spec = {.outputs = o.list.at,
                     .output_count = o.list.count,
                     .lanes = 1,
                     .jacobian = true,
                     .code = second_code(h)};
  w->back = system_new(m, &spec);
  w->output = ARENA_ARRAY(w->arena, double, o.list.count + 16);
  w->nodes = w->stiff ? NODES_STIFF : NODES;
  w->backward = backward_new(w->back, &w->inputs, w->nodes);
  arena_free(scratch);
}

static void compile_there(SecondOrder *h, AdjointWay *w) {
  SystemSpec spec = {
      .parameters = h->parameters, .parameter_count = h->count, .lanes = 1, .code = second_code(h)};
  SimulateOptions options = second_options(h);
  simulate_needs(&options, h->problem->model->nx, &spec);
  w->there = system_new(h->problem->model, &spec);
  w->simulate = simulate_work_new(w->there, &options);
  w->history = history_new(w->there);
  assert(w->there->ns == w->adjoint->columns);
}

static void compile_values(const SecondOrder *h, AdjointWay *w, const Expr *e, Values *v) {
  const Adjoint *a = w->adjoint;
  int pairs = a->columns * (a->columns + 1) / 2;
  SystemSpec spec = {.outputs = e, .output_count = pairs, .lanes = 1, .code = second_code(h)};
  v->system = system_new(a->model, &spec);
  v->work = system_work_new(v->system);
  v->work->inputs = history_inputs_read;
  v->work->inputs_data = &w->inputs;
  v->value = ARENA_ARRAY(w->arena, double, pairs + 16);
}

static void values_done(Values *v) {
  system_work_free(v->work);
  if (v->system) system_free(v->system);
}

static AdjointWay *adjoint_new(SecondOrder *h) {
  Arena *a = arena_new();
  AdjointWay *w = ARENA_NEW(a, AdjointWay);
  w->arena = a;
  w->stiff = h->stiff;
  w->adjoint = model_adjoint(h->problem->model, h->parameters, h->count);
  compile_there(h, w);
  w->inputs = (HistoryInputs){.adjoint = w->adjoint, .history = w->history};
  w->inputs.pieces = ARENA_ARRAY(a, int, w->adjoint->of->nu + 1);
  compile_back(h, w);
  compile_values(h, w, w->adjoint->integrand, &w->integrand);
  if (w->adjoint->start_matters) compile_values(h, w, w->adjoint->at_start, &w->at_start);
  w->weights = ARENA_ARRAY(a, double, w->adjoint->of->nx *BACKWARD_NODES_MOST + 16);
  w->change = ARENA_ARRAY(a, double, w->adjoint->of->nx + 16);
  w->rate_slope = ARENA_ARRAY(a, double, h->count + 1);
  return w;
}

void adjoint_free(AdjointWay *w) {
  if (!w) return;
  simulate_work_free(w->simulate);
  system_free(w->there);
  history_free(w->history);
  backward_free(w->backward);
  system_free(w->back);
  values_done(&w->integrand);
  values_done(&w->at_start);
  arena_free(w->arena);
}

// ---------------------------------------------------------------- there

typedef struct StepRecorder {
  DenseHistory *history;
  Kinks *kinks;
} StepRecorder;

static void stepped(void *data, Stepper *s) {
  const StepRecorder *r = data;
  history_record(r->history, s);
  kinks_watch(r->kinks, s);
}

static bool simulate_there(SecondOrder *h, AdjointWay *w, int e, bool *events) {
  const Experiment *x = &h->problem->experiments[e];
  const SampleTimes *times = h->times[e];
  StepRecorder recorder = {w->history, h->kinks};
  double nothing[1];
  SimulateRequest request = {.p = h->p,
                             .inputs = x->inputs,
                             .origin = x->origin,
                             .start = x->start,
                             .times = times->at,
                             .count = times->count};
  Trajectory t = {.values = nothing, .stepped = stepped, .stepped_data = &recorder};
  history_clear(w->history);
  kinks_begin(h->kinks, h->p, &request);
  simulate_run(w->simulate, &request, &t);
  second_work(h, &t.work, 1);
  *events = t.events > 0;
  return second_holds(h, &t);
}

// ---------------------------------------------------------------- and back

static double output(const AdjointWay *w, int place) {
  return place < 0 ? 0 : w->output[place];
}

static void add_sample(SecondOrder *h, AdjointWay *w, int e, int c, int sample) {
  int measured = h->problem->channel_measured[e][c], n = h->count;
  const MeasuredPlace *place = &w->places[measured];
  double weight = h->weight[e][c][sample];
  for (int i = 0; i < w->adjoint->of->nx; i++)
    w->change[i] += weight * output(w, place->by_state[i]);
  for (int k = 0; k < n; k++)
    for (int l = k; l < n; l++) second_add(h, k, l, weight * output(w, place->second[k * n + l]));
  int delay = place->rate_slope ? second_delay(h, e, c, sample) : -1;
  if (delay < 0) return;
  for (int k = 0; k < n; k++) w->rate_slope[k] = output(w, place->rate_slope[k]);
  second_add_delay(h, delay, weight, w->rate_slope, output(w, place->curvature));
}

typedef struct RowsLeft { // of the sample times, from the last to the first
  int row;                // the next one that is weighed, -1: none
  int *next;              // by channel: its next sample
} RowsLeft;

static bool is_weighed(const SecondOrder *h, int e, const RowsLeft *r) {
  const Experiment *x = &h->problem->experiments[e];
  for (int c = 0; c < x->channel_count; c++)
    for (int i = r->next[c]; i >= 0 && h->times[e]->row[c][i] == r->row; i--)
      if (h->weight[e][c][i] != 0) return true;
  return false;
}

static void leave_row(const SecondOrder *h, int e, RowsLeft *r) {
  const Experiment *x = &h->problem->experiments[e];
  for (int c = 0; c < x->channel_count; c++)
    while (r->next[c] >= 0 && h->times[e]->row[c][r->next[c]] == r->row) r->next[c]--;
  r->row--;
}

static void find_weighed(const SecondOrder *h, int e, RowsLeft *r) {
  while (r->row >= 0 && !is_weighed(h, e, r)) leave_row(h, e, r);
}

static RowsLeft last_row(const SecondOrder *h, int e, Arena *a) {
  const Experiment *x = &h->problem->experiments[e];
  RowsLeft r = {h->times[e]->count - 1, ARENA_ARRAY(a, int, x->channel_count + 1)};
  for (int c = 0; c < x->channel_count; c++) r.next[c] = x->channels[c].count - 1;
  find_weighed(h, e, &r);
  return r;
}

// What the samples of a row weigh, in w->change.
static void weigh_row(SecondOrder *h, AdjointWay *w, int e, RowsLeft *r) {
  const Experiment *x = &h->problem->experiments[e];
  const SampleTimes *times = h->times[e];
  double t = times->at[r->row];
  w->inputs.states_only = false;
  history_inputs_show(&w->inputs, t, r->row == times->count - 1);
  system_outputs(backward_work(w->backward), t, backward_mu(w->backward), w->output, NULL);
  memset(w->change, 0, (size_t)w->adjoint->of->nx * sizeof *w->change);
  for (int c = 0; c < x->channel_count; c++)
    for (int i = r->next[c]; i >= 0 && times->row[c][i] == r->row; i--) add_sample(h, w, e, c, i);
  leave_row(h, e, r);
  find_weighed(h, e, r);
}

static void add_values(SecondOrder *h, const AdjointWay *w, const Values *v) {
  const Adjoint *a = w->adjoint;
  int at = 0;
  for (int k = 0; k < h->count; k++)
    for (int l = k; l < h->count; l++)
      if (a->column[k] >= 0 && a->column[l] >= 0) second_add(h, k, l, v->value[at++]);
}

static void compute(AdjointWay *w, const Values *v, double t, const double *mu) {
  w->inputs.states_only = false;
  system_outputs(v->work, t, mu, v->value, NULL);
}

static bool fail_back(SecondOrder *h, int e, const HistoryStep *s) {
  char at[32];
  c_snprintf(h->why, sizeof h->why,
             "of second order, backwards from t = %s: the equations cannot be computed",
             experiment_time(&h->problem->experiments[e], s->end, 10, at));
  return false;
}

static bool step_back(SecondOrder *h, AdjointWay *w, int e, int step, RowsLeft *r) {
  const double *times = h->times[e]->at;
  const HistoryStep *s = &w->history->steps.at[step];
  backward_enter(w->backward, step);
  while (r->row >= 0 && times[r->row] > s->begin) {
    double t = times[r->row];
    weigh_row(h, w, e, r);
    backward_add(w->backward, t, w->change);
  }
  if (!backward_leave(w->backward, w->weights)) return fail_back(h, e, s);
  history_inputs_enter(&w->inputs, s->end, -1);
  for (int m = w->nodes - 1; m >= 0; m--) {
    compute(w, &w->integrand, backward_node(w->backward, m), w->weights + m * w->adjoint->of->nx);
    add_values(h, w, &w->integrand);
  }
  return true;
}

// Those at the start, and from before it.
static void add_first_rows(SecondOrder *h, AdjointWay *w, int e, RowsLeft *r) {
  double *mu = backward_mu(w->backward);
  while (r->row >= 0) {
    weigh_row(h, w, e, r);
    for (int i = 0; i < w->adjoint->of->nx; i++) mu[i] += w->change[i];
  }
}

static void begin_values(const SecondOrder *h, const AdjointWay *w, const Values *v,
                         const Experiment *x) {
  system_set_origin(v->work, x->origin);
  system_set_parameters(v->work, h->p);
  system_set_rate(v->work, backward_rate(w->backward));
  system_start(v->work, x->start, w->change);
}

static bool go_back(SecondOrder *h, AdjointWay *w, int e) {
  const Experiment *x = &h->problem->experiments[e];
  Arena *scratch = arena_new();
  RowsLeft rows = last_row(h, e, scratch);
  w->inputs.inputs = x->inputs;
  backward_begin(w->backward, h->p, x->origin, x->start);
  begin_values(h, w, &w->integrand, x);
  history_follow(&w->inputs, w->integrand.work, backward_mu(w->backward));
  history_inputs_enter(&w->inputs, x->start, +1);
  bool ok = true;
  int step = history_find(w->history, h->times[e]->at[rows.row]);
  for (; ok && step >= 0; step--) ok = step_back(h, w, e, step, &rows);
  if (ok) add_first_rows(h, w, e, &rows);
  second_work(h, &(StepCount){.rhs = w->nodes * w->history->steps.count}, 1);
  arena_free(scratch);
  if (!ok || !w->at_start.system) return ok;
  history_inputs_enter(&w->inputs, x->start, +1);
  begin_values(h, w, &w->at_start, x);
  compute(w, &w->at_start, x->start, backward_mu(w->backward));
  add_values(h, w, &w->at_start);
  return true;
}

AdjointEnd adjoint_sum(AdjointWay **way, SecondOrder *h, int e) {
  const SampleTimes *times = h->times[e];
  if (*way && (*way)->stiff != h->stiff) adjoint_free(*way), *way = NULL;
  if (!*way) *way = adjoint_new(h);
  AdjointWay *w = *way;
  bool moves = times->at[times->count - 1] > h->problem->experiments[e].start, events = false;
  if (!moves || w->adjoint->columns == 0) return ADJOINT_USE_FORWARD; // nothing to go back along
  if (!simulate_there(h, w, e, &events)) return ADJOINT_FAILED;
  if (events) return ADJOINT_USE_FORWARD; // the way back knows one set of modes
  return go_back(h, w, e) ? ADJOINT_DONE : ADJOINT_FAILED;
}
