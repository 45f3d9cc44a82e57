// How a simulation ends before its time: the outcome, and sentences that say where, why, and what can be done.
#pragma once
#include "simulate/invariants.h"
#include "simulate/simulate_options.h"
#include "simulate/trajectory.h"

typedef struct SimulateRun {
  const System *system;
  SystemWork *work;
  const SimulateOptions *options;
  const Tolerance *tol;
  const InvariantWork *invariants; // NULL: the model has no invariants
  const SimulateRequest *request;
  double t_end;
  const Stepper *stepper; // in use; NULL before the first
  double *y;              // scratch of as many numbers as the stepper has
  Trajectory *out;
} SimulateRun;

// All of these set the outcome, and those that return something return false.
void end_run(const SimulateRun *run, Outcome outcome); // without a message
void end_of_step(const SimulateRun *run, StepEnd e);
bool end_stopped(const SimulateRun *run); // patience is over
bool end_singular(const SimulateRun *run, const Singular *at, const char *how);
void end_lost(const SimulateRun *run, int invariant, double by); // or singular, where that is close
bool end_output(const SimulateRun *run, double t, const double *y);
bool end_jump(const SimulateRun *run, int invariant, double by);
bool end_chatter(const SimulateRun *run, int event);
bool end_too_many_surfaces(const SimulateRun *run, int most);
bool end_contradicting(const SimulateRun *run, const char *relations);
bool end_discrete(const SimulateRun *run, const char *names); // of variables that do not settle
bool end_stuck(const SimulateRun *run, int event);            // jumps became too small to see
bool end_bad_sample(const SimulateRun *run, int event);
bool end_terminated(const SimulateRun *run, const char *text);
bool end_too_many_events(const SimulateRun *run, int event);
bool end_assertion(const SimulateRun *run, int assertion);
// No end: a message about an assertion of level warning that did not hold at t.
void remark_assertion(const SimulateRun *run, int assertion, double t);
// No end: a message about the event that happened most often.
void remark_frequent_event(const SimulateRun *run, int event, long count);

// At the start.
void end_without_start(const SimulateRun *run, const double *y);
bool end_contradiction(const SimulateRun *run, int condition, double residual, double size);
bool end_fixed(const SimulateRun *run, int invariant,
               int column); // start values that hold at one value of a parameter
void end_rough_input(const SimulateRun *run, int input);
void end_refused(const SimulateRun *run,
                 const char *refusal); // NULL: a solver was named that is not used
