#include "code/emit_x86.h"

#include "expr/table.h"
#include "random_program.h"
#include "simulate_zmm.h"

static void compare(const Program *p, const RandomShape *shape, int lanes, unsigned uniform,
                    CodeChoice choice) {
  Arena *arena = arena_new();
  Code *code = code_compile(p, lanes, uniform, choice);
  Code *reference = code_compile(p, lanes, uniform, CODE_INTERPRETER);
  RandomRun got = run_new(code, shape->seed, shape->has_specials, arena);
  RandomRun want = run_new(reference, shape->seed, shape->has_specials, arena);
  for (int run = 0; run < 2; run++) { // the second one finds the work of the first
    run_code(code, &got);
    run_code(reference, &want);
    for (size_t k = 0; k < got.out_count; k++)
      if (!same_number(got.out[k], want.out[k]))
        fail_msg("seed %d, lanes %d, uniform %u: out[%zu] is %a, not %a", (int)shape->seed, lanes,
                 uniform, k, got.out[k], want.out[k]);
    for (int k = 0; k < p->work_count * lanes; k++)
      assert_true(same_number(got.work[k], want.work[k]));
    assert_true(run_guards_hold(code, &got));
  }
  code_free(code);
  code_free(reference);
  arena_free(arena);
}

static void compare_many(int lanes, CodeChoice choice, int from, int to, int instructions_most) {
  for (int seed = from; seed < to; seed++) {
    Arena *arena = arena_new();
    RandomShape shape = random_shape((uint64_t)seed, instructions_most);
    Program p = random_program(&shape, arena);
    compare(&p, &shape, lanes, (unsigned)seed % 8, choice);
    arena_free(arena);
  }
}

static void scalar_code_gives_the_bits_of_the_interpreter(void **state) {
  (void)state;
  compare_many(1, CODE_AVX2, 0, 400, 20000);
}

static void four_lanes_give_the_bits_of_the_interpreter(void **state) {
  (void)state;
  compare_many(4, CODE_AVX2, 1000, 1250, 10000);
}

static void eight_lanes_give_the_bits_of_the_interpreter(void **state) {
  (void)state;
  compare_many(8, CODE_AVX2, 2000, 2250, 10000);
}

static void lanes_do_not_depend_on_their_neighbours(void **state) {
  (void)state;
  for (uint64_t seed = 4000; seed < 4060; seed++) {
    Arena *arena = arena_new();
    RandomShape shape = random_shape(seed, 3000);
    Program p = random_program(&shape, arena);
    Code *code = code_compile(&p, seed % 2 ? 4 : 8, seed % 8, CODE_AUTO);
    check_lane_by_lane(code, seed, shape.has_specials, arena);
    code_free(code);
    arena_free(arena);
  }
}

// One operator on a, b, c = inputs 0, 1, 2; `keep` uses the operands once more afterwards.
static Program one_operator(Op op, bool keep, Arena *arena) {
  Instr *code = ARENA_ARRAY(arena, Instr, 8);
  for (int k = 0; k < 3; k++) code[k] = (Instr){.op = OP_INPUT, .index = k};
  code[3] = (Instr){.op = (uint8_t)op, .a = 0, .b = 1, .c = 2};
  code[4] = (Instr){.op = OP_RESULT, .a = 3};
  for (int k = 0; k < 3; k++) code[5 + k] = (Instr){.op = OP_RESULT, .a = k, .index = 1 + k};
  return (Program){.code = code, .count = keep ? 8 : 5, .input_counts = {3}, .result_count = 4};
}

static void check_operator(Op op, bool keep, const double (*points)[3], int count, Arena *arena) {
  Program p = one_operator(op, keep, arena);
  Code *scalar = code_compile(&p, 1, 0, CODE_AUTO), *lanes = code_compile(&p, 4, 0, CODE_AUTO);
  double *work = ARENA_ARRAY(arena, double, lanes->work_count + scalar->work_count + 8);
  bool is_call = OPS[op].kind == OP_KIND_CALL;
  for (int i = 0; i < count; i++) {
    double out[4], in_lanes[12], out_lanes[16];
    double want = op_apply(op, points[i][0], points[i][1], points[i][2]);
    for (int k = 0; k < 12; k++) in_lanes[k] = k % 4 == 2 ? points[i][k / 4] : 0.25 * k;
    code_run(scalar, points[i], NULL, NULL, out, work);
    code_run(lanes, in_lanes, NULL, NULL, out_lanes, work);
    bool ok = same_number(out[0], want) && (is_call || same_number(out_lanes[2], want));
    if (!ok)
      fail_msg("%s(%g, %g, %g): %g, %g, not %g", OPS[op].name, points[i][0], points[i][1],
               points[i][2], out[0], out_lanes[2], want);
  }
  code_free(scalar);
  code_free(lanes);
}

static void every_operator_is_right_at_special_values(void **state) {
  (void)state;
  static const double special[] = {0.0,       -0.0,        1,      -1.5, HUGE_VAL,
                                   -HUGE_VAL, (double)NAN, 5e-324, 1e300};
  enum { COUNT = sizeof special / sizeof special[0], POINTS = COUNT * COUNT * COUNT };
  Arena *arena = arena_new();
  double(*points)[3] = arena_alloc(arena, POINTS, sizeof *points);
  for (int i = 0; i < POINTS; i++) {
    points[i][0] = special[i % COUNT];
    points[i][1] = special[i / COUNT % COUNT];
    points[i][2] = special[i / COUNT / COUNT];
  }
  for (Op op = 0; op < OP_COUNT; op++) {
    bool defines = OPS[op].kind != OP_KIND_LEAF && op != OP_STORE && op != OP_RESULT &&
                   op != OP_BLOCK && !op_reads_table(op);
    for (int keep = 0; defines && keep < 2; keep++)
      check_operator(op, keep, (const double(*)[3])points, POINTS, arena);
  }
  arena_free(arena);
}

static void an_empty_program_returns(void **state) {
  (void)state;
  Program p = {0};
  for (int lanes = 1; lanes <= 8; lanes = lanes == 1 ? 4 : lanes + 4) {
    Code *code = code_compile(&p, lanes, 0, CODE_AUTO);
    code_run(code, NULL, NULL, NULL, NULL, NULL);
    code_free(code);
  }
}

static void a_program_without_calls_saves_nothing(void **state) {
  (void)state;
#if defined(__x86_64__)
  Arena *arena = arena_new();
  Program p = one_operator(OP_FMA, false, arena);
  Emitted code;
  assert_true(emit_x86(&p, 1, 0, false, arena, &code));
  // two loads, a fused multiply-add from memory, a store, the return
  assert_in_range(code.count - code.entry, 1, 25);
  assert_int_equal(code.bytes[code.entry], 0xc5);
  assert_int_equal(code.work_count, 0);
  arena_free(arena);
#else
  skip();
#endif
}

static void the_same_program_gives_the_same_bytes(void **state) {
  (void)state;
#if defined(__x86_64__)
  Arena *arena = arena_new();
  RandomShape shape = random_shape(5, 2000);
  Program p = random_program(&shape, arena);
  Emitted a, b;
  assert_true(emit_x86(&p, 4, 2, false, arena, &a) && emit_x86(&p, 4, 2, false, arena, &b));
  assert_int_equal(a.count, b.count);
  assert_memory_equal(a.bytes, b.bytes, a.count);
  arena_free(arena);
#else
  skip();
#endif
}

// 14 values are alive and sin(x) is in xmm0, so that the first argument can only be in xmm1.
static void arguments_that_stand_crossed_are_exchanged(void **state) {
  (void)state;
  enum { KEPT = 14 };
  Instr code[100];
  int count = 0, sums[KEPT + 1];
  code[count++] = (Instr){.op = OP_INPUT};
  int sine = count;
  code[count++] = (Instr){.op = OP_SIN, .a = 0};
  for (int k = 0; k <= KEPT; k++) {
    code[count++] = (Instr){.op = OP_INPUT, .index = 1 + 2 * k};
    code[count++] = (Instr){.op = OP_INPUT, .index = 2 + 2 * k};
    sums[k] = count;
    code[count] = (Instr){.op = OP_ADD, .a = count - 2, .b = count - 1};
    count++;
  }
  int angle = count;
  code[count++] = (Instr){.op = OP_ATAN2, .a = sums[KEPT], .b = sine};
  code[count++] = (Instr){.op = OP_RESULT, .a = angle};
  for (int k = 0; k < KEPT; k++)
    code[count++] = (Instr){.op = OP_RESULT, .a = sums[k], .index = 1 + k};
  Program p = {.code = code, .count = count, .input_counts = {31}, .result_count = KEPT + 1};
  RandomShape shape = {.seed = 8};
  compare(&p, &shape, 1, 0, CODE_AUTO);
}

static void very_large_programs_work(void **state) {
  (void)state;
  Arena *arena = arena_new();
  RandomShape shape = {.seed = 1,
                       .instructions = 200000,
                       .inputs = 20000,
                       .results = 20000,
                       .work = 1000,
                       .blocks = 3,
                       .calls_percent = 1};
  Program p = random_program(&shape, arena);
  compare(&p, &shape, 1, 0, CODE_AUTO);
  compare(&p, &shape, 4, 1, CODE_AUTO);
  arena_free(arena);
}

static void a_program_beyond_all_distances_is_refused(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Emitted code;
  Program p = {.input_counts = {0, 1 << 30, 0}};
  assert_false(emit_x86(&p, 8, 0, false, arena, &code));
  arena_free(arena);
}

static void eight_zmm_lanes_give_the_bits_of_the_interpreter(void **state) {
  (void)state;
  if (!code_available(CODE_AVX512)) {
    print_message("skipped: no AVX-512 here; its code is simulated only\n");
    skip();
  }
  compare_many(8, CODE_AVX512, 2000, 2400, 10000);
}

static void compare_simulated(const Program *p, const RandomShape *shape, unsigned uniform) {
  Arena *arena = arena_new();
  Emitted code;
  assert_true(emit_x86(p, 8, uniform, true, arena, &code));
  Code *reference = code_compile(p, 8, uniform, CODE_INTERPRETER);
  RandomRun want = run_new(reference, shape->seed, shape->has_specials, arena);
  RandomRun got = run_new(reference, shape->seed, shape->has_specials, arena);
  got.work = ARENA_ARRAY(arena, double, code.work_count + 8);
  run_code(reference, &want);
  simulate_zmm(&code, (const double *const *)got.in, got.out, got.work);
  for (size_t k = 0; k < got.out_count; k++)
    if (!same_number(got.out[k], want.out[k]))
      fail_msg("seed %d: out[%zu] is %a, not %a", (int)shape->seed, k, got.out[k], want.out[k]);
  for (int k = 0; k < p->work_count * 8; k++) assert_true(same_number(got.work[k], want.work[k]));
  code_free(reference);
  arena_free(arena);
}

static void simulated_zmm_code_gives_the_bits_of_the_interpreter(void **state) {
  (void)state;
  if (!has_objdump()) {
    print_message("skipped: objdump is missing\n");
    skip();
  }
  for (int seed = 3000; seed < 3040; seed++) {
    Arena *arena = arena_new();
    RandomShape shape = random_shape((uint64_t)seed, 3000);
    Program p = random_program(&shape, arena);
    compare_simulated(&p, &shape, (unsigned)seed % 8);
    arena_free(arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalar_code_gives_the_bits_of_the_interpreter),
      cmocka_unit_test(four_lanes_give_the_bits_of_the_interpreter),
      cmocka_unit_test(eight_lanes_give_the_bits_of_the_interpreter),
      cmocka_unit_test(lanes_do_not_depend_on_their_neighbours),
      cmocka_unit_test(every_operator_is_right_at_special_values),
      cmocka_unit_test(an_empty_program_returns),
      cmocka_unit_test(a_program_without_calls_saves_nothing),
      cmocka_unit_test(the_same_program_gives_the_same_bytes),
      cmocka_unit_test(arguments_that_stand_crossed_are_exchanged),
      cmocka_unit_test(very_large_programs_work),
      cmocka_unit_test(a_program_beyond_all_distances_is_refused),
      cmocka_unit_test(eight_zmm_lanes_give_the_bits_of_the_interpreter),
      cmocka_unit_test(simulated_zmm_code_gives_the_bits_of_the_interpreter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
