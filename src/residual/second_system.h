// What simulations of second order need: the model whose states are x and S = dx/dp, compiled with its own sensitivities, dS/dp.
#pragma once
#include "model/second.h"
#include "simulate/simulate.h"

typedef struct SecondSystem {
  Arena *arena;
  const Augmented *augmented;
  System *system; // sensitivities by the parameters of the augmented model
  SimulateWork *work;
  double *p; // all parameters of the augmented model
} SecondSystem;

// outputs: expressions of the augmented model, augmented_slopes among them.
SecondSystem *second_system_new(const Augmented *a, const Expr *outputs, int output_count,
                                const SimulateOptions *options, CodeChoice code);
void second_system_free(SecondSystem *s); // NULL is allowed
// Sets all parameters of the model that was augmented.
void second_system_set(SecondSystem *s, const double *p);
// Options of a simulation of second order that is stiff, or not.
SimulateOptions second_simulate_options(const SimulateOptions *o, bool stiff);
