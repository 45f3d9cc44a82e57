// The adjoint of a simulation: mu from its end to its start, step by step of its history.
//
// What mu weighs, a column T with T' = f_x T + F, is on each step of the history a polynomial that satisfies this at some nodes
// (Radau IIA collocation). The adjoint is that of these linear equations, so nothing has to be integrated backwards, and
// samples, however many and wherever they are, cost no steps.
#pragma once
#include "model/second.h"
#include "residual/dense_history.h"

// The inputs of systems of the adjoint model: those of the model itself, and the history.
typedef struct HistoryInputs {
  const Adjoint *adjoint;
  DenseHistory *history;
  const Input *const *inputs;
  int *pieces;
  bool states_only; // S is not read
} HistoryInputs;

void history_inputs_read(void *data, double t, double *u, double *du); // as SystemInputs
// Which piece of its inputs the model sees from t on in this direction.
void history_inputs_enter(HistoryInputs *in, double t, int direction);
void history_inputs_show(HistoryInputs *in, double t,
                         bool last); // as the simulation shows them in its rows

// After system_start of a system of the adjoint model: roots of simultaneous equations follow the motion from its start,
// where it is known which one is meant. x: any states of the adjoint.
void history_follow(HistoryInputs *in, SystemWork *w, const double *x);

enum { BACKWARD_NODES_MOST = 12 };

typedef struct Backward Backward;

// The system of the adjoint model has its Jacobian. Keeps the pointers.
Backward *backward_new(const System *s, HistoryInputs *inputs, int nodes);
void backward_free(Backward *b); // NULL is allowed
SystemWork *backward_work(Backward *b);
// Before a run, when the history has been recorded; mu is 0. origin and start: as in its request.
void backward_begin(Backward *b, const double *p, double origin, double start);
// Rate of stabilisation of this run: what comes out does not depend on it, but everything must have the same.
double backward_rate(const Backward *b);
double *backward_mu(Backward *b);

// One step of the history, the one after it being done: enter it, add to mu at times in it (its end included, its beginning not),
// leave it with mu at its beginning. weights, [node][state]: their product with F at the nodes, summed, is what F in this step
// adds to what mu weighs. false: the equations cannot be solved.
void backward_enter(Backward *b, int step);
void backward_add(Backward *b, double t, const double *change);
bool backward_leave(Backward *b, double *weights);
double backward_node(const Backward *b, int node); // its time in the step that was entered
