// Every format of a comparison of models holds the same numbers and says where they mislead.
#include "report/models_report.h"

#include "line_models.h"
#include "report/models_figure.h"
#include "study/models_run.h"

typedef void Writer(Text *out, const Models *m);

static void as_text(Text *out, const Models *m) {
  models_text(out, m, (PageStyle){.width = 250});
}
static void as_html(Text *out, const Models *m) {
  models_text(out, m, (PageStyle){.width = PAGE_HTML});
}
static void as_json(Text *out, const Models *m) {
  models_json(out, m, "1");
}

static Models *two_models(Lines *l, const ModelsNesting *nested, int folds) {
  static const Problem *p[2];
  Err err = {0};
  lines_open(l, 1, 0.1, 0.1);
  p[0] = lines_problem(l, "small|1.yaml", "measure: [y]", "a: {start: 0}");
  p[1] = lines_problem(l, "large,2.yaml", "measure: [y]", LINE_AB);
  ModelsRequest q = {
      .problems = p, .count = 2, .nested = nested, .nested_count = 1, .folds = folds};
  Models *m = models_run(&q, NULL, NULL, &err);
  assert_non_null(m);
  return m;
}

static bool says(const char *text, const char *wanted) { // line ends count as blanks
  Text flat;
  text_init(&flat);
  for (bool blank = false; *text; text++) {
    bool is = *text == ' ' || *text == '\n';
    if (!is || !blank) text_add_bytes(&flat, is ? " " : text, 1);
    blank = is;
  }
  bool found = strstr(flat.at, wanted) != NULL;
  text_done(&flat);
  return found;
}

static void all_formats_have_the_same_numbers(void **state) {
  (void)state;
  static Writer *const WRITERS[] = {as_text, as_html, as_json, models_markdown};
  Lines l;
  ModelsNesting nested = {0, 1};
  Models *m = two_models(&l, &nested, 3);
  char aic[40], ratio[40];
  snprintf(aic, sizeof aic, "%.1f", trunc(m->rows[1].aic * 10) / 10); // its first digits
  snprintf(ratio, sizeof ratio, "2 log(L ratio) = %.4g", m->tests[0].ratio);
  for (size_t i = 0; i < sizeof WRITERS / sizeof *WRITERS; i++) {
    Text t;
    text_init(&t);
    WRITERS[i](&t, m);
    assert_true(says(t.at, aic));
    assert_true(says(t.at, ratio));
    assert_true(says(t.at, "1.yaml are correlated"));
    assert_true(says(t.at, "each of 3 blocks"));
    text_done(&t);
  }
  models_free(m);
  lines_close(&l);
}

static void csv_is_exact_and_quotes_names(void **state) {
  (void)state;
  Lines l;
  ModelsNesting nested = {0, 1};
  Models *m = two_models(&l, &nested, 0);
  Text t;
  char number[32];
  text_init(&t);
  models_csv(&t, m);
  number_format(m->rows[0].likelihood.log, number);
  assert_non_null(strstr(t.at, number));
  assert_non_null(strstr(t.at, "\n\"large,2.yaml\",3,2,0,60,"));
  assert_non_null(strstr(t.at, ",verdict,outcome,seconds,a,b\n"));
  text_clear(&t);
  models_markdown(&t, m);
  assert_non_null(strstr(t.at, "| small\\|1.yaml |"));
  text_done(&t);
  models_free(m);
  lines_close(&l);
}

// Who has white residuals is not warned.
static void white_residuals_need_no_warning(void **state) {
  (void)state;
  Lines l;
  Err err = {0};
  lines_open(&l, 2, 0.1, 0.1);
  const Problem *p[] = {lines_problem(&l, "a.yaml", "measure: [y]", LINE_AB),
                        lines_problem(&l, "b.yaml", "measure: [y]", LINE_ABC)};
  Models *m = models_run(&(ModelsRequest){.problems = p, .count = 2}, NULL, NULL, &err);
  Text t;
  text_init(&t);
  models_text(&t, m, (PageStyle){.width = 100});
  assert_null(strstr(t.at, "correlated"));
  assert_null(strstr(t.at, "QAIC"));
  text_done(&t);
  models_free(m);
  lines_close(&l);
}

static void pictures_show_what_there_is(void **state) {
  (void)state;
  Lines l;
  ModelsNesting nested = {0, 1};
  Models *m = two_models(&l, &nested, 2);
  Arena *a = arena_new();
  assert_non_null(models_criteria_figure(a, m));
  Figure *with = models_errors_figure(a, m);
  for (int i = 0; i < 2; i++) m->rows[i].cross[0] = nan("");
  Figure *without = models_errors_figure(a, m);
  assert_true(with->width > without->width);
  m->best = -1;
  assert_null(models_criteria_figure(a, m));
  arena_free(a);
  models_free(m);
  lines_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_formats_have_the_same_numbers),
      cmocka_unit_test(csv_is_exact_and_quotes_names),
      cmocka_unit_test(white_residuals_need_no_warning),
      cmocka_unit_test(pictures_show_what_there_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
