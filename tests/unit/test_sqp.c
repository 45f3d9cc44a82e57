#include "local/linear.h"
#include "local_laws.h"
#include "num/lsi.h"

// ---- constrained problems of Hock and Schittkowski, Lecture Notes in Economics and Mathematical Systems 187 (1981), whose
// objectives are sums of squares. Constraints are written in complex numbers, too.

typedef void Conditions(const Cplx *x, Cplx *c);

typedef struct Hock {
  const char *name;
  LsqResiduals *residuals;
  Conditions *conditions;
  int m, n, equalities, inequalities;
  double start[6], lower[6], upper[6]; // lower == upper: none
  double squares;                      // at the solution: twice our objective
  double solution[6];
  double tol; // of the numbers there
} Hock;

enum { CONDITIONS_MOST = 8 };

static const Hock *present; // Lsq.constraints has the self of the residuals

static void constraints(void *self, const double *x, double *c, double *C) {
  (void)self;
  Cplx at[LSQ_CASE_NUMBERS] = {0}, value[CONDITIONS_MOST];
  int n = present->n, all = present->equalities + present->inequalities;
  for (int i = 0; i < n; i++) at[i] = x[i];
  present->conditions(at, value);
  for (int k = 0; k < all; k++) c[k] = creal(value[k]);
  for (int i = 0; C && i < n; i++) {
    ((double *)&at[i])[1] = 1e-100;
    present->conditions(at, value);
    at[i] = x[i];
    for (int k = 0; k < all; k++) C[k * n + i] = cimag(value[k]) * 1e100;
  }
}

static void r6(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = 1 - x[0];
}
static void c6(const Cplx *x, Cplx *c) {
  c[0] = 10 * (x[1] - x[0] * x[0]);
}

static void r14(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - 2;
  r[1] = x[1] - 1;
}
static void c14(const Cplx *x, Cplx *c) {
  c[0] = x[0] - 2 * x[1] + 1;
  c[1] = 1 - x[0] * x[0] / 4 - x[1] * x[1];
}
static void c22(const Cplx *x, Cplx *c) {
  c[0] = 2 - x[0] - x[1];
  c[1] = x[1] - x[0] * x[0];
}

static void r26(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - x[1];
  r[1] = (x[1] - x[2]) * (x[1] - x[2]);
}
static void c26(const Cplx *x, Cplx *c) {
  c[0] = (1 + x[1] * x[1]) * x[0] + x[2] * x[2] * x[2] * x[2] - 3;
}

static void r27(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = 0.1 * (x[0] - 1);
  r[1] = x[1] - x[0] * x[0];
}
static void c27(const Cplx *x, Cplx *c) {
  c[0] = x[0] + x[2] * x[2] + 1;
}

static void r28(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] + x[1];
  r[1] = x[1] + x[2];
}
static void c28(const Cplx *x, Cplx *c) {
  c[0] = x[0] + 2 * x[1] + 3 * x[2] - 1;
}

static void r42(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) r[i] = x[i] - (i + 1);
}
static void c42(const Cplx *x, Cplx *c) {
  c[0] = x[0] - 2;
  c[1] = x[2] * x[2] + x[3] * x[3] - 2;
}

// Rosen and Suzuki: 35.875 is -44 plus the constant of the squares.
static void r43(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - 2.5;
  r[1] = x[1] - 2.5;
  r[2] = sqrt(2.0) * (x[2] - 5.25);
  r[3] = x[3] + 3.5;
}
static void c43(const Cplx *x, Cplx *c) {
  Cplx a = x[0] * x[0], b = x[1] * x[1], e = x[2] * x[2], d = x[3] * x[3];
  c[0] = 8 - a - b - e - d - x[0] + x[1] - x[2] + x[3];
  c[1] = 10 - a - 2 * b - e - 2 * d + x[0] + x[3];
  c[2] = 5 - 2 * a - b - e - 2 * x[0] + x[1] + x[3];
}

static void r48(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - 1;
  r[1] = x[1] - x[2];
  r[2] = x[3] - x[4];
}
static void c48(const Cplx *x, Cplx *c) {
  c[0] = x[0] + x[1] + x[2] + x[3] + x[4] - 5;
  c[1] = x[2] - 2 * (x[3] + x[4]) + 3;
}

static void r60(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - 1;
  r[1] = x[0] - x[1];
  r[2] = (x[1] - x[2]) * (x[1] - x[2]);
}
static void c60(const Cplx *x, Cplx *c) {
  c[0] = x[0] * (1 + x[1] * x[1]) + x[2] * x[2] * x[2] * x[2] - 4 - 3 * sqrt(2.0);
}

static void r65(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - x[1];
  r[1] = (x[0] + x[1] - 10) / 3;
  r[2] = x[2] - 5;
}
static void c65(const Cplx *x, Cplx *c) {
  c[0] = 48 - x[0] * x[0] - x[1] * x[1] - x[2] * x[2];
}

static void r77(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - 1;
  r[1] = x[0] - x[1];
  r[2] = x[2] - 1;
  r[3] = (x[3] - 1) * (x[3] - 1);
  r[4] = (x[4] - 1) * (x[4] - 1) * (x[4] - 1);
}
static void c77(const Cplx *x, Cplx *c) {
  c[0] = x[0] * x[0] * x[3] + csin(x[3] - x[4]) - 2 * sqrt(2.0);
  c[1] = x[1] + x[2] * x[2] * x[2] * x[2] * x[3] * x[3] - 8 - sqrt(2.0);
}

static void r79(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - 1;
  r[1] = x[0] - x[1];
  r[2] = x[1] - x[2];
  r[3] = (x[2] - x[3]) * (x[2] - x[3]);
  r[4] = (x[3] - x[4]) * (x[3] - x[4]);
}
static void c79(const Cplx *x, Cplx *c) {
  c[0] = x[0] + x[1] * x[1] + x[2] * x[2] * x[2] - 2 - 3 * sqrt(2.0);
  c[1] = x[1] - x[2] * x[2] + x[3] + 2 - 2 * sqrt(2.0);
  c[2] = x[0] * x[4] - 2;
}

static void disk(const Cplx *x, Cplx *c) {
  c[0] = 1 - x[0] * x[0] - x[1] * x[1];
}

#define ROOT7 2.6457513110645907
#define ROOT2 1.4142135623730951

static const Hock HOCKS[] = {
    {"HS6", r6, c6, 1, 2, 1, 0, {-1.2, 1}, {0}, {0}, 0, {1, 1}, 1e-7},
    {"HS14",
     r14,
     c14,
     2,
     2,
     1,
     1,
     {2, 2},
     {0},
     {0},
     9 - 2.875 * ROOT7,
     {(ROOT7 - 1) / 2, (ROOT7 + 1) / 4},
     1e-7},
    {"HS22", r14, c22, 2, 2, 0, 2, {2, 2}, {0}, {0}, 1, {1, 1}, 1e-7},
    {"HS26", r26, c26, 2, 3, 1, 0, {-2.6, 2, 2}, {0}, {0}, 0, {1, 1, 1}, 1e-3},
    {"HS27", r27, c27, 2, 3, 1, 0, {2, 2, 2}, {0}, {0}, 0.04, {-1, 1, 0}, 1e-4},
    {"HS28", r28, c28, 2, 3, 1, 0, {-4, 1, 1}, {0}, {0}, 0, {.5, -.5, .5}, 1e-7},
    {"HS42",
     r42,
     c42,
     4,
     4,
     2,
     0,
     {1, 1, 1, 1},
     {0},
     {0},
     28 - 10 * ROOT2,
     {2, 2, .6 * ROOT2, .8 * ROOT2},
     1e-7},
    {"HS43", r43, c43, 4, 4, 0, 3, {0}, {0}, {0}, 35.875, {0, 1, 2, -1}, 1e-6},
    {"HS48", r48, c48, 3, 5, 2, 0, {3, 5, -3, 2, -2}, {0}, {0}, 0, {1, 1, 1, 1, 1}, 1e-7},
    {"HS60",
     r60,
     c60,
     3,
     3,
     1,
     0,
     {2, 2, 2},
     {-10, -10, -10},
     {10, 10, 10},
     .03256820025,
     {1.104859024, 1.196674194, 1.535262257},
     1e-5},
    {"HS65",
     r65,
     c65,
     3,
     3,
     0,
     1,
     {-5, 5, 0},
     {-4.5, -4.5, -5},
     {4.5, 4.5, 5},
     .9535288567,
     {3.650461821, 3.65046168, 4.6204170507},
     1e-5},
    {"HS77",
     r77,
     c77,
     5,
     5,
     2,
     0,
     {2, 2, 2, 2, 2},
     {0},
     {0},
     .24150513,
     {1.166172, 1.182111, 1.380257, 1.506036, .6109203},
     1e-5},
    {"HS79",
     r79,
     c79,
     5,
     5,
     3,
     0,
     {2, 2, 2, 2, 2},
     {0},
     {0},
     .0787768209,
     {1.191127, 1.362603, 1.472818, 1.635017, 1.679081},
     1e-5},
    {"Rosenbrock in a disk",
     rosenbrock,
     disk,
     2,
     2,
     0,
     1,
     {-1.2, 1},
     {0},
     {0},
     .0456748087,
     {.7864151542, .6176983125},
     1e-6},
};
enum { HOCK_COUNT = sizeof HOCKS / sizeof *HOCKS };

static Run hock_new(const Hock *h, const double *start) {
  Run r = run_new(h->residuals, h->m, h->n, start);
  present = h;
  r.t->lsq.equalities = h->equalities;
  r.t->lsq.inequalities = h->inequalities;
  r.t->lsq.constraints = constraints;
  for (int i = 0; i < h->n; i++)
    if (h->lower[i] < h->upper[i]) r.t->lower[i] = h->lower[i], r.t->upper[i] = h->upper[i];
  return r;
}

static void hock_run(Run *r) {
  method(&r->t->lsq, &r->options, &r->result);
}

// The least that is left of the slope when constraints and bounds that hold push against it, relative to the slope of each
// number; HUGE_VAL where a constraint does not hold.
static double kuhn_tucker(const Run *r) {
  enum { MOST = LSQ_CASE_NUMBERS + CONDITIONS_MOST };
  const Hock *h = present;
  int n = h->n, all = h->equalities + h->inequalities, forces = 0;
  double c[CONDITIONS_MOST], C[CONDITIONS_MOST * LSQ_CASE_NUMBERS],
      M[LSQ_CASE_NUMBERS * MOST] = {0};
  double low[MOST], high[MOST], slope[LSQ_CASE_NUMBERS], norm[LSQ_CASE_NUMBERS], d[MOST] = {0};
  const double *x = r->best->x;
  constraints(NULL, x, c, C);
  linear_slope(n, r->best->R, r->best->Qr, slope, norm);
  for (int k = 0; k < all; k++) {
    bool equality = k < h->equalities;
    if (equality ? fabs(c[k]) > 1e-7 : c[k] < -1e-7) return HUGE_VAL;
    if (!equality && c[k] > 1e-6) continue;
    for (int i = 0; i < n; i++) M[i * MOST + forces] = C[k * n + i];
    low[forces] = equality ? -HUGE_VAL : 0, high[forces++] = HUGE_VAL;
  }
  for (int i = 0; i < n; i++) {
    bool at_low = x[i] == r->t->lower[i], at_high = x[i] == r->t->upper[i];
    if (!at_low && !at_high) continue;
    M[i * MOST + forces] = at_low ? 1 : -1;
    low[forces] = 0, high[forces++] = HUGE_VAL;
  }
  double packed[LSQ_CASE_NUMBERS * MOST], minus[LSQ_CASE_NUMBERS], left = 0;
  for (int i = 0; i < n; i++) {
    minus[i] = -slope[i];
    for (int k = 0; k < forces; k++) packed[i * forces + k] = M[i * MOST + k];
  }
  Arena *a = arena_new();
  LsiProblem q = {forces, n, packed, minus, low, high, 0, 0, NULL, NULL};
  lsi_solve(lsi_new(a, forces, n, 0), &q, d, NULL);
  arena_free(a);
  for (int i = 0; i < n; i++) {
    double rest = minus[i];
    for (int k = 0; k < forces; k++) rest += packed[i * forces + k] * d[k];
    left = fmax(left, fabs(rest) / (1 + norm[i]));
  }
  return left;
}

static void assert_solved(const Hock *h, const Run *r, double kkt) {
  bool near = fabs(2 * r->best->objective - h->squares) <= 1e-6 * (1 + h->squares);
  for (int i = 0; i < h->n; i++) near = near && fabs(r->best->x[i] - h->solution[i]) <= h->tol;
  double left = kuhn_tucker(r);
  if (!near || !local_end_converged(r->result.end) || !(left <= kkt))
    fail_msg("%s: %.9g at %.7g %.7g %.7g, %s after %d, %.2g left", h->name, 2 * r->best->objective,
             r->best->x[0], r->best->x[1], r->best->x[2], local_end_word(r->result.end),
             r->result.evaluations, left);
}

static void problems_of_hock_and_schittkowski_are_solved(void **state) {
  (void)state;
  for (int k = 0; k < HOCK_COUNT; k++) {
    Run r = hock_new(&HOCKS[k], HOCKS[k].start);
    hock_run(&r);
    assert_solved(&HOCKS[k], &r, 1e-5);
    run_free(&r);
  }
}

// Others that keep constraints are checked by a step of this method: what they call converged is a minimum.
static void others_converge_at_minima(void **state) {
  (void)state;
  static LocalMethod *const OTHERS[] = {local_slsqp, local_cobyla};
  int converged = 0;
  for (int k = 0; k < 2 * HOCK_COUNT; k++) {
    const Hock *h = &HOCKS[k / 2];
    Run r = hock_new(h, h->start);
    r.options.max_iterations = 10000;
    OTHERS[k % 2](&r.t->lsq, &r.options, &r.result);
    double above = 2 * r.best->objective - h->squares;
    bool ok = local_end_converged(r.result.end);
    converged += ok;
    if (ok && !(fabs(above) <= 0.02 * h->squares + 1e-4))
      fail_msg("%s by %d: %.9g, %s", h->name, k % 2, 2 * r.best->objective,
               local_end_word(r.result.end));
    run_free(&r);
  }
  assert_true(converged > 3 * HOCK_COUNT / 2);
}

// Few of the simulations that SLSQP needs from the gradient alone.
static void few_evaluations_are_needed(void **state) {
  (void)state;
  int ours = 0, theirs = 0;
  for (int k = 0; k < HOCK_COUNT; k++) {
    Run r = hock_new(&HOCKS[k], HOCKS[k].start), q = hock_new(&HOCKS[k], HOCKS[k].start);
    q.options.sqp = SQP_SLSQP;
    hock_run(&r), hock_run(&q);
    ours += r.result.evaluations, theirs += q.result.evaluations;
    assert_true(q.result.iterations > 0 || q.result.evaluations <= 6);
    assert_true(fabs(2 * q.best->objective - HOCKS[k].squares) <= 1e-4 * (1 + HOCKS[k].squares));
    run_free(&r), run_free(&q);
  }
  assert_true(2 * ours < theirs);
}

// From anywhere: a solution, or another point that Kuhn and Tucker would not leave.
static void random_starts_end_at_stationary_points(void **state) {
  (void)state;
  int good = 0, all = 0;
  for (int k = 0; k < HOCK_COUNT; k++)
    for (int trial = 0; trial < 20; trial++) {
      double start[6];
      Run r = hock_new(&HOCKS[k], HOCKS[k].start);
      r.t->seed = (unsigned long long)(1000 * k + trial);
      lsq_test_random(r.t);
      for (int i = 0; i < HOCKS[k].n; i++) start[i] = 4 * lsq_test_random(r.t);
      memcpy(r.best->x, start, (size_t)HOCKS[k].n * sizeof *start);
      hock_run(&r);
      bool stationary = local_end_converged(r.result.end) && kuhn_tucker(&r) < 1e-4;
      bool honest = stationary || r.result.end == LOCAL_INFEASIBLE_END;
      if (!honest)
        print_message("%s from %g %g %g: %s, %.2g left\n", HOCKS[k].name, start[0], start[1],
                      start[2], local_end_word(r.result.end), kuhn_tucker(&r));
      good += stationary, all++;
      assert_true(r.result.evaluations < 200);
      run_free(&r);
    }
  assert_true(good >= 0.97 * all);
}

static void contradiction(const Cplx *x, Cplx *c) {
  c[0] = x[0] * x[0] + x[1] * x[1] - 1; // outside of a circle
  c[1] = 0.25 - x[0] * x[0] - x[1] * x[1];
}

static void constraints_that_contradict_each_other_are_named(void **state) {
  (void)state;
  const Hock h = {"contradiction", rosenbrock, contradiction, 2, 2,   0, 2,
                  {3, 2},          {0},        {0},           0, {0}, 0};
  Run r = hock_new(&h, h.start);
  hock_run(&r);
  assert_int_equal(r.result.end, LOCAL_INFEASIBLE_END);
  assert_false(local_end_converged(r.result.end));
  assert_true(isfinite(r.best->objective));
  double radius = hypot(r.best->x[0], r.best->x[1]);
  assert_true(radius >= 0.5 - 1e-6 && radius <= 1 + 1e-6); // between the two
  run_free(&r);
}

// Constraints that say the same in several ways, or touch: no multipliers are unique.
static void repeated(const Cplx *x, Cplx *c) {
  c[0] = x[0] + x[1] - 1;
  c[1] = 3 * (x[0] + x[1]) - 3;
  c[2] = x[0];
  c[3] = 2 * x[0];
  c[4] = x[0] * x[1] + x[0];
}

static void constraints_may_repeat_each_other(void **state) {
  (void)state;
  const Hock h = {"repeated", r14, repeated, 2, 2, 2, 3, {5, 5}, {0}, {0}, 2, {1, 0}, 1e-7};
  Run r = hock_new(&h, h.start);
  hock_run(&r);
  assert_solved(&h, &r, 1e-8);
  run_free(&r);
}

static void cusp(const Cplx *x, Cplx *c) {
  c[0] = (1 - x[0]) * (1 - x[0]) * (1 - x[0]) - x[1];
}

static void r13(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - 2;
  r[1] = x[1];
}

// HS13: the solution is the tip of a cusp, where no multipliers exist.
static void a_cusp_is_approached(void **state) {
  (void)state;
  const Hock h = {"HS13", r13, cusp, 2, 2, 0, 1, {-2, -2}, {0}, {10, 10}, 1, {1, 0}, 0};
  Run r = hock_new(&h, h.start);
  hock_run(&r);
  assert_true(r.best->x[0] > 0.95 && r.best->x[0] < 1.01);
  assert_true(r.best->x[1] >= 0 && r.best->x[1] < 1e-3);
  run_free(&r);
}

// Only x0*x1 is seen: a constraint makes both known.
static void one_value(const Cplx *x, Cplx *c) {
  c[0] = x[0] - 2 * x[1];
}

static void a_constraint_tells_what_the_residuals_do_not(void **state) {
  (void)state;
  const double start[] = {5, 0.2, 1};
  const Hock h = {"product", product_decay, one_value, 20, 3, 1, 0, {0}, {0}, {0}, 0, {0}, 0};
  Run r = hock_new(&h, start);
  hock_run(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0], sqrt(12), 1e-7);
  assert_close(r.best->x[1], sqrt(3), 1e-7);
  assert_close(r.best->x[2], 0.7, 1e-8);
  run_free(&r);
}

static void on_a_line(const Cplx *x, Cplx *c) {
  c[0] = x[0] + x[1] + x[2] + x[3] - 10;
}

// The nearest point to (1, 2, 3, 4), which is on the plane, with x0 >= 2 and x3 <= 3: bounds push, and so does the plane.
static void bounds_and_an_equality_hold_together(void **state) {
  (void)state;
  const Hock h = {
      "plane",         r42, on_a_line,    4,   4, 1, 0, {9, 9, 9, 9}, {2, -20, -20, -20},
      {20, 20, 20, 3}, 2,   {2, 2, 3, 3}, 1e-8};
  Run r = hock_new(&h, h.start);
  hock_run(&r);
  assert_true(r.best->x[0] == 2 && r.best->x[3] == 3);
  assert_solved(&h, &r, 1e-8);
  run_free(&r);
}

static void logarithm(const Cplx *x, Cplx *c) {
  c[0] = clog(x[0]) - 1; // NaN below 0: complex tests have no NaN, so it is made
  if (creal(x[0]) <= 0) c[0] = nan("");
}

static void constraints_that_cannot_be_computed_are_kept_away_from(void **state) {
  (void)state;
  const double good[] = {0.01, 1}, bad[] = {-1, 1};
  const Hock h = {"logarithm", rosenbrock, logarithm, 2, 2, 1, 0, {0}, {0}, {0}, 0, {0}, 0};
  Run r = hock_new(&h, good);
  hock_run(&r);
  assert_true(local_end_converged(r.result.end));
  assert_close(r.best->x[0], exp(1), 1e-7);
  assert_close(r.best->x[1], exp(2), 1e-6);
  run_free(&r);
  r = hock_new(&h, bad);
  hock_run(&r);
  assert_int_equal(r.result.end, LOCAL_INFEASIBLE_END);
  run_free(&r);
}

static void a_stopped_search_keeps_to_the_constraints(void **state) {
  (void)state;
  for (int k = 1; k < 6; k++) {
    double c[CONDITIONS_MOST];
    Run r = hock_new(&HOCKS[HOCK_COUNT - 1], HOCKS[HOCK_COUNT - 1].start);
    r.t->stop_after = k;
    hock_run(&r);
    assert_int_equal(r.result.end, LOCAL_STOPPED_END);
    constraints(NULL, r.best->x, c, NULL);
    assert_true(c[0] >= -1e-8);
    assert_true(r.best->has_slopes);
    run_free(&r);
  }
}

static void problems_of_the_literature_are_solved(void **state) {
  (void)state;
  for (int k = 0; k < LSQ_CASES; k++) {
    const LsqCase *c = &lsq_cases[k];
    Run r = run_new(c->residuals, c->m, c->n, c->start);
    run_it(&r);
    if (!lsq_case_is_solved(c, r.best->objective) || !local_end_converged(r.result.end))
      fail_msg("%s: %.6g, %s", c->name, r.best->objective, local_end_word(r.result.end));
    run_free(&r);
  }
}

int main(void) {
  method = local_sqp;
  const struct CMUnitTest tests[] = {
      LOCAL_LAWS,
      cmocka_unit_test(problems_of_the_literature_are_solved),
      cmocka_unit_test(problems_of_hock_and_schittkowski_are_solved),
      cmocka_unit_test(others_converge_at_minima),
      cmocka_unit_test(few_evaluations_are_needed),
      cmocka_unit_test(random_starts_end_at_stationary_points),
      cmocka_unit_test(constraints_that_contradict_each_other_are_named),
      cmocka_unit_test(constraints_may_repeat_each_other),
      cmocka_unit_test(a_cusp_is_approached),
      cmocka_unit_test(a_constraint_tells_what_the_residuals_do_not),
      cmocka_unit_test(bounds_and_an_equality_hold_together),
      cmocka_unit_test(constraints_that_cannot_be_computed_are_kept_away_from),
      cmocka_unit_test(a_stopped_search_keeps_to_the_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
