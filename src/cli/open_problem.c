#include "cli/open_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/interrupt.h"
#include "cli/lists.h"
#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/output.h"
#include "cli/report_page.h"
#include "cli/study_run.h"

// ---------------------------------------------------------------- settings

typedef struct Settings {
  EntrainSetting *at;
  int count;
  Words *lists; // they own the texts
  int list_count;
} Settings;

static void settings_room(Settings *s, int count) {
  s->at = needed(realloc(s->at, (size_t)(s->count + count + 1) * sizeof *s->at));
}

static bool add_list(Settings *s, const char *list) {
  Words *words = &s->lists[s->list_count++];
  if (!assignments_split("--set", list, words)) return false;
  settings_room(s, words->count);
  for (int i = 0; i < words->count; i++) {
    EntrainSetting *to = &s->at[s->count++];
    *to = (EntrainSetting){0};
    if (!assignment_split("--set", (char *)words->at[i], &to->name, &to->value)) return false;
  }
  return true;
}

// Flags of a command that are keys of the problem file.
typedef struct KeyFlag {
  const char *command, *flag, *path;
  const char *words; // of a list: how messages call the flag; NULL: it is none
} KeyFlag;

static const KeyFlag KEY_FLAGS[] = {{"weights", "kind", "weights.kind", NULL},
                                    {"weights", "over", "weights.over", "--over"}};

static const KeyFlag *key_flag(const Arguments *a, const Given *g) {
  for (size_t i = 0; i < sizeof KEY_FLAGS / sizeof *KEY_FLAGS; i++)
    if (strcmp(KEY_FLAGS[i].command, a->command->name) == 0 &&
        strcmp(KEY_FLAGS[i].flag, g->name) == 0)
      return &KEY_FLAGS[i];
  return NULL;
}

// A list with commas becomes one in brackets. false: the error is printed.
static bool add_key(Settings *s, const KeyFlag *key, const Given *g) {
  settings_room(s, 1);
  if (!key->words) {
    s->at[s->count++] = (EntrainSetting){key->path, g->value, false};
    return true;
  }
  Words *words = &s->lists[s->list_count++];
  if (!words_split(key->words, g->value, words)) return false;
  size_t room = 3;
  for (int i = 0; i < words->count; i++) room += strlen(words->at[i]) + 4;
  char *text = needed(malloc(room)), *at = text;
  for (int i = 0; i < words->count; i++)
    at += sprintf(at, "%s\"%s\"", i ? ", " : "[", words->at[i]);
  sprintf(at, "]");
  free(words->storage);
  words->storage = text; // which is freed with the list
  s->at[s->count++] = (EntrainSetting){key->path, text, false};
  return true;
}

static bool add_given(const Arguments *a, Settings *s, const Given *g) {
  const KeyFlag *key = g->flag ? key_flag(a, g) : NULL;
  if (key) return add_key(s, key, g);
  if (g->flag && strcmp(g->name, "set") == 0) return add_list(s, g->value);
  if (g->flag && strcmp(g->name, "library") == 0) {
    settings_room(s, 1);
    s->at[s->count++] = (EntrainSetting){"library", g->value, false};
    return true;
  }
  if (g->flag && strcmp(g->name, "data") == 0) {
    settings_room(s, 1);
    s->at[s->count++] = (EntrainSetting){"data_folder", g->value, false};
    return true;
  }
  if (g->flag && strcmp(g->name, "method") != 0) return true;
  settings_room(s, 1);
  s->at[s->count++] = (EntrainSetting){g->name, g->value, true};
  return true;
}

static bool settings_read(const Arguments *a, const EntrainSetting *more, int count, Settings *s) {
  *s = (Settings){.lists = needed(calloc((size_t)a->given_count + 1, sizeof *s->lists))};
  settings_room(s, count);
  for (int i = 0; i < count; i++) s->at[s->count++] = more[i];
  for (int i = 0; i < a->given_count; i++)
    if (!add_given(a, s, &a->given[i])) return false;
  return true;
}

static void settings_done(Settings *s) {
  for (int i = 0; i < s->list_count; i++) words_done(&s->lists[i]);
  free(s->lists);
  free(s->at);
}

// ---------------------------------------------------------------- the problem

static EntrainProblem *load(const char *path, const Settings *s, EntrainError *error) {
  if (strcmp(path, "-") != 0) return entrain_problem_load(path, s->at, s->count, error);
  static char *text; // there is one standard input, which may be wanted twice
  static size_t length;
  if (!text) text = read_all(path, &length);
  return text ? entrain_problem_parse("<stdin>", ".", text, length, s->at, s->count, error) : NULL;
}

void print_problem_warnings(const EntrainProblem *p) {
  for (int i = 0; i < entrain_problem_warning_count(p); i++)
    fprintf(stderr, "%s\n", entrain_problem_warning(p, i));
}

static bool read_value(const EntrainProblem *p, const char *flag, const char *text, double *value) {
  EntrainError error = {.size = sizeof error};
  if (entrain_problem_number(p, text, value, &error)) return true;
  complain("%s: %s", flag, error.text);
  return false;
}

static bool set_start(EntrainProblem *p, char *assignment, EntrainError *error) {
  const char *name, *text;
  double value;
  if (!assignment_split("--start", assignment, &name, &text) ||
      !read_value(p, "--start", text, &value))
    return false;
  if (entrain_problem_set_start(p, name, value, error)) return true;
  complain_error(error);
  return false;
}

static bool set_starts(const Arguments *a, EntrainProblem *p) {
  EntrainError error = {.size = sizeof error};
  bool done = true;
  for (int i = 0; done && i < a->given_count; i++) {
    const Given *g = &a->given[i];
    if (!g->flag || strcmp(g->name, "start") != 0) continue;
    Words words;
    done = assignments_split("--start", g->value, &words);
    for (int k = 0; done && k < words.count; k++) done = set_start(p, (char *)words.at[k], &error);
    words_done(&words);
  }
  return done;
}

EntrainProblem *load_problem(const Arguments *a, const EntrainSetting *more, int count,
                             int *status) {
  EntrainError error = {.size = sizeof error};
  Settings s;
  EntrainProblem *p = settings_read(a, more, count, &s) ? load(a->words[0], &s, &error) : NULL;
  settings_done(&s);
  *status = p ? DONE : WRONG_USE;
  if (!p && error.code) *status = complain_error(&error);
  return p;
}

EntrainProblem *open_problem(const Arguments *a, int *status) {
  EntrainProblem *p = load_problem(a, NULL, 0, status);
  if (!p) return NULL;
  print_problem_warnings(p);
  if ((a->command->options & AT_POINT) || set_starts(a, p)) return p;
  *status = WRONG_USE;
  entrain_problem_free(p);
  return NULL;
}

static bool unknown_name(const EntrainProblem *p, const char *flag, const char *name) {
  NearestWord nearest = {.name = name};
  EntrainUnknown u = {.size = sizeof u};
  for (int i = 0; entrain_problem_unknown(p, i, &u); i++) nearest_offer(&nearest, u.name);
  if (nearest.best)
    complain("%s: '%s' is not estimated; did you mean '%s'?", flag, name, nearest.best);
  else
    complain("%s: '%s' is not estimated", flag, name);
  return false;
}

static bool read_unknown(const EntrainProblem *p, const char *flag, char *assignment,
                         double *values) {
  const char *name, *text;
  double value;
  EntrainUnknown u = {.size = sizeof u};
  bool found = false;
  if (!assignment_split(flag, assignment, &name, &text) || !read_value(p, flag, text, &value))
    return false;
  size_t length = strlen(name);
  for (int i = 0; entrain_problem_unknown(p, i, &u); i++) { // p also means p[swing]
    char after = strncmp(u.name, name, length) == 0 ? u.name[length] : '?';
    if (after != 0 && after != '[') continue;
    values[i] = value;
    found = true;
  }
  return found || unknown_name(p, flag, name);
}

bool read_unknowns(const EntrainProblem *p, const char *flag, const char *list, double *values) {
  Words words;
  bool done = assignments_split(flag, list, &words);
  for (int i = 0; done && i < words.count; i++)
    done = read_unknown(p, flag, (char *)words.at[i], values);
  words_done(&words);
  return done;
}

double *read_truth(const Arguments *a, const EntrainProblem *p) {
  double *truth = needed(calloc((size_t)entrain_problem_unknown_count(p) + 1, sizeof *truth));
  const char *list = arguments_value(a, "truth");
  EntrainUnknown u = {.size = sizeof u};
  for (int i = 0; entrain_problem_unknown(p, i, &u); i++) truth[i] = u.in_model;
  if (!list || read_unknowns(p, "--truth", list, truth)) return truth;
  free(truth);
  return NULL;
}

// Values of a file, by name; those that it lacks must come from --start.
static bool read_file_values(const EntrainProblem *p, const char *path, double *values,
                             bool *given) {
  EntrainError error = {.size = sizeof error};
  char *warnings = NULL;
  bool done = entrain_problem_read_values(p, path, values, given, &warnings, &error);
  if (warnings) fprintf(stderr, "%s\n", warnings);
  entrain_text_free(warnings);
  if (!done) complain_error(&error);
  return done;
}

static bool are_all_given(const EntrainProblem *p, const char *path, const double *values) {
  EntrainUnknown u = {.size = sizeof u};
  for (int i = 0; entrain_problem_unknown(p, i, &u); i++)
    if (isnan(values[i])) {
      complain("%s has no value of %s; give it with --start %s=...", path, u.name, u.name);
      return false;
    }
  return true;
}

static bool read_point_into(const Arguments *a, const EntrainProblem *p, double *values,
                            bool *given) {
  const char *path = arguments_value(a, "parameters");
  bool done = true;
  EntrainUnknown u = {.size = sizeof u};
  for (int i = 0; entrain_problem_unknown(p, i, &u); i++) values[i] = path ? nan("") : u.start;
  if (path) done = read_file_values(p, path, values, given);
  for (int i = 0; done && i < a->given_count; i++)
    if (a->given[i].flag && strcmp(a->given[i].name, "start") == 0)
      done = read_unknowns(p, "--start", a->given[i].value, values);
  return done && (!path || are_all_given(p, path, values));
}

double *read_point(const Arguments *a, const EntrainProblem *p) {
  size_t count = (size_t)entrain_problem_unknown_count(p) + 1;
  double *values = needed(calloc(count, sizeof *values));
  bool *given = needed(calloc(count, sizeof *given));
  bool done = read_point_into(a, p, values, given);
  free(given);
  if (done) return values;
  free(values);
  return NULL;
}

// ---------------------------------------------------------------- files of results

static bool spares_what_is_read(const EntrainProblem *p, const char *flag, const char *path) {
  for (int i = 0; i < entrain_problem_file_count(p); i++) {
    if (!output_is_same(path, entrain_problem_file(p, i))) continue;
    complain("--%s would overwrite '%s', which is read; choose another name", flag,
             entrain_problem_file(p, i));
    return false;
  }
  return true;
}

bool check_places(const Arguments *a, const EntrainProblem *p, const char *const *flags) {
  for (int i = 0; flags[i]; i++) {
    const char *path = arguments_value(a, flags[i]);
    if (!path) continue;
    if (!spares_what_is_read(p, flags[i], path) || !output_can_write(path)) return false;
    for (int k = 0; k < i; k++) {
      const char *other = arguments_value(a, flags[k]);
      if (!other || !output_is_same(path, other)) continue;
      complain("--%s and --%s cannot both be '%s'", flags[k], flags[i], path);
      return false;
    }
  }
  return true;
}

bool places_take_stdout(const Arguments *a, const char *const *flags) {
  for (int i = 0; flags[i]; i++) {
    const char *path = arguments_value(a, flags[i]);
    if (path && strcmp(path, "-") == 0) return true;
  }
  return false;
}

// The page has a problem of its own, so that what it simulates changes no bit of the result.
static bool begin_live(const Arguments *a, const EntrainProblem *problem) {
  int status;
  bool curves = live_is_wanted(a) && strcmp(a->command->name, "fit") == 0 &&
                !entrain_problem_is_closed(problem);
  return live_begin(a, problem, curves ? load_problem(a, NULL, 0, &status) : NULL);
}

int run_on_problem(const Arguments *a, const char *const *places, ProblemWork *work) {
  int status;
  if (!study_note(a)) return WRONG_USE;
  EntrainProblem *problem = open_problem(a, &status);
  if (problem && !study_is_worker() &&
      (!check_places(a, problem, places) || !figures_prepare(a) || !page_prepare(a) ||
       !begin_live(a, problem)))
    status = WRONG_USE;
  interrupt_compute();
  if (status == DONE) status = work(a, problem);
  study_end(NULL, &status); // where it was not begun
  live_close();
  entrain_problem_free(problem);
  return status;
}

int find_hessian(const Arguments *a, EntrainFit *fit) {
  EntrainError error = {.size = sizeof error};
  if (!arguments_have(a, "hessian") || entrain_fit_find_hessian(fit, &error)) return DONE;
  complain_error(&error);
  return NOT_REACHED;
}
