// Pictures of simulations: a panel and a curve of numbers for each column.
#include "report/series_figure.h"

#include "pictures.h"

enum { COLUMNS = 16, ROWS = 9000 };

typedef struct MadeSeries {
  Arena *arena;
  const char *names[COLUMNS], *units[COLUMNS];
  const double *column[COLUMNS];
  Series series;
} MadeSeries;

static MadeSeries *made(int columns, int rows) {
  Arena *a = arena_new();
  MadeSeries *m = ARENA_NEW(a, MadeSeries);
  m->arena = a;
  for (int k = 0; k < columns; k++) {
    double *x = ARENA_ARRAY(a, double, rows + 1);
    for (int i = 0; i < rows; i++) x[i] = k ? sin(0.01 * k * i) : 0.01 * i;
    m->names[k] = k ? arena_print(a, "x[%d]", k) : "time";
    m->units[k] = k % 2 ? "m" : "";
    m->column[k] = x;
  }
  m->series = (Series){rows, columns, m->names, m->column};
  return m;
}

static void every_column_has_a_panel_and_numbers(void **state) {
  (void)state;
  MadeSeries *m = made(COLUMNS, ROWS);
  FigureList *l = figure_list_new();
  series_figures(l, &m->series, m->units, "Motion: <script>");
  assert_int_equal(l->at.count, 2); // twelve and three
  for (int i = 0, k = 1; i < 2; i++) {
    const Figure *f = l->at.at[i].figure;
    assert_picture_is_sound(f);
    assert_numbers_are_sound(f);
    assert_svg_has_no_element(f, "<script");
    assert_int_equal(f->plots.count, i ? 3 : 12);
    for (int n = 0; n < f->plots.count; n++, k++) {
      const FigureSeries *s = numbers_of(&f->plots.at[n], m->names[k]);
      assert_true(s->count <= FIGURE_POINTS);
      double low = 0, high = 0; // thinned, but with its peaks
      for (int j = 0; j < s->count; j++) low = fmin(low, s->y[j]), high = fmax(high, s->y[j]);
      assert_true(low < -0.9999 && high > 0.9999);
    }
  }
  figure_list_free(l);
  arena_free(m->arena);
}

static void few_rows_are_drawn_too(void **state) {
  (void)state;
  for (int rows = 0; rows < 3; rows++) {
    MadeSeries *m = made(2, rows);
    FigureList *l = figure_list_new();
    series_figures(l, &m->series, m->units, "Motion");
    assert_int_equal(l->at.count, rows > 0);
    if (rows) {
      assert_picture_is_sound(l->at.at[0].figure);
      assert_true(l->at.at[0].figure->plots.at[0].series.at[0].dots == (rows == 1));
    }
    figure_list_free(l);
    arena_free(m->arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_column_has_a_panel_and_numbers),
      cmocka_unit_test(few_rows_are_drawn_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
