// A model as equations 0 = F(t, z, dz/dt) for an integrator of differential-algebraic equations: the independent check of
// index reduction and of what keeps the invariants.
#pragma once
#include "model/system.h"
#include "simulate/event.h"
#include "simulate/stepper.h"

typedef enum ImplicitKind {
  // dx/dt = f - g_x' eta, 0 = g with the invariants g of all levels that do not follow from others: the stabilised form of
  // Gear, Gupta and Leimkuhler, index 2. z = [x | eta], and eta is 0 but for errors of the integration.
  IMPLICIT_INVARIANTS,
  // The equations of the model text before anything is differentiated; z = [x | algebraic variables]. Coupled
  // models have no text: they take the form above.
  IMPLICIT_AS_TYPED,
} ImplicitKind;

typedef struct Implicit Implicit; // one per SystemWork

// Keeps the pointer. The rate of stabilisation in w must be 0, lanes 1.
Implicit *implicit_new(SystemWork *w, ImplicitKind kind);
void implicit_free(Implicit *i); // NULL is allowed
const Dae *implicit_dae(const Implicit *i);
// Beyond a kink, where the side in use may not exist, the true one is taken. NULL: there are no events.
void implicit_watch_kinks(Implicit *i, EventWork *events);

// Why a model cannot be integrated in this form; NULL: it can.
const char *implicit_refusal(const Model *m, ImplicitKind kind);
