// The public library: include/entrain.h over the layers below.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/csv.h"
#include "entrain.h"
#include "lang/parse.h"
#include "report/model_report.h"
#include "report/plot.h"
#include "report/series.h"
#include "simulate/simulate.h"

const char *entrain_version(void) { return "0.1.0"; }

// ---------------------------------------------------------------- errors

static void publish(const Err *err, EntrainError *out) {
  if (!out) return;
  out->code = (int)err->code;
  out->exit_status = err_exit_status(err->code);
  out->line = err->line, out->column = err->column;
  memcpy(out->file, err->file, sizeof out->file);
  memcpy(out->text, err->text, sizeof out->text);
  memcpy(out->excerpt, err->excerpt, sizeof out->excerpt);
}

// Publishes what went wrong; true when nothing did.
static bool fine(const Err *err, EntrainError *out) {
  publish(err, out);
  return err->code == ERR_NONE;
}

int entrain_error_format(const EntrainError *error, char *out, size_t size) {
  Err err = {.code = (ErrCode)error->code, .line = error->line, .column = error->column};
  memcpy(err.file, error->file, sizeof err.file);
  memcpy(err.text, error->text, sizeof err.text);
  memcpy(err.excerpt, error->excerpt, sizeof err.excerpt);
  char whole[1600];
  err_format(&err, whole, sizeof whole);
  size_t length = strlen(whole), shown = size == 0 ? 0 : length < size ? length : size - 1;
  if (size) memcpy(out, whole, shown), out[shown] = 0;
  return (int)length;
}

void entrain_text_free(char *text) { free(text); }

// Hands the characters of a Text to the caller.
static char *give(Text *t) { return t->at; }

// ---------------------------------------------------------------- models

struct EntrainModel {
  Arena *arena; // text, tree, overrides
  const Source *source;
  const AstModel *ast;
  ARRAY(Override) overrides;
  Model *model;
  double *p; // values of all parameters
  ARRAY(const char *) warnings;
};

static void list_warnings(EntrainModel *m) {
  m->warnings.count = 0;
  const Warnings *w = &m->model->flat->warnings;
  for (int i = 0; i < w->list.count; i++) {
    char text[1600];
    warning_format(&w->list.at[i], text, sizeof text);
    array_push(m->arena, &m->warnings, arena_copy(m->arena, text, strlen(text)));
  }
}

static bool build(EntrainModel *m, Err *err) {
  Model *model = model_new(m->source, m->ast, m->overrides.at, m->overrides.count, err);
  if (!model) return false;
  model_free(m->model);
  m->model = model;
  m->p = ARENA_ARRAY(m->arena, double, model->np + 1);
  for (int i = 0; i < model->np; i++) m->p[i] = model->flat->parameters.at[i].value;
  list_warnings(m);
  return true;
}

static EntrainModel *model_from(Arena *a, const Source *source, Err *err) {
  EntrainModel *m = ARENA_NEW(a, EntrainModel);
  m->arena = a;
  m->source = source;
  m->ast = source ? parse_model(a, source, err) : NULL;
  if (m->ast && build(m, err)) return m;
  arena_free(a);
  return NULL;
}

EntrainModel *entrain_model_load(const char *path, EntrainError *error) {
  Err err = {0};
  Arena *a = arena_new();
  EntrainModel *m = model_from(a, source_load(a, path, &err), &err);
  publish(&err, error);
  return m;
}

EntrainModel *entrain_model_parse(const char *name, const char *text, size_t length, EntrainError *error) {
  Err err = {0};
  Arena *a = arena_new();
  EntrainModel *m = model_from(a, source_new(a, name ? name : "<text>", text, length, &err), &err);
  publish(&err, error);
  return m;
}

void entrain_model_free(EntrainModel *m) {
  if (!m) return;
  model_free(m->model);
  arena_free(m->arena);
}

const char *entrain_model_name(const EntrainModel *m) { return m->model->flat->name; }
int entrain_model_warning_count(const EntrainModel *m) { return m->warnings.count; }
const char *entrain_model_warning(const EntrainModel *m, int i) { return m->warnings.at[i]; }

// ---------------------------------------------------------------- variables of a model

static bool is_of_kind(const Variable *v, EntrainKind kind) {
  switch (kind) {
  case ENTRAIN_STATE: return v->state;
  case ENTRAIN_INPUT: return v->kind == VARIABLE_INPUT;
  case ENTRAIN_OUTPUT: return v->output;
  case ENTRAIN_VARIABLE: return v->kind == VARIABLE_UNKNOWN || v->kind == VARIABLE_INPUT;
  default: return false;
  }
}

// Number of variable i of this kind among all variables, -1 when there is none.
static int variable_number(const Flat *f, EntrainKind kind, int i) {
  for (int k = 0; k < f->variables.count; k++)
    if (is_of_kind(&f->variables.at[k], kind) && i-- == 0) return k;
  return -1;
}

int entrain_model_count(const EntrainModel *m, EntrainKind kind) {
  const Flat *f = m->model->flat;
  if (kind == ENTRAIN_PARAMETER) return f->parameters.count;
  int count = 0;
  for (int k = 0; k < f->variables.count; k++) count += is_of_kind(&f->variables.at[k], kind);
  return count;
}

static double start_value(const EntrainModel *m, const Variable *v) {
  return v->kind == VARIABLE_INPUT ? v->default_value : flat_value(m->model->flat, v->start);
}

bool entrain_model_variable(const EntrainModel *m, EntrainKind kind, int i, EntrainVariable *out) {
  Flat *f = m->model->flat;
  if (i < 0) return false;
  const Parameter *p = kind == ENTRAIN_PARAMETER && i < f->parameters.count ? &f->parameters.at[i] : NULL;
  int k = p ? p->variable : variable_number(f, kind, i);
  if (k < 0) return false;
  const Variable *v = &f->variables.at[k];
  *out = (EntrainVariable){p ? p->name : v->name,
                           v->description ? v->description : "",
                           v->unit ? v->unit : "",
                           p ? (p->dependent ? flat_value(f, p->node) : m->p[i]) : start_value(m, v),
                           v->min,
                           v->max,
                           v->nominal,
                           p && p->dependent};
  return true;
}

int entrain_model_find(const EntrainModel *m, EntrainKind kind, const char *name) {
  const Flat *f = m->model->flat;
  if (kind == ENTRAIN_PARAMETER) return names_find(f->parameter_names, name);
  int wanted = names_find(f->names, name), count = 0;
  if (wanted < 0 || !is_of_kind(&f->variables.at[wanted], kind)) return -1;
  for (int k = 0; k < wanted; k++) count += is_of_kind(&f->variables.at[k], kind);
  return count;
}

static bool unknown_name(const Names *names, const char *what, const char *name, Err *err) {
  Arena *scratch = arena_new();
  int n = names_count(names);
  const char **all = ARENA_ARRAY(scratch, const char *, n + 1);
  for (int i = 0; i < n; i++) all[i] = names_at(names, i);
  const char *near = nearest_name(name, all, n);
  if (near) fail(err, ERR_NAME, "there is no %s '%s'; did you mean '%s'?", what, name, near);
  else fail(err, ERR_NAME, "there is no %s '%s'", what, name);
  arena_free(scratch);
  return false;
}

// A number, or an expression of numbers and constants of the model.
static bool read_value(EntrainModel *m, const char *name, const char *text, double *value, Err *err) {
  Arena *scratch = arena_new();
  bool ok = number_parse(text, value);
  if (!ok) {
    Source *s = source_new(scratch, arena_print(scratch, "value of %s", name), text, strlen(text), err);
    const Ast *e = s ? parse_expression(scratch, s, err) : NULL;
    Expr expression = 0;
    ok = e && flat_expression(m->model->flat, s, e, &expression, err);
    if (ok && !expr_is_const(m->model->graph, expression))
      ok = fail(err, ERR_VALUE, "the value of %s must be a number, not '%s'", name, text);
    if (ok) *value = flat_value(m->model->flat, expression);
  }
  arena_free(scratch);
  if (ok && !isfinite(*value)) ok = fail(err, ERR_VALUE, "the value of %s must be finite, not '%s'", name, text);
  return ok;
}

static void remember_override(EntrainModel *m, const char *name, double value) {
  for (int i = 0; i < m->overrides.count; i++)
    if (strcmp(m->overrides.at[i].name, name) == 0) {
      m->overrides.at[i].value = value;
      return;
    }
  array_push(m->arena, &m->overrides, ((Override){arena_copy(m->arena, name, strlen(name)), value}));
}

static bool check_type(const Variable *v, double value, Err *err) {
  if (v->integer && value != floor(value)) return fail(err, ERR_VALUE, "%s is Integer, not %g", v->name, value);
  if (v->boolean && value != 0 && value != 1) return fail(err, ERR_VALUE, "%s is Boolean: true or false", v->name);
  return true;
}

static bool set(EntrainModel *m, const char *name, const char *text, Err *err) {
  const Flat *f = m->model->flat;
  int k = names_find(f->parameter_names, name), v = names_find(f->names, name);
  double value;
  if (k < 0 && v >= 0 && f->variables.at[v].state)
    return fail(err, ERR_NAME, "%s is a state; set its start value with %s.start", name, name);
  if (k < 0 && v >= 0)
    return fail(err, ERR_NAME, "%s is no parameter: %s", name,
                f->variables.at[v].kind == VARIABLE_CONSTANT ? "it is a constant"
                : f->variables.at[v].kind == VARIABLE_INPUT  ? "it is an input; give it by --inputs"
                                                             : "the equations determine it");
  if (k < 0) return unknown_name(f->parameter_names, "parameter", name, err);
  if (!read_value(m, name, text, &value, err)) return false;
  if (!check_type(&f->variables.at[f->parameters.at[k].variable], value, err)) return false;
  remember_override(m, name, value);
  return build(m, err); // other parameters, start values and bounds may follow from it
}

bool entrain_model_set(EntrainModel *m, const char *name, const char *value, EntrainError *error) {
  Err err = {0};
  set(m, name, value, &err);
  return fine(&err, error);
}

char *entrain_model_report(const EntrainModel *m, EntrainReport what) {
  Text t;
  text_init(&t);
  model_report(&t, m->model, (ModelReport)what);
  return give(&t);
}

// ---------------------------------------------------------------- options

struct EntrainOptions {
  SimulateOptions simulate;
};

EntrainOptions *entrain_options_new(void) {
  EntrainOptions *o = calloc(1, sizeof *o);
  if (o) simulate_options_init(&o->simulate);
  return o;
}

void entrain_options_free(EntrainOptions *o) { free(o); }

bool entrain_options_set(EntrainOptions *o, const char *name, const char *value, EntrainError *error) {
  Err err = {0};
  options_set(&SIMULATE_OPTIONS, &o->simulate, name, value, &err);
  return fine(&err, error);
}

int entrain_option_count(void) { return SIMULATE_OPTIONS.count; }

bool entrain_option(int i, EntrainOption *out) {
  if (i < 0 || i >= SIMULATE_OPTIONS.count) return false;
  const OptionRow *row = &SIMULATE_OPTIONS.rows[i];
  *out = (EntrainOption){row->name, option_type_name(row), row->default_text, row->range, row->meaning};
  return true;
}

// ---------------------------------------------------------------- simulation

struct EntrainSimulation {
  Arena *arena;
  const EntrainModel *model;
  const EntrainOptions *options;
  double start;
  double *times;
  int time_count;
  const Input **inputs; // NULL entries: the default value
  int *selected;        // variable numbers
  int selected_count;
  int *parameters;
  int parameter_count;
  System *system; // of the last run, while nothing has changed
  SimulateWork *work;
};

static void forget_system(EntrainSimulation *s) {
  simulate_work_free(s->work);
  system_free(s->system);
  s->work = NULL;
  s->system = NULL;
}

static void select_all(EntrainSimulation *s) {
  const Flat *f = s->model->model->flat;
  s->selected = ARENA_ARRAY(s->arena, int, f->variables.count + 1);
  s->selected_count = 0;
  for (int i = 0; i < f->variables.count; i++)
    if (f->variables.at[i].kind == VARIABLE_UNKNOWN) s->selected[s->selected_count++] = i;
}

EntrainSimulation *entrain_simulation_new(const EntrainModel *m, const EntrainOptions *o, EntrainError *error) {
  Err err = {0};
  Arena *a = arena_new();
  EntrainSimulation *s = ARENA_NEW(a, EntrainSimulation);
  s->arena = a;
  s->model = m;
  s->options = o;
  s->inputs = ARENA_ARRAY(a, const Input *, m->model->nu + 1);
  select_all(s);
  publish(&err, error);
  return s;
}

void entrain_simulation_free(EntrainSimulation *s) {
  if (!s) return;
  forget_system(s);
  arena_free(s->arena);
}

enum { ROWS_MOST = 100000000 };

static bool set_grid(EntrainSimulation *s, double start, double stop, double step, Err *err) {
  if (!isfinite(start) || !isfinite(stop) || !isfinite(step)) return fail(err, ERR_VALUE, "start, stop and step must be finite");
  if (stop < start) return fail(err, ERR_VALUE, "stop (%g) is before start (%g)", stop, start);
  if (step < 0) return fail(err, ERR_VALUE, "step must be positive, not %g", step);
  if (step == 0) step = (stop - start) / 500;
  double intervals = stop > start ? (stop - start) / step : 0;
  if (!(intervals < ROWS_MOST)) return fail(err, ERR_LIMIT, "more than %d output times", ROWS_MOST);
  int whole = (int)floor(intervals * (1 + 4 * DBL_EPSILON)), count = 0;
  s->times = ARENA_ARRAY(s->arena, double, whole + 2);
  for (int i = 0; i <= whole; i++) s->times[count++] = start + i * step;
  if (count && fabs(s->times[count - 1] - stop) <= 1e-9 * step) s->times[count - 1] = stop;
  else if (s->times[count - 1] < stop) s->times[count++] = stop;
  s->start = start;
  s->time_count = count;
  return true;
}

bool entrain_simulation_grid(EntrainSimulation *s, double start, double stop, double step, EntrainError *error) {
  Err err = {0};
  set_grid(s, start, stop, step, &err);
  return fine(&err, error);
}

static bool set_times(EntrainSimulation *s, double start, const double *times, int count, Err *err) {
  if (count <= 0) return fail(err, ERR_VALUE, "no output times are given");
  if (!isfinite(start)) return fail(err, ERR_VALUE, "the start time must be finite");
  for (int i = 0; i < count; i++) {
    if (!isfinite(times[i])) return fail(err, ERR_VALUE, "output time number %d is not finite", i + 1);
    if (i == 0 && times[0] < start) return fail(err, ERR_VALUE, "the first output time %g is before the start %g", times[0], start);
    if (i > 0 && times[i] <= times[i - 1])
      return fail(err, ERR_VALUE, "output times must increase: %g follows %g", times[i], times[i - 1]);
  }
  s->times = ARENA_ARRAY(s->arena, double, count);
  memcpy(s->times, times, (size_t)count * sizeof *times);
  s->time_count = count;
  s->start = start;
  return true;
}

bool entrain_simulation_times(EntrainSimulation *s, double start, const double *times, int count, EntrainError *error) {
  Err err = {0};
  set_times(s, start, times, count, &err);
  return fine(&err, error);
}

static int find_input(const EntrainSimulation *s, const char *name) {
  const Model *m = s->model->model;
  for (int i = 0; i < m->nu; i++)
    if (strcmp(m->flat->variables.at[m->input[i]].name, name) == 0) return i;
  return -1;
}

static InputKind interpolation(const EntrainSimulation *s) {
  char word[OPTION_WORD_SIZE];
  InputKind kind = INPUT_LINEAR;
  simulate_options_word(&s->options->simulate, "interpolation", word);
  input_kind_find(word, &kind);
  return kind;
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
    s->inputs[i] = input_from_table(s->arena, t, 0, c, interpolation(s), err);
    if (!s->inputs[i]) return false;
    used++;
  }
  if (used) return true;
  Arena *scratch = arena_new();
  Text names;
  text_init(&names);
  for (int i = 0; i < m->nu; i++) text_print(&names, "%s%s", i ? ", " : "", m->flat->variables.at[m->input[i]].name);
  if (m->nu) fail(err, ERR_DATA, "%s has no column for an input of the model; its inputs are %s", path, names.at);
  else fail(err, ERR_DATA, "the model %s has no inputs", m->flat->name);
  text_done(&names);
  arena_free(scratch);
  return false;
}

bool entrain_simulation_input_file(EntrainSimulation *s, const char *path, EntrainError *error) {
  Err err = {0};
  load_inputs(s, path, &err);
  return fine(&err, error);
}

static bool set_input(EntrainSimulation *s, const char *name, const double *t, const double *v, int n, Err *err) {
  int i = find_input(s, name);
  if (i < 0) return fail(err, ERR_NAME, "the model has no input '%s'", name);
  s->inputs[i] = input_new(s->arena, t, v, n, interpolation(s), err);
  return s->inputs[i] != NULL;
}

bool entrain_simulation_input(EntrainSimulation *s, const char *name, const double *times, const double *values, int count,
                              EntrainError *error) {
  Err err = {0};
  set_input(s, name, times, values, count, &err);
  return fine(&err, error);
}

static bool select_names(EntrainSimulation *s, const char *const *names, int count, Err *err) {
  const Flat *f = s->model->model->flat;
  int *selected = ARENA_ARRAY(s->arena, int, count);
  for (int i = 0; i < count; i++) {
    int k = names_find(f->names, names[i]);
    if (k < 0) return unknown_name(f->names, "variable", names[i], err);
    selected[i] = k;
  }
  s->selected = selected;
  s->selected_count = count;
  return true;
}

bool entrain_simulation_select(EntrainSimulation *s, const char *const *names, int count, EntrainError *error) {
  Err err = {0};
  forget_system(s);
  if (!names || count == 0) select_all(s);
  else select_names(s, names, count, &err);
  return fine(&err, error);
}

static void take_all_parameters(EntrainSimulation *s) {
  const Flat *f = s->model->model->flat;
  for (int i = 0; i < f->parameters.count; i++)
    if (!f->parameters.at[i].dependent && !f->parameters.at[i].is_start) s->parameters[s->parameter_count++] = i;
}

static bool take_parameters(EntrainSimulation *s, const char *const *names, int count, Err *err) {
  const Flat *f = s->model->model->flat;
  for (int i = 0; i < count; i++) {
    int k = names_find(f->parameter_names, names[i]);
    if (k < 0) return unknown_name(f->parameter_names, "parameter", names[i], err);
    if (f->parameters.at[k].dependent)
      return fail(err, ERR_VALUE, "%s follows from other parameters; set it to a value of its own first", names[i]);
    s->parameters[s->parameter_count++] = k;
  }
  return true;
}

bool entrain_simulation_sensitivities(EntrainSimulation *s, const char *const *parameters, int count, EntrainError *error) {
  Err err = {0};
  forget_system(s);
  int most = count > s->model->model->np ? count : s->model->model->np;
  s->parameters = ARENA_ARRAY(s->arena, int, most + 1);
  s->parameter_count = 0;
  if (count == 0) take_all_parameters(s);
  else take_parameters(s, parameters, count, &err);
  return fine(&err, error);
}

// ---------------------------------------------------------------- results

struct EntrainResult {
  Arena *arena;
  Trajectory trajectory;
  double seconds;
  Series series;
  int plain; // columns that are no sensitivities, time included
};

static CodeChoice code_choice(const EntrainSimulation *s) {
  char word[OPTION_WORD_SIZE];
  simulate_options_word(&s->options->simulate, "jit", word);
  return strcmp(word, "off") == 0 ? CODE_INTERPRETER : CODE_AUTO;
}

static void make_system(EntrainSimulation *s) {
  const Model *m = s->model->model;
  Expr *outputs = ARENA_ARRAY(s->arena, Expr, s->selected_count + 1);
  for (int i = 0; i < s->selected_count; i++) outputs[i] = m->value[s->selected[i]];
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

static bool fill_inputs(EntrainSimulation *s, Err *err) {
  const Model *m = s->model->model;
  for (int i = 0; i < m->nu; i++) {
    const Variable *v = &m->flat->variables.at[m->input[i]];
    if (s->inputs[i]) continue;
    if (!v->has_value) return fail(err, ERR_DATA, "the input %s has no data; give it by --inputs or a default in the model (input Real %s = 0)", v->name, v->name);
    s->inputs[i] = input_constant(s->arena, v->default_value);
  }
  return true;
}

static const char **column_names(EntrainResult *r, const EntrainSimulation *s) {
  const Flat *f = s->model->model->flat;
  int ny = s->selected_count, np = s->parameter_count, at = 0;
  const char **names = ARENA_ARRAY(r->arena, const char *, 1 + ny * (1 + np) + 1);
  names[at++] = "time";
  for (int i = 0; i < ny; i++) names[at++] = arena_print(r->arena, "%s", f->variables.at[s->selected[i]].name);
  for (int i = 0; i < ny; i++)
    for (int k = 0; k < np; k++)
      names[at++] = arena_print(r->arena, "d%s/d%s", f->variables.at[s->selected[i]].name,
                                f->parameters.at[s->parameters[k]].name);
  return names;
}

static void fill_columns(EntrainResult *r, const EntrainSimulation *s) {
  int ny = s->selected_count, np = s->parameter_count, columns = 1 + ny * (1 + np), rows = r->trajectory.rows;
  double **column = ARENA_ARRAY(r->arena, double *, columns);
  for (int c = 0; c < columns; c++) column[c] = ARENA_ARRAY(r->arena, double, rows + 1);
  for (int row = 0; row < rows; row++) {
    column[0][row] = s->times[row];
    for (int i = 0; i < ny; i++) column[1 + i][row] = r->trajectory.values[(size_t)row * (size_t)ny + (size_t)i];
    for (int i = 0; i < ny * np; i++)
      column[1 + ny + i][row] = r->trajectory.sens[(size_t)row * (size_t)(ny * np) + (size_t)i];
  }
  r->series = (Series){rows, columns, column_names(r, s), (const double *const *)column};
  r->plain = 1 + ny;
}

static EntrainResult *simulate(EntrainSimulation *s, Err *err) {
  if (!s->times) {
    fail(err, ERR_USAGE, "the output times are not set");
    return NULL;
  }
  if (!fill_inputs(s, err)) return NULL;
  if (!s->system) make_system(s);
  Arena *a = arena_new();
  EntrainResult *r = ARENA_NEW(a, EntrainResult);
  size_t width = (size_t)s->selected_count, numbers = (size_t)s->time_count * width;
  r->arena = a;
  r->trajectory.values = ARENA_ARRAY(a, double, numbers + 8);
  if (s->parameter_count) r->trajectory.sens = ARENA_ARRAY(a, double, numbers * (size_t)s->parameter_count + 8);
  SimulateRequest request = {s->model->p, s->inputs, s->start, s->times, s->time_count};
  double begin = clock_seconds();
  simulate_run(s->work, &request, &r->trajectory);
  r->seconds = clock_seconds() - begin;
  fill_columns(r, s);
  return r;
}

EntrainResult *entrain_simulation_run(EntrainSimulation *s, EntrainError *error) {
  Err err = {0};
  EntrainResult *r = simulate(s, &err);
  publish(&err, error);
  return r;
}

void entrain_result_free(EntrainResult *r) {
  if (r) arena_free(r->arena);
}

EntrainOutcome entrain_result_outcome(const EntrainResult *r) { return (EntrainOutcome)r->trajectory.outcome; }
const char *entrain_result_outcome_name(const EntrainResult *r) { return outcome_word(r->trajectory.outcome); }
const char *entrain_result_message(const EntrainResult *r) { return r->trajectory.message; }

void entrain_result_work(const EntrainResult *r, EntrainWork *out) {
  const StepCount *c = &r->trajectory.work;
  *out = (EntrainWork){c->steps,      c->rejected, c->rhs, c->jacobians, c->factorisations, r->trajectory.events,
                       r->seconds, r->trajectory.solver};
}

int entrain_result_rows(const EntrainResult *r) { return r->series.rows; }
int entrain_result_columns(const EntrainResult *r) { return r->series.columns; }
const char *entrain_result_name(const EntrainResult *r, int column) { return r->series.names[column]; }
const double *entrain_result_column(const EntrainResult *r, int column) { return r->series.column[column]; }

char *entrain_result_csv(const EntrainResult *r) {
  Text t;
  text_init(&t);
  series_csv(&r->series, &t);
  return give(&t);
}

char *entrain_result_json(const EntrainResult *r) {
  EntrainWork w;
  Text t;
  entrain_result_work(r, &w);
  text_init(&t);
  text_add(&t, "{\"outcome\": ");
  text_add_json(&t, entrain_result_outcome_name(r));
  text_add(&t, ", \"message\": ");
  text_add_json(&t, r->trajectory.message);
  text_print(&t, ", \"work\": {\"solver\": \"%s\", \"steps\": %ld, \"rejected\": %ld, \"rhs\": %ld, \"jacobians\": %ld, "
                 "\"factorisations\": %ld, \"events\": %ld, \"seconds\": %.6g},\n\"columns\": ",
             w.solver, w.steps, w.rejected, w.rhs, w.jacobians, w.factorisations, w.events, w.seconds);
  series_json(&r->series, &t);
  text_add(&t, "}\n");
  return give(&t);
}

char *entrain_result_plot(const EntrainResult *r, int width, int height, bool colour) {
  Text t;
  text_init(&t);
  Series shown = r->series;
  shown.columns = r->plain;
  PlotStyle style = {width, height, colour};
  plot_series(&shown, &style, &t);
  return give(&t);
}
