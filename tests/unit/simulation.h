// One simulation for a test, through the public functions: what is wanted in one struct, the columns by name.
#pragma once
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "entrain.h"
#include "test.h"

// Words are separated by blanks. Everything that is left out has its default.
typedef struct Spec {
  const char *file, *text;  // the model: a file below the root, or Modelica text
  const char *set;          // "p=10 x.start=2"
  const char *options;      // "solver=rk8 rel_tol=1e-8"
  double start, stop, step; // output times, or
  const double *times;      // these
  int count;
  const char *select; // "x v"; NULL: all
  const char *sens;   // "p q", "*": all independent parameters; NULL: none
  const char *input;  // name of an input with samples
  const double *input_times, *input_values;
  int input_count;
} Spec;

typedef struct Run {
  EntrainModel *model;
  EntrainOptions *options;
  EntrainSimulation *simulation;
  EntrainResult *result;
  EntrainError error; // code 0 when the simulation ran
  EntrainWork work;
} Run;

enum { WORDS_MOST = 128, WORD_SIZE = 128 };

typedef struct Words {
  int count;
  char word[WORDS_MOST][WORD_SIZE];
  const char *at[WORDS_MOST];
} Words;

static inline void split_words(const char *text, Words *out) {
  out->count = 0;
  while (text && *(text += strspn(text, " "))) {
    size_t n = strcspn(text, " ");
    assert_true(n < WORD_SIZE && out->count < WORDS_MOST);
    memcpy(out->word[out->count], text, n);
    out->word[out->count][n] = 0;
    out->at[out->count] = out->word[out->count];
    out->count++;
    text += n;
  }
}

// Calls set for every "name=value" of the text.
typedef bool SetFn(void *object, const char *name, const char *value, EntrainError *error);

static inline bool set_words(const char *text, SetFn *set, void *object, EntrainError *error) {
  Words *w = malloc(sizeof *w);
  bool ok = true;
  split_words(text, w);
  for (int i = 0; i < w->count && ok; i++) {
    char *equals = strchr(w->word[i], '=');
    assert_non_null(equals);
    *equals = 0;
    ok = set(object, w->word[i], equals + 1, error);
  }
  free(w);
  return ok;
}

static inline bool set_in_model(void *m, const char *name, const char *value, EntrainError *e) {
  return entrain_model_set(m, name, value, e);
}
static inline bool set_in_options(void *o, const char *name, const char *value, EntrainError *e) {
  return entrain_options_set(o, name, value, e);
}

static inline bool run_prepare(Run *r, const Spec *s) {
  EntrainError *e = &r->error;
  Words *w = malloc(sizeof *w);
  r->options = entrain_options_new();
  r->model = s->file ? entrain_model_load(s->file, e)
                     : entrain_model_parse("test", s->text, strlen(s->text), e);
  bool ok = r->model && set_words(s->set, set_in_model, r->model, e) &&
            set_words(s->options, set_in_options, r->options, e);
  if (ok) r->simulation = entrain_simulation_new(r->model, r->options, e);
  ok = ok && r->simulation;
  if (ok && s->times) ok = entrain_simulation_times(r->simulation, s->start, s->times, s->count, e);
  if (ok && !s->times) ok = entrain_simulation_grid(r->simulation, s->start, s->stop, s->step, e);
  split_words(s->select, w);
  if (ok && w->count) ok = entrain_simulation_select(r->simulation, w->at, w->count, e);
  bool all = s->sens && strcmp(s->sens, "*") == 0;
  split_words(all ? NULL : s->sens, w);
  if (ok && s->sens) ok = entrain_simulation_sensitivities(r->simulation, w->at, w->count, e);
  if (ok && s->input)
    ok = entrain_simulation_input(r->simulation, s->input, s->input_times, s->input_values,
                                  s->input_count, e);
  free(w);
  return ok;
}

// The result is NULL and the error filled when it could not run.
static inline Run simulate_try(const Spec *s) {
  Run r = {.work.size = sizeof r.work};
  if (run_prepare(&r, s)) r.result = entrain_simulation_run(r.simulation, &r.error);
  if (r.result) entrain_result_work(r.result, &r.work);
  return r;
}

static inline void run_free(Run *r) {
  entrain_result_free(r->result);
  entrain_simulation_free(r->simulation);
  entrain_options_free(r->options);
  entrain_model_free(r->model);
}

static inline void assert_all_finite(const Run *r, const char *file, int line) {
  for (int c = 0; c < entrain_result_columns(r->result); c++)
    for (int i = 0; i < entrain_result_rows(r->result); i++)
      if (!isfinite(entrain_result_column(r->result, c)[i])) {
        print_error("%s is not finite in row %d\n", entrain_result_name(r->result, c), i);
        _fail(file, line);
      }
}

static inline Run simulate_at(const Spec *s, const char *file, int line) {
  Run r = simulate_try(s);
  if (!r.result) {
    char text[1600];
    entrain_error_format(&r.error, text, sizeof text);
    print_error("%s\n", text);
    _fail(file, line);
  }
  assert_all_finite(&r, file, line);
  return r;
}

static inline Run simulate_fully_at(const Spec *s, const char *file, int line) {
  Run r = simulate_at(s, file, line);
  if (entrain_result_outcome(r.result) != ENTRAIN_REACHED_END) {
    print_error("%s: %s\n", entrain_result_outcome_name(r.result),
                entrain_result_message(r.result));
    _fail(file, line);
  }
  return r;
}

// simulate(.text = ..., .stop = 1): any outcome, all rows finite. simulate_spec takes a pointer.
#define simulate(...) simulate_at(&(Spec){__VA_ARGS__}, __FILE__, __LINE__)
#define simulate_spec(spec) simulate_at((spec), __FILE__, __LINE__)
// These must reach the end.
#define simulate_fully(...) simulate_fully_at(&(Spec){__VA_ARGS__}, __FILE__, __LINE__)
#define simulate_spec_fully(spec) simulate_fully_at((spec), __FILE__, __LINE__)

static inline const double *column(const Run *r, const char *name) {
  for (int c = 0; c < entrain_result_columns(r->result); c++)
    if (strcmp(entrain_result_name(r->result, c), name) == 0)
      return entrain_result_column(r->result, c);
  print_error("there is no column %s\n", name);
  fail();
  return NULL;
}

static inline int rows(const Run *r) {
  return entrain_result_rows(r->result);
}
static inline double value_at(const Run *r, const char *name, int row) {
  return column(r, name)[row];
}
static inline double last_value(const Run *r, const char *name) {
  return column(r, name)[rows(r) - 1];
}
static inline EntrainOutcome outcome(const Run *r) {
  return entrain_result_outcome(r->result);
}

static inline double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// The largest difference of column c of two runs over their rows, which must be as many.
static inline double largest_difference(const Run *a, const Run *b, const char *name) {
  const double *x = column(a, name), *y = column(b, name);
  double most = 0;
  assert_int_equal(rows(a), rows(b));
  for (int i = 0; i < rows(a); i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

// ---------------------------------------------------------------- sensitivities against differences

static inline double parameter_value(const Run *r, const char *name) {
  EntrainVariable v = {.size = sizeof v};
  int i = entrain_model_find(r->model, ENTRAIN_PARAMETER, name);
  assert_true(i >= 0 && entrain_model_variable(r->model, ENTRAIN_PARAMETER, i, &v));
  return v.value;
}

typedef struct Difference { // of a run by a parameter
  double step;              // relative to the parameter, absolute when it is 0
  double tolerance;         // relative to the largest number in the column
  const char *options;      // of the runs that are compared; tight tolerances
} Difference;

static inline Run moved_run(const Spec *s, const Difference *d, const char *parameter,
                            double value) {
  char set[2048];
  snprintf(set, sizeof set, "%s %s=%.17g", s->set ? s->set : "", parameter, value);
  Spec moved = *s;
  moved.set = set;
  moved.sens = NULL;
  if (d->options) moved.options = d->options;
  return simulate_spec_fully(&moved);
}

// Sensitivity columns by one parameter against central differences of order 4.
static inline void compare_with_difference(const Run *r, const Spec *s, const Difference *d,
                                           const char *parameter, const char *file, int line) {
  static const double OFFSET[4] = {-2, -1, 1, 2},
                      WEIGHT[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  double p = parameter_value(r, parameter), h = d->step * (p != 0 ? fabs(p) : 1);
  Run moved[4];
  for (int k = 0; k < 4; k++) moved[k] = moved_run(s, d, parameter, p + OFFSET[k] * h);
  for (int c = 1; c < entrain_result_columns(moved[0].result); c++) {
    const char *name = entrain_result_name(moved[0].result, c);
    char wanted[300];
    snprintf(wanted, sizeof wanted, "d%s/d%s", name, parameter);
    const double *sens = column(r, wanted);
    // what rounding and the tolerance of the runs leave of the difference
    double noise = 1e-11 * largest(column(&moved[0], name), rows(r)) / h;
    double allowed = d->tolerance * largest(sens, rows(r)) + noise;
    for (int i = 0; i < rows(r); i++) {
      double slope = 0;
      for (int k = 0; k < 4; k++) slope += WEIGHT[k] * value_at(&moved[k], name, i) / h;
      if (fabs(sens[i] - slope) <= allowed) continue;
      print_error("%s in row %d (t = %g): %.12g, difference %.12g, apart by %.3g, more than %.3g\n",
                  wanted, i, value_at(r, "time", i), sens[i], slope, fabs(sens[i] - slope),
                  allowed);
      _fail(file, line);
    }
  }
  for (int k = 0; k < 4; k++) run_free(&moved[k]);
}

static inline void compare_sensitivities(const Spec *s, const Difference *d, const char *file,
                                         int line) {
  Run r = simulate_fully_at(s, file, line);
  Words *w = malloc(sizeof *w);
  split_words(s->sens, w);
  for (int i = 0; i < w->count; i++) compare_with_difference(&r, s, d, w->at[i], file, line);
  free(w);
  run_free(&r);
}

// All sensitivities of the spec against central differences.
#define assert_sensitivities(spec, ...)                                                            \
  compare_sensitivities((spec), &(Difference){__VA_ARGS__}, __FILE__, __LINE__)
