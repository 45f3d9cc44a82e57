#include "model/surface.h"

#include <math.h>

#include "expr/simplify.h"
#include "loaded.h"
#include "num/random.h"

static void relations_on_one_quantity_share_a_surface(void **state) {
  (void)state;
  Loaded l = load_good("model A parameter Real F = 1; Real v(start = 0, fixed = true), y;\n"
                       "equation der(v) = -(if v > 0 then F elseif v < 0 then -F else 0);\n"
                       "y = sign(2*v) + sign(v - 1) + floor(v); end A;");
  Arena *a = arena_new();
  Surfaces s = surfaces_find(l.m, a);
  int of_v = 0, alone = 0, none = 0;
  for (int k = 0; k < l.m->ne; k++) {
    if (s.of[k] == 0) of_v++;
    if (k && s.of[k] == k) alone++;
    if (s.of[k] < 0) none++;
  }
  assert_int_equal(of_v, 3);  // v > 0, v < 0, sign(2*v)
  assert_int_equal(alone, 1); // sign(v - 1)
  assert_int_equal(none, 1);  // floor(v)
  assert_int_equal(s.side[0] * s.side[1], -1);
  arena_free(a);
  unload(&l);
}

// Two modes and two other symbols.
typedef struct Draw {
  Graph *g;
  Random random;
  Expr symbol[4];
} Draw;

static Expr draw(Draw *d, int depth) {
  static const Op OPS_DRAWN[] = {OP_ADD, OP_SUB, OP_MUL, OP_ADD, OP_MUL,
                                 OP_DIV, OP_NEG, OP_SIN, OP_ABS, OP_SELECT};
  int pick = (int)(10 * random_uniform(&d->random));
  if (depth == 0 || random_uniform(&d->random) < 0.15) return d->symbol[pick % 4];
  Op op = OPS_DRAWN[pick];
  Expr a = draw(d, depth - 1), b = OPS[op].args > 1 ? draw(d, depth - 1) : 0;
  return expr_make(d->g, op, a, b, OPS[op].args > 2 ? draw(d, depth - 1) : 0);
}

// Along any line in the modes, the middle is the mean of the ends.
static void what_does_not_bend_is_linear_in_the_modes(void **state) {
  (void)state;
  Arena *a = arena_new();
  Draw d = {.g = graph_new(a)};
  random_seed(&d.random, 7);
  for (int i = 0; i < 4; i++) d.symbol[i] = expr_symbol(d.g, "s", true);
  int linear = 0, bent = 0;
  for (int trial = 0; trial < 4000; trial++) {
    Expr e = draw(&d, 4);
    bool bends = surfaces_bend(d.g, a, d.symbol, 2, &e, 1);
    bool straight = true;
    for (int line = 0; line < 4; line++) {
      double end[2][4], middle[4];
      for (int i = 0; i < 4; i++) {
        end[0][i] = 4 * random_uniform(&d.random) - 2;
        end[1][i] = i < 2 ? 4 * random_uniform(&d.random) - 2 : end[0][i];
        middle[i] = (end[0][i] + end[1][i]) / 2;
      }
      double low = expr_eval(d.g, e, end[0]), high = expr_eval(d.g, e, end[1]);
      double size = 1 + fabs(low) + fabs(high);
      straight &= !(fabs(expr_eval(d.g, e, middle) - (low + high) / 2) > 1e-9 * size);
    }
    assert_true(bends || straight);
    linear += !bends && expr_contents(d.g, a, &e, 1)[d.symbol[0]];
    bent += bends && !straight;
  }
  assert_true(linear > 200 && bent > 200);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relations_on_one_quantity_share_a_surface),
      cmocka_unit_test(what_does_not_bend_is_linear_in_the_modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
