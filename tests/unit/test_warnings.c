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

static void what_holds_in_many_places_is_said_once(void **state) {
  (void)state;
  static const char *const SAID[] = {"it looks wrong", "it looks wrong",
                                     "it looks wrong (the same in lines 2 and 3)",
                                     "it looks wrong (the same in lines 2, 3 and 4)",
                                     "it looks wrong (the same in lines 2, 3, 4 and 1 more)"};
  for (int places = 1; places <= 5; places++)
    for (int files = 0; files < 2; files++) {
      Warnings w = {.arena = arena_new()};
      for (int i = 0; i < places; i++) {
        char name[20];
        snprintf(name, sizeof name, "%d.csv", files ? i : 0);
        warn_at(&w, (Place){name, files ? 0 : i + 1, 7}, "", "it looks wrong");
        warn_at(&w, (Place){name, i + 1, 7}, "", "number %d looks odd", i);
      }
      warnings_sum(&w);
      assert_int_equal(w.list.count, places + (places > 2 ? 1 : places));
      if (!files) assert_string_equal(w.list.at[0].text, SAID[places - 1]);
      if (files && places == 5)
        assert_string_equal(w.list.at[0].text, "it looks wrong (the same in 4 more places)");
      assert_string_equal(w.list.at[1].text, "number 0 looks odd");
      arena_free(w.arena);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_warning_reads_like_an_error_but_is_none),
      cmocka_unit_test(place_and_excerpt_may_be_missing),
      cmocka_unit_test(the_same_is_not_said_twice),
      cmocka_unit_test(what_holds_in_many_places_is_said_once),
      cmocka_unit_test(many_warnings_are_counted_but_not_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
