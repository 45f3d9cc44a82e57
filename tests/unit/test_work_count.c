#include "residual/work_count.h"

#include "test.h"
#include "threshold.h"

static void adding_adds_each_count(void **state) {
  (void)state;
  WorkCount sum = {0}, one = {1, 2, 3, 4, 5, 6, 7, 9, 10, 0.25, 11, 12, 13, 0.5, {0}};
  one.ended[OUTCOME_CHATTER] = 8;
  for (int k = 1; k <= 3; k++) {
    work_count_add(&sum, &one);
    WorkCount all = {k * 1,  k * 2,    k * 3,  k * 4,  k * 5,  k * 6,   k * 7, k * 9,
                     k * 10, k * 0.25, k * 11, k * 12, k * 13, k * 0.5, {0}};
    all.ended[OUTCOME_CHATTER] = k * 8;
    WorkCount rest = work_count_rest(&all, &one);
    work_count_add(&rest, &one);
    assert_memory_equal(&rest, &all, sizeof all);
    assert_memory_equal(&sum, &all, sizeof all);
  }
  assert_int_equal(work_count_simulations(&sum), sum.simulations + sum.sensitivity_simulations);
}

static bool is_short(void *data, double rhs) {
  (void)data;
  return work_count_length(&(WorkCount){.rhs = (long)rhs}, 2, 0, 3) < WORK_IS_LONG;
}

static bool is_short_without_states(void *data, double rows) {
  (void)data;
  return work_count_length(&(WorkCount){.simulations = 5, .sensitivity_simulations = 5}, 0, rows,
                           3) < WORK_IS_LONG;
}

// 2e8 numbers a second: 2.5e6 right-hand sides of 2 states with 3 slopes are a tenth of one.
static void length_is_that_of_the_numbers_integrated(void **state) {
  (void)state;
  assert_threshold(is_short, NULL, 2.5e6);
  assert_threshold(is_short_without_states, NULL, 5e5);
}

// The longest path of n simulations by w workers is that of the one who has most: n/w, rounded up.
static void workers_share_what_came_since(void **state) {
  (void)state;
  for (long more = 0; more < 20; more++)
    for (int workers = 1; workers < 6; workers++) {
      WorkCount w = {.simulations = 100, .in_turn = 30 + more};
      work_count_share(&w, 30, workers);
      long share = w.in_turn - 30;
      assert_true(share * workers >= more && (share - 1) * workers < more);
      assert_int_equal(w.simulations, 100);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adding_adds_each_count),
      cmocka_unit_test(length_is_that_of_the_numbers_integrated),
      cmocka_unit_test(workers_share_what_came_since),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
