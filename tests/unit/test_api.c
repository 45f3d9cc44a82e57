// The public functions under wrong arguments: an answer, never a crash. Their texts in another locale, and under a small stack.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comma_locale.h"
#include "entrain.h"
#include "test.h"

// ---------------------------------------------------------------- objects of every kind: x' = -k x

static const char MODEL[] =
    "model Decay \"for tests\"\n  parameter Real k(min = 0.01, max = 50, unit = \"1/s\") = 1.5;\n"
    "  input Real u = 0.25;\n  Real x(start = 1.5, fixed = true);\n  output Real y;\n"
    "equation\n  der(x) = -k*x + 0.001*u;\n  y = if x > 0.75 then 2.5*x else 0.5*x;\nend Decay;\n";
static const char PROBLEM[] =
    "model: decay.mo\nexperiments: [{data: a.csv, measure: {x: x}, inputs: {u: 0.125}}]\n"
    "estimate: {k: {start: 0.5}}\nmethod: lm\noptions: {rel_tol: 1.5e-8, trials: 2}\n";

typedef struct Objects {
  char folder[32];
  EntrainError error;
  EntrainOptions *options;
  EntrainModel *model;
  EntrainSimulation *simulation;
  EntrainResult *result;
  EntrainProblem *problem, *wider;
  EntrainFit *fit;
  EntrainCheck *check;
  EntrainRecover *recover;
  EntrainCompare *compare;
  EntrainBasin *basin;
  EntrainProfile *profile;
  EntrainScan *scan;
  EntrainModels *models;
  EntrainCurves *curves;
} Objects;

static void write_file(const Objects *o, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", o->folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void write_data(const Objects *o) {
  static char text[20000];
  strcpy(text, "t,x\n");
  for (int i = 0; i <= 100; i++) { // written in the locale C
    double t = i / 50.0, x = 1.5 * exp(-0.7 * t) + 1e-3 * sin(1e4 * i * i);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g\n", t, x);
  }
  write_file(o, "a.csv", text);
}

static void make_studies(Objects *o) {
  o->fit = entrain_fit_run(o->problem, NULL, NULL, &o->error);
  o->check = entrain_check_run(o->problem);
  o->recover = entrain_recover_run(o->problem, NULL, false, NULL, NULL, &o->error);
  o->compare = entrain_compare_new(o->problem);
  assert_true(entrain_compare_add(o->compare, "lm:step_tol=1.5e-9", &o->error));
  entrain_compare_keep_traces(o->compare);
  assert_true(entrain_compare_run(o->compare, NULL, NULL, &o->error));
  o->basin = entrain_basin_run(o->problem, NULL, 0, 3, NULL, NULL, NULL, &o->error);
  o->profile = entrain_profile_run(o->problem, NULL, NULL, NULL, &o->error);
  EntrainScanAxis axes[] = {{"k", 0.5, 1, 3, false}};
  EntrainScanRequest q = {.size = sizeof q, .axes = axes, .axis_count = 1};
  o->scan = entrain_scan_run(o->problem, &q, NULL, NULL, &o->error);
  o->models = entrain_models_new();
  EntrainSetting more = {"estimate", "{k: {start: 0.5}, x.start: {start: 1.4, min: 0.1, max: 9}}",
                         false};
  o->wider = entrain_problem_with(o->problem, &more, 1, &o->error);
  assert_true(entrain_models_add(o->models, o->problem, &o->error));
  assert_true(entrain_models_add(o->models, o->wider, &o->error));
  assert_true(entrain_models_nested(o->models, 0, 1, &o->error));
  if (!entrain_models_run(o->models, NULL, NULL, &o->error)) fail_msg("%s", o->error.text);
  o->curves = entrain_curves_new(o->problem);
  assert_int_equal(entrain_curves_at(o->curves, (double[]){0.7}, 0), 1);
}

static void make_objects(Objects *o) {
  o->options = entrain_options_new();
  assert_true(entrain_options_set(o->options, "rel_tol", "1.5e-7", &o->error));
  o->model = entrain_model_parse("decay.mo", MODEL, strlen(MODEL), &o->error);
  assert_non_null(o->model);
  assert_true(entrain_model_set(o->model, "k", "0.75", &o->error));
  o->simulation = entrain_simulation_new(o->model, o->options, &o->error);
  assert_true(entrain_simulation_grid(o->simulation, 0, 1, 0.25, &o->error));
  assert_true(entrain_simulation_sensitivities(o->simulation, NULL, 0, &o->error));
  o->result = entrain_simulation_run(o->simulation, &o->error);
  o->problem =
      entrain_problem_parse("test.yaml", o->folder, PROBLEM, strlen(PROBLEM), NULL, 0, &o->error);
  if (!o->problem) fail_msg("%s", o->error.text);
  make_studies(o);
}

static void free_objects(Objects *o) {
  entrain_curves_free(o->curves);
  entrain_models_free(o->models);
  entrain_problem_free(o->wider);
  entrain_scan_free(o->scan);
  entrain_profile_free(o->profile);
  entrain_basin_free(o->basin);
  entrain_compare_free(o->compare);
  entrain_recover_free(o->recover);
  entrain_check_free(o->check);
  entrain_fit_free(o->fit);
  entrain_problem_free(o->problem);
  entrain_result_free(o->result);
  entrain_simulation_free(o->simulation);
  entrain_model_free(o->model);
  entrain_options_free(o->options);
}

static int set_up(void **state) {
  Objects *o = calloc(1, sizeof *o);
  strcpy(o->folder, "/tmp/entrain-test-XXXXXX");
  assert_non_null(mkdtemp(o->folder));
  write_file(o, "decay.mo", MODEL);
  write_file(o, "problem.yaml", PROBLEM);
  write_data(o);
  make_objects(o);
  *state = o;
  return 0;
}

static int tear_down(void **state) {
  Objects *o = *state;
  char path[128];
  free_objects(o);
  for (const char *const *name =
           (const char *const[]){"decay.mo", "a.csv", "deep.mo", "problem.yaml", "map.db", NULL};
       *name; name++) {
    snprintf(path, sizeof path, "%s/%s", o->folder, *name);
    unlink(path);
  }
  rmdir(o->folder);
  free(o);
  return 0;
}

// ---------------------------------------------------------------- numbers that do not exist

typedef const char *TextAt(const void *object, int i);
#define TEXT_AT(function, type)                                                                    \
  static const char *at_##function(const void *object, int i) {                                    \
    return function((const type *)object, i);                                                      \
  }
TEXT_AT(entrain_model_warning, EntrainModel)
TEXT_AT(entrain_result_name, EntrainResult)
TEXT_AT(entrain_problem_warning, EntrainProblem)
TEXT_AT(entrain_problem_file, EntrainProblem)
TEXT_AT(entrain_problem_file_hash, EntrainProblem)
TEXT_AT(entrain_fit_remark, EntrainFit)
TEXT_AT(entrain_fit_missing, EntrainFit)
TEXT_AT(entrain_profile_note, EntrainProfile)

static const int ABSENT[] = {-2147483647 - 1, -1, 99, 2147483647};
enum { ABSENT_COUNT = sizeof ABSENT / sizeof *ABSENT };

static void texts_that_do_not_exist_are_null(void **state) {
  const Objects *o = *state;
  const struct {
    TextAt *at;
    const void *object;
    int count;
  } LISTS[] = {
      {at_entrain_model_warning, o->model, entrain_model_warning_count(o->model)},
      {at_entrain_result_name, o->result, entrain_result_columns(o->result)},
      {at_entrain_problem_warning, o->problem, entrain_problem_warning_count(o->problem)},
      {at_entrain_problem_file, o->problem, entrain_problem_file_count(o->problem)},
      {at_entrain_problem_file_hash, o->problem, entrain_problem_file_count(o->problem)},
      {at_entrain_fit_remark, o->fit, entrain_fit_remark_count(o->fit)},
      {at_entrain_fit_missing, o->fit, entrain_fit_missing_count(o->fit)},
      {at_entrain_profile_note, o->profile, entrain_profile_note_count(o->profile)},
  };
  for (size_t k = 0; k < sizeof LISTS / sizeof *LISTS; k++) {
    for (int i = 0; i < LISTS[k].count; i++) assert_non_null(LISTS[k].at(LISTS[k].object, i));
    assert_null(LISTS[k].at(LISTS[k].object, LISTS[k].count));
    for (int i = 0; i < ABSENT_COUNT; i++) assert_null(LISTS[k].at(LISTS[k].object, ABSENT[i]));
    assert_null(LISTS[k].at(NULL, 0));
  }
  for (int i = 0; i < entrain_method_count(); i++) {
    assert_non_null(entrain_method_name(i));
    assert_non_null(entrain_method_meaning(i));
  }
  for (int i = 0; i < ABSENT_COUNT; i++) {
    assert_null(entrain_method_name(ABSENT[i]));
    assert_null(entrain_method_meaning(ABSENT[i]));
    assert_null(entrain_result_column(o->result, ABSENT[i]));
    assert_null(entrain_fit_combination(o->fit, ABSENT[i], 0, NULL));
    assert_null(entrain_fit_combination(o->fit, 0, ABSENT[i], NULL));
    assert_null(entrain_model_report(o->model, (EntrainReport)ABSENT[i]));
    assert_null(entrain_compare_report(o->compare, (EntrainCompareLayout)ABSENT[i], 80, false));
    assert_null(entrain_compare_markdown(o->compare, (EntrainCompareLayout)ABSENT[i]));
    assert_null(entrain_compare_csv(o->compare, (EntrainCompareLayout)ABSENT[i]));
  }
}

// ---- functions that fill a struct: number i of an object, or the only one

typedef bool StructAt(const void *object, int i, void *out);
#define STRUCT_AT(function, type, filled)                                                          \
  static bool at_##function(const void *object, int i, void *out) {                                \
    return function((const type *)object, i, (filled *)out);                                       \
  }
#define STRUCT_OF(function, type, filled)                                                          \
  static bool at_##function(const void *object, int i, void *out) {                                \
    return i == 0 && function((const type *)object, (filled *)out);                                \
  }
STRUCT_AT(entrain_model_constraint, EntrainModel, EntrainConstraint)
STRUCT_AT(entrain_result_invariant, EntrainResult, EntrainInvariant)
STRUCT_OF(entrain_result_work, EntrainResult, EntrainWork)
STRUCT_AT(entrain_problem_unknown, EntrainProblem, EntrainUnknown)
STRUCT_OF(entrain_weights, EntrainProblem, EntrainWeights)
STRUCT_AT(entrain_weights_variable, EntrainProblem, EntrainWeightVariable)
STRUCT_OF(entrain_fit_quality, EntrainFit, EntrainQuality)
STRUCT_OF(entrain_fit_work, EntrainFit, EntrainFitWork)
STRUCT_OF(entrain_fit_searches, EntrainFit, EntrainSearches)
STRUCT_AT(entrain_fit_estimate, EntrainFit, EntrainEstimate)
STRUCT_AT(entrain_fit_channel, EntrainFit, EntrainChannel)
STRUCT_AT(entrain_fit_direction, EntrainFit, EntrainDirection)
STRUCT_AT(entrain_fit_constraint, EntrainFit, EntrainFitConstraint)
STRUCT_AT(entrain_fit_unmodelled, EntrainFit, EntrainUnmodelled)
STRUCT_AT(entrain_fit_step, EntrainFit, EntrainStep)
STRUCT_AT(entrain_fit_stage, EntrainFit, EntrainStage)
STRUCT_AT(entrain_fit_path, EntrainFit, EntrainPathPoint)
STRUCT_AT(entrain_fit_gain, EntrainFit, EntrainGain)
STRUCT_AT(entrain_fit_optimum, EntrainFit, EntrainFoundOptimum)
STRUCT_AT(entrain_fit_failure, EntrainFit, EntrainFailure)
STRUCT_AT(entrain_fit_pooled, EntrainFit, EntrainPooled)
STRUCT_AT(entrain_curves_channel, EntrainCurves, EntrainCurve)
STRUCT_OF(entrain_check_state, EntrainCheck, EntrainCheckState)
STRUCT_AT(entrain_check_finding, EntrainCheck, EntrainFinding)
STRUCT_AT(entrain_check_unknown, EntrainCheck, EntrainChecked)
STRUCT_OF(entrain_recover_trials, EntrainRecover, EntrainTrials)
STRUCT_AT(entrain_recover_trial, EntrainRecover, EntrainTrial)
STRUCT_AT(entrain_recover_unknown, EntrainRecover, EntrainRecovered)
STRUCT_AT(entrain_compare_row, EntrainCompare, EntrainCompared)
STRUCT_AT(entrain_models_row, EntrainModels, EntrainModelRow)
STRUCT_AT(entrain_models_test, EntrainModels, EntrainModelTest)
STRUCT_OF(entrain_basin_state, EntrainBasin, EntrainBasinState)
STRUCT_AT(entrain_basin_optimum, EntrainBasin, EntrainOptimum)
STRUCT_AT(entrain_basin_start, EntrainBasin, EntrainBasinStart)
STRUCT_AT(entrain_basin_failure, EntrainBasin, EntrainFailure)
STRUCT_OF(entrain_scan_state, EntrainScan, EntrainScanState)
STRUCT_AT(entrain_scan_failure, EntrainScan, EntrainFailure)
STRUCT_OF(entrain_profile_state, EntrainProfile, EntrainProfileState)
STRUCT_AT(entrain_profile_curve, EntrainProfile, EntrainProfiled)

// Those with several numbers: each of them takes the place of i, the others are 0.
#define STRUCT_NUMBERS(name, call, type, filled)                                                   \
  static bool at_##name(const void *object, int i, void *given) {                                  \
    const type *o = object;                                                                        \
    filled *out = given;                                                                           \
    return call;                                                                                   \
  }
STRUCT_NUMBERS(state, entrain_model_variable(o, ENTRAIN_STATE, i, out), EntrainModel,
               EntrainVariable)
STRUCT_NUMBERS(parameter, entrain_model_variable(o, ENTRAIN_PARAMETER, i, out), EntrainModel,
               EntrainVariable)
STRUCT_NUMBERS(part, entrain_fit_work_of(o, (EntrainFitPart)i, out), EntrainFit, EntrainFitWork)
STRUCT_NUMBERS(window, entrain_fit_window(o, i, 0, out), EntrainFit, EntrainWindow)
STRUCT_NUMBERS(window_of, entrain_fit_window(o, 0, i, out), EntrainFit, EntrainWindow)
STRUCT_NUMBERS(combination, entrain_fit_combination_at(o, i, 0, out), EntrainFit,
               EntrainCombination)
STRUCT_NUMBERS(combination_of, entrain_fit_combination_at(o, 0, i, out), EntrainFit,
               EntrainCombination)
STRUCT_NUMBERS(samples, entrain_fit_samples((EntrainFit *)(void *)o, i, out, NULL), EntrainResult,
               EntrainSamples)
STRUCT_NUMBERS(run, entrain_compare_run_at(o, i, 0, out), EntrainCompare, EntrainCompareRun)
STRUCT_NUMBERS(run_of, entrain_compare_run_at(o, 0, i, out), EntrainCompare, EntrainCompareRun)
STRUCT_NUMBERS(step, entrain_compare_step(o, i, 0, 0, out), EntrainCompare, EntrainCompareStep)
STRUCT_NUMBERS(step_of, entrain_compare_step(o, 0, i, 0, out), EntrainCompare, EntrainCompareStep)
STRUCT_NUMBERS(step_at, entrain_compare_step(o, 0, 0, i, out), EntrainCompare, EntrainCompareStep)
STRUCT_NUMBERS(point, entrain_profile_point(o, i, 0, out), EntrainProfile, EntrainProfilePoint)
STRUCT_NUMBERS(point_of, entrain_profile_point(o, 0, i, out), EntrainProfile, EntrainProfilePoint)
STRUCT_NUMBERS(option, !o && entrain_option(i, out), EntrainModel, EntrainOption)

typedef struct StructList {
  const char *name;
  StructAt *at;
  const void *object;
  size_t size;
  int count;
} StructList;

enum { LISTS_MOST = 64, ROOM = 2048 };

static int list_structs(const Objects *o, StructList *to) {
  EntrainTrials trials = {.size = sizeof trials};
  EntrainBasinState basin = {.size = sizeof basin};
  EntrainCompareRun run = {.size = sizeof run};
  EntrainProfiled curve = {.size = sizeof curve};
  assert_true(entrain_recover_trials(o->recover, &trials) && trials.done > 0);
  assert_true(entrain_basin_state(o->basin, &basin) && basin.starts > 0);
  assert_true(entrain_compare_run_at(o->compare, 0, 0, &run) && run.steps > 0);
  assert_true(entrain_profile_curve(o->profile, 0, &curve) && curve.points > 0);
  const StructList LISTS[] = {
#define LIST(function, object, filled, count)                                                      \
  {#function, at_##function, object, sizeof(filled), count}
      LIST(entrain_model_constraint, o->model, EntrainConstraint, 0),
      LIST(entrain_result_invariant, o->result, EntrainInvariant, 0),
      LIST(entrain_result_work, o->result, EntrainWork, 1),
      LIST(entrain_problem_unknown, o->problem, EntrainUnknown, 1),
      LIST(entrain_weights, o->problem, EntrainWeights, 1),
      LIST(entrain_weights_variable, o->problem, EntrainWeightVariable, 0),
      LIST(entrain_fit_quality, o->fit, EntrainQuality, 1),
      LIST(entrain_fit_work, o->fit, EntrainFitWork, 1),
      LIST(entrain_fit_searches, o->fit, EntrainSearches, 1),
      LIST(entrain_fit_estimate, o->fit, EntrainEstimate, 1),
      LIST(entrain_fit_channel, o->fit, EntrainChannel, 1),
      LIST(entrain_fit_direction, o->fit, EntrainDirection, 0),
      LIST(entrain_fit_constraint, o->fit, EntrainFitConstraint,
           entrain_fit_constraint_count(o->fit)),
      LIST(entrain_fit_unmodelled, o->fit, EntrainUnmodelled, entrain_fit_unmodelled_count(o->fit)),
      LIST(entrain_fit_step, o->fit, EntrainStep, entrain_fit_step_count(o->fit)),
      LIST(entrain_fit_stage, o->fit, EntrainStage, entrain_fit_stage_count(o->fit)),
      LIST(entrain_fit_path, o->fit, EntrainPathPoint, entrain_fit_path_count(o->fit)),
      LIST(entrain_fit_gain, o->fit, EntrainGain, entrain_fit_gain_count(o->fit)),
      LIST(entrain_fit_optimum, o->fit, EntrainFoundOptimum, entrain_fit_optimum_count(o->fit)),
      LIST(entrain_fit_failure, o->fit, EntrainFailure, entrain_fit_failure_count(o->fit)),
      LIST(entrain_fit_pooled, o->fit, EntrainPooled, entrain_fit_pooled_count(o->fit)),
      LIST(entrain_curves_channel, o->curves, EntrainCurve, 1),
      LIST(entrain_check_state, o->check, EntrainCheckState, 1),
      LIST(entrain_check_finding, o->check, EntrainFinding, entrain_check_count(o->check)),
      LIST(entrain_check_unknown, o->check, EntrainChecked, 1),
      LIST(entrain_recover_trials, o->recover, EntrainTrials, 1),
      LIST(entrain_recover_trial, o->recover, EntrainTrial, trials.done),
      LIST(entrain_recover_unknown, o->recover, EntrainRecovered, 1),
      LIST(entrain_compare_row, o->compare, EntrainCompared, entrain_compare_count(o->compare)),
      LIST(entrain_models_row, o->models, EntrainModelRow, 2),
      LIST(entrain_models_test, o->models, EntrainModelTest, entrain_models_test_count(o->models)),
      LIST(entrain_basin_state, o->basin, EntrainBasinState, 1),
      LIST(entrain_basin_optimum, o->basin, EntrainOptimum, basin.optima),
      LIST(entrain_basin_start, o->basin, EntrainBasinStart, basin.starts),
      LIST(entrain_basin_failure, o->basin, EntrainFailure, entrain_basin_failure_count(o->basin)),
      LIST(entrain_scan_state, o->scan, EntrainScanState, 1),
      LIST(entrain_scan_failure, o->scan, EntrainFailure, entrain_scan_failure_count(o->scan)),
      LIST(entrain_profile_state, o->profile, EntrainProfileState, 1),
      LIST(entrain_profile_curve, o->profile, EntrainProfiled, 1),
      LIST(state, o->model, EntrainVariable, entrain_model_count(o->model, ENTRAIN_STATE)),
      LIST(parameter, o->model, EntrainVariable, entrain_model_count(o->model, ENTRAIN_PARAMETER)),
      LIST(part, o->fit, EntrainFitWork, 3),
      LIST(window, o->fit, EntrainWindow, 0),
      LIST(window_of, o->fit, EntrainWindow, 0),
      LIST(combination, o->fit, EntrainCombination, 0),
      LIST(combination_of, o->fit, EntrainCombination, 0),
      LIST(samples, o->fit, EntrainSamples, 1),
      LIST(run, o->compare, EntrainCompareRun, entrain_compare_count(o->compare)),
      LIST(run_of, o->compare, EntrainCompareRun, entrain_compare_run_count(o->compare, 0)),
      LIST(step, o->compare, EntrainCompareStep, entrain_compare_count(o->compare)),
      LIST(step_of, o->compare, EntrainCompareStep, entrain_compare_run_count(o->compare, 0)),
      LIST(step_at, o->compare, EntrainCompareStep, run.steps),
      LIST(point, o->profile, EntrainProfilePoint, 1),
      LIST(point_of, o->profile, EntrainProfilePoint, curve.points),
      LIST(option, NULL, EntrainOption, entrain_option_count()),
#undef LIST
  };
  int count = sizeof LISTS / sizeof *LISTS;
  assert_true(count <= LISTS_MOST);
  memcpy(to, LISTS, sizeof LISTS);
  return count;
}

// Asks for a struct whose caller knows so many bytes of it; what lies behind must stay as it is.
static bool ask(const StructList *l, int i, size_t known, unsigned char fill, unsigned char *room) {
  memset(room, fill, ROOM);
  memcpy(room, &known, sizeof known);
  bool filled = l->at(l->object, i, room);
  size_t from = known < sizeof known ? sizeof known : known < l->size ? known : l->size;
  for (size_t k = from; k < ROOM; k++)
    if (room[k] != fill) fail_msg("%s %d: byte %zu of %zu is written", l->name, i, k, known);
  assert_memory_equal(room, &known, sizeof known);
  return filled;
}

// The law of sizes: no more is written than the caller knows, and that is the same whoever asks.
static void structs_are_filled_as_far_as_their_size(void **state) {
  StructList lists[LISTS_MOST];
  int count = list_structs(*state, lists);
  for (int n = 0; n < count; n++) {
    const StructList *l = &lists[n];
    _Alignas(16) unsigned char whole[ROOM], part[ROOM];
    assert_true(l->size < ROOM);
    for (int i = 0; i < l->count; i++) {
      if (!ask(l, i, l->size, 0xa5, whole)) fail_msg("%s has no number %d", l->name, i);
      assert_true(ask(l, i, l->size + 100, 0x5a, part)); // a newer program
      for (size_t known = sizeof(size_t); known <= l->size; known += 4) {
        assert_true(ask(l, i, known, 0, part));
        unsigned char again[ROOM];
        assert_true(ask(l, i, l->size, 0, again));
        assert_memory_equal(part + sizeof known, again + sizeof known, known - sizeof known);
      }
      for (size_t known = 0; known < sizeof(size_t); known++)
        assert_false(ask(l, i, known, 0xa5, part));
      assert_false(l->at(l->object, i, NULL));
    }
  }
}

static void structs_that_are_not_there_are_false(void **state) {
  StructList lists[LISTS_MOST];
  int count = list_structs(*state, lists);
  for (int n = 0; n < count; n++) {
    StructList *l = &lists[n];
    _Alignas(16) unsigned char room[ROOM];
    assert_false(ask(l, l->count, l->size, 0xa5, room));
    for (int i = 0; i < ABSENT_COUNT; i++)
      if (ABSENT[i] < 0 || ABSENT[i] >= l->count)
        assert_false(ask(l, ABSENT[i], l->size, 0xa5, room));
    if (!l->object) continue; // options belong to nothing
    memset(room, 0, sizeof room);
    memcpy(room, &l->size, sizeof l->size);
    assert_false(l->at(NULL, 0, room));
  }
}

static void numbers_that_do_not_exist_are_nan(void **state) {
  const Objects *o = *state;
  EntrainBasinAxis axis;
  EntrainScanAxis scan_axis;
  for (int n = 0; n < ABSENT_COUNT; n++) {
    int i = ABSENT[n];
    EntrainVariable v = {.size = sizeof v};
    for (int kind = -1; kind <= ENTRAIN_VARIABLE + 1; kind++)
      assert_false(entrain_model_variable(o->model, (EntrainKind)kind, i, &v));
    assert_int_equal(entrain_basin_reached(o->basin, i), -3);
    assert_true(isnan(entrain_fit_covariance(o->fit, i, 0)));
    assert_true(isnan(entrain_fit_gradient(o->fit, i)));
    assert_true(isnan(entrain_fit_hessian(o->fit, i, 0)));
    assert_true(isnan(entrain_fit_correlation(o->fit, 0, i)));
    assert_true(isnan(entrain_fit_singular_value(o->fit, i)));
    assert_true(isnan(entrain_check_singular_value(o->check, i)));
    assert_true(isnan(entrain_check_sensitivity(o->check, i, 0)));
    assert_true(isnan(entrain_check_sensitivity(o->check, 0, i)));
    assert_true(isnan(entrain_scan_objective(o->scan, i, 0)));
    assert_true(isnan(entrain_scan_objective(o->scan, 0, i)));
    assert_true(isnan(entrain_scan_value(o->scan, i, 0)));
    assert_true(isnan(entrain_scan_value(o->scan, 0, i)));
    assert_true(isnan(entrain_scan_lambda(o->scan, i)));
    assert_int_equal(entrain_scan_best(o->scan, i), -1);
    assert_false(entrain_scan_axis(o->scan, i, &scan_axis));
    assert_false(entrain_basin_axis(o->basin, i, &axis));
    assert_int_equal(entrain_compare_run_count(o->compare, i), 0);
    assert_int_equal(entrain_weights_samples(o->problem, i, NULL, NULL), 0);
    assert_null(entrain_models_variable(o->models, i));
    assert_true(isnan(entrain_models_rmse(o->models, i, 0)));
    assert_true(isnan(entrain_models_rmse(o->models, 0, i)));
    assert_true(isnan(entrain_models_validation(o->models, i, 0)));
    assert_true(isnan(entrain_models_cross(o->models, 0, i)));
  }
  assert_false(entrain_scan_axis(o->scan, 0, NULL));
  assert_false(entrain_basin_axis(o->basin, 0, NULL));
  assert_int_equal(entrain_model_count(o->model, (EntrainKind)77), 0);
  assert_int_equal(entrain_model_find(o->model, (EntrainKind)77, "x"), -1);
  assert_int_equal(entrain_model_find(o->model, ENTRAIN_STATE, "no"), -1);
}

// ---------------------------------------------------------------- NULL

static void null_objects_have_no_members(void **state) {
  (void)state;
  EntrainWork work = {.size = sizeof work};
  EntrainQuality quality = {.size = sizeof quality};
  EntrainFitWork fit_work = {.size = sizeof fit_work};
  EntrainTrials trials = {.size = sizeof trials};
  EntrainBasinState basin = {.size = sizeof basin};
  size_t length = 7;
  assert_null(entrain_model_name(NULL));
  entrain_model_experiment(NULL, NULL, NULL, NULL);
  assert_int_equal(entrain_model_warning_count(NULL), 0);
  assert_int_equal(entrain_model_count(NULL, ENTRAIN_STATE), 0);
  assert_int_equal(entrain_model_find(NULL, ENTRAIN_STATE, "x"), -1);
  assert_int_equal(entrain_model_index(NULL), 0);
  assert_int_equal(entrain_model_free_start_count(NULL), 0);
  assert_int_equal(entrain_model_constraint_count(NULL), 0);
  assert_null(entrain_model_report(NULL, ENTRAIN_REPORT_JSON));
  assert_int_equal(entrain_result_outcome(NULL), ENTRAIN_NO_START);
  assert_null(entrain_result_outcome_name(NULL));
  assert_null(entrain_result_message(NULL));
  assert_null(entrain_result_log(NULL));
  assert_null(entrain_result_slopes(NULL));
  entrain_result_work(NULL, &work);
  assert_int_equal(work.steps, 0);
  assert_int_equal(entrain_result_rows(NULL) + entrain_result_columns(NULL), 0);
  assert_null(entrain_result_column(NULL, 0));
  assert_int_equal(entrain_result_invariant_count(NULL), 0);
  assert_int_equal(entrain_result_worst_invariant(NULL), -1);
  assert_int_equal(entrain_result_worst_invariant_sens(NULL), -1);
  assert_null(entrain_result_csv(NULL));
  assert_null(entrain_result_json(NULL));
  assert_null(entrain_result_plot(NULL, 80, 24, false));
  entrain_result_add_noise(NULL, NULL);
  assert_null(entrain_problem_method(NULL));
  assert_int_equal(entrain_problem_warning_count(NULL) + entrain_problem_file_count(NULL), 0);
  assert_int_equal(entrain_problem_unknown_count(NULL), 0);
  assert_int_equal(entrain_fit_outcome(NULL), ENTRAIN_FIT_NO_START);
  assert_null(entrain_fit_outcome_name(NULL));
  assert_null(entrain_fit_message(NULL));
  entrain_fit_quality(NULL, &quality);
  assert_null(quality.why);
  assert_int_equal(entrain_fit_count(NULL) + entrain_fit_channel_count(NULL), 0);
  assert_true(isnan(entrain_fit_covariance(NULL, 0, 0)));
  EntrainWeights weights = {.size = sizeof weights};
  EntrainWeightVariable variable = {.size = sizeof variable};
  size_t bytes;
  assert_false(entrain_weights(NULL, &weights));
  assert_false(entrain_weights_variable(NULL, 0, &variable));
  assert_int_equal(entrain_weights_samples(NULL, 0, NULL, NULL), 0);
  assert_null(entrain_weights_csv(NULL));
  assert_null(entrain_weights_report(NULL, 80, false));
  assert_null(entrain_weights_svg(NULL));
  assert_null(entrain_weights_png(NULL, &bytes));
  assert_null(entrain_weights_figures(NULL));
  assert_true(isnan(entrain_fit_gradient(NULL, 0)));
  assert_true(isnan(entrain_fit_hessian(NULL, 0, 0)));
  assert_true(isnan(entrain_fit_correlation(NULL, 0, 0)));
  assert_true(isnan(entrain_fit_singular_value(NULL, 0)));
  EntrainScanState scan = {.size = sizeof scan};
  entrain_scan_state(NULL, &scan);
  assert_int_equal(scan.points, 0);
  entrain_scan_free(NULL);
  assert_true(isnan(entrain_scan_objective(NULL, 0, 0)));
  assert_int_equal(entrain_scan_best(NULL, 0), -1);
  assert_null(entrain_scan_report(NULL, 80, false));
  assert_null(entrain_scan_plot(NULL, 80, 20, false));
  assert_null(entrain_scan_csv(NULL));
  assert_null(entrain_scan_svg(NULL));
  assert_null(entrain_scan_png(NULL, &length));
  assert_null(entrain_scan_figures(NULL));
  assert_null(entrain_fit_figures(NULL));
  assert_null(entrain_result_figures(NULL));
  assert_null(entrain_compare_figures(NULL));
  assert_null(entrain_basin_figures(NULL));
  assert_null(entrain_profile_figures(NULL));
  entrain_figures_free(NULL);
  assert_int_equal(entrain_figures_count(NULL), 0);
  assert_null(entrain_figures_name(NULL, 0));
  assert_null(entrain_figures_title(NULL, 0));
  assert_null(entrain_figures_svg(NULL, 0));
  assert_null(entrain_figures_png(NULL, 0, &length));
  assert_null(entrain_figures_pdf(NULL, 0, &length));
  assert_null(entrain_check_figures(NULL));
  assert_null(entrain_recover_figures(NULL));
  assert_null(entrain_figures_plot(NULL, 0, 80, 24, false));
  assert_null(entrain_fit_plot(NULL, 80, 24, false));
  assert_int_equal(entrain_fit_direction_count(NULL) + entrain_fit_remark_count(NULL), 0);
  assert_int_equal(entrain_fit_missing_count(NULL), 0);
  entrain_goes_on(NULL, NULL);
  assert_null(entrain_fit_combination(NULL, 0, 0, NULL));
  entrain_fit_work(NULL, &fit_work);
  assert_true(isnan(entrain_fit_invariant_violation(NULL)));
  assert_true(isnan(entrain_fit_invariant_violation_sens(NULL)));
  assert_null(entrain_fit_report(NULL, 80, false));
  assert_null(entrain_fit_json(NULL));
  assert_null(entrain_fit_trace_csv(NULL));
  assert_null(entrain_check_run(NULL));
  assert_false(entrain_check_passed(NULL));
  assert_int_equal(entrain_check_count(NULL) + entrain_recover_count(NULL), 0);
  assert_true(isnan(entrain_check_singular_value(NULL, 0)));
  assert_true(isnan(entrain_check_sensitivity(NULL, 0, 0)));
  assert_int_equal(entrain_fit_step_count(NULL) + entrain_fit_stage_count(NULL), 0);
  assert_int_equal(entrain_fit_path_count(NULL) + entrain_fit_gain_count(NULL), 0);
  assert_int_equal(entrain_fit_optimum_count(NULL) + entrain_fit_failure_count(NULL), 0);
  assert_int_equal(entrain_fit_pooled_count(NULL), 0);
  assert_int_equal(entrain_fit_constraint_count(NULL) + entrain_fit_unmodelled_count(NULL), 0);
  assert_int_equal(entrain_basin_axis_count(NULL) + entrain_basin_failure_count(NULL), 0);
  assert_int_equal(entrain_scan_axis_count(NULL) + entrain_scan_point_count(NULL), 0);
  assert_int_equal(entrain_scan_lambda_count(NULL) + entrain_scan_failure_count(NULL), 0);
  assert_true(isnan(entrain_scan_value(NULL, 0, 0)) && isnan(entrain_scan_lambda(NULL, 0)));
  assert_false(entrain_basin_axis(NULL, 0, &(EntrainBasinAxis){0}));
  assert_false(entrain_scan_axis(NULL, 0, &(EntrainScanAxis){0}));
  assert_false(entrain_profile_request(NULL));
  assert_null(entrain_check_report(NULL, 80, false));
  assert_null(entrain_check_json(NULL));
  entrain_recover_trials(NULL, &trials);
  assert_int_equal(trials.done, 0);
  assert_null(entrain_recover_report(NULL, 80, false));
  assert_null(entrain_recover_json(NULL));
  assert_null(entrain_recover_csv(NULL));
  assert_null(entrain_compare_new(NULL));
  entrain_compare_truth(NULL, NULL, false);
  entrain_compare_found(NULL, 1);
  entrain_compare_repeat(NULL, 1, 1);
  entrain_compare_keep_traces(NULL);
  entrain_compare_time_threads(NULL);
  assert_int_equal(entrain_compare_count(NULL), 0);
  assert_int_equal(entrain_compare_run_count(NULL, 0), 0);
  assert_false(entrain_compare_stopped(NULL) || entrain_compare_has_result(NULL));
  assert_null(entrain_compare_json(NULL));
  assert_null(entrain_compare_trace_csv(NULL));
  assert_null(entrain_compare_svg(NULL));
  assert_null(entrain_compare_png(NULL, &length));
  entrain_basin_state(NULL, &basin);
  assert_int_equal(basin.starts, 0);
  assert_int_equal(entrain_basin_reached(NULL, 0), -3);
  assert_null(entrain_basin_report(NULL, 80, false));
  assert_null(entrain_basin_json(NULL));
  assert_null(entrain_basin_csv(NULL));
  assert_null(entrain_basin_svg(NULL));
  assert_null(entrain_basin_png(NULL, &length));
  assert_false(entrain_profile_is_sound(NULL));
  assert_true(isnan(entrain_profile_threshold(NULL)));
  assert_int_equal(entrain_profile_count(NULL) + entrain_profile_note_count(NULL), 0);
  assert_null(entrain_profile_report(NULL, 80, false));
  assert_null(entrain_profile_plot(NULL, 80, 24, false));
  assert_null(entrain_profile_json(NULL));
  assert_null(entrain_profile_csv(NULL));
  assert_null(entrain_profile_svg(NULL));
  assert_null(entrain_profile_png(NULL, &length));
  assert_int_equal(entrain_error_format(NULL, NULL, 0), 0);
  entrain_text_free(entrain_text_visible(NULL));
  entrain_text_free(NULL);
  entrain_model_free(NULL);
  entrain_options_free(NULL);
  entrain_simulation_free(NULL);
  entrain_simulation_second_order(NULL, true);
  entrain_result_free(NULL);
  entrain_problem_free(NULL);
  entrain_fit_free(NULL);
  entrain_check_free(NULL);
  entrain_recover_free(NULL);
  entrain_compare_free(NULL);
  entrain_basin_free(NULL);
  entrain_profile_free(NULL);
}

static void absent_models_have_no_members(void **state) {
  (void)state;
  EntrainError e = {.size = sizeof e};
  entrain_models_free(NULL);
  assert_int_equal(entrain_models_count(NULL) + entrain_models_test_count(NULL), 0);
  assert_int_equal(entrain_models_variable_count(NULL), 0);
  assert_null(entrain_models_variable(NULL, 0));
  assert_true(isnan(entrain_models_rmse(NULL, 0, 0)));
  assert_true(isnan(entrain_models_validation(NULL, 0, 0)));
  assert_true(isnan(entrain_models_cross(NULL, 0, 0)));
  assert_false(entrain_models_stopped(NULL) || entrain_models_all_usable(NULL));
  assert_null(entrain_models_report(NULL, 80, false));
  assert_null(entrain_models_markdown(NULL));
  assert_null(entrain_models_csv(NULL));
  assert_null(entrain_models_json(NULL));
  assert_null(entrain_models_figures(NULL));
  EntrainModels *m = entrain_models_new(); // before its run
  EntrainModelRow row = {.size = sizeof row};
  assert_int_equal(entrain_models_count(m), 0);
  assert_false(entrain_models_row(m, 0, &row));
  assert_false(entrain_models_stopped(m) || entrain_models_all_usable(m));
  assert_false(entrain_models_run(m, NULL, NULL, &e)); // without problems
  assert_int_equal(e.exit_status, 2);
  assert_false(entrain_models_nested(m, 0, 1, &e));
  assert_false(entrain_models_nested(m, -2147483647 - 1, 2147483647, &e));
  assert_false(entrain_models_folds(m, 1, &e) || entrain_models_folds(m, 2147483647, &e));
  EntrainFigures *f = entrain_models_figures(m);
  assert_int_equal(entrain_figures_count(f), 0);
  entrain_figures_free(f);
  entrain_text_free(entrain_models_report(m, 80, false));
  entrain_text_free(entrain_models_markdown(m));
  entrain_text_free(entrain_models_csv(m));
  entrain_text_free(entrain_models_json(m));
  entrain_models_free(m);
}

static void absent_pages_and_curves_have_no_members(void **state) {
  (void)state;
  EntrainError e = {.size = sizeof e};
  EntrainCurve curve = {.size = sizeof curve};
  int count = 1;
  assert_false(entrain_problem_is_closed(NULL));
  assert_null(entrain_curves_new(NULL));
  assert_int_equal(entrain_curves_at(NULL, NULL, 0) + entrain_curves_count(NULL), 0);
  assert_false(entrain_curves_channel(NULL, 0, &curve));
  entrain_curves_free(NULL);
  assert_null(entrain_live_new(NULL, &e));
  assert_null(entrain_live_address(NULL));
  entrain_live_step(NULL, NULL);
  entrain_live_runs(NULL, NULL, NULL);
  assert_false(entrain_live_took(NULL));
  assert_false(entrain_live_is_watched(NULL));
  entrain_live_is_fetched(NULL);
  entrain_live_finish(NULL, NULL);
  entrain_text_free(entrain_live_text_page(NULL, NULL));
  entrain_live_free(NULL);
  assert_null(entrain_page(NULL, NULL));
  assert_null(entrain_page(NULL, &(EntrainPage){.size = sizeof(EntrainPage), .title = "no body"}));
  assert_null(entrain_written_load(NULL, &e));
  assert_null(entrain_written_problem(NULL));
  assert_null(entrain_written_settings(NULL, &count));
  assert_int_equal(count, 0);
  assert_null(entrain_written_changes(NULL, NULL));
  assert_null(entrain_written_report(NULL, NULL, 80, false));
  entrain_written_free(NULL);
}

// true if the call that left this error has failed because an argument is missing; clears it
static bool missing(EntrainError *e) {
  bool is = e->code != 0 && e->exit_status == 2 && e->text[0] != 0;
  *e = (EntrainError){0};
  return is;
}

static void missing_arguments_are_errors(void **state) {
  Objects *o = *state;
  EntrainError e = {.size = sizeof e};
  EntrainSetting settings[] = {{NULL, "1", false}, {"a", NULL, false}};
  const char *names[] = {NULL};
  EntrainBasinAxis axis = {.count = 3};
  ENTRAIN_STRUCT(EntrainProfileRequest, request);
  EntrainScanAxis nameless = {.count = 3, .to = 1};
  EntrainScanRequest scan = {.size = sizeof scan, .axes = &nameless, .axis_count = 1};
  double v = 1;
  assert_true(entrain_profile_request(&request));
  request.names = names, request.count = 1;
  const void *NOTHING[] = {
      entrain_model_load(NULL, &e),
      entrain_model_load_with(NULL, NULL, &e),
      entrain_flat_text(NULL, NULL, &e),
      entrain_fmu_report(NULL, ENTRAIN_REPORT_SUMMARY, &e),
      entrain_fmu_load(NULL, NULL, &e),
      entrain_model_of_simulator(NULL, &e),
      entrain_model_parse_with("x", NULL, 0, NULL, &e),
      entrain_model_parse("x", NULL, 0, &e),
      entrain_simulation_new(NULL, o->options, &e),
      entrain_problem_make(NULL, &e),
      entrain_problem_make(&(EntrainSource){.path = "a.yaml"}, &e),
      entrain_problem_make(&(EntrainSource){.size = sizeof(EntrainSource)}, &e),
      entrain_problem_with(NULL, NULL, 0, &e),
      entrain_problem_with(o->problem, NULL, 1, &e),
      entrain_problem_with(o->problem, settings, 2, &e),
      entrain_problem_with(o->problem, settings, -1, &e),
      entrain_simulation_new(o->model, NULL, &e),
      entrain_simulation_run(NULL, &e),
      entrain_problem_simulation(NULL, 0, NULL, NULL, 0, &e),
      entrain_problem_simulation(o->problem, 1, NULL, NULL, 0, &e),
      entrain_problem_simulation(o->problem, -1, NULL, NULL, 0, &e),
      entrain_problem_simulation(o->problem, 0, &(double){nan("")}, NULL, 0, &e),
      entrain_problem_simulation(o->problem, 0, NULL, NULL, 1, &e),
      entrain_problem_simulation(o->problem, 0, NULL, settings, -1, &e),
      entrain_problem_simulation(o->problem, 0, NULL, settings, 2, &e),
      entrain_problem_load(NULL, NULL, 0, &e),
      entrain_evaluate(NULL, NULL, 0, &e),
      entrain_scan_run(NULL, &scan, NULL, NULL, &e),
      entrain_scan_run(o->problem, NULL, NULL, NULL, &e),
      entrain_scan_run(o->problem, &scan, NULL, NULL, &e),
      entrain_evaluate(o->problem, NULL, -1, &e),
      entrain_evaluate(o->problem, NULL, nan(""), &e),
      entrain_problem_load("x", NULL, 3, &e),
      entrain_problem_load("x", NULL, -3, &e),
      entrain_problem_load("x", settings, 1, &e),
      entrain_problem_load("x", settings + 1, 1, &e),
      entrain_problem_parse("x", ".", NULL, 0, NULL, 0, &e),
      entrain_problem_parse_with("x", ".", NULL, 0, NULL, 0, NULL, &e),
      entrain_fit_run(NULL, NULL, NULL, &e),
      entrain_fit_residuals_csv(NULL, &e),
      entrain_recover_run(NULL, NULL, false, NULL, NULL, &e),
      entrain_basin_run(NULL, NULL, 0, 3, NULL, NULL, NULL, &e),
      entrain_basin_run(o->problem, NULL, 1, 0, NULL, NULL, NULL, &e),
      entrain_basin_run(o->problem, &axis, 1, 0, NULL, NULL, NULL, &e),
      entrain_basin_run(o->problem, &axis, -1, 0, NULL, NULL, NULL, &e),
      entrain_basin_run(o->problem, NULL, 0, -1, NULL, NULL, NULL, &e),
      entrain_profile_run(NULL, NULL, NULL, NULL, &e),
      entrain_profile_run(o->problem, &request, NULL, NULL, &e),
  };
  for (size_t i = 0; i < sizeof NOTHING / sizeof *NOTHING; i++) assert_null(NOTHING[i]);
  assert_true(missing(&e));
#define REFUSED(call)                                                                              \
  assert_false(call);                                                                              \
  assert_true(missing(&e))
  REFUSED(entrain_model_set(NULL, "k", "1", &e));
  REFUSED(entrain_model_set(o->model, NULL, "1", &e));
  REFUSED(entrain_model_set(o->model, "k", NULL, &e));
  REFUSED(entrain_model_set(o->model, "no", "1", &e));
  REFUSED(entrain_options_set(NULL, "rel_tol", "1e-5", &e));
  REFUSED(entrain_options_set(o->options, NULL, "1e-5", &e));
  REFUSED(entrain_options_set(o->options, "rel_tol", NULL, &e));
  REFUSED(entrain_options_set(o->options, "no", "1", &e));
  REFUSED(entrain_options_set(o->options, "rel_tol", "1e400", &e));
  REFUSED(entrain_simulation_grid(NULL, 0, 1, 0, &e));
  REFUSED(entrain_simulation_times(NULL, 0, &v, 1, &e));
  REFUSED(entrain_simulation_times(o->simulation, 0, NULL, 1, &e));
  REFUSED(entrain_simulation_times(o->simulation, 0, &v, -1, &e));
  REFUSED(entrain_simulation_input_file(NULL, "x", &e));
  REFUSED(entrain_simulation_input_file(o->simulation, NULL, &e));
  REFUSED(entrain_simulation_input(NULL, "u", &v, &v, 1, &e));
  REFUSED(entrain_simulation_input(o->simulation, NULL, &v, &v, 1, &e));
  REFUSED(entrain_simulation_input(o->simulation, "u", NULL, &v, 1, &e));
  REFUSED(entrain_simulation_input(o->simulation, "u", &v, NULL, 1, &e));
  REFUSED(entrain_simulation_input(o->simulation, "u", &v, &v, -1, &e));
  REFUSED(entrain_simulation_input(o->simulation, "no", &v, &v, 1, &e));
  REFUSED(entrain_simulation_select(NULL, NULL, 0, &e));
  REFUSED(entrain_simulation_select(o->simulation, names, 1, &e));
  REFUSED(entrain_simulation_sensitivities(NULL, NULL, 0, &e));
  REFUSED(entrain_simulation_sensitivities(o->simulation, names, 1, &e));
  REFUSED(entrain_simulation_sensitivities(o->simulation, NULL, 1, &e));
  REFUSED(entrain_fit_find_hessian(NULL, &e));
  REFUSED(entrain_problem_set_start(NULL, "k", 1, &e));
  REFUSED(entrain_problem_set_start(o->problem, NULL, 1, &e));
  REFUSED(entrain_problem_read_values(NULL, "x", &v, NULL, NULL, &e));
  REFUSED(entrain_problem_read_values(o->problem, NULL, &v, NULL, NULL, &e));
  REFUSED(entrain_problem_read_values(o->problem, "x", NULL, NULL, NULL, &e));
  REFUSED(entrain_problem_read_values(o->problem, "no such file", &v, NULL, NULL, &e));
  ENTRAIN_STRUCT(EntrainExperiment, experiment);
  assert_int_equal(entrain_problem_experiment_count(NULL), 0);
  assert_int_equal(entrain_problem_experiment_count(o->problem), 1);
  assert_false(entrain_problem_experiment(NULL, 0, &experiment));
  assert_false(entrain_problem_experiment(o->problem, 0, NULL));
  assert_false(entrain_problem_experiment(o->problem, 1, &experiment));
  assert_false(entrain_problem_experiment(o->problem, -1, &experiment));
  assert_false(entrain_problem_experiment(o->problem, 0, &(EntrainExperiment){0}));
  assert_true(entrain_problem_experiment(o->problem, 0, &experiment));
  REFUSED(entrain_problem_number(NULL, "1", &v, &e));
  REFUSED(entrain_problem_number(o->problem, NULL, &v, &e));
  REFUSED(entrain_problem_number(o->problem, "1", NULL, &e));
  REFUSED(entrain_problem_number(o->problem, "1/0", &v, &e));
  REFUSED(entrain_compare_add(NULL, "lm", &e));
  REFUSED(entrain_compare_add(o->compare, NULL, &e));
  REFUSED(entrain_compare_published(NULL, "x", &e));
  REFUSED(entrain_compare_published(o->compare, NULL, &e));
  REFUSED(entrain_compare_run(NULL, NULL, NULL, &e));
  REFUSED(entrain_models_add(NULL, o->problem, &e));
  REFUSED(entrain_models_add(o->models, NULL, &e));
  REFUSED(entrain_models_nested(NULL, 0, 1, &e));
  REFUSED(entrain_models_folds(NULL, 3, &e));
  REFUSED(entrain_models_run(NULL, NULL, NULL, &e));
  EntrainSamples samples = {.size = sizeof samples};
  REFUSED(entrain_fit_samples(NULL, 0, &samples, &e));
  REFUSED(entrain_fit_samples(o->fit, 0, NULL, &e));
  REFUSED(entrain_fit_samples(o->fit, 0, &(EntrainSamples){0}, &e));
  REFUSED(entrain_fit_samples(o->fit, 1, &samples, &e));
  REFUSED(entrain_fit_samples(o->fit, -1, &samples, &e));
#undef REFUSED
}

static void sizes_of_terminals_have_limits(void **state) {
  const Objects *o = *state;
  static const int SIZES[] = {-2147483647 - 1, -1, 0, 1, 2147483647};
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
    int n = SIZES[i];
    entrain_text_free(entrain_result_plot(o->result, n, n, true));
    entrain_text_free(entrain_fit_report(o->fit, n, true));
    entrain_text_free(entrain_fit_plot(o->fit, n, n, true));
    entrain_text_free(entrain_check_report(o->check, n, true));
    entrain_text_free(entrain_recover_report(o->recover, n, true));
    entrain_text_free(entrain_compare_report(o->compare, ENTRAIN_COMPARE_FULL, n, true));
    entrain_text_free(entrain_basin_report(o->basin, n, true));
    entrain_text_free(entrain_profile_report(o->profile, n, true));
    entrain_text_free(entrain_profile_plot(o->profile, n, n, true));
  }
  entrain_text_free(entrain_basin_png(o->basin, NULL));
}

static void pictures_are_made_in_every_format(void **state) {
  Objects *o = *state;
  EntrainFigures *all[] = {entrain_fit_figures(o->fit),         entrain_check_figures(o->check),
                           entrain_recover_figures(o->recover), entrain_basin_figures(o->basin),
                           entrain_profile_figures(o->profile), entrain_result_figures(o->result)};
  assert_true(entrain_figures_ready(&o->error));
  assert_int_equal(o->error.code, 0);
  assert_true(entrain_figures_ready(NULL));
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    int n = entrain_figures_count(all[k]);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
      size_t png_length, pdf_length;
      char *png = entrain_figures_png(all[k], i, &png_length);
      char *pdf = entrain_figures_pdf(all[k], i, &pdf_length);
      assert_true(png_length > 100 && memcmp(png, "\x89PNG", 4) == 0);
      assert_true(pdf_length > 100 && memcmp(pdf, "%PDF-", 5) == 0);
      entrain_text_free(png);
      entrain_text_free(pdf);
    }
    entrain_figures_free(all[k]);
  }
}

// ---------------------------------------------------------------- stores of studies

static bool no_study(EntrainStudy *s, EntrainError *error) {
  return !s && error->code != 0;
}

static void without_a_store_there_are_answers(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainStudyProgress progress = {.size = sizeof progress};
  EntrainStudyInfo info = {.size = sizeof info};
  EntrainStudyRequest request = {.size = sizeof request};
  EntrainAttendant me = {.size = sizeof me, .threads = 1};
  EntrainStudy *study = entrain_study_new();
  int missing;
  assert_non_null(study);
  assert_false(entrain_study_begin(study, NULL, NULL, NULL, &error));
  assert_false(entrain_study_begin(study, &request, NULL, NULL, &error));
  assert_false(entrain_study_begin(NULL, &request, NULL, NULL, &error));
  assert_false(entrain_study_progress(study, &progress));
  assert_false(entrain_study_progress(NULL, NULL));
  assert_false(entrain_study_info(study, &info));
  assert_true(entrain_study_end(study, false, NULL, &error)); // it has not begun
  assert_false(entrain_study_end(NULL, false, NULL, &error));
  assert_false(entrain_study_join(NULL, &error));
  entrain_study_use_files(NULL);
  entrain_text_free(entrain_study_changes(study, &missing));
  entrain_text_free(entrain_study_changes(NULL, NULL));
  entrain_study_free(study);
  entrain_study_free(NULL);
  assert_null(entrain_store_open(NULL, false, NULL, NULL, &error));
  assert_null(entrain_store_open("/nowhere/s.db", false, NULL, NULL, &error));
  assert_int_not_equal(error.code, 0);
  entrain_store_close(NULL);
  assert_int_equal(entrain_store_count(NULL), 0);
  assert_false(entrain_store_study(NULL, 0, &info));
  assert_false(entrain_store_progress(NULL, 1, &progress));
  assert_true(no_study(entrain_store_work(NULL, &me, 0, NULL, &error), &error));
  assert_true(no_study(entrain_store_resume(NULL, &me, 1, &error), &error));
  entrain_store_rest(NULL, 1);
  assert_null(entrain_store_report(NULL, 0, 0, 80, false, &error));
  assert_null(entrain_store_json(NULL, 0, 0, &error));
  assert_null(entrain_store_csv(NULL, 0, 0, &error));
  assert_true(entrain_threads() >= 1);
}

// A study in C: its files are noted, what it finds is kept, and a second run computes nothing.
static EntrainBasin *study_in(const char *store, const char *problem, double *spent) {
  EntrainError error = {.size = sizeof error};
  const char *const words[] = {"map"};
  EntrainStudy *study = entrain_study_new();
  EntrainProblem *p = entrain_problem_load(problem, NULL, 0, &error);
  assert_non_null(p);
  EntrainStudyRequest q = {.size = sizeof q,
                           .store = store,
                           .name = "map",
                           .words = words,
                           .word_count = 1,
                           .threads = 1};
  assert_true(entrain_study_begin(study, &q, NULL, NULL, &error));
  EntrainBasin *b = entrain_basin_run(p, NULL, 0, 7, NULL, NULL, NULL, &error);
  EntrainStudyProgress progress = {.size = sizeof progress};
  assert_true(entrain_study_progress(study, &progress));
  assert_true(progress.done == 7 && progress.total == 7 && progress.workers == 1);
  assert_true(entrain_study_end(study, false, NULL, &error));
  EntrainBasinState state = {.size = sizeof state};
  entrain_basin_state(b, &state);
  *spent = state.seconds;
  entrain_study_free(study);
  entrain_problem_free(p);
  return b;
}

static void a_study_in_a_store_is_computed_once(void **state) {
  const Objects *o = *state;
  EntrainError error = {.size = sizeof error};
  char store[128], problem[128];
  snprintf(store, sizeof store, "%s/map.db", o->folder);
  snprintf(problem, sizeof problem, "%s/problem.yaml", o->folder);
  double first, again;
  entrain_basin_free(study_in(store, problem, &first));
  entrain_basin_free(study_in(store, problem, &again));
  assert_true(first == again); // a time that was measured once
  EntrainStore *s = entrain_store_open(store, false, NULL, NULL, &error);
  EntrainStudyInfo info = {.size = sizeof info};
  EntrainStudyProgress progress = {.size = sizeof progress};
  EntrainAttendant me = {.size = sizeof me, .threads = 1};
  const char *why;
  assert_int_equal(entrain_store_count(s), 1);
  assert_true(entrain_store_study(s, 0, &info) && info.state == ENTRAIN_STUDY_DONE);
  assert_false(entrain_store_study(s, 1, &info) || entrain_store_study(s, -1, &info));
  assert_true(entrain_store_progress(s, 1, &progress) && progress.done == 7);
  assert_null(entrain_store_work(s, &me, 0, &why, &error)); // nothing is open
  assert_int_equal(error.code, 0);
  assert_true(no_study(entrain_store_resume(s, &me, 5, &error), &error));
  EntrainStudy *study = entrain_store_resume(s, &me, 0, &error);
  assert_non_null(study);
  assert_true(entrain_study_info(study, &info) && info.number == 1);
  EntrainProblem *p = entrain_problem_load(problem, NULL, 0, &error); // from the store
  assert_non_null(p);
  assert_true(entrain_study_join(study, &error));
  assert_true(entrain_study_end(study, true, NULL, &error));
  entrain_problem_free(p);
  entrain_study_free(study);
  for (int best = 0; best < 3; best++) {
    entrain_text_free(entrain_store_report(s, 0, best, 80, false, &error));
    entrain_text_free(entrain_store_json(s, 1, best, &error));
    entrain_text_free(entrain_store_csv(s, 1, best, &error));
    assert_int_equal(error.code, 0);
  }
  entrain_store_rest(s, 0);
  entrain_store_close(s);
}

// Functions of the header that this file does not call. It runs at the top of the source tree.
static void every_function_of_the_header_is_tried(void **state) {
  (void)state;
  static char header[1000000], tests[1000000];
  FILE *f = fopen("include/entrain.h", "r"), *g = fopen("tests/unit/test_api.c", "r");
  if (!f || !g) skip();
  header[fread(header, 1, sizeof header - 1, f)] = 0;
  tests[fread(tests, 1, sizeof tests - 1, g)] = 0;
  fclose(f);
  fclose(g);
  assert_true(strlen(header) < sizeof header - 1 && strlen(tests) < sizeof tests - 1);
  int count = 0;
  for (const char *at = header; (at = strstr(at, "entrain_")); at++) {
    char name[64];
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    if (at[length] != '(' || length >= sizeof name) continue;
    snprintf(name, sizeof name, "%.*s(", (int)length, at);
    if (!strstr(tests, name)) {
      snprintf(name, sizeof name, "(%.*s,", (int)length, at); // TEXT_AT(name, type)
      if (!strstr(tests, name)) fail_msg("%s is not tried here", name);
    }
    count++;
  }
  assert_true(count > 100);
  assert_string_equal(entrain_version(), ENTRAIN_VERSION);
  assert_int_equal(entrain_version_number(), ENTRAIN_VERSION_NUMBER);
  assert_int_equal(entrain_abi(), ENTRAIN_ABI);
  assert_true(entrain_option_count() > 10);
  entrain_on_out_of_memory(NULL);
}

// ---------------------------------------------------------------- locale

static void drop_times(char *text) { // seconds differ from run to run
  for (char *at = text; (at = strstr(at, "seconds\": ")); at += 10) {
    size_t length = strspn(at + 10, "0123456789.,e+-");
    memmove(at + 10, at + 10 + length, strlen(at + 10 + length) + 1);
  }
}

enum { TEXTS = 24 };

static int all_texts(Objects *o, char *texts[TEXTS]) {
  int n = 0;
  for (int k = ENTRAIN_REPORT_SUMMARY; k <= ENTRAIN_REPORT_DOT; k++)
    texts[n++] = entrain_model_report(o->model, (EntrainReport)k);
  texts[n++] = entrain_result_csv(o->result);
  texts[n++] = entrain_result_json(o->result);
  texts[n++] = entrain_result_plot(o->result, 80, 24, false);
  texts[n++] = entrain_fit_json(o->fit);
  texts[n++] = entrain_fit_trace_csv(o->fit);
  texts[n++] = entrain_fit_residuals_csv(o->fit, &o->error);
  texts[n++] = entrain_check_report(o->check, 80, false);
  texts[n++] = entrain_check_json(o->check);
  texts[n++] = entrain_recover_json(o->recover);
  texts[n++] = entrain_basin_csv(o->basin);
  texts[n++] = entrain_basin_svg(o->basin);
  texts[n++] = entrain_profile_csv(o->profile);
  texts[n++] = entrain_profile_svg(o->profile);
  texts[n++] = entrain_profile_plot(o->profile, 80, 24, false);
  entrain_options_set(o->options, "rel_tol", "3.5", &o->error);
  texts[n] = calloc(1, 2000);
  entrain_error_format(&o->error, texts[n++], 2000);
  for (int i = 0; i < n; i++) drop_times(texts[i]);
  assert_true(n <= TEXTS);
  return n;
}

static void texts_are_the_same_in_every_locale(void **state) {
  Objects *o = *state, other = {0};
  char *texts[TEXTS], *again[TEXTS], folder[32];
  if (!comma_locale_make(folder)) {
    comma_locale_done(folder);
    print_message("# no localedef or no definition of " COMMA_LOCALE "\n");
    skip();
  }
  setlocale(LC_ALL, "C");
  int count = all_texts(o, texts);
  setlocale(LC_ALL, COMMA_LOCALE);
  memcpy(other.folder, o->folder, sizeof other.folder);
  make_objects(&other); // reads everything again
  all_texts(&other, again);
  free_objects(&other);
  comma_locale_done(folder);
  for (int i = 0; i < count; i++) {
    assert_string_equal(texts[i], again[i]);
    entrain_text_free(texts[i]);
    entrain_text_free(again[i]);
  }
}

// ---------------------------------------------------------------- stack

// At the limits of docs/language.md: 1000 nested parentheses or calls, 4000 operators in a chain.
static char *deep_model(int terms, int nested) {
  char *text = calloc(1, 400000), *at = text;
  at += sprintf(at, "model Deep\n  parameter Real k = 0.5;\n  Real x(start = 1, fixed = true);\n"
                    "  Real y;\n  Real z;\nequation\n  der(x) = -k*x;\n  y = k");
  for (int i = 1; i < terms; i++) at += sprintf(at, " + %d*x", i);
  at += sprintf(at, ";\n  z = ");
  for (int i = 0; i < nested; i++) at += sprintf(at, "sin(x + ");
  at += sprintf(at, "k");
  for (int i = 0; i < nested; i++) at += sprintf(at, ")");
  sprintf(at, ";\nend Deep;\n");
  return text;
}

static void *work_with_deep_model(void *data) {
  Objects *o = data;
  char *text = deep_model(3990, 990);
  EntrainModel *m = entrain_model_parse("deep.mo", text, strlen(text), &o->error);
  free(text);
  if (!m) return "the model is refused";
  for (int k = ENTRAIN_REPORT_SUMMARY; k <= ENTRAIN_REPORT_DOT; k++)
    entrain_text_free(entrain_model_report(m, (EntrainReport)k));
  EntrainSimulation *s = entrain_simulation_new(m, o->options, &o->error);
  bool ok = entrain_simulation_grid(s, 0, 1, 0.5, &o->error) &&
            entrain_simulation_sensitivities(s, NULL, 0, &o->error);
  EntrainResult *r = ok ? entrain_simulation_run(s, &o->error) : NULL;
  bool reached = entrain_result_outcome(r) == ENTRAIN_REACHED_END;
  entrain_result_free(r);
  entrain_simulation_free(s);
  entrain_model_free(m);
  char *beyond = deep_model(4100, 10);
  m = entrain_model_parse("deep.mo", beyond, strlen(beyond), &o->error);
  free(beyond);
  entrain_model_free(m);
  if (m || !strstr(o->error.text, "4000")) return "the limit is not named";
  EntrainProblem *p =
      entrain_problem_parse("test.yaml", o->folder, PROBLEM, strlen(PROBLEM),
                            &(EntrainSetting){"model", "deep.mo", false}, 1, &o->error);
  if (p || !strstr(o->error.text, "no input")) { // Decay has an input u, Deep has none
    entrain_problem_free(p);
    return "the problem is accepted";
  }
  return reached ? NULL : "the simulation has not reached its end";
}

static void the_limits_of_the_language_need_little_stack(void **state) {
#ifdef __SANITIZE_ADDRESS__
  enum { SMALL = 1 << 20 };
#else
  enum { SMALL = 256 << 10 };
#endif
  Objects *o = *state;
  pthread_attr_t attributes;
  pthread_t thread;
  void *wrong;
  char *text = deep_model(3990, 990);
  write_file(o, "deep.mo", text);
  free(text);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, SMALL);
  assert_int_equal(pthread_create(&thread, &attributes, work_with_deep_model, o), 0);
  pthread_join(thread, &wrong);
  pthread_attr_destroy(&attributes);
  if (wrong) fail_msg("%s: %s", (const char *)wrong, o->error.text);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(texts_that_do_not_exist_are_null),
      TEST(structs_are_filled_as_far_as_their_size),
      TEST(structs_that_are_not_there_are_false),
      TEST(numbers_that_do_not_exist_are_nan),
      cmocka_unit_test(null_objects_have_no_members),
      cmocka_unit_test(absent_models_have_no_members),
      cmocka_unit_test(absent_pages_and_curves_have_no_members),
      TEST(missing_arguments_are_errors),
      TEST(sizes_of_terminals_have_limits),
      TEST(pictures_are_made_in_every_format),
      cmocka_unit_test(without_a_store_there_are_answers),
      TEST(a_study_in_a_store_is_computed_once),
      cmocka_unit_test(every_function_of_the_header_is_tried),
      TEST(texts_are_the_same_in_every_locale),
      TEST(the_limits_of_the_language_need_little_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
