// Test FMUs. A model is a file of models/ with its variables and equations; skeleton.c makes an instance of it, fmi2.c and
// fmi3.c offer this by FMI 2.0 and 3.0, describe.c writes modelDescription.xml, pack.c the archive.
//
// The functions of FMI are refused with a line in the log where the standard does not allow them.
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { VALUES_MOST = 64, STATES_MOST = 8, TEXT_MOST = 200, ITEMS_MOST = 4, FIRST_REFERENCE = 100 };

typedef enum Type { REAL, INTEGER, BOOLEAN, STRING, ENUMERATION } Type;

// The value of a variable is Model.v[n], of an array the numbers from n, where n counts the values of all variables before
// it. Its value reference is FIRST_REFERENCE + n.
typedef struct Variable {
  const char *name, *description;
  Type type;
  const char *wire;        // of FMI 3; NULL: Float64, Int32, Boolean, String, Int64
  const char *causality;   // as in the standard
  const char *variability; // the same
  bool exact;              // a state or output whose start value can be set
  double start[4];
  const char *text;  // start value of a String
  int rows, columns; // of an array; 0: a scalar, columns 0: a vector
  const char *unit;
  bool bounded;
  double min, max;
  int derivative_of; // the state, 0: none
  bool indicator;    // an event happens where its sign changes
} Variable;

#define TIME_VARIABLE                                                                              \
  { .name = "time", .causality = "independent", .variability = "continuous", .unit = "s" }
#define PARAMETER(n, value, ...)                                                                   \
  { .name = n, .causality = "parameter", .variability = "tunable", .start = {value}, __VA_ARGS__ }
#define FIXED(n, value, ...)                                                                       \
  { .name = n, .causality = "parameter", .variability = "fixed", .start = {value}, __VA_ARGS__ }
#define INPUT(n, value, ...)                                                                       \
  { .name = n, .causality = "input", .variability = "continuous", .start = {value}, __VA_ARGS__ }
#define OUTPUT(n, ...)                                                                             \
  { .name = n, .causality = "output", .variability = "continuous", __VA_ARGS__ }
#define LOCAL(n, ...)                                                                              \
  { .name = n, .causality = "local", .variability = "continuous", __VA_ARGS__ }
#define FROM(value) .exact = true, .start = {value}
#define AT_LEAST(value) .bounded = true, .min = value, .max = 1e6

typedef enum Phase {
  INSTANTIATED = 1,
  INITIALIZING = 2,
  EVENT = 4,
  CONTINUOUS = 8,
  STEPPING = 16,
  STEP_FAILED = 32,
  TERMINATED = 64,
  BROKEN = 128, // after an error
  LOST = 256,   // after a fatal one: any call ends the process
} Phase;

// As in both standards.
typedef enum Status { OK, WARNING, DISCARD, ERROR, FATAL } Status;

typedef struct Model Model;
struct Model {
  double v[VALUES_MOST]; // v[0] is the time
  char text[TEXT_MOST];  // of the only String
  int memory;            // discrete state, as the model likes
  double start;          // time
  bool terminate;        // the model ends the simulation
  double completed;      // time of the last completed step of the integrator
  Phase phase;
  bool is_stepped;       // co-simulation
  bool is_stale;         // the equations must be evaluated again
  double last;           // time that the last step of co-simulation reached
  const char *resources; // folder, ends with a slash; NULL: there is none
  char folder[1000];     // it, where it must be kept
  void *environment;     // of the importer
  void *callbacks;       // FMI 2
  void (*log)(Model *m, Status status, const char *text);
};

typedef struct ModelInfo {
  const char *name, *description;
  const Variable *variables;
  int count;
  double stop;       // of the default experiment
  double step;       // of co-simulation: Runge and Kutta of order 4, or Euler
  int step_variable; // that holds it instead; 0: none
  bool euler;
  bool once;                      // one instance in a process
  bool completes;                 // wants to hear of completed steps
  const char *items[ITEMS_MOST];  // of the enumeration, values from 1
  Status (*begin)(Model *m);      // at the end of the initialization
  Status (*equations)(Model *m);  // from states, inputs, parameters, time: all else
  bool (*event)(Model *m);        // true: states have changed
  double (*next)(const Model *m); // time of the next time event
  double (*partial)(const Model *m, int of, int by); // the partial derivative
} ModelInfo;

extern const ModelInfo MODEL;

// ---- skeleton.c
int variable_size(const Variable *v);
int variable_first(const Variable *v); // where its values begin in Model.v
const Variable *model_state(int k);    // NULL: there are no more
const Variable *model_indicator(int k);
const char *variable_wire(const Variable *v);

void model_start(Model *m); // start values
// The only instance where there may be one: false and a line in the log for a second one.
bool model_enter(Model *m);
void model_leave(const Model *m);

void model_log(Model *m, Status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Refuses the call in other phases than these. What must never be called after an error ends the process.
bool model_may_have_event(Model *m, const char *function); // the step that ends there was completed
bool model_allows(Model *m, int phases, const char *function);
Status model_error(Model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The variable of this reference, NULL and an error if there is none of this wire type; write: it is to be set.
const Variable *model_find(Model *m, unsigned reference, const char *wire, bool write);
Status model_update(Model *m); // the equations
Status model_begin(Model *m);
bool model_handle_event(Model *m); // true: states have changed
double model_next(const Model *m); // infinite: no time event is ahead
// Either of x and dx may be NULL.
Status model_get_states(Model *m, double *x, double *dx, size_t nx);
Status model_set_states(Model *m, const double *x, size_t nx);
Status model_get_indicators(Model *m, double *z, size_t nz);
size_t model_state_count(Model *m);
size_t model_indicator_count(void);
Status model_step(Model *m, double t, double h);
// sensitivity = sum of partial derivatives times seed; values of arrays one after another
Status model_directional(Model *m, const unsigned *unknowns, size_t unknown_count,
                         const unsigned *knowns, size_t known_count, const double *seed,
                         size_t seed_count, double *sensitivity, size_t sensitivity_count);
