// Pages of results and results that were written, as users of the library see them.
#include <stdlib.h>
#include <unistd.h>

#include "entrain.h"
#include "html_tags.h"

typedef struct Setup {
  char folder[64], before[400];
  EntrainError error;
  EntrainProblem *problem;
  EntrainFit *fit;
} Setup;

static void write_file(const Setup *s, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static const char *path_of(const Setup *s, const char *name, char path[128]) {
  snprintf(path, 128, "%s/%s", s->folder, name);
  return path;
}

static int set_up(void **state) {
  Setup *s = calloc(1, sizeof *s);
  char path[128];
  static char data[20000];
  strcpy(data, "t,x\n");
  for (int i = 0; i <= 100; i++)
    snprintf(data + strlen(data), 60, "%.17g,%.17g\n", i / 50.0,
             exp(-i / 25.0) + 1e-3 * sin(1e4 * i * i));
  strcpy(s->folder, "/tmp/entrain-test-XXXXXX");
  assert_non_null(mkdtemp(s->folder));
  assert_non_null(getcwd(s->before, sizeof s->before));
  write_file(s, "decay.mo",
             "model Decay \"</script><b>\"\n  parameter Real k(min = 0.01, max = 50) = 1;\n"
             "  Real x(start = 1, fixed = true);\nequation\n  der(x) = -k*x;\nend Decay;\n");
  write_file(s, "data.csv", data);
  write_file(s, "p.yaml",
             "model: decay.mo\nexperiments: [{data: data.csv, measure: {x: x}}]\nestimate: {k: "
             "0.5}\nmethod: lm\n");
  EntrainSetting lower = {"estimate.k.min", "0.1", false};
  s->problem = entrain_problem_load(path_of(s, "p.yaml", path), &lower, 1, &s->error);
  if (!s->problem) fail_msg("%s", s->error.text);
  s->fit = entrain_fit_run(s->problem, NULL, NULL, &s->error);
  assert_non_null(s->fit);
  char *json = entrain_fit_json(s->fit);
  write_file(s, "fit.json", json);
  entrain_text_free(json);
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  Setup *s = *state;
  char command[128];
  entrain_fit_free(s->fit);
  entrain_problem_free(s->problem);
  snprintf(command, sizeof command, "rm -r '%s'", s->folder);
  int status = chdir(s->before) != 0 || system(command) != 0;
  free(s);
  return status;
}

static char *page_of(const Setup *s, EntrainPage page) {
  char *body = entrain_fit_report(s->fit, ENTRAIN_HTML, false);
  EntrainFigures *figures = entrain_fit_figures(s->fit);
  page.body = body;
  page.figures = figures;
  char *html = entrain_page(s->problem, &page);
  entrain_figures_free(figures);
  entrain_text_free(body);
  return html;
}

// Wherever the process is, and whatever its home is.
static void a_page_names_no_folder(void **state) {
  const Setup *s = *state;
  static const char *const HOMES[] = {"/", "/p", "/h2", "/tmp", "", "relative", "/tmp/"};
  char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
  for (size_t i = 0; i < sizeof HOMES / sizeof *HOMES; i++)
    for (int k = 0; k < 3; k++) {
      Arena *a = arena_new();
      assert_int_equal(chdir(k == 0 ? "/" : k == 1 ? s->folder : "/tmp"), 0);
      setenv("HOME", HOMES[i], 1);
      char *html = page_of(s, (EntrainPage){.size = sizeof(EntrainPage),
                                            .title = "a page",
                                            .command = "entrain fit p.yaml"});
      HtmlTags tags = html_tags(a, html);
      assert_int_equal(tag_count(&tags, "h1"), 1);
      assert_null(strstr(html, s->folder));
      assert_non_null(strstr(html, "p.yaml: <span"));
      assert_non_null(strstr(html, "// Charts of the curves")); // of the script
      entrain_text_free(html);
      arena_free(a);
    }
  if (home) setenv("HOME", home, 1);
  free(home);
}

static void parts_are_left_out_as_asked(void **state) {
  const Setup *s = *state;
  for (int k = 0; k < 4; k++) {
    Arena *a = arena_new();
    char *html = page_of(
        s,
        (EntrainPage){.size = sizeof(EntrainPage), .without_model = k & 1, .without_data = k & 2});
    HtmlTags tags = html_tags(a, html);
    assert_int_equal(strstr(html, "&lt;/script&gt;&lt;b&gt;") != NULL, !(k & 1));
    assert_int_equal(tag_has(&tags.figures, "figure-data-and-model"), !(k & 2));
    assert_int_equal(tags.data && strstr(tags.data, "\"name\":\"data\""), !(k & 2));
    assert_non_null(strstr(html, "<title>entrain</title>"));
    entrain_text_free(html);
    arena_free(a);
  }
}

static void a_page_needs_a_body_and_nothing_else(void **state) {
  (void)state;
  assert_null(entrain_page(NULL, NULL));
  assert_null(entrain_page(NULL, &(EntrainPage){.size = sizeof(EntrainPage), .title = "none"}));
  Arena *a = arena_new();
  char *html = entrain_page(NULL, &(EntrainPage){.size = sizeof(EntrainPage),
                                                 .body = "<p>/gone/to/p.yaml and /gone/to</p>",
                                                 .former_path = "/gone/to/p.yaml"});
  html_tags(a, html);
  assert_non_null(strstr(html, "<p>p.yaml and .</p>"));
  entrain_text_free(html);
  arena_free(a);
}

// ---------------------------------------------------------------- written results

static void a_written_result_leads_back_to_its_problem(void **state) {
  Setup *s = *state;
  char path[128];
  int count;
  EntrainWritten *w = entrain_written_load(path_of(s, "fit.json", path), &s->error);
  assert_non_null(w);
  assert_string_equal(entrain_written_problem(w), path_of(s, "p.yaml", path));
  const EntrainSetting *settings = entrain_written_settings(w, &count);
  assert_int_equal(count, 1);
  assert_string_equal(settings[0].name, "estimate.k.min");
  EntrainProblem *p = entrain_problem_load(entrain_written_problem(w), settings, count, &s->error);
  assert_non_null(p);
  char *changes = entrain_written_changes(w, p);
  assert_string_equal(changes, "");
  entrain_text_free(changes);
  write_file(s, "data.csv", "t,x\n0,1\n0.5,0.4\n1,0.1\n");
  entrain_problem_free(p);
  p = entrain_problem_load(entrain_written_problem(w), settings, count, &s->error);
  assert_non_null(p);
  changes = entrain_written_changes(w, p);
  assert_string_equal(changes, "Changed since the result was made: data.csv.");
  char *report = entrain_written_report(w, changes, 80, false);
  assert_non_null(strstr(report, changes));
  assert_non_null(strstr(report, "\nParameters\n"));
  entrain_text_free(report);
  report = entrain_written_report(w, NULL, ENTRAIN_HTML, false);
  assert_non_null(strstr(report, "<h2 id=\"parameters\">"));
  entrain_text_free(report);
  entrain_text_free(changes);
  entrain_problem_free(p);
  entrain_written_free(w);
}

static void what_cannot_be_read_is_an_error(void **state) {
  Setup *s = *state;
  char path[128];
  assert_null(entrain_written_load(NULL, &s->error));
  assert_null(entrain_written_load(path_of(s, "none.json", path), &s->error));
  assert_int_equal(s->error.exit_status, 2);
  assert_null(entrain_written_load(path_of(s, "data.csv", path), &s->error));
  assert_int_equal(s->error.exit_status, 2);
  int count = 7;
  assert_null(entrain_written_problem(NULL));
  assert_null(entrain_written_settings(NULL, &count));
  assert_int_equal(count, 0);
  assert_null(entrain_written_changes(NULL, s->problem));
  assert_null(entrain_written_report(NULL, NULL, 80, false));
  entrain_written_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_page_names_no_folder, set_up, tear_down),
      cmocka_unit_test_setup_teardown(parts_are_left_out_as_asked, set_up, tear_down),
      cmocka_unit_test(a_page_needs_a_body_and_nothing_else),
      cmocka_unit_test_setup_teardown(a_written_result_leads_back_to_its_problem, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(what_cannot_be_read_is_an_error, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
