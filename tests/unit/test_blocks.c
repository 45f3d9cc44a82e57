#include "code/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "num/vec.h"
#include "test.h"

enum { MOST = 12, SLOTS = 600 };

static double noise(unsigned *seed) { // in [-1, 1)
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

// Slots: matrix, pivots, right-hand side.
static SolveData solve_data(int n, bool transposed) {
  return (SolveData){{n, 0, n * n, false}, transposed, n * n + n};
}

static void solve(const SolveData *d, double *work, int lanes) {
  block_factor(&(CodeBlock){NULL, &d->factor}, work, lanes);
  block_solve(&(CodeBlock){NULL, d}, work, lanes);
}

static void solutions_satisfy_their_equations(void **state) {
  (void)state;
  unsigned seed = 1;
  static const int LANES[] = {1, 4, 8};
  for (int trial = 0; trial < 150; trial++) {
    int n = 1 + trial % MOST, lanes = LANES[trial / MOST % 3];
    SolveData d = solve_data(n, trial % 2);
    double work[SLOTS * 8] = {0}, matrix[MOST * MOST * 8], right[MOST * 8];
    for (int i = 0; i < n * n * lanes; i++) work[i] = matrix[i] = noise(&seed);
    for (int i = 0; i < n * lanes; i++) work[d.right * lanes + i] = right[i] = noise(&seed);
    solve(&d, work, lanes);
    for (int l = 0; l < lanes; l++)
      for (int i = 0; i < n; i++) {
        double sum = -right[i * lanes + l], size = 1;
        for (int j = 0; j < n; j++) {
          double a = matrix[(d.transposed ? j * n + i : i * n + j) * lanes + l],
                 x = work[(d.right + j) * lanes + l];
          sum += a * x;
          size += fabs(a * x);
        }
        assert_close(sum, 0, 1e-12 * size);
      }
  }
}

// Whatever the width: pivots of lanes may differ or not, the bits are those of a lane alone.
static void lanes_give_the_bits_of_one_lane_alone(void **state) {
  (void)state;
  unsigned seed = 7;
  for (int trial = 0; trial < 200; trial++) {
    int n = 1 + trial % MOST, lanes = trial % 2 ? 4 : 8;
    bool alike = trial % 3 == 0;
    SolveData d = solve_data(n, trial / 2 % 2);
    d.factor.wide = vec_wide() && trial % 5 != 0;
    double work[SLOTS * 8] = {0}, alone[8][SLOTS] = {0};
    for (int i = 0; i < n * n + 2 * n; i++) {
      double common = noise(&seed);
      for (int l = 0; l < lanes; l++)
        work[i * lanes + l] = alone[l][i] = alike && i < n * n ? common : noise(&seed);
    }
    solve(&d, work, lanes);
    for (int l = 0; l < lanes; l++) {
      solve(&d, alone[l], 1);
      for (int i = 0; i < n; i++)
        assert_true(work[(d.right + i) * lanes + l] == alone[l][d.right + i]);
    }
  }
}

static void zeros_on_the_diagonal_are_pivoted_away(void **state) {
  (void)state;
  for (int transposed = 0; transposed < 2; transposed++) {
    SolveData d = solve_data(3, transposed);
    double work[20] = {0, 0, 2, 3, 0, 0, 0, 5, 0, /* pivots */ 0, 0, 0, /* right */ 4, 9, 10};
    solve(&d, work, 1);
    const double *x = work + d.right;
    if (transposed)
      assert_true(x[0] == 5 && x[1] == 4. / 3 && x[2] == 9. / 5);
    else
      assert_true(x[0] == 3 && x[1] == 2 && x[2] == 2);
  }
}

static void singular_matrices_give_no_finite_solution(void **state) {
  (void)state;
  SolveData d = solve_data(2, false);
  double work[8] = {1, 2, 2, 4, 0, 0, 1, 1};
  solve(&d, work, 1);
  assert_false(isfinite(work[6]) && isfinite(work[7]));
  double zero[8] = {0, 0, 0, 0, 0, 0, 1, 1};
  solve(&d, zero, 1);
  assert_false(isfinite(zero[6]) && isfinite(zero[7]));
}

static void a_singular_lane_does_not_disturb_the_others(void **state) {
  (void)state;
  SolveData d = solve_data(2, false);
  double work[8 * 4] = {0};
  static const double MATRIX[] = {2, 0, 0, 4};
  for (int l = 0; l < 4; l++) {
    for (int i = 0; i < 4; i++) work[i * 4 + l] = l == 2 ? 1 : MATRIX[i];
    for (int i = 0; i < 2; i++) work[(6 + i) * 4 + l] = 8;
  }
  solve(&d, work, 4);
  for (int l = 0; l < 4; l++)
    if (l != 2) assert_true(work[6 * 4 + l] == 4 && work[7 * 4 + l] == 2);
}

// ---------------------------------------------------------------- Newton's method

// One unknown, one input: the program holds residual and derivative. in0[0] = u, in1[0] = z.
typedef struct Scalar {
  Program program;
  Code *code;
  NewtonData data;
  double *work;
  int lanes;
} Scalar;

static Scalar scalar_new(Instr *instructions, int count, const double *constants, int lanes) {
  Scalar s = {.lanes = lanes};
  Program *p = malloc(sizeof *p);
  *p = (Program){.code = instructions,
                 .count = count,
                 .constants = constants,
                 .constant_count = 4,
                 .result_count = 2};
  p->input_counts[0] = p->input_counts[1] = 1;
  s.code = code_compile(p, 1, 0, CODE_AUTO);
  int slots = newton_scratch(1, 1, s.code->work_count);
  s.data = (NewtonData){.n = 1,
                        .inputs = 1,
                        .input = 0,
                        .start = 1,
                        .solution = 2,
                        .state = 3,
                        .scratch = 4,
                        .code = s.code};
  size_t bytes = (((size_t)(4 + slots) * (size_t)lanes + 16) * sizeof(double) + 63) / 64 * 64;
  s.work = aligned_alloc(64, bytes);
  memset(s.work, 0, bytes);
  return s;
}

static void scalar_free(Scalar *s) {
  free((void *)(uintptr_t)s->code->program);
  code_free(s->code);
  free(s->work);
}

static double *slot(Scalar *s, int index, int lane) {
  return &s->work[index * s->lanes + lane];
}

static void scalar_run(Scalar *s) {
  block_newton(&(CodeBlock){NULL, &s->data}, s->work, s->lanes);
}

// z^2 - u, slope 2 z
static Instr SQUARE[] = {
    {.op = OP_INPUT, .segment = 0},         {.op = OP_INPUT, .segment = 1},
    {.op = OP_FMS, .a = 1, .b = 1, .c = 0}, {.op = OP_RESULT, .a = 2},
    {.op = OP_ADD, .a = 1, .b = 1},         {.op = OP_RESULT, .a = 4, .index = 1},
};
static const double NONE[4];

static void newton_finds_the_root_next_to_the_guess(void **state) {
  (void)state;
  static const int LANES[] = {1, 4, 8};
  for (int k = 0; k < 3; k++) {
    Scalar s = scalar_new(SQUARE, 6, NONE, LANES[k]);
    for (int l = 0; l < s.lanes; l++) *slot(&s, 0, l) = l + 0.5, *slot(&s, 1, l) = l % 2 ? -3 : 3;
    scalar_run(&s);
    for (int l = 0; l < s.lanes; l++) {
      assert_close_relative(*slot(&s, 2, l), (l % 2 ? -1 : 1) * sqrt(l + 0.5), 4e-16);
      assert_true(*slot(&s, 3, l) == 1);
    }
    scalar_free(&s);
  }
}

static void newton_goes_on_from_its_last_solution(void **state) {
  (void)state;
  Scalar s = scalar_new(SQUARE, 6, NONE, 1);
  *slot(&s, 0, 0) = 4, *slot(&s, 1, 0) = -1;
  scalar_run(&s);
  *slot(&s, 1, 0) = +1; // the guess would lead to the other root
  *slot(&s, 0, 0) = 4.5;
  scalar_run(&s);
  assert_close_relative(*slot(&s, 2, 0), -sqrt(4.5), 4e-16);
  scalar_free(&s);
}

static void newton_without_a_solution_gives_nan_and_recovers(void **state) {
  (void)state;
  Scalar s = scalar_new(SQUARE, 6, NONE, 1);
  *slot(&s, 0, 0) = -1, *slot(&s, 1, 0) = 1;
  scalar_run(&s);
  assert_true(isnan(*slot(&s, 2, 0)));
  *slot(&s, 0, 0) = 9;
  scalar_run(&s);
  assert_close(*slot(&s, 2, 0), 3, 1e-15);
  scalar_free(&s);
}

// atan(z) - u from far away: the undamped method diverges. Slope 1/(1 + z^2).
static Instr ATAN[] = {
    {.op = OP_INPUT, .segment = 0},
    {.op = OP_INPUT, .segment = 1},
    {.op = OP_ATAN, .a = 1},
    {.op = OP_SUB, .a = 2, .b = 0},
    {.op = OP_RESULT, .a = 3},
    {.op = OP_CONST, .index = 0},
    {.op = OP_FMA, .a = 1, .b = 1, .c = 5},
    {.op = OP_DIV, .a = 5, .b = 6},
    {.op = OP_RESULT, .a = 7, .index = 1},
};
static const double ONE[4] = {1};

static void newton_is_damped(void **state) {
  (void)state;
  static const double FROM[] = {1.5, -4, 30, -100};
  for (int k = 0; k < 4; k++) {
    Scalar s = scalar_new(ATAN, 9, ONE, 1);
    *slot(&s, 0, 0) = 0.3, *slot(&s, 1, 0) = FROM[k];
    scalar_run(&s);
    assert_close_relative(*slot(&s, 2, 0), tan(0.3), 1e-15);
    scalar_free(&s);
  }
}

static void newton_takes_no_guess_that_is_not_finite(void **state) {
  (void)state;
  Scalar s = scalar_new(SQUARE, 6, NONE, 1);
  *slot(&s, 0, 0) = 4, *slot(&s, 1, 0) = (double)NAN;
  scalar_run(&s);
  assert_true(isnan(*slot(&s, 2, 0)));
  *slot(&s, 1, 0) = 1;
  *slot(&s, 0, 0) = (double)INFINITY;
  scalar_run(&s);
  assert_true(isnan(*slot(&s, 2, 0)));
  scalar_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_satisfy_their_equations),
      cmocka_unit_test(lanes_give_the_bits_of_one_lane_alone),
      cmocka_unit_test(zeros_on_the_diagonal_are_pivoted_away),
      cmocka_unit_test(singular_matrices_give_no_finite_solution),
      cmocka_unit_test(a_singular_lane_does_not_disturb_the_others),
      cmocka_unit_test(newton_finds_the_root_next_to_the_guess),
      cmocka_unit_test(newton_goes_on_from_its_last_solution),
      cmocka_unit_test(newton_without_a_solution_gives_nan_and_recovers),
      cmocka_unit_test(newton_is_damped),
      cmocka_unit_test(newton_takes_no_guess_that_is_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
