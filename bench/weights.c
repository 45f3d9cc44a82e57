// Cost of weights of samples: grid, ellipses, distances, for three columns of a CSV file or for made manoeuvres (a loop, then
// a long steady part) in 2 to 6 dimensions. Distances are compared with every pair at some points.
//   build/bench/weights [FILE.csv COLUMN COLUMN COLUMN]
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/csv.h"
#include "num/density.h"
#include "num/distance_sums.h"
#include "num/random.h"

enum { SAMPLES = 105001, CHECKED = 50 };

static double seconds(void) { // of this process
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double exact_sum(const Cloud *c, int i) {
  double sum = 0;
  CloudRange range[16] = {{0, 0}};
  for (int k = 0; k < c->width; k++) range[k] = cloud_range(c->at[k], c->count);
  for (int j = 0; j < c->count; j++) {
    double square = 0;
    for (int k = 0; k < c->width; k++)
      if (range[k].range > 0) square += pow((c->at[k][i] - c->at[k][j]) / range[k].range, 2);
    sum += sqrt(square);
  }
  return sum;
}

static void measure(const char *name, const Cloud *c) {
  Arena *a = arena_new();
  double *weight = ARENA_ARRAY(a, double, c->count + 1), worst = 0;
  int *cells = ARENA_ARRAY(a, int, c->width + 1);
  for (int k = 0; k < c->width; k++) cells[k] = 20;
  double t0 = seconds();
  int used = grid_weights(c, &(GridRule){cells, 1, false}, weight);
  double t1 = seconds();
  ellipse_weights(c, 0.05, weight);
  double t2 = seconds();
  distance_sums_by_tree(c, weight);
  double t3 = seconds();
  for (int k = 0; k < CHECKED; k++) {
    int i = (int)((double)k * c->count / CHECKED);
    worst = fmax(worst, fabs(weight[i] / exact_sum(c, i) - 1));
  }
  printf(
      "%-12s %7d samples %6d cells  grid %.4f s  ellipses %.3f s  distances %.3f s (error %.1e)\n",
      name, c->count, used, t1 - t0, t2 - t1, t3 - t2, worst);
  arena_free(a);
}

static void measure_made(int width) {
  Arena *a = arena_new();
  Random r;
  random_seed(&r, 1);
  double **at = ARENA_ARRAY(a, double *, width);
  for (int k = 0; k < width; k++) {
    at[k] = ARENA_ARRAY(a, double, SAMPLES);
    for (int i = 0; i < SAMPLES; i++)
      at[k][i] = i < SAMPLES / 20 ? sin(1e-3 * i * (k + 1)) : 0.3 + 1e-7 * random_normal(&r);
  }
  char name[32];
  snprintf(name, sizeof name, "made, %d-D", width);
  measure(name, &(Cloud){SAMPLES, width, (const double *const *)at});
  arena_free(a);
}

int main(int count, char **words) {
  if (count < 3) {
    for (int width = 2; width <= 6; width++) measure_made(width);
    return 0;
  }
  Arena *a = arena_new();
  Err err = {0};
  const double *at[16];
  const Table *t = table_load(a, words[1], &err);
  for (int k = 2; t && k < count && k < 18; k++) {
    int column = table_require(t, words[k], &err);
    if (column < 0) t = NULL;
    if (t) at[k - 2] = t->column[column];
  }
  if (t)
    measure("file", &(Cloud){t->rows, count - 2, at});
  else
    fprintf(stderr, "%s\n", err.text);
  arena_free(a);
  return t ? 0 : 2;
}
