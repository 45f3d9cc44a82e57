#include "local/curvature.h"

#include <string.h>

#include "num/random.h"
#include "test.h"

enum { N = 4 };

typedef struct Example {
  Arena *arena;
  Random random;
  Curvature *curvature;
  LsqPoint *from, *to;
  double from_slope[N], to_slope[N], hidden[N * N]; // the second derivatives that R does not show
} Example;

static void random_triangle(Random *random, double *R) {
  memset(R, 0, N * N * sizeof *R);
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++) R[i * N + j] = (i == j ? 3 : 1) * random_normal(random);
}

static void make(Example *e, uint64_t seed) {
  memset(e, 0, sizeof *e);
  random_seed(&e->random, seed);
  e->arena = arena_new();
  e->curvature = curvature_new(e->arena, N);
  e->from = lsq_point_new(e->arena, N);
  e->to = lsq_point_new(e->arena, N);
  random_triangle(&e->random, e->to->R);
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      e->hidden[i * N + j] = e->hidden[j * N + i] = 0.1 * random_normal(&e->random);
}

// (R'R + hidden) d
static void whole_product(const Example *e, const double *d, double *out) {
  const double *R = e->to->R;
  for (int i = 0; i < N; i++) {
    out[i] = 0;
    for (int j = 0; j < N; j++) {
      double whole = e->hidden[i * N + j];
      for (int k = 0; k < N; k++) whole += R[k * N + i] * R[k * N + j];
      out[i] += whole * d[j];
    }
  }
}

// A step on a quadratic function with these second derivatives.
static void make_step(Example *e, double *d) {
  double change[N];
  for (int i = 0; i < N; i++) d[i] = random_normal(&e->random);
  whole_product(e, d, change);
  for (int i = 0; i < N; i++) {
    e->from->x[i] = random_normal(&e->random);
    e->to->x[i] = e->from->x[i] + d[i];
    e->from_slope[i] = random_normal(&e->random);
    e->to_slope[i] = e->from_slope[i] + change[i];
  }
  curvature_update(e->curvature, e->from, e->from_slope, e->to, e->to_slope);
}

static void the_model_explains_the_last_change_of_slope(void **state) {
  (void)state;
  int models = 0;
  for (uint64_t seed = 1; seed < 60; seed++) {
    Example e;
    double d[N], R[N * N] = {0}, z[N] = {0}, scale[N] = {1, 2, 3, 4}, product[N];
    make(&e, seed);
    for (int k = 0; k < 5; k++) make_step(&e, d);
    whole_product(&e, d, product);
    if (curvature_model(e.curvature, e.to, e.to_slope, scale, R, z)) {
      models++;
      for (int i = 0; i < N; i++) {
        double slope = 0, square = 0;
        for (int k = 0; k < N; k++) {
          slope += R[k * N + i] * z[k];
          double row = 0;
          for (int j = 0; j < N; j++) row += R[k * N + j] * d[j];
          square += R[k * N + i] * row;
        }
        assert_close(slope, e.to_slope[i], 1e-9 * (1 + fabs(e.to_slope[i])));
        assert_close(square, product[i], 1e-8 * (1 + fabs(product[i])));
      }
    }
    arena_free(e.arena);
  }
  assert_true(models > 30);
}

static void the_gain_is_that_of_the_hidden_part_along_the_step(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 20; seed++) {
    Example e;
    double d[N], hidden = 0;
    make(&e, seed);
    make_step(&e, d);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) hidden += d[i] * e.hidden[i * N + j] * d[j];
    double change[N], along = 0;
    whole_product(&e, d, change);
    for (int i = 0; i < N; i++) along += d[i] * change[i];
    if (along > 0) assert_close(curvature_gain(e.curvature, d), -hidden / 2, 1e-9);
    arena_free(e.arena);
  }
}

static void what_is_not_positive_definite_is_no_model(void **state) {
  (void)state;
  Example e;
  double d[N] = {1, 0, 0, 0}, R[N * N], z[N], one[N] = {1, 1, 1, 1};
  make(&e, 3);
  for (int i = 0; i < N; i++) e.to->x[i] = d[i];
  memset(
      e.to->R, 0,
      N * N *
          sizeof *e.to->R); // no curvature of the residuals, and none was seen in three directions
  e.to_slope[0] = 1;
  curvature_update(e.curvature, e.from, e.from_slope, e.to, e.to_slope);
  assert_false(curvature_model(e.curvature, e.to, e.to_slope, one, R, z));
  arena_free(e.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_model_explains_the_last_change_of_slope),
      cmocka_unit_test(the_gain_is_that_of_the_hidden_part_along_the_step),
      cmocka_unit_test(what_is_not_positive_definite_is_no_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
