// entrain scan: the objective over one or two numbers, the model tied to the data or free.
#include <errno.h>
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
#include "cli/study_run.h"

static const char *const PLACES[] = {"output", "svg", "png", "report", NULL};
enum { AXES_MOST = 2 };

typedef struct ScanPlan {
  Words over; // owns the names and ranges
  const char *range[AXES_MOST];
  EntrainScanAxis axes[AXES_MOST];
  Numbers lambda;
  EntrainScanRequest request;
  double *values;
} ScanPlan;

static void plan_done(ScanPlan *s) {
  words_done(&s->over);
  numbers_done(&s->lambda);
  free(s->values);
}

// ---------------------------------------------------------------- --over, --log, --lambda

static bool read_over(const Arguments *a, ScanPlan *s) {
  const char *list = arguments_value(a, "over");
  if (!list) {
    complain("name one or two numbers with --over, as in --over p=5:20:200 (from:to:points)");
    return false;
  }
  if (!assignments_split("--over", list, &s->over)) return false;
  if (s->over.count > AXES_MOST) {
    complain("--over: a scan is over one or two numbers, not %d", s->over.count);
    return false;
  }
  for (int k = 0; k < s->over.count; k++)
    if (!assignment_split("--over", (char *)s->over.at[k], &s->axes[k].name, &s->range[k]))
      return false;
  s->request.axes = s->axes, s->request.axis_count = s->over.count;
  return true;
}

static bool wrong_range(const ScanPlan *s, int k, const char *what) {
  complain("--over %s: %s; write from:to:points, such as %s=5:20:200", s->axes[k].name, what,
           s->axes[k].name);
  return false;
}

static bool read_number_of(const EntrainProblem *p, const char *text, double *value) {
  EntrainError error = {.size = sizeof error};
  if (entrain_problem_number(p, text, value, &error)) return true;
  complain("--over: %s", error.text);
  return false;
}

// from:to:points
static bool read_range(const EntrainProblem *p, ScanPlan *s, int k) {
  char *text = (char *)s->range[k], *to = strchr(text, ':'),
       *count = to ? strchr(to + 1, ':') : NULL;
  if (!count || strchr(count + 1, ':')) return wrong_range(s, k, "three numbers are needed");
  *to++ = 0, *count++ = 0;
  if (!read_number_of(p, text, &s->axes[k].from) || !read_number_of(p, to, &s->axes[k].to))
    return false;
  char *end;
  errno = 0;
  long points = strtol(count, &end, 10);
  if (end == count || *end || errno || points < 1 || points > 1000000)
    return wrong_range(s, k, "the number of points is a whole number from 1 to 1000000");
  s->axes[k].count = (int)points;
  return true;
}

static bool read_logs(const Arguments *a, ScanPlan *s) {
  const char *list = arguments_value(a, "log");
  Words words = {0};
  bool done = !list || words_split("--log", list, &words);
  for (int i = 0; done && i < words.count; i++) {
    bool found = strcmp(words.at[i], "objective") == 0;
    s->request.log_objective = s->request.log_objective || found;
    for (int k = 0; k < s->over.count; k++) {
      bool same = strcmp(s->axes[k].name, words.at[i]) == 0;
      s->axes[k].log = s->axes[k].log || same;
      found = found || same;
    }
    if (!found)
      complain("--log: '%s' is neither scanned nor 'objective'; name it in --over", words.at[i]);
    done = found;
  }
  words_done(&words);
  return done;
}

static bool read_lambdas(const Arguments *a, ScanPlan *s) {
  const char *list = arguments_value(a, "lambda");
  if (!list) return true;
  if (!numbers_read("--lambda", list, &s->lambda)) return false;
  s->request.lambda = s->lambda.at, s->request.lambda_count = s->lambda.count;
  return true;
}

static bool read_plan(const Arguments *a, const EntrainProblem *p, ScanPlan *s) {
  for (int k = 0; k < s->over.count; k++)
    if (!read_range(p, s, k)) return false;
  s->values = read_point(a, p);
  s->request.values = s->values;
  return s->values && read_logs(a, s) && read_lambdas(a, s);
}

// ---------------------------------------------------------------- the problem

static bool is_unknown(const EntrainProblem *p, const char *name) {
  EntrainUnknown u = {.size = sizeof u};
  size_t length = strlen(name);
  for (int i = 0; entrain_problem_unknown(p, i, &u); i++)
    if (strncmp(u.name, name, length) == 0 && (!u.name[length] || u.name[length] == '['))
      return true;
  return false;
}

// A number that is not estimated is one more unknown here: that does not change the objective.
static EntrainProblem *open_for(const Arguments *a, const ScanPlan *s, int *status) {
  EntrainSetting more[AXES_MOST];
  char path[AXES_MOST][200];
  int count = 0;
  EntrainProblem *p = load_problem(a, NULL, 0, status);
  for (int k = 0; p && k < s->over.count; k++) {
    if (is_unknown(p, s->axes[k].name)) continue;
    snprintf(path[count], sizeof path[count], "estimate.%.160s.fixed", s->axes[k].name);
    more[count] = (EntrainSetting){path[count], "false", false};
    count++;
  }
  if (!count) return p;
  entrain_problem_free(p);
  return load_problem(a, more, count, status);
}

// ---------------------------------------------------------------- results

static bool listen(void *data, const EntrainScanState *s) {
  Progress *p = data;
  char line[200];
  if (!progress_is_due(p, false)) return true;
  int at = snprintf(line, sizeof line, "point %d of %d", s->done, s->points);
  if (s->done && s->seconds > 0)
    snprintf(line + at, sizeof line - (size_t)at, "  %.3g a second  about %.0f s left",
             s->done / s->seconds, ceil(s->seconds / s->done * (s->points - s->done)));
  p->numbers.done = s->done, p->numbers.total = s->points;
  progress_show(p, line);
  return true;
}

static const char NOTHING[] = "there is no picture: no point could be simulated";

static int write_pictures(const Arguments *a, const EntrainProblem *problem, const EntrainScan *s) {
  const char *svg = arguments_value(a, "svg"), *png = arguments_value(a, "png");
  int status = DONE;
  if (svg) {
    char *text = entrain_scan_svg(s);
    status = write_picture(svg, text, text ? strlen(text) : 0, NOTHING);
  }
  if (png) {
    size_t length = 0;
    char *bytes = entrain_scan_png(s, &length);
    status = worse(status, write_picture(png, bytes, length, NOTHING));
  }
  status =
      worse(status, pages_write(a, problem,
                                page_wanted(a) ? entrain_scan_report(s, ENTRAIN_HTML, false) : NULL,
                                pictures_wanted(a) ? entrain_scan_figures(s) : NULL));
  return status;
}

static int write_plot(const EntrainScan *s) {
  Terminal t = output_terminal();
  int height = t.height > 12 ? t.height - 8 : t.height;
  int status = write_result(NULL, entrain_scan_plot(s, t.width, height, t.colour));
  return status == DONE && !output_print("\n") ? WRONG_USE : status;
}

// On standard output stands the CSV, or the picture with the report.
static int write_results(const Arguments *a, const EntrainProblem *problem, const EntrainScan *s,
                         const EntrainScanState *state) {
  Terminal t = output_terminal();
  const char *path = arguments_value(a, "output");
  bool plot = arguments_have(a, "plot"), quiet = arguments_have(a, "quiet");
  bool to_stdout =
      path ? strcmp(path, "-") == 0 : !plot && !quiet && !places_take_stdout(a, PLACES);
  int status = DONE;
  if (path || to_stdout) status = write_result(path, entrain_scan_csv(s));
  status = worse(status, write_pictures(a, problem, s));
  if (plot && !to_stdout) status = worse(status, write_plot(s));
  if (!quiet && !to_stdout && !places_take_stdout(a, PLACES))
    status = worse(status, write_result(NULL, entrain_scan_report(s, t.width, t.colour)));
  else if (state->failed)
    remark("%d of %d points could not be simulated%s%s", state->failed, state->points,
           state->failed_why[0] ? ", one of them because: " : "", state->failed_why);
  return status;
}

static int scan(const Arguments *a, const EntrainProblem *p, const ScanPlan *plan) {
  EntrainError error = {.size = sizeof error};
  EntrainScanState state = {.size = sizeof state};
  Progress progress = progress_new(a);
  int status;
  if (!study_begin(a, &status)) return status;
  EntrainScan *s = entrain_scan_run(p, &plan->request, listen, &progress, &error);
  progress_clear(&progress);
  if (study_end(&error, &status)) {
    status = worse(status, s ? DONE : complain_error(&error));
    entrain_scan_state(s, &state);
    if (s) status = worse(status, write_results(a, p, s, &state));
    bool fine = state.whole && state.failed < state.points;
    status = worse(status, fine ? DONE : NOT_REACHED);
  }
  entrain_scan_free(s);
  return status;
}

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

static int run(const Arguments *a) {
  ScanPlan plan = {.request.size = sizeof plan.request};
  int status = WRONG_USE;
  if (!study_note(a)) return WRONG_USE;
  EntrainProblem *p = read_over(a, &plan) ? open_for(a, &plan, &status) : NULL;
  if (p) print_problem_warnings(p);
  bool fine = p && (study_is_worker() || (check_places(a, p, PLACES) && spares_parameters(a) &&
                                          figures_prepare(a) && page_prepare(a)));
  fine = fine && read_plan(a, p, &plan);
  interrupt_compute();
  if (fine) status = scan(a, p, &plan);
  if (p && !fine) status = WRONG_USE;
  study_end(NULL, &status); // where it was not begun
  entrain_problem_free(p);
  plan_done(&plan);
  return status;
}

static const Flag FLAGS[] = {
    {"over", 0, "LIST",
     "one or two numbers with their ranges, from:to:points: p=5:20:200,q=1:2:50; unknowns, or "
     "other "
     "parameters of the model",
     NULL, false},
    {"lambda", 0, "LIST",
     "ties the model to the data, as the homotopy does: 1,0.5,0; one curve or map for each",
     "0, the free model", false},
    {"log", 0, "NAMES", "logarithmic scales: numbers of --over, and 'objective' for the pictures",
     NULL, false},
    FLAG_POINT,
    FLAG_SET,
    FLAG_LIBRARY,
    FLAG_DATA,
    {"output", 'o', "FILE", "CSV: one column a number, lambda, objective", "standard output",
     false},
    {"plot", 'p', NULL, "draws in the terminal, instead of CSV on standard output", NULL, false},
    {"svg", 0, "FILE", "an SVG picture: curves over one number, maps over two", NULL, false},
    {"png", 0, "FILE", "the same picture as PNG", NULL, false},
    FLAG_REPORT,
    FLAG_FIGURES,
    FLAG_STORE,
    FLAG_QUIET,
    FLAG_PROGRESS,
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain scan swing.yaml --over p=5:20:200 --plot",
    "The objective over p in the terminal",
    "entrain scan swing.yaml --over p=5:20:200 --lambda 1,0.8,0.6,0.4,0.2,0 -o s.csv --svg s.svg",
    "How the homotopy changes it, as CSV and as a picture",
    "entrain scan swing.yaml --over p=5:20:100,theta.start=-1:1:100 --png map.png -o map.csv",
    "A map over two numbers with lines of equal objective",
    NULL,
};

const Command CMD_SCAN = {
    "scan",
    "PROBLEM",
    "the objective over one or two numbers",
    "Evaluates the objective on a grid over one or two numbers, without a search. All other "
    "unknowns have the values of --parameters and --start, else their start values. Numbers may be "
    "unknowns or other parameters of the model, and ranges may leave their bounds: a scan looks, "
    "it does not search; the report says so, and pictures show the bounds. With --lambda the model "
    "is tied to the data by the feedback of the homotopy. Points that cannot be simulated are "
    "empty cells of the CSV and gaps of the pictures; the report counts them. Sigmas that are "
    "estimated follow from the residuals at the values of the problem. PROBLEM is a YAML file "
    "('entrain help problem' explains it). Ctrl-C, max_seconds and max_simulations end the scan "
    "with the points so far. The exit status is 1 if it was ended, or no point could be simulated.",
    FLAGS,
    OF_SIMULATION | OF_FIT | AT_POINT,
    EXAMPLES,
    run,
};
