#include "num/distribution.h"

#include "test.h"

// Values of the tables in Abramowitz and Stegun, continued by 40-digit arithmetic.
static void well_known_quantiles(void **state) {
  (void)state;
  assert_close(normal_quantile(0.975), 1.959963984540054, 1e-14);
  assert_close(normal_quantile(0.5), 0, 1e-16);
  assert_close(student_quantile(0.975, 10), 2.2281388519862747, 1e-12);
  assert_close(student_quantile(0.975, 1), 12.706204736174704, 1e-11);
  assert_close(student_quantile(0.025, 5.5), -student_quantile(0.975, 5.5), 1e-12);
  assert_close(chi_square_below(18.307038053275146, 10), 0.95, 1e-13);
}

static void normal_quantile_inverts(void **state) {
  (void)state;
  for (double x = -37; x <= 8; x += 0.37) {
    double p = normal_below(x);
    if (x < -0.01)
      assert_close_relative(normal_quantile(p), x, 1e-13);
    else
      assert_close(normal_below(normal_quantile(p)), p, 2e-16);
  }
}

static void student_has_closed_forms(void **state) {
  (void)state;
  for (double t = -50; t <= 50; t += 0.73) {
    assert_close(student_below(t, 1), 0.5 + atan(t) / M_PI, 1e-13);
    assert_close(student_below(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 1e-13);
    double s = t * t / 4;
    assert_close(student_below(t, 4), 0.5 + 0.375 * t / sqrt(1 + s) * (1 - s / (3 * (1 + s))),
                 1e-13);
  }
}

static void student_quantile_inverts(void **state) {
  (void)state;
  const double freedom[] = {0.5, 1, 2, 3, 7.5, 30, 1000, 1e5, 1e8};
  const double p[] = {1e-12, 1e-5, 0.025, 0.3, 0.49, 0.6, 0.9, 0.975, 0.999};
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 9; k++)
      assert_close_relative(student_below(student_quantile(p[k], freedom[i]), freedom[i]), p[k],
                            1e-11);
}

static void student_becomes_normal(void **state) {
  (void)state;
  for (double t = -6; t < 6; t += 0.31) {
    // Cornish-Fisher: the first correction is (t^3 + t) density / (4 freedom)
    double nu = 1e6, density = exp(-t * t / 2) / sqrt(2 * M_PI);
    double first = normal_below(t) - (t * t * t + t) / (4 * nu) * density;
    assert_close(student_below(t, nu), first, 2e-11);
  }
}

static void chi_square_has_closed_forms(void **state) {
  (void)state;
  for (double x = 0.01; x < 400; x *= 1.3) {
    assert_close_relative(chi_square_above(x, 2), exp(-x / 2), 1e-12);
    assert_close_relative(chi_square_above(x, 1), erfc(sqrt(x / 2)), 1e-12);
    double sum = 0, term = 1; // Poisson
    for (int k = 0; k < 10; k++) {
      sum += term;
      term *= x / 2 / (k + 1);
    }
    assert_close_relative(chi_square_above(x, 20), exp(-x / 2) * sum, 1e-12);
  }
}

static void both_parts_of_chi_square_add_up_and_grow(void **state) {
  (void)state;
  const double freedom[] = {0.7, 3, 59, 61, 1000, 1e6};
  for (int i = 0; i < 6; i++) {
    double last = -1;
    for (double z = -5; z < 6; z += 0.5) {
      double x = fmax(0, freedom[i] + z * sqrt(2 * freedom[i])),
             p = chi_square_below(x, freedom[i]);
      assert_close(p + chi_square_above(x, freedom[i]), 1, 1e-15);
      assert_true(p >= last);
      last = p;
    }
  }
}

// The ways to compute the front factor meet: a recurrence of chi-square in its freedom holds across the border.
static void the_quantile_of_chi_square_inverts_it(void **state) {
  (void)state;
  static const double FREEDOM[] = {0.3, 1, 1.7, 2, 5, 30, 59.5, 60.5, 1000, 1e6};
  static const double P[] = {1e-12, 1e-6, 1e-3, 0.01, 0.3, 0.5};
  for (int i = 0; i < 10; i++) {
    double before = 0;
    for (int k = 0; k < 6; k++) {
      double low = chi_square_quantile(P[k], FREEDOM[i]);
      double high = chi_square_quantile(1 - P[k], FREEDOM[i]);
      assert_close_relative(chi_square_below(low, FREEDOM[i]), P[k], 1e-9);
      assert_close_relative(chi_square_above(high, FREEDOM[i]), 1 - (1 - P[k]), 1e-9);
      assert_true(low > before && high >= low);
      before = low;
    }
  }
  assert_close_relative(chi_square_quantile(0.95, 1), 3.841458820694124, 1e-12);
  assert_close_relative(chi_square_quantile(0.99, 2), -2 * log(0.01), 1e-12);
}

static void chi_square_is_the_same_on_both_sides_of_its_methods(void **state) {
  (void)state;
  for (double x = 30; x < 100;
       x += 7) { // P(x; k+2) = P(x; k) - (x/2)^(k/2) exp(-x/2) / Gamma(k/2 + 1)
    double step = exp(29.5 * log(x / 2) - x / 2 - lgamma(30.5));
    assert_close(chi_square_below(x, 61), chi_square_below(x, 59) - step, 1e-13);
  }
}

static void extremes_are_certain(void **state) {
  (void)state;
  assert_true(chi_square_below(0, 3) == 0 && chi_square_above(0, 3) == 1);
  assert_true(chi_square_above(HUGE_VAL, 3) == 0);
  assert_true(student_below(HUGE_VAL, 3) == 1 && student_below(-HUGE_VAL, 3) == 0);
  assert_true(normal_below(HUGE_VAL) == 1);
  assert_true(isnan(student_below(nan(""), 3)) && isnan(chi_square_above(nan(""), 2)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(well_known_quantiles),
      cmocka_unit_test(normal_quantile_inverts),
      cmocka_unit_test(student_has_closed_forms),
      cmocka_unit_test(student_quantile_inverts),
      cmocka_unit_test(student_becomes_normal),
      cmocka_unit_test(chi_square_has_closed_forms),
      cmocka_unit_test(both_parts_of_chi_square_add_up_and_grow),
      cmocka_unit_test(the_quantile_of_chi_square_inverts_it),
      cmocka_unit_test(chi_square_is_the_same_on_both_sides_of_its_methods),
      cmocka_unit_test(extremes_are_certain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
