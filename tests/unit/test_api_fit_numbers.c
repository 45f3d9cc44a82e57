// What JSON and CSV of results say, the numbers of the library say, too: bit by bit.
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "entrain.h"
#include "test.h"

// ---------------------------------------------------------------- a problem of memory with all that a fit can tell

// b and c act as their product; an oscillation, so that confirming searches find other optima.
static const char MODEL[] =
    "model Swing\n  parameter Real w = 3;\n  parameter Real d = 0.1;\n  parameter Real b = 2;\n"
    "  parameter Real c = 0.5;\n  Real x(start = 1, fixed = true);\n"
    "  Real v(start = 0, fixed = true);\nequation\n  der(x) = v;\n"
    "  der(v) = -w^2*x - d*v + b*c;\nend Swing;\n";
static const char TEXT[] =
    "experiments:\n"
    "  - {name: one, data: one, measure: {x: {column: x, sigma: 0.02}},\n"
    "     windows: {early: [10, 12]}}\n"
    "  - {name: two, data: two, measure: {x: {column: x, sigma: 0.02}}, role: validation}\n"
    "estimate:\n  w: {start: 2.5, min: 0.5, max: 8}\n  d: {start: 0.3, min: 0, max: 2}\n"
    "  b: {start: 1, min: 0.1, max: 10}\n  c: {start: 1, min: 0.1, max: 10}\n"
    "constraints: [\"b <= 8\"]\noptions: {seed: 3}\n";

enum { ROWS = 120 };

static EntrainProblem *problem_with(const char *name, const char *value, bool is_option) {
  static double t[ROWS], x[2][ROWS];
  EntrainError error = {.size = sizeof error};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < ROWS; i++) {
      t[i] = 10 + i / 20.0; // times that do not begin at 0
      double s = i / 20.0, w = sqrt(9 - 0.0025), e = exp(-0.05 * s);
      x[k][i] = 1 / 9. + 8 / 9. * e * (cos(w * s) + 0.05 / w * sin(w * s)) +
                0.02 * sin(1e4 * (i + 1) * (i + 7) + 5 * k);
    }
  EntrainColumn one[] = {{"t", NULL, t}, {"x", NULL, x[0]}},
                two[] = {{"t", NULL, t}, {"x", NULL, x[1]}};
  EntrainTable tables[] = {{"one", one, 2, ROWS}, {"two", two, 2, ROWS}};
  EntrainSetting setting = {name, value, is_option};
  EntrainSource source = {.size = sizeof source,
                          .text = TEXT,
                          .length = strlen(TEXT),
                          .model_text = MODEL,
                          .tables = tables,
                          .table_count = 2,
                          .settings = &setting,
                          .setting_count = name ? 1 : 0};
  EntrainProblem *p = entrain_problem_make(&source, &error);
  if (!p) fail_msg("%s", error.text);
  return p;
}

// Without the constraint, which not every method can keep.
static EntrainProblem *plain_with(const EntrainSetting *settings, int count) {
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = problem_with("constraints", "[]", false);
  EntrainProblem *q = entrain_problem_with(p, settings, count, &error);
  if (!q) fail_msg("%s", error.text);
  entrain_problem_free(p);
  return q;
}

typedef struct Setup {
  EntrainProblem *problem;
  EntrainFit *fit;
  Arena *arena;
  JsonTree *json;
} Setup;

static JsonTree *tree_of(Arena *a, char *text) {
  Err err = {0};
  JsonTree *t = json_parse(a, "text", text, &err);
  if (!t) fail_msg("%s", err.text);
  entrain_text_free(text);
  return t;
}

static int set_up(void **state) {
  Setup *s = calloc(1, sizeof *s);
  s->problem = problem_with(NULL, NULL, false);
  s->fit = entrain_fit_run(s->problem, NULL, NULL, NULL);
  s->arena = arena_new();
  s->json = tree_of(s->arena, entrain_fit_json(s->fit));
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  Setup *s = *state;
  entrain_fit_free(s->fit);
  entrain_problem_free(s->problem);
  arena_free(s->arena);
  free(s);
  return 0;
}

// ---------------------------------------------------------------- JSON

// "certificate.searches.done", "stages.2.name"
static const JsonTree *at(const JsonTree *t, const char *path) {
  char word[64];
  while (t && *path) {
    size_t n = strcspn(path, ".");
    snprintf(word, sizeof word, "%.*s", (int)n, path);
    path += n + (path[n] == '.');
    t = t->kind == JSON_LIST ? (atoi(word) < t->items.count ? t->items.at[atoi(word)] : NULL)
                             : json_find(t, word);
  }
  return t;
}

static void same_number(const JsonTree *root, const char *path, double value) {
  const JsonTree *t = at(root, path);
  if (!t) fail_msg("no %s in the JSON", path);
  if (t->kind != JSON_NUMBER && !isfinite(value)) return; // null
  if (t->kind != JSON_NUMBER || t->number != value)
    fail_msg("%s: %.17g in the JSON, %.17g here", path, t->number, value);
}

static void same_text(const JsonTree *root, const char *path, const char *value) {
  const JsonTree *t = at(root, path);
  if (!t) fail_msg("no %s in the JSON", path);
  if (t->kind != JSON_TEXT && !value[0]) return; // null
  assert_string_equal(t->text, value);
}

static void same_flag(const JsonTree *root, const char *path, bool value) {
  const JsonTree *t = at(root, path);
  if (!t || t->kind != JSON_FLAG) fail_msg("no %s in the JSON", path);
  assert_int_equal(t->number, value);
}

static void same_numbers(const JsonTree *root, const char *path, const double *values, int count) {
  const JsonTree *t = at(root, path);
  char item[128];
  assert_true(t && t->kind == JSON_LIST && t->items.count == count);
  for (int i = 0; i < count; i++) {
    snprintf(item, sizeof item, "%s.%d", path, i);
    same_number(root, item, values[i]);
  }
}

static int count_of(const JsonTree *root, const char *path) {
  const JsonTree *t = at(root, path);
  assert_true(t && t->kind == JSON_LIST);
  return t->items.count;
}

static const char *item(const char *list, int i, const char *key) {
  static char path[4][128];
  static int turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof path[turn], "%s.%d.%s", list, i, key);
  return path[turn];
}

// ---------------------------------------------------------------- the fit

static void quality_is_that_of_the_json(void **state) {
  const Setup *s = *state;
  const JsonTree *j = s->json;
  EntrainQuality q = {.size = sizeof q};
  EntrainFitWork w = {.size = sizeof w};
  EntrainSearches n = {.size = sizeof n};
  assert_true(entrain_fit_quality(s->fit, &q) && entrain_fit_searches(s->fit, &n));
  same_number(j, "objective", q.objective);
  same_number(j, "objective_start", q.objective_start);
  same_number(j, "certificate.floor", q.floor);
  same_flag(j, "certificate.certain", q.certain);
  same_text(j, "certificate.verdict", q.verdict);
  same_text(j, "certificate.why", q.why);
  same_text(j, "certificate.by", q.by);
  same_flag(j, "certificate.fits", q.fits);
  same_flag(j, "certificate.exact", q.exact);
  same_number(j, "certificate.noise.ratio", q.noise_ratio);
  same_number(j, "certificate.noise.limit", q.noise_limit);
  same_flag(j, "certificate.noise.holds", q.noise_holds);
  same_number(j, "certificate.white.p", q.white_p);
  same_flag(j, "certificate.white.holds", q.white_holds);
  same_flag(j, "certificate.white.clean", q.white_clean);
  same_number(j, "certificate.white.correlation", q.correlation);
  same_flag(j, "sandwich", q.sandwich);
  same_number(j, "variance", q.variance);
  same_number(j, "freedom", q.freedom);
  same_number(j, "samples", (double)q.samples);
  same_number(j, "identifiability.rank", q.rank);
  same_text(j, "end", q.end);
  same_text(j, "solver.name", q.solver);
  same_number(j, "solver.steps", (double)q.solver_steps);
  same_number(j, "certificate.searches.planned", n.planned);
  same_number(j, "certificate.searches.done", n.done);
  same_number(j, "certificate.searches.agree", n.agree);
  same_number(j, "certificate.searches.better", n.better);
  same_number(j, "certificate.searches.far", n.far);
  same_number(j, "certificate.searches.far_agree", n.far_agree);
  same_number(j, "certificate.searches.failed", n.failed);
  same_flag(j, "certificate.searches.cut", n.cut);
  static const char *const PART[] = {"work", "work.search", "work.profiles"};
  for (int k = 0; k < 3; k++) {
    char path[64];
    assert_true(entrain_fit_work_of(s->fit, (EntrainFitPart)k, &w));
    snprintf(path, sizeof path, "%s.simulations", PART[k]);
    same_number(j, path, (double)w.simulations);
    snprintf(path, sizeof path, "%s.seconds", PART[k]);
    same_number(j, path, w.seconds);
  }
}

static void estimates_are_those_of_the_json(void **state) {
  const Setup *s = *state;
  int n = entrain_fit_count(s->fit);
  assert_int_equal(count_of(s->json, "parameters"), n);
  for (int i = 0; i < n; i++) {
    EntrainEstimate e = {.size = sizeof e};
    assert_true(entrain_fit_estimate(s->fit, i, &e));
    same_text(s->json, item("parameters", i, "name"), e.name);
    same_number(s->json, item("parameters", i, "value"), e.value);
    same_number(s->json, item("parameters", i, "std_error"), e.std_error);
    same_number(s->json, item("parameters", i, "ci95.0"), e.ci_low);
    same_number(s->json, item("parameters", i, "ci95.1"), e.ci_high);
    same_number(s->json, item("parameters", i, "relative_at_1_percent"), e.relative_at_1_percent);
    same_text(s->json, item("parameters", i, "open_end"),
              e.open > 0   ? "max"
              : e.open < 0 ? "min"
                           : "");
    same_text(s->json, item("parameters", i, "scale"), e.log ? "log" : "linear");
    same_flag(s->json, item("parameters", i, "profile_wanted"), e.profile_wanted);
    same_flag(s->json, item("parameters", i, "identifiable"), e.identifiable);
  }
}

static void channels_directions_and_constraints_are_those_of_the_json(void **state) {
  const Setup *s = *state;
  const JsonTree *j = s->json;
  int n = entrain_fit_count(s->fit);
  assert_int_equal(count_of(j, "channels"), entrain_fit_channel_count(s->fit));
  assert_int_equal(count_of(j, "channels"), 2);
  for (int i = 0; i < 2; i++) {
    EntrainChannel c = {.size = sizeof c};
    assert_true(entrain_fit_channel(s->fit, i, &c));
    same_number(j, item("channels", i, "rmse"), c.rmse);
    same_number(j, item("channels", i, "n"), c.n);
    same_text(j, item("channels", i, "role"), c.role);
    same_text(j, item("channels", i, "experiment_name"), c.experiment_name);
    if (i) continue;
    same_number(j, item("channels", i, "missing"), c.missing);
    same_number(j, item("channels", i, "unpredicted"), c.unpredicted);
    same_number(j, item("channels", i, "range"), c.range);
    same_number(j, item("channels", i, "lag1_p"), c.lag1_p);
    same_flag(j, item("channels", i, "exact"), c.exact);
  }
  int directions = entrain_fit_direction_count(s->fit);
  assert_true(directions == 1 && count_of(j, "identifiability.directions") == 1); // b*c
  EntrainDirection d = {.size = sizeof d};
  EntrainCombination c = {.size = sizeof c};
  assert_true(entrain_fit_direction(s->fit, 0, &d) && d.combinations > 0);
  same_numbers(j, "identifiability.directions.0.vector", d.vector, n);
  same_number(j, "identifiability.directions.0.confirmed_change", d.confirmed_change);
  same_number(j, "identifiability.directions.0.confirmed_factor", d.confirmed_factor);
  for (int k = 0; k < d.combinations; k++) {
    assert_true(entrain_fit_combination_at(s->fit, 0, k, &c));
    const char *list = "identifiability.directions.0.combinations";
    double value;
    assert_string_equal(entrain_fit_combination(s->fit, 0, k, &value), c.text);
    same_text(j, item(list, k, "text"), c.text);
    same_number(j, item(list, k, "value"), c.value);
    same_text(j, item(list, k, "kind"), c.sum ? "sum" : "product");
    same_numbers(j, item(list, k, "exponents"), c.exponents, n);
    same_number(j, item(list, k, "ci95.0"), c.ci_low);
  }
  EntrainFitConstraint k = {.size = sizeof k};
  assert_int_equal(entrain_fit_constraint_count(s->fit), 1);
  assert_true(entrain_fit_constraint(s->fit, 0, &k));
  same_text(j, "constraints.0.text", k.text);
  same_number(j, "constraints.0.value", k.value);
  same_flag(j, "constraints.0.active", k.active);
  same_flag(j, "constraints.0.satisfied", k.satisfied);
}

static void stages_and_optima_are_those_of_the_json(void **state) {
  const Setup *s = *state;
  const JsonTree *j = s->json;
  int n = entrain_fit_count(s->fit), stages = entrain_fit_stage_count(s->fit);
  assert_true(stages > 0 && count_of(j, "stages") == stages);
  for (int i = 0; i < stages; i++) {
    EntrainStage t = {.size = sizeof t};
    assert_true(entrain_fit_stage(s->fit, i, &t));
    same_text(j, item("stages", i, "name"), t.name);
    same_text(j, item("stages", i, "message"), t.message);
    same_number(j, item("stages", i, "objective"), t.objective);
    same_number(j, item("stages", i, "simulations"), (double)t.simulations);
    same_flag(j, item("stages", i, "fits"), t.fits);
    assert_true(t.iterations >= 0);
  }
  int optima = entrain_fit_optimum_count(s->fit);
  assert_true(optima > 0 && count_of(j, "certificate.optima") == optima);
  double before = 0;
  for (int i = 0; i < optima; i++) {
    EntrainFoundOptimum o = {.size = sizeof o};
    assert_true(entrain_fit_optimum(s->fit, i, &o));
    same_number(j, item("certificate.optima", i, "objective"), o.objective);
    same_numbers(j, item("certificate.optima", i, "parameters"), o.values, n);
    same_number(j, item("certificate.optima", i, "searches"), o.searches);
    same_number(j, item("certificate.optima", i, "difference"), o.difference);
    same_flag(j, item("certificate.optima", i, "distinct"), o.distinct);
    assert_true(o.difference >= before);
    before = o.difference;
  }
  assert_int_equal(count_of(j, "failures"), entrain_fit_failure_count(s->fit));
}

// The last stage that has values ends at a point whose objective is that of an evaluation there.
static void values_of_stages_have_their_objective(void **state) {
  const Setup *s = *state;
  double best = HUGE_VAL;
  for (int i = 0; i < entrain_fit_stage_count(s->fit); i++) {
    EntrainStage t = {.size = sizeof t};
    EntrainQuality q = {.size = sizeof q};
    assert_true(entrain_fit_stage(s->fit, i, &t));
    if (!t.values) continue;
    EntrainFit *f = entrain_evaluate(s->problem, t.values, 0, NULL);
    assert_true(entrain_fit_quality(f, &q));
    assert_true(q.objective <= best * (1 + 1e-6)); // the best point so far
    if (isfinite(t.objective)) assert_true(q.objective <= t.objective * (1 + 1e-6));
    best = q.objective;
    entrain_fit_free(f);
  }
  assert_true(isfinite(best));
}

// ---------------------------------------------------------------- samples and steps, against CSV

static double next_number(const char **at) {
  char *end;
  double v = **at == ',' || **at == '\n' ? nan("") : strtod(*at, &end);
  *at += strcspn(*at, ",\n");
  *at += **at != 0;
  return v;
}

static void skip_cells(const char **at, int count) {
  for (; count; count--) *at += strcspn(*at, ",") + 1;
}

static void samples_are_those_of_the_csv(EntrainFit *f, double lambda) {
  EntrainError error = {.size = sizeof error};
  char *csv = entrain_fit_residuals_csv(f, &error);
  const char *at = strchr(csv, '\n') + 1;
  for (int i = 0; i < entrain_fit_channel_count(f); i++) {
    EntrainSamples s = {.size = sizeof s}, again = s;
    EntrainChannel c = {.size = sizeof c};
    assert_true(entrain_fit_samples(f, i, &s, &error) && entrain_fit_channel(f, i, &c));
    if (s.n != ROWS) fail_msg("channel %d at %g: %d samples, %s", i, lambda, s.n, c.failed);
    double squares = 0;
    for (int k = 0; k < s.n; k++) {
      skip_cells(&at, 2);
      assert_true(next_number(&at) == s.time[k]);
      assert_true(next_number(&at) == s.data[k]);
      assert_true(next_number(&at) == s.model[k]);
      assert_true(next_number(&at) == s.residual[k]);
      at += strcspn(at, "\n") + 1; // the role
      squares += s.residual[k] * s.residual[k];
    }
    assert_close(sqrt(squares / s.n), c.rmse, lambda > 0 ? 1e-6 : 1e-12);
    assert_true(entrain_fit_samples(f, i, &again, &error)); // the same arrays
    assert_memory_equal(&s, &again, sizeof s);
  }
  assert_int_equal(*at, 0);
  entrain_text_free(csv);
}

static void samples_are_those_of_the_residuals(void **state) {
  const Setup *s = *state;
  samples_are_those_of_the_csv(s->fit, 0);
  for (int k = 0; k < 2; k++) {
    double x[] = {3, 0.1, 1, 1};
    EntrainFit *f = entrain_evaluate(s->problem, x, 0.5 * k, NULL);
    samples_are_those_of_the_csv(f, 0.5 * k);
    entrain_fit_free(f);
  }
}

// Fitted or not, from any time that the data have.
static void experiments_are_simulated_as_their_samples(void **state) {
  const Setup *s = *state;
  EntrainError error = {.size = sizeof error};
  double x[] = {3.1, 0.2, 1.5, 0.7};
  EntrainFit *f = entrain_evaluate(s->problem, x, 0, &error);
  assert_int_equal(entrain_problem_experiment_count(s->problem), 2);
  for (int i = 0; i < 2; i++) {
    ENTRAIN_STRUCT(EntrainExperiment, e);
    ENTRAIN_STRUCT(EntrainSamples, samples);
    assert_true(entrain_problem_experiment(s->problem, i, &e));
    assert_string_equal(e.name, i ? "two" : "one");
    assert_string_equal(e.data, e.name);
    assert_true(e.of_memory && e.fitted == (i == 0) && e.start == 10);
    assert_true(entrain_fit_samples(f, i, &samples, &error));
    EntrainSimulation *run = entrain_problem_simulation(s->problem, i, x, NULL, 0, &error);
    assert_non_null(run);
    assert_true(entrain_simulation_times(run, e.start, samples.time, samples.n, &error));
    EntrainResult *r = entrain_simulation_run(run, &error);
    assert_int_equal(entrain_result_rows(r), samples.n);
    assert_string_equal(entrain_result_name(r, 1), "x");
    for (int k = 0; k < samples.n; k++)
      assert_close(entrain_result_column(r, 1)[k], samples.model[k], 1e-7);
    entrain_result_free(r);
    entrain_simulation_free(run);
  }
  entrain_fit_free(f);
}

static void samples_have_their_weights(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = problem_with("weights", "{kind: grid, over: [x], cells: 10}", false);
  EntrainFit *f = entrain_evaluate(p, NULL, 0, &error);
  EntrainSamples s = {.size = sizeof s};
  double weights[ROWS];
  assert_true(entrain_fit_samples(f, 0, &s, &error));
  assert_int_equal(entrain_weights_samples(p, 0, NULL, weights), s.n);
  assert_non_null(s.weight);
  assert_memory_equal(weights, s.weight, sizeof weights);
  entrain_fit_free(f);
  entrain_problem_free(p);
}

static void steps_are_those_of_the_trace(void **state) {
  const Setup *s = *state;
  char *csv = entrain_fit_trace_csv(s->fit);
  const char *at = strchr(csv, '\n') + 1;
  int count = entrain_fit_step_count(s->fit);
  assert_true(count > 0);
  for (int i = 0; i < count; i++) {
    EntrainStep step = {.size = sizeof step};
    assert_true(entrain_fit_step(s->fit, i, &step));
    assert_true(strncmp(at, step.stage, strlen(step.stage)) == 0);
    skip_cells(&at, 1);
    assert_true(next_number(&at) == step.lambda);
    assert_true(next_number(&at) == step.iteration);
    assert_true(next_number(&at) == step.objective);
    for (int k = 0; k < entrain_fit_count(s->fit); k++)
      assert_true(next_number(&at) == step.values[k]);
  }
  assert_int_equal(*at, 0);
  entrain_text_free(csv);
}

static void the_path_of_the_homotopy_is_that_of_the_json(void **state) {
  (void)state;
  EntrainProblem *p = problem_with("method", "homotopy", false);
  EntrainFit *f = entrain_fit_run(p, NULL, NULL, NULL);
  Arena *a = arena_new();
  JsonTree *j = tree_of(a, entrain_fit_json(f));
  int count = entrain_fit_path_count(f);
  assert_true(count > 1 && count_of(j, "homotopy.path") == count);
  for (int i = 0; i < count; i++) {
    EntrainPathPoint t = {.size = sizeof t};
    assert_true(entrain_fit_path(f, i, &t));
    same_number(j, item("homotopy.path", i, "lambda"), t.lambda);
    same_number(j, item("homotopy.path", i, "objective"), t.objective);
    same_number(j, item("homotopy.path", i, "objective_start"), t.objective_start);
    same_number(j, item("homotopy.path", i, "misfit"), t.misfit);
    same_number(j, item("homotopy.path", i, "iterations"), t.iterations);
    same_numbers(j, item("homotopy.path", i, "parameters"), t.values, entrain_fit_count(f));
  }
  assert_true(entrain_fit_gain_count(f) > 0);
  for (int i = 0; i < entrain_fit_gain_count(f); i++) {
    EntrainGain g = {.size = sizeof g};
    assert_true(entrain_fit_gain(f, i, &g));
    assert_string_equal(g.measured, "x");
    same_number(j, item("homotopy.gains.x", i, ""), g.gain);
    same_text(j, item("homotopy.gain_states.x", i, ""), g.state);
  }
  arena_free(a);
  entrain_fit_free(f);
  entrain_problem_free(p);
}

// ---------------------------------------------------------------- studies

static void runs_of_a_comparison_are_those_of_the_json(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainProblem *problem = plain_with(NULL, 0);
  EntrainCompare *c = entrain_compare_new(problem);
  assert_true(entrain_compare_add(c, "lm", &error) && entrain_compare_add(c, "newton", &error));
  entrain_compare_truth(c, (double[]){3, 0.1, 2, 0.5}, false);
  entrain_compare_repeat(c, 0, 3);
  entrain_compare_keep_traces(c);
  assert_true(entrain_compare_run(c, NULL, NULL, &error));
  Arena *a = arena_new();
  JsonTree *j = tree_of(a, entrain_compare_json(c));
  char *csv = entrain_compare_trace_csv(c);
  int steps = -1;
  for (const char *p = csv; *p; p++) steps += *p == '\n';
  for (int i = 0; i < entrain_compare_count(c); i++) {
    char runs[32];
    snprintf(runs, sizeof runs, "methods.%d.runs", i);
    assert_true(entrain_compare_run_count(c, i) == 3 && count_of(j, runs) == 3);
    for (int k = 0; k < 3; k++) {
      EntrainCompareRun r = {.size = sizeof r};
      assert_true(entrain_compare_run_at(c, i, k, &r));
      same_number(j, item(runs, k, "seed"), r.seed);
      same_text(j, item(runs, k, "outcome"), r.outcome);
      same_text(j, item(runs, k, "message"), r.message);
      same_flag(j, item(runs, k, "fits"), r.fits);
      same_flag(j, item(runs, k, "found"), r.found);
      same_number(j, item(runs, k, "figures.objective"), r.objective);
      same_number(j, item(runs, k, "figures.error"), r.error);
      same_number(j, item(runs, k, "figures.fair"), r.fair);
      same_number(j, item(runs, k, "figures.simulations"), r.simulations);
      same_number(j, item(runs, k, "figures.seconds"), r.seconds);
      same_number(j, item(runs, k, "start.w"), r.start[0]);
      same_number(j, item(runs, k, "parameters.c"), r.values[3]);
      steps -= r.steps;
      for (int t = 0; t < r.steps; t++) {
        EntrainCompareStep step = {.size = sizeof step};
        assert_true(entrain_compare_step(c, i, k, t, &step) && step.values);
        assert_true(step.best <= step.free_objective || isnan(step.free_objective));
      }
    }
  }
  assert_int_equal(steps, 0); // all lines of the trace
  entrain_text_free(csv);
  arena_free(a);
  entrain_compare_free(c);
  entrain_problem_free(problem);
}

static void trials_give_what_the_study_says_of_them(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainSetting settings[] = {
      {"estimate", "{w: {start: 2.9, min: 1, max: 5}, d: {start: 0.2, min: 0, max: 1}}", false},
      {"trials", "5", true},
      {"confirm", "on", true},
      {"noise", "0.02", true}};
  EntrainProblem *q = plain_with(settings, 4);
  EntrainRecover *r = entrain_recover_run(q, NULL, false, NULL, NULL, &error);
  if (!r) fail_msg("%s", error.text);
  EntrainTrials all = {.size = sizeof all};
  EntrainRecovered w = {.size = sizeof w};
  assert_true(entrain_recover_trials(r, &all) && all.done == 5);
  assert_true(entrain_recover_unknown(r, 0, &w));
  int ok = 0, fits = 0, certain = 0;
  double sum = 0;
  for (int i = 0; i < all.done; i++) {
    EntrainTrial t = {.size = sizeof t};
    assert_true(entrain_recover_trial(r, i, &t));
    ok += t.succeeded, fits += t.fits, certain += strcmp(t.verdict, "certain") == 0;
    if (t.succeeded) sum += t.values[0];
    assert_true(t.std_errors[0] > 0 && t.simulations > 0 && isfinite(t.objective));
    assert_string_equal(t.outcome, strcmp(t.verdict, "ambiguous") && strcmp(t.verdict, "doubtful")
                                       ? "converged"
                                       : "uncertain");
  }
  assert_true(all.succeeded == ok && all.fits == fits && all.certain == certain && ok > 0);
  assert_close(sum / ok, w.mean, 1e-13);
  entrain_recover_free(r);
  entrain_problem_free(q);
}

static void starts_of_a_basin_lead_to_its_optima(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = plain_with(&(EntrainSetting){"method", "lm", false}, 1);
  EntrainBasinAxis axes[] = {{"w", 1, 6, ENTRAIN_SPACING_LINEAR, 4},
                             {"d", 0.01, 1, ENTRAIN_SPACING_LOG, 2}},
                   x;
  EntrainBasin *b = entrain_basin_run(p, axes, 2, 0, NULL, NULL, NULL, &error);
  if (!b) fail_msg("%s", error.text);
  EntrainBasinState all = {.size = sizeof all};
  assert_true(entrain_basin_state(b, &all) && all.starts == 8 && entrain_basin_axis_count(b) == 2);
  assert_true(entrain_basin_axis(b, 1, &x) && x.count == 2 && x.low == 0.01 &&
              x.spacing == ENTRAIN_SPACING_LOG && strcmp(x.name, "d") == 0);
  for (int i = 0; i < all.starts; i++) {
    EntrainBasinStart s = {.size = sizeof s};
    EntrainOptimum o = {.size = sizeof o};
    assert_true(entrain_basin_start(b, i, &s));
    assert_close(s.start[0], 1 + i % 4 * 5 / 3., 1e-14);
    assert_close(s.start[1], i < 4 ? 0.01 : 1, 1e-14);
    assert_true(s.start[2] == 1); // as in the problem
    assert_int_equal(s.optimum,
                     entrain_basin_reached(b, i) >= 0 ? entrain_basin_reached(b, i) : -1);
    if (strcmp(s.end, "reached") != 0) continue;
    assert_true(entrain_basin_optimum(b, s.optimum, &o));
    assert_close(s.objective, o.objective, 1e-3);
    assert_true(s.objective >= all.best && s.iterations > 0);
  }
  assert_false(entrain_basin_start(b, 8, &(EntrainBasinStart){.size = sizeof(EntrainBasinStart)}));
  entrain_basin_free(b);
  entrain_problem_free(p);
}

// The objective of a point of the grid is that of an evaluation at its coordinates.
static void points_of_a_scan_are_where_they_say(void **state) {
  const Setup *s = *state;
  EntrainError error = {.size = sizeof error};
  EntrainScanAxis axes[] = {{"w", 2, 4, 3, false}, {"d", 0.01, 1, 4, true}}, x;
  double lambda[] = {1, 0}, values[] = {0, 0, 1.5, 0.8};
  EntrainScanRequest q = {.size = sizeof q,
                          .axes = axes,
                          .axis_count = 2,
                          .lambda = lambda,
                          .lambda_count = 2,
                          .values = values};
  EntrainScan *scan = entrain_scan_run(s->problem, &q, NULL, NULL, &error);
  if (!scan) fail_msg("%s", error.text);
  assert_int_equal(entrain_scan_point_count(scan), 12);
  assert_true(entrain_scan_lambda_count(scan) == 2 && entrain_scan_lambda(scan, 0) == 1);
  assert_true(entrain_scan_axis_count(scan) == 2 && entrain_scan_axis(scan, 1, &x) && x.log);
  for (int i = 0; i < 12; i++) {
    EntrainQuality quality = {.size = sizeof quality};
    values[0] = entrain_scan_value(scan, i, 0), values[1] = entrain_scan_value(scan, i, 1);
    assert_close(values[0], 2 + i % 3, 1e-14);
    EntrainFit *f = entrain_evaluate(s->problem, values, 0, &error);
    assert_true(entrain_fit_quality(f, &quality));
    assert_close(entrain_scan_objective(scan, 1, i) / quality.objective, 1, 1e-6);
    entrain_fit_free(f);
  }
  assert_int_equal(entrain_scan_failure_count(scan), 0);
  entrain_scan_free(scan);
}

static void profiles_and_checks_are_those_of_the_json(void **state) {
  const Setup *s = *state;
  EntrainError error = {.size = sizeof error};
  Arena *a = arena_new();
  EntrainProfile *p = entrain_profile_run(s->problem, NULL, NULL, NULL, &error);
  JsonTree *j = tree_of(a, entrain_profile_json(p));
  EntrainProfileState state_of = {.size = sizeof state_of};
  assert_true(entrain_profile_state(p, &state_of));
  same_text(j, "outcome", state_of.outcome);
  same_text(j, "fit_verdict", state_of.verdict);
  same_number(j, "threshold", state_of.threshold);
  same_number(j, "level", state_of.level);
  same_number(j, "degrees_of_freedom", state_of.freedom);
  same_flag(j, "sound", state_of.sound);
  same_number(j, "roughness", state_of.roughness);
  same_number(j, "work.simulations", (double)state_of.simulations);
  for (int i = 0; i < entrain_profile_count(p); i++) {
    EntrainProfiled c = {.size = sizeof c};
    assert_true(entrain_profile_curve(p, i, &c));
    same_flag(j, item("profiles", i, "flat"), c.flat);
    if (c.flat) same_number(j, item("profiles", i, "flat_over.1"), c.flat_high);
    same_number(j, item("profiles", i, "factor"), c.factor);
    same_number(j, item("profiles", i, "below.highest"), c.low_highest);
    same_flag(j, item("profiles", i, "above.jump"), c.high_jump);
    assert_int_equal(count_of(j, item("profiles", i, "moves_along")), c.moves_along_count);
    assert_int_equal(count_of(j, item("profiles", i, "points")), c.points);
  }
  entrain_profile_free(p);
  EntrainCheck *c = entrain_check_run(s->problem);
  j = tree_of(a, entrain_check_json(c));
  EntrainCheckState k = {.size = sizeof k};
  assert_true(entrain_check_state(c, &k) && k.starts && !k.stopped);
  same_flag(j, "passed", k.passed);
  same_number(j, "objective_start", k.objective_start);
  same_number(j, "floor", k.floor);
  same_number(j, "identifiability.rank", k.rank);
  for (int i = 0; i < 4; i++) {
    EntrainChecked u = {.size = sizeof u};
    assert_true(entrain_check_unknown(c, i, &u) && u.known);
    same_text(j, item("parameters", i, "name"), u.name);
    same_flag(j, item("parameters", i, "identifiable"), u.identifiable);
    same_number(j, item("parameters", i, "relative_at_1_percent"), u.relative_at_1_percent);
    same_number(j, item("identifiability.singular_values", i, ""),
                entrain_check_singular_value(c, i));
    assert_true(entrain_check_sensitivity(c, 0, i) > 0 &&
                isnan(entrain_check_sensitivity(c, 1, i)));
  }
  entrain_check_free(c);
  arena_free(a);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(quality_is_that_of_the_json),
      TEST(estimates_are_those_of_the_json),
      TEST(channels_directions_and_constraints_are_those_of_the_json),
      TEST(stages_and_optima_are_those_of_the_json),
      TEST(values_of_stages_have_their_objective),
      TEST(samples_are_those_of_the_residuals),
      TEST(experiments_are_simulated_as_their_samples),
      cmocka_unit_test(samples_have_their_weights),
      TEST(steps_are_those_of_the_trace),
      cmocka_unit_test(the_path_of_the_homotopy_is_that_of_the_json),
      cmocka_unit_test(runs_of_a_comparison_are_those_of_the_json),
      cmocka_unit_test(trials_give_what_the_study_says_of_them),
      cmocka_unit_test(starts_of_a_basin_lead_to_its_optima),
      TEST(points_of_a_scan_are_where_they_say),
      TEST(profiles_and_checks_are_those_of_the_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
