#include "base/warnings.h"

#include <string.h>

#include "test.h"

static void a_warning_reads_like_an_error_but_is_none(void **state) {
  (void)state;
  Warnings w = {.arena = arena_new()};
  warn_at(&w, (Place){"a.mo", 3, 7}, "x = y\n  ^", "'%s' looks wrong", "x");
  assert_int_equal(w.list.count, 1);
  assert_int_equal(w.list.at[0].code, ERR_NONE);
  char text[200];
  warning_format(&w.list.at[0], text, sizeof text);
  assert_string_equal(text, "a.mo:3:7: warning: 'x' looks wrong\nx = y\n  ^");
  arena_free(w.arena);
}

static void place_and_excerpt_may_be_missing(void **state) {
  (void)state;
  Warnings w = {.arena = arena_new()};
  warn_at(&w, (Place){0}, NULL, "all of it");
  char text[200];
  warning_format(&w.list.at[0], text, sizeof text);
  assert_string_equal(text, "warning: all of it");
  char small[5];
  warning_format(&w.list.at[0], small, sizeof small);
  assert_string_equal(small, "warn");
  warn_at(NULL, (Place){0}, NULL, "nobody listens");
  arena_free(w.arena);
}

static void many_warnings_are_counted_but_not_kept(void **state) {
  (void)state;
  Warnings w = {.arena = arena_new()};
  for (int i = 0; i < WARNINGS_MOST + 5; i++) warn_at(&w, (Place){0}, "", "number %d", i);
  assert_int_equal(w.list.count, WARNINGS_MOST);
  assert_int_equal(w.left_out, 5);
  assert_string_equal(w.list.at[0].text, "number 0");
  arena_free(w.arena);
}

static void the_same_is_not_said_twice(void **state) {
  (void)state;
  Warnings w = {.arena = arena_new()};
  for (int i = 0; i < 3; i++) {
    warn_at(&w, (Place){"a.mo", 3, 7}, "", "it looks wrong");
    warn_at(&w, (Place){"a.mo", 4, 7}, "", "it looks wrong");
    warn_at(&w, (Place){"a.mo", 3, 7}, "", "it looks odd");
  }
  assert_int_equal(w.list.count, 3);
  assert_int_equal(w.left_out, 0);
  arena_free(w.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_warning_reads_like_an_error_but_is_none),
      cmocka_unit_test(place_and_excerpt_may_be_missing),
      cmocka_unit_test(the_same_is_not_said_twice),
      cmocka_unit_test(many_warnings_are_counted_but_not_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
