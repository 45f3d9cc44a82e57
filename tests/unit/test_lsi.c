#include "num/lsi.h"

#include <stdbool.h>
#include <string.h>

#include "num/random.h"
#include "test.h"

enum { MOST = 12 };

typedef struct Case { // a problem with room for its numbers
  LsiProblem p;
  Arena *arena;
  Lsi *work;
  double M[MOST * MOST], z[MOST], low[MOST], high[MOST], A[MOST * MOST], b[MOST];
  double d[MOST], multiplier[MOST], missing;
} Case;

static Case *case_new(int n, int rows, int equalities, int inequalities) {
  Arena *a = arena_new();
  Case *c = ARENA_NEW(a, Case);
  c->arena = a;
  c->work = lsi_new(a, n, rows, equalities + inequalities);
  for (int i = 0; i < MOST; i++) c->low[i] = -HUGE_VAL, c->high[i] = HUGE_VAL;
  c->p = (LsiProblem){n, rows, c->M, c->z, c->low, c->high, equalities, inequalities, c->A, c->b};
  return c;
}

static void solve(Case *c) {
  c->missing = lsi_nearest(c->work, &c->p, c->d);
  lsi_solve(c->work, &c->p, c->d, c->multiplier);
}

static double row_value(const Case *c, int k) {
  double sum = -c->b[k];
  for (int j = 0; j < c->p.n; j++) sum += c->A[k * c->p.n + j] * c->d[j];
  return sum;
}

// M'(z + M d) - A'multiplier: what only bounds may hold.
static void rest_of_slope(const Case *c, double *out) {
  int n = c->p.n;
  memset(out, 0, (size_t)n * sizeof *out);
  for (int i = 0; i < c->p.rows; i++) {
    double left = c->z[i];
    for (int j = 0; j < n; j++) left += c->M[i * n + j] * c->d[j];
    for (int j = 0; j < n; j++) out[j] += c->M[i * n + j] * left;
  }
  for (int k = 0; k < c->p.equalities + c->p.inequalities; k++)
    for (int j = 0; j < n; j++) out[j] -= c->A[k * n + j] * c->multiplier[k];
}

// Karush, Kuhn and Tucker: for a convex problem that is all there is to a minimum.
static void assert_minimum(const Case *c, double tol) {
  double rest[MOST];
  for (int k = 0; k < c->p.equalities; k++) assert_close(row_value(c, k), 0, tol);
  for (int k = c->p.equalities; k < c->p.equalities + c->p.inequalities; k++) {
    assert_true(row_value(c, k) >= -tol);
    assert_true(c->multiplier[k] >= 0);
    assert_close(c->multiplier[k] * row_value(c, k), 0, tol);
  }
  rest_of_slope(c, rest);
  for (int i = 0; i < c->p.n; i++) {
    assert_true(c->d[i] >= c->low[i] && c->d[i] <= c->high[i]);
    bool at_low = c->d[i] == c->low[i], at_high = c->d[i] == c->high[i];
    if (at_low && at_high) continue;
    if (at_low)
      assert_true(rest[i] >= -tol);
    else if (at_high)
      assert_true(rest[i] <= tol);
    else
      assert_close(rest[i], 0, tol);
  }
}

static void fill(Random *r, double *out, int count) {
  for (int i = 0; i < count; i++) out[i] = random_normal(r);
}

// Constraints that a point inside the bounds satisfies, so that there is a solution.
static void make_consistent(Case *c, Random *r) {
  int n = c->p.n;
  double inside[MOST];
  for (int i = 0; i < n; i++) {
    c->low[i] = random_uniform(r) < 0.5 ? -random_uniform(r) : -HUGE_VAL;
    c->high[i] = random_uniform(r) < 0.5 ? random_uniform(r) : HUGE_VAL;
    inside[i] = fmin(fmax(random_normal(r), c->low[i]), c->high[i]);
  }
  for (int k = 0; k < c->p.equalities + c->p.inequalities; k++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += c->A[k * n + j] * inside[j];
    bool tight = k < c->p.equalities || random_uniform(r) < 0.5;
    c->b[k] = tight ? sum : sum - random_uniform(r);
  }
}

static void minima_of_random_problems_obey_kuhn_and_tucker(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 3);
  for (int trial = 0; trial < 600; trial++) {
    int n = 1 + trial % 7, equalities = trial % 3 < n ? trial % 3 : n, inequalities = trial % 5;
    Case *c = case_new(n, 9, equalities, inequalities);
    fill(&r, c->M, 9 * n), fill(&r, c->z, 9), fill(&r, c->A, (equalities + inequalities) * n);
    make_consistent(c, &r);
    solve(c);
    assert_true(c->missing < 1e-12);
    assert_minimum(c, 1e-9);
    arena_free(c->arena);
  }
}

// Rows of M that repeat leave directions open.
static void any_rank_will_do(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 4);
  for (int trial = 0; trial < 400; trial++) {
    int n = 3 + trial % 5, rank = 1 + trial % 3;
    Case *c = case_new(n, 9, trial % 2, trial % 4);
    fill(&r, c->z, 9), fill(&r, c->A, (trial % 2 + trial % 4) * n);
    double base[3 * MOST];
    fill(&r, base, rank * n);
    for (int i = 0; i < 9; i++)
      for (int k = 0; k < rank; k++) {
        double part = random_normal(&r);
        for (int j = 0; j < n; j++) c->M[i * n + j] += part * base[k * n + j];
      }
    make_consistent(c, &r);
    solve(c);
    assert_true(c->missing < 1e-12);
    assert_minimum(c, 1e-8);
    for (int i = 0; i < n; i++) assert_true(fabs(c->d[i]) < 1e6);
    arena_free(c->arena);
  }
}

static void without_constraints_the_shortest_solution_is_found(void **state) {
  (void)state;
  Case *c = case_new(3, 1, 0, 0);
  c->M[0] = 1, c->M[1] = 2, c->M[2] = 2, c->z[0] = -9;
  solve(c);
  const double shortest[] = {1, 2, 2};
  for (int i = 0; i < 3; i++) assert_close(c->d[i], shortest[i], 1e-13);
  arena_free(c->arena);
}

static void equalities_that_repeat_do_no_harm(void **state) {
  (void)state;
  Case *c = case_new(2, 2, 4, 0);
  c->M[0] = c->M[3] = 1;
  for (int k = 0; k < 4; k++) c->A[2 * k] = c->A[2 * k + 1] = k + 1, c->b[k] = 2 * (k + 1);
  solve(c);
  assert_true(c->missing < 1e-14);
  assert_close(c->d[0], 1, 1e-13);
  assert_close(c->d[1], 1, 1e-13);
  assert_minimum(c, 1e-12);
  arena_free(c->arena);
}

static void contradictions_are_shared_out(void **state) {
  (void)state;
  Case *c = case_new(1, 1, 0, 2);
  c->M[0] = 1, c->z[0] = -10;
  c->A[0] = 1, c->b[0] = 3;   // d >= 3
  c->A[1] = -1, c->b[1] = -1; // d <= 1
  solve(c);
  // 0 satisfies the second, which therefore stays
  assert_close(c->missing, 2, 1e-13);
  assert_close(c->d[0], 1, 1e-13);
  c->p.equalities = 2, c->p.inequalities = 0;
  solve(c);
  assert_close(c->missing, 1, 1e-13);
  assert_close(c->d[0], 2, 1e-13);
  arena_free(c->arena);
}

// Parallel rows that ask for different lengths, and an inequality along them that stops the step: across them M is nothing
// but rounding errors, which must not be followed.
static void rounding_errors_are_no_direction(void **state) {
  (void)state;
  Random random;
  random_seed(&random, 11);
  for (int turn = 0; turn < 200; turn++) {
    Case *c = case_new(3, 0, 3, 1);
    double along[3];
    for (int j = 0; j < 3; j++) along[j] = 2 * random_uniform(&random) - 1;
    for (int k = 0; k < 4; k++)
      for (int j = 0; j < 3; j++) c->A[k * 3 + j] = (k == 3 ? -1 : k + 1) * along[j];
    double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    c->b[0] = length, c->b[1] = 4 * length, c->b[2] = 3 * length, c->b[3] = -1.1 * length;
    double missing = lsi_nearest(c->work, &c->p, c->d);
    assert_close(missing, 0.9, 1e-9); // the second wants 2, the last allows 1.1
    for (int j = 0; j < 3; j++) assert_close(c->d[j], 1.1 * along[j] / length, 1e-9);
    arena_free(c->arena);
  }
}

static void bounds_come_before_constraints(void **state) {
  (void)state;
  Case *c = case_new(2, 2, 1, 0);
  c->M[0] = c->M[3] = 1;
  c->A[0] = c->A[1] = 1, c->b[0] = 10;
  for (int i = 0; i < 2; i++) c->low[i] = -1, c->high[i] = 2;
  solve(c);
  assert_close(c->missing, 6 / sqrt(2), 1e-12);
  assert_true(c->d[0] == 2 && c->d[1] == 2);
  arena_free(c->arena);
}

// All faces of a pyramid meet at the solution: ten constraints hold where three would do.
static void a_vertex_with_too_many_faces_is_no_trap(void **state) {
  (void)state;
  Case *c = case_new(3, 3, 0, 10);
  for (int i = 0; i < 3; i++) c->M[4 * i] = 1;
  c->z[2] = -5; // towards (0, 0, 5); the tip is at (0, 0, 1)
  for (int k = 0; k < 10; k++) {
    double angle = 2 * acos(-1) * k / 10;
    c->A[3 * k] = -cos(angle), c->A[3 * k + 1] = -sin(angle), c->A[3 * k + 2] = -1, c->b[k] = -1;
  }
  solve(c);
  assert_close(c->d[0], 0, 1e-12);
  assert_close(c->d[1], 0, 1e-12);
  assert_close(c->d[2], 1, 1e-12);
  assert_minimum(c, 1e-10);
  arena_free(c->arena);
}

static void sizes_of_rows_do_not_matter(void **state) {
  (void)state;
  Random r;
  random_seed(&r, 5);
  for (int trial = 0; trial < 50; trial++) {
    Case *a = case_new(4, 6, 1, 3), *b = case_new(4, 6, 1, 3);
    fill(&r, a->M, 24), fill(&r, a->z, 6), fill(&r, a->A, 16);
    make_consistent(a, &r);
    memcpy(b->M, a->M, sizeof a->M), memcpy(b->z, a->z, sizeof a->z);
    memcpy(b->low, a->low, sizeof a->low), memcpy(b->high, a->high, sizeof a->high);
    for (int k = 0; k < 4; k++) {
      double size = pow(10, 3 * random_normal(&r));
      for (int j = 0; j < 4; j++) b->A[4 * k + j] = size * a->A[4 * k + j];
      b->b[k] = size * a->b[k];
    }
    solve(a), solve(b);
    for (int i = 0; i < 4; i++) assert_close(a->d[i], b->d[i], 1e-9);
    arena_free(a->arena), arena_free(b->arena);
  }
}

static void rows_of_zeros_and_nothing_to_find_are_harmless(void **state) {
  (void)state;
  Case *c = case_new(1, 1, 1, 1);
  c->M[0] = 1, c->z[0] = -3;
  c->b[0] = 1, c->b[1] = 1; // 0 = 1, 0 >= 1
  solve(c);
  assert_close(c->d[0], 3, 1e-14);
  arena_free(c->arena);
  c = case_new(0, 0, 0, 0);
  solve(c);
  arena_free(c->arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(minima_of_random_problems_obey_kuhn_and_tucker),
      cmocka_unit_test(any_rank_will_do),
      cmocka_unit_test(without_constraints_the_shortest_solution_is_found),
      cmocka_unit_test(equalities_that_repeat_do_no_harm),
      cmocka_unit_test(contradictions_are_shared_out),
      cmocka_unit_test(rounding_errors_are_no_direction),
      cmocka_unit_test(bounds_come_before_constraints),
      cmocka_unit_test(a_vertex_with_too_many_faces_is_no_trap),
      cmocka_unit_test(sizes_of_rows_do_not_matter),
      cmocka_unit_test(rows_of_zeros_and_nothing_to_find_are_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
