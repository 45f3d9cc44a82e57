// What a simulation does about the invariants of a model: how fast errors in them die out, projection on them, and a watch
// over how well they and their sensitivities hold and over positions where they are no longer independent.
#pragma once
#include "model/system.h"
#include "simulate/memory.h"
#include "simulate/stepper.h"

typedef struct InvariantWork InvariantWork;

// NULL when the model has no invariants. Keeps the pointers; tol->abs may be filled later.
InvariantWork *invariants_new(Arena *a, SystemWork *w, const Tolerance *tol);

// None of these allocates.
void invariants_begin(InvariantWork *c, const double *p); // before a run with these parameters

// Rate of Baumgarte's terms for the next steps.
double invariants_rate(InvariantWork *c, const Stepper *s);

// Notes how well the invariants hold at (t, y), and the identity g_x s + g_p = 0 of their sensitivities.
void invariants_watch(InvariantWork *c, double t, const double *y);
// Moves y to the nearest point (in units of the nominal values) where the invariants hold, and its sensitivities to those
// of such points. false: nothing to gain, y is as it was. lanes 1.
bool invariants_project(InvariantWork *c, double t, double *y);

// The constraint (its number) that the start values satisfy at these parameters only, because their sensitivities to the
// parameter of column *column do not: -1 when there is none. allowed: relative to the terms. After invariants_watch.
int invariants_start_fixed(const InvariantWork *c, const double *y, double allowed, int *column);

// The states have been set anew: what was computed at the same time no longer holds.
void invariants_forget(InvariantWork *c);

// What is not a state changes at t: modes, pieces of inputs. Before and after it; returns the invariant that jumps by
// much more than errors, -1: none. lanes 1.
void invariants_before_jump(InvariantWork *c, double t, const double *x);
int invariants_after_jump(InvariantWork *c, double t, const double *x, double *by);

// An invariant that is violated by far more than the errors of the integrator explain: whatever follows is wrong. -1: none.
// lanes 1; t must not decrease.
int invariants_lost(InvariantWork *c, double t, const double *y, double *by);

// The largest |g_i| since the run began; the same against the size of its terms, the sum of |dg_i/dx| (|x| + nominal)
// (lanes 1); and |g_x s + g_p| times the size of the parameter (1 when it is 0).
double invariants_violation(const InvariantWork *c, int invariant);
double invariants_violation_relative(const InvariantWork *c, int invariant);
double invariants_violation_sens(const InvariantWork *c, int invariant);

typedef struct Singular { // a position where a constraint follows from others
  double t;
  int row; // see invariants_lines
} Singular;

// lanes 1. Whether the motion begins in a singular position; to be called once before the steps.
bool invariants_start_singular(InvariantWork *c, double t, const double *x, Singular *out);
// Whether it passed one in the last step.
bool invariants_step_singular(InvariantWork *c, Stepper *s, Singular *out);
// Whether it is close to one at the end of the last step that was looked at. lost: the constraints are violated there, so
// that it need not be very close.
bool invariants_near_singular(const InvariantWork *c, bool lost, Singular *out);
// "line 7" or "lines 7, 9 and 12": the constraints that depend on each other where the last question was answered, and
// how many they are.
int invariants_lines(const InvariantWork *c, int row, Text *out);
// Of a run with one lane, see memory.h. To be restored after invariants_begin.
void invariants_memory(InvariantWork *c, Memory *m);
