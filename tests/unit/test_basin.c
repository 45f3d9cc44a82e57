// Which optimum is reached from where: optima that are known beforehand, plans, threads.
#include "study/basin.h"

#include "known_truth.h"

static Basin *basin(const Known *k, const BasinAxis *axes, int count, int random) {
  Err err = {0};
  BasinRequest q = {axes, count, random, k->truth};
  Basin *b = basin_run(k->problem, &q, NULL, NULL, &err);
  if (!b) print_error("%s\n", err.text);
  assert_non_null(b);
  assert_int_equal(b->done, b->count);
  return b;
}

static BasinAxis over(const char *name, int count) {
  return (BasinAxis){.name = name, .low = nan(""), .high = nan(""), .count = count};
}

static int sum_of_counts(const Basin *b) {
  int sum = b->failed + b->not_converged;
  for (int k = 0; k < b->optimum_count; k++) sum += b->optima[k].count;
  return sum;
}

// Nothing tells k from -k, but only 0 lies between them, and that is no optimum.
static void symmetric_optima_stay_distinct(void **state) {
  (void)state;
  Known k = {.text = "model M\n  parameter Real k = 2;\n  Real x(start = 1, fixed = true);\n"
                     "equation\n  der(x) = -k^2*x;\nend M;\n",
             .measured = {"x"},
             .stop = 1,
             .step = 0.02,
             .estimate = "k: {start: 1, min: -5, max: 5}",
             .truth = {1.3},
             .options = "method: lm"};
  known_open(&k);
  BasinAxis axis = over("k", 10);
  Basin *b = basin(&k, &axis, 1, 0);
  assert_int_equal(b->optimum_count, 2);
  assert_int_equal(b->optima[0].count, 5);
  assert_int_equal(b->optima[1].count, 5);
  assert_close(fabs(b->optima[0].x[0]), 1.3, 1e-6);
  assert_close(b->optima[0].x[0] + b->optima[1].x[0], 0, 1e-6);
  assert_false(b->optima[0].flat);
  for (int i = 0; i < 10; i++) assert_close(b->ends[i], b->optima[b->start[i].optimum].x[0], 1e-6);
  basin_free(b);
  known_close(&k);
}

// Only the product counts: every search ends somewhere else, and all of them at the same optimum.
static void points_along_a_flat_direction_are_one_optimum(void **state) {
  (void)state;
  Known k = {.text = "model M\n  parameter Real a = 1;\n  parameter Real b = 1;\n"
                     "  Real x(start = 1, fixed = true);\nequation\n  der(x) = -a*b*x;\nend M;\n",
             .measured = {"x"},
             .stop = 2,
             .step = 0.05,
             .estimate = "a: {start: 1, min: 0.1, max: 10}, b: {start: 1, min: 0.1, max: 10}",
             .truth = {2, 0.4},
             .options = "method: lm"};
  known_open(&k);
  BasinAxis axes[] = {over("a", 5), over("b", 4)};
  Basin *b = basin(&k, axes, 2, 0);
  assert_int_equal(b->optimum_count, 1);
  assert_int_equal(b->optima[0].count, 20);
  assert_true(b->optima[0].flat && b->optima[0].fits);
  assert_true(b->optima[0].error < 1e-6); // in what the data can tell
  double least = 10, most = 0;
  for (int i = 0; i < 20; i++) {
    assert_close(b->ends[2 * i] * b->ends[2 * i + 1], 0.8, 1e-5);
    least = fmin(least, b->ends[2 * i]), most = fmax(most, b->ends[2 * i]);
  }
  assert_true(most > 2 * least);
  basin_free(b);
  known_close(&k);
}

static const char SWING[] = "model Swing\n  parameter Real w = 3;\n  parameter Real d = 0.1;\n"
                            "  Real x(start = 1, fixed = true);\n"
                            "  Real v(start = 0, fixed = true);\n"
                            "equation\n  der(x) = v;\n  der(v) = -w^2*x - d*v;\nend Swing;\n";

static Known swing(const char *options) {
  Known k = {.text = SWING,
             .measured = {"x"},
             .stop = 30,
             .step = 0.2,
             .estimate = "w: {start: 5, min: 0.5, max: 8}, d: {start: 0.2, min: 0, max: 2}",
             .truth = {3, 0.1},
             .options = options};
  known_open(&k);
  return k;
}

// Without much damping every wrong frequency has an optimum of its own.
static Known lasting_swing(void) {
  Known k = swing("method: lm");
  k.problem->unknowns[1].start = 0.1;
  k.problem->unknowns[1].max = 0.2;
  return k;
}

static void optima_are_distinct_and_the_best_comes_first(void **state) {
  (void)state;
  Known k = lasting_swing();
  BasinAxis axis = over("w", 60);
  Basin *b = basin(&k, &axis, 1, 0);
  assert_true(b->optimum_count > 2);
  assert_int_equal(sum_of_counts(b), 60);
  assert_true(b->optima[0].error < 1e-6 && b->optima[1].error > 0.01);
  assert_true(b->optima[0].fits && !b->optima[1].fits);
  for (int i = 1; i < b->optimum_count; i++) {
    assert_true(b->optima[i].objective >= b->optima[i - 1].objective);
    assert_true(b->optima[i].count > 0 && b->optima[i].median > 0);
  }
  for (int i = 0; i < 60; i++) // the frequencies beside the true one find it
    if (fabs(b->starts[2 * i] - 3) < 0.2) assert_int_equal(b->start[i].optimum, 0);
  assert_close(b->best, b->optima[0].objective, 0);
  basin_free(b);
  known_close(&k);
}

static void the_most_common_optimum_is_known(void **state) {
  (void)state;
  Known k = lasting_swing();
  BasinAxis axis = over("w", 40);
  Basin *b = basin(&k, &axis, 1, 0);
  assert_true(b->optimum_count > 2);
  for (int i = 1; i < b->optimum_count; i++)
    for (int j = 1; j < b->optimum_count; j++)
      if (b->optima[i].commoner < b->optima[j].commoner)
        assert_true(b->optima[i].count >= b->optima[j].count);
  basin_free(b);
  known_close(&k);
}

static void a_search_that_is_cut_short_reaches_an_optimum_only_where_it_stands_on_it(void **state) {
  (void)state;
  Known k = swing("method: lm\noptions: {max_iterations: 1}");
  BasinAxis axis = over("w", 30);
  Basin *b = basin(&k, &axis, 1, 0);
  assert_true(b->not_converged > 20);
  assert_int_equal(sum_of_counts(b), 30);
  for (int i = 0; i < 30; i++)
    assert_int_equal(b->start[i].end == BASIN_REACHED, b->start[i].optimum >= 0);
  basin_free(b);
  known_close(&k);
}

static void grids_reach_from_bound_to_bound(void **state) {
  (void)state;
  Known k = swing("method: lm\noptions: {max_iterations: 1}");
  BasinAxis axes[] = {over("d", 3), over("w", 4)};
  axes[1].scale = BASIN_LOG;
  axes[0].low = 0.5;
  Basin *b = basin(&k, axes, 2, 0);
  assert_int_equal(b->count, 12);
  for (int i = 0; i < 12; i++) {
    assert_close(b->starts[2 * i], 0.5 * pow(16, (i / 3) / 3.0), 1e-14);
    assert_close(b->starts[2 * i + 1], 0.5 + 0.75 * (i % 3), 1e-14);
    assert_close(basin_axis_fraction(&b->axes[1], b->starts[2 * i]), (i / 3) / 3.0, 1e-14);
  }
  assert_true(b->starts[0] == 0.5 && b->starts[22] == 8 && b->starts[23] == 2); // to the bit
  basin_free(b);
  known_close(&k);
}

static void numbers_that_are_not_named_begin_where_the_problem_says(void **state) {
  (void)state;
  Known k = swing("method: lm\noptions: {max_iterations: 1}");
  BasinAxis axis = over("w", 7);
  Basin *b = basin(&k, &axis, 1, 0);
  for (int i = 0; i < 7; i++) assert_close(b->starts[2 * i + 1], 0.2, 0);
  basin_free(b);
  known_close(&k);
}

static void random_starts_are_inside_and_do_not_depend_on_their_number(void **state) {
  (void)state;
  Known k = swing("method: lm\noptions: {max_iterations: 1}");
  Known other = swing("method: lm\noptions: {max_iterations: 1, seed: 2}");
  Basin *few = basin(&k, NULL, 0, 5), *more = basin(&k, NULL, 0, 40);
  Basin *others = basin(&other, NULL, 0, 5);
  for (int i = 0; i < 10; i++) {
    assert_close(few->starts[i], more->starts[i], 0);
    assert_true(few->starts[i] != others->starts[i]);
  }
  for (int i = 0; i < 40; i++) {
    assert_true(more->starts[2 * i] > 0.5 && more->starts[2 * i] < 8);
    assert_true(more->starts[2 * i + 1] > 0 && more->starts[2 * i + 1] < 2);
  }
  basin_free(few);
  basin_free(more);
  basin_free(others);
  known_close(&k);
  known_close(&other);
}

static void assert_same(const Basin *a, const Basin *b) {
  size_t n = (size_t)a->count * (size_t)a->problem->unknown_count;
  assert_int_equal(a->optimum_count, b->optimum_count);
  assert_memory_equal(a->ends, b->ends, n * sizeof *a->ends);
  for (int i = 0; i < a->count; i++) {
    assert_int_equal(a->start[i].optimum, b->start[i].optimum);
    assert_int_equal(a->start[i].work.sensitivity_simulations,
                     b->start[i].work.sensitivity_simulations);
    assert_memory_equal(&a->start[i].objective, &b->start[i].objective, sizeof(double));
  }
  for (int k = 0; k < a->optimum_count; k++)
    assert_memory_equal(a->optima[k].x, b->optima[k].x,
                        (size_t)a->problem->unknown_count * sizeof(double));
  assert_int_equal(a->work.rhs, b->work.rhs);
}

static void results_are_the_same_to_the_bit_for_any_number_of_threads(void **state) {
  (void)state;
  static const char *const METHODS[] = {"lm", "homotopy", "lmder"};
  static const int THREADS[] = {2, 3, 8};
  for (int m = 0; m < 3; m++) {
    char options[100];
    snprintf(options, sizeof options, "method: %s", METHODS[m]);
    Known k = swing(options);
    BasinAxis axes[] = {over("w", 7), over("d", 4)};
    k.problem->options.threads = 1;
    Basin *one = basin(&k, axes, 2, 0);
    for (int t = 0; t < 3; t++) {
      k.problem->options.threads = THREADS[t];
      Basin *many = basin(&k, axes, 2, 0);
      assert_same(one, many);
      basin_free(many);
    }
    basin_free(one);
    known_close(&k);
  }
}

static bool stop_after_five(void *data, const Basin *b) {
  int *told = data;
  assert_true(b->done >= *told && b->done <= b->count);
  *told = b->done;
  return b->done < 5;
}

static void what_is_done_is_kept_when_it_is_stopped(void **state) {
  (void)state;
  Known k = swing("method: lm");
  BasinAxis axis = over("w", 400);
  Err err = {0};
  int told = 0;
  Basin *b = basin_run(k.problem, &(BasinRequest){&axis, 1, 0, NULL}, stop_after_five, &told, &err);
  assert_non_null(b);
  assert_true(b->done >= 5 && b->done < 400);
  assert_int_equal(sum_of_counts(b), b->done);
  for (int i = b->done; i < 400; i++) assert_int_equal(b->start[i].end, BASIN_OPEN);
  assert_true(isnan(b->optima[0].error));
  basin_free(b);
  known_close(&k);
}

static void refuse(const Known *k, BasinAxis first, BasinAxis second, int count, int random,
                   const char *words) {
  Err err = {0};
  BasinAxis axes[] = {first, second};
  BasinRequest q = {axes, count, random, NULL};
  assert_null(basin_run(k->problem, &q, NULL, NULL, &err));
  if (!strstr(err.text, words)) fail_msg("'%s' lacks '%s'", err.text, words);
}

static void plans_that_make_no_sense_are_refused_with_a_sentence(void **state) {
  (void)state;
  Known k = swing("method: lm");
  BasinAxis w = over("w", 5), d = over("d", 5), wide = w, empty = w, log = d, none = w;
  wide.high = 9;
  empty.low = empty.high = 3;
  log.scale = BASIN_LOG;
  none.count = 0;
  refuse(&k, over("ww", 3), d, 1, 0, "did you mean 'w'?");
  refuse(&k, over("strange", 3), d, 1, 0, "'strange' is not estimated");
  refuse(&k, w, w, 2, 0, "w is named twice");
  refuse(&k, wide, d, 2, 0, "leaves its bounds [0.5, 8]");
  refuse(&k, empty, d, 2, 0, "is empty");
  refuse(&k, log, w, 2, 0, "must be positive");
  refuse(&k, none, d, 2, 0, "no point along w");
  refuse(&k, over("w", 100000), over("d", 100000), 2, 0, "too many");
  refuse(&k, w, d, 2, -3, "-3 random starts");
  k.problem->unknowns[0].max = HUGE_VAL;
  refuse(&k, w, d, 1, 0, "w has no finite bounds");
  known_close(&k);
}

// Manikantan and others (2020), figure 1c: the homotopy reaches the truth from everywhere, a local search from hardly anywhere.
static void the_tie_widens_the_basin_of_the_single_well(void **state) {
  (void)state;
  for (int coupled = 0; coupled < 2; coupled++) {
    Known k = {.model = "models/vanderpol_duffing.mo",
               .measured = {"x1"},
               .stop = 20,
               .step = 0.05,
               .estimate = "alpha: {start: 10, min: 0.1, max: 10}, beta: {start: 10, min: 0.1, "
                           "max: 10}, mu: {start: 0.1, min: 0.01, max: 2}",
               .truth = {0.5, 0.5, 0.1},
               .options = coupled ? "method: homotopy" : "method: lm"};
    known_open(&k);
    BasinAxis axes[] = {over("alpha", 7), over("beta", 7)};
    Basin *b = basin(&k, axes, 2, 0);
    assert_true(b->optima[0].error < 1e-6);
    if (coupled)
      assert_int_equal(b->optima[0].count, 49);
    else
      assert_true(b->optima[0].count < 10);
    basin_free(b);
    known_close(&k);
  }
}

// Over several decades, too.
static void what_the_data_do_not_see_makes_one_optimum(void **state) {
  (void)state;
  Known k = {.text = "model M\n  parameter Real a = 1;\n  parameter Real b = 1;\n"
                     "  Real x(start = 1, fixed = true);\n  Real y(start = 1, fixed = true);\n"
                     "equation\n  der(x) = -x;\n  der(y) = -a*y + b;\nend M;\n",
             .measured = {"x"},
             .stop = 1,
             .step = 0.1,
             .estimate = "a: {start: 1, min: 1e-3, max: 100}, b: {start: 1, min: 0, max: 10}",
             .truth = {1, 1},
             .options = "method: lm"};
  known_open(&k);
  BasinAxis axes[] = {over("a", 3), over("b", 3)};
  Basin *b = basin(&k, axes, 2, 0);
  assert_int_equal(b->optimum_count, 1);
  assert_int_equal(b->optima[0].count, 9);
  assert_true(b->optima[0].flat);
  basin_free(b);
  known_close(&k);
}

// Far out a search stops wherever the objective has become flat; one from the middle may go on elsewhere.
static void a_plateau_is_one_optimum(void **state) {
  (void)state;
  Known k = {.text = "model M\n  parameter Real a = 1;\n  parameter Real b = 1;\n"
                     "  Real x(start = 0, fixed = true);\n"
                     "equation\n  der(x) = b*(a - x);\nend M;\n",
             .measured = {"x"},
             .stop = 10,
             .step = 1,
             .estimate = "a: {start: 1, min: 0.1, max: 10}, b: {start: 1, min: 1e-3, max: 1000}",
             .truth = {3, 0.3},
             .options = "method: gauss-newton"};
  known_open(&k);
  BasinAxis axis = {.name = "b", .low = 8, .high = 1000, .scale = BASIN_LOG, .count = 20};
  Basin *b = basin(&k, &axis, 1, 0);
  assert_int_equal(b->optimum_count, 2);
  assert_true(b->optima[0].fits);
  assert_true(b->optima[1].flat && b->optima[1].x[1] > 50);
  basin_free(b);
  known_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(symmetric_optima_stay_distinct),
      cmocka_unit_test(points_along_a_flat_direction_are_one_optimum),
      cmocka_unit_test(optima_are_distinct_and_the_best_comes_first),
      cmocka_unit_test(the_most_common_optimum_is_known),
      cmocka_unit_test(a_search_that_is_cut_short_reaches_an_optimum_only_where_it_stands_on_it),
      cmocka_unit_test(grids_reach_from_bound_to_bound),
      cmocka_unit_test(numbers_that_are_not_named_begin_where_the_problem_says),
      cmocka_unit_test(random_starts_are_inside_and_do_not_depend_on_their_number),
      cmocka_unit_test(results_are_the_same_to_the_bit_for_any_number_of_threads),
      cmocka_unit_test(what_is_done_is_kept_when_it_is_stopped),
      cmocka_unit_test(plans_that_make_no_sense_are_refused_with_a_sentence),
      cmocka_unit_test(the_tie_widens_the_basin_of_the_single_well),
      cmocka_unit_test(what_the_data_do_not_see_makes_one_optimum),
      cmocka_unit_test(a_plateau_is_one_optimum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
