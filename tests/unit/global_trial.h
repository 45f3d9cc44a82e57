// Landscapes for tests of global methods, who are watched while they search them.
#pragma once
#include <stdbool.h>
#include <string.h>

#include "global/global.h"
#include "local/lsq.h"
#include "test.h"

enum { NUMBERS_MOST = 8, SEEN_MOST = 2000 };

typedef double Landscape(const double *x, int n);

typedef struct Trial {
  Lsq lsq;
  Landscape *landscape;
  double lower[NUMBERS_MOST], upper[NUMBERS_MOST], typical[NUMBERS_MOST];
  double box_low[NUMBERS_MOST], box_high[NUMBERS_MOST];
  double unit[NUMBERS_MOST]; // of the numbers
  double size;               // of the objective
  int calls, points, stop_after;
  bool (*wall)(const double *x); // true: the simulation fails there
  double lowest, lowest_x[NUMBERS_MOST];
  int accepted;
  double last;
  double trace;                 // a sum over all points: equal for equal paths
  double (*seen)[NUMBERS_MOST]; // the first points
  Arena *arena;
  FitOptions fit;
  LocalOptions options;
  LocalResult result;
} Trial;

static inline double value_of(Trial *t, const double *x) {
  double real[NUMBERS_MOST] = {0};
  for (int i = 0; i < t->lsq.n; i++) { // written so that NaN fails
    assert_true(x[i] >= t->lower[i] && x[i] <= t->upper[i]);
    real[i] = x[i] / t->unit[i];
    if (t->points < SEEN_MOST) t->seen[t->points][i] = x[i];
    t->trace += real[i] * (1 + t->points % 7);
  }
  if (t->wall && t->wall(real)) return HUGE_VAL;
  double V = t->size * t->landscape(real, t->lsq.n);
  if (V < t->lowest) {
    t->lowest = V;
    memcpy(t->lowest_x, x, (size_t)t->lsq.n * sizeof *x);
  }
  return V;
}

static inline LsqEnd trial_values(void *self, const double *x, int count, double *V) {
  Trial *t = self;
  t->calls++;
  for (int k = 0; k < count; k++) {
    V[k] = HUGE_VAL;
    if (t->stop_after && t->points >= t->stop_after) return LSQ_STOP;
    V[k] = value_of(t, x + (size_t)k * (size_t)t->lsq.n);
    t->points++;
  }
  return LSQ_DONE;
}

static inline void trial_accepted(void *self, const LsqPoint *p, int iteration) {
  Trial *t = self;
  assert_int_equal(iteration, t->accepted + 1);
  assert_true(p->objective <= t->last);
  assert_false(p->has_slopes);
  t->accepted = iteration;
  t->last = p->objective;
}

// Bounds and box -5 ... 5.
static inline Trial *trial_new(Landscape *landscape, int n, double start) {
  Arena *a = arena_new();
  Trial *t = ARENA_NEW(a, Trial);
  t->arena = a;
  t->landscape = landscape;
  t->seen = arena_alloc(a, SEEN_MOST, sizeof *t->seen);
  t->size = 1;
  for (int i = 0; i < NUMBERS_MOST; i++) {
    t->lower[i] = t->box_low[i] = -5;
    t->upper[i] = t->box_high[i] = 5;
    t->typical[i] = t->unit[i] = 1;
  }
  t->lsq = (Lsq){.n = n,
                 .lower = t->lower,
                 .upper = t->upper,
                 .typical = t->typical,
                 .box_low = t->box_low,
                 .box_high = t->box_high,
                 .self = t,
                 .values = trial_values,
                 .accepted = trial_accepted};
  fit_options_init(&t->fit);
  t->options = (LocalOptions){.step_tol = 1e-8, .target = -1, .fit = &t->fit};
  t->result.best = lsq_point_new(a, n);
  for (int i = 0; i < n; i++) t->result.best->x[i] = start;
  return t;
}

static inline void trial_run(Trial *t, LocalMethod *method) {
  t->calls = t->points = t->accepted = 0;
  t->trace = 0;
  t->last = t->lowest = HUGE_VAL;
  method(&t->lsq, &t->options, &t->result);
  LocalResult *r = &t->result;
  assert_true(r->best->objective == t->lowest);
  if (t->lowest < HUGE_VAL)
    assert_true(memcmp(r->best->x, t->lowest_x, (size_t)t->lsq.n * sizeof(double)) == 0);
  assert_int_equal(r->iterations, t->accepted);
  if (r->end != LOCAL_STOPPED_END) assert_int_equal(r->evaluations, t->points);
}

static inline void trial_free(Trial *t) {
  arena_free(t->arena);
}

// ---- landscapes

static inline double exact_sphere(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += pow(x[i] - 0.3 * (i + 1), 2);
  return sum;
}

static inline double sphere(const double *x, int n) {
  return 0.25 + exact_sphere(x, n);
}

static inline double valley(const double *x, int n) { // Rosenbrock
  double sum = 0;
  for (int i = 0; i + 1 < n; i++) sum += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
  return sum;
}

// Rastrigin, 10 for the best of about 100 optima in each pair of numbers.
static inline double hills(const double *x, int n) {
  double sum = 10;
  for (int i = 0; i < n; i++) {
    double d = x[i] - 0.7;
    sum += d * d + 10 - 10 * cos(2 * M_PI * d);
  }
  return sum;
}

static inline double flat(const double *x, int n) {
  (void)x, (void)n;
  return 3;
}

static inline bool wall_everywhere(const double *x) {
  (void)x;
  return true;
}
