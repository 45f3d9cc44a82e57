// Simulates the model whose states are x and S = dx/dp, with its own sensitivities: dS/dp are the second derivatives of x.
#include "residual/hessian_forward.h"

#include "model/extend.h"
#include "residual/second_system.h"

struct ForwardWay {
  Arena *arena;
  const Augmented *augmented;
  SecondSystem *system;
  bool stiff; // as it was when it was compiled
  int outputs;
  int *slope; // by measured quantity: its first slope among the outputs
  int *rate;  // by measured quantity: its rate, and behind it the rate of that; -1 = none
  double *values, *sens;
  int rows; // that there is room for
};

// Slopes of all measured quantities by all parameters; rates where a delay is free.
static Expr *list_outputs(SecondOrder *s, ForwardWay *w, Arena *scratch) {
  const Problem *p = s->problem;
  const Augmented *a = w->augmented;
  Model *m = a->model;
  Expr *outputs = ARENA_ARRAY(scratch, Expr, p->measured_count * (s->count + 2) + 1);
  w->slope = ARENA_ARRAY(w->arena, int, p->measured_count + 1);
  w->rate = ARENA_ARRAY(w->arena, int, p->measured_count + 1);
  pthread_mutex_lock(m->lock);
  for (int j = 0; j < p->measured_count; j++) {
    w->slope[j] = w->outputs;
    for (int k = 0; k < s->count; k++)
      augmented_slopes(a, &p->measured[j], 1, k, &outputs[w->outputs++]);
    w->rate[j] = s->delayed[j] ? w->outputs : -1;
    if (!s->delayed[j]) continue;
    model_rates(a->of, m, &p->measured[j], 1, &outputs[w->outputs++]);
    model_rates(a->of, m, &outputs[w->rate[j]], 1, &outputs[w->outputs++]);
  }
  pthread_mutex_unlock(m->lock);
  return outputs;
}

static ForwardWay *forward_new(SecondOrder *s) {
  Arena *a = arena_new(), *scratch = arena_new();
  ForwardWay *w = ARENA_NEW(a, ForwardWay);
  w->arena = a;
  w->stiff = s->stiff;
  w->augmented = model_with_sensitivities(s->problem->model, s->parameters, s->count);
  const Expr *outputs = list_outputs(s, w, scratch);
  SimulateOptions options = second_options(s);
  w->system = second_system_new(w->augmented, outputs, w->outputs, &options, second_code(s));
  arena_free(scratch);
  return w;
}

void forward_free(ForwardWay *w) {
  if (!w) return;
  second_system_free(w->system);
  arena_free(w->arena);
}

static void make_room(const SecondOrder *s, ForwardWay *w, int rows) {
  if (rows <= w->rows) return;
  size_t width = (size_t)w->outputs;
  w->rows = rows;
  w->values = ARENA_RAW(w->arena, double, (size_t)rows *width + 1);
  w->sens = ARENA_RAW(w->arena, double, (size_t)rows *width *(size_t)s->count + 1);
}

static void add_sample(SecondOrder *s, const ForwardWay *w, int e, int c, int i) {
  int measured = s->problem->channel_measured[e][c], n = s->count;
  size_t row = (size_t)s->times[e]->row[c][i], width = (size_t)w->outputs;
  const double *values = w->values + row * width, *sens = w->sens + row * width * (size_t)n;
  double weight = s->weight[e][c][i];
  const double *second = sens + w->slope[measured] * n;
  for (int k = 0; k < n; k++)
    for (int l = k; l < n; l++) second_add(s, k, l, weight * second[k * n + l]);
  int rate = w->rate[measured], delay = rate >= 0 ? second_delay(s, e, c, i) : -1;
  if (delay >= 0) second_add_delay(s, delay, weight, sens + rate * n, values[rate + 1]);
}

bool forward_sum(ForwardWay **way, SecondOrder *s, int e) {
  if (*way && (*way)->stiff != s->stiff) forward_free(*way), *way = NULL;
  if (!*way) *way = forward_new(s);
  ForwardWay *w = *way;
  const Experiment *x = &s->problem->experiments[e];
  const SampleTimes *times = s->times[e];
  second_system_set(w->system, s->p);
  make_room(s, w, times->count);
  SimulateRequest request = {.p = w->system->p,
                             .inputs = x->inputs,
                             .origin = x->origin,
                             .start = x->start,
                             .times = times->at,
                             .count = times->count};
  Trajectory t = {
      .values = w->values, .sens = w->sens, .stepped = kinks_watch, .stepped_data = s->kinks};
  kinks_begin(s->kinks, s->p, &request);
  simulate_run(w->system->work, &request, &t);
  second_work(s, &t.work, 1 + s->count);
  if (!second_holds(s, &t)) return false;
  for (int c = 0; c < x->channel_count; c++)
    for (int i = 0; i < x->channels[c].count; i++) add_sample(s, w, e, c, i);
  return true;
}
