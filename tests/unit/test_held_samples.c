// A motion that was going on before the start is told from one that begins at rest.
#include "stats/held_samples.h"

#include <math.h>

#include "test.h"

enum { COUNT = 400 };
static const double STEP = 0.05;

typedef double (*Motion)(double t);

static double swings(double t) {
  return cos(2 * t + 0.7);
}
static double turns(double t) { // at rest at 0, in between
  return cos(2 * t);
}
static double rises(double t) { // at rest before 0
  return t > 0 ? 1 - exp(-t) : 0;
}
static double accelerates(double t) {
  return t > 0 ? 1 - cos(t) : 0;
}
static double stands(double t) {
  (void)t;
  return 3;
}

static double uniform_at(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static double gaussian(uint64_t *seed) { // Box, Muller
  double a = uniform_at(seed), b = uniform_at(seed);
  return sqrt(-2 * log(1 - a)) * cos(2 * acos(-1) * b);
}

// The data show motion(t - delay); the model knows this from t = assumed on, and begins at 0.
static int held(Motion motion, double delay, double assumed, double noise, uint64_t seed) {
  static double t[COUNT], y[COUNT], error[COUNT];
  Experiment x = {.start = 0};
  Channel c = {.t = t, .y = y, .count = COUNT};
  for (int i = 0; i < COUNT; i++) {
    t[i] = i * STEP;
    y[i] = motion(t[i] - delay) + noise * gaussian(&seed);
    error[i] = motion(fmax(t[i] - assumed, 0)) - y[i];
  }
  return held_samples(&x, &c, assumed, error, fmax(noise, 1e-3));
}

static void a_motion_that_goes_on_is_found_at_any_delay(void **state) {
  for (double delay = 0.12; delay < 4; delay *= 1.4)
    for (double noise = 0; noise < 0.01; noise += 0.003)
      assert_int_equal(held(swings, delay, delay, noise, 1), (int)ceil(delay / STEP));
  (void)state;
}

static void a_motion_that_begins_at_rest_is_not(void **state) {
  static const Motion ALL[] = {rises, accelerates, stands, turns};
  for (int k = 0; k < 4; k++)
    for (uint64_t seed = 1; seed < 300; seed++) {
      double noise = seed % 3 ? 0.01 * (double)(seed % 7) : 0,
             delay = 0.05 + 0.4 * (double)(seed % 3);
      assert_int_equal(held(ALL[k], delay, delay, noise, seed), 0);
    }
  (void)state;
}

// Also where the delay from which a search starts is too long or too short: the data then move the other way, or later.
static void nor_where_the_delay_is_wrong(void **state) {
  for (double assumed = 0.3; assumed < 3; assumed += 0.2)
    for (uint64_t seed = 1; seed < 20; seed++) {
      assert_int_equal(held(rises, 1, assumed, 0.01, seed), 0);
      assert_int_equal(held(accelerates, 1, assumed, 0.01, seed), 0);
    }
  (void)state;
}

static void what_the_noise_hides_does_not_matter(void **state) {
  assert_int_equal(held(swings, 0.04, 0.04, 0.1, 1), 0);
  assert_true(held(swings, 0.4, 0.4, 0.01, 1) > 0);
  (void)state;
}

static void no_delay_holds_nothing(void **state) {
  assert_int_equal(held(swings, 0, 0, 0.01, 1), 0);
  (void)state;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motion_that_goes_on_is_found_at_any_delay),
      cmocka_unit_test(a_motion_that_begins_at_rest_is_not),
      cmocka_unit_test(nor_where_the_delay_is_wrong),
      cmocka_unit_test(what_the_noise_hides_does_not_matter),
      cmocka_unit_test(no_delay_holds_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
