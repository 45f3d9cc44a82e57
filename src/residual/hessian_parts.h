// What the two ways to second derivatives share: the weights of the samples, where results go. Private to hessian.c,
// forward.c and adjoint.c.
#pragma once
#include "model/second.h"
#include "residual/hessian.h"
#include "residual/kinks.h"
#include "residual/sample_times.h"
#include "simulate/simulate.h"

typedef struct ForwardWay ForwardWay;
typedef struct AdjointWay AdjointWay;

struct Hessian {
  Arena *arena;
  Objective *objective;
  const Problem *problem;
  int n;           // free numbers
  int *parameters; // of the model, free ones without repetition
  int count;
  int **position; // [experiment][free number]: its place in parameters, -1 = none here
  Plan **plans;
  bool *delayed; // by measured quantity: some channel of it has a delay that is free
  // Of the last evaluation.
  double ***weight; // [experiment][channel][sample]: dV/dy, y what the model says of it
  double *p;        // all parameters of the model as they hold in the experiment
  double *size;     // by parameter: root of the sum of its squared slopes in the residuals
  double *sum;      // count*count, k <= l: weighed sum of the second derivatives of an experiment
  bool stiff;       // the simulation needed an implicit method
  bool ended_early; // the last one of second order did
  Kinks *kinks;
  ForwardWay *forward;
  AdjointWay *adjoint;
  HessianWay way;
  bool exists;
  char why[700];
};

// Fill h->sum for one experiment at h->p. false: the simulation failed, see h->why.
bool forward_sum(Hessian *h, int experiment);
bool adjoint_sum(Hessian *h, int experiment);
void forward_free(ForwardWay *w);
void adjoint_free(AdjointWay *w);

// Whether a run went well and second derivatives hold all along it; else h->why is filled.
bool second_holds(Hessian *h, const Trajectory *t);
// Options and code of a simulation of second order; what it cost, as so many of first order.
SimulateOptions second_options(const Hessian *h);
CodeChoice second_code(const Hessian *h);
void second_work(Hessian *h, const StepCount *work, int simulations);

static inline void second_add(Hessian *h, int k, int l, double value) {
  h->sum[k <= l ? k * h->count + l : l * h->count + k] += value;
}
// Where the delay of a channel is among the parameters, -1: it has none that is free, or it does not move this sample.
int second_delay(const Hessian *h, int experiment, int channel, int sample);
// What a delay (d) adds: rate_slope[k] is the slope of the measured quantity's rate by parameter k, curvature the rate of
// that rate.
void second_add_delay(Hessian *h, int d, double weight, const double *rate_slope, double curvature);
