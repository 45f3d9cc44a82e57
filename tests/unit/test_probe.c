#include "model/probe.h"

#include "expr/simplify.h"
#include "loaded.h"

static const char TEXT[] =
    "model A parameter Real p = 2; input Real u(start = 3); Real x(start = 1.5), y, z; equation\n"
    "der(x) = -p*x + u; y = if x > 1 then 4 else 5; z = x + y^2; end A;";

static Expr named(const Model *m, const char *name) {
  return m->flat->variables.at[names_find(m->flat->names, name)].node;
}

static void points_are_near_the_start_and_beside_it(void **state) {
  (void)state;
  Loaded l = load_good(TEXT);
  Arena *a = arena_new();
  Probe *p = probe_new(l.m, a, 0, 0);
  const struct {
    const char *name;
    double start;
  } near[] = {{"x", 1.5}, {"y", 0}, {"z", 0}, {"u", 3}};
  for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
    double value = probe_value(p, named(l.m, near[k].name));
    assert_close(value, near[k].start, 1e-3);
    assert_true(value != near[k].start);
  }
  assert_close(probe_value(p, named(l.m, "p")), 2, 0);
  arena_free(a);
  unload(&l);
}

static void parameters_are_spread_and_conditions_hold(void **state) {
  (void)state;
  Loaded l = load_good(TEXT);
  Arena *a = arena_new();
  Probe *first = probe_new(l.m, a, 0.1, 1), *second = probe_new(l.m, a, 0.1, 2);
  double p = probe_value(first, named(l.m, "p"));
  assert_true(p != 2 && fabs(p - 2) <= 0.2 && p != probe_value(second, named(l.m, "p")));
  assert_close(probe_value(first, l.m->flat->events.at[0].mode), 1, 0); // x > 1
  arena_free(a);
  unload(&l);
}

static void values_follow_what_is_put(void **state) {
  (void)state;
  Loaded l = load_good(TEXT);
  Arena *a = arena_new();
  Graph *g = l.m->graph;
  Probe *p = probe_new(l.m, a, 0, 0);
  Expr x = named(l.m, "x"), square = expr_mul(g, x, x);
  probe_put(p, x, 3);
  assert_close(probe_value(p, square), 9, 0);
  probe_put(p, x, 4);
  assert_close(probe_value(p, square), 16, 0);
  assert_true(isnan(probe_value(p, expr_symbol(g, "new", true))));
  arena_free(a);
  unload(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_near_the_start_and_beside_it),
      cmocka_unit_test(parameters_are_spread_and_conditions_hold),
      cmocka_unit_test(values_follow_what_is_put),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
