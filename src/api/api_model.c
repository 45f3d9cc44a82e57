// The public library: models.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "api/api.h"
#include "api/api_simulator.h"
#include "fmu/fmu_closed.h"
#include "fmu/fmu_report.h"
#include "instance/flat_model.h"
#include "lang/ast_print.h"
#include "lang/parse.h"
#include "model/flatten.h"
#include "model/model_build.h"
#include "report/model_report.h"

static void add_warnings(EntrainModel *m, const Warnings *w) {
  for (int i = 0; i < w->list.count; i++) {
    char text[1600];
    warning_format(&w->list.at[i], text, sizeof text);
    array_push(m->arena, &m->warnings, arena_copy(m->arena, text, strlen(text)));
  }
}

static void list_warnings(EntrainModel *m) {
  m->warnings.count = 0;
  add_warnings(m, &m->flat_warnings);
  add_warnings(m, &m->model->flat->warnings);
}

static bool build(EntrainModel *m, Err *err) {
  Model *model = model_new(m->source, m->ast, m->overrides.at, m->overrides.count, err);
  if (!model) return false;
  model_free(m->model);
  m->model = model;
  m->version++;
  m->p = ARENA_ARRAY(m->arena, double, model->np + 1);
  for (int i = 0; i < model->np; i++) m->p[i] = model->flat->parameters.at[i].value;
  list_warnings(m);
  m->constraints = model_constraints_new(model->arena, model);
  return true;
}

// The text of the flat model, with the overrides of parameters that decide about its structure.
static bool make_flat(EntrainModel *m, Err *err) {
  ARRAY(FlatSetting) settings = {0};
  for (int i = 0; i < m->overrides.count; i++)
    array_push(m->arena, &settings,
               ((FlatSetting){m->overrides.at[i].name, m->overrides.at[i].value}));
  FlatRequest r = {.source = m->text, .class_name = m->class_name};
  r.libraries = m->libraries.at, r.library_count = m->libraries.count;
  r.settings = settings.at, r.setting_count = settings.count;
  m->flat_warnings = (Warnings){.arena = m->arena};
  const FlatText *t = flat_model(m->arena, &r, &m->flat_warnings, err);
  if (!t) return false;
  m->flat = t;
  m->source = t->source;
  m->ast = t->model;
  return true;
}

// NULL: none.
static bool take_libraries(const EntrainLibraries *given, EntrainLibraries *out, Err *err) {
  *out = (EntrainLibraries){.size = sizeof *out};
  if (given && !API_TAKE(out, EntrainLibraries, given, err)) return false;
  if (out->count < 0 || (out->count > 0 && !out->folders))
    return fail(err, ERR_USAGE, "no folder of libraries is given");
  for (int i = 0; i < out->count; i++)
    if (!out->folders[i]) return fail(err, ERR_USAGE, "library folder number %d is missing", i + 1);
  return true;
}

// source NULL: it could not be read.
static EntrainModel *model_from(Arena *a, const Source *source, const char *class_name,
                                const EntrainLibraries *given, Err *err) {
  EntrainLibraries libraries;
  if (!source || !take_libraries(given, &libraries, err)) return arena_free(a), NULL;
  EntrainModel *m = ARENA_NEW(a, EntrainModel);
  m->arena = a;
  m->text = source;
  m->class_name = class_name;
  for (int i = 0; i < libraries.count; i++)
    array_push(a, &m->libraries, arena_print(a, "%s", libraries.folders[i]));
  if (make_flat(m, err) && build(m, err)) return m;
  arena_free(a);
  return NULL;
}

static bool is_fmu(const char *path) {
  size_t length = strlen(path);
  return length > 4 && strcasecmp(path + length - 4, ".fmu") == 0;
}

static EntrainModel *model_from_closed(const ClosedMaker *maker, Err *err) {
  ClosedSimulator *s = closed_maker_open(maker, err);
  if (!s) return NULL;
  Arena *a = arena_new();
  EntrainModel *m = ARENA_NEW(a, EntrainModel);
  m->arena = a;
  m->maker = closed_maker_copy(a, maker, NULL);
  m->closed = &s->model;
  m->ast = closed_ast(a, s->description, &s->model);
  m->source = m->text = source_new(a, s->model.name, "", 0, err);
  m->flat_warnings = (Warnings){.arena = a};
  FlatText *t = ARENA_NEW(a, FlatText);
  *t = (FlatText){.model = m->ast,
                  .source = m->source,
                  .start_time = s->description->start_time,
                  .stop_time = s->description->stop_time,
                  .tolerance = nan(""),
                  .interval = s->description->interval};
  m->flat = t;
  if (m->source && build(m, err)) return m;
  s->model.free(&s->model);
  arena_free(a);
  return NULL;
}

static bool read_how(const EntrainFmu *given, FmuRequest *q, Err *err) {
  EntrainFmu full, *how = &full;
  if (!API_TAKE(how, EntrainFmu, given, err)) return false;
  const char *word = how->interface;
  bool me = word && strcmp(word, "me") == 0, cs = word && strcmp(word, "cs") == 0;
  q->interface = me ? FMU_WISH_ME : cs ? FMU_WISH_CS : FMU_ANY_INTERFACE;
  q->step = how->step, q->tolerance = how->tolerance;
  q->timeout = how->timeout, q->memory = how->memory;
  if (word && !me && !cs)
    return fail(err, ERR_VALUE, "interface must be me or cs, not '%.100s'", word);
  if (how->step >= 0 && how->tolerance >= 0 && how->timeout >= 0 && how->memory >= 0) return true;
  return fail(err, ERR_VALUE, "step, tolerance, timeout and memory of an FMU must not be negative");
}

EntrainModel *entrain_fmu_load(const char *path, const EntrainFmu *how, EntrainError *error) {
  if (!path) return api_none("path", error);
  Err err = {0};
  ClosedMaker maker = {.fmu = {.path = path}};
  bool fine = !how || read_how(how, &maker.fmu, &err);
  EntrainModel *m = fine ? model_from_closed(&maker, &err) : NULL;
  api_publish(&err, error);
  return m;
}

EntrainModel *entrain_model_of_simulator(const EntrainSimulator *simulator, EntrainError *error) {
  if (!simulator) return api_none("simulator", error);
  Err err = {0};
  ClosedMaker maker = {0};
  bool fine = API_TAKE(&maker.function, EntrainSimulator, simulator, &err);
  EntrainModel *m = fine ? model_from_closed(&maker, &err) : NULL;
  api_publish(&err, error);
  return m;
}

EntrainModel *entrain_model_load_with(const char *path, const EntrainLibraries *libraries,
                                      EntrainError *error) {
  if (!path) return api_none("path", error);
  if (is_fmu(path)) return entrain_fmu_load(path, NULL, error);
  Err err = {0};
  Arena *a = arena_new();
  const char *class_name, *file = model_file(a, path, &class_name);
  EntrainModel *m = model_from(a, source_load(a, file, &err), class_name, libraries, &err);
  api_publish(&err, error);
  return m;
}

EntrainModel *entrain_model_parse_with(const char *name, const char *text, size_t length,
                                       const EntrainLibraries *libraries, EntrainError *error) {
  if (!text) return api_none("text", error);
  Err err = {0};
  Arena *a = arena_new();
  const char *class_name, *file = model_file(a, name ? name : "<text>", &class_name);
  EntrainModel *m =
      model_from(a, source_new(a, file, text, length, &err), class_name, libraries, &err);
  if (m) m->in_memory = true;
  api_publish(&err, error);
  return m;
}

char *entrain_flat_text(const char *path, const EntrainLibraries *given, EntrainError *error) {
  if (!path) return api_none("path", error);
  Err err = {0};
  Arena *a = arena_new();
  FlatRequest r = {0};
  const char *file = model_file(a, path, &r.class_name);
  EntrainLibraries libraries;
  bool fine = take_libraries(given, &libraries, &err);
  r.source = fine ? source_load(a, file, &err) : NULL;
  r.libraries = libraries.folders, r.library_count = libraries.count;
  const FlatText *flat = r.source ? flat_model(a, &r, NULL, &err) : NULL;
  char *text = NULL;
  if (flat) {
    Text t;
    text_init(&t);
    ast_print_model(&t, flat->model);
    text = t.at;
  }
  api_publish(&err, error);
  arena_free(a);
  return text;
}

char *entrain_fmu_report(const char *path, EntrainReport what, EntrainError *error) {
  if (!path) return api_none("path", error);
  Err err = {0};
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  FmuDescription *d = NULL;
  if (what != ENTRAIN_REPORT_SUMMARY && what != ENTRAIN_REPORT_JSON)
    fail(&err, ERR_USAGE,
         "%s is an FMU, whose equations are not known: only a summary and --json "
         "can be given",
         path);
  else
    d = fmu_describe(a, path, &err);
  if (d) (what == ENTRAIN_REPORT_JSON ? fmu_report_json : fmu_report_text)(d, &t);
  arena_free(a);
  api_publish(&err, error);
  if (d) return t.at;
  text_done(&t);
  return NULL;
}

EntrainModel *entrain_model_load(const char *path, EntrainError *error) {
  return entrain_model_load_with(path, NULL, error);
}

EntrainModel *entrain_model_parse(const char *name, const char *text, size_t length,
                                  EntrainError *error) {
  return entrain_model_parse_with(name, text, length, NULL, error);
}

void entrain_model_free(EntrainModel *m) {
  if (!m) return;
  model_free(m->model);
  if (m->closed) m->closed->free(m->closed);
  arena_free(m->arena);
}

void entrain_model_experiment(const EntrainModel *m, double *start, double *stop,
                              double *interval) {
  if (!m || !m->flat) return;
  if (start && !isnan(m->flat->start_time)) *start = m->flat->start_time;
  if (stop && !isnan(m->flat->stop_time)) *stop = m->flat->stop_time;
  if (interval && m->flat->interval > 0) *interval = m->flat->interval;
}

const char *entrain_model_name(const EntrainModel *m) {
  if (!m) return NULL;
  return m->model->flat->name;
}
int entrain_model_warning_count(const EntrainModel *m) {
  if (!m) return 0;
  return m->warnings.count;
}
const char *entrain_model_warning(const EntrainModel *m, int i) {
  if (!m) return NULL;
  return i >= 0 && i < m->warnings.count ? m->warnings.at[i] : NULL;
}

// ---------------------------------------------------------------- variables of a model

static bool is_of_kind(const Variable *v, EntrainKind kind) {
  switch (kind) {
  case ENTRAIN_STATE: return v->state;
  case ENTRAIN_INPUT: return v->kind == VARIABLE_INPUT;
  case ENTRAIN_OUTPUT: return v->output;
  case ENTRAIN_VARIABLE:
    return (v->kind == VARIABLE_UNKNOWN || v->kind == VARIABLE_INPUT) && !v->hidden;
  default: return false;
  }
}

// Index of variable i of this kind among all variables, -1: none.
static int variable_number(const Flat *f, EntrainKind kind, int i) {
  for (int k = 0; k < f->variables.count; k++)
    if (is_of_kind(&f->variables.at[k], kind) && i-- == 0) return k;
  return -1;
}

int entrain_model_count(const EntrainModel *m, EntrainKind kind) {
  if (!m) return 0;
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
  if (!m || !out) return false;
  Flat *f = m->model->flat;
  if (i < 0) return false;
  const Parameter *p =
      kind == ENTRAIN_PARAMETER && i < f->parameters.count ? &f->parameters.at[i] : NULL;
  int k = p ? p->variable : variable_number(f, kind, i);
  if (k < 0) return false;
  const Variable *v = &f->variables.at[k];
  return API_GIVE(out, EntrainVariable, p ? p->name : v->name, v->description ? v->description : "",
                  v->unit ? v->unit : "",
                  p ? (p->dependent ? flat_value(f, p->node) : m->p[i]) : start_value(m, v), v->min,
                  v->max, v->nominal, p && p->dependent);
}

int entrain_model_find(const EntrainModel *m, EntrainKind kind, const char *name) {
  if (!m || !name) return -1;
  const Flat *f = m->model->flat;
  if (kind == ENTRAIN_PARAMETER) return names_find(f->parameter_names, name);
  int wanted = names_find(f->names, name), count = 0;
  if (wanted < 0 || !is_of_kind(&f->variables.at[wanted], kind)) return -1;
  for (int k = 0; k < wanted; k++) count += is_of_kind(&f->variables.at[k], kind);
  return count;
}

// A number, or an expression of numbers and constants of the model.
static bool read_value(EntrainModel *m, const char *name, const char *text, double *value,
                       Err *err) {
  const char *beyond = number_beyond(text);
  if (beyond)
    return fail(err, ERR_VALUE, "the value of %s: the number '%s' is %s", name, text, beyond);
  Arena *scratch = arena_new();
  bool ok = number_parse(text, value);
  if (!ok) {
    Source *s =
        source_new(scratch, arena_print(scratch, "value of %s", name), text, strlen(text), err);
    const Ast *e = s ? parse_expression(scratch, s, err) : NULL;
    Expr expression = 0;
    ok = e && flat_expression(m->model->flat, s, e, &expression, err);
    if (ok && !flat_number(m->model->flat, expression, value))
      ok = fail(err, ERR_VALUE, "the value of %s must be a number, not '%s'", name, text);
  }
  arena_free(scratch);
  if (ok && !isfinite(*value))
    ok = fail(err, ERR_VALUE, "the value of %s must be finite, not '%s'", name, text);
  return ok;
}

static void remember_override(EntrainModel *m, const char *name, double value) {
  for (int i = 0; i < m->overrides.count; i++)
    if (strcmp(m->overrides.at[i].name, name) == 0) {
      m->overrides.at[i].value = value;
      return;
    }
  array_push(m->arena, &m->overrides,
             ((Override){arena_copy(m->arena, name, strlen(name)), value}));
}

static bool check_type(const Variable *v, double value, Err *err) {
  if (v->integer && value != floor(value))
    return fail(err, ERR_VALUE, "%s is Integer, not %g", v->name, value);
  if (v->boolean && value != 0 && value != 1)
    return fail(err, ERR_VALUE, "%s is Boolean: true or false", v->name);
  return true;
}

static bool is_number(const char *text) {
  double value;
  return number_parse(text, &value);
}

static const char *start_name(EntrainModel *m, const char *name) {
  return arena_print(m->arena, "%s.start", name);
}

static bool set(EntrainModel *m, const char *name, const char *text, Err *err) {
  const Flat *f = m->model->flat;
  int k = names_find(f->parameter_names, name), v = names_find(f->names, name);
  double value;
  if (k < 0 && v >= 0 && f->variables.at[v].computed)
    return fail(err, ERR_NAME,
                "%s cannot be set: the initial equations determine it (fixed = false)", name);
  bool computed = m->closed && names_find(f->parameter_names, start_name(m, name)) < 0;
  if (k < 0 && v >= 0 && f->variables.at[v].state && computed)
    return fail(err, ERR_NAME, "%s cannot be set: the simulator computes it", name);
  if (k < 0 && v >= 0 && f->variables.at[v].state)
    return fail(err, ERR_NAME, "%s is a state; set its start value with %s.start", name, name);
  if (k < 0 && v >= 0)
    return fail(err, ERR_NAME, "%s is not a parameter: %s", name,
                f->variables.at[v].kind == VARIABLE_CONSTANT ? "it is a constant"
                : f->variables.at[v].kind == VARIABLE_INPUT
                    ? "it is an input; give its values with the inputs"
                    : "the equations determine it");
  if (k < 0) return api_unknown_name(f->parameter_names, "parameter", name, err);
  const ClosedVariable *closed = m->closed ? closed_parameter(m->closed, name) : NULL;
  bool is_word = closed && closed_word(m->closed, closed, text, &value);
  if (!flat_may_change(f, k, err)) return false;
  if (closed && closed->item_count && !is_word && !is_number(text))
    return closed_check_item(closed, (double)NAN, err);
  if (!is_word && !read_value(m, name, text, &value, err)) return false;
  if (closed && !closed_check_item(closed, value, err)) return false;
  if (!check_type(&f->variables.at[f->parameters.at[k].variable], value, err)) return false;
  int before = m->overrides.count;
  double old = f->parameters.at[k].value;
  bool structural = m->ast->declarations.at[f->parameters.at[k].variable].structural;
  remember_override(m, name, value);
  if (structural && !make_flat(m, err)) return false;
  if (build(m, err)) return true; // other parameters, start values and bounds may depend on it
  if (m->overrides.count > before)
    m->overrides.count = before;
  else
    remember_override(m, name, old);
  return false;
}

bool entrain_model_set(EntrainModel *m, const char *name, const char *value, EntrainError *error) {
  if (!m) return api_missing("model", error);
  if (!name) return api_missing("name", error);
  if (!value) return api_missing("value", error);
  Err err = {0};
  set(m, name, value, &err);
  return api_fine(&err, error);
}

// One line a component: path, class, file:line.
static void print_tree(const EntrainModel *m, Text *out) {
  text_print(out, "%s\n", m->model->flat->name);
  for (int i = 0; i < m->flat->instances.count; i++) {
    const FlatInstance *n = &m->flat->instances.at[i];
    int line = n->line;
    const Source *s = source_of_line(n->source, &line);
    const char *slash = strrchr(s->name, '/');
    text_print(out, "%*s%s: %s (%s:%d)\n", 2 * (n->depth + 1), "", n->path, n->class_name,
               slash ? slash + 1 : s->name, line);
  }
}

char *entrain_model_report(const EntrainModel *m, EntrainReport what) {
  if (!m || (int)what < ENTRAIN_REPORT_SUMMARY || what > ENTRAIN_REPORT_TREE) return NULL;
  Text t;
  text_init(&t);
  if (what == ENTRAIN_REPORT_TREE) {
    print_tree(m, &t);
    return t.at;
  }
  model_report(&t, m->model, (ModelReport)what);
  return t.at;
}

// ---------------------------------------------------------------- constraints

int entrain_model_index(const EntrainModel *m) {
  if (!m) return 0;
  return m->model->index;
}
int entrain_model_free_start_count(const EntrainModel *m) {
  if (!m) return 0;
  return m->constraints->freedom;
}
int entrain_model_constraint_count(const EntrainModel *m) {
  if (!m) return 0;
  return m->constraints->count;
}

bool entrain_model_constraint(const EntrainModel *m, int i, EntrainConstraint *out) {
  if (!m || !out) return false;
  if (i < 0 || i >= m->constraints->count) return false;
  const ModelConstraint *c = &m->constraints->at[i];
  return API_GIVE(out, EntrainConstraint, c->line, c->text, c->differentiated, c->redundant,
                  c->place);
}
