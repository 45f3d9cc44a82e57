#include "random_program.h"

static Program make(uint64_t seed, int calls_percent, bool has_specials, Arena *arena) {
  RandomShape shape = random_shape(seed, 3000);
  shape.calls_percent = calls_percent;
  shape.has_specials = has_specials;
  return random_program(&shape, arena);
}

// The program as a person reads it: every operator by itself.
static void evaluate(const Program *p, const RandomRun *r, double *value) {
  for (int i = 0; i < p->count; i++) {
    const Instr *at = &p->code[i];
    double a = value[at->a];
    switch (at->op) {
    case OP_CONST: value[i] = p->constants[at->index]; break;
    case OP_INPUT: value[i] = r->in[at->segment][at->index]; break;
    case OP_FETCH: value[i] = r->work[at->index]; break;
    case OP_STORE: r->work[at->index] = a; break;
    case OP_RESULT: r->out[at->index] = a; break;
    case OP_BLOCK: mix_slots(&p->blocks[at->index], r->work, 1); break;
    case OP_SECOND: {
      double sine;
      sincos(value[p->code[i - 1].a], &sine, &value[i]);
      break;
    }
    default: value[i] = op_apply((Op)at->op, a, value[at->b], value[at->c]);
    }
  }
}

static void a_scalar_run_applies_every_operator_in_turn(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 200; seed++) {
    Arena *arena = arena_new();
    Program p = make(seed, 15, seed % 2, arena);
    Code *code = code_compile(&p, 1, 0, CODE_INTERPRETER);
    RandomRun got = run_new(code, seed, seed % 2, arena),
              want = run_new(code, seed, seed % 2, arena);
    run_code(code, &got);
    evaluate(&p, &want, ARENA_ARRAY(arena, double, p.count));
    for (size_t k = 0; k < got.out_count; k++) assert_true(same_number(got.out[k], want.out[k]));
    for (int k = 0; k < p.work_count; k++) assert_true(same_number(got.work[k], want.work[k]));
    assert_true(run_guards_hold(code, &got));
    code_free(code);
    arena_free(arena);
  }
}

static void a_lane_does_not_depend_on_its_neighbours(void **state) {
  (void)state;
  for (uint64_t seed = 300; seed < 380; seed++) {
    Arena *arena = arena_new();
    Program p = make(seed, 15, seed % 2, arena);
    Code *code = code_compile(&p, seed % 3 ? 4 : 8, seed % 8, CODE_INTERPRETER);
    check_lane_by_lane(code, seed, seed % 2, arena);
    code_free(code);
    arena_free(arena);
  }
}

static void lanes_without_functions_give_the_bits_of_scalar_runs(void **state) {
  (void)state;
  for (uint64_t seed = 400; seed < 460; seed++) {
    Arena *arena = arena_new();
    Program p = make(seed, 0, seed % 2, arena);
    Code *wide = code_compile(&p, 4, 0, CODE_INTERPRETER);
    Code *scalar = code_compile(&p, 1, 0, CODE_INTERPRETER);
    RandomRun all = run_new(wide, seed, seed % 2, arena);
    run_code(wide, &all);
    for (int lane = 0; lane < 4; lane++) {
      RandomRun one = run_of_lane(wide, scalar, &all, lane, arena);
      run_code(scalar, &one);
      for (size_t k = 0; k < one.out_count; k++)
        assert_true(same_number(one.out[k], all.out[4 * k + (size_t)lane]));
    }
    code_free(wide);
    code_free(scalar);
    arena_free(arena);
  }
}

static void uniform_inputs_are_inputs_with_equal_lanes(void **state) {
  (void)state;
  for (uint64_t seed = 500; seed < 540; seed++) {
    Arena *arena = arena_new();
    Program p = make(seed, 15, false, arena);
    Code *uniform = code_compile(&p, 8, 5, CODE_INTERPRETER);
    Code *repeated = code_compile(&p, 8, 0, CODE_INTERPRETER);
    RandomRun a = run_new(uniform, seed, false, arena), b = run_new(repeated, seed, false, arena);
    for (int s = 0; s < SEGMENTS; s++)
      for (int k = 0; k < 8 * p.input_counts[s]; k++) b.in[s][k] = a.in[s][s == 1 ? k : k / 8];
    run_code(uniform, &a);
    run_code(repeated, &b);
    for (size_t k = 0; k < a.out_count; k++) assert_true(same_number(a.out[k], b.out[k]));
    code_free(uniform);
    code_free(repeated);
    arena_free(arena);
  }
}

static void work_is_kept_between_runs(void **state) {
  (void)state;
  Instr code[] = {{.op = OP_FETCH}, // what the last run left
                  {.op = OP_RESULT, .a = 0},
                  {.op = OP_INPUT},
                  {.op = OP_STORE, .a = 2}};
  Program p = {.code = code, .count = 4, .input_counts = {1}, .result_count = 1, .work_count = 1};
  Code *c = code_compile(&p, 1, 0, CODE_INTERPRETER);
  double in = 3, out = 7, work[8] = {0};
  assert_true(c->work_count <= 8);
  code_run(c, &in, NULL, NULL, &out, work);
  assert_true(out == 0 && work[0] == 3);
  code_run(c, &in, NULL, NULL, &out, work);
  assert_true(out == 3);
  code_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scalar_run_applies_every_operator_in_turn),
      cmocka_unit_test(a_lane_does_not_depend_on_its_neighbours),
      cmocka_unit_test(lanes_without_functions_give_the_bits_of_scalar_runs),
      cmocka_unit_test(uniform_inputs_are_inputs_with_equal_lanes),
      cmocka_unit_test(work_is_kept_between_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
