#include "problem/read_problem.h"

#include <string.h>

#include "instance/flat_model.h"
#include "model/flatten.h"
#include "model/model_build.h"
#include "problem/reader.h"

static const char *const KEYS[] = {"model",     "experiments", "estimate", "method", "options",
                                   "criterion", "gains",       "homotopy", "loss",   "constraints"};
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

static bool load_model_text(ProblemReader *r) {
  const Yaml *n = yaml_find(r->root, "model");
  const char *file;
  Err own = {0};
  if (yaml_is_null(n))
    return check_keys(r) && // a misspelt 'model' is the likely reason
           reader_fail(r, r->root, ERR_VALUE, "there is no 'model': the name of a model file");
  if (!reader_text(r, n, "'model'", &file)) return false;
  FlatRequest request = {0};
  r->problem->model_path = reader_path(r, file);
  const char *path = model_file(r->arena, r->problem->model_path, &request.class_name);
  request.source = source_load(r->arena, path, &own);
  if (!request.source) return reader_adopt(r, n, &own);
  const FlatText *text = flat_model(r->arena, &request, NULL, r->err);
  if (!text) return false;
  r->model_source = text->source;
  r->ast = text->model;
  r->flat = flatten(r->scratch, r->model_source, r->ast, NULL, 0, r->err);
  return r->flat != NULL;
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
    if (count && (everywhere || p->dependent))
      array_push(r->arena, &list,
                 ((Override){arena_print(r->arena, "%s", p->name), everywhere ? value : p->value}));
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
      count += p->experiments[i].channels[k].count;
  for (int i = 0; i < p->unknown_count; i++) priors += p->unknowns[i].has_prior;
  if (count + priors < p->unknown_count)
    reader_warn(r, (Place){.file = r->source->name},
                "%d unknowns are estimated from %ld sample%s: they cannot all be determined",
                p->unknown_count, count, count == 1 ? "" : "s");
}

static bool read_all(ProblemReader *r, const ProblemSetting *settings, int count) {
  Problem *p = r->problem;
  if (!parse_tree(r) || !apply_model_settings(r, settings, count) || !load_model_text(r) ||
      !apply_settings(r, settings, count) || !check_keys(r) || !read_options(r) ||
      !read_estimates(r) || !read_experiments(r) || !make_model(r))
    return false;
  p->experiment_count = r->experiment_count;
  p->experiments = ARENA_ARRAY(r->arena, Experiment, r->experiment_count);
  if (!read_experiment_inputs(r) || !read_channels(r) || !read_experiment_values(r) ||
      !read_unknowns(r) || !read_gains(r) || !read_constraints(r))
    return false;
  warn_few_samples(r);
  warnings_sum(&p->warnings);
  return true;
}

static Problem *problem_read(Arena *a, const Source *source, const char *folder,
                             const ProblemSetting *settings, int count, Err *err) {
  Err own = {0};
  Problem *p = ARENA_NEW(a, Problem);
  p->arena = a;
  p->path = source->name;
  p->warnings.arena = a;
  ProblemReader r = {.problem = p, .arena = a, .source = source, .err = &own};
  r.scratch = arena_new();
  r.folder = folder;
  bool ok = read_all(&r, settings, count);
  arena_free(r.scratch);
  if (ok) return p;
  if (err && err->code == ERR_NONE) *err = own;
  problem_free(p);
  return NULL;
}

static const char *folder_of(Arena *a, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_copy(a, path, (size_t)(slash - path) + 1) : "";
}

Problem *problem_load(const char *path, const ProblemSetting *settings, int count, Err *err) {
  Arena *a = arena_new();
  const Source *s = source_load(a, path, err);
  if (s) return problem_read(a, s, folder_of(a, path), settings, count, err);
  arena_free(a);
  return NULL;
}

Problem *problem_parse(const char *name, const char *folder, const char *text, size_t length,
                       const ProblemSetting *settings, int count, Err *err) {
  Arena *a = arena_new();
  const Source *s = source_new(a, name ? name : "<text>", text, length, err);
  if (s) return problem_read(a, s, folder, settings, count, err);
  arena_free(a);
  return NULL;
}
