#include "num/distance_sums.h"

#include <string.h>

#include "test.h"
// after test.h, which has the mathematics
#include "cloud_shapes.h"

static double naive_sum(const Cloud *c, int i) {
  double sum = 0;
  CloudRange range[8];
  for (int k = 0; k < c->width; k++) range[k] = cloud_range(c->at[k], c->count);
  for (int j = 0; j < c->count; j++) {
    double square = 0;
    for (int k = 0; k < c->width; k++)
      if (range[k].range > 0) square += pow((c->at[k][i] - c->at[k][j]) / range[k].range, 2);
    sum += sqrt(square);
  }
  return sum;
}

static void every_pair_counts(void **state) {
  (void)state;
  static const int COUNTS[] = {0, 1, 2, 63, 64, 65, 300};
  Random r;
  random_seed(&r, 5);
  for (int s = 0; s < SHAPE_COUNT; s++)
    for (int n = 0; n < 7; n++)
      for (int width = 0; width <= 6; width += 2) {
        Arena *a = arena_new();
        Cloud c = shaped_cloud(a, &r, (Shape)s, COUNTS[n], width);
        double *sum = ARENA_ARRAY(a, double, c.count + 1);
        assert_true(distance_sums(&c, sum) == 0);
        for (int i = 0; i < c.count; i++)
          assert_close(sum[i], naive_sum(&c, i), 1e-12 * (1 + naive_sum(&c, i)));
        arena_free(a);
      }
}

// The bound holds at points that were not those of the trials, for all shapes, in 1, 2, 4 and 6 dimensions.
static void the_tree_keeps_its_bound(void **state) {
  (void)state;
  enum { COUNT = 3000 };
  Random r;
  random_seed(&r, 6);
  for (int s = 0; s < SHAPE_COUNT; s++)
    for (int width = 1; width <= 6; width += width == 1 ? 1 : 2) {
      Arena *a = arena_new();
      Cloud c = shaped_cloud(a, &r, (Shape)s, COUNT, width);
      double *exact = ARENA_ARRAY(a, double, COUNT), *tree = ARENA_ARRAY(a, double, COUNT),
             worst = 0;
      distance_sums(&c, exact);
      double told = distance_sums_by_tree(&c, tree);
      for (int i = 0; i < COUNT; i++) worst = fmax(worst, fabs(tree[i] / exact[i] - 1));
      if (!(worst <= DISTANCES_ERROR)) print_error("shape %d, %d dimensions\n", s, width);
      assert_true(worst <= DISTANCES_ERROR);
      assert_true(told <= DISTANCES_ERROR && worst <= 10 * told + 1e-12);
      arena_free(a);
    }
}

// Points that are all the same have no distances; nor has one, nor none.
static void no_distance_is_zero(void **state) {
  (void)state;
  double x[100], sum[100];
  const double *at[2] = {x, x};
  for (int i = 0; i < 100; i++) x[i] = 3;
  for (int count = 0; count <= 100; count += 50) {
    assert_true(distance_sums_by_tree(&(Cloud){count, 2, at}, sum) == 0);
    for (int i = 0; i < count; i++) assert_true(sum[i] == 0);
  }
  for (int i = 0; i < 100; i++) x[i] = i == 7; // one far from 99 equal ones
  distance_sums_by_tree(&(Cloud){100, 2, at}, sum);
  for (int i = 0; i < 100; i++) assert_close(sum[i], sqrt(2) * (i == 7 ? 99 : 1), 1e-12);
}

static void order_and_units_change_nothing(void **state) {
  (void)state;
  enum { COUNT = 2000, WIDTH = 3 };
  Random r;
  random_seed(&r, 7);
  Arena *a = arena_new();
  Cloud c = shaped_cloud(a, &r, SHAPE_STEADY, COUNT, WIDTH);
  int *order = ARENA_ARRAY(a, int, COUNT);
  Cloud other = shuffled_cloud(a, &r, &c, order);
  double *w = ARENA_ARRAY(a, double, COUNT), *v = ARENA_ARRAY(a, double, COUNT);
  distance_sums_by_tree(&c, w);
  distance_sums_by_tree(&other, v);
  for (int i = 0; i < COUNT; i++) assert_close_relative(v[i], w[order[i]], DISTANCES_ERROR);
  double **scaled = ARENA_ARRAY(a, double *, WIDTH);
  for (int k = 0; k < WIDTH; k++) {
    scaled[k] = ARENA_ARRAY(a, double, COUNT);
    for (int i = 0; i < COUNT; i++) scaled[k][i] = ldexp(c.at[k][i], 20 * k - 10);
  }
  distance_sums_by_tree(&(Cloud){COUNT, WIDTH, (const double *const *)scaled}, v);
  assert_memory_equal(w, v, COUNT * sizeof *w);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_counts),
      cmocka_unit_test(the_tree_keeps_its_bound),
      cmocka_unit_test(no_distance_is_zero),
      cmocka_unit_test(order_and_units_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
