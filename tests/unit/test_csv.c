#include "base/csv.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "test.h"

static int setup(void **state) {
  return (*state = arena_new()) ? 0 : -1;
}

static int teardown(void **state) {
  arena_free(*state);
  return 0;
}

static Table *parse(void **state, const char *text) {
  Err err = {0};
  Table *t = table_parse(*state, "d.csv", text, strlen(text), &err);
  if (!t) print_error("%d:%d: %s\n", err.line, err.column, err.text);
  assert_non_null(t);
  return t;
}

// Where the cells of a column are wrong, who uses it gets the error.
static void assert_fails(void **state, const char *text, int line, int column, const char *why) {
  Err err = {0};
  Table *t = table_parse(*state, "d.csv", text, strlen(text), &err);
  for (int c = 0; t && c < t->columns; c++)
    if (table_fault(t, c)) assert_int_equal(table_require(t, t->names[c], &err), -1);
  assert_string_equal(err.text, why);
  assert_int_equal(err.line, line);
  assert_int_equal(err.column, column);
  assert_string_equal(err.file, "d.csv");
}

// rows by rows; NaN equals NaN
static void assert_values(const Table *t, int rows, int columns, const double *values) {
  assert_int_equal(t->rows, rows);
  assert_int_equal(t->columns, columns);
  for (int i = 0; i < rows; i++)
    for (int c = 0; c < columns; c++) {
      double value = t->column[c][i], wanted = values[i * columns + c];
      if (!isnan(wanted) || !isnan(value)) assert_close(value, wanted, 0);
    }
}

static const double NONE = (double)NAN;

static void columns_have_names_and_numbers(void **state) {
  Table *t = parse(state, "t,x\n0,1.5\n1,-2e3\n");
  assert_values(t, 2, 2, (double[]){0, 1.5, 1, -2000});
  assert_string_equal(t->names[0], "t");
  assert_string_equal(t->names[1], "x");
  assert_string_equal(t->file, "d.csv");
  assert_null(t->units);
  assert_int_equal(table_find(t, "x"), 1);
  assert_int_equal(table_find(t, "y"), -1);
}

static void comma_semicolon_and_tab_mean_the_same(void **state) {
  for (const char *s = ",;\t"; *s; s++) {
    char text[] = "t?x?y\n1?2?3\n4??6";
    for (char *c = text; *c; c++)
      if (*c == '?') *c = *s;
    assert_values(parse(state, text), 2, 3, (double[]){1, 2, 3, 4, NONE, 6});
  }
}

static void words_for_missing_values_are_missing(void **state) {
  static const char *const WORDS[] = {"",     "NaN",  "NA",   "-nan", "N/A",
                                      "n.a.", "#N/A", "null", "None"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
    const char *text = arena_print(*state, "t,x\n0,%s\n1,2\n2,%s\n", WORDS[i], WORDS[i]);
    Table *t = parse(state, text);
    assert_values(t, 3, 2, (double[]){0, NONE, 1, 2, 2, NONE});
    assert_null(table_texts(t, 1));
    assert_null(table_fault(t, 1));
    t = parse(state, arena_print(*state, "x,y\n%s,%s\n1,2\n", WORDS[i], WORDS[i]));
    if (WORDS[i][0]) assert_values(t, 2, 2, (double[]){NONE, NONE, 1, 2}); // no units
  }
}

static void words_for_missing_values_are_texts_among_texts(void **state) {
  Table *t = parse(state, "t,gear\n0,none\n1,\n2,first\n3,None\n4,nan\n");
  static const char *const TEXTS[] = {"none", "", "first", "None", ""};
  for (int i = 0; i < 5; i++) assert_string_equal(table_texts(t, 1)[i], TEXTS[i]);
}

static void a_column_that_is_wrong_does_not_hinder_the_others(void **state) {
  static const char *const CELLS[] = {"-", "inf", "1e999", "2x", "later"};
  for (size_t i = 0; i < sizeof CELLS / sizeof *CELLS; i++) {
    Table *t = parse(state, arena_print(*state, "t,x,y\n0,1,2\n1,%s,3\n2,5,4\n", CELLS[i]));
    for (int row = 0; row < 3; row++) {
      assert_close(t->column[0][row], row, 0);
      assert_close(t->column[2][row], row + 2, 0);
    }
    assert_non_null(table_fault(t, 1));
    assert_int_equal(table_fault(t, 1)->line, 3);
    assert_null(table_fault(t, 0));
    assert_null(table_fault(t, 2));
    assert_non_null(table_fault(table_rows(*state, t, 0, 1), 1)); // a view of rows before it, too
  }
}

static Table *parse_rows(void **state, const char *text) {
  Err err = {0};
  Table *t = table_parse_rows(*state, "d.csv", text, strlen(text), &err);
  if (!t) print_error("%d:%d: %s\n", err.line, err.column, err.text);
  assert_non_null(t);
  return t;
}

static void blank_rows_count_where_the_row_makes_the_time(void **state) {
  double two[] = {1, 2, NONE, NONE, 3, 4}, one[] = {1, NONE, NONE, 3};
  assert_values(parse_rows(state, "x,y\n1,2\n,\n3,4\n,\n,\n"), 3, 2, two);
  assert_values(parse_rows(state, "x;y\r\n1;2\r\n ;\r\n3;4\r\n\r\n"), 3, 2, two);
  assert_values(parse_rows(state, "x,y,\n1,2,\n,,\n3,4,\n"), 3, 2, two);
  assert_values(parse_rows(state, "x\n1\n\n\n3\n\n"), 4, 1, one);
  assert_values(parse_rows(state, "x\n1\n# note\n\n \n3"), 4, 1, one);
  Table *t = parse_rows(state, "x\n1\n\n3\n");
  assert_int_equal(t->line[1], 3);
  assert_int_equal(t->line[2], 4);
  assert_values(parse_rows(state, "x,y\n1,2\n\n3,4\n"), 2, 2, (double[]){1, 2, 3, 4}); // no cells
  assert_values(parse(state, "x,y\n1,2\n,\n3,4\n,\n"), 2, 2, (double[]){1, 2, 3, 4});
  t = parse_rows(state, "w,x\na,5\n,\nb,2\n");
  assert_string_equal(table_texts(t, 0)[1], "");
  assert_string_equal(table_texts(t, 0)[2], "b");
}

static void a_nul_byte_is_called_so(void **state) {
  static const char TEXT[] = "t,x\n0,1\n1,\0"
                             "2\n";
  Err err = {0};
  assert_null(table_parse(*state, "d.csv", TEXT, sizeof TEXT - 1, &err));
  assert_string_equal(err.text, "there is a NUL byte: the file is damaged, or no UTF-8 text");
  assert_int_equal(err.line, 3);
  assert_int_equal(err.column, 3);
}

static void separators_inside_names_do_not_mislead(void **state) {
  Table *t = parse(state, "t;force (x, y, z)\n0,5;1,25\n");
  assert_values(t, 1, 2, (double[]){0.5, 1.25});
  assert_string_equal(t->names[1], "force (x, y, z)");
  t = parse(state, "\"t, s\",\"a \"\"b\"\"; c\"\n1,\"2\"\n");
  assert_values(t, 1, 2, (double[]){1, 2});
  assert_string_equal(t->names[0], "t, s");
  assert_string_equal(t->names[1], "a \"b\"; c");
}

static void decimal_commas_are_read_between_semicolons(void **state) {
  Table *t = parse(state, "t;x\n0,5;-1,25e1\n1.5;,5\n");
  assert_values(t, 2, 2, (double[]){0.5, -12.5, 1.5, 0.5});
}

static void comments_and_empty_lines_are_skipped_and_counted(void **state) {
  Table *t =
      parse(state, "# made by hand\n\n  \nt,x\n# a note, with commas\n1,2\n\n  # more\n3,4\n\n");
  assert_values(t, 2, 2, (double[]){1, 2, 3, 4});
  assert_int_equal(t->line[0], 6);
  assert_int_equal(t->line[1], 9);
}

static void empty_cells_and_nan_are_missing(void **state) {
  Table *t = parse(state, "a,b,c,d\n, ,NaN,\"\"\n1,nan,-nan,NA\n");
  assert_values(t, 2, 4, (double[]){NONE, NONE, NONE, NONE, 1, NONE, NONE, NONE});
}

static void rows_of_nothing_are_skipped(void **state) {
  Table *t = parse(state, "t,x\n1,2\n,\n ,\t\n3,\n,\n");
  assert_values(t, 2, 2, (double[]){1, 2, 3, NONE});
  assert_int_equal(t->line[1], 5);
  assert_values(parse(state, "t;x;\r\n1;2;\r\n;;\r\n;;;;;\r\n"), 1, 2, (double[]){1, 2});
}

static void byte_order_mark_and_carriage_returns_are_ignored(void **state) {
  Table *t = parse(state, "\xef\xbb\xbft,x\r\n1,2\r\n\r\n3,4\r\n");
  assert_values(t, 2, 2, (double[]){1, 2, 3, 4});
  assert_string_equal(t->names[0], "t");
  assert_string_equal(t->names[1], "x");
}

static void blanks_around_cells_do_not_count(void **state) {
  Table *t = parse(state, " t , long name \n 1 ,\t2 \n");
  assert_values(t, 1, 2, (double[]){1, 2});
  assert_string_equal(t->names[0], "t");
  assert_string_equal(t->names[1], "long name");
}

static void a_second_row_without_numbers_holds_units(void **state) {
  Table *t = parse(state, "t,x,k,n,e\n[s],m/s,1/s2,1,\n0,1,2,3,4\n");
  assert_values(t, 1, 5, (double[]){0, 1, 2, 3, 4});
  const char *units[] = {"s", "m/s", "1/s2", "1", ""};
  for (int c = 0; c < 5; c++) assert_string_equal(t->units[c], units[c]);
  t = parse(state, "T\n\xc2\xb0"
                   "C\n20\n");
  assert_string_equal(t->units[0], "\xc2\xb0"
                                   "C");
}

static void a_damaged_first_row_is_not_taken_for_units(void **state) {
  assert_fails(state, "t,x\n1.2.3,4\n", 2, 1, "'1.2.3' is not a number (column 't')");
  assert_fails(state, "t,x\n2020-01-41,4\n", 2, 1,
               "'2020-01-41' is not a number (column 't'); there is no such date");
  assert_fails(state, "t,x\n0,1\n1,oops\n", 3, 3, "'oops' is not a number (column 'x')");
  assert_null(parse(state, "t,x\n,nan\n")->units);
  assert_null(parse(state, "t,x\n1,\n")->units);
}

// As pandas writes tables: the index has no name.
static void the_first_column_may_have_no_name(void **state) {
  Table *t = parse(state, ",t,x\n0,5,1\n1,6,2\n");
  assert_true(t->has_index);
  assert_int_equal(table_find(t, "index"), 0);
  assert_true(t->column[1][1] == 6);
  assert_false(parse(state, "t,x\n1,2\n")->has_index);
  assert_fails(state, "t,,x\n1,2,3\n", 1, 3, "column 2 has no name");
  assert_fails(state, ",index\n1,2\n", 1, 1, "column 1 has no name");
}

// A column is one of texts from its first cell that is not missing; then numbers in it are texts, too.
static void words_make_a_column_of_texts(void **state) {
  Table *t = parse(state, "t,w,x\n0,,1\n1,warm,2\n2,12,3\n3,\"a, \"\"b\"\"\",4\n4,,5\n");
  static const char *const WORDS[] = {"", "warm", "12", "a, \"b\"", ""};
  assert_int_equal(t->rows, 5);
  assert_null(table_texts(t, 0));
  assert_null(table_texts(t, 2));
  for (int i = 0; i < 5; i++) {
    assert_string_equal(table_texts(t, 1)[i], WORDS[i]);
    assert_true(isnan(t->column[1][i]));
    assert_true(t->column[2][i] == i + 1);
  }
  Err err = {0};
  assert_int_equal(table_require(t, "w", &err), -1);
  assert_string_equal(err.text, "column 'w' has texts, not numbers");
  Table *some = table_rows(*state, t, 1, 4);
  assert_int_equal(some->rows, 3);
  for (int i = 0; i < 3; i++) {
    assert_string_equal(table_texts(some, 1)[i], WORDS[i + 1]);
    assert_true(some->column[2][i] == i + 2 && some->line[i] == t->line[i + 1]);
  }
  // numbers that are misspelt are no texts
  assert_fails(state, "t,x\n0,1d5\n", 2, 3,
               "'1d5' is not a number (column 'x')"
               "; exponents are written with e, as in 1.5e3");
  assert_fails(state, "t,x\n0,inf\n", 2, 3, "'inf' is not a number (column 'x')");
}

static void a_header_alone_is_a_table_without_rows(void **state) {
  assert_values(parse(state, "t,x"), 0, 2, NULL);
  Table *t = parse(state, "t,x\ns,m\n");
  assert_values(t, 0, 2, NULL);
  assert_string_equal(t->units[1], "m");
}

static void a_separator_at_the_end_of_every_row_adds_no_column(void **state) {
  assert_values(parse(state, "t;x;\n1;2;\n3;4;\n"), 2, 2, (double[]){1, 2, 3, 4});
}

static void nothing_to_read_is_an_error(void **state) {
  const char *why = "the file contains no table; it must begin with a row of column names";
  assert_fails(state, "", 0, 0, why);
  assert_fails(state, "# only\n\n# comments", 0, 0, why);
}

static void numbers_without_names_are_an_error_that_shows_a_header(void **state) {
  assert_fails(state, "0;1,5;2\n1;2;3\n", 1, 1,
               "the first row contains numbers; write a header row with the names of the columns"
               " above it, such as: time;x1;x2");
  assert_fails(state, "# c\n1,2,3,,5\n", 2, 1,
               "the first row contains numbers; write a header row with the names of the columns"
               " above it, such as: time,x1,x2,x3,...");
  assert_string_equal(parse(state, "t,2015\n1,2\n")->names[1], "2015");
}

static void names_must_exist_and_differ(void **state) {
  assert_fails(state, "t,x,y,x\n", 1, 7, "columns 2 and 4 have the same name 'x'");
  assert_fails(state, "t,,y\n", 1, 3, "column 2 has no name");
}

static void ragged_rows_are_an_error_with_their_place(void **state) {
  assert_fails(state, "t,x,y\n1,2,3\n\n4,5\n", 4, 4, "this row has 2 cells, but the header has 3");
  assert_fails(state, "t,x\n1,2,3\n", 2, 4, "this row has 3 cells, but the header has 2");
  assert_fails(state, "t,x\n1\n", 2, 2, "this row has 1 cell, but the header has 2");
  assert_fails(state, "t,x\ns\n1,2\n", 2, 2, "this row has 1 cell, but the header has 2");
}

static void a_cell_that_is_no_number_is_shown_with_its_place(void **state) {
  assert_fails(state, "t,force\n0,1\n1, 2x \n", 3, 4, "'2x' is not a number (column 'force')");
  assert_fails(state, "t,x\n0,1e\n", 2, 3, "'1e' is not a number (column 'x')");
  assert_fails(state, "t,x\n0,-\n", 2, 3, "'-' is not a number (column 'x')");
  assert_fails(state, "t,x\n0,inf\n", 2, 3, "'inf' is not a number (column 'x')");
  assert_fails(state, "t,x\n0,0x10\n", 2, 3, "'0x10' is not a number (column 'x')");
  assert_fails(state, "t,x\n0,1e999\n", 2, 3, "'1e999' is too large (column 'x')");
  assert_fails(state, "t,\xc3\xa4\n0,1\n1,\"\xc3\xa4\xc3\xb6\"\n", 3, 4,
               "'\xc3\xa4\xc3\xb6' is not a number (column '\xc3\xa4')");
  assert_fails(state, "t\n0\n\x1b[1m\n", 3, 1, "'\\x1b[1m' is not a number (column 't')");
  assert_fails(state, "t\n0\nabcdefghijabcdefghijabcdefghijabcdefghij!\n", 3, 1,
               "'abcdefghijabcdefghijabcdefghijabcdefghij...' is not a number (column 't')");
}

static void likely_mistakes_get_a_hint(void **state) {
  assert_fails(state, "t x y\n0 1\n", 2, 1,
               "'0 1' is not a number (column 't x y'); columns are separated by comma, semicolon,"
               " tab or blanks, alike in the header and in all rows");
  assert_fails(state, "t\tx\n0\t1,5\n", 2, 3,
               "'1,5' is not a number (column 'x'); a decimal comma needs semicolons between the"
               " columns");
  assert_fails(state, "t,x\n0,1.5D+03\n", 2, 3,
               "'1.5D+03' is not a number (column 'x'); exponents are written with e, as in 1.5e3");
}

static void quotes_must_be_closed(void **state) {
  assert_fails(state, "t,\"x\n1,2\n", 1, 3, "the quote is not closed in this line");
  assert_fails(state, "t,\"x\"y\n1,2\n", 1, 6, "a separator must follow the closing quote");
  assert_fails(state, "t,x\n1,\"2\n", 2, 3, "the quote is not closed in this line");
}

static void other_encodings_are_refused(void **state) {
  assert_fails(state, "\xff\xfet", 0, 0, "this is UTF-16 text; save it as UTF-8");
  assert_fails(state, "t,x\r1,2\r", 0, 0, "its lines end with CR only; save it with LF or CR LF");
}

static void an_unknown_column_suggests_the_nearest(void **state) {
  Table *t = parse(state, "time,angle,speed\n");
  Err err = {0};
  assert_int_equal(table_require(t, "angle", &err), 1);
  assert_int_equal(err.code, ERR_NONE);
  assert_int_equal(table_require(t, "angel", &err), -1);
  assert_int_equal(err.code, ERR_NAME);
  assert_string_equal(err.text, "there is no column 'angel'; did you mean 'angle'?");
  assert_string_equal(err.file, "d.csv");
  err = (Err){0};
  assert_int_equal(table_require(t, "pressure", &err), -1);
  assert_string_equal(err.text,
                      "there is no column 'pressure'; the columns are 'time', 'angle', 'speed'");
}

static void a_missing_file_is_an_error(void **state) {
  Err err = {0};
  assert_null(table_load(*state, "no/such.csv", &err));
  assert_int_equal(err.code, ERR_FILE);
  assert_string_equal(err.text, "cannot read 'no/such.csv': No such file or directory");
}

// ---- numbers

static double read_one(void **state, const char *digits) {
  Table *t = parse(state, arena_print(*state, "a;b\n0;%s", digits));
  return t->column[1][0];
}

static uint64_t random_bits(uint64_t *seed) { // xorshift64*, Vigna 2016
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return *seed * 2685821657736338717u;
}

static void awkward_numbers_are_rounded_as_by_strtod(void **state) {
  static const char *const NUMBERS[] = {
      "0",
      "-0",
      "+1",
      ".5",
      "5.",
      "1E5",
      "1e+05",
      "007",
      "0.1",
      "9007199254740993", // half way
      "9007199254740993.0000001",
      "1.00000000000000011102230246251565404236316680908203125", // half way above 1
      "1.00000000000000011102230246251565404236316680908203126",
      "1.00000000000000011102230246251565404236316680908203124",
      "18446744073709551615",
      "99999999999999999999",
      "123456789012345678901234567890",
      "0.000000000000000000000000000000123456789",
      "2.2250738585072011e-308",
      "2.2250738585072014e-308",
      "4.9e-324",
      "2.4e-324",
      "1e-400",
      "1.7976931348623157e308",
      "1.7976931348623158e308",
      "8.5e-20",
      "1e22",
      "1e23",
      "1e27",
      "9.5367431640625e-7",
      "100000000000000000000000000000000000000e-38",
      "0.00000000000000000000000000000000000001e38",
      "0e999999999999",
      "1e-999999999999",
  };
  for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
    double value = read_one(state, NUMBERS[i]), wanted = strtod(NUMBERS[i], NULL);
    if (memcmp(&value, &wanted, sizeof value) != 0) print_error("%s\n", NUMBERS[i]);
    assert_memory_equal(&value, &wanted, sizeof value);
  }
}

static void random_numbers_are_rounded_as_by_strtod(void **state) {
  enum { COUNT = 200000 };
  static const char *const FORMATS[] = {"%.17g", "%.15g", "%.9g", "%.19g", "%.25e", "%.6f"};
  uint64_t seed = 12345;
  double *wanted = ARENA_ARRAY(*state, double, COUNT);
  Text text;
  text_init(&text);
  text_add(&text, "x\n");
  for (int i = 0; i < COUNT; i++) {
    char digits[64];
    int exponent = (int)(random_bits(&seed) % 121) - 60;
    double x = ldexp((double)(int64_t)random_bits(&seed), exponent - 63);
    if (strcmp(FORMATS[i % 6], "%.6f") == 0) x = fmod(x, 1e9);
    snprintf(digits, sizeof digits, FORMATS[i % 6], x);
    wanted[i] = strtod(digits, NULL);
    text_print(&text, "%s\n", digits);
  }
  Table *t = parse(state, text.at);
  assert_int_equal(t->rows, COUNT);
  assert_memory_equal(t->column[0], wanted, COUNT * sizeof *wanted);
  text_done(&text);
}

// ---- size

static void thousands_of_columns_are_read(void **state) {
  enum { COLUMNS = 5000, ROWS = 20 };
  Text text;
  text_init(&text);
  for (int c = 0; c < COLUMNS; c++) text_print(&text, "%sx%d", c ? "," : "", c);
  for (int i = 0; i < ROWS; i++)
    for (int c = 0; c < COLUMNS; c++) text_print(&text, "%s%d", c ? "," : "\n", i * COLUMNS + c);
  Table *t = parse(state, text.at);
  assert_int_equal(t->columns, COLUMNS);
  assert_int_equal(t->rows, ROWS);
  for (int c = 0; c < COLUMNS; c += 37) {
    assert_close(t->column[c][ROWS - 1], (ROWS - 1) * COLUMNS + c, 0);
    assert_int_equal(table_find(t, t->names[c]), c);
  }
  text_done(&text);
}

// Refused or read, but never a crash; what is read has finite numbers or none.
static void damaged_tables_are_harmless(void **state) {
  static const char TABLE[] = "t;x;\"y, z\"\ns;m;\n0;1,5;-2e-3\n# note\n1;;nan\n2;1.25;3;\n";
  static const char BYTES[] = ";,\t\n\r\"# .-+eEnaN019\0\xc3\xff";
  uint64_t seed = 77;
  int refused = 0;
  for (int i = 0; i < 20000; i++) {
    char text[sizeof TABLE];
    size_t length = sizeof TABLE - 1 - random_bits(&seed) % 20;
    memcpy(text, TABLE, sizeof TABLE);
    for (int k = 0; k < 1 + i % 4; k++)
      text[random_bits(&seed) % length] = BYTES[random_bits(&seed) % (sizeof BYTES - 1)];
    Err err = {0};
    Arena *a = arena_new();
    Table *t = table_parse(a, "d.csv", text, length, &err);
    assert_true((t != NULL) == (err.code == ERR_NONE));
    for (int c = 0; t && c < t->columns; c++)
      for (int row = 0; row < t->rows; row++) assert_false(isinf(t->column[c][row]));
    refused += !t;
    arena_free(a);
  }
  (void)state;
  assert_true(refused > 1000 && refused < 20000);
}

static void many_empty_lines_under_many_columns_take_little_memory(void **state) {
  Text text;
  text_init(&text);
  for (int c = 0; c < 10000; c++) text_print(&text, "%sx%d", c ? "," : "", c);
  for (int i = 0; i < 1000000; i++) text_add(&text, "\n");
  assert_int_equal(parse(state, text.at)->rows, 0);
  assert_true(arena_bytes(*state) < 20000000);
  text_done(&text);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void time_rows(Arena *a, int rows, int digits) {
  Text text;
  text_init(&text);
  text_add(&text, "t,x,y,z\n");
  for (int i = 0; i < rows; i++)
    text_print(&text, "%.*g,%.*g,%.*g,%.*g\n", digits, 1e-3 * i, digits, sin(1e-3 * i), digits,
               cos(1e-3 * i), digits, 1e-6 * sin(i));
  char path[] = "/tmp/entrain-csv-XXXXXX";
  close(mkstemp(path));
  Err err = {0};
  assert_true(file_write(path, text.at, text.length, false, &err));
  double begin = now();
  Table *t = table_load(a, path, &err);
  double seconds = now() - begin;
  unlink(path);
  assert_int_equal(t->rows, rows);
  assert_close(t->column[0][rows - 1], 1e-3 * (rows - 1), 1e-6 * rows);
  print_message("%d rows of 4 numbers with %d digits (%.0f MB): %.2f s\n", rows, digits,
                1e-6 * (double)text.length, seconds);
  text_done(&text);
}

static void a_million_rows_are_read_in_about_a_second(void **state) {
  time_rows(*state, 1000000, 6);
  time_rows(*state, 200000, 17);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

// ---------------------------------------------------------------- files as programs write them

static void a_row_may_end_with_a_separator(void **state) {
  assert_values(parse(state, "t,x\n1,2,\n3,4\n"), 2, 2, (double[]){1, 2, 3, 4});
  Table *t = parse(state, "\"u\",\"y\",\"Ts\",\n1,2,4,\n3,4,,\n");
  assert_values(t, 2, 3, (double[]){1, 2, 4, 3, 4, NONE});
  assert_fails(state, "t,x\n1,2,,\n", 2, 4, "this row has 4 cells, but the header has 2");
}

static void blanks_separate_columns(void **state) {
  assert_values(parse(state, "t x\n0 1\n"), 1, 2, (double[]){0, 1});
  Table *t = parse(state, "  t   x\t y \n s m -\n 0.5\t 1e3  nan \n-1   2 3\n");
  assert_values(t, 2, 3, (double[]){0.5, 1000, NONE, -1, 2, 3});
  assert_string_equal(t->names[2], "y");
  assert_string_equal(t->units[1], "m");
  assert_string_equal(parse(state, "the angle\n1\n2\n")->names[0], "the angle");
  assert_string_equal(parse(state, "t,the angle\n1,2\n")->names[1], "the angle");
  assert_fails(state, "t x\n0 1\n2 3 4\n", 3, 4, "this row has 3 cells, but the header has 2");
}

static void the_last_comment_before_numbers_is_the_header(void **state) {
  Table *t = parse(state, "# made by a rig, 3 runs\n# t,y\n0,1\n# 5,6\n1,2\n");
  assert_values(t, 2, 2, (double[]){0, 1, 1, 2});
  assert_string_equal(t->names[0], "t");
  assert_string_equal(t->names[1], "y");
  assert_int_equal(t->line[0], 3);
  t = parse(state, "# t y\n0.0e+00 1.0e+00\n1.0e+00 2.0e+00\n");
  assert_values(t, 2, 2, (double[]){0, 1, 1, 2});
  t = parse(state, "#t;y;\n0;1,5;\n");
  assert_values(t, 1, 2, (double[]){0, 1.5});
  t = parse(state, "# t, y\n# [s], [rad]\n0,1\n");
  assert_string_equal(t->names[1], "y");
  assert_string_equal(t->units[1], "rad");
  t = parse(state, "# not, the, header\nt,y\n0,1\n"); // there is a row of names
  assert_string_equal(t->names[0], "t");
  assert_fails(state, "# a,b,c\n0,1\n", 2, 1,
               "the first row contains numbers; write a header row with the names of the columns"
               " above it, such as: time,x1");
  assert_fails(state, "# t,t\n0,1\n", 1, 5, "columns 1 and 2 have the same name 't'");
  assert_fails(state, "# 1,2\n0,1\n", 2, 1,
               "the first row contains numbers; write a header row with the names of the columns"
               " above it, such as: time,x1");
}

static void times_of_day_are_exact_differences(void **state) {
  Table *t =
      parse(state, "t,x\n2026-03-01T12:00:00.25Z,1\n,5\n2026-03-01T13:00:00.250000001+01:00,2\n"
                   "2026-03-02 00:00:00Z,3\n");
  assert_non_null(t->origin);
  assert_true(t->origin[0].is_stamp);
  assert_null(t->origin[1].since);
  assert_close(t->origin[0].since[0], 0, 0);
  assert_close(t->origin[0].since[2], 1e-9, 0);
  assert_close(t->origin[0].since[3], 43199.75, 0);
  assert_fails(state, "t,x\n2026-03-01,1\n2026-03-02T00:00Z,2\n", 3, 1,
               "'2026-03-02T00:00Z' has a zone (Z, +01:00), but the times above it in column 't'"
               " have none");
  assert_fails(state, "t,x\n5e8,1\n2026-03-02,2\n", 3, 1,
               "'2026-03-02' is a time of day, but column 't' has numbers above it");
  assert_fails(state, "t,x\n2026-03-01,1\n2026-03-02,1\n7,2\n", 4, 1,
               "column 't' has times of day and numbers");
  assert_fails(state, "t,x\n7,1\n2026-03-01,2\n", 2, 1, "column 't' has times of day and numbers");
  assert_fails(state, "2026-03-01,1\n2026-03-02,2\n", 1, 1,
               "the first row contains numbers; write a header row with the names of the columns"
               " above it, such as: time,x1");
}

// Random decimals: the difference is the nearest double to the exact one, which integers give.
static void differences_far_from_zero_are_exact(void **state) {
  srand(3);
  for (int trial = 0; trial < 500; trial++) {
    long long first = 1700000000000000000LL + rand() * 12345LL, step = 1 + rand() % 1000000;
    long long later = first + step;
    char text[200];
    snprintf(text, sizeof text, "ns,s\n%lld,%lld.%09lld\n%lld,%lld.%09lld\n", first,
             first / 1000000000, first % 1000000000, later, later / 1000000000, later % 1000000000);
    Table *t = parse(state, text);
    assert_non_null(t->origin);
    assert_close(t->origin[0].since[1], (double)step, 0);
    assert_close(t->origin[1].since[1], (double)step / 1e9, 0);
    assert_true(t->origin[0].digits == (uint64_t)first && t->origin[0].exponent == 0);
  }
  assert_null(parse(state, "t\n1e9\n5\n")->origin); // not all are far from 0
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(columns_have_names_and_numbers),
      TEST(comma_semicolon_and_tab_mean_the_same),
      TEST(separators_inside_names_do_not_mislead),
      TEST(decimal_commas_are_read_between_semicolons),
      TEST(words_for_missing_values_are_missing),
      TEST(words_for_missing_values_are_texts_among_texts),
      TEST(a_column_that_is_wrong_does_not_hinder_the_others),
      TEST(blank_rows_count_where_the_row_makes_the_time),
      TEST(a_nul_byte_is_called_so),
      TEST(comments_and_empty_lines_are_skipped_and_counted),
      TEST(empty_cells_and_nan_are_missing),
      TEST(rows_of_nothing_are_skipped),
      TEST(byte_order_mark_and_carriage_returns_are_ignored),
      TEST(blanks_around_cells_do_not_count),
      TEST(a_second_row_without_numbers_holds_units),
      TEST(a_damaged_first_row_is_not_taken_for_units),
      TEST(words_make_a_column_of_texts),
      TEST(the_first_column_may_have_no_name),
      TEST(a_header_alone_is_a_table_without_rows),
      TEST(a_separator_at_the_end_of_every_row_adds_no_column),
      TEST(nothing_to_read_is_an_error),
      TEST(numbers_without_names_are_an_error_that_shows_a_header),
      TEST(names_must_exist_and_differ),
      TEST(ragged_rows_are_an_error_with_their_place),
      TEST(a_row_may_end_with_a_separator),
      TEST(blanks_separate_columns),
      TEST(the_last_comment_before_numbers_is_the_header),
      TEST(times_of_day_are_exact_differences),
      TEST(differences_far_from_zero_are_exact),
      TEST(a_cell_that_is_no_number_is_shown_with_its_place),
      TEST(likely_mistakes_get_a_hint),
      TEST(quotes_must_be_closed),
      TEST(other_encodings_are_refused),
      TEST(an_unknown_column_suggests_the_nearest),
      TEST(a_missing_file_is_an_error),
      TEST(awkward_numbers_are_rounded_as_by_strtod),
      TEST(random_numbers_are_rounded_as_by_strtod),
      TEST(thousands_of_columns_are_read),
      TEST(damaged_tables_are_harmless),
      TEST(many_empty_lines_under_many_columns_take_little_memory),
      TEST(a_million_rows_are_read_in_about_a_second),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
