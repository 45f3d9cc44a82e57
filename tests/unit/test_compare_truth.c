// Errors against a known truth, in what the data can tell.
#include "study/compare_truth.h"

#include "known_truth.h"

static const char PRODUCT[] =
    "model Product \"only a*b can be known, and nothing of c\"\n"
    "  parameter Real a = 2;\n  parameter Real b = 3;\n"
    "  parameter Real c = 1;\n  parameter Real k = 0.5;\n"
    "  Real x(start = 1, fixed = true);\n  Real y(start = 0, fixed = true);\n"
    "equation\n  der(x) = a*b - k*x;\n  der(y) = c;\nend Product;\n";

static Known product(double noise) {
  Known k = {.text = PRODUCT,
             .measured = {"x"},
             .stop = 8,
             .step = 0.1,
             .estimate = "a: {start: 1, min: 0.1, max: 20}, b: {start: 1, min: 0.1, max: 20}, "
                         "c: {start: 2, min: 0, max: 9}, k: {start: 1, min: 0.01, max: 9}",
             .truth = {2, 3, 1, 0.5},
             .noise = noise,
             .noise_kind = NOISE_ADDITIVE};
  known_open(&k);
  return k;
}

static void all_numbers_count_when_that_is_asked_for(void **state) {
  (void)state;
  Known k = product(0);
  const CompareTruth *t = compare_truth_new(k.arena, k.problem, k.truth, true);
  assert_int_equal(t->count, 4);
  assert_int_equal(t->left_out_count, 0);
  assert_close(compare_truth_error(t, k.truth), 0, 0);
  assert_close(compare_truth_error(t, (double[]){2.2, 3, 1, 0.5}), 0.1, 1e-14);
  assert_close(compare_truth_error(t, (double[]){2.2, 3, 1, 0.3}), 0.4, 1e-14);
  assert_close(compare_truth_error(t, (double[]){2, 3, -1, 0.5}), 2, 1e-14);
  known_close(&k);
}

static void numbers_that_trade_count_by_what_does_not_change(void **state) {
  (void)state;
  static const double NOISE[] = {0, 0.01};
  for (int i = 0; i < 2; i++) {
    Known k = product(NOISE[i]);
    const CompareTruth *t = compare_truth_new(k.arena, k.problem, k.truth, false);
    assert_int_equal(t->left_out_count, 3); // a, b, c
    assert_int_equal(t->count, 2);          // k, a*b
    assert_close(compare_truth_error(t, (double[]){4, 1.5, 7, 0.5}), 0, 1e-14);
    assert_close(compare_truth_error(t, (double[]){4, 1.65, 7, 0.5}), 0.1, 1e-12);
    assert_close(compare_truth_error(t, (double[]){4, 1.5, 7, 0.55}), 0.1, 1e-12);
    assert_true(compare_truth_error(t, (double[]){-4, 1.5, 7, 0.5}) == HUGE_VAL);
    known_close(&k);
  }
}

static void the_truth_is_that_of_the_model_unless_it_is_given(void **state) {
  (void)state;
  Known k = product(0);
  const CompareTruth *t = compare_truth_new(k.arena, k.problem, NULL, true);
  for (int i = 0; i < 4; i++) assert_close(t->x[i], k.truth[i], 0);
  known_close(&k);
}

// Nothing can be told where nothing can be simulated: then all unknowns count.
static void a_truth_that_cannot_be_simulated_counts_all_numbers(void **state) {
  (void)state;
  Known k = {.text = "model Root\n  parameter Real a = 1;\n  Real x(start = 1, fixed = true);\n"
                     "equation\n  der(x) = -sqrt(a)*x;\nend Root;\n",
             .measured = {"x"},
             .stop = 2,
             .step = 0.1,
             .estimate = "a: {start: 2, min: -5, max: 9}",
             .truth = {1}};
  known_open(&k);
  const CompareTruth *t = compare_truth_new(k.arena, k.problem, (double[]){-1}, false);
  assert_int_equal(t->count, 1);
  assert_close(compare_truth_error(t, (double[]){-1.5}), 0.5, 1e-14);
  known_close(&k);
}

static void a_truth_of_zero_is_compared_with_the_bounds(void **state) {
  (void)state;
  Known k = product(0);
  const CompareTruth *t = compare_truth_new(k.arena, k.problem, (double[]){2, 3, 0, 0.5}, true);
  assert_close(compare_truth_error(t, (double[]){2, 3, 0.9, 0.5}), 0.1, 1e-14);
  known_close(&k);
}

// The estimate is as far from the truth as the noise puts it, and a method that gets there has found all there is to find.
static void what_noise_has_moved_is_found_nevertheless(void **state) {
  (void)state;
  Known k = product(0.3);
  const CompareTruth *t = compare_truth_new(k.arena, k.problem, k.truth, false);
  assert_non_null(t->near);
  double within = 0.1 * compare_truth_error(t, t->near); // nearer than the noise lets it come
  assert_true(within > 0);
  assert_true(compare_truth_found(t, k.truth, within));
  assert_true(compare_truth_found(t, t->near, within));
  double *far = ARENA_ARRAY(k.arena, double, t->n);
  for (int i = 0; i < t->n; i++) far[i] = 2 * k.truth[i] - t->near[i];
  assert_false(compare_truth_found(t, far, within));
  known_close(&k);
}

// A search from there ends at what the data say, which is no reason to call it true.
static void a_truth_that_is_none_is_not_found(void **state) {
  (void)state;
  static const double NOISE[] = {0, 0.1};
  for (int i = 0; i < 2; i++) {
    Known k = product(NOISE[i]);
    const double wrong[] = {2, 3, 1, 0.8};
    const CompareTruth *t = compare_truth_new(k.arena, k.problem, wrong, false);
    assert_null(t->near);
    assert_false(compare_truth_found(t, k.truth, 0.01));
    assert_true(compare_truth_found(t, wrong, 0.01));
    known_close(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_numbers_count_when_that_is_asked_for),
      cmocka_unit_test(numbers_that_trade_count_by_what_does_not_change),
      cmocka_unit_test(the_truth_is_that_of_the_model_unless_it_is_given),
      cmocka_unit_test(a_truth_that_cannot_be_simulated_counts_all_numbers),
      cmocka_unit_test(a_truth_of_zero_is_compared_with_the_bounds),
      cmocka_unit_test(what_noise_has_moved_is_found_nevertheless),
      cmocka_unit_test(a_truth_that_is_none_is_not_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
