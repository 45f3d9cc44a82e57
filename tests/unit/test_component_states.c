// Which variables of components are states: models of parts against the same motion written by hand.
#include "simulation.h"

#define PARTS                                                                                      \
  "connector Flange Real s; flow Real f; end Flange;\n"                                            \
  "model Mass parameter Real m = 1; Flange a, b; Real s, v; equation a.s = s; b.s = s; v = "       \
  "der(s);"                                                                                        \
  " m*der(v) = a.f + b.f; end Mass;\n"                                                             \
  "model Spring parameter Real c = 1, d = 0; Flange a, b; Real s_rel(stateSelect = "               \
  "StateSelect.prefer), v_rel(stateSelect = StateSelect.prefer), f; equation s_rel = b.s - a.s;"   \
  " v_rel = der(s_rel); f = c*s_rel + d*v_rel; b.f = f; a.f = -f; end Spring;\n"                   \
  "model Lever parameter Real r = 2; Flange a, b; equation b.s = r*a.s; a.f + r*b.f = 0; end "     \
  "Lever;\n"                                                                                       \
  "model Wall Flange a; equation a.s = 0; end Wall;\n"

static const char EXACT[] = "solver=rk8 rel_tol=1e-12 abs_tol=1e-13";

static int count_states(const Run *r) {
  return entrain_model_count(r->model, ENTRAIN_STATE);
}

static void rigid_masses_are_one(void **state) {
  (void)state;
  Run a =
      simulate_fully(.text = PARTS "model Two Mass m1(m = 2, s(start = 1, fixed = true), v(start = "
                                   "0.5, fixed = true)); Mass "
                                   "m2(m = 3); Spring k(c = 7, d = 0.2); Wall w; equation "
                                   "connect(w.a, k.a); connect(k.b, m1.a);"
                                   " connect(m1.b, m2.a); end Two;",
                     .stop = 5, .step = 0.5, .options = EXACT, .select = "m1.s m2.v m2.s k.v_rel");
  Run b = simulate_fully(.text = "model One Real s(start = 1, fixed = true), v(start = 0.5, fixed "
                                 "= true); equation der(s) = v; 5*der(v) = -7*s - 0.2*v; end One;",
                         .stop = 5, .step = 0.5, .options = EXACT);
  for (int i = 0; i < rows(&b); i++) {
    assert_close(value_at(&a, "m1.s", i), value_at(&b, "s", i), 1e-11);
    assert_close(value_at(&a, "m2.s", i), value_at(&b, "s", i), 1e-11);
    assert_close(value_at(&a, "m2.v", i), value_at(&b, "v", i), 1e-11);
    assert_close(value_at(&a, "k.v_rel", i), value_at(&b, "v", i), 1e-11);
  }
  assert_int_equal(count_states(&a), 2);
  run_free(&a);
  run_free(&b);
}

// ---------------------------------------------------------------- random trees

enum { NODES_MOST = 7 };

typedef struct Tree { // of masses; each hangs at one before it, by a lever or by a spring
  int n, parent[NODES_MOST];
  bool lever[NODES_MOST];
  double m[NODES_MOST], r[NODES_MOST], c[NODES_MOST], d[NODES_MOST], s0[NODES_MOST], v0[NODES_MOST];
} Tree;

static double draw(unsigned *seed, double low, double high) {
  *seed = *seed * 1664525u + 1013904223u;
  return low + (high - low) * (double)(*seed >> 8) / 16777216.0;
}

static Tree draw_tree(unsigned seed) {
  Tree t = {.n = 2 + (int)draw(&seed, 0, NODES_MOST - 2)};
  for (int i = 0; i < t.n; i++) {
    t.parent[i] = i ? (int)draw(&seed, 0, i) : -1;
    t.lever[i] = i && draw(&seed, 0, 1) < 0.5;
    t.m[i] = draw(&seed, 0.5, 3), t.r[i] = draw(&seed, 0.4, 2);
    t.c[i] = draw(&seed, 1, 9), t.d[i] = draw(&seed, 0, 0.5);
    t.s0[i] = draw(&seed, -1, 1), t.v0[i] = draw(&seed, -1, 1);
  }
  return t;
}

static void write_parts(const Tree *t, char *out, size_t size) {
  size_t at = (size_t)snprintf(out, size, PARTS "model Tree Wall w;\n");
  for (int i = 0; i < t->n; i++) {
    at += (size_t)snprintf(out + at, size - at, "Mass m%d(m = %.17g", i, t->m[i]);
    if (!t->lever[i])
      at += (size_t)snprintf(out + at, size - at,
                             ", s(start = %.17g, fixed = true), v(start = %.17g, fixed = true)",
                             t->s0[i], t->v0[i]);
    at += (size_t)snprintf(out + at, size - at, ");\n");
    at += t->lever[i] ? (size_t)snprintf(out + at, size - at, "Lever l%d(r = %.17g);\n", i, t->r[i])
                      : (size_t)snprintf(out + at, size - at, "Spring l%d(c = %.17g, d = %.17g);\n",
                                         i, t->c[i], t->d[i]);
  }
  at += (size_t)snprintf(out + at, size - at, "equation\n");
  for (int i = 0; i < t->n; i++) {
    if (t->parent[i] < 0)
      at += (size_t)snprintf(out + at, size - at, "connect(w.a, l%d.a); ", i);
    else
      at += (size_t)snprintf(out + at, size - at, "connect(m%d.b, l%d.a); ", t->parent[i], i);
    at += (size_t)snprintf(out + at, size - at, "connect(l%d.b, m%d.a);\n", i, i);
  }
  snprintf(out + at, size - at, "end Tree;\n");
}

// s_i = k_i q_g for all masses of a group g; M_g q_g'' = - sum of spring forces times k.
static int write_by_hand(const Tree *t, char *out, size_t size) {
  int group[NODES_MOST] = {0}, groups = 0;
  double k[NODES_MOST] = {0}, mass[NODES_MOST] = {0}, start[NODES_MOST], rate[NODES_MOST];
  size_t at = (size_t)snprintf(out, size, "model Hand\n");
  for (int i = 0; i < t->n; i++) {
    group[i] = t->lever[i] ? group[t->parent[i]] : groups;
    k[i] = t->lever[i] ? t->r[i] * k[t->parent[i]] : 1;
    if (!t->lever[i]) start[groups] = t->s0[i], rate[groups++] = t->v0[i];
    mass[group[i]] += t->m[i] * k[i] * k[i];
  }
  for (int g = 0; g < groups; g++)
    at += (size_t)snprintf(out + at, size - at,
                           "Real q%d(start = %.17g, fixed = true), w%d(start = %.17g, fixed = "
                           "true);\n",
                           g, start[g], g, rate[g]);
  for (int i = 0; i < t->n; i++) {
    at +=
        (size_t)snprintf(out + at, size - at, "Real s%d = %.17g*q%d, f%d = ", i, k[i], group[i], i);
    int p = t->parent[i];
    double kp = p < 0 ? 0 : k[p];
    int gp = p < 0 ? 0 : group[p];
    at += t->lever[i]
              ? (size_t)snprintf(out + at, size - at, "0;\n")
              : (size_t)snprintf(out + at, size - at,
                                 "%.17g*(%.17g*q%d - %.17g*q%d) + %.17g*(%.17g*w%d - %.17g*w%d);\n",
                                 t->c[i], k[i], group[i], kp, gp, t->d[i], k[i], group[i], kp, gp);
  }
  at += (size_t)snprintf(out + at, size - at, "equation\n");
  for (int g = 0; g < groups; g++) {
    at += (size_t)snprintf(out + at, size - at, "der(q%d) = w%d; %.17g*der(w%d) = 0", g, g, mass[g],
                           g);
    for (int i = 0; i < t->n; i++) {
      if (group[i] == g) at += (size_t)snprintf(out + at, size - at, " - %.17g*f%d", k[i], i);
      if (t->parent[i] >= 0 && group[t->parent[i]] == g)
        at += (size_t)snprintf(out + at, size - at, " + %.17g*f%d", k[t->parent[i]], i);
    }
    at += (size_t)snprintf(out + at, size - at, ";\n");
  }
  snprintf(out + at, size - at, "end Hand;\n");
  return groups;
}

static void trees_move_as_written_by_hand(void **state) {
  (void)state;
  for (unsigned seed = 1; seed <= 60; seed++) {
    static char parts[8000], hand[8000];
    Tree t = draw_tree(seed);
    write_parts(&t, parts, sizeof parts);
    int groups = write_by_hand(&t, hand, sizeof hand);
    Run a = simulate_fully(.text = parts, .stop = 3, .step = 0.25, .options = EXACT);
    Run b = simulate_fully(.text = hand, .stop = 3, .step = 0.25, .options = EXACT);
    assert_int_equal(count_states(&a), 2 * groups);
    for (int i = 0; i < t.n; i++) {
      char of_part[20], of_hand[20];
      snprintf(of_part, sizeof of_part, "m%d.s", i);
      snprintf(of_hand, sizeof of_hand, "s%d", i);
      for (int k = 0; k < rows(&a); k++)
        assert_close(value_at(&a, of_part, k), value_at(&b, of_hand, k), 1e-10);
    }
    run_free(&a);
    run_free(&b);
  }
}

// ---------------------------------------------------------------- wishes

// What stays where it is at a reinit is the state: a speed of its own, or the relative one that is preferred.
static void a_preferred_speed_stays_at_a_reinit(void **state) {
  (void)state;
  for (int prefer = 0; prefer < 2; prefer++) {
    char text[1500];
    snprintf(text, sizeof text,
             PARTS
             "model Hit Mass m1(s(start = 0, fixed = true), v(start = 2, fixed = true)); Mass "
             "m2(s(start = 1, fixed = true, stateSelect = StateSelect.always), v(start = 3, "
             "fixed = true, stateSelect = StateSelect.always)); Spring k(c = 1e-9%s); equation "
             "connect(m1.b, k.a); connect(k.b, m2.a); when time >= 1 then reinit(m2.v, 0); end "
             "when; end Hit;",
             prefer ? ""
                    : ", s_rel(stateSelect = StateSelect.default), v_rel(stateSelect = "
                      "StateSelect.default)");
    Run r = simulate_fully(.text = text, .stop = 2, .step = 0.5, .select = "m1.v m2.v k.v_rel");
    assert_close(value_at(&r, "m1.v", 1), 2, 1e-6);
    assert_close(value_at(&r, "k.v_rel", 1), 1, 1e-6);
    assert_close(value_at(&r, "m2.v", 3), 0, 1e-6);
    assert_close(value_at(&r, "m1.v", 3), prefer ? -1 : 2, 1e-6);
    run_free(&r);
  }
}

// ---------------------------------------------------------------- states that vanish

static const char CHARGE[] =
    "model Capacitor parameter Real C = 1; Real v(start = 0), i; equation i = C*der(v); end "
    "Capacitor;\n"
    "model Junction parameter Real C0 = 1; Real v(start = 0), i, c; equation c = C0*(1 + v^2); i = "
    "c*der(v); end Junction;\n"
    "model Low parameter Real C = 0; parameter Real R = 2; Capacitor k(C = C); Junction j(C0 = C);"
    " equation sin(time) = R*k.i + k.v; cos(time) = R*j.i + j.v; end Low;\n";

static void a_factor_of_0_leaves_no_state(void **state) {
  (void)state;
  Run a = simulate_fully(.text = CHARGE, .stop = 2, .step = 0.25);
  assert_int_equal(count_states(&a), 0);
  for (int i = 0; i < rows(&a); i++) {
    assert_close(value_at(&a, "k.v", i), sin(value_at(&a, "time", i)), 1e-12);
    assert_close(value_at(&a, "j.v", i), cos(value_at(&a, "time", i)), 1e-12);
    assert_close(value_at(&a, "k.i", i), 0, 0);
  }
  run_free(&a);
  Run b = simulate_fully(.text = CHARGE, .set = "C=0.5", .stop = 2, .step = 0.25, .options = EXACT);
  assert_int_equal(count_states(&b), 2);
  for (int i = 0; i < rows(&b); i++) { // R C = 1: v' = sin(t) - v
    double t = value_at(&b, "time", i);
    assert_close(value_at(&b, "k.v", i), (sin(t) - cos(t) + exp(-t)) / 2, 1e-9);
  }
  run_free(&b);
  Run c = simulate_try(&(Spec){.text = CHARGE, .stop = 2, .step = 0.5, .sens = "C"});
  assert_true(c.error.code != 0);
  assert_non_null(strstr(c.error.text, "C"));
  run_free(&c);
}

// ---------------------------------------------------------------- start values

static const char PARALLEL[] =
    "model Capacitor parameter Real C = 1; Real v, i; equation i = C*der(v); end Capacitor;\n"
    "model Pair parameter Real V = 1; Capacitor a(v(start = V, fixed = true)), b(C = 2, v(start = "
    "%s, fixed = true)); Real i; equation a.v = b.v; i = a.i + b.i; i = -a.v; end Pair;\n";

static void equal_start_values_may_both_be_fixed(void **state) {
  (void)state;
  char text[600];
  snprintf(text, sizeof text, PARALLEL, "V");
  Run r = simulate_fully(.text = text, .set = "V=2", .stop = 3, .step = 0.5, .options = EXACT);
  for (int i = 0; i < rows(&r); i++)
    assert_close(value_at(&r, "b.v", i), 2 * exp(-value_at(&r, "time", i) / 3), 1e-10);
  run_free(&r);
  snprintf(text, sizeof text, PARALLEL, "3");
  Run c = simulate_try(&(Spec){.text = text, .stop = 3, .step = 0.5});
  assert_true(c.error.code != 0);
  assert_non_null(strstr(c.error.text, "too many initial conditions"));
  run_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rigid_masses_are_one),
      cmocka_unit_test(trees_move_as_written_by_hand),
      cmocka_unit_test(a_preferred_speed_stays_at_a_reinit),
      cmocka_unit_test(a_factor_of_0_leaves_no_state),
      cmocka_unit_test(equal_start_values_may_both_be_fixed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
