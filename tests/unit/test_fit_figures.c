// Pictures of fits: which there are, what stands in them, and that nothing is cut off or hidden.
#include "report/fit_figures.h"

#include "known_truth.h"
#include "pictures.h"
#include "report/fit_steps_figure.h"
#include "search/result_rows.h"
#include "stats/assess.h"

static const char SPRING[] = "model Spring\n"
                             "  parameter Real k(unit = \"N/m\") = 4;\n"
                             "  parameter Real d(unit = \"1\") = 0.3;\n"
                             "  Real x(start = 1, fixed = true, unit = \"m\");\n"
                             "  Real v(start = 0, fixed = true, unit = \"m/s\");\n"
                             "equation\n  der(x) = v;\n  der(v) = -k*x - d*v;\nend Spring;\n";

typedef struct Drawn {
  Known known;
  Fitting *fitting;
  EvalWork *work;
  FitResult *result;
  FitTrace *trace;
  Statistics *statistics;
  FigureList *list;
} Drawn;

static bool record(void *data, const FitProgress *p) {
  fit_trace_add(data, p);
  return true;
}

static Drawn draw_with(Known known, bool statistics) {
  Drawn d = {.known = known};
  known_open(&d.known);
  const Problem *p = d.known.problem;
  d.fitting = fitting_new(p);
  d.work = eval_work_new(d.fitting, 1, NULL);
  d.trace = fit_trace_new(p);
  d.result = fit_run_on(p, d.work, NULL, record, d.trace);
  fit_evaluate_start(d.result, d.work);
  const Weighting *weighting = eval_spec(d.fitting, NULL).weighting;
  if (statistics) d.statistics = assess_fit(d.result, d.work, weighting);
  FitReport r = {.problem = p, .result = d.result, .statistics = d.statistics};
  d.list = fit_figures(&r, d.trace, d.work, weighting);
  for (int i = 0; i < d.list->at.count; i++) {
    assert_picture_is_sound(d.list->at.at[i].figure);
    assert_numbers_are_sound(d.list->at.at[i].figure);
  }
  return d;
}

static Drawn draw(Known known) {
  return draw_with(known, true);
}

static void drawn_done(Drawn *d) {
  figure_list_free(d->list);
  statistics_free(d->statistics);
  fit_free(d->result);
  fit_trace_free(d->trace);
  eval_work_free(d->work);
  fitting_free(d->fitting);
  known_close(&d->known);
}

static Known spring(const char *second, const char *options) {
  return (Known){.text = SPRING,
                 .measured = {"x", second},
                 .stop = 5,
                 .step = 0.05,
                 .estimate = "k: {start: 1, min: 0.1, max: 50}, d: {start: 1, min: 0, max: 5}",
                 .truth = {4, 0.3},
                 .options = options,
                 .noise = 0.02,
                 .noise_kind = NOISE_ADDITIVE};
}

static const Figure *named(const FigureList *l, const char *name) {
  for (int i = 0; i < l->at.count; i++)
    if (strcmp(l->at.at[i].name, name) == 0) return l->at.at[i].figure;
  return NULL;
}

static void the_pictures_of_a_homotopy(void **state) {
  (void)state;
  Drawn d = draw(spring("v", "method: homotopy"));
  static const char *const NAMES[] = {"intervals",      "correlations", "lambda-path",
                                      "parameters",     "objective",    "convergence",
                                      "data-and-model", "plane",        "residuals"};
  assert_int_equal(d.list->at.count, 9);
  for (int i = 0; i < 9; i++) assert_non_null(named(d.list, NAMES[i]));
  const Figure *path = named(d.list, "lambda-path"), *motion = named(d.list, "data-and-model");
  assert_non_null(letters_beginning_with(path, "k [N/m]"));
  assert_non_null(letters_beginning_with(path, "objective"));
  assert_non_null(letters_beginning_with(motion, "x [m]"));
  assert_non_null(letters_beginning_with(motion, "v [m/s]"));
  assert_non_null(letters_beginning_with(motion, "time [s]"));
  assert_string_equal(letters_beginning_with(named(d.list, "parameters"), "d")->text, "d");
  drawn_done(&d);
}

static void what_is_not_there_is_not_drawn(void **state) {
  (void)state;
  Drawn d = draw(spring(NULL, "method: lm"));
  assert_null(named(d.list, "lambda-path"));
  assert_null(named(d.list, "plane"));
  assert_non_null(named(d.list, "parameters"));
  assert_non_null(named(d.list, "data-and-model"));
  assert_null(letters_beginning_with(named(d.list, "parameters"), "tied"));
  drawn_done(&d);
}

// Curves as numbers: those of steps and stages, in the order of their axis; none of planes.
static void curves_are_there_as_numbers(void **state) {
  (void)state;
  Drawn d = draw(spring("v", "method: homotopy"));
  const Figure *path = named(d.list, "lambda-path"), *steps = named(d.list, "parameters");
  assert_int_equal(path->plots.count, 3); // the objective, k, d
  const FigureSeries *end = numbers_of(&path->plots.at[1], "end");
  assert_true(end->count == 1 && end->x[0] == 0);
  assert_int_equal(steps->plots.count, 2);
  const FigurePlot *k = &steps->plots.at[0];
  const FigureSeries *tied = numbers_of(k, "tied to the data"),
                     *alone = numbers_of(k, "model by itself");
  assert_close(numbers_of(k, "start")->y[0], d.result->start[0], 0);
  assert_close(numbers_of(k, "result")->y[1], d.result->x[0], 0);
  int points = 0;
  for (int i = 0; i < tied->count; i++) points += isfinite(tied->y[i]);
  for (int i = 0; alone && i < alone->count; i++) points += isfinite(alone->y[i]);
  assert_int_equal(points, fit_trace_count(d.trace));
  assert_int_equal(named(d.list, "convergence")->plots.count, 1);
  assert_int_equal(named(d.list, "residuals")->plots.count, 2);
  assert_int_equal(named(d.list, "objective")->plots.count, 0);
  assert_int_equal(named(d.list, "plane")->plots.count, 0);
  assert_int_equal(named(d.list, "correlations")->plots.count, 0);
  drawn_done(&d);
}

static void without_statistics_values_are_shown(void **state) {
  (void)state;
  Drawn d = draw_with(spring(NULL, "method: lm"), false);
  assert_null(named(d.list, "correlations"));
  assert_null(letters_beginning_with(named(d.list, "intervals"), "95 %"));
  assert_non_null(letters_beginning_with(named(d.list, "intervals"), "estimate"));
  drawn_done(&d);
}

// The residual that is drawn is the difference of the curves above it: here of the marks and the model.
static void marks_stand_at_the_samples(void **state) {
  (void)state;
  Drawn d = draw(spring(NULL, "method: lm"));
  const Figure *f = named(d.list, "data-and-model");
  int marks = 0;
  for (int i = 0; i < f->shapes.count; i++) marks += f->shapes.at[i].kind == SHAPE_CIRCLE;
  assert_int_equal(marks,
                   2 * d.known.problem->experiments[0].channels[0].count + 1); // and the legend
  drawn_done(&d);
}

static void names_are_plain_and_different(void **state) {
  (void)state;
  FigureList *l = figure_list_new();
  Figure *f = figure_new(l->arena, 10, 10, "f");
  figure_list_add(l, "data", "Lauf 1/2: ä", f);
  figure_list_add(l, "data", "Lauf 1/2: ä", f);
  figure_list_add(l, "data", "../..", f);
  figure_list_add(l, "data", NULL, NULL);
  figure_list_add(l, "data", NULL, f);
  static const char *const NAMES[] = {"data-Lauf-1-2", "data-Lauf-1-2-2", "data-..-..", "data"};
  assert_int_equal(l->at.count, 4);
  for (int i = 0; i < 4; i++) assert_string_equal(l->at.at[i].name, NAMES[i]);
  figure_list_free(l);
}

// A search that goes on for hours makes no pictures of hundreds of megabytes; the last step is always there.
static void long_searches_have_small_pictures(void **state) {
  (void)state;
  enum { SEARCHES = 500, EACH = 60 };
  Drawn d = draw(spring(NULL, "method: homotopy"));
  const Problem *p = d.known.problem;
  Arena *a = arena_new();
  WorkCount work = {0};
  FitPathPoint one = d.result->path.at[0];
  for (int i = 0; i < SEARCHES * EACH; i++) {
    double x[] = {1 + 0.001 * (i % 977), 0.5 + 0.0001 * (i % 91)};
    work.simulations++;
    FitProgress now = {.stage = i / EACH % 2 ? "homotopy" : "local search",
                       .lambda = i / EACH % 2 ? 1 - 0.01 * (i % EACH) : 0,
                       .iteration = i % EACH,
                       .objective = 10 + i % 7,
                       .x = x,
                       .work = &work};
    fit_trace_add(d.trace, &now);
    one.lambda = 1 - 0.01 * (i % EACH);
    array_push(d.result->arena, &d.result->path, one);
  }
  Figure *figures[] = {fit_parameters_figure(a, d.result, d.trace),
                       fit_slopes_figure(a, d.result, d.trace),
                       fit_convergence_figure(a, d.result, d.trace), fit_path_figure(a, d.result)};
  for (int i = 0; i < 4; i++) {
    assert_true(figures[i]->shapes.count < 15000);
    for (int k = 0; k < figures[i]->plots.count; k++)
      assert_true(figures[i]->plots.at[k].series.count < 40);
    assert_picture_is_sound(figures[i]);
  }
  const FigurePlot *steps = &figures[0]->plots.at[0];
  const FigureSeries *tied = &steps->series.at[steps->series.count - 2],
                     *result = &steps->series.at[steps->series.count - 1];
  assert_true(result->x[1] ==
              fit_trace_count(d.trace)); // the line of the result ends at the last step
  assert_true(tied->count > 100);
  assert_int_equal(p->unknown_count, 2);
  arena_free(a);
  drawn_done(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pictures_of_a_homotopy),
      cmocka_unit_test(what_is_not_there_is_not_drawn),
      cmocka_unit_test(curves_are_there_as_numbers),
      cmocka_unit_test(without_statistics_values_are_shown),
      cmocka_unit_test(marks_stand_at_the_samples),
      cmocka_unit_test(names_are_plain_and_different),
      cmocka_unit_test(long_searches_have_small_pictures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
