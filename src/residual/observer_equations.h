// What the design of observer.h computes at one point of a motion: f, measured quantities, their derivatives by the states,
// and how all states follow the free ones along the invariants.
#pragma once
#include "expr/derive.h"
#include "model/system.h"
#include "num/lu.h"
#include "residual/feedback.h"

typedef struct Observer {
  Arena *arena;
  const MeasuredData *data;
  Feedback *feedback; // from every channel into the free states
  const Feedback *first;
  // Its outputs: f, h, then the nonzeros of A = df/dx and H = dh/dx, the directions of the first feedback, the nonzeros of G =
  // dg/dx of the invariants g.
  System *system;
  Derivatives A, H, G;
  int directions_at, G_at, outputs;
  // As many states as the invariants leave free, at the start values of the problem; without invariants all of them.
  int *free, free_count;
} Observer;

// Whether there is one: not for models with many states, nor where the user said how to couple the model.
bool observer_suits(const Problem *p);
// Made once for a fitting, constant. NULL: it does not suit. first: "pd", which must outlive it.
Observer *observer_new(const MeasuredData *d, const Feedback *first);
void observer_free(Observer *o); // NULL is allowed

typedef struct ModelInputs {
  const Input *const *at;
  int count;
} ModelInputs;
SystemInputs model_inputs_read; // data: ModelInputs

// All parameters of the model in an experiment, at the unknowns x.
const double *observer_parameters(Arena *a, const Problem *p, int experiment, const double *x);
// By rows; value: of the nonzeros.
void derivatives_dense(const Derivatives *d, int rows, int columns, const double *value,
                       double *out);

typedef struct FollowWork FollowWork; // scratch
FollowWork *follow_work_new(const Observer *o, Arena *a);
// From the outputs at a point: Z[n * free_count], a motion of the free states moves all states by Z, and F[free_count * n],
// what a push of all states means for the free ones. Without invariants both are the identity.
void follow_free(FollowWork *w, const double *outputs, double *Z, double *F);
