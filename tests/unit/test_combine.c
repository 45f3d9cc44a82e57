#include "model/combine.h"

#include "expr/derive.h"
#include "loaded.h"

#define HEAD "model A parameter Real n = 3, p = 2; Real x, y, z, a, b, c, i, j; equation "

typedef struct Typed { // the equations of a model as they were typed
  Arena *arena;
  Loaded l;
  Expr *symbol;
  Combination c;
  bool found;
} Typed;

static Typed combine_typed(const char *text) {
  Typed t = {.arena = arena_new(), .l = load_good(text)};
  const Flat *f = t.l.m->flat;
  int n = f->equations.count, count = 0;
  SortEquation *equations = ARENA_ARRAY(t.arena, SortEquation, n);
  SortUnknown *unknowns = ARENA_ARRAY(t.arena, SortUnknown, n);
  Expr *residual = ARENA_ARRAY(t.arena, Expr, n);
  int *rank = ARENA_ARRAY(t.arena, int, n);
  t.symbol = ARENA_ARRAY(t.arena, Expr, n);
  for (int i = 0; i < n; i++) {
    equations[i].residual = residual[i] = f->equations.at[i].residual;
    rank[i] = i;
  }
  for (int i = 0; i < f->variables.count; i++) {
    const Variable *v = &f->variables.at[i];
    if (v->kind != VARIABLE_UNKNOWN) continue;
    unknowns[count].symbol = t.symbol[count] = v->state ? v->derivative : v->node;
    count++;
  }
  assert_int_equal(count, n);
  Incidence in = sort_incidence(t.l.m->graph, t.arena, equations, n, unknowns, n);
  Matching matching = match(t.arena, &in, NULL);
  assert_int_equal(matching.count, n);
  CombineSystem system = {residual, t.symbol, rank, rank, &in, &matching};
  t.found = find_combination(t.l.m, t.arena, &system, &t.c);
  return t;
}

static void typed_free(Typed *t) {
  unload(&t->l);
  arena_free(t->arena);
}

// The sum of weight*slope by every unknown of the block.
static void assert_cancels(Typed *t) {
  Model *m = t->l.m;
  for (int j = 0; j < t->c.unknown_count; j++) {
    double sum = 0, size = 0;
    for (int k = 0; k < t->c.count; k++) {
      Expr residual = m->flat->equations.at[t->c.row[k]].residual;
      Expr slope = derive(m->graph, residual, t->symbol[t->c.unknowns[j]]);
      double part = flat_value(m->flat, t->c.weight[k]) * flat_value(m->flat, slope);
      sum += part, size += fabs(part);
    }
    assert_close(sum, 0, 1e-12 * size);
  }
}

static void unknowns_cancel_in_a_combination(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      HEAD "x = a - b; y = a - b; i = der(x); j = 2*der(y); i + j = sin(time); b = p*(i + j);\n"
           "c = x; der(z) = c; end A;",
      HEAD "x = a - b; y = b - c; z = a - c; i = der(x); i = 2*der(y); j = 3*der(z);\n"
           "i + j = sin(time); c = p*(i + j); end A;",
      HEAD "x = a - b; a - b = n*c; y = c; i = der(x); j = 2*der(y); n*i + j = sin(time);\n"
           "b = p*i; der(z) = a; end A;",
  };
  for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
    Typed t = combine_typed(TEXTS[k]);
    assert_true(t.found && t.c.count >= 2);
    assert_cancels(&t);
    typed_free(&t);
  }
}

static void independent_equations_have_none(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      HEAD "x = a - b; y = a + b; i = der(x); j = 2*der(y); i + j = a; c = p*(i - j); z = c;\n"
           "der(z) = time; end A;",
      // singular at the value of n only
      HEAD "a + b = x; a + (n - 2)*b = 2*x; c = a + b; i = c; j = i; der(x) = a; y = j; z = y;\n"
           "end A;",
      // slopes that vary are not looked at
      HEAD "cos(x)*a + sin(x)*b = 1; cos(y)*a + sin(y)*b = 1; der(x) = 1; der(y) = 2; c = a;\n"
           "i = b; j = c; z = i; end A;",
  };
  for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
    Typed t = combine_typed(TEXTS[k]);
    assert_false(t.found);
    typed_free(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknowns_cancel_in_a_combination),
      cmocka_unit_test(independent_equations_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
