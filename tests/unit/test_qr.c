#include "num/qr.h"

#include <stdlib.h>
#include <string.h>

#include "num/random.h"
#include "test.h"

// Rows of a tall matrix in columns, with the columns' sizes.
typedef struct Tall {
  int n, rows;
  double *column[64];
} Tall;

static Tall random_tall(Arena *a, Random *r, int n, int rows, const double *size) {
  Tall m = {n, rows, {0}};
  for (int j = 0; j <= n; j++) {
    m.column[j] = ARENA_ARRAY(a, double, rows + 1);
    for (int i = 0; i < rows; i++) m.column[j][i] = (size ? size[j] : 1) * random_normal(r);
  }
  return m;
}

static Tall copy(Arena *a, const Tall *m) {
  Tall c = *m;
  for (int j = 0; j <= m->n; j++) {
    c.column[j] = ARENA_ARRAY(a, double, m->rows + 1);
    memcpy(c.column[j], m->column[j], (size_t)m->rows * sizeof(double));
  }
  return c;
}

static void add_in_pieces(QrSum *s, const Tall *m, int piece) {
  double *part[64];
  for (int from = 0; from < m->rows; from += piece) {
    for (int j = 0; j <= m->n; j++) part[j] = m->column[j] + from;
    qr_sum_add(s, part, m->rows - from < piece ? m->rows - from : piece);
  }
}

static double product(const Tall *m, int i, int j, double si, double sj) {
  double sum = 0;
  for (int k = 0; k < m->rows; k++) sum += m->column[i][k] / si * (m->column[j][k] / sj);
  return sum;
}

static double triangle_product(const QrSum *s, int i, int j, double si, double sj) {
  double sum = 0;
  int w = s->n + 1;
  for (int k = 0; k < w; k++) sum += s->R[k * w + i] / si * (s->R[k * w + j] / sj);
  return sum;
}

// R'R = [J r]'[J r], columns compared at their own sizes.
static void assert_same_products(const QrSum *s, const Tall *m, const double *size) {
  for (int i = 0; i <= m->n; i++)
    for (int j = 0; j <= m->n; j++) {
      double si = size ? size[i] : 1, sj = size ? size[j] : 1;
      assert_close(triangle_product(s, i, j, si, sj), product(m, i, j, si, sj),
                   1e-13 * (m->rows + 1));
      if (j < i) assert_true(s->R[i * (m->n + 1) + j] == 0);
    }
}

static void triangle_has_the_products_of_the_rows(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 1);
  for (int n = 0; n <= 40; n = n < 10 ? n + 1 : n + 10)
    for (int rows = 0; rows <= 3000; rows = rows < 12 ? rows + 1 : rows * 5) {
      Arena *a = arena_new();
      Tall m = random_tall(a, &r, n, rows, NULL), work = copy(a, &m);
      QrSum *s = qr_sum_new(a, n);
      qr_sum_add(s, work.column, rows);
      assert_same_products(s, &m, NULL);
      arena_free(a);
    }
}

static void pieces_of_any_length_add_up(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 2);
  for (int piece = 1; piece < 400; piece = 2 * piece + 1) {
    Arena *a = arena_new();
    Tall m = random_tall(a, &r, 6, 377, NULL), work = copy(a, &m);
    QrSum *s = qr_sum_new(a, 6);
    add_in_pieces(s, &work, piece);
    assert_same_products(s, &m, NULL);
    arena_free(a);
  }
}

// Each stretch of rows has a few columns only, as experiments with unknowns of their own; some have none.
static void blocks_with_columns_of_zeros_add_up(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 9);
  for (int n = 6; n <= 60; n += 9)
    for (int stretch = 5; stretch <= 400; stretch *= 3) {
      Arena *a = arena_new();
      Tall m = random_tall(a, &r, n, 1111, NULL);
      for (int j = 0; j < n; j++)
        for (int i = 0; i < m.rows; i++)
          if (j > 1 && (j + i / stretch) % 7) m.column[j][i] = 0;
      for (int j = 0; j <= n; j++) memset(m.column[j] + 300, 0, 100 * sizeof(double));
      Tall work = copy(a, &m);
      QrSum *s = qr_sum_new(a, n);
      add_in_pieces(s, &work, 700);
      assert_same_products(s, &m, NULL);
      arena_free(a);
    }
}

static void clearing_forgets(void **state) {
  (void)state;
  Arena *a = arena_new();
  Random r;
  random_seed(&r, 3);
  QrSum *s = qr_sum_new(a, 3);
  qr_sum_add(s, random_tall(a, &r, 3, 50, NULL).column, 50);
  Tall m = random_tall(a, &r, 3, 20, NULL), work = copy(a, &m);
  qr_sum_clear(s);
  qr_sum_add(s, work.column, 20);
  assert_same_products(s, &m, NULL);
  arena_free(a);
}

static void sizes_of_columns_do_not_matter(void **state) {
  (void)state;
  Arena *a = arena_new();
  Random r;
  random_seed(&r, 4);
  double size[6] = {1e-150, 1e150, 1, 1e-80, 1e70, 1e-150};
  Tall m = random_tall(a, &r, 5, 6002, size), work = copy(a, &m);
  QrSum *s = qr_sum_new(a, 5);
  add_in_pieces(s, &work, 1000);
  assert_same_products(s, &m, size);
  arena_free(a);
}

static void zero_and_equal_columns_are_safe(void **state) {
  (void)state;
  Arena *a = arena_new();
  Random r;
  random_seed(&r, 5);
  double size[6] = {1, 0, 1, 0, 1, 0};
  Tall m = random_tall(a, &r, 5, 300, size);
  memcpy(m.column[4], m.column[2], 300 * sizeof(double));
  Tall work = copy(a, &m);
  QrSum *s = qr_sum_new(a, 5);
  add_in_pieces(s, &work, 100);
  assert_same_products(s, &m, NULL);
  for (int i = 0; i < 6; i++) assert_true(s->R[i * 6 + 1] == 0);
  assert_close(s->R[4 * 6 + 4], 0, 1e-13);
  arena_free(a);
}

// The least-squares solution of consistent rows is what made them, and nothing remains.
static void exact_data_leave_no_remainder(void **state) {
  (void)state;
  Arena *a = arena_new();
  Random r;
  random_seed(&r, 6);
  Tall m = random_tall(a, &r, 3, 6002, NULL);
  for (int i = 0; i < m.rows; i++)
    m.column[3][i] = 2 * m.column[0][i] - 3 * m.column[1][i] + 0.5 * m.column[2][i];
  QrSum *s = qr_sum_new(a, 3);
  qr_sum_add(s, m.column, m.rows);
  double x2 = s->R[11] / s->R[10], x1 = (s->R[7] - s->R[6] * x2) / s->R[5];
  assert_close(x2, 0.5, 1e-14);
  assert_close(x1, -3, 1e-14);
  assert_close(s->R[15], 0, 1e-12);
  arena_free(a);
}

static void a_bad_number_shows_in_the_triangle(void **state) {
  (void)state;
  Arena *a = arena_new();
  Random r;
  random_seed(&r, 7);
  Tall m = random_tall(a, &r, 3, 100, NULL);
  m.column[1][37] = nan("");
  QrSum *s = qr_sum_new(a, 3);
  qr_sum_add(s, m.column, 100);
  assert_true(isfinite(s->R[0]));
  assert_true(isnan(s->R[5]));
  arena_free(a);
}

static void kernels_agree_bit_for_bit(void **state) {
  (void)state;
  Arena *a = arena_new();
  Random r;
  random_seed(&r, 8);
  Tall m = random_tall(a, &r, 10, 1003, NULL), one = copy(a, &m), other = copy(a, &m);
  QrSum *s = qr_sum_new(a, 10), *plain = qr_sum_new(a, 10);
  qr_sum_add(s, one.column, m.rows);
  setenv("ENTRAIN_VECTOR", "off", 1);
  qr_sum_add(plain, other.column, m.rows);
  unsetenv("ENTRAIN_VECTOR");
  assert_memory_equal(s->R, plain->R, 121 * sizeof(double));
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangle_has_the_products_of_the_rows),
      cmocka_unit_test(pieces_of_any_length_add_up),
      cmocka_unit_test(blocks_with_columns_of_zeros_add_up),
      cmocka_unit_test(clearing_forgets),
      cmocka_unit_test(sizes_of_columns_do_not_matter),
      cmocka_unit_test(zero_and_equal_columns_are_safe),
      cmocka_unit_test(exact_data_leave_no_remainder),
      cmocka_unit_test(a_bad_number_shows_in_the_triangle),
      cmocka_unit_test(kernels_agree_bit_for_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
