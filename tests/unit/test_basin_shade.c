#include "report/basin_shade.h"

#include "made_basin.h"

static void the_best_and_the_most_common_have_colours(void **state) {
  (void)state;
  // optimum 8 is the most common one, the others but the best come once
  static const int MANY[12] = {0, 8, 8, 8, 1, 2, 3, 4, 5, 6, 7, 0};
  MadeBasin m;
  made_basin(&m, MANY, 9);
  Arena *a = arena_new();
  assert_int_equal(shade_of_optimum(&m.basin, 0), SHADE_BEST);
  assert_int_equal(shade_of_optimum(&m.basin, 8), SHADE_BEST + 1);
  int others = 0;
  for (int k = 1; k < 9; k++) others += shade_of_optimum(&m.basin, k) == SHADE_OTHER;
  assert_int_equal(others, 9 - SHADE_OPTIMA);
  assert_string_equal(shade_name(&m.basin, SHADE_BEST + 1, a), "optimum 9, objective 8.5");
  assert_string_equal(shade_name(&m.basin, SHADE_OTHER, a), "3 other optima");
  assert_string_equal(shade_name(&m.basin, SHADE_BEST, a), "best optimum, objective 0.5");
  assert_int_equal(shade_starts(&m.basin, SHADE_BEST + 1), 3);
  arena_free(a);
}

static void every_start_has_one_shade(void **state) {
  (void)state;
  MadeBasin m;
  made_basin(&m, MIXED, 3);
  int sum = 0;
  for (int s = 0; s < SHADE_COUNT; s++) sum += shade_starts(&m.basin, (BasinShade)s);
  assert_int_equal(sum, 12);
  assert_int_equal(shade_of(&m.basin, 7), SHADE_NOT_CONVERGED);
  assert_int_equal(shade_of(&m.basin, 10), SHADE_FAILED);
  assert_int_equal(shade_of(&m.basin, 11), SHADE_OPEN);
}

static void shades_differ(void **state) {
  (void)state;
  for (int i = 0; i < SHADE_COUNT; i++)
    for (int j = 0; j < i; j++) {
      assert_true(shade_ink((BasinShade)i) != shade_ink((BasinShade)j));
      assert_true(shade_letter((BasinShade)i) != shade_letter((BasinShade)j));
      assert_true(shade_terminal((BasinShade)i) != shade_terminal((BasinShade)j));
    }
}

static void percentages_never_claim_all_or_nothing(void **state) {
  (void)state;
  Arena *a = arena_new();
  Basin b = {.done = 10000};
  assert_string_equal(basin_percent(&b, 10000, a), "100 %");
  assert_string_equal(basin_percent(&b, 9999, a), "> 99.9 %");
  assert_string_equal(basin_percent(&b, 1, a), "< 0.1 %");
  assert_string_equal(basin_percent(&b, 0, a), "0.0 %");
  assert_string_equal(basin_percent(&b, 360, a), "3.6 %");
  assert_close(basin_share(&(Basin){0}, 0), 0, 0);
  arena_free(a);
}

static void nobody_is_told_that_an_optimum_is_the_best_when_that_is_not_known(void **state) {
  (void)state;
  MadeBasin m;
  made_basin(&m, MIXED, 3);
  Arena *a = arena_new();
  const char *words = "45.5 % of 11 starts reach the best optimum that was found";
  assert_string_equal(basin_headline(&m.basin, a), words);
  m.optima[0].fits = true;
  assert_string_equal(basin_headline(&m.basin, a), "45.5 % of 11 starts reach the best optimum");
  m.basin.count = m.basin.done;
  assert_string_equal(basin_headline(&m.basin, a), "45.5 % of the starts reach the best optimum");
  m.basin.optimum_count = 0;
  assert_string_equal(basin_headline(&m.basin, a), "no start reaches an optimum");
  arena_free(a);
}

static void starts_are_described_in_words(void **state) {
  (void)state;
  MadeBasin m;
  made_basin(&m, MIXED, 3);
  Arena *a = arena_new();
  assert_string_equal(basin_starts_text(&m.basin, a), "4 x 3 starts over alpha and beta");
  assert_string_equal(basin_fixed(&m.basin, a), ", mu = 0.5");
  assert_string_equal(basin_method(&m.basin, a), "lm");
  m.basin.random = true;
  m.axes[2] = (BasinAxis){"mu", 0, 1, BASIN_LINEAR, 0, 2};
  m.basin.axis_count = 3;
  assert_string_equal(basin_starts_text(&m.basin, a), "12 random starts over alpha, beta and mu");
  assert_string_equal(basin_fixed(&m.basin, a), "");
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_and_the_most_common_have_colours),
      cmocka_unit_test(every_start_has_one_shade),
      cmocka_unit_test(shades_differ),
      cmocka_unit_test(percentages_never_claim_all_or_nothing),
      cmocka_unit_test(nobody_is_told_that_an_optimum_is_the_best_when_that_is_not_known),
      cmocka_unit_test(starts_are_described_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
