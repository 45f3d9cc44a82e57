#include "draw/figure_axes.h"

#include <stdlib.h>
#include <string.h>

#include "letters.h"
#include "test.h"

static Axes axes_on(Arena *a, Axis x, Axis y) {
  return (Axes){figure_new(a, 300, 200, "axes"), {50, 20, 200, 100}, x, y};
}

static const Axis UNIT = {0, 1, false, "u"}, DECADES = {0.01, 100, true, "d"};

static void ends_of_axes_are_edges_of_the_frame(void **state) {
  (void)state;
  Arena *a = arena_new();
  Axes axes = axes_on(a, UNIT, DECADES);
  assert_close(axes_x(&axes, 0), 50, 0);
  assert_close(axes_x(&axes, 1), 250, 0);
  assert_close(axes_y(&axes, 0.01), 120, 1e-12); // y points upwards
  assert_close(axes_y(&axes, 100), 20, 1e-12);
  assert_close(axes_y(&axes, 1), 70, 1e-12); // the middle in decades
  assert_true(isnan(axes_y(&axes, -1)));
  arena_free(a);
}

static void ticks_of_a_logarithmic_axis_are_round_and_inside(void **state) {
  (void)state;
  const double ends[][2] = {{0.1, 10}, {1e-16, 1e4}, {2, 3}, {0.5, 40}, {1e-300, 1e300}, {3, 900}};
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
    for (int wanted = 2; wanted < 10; wanted++) {
      Axis axis = {ends[k][0], ends[k][1], true, ""};
      Ticks t;
      axis_ticks(&axis, wanted, &t);
      assert_true(t.count >= 1 && t.count <= 3 * wanted + 2);
      for (int i = 0; i < t.count; i++) {
        assert_true(t.at[i] >= ends[k][0] * (1 - 1e-6) && t.at[i] <= ends[k][1] * (1 + 1e-6));
        if (i) assert_true(t.at[i] > t.at[i - 1]);
        assert_close_relative(atof(t.label[i]), t.at[i], 1e-5);
      }
    }
}

static const Shape *last(const Figure *f) {
  return &f->shapes.at[f->shapes.count - 1];
}

static void curves_have_gaps_where_there_is_nothing(void **state) {
  (void)state;
  Arena *a = arena_new();
  Axes axes = axes_on(a, UNIT, DECADES);
  const double x[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  const double y[] = {1, 2, nan(""), 4, -5, 6, 1e300};
  axes_curve(&axes, x, y, 7, (Stroke){INK_BLACK, 1, DASH_FULL});
  assert_int_equal(axes.figure->shapes.count, 2); // 4 alone is no line
  assert_int_equal(axes.figure->shapes.at[0].spot_count, 2);
  assert_int_equal(last(axes.figure)->spot_count, 2);
  assert_true(last(axes.figure)->clip >= 0);
  assert_true(isfinite(last(axes.figure)->spots[1].y));
  arena_free(a);
}

static void markers_outside_of_the_frame_are_left_out(void **state) {
  (void)state;
  Arena *a = arena_new();
  Axes axes = axes_on(a, UNIT, UNIT);
  const double x[] = {0, 1, 1.1, nan(""), 0.5}, y[] = {0, 1, 0.5, 0.5, -3};
  axes_markers(&axes, x, y, 5, MARKER_CIRCLE, 5, INK_GREY, NO_STROKE);
  assert_int_equal(axes.figure->shapes.count, 2);
  axes_level(&axes, 2, (Stroke){INK_BLACK, 1, DASH_FULL});
  axes_upright(&axes, -1, (Stroke){INK_BLACK, 1, DASH_FULL});
  assert_int_equal(axes.figure->shapes.count, 2);
  axes_level(&axes, 0.5, (Stroke){INK_BLACK, 1, DASH_FULL});
  assert_close(last(axes.figure)->spots[0].y, 70, 0);
  arena_free(a);
}

static void a_band_goes_there_and_back(void **state) {
  (void)state;
  Arena *a = arena_new();
  Axes axes = axes_on(a, UNIT, UNIT);
  const double x[] = {0, 0.5, 1}, low[] = {0.1, 0.2, 0.1}, high[] = {0.5, 0.9, nan("")};
  axes_band(&axes, x, low, high, 3, INK_GREY);
  const Shape *s = last(axes.figure);
  assert_int_equal(s->spot_count, 5);
  assert_true(s->closed && s->fill == INK_GREY);
  assert_close(s->spots[2].x, 250, 0);
  assert_close(s->spots[4].y, axes_y(&axes, 0.5), 0);
  arena_free(a);
}

static bool has_text(const Figure *f, const char *text) {
  for (int i = 0; i < f->shapes.count; i++)
    if (f->shapes.at[i].text && strcmp(f->shapes.at[i].text, text) == 0) return true;
  return false;
}

static void a_border_has_numbers_labels_and_stays_in_the_picture(void **state) {
  (void)state;
  Arena *a = arena_new();
  Axes axes = axes_on(a, (Axis){0, 10, false, axis_label(a, "time", "s")},
                      (Axis){1, 1000, true, axis_label(a, "V", "")});
  axes_grid(&axes);
  axes_border(&axes);
  axes_title(&axes, "title");
  static const char *const TEXTS[] = {"time [s]", "V", "title", "0", "10", "1", "100"};
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
    assert_true(has_text(axes.figure, TEXTS[i]));
  for (int i = 0; i < axes.figure->shapes.count; i++)
    for (int k = 0; k < axes.figure->shapes.at[i].spot_count; k++) {
      Spot s = axes.figure->shapes.at[i].spots[k];
      assert_true(s.x >= 0 && s.x <= 300 && s.y >= 0 && s.y <= 200);
    }
  arena_free(a);
}

static Axes roomy_axes(Arena *a, Axis x, Axis y) {
  return (Axes){figure_new(a, 320, 220, "axes"), {70, 40, 220, 120}, x, y};
}

// "x - 20 [m]": the numbers are short, and stand where their values are.
static void numbers_that_agree_are_shown_as_differences(void **state) {
  (void)state;
  const double ends[][2] = {
      {19.99999997, 20.00000011}, {0.599999995, 0.600000015}, {-300.0001, -300}};
  static const char *const LABELS[] = {"x - 20 [m]", "x - 0.6 [m]", "x + 300 [m]"};
  for (int log = 0; log < 2; log++)
    for (int i = 0; i < 3 - log; i++) {
      Arena *a = arena_new();
      Axis narrow = {ends[i][0], ends[i][1], log != 0, axis_label(a, "x", "m")};
      Axes axes = roomy_axes(a, narrow, narrow);
      axes_border(&axes);
      const Shape *label = letters_beginning_with(axes.figure, "x");
      assert_non_null(label);
      assert_string_equal(label->text, LABELS[i]);
      assert_letters_stand_well(axes.figure);
      for (int k = 0; k < axes.figure->shapes.count; k++) {
        const Shape *s = &axes.figure->shapes.at[k];
        if (s->kind != SHAPE_LETTERS || s->text[0] == 'x' || s->lettering.align != ALIGN_CENTRE)
          continue;
        double value = strtod(s->text, NULL) + strtod(LABELS[i] + 4, NULL) * (i == 2 ? -1 : 1);
        assert_close(s->spots[0].x, axes_x(&axes, value), 0.01);
      }
      arena_free(a);
    }
}

static void long_names_stay_in_the_picture(void **state) {
  (void)state;
  static const char NAME[] = "stiffness_of_the_primary_suspension_spring_left_of_the_test_vehicle";
  Arena *a = arena_new();
  Axes axes = roomy_axes(a, (Axis){0, 10, false, axis_label(a, NAME, "N/m")},
                         (Axis){1, 1000, true, axis_label(a, NAME, "N.s/m")});
  axes_border(&axes);
  axes_title(&axes, NAME);
  LegendRow row = {NAME, INK_GREY, NO_STROKE, MARKER_NONE, false, false};
  assert_letters_stand_well(axes.figure);
  Figure *f = figure_new(a, legend_width(&row, 1), legend_height(1), "legend");
  legend_draw(f, (Spot){0, 0}, &row, 1, true);
  assert_letters_stand_well(f);
  assert_true(f->width < 350);
  arena_free(a);
}

static void a_legend_is_as_large_as_it_says(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = figure_new(a, 300, 200, "legend");
  LegendRow rows[] = {
      {"short", INK_GREY, NO_STROKE, MARKER_NONE, false, true},
      {"a longer text", INK_NONE, {INK_BLACK, 1, DASH_DASHED}, MARKER_NONE, true, false},
      {"marker", INK_WHITE, {INK_BLACK, 1, DASH_FULL}, MARKER_STAR, false, false}};
  legend_draw(f, (Spot){20, 30}, rows, 3, true);
  assert_close(f->shapes.at[0].frame.width, legend_width(rows, 3), 0);
  assert_close(f->shapes.at[0].frame.height, legend_height(3), 0);
  for (int i = 0; i < f->shapes.count; i++)
    for (int k = 0; k < f->shapes.at[i].spot_count; k++) {
      Spot s = f->shapes.at[i].spots[k];
      assert_true(s.x >= 20 && s.x <= 20 + legend_width(rows, 3));
      assert_true(s.y >= 30 && s.y <= 30 + legend_height(3));
    }
  for (int i = 0; i < 3; i++) assert_true(has_text(f, rows[i].text));
  arena_free(a);
}

static void hatching_stays_inside_and_meets_that_of_a_neighbour(void **state) {
  (void)state;
  Arena *a = arena_new();
  Figure *f = figure_new(a, 300, 200, "hatch");
  Frame frame = {13, 17, 40, 25};
  figure_hatch(f, frame, 6, (Stroke){INK_BLACK, 1, DASH_FULL});
  assert_int_equal(f->shapes.count, 10); // sums from 36 to 90
  for (int i = 0; i < f->shapes.count; i++)
    for (int k = 0; k < 2; k++) {
      Spot s = f->shapes.at[i].spots[k];
      assert_true(s.x >= 13 - 1e-9 && s.x <= 53 + 1e-9 && s.y >= 17 - 1e-9 && s.y <= 42 + 1e-9);
      assert_close(fmod(s.x + s.y + 1e-9, 6), 1e-9, 1e-6); // the same lines everywhere
    }
  arena_free(a);
}

static void an_axis_holds_what_it_must_show(void **state) {
  (void)state;
  const double values[] = {3, -HUGE_VAL, nan(""), -1, 0.5};
  Axis plain = AXIS_EMPTY(false, "x"), log = AXIS_EMPTY(true, "x"), none = AXIS_EMPTY(true, "x");
  axis_include(&plain, values, 5);
  axis_include(&log, values, 5);
  axis_settle(&plain);
  axis_settle(&log);
  axis_settle(&none);
  assert_true(plain.least < -1 && plain.least > -2 && plain.most > 3 && plain.most < 4);
  assert_true(log.least < 0.5 && log.least > 0.3 && log.most > 3 && log.most < 4);
  assert_true(none.least > 0 && none.most > none.least);
}

// Of a crowd of points the line keeps the extremes, in order, and never gets longer.
static void crowded_points_become_few_and_keep_their_extremes(void **state) {
  (void)state;
  enum { N = 50000 };
  Arena *a = arena_new();
  Axes axes = axes_on(a, (Axis){0, N, false, ""}, (Axis){-1, 1, false, ""});
  double *x = ARENA_ARRAY(a, double, N), *y = ARENA_ARRAY(a, double, N);
  for (int i = 0; i < N; i++) x[i] = i, y[i] = sin(0.7 * i) * (i == 31234 ? 0.99 : 0.3);
  y[31234] = 0.95;
  axes_curve(&axes, x, y, N, (Stroke){INK_BLACK, 1, DASH_FULL});
  const Shape *s = last(axes.figure);
  double highest = HUGE_VAL;
  assert_true(s->spot_count < 4 * (200 / 0.4 + 2));
  for (int i = 0; i < s->spot_count; i++) {
    highest = fmin(highest, s->spots[i].y);
    if (i) assert_true(s->spots[i].x >= s->spots[i - 1].x);
  }
  assert_close(highest, axes_y(&axes, 0.95), 1e-9);
  assert_close(s->spots[0].x, 50, 1e-9);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_of_axes_are_edges_of_the_frame),
      cmocka_unit_test(ticks_of_a_logarithmic_axis_are_round_and_inside),
      cmocka_unit_test(curves_have_gaps_where_there_is_nothing),
      cmocka_unit_test(markers_outside_of_the_frame_are_left_out),
      cmocka_unit_test(a_band_goes_there_and_back),
      cmocka_unit_test(a_border_has_numbers_labels_and_stays_in_the_picture),
      cmocka_unit_test(numbers_that_agree_are_shown_as_differences),
      cmocka_unit_test(long_names_stay_in_the_picture),
      cmocka_unit_test(a_legend_is_as_large_as_it_says),
      cmocka_unit_test(an_axis_holds_what_it_must_show),
      cmocka_unit_test(crowded_points_become_few_and_keep_their_extremes),
      cmocka_unit_test(hatching_stays_inside_and_meets_that_of_a_neighbour),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
