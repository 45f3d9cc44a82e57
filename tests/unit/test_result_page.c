#include "report/result_page.h"

#include "html_tags.h"
#include "write/page.h"

static const char *const NAMES[] = {"data-and-model-first",
                                    "data-and-model-second",
                                    "free-run",
                                    "plane",
                                    "residuals",
                                    "validation-x",
                                    "weights",
                                    "lambda-path",
                                    "parameters",
                                    "objective",
                                    "convergence",
                                    "profiles",
                                    "basin",
                                    "scan",
                                    "effort",
                                    "optima"};
enum {
  NAME_COUNT = sizeof NAMES / sizeof *NAMES,
  WITH_DATA = 7
}; // the first ones show measurements

typedef struct Sheet {
  Arena *arena;
  FigureList *figures;
  MadeFrom files;
  Text body;
  ResultPage page;
} Sheet;

// Each figure has a curve whose numbers are its own: 1000.5 + its number.
static void add_figure(Sheet *s, int i, const char *name) {
  Figure *f = figure_new(s->figures->arena, 100, 100, arena_print(s->arena, "title of %s", name));
  double value = 1000.5 + i;
  figure_text(f, (Spot){5, 5}, arena_print(s->arena, "letters of %s", name),
              (Lettering){.size = 12});
  figure_plot(f,
              &(FigurePlot){.x_label = "t", .y_label = arena_print(s->arena, "label of %s", name)});
  figure_series(f, &(FigureSeries){.name = name, .x = (double[]){0}, .y = &value, .count = 1});
  figure_list_add(s->figures, name, NULL, f);
}

static void add_file(Sheet *s, const char *path, const char *language, const char *text) {
  SourceFile f = {
      .path = path, .length = strlen(text), .language = language, .text = language ? text : NULL};
  strcpy(f.hash, "0123456789abcdef0123456789abcdef");
  array_push(s->arena, &s->files, f);
}

static void sheet_open(Sheet *s, const char *const *headings) {
  *s = (Sheet){.arena = arena_new(), .figures = figure_list_new()};
  for (int i = 0; i < NAME_COUNT; i++) add_figure(s, i, NAMES[i]);
  add_file(s, "/users/anna/plant/problem.yaml", "yaml", "model: plant.mo # from yaml");
  add_file(s, "/users/anna/plant/plant.mo", "modelica", "model Plant end Plant; // from modelica");
  add_file(s, "/users/anna/plant/data.csv", NULL, "t,x\n0,77.125\n");
  text_init(&s->body);
  Page p = page_on(&s->body, (PageStyle){PAGE_HTML, false});
  page_title(&p, "/users/anna/plant/problem.yaml: fine");
  for (; *headings; headings++) {
    page_heading(&p, *headings);
    page_paragraph(&p, 2, "", arena_print(s->arena, "text of %s", *headings));
  }
  page_done(&p);
  s->page = (ResultPage){.title = "entrain fit: problem.yaml",
                         .command = "entrain fit problem.yaml",
                         .body = s->body.at,
                         .figures = s->figures,
                         .files = &s->files,
                         .folders = {.problem = "/users/anna/plant", .home = "/users/anna"},
                         .version = "1.2.3"};
}

static void sheet_done(Sheet *s) {
  figure_list_free(s->figures);
  text_done(&s->body);
  arena_free(s->arena);
}

static const char *html_of(Sheet *s, HtmlTags *tags) {
  Text t;
  text_init(&t);
  result_page(&t, &s->page);
  const char *html = arena_copy(s->arena, t.at, t.length);
  text_done(&t);
  *tags = html_tags(s->arena, html);
  assert_int_equal(tag_count(tags, "h1"), 1);
  assert_null(strstr(html, "anna"));
  return html;
}

// Behind which heading the figure stands.
static const char *heading_before(Sheet *s, const char *html, const char *name) {
  const char *figure = strstr(html, arena_print(s->arena, "<figcaption>title of %s<", name)),
             *found = "";
  if (!figure) return NULL;
  for (const char *h = html; (h = strstr(h, "<h2 id=\"")) && h < figure;) {
    h += 8;
    found = arena_copy(s->arena, h, strcspn(h, "\""));
  }
  return found;
}

static const char *const FIT[] = {"Parameters",
                                  "Fit",
                                  "Validation (not fitted)",
                                  "Optima found",
                                  "Path of the homotopy",
                                  "How it was found",
                                  "Work",
                                  NULL};

static void pictures_stand_where_the_report_speaks_of_them(void **state) {
  (void)state;
  static const char *const PLACES[] = {"fit",
                                       "fit",
                                       "fit",
                                       "fit",
                                       "fit",
                                       "validation-not-fitted",
                                       "pictures",
                                       "path-of-the-homotopy",
                                       "how-it-was-found",
                                       "how-it-was-found",
                                       "how-it-was-found",
                                       "pictures",
                                       "optima-found",
                                       "pictures",
                                       "pictures",
                                       "optima-found"};
  Sheet s;
  HtmlTags tags;
  sheet_open(&s, FIT);
  const char *html = html_of(&s, &tags);
  assert_int_equal(tags.figures.count, NAME_COUNT);
  for (int i = 0; i < NAME_COUNT; i++)
    assert_string_equal(heading_before(&s, html, NAMES[i]), PLACES[i]);
  // the text of a part comes before its pictures
  for (int i = 0; i < NAME_COUNT; i++) {
    const char *at = strstr(html, arena_print(s.arena, "<figcaption>title of %s<", NAMES[i]));
    if (strcmp(PLACES[i], "fit") == 0) assert_true(strstr(html, "text of Fit") < at);
  }
  sheet_done(&s);
}

static void pictures_without_a_place_come_at_the_end(void **state) {
  (void)state;
  static const char *const OTHERS[] = {"95 % intervals", "State space", "Work", NULL};
  static const char *const NONE[] = {NULL};
  Sheet s;
  HtmlTags tags;
  sheet_open(&s, OTHERS);
  const char *html = html_of(&s, &tags);
  assert_string_equal(heading_before(&s, html, "profiles"), "95-intervals");
  assert_string_equal(heading_before(&s, html, "weights"), "state-space");
  assert_string_equal(heading_before(&s, html, "basin"), "pictures");
  sheet_done(&s);
  sheet_open(&s, NONE);
  html = html_of(&s, &tags);
  assert_int_equal(tags.figures.count, NAME_COUNT);
  for (int i = 0; i < NAME_COUNT; i++)
    assert_string_equal(heading_before(&s, html, NAMES[i]), "pictures");
  s.page.figures = NULL;
  html = html_of(&s, &tags);
  assert_false(tag_has(&tags.ids, "pictures"));
  sheet_done(&s);
}

static void without_data_neither_pictures_nor_numbers_show_them(void **state) {
  (void)state;
  Sheet s;
  HtmlTags tags;
  sheet_open(&s, FIT);
  s.page.without_data = true;
  const char *html = html_of(&s, &tags);
  assert_int_equal(tags.figures.count, NAME_COUNT - WITH_DATA);
  for (int i = 0; i < NAME_COUNT; i++) {
    bool shown = i >= WITH_DATA;
    assert_int_equal(heading_before(&s, html, NAMES[i]) != NULL, shown);
    assert_int_equal(strstr(html, arena_print(s.arena, "letters of %s<", NAMES[i])) != NULL, shown);
    assert_int_equal(strstr(tags.data, arena_print(s.arena, "\"label of %s\"", NAMES[i])) != NULL,
                     shown);
    assert_int_equal(strstr(tags.data, arena_print(s.arena, "%.1f", 1000.5 + i)) != NULL, shown);
  }
  assert_non_null(strstr(html, "Left out of this page: the data."));
  assert_non_null(strstr(html, "from modelica"));
  sheet_done(&s);
}

static void without_model_its_text_and_the_problem_are_left_out(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) { // nothing, the model, both
    Sheet s;
    HtmlTags tags;
    sheet_open(&s, FIT);
    s.page.without_model = k > 0;
    s.page.without_data = k > 1;
    const char *html = html_of(&s, &tags);
    assert_int_equal(strstr(html, "from modelica") != NULL, k == 0);
    assert_int_equal(strstr(html, "from yaml") != NULL, k == 0);
    assert_int_equal(strstr(html, "Left out of this page: the model.") != NULL, k == 1);
    assert_int_equal(strstr(html, "Left out of this page: the model and the data.") != NULL,
                     k == 2);
    assert_null(strstr(html, "77.125")); // the file of the data never stands in the page
    assert_non_null(strstr(
        html, "<td>data.csv</td><td class=\"n\">13</td><td><code>0123456789abcdef</code></td>"));
    sheet_done(&s);
  }
}

static void any_texts_make_a_sound_page(void **state) {
  (void)state;
  for (int i = 0; i < HOSTILE_COUNT; i++) {
    Sheet s;
    HtmlTags tags;
    const char *const headings[] = {HOSTILE[i], "Fit", NULL};
    sheet_open(&s, headings);
    char *mine = arena_print(s.arena, "%s.mo", HOSTILE[i]);
    s.page.title = s.page.command = s.page.version = HOSTILE[i];
    add_figure(&s, 50, mine);
    add_file(&s, mine, "modelica", HOSTILE[i]);
    html_of(&s, &tags);
    assert_int_equal(tag_count(&tags, "script"), 3);
    assert_int_equal(tag_count(&tags, "img"), 0);
    s.page.title = "t", s.page.command = NULL;
    html_of(&s, &tags);
    sheet_done(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_stand_where_the_report_speaks_of_them),
      cmocka_unit_test(pictures_without_a_place_come_at_the_end),
      cmocka_unit_test(without_data_neither_pictures_nor_numbers_show_them),
      cmocka_unit_test(without_model_its_text_and_the_problem_are_left_out),
      cmocka_unit_test(any_texts_make_a_sound_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
