#include "code/emit_x86.h"

#include "random_program.h"
#include "simulate_zmm.h"

static void compare(const Program *p, const RandomShape *shape, int lanes, unsigned uniform, CodeChoice choice) {
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
  compare_many(1, CODE_AVX2, 0, 600, 20000);
}

static void four_lanes_give_the_bits_of_the_interpreter(void **state) {
  (void)state;
  compare_many(4, CODE_AVX2, 1000, 1400, 10000);
}

static void eight_lanes_give_the_bits_of_the_interpreter(void **state) {
  (void)state;
  compare_many(8, CODE_AVX2, 2000, 2400, 10000);
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
  for (int k = 0; k < p->work_count * 8; k++)
    assert_true(same_number(got.work[k], want.work[k]));
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
      cmocka_unit_test(eight_zmm_lanes_give_the_bits_of_the_interpreter),
      cmocka_unit_test(simulated_zmm_code_gives_the_bits_of_the_interpreter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
