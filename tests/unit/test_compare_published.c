// Published figures from a small CSV file.
#include "study/compare_published.h"

#include "test.h"

static Problem two_numbers(void) {
  static Unknown numbers[] = {{.name = "p"}, {.name = "theta.start"}};
  return (Problem){.unknowns = numbers, .unknown_count = 2};
}

static void rows_have_figures_and_parameters(void **state) {
  (void)state;
  static const char TEXT[] = "# Table 2 of somebody (1999),\n#   a journal\n\n"
                             "method, iterations ,evaluations,objective,theta.start\r\n"
                             "PD,30,165,1.8e-14,\n"
                             "\"GA, \"\"50\"\"\",152,,0.84,0.5\n";
  Arena *a = arena_new();
  Err err = {0};
  Problem p = two_numbers();
  const Published *t = published_parse(a, &p, "f.csv", TEXT, &err);
  assert_non_null(t);
  assert_string_equal(t->source, "Table 2 of somebody (1999), a journal");
  assert_int_equal(t->count, 2);
  assert_string_equal(t->rows[0].method, "PD");
  assert_close(t->rows[0].figures.iterations, 30, 0);
  assert_close(t->rows[0].figures.evaluations, 165, 0);
  assert_close(t->rows[0].figures.objective, 1.8e-14, 0);
  assert_true(isnan(t->rows[0].figures.seconds) && isnan(t->rows[0].x[0]) &&
              isnan(t->rows[0].x[1]));
  assert_string_equal(t->rows[1].method, "GA, \"50\"");
  assert_true(isnan(t->rows[1].figures.evaluations));
  assert_close(t->rows[1].x[1], 0.5, 0);
  arena_free(a);
}

static void what_is_wrong_is_told_with_its_place(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
    int line, column;
  } CASES[] = {
      {"", "there is no row that names the columns", 0, 1},
      {"# nothing\n\n", "there is no row that names the columns", 2, 1},
      {"iterations\n3\n", "one of the columns must be 'method'", 1, 1},
      {"method,iterations\nPD,many\n",
       "'many' is not a number; leave a cell empty where the value is not known", 2, 4},
      {"method,iterations\nPD\n", "the row must have as many cells as the first one names columns",
       2, 1},
      {"method,iterations\n,3\n", "the method is missing", 2, 1},
      {"method,steps\n",
       "unknown column 'steps'; there can be: method, iterations, evaluations, simulations, "
       "sensitivity_simulations, fair, objective, error, seconds, evaluations_parallel, "
       "seconds_parallel, p, theta.start",
       1, 8},
  };
  Problem p = two_numbers();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    Arena *a = arena_new();
    Err err = {0};
    assert_null(published_parse(a, &p, "f.csv", CASES[i].text, &err));
    assert_string_equal(err.text, CASES[i].message);
    assert_int_equal(err.line, CASES[i].line);
    assert_int_equal(err.column, CASES[i].column);
    arena_free(a);
  }
}

static void a_file_that_is_not_there_is_an_error(void **state) {
  (void)state;
  Arena *a = arena_new();
  Err err = {0};
  Problem p = two_numbers();
  assert_null(published_load(a, &p, "there/is/no/such.csv", &err));
  assert_int_equal(err.code, ERR_FILE);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_have_figures_and_parameters),
      cmocka_unit_test(what_is_wrong_is_told_with_its_place),
      cmocka_unit_test(a_file_that_is_not_there_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
