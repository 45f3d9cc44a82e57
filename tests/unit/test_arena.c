#include "base/arena.h"

#include <string.h>

#include "test.h"

static void memory_is_zeroed_and_aligned(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (size_t size = 1; size < 3000; size += 1 + size / 7) {
    unsigned char *p = arena_alloc(a, 1, size);
    for (size_t i = 0; i < size; i++) assert_int_equal(p[i], 0);
    if (size >= 64) assert_int_equal((uintptr_t)p % 64, 0);
    assert_int_equal((uintptr_t)p % sizeof(void *), 0);
    memset(p, 0xaa, size); // which no later one may show
  }
  arena_free(a);
}

static void pieces_do_not_overlap(void **state) {
  (void)state;
  enum { COUNT = 500 };
  int *piece[COUNT];
  Arena *a = arena_new();
  for (int i = 0; i < COUNT; i++) {
    piece[i] = ARENA_ARRAY(a, int, 1 + i % 90);
    for (int k = 0; k <= i % 90; k++) piece[i][k] = i;
  }
  for (int i = 0; i < COUNT; i++)
    for (int k = 0; k <= i % 90; k++) assert_int_equal(piece[i][k], i);
  arena_free(a);
}

static void a_reset_arena_is_empty_and_zeroed_again(void **state) {
  (void)state;
  Arena *a = arena_new();
  size_t empty = arena_bytes(a);
  for (int round = 0; round < 3; round++) {
    char *p = ARENA_ARRAY(a, char, 100000);
    assert_true(arena_bytes(a) >= empty + 100000);
    for (int i = 0; i < 100000; i++) assert_int_equal(p[i], 0);
    memset(p, 1, 100000);
    arena_reset(a);
    assert_true(arena_bytes(a) <= empty + 64);
  }
  arena_free(a);
  arena_free(NULL);
}

static void text_is_copied_and_printed(void **state) {
  (void)state;
  Arena *a = arena_new();
  assert_string_equal(arena_copy(a, "pendulum", 4), "pend");
  assert_string_equal(arena_print(a, "%d of %s", 3, "them"), "3 of them");
  char wide[3000];
  memset(wide, 'x', sizeof wide);
  wide[sizeof wide - 1] = 0;
  assert_string_equal(arena_print(a, "%s", wide), wide);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_zeroed_and_aligned),
      cmocka_unit_test(pieces_do_not_overlap),
      cmocka_unit_test(a_reset_arena_is_empty_and_zeroed_again),
      cmocka_unit_test(text_is_copied_and_printed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
