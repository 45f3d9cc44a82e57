// A closed model for tests: a simulator in this process with known slopes, which can be made noisy, and to fail.
//   y = exp(a t) + b sin t,  z = a b^2 + u(t)
#pragma once
#include <string.h>

#include "closed/closed_model.h"
#include "closed/closed_work.h"
#include "lang/source.h"
#include "model/model_build.h"
#include "simulate/closed.h"
#include "simulate/simulate.h"
#include "test.h"

enum { CLOSED_A, CLOSED_B, CLOSED_PARAMETERS }; // as in the description
enum { CLOSED_Y, CLOSED_Z, CLOSED_VARIABLES };
enum { CLOSED_ROWS = 11, CLOSED_CALLS_MOST = 400 };

typedef struct ClosedTrial {
  Arena *arena;
  ClosedDescription description;
  ClosedSimulator *simulator;
  Model *model;
  System *system;
  SimulateOptions options;
  SimulateWork *work;
  double p[8];
  int parameter[CLOSED_PARAMETERS]; // of the model: a, b
  double times[CLOSED_ROWS];
  const Input *input;
  SimulateRequest request;
  double values[CLOSED_ROWS * CLOSED_VARIABLES];
  double sens[CLOSED_ROWS * CLOSED_VARIABLES * CLOSED_PARAMETERS];
  Trajectory out;
  // What the simulator does.
  double noise;  // in the values, by no visible rule
  double slopes; // it makes slopes itself, wrong by this factor; 0: it makes none
  double a_fails_below, a_fails_above;
  int calls; // so far
  double a_called[CLOSED_CALLS_MOST];
} ClosedTrial;

static inline double closed_noise(double a, double b, double t) { // -1 .. 1
  double numbers[3] = {a, b, t};
  uint64_t bits = 0x9e3779b97f4a7c15u, one;
  for (int i = 0; i < 3; i++) {
    memcpy(&one, &numbers[i], sizeof one);
    bits = (bits ^ one) * 0xbf58476d1ce4e5b9u;
    bits ^= bits >> 29;
  }
  return (double)(bits >> 11) * 0x1p-52 - 1;
}

static inline void closed_trial_run_all(ClosedSimulator *s, const SimulatorCall *const *calls,
                                        SimulatorAnswer *const *answers, int count) {
  ClosedTrial *t = s->data;
  for (int n = 0; n < count; n++) {
    const SimulatorCall *c = calls[n];
    double a = c->parameters[CLOSED_A], b = c->parameters[CLOSED_B];
    if (t->calls < CLOSED_CALLS_MOST) t->a_called[t->calls] = a;
    t->calls++;
    if (a < t->a_fails_below || a > t->a_fails_above) {
      answer_end(answers[n], OUTCOME_CRASHED, c->origin + c->start, "it broke at a = %g", a);
      continue;
    }
    for (int i = 0; i < c->count; i++)
      for (int v = 0; v < c->variable_count; v++) {
        double at = c->times[i], u = c->inputs[0] ? input_value(c->inputs[0], at) : 0;
        double y = exp(a * at) + b * sin(at), z = a * b * b + u;
        answers[n]->values[i * c->variable_count + v] =
            (c->variables[v] == CLOSED_Y ? y : z) + t->noise * closed_noise(a, b, at);
      }
    for (int i = 0; i < c->count * c->variable_count && t->slopes != 0; i++)
      for (int k = 0; k < c->slope_count; k++) {
        double at = c->times[i / c->variable_count];
        bool y = c->variables[i % c->variable_count] == CLOSED_Y, by_a = c->slopes[k] == CLOSED_A;
        double slope = by_a ? (y ? at * exp(a * at) : b * b) : y ? sin(at) : 2 * a * b;
        answers[n]->slopes[i * c->slope_count + k] = t->slopes * slope;
      }
    answers[n]->rows = c->count;
    answers[n]->outcome = OUTCOME_REACHED_END;
    answers[n]->t_end = c->origin + (c->count ? c->times[c->count - 1] : c->start);
    strcpy(answers[n]->solver, "trial");
  }
}

static inline ClosedVariable closed_trial_variable(const char *name, double value) {
  return (ClosedVariable){.name = name,
                          .description = "",
                          .unit = "",
                          .has_value = true,
                          .value = value,
                          .min = -HUGE_VAL,
                          .max = HUGE_VAL,
                          .nominal = 1,
                          .start_of = -1};
}

static inline int closed_trial_find(const Flat *f, const char *name) {
  int i = names_find(f->names, name);
  assert_true(i >= 0);
  return i;
}

static inline void closed_trial_build(ClosedTrial *t) {
  Err err = {0};
  const AstModel *ast = closed_ast(t->arena, &t->description, &t->simulator->model);
  t->model = model_new(source_new(t->arena, "trial", "", 0, &err), ast, NULL, 0, &err);
  if (!t->model) fail_msg("%s", err.text);
  const Flat *f = t->model->flat;
  for (int k = 0; k < f->parameters.count; k++) {
    t->p[k] = f->parameters.at[k].value;
    if (strcmp(f->parameters.at[k].name, "a") == 0) t->parameter[CLOSED_A] = k;
    if (strcmp(f->parameters.at[k].name, "b") == 0) t->parameter[CLOSED_B] = k;
  }
  Expr outputs[CLOSED_VARIABLES] = {t->model->value[closed_trial_find(f, "y")],
                                    t->model->value[closed_trial_find(f, "z")]};
  SystemSpec spec = {.outputs = outputs,
                     .output_count = CLOSED_VARIABLES,
                     .parameters = t->parameter,
                     .parameter_count = CLOSED_PARAMETERS,
                     .lanes = 1,
                     .code = CODE_AUTO};
  t->system = system_new(t->model, &spec);
  t->work = simulate_work_new(t->system, &t->options);
}

static inline ClosedTrial *closed_trial_open(void) {
  Arena *a = arena_new();
  ClosedTrial *t = ARENA_NEW(a, ClosedTrial);
  t->arena = a;
  t->description.name = "Trial";
  t->description.description = "";
  t->description.start_time = t->description.stop_time = t->description.interval = nan("");
  array_push(a, &t->description.parameters, closed_trial_variable("a", 0.7));
  array_push(a, &t->description.parameters, closed_trial_variable("b", -1.3));
  array_push(a, &t->description.inputs, closed_trial_variable("u", 0));
  array_push(a, &t->description.variables, closed_trial_variable("y", 0));
  array_push(a, &t->description.variables, closed_trial_variable("z", 0));
  t->simulator = closed_simulator_new(&t->description, "trial", "function");
  t->simulator->run_all = closed_trial_run_all;
  t->simulator->data = t;
  t->a_fails_below = -HUGE_VAL;
  t->a_fails_above = HUGE_VAL;
  simulate_options_init(&t->options);
  closed_trial_build(t);
  for (int i = 0; i < CLOSED_ROWS; i++) t->times[i] = 0.2 * i;
  t->input = input_constant(a, 3);
  t->request =
      (SimulateRequest){.p = t->p, .inputs = &t->input, .times = t->times, .count = CLOSED_ROWS};
  return t;
}

static inline void closed_trial_close(ClosedTrial *t) {
  simulate_work_free(t->work);
  system_free(t->system);
  model_free(t->model);
  t->simulator->model.free(&t->simulator->model);
  arena_free(t->arena);
}

static inline Outcome closed_trial_run(ClosedTrial *t, bool sens) {
  t->out = (Trajectory){.values = t->values, .sens = sens ? t->sens : NULL};
  t->calls = 0;
  simulate_run(t->work, &t->request, &t->out);
  return t->out.outcome;
}

static inline double closed_trial_sens(const ClosedTrial *t, int row, int variable, int parameter) {
  return t->sens[(row * CLOSED_VARIABLES + variable) * CLOSED_PARAMETERS + parameter];
}

// The largest error of the slopes by one parameter.
static inline double closed_trial_error(const ClosedTrial *t, int parameter) {
  double a = t->p[t->parameter[CLOSED_A]], b = t->p[t->parameter[CLOSED_B]], worst = 0;
  for (int i = 0; i < CLOSED_ROWS; i++) {
    double at = t->times[i];
    double y = parameter == CLOSED_A ? at * exp(a * at) : sin(at);
    double z = parameter == CLOSED_A ? b * b : 2 * a * b;
    worst = fmax(worst, fabs(closed_trial_sens(t, i, CLOSED_Y, parameter) - y));
    worst = fmax(worst, fabs(closed_trial_sens(t, i, CLOSED_Z, parameter) - z));
  }
  return worst;
}
