#include "html/document.h"

#include "base/json_tree.h"
#include "base/sha256.h"
#include "html_tags.h"
#include "num/random.h"
#include "write/html.h"
#include "write/page.h"

static char *repeated(Arena *a, const char *part, int count) {
  char *text = ARENA_ARRAY(a, char, strlen(part) * (size_t)count + 1), *at = text;
  while (count-- > 0) at = stpcpy(at, part);
  return text;
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) count++;
  return count;
}

static Figure *figure_with(Arena *a, const char *name, int plots, int series) {
  Figure *f = figure_new(a, 300, 200, name);
  figure_clip(f, (Frame){10, 10, 50, 50});
  figure_text(f, (Spot){20, 20}, name, (Lettering){.size = 12});
  for (int p = 0; p < plots; p++) {
    figure_plot(f, &(FigurePlot){.x_label = name, .y_label = name, .below = p == 1});
    for (int s = 0; s < series; s++)
      figure_series(f, &(FigureSeries){.name = name,
                                       .ink = 0x0072B2 + s,
                                       .dots = s == 1,
                                       .dash = (Dash)(s % DASH_COUNT),
                                       .x = (double[]){0, 1, 2},
                                       .y = (double[]){s, nan(""), 2.5},
                                       .count = 3});
  }
  return f;
}

// Titles, headings, figures with charts, reports and files with this text everywhere.
static void document_of(Text *out, Arena *a, const char *text) {
  Document d = document_begin(out, text);
  Text body;
  text_init(&body);
  Page p = page_on(&body, (PageStyle){PAGE_HTML, false});
  page_title(&p, text);
  page_paragraph(&p, 4, "- ", text);
  page_done(&p);
  document_add(&d, body.at, body.length);
  document_heading(&d, "What follows");
  document_figure(&d, text, figure_with(a, text, 2, 3));
  document_figure(&d, text, figure_with(a, text, 0, 0));
  document_file(&d, text, "yaml", text, strlen(text));
  document_end(&d, text);
  text_done(&body);
}

static void a_document_is_whole_whatever_its_texts_are(void **state) {
  (void)state;
  for (int i = -2; i < HOSTILE_COUNT; i++) {
    Arena *a = arena_new();
    Text t;
    text_init(&t);
    const char *text = i < -1 ? "plain" : i < 0 ? repeated(a, "</script><b>", 900) : HOSTILE[i];
    document_of(&t, a, text);
    HtmlTags tags = html_tags(a, t.at);
    static const char *const ONCE[] = {"html",   "head",   "body", "h1", "main",
                                       "header", "footer", "nav",  NULL};
    for (int k = 0; ONCE[k]; k++) assert_int_equal(tag_count(&tags, ONCE[k]), 1);
    assert_int_equal(tag_count(&tags, "figure"), 2);
    assert_int_equal(tag_count(&tags, "script"), 3);
    assert_int_equal(tag_count(&tags, "b") + tag_count(&tags, "img"), 0);
    // the numbers are JSON, and name the text as it is
    Err err = {0};
    const JsonTree *plots = json_parse(a, "plots", tags.data, &err);
    if (!plots) fail_msg("%s", err.text);
    assert_int_equal(plots->items.count, 2);
    const char *name = json_find(plots->items.at[0], "y")->text;
    if (i == -2) assert_string_equal(name, "plain");
    text_done(&t);
    arena_free(a);
  }
}

// The policy names the scripts by their hashes: nothing else runs, not even what stands in an attribute.
static void only_the_scripts_of_the_document_may_run(void **state) {
  (void)state;
  static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  document_of(&t, a, "plain");
  const char *policy = strstr(t.at, "script-src"), *end = strchr(policy, '"');
  assert_non_null(strstr(t.at, "default-src 'none'"));
  assert_true(policy < end && !memmem(policy, (size_t)(end - policy), "unsafe", 6));
  int scripts = 0;
  for (const char *s = t.at; (s = strstr(s, "<script>")); scripts++) {
    s += 8;
    Sha256 h = sha256_of(s, (size_t)(strstr(s, "</script>") - s));
    char coded[60] = "'sha256-", *at = coded + 8;
    for (int bit = 0; bit < 258; bit += 6) { // base 64, bit by bit
      int v = 0;
      for (int k = bit; k < bit + 6; k++)
        v = 2 * v + (k < 256 ? h.at[k / 8] >> (7 - k % 8) & 1 : 0);
      *at++ = DIGITS[v];
    }
    strcpy(at, "='");
    if (!memmem(policy, (size_t)(end - policy), coded, strlen(coded)))
      fail_msg("%s is not named", coded);
  }
  assert_int_equal(scripts, 2);
  text_done(&t);
  arena_free(a);
}

static void without_charts_there_is_no_chart_library(void **state) {
  (void)state;
  Arena *a = arena_new();
  Text with, without;
  text_init(&with);
  text_init(&without);
  document_of(&with, a, "plain");
  Document d = document_begin(&without, "plain");
  document_figure(&d, "picture", figure_with(a, "picture", 1, 0));
  document_end(&d, "1.0");
  HtmlTags tags = html_tags(a, without.at);
  assert_null(tags.data);
  assert_int_equal(tag_count(&tags, "script"), 1);
  assert_null(strstr(without.at, "dygraphs 2"));
  assert_null(strstr(without.at, "still paper")); // the picture is not only for paper
  assert_non_null(strstr(with.at, "Permission is hereby granted"));
  assert_true(without.length + 100000 < with.length);
  text_done(&with);
  text_done(&without);
  arena_free(a);
}

static void figures_have_names_of_their_own(void **state) {
  (void)state;
  static const char *const NAMES[] = {"data-Run", "data-run", "data.run", "data-run-2",
                                      "data-run", "<>",       ""};
  static const char *const IDS[] = {"figure-data-run",     "figure-data-run-2", "figure-data-run-3",
                                    "figure-data-run-2-2", "figure-data-run-4", "figure-part",
                                    "figure-part-2"};
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  Document d = document_begin(&t, "names");
  for (int i = 0; i < 7; i++) document_figure(&d, NAMES[i], figure_with(a, NAMES[i], 1, 1));
  document_end(&d, "1.0");
  HtmlTags tags = html_tags(a, t.at);
  assert_int_equal(tags.figures.count, 7);
  for (int i = 0; i < 7; i++) assert_string_equal(tags.figures.at[i], IDS[i]);
  text_done(&t);
  arena_free(a);
}

// ---------------------------------------------------------------- numbers

typedef struct Chart { // of a page with one plot
  Arena *arena;
  const JsonTree *plot;
} Chart;

static Chart chart_of(const FigurePlot *plot, const FigureSeries *series, int count) {
  Chart c = {.arena = arena_new()};
  Figure *f = figure_new(c.arena, 100, 100, "chart");
  Text t;
  Err err = {0};
  figure_plot(f, plot);
  for (int i = 0; i < count; i++) figure_series(f, &series[i]);
  text_init(&t);
  Document d = document_begin(&t, "chart");
  document_figure(&d, "chart", f);
  document_end(&d, "1.0");
  HtmlTags tags = html_tags(c.arena, t.at);
  const JsonTree *plots = json_parse(c.arena, "plots", tags.data, &err);
  if (!plots) fail_msg("%s", err.text);
  c.plot = plots->items.at[0];
  text_done(&t);
  return c;
}

static const JsonTree *list_of(const Chart *c, int series, const char *key) {
  const JsonTree *list = json_find(json_find(c->plot, "series")->items.at[series], key);
  if (list->kind == JSON_NUMBER)
    list = json_find(json_find(c->plot, "series")->items.at[(int)list->number], key);
  assert_int_equal(list->kind, JSON_LIST);
  return list;
}

static void charts_have_the_numbers_of_their_curves(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 7);
  static const FigurePlot PLOT = {.x_label = "time [s]", .y_label = "x", .y_log = true};
  for (int n = 0; n < 300; n++) {
    enum { COUNT = 50 };
    double x[COUNT], y[COUNT], offset = n % 3 ? 0 : pow(10, 12 * random_uniform(&r)),
                               size = pow(10, 20 * random_uniform(&r) - 10);
    for (int i = 0; i < COUNT; i++) {
      x[i] = (i ? x[i - 1] : n % 2 ? 1.7e9 : 0) + 0.001 * (1 + i % 3);
      y[i] = i % 11 == 5 ? nan("") : offset + size * random_normal(&r);
    }
    double same[COUNT]; // one that does not move beside one that does
    for (int i = 0; i < COUNT; i++) same[i] = y[0];
    FigureSeries s[2] = {{.name = "a", .x = x, .y = y, .count = COUNT},
                         {.name = "b", .x = x, .y = same, .count = COUNT}};
    Chart c = chart_of(&PLOT, s, 2);
    assert_int_equal(json_find(json_find(c.plot, "series")->items.at[1], "x")->kind, JSON_NUMBER);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < COUNT; i++)
      if (isfinite(y[i])) low = fmin(low, y[i]), high = fmax(high, y[i]);
    for (int k = 0; k < 2; k++) {
      const JsonTree *tx = list_of(&c, k, "x"), *ty = list_of(&c, k, "y");
      const double *v = k ? same : y;
      assert_int_equal(tx->items.count, COUNT);
      assert_int_equal(ty->items.count, COUNT);
      for (int i = 0; i < COUNT; i++) {
        assert_close(tx->items.at[i]->number, x[i], 2e-4); // neighbours are told apart
        if (i) assert_true(tx->items.at[i]->number > tx->items.at[i - 1]->number);
        assert_int_equal(ty->items.at[i]->kind, isfinite(v[i]) ? JSON_NUMBER : JSON_NULL);
        // a curve with a large mean is no staircase; one that does not move at all has no range
        double loss = high > low ? 1e-5 * (high - low) + 4e-16 * fabs(v[i]) : 1e-5 * fabs(v[i]);
        if (isfinite(v[i])) assert_close(ty->items.at[i]->number, v[i], loss);
      }
    }
    assert_true(json_find(c.plot, "ylog")->number == 1 && json_find(c.plot, "xlog")->number == 0);
    assert_string_equal(json_find(c.plot, "x")->text, "time [s]");
    arena_free(c.arena);
  }
}

static void numbers_that_are_none_are_null(void **state) {
  (void)state;
  static const double ODD[] = {HUGE_VAL, -HUGE_VAL, 0, -0.0, 1e308, -1e308, 5e-324};
  double y[8], x[8];
  for (int i = 0; i < 7; i++) x[i] = y[i] = ODD[i];
  x[7] = y[7] = nan("");
  FigureSeries s = {.name = "odd", .x = x, .y = y, .count = 8};
  Chart c = chart_of(&(FigurePlot){.x_label = "", .y_label = ""}, &s, 1);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 8; i++) {
      const JsonTree *v = list_of(&c, 0, k ? "x" : "y")->items.at[i];
      assert_int_equal(v->kind, isfinite(x[i]) ? JSON_NUMBER : JSON_NULL);
      if (isfinite(x[i])) assert_close(v->number, x[i], 1e-5 * fabs(x[i]));
    }
  arena_free(c.arena);
  s.count = 0;
  c = chart_of(&(FigurePlot){.x_label = "", .y_label = ""}, &s, 1);
  assert_int_equal(list_of(&c, 0, "y")->items.count, 0);
  arena_free(c.arena);
}

// ---------------------------------------------------------------- files and folders

static void a_file_is_shown_as_it_is(void **state) {
  (void)state;
  static const char TEXT[] = "model M \"<b>\" // &amp;\n  Real x;\tend M;\n";
  Arena *a = arena_new();
  Text t;
  text_init(&t);
  Document d = document_begin(&t, "files");
  document_file(&d, "m.mo", "modelica", TEXT, sizeof TEXT - 1);
  document_end(&d, "1.0");
  html_tags(a, t.at);
  const char *code = strstr(t.at, "<code class=\"modelica\">");
  assert_non_null(code);
  code += strlen("<code class=\"modelica\">");
  assert_string_equal(
      html_decoded(a, arena_copy(a, code, (size_t)(strstr(code, "</code>") - code))), TEXT);
  assert_int_equal(count_of(t.at, "<summary>m.mo</summary>"), 1);
  text_done(&t);
  arena_free(a);
}

// In all that comes from outside, and in nothing else: the scripts stay the ones that the policy names.
static void folders_are_taken_out_of_texts_and_numbers(void **state) {
  (void)state;
  Arena *a = arena_new();
  static const char FOLDER[] = "/users/a&b/plant";
  const char *path = arena_print(a, "%s/p.yaml", FOLDER);
  Text plain, with;
  text_init(&plain);
  text_init(&with);
  for (int k = 0; k < 2; k++) {
    Text *out = k ? &with : &plain;
    Document d = document_begin(out, k ? path : "p.yaml");
    if (k) d.folders = (PrivateFolders){.problem = FOLDER, .home = "/p", .present = "/"};
    document_figure(&d, "figure", figure_with(a, k ? path : "p.yaml", 1, 1));
    document_file(&d, k ? path : "p.yaml", "yaml", k ? path : "p.yaml",
                  strlen(k ? path : "p.yaml"));
    document_end(&d, "1.0");
  }
  assert_string_equal(plain.at, with.at);
  text_done(&plain);
  text_done(&with);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_document_is_whole_whatever_its_texts_are),
      cmocka_unit_test(only_the_scripts_of_the_document_may_run),
      cmocka_unit_test(without_charts_there_is_no_chart_library),
      cmocka_unit_test(figures_have_names_of_their_own),
      cmocka_unit_test(charts_have_the_numbers_of_their_curves),
      cmocka_unit_test(numbers_that_are_none_are_null),
      cmocka_unit_test(a_file_is_shown_as_it_is),
      cmocka_unit_test(folders_are_taken_out_of_texts_and_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
