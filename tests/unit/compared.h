// Comparisons for tests: methods by their texts, on a problem whose truth is known.
#pragma once
#include "known_truth.h"
#include "study/compare.h"

enum { METHODS_MOST = 8 };

typedef struct Compared {
  CompareSpec methods[METHODS_MOST];
  CompareRequest request;
  Compare *compare;
} Compared;

// Two numbers of x' = b - k*x from x = 2.
static inline Known compared_decay(const char *options) {
  Known k = {.text = "model Decay\n  parameter Real k = 0.5;\n  parameter Real b = 2;\n"
                     "  Real x(start = 2, fixed = true);\n"
                     "equation\n  der(x) = b - k*x;\nend Decay;\n",
             .measured = {"x"},
             .stop = 5,
             .step = 0.1,
             .estimate = "k: {start: 0.7, min: 0.05, max: 5}, b: {start: 0.5, min: 0.1, max: 10}",
             .truth = {0.8, 2.4},
             .options = options};
  known_open(&k);
  return k;
}

// A pendulum over 20 s: only a coupled search finds p = 10 from 14.
static inline Known compared_pendulum(void) {
  Known k = {.model = "models/pendulum.mo",
             .measured = {"theta"},
             .stop = 20,
             .step = 0.1,
             .estimate = "p: {start: 14, min: 1, max: 100}",
             .truth = {10}};
  known_open(&k);
  return k;
}

// texts end with NULL
static inline void compared_methods(const Known *k, Compared *c, const char *const *texts) {
  Err err = {0};
  int n = 0;
  for (; texts[n]; n++)
    if (!compare_spec_read(k->arena, k->problem, texts[n], &c->methods[n], &err))
      fail_msg("%s", err.text);
  c->request.methods = c->methods;
  c->request.count = n;
  if (c->request.found == 0) c->request.found = 0.01;
}

static inline const Compare *compared_run(const Known *k, Compared *c, const char *const *texts,
                                          CompareListener *listener, void *data) {
  Err err = {0};
  compared_methods(k, c, texts);
  c->compare = compare_run(k->problem, &c->request, listener, data, &err);
  if (!c->compare) fail_msg("%s", err.text);
  return c->compare;
}
