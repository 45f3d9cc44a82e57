// Somebody who simulates a closed model: its description, and a function that makes runs, by workers or in this process.
#pragma once
#include "closed/call.h"
#include "closed/closed_description.h"
#include "closed/session.h"
#include "closed/workers.h"

typedef struct ClosedSimulator ClosedSimulator;
struct ClosedSimulator {
  ClosedModel model; // first: a pointer to it is one to the simulator
  Arena *arena;
  const ClosedDescription *description;
  // Runs all calls.
  void (*run_all)(ClosedSimulator *self, const SimulatorCall *const *calls,
                  SimulatorAnswer *const *answers, int count);
  Workers *workers; // NULL: a function of the caller
  Session *session;
  Arena *owned; // what the description lives in; freed with the simulator, may be NULL
  void (*done)(ClosedSimulator *self); // frees what the others below do not own; NULL: nothing
  void *data;                          // of run_all
  double seconds_per_run;              // of runs that are shared, as seen last; 0: unknown
  // Values of String parameters: number k of such a parameter means texts.at[k]; 0: its default.
  ARRAY(const char *) texts;
};

static inline ClosedSimulator *closed_simulator(ClosedModel *m) {
  return (ClosedSimulator *)m;
}

// The parameter of the description that has this name, NULL: there is none.
const ClosedVariable *closed_parameter(const ClosedModel *m, const char *name);
// The number that stands for a text as value of a parameter.
double closed_text(ClosedModel *m, const char *text);
// What stands for a number: a text, or the name of an item of an enumeration. false: p has none of these.
bool closed_word(ClosedModel *m, const ClosedVariable *p, const char *text, double *value);
// Whether it is among the items of an enumeration; err lists them.
bool closed_check_item(const ClosedVariable *p, double value, Err *err);
// Runs by s->workers: a run_all.
void closed_run_by_workers(ClosedSimulator *s, const SimulatorCall *const *calls,
                           SimulatorAnswer *const *answers, int count);
