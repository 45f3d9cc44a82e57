#include "code/lower.h"

#include <stdlib.h>
#include <string.h>

#include "evaluate.h"
#include "expr/derive.h"
#include "expr/simplify.h"
#include "random_expression.h"
#include "test.h"

enum { OUTPUTS_MOST = 64 };

typedef struct Fixture {
  Arena *arena;
  Graph *g;
  Expr s[RANDOM_SYMBOLS];
} Fixture;

static Fixture fixture_new(void) {
  Fixture f = {.arena = arena_new()};
  f.g = graph_new(f.arena);
  for (int i = 0; i < RANDOM_SYMBOLS; i++) f.s[i] = expr_symbol(f.g, "s", i < 2);
  return f;
}

// A program whose first input segment holds the three symbols.
typedef struct Compiled {
  Lowered *lowered;
  Code *code;
  double *work;
} Compiled;

static Lowered *lower_symbols(Fixture *f, const Expr *outputs, int count, CodeChoice choice) {
  Location *where = ARENA_ARRAY(f->arena, Location, f->g->count);
  for (int i = 0; i < f->g->count; i++) where[i].segment = -1;
  for (int i = 0; i < RANDOM_SYMBOLS; i++) where[f->s[i]] = (Location){0, i};
  return lower(f->g, f->arena, outputs, count, where, f->g->count,
               (int[SEGMENTS]){RANDOM_SYMBOLS, 0, 0}, choice);
}

static Compiled compile(Fixture *f, const Expr *outputs, int count, int lanes, CodeChoice choice) {
  Compiled c = {.lowered = lower_symbols(f, outputs, count, choice)};
  c.code = code_compile(&c.lowered->program, lanes, 0, choice);
  size_t bytes = ((size_t)c.code->work_count * sizeof(double) + 63 + 64) / 64 * 64;
  c.work = aligned_alloc(64, bytes);
  memset(c.work, 0, bytes);
  return c;
}

static void compiled_run(Compiled *c, const double *in, double *out) {
  code_run(c->code, in, NULL, NULL, out, c->work);
}

static void compiled_free(Compiled *c) {
  code_free(c->code);
  lowered_done(c->lowered);
  free(c->work);
}

// Values and all first derivatives of two random expressions.
static int random_outputs(Fixture *f, Rng *r, Recipe *recipes, Expr *outputs) {
  int count = 0;
  for (int k = 0; k < 2; k++) {
    recipes[k] = recipe_random(r);
    Expr e = recipe_expression(&recipes[k], f->g, f->s);
    outputs[count++] = e;
    for (int i = 0; i < RANDOM_SYMBOLS; i++) outputs[count++] = derive(f->g, e, f->s[i]);
  }
  return count;
}

static void programs_compute_what_the_expressions_say(void **state) {
  (void)state;
  Rng r = {41};
  int compared = 0;
  for (int trial = 0; trial < 1500; trial++) {
    Fixture f = fixture_new();
    Recipe recipes[2];
    Expr outputs[OUTPUTS_MOST];
    double at[RANDOM_SYMBOLS], out[OUTPUTS_MOST];
    int count = random_outputs(&f, &r, recipes, outputs);
    Compiled c = compile(&f, outputs, count, 1, CODE_AUTO);
    for (int k = 0; k < 2; k++) {
      if (!recipe_calm_point(&r, &recipes[k], 1e-2, at)) continue;
      compiled_run(&c, at, out);
      for (int i = 4 * k; i < 4 * k + 4; i++) {
        double v = expr_eval(f.g, outputs[i], at);
        if (!(fabs(v) < 1e6)) continue;
        assert_close(out[i], v, 1e-9 * (1 + fabs(v)));
        compared++;
      }
    }
    compiled_free(&c);
    arena_free(f.arena);
  }
  assert_true(compared > 3000);
}

static void machine_code_and_interpreter_agree_bit_for_bit(void **state) {
  (void)state;
  Rng r = {42};
  static const int LANES[] = {1, 4, 8};
  for (int trial = 0; trial < 900; trial++) {
    Fixture f = fixture_new();
    Recipe recipes[2];
    Expr outputs[OUTPUTS_MOST];
    int lanes = LANES[trial % 3], count = random_outputs(&f, &r, recipes, outputs);
    double in[RANDOM_SYMBOLS * 8], out[2][OUTPUTS_MOST * 8];
    for (int i = 0; i < RANDOM_SYMBOLS * lanes; i++)
      in[i] = rng_below(&r, 8) ? rng_between(&r, -3, 3) : 0;
    Compiled fast = compile(&f, outputs, count, lanes, CODE_AUTO);
    Compiled slow = compile(&f, outputs, count, lanes, CODE_INTERPRETER);
    compiled_run(&fast, in, out[0]);
    compiled_run(&slow, in, out[1]);
    for (int i = 0; i < count * lanes; i++)
      if (!(isnan(out[0][i]) && isnan(out[1][i])))
        assert_memory_equal(&out[0][i], &out[1][i], sizeof(double));
    compiled_free(&fast);
    compiled_free(&slow);
    arena_free(f.arena);
  }
}

static void every_lane_is_a_computation_of_its_own(void **state) {
  (void)state;
  Rng r = {43};
  int compared = 0;
  for (int trial = 0; trial < 500; trial++) {
    Fixture f = fixture_new();
    Recipe recipes[2];
    Expr outputs[OUTPUTS_MOST];
    int lanes = trial % 2 ? 4 : 8, count = random_outputs(&f, &r, recipes, outputs);
    double in[RANDOM_SYMBOLS * 8], wide[OUTPUTS_MOST * 8], at[RANDOM_SYMBOLS], one[OUTPUTS_MOST];
    for (int l = 0; l < lanes; l++) {
      recipe_calm_point(&r, &recipes[0], 1e-2, at);
      for (int i = 0; i < RANDOM_SYMBOLS; i++) in[i * lanes + l] = at[i];
    }
    Compiled many = compile(&f, outputs, count, lanes, CODE_AUTO),
             single = compile(&f, outputs, count, 1, CODE_AUTO);
    compiled_run(&many, in, wide);
    for (int l = 0; l < lanes; l++) {
      for (int i = 0; i < RANDOM_SYMBOLS; i++) at[i] = in[i * lanes + l];
      Evaluation calm = recipe_value(&recipes[0], at);
      if (!(calm.nearest > 1e-2 && calm.largest < 1e3)) continue;
      compiled_run(&single, at, one);
      for (int i = 0; i < 4; i++) {
        if (!(fabs(one[i]) < 1e6)) continue;
        assert_close(wide[i * lanes + l], one[i],
                     1e-9 * (1 + fabs(one[i]))); // other kernels of libm
        compared++;
      }
    }
    compiled_free(&many);
    compiled_free(&single);
    arena_free(f.arena);
  }
  assert_true(compared > 3000);
}

// ---------------------------------------------------------------- blocks

static void solve_and_newton_outputs(Fixture *f, Expr *outputs) {
  static const char *const NAMES[] = {"a", "b"};
  Graph *g = f->g;
  Expr x = f->s[0], y = f->s[1], p = f->s[2], z[3], w[3];
  Expr matrix[9] = {expr_add(g, expr_const(g, 3), expr_mul(g, x, x)),
                    y,
                    expr_call(g, OP_SIN, p),
                    expr_mul(g, x, p),
                    expr_const(g, -2),
                    expr_call(g, OP_COS, y),
                    expr_const(g, 0.5),
                    x,
                    expr_add(g, expr_const(g, 4), p)};
  Expr right[3] = {p, expr_mul(g, x, y), expr_call(g, OP_EXP, x)};
  int factor = expr_factor(g, 3, matrix);
  expr_solve(g, factor, false, right, z);
  expr_solve(g, factor, true, right, w);
  Expr a = expr_symbol(g, "a", true), b = expr_symbol(g, "b", true);
  Expr first = expr_sub(g, expr_add(g, a, expr_mul(g, a, expr_mul(g, a, a))), expr_add(g, x, z[0]));
  Expr second = expr_sub(g, expr_add(g, b, expr_call(g, OP_SINH, b)),
                         expr_mul(g, a, expr_mul(g, expr_const(g, 0.2), y)));
  Expr solved =
      expr_newton(g, 2, (Expr[]){a, b}, (Expr[]){first, second}, (Expr[]){0, p}, NAMES, 1, 1);
  Expr all[] = {z[0], z[1], z[2], w[0], w[1], w[2], solved, solved + 1};
  memcpy(outputs, all, sizeof all);
}

static void blocks_give_the_plain_solution(void **state) {
  (void)state;
  Rng r = {44};
  static const CodeChoice CHOICE[] = {CODE_AUTO, CODE_INTERPRETER};
  for (int trial = 0; trial < 30; trial++) {
    Fixture f = fixture_new();
    Expr outputs[20];
    solve_and_newton_outputs(&f, outputs);
    for (int i = 0; i < RANDOM_SYMBOLS; i++) outputs[8 + i] = derive(f.g, outputs[7], f.s[i]);
    int lanes = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 4 : 8, count = 8 + RANDOM_SYMBOLS;
    Compiled c = compile(&f, outputs, count, lanes, CHOICE[trial % 2]);
    double in[RANDOM_SYMBOLS * 8], out[20 * 8];
    for (int i = 0; i < RANDOM_SYMBOLS * lanes; i++) in[i] = rng_between(&r, -1, 1);
    for (int repeat = 0; repeat < 2; repeat++) { // the second time from the solution of the first
      compiled_run(&c, in, out);
      for (int l = 0; l < lanes; l++) {
        double at[16] = {in[l], in[lanes + l], in[2 * lanes + l]};
        for (int i = 0; i < count; i++) {
          double v = evaluate(f.g, outputs[i], at);
          assert_close(out[i * lanes + l], v, 1e-9 * (1 + fabs(v)));
        }
      }
    }
    compiled_free(&c);
    arena_free(f.arena);
  }
}

static void a_factor_is_computed_once(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr outputs[8];
  solve_and_newton_outputs(&f, outputs);
  Lowered *l = lower_symbols(&f, outputs, 8, CODE_INTERPRETER);
  assert_int_equal(program_operations(&l->program).blocks, 4); // factor, two solutions, Newton
  lowered_done(l);
  arena_free(f.arena);
}

// ---------------------------------------------------------------- form of the program

static int count_op(const Program *p, Op op) {
  int count = 0;
  for (int i = 0; i < p->count; i++) count += p->code[i].op == op;
  return count;
}

static void sine_and_cosine_of_one_argument_are_one_call(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr angle = expr_add(f.g, f.s[0], f.s[1]);
  Expr outputs[] = {expr_call(f.g, OP_SIN, angle), expr_call(f.g, OP_COS, angle),
                    expr_call(f.g, OP_SIN, f.s[0])};
  Lowered *l = lower_symbols(&f, outputs, 3, CODE_INTERPRETER);
  assert_int_equal(count_op(&l->program, OP_SINCOS), 1);
  assert_int_equal(count_op(&l->program, OP_SIN), 1);
  assert_int_equal(count_op(&l->program, OP_COS), 0);
  lowered_done(l);
  arena_free(f.arena);
}

static void products_used_once_are_fused_with_their_sum(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr x = f.s[0], y = f.s[1], p = f.s[2], product = expr_mul(f.g, x, y);
  Expr outputs[] = {expr_add(f.g, product, p), expr_sub(f.g, expr_mul(f.g, x, p), y),
                    expr_sub(f.g, y, expr_mul(f.g, x, x)),
                    expr_neg(f.g, expr_add(f.g, x, expr_mul(f.g, y, p)))};
  Lowered *l = lower_symbols(&f, outputs, 4, CODE_INTERPRETER);
  assert_int_equal(count_op(&l->program, OP_FNMS), 1);
  assert_int_equal(count_op(&l->program, OP_NEG), 0);
  assert_int_equal(count_op(&l->program, OP_FMA), 1);
  assert_int_equal(count_op(&l->program, OP_FMS), 1);
  assert_int_equal(count_op(&l->program, OP_FNMA), 1);
  assert_int_equal(count_op(&l->program, OP_MUL), 0);
  Expr shared[] = {expr_add(f.g, product, p), product};
  Lowered *twice = lower_symbols(&f, shared, 2, CODE_INTERPRETER);
  assert_int_equal(count_op(&twice->program, OP_MUL), 1);
  lowered_done(l);
  lowered_done(twice);
  arena_free(f.arena);
}

static void common_parts_are_computed_once(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr common = expr_call(f.g, OP_EXP, expr_mul(f.g, f.s[0], f.s[1])), outputs[10];
  for (int i = 0; i < 10; i++) outputs[i] = expr_add(f.g, common, expr_const(f.g, i + 1));
  Lowered *l = lower_symbols(&f, outputs, 10, CODE_INTERPRETER);
  assert_int_equal(program_operations(&l->program).calls, 1);
  assert_int_equal(program_operations(&l->program).arithmetic, 11);
  lowered_done(l);
  arena_free(f.arena);
}

static void nodes_with_a_place_are_read_and_not_computed(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr root = expr_call(f.g, OP_SQRT, f.s[2]), e = expr_mul(f.g, root, f.s[0]);
  Location where[64];
  for (int i = 0; i < f.g->count; i++) where[i].segment = -1;
  where[f.s[0]] = (Location){1, 2};
  where[root] = (Location){0, 1};
  Lowered *l =
      lower(f.g, f.arena, &e, 1, where, f.g->count, (int[SEGMENTS]){2, 3, 0}, CODE_INTERPRETER);
  assert_int_equal(count_op(&l->program, OP_SQRT), 0);
  Code *code = code_compile(&l->program, 1, 0, CODE_AUTO);
  double first[] = {0, 7}, second[] = {0, 0, 3}, out,
         *work = calloc((size_t)code->work_count + 8, sizeof *work);
  code_run(code, first, second, NULL, &out, work);
  assert_close(out, 21, 0);
  free(work);
  code_free(code);
  lowered_done(l);
  arena_free(f.arena);
}

static void the_same_output_may_come_twice(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr e = expr_add(f.g, f.s[0], f.s[1]), outputs[] = {e, f.s[0], e, expr_const(f.g, 2.5)};
  Compiled c = compile(&f, outputs, 4, 1, CODE_AUTO);
  double out[4];
  compiled_run(&c, (double[]){1, 2, 3}, out);
  assert_true(out[0] == 3 && out[1] == 1 && out[2] == 3 && out[3] == 2.5);
  compiled_free(&c);
  arena_free(f.arena);
}

static void long_sums_are_lowered_without_recursion(void **state) {
  (void)state;
  Fixture f = fixture_new();
  Expr e = f.s[0];
  for (int i = 0; i < 30000; i++) e = expr_call(f.g, OP_SIN, expr_add(f.g, e, f.s[1]));
  Compiled c = compile(&f, &e, 1, 1, CODE_AUTO);
  double out, x = 0.3;
  compiled_run(&c, (double[]){0.3, 0.5, 0}, &out);
  for (int i = 0; i < 30000; i++) x = sin(x + 0.5);
  assert_close(out, x, 1e-12);
  compiled_free(&c);
  arena_free(f.arena);
}

// A table and its derivatives, in scalar code, in lanes and in the interpreter.
static void tables_are_computed_in_every_way(void **state) {
  (void)state;
  static const double X[] = {-1, -0.5, 0.25, 0.5, 2}, C[] = {3, 1, 4, 1, 5, 9};
  static const CodeChoice choices[] = {CODE_AUTO, CODE_INTERPRETER};
  Fixture f = fixture_new();
  Expr rank = expr_make(f.g, OP_RANK, expr_table(f.g, X, 5), f.s[0], 0);
  Expr value = expr_make(f.g, OP_LOOKUP, expr_table(f.g, C, 6), rank, 0);
  Expr outputs[4] = {rank, value, derive(f.g, expr_mul(f.g, rank, f.s[1]), f.s[0]),
                     expr_mul(f.g, value, f.s[1])};
  for (int lanes = 1; lanes <= 8; lanes = lanes == 1 ? 4 : lanes + 4)
    for (int k = 0; k < 2; k++) {
      Compiled c = compile(&f, outputs, 4, lanes, choices[k]);
      for (double u = -3; u < 4; u += 0.375) {
        double in[8 * RANDOM_SYMBOLS], out[8 * 4];
        for (int i = 0; i < RANDOM_SYMBOLS; i++)
          for (int l = 0; l < lanes; l++) in[i * lanes + l] = u + 0.1 * i + 0.07 * l;
        compiled_run(&c, in, out);
        for (int l = 0; l < lanes; l++) {
          double at[RANDOM_SYMBOLS];
          for (int i = 0; i < RANDOM_SYMBOLS; i++) at[i] = in[i * lanes + l];
          for (int i = 0; i < 4; i++)
            assert_close(out[i * lanes + l], expr_eval(f.g, outputs[i], at), 1e-14);
        }
      }
      compiled_free(&c);
    }
  arena_free(f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_computed_in_every_way),
      cmocka_unit_test(programs_compute_what_the_expressions_say),
      cmocka_unit_test(machine_code_and_interpreter_agree_bit_for_bit),
      cmocka_unit_test(every_lane_is_a_computation_of_its_own),
      cmocka_unit_test(blocks_give_the_plain_solution),
      cmocka_unit_test(a_factor_is_computed_once),
      cmocka_unit_test(sine_and_cosine_of_one_argument_are_one_call),
      cmocka_unit_test(products_used_once_are_fused_with_their_sum),
      cmocka_unit_test(common_parts_are_computed_once),
      cmocka_unit_test(nodes_with_a_place_are_read_and_not_computed),
      cmocka_unit_test(the_same_output_may_come_twice),
      cmocka_unit_test(long_sums_are_lowered_without_recursion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
