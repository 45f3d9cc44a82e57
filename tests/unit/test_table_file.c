#include "base/table_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static const char TWO[] = "#1\n"
                          "# two matrices\n"
                          "double tab1(3,2)   # with a comment\n"
                          "  0   0\n"
                          "  1.5, -2e3; # the separators do not matter\n"
                          "\n"
                          "  3   4\r\n"
                          "float b.c(1, 2)\n"
                          "7\n8";

static double *parse(Arena *a, const char *text, const char *name, int *rows, int *columns) {
  double *data = NULL;
  Err err = {0};
  bool ok = table_file_parse(a, "t.txt", text, strlen(text), name, rows, columns, &data, &err);
  if (!ok) fail_msg("%d:%d: %s", err.line, err.column, err.text);
  return data;
}

static void matrices_are_found_by_name(void **state) {
  (void)state;
  Arena *a = arena_new();
  int rows, columns;
  const double want[] = {0, 0, 1.5, -2000, 3, 4};
  const double *data = parse(a, TWO, "tab1", &rows, &columns);
  assert_int_equal(rows, 3);
  assert_int_equal(columns, 2);
  for (int i = 0; i < 6; i++) assert_close(data[i], want[i], 0);
  data = parse(a, TWO, "b.c", &rows, &columns);
  assert_int_equal(rows, 1);
  assert_close(data[1], 8, 0);
  arena_free(a);
}

static void wrong(const char *text, const char *name, int line, const char *words) {
  Arena *a = arena_new();
  int rows, columns;
  double *data;
  Err err = {0};
  if (table_file_parse(a, "t.txt", text, strlen(text), name, &rows, &columns, &data, &err))
    fail_msg("accepted: %s", text);
  if (!strstr(err.text, words)) fail_msg("'%s' is not in: %s", words, err.text);
  assert_int_equal(err.line, line);
  arena_free(a);
}

static void errors_name_the_place(void **state) {
  (void)state;
  wrong(TWO, "tab2", 0, "there is tab1, b.c");
  wrong("#1\n", "t", 0, "there is none");
  wrong("double t(1,1) 1", "t", 1, "the first line of a file of tables is #1");
  wrong("", "t", 1, "#1");
  wrong("#1\nint t(1,1)\n1\n", "t", 2, "expected a matrix such as double name(3,2)");
  wrong("#1\ndouble t(2,2)\n1 2\n3\n", "t", 5, "t(2,2) has 3 numbers only, not 4");
  wrong("#1\ndouble t(2,1)\n1\ndouble u(1,1)\n3\n", "u", 4, "t(2,1) has 1 numbers only");
  wrong("#1\ndouble t(1,1)\n1 2\n", "t", 3, "has more than 1 numbers");
  wrong("#1\ndouble t(1,1)\n1x\n", "t", 3, "'1x' is not a number");
  wrong("#1\ndouble t(1,1)\n1e999\n", "t", 3, "not finite");
  wrong("#1\ndouble t(0,1)\n", "t", 2, "at least one row");
  wrong("#1\ndouble t(99999999,99999999)\n", "t", 2, "a matrix of more than");
  wrong("#1\ndouble t 1,1\n", "t", 2, "expected '('");
  wrong("MATLAB 5.0 MAT-file", "t", 0, "is a MATLAB file");
}

// Every beginning of a good text is an error or the matrix, and never a crash.
static void a_text_that_ends_early_is_an_error(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (size_t n = 0; n < strlen(TWO); n++) {
    char *copy = malloc(n + 1);
    memcpy(copy, TWO, n);
    int rows, columns;
    double *data;
    Err err = {0};
    if (!table_file_parse(a, "t", copy, n, "b.c", &rows, &columns, &data, &err))
      assert_true(err.text[0]);
    free(copy);
  }
  arena_free(a);
}

static void files_are_read_and_others_refused(void **state) {
  (void)state;
  Arena *a = arena_new();
  char path[] = "/tmp/entrain_table_XXXXXX";
  int fd = mkstemp(path), rows, columns;
  double *data;
  Err err = {0};
  assert_true(fd >= 0);
  assert_int_equal(write(fd, TWO, strlen(TWO)), strlen(TWO));
  close(fd);
  assert_true(table_file_read(a, path, "tab1", &rows, &columns, &data, &err));
  assert_close(data[5], 4, 0);
  unlink(path);
  assert_false(table_file_read(a, path, "tab1", &rows, &columns, &data, &err));
  assert_int_equal(err.code, ERR_FILE);
  err = (Err){0};
  assert_false(table_file_read(a, "data.mat", "tab1", &rows, &columns, &data, &err));
  assert_int_equal(err.code, ERR_UNSUPPORTED);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_are_found_by_name),
      cmocka_unit_test(errors_name_the_place),
      cmocka_unit_test(a_text_that_ends_early_is_an_error),
      cmocka_unit_test(files_are_read_and_others_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
