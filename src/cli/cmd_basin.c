// entrain basin: searches from many starts and maps which optimum each of them reaches.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figures.h"
#include "cli/lists.h"
#include "cli/live_run.h"
#include "cli/message.h"
#include "cli/no_memory.h"
#include "cli/open_problem.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_page.h"
#include "cli/study_run.h"

static const char *const PLACES[] = {"svg", "png", "csv", "json", "report", NULL};
enum { GRID_ONE = 100, GRID_TWO = 25, COUNT_MOST = 1000000 };

typedef struct BasinStarts {
  EntrainBasinAxis *axes;
  int axis_count;
  int random;
  Words over; // owns the names
} BasinStarts;

static void starts_done(BasinStarts *p) {
  words_done(&p->over);
  free(p->axes);
}

// ---------------------------------------------------------------- --over, --grid, --random

static bool read_count(const char *flag, const char *text, char **end, int *count) {
  errno = 0;
  long value = strtol(text, end, 10);
  if (*end != text && errno == 0 && value >= 1 && value <= COUNT_MOST) {
    *count = (int)value;
    return true;
  }
  complain("%s: '%s' is not a count from 1 to %d", flag, text, COUNT_MOST);
  return false;
}

static bool read_random(const Arguments *a, BasinStarts *starts) {
  const char *text = arguments_value(a, "random");
  char *end;
  if (!text) return true;
  if (arguments_have(a, "grid")) {
    complain("give --grid or --random, not both");
    return false;
  }
  if (!read_count("--random", text, &end, &starts->random)) return false;
  if (*end) complain("--random: '%s' is not a count", text);
  return !*end;
}

// A problem with one or two unknowns needs no --over.
static bool set_default_over(const EntrainProblem *p, BasinStarts *starts) {
  EntrainUnknown u = {.size = sizeof u};
  int count = entrain_problem_unknown_count(p);
  if (count > 2 || count < 1) {
    complain("name with --over the unknowns that vary between starts (%d are estimated), as in "
             "--over alpha,beta; or give --random N for random starts in all of them",
             count);
    return false;
  }
  starts->axis_count = count;
  for (int i = 0; i < count && entrain_problem_unknown(p, i, &u); i++)
    starts->axes[i].name = u.name;
  return true;
}

static bool are_different(const Words *names) {
  for (int i = 0; i < names->count; i++)
    for (int k = 0; k < i; k++)
      if (strcmp(names->at[i], names->at[k]) == 0) {
        complain("--over names '%s' twice", names->at[i]);
        return false;
      }
  return true;
}

static bool read_over(const Arguments *a, const EntrainProblem *p, BasinStarts *starts) {
  const char *list = arguments_value(a, "over");
  if (list && (!words_split("--over", list, &starts->over) || !are_different(&starts->over)))
    return false;
  int room = starts->over.count > 2 ? starts->over.count : 2;
  starts->axes = needed(calloc((size_t)room, sizeof *starts->axes));
  for (int k = 0; k < room; k++) starts->axes[k].low = starts->axes[k].high = nan("");
  starts->axis_count = starts->over.count;
  for (int k = 0; k < starts->over.count; k++) starts->axes[k].name = starts->over.at[k];
  return list || starts->random || set_default_over(p, starts);
}

static bool wrong_grid(const char *text, const BasinStarts *starts) {
  complain("--grid: '%s' must give one count for each of the %d unknowns of --over, as in 50%s",
           text, starts->axis_count, starts->axis_count == 1 ? "" : "x40");
  return false;
}

static bool read_grid(const Arguments *a, BasinStarts *starts) {
  const char *text = arguments_value(a, "grid"), *at = text;
  if (starts->random) return true;
  for (int k = 0; k < starts->axis_count && !text; k++)
    starts->axes[k].count = starts->axis_count == 1   ? GRID_ONE
                            : starts->axis_count == 2 ? GRID_TWO
                                                      : 0;
  if (!text && starts->axis_count > 2) {
    complain("give --grid with one count for each of the %d unknowns of --over",
             starts->axis_count);
    return false;
  }
  for (int k = 0; k < starts->axis_count && text; k++) {
    char *end;
    if (!read_count("--grid", at, &end, &starts->axes[k].count)) return false;
    bool last = k + 1 == starts->axis_count;
    if (*end != (last ? 0 : 'x')) return wrong_grid(text, starts);
    at = end + 1;
  }
  return true;
}

// ---------------------------------------------------------------- --range, --log

static EntrainBasinAxis *find_axis(BasinStarts *starts, const char *flag, const char *name) {
  NearestWord nearest = {.name = name};
  for (int k = 0; k < starts->axis_count; k++) {
    if (strcmp(starts->axes[k].name, name) == 0) return &starts->axes[k];
    nearest_offer(&nearest, starts->axes[k].name);
  }
  if (nearest.best)
    complain("%s: '%s' does not vary between starts; did you mean '%s'?", flag, name, nearest.best);
  else
    complain("%s: '%s' does not vary between starts; name it in --over", flag, name);
  return NULL;
}

static bool read_limit(const EntrainProblem *p, const char *text, double *value) {
  EntrainError error = {.size = sizeof error};
  if (entrain_problem_number(p, text, value, &error)) return true;
  complain("--range: %s", error.text);
  return false;
}

static bool read_range(const EntrainProblem *p, BasinStarts *starts, char *assignment) {
  const char *name, *text;
  if (!assignment_split("--range", assignment, &name, &text)) return false;
  EntrainBasinAxis *axis = find_axis(starts, "--range", name);
  char *colon = strchr(text, ':');
  if (!axis) return false;
  if (!colon || strchr(colon + 1, ':')) {
    complain("--range needs name=low:high, two numbers such as %s=0.1:10, not '%s=%s'", name, name,
             text);
    return false;
  }
  *colon = 0;
  return read_limit(p, text, &axis->low) && read_limit(p, colon + 1, &axis->high);
}

static bool read_ranges(const EntrainProblem *p, BasinStarts *starts, const char *list) {
  Words words;
  bool done = assignments_split("--range", list, &words);
  for (int i = 0; done && i < words.count; i++) done = read_range(p, starts, (char *)words.at[i]);
  words_done(&words);
  return done;
}

static bool set_spacing(EntrainBasinAxis *axis, EntrainSpacing spacing) {
  bool other = axis->spacing != ENTRAIN_SPACING_DEFAULT && axis->spacing != spacing;
  if (other) complain("give '%s' in --log or in --linear, not in both", axis->name);
  axis->spacing = spacing;
  return !other;
}

static bool read_spacings(BasinStarts *starts, const char *flag, EntrainSpacing spacing,
                          const char *list) {
  Words words;
  bool done = words_split(flag, list, &words);
  for (int i = 0; done && i < words.count; i++) {
    EntrainBasinAxis *axis = find_axis(starts, flag, words.at[i]);
    done = axis && set_spacing(axis, spacing);
  }
  words_done(&words);
  return done;
}

// Random starts in all unknowns: --range, --log and --linear may name any of them.
static bool take_all_unknowns(const EntrainProblem *p, BasinStarts *starts) {
  int count = entrain_problem_unknown_count(p);
  EntrainUnknown u = {.size = sizeof u};
  free(starts->axes);
  starts->axes = needed(calloc((size_t)count + 1, sizeof *starts->axes));
  for (int i = 0; entrain_problem_unknown(p, i, &u); i++)
    starts->axes[i] = (EntrainBasinAxis){.name = u.name, .low = nan(""), .high = nan("")};
  starts->axis_count = count;
  return true;
}

static bool read_details(const Arguments *a, const EntrainProblem *p, BasinStarts *starts) {
  bool done = starts->axis_count > 0 || take_all_unknowns(p, starts);
  for (int i = 0; done && i < a->given_count; i++) {
    const Given *g = &a->given[i];
    if (!g->flag) continue;
    if (strcmp(g->name, "range") == 0) done = read_ranges(p, starts, g->value);
    if (strcmp(g->name, "log") == 0)
      done = read_spacings(starts, "--log", ENTRAIN_SPACING_LOG, g->value);
    if (strcmp(g->name, "linear") == 0)
      done = read_spacings(starts, "--linear", ENTRAIN_SPACING_LINEAR, g->value);
  }
  return done;
}

static bool read_starts(const Arguments *a, const EntrainProblem *p, BasinStarts *starts) {
  return read_random(a, starts) && read_over(a, p, starts) && read_grid(a, starts) &&
         read_details(a, p, starts);
}

// ---------------------------------------------------------------- progress

static void show_starts(Progress *p, const EntrainBasinState *s) {
  char line[200];
  int at = snprintf(line, sizeof line, "start %d of %d", s->done, s->starts);
  if (s->done && s->seconds > 0)
    at += snprintf(line + at, sizeof line - (size_t)at, "  %.3g a second  about %.0f s left",
                   s->done / s->seconds, ceil(s->seconds / s->done * (s->starts - s->done)));
  if (isfinite(s->best))
    snprintf(line + at, sizeof line - (size_t)at, "  best objective %.4g", s->best);
  progress_show(p, line);
}

static bool listen(void *data, const EntrainBasinState *s) {
  static const char *const WORDS[] = {"not-converged", "no-start"};
  Progress *p = data;
  const long counts[] = {s->not_converged, s->failed};
  p->numbers.done = s->done, p->numbers.total = s->starts, p->numbers.best = s->best;
  if (progress_is_due(p, false)) show_starts(p, s);
  p->numbers.words = WORDS, p->numbers.counts = counts, p->numbers.word_count = 2;
  bool goes = progress_follow(p, "searches from many starts");
  p->numbers.word_count = 0;
  return goes;
}

// ---------------------------------------------------------------- results

static int write_files(const Arguments *a, const EntrainProblem *problem, const EntrainBasin *b) {
  const char *svg = arguments_value(a, "svg"), *png = arguments_value(a, "png");
  const char *csv = arguments_value(a, "csv"), *json = arguments_value(a, "json");
  int status = DONE;
  if (svg) status = write_result(svg, entrain_basin_svg(b));
  if (png) {
    size_t length = 0;
    char *bytes = entrain_basin_png(b, &length);
    status = worse(status, write_bytes(png, bytes, length));
  }
  if (csv) status = worse(status, write_result(csv, entrain_basin_csv(b)));
  if (json) status = worse(status, write_result(json, entrain_basin_json(b)));
  status = worse(status,
                 pages_write(a, problem,
                             page_wanted(a) ? entrain_basin_report(b, ENTRAIN_HTML, false) : NULL,
                             pictures_wanted(a) ? entrain_basin_figures(b) : NULL));
  return status;
}

static int write_results(const Arguments *a, const EntrainProblem *problem, const EntrainBasin *b) {
  Terminal t = output_terminal();
  EntrainBasinState state = {.size = sizeof state};
  entrain_basin_state(b, &state);
  int status = write_files(a, problem, b);
  if (!arguments_have(a, "quiet") && !places_take_stdout(a, PLACES))
    status = worse(status, write_result(NULL, entrain_basin_report(b, t.width, t.colour)));
  bool whole = state.done == state.starts && state.reached_best > 0;
  return worse(status, whole ? DONE : NOT_REACHED);
}

static int study(const Arguments *a, const EntrainProblem *problem, const BasinStarts *starts) {
  EntrainError error = {.size = sizeof error};
  double *truth = arguments_have(a, "truth") ? read_truth(a, problem) : NULL;
  if (arguments_have(a, "truth") && !truth) return WRONG_USE;
  Progress progress = progress_new(a);
  int status;
  if (study_begin(a, &status)) {
    EntrainBasin *b = entrain_basin_run(problem, starts->axes, starts->axis_count, starts->random,
                                        truth, listen, &progress, &error);
    progress_clear(&progress);
    if (study_end(&error, &status))
      status = worse(status, b ? write_results(a, problem, b) : complain_error(&error));
    entrain_basin_free(b);
  }
  free(truth);
  return status;
}

static int plan_and_study(const Arguments *a, const EntrainProblem *problem) {
  BasinStarts starts = {0};
  int status = read_starts(a, problem, &starts) ? study(a, problem, &starts) : WRONG_USE;
  starts_done(&starts);
  return status;
}

static int run(const Arguments *a) {
  return run_on_problem(a, PLACES, plan_and_study);
}

static const Flag FLAGS[] = {
    {"over", 0, "NAMES", "the unknowns that vary between starts: alpha,beta",
     "all, if the problem has one or two", false},
    {"grid", 0, "COUNTS", "number of starts along each unknown: 50x50, or 200 for one unknown",
     "25x25; 100", false},
    {"random", 0, "N",
     "N random starts instead of a grid; in all unknowns if --over is not given; --seed selects "
     "them",
     NULL, false},
    {"range", 0, "LIST", "range of the starts: alpha=0.1:10,beta=0:5", "the bounds", false},
    {"log", 0, "NAMES", "unknowns with logarithmic spacing",
     "those that are searched on a logarithmic scale", false},
    {"linear", 0, "NAMES", "unknowns with even spacing", "all others", false},
    {"start", 0, "LIST", "start values of the other unknowns: mu=0.1", "the problem file", false},
    {"truth", 0, "[LIST]",
     "reports the distance of each optimum from these values (alpha=0.5); without a list, from "
     "the values in the model",
     NULL, false},
    FLAG_SET,
    FLAG_LIBRARY,
    FLAG_DATA,
    FLAG_METHOD,
    {"svg", 0, "FILE", "the map as an SVG picture; - is standard output", NULL, false},
    {"png", 0, "FILE", "the map as a PNG picture", NULL, false},
    FLAG_REPORT,
    FLAG_FIGURES,
    {"csv", 0, "FILE", "one row for each start: start, end, optimum, objective, work", NULL, false},
    {"json", 0, "FILE", "optima, shares and work for other programs", NULL, false},
    FLAG_STORE,
    FLAG_LIVE,
    FLAG_QUIET,
    FLAG_PROGRESS,
    {0},
};

static const char *const EXAMPLES[] = {
    "entrain basin swing.yaml --over p,theta.start --grid 50x50 --method lm --svg map.svg",
    "From which of 2500 starts does a local search find the best optimum?",
    "entrain basin swing.yaml --random 200 --method homotopy --truth p=10",
    "200 random starts between the bounds, with the distance of each optimum from the truth",
    NULL,
};

const Command CMD_BASIN = {
    "basin",
    "PROBLEM",
    "a map: which start leads to which optimum",
    "Searches from every point of a grid, or from random points, and groups the end points into "
    "distinct optima. Reports the share of starts that reach each optimum, the best one first, and "
    "draws which start leads to which optimum: on the terminal, as SVG or as PNG. Unknowns that "
    "--over does not name start at the values of the problem. Two end points are the same optimum "
    "if their values and objectives agree, or if they differ only along a direction that the data "
    "do not determine. --max_simulations limits each search, --max_seconds all of them together. "
    "PROBLEM is a YAML file ('entrain help problem' explains it). Ctrl-C stops the study and "
    "reports the starts that are finished. The exit status is 1 if the study was stopped or no "
    "start reached an optimum.",
    FLAGS,
    OF_SIMULATION | OF_FIT,
    EXAMPLES,
    run,
};
