// A recorded motion whose sensitivities are known, for tests of histories and of what runs along them.
#pragma once
#include "hand_problem.h"
#include "residual/dense_history.h"

// A motion whose sensitivities are known: x = exp(-k t), dx/dk = -t exp(-k t); y and v are a spring.
static const char RECORDED_MODEL[] = "model M\n"
                                     "  parameter Real k = 0.3;\n"
                                     "  Real x(start = 1, fixed = true);\n"
                                     "  Real y(start = 0.5, fixed = true);\n"
                                     "  Real v(start = 0, fixed = true);\n"
                                     "equation\n"
                                     "  der(x) = -k*x;\n"
                                     "  der(y) = v;\n"
                                     "  der(v) = -4*y;\n"
                                     "end M;\n";

#define RECORDED_END 5.0 // of the simulation

typedef struct Recorded {
  Hand *hand;
  int parameter;
  System *there;
  SimulateWork *simulate;
  DenseHistory *history;
} Recorded;

static inline void record(Recorded *f, double k, const char *solver) {
  f->hand = hand_text(RECORDED_MODEL);
  hand_truth(f->hand, "k", k);
  f->parameter = hand_parameter(f->hand, "k");
  SimulateOptions options = f->hand->problem.simulate;
  Err err = {0};
  assert_true(options_set(&SIMULATE_OPTIONS, &options, "solver", solver, &err));
  options.rel_tol = 1e-10, options.abs_tol = 1e-12;
  SystemSpec spec = {.parameters = &f->parameter, .parameter_count = 1, .lanes = 1};
  simulate_needs(&options, f->hand->problem.model->nx, &spec);
  f->there = system_new(f->hand->problem.model, &spec);
  f->simulate = simulate_work_new(f->there, &options);
  f->history = history_new(f->there);
  double nothing[1];
  const double stop = RECORDED_END;
  SimulateRequest request = {.p = f->hand->truth, .times = &stop, .count = 1};
  Trajectory t = {.values = nothing, .stepped = history_record, .stepped_data = f->history};
  simulate_run(f->simulate, &request, &t);
  assert_int_equal(t.outcome, OUTCOME_REACHED_END);
}

static inline void record_done(Recorded *f) {
  history_free(f->history);
  simulate_work_free(f->simulate);
  system_free(f->there);
  hand_done(f->hand);
}
