#include "lang/source.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "test.h"

static Source *make(Arena *a, const char *text, Err *err) {
  return source_new(a, "<text>", text, strlen(text), err);
}

static void lines_start_behind_newlines(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = make(a, "ab\n\ncd\r\ne", &err);
  assert_non_null(s);
  assert_int_equal(s->line_count, 4);
  const size_t want[] = {0, 3, 4, 8};
  for (int i = 0; i < 4; i++) assert_int_equal(s->line_start[i], want[i]);
  arena_free(a);
}

static void text_is_copied(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  char name[] = "file", text[] = "abc";
  const Source *s = source_new(a, name, text, 3, &err);
  memset(name, 'x', 4);
  memset(text, 'x', 3);
  assert_string_equal(s->name, "file");
  assert_string_equal(s->text, "abc");
  arena_free(a);
}

static void empty_text_has_one_line(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = make(a, "", &err);
  assert_int_equal(s->line_count, 1);
  assert_int_equal(s->length, 0);
  arena_free(a);
}

static void byte_order_mark_is_dropped(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  assert_string_equal(make(a, "\xEF\xBB\xBFmodel", &err)->text, "model");
  arena_free(a);
}

static const struct {
  const char *text;
  size_t length;
  bool ok;
  int line, column;
} UTF8[] = {
    {"\u00e9\u20ac\U0001F600", 9, true, 0, 0}, // 2, 3, 4 bytes
    {"12345678\u00e9 12345678", 19, true, 0, 0},
    {"ab\ncd\xFF", 6, false, 2, 3},
    {"\u00e9\xC3", 3, false, 1, 2},       // cut at the end of the text
    {"x\xC0\xAF", 3, false, 1, 2},        // overlong
    {"\xE0\x80\xAF", 3, false, 1, 1},     // overlong
    {"\xF0\x80\x80\xAF", 4, false, 1, 1}, // overlong
    {"\xED\xA0\x80", 3, false, 1, 1},     // a surrogate
    {"\xF4\x90\x80\x80", 4, false, 1, 1}, // above the last character
    {"\x80", 1, false, 1, 1},
    {"12345678\n12345678\0", 18, false, 2, 9},
    {"a\0b", 3, false, 1, 2},
};

static void only_utf8_without_nul_is_accepted(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof UTF8 / sizeof *UTF8; i++) {
    Arena *a = arena_new();
    Err err = {0};
    bool ok = source_new(a, "<text>", UTF8[i].text, UTF8[i].length, &err) != NULL;
    assert_int_equal(ok, UTF8[i].ok);
    assert_int_equal(err.code, ok ? ERR_NONE : ERR_SYNTAX);
    assert_int_equal(err.line, UTF8[i].line);
    assert_int_equal(err.column, UTF8[i].column);
    arena_free(a);
  }
}

static void text_above_the_limit_is_refused(void **state) {
  (void)state;
  size_t size = SOURCE_BYTES_MOST;
  char *text = malloc(size + 1);
  memset(text, ' ', size + 1);
  Arena *a = arena_new();
  Err err = {0};
  assert_null(source_new(a, "big", text, size + 1, &err));
  assert_int_equal(err.code, ERR_LIMIT);
  assert_non_null(source_new(a, "big", text, size, &err));
  arena_free(a);
  free(text);
}

static void too_many_lines_are_refused(void **state) {
  (void)state;
  char *text = malloc(SOURCE_LINES_MOST);
  memset(text, '\n', SOURCE_LINES_MOST);
  Arena *a = arena_new();
  Err err = {0};
  assert_null(source_new(a, "long", text, SOURCE_LINES_MOST, &err));
  assert_int_equal(err.code, ERR_LIMIT);
  arena_free(a);
  free(text);
}

static void file_is_loaded_as_written(void **state) {
  (void)state;
  char path[] = "/tmp/test_source_XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, "model M\nend M;\n", 15), 15);
  close(file);
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = source_load(a, path, &err);
  unlink(path);
  assert_non_null(s);
  assert_string_equal(s->name, path);
  assert_string_equal(s->text, "model M\nend M;\n");
  arena_free(a);
}

static void files_that_cannot_be_read_are_named(void **state) {
  (void)state;
  const char *paths[] = {"/nonexistent/model.mo", "/"};
  for (int i = 0; i < 2; i++) {
    Arena *a = arena_new();
    Err err = {0};
    assert_null(source_load(a, paths[i], &err));
    assert_int_equal(err.code, ERR_FILE);
    assert_non_null(strstr(err.text, paths[i]));
    arena_free(a);
  }
}

static void endless_file_ends_at_the_limit(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  assert_null(source_load(a, "/dev/zero", &err));
  assert_int_equal(err.code, ERR_LIMIT);
  arena_free(a);
}

static void excerpt_shows_line_and_caret(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = make(a, "first\r\n\tx = \u03b1 + b;\r\nlast", &err);
  char out[400];
  source_excerpt(s, 2, 9, out, sizeof out);
  assert_string_equal(out, "\tx = \u03b1 + b;\n\t       ^");
  source_excerpt(s, 3, 5, out, sizeof out); // just behind the end
  assert_string_equal(out, "last\n    ^");
  source_excerpt(s, 1, 1, out, sizeof out);
  assert_string_equal(out, "first\n^");
  arena_free(a);
}

static void excerpt_of_no_place_is_empty(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = make(a, "one", &err);
  char out[40] = "x";
  const int places[][2] = {{0, 1}, {2, 1}, {-1, 1}, {1, 0}};
  for (int i = 0; i < 4; i++) {
    source_excerpt(s, places[i][0], places[i][1], out, sizeof out);
    assert_string_equal(out, "");
  }
  source_excerpt(NULL, 1, 1, out, sizeof out);
  assert_string_equal(out, "");
  arena_free(a);
}

// The characters of the i-th line of an excerpt; returns where it starts.
static const char *excerpt_line(const char *out, int i) {
  return i ? strchr(out, '\n') + 1 : out;
}

static void caret_stands_below_its_character_in_long_lines(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  char text[1001];
  for (int i = 0; i < 1000; i++) text[i] = (char)('a' + i % 26);
  text[1000] = 0;
  const Source *s = make(a, text, &err);
  for (int column = 1; column <= 1000; column++) {
    char out[sizeof err.excerpt];
    source_excerpt(s, 1, column, out, sizeof out);
    const char *caret = excerpt_line(out, 1);
    size_t at = strlen(caret) - 1;
    assert_int_equal(caret[at], '^');
    assert_int_equal(out[at], text[column - 1]);
    assert_true(excerpt_line(out, 1) - out <= 80);
  }
  arena_free(a);
}

static void long_lines_of_wide_characters_fit_the_excerpt(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  char text[801];
  for (int i = 0; i < 200; i++) memcpy(text + 4 * i, "\U0001F600", 4);
  text[800] = 0;
  const Source *s = make(a, text, &err);
  source_fail(s, &err, ERR_SYNTAX, 1, 100, "x");
  assert_int_equal(err.excerpt[strlen(err.excerpt) - 1], '^');
  arena_free(a);
}

static void excerpt_never_leaves_its_buffer(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = make(a, "some line \u03b1\u03b2 with text", &err);
  for (size_t size = 0; size < 60; size++) {
    char *out = malloc(size + 1); // the address sanitizer sees what goes wrong
    out[size] = 'x';
    source_excerpt(s, 1, 12, out, size);
    assert_int_equal(out[size], 'x');
    if (size) assert_true(strlen(out) < size);
    free(out);
  }
  arena_free(a);
}

static void first_failure_counts(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  const Source *s = make(a, "one\ntwo", &err);
  assert_false(source_fail(s, &err, ERR_SYNTAX, 1, 2, "first %d", 1));
  assert_false(source_fail(s, &err, ERR_NAME, 2, 2, "second"));
  char out[400];
  err_format(&err, out, sizeof out);
  assert_string_equal(out, "<text>:1:2: error: first 1\none\n ^");
  assert_false(source_fail(s, NULL, ERR_NAME, 2, 2, "nobody listens"));
  arena_free(a);
}

static void failure_without_source_has_a_place_and_no_excerpt(void **state) {
  (void)state;
  Err err = {0};
  source_fail(NULL, &err, ERR_NAME, 3, 4, "text");
  assert_int_equal(err.line, 3);
  assert_string_equal(err.excerpt, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_start_behind_newlines),
      cmocka_unit_test(text_is_copied),
      cmocka_unit_test(empty_text_has_one_line),
      cmocka_unit_test(byte_order_mark_is_dropped),
      cmocka_unit_test(only_utf8_without_nul_is_accepted),
      cmocka_unit_test(text_above_the_limit_is_refused),
      cmocka_unit_test(too_many_lines_are_refused),
      cmocka_unit_test(file_is_loaded_as_written),
      cmocka_unit_test(files_that_cannot_be_read_are_named),
      cmocka_unit_test(endless_file_ends_at_the_limit),
      cmocka_unit_test(excerpt_shows_line_and_caret),
      cmocka_unit_test(excerpt_of_no_place_is_empty),
      cmocka_unit_test(caret_stands_below_its_character_in_long_lines),
      cmocka_unit_test(long_lines_of_wide_characters_fit_the_excerpt),
      cmocka_unit_test(excerpt_never_leaves_its_buffer),
      cmocka_unit_test(first_failure_counts),
      cmocka_unit_test(failure_without_source_has_a_place_and_no_excerpt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
