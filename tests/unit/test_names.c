#include "base/names.h"

#include <string.h>

#include "test.h"

static void names_are_found_and_listed_in_order(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  Arena *a = arena_new();
  Names *n = names_new(a);
  char name[40];
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "body%d.x", i * 7919 % COUNT);
    assert_int_equal(names_find(n, name), -1);
    names_set(n, name, i);
  }
  assert_int_equal(names_count(n), COUNT);
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "body%d.x", i * 7919 % COUNT);
    assert_int_equal(names_find(n, name), i);
    assert_string_equal(names_at(n, i), name);
  }
  assert_int_equal(names_find(n, "body"), -1);
  assert_int_equal(names_find(n, ""), -1);
  arena_free(a);
}

static void a_name_set_again_keeps_its_place(void **state) {
  (void)state;
  Arena *a = arena_new();
  Names *n = names_new(a);
  names_set(n, "a", 1);
  names_set(n, "b", 2);
  names_set(n, "a", 3);
  assert_int_equal(names_count(n), 2);
  assert_int_equal(names_find(n, "a"), 3);
  assert_string_equal(names_at(n, 0), "a");
  arena_free(a);
}

static void names_are_copied(void **state) {
  (void)state;
  Arena *a = arena_new();
  Names *n = names_new(a);
  char name[] = "omega";
  names_set(n, name, 5);
  name[0] = 'O';
  assert_int_equal(names_find(n, "omega"), 5);
  assert_int_equal(names_find(n, name), -1);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_found_and_listed_in_order),
      cmocka_unit_test(a_name_set_again_keeps_its_place),
      cmocka_unit_test(names_are_copied),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
