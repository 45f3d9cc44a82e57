#include "num/cloud.h"

#include <string.h>

#include "num/random.h"
#include "test.h"

enum { POINTS = 3000, WIDTH = 3 };

static Cloud random_cloud(Arena *a, Random *r, int count, int width, int distinct) {
  double **at = ARENA_ARRAY(a, double *, width + 1);
  for (int k = 0; k < width; k++) {
    at[k] = ARENA_ARRAY(a, double, count + 1);
    for (int i = 0; i < count; i++)
      at[k][i] = distinct ? floor(distinct * random_uniform(r)) : random_normal(r);
  }
  return (Cloud){count, width, (const double *const *)at};
}

// Every point is in one leaf, inside the boxes of all nodes above it, and keeps its number.
static void boxes_contain_their_points(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 1);
  for (int distinct = 0; distinct < 4; distinct++) {
    Arena *a = arena_new();
    Cloud c = random_cloud(a, &r, POINTS, WIDTH, distinct);
    const CloudTree *t = cloud_tree(a, &c);
    int *seen = ARENA_ARRAY(a, int, POINTS);
    for (int n = 0; n < t->node_count; n++) {
      const CloudNode *node = &t->nodes[n];
      assert_true(node->left < 0 || (node->left > n && node->right > n));
      assert_true(node->left >= 0 || node->count <= CLOUD_LEAF || cloud_node_is_one(t, n));
      for (int i = node->first; i < node->first + node->count; i++) {
        for (int k = 0; k < t->width; k++)
          assert_true(t->at[k][i] >= t->least[n * t->width + k] &&
                      t->at[k][i] <= t->most[n * t->width + k]);
        if (node->left < 0) seen[t->order[i]]++;
      }
    }
    for (int i = 0; i < POINTS; i++) assert_int_equal(seen[i], 1);
    arena_free(a);
  }
}

// A hundred thousand points at one place and a thousand nested boxes: few nodes, no depth that hurts.
static void equal_points_are_one_leaf(void **state) {
  (void)state;
  enum { COUNT = 101000 };
  Arena *a = arena_new();
  double *x = ARENA_ARRAY(a, double, COUNT);
  for (int i = 0; i < COUNT; i++) x[i] = i < 100000 ? 0 : ldexp(1, 100000 - i);
  const double *at[1] = {x};
  const CloudTree *t = cloud_tree(a, &(Cloud){COUNT, 1, at});
  assert_true(t->node_count < 2100);
  arena_free(a);
}

static void units_do_not_depend_on_the_scale(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 2);
  Arena *a = arena_new();
  Cloud c = random_cloud(a, &r, 100, 2, 0);
  double *other = ARENA_ARRAY(a, double, 100), *flat = ARENA_ARRAY(a, double, 100);
  for (int i = 0; i < 100; i++) other[i] = 1024 * c.at[0][i], flat[i] = 7;
  const double *at[3] = {other, flat, c.at[1]};
  int before, after;
  double **u = cloud_units(a, &c, &before), **v = cloud_units(a, &(Cloud){100, 3, at}, &after);
  assert_int_equal(before, 2);
  assert_int_equal(after, 2); // what does not change is left out
  for (int k = 0; k < 2; k++) assert_memory_equal(u[k], v[k], 100 * sizeof(double));
  assert_int_equal(cloud_tree(a, &(Cloud){0, 2, c.at})->node_count, 0);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_contain_their_points),
      cmocka_unit_test(equal_points_are_one_leaf),
      cmocka_unit_test(units_do_not_depend_on_the_scale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
