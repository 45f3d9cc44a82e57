#include "code/code.h"

#include "code/pages.h"
#include "random_program.h"

static Program sample(Arena *arena) {
  RandomShape shape = {.seed = 42,
                       .instructions = 500,
                       .inputs = 10,
                       .results = 20,
                       .work = 5,
                       .blocks = 2,
                       .calls_percent = 5};
  return random_program(&shape, arena);
}

static void the_environment_can_switch_machine_code_off(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Program p = sample(arena);
  static const CodeChoice choices[] = {CODE_AUTO, CODE_AVX2, CODE_AVX512};
  for (int k = 0; k < 3; k++) {
    setenv("ENTRAIN_JIT", "off", 1);
    Code *off = code_compile(&p, 8, 0, choices[k]);
    setenv("ENTRAIN_JIT", "on", 1);
    Code *on = code_compile(&p, 8, 0, choices[k]);
    unsetenv("ENTRAIN_JIT");
    assert_true(!off->fn && !off->pages && off->used == CODE_INTERPRETER);
    assert_true((on->fn != NULL) == code_available(CODE_AVX2));
    code_free(off);
    code_free(on);
  }
  arena_free(arena);
}

static void the_choice_is_kept_where_the_processor_allows_it(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Program p = sample(arena);
  assert_true(code_available(CODE_AUTO) && code_available(CODE_INTERPRETER));
  assert_true(code_available(CODE_AVX2) || !code_available(CODE_AVX512));
  CodeChoice narrow = code_available(CODE_AVX2) ? CODE_AVX2 : CODE_INTERPRETER;
  CodeChoice wide = code_available(CODE_AVX512) ? CODE_AVX512 : narrow;
  struct {
    int lanes;
    CodeChoice wish, used;
  } cases[] = {{1, CODE_AUTO, narrow},   {4, CODE_AUTO, narrow},
               {8, CODE_AUTO, wide},     {8, CODE_AVX2, narrow},
               {8, CODE_AVX512, wide},   {4, CODE_AVX512, narrow},
               {1, CODE_AVX512, narrow}, {8, CODE_INTERPRETER, CODE_INTERPRETER}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    Code *c = code_compile(&p, cases[k].lanes, 0, cases[k].wish);
    assert_int_equal(c->used, cases[k].used);
    assert_int_equal(c->lanes, cases[k].lanes);
    assert_ptr_equal(c->program, &p);
    code_free(c);
  }
  arena_free(arena);
}

static void the_preferred_width_is_that_of_the_widest_registers(void **state) {
  (void)state;
  assert_int_equal(code_lanes(), code_available(CODE_AVX512) ? 8 : 4);
}

static void all_choices_give_the_same_bits_again_and_again(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Program p = sample(arena);
  for (int lanes = 1; lanes <= 8; lanes = lanes == 1 ? 4 : lanes + 4) {
    Code *reference = code_compile(&p, lanes, 2, CODE_INTERPRETER);
    RandomRun want = run_new(reference, 9, false, arena);
    run_code(reference, &want);
    for (CodeChoice choice = CODE_AUTO; choice <= CODE_AVX512; choice++)
      for (int again = 0; again < 3; again++) {
        Code *c = code_compile(&p, lanes, 2, choice);
        RandomRun got = run_new(c, 9, false, arena);
        run_code(c, &got);
        assert_memory_equal(got.out, want.out, want.out_count * sizeof *want.out);
        assert_true(run_guards_hold(c, &got));
        code_free(c);
      }
    code_free(reference);
  }
  arena_free(arena);
}

static void unaligned_arrays_are_allowed_for_inputs_and_results(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Program p = sample(arena);
  Code *c = code_compile(&p, 8, 0, CODE_AUTO);
  RandomRun r = run_new(c, 3, false, arena);
  double *moved = guarded(arena, (size_t)p.input_counts[0] * 8 + 1) + 1;
  double *out = guarded(arena, r.out_count + 1) + 1;
  memcpy(moved, r.in[0], (size_t)p.input_counts[0] * 8 * sizeof *moved);
  run_code(c, &r);
  memset(r.work, 0, (size_t)c->work_count * sizeof *r.work);
  code_run(c, moved, r.in[1], r.in[2], out, r.work);
  assert_memory_equal(out, r.out, r.out_count * sizeof *out);
  code_free(c);
  arena_free(arena);
}

static void emitted_pages_are_never_writable(void **state) {
  (void)state;
  Arena *arena = arena_new();
  Program p = sample(arena);
  Code *c = code_compile(&p, 4, 0, CODE_AUTO);
  FILE *f = fopen("/proc/self/maps", "r");
  assert_non_null(f);
  char line[512], rights[5];
  unsigned long long from, to;
  bool found = false;
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%llx-%llx %4s", &from, &to, rights) != 3) continue;
    assert_false(rights[1] == 'w' && rights[2] == 'x');
    unsigned long long at = c->pages ? (unsigned long long)(uintptr_t)pages_start(c->pages) : 0;
    if (from <= at && at < to) {
      assert_string_equal(rights, "r-xp");
      found = true;
    }
  }
  fclose(f);
  assert_true(found == (c->fn != NULL));
  code_free(c);
  code_free(NULL);
  arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_environment_can_switch_machine_code_off),
      cmocka_unit_test(the_choice_is_kept_where_the_processor_allows_it),
      cmocka_unit_test(the_preferred_width_is_that_of_the_widest_registers),
      cmocka_unit_test(all_choices_give_the_same_bits_again_and_again),
      cmocka_unit_test(unaligned_arrays_are_allowed_for_inputs_and_results),
      cmocka_unit_test(emitted_pages_are_never_writable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
