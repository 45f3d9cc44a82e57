#include "simulate/stiff.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

// ---- the smallest Stepper that works

typedef struct Run {
  Arena *arena;
  Ode ode;
  Stepper stepper;
  double *abs;
} Run;

static size_t size_of(const Ode *ode) {
  return (size_t)ode->n * (size_t)(1 + ode->stride);
}

static Stepper *run_init(Run *r, const StepperRow *row, Ode ode, double rel, double abs) {
  r->arena = arena_new();
  r->ode = ode;
  r->ode.lanes = 1;
  r->abs = ARENA_ARRAY(r->arena, double, size_of(&ode));
  for (size_t i = 0; i < size_of(&ode); i++) r->abs[i] = abs;
  r->stepper = (Stepper){.row = row, .ode = &r->ode};
  r->stepper.tol = (Tolerance){.rel = rel, .abs = r->abs, .max_steps = 100000};
  r->stepper.y = ARENA_ARRAY(r->arena, double, size_of(&ode));
  r->stepper.y_old = ARENA_ARRAY(r->arena, double, size_of(&ode));
  row->init(&r->stepper, r->arena);
  return &r->stepper;
}

static void run_done(Run *r) {
  r->stepper.row->done(&r->stepper);
  arena_free(r->arena);
}

static StepEnd advance(Stepper *s, double t_end) {
  s->row->start(s, t_end);
  while (s->t != t_end) {
    StepEnd end = s->row->step(s, t_end);
    if (end != STEP_DONE) return end;
  }
  return STEP_DONE;
}

static const StepperRow *const BOTH[] = {&STEPPER_BDF, &STEPPER_ADAMS};

// ---- systems

static const int ONE_START[] = {0, 1}, ONE_COLUMN[] = {0};
static const Pattern ONE = {1, 1, ONE_START, ONE_COLUMN};
static const int FULL2_START[] = {0, 2, 4}, FULL2_COLUMN[] = {0, 1, 0, 1};
static const Pattern FULL2 = {2, 2, FULL2_START, FULL2_COLUMN};
static const int FULL3_START[] = {0, 3, 6, 9}, FULL3_COLUMN[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
static const Pattern FULL3 = {3, 3, FULL3_START, FULL3_COLUMN};

static void decay_rhs(void *self, double t, const double *y, double *dy) {
  (void)self, (void)t;
  dy[0] = -y[0];
}
static void decay_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  (void)self, (void)t, (void)x;
  J[0] = -1;
  if (ft) ft[0] = 0;
}
static const Ode DECAY = {.n = 1, .rhs = decay_rhs, .pattern = &ONE, .jacobian = decay_jacobian};

static void robertson_rhs(void *self, double t, const double *x, double *dx) {
  (void)self, (void)t;
  dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
  dx[2] = 3e7 * x[1] * x[1];
  dx[1] = -dx[0] - dx[2];
}
static void robertson_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  (void)self, (void)t;
  double top[] = {-0.04, 1e4 * x[2], 1e4 * x[1]}, bottom[] = {0, 6e7 * x[1], 0};
  for (int j = 0; j < 3; j++) {
    J[j] = top[j];
    J[3 + j] = -top[j] - bottom[j];
    J[6 + j] = bottom[j];
    if (ft) ft[j] = 0;
  }
}
static const Ode ROBERTSON = {
    .n = 3, .rhs = robertson_rhs, .pattern = &FULL3, .jacobian = robertson_jacobian};

// mu = 1000
static void van_der_pol_rhs(void *self, double t, const double *x, double *dx) {
  (void)self, (void)t;
  dx[0] = x[1];
  dx[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
}
static void van_der_pol_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  (void)self, (void)t;
  J[0] = 0;
  J[1] = 1;
  J[2] = -2000 * x[0] * x[1] - 1;
  J[3] = 1000 * (1 - x[0] * x[0]);
  if (ft) ft[0] = ft[1] = 0;
}
static const Ode VAN_DER_POL = {
    .n = 2, .rhs = van_der_pol_rhs, .pattern = &FULL2, .jacobian = van_der_pol_jacobian};

// x'' = -p^2 x, x(0) = q: columns of p and q, one of padding
enum { SPRING_STRIDE = 3 };
static const double SPRING_P = 2, SPRING_Q = 1.5;

static void spring_states(void *self, double t, const double *x, double *dx) {
  (void)self, (void)t;
  dx[0] = x[1];
  dx[1] = -SPRING_P * SPRING_P * x[0];
}
static void spring_rhs(void *self, double t, const double *y, double *dy) {
  spring_states(self, t, y, dy);
  const double *S = y + 2;
  double *dS = dy + 2;
  for (int k = 0; k < SPRING_STRIDE; k++) {
    dS[k] = S[SPRING_STRIDE + k];
    dS[SPRING_STRIDE + k] = -SPRING_P * SPRING_P * S[k] - (k == 0 ? 2 * SPRING_P * y[0] : 0);
  }
}
static void spring_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  (void)self, (void)t, (void)x;
  J[0] = J[3] = 0;
  J[1] = 1;
  J[2] = -SPRING_P * SPRING_P;
  if (ft) ft[0] = ft[1] = 0;
}
static const Ode SPRING = {.n = 2,
                           .ns = 2,
                           .stride = SPRING_STRIDE,
                           .rhs = spring_rhs,
                           .rhs_states = spring_states,
                           .pattern = &FULL2,
                           .jacobian = spring_jacobian};

static void spring_begin(Stepper *s) {
  memset(s->y, 0, 8 * sizeof *s->y);
  s->t = 0;
  s->y[0] = SPRING_Q;
  s->y[2 + 1] = 1; // dx/dq
}

static void spring_truth(double t, double y[8]) {
  double p = SPRING_P, q = SPRING_Q, c = cos(p * t), n = sin(p * t);
  double truth[8] = {q * c, -q * p * n, -q * t * n, c, 0, -q * n - q * p * t * c, -p * n, 0};
  memcpy(y, truth, sizeof truth);
}

static void assert_spring(const double *y, double t, double tol) {
  double truth[8];
  spring_truth(t, truth);
  for (int i = 0; i < 8; i++) assert_close(y[i], truth[i], tol);
}

// Diffusion on a chain: dx_i = c (x_{i-1} - 2 x_i + x_{i+1}) - x_i^3, the diagonal of row 0 not in
// the pattern.
typedef struct Chain {
  int n, *start, *column;
  Pattern pattern;
  Arena *arena;
} Chain;

static void chain_init(Chain *c, int n, bool full) {
  c->arena = arena_new();
  c->n = n;
  c->start = ARENA_ARRAY(c->arena, int, n + 1);
  c->column = ARENA_ARRAY(c->arena, int, n *n);
  int count = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      if (full || (abs(i - j) <= 1 && !(i == 0 && j == 0))) c->column[count++] = j;
    c->start[i + 1] = count;
  }
  c->pattern = (Pattern){n, n, c->start, c->column};
}

static double chain_link(int i, int j, const double *x) {
  if (i == 0) return j == 1 ? 1 : 0;
  if (i == j) return -200 - 3 * x[i] * x[i];
  return abs(i - j) == 1 ? 100 : 0;
}
static void chain_rhs(void *self, double t, const double *x, double *dx) {
  const Chain *c = self;
  (void)t;
  dx[0] = x[1];
  for (int i = 1; i < c->n; i++) {
    double right = i + 1 < c->n ? x[i + 1] : 0;
    dx[i] = 100 * (x[i - 1] - 2 * x[i] + right) - x[i] * x[i] * x[i];
  }
}
static void chain_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  const Chain *c = self;
  (void)t;
  for (int i = 0; i < c->n; i++) {
    for (int e = c->start[i]; e < c->start[i + 1]; e++) J[e] = chain_link(i, c->column[e], x);
    if (ft) ft[i] = 0;
  }
}
static Ode chain_ode(Chain *c) {
  return (Ode){
      .n = c->n, .self = c, .rhs = chain_rhs, .pattern = &c->pattern, .jacobian = chain_jacobian};
}
static void chain_begin(Stepper *s) {
  s->t = 0;
  for (int i = 0; i < s->ode->n; i++) s->y[i] = sin(i + 1.0);
}

// ---- values

static void decay_meets_the_exponential(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], DECAY, 1e-9, 1e-12);
    s->y[0] = 1;
    assert_int_equal(advance(s, 3), STEP_DONE);
    assert_close_relative(s->y[0], exp(-3), 1e-6);
    run_done(&r);
  }
}

static void error_falls_with_the_tolerance(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    double last = 1;
    for (double rel = 1e-4; rel > 1e-11; rel *= 1e-3) {
      Run r;
      Stepper *s = run_init(&r, BOTH[m], SPRING, rel, rel);
      spring_begin(s);
      assert_int_equal(advance(s, 2), STEP_DONE);
      double error = fabs(s->y[2] + SPRING_Q * 2 * sin(SPRING_P * 2));
      assert_true(error < 0.1 * last);
      last = error;
      run_done(&r);
    }
  }
}

static void robertson_meets_an_independent_solution(void **state) {
  (void)state;
  Run r;
  Stepper *s = run_init(&r, &STEPPER_BDF, ROBERTSON, 1e-8, 1e-14);
  s->y[0] = 1;
  assert_int_equal(advance(s, 40), STEP_DONE);
  // by Radau IIA of SciPy 1.10 at rel_tol 1e-9, 1e-11 and 1e-12, which agree to these digits
  assert_close_relative(s->y[0], 0.715827068719, 1e-7);
  assert_close_relative(s->y[1], 9.18553476456e-6, 1e-7);
  assert_close(s->y[0] + s->y[1] + s->y[2], 1, 1e-12);
  assert_true(s->count.steps < 1000);
  assert_true(s->count.jacobians > 0 && s->count.jacobians < s->count.steps);
  assert_true(s->count.factorisations >= s->count.jacobians);
  run_done(&r);
}

static void van_der_pol_is_the_same_with_and_without_a_jacobian(void **state) {
  (void)state;
  double x[2];
  for (int with = 0; with < 2; with++) {
    Run r;
    Ode ode = VAN_DER_POL;
    if (!with) ode.jacobian = NULL;
    Stepper *s = run_init(&r, &STEPPER_BDF, ode, 1e-9, 1e-12);
    s->y[0] = 2;
    assert_int_equal(advance(s, 1000), STEP_DONE); // after the first jump
    assert_true(s->count.steps < 10000);
    x[with] = s->y[0];
    run_done(&r);
  }
  assert_close(x[0], x[1], 1e-4);
  assert_true(x[0] < -1 && x[0] > -2);
}

static void sensitivities_meet_the_derivatives_of_the_solution(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], SPRING, 1e-9, 1e-10);
    spring_begin(s);
    assert_int_equal(advance(s, 3), STEP_DONE);
    assert_spring(s->y, 3, 1e-5);
    assert_true(s->count.rhs_sens > 0 && s->count.rhs > s->count.rhs_sens);
    run_done(&r);
  }
}

static void sensitivities_work_without_rhs_of_the_states_and_without_a_jacobian(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Ode ode = SPRING;
    ode.rhs_states = NULL;
    ode.jacobian = NULL;
    Stepper *s = run_init(&r, BOTH[m], ode, 1e-9, 1e-10);
    spring_begin(s);
    assert_int_equal(advance(s, 3), STEP_DONE);
    assert_spring(s->y, 3, 1e-5);
    run_done(&r);
  }
}

static void sensitivities_are_in_the_error_test(void **state) {
  (void)state;
  long steps[2];
  for (int strict = 0; strict < 2; strict++) {
    Run r;
    Stepper *s = run_init(&r, &STEPPER_BDF, SPRING, 1e-6, 1e-6);
    r.abs[0] = r.abs[1] = 1e3; // of the states
    for (int i = 2; i < 8; i++) r.abs[i] = strict ? 1e-9 : 1e3;
    s->tol.rel = 1e-9;
    spring_begin(s);
    assert_int_equal(advance(s, 3), STEP_DONE);
    steps[strict] = s->count.steps;
    run_done(&r);
  }
  assert_true(steps[1] > 4 * steps[0]);
}

static void sparse_and_dense_factorisation_agree(void **state) {
  (void)state;
  double x[2][100];
  for (int full = 0; full < 2; full++) {
    Chain c;
    Run r;
    chain_init(&c, 100, full);
    Stepper *s = run_init(&r, &STEPPER_BDF, chain_ode(&c), 1e-8, 1e-10);
    chain_begin(s);
    assert_int_equal(advance(s, 1), STEP_DONE);
    memcpy(x[full], s->y, sizeof x[full]);
    assert_true(s->count.rhs < 2000); // no difference quotients
    run_done(&r);
    arena_free(c.arena);
  }
  for (int i = 0; i < 100; i++) assert_close(x[0][i], x[1][i], 1e-10);
}

// ---- steps

static void a_step_ends_exactly_at_the_limit(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], DECAY, 1e-6, 1e-9);
    s->y[0] = 1;
    s->row->start(s, 1);
    for (int k = 1; k <= 10; k++) {
      double limit = k / 10.0;
      int steps = 0;
      while (s->t != limit && steps++ < 1000) {
        double before = s->t;
        assert_int_equal(s->row->step(s, limit), STEP_DONE);
        assert_true(s->t <= limit && s->t > before && s->t_old == before);
      }
      assert_true(s->t == limit);
      assert_close(s->y[0], exp(-limit), 1e-4);
    }
    run_done(&r);
  }
}

static void limits_that_differ_by_rounding_are_reached(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], DECAY, 1e-6, 1e-9);
    s->y[0] = 1;
    s->t = 1;
    s->row->start(s, 2);
    double limit = 1;
    for (int k = 0; k < 60; k++) {
      limit += ldexp(1, -52 + k % 12);
      for (int steps = 0; s->t != limit && steps < 100; steps++)
        assert_int_equal(s->row->step(s, limit), STEP_DONE);
      assert_true(s->t == limit);
    }
    assert_int_equal(advance(s, 2), STEP_DONE);
    assert_close(s->y[0], exp(-1), 1e-4);
    run_done(&r);
  }
}

static void values_inside_a_step_are_those_of_the_solution(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    double y[8];
    Stepper *s = run_init(&r, BOTH[m], SPRING, 1e-9, 1e-10);
    spring_begin(s);
    s->row->start(s, 2);
    while (s->t < 2) {
      assert_int_equal(s->row->step(s, 2), STEP_DONE);
      for (int k = 0; k <= 8; k++) {
        double t = s->t_old + k / 8.0 * (s->t - s->t_old);
        memset(y, 0, sizeof y);
        s->row->dense(s, t, true, y);
        assert_spring(y, t, 1e-5);
      }
      memset(y, 0, sizeof y);
      s->row->dense(s, 0.5 * (s->t_old + s->t), false, y);
      assert_true(y[0] != 0 && y[2] == 0); // the states alone
    }
    run_done(&r);
  }
}

static void dense_output_is_continuous_and_meets_both_ends(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    double y[8];
    Stepper *s = run_init(&r, BOTH[m], SPRING, 1e-6, 1e-6);
    spring_begin(s);
    s->row->start(s, 2);
    while (s->t < 2) {
      double before[8];
      memcpy(before, s->y, sizeof before);
      assert_int_equal(s->row->step(s, 2), STEP_DONE);
      assert_memory_equal(s->y_old, before, sizeof before);
      s->row->dense(s, s->t, true, y);
      assert_memory_equal(y, s->y, 2 * sizeof *y);
      s->row->dense(s, s->t_old, true, y);
      assert_memory_equal(y, before, 2 * sizeof *y);
      s->row->dense(s, nextafter(s->t_old, 10), true, y);
      for (int i = 0; i < 4; i++) assert_close(y[i], before[i], 1e-12);
    }
    run_done(&r);
  }
}

static void going_back_returns_to_the_start(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], SPRING, 1e-10, 1e-11);
    spring_begin(s);
    assert_int_equal(advance(s, 2), STEP_DONE);
    assert_int_equal(advance(s, 0), STEP_DONE);
    assert_true(s->h_next < 0 && s->t == 0);
    assert_spring(s->y, 0, 1e-6);
    run_done(&r);
  }
}

static void a_restart_takes_the_changed_state(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], DECAY, 1e-9, 1e-12);
    s->y[0] = 1;
    assert_int_equal(advance(s, 1), STEP_DONE);
    long steps = s->count.steps;
    s->y[0] += 5;
    assert_int_equal(advance(s, 2), STEP_DONE);
    assert_close_relative(s->y[0], (exp(-1) + 5) * exp(-1), 1e-6);
    assert_true(s->count.steps > steps);
    run_done(&r);
  }
}

static void the_longest_and_the_first_step_are_respected(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], DECAY, 1e-3, 1e-3);
    s->y[0] = 1;
    s->tol.max_step = 0.01;
    s->tol.first_step = 1e-5;
    s->row->start(s, 1);
    assert_int_equal(s->row->step(s, 1), STEP_DONE);
    assert_close(s->t, 1e-5, 1e-18);
    while (s->t < 1) {
      assert_int_equal(s->row->step(s, 1), STEP_DONE);
      assert_true(s->t - s->t_old <= 0.01 * (1 + 1e-9));
    }
    run_done(&r);
  }
}

static void without_states_only_the_time_moves(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], (Ode){.n = 0}, 1e-6, 1e-6);
    assert_int_equal(advance(s, 5), STEP_DONE);
    assert_true(s->t == 5 && s->t_old == 0);
    s->row->dense(s, 2, true, s->y);
    run_done(&r);
  }
}

static void zero_absolute_tolerances_are_allowed(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], DECAY, 1e-8, 0);
    assert_int_equal(advance(s, 1), STEP_DONE); // from 0, which stays 0
    assert_true(s->y[0] == 0);
    s->t = 0;
    s->y[0] = 1;
    assert_int_equal(advance(s, 1), STEP_DONE);
    assert_close(s->y[0], exp(-1), 1e-6);
    run_done(&r);
  }
}

// ---- failures

static void root_rhs(void *self, double t, const double *x, double *dx) { // sqrt(1-t)' beyond 1
  (void)self, (void)x;
  dx[0] = sqrt(1 - t);
}
static void explosion_rhs(void *self, double t, const double *x, double *dx) {
  (void)self, (void)t;
  dx[0] = x[0] * x[0];
}
static void nowhere_rhs(void *self, double t, const double *x, double *dx) {
  (void)self, (void)t, (void)x;
  dx[0] = (double)NAN;
}
// smooth states, sensitivities that cannot be computed
static void lame_rhs(void *self, double t, const double *y, double *dy) {
  spring_rhs(self, t, y, dy);
  if (t > 1) dy[5] = (double)INFINITY;
}
static void bad_jacobian(void *self, double t, const double *x, double *J, double *ft) {
  spring_jacobian(self, t, x, J, ft);
  if (t > 1) J[0] = (double)NAN;
}

static void f_that_is_not_finite_ends_as_not_computable(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], (Ode){.n = 1, .rhs = root_rhs}, 1e-6, 1e-9);
    assert_int_equal(advance(s, 2), STEP_NOT_COMPUTABLE);
    assert_true(s->t > 0.99 && s->t <= 1);
    assert_true(isfinite(s->y[0]) && s->count.rejected > 0);
    run_done(&r);

    s = run_init(&r, BOTH[m], (Ode){.n = 1, .rhs = nowhere_rhs}, 1e-6, 1e-9);
    assert_int_equal(advance(s, 2), STEP_NOT_COMPUTABLE);
    assert_true(s->t == 0 && s->y[0] == 0);
    run_done(&r);

    Ode lame = SPRING;
    lame.rhs = lame_rhs;
    s = run_init(&r, BOTH[m], lame, 1e-6, 1e-6);
    spring_begin(s);
    assert_int_equal(advance(s, 2), STEP_NOT_COMPUTABLE);
    assert_true(s->t > 0.9 && s->t <= 1);
    assert_spring(s->y, s->t, 1e-3);
    run_done(&r);
  }
}

static void a_jacobian_that_is_not_finite_ends_as_not_computable(void **state) {
  (void)state;
  Run r;
  Ode ode = SPRING;
  ode.jacobian = bad_jacobian;
  Stepper *s = run_init(&r, &STEPPER_BDF, ode, 1e-6, 1e-6);
  spring_begin(s);
  assert_int_equal(advance(s, 100), STEP_NOT_COMPUTABLE);
  assert_true(s->t > 0.5 && s->t < 10);
  run_done(&r);
}

static void an_explosion_ends_as_a_step_too_small(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], (Ode){.n = 1, .rhs = explosion_rhs}, 1e-6, 1e-9);
    s->y[0] = 1;
    StepEnd end = advance(s, 2);
    assert_true(end == STEP_TOO_SMALL || end == STEP_NOT_COMPUTABLE);
    assert_close(s->t, 1, 1e-3);
    assert_true(isfinite(s->y[0]));
    run_done(&r);
  }
}

static void too_many_steps_are_an_outcome_and_can_be_continued(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    Run r;
    Stepper *s = run_init(&r, BOTH[m], SPRING, 1e-9, 1e-9);
    spring_begin(s);
    s->tol.max_steps = 20;
    assert_int_equal(advance(s, 2), STEP_TOO_MANY);
    assert_true(s->count.steps + s->count.rejected >= 20);
    assert_true(s->count.steps + s->count.rejected < 30);
    s->tol.max_steps = 100000;
    assert_int_equal(advance(s, 2), STEP_DONE);
    assert_spring(s->y, 2, 1e-5);
    run_done(&r);
  }
}

static void the_state_that_limits_the_step_is_named(void **state) {
  (void)state;
  Run r;
  Stepper *s = run_init(&r, &STEPPER_BDF, VAN_DER_POL, 1e-6, 1e-9);
  s->y[0] = 2;
  r.abs[0] = 1e6; // only the second state counts
  s->worst = -1;
  assert_int_equal(advance(s, 1000), STEP_DONE);
  assert_true(s->count.rejected > 0);
  assert_int_equal(s->worst, 1);
  assert_true(s->last_error >= 1);
  run_done(&r);
}

static void a_step_limited_by_a_column_names_a_column(void **state) {
  (void)state;
  Run r;
  Stepper *s = run_init(&r, &STEPPER_ADAMS, SPRING, 1e-8, 1e-8);
  r.abs[0] = r.abs[1] = 1e6;
  s->tol.first_step = 0.5; // far too long
  spring_begin(s);
  assert_int_equal(advance(s, 2), STEP_DONE);
  assert_true(s->count.rejected > 0);
  assert_true(s->worst >= 2 && s->worst < 8);
  run_done(&r);
}

static void steppers_are_independent(void **state) {
  (void)state;
  Run r[4];
  for (int i = 0; i < 4; i++) {
    run_init(&r[i], BOTH[i % 2], DECAY, 1e-8, 1e-10);
    r[i].stepper.y[0] = i;
    r[i].stepper.row->start(&r[i].stepper, 1);
  }
  for (int left = 4; left > 0;) {
    left = 0;
    for (int i = 0; i < 4; i++) {
      if (r[i].stepper.t == 1) continue;
      left++;
      assert_int_equal(r[i].stepper.row->step(&r[i].stepper, 1), STEP_DONE);
    }
  }
  for (int i = 0; i < 4; i++) {
    assert_close(r[i].stepper.y[0], i * exp(-1), 1e-5);
    run_done(&r[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decay_meets_the_exponential),
      cmocka_unit_test(error_falls_with_the_tolerance),
      cmocka_unit_test(robertson_meets_an_independent_solution),
      cmocka_unit_test(van_der_pol_is_the_same_with_and_without_a_jacobian),
      cmocka_unit_test(sensitivities_meet_the_derivatives_of_the_solution),
      cmocka_unit_test(sensitivities_work_without_rhs_of_the_states_and_without_a_jacobian),
      cmocka_unit_test(sensitivities_are_in_the_error_test),
      cmocka_unit_test(sparse_and_dense_factorisation_agree),
      cmocka_unit_test(a_step_ends_exactly_at_the_limit),
      cmocka_unit_test(limits_that_differ_by_rounding_are_reached),
      cmocka_unit_test(values_inside_a_step_are_those_of_the_solution),
      cmocka_unit_test(dense_output_is_continuous_and_meets_both_ends),
      cmocka_unit_test(going_back_returns_to_the_start),
      cmocka_unit_test(a_restart_takes_the_changed_state),
      cmocka_unit_test(the_longest_and_the_first_step_are_respected),
      cmocka_unit_test(without_states_only_the_time_moves),
      cmocka_unit_test(zero_absolute_tolerances_are_allowed),
      cmocka_unit_test(f_that_is_not_finite_ends_as_not_computable),
      cmocka_unit_test(a_jacobian_that_is_not_finite_ends_as_not_computable),
      cmocka_unit_test(an_explosion_ends_as_a_step_too_small),
      cmocka_unit_test(too_many_steps_are_an_outcome_and_can_be_continued),
      cmocka_unit_test(the_state_that_limits_the_step_is_named),
      cmocka_unit_test(a_step_limited_by_a_column_names_a_column),
      cmocka_unit_test(steppers_are_independent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
