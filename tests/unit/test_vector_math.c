#include "code/vector_math.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "expr/table.h"
#include "test.h"

enum { POINTS = 60000 };

static uint64_t rng_next(uint64_t *state) { // xorshift64*
  *state ^= *state >> 12, *state ^= *state << 25, *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1du;
}

static double rng_unit(uint64_t *state) {
  return (double)(rng_next(state) >> 11) * 0x1p-53;
}

static double rng_between(uint64_t *state, double least, double most) {
  return least + (most - least) * rng_unit(state);
}

static double rng_any_bits(uint64_t *state) {
  uint64_t u = rng_next(state);
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}

static bool same(double a, double b) {
  return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

// Error of got in units in the last place of exact.
static double ulps(double got, long double exact) {
  double near = (double)exact;
  if (near == got)
    return fabs((double)(exact - (long double)got)) /
           (nextafter(fabs(near), HUGE_VAL) - fabs(near));
  int exponent;
  frexp(near, &exponent);
  return (double)(fabsl((long double)got - exact) / ldexpl(1, exponent - 53));
}

typedef long double Exact(long double, long double);

static long double exact_sin(long double a, long double b) {
  return (void)b, sinl(a);
}
static long double exact_cos(long double a, long double b) {
  return (void)b, cosl(a);
}
static long double exact_exp(long double a, long double b) {
  return (void)b, expl(a);
}
static long double exact_log(long double a, long double b) {
  return (void)b, logl(a);
}
static long double exact_tanh(long double a, long double b) {
  return (void)b, tanhl(a);
}
static long double exact_atan(long double a, long double b) {
  return (void)b, atanl(a);
}

typedef struct AccuracyRow {
  Op op;
  Exact *exact;
  double least, most;   // of the first argument
  double least2, most2; // of the second
  double ulps_most;
} AccuracyRow;

static const AccuracyRow ACCURACY[] = {
    {OP_SIN, exact_sin, -10, 10, 0, 0, 0.85},      {OP_SIN, exact_sin, -1e4, 1e4, 0, 0, 0.85},
    {OP_SIN, exact_sin, -1e9, 1e9, 0, 0, 0.85},    {OP_SIN, exact_sin, -1e-5, 1e-5, 0, 0, 0.85},
    {OP_COS, exact_cos, -10, 10, 0, 0, 0.85},      {OP_COS, exact_cos, -1e9, 1e9, 0, 0, 0.85},
    {OP_EXP, exact_exp, -1, 1, 0, 0, 0.9},         {OP_EXP, exact_exp, -700, 700, 0, 0, 0.9},
    {OP_LOG, exact_log, 0.5, 2, 0, 0, 1.0},        {OP_LOG, exact_log, 0.99, 1.01, 0, 0, 1.0},
    {OP_LOG, exact_log, 0, 1e6, 0, 0, 1.0},        {OP_LOG, exact_log, 0, 1e300, 0, 0, 1.0},
    {OP_TANH, exact_tanh, -1, 1, 0, 0, 2.6},       {OP_TANH, exact_tanh, -25, 25, 0, 0, 2.6},
    {OP_TANH, exact_tanh, -1e-3, 1e-3, 0, 0, 2.6}, {OP_ATAN, exact_atan, -1, 1, 0, 0, 0.95},
    {OP_ATAN, exact_atan, -10, 10, 0, 0, 0.95},    {OP_ATAN, exact_atan, -1e6, 1e6, 0, 0, 0.95},
    {OP_POW, powl, 0, 10, -10, 10, 1.15},          {OP_POW, powl, 0.9, 1.1, -3000, 3000, 1.15},
    {OP_POW, powl, 0, 1e10, -20, 20, 1.15},        {OP_POW, powl, 0, 1e3, 1, 4, 1.15},
};

enum { ACCURACY_COUNT = sizeof ACCURACY / sizeof ACCURACY[0] };

static double worst_in(const AccuracyRow *r) {
  const VectorMath *math = vector_math(4);
  uint64_t seed = 0x9e3779b97f4a7c15u;
  double worst = 0;
  for (int i = 0; i < POINTS; i += 4) {
    double a[4], b[4], got[4];
    for (int k = 0; k < 4; k++) {
      a[k] = rng_between(&seed, r->least, r->most);
      b[k] = rng_between(&seed, r->least2, r->most2);
    }
    math->fn[r->op](a, b, got);
    for (int k = 0; k < 4; k++) {
      long double exact = r->exact((long double)a[k], (long double)b[k]);
      if (exact == 0 || !isnormal((double)exact)) continue;
      worst = fmax(worst, ulps(got[k], exact));
    }
  }
  return worst;
}

static void kernels_are_as_accurate_as_the_header_says(void **state) {
  (void)state;
  for (int i = 0; i < ACCURACY_COUNT; i++) {
    double worst = worst_in(&ACCURACY[i]);
    if (worst > ACCURACY[i].ulps_most)
      fail_msg("%s in [%g, %g]: %.3f ulp", OPS[ACCURACY[i].op].name, ACCURACY[i].least,
               ACCURACY[i].most, worst);
  }
}

static const double SPECIALS[] = {
    0.0,     -0.0,    HUGE_VAL, -HUGE_VAL, (double)NAN, 5e-324, -5e-324, 1e-310, -1e-310,
    DBL_MIN, DBL_MAX, -DBL_MAX, 1,         -1,          0.5,    -0.5,    2,      -2,
    3,       -3,      1e9,      1.1e9,     -1e9,        1e15,   1e19,    -1e19,  1e300,
    -1e300,  707,     707.5,    -707.5,    710,         -745,   -746,    22,     -22,
    0.4375,  2.4375,  1e-8,     -1e-8,     1e-300,      M_PI,   -M_PI,   M_PI_2, M_PI_4,
    1e5,     0x1p-27, -0x1p-27, 100.25,    -3.5,
};

enum { SPECIAL_COUNT = sizeof SPECIALS / sizeof SPECIALS[0] };

// Zeros with their sign, infinities and NaNs exactly; the rest nearly.
static bool agrees_with_libm(double got, double want) {
  if (isnan(want)) return isnan(got);
  if (want == 0 || isinf(want)) return same(got, want);
  return fabs(got - want) <= 4 * fabs(want) * 0x1p-53 + 5e-324;
}

static void special_arguments_give_what_libm_gives(void **state) {
  (void)state;
  const VectorMath *math = vector_math(4);
  for (Op op = 0; op < OP_COUNT; op++) {
    if (!math->fn[op] || op_reads_table(op)) continue;
    for (int i = 0; i < SPECIAL_COUNT; i++)
      for (int j = 0; j < SPECIAL_COUNT; j++) {
        double a[4] = {0.3, SPECIALS[i], 0.7, SPECIALS[i]};
        double b[4] = {0.3, SPECIALS[j], 0.7, 1.5}, got[4];
        math->fn[op](a, b, got);
        if (!agrees_with_libm(got[1], op_apply(op, a[1], b[1], 0)))
          fail_msg("%s(%g, %g) = %g, not %g", OPS[op].name, a[1], b[1], got[1],
                   op_apply(op, a[1], b[1], 0));
      }
  }
}

static double random_argument(uint64_t *seed) {
  switch (rng_next(seed) % 4) {
  case 0: return rng_any_bits(seed);
  case 1: return SPECIALS[rng_next(seed) % SPECIAL_COUNT];
  case 2: return rng_between(seed, -3, 3);
  default: return rng_between(seed, -800, 800);
  }
}

static bool has_accuracy(Op op) {
  for (int i = 0; i < ACCURACY_COUNT; i++)
    if (ACCURACY[i].op == op) return true;
  return false;
}

static void functions_without_a_kernel_give_the_bits_of_libm(void **state) {
  (void)state;
  const VectorMath *math = vector_math(4);
  uint64_t seed = 11;
  for (int i = 0; i < 5000; i++) {
    double a[4], b[4], got[4];
    for (int k = 0; k < 4; k++) a[k] = random_argument(&seed), b[k] = random_argument(&seed);
    for (Op op = 0; op < OP_COUNT; op++) {
      if (!math->fn[op] || op_reads_table(op) || has_accuracy(op)) continue;
      math->fn[op](a, b, got);
      for (int k = 0; k < 4; k++) assert_true(same(got[k], op_apply(op, a[k], b[k], 0)));
    }
  }
}

static void compare_builds(const VectorMath *one, int lanes_one, const VectorMath *other,
                           int lanes_other) {
  uint64_t seed = 12345;
  for (int i = 0; i < 4000; i++) {
    double a[8], b[8], x[8], y[8];
    for (int k = 0; k < 8; k++) a[k] = random_argument(&seed), b[k] = random_argument(&seed);
    for (Op op = 0; op < OP_COUNT; op++) {
      if (!one->fn[op] || op_reads_table(op)) continue;
      for (int k = 0; k < 8; k += lanes_one) one->fn[op](a + k, b + k, x + k);
      for (int k = 0; k < 8; k += lanes_other) other->fn[op](a + k, b + k, y + k);
      for (int k = 0; k < 8; k++)
        if (!same(x[k], y[k]))
          fail_msg("%s(%a, %a): %a and %a", OPS[op].name, a[k], b[k], x[k], y[k]);
    }
  }
}

static void all_builds_and_widths_give_the_same_bits(void **state) {
  (void)state;
  const VectorMath *reference = vector_math_build(VECTOR_GENERIC, 4);
  compare_builds(reference, 4, vector_math_build(VECTOR_GENERIC, 8), 8);
  for (VectorBuild build = VECTOR_AVX2; build <= VECTOR_AVX512; build++)
    for (int lanes = 4; lanes <= 8; lanes += 4) {
      const VectorMath *math = vector_math_build(build, lanes);
      if (math) compare_builds(reference, 4, math, lanes);
    }
}

static void a_lane_does_not_depend_on_its_neighbours(void **state) {
  (void)state;
  const VectorMath *math = vector_math(4);
  uint64_t seed = 99;
  for (int i = 0; i < 5000; i++) {
    double a[4], b[4], all[4], alone[4];
    for (int k = 0; k < 4; k++) a[k] = random_argument(&seed), b[k] = random_argument(&seed);
    for (Op op = 0; op < OP_COUNT; op++) {
      if (!math->fn[op] || op_reads_table(op)) continue;
      int k = i % 4;
      double one[4] = {a[k], a[k], a[k], a[k]}, two[4] = {b[k], b[k], b[k], b[k]};
      math->fn[op](a, b, all);
      math->fn[op](one, two, alone);
      assert_true(same(all[k], alone[0]));
    }
  }
}

static void sincos_gives_the_bits_of_sin_and_of_cos(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int lanes = 4; lanes <= 8; lanes += 4) {
    const VectorMath *math = vector_math(lanes);
    for (int i = 0; i < 5000; i++) {
      double a[8], s[8], c[8], sine[8], cosine[8];
      for (int k = 0; k < lanes; k++) a[k] = random_argument(&seed);
      math->sincos(a, sine, cosine);
      math->fn[OP_SIN](a, a, s);
      math->fn[OP_COS](a, a, c);
      for (int k = 0; k < lanes; k++) assert_true(same(s[k], sine[k]) && same(c[k], cosine[k]));
    }
  }
}

static void the_result_may_take_the_place_of_an_argument(void **state) {
  (void)state;
  const VectorMath *math = vector_math(8);
  uint64_t seed = 5;
  for (Op op = 0; op < OP_COUNT; op++) {
    if (!math->fn[op] || op_reads_table(op)) continue;
    double a[8], b[8], want[8], copy[8];
    for (int k = 0; k < 8; k++)
      a[k] = rng_between(&seed, 0.1, 0.9), b[k] = rng_between(&seed, 1, 2);
    math->fn[op](a, b, want);
    memcpy(copy, a, sizeof copy);
    math->fn[op](copy, b, copy);
    assert_memory_equal(copy, want, sizeof want);
    memcpy(copy, b, sizeof copy);
    math->fn[op](a, copy, copy);
    assert_memory_equal(copy, want, sizeof want);
  }
}

static void odd_and_even_functions_are_so_exactly(void **state) {
  (void)state;
  static const Op odd[] = {OP_SIN, OP_ATAN, OP_TANH};
  const VectorMath *math = vector_math(4);
  uint64_t seed = 3;
  for (int i = 0; i < 5000; i++) {
    double x = random_argument(&seed), a[4] = {x, -x, x, -x}, got[4];
    for (int j = 0; j < 3; j++) {
      math->fn[odd[j]](a, a, got);
      assert_true(same(got[0], -got[1]));
    }
    math->fn[OP_COS](a, a, got);
    assert_true(same(got[0], got[1]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_are_as_accurate_as_the_header_says),
      cmocka_unit_test(special_arguments_give_what_libm_gives),
      cmocka_unit_test(functions_without_a_kernel_give_the_bits_of_libm),
      cmocka_unit_test(all_builds_and_widths_give_the_same_bits),
      cmocka_unit_test(a_lane_does_not_depend_on_its_neighbours),
      cmocka_unit_test(sincos_gives_the_bits_of_sin_and_of_cos),
      cmocka_unit_test(the_result_may_take_the_place_of_an_argument),
      cmocka_unit_test(odd_and_even_functions_are_so_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
