// entrain report: the page of a result that exists, from its JSON or from a store.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/report_page.h"
#include "cli/study_run.h"

extern const Command CMD_RESUME;

// ---------------------------------------------------------------- where

static bool is_server(const char *path) {
  return strncmp(path, "postgresql:", 11) == 0 || strncmp(path, "postgres:", 9) == 0;
}

static bool is_store(const char *path) {
  static const char MARK[] = "SQLite format 3";
  char head[sizeof MARK] = "";
  if (is_server(path)) return true;
  FILE *f = fopen(path, "rb");
  size_t got = f ? fread(head, 1, sizeof head - 1, f) : 0;
  if (f) fclose(f);
  return got == sizeof head - 1 && memcmp(head, MARK, got) == 0;
}

// RESULT.html beside RESULT.json, if nothing else is said. The caller frees it.
static char *page_path(const Arguments *a) {
  const char *given = arguments_value(a, "output"), *path = a->words[0];
  if (given) return needed(strdup(given));
  if (is_server(path)) return needed(strdup("study.html"));
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  int length = dot && (!slash || dot > slash + 1) ? (int)(dot - path) : (int)strlen(path);
  char *text;
  if (asprintf(&text, "%.*s.html", length, path) < 0) no_memory();
  return text;
}

// ---------------------------------------------------------------- stores

// DONE, or the exit status.
static int check_done(const char *place, const char *number) {
  EntrainError error = {.size = sizeof error};
  EntrainStudyInfo info = {.size = sizeof info}, found = {.size = sizeof found};
  EntrainStore *s = entrain_store_open(place, false, study_tell, NULL, &error);
  if (!s) return complain_error(&error);
  int count = entrain_store_count(s);
  for (int i = 0; i < count; i++)
    if (entrain_store_study(s, i, &info) && (!number || info.number == atol(number)) &&
        info.number > found.number)
      found = info;
  bool done = found.number && found.state == ENTRAIN_STUDY_DONE;
  if (!found.number)
    complain("there is no such study in '%s'; 'entrain show' lists them", place);
  else if (!done)
    complain("study %ld in '%s' is not done: 'entrain resume' goes on with it, and writes its page "
             "with --report FILE",
             found.number, place);
  entrain_store_close(s);
  return done ? DONE : WRONG_USE;
}

static int report_store(const Arguments *a, const char *page) {
  const char *study = arguments_value(a, "study"), *without = arguments_value(a, "report_without"),
             *simulators = arguments_value(a, "simulators");
  int status = check_done(a->words[0], study);
  if (status != DONE) return status;
  const char *words[11] = {a->words[0], "--quiet", "--page_only", "--report", page};
  int count = 5;
  if (study) words[count++] = "--study", words[count++] = study;
  if (without) words[count++] = "--report_without", words[count++] = without;
  if (simulators) words[count++] = "--simulators", words[count++] = simulators;
  Arguments resume = {0};
  bool fine = arguments_parse(&resume, &CMD_RESUME, count, (char **)words);
  status = fine ? CMD_RESUME.run(&resume) : WRONG_USE;
  arguments_done(&resume);
  return status;
}

// ---------------------------------------------------------------- JSON

static bool exists(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f) fclose(f);
  return f != NULL;
}

// As it was given then, or beside the JSON. The caller frees it.
static char *find_problem(const Arguments *a, const EntrainWritten *w) {
  const char *given = arguments_value(a, "problem"), *path = entrain_written_problem(w),
             *json = a->words[0], *slash = strrchr(json, '/'), *base = strrchr(path, '/');
  char *beside;
  if (given) return needed(strdup(given));
  if (exists(path)) return needed(strdup(path));
  if (asprintf(&beside, "%.*s%s", slash ? (int)(slash + 1 - json) : 0, json,
               base ? base + 1 : path) < 0)
    no_memory();
  return beside;
}

static EntrainFit *evaluate_at(const EntrainProblem *p, const char *json, EntrainError *error) {
  int count = entrain_problem_unknown_count(p);
  double *values = needed(calloc((size_t)count + 1, sizeof *values));
  bool *given = needed(calloc((size_t)count + 1, sizeof *given));
  char *warnings = NULL;
  for (int i = 0; i < count; i++) values[i] = nan("");
  EntrainFit *point = NULL;
  if (entrain_problem_read_values(p, json, values, given, &warnings, error))
    point = entrain_evaluate(p, values, 0, error);
  entrain_text_free(warnings);
  free(values);
  free(given);
  return point;
}

static char *joined(char *first, const char *second) {
  char *both;
  if (asprintf(&both, "%s%s%s", first ? first : "", first && first[0] && second[0] ? " " : "",
               second) < 0)
    no_memory();
  free(first);
  return both;
}

// The page must not take the place of what it is made from.
static bool spares_files(const EntrainProblem *p, const char *problem, const char *page) {
  bool same = output_is_same(page, problem);
  for (int i = 0; p && i < entrain_problem_file_count(p); i++)
    same |= output_is_same(page, entrain_problem_file(p, i));
  if (same)
    complain("the page would overwrite '%s', which is read; choose another name with -o", page);
  return !same;
}

// What is missing is said in the page, and on standard error.
static int write_json_page(const Arguments *a, const char *page, const EntrainWritten *w,
                           const EntrainProblem *p, EntrainError *error) {
  EntrainFit *point = p ? evaluate_at(p, a->words[0], error) : NULL;
  char *notice = p ? entrain_written_changes(w, p) : NULL;
  if (!point) {
    char why[1000], *text;
    error->excerpt[0] = 0; // the page has no room for a line and its caret
    entrain_error_format(error, why, sizeof why);
    if (asprintf(&text, "There are no pictures of data and model: %s.", why) < 0) no_memory();
    notice = joined(notice, text);
    free(text);
  }
  bool whole = point && !notice[0];
  if (!whole) remark("%s", notice);
  int status = page_write_to(a, page, p, entrain_written_problem(w),
                             entrain_written_report(w, notice, ENTRAIN_HTML, false),
                             point ? entrain_fit_figures(point) : NULL);
  entrain_fit_free(point);
  free(notice);
  return worse(status, whole ? DONE : NOT_REACHED);
}

// Settings of the result, behind folders for data that are given now. The caller frees the list.
static EntrainSetting *settings_now(const Arguments *a, const EntrainWritten *w, int *count) {
  int written, used = 0;
  const EntrainSetting *then = entrain_written_settings(w, &written);
  EntrainSetting *all = needed(calloc((size_t)(written + a->given_count) + 1, sizeof *all));
  for (int i = 0; i < a->given_count; i++)
    if (strcmp(a->given[i].name, "data") == 0)
      all[used++] = (EntrainSetting){"data_folder", a->given[i].value, false};
  for (int i = 0; i < written; i++) all[used++] = then[i];
  *count = used;
  return all;
}

static int report_json(const Arguments *a, const char *page) {
  EntrainError error = {.size = sizeof error};
  EntrainWritten *w = entrain_written_load(a->words[0], &error);
  if (!w) return complain_error(&error);
  int count;
  EntrainSetting *settings = settings_now(a, w, &count);
  char *path = find_problem(a, w);
  EntrainProblem *p = entrain_problem_load(path, settings, count, &error);
  int status = spares_files(p, path, page) ? write_json_page(a, page, w, p, &error) : WRONG_USE;
  entrain_problem_free(p);
  entrain_written_free(w);
  free(settings);
  free(path);
  return status;
}

static int run(const Arguments *a) {
  if (!page_prepare(a)) return WRONG_USE;
  char *page = page_path(a);
  int status = WRONG_USE;
  if (output_is_same(page, a->words[0]))
    complain("the page would overwrite '%s', which is read; choose another name with -o", page);
  else if (output_can_write(page))
    status = is_store(a->words[0]) ? report_store(a, page) : report_json(a, page);
  free(page);
  return status;
}

static const Flag FLAGS[] = {
    {"output", 'o', "FILE", "the page; - is standard output",
     "the name of the result with the ending .html", false},
    {"report_without", 0, "LIST", "leaves the model, the data or both out: model,data", NULL,
     false},
    {"problem", 0, "FILE", "the problem file of the result, if it lies elsewhere now",
     "as the result says, or beside it", false},
    FLAG_DATA,
    {"study", 0, "N", "of a store: the number of the study", "the newest", false},
    {"simulators", 0, "DIR", "of a store: folder with the closed simulators of the problem", NULL,
     false},
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain report fit.json",
    "fit.html: the result of an earlier fit as a page",
    "entrain report studies.db --study 3 -o map.html",
    "The result of a study of a store",
    NULL,
};

const Command CMD_REPORT = {
    "report",
    "RESULT",
    "the page of an earlier result: JSON of a fit, or a store",
    "Makes one HTML page of a result that exists, to look at in a browser, print or mail. RESULT "
    "is "
    "the JSON of 'entrain fit' or 'entrain evaluate', or a store. Of a JSON the problem is read "
    "again, its files are compared with those of the result, and the model is simulated at the "
    "result for the pictures; nothing is searched. The page says what has changed or is missing, "
    "and then the exit status is 1. Of a store the study must be done; nothing is computed again. "
    "All other commands make such a page of their result with --report FILE.",
    FLAGS,
    0,
    EXAMPLES,
    run,
};
