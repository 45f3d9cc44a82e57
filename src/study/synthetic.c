// Model values at given unknowns, found from residuals and samples: y = data + residual / scale.
#include "study/synthetic.h"

#include <math.h>

#include "base/c_locale.h"
#include "num/coloured_noise.h"
#include "problem/residual_kind.h"
#include "residual/evaluate.h"

int problem_channels(const Problem *p) {
  int n = 0;
  for (int e = 0; e < p->experiment_count; e++) n += p->experiments[e].channel_count;
  return n;
}

// Number of the first channel of each experiment in the row of all.
static int *first_channels(const Problem *p, Arena *a) {
  int *first = ARENA_ARRAY(a, int, p->experiment_count + 1);
  for (int e = 0; e < p->experiment_count; e++)
    first[e + 1] = first[e] + p->experiments[e].channel_count;
  return first;
}

typedef struct ValueCollector {
  const Problem *p;
  const int *first;
  ModelValues *out;
} ValueCollector;

static void collect(void *data, const ResidualBlock *b) {
  ValueCollector *c = data;
  const double *samples = c->p->experiments[b->experiment].channels[b->channel].y + b->first;
  double *y = c->out->y[c->first[b->experiment] + b->channel] + b->first;
  const double *residual = b->column[c->p->unknown_count];
  for (int i = 0; i < b->rows; i++) {
    double scale = b->scale[i];
    y[i] = samples[i] + (scale > 0 ? residual[i] / scale : 0);
    c->out->size += 0.5 * scale * scale * y[i] * y[i];
  }
}

static void tighten(SimulateOptions *o) {
  o->rel_tol = fmax(1e-3 * o->rel_tol, 1e-13);
  o->abs_tol *= 1e-3;
}

// The same with the channels as they are recorded.
static Problem *recorded_problem(const Problem *p, Arena *a) {
  Problem *copy = ARENA_NEW(a, Problem);
  *copy = *p;
  copy->options.residual = RESIDUAL_SIMULATION;
  copy->experiments = ARENA_ARRAY(a, Experiment, p->experiment_count);
  for (int e = 0; e < p->experiment_count; e++) {
    Experiment *x = &copy->experiments[e];
    *x = p->experiments[e];
    x->channels = x->recorded, x->channel_count = x->recorded_count;
    x->states = NULL;
  }
  problem_list_measured(copy, a, copy->experiment_count, 0);
  return copy;
}

bool model_values(const Problem *p, const double *x, Arena *a, ModelValues *out, char why[700]) {
  if (!problem_simulates(p)) p = recorded_problem(p, a);
  int *first = first_channels(p, a);
  ValueCollector c = {p, first, out};
  Problem exact = *p;
  tighten(&exact.simulate);
  *out = (ModelValues){ARENA_ARRAY(a, double *, problem_channels(p)), 0};
  for (int e = 0; e < p->experiment_count; e++)
    for (int k = 0; k < p->experiments[e].channel_count; k++)
      out->y[first[e] + k] = ARENA_ARRAY(a, double, p->experiments[e].channels[k].count);
  Fitting *f = fitting_new(&exact);
  EvalWork *w = eval_work_new(f, 1, NULL);
  EvalSpec spec = eval_spec(f, NULL);
  spec.slopes = true;
  bool ok = evaluate_rows(w, &spec, x, collect, &c);
  if (!ok && why) c_snprintf(why, 700, "%s", eval_why(w));
  eval_work_free(w);
  fitting_free(f);
  return ok;
}

static double root_mean_square(const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i] * y[i];
  return n ? sqrt(sum / n) : 0;
}

// A sigma relative to the data follows new data.
double sigma_of_samples(const Channel *c, const double *values) {
  if (c->sigma_kind != SIGMA_NUMBER && c->sigma_kind != SIGMA_RELATIVE) return nan("");
  double before = root_mean_square(c->y, c->count), now = root_mean_square(values, c->count);
  bool follows = c->sigma_kind == SIGMA_RELATIVE && before > 0 && now > 0;
  return follows ? c->sigma * (now / before) : c->sigma;
}

double noise_of_samples(const Channel *c, const double *values, int kind, double noise) {
  if (kind == NOISE_SIGMA) return sigma_of_samples(c, values);
  return noise * root_mean_square(values, c->count);
}

static void add_noise(const Channel *c, double *y, int kind, double noise, const FitOptions *o,
                      Random *r) {
  double even = noise_of_samples(c, y, kind, noise);
  if (!(even > 0)) return;
  NoiseSource source = noise_source(o->noise_correlation, o->noise_slow_share);
  for (int i = 0; i < c->count; i++)
    y[i] += (kind == NOISE_PROPORTIONAL ? noise * y[i] : even) * noise_next(&source, r);
}

static Channel *noisy_channels(const Experiment *e, double *const *values, int kind, double noise,
                               const FitOptions *o, Random *r, Arena *a) {
  Channel *copy = ARENA_ARRAY(a, Channel, e->channel_count);
  for (int k = 0; k < e->channel_count; k++) {
    const Channel *old = &e->channels[k];
    double *y = ARENA_ARRAY(a, double, old->count);
    for (int i = 0; i < old->count; i++) y[i] = values[k][i];
    add_noise(old, y, kind, noise, o, r);
    for (int i = 0; i < old->count; i++) y[i] = quantised(y[i], o->quantum);
    copy[k] = *old;
    copy[k].y = y;
    if (old->sigma_kind == SIGMA_RELATIVE) copy[k].sigma = sigma_of_samples(old, y);
  }
  return copy;
}

Problem *problem_with_samples(const Problem *p, const ModelValues *values, int noise_kind,
                              double noise, Random *r, Arena *a) {
  const Problem *kind = p;
  if (!problem_simulates(p)) p = recorded_problem(p, a);
  const int *first = first_channels(p, a);
  Problem *copy = ARENA_NEW(a, Problem);
  *copy = *p;
  copy->experiments = ARENA_ARRAY(a, Experiment, p->experiment_count);
  for (int e = 0; e < p->experiment_count; e++) {
    copy->experiments[e] = p->experiments[e];
    copy->experiments[e].channels = noisy_channels(&p->experiments[e], values->y + first[e],
                                                   noise_kind, noise, &p->options, r, a);
    copy->experiments[e].recorded = copy->experiments[e].channels;
  }
  if (kind == p) return copy;
  copy->options = kind->options;
  Err ignored = {
      0}; // it was possible with the data of the file; without a range nothing is divided
  if (residual_kind_apply(copy, a, &ignored)) residual_kind_scale(copy, a, &ignored);
  return copy;
}
