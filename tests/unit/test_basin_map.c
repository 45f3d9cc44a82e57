#include "report/basin_map.h"

#include "draw/figure_cairo.h"
#include "draw/figure_svg.h"
#include "letters.h"
#include "made_basin.h"

static int boxes_of(const Figure *f, Ink ink, double *area) {
  int count = 0;
  *area = 0;
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind != SHAPE_BOX || s->fill != ink || s->frame.x > 480) continue; // not the legend
    count++;
    *area += s->frame.width * s->frame.height;
  }
  return count;
}

static bool has_text(const Figure *f, const char *text) {
  for (int i = 0; i < f->shapes.count; i++)
    if (f->shapes.at[i].text && strcmp(f->shapes.at[i].text, text) == 0) return true;
  return false;
}

static void cells_cover_the_map_in_few_rectangles(void **state) {
  (void)state;
  MadeBasin m;
  Arena *a = arena_new();
  made_basin(&m, MIXED, 3);
  Figure *f = basin_map(&m.basin, a);
  double cell = 420.0 * 420 / 12, area, sum = 0;
  static const int STARTS[] = {5, 3, 1}, RECTANGLES[] = {2, 2, 1};
  for (int s = 0; s < 3; s++) {
    assert_int_equal(boxes_of(f, shade_ink((BasinShade)s), &area), RECTANGLES[s]);
    assert_close(area, STARTS[s] * cell, 1e-6);
    sum += area;
  }
  for (int s = SHADE_NOT_CONVERGED; s <= SHADE_OPEN; s++) {
    boxes_of(f, shade_ink((BasinShade)s), &area);
    sum += area;
  }
  assert_close(sum, 12 * cell, 1e-6);
  arena_free(a);
}

static void axes_have_names_and_units_and_the_legend_shares(void **state) {
  (void)state;
  MadeBasin m;
  Arena *a = arena_new();
  made_basin(&m, MIXED, 3);
  m.basin.truth = m.truth;
  Figure *f = basin_map(&m.basin, a);
  static const char *const TEXTS[] = {
      "alpha [N/m]",
      "beta",
      "45.5 % of 11 starts reach the best optimum that was found",
      "where/problem.yaml, lm: 4 x 3 starts over alpha and beta, mu "
      "= 0.5",
      "45.5 %: best optimum, objective 0.5",
      "9.1 %: not converged",
      "9.1 %: cannot be simulated",
      "not done",
      "start of the problem",
      "truth"};
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
    if (!has_text(f, TEXTS[i])) fail_msg("lacks '%s'", TEXTS[i]);
  arena_free(a);
}

static void everything_is_inside_of_the_picture(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    MadeBasin m;
    Arena *a = arena_new();
    made_basin(&m, MIXED, 3);
    m.basin.random = kind == 1;
    if (kind == 2) m.basin.axis_count = 1, m.basin.count = m.basin.done = 4;
    Figure *f = basin_map(&m.basin, a);
    for (int i = 0; i < f->shapes.count; i++) {
      const Shape *s = &f->shapes.at[i];
      for (int k = 0; k < s->spot_count; k++)
        assert_true(s->spots[k].x >= 0 && s->spots[k].x <= f->width && s->spots[k].y >= 0 &&
                    s->spots[k].y <= f->height);
    }
    assert_letters_stand_well(f);
    arena_free(a);
  }
}

static void long_names_and_narrow_ranges_are_cut_nowhere(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    MadeBasin m;
    Arena *a = arena_new();
    made_basin(&m, MIXED, 3);
    m.problem.path =
        "some/folder_with_a_long_name/long_problem_name_for_the_primary_suspension_of_the_"
        "front_left_wheel_of_the_test_vehicle.yaml";
    m.unknowns[0].name = "stiffness_of_the_primary_suspension_spring_left_of_the_test_vehicle";
    m.unknowns[1].name =
        "damping_of_the_primary_suspension_spring_left_of_the_test_vehicle_in_winter";
    m.axes[0].low = 20, m.axes[0].high = 20.0000001;
    m.axes[1].low = 0.6, m.axes[1].high = 0.60000001;
    m.basin.random = kind == 1;
    if (kind == 2) m.basin.axis_count = 1, m.basin.count = m.basin.done = 4;
    const Figure *f = basin_map(&m.basin, a);
    assert_letters_stand_well(f);
    assert_true(f->width < 900);
    arena_free(a);
  }
}

static void files_stay_small(void **state) {
  (void)state;
  MadeBasin m;
  Arena *a = arena_new();
  Text svg, png;
  made_basin(&m, MIXED, 3);
  static BasinStart many[101 * 101];
  memset(many, 0, sizeof many);
  for (int i = 0; i < 101 * 101; i++) many[i].end = BASIN_REACHED, many[i].optimum = i % 101 > 60;
  m.basin.start = many;
  m.basin.count = m.basin.done = 101 * 101;
  m.axes[0].count = m.axes[1].count = 101;
  text_init(&svg);
  text_init(&png);
  figure_svg(basin_map(&m.basin, a), &svg);
  assert_true(figure_png(basin_map(&m.basin, a), 2, &png, NULL));
  assert_true(svg.length < 8000);
  assert_true(png.length < 150000);
  text_done(&svg);
  text_done(&png);
  arena_free(a);
}

// Over more axes a cell shows what most of the starts behind it do.
static void cells_of_more_axes_show_the_most_frequent_outcome(void **state) {
  (void)state;
  static const int DEEP[12] = {0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1}; // 2 x 2 x 3
  MadeBasin m;
  Arena *a = arena_new();
  made_basin(&m, DEEP, 2);
  m.axes[0].count = m.axes[1].count = 2;
  m.axes[2] = (BasinAxis){"mu", 0, 1, BASIN_LINEAR, 3, 2};
  m.basin.axis_count = 3;
  double area;
  Figure *f = basin_map(&m.basin, a);
  boxes_of(f, shade_ink(SHADE_BEST), &area);
  assert_close(area, 2 * 420 * 420 / 4.0, 1e-6);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_cover_the_map_in_few_rectangles),
      cmocka_unit_test(axes_have_names_and_units_and_the_legend_shares),
      cmocka_unit_test(everything_is_inside_of_the_picture),
      cmocka_unit_test(long_names_and_narrow_ranges_are_cut_nowhere),
      cmocka_unit_test(files_stay_small),
      cmocka_unit_test(cells_of_more_axes_show_the_most_frequent_outcome),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
