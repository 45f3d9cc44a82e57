#include "num/density.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"
// after test.h, which has the mathematics
#include "cloud_shapes.h"

// ---------------------------------------------------------------- references of O(N^2)

static double range_of(const Cloud *c, int k, double *least) {
  double most = -HUGE_VAL;
  *least = HUGE_VAL;
  for (int i = 0; i < c->count; i++)
    *least = fmin(*least, c->at[k][i]), most = fmax(most, c->at[k][i]);
  return most - *least;
}

static int naive_cell(const Cloud *c, int k, int i, int cells) {
  double least, range = range_of(c, k, &least);
  if (range == 0) return 0;
  int cell = (int)floor((c->at[k][i] - least) / range * cells + 1e-9);
  return cell < cells ? cell : cells - 1;
}

static void naive_grid(const Cloud *c, const int *cells, double *weight) {
  int *cell = malloc(((size_t)c->count * (size_t)c->width + 1) * sizeof *cell);
  for (int k = 0; k < c->width; k++)
    for (int i = 0; i < c->count; i++) cell[i * c->width + k] = naive_cell(c, k, i, cells[k]);
  for (int i = 0; i < c->count; i++) {
    int same = 0;
    for (int j = 0; j < c->count; j++) {
      bool equal = true;
      for (int k = 0; k < c->width; k++)
        equal = equal && cell[i * c->width + k] == cell[j * c->width + k];
      same += equal;
    }
    weight[i] = 1.0 / same;
  }
  free(cell);
}

static void naive_ellipses(const Cloud *c, double ratio, double *weight) {
  double least, range[8];
  for (int k = 0; k < c->width; k++) range[k] = range_of(c, k, &least);
  for (int i = 0; i < c->count; i++) {
    int inside = 0;
    for (int j = 0; j < c->count; j++) {
      double sum = 0;
      for (int k = 0; k < c->width; k++)
        if (range[k] > 0) sum += pow((c->at[k][i] - c->at[k][j]) / range[k], 2);
      inside += sqrt(sum) <= ratio * (1 + 1e-9);
    }
    weight[i] = 1.0 / inside;
  }
}

// ---------------------------------------------------------------- laws

typedef void Law(Arena *a, Random *r, const Cloud *c, const int *cells);

static void for_all_clouds(Law *law) {
  static const int COUNTS[] = {0, 1, 2, 17, 400};
  static const int CELLS[6] = {20, 3, 1, 7, 100, 5};
  Random r;
  random_seed(&r, 3);
  for (int s = 0; s < SHAPE_COUNT; s++)
    for (int n = 0; n < 5; n++)
      for (int width = 0; width <= 6; width += width < 3 ? 1 : 3) {
        Arena *a = arena_new();
        Cloud c = shaped_cloud(a, &r, (Shape)s, COUNTS[n], width);
        law(a, &r, &c, CELLS);
        arena_free(a);
      }
}

static double *weights_for(Arena *a, const Cloud *c) {
  return ARENA_ARRAY(a, double, c->count + 1);
}

static void equal_references(Arena *a, Random *r, const Cloud *c, const int *cells) {
  double *w = weights_for(a, c), *naive = weights_for(a, c);
  (void)r;
  grid_weights(c, &(GridRule){cells, 1, false}, w);
  naive_grid(c, cells, naive);
  assert_memory_equal(w, naive, (size_t)c->count * sizeof *w);
  for (double ratio = 0.05; ratio < 2; ratio *= 3) {
    ellipse_weights(c, ratio, w);
    naive_ellipses(c, ratio, naive);
    assert_memory_equal(w, naive, (size_t)c->count * sizeof *w);
  }
}

static void ignore_the_order(Arena *a, Random *r, const Cloud *c, const int *cells) {
  int *order = ARENA_ARRAY(a, int, c->count + 1), back[6] = {0};
  Cloud other = shuffled_cloud(a, r, c, order);
  double *w = weights_for(a, c), *v = weights_for(a, c);
  for (int k = 0; k < c->width; k++) back[k] = cells[c->width - 1 - k];
  grid_weights(c, &(GridRule){cells, 3, false}, w);
  grid_weights(&other, &(GridRule){back, 3, false}, v);
  for (int i = 0; i < c->count; i++) assert_true(v[i] == w[order[i]]);
  ellipse_weights(c, 0.1, w);
  ellipse_weights(&other, 0.1, v);
  for (int i = 0; i < c->count; i++) assert_true(v[i] == w[order[i]]);
}

// Multiplying variables by any factor and adding to them.
static void ignore_units(Arena *a, Random *r, const Cloud *c, const int *cells) {
  double **at = ARENA_ARRAY(a, double *, c->width + 1), *w = weights_for(a, c),
         *v = weights_for(a, c);
  (void)r;
  for (int k = 0; k < c->width; k++) {
    at[k] = weights_for(a, c);
    for (int i = 0; i < c->count; i++) at[k][i] = 0.37 * (k + 1) * c->at[k][i];
  }
  Cloud other = {c->count, c->width, (const double *const *)at};
  grid_weights(c, &(GridRule){cells, 2, false}, w);
  grid_weights(&other, &(GridRule){cells, 2, false}, v);
  assert_memory_equal(w, v, (size_t)c->count * sizeof *w);
  ellipse_weights(c, 0.125, w);
  ellipse_weights(&other, 0.125, v);
  assert_memory_equal(w, v, (size_t)c->count * sizeof *w);
}

static void ignore_doubled_data(Arena *a, Random *r, const Cloud *c, const int *cells) {
  double **at = ARENA_ARRAY(a, double *, c->width + 1), *w = weights_for(a, c);
  double *v = ARENA_ARRAY(a, double, 2 * c->count + 1);
  (void)r;
  for (int k = 0; k < c->width; k++) {
    at[k] = ARENA_ARRAY(a, double, 2 * c->count + 1);
    for (int i = 0; i < 2 * c->count; i++) at[k][i] = c->at[k][i % c->count];
  }
  Cloud twice = {2 * c->count, c->width, (const double *const *)at};
  for (int ellipses = 0; ellipses < 2; ellipses++) {
    if (ellipses) {
      ellipse_weights(c, 0.2, w), ellipse_weights(&twice, 0.2, v);
    } else {
      grid_weights(c, &(GridRule){cells, 1, false}, w);
      grid_weights(&twice, &(GridRule){cells, 1, false}, v);
    }
    normalise_weights(w, c->count);
    normalise_weights(v, 2 * c->count);
    for (int i = 0; i < 2 * c->count; i++) assert_close_relative(v[i], w[i % c->count], 1e-12);
  }
}

// One sample of each occupied cell has all its weight.
static void keep_one_per_cell(Arena *a, Random *r, const Cloud *c, const int *cells) {
  double *all = weights_for(a, c), *one = weights_for(a, c);
  int used = grid_weights(c, &(GridRule){cells, 1, false}, all), kept = 0;
  (void)r;
  assert_int_equal(grid_weights(c, &(GridRule){cells, 1, true}, one), used);
  double sum = 0;
  for (int i = 0; i < c->count; i++) {
    kept += one[i] == 1;
    assert_true(one[i] == 1 || one[i] == 0);
    sum += all[i];
  }
  assert_int_equal(kept, used);
  assert_close(sum, used, 1e-9);
}

static void weights_are_those_of_the_references(void **state) {
  (void)state;
  for_all_clouds(equal_references);
}
static void order_changes_nothing(void **state) {
  (void)state;
  for_all_clouds(ignore_the_order);
}
static void units_change_nothing(void **state) {
  (void)state;
  for_all_clouds(ignore_units);
}
static void doubled_data_change_nothing(void **state) {
  (void)state;
  for_all_clouds(ignore_doubled_data);
}
static void one_sample_stands_for_its_cell(void **state) {
  (void)state;
  for_all_clouds(keep_one_per_cell);
}

// ---------------------------------------------------------------- by hand

static void borders_belong_to_the_upper_cell_and_the_largest_to_the_last(void **state) {
  (void)state;
  const double x[] = {0, 1, 1.5, 2, 3, 4, 0.3, 0.4}; // 4 cells of length 1
  const double *at[1] = {x};
  const int cells[1] = {4};
  const double want[] = {1.0 / 3, 0.5, 0.5, 1, 0.5, 0.5, 1.0 / 3, 1.0 / 3};
  double w[8];
  assert_int_equal(grid_weights(&(Cloud){8, 1, at}, &(GridRule){cells, 1, false}, w), 4);
  assert_memory_equal(w, want, sizeof w);
  grid_weights(&(Cloud){8, 1, at}, &(GridRule){cells, 1, true}, w);
  const double one[] = {0, 0, 1, 1,
                        1, 0, 0, 1}; // nearest to the middle; 3 and 4 are equally near: the first
  assert_memory_equal(w, one, sizeof w);
}

// A shift by half a cell: the mean of two grids.
static void shifts_are_means_of_grids(void **state) {
  (void)state;
  const double x[] = {0, 0.4, 0.6, 1, 2}; // 2 cells; shifted: borders at 0.5, 1.5
  const double *at[1] = {x};
  const int cells[1] = {2};
  const double want[] = {(1.0 / 3 + 0.5) / 2, (1.0 / 3 + 0.5) / 2, (1.0 / 3 + 0.5) / 2,
                         (0.5 + 0.5) / 2, (0.5 + 1) / 2};
  double w[5];
  grid_weights(&(Cloud){5, 1, at}, &(GridRule){cells, 2, false}, w);
  for (int i = 0; i < 5; i++) assert_close(w[i], want[i], 1e-15);
}

// 21 dimensions of a million cells: the number of cells is far beyond any integer.
static void any_number_of_cells_is_possible(void **state) {
  (void)state;
  enum { WIDTH = 21, COUNT = 64 };
  double x[COUNT], w[COUNT];
  const double *at[WIDTH];
  int cells[WIDTH];
  for (int i = 0; i < COUNT; i++) x[i] = i / 2;
  for (int k = 0; k < WIDTH; k++) at[k] = x, cells[k] = 1000000;
  assert_int_equal(grid_weights(&(Cloud){COUNT, WIDTH, at}, &(GridRule){cells, 1, false}, w), 32);
  for (int i = 0; i < COUNT; i++) assert_true(w[i] == 0.5);
}

static void the_mean_becomes_1(void **state) {
  (void)state;
  double w[] = {3, 0, 1, 2}, none[] = {0, 0}, tiny[] = {1e-320, 3e-320};
  assert_int_equal(normalise_weights(w, 4), 3); // those above 0
  assert_close(w[0], 1.5, 1e-15);
  assert_true(w[1] == 0);
  assert_int_equal(normalise_weights(none, 2), 2);
  assert_true(none[0] == 1 && none[1] == 1);
  normalise_weights(tiny, 2);
  assert_close(tiny[0] + tiny[1], 2, 1e-3);
  assert_int_equal(normalise_weights(w, 0), 0);
}

// A hundred thousand samples at one steady state take no longer than as many anywhere.
static void a_steady_state_is_counted_at_once(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  Random r;
  random_seed(&r, 4);
  Arena *a = arena_new();
  Cloud c = shaped_cloud(a, &r, SHAPE_STEADY, COUNT, 3);
  double *w = weights_for(a, &c);
  ellipse_weights(&c, 0.05, w);
  for (int i = COUNT / 20; i < COUNT; i++) assert_true(w[i] <= 1.0 / (COUNT - COUNT / 20));
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_those_of_the_references),
      cmocka_unit_test(order_changes_nothing),
      cmocka_unit_test(units_change_nothing),
      cmocka_unit_test(doubled_data_change_nothing),
      cmocka_unit_test(one_sample_stands_for_its_cell),
      cmocka_unit_test(borders_belong_to_the_upper_cell_and_the_largest_to_the_last),
      cmocka_unit_test(shifts_are_means_of_grids),
      cmocka_unit_test(any_number_of_cells_is_possible),
      cmocka_unit_test(the_mean_becomes_1),
      cmocka_unit_test(a_steady_state_is_counted_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
