// The parts of lib/Entrain.mo: exact solutions, energy, steady states, the same equations typed by hand.
#include "simulation.h"

#define FINE "rel_tol=1e-12 abs_tol=1e-14"

static void same_motion(const Run *a, const char *name_a, const Run *b, const char *name_b,
                        double tolerance) {
  const double *x = column(a, name_a), *y = column(b, name_b);
  assert_int_equal(rows(a), rows(b));
  for (int i = 0; i < rows(a); i++) assert_close(x[i], y[i], tolerance);
}

// ---------------------------------------------------------------- springs and masses

static void mass_spring_damper_is_a_decaying_cosine(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model M import Entrain.Translational.*;\n"
                                 "  Mass m(m = 2, s(start = 1));\n"
                                 "  SpringDamper k(c = 8, d = 0.5); Fixed g;\n"
                                 "equation connect(g.a, k.a); connect(k.b, m.a); end M;\n",
                         .options = FINE, .stop = 20, .step = 0.1);
  assert_int_equal(entrain_model_count(r.model, ENTRAIN_STATE), 2);
  double decay = 0.5 / 4, w = sqrt(8 / 2.0 - decay * decay);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i);
    assert_close(value_at(&r, "m.s", i), exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t)),
                 1e-10);
    assert_close(value_at(&r, "k.f", i), 8 * value_at(&r, "m.s", i) + 0.5 * value_at(&r, "m.v", i),
                 1e-10);
    assert_close(value_at(&r, "g.a.f", i), value_at(&r, "k.f", i), 1e-12);
  }
  run_free(&r);
}

// A beam: masses between springs with dampers, the last one pulled.
static void beam_of_parts_moves_as_its_equations_typed_by_hand(void **state) {
  (void)state;
  Run parts = simulate_fully(
          .text = "model Beam import Entrain.Translational.*; parameter Integer n = 8;\n"
                  "  Mass m[n](each m = 0.5, s(start = {0.1*i for i in 1:n}, each fixed = true),\n"
                  "    v(each fixed = true));\n"
                  "  SpringDamper k[n](c = {100 + 10*i for i in 1:n}, each d = 0.2, each s_rel0 = "
                  "0.1);\n"
                  "  Fixed g; Force f(f = 2*sin(3*time));\n"
                  "equation connect(g.a, k[1].a);\n"
                  "  for i in 1:n loop connect(k[i].b, m[i].a); end for;\n"
                  "  for i in 1:n - 1 loop connect(m[i].b, k[i + 1].a); end for;\n"
                  "  connect(f.b, m[n].b); end Beam;\n",
          .options = "solver=rk8 rel_tol=1e-13 abs_tol=1e-15", .stop = 5, .step = 0.05);
  Run hand = simulate_fully(
          .text =
              "model Beam parameter Integer n = 8; parameter Real c[n] = {100 + 10*i for i in "
              "1:n};\n"
              "  Real s[n](start = {0.1*i for i in 1:n}, each fixed = true);\n"
              "  Real v[n](each start = 0, each fixed = true), F[n + 1];\n"
              "equation F[1] = c[1]*(s[1] - 0.1) + 0.2*v[1];\n"
              "  for i in 2:n loop F[i] = c[i]*(s[i] - s[i - 1] - 0.1) + 0.2*(v[i] - v[i - 1]); "
              "end for;\n"
              "  F[n + 1] = 2*sin(3*time);\n"
              "  for i in 1:n loop der(s[i]) = v[i]; 0.5*der(v[i]) = F[i + 1] - F[i]; end for;\n"
              "end Beam;\n",
          .options = "solver=rk8 rel_tol=1e-13 abs_tol=1e-15", .stop = 5, .step = 0.05);
  assert_int_equal(entrain_model_count(parts.model, ENTRAIN_STATE), 16);
  same_motion(&parts, "m[1].s", &hand, "s[1]", 1e-12);
  same_motion(&parts, "m[5].s", &hand, "s[5]", 1e-12);
  same_motion(&parts, "m[8].s", &hand, "s[8]", 1e-12);
  same_motion(&parts, "m[8].v", &hand, "v[8]", 1e-11);
  run_free(&parts);
  run_free(&hand);
}

static void energy_stays_in_springs_stops_and_levers(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text =
              "model E import Entrain.Translational.*;\n"
              "  Mass m1(m = 2, s(start = 0.3, fixed = true), v(fixed = true)), m2(m = 1, s(start "
              "= 0, fixed = true),\n"
              "    v(start = 1, fixed = true)), m3(m = 0.5);\n"
              "  Spring k(c = 20, s_rel0 = 0.1); CubicSpring q(c = 5, c3 = 300);\n"
              "  Backlash b(c = 1000, gap = 0.2); Lever l(ratio = 3); Fixed g; Real E, x;\n"
              "equation connect(g.a, k.a); connect(k.b, m1.a); connect(m1.b, b.a); connect(b.b, "
              "m2.a);\n"
              "  connect(m2.b, q.a); connect(q.b, g.a); connect(m1.b, l.a); connect(l.b, m3.a);\n"
              "  x = max(0, abs(m2.s - m1.s) - 0.1);\n"
              "  E = m1.m*m1.v^2/2 + m2.m*m2.v^2/2 + m3.m*m3.v^2/2 + 20*(m1.s - 0.1)^2/2 + "
              "5*m2.s^2/2\n"
              "    + 300*m2.s^4/4 + 1000*x^2/2; end E;\n",
          .options = "rel_tol=1e-11 abs_tol=1e-13", .stop = 5, .step = 0.01);
  const double *E = column(&r, "E"), *push = column(&r, "b.f");
  bool free = false, pushed = false, pulled = false;
  for (int i = 0; i < rows(&r); i++) {
    assert_close_relative(E[i], E[0], 1e-8);
    assert_close(value_at(&r, "m1.s", i), 3 * value_at(&r, "m3.s", i), 1e-10);
    free = free || push[i] == 0;
    pushed = pushed || push[i] < -1;
    pulled = pulled || push[i] > 1;
  }
  assert_true(free && pushed && pulled);
  run_free(&r);
}

static void damped_stop_takes_energy_and_never_pulls(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text = "model S import Entrain.Translational.*;\n"
                  "  Mass m(m = 1, s(start = 0, fixed = true), v(start = 2, fixed = true));\n"
                  "  Backlash b(c = 1e4, d = 30, gap = 0.1); Fixed g;\n"
                  "equation connect(g.a, b.a); connect(b.b, m.a); end S;\n",
          .options = "rel_tol=1e-9", .stop = 1, .step = 0.001);
  double energy = 2.0000001;
  for (int i = 0; i < rows(&r); i++) {
    double s = value_at(&r, "m.s", i), v = value_at(&r, "m.v", i), f = value_at(&r, "b.f", i);
    double deep = fmax(0, fabs(s) - 0.05), now = v * v / 2 + 1e4 * deep * deep / 2;
    if (deep > 1e-9) assert_true(f * s >= 0);
    if (deep == 0) { // away from the stops, where a lifted stop has left its energy behind
      assert_true(now <= energy * (1 + 1e-7));
      energy = now;
    }
  }
  assert_true(energy < 1);
  run_free(&r);
}

static void sources_and_sensors_agree(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model S import Entrain.Translational.*;\n"
                                 "  Position p(s = 0.2*sin(2*time)); Speed w(v = 0.3*cos(time), s0 "
                                 "= 1); ForceSensor f;\n"
                                 "  Spring k(c = 50, s_rel0 = 1); PositionSensor s; SpeedSensor v; "
                                 "RelativeSensor d; Force2 between(f = 3);\n"
                                 "equation connect(p.b, f.a); connect(f.b, k.a); connect(k.b, "
                                 "w.b); connect(s.a, p.b);\n"
                                 "  connect(v.a, p.b); connect(d.a, p.b); connect(d.b, w.b); "
                                 "connect(between.a, p.b);\n"
                                 "  connect(between.b, w.b); end S;\n",
                         .options = FINE, .stop = 5, .step = 0.1);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i), a = 0.2 * sin(2 * t), b = 1 + 0.3 * sin(t);
    assert_close(value_at(&r, "s.s", i), a, 1e-12);
    assert_close(value_at(&r, "v.v", i), 0.4 * cos(2 * t), 1e-11);
    assert_close(value_at(&r, "d.s_rel", i), b - a, 1e-10);
    assert_close(value_at(&r, "f.f", i), 50 * (b - a - 1), 1e-8);
    assert_close(value_at(&r, "w.b.f", i), -50 * (b - a - 1) - 3, 1e-8);
    assert_close(value_at(&r, "p.b.f", i), 50 * (b - a - 1) + 3, 1e-8);
  }
  run_free(&r);
}

// ---------------------------------------------------------------- friction

static void friction_reaches_its_steady_force(void **state) {
  (void)state;
  static const double SPEEDS[3] = {0.002, 0.01, 0.5};
  for (int i = 0; i < 3; i++) {
    double v = SPEEDS[i], stribeck = 2 + 1 * exp(-pow(v / 0.005, 2));
    char text[2000];
    snprintf(
        text, sizeof text,
        "model F import Entrain.Translational.*; Position p(s = %.17g*time); Fixed g;\n"
        "  CoulombFriction c(Fc = 2, d = 3, v0 = 1e-3);\n"
        "  StribeckFriction s(Fc = 2, Fs = 3, vs = 0.005, d = 3, v0 = 1e-3);\n"
        "  Dahl d(Fc = 2, sigma0 = 1e5);\n"
        "  LuGre l(Fc = 2, Fs = 3, vs = 0.005, sigma0 = 1e5, sigma1 = 300, sigma2 = 3);\n"
        "  BoucWen b(c = 1e5, alpha = 0, zy = 2e-5, beta = 0.7, gamma = 0.3, n = 1.5);\n"
        "equation connect(g.a, c.a); connect(c.b, p.b); connect(g.a, s.a); connect(s.b, p.b);\n"
        "  connect(g.a, d.a); connect(d.b, p.b); connect(g.a, l.a); connect(l.b, p.b);\n"
        "  connect(g.a, b.a); connect(b.b, p.b); end F;\n",
        v);
    Run r = simulate_fully(.text = text, .options = FINE, .stop = 0.004 / v, .step = 0.004 / v,
                           .select = "c.f s.f d.f l.f b.f");
    assert_close(last_value(&r, "c.f"), 2 * tanh(v / 1e-3) + 3 * v, 1e-12);
    assert_close(last_value(&r, "s.f"), stribeck * tanh(v / 1e-3) + 3 * v, 1e-12);
    assert_close(last_value(&r, "d.f"), 2, 1e-9);
    assert_close(last_value(&r, "l.f"), stribeck + 3 * v, 1e-9);
    assert_close(last_value(&r, "b.f"), 2, 1e-9);
    run_free(&r);
  }
}

typedef struct Bristles {
  const char *part, *hand; // hand: der(z) and f from v, s and z
} Bristles;

static const Bristles BRISTLES[] = {
    {"Dahl x(Fc = 2, sigma0 = 500)", "der(z) = v - 500*abs(v)/2*z; f = 500*z;"},
    {"LuGre x(Fc = 2, Fs = 3, vs = 0.2, sigma0 = 500, sigma1 = 4, sigma2 = 0.5)",
     "der(z) = v - 500*abs(v)/(2 + exp(-(v/0.2)^2))*z; f = 500*z + 4*der(z) + 0.5*v;"},
    {"BoucWen x(c = 60, alpha = 0.2, d = 0.1, zy = 0.05, beta = 0.6, gamma = 0.4, n = 2)",
     "der(z) = v - 0.6*abs(v)*z*abs(z)/0.05^2 - 0.4*v*z^2/0.05^2; f = 12*s + 48*z + 0.1*v;"},
};

static void bristles_follow_their_equations_typed_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof BRISTLES / sizeof *BRISTLES; i++) {
    const Bristles *b = &BRISTLES[i];
    char parts[2000], hand[2000];
    snprintf(
        parts, sizeof parts,
        "model P import Entrain.Translational.*; %s; Fixed g; Spring k(c = 40); Force p(f = "
        "5*sin(2*time));\n"
        "  Mass m(m = 1.5, s(start = 0.2, fixed = true), v(fixed = true));\n"
        "equation connect(g.a, x.a); connect(x.b, m.a); connect(g.a, k.a); connect(k.b, m.a);\n"
        "  connect(p.b, m.b); end P;\n",
        b->part);
    snprintf(hand, sizeof hand,
             "model H Real s(start = 0.2, fixed = true), v(start = 0, fixed = true), z(start = 0, "
             "fixed = true), f;\n"
             "equation der(s) = v; 1.5*der(v) = 5*sin(2*time) - 40*s - f; %s end H;\n",
             b->hand);
    Run r = simulate_fully(.text = parts, .options = "rel_tol=1e-12 abs_tol=1e-14", .stop = 5,
                           .step = 0.05);
    Run h = simulate_fully(.text = hand, .options = "rel_tol=1e-12 abs_tol=1e-14", .stop = 5,
                           .step = 0.05);
    same_motion(&r, "m.s", &h, "s", 1e-10);
    same_motion(&r, "m.v", &h, "v", 1e-9);
    same_motion(&r, "x.z", &h, "z", 1e-10);
    same_motion(&r, "x.f", &h, "f", 1e-7);
    run_free(&r);
    run_free(&h);
  }
}

// Released at 1 m, the mass turns back after every half period, 2*Fc/c nearer, until the spring is weaker than Fs.
static void sticking_mass_comes_to_rest(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model S import Entrain.Translational.*;\n"
                                 "  Mass m(m = 1, s(start = 1, fixed = true), v(fixed = true)); "
                                 "Spring k(c = 10); Fixed g;\n"
                                 "  StickFriction f(Fc = 0.8, Fs = 1.5);\n"
                                 "equation connect(g.a, k.a); connect(k.b, m.a); connect(g.a, "
                                 "f.a); connect(f.b, m.a); end S;\n",
                         .sens = "f.Fc f.Fs k.c m.s.start",
                         .options = "rel_tol=1e-11 abs_tol=1e-12", .stop = 8, .step = 0.05);
  double w = sqrt(10), pi = 3.14159265358979323846;
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i), x = 1, side = 1;
    int n = (int)floor(t * w / pi), turns = 0;
    while (turns < n && fabs(x) > 0.15) x = -x + side * 0.16, side = -side, turns++;
    if (fabs(x) > 0.15) x = side * 0.08 + (x - side * 0.08) * cos(w * t - turns * pi);
    assert_close(value_at(&r, "m.s", i), x, 1e-8);
    if (t > 6 * pi / w + 0.01) {
      assert_close(value_at(&r, "f.mode", i), 0, 0);
      assert_close(value_at(&r, "f.f", i), -10 * x, 1e-7);
    }
  }
  // The last place is 1 - 12*Fc/c.
  assert_close(last_value(&r, "dm.s/df.Fc"), -12 / 10.0, 1e-6);
  assert_close(last_value(&r, "dm.s/df.Fs"), 0, 0);
  assert_close(last_value(&r, "dm.s/dk.c"), 12 * 0.8 / 100, 1e-6);
  assert_close(last_value(&r, "dm.s/dm.s.start"), 1, 1e-6);
  run_free(&r);
}

static void two_masses_with_friction_between_end_together(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text = "model T import Entrain.Translational.*;\n"
                  "  Mass a(m = 1, s(fixed = true), v(fixed = true)), b(m = 2, s(fixed = true), "
                  "v(start = 2, fixed = true));\n"
                  "  StickFriction f(Fc = 1, Fs = 1.5); Force p(f = if time < 2 then 0 else time - "
                  "2);\n"
                  "equation connect(a.b, f.a); connect(f.b, b.a); connect(p.b, b.b); end T;\n",
          .options = "rel_tol=1e-11 abs_tol=1e-12", .stop = 8, .step = 0.25);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i), push = t < 2 ? 0 : (t - 2) * (t - 2) / 2;
    assert_close(value_at(&r, "a.v", i) + 2 * value_at(&r, "b.v", i), 4 + push, 1e-8);
    // Together from v = 4/3 on at t = 4/3, until a third of the push exceeds Fs at t = 6.5.
    assert_close(value_at(&r, "f.mode", i), t < 4 / 3.0 || t > 6.5 ? 1 : 0, t == 6.5 ? 1 : 0);
    if (t > 4 / 3.0 && t < 6.5) assert_close(value_at(&r, "a.v", i), (4 + push) / 3, 1e-8);
    if (t > 4 / 3.0 && t < 6.5) assert_close(value_at(&r, "f.f", i), t < 2 ? 0 : (t - 2) / 3, 1e-8);
  }
  assert_close(last_value(&r, "a.v"), (4 + 4.5 * 4.5 / 2) / 3 + 1.5, 1e-8);
  run_free(&r);
}

// Both laws hold until the same force; the one of relations is told by its Stribeck speed, the other jumps from Fs to Fc.
static void dry_friction_holds_as_sticking_does(void **state) {
  (void)state;
  static const char *const PARTS[] = {"DryFriction f(Fc = 1.5)",
                                      "StickFriction f(Fc = 1.5, Fs = 1.5)"};
  Run r[2];
  for (int k = 0; k < 2; k++) {
    char text[600];
    snprintf(text, sizeof text,
             "model T import Entrain.Translational.*; Mass m(m = 1, s(fixed = true), v(fixed = "
             "true));\n"
             "  Spring k(c = 10); %s; Position p(s = 0.3*sin(time)); Fixed g; equation\n"
             "  connect(g.a, f.a); connect(f.b, m.a); connect(m.b, k.a); connect(k.b, p.b); end T;",
             PARTS[k]);
    r[k] = simulate_fully(.text = text, .options = "rel_tol=1e-11 abs_tol=1e-12", .stop = 12,
                          .step = 0.5);
  }
  for (int i = 0; i < rows(&r[0]); i++) {
    assert_close(value_at(&r[0], "m.s", i), value_at(&r[1], "m.s", i), 1e-7);
    assert_close(value_at(&r[0], "f.f", i), value_at(&r[1], "f.f", i), 1e-6);
  }
  run_free(&r[0]), run_free(&r[1]);
}

// ---------------------------------------------------------------- rotation

typedef struct Pair {
  const char *line, *turn;
} Pair;

static const Pair PAIRS[] = {
    {"Spring x(c = 7, s_rel0 = 0.2)", "Spring x(c = 7, phi_rel0 = 0.2)"},
    {"CubicSpring x(c = 7, c3 = 30)", "CubicSpring x(c = 7, c3 = 30)"},
    {"Damper x(d = 0.7)", "Damper x(d = 0.7)"},
    {"SpringDamper x(c = 7, d = 0.3)", "SpringDamper x(c = 7, d = 0.3)"},
    {"Backlash x(c = 70, d = 0.3, gap = 0.1)", "Backlash x(c = 70, d = 0.3, gap = 0.1)"},
    {"Force2 x(f = 2)", "Torque2 x(tau = 2)"},
    {"CoulombFriction x(Fc = 2, d = 0.1, v0 = 0.1)",
     "CoulombFriction x(Tc = 2, d = 0.1, w0 = 0.1)"},
    {"StribeckFriction x(Fc = 2, Fs = 3, vs = 0.2, d = 0.1, v0 = 0.1)",
     "StribeckFriction x(Tc = 2, Ts = 3, ws = 0.2, d = 0.1, w0 = 0.1)"},
    {"DryFriction x(Fc = 1, Fs = 1.5, vs = 0.1, d = 0.1)",
     "DryFriction x(Tc = 1, Ts = 1.5, ws = 0.1, d = 0.1)"},
    {"StickFriction x(Fc = 1, Fs = 1.5, d = 0.1)", "StickFriction x(Tc = 1, Ts = 1.5, d = 0.1)"},
    {"Dahl x(Fc = 2, sigma0 = 500)", "Dahl x(Tc = 2, sigma0 = 500)"},
    {"LuGre x(Fc = 2, Fs = 3, vs = 0.2, sigma0 = 500, sigma1 = 4, sigma2 = 0.5)",
     "LuGre x(Tc = 2, Ts = 3, ws = 0.2, sigma0 = 500, sigma1 = 4, sigma2 = 0.5)"},
    {"BoucWen x(c = 60, alpha = 0.2, d = 0.1, zy = 0.05, beta = 0.6, gamma = 0.4, n = 2)",
     "BoucWen x(c = 60, alpha = 0.2, d = 0.1, zy = 0.05, beta = 0.6, gamma = 0.4, n = 2)"},
};

// The equations are the same, so every bit is.
static void what_turns_moves_as_what_slides(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
    char line[2000], turn[2000];
    snprintf(line, sizeof line,
             "model L import Entrain.Translational.*; %s; Fixed g(s0 = 0.1); Force f(f = "
             "2*sin(3*time));\n"
             "  Mass m1(m = 2, s(start = 0.2, fixed = true), v(fixed = true)), m2(m = 0.3); Lever "
             "l(ratio = 2);\n"
             "  Spring k(c = 40); ForceSensor q; PositionSensor p; SpeedSensor v;\n"
             "equation connect(g.a, x.a); connect(x.b, q.a); connect(q.b, m1.a); connect(g.a, "
             "k.a); connect(k.b, m1.a);\n"
             "  connect(m1.b, l.a); connect(l.b, m2.a); connect(f.b, m2.b); connect(p.a, m2.b); "
             "connect(v.a, m2.b); end L;\n",
             PAIRS[i].line);
    snprintf(turn, sizeof turn,
             "model T import Entrain.Rotational.*; %s; Fixed g(phi0 = 0.1); Torque f(tau = "
             "2*sin(3*time));\n"
             "  Inertia m1(J = 2, phi(start = 0.2, fixed = true), w(fixed = true)), m2(J = 0.3); "
             "Gear l(ratio = 2);\n"
             "  Spring k(c = 40); TorqueSensor q; AngleSensor p; SpeedSensor v;\n"
             "equation connect(g.a, x.a); connect(x.b, q.a); connect(q.b, m1.a); connect(g.a, "
             "k.a); connect(k.b, m1.a);\n"
             "  connect(m1.b, l.a); connect(l.b, m2.a); connect(f.b, m2.b); connect(p.a, m2.b); "
             "connect(v.a, m2.b); end T;\n",
             PAIRS[i].turn);
    Run a = simulate_fully(.text = line, .stop = 3, .step = 0.1);
    Run b = simulate_fully(.text = turn, .stop = 3, .step = 0.1);
    same_motion(&a, "m1.s", &b, "m1.phi", 0);
    same_motion(&a, "m2.v", &b, "m2.w", 0);
    same_motion(&a, "q.f", &b, "q.tau", 0);
    same_motion(&a, "p.s", &b, "p.phi", 0);
    same_motion(&a, "v.v", &b, "v.w", 0);
    run_free(&a);
    run_free(&b);
  }
}

static void sources_and_sensors_of_rotation_agree(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text =
                         "model S import Entrain.Rotational.*;\n"
                         "  Angle p(phi = 0.2*sin(2*time)); Speed w(w = 0.3*cos(time), phi0 = 1);\n"
                         "  Spring k(c = 50, phi_rel0 = 1); RelativeSensor d;\n"
                         "equation connect(p.b, k.a); connect(k.b, w.b); connect(d.a, p.b); "
                         "connect(d.b, w.b); end S;\n",
                     .options = FINE, .stop = 5, .step = 0.1);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i), angle = 1 + 0.3 * sin(t) - 0.2 * sin(2 * t);
    assert_close(value_at(&r, "d.phi_rel", i), angle, 1e-10);
    assert_close(value_at(&r, "w.b.tau", i), -50 * (angle - 1), 1e-8);
    assert_close(value_at(&r, "p.b.tau", i), 50 * (angle - 1), 1e-8);
  }
  run_free(&r);
}

// Every friction, spring and source of both packages, with units everywhere.
static void units_of_all_parts_agree(void **state) {
  (void)state;
  static const char *const PARTS[] = {
      "Spring",           "CubicSpring",   "Damper", "SpringDamper", "Backlash", "CoulombFriction",
      "StribeckFriction", "StickFriction", "Dahl",   "LuGre",        "BoucWen",  "DryFriction"};
  for (int turn = 0; turn < 2; turn++)
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
      char text[600];
      snprintf(text, sizeof text,
               "model U import Entrain.%s.*; %s m; %s x; Fixed g; %s; parameter Real p(unit = "
               "\"%s\") = 1;\n"
               "equation connect(g.a, x.a); connect(x.b, m.a); connect(f.b, m.b); end U;\n",
               turn ? "Rotational" : "Translational", turn ? "Inertia" : "Mass", PARTS[i],
               turn ? "Torque f(tau = p)" : "Force f(f = p)", turn ? "N.m" : "N");
      Run r = simulate_fully(.text = text, .stop = 0.01, .step = 0.01);
      for (int k = 0; k < entrain_model_warning_count(r.model); k++)
        print_error("%s\n", entrain_model_warning(r.model, k));
      assert_int_equal(entrain_model_warning_count(r.model), 0);
      run_free(&r);
    }
}

static void pinion_and_rack_share_their_inertia(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text =
              "model R Entrain.Rotational.Inertia J(J = 0.5, phi(fixed = true), w(fixed = true));\n"
              "  Entrain.Rotational.Torque t(tau = 3); Entrain.Rotational.RackAndPinion p(r = "
              "0.2);\n"
              "  Entrain.Translational.Mass m(m = 10);\n"
              "equation connect(t.b, J.a); connect(J.b, p.a); connect(p.b, m.a); end R;\n",
          .options = FINE, .stop = 1, .step = 0.5);
  assert_close(last_value(&r, "J.phi"), 3 / (0.5 + 10 * 0.04) / 2, 1e-11);
  assert_close(last_value(&r, "m.s"), 0.2 * last_value(&r, "J.phi"), 1e-12);
  run_free(&r);
}

// ---------------------------------------------------------------- signals

static void sources_of_signals_have_their_shapes(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text = "model S import Entrain.Blocks.*;\n"
                  "  Sine a(amplitude = 2, f = 0.5, phase = 0.3, offset = 1, start = 0.45);\n"
                  "  Ramp b(height = -3, duration = 2, offset = 1, start = 0.55); Step c(height = "
                  "4, offset = -1, start = 1.55);\n"
                  "  Pulse d(amplitude = 2, period = 0.7, width = 0.3, offset = 5, start = 0.35);\n"
                  "  TimeTable e(t = {0, 1, 3}, values = {1, 2, -2}); Constant k(k = 7); Add f(u1 "
                  "= a.y, u2 = b.y, k2 = -2);\n"
                  "  Limiter g(u = a.y, low = 0, high = 2); Table h(u = a.y, x = {-1, 1, 3}, "
                  "values = {0, 10, 0}); Gain i(k = 3, u = h.y);\n"
                  "end S;\n",
          .stop = 4, .step = 0.1);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i), pi = 3.14159265358979323846;
    double a = 1 + (t < 0.45 ? 0 : 2 * sin(2 * pi * 0.5 * (t - 0.45) + 0.3));
    double b = 1 + (t < 0.55 ? 0 : t < 2.55 ? -3 * (t - 0.55) / 2 : -3);
    assert_close(value_at(&r, "a.y", i), a, 1e-12);
    assert_close(value_at(&r, "b.y", i), b, 1e-12);
    assert_close(value_at(&r, "c.y", i), t < 1.55 ? -1 : 3, 0);
    double phase = fmod(t - 0.35, 0.7);
    assert_close(value_at(&r, "d.y", i), t >= 0.35 && phase < 0.21 ? 7 : 5, 0);
    assert_close(value_at(&r, "e.y", i), t < 1 ? 1 + t : t < 3 ? 2 - 2 * (t - 1) : -2, 1e-12);
    assert_close(value_at(&r, "k.y", i), 7, 0);
    assert_close(value_at(&r, "f.y", i), a - 2 * b, 1e-12);
    assert_close(value_at(&r, "g.y", i), fmin(2, fmax(0, a)), 1e-12);
    assert_close(value_at(&r, "i.y", i), 3 * fmax(0, 10 - 5 * fabs(a - 1)), 1e-10);
  }
  run_free(&r);
}

static void transfer_functions_answer_a_step(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text =
              "model T import Entrain.Blocks.*; FirstOrder a(k = 2, T = 0.5, u = 1);\n"
              "  SecondOrder b(k = 3, w = 4, zeta = 0.2, u = 1); Integrator c(k = 2, u = 1.5);\n"
              "  PID d(k = 2, Ti = 0.5, Td = 0.1, N = 10, u = 1); end T;\n",
          .options = FINE, .stop = 3, .step = 0.1);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i), w = 4 * sqrt(1 - 0.04);
    assert_close(value_at(&r, "a.y", i), 2 * (1 - exp(-t / 0.5)), 1e-11);
    assert_close(value_at(&r, "b.y", i),
                 3 * (1 - exp(-0.8 * t) * (cos(w * t) + 0.8 / w * sin(w * t))), 1e-10);
    assert_close(value_at(&r, "c.y", i), 3 * t, 1e-11);
    assert_close(value_at(&r, "d.y", i), 2 * (1 + t / 0.5 + 10 * exp(-10 * t / 0.1)), 1e-9);
  }
  run_free(&r);
}

// An all-pass: after a while a sine has its amplitude, and the phase of the delay but for an error of order 2n + 1.
static void pade_delays_a_sine(void **state) {
  (void)state;
  static const double FACTORS[] = {12, 720, 100800}; // phase error: (w*T)^(2n + 1) over this
  for (int n = 1; n <= 3; n++) {
    char text[300];
    snprintf(
        text, sizeof text,
        "model D Entrain.Blocks.PadeDelay d(order = %d, delay = 0.3, u = sin(2*time)); end D;\n",
        n);
    Run r = simulate_fully(.text = text, .options = FINE, .stop = 8, .step = 0.01);
    double p = 2 * 0.3, tangent[] = {p / 2, p / 2 / (1 - p * p / 12),
                                     (p / 2 - p * p * p / 120) / (1 - p * p / 10)};
    double lag = 2 * atan(tangent[n - 1]);
    assert_close(lag, p, 1.2 * pow(p, 2 * n + 1) / FACTORS[n - 1]);
    for (int i = 500; i < rows(&r); i++)
      assert_close(value_at(&r, "d.y", i), sin(2 * value_at(&r, "time", i) - lag), 1e-9);
    run_free(&r);
  }
}

static void tables_go_through_their_points(void **state) {
  (void)state;
  static const double Y[] = {1, 3, 2, 2, 5};
  char text[3000] = "model T import Entrain.Tables.*;\n";
  static const char *const CURVES[] = {"linear",   "spline",    "makima",
                                       "monotone", "monotone2", "Entrain.Tables.hold"};
  for (int i = 0; i < 6; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "  Real y%d = %s(time, {0, 1, 2, 3, 5}, {1, 3, 2, 2, 5});\n", i, CURVES[i]);
  snprintf(text + strlen(text), sizeof text - strlen(text),
           "  Real jump = linear(time, {0, 1, 1, 3}, {0, 2, 5, 1}), line = linear(time, {0, 1}, "
           "{1, 3}, 2),\n"
           "    again = linear(time, {0, 1, 2}, {0, 1, 0}, 3), plane = linear2(time, 2*time, {0, "
           "1, 3}, {0, 4, 5},\n"
           "    {{x + 2*y + 3*x*y for y in {0, 4, 5}} for x in {0, 1, 3}}); end T;\n");
  Run r = simulate_fully(.text = text, .stop = 5, .step = 0.25);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i);
    int k = t < 3 ? (int)t : t < 5 ? 3 : 4;
    bool at_point = t == (int)t && t != 4;
    char name[16];
    for (int c = 0; c < 6; c++) {
      snprintf(name, sizeof name, "y%d", c);
      double y = value_at(&r, name, i);
      if (at_point) assert_close(y, Y[k], 1e-12);
      if (c == 3 || c == 4) // between the points
        assert_true(y >= fmin(Y[k], Y[k < 4 ? k + 1 : 4]) - 1e-12 &&
                    y <= fmax(Y[k], Y[k < 4 ? k + 1 : 4]) + 1e-12);
      if (c == 5) assert_close(y, Y[k], 0);
    }
    assert_close(value_at(&r, "jump", i), t < 1 ? 2 * t : t < 3 ? 5 - 2 * (t - 1) : 1, 1e-12);
    assert_close(value_at(&r, "line", i), 1 + 2 * t, 1e-12);
    double phase = fmod(t, 2);
    assert_close(value_at(&r, "again", i), phase < 1 ? phase : 2 - phase, 1e-12);
    // Bilinear, so exact inside one cell; time up to 1 lies in the first one.
    if (t <= 1) assert_close(value_at(&r, "plane", i), t + 4 * t + 6 * t * t, 1e-12);
  }
  run_free(&r);
}

// ---------------------------------------------------------------- vehicles

static void drive_train_keeps_energy_and_splits_torque(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text = "model D import Entrain.Vehicle.*; Flywheel e(J = 0.3, w(start = 100, fixed = "
                  "true)), l(J = 2), r(J = 1);\n"
                  "  ElasticShaft s(c = 500, d = 0), a(c = 200, d = 0), b(c = 200, d = 0); "
                  "Differential d(ratio = 3.5);\n"
                  "  Real E, T1, T2; equation T1 = d.Jout*der(d.w1) + a.T; T2 = d.Jout*der(d.w2) + "
                  "b.T; connect(e.shaft, s.a); connect(s.b, d.a); connect(d.b1, a.a); "
                  "connect(d.b2, b.a);\n"
                  "  connect(a.b, l.shaft); connect(b.b, r.shaft);\n"
                  "  E = (0.3*e.w^2 + 2*l.w^2 + r.w^2 + d.Jout*(d.w1^2 + d.w2^2) + d.Jin*d.a.w^2\n"
                  "    + d.Jcarrier*((d.w1 + d.w2)/2)^2 + 500*s.phi^2 + 200*(a.phi^2 + "
                  "b.phi^2))/2; end D;\n",
          .options = "rel_tol=1e-11 abs_tol=1e-12", .stop = 1, .step = 0.01);
  const double *E = column(&r, "E");
  for (int i = 0; i < rows(&r); i++) {
    assert_close_relative(E[i], E[0], 1e-8);
    assert_close(value_at(&r, "T1", i), value_at(&r, "T2", i), 1e-9);
  }
  run_free(&r);
}

// Without damping, slip forces and rolling resistance: the sum of kinetic energy, weight, struts and tyre springs.
static void car_without_losses_keeps_its_energy(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text =
              "model E import Entrain.Vehicle.*; parameter Real x[4] = {1.3, 1.3, -1.4, -1.4}, "
              "y[4] = {0.7, -0.7, 0.75, -0.75};\n"
              "  parameter Real F0[4] = 1500*9.81/(2*2.7)*{1.4, 1.4, 1.3, 1.3};\n"
              "  Chassis b(m = 1500, Ixz = 60, v0 = 10, p(start = 0.3), q(start = 0.15), r(start = "
              "1));\n"
              "  Corner c[4](x = x, y = y, F0 = F0, each m = 80, each d = 0, each dt = 0, each fr "
              "= 0, each J = 5, each v0 = 10,\n"
              "    each c3 = 1e5, redeclare model Tyre = SteadyTyre(pDx1 = 0, pDx2 = 0, pKx1 = 0, "
              "pKx2 = 0, pDy1 = 0, pDy2 = 0,\n"
              "    pKy1 = 0), s(start = {0.01, 0, 0, -0.01}), each delta = 0);\n"
              "  ElasticGuide a[2](each d = 0, x(start = {0.001, 0})); Real E, V[4, 3], e[4];\n"
              "equation for i in 1:4 loop connect(b.carrier, c[i].mount);\n"
              "    connect(a[if i < 3 then 1 else 2].guide, c[i].guide);\n"
              "    V[i, 1] = b.u + b.q*(c[i].z0 + c[i].s) - b.r*y[i] + a[if i < 3 then 1 else "
              "2].v;\n"
              "    V[i, 2] = b.v + b.r*(x[i] + a[if i < 3 then 1 else 2].x) - b.p*(c[i].z0 + "
              "c[i].s);\n"
              "    V[i, 3] = b.w + b.p*y[i] - b.q*(x[i] + a[if i < 3 then 1 else 2].x) + c[i].sd;\n"
              "    e[i] = 80*(V[i, 1]^2 + V[i, 2]^2 + V[i, 3]^2)/2 + 5*c[i].om^2/2 + "
              "80*9.81*c[i].Rl + F0[i]*c[i].s\n"
              "      + 3e4*c[i].s^2/2 + 1e5*c[i].s^4/4 + 2.5e5*(0.33 - c[i].Rl)^2/2;\n"
              "    end for;\n"
              "  E = 1500*(b.u^2 + b.v^2 + b.w^2)/2 + (600*b.p^2 + 2500*b.q^2 + 2800*b.r^2 - "
              "2*60*b.p*b.r)/2 + 1500*9.81*b.Z\n"
              "    + sum(e) + 1.2e6*(a[1].x^2 + a[2].x^2)/2; end E;\n",
          .options = "rel_tol=1e-11 abs_tol=1e-12", .stop = 2, .step = 0.02);
  const double *E = column(&r, "E");
  for (int i = 0; i < rows(&r); i++) assert_close_relative(E[i], E[0], 1e-8);
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_spring_damper_is_a_decaying_cosine),
      cmocka_unit_test(beam_of_parts_moves_as_its_equations_typed_by_hand),
      cmocka_unit_test(energy_stays_in_springs_stops_and_levers),
      cmocka_unit_test(damped_stop_takes_energy_and_never_pulls),
      cmocka_unit_test(sources_and_sensors_agree),
      cmocka_unit_test(friction_reaches_its_steady_force),
      cmocka_unit_test(bristles_follow_their_equations_typed_by_hand),
      cmocka_unit_test(sticking_mass_comes_to_rest),
      cmocka_unit_test(two_masses_with_friction_between_end_together),
      cmocka_unit_test(dry_friction_holds_as_sticking_does),
      cmocka_unit_test(what_turns_moves_as_what_slides),
      cmocka_unit_test(sources_and_sensors_of_rotation_agree),
      cmocka_unit_test(units_of_all_parts_agree),
      cmocka_unit_test(pinion_and_rack_share_their_inertia),
      cmocka_unit_test(sources_of_signals_have_their_shapes),
      cmocka_unit_test(transfer_functions_answer_a_step),
      cmocka_unit_test(pade_delays_a_sine),
      cmocka_unit_test(tables_go_through_their_points),
      cmocka_unit_test(drive_train_keeps_energy_and_splits_torque),
      cmocka_unit_test(car_without_losses_keeps_its_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
