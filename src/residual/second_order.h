// What the two ways to second derivatives of the objective share (hessian.h): which parameters, the weights of the samples, the
// sum that is built up, what stands in the way.
#pragma once
#include "residual/budget.h"
#include "residual/kinks.h"
#include "residual/sample_times.h"

typedef struct SecondOrder {
  Arena *arena;
  const Problem *problem;
  int n;           // unknowns
  int *parameters; // of the model that are unknown, without repetition
  int count;
  int **position;      // [experiment][unknown]: its place in parameters, -1: none here
  SampleTimes **times; // by experiment, at the delays of the last evaluation
  bool *delayed;       // by measured quantity: some channel of it has a delay that is unknown
  Kinks *kinks;
  // Of the present evaluation:
  Budget *budget;   // NULL: nobody counts
  double ***weight; // [experiment][channel][sample]: dV/dy, y what the model says of it
  double *p;        // all parameters of the model as they hold in the experiment
  double *sum;      // count*count, k <= l: sum over samples of weight times second derivative
  bool stiff;       // the simulation needed an implicit method
  bool ended_early; // the last one of second order did
  char why[700];    // why the evaluation failed
} SecondOrder;

SecondOrder *second_order_new(Arena *a, const Problem *p);
void second_order_done(SecondOrder *s);
// The parameters of an experiment at x; moves its sample times by the delays.
void second_set_parameters(SecondOrder *s, int experiment, const double *x);

// Whether a run went well and second derivatives hold all along it; else s->why is filled.
bool second_holds(SecondOrder *s, const Trajectory *t);
// Options and code of a simulation of second order; what it cost, as so many of first order.
SimulateOptions second_options(const SecondOrder *s);
CodeChoice second_code(const SecondOrder *s);
void second_work(const SecondOrder *s, const StepCount *work, int simulations);

static inline void second_add(const SecondOrder *s, int k, int l, double value) {
  s->sum[k <= l ? k * s->count + l : l * s->count + k] += value;
}
// Where the delay of a channel is among the parameters, -1: it has none that is unknown, or it does not move this sample.
int second_delay(const SecondOrder *s, int experiment, int channel, int sample);
// What a delay (d) adds: rate_slope[k] is the slope of the measured quantity's rate by parameter k, curvature the rate of
// that rate.
void second_add_delay(const SecondOrder *s, int d, double weight, const double *rate_slope,
                      double curvature);
