// Values of expressions: iterators, ranges and choices that are known.
#include "random_array.h"

// Two iterators, the second depends on the first in its body only; against sums in C.
static void sums_with_iterators_are_sums(void **state) {
  (void)state;
  for (int n = 0; n < 6; n++)
    for (int m = 0; m < 6; m++) {
      Arena *a = arena_new();
      double sum = 0, product = 1;
      for (int i = 1; i <= n; i++)
        for (int k = 1; k <= m; k++) sum += i * k + 0.5, product *= 1 + 0.01 * i - 0.02 * k;
      const char *text =
          arena_print(a,
                      "model M\n  Real x = sum(i*k + 0.5 for i in 1:%d, k in 1:%d);\n"
                      "  Real y = product(1 + 0.01*i - 0.02*k for i in 1:%d, k in 1:%d);\nend M;\n",
                      n, m, n, m);
      const AstModel *flat = flat_new(a, text);
      assert_close(flat_number(flat, "x", 0), sum, 1e-10 * (1 + fabs(sum)));
      assert_close(flat_number(flat, "y", 0), product, 1e-10);
      arena_free(a);
    }
}

static void ranges_have_the_elements_that_count(void **state) {
  (void)state;
  for (int from = -3; from <= 3; from++)
    for (int step = -3; step <= 3; step++)
      for (int to = -3; to <= 3; to++) {
        if (!step) continue;
        Arena *a = arena_new();
        int count = 0, sum = 0;
        for (int i = from; step > 0 ? i <= to : i >= to; i += step) count++, sum += i;
        const char *text = arena_print(a,
                                       "model M\n  constant Integer n = size((%d):(%d):(%d), 1);\n"
                                       "  Real x = sum(i for i in (%d):(%d):(%d));\nend M;\n",
                                       from, step, to, from, step, to);
        const AstModel *m = flat_new(a, text);
        assert_close(flat_number(m, "n", 0), count, 0);
        assert_close(flat_number(m, "x", 0), sum, 0);
        arena_free(a);
      }
}

// {e for i in r}[k] is e at r[k].
static void elements_of_comprehensions_are_their_expressions(void **state) {
  (void)state;
  for (int k = 1; k <= 5; k++) {
    Arena *a = arena_new();
    const char *text = arena_print(a,
                                   "model M\n  parameter Real r[5] = {3, 1, 4, 1.5, 9};\n"
                                   "  Real y[5] = {r[i]*sin(time + i) for i in 1:5};\n"
                                   "  Real x = r[%d]*sin(time + %d);\n  Real z = y[%d];\nend M;\n",
                                   k, k, k);
    const AstModel *m = flat_new(a, text);
    assert_close(flat_number(m, "x", 0.3), flat_number(m, "z", 0.3), 1e-14);
    arena_free(a);
  }
}

// Every expression of the language in a model comes back from its flat text with the same number.
static void random_expressions_read_back(void **state) {
  (void)state;
  for (int k = 0; k < 200; k++) {
    Arena *a = arena_new();
    Draw d = {300 + (uint64_t)k};
    int none[3] = {1, 1, 1};
    RandomArray x = array_random(a, &d, 0, none, 3);
    const char *text = arena_print(
        a, "model M\n  Real y = time;\n  Real x = if y > 1 then %s else -y;\nend M;\n", x.text);
    const char *flat = flat_text(a, flat_new(a, text));
    assert_string_equal(flat_text(a, flat_new(a, flat)), flat);
    assert_close(flat_number(flat_new(a, flat), "x", 2), x.at[0], 1e-9 * (1 + fabs(x.at[0])));
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_with_iterators_are_sums),
      cmocka_unit_test(ranges_have_the_elements_that_count),
      cmocka_unit_test(elements_of_comprehensions_are_their_expressions),
      cmocka_unit_test(random_expressions_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
