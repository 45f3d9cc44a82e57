// The problem that a user states: model, experiments with data, unknowns, method, options. Read from YAML, checked, and
// constant from then on.
#pragma once
#include "base/csv.h"
#include "model/model.h"
#include "problem/fit_options.h"
#include "simulate/input.h"
#include "simulate/simulate_options.h"

typedef enum Method {
#define METHOD(name, word, traits, run, local, meaning) METHOD_##name,
#include "problem/methods.def"
#undef METHOD
  METHOD_COUNT
} Method;

typedef enum MethodTrait {
  METHOD_LOCAL = 1,       // one search from one start
  METHOD_SLOPES = 2,      // uses derivatives
  METHOD_CONSTRAINTS = 4, // respects the constraints of the problem
  METHOD_GLOBAL = 8,      // searches between the bounds, which must be finite
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

// false and err if the text is not a method.
bool method_parse(const char *text, Method *m, MethodParts *parts, Err *err);
void method_print(Method m, const MethodParts *parts, Text *out);

typedef enum SigmaKind {
  SIGMA_UNKNOWN,   // residuals are not scaled; their variance is estimated at the end
  SIGMA_NUMBER,    // standard deviation of the noise in the unit of the channel
  SIGMA_RELATIVE,  // times the root mean square of the channel's data
  SIGMA_ESTIMATED, // estimated with the parameters: channels are weighted by their own residuals
} SigmaKind;

// A measured quantity of one experiment and its samples.
typedef struct Channel {
  const char *name;        // as written: theta, or alpha*z + c0*v
  const char *column;      // of the data file
  const char *unit;        // of the column, "" when unknown
  Expr measured;           // its expression in the model, with gain and offset
  int gain, offset, delay; // parameters of the model, -1 = none
  double weight;           // multiplies the squared residuals, > 0
  SigmaKind sigma_kind;
  double sigma;        // SIGMA_NUMBER: the number; SIGMA_RELATIVE: the resulting number, > 0
  int count;           // samples in the window, without missing values
  const double *t, *y; // increasing
  int missing;         // samples of the window that were missing
} Channel;

typedef struct FixedValue { // in one experiment
  int parameter;
  double value;
} FixedValue;

typedef struct Experiment {
  const char *name; // from the problem file, else the name of the data file
  const char *file; // of the data, as given
  // Times of the data count from here (time_origin): start, stop, and those of channels and inputs are differences to it.
  double origin;
  double start;       // time of the start values, where the simulation begins
  double stop;        // time of the last sample in the window
  bool has_restart;   // the user says:
  double restart;     // until then no unknown acts
  bool without_times; // rows of a table: their order means nothing
  Channel *channels;
  int channel_count;
  const Input **inputs; // by input of the model
  double *p; // all parameters of the model in this experiment; unknowns are filled in later
} Experiment;

// An unknown: a parameter or start value to be estimated.
typedef struct Unknown {
  const char *name;       // p, theta.start, theta.offset; p[swing] if it belongs to one experiment
  const char *unit;       // "" when unknown
  int parameter;          // of the model
  int experiment;         // -1: the same in all
  double start, min, max; // min <= start <= max; bounds may be infinite
  double in_model;        // its value in the model file; start if there is none
  bool log;               // searched on a logarithmic scale; min > 0
  bool has_prior;
  double prior_mean, prior_sd;
  int line, column; // in the problem file
} Unknown;

// An entry of 'gains': der(state) += lambda * gain * (data - measured).
typedef struct GivenGain {
  int experiment; // -1: in all
  int channel;    // number of the measured name among problem->measured
  int state;      // of the model
  double gain;
} GivenGain;

// An entry of 'constraints': a relation that the unknowns must satisfy.
typedef struct Constraint {
  const char *text;
  int experiment; // -1: the same in all; else with the unknowns of that experiment
  bool equality;
  int rows[2], row_count;      // of problem_constraints: two of 1 <= k <= 3
  struct ConstraintRow *shown; // the value that constraint_value returns
  double low, high;            // limits of that value; may be infinite
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
  // The distinct measured expressions of all experiments; channel_measured[e][c] is the index for channel c of experiment e.
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

// A time of the experiment as in its data, with as many digits as the length of the experiment needs to have `digits`.
const char *experiment_time(const Experiment *e, double t, int digits, char out[32]);

void problem_free(Problem *p);
// The method with its parts, as method_print writes it.
const char *problem_method(const Problem *p, Arena *a);

// Reads a number, or an expression of numbers and constants of the model.
bool problem_number(const Problem *p, const char *text, double *value, Err *err);

// Relative error of the simulations: rel_tol, or rounding if nothing is integrated.
double problem_accuracy(const Problem *p);
int problem_max_simulations(const Problem *p); // that a fit may make
// The parameters of the model that are unknown in some experiment, each once; returns their number.
int problem_unknown_parameters(const Problem *p, int *parameters);

// ---------------------------------------------------------------- constraints

// At x, the unknowns on their natural scale: c[k] = 0 for the equalities, then c[k] >= 0 for the inequalities;
// C[k*unknown_count + i] = dc_k/dx_i, or NULL. Thread-safe. Values that cannot be computed are NaN.
void problem_constraints(const Problem *p, const double *x, double *c, double *C);

// Whether all of them hold, up to rounding.
bool problem_satisfied(const Problem *p, const double *x);
// Slopes, as above, of the rows that are active at x: equalities, and inequalities at their limit. Returns their number.
int problem_active_constraints(const Problem *p, const double *x, double *C);

typedef enum ConstraintState {
  CONSTRAINT_SLACK,
  CONSTRAINT_ACTIVE,
  CONSTRAINT_VIOLATED
} ConstraintState;
// The state of constraint k of the file. Equalities that hold are active.
ConstraintState constraint_state(const Problem *p, int k, const double *x);
const char *constraint_state_word(ConstraintState s);
// The value of the middle, or of the side that contains unknowns; if both sides do: left minus right.
double constraint_value(const Problem *p, int k, const double *x);

// Whether a method supports the constraints of the problem, if there are any. false: err names the methods that do.
bool problem_method_suits(const Problem *p, Method m, const MethodParts *parts, Err *err);
