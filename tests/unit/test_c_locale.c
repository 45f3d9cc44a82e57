#include "base/c_locale.h"

#include "base/csv.h"
#include "base/options.h"
#include "base/text.h"
#include "comma_locale.h"
#include "test.h"

static void formats_and_reads(const char *what) {
  char out[64], *end;
  double v = 0;
  print_message("# %s\n", what);
  c_snprintf(out, sizeof out, "%g %.2f %e", 1.5, -0.25, 1e-3);
  assert_string_equal(out, "1.5 -0.25 1.000000e-03");
  assert_true(c_strtod("2.5,1", &end) == 2.5);
  assert_string_equal(end, ",1");
  number_format(0.1, out);
  assert_string_equal(out, "0.1");
  assert_true(number_parse(" 1.25e-3 ", &v) && v == 1.25e-3);
  assert_false(number_parse("1,25", &v));
  Arena *a = arena_new();
  assert_string_equal(arena_print(a, "%g", 0.5), "0.5");
  Err err = {0};
  fail_at(&err, ERR_VALUE, (Place){0}, "%g is wrong", 0.5);
  assert_string_equal(err.text, "0.5 is wrong");
  static const char CSV[] = "t;x\n0,5;1234567890123456789012,25\n"; // beyond the quick ways
  Err none = {0};
  const Table *t = table_parse(a, "t.csv", CSV, strlen(CSV), &none);
  assert_non_null(t);
  assert_true(t->column[0][0] == 0.5);
  assert_true(t->column[1][0] == 1234567890123456789012.25);
  arena_free(a);
}

static void numbers_have_a_point_in_every_locale(void **state) {
  (void)state;
  formats_and_reads("in C");
  char folder[32], out[16];
  if (!comma_locale_make(folder)) {
    comma_locale_done(folder);
    print_message("# no localedef or no definition of " COMMA_LOCALE "\n");
    skip();
  }
  snprintf(out, sizeof out, "%g", 1.5);
  assert_string_equal(out, "1,5"); // the locale is there
  formats_and_reads("with setlocale");
  locale_t comma = duplocale(LC_GLOBAL_LOCALE);
  setlocale(LC_ALL, "C");
  locale_t before = uselocale(comma);
  formats_and_reads("with uselocale");
  assert_true(uselocale((locale_t)0) == comma); // the caller's stays
  uselocale(before);
  freelocale(comma);
  comma_locale_done(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_have_a_point_in_every_locale)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
