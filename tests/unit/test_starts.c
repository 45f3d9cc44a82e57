#include "search/starts.h"

#include "swings.h"
#include "threshold.h"

static void ranges_are_the_bounds_or_what_is_around_the_start(void **state) {
  (void)state;
  static const Unknown UNKNOWNS[] = {{.start = 2, .min = 1, .max = 5},
                                     {.start = 2, .min = -HUGE_VAL, .max = 5},
                                     {.start = -2, .min = -HUGE_VAL, .max = HUGE_VAL},
                                     {.start = 0, .min = -HUGE_VAL, .max = HUGE_VAL},
                                     {.start = 100, .min = 0, .max = HUGE_VAL}};
  static const double RANGES[][2] = {{1, 5}, {-4, 5}, {-8, 4}, {-1, 1}, {0, 400}};
  for (int k = 0; k < 5; k++) {
    double low, high;
    bool decades;
    start_range(&UNKNOWNS[k], &low, &high, &decades);
    assert_close(low, RANGES[k][0], 1e-12);
    assert_close(high, RANGES[k][1], 1e-12);
    assert_true(low <= UNKNOWNS[k].start && UNKNOWNS[k].start <= high);
  }
}

static void places_go_from_one_end_to_the_other(void **state) {
  (void)state;
  static const Unknown LINEAR = {.start = 2, .min = -3, .max = 7},
                       DECADES = {.start = 2, .min = 0.01, .max = 100};
  for (int k = 0; k < 2; k++) {
    const Unknown *u = k ? &DECADES : &LINEAR;
    assert_close(start_between(u, 0), u->min, 1e-12);
    assert_close(start_between(u, 1), u->max, 1e-12);
    for (double place = 0; place < 0.99; place += 0.01)
      assert_true(start_between(u, place) < start_between(u, place + 0.01));
  }
  assert_close(start_between(&LINEAR, 0.5), 2, 1e-12);  // the mean
  assert_close(start_between(&DECADES, 0.5), 1, 1e-12); // the geometric mean
}

static bool is_linear(void *data, double ratio) {
  (void)data;
  double low, high;
  bool decades;
  start_range(&(Unknown){.start = 2, .min = 2, .max = 2 * ratio}, &low, &high, &decades);
  return !decades;
}

static void more_than_a_decade_is_drawn_logarithmically(void **state) {
  (void)state;
  assert_threshold(is_linear, NULL, 10);
  double low, high;
  bool decades;
  start_range(&(Unknown){.start = 0, .min = -1, .max = 1000}, &low, &high, &decades);
  assert_false(decades); // zero has no logarithm
}

static void points_follow_from_seed_and_number(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  double mean = 0;
  for (int k = 0; k < 200; k++) {
    double x[2], again[2], other[2];
    random_point(&h->problem, (uint64_t)k, x);
    random_point(&h->problem, (uint64_t)k, again);
    assert_memory_equal(x, again, sizeof x);
    random_point(&h->problem, (uint64_t)k + 1, other);
    assert_true(x[0] != other[0] && x[1] != other[1]);
    for (int i = 0; i < 2; i++) assert_true(x[i] >= 0 && x[i] <= 9);
    mean += x[0] / 200;
    h->problem.options.seed = 2;
    random_point(&h->problem, (uint64_t)k, other);
    assert_true(x[0] != other[0]);
    h->problem.options.seed = 1;
  }
  assert_close(mean, 4.5, 0.6);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_are_the_bounds_or_what_is_around_the_start),
      cmocka_unit_test(places_go_from_one_end_to_the_other),
      cmocka_unit_test(more_than_a_decade_is_drawn_logarithmically),
      cmocka_unit_test(points_follow_from_seed_and_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
