// entrain fit: estimates the unknowns of a problem and writes report and files.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_page.h"
#include "cli/study_run.h"

static const char *const PLACES[] = {"json", "trace", "residuals", "report", NULL};

typedef struct FitWatch { // data of the listener
  const EntrainProblem *problem;
  Progress progress;
  char stage[64];
} FitWatch;

static void show_step(FitWatch *w, const EntrainProgress *p) {
  char line[1000];
  int at = snprintf(line, sizeof line, "%s", p->stage);
  if (p->lambda > 0)
    at += snprintf(line + at, sizeof line - (size_t)at, "  lambda %.3g", p->lambda);
  at += snprintf(line + at, sizeof line - (size_t)at, "  step %d", p->iteration);
  if (isfinite(p->objective))
    at += snprintf(line + at, sizeof line - (size_t)at, "  objective %.4g", p->objective);
  if (p->doubt[0]) at += snprintf(line + at, sizeof line - (size_t)at, "  (%.200s)", p->doubt);
  EntrainUnknown u = {.size = sizeof u};
  for (int i = 0; entrain_problem_unknown(w->problem, i, &u); i++) {
    char part[128];
    int length = snprintf(part, sizeof part, "  %.60s %.5g", u.name, p->values[i]);
    if (at + length >= w->progress.width || at + length >= (int)sizeof line) break;
    memcpy(line + at, part, (size_t)length + 1);
    at += length;
  }
  w->progress.numbers.best = p->objective;
  progress_show(&w->progress, line);
}

static bool listen(void *data, const EntrainProgress *p) {
  FitWatch *w = data;
  bool new_stage = strncmp(w->stage, p->stage, sizeof w->stage - 1) != 0;
  if (new_stage) snprintf(w->stage, sizeof w->stage, "%s", p->stage);
  if (progress_is_due(&w->progress, new_stage)) show_step(w, p);
  return live_step(p);
}

static int write_residuals(const char *path, EntrainFit *fit) {
  EntrainError error = {.size = sizeof error};
  char *text = entrain_fit_residuals_csv(fit, &error);
  if (text) return write_result(path, text);
  complain_error(&error);
  output_forget(path);
  return NOT_REACHED;
}

// Where there is none the rest is written nevertheless.
static int write_files(const Arguments *a, const EntrainProblem *problem, EntrainFit *fit) {
  const char *json = arguments_value(a, "json"), *trace = arguments_value(a, "trace"),
             *residuals = arguments_value(a, "residuals");
  int status = find_hessian(a, fit);
  if (json) status = worse(status, write_result(json, entrain_fit_json(fit)));
  if (trace) status = worse(status, write_result(trace, entrain_fit_trace_csv(fit)));
  if (residuals) status = worse(status, write_residuals(residuals, fit));
  status = worse(status,
                 pages_write(a, problem,
                             page_wanted(a) ? entrain_fit_report(fit, ENTRAIN_HTML, false) : NULL,
                             pictures_wanted(a) ? entrain_fit_figures(fit) : NULL));
  return status;
}

static int write_results(const Arguments *a, const EntrainProblem *problem, EntrainFit *fit) {
  int status = write_files(a, problem, fit);
  if (!arguments_have(a, "quiet") && !places_take_stdout(a, PLACES))
    status = worse(status, write_fit_report(a, fit));
  bool whole = entrain_fit_outcome(fit) == ENTRAIN_FIT_CONVERGED && !entrain_fit_missing_count(fit);
  return worse(status, whole ? DONE : NOT_REACHED);
}

static int fit_problem(const Arguments *a, const EntrainProblem *problem) {
  EntrainError error = {.size = sizeof error};
  FitWatch watch = {.problem = problem, .progress = progress_new(a)};
  int status;
  if (!study_begin(a, &status)) return status;
  EntrainFit *fit = entrain_fit_run(problem, listen, &watch, &error);
  progress_clear(&watch.progress);
  if (study_end(&error, &status))
    status = worse(status, fit ? write_results(a, problem, fit) : complain_error(&error));
  entrain_fit_free(fit);
  return status;
}

static int run(const Arguments *a) {
  return run_on_problem(a, PLACES, fit_problem);
}

static const Flag FLAGS[] = {
    {"set", 's', "KEY=VALUE",
     "replaces a value of the problem file: estimate.p.start=40, experiments.0.window=[0, 20]; may "
     "be repeated",
     NULL, false},
    FLAG_LIBRARY,
    FLAG_DATA,
    {"start", 0, "LIST", "start values of the search: p=3,q=4", "the problem file", false},
    FLAG_METHOD,
    {"json", 0, "FILE", "the complete result as JSON; - is standard output", NULL, false},
    FLAG_HESSIAN,
    {"trace", 0, "FILE",
     "CSV of every accepted step: stage, lambda, iteration, objective, parameters", NULL, false},
    {"residuals", 0, "FILE",
     "CSV of every sample: experiment, variable, time, data, model, residual (model - data)", NULL,
     false},
    FLAG_REPORT,
    FLAG_PLOT,
    FLAG_FIGURES,
    FLAG_STORE,
    FLAG_LIVE,
    FLAG_QUIET,
    FLAG_PROGRESS,
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain fit swing.yaml",
    "Finds the parameters and reports how reliable they are",
    "entrain fit swing.yaml --start p=40 --method lm --json result.json",
    "A local search from another start; the result as JSON",
    "entrain fit swing.yaml --set experiments.0.window=[0,20] --residuals residuals.csv",
    "Only the first 20 seconds of the data; data and model at every sample as CSV",
    "entrain fit swing.yaml --figures pictures",
    "Pictures: estimates and intervals, data and model, residuals, the steps of the search",
    NULL,
};

const Command CMD_FIT = {
    "fit",
    "PROBLEM",
    "finds the unknown parameters of a model from measurements",
    "Finds the parameters for which the model follows the measurements best, and reports how "
    "reliable they are: standard errors and 95 % intervals, how well the model follows each "
    "channel, and what the data cannot determine. With the methods auto, homotopy and "
    "portfolio a verdict says how far the optimum itself can be trusted: certain (the residuals "
    "are noise, and searches from other starts found nothing better), agreed (such searches end "
    "there, but the model leaves something unexplained), ambiguous (another optimum fits as well) "
    "or doubtful; the exit status is 0 for the first two. "
    "PROBLEM is a YAML file ('entrain help problem' explains it), or - for standard input.\n"
    "Ctrl-C, or max_seconds, ends the search with the best point so far: report and files are "
    "still written, they name what there was no time for (standard errors, what the data "
    "determine, profiles), and the exit status is 1, also if the search itself was done. A second "
    "Ctrl-C ends the program at once. SIGTERM and "
    "SIGHUP do the same as Ctrl-C.\n"
    "--live shows the fit in a browser on this machine. Its button Stop does the same as Ctrl-C; "
    "'Take "
    "this as the result' ends the search with the best point so far, and statistics follow as "
    "usual. "
    "A pause does not count in max_seconds. The page changes no bit of the result.",
    FLAGS,
    OF_SIMULATION | OF_FIT,
    EXAMPLES,
    run,
};
