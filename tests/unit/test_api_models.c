// Comparisons of models as users of the library see them.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entrain.h"
#include "test.h"

static const char MODEL[] = "model Decay\n  parameter Real k = 2;\n  parameter Real c = 0;\n"
                            "  Real x(start = 1, fixed = true);\nequation\n  der(x) = -k*x - c;\n"
                            "end Decay;\n";
static const char SMALL[] = "model: decay.mo\nexperiments: {data: a.csv, measure: [x]}\n"
                            "estimate: {k: {start: 0.5, min: 0.01, max: 50}}\n";
static const char LARGE[] =
    "model: decay.mo\nexperiments: {data: a.csv, measure: [x]}\n"
    "estimate: {k: {start: 0.5, min: 0.01, max: 50}, c: {start: 0.1, min: -1, max: 1}}\n";

static char folder[64];

static void write_file(const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static int set_up(void **state) {
  (void)state;
  char text[4000] = "t,x\n";
  strcpy(folder, "/tmp/entrain-test-XXXXXX");
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i <= 60; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g\n", i / 20.0,
             exp(-i / 10.0) + 0.01 * sin(91 * i * i));
  write_file("decay.mo", MODEL);
  write_file("a.csv", text);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char command[100];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

static EntrainProblem *problem(const char *name, const char *text) {
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = entrain_problem_parse(name, folder, text, strlen(text), NULL, 0, &error);
  if (!p) fail_msg("%s", error.text);
  return p;
}

static void rows_and_tests_are_handed_out(void **state) {
  (void)state;
  EntrainProblem *small = problem("s.yaml", SMALL), *large = problem("l.yaml", LARGE);
  EntrainModels *m = entrain_models_new();
  EntrainModelRow a = {.size = sizeof a}, b = {.size = sizeof b};
  EntrainModelTest t = {.size = sizeof t};
  assert_true(entrain_models_add(m, small, NULL) && entrain_models_add(m, large, NULL));
  assert_true(entrain_models_nested(m, 0, 1, NULL) && entrain_models_folds(m, 3, NULL));
  assert_int_equal(entrain_models_count(m), 0); // before the run
  assert_true(entrain_models_run(m, NULL, NULL, NULL));
  assert_int_equal(entrain_models_count(m), 2);
  assert_true(entrain_models_row(m, 0, &a) && entrain_models_row(m, 1, &b));
  assert_true(entrain_models_test(m, 0, &t));
  assert_string_equal(a.label, "s.yaml");
  assert_int_equal(b.parameters - a.parameters, t.freedom);
  assert_close(t.ratio, 2 * (b.log_likelihood - a.log_likelihood), 1e-12);
  assert_close(a.akaike_weight + b.akaike_weight, 1, 1e-12);
  assert_close(a.values[0], 2, 0.1);
  assert_int_equal(entrain_models_variable_count(m), 1);
  assert_string_equal(entrain_models_variable(m, 0), "x");
  assert_true(entrain_models_cross(m, 0, 0) >= entrain_models_rmse(m, 0, 0));
  assert_true(isnan(entrain_models_validation(m, 0, 0)));
  assert_int_equal(a.folds_done, 3);
  entrain_models_free(m);
  entrain_problem_free(small);
  entrain_problem_free(large);
}

// Who knows only the first members gets these, and nothing behind them is touched.
static void a_shorter_struct_is_not_overrun(void **state) {
  (void)state;
  EntrainProblem *small = problem("s.yaml", SMALL), *large = problem("l.yaml", LARGE);
  EntrainModels *m = entrain_models_new();
  EntrainModelRow row = {.size = sizeof row};
  memset(&row, 0x5a, sizeof row);
  row.size = offsetof(EntrainModelRow, outcome);
  entrain_models_add(m, small, NULL), entrain_models_add(m, large, NULL);
  assert_true(entrain_models_run(m, NULL, NULL, NULL));
  assert_true(entrain_models_row(m, 1, &row));
  assert_string_equal(row.label, "l.yaml");
  assert_int_equal(row.size, offsetof(EntrainModelRow, outcome));
  for (size_t i = row.size; i < sizeof row; i++) assert_int_equal(((char *)&row)[i], 0x5a);
  row.size = 0;
  assert_false(entrain_models_row(m, 1, &row));
  entrain_models_free(m);
  entrain_problem_free(small);
  entrain_problem_free(large);
}

static void nonsense_is_answered(void **state) {
  (void)state;
  EntrainProblem *small = problem("s.yaml", SMALL);
  EntrainModels *m = entrain_models_new();
  EntrainModelRow row = {.size = sizeof row};
  EntrainModelTest test = {.size = sizeof test};
  EntrainError error = {.size = sizeof error};
  assert_false(entrain_models_add(m, NULL, &error));
  assert_false(entrain_models_add(NULL, small, &error));
  assert_true(entrain_models_add(m, small, &error));
  assert_false(entrain_models_nested(m, 0, 1, &error));
  assert_false(entrain_models_nested(m, 0, 0, &error));
  assert_false(entrain_models_folds(m, 1, &error));
  assert_false(entrain_models_run(m, NULL, NULL, &error)); // one problem
  assert_int_equal(error.exit_status, 2);
  assert_false(entrain_models_row(m, 0, &row) || entrain_models_row(NULL, 0, &row));
  assert_false(entrain_models_test(m, 0, &test) || entrain_models_all_usable(m));
  assert_null(entrain_models_report(NULL, 80, false));
  assert_true(isnan(entrain_models_rmse(m, 0, 0)) && isnan(entrain_models_cross(NULL, 0, 0)));
  assert_null(entrain_models_variable(m, 0));
  char *text = entrain_models_json(m);
  assert_string_equal(text, "");
  entrain_text_free(text);
  entrain_models_free(m);
  entrain_models_free(NULL);
  entrain_problem_free(small);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_tests_are_handed_out),
      cmocka_unit_test(a_shorter_struct_is_not_overrun),
      cmocka_unit_test(nonsense_is_answered),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
