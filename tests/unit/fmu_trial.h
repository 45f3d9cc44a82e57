// One simulation of a test FMU in this process: the runner that workers have, and a call by names.
#pragma once
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fmu/fmu_run.h"
#include "simulate/simulate_options.h"
#include "test.h"

enum { FMU_NAMES_MOST = 16, FMU_TIMES_MOST = 2000 };

typedef struct FmuTrial {
  Arena *arena;
  FmuRunner *runner;
  const ClosedDescription *closed;
  SimulatorCall call;
  SimulatorAnswer *answer; // of the last run
  double times[FMU_TIMES_MOST], *parameters;
  bool *given;
  CallText texts[FMU_NAMES_MOST];
  const Input **inputs;
  int variables[FMU_NAMES_MOST], slopes[FMU_NAMES_MOST];
  double size[FMU_NAMES_MOST], low[FMU_NAMES_MOST], high[FMU_NAMES_MOST], part[FMU_NAMES_MOST];
} FmuTrial;

// The folder of the test FMUs is beside that of the tests: $(BUILD)/fmu.
static inline const char *fmu_place(Arena *a, const char *name) {
  char self[1000];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  assert_true(length > 0);
  self[length] = 0;
  for (int i = 0; i < 2; i++) *strrchr(self, '/') = 0;
  const char *path = arena_print(a, "%s/fmu/%s", self, name);
  if (access(path, R_OK) != 0) fail_msg("%s is not there: make fmus", path);
  return path;
}

static inline int fmu_find(const ClosedVariable *list, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return i;
  fail_msg("there is no %s", name);
  return -1;
}

#define FMU_FIND(of, name) fmu_find((of).at, (of).count, name)

// name: that of a folder, such as oscillator2. Defaults as those of the command, rel_tol 1e-8.
static inline FmuTrial *fmu_trial_open_spec(const char *name, FmuInterface interface, double step) {
  Arena *a = arena_new();
  FmuTrial *t = ARENA_NEW(a, FmuTrial);
  Err err = {0};
  SimulateOptions o;
  simulate_options_init(&o);
  t->arena = a;
  FmuSpec spec = {name, fmu_place(a, name), interface, step, 0};
  t->runner = fmu_runner_open(&spec, &err);
  if (!t->runner) fail_msg("%s", err.text);
  t->closed = &t->runner->model->closed;
  int np = t->closed->parameters.count, nu = t->closed->inputs.count;
  t->parameters = ARENA_ARRAY(a, double, np + 1);
  t->given = ARENA_ARRAY(a, bool, np + 1);
  t->inputs = ARENA_ARRAY(a, const Input *, nu + 1);
  for (int k = 0; k < np; k++) t->parameters[k] = t->closed->parameters.at[k].value;
  t->call = (SimulatorCall){.times = t->times,
                            .parameters = t->parameters,
                            .given = t->given,
                            .parameter_count = np,
                            .texts = t->texts,
                            .inputs = t->inputs,
                            .input_count = nu,
                            .variables = t->variables,
                            .slopes = t->slopes,
                            .slope_size = t->size,
                            .slope_low = t->low,
                            .slope_high = t->high,
                            .slope_part = t->part,
                            .rel_tol = 1e-8,
                            .abs_tol = 1e-9,
                            .max_steps = o.max_steps,
                            .max_events = o.max_events,
                            .solver = o.solver};
  return t;
}

static inline FmuTrial *fmu_trial_open(const char *name, FmuInterface interface) {
  return fmu_trial_open_spec(name, interface, 0);
}

static inline void fmu_trial_close(FmuTrial *t) {
  fmu_runner_close(t->runner);
  arena_free(t->arena);
}

static inline void fmu_trial_set(FmuTrial *t, const char *name, double value) {
  int k = FMU_FIND(t->closed->parameters, name);
  t->parameters[k] = value;
  t->given[k] = true;
}

static inline void fmu_trial_set_text(FmuTrial *t, const char *name, const char *text) {
  t->texts[t->call.text_count++] = (CallText){FMU_FIND(t->closed->parameters, name), text};
}

static inline void fmu_trial_input(FmuTrial *t, const char *name, const Input *in) {
  t->inputs[FMU_FIND(t->closed->inputs, name)] = in;
}

static inline void fmu_trial_times(FmuTrial *t, double start, double stop, int count) {
  t->call.start = start;
  t->call.count = count;
  for (int i = 0; i < count; i++) t->times[i] = start + (stop - start) * i / (count - 1);
}

static inline void fmu_trial_record(FmuTrial *t, const char *name) {
  t->variables[t->call.variable_count++] = FMU_FIND(t->closed->variables, name);
}

static inline void fmu_trial_slope(FmuTrial *t, const char *name) {
  int n = t->call.slope_count++, p = FMU_FIND(t->closed->parameters, name);
  double value = fabs(t->parameters[p]);
  t->slopes[n] = p;
  t->size[n] = value > 0 ? value : 1;
  t->low[n] = -HUGE_VAL;
  t->high[n] = HUGE_VAL;
  t->part[n] = 1.5e-8; // 0: the runner chooses it
}

static inline SimulatorAnswer *fmu_trial_run(FmuTrial *t) {
  t->answer = simulator_answer_new(t->arena, &t->call);
  fmu_runner_run(t->runner, &t->call, t->answer);
  return t->answer;
}

static inline SimulatorAnswer *fmu_trial_run_fully(FmuTrial *t) {
  SimulatorAnswer *a = fmu_trial_run(t);
  if (a->outcome != OUTCOME_REACHED_END) fail_msg("%s %s", a->message, a->log);
  assert_int_equal(a->rows, t->call.count);
  return a;
}

static inline double fmu_trial_value(const FmuTrial *t, int row, int variable) {
  return t->answer->values[row * t->call.variable_count + variable];
}

static inline double fmu_trial_slope_at(const FmuTrial *t, int row, int variable, int slope) {
  return t->answer->slopes[(row * t->call.variable_count + variable) * t->call.slope_count + slope];
}
