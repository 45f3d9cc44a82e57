#include "report/written_result.h"

#include "base/file.h"
#include "html_tags.h"
#include "made_problem.h"
#include "problem/made_from.h"
#include "report/fit_json.h"
#include "study/assessed_fit.h"

static const char MODEL[] = "model Spring\n"
                            "  parameter Real k(unit = \"N/m\") = 4;\n"
                            "  parameter Real 'd<b>&\"x'(unit = \"<i>\") = 0.3;\n"
                            "  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                            "equation\n  der(x) = v;\n  der(v) = -k*x - 'd<b>&\"x'*v;\n"
                            "end Spring;\n";
static const char PROBLEM[] =
    "model: spring.mo\nexperiments:\n"
    "  - {data: a/x.csv, name: \"<script>first</script>\", measure: {x: x}}\n"
    "  - {data: b/x.csv, measure: {x: x, v: v}}\n"
    "estimate:\n  k: {start: 1.5, min: 0.1, max: 9}\n"
    "  \"'d<b>&\\\"x'\": {start: 0.2, min: 0, max: 5}\nmethod: lm\n";

typedef struct Written {
  Made made;
  Arena *arena;
  AssessedFit fit;
  char json[128]; // path
  WrittenResult result;
} Written;

static const ProblemSetting SETTINGS[] = {{"estimate.k.max", "8", false}, {"confirm", "off", true}};

static void write_it(Written *w) {
  Err err = {0};
  char path[128], command[200];
  made_open(&w->made);
  w->arena = arena_new();
  snprintf(command, sizeof command, "mkdir %s/a %s/b", w->made.folder, w->made.folder);
  assert_int_equal(system(command), 0);
  made_file(&w->made, "spring.mo", MODEL);
  made_waves(&w->made, "a/x.csv", 0, 60);
  made_waves(&w->made, "b/x.csv", 0.1, 50);
  made_file(&w->made, "problem.yaml", PROBLEM);
  snprintf(path, sizeof path, "%s/problem.yaml", w->made.folder);
  w->made.problem = problem_load(path, SETTINGS, 2, &err);
  if (!w->made.problem) fail_msg("%s:%d:%d: %s", err.file, err.line, err.column, err.text);
  w->fit = assessed_fit_run(w->made.problem, NULL, 1, NULL, NULL);
  FitReport r = {
      .problem = w->made.problem, .result = w->fit.result, .statistics = w->fit.statistics};
  Text t;
  text_init(&t);
  fit_json(&t, &r, "1.2.3");
  snprintf(w->json, sizeof w->json, "%s/fit.json", w->made.folder);
  assert_true(file_write(w->json, t.at, t.length, false, &err));
  text_done(&t);
  if (!written_result_load(&w->result, w->arena, w->json, &err)) fail_msg("%s", err.text);
}

static void written_done(Written *w) {
  assessed_fit_done(&w->fit);
  arena_free(w->arena);
  made_close(&w->made);
}

static void a_result_is_read_as_it_was_written(void **state) {
  (void)state;
  Written w;
  write_it(&w);
  const Problem *p = w.made.problem;
  const JsonTree *list = json_find(w.result.root, "parameters");
  assert_int_equal(list->items.count, 2);
  for (int i = 0; i < 2; i++) {
    assert_string_equal(json_find(list->items.at[i], "name")->text, p->unknowns[i].name);
    assert_true(json_find(list->items.at[i], "value")->number == w.fit.result->x[i]);
  }
  assert_string_equal(w.result.problem, p->path);
  assert_string_equal(w.result.path, w.json);
  assert_int_equal(w.result.setting_count, 2);
  for (int i = 0; i < 2; i++) {
    assert_string_equal(w.result.settings[i].path, SETTINGS[i].path);
    assert_string_equal(w.result.settings[i].value, SETTINGS[i].value);
    assert_int_equal(w.result.settings[i].is_option, SETTINGS[i].is_option);
  }
  // the problem that they make is the same one
  Err err = {0};
  Problem *again = problem_load(w.result.problem, w.result.settings, w.result.setting_count, &err);
  assert_non_null(again);
  assert_true(again->unknowns[0].max == 8 && p->unknowns[0].max == 8);
  problem_free(again);
  written_done(&w);
}

static void threads_are_no_setting_of_a_result(void **state) {
  (void)state;
  Arena *a = arena_new();
  Written w;
  write_it(&w);
  Problem p = *w.made.problem;
  p.settings = (ProblemSetting[]){{"threads", "3", true}, {"threads", "4", false}};
  FitReport r = {.problem = &p, .result = w.fit.result, .statistics = w.fit.statistics};
  Text t;
  Err err = {0};
  text_init(&t);
  fit_json(&t, &r, "1.2.3");
  const JsonTree *list = json_find(json_parse(a, "json", t.at, &err), "settings");
  assert_int_equal(list->items.count, 1); // a key of the problem file may be called so
  text_done(&t);
  written_done(&w);
  arena_free(a);
}

// ---------------------------------------------------------------- what has changed

static void change_byte(const char *path, size_t at) {
  Arena *a = arena_new();
  Err err = {0};
  size_t length;
  char *bytes = file_read(a, path, 100000, &length, &err);
  assert_non_null(bytes);
  bytes[at % length] ^= 1;
  assert_true(file_write(path, bytes, length, false, &err));
  arena_free(a);
}

static void a_changed_byte_of_any_file_is_noticed(void **state) {
  (void)state;
  Written w;
  write_it(&w);
  MadeFrom files = made_from(w.arena, w.made.problem);
  assert_int_equal(files.count, 4);
  assert_null(written_result_changes(&w.result, &files, w.arena));
  for (int i = 0; i < files.count; i++)
    for (int k = 0; k < 5; k++) {
      size_t at = (size_t)(k * 31 + i);
      change_byte(files.at[i].path, at);
      MadeFrom now = made_from(w.arena, w.made.problem);
      const char *text = written_result_changes(&w.result, &now, w.arena);
      const char *name = strrchr(files.at[i].path, '/') + 1;
      assert_string_equal(text,
                          arena_print(w.arena, "Changed since the result was made: %s.", name));
      change_byte(files.at[i].path, at);
    }
  MadeFrom now = made_from(w.arena, w.made.problem);
  assert_null(written_result_changes(&w.result, &now, w.arena));
  written_done(&w);
}

static void a_file_that_is_gone_is_named(void **state) {
  (void)state;
  Written w;
  write_it(&w);
  MadeFrom files = made_from(w.arena, w.made.problem);
  change_byte(files.at[1].path, 0);
  unlink(files.at[0].path);
  MadeFrom now = made_from(w.arena, w.made.problem);
  assert_string_equal(
      written_result_changes(&w.result, &now, w.arena),
      "Changed since the result was made: spring.mo. Not found any more: problem.yaml.");
  MadeFrom none = {0};
  assert_string_equal(written_result_changes(&w.result, &none, w.arena),
                      "Not found any more: problem.yaml, spring.mo, x.csv, x.csv.");
  written_done(&w);
}

// Two files have the same name, in folders that are others now.
static void files_that_were_moved_are_compared_with_themselves(void **state) {
  (void)state;
  Written w;
  write_it(&w);
  MadeFrom now = made_from(w.arena, w.made.problem);
  for (int i = 0; i < now.count; i++)
    now.at[i].path = arena_print(w.arena, "/elsewhere%s", now.at[i].path);
  assert_null(written_result_changes(&w.result, &now, w.arena));
  now.at[3].hash[5] ^= 1;
  assert_string_equal(written_result_changes(&w.result, &now, w.arena),
                      "Changed since the result was made: x.csv.");
  written_done(&w);
}

static void results_of_earlier_versions_say_no_files(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  WrittenResult w = {.arena = a, .root = json_parse(a, "old", "{\"problem\": \"p.yaml\"}", &err)};
  MadeFrom none = {0};
  assert_non_null(strstr(written_result_changes(&w, &none, a), "does not say which files"));
  arena_free(a);
}

// ---------------------------------------------------------------- what is no result

static void what_is_no_result_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } CASES[] = {
      {"", NULL},
      {"not JSON", NULL},
      {"{\"entrain\": \"1\", ", NULL},
      {"\xff\xfe{}", NULL},
      {"[]", "is no result of 'entrain fit'"},
      {"7", "is no result of 'entrain fit'"},
      {"{}", "is no result of 'entrain fit'"},
      {"{\"entrain\": 1, \"problem\": 2, \"outcome\": 3, \"channels\": 4}",
       "is no result of 'entrain fit'"},
      {"{\"entrain\": \"1\", \"problem\": \"p.yaml\", \"axes\": [], \"starts\": []}",
       "other commands make their page with --report"},
  };
  Made m;
  made_open(&m);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Arena *a = arena_new();
    WrittenResult w;
    Err err = {0};
    made_file(&m, "r.json", CASES[i].text);
    assert_false(written_result_load(&w, a, arena_print(a, "%s/r.json", m.folder), &err));
    assert_int_not_equal(err.code, ERR_NONE);
    if (CASES[i].message && !strstr(err.text, CASES[i].message)) fail_msg("%s", err.text);
    err = (Err){0};
    assert_false(written_result_load(&w, a, arena_print(a, "%s/none.json", m.folder), &err));
    assert_int_equal(err.code, ERR_FILE);
    arena_free(a);
  }
  made_close(&m);
}

// Whoever can write the JSON can write anything: members that are missing, of other kinds, with any text.
static void any_json_of_a_result_is_shown(void **state) {
  (void)state;
  static const char *const VALUES[] = {
      "null",
      "true",
      "1.5",
      "\"text\"",
      "[]",
      "{}",
      "[1, null, \"a\", {}, []]",
      "[{\"name\": 3, \"value\": \"x\", \"ci95\": [1], \"parameters\": [\"a\", {}]}, "
      "{\"ci95\": [\"a\", \"b\"], \"combinations\": [7], \"text\": null}]",
      "{\"optima\": [1, {\"parameters\": [null]}], \"directions\": [{}, 2], \"why\": 1, "
      "\"verdict\": []}"};
  static const char *const KEYS[] = {
      "parameters", "channels", "identifiability", "remarks", "certificate", "stages",
      "work",       "settings", "files",           "message", "outcome",     "objective"};
  enum { KINDS = sizeof VALUES / sizeof *VALUES, KEY_COUNT = sizeof KEYS / sizeof *KEYS };
  Made m;
  made_open(&m);
  for (int i = 0; i < KINDS * KEY_COUNT; i++) {
    Arena *a = arena_new();
    Text t;
    Err err = {0};
    WrittenResult w;
    text_init(&t);
    text_add(&t, "{\"entrain\": \"1\", \"problem\": \"p.yaml\"");
    for (int k = 0; k < KEY_COUNT; k++)
      text_print(&t, ", \"%s\": %s", KEYS[k],
                 VALUES[(i / KEY_COUNT + (k == i % KEY_COUNT ? 0 : 1 + k)) % KINDS]);
    text_add(&t, "}");
    made_file(&m, "r.json", t.at);
    if (!written_result_load(&w, a, arena_print(a, "%s/r.json", m.folder), &err))
      fail_msg("%s: %s", err.text, t.at);
    text_clear(&t);
    written_result_text(&t, &w, NULL, 0, (PageStyle){PAGE_HTML, false});
    html_tags(a, t.at);
    MadeFrom none = {0};
    written_result_changes(&w, &none, a);
    text_done(&t);
    arena_free(a);
  }
  made_close(&m);
}

// ---------------------------------------------------------------- the report

static void the_report_says_what_the_json_says(void **state) {
  (void)state;
  Written w;
  write_it(&w);
  static const char *const NOTICES[] = {"Changed: <b>&.", "\xE2\x80\xAEsecond"};
  Text html, text;
  text_init(&html);
  text_init(&text);
  written_result_text(&html, &w.result, NOTICES, 2, (PageStyle){PAGE_HTML, false});
  written_result_text(&text, &w.result, NOTICES, 2, (PageStyle){200, false});
  HtmlTags tags = html_tags(w.arena, html.at);
  assert_int_equal(tag_count(&tags, "script") + tag_count(&tags, "b") + tag_count(&tags, "i"), 0);
  assert_true(tag_has(&tags.ids, "parameters") && tag_has(&tags.ids, "fit") &&
              tag_has(&tags.ids, "work"));
  assert_non_null(strstr(html.at, "<span class=\"notice\">Changed: &lt;b&gt;&amp;.</span>"));
  assert_non_null(strstr(html.at, "&lt;script&gt;first&lt;/script&gt;"));
  assert_non_null(strstr(text.at, "'d<b>&\"x'"));
  for (int i = 0; i < 2; i++) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.5g", w.fit.result->x[i]);
    digits[5] = 0; // the first ones, whatever the rounding
    if (!strstr(text.at, digits) || !strstr(html.at, digits))
      fail_msg("no %s in %s", digits, text.at);
  }
  text_done(&html);
  text_done(&text);
  written_done(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_result_is_read_as_it_was_written),
      cmocka_unit_test(threads_are_no_setting_of_a_result),
      cmocka_unit_test(a_changed_byte_of_any_file_is_noticed),
      cmocka_unit_test(a_file_that_is_gone_is_named),
      cmocka_unit_test(files_that_were_moved_are_compared_with_themselves),
      cmocka_unit_test(results_of_earlier_versions_say_no_files),
      cmocka_unit_test(what_is_no_result_is_refused),
      cmocka_unit_test(any_json_of_a_result_is_shown),
      cmocka_unit_test(the_report_says_what_the_json_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
