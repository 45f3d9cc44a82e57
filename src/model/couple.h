// A model coupled to measurements by feedback: der(x_i) = f_i + lambda * sum of gain * direction * (data - measured).
//
// The data become inputs, lambda and the gains parameters, integrals of the error states; all derivatives follow by
// themselves. At lambda = 0 it is the model itself. Where the model has invariants, what is added lies along them, and is
// as strong as it must be for the measured quantities to change as they would without invariants. Where relations make the
// equations jump, it passes smoothly from one side to the other.
#pragma once
#include "model/blend.h"

typedef enum CoupleIntegral {
  COUPLE_NO_INTEGRAL,
  COUPLE_ERROR,  // integral of the error, the usual one
  COUPLE_SQUARE, // integral of its square, as in the paper on PID homotopy
} CoupleIntegral;

typedef struct CoupleTerm {
  int channel, state;
  Expr direction; // what the gain is multiplied with, 1 where the state itself is measured
  bool rate;      // the state is not measured: it drives the one that is
} CoupleTerm;

typedef struct Coupling {
  const Expr *measured; // expressions of the model
  int channels;
  CoupleTerm *terms;
  int term_count;
  // One for each channel; acts where its terms with `rate` act, else where all of them do.
  CoupleIntegral integral;
  // Where there are invariants, each state that terms act on moves as all of them together demand, and other states
  // follow; else each channel demands a motion along its own direction. Directions are 1.
  bool by_state;
} Coupling;

typedef struct CoupleSlack { // of a push along the invariants
  Expr freedom;              // part of it that the invariants let through, 0 to 1
  int parameter;             // it is not magnified where that is smaller
} CoupleSlack;

typedef struct Coupled {
  struct Coupled *next; // another one of the same model
  Coupling how;
  Model *model;
  int first_input;    // number of the input that is the data of channel 0
  int lambda;         // parameter
  int *gain;          // by term: parameter
  int *gain_integral; // by channel: parameter; NULL = none
  int first_integral; // state, -1 = none
  CoupleSlack *slacks;
  int slack_count;
  Expr *measured; // as the coupled model has them
  Blend *blends;
  int blend_count;
} Coupled;

// Terms for one measured expression: into the states that it contains, and with `rates` into those that drive them. Their
// directions make the error fall at the rate of the gain whatever the units. Appends to terms; returns how many.
int couple_default_terms(Model *m, Arena *a, const Expr *measured, int channel, bool rates,
                         CoupleTerm *terms);

// Equal couplings of a model give the same coupled model; it lives as long as the model.
const Coupled *couple(Model *m, const Coupling *c);
