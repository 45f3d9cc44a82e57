#include "cli/compare_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/interrupt.h"
#include "cli/lists.h"
#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_page.h"

static const char *const PLACES[] = {"output", "json", "report", NULL};
static const char *const FORMATS[] = {"table", "csv", "json", "markdown", NULL};
enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MARKDOWN };

typedef struct ModelsCommand {
  const Arguments *a;
  EntrainProblem **problems;
  int count;
  int format;
  EntrainModels *models;
} ModelsCommand;

// ---------------------------------------------------------------- flags

bool compare_models_flags_absent(const Arguments *a) {
  static const char *const OWN[] = {"nested", "folds", NULL};
  for (int i = 0; OWN[i]; i++)
    if (arguments_have(a, OWN[i])) {
      complain("--%s compares models: give two problem files or more", OWN[i]);
      return false;
    }
  return true;
}

static bool are_flags_suitable(const Arguments *a) {
  static const char *const OF_METHODS[] = {"methods", "truth",         "error",  "found",
                                           "seeds",   "random_starts", "layout", "published",
                                           "trace",   "svg",           "png",    NULL};
  for (int i = 0; OF_METHODS[i]; i++)
    if (arguments_have(a, OF_METHODS[i])) {
      complain("--%s compares methods on one problem; several problem files compare models",
               OF_METHODS[i]);
      return false;
    }
  static const struct {
    const char *flag, *why;
  } REFUSED[] = {
      {"store", "a comparison of models is not kept in a store; fit each of them with --store"},
      {"fork", "a comparison of models is not kept in a store"},
      {"tags", "a comparison of models is not kept in a store"},
      {"live", "--live follows one problem; use --progress, or 'entrain fit --live'"},
      {"live_port", "--live_port goes with --live, which follows one problem"},
      {"start", "--start belongs to one problem; write start values into the problem files"},
  };
  for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++)
    if (arguments_have(a, REFUSED[i].flag)) {
      complain("%s", REFUSED[i].why);
      return false;
    }
  return true;
}

static bool read_folds(const ModelsCommand *job) {
  const char *text = arguments_value(job->a, "folds");
  double value;
  EntrainError error = {.size = sizeof error};
  if (!text) return true;
  if (!read_number("--folds", text, &value)) return false;
  if (!(value >= 2 && value <= 1000 && value == floor(value))) {
    complain("--folds must be a whole number from 2 to 1000, not %s", text);
    return false;
  }
  if (entrain_models_folds(job->models, (int)value, &error)) return true;
  complain_error(&error);
  return false;
}

static int problem_of(const ModelsCommand *job, const char *name, size_t length) {
  for (int i = 0; i < job->count; i++)
    if (strlen(job->a->words[i]) == length && strncmp(job->a->words[i], name, length) == 0)
      return i;
  return -1;
}

// "small.yaml:large.yaml"; names may contain colons, so every colon is tried.
static bool read_nesting(const ModelsCommand *job, const char *text) {
  EntrainError error = {.size = sizeof error};
  int small = -1, large = -1;
  for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
    small = problem_of(job, text, (size_t)(colon - text));
    large = problem_of(job, colon + 1, strlen(colon + 1));
    if (small >= 0 && large >= 0) break;
  }
  if (small < 0 || large < 0) {
    complain("--nested takes two of the problem files as SMALL:LARGE, such as %s:%s, not '%s'",
             job->a->words[0], job->a->words[1], text);
    return false;
  }
  if (entrain_models_nested(job->models, small, large, &error)) return true;
  complain("--nested %s: %s", text, error.text);
  return false;
}

static bool set_up(ModelsCommand *job) {
  EntrainError error = {.size = sizeof error};
  if (!read_choice("format", arguments_value(job->a, "format"), FORMATS, &job->format))
    return false;
  for (int i = 0; i < job->count; i++)
    if (!entrain_models_add(job->models, job->problems[i], &error)) {
      complain_error(&error);
      return false;
    }
  for (int i = 0; i < job->a->given_count; i++) {
    const Given *g = &job->a->given[i];
    if (g->flag && strcmp(g->name, "nested") == 0 && !read_nesting(job, g->value)) return false;
  }
  return read_folds(job);
}

// ---------------------------------------------------------------- the run

static bool listen(void *data, const EntrainModelsProgress *m) {
  Progress *p = data;
  if (!progress_is_due(p, false)) return true;
  char line[400], part[60] = "";
  if (m->fold) snprintf(part, sizeof part, "  fold %d of %d", m->fold, m->folds);
  int at =
      snprintf(line, sizeof line, "%.200s (%d of %d)%s", m->model, m->number + 1, m->models, part);
  if (isfinite(m->objective) && at < (int)sizeof line)
    snprintf(line + at, sizeof line - (size_t)at, "  step %d  objective %.4g  %ld simulations",
             m->iteration, m->objective, m->simulations);
  p->numbers.done = m->number, p->numbers.total = m->models, p->numbers.best = m->objective;
  progress_show(p, line);
  return true;
}

static char *text_of(const ModelsCommand *job) {
  Terminal t = output_terminal();
  switch (job->format) {
  case FORMAT_CSV: return entrain_models_csv(job->models);
  case FORMAT_JSON: return entrain_models_json(job->models);
  case FORMAT_MARKDOWN: return entrain_models_markdown(job->models);
  default:
    if (arguments_have(job->a, "output")) t = (Terminal){.width = 200};
    return entrain_models_report(job->models, t.width, t.colour);
  }
}

static int write_results(const ModelsCommand *job) {
  const char *output = arguments_value(job->a, "output"), *json = arguments_value(job->a, "json");
  static const char *const OTHERS[] = {"json", "report", NULL};
  bool silent = arguments_have(job->a, "quiet") && !output;
  int status = json ? write_result(json, entrain_models_json(job->models)) : DONE;
  status = worse(status,
                 pages_write(job->a, job->problems[0],
                             page_wanted(job->a)
                                 ? entrain_models_report(job->models, ENTRAIN_HTML, false)
                                 : NULL,
                             pictures_wanted(job->a) ? entrain_models_figures(job->models) : NULL));
  if (!silent && (output || !places_take_stdout(job->a, OTHERS)))
    status = worse(status, write_result(output, text_of(job)));
  bool whole = !entrain_models_stopped(job->models) && entrain_models_all_usable(job->models);
  return worse(status, whole ? DONE : NOT_REACHED);
}

static int compute(ModelsCommand *job) {
  EntrainError error = {.size = sizeof error};
  if (!set_up(job)) return WRONG_USE;
  Progress progress = progress_new(job->a);
  interrupt_compute();
  bool done = entrain_models_run(job->models, listen, &progress, &error);
  progress_clear(&progress);
  return done ? write_results(job) : complain_error(&error);
}

static int open_all(ModelsCommand *job) {
  int status = DONE;
  for (int i = 0; i < job->count && status == DONE; i++) {
    Arguments one = *job->a;
    one.words = job->a->words + i, one.word_count = 1;
    job->problems[i] = open_problem(&one, &status);
    if (job->problems[i] && !check_places(job->a, job->problems[i], PLACES)) status = WRONG_USE;
  }
  if (status == DONE && (!figures_prepare(job->a) || !page_prepare(job->a))) status = WRONG_USE;
  return status;
}

int compare_models(const Arguments *a) {
  if (!are_flags_suitable(a)) return WRONG_USE;
  ModelsCommand job = {.a = a,
                       .problems = needed(calloc((size_t)a->word_count, sizeof *job.problems)),
                       .count = a->word_count,
                       .models = entrain_models_new()};
  int status = open_all(&job);
  if (status == DONE) status = compute(&job);
  entrain_models_free(job.models);
  for (int i = 0; i < job.count; i++) entrain_problem_free(job.problems[i]);
  free(job.problems);
  return status;
}
