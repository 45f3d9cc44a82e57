// The public library: problems.
#include <math.h>

#include "api/api.h"
#include "api/api_memory.h"
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
  bool in_memory = p->problem->model_in_memory;
  if (!in_memory) list_file(p, p->problem->model_path);
  const Source *model = p->problem->model->flat->source; // with the libraries that it uses
  for (int i = 0; model && model->together && i < model->together->at.count; i++)
    if (i > 0 || !in_memory) list_file(p, model->together->at.at[i]->name);
  for (const Problem *one = p->problem; one; one = one->validation)
    for (int e = 0; e < one->experiment_count; e++)
      if (!one->experiments[e].in_memory) list_file(p, one->experiments[e].file);
}

static const double *starts_of(Arena *a, const Problem *p) {
  double *starts = ARENA_ARRAY(a, double, p->unknown_count + 1);
  for (int i = 0; i < p->unknown_count; i++) starts[i] = p->unknowns[i].start;
  return starts;
}

// The problem of what is kept in the arena, which it takes; kept NULL: that failed.
static EntrainProblem *make(Arena *a, const KeptSource *kept, Err *err) {
  Problem *problem = kept ? problem_of_kept(kept, err) : NULL;
  if (!problem) {
    arena_free(a);
    return NULL;
  }
  EntrainProblem *p = ARENA_NEW(a, EntrainProblem);
  p->arena = a;
  p->problem = problem;
  p->kept = kept;
  p->starts = starts_of(a, problem);
  p->method = problem_method(problem, a);
  list_warnings(p, &problem->model->flat->warnings);
  list_warnings(p, &problem->warnings);
  list_files(p, kept->source.path);
  return p;
}

static EntrainProblem *make_from(const EntrainSource *source, bool is_named, EntrainError *error) {
  Err err = {0};
  Arena *a = arena_new();
  EntrainProblem *p = make(a, keep_source(a, source, is_named, &err), &err);
  api_publish(&err, error);
  return p;
}

EntrainProblem *entrain_problem_make(const EntrainSource *source, EntrainError *error) {
  if (!source) return api_none("source", error);
  Err err = {0};
  EntrainSource full;
  if (!API_TAKE(&full, EntrainSource, source, &err)) return api_fine(&err, error), NULL;
  return make_from(&full, false, error);
}

// Start values that were set since it was read are those of the other one, too, unless its settings changed them.
static void take_starts(const EntrainProblem *from, Problem *to) {
  const Problem *old = from->problem;
  for (int i = 0; i < old->unknown_count; i++)
    for (int k = 0; k < to->unknown_count; k++) {
      Unknown *u = &to->unknowns[k];
      double start = old->unknowns[i].start;
      if (strcmp(u->name, old->unknowns[i].name) == 0 && u->start == from->starts[i] &&
          start >= u->min && start <= u->max)
        u->start = start;
    }
}

EntrainProblem *entrain_problem_with(const EntrainProblem *problem, const EntrainSetting *settings,
                                     int count, EntrainError *error) {
  if (!problem) return api_none("problem", error);
  Err err = {0};
  Arena *a = arena_new();
  EntrainProblem *p = make(a, keep_source_with(a, problem->kept, settings, count, &err), &err);
  if (p) take_starts(problem, p->problem);
  api_publish(&err, error);
  return p;
}

EntrainProblem *entrain_problem_load(const char *path, const EntrainSetting *settings, int count,
                                     EntrainError *error) {
  if (!path) return api_none("path", error);
  return make_from(&(EntrainSource){.path = path, .settings = settings, .setting_count = count},
                   false, error);
}

EntrainProblem *entrain_problem_parse_with(const char *name, const char *folder, const char *text,
                                           size_t length, const EntrainSetting *settings, int count,
                                           const EntrainSimulator *simulator, EntrainError *error) {
  if (!text) return api_none("text", error);
  return make_from(&(EntrainSource){.name = name,
                                    .folder = folder,
                                    .text = text,
                                    .length = length,
                                    .settings = settings,
                                    .setting_count = count,
                                    .simulator = simulator},
                   true, error);
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
  return p->method;
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
const char *entrain_problem_file_hash(const EntrainProblem *p, int i) {
  const char *path = entrain_problem_file(p, i);
  if (!path) return NULL;
  const MadeFrom *read = &p->problem->files;
  for (int k = 0; k < read->count; k++)
    if (strcmp(read->at[k].path, path) == 0) return read->at[k].hash;
  return "";
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
  return API_GIVE(out, EntrainUnknown, f->name, f->unit ? f->unit : "", f->start, f->min, f->max,
                  f->log, f->in_model);
}

// ---------------------------------------------------------------- experiments

int entrain_problem_experiment_count(const EntrainProblem *p) {
  int count = 0;
  for (const Problem *one = p ? p->problem : NULL; one; one = one->validation)
    count += one->experiment_count;
  return count;
}

bool entrain_problem_experiment(const EntrainProblem *p, int i, EntrainExperiment *out) {
  const Experiment *e = p ? problem_experiment(p->problem, i) : NULL;
  if (!e || !out) return false;
  const Problem *of = p->problem;
  bool fitted = e >= of->experiments && e < of->experiments + of->experiment_count;
  return API_GIVE(out, EntrainExperiment, .name = e->name, .data = e->file,
                  .of_memory = e->in_memory, .fitted = fitted, .start = e->origin + e->start,
                  .stop = e->origin + e->stop, .time_origin = e->time_origin ? e->time_origin : "",
                  .epoch_unit = e->epoch_unit ? e->epoch_unit : "");
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
