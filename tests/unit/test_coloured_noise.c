#include "num/coloured_noise.h"

#include <stdlib.h>

#include "test.h"

enum { LENGTH = 6, RECORDS = 40000 };

// Products of samples of records that begin anew: every sample has variance 1, the first one too, and pairs are correlated
// by share * correlation^lag.
static void records_are_stationary_from_their_first_sample(void **state) {
  (void)state;
  static const double cases[][2] = {{0, 1}, {0.9, 1}, {0.9, 0.5}, {-0.6, 1}, {0.9, 0}};
  for (int k = 0; k < 5; k++) {
    double product[LENGTH][LENGTH] = {{0}};
    Random random;
    random_seed(&random, 5);
    for (int i = 0; i < RECORDS; i++) {
      double y[LENGTH];
      NoiseSource source = noise_source(cases[k][0], cases[k][1]);
      for (int t = 0; t < LENGTH; t++) y[t] = noise_next(&source, &random);
      for (int t = 0; t < LENGTH; t++)
        for (int u = 0; u < LENGTH; u++) product[t][u] += y[t] * y[u] / RECORDS;
    }
    for (int t = 0; t < LENGTH; t++)
      for (int u = 0; u < LENGTH; u++) {
        double slow = cases[k][0] == 0 ? 0 : cases[k][1] * pow(cases[k][0], abs(t - u));
        assert_close(product[t][u], t == u ? 1 : slow, 0.03);
      }
  }
}

static void white_noise_is_the_plain_stream(void **state) {
  (void)state;
  Random a, b;
  random_seed(&a, 1);
  random_seed(&b, 1);
  NoiseSource source = noise_source(0, 1);
  for (int i = 0; i < 10; i++) assert_close(noise_next(&source, &a), random_normal(&b), 0);
}

static void values_are_rounded_to_multiples(void **state) {
  (void)state;
  assert_close(quantised(0.234, 0), 0.234, 0);
  assert_close(quantised(0.234, 0.05), 0.25, 1e-15);
  assert_close(quantised(-0.234, 0.1), -0.2, 1e-15);
  assert_close(quantised(17, 5), 15, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_stationary_from_their_first_sample),
      cmocka_unit_test(white_noise_is_the_plain_stream),
      cmocka_unit_test(values_are_rounded_to_multiples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
