// Least-squares problems of the literature for tests and benchmarks of local methods. Residuals are written once, in complex
// numbers: a step of 1e-100 along the imaginary axis gives derivatives without any error of differences.
// MGH: Moré, Garbow, Hillstrom, ACM Trans. Math. Softw. 7 (1981) 17; minima from there.
#pragma once
#include <assert.h>
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "local/local.h"
#include "num/qr.h"

enum { LSQ_CASE_NUMBERS = 12 };

typedef double complex Cplx;
typedef struct LsqShape {
  int m, n;
  const void *data; // of the residuals, if they have some
} LsqShape;

typedef void LsqResiduals(const LsqShape *s, const Cplx *x, Cplx *r);

typedef struct LsqCase {
  const char *name;
  LsqResiduals *residuals;
  int m, n;
  double start[LSQ_CASE_NUMBERS];
  double minimum; // of half the sum of squares; starts far away may have another
  double other;   // a second minimum that also counts, or 0
} LsqCase;

// ---- residuals

static inline void rosenbrock(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = 10 * (x[1] - x[0] * x[0]);
  r[1] = 1 - x[0];
}

static inline void freudenstein_roth(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1];
  r[1] = -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1];
}

static inline void powell_badly_scaled(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = 1e4 * x[0] * x[1] - 1;
  r[1] = cexp(-x[0]) + cexp(-x[1]) - 1.0001;
}

static inline void brown_badly_scaled(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] - 1e6;
  r[1] = x[1] - 2e-6;
  r[2] = x[0] * x[1] - 2;
}

static inline void beale(const LsqShape *s, const Cplx *x, Cplx *r) {
  const double y[] = {1.5, 2.25, 2.625};
  Cplx power = 1;
  for (int i = 0; i < s->m; i++) {
    power *= x[1];
    r[i] = y[i] - x[0] * (1 - power);
  }
}

static inline void jennrich_sampson(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) r[i] = 4 + 2 * i - (cexp((i + 1) * x[0]) + cexp((i + 1) * x[1]));
}

static inline void helical_valley(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  double side = creal(x[0]) < 0 ? 0.5 : 0;
  Cplx theta = catan(x[1] / x[0]) / (2 * M_PI) + side;
  r[0] = 10 * (x[2] - 10 * theta);
  r[1] = 10 * (csqrt(x[0] * x[0] + x[1] * x[1]) - 1);
  r[2] = x[2];
}

static inline void bard(const LsqShape *s, const Cplx *x, Cplx *r) {
  const double y[] = {.14, .18, .22, .25, .29, .32, .35, .39, .37, .58, .73, .96, 1.34, 2.10, 4.39};
  for (int i = 0; i < s->m; i++) {
    double u = i + 1, v = 15 - i;
    r[i] = y[i] - (x[0] + u / (v * x[1] + fmin(u, v) * x[2]));
  }
}

static inline void meyer(const LsqShape *s, const Cplx *x, Cplx *r) {
  const double y[] = {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744,
                      8261,  7030,  6005,  5147,  4427,  3820,  3307,  2872};
  for (int i = 0; i < s->m; i++) r[i] = x[0] * cexp(x[1] / (50 + 5 * i + x[2])) - y[i];
}

static inline void box_three(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) {
    double t = 0.1 * (i + 1);
    r[i] = cexp(-t * x[0]) - cexp(-t * x[1]) - x[2] * (exp(-t) - exp(-10 * t));
  }
}

static inline void powell_singular(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = x[0] + 10 * x[1];
  r[1] = sqrt(5.0) * (x[2] - x[3]);
  r[2] = (x[1] - 2 * x[2]) * (x[1] - 2 * x[2]);
  r[3] = sqrt(10.0) * (x[0] - x[3]) * (x[0] - x[3]);
}

static inline void wood(const LsqShape *s, const Cplx *x, Cplx *r) {
  (void)s;
  r[0] = 10 * (x[1] - x[0] * x[0]);
  r[1] = 1 - x[0];
  r[2] = sqrt(90.0) * (x[3] - x[2] * x[2]);
  r[3] = 1 - x[2];
  r[4] = sqrt(10.0) * (x[1] + x[3] - 2);
  r[5] = (x[1] - x[3]) / sqrt(10.0);
}

static inline void kowalik_osborne(const LsqShape *s, const Cplx *x, Cplx *r) {
  const double y[] = {.1957, .1947, .1735, .1600, .0844, .0627, .0456, .0342, .0323, .0235, .0246};
  const double u[] = {4, 2, 1, .5, .25, .167, .125, .1, .0833, .0714, .0625};
  for (int i = 0; i < s->m; i++)
    r[i] = y[i] - x[0] * (u[i] * u[i] + u[i] * x[1]) / (u[i] * u[i] + u[i] * x[2] + x[3]);
}

static inline void brown_dennis(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) {
    double t = (i + 1) / 5.0;
    Cplx a = x[0] + t * x[1] - exp(t), b = x[2] + x[3] * sin(t) - cos(t);
    r[i] = a * a + b * b;
  }
}

static inline void osborne_1(const LsqShape *s, const Cplx *x, Cplx *r) {
  const double y[] = {.844, .908, .932, .936, .925, .908, .881, .850, .818, .784, .751,
                      .718, .685, .658, .628, .603, .580, .558, .538, .522, .506, .490,
                      .478, .467, .457, .448, .438, .431, .424, .420, .414, .411, .406};
  for (int i = 0; i < s->m; i++)
    r[i] = y[i] - (x[0] + x[1] * cexp(-10.0 * i * x[3]) + x[2] * cexp(-10.0 * i * x[4]));
}

static inline void biggs_exp6(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) {
    double t = 0.1 * (i + 1), y = exp(-t) - 5 * exp(-10 * t) + 3 * exp(-4 * t);
    r[i] = x[2] * cexp(-t * x[0]) - x[3] * cexp(-t * x[1]) + x[5] * cexp(-t * x[4]) - y;
  }
}

static inline void osborne_2(const LsqShape *s, const Cplx *x, Cplx *r) {
  const double y[] = {1.366, 1.191, 1.112, 1.013, .991, .885, .831, .847, .786, .725, .746,
                      .679,  .608,  .655,  .616,  .606, .602, .626, .651, .724, .649, .649,
                      .694,  .644,  .624,  .661,  .612, .558, .533, .495, .500, .423, .395,
                      .375,  .372,  .391,  .396,  .405, .428, .429, .523, .562, .607, .653,
                      .672,  .708,  .633,  .668,  .645, .632, .591, .559, .597, .625, .739,
                      .710,  .729,  .720,  .636,  .581, .428, .292, .162, .098, .054};
  for (int i = 0; i < s->m; i++) {
    double t = i / 10.0;
    Cplx sum = x[0] * cexp(-t * x[4]);
    for (int k = 0; k < 3; k++) sum += x[1 + k] * cexp(-(t - x[8 + k]) * (t - x[8 + k]) * x[5 + k]);
    r[i] = y[i] - sum;
  }
}

static inline void brown_almost_linear(const LsqShape *s, const Cplx *x, Cplx *r) {
  Cplx sum = 0, product = 1;
  for (int j = 0; j < s->n; j++) {
    sum += x[j];
    product *= x[j];
  }
  for (int i = 0; i < s->n - 1; i++) r[i] = x[i] + sum - (s->n + 1);
  r[s->n - 1] = product - 1;
}

static inline void watson(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m - 2; i++) {
    double t = (i + 1) / 29.0, power = 1;
    Cplx slope = 0, sum = 0;
    for (int j = 0; j < s->n; j++) {
      sum += x[j] * power;
      if (j + 1 < s->n) slope += (j + 1) * x[j + 1] * power;
      power *= t;
    }
    r[i] = slope - sum * sum - 1;
  }
  r[s->m - 2] = x[0];
  r[s->m - 1] = x[1] - x[0] * x[0] - 1;
}

// Every residual sees the same sum: rank 1.
static inline void linear_rank_one(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) {
    Cplx sum = 0;
    for (int j = 0; j < s->n; j++) sum += (j + 1) * x[j];
    r[i] = (i + 1) * sum - 1;
  }
}

// A product that only its value shows: one direction is free at every point.
static inline void product_decay(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) {
    double t = 0.2 * i;
    r[i] = x[0] * x[1] * cexp(-x[2] * t) - 6 * exp(-0.7 * t);
  }
}

// The frequency of a swing, as from a pendulum: wrong minima on both sides, where residuals stay large.
static inline void swing(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) r[i] = ccos(0.1 * i * x[0]) - cos(0.1 * i * 3.16);
}

static inline void decay_sum(const LsqShape *s, const Cplx *x, Cplx *r) {
  for (int i = 0; i < s->m; i++) {
    double t = 0.1 * i, y = 3 * exp(-0.5 * t) + 2 * exp(-4 * t) + 0.5;
    r[i] = x[0] * cexp(-x[1] * t) + x[2] * cexp(-x[3] * t) + x[4] - y;
  }
}

// ---- the list

static const LsqCase lsq_cases[] = {
    {"Rosenbrock", rosenbrock, 2, 2, {-1.2, 1}, 0, 0},
    {"Freudenstein-Roth", freudenstein_roth, 2, 2, {.5, -2}, 0, 48.9842 / 2},
    {"Powell badly scaled", powell_badly_scaled, 2, 2, {0, 1}, 0, 0},
    {"Brown badly scaled", brown_badly_scaled, 3, 2, {1, 1}, 0, 0},
    {"Beale", beale, 3, 2, {1, 1}, 0, 0},
    {"Jennrich-Sampson", jennrich_sampson, 10, 2, {.3, .4}, 124.362 / 2, 0},
    {"helical valley", helical_valley, 3, 3, {-1, 0, 0}, 0, 0},
    {"Bard", bard, 15, 3, {1, 1, 1}, 8.21487e-3 / 2, 17.4286 / 2},
    {"Meyer", meyer, 16, 3, {.02, 4000, 250}, 87.9458 / 2, 0},
    {"Box", box_three, 10, 3, {0, 10, 20}, 0, 0},
    {"Powell singular", powell_singular, 4, 4, {3, -1, 0, 1}, 0, 0},
    {"Wood", wood, 6, 4, {-3, -1, -3, -1}, 0, 0},
    {"Kowalik-Osborne",
     kowalik_osborne,
     11,
     4,
     {.25, .39, .415, .39},
     3.07505e-4 / 2,
     1.02734e-3 / 2},
    {"Brown-Dennis", brown_dennis, 20, 4, {25, 5, -5, -1}, 85822.2 / 2, 0},
    {"Osborne 1", osborne_1, 33, 5, {.5, 1.5, -1, .01, .02}, 5.46489e-5 / 2, 0},
    {"Biggs", biggs_exp6, 13, 6, {1, 2, 1, 1, 1, 1}, 0, 5.65565e-3 / 2},
    {"Osborne 2",
     osborne_2,
     65,
     11,
     {1.3, .65, .65, .7, .6, 3, 5, 7, 2, 4.5, 5.5},
     4.01377e-2 / 2,
     0},
    {"Brown almost linear",
     brown_almost_linear,
     10,
     10,
     {.5, .5, .5, .5, .5, .5, .5, .5, .5, .5},
     0,
     0.5},
    {"Watson 6", watson, 31, 6, {0}, 2.28767e-3 / 2, 0},
    {"Watson 9", watson, 31, 9, {0}, 1.39976e-6 / 2, 0},
    {"linear of rank 1", linear_rank_one, 10, 4, {1, 1, 1, 1}, 15.0 / 14, 0},
    {"product", product_decay, 20, 3, {1, 1, 1}, 0, 0},
    {"sum of decays", decay_sum, 50, 5, {1, 1, 1, 2, 0}, 0, 0},
};
enum { LSQ_CASES = sizeof lsq_cases / sizeof *lsq_cases };

// ---- the interface to local methods

typedef struct LsqTest {
  Lsq lsq; // hand this to a method
  Arena *arena;
  LsqResiduals *residuals;
  LsqShape shape;
  double *lower, *upper, *typical;
  const double *unit; // numbers are handed over in these units; NULL: 1
  QrSum *sum;
  double **column;
  Cplx *x, *r;
  int evaluations, accepted;
  double last;                   // objective of the last accepted point
  bool monotone;                 // it never rose
  bool (*wall)(const double *x); // true: the simulation fails there
  int stop_after;                // evaluations before LSQ_STOP; 0: never
  unsigned long long seed;
  double jitter; // random error of the residuals, as of a simulation
} LsqTest;

// In [-1, 1).
static inline double lsq_test_random(LsqTest *t) {
  t->seed = t->seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(t->seed >> 11) / 4503599627370496.0 - 1;
}

// Residuals and slopes, if wanted, into t->column.
static inline LsqEnd lsq_test_columns(LsqTest *t, const double *x, bool slopes, double *objective) {
  int n = t->lsq.n;
  double real[LSQ_CASE_NUMBERS] = {0}, sum = 0;
  for (int i = 0; i < n; i++) { // written so that NaN fails
    assert(x[i] >= t->lower[i] && x[i] <= t->upper[i]);
    real[i] = x[i] * (t->unit ? t->unit[i] : 1);
    t->x[i] = real[i];
  }
  if (t->stop_after && t->evaluations >= t->stop_after) return LSQ_STOP;
  t->evaluations++;
  if (t->wall && t->wall(real)) return LSQ_FAILED;
  t->residuals(&t->shape, t->x, t->r);
  for (int i = 0; i < t->shape.m; i++) {
    t->column[n][i] = creal(t->r[i]) + t->jitter * lsq_test_random(t);
    sum += t->column[n][i] * t->column[n][i] / 2;
  }
  *objective = sum;
  if (!isfinite(sum)) return LSQ_FAILED;
  for (int j = 0; slopes && j < n; j++) {
    ((double *)&t->x[j])[1] = 1e-100; // the imaginary part
    t->residuals(&t->shape, t->x, t->r);
    t->x[j] = real[j];
    for (int i = 0; i < t->shape.m; i++)
      t->column[j][i] = cimag(t->r[i]) * 1e100 * (t->unit ? t->unit[j] : 1);
  }
  return LSQ_DONE;
}

static inline LsqEnd lsq_test_eval(void *self, LsqPoint *out, double worth, bool slopes) {
  LsqTest *t = self;
  int n = t->lsq.n;
  double sum;
  LsqEnd how = lsq_test_columns(t, out->x, slopes, &sum);
  if (how != LSQ_DONE) return how;
  if (sum > worth) return LSQ_ABANDONED;
  out->objective = sum;
  out->has_slopes = slopes;
  if (!slopes) return LSQ_DONE;
  qr_sum_clear(t->sum);
  qr_sum_add(t->sum, t->column, t->shape.m);
  for (int i = 0; i < n; i++) {
    memcpy(out->R + (size_t)i * n, t->sum->R + (size_t)i * (n + 1), (size_t)n * sizeof(double));
    for (int j = 0; j < i; j++) out->R[(size_t)i * n + j] = 0;
    out->Qr[i] = t->sum->R[(size_t)i * (n + 1) + n];
  }
  return LSQ_DONE;
}

static inline LsqEnd lsq_test_residuals(void *self, const double *x, double *r, double *J) {
  LsqTest *t = self;
  size_t m = (size_t)t->shape.m;
  double sum;
  LsqEnd how = lsq_test_columns(t, x, J != NULL, &sum);
  if (how != LSQ_DONE) return how;
  memcpy(r, t->column[t->lsq.n], m * sizeof *r);
  for (int i = 0; J && i < t->lsq.n; i++) memcpy(J + (size_t)i * m, t->column[i], m * sizeof *J);
  return LSQ_DONE;
}

static inline void lsq_test_accepted(void *self, const LsqPoint *p, int iteration) {
  LsqTest *t = self;
  t->monotone = t->monotone && p->objective <= t->last && iteration == t->accepted + 1;
  t->last = p->objective;
  t->accepted = iteration;
}

// Without bounds; set lower and upper to have some. arena_free(t->arena) at the end.
static inline LsqTest *lsq_test_new(LsqResiduals *residuals, int m, int n) {
  Arena *a = arena_new();
  LsqTest *t = ARENA_NEW(a, LsqTest);
  assert(n <= LSQ_CASE_NUMBERS);
  t->arena = a;
  t->residuals = residuals;
  t->shape = (LsqShape){m, n, NULL};
  t->lower = ARENA_ARRAY(a, double, n);
  t->upper = ARENA_ARRAY(a, double, n);
  t->typical = ARENA_ARRAY(a, double, n);
  t->x = ARENA_ARRAY(a, Cplx, n);
  t->r = ARENA_ARRAY(a, Cplx, m);
  t->column = ARENA_ARRAY(a, double *, n + 1);
  for (int j = 0; j <= n; j++) t->column[j] = ARENA_ARRAY(a, double, m);
  t->sum = qr_sum_new(a, n);
  t->last = HUGE_VAL;
  t->monotone = true;
  for (int i = 0; i < n; i++) {
    t->lower[i] = -HUGE_VAL;
    t->upper[i] = HUGE_VAL;
    t->typical[i] = 1;
  }
  t->lsq = (Lsq){.n = n,
                 .lower = t->lower,
                 .upper = t->upper,
                 .typical = t->typical,
                 .self = t,
                 .eval = lsq_test_eval,
                 .rows = m,
                 .residuals = lsq_test_residuals,
                 .accepted = lsq_test_accepted};
  return t;
}

static inline LocalOptions lsq_test_options(void) {
  LocalOptions o;
  local_options_init(&o);
  o.max_iterations = 1000;
  o.line_search = LINE_SEARCH_ON;
  o.fd_step = 1e-4;
  return o;
}

// Whether an objective is one of the known minima: relative, or absolute where the minimum is zero.
static inline bool lsq_case_is_solved(const LsqCase *c, double objective) {
  double tol = 1e-4;
  if (c->minimum == 0 && objective < 1e-12) return true;
  if (c->minimum > 0 && fabs(objective - c->minimum) < tol * c->minimum) return true;
  return c->other > 0 && fabs(objective - c->other) < tol * c->other;
}
