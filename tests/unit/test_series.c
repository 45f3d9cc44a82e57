#include "write/series.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static void csv_of(const Series *s, const char *expected) {
  Text out;
  text_init(&out);
  series_csv(s, &out);
  assert_string_equal(out.at, expected);
  text_done(&out);
}

static void names_with_commas_are_quoted(void **state) {
  (void)state;
  const char *names[] = {"time", "a[1,2]", "say \"x\"", "dx/dp"};
  const double one[] = {1};
  const double *columns[] = {one, one, one, one};
  csv_of(&(Series){1, 4, names, columns}, "time,\"a[1,2]\",\"say \"\"x\"\"\",dx/dp\n1,1,1,1\n");
}

static void no_rows_leave_the_header(void **state) {
  (void)state;
  const char *names[] = {"time", "x"};
  const double none[] = {0};
  const double *columns[] = {none, none};
  csv_of(&(Series){0, 2, names, columns}, "time,x\n");
}

static void numbers_that_are_not_finite_are_missing(void **state) {
  (void)state;
  const char *names[] = {"time", "x"};
  const double t[] = {0, 1}, x[] = {NAN, -INFINITY};
  const double *columns[] = {t, x};
  Series s = {2, 2, names, columns};
  csv_of(&s, "time,x\n0,\n1,\n");
  Text out;
  text_init(&out);
  series_json(&s, &out);
  assert_string_equal(out.at, "{\"time\": [0, 1],\n \"x\": [null, null]}");
  text_done(&out);
}

static void numbers_read_back_as_the_same(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  static double t[COUNT];
  uint64_t seed = 1;
  for (int i = 0; i < COUNT; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = seed ^ seed >> 31;
    memcpy(&t[i], &bits, sizeof bits);
    if (!isfinite(t[i])) t[i] = i;
  }
  const char *names[] = {"t"};
  const double *columns[] = {t};
  Text out;
  text_init(&out);
  series_csv(&(Series){COUNT, 1, names, columns}, &out);
  const char *at = strchr(out.at, '\n') + 1;
  for (int i = 0; i < COUNT; i++) {
    char *end;
    assert_close(strtod(at, &end), t[i], 0);
    assert_int_equal(*end, '\n');
    at = end + 1;
  }
  assert_int_equal(*at, 0);
  text_done(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_with_commas_are_quoted),
      cmocka_unit_test(no_rows_leave_the_header),
      cmocka_unit_test(numbers_that_are_not_finite_are_missing),
      cmocka_unit_test(numbers_read_back_as_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
