#include "cli/lists.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static void a_list_is_split_at_its_commas(void **state) {
  (void)state;
  Words w;
  assert_true(words_split("--set", " a , b=f(1, 2),'c,d'", &w));
  assert_int_equal(w.count, 3);
  assert_string_equal(w.at[0], "a");
  assert_string_equal(w.at[1], "b=f(1, 2)");
  assert_string_equal(w.at[2], "'c,d'");
  words_done(&w);
}

static void an_empty_part_is_refused(void **state) {
  (void)state;
  const char *wrong[] = {"", ",", "a,", ",a", "a, ,b"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Words w;
    assert_false(words_split("--set", wrong[i], &w));
    words_done(&w);
  }
}

static void a_name_is_assigned_once(void **state) {
  (void)state;
  Words w;
  assert_true(assignments_split("--set", "a=1, ab=2, b=a=1, p[1]=3, p[2]=3", &w));
  assert_int_equal(w.count, 5);
  words_done(&w);
  const char *wrong[] = {"a=1,a=2", "a=1,b=2, a =1", "a,a", "a=1,,b=2"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_false(assignments_split("--set", wrong[i], &w));
    words_done(&w);
  }
}

static void only_finite_decimal_numbers_are_read(void **state) {
  (void)state;
  double v;
  assert_true(read_number("--stop", "-1.5e3", &v));
  assert_close(v, -1500, 0);
  const char *wrong[] = {"", " ", "nan", "inf", "-inf", "1e400", "0x10", "1,5", "1 2", "one"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(read_number("--stop", wrong[i], &v));
}

static void numbers_are_separated_by_commas(void **state) {
  (void)state;
  Numbers n;
  assert_true(numbers_read("--times", "1,2.5, 3", &n));
  assert_int_equal(n.count, 3);
  assert_close(n.at[1], 2.5, 0);
  numbers_done(&n);
  assert_false(numbers_read("--times", "", &n));
  numbers_done(&n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_is_split_at_its_commas),
      cmocka_unit_test(an_empty_part_is_refused),
      cmocka_unit_test(a_name_is_assigned_once),
      cmocka_unit_test(only_finite_decimal_numbers_are_read),
      cmocka_unit_test(numbers_are_separated_by_commas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
