// Reports of a comparison: every layout and format shows the same rows.
#include "report/compare_report.h"

#include "compared.h"
#include "draw/figure_svg.h"
#include "pictures.h"
#include "report/compare_figure.h"
#include "report/compare_work_figure.h"

static const char *const TEXTS[] = {"homotopy:label=a|b", "lm", "de:population=8:generations=4",
                                    NULL};
static const char FIGURES[] =
    "# Somebody (1999), table 3\nmethod,iterations,evaluations,objective,p\n"
    "\"PD, tied\",30,165,1.8e-14,9.99\nGA,152,7650,,\n";

typedef struct Shown {
  Known known;
  Compared compared;
  CompareReport report;
  Text text;
} Shown;

static Shown *show(CompareLayout layout) {
  Err err = {0};
  Shown *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->known = compared_pendulum();
  s->compared.request = (CompareRequest){.has_truth = true,
                                         .truth = s->known.truth,
                                         .seeds = 3,
                                         .trace = true,
                                         .parallel = layout == COMPARE_PARALLEL};
  s->known.problem->options.threads = 2;
  compared_run(&s->known, &s->compared, TEXTS, NULL, NULL);
  const Published *p = published_parse(s->known.arena, s->known.problem, "f.csv", FIGURES, &err);
  assert_non_null(p);
  s->report = (CompareReport){s->compared.compare, p, layout};
  text_init(&s->text);
  return s;
}

static void done(Shown *s) {
  text_done(&s->text);
  compare_free(s->compared.compare);
  known_close(&s->known);
  free(s);
}

static void assert_has(const Shown *s, const char *part) {
  if (!strstr(s->text.at, part)) fail_msg("'%s' is not in:\n%s", part, s->text.at);
}

static void assert_lacks(const Shown *s, const char *part) {
  if (strstr(s->text.at, part)) fail_msg("'%s' is in:\n%s", part, s->text.at);
}

static int count_lines(const char *text) {
  int lines = 0;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}

static void the_page_fits_its_width_and_tells_what_figures_mean(void **state) {
  (void)state;
  Shown *s = show(COMPARE_FULL);
  static const int WIDTHS[] = {60, 80, 200};
  for (int i = 0; i < 3; i++) {
    text_clear(&s->text);
    compare_text(&s->text, &s->report, (PageStyle){WIDTHS[i], false});
    for (const char *at = s->text.at; *at; at += strcspn(at, "\n") + 1) {
      char *line = strndup(at, strcspn(at, "\n"));
      if (!strstr(line, "compared in")) assert_true(page_width_of(line) <= WIDTHS[i]);
      free(line);
    }
  }
  assert_has(s, "3 methods compared in");
  assert_has(s, "PD, tied (published)");
  assert_has(s, "published: Somebody (1999), table 3");
  assert_has(s, "counts as 2"); // one parameter
  assert_has(s, "of 3");        // found of three seeds
  assert_has(s, "ran 3 times, with seeds from 1;");
  assert_has(s, "9.99");
  done(s);
}

static void the_layout_of_the_paper_has_its_four_columns(void **state) {
  (void)state;
  Shown *s = show(COMPARE_PAPER);
  compare_csv(&s->text, &s->report);
  assert_int_equal(strncmp(s->text.at, "method,iterations,evaluations,objective\n", 40), 0);
  assert_int_equal(count_lines(s->text.at), 6);
  assert_has(s, "\n\"PD, tied\",30,165,1.8e-14\n");
  assert_has(s, "\nGA,152,7650,\n");
  text_clear(&s->text);
  compare_markdown(&s->text, &s->report);
  assert_has(s, "| method | iterations | function evaluations | error (J) |\n"
                "| --- | ---: | ---: | ---: |\n");
  assert_has(s, "| PD, tied (published) | 30 | 165 | 1.8e-14 |\n");
  assert_has(s, "| a\\|b |"); // a bar in a cell would end it
  assert_lacks(s, "| p |");
  done(s);
}

static void the_layout_of_threads_has_times_and_speed(void **state) {
  (void)state;
  Shown *s = show(COMPARE_PARALLEL);
  compare_markdown(&s->text, &s->report);
  assert_has(s, "| method | r(p) | n seq | t seq | n par | t par | speed-up | same |\n");
  assert_has(s, "par: 2 threads");
  assert_has(s, "| yes |\n");
  assert_lacks(s, "| NO |");
  const CompareRow *row = &s->report.compare->rows[0];
  double ratio = row->median.seconds / row->median.seconds_parallel;
  char cell[40];
  snprintf(cell, sizeof cell, " | %.2f | yes |\n", ratio);
  assert_has(s, cell);
  done(s);
}

static void csv_has_everything_exactly(void **state) {
  (void)state;
  Shown *s = show(COMPARE_FULL);
  compare_csv(&s->text, &s->report);
  assert_int_equal(count_lines(s->text.at), 6);
  const char *line = strchr(s->text.at, '\n') + 1;
  int cells = 1;
  for (const char *c = s->text.at; *c != '\n'; c++) cells += *c == ',';
  assert_int_equal(cells, 23);
  assert_int_equal(strncmp(line, "a|b,0,homotopy:label=a|b,converged,1,1,", 39), 0);
  const char *last = line + strcspn(line, "\n");
  while (last[-1] != ',') last--;
  assert_close(strtod(last, NULL), s->report.compare->rows[0].shown->x[0], 0);
  assert_has(s, "\n\"PD, tied\",1,,,,,30,165,165,165,,,,1.8e-14,1.8e-14,1.8e-14,,,,,,,9.99\n");
  done(s);
}

static void json_has_every_run(void **state) {
  (void)state;
  Shown *s = show(COMPARE_FULL);
  compare_json(&s->text, &s->report, "1.2.3");
  assert_has(s, "\"entrain\": \"1.2.3\"");
  assert_has(s, "\"label\": \"a|b\"");
  assert_has(s, "\"truth\": {\"p\": 10}");
  assert_has(s, "\"error_of\": [\"p\"]");
  assert_has(s, "\"source\": \"Somebody (1999), table 3\"");
  for (int i = 1; i <= 3; i++) {
    char seed[40];
    snprintf(seed, sizeof seed, "{\"seed\": %d, \"outcome\"", i);
    assert_has(s, seed);
  }
  assert_lacks(s, "nan");
  done(s);
}

static void traces_are_rows_with_the_name_of_their_method(void **state) {
  (void)state;
  Shown *s = show(COMPARE_FULL);
  const Compare *c = s->report.compare;
  compare_trace_csv(&s->text, c);
  int points = 0;
  for (int i = 0; i < c->done; i++)
    for (int k = 0; k < c->rows[i].run_count; k++) points += c->rows[i].runs[k].trace.count;
  assert_true(points > 10);
  assert_int_equal(count_lines(s->text.at), points + 1);
  assert_has(s, "method,run,seed,stage,lambda,iteration,evaluations,fair,objective,free_objective,"
                "best,seconds,p\n");
  assert_has(s, "\nde population=8 generations=4,3,3,");
  done(s);
}

static void the_picture_has_a_curve_for_each_method(void **state) {
  (void)state;
  Shown *s = show(COMPARE_FULL);
  Arena *a = arena_new();
  const Figure *f = compare_figure(a, s->report.compare);
  assert_non_null(f);
  figure_svg(f, &s->text);
  assert_has(s, "a|b");
  assert_has(s, "de population=8 generations=4");
  assert_has(s, "best objective so far");
  int curves = 0;
  for (int i = 0; i < f->shapes.count; i++)
    curves += f->shapes.at[i].kind == SHAPE_PATH && f->shapes.at[i].clip >= 0;
  assert_true(curves >= 3);
  assert_letters_stand_well(f);
  assert_numbers_are_sound(f);
  assert_int_equal(f->plots.at[0].series.count, 3);
  arena_free(a);
  done(s);
}

static void parameters_and_effort_are_drawn(void **state) {
  (void)state;
  Shown *s = show(COMPARE_FULL);
  Arena *a = arena_new();
  const Figure *parameters = compare_parameters_figure(a, s->report.compare);
  const Figure *effort = compare_effort_figure(a, s->report.compare);
  assert_non_null(letters_beginning_with(parameters, "p [1/s2]"));
  assert_non_null(letters_beginning_with(parameters, "truth"));
  assert_non_null(letters_beginning_with(effort, "a|b"));
  assert_letters_stand_well(parameters);
  assert_numbers_are_sound(parameters);
  const FigurePlot *p = &parameters->plots.at[0];
  assert_int_equal(p->series.count, 4);
  assert_true(p->x_log && numbers_of(p, "truth")->y[0] == s->report.compare->truth->x[0]);
  assert_letters_stand_well(effort);
  int bars = 0;
  for (int i = 0; i < effort->shapes.count; i++) bars += effort->shapes.at[i].kind == SHAPE_BOX;
  assert_int_equal(bars, 2 * 3);
  arena_free(a);
  done(s);
}

static void long_labels_are_cut_nowhere(void **state) {
  (void)state;
  Shown *s = show(COMPARE_FULL);
  Arena *a = arena_new();
  Compare *c = s->compared.compare;
  const char *label = c->rows[0].spec.label;
  c->rows[0].spec.label =
      "a very long label that somebody has given to this method because it is so "
      "good that no shorter one would do";
  const Figure *f = compare_figure(a, c);
  assert_letters_stand_well(f);
  assert_true(f->width < 1200);
  assert_letters_stand_well(compare_parameters_figure(a, c));
  assert_letters_stand_well(compare_effort_figure(a, c));
  c->rows[0].spec.label = label;
  arena_free(a);
  done(s);
}

static void without_traces_there_is_nothing_to_draw(void **state) {
  (void)state;
  Known k = compared_decay("");
  Compared c = {0};
  Arena *a = arena_new();
  compared_run(&k, &c, (const char *const[]){"lm", NULL}, NULL, NULL);
  assert_null(compare_figure(a, c.compare));
  assert_null(compare_parameters_figure(a, c.compare));
  assert_non_null(compare_effort_figure(a, c.compare));
  arena_free(a);
  compare_free(c.compare);
  known_close(&k);
}

static void refusals_are_sentences(void **state) {
  (void)state;
  Known k = compared_decay("method: sqp\nconstraints: [\"k + b <= 9\"]");
  Compared c = {0};
  Text t;
  text_init(&t);
  CompareReport r = {compared_run(&k, &c, (const char *const[]){"lm", "sqp", NULL}, NULL, NULL),
                     NULL, COMPARE_FULL};
  compare_text(&t, &r, (PageStyle){80, false});
  assert_non_null(strstr(t.at, "refused"));
  assert_non_null(strstr(t.at, "lm: method lm does not support constraints"));
  text_clear(&t);
  compare_json(&t, &r, "");
  assert_non_null(strstr(t.at, "\"refused\": \"method lm does not support"));
  text_done(&t);
  compare_free(c.compare);
  known_close(&k);
}

static void without_a_result_there_are_no_numbers(void **state) {
  (void)state;
  Known k = {.text = "model M\n  parameter Real a = 1;\n  Real x(start = 1, fixed = true);\n"
                     "equation\n  der(x) = -sqrt(a)*x;\nend M;\n",
             .measured = {"x"},
             .stop = 2,
             .step = 0.1,
             .estimate = "a: {start: -1.25, min: -2, max: -1.5e-3}",
             .truth = {1}};
  known_open(&k);
  Compared c = {.request = {.has_truth = true, .truth = k.truth}};
  Text t;
  text_init(&t);
  CompareReport r = {compared_run(&k, &c, (const char *const[]){"lm", NULL}, NULL, NULL), NULL,
                     COMPARE_FULL};
  compare_text(&t, &r, (PageStyle){200, false});
  assert_non_null(strstr(t.at, "  lm      no-start  no "));
  assert_null(strstr(t.at, "Parameters"));
  compare_csv(&t, &r);
  compare_json(&t, &r, "");
  assert_null(strstr(t.at, ",-1.25"));
  assert_null(strstr(t.at, "inf"));
  assert_null(strstr(t.at, "\"parameters\""));
  assert_null(strstr(t.at, "\"objective\""));
  text_done(&t);
  compare_free(c.compare);
  known_close(&k);
}

static void what_was_stopped_tells_how_many_runs_there_were(void **state) {
  (void)state;
  Shown *s = show(COMPARE_FULL);
  s->compared.compare->stopped = true;
  compare_text(&s->text, &s->report, (PageStyle){200, false});
  assert_has(s, "Stopped: 5 of 5 runs were started, of 3 of 3 methods");
  assert_has(s, "medians of the finished runs");
  assert_lacks(s, "ran 3 times");
  done(s);
}

static void columns_without_room_are_named(void **state) {
  (void)state;
  Shown *s = show(COMPARE_FULL);
  compare_text(&s->text, &s->report, (PageStyle){60, false});
  assert_has(s, "No room for ");
  assert_has(s, "--format csv");
  text_clear(&s->text);
  compare_text(&s->text, &s->report, (PageStyle){250, false});
  assert_lacks(s, "No room");
  assert_has(s, "with slopes");
  done(s);
}

static int dashed_curves(const Figure *f) {
  int count = 0;
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    count += s->kind == SHAPE_PATH && s->clip >= 0 && s->stroke.dash == DASH_DASHED;
  }
  return count;
}

static void a_curve_upon_another_has_gaps(void **state) {
  (void)state;
  static const char *const TEXTS_SAME[] = {"lm", "lm", NULL}, *const OTHERS[] = {"lm", "sqp", NULL};
  for (int same = 0; same < 2; same++) {
    Known k = compared_decay("");
    Compared c = {.request = {.trace = true}};
    Arena *a = arena_new();
    compared_run(&k, &c, same ? TEXTS_SAME : OTHERS, NULL, NULL);
    assert_int_equal(dashed_curves(compare_figure(a, c.compare)), same);
    arena_free(a);
    compare_free(c.compare);
    known_close(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_page_fits_its_width_and_tells_what_figures_mean),
      cmocka_unit_test(the_layout_of_the_paper_has_its_four_columns),
      cmocka_unit_test(the_layout_of_threads_has_times_and_speed),
      cmocka_unit_test(csv_has_everything_exactly),
      cmocka_unit_test(json_has_every_run),
      cmocka_unit_test(traces_are_rows_with_the_name_of_their_method),
      cmocka_unit_test(the_picture_has_a_curve_for_each_method),
      cmocka_unit_test(long_labels_are_cut_nowhere),
      cmocka_unit_test(without_traces_there_is_nothing_to_draw),
      cmocka_unit_test(refusals_are_sentences),
      cmocka_unit_test(without_a_result_there_are_no_numbers),
      cmocka_unit_test(what_was_stopped_tells_how_many_runs_there_were),
      cmocka_unit_test(columns_without_room_are_named),
      cmocka_unit_test(parameters_and_effort_are_drawn),
      cmocka_unit_test(a_curve_upon_another_has_gaps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
