// A problem as the user states it: model, experiments with data, what to estimate, how. Read from YAML, checked, and
// constant from then on.
#pragma once
#include "base/csv.h"
#include "model/model.h"
#include "problem/fit_options.h"
#include "simulate/input.h"
#include "simulate/simulate_options.h"

typedef enum Method {
#define METHOD(name, word, traits, meaning) METHOD_##name,
#include "problem/methods.def"
#undef METHOD
  METHOD_COUNT
} Method;

typedef enum MethodTrait {
  METHOD_LOCAL = 1,       // one search from one start
  METHOD_SLOPES = 2,      // uses derivatives
  METHOD_CONSTRAINTS = 4, // respects the constraints of the problem
  METHOD_GLOBAL = 8,      // looks all over the bounds, which must be finite
  METHOD_COMPOSITE = 16,  // made of other methods
} MethodTrait;

const char *method_word(Method m);
const char *method_meaning(Method m);
bool method_has(Method m, MethodTrait trait);
bool method_find(const char *word, Method *m);

enum { METHOD_PARTS_MOST = 8 };
typedef struct
    MethodParts { // of a composite method: "multistart(lm, 50)", "portfolio(homotopy, ga)"
  Method at[METHOD_PARTS_MOST];
  int count;
  int starts; // multistart; 0: option starts
} MethodParts;

// false and a sentence in err (what is wrong, what is allowed) when the text is no method.
bool method_parse(const char *text, Method *m, MethodParts *parts, Err *err);
void method_print(Method m, const MethodParts *parts, Text *out);

typedef enum SigmaKind {
  SIGMA_UNKNOWN,  // residuals count as they are; their variance is estimated at the end
  SIGMA_NUMBER,   // standard deviation of the noise in the unit of the channel
  SIGMA_RELATIVE, // times the root mean square of the channel's data
  SIGMA_ESTIMATED, // found together with the parameters: channels are weighted by their own residuals
} SigmaKind;

// A measured quantity of one experiment and its samples.
typedef struct Channel {
  const char *name;        // as written: theta, or alpha*z + c0*v
  const char *column;      // of the data file
  const char *unit;        // of the column, "" when unknown
  Expr measured;           // what the model says it is, gain and offset included
  int gain, offset, delay; // parameters of the model, -1 = none
  double weight;           // multiplies the squared residuals, > 0
  SigmaKind sigma_kind;
  double sigma;        // SIGMA_NUMBER: the number; SIGMA_RELATIVE: the resulting number, > 0
  int count;           // samples in the window, missing values left out
  const double *t, *y; // increasing
  int missing;         // samples of the window that were missing
} Channel;

typedef struct FixedValue { // holds in one experiment
  int parameter;
  double value;
} FixedValue;

typedef struct Experiment {
  const char *name; // from the problem file, else the name of the data file
  const char *file; // of the data, as given
  double start;     // the time at which the start values hold and the simulation begins
  double stop;      // of the last sample in the window
  Channel *channels;
  int channel_count;
  const Input **inputs; // by input of the model
  double *p; // all parameters of the model as they hold here, before the free ones are put in
} Experiment;

// A number to be found.
typedef struct Unknown {
  const char *name;       // p, theta.start, theta.offset; of one experiment only: p[swing]
  const char *unit;       // "" when unknown
  int parameter;          // of the model
  int experiment;         // -1: the same in all
  double start, min, max; // min <= start <= max; bounds may be infinite
  double in_model;        // what the model file says it is; where it says nothing: start
  bool log;               // searched on a logarithmic scale; min > 0
  bool has_prior;
  double prior_mean, prior_sd;
  int line, column; // in the problem file
} Unknown;

// der(state) += lambda * gain * (data - measured), as the user gave it under 'gains'.
typedef struct GivenGain {
  int experiment; // -1: in all
  int channel;    // number of the measured name among problem->measured
  int state;      // of the model
  double gain;
} GivenGain;

// What the estimated numbers have to satisfy, as the user gave it under 'constraints'.
typedef struct Constraint {
  const char *text;
  int experiment; // -1: the same in all; else of the numbers as they are there
  bool equality;
  int rows[2], row_count;      // of problem_constraints: two of 1 <= k <= 3
  struct ConstraintRow *shown; // what constraint_value gives
  double low, high;            // where the numbers on the other sides want that; may be infinite
  int line, column;            // in the problem file
} Constraint;

typedef struct ProblemConstraints {
  Constraint *at;
  int count;
  int equalities, inequalities; // rows of problem_constraints
  struct ConstraintRow *rows;
} ProblemConstraints;

typedef struct Problem {
  Arena *arena; // owns everything below
  const char *path, *model_path;
  Model *model;
  Experiment *experiments;
  int experiment_count;
  // The different measured expressions of all experiments; channel_measured[e][c] is the number of a channel's.
  const char **measured_name;
  Expr *measured;
  int measured_count;
  int **channel_measured;
  Unknown *unknowns;
  int unknown_count;
  GivenGain *gains;
  int gain_count;
  ProblemConstraints constraints;
  Method method;
  MethodParts parts; // of the method
  FitOptions options;
  SimulateOptions simulate; // defaults of a fit: rel_tol 1e-8, abs_tol 1e-10
  Warnings warnings;        // of the problem file and of the data
} Problem;

typedef struct ProblemSetting { // --set estimate.p.start=40, or an option by its name
  const char *path, *value;
  bool is_option;
} ProblemSetting;

// NULL and err with file:line:column on failure.
Problem *problem_load(const char *path, const ProblemSetting *settings, int count, Err *err);
// The same from text in memory; relative paths are relative to `folder`.
Problem *problem_parse(const char *name, const char *folder, const char *text, size_t length,
                       const ProblemSetting *settings, int count, Err *err);
void problem_free(Problem *p);
// The method with its parts, as method_print writes it.
const char *problem_method(const Problem *p, Arena *a);

// A number, or an expression of numbers and constants of the model, as it may stand in a problem file.
bool problem_number(const Problem *p, const char *text, double *value, Err *err);

// What simulations may be wrong by, relative to what they compute: rel_tol, or rounding where nothing is integrated.
double problem_accuracy(const Problem *p);
// Parameters of the model that are free in some experiment, without repetition: returns the count.
int problem_unknown_parameters(const Problem *p, int *parameters);

// ---------------------------------------------------------------- constraints

// At x, numbers of problem->unknowns on their natural scale: c[k] = 0 for the equalities, then c[k] >= 0 for the inequalities;
// C[k*unknown_count + i] = dc_k/dx_i, or NULL. Any number of threads may call it at once. What cannot be computed is NaN.
void problem_constraints(const Problem *p, const double *x, double *c, double *C);

// Whether all of them hold, but for rounding.
bool problem_satisfied(const Problem *p, const double *x);
// Slopes, as above, of the rows that hold exactly at x: equalities, and inequalities that are active. Returns how many.
int problem_active_constraints(const Problem *p, const double *x, double *C);

typedef enum ConstraintState {
  CONSTRAINT_SLACK,
  CONSTRAINT_ACTIVE,
  CONSTRAINT_VIOLATED
} ConstraintState;
// Of constraint number k as the user wrote it. Equalities that hold are active.
ConstraintState constraint_state(const Problem *p, int k, const double *x);
const char *constraint_state_word(ConstraintState s);
// Of the middle or of the side that is no mere number; of two such sides the left one less the right one.
double constraint_value(const Problem *p, int k, const double *x);

// Whether a method keeps the constraints of the problem, if it has some. false and a sentence in err that names those
// which do.
bool problem_method_suits(const Problem *p, Method m, const MethodParts *parts, Err *err);
