#include "base/timestamp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"

static bool parse(const char *text, Timestamp *t) {
  return timestamp_parse(text, text + strlen(text), t);
}

static void forms_of_one_moment_are_the_same(void **state) {
  static const char *const SAME[] = {
      "2026-03-01T12:00:00.25Z",        "2026-03-01 12:00:00.25Z",
      "2026-03-01T12:00:00,25Z",        "2026-03-01T13:30:00.25+01:30",
      "2026-03-01T13:30:00.250+0130",   "2026-02-28T23:00:00.25-13",
      "2026-03-01t12:00:00.25z",        "2026-03-01 12:00:00.25 +00:00",
      "2026-03-01T12:00:00.2500000000Z"};
  (void)state;
  for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
    Timestamp t;
    char text[TIMESTAMP_TEXT];
    assert_true(parse(SAME[i], &t));
    assert_string_equal(timestamp_format(&t, text), "2026-03-01T12:00:00.25Z");
    assert_int_equal(t.seconds, 1772366400);
  }
}

static void other_texts_are_refused(void **state) {
  static const char *const WRONG[] = {"",
                                      "2026",
                                      "2026-3-1",
                                      "2026-13-01",
                                      "2026-02-29",
                                      "1900-02-29",
                                      "2026-00-10",
                                      "2026-01-32",
                                      "0000-01-01",
                                      "2026-01-01T",
                                      "2026-01-01T12",
                                      "2026-01-01T24:01",
                                      "2026-01-01T12:60",
                                      "2026-01-01T12:00:61",
                                      "2026-01-01T12:00:00.",
                                      "2026-01-01T12:00X",
                                      "2026-01-01T12:00+",
                                      "2026-01-01T12:00+25",
                                      "2026-01-01T12:00+01:6",
                                      "2026-01-01T12:00 ",
                                      "2026-01-01Z",
                                      "2026-01-01T12:00+01:",
                                      "20260101T120000Z",
                                      "12:00:00",
                                      "2026-01-01T24:00:00.1"};
  (void)state;
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
    Timestamp t;
    if (parse(WRONG[i], &t)) fail_msg("'%s' is accepted", WRONG[i]);
  }
}

// The calendar of the C library is the reference.
static void days_agree_with_the_calendar_and_round_trip(void **state) {
  (void)state;
  srand(7);
  for (int i = 0; i < 20000; i++) {
    time_t at = (time_t)(((double)rand() / RAND_MAX) * 3.1e11 - 6.2e10); // years 5 to 9800
    struct tm parts;
    char text[64], back[TIMESTAMP_TEXT];
    assert_non_null(gmtime_r(&at, &parts));
    int ns = rand() % 1000000000;
    snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", parts.tm_year + 1900,
             parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, ns);
    Timestamp t, again;
    assert_true(parse(text, &t));
    assert_true(t.seconds == at && t.nanoseconds == ns && t.zoned);
    assert_true(parse(timestamp_format(&t, back), &again));
    assert_true(again.seconds == t.seconds && again.nanoseconds == t.nanoseconds);
  }
}

static bool hints(const char *text, const char *word) {
  const char *hint = timestamp_hint(text, text + strlen(text));
  return word[0] ? strstr(hint, word) != NULL : !hint[0];
}

// What is like a time of day is told how they are written; numbers and what can be read are not.
static void other_forms_and_dates_that_do_not_exist_have_a_hint(void **state) {
  (void)state;
  static const char *const FORMS[] = {"31.12.2016 23:59:59", "20161231T235959Z", "12/31/2016",
                                      "2016/12/31",          "1.2.2016",         "23:59:59",
                                      "2016-1-31T00:00:00"};
  for (int i = 0; i < 7; i++) assert_true(hints(FORMS[i], "2016-12-31T23:59:59"));
  assert_true(hints("2016-02-30T00:00:00", "no such date") && hints("2015-02-29", "no such date"));
  static const char *const NUMBERS[] = {"", "12", "1.5", "1.5.x", "-3", "20161231", "1e5", "a-b"};
  for (int i = 0; i < 8; i++) assert_true(hints(NUMBERS[i], ""));
  assert_true(hints("2016-12-31", ""));
}

static void differences_keep_nanoseconds(void **state) {
  (void)state;
  Timestamp a, b;
  assert_true(parse("2026-12-31T23:59:59.999999999", &a) && !a.zoned);
  assert_true(parse("2027-01-01T00:00:00.000000001", &b));
  assert_true(timestamp_since(&b, &a) == 2e-9);
  assert_true(timestamp_since(&a, &b) == -2e-9);
  assert_true(parse("2026-12-31T23:59:59.9999999996", &b)); // rounds into the next year
  assert_int_equal(b.nanoseconds, 0);
  assert_true(timestamp_since(&b, &a) == 1e-9);
  assert_true(parse("2016-12-31T23:59:60", &a) && parse("2017-01-01", &b)); // a leap second
  assert_true(timestamp_since(&b, &a) == 0);
  assert_true(parse("0001-01-01", &a) && parse("9999-12-31", &b));
  assert_true(timestamp_since(&b, &a) == 3652058.0 * 86400);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_of_one_moment_are_the_same), cmocka_unit_test(other_texts_are_refused),
      cmocka_unit_test(days_agree_with_the_calendar_and_round_trip),
      cmocka_unit_test(other_forms_and_dates_that_do_not_exist_have_a_hint),
      cmocka_unit_test(differences_keep_nanoseconds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
