// The problem that a user states: model, experiments with data, unknowns, method, options. Read from YAML, checked, and
// constant from then on.
#pragma once
#include "base/csv.h"
#include "model/model.h"
#include "problem/fit_options.h"
#include "problem/sample_weights.h"
#include "problem/source_file.h"
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

bool method_wants_slopes(Method m, const MethodParts *parts); // it, or one of its parts
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
  const char *unit;        // of its samples, "" when unknown
  Expr bare;               // its expression in the model
  Expr measured;           // the same with gain and offset
  int gain, offset, delay; // parameters of the model, -1 = none
  double factor;           // y = factor*column
  double weight;           // multiplies the squared residuals, > 0
  SigmaKind sigma_kind;
  double sigma;        // SIGMA_NUMBER: the number; SIGMA_RELATIVE: the resulting number, > 0
  int count;           // samples in the window, without missing values
  const double *t, *y; // increasing
  // By sample, residual: prediction: what the channel showed where the prediction begins, NaN: nothing; else NULL.
  const double *from;
  int missing;           // samples of the window that were missing
  int unpredicted;       // samples left out, because the state that they follow from is not known
  double spline_freedom; // of the smoothing spline whose derivatives these are; 0: they are data
  double range;          // that option scale divides by; 0: it does not
  // By sample, >= 0: multiplies the squared residual, too. Those of weight 0 do not count. NULL: all are 1.
  const double *sample_weight;
} Channel;

// Where the states come from that predictions and computed derivatives begin at; see residual_kind.h.
typedef enum StateOrigin {
  STATE_MEASURED, // a channel
  STATE_SPLINE,   // the smoothing spline of a channel: the state itself, or its rate
  STATE_TIED,     // the model coupled to the data
  STATE_CARRIED,  // discrete, not measured: goes on from event to event
} StateOrigin;

typedef struct StateSource {
  StateOrigin origin;
  int channel; // of those recorded, -1: none
} StateSource;

typedef struct KnownStates { // of an experiment, at the rows of its data
  StateSource *source;       // by state
  double *x;                 // [row][state], NaN: not known from the data
  bool tied;                 // some are STATE_TIED
} KnownStates;

typedef struct FixedValue { // in one experiment
  int parameter;
  double value;
} FixedValue;

typedef struct DataStart { // a start value that was taken from samples
  int parameter;
  double value;
  bool estimated; // where a search begins; else it is the value itself
} DataStart;

typedef struct NamedWindow { // an entry of 'windows': a span whose errors are reported
  const char *name;
  double start, stop; // both included; since the origin of the experiment
} NamedWindow;

// What 'every' of an experiment makes of its data; see decimation.h.
typedef struct FewerSamples {
  int samples;        // every so many one is kept; 1: all
  const char *filter; // fir, mean, none
  double cutoff;      // Hz, 0: none
  double noise;       // standard deviation of independent noise of size 1 behind the filter
  int left_out;       // samples that were not kept, because the filter lacks a part of its reach
} FewerSamples;

typedef struct Experiment {
  const char *name;       // from the problem file, else the name of the data file
  int number;             // its place in the file, from 0; reports show this one
  const char *file;       // of the data, as given
  const Table *in_memory; // where they are no file: the table that `file` names; else NULL
  // Times of the data count from here (time_origin): start, stop, and those of channels and inputs are differences to it.
  double origin;
  double start;            // time of the start values, where the simulation begins
  double stop;             // time of the last sample in the window
  bool has_restart;        // the user says:
  double restart;          // until then no unknown acts
  const char *time_origin; // ISO 8601: time 0 of the data, which are times of day; NULL: numbers
  const char *epoch_unit;  // the data have numbers since 1970 in this unit; NULL: they have not
  FewerSamples every;
  DataStart *data_starts;
  int data_start_count;
  bool without_times;  // rows of a table: their order means nothing
  const double *row_t; // times of the rows of the data in the window
  int row_count;
  int unscored;      // rows before these
  Channel *channels; // what residuals are made of
  int channel_count;
  Channel *recorded; // as the data have them: the same, unless option residual says otherwise
  int recorded_count;
  KnownStates *states;     // NULL: the simulation goes on from its start values
  const Input **inputs;    // by input of the model
  InputKind interpolation; // of inputs that have none of their own
  double *p; // all parameters of the model in this experiment; unknowns are filled in later
  const NamedWindow *windows;
  int window_count;
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
  double fd_step;   // of differences, see the option; 0: as the option says
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

typedef struct ProblemSetting { // --set estimate.p.start=40, or an option by its name
  const char *path, *value;
  bool is_option;
} ProblemSetting;

typedef struct Problem {
  Arena *arena; // owns everything below
  const char *path, *model_path;
  const Source *in_memory; // the text of the problem if path is only a name; NULL: path is a file
  bool model_in_memory;    // the same of the model
  struct ClosedModel *closed; // who simulates the model, NULL: we do; owned
  Model *model;
  Experiment *experiments; // those that are fitted
  int experiment_count;
  // The experiments of role validation, NULL: there are none. They share model, measured expressions and options. The
  // unknowns are the same in number and order; they have no priors, and those of one fitted experiment are used nowhere.
  struct Problem *validation;
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
  const SampleWeights *weights; // NULL: all samples count the same
  Method method;
  MethodParts parts; // of the method
  FitOptions options;
  SimulateOptions simulate;       // defaults of a fit: rel_tol 1e-8, abs_tol 1e-10
  Warnings warnings;              // of the problem file and of the data
  const ProblemSetting *settings; // that it was read with
  int setting_count;
  MadeFrom files; // with what they held when it was read
} Problem;

// A time of the experiment as in its data, with as many digits as the length of the experiment needs to have `digits`.
const char *experiment_time(const Experiment *e, double t, int digits, char out[32]);

// Whether sample i counts: its weight is not 0.
static inline bool sample_counts(const Channel *c, int i) {
  return !c->sample_weight || c->sample_weight[i] > 0;
}
// How many of the first n samples count.
int samples_that_count(const Channel *c, int n);
// What the objective counts the samples of the channel as: so often it has the logarithm of a sigma that is estimated.
double weight_of_samples(const Problem *p, const Channel *c);
bool problem_has_weights(const Problem *p); // samples that count do not all count the same
bool window_contains(const NamedWindow *w, double t); // with allowance for rounded times

void problem_free(Problem *p);
// Lists the distinct measured expressions of the channels of so many experiments; returns how many the first ones have, which
// come first.
int problem_list_measured(Problem *p, Arena *a, int experiments, int first);
// The experiment that stands at this place of the file, fitted or not; NULL: there is none.
const Experiment *problem_experiment(const Problem *p, int number);
// The method with its parts, as method_print writes it.
const char *problem_method(const Problem *p, Arena *a);

// All parameters of the model in experiment e, with the unknowns at x; NULL: at their start values. values: model->np numbers.
void problem_parameters(const Problem *p, int e, const double *x, double *values);
// What steps of differences are a part of: the size of an unknown at this value, > 0.
double unknown_size(const Unknown *u, double value);

// Reads a number, or an expression of numbers and constants of the model.
bool problem_number(const Problem *p, const char *text, double *value, Err *err);

// Whether residuals need the integrator; single steps and computed derivatives do not.
bool problem_integrates(const Problem *p);
// Slopes of its states can be computed: a text or model exchange, no black box.
bool problem_has_equations(const Problem *p);
// Whether the residuals are those of simulations from the start values.
static inline bool problem_simulates(const Problem *p) {
  return p->options.residual == RESIDUAL_SIMULATION;
}
const char *residual_word(const Problem *p); // of option residual
// Relative error of the simulations: rel_tol, or rounding if nothing is integrated.
double problem_accuracy(const Problem *p);
// For titles: the file with its folder, because many problems are called problem.yaml; of an absolute path, which may tell names of users, the file alone.
const char *problem_name(const Problem *p);
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
