#include "draw/plot.h"

#include <float.h>
#include <string.h>

#include "test.h"
#include "write/listing.h"

enum { COUNT = 200 };

static const char *const NAMES[] = {"time", "a", "b", "c", "d"};

static void plot(Text *out, const double *const *columns, int rows, int count, ScreenStyle style) {
  text_init(out);
  plot_series(&(Series){rows, count, NAMES, columns}, &style, out);
}

static int lines(const char *text) {
  int n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

static void assert_no_line_wider_than(const char *text, int width) {
  char line[4096];
  for (; *text; text = strchr(text, '\n') + 1) {
    snprintf(line, sizeof line, "%.*s", (int)(strchr(text, '\n') - text), text);
    assert_true(listing_width(line) <= width);
  }
}

static int braille_cells(const char *text) {
  int n = 0;
  for (; *text; text++)
    n += memcmp(text, "\xE2\xA0", 2) == 0 || memcmp(text, "\xE2\xA1", 2) == 0 ||
         memcmp(text, "\xE2\xA2", 2) == 0 || memcmp(text, "\xE2\xA3", 2) == 0;
  return n;
}

static void fill(double *t, double *x, double scale) {
  for (int i = 0; i < COUNT; i++) {
    t[i] = 0.1 * i;
    x[i] = scale * sin(t[i]);
  }
}

static void a_plot_keeps_to_its_size(void **state) {
  (void)state;
  double t[COUNT], x[COUNT], y[COUNT];
  fill(t, x, 1);
  fill(t, y, 2000);
  const double *columns[] = {t, x, x, y};
  for (int width = 40; width < 130; width += 7) {
    for (int height = 12; height < 50; height += 5) {
      Text out;
      plot(&out, columns, COUNT, 4, (ScreenStyle){width, height, false});
      assert_int_equal(lines(out.at), height);
      assert_no_line_wider_than(out.at, width);
      text_done(&out);
    }
  }
}

static void hard_numbers_still_make_a_plot(void **state) {
  (void)state;
  const double t[] = {0, 1, 2, 3}, hard[][4] = {
                                       {5, 5, 5, 5},
                                       {0, 0, 0, 0},
                                       {-DBL_MAX, DBL_MAX, 0, 1},
                                       {1e-320, 2e-320, 0, 0},
                                       {1e9, 1e9 + 1e-6, 1e9, 1e9},
                                       {NAN, 1, NAN, 2},
                                       {INFINITY, 1, -INFINITY, 3},
                                   };
  for (size_t k = 0; k < sizeof hard / sizeof *hard; k++) {
    for (int rows = 4; rows >= 2; rows--) {
      const double *columns[] = {t, hard[k]};
      Text out;
      plot(&out, columns, rows, 2, (ScreenStyle){60, 15, false});
      assert_int_equal(lines(out.at), 15);
      assert_true(braille_cells(out.at) > 4); // more than the legend
      text_done(&out);
    }
  }
}

static void one_point_is_a_dot(void **state) {
  (void)state;
  const double t[] = {1}, x[] = {2};
  const double *columns[] = {t, x};
  Text out;
  plot(&out, columns, 1, 2, (ScreenStyle){60, 15, false});
  assert_int_equal(braille_cells(out.at), 4 + 1); // legend and point
  text_done(&out);
}

static void nothing_to_plot_is_said(void **state) {
  (void)state;
  const double t[] = {0, 1}, x[] = {NAN, NAN};
  const double *columns[] = {t, x};
  for (int rows = 0; rows <= 2; rows += 2) {
    Text out;
    plot(&out, columns, rows, 2, (ScreenStyle){60, 15, false});
    assert_string_equal(out.at, "(nothing to plot)\n");
    text_done(&out);
  }
}

static void a_gap_stays_empty(void **state) {
  (void)state;
  double t[COUNT], x[COUNT];
  fill(t, x, 1);
  const double *columns[] = {t, x};
  Text whole, gap;
  plot(&whole, columns, COUNT, 2, (ScreenStyle){80, 20, false});
  for (int i = 50; i < 150; i++) x[i] = NAN;
  plot(&gap, columns, COUNT, 2, (ScreenStyle){80, 20, false});
  assert_true(braille_cells(gap.at) < 0.7 * braille_cells(whole.at));
  text_done(&whole);
  text_done(&gap);
}

static void curves_of_different_size_get_their_own_panels(void **state) {
  (void)state;
  double t[COUNT], x[COUNT], y[COUNT];
  fill(t, x, 1);
  fill(t, y, 1e4);
  const double *columns[] = {t, x, y};
  Text out;
  plot(&out, columns, COUNT, 3, (ScreenStyle){80, 24, false});
  assert_non_null(strstr(out.at, "    1 ┤"));
  assert_non_null(strstr(out.at, "10000 ┤"));
  text_done(&out);
}

static void colour_only_where_asked(void **state) {
  (void)state;
  double t[COUNT], x[COUNT];
  fill(t, x, 1);
  const double *columns[] = {t, x};
  Text plain, coloured;
  plot(&plain, columns, COUNT, 2, (ScreenStyle){80, 20, false});
  plot(&coloured, columns, COUNT, 2, (ScreenStyle){80, 20, true});
  assert_null(strchr(plain.at, '\033'));
  assert_non_null(strstr(coloured.at, "\033["));
  text_done(&plain);
  text_done(&coloured);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plot_keeps_to_its_size),
      cmocka_unit_test(hard_numbers_still_make_a_plot),
      cmocka_unit_test(one_point_is_a_dot),
      cmocka_unit_test(nothing_to_plot_is_said),
      cmocka_unit_test(a_gap_stays_empty),
      cmocka_unit_test(curves_of_different_size_get_their_own_panels),
      cmocka_unit_test(colour_only_where_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
