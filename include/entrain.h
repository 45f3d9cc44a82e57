// entrain: unknown parameters of dynamic models from measurements. The C library, this header is all of it.
//
// Objects are made by ..._new or ..._load and freed by ..._free (NULL is allowed). Functions that can fail return NULL or
// false and fill the error (which may be NULL). Nothing is printed, nothing exits (but for lack of memory, which ends the
// process with a message), there is no global state; different objects may be used from different threads, a model may be
// shared for simulation once it is set up. Texts that are returned as `char *` belong to the caller: entrain_text_free.
// Texts that are returned as `const char *` belong to the object they came from.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *entrain_version(void);

// ---------------------------------------------------------------- errors

typedef struct EntrainError {
  int code;         // 0: no error
  int exit_status;  // what the command ends with: 2 wrong use or wrong input, 3 internal error
  int line, column; // 0: no place
  char file[240];
  char text[800];    // the sentence
  char excerpt[400]; // the source line and a caret below it; may be empty
} EntrainError;

// "file:line:column: error: text", then the excerpt on lines of its own. Returns the length that was needed.
int entrain_error_format(const EntrainError *error, char *out, size_t size);
void entrain_text_free(char *text);

// ---------------------------------------------------------------- models

typedef struct EntrainModel EntrainModel;

EntrainModel *entrain_model_load(const char *path, EntrainError *error);
EntrainModel *entrain_model_parse(const char *name, const char *text, size_t length,
                                  EntrainError *error);
void entrain_model_free(EntrainModel *model);

const char *entrain_model_name(const EntrainModel *model);
int entrain_model_warning_count(const EntrainModel *model);
const char *entrain_model_warning(const EntrainModel *model,
                                  int i); // file:line:column: warning: ... and the excerpt

typedef enum EntrainKind {
  ENTRAIN_STATE,     // differentiated variables, in the order of declaration
  ENTRAIN_PARAMETER, // parameters, then the start values of the states as x.start
  ENTRAIN_INPUT,
  ENTRAIN_OUTPUT,   // declared as output
  ENTRAIN_VARIABLE, // everything that varies in time: states, algebraic variables, inputs, outputs
} EntrainKind;

typedef struct EntrainVariable {
  const char *name, *description, *unit; // "" when absent
  double value;             // of a parameter: its value; of a state: its value at the start
  double min, max, nominal; // -inf, inf, 1 when absent
  bool dependent;           // of a parameter: follows from other parameters unless it is set
} EntrainVariable;

int entrain_model_count(const EntrainModel *model, EntrainKind kind);
// false when there is no such variable.
bool entrain_model_variable(const EntrainModel *model, EntrainKind kind, int i,
                            EntrainVariable *out);
int entrain_model_find(const EntrainModel *model, EntrainKind kind,
                       const char *name); // -1 when absent

// Sets a parameter or a start value (x.start) to a number or to an expression of numbers such as 2*3.14 or 1/3. On
// failure the model stays as it was. Names that were read from the model before are no longer valid.
bool entrain_model_set(EntrainModel *model, const char *name, const char *value,
                       EntrainError *error);

typedef enum EntrainReport {
  ENTRAIN_REPORT_SUMMARY,   // for people
  ENTRAIN_REPORT_FLAT,      // the flat model as Modelica text
  ENTRAIN_REPORT_EQUATIONS, // the sorted equations, block by block
  ENTRAIN_REPORT_JSON,
  ENTRAIN_REPORT_DOT, // the structure for Graphviz
} EntrainReport;

char *entrain_model_report(const EntrainModel *model, EntrainReport what);

// ---------------------------------------------------------------- options

typedef struct EntrainOptions EntrainOptions;

EntrainOptions *entrain_options_new(void); // all defaults
void entrain_options_free(EntrainOptions *options);
bool entrain_options_set(EntrainOptions *options, const char *name, const char *value,
                         EntrainError *error);

typedef struct EntrainOption {
  const char *name, *type; // type: number, integer, choice
  const char *default_value, *range, *meaning;
} EntrainOption;

int entrain_option_count(void);
bool entrain_option(int i, EntrainOption *out);

// ---------------------------------------------------------------- simulation

typedef struct EntrainSimulation EntrainSimulation; // what to simulate
typedef struct EntrainResult EntrainResult;         // what came out

// Keeps the pointers: model and options must outlive it.
EntrainSimulation *entrain_simulation_new(const EntrainModel *model, const EntrainOptions *options,
                                          EntrainError *error);
void entrain_simulation_free(EntrainSimulation *simulation);

// Output at start, start + step, ... and at stop. step 0: 500 intervals.
bool entrain_simulation_grid(EntrainSimulation *s, double start, double stop, double step,
                             EntrainError *error);
// Output at these times, which must increase; the simulation begins at start.
bool entrain_simulation_times(EntrainSimulation *s, double start, const double *times, int count,
                              EntrainError *error);
// Inputs of the model that are columns of the file become functions of its first column; interpolation as the option says.
bool entrain_simulation_input_file(EntrainSimulation *s, const char *path, EntrainError *error);
bool entrain_simulation_input(EntrainSimulation *s, const char *name, const double *times,
                              const double *values, int count,
                              EntrainError *error); // copies
// Which columns: names of variables; NULL or 0: all states, algebraic variables and outputs.
bool entrain_simulation_select(EntrainSimulation *s, const char *const *names, int count,
                               EntrainError *error);
// Adds columns dx/dp for each selected variable and each of these parameters; count 0: all independent parameters.
bool entrain_simulation_sensitivities(EntrainSimulation *s, const char *const *parameters,
                                      int count, EntrainError *error);

// A failed integration is an outcome of the result, not an error. May be called again, from one thread at a time.
EntrainResult *entrain_simulation_run(EntrainSimulation *s, EntrainError *error);
void entrain_result_free(EntrainResult *result);

typedef enum EntrainOutcome {
  ENTRAIN_REACHED_END,
  ENTRAIN_TOO_MANY_STEPS,
  ENTRAIN_STEP_TOO_SMALL,
  ENTRAIN_NOT_COMPUTABLE,
  ENTRAIN_NO_START, // consistent initial values were not found
  ENTRAIN_CHATTER,  // events without end at one time
  ENTRAIN_TOO_MANY_EVENTS,
} EntrainOutcome;

typedef struct EntrainWork {
  long steps, rejected, rhs, jacobians, factorisations, events;
  double seconds;
  const char *solver; // which one did the work, "rk8" or "rk8, rosenbrock"
} EntrainWork;

EntrainOutcome entrain_result_outcome(const EntrainResult *r);
const char *entrain_result_outcome_name(const EntrainResult *r); // "reached-end"
const char *
entrain_result_message(const EntrainResult *r); // sentences: where, when, which state or equation
void entrain_result_work(const EntrainResult *r, EntrainWork *out);
// Rows are the output times that were reached: all numbers in them are finite.
int entrain_result_rows(const EntrainResult *r);
int entrain_result_columns(const EntrainResult *r); // column 0 is time
const char *entrain_result_name(const EntrainResult *r, int column);
const double *entrain_result_column(const EntrainResult *r, int column);
char *entrain_result_csv(const EntrainResult *r);
char *entrain_result_json(const EntrainResult *r);
// A plot of the selected variables (not of sensitivities) for a terminal of this size.
char *entrain_result_plot(const EntrainResult *r, int width, int height, bool colour);

#ifdef __cplusplus
}
#endif
