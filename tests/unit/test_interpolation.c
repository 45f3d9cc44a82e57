#include "stats/interpolation.h"

#include <string.h>

#include "evaluation.h"
#include "study/assessed_fit.h"
#include "swinging_mass.h"
#include "threshold.h"

typedef struct Said {
  int count;
  char text[300];
} Said;

static Said compare(const Mass *m, const char *more) {
  Made made;
  Said out = {0};
  AssessedFit f = assessed_fit_run(mass_problem(&made, m, more), NULL, 0, NULL, NULL);
  int before = f.statistics->remark_count;
  compare_interpolations(f.result, f.weighting, f.work, f.statistics);
  out.count = f.statistics->remark_count - before;
  if (out.count) snprintf(out.text, sizeof out.text, "%s", f.statistics->remarks[before]);
  assessed_fit_done(&f);
  made_close(&made);
  return out;
}

static const Mass HELD = {.k = 1, .d = 0.2, .held = true, .noise = 1e-3};
static const Mass STRAIGHT = {.k = 1, .d = 0.2, .held = false, .noise = 1e-3};

static void an_interpolation_that_halves_the_error_is_named(void **state) {
  (void)state;
  Said held = compare(&HELD, ""), straight = compare(&STRAIGHT, ", interpolation: hold");
  assert_int_equal(held.count, 1);
  assert_non_null(strstr(held.text, "With the input u interpolated by hold instead of linear"));
  assert_int_equal(straight.count, 1);
  assert_non_null(strstr(straight.text, "interpolated by linear instead of hold"));
}

static void the_right_one_is_left_alone(void **state) {
  (void)state;
  assert_int_equal(compare(&HELD, ", interpolation: hold").count, 0);
  assert_int_equal(compare(&STRAIGHT, "").count, 0);
}

// More noise hides the difference: the sentence ends where the error is no longer halved.
static bool says(void *data, double noise) {
  Mass m = HELD;
  (void)data;
  m.noise = noise;
  return compare(&m, "").count == 1;
}

static void the_sentence_ends_where_the_error_is_not_halved(void **state) {
  (void)state;
  double low = 1e-4, high = 1;
  assert_turns(says, NULL, low, high);
  for (int i = 0; i < 14; i++) {
    double middle = sqrt(low * high);
    *(says(NULL, middle) ? &low : &high) = middle;
  }
  Made made;
  Mass m = HELD;
  double error[2];
  for (int right = 0; right < 2; right++) {
    m.noise = low;
    Problem *p = mass_problem(&made, &m, right ? ", interpolation: hold" : "");
    AssessedFit f = assessed_fit_run(p, NULL, 0, NULL, NULL);
    error[right] = f.statistics->channels[0].rmse;
    assessed_fit_done(&f);
    made_close(&made);
  }
  assert_close(error[1] / error[0], 0.5, 0.01);
}

// ---------------------------------------------------------------- which inputs

static Problem *many_inputs(Made *made, int count) {
  char model[1000] = "model Many\n", sum[300] = "", head[300] = "t,y", data[8000], yaml[400];
  made_open(made);
  for (int u = 0; u < count; u++) {
    sprintf(model + strlen(model), "  input Real u%d;\n", u);
    sprintf(sum + strlen(sum), " + u%d", u);
    sprintf(head + strlen(head), ",u%d", u);
  }
  sprintf(model + strlen(model),
          "  input Boolean on;\n  input Real fixed;\n  parameter Real k = 1;\n  Real x(start = 0, "
          "fixed = true);\n"
          "equation\n  der(x) = -k*x%s + (if on then 1 else 0) + fixed;\nend Many;\n",
          sum);
  made_file(made, "many.mo", model);
  int length = sprintf(data, "%s,on,fixed\n", head);
  for (int i = 0; i < 20; i++) {
    length += sprintf(data + length, "%d,%g", i, sin(i));
    for (int u = 0; u < count; u++) length += sprintf(data + length, ",%g", cos(i + u));
    length += sprintf(data + length, ",%d,3\n", i % 2);
  }
  made_file(made, "data.csv", data);
  snprintf(yaml, sizeof yaml,
           "model: many.mo\nexperiments:\n  - data: data.csv\n    measure: {x: y}\nestimate: {k: "
           "{start: 1, min: 0.1, max: 10}}\n");
  return made_load(made, yaml);
}

static void many_inputs_are_changed_together(void **state) {
  (void)state;
  Made made;
  Arena *a = arena_new();
  InputGroups four = input_groups(a, many_inputs(&made, 4));
  assert_int_equal(four.count, 4);
  assert_string_equal(four.at[2].name, "the input u2");
  for (int u = 0; u < 6; u++) assert_int_equal(four.at[2].input[u], u == 2);
  assert_int_equal(four.at[2].present, INPUT_LINEAR);
  made_close(&made);
  InputGroups five = input_groups(a, many_inputs(&made, 5));
  assert_int_equal(five.count, 1); // neither the Boolean nor the one that does not change
  assert_string_equal(five.at[0].name, "all 5 sampled inputs");
  for (int u = 0; u < 7; u++) assert_int_equal(five.at[0].input[u], u < 5);
  made_close(&made);
  arena_free(a);
}

// Experiments with the input held and straight: no kind is the present one, and the best is named alone.
static void experiments_may_differ(void **state) {
  (void)state;
  for (int mixed = 0; mixed < 2; mixed++) {
    Made made;
    Arena *a = arena_new();
    char yaml[400];
    mass_problem(&made, &HELD, "");
    problem_free(made.problem);
    snprintf(yaml, sizeof yaml,
             "model: mass.mo\nexperiments:\n  - {data: data.csv, measure: {x: y}, interpolation: "
             "%s}\n  - {data: data.csv, measure: {x: y}, interpolation: linear}\nestimate: {k: "
             "{start: 1, min: 0.1, max: 10}}\n",
             mixed ? "hold" : "linear");
    InputGroups g = input_groups(a, made_load(&made, yaml));
    assert_int_equal(g.count, 1);
    assert_int_equal((int)g.at[0].present, mixed ? INPUT_KINDS : (int)INPUT_LINEAR);
    arena_free(a);
    made_close(&made);
  }
}

// ---------------------------------------------------------------- before a fit

static void the_change_is_that_of_the_simulated_data(void **state) {
  (void)state;
  Made made[2];
  Arena *a = arena_new();
  Problem *linear = mass_problem(&made[0], &HELD, "");
  Problem *hold = mass_problem(&made[1], &HELD, ", interpolation: hold");
  Evaluation *e = evaluation_new(linear), *other = evaluation_new(hold);
  double x[3] = {1, 0.2, 0.5}, change, r[2][MASS_ROWS], sum = 0;
  InputGroups g = input_groups(a, linear);
  assert_true(interpolation_change(e->work, x, &g.at[0], INPUT_HOLD, &change));
  evaluate_residuals(e->work, &e->spec, x, r[0], NULL, NULL);
  evaluate_residuals(other->work, &other->spec, x, r[1], NULL, NULL);
  for (int i = 0; i < MASS_ROWS; i++) sum += pow(r[1][i] - r[0][i], 2) / MASS_ROWS;
  assert_close_relative(change, sqrt(sum), 1e-9);
  assert_true(interpolation_change(e->work, x, &g.at[0], INPUT_LINEAR, &change));
  assert_true(change == 0);
  evaluation_free(e);
  evaluation_free(other);
  made_close(&made[0]);
  made_close(&made[1]);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_interpolation_that_halves_the_error_is_named),
      cmocka_unit_test(the_right_one_is_left_alone),
      cmocka_unit_test(the_sentence_ends_where_the_error_is_not_halved),
      cmocka_unit_test(many_inputs_are_changed_together),
      cmocka_unit_test(experiments_may_differ),
      cmocka_unit_test(the_change_is_that_of_the_simulated_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
