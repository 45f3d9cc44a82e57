// Small differential equations with sensitivities written by hand, and a driver, for the tests of
// the integrators.
#pragma once
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "simulate/stepper.h"

enum { MOST_NUMBERS = 64 };

typedef struct Problem {
  int n, ns;
  double p[4];
  double y0[MOST_NUMBERS]; // one lane: states, then sensitivities by rows
  double t0, t1;
  void (*rhs)(void *self, double t, const double *y, double *dy); // with ns columns
  void (*jacobian)(void *self, double t, const double *x, double *J, double *ft);
  void (*jacobian_sens)(void *self, double t, const double *y, double *DJ, double *Dft);
  void (*exact)(const double *p, double t, double *y); // NULL: none known
} Problem;

// All patterns of these tests are full.
static const int FULL_START[4][5] = {{0, 1}, {0, 2, 4}, {0, 3, 6, 9}, {0, 4, 8, 12, 16}};
static const int FULL_COLUMN[4][16] = {{0},
                                       {0, 1, 0, 1},
                                       {0, 1, 2, 0, 1, 2, 0, 1, 2},
                                       {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}};

// x1' = x2, x2' = -p^2 x1: sin and cos
static inline void oscillator_rhs(void *self, double t, const double *y, double *dy) {
  (void)t;
  double w = *(double *)self;
  dy[0] = y[1];
  dy[1] = -w * w * y[0];
  dy[2] = y[3];
  dy[3] = -w * w * y[2] - 2 * w * y[0];
}
static inline void oscillator_jacobian(void *self, double t, const double *x, double *J,
                                       double *ft) {
  (void)t, (void)x;
  double w = *(double *)self;
  J[0] = J[3] = 0;
  J[1] = 1;
  J[2] = -w * w;
  ft[0] = ft[1] = 0;
}
static inline void oscillator_jacobian_sens(void *self, double t, const double *y, double *DJ,
                                            double *Dft) {
  (void)t, (void)y;
  DJ[0] = DJ[1] = DJ[3] = 0;
  DJ[2] = -2 * *(double *)self;
  Dft[0] = Dft[1] = 0;
}
static inline void oscillator_exact(const double *p, double t, double *y) {
  double w = p[0], c = cos(w * t), s = sin(w * t);
  y[0] = c;
  y[1] = -w * s;
  y[2] = -t * s;
  y[3] = -s - w * t * c;
}
static const Problem OSCILLATOR = {2,
                                   1,
                                   {2},
                                   {1, 0, 0, 0},
                                   0,
                                   3,
                                   oscillator_rhs,
                                   oscillator_jacobian,
                                   oscillator_jacobian_sens,
                                   oscillator_exact};

// x' = r x (1 - x/K), x(0) = 0.1
static inline void logistic_rhs(void *self, double t, const double *y, double *dy) {
  (void)t;
  const double *p = self;
  double r = p[0], K = p[1], x = y[0], fx = r * (1 - 2 * x / K);
  dy[0] = r * x * (1 - x / K);
  dy[1] = fx * y[1] + x * (1 - x / K);
  dy[2] = fx * y[2] + r * x * x / (K * K);
}
static inline void logistic_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  (void)t;
  const double *p = self;
  J[0] = p[0] * (1 - 2 * x[0] / p[1]);
  ft[0] = 0;
}
static inline void logistic_jacobian_sens(void *self, double t, const double *y, double *DJ,
                                          double *Dft) {
  (void)t;
  const double *p = self;
  double r = p[0], K = p[1], x = y[0];
  DJ[0] = 1 - 2 * x / K - 2 * r / K * y[1];
  DJ[1] = 2 * r * x / (K * K) - 2 * r / K * y[2];
  Dft[0] = Dft[1] = 0;
}
static inline void logistic_exact(const double *p, double t, double *y) {
  double r = p[0], K = p[1], c = 0.1, e = exp(r * t), bottom = K + c * (e - 1);
  y[0] = K * c * e / bottom;
  y[1] = K * c * t * e / bottom - K * c * e * c * t * e / (bottom * bottom);
  y[2] = c * e / bottom - K * c * e / (bottom * bottom);
}
static const Problem LOGISTIC = {1,
                                 2,
                                 {1.5, 2},
                                 {0.1, 0, 0},
                                 0,
                                 3,
                                 logistic_rhs,
                                 logistic_jacobian,
                                 logistic_jacobian_sens,
                                 logistic_exact};

// x' = -p t x^2, x(0) = 1: depends on time, not linear
static inline void timed_rhs(void *self, double t, const double *y, double *dy) {
  double p = *(double *)self, x = y[0];
  dy[0] = -p * t * x * x;
  dy[1] = -2 * p * t * x * y[1] - t * x * x;
}
static inline void timed_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  double p = *(double *)self;
  J[0] = -2 * p * t * x[0];
  ft[0] = -p * x[0] * x[0];
}
static inline void timed_jacobian_sens(void *self, double t, const double *y, double *DJ,
                                       double *Dft) {
  double p = *(double *)self, x = y[0], s = y[1];
  DJ[0] = -2 * t * x - 2 * p * t * s;
  Dft[0] = -x * x - 2 * p * x * s;
}
static inline void timed_exact(const double *p, double t, double *y) {
  double x = 1 / (1 + p[0] * t * t / 2);
  y[0] = x;
  y[1] = -t * t / 2 * x * x;
}
static const Problem TIMED = {
    1, 1, {1.3}, {1, 0}, 0, 3, timed_rhs, timed_jacobian, timed_jacobian_sens, timed_exact};

// x1' = x2, x2' = -p sin(x1)
static inline void pendulum_rhs(void *self, double t, const double *y, double *dy) {
  (void)t;
  double p = *(double *)self, s = sin(y[0]), c = cos(y[0]);
  dy[0] = y[1];
  dy[1] = -p * s;
  dy[2] = y[3];
  dy[3] = -p * c * y[2] - s;
}
static inline void pendulum_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  (void)t;
  J[0] = J[3] = 0;
  J[1] = 1;
  J[2] = -*(double *)self * cos(x[0]);
  ft[0] = ft[1] = 0;
}
static inline void pendulum_jacobian_sens(void *self, double t, const double *y, double *DJ,
                                          double *Dft) {
  (void)t;
  DJ[0] = DJ[1] = DJ[3] = 0;
  DJ[2] = -cos(y[0]) + *(double *)self * sin(y[0]) * y[2];
  Dft[0] = Dft[1] = 0;
}
static const Problem PENDULUM = {2,
                                 1,
                                 {10},
                                 {0.5235987755982988, 0, 0, 0},
                                 0,
                                 20,
                                 pendulum_rhs,
                                 pendulum_jacobian,
                                 pendulum_jacobian_sens,
                                 NULL};

// Van der Pol: x1' = x2, x2' = mu (1 - x1^2) x2 - x1
static inline void vanderpol_rhs(void *self, double t, const double *y, double *dy) {
  (void)t;
  double mu = *(double *)self, x = y[0], v = y[1];
  dy[0] = v;
  dy[1] = mu * (1 - x * x) * v - x;
  dy[2] = y[3];
  dy[3] = (-2 * mu * x * v - 1) * y[2] + mu * (1 - x * x) * y[3] + (1 - x * x) * v;
}
static inline void vanderpol_jacobian(void *self, double t, const double *x, double *J,
                                      double *ft) {
  (void)t;
  double mu = *(double *)self;
  J[0] = 0;
  J[1] = 1;
  J[2] = -2 * mu * x[0] * x[1] - 1;
  J[3] = mu * (1 - x[0] * x[0]);
  ft[0] = ft[1] = 0;
}
static inline void vanderpol_jacobian_sens(void *self, double t, const double *y, double *DJ,
                                           double *Dft) {
  (void)t;
  double mu = *(double *)self, x = y[0], v = y[1];
  DJ[0] = DJ[1] = 0;
  DJ[2] = -2 * x * v - 2 * mu * (v * y[2] + x * y[3]);
  DJ[3] = 1 - x * x - 2 * mu * x * y[2];
  Dft[0] = Dft[1] = 0;
}
static const Problem VANDERPOL = {2,
                                  1,
                                  {1000},
                                  {2, 0, 0, 0},
                                  0,
                                  500,
                                  vanderpol_rhs,
                                  vanderpol_jacobian,
                                  vanderpol_jacobian_sens,
                                  NULL};

// Robertson's reactions, a benchmark of stiffness: p = 0.04, 1e4, 3e7
static inline void robertson_rhs(void *self, double t, const double *y, double *dy) {
  (void)t;
  const double *p = self, *s = y + 3;
  double a = y[0], b = y[1], c = y[2];
  dy[0] = -p[0] * a + p[1] * b * c;
  dy[2] = p[2] * b * b;
  dy[1] = -dy[0] - dy[2];
  for (int k = 0; k < 3; k++) {
    double first = -p[0] * s[k] + p[1] * (c * s[3 + k] + b * s[6 + k]),
           third = 2 * p[2] * b * s[3 + k];
    if (k == 0) first -= a;
    if (k == 1) first += b * c;
    if (k == 2) third += b * b;
    dy[3 + k] = first;
    dy[6 + k] = -first - third;
    dy[9 + k] = third;
  }
}
static inline void robertson_jacobian(void *self, double t, const double *x, double *J,
                                      double *ft) {
  (void)t;
  const double *p = self;
  double row0[3] = {-p[0], p[1] * x[2], p[1] * x[1]}, row2[3] = {0, 2 * p[2] * x[1], 0};
  for (int j = 0; j < 3; j++) {
    J[j] = row0[j];
    J[3 + j] = -row0[j] - row2[j];
    J[6 + j] = row2[j];
    ft[j] = 0;
  }
}
static inline void robertson_jacobian_sens(void *self, double t, const double *y, double *DJ,
                                           double *Dft) {
  (void)t;
  const double *p = self, *s = y + 3;
  for (int k = 0; k < 3; k++) {
    double row0[3] = {k == 0 ? -1 : 0, p[1] * s[6 + k] + (k == 1 ? y[2] : 0),
                      p[1] * s[3 + k] + (k == 1 ? y[1] : 0)};
    double row2[3] = {0, 2 * p[2] * s[3 + k] + (k == 2 ? 2 * y[1] : 0), 0};
    for (int j = 0; j < 3; j++) {
      DJ[j * 3 + k] = row0[j];
      DJ[(3 + j) * 3 + k] = -row0[j] - row2[j];
      DJ[(6 + j) * 3 + k] = row2[j];
      Dft[j * 3 + k] = 0;
    }
  }
}
static const Problem ROBERTSON = {3,
                                  3,
                                  {0.04, 1e4, 3e7},
                                  {1},
                                  0,
                                  40,
                                  robertson_rhs,
                                  robertson_jacobian,
                                  robertson_jacobian_sens,
                                  NULL};

// Lorenz, chaotic and not stiff; no sensitivities
static inline void lorenz_rhs(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t;
  dy[0] = 10 * (y[1] - y[0]);
  dy[1] = y[0] * (28 - y[2]) - y[1];
  dy[2] = y[0] * y[1] - 8. / 3 * y[2];
}
static const Problem LORENZ = {3, 0, {0}, {1, 1, 1}, 0, 40, lorenz_rhs, NULL, NULL, NULL};

// x' = x^2, x(0) = 1: infinite at t = 1
static inline void blow_up_rhs(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t;
  dy[0] = y[0] * y[0];
}
static inline void blow_up_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  (void)self, (void)t;
  J[0] = 2 * x[0];
  ft[0] = 0;
}
static const Problem BLOW_UP = {1, 0, {0}, {1}, 0, 2, blow_up_rhs, blow_up_jacobian, NULL, NULL};

// x' = -1, x(0) = 1, but only where sqrt(x) exists: up to t = 1
static inline void domain_rhs(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t;
  dy[0] = -1 + 0 * sqrt(y[0]);
}
static inline void domain_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  (void)self, (void)t, (void)x;
  J[0] = 0;
  ft[0] = 0;
}
static const Problem DOMAIN_END = {1, 0, {0}, {1}, 0, 2, domain_rhs, domain_jacobian, NULL, NULL};

// ---- driver

typedef struct Run {
  Arena *arena;
  Problem problem;
  Pattern pattern;
  Ode ode;
  Stepper *s;
  StepEnd end;          // of the last step
  int stiff, not_stiff; // steps that ended so
} Run;

// Tolerances: rel, and abs for every number. step > 0 fixes the step (give loose tolerances then).
static inline Run *run_new(const StepperRow *row, const Problem *problem, double rel, double abs,
                           double step) {
  Run *r = calloc(1, sizeof *r);
  r->arena = arena_new();
  r->problem = *problem;
  Problem *p = &r->problem;
  int count = p->n * (1 + p->ns);
  double *abs_tol = ARENA_ARRAY(r->arena, double, count + 1);
  for (int i = 0; i < count; i++) abs_tol[i] = abs;
  if (p->n > 0) r->pattern = (Pattern){p->n, p->n, FULL_START[p->n - 1], FULL_COLUMN[p->n - 1]};
  r->ode = (Ode){.n = p->n,
                 .ns = p->ns,
                 .stride = p->ns,
                 .lanes = 1,
                 .self = p->p,
                 .rhs = p->rhs,
                 .pattern = &r->pattern,
                 .jacobian = p->jacobian,
                 .jacobian_sens = p->jacobian_sens};
  Tolerance tol = {
      .rel = rel, .abs = abs_tol, .max_step = step, .first_step = step, .max_steps = 1000000};
  r->s = stepper_new(r->arena, row, &r->ode, &tol);
  return r;
}

static inline void run_start(Run *r) {
  r->s->t = r->problem.t0;
  memcpy(r->s->y, r->problem.y0, (size_t)(r->problem.n * (1 + r->problem.ns)) * sizeof(double));
  r->s->row->start(r->s, r->problem.t1);
}

static inline bool step_goes_on(StepEnd e) {
  return e == STEP_DONE || e == STEP_STIFF || e == STEP_NOT_STIFF;
}

// Steps until t1 or until it cannot go on.
static inline void run_all(Run *r) {
  run_start(r);
  while (r->s->t != r->problem.t1) {
    r->end = r->s->row->step(r->s, r->problem.t1);
    r->stiff += r->end == STEP_STIFF;
    r->not_stiff += r->end == STEP_NOT_STIFF;
    if (!step_goes_on(r->end)) return;
  }
}

static inline void run_free(Run *r) {
  stepper_done(r->s);
  arena_free(r->arena);
  free(r);
}

// Runs and copies y at the end.
static inline void run_to_end(const StepperRow *row, const Problem *problem, double rel, double abs,
                              double step, double *y) {
  Run *r = run_new(row, problem, rel, abs, step);
  run_all(r);
  memcpy(y, r->s->y, (size_t)(problem->n * (1 + problem->ns)) * sizeof *y);
  run_free(r);
}

static inline double largest_difference(const double *a, const double *b, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// Error at the end with this many equal steps, states and sensitivities.
static inline double fixed_step_error(const StepperRow *row, const Problem *p, int steps) {
  double y[MOST_NUMBERS], exact[MOST_NUMBERS];
  run_to_end(row, p, 1e6, 1e6, (p->t1 - p->t0) / steps * (1 + 1e-12), y);
  p->exact(p->p, p->t1, exact);
  return largest_difference(y, exact, p->n * (1 + p->ns));
}

static inline double observed_order(const StepperRow *row, const Problem *p, int steps) {
  return log2(fixed_step_error(row, p, steps) / fixed_step_error(row, p, 2 * steps));
}

// Largest error of the dense output inside one step of size h from the start.
static inline double dense_error(const StepperRow *row, const Problem *p, double h) {
  Run *r = run_new(row, p, 1e6, 1e6, h);
  run_start(r);
  r->s->row->step(r->s, p->t1);
  double most = 0, y[MOST_NUMBERS], exact[MOST_NUMBERS];
  for (int i = 1; i < 10; i++) {
    double t = r->s->t_old + i / 10. * (r->s->t - r->s->t_old);
    r->s->row->dense(r->s, t, true, y);
    p->exact(p->p, t, exact);
    most = fmax(most, largest_difference(y, exact, p->n * (1 + p->ns)));
  }
  run_free(r);
  return most;
}
