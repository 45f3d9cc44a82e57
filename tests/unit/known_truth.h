// A problem whose truth is known: a model, sample times, what is measured and estimated; the samples come from the model.
#pragma once
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluation.h"
#include "problem/read_problem.h"
#include "search/fit.h"
#include "study/synthetic.h"
#include "test.h"

enum { FREE_MOST = 8 };

typedef struct Known {
  // what the test says; the rest is 0
  const char *model;       // a file below the root, or
  const char *text;        // Modelica
  const char *measured[3]; // expressions
  double stop, step;
  const char *estimate; // "p: {start: 15, min: 0.1, max: 1000}, q: ..."
  double truth[FREE_MOST];
  const char *options; // "method: lm\noptions: {gain: 10}"
  double noise;
  int noise_kind;
  int seed;
  // what known_open makes
  Problem *problem; // with the samples of the model
  Problem *read;    // with any samples
  Arena *arena;
  ModelValues values;
} Known;

static inline void write_text(const char *folder, const char *name, const char *text) {
  char path[500];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static inline int known_rows(const Known *k) {
  return (int)floor(k->stop / k->step + 0.5) + 1;
}

// Any samples that vary will do: they are replaced.
static inline void write_times(const Known *k, const char *folder) {
  char path[500];
  snprintf(path, sizeof path, "%s/data.csv", folder);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "t");
  for (int c = 0; c < 3 && k->measured[c]; c++) fprintf(f, ",y%d", c);
  for (int i = 0; i < known_rows(k); i++) {
    fprintf(f, "\n%.17g", i * k->step);
    for (int c = 0; c < 3 && k->measured[c]; c++) fprintf(f, ",%d", 1 + i % 7);
  }
  fprintf(f, "\n");
  fclose(f);
}

static inline void problem_text(const Known *k, Text *out) {
  char *model = k->model ? realpath(k->model, NULL) : NULL;
  text_print(out, "model: %s\nexperiments:\n  - data: data.csv\n    measure:\n",
             model ? model : "model.mo");
  for (int c = 0; c < 3 && k->measured[c]; c++)
    text_print(out, "      %s: y%d\n", k->measured[c], c);
  text_print(out, "estimate: {%s}\n%s\n", k->estimate, k->options ? k->options : "");
  free(model);
}

static inline Problem *read_problem(const Known *k) {
  char folder[] = "/tmp/known-truth-XXXXXX", command[100];
  Err err = {0};
  Text text;
  assert_non_null(mkdtemp(folder));
  if (k->text) write_text(folder, "model.mo", k->text);
  write_times(k, folder);
  text_init(&text);
  problem_text(k, &text);
  Problem *p = problem_parse("problem.yaml", folder, text.at, text.length, NULL, 0, &err);
  if (!p) print_error("%s\n%s", err.text, text.at);
  assert_non_null(p);
  text_done(&text);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  return p;
}

// The same times with other noise.
static inline Problem *known_noisy(const Known *k, int seed) {
  Random random;
  random_seed_stream(&random, 1, (uint64_t)seed);
  return problem_with_samples(k->read, &k->values, k->noise_kind, k->noise, &random, k->arena);
}

static inline void known_open(Known *k) {
  char why[700] = "";
  k->arena = arena_new();
  k->read = read_problem(k);
  if (!model_values(k->read, k->truth, k->arena, &k->values, why)) print_error("%s\n", why);
  assert_true(k->values.size > 0);
  k->problem = known_noisy(k, k->seed);
}

static inline void known_close(Known *k) {
  problem_free(k->read);
  arena_free(k->arena);
}

// Simulations of the search itself, without those that confirm its result.
static inline long solves(const FitResult *r) {
  return work_count_simulations(&r->search_work);
}

// A run with sensitivities counts as many as finite differences would need.
static inline long cost(const FitResult *r) {
  const WorkCount *w = &r->search_work;
  return w->simulations + (r->problem->unknown_count + 1) * w->sensitivity_simulations;
}

static inline double objective_at(const Problem *p, const double *x) {
  Evaluation *o = evaluation_new(p);
  Arena *a = arena_new();
  LsqPoint *point = lsq_point_new(a, p->unknown_count);
  memcpy(point->x, x, sizeof(double) * (size_t)p->unknown_count);
  assert_int_equal(evaluation_point(o, point, false), EVAL_DONE);
  double v = point->objective;
  arena_free(a);
  evaluation_free(o);
  return v;
}

static inline double relative_error(const FitResult *r, const double *truth, int i) {
  return fabs(r->x[i] - truth[i]) / fabs(truth[i]);
}

static inline double largest_error(const FitResult *r, const double *truth) {
  double most = 0;
  for (int i = 0; i < r->problem->unknown_count; i++)
    most = fmax(most, relative_error(r, truth, i));
  return most;
}

// What a failure is about.
static inline void tell(const char *what, const FitResult *r) {
  print_error("%s: %s by %s, V %.9g, %ld + %ld simulations, x =", what,
              fit_outcome_word(r->outcome), r->by ? r->by : "-", r->objective, r->work.simulations,
              r->work.sensitivity_simulations);
  for (int i = 0; i < r->problem->unknown_count; i++) print_error(" %.9g", r->x[i]);
  print_error("; %s %s\n", r->message, r->why);
}

// assert_fit(condition, "what", result): shows the result when it does not hold.
#define assert_fit(condition, what, r)                                                             \
  do {                                                                                             \
    if (!(condition)) tell(what, r);                                                               \
    assert_true(condition);                                                                        \
  } while (0)
