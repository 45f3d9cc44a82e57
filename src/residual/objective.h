// Residuals of a problem and their exact slopes: for the free model, for the tied one, over a part of the horizon.
//
// Numbers are those of problem->unknowns in their order and natural scale. One Objective belongs to one thread.
#pragma once
#include "local/lsq.h"
#include "model/couple.h"
#include "num/qr.h"
#include "problem/problem.h"
#include "search/fit.h"

typedef struct Objective Objective;

Objective *objective_new(const Problem *p);
void objective_free(Objective *o);
// Back to what objective_new gave, but for what is compiled.
void objective_reset(Objective *o);
const Problem *objective_problem(const Objective *o);

// ---------------------------------------------------------------- what is evaluated

// Ties the model to its data by these terms; gain[k] belongs to term k. Compiles; may be called again with other terms.
void objective_tie(Objective *o, const Coupling *c, const double *gain, double gain_integral);
// Multiplies the gains: those of the measured states with factor, those of their rates with factor^2.
void objective_strengthen(Objective *o, double factor);
void objective_set_lambda(Objective *o, double lambda); // 0: the free model
void objective_set_horizon(Objective *o,
                           double fraction); // of each experiment's duration; 1: all of it
double objective_lambda(const Objective *o);
bool objective_is_full(
    const Objective *o); // the free model, the whole horizon, the accuracy asked for
// Simulate with less accuracy, while far from the goal. false: it is the same.
bool objective_set_quick(Objective *o, bool quick);

// ---------------------------------------------------------------- evaluation

// As Lsq.eval, at out->x.
LsqEnd objective_eval(Objective *o, LsqPoint *out, double worth, bool slopes);
// All residuals, priors included, over the present horizon; half the sum of their squares is the objective, also with the Huber
// loss: r[rows] and
// J[i*rows + k] = dr_k/dx_i, or NULL.
int objective_vector_rows(const Objective *o);
LsqEnd objective_vector(Objective *o, const double *x, double *r, double *J);
const char *objective_why(const Objective *o); // why the last simulation failed
bool objective_is_over(Objective *o);          // the budget is used up, or the listener ends it
long objective_left(const Objective *o);       // simulations that the budget still allows
int objective_affords(const Objective *o,
                      int count); // how many of these evaluations without slopes
// Somebody had to do with less than wanted: it is over. Told when what could be afforded has been done.
void objective_cut(Objective *o);
bool objective_was_cut(const Objective *o);
const FitWork *objective_work(const Objective *o);
FitWork *objective_count(Objective *o); // to add what was done elsewhere
void objective_solver(const Objective *o, char name[48], long *steps,
                      long *rejected); // of the last simulation

// How well the invariants of the model held in all experiments of the last objective_rows or objective_residuals; see
// Trajectory in simulate.h. of, sens_of: numbers of the invariants, -1: there is none. relative: against their terms.
typedef struct InvariantViolation {
  double largest, largest_sens;
  int of, sens_of;
  double relative;
} InvariantViolation;
InvariantViolation objective_violation(const Objective *o);

// Told between simulations; false ends everything with LSQ_STOP. NULL: nobody listens.
void objective_listen(Objective *o, bool (*listener)(void *), void *data);

// Rows of one channel as they come out of a simulation: column[0..n-1] slopes by the free numbers, column[n] the residual
// (model - data) * scale; scale = sqrt(weight * quadrature)/sigma. All are already multiplied by scale.
typedef struct ResidualBlock {
  int experiment, channel;
  int first, rows; // samples first .. first+rows-1 of the channel
  double *const *column;
  const double *scale; // by row
} ResidualBlock;
typedef void ResidualSink(void *data, const ResidualBlock *block);

// Simulates the free model over the whole horizon at x and hands every block of residuals to the sink (which may destroy
// it); priors are not among them. false when a simulation failed; why (may be NULL) then says it.
bool objective_rows(Objective *o, const double *x, ResidualSink *sink, void *data, char why[700]);
// The same with a slope of NULL instead of columns: residuals alone, column[n] only.
bool objective_residuals(Objective *o, const double *x, ResidualSink *sink, void *data);

// States of the model (nx numbers a row) at the given times of one experiment, tied as set. false when it failed.
bool objective_states(Objective *o, const double *x, int experiment, const double *times, int count,
                      double *states);

// ---------------------------------------------------------------- noise

// What residuals of a channel are divided by; 1 when unknown. [experiment][channel] in one row.
const double *objective_sigma(const Objective *o);
void objective_set_sigma(Objective *o, const double *sigma);
int objective_channel(const Objective *o, int experiment, int channel); // its place in such rows
int objective_channel_count(const Objective *o);
// Hands blocks to the sink, with or without slopes. false: it cannot.
typedef bool ResidualSource(void *self, ResidualSink *sink, void *data);
// Channels with estimated sigma take the root mean square of these residuals, with the Huber loss that of the bulk of them.
// Largest relative change.
double objective_update_sigma(Objective *o, ResidualSource *source, void *self);
// Noise of a channel by differences of the data, NaN when unknown.
double objective_noise(const Objective *o, int experiment, int channel);
// Residual, in the unit of the channel, at which the Huber loss leaves the square; HUGE_VAL: never.
double objective_huber(const Objective *o, int experiment, int channel);
bool objective_noise_is_given(const Objective *o); // of all channels, by the user
// The objective that noise alone explains over the present horizon, and that of the data against their means.
double objective_floor(const Objective *o);
double objective_data(const Objective *o);
double objective_samples(const Objective *o); // how many there are
// Objective of residuals as large as the errors of the simulation that are allowed.
double objective_accuracy(const Objective *o);
// Angular frequency that dominates a channel.
double objective_frequency(const Objective *o, int experiment, int channel);
