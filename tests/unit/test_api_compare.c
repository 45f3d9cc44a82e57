// Comparisons as users of the library see them.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entrain.h"
#include "test.h"

// x' = -k x with k = 2, in a folder of its own
static const char MODEL[] = "model Decay\n  parameter Real k(min = 0.01, max = 50) = 2;\n"
                            "  Real x(start = 1, fixed = true);\nequation\n  der(x) = -k*x;\n"
                            "end Decay;\n";
static const char PROBLEM[] = "model: decay.mo\nexperiments: {data: a.csv, measure: [x]}\n"
                              "estimate: {k: {start: 0.5}}\n";

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
             exp(-i / 10.0));
  write_file("decay.mo", MODEL);
  write_file("a.csv", text);
  write_file("published.csv", "# Somebody\nmethod,iterations\nPD,30\n");
  write_file("wrong.csv", "method,steps\nPD,30\n");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  static const char *const FILES[] = {"decay.mo", "a.csv", "published.csv", "wrong.csv"};
  char path[128];
  for (int i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, FILES[i]);
    unlink(path);
  }
  return rmdir(folder);
}

static EntrainProblem *parse(void) {
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p =
      entrain_problem_parse("test.yaml", folder, PROBLEM, sizeof PROBLEM - 1, NULL, 0, &error);
  if (!p) fail_msg("%s", error.text);
  return p;
}

static void assert_text(char *text, const char *part) {
  if (!text || !strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text ? text : "nothing");
  entrain_text_free(text);
}

static void methods_are_compared_and_reported(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = parse();
  EntrainCompare *c = entrain_compare_new(p);
  char path[128];
  size_t length;
  snprintf(path, sizeof path, "%s/published.csv", folder);
  assert_true(entrain_compare_add(c, "lm", &error));
  assert_true(entrain_compare_add(c, "de:population=6:generations=3:label=few", &error));
  assert_true(entrain_compare_published(c, path, &error));
  entrain_compare_truth(c, NULL, false);
  entrain_compare_repeat(c, 2, 0);
  entrain_compare_keep_traces(c);
  assert_int_equal(entrain_compare_count(c), 0);
  assert_true(entrain_compare_run(c, NULL, NULL, &error));
  assert_int_equal(entrain_compare_count(c), 2);
  EntrainCompared row = {.size = sizeof row};
  assert_true(entrain_compare_row(c, 0, &row));
  assert_string_equal(row.label, "lm");
  assert_string_equal(row.refused, "");
  assert_int_equal(row.runs, 1);
  assert_int_equal(row.found, 1);
  assert_close(row.values[0], 2, 1e-6);
  assert_close(row.fair, row.simulations + 2 * row.sensitivity_simulations, 0);
  assert_true(row.error < 1e-6);
  assert_true(entrain_compare_row(c, 1, &row));
  assert_int_equal(row.runs, 2);
  assert_true(row.objective_least <= row.objective && row.objective <= row.objective_most);
  assert_false(entrain_compare_row(c, 2, &row));
  assert_false(entrain_compare_stopped(c));
  assert_true(entrain_compare_has_result(c));
  assert_text(entrain_compare_report(c, ENTRAIN_COMPARE_FULL, 80, false), "PD (published)");
  assert_text(entrain_compare_markdown(c, ENTRAIN_COMPARE_PAPER), "| PD (published) | 30 |");
  assert_text(entrain_compare_csv(c, ENTRAIN_COMPARE_FULL), "\nfew,0,de:population=6");
  assert_text(entrain_compare_json(c), "\"label\": \"few\"");
  assert_text(entrain_compare_trace_csv(c), "\nlm,1,1,");
  assert_text(entrain_compare_svg(c), "</svg>");
  char *png = entrain_compare_png(c, &length);
  assert_true(length > 100 && memcmp(png, "\x89PNG", 4) == 0);
  entrain_text_free(png);
  entrain_compare_free(c);
  entrain_problem_free(p);
}

static bool stop(void *data, const EntrainCompareProgress *progress) {
  *(int *)data = progress->number;
  return progress->number == 0;
}

static void a_listener_may_stop_it(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = parse();
  EntrainCompare *c = entrain_compare_new(p);
  int last = -1;
  assert_true(entrain_compare_run(c, stop, &last, &error)); // the usual methods
  assert_int_equal(last, 1);
  assert_true(entrain_compare_stopped(c));
  assert_int_equal(entrain_compare_count(c), 1);
  entrain_compare_free(c);
  entrain_problem_free(p);
}

static void what_is_wrong_is_an_error(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainProblem *p = parse();
  EntrainCompare *c = entrain_compare_new(p);
  char path[128];
  snprintf(path, sizeof path, "%s/wrong.csv", folder);
  assert_false(entrain_compare_add(c, "lmm", &error));
  assert_string_equal(error.text, "unknown method 'lmm'; did you mean 'lm'?");
  assert_false(entrain_compare_published(c, path, &error));
  assert_int_equal(error.line, 1);
  assert_string_equal(error.file, path);
  // Before a run there is nothing to tell.
  assert_false(entrain_compare_has_result(c));
  assert_null(entrain_compare_svg(c));
  char *report = entrain_compare_report(c, ENTRAIN_COMPARE_FULL, 80, false);
  assert_string_equal(report, "");
  entrain_text_free(report);
  entrain_compare_free(c);
  entrain_compare_free(NULL);
  entrain_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(methods_are_compared_and_reported),
      cmocka_unit_test(a_listener_may_stop_it),
      cmocka_unit_test(what_is_wrong_is_an_error),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
