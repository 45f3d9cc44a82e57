// entrain check: examines a problem without running a fit.
#include "cli/arguments.h"
#include "cli/figures.h"
#include "cli/message.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/report_page.h"

static const char *const PLACES[] = {"json", "report", NULL};

static int write_results(const Arguments *a, const EntrainProblem *problem,
                         const EntrainCheck *check) {
  Terminal t = output_terminal();
  const char *json = arguments_value(a, "json");
  int status = json ? write_result(json, entrain_check_json(check)) : DONE;
  status = worse(
      status, pages_write(a, problem,
                          page_wanted(a) ? entrain_check_report(check, ENTRAIN_HTML, false) : NULL,
                          pictures_wanted(a) ? entrain_check_figures(check) : NULL));
  if (!arguments_have(a, "quiet") && !places_take_stdout(a, PLACES))
    status = worse(status, write_result(NULL, entrain_check_report(check, t.width, t.colour)));
  return worse(status, entrain_check_passed(check) ? DONE : NOT_REACHED);
}

static int check_problem(const Arguments *a, const EntrainProblem *problem) {
  EntrainCheck *check = entrain_check_run(problem);
  int status = write_results(a, problem, check);
  entrain_check_free(check);
  return status;
}

static int run(const Arguments *a) {
  return run_on_problem(a, PLACES, check_problem);
}

static const Flag FLAGS[] = {
    FLAG_SET,
    FLAG_LIBRARY,
    FLAG_DATA,
    {"start", 0, "LIST", "other start values: p=3,q=4", "the problem file", false},
    {"json", 0, "FILE", "the findings as JSON; - is standard output", NULL, false},
    FLAG_REPORT,
    FLAG_FIGURES,
    {"quiet", 'q', NULL, "no report; only files and exit status", NULL, false},
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain check swing.yaml",
    "Is the problem sound, and what can the data determine?",
    "entrain check swing.yaml --start p=40",
    "The same at other start values",
    NULL,
};

const Command CMD_CHECK = {
    "check",
    "PROBLEM",
    "finds faults in a problem before a fit",
    "Reads model, data and problem file and checks them without a fit: are the equations balanced, "
    "do the start values satisfy the constraints, are the data of good quality, can the model be "
    "simulated at the start values, does every parameter have an effect, and can the data "
    "distinguish the parameters. Each warning says what to change. PROBLEM is a YAML file "
    "('entrain help problem' explains it), or - for standard input. Ctrl-C and max_seconds end the "
    "check with the findings so far. The exit status is 1 if you must change something before a "
    "fit, or if the check was stopped.",
    FLAGS,
    OF_SIMULATION | OF_FIT,
    EXAMPLES,
    run,
};
