// entrain compare: solves one problem with several methods and prints a table of results and work.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare_models.h"
#include "cli/figures.h"
#include "cli/lists.h"
#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_page.h"
#include "cli/study_run.h"

static const char *const PLACES[] = {"output", "json", "trace", "svg", "png", "report", NULL};
static const char *const LAYOUTS[] = {"full", "paper", "parallel", NULL}; // as EntrainCompareLayout
static const char *const FORMATS[] = {"table", "csv", "json", "markdown", NULL};
enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MARKDOWN };
static const char *const ERRORS[] = {"determined", "all", NULL};
enum { RUNS_MOST = 1000000 };

typedef struct CompareCommand {
  const Arguments *a;
  const EntrainProblem *problem;
  EntrainCompare *compare;
  int layout, format, all; // indices in LAYOUTS, FORMATS, ERRORS
} CompareCommand;

// ---------------------------------------------------------------- flags

static bool read_count(const Arguments *a, const char *flag, int *count) {
  const char *text = arguments_value(a, flag);
  double value = 0;
  *count = 0;
  if (!text) return true;
  char dashed[40];
  snprintf(dashed, sizeof dashed, "--%s", flag);
  if (!read_number(dashed, text, &value)) return false;
  if (value >= 1 && value <= RUNS_MOST && value == floor(value)) {
    *count = (int)value;
    return true;
  }
  complain("--%s must be a whole number from 1 to %d, not %s", flag, RUNS_MOST, text);
  return false;
}

static bool spares(const CompareCommand *job, const char *path) {
  for (int i = 0; PLACES[i]; i++) {
    const char *place = arguments_value(job->a, PLACES[i]);
    if (!place || !output_is_same(place, path)) continue;
    complain("--%s would overwrite '%s', which is read; choose another name", PLACES[i], path);
    return false;
  }
  return true;
}

static bool add_method(const CompareCommand *job, const char *place, const char *text) {
  EntrainError error = {.size = sizeof error};
  if (entrain_compare_add(job->compare, text, &error)) return true;
  complain("%s: %s", place, error.text);
  return false;
}

// "@file": one method per line; empty lines and lines that begin with # are skipped.
static bool add_methods_of_file(const CompareCommand *job, const char *path) {
  size_t length;
  if (strcmp(path, "-") != 0 && !spares(job, path)) return false;
  char *text = read_all(path, &length), *at = text, *line;
  bool done = text != NULL;
  int count = 0;
  for (int number = 1; done && (line = strsep(&at, "\n")); number++) {
    char place[300];
    snprintf(place, sizeof place, "%.250s:%d", path, number);
    line += strspn(line, " \t\r");
    if (*line && *line != '#') {
      line[strcspn(line, "\r")] = 0;
      done = add_method(job, place, line);
      count++;
    }
  }
  free(text);
  if (done && !count) complain("--methods: '%s' names no method; write one per line", path);
  return done && count;
}

static bool add_methods(const CompareCommand *job) {
  const char *list = arguments_value(job->a, "methods");
  Words words;
  if (!list) return true;
  if (list[0] == '@') return add_methods_of_file(job, list + 1);
  bool done = words_split("--methods", list, &words);
  for (int i = 0; done && i < words.count; i++) done = add_method(job, "--methods", words.at[i]);
  words_done(&words);
  return done;
}

static bool set_truth(const CompareCommand *job) {
  if (!arguments_have(job->a, "truth")) return true;
  double *truth = read_truth(job->a, job->problem);
  if (!truth) return false;
  entrain_compare_truth(job->compare, truth, job->all == 1);
  free(truth);
  return true;
}

static bool read_found(const CompareCommand *job) {
  const char *text = arguments_value(job->a, "found");
  double value;
  if (!text) return true;
  if (!read_number("--found", text, &value)) return false;
  if (value > 0 && value < 1) {
    entrain_compare_found(job->compare, value);
    return true;
  }
  complain("--found must be above 0 and below 1, not %s", text);
  return false;
}

static bool read_published(const CompareCommand *job) {
  const char *path = arguments_value(job->a, "published");
  EntrainError error = {.size = sizeof error};
  if (!path) return true;
  if (!spares(job, path)) return false;
  if (entrain_compare_published(job->compare, path, &error)) return true;
  complain_error(&error);
  return false;
}

static bool set_up(CompareCommand *job) {
  int seeds, starts;
  if (!read_choice("layout", arguments_value(job->a, "layout"), LAYOUTS, &job->layout) ||
      !read_choice("format", arguments_value(job->a, "format"), FORMATS, &job->format) ||
      !read_choice("error", arguments_value(job->a, "error"), ERRORS, &job->all) ||
      !read_count(job->a, "seeds", &seeds) || !read_count(job->a, "random_starts", &starts) ||
      !set_truth(job) || !read_found(job) || !read_published(job) || !add_methods(job))
    return false;
  entrain_compare_repeat(job->compare, seeds, starts);
  if (study_keeps_traces(job->a)) entrain_compare_keep_traces(job->compare);
  if (job->layout == ENTRAIN_COMPARE_PARALLEL) entrain_compare_time_threads(job->compare);
  return true;
}

// ---------------------------------------------------------------- the run

static void show(Progress *p, const EntrainCompareProgress *c) {
  char line[400], part[100] = "";
  if (c->runs > 1) snprintf(part, sizeof part, "  run %d of %d", c->run + 1, c->runs);
  int at = snprintf(line, sizeof line, "%.200s (%d of %d)%s", c->method, c->number + 1, c->methods,
                    part);
  if (isfinite(c->objective) && at < (int)sizeof line)
    snprintf(line + at, sizeof line - (size_t)at, "  step %d  objective %.4g  %ld simulations",
             c->iteration, c->objective, c->simulations);
  p->numbers.done = c->number, p->numbers.total = c->methods, p->numbers.best = c->objective;
  progress_show(p, line);
}

static bool follow(Progress *p, const EntrainCompareProgress *c) {
  char stage[240];
  snprintf(stage, sizeof stage, c->runs > 1 ? "%.200s, run %d of %d" : "%.200s", c->method,
           c->run + 1, c->runs);
  EntrainProgress step = {.size = sizeof step,
                          .stage = stage,
                          .iteration = c->iteration,
                          .objective = c->objective,
                          .simulations = c->simulations,
                          .best = (double)INFINITY};
  p->numbers.done = c->number, p->numbers.total = c->methods;
  bool goes = live_step(&step);
  return progress_follow(p, NULL) && goes;
}

static bool listen(void *data, const EntrainCompareProgress *c) {
  Progress *p = data;
  if (progress_is_due(p, false)) show(p, c);
  return !live_is_on() || follow(p, c);
}

// ---------------------------------------------------------------- results

static char *text_of(const CompareCommand *job) {
  Terminal t = output_terminal();
  EntrainCompareLayout layout = (EntrainCompareLayout)job->layout;
  switch (job->format) {
  case FORMAT_CSV: return entrain_compare_csv(job->compare, layout);
  case FORMAT_JSON: return entrain_compare_json(job->compare);
  case FORMAT_MARKDOWN: return entrain_compare_markdown(job->compare, layout);
  default:
    if (arguments_have(job->a, "output")) t = (Terminal){.width = 200};
    return entrain_compare_report(job->compare, layout, t.width, t.colour);
  }
}

static const char NOTHING[] = "there is nothing to draw: no method reported a step";

static int write_pictures(const CompareCommand *job) {
  const char *svg = arguments_value(job->a, "svg"), *png = arguments_value(job->a, "png");
  int status = DONE;
  if (svg) {
    char *text = entrain_compare_svg(job->compare);
    status = write_picture(svg, text, text ? strlen(text) : 0, NOTHING);
  }
  if (png) {
    size_t length = 0;
    char *bytes = entrain_compare_png(job->compare, &length);
    status = worse(status, write_picture(png, bytes, length, NOTHING));
  }
  return status;
}

static bool is_same_everywhere(const EntrainCompare *c) {
  EntrainCompared row = {.size = sizeof row};
  bool same = true;
  for (int i = 0; entrain_compare_row(c, i, &row); i++) {
    same &= row.same;
    if (!row.same) complain("%s: the result depends on the number of threads", row.label);
  }
  return same;
}

static int write_results(const CompareCommand *job) {
  const char *output = arguments_value(job->a, "output"), *trace = arguments_value(job->a, "trace");
  bool silent = arguments_have(job->a, "quiet") && !output;
  static const char *const OTHERS[] = {"json", "trace", "svg", "png", "report", NULL};
  const char *json = arguments_value(job->a, "json");
  int status = trace ? write_result(trace, entrain_compare_trace_csv(job->compare)) : DONE;
  if (json) status = worse(status, write_result(json, entrain_compare_json(job->compare)));
  status = worse(status, write_pictures(job));
  status = worse(
      status,
      pages_write(job->a, job->problem,
                  page_wanted(job->a) ? entrain_compare_report(job->compare, ENTRAIN_COMPARE_FULL,
                                                               ENTRAIN_HTML, false)
                                      : NULL,
                  pictures_wanted(job->a) ? entrain_compare_figures(job->compare) : NULL));
  if (!silent && (output || !places_take_stdout(job->a, OTHERS)))
    status = worse(status, write_result(output, text_of(job)));
  if (!is_same_everywhere(job->compare)) return INTERNAL;
  bool whole = !entrain_compare_stopped(job->compare) && entrain_compare_has_result(job->compare);
  return worse(status, whole ? DONE : NOT_REACHED);
}

static int study(CompareCommand *job) {
  EntrainError error = {.size = sizeof error};
  if (!set_up(job)) return WRONG_USE;
  Progress progress = progress_new(job->a);
  int status;
  if (!study_begin(job->a, &status)) return status;
  bool done = entrain_compare_run(job->compare, listen, &progress, &error);
  progress_clear(&progress);
  if (!study_end(&error, &status)) return status;
  return worse(status, done ? write_results(job) : complain_error(&error));
}

static int compare_all(const Arguments *a, const EntrainProblem *problem) {
  CompareCommand job = {.a = a, .problem = problem, .compare = entrain_compare_new(problem)};
  int status = study(&job);
  entrain_compare_free(job.compare);
  return status;
}

static int run(const Arguments *a) {
  if (a->word_count > 1) return compare_models(a);
  if (!compare_models_flags_absent(a)) return WRONG_USE;
  return run_on_problem(a, PLACES, compare_all);
}

// ---------------------------------------------------------------- help

static const Flag FLAGS[] = {
    {"methods", 0, "LIST",
     "the methods: lm,homotopy:gain=10,multistart(lm,50):label=fifty; options of a method follow "
     "it after colons; @FILE: a file with one method per line",
     "auto, homotopy, and one of each kind", false},
    {"truth", 0, "[LIST]",
     "true values of the parameters: p=10,q=3; the others have their values in the model", NULL,
     false},
    {"error", 0, "determined|all",
     "parameters that count in the error: those that the data determine, or all", "determined",
     false},
    {"found", 0, "NUMBER",
     "largest relative difference from the truth, or from the end of a search that starts at the "
     "truth, that counts as found; without a truth: excess of the objective over the best one",
     "0.01", false},
    {"seeds", 0, "N", "methods that use random numbers run N times; the table shows medians", "1",
     false},
    {"random_starts", 0, "N", "every method runs from N random points between the bounds",
     "the start values", false},
    {"layout", 0, "full|paper|parallel",
     "the columns. full: all; paper: method, iterations, function evaluations, objective; "
     "parallel: times with one thread and with -j threads",
     "full", false},
    {"published", 0, "FILE",
     "CSV of published results to show below: method,iterations,evaluations,objective,...", NULL,
     false},
    {"format", 0, "table|csv|json|markdown", "format of the result", "table", false},
    {"output", 'o', "FILE", "file for the result", "standard output", false},
    {"json", 0, "FILE", "the complete result as JSON; - is standard output", NULL, false},
    {"nested", 0, "SMALL:LARGE",
     "models: the first of these two problem files is a special case of the second; a likelihood "
     "ratio test; may be repeated",
     NULL, false},
    {"folds", 0, "K",
     "models: cross-validation; each of K blocks of time of the records is left out of a fit in "
     "turn, and the error of the simulation is measured there",
     NULL, false},
    {"trace", 0, "FILE",
     "CSV of every step of every method: iteration, evaluations, fair count, best objective so "
     "far, seconds, parameters",
     NULL, false},
    {"svg", 0, "FILE", "SVG picture of the convergence: the best objective over the work", NULL,
     false},
    {"png", 0, "FILE", "the same picture as PNG", NULL, false},
    FLAG_REPORT,
    FLAG_FIGURES,
    {"start", 0, "LIST", "start values of every search: p=15,q=1", "the problem file", false},
    FLAG_SET,
    FLAG_LIBRARY,
    FLAG_DATA,
    FLAG_STORE,
    FLAG_LIVE,
    {"keep_traces", 0, NULL, "of a study in a store: traces are computed", NULL, true},
    FLAG_QUIET,
    FLAG_PROGRESS,
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain compare swing.yaml --methods homotopy,lm,ga,pso --truth --seeds 5",
    "Four methods on one problem; the model file contains the true values",
    "entrain compare swing.yaml --methods homotopy:coupling=pd,homotopy:coupling=pid-squared "
    "--svg convergence.svg",
    "One method with two sets of options, and a picture of their convergence",
    "entrain compare swing.yaml --methods lm:derivatives=forward,implicit-filtering --layout "
    "parallel -j 4",
    "How much faster four threads are",
    "entrain compare viscous.yaml dry.yaml both.yaml --folds 5 --nested viscous.yaml:both.yaml",
    "Which model of friction? Three problem files with the same data",
    NULL,
};

const Command CMD_COMPARE = {
    "compare",
    "PROBLEM...",
    "compares methods on a problem, or models of the same data",
    "With one problem file, methods are compared; with several, models (below). Solves one problem "
    "with several methods. All use the same simulations, and their work is "
    "counted in the same way. Prints a row for each method: how it ended, iterations, evaluations "
    "of the objective, the fair count (an evaluation with the derivatives by n parameters counts "
    "n + 1), the objective, the largest relative error if the truth is known, time. Flags set "
    "options of all methods (--max_simulations 2000, for each search); options of one method "
    "follow it after colons. If a method fails or cannot solve the problem, its row says so, and "
    "the others run. PROBLEM is a YAML file ('entrain help problem' explains it).\n"
    "--max_seconds limits all searches together: each may take the same share of what is left. "
    "Ctrl-C stops and prints the rows so far. The exit status is 1 if the comparison was stopped "
    "or no method has a result.\n"
    "Several problem files with the same data compare their models: each is fitted as 'entrain "
    "fit' "
    "does, without profiles. A row for each: number of parameters, objective, log-likelihood, AIC, "
    "AICc, BIC, Akaike weight, errors of validation and cross-validation (--folds), verdict. "
    "Sentences "
    "say where these mislead, such as with correlated residuals. The samples that are fitted must "
    "be the "
    "same: other values, columns, sigmas or weights are an error. Options apply to all problems. "
    "--max_seconds limits all fits together. Ctrl-C keeps the finished rows. The exit status is 1 "
    "if it was stopped, or if 'entrain fit' has the exit status 1 for one of them: it did not "
    "converge, or its verdict is ambiguous or doubtful; methods without a verdict only have to "
    "converge.",
    FLAGS,
    OF_SIMULATION | OF_FIT,
    EXAMPLES,
    run,
};
