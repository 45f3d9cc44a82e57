// Clouds of several shapes for tests of densities and distances.
#pragma once
#include "num/cloud.h"
#include "num/random.h"

typedef enum Shape {
  SHAPE_UNIFORM,
  SHAPE_STEADY,  // a loop, then most samples near one point, as in a manoeuvre with a long end
  SHAPE_LATTICE, // few distinct values: duplicates, ties at borders
  SHAPE_SPIKE,   // a tight cluster and a few far points, which make the range
  SHAPE_COUNT
} Shape;

static inline double shape_value(Shape s, Random *r, int i, int count, int k) {
  double t = 40.0 * i / count, noise = random_normal(r);
  if (s == SHAPE_UNIFORM) return random_uniform(r);
  if (s == SHAPE_LATTICE) return (k + 1) * floor(9 * random_uniform(r));
  if (s == SHAPE_STEADY) return i < count / 20 ? sin(t * (k + 1)) : 0.3 * (k + 1) + 1e-7 * noise;
  return i % 1000 == 0 ? noise : 0.001 * noise;
}

static inline Cloud shaped_cloud(Arena *a, Random *r, Shape s, int count, int width) {
  double **at = ARENA_ARRAY(a, double *, width + 1);
  for (int k = 0; k < width; k++) at[k] = ARENA_ARRAY(a, double, count + 1);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < width; k++) at[k][i] = shape_value(s, r, i, count, k);
  return (Cloud){count, width, (const double *const *)at};
}

// The points in another order, and the variables in the opposite one. order[i]: number of point i before.
static inline Cloud shuffled_cloud(Arena *a, Random *r, const Cloud *c, int *order) {
  double **at = ARENA_ARRAY(a, double *, c->width + 1);
  for (int i = 0; i < c->count; i++) order[i] = i;
  for (int i = c->count - 1; i > 0; i--) {
    int j = (int)(random_uniform(r) * (i + 1)), other = order[i];
    order[i] = order[j], order[j] = other;
  }
  for (int k = 0; k < c->width; k++) {
    at[k] = ARENA_ARRAY(a, double, c->count + 1);
    for (int i = 0; i < c->count; i++) at[k][i] = c->at[c->width - 1 - k][order[i]];
  }
  return (Cloud){c->count, c->width, (const double *const *)at};
}
