// A force that saturates far beyond what the data reach shows in the product of its parameters alone.
#include "known_truth.h"
#include "study/assessed_fit.h"

static const char SATURATING[] =
    "model Saturating\n"
    "  parameter Real A = 5;\n  parameter Real B = 0.04;\n  parameter Real C = 20;\n"
    "  parameter Real D = 0.01;\n"
    "  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\n"
    "  Real y(start = 1, fixed = true);\n"
    "equation\n  der(x) = v;\n"
    "  der(v) = -4*x - A*(if v >= 0 then 1 - exp(-B*v) else exp(B*v) - 1);\n"
    "  der(y) = -C*(1 - exp(-D*y));\nend Saturating;\n";

static Known saturating(const char *estimate, bool turned, int seed) {
  Known k = {.text = SATURATING,
             .measured = {"x", "y"},
             .stop = 10,
             .step = 0.05,
             .estimate = estimate,
             .truth = {turned ? 0.04 : 5, turned ? 5 : 0.04, 20, 0.01},
             .options = "method: lm\noptions: {max_iterations: 400, profiles: off}",
             .noise = 0.1,
             .noise_kind = NOISE_ADDITIVE,
             .seed = seed};
  known_open(&k);
  return k;
}

static const StatCombination *product(const Statistics *s, const char *text) {
  for (int d = 0; d < s->direction_count; d++)
    for (int k = 0; k < s->directions[d].combination_count; k++)
      if (strcmp(s->directions[d].combinations[k].text, text) == 0)
        return &s->directions[d].combinations[k];
  return NULL;
}

static const char BOTH[] =
    "A: {start: 2, min: 1e-3, max: 1e4}, B: {start: 0.1, min: 1e-3, max: 1e4}, "
    "C: {start: 5, min: 1e-3, max: 1e4}, D: {start: 0.02, min: 1e-3, max: 1e4}";

// Two pairs at once; where their directions mix, they are told apart.
static void products_are_determined_where_factors_are_not(void **state) {
  (void)state;
  int held = 0, all = 0;
  for (int seed = 1; seed <= 20; seed++) {
    Known k = saturating(BOTH, false, seed);
    AssessedFit f = assessed_fit_run(k.problem, NULL, 0, NULL, NULL);
    const StatCombination *found[] = {product(f.statistics, "A*B"), product(f.statistics, "C*D")};
    for (int i = 0; i < 2; i++) {
      if (!found[i]) continue;
      all++;
      held += found[i]->low <= 0.2 && found[i]->high >= 0.2;
      assert_close_relative(found[i]->value, f.result->x[2 * i] * f.result->x[2 * i + 1], 1e-12);
      assert_true(found[i]->low < found[i]->value && found[i]->high > found[i]->value);
      assert_false(f.statistics->parameters[2 * i].identifiable);
    }
    assessed_fit_done(&f);
    known_close(&k);
  }
  assert_true(all >= 20);
  assert_true(held >= 0.85 * all);
}

// The order of the unknowns means nothing.
static void any_order_gives_the_same_product(void **state) {
  (void)state;
  static const char A[] = "A: {start: 2, min: 1e-3, max: 1e4}",
                    B[] = "B: {start: 0.1, min: 1e-3, max: 1e4}";
  char straight[200], backwards[200];
  snprintf(straight, sizeof straight, "%s, %s", A, B);
  snprintf(backwards, sizeof backwards, "%s, %s", B, A);
  Known k = saturating(straight, false, 3), turned = saturating(backwards, true, 3);
  AssessedFit f = assessed_fit_run(k.problem, NULL, 0, NULL, NULL);
  AssessedFit g = assessed_fit_run(turned.problem, NULL, 0, NULL, NULL);
  const StatCombination *one = product(f.statistics, "A*B"), *other = product(g.statistics, "A*B");
  assert_true(one && other);
  assert_close_relative(one->low, other->low, 0.02); // rounding is that of the second exponent
  assert_close_relative(one->high, other->high, 0.02);
  assessed_fit_done(&g);
  assessed_fit_done(&f);
  known_close(&turned);
  known_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_determined_where_factors_are_not),
      cmocka_unit_test(any_order_gives_the_same_product),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
