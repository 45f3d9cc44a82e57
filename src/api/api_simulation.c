// The public library: simulations.
#include <float.h>
#include <math.h>
#include <string.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/csv.h"
#include "base/patience.h"
#include "residual/kinks.h"
#include "residual/second_system.h"
#include "simulate/closed.h"
#include "simulate/origin.h"

struct EntrainSimulation {
  Arena *arena;
  const EntrainModel *model;
  const EntrainOptions *options;
  double start;
  double *times;
  int time_count;
  double origin;          // of the run
  const double *since;    // the output times, counted from the origin
  const Input **given;    // by input; NULL: the default value
  const Input **defaults; // made when needed
  double *default_value;  // their values
  const Input **inputs;   // of the run: given (counted from the origin) or default
  const Input **made_of;  // by input: the given one that inputs was made of
  int *selected;          // variable numbers
  int selected_count;
  int *parameters;
  int parameter_count;
  bool second_order;
  System *system; // of the last run; kept until something changes
  SimulateWork *work;
  SecondSystem *second; // instead of these where derivatives of second order are wanted
  Kinks *kinks;
  bool stiff;
  ResultColumns *shared;
  int version; // of the model it was made for
  SimulateOptions made_with;
  // Of an experiment: who it is, and how inputs are interpolated that the data do not have; NULL: of no experiment.
  const Experiment *experiment;
  bool interpolates_as_said; // an option of this simulation says how
};

static void forget_system(EntrainSimulation *s) {
  simulate_work_free(s->work);
  system_free(s->system);
  second_system_free(s->second);
  kinks_free(s->kinks);
  result_columns_leave(s->shared);
  s->work = NULL;
  s->system = NULL;
  s->second = NULL;
  s->kinks = NULL;
  s->shared = NULL;
}

static void select_all(EntrainSimulation *s) {
  const Flat *f = s->model->model->flat;
  s->selected = ARENA_ARRAY(s->arena, int, f->variables.count + 1);
  s->selected_count = 0;
  for (int i = 0; i < f->variables.count; i++)
    if (f->variables.at[i].kind == VARIABLE_UNKNOWN && !f->variables.at[i].hidden)
      s->selected[s->selected_count++] = i;
}

static EntrainSimulation *simulation_new(Arena *a, const EntrainModel *m, const EntrainOptions *o) {
  EntrainSimulation *s = ARENA_NEW(a, EntrainSimulation);
  s->arena = a;
  s->model = m;
  s->options = o;
  s->given = ARENA_ARRAY(a, const Input *, m->model->nu + 1);
  s->defaults = ARENA_ARRAY(a, const Input *, m->model->nu + 1);
  s->default_value = ARENA_ARRAY(a, double, m->model->nu + 1);
  s->inputs = ARENA_ARRAY(a, const Input *, m->model->nu + 1);
  s->made_of = ARENA_ARRAY(a, const Input *, m->model->nu + 1);
  select_all(s);
  return s;
}

EntrainSimulation *entrain_simulation_new(const EntrainModel *m, const EntrainOptions *o,
                                          EntrainError *error) {
  if (!m) return api_none("model", error);
  if (!o) return api_none("options", error);
  Err err = {0};
  EntrainSimulation *s = simulation_new(arena_new(), m, o);
  api_publish(&err, error);
  return s;
}

void entrain_simulation_free(EntrainSimulation *s) {
  if (!s) return;
  forget_system(s);
  arena_free(s->arena);
}

enum { ROWS_MOST = 100000000 };

static void use_times(EntrainSimulation *s, double start, double *times, int count) {
  double origin = time_origin(start, times, count);
  if (origin != s->origin) memset(s->made_of, 0, (size_t)s->model->model->nu * sizeof *s->made_of);
  s->origin = origin;
  s->start = start, s->times = times, s->time_count = count;
  s->since = times;
  if (origin == 0) return;
  double *since = ARENA_ARRAY(s->arena, double, count);
  for (int i = 0; i < count; i++) since[i] = times[i] - origin;
  s->since = since;
}

static bool fail_late(const char *what, double t, double before, Err *err) {
  char a[32], b[32];
  number_format(t, a), number_format(before, b);
  return fail(err, ERR_VALUE, "%s: %s follows %s%s", what, a, b, times_too_close(t, before).at);
}

static bool set_grid(EntrainSimulation *s, double start, double stop, double step, Err *err) {
  if (!isfinite(start) || !isfinite(stop) || !isfinite(step))
    return fail(err, ERR_VALUE, "start, stop and step must be finite");
  if (stop < start)
    return fail(err, ERR_VALUE, "stop (%.15g) is before start (%.15g)", stop, start);
  if (step < 0) return fail(err, ERR_VALUE, "step must be positive, not %g", step);
  if (step == 0) step = (stop - start) / 500;
  double intervals = stop > start ? (stop - start) / step : 0;
  if (!(intervals < ROWS_MOST)) return fail(err, ERR_LIMIT, "more than %d output times", ROWS_MOST);
  double slack = DBL_EPSILON * fabs(start); // start and stop are rounded
  int whole = (int)floor(intervals * (1 + 4 * DBL_EPSILON) + (step > 0 ? slack / step : 0));
  int count = 0;
  double *times = ARENA_ARRAY(s->arena, double, whole + 2);
  double by =
      rint(1 / step); // steps such as 0.1: i/10 is the nearest number to i tenths, i*0.1 is not
  bool tidy = fabs(by * step - 1) <= DBL_EPSILON;
  for (int i = 0; i <= whole; i++) times[count++] = start + (tidy ? i / by : i * step);
  if (count && fabs(times[count - 1] - stop) <= 1e-9 * step + slack)
    times[count - 1] = stop;
  else if (times[count - 1] < stop)
    times[count++] = stop;
  for (int i = 1; i < count; i++)
    if (!(times[i] > times[i - 1]))
      return fail_late("the step is too short", times[i], times[i - 1], err);
  use_times(s, start, times, count);
  return true;
}

bool entrain_simulation_grid(EntrainSimulation *s, double start, double stop, double step,
                             EntrainError *error) {
  if (!s) return api_missing("simulation", error);
  Err err = {0};
  set_grid(s, start, stop, step, &err);
  return api_fine(&err, error);
}

static bool set_times(EntrainSimulation *s, double start, const double *times, int count,
                      Err *err) {
  if (count <= 0 || !times) return fail(err, ERR_VALUE, "no output times are given");
  if (!isfinite(start)) return fail(err, ERR_VALUE, "the start time must be finite");
  for (int i = 0; i < count; i++) {
    if (!isfinite(times[i]))
      return fail(err, ERR_VALUE, "output time number %d is not finite", i + 1);
    if (i == 0 && times[0] < start)
      return fail(err, ERR_VALUE, "the first output time %.15g is before the start %.15g", times[0],
                  start);
    if (i > 0 && times[i] <= times[i - 1])
      return fail_late("output times must increase", times[i], times[i - 1], err);
  }
  double *copy = ARENA_ARRAY(s->arena, double, count);
  memcpy(copy, times, (size_t)count * sizeof *times);
  use_times(s, start, copy, count);
  return true;
}

bool entrain_simulation_times(EntrainSimulation *s, double start, const double *times, int count,
                              EntrainError *error) {
  if (!s) return api_missing("simulation", error);
  Err err = {0};
  set_times(s, start, times, count, &err);
  return api_fine(&err, error);
}

static int find_input(const EntrainSimulation *s, const char *name) {
  const Model *m = s->model->model;
  for (int i = 0; i < m->nu; i++)
    if (strcmp(m->flat->variables.at[m->input[i]].name, name) == 0) return i;
  return -1;
}

// Boolean inputs are not interpolated.
static InputKind interpolation(const EntrainSimulation *s, int input) {
  const Model *m = s->model->model;
  char word[OPTION_WORD_SIZE];
  InputKind kind = INPUT_LINEAR;
  const Experiment *e = s->experiment;
  if (m->flat->variables.at[m->input[input]].boolean) return INPUT_HOLD;
  if (e && !s->interpolates_as_said)
    return input_is_sampled(e->inputs[input]) ? input_kind(e->inputs[input]) : e->interpolation;
  simulate_options_word(&s->options->simulate, "interpolation", word);
  input_kind_find(word, &kind);
  return kind;
}

static bool is_sound(const Table *t, int column, Err *err) {
  const Err *fault = table_fault(t, column);
  if (fault) *err = *fault;
  return !fault;
}

static bool load_inputs(EntrainSimulation *s, const char *path, Err *err) {
  const Model *m = s->model->model;
  Table *t = table_load(s->arena, path, err);
  if (!t) return false;
  if (t->columns < 1) return fail(err, ERR_DATA, "%s has no columns", path);
  int used = 0;
  for (int c = 1; c < t->columns; c++) {
    int i = find_input(s, t->names[c]);
    if (i < 0) continue;
    if (!is_sound(t, 0, err) || !is_sound(t, c, err)) return false;
    s->given[i] = input_from_table(s->arena, t, 0, c, interpolation(s, i), err);
    if (!s->given[i]) return false;
    used++;
  }
  if (used) return true;
  Arena *scratch = arena_new();
  Text names;
  text_init(&names);
  for (int i = 0; i < m->nu; i++)
    text_print(&names, "%s%s", i ? ", " : "", m->flat->variables.at[m->input[i]].name);
  if (m->nu)
    fail(err, ERR_DATA, "%s has no column for an input of the model; its inputs are %s", path,
         names.at);
  else
    fail(err, ERR_DATA, "the model %s has no inputs", m->flat->name);
  text_done(&names);
  arena_free(scratch);
  return false;
}

bool entrain_simulation_input_file(EntrainSimulation *s, const char *path, EntrainError *error) {
  if (!s) return api_missing("simulation", error);
  if (!path) return api_missing("path", error);
  Err err = {0};
  load_inputs(s, path, &err);
  return api_fine(&err, error);
}

static bool set_input(EntrainSimulation *s, const char *name, const double *t, const double *v,
                      int n, Err *err) {
  int i = find_input(s, name);
  if (i < 0) return fail(err, ERR_NAME, "the model has no input '%s'", name);
  if (n < 0 || (n > 0 && (!t || !v)))
    return fail(err, ERR_VALUE, "the input %s has no times or no values", name);
  s->given[i] = input_new(s->arena, t, v, n, interpolation(s, i), err);
  return s->given[i] != NULL;
}

bool entrain_simulation_input(EntrainSimulation *s, const char *name, const double *times,
                              const double *values, int count, EntrainError *error) {
  if (!s) return api_missing("simulation", error);
  if (!name) return api_missing("name", error);
  Err err = {0};
  set_input(s, name, times, values, count, &err);
  return api_fine(&err, error);
}

// Derivatives of states have the numbers after those of the variables.
static int find_selected(const Model *m, const char *name) {
  const Flat *f = m->flat;
  for (int i = 0; i < m->nx && !model_closed(m); i++) // which may have a variable of that name
    if (strcmp(f->variables.at[m->state[i]].derivative_name, name) == 0)
      return f->variables.count + i;
  return names_find(f->names, name);
}

static const char *selected_name(const Model *m, int number) {
  const Flat *f = m->flat;
  int state = number - f->variables.count;
  return state < 0 ? f->variables.at[number].name
                   : f->variables.at[m->state[state]].derivative_name;
}

static Expr selected_value(const Model *m, int number) {
  int state = number - m->flat->variables.count;
  return state < 0 ? m->value[number] : m->f[state];
}

static bool selected_is_computed(const Model *m, int number) {
  const Flat *f = m->flat;
  return number >= f->variables.count || f->variables.at[number].kind == VARIABLE_UNKNOWN;
}

static bool select_names(EntrainSimulation *s, const char *const *names, int count, Err *err) {
  const Flat *f = s->model->model->flat;
  int *selected = ARENA_ARRAY(s->arena, int, count);
  for (int i = 0; i < count; i++) {
    int k = names[i] ? find_selected(s->model->model, names[i]) : -1;
    if (!names[i]) return fail(err, ERR_NAME, "the name of variable number %d is missing", i + 1);
    if (k < 0) return api_unknown_name(f->names, "variable", names[i], err);
    selected[i] = k;
  }
  s->selected = selected;
  s->selected_count = count;
  return true;
}

bool entrain_simulation_select(EntrainSimulation *s, const char *const *names, int count,
                               EntrainError *error) {
  if (!s) return api_missing("simulation", error);
  Err err = {0};
  forget_system(s);
  if (!names || count <= 0)
    select_all(s);
  else
    select_names(s, names, count, &err);
  return api_fine(&err, error);
}

// There are no derivatives by Boolean or Integer parameters.
static bool is_continuous(const Flat *f, int parameter) {
  const Variable *v = &f->variables.at[f->parameters.at[parameter].variable];
  return !v->boolean && !v->integer;
}

static void take_all_parameters(EntrainSimulation *s) {
  const Flat *f = s->model->model->flat;
  for (int i = 0; i < f->parameters.count; i++)
    if (is_continuous(f, i) && !f->parameters.at[i].dependent && !f->parameters.at[i].is_start &&
        !f->parameters.at[i].evaluated_line)
      s->parameters[s->parameter_count++] = i;
}

static bool take_parameters(EntrainSimulation *s, const char *const *names, int count, Err *err) {
  const Flat *f = s->model->model->flat;
  for (int i = 0; i < count; i++) {
    if (!names || !names[i])
      return fail(err, ERR_NAME, "the name of parameter number %d is missing", i + 1);
    int k = names_find(f->parameter_names, names[i]);
    if (k < 0) return api_unknown_name(f->parameter_names, "parameter", names[i], err);
    if (f->parameters.at[k].dependent)
      return fail(err, ERR_VALUE, "%s depends on other parameters; set it to a value first",
                  names[i]);
    if (!is_continuous(f, k))
      return fail(err, ERR_VALUE,
                  "%s is not a Real parameter: there is no derivative with respect to it",
                  names[i]);
    if (f->parameters.at[k].evaluated_line)
      return fail(
          err, ERR_VALUE,
          "%s is a number of the table in line %s: there is no derivative with respect to it",
          names[i], flat_line(f, f->parameters.at[k].evaluated_line).at);
    for (int j = 0; j < s->parameter_count; j++)
      if (s->parameters[j] == k) return fail(err, ERR_VALUE, "%s is named twice", names[i]);
    s->parameters[s->parameter_count++] = k;
  }
  return true;
}

bool entrain_simulation_sensitivities(EntrainSimulation *s, const char *const *parameters,
                                      int count, EntrainError *error) {
  if (!s) return api_missing("simulation", error);
  Err err = {0};
  forget_system(s);
  int most = count > s->model->model->np ? count : s->model->model->np;
  s->parameters = ARENA_ARRAY(s->arena, int, most + 1);
  s->parameter_count = 0;
  if (count <= 0)
    take_all_parameters(s);
  else if (!take_parameters(s, parameters, count, &err))
    s->parameter_count = 0;
  return api_fine(&err, error);
}

void entrain_simulation_second_order(EntrainSimulation *s, bool wanted) {
  if (!s) return;
  forget_system(s);
  s->second_order = wanted;
}

// ---------------------------------------------------------------- the run

static bool has_second(const EntrainSimulation *s) {
  return s->second_order && s->parameter_count > 0;
}

static CodeChoice code_choice(const EntrainSimulation *s) {
  char word[OPTION_WORD_SIZE];
  simulate_options_word(&s->options->simulate, "jit", word);
  return strcmp(word, "off") == 0 ? CODE_INTERPRETER : CODE_AUTO;
}

static void make_system(EntrainSimulation *s) {
  const Model *m = s->model->model;
  Expr *outputs = ARENA_ARRAY(s->arena, Expr, s->selected_count + 1);
  for (int i = 0; i < s->selected_count; i++) outputs[i] = selected_value(m, s->selected[i]);
  SystemSpec spec = {.outputs = outputs,
                     .output_count = s->selected_count,
                     .parameters = s->parameters,
                     .parameter_count = s->parameter_count,
                     .lanes = 1,
                     .code = code_choice(s)};
  simulate_needs(&s->options->simulate, m->nx, &spec);
  s->system = system_new(s->model->model, &spec);
  s->work = simulate_work_new(s->system, &s->options->simulate);
}

// Outputs: the variables, then their slopes.
static void make_second_system(EntrainSimulation *s) {
  Model *m = s->model->model;
  int n = s->selected_count, slopes = n * s->parameter_count;
  const Augmented *a = model_with_sensitivities(m, s->parameters, s->parameter_count);
  Expr *outputs = ARENA_ARRAY(s->arena, Expr, n + slopes + 1);
  pthread_mutex_lock(m->lock);
  for (int i = 0; i < n; i++) outputs[i] = selected_value(m, s->selected[i]);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < s->parameter_count; k++)
      augmented_slopes(a, &outputs[i], 1, k, &outputs[n + i * s->parameter_count + k]);
  pthread_mutex_unlock(m->lock);
  SimulateOptions options = second_simulate_options(&s->options->simulate, s->stiff);
  second_system_free(s->second);
  s->second = second_system_new(a, outputs, n + slopes, &options, code_choice(s));
  if (!s->kinks) s->kinks = kinks_new(m, s->parameters, s->parameter_count, code_choice(s));
}

// The default may depend on a parameter that was set since the last run.
static const Input *default_input(EntrainSimulation *s, int i, double value) {
  if (!s->defaults[i] || s->default_value[i] != value) {
    s->defaults[i] = input_constant(s->arena, value);
    s->default_value[i] = value;
  }
  return s->defaults[i];
}

static bool fill_inputs(EntrainSimulation *s, Err *err) {
  const Model *m = s->model->model;
  for (int i = 0; i < m->nu; i++) {
    const Variable *v = &m->flat->variables.at[m->input[i]];
    if (s->given[i]) {
      if (s->made_of[i] != s->given[i])
        s->inputs[i] = input_since(s->arena, s->given[i], s->origin);
      s->made_of[i] = s->given[i];
      continue;
    }
    if (!v->has_value)
      return fail(
          err, ERR_DATA,
          "the input %s has no data; give its values with the inputs, or a default in the model "
          "(input Real %s = 0)",
          v->name, v->name);
    if (v->default_follows && s->parameter_count)
      return fail(
          err, ERR_UNSUPPORTED,
          "the default of the input %s depends on parameters, which sensitivities do not "
          "support; give its values with the inputs, or make it a variable with an equation",
          v->name);
    s->inputs[i] = default_input(s, i, v->default_value);
  }
  return true;
}

static int column_count(const EntrainSimulation *s) {
  int n = s->parameter_count, pairs = has_second(s) ? n * (n + 1) / 2 : 0;
  return 1 + s->selected_count * (1 + n + pairs);
}

static void describe_columns(ResultColumns *shared, const EntrainSimulation *s) {
  const Model *m = s->model->model;
  int at = 0;
  Arena *a = shared->arena;
  const char **names = shared->names = ARENA_ARRAY(a, const char *, column_count(s));
  shared->computed = ARENA_ARRAY(a, bool, column_count(s));
  shared->units = ARENA_ARRAY(a, const char *, column_count(s));
  for (int i = 0; i < column_count(s); i++) shared->units[i] = "";
  shared->title = arena_print(a, "Motion: %s", entrain_model_name(s->model));
  names[at++] = "time";
  for (int i = 0; i < s->selected_count; i++) {
    shared->computed[at] = selected_is_computed(m, s->selected[i]);
    if (s->selected[i] < m->flat->variables.count &&
        m->flat->variables.at[s->selected[i]].unit[0]) {
      shared->units[at] = arena_print(a, "%s", m->flat->variables.at[s->selected[i]].unit);
      shared->units[0] = "s"; // models with units run in seconds
    }
    names[at++] = arena_print(a, "%s", selected_name(m, s->selected[i]));
  }
  for (int i = 0; i < s->selected_count; i++)
    for (int k = 0; k < s->parameter_count; k++)
      names[at++] = arena_print(a, "d%s/d%s", selected_name(m, s->selected[i]),
                                m->flat->parameters.at[s->parameters[k]].name);
  for (int i = 0; has_second(s) && i < s->selected_count; i++)
    for (int k = 0; k < s->parameter_count; k++)
      for (int l = k; l < s->parameter_count; l++)
        names[at++] = arena_print(a, "d2%s/d%sd%s", selected_name(m, s->selected[i]),
                                  m->flat->parameters.at[s->parameters[k]].name,
                                  m->flat->parameters.at[s->parameters[l]].name);
}

// The system is kept between runs until the model, the options, the columns or the parameters change.
static void renew_system(EntrainSimulation *s) {
  const SimulateOptions *o = &s->options->simulate;
  bool same = (s->system || s->second) && s->version == s->model->version &&
              memcmp(o, &s->made_with, sizeof *o) == 0;
  if (same) return;
  forget_system(s);
  s->version = s->model->version;
  s->made_with = *o;
  s->stiff = false;
  if (has_second(s))
    make_second_system(s);
  else
    make_system(s);
  s->shared = result_columns_new();
  describe_columns(s->shared, s);
}

static EntrainResult *result_new(EntrainSimulation *s) {
  Arena *spare = atomic_exchange(&s->shared->spare, NULL), *a = spare ? spare : arena_new();
  EntrainResult *r = ARENA_NEW(a, EntrainResult);
  int columns = column_count(s);
  double **column = ARENA_ARRAY(a, double *, columns);
  size_t rows = (size_t)s->time_count;
  double *numbers = ARENA_RAW(a, double, (size_t)columns *rows + 8);
  for (int c = 0; c < columns; c++) column[c] = numbers + (size_t)c * rows;
  memcpy(column[0], s->times, rows * sizeof(double));
  r->arena = a;
  r->shared = result_columns_share(s->shared);
  r->trajectory.column = column + 1;
  r->trajectory.with_sens = s->parameter_count > 0;
  r->series = (Series){0, columns, s->shared->names, (const double *const *)column};
  r->plain = 1 + s->selected_count;
  return r;
}

static void note_invariants(EntrainResult *r, const EntrainSimulation *s) {
  const ModelConstraints *all = s->model->constraints;
  const Model *m = s->model->model;
  r->invariants = ARENA_ARRAY(r->arena, EntrainInvariant, m->invariant_count + 1);
  for (int k = 0; k < all->count; k++)
    for (int i = all->at[k].first; i < all->at[k].first + all->at[k].count; i++)
      r->invariants[r->invariant_count++] =
          (EntrainInvariant){sizeof(EntrainInvariant),
                             k,
                             all->at[k].line,
                             m->invariants[i].level,
                             simulate_violation(s->work, i),
                             r->trajectory.with_sens ? simulate_violation_sens(s->work, i) : 0,
                             simulate_violation_relative(s->work, i),
                             all->at[k].place};
}

// Sensitivities of the slopes: each pair has one column; the other of the two, and those of the variables, go nowhere.
static double *const *second_columns(const EntrainSimulation *s, EntrainResult *r) {
  int n = s->parameter_count, outputs = s->selected_count * (1 + n), at = outputs;
  double *nowhere = ARENA_RAW(r->arena, double, (size_t)s->time_count + 8);
  double **column = ARENA_ARRAY(r->arena, double *, outputs *(1 + n) + 1);
  for (int i = 0; i < outputs * (1 + n); i++)
    column[i] = i < outputs ? r->trajectory.column[i] : nowhere;
  for (int i = 0; i < s->selected_count; i++)
    for (int k = 0; k < n; k++)
      for (int l = k; l < n; l++)
        column[outputs + (s->selected_count + i * n + k) * n + l] = r->trajectory.column[at++];
  return column;
}

// What an explicit method cannot follow may be stiff.
static void run_second(EntrainSimulation *s, SimulateRequest *request, EntrainResult *r, Err *err) {
  Trajectory *t = &r->trajectory;
  char why[700];
  t->column = second_columns(s, r);
  t->stepped = kinks_watch;
  t->stepped_data = s->kinks;
  for (bool again = true; again;) {
    second_system_set(s->second, s->model->p);
    kinks_begin(s->kinks, s->model->p, request);
    request->p = s->second->p;
    simulate_run(s->second->work, request, t);
    again = t->outcome != OUTCOME_REACHED_END && !s->stiff && patience_lasts(0);
    if (again) s->stiff = true, make_second_system(s);
  }
  if (t->outcome == OUTCOME_REACHED_END && !kinks_passed(s->kinks, t, why))
    fail(err, ERR_UNSUPPORTED, "there are no second derivatives: %.600s", why);
}

static EntrainResult *simulate(EntrainSimulation *s, Err *err) {
  if (!s->times) {
    fail(err, ERR_USAGE, "the output times are not set");
    return NULL;
  }
  if (has_second(s) && s->model->closed) {
    fail(err, ERR_UNSUPPORTED,
         "second derivatives come from the equations; those of the %s %s are "
         "not known",
         s->model->closed->kind, s->model->closed->name);
    return NULL;
  }
  if (!fill_inputs(s, err)) return NULL;
  renew_system(s);
  EntrainResult *r = result_new(s);
  SimulateRequest request = {.p = s->model->p,
                             .inputs = s->inputs,
                             .origin = s->origin,
                             .start = s->start - s->origin,
                             .times = s->since,
                             .count = s->time_count};
  if (s->experiment)
    request.experiment = s->experiment->number, request.experiment_name = s->experiment->name;
  ClosedModel *closed = s->model->closed;
  if (closed) closed->set_threads(closed, s->options->fit.threads);
  double begin = clock_seconds();
  Patience patience = {.until = patience_until(s->options->fit.max_seconds)};
  patience_begin(&patience);
  if (s->second)
    run_second(s, &request, r, err);
  else
    simulate_run(s->work, &request, &r->trajectory);
  patience_end(&patience);
  r->seconds = clock_seconds() - begin;
  r->series.rows = r->trajectory.rows;
  if (!s->second) note_invariants(r, s);
  if (!err->code) return r;
  entrain_result_free(r);
  return NULL;
}

EntrainResult *entrain_simulation_run(EntrainSimulation *s, EntrainError *error) {
  if (!s) return api_none("simulation", error);
  Err err = {0};
  EntrainResult *r = simulate(s, &err);
  api_publish(&err, error);
  return r;
}

// ---------------------------------------------------------------- of an experiment

// The model as the experiment has it; it lives as long as the simulation.
static EntrainModel *model_of(Arena *a, const Problem *root, const Problem *of, int e,
                              const double *values) {
  EntrainModel *m = ARENA_NEW(a, EntrainModel);
  m->arena = a;
  m->model = root->model;
  m->closed = root->closed;
  m->p = ARENA_ARRAY(a, double, root->model->np + 1);
  problem_parameters(of, e, values, m->p);
  m->constraints = model_constraints_new(a, root->model);
  return m;
}

static bool take_options(EntrainSimulation *s, EntrainOptions *o, const EntrainSetting *given,
                         int count, EntrainError *error) {
  for (int i = 0; i < count; i++) {
    if (!entrain_options_set(o, given[i].name, given[i].value, error)) return false;
    s->interpolates_as_said |= strcmp(given[i].name, "interpolation") == 0;
  }
  return true;
}

// Inputs of the experiment count from its origin.
static void take_inputs(EntrainSimulation *s, const Experiment *e) {
  s->experiment = e;
  for (int i = 0; i < s->model->model->nu; i++) {
    const Input *in = e->inputs[i];
    if (s->interpolates_as_said && input_is_sampled(in))
      in = input_as(s->arena, in, interpolation(s, i));
    s->given[i] = input_since(s->arena, in, -e->origin);
  }
}

EntrainSimulation *entrain_problem_simulation(const EntrainProblem *problem, int i,
                                              const double *values, const EntrainSetting *options,
                                              int count, EntrainError *error) {
  if (!problem) return api_none("problem", error);
  if (count < 0 || (count > 0 && !options)) return api_none("list of options", error);
  Err err = {0};
  const Problem *root = problem->problem, *of = root;
  const Experiment *e = problem_experiment(root, i);
  if (!e) fail(&err, ERR_USAGE, "there is no experiment number %d", i);
  for (int k = 0; values && k < root->unknown_count; k++)
    if (!isfinite(values[k]))
      fail(&err, ERR_VALUE, "the value of %s must be finite", root->unknowns[k].name);
  if (err.code) return api_fine(&err, error), NULL;
  while (e < of->experiments || e >= of->experiments + of->experiment_count) of = of->validation;
  Arena *a = arena_new();
  EntrainOptions *o = ARENA_NEW(a, EntrainOptions);
  o->simulate = root->simulate, o->fit = root->options;
  EntrainSimulation *s =
      simulation_new(a, model_of(a, root, of, (int)(e - of->experiments), values), o);
  if (take_options(s, o, options, count, error)) {
    take_inputs(s, e);
    api_publish(&err, error);
    return s;
  }
  entrain_simulation_free(s);
  return NULL;
}
