#include "model/reduce.h"

#include <stdlib.h>

#include "loaded.h"
#include "model/system.h"

// ---------------------------------------------------------------- models

#define PENDULUM_HEAD                                                                              \
  "model Pendulum\nparameter Real m = 1.5; parameter Real L = 2; parameter Real g = 9.81;\n"       \
  "Real x(start = 1.2), y(start = -1.6), vx(start = 0.8), vy(start = 0.6), lam, mu;\n"             \
  "equation\nder(x) = vx; der(y) = vy;\nm*der(vx) = -2*x*lam - x*mu;\n"                            \
  "m*der(vy) = -m*g - 2*y*lam - y*mu;\n"
#define PENDULUM PENDULUM_HEAD "x^2 + y^2 = L^2; mu = 0;\nend Pendulum;"
#define TWICE PENDULUM_HEAD "x^2 + y^2 = L^2;\nsqrt(x^2 + y^2) = L;\nend Pendulum;"

static const char CHAIN[] =
    "model Chain parameter Real m = 1; parameter Real L = 1; parameter Real b = 0.3;\n"
    "Real x1(start = 0.6), y1(start = -0.8), x2(start = 1.2), y2(start = -1.6);\n"
    "Real u1, v1, u2, v2, p, q; equation\n"
    "der(x1) = u1; der(y1) = v1; der(x2) = u2; der(y2) = v2;\n"
    "m*der(u1) = -2*x1*p + 2*(x2 - x1)*q - b*u1; m*der(v1) = -9.81*m - 2*y1*p + 2*(y2 - y1)*q;\n"
    "2*m*der(u2) = -2*(x2 - x1)*q; 2*m*der(v2) = -9.81*2*m - 2*(y2 - y1)*q;\n"
    "x1^2 + y1^2 = L^2; (x2 - x1)^2 + (y2 - y1)^2 = L^2; end Chain;";
// The constraint through variables of their own, which are differentiated with it.
static const char HELPERS[] =
    "model Helpers parameter Real L = 2;\n"
    "Real x(start = 1.2), y(start = -1.6), vx, vy, lam; Real r = sqrt(x^2 + y^2), stretch;\n"
    "equation der(x) = vx; der(y) = vy; der(vx) = -x*lam/r; der(vy) = -9.81 - y*lam/r;\n"
    "stretch = r/L; stretch = 1; end Helpers;";
static const char SLEIGH[] = // a knife edge: the constraint is one of velocities
    "model Sleigh parameter Real a = 0.3; Real x, y, phi(start = 0.4), u(start = 1), v, w;\n"
    "Real lam; equation der(x) = u; der(y) = v; der(phi) = w; der(u) = -sin(phi)*lam;\n"
    "der(v) = cos(phi)*lam; 0.2*der(w) = a*lam - 0.1*w; u*sin(phi) - v*cos(phi) = a*w;\n"
    "end Sleigh;";
static const char DRIVEN[] = // by a motion that is given in time
    "model Driven parameter Real k = 3; Real x(start = 1), s, v, ds, lam; equation\n"
    "der(x) = v; der(s) = ds; der(v) = -k*x + lam; der(ds) = -lam - s;\n"
    "x*(1 + 0.1*sin(2*time)) - s = 1; end Driven;";
static const char GEARS[] =
    "model Gears parameter Real n = 3; Real a(start = 0.3), b, wa(start = 1), wb, torque;\n"
    "equation der(a) = wa; der(b) = wb; 0.5*der(wa) = -n*torque - sin(a); 2*der(wb) = torque;\n"
    "b = n*a; end Gears;";
static const char FED[] = // an input in a constraint of velocities
    "model Fed input Real u; parameter Real m = 2; Real x, v(start = 0.4), F; equation\n"
    "der(x) = v; m*der(v) = F - x; v = u + 0.1*x; end Fed;";
static const char LED[] = // a motion that is an input
    "model Led input Real u; parameter Real m = 2; Real x, y, v, w, F; equation\n"
    "der(x) = v; der(y) = w; m*der(v) = F - x; der(w) = -F; x + 0.3*y*u = sin(u); end Led;";
static const char INVERSE[] = "model Inverse parameter Real m = 2; Real x, v, F; equation\n"
                              "der(x) = v; m*der(v) = F - 3*x; x = sin(time); end Inverse;";
static const char INDEX_FOUR[] =
    "model Four Real a, b, c, d; equation a = sin(time); der(a) = b; der(b) = c; der(c) = d;\n"
    "end Four;";
static const char SERIES[] =
    "model Series parameter Real L1 = 1, L2 = 3, R = 2; Real i1(start = 1), i2(start = 1), u1, "
    "u2;\n"
    "equation L1*der(i1) = u1; L2*der(i2) = u2; i1 = i2; u1 + u2 = sin(time) - R*i1; end Series;";

static const struct Row {
  const char *text;
  int index, states, invariants;
} MODELS[] = {{PENDULUM, 3, 4, 2}, {CHAIN, 3, 8, 4},      {HELPERS, 3, 4, 2}, {SLEIGH, 2, 6, 1},
              {DRIVEN, 3, 4, 2},   {GEARS, 3, 4, 2},      {FED, 2, 2, 1},     {LED, 3, 4, 2},
              {INVERSE, 3, 2, 2},  {INDEX_FOUR, 4, 3, 3}, {SERIES, 2, 2, 1}};
enum { MODEL_COUNT = sizeof MODELS / sizeof *MODELS, MOST = 64 };

// ---------------------------------------------------------------- the laws

typedef struct Motion {
  Loaded l;
  System *s;
  SystemWork *w;
  double p[MOST];
} Motion;

static void wavy(void *data, double t, double *u, double *du) {
  (void)data;
  u[0] = sin(3 * t);
  du[0] = 3 * cos(3 * t), du[1] = -9 * sin(3 * t), du[2] = -27 * cos(3 * t);
}

static Motion motion_new(const char *text) {
  Motion r = {.l = load_good(text)};
  Model *m = r.l.m;
  static const int FIRST = 0;
  SystemSpec spec = {.outputs = m->value,
                     .output_count = m->flat->variables.count,
                     .parameters = &FIRST,
                     .parameter_count = m->np > 0,
                     .lanes = 1};
  r.s = system_new(m, &spec);
  r.w = system_work_new(r.s);
  r.w->inputs = wavy;
  for (int k = 0; k < m->np; k++) r.p[k] = m->flat->parameters.at[k].value;
  system_set_parameters(r.w, r.p);
  return r;
}

static void motion_free(Motion *r) {
  system_work_free(r->w);
  system_free(r->s);
  unload(&r->l);
}

static void reduction_gives_the_expected_structure(void **state) {
  (void)state;
  for (int k = 0; k < MODEL_COUNT; k++) {
    Loaded l = load_good(MODELS[k].text);
    assert_int_equal(l.m->index, MODELS[k].index);
    assert_int_equal(l.m->nx, MODELS[k].states);
    assert_int_equal(l.m->invariant_count, MODELS[k].invariants);
    assert_int_equal(l.m->equation_count, l.m->unknown_count);
    unload(&l);
  }
}

// d/dt of invariant i along the motion.
static double rate_of_change(Motion *r, int i, double t, const double *x, const double *dx) {
  double before[MOST], after[MOST], h = 1e-6, sum = 0;
  system_invariants(r->w, t - h, x, before);
  system_invariants(r->w, t + h, x, after);
  system_invariant_sens(r->w, t, x);
  const Pattern *p = &r->s->sparse.g_x.pattern;
  for (int e = p->start[i]; e < p->start[i + 1]; e++)
    sum += r->w->invariant_out[r->s->sparse.g_x.at + e] * dx[p->column[e]];
  return sum + (after[i] - before[i]) / (2 * h);
}

static int levels_of(const Model *m, int equation) {
  int most = 0;
  for (int i = 0; i < m->equation_count; i++)
    if (m->equations[i].origin == equation && m->equations[i].level > most)
      most = m->equations[i].level;
  return most;
}

static double binomial(int n, int k) {
  return k == 0 || k == n ? 1 : binomial(n - 1, k - 1) + binomial(n - 1, k);
}

// What the next level is: itself an invariant, or by (d/dt + a)^c g = 0 a sum of those before it.
static double next_level(const Model *m, int i, double a, const double *g) {
  const Invariant *v = &m->invariants[i];
  int c = levels_of(m, v->equation);
  double sum = 0;
  if (i + 1 < m->invariant_count && v[1].equation == v->equation) return g[i + 1];
  for (int k = 0; k < m->invariant_count; k++) {
    const Invariant *w = &m->invariants[k];
    if (w->equation == v->equation) sum -= binomial(c, w->level) * pow(a, c - w->level) * g[k];
  }
  return sum;
}

// At any point, on the constraints or beside them: each level is the time derivative of the one before.
static void every_level_is_the_derivative_of_the_one_before(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int k = 0; k < MODEL_COUNT; k++) {
    Motion r = motion_new(MODELS[k].text);
    const double rates[] = {0, 2.5};
    for (int trial = 0; trial < 20; trial++) {
      double x[MOST], dx[MOST], g[MOST], a = rates[trial % 2], t = uniform(&seed, 0, 3);
      for (int i = 0; i < r.s->nx; i++) x[i] = uniform(&seed, 0.3, 2);
      system_set_rate(r.w, a);
      system_rhs(r.w, t, x, dx);
      system_invariants(r.w, t, x, g);
      for (int i = 0; i < r.s->ni; i++) {
        double want = next_level(r.l.m, i, a, g), got = rate_of_change(&r, i, t, x, dx);
        assert_close(got, want, 2e-8 * (1 + fabs(want) + fabs(dx[0])));
      }
    }
    motion_free(&r);
  }
}

static void a_pendulum_moves_as_in_its_angle(void **state) {
  (void)state;
  Motion r = motion_new(PENDULUM);
  for (double phi = -3; phi < 3; phi += 0.37) {
    double w = 0.7 + phi, L = 2, dx[4];
    double x[4] = {L * sin(phi), -L * cos(phi), L * w * cos(phi), L * w * sin(phi)};
    double dw = -9.81 / L * sin(phi);
    system_set_rate(r.w, 5); // makes no difference on the constraint
    system_rhs(r.w, 0, x, dx);
    assert_close(dx[2], L * (dw * cos(phi) - w * w * sin(phi)), 1e-12);
    assert_close(dx[3], L * (dw * sin(phi) + w * w * cos(phi)), 1e-12);
  }
  motion_free(&r);
}

static double value(Motion *r, const char *name, const double *x) {
  double values[MOST];
  system_outputs(r->w, 0, x, values, NULL);
  return values[names_find(r->l.m->flat->names, name)];
}

// Motion as with the constraint alone; the force 2*lam + mu is shared in the least norm: lam = 2*mu.
static void a_constraint_written_twice_changes_nothing(void **state) {
  (void)state;
  Motion one = motion_new(PENDULUM), two = motion_new(TWICE);
  assert_int_equal(two.l.m->invariant_count, 3);
  int redundant = 0;
  for (int i = 0; i < 3; i++) redundant += two.l.m->invariants[i].redundant;
  assert_int_equal(redundant, 1);
  double x[4] = {1.2, -1.6, 0.8, 0.6}, a[4], b[4];
  system_rhs(one.w, 0, x, a);
  system_rhs(two.w, 0, x, b);
  for (int i = 0; i < 4; i++) assert_close(a[i], b[i], 1e-12);
  double lam = value(&two, "lam", x), mu = value(&two, "mu", x);
  assert_close(lam, 2 * mu, 1e-12);
  assert_close(2 * lam + mu, 2 * value(&one, "lam", x), 1e-12);
  motion_free(&one);
  motion_free(&two);
}

// More constraints than coordinates: some find no unknown whatever is differentiated.
static void a_body_may_be_held_twice(void **state) {
  (void)state;
  Motion r = motion_new(
      "model Mounts parameter Real m = 2, b = 0.5; Real x, y, phi, vx, vy, w, Ax, Ay, Bx, By;\n"
      "equation der(x) = vx; der(y) = vy; der(phi) = w; m*der(vx) = Ax + Bx;\n"
      "m*der(vy) = Ay + By - 9.81*m;\n"
      "0.1*der(w) = b*sin(phi)*(Ax - Bx) + b*cos(phi)*(By - Ay);\n"
      "x - b*cos(phi) = -b; y - b*sin(phi) = 0; x + b*cos(phi) = b; y + b*sin(phi) = 0;\n"
      "end Mounts;");
  int redundant = 0;
  for (int i = 0; i < r.s->ni; i++) redundant += r.l.m->invariants[i].redundant;
  assert_int_equal(redundant, 1);
  double x[6] = {0}, dx[6];
  system_rhs(r.w, 0, x, dx);
  for (int i = 0; i < 6; i++) assert_close(dx[i], 0, 1e-12);
  motion_free(&r);
}

static void a_dead_centre_at_the_start_is_no_redundancy(void **state) {
  (void)state;
  // At x = 0 the two constraints have parallel slopes, elsewhere not.
  Loaded l = load_good("model Dead Real x(start = 0), y(start = 1), z(start = 1);\n"
                       "Real u, v, w, p, q; equation der(x) = u; der(y) = v; der(z) = w;\n"
                       "der(u) = -2*x*p - 2*x*q; der(v) = -2*y*p - 2*y*q - 9.81; der(w) = -2*z*q;\n"
                       "x^2 + y^2 = 1; y^2 + z*x + (z - 1)^2 = 1; end Dead;");
  for (int i = 0; i < l.m->invariant_count; i++) assert_false(l.m->invariants[i].redundant);
  unload(&l);
}

// The angle of contact follows from the position; the velocity constraint, typed first, says nothing of it at rest.
static void equations_without_slope_at_the_start_are_not_solved(void **state) {
  (void)state;
  Motion r = motion_new("model C Real x, y(start = 0.5), u, v, a, lam; equation\n"
                        "v - u*tan(a) = 0; der(x) = u; der(y) = v; der(u) = 1 + lam*tan(a);\n"
                        "der(v) = -lam; tan(a) = -0.2*x; end C;");
  double x[4] = {0, 0.5, 0, 0}, dx[4];
  system_rhs(r.w, 0, x, dx);
  assert_close(dx[2], 1, 1e-12);
  assert_close(dx[3], 0, 1e-12);
  motion_free(&r);
}

// The rod of a slider crank lies nearly along the line of the slider: the cosine says little of its angle.
static void variables_are_computed_from_what_determines_them_best(void **state) {
  (void)state;
  static const char *const LINES[] = {"x = 0.1*cos(p) + 0.25*cos(q); 0 = 0.1*sin(p) + 0.25*sin(q);",
                                      "0 = 0.1*sin(p) + 0.25*sin(q); x = 0.1*cos(p) + 0.25*cos(q);",
                                      "x = 0.1*cos(p) + 0.25*cos(q); q = -asin(0.4*sin(p));"};
  for (int k = 0; k < 3; k++) {
    char text[800];
    snprintf(text, sizeof text,
             "model C Real p(start = 0.4, fixed = true), w(start = 3, fixed = true);\n"
             "Real q(start = -0.1), x(start = 0.3), v, F; equation der(p) = w; der(x) = v;\n"
             "0.01*der(w) = 0.2 - F*0.1*(sin(p) - cos(p)*tan(q)); 0.5*der(v) = -F;\n%s end C;",
             LINES[k]);
    Motion r = motion_new(text);
    double x[4] = {0, 3, 0.35, 0}, dx[4]; // at the dead centre
    system_rhs(r.w, 0, x, dx);
    assert_close(dx[1], 20, 1e-9);
    assert_close(dx[3], -0.1 * 9 - 0.25 * pow(0.4 * 3, 2), 1e-9);
    motion_free(&r);
  }
}

static void what_cannot_be_reduced_is_explained(void **state) {
  (void)state;
  refused("model A\ninput Real u;\nReal x, v, a, F;\nequation\nder(x) = v;\nder(v) = a;\nder(a) "
          "= F;\nx = u;\nend A;",
          8, "differentiated 3 times, and with it the input u");
  refused("model A\nReal x, y, a;\nequation\nder(x) = 1;\nder(y) = x;\nx = y;\nend A;", 6,
          "structurally singular");
  refused("model A\nReal x, v, F, G;\nequation\nder(x) = v;\nder(v) = F + G;\nx = 1;\nx = "
          "2;\nend A;",
          6, "these do not at the start values");
  refused("model A\nReal x(fixed = true), y, z;\nequation\nder(x) = z;\ny = time;\ny = "
          "time;\nend A;",
          6, "structurally singular");
  refused("model A\nReal x;\nequation\nder(x) = 1;\nx = sin(time);\nend A;", 5,
          "needs an unknown that keeps it");
}

// Equations in a long chain: no recursion, no quadratic time.
static void a_long_chain_of_constraints_is_reduced(void **state) {
  (void)state;
  enum { COUNT = 3000 };
  Text t;
  text_init(&t);
  text_add(&t, "model Long Real x, v, F;\n");
  for (int i = 0; i <= COUNT; i++) text_print(&t, "Real y%d;\n", i);
  text_print(&t, "equation der(x) = v; der(v) = F; y%d = time; y0 = x;\n", COUNT);
  for (int i = 1; i <= COUNT; i++) text_print(&t, "y%d = 0.999*y%d + 0.001*time;\n", i, i - 1);
  text_add(&t, "end Long;\n");
  Loaded l = load_good(t.at);
  assert_int_equal(l.m->index, 3);
  assert_int_equal(l.m->invariant_count, 2);
  unload(&l);
  text_done(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reduction_gives_the_expected_structure),
      cmocka_unit_test(every_level_is_the_derivative_of_the_one_before),
      cmocka_unit_test(a_pendulum_moves_as_in_its_angle),
      cmocka_unit_test(a_constraint_written_twice_changes_nothing),
      cmocka_unit_test(a_body_may_be_held_twice),
      cmocka_unit_test(a_dead_centre_at_the_start_is_no_redundancy),
      cmocka_unit_test(equations_without_slope_at_the_start_are_not_solved),
      cmocka_unit_test(variables_are_computed_from_what_determines_them_best),
      cmocka_unit_test(what_cannot_be_reduced_is_explained),
      cmocka_unit_test(a_long_chain_of_constraints_is_reduced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
