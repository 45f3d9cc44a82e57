// How far the result of a fit can be trusted: intervals, correlation, quality of the fit, what the data cannot tell.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

typedef struct StatParameter { // by unknown
  // 95 %, NaN for what is not identifiable or cannot have any. Unknowns on a logarithmic scale have intervals that are
  // symmetric there; intervals end at the bounds. Unknowns at bounds count as not stopped there; the intervals of the others
  // allow for all their values.
  double std_error, ci_low, ci_high;
  // Standard error relative to the value if the noise were 1 % of the rms of each channel; NaN: none.
  double relative_at_1_percent;
  bool at_bound, lower_bound; // which bound
  bool inactive;              // changes no residual
  bool identifiable;
  const char *reason; // a sentence when it is not identifiable, else NULL
} StatParameter;

typedef struct StatChannel { // by experiment and channel, in one row
  int experiment, channel, n;
  double rmse, fit_percent; // 100*(1 - |y - model| / |y - mean y|)
  // Standard deviation of the noise estimated from differences of the data; NaN when unknown.
  double noise;
  double autocorrelation; // of the residuals at lag 1
  // Probabilities of such residuals if they were white: Ljung-Box, Wald-Wolfowitz runs. NaN when too few, or when
  // residuals are mere errors of the simulation (exact).
  double white_p, runs_p;
  bool exact; // residuals are below what the simulation can resolve
} StatChannel;

// What does not change along a direction: a product of powers (alpha*A, beta*alpha^(1-n)) or a sum (k1 + k2).
typedef struct StatCombination {
  const char *text;
  double value;
  bool sum;
  double *exponent; // by unknown, at the result; the coefficients of a sum
} StatCombination;

typedef struct StatDirection { // a direction of the unknowns that the data do not determine
  // Change of the simulated data, in units of their noise, for a change by 1 along the vector.
  double singular_value;
  // Unit length, by unknown, in changes relative to the typical size (|x|, unless that is 0, may change its sign, is
  // confined to a small part of itself, or is a bound below what the noise hides); 0 for unknowns that take no part.
  double *vector;
  // No noise-free data of this kind would see it; else hidden by noise or by the accuracy of the simulation.
  bool structural;
  bool confirmed; // by simulating along it
  // Of the simulated data, relative to the data, when the reference moves by a factor of confirmed_factor.
  double confirmed_change, confirmed_factor;
  StatCombination *combinations;
  int combination_count;
  const char *text; // sentences
} StatDirection;

typedef struct Statistics {
  Arena *arena;
  int n; // unknowns
  StatParameter *parameters;
  StatChannel *channels;
  int channel_count;
  // n*n, for all unknowns, also those at bounds. NaN in rows of unknowns that data or simulation cannot determine.
  double *covariance, *correlation;
  bool sandwich;   // the covariance allows for weights that are not the inverse noise
  double variance; // of the residuals, per degree of freedom
  long samples;
  int rank; // singular values above what the accuracy of the simulation can tell from zero
  double *singular_values; // n, of the sensitivities scaled by value and noise, descending
  StatDirection *directions;
  int direction_count;
  // What there was no time for, words: "residuals" (all that needs a simulation), "intervals" (standard errors,
  // covariance), "identifiability". Nothing is known of it: as after statistics_new.
  const char *missing[3];
  int missing_count;
  // Sentences for people: correlated pairs, coloured residuals, parameters at bounds.
  const char **remarks;
  int remark_count;
} Statistics;

Statistics *statistics_new(int unknowns, int channels); // nothing is known: NaN everywhere
void statistics_forget_intervals(Statistics *s);
void statistics_forget_identifiability(Statistics *s);
void statistics_free(Statistics *s);
