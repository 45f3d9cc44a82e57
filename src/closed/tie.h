// The feedback of a coupled model (model/couple.h) as a program that a worker can run: what is added to the slopes of the
// simulator's states, from outside of it. It reads variables of the simulator and states of its own (integrals of errors).
#pragma once
#include "closed/worker_message.h"
#include "code/code.h"
#include "simulate/input.h"

typedef struct Tie {
  // Segment 0: time, signals, parameters. Segment 1: variables that are read, then its own states. Results: by acting state
  // what is added to its slope; then, row by row, its derivatives by segment 1 and by the slopes of the call.
  Program program;
  const int *acting; // variables of the description that are states, or -1 - k: its own state k
  int acting_count;
  const int *reads; // variables of the description
  int read_count;
  int own_count;
  int slope_count;
  const Input *const *signals; // the data
  int signal_count;
  const double *parameters; // of the program
  int parameter_count;
} Tie;

void tie_put(Message *m, const Tie *t); // NULL reads as NULL
// NULL: there is none, or the message is bad. The program is checked: it reads and writes nothing but what it may.
Tie *tie_get(Message *m, Arena *a);
