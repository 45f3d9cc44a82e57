// entrain evaluate: objective, errors and residuals at given values of the unknowns, without a search.
#include <stdlib.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/lists.h"
#include "cli/message.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/report_page.h"

static const char *const PLACES[] = {"json", "residuals", "report", NULL};

static int write_residuals(const char *path, EntrainFit *point) {
  EntrainError error = {.size = sizeof error};
  char *text = entrain_fit_residuals_csv(point, &error);
  if (text) return write_result(path, text);
  complain_error(&error);
  output_forget(path);
  return NOT_REACHED;
}

static bool is_whole(const EntrainFit *point) {
  EntrainChannel c = {.size = sizeof c};
  for (int i = 0; entrain_fit_channel(point, i, &c); i++)
    if (c.failed[0]) return false;
  return entrain_fit_outcome(point) == ENTRAIN_FIT_EVALUATED;
}

static int write_results(const Arguments *a, const EntrainProblem *problem, EntrainFit *point) {
  const char *json = arguments_value(a, "json"), *residuals = arguments_value(a, "residuals");
  int status = find_hessian(a, point);
  if (json) status = worse(status, write_result(json, entrain_fit_json(point)));
  if (residuals) status = worse(status, write_residuals(residuals, point));
  status = worse(status,
                 pages_write(a, problem,
                             page_wanted(a) ? entrain_fit_report(point, ENTRAIN_HTML, false) : NULL,
                             pictures_wanted(a) ? entrain_fit_figures(point) : NULL));
  if (!arguments_have(a, "quiet") && !places_take_stdout(a, PLACES))
    status = worse(status, write_fit_report(a, point));
  return worse(status, is_whole(point) ? DONE : NOT_REACHED);
}

static int evaluate_at(const Arguments *a, const EntrainProblem *problem, const double *values) {
  EntrainError error = {.size = sizeof error};
  const char *text = arguments_value(a, "lambda");
  double lambda = 0;
  if (text && !read_number("--lambda", text, &lambda)) return WRONG_USE;
  EntrainFit *point = entrain_evaluate(problem, values, lambda, &error);
  int status = point ? write_results(a, problem, point) : complain_error(&error);
  entrain_fit_free(point);
  return status;
}

// The file of --parameters is read: no result may take its place.
static bool spares_parameters(const Arguments *a) {
  const char *read = arguments_value(a, "parameters");
  for (int i = 0; read && PLACES[i]; i++) {
    const char *path = arguments_value(a, PLACES[i]);
    if (!path || strcmp(path, "-") == 0 || !output_is_same(path, read)) continue;
    complain("--%s would overwrite '%s', which is read; choose another name", PLACES[i], read);
    return false;
  }
  return true;
}

static int work(const Arguments *a, const EntrainProblem *problem) {
  double *values = spares_parameters(a) ? read_point(a, problem) : NULL;
  int status = values ? evaluate_at(a, problem, values) : WRONG_USE;
  free(values);
  return status;
}

static int run(const Arguments *a) {
  return run_on_problem(a, PLACES, work);
}

static const Flag FLAGS[] = {
    FLAG_POINT,
    {"lambda", 0, "NUMBER",
     "ties the model to the data, as the homotopy does: from 1 to 0, the free model", "0", false},
    FLAG_SET,
    FLAG_LIBRARY,
    FLAG_DATA,
    {"json", 0, "FILE", "the result as JSON; - is standard output", NULL, false},
    FLAG_HESSIAN,
    {"residuals", 0, "FILE",
     "CSV of every sample: experiment, variable, time, data, model, residual (model - data)", NULL,
     false},
    FLAG_REPORT,
    FLAG_PLOT,
    FLAG_FIGURES,
    FLAG_QUIET,
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain evaluate swing.yaml --start p=10",
    "Objective and errors at p = 10",
    "entrain evaluate swing.yaml --parameters fit.json --residuals residuals.csv",
    "At the result of an earlier fit; data and model at every sample as CSV",
    "entrain evaluate swing.yaml --start p=15 --lambda 1 --json -",
    "The model tied to the data, as JSON",
    NULL,
};

const Command CMD_EVALUATE = {
    "evaluate",
    "PROBLEM",
    "objective and errors at given values, without a search",
    "Simulates all experiments at given values of the unknowns and reports the objective and the "
    "errors by channel, in the windows of the problem and for its experiments of role validation. "
    "Nothing is searched. The report says whether this is a minimum of the objective: only there "
    "standard errors and intervals have a meaning, and are given. Values outside the bounds are "
    "allowed. With --lambda the model is tied to the data by the feedback of the homotopy (gains "
    "of the problem, or its usual ones), and there are no statistics. At the values of a fit the "
    "objective is that of the fit, up to the accuracy of simulations; sigmas that are estimated "
    "follow from the residuals here. PROBLEM is a YAML file ('entrain help problem' explains it), "
    "or - for standard input. The exit status is 1 if an experiment could not be simulated.",
    FLAGS,
    OF_SIMULATION | OF_FIT | AT_POINT,
    EXAMPLES,
    run,
};
