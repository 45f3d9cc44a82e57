// Second derivatives forward: sensitivities of the model whose states are the sensitivities.
#include <math.h>
#include <string.h>

#include "model/extend.h"
#include "residual/hessian_parts.h"

struct ForwardWay {
  Arena *arena;
  const Augmented *augmented;
  System *system;
  SimulateWork *work;
  bool stiff; // as it was when it was compiled
  int outputs;
  int *slope; // by measured quantity: its first slope among the outputs
  int *rate;  // by measured quantity: its rate, and behind it the rate of that; -1 = none
  double *p;  // all parameters of the augmented model
  double *values, *sens;
  int rows; // that there is room for
};

// Slopes of all measured quantities by all parameters; rates where a delay is free.
static Expr *list_outputs(Hessian *h, ForwardWay *w, Arena *scratch) {
  const Problem *p = h->problem;
  const Augmented *a = w->augmented;
  Model *m = a->model;
  Expr *outputs = ARENA_ARRAY(scratch, Expr, p->measured_count * (h->count + 2) + 1);
  w->slope = ARENA_ARRAY(w->arena, int, p->measured_count + 1);
  w->rate = ARENA_ARRAY(w->arena, int, p->measured_count + 1);
  pthread_mutex_lock(m->lock);
  for (int j = 0; j < p->measured_count; j++) {
    w->slope[j] = w->outputs;
    for (int k = 0; k < h->count; k++)
      augmented_slopes(a, &p->measured[j], 1, k, &outputs[w->outputs++]);
    w->rate[j] = h->delayed[j] ? w->outputs : -1;
    if (!h->delayed[j]) continue;
    model_rates(a->of, m, &p->measured[j], 1, &outputs[w->outputs++]);
    model_rates(a->of, m, &outputs[w->rate[j]], 1, &outputs[w->outputs++]);
  }
  pthread_mutex_unlock(m->lock);
  return outputs;
}

static ForwardWay *forward_new(Hessian *h) {
  Arena *a = arena_new(), *scratch = arena_new();
  ForwardWay *w = ARENA_NEW(a, ForwardWay);
  w->arena = a;
  w->stiff = h->stiff;
  w->augmented = model_with_sensitivities(h->problem->model, h->parameters, h->count);
  Model *m = w->augmented->model;
  SystemSpec spec = {.outputs = list_outputs(h, w, scratch),
                     .parameters = h->parameters,
                     .parameter_count = h->count,
                     .lanes = 1,
                     .code = second_code(h)};
  spec.output_count = w->outputs;
  SimulateOptions options = second_options(h);
  simulate_needs(&options, m->nx, &spec);
  w->system = system_new(m, &spec);
  w->work = simulate_work_new(w->system, &options);
  w->p = ARENA_ARRAY(a, double, m->np + 1);
  for (int k = 0; k < m->np; k++) w->p[k] = m->flat->parameters.at[k].value;
  arena_free(scratch);
  return w;
}

void forward_free(ForwardWay *w) {
  if (!w) return;
  simulate_work_free(w->work);
  system_free(w->system);
  arena_free(w->arena);
}

static void set_parameters(const Hessian *h, ForwardWay *w) {
  const Augmented *a = w->augmented;
  memcpy(w->p, h->p, (size_t)a->of->np * sizeof *w->p);
  for (int k = 0; k < h->count; k++) {
    double size = fabs(h->p[h->parameters[k]]);
    if (a->column[k] >= 0) w->p[a->scale[a->column[k]]] = size > 0 ? size : 1;
  }
}

static void make_room(const Hessian *h, ForwardWay *w, int rows) {
  if (rows <= w->rows) return;
  size_t width = (size_t)w->outputs;
  w->rows = rows;
  w->values = ARENA_RAW(w->arena, double, (size_t)rows *width + 1);
  w->sens = ARENA_RAW(w->arena, double, (size_t)rows *width *(size_t)h->count + 1);
}

static void add_sample(Hessian *h, const ForwardWay *w, int e, int c, int i) {
  int measured = h->problem->channel_measured[e][c], n = h->count;
  size_t row = (size_t)h->plans[e]->channels[c].row[i], width = (size_t)w->outputs;
  const double *values = w->values + row * width, *sens = w->sens + row * width * (size_t)n;
  double weight = h->weight[e][c][i];
  const double *second = sens + w->slope[measured] * n;
  for (int k = 0; k < n; k++)
    for (int l = k; l < n; l++) second_add(h, k, l, weight * second[k * n + l]);
  int rate = w->rate[measured], delay = rate >= 0 ? second_delay(h, e, c, i) : -1;
  if (delay >= 0) second_add_delay(h, delay, weight, sens + rate * n, values[rate + 1]);
}

bool forward_sum(Hessian *h, int e) {
  if (h->forward && h->forward->stiff != h->stiff) forward_free(h->forward), h->forward = NULL;
  if (!h->forward) h->forward = forward_new(h);
  ForwardWay *w = h->forward;
  const Experiment *x = &h->problem->experiments[e];
  const Plan *plan = h->plans[e];
  set_parameters(h, w);
  make_room(h, w, plan->count);
  SimulateRequest request = {.p = w->p,
                             .inputs = x->inputs,
                             .start = x->start,
                             .times = plan->times,
                             .count = plan->count};
  Trajectory t = {
      .values = w->values, .sens = w->sens, .stepped = kinks_watch, .stepped_data = h->kinks};
  kinks_begin(h->kinks, h->p, x->inputs, x->start);
  simulate_run(w->work, &request, &t);
  second_work(h, &t.work, 1 + h->count);
  if (!second_holds(h, &t)) return false;
  for (int c = 0; c < x->channel_count; c++)
    for (int i = 0; i < x->channels[c].count; i++) add_sample(h, w, e, c, i);
  return true;
}
