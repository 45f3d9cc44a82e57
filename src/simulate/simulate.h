// One simulation from start to end: integrator, events, inputs, output times, and how it ended.
#pragma once
#include "model/system.h"
#include "simulate/point.h"
#include "simulate/simulate_options.h"
#include "simulate/trajectory.h"

typedef struct SimulateWork SimulateWork; // one per thread; may run many times

// Keeps the pointers. The options are copied.
SimulateWork *simulate_work_new(const System *s, const SimulateOptions *options);
void simulate_work_free(SimulateWork *w);
// Room for what a simulation of this work knows at time t (lanes 1); keeps no pointer.
SimulatePoint *simulate_point_new(Arena *a, SimulateWork *w, double t);
void simulate_run(SimulateWork *w, const SimulateRequest *request, Trajectory *out);

struct ClosedWork *simulate_closed_work(SimulateWork *w); // NULL: the model is not closed

// Of one invariant of the model (in the order of model->invariants) in the last run, as in Trajectory.
double simulate_violation(const SimulateWork *w, int invariant);
double simulate_violation_relative(const SimulateWork *w, int invariant);
double simulate_violation_sens(const SimulateWork *w, int invariant);

// What a System for these options must have: fills jacobian and jacobian_sens.
void simulate_needs(const SimulateOptions *options, int states, SystemSpec *spec);
const SimulateOptions *simulate_options_of(const SimulateWork *w);
// Absolute tolerances of all numbers that a stepper has, from those of the options.
void simulate_tolerances(const System *s, const SimulateOptions *options, const double *p,
                         double *abs_tol);
// The integrator that these options begin with.
const StepperRow *simulate_first(const SimulateOptions *options, int states);
