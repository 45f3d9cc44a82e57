// The speed-up by a second thread: the same studies with one and with two threads in alternation, wall times, results
// compared bit by bit. Prints a table, writes bench/threads.md.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/pool.h"
#include "problem/read_problem.h"
#include "search/fit.h"
#include "search/many_fits.h"

static const double GOAL = 1.8;
enum { ROUNDS = 3, GRID = 41 };

typedef struct Study {
  const char *name, *problem, *method;
  bool grid; // every cell of a grid of starts, not one fit
} Study;

static const Study STUDIES[] = {
    {"two_dof, multistart(lm, 500)", "examples/two_dof/problem.yaml", "multistart(lm, 500)", false},
    {"single_well, 41 x 41 starts, lm", "examples/single_well/problem.yaml", "lm", true},
    {"single_well, 41 x 41 starts, homotopy", "examples/single_well/problem.yaml", "homotopy",
     true},
    {"two_dof, ga, population 200", "examples/two_dof/problem.yaml", "ga", false},
};

static double wall(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A hash of the results: it changes with any of their bits.
typedef struct Sum {
  unsigned long long bits;
} Sum;

static void add(Sum *s, double value) {
  unsigned long long bits;
  memcpy(&bits, &value, sizeof bits);
  s->bits = s->bits * 1099511628211ull + bits;
}

static bool take(void *data, int number, const ManyFitsAnswer *a) {
  (void)number;
  add(data, a->objective);
  for (int i = 0; i < 3; i++) add(data, a->x[i]);
  return true;
}

static void run_grid(const Problem *p, int threads, Sum *sum) {
  static double starts[GRID * GRID][3];
  for (int i = 0; i < GRID * GRID; i++) {
    starts[i][0] = 0.1 + 9.9 * (i % GRID) / (GRID - 1);
    starts[i][1] = 0.1 + 9.9 * (i / GRID) / (GRID - 1);
    starts[i][2] = 0.1;
  }
  ManyFitsRequest q = {.fit = fit_run_on,
                       .starts = starts[0],
                       .count = GRID * GRID,
                       .threads = threads,
                       .lanes = true,
                       .take = take,
                       .data = sum};
  Fitting *f = fitting_new(p);
  many_fits_run(f, p, &q);
  fitting_free(f);
}

static void run_fit(const Problem *p, Sum *sum) {
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  add(sum, r->objective);
  for (int i = 0; i < p->unknown_count; i++) add(sum, r->x[i]);
  fit_free(r);
}

static double measure(const Study *s, int threads, Sum *sum) {
  char number[16];
  snprintf(number, sizeof number, "%d", threads);
  // A certain result would end a multistart early.
  const ProblemSetting settings[] = {{"method", s->method, true},
                                     {"threads", number, true},
                                     {"floor_factor", "0.1", true},
                                     {"population", "200", true}};
  Err err = {0};
  Problem *p = problem_load(s->problem, settings, 4, &err);
  if (!p) {
    fprintf(stderr, "threads: %s\n", err.text);
    return nan("");
  }
  double begin = wall();
  *sum = (Sum){0};
  if (s->grid)
    run_grid(p, threads, sum);
  else
    run_fit(p, sum);
  double seconds = wall() - begin;
  problem_free(p);
  return seconds;
}

static bool compare(const Study *s, FILE *out) {
  double least[2] = {HUGE_VAL, HUGE_VAL};
  Sum sums[2];
  bool same = true;
  for (int round = 0; round < ROUNDS; round++) {
    for (int k = 0; k < 2; k++) least[k] = fmin(least[k], measure(s, k + 1, &sums[k]));
    same &= sums[0].bits == sums[1].bits;
  }
  char row[300];
  double gain = least[0] / least[1];
  snprintf(row, sizeof row, "| %s | %.0f | %.0f | %.2f | %s | %s |\n", s->name, least[0] * 1e3,
           least[1] * 1e3, gain, gain >= GOAL ? "met" : "missed", same ? "equal" : "DIFFERENT");
  fputs(row, stdout);
  fputs(row, out);
  return same && isfinite(gain);
}

int main(void) {
  static const char HEAD[] = "| study | one thread, ms | two, ms | gain | goal 1.8 | results |\n"
                             "|---|---|---|---|---|---|\n";
  static const char FINAL[] = "bench/threads.md", GROWING[] = "bench/threads.md.new";
  FILE *f = fopen(GROWING, "w");
  if (!f) {
    fprintf(stderr, "threads: cannot write %s (run it from the root of the project)\n", FINAL);
    return 2;
  }
  fprintf(f,
          "# Threads\n\nWritten by `make bench` on %d cores: least wall time of %d rounds in "
          "alternation.\n\n%s",
          pool_cores(), ROUNDS, HEAD);
  fputs(HEAD, stdout);
  bool good = true;
  for (size_t i = 0; i < sizeof STUDIES / sizeof *STUDIES; i++) good &= compare(&STUDIES[i], f);
  bool written = fclose(f) == 0 && rename(GROWING, FINAL) == 0;
  return !written ? 2 : good ? 0 : 1;
}
