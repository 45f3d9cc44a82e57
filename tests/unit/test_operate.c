// Operators between arrays.
#include "random_array.h"

static void random_expressions_have_the_numbers_that_they_should(void **state) {
  (void)state;
  for (int k = 0; k < 600; k++) {
    Arena *a = arena_new();
    Draw d = {1000 + (uint64_t)k};
    int rank, sizes[3];
    draw_sizes(&d, &rank, sizes);
    RandomArray x = array_random(a, &d, rank, sizes, 3);
    assert_array(a, &x);
    arena_free(a);
  }
}

// A choice by something that varies chooses every element.
static void a_choice_between_arrays_is_made_for_each_element(void **state) {
  (void)state;
  for (int k = 0; k < 100; k++) {
    Arena *a = arena_new();
    Draw d = {77 + (uint64_t)k};
    int rank, sizes[3];
    draw_sizes(&d, &rank, sizes);
    RandomArray x = array_random(a, &d, rank, sizes, 1), y = array_random(a, &d, rank, sizes, 1);
    const AstModel *m =
        flat_new(a, arena_print(a, "model M\n  Real x%s = if time > 1 then %s else %s;\nend M;\n",
                                sizes_text(a, &x), x.text, y.text));
    for (int i = 0; i < array_count(&x); i++) {
      const char *name = element_name(a, "x", &x, i);
      assert_close(flat_number(m, name, 2), x.at[i], 1e-9 * (1 + fabs(x.at[i])));
      assert_close(flat_number(m, name, 0), y.at[i], 1e-9 * (1 + fabs(y.at[i])));
    }
    arena_free(a);
  }
}

static void sizes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  for (int op = 0; op < 3; op++)
    for (int n = 1; n <= 4; n++)
      for (int m = 1; m <= 4; m++) {
        static const char *const OPS[] = {"+", "-", ".*"};
        Arena *a = arena_new();
        Err err = {0};
        const char *text = arena_print(
            a, "model M\n  Real x[%d] = ones(%d) %s fill(2, %d);\nend M;\n", n, n, OPS[op], m);
        assert_int_equal(flat_try(a, text, &err) != NULL, n == m);
        arena_free(a);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_expressions_have_the_numbers_that_they_should),
      cmocka_unit_test(a_choice_between_arrays_is_made_for_each_element),
      cmocka_unit_test(sizes_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
