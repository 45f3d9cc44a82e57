// entrain profile: profile likelihood of the unknowns.
#include <stdio.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/lists.h"
#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_page.h"
#include "cli/study_run.h"

static const char *const PLACES[] = {"json", "csv", "svg", "png", "report", NULL};

// ---------------------------------------------------------------- progress

static bool listen(void *data, const EntrainProfileProgress *state) {
  Progress *p = data;
  char line[100];
  if (state->fitting)
    snprintf(line, sizeof line, "fit");
  else
    snprintf(line, sizeof line, "profiles: %d of %d sides", state->done, state->sides);
  p->numbers.done = state->fitting ? 0 : state->done, p->numbers.total = state->sides;
  if (progress_is_due(p, false)) progress_show(p, line);
  return progress_follow(p, state->fitting ? "fit" : "profiles");
}

// ---------------------------------------------------------------- results

static const char NOTHING[] = "there is no picture: no profile has a point besides the estimate";

static int write_pictures(const Arguments *a, const EntrainProfile *p) {
  const char *svg = arguments_value(a, "svg"), *png = arguments_value(a, "png");
  int status = DONE;
  if (svg) {
    char *text = entrain_profile_svg(p);
    status = write_picture(svg, text, text ? strlen(text) : 0, NOTHING);
  }
  if (png) {
    size_t length = 0;
    char *bytes = entrain_profile_png(p, &length);
    status = worse(status, write_picture(png, bytes, length, NOTHING));
  }
  return status;
}

// The plots come first, so that the report remains on the screen.
static int write_report(const Arguments *a, const EntrainProfile *p) {
  enum { PLOT_HEIGHT = 14 };
  Terminal t = output_terminal();
  int status = DONE;
  if (arguments_have(a, "plot")) {
    status = write_result(NULL, entrain_profile_plot(p, t.width, PLOT_HEIGHT, t.colour));
    if (status == DONE && !output_print("\n")) status = WRONG_USE;
  }
  return status == DONE ? write_result(NULL, entrain_profile_report(p, t.width, t.colour)) : status;
}

static int write_results(const Arguments *a, const EntrainProblem *problem,
                         const EntrainProfile *p) {
  const char *json = arguments_value(a, "json"), *csv = arguments_value(a, "csv");
  int status = json ? write_result(json, entrain_profile_json(p)) : DONE;
  if (csv) status = worse(status, write_result(csv, entrain_profile_csv(p)));
  status = worse(status, write_pictures(a, p));
  status = worse(status,
                 pages_write(a, problem,
                             page_wanted(a) ? entrain_profile_report(p, ENTRAIN_HTML, false) : NULL,
                             pictures_wanted(a) ? entrain_profile_figures(p) : NULL));
  if (!arguments_have(a, "quiet") && !places_take_stdout(a, PLACES))
    status = worse(status, write_report(a, p));
  return worse(status, entrain_profile_is_sound(p) ? DONE : NOT_REACHED);
}

// ---------------------------------------------------------------- the run

static bool read_request(const Arguments *a, Words *names, EntrainProfileRequest *request) {
  const char *list = arguments_value(a, "parameters"), *level = arguments_value(a, "level"),
             *range = arguments_value(a, "range");
  *request = (EntrainProfileRequest){.size = sizeof *request};
  entrain_profile_request(request);
  if (list && !words_split("--parameters", list, names)) return false;
  if (list) request->names = names->at, request->count = names->count;
  if (level && !read_number("level", level, &request->level)) return false;
  if (range && !read_number("range", range, &request->range)) return false;
  return true;
}

static int study(const Arguments *a, const EntrainProblem *problem) {
  EntrainProfileRequest request = {.size = sizeof request};
  EntrainError error = {.size = sizeof error};
  Words names = {0};
  int status = WRONG_USE;
  if (read_request(a, &names, &request)) {
    Progress progress = progress_new(a);
    if (study_begin(a, &status)) {
      EntrainProfile *p = entrain_profile_run(problem, &request, listen, &progress, &error);
      progress_clear(&progress);
      if (study_end(&error, &status))
        status = worse(status, p ? write_results(a, problem, p) : complain_error(&error));
      entrain_profile_free(p);
    }
  }
  words_done(&names);
  return status;
}

static int run(const Arguments *a) {
  return run_on_problem(a, PLACES, study);
}

static const Flag FLAGS[] = {
    {"parameters", 0, "LIST", "the unknowns to profile: p,q", "all of them", false},
    {"level", 0, "NUMBER", "confidence level of the intervals, 0.5 to 0.9999", "0.95", false},
    {"range", 0, "NUMBER",
     "where a profile ends if neither the data nor a bound end it, in multiples of the size of the "
     "parameter",
     "1000", false},
    {"start", 0, "LIST", "start values of the fit: p=15,q=1", "the problem file", false},
    FLAG_SET,
    FLAG_LIBRARY,
    FLAG_DATA,
    FLAG_METHOD,
    {"plot", 'p', NULL, "also draws the profiles in the terminal", NULL, false},
    {"json", 0, "FILE", "the complete result as JSON; - is standard output", NULL, false},
    {"csv", 0, "FILE", "one row for each point: parameter, value, objective, ratio, all parameters",
     NULL, false},
    {"svg", 0, "FILE", "an SVG picture of the profiles", NULL, false},
    {"png", 0, "FILE", "the same picture as PNG", NULL, false},
    FLAG_REPORT,
    FLAG_FIGURES,
    FLAG_STORE,
    FLAG_LIVE,
    FLAG_QUIET,
    FLAG_PROGRESS,
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain profile swing.yaml --plot",
    "Intervals without linearisation, with a plot",
    "entrain profile swing.yaml --parameters p,q --level 0.99 --svg profiles.svg",
    "Two parameters at another level, as a picture",
    "entrain profile swing.yaml --start p=9.8 --method lm",
    "A local search from a known result replaces the global one",
    NULL,
};

const Command CMD_PROFILE = {
    "profile",
    "PROBLEM",
    "profile likelihood: intervals without linearisation",
    "Fits the problem. Then holds each parameter at values below and above its estimate and fits "
    "all others again, until the objective has risen by as much as the noise explains at the given "
    "level. This gives intervals without linearisation, shows which of them are open, and names "
    "the parameters with a flat profile, which the data do not determine, together with the "
    "parameters that change with them. The step size follows the rise of the objective. If a "
    "better optimum is found on the way, this is reported and the profiles start again there. If "
    "the objective is so rough that the ends of the intervals cannot be located, there are no "
    "profiles. PROBLEM is a YAML file ('entrain help problem' explains it). max_seconds limits the "
    "whole command, max_simulations each fit. Ctrl-C ends it with the points so far. The exit "
    "status is 1 if the fit did not converge, is ambiguous or doubtful, or a profile could not be "
    "finished.",
    FLAGS,
    OF_SIMULATION | OF_FIT,
    EXAMPLES,
    run,
};
