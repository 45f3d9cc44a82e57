#include "write/listing.h"

#include "test.h"

static const char *const HEADS[] = {"name", ">value", "meaning"};

static Listing *sample(Arena *a) {
  Listing *t = listing_new(a, HEADS, 3);
  listing_add(t, (const char *[]){"α", "1", "first"});
  listing_add(t, (const char *[]){"longer", "100.5", NULL});
  return t;
}

static void columns_are_aligned_and_lines_not_padded(void **state) {
  (void)state;
  Arena *a = arena_new();
  Text out;
  text_init(&out);
  listing_print(sample(a), &out);
  assert_string_equal(out.at, "name    value  meaning\n"
                              "α           1  first\n"
                              "longer  100.5\n");
  text_done(&out);
  arena_free(a);
}

static void markdown_escapes_bars(void **state) {
  (void)state;
  Arena *a = arena_new();
  Listing *t = listing_new(a, HEADS, 3);
  listing_add(t, (const char *[]){"a|b", "2", ""});
  Text out;
  text_init(&out);
  listing_markdown(t, &out);
  assert_string_equal(out.at,
                      "| name | value | meaning |\n| --- | ---: | --- |\n| a\\|b | 2 |  |\n");
  text_done(&out);
  arena_free(a);
}

static void width_counts_characters_not_bytes(void **state) {
  (void)state;
  assert_int_equal(listing_width(""), 0);
  assert_int_equal(listing_width("abc"), 3);
  assert_int_equal(listing_width("αβ⠒"), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_aligned_and_lines_not_padded),
      cmocka_unit_test(markdown_escapes_bars),
      cmocka_unit_test(width_counts_characters_not_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
