// The picture of optima: distances, heights and areas.
#include "report/optima_figure.h"

#include "pictures.h"

typedef struct MadeOptima {
  Arena *arena;
  Unknown unknowns[3];
  Problem problem;
  FitResult result;
} MadeOptima;

static MadeOptima *made(int count) {
  Arena *a = arena_new();
  MadeOptima *m = ARENA_NEW(a, MadeOptima);
  m->arena = a;
  m->unknowns[0] = (Unknown){.name = "a", .min = 0, .max = 10};
  m->unknowns[1] = (Unknown){.name = "b", .min = 1e-2, .max = 1e2, .log = true};
  m->unknowns[2] = (Unknown){.name = "c", .min = -HUGE_VAL, .max = HUGE_VAL};
  m->problem = (Problem){.path = "<script>.yaml", .unknowns = m->unknowns, .unknown_count = 3};
  m->result.problem = &m->problem;
  for (int k = 0; k < count; k++) {
    double *x = ARENA_ARRAY(a, double, 3);
    x[0] = 2 + k, x[1] = pow(10, 0.4 * k), x[2] = 7 * k;
    FitOptimum o = {.x = x, .objective = 1 + k, .worse = k ? pow(10, k) : 0, .searches = 9 - 2 * k};
    o.distinct = k > 1;
    array_push(a, &m->result.optima, o);
  }
  return m;
}

static const Figure *draw(MadeOptima *m) {
  const Figure *f = optima_figure(m->arena, &m->result);
  if (f) assert_picture_is_sound(f);
  return f;
}

static void distances_are_parts_of_bounds(void **state) {
  (void)state;
  MadeOptima *m = made(3);
  assert_close(optimum_distance(&m->result, 0), 0, 0);
  // 1 of 10, a tenth of four decades, half of the spread
  assert_close(optimum_distance(&m->result, 1), sqrt((0.01 + 0.01 + 0.25) / 3), 1e-12);
  assert_close(optimum_distance(&m->result, 2), sqrt((0.04 + 0.04 + 1) / 3), 1e-12);
  arena_free(m->arena);
}

static void farther_worse_and_rarer_ones_look_so(void **state) {
  (void)state;
  MadeOptima *m = made(4);
  const Figure *f = draw(m);
  Spot last = {-HUGE_VAL, HUGE_VAL};
  double radius = HUGE_VAL;
  int circles = 0;
  for (int i = 0; i < f->shapes.count; i++) {
    const Shape *s = &f->shapes.at[i];
    if (s->kind != SHAPE_CIRCLE || s->spots[0].y > f->height - 60) continue; // the legend
    assert_true(s->spots[0].x > last.x && s->spots[0].y < last.y && s->radius < radius);
    last = s->spots[0], radius = s->radius;
    circles++;
  }
  assert_int_equal(circles, 4);
  assert_non_null(letters_beginning_with(f, "behind a barrier"));
  assert_non_null(letters_beginning_with(f, "no barrier is known"));
  assert_svg_has_no_element(f, "<script");
  arena_free(m->arena);
}

// Area, not diameter.
static void areas_are_in_the_ratio_of_searches(void **state) {
  (void)state;
  MadeOptima *m = made(2);
  m->result.optima.at[0].searches = 8, m->result.optima.at[1].searches = 2;
  const Figure *f = draw(m);
  double radius[2] = {0};
  for (int i = 0, k = 0; i < f->shapes.count && k < 2; i++)
    if (f->shapes.at[i].kind == SHAPE_CIRCLE && f->shapes.at[i].spots[0].y < f->height - 60)
      radius[k++] = f->shapes.at[i].radius;
  assert_close(radius[0] / radius[1], 2, 1e-9);
  arena_free(m->arena);
}

static void one_optimum_is_no_picture(void **state) {
  (void)state;
  for (int n = 0; n < 2; n++) {
    MadeOptima *m = made(n);
    assert_null(draw(m));
    arena_free(m->arena);
  }
}

// The same optimum twice, differences that are rounding or unknown, thousands of searches.
static void odd_optima_do_no_harm(void **state) {
  (void)state;
  const double odd[] = {-1e-9, 0, HUGE_VAL, nan(""), 1e300};
  for (int i = 0; i < 5; i++) {
    MadeOptima *m = made(3);
    memcpy(m->result.optima.at[1].x, m->result.optima.at[0].x, 3 * sizeof(double));
    m->result.optima.at[1].worse = odd[i];
    m->result.optima.at[2].searches = 100000, m->result.optima.at[0].searches = 0;
    m->unknowns[0].min = m->unknowns[0].max = 2;
    draw(m);
    arena_free(m->arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_are_parts_of_bounds),
      cmocka_unit_test(farther_worse_and_rarer_ones_look_so),
      cmocka_unit_test(areas_are_in_the_ratio_of_searches),
      cmocka_unit_test(one_optimum_is_no_picture),
      cmocka_unit_test(odd_optima_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
