#include "lang/words.h"

#include <stdbool.h>
#include <string.h>

#include "test.h"

static void equal_names_are_one_word(void **state) {
  (void)state;
  Arena *a = arena_new();
  WordTable *w = words_new(a);
  static const char *const NAMES[] = {"x", "alpha", "eightlet", "nineletter", "'a b'", ""};
  for (int i = 0; i < 6; i++) words_find(w, NAMES[i], strlen(NAMES[i]))->value = i + 1;
  for (int i = 0; i < 6; i++) {
    const Word *word = words_find(w, NAMES[i], strlen(NAMES[i]));
    assert_int_equal(word->value, i + 1);
    assert_string_equal(word->name, NAMES[i]);
  }
  arena_free(a);
}

static void only_the_given_length_counts(void **state) {
  (void)state;
  Arena *a = arena_new();
  WordTable *w = words_new(a);
  const char *first = words_find(w, "alpha*beta", 5)->name;
  assert_string_equal(first, "alpha");
  assert_ptr_equal(words_find(w, "alpha+gamma", 5)->name, first);
  assert_true(words_find(w, "alpha", 4)->name != first);
  arena_free(a);
}

static void a_growing_table_keeps_names_and_values(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  Arena *a = arena_new();
  WordTable *w = words_new(a);
  static const char *stored[COUNT];
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < COUNT; i++) {
      char name[40];
      int length = snprintf(name, sizeof name, i % 2 ? "x%d" : "temperature_%d", i);
      Word *word = words_find(w, name, (size_t)length);
      if (turn == 0) {
        stored[i] = word->name;
        word->value = i;
      }
      assert_ptr_equal(word->name, stored[i]);
      assert_string_equal(word->name, name);
      assert_int_equal(word->value, i);
    }
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_names_are_one_word),
      cmocka_unit_test(only_the_given_length_counts),
      cmocka_unit_test(a_growing_table_keeps_names_and_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
