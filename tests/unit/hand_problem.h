// Problems made by hand for tests from residual upwards: a model, experiments whose data it makes itself, unknowns.
#pragma once
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "num/random.h"
#include "problem/problem.h"
#include "simulate/simulate.h"
#include "test.h"

enum { HAND_MOST = 16, HAND_CHANNELS = 4 };

typedef struct Hand {
  Arena *arena;
  Problem problem;
  Experiment experiments[HAND_MOST];
  Unknown unknowns[HAND_MOST];
  double *truth; // all parameters of the model
  Expr measured[HAND_MOST];
  const char *measured_name[HAND_MOST];
  int channel_measured[HAND_MOST][HAND_CHANNELS];
  int *channel_rows[HAND_MOST];
} Hand;

static inline Hand *hand_from_source(Arena *a, Source *source, Err *err) {
  assert_non_null(source);
  const AstModel *ast = parse_model(a, source, err);
  Hand *h = ARENA_NEW(a, Hand);
  h->arena = a;
  h->problem.arena = a;
  h->problem.model = ast ? model_new(source, ast, NULL, 0, err) : NULL;
  if (!h->problem.model) print_error("%s\n", err->text);
  assert_non_null(h->problem.model);
  h->problem.experiments = h->experiments;
  h->problem.unknowns = h->unknowns;
  h->problem.measured = h->measured;
  h->problem.measured_name = h->measured_name;
  h->problem.channel_measured = h->channel_rows;
  for (int e = 0; e < HAND_MOST; e++) h->channel_rows[e] = h->channel_measured[e];
  fit_options_init(&h->problem.options);
  simulate_options_init(&h->problem.simulate);
  h->problem.simulate.rel_tol = 1e-8;
  h->problem.simulate.abs_tol = 1e-10;
  Model *m = h->problem.model;
  h->truth = ARENA_ARRAY(a, double, m->np + HAND_MOST);
  for (int k = 0; k < m->np; k++) h->truth[k] = m->flat->parameters.at[k].value;
  return h;
}

static inline Hand *hand_load(const char *path) {
  Arena *a = arena_new();
  Err err = {0};
  return hand_from_source(a, source_load(a, path, &err), &err);
}

static inline Hand *hand_text(const char *text) {
  Arena *a = arena_new();
  Err err = {0};
  return hand_from_source(a, source_new(a, "test", text, strlen(text), &err), &err);
}

static inline void hand_done(Hand *h) {
  model_free(h->problem.model);
  arena_free(h->arena);
}

static inline int hand_parameter(const Hand *h, const char *name) {
  int k = names_find(h->problem.model->flat->parameter_names, name);
  assert_true(k >= 0);
  return k;
}

static inline void hand_truth(Hand *h, const char *name, double value) {
  h->truth[hand_parameter(h, name)] = value;
}

// Returns the number of the unknown.
static inline int hand_estimate(Hand *h, const char *name, int experiment, double start, double min,
                                double max) {
  int i = h->problem.unknown_count++;
  assert_true(i < HAND_MOST);
  h->unknowns[i] = (Unknown){.name = name,
                             .unit = "",
                             .parameter = hand_parameter(h, name),
                             .experiment = experiment,
                             .start = start,
                             .min = min,
                             .max = max};
  return i;
}

static inline Expr hand_variable(const Hand *h, const char *name) {
  const Model *m = h->problem.model;
  int v = names_find(m->flat->names, name);
  assert_true(v >= 0);
  return m->value[v];
}

static inline int hand_measured(Hand *h, const char *name) {
  Problem *p = &h->problem;
  for (int k = 0; k < p->measured_count; k++)
    if (strcmp(h->measured_name[k], name) == 0) return k;
  h->measured[p->measured_count] = hand_variable(h, name);
  h->measured_name[p->measured_count] = name;
  return p->measured_count++;
}

// What the model gives at the present truth, outputs by rows.
static inline void hand_simulate(Hand *h, const Experiment *e, const Expr *outputs, int count,
                                 const double *t, int rows, double *values) {
  SystemSpec spec = {.outputs = outputs, .output_count = count, .lanes = 1};
  SimulateOptions options = h->problem.simulate;
  options.rel_tol = 1e-11;
  options.abs_tol = 1e-12;
  simulate_needs(&options, h->problem.model->nx, &spec);
  System *s = system_new(h->problem.model, &spec);
  SimulateWork *w = simulate_work_new(s, &options);
  SimulateRequest request = {
      .p = h->truth, .inputs = e->inputs, .start = e->start, .times = t, .count = rows};
  Trajectory out = {.values = values};
  simulate_run(w, &request, &out);
  if (out.outcome != OUTCOME_REACHED_END) print_error("%s\n", out.message);
  assert_int_equal(out.outcome, OUTCOME_REACHED_END);
  simulate_work_free(w);
  system_free(s);
}

typedef struct HandData {
  const char *channels[HAND_CHANNELS];
  double start, step;
  int count;
  double noise; // relative to the root mean square of each channel
  uint64_t seed;
  const Input **inputs;
} HandData;

// An experiment with data that the model makes at the present truth.
static inline Experiment *hand_experiment(Hand *h, HandData d) {
  int number = h->problem.experiment_count++;
  Experiment *e = &h->experiments[number];
  Expr measured[HAND_CHANNELS];
  int channels = 0;
  double *t = ARENA_ARRAY(h->arena, double, d.count);
  while (channels < HAND_CHANNELS && d.channels[channels]) {
    h->channel_measured[number][channels] = hand_measured(h, d.channels[channels]);
    measured[channels] = hand_variable(h, d.channels[channels]);
    channels++;
  }
  for (int i = 0; i < d.count; i++) t[i] = d.start + i * d.step;
  e->name = "test";
  e->number = number;
  e->start = d.start, e->stop = t[d.count - 1];
  e->channels = ARENA_ARRAY(h->arena, Channel, channels + 1);
  e->channel_count = channels;
  e->inputs = d.inputs;
  e->p = ARENA_ARRAY(h->arena, double, h->problem.model->np + HAND_MOST);
  memcpy(e->p, h->truth, (size_t)h->problem.model->np * sizeof(double));
  double *values = ARENA_ARRAY(h->arena, double, (size_t)d.count *(size_t)channels);
  hand_simulate(h, e, measured, channels, t, d.count, values);
  Random random;
  random_seed(&random, d.seed);
  for (int c = 0; c < channels; c++) {
    double *y = ARENA_ARRAY(h->arena, double, d.count), square = 0;
    for (int i = 0; i < d.count; i++) {
      y[i] = values[i * channels + c];
      square += y[i] * y[i] / d.count;
    }
    for (int i = 0; i < d.count; i++) y[i] += d.noise * sqrt(square) * random_normal(&random);
    e->channels[c] = (Channel){.name = d.channels[c],
                               .column = d.channels[c],
                               .unit = "",
                               .measured = measured[c],
                               .gain = -1,
                               .offset = -1,
                               .delay = -1,
                               .weight = 1,
                               .count = d.count,
                               .t = t,
                               .y = y};
  }
  return e;
}
