// The public library: problems.
#include <math.h>

#include "api/api.h"
#include "api/api_simulator.h"
#include "problem/read_problem.h"
#include "problem/read_values.h"

static void list_warnings(EntrainProblem *p, const Warnings *w) {
  for (int i = 0; i < w->list.count; i++) {
    char text[1600];
    warning_format(&w->list.at[i], text, sizeof text);
    array_push(p->arena, &p->warnings, arena_copy(p->arena, text, strlen(text)));
  }
  if (w->left_out)
    array_push(p->arena, &p->warnings, arena_print(p->arena, "warning: and %d more", w->left_out));
}

static void list_file(EntrainProblem *p, const char *path) {
  if (!path) return;
  for (int i = 0; i < p->files.count; i++)
    if (strcmp(p->files.at[i], path) == 0) return;
  array_push(p->arena, &p->files, path);
}

static void list_files(EntrainProblem *p, const char *path) {
  if (path) list_file(p, arena_copy(p->arena, path, strlen(path)));
  list_file(p, p->problem->model_path);
  const Source *model = p->problem->model->flat->source; // with the libraries that it uses
  for (int i = 0; model && model->together && i < model->together->at.count; i++)
    list_file(p, model->together->at.at[i]->name);
  for (const Problem *one = p->problem; one; one = one->validation)
    for (int e = 0; e < one->experiment_count; e++) list_file(p, one->experiments[e].file);
}

static EntrainProblem *wrap(Problem *problem, const char *path) {
  if (!problem) return NULL;
  Arena *a = arena_new();
  EntrainProblem *p = ARENA_NEW(a, EntrainProblem);
  p->arena = a;
  p->problem = problem;
  list_warnings(p, &problem->model->flat->warnings);
  list_warnings(p, &problem->warnings);
  list_files(p, path);
  return p;
}

static bool settings_are_complete(const EntrainSetting *settings, int count, EntrainError *error) {
  if (count < 0 || (count > 0 && !settings)) return api_missing("setting", error);
  for (int i = 0; i < count; i++) {
    if (!settings[i].name) return api_missing("name of a setting", error);
    if (!settings[i].value) return api_missing("value of a setting", error);
  }
  return true;
}

static ProblemSetting *copy_settings(Arena *a, const EntrainSetting *settings, int count) {
  ProblemSetting *copy = ARENA_ARRAY(a, ProblemSetting, count + 1);
  for (int i = 0; i < count; i++)
    copy[i] = (ProblemSetting){settings[i].name, settings[i].value, settings[i].is_option};
  return copy;
}

EntrainProblem *entrain_problem_load(const char *path, const EntrainSetting *settings, int count,
                                     EntrainError *error) {
  if (!path) return api_none("path", error);
  if (!settings_are_complete(settings, count, error)) return NULL;
  Err err = {0};
  Arena *scratch = arena_new();
  Problem *p = problem_load(path, copy_settings(scratch, settings, count), count, &err);
  arena_free(scratch);
  api_publish(&err, error);
  return wrap(p, path);
}

EntrainProblem *entrain_problem_parse_with(const char *name, const char *folder, const char *text,
                                           size_t length, const EntrainSetting *settings, int count,
                                           const EntrainSimulator *simulator, EntrainError *error) {
  if (!text) return api_none("text", error);
  if (!settings_are_complete(settings, count, error)) return NULL;
  Err err = {0};
  ClosedSimulator *function = simulator ? api_closed_function(simulator, &err) : NULL;
  Arena *scratch = arena_new();
  Problem *p = NULL;
  if (!err.code)
    p = problem_parse_with(name ? name : "<text>", folder ? folder : ".", text, length,
                           copy_settings(scratch, settings, count), count,
                           function ? &function->model : NULL, &err);
  arena_free(scratch);
  api_publish(&err, error);
  return wrap(p, NULL);
}

EntrainProblem *entrain_problem_parse(const char *name, const char *folder, const char *text,
                                      size_t length, const EntrainSetting *settings, int count,
                                      EntrainError *error) {
  return entrain_problem_parse_with(name, folder, text, length, settings, count, NULL, error);
}

void entrain_problem_free(EntrainProblem *p) {
  if (!p) return;
  problem_free(p->problem);
  arena_free(p->arena);
}

const char *entrain_problem_method(const EntrainProblem *p) {
  if (!p) return NULL;
  return problem_method(p->problem, p->arena);
}
bool entrain_problem_is_closed(const EntrainProblem *p) {
  return p && p->problem->closed;
}
int entrain_problem_warning_count(const EntrainProblem *p) {
  if (!p) return 0;
  return p->warnings.count;
}
const char *entrain_problem_warning(const EntrainProblem *p, int i) {
  if (!p) return NULL;
  return i >= 0 && i < p->warnings.count ? p->warnings.at[i] : NULL;
}
int entrain_problem_file_count(const EntrainProblem *p) {
  if (!p) return 0;
  return p->files.count;
}
const char *entrain_problem_file(const EntrainProblem *p, int i) {
  if (!p) return NULL;
  return i >= 0 && i < p->files.count ? p->files.at[i] : NULL;
}

// ---------------------------------------------------------------- unknowns

int entrain_problem_unknown_count(const EntrainProblem *p) {
  if (!p) return 0;
  return p->problem->unknown_count;
}

bool entrain_problem_unknown(const EntrainProblem *p, int i, EntrainUnknown *out) {
  if (!p || !out) return false;
  if (i < 0 || i >= p->problem->unknown_count) return false;
  const Unknown *f = &p->problem->unknowns[i];
  *out = (EntrainUnknown){f->name,    f->unit ? f->unit : "", f->start, f->min, f->max, f->log,
                          f->in_model};
  return true;
}

// The name p also matches p[swing].
static bool is_meant(const char *unknown, const char *name) {
  size_t length = strlen(name);
  return strncmp(unknown, name, length) == 0 && (unknown[length] == 0 || unknown[length] == '[');
}

static bool fail_unknown(const Problem *p, const char *name, Err *err) {
  Arena *scratch = arena_new();
  const char **all = ARENA_ARRAY(scratch, const char *, p->unknown_count + 1);
  Text list;
  text_init(&list);
  for (int i = 0; i < p->unknown_count; i++) {
    all[i] = p->unknowns[i].name;
    text_print(&list, "%s%s", i ? ", " : "", all[i]);
  }
  const char *near = nearest_name(name, all, p->unknown_count);
  if (near)
    fail(err, ERR_NAME, "'%s' is not estimated; did you mean '%s'?", name, near);
  else
    fail(err, ERR_NAME, "'%s' is not estimated; the unknowns are: %s", name, list.at);
  text_done(&list);
  arena_free(scratch);
  return false;
}

static bool set_start(Problem *p, const char *name, double value, Err *err) {
  int found = 0;
  for (int i = 0; i < p->unknown_count; i++) {
    Unknown *f = &p->unknowns[i];
    if (!is_meant(f->name, name)) continue;
    if (!(value >= f->min && value <= f->max) || !isfinite(value))
      return fail(err, ERR_VALUE, "the start value %g of %s is outside its bounds %g to %g", value,
                  f->name, f->min, f->max);
    f->start = value;
    found++;
  }
  return found > 0 || fail_unknown(p, name, err);
}

bool entrain_problem_set_start(EntrainProblem *p, const char *name, double value,
                               EntrainError *error) {
  if (!p) return api_missing("problem", error);
  if (!name) return api_missing("name", error);
  Err err = {0};
  set_start(p->problem, name, value, &err);
  return api_fine(&err, error);
}

bool entrain_problem_read_values(const EntrainProblem *p, const char *path, double *values,
                                 bool *given, char **warnings, EntrainError *error) {
  if (warnings) *warnings = NULL;
  if (!p) return api_missing("problem", error);
  if (!path) return api_missing("path", error);
  if (!values) return api_missing("place for the values", error);
  Err err = {0};
  Arena *scratch = arena_new();
  Warnings found = {.arena = scratch};
  bool *seen = ARENA_ARRAY(scratch, bool, p->problem->unknown_count + 1);
  problem_read_values(p->problem, path, values, given ? given : seen, &found, &err);
  Text t;
  text_init(&t);
  for (int i = 0; i < found.list.count; i++) {
    char one[1600];
    warning_format(&found.list.at[i], one, sizeof one);
    text_print(&t, "%s%s", i ? "\n" : "", one);
  }
  if (warnings && t.length)
    *warnings = t.at;
  else
    text_done(&t);
  arena_free(scratch);
  return api_fine(&err, error);
}

bool entrain_problem_number(const EntrainProblem *p, const char *text, double *value,
                            EntrainError *error) {
  if (!value) return api_missing("place for the value", error);
  if (!p) return api_missing("problem", error);
  if (!text) return api_missing("text", error);
  Err err = {0};
  problem_number(p->problem, text, value, &err);
  return api_fine(&err, error);
}

// ---------------------------------------------------------------- methods

int entrain_method_count(void) {
  return METHOD_COUNT;
}
const char *entrain_method_name(int i) {
  return i >= 0 && i < METHOD_COUNT ? method_word((Method)i) : NULL;
}
const char *entrain_method_meaning(int i) {
  return i >= 0 && i < METHOD_COUNT ? method_meaning((Method)i) : NULL;
}
