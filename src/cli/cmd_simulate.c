// entrain simulate: integrates a model and writes its trajectory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/interrupt.h"
#include "cli/lists.h"
#include "cli/message.h"
#include "cli/open_model.h"
#include "cli/output.h"

typedef struct SimulateCommand {
  const Arguments *a;
  EntrainModel *model;
  EntrainOptions *options;
  EntrainSimulation *simulation;
  EntrainResult *result;
  EntrainError error;
} SimulateCommand;

// Every step of run() returns the exit status; DONE: the next step follows.
static int library_failed(SimulateCommand *job) {
  return complain_error(&job->error);
}

// ---------------------------------------------------------------- files

static bool spares(const char *flag, const char *path, const char *read) {
  if (strcmp(read, "-") == 0 || !output_is_same(path, read)) return true;
  complain("--%s would overwrite '%s', which is read; choose another name", flag, read);
  return false;
}

// No input file is overwritten.
static bool spares_what_is_read(const SimulateCommand *job, const char *flag) {
  const char *path = arguments_value(job->a, flag);
  bool spared = !path || spares(flag, path, job->a->words[0]);
  for (int i = 0; path && spared && i < job->a->given_count; i++) {
    const Given *g = &job->a->given[i];
    if (g->flag && strcmp(g->name, "inputs") == 0) spared = spares(flag, path, g->value);
    if (g->flag && strcmp(g->name, "times") == 0 && g->value[0] == '@')
      spared = spares(flag, path, g->value + 1);
  }
  return spared;
}

static int check_files(SimulateCommand *job) {
  const char *json = arguments_value(job->a, "json"), *csv = arguments_value(job->a, "output");
  if (!spares_what_is_read(job, "output") || !spares_what_is_read(job, "json")) return WRONG_USE;
  if (json && csv && output_is_same(json, csv))
    complain("--output and --json cannot both be '%s'", csv);
  else if (json && strcmp(json, "-") == 0 && arguments_have(job->a, "plot"))
    complain("--plot and --json - cannot both go to standard output; give --json a file");
  else if (figures_prepare(job->a))
    return DONE;
  return WRONG_USE;
}

// ---------------------------------------------------------------- values

static int set_one(SimulateCommand *job, char *assignment) {
  const char *name, *value;
  if (!assignment_split("--set", assignment, &name, &value)) return WRONG_USE;
  return entrain_model_set(job->model, name, value, &job->error) ? DONE : library_failed(job);
}

static int set_list(SimulateCommand *job, const char *list) {
  Words words;
  int status = assignments_split("--set", list, &words) ? DONE : WRONG_USE;
  for (int i = 0; status == DONE && i < words.count; i++)
    status = set_one(job, (char *)words.at[i]);
  words_done(&words);
  return status;
}

static int set_values(SimulateCommand *job) {
  int status = DONE;
  for (int i = 0; status == DONE && i < job->a->given_count; i++) {
    const Given *g = &job->a->given[i];
    if (g->flag && strcmp(g->name, "set") == 0) status = set_list(job, g->value);
  }
  print_warnings(job->model);
  return status;
}

// These are flags here although the library has options of the same names: the others of their kind have no meaning here,
// and without --noise the rows are exact, or only rounded (--quantum).
static bool is_about_noise(const char *name) {
  static const char *const NAMES[] = {
      "noise", "noise_kind", "noise_correlation", "noise_slow_share", "quantum", "seed"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
    if (strcmp(name, NAMES[i]) == 0) return true;
  return false;
}

static int set_options(SimulateCommand *job) {
  job->options = entrain_options_new();
  for (int i = 0; i < job->a->given_count; i++) {
    const Given *g = &job->a->given[i];
    bool limits = strcmp(g->name, "max_seconds") == 0;
    if (g->flag && !limits && !is_about_noise(g->name)) continue;
    if (!entrain_options_set(job->options, g->name, g->value, &job->error))
      return library_failed(job);
    if (g->flag && strcmp(g->name, "noise_kind") == 0 && strcmp(g->value, "sigma") == 0) {
      complain("--noise_kind sigma needs a problem with sigma, which only recover reads; choose "
               "additive or proportional");
      return WRONG_USE;
    }
    bool rounds = strcmp(g->name, "quantum") == 0;
    if (g->flag && !limits && !rounds && !arguments_have(job->a, "noise")) {
      complain("--%s has no effect without --noise", g->name);
      return WRONG_USE;
    }
  }
  // The library has a usual size of noise.
  bool only_rounds = arguments_have(job->a, "quantum") && !arguments_have(job->a, "noise");
  if (only_rounds && !entrain_options_set(job->options, "noise", "0", &job->error))
    return library_failed(job);
  return DONE;
}

// ---------------------------------------------------------------- output times

static bool number_of(const SimulateCommand *job, const char *flag, double *value) {
  const char *text = arguments_value(job->a, flag);
  char spelled[32];
  snprintf(spelled, sizeof spelled, "--%s", flag);
  return !text || read_number(spelled, text, value);
}

static const double ROWS_MOST = 1e8;

static bool grid_is_sensible(double start, double stop, double step) {
  if (!(stop > start))
    complain("--stop (%.15g) must be greater than --start (%.15g)", stop, start);
  else if (step < 0)
    complain("--step must be greater than 0, not %g", step);
  else if (step > 0 && !((stop - start) / step <= ROWS_MOST))
    complain("--step %g makes more than %g rows", step, ROWS_MOST);
  else
    return true;
  return false;
}

static int set_grid(SimulateCommand *job) {
  double start = 0, stop = 1, step = 0;
  double annotated_stop = stop, interval = 0;
  entrain_model_experiment(job->model, &start, &annotated_stop, &interval);
  stop = annotated_stop;
  if (!arguments_have(job->a, "stop")) step = interval;
  if (!number_of(job, "start", &start) || !number_of(job, "stop", &stop) ||
      !number_of(job, "step", &step))
    return WRONG_USE;
  if (arguments_have(job->a, "step") && step == 0) {
    complain("--step must be greater than 0");
    return WRONG_USE;
  }
  if (!grid_is_sensible(start, stop, step)) return WRONG_USE;
  bool done = entrain_simulation_grid(job->simulation, start, stop, step, &job->error);
  return done ? DONE : library_failed(job);
}

static int set_list_of_times(SimulateCommand *job, const char *list) {
  double start = 0;
  Numbers times;
  if (arguments_have(job->a, "stop") || arguments_have(job->a, "step")) {
    complain("--times lists all times: leave out --stop and --step");
    return WRONG_USE;
  }
  if (!number_of(job, "start", &start)) return WRONG_USE;
  int status = numbers_read("--times", list, &times) ? DONE : WRONG_USE;
  if (status == DONE &&
      !entrain_simulation_times(job->simulation, start, times.at, times.count, &job->error))
    status = library_failed(job);
  numbers_done(&times);
  return status;
}

static int set_times(SimulateCommand *job) {
  const char *list = arguments_value(job->a, "times");
  return list ? set_list_of_times(job, list) : set_grid(job);
}

// ---------------------------------------------------------------- inputs and columns

static int set_inputs(SimulateCommand *job) {
  for (int i = 0; i < job->a->given_count; i++) {
    const Given *g = &job->a->given[i];
    if (!g->flag || strcmp(g->name, "inputs") != 0) continue;
    if (!entrain_simulation_input_file(job->simulation, g->value, &job->error))
      return library_failed(job);
  }
  return DONE;
}

typedef bool (*NamesSetter)(EntrainSimulation *, const char *const *, int, EntrainError *);

// Passes the names of a flag to setter; a flag without names means all.
static int set_names(SimulateCommand *job, const char *flag, NamesSetter setter) {
  if (!arguments_have(job->a, flag)) return DONE;
  const char *list = arguments_value(job->a, flag);
  char spelled[32];
  snprintf(spelled, sizeof spelled, "--%s", flag);
  Words words = {0};
  int status = !list || words_split(spelled, list, &words) ? DONE : WRONG_USE;
  if (status == DONE && !setter(job->simulation, words.at, words.count, &job->error))
    status = library_failed(job);
  words_done(&words);
  return status;
}

static int make_simulation(SimulateCommand *job) {
  job->simulation = entrain_simulation_new(job->model, job->options, &job->error);
  return job->simulation ? DONE : library_failed(job);
}

static int select_columns(SimulateCommand *job) {
  return set_names(job, "variables", entrain_simulation_select);
}

static int add_sensitivities(SimulateCommand *job) {
  bool second = arguments_have(job->a, "second_order");
  if (second && !arguments_have(job->a, "sensitivities")) {
    complain("--second_order has no effect without --sensitivities");
    return WRONG_USE;
  }
  entrain_simulation_second_order(job->simulation, second);
  return set_names(job, "sensitivities", entrain_simulation_sensitivities);
}

// ---------------------------------------------------------------- results

static int simulate(SimulateCommand *job) {
  interrupt_compute();
  job->result = entrain_simulation_run(job->simulation, &job->error);
  if (job->result && (arguments_have(job->a, "noise") || arguments_have(job->a, "quantum")))
    entrain_result_add_noise(job->result, job->options);
  return job->result ? DONE : library_failed(job);
}

static int write_plot(SimulateCommand *job) {
  Terminal t = output_terminal();
  int height = t.height > 36 ? 34 : t.height < 14 ? 12 : t.height - 2;
  return write_result(NULL, entrain_result_plot(job->result, t.width, height, t.colour));
}

static int write_results(SimulateCommand *job) {
  const char *json = arguments_value(job->a, "json"), *csv = arguments_value(job->a, "output");
  bool plot = arguments_have(job->a, "plot"),
       stdout_taken = plot || figures_wanted(job->a) || (json && strcmp(json, "-") == 0);
  int status = csv ? write_result(csv, entrain_result_csv(job->result)) : DONE;
  if (json) status = worse(status, write_result(json, entrain_result_json(job->result)));
  if (plot) status = worse(status, write_plot(job));
  if (figures_wanted(job->a))
    status = worse(status, figures_write(job->a, entrain_result_figures(job->result)));
  if (!csv && !stdout_taken)
    status = worse(status, write_result(NULL, entrain_result_csv(job->result)));
  return status;
}

static void print_work(const SimulateCommand *job) {
  EntrainWork w = {.size = sizeof w};
  entrain_result_work(job->result, &w);
  remark("%s: %ld steps, %ld rejected, %ld right-hand sides, %ld Jacobians, %ld factorisations, "
         "%ld events, %.3g ms",
         w.solver, w.steps, w.rejected, w.rhs, w.jacobians, w.factorisations, w.events,
         1e3 * w.seconds);
}

// "line 9", "line 9, differentiated once"
static const char *place_of(const EntrainInvariant *v, char place[160]) {
  int n = v->differentiated;
  if (n == 0)
    snprintf(place, 160, "line %s", v->place);
  else if (n <= 2)
    snprintf(place, 160, "line %s, differentiated %s", v->place, n == 1 ? "once" : "twice");
  else
    snprintf(place, 160, "line %s, differentiated %d times", v->place, n);
  return place;
}

static void print_redundant(const SimulateCommand *job) {
  EntrainConstraint c = {.size = sizeof c};
  for (int i = 0; entrain_model_constraint(job->model, i, &c); i++)
    if (c.redundant)
      remark("the constraint in line %s follows from the others and is left out; multipliers are "
             "those of least squares",
             c.place);
}

// "to 1e-9 of their terms (worst: line 9)"
static void add_worst(char *text, size_t size, double violation, const char *of,
                      const EntrainInvariant *v) {
  char place[160];
  if (violation > 0)
    snprintf(text, size, "to %.2g%s (worst: %s)", violation, of, place_of(v, place));
  else
    snprintf(text, size, "exactly");
}

static void print_constraints(const SimulateCommand *job) {
  const EntrainResult *r = job->result;
  EntrainInvariant v = {.size = sizeof v}, s = {.size = sizeof s};
  char worst[256], worst_sens[256];
  if (!entrain_result_invariant(r, entrain_result_worst_invariant(r), &v)) return;
  entrain_result_invariant(r, entrain_result_worst_invariant_sens(r), &s);
  print_redundant(job);
  if (entrain_result_rows(r) == 0) return; // nothing was integrated
  add_worst(worst, sizeof worst, v.relative, " of the size of their terms", &v);
  add_worst(worst_sens, sizeof worst_sens, s.violation_sens, "", &s);
  if (s.violation_sens > 0)
    remark("the constraints hold %s, their sensitivities %s", worst, worst_sens);
  else
    remark("the constraints hold %s", worst);
}

static int print_outcome(SimulateCommand *job) {
  if (arguments_have(job->a, "stats")) print_work(job);
  print_constraints(job);
  const char *message = entrain_result_message(job->result);
  bool reached = entrain_result_outcome(job->result) == ENTRAIN_REACHED_END;
  if (reached && message[0]) remark("%s", message);
  if (reached) return DONE;
  int rows = entrain_result_rows(job->result);
  remark("the simulation did not reach its end (%s), %d %s computed%s%s",
         entrain_result_outcome_name(job->result), rows, rows == 1 ? "row was" : "rows were",
         message[0] ? ": " : "", message);
  const char *log = entrain_result_log(job->result);
  if (log[0]) remark("the last lines that it wrote:\n%s", log);
  return NOT_REACHED;
}

// What was computed is described even if it cannot be written.
static int give_results(SimulateCommand *job) {
  int status = write_results(job);
  return worse(status, print_outcome(job));
}

static int run(const Arguments *a) {
  static int (*const STEPS[])(SimulateCommand *) = {
      check_files, set_options,    set_values,        make_simulation, set_times,
      set_inputs,  select_columns, add_sensitivities, simulate,        give_results,
  };
  SimulateCommand job = {.a = a, .error.size = sizeof job.error};
  int status;
  job.model = open_model(a, &status);
  for (size_t i = 0; status == DONE && i < sizeof STEPS / sizeof *STEPS; i++)
    status = STEPS[i](&job);
  entrain_result_free(job.result);
  entrain_simulation_free(job.simulation);
  entrain_options_free(job.options);
  entrain_model_free(job.model);
  return status;
}

static const Flag FLAGS[] = {
    {"set", 's', "NAME=VALUE",
     "sets a parameter, or the start value of a state as x.start; may be repeated, or a list: "
     "p=10,x.start=1",
     NULL, false},
    FLAG_LIBRARY,
    {"interface", 0, "WORD", "of an FMU: me (model exchange) or cs (co-simulation)",
     "me where it is offered", false},
    {"communication", 0, "TIME", "of co-simulation: longest step of communication",
     "stepSize of the FMU; else from one output row to the next", false},
    {"timeout", 0, "NUMBER", "of an FMU: seconds after which it is ended", "no limit", false},
    {"memory", 0, "BYTES", "of an FMU: bytes that its process may use", "half of the machine's",
     false},
    {"start", 0, "TIME", "start of the simulation", "0, or StartTime of the model's annotation",
     false},
    {"stop", 0, "TIME", "end of the simulation", "1, or StopTime of the model's annotation", false},
    {"step", 0, "TIME", "interval between output rows; the integrator chooses its own steps",
     "500 intervals; without --stop, Interval of the model's annotation", false},
    {"times", 0, "LIST", "output times instead of --stop and --step: 1,2,3 or @file", NULL, false},
    {"inputs", 'i', "FILE",
     "CSV file whose first column is the time and whose other columns are inputs of the model; "
     "may be repeated",
     NULL, false},
    {"variables", 0, "NAMES", "columns of the output", "all but inputs", false},
    {"sensitivities", 0, "[NAMES]",
     "adds columns dx/dp for these parameters; without names, for all parameters", NULL, false},
    {"second_order", 0, NULL,
     "with --sensitivities: also adds columns d2x/dpdq, the second derivatives by each pair of "
     "them; models without events that states or parameters move",
     NULL, false},
    {"noise", 0, "SIZE",
     "simulates measurements: adds normal noise of this size to what the model computes, not to "
     "time, inputs, parameters and sensitivities",
     "none", false},
    {"noise_kind", 0, "KIND",
     "proportional: y*(1 + noise*r); additive: y + noise*rms(y)*r, with r normal of variance 1",
     "proportional", false},
    {"noise_correlation", 0, "NUMBER",
     "correlation of the noise of neighbouring rows; it fades as its powers", "0", false},
    {"noise_slow_share", 0, "NUMBER",
     "part of the variance of the noise that --noise_correlation is about; the rest is independent",
     "1", false},
    {"quantum", 0, "NUMBER", "rounds what the model computes, with its noise, to multiples of this",
     "0", false},
    {"seed", 0, "NUMBER", "seed of the noise", "1", false},
    {"max_seconds", 0, "NUMBER", "seconds after which the simulation ends with the rows so far",
     "no limit", false},
    {"output", 'o', "FILE", "CSV file for the rows; it appears only when it is complete",
     "standard output", false},
    {"json", 0, "FILE",
     "rows, outcome, work and violations of constraints as JSON; - is standard output", NULL,
     false},
    {"plot", 'p', NULL, "draws the curves in the terminal instead of writing rows", NULL, false},
    FLAG_FIGURES,
    {"stats", 0, NULL, "prints the work of the integrator", NULL, false},
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain simulate models/pendulum.mo --set p=20 --stop 10 --plot",
    "A plot of the first ten seconds",
    "entrain simulate models/pendulum.mo --stop 10 --step 0.1 --sensitivities p -o swing.csv",
    "Rows with exact derivatives with respect to the parameter p",
    "entrain simulate models/pendulum.mo --stop 50 --step 0.1 --noise 0.05 -o swing.csv",
    "Simulated measurements with 5 % noise, to try a fit",
    NULL,
};

const Command CMD_SIMULATE = {
    "simulate",
    "MODEL",
    "computes the trajectory of a model, as CSV or as a plot",
    "Integrates the model and writes one row for each output time: time,x,v,... "
    "MODEL is a Modelica file, - for standard input, or an FMU (FILE.fmu). Ctrl-C and "
    "--max_seconds end the "
    "simulation with the rows so far (of an FMU: without rows). The exit status is 1 if the "
    "simulation did not reach its end.",
    FLAGS,
    OF_SIMULATION,
    EXAMPLES,
    run,
};
