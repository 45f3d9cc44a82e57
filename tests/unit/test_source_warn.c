#include "lang/source_warn.h"

#include <string.h>

#include "test.h"

static void a_warning_shows_its_line_with_a_caret(void **state) {
  (void)state;
  Arena *a = arena_new();
  const char *text = "model A\n  x = y;\nend A;\n";
  const Source *s = source_new(a, "a.mo", text, strlen(text), NULL);
  Warnings w = {.arena = a};
  source_warn(s, &w, 2, 5, "the %s", "sides");
  assert_string_equal(w.list.at[0].file, "a.mo");
  assert_string_equal(w.list.at[0].text, "the sides");
  assert_string_equal(w.list.at[0].excerpt, "  x = y;\n    ^");
  arena_free(a);
}

static void without_source_there_is_a_sentence(void **state) {
  (void)state;
  Warnings w = {.arena = arena_new()};
  source_warn(NULL, &w, 2, 5, "only this");
  assert_string_equal(w.list.at[0].text, "only this");
  assert_string_equal(w.list.at[0].excerpt, "");
  assert_string_equal(w.list.at[0].file, "");
  arena_free(w.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_warning_shows_its_line_with_a_caret),
      cmocka_unit_test(without_source_there_is_a_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
