// Every call that may take long ends soon after entrain_goes_on says no, and says that it was stopped.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "entrain.h"
#include "test.h"

#ifdef __SANITIZE_ADDRESS__
static const double SOON = 5; // s of CPU
#else
static const double SOON = 1;
#endif

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Asked {
  int count, no_at; // the question that is answered by no
  double at;        // s, when it was
} Asked;

static bool answer(void *data) {
  Asked *a = data;
  a->count++;
  if (a->count == a->no_at) a->at = cpu_seconds();
  return a->count < a->no_at;
}

static Asked asked;

static void begin(int no_at) {
  asked = (Asked){.no_at = no_at};
  entrain_goes_on(answer, &asked);
}

// Whether it was stopped, and soon.
static void end(const char *what) {
  double now = cpu_seconds();
  entrain_goes_on(NULL, NULL);
  if (asked.count < asked.no_at) fail_msg("%s: asked %d times only", what, asked.count);
  if (now - asked.at > SOON) fail_msg("%s: went on for %.2f s", what, now - asked.at);
}

// ---------------------------------------------------------------- a simulation of minutes

static const char MODEL[] =
    "model Fast\n  parameter Real w = 3000;\n  parameter Real d = 0.001;\n"
    "  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\nequation\n"
    "  der(x) = v;\n  der(v) = -w^2*sin(x) - d*v;\nend Fast;\n";
static const char TEXT[] =
    "experiments: [{data: long, measure: {x: {column: x, sigma: 0.1}}}]\n"
    "estimate: {w: {start: 2900, min: 2000, max: 4000}, d: {start: 0.01, min: 0, max: 1}}\n"
    "method: lm\noptions: {max_steps: 2000000000, threads: 1}\n";

enum { ROWS = 2000 };

static EntrainProblem *long_problem(double stop) {
  static double t[ROWS], x[ROWS];
  EntrainError error = {.size = sizeof error};
  for (int i = 0; i < ROWS; i++) t[i] = stop * i / ROWS, x[i] = cos(i);
  EntrainColumn columns[] = {{"t", NULL, t}, {"x", NULL, x}};
  EntrainTable table = {"long", columns, 2, ROWS};
  EntrainSource source = {.size = sizeof source,
                          .text = TEXT,
                          .length = strlen(TEXT),
                          .model_text = MODEL,
                          .tables = &table,
                          .table_count = 1};
  EntrainProblem *p = entrain_problem_make(&source, &error);
  if (!p) fail_msg("%s", error.text);
  return p;
}

static void simulations_end(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainOptions *o = entrain_options_new();
  EntrainModel *m = entrain_model_parse("m", MODEL, strlen(MODEL), &error);
  assert_true(entrain_options_set(o, "max_steps", "2000000000", &error));
  for (int way = 0; way < 3; way++) { // values, sensitivities, second order
    EntrainSimulation *s = entrain_simulation_new(m, o, &error);
    assert_true(entrain_simulation_grid(s, 0, 1e5, 10, &error));
    if (way) assert_true(entrain_simulation_sensitivities(s, NULL, 0, &error));
    entrain_simulation_second_order(s, way == 2);
    begin(3);
    EntrainResult *r = entrain_simulation_run(s, &error);
    end("entrain_simulation_run");
    assert_int_equal(entrain_result_outcome(r), ENTRAIN_STOPPED);
    entrain_result_free(r);
    entrain_simulation_free(s);
  }
  entrain_model_free(m);
  entrain_options_free(o);
}

// ---------------------------------------------------------------- what simulates at one point

static void evaluations_checks_and_curves_end(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = long_problem(1e5);
  double values[] = {3000, 0.001};
  begin(3);
  EntrainFit *f = entrain_evaluate(p, NULL, 0, &error);
  end("entrain_evaluate");
  assert_true(!f || entrain_fit_outcome(f) != ENTRAIN_FIT_EVALUATED ||
              entrain_fit_missing_count(f) > 0);
  entrain_fit_free(f);
  begin(3);
  EntrainCheck *c = entrain_check_run(p);
  end("entrain_check_run");
  EntrainCheckState k = {.size = sizeof k};
  assert_true(entrain_check_state(c, &k) && k.stopped);
  entrain_check_free(c);
  EntrainCurves *curves = entrain_curves_new(p);
  begin(3);
  assert_int_equal(entrain_curves_at(curves, values, 0), 0);
  end("entrain_curves_at");
  entrain_curves_free(curves);
  begin(3);
  f = entrain_fit_run(p, NULL, NULL, &error);
  end("entrain_fit_run");
  assert_true(f && entrain_fit_outcome(f) != ENTRAIN_FIT_CONVERGED);
  entrain_fit_free(f);
  entrain_problem_free(p);
}

// What follows a fit: second derivatives, samples.
static void what_follows_a_fit_ends(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = long_problem(100);
  EntrainFit *f = entrain_evaluate(p, NULL, 0, &error);
  assert_int_equal(entrain_fit_outcome(f), ENTRAIN_FIT_EVALUATED);
  begin(1);
  assert_false(entrain_fit_find_hessian(f, &error));
  end("entrain_fit_find_hessian");
  assert_int_equal(error.exit_status, 1);
  EntrainSamples s = {.size = sizeof s};
  begin(1);
  bool found = entrain_fit_samples(f, 0, &s, &error);
  end("entrain_fit_samples");
  assert_true(found || error.exit_status == 1);
  assert_true(entrain_fit_samples(f, 0, &s, &error) && s.n == ROWS); // now nobody stops it
  entrain_fit_free(f);
  entrain_problem_free(p);
}

// ---------------------------------------------------------------- studies without a listener

static void studies_end(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = long_problem(1e5);
  begin(3);
  EntrainRecover *r = entrain_recover_run(p, NULL, false, NULL, NULL, &error);
  end("entrain_recover_run");
  EntrainTrials t = {.size = sizeof t};
  assert_true(entrain_recover_trials(r, &t)); // also before the first trial
  assert_int_equal(t.done, 0);
  entrain_recover_free(r);
  begin(3);
  entrain_basin_free(entrain_basin_run(p, NULL, 0, 5, NULL, NULL, NULL, &error));
  end("entrain_basin_run");
  begin(3);
  entrain_profile_free(entrain_profile_run(p, NULL, NULL, NULL, &error));
  end("entrain_profile_run");
  EntrainScanAxis axis = {"w", 2500, 3500, 50, false};
  EntrainScanRequest q = {.size = sizeof q, .axes = &axis, .axis_count = 1};
  begin(3);
  EntrainScan *scan = entrain_scan_run(p, &q, NULL, NULL, &error);
  end("entrain_scan_run");
  EntrainScanState k = {.size = sizeof k};
  assert_true(entrain_scan_state(scan, &k) && !k.whole);
  entrain_scan_free(scan);
  EntrainCompare *c = entrain_compare_new(p);
  assert_true(entrain_compare_add(c, "lm", &error));
  begin(3);
  entrain_compare_run(c, NULL, NULL, &error);
  end("entrain_compare_run");
  assert_true(entrain_compare_stopped(c));
  entrain_compare_free(c);
  EntrainModels *m = entrain_models_new();
  assert_true(entrain_models_add(m, p, &error) && entrain_models_add(m, p, &error));
  begin(3);
  entrain_models_run(m, NULL, NULL, &error);
  end("entrain_models_run");
  entrain_models_free(m);
  entrain_problem_free(p);
}

// ---------------------------------------------------------------- reading

static void big_files_end(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  char folder[] = "/tmp/entrain-test-XXXXXX", path[64], text[256];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/big.csv", folder);
  FILE *f = fopen(path, "w");
  fputs("t,x,a,b\n", f);
  for (int i = 0; i < 400000; i++) fprintf(f, "%d,%d.25,0.5,0.75\n", i, i % 7);
  fclose(f);
  snprintf(
      text, sizeof text,
      "experiments: [{data: %s, measure: {x: x}}]\nestimate: {w: {start: 1, min: 0, max: 9}}\n",
      path);
  EntrainSource source = {
      .size = sizeof source, .text = text, .length = strlen(text), .model_text = MODEL};
  begin(2);
  assert_null(entrain_problem_make(&source, &error));
  end("entrain_problem_make");
  assert_int_equal(error.exit_status, 1);
  unlink(path);
  rmdir(folder);
}

static void weights_of_many_samples_end(void **state) {
  (void)state;
  enum { MANY = 200000 };
  EntrainError error = {.size = sizeof error};
  double *t = calloc(MANY, sizeof *t), *x = calloc(MANY, sizeof *x);
  for (int i = 0; i < MANY; i++) t[i] = i, x[i] = sin(i);
  EntrainColumn columns[] = {{"t", NULL, t}, {"x", NULL, x}};
  EntrainTable table = {"many", columns, 2, MANY};
  static const char MANY_TEXT[] =
      "experiments: [{data: many, measure: {x: x}}]\n"
      "estimate: {w: {start: 1, min: 0, max: 9}}\nweights: {kind: distances, over: [x]}\n";
  EntrainSource source = {.size = sizeof source,
                          .text = MANY_TEXT,
                          .length = strlen(MANY_TEXT),
                          .model_text = MODEL,
                          .tables = &table,
                          .table_count = 1};
  begin(2);
  assert_null(entrain_problem_make(&source, &error));
  end("entrain_problem_make with weights");
  assert_int_equal(error.exit_status, 1);
  free(t);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simulations_end),
      cmocka_unit_test(evaluations_checks_and_curves_end),
      cmocka_unit_test(what_follows_a_fit_ends),
      cmocka_unit_test(studies_end),
      cmocka_unit_test(big_files_end),
      cmocka_unit_test(weights_of_many_samples_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
