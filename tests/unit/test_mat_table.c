// The table of a MAT file does not depend on the direction in which its arrays lie.
#include "base/mat_table.h"

#include <math.h>
#include <string.h>

#include "num/random.h"
#include "test.h"

static int below(Random *r, int n) {
  return (int)(random_uniform(r) * n);
}

static MatFound transposed(Arena *a, const MatFound *f) {
  MatFound out = {f->name, f->kind, f->columns, f->rows, NULL};
  double *numbers = ARENA_ARRAY(a, double, f->rows * f->columns + 1);
  for (uint64_t i = 0; i < f->rows; i++)
    for (uint64_t k = 0; k < f->columns; k++)
      numbers[i * f->columns + k] = f->numbers[k * f->rows + i];
  out.numbers = numbers;
  return out;
}

// Quantity 1 increases, as a time does.
static MatFound array_of(Arena *a, Random *r, const char *name, int samples, int quantities) {
  MatFound f = {name, MAT_NUMBERS, (uint64_t)samples, (uint64_t)quantities, NULL};
  double *numbers = ARENA_ARRAY(a, double, samples *quantities + 1), at = random_normal(r);
  for (int i = 0; i < samples * quantities; i++) numbers[i] = random_normal(r);
  for (int i = 0; i < samples; i++) numbers[i] = at += 0.01 + random_uniform(r);
  f.numbers = numbers;
  return f;
}

static bool same_tables(const Table *x, const Table *y) {
  if (!x || !y) return !x && !y;
  bool same = x->rows == y->rows && x->columns == y->columns;
  for (int c = 0; same && c < x->columns; c++) {
    same = strcmp(x->names[c], y->names[c]) == 0;
    for (int i = 0; same && i < x->rows; i++) same = x->column[c][i] == y->column[c][i];
  }
  return same;
}

static void any_direction_gives_the_same_table(void **state) {
  static const char *const NAMES[] = {"t", "x", "M", "N", "p"};
  static const char *const LENGTHS[] = {NULL, "t", "M[1]", "N[2]", "x", "M[3]", "time"};
  Random r;
  int tables = 0;
  (void)state;
  random_seed(&r, 1);
  for (int trial = 0; trial < 20000; trial++) {
    Arena *a = arena_new();
    MatFoundList one = {0}, other = {0};
    int samples = 1 + below(&r, trial % 2 ? 12 : 60), first = below(&r, 5);
    for (int i = first; i < 5; i++) {
      int n = below(&r, 4) ? samples : 1 + below(&r, 8);
      MatFound f = array_of(a, &r, NAMES[i], n, i == 2 || i == 3 ? 1 + below(&r, 6) : 1);
      array_push(a, &one, f);
      if (below(&r, 2)) f = transposed(a, &f);
      array_push(a, &other, f);
    }
    const char *length_of = LENGTHS[below(&r, 7)];
    Err x = {0}, y = {0};
    Table *t = mat_table(a, "a.mat", &one, length_of, &x);
    assert_true(same_tables(t, mat_table(a, "a.mat", &other, length_of, &y)));
    assert_int_equal(x.code, y.code);
    assert_true(t || x.text[0]);
    tables += t != NULL;
    arena_free(a);
  }
  assert_true(tables > 5000);
}

// Whatever the direction: a record of many samples and few quantities, time included, is found.
static void records_in_one_matrix_are_found(void **state) {
  Random r;
  (void)state;
  random_seed(&r, 2);
  for (int trial = 0; trial < 2000; trial++) {
    Arena *a = arena_new();
    MatFoundList list = {0};
    int quantities = 2 + below(&r, 6), samples = 4 * quantities + below(&r, 200);
    MatFound m = array_of(a, &r, "M", samples, quantities),
             scale = array_of(a, &r, "scale", quantities, 1); // one number for each of them
    if (below(&r, 2)) m = transposed(a, &m);
    array_push(a, &list, m);
    if (below(&r, 2)) array_push(a, &list, scale);
    Err err = {0};
    const Table *t = mat_table(a, "a.mat", &list, below(&r, 2) ? "M[1]" : NULL, &err);
    assert_non_null(t);
    assert_int_equal(t->rows, samples);
    assert_int_equal(t->columns, quantities);
    for (int i = 1; i < samples; i++) assert_true(t->column[0][i] > t->column[0][i - 1]);
    arena_free(a);
  }
}

static void what_cannot_be_told_is_an_error(void **state) {
  static const double NUMBERS[] = {3, 1, 2, 5, 4, 9, 7, 8, 6, 2, 3, 1}; // nothing increases
  (void)state;
  for (int square = 0; square < 2; square++) {
    Arena *a = arena_new();
    MatFoundList list = {0};
    Err err = {0};
    array_push(a, &list, ((MatFound){"M", MAT_NUMBERS, 3, square ? 3 : 4, NUMBERS}));
    assert_null(mat_table(a, "a.mat", &list, NULL, &err));
    assert_int_equal(err.code, ERR_DATA);
    assert_non_null(strstr(err.text, square ? "rows or the columns of 'M' (3x3)"
                                            : "'M' (3x4) may have 4 samples or 3; save the time"));
    // Another array decides about the one, and not about the other.
    array_push(a, &list, ((MatFound){"y", MAT_NUMBERS, 1, 3, NUMBERS}));
    const Table *t = mat_table(a, "a.mat", &list, "y", &err);
    assert_non_null(t);
    assert_int_equal(table_find(t, "M[2]") >= 0, !square);
    if (square) assert_string_equal(t->left_out, "M (3x3: samples in rows or columns?)");
    arena_free(a);
  }
}

// Of any column, in either direction: of who uses it, not of the others.
static void infinite_values_are_errors(void **state) {
  Random r;
  (void)state;
  random_seed(&r, 3);
  for (int trial = 0; trial < 200; trial++) {
    Arena *a = arena_new();
    MatFoundList list = {0};
    char wanted[100];
    MatFound t = array_of(a, &r, "t", 30, 1), m = array_of(a, &r, "M", 30, 3);
    int row = below(&r, 30), k = below(&r, 3);
    ((double *)(uintptr_t)m.numbers)[k * 30 + row] = trial % 2 ? INFINITY : -INFINITY;
    if (below(&r, 2)) m = transposed(a, &m);
    array_push(a, &list, t);
    array_push(a, &list, m);
    Err err = {0};
    const Table *table = mat_table(a, "a.mat", &list, NULL, &err);
    for (int c = 0; c < table->columns; c++) {
      bool used = c == table_find(table, arena_print(a, "M[%d]", k + 1));
      assert_int_equal(table_fault(table, c) != NULL, used);
      if (used) err = *table_fault(table, c);
    }
    snprintf(wanted, sizeof wanted, "row %d of 'M[%d]' is infinite", row + 1, k + 1);
    assert_non_null(strstr(err.text, wanted));
    assert_string_equal(err.file, "a.mat");
    arena_free(a);
  }
}

// No numbers, no columns: they are left out and never read.
static void empty_arrays_are_left_out(void **state) {
  static const double NUMBERS[] = {1, 2, 3, 4, 5};
  (void)state;
  Arena *a = arena_new();
  MatFoundList list = {0};
  Err err = {0};
  array_push(a, &list, ((MatFound){"e", MAT_NUMBERS, 0, 5, NULL}));
  array_push(a, &list, ((MatFound){"t", MAT_NUMBERS, 1, 0, NULL}));
  assert_null(mat_table(a, "a.mat", &list, NULL, &err));
  assert_null(mat_table(a, "a.mat", &list, "t", &err));
  array_push(a, &list, ((MatFound){"x", MAT_NUMBERS, 5, 1, NUMBERS}));
  const Table *t = mat_table(a, "a.mat", &list, NULL, &err);
  assert_non_null(t);
  assert_int_equal(t->rows, 5);
  assert_int_equal(t->columns, 1);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_direction_gives_the_same_table),
      cmocka_unit_test(records_in_one_matrix_are_found),
      cmocka_unit_test(what_cannot_be_told_is_an_error),
      cmocka_unit_test(infinite_values_are_errors),
      cmocka_unit_test(empty_arrays_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
