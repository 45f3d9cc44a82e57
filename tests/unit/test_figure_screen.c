#include "draw/figure_screen.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/character.h"
#include "num/random.h"
#include "test.h"

enum { COUNT = 200 };

static int lines(const char *text) {
  int n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

static int longest(const char *text) {
  int most = 0;
  for (; *text; text = strchr(text, '\n') + 1) {
    char line[4096];
    snprintf(line, sizeof line, "%.*s", (int)(strchr(text, '\n') - text), text);
    int width = characters_width(line);
    most = width > most ? width : most;
  }
  return most;
}

static int times(const char *text, const char *part) {
  int n = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) n++;
  return n;
}

static void fill(double *t, double *x, double scale) {
  for (int i = 0; i < COUNT; i++) {
    t[i] = 0.1 * i;
    x[i] = scale * sin(t[i]);
  }
}

// Data and model of one channel, as fits draw them.
static void add_channel(Figure *f, const char *label, const double *t, const double *data,
                        const double *model, int count) {
  figure_plot(f, &(FigurePlot){.x_label = "time [s]", .y_label = label});
  figure_series(f, &(FigureSeries){"data", ink_series(0), DASH_FULL, true, t, data, count});
  figure_series(f, &(FigureSeries){"model", ink_series(1), DASH_FULL, false, t, model, count});
  figure_plot(f, &(FigurePlot){.x_label = "time [s]", .y_label = "residual", .below = true});
  figure_series(f, &(FigureSeries){"residual", 0, DASH_FULL, true, t, data, count});
}

static char *drawn(const Figure *f, int most, ScreenStyle style) {
  Text out;
  text_init(&out);
  figure_screen(f, most, &style, &out);
  return out.at;
}

static void data_and_model_can_be_told_apart_without_colours(void **state) {
  (void)state;
  double t[COUNT], x[COUNT], y[COUNT];
  fill(t, x, 1);
  for (int i = 0; i < COUNT; i++) y[i] = x[i] + 0.5;
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 100, "Data and model");
  add_channel(f, "theta [rad]", t, x, y, COUNT);
  char *plain = drawn(f, 1, (ScreenStyle){80, 20, false}),
       *coloured = drawn(f, 1, (ScreenStyle){80, 20, true});
  assert_non_null(strstr(plain, "theta [rad]   • data   ⠒⠒⠒⠒ model\n"));
  assert_null(strstr(plain, "residual"));
  assert_null(strchr(plain, '\033'));
  assert_true(times(plain, "•") > 30);
  assert_non_null(strstr(coloured, "\033[36m•"));
  assert_non_null(strstr(coloured, "\033[33m⠒⠒⠒⠒\033[0m model"));
  free(plain);
  free(coloured);
  arena_free(a);
}

// Where they agree, neither hides the other.
static void data_on_the_model_are_seen(void **state) {
  (void)state;
  double t[COUNT], x[COUNT];
  fill(t, x, 1);
  for (int count = 10; count <= COUNT; count += 95) {
    Arena *a = arena_new();
    Figure *f = figure_new(a, 100, 100, "Data and model");
    add_channel(f, "x", t, x, x, count);
    char *text = drawn(f, 1, (ScreenStyle){80, 20, false});
    assert_true(times(text, "•") > 5);
    assert_true(times(text, "⠒") + times(text, "⢀") + times(text, "⠤") > 4); // more than the legend
    free(text);
    arena_free(a);
  }
}

static void the_first_plots_share_one_axis(void **state) {
  (void)state;
  double t[COUNT], x[COUNT];
  fill(t, x, 1);
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 100, "Data and model");
  for (int i = 0; i < 5; i++) {
    char name[] = {'a', (char)('1' + i), 0};
    add_channel(f, name, t, x, x, COUNT);
  }
  assert_int_equal(figure_screen_plots(f), 5);
  char *text = drawn(f, 3, (ScreenStyle){80, 30, false});
  assert_int_equal(lines(text), 30);
  assert_int_equal(times(text, "time [s]"), 1);
  assert_int_equal(times(text, "• data"), 1); // said once
  assert_non_null(strstr(text, " a3\n"));
  assert_null(strstr(text, "a4"));
  free(text);
  arena_free(a);
}

static void other_axes_stand_below_their_plots(void **state) {
  (void)state;
  double t[COUNT], x[COUNT];
  fill(t, x, 1);
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 100, "Profiles");
  for (int i = 0; i < 2; i++) {
    figure_plot(
        f, &(FigurePlot){.title = i ? "second" : "", .x_label = i ? "q" : "p", .y_label = "ratio"});
    figure_series(f, &(FigureSeries){"ratio", 0, DASH_FULL, false, t, x, COUNT});
  }
  char *text = drawn(f, 2, (ScreenStyle){60, 24, false});
  assert_int_equal(lines(text), 24);
  assert_int_equal(times(text, "└"), 2);
  assert_true(strstr(text, " p\n") < strstr(text, " second   ⠒⠒⠒⠒ ratio\n"));
  assert_non_null(strstr(text, " q\n"));
  free(text);
  arena_free(a);
}

static void logarithmic_axes_have_powers(void **state) {
  (void)state;
  double p[] = {0, 0.01, 1, 100}, v[] = {1, 1e-6, 1e3, -1};
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 100, "Objective");
  figure_plot(f, &(FigurePlot){.x_label = "p", .y_label = "", .x_log = true, .y_log = true});
  figure_series(f, &(FigureSeries){"objective", 0, DASH_FULL, false, p, v, 4});
  char *text = drawn(f, 1, (ScreenStyle){60, 24, false});
  assert_non_null(strstr(text, "0.01"));
  assert_non_null(strstr(text, "1e-6 ┤") ? text : strstr(text, "e-5 ┤"));
  free(text);
  arena_free(a);
}

static void random_figures_keep_to_their_width(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 3);
  for (int width = 40; width <= 200; width += 5) {
    Arena *a = arena_new();
    Figure *f = figure_new(a, 100, 100, "Random");
    int plots = 1 + (int)(4 * random_uniform(&r));
    for (int k = 0; k < plots; k++) {
      double x[30], y[30];
      int series = 1 + (int)(4 * random_uniform(&r));
      double scale = pow(10, 30 * random_normal(&r)), shift = pow(10, 3 * random_normal(&r));
      bool is_log = random_uniform(&r) < 0.3;
      figure_plot(f,
                  &(FigurePlot){.x_label = k % 2 ? "a name of a horizontal axis that is long" : "t",
                                .y_label = "a vertical axis with a name that does not fit at all",
                                .x_log = is_log,
                                .y_log = random_uniform(&r) < 0.3});
      for (int s = 0; s < series; s++) {
        for (int i = 0; i < 30; i++) {
          x[i] = i * shift;
          y[i] =
              random_uniform(&r) < 0.05 ? (i % 2 ? nan("") : HUGE_VAL) : scale * random_normal(&r);
        }
        figure_series(f, &(FigureSeries){"a curve with a long name\nand a line end", ink_series(s),
                                         (Dash)(s % DASH_COUNT), s % 2, x, y, 30});
      }
    }
    for (int colour = 0; colour < 2; colour++) {
      char *text = drawn(f, plots, (ScreenStyle){width, 40, colour});
      if (longest(text) > width) fail_msg("%d > %d: %s", longest(text), width, text);
      free(text);
    }
    arena_free(a);
  }
}

static void hard_numbers_still_make_a_plot(void **state) {
  (void)state;
  const double t[] = {0, 1, 2, 3}, hard[][4] = {{-DBL_MAX, DBL_MAX, 0, 1},
                                                {1e-320, 2e-320, 0, 0},
                                                {5, 5, 5, 5},
                                                {INFINITY, 1, NAN, 3}};
  for (size_t k = 0; k < sizeof hard / sizeof *hard; k++)
    for (int log = 0; log < 2; log++)
      for (int dots = 0; dots < 2; dots++) {
        Arena *a = arena_new();
        Figure *f = figure_new(a, 100, 100, "Hard");
        figure_plot(f, &(FigurePlot){.x_label = "t", .y_label = "y", .y_log = log});
        figure_series(f, &(FigureSeries){"y", 0, DASH_FULL, dots, t, hard[k], 4});
        char *text = drawn(f, 1, (ScreenStyle){60, 15, false});
        assert_int_equal(lines(text), 15);
        free(text);
        arena_free(a);
      }
}

static void nothing_to_plot_is_said(void **state) {
  (void)state;
  const double t[] = {0, 1}, x[] = {NAN, NAN};
  Arena *a = arena_new();
  Figure *f = figure_new(a, 100, 100, "Nothing");
  figure_plot(f, &(FigurePlot){.x_label = "t", .y_label = "x"});
  figure_series(f, &(FigureSeries){"x", 0, DASH_FULL, false, t, x, 2});
  assert_int_equal(figure_screen_plots(f), 0);
  char *text = drawn(f, 1, (ScreenStyle){60, 15, false});
  assert_string_equal(text, "(nothing to plot)\n");
  free(text);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_and_model_can_be_told_apart_without_colours),
      cmocka_unit_test(data_on_the_model_are_seen),
      cmocka_unit_test(the_first_plots_share_one_axis),
      cmocka_unit_test(other_axes_stand_below_their_plots),
      cmocka_unit_test(logarithmic_axes_have_powers),
      cmocka_unit_test(random_figures_keep_to_their_width),
      cmocka_unit_test(hard_numbers_still_make_a_plot),
      cmocka_unit_test(nothing_to_plot_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
