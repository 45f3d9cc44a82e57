// Connections: random ones against sets that are joined here.
#include "flattened.h"

enum { PINS = 8 };

static int set_of(const int *set, int i) {
  while (set[i] != i) i = set[i];
  return i;
}

typedef struct Seen { // what an equation says about the pins
  int flows, potentials;
  bool has[PINS];
} Seen;

static void see(Seen *s, const Ast *e) {
  if (e->kind == AST_NAME) {
    int pin = e->name[1] - '0'; // a3.p.i
    s->has[pin] = true;
    if (e->name[strlen(e->name) - 1] == 'i') s->flows++;
    if (e->name[strlen(e->name) - 1] == 'v') s->potentials++;
  }
  if (e->kind == AST_UNARY || e->kind == AST_BINARY)
    for (int i = 0; i < e->arg_count; i++) see(s, e->args[i]);
}

// Each set has one equation of flows with all of its pins, and one equation of potentials less than pins, which join it.
static void check_equations(const AstModel *m, const int *set) {
  int flows[PINS] = {0}, joined[PINS];
  int potentials = 0, sets = 0;
  for (int i = 0; i < PINS; i++) joined[i] = i, sets += set_of(set, i) == i;
  for (int k = 0; k < m->equations.count; k++) {
    Seen s = {0};
    see(&s, m->equations.at[k].left);
    see(&s, m->equations.at[k].right);
    int first = 0;
    while (!s.has[first]) first++;
    if (s.flows) {
      for (int i = 0; i < PINS; i++)
        if (s.has[i] != (set_of(set, i) == set_of(set, first))) fail_msg("a sum of flows");
      flows[set_of(set, first)]++;
      continue;
    }
    assert_int_equal(s.potentials, 2);
    int second = first + 1;
    while (!s.has[second]) second++;
    assert_int_equal(set_of(set, first), set_of(set, second));
    assert_true(set_of(joined, first) != set_of(joined, second)); // no equation twice
    joined[set_of(joined, first)] = set_of(joined, second);
    potentials++;
  }
  assert_int_equal(potentials, PINS - sets);
  for (int i = 0; i < PINS; i++) assert_int_equal(flows[i], set_of(set, i) == i);
}

static void random_connections_join_their_sets(void **state) {
  (void)state;
  for (int seed = 0; seed < 300; seed++) {
    Arena *a = arena_new();
    Draw d = {(uint64_t)seed};
    int set[PINS], count = draw_below(&d, 12);
    const char *text =
        "connector Pin\n  Real v;\n  flow Real i;\nend Pin;\nmodel A\n  Pin p;\nend A;\n"
        "model M\n";
    for (int i = 0; i < PINS; i++) {
      set[i] = i;
      text = arena_print(a, "%s  A a%d;\n", text, i);
    }
    text = arena_print(a, "%sequation\n", text);
    for (int k = 0; k < count; k++) {
      int i = draw_below(&d, PINS), j = draw_below(&d, PINS);
      if (i == j) continue;
      text = arena_print(a, "%s  connect(a%d.p, a%d.p);\n", text, i, j);
      set[set_of(set, i)] = set_of(set, j);
    }
    check_equations(flat_new(a, arena_print(a, "%send M;\n", text)), set);
    arena_free(a);
  }
}

// A box around a component changes nothing: the flows of its connector and of the component are the same.
static void boxes_hand_the_flow_on(void **state) {
  (void)state;
  for (int depth = 1; depth < 6; depth++) {
    Arena *a = arena_new();
    const char *text = "connector Pin\n  Real v;\n  flow Real i;\nend Pin;\n"
                       "model B0\n  Pin p;\nequation\n  p.i = 2*p.v;\nend B0;\n",
               *inner = "b.";
    for (int i = 1; i <= depth; i++) {
      text = arena_print(
          a, "%smodel B%d\n  Pin p;\n  B%d c;\nequation\n  connect(p, c.p);\nend B%d;\n", text, i,
          i - 1, i);
      inner = arena_print(a, "%sc.", inner);
    }
    text =
        arena_print(a,
                    "%smodel S\n  Pin p;\nequation\n  p.v = 3;\nend S;\nmodel M\n  B%d b;\n  S s;\n"
                    "equation\n  connect(s.p, b.p);\nend M;\n",
                    text, depth);
    const AstModel *m = flat_new(a, text);
    // One sum for each level and one of the model; as many potentials; one equation of each end.
    assert_int_equal(m->equations.count, 2 * (depth + 1) + 2);
    assert_int_equal(m->declarations.count, 2 * (depth + 2));
    arena_free(a);
  }
}

static void signals_follow_their_source(void **state) {
  (void)state;
  for (int n = 1; n < 8; n++) {
    Arena *a = arena_new();
    const char *text =
        arena_print(a,
                    "connector In = input Real;\nconnector Out = output Real;\n"
                    "block G\n  In u;\n  Out y = u + 1;\nend G;\nblock S\n  Out y = time;\nend S;\n"
                    "model M\n  G g[%d];\n  S s;\nequation\n  connect(s.y, g[1].u);\n"
                    "  for i in 2:%d loop\n    connect(g[i - 1].y, g[i].u);\n  end for;\nend M;\n",
                    n, n);
    assert_close(flat_number(flat_new(a, text), arena_print(a, "g[%d].y", n), 0.5), n + 0.5, 1e-12);
    arena_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_connections_join_their_sets),
      cmocka_unit_test(boxes_hand_the_flow_on),
      cmocka_unit_test(signals_follow_their_source),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
