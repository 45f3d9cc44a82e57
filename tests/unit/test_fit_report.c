// Reports about fits, checks and studies, of results that are made by hand.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "report/check_json.h"
#include "report/check_text.h"
#include "report/fit_json.h"
#include "report/fit_text.h"
#include "report/fit_trace.h"
#include "report/recover_report.h"
#include "test.h"
#include "threshold.h"

// ---------------------------------------------------------------- set-up

static double SAMPLES[] = {0, 1, 2};
static Channel CHANNELS[] = {{.name = "alpha*z + c0*v",
                              .column = "force",
                              .unit = "N",
                              .count = 3,
                              .t = SAMPLES,
                              .y = SAMPLES,
                              .weight = 1}};
static Experiment EXPERIMENTS[] = {
    {.name = "sine", .file = "sine.csv", .stop = 2, .channels = CHANNELS, .channel_count = 1}};
static Unknown FREE[] = {{.name = "alpha", .unit = "N/cm", .start = 500, .min = 1, .max = 1000},
                         {.name = "A", .unit = "", .start = 10, .min = -HUGE_VAL, .max = HUGE_VAL},
                         {.name = "n", .unit = "", .start = 1.5, .min = 1, .max = 2.5}};
enum { N = 3 };

typedef struct Made {
  Problem problem;
  FitResult result;
  Statistics statistics;
  FitReport report;
} Made;

static double X[N] = {880.123456, 120.5, 2.5}, SIGMA[1] = {1}, SINGULAR[N] = {10, 1, 1e-12};
static double VECTOR[N] = {0.7, -0.7, 0}, EXPONENT[N] = {1, 1, 0};
static StatChannel STAT_CHANNELS[] = {{.n = 3,
                                       .rmse = 0.0123,
                                       .fit_percent = 98.76,
                                       .noise = 0.0121,
                                       .white_p = 0.4,
                                       .runs_p = 0.6,
                                       .lag1_p = 0.5}};
static StatCombination COMBINATIONS[] = {{"alpha*A", 105000, false, EXPONENT, NAN, NAN}};
static StatDirection DIRECTIONS[] = {{.singular_value = 1e-12,
                                      .vector = VECTOR,
                                      .structural = true,
                                      .combinations = COMBINATIONS,
                                      .combination_count = 1,
                                      .text = "alpha and A cannot be told apart."}};
static const char *const REMARKS[] = {"a remark about this fit"};

static void make(Made *m) {
  static StatParameter parameters[N];
  static double matrix[N * N];
  for (int i = 0; i < N * N; i++) matrix[i] = i % 4 ? 0.5 : 1;
  parameters[0] = (StatParameter){.std_error = nan(""), .ci_low = nan(""), .ci_high = nan("")};
  parameters[1] = (StatParameter){1.5, 117, 124, 0.01, .identifiable = true};
  parameters[2] =
      (StatParameter){nan(""), nan(""), nan(""), .at_bound = true, .identifiable = true};
  matrix[0] = nan("");
  *m = (Made){0};
  m->problem = (Problem){.path = "folder/damper.yaml",
                         .model_path = "damper.mo",
                         .experiments = EXPERIMENTS,
                         .experiment_count = 1,
                         .unknowns = FREE,
                         .unknown_count = N,
                         .method = METHOD_AUTO};
  fit_options_init(&m->problem.options);
  simulate_options_init(&m->problem.simulate);
  m->problem.simulate.rel_tol = 1e-8;
  m->problem.simulate.abs_tol = 1e-10;
  m->result = (FitResult){
      .problem = &m->problem,
      .outcome = FIT_CONVERGED,
      .x = X,
      .objective = 0.5,
      .objective_start = HUGE_VAL,
      .floor = nan(""),
      .fits = true,
      .verdict = FIT_CERTAIN,
      .facts = {.known = true, .noise = {0.95, 1.4, 0, true}, .white = {0.3, 0.1, 0, true, true}},
      .searches = {.planned = 7, .done = 7, .agree = 6, .better = 1},
      .by = "homotopy",
      .sigma = SIGMA,
      .solver = "rk8"};
  strcpy(m->result.message, "the search converged");
  strcpy(m->result.why, "alpha is fine");
  m->statistics = (Statistics){.n = N,
                               .parameters = parameters,
                               .channels = STAT_CHANNELS,
                               .channel_count = 1,
                               .gradient = SINGULAR,
                               .covariance = matrix,
                               .correlation = matrix,
                               .rank = 2,
                               .singular_values = SINGULAR,
                               .directions = DIRECTIONS,
                               .direction_count = 1,
                               .remarks = (const char **)REMARKS,
                               .remark_count = 1};
  m->report =
      (FitReport){.problem = &m->problem, .result = &m->result, .statistics = &m->statistics};
}

static void has(const char *text, const char *words) {
  if (!strstr(text, words)) fail_msg("'%s' is not in:\n%s", words, text);
}

// In this order.
static void has_all(const char *text, const char *const *words) {
  for (const char *at = text; *words; words++) {
    at = strstr(at, *words);
    if (!at) fail_msg("'%s' is not in, or not in its place:\n%s", *words, text);
  }
}

static int longest_line(const char *text) {
  int longest = 0;
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    char line[2000];
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    int width = page_width_of(line);
    if (width > longest) longest = width;
  }
  return longest;
}

static void strip_colours(char *text) {
  char *to = text;
  for (const char *from = text; *from;) {
    if (*from == '\033') {
      from += strcspn(from, "m");
      from++;
    } else
      *to++ = *from++;
  }
  *to = 0;
}

// ---------------------------------------------------------------- fits

static char *text_of(const Made *m, int width, bool colour) {
  Text t;
  text_init(&t);
  fit_text(&t, &m->report, (PageStyle){width, colour});
  return t.at;
}

static void the_report_says_what_matters(void **state) {
  (void)state;
  Made m;
  make(&m);
  char *text = text_of(&m, 80, false);
  has_all(text, (const char *[]){"folder/damper.yaml: converged and certain (homotopy)\n",
                                 "The search converged.",
                                 "alpha is fine.",
                                 "Parameters",
                                 "alpha  N/cm   880.123",
                                 "not determined",
                                 "120.5",
                                 "117.0 .. 124.0",
                                 "at its upper bound",
                                 "Fit",
                                 "98.76",
                                 "white",
                                 "What the data do not tell",
                                 "Rank 2 of 3",
                                 "alpha and A cannot be told apart.",
                                 "alpha*A = 105000",
                                 "Remarks",
                                 "a remark about this fit",
                                 "Work",
                                 NULL});
  free(text);
}

static void the_report_tells_how_well_constraints_hold(void **state) {
  (void)state;
  Made m;
  make(&m);
  char *text = text_of(&m, 80, false);
  assert_null(strstr(text, "constraints"));
  free(text);
  Equation equations[] = {{.line = 7}, {.line = 9}};
  Flat flat = {.equations = {equations, 2, 2}};
  Invariant invariants[] = {{.equation = 1, .level = 0}, {.equation = 1, .level = 1}};
  Model model = {.flat = &flat, .invariants = invariants, .invariant_count = 2};
  InvariantViolation violation = {2.5e-9, 3e-7, 1, 0, 7e-8};
  m.problem.model = &model;
  m.report.violation = &violation;
  text = text_of(&m, 140, false);
  has(text, "the constraints hold to 2.5e-9 (worst: line 9), their sensitivities to 3e-7");
  has(text, "against the size of their terms they hold to 7e-8");
  free(text);
  Text t;
  text_init(&t);
  fit_json(&t, &m.report, "0");
  has(t.at,
      "\"invariant_violation\": 2.5e-09, \"invariant\": {\"line\": 9, \"differentiated\": 1}, "
      "\"invariant_violation_sens\": 3e-07, \"invariant_sens\": {\"line\": 9, "
      "\"differentiated\": 0}");
  text_clear(&t);
  violation =
      (InvariantViolation){nan(""), nan(""), -1, -1, 0}; // could not be simulated as a whole
  fit_json(&t, &m.report, "0");
  has(t.at, "\"invariant_violation\": null}");
  text_done(&t);
}

static void the_report_keeps_the_width(void **state) {
  (void)state;
  Made m;
  make(&m);
  for (int width = 72; width <= 160; width += 8) {
    char *text = text_of(&m, width, false);
    assert_true(longest_line(text) <= width);
    free(text);
  }
}

static void colours_change_nothing_else(void **state) {
  (void)state;
  Made m;
  make(&m);
  char *plain = text_of(&m, 80, false), *coloured = text_of(&m, 80, true);
  assert_null(strchr(plain, '\033'));
  has(coloured, "\033[32mconverged and certain\033[0m");
  strip_colours(coloured);
  assert_string_equal(plain, coloured);
  free(plain);
  free(coloured);
}

static void every_outcome_has_its_word(void **state) {
  (void)state;
  Made m;
  for (int o = 0; o < FIT_OUTCOME_COUNT; o++) {
    make(&m);
    m.result.outcome = (FitOutcome)o;
    m.result.verdict = FIT_DOUBTFUL;
    char *text = text_of(&m, 80, false);
    has(text, fit_outcome_word((FitOutcome)o));
    assert_null(strstr(text, "and certain"));
    free(text);
  }
}

static void every_verdict_has_its_word(void **state) {
  (void)state;
  static const char *const HEADS[] = {
      [FIT_CERTAIN] = "converged and certain (homotopy)\n",
      [FIT_AGREED] = "converged; searches agree (homotopy)\n",
      [FIT_AMBIGUOUS] = "uncertain; ambiguous (homotopy)\n",
      [FIT_DOUBTFUL] = "uncertain (homotopy)\n",
  };
  for (int v = 0; v < 4; v++) {
    Made m;
    make(&m);
    m.result.verdict = (FitVerdict)v;
    m.result.outcome = fit_verdict_is_good((FitVerdict)v) ? FIT_CONVERGED : FIT_UNCERTAIN;
    char *text = text_of(&m, 80, false);
    has(text, HEADS[v]);
    free(text);
    Text t;
    text_init(&t);
    fit_json(&t, &m.report, "1");
    char key[60];
    snprintf(key, sizeof key, "\"certain\": %s, \"verdict\": \"%s\",",
             v == FIT_CERTAIN ? "true" : "false", fit_verdict_word((FitVerdict)v));
    has(t.at, key);
    text_done(&t);
  }
  Made m; // a local method
  make(&m);
  m.result.verdict = FIT_DOUBTFUL;
  char *text = text_of(&m, 80, false);
  has(text, "converged, but not certain");
  free(text);
}

static void there_are_no_numbers_that_are_none(void **state) {
  (void)state;
  Made m;
  StatChannel channel = STAT_CHANNELS[0];
  make(&m);
  m.statistics.channels = &channel;
  channel.fit_percent = nan(""); // constant data
  char *text = text_of(&m, 80, false);
  has(text, "0.012      -  white");
  assert_null(strstr(text, "nan"));
  free(text);
  channel.fit_percent = -667690605032970.12;
  text = text_of(&m, 80, false);
  has(text, "below -1000  white");
  free(text);
  channel.rmse = channel.fit_percent = channel.white_p = channel.runs_p = channel.lag1_p = nan("");
  m.result.outcome = FIT_STOPPED;
  m.result.objective = HUGE_VAL;
  text = text_of(&m, 80, false);
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf"));
  assert_null(strstr(text, "too few to tell"));
  free(text);
}

// Up to 30 channels are listed; of more the 10 with the worst fit, the worst first.
static void of_many_channels_the_worst_are_shown(void **state) {
  (void)state;
  for (int count = 30; count <= 31; count++) {
    Made m;
    StatChannel channels[31];
    make(&m);
    for (int i = 0; i < count; i++) {
      channels[i] = STAT_CHANNELS[0];
      channels[i].fit_percent = 60 + (i * 7) % count;
      if (i % 2) channels[i].runs_p = 1e-9;
    }
    m.statistics.channels = channels;
    m.statistics.channel_count = count;
    char *text = text_of(&m, 100, false);
    int lines = 0;
    for (const char *at = text; (at = strstr(at, "alpha*z + c0*v")); at++) lines++;
    assert_int_equal(lines, count == 30 ? 30 : 10);
    if (count == 31)
      has_all(text, (const char *[]){" 60.00 ", " 61.00 ", " 69.00 ",
                                     "These are the 10 of 31 channels with the worst fit. The fit "
                                     "of all is 60.00 to 90.00 %,",
                                     "75.00 %. The residuals of 15 are coloured", NULL});
    assert_int_equal(strstr(text, " 70.00 ") != NULL, count == 30);
    free(text);
  }
}

// Channels without a fit in % come last, the largest errors first, and are not said to have the worst fit.
static void channels_without_a_fit_are_ordered_by_their_errors(void **state) {
  (void)state;
  for (int known = 0; known <= 12; known += 4) {
    Made m;
    StatChannel channels[31];
    make(&m);
    for (int i = 0; i < 31; i++) {
      channels[i] = STAT_CHANNELS[0];
      channels[i].fit_percent = i < known ? 50 + i : nan("");
      channels[i].rmse = 1000 + (i * 7) % 31;
    }
    m.statistics.channels = channels;
    m.statistics.channel_count = 31;
    char *text = text_of(&m, 100, false), row[20];
    const char *before = text;
    for (int i = 0; i < known && i < 10; i++) {
      snprintf(row, sizeof row, " %d.00 ", 50 + i);
      const char *at = strstr(before, row);
      assert_non_null(at);
      before = at;
    }
    has(text, known >= 10 ? "with the worst fit. The"
              : known     ? "largest rmse of"
                          : "largest rmse;");
    if (!known) has(text, " 1030 ");
    assert_int_equal(strstr(text, "The fit of ") != NULL, known > 0);
    free(text);
  }
}

// Never "white" where they are not, and the other way round, whatever test says so, at the level of all channels.
static bool is_called_white(void *data, double p) {
  Made m;
  StatChannel channels[4];
  make(&m);
  for (int i = 0; i < 4; i++) channels[i] = STAT_CHANNELS[0];
  *(double *)((char *)&channels[3] + *(size_t *)data) = p;
  m.statistics.channels = channels;
  m.statistics.channel_count = 4;
  char *text = text_of(&m, 100, false);
  bool white = !strstr(text, "coloured");
  free(text);
  return white;
}

static void residuals_are_called_coloured_at_the_level_of_all_channels(void **state) {
  (void)state;
  static const size_t TEST_OF[] = {offsetof(StatChannel, white_p), offsetof(StatChannel, runs_p),
                                   offsetof(StatChannel, lag1_p)};
  for (int k = 0; k < 3; k++)
    assert_threshold_from_above(is_called_white, (void *)(uintptr_t)&TEST_OF[k], 1e-3 / (3 * 4));
}

static void without_a_result_there_are_no_tables_of_it(void **state) {
  (void)state;
  Made m;
  make(&m);
  m.result.outcome = FIT_NO_START;
  m.result.objective = HUGE_VAL;
  FitOptimum optima[] = {{.x = X, .converged = true}, {.x = X, .worse = 1, .converged = true}};
  m.result.optima.at = optima, m.result.optima.count = 2;
  char *text = text_of(&m, 80, false);
  has_all(text, (const char *[]){"no-start", "Work", "simulations (0 with sensitivities)", NULL});
  static const char *const ABSENT[] = {"Parameters", "\nFit\n", "Remarks", "Rank",   "objective",
                                       "inf",        "Optima",  "880",     "certain"};
  for (size_t i = 0; i < sizeof ABSENT / sizeof *ABSENT; i++) assert_null(strstr(text, ABSENT[i]));
  free(text);
}

static void failures_are_told_with_their_share(void **state) {
  (void)state;
  Made m;
  make(&m);
  FitFailure failures[] = {
      {OUTCOME_TOO_MANY_STEPS, "too-many-steps", 2, X, "at t = 3 the steps end"},
      {OUTCOME_CHATTER, "chatter", 1, NULL, "relation x > 0"}};
  m.result.work = (WorkCount){.simulations = 500, .sensitivity_simulations = 13};
  m.result.search_work = (WorkCount){.simulations = 100, .sensitivity_simulations = 5};
  m.result.failures.at = failures, m.result.failures.count = 2;
  char *text = text_of(&m, 100, false);
  has_all(text, (const char *[]){
                    "513 simulations (13 with sensitivities)", "408 of them to confirm the result",
                    "2 of 513 simulations ended in too-many-steps, for example near alpha = 880.1,",
                    "at t = 3 the steps end.",
                    "1 of 513 simulations ended in chatter, for example relation x > 0", NULL});
  free(text);
  Text t;
  text_init(&t);
  fit_json(&t, &m.report, "1");
  has_all(t.at,
          (const char *[]){"\"simulations\": 500, \"sensitivity_simulations\": 13",
                           "\"search\": {\"iterations\": 0, \"simulations\": 100, "
                           "\"sensitivity_simulations\": 5",
                           "{\"reason\": \"too-many-steps\", \"count\": 2, \"parameters\": "
                           "[880.123456, 120.5, 2.5], \"log\": \"at t = 3",
                           "\"reason\": \"chatter\", \"count\": 1, \"parameters\": null, ", NULL});
  text_done(&t);
}

static void other_optima_are_shown_with_their_distance(void **state) {
  (void)state;
  Made m;
  make(&m);
  double other[N] = {77, 33.5, 1.25};
  FitOptimum optima[] = {{.x = X, .objective = 0.5, .searches = 4, .converged = true},
                         {other, 0.625, 12.5, 2, true, true}};
  m.result.optima.at = optima, m.result.optima.count = 1;
  char *text = text_of(&m, 100, false);
  assert_null(strstr(text, "Optima found"));
  free(text);
  m.result.optima.count = 2;
  text = text_of(&m, 100, false);
  has_all(text, (const char *[]){"Optima found", "worse by", "alpha", "best", "880.12", "0.625",
                                 "12.5", "77", "33.5", "1.25", NULL});
  free(text);
  Text t;
  text_init(&t);
  fit_json(&t, &m.report, "1");
  has_all(t.at, (const char *[]){"\"optima\": [",
                                 "{\"objective\": 0.5, \"parameters\": [880.123456, 120.5, 2.5], "
                                 "\"searches\": 4, \"difference\": 0, \"distinct\": false}",
                                 "{\"objective\": 0.625, \"parameters\": [77, 33.5, 1.25], "
                                 "\"searches\": 2, \"difference\": 12.5, \"distinct\": true}",
                                 NULL});
  text_done(&t);
}

// The start is what can be missed.
static void units_and_standard_errors_stay(void **state) {
  (void)state;
  Made m;
  make(&m);
  m.statistics.parameters[0].at_bound = true;
  for (int wide = 0; wide < 2; wide++) {
    char *text = text_of(&m, wide ? 100 : 76, false);
    has_all(text, (const char *[]){"name ", "unit ", "estimate ", "std error ", "95 % interval",
                                   "alpha  N/cm", "not determined, at max", "1.5", NULL});
    assert_int_equal(strstr(text, "  start") != NULL, wide);
    assert_int_equal(strstr(text, "No room for start:") != NULL, !wide);
    free(text);
  }
}

static void a_long_path_shows_its_ends(void **state) {
  (void)state;
  Made m;
  make(&m);
  FitPathPoint points[20];
  for (int i = 0; i < 20; i++)
    points[i] = (FitPathPoint){
        .lambda = 1 - i / 19.0, .objective = i, .x = X, .iterations = i, .misfit.size = NAN};
  m.result.path.at = points;
  m.result.path.count = 20;
  char *text = text_of(&m, 80, false);
  has_all(text,
          (const char *[]){"Path of the homotopy", "lambda", "       1", "...", "      19", NULL});
  assert_null(strstr(text, "  10  880"));
  free(text);
}

static void the_json_has_the_agreed_keys_in_order(void **state) {
  (void)state;
  Made m;
  make(&m);
  Text t;
  text_init(&t);
  fit_json(&t, &m.report, "1.2.3");
  has_all(t.at,
          (const char *[]){
              "{\n",
              "\"entrain\": \"1.2.3\"",
              "\"problem\": \"folder/damper.yaml\"",
              "\"method\": \"auto\"",
              "\"outcome\": \"converged\"",
              "\"message\": ",
              "\"objective\": 0.5",
              "\"objective_start\": null",
              "\"parameters\": [",
              "{\"name\": \"alpha\", \"value\": 880.123456, \"start\": 500, \"min\": 1, "
              "\"max\": 1000, \"free\": true, \"at_bound\": false, \"std_error\": null, "
              "\"ci95\": [null, null], \"identifiable\": false",
              "\"min\": null, \"max\": null",
              "\"bound\": \"upper\"",
              "\"channels\": [",
              "{\"experiment\": 0, \"variable\": \"alpha*z + c0*v\", \"n\": 3, \"rmse\": "
              "0.0123, \"fit_percent\": 98.76",
              "\"identifiability\": {\"rank\": 2, \"free\": 3, \"singular_values\": [10, 1, "
              "1e-12], \"directions\": [",
              "\"alpha*A\"",
              "\"covariance\": [",
              "[null, 0.5",
              "\"correlation\": [",
              "\"work\": {\"iterations\": 0, \"simulations\": 0, "
              "\"sensitivity_simulations\": 0, \"rhs\": 0, \"seconds\": 0",
              "\"search\": {\"iterations\": 0",
              "\"failures\": []",
              "\"homotopy\": {",
              "\"gains\": {}",
              "\"path\": []",
              "\"solver\": {\"name\": \"rk8\", \"steps\": 0, \"rejected\": 0, "
              "\"invariant_violation\": 0}",
              "\"certificate\": {\"certain\": true, \"verdict\": \"certain\", \"why\": \"alpha "
              "is fine\", \"floor\": null, \"by\": \"homotopy\", \"fits\": true, \"exact\": false, "
              "\"noise\": {\"ratio\": 0.95, \"limit\": 1.4, \"holds\": true}, "
              "\"white\": {\"p\": 0.3, \"holds\": true, \"clean\": true, \"correlation\": "
              "0.1}, \"missing_term\": null, \"searches\": {\"planned\": 7, \"done\": 7, "
              "\"agree\": 6, \"better\": 1, ",
              "\"optima\": []}",
              "\"stages\": []",
              "\"remarks\": [",
              "\"options\": {}",
              "}\n",
              NULL});
  assert_null(strstr(t.at, "nan"));
  assert_null(strstr(t.at, "inf"));
  text_done(&t);
}

static void motion_in_pieces_is_called_so(void **state) {
  (void)state;
  Made m;
  Text t;
  make(&m);
  char *text = text_of(&m, 80, false);
  assert_null(strstr(text, "pieces"));
  free(text);
  text_init(&t);
  fit_json(&t, &m.report, "1");
  has(t.at, "\"pieces\": null");
  m.result.pieces = &(FitPieces){.count = (int[]){32}, .gap = 1e-9};
  text_clear(&t);
  fit_json(&t, &m.report, "1");
  has(t.at, "\"pieces\": {\"count\": [32], \"gap\": 1e-09}");
  text_done(&t);
  text = text_of(&m, 80, false);
  has(text, "Simulated in 32 pieces");
  free(text);
}

static void changed_options_are_told(void **state) {
  (void)state;
  Made m;
  make(&m);
  m.problem.options.seed = 7;
  m.problem.simulate.rel_tol = 1e-6; // the default of a simulation is no default of a fit
  char *text = text_of(&m, 80, false);
  has(text, "Options: seed=7 rel_tol=1e-06");
  free(text);
}

// ---------------------------------------------------------------- trace

static void the_trace_notes_each_step_once(void **state) {
  (void)state;
  Made m;
  make(&m);
  FitTrace *trace = fit_trace_new(&m.problem);
  double x[N] = {1, 2, 3};
  FitProgress p = {.stage = "homotopy, stronger", .lambda = 1, .objective = 5, .x = x};
  fit_trace_add(trace, &p);
  fit_trace_add(trace, &p); // asked between simulations
  p.iteration = 1;
  x[0] = 1.5;
  fit_trace_add(trace, &p);
  p.stage = "local search";
  p.objective = HUGE_VAL; // there was no step
  fit_trace_add(trace, &p);
  p.objective = 4;
  fit_trace_add(trace, &p);
  assert_int_equal(fit_trace_count(trace), 3);
  Text t;
  text_init(&t);
  fit_trace_csv(trace, &t);
  assert_string_equal(t.at, "stage,lambda,iteration,objective,alpha,A,n\n"
                            "\"homotopy, stronger\",1,0,5,1,2,3\n"
                            "\"homotopy, stronger\",1,1,5,1.5,2,3\n"
                            "local search,1,1,4,1.5,2,3\n");
  text_done(&t);
  fit_trace_free(trace);
}

// ---------------------------------------------------------------- checks

static void findings_about_many_channels_are_one(void **state) {
  (void)state;
  for (int equal = 0; equal < 2; equal++) {
    Made m;
    make(&m);
    Check c = {.arena = arena_new(), .problem = &m.problem, .starts = true};
    for (int i = 0; i < 12; i++) {
      char name[] = {'x', (char)('a' + i), 0};
      check_add_about(&c, name, FINDING_NOTE, "data", "%s: %d of 201 are xamples.", name,
                      equal ? 9 : i);
    }
    check_add_about(&c, "y", FINDING_NOTE, "data", "%s is another sentence.", "y");
    check_add_about(&c, "z", FINDING_NOTE, "data", "%s is one of two.", "z");
    check_add_about(&c, "w", FINDING_WARNING, "data", "%s is one of two.", "w");
    Text t;
    text_init(&t);
    check_text(&t, &c, (PageStyle){.width = 100});
    has(t.at,
        equal ? "xa: 9 of 201 are xamples. The same holds for xb, xc, xd, xe, xf, xg and 5 more.\n"
              : "xa: 0 of 201 are xamples. The same, with other numbers, holds for xb, xc, xd,");
    assert_null(strstr(t.at, "xb:"));
    has(t.at, "y is another sentence.\n");
    has(t.at, "z is one of two.\n");
    has(t.at, "w is one of two.\n");
    text_clear(&t);
    check_json(&t, &c, "1");
    has(t.at, "\"text\": \"xl: ");
    text_done(&t);
    arena_free(c.arena);
  }
}

static void findings_stand_by_topic_and_errors_fail(void **state) {
  (void)state;
  Made m;
  make(&m);
  Finding findings[] = {{FINDING_WARNING, "units", "cm is not m", true, NULL, NULL},
                        {FINDING_GOOD, "model", "it has equations", false, NULL, NULL},
                        {FINDING_WARNING, "data", "few samples", false, NULL, NULL},
                        {FINDING_NOTE, "model", "no inputs", false, NULL, NULL},
                        {FINDING_ERROR, "start", "cannot be simulated", false, NULL, NULL}};
  Check c = {.problem = &m.problem, .starts = true, .statistics = &m.statistics};
  c.findings.at = findings;
  c.findings.count = 5;
  Text t;
  text_init(&t);
  check_text(&t, &c, (PageStyle){80, false});
  has_all(
      t.at,
      (const char *[]){
          "damper.yaml: not ready for a fit, 1 error, 2 warnings (1 of them when it\n  was read)",
          "\nModel\n", "  good     it has equations", "  note     no inputs", "\nData\n",
          "  warning  few samples", "\nStart\n", "  error    cannot be simulated",
          "Parameters at the start", NULL});
  assert_null(strstr(t.at, "cm is not m")); // was told by who read the problem
  assert_null(strstr(t.at, "Units"));
  assert_false(check_passed(&c));
  c.findings.count = 4;
  assert_true(check_passed(&c));
  c.starts = false;
  assert_false(check_passed(&c));
  text_clear(&t);
  c.statistics = NULL;
  check_json(&t, &c, "1");
  has(t.at, "\"passed\": false");
  has(t.at, "{\"kind\": \"warning\", \"topic\": \"data\", \"text\": \"few samples\"}");
  has(t.at, "cm is not m");
  text_done(&t);
}

// ---------------------------------------------------------------- studies

static void make_study(Recover *r, const Problem *p) {
  static RecoverParameter parameters[N];
  static double numbers[2 * N] = {1, 2, 3, 4, 5, 6};
  static bool ok[] = {true, false};
  static long work[] = {7, 9};
  for (int i = 0; i < N; i++)
    parameters[i] = (RecoverParameter){10, 10.01, 0.01, 0.1, 0.1, 0.95, 1};
  parameters[1].bias_t = 9;
  parameters[2].coverage = 0.2;
  *r = (Recover){.problem = p,
                 .trials = 3,
                 .done = 2,
                 .succeeded = 1,
                 .certain = 1,
                 .parameters = parameters,
                 .estimates = numbers,
                 .std_errors = numbers,
                 .objectives = numbers,
                 .objectives_truth = numbers,
                 .ok = ok,
                 .work = work,
                 .seconds = 1.5};
}

static void a_study_tells_bias_and_dishonest_intervals(void **state) {
  (void)state;
  Made m;
  Recover r;
  make(&m);
  make_study(&r, &m.problem);
  Text t;
  text_init(&t);
  recover_text(&t, &r, (PageStyle){120, false});
  has_all(t.at,
          (const char *[]){"1 of 2 trials succeeded (stopped; 3 were requested)", "noise 0.05",
                           "alpha", "95.0 %", "biased", "20.0 %", "intervals too narrow",
                           "1 ended at a worse optimum", "1.5 s", NULL});
  text_clear(&t);
  recover_csv(&t, &r);
  assert_string_equal(t.at, "trial,succeeded,objective,objective_truth,simulations,alpha,A,n,alpha "
                            "std_error,A std_error,n std_error\n1,1,1,1,7,1,2,3,1,2,3\n"
                            "2,0,2,2,9,4,5,6,4,5,6\n");
  text_clear(&t);
  recover_json(&t, &r, "1");
  has(t.at, "\"succeeded\": 1");
  has(t.at, "\"median_simulations\": 9");
  text_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_report_says_what_matters),
      cmocka_unit_test(of_many_channels_the_worst_are_shown),
      cmocka_unit_test(channels_without_a_fit_are_ordered_by_their_errors),
      cmocka_unit_test(residuals_are_called_coloured_at_the_level_of_all_channels),
      cmocka_unit_test(the_report_tells_how_well_constraints_hold),
      cmocka_unit_test(the_report_keeps_the_width),
      cmocka_unit_test(colours_change_nothing_else),
      cmocka_unit_test(every_outcome_has_its_word),
      cmocka_unit_test(every_verdict_has_its_word),
      cmocka_unit_test(there_are_no_numbers_that_are_none),
      cmocka_unit_test(without_a_result_there_are_no_tables_of_it),
      cmocka_unit_test(failures_are_told_with_their_share),
      cmocka_unit_test(other_optima_are_shown_with_their_distance),
      cmocka_unit_test(units_and_standard_errors_stay),
      cmocka_unit_test(a_long_path_shows_its_ends),
      cmocka_unit_test(the_json_has_the_agreed_keys_in_order),
      cmocka_unit_test(motion_in_pieces_is_called_so),
      cmocka_unit_test(changed_options_are_told),
      cmocka_unit_test(the_trace_notes_each_step_once),
      cmocka_unit_test(findings_about_many_channels_are_one),
      cmocka_unit_test(findings_stand_by_topic_and_errors_fail),
      cmocka_unit_test(a_study_tells_bias_and_dishonest_intervals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
