// Modes have the literal value of their relation: quantities that are constant between events and jump onto a limit,
// chains of them, rows at the start and at events, models without states. Expected values are computed by hand.
#include "simulation.h"

static const char *const SOLVERS[] = {"auto", "rk5", "rk8", "rosenbrock", "bdf", "adams"};
enum { SOLVER_COUNT = 6 };

// der(x) = slope, x(0) = 0
typedef struct Slope {
  const char *slope;
  double stop, x; // x(stop)
} Slope;

static const Slope SLOPES[] = {
    {"if (if time > 1 then 1 else 0) >= 1 then 1 else 0", 4, 3},
    {"if (if time > 1 then 1 else 0) > 1 then 1 else 0", 4, 0},
    {"if (if time > 1 then 1 else 0) < 1 then 1 else 0", 4, 1},
    {"if (if time > 1 then 1 else 0) <= 0 then 1 else 0", 4, 1},
    {"mod(floor(time), 2)", 4, 2},
    {"mod(ceil(time), 2)", 4, 2},
    {"if floor(time) >= 2 then 1 else 0", 4, 2},
    {"if floor(time) > 2 then 1 else 0", 4, 1},
    {"if floor(time) <= 2 then 1 else 0", 4, 3},
    {"sign(floor(time) - 2)", 4, -1},
    {"abs(floor(time) - 2)", 4, 4},
    {"max(floor(time), 2)", 4, 9},
    {"min(floor(time), 2)", 4, 5},
    {"floor(min(time, 3))", 5, 9},
    {"ceil(min(time, 3))", 5, 12},
    {"sign(min(time, 3) - 3)", 5, -3},
    {"if min(time, 3) >= 3 then 1 else 0", 5, 2},
    {"if min(time, 3) > 3 then 1 else 0", 5, 0},
    {"floor(max(-time, -3))", 5, -12},
    {"floor(if time < 0.5 then 5 else 2)", 4, 9.5},
    {"integer(floor(time))", 4, 6},
    {"floor(floor(time))", 4, 6},
    {"floor(floor(2*time)/2)", 4, 6},
    {"floor(0.5*floor(time))", 4, 2},
    {"floor(mod(time, 2))", 4, 2},
    {"if floor(time) >= 3 then 1.5 elseif floor(time) >= 2 then 2.5 elseif floor(time) >= 1 then 4 "
     "else 6",
     4, 14},
    {"if floor(x + 1e-9) >= 1 then 0.5 else 1", 3, 2},
    {"if time > 0 then 1 else 0", 4, 4},
    {"sign(time)", 4, 4},
    {"if sign(sign(time)) >= 1 then 1 else 0", 4, 4},
    {"sign(sin(time) - 2 + 2*sign(time))", 3, 3},
};
enum { SLOPE_COUNT = sizeof SLOPES / sizeof *SLOPES };

static Run slope_run(const char *slope, const char *solver, double stop, const char *text) {
  char model[700], options[100];
  snprintf(model, sizeof model, text, slope);
  snprintf(options, sizeof options, "solver=%s rel_tol=1e-9 abs_tol=1e-11", solver);
  return simulate_fully(.text = model, .options = options, .stop = stop, .step = stop);
}

static void jumps_onto_a_limit_are_compared_literally(void **state) {
  (void)state;
  for (int k = 0; k < SLOPE_COUNT; k++)
    for (int s = 0; s < SOLVER_COUNT; s++) {
      Run r =
          slope_run(SLOPES[k].slope, SOLVERS[s], SLOPES[k].stop,
                    "model M\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = %s;\nend "
                    "M;\n");
      if (!(fabs(last_value(&r, "x") - SLOPES[k].x) < 1e-6))
        fail_msg("%s by %s: %.12g, not %g", SLOPES[k].slope, SOLVERS[s], last_value(&r, "x"),
                 SLOPES[k].x);
      run_free(&r);
    }
}

// The same with the inner quantity in a variable of its own, whose equation comes behind.
static void the_order_of_equations_does_not_matter(void **state) {
  (void)state;
  for (int order = 0; order < 2; order++) {
    char text[600];
    const char *equations[] = {"n = floor(time);", "on = if m >= 1 then 1 else 0;",
                               "m = mod(n, 2);", "der(x) = on;"};
    snprintf(text, sizeof text,
             "model Pump\n  Real x(start = 0, fixed = true);\n  Real n; Real m; Real on;\n"
             "equation\n  %s\n  %s\n  %s\n  %s\nend Pump;\n",
             equations[order ? 0 : 3], equations[order ? 2 : 1], equations[order ? 1 : 2],
             equations[order ? 3 : 0]);
    Run r = simulate_fully(.text = text, .stop = 6, .step = 0.5);
    for (int i = 0; i < rows(&r); i++) {
      double t = value_at(&r, "time", i), n = floor(t);
      assert_close(value_at(&r, "n", i), n, 0);
      assert_close(value_at(&r, "on", i), fmod(n, 2), 0);
      assert_close(value_at(&r, "x", i), floor(n / 2) + fmod(n, 2) * (t - n), 1e-9);
    }
    run_free(&r);
  }
}

static void a_rounding_converter_in_a_loop_settles(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model Converter\n  parameter Real q = 0.25;\n"
                                 "  Real x(start = 0, fixed = true);\n  Real y;\nequation\n"
                                 "  y = q*integer(floor(x/q + 0.5));\n  der(x) = 1 - y;\n"
                                 "end Converter;\n",
                         .options = "rel_tol=1e-10 abs_tol=1e-12", .stop = 4, .step = 0.1);
  // it rests at 0.875, from where on y = 1
  assert_close(last_value(&r, "x"), 0.875, 1e-9);
  assert_close(last_value(&r, "y"), 1, 0);
  run_free(&r);
}

static void hysteresis_keeps_what_it_was(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model Relay\n  Real x(start = 0, fixed = true);\n  Real h;\n"
                                 "equation\n  der(x) = if h > 0.5 then -1 else 1;\n"
                                 "  h = if x > (if h > 0.5 then 0.4 else 0.6) then 1 else 0;\n"
                                 "end Relay;\n",
                         .options = "rel_tol=1e-9", .stop = 3, .step = 0.05);
  for (int i = 0; i < rows(&r); i++) { // 0.6 s up, then 0.2 s down and 0.2 s up
    double t = value_at(&r, "time", i), phase = t < 0.6 ? 0 : fmod(t - 0.6, 0.4);
    double x = t < 0.6 ? t : phase < 0.2 ? 0.6 - phase : 0.4 + phase - 0.2;
    assert_close(value_at(&r, "x", i), x, 1e-8);
  }
  run_free(&r);
}

static void modes_that_contradict_each_other_are_named(void **state) {
  (void)state;
  static const char *const WHEN[] = {"0", "time - 1"}; // at the start, and later
  for (int k = 0; k < 2; k++) {
    char text[400];
    snprintf(text, sizeof text,
             "model Liar\n  Real a; Real b; Boolean f; Boolean g;\nequation\n  f = b > 0.5;\n"
             "  g = a > 0.5;\n  a = if f or %s < 0 then 0 else 1;\n  b = if g then 1 else 0;\n"
             "end Liar;\n",
             WHEN[k]);
    Run r = simulate(.text = text, .stop = 2, .step = 0.4);
    assert_int_equal(outcome(&r), ENTRAIN_CHATTER);
    assert_int_equal(rows(&r), k == 0 ? 0 : 3);
    assert_non_null(strstr(entrain_result_message(r.result), "> 0.5'"));
    run_free(&r);
  }
}

// At rest at the start: the torque, which a chain of relations chooses, balances the weight.
static void a_start_with_constraints_has_the_modes_of_its_own_values(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text =
                         "model Hanging\n  Real x(start = 0.3), y(start = -0.9);\n"
                         "  Real u(start = 0, fixed = true), v, F, T, on, s;\ninitial equation\n"
                         "  der(u) = 0;\nequation\n  der(x) = u;\n  der(y) = v;\n"
                         "  der(u) = -F*x + T;\n  der(v) = -F*y - 9.81;\n  x^2 + y^2 = 1;\n"
                         "  T = if on > 0.5 then 2 else 1;\n  on = if s >= 1 then 1 else 0;\n"
                         "  s = if x > 0 then 1 else 0;\nend Hanging;\n",
                     .stop = 1, .step = 0.5);
  for (int i = 0; i < rows(&r); i++) {
    assert_close(value_at(&r, "T", i), 2, 0);
    assert_close(value_at(&r, "x", i) / -value_at(&r, "y", i), 2 / 9.81, 1e-8);
  }
  run_free(&r);
}

// ---------------------------------------------------------------- rows

static void the_row_at_the_start_is_literal(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model Start\n  Real x(start = 0, fixed = true);\n  Real a; Real "
                                 "b; Real c; Real d;\nequation\n  der(x) = 1;\n"
                                 "  a = if time > 0 then 1 else 0;\n  b = sign(time);\n"
                                 "  c = if x > 0 then 1 else 0;\n  d = ceil(x);\nend Start;\n",
                         .stop = 1, .step = 0.25);
  for (int i = 0; i < rows(&r); i++) {
    double after = i > 0;
    assert_close(value_at(&r, "a", i), after, 0);
    assert_close(value_at(&r, "b", i), after, 0);
    assert_close(value_at(&r, "c", i), after, 0);
  }
  assert_close(value_at(&r, "d", 0), 0, 0);
  run_free(&r);
}

static void later_rows_show_what_comes_after_the_event(void **state) {
  (void)state;
  static const char *const AT[] = {"time > 0.5", "time >= 0.5", "not time < 0.5",
                                   "ceil(2*time) >= 2", "sign(0.5 - time) < 0"};
  for (int k = 0; k < 5; k++)
    for (int with_state = 0; with_state < 2; with_state++) {
      char text[300];
      snprintf(text, sizeof text,
               "model Row\n  Real y;%s\nequation\n  y = if %s then 1 else 0;%s\n"
               "end Row;\n",
               with_state ? "\n  Real x(start = 0, fixed = true);" : "", AT[k],
               with_state ? "\n  der(x) = y;" : "");
      Run r = simulate_fully(.text = text, .stop = 1, .step = 0.25);
      for (int i = 0; i < rows(&r); i++) assert_close(value_at(&r, "y", i), i >= 2, 0);
      run_free(&r);
      r = simulate_fully(.text = text, .stop = 0.5, .step = 0.5); // the last row
      assert_close(last_value(&r, "y"), 1, 0);
      run_free(&r);
    }
}

// ---------------------------------------------------------------- models without states

static void no_event_is_missed_without_states(void **state) {
  (void)state;
  static const double FAST[] = {1, 10, 77, 1234};
  for (int k = 0; k < 4; k++) {
    char text[300];
    snprintf(text, sizeof text,
             "model Rows\n  Real n; Real s; Boolean b;\nequation\n  n = floor(10*sin(%g*time));\n"
             "  s = sign(cos(%g*time));\n  b = sin(%g*time) > 0.999;\nend Rows;\n",
             FAST[k], FAST[k], FAST[k]);
    Run r = simulate_fully(.text = text, .stop = 2, .step = 0.00371);
    for (int i = 0; i < rows(&r); i++) {
      double t = value_at(&r, "time", i), w = sin(FAST[k] * t);
      assert_close(value_at(&r, "n", i), floor(10 * w), 0);
      assert_close(value_at(&r, "b", i), w > 0.999, 0);
      assert_close(value_at(&r, "s", i), cos(FAST[k] * t) > 0 ? 1 : -1, 0);
    }
    run_free(&r);
  }
}

// A state that changes slowly invites long steps.
static void no_event_is_missed_beside_slow_states(void **state) {
  (void)state;
  static const char *const OF[] = {"time", "x"}; // x = t
  for (int k = 0; k < 2; k++) {
    char text[300];
    snprintf(text, sizeof text,
             "model Slow\n  Real x(start = 0, fixed = true);\n  Real y(start = 0, fixed = true);\n"
             "equation\n  der(x) = 1;\n  der(y) = if sin(37*%s) > 0.95 then 1 else 0;\nend Slow;\n",
             OF[k]);
    Run r = simulate_fully(.text = text, .options = "rel_tol=1e-9", .stop = 20, .step = 20);
    double on = asin(0.95), width = M_PI - 2 * on, wanted = 0;
    for (int n = 0; n < 200; n++) {
      double from = (on + 2 * M_PI * n) / 37, to = from + width / 37;
      if (from < 20) wanted += fmin(to, 20) - from;
    }
    assert_close(last_value(&r, "y"), wanted, 1e-7);
    run_free(&r);
  }
}

static void narrow_pulses_are_not_missed(void **state) {
  (void)state;
  for (double half = 1e-2; half > 5e-5; half /= 10) { // 6 pulses in 5 s
    char text[300];
    snprintf(text, sizeof text,
             "model Pulse\n  parameter Real limit = %.17g;\n  Real z(start = 0, fixed = true);\n"
             "equation\n  der(z) = if sin(7*time) > limit then 1 else 0;\nend Pulse;\n",
             cos(7 * half));
    Run r = simulate_fully(.text = text, .options = "rel_tol=1e-9", .stop = 5, .step = 5);
    assert_close(last_value(&r, "z"), 12 * half, 1e-4 * half);
    run_free(&r);
  }
}

// A dip that is found in one part of a step hides no event that comes before it in the next part.
static void the_first_of_two_events_in_a_long_step_is_taken(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s rel_tol=1e-9 abs_tol=1e-11", SOLVERS[s]);
    Run r = simulate_fully(.text = "model Two\n  Real x(start = 0, fixed = true);\n"
                                   "  Real y(start = 0, fixed = true);\nequation\n"
                                   "  der(x) = if mod(time, 1.095) < 0.076 then 1.599 else 0;\n"
                                   "  der(y) = if (time - 1.212)*(time - 1.212) < 0.013 then 3 "
                                   "else 0;\nend Two;\n",
                           .options = options, .stop = 2, .step = 2);
    assert_close(last_value(&r, "x"), 2 * 0.076 * 1.599, 1e-7);
    assert_close(last_value(&r, "y"), 6 * sqrt(0.013), 1e-6);
    run_free(&r);
  }
}

// ---------------------------------------------------------------- sensitivities

// What changes together with an event moves with its time, and is counted once.
static void chained_events_have_the_sensitivity_of_their_cause(void **state) {
  (void)state;
  static const struct {
    const char *slope;
    double value, by_p; // at time 4, p = 0.5
  } CASES[] = {
      {"floor(x + sign(time))", 4, 0}, // x = p
      {"floor(x + (if time > 1 + p then 1 else 0))", 2.5, -1},
      {"if floor(x + (if time > 1 + p then 1 else 0)) >= 1 then 2 else 1", 6.5, -1},
      {"mod(floor(2*time - p), 2)", 2, 0}, // p shifts all: 1/2 at the start, -1/2 at the end
      {"(if time > 2*p then 1 else 0) + (if time >= 1 then 2 else 0)", 9, -2},
      {"if (if time > p then 1 else 0) + (if time > 2 then 1 else 0) >= 2 then 1 else 0", 2, 0},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++)
    for (int s = 0; s < SOLVER_COUNT; s++) {
      char text[400], options[100];
      snprintf(text, sizeof text,
               "model Chain\n  parameter Real p = 0.5;\n  Real x(start = p, fixed = true);\n"
               "  Real y(start = 0, fixed = true);\nequation\n  der(x) = 0;\n  der(y) = %s;\n"
               "end Chain;\n",
               CASES[k].slope);
      snprintf(options, sizeof options, "solver=%s", SOLVERS[s]);
      Run r = simulate_fully(.text = text, .options = options, .stop = 4, .step = 4, .sens = "p");
      assert_close(last_value(&r, "y"), CASES[k].value, 1e-6);
      if (!(fabs(last_value(&r, "dy/dp") - CASES[k].by_p) < 1e-6))
        fail_msg("%s by %s: dy/dp = %g, not %g", CASES[k].slope, SOLVERS[s],
                 last_value(&r, "dy/dp"), CASES[k].by_p);
      run_free(&r);
    }
}

// ---------------------------------------------------------------- inputs

static void an_input_that_jumps_or_ramps_onto_a_limit_is_compared_literally(void **state) {
  (void)state;
  static const double TIMES[] = {0, 1, 2, 3}, VALUES[] = {0, 0.5, 1, 1};
  static const char *const KINDS[] = {"hold", "linear"};
  for (int k = 0; k < 2; k++) {
    char options[60];
    snprintf(options, sizeof options, "interpolation=%s", KINDS[k]);
    Run r = simulate_fully(.text = "model Limit\n  input Real u;\n"
                                   "  Real x(start = 0, fixed = true);\n"
                                   "  Real y(start = 0, fixed = true);\nequation\n"
                                   "  der(x) = if u >= 1 then 1 else 0;\n"
                                   "  der(y) = if u > 1 then 1 else 0;\nend Limit;\n",
                           .options = options, .stop = 5, .step = 0.5, .input = "u",
                           .input_times = TIMES, .input_values = VALUES, .input_count = 4);
    assert_close(last_value(&r, "x"), 3, 1e-6);
    assert_close(last_value(&r, "y"), 0, 0);
    run_free(&r);
  }
}

// ---------------------------------------------------------------- remarks

static void very_frequent_events_are_named(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model Many\n  Real x(start = 0, fixed = true);\nequation\n"
                                 "  der(x) = sign(sin(1000*time));\nend Many;\n",
                         .stop = 10, .step = 10);
  const char *message = entrain_result_message(r.result);
  assert_non_null(strstr(message, "'sign(sin(1000*time))' (line 4) switched 3184 times"));
  assert_non_null(strstr(message, "noEvent"));
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jumps_onto_a_limit_are_compared_literally),
      cmocka_unit_test(the_order_of_equations_does_not_matter),
      cmocka_unit_test(a_rounding_converter_in_a_loop_settles),
      cmocka_unit_test(hysteresis_keeps_what_it_was),
      cmocka_unit_test(modes_that_contradict_each_other_are_named),
      cmocka_unit_test(a_start_with_constraints_has_the_modes_of_its_own_values),
      cmocka_unit_test(the_row_at_the_start_is_literal),
      cmocka_unit_test(later_rows_show_what_comes_after_the_event),
      cmocka_unit_test(no_event_is_missed_without_states),
      cmocka_unit_test(no_event_is_missed_beside_slow_states),
      cmocka_unit_test(narrow_pulses_are_not_missed),
      cmocka_unit_test(the_first_of_two_events_in_a_long_step_is_taken),
      cmocka_unit_test(chained_events_have_the_sensitivity_of_their_cause),
      cmocka_unit_test(an_input_that_jumps_or_ramps_onto_a_limit_is_compared_literally),
      cmocka_unit_test(very_frequent_events_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
