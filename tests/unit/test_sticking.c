// Dry friction that sticks, through whole simulations: closed solutions, difference quotients, equivalent texts.
#include "simulation.h"

static const char *const SOLVERS[] = {"auto", "rk5", "rk8", "rosenbrock", "bdf", "adams"};
enum { SOLVER_COUNT = 6 };

// A mass on a rough plane that a growing force pulls: it sticks until A*t = Fc, then v = (A*(t^2 - t1^2)/2 - Fc*(t - t1))/m.
#define PULLED(law)                                                                                \
  "model Pulled parameter Real m = 2, Fc = 1.2, A = 0.4; Real x(start = 0, fixed = true);\n"       \
  "Real v(start = 0, fixed = true), F; equation F = " law ";\n"                                    \
  "der(x) = v; m*der(v) = A*time - F; end Pulled;"

static const char *const LAWS[] = {
    PULLED("Fc*sign(v)"),
    PULLED("if v > 0 then Fc elseif v < 0 then -Fc else 0"),
    PULLED("if v > 0 then Fc else -Fc"),
    PULLED("Fc*(if 0 >= v then -1 else 1)"),
};
enum { LAW_COUNT = sizeof LAWS / sizeof *LAWS };

static void a_pulled_mass_sticks_until_the_force_is_large_enough(void **state) {
  (void)state;
  double m = 2, Fc = 1.2, A = 0.4, t1 = Fc / A;
  for (int s = 0; s < SOLVER_COUNT; s++)
    for (int k = 0; k < LAW_COUNT; k++) {
      char options[100];
      snprintf(options, sizeof options, "solver=%s rel_tol=1e-9 abs_tol=1e-11", SOLVERS[s]);
      Run r = simulate_fully(.text = LAWS[k], .options = options, .stop = 6, .step = 0.37);
      for (int i = 0; i < rows(&r); i++) {
        double t = value_at(&r, "time", i), after = fmax(0, t - t1);
        double v = t > t1 ? (A * (t * t - t1 * t1) / 2 - Fc * after) / m : 0;
        assert_close(value_at(&r, "v", i), v, 1e-7);
        assert_close(value_at(&r, "F", i), t < t1 ? A * t : Fc, 1e-9); // the force that holds it
      }
      run_free(&r);
    }
}

// Rests at x where |k x| <= Fc; each half swing takes 2 Fc/k from the amplitude.
static void an_oscillator_comes_to_rest_where_the_steps_of_its_amplitude_end(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Osc parameter Real m = 1, k = 4, Fc = 1, x0 = 2.3; Real x(start = x0, fixed = true);\n"
      "Real v(start = 0, fixed = true); equation der(x) = v; m*der(v) = -k*x - Fc*sign(v); end "
      "Osc;";
  Run r =
      simulate_fully(.text = TEXT, .options = "rel_tol=1e-9 abs_tol=1e-11", .stop = 20, .step = 1);
  double x = 2.3, k = 4, Fc = 1;
  while (fabs(x) > Fc / k) x = -(x > 0 ? 1 : -1) * (fabs(x) - 2 * Fc / k);
  assert_close(last_value(&r, "x"), x, 1e-6);
  assert_close(last_value(&r, "v"), 0, 1e-12);
  run_free(&r);
}

// ---------------------------------------------------------------- sensitivities

typedef struct Case {
  const char *text, *parameters;
} Case;

#define CAR(front, rear)                                                                           \
  "model Car parameter Real mu = 0.8, h = 0.5, T = 7, r = 0.25; Real N1, N2, s1, s2, y, z;\n"      \
  "Real v(start = 3, fixed = true), w1(start = 12, fixed = true), w2(start = 12, fixed = true);\n" \
  "equation N1 = 49 + h/2.6*(y + z); N2 = 49 - h/2.6*(y + z); s1 = " front "; s2 = " rear ";\n"    \
  "y = mu*N1*s1; z = mu*N2*s2; 10*der(v) = -y - z; 0.12*der(w1) = r*y - T*sin(time);\n"            \
  "0.12*der(w2) = r*z - 4*sin(time); end Car;"

static const Case CASES[] = {
    {"model Belt parameter Real m = 1, k = 2, Fc = 1.5, vb = 0.7, mu = 0.6;\n"
     "Real x(start = 0, fixed = true), v(start = 0, fixed = true), s, y; equation s = v - vb;\n"
     "y = Fc*sign(s)*(mu + (1 - mu)*exp(-abs(s))); der(x) = v; m*der(v) = -k*x - y; end Belt;",
     "m k Fc vb mu"},
    // two that stick to each other, rub on the ground, and turn round at the same instant
    {"model Twins parameter Real A = 4, F1 = 0.6, F2 = 0.5, G = 2.5;\n"
     "Real x(start = 0, fixed = true), v(start = 0, fixed = true), v2(start = 0, fixed = true), "
     "y;\n"
     "equation der(x) = v; y = G*sign(v - v2); 2*der(v) = A*sin(time) - F1*sign(v) - y;\n"
     "der(v2) = y - F2*sign(v2); end Twins;",
     "A F1 F2 G"},
    // a jump takes them apart
    {"model Bumper parameter Real A = 4, F1 = 0.6, G = 2.5, L = 1.3, e = 0.6;\n"
     "Real x(start = 0, fixed = true), v(start = 0, fixed = true), v2(start = 0, fixed = true), "
     "y;\n"
     "equation der(x) = v; y = G*sign(v - v2); 2*der(v) = A*sin(time) - F1*sign(v) - y;\n"
     "der(v2) = y; when x > L then reinit(v, -e*pre(v)); end when; end Bumper;",
     "A F1 G L e"},
    {"model Pair parameter Real A = 3, F1 = 1, F2 = 0.6, k = 5; Real x(start = 0, fixed = true);\n"
     "Real v(start = 0, fixed = true), x2(start = 0, fixed = true), v2(start = 0, fixed = true), "
     "y;\n"
     "equation y = F2*sign(v - v2); der(x) = v; der(x2) = v2;\n"
     "2*der(v) = A*sin(time) - F1*sign(v) - y - k*x; der(v2) = y - 0.3*x2; end Pair;",
     "A F1 F2 k"},
    // the square of the force of friction
    {"model Heat parameter Real A = 1.2, Fc = 1; Real v(start = 0, fixed = true), y;\n"
     "Real E(start = 0, fixed = true), z; equation y = Fc*sign(v); der(E) = y^2; z = exp(0.3*y);\n"
     "der(v) = A*sin(time) - y; end Heat;",
     "A Fc"},
    // loads that the forces of both contacts shift
    {CAR("sign(v - r*w1)", "sign(v - r*w2)"), "mu h T"},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static void sensitivities_match_differences(void **state) {
  (void)state;
  for (int c = 0; c < CASE_COUNT; c++)
    for (int s = 0; s < SOLVER_COUNT; s++) {
      char options[100];
      snprintf(options, sizeof options, "solver=%s rel_tol=1e-9 abs_tol=1e-11", SOLVERS[s]);
      Spec spec = {.text = CASES[c].text, .stop = 9, .step = 0.37, .sens = CASES[c].parameters};
      spec.options = options;
      assert_sensitivities(&spec, .step = 1e-6, .tolerance = 1e-4,
                           .options = "rel_tol=1e-12 abs_tol=1e-14");
    }
}

// sign(w) has one value in all equations, also where they are not linear in it.
static void what_follows_from_a_force_follows_from_the_one_that_holds(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s rel_tol=1e-9 abs_tol=1e-11", SOLVERS[s]);
    Run r = simulate_fully(
            .text =
                "model Pulled parameter Real Fc = 1.2, A = 0.4; Real v(start = 0, fixed = true);\n"
                "Real F, q, E(start = 0, fixed = true); equation F = Fc*sign(v); q = F*F;\n"
                "der(E) = q; 2*der(v) = A*time - F; end Pulled;",
            .options = options, .stop = 3, .step = 0.37, .sens = "A Fc");
    for (int i = 0; i < rows(&r); i++) {
      double t = value_at(&r, "time", i), A = 0.4;
      assert_close(value_at(&r, "q", i), A * A * t * t, 1e-9);
      assert_close(value_at(&r, "E", i), A * A * t * t * t / 3, 1e-7);
      assert_close(value_at(&r, "dE/dA", i), 2 * A * t * t * t / 3, 1e-7);
      assert_close(value_at(&r, "dE/dFc", i), 0, 1e-9);
    }
    run_free(&r);
  }
}

// Two axles whose loads depend on both forces: as with very steep smooth laws, while both roll, one slides, or both.
static void contacts_that_shift_loads_are_followed(void **state) {
  (void)state;
  static const char SHARP[] = CAR("sign(v - r*w1)", "sign(v - r*w2)"),
                    SMOOTH[] = CAR("tanh((v - r*w1)/1e-6)", "tanh((v - r*w2)/1e-6)");
  static const char *const SETS[] = {"T=7",        "T=14",        "T=25",
                                     "T=25 h=1.5", "T=14 mu=0.3", "T=20 mu=0.3 h=2"};
  static const char *const NAMES[] = {"v", "y", "z"};
  for (int i = 0; i < 6; i++) {
    Run r = simulate_fully(.text = SHARP, .set = SETS[i], .options = "rel_tol=1e-9 abs_tol=1e-11",
                           .stop = 9, .step = 0.9);
    Run like = simulate_fully(.text = SMOOTH, .set = SETS[i],
                              .options = "rel_tol=1e-9 abs_tol=1e-11", .stop = 9, .step = 0.9);
    assert_int_equal(rows(&r), 11);
    for (int k = 0; k < rows(&r); k++)
      for (int n = 0; n < 3; n++)
        assert_close(value_at(&r, NAMES[n], k), value_at(&like, NAMES[n], k), n ? 0.02 : 1e-5);
    run_free(&r);
    run_free(&like);
  }
}

// Relays that stick at the same time, each by itself.
#define RELAYS(n)                                                                                  \
  "model Relays Real x[" n "](each start = 0.1, each fixed = true); equation for i in 1:" n        \
  " loop\n"                                                                                        \
  "der(x[i]) = -sign(x[i])*(1 + 0.01*i) + 0.4*sin(time + i); end for; end Relays;"
static void many_may_stick_at_once(void **state) {
  (void)state;
  Run r = simulate_fully(.text = RELAYS("64"), .stop = 1, .step = 1);
  assert_close(last_value(&r, "x[64]"), 0, 1e-12);
  run_free(&r);
  Run more = simulate(.text = RELAYS("65"), .stop = 1, .step = 1);
  assert_non_null(strstr(entrain_result_message(more.result), "more than 64 relations at once"));
  run_free(&more);
}

// Where it breaks away, rounding errors decide nothing: whatever the numbers are, it goes on. It ended with 'chatter' in one of twenty.
static void it_always_breaks_away(void **state) {
  (void)state;
  for (int i = 0; i < 150; i++) {
    char set[100];
    snprintf(set, sizeof set, "k=%.9f F=%.9f", 3.9 + 0.0013 * i, 1.01 - 0.00021 * i);
    Run r = simulate_fully(
            .text = "model Belt parameter Real k = 4, F = 1; Real x(start = 0, fixed = true);\n"
                    "Real v(start = 0, fixed = true), s; equation s = v - 0.3; der(x) = v;\n"
                    "der(v) = -k*x - F*sign(s)*(0.6 + 0.4*exp(-abs(s)/0.1)) - 0.3*v; end Belt;",
            .set = set, .stop = 9, .step = 3);
    assert_int_equal(rows(&r), 4);
    run_free(&r);
  }
}

// A body that sticks for a long time costs methods of many steps no more than tolerances ask for.
static void methods_of_many_steps_stay_accurate(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Ride parameter Real k = 5; Real x(start = 0, fixed = true), v(start = 0.5, fixed = "
      "true);\n"
      "Real z(start = 1, fixed = true), u(start = 0, fixed = true); equation der(x) = v;\n"
      "der(v) = -2*sign(v - 0.4 - 0.1*sin(2*time)) + 0.1*(z - x); der(z) = u; der(u) = -k*(z - "
      "x);\n"
      "end Ride;";
  Run exact = simulate_fully(.text = TEXT, .options = "solver=rk8 rel_tol=1e-12 abs_tol=1e-13",
                             .stop = 6, .step = 1);
  for (int s = 3; s < SOLVER_COUNT; s++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s rel_tol=1e-9 abs_tol=1e-11", SOLVERS[s]);
    Run r = simulate_fully(.text = TEXT, .options = options, .stop = 6, .step = 1);
    assert_close(last_value(&r, "z"), last_value(&exact, "z"), 1e-6);
    assert_true(r.work.steps < 2000);
    run_free(&r);
  }
  run_free(&exact);
}

// Surfaces that move: v = t^2 all the time; and a belt that takes the mass along and loses it, where the motion hardly leaves the
// surface at first. Errors follow the tolerances, and nothing begins anew all the time.
static void surfaces_that_move_are_followed(void **state) {
  (void)state;
  static const char CURVE[] =
      "model Curve Real x(start = 0, fixed = true), v(start = 0, fixed = true);\n"
      "equation der(x) = v; der(v) = -10*sign(v - time^2); end Curve;";
  static const char BELT[] =
      "model Belt Real x(start = 0, fixed = true), v(start = 0, fixed = true);\n"
      "equation der(x) = v; der(v) = -2*x - 2*sign(v - sin(2.5*time)); end Belt;";
  static const double TOLERANCES[] = {1e-4, 1e-6, 1e-8, 1e-10};
  Run exact = simulate_fully(.text = BELT, .options = "solver=rk8 rel_tol=1e-12 abs_tol=1e-13",
                             .stop = 6, .step = 1);
  for (int s = 0; s < SOLVER_COUNT; s++)
    for (int k = 0; k < 4; k++) {
      char options[100];
      snprintf(options, sizeof options, "solver=%s rel_tol=%g abs_tol=%g", SOLVERS[s],
               TOLERANCES[k], TOLERANCES[k]);
      Run r = simulate_fully(.text = CURVE, .options = options, .stop = 1, .step = 0.5);
      assert_close(last_value(&r, "v"), 1, 100 * TOLERANCES[k]);
      assert_close(last_value(&r, "x"), 1 / 3.0, 100 * TOLERANCES[k]);
      assert_true(r.work.steps < 2000);
      run_free(&r);
      r = simulate_fully(.text = BELT, .options = options, .stop = 6, .step = 1);
      assert_close(last_value(&r, "x"), last_value(&exact, "x"), 300 * TOLERANCES[k]);
      assert_true(r.work.steps < 5000);
      run_free(&r);
    }
  run_free(&exact);
}

// On the surface w_x S + w_p = 0: here the speed is that of the belt.
static void while_it_sticks_the_speed_moves_with_the_belt(void **state) {
  (void)state;
  Run r = simulate_fully(.text = CASES[0].text, .options = "rel_tol=1e-9 abs_tol=1e-11", .stop = 12,
                         .step = 0.1, .sens = "vb k");
  int sticks = 0;
  for (int i = 0; i < rows(&r); i++) {
    if (fabs(value_at(&r, "s", i)) > 1e-12) continue;
    sticks++;
    assert_close(value_at(&r, "dv/dvb", i), 1, 1e-9);
    assert_close(value_at(&r, "dv/dk", i), 0, 1e-9);
    assert_close(value_at(&r, "y", i), -2 * value_at(&r, "x", i), 1e-9); // balances the spring
  }
  assert_true(sticks > 10);
  run_free(&r);
}

// The relation on b is constant, whatever b is: nothing turns x back where b changes.
static void a_chain_of_relations_does_not_hold_the_motion(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text = "model Chain Real x(start = 0.5, fixed = true); Boolean b; equation\n"
                             "b = 0.001*((if x > 0.4 then x - 0.4 else 0) + 1024) >= 1.0248;\n"
                             "der(x) = if (if b then 1 else 2) >= 1 then 1 else -0.4; end Chain;",
                     .stop = 1, .step = 1);
  assert_close(last_value(&r, "x"), 1.5, 1e-9);
  run_free(&r);
}

// At rest the law holds more than it rubs. The force grows to 2 and falls: the mass breaks away at Fs, with every solver and whether it
// came to rest there or began there; dv/dFs is what the time of breaking away changes.
#define HELD(limit, law, more)                                                                     \
  "model Held parameter Real Fc = 1, Fs = 1.5, A = 0.5, T = " limit                                \
  ", d = 0; Real load, F, dir;\n"                                                                  \
  "Real v(start = if T > 0 then -0.3 else 0, fixed = true); equation load = A*time;\n"             \
  "F = " law "; der(v) = load - F; dir = " more "; end Held;"

static void a_law_may_hold_more_at_rest_than_it_rubs(void **state) {
  (void)state;
  static const char *const TEXT[] = {
      HELD("1", "if v > 0 then Fc elseif v < 0 then -Fc else max(-Fs, min(Fs, load))", "0"),
      HELD("0", "if v > 0 then Fc elseif v < 0 then -Fc else max(-Fs, min(Fs, load))", "0"),
      HELD("0",
           "if v < 0 then -Fc elseif not v > 0 then (if load > Fs then Fs elseif load < -Fs "
           "then -Fs else load) else Fc",
           "0"),
      HELD("1", "if abs(v) > 0 then Fc*sign(v) else max(-Fs, min(Fs, load))", "0"),
      HELD("0", "if 0 >= v^2 then max(-Fs, min(Fs, load)) else Fc*sign(v)", "0"),
      HELD("1", "if sqrt(v*v) <= 0 then max(-Fs, min(Fs, load)) elseif v > 0 then Fc else -Fc",
           "0"),
      HELD("1", "if v > 0 then Fc elseif v < 0 then -Fc else max(-Fs, min(Fs, load))", "sign(v)"),
      HELD("1",
           "(if abs(v) > 0 then Fc*sign(v) else max(-Fs, min(Fs, 1e5 + load - 1e5))) + d*sign(v)",
           "0"),
  };
  double Fc = 1, Fs = 1.5, A = 0.5, t1 = Fs / A;
  for (int s = 0; s < SOLVER_COUNT; s++)
    for (size_t k = 0; k < sizeof TEXT / sizeof *TEXT; k++) {
      char options[100];
      double allowed = s < 4 ? 1e-8 : 5e-7; // bdf and adams begin anew with small orders
      snprintf(options, sizeof options, "solver=%s rel_tol=1e-9 abs_tol=1e-11", SOLVERS[s]);
      Run r = simulate_fully(.text = TEXT[k], .options = options, .stop = 5, .step = 0.31,
                             .sens = "Fs");
      for (int i = 0; i < rows(&r); i++) {
        double t = value_at(&r, "time", i);
        if (t < 0.5) continue; // it slides backwards first
        double v = t > t1 ? A / 2 * (t * t - t1 * t1) - Fc * (t - t1) : 0;
        assert_close(value_at(&r, "v", i), v, allowed);
        assert_close(value_at(&r, "F", i), t < t1 ? A * t : Fc, 1e-9);
        assert_close(value_at(&r, "dv/dFs", i), t > t1 ? (Fc - Fs) / A : 0, allowed);
      }
      run_free(&r);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pulled_mass_sticks_until_the_force_is_large_enough),
      cmocka_unit_test(an_oscillator_comes_to_rest_where_the_steps_of_its_amplitude_end),
      cmocka_unit_test(sensitivities_match_differences),
      cmocka_unit_test(what_follows_from_a_force_follows_from_the_one_that_holds),
      cmocka_unit_test(contacts_that_shift_loads_are_followed),
      cmocka_unit_test(many_may_stick_at_once),
      cmocka_unit_test(it_always_breaks_away),
      cmocka_unit_test(methods_of_many_steps_stay_accurate),
      cmocka_unit_test(surfaces_that_move_are_followed),
      cmocka_unit_test(a_chain_of_relations_does_not_hold_the_motion),
      cmocka_unit_test(a_law_may_hold_more_at_rest_than_it_rubs),
      cmocka_unit_test(while_it_sticks_the_speed_moves_with_the_belt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
