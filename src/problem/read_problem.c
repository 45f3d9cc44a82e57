#include "problem/read_problem.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "instance/flat_model.h"
#include "model/flatten.h"
#include "model/model_build.h"
#include "problem/data_start.h"
#include "problem/input_values.h"
#include "problem/made_from.h"
#include "problem/read_closed.h"
#include "problem/reader.h"
#include "problem/residual_kind.h"
#include "problem/restart.h"
#include "simulate/closed.h"

static const char *const KEYS[] = {"model",      "libraries", "experiments", "estimate",
                                   "method",     "options",   "criterion",   "gains",
                                   "homotopy",   "loss",      "constraints", "residual",
                                   "prediction", "scale",     "weights"};
enum { KEY_COUNT = sizeof KEYS / sizeof *KEYS };

// ---------------------------------------------------------------- the file

static bool parse_tree(ProblemReader *r) {
  const Source *s = r->source;
  r->root = yaml_parse(r->arena, s->name, s->text, s->length, r->err);
  if (!r->root) {
    source_excerpt(s, r->err->line, r->err->column, r->err->excerpt, sizeof r->err->excerpt);
    return false;
  }
  if (r->root->kind == YAML_MAP) return true;
  return reader_fail(r, r->root, ERR_SYNTAX,
                     "a problem is a mapping that begins with a line such as 'model: pendulum.mo'");
}

// Options belong under 'options', so that a misspelt key is not taken for an option.
static bool check_keys(ProblemReader *r) {
  for (int i = 0; i < r->root->items.count; i++) {
    const Yaml *n = r->root->items.at[i];
    bool known = false;
    for (int k = 0; k < KEY_COUNT; k++) known |= strcmp(KEYS[k], n->key) == 0;
    if (!known && (options_find(&FIT_OPTIONS, n->key) || options_find(&SIMULATE_OPTIONS, n->key)))
      return reader_fail_key(r, n, ERR_NAME, "'%s' is an option; write it under 'options'", n->key);
  }
  return reader_keys(r, r->root, "a problem", KEYS, KEY_COUNT);
}

// libraries: [folder, ...], relative to the problem file.
static bool read_libraries(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "libraries");
  const char *folder;
  if (yaml_is_null(n)) return true;
  if (n->kind != YAML_LIST) {
    if (!reader_text(r, n, "'libraries'", &folder)) return false;
    array_push(r->arena, &r->libraries, reader_path(r, folder));
    return true;
  }
  for (int i = 0; i < n->items.count; i++) {
    if (!reader_text(r, n->items.at[i], "a folder of 'libraries'", &folder)) return false;
    array_push(r->arena, &r->libraries, reader_path(r, folder));
  }
  return true;
}

static const Yaml *experiment_set(const ProblemReader *r, int i) {
  const Yaml *list = yaml_find(r->root, "experiments");
  bool known = list && list->kind == YAML_LIST && i < list->items.count;
  const Yaml *set = known ? yaml_find(list->items.at[i], "set") : NULL;
  return set && set->kind == YAML_MAP ? set : NULL;
}

static const Yaml *first_set(const ProblemReader *r) {
  return experiment_set(r, 0);
}

// Whether all experiments set the parameter to the same number: then it may decide about the structure of the model.
static bool set_everywhere(const ProblemReader *r, const char *name, double *value) {
  const Yaml *list = yaml_find(r->root, "experiments");
  for (int i = 0; i < list->items.count; i++) {
    const Yaml *one = yaml_find(experiment_set(r, i), name);
    double v;
    if (!one || one->kind != YAML_TEXT) return false;
    if (strcmp(one->text, "true") == 0 || strcmp(one->text, "false") == 0)
      v = one->text[0] == 't';
    else if (!number_parse(one->text, &v))
      return false;
    if (i > 0 && v != *value) return false;
    *value = v;
  }
  return list->items.count > 0;
}

typedef ARRAY(FlatSetting) FlatSettings;

// What may decide about the structure of the model: what all experiments set to the same number, and else the values that came
// with a model of memory.
static FlatSettings structural_settings(ProblemReader *r) {
  FlatSettings list = {0};
  const Yaml *set = first_set(r);
  for (int i = 0; i < (set ? set->items.count : 0); i++) {
    double value = nan("");
    if (set_everywhere(r, set->items.at[i]->key, &value) && !isnan(value))
      array_push(r->arena, &list, ((FlatSetting){set->items.at[i]->key, value}));
  }
  for (int i = 0; i < r->override_count; i++) {
    bool is_set = false;
    for (int k = 0; k < list.count; k++)
      is_set |= strcmp(list.at[k].name, r->overrides[i].name) == 0;
    if (!is_set)
      array_push(r->arena, &list, ((FlatSetting){r->overrides[i].name, r->overrides[i].value}));
  }
  return list;
}

static bool flatten_model(ProblemReader *r, FlatRequest *request) {
  FlatSettings settings = structural_settings(r);
  request->settings = settings.at, request->setting_count = settings.count;
  request->libraries = r->libraries.at, request->library_count = r->libraries.count;
  const FlatText *text = flat_model(r->arena, request, &r->problem->warnings, r->err);
  if (!text) return false;
  r->model_source = text->source;
  r->ast = text->model;
  r->flat = flatten(r->scratch, r->model_source, r->ast, r->overrides, r->override_count, r->err);
  return r->flat != NULL;
}

static bool take_given_model(ProblemReader *r, const GivenModel *m) {
  FlatRequest request = {.source = m->text, .class_name = m->class_name};
  for (int i = 0; i < m->library_count; i++) array_push(r->arena, &r->libraries, m->libraries[i]);
  if (!read_libraries(r)) return false;
  r->problem->model_path = m->text->name;
  r->problem->model_in_memory = m->in_memory;
  return flatten_model(r, &request);
}

static bool load_model_text(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "model");
  const char *file;
  Err own = {0};
  if (r->given->model && r->given->model->text) return take_given_model(r, r->given->model);
  if (r->problem->closed && !r->given->is_named) return read_given_simulator(r);
  if (yaml_is_null(n))
    return check_keys(r) && // a misspelt 'model' is the likely reason
           reader_fail(r, r->root, ERR_VALUE, "there is no 'model': the name of a model file");
  if (model_is_closed(n) || r->problem->closed) return read_closed_model(r, n);
  if (!reader_text(r, n, "'model'", &file)) return false;
  FlatRequest request = {0};
  if (!read_libraries(r)) return false;
  r->problem->model_path = reader_path(r, file);
  const char *path = model_file(r->arena, r->problem->model_path, &request.class_name);
  request.source = source_load(r->arena, path, &own);
  return request.source ? flatten_model(r, &request) : reader_adopt(r, n, &own);
}

// ---------------------------------------------------------------- the model

static int experiments_that_set(const ProblemReader *r, int parameter, double *value) {
  int count = 0;
  for (int i = 0; i < r->experiment_count; i++)
    for (int k = 0; k < r->experiments[i].set.count; k++)
      if (r->experiments[i].set.at[k].parameter == parameter) {
        *value = r->experiments[i].set.at[k].value;
        count++;
      }
  return count;
}

// The first in the file.
static const Yaml *node_that_sets(const ProblemReader *r, int parameter) {
  const Yaml *found = NULL;
  for (int i = 0; i < r->experiment_count; i++)
    for (int k = 0; k < r->experiments[i].set.count; k++) {
      const SetValue *s = &r->experiments[i].set.at[k];
      if (s->parameter == parameter && (!found || s->node->at.line < found->at.line))
        found = s->node;
    }
  return found;
}

static bool same_everywhere(const ProblemReader *r, int parameter) {
  double first = nan(""), value = nan("");
  for (int i = 0; i < r->experiment_count; i++) {
    bool found = false;
    for (int k = 0; k < r->experiments[i].set.count; k++)
      if (r->experiments[i].set.at[k].parameter == parameter)
        value = r->experiments[i].set.at[k].value, found = true;
    if (i == 0) first = value;
    if (!found || value != first) return false;
  }
  return true;
}

static bool is_estimated(const ProblemReader *r, int parameter) {
  for (int i = 0; i < r->estimates.count; i++)
    if (r->estimates.at[i].parameter == parameter) return true;
  return false;
}

// Parameters that are estimated or set become independent, even if the text gives an expression for them.
static bool make_model(ProblemReader *r) {
  ARRAY(Override) list = {0};
  for (int i = 0; i < r->estimates.count; i++)
    array_push(r->arena, &list,
               ((Override){r->estimates.at[i].name, r->estimates.at[i].spec.start}));
  for (int k = 0; k < r->flat->parameters.count; k++) {
    const Parameter *p = &r->flat->parameters.at[k];
    double value = p->value;
    int count = is_estimated(r, k) ? 0 : experiments_that_set(r, k, &value);
    bool everywhere = count == r->experiment_count;
    bool structural = r->ast->declarations.at[p->variable].structural && !p->is_start;
    if (count && structural && !same_everywhere(r, k))
      return reader_fail_key(r, node_that_sets(r, k), ERR_VALUE,
                             "%s decides about the structure of the model: all experiments must "
                             "set it to the same number",
                             p->name);
    if (count && (everywhere || p->dependent))
      array_push(r->arena, &list,
                 ((Override){arena_print(r->arena, "%s", p->name), everywhere ? value : p->value}));
  }
  for (int i = 0; i < r->override_count; i++) {
    bool is_set = false;
    for (int k = 0; k < list.count; k++)
      is_set |= strcmp(list.at[k].name, r->overrides[i].name) == 0;
    if (!is_set) array_push(r->arena, &list, r->overrides[i]);
  }
  r->problem->model = model_new(r->model_source, r->ast, list.at, list.count, r->err);
  return r->problem->model != NULL;
}

// ---------------------------------------------------------------- everything

static void warn_few_samples(ProblemReader *r) {
  const Problem *p = r->problem;
  long count = 0, priors = 0;
  for (int i = 0; i < p->experiment_count; i++)
    for (int k = 0; k < p->experiments[i].channel_count; k++)
      count +=
          samples_that_count(&p->experiments[i].channels[k], p->experiments[i].channels[k].count);
  for (int i = 0; i < p->unknown_count; i++) priors += p->unknowns[i].has_prior;
  if (count + priors < p->unknown_count)
    reader_warn(r, (Place){.file = r->source->name},
                "%d unknowns are estimated from %ld sample%s: they cannot all be determined",
                p->unknown_count, count, count == 1 ? "" : "s");
}

static bool check_restart(ProblemReader *r) {
  char why[500];
  int e;
  if (r->problem->options.restart_points == RESTART_POINTS_OFF ||
      restart_check(r->problem, &e, why, sizeof why))
    return true;
  return reader_fail(r, yaml_find(r->experiments[e].node, "restart"), ERR_VALUE, "%s", why);
}

// What stands where an option of the fit is given: at its short form, or under 'options'.
static const Yaml *option_node(const ProblemReader *r, const char *name) {
  const Yaml *n = yaml_find(r->root, name);
  if (!n) n = yaml_find(yaml_find(r->root, "options"), name);
  return n ? n : r->root;
}

static bool apply_kind(ProblemReader *r) {
  Problem *p = r->problem;
  Err own = {0};
  bool by_kind = !problem_simulates(p);
  if (by_kind && p->closed)
    return reader_fail(r, option_node(r, "residual"), ERR_OPTION,
                       "residual: %s computes derivatives from the equations; those of the %s "
                       "%.100s are not known",
                       residual_word(p), p->closed->kind, p->closed->name);
  if ((by_kind || p->closed) && !problem_method_suits(p, p->method, &p->parts, &own))
    return reader_adopt(r, option_node(r, "method"), &own);
  if (!residual_kind_apply(p, p->arena, &own))
    return reader_adopt(r, option_node(r, "residual"), &own);
  return residual_kind_scale(p, p->arena, &own) || reader_adopt(r, option_node(r, "scale"), &own);
}

// A problem of its own, so that nothing that fits can see these experiments.
static void make_validation(ProblemReader *r) {
  Problem *p = r->problem;
  if (r->fit_count == r->experiment_count) return;
  Problem *v = ARENA_NEW(r->arena, Problem);
  *v = *p;
  v->options.residual = RESIDUAL_SIMULATION; // whatever is fitted
  v->experiments = p->experiments + r->fit_count;
  v->experiment_count = r->experiment_count - r->fit_count;
  v->channel_measured = p->channel_measured + r->fit_count;
  v->constraints = (ProblemConstraints){0};
  v->weights = NULL;
  v->unknowns = ARENA_ARRAY(r->arena, Unknown, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) {
    v->unknowns[i] = p->unknowns[i];
    v->unknowns[i].has_prior = false;
    if (v->unknowns[i].experiment >= 0) v->unknowns[i].experiment = INT_MAX; // none of these
  }
  p->measured_count = r->fit_measured;
  p->validation = v;
}

static bool read_all(ProblemReader *r, const ProblemSetting *settings, int count) {
  Problem *p = r->problem;
  if (!parse_tree(r) || !apply_model_settings(r, settings, count) || !load_model_text(r) ||
      !apply_settings(r, settings, count) || !check_keys(r) || !read_options(r) ||
      !read_estimates(r) || !read_experiments(r) || !make_model(r))
    return false;
  p->experiment_count = r->fit_count;
  p->experiments = ARENA_ARRAY(r->arena, Experiment, r->experiment_count);
  if (!read_experiment_inputs(r) || !read_channels(r) || !check_input_values(r) ||
      !resolve_starts(r) || !read_experiment_values(r) || !read_weights(r) || !read_unknowns(r) ||
      !read_gains(r) || !read_constraints(r) || !check_restart(r))
    return false;
  make_validation(r);
  if (p->closed) p->closed->set_threads(p->closed, p->options.threads);
  if (!apply_kind(r)) return false;
  warn_few_samples(r);
  warnings_sum(&p->warnings);
  return true;
}

static void keep_settings(Problem *p, const ProblemSetting *settings, int count) {
  ProblemSetting *kept = ARENA_ARRAY(p->arena, ProblemSetting, count + 1);
  for (int i = 0; i < count; i++)
    kept[i] = (ProblemSetting){arena_copy(p->arena, settings[i].path, strlen(settings[i].path)),
                               arena_copy(p->arena, settings[i].value, strlen(settings[i].value)),
                               settings[i].is_option};
  p->settings = kept;
  p->setting_count = count;
}

static Problem *problem_read(Arena *a, const Source *text, const ProblemSource *source, Err *err) {
  Err own = {0};
  Problem *p = ARENA_NEW(a, Problem);
  p->closed = source->closed;
  p->arena = a;
  p->path = text->name;
  p->in_memory = source->text ? text : NULL;
  p->warnings.arena = a;
  keep_settings(p, source->settings, source->setting_count);
  ProblemReader r = {.problem = p, .arena = a, .source = text, .given = source, .err = &own};
  r.scratch = arena_new();
  r.folder = source->folder;
  if (source->model)
    r.overrides = source->model->overrides, r.override_count = source->model->override_count;
  bool ok = read_all(&r, source->settings, source->setting_count);
  arena_free(r.scratch);
  if (ok) {
    p->files = made_from(a, p);
    return p;
  }
  if (err && err->code == ERR_NONE) *err = own;
  problem_free(p);
  return NULL;
}

static const char *folder_of(Arena *a, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_copy(a, path, (size_t)(slash - path) + 1) : "";
}

Problem *problem_make(const ProblemSource *source, Err *err) {
  Arena *a = arena_new();
  ProblemSource whole = *source;
  const Source *text;
  if (source->text) {
    text = source_new(a, source->name ? source->name : "<text>", source->text, source->length, err);
    if (!whole.folder) whole.folder = ".";
  } else {
    text = source_load(a, source->path, err);
    whole.folder = folder_of(a, source->path);
  }
  if (text) return problem_read(a, text, &whole, err);
  if (source->closed) source->closed->free(source->closed);
  arena_free(a);
  return NULL;
}

Problem *problem_load(const char *path, const ProblemSetting *settings, int count, Err *err) {
  return problem_make(&(ProblemSource){.path = path, .settings = settings, .setting_count = count},
                      err);
}

Problem *problem_parse(const char *name, const char *folder, const char *text, size_t length,
                       const ProblemSetting *settings, int count, Err *err) {
  return problem_make(&(ProblemSource){.name = name,
                                       .folder = folder,
                                       .text = text,
                                       .length = length,
                                       .settings = settings,
                                       .setting_count = count},
                      err);
}
