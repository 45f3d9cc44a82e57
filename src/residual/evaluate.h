// The objective of a problem at a point, with what is wanted of it: V = 1/2 sum of squared weighted residuals (with the Huber
// loss the sum of losses), priors included.
//
// Points are the unknowns of the problem in their order and natural scale. evaluate(work, spec, x, out) depends on nothing
// but its arguments: a Fitting is constant, an EvalSpec is a value, an EvalWork is scratch.
#pragma once
#include "num/qr.h"
#include "residual/simulation.h"

typedef struct EvalWork EvalWork; // scratch of one thread

// threads: that difference slopes may use. simulator: NULL, or who makes the simulations. Keeps the pointers.
EvalWork *eval_work_new(const Fitting *f, int threads, Simulator *simulator);
void eval_work_free(EvalWork *w); // NULL is allowed
const Fitting *eval_fitting(const EvalWork *w);

typedef struct EvalPoint { // the answer; R and Qr are the caller's, n*n and n numbers
  double objective;        // HUGE_VAL unless done
  bool has_slopes;
  // With slopes: J = Q R, R upper triangular by rows, Qr = Q'r; the gradient is R'Qr. With the Huber loss these belong to the
  // reweighted rows; the gradient is still that of the objective.
  double *R, *Qr;
  long steps; // of the integrator: the most that one experiment took
} EvalPoint;

EvalEnd evaluate(EvalWork *w, const EvalSpec *spec, const double *x, EvalPoint *out);
// The objective alone; HUGE_VAL: it cannot be computed there.
double evaluate_value(EvalWork *w, const EvalSpec *spec, const double *x);

// All residuals, priors included; half the sum of their squares is the objective, also with the Huber loss. r[rows], and
// J[i*rows + k] = dr_k/dx_i when it is not NULL. rows: residual_count. `steps` as in EvalPoint, may be NULL.
EvalEnd evaluate_residuals(EvalWork *w, const EvalSpec *spec, const double *x, double *r, double *J,
                           long *steps);
int residual_count(const Problem *p, double horizon);

// Hands every block of residuals to the sink, without priors; slopes, if wanted, by sensitivity equations whatever the
// option 'derivatives' says. false: a simulation failed, see eval_why.
bool evaluate_rows(EvalWork *w, const EvalSpec *spec, const double *x, ResidualSink *sink,
                   void *data);
// The same for one experiment.
bool evaluate_experiment_rows(EvalWork *w, const EvalSpec *spec, const double *x, int experiment,
                              ResidualSink *sink, void *data);
// States of the model (nx numbers a row) at the given times of one experiment. false: it failed.
bool evaluate_states(EvalWork *w, const EvalSpec *spec, const double *x, int experiment,
                     const double *times, int count, double *states);

// ---------------------------------------------------------------- about the last simulations of this work

const char *eval_why(const EvalWork *w); // why the last one that failed did
// The integrator of the last one of the free model, its steps.
void eval_solver(const EvalWork *w, char name[48], long *steps, long *rejected);
// The integrator that another work used for this one's caller.
void eval_note_solver(EvalWork *w, const char name[48]);
const char *eval_last_solver(const EvalWork *w);
// How well the invariants held in all experiments of the last evaluate_rows.
InvariantViolation eval_violation(const EvalWork *w);
// About the last simulations of all experiments, "": nothing to say.
const char *eval_remark(const EvalWork *w);
// How far the coupled model was from the data in the last evaluation with lambda > 0: the root mean square of the errors of a
// channel over the range of its data, the largest of all channels. NaN: nothing can be compared.
double eval_misfit(const EvalWork *w, int *experiment, int *channel);
// The simulator it was made with.
Simulator *eval_simulator(const EvalWork *w);
