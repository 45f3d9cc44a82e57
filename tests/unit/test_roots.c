#include "code/roots.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static double noise(unsigned *seed) { // in [-1, 1)
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

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
                        .anchor = 3,
                        .scratch = 6,
                        .code = s.code};
  size_t bytes = (((size_t)(6 + slots) * (size_t)lanes + 16) * sizeof(double) + 63) / 64 * 64;
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
    }
    scalar_free(&s);
  }
}

static void anchor(Scalar *s, int lane, AnchorKind kind, double z, double u) {
  *slot(s, 3, lane) = kind, *slot(s, 4, lane) = z, *slot(s, 5, lane) = u;
}

static void a_root_is_continued_from_its_anchor(void **state) {
  (void)state;
  for (int kind = ANCHOR_GUESS; kind <= ANCHOR_ROOT; kind++) {
    Scalar s = scalar_new(SQUARE, 6, NONE, 4);
    for (int l = 0; l < 4; l++) {
      anchor(&s, l, (AnchorKind)kind, l % 2 ? -2 : 2, 4);
      *slot(&s, 1, l) = l % 2 ? 1 : -1; // the start value would lead to the other root
      *slot(&s, 0, l) = 4.5 + l;
    }
    scalar_run(&s);
    for (int l = 0; l < 4; l++)
      assert_close_relative(*slot(&s, 2, l), (l % 2 ? -1 : 1) * sqrt(4.5 + l), 4e-16);
    scalar_free(&s);
  }
}

// A run leaves nothing behind that changes another.
static void a_run_does_not_depend_on_earlier_runs(void **state) {
  (void)state;
  unsigned seed = 3;
  Scalar used = scalar_new(SQUARE, 6, NONE, 1);
  for (int trial = 0; trial < 200; trial++) {
    Scalar fresh = scalar_new(SQUARE, 6, NONE, 1);
    double u = 3 * noise(&seed), from = 2 + noise(&seed), start = 3 * noise(&seed);
    Scalar *both[] = {&used, &fresh};
    for (int k = 0; k < 2; k++) {
      *slot(both[k], 0, 0) = u, *slot(both[k], 1, 0) = start;
      anchor(both[k], 0, (AnchorKind)(trial % 3), (trial % 2 ? -1 : 1) * sqrt(from), from);
      scalar_run(both[k]);
    }
    assert_memory_equal(slot(&used, 2, 0), slot(&fresh, 2, 0), sizeof(double));
    scalar_free(&fresh);
  }
  scalar_free(&used);
}

// sin(z) + z/4 - u, slope cos(z) + 1/4: many roots, folds where cos(z) = -1/4.
static Instr WAVES[] = {
    {.op = OP_INPUT, .segment = 0},
    {.op = OP_INPUT, .segment = 1},
    {.op = OP_SIN, .a = 1},
    {.op = OP_CONST, .index = 0},
    {.op = OP_FMA, .a = 1, .b = 3, .c = 2},
    {.op = OP_SUB, .a = 4, .b = 0},
    {.op = OP_RESULT, .a = 5},
    {.op = OP_COS, .a = 1},
    {.op = OP_ADD, .a = 7, .b = 3},
    {.op = OP_RESULT, .a = 8, .index = 1},
};
static const double QUARTER[4] = {0.25};

static double wave(double z) {
  return sin(z) + 0.25 * z;
}

// Between two folds there is one root for each u: it is found however far the anchor is, if it is on the same piece.
static void a_continued_root_stays_on_its_branch(void **state) {
  (void)state;
  unsigned seed = 5;
  double fold = acos(-0.25);
  for (int trial = 0; trial < 5000; trial++) {
    Scalar s = scalar_new(WAVES, 10, QUARTER, 1);
    int piece = trial % 4 - 2; // rising: around 2 pi k, falling: around pi + 2 pi k
    bool rising = trial % 8 < 4;
    double middle = 2 * M_PI * piece + (rising ? 0 : M_PI), half = rising ? fold : M_PI - fold;
    double from = middle + 0.98 * half * noise(&seed), to = middle + 0.98 * half * noise(&seed);
    anchor(&s, 0, ANCHOR_ROOT, from, wave(from));
    *slot(&s, 0, 0) = wave(to);
    scalar_run(&s);
    assert_close(*slot(&s, 2, 0), to, 1e-9);
    scalar_free(&s);
  }
}

static void start_values_that_solve_the_equations_are_kept(void **state) {
  (void)state;
  unsigned seed = 9;
  for (int trial = 0; trial < 1000; trial++) {
    Scalar s = scalar_new(WAVES, 10, QUARTER, 1);
    double z = 20 * noise(&seed);
    if (fabs(cos(z) + 0.25) < 0.01) z = 0;
    *slot(&s, 0, 0) = wave(z), *slot(&s, 1, 0) = z;
    scalar_run(&s);
    assert_close(*slot(&s, 2, 0), z, 1e-11);
    scalar_free(&s);
  }
  Scalar s = scalar_new(SQUARE, 6, NONE, 1); // also where the slope is 0
  scalar_run(&s);
  assert_true(*slot(&s, 2, 0) == 0);
  scalar_free(&s);
}

// A branch that ends: the root next to it, or none.
static void behind_the_end_of_a_branch_the_damped_method_goes_on(void **state) {
  (void)state;
  Scalar s = scalar_new(WAVES, 10, QUARTER, 1);
  double fold = acos(-0.25);
  anchor(&s, 0, ANCHOR_ROOT, fold - 0.2, wave(fold - 0.2));
  *slot(&s, 0, 0) = wave(fold) + 0.1;
  scalar_run(&s);
  double z = *slot(&s, 2, 0);
  assert_true(isnan(z) || fabs(wave(z) - *slot(&s, 0, 0)) < 1e-12);
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
      cmocka_unit_test(newton_finds_the_root_next_to_the_guess),
      cmocka_unit_test(a_root_is_continued_from_its_anchor),
      cmocka_unit_test(a_run_does_not_depend_on_earlier_runs),
      cmocka_unit_test(a_continued_root_stays_on_its_branch),
      cmocka_unit_test(start_values_that_solve_the_equations_are_kept),
      cmocka_unit_test(behind_the_end_of_a_branch_the_damped_method_goes_on),
      cmocka_unit_test(newton_without_a_solution_gives_nan_and_recovers),
      cmocka_unit_test(newton_is_damped),
      cmocka_unit_test(newton_takes_no_guess_that_is_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
