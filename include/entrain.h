// entrain: finds unknown parameters of dynamic models from measurements. This is the whole interface of the C library.
//
// Objects are made by ..._new, ..._load, ..._run and the like, and freed by ..._free (NULL is allowed). Functions that can fail
// return NULL or false and fill the error (which may be NULL). The library prints nothing and never exits, except without memory
// (see entrain_on_out_of_memory). Texts returned as `char *` belong to the caller: entrain_text_free. Texts returned as
// `const char *`, and arrays in structs, belong to the object they came from and live as long as it, unless said otherwise.
//
// A number that does not exist (an index out of range, an unknown name) is answered, never a crash: NULL, false, -1 or NaN as
// the type of the function says. A NULL object has no members: counts are 0, texts NULL, numbers NaN.
//
// Numbers in texts are written and read with a decimal point, whatever locale the program has set. 256 kB of stack are
// enough for every call.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- versions

#define ENTRAIN_VERSION "0.1.0"
#define ENTRAIN_VERSION_NUMBER 100 // 10000 major + 100 minor + patch
// Counts the changes after which programs must be compiled anew: it is the number in libentrain.so.0. Functions, members at the
// end of structs and values at the end of enums may be added without.
#define ENTRAIN_ABI 0

// Of the library that is used, which may be newer than this header. Threads: any.
const char *entrain_version(void);
int entrain_version_number(void);
int entrain_abi(void); // if it is not ENTRAIN_ABI, nothing else may be called

// ---------------------------------------------------------------- structs
//
// Every struct that the library fills or reads begins with `size`, which the caller sets to the size that he knows:
//
//   ENTRAIN_STRUCT(EntrainEstimate, e);              // the variable e: e.size is set, all else is 0
//   if (entrain_fit_estimate(fit, 0, &e)) puts(e.name);
//
// The library writes no more than so many bytes, and takes members of a request that lie beyond as 0: a program works with newer
// libraries, whose structs are longer, without being compiled anew. Members that an older library does not know stay as they
// are; those of a request must be 0. A struct whose size is 0 is not filled: the function returns false; a request without it is
// an error. Only in an EntrainError 0 is allowed. Structs that the library hands to listeners have the size that it knows.
// Elements of arrays (EntrainSetting, EntrainColumn, EntrainTable, EntrainSimulatorParameter, EntrainBasinAxis, EntrainScanAxis)
// have no size: they never change.
#ifdef __cplusplus
#define ENTRAIN_STRUCT(type, name)                                                                 \
  type name = type();                                                                              \
  name.size = sizeof(type)
#else
#define ENTRAIN_STRUCT(type, name) type name = {.size = sizeof(type)}
#endif

// ---------------------------------------------------------------- threads
//
// There is no global state but the handler below. Each part of this header says what holds for it, in these words:
//   Threads: any            every thread at any time.
//   Threads: one            an object is used by one thread at a time, which may change; others use other objects meanwhile.
//   Threads: readers        functions that take the object as const may run in several threads at the same time, while none
//                           runs that takes it otherwise.
// Objects that others are made of (a problem of its fits, a model of its simulations) are only read by these, unless said
// otherwise: several threads may fit the same problem at once. Listeners are called in the thread that called the function, or,
// where it says so, in others.

// Out of memory cannot be answered by an error: threads, and libraries that are used inside, may be in the middle of their
// work. The library calls the handler in the thread that needed memory. The handler should take no memory, save what the
// program must not lose, and end the process. If it returns, or without a handler (NULL), the library writes "entrain:
// error: out of memory" to standard error and ends the process with _exit(3): files are complete or absent, never half
// written. There is one handler for the process.
// Threads: any; the last handler counts.
typedef void EntrainMemoryHandler(void);
void entrain_on_out_of_memory(EntrainMemoryHandler *handler);

// ---------------------------------------------------------------- errors
//
// Threads: any.

typedef struct EntrainError {
  size_t size;      // sizeof(EntrainError); 0 stands for that of version 0.1
  int code;         // 0: no error
  int exit_status;  // of the command: 1 stopped, 2 wrong usage or wrong input, 3 a defect
  int line, column; // 0: no place
  char file[240];
  char text[800];    // the sentence
  char excerpt[400]; // the source line and a caret below it; may be empty
} EntrainError;

// "file:line:column: error: text", then the excerpt on lines of its own. Returns the length that was needed.
int entrain_error_format(const EntrainError *error, char *out, size_t size);
void entrain_text_free(char *text);
// The text as a terminal may show it: control characters, characters that change the direction of writing and bytes that are
// not UTF-8 become \x1b or \u202e. All texts of the library are like that already; for names of files and arguments.
char *entrain_text_visible(const char *text);

// ---------------------------------------------------------------- stopping

// Every call that may take long asks from time to time, some fifty times a second, in the calling thread, whether it goes on:
// reading models and problems (big files, weights of many samples), simulations, evaluations, fits and what follows them
// (entrain_fit_find_hessian, entrain_fit_samples, figures), checks, curves, studies, comparisons. Return false to end the present one
// with what it has reached. It returns within a second: it fails with exit_status 1, or its outcome or state says that it was
// stopped. Fits and studies can also be stopped by their listeners, and show their progress to these; a check, an evaluation, a
// simulation and reading have no listener, and are stopped in this way alone.
//
// Threads: of each thread; the computations of one are not stopped by another.
typedef bool EntrainGoesOn(void *data);
// Who is asked in the calling thread, from now on; NULL: nobody. A false answer is final: call this again before the next
// computation, and not from within one.
void entrain_goes_on(EntrainGoesOn *goes_on, void *data);

// ---------------------------------------------------------------- models
//
// Threads: readers. Simulations and problems that are made of a model read it.

typedef struct EntrainModel EntrainModel;

// path: a Modelica file; FILE.mo#Name chooses a class of it, without # the last model is taken. Libraries are looked for in
// the folders of the environment variable MODELICAPATH.
EntrainModel *entrain_model_load(const char *path, EntrainError *error);
// The same from text; name: for messages, FILE.mo#Name chooses a class of it, NULL: "<text>".
EntrainModel *entrain_model_parse(const char *name, const char *text, size_t length,
                                  EntrainError *error);
// Start, end and interval of annotation(experiment(StartTime = ..., StopTime = ..., Interval = ...)); what is not given stays
// as it was.
void entrain_model_experiment(const EntrainModel *model, double *start, double *stop,
                              double *interval);
// The same with folders of libraries that are searched before those of MODELICAPATH; NULL: none.
typedef struct EntrainLibraries {
  size_t size;
  const char **folders;
  int count;
} EntrainLibraries;
EntrainModel *entrain_model_load_with(const char *path, const EntrainLibraries *libraries,
                                      EntrainError *error);
// The flat model of a file as Modelica text, also where no model can be built of it, such as one with too few equations; NULL
// and error if it cannot be made flat. To be freed with entrain_text_free.
char *entrain_flat_text(const char *path, const EntrainLibraries *libraries, EntrainError *error);

EntrainModel *entrain_model_parse_with(const char *name, const char *text, size_t length,
                                       const EntrainLibraries *libraries, EntrainError *error);
// How an FMU is simulated; all 0 (and interface NULL): as the FMU offers.
typedef struct EntrainFmu {
  size_t size;
  const char *interface; // "me" model exchange, "cs" co-simulation; NULL: "me" where it is offered
  double step,
      tolerance;  // of co-simulation: communication step, tolerance of its solver; 0: chosen
  double timeout; // seconds for each simulation; 0: no limit
  double memory;  // bytes that its process may use; 0: half of what the machine has
} EntrainFmu;
// An FMU (FMI 2.0 or 3.0). It runs in a process of its own, the program entrain-worker: whatever it does is the outcome of a
// simulation. entrain_model_load does the same for names that end in .fmu.
EntrainModel *entrain_fmu_load(const char *path, const EntrainFmu *how, EntrainError *error);

// ---- simulators of your own
//
// A function of yours takes the place of a model: parameters and times in, outputs back. It is called in your process.
//
// Threads: calls come from the thread that calls entrain_* and from threads that entrain starts, together at most as many as
// option threads says. With concurrent = false they never overlap; with true they may, so the function must not change anything
// that calls share. It must not call entrain_* for the model or problem that it serves. It may be called until the model or
// problem is freed; names are copied, data is not.

typedef struct EntrainSimulatorParameter {
  const char *name, *unit; // unit: "" or NULL when there is none
  double value, min, max;  // min and max may be infinite
} EntrainSimulatorParameter;

typedef struct EntrainSimulatorCall EntrainSimulatorCall;
struct EntrainSimulatorCall {
  size_t size;              // as the library knows it
  const double *parameters; // by parameter
  double start;             // time at which the simulation begins
  const double *times;      // increasing, none before start; outputs are wanted at these
  int time_count;
  int experiment; // its number in the problem file, from 0
  // The inputs at time t, values[input].
  void (*read_inputs)(const EntrainSimulatorCall *call, double t, double *values);
  // false: nobody waits for the result any more (Ctrl-C, max_seconds). Long simulations ask now and then, and return false.
  bool (*goes_on)(const EntrainSimulatorCall *call);
  double *outputs; // to be filled: outputs[time*output_count + output]
  // The same: slopes[(time*output_count + output)*parameter_count + parameter]; NULL: not wanted.
  double *slopes;
  char message[400]; // to be filled where it fails: a sentence, UTF-8, closed by 0
};

typedef struct EntrainSimulator {
  size_t size;
  const char *name;
  const EntrainSimulatorParameter *parameters;
  int parameter_count;
  const char *const *inputs; // names
  int input_count;
  const char *const *outputs; // names
  int output_count;
  // false: it failed, which is an outcome of this simulation.
  bool (*simulate)(void *data, EntrainSimulatorCall *call);
  void *data;
  bool concurrent; // it may run in several threads at the same time
  bool
      has_slopes; // it fills slopes where they are not NULL; else differences of whole runs are made
} EntrainSimulator;

// A model that simulates by the function.
EntrainModel *entrain_model_of_simulator(const EntrainSimulator *simulator, EntrainError *error);

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
  size_t size;
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

// An equation between states only, which must be differentiated to find their motion (mechanisms with multipliers). It and
// its derivatives, the invariants, hold at the start and are maintained along the motion.
typedef struct EntrainConstraint {
  size_t size;
  int line;           // in its file
  const char *text;   // as written
  int differentiated; // how often; 0: it is redundant
  bool redundant;     // follows from the others: not solved; multipliers have the least norm
  const char *place;  // "8", or "Wheel.mo:8" in a file of a library
} EntrainConstraint;

// 0: ordinary differential equations, 1: with algebraic variables, 2 and above: with constraints.
int entrain_model_index(const EntrainModel *model);
// Number of start values that can be chosen: states minus independent invariants. For a mechanism: twice its degrees of
// freedom.
int entrain_model_free_start_count(const EntrainModel *model);
int entrain_model_constraint_count(const EntrainModel *model);
// false when there is no such constraint.
bool entrain_model_constraint(const EntrainModel *model, int i, EntrainConstraint *out);

typedef enum EntrainReport {
  ENTRAIN_REPORT_SUMMARY,   // a summary as text
  ENTRAIN_REPORT_FLAT,      // the flat model as Modelica text
  ENTRAIN_REPORT_EQUATIONS, // the sorted equations, block by block
  ENTRAIN_REPORT_JSON,
  ENTRAIN_REPORT_DOT,  // the structure for Graphviz
  ENTRAIN_REPORT_TREE, // the components with their classes
} EntrainReport;

char *entrain_model_report(const EntrainModel *model, EntrainReport what);
// What an FMU says about itself, as text (ENTRAIN_REPORT_SUMMARY) or JSON (ENTRAIN_REPORT_JSON); free with entrain_text_free.
// Nothing of the FMU is executed. NULL and error if it cannot be read, or there is no such report of an FMU.
char *entrain_fmu_report(const char *path, EntrainReport what, EntrainError *error);

// ---------------------------------------------------------------- options
//
// Threads: readers; those without an EntrainOptions: any.

typedef struct EntrainOptions EntrainOptions;

EntrainOptions *entrain_options_new(void); // all defaults
void entrain_options_free(EntrainOptions *options);
bool entrain_options_set(EntrainOptions *options, const char *name, const char *value,
                         EntrainError *error);

typedef enum EntrainOptionGroup {
  ENTRAIN_OPTION_SIMULATION, // of every simulation, those of a fit included
  ENTRAIN_OPTION_FIT,
  ENTRAIN_OPTION_NOISE, // of studies with simulated measurements
} EntrainOptionGroup;

typedef struct EntrainOption {
  size_t size;
  const char *name, *type; // type: number, integer, choice
  const char *default_value, *range, *meaning;
  EntrainOptionGroup group;
  const char *default_in_fit; // as default_value but for tolerances: a fit needs finer ones
} EntrainOption;

int entrain_threads(void); // that option threads stands for where it is 0: one for each core
int entrain_option_count(void);
bool entrain_option(int i, EntrainOption *out);

// ---------------------------------------------------------------- pictures
//
// Threads: readers.

// The pictures of a result, made by entrain_fit_figures, entrain_compare_figures and others; those that there is nothing to
// draw of are left out.
typedef struct EntrainFigures EntrainFigures;

void entrain_figures_free(EntrainFigures *figures);
int entrain_figures_count(const EntrainFigures *figures);
// "data-and-model": a name for its file, without an ending; all are different. NULL when there is no such picture.
const char *entrain_figures_name(const EntrainFigures *figures, int i);
const char *entrain_figures_title(const EntrainFigures *figures, int i);
char *entrain_figures_svg(const EntrainFigures *figures, int i);
// The bytes of a PNG file with 192 pixels for each inch, or of a PDF file whose text can be selected. NULL also when it would
// be too large, and where entrain_figures_ready fails. The same picture gives the same bytes.
char *entrain_figures_png(const EntrainFigures *figures, int i, size_t *length);
char *entrain_figures_pdf(const EntrainFigures *figures, int i, size_t *length);
// PNG and PDF need the library cairo and a font, which are loaded with the first picture. false: they are not there, and error
// says what to install.
bool entrain_figures_ready(EntrainError *error);
// Its plots for a terminal of this size; NULL if it has none: maps, for example.
char *entrain_figures_plot(const EntrainFigures *figures, int i, int width, int height,
                           bool colour);

// ---------------------------------------------------------------- simulation
//
// Threads: one simulation is run by one thread at a time; several simulations may share model and options. Results: readers, also
// while the simulation runs again, and they may outlive it.

typedef struct EntrainSimulation EntrainSimulation; // the settings of a simulation
typedef struct EntrainResult EntrainResult;         // its result

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
// Which columns: names of variables, der(x) of states; NULL or 0: all states, algebraic variables and outputs.
bool entrain_simulation_select(EntrainSimulation *s, const char *const *names, int count,
                               EntrainError *error);
// Adds columns dx/dp for each selected variable and each of these parameters; count 0: all independent parameters.
bool entrain_simulation_sensitivities(EntrainSimulation *s, const char *const *parameters,
                                      int count, EntrainError *error);
// With them, columns d2x/dpdq for each pair of these parameters, p not behind q: second derivatives, forward in time. A run fails
// where the motion crosses an event or a kink that states or parameters move: they do not hold beyond.
void entrain_simulation_second_order(EntrainSimulation *s, bool wanted);

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
  ENTRAIN_SINGULAR_POSITION, // constraints became dependent on each other: the motion is not determined there
  ENTRAIN_CONSTRAINTS_LOST, // the motion left its constraints by far more than the tolerances
  ENTRAIN_STOPPED,          // by entrain_goes_on or max_seconds
  ENTRAIN_TERMINATED,       // by terminate in the model
  ENTRAIN_ASSERTION = ENTRAIN_TERMINATED + 2, // assert() in the model
} EntrainOutcome;

typedef struct EntrainWork {
  size_t size;
  long steps, rejected, rhs, jacobians, factorisations, events;
  double seconds;
  const char *solver; // which one did the work, "rk8" or "rk8, rosenbrock"
} EntrainWork;

EntrainOutcome entrain_result_outcome(const EntrainResult *r);
const char *entrain_result_outcome_name(const EntrainResult *r); // "reached-end"
// Sentences: where it ended before its time, when, which state or equation. Of a simulation that reached its end: what
// made it slow, "" if nothing did.
const char *entrain_result_message(const EntrainResult *r);
// The last lines that an FMU or program wrote in this simulation, "": none.
const char *entrain_result_log(const EntrainResult *r);
// How the slopes of an FMU, program or function were made, "": none were.
const char *entrain_result_slopes(const EntrainResult *r);
bool entrain_result_work(const EntrainResult *r, EntrainWork *out);
// Rows are the output times that were reached: all numbers in them are finite.
int entrain_result_rows(const EntrainResult *r);
int entrain_result_columns(const EntrainResult *r); // column 0 is time
const char *entrain_result_name(const EntrainResult *r, int column);
const double *entrain_result_column(const EntrainResult *r, int column);

// A constraint or one of its derivatives, and how well it held at the steps of the simulation.
typedef struct EntrainInvariant {
  size_t size;
  int constraint;     // number, see entrain_model_constraint
  int line;           // of the constraint
  int differentiated; // how often: 0, the constraint itself
  double violation;   // largest |g|
  double
      violation_sens; // largest |g_x s + g_p| times |p| (1 where p is 0); 0 without sensitivities
  double relative; // largest |g| against the size of its terms, the sum of |dg/dx| (|x| + nominal)
  const char
      *place; // of the constraint: "8", or "Wheel.mo:8" in a file of a library; that of the model
} EntrainInvariant;

int entrain_result_invariant_count(const EntrainResult *r); // 0: the model has no constraints
// false when there is no such invariant.
bool entrain_result_invariant(const EntrainResult *r, int i, EntrainInvariant *out);
// Numbers of the invariants with the largest violations (against their terms), -1 when there are none.
int entrain_result_worst_invariant(const EntrainResult *r);
int entrain_result_worst_invariant_sens(const EntrainResult *r);

char *entrain_result_csv(const EntrainResult *r);
char *entrain_result_json(const EntrainResult *r);
// "motion": the selected columns over time, a panel for each; several pictures if there are many.
EntrainFigures *entrain_result_figures(const EntrainResult *r);
// A plot of the selected variables (not of sensitivities) for a terminal of this size.
char *entrain_result_plot(const EntrainResult *r, int width, int height, bool colour);
// Simulates measurements: adds noise to the selected variables that the model computes (not to time, inputs, parameters
// and sensitivities) as the options noise, noise_kind and seed say; a model has no sigma, so noise_kind
// sigma is additive here.
void entrain_result_add_noise(EntrainResult *r, const EntrainOptions *options);

// ---------------------------------------------------------------- problems
//
// Threads: readers. Fits, evaluations, checks and studies read a problem: several threads may use one at the same time, and then
// results may differ in their last bits; with a problem for each thread they are equal bit by bit.

typedef struct EntrainProblem EntrainProblem; // model, measurements, what to estimate, how

typedef struct EntrainSetting {
  const char *name, *value; // estimate.p.start = 40, or an option by its name; value as in YAML
  bool is_option;
} EntrainSetting;

// ---- problems of memory: nothing on disk is needed

typedef struct EntrainColumn {
  const char *name, *unit; // unit "" or NULL: none
  const double *values;    // NaN: missing
} EntrainColumn;

typedef struct EntrainTable {
  const char *name;
  const EntrainColumn *columns; // the first one is time, unless the experiment says 'time'
  int column_count;
  int rows;
} EntrainTable;

// What a problem is made of. All but text or settings may be absent. Everything is copied, except the data of a simulator.
typedef struct EntrainSource {
  size_t size;
  const char *name,
      *folder; // for messages; relative paths in the text are relative to folder; NULL: "<text>", "."
  const char *text; // the problem as in its file (YAML, so also JSON); NULL: path is loaded
  size_t length;
  const char *path; // a problem file, if text is NULL; NULL, too: the settings are all there is
  const EntrainSetting *settings; // replace values of the text; the last one counts
  int setting_count;
  // At most one of the next three takes the place of 'model' in the text.
  const EntrainModel *model; // with what entrain_model_set has set, and its libraries
  const char *model_text;    // Modelica
  const EntrainSimulator *simulator;
  // 'data: NAME' in the text means the table of that name before any file.
  const EntrainTable *tables;
  int table_count;
} EntrainSource;

// NULL and error with the place in the text on failure. A problem that is not read from files alone cannot be recorded in a
// store (entrain_study_new): that is an error.
EntrainProblem *entrain_problem_make(const EntrainSource *source, EntrainError *error);
// The same problem with further settings (method, options, estimate.p.start, ...) and with the start values that
// entrain_problem_set_start has set. The other problem and its fits stay as they are. Files that the problem names are read again.
EntrainProblem *entrain_problem_with(const EntrainProblem *problem, const EntrainSetting *settings,
                                     int count, EntrainError *error);

// ---- problems of files

// Reads the problem file and the files it names. Settings replace values of the file; the last one counts.
EntrainProblem *entrain_problem_load(const char *path, const EntrainSetting *settings, int count,
                                     EntrainError *error);
// The same from text; relative paths in it are relative to folder.
EntrainProblem *entrain_problem_parse(const char *name, const char *folder, const char *text,
                                      size_t length, const EntrainSetting *settings, int count,
                                      EntrainError *error);
// The same with 'model: {function: NAME}' in the text, NAME being that of the simulator.
EntrainProblem *entrain_problem_parse_with(const char *name, const char *folder, const char *text,
                                           size_t length, const EntrainSetting *settings, int count,
                                           const EntrainSimulator *simulator, EntrainError *error);
void entrain_problem_free(EntrainProblem *problem);

const char *entrain_problem_method(const EntrainProblem *problem);
// Its model is simulated by somebody else: an FMU, a program, a function.
bool entrain_problem_is_closed(const EntrainProblem *problem);
int entrain_problem_warning_count(const EntrainProblem *problem);
const char *entrain_problem_warning(const EntrainProblem *problem, int i);
// The files it was read from: the problem (unless it was text), the model, the data.
int entrain_problem_file_count(const EntrainProblem *problem);
const char *entrain_problem_file(const EntrainProblem *problem, int i);
// SHA-256 of what it held when it was read, in hexadecimal; "": unknown.
const char *entrain_problem_file_hash(const EntrainProblem *problem, int i);

typedef struct EntrainUnknown { // a parameter or start value to be estimated
  size_t size;
  const char *name, *unit; // p, theta.start, theta.offset; of one experiment only: p[swing]
  double start, min, max;
  bool log;        // searched on a logarithmic scale
  double in_model; // its value in the model file; start if there is none
} EntrainUnknown;

int entrain_problem_unknown_count(const EntrainProblem *problem);
bool entrain_problem_unknown(const EntrainProblem *problem, int i, EntrainUnknown *out);

typedef struct
    EntrainExperiment { // of a problem, in the order of its file; those of role validation are among them
  size_t size;
  const char *name;        // as in reports; all are different
  const char *data;        // as given: a path, or the name of a table of memory
  bool of_memory;          // a table of memory
  bool fitted;             // false: of role validation
  double start, stop;      // times of the start values and of the last sample, as in the data
  const char *time_origin; // ISO 8601: time 0 of data that have times of day; "": they have numbers
  const char *epoch_unit;  // the data have numbers since 1970 in this unit; "": they have not
} EntrainExperiment;

int entrain_problem_experiment_count(const EntrainProblem *problem);
bool entrain_problem_experiment(const EntrainProblem *problem, int i, EntrainExperiment *out);
// A simulation of experiment i as fits make it: its start time, inputs and values that are set, the unknowns at `values` (NULL: at
// their start values), options of the problem and then these, by name; is_option is not read. Output times are to be set, as in
// the data; inputs and columns may be. Keeps the pointer: the problem must outlive it.
EntrainSimulation *entrain_problem_simulation(const EntrainProblem *problem, int i,
                                              const double *values, const EntrainSetting *options,
                                              int count, EntrainError *error);
// Sets the start value of searches. p means all of p[swing], p[fall], ... if there is no p itself.
bool entrain_problem_set_start(EntrainProblem *problem, const char *name, double value,
                               EntrainError *error);
// A finite number, or an expression of numbers and constants of the model such as 8/3.
bool entrain_problem_number(const EntrainProblem *problem, const char *text, double *value,
                            EntrainError *error);

int entrain_method_count(void);
const char *entrain_method_name(int i);
const char *entrain_method_meaning(int i);

// ---------------------------------------------------------------- fits
//
// Threads: a fit runs in the calling thread and in as many others as option threads says; the listener is called in the calling
// one. Its result: readers; entrain_fit_find_hessian, entrain_fit_samples, entrain_fit_residuals_csv, entrain_fit_figures and entrain_fit_plot,
// which may simulate, take it as not const.

typedef struct EntrainFit EntrainFit;

typedef struct EntrainProgress {
  size_t size;
  const char *stage;
  double lambda; // strength of the coupling to the data: 0 = the uncoupled model
  int iteration;
  double objective;     // of what is being minimised; infinite before the first step of a stage
  const double *values; // of the unknowns
  long simulations;
  const char *doubt; // why the search still goes on after a result was found; "": it has none yet
  // Of the whole search:
  double
      best; // objective of the best point so far, of the free model over all data; infinite: there is none
  int searches; // that have ended, such as those from other starts that confirm a result
  // Set it to true to end the search with the best point so far: statistics follow as usual. NULL: the search is over.
  bool *enough;
} EntrainProgress;

// Called at every step, between simulations and during the statistics. Return false to stop: the fit ends with the best point
// so far, and with the statistics that a moment allows.
typedef bool EntrainListener(void *data, const EntrainProgress *progress);

// The problem must outlive the fit. listener may be NULL. A search that failed is an outcome of the fit, not an error.
EntrainFit *entrain_fit_run(const EntrainProblem *problem, EntrainListener *listener, void *data,
                            EntrainError *error);
void entrain_fit_free(EntrainFit *fit);

// The problem at one point, without a search: objective, errors by channel, residuals, and report and JSON of these. values: of
// the unknowns, which may lie outside their bounds; NULL: their start values. lambda: 0 the free model, up to 1: tied to the
// data by the feedback of the homotopy; there are no statistics then. Standard errors and intervals are given only at a minimum of the
// objective. Outcome: ENTRAIN_FIT_EVALUATED, or ENTRAIN_FIT_NO_START if an experiment cannot be simulated.
EntrainFit *entrain_evaluate(const EntrainProblem *problem, const double *values, double lambda,
                             EntrainError *error);
// Values of the unknowns from the JSON of a fit, by name. given[i], may be NULL: the file has unknown i; other values stay as they
// are. A name that is not estimated is an error; values outside the bounds are warnings, "file:line:column: warning: ...", one
// on each line of *warnings (may be NULL; the caller frees it; NULL if there are none).
bool entrain_problem_read_values(const EntrainProblem *problem, const char *path, double *values,
                                 bool *given, char **warnings, EntrainError *error);

typedef enum EntrainFitOutcome {
  ENTRAIN_FIT_CONVERGED,
  // Converged, but the verdict is ambiguous or doubtful: of methods that look for the best optimum (auto, portfolio, homotopy by
  // itself). A local method, whose verdict is doubtful as a rule, says ENTRAIN_FIT_CONVERGED.
  ENTRAIN_FIT_UNCERTAIN,
  ENTRAIN_FIT_NOT_CONVERGED,
  ENTRAIN_FIT_STOPPED,
  ENTRAIN_FIT_BUDGET,
  ENTRAIN_FIT_NO_START,
  ENTRAIN_FIT_EVALUATED,  // there was no search, see entrain_evaluate
  ENTRAIN_FIT_OVER_LIMIT, // of a run of a study: it reached run_seconds or run_memory
  ENTRAIN_FIT_LOST,       // of a run of a study: those who worked on it died
} EntrainFitOutcome;

EntrainFitOutcome entrain_fit_outcome(const EntrainFit *fit);
const char *entrain_fit_outcome_name(const EntrainFit *fit); // "not-converged"
const char *entrain_fit_message(const EntrainFit *fit);

typedef struct EntrainQuality {
  size_t size;
  double objective;       // half the sum (or integral) of the weighted squared residuals
  double objective_start; // inf when the start could not be simulated
  double floor;           // what noise alone explains, NaN when unknown
  bool certain;           // the verdict is "certain"
  const char *why;        // sentences: why it is believed, or not
  const char *by;         // the part of the portfolio that found it
  long samples;
  const char *verdict; // "certain", "agreed", "ambiguous", "doubtful"
  double noise_ratio;  // variance of the residuals by that of the noise, in the worst channel
  double noise_limit;  // the largest ratio that noise alone explains
  double white_p;      // probability of the pattern of the residuals in white noise
  int rank; // of the sensitivities; less than the number of unknowns: some directions are not determined
  bool fits;                 // nothing but noise is left
  bool exact;                // residuals are no more than errors of simulations
  bool noise_holds;          // noise alone explains the residuals of all channels
  bool white_holds;          // the patterns of all channels are too weak to count
  bool white_clean;          // there is no pattern
  double correlation;        // of neighbouring residuals, in the channel with the least white_p
  const char *missing_term;  // that is missing, x^3, or wrong, x.start; "": none
  const char *missing_state; // in the equation of its derivative; ""
  double missing_share;      // of the squared residuals that it would explain; NaN
  double missing_p;          // probability that it does so by chance; NaN
  bool sandwich;             // the covariance allows for weights that are not the inverse noise
  double variance;           // of the residuals, per degree of freedom
  double freedom;            // degrees of Student's law for the intervals; infinite: the normal law
  int pieces; // that one simulation at the result consists of: more than 1 if it could not follow the motion
  double gap;         // the largest between them, relative to the range of its state; 0
  const char *end;    // of the last local search: "gradient", "step", ...; "" without one
  const char *solver; // of the last simulation
  long solver_steps, solver_rejected;
} EntrainQuality;

bool entrain_fit_quality(const EntrainFit *fit, EntrainQuality *out);

typedef struct EntrainEstimate { // in the order of the unknowns of the problem
  size_t size;
  const char *name, *unit;
  double value, start, min, max;
  // 95 %; NaN when they cannot be given. An end by a profile that nothing limits is infinite.
  double std_error, ci_low, ci_high;
  bool at_bound, at_lower_bound;
  bool inactive;      // changes no residual
  bool identifiable;  // the data determine it
  const char *reason; // a sentence when they do not, else ""
  // Where the interval comes from: linear, sandwich (noise of the size that each residual shows), arma (as correlated as the
  // residuals), profile, none.
  const char *interval;
  bool log; // searched on a logarithmic scale
  bool
      profile_wanted; // linear theory is not to be trusted here; if interval is not profile, there was no way or no time to one
  int open; // 1 or -1: up (down) to its bound, or without end, the fit stays as good; 0: not so
  double
      relative_at_1_percent; // relative standard error if the noise were 1 % of each channel; NaN
} EntrainEstimate;

int entrain_fit_count(const EntrainFit *fit); // of estimates
bool entrain_fit_estimate(const EntrainFit *fit, int i, EntrainEstimate *out);
// First derivative of the objective by unknown i at the result, priors included, sigmas as they are; NaN when there is none.
double entrain_fit_gradient(const EntrainFit *fit, int i);
// Computes all second derivatives of the objective there; about as much work as unknowns + 2 simulations with sensitivities (see
// newton_hessian). entrain_fit_json then has them, too. false: there are none, for example because the motion passes events.
bool entrain_fit_find_hessian(EntrainFit *fit, EntrainError *error);
double entrain_fit_hessian(const EntrainFit *fit, int i, int j);     // NaN unless they were found
double entrain_fit_covariance(const EntrainFit *fit, int i, int j);  // NaN when there is none
double entrain_fit_correlation(const EntrainFit *fit, int i, int j); // NaN when there is none
double entrain_fit_singular_value(const EntrainFit *fit, int i);     // descending

typedef struct EntrainChannel { // a measured quantity of one experiment
  size_t size;
  int experiment; // its place in the problem file, from 0
  const char *experiment_name, *variable, *column, *unit;
  int n;
  double rmse, fit_percent;
  double sigma;           // what residuals were divided by
  double noise;           // of the data without a model, NaN when unknown
  double autocorrelation; // of the residuals, from one to the next
  double white_p, runs_p; // probabilities of such residuals if they were white
  // "fit"; "validation": simulated with the result, not fitted; "free-run": a recorded quantity of a fit that compares
  // derivatives, simulated freely for its windows
  const char *role;
  // A sentence: why an experiment for validation, or at a point without a search, could not be simulated; "": it could.
  const char *failed;
  int windows; // number of them
  int missing,
      unpredicted; // samples without a value, and those that no prediction reaches: not in n
  double range;    // of the data; NaN: constant
  double lag1_p;   // probability of such neighbours if residuals were white
  bool exact;      // residuals are below what the simulation can resolve
} EntrainChannel;

// The fitted channels, then those for validation; of these sigma, noise and probabilities are NaN.
int entrain_fit_channel_count(const EntrainFit *fit);
bool entrain_fit_channel(const EntrainFit *fit, int i, EntrainChannel *out);

typedef struct
    EntrainWindow { // errors model - data of the free-running simulation in a span of time
  size_t size;
  const char *name;
  double start, stop; // as in the data
  int n;
  double rmse, mean, max; // max: of the absolute errors; NaN: not known
} EntrainWindow;

// Window k of channel i.
bool entrain_fit_window(const EntrainFit *fit, int i, int k, EntrainWindow *out);

typedef struct EntrainPooled { // errors of several experiments together
  size_t size;
  const char *variable, *unit; // variable "": all variables of this unit
  const char *role;            // as in EntrainChannel
  const char *window;          // "": all samples
  int experiments, failed;     // that count here; that could not be simulated
  long n;
  double rmse, fit_percent; // NaN: unknown; fit_percent also of windows
} EntrainPooled;

// Of each role with several experiments: each variable that several have, all variables of one unit, the same in windows.
int entrain_fit_pooled_count(const EntrainFit *fit);
bool entrain_fit_pooled(const EntrainFit *fit, int i, EntrainPooled *out);

typedef struct EntrainSamples { // of a channel; arrays of n numbers, which live as long as the fit
  size_t size;
  int n; // 0 and arrays NULL: the experiment could not be simulated, see EntrainChannel.failed
  const double *time; // as in the data
  const double *data, *model;
  const double *residual; // model - data, in the units of the data
  const double
      *weight; // of each squared residual, by 'weights' of the problem; NULL: all count the same
} EntrainSamples;

// Data and model at the samples of channel i (as entrain_fit_channel counts). The first call simulates at the result. false and an error:
// the model cannot be simulated there, or there is no such channel.
bool entrain_fit_samples(EntrainFit *fit, int i, EntrainSamples *out, EntrainError *error);

typedef struct EntrainDirection { // a change of the estimates that the data do not determine
  size_t size;
  double singular_value;
  const double *vector; // relative changes, by estimate
  bool structural;      // even exact data of this kind would not determine it
  bool confirmed;       // by simulation
  const char *text;     // sentences
  int combinations;     // products of powers, or sums, that do not change along it
  double
      confirmed_change; // of the simulated data, relative, when the reference moves by confirmed_factor; NaN: not confirmed
  double confirmed_factor;
} EntrainDirection;

int entrain_fit_direction_count(const EntrainFit *fit);
bool entrain_fit_direction(const EntrainFit *fit, int i, EntrainDirection *out);
// Of direction i: "alpha*A" and its value. NULL when there is none.
const char *entrain_fit_combination(const EntrainFit *fit, int i, int k, double *value);

typedef struct EntrainCombination {
  size_t size;
  const char *text; // "alpha*A"
  double value;
  bool sum;                // of terms; else a product of powers
  const double *exponents; // by unknown; of a sum: coefficients
  double ci_low, ci_high;  // 95 %; NaN: unknown
} EntrainCombination;

// All of it. Combination k of direction i.
bool entrain_fit_combination_at(const EntrainFit *fit, int i, int k, EntrainCombination *out);

typedef struct EntrainFitConstraint { // on the unknowns, at the result
  size_t size;
  const char *text;       // as in the problem
  const char *experiment; // its name, if it holds in one only; ""
  double value;
  bool active, satisfied;
} EntrainFitConstraint;

int entrain_fit_constraint_count(const EntrainFit *fit);
bool entrain_fit_constraint(const EntrainFit *fit, int i, EntrainFitConstraint *out);

typedef struct EntrainUnmodelled { // a term that would explain residuals
  size_t size;
  const char *text; // a sentence
  double share;     // of the squared residuals
  double p;         // probability of such a term by chance
} EntrainUnmodelled;

int entrain_fit_unmodelled_count(const EntrainFit *fit);
bool entrain_fit_unmodelled(const EntrainFit *fit, int i,
                            EntrainUnmodelled *out); // strongest first

// What there was no time for, because the fit was stopped or max_seconds or max_simulations was reached: "residuals",
// "intervals", "identifiability". It is not known then: NaN, not identifiable, no directions. "profiles": some intervals that
// should come from profiles come from linear theory.
int entrain_fit_missing_count(const EntrainFit *fit);
const char *entrain_fit_missing(const EntrainFit *fit, int i);

int entrain_fit_remark_count(const EntrainFit *fit);
const char *entrain_fit_remark(const EntrainFit *fit, int i); // a sentence

typedef struct EntrainFitWork {
  size_t size;
  long iterations;              // accepted steps
  long simulations;             // of states alone
  long sensitivity_simulations; // with sensitivities
  long rhs, steps, rejected;    // of the integrator
  double seconds;
} EntrainFitWork;

bool entrain_fit_work(const EntrainFit *fit, EntrainFitWork *out); // of everything

typedef enum EntrainFitPart {
  ENTRAIN_PART_ALL,
  ENTRAIN_PART_SEARCH,   // without confirming and profiles
  ENTRAIN_PART_PROFILES, // of intervals
} EntrainFitPart;

bool entrain_fit_work_of(const EntrainFit *fit, EntrainFitPart part, EntrainFitWork *out);

// ---- how the result was found

typedef struct EntrainStep { // an accepted step
  size_t size;
  const char *stage;
  double lambda; // strength of the coupling to the data
  int iteration;
  double objective; // of what was minimised
  long simulations; // so far
  const double *values;
} EntrainStep;

int entrain_fit_step_count(const EntrainFit *fit);
bool entrain_fit_step(const EntrainFit *fit, int i, EntrainStep *out);

typedef struct EntrainStage { // a part of method auto
  size_t size;
  const char *name;    // "weak form", "homotopy", "local search", "restart 3", ...
  const char *message; // a sentence: what came out
  double objective;    // of the free model; infinite: it has none
  long iterations, simulations;
  bool fits;            // its result leaves nothing but noise
  const double *values; // the best point of the search when it ended; NULL: there was none
} EntrainStage;

int entrain_fit_stage_count(const EntrainFit *fit);
bool entrain_fit_stage(const EntrainFit *fit, int i, EntrainStage *out);

typedef struct EntrainPathPoint { // a stage of the homotopy
  size_t size;
  double lambda;
  double objective, objective_start; // of the coupled model, where it ended and began
  double misfit; // rms error of the worst channel over the range of its data; NaN: unknown
  int iterations;
  const double *values;
} EntrainPathPoint;

int entrain_fit_path_count(const EntrainFit *fit);
bool entrain_fit_path(const EntrainFit *fit, int i, EntrainPathPoint *out);

typedef struct EntrainGain { // of the feedback of the homotopy
  size_t size;
  const char *measured,
      *state; // what is compared with its data, and the state whose equation has the feedback
  double gain;
} EntrainGain;

int entrain_fit_gain_count(const EntrainFit *fit);
bool entrain_fit_gain(const EntrainFit *fit, int i, EntrainGain *out);

typedef struct EntrainFoundOptimum { // one that confirming searches ended at
  size_t size;
  double objective;
  double difference; // of twice the log-likelihood to the best; 0: the best
  int searches;      // that ended there
  bool converged;    // one of them
  bool distinct;     // a barrier lies between it and the best
  const double *values;
} EntrainFoundOptimum;

int entrain_fit_optimum_count(const EntrainFit *fit);
bool entrain_fit_optimum(const EntrainFit *fit, int i, EntrainFoundOptimum *out); // best first

typedef struct EntrainSearches { // that confirm the result
  size_t size;
  int planned, done, agree, better;
  int far, far_agree; // from starts that have nothing to do with the result: done, ended there
  int failed;         // found nothing
  bool cut;           // by a limit
} EntrainSearches;

bool entrain_fit_searches(const EntrainFit *fit, EntrainSearches *out);

typedef struct EntrainFailure { // simulations that ended early, by kind
  size_t size;
  const char *reason; // word of the outcome, as entrain_result_outcome_name
  long count;
  const double *values; // unknowns of the first one; NULL: unknown
  const char *log;      // what it said; ""
} EntrainFailure;

int entrain_fit_failure_count(const EntrainFit *fit);
bool entrain_fit_failure(const EntrainFit *fit, int i, EntrainFailure *out);

// How well the constraints of the model hold at the result, and their sensitivities, as in EntrainInvariant: the largest
// of all. 0 without constraints, NaN when the result could not be simulated as a whole.
double entrain_fit_invariant_violation(const EntrainFit *fit);
double entrain_fit_invariant_violation_sens(const EntrainFit *fit);

// A report for a terminal of this width; with ENTRAIN_HTML as the width, as a fragment of HTML for entrain_page. So with all reports.
#define ENTRAIN_HTML (-1)
char *entrain_fit_report(const EntrainFit *fit, int width, bool colour);
char *entrain_fit_json(const EntrainFit *fit);
char *entrain_fit_trace_csv(const EntrainFit *fit); // every accepted step
// experiment,variable,time,data,model,residual; with a further column role if there are experiments for validation, whose
// rows come last. NULL and an error when the model cannot be simulated at the estimates.
char *entrain_fit_residuals_csv(EntrainFit *fit, EntrainError *error);
// "intervals": the estimates between their bounds, with starts and intervals, 40 a picture; "correlations" of the estimates as
// a map; "optima": those that confirming searches ended at, by how much worse and how far away they are;
// "lambda-path": objective and unknowns over the stages of the homotopy; "parameters": the unknowns over the steps;
// "objective": that of the steps over each unknown; "convergence": that over the simulations. For each experiment
// "data-and-model", with the residuals, and "plane": measured quantities over each other; "residuals": their histogram,
// autocorrelation and quantiles, and they over the values of the model, four channels a picture; "free-run" and "free-run-plane":
// data and model of a simulation where residuals are not those of one; "validation" and "validation-plane" for experiments of
// that role. Names end with that of the experiment if there are several. Simulates at the result and at the start. For a point
// that was evaluated: what belongs to it.
EntrainFigures *entrain_fit_figures(EntrainFit *fit);
// Data and model of the first channels for a terminal of this size; "" if there is no result. Simulates at the result if that
// was not done.
char *entrain_fit_plot(EntrainFit *fit, int width, int height, bool colour);

// ---------------------------------------------------------------- curves
//
// Threads: one.

// What the model does at a point: data and model at the times of the samples. What is simulated here counts nowhere. While a fit of a
// problem runs, curves in another thread need a problem of their own, loaded once more: else the last bits of the fit may change.
typedef struct EntrainCurves EntrainCurves;

EntrainCurves *entrain_curves_new(const EntrainProblem *problem); // which must outlive it
void entrain_curves_free(EntrainCurves *curves);
// Simulates with these values of the unknowns; lambda as in EntrainProgress (0 is taken where the model cannot be tied to the data). From one
// thread at a time, which may be another one than that of the fit; ends early if entrain_goes_on says no there. Returns the number of experiments that
// could be simulated.
int entrain_curves_at(EntrainCurves *curves, const double *values, double lambda);

typedef struct EntrainCurve { // of a channel; lasts until the next entrain_curves_at
  size_t size;
  const char *experiment, *variable, *unit;
  int n;                  // samples
  const double *t, *data; // as in the data file
  const double *model;    // NULL: the experiment could not be simulated
  bool apart;             // rows of a table, whose order means nothing
} EntrainCurve;

int entrain_curves_count(const EntrainCurves *curves); // channels of all experiments
bool entrain_curves_channel(const EntrainCurves *curves, int i, EntrainCurve *out);

// ---------------------------------------------------------------- weights of samples
//
// Threads: readers, of the problem.

typedef struct EntrainWeights {
  size_t size;
  const char *kind;     // none, grid, ellipses, distances, column
  bool given;           // the problem has 'weights'; else all samples count the same
  int samples, counted; // instants of all fitted experiments; those with a weight above 0
  int variables;        // of the state space
  int cells;            // of a grid, that have samples
  double least, most;   // weights; the mean of those above 0 is 1
  double equal;         // samples of equal weight that would tell as much
  double error;         // relative, of distances; 0: exact
} EntrainWeights;

bool entrain_weights(const EntrainProblem *problem, EntrainWeights *out);

typedef struct EntrainWeightVariable {
  size_t size;
  const char *name, *unit; // unit: "" when unknown
  double least, most;      // of all samples
  int cells;               // of a grid
} EntrainWeightVariable;

bool entrain_weights_variable(const EntrainProblem *problem, int i, EntrainWeightVariable *out);
// Times, as in the data, and weights of the samples of an experiment that is fitted. Returns their number; NULL: not wanted.
int entrain_weights_samples(const EntrainProblem *problem, int experiment, double *times,
                            double *weights);
char *entrain_weights_csv(const EntrainProblem *problem); // experiment,time,weight
char *entrain_weights_report(const EntrainProblem *problem, int width, bool colour);
// The state space coloured by weight, two variables at a time, and the weights over time. NULL: there is nothing to draw.
char *entrain_weights_svg(const EntrainProblem *problem);
char *entrain_weights_png(const EntrainProblem *problem, size_t *length); // bytes
EntrainFigures *entrain_weights_figures(const EntrainProblem *problem);   // "weights"

// ---------------------------------------------------------------- checks before a fit
//
// Threads: readers. The check runs in the calling thread; it has no listener, see entrain_goes_on.

typedef struct EntrainCheck EntrainCheck;

EntrainCheck *entrain_check_run(const EntrainProblem *problem); // which must outlive it
void entrain_check_free(EntrainCheck *check);

typedef enum EntrainFindingKind {
  ENTRAIN_GOOD,
  ENTRAIN_NOTE,
  ENTRAIN_WARNING,
  ENTRAIN_ERROR,
} EntrainFindingKind;

typedef struct EntrainFinding {
  size_t size;
  EntrainFindingKind kind;
  const char *topic, *text;
} EntrainFinding;

// No error was found and the model can be simulated at the start.
bool entrain_check_passed(const EntrainCheck *check);
int entrain_check_count(const EntrainCheck *check);
bool entrain_check_finding(const EntrainCheck *check, int i, EntrainFinding *out);
// A report without the warnings of entrain_problem_warning. The findings and the JSON contain them all.
char *entrain_check_report(const EntrainCheck *check, int width, bool colour);
char *entrain_check_json(const EntrainCheck *check);

typedef struct EntrainCheckState {
  size_t size;
  bool passed, starts;           // starts: the model can be simulated at the start values
  bool stopped;                  // what was not checked is not known
  double objective_start, floor; // at the start values; what noise alone explains. NaN: unknown
  int rank;                      // of the sensitivities at the start; -1: unknown
} EntrainCheckState;

bool entrain_check_state(const EntrainCheck *check, EntrainCheckState *out);

typedef struct EntrainChecked { // an unknown at its start value
  size_t size;
  const char *name;
  bool known; // the rest is, because the model could be simulated
  bool identifiable, inactive;
  double relative_at_1_percent; // relative standard error if the noise were 1 % of each channel
  const char *reason;           // a sentence when it is not identifiable, else ""
} EntrainChecked;

bool entrain_check_unknown(const EntrainCheck *check, int i, EntrainChecked *out);
// Of the sensitivities at the start, descending; NaN: unknown.
double entrain_check_singular_value(const EntrainCheck *check, int i);
// The rms change of a channel (of all experiments, as entrain_curves_channel counts them), relative to the rms of its data, when
// an unknown becomes 1 % larger at the start; NaN: unknown.
double entrain_check_sensitivity(const EntrainCheck *check, int channel, int unknown);
// "sensitivity": how much each unknown changes each measured quantity; data-and-model at the start values, by experiment, for
// which the model is simulated again.
EntrainFigures *entrain_check_figures(const EntrainCheck *check);

// ---------------------------------------------------------------- studies with known truth
//
// Threads: readers. Computed on as many threads as option threads says; the listener is called in the calling one.

typedef struct EntrainRecover EntrainRecover;

typedef struct EntrainTrials { // progress of a study
  size_t size;
  int trials, done;
  int succeeded;              // as good as a search from the truth
  bool confirmed;             // searches from elsewhere confirmed each result (option confirm)
  int fits, false_fits;       // that fit the noise, and those of them at a wrong optimum
  int certain, false_certain; // the verdict, and wrong optima that have it
  double seconds;
  int agreed, ambiguous, doubtful; // the other verdicts
} EntrainTrials;

// Called after each trial and from time to time during one. Return false to stop.
typedef bool EntrainTrialListener(void *data, const EntrainTrials *trials);

// Simulates at the truth (values of the unknowns; NULL: those of the model file), adds noise, fits; as often as the option
// trials says. random_starts: every fit begins at a random point of the bounds.
EntrainRecover *entrain_recover_run(const EntrainProblem *problem, const double *truth,
                                    bool random_starts, EntrainTrialListener *listener, void *data,
                                    EntrainError *error);
void entrain_recover_free(EntrainRecover *recover);

typedef struct EntrainRecovered { // in the order of the unknowns, over the trials that succeeded
  size_t size;
  const char *name, *unit;
  double truth, mean, bias, spread;
  double predicted; // median standard error that the fits gave
  double coverage;  // share of the 95 % intervals that contain the truth
  double bias_t;    // bias in units of its own standard error
} EntrainRecovered;

typedef struct EntrainTrial {
  size_t size;
  bool succeeded;      // as good as a search from the truth
  bool fits;           // nothing but noise is left
  const char *outcome; // as of a fit
  const char *verdict; // as of a fit; "" if results were not confirmed
  double objective;    // with the logarithms of sigmas that were estimated; infinite: there is none
  double objective_truth;   // of a search from the truth
  long simulations;         // with and without sensitivities
  const double *values;     // estimates, by unknown
  const double *std_errors; // NaN: none
} EntrainTrial;

bool entrain_recover_trials(const EntrainRecover *recover, EntrainTrials *out);
int entrain_recover_count(const EntrainRecover *recover); // of unknowns
bool entrain_recover_unknown(const EntrainRecover *recover, int i, EntrainRecovered *out);
bool entrain_recover_trial(const EntrainRecover *recover, int i, EntrainTrial *out); // i < done
char *entrain_recover_report(const EntrainRecover *recover, int width, bool colour);
char *entrain_recover_json(const EntrainRecover *recover);
char *entrain_recover_csv(const EntrainRecover *recover);               // every trial
EntrainFigures *entrain_recover_figures(const EntrainRecover *recover); // "estimates", "trials"

// ---------------------------------------------------------------- comparisons of methods
//
// Threads: readers. Computed on as many threads as option threads says; the listener is called in the calling one.

typedef struct EntrainCompare EntrainCompare;

EntrainCompare *entrain_compare_new(const EntrainProblem *problem); // which must outlive it
void entrain_compare_free(EntrainCompare *compare);

// These are called before the run.
// Adds a method, possibly with options: "lm", "homotopy:coupling=pid:gain=10", "multistart(lm,50):label=fifty". Without any, the
// usual ones are compared.
bool entrain_compare_add(EntrainCompare *c, const char *method, EntrainError *error);
// True values of the unknowns, NULL: those of the model file. all: every unknown counts in the error, also those that the
// data do not determine.
void entrain_compare_truth(EntrainCompare *c, const double *truth, bool all);
// Largest relative difference (default 0.01) from the truth, or from the end of a search that starts at the truth, that
// counts as found; without a truth: excess of the objective over the best one.
void entrain_compare_found(EntrainCompare *c, double within);
// seeds: number of runs of methods that use random numbers. random_starts: every method runs from so many random points
// between the bounds. 0 and 1: one run, from the start values.
void entrain_compare_repeat(EntrainCompare *c, int seeds, int random_starts);
// Records what traces and pictures of convergence need.
void entrain_compare_keep_traces(EntrainCompare *c);
// Every method runs twice: with one thread, and with as many as the option says.
void entrain_compare_time_threads(EntrainCompare *c);
// Published results for the same problem, a CSV file: method,iterations,evaluations,objective, ...
bool entrain_compare_published(EntrainCompare *c, const char *path, EntrainError *error);

typedef struct EntrainCompareProgress {
  size_t size;
  const char *method; // its label
  int number, methods;
  int run, runs; // of this method
  int iteration;
  double objective; // of what is being minimised; infinite before the first step
  long simulations;
} EntrainCompareProgress;

// Return false to stop: the rows so far are kept, the present one with its best point.
typedef bool EntrainCompareListener(void *data, const EntrainCompareProgress *progress);

// Call it once. If a method fails or is refused, its row says so.
bool entrain_compare_run(EntrainCompare *c, EntrainCompareListener *listener, void *data,
                         EntrainError *error);

typedef struct EntrainCompared { // a method; medians over its runs, NaN where unknown
  size_t size;
  const char *label, *outcome;
  const char *refused; // a sentence, "" when it ran
  int runs, found;     // found: of the runs
  double iterations;
  double evaluations; // of the objective, with or without derivatives
  double simulations, sensitivity_simulations;
  double fair; // evaluations; one with the derivatives by n unknowns counts as n + 1
  double objective, objective_least, objective_most;
  double error;   // largest relative error
  double seconds; // with the options' number of threads, or with one when threads are timed
  double evaluations_parallel, seconds_parallel; // with several threads, when threads are timed
  bool same;            // the results with several threads equal those with one
  const double *values; // of the unknowns in the run whose objective is the median; NULL: none
} EntrainCompared;

int entrain_compare_count(const EntrainCompare *c); // of rows that were made
bool entrain_compare_row(const EntrainCompare *c, int i, EntrainCompared *out);

typedef struct EntrainCompareRun { // one search; NaN where unknown
  size_t size;
  int seed;
  const double *start;           // NULL: that of the problem
  const char *outcome, *message; // as of a fit
  bool fits, found, same;        // as in EntrainCompared
  double iterations, evaluations, simulations, sensitivity_simulations, fair;
  double objective; // with the logarithms of sigmas that were estimated
  double error;     // largest relative error
  double seconds, evaluations_parallel, seconds_parallel;
  const double *values; // NULL: there is no result
  int steps;            // that were recorded
} EntrainCompareRun;

int entrain_compare_run_count(const EntrainCompare *c, int row);
bool entrain_compare_run_at(const EntrainCompare *c, int row, int run, EntrainCompareRun *out);

typedef struct EntrainCompareStep {
  size_t size;
  const char *stage;
  double lambda;
  int iteration;
  long evaluations, fair; // so far
  double objective;       // of what is being minimised
  double
      free_objective; // of the free model over the whole time; NaN: not computed (entrain_compare_keep_traces)
  double best; // the least of these so far; NaN before the first
  double seconds;
  const double *values;
} EntrainCompareStep;

bool entrain_compare_step(const EntrainCompare *c, int row, int run, int step,
                          EntrainCompareStep *out);
bool entrain_compare_stopped(const EntrainCompare *c);
bool entrain_compare_has_result(const EntrainCompare *c); // some method gave a point

typedef enum EntrainCompareLayout {
  ENTRAIN_COMPARE_FULL,
  ENTRAIN_COMPARE_PAPER,    // method, iterations, function evaluations, objective
  ENTRAIN_COMPARE_PARALLEL, // evaluations and times with one thread and with several
} EntrainCompareLayout;

char *entrain_compare_report(const EntrainCompare *c, EntrainCompareLayout layout, int width,
                             bool colour);
char *entrain_compare_markdown(const EntrainCompare *c, EntrainCompareLayout layout);
char *entrain_compare_csv(const EntrainCompare *c, EntrainCompareLayout layout);
char *entrain_compare_json(const EntrainCompare *c); // everything, every run
char *entrain_compare_trace_csv(const EntrainCompare *c);
// The best objective so far over the work. NULL: there is nothing to draw.
char *entrain_compare_svg(const EntrainCompare *c);
char *entrain_compare_png(const EntrainCompare *c, size_t *length);
// "convergence", the same picture; "parameters": the unknowns over the work; "effort": the work of each method. The first two
// need traces.
EntrainFigures *entrain_compare_figures(const EntrainCompare *c);

// ---------------------------------------------------------------- comparisons of models
//
// Threads: readers. Computed on as many threads as option threads says; the listener is called in the calling one.

// Several problems with the same data and different models: which model? See "Which model?" in docs/guide.md.
typedef struct EntrainModels EntrainModels;

EntrainModels *entrain_models_new(void);
void entrain_models_free(EntrainModels *models);

// These are called before the run.
bool entrain_models_add(EntrainModels *m, const EntrainProblem *problem,
                        EntrainError *error); // which must outlive it
// Problem `small` is a special case of problem `large` (numbers from 0, in the order in which they were added): a likelihood ratio test.
bool entrain_models_nested(EntrainModels *m, int small, int large, EntrainError *error);
// Cross-validation: each of so many blocks of time of the records is left out of a fit in turn; 0: none.
bool entrain_models_folds(EntrainModels *m, int folds, EntrainError *error);

typedef struct EntrainModelsProgress {
  size_t size;
  const char *model; // the path of its problem
  int number, models;
  int fold, folds; // fold 0: the fit to all data; else the fold, from 1
  const char *stage;
  int iteration;
  double objective; // of what is being minimised; infinite before the first step
  long simulations;
} EntrainModelsProgress;

// Return false to stop: finished rows are kept.
typedef bool EntrainModelsListener(void *data, const EntrainModelsProgress *progress);

// Call it once. Fits all problems, in their order. Fails if their data are not the same: the error names the first difference.
bool entrain_models_run(EntrainModels *m, EntrainModelsListener *listener, void *data,
                        EntrainError *error);

typedef struct EntrainModelRow { // NaN where unknown
  size_t size;
  const char *label;             // the path of the problem; like no other
  const char *outcome, *verdict; // as of a fit; "not-run" and "" if it was stopped before
  bool usable; // it converged, and the verdict, if its method gives one, is certain or agreed
  int unknowns, nuisance; // nuisance: start values, and offsets, gains and delays of sensors
  int parameters;         // that criteria count: with estimated sigmas, less equality constraints
  int rank;               // of the sensitivities, -1: unknown
  long samples;
  double objective, log_likelihood, aic, aicc, bic;
  double delta_aic, akaike_weight;
  bool correlated;          // residuals are not white: the criteria mislead
  double effective_samples; // independent ones that would tell as much
  double qaic, delta_qaic; // corrected roughly for that; NaN if residuals of the best fit are white
  int folds_done;
  double seconds;
  const double *values; // of the unknowns; NULL: there is no result
} EntrainModelRow;

int entrain_models_count(const EntrainModels *m); // of rows: problems
bool entrain_models_row(const EntrainModels *m, int i, EntrainModelRow *out);
// Columns of the data, each once; rms errors of free-running simulations of row i over all of their samples.
int entrain_models_variable_count(const EntrainModels *m);
const char *entrain_models_variable(const EntrainModels *m, int variable);
double entrain_models_rmse(const EntrainModels *m, int i, int variable);       // of what was fitted
double entrain_models_validation(const EntrainModels *m, int i, int variable); // role validation
double entrain_models_cross(const EntrainModels *m, int i, int variable);      // blocks left out

typedef struct EntrainModelTest { // a likelihood ratio test
  size_t size;
  int small, large;
  bool known;   // both have a result
  bool failed;  // the larger model fits worse: its search failed, or they are not nested
  double ratio; // 2 (log L of the larger - log L of the smaller)
  int freedom;  // degrees of it
  double
      p; // probability of such a ratio if the smaller model is true, by chi-square; NaN: it has no law
  double p_at_bound;   // the same if one added unknown lies at a bound; NaN: none or several do
  double p_correlated; // the same, corrected roughly for correlated residuals; NaN: they are white
} EntrainModelTest;

int entrain_models_test_count(const EntrainModels *m);
bool entrain_models_test(const EntrainModels *m, int i, EntrainModelTest *out);
bool entrain_models_stopped(const EntrainModels *m);
bool entrain_models_all_usable(const EntrainModels *m); // every fit ran and is usable

char *entrain_models_report(const EntrainModels *m, int width, bool colour);
char *entrain_models_markdown(const EntrainModels *m);
char *entrain_models_csv(const EntrainModels *m);
char *entrain_models_json(const EntrainModels *m);
// "criteria": AIC above the least; "errors": rms errors by variable, fitted, left out, validation.
EntrainFigures *entrain_models_figures(const EntrainModels *m);

// ---------------------------------------------------------------- basin studies
//
// Threads: readers. Computed on as many threads as option threads says; the listener is called in the calling one.

typedef struct EntrainBasin EntrainBasin;

typedef enum EntrainSpacing {
  ENTRAIN_SPACING_DEFAULT, // as the unknown is searched
  ENTRAIN_SPACING_LINEAR,
  ENTRAIN_SPACING_LOG,
} EntrainSpacing;

typedef struct EntrainBasinAxis { // an unknown that varies between starts
  const char *name;
  double low, high; // NaN: its bounds
  EntrainSpacing spacing;
  int count; // points of the grid along it; random starts: 0
} EntrainBasinAxis;

typedef struct EntrainBasinState {
  size_t size;
  int starts, done;
  int optima, reached_best; // distinct optima; starts that reached the best one: once all are done
  int not_converged, failed;
  double best; // objective so far
  double seconds;
} EntrainBasinState;

// Called after each start and from time to time. Return false to stop: finished starts are kept.
typedef bool EntrainBasinListener(void *data, const EntrainBasinState *state);

// One search by the problem's method from each point of a grid over the axes, or, random > 0, from so many random points
// (axes NULL: in all unknowns). Other unknowns start at the values of the problem. truth (by unknown) may be NULL.
EntrainBasin *entrain_basin_run(const EntrainProblem *problem, const EntrainBasinAxis *axes,
                                int axis_count, int random, const double *truth,
                                EntrainBasinListener *listener, void *data, EntrainError *error);
void entrain_basin_free(EntrainBasin *basin);
bool entrain_basin_state(const EntrainBasin *basin, EntrainBasinState *out);

typedef struct EntrainOptimum {
  size_t size;
  double objective;
  int starts; // that reached it
  bool fits;  // a search that ended there left nothing but noise; a basin does not confirm results
  bool flat;  // its end points differ along a direction that does not change the objective
  double error;         // largest relative difference from the truth, NaN without one
  double simulations;   // of the median search that ended there, including those with sensitivities
  const double *values; // by unknown
} EntrainOptimum;

bool entrain_basin_optimum(const EntrainBasin *basin, int i, EntrainOptimum *out); // best first
// Number of the optimum that the search from a start reached, from 0; -1: not converged, -2: cannot be simulated, -3: not
// done. Of a grid the first axis is the fastest.
int entrain_basin_reached(const EntrainBasin *basin, int start);

typedef struct EntrainBasinStart {
  size_t size;
  const char *
      end; // "reached" an optimum, "not-converged", "failed": cannot be simulated, "open": not done
  int optimum;         // its number from 0, if it was reached; else -1
  const char *outcome; // of its search, as of a fit; ""
  bool fits;           // nothing but noise is left
  double objective;    // where it ended; infinite: none
  long iterations, simulations, sensitivity_simulations;
  const double *start;  // by unknown
  const double *values; // where it ended; NULL: it is not done, or cannot be simulated
} EntrainBasinStart;

bool entrain_basin_start(const EntrainBasin *basin, int i, EntrainBasinStart *out);
// The axes as they were used: low, high and spacing are never the defaults. Those of random starts have count 0.
int entrain_basin_axis_count(const EntrainBasin *basin);
bool entrain_basin_axis(const EntrainBasin *basin, int i, EntrainBasinAxis *out);
int entrain_basin_failure_count(const EntrainBasin *basin);
bool entrain_basin_failure(const EntrainBasin *basin, int i, EntrainFailure *out);

char *entrain_basin_report(const EntrainBasin *basin, int width, bool colour); // with a map
char *entrain_basin_json(const EntrainBasin *basin);
char *entrain_basin_csv(const EntrainBasin *basin); // every start
char *entrain_basin_svg(const EntrainBasin *basin); // the map
// The bytes of a PNG file; NULL as entrain_figures_png.
char *entrain_basin_png(const EntrainBasin *basin, size_t *length);
EntrainFigures *entrain_basin_figures(const EntrainBasin *basin); // "basin": the map

// ---------------------------------------------------------------- scans of the objective
//
// Threads: readers. Computed on as many threads as option threads says; the listener is called in the calling one.

typedef struct EntrainScan EntrainScan;

typedef struct EntrainScanAxis { // a number that varies
  const char *name; // of an unknown; k means all of k[swing], k[fall], ... if there is no k itself
  double from, to;  // both included, also beyond the bounds; one point: from
  int count;
  bool log; // points with equal ratios
} EntrainScanAxis;

typedef struct EntrainScanRequest {
  size_t size;
  const EntrainScanAxis *axes;
  int axis_count;       // 1 or 2
  const double *lambda; // from 1, tied to the data, to 0, the free model
  int lambda_count;     // 0: only the free model
  const double *values; // of all unknowns, for those that do not vary; NULL: their start values
  bool log_objective;   // in pictures
} EntrainScanRequest;

typedef struct EntrainScanState {
  size_t size;
  int points, done; // of all lambdas
  int failed;       // could not be simulated
  double seconds;
  bool whole; // nothing ended it before all was done
  // Why one of the points failed, and what its simulator wrote, by lines; "" if none did or it is not known yet. Belongs to the scan.
  const char *failed_why;
} EntrainScanState;

// Called from time to time. Return false to stop: points that are done are kept.
typedef bool EntrainScanListener(void *data, const EntrainScanState *state);

// The objective on a grid, on as many threads as the option says; the result does not depend on them.
EntrainScan *entrain_scan_run(const EntrainProblem *problem, const EntrainScanRequest *request,
                              EntrainScanListener *listener, void *data, EntrainError *error);
void entrain_scan_free(EntrainScan *scan);
bool entrain_scan_state(const EntrainScan *scan, EntrainScanState *out);
// Of a point, the first axis is the fastest; lambda: its place in the request. NaN: could not be simulated, or not done.
double entrain_scan_objective(const EntrainScan *scan, int lambda, int point);
int entrain_scan_best(const EntrainScan *scan,
                      int lambda); // the point with the least one, -1: none
// The grid: its points (of one lambda), the value of an axis at one of them, the lambdas. NaN: there is no such one.
int entrain_scan_point_count(const EntrainScan *scan);
int entrain_scan_axis_count(const EntrainScan *scan);
bool entrain_scan_axis(const EntrainScan *scan, int i, EntrainScanAxis *out);
double entrain_scan_value(const EntrainScan *scan, int point, int axis);
int entrain_scan_lambda_count(const EntrainScan *scan);
double entrain_scan_lambda(const EntrainScan *scan, int i);
int entrain_scan_failure_count(const EntrainScan *scan);
bool entrain_scan_failure(const EntrainScan *scan, int i, EntrainFailure *out);
char *entrain_scan_report(const EntrainScan *scan, int width, bool colour);
// For a terminal: curves over one number, maps over two.
char *entrain_scan_plot(const EntrainScan *scan, int width, int height, bool colour);
char *entrain_scan_csv(const EntrainScan *scan); // one column a number, lambda, objective
// NULL: there is nothing to draw.
char *entrain_scan_svg(const EntrainScan *scan);
char *entrain_scan_png(const EntrainScan *scan, size_t *length);
EntrainFigures *entrain_scan_figures(const EntrainScan *scan); // "scan"

// ---------------------------------------------------------------- profile likelihood
//
// Threads: readers. Computed on as many threads as option threads says; the listener is called in the calling one.

typedef struct EntrainProfile EntrainProfile;

typedef struct EntrainProfileRequest {
  size_t size;
  const char *const *names; // of unknowns; NULL: all
  int count;
  double level; // of the intervals, 0.5 to 0.9999
  double range; // how far a profile without end is followed, in sizes of the unknown
} EntrainProfileRequest;

// The usual one: all unknowns, level 0.95, range 1000.
bool entrain_profile_request(EntrainProfileRequest *out);

typedef struct EntrainProfileProgress {
  size_t size;
  bool fitting;    // the first fit, or one from a better optimum that a profile has found
  int sides, done; // each unknown has two
} EntrainProfileProgress;

// Return false to stop: what is done is kept.
typedef bool EntrainProfileListener(void *data, const EntrainProfileProgress *progress);

// Fits, then holds each unknown at values on both sides of its estimate and fits the others again, until the objective has
// risen by what the level asks for. On as many threads as the option says; the result does not depend on them.
EntrainProfile *entrain_profile_run(const EntrainProblem *problem,
                                    const EntrainProfileRequest *request,
                                    EntrainProfileListener *listener, void *data,
                                    EntrainError *error);
void entrain_profile_free(EntrainProfile *profile);

// The fit converged and is neither ambiguous nor doubtful, all profiles were finished.
bool entrain_profile_is_sound(const EntrainProfile *profile);
double entrain_profile_threshold(const EntrainProfile *profile); // of the ratio

typedef struct EntrainProfiled {
  size_t size;
  const char *name, *unit;
  double estimate;
  double std_error, ci_low, ci_high; // by the covariance, at the level asked for; NaN: none
  double low, high; // of the profile's interval; the last point on a side without an end
  const char *low_end,
      *high_end;       // finite, bound, range, constraint, failed, budget, rough, stopped, none
  const char *verdict; // determined, open, flat, structural, unknown
  const char *remark;  // sentences, or ""
  int points;
  bool flat;                  // the objective does not change over a range
  double flat_low, flat_high; // this one; NaN: there is none
  const int *moves_along;     // numbers of the unknowns that move with it
  int moves_along_count;
  double low_highest, high_highest; // largest ratio on each side
  bool low_jump, high_jump;         // the ratio jumps there
  double factor;                    // ratio = 2*(objective - that at the estimate)/factor
} EntrainProfiled;

typedef struct EntrainProfilePoint {
  size_t size;
  double value, objective;
  double ratio;           // likelihood ratio, to be compared with the threshold
  const double *unknowns; // all of them
} EntrainProfilePoint;

typedef struct EntrainProfileState {
  size_t size;
  const char *outcome, *message, *verdict,
      *why; // of the fit, as in EntrainFit; verdict "" without a result
  double objective;
  double level, threshold; // of the ratio
  double freedom; // degrees of Student's law, which the threshold is from; infinite: the normal law
  bool sound, stopped;
  bool rough; // the objective is too rough for profiles
  double roughness;
  int restarts; // from better optima that profiles have found
  long simulations, sensitivity_simulations;
  double seconds;
  const double *values; // the estimates, by unknown of the problem
} EntrainProfileState;

bool entrain_profile_state(const EntrainProfile *profile, EntrainProfileState *out);
int entrain_profile_count(const EntrainProfile *profile);
bool entrain_profile_curve(const EntrainProfile *profile, int i, EntrainProfiled *out);
// By rising value.
bool entrain_profile_point(const EntrainProfile *profile, int i, int k, EntrainProfilePoint *out);
// Sentences: better optima that profiles have found, an objective that is too rough.
int entrain_profile_note_count(const EntrainProfile *profile);
const char *entrain_profile_note(const EntrainProfile *profile, int i);
char *entrain_profile_report(const EntrainProfile *profile, int width, bool colour);
// For a terminal, one below the other; height: of each one.
char *entrain_profile_plot(const EntrainProfile *profile, int width, int height, bool colour);
char *entrain_profile_json(const EntrainProfile *profile);
char *entrain_profile_csv(const EntrainProfile *profile); // every point
// NULL: there is nothing to draw.
char *entrain_profile_svg(const EntrainProfile *profile);
char *entrain_profile_png(const EntrainProfile *profile, size_t *length); // bytes
EntrainFigures *entrain_profile_figures(const EntrainProfile *profile);   // "profiles"

// ---------------------------------------------------------------- progress of studies

typedef enum EntrainStudyState {
  ENTRAIN_STUDY_OPEN,
  ENTRAIN_STUDY_DONE,
  ENTRAIN_STUDY_FAILED,
  ENTRAIN_STUDY_LIMIT, // max_seconds ended it; it goes on when it is resumed
} EntrainStudyState;

typedef struct EntrainStudyProgress {
  size_t size;
  EntrainStudyState state;
  long done, total;             // runs; 0: there are none, such as in a fit
  long lost;                    // given up, because those who worked on them died
  double best;                  // least objective; NaN: none
  double rate;                  // runs a second, of late; NaN: unknown
  double seconds, seconds_left; // NaN: unknown
  int workers;                  // processes that take part in the store
  const char *const *words;     // how runs ended, and how many did so
  const long *counts;
  int word_count;
} EntrainStudyProgress;

// ---------------------------------------------------------------- a page that follows a computation
//
// A server on 127.0.0.1 with a page that shows a fit or a study as it runs, for browsers on this machine (or through a forwarded
// port). The address contains a random token; without it, or under another name of host, nothing is answered. Users can pause the
// computation, stop it, or take the best point so far. Results do not depend on it. The library libmicrohttpd is loaded by entrain_live_new.
//
// Threads: one, that which computes. The server has threads of its own.

typedef struct EntrainLive EntrainLive;

typedef enum EntrainLiveKind {
  ENTRAIN_LIVE_FIT,   // steps, values of the unknowns, curves
  ENTRAIN_LIVE_STEPS, // steps alone, such as those of methods that are compared
  ENTRAIN_LIVE_RUNS,  // runs of a study
} EntrainLiveKind;

typedef struct EntrainLiveRequest {
  size_t size;
  const char *title;
  EntrainLiveKind kind;
  int port;                      // 0: any that is free
  const EntrainProblem *problem; // must outlive it
  // The same, loaded once more and used for nothing else: curves of data and model are made of it, four times a second and in one
  // hundredth of the time at most, and only while somebody looks. Must outlive it. NULL: no curves. There are none of closed simulators.
  const EntrainProblem *for_curves;
} EntrainLiveRequest;

EntrainLive *entrain_live_new(const EntrainLiveRequest *request, EntrainError *error);
void entrain_live_free(EntrainLive *live);
const char *entrain_live_address(const EntrainLive *live); // http://127.0.0.1:PORT/TOKEN/

// To be called by listeners, in the thread that computes. They wait for nobody, except in a pause: it lasts until the page ends it or
// entrain_goes_on says no, and does not count in max_seconds and other times. false: a user wants it to stop.
bool entrain_live_step(EntrainLive *live, const EntrainProgress *progress); // may set *enough
// stage: what is being done, may be NULL.
bool entrain_live_runs(EntrainLive *live, const EntrainStudyProgress *progress, const char *stage);
bool entrain_live_took(const EntrainLive *live);       // a user has taken the best point
bool entrain_live_is_watched(const EntrainLive *live); // a page is open

// The page becomes this HTML: those that are open load it.
void entrain_live_finish(EntrainLive *live, const char *html);
// Whether all of them have it, or none came for two seconds, or nobody ever looked: the server is not needed any more.
bool entrain_live_is_fetched(const EntrainLive *live);
// A page with a report as text, for entrain_live_finish.
char *entrain_live_text_page(const char *title, const char *text);

// ---------------------------------------------------------------- stores of studies
//
// A store keeps what long computations have found: an SQLite file, or a database of a PostgreSQL server
// (postgresql://host/database) that several machines share. A study in it is one computation (a fit, or any of the studies above)
// with the files that it was read from. It goes on where it ended, in this process or another one, and gives the same result bit
// for bit; other processes take part in it as workers.
//
// Threads: all calls of a study, from entrain_study_new to entrain_study_free, are made in one thread: what it reads and computes is
// noted and recorded. A store: one.

typedef struct EntrainStudy EntrainStudy;

typedef struct EntrainStudyRequest {
  size_t size;
  const char *store;        // a file, or postgresql://host/database without a password
  const char *name;         // what is studied: "basin swing.yaml"
  const char *const *words; // what decides the result, so that a worker can do the same
  int word_count;
  const char *const *all_words; // the whole command line
  int all_word_count;
  const char *tags; // that a worker must have, separated by commas; "": none
  int threads;      // of this process
  bool fork;        // if the study has changed: a new one
} EntrainStudyRequest;

// Trouble with a store, such as a server that does not answer: text, and what is done about it; NULL: it is over. May come from
// any thread, one call at a time.
typedef void EntrainStoreListener(void *data, const char *text);

// Notes from now on which files the calling thread reads, until entrain_study_begin: problem, model and data are loaded next.
EntrainStudy *entrain_study_new(void);
// Makes the store and the study, or finds the study there. From now on long computations of this thread are recorded, and
// what is recorded already is not computed again. false: nothing is recorded.
bool entrain_study_begin(EntrainStudy *study, const EntrainStudyRequest *request,
                         EntrainStoreListener *listener, void *data, EntrainError *error);
// The computation has ended. stopped: somebody stopped it, and others, or a later run, go on. failed: NULL, or why there is no result.
// false: what was found could not be recorded, see the error.
bool entrain_study_end(EntrainStudy *study, bool stopped, const char *failed, EntrainError *error);
void entrain_study_free(EntrainStudy *study);

// How things stand; texts last until the next call. At most four times a second the store is asked anew. false: it is not begun.
bool entrain_study_progress(EntrainStudy *study, EntrainStudyProgress *out);

// ---- studies that are there

typedef struct EntrainStore EntrainStore;

typedef struct EntrainAttendant { // who takes part
  size_t size;
  int threads;
  const char *tags; // separated by commas; NULL or "": none
  const char *
      simulators; // folder with closed simulators; NULL: there are none. Nothing else is ever executed
} EntrainAttendant;

// A store that exists. make: a database of a server in which there is none yet becomes one.
EntrainStore *entrain_store_open(const char *place, bool make, EntrainStoreListener *listener,
                                 void *data, EntrainError *error);
void entrain_store_close(EntrainStore *store);
// false: no such study.
typedef struct EntrainStudyInfo {
  size_t size;
  long number;
  EntrainStudyState state;
  const char *name, *note;
  const char *words; // those of the request, one a line
  const char *all_words;
  const char *version, *fingerprint, *tags;
  double made, seconds;
} EntrainStudyInfo;
int entrain_store_count(EntrainStore *store); // reads the list anew; -1: it cannot be read
bool entrain_store_study(const EntrainStore *store, int i, EntrainStudyInfo *out);

// An open study that this process can work on; waits for one, so many seconds at most. NULL without an error: there is none.
// *why (may be NULL): why open studies cannot be worked on, "" or a sentence; belongs to the store.
EntrainStudy *entrain_store_work(EntrainStore *store, const EntrainAttendant *me, double seconds,
                                 const char **why, EntrainError *error);
// Study number n, to go on with it and have its result. Files come from the store. 0: the newest.
EntrainStudy *entrain_store_resume(EntrainStore *store, const EntrainAttendant *me, long n,
                                   EntrainError *error);
// Of those two: the study, and its beginning: problem, model and data that are loaded in this thread come from the store.
bool entrain_study_info(const EntrainStudy *study, EntrainStudyInfo *out);
bool entrain_study_join(EntrainStudy *study, EntrainError *error);
// Files of the study that have another content on this machine, as a sentence; "": none. *missing: how many are not there.
char *entrain_study_changes(const EntrainStudy *study, int *missing);
// Where all its files are on this machine as they were: they are read here, and closed simulators are used where they lie.
void entrain_study_use_files(EntrainStudy *study);

// Waits so long, or until entrain_goes_on says no.
void entrain_store_rest(EntrainStore *store, double seconds);
// What a store holds, as text. study 0: the list of studies. best > 0: so many of the best runs.
char *entrain_store_report(EntrainStore *store, long study, long best, int width, bool colour,
                           EntrainError *error);
char *entrain_store_json(EntrainStore *store, long study, long best, EntrainError *error);
char *entrain_store_csv(EntrainStore *store, long study, long best, EntrainError *error); // runs
bool entrain_store_progress(EntrainStore *store, long study, EntrainStudyProgress *out);

// ---------------------------------------------------------------- pages
//
// Threads: readers.

typedef struct EntrainPage {
  size_t size;
  const char *title;
  const char *command;              // that makes it again; NULL: unknown
  const char *body;                 // a report by ENTRAIN_HTML
  const EntrainFigures *figures;    // NULL: none
  const char *former_path;          // of the problem file, if it was elsewhere; NULL: it was not
  bool without_model, without_data; // left out, with all that would show them
} EntrainPage;

// One file of HTML that needs nothing else: report, pictures, charts, problem and model. Folders of the problem, the home and the present
// folder are not named in it. problem NULL: it is not there any more. Returns NULL without a body.
char *entrain_page(const EntrainProblem *problem, const EntrainPage *page);

// A result that entrain_fit_json has written, to be shown again. NULL: it cannot be read, or is no such result.
typedef struct EntrainWritten EntrainWritten;
EntrainWritten *entrain_written_load(const char *path, EntrainError *error);
void entrain_written_free(EntrainWritten *written);
const char *
entrain_written_problem(const EntrainWritten *written); // path of the problem file, as it was then
// What it was read with besides, for entrain_problem_load.
const EntrainSetting *entrain_written_settings(const EntrainWritten *written, int *count);
// Which files of the problem are others than those of the result: a sentence, "" if none is.
char *entrain_written_changes(const EntrainWritten *written, const EntrainProblem *problem);
// What the result says. notice (may be NULL): comes first.
char *entrain_written_report(const EntrainWritten *written, const char *notice, int width,
                             bool colour);

#ifdef __cplusplus
}
#endif
