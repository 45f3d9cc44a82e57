// The speed-up by lanes: many fits and many points of an example, several in one simulation against one at a time, on one
// core. Prints a table of CPU times, which depend little on other load.
// usage, from the root of the project: build/bench/lanes [starts in a row] [repeats]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "num/random.h"
#include "problem/read_problem.h"
#include "residual/many_points.h"
#include "search/fit.h"
#include "search/many_fits.h"

static const char *const EXAMPLES[] = {"examples/single_well/problem.yaml",
                                       "examples/two_dof/problem.yaml"};
static const char *const METHODS[] = {"lm", "homotopy"};

typedef struct Run { // with and without lanes
  double seconds[2];
  double *found[2]; // rows of unknowns, or objectives
  long simulations[2];
} Run;

typedef struct Taker {
  int n;
  double *x;
  long simulations;
} Taker;

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Problem *load(const char *path) {
  Err err = {0};
  Problem *p = problem_load(path, NULL, 0, &err);
  if (!p) {
    fprintf(stderr, "bench: %s\n", err.text);
    exit(3);
  }
  p->options.threads = 1;
  return p;
}

static double between(const Unknown *f, double share) {
  return f->min + share * (f->max - f->min);
}

static bool take(void *data, int number, const ManyFitsAnswer *answer) {
  Taker *t = data;
  memcpy(t->x + (size_t)number * (size_t)t->n, answer->x, (size_t)t->n * sizeof *t->x);
  t->simulations += answer->work.simulations + answer->work.sensitivity_simulations;
  return true;
}

// A grid over the first two unknowns; the others keep their start values.
static double *grid(Arena *a, const Problem *p, int side) {
  double *x = ARENA_ARRAY(a, double, (size_t)(side * side * p->unknown_count));
  for (int k = 0; k < side * side; k++) {
    double *at = x + (size_t)(k * p->unknown_count);
    for (int i = 0; i < p->unknown_count; i++) at[i] = p->unknowns[i].start;
    at[0] = between(&p->unknowns[0], (double)(k / side) / (side - 1));
    at[1] = between(&p->unknowns[1], (double)(k % side) / (side - 1));
  }
  return x;
}

static void run_basin(const Problem *p, const double *starts, int count, bool lanes, Run *r) {
  Taker t = {.n = p->unknown_count, .x = r->found[lanes]};
  ManyFitsRequest q = {.fit = fit_run_on,
                       .starts = starts,
                       .count = count,
                       .threads = 1,
                       .lanes = lanes,
                       .take = take,
                       .data = &t};
  double began = processor_seconds();
  Fitting *f = fitting_new(p);
  many_fits_run(f, p, &q);
  fitting_free(f);
  r->seconds[lanes] = fmin(r->seconds[lanes], processor_seconds() - began);
  r->simulations[lanes] = t.simulations;
}

static void run_points(Problem *p, const double *x, int count, bool lanes, Run *r) {
  p->options.lanes = lanes ? LANES_AUTO : LANES_OFF;
  Fitting *f = fitting_new(p);
  EvalWork *w = eval_work_new(f, 1, NULL);
  ManyPoints *m = many_points_new(w, p->options.threads);
  Budget budget = {.max_simulations = problem_max_simulations(p)};
  EvalSpec spec = eval_spec(f, &budget);
  long steps;
  double began = processor_seconds();
  many_values(m, &spec, x, count, r->found[lanes], &steps);
  r->seconds[lanes] = fmin(r->seconds[lanes], processor_seconds() - began);
  r->simulations[lanes] = budget.used.simulations;
  many_points_free(m);
  eval_work_free(w);
  fitting_free(f);
}

static int differing(const Run *r, int count, int n, double tol) {
  int differ = 0;
  for (int k = 0; k < count; k++) {
    double most = 0;
    for (int i = k * n; i < (k + 1) * n; i++) {
      double a = r->found[0][i], b = r->found[1][i];
      if (a != b) most = fmax(most, fabs(a - b) / fmax(fabs(a), fabs(b)));
    }
    differ += !(most <= tol);
  }
  return differ;
}

static Run run_new(Arena *a, int numbers) {
  Run r = {.seconds = {HUGE_VAL, HUGE_VAL}};
  for (int l = 0; l < 2; l++) r.found[l] = ARENA_ARRAY(a, double, numbers + 1);
  return r;
}

static void print_run(const char *what, const Run *r, int count, int differ) {
  printf("| %-38s | %5d | %8.1f | %8.1f | %5.2f | %ld, %ld | %d |\n", what, count,
         r->seconds[0] / count * 1e6, r->seconds[1] / count * 1e6, r->seconds[0] / r->seconds[1],
         r->simulations[0], r->simulations[1], differ);
}

static void measure_basin(Problem *p, const char *path, const char *method, int side, int repeats) {
  Arena *a = arena_new();
  char what[128];
  int count = side * side;
  method_find(method, &p->method);
  double *starts = grid(a, p, side);
  Run r = run_new(a, count * p->unknown_count);
  for (int k = 0; k < 2 * repeats; k++) run_basin(p, starts, count, k % 2, &r);
  snprintf(what, sizeof what, "%.*s, basin, %s", (int)strcspn(path + 9, "/"), path + 9, method);
  print_run(what, &r, count, differing(&r, count, p->unknown_count, 1e-3));
  arena_free(a);
}

static void measure_points(Problem *p, const char *path, int count, int repeats) {
  Arena *a = arena_new();
  char what[128];
  Random random;
  random_seed(&random, 1);
  double *x = ARENA_ARRAY(a, double, (size_t)(count * p->unknown_count));
  for (int k = 0; k < count * p->unknown_count; k++)
    x[k] = between(&p->unknowns[k % p->unknown_count], random_uniform(&random));
  Run r = run_new(a, count);
  for (int k = 0; k < 2 * repeats; k++) run_points(p, x, count, k % 2, &r);
  snprintf(what, sizeof what, "%.*s, population", (int)strcspn(path + 9, "/"), path + 9);
  print_run(what, &r, count, differing(&r, count, 1, 1e-3));
  arena_free(a);
}

int main(int argc, char **argv) {
  int side = argc > 1 ? atoi(argv[1]) : 21, repeats = argc > 2 ? atoi(argv[2]) : 3;
  printf("| what | count | alone, us each | in lanes, us each | times as fast | simulations alone, "
         "in lanes | differ by > 0.1 %% |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  for (size_t e = 0; e < sizeof EXAMPLES / sizeof *EXAMPLES; e++) {
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
      Problem *p = load(EXAMPLES[e]);
      measure_basin(p, EXAMPLES[e], METHODS[m], side, repeats);
      problem_free(p);
    }
    Problem *p = load(EXAMPLES[e]);
    measure_points(p, EXAMPLES[e], 1000, 3 * repeats);
    problem_free(p);
  }
  return 0;
}
