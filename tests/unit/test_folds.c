// Blocks of cross-validation: every sample is left out once, in one block of neighbours.
#include "study/folds.h"

#include "line_models.h"
#include "search/fit.h"

static void every_sample_is_left_out_once(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 1, 0.1, 0.1);
  const Problem *p = lines_problem(&l, "p.yaml", "measure: [y, z]", LINE_AB);
  for (int folds = 2; folds <= 7; folds++) {
    Arena *a = arena_new();
    int out[LINE_ROWS] = {0}, before = 0;
    for (int k = 0; k < folds; k++) {
      const Problem *less = problem_without_fold(a, p, folds, k);
      const Channel *y = &less->experiments[0].channels[0], *z = &less->experiments[0].channels[1];
      int held = 0;
      for (int i = 0; i < LINE_ROWS; i++) {
        assert_int_equal(sample_counts(y, i), sample_counts(z, i)); // blocks are those of time
        out[i] += !sample_counts(y, i), held += !sample_counts(y, i);
      }
      assert_true(abs(held - LINE_ROWS / folds) <= 1);
    }
    for (int i = 0; i < LINE_ROWS; i++) {
      int fold = fold_of(&p->experiments[0], l.t[i], folds);
      assert_int_equal(out[i], 1);
      assert_true(fold >= before && fold <= before + 1 && fold < folds);
      before = fold;
    }
    assert_null(p->experiments[0].channels[0].sample_weight); // the problem itself is as it was
    arena_free(a);
  }
  lines_close(&l);
}

// The fit without a block is that of data which never had the block.
static void a_block_left_out_has_no_say(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 2, 0.1, 0.1);
  const Problem *p = lines_problem(&l, "p.yaml", "measure: [y]", LINE_AB);
  double w[LINE_ROWS];
  for (int k = 0; k < 3; k++) {
    Arena *a = arena_new();
    for (int i = 0; i < LINE_ROWS; i++) w[i] = i * 3 / LINE_ROWS == k ? 0 : 1;
    FitResult *r = fit_run(problem_without_fold(a, p, 3, k), NULL, NULL, NULL);
    assert_close_relative(2 * r->objective, line_squares(l.t, l.y, w, LINE_ROWS, 2), 1e-6);
    fit_free(r);
    arena_free(a);
  }
  lines_close(&l);
}

static void too_many_folds_are_an_error(void **state) {
  (void)state;
  Lines l;
  lines_open(&l, 3, 0.1, 0.1);
  const Problem *p = lines_problem(&l, "p.yaml", "measure: [y]", LINE_AB);
  Err fine = {0}, few = {0}, one = {0};
  assert_true(folds_suit(p, LINE_ROWS, &fine));
  assert_false(folds_suit(p, LINE_ROWS + 1, &few));
  assert_non_null(strstr(few.text, "too few samples"));
  assert_false(folds_suit(p, 1, &one));
  lines_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_sample_is_left_out_once),
      cmocka_unit_test(a_block_left_out_has_no_say),
      cmocka_unit_test(too_many_folds_are_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
