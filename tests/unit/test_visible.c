#include "base/visible.h"

#include <string.h>

#include "base/character.h"
#include "base/err.h"
#include "base/text.h"
#include "test.h"

static void plain_text_stays_where_it_is(void **state) {
  (void)state;
  static const char *const PLAIN[] = {"", "x", "two\nlines\tand a tab",
                                      "\u00e4\u00b5\u20ac\U0001F600"};
  for (size_t i = 0; i < sizeof PLAIN / sizeof *PLAIN; i++)
    assert_ptr_equal(visible(NULL, PLAIN[i]), PLAIN[i]);
}

static void what_acts_on_a_terminal_is_written_out(void **state) {
  (void)state;
  static const struct {
    const char *text, *shown;
  } CASES[] = {
      {"a\x1b[31mb", "a\\x1b[31mb"},
      {"\r\a\b\x7f", "\\x0d\\x07\\x08\\x7f"},
      {"\xc2\x9b"
       "31m",
       "\\u009b31m"},                      // a control character of two bytes
      {"\x9b", "\\x9b"},                   // the same as a byte that is not UTF-8
      {"\xc0\x9b\xff", "\\xc0\\x9b\\xff"}, // overlong
      {"x\u202ey\u2066z", "x\\u202ey\\u2066z"},
      {"\xc3", "\\xc3"}, // cut in the middle
  };
  Arena *a = arena_new();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    assert_string_equal(visible(a, CASES[i].text), CASES[i].shown);
  arena_free(a);
}

static void a_fixed_buffer_is_cut_to_fit(void **state) {
  (void)state;
  char text[8] = "ab\x1b\x1b";
  visible_fixed(text, sizeof text);
  assert_string_equal(text, "ab\\x1b\\");
}

static void messages_and_json_hold_no_control_character(void **state) {
  (void)state;
  Err err = {0};
  fail_at(&err, ERR_NAME, (Place){"f\x1b.mo", 1, 2}, "no '%s'", "\x1b[2J");
  assert_string_equal(err.file, "f\\x1b.mo");
  assert_string_equal(err.text, "no '\\x1b[2J'");
  Text t;
  text_init(&t);
  text_add_json(&t, "\x1b\xc2\x9b\u202e\x7f\xff\u00e4");
  assert_string_equal(t.at, "\"\\u001b\\u009b\\u202e\\u007f\\ufffd\u00e4\"");
  text_done(&t);
}

static void texts_have_the_width_that_terminals_give_them(void **state) {
  (void)state;
  assert_int_equal(characters_width(""), 0);
  assert_int_equal(characters_width("\u00e4\u20ac"), 2);
  assert_int_equal(characters_width("a\u0301"), 1);                // combines
  assert_int_equal(characters_width("\u6f22\U0001F600"), 4);       // wide
  assert_int_equal(characters_width("\033[38;5;7mred\033[0m"), 3); // colours
}

static void long_texts_lose_their_middle(void **state) {
  (void)state;
  Arena *a = arena_new();
  assert_string_equal(characters_shortened(a, "abcdef", 6), "abcdef");
  assert_string_equal(characters_shortened(a, "abcdefg", 6), "abc\u2026fg");
  assert_string_equal(characters_shortened(a, "abcdefg", 1), "\u2026");
  for (int width = 1; width < 12; width++)
    assert_true(characters_width(characters_shortened(a, "\u6f22\u6f22\u6f22a\u0301\u6f22\u6f22b",
                                                      width)) <= width);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_text_stays_where_it_is),
      cmocka_unit_test(what_acts_on_a_terminal_is_written_out),
      cmocka_unit_test(a_fixed_buffer_is_cut_to_fit),
      cmocka_unit_test(messages_and_json_hold_no_control_character),
      cmocka_unit_test(texts_have_the_width_that_terminals_give_them),
      cmocka_unit_test(long_texts_lose_their_middle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
