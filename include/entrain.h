// entrain: finds unknown parameters of dynamic models from measurements. This is the whole interface of the C library.
//
// Objects are made by ..._new or ..._load and freed by ..._free (NULL is allowed). Functions that can fail return NULL or
// false and fill the error (which may be NULL). The library prints nothing and never exits, except without memory (see
// entrain_on_out_of_memory). There is no global state but that handler: different threads may use different objects, and
// may share a model for simulation once it is set up. Texts returned as `char *` belong to the caller: entrain_text_free.
// Texts returned as `const char *` belong to the object they came from.
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

const char *entrain_version(void);

// Out of memory cannot be answered by an error: threads, and libraries that are used inside, may be in the middle of their
// work. The library calls the handler in the thread that needed memory. The handler should take no memory, save what the
// program must not lose, and end the process. If it returns, or without a handler (NULL), the library writes "entrain:
// error: out of memory" to standard error and ends the process with _exit(3): files are complete or absent, never half
// written. There is one handler for the process.
typedef void EntrainMemoryHandler(void);
void entrain_on_out_of_memory(EntrainMemoryHandler *handler);

// ---------------------------------------------------------------- errors

typedef struct EntrainError {
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

// Long computations of the calling thread ask from time to time (some fifty times a second) whether they go on: fits and
// studies, simulations, checks. Return false to end the present one with what it has reached; it then fails, or its outcome
// says so. This is for all of them at once, such as a signal; the listeners of fits and studies can stop these, too.
typedef bool EntrainGoesOn(void *data);
// Who is asked in the calling thread, from now on; NULL: nobody. A false answer is final: call this again before the next
// computation, and not from within one.
void entrain_goes_on(EntrainGoesOn *goes_on, void *data);

// ---------------------------------------------------------------- models

typedef struct EntrainModel EntrainModel;

// path: a Modelica file; FILE.mo#Name chooses a class of it, without # the last model is taken. Libraries are looked for in
// the folders of the environment variable MODELICAPATH.
EntrainModel *entrain_model_load(const char *path, EntrainError *error);
EntrainModel *entrain_model_parse(const char *name, const char *text, size_t length,
                                  EntrainError *error);
// Start, end and interval of annotation(experiment(StartTime = ..., StopTime = ..., Interval = ...)); what is not given stays
// as it was.
void entrain_model_experiment(const EntrainModel *model, double *start, double *stop,
                              double *interval);
// The same with folders of libraries that are searched before those of MODELICAPATH; NULL: none.
typedef struct EntrainLibraries {
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
  const char *name, *type; // type: number, integer, choice
  const char *default_value, *range, *meaning;
  EntrainOptionGroup group;
  const char *default_in_fit; // as default_value but for tolerances: a fit needs finer ones
} EntrainOption;

int entrain_threads(void); // that option threads stands for where it is 0: one for each core
int entrain_option_count(void);
bool entrain_option(int i, EntrainOption *out);

// ---------------------------------------------------------------- pictures

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
void entrain_result_work(const EntrainResult *r, EntrainWork *out);
// Rows are the output times that were reached: all numbers in them are finite.
int entrain_result_rows(const EntrainResult *r);
int entrain_result_columns(const EntrainResult *r); // column 0 is time
const char *entrain_result_name(const EntrainResult *r, int column);
const double *entrain_result_column(const EntrainResult *r, int column);

// A constraint or one of its derivatives, and how well it held at the steps of the simulation.
typedef struct EntrainInvariant {
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

typedef struct EntrainProblem EntrainProblem; // model, measurements, what to estimate, how

typedef struct EntrainSetting {
  const char *name, *value; // estimate.p.start = 40, or an option by its name; value as in YAML
  bool is_option;
} EntrainSetting;

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

typedef struct EntrainUnknown { // a parameter or start value to be estimated
  const char *name, *unit;      // p, theta.start, theta.offset; of one experiment only: p[swing]
  double start, min, max;
  bool log;        // searched on a logarithmic scale
  double in_model; // its value in the model file; start if there is none
} EntrainUnknown;

int entrain_problem_unknown_count(const EntrainProblem *problem);
bool entrain_problem_unknown(const EntrainProblem *problem, int i, EntrainUnknown *out);
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

typedef struct EntrainFit EntrainFit;

typedef struct EntrainProgress {
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
  ENTRAIN_FIT_UNCERTAIN, // converged, but the verdict is ambiguous or doubtful
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
} EntrainQuality;

void entrain_fit_quality(const EntrainFit *fit, EntrainQuality *out);

typedef struct EntrainEstimate { // in the order of the unknowns of the problem
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
  int experiment;               // its place in the problem file, from 0
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
} EntrainChannel;

// The fitted channels, then those for validation; of these sigma, noise and probabilities are NaN.
int entrain_fit_channel_count(const EntrainFit *fit);
bool entrain_fit_channel(const EntrainFit *fit, int i, EntrainChannel *out);

typedef struct
    EntrainWindow { // errors model - data of the free-running simulation in a span of time
  const char *name;
  double start, stop; // as in the data
  int n;
  double rmse, mean, max; // max: of the absolute errors; NaN: not known
} EntrainWindow;

// Window k of channel i.
bool entrain_fit_window(const EntrainFit *fit, int i, int k, EntrainWindow *out);

typedef struct EntrainDirection { // a change of the estimates that the data do not determine
  double singular_value;
  const double *vector; // relative changes, by estimate
  bool structural;      // even exact data of this kind would not determine it
  bool confirmed;       // by simulation
  const char *text;     // sentences
  int combinations;     // products of powers that do not change along it
} EntrainDirection;

int entrain_fit_direction_count(const EntrainFit *fit);
bool entrain_fit_direction(const EntrainFit *fit, int i, EntrainDirection *out);
// Of direction i: "alpha*A" and its value. NULL when there is none.
const char *entrain_fit_combination(const EntrainFit *fit, int i, int k, double *value);

// What there was no time for, because the fit was stopped or max_seconds or max_simulations was reached: "residuals",
// "intervals", "identifiability". It is not known then: NaN, not identifiable, no directions. "profiles": some intervals that
// should come from profiles come from linear theory.
int entrain_fit_missing_count(const EntrainFit *fit);
const char *entrain_fit_missing(const EntrainFit *fit, int i);

int entrain_fit_remark_count(const EntrainFit *fit);
const char *entrain_fit_remark(const EntrainFit *fit, int i); // a sentence

typedef struct EntrainFitWork {
  long iterations;              // accepted steps
  long simulations;             // of states alone
  long sensitivity_simulations; // with sensitivities
  long rhs, steps, rejected;    // of the integrator
  double seconds;
} EntrainFitWork;

void entrain_fit_work(const EntrainFit *fit, EntrainFitWork *out);

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
  const char *experiment, *variable, *unit;
  int n;                  // samples
  const double *t, *data; // as in the data file
  const double *model;    // NULL: the experiment could not be simulated
  bool apart;             // rows of a table, whose order means nothing
} EntrainCurve;

int entrain_curves_count(const EntrainCurves *curves); // channels of all experiments
bool entrain_curves_channel(const EntrainCurves *curves, int i, EntrainCurve *out);

// ---------------------------------------------------------------- weights of samples

typedef struct EntrainWeights {
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
// "sensitivity": how much each unknown changes each measured quantity; data-and-model at the start values, by experiment, for
// which the model is simulated again.
EntrainFigures *entrain_check_figures(const EntrainCheck *check);

// ---------------------------------------------------------------- studies with known truth

typedef struct EntrainRecover EntrainRecover;

typedef struct EntrainTrials { // progress of a study
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
  const char *name, *unit;
  double truth, mean, bias, spread;
  double predicted; // median standard error that the fits gave
  double coverage;  // share of the 95 % intervals that contain the truth
} EntrainRecovered;

void entrain_recover_trials(const EntrainRecover *recover, EntrainTrials *out);
int entrain_recover_count(const EntrainRecover *recover); // of unknowns
bool entrain_recover_unknown(const EntrainRecover *recover, int i, EntrainRecovered *out);
char *entrain_recover_report(const EntrainRecover *recover, int width, bool colour);
char *entrain_recover_json(const EntrainRecover *recover);
char *entrain_recover_csv(const EntrainRecover *recover);               // every trial
EntrainFigures *entrain_recover_figures(const EntrainRecover *recover); // "estimates", "trials"

// ---------------------------------------------------------------- comparisons of methods

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

// ---------------------------------------------------------------- basin studies

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
void entrain_basin_state(const EntrainBasin *basin, EntrainBasinState *out);

typedef struct EntrainOptimum {
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

char *entrain_basin_report(const EntrainBasin *basin, int width, bool colour); // with a map
char *entrain_basin_json(const EntrainBasin *basin);
char *entrain_basin_csv(const EntrainBasin *basin); // every start
char *entrain_basin_svg(const EntrainBasin *basin); // the map
// The bytes of a PNG file; NULL as entrain_figures_png.
char *entrain_basin_png(const EntrainBasin *basin, size_t *length);
EntrainFigures *entrain_basin_figures(const EntrainBasin *basin); // "basin": the map

// ---------------------------------------------------------------- scans of the objective

typedef struct EntrainScan EntrainScan;

typedef struct EntrainScanAxis { // a number that varies
  const char *name; // of an unknown; k means all of k[swing], k[fall], ... if there is no k itself
  double from, to;  // both included, also beyond the bounds; one point: from
  int count;
  bool log; // points with equal ratios
} EntrainScanAxis;

typedef struct EntrainScanRequest {
  const EntrainScanAxis *axes;
  int axis_count;       // 1 or 2
  const double *lambda; // from 1, tied to the data, to 0, the free model
  int lambda_count;     // 0: only the free model
  const double *values; // of all unknowns, for those that do not vary; NULL: their start values
  bool log_objective;   // in pictures
} EntrainScanRequest;

typedef struct EntrainScanState {
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
void entrain_scan_state(const EntrainScan *scan, EntrainScanState *out);
// Of a point, the first axis is the fastest; lambda: its place in the request. NaN: could not be simulated, or not done.
double entrain_scan_objective(const EntrainScan *scan, int lambda, int point);
int entrain_scan_best(const EntrainScan *scan,
                      int lambda); // the point with the least one, -1: none
char *entrain_scan_report(const EntrainScan *scan, int width, bool colour);
// For a terminal: curves over one number, maps over two.
char *entrain_scan_plot(const EntrainScan *scan, int width, int height, bool colour);
char *entrain_scan_csv(const EntrainScan *scan); // one column a number, lambda, objective
// NULL: there is nothing to draw.
char *entrain_scan_svg(const EntrainScan *scan);
char *entrain_scan_png(const EntrainScan *scan, size_t *length);
EntrainFigures *entrain_scan_figures(const EntrainScan *scan); // "scan"

// ---------------------------------------------------------------- profile likelihood

typedef struct EntrainProfile EntrainProfile;

typedef struct EntrainProfileRequest {
  const char *const *names; // of unknowns; NULL: all
  int count;
  double level; // of the intervals: 0.95; 0.5 to 0.9999
  double range; // how far a profile without end is followed, in sizes of the unknown: 1000
} EntrainProfileRequest;

EntrainProfileRequest entrain_profile_request(void); // all unknowns, level and range as said

typedef struct EntrainProfileProgress {
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
  const char *name, *unit;
  double estimate;
  double std_error, ci_low, ci_high; // by the covariance, at the level asked for; NaN: none
  double low, high; // of the profile's interval; the last point on a side without an end
  const char *low_end,
      *high_end;       // finite, bound, range, constraint, failed, budget, rough, stopped, none
  const char *verdict; // determined, open, flat, structural, unknown
  const char *remark;  // sentences, or ""
  int points;
} EntrainProfiled;

typedef struct EntrainProfilePoint {
  double value, objective;
  double ratio;           // likelihood ratio, to be compared with the threshold
  const double *unknowns; // all of them
} EntrainProfilePoint;

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

typedef struct EntrainLive EntrainLive;

typedef enum EntrainLiveKind {
  ENTRAIN_LIVE_FIT,   // steps, values of the unknowns, curves
  ENTRAIN_LIVE_STEPS, // steps alone, such as those of methods that are compared
  ENTRAIN_LIVE_RUNS,  // runs of a study
} EntrainLiveKind;

typedef struct EntrainLiveRequest {
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
// All calls of a study are made in one thread.

typedef struct EntrainStudy EntrainStudy;

typedef struct EntrainStudyRequest {
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

typedef struct EntrainPage {
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
