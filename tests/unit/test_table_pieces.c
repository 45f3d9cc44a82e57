#include "model/table_pieces.h"

#include "test.h"

static double value(const TablePieces *p, double u, int derivative) {
  int k = 0;
  while (k < p->breaks && u >= p->at[k]) k++;
  double d = u - p->origin[k], a = p->coefficient[0][k], b = p->coefficient[1][k],
         c = p->coefficient[2][k], e = p->coefficient[3][k];
  return derivative ? b + d * (2 * c + 3 * d * e) : a + d * (b + d * (c + d * e));
}

static const double X[] = {-1, 0, 0.5, 2, 3, 5}, Y[] = {2, 1, 1.5, 1.5, -1, 0};
enum { N = 6 };

static void all_kinds_go_through_the_points(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int kind = 0; kind <= TABLE_MONOTONE2; kind++)
    for (int beyond = 1; beyond <= TABLE_NOTHING; beyond++) {
      TablePieces p = table_pieces(a, kind, beyond, X, Y, N, true);
      for (int i = 0; i < (beyond == TABLE_PERIODIC ? N - 1 : N); i++)
        assert_close(value(&p, X[i], 0), Y[i], 1e-14);
      for (int k = 1; k < p.breaks; k++) assert_true(p.at[k] > p.at[k - 1]);
    }
  arena_free(a);
}

static void splines_have_continuous_slopes(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int kind = TABLE_AKIMA; kind <= TABLE_MONOTONE2; kind++) {
    TablePieces p = table_pieces(a, kind, TABLE_CONTINUE, X, Y, N, true);
    for (int i = 0; i < N; i++) {
      assert_close(value(&p, X[i] - 1e-9, 0), value(&p, X[i], 0), 1e-7);
      assert_close(value(&p, X[i] - 1e-9, 1), value(&p, X[i], 1), 1e-7);
    }
  }
  arena_free(a);
}

static void monotone_splines_do_not_overshoot(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int kind = TABLE_MONOTONE; kind <= TABLE_MONOTONE2; kind++) {
    TablePieces p = table_pieces(a, kind, TABLE_HOLD_LAST, X, Y, N, true);
    for (int i = 0; i + 1 < N; i++)
      for (double s = 0; s <= 1; s += 0.05) {
        double y = value(&p, X[i] + s * (X[i + 1] - X[i]), 0);
        assert_true(y >= fmin(Y[i], Y[i + 1]) - 1e-14 && y <= fmax(Y[i], Y[i + 1]) + 1e-14);
      }
  }
  arena_free(a);
}

// Akima's method gives straight lines and, between evenly spaced points, parabolas back.
static void akima_keeps_lines_and_parabolas(void **state) {
  (void)state;
  double x[] = {0, 1, 2, 3, 4, 5}, y[6];
  Arena *a = arena_new();
  for (int i = 0; i < 6; i++) y[i] = 2 - x[i] + 0.5 * x[i] * x[i];
  TablePieces p = table_pieces(a, TABLE_AKIMA, TABLE_CONTINUE, x, y, 6, true);
  for (double u = 0; u <= 5; u += 0.125) assert_close(value(&p, u, 0), 2 - u + 0.5 * u * u, 1e-13);
  for (int i = 0; i < N; i++) y[i] = 3 - 2 * X[i];
  p = table_pieces(a, TABLE_AKIMA, TABLE_CONTINUE, X, y, N, true);
  for (double u = -3; u <= 8; u += 0.125) assert_close(value(&p, u, 0), 3 - 2 * u, 1e-13);
  arena_free(a);
}

static void ends_are_held_or_continued(void **state) {
  (void)state;
  Arena *a = arena_new();
  for (int kind = 0; kind <= TABLE_MONOTONE2; kind++) {
    TablePieces p = table_pieces(a, kind, TABLE_HOLD_LAST, X, Y, N, true);
    assert_close(value(&p, -7, 0), Y[0], 0);
    assert_close(value(&p, 70, 0), Y[N - 1], 0);
    p = table_pieces(a, kind, TABLE_CONTINUE, X, Y, N, true);
    assert_close(value(&p, -3, 0) - value(&p, -2, 0), value(&p, -2, 0) - value(&p, -1, 0), 1e-14);
    if (kind <= TABLE_HOLD) assert_close(value(&p, 7, 0), Y[N - 1] + (Y[N - 1] - Y[N - 2]), 1e-14);
  }
  arena_free(a);
}

static void equal_points_are_jumps(void **state) {
  (void)state;
  double x[] = {0, 1, 1, 2}, y[] = {0, 1, 5, 6};
  Arena *a = arena_new();
  for (int beyond = 1; beyond <= 2; beyond++) {
    TablePieces p = table_pieces(a, TABLE_LINEAR, beyond, x, y, 4, true);
    assert_close(value(&p, 0.999, 0), 0.999, 1e-15);
    assert_close(value(&p, 1, 0), 5, 0);
    p = table_pieces(a, TABLE_HOLD, beyond, x, y, 4, true);
    assert_close(value(&p, 0.999, 0), 0, 0);
    assert_close(value(&p, 1, 0), 5, 0);
    p = table_pieces(a, TABLE_LINEAR, beyond, x + 1, y + 1, 2, true);
    assert_close(value(&p, 0.5, 0), 1, 0);
    assert_close(value(&p, 1, 0), 5, 0);
  }
  arena_free(a);
}

static void break_points_without_a_change_are_left_out(void **state) {
  (void)state;
  double x[] = {0, 1, 2, 3, 4}, y[] = {1, 1, 1, 2, 2};
  Arena *a = arena_new();
  assert_int_equal(table_pieces(a, TABLE_HOLD, TABLE_HOLD_LAST, x, y, 5, true).breaks, 1);
  assert_int_equal(table_pieces(a, TABLE_HOLD, TABLE_HOLD_LAST, x, y, 5, false).breaks, 5);
  assert_int_equal(table_pieces(a, TABLE_LINEAR, TABLE_HOLD_LAST, x, y, 5, true).breaks, 2);
  assert_int_equal(table_pieces(a, TABLE_LINEAR, TABLE_HOLD_LAST, x, y, 1, true).breaks, 0);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_kinds_go_through_the_points),
      cmocka_unit_test(splines_have_continuous_slopes),
      cmocka_unit_test(monotone_splines_do_not_overshoot),
      cmocka_unit_test(akima_keeps_lines_and_parabolas),
      cmocka_unit_test(ends_are_held_or_continued),
      cmocka_unit_test(equal_points_are_jumps),
      cmocka_unit_test(break_points_without_a_change_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
