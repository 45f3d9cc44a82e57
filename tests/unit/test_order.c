#include "model/order.h"

#include <dirent.h>

#include "random_circuit.h"
#include "shuffled.h"

// ---------------------------------------------------------------- models

static const char *const CIRCUITS[] = {
    // a capacitor beside a voltage source, the potential of the ground last
    "model A parameter Real C = 2; Real u0, v1, v0, iC, uC; equation\n"
    "u0 = cos(time); u0 = v1 - v0; iC = C*der(uC); uC = v1 - v0; v0 = 0; end A;",
    // Cellier and Kofman, chapter 7: resistors, a coil and a capacitor on one source
    "model B parameter Real R1 = 100, R2 = 20, L = 0.0015, C = 1e-6;\n"
    "Real u0, u1, u2, uL, uC, i0, i1, i2, iL, iC; equation u0 = sin(100*time); u1 = R1*i1;\n"
    "u2 = R2*i2; uL = L*der(iL); iC = C*der(uC); u0 = u1 + uC; uL = u1 + u2; uC = u2;\n"
    "i0 = i1 + iL; i1 = i2 + iC; end B;",
    // an algebraic loop
    "model C parameter Real R1 = 10, R2 = 20, R3 = 30, L = 0.5;\n"
    "Real u0, u1, u2, u3, uL, i0, i1, i2, i3, iL; equation u0 = sin(time); u1 = R1*i1;\n"
    "u2 = R2*i2; u3 = R3*i3; uL = L*der(iL); u0 = u1 + u3; uL = u1 + u2; u3 = u2;\n"
    "i0 = i1 + iL; i1 = i2 + i3; end C;",
    // structural singularity
    "model D parameter Real R = 10, C1 = 0.1, C2 = 0.2, L = 1;\n"
    "Real u0, uR, uC1, uC2, uL, i0, iR, iC1, iC2, iL, v0, v1, v2; equation u0 = sin(time);\n"
    "uR = R*iR; iC1 = C1*der(uC1); iC2 = C2*der(uC2); uL = L*der(iL); u0 = v1 - v0;\n"
    "uR = v1 - v2; uC1 = v1 - v0; uC2 = v2 - v0; uL = v2 - v0; v0 = 0; i0 = iR + iC1;\n"
    "iR = iC2 + iL; end D;",
    // a bridge with a coil and a capacitor across it
    "model E parameter Real R1 = 1, R2 = 2, R3 = 3, R4 = 4, C = 0.5, L = 2;\n"
    "Real u0, u1, u2, u3, u4, uC, uL, i0, i1, i2, i3, i4, iC, iL, v0, v1, v2, v3; equation\n"
    "u0 = cos(2*time); u1 = R1*i1; u2 = R2*i2; u3 = R3*i3; u4 = R4*i4; iC = C*der(uC);\n"
    "uL = L*der(iL); u0 = v1 - v0; u1 = v1 - v2; u2 = v2 - v0; u3 = v1 - v3; u4 = v3 - v0;\n"
    "uC = v2 - v3; uL = v2 - v3; v0 = 0; i0 = i1 + i3; i1 = i2 + iC + iL;\n"
    "i3 + iC + iL = i4; end E;",
    // a loop of capacitors that hangs on a current: its equations look independent
    "model F parameter Real C1 = 1, C2 = 2, C3 = 3, R = 5;\n"
    "Real u1, u2, u3, i1, i2, i3, iR, uR, v1, v2, v3, v0, J; equation u1 = v1 - v2;\n"
    "u2 = v2 - v3; u3 = v1 - v3; uR = v3 - v0; v0 = 0; uR = R*iR; i1 = C1*der(u1);\n"
    "i2 = C2*der(u2); i3 = C3*der(u3); J = sin(time); J = i1 + i3; i1 = i2; i2 + i3 = iR; end F;",
    // three coils that meet in one node
    "model G parameter Real L1 = 1, L2 = 2, L3 = 3, R = 5;\n"
    "Real i1, i2, i3, u1, u2, u3, v1, v2, v3, vm, v0, uR; equation u1 = v1 - vm; u2 = v2 - vm;\n"
    "u3 = v3 - vm; i1 + i2 + i3 = 0; v0 = 0; u1 = L1*der(i1); u2 = L2*der(i2);\n"
    "u3 = L3*der(i3); v1 = sin(time); v2 = v0; uR = -R*i3; uR = v3 - v0; end G;",
    // capacitors on both sides of an ideal transformer, with grounds of their own
    "model H parameter Real n = 3, C1 = 1, C2 = 2, R = 4, S = 5;\n"
    "Real a, b, c, d, u1, u2, w1, w2, j1, j2, i1, i2, iR, iS; equation u1 = a - b; u2 = c - d;\n"
    "w1 = a - b; w2 = c - d; w1 = n*w2; j2 = -n*j1; i1 = C1*der(u1); i2 = C2*der(u2);\n"
    "b = R*iR; d = S*iS; i1 + j1 = sin(time); iR = i1 + j1; i2 + j2 = 0; iS = i2 + j2; end H;",
};
enum { CIRCUIT_COUNT = sizeof CIRCUITS / sizeof *CIRCUITS };

static const char *const OTHERS[] = {
    // a constant by equation inside a constraint
    "model A parameter Real C = 2; Real V, S, A; equation V = sin(S + C); der(V) = A; S = 5;\n"
    "end A;",
    "model B parameter Real C = 0.3; Real V, S, A, T, U; equation V = sin(S + C)*T; der(V) = A;\n"
    "S = T + 1; T = U^2; U = 2; end B;",
    // the derivative of a constraint is needed to see that equations depend on one another
    "model C Real x1(start = 1), x2, y, z; equation x1 + x2 = sin(time); der(x1) + der(x2) = y;\n"
    "y + x1 = z; z = 2*x1 + time; end C;",
    // the angle of a pendulum from its position
    "model D parameter Real L = 2, g = 9.81; Real x(start = 1.2), y(start = -1.6), vx, vy;\n"
    "Real phi(start = 0.6), lam; equation der(x) = vx; der(y) = vy; der(vx) = -lam*x;\n"
    "der(vy) = -lam*y - g; x = L*sin(phi); y = -L*cos(phi); end D;",
    // the same through helpers, with terms that cancel
    "model E parameter Real L = 1, g = 9.81; Real x0, y0, x(start = 0.6), y(start = -0.8), vx, "
    "vy;\n"
    "Real dx, dy, q, s, lam; equation x0 = 0.1*sin(2*time); y0 = x0 - x0; der(x) = vx;\n"
    "der(y) = vy; dx = x - x0; dy = y - y0; q = dx*dx; s = q + dy^2; s = L*L;\n"
    "der(vx) = -lam*dx; der(vy) = -lam*dy - g; end E;",
    // gears: some coupled by angles, others by rates
    "model F parameter Real n = 3, m = 2; Real a, b, c, u(start = 1), v, w, p, q, r, s; equation\n"
    "der(a) = u; der(b) = v; der(c) = w; 2*der(u) = p + sin(time); der(v) = q + r;\n"
    "3*der(w) = s - 0.1*w; a = n*b; q = -n*p; v = m*w; s = -m*r; end F;",
    // a loop with several solutions: the choice of what is iterated must not matter
    "model G Real x(start = 1, fixed = true), a(start = 1), b, c; equation der(x) = -a;\n"
    "a^2 + b = 3 + x; b = c + 0.1*a; c = 0.5*a^3 - x; end G;",
};
enum { OTHER_COUNT = sizeof OTHERS / sizeof *OTHERS };

// ---------------------------------------------------------------- the laws

typedef struct Original {
  Loaded l;
  const Source *source;
  const AstModel *ast;
  Compared c;
} Original;

static Original original_new(const char *text) {
  Original o = {.l = {.arena = arena_new()}};
  o.source = source_new(o.l.arena, "<text>", text, strlen(text), &o.l.err);
  o.ast = parse_model(o.l.arena, o.source, &o.l.err);
  if (!o.ast) fail_msg("%s\n%s", o.l.err.text, text);
  o.l.m = model_new(o.source, o.ast, NULL, 0, &o.l.err);
  if (!o.l.m) fail_msg("%s\n%s", o.l.err.text, text);
  compared_init(&o.c, o.l.arena, o.l.m);
  return o;
}

static void original_free(Original *o) {
  compared_done(&o->c);
  unload(&o->l);
}

static void assert_same(Original *o, uint64_t seed, bool rename, const char *text) {
  Arena *a = arena_new();
  Shuffle s = {seed, a, o->ast, NULL};
  Err err = {0};
  Model *m = model_new(o->source, shuffle_model(&s, rename), NULL, 0, &err);
  if (!m) fail_msg("refused in order %d: %s\n%s", (int)seed, err.text, text);
  Compared c;
  double size;
  compared_init(&c, a, m);
  const char *what = difference(&o->c, &c, seed, 2, &size);
  if (what) fail_msg("order %d: other %s, by %g\n%s", (int)seed, what, size, text);
  compared_done(&c);
  model_free(m);
  arena_free(a);
}

static void check_orders(const char *text, int orders, bool rename) {
  Original o = original_new(text);
  for (int k = 0; k < orders; k++) assert_same(&o, 17 + (uint64_t)k, rename && k % 2, text);
  original_free(&o);
}

static void circuits_are_the_same_in_any_order(void **state) {
  (void)state;
  for (int k = 0; k < CIRCUIT_COUNT; k++) check_orders(CIRCUITS[k], 30, true);
}

static void constraints_through_helpers_are_the_same_in_any_order(void **state) {
  (void)state;
  for (int k = 0; k < OTHER_COUNT; k++) check_orders(OTHERS[k], 30, true);
}

// Parallel elements are equal in everything but their names, which stay.
static void random_circuits_are_the_same_in_any_order(void **state) {
  (void)state;
  const char *wanted = getenv("CIRCUITS"); // by hand: many more
  int count = wanted ? atoi(wanted) : 150;
  for (int k = 0; k < count; k++) {
    Text t = random_circuit(5 + (uint64_t)k);
    check_orders(t.at, 4, false);
    text_done(&t);
  }
}

static void check_files(const char *directory, int *count) {
  DIR *d = opendir(directory);
  for (struct dirent *e; d && (e = readdir(d));) {
    const char *end = strrchr(e->d_name, '.');
    char path[600];
    snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
    if (e->d_name[0] != '.' && !end) check_files(path, count); // a directory, or nothing
    if (!end || strcmp(end, ".mo") != 0) continue;
    // at random states cars are beyond the range of their tables and tyres; test_vehicles compares their forms
    if (strstr(path, "vehicles")) continue;
    Arena *a = arena_new();
    Err err = {0};
    Source *s = source_load(a, path, &err);
    assert_non_null(s);
    check_orders(s->text, 3, false);
    ++*count;
    arena_free(a);
  }
  if (d) closedir(d);
}

static void models_in_files_are_the_same_in_any_order(void **state) {
  (void)state;
  int count = 0;
  check_files("examples", &count);
  check_files("models", &count);
  check_files("tests/ivp", &count);
  assert_true(count > 40);
}

// Hidden constraints must not make something of a model that has no solution, or many.
static void singular_models_are_refused_in_any_order(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "model A Real a, b; equation a + b = 1; a + b = 2; end A;",
      "model A Real a, b, x; equation a + b = x; 2*a + 2*b = 2*x; der(x) = 1; end A;",
      "model A parameter Real n = 2; Real a, b, x(start = 1); equation a = n*b + x; n*a = n^2*b;\n"
      "der(x) = a; x = sin(time); end A;",
      "model A Real x, y, a, b, c; equation der(x) = a; der(y) = b; x - y = 0; a - b = c;\n"
      "c = 1; end A;",
  };
  for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++)
    for (uint64_t seed = 0; seed < 10; seed++) {
      Arena *a = arena_new();
      Err err = {0};
      const Source *source = source_new(a, "<text>", TEXTS[k], strlen(TEXTS[k]), &err);
      Shuffle s = {seed, a, parse_model(a, source, &err), NULL};
      assert_non_null(s.from);
      Model *m = model_new(source, shuffle_model(&s, false), NULL, 0, &err);
      if (m) fail_msg("accepted in order %d: %s", (int)seed, TEXTS[k]);
      arena_free(a);
    }
}

// Every place occurs once, and equal variables of a symmetric model are told apart.
static void places_are_a_permutation(void **state) {
  (void)state;
  Loaded l = load_good("model A Real x, y, a, b; equation der(x) = a; der(y) = b; a = -x; b = -y;\n"
                       "end A;");
  Arena *scratch = arena_new();
  ModelOrder o = order_new(l.m->flat, scratch);
  int seen[4] = {0}, seen_equations[4] = {0};
  for (int i = 0; i < 4; i++) seen[o.variable[i]]++, seen_equations[o.equation[i]]++;
  for (int i = 0; i < 4; i++) assert_true(seen[i] == 1 && seen_equations[i] == 1);
  arena_free(scratch);
  unload(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_are_a_permutation),
      cmocka_unit_test(circuits_are_the_same_in_any_order),
      cmocka_unit_test(constraints_through_helpers_are_the_same_in_any_order),
      cmocka_unit_test(random_circuits_are_the_same_in_any_order),
      cmocka_unit_test(models_in_files_are_the_same_in_any_order),
      cmocka_unit_test(singular_models_are_refused_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
