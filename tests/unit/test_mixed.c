// Relations on what is solved for together with their own modes: friction that locks, amplifiers with feedback, switches.
#include "simulation.h"

static const char EXACT[] = "rel_tol=1e-10 abs_tol=1e-12";

// Friction between two rotors. The names and equations are those of usual friction elements.
#define FRICTION(name, speed, acceleration)                                                        \
  "  " name ".free = " name ".t0 <= 0;\n"                                                          \
  "  " name ".forward = pre(" name ".mode) == 0 and (" name ".sa > " name ".peak*" name            \
  ".t0 or pre(" name ".forward) and " name ".sa > " name ".t0) or initial() and " speed " > 0;\n"  \
  "  " name ".backward = pre(" name ".mode) == 0 and (" name ".sa < -" name ".peak*" name          \
  ".t0 or pre(" name ".backward) and " name ".sa < -" name ".t0) or initial() and " speed          \
  " < 0;\n"                                                                                        \
  "  " name ".locked = not " name ".free and not (pre(" name ".mode) == 1 or " name                \
  ".forward or pre(" name ".mode) == -1 or " name ".backward);\n"                                  \
  "  " acceleration " = if " name ".locked then 0 elseif " name ".free then " name                 \
  ".sa elseif " name ".forward or pre(" name ".mode) == 1 and not " name ".backward then " name    \
  ".sa - " name ".peak*" name ".t0 else " name ".sa + " name ".peak*" name ".t0;\n"                \
  "  " name ".tau = if " name ".locked then " name ".sa elseif " name ".free then 0 elseif " name  \
  ".forward or pre(" name ".mode) == 1 and not " name ".backward then " name ".t0 else -" name     \
  ".t0;\n"                                                                                         \
  "  " name ".mode = if " name ".free then 2 elseif (pre(" name ".mode) == 1 or pre(" name         \
  ".mode) == 2 or " name ".forward) and " speed " > 0 then 1 elseif (pre(" name                    \
  ".mode) == -1 or pre(" name ".mode) == 2 or " name ".backward) and " speed                       \
  " < 0 then -1 else 0;\n"

#define ELEMENT                                                                                    \
  "record Friction Real t0, sa, tau; parameter Real peak = 1; Boolean free, locked, "              \
  "forward(start = false, fixed = true), backward(start = false, fixed = true); Integer "          \
  "mode(start = 3, fixed = true); end Friction;\n"

// The light rotor turns faster under the clutch than the heavy one slows down: forward and backward slip both lead back.
static void a_clutch_locks_a_light_rotor(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text = ELEMENT
                     "model Clutch Friction c(peak = 1.1); parameter Real J1 = 1, J2 = 0.05; Real "
                     "w1(start = 100, fixed = true), w2(start = 90, fixed = true); equation c.t0 = "
                     "80; J1*der(w1) = c.tau + 20*sin(5*time); J2*der(w2) = -c.tau;\n" FRICTION(
                         "c", "(w2 - w1)", "(der(w2) - der(w1))") "end Clutch;",
                     .stop = 1, .step = 0.01, .options = EXACT,
                     .select = "w1 w2 c.mode c.locked c.tau");
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i), w1 = value_at(&r, "w1", i), w2 = value_at(&r, "w2", i);
    double turned = 104.5 + 4 * (1 - cos(5 * t)); // momentum
    assert_close(w1 + 0.05 * w2, turned, 1e-7);
    if (t > 0.02) assert_close(w1, w2, 1e-8);
    if (t > 0.02) assert_close(value_at(&r, "c.mode", i), 0, 0);
    if (t > 0.02) assert_close(value_at(&r, "c.tau", i), -20 * sin(5 * t) * 0.05 / 1.05, 1e-6);
  }
  assert_true(r.work.events < 20);
  run_free(&r);
}

// Two brakes hold one shaft: how they share the load is open, what they hold together is not.
static void two_brakes_hold_one_shaft(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text = ELEMENT
          "model Brakes Friction a, b; Real w(start = 1, fixed = true), load; equation "
          "a.t0 = 2; b.t0 = 3; load = if time < 1 then 0 else 2*(time - 1); der(w) = load "
          "- a.tau - b.tau;\n" FRICTION("a", "w", "der(w)")
              FRICTION("b", "w", "der(w)") "end Brakes;",
          .stop = 6, .step = 0.05, .options = EXACT, .select = "w a.tau b.tau load");
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i), w = value_at(&r, "w", i);
    if (t > 0.2 && t < 3) {
      assert_close(w, 0, 1e-9);
      assert_close(value_at(&r, "a.tau", i) + value_at(&r, "b.tau", i), value_at(&r, "load", i),
                   1e-9);
    }
    if (t > 3.6) assert_close(w, (t - 3.5) * (t - 3.5), 1e-7); // both slip: a load of 5 at t = 3.5
  }
  run_free(&r);
}

// The slip begins where the relation of the slip does not hold yet: it does once pre(forward) is true.
static void a_heavy_rotor_begins_to_slip(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text = ELEMENT
                     "model Slip Friction c(peak = 1.5); parameter Real J = 100; Real w(start = 0, "
                     "fixed = true); equation c.t0 = 1; J*der(w) = time - c.tau;\n" FRICTION(
                         "c", "w", "der(w)") "end Slip;",
                     .stop = 3, .step = 0.1, .options = EXACT, .select = "w c.locked c.mode");
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i);
    if (t < 1.49) assert_close(value_at(&r, "w", i), 0, 1e-12);
    if (t > 1.51) assert_close(value_at(&r, "w", i), ((t * t - 2.25) / 2 - (t - 1.5)) / 100, 1e-9);
  }
  run_free(&r);
}

// ---------------------------------------------------------------- relations that nothing depends on

static void what_nothing_depends_on_is_no_event(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text = "model Guard Integer q(start = 0, fixed = true); Boolean hit; Real "
                             "u, x(start = 0, fixed = true); equation u = sin(100*time); hit = "
                             "pre(q) == 1 and u > 0; der(x) = if hit then 1 else 0; when {time >= "
                             "1, time >= 2} then q = if time < 1.5 then 1 else 0; end when; end "
                             "Guard;",
                     .stop = 10, .step = 0.013, .options = "rel_tol=1e-8 abs_tol=1e-10");
  assert_true(r.work.events < 60); // 32 zeros between 1 and 2, and 318 in all
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i);
    bool active = t >= 1 && t < 2;
    assert_close(value_at(&r, "hit", i), active && sin(100 * t) > 0, 0);
  }
  run_free(&r);
}

static void a_time_that_is_not_known_yet_costs_no_steps(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text =
                         "model Arc discrete Real last(start = -1.7e308, fixed = true); Real "
                         "x(start = 1, fixed = true), v; equation v = min(5, 2 + 3*(time - "
                         "last)); der(x) = -x*v; when time >= 1 then last = time; end when; end "
                         "Arc;",
                     .stop = 2, .step = 0.1, .options = "rel_tol=1e-8 abs_tol=1e-10",
                     .select = "x v");
  if (r.error.code == 0) assert_true(r.work.steps < 500);
  run_free(&r);
}

// ---------------------------------------------------------------- solutions that end

static const char TRIGGER[] =
    "model Trigger parameter Real gain = 1000, share = 0.5; Real u, feed, inside, y, x(start = 0, "
    "fixed = true); equation u = 4*sin(time); feed = share*y; inside = gain*(feed - u); y = "
    "smooth(0, min(5, max(-5, inside))); der(x) = y; end Trigger;";

// Where |u| passes 2.5 - 5/1000 the output jumps to the other side. Before that it may be on any of three branches.
static void a_trigger_without_dynamics_jumps(void **state) {
  (void)state;
  double limit = asin((2.5 - 5.0 / 1000) / 4), pi = acos(-1);
  Run r = simulate_fully(.text = TRIGGER, .stop = 20, .step = 0.1, .options = EXACT);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i);
    if (t < limit) continue;
    bool low = fmod(t - limit, 2 * pi) < pi;
    assert_close(value_at(&r, "y", i), low ? -5 : 5, 1e-9);
  }
  assert_true(r.work.events < 60);
  run_free(&r);
}

// A stiff method must not stay on the unstable side: the period is that of an ideal trigger.
static void a_multivibrator_swings(void **state) {
  (void)state;
  static const char *const SOLVERS[] = {"auto", "rosenbrock", "bdf"};
  for (int s = 0; s < 3; s++) {
    char options[60];
    snprintf(options, sizeof options, "solver=%s rel_tol=1e-7", SOLVERS[s]);
    Run r = simulate_fully(
            .text =
                "model Swing parameter Real gain = 15000, tau = 1e-5; Real inside(start = -15, "
                "fixed = "
                "true), c(start = 1, fixed = true), y; equation tau*der(inside) = gain*(0.5*y - c) "
                "- "
                "inside; y = smooth(0, min(15, max(-15, inside))); 0.1*der(c) = y - c; end Swing;",
            .stop = 3, .step = 0.001, .options = options, .select = "y c");
    double before = 0, first = 0, last = 0;
    int count = 0;
    for (int i = 1; i < rows(&r); i++) {
      double y = value_at(&r, "y", i);
      if (before < 0 && y > 0) last = value_at(&r, "time", i), first = count++ ? first : last;
      before = y;
    }
    assert_true(count > 5);
    assert_close((last - first) / (count - 1), 0.2 * log(3), 5e-4);
    run_free(&r);
  }
}

// ---------------------------------------------------------------- what the equations are solved for

// A gate: what is solved for stands in the condition of its own equation, inside a nonlinear loop.
static void an_unknown_may_stand_in_its_own_condition(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text =
                         "model Gate Real v, i, d; equation v = smooth(0, if v < 0.5 then 100*i "
                         "else 0.45 + 10*i); i = 0.02*sin(time) - d; d = 1e-6*(exp(v/0.1) - 1); "
                         "end Gate;",
                     .stop = 6, .step = 0.1);
  for (int i = 0; i < rows(&r); i++) {
    double v = value_at(&r, "v", i), j = value_at(&r, "i", i), t = value_at(&r, "time", i);
    assert_close(v, v < 0.5 ? 100 * j : 0.45 + 10 * j, 1e-9);
    assert_close(j, 0.02 * sin(t) - 1e-6 * (exp(v / 0.1) - 1), 1e-9);
  }
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_clutch_locks_a_light_rotor),
      cmocka_unit_test(two_brakes_hold_one_shaft),
      cmocka_unit_test(a_heavy_rotor_begins_to_slip),
      cmocka_unit_test(what_nothing_depends_on_is_no_event),
      cmocka_unit_test(a_time_that_is_not_known_yet_costs_no_steps),
      cmocka_unit_test(a_trigger_without_dynamics_jumps),
      cmocka_unit_test(a_multivibrator_swings),
      cmocka_unit_test(an_unknown_may_stand_in_its_own_condition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
