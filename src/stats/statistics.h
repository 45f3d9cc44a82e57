// How far the result of a fit can be trusted: intervals, correlation, quality of the fit, what the data cannot tell.
#pragma once
#include <stdbool.h>

#include "base/arena.h"

// INTERVAL_KIND(name, word, sentence): where an interval comes from
#define INTERVAL_KINDS                                                                             \
  INTERVAL_KIND(NONE, "none", "there is none")                                                     \
  INTERVAL_KIND(LINEAR, "linear", "linear theory with noise of known or equal size")               \
  INTERVAL_KIND(SANDWICH, "sandwich",                                                              \
                "linear theory with noise of the size that each residual shows")                   \
  INTERVAL_KIND(ARMA, "arma", "linear theory with noise as correlated as the residuals are")       \
  INTERVAL_KIND(PROFILE, "profile", "where the objective, the others fitted again, has risen")

typedef enum IntervalKind {
#define INTERVAL_KIND(name, word, sentence) INTERVAL_##name,
  INTERVAL_KINDS
#undef INTERVAL_KIND
      INTERVAL_KIND_COUNT
} IntervalKind;

const char *interval_kind_word(IntervalKind k);

// A change of the data, relative to them, by a change of an unknown by its typical size: below it are rounding errors.
static const double STAT_NOTHING = 1e-12;

typedef struct StatParameter { // by unknown
  // 95 %, NaN for what is not identifiable or cannot have any. Unknowns on a logarithmic scale have intervals that are
  // symmetric there; intervals end at the bounds. Unknowns at bounds count as not stopped there; the intervals of the others
  // allow for all their values. Profiles also give intervals to unknowns that noise hides; an end that nothing limits is
  // infinite.
  double std_error, ci_low, ci_high;
  IntervalKind interval;
  // Linear theory is not to be trusted here: the interval is wide, meets a bound, or noise hides the unknown. If it is not
  // of kind PROFILE, there was no way to a profile, or no time.
  bool profile_wanted;
  // Standard error relative to the value if the noise were 1 % of the rms of each channel; NaN: none.
  double relative_at_1_percent;
  bool at_bound, lower_bound; // which bound
  bool inactive;              // changes no residual
  bool identifiable;
  // The profile ends on one side only: up to (1) or down to (-1) its bound, or without end, the fit stays as good. 0: not so.
  int open;
  const char *reason; // a sentence when it is not identifiable, else NULL
} StatParameter;

typedef struct StatChannel { // by experiment and channel, in one row
  int experiment, channel, n;
  double rmse, fit_percent; // 100*(1 - |y - model| / |y - mean y|)
  // Standard deviation of the noise estimated from differences of the data; NaN when unknown.
  double noise;
  double autocorrelation; // of the residuals at lag 1
  // Probabilities of such residuals if they were white: Ljung-Box, Wald-Wolfowitz runs, neighbours. NaN when too few, or
  // when residuals are mere errors of the simulation (exact).
  bool unordered; // rows without times: tests of whiteness have no meaning
  double white_p, runs_p, lag1_p;
  bool exact; // residuals are below what the simulation can resolve
  // Independent samples that would tell as much as these, whose residuals are correlated; n where they are not.
  double effective;
  bool uneven;       // no usual time between samples: correlation counts from sample to sample
  double held_until; // time of the last of these
  int held;          // first samples that are compared with the start value, see held_samples.h
} StatChannel;

// What does not change along a direction: a product of powers (alpha*A, beta*alpha^(1-n)) or a sum (k1 + k2).
typedef struct StatCombination {
  const char *text;
  double value;
  bool sum;
  double *exponent; // by unknown, at the result; the coefficients of a sum
  double low, high; // 95 % interval of a product; NaN: unknown
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

typedef struct StatUnmodelled { // a term that would explain residuals
  const char *text;             // a sentence
  double share;                 // of the squared residuals, 0 to 1
  double p; // probability of such a term by chance, before the number of terms that were tried
} StatUnmodelled;

typedef struct Statistics {
  Arena *arena;
  int n; // unknowns
  StatParameter *parameters;
  StatChannel *channels;
  int channel_count;
  // n*n, for all unknowns, also those at bounds. NaN in rows of unknowns that data or simulation cannot determine.
  double *covariance, *correlation;
  double *gradient; // n, of the objective at the point, priors included; NaN: unknown
  bool sandwich;    // the covariance allows for weights that are not the inverse noise
  double variance;  // of the residuals, per degree of freedom
  // Degrees of Student's law for the intervals; HUGE_VAL: the normal law. Correlated residuals count as fewer.
  double freedom;
  double colour; // by how much their correlation raises variances of estimates, as a mean; 1: not
  long samples;
  int rank; // singular values above what the accuracy of the simulation can tell from zero
  double *singular_values; // n, of the sensitivities scaled by value and noise, descending
  StatDirection *directions;
  int direction_count;
  // What there was no time for, words: "residuals" (all that needs a simulation), "intervals" (standard errors,
  // covariance), "identifiability". Nothing is known of it: as after statistics_new. "profiles": some intervals that
  // should come from profiles are those of linear theory.
  const char *missing[4];
  int missing_count;
  const char *profiles_cut;     // a sentence that says what ended them; NULL: they are not missing
  StatUnmodelled unmodelled[2]; // the strongest first; see unmodelled.h
  int unmodelled_count;
  // Sentences for people: correlated pairs, coloured residuals, parameters at bounds.
  const char **remarks;
  int remark_count;
} Statistics;

// The least of the three probabilities; NaN: too few, or exact.
double least_white_p(const StatChannel *c);
// Below this it is not white. Of all channels together 0.1 % of white ones are below it.
double white_level(const Statistics *s);
bool statistics_miss(const Statistics *s, const char *word);
void statistics_add_remark(Statistics *s, const char *remark); // keeps the pointer

Statistics *statistics_new(int unknowns, int channels); // nothing is known: NaN everywhere
void statistics_forget_intervals(Statistics *s);
void statistics_forget_identifiability(Statistics *s);
void statistics_free(Statistics *s);
