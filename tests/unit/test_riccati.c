#include "num/riccati.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/random.h"
#include "test.h"

enum { MOST = 8 };

typedef struct Matrices {
  int n;
  double A[MOST * MOST], G[MOST * MOST], Q[MOST * MOST], P[MOST * MOST];
} Matrices;

// G of one measured combination, Q of full rank.
static Matrices random_matrices(uint64_t seed, int n) {
  Random r;
  Matrices m = {.n = n};
  double H[MOST];
  random_seed(&r, seed);
  for (int i = 0; i < n; i++) H[i] = random_normal(&r);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      m.A[i * n + j] = random_normal(&r);
      m.G[i * n + j] = H[i] * H[j];
      m.Q[i * n + j] = i == j ? 0.5 + random_uniform(&r) : 0;
    }
  return m;
}

// A P + P A' + Q - P G P
static void slope(const Matrices *m, const double *P, double *out) {
  int n = m->n;
  double AP[MOST * MOST], PG[MOST * MOST], PGP[MOST * MOST];
  matrix_product(n, m->A, P, AP);
  matrix_product(n, P, m->G, PG);
  matrix_product(n, PG, P, PGP);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[i * n + j] = AP[i * n + j] + AP[j * n + i] + m->Q[i * n + j] - PGP[i * n + j];
}

static void after_long_it_solves_the_algebraic_equation(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; n++) {
    Arena *a = arena_new();
    RiccatiWork *w = riccati_new(a, n);
    Matrices m = random_matrices((uint64_t)n, n);
    double off[MOST * MOST], most = 0, size = 0;
    assert_true(riccati_step(w, m.A, m.G, m.Q, 1000, m.P));
    slope(&m, m.P, off);
    for (int i = 0; i < n * n; i++)
      most = fmax(most, fabs(off[i])), size = fmax(size, fabs(m.P[i]));
    assert_true(most < 0.02 * size); // first terms of a series in steps of 1/16
    arena_free(a);
  }
}

// Against Runge and Kutta's method in tiny steps.
static void a_step_follows_the_differential_equation(void **state) {
  (void)state;
  for (int n = 1; n <= 5; n++) {
    Arena *a = arena_new();
    RiccatiWork *w = riccati_new(a, n);
    Matrices m = random_matrices(20 + (uint64_t)n, n);
    double P[MOST * MOST] = {0}, k[4][MOST * MOST], x[MOST * MOST], h = 1e-3;
    for (int step = 0; step < 700; step++) {
      static const double PART[] = {0, 0.5, 0.5, 1};
      for (int s = 0; s < 4; s++) {
        for (int i = 0; i < n * n; i++) x[i] = P[i] + (s ? h * PART[s] * k[s - 1][i] : 0);
        slope(&m, x, k[s]);
      }
      for (int i = 0; i < n * n; i++)
        P[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    assert_true(riccati_step(w, m.A, m.G, m.Q, 0.3, m.P));
    assert_true(riccati_step(w, m.A, m.G, m.Q, 0.4, m.P));
    double size = 0;
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(P[i]));
    for (int i = 0; i < n * n; i++) assert_close(m.P[i], P[i], 5e-3 * size);
    arena_free(a);
  }
}

// One state: P' = 2 a P + q - g P^2 from 0 has a solution in closed form.
static double exact(double a, double q, double g, double t) {
  double d = sqrt(a * a + q * g), f = tanh(d * t);
  return q * f / (d - a * f);
}

static void stiff_and_unstable_states_cost_no_accuracy(void **state) {
  (void)state;
  static const double RATES[] = {-1e8, -1e3, -1, 0, 1, 30};
  Arena *a = arena_new();
  RiccatiWork *w = riccati_new(a, 1);
  for (int k = 0; k < 6; k++) {
    double q = 2, g = 3, P = 0;
    for (int i = 0; i < 4; i++) assert_true(riccati_step(w, &RATES[k], &g, &q, 0.5, &P));
    assert_close_relative(P, exact(RATES[k], q, g, 2), 2e-3);
  }
  arena_free(a);
}

static void a_motion_is_exact(void **state) {
  (void)state;
  Arena *a = arena_new();
  RiccatiWork *w = riccati_new(a, 2);
  static const double J[] = {0, 1, -9, 0}, FORCE[] = {0, 9};
  static const double TIMES[] = {0.01, 0.3, 2, 50};
  for (int k = 0; k < 4; k++) { // x'' = 9 (1 - x) from rest
    double E[4], x[2], t = TIMES[k];
    assert_true(motion_step(w, J, FORCE, t, E, x));
    assert_close(x[0], 1 - cos(3 * t), 1e-6 * (1 + t));
    assert_close(x[1], 3 * sin(3 * t), 1e-5 * (1 + t));
    assert_close(E[0], cos(3 * t), 1e-6 * (1 + t));
    assert_close(E[2], -3 * sin(3 * t), 1e-5 * (1 + t));
  }
  static const double STIFF[] = {-1e9, 1, 0, -1};
  double E[4], x[2];
  assert_true(motion_step(w, STIFF, (double[]){1e9, 1}, 1, E, x));
  assert_close(x[0], 1 + (1 - exp(-1)) * 1e-9, 1e-6);
  assert_close(E[3], exp(-1), 1e-7);
  arena_free(a);
}

static void what_is_not_finite_is_said(void **state) {
  (void)state;
  Arena *a = arena_new();
  RiccatiWork *w = riccati_new(a, 1);
  double P = 1, E, x, one = 1, zero = 0;
  assert_false(riccati_step(w, &(double){nan("")}, &zero, &one, 1, &P));
  P = 1;
  assert_false(riccati_step(w, &(double){1e3}, &zero, &one, 1, &P)); // e^2000
  assert_false(motion_step(w, &(double){1e3}, &one, 1, &E, &x));
  assert_false(motion_step(w, &(double){HUGE_VAL}, &one, 1, &E, &x));
  arena_free(a);
}

static void longer_steps_cost_a_doubling(void **state) {
  (void)state;
  Arena *a = arena_new();
  RiccatiWork *w = riccati_new(a, 2);
  Matrices m = random_matrices(3, 2);
  double cost[3], before = 0;
  for (int k = 0; k < 3; k++) {
    riccati_step(w, m.A, m.G, m.Q, ldexp(1, 3 * k), m.P);
    cost[k] = riccati_work(w) - before;
    before = riccati_work(w);
  }
  assert_close(cost[1] - cost[0], cost[2] - cost[1], 0);
  assert_true(cost[1] > cost[0]);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(after_long_it_solves_the_algebraic_equation),
      cmocka_unit_test(a_step_follows_the_differential_equation),
      cmocka_unit_test(stiff_and_unstable_states_cost_no_accuracy),
      cmocka_unit_test(a_motion_is_exact),
      cmocka_unit_test(what_is_not_finite_is_said),
      cmocka_unit_test(longer_steps_cost_a_doubling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
