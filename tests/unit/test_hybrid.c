// Hybrid models through whole simulations: values of discrete variables and jumps of states against laws, sensitivities
// over jumps against differences.
#include "simulation.h"

static const char *const SOLVERS[] = {"auto", "rk5", "rk8", "rosenbrock", "bdf", "adams"};
enum { SOLVER_COUNT = 6, OWN_COUNT = 4 };

static const char *with_solver(char *out, size_t size, const char *solver, const char *rest) {
  snprintf(out, size, "solver=%s %s", solver, rest);
  return out;
}

// ---------------------------------------------------------------- bouncing ball

static const char BALL[] = "model Ball\n"
                           "  parameter Real e = 0.8;\n"
                           "  parameter Real g = 9.81;\n"
                           "  Real h(start = 1, fixed = true);\n"
                           "  Real v(start = 0, fixed = true);\n"
                           "  Integer n(start = 0, fixed = true);\n"
                           "equation\n"
                           "  der(h) = v;\n"
                           "  der(v) = -g;\n"
                           "  when h <= 0 then\n"
                           "    reinit(v, -e*pre(v));\n"
                           "    n = pre(n) + 1;\n"
                           "  end when;\n"
                           "end Ball;\n";

typedef struct Flight {
  double h, v;
  int n;
} Flight;

static Flight ball_exact(double t, double e, double g, double h0) {
  double fall = sqrt(2 * h0 / g), v = g * fall;
  if (t < fall) return (Flight){h0 - g * t * t / 2, -g * t, 0};
  t -= fall;
  for (int n = 1;; n++) {
    v *= e;
    double length = 2 * v / g;
    if (t < length) return (Flight){v * t - g * t * t / 2, v - g * t, n};
    t -= length;
  }
}

static void ball_follows_the_exact_solution(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    double tolerance = s < OWN_COUNT ? 1e-8 : 1e-6;
    with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-10 abs_tol=1e-12");
    Run r = simulate_fully(.text = BALL, .options = options, .stop = 3, .step = 0.01);
    for (int i = 0; i < rows(&r); i++) {
      Flight f = ball_exact(value_at(&r, "time", i), 0.8, 9.81, 1);
      assert_close(value_at(&r, "h", i), f.h, tolerance);
      assert_close(value_at(&r, "v", i), f.v, tolerance);
      assert_close(value_at(&r, "n", i), f.n, 0);
    }
    run_free(&r);
  }
}

static void ball_sensitivities_match_differences(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    Spec spec = {.text = BALL, .stop = 2.3, .step = 0.1, .sens = "e g h.start v.start"};
    bool own = s < OWN_COUNT;
    spec.options = with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-10 abs_tol=1e-12");
    assert_sensitivities(&spec, .step = 1e-5, .tolerance = own ? 1e-6 : 1e-4,
                         .options = "rel_tol=1e-12 abs_tol=1e-14");
  }
}

static void ball_without_guard_ends_with_an_outcome(void **state) {
  (void)state;
  Run r = simulate(.text = BALL, .stop = 10, .step = 0.1);
  assert_true(outcome(&r) == ENTRAIN_CHATTER || outcome(&r) == ENTRAIN_TOO_MANY_EVENTS);
  assert_non_null(strstr(entrain_result_message(r.result), "'h <= 0' (line 10)"));
  run_free(&r);
}

static void ball_with_guard_comes_to_rest(void **state) {
  (void)state;
  static const char TEXT[] = "model Ball\n"
                             "  parameter Real e = 0.7;\n"
                             "  parameter Real g = 9.81;\n"
                             "  Real h(start = 1, fixed = true);\n"
                             "  Real v(start = 0, fixed = true);\n"
                             "  Boolean flying(start = true, fixed = true);\n"
                             "  Boolean impact;\n"
                             "  discrete Real v_new(start = 0, fixed = true);\n"
                             "  discrete Integer foo(start = 0, fixed = true);\n"
                             "equation\n"
                             "  impact = h <= 0.0;\n"
                             "  foo = if impact then 1 else 2;\n"
                             "  der(v) = if flying then -g else 0;\n"
                             "  der(h) = v;\n"
                             "  when {h <= 0.0 and v <= 0.0, impact} then\n"
                             "    v_new = if edge(impact) then -e*pre(v) else 0;\n"
                             "    flying = v_new > 0;\n"
                             "    reinit(v, v_new);\n"
                             "  end when;\n"
                             "end Ball;\n";
  Run r = simulate_fully(.text = TEXT, .stop = 4, .step = 0.01, .options = "rel_tol=1e-9");
  for (int i = 0; i < rows(&r) && value_at(&r, "time", i) < 2; i++)
    assert_close(value_at(&r, "h", i), ball_exact(value_at(&r, "time", i), 0.7, 9.81, 1).h, 1e-6);
  assert_close(last_value(&r, "h"), 0, 1e-6);
  assert_close(last_value(&r, "v"), 0, 1e-6);
  assert_close(last_value(&r, "flying"), 0, 0);
  run_free(&r);
}

// ---------------------------------------------------------------- hysteresis

static const char THERMOSTAT[] = "model Thermostat\n"
                                 "  parameter Real low = 19, high = 21, P = 5, k = 0.1;\n"
                                 "  Real T(start = 20, fixed = true);\n"
                                 "  Boolean on(start = true, fixed = true);\n"
                                 "equation\n"
                                 "  der(T) = -k*(T - 10) + (if on then P else 0);\n"
                                 "  on = not pre(on) and T < low or pre(on) and T <= high;\n"
                                 "end Thermostat;\n";

static double thermostat_exact(double t, double *on) {
  double T = 20, low = 19, high = 21, k = 0.1, P = 5;
  *on = 1;
  for (;;) {
    double rest = 10 + (*on != 0 ? P / k : 0), goal = *on != 0 ? high : low;
    double until = log((T - rest) / (goal - rest)) / k;
    if (t < until) return rest + (T - rest) * exp(-k * t);
    t -= until;
    T = goal;
    *on = *on == 0;
  }
}

static void thermostat_follows_the_exact_solution(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-10 abs_tol=1e-12");
    Run r = simulate_fully(.text = THERMOSTAT, .options = options, .stop = 10.013, .step = 0.031);
    for (int i = 0; i < rows(&r); i++) {
      double on, T = thermostat_exact(value_at(&r, "time", i), &on);
      assert_close(value_at(&r, "T", i), T, s < OWN_COUNT ? 1e-8 : 1e-6);
      assert_close(value_at(&r, "on", i), on, 0);
    }
    run_free(&r);
  }
}

static void thermostat_sensitivities_match_differences(void **state) {
  (void)state;
  Spec spec = {.text = THERMOSTAT, .stop = 10.013, .step = 0.31, .sens = "low high P k T.start"};
  spec.options = "rel_tol=1e-10 abs_tol=1e-12";
  assert_sensitivities(&spec, .step = 1e-6, .tolerance = 1e-5,
                       .options = "rel_tol=1e-12 abs_tol=1e-14");
}

// ---------------------------------------------------------------- sampled controllers

static const char SAMPLED[] = "model Sampled\n"
                              "  parameter Real T = 0.1, kp = 2, ki = 1, a = 1.5, t0 = 0;\n"
                              "  Real y(start = 0.2, fixed = true);\n"
                              "  discrete Real u(start = 0, fixed = true);\n"
                              "  discrete Real q(start = 0, fixed = true);\n"
                              "  Integer n(start = 0, fixed = true);\n"
                              "equation\n"
                              "  der(y) = -a*y + u;\n"
                              "  when sample(t0, T) then\n"
                              "    q = pre(q) + ki*T*(1 - y);\n"
                              "    u = kp*(1 - y) + q;\n"
                              "    n = pre(n) + 1;\n"
                              "  end when;\n"
                              "end Sampled;\n";

static void sampled_controller_is_a_recursion(void **state) {
  (void)state;
  double T = 0.1, a = 1.5, y = 0.2, q = 0;
  Run r = simulate_fully(.text = SAMPLED, .options = "rel_tol=1e-12 abs_tol=1e-14", .stop = 100,
                         .step = 0.1);
  assert_int_equal(rows(&r), 1001);
  for (int i = 0; i <= 1000; i++) {
    q += T * (1 - y);
    double u = 2 * (1 - y) + q;
    assert_close(value_at(&r, "y", i), y, 1e-10);
    assert_close(value_at(&r, "u", i), u, 1e-10);
    assert_close(value_at(&r, "n", i), i + 1, 0);
    y = u / a + (y - u / a) * exp(-a * T);
  }
  assert_true(r.work.steps < 6000);
  run_free(&r);
}

static void sampled_sensitivities_match_differences(void **state) {
  (void)state;
  Spec spec = {
      .text = SAMPLED, .stop = 4.05, .step = 0.2537, .sens = "T kp ki a y.start u.start q.start"};
  spec.options = "rel_tol=1e-11 abs_tol=1e-13";
  assert_sensitivities(&spec, .step = 1e-5, .tolerance = 1e-6,
                       .options = "rel_tol=1e-13 abs_tol=1e-15");
}

static void samples_are_neither_missed_nor_doubled(void **state) {
  (void)state;
  static const char TEXT[] = "model Count\n"
                             "  parameter Real h = 0.1;\n"
                             "  Integer n(start = 0), m(start = 0), both(start = 0);\n"
                             "equation\n"
                             "  when sample(0, h) then n = pre(n) + 1; end when;\n"
                             "  when sample(0, 3*h) then m = pre(m) + 1; end when;\n"
                             "  when change(n) and change(m) then both = pre(both) + 1; end when;\n"
                             "end Count;\n";
  double times[3] = {0.3, 0.6, 1e4};
  Run r = simulate_fully(.text = TEXT, .times = times, .count = 3);
  assert_close(value_at(&r, "n", 0), 4, 0);
  assert_close(value_at(&r, "m", 0), 2, 0);
  assert_close(value_at(&r, "n", 1), 7, 0);
  assert_close(value_at(&r, "m", 1), 3, 0);
  assert_close(value_at(&r, "n", 2), 100001, 0);
  assert_close(value_at(&r, "m", 2), 33334, 0);
  assert_close(value_at(&r, "both", 2), 33334, 0);
  run_free(&r);
}

static void samples_begin_at_their_start(void **state) {
  (void)state;
  static const char TEXT[] = "model Begin\n"
                             "  Integer n(start = 0), m(start = 0);\n"
                             "equation\n"
                             "  when sample(1, 0.5) then n = pre(n) + 1; end when;\n"
                             "  when sample(-0.25, 0.5) then m = pre(m) + 1; end when;\n"
                             "end Begin;\n";
  Run r = simulate_fully(.text = TEXT, .stop = 3, .step = 0.25);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i);
    assert_close(value_at(&r, "n", i), t < 1 ? 0 : floor((t - 1) / 0.5) + 1, 0);
    assert_close(value_at(&r, "m", i), floor((t + 0.25) / 0.5), 0);
  }
  run_free(&r);
}

// ---------------------------------------------------------------- semantics

static void a_later_branch_waits_for_an_earlier_one(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Branches\n"
      "  Integer a(start = 0), b(start = 0), c(start = 0);\n"
      "equation\n"
      "  when time >= 1 then a = 1;\n"
      "  elsewhen time >= 1 then a = 2; b = 2;\n"
      "  elsewhen time >= 2 then a = 3; b = 3;\n"
      "  end when;\n"
      "  when {time >= 1, time >= 2, time >= 2} then c = pre(c) + 1; end when;\n"
      "end Branches;\n";
  Run r = simulate_fully(.text = TEXT, .stop = 3, .step = 0.5);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i);
    assert_close(value_at(&r, "a", i), t < 1 ? 0 : t < 2 ? 1 : 3, 0);
    assert_close(value_at(&r, "b", i), t < 2 ? 0 : 3, 0);
    assert_close(value_at(&r, "c", i), t < 1 ? 0 : t < 2 ? 1 : 2, 0);
  }
  run_free(&r);
}

static void edges_and_changes_are_seen_once(void **state) {
  (void)state;
  static const char TEXT[] = "model Edges\n"
                             "  Boolean b;\n"
                             "  Integer rising(start = 0), falling(start = 0), both(start = 0);\n"
                             "  Integer chain(start = 0);\n"
                             "equation\n"
                             "  b = sin(time) > 0.5;\n"
                             "  when edge(b) then rising = pre(rising) + 1; end when;\n"
                             "  when not b then falling = pre(falling) + 1; end when;\n"
                             "  when change(b) then both = pre(both) + 1; end when;\n"
                             "  when change(both) then chain = both; end when;\n"
                             "end Edges;\n";
  Run r = simulate_fully(.text = TEXT, .stop = 30, .step = 0.1);
  double up = 0, down = 0;
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i);
    up = floor((t - asin(0.5)) / (2 * M_PI)) + 1,
    down = floor((t - M_PI + asin(0.5)) / (2 * M_PI)) + 1;
    assert_close(value_at(&r, "rising", i), up, 0);
    assert_close(value_at(&r, "falling", i), down, 0);
    assert_close(value_at(&r, "both", i), up + down, 0);
    assert_close(value_at(&r, "chain", i), up + down, 0);
  }
  run_free(&r);
}

static void initial_equations_and_initial_set_discrete_variables(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Start\n"
      "  parameter Real p = 3;\n"
      "  discrete Real v, w(start = 4), z;\n"
      "  Integer i, k(start = 7);\n"
      "  Boolean b, c(start = true, fixed = true), d;\n"
      "  Real x(start = 1, fixed = true);\n"
      "initial equation\n"
      "  v = 2*p;\n"
      "  pre(i) = 5;\n"
      "  pre(b) = true;\n"
      "equation\n"
      "  der(x) = v;\n"
      "  d = pre(d) or x > 2;\n"
      "  when x > 100 then v = 0; i = 1; b = false; k = 0; w = 0; end when;\n"
      "  when {initial(), x > 100} then z = x + w; end when;\n"
      "  when x > -1 then c = false; end when;\n"
      "end Start;\n";
  Run r = simulate_fully(.text = TEXT, .stop = 1, .step = 1, .sens = "p");
  assert_close(value_at(&r, "v", 0), 6, 0);
  assert_close(value_at(&r, "w", 0), 4, 0);
  assert_close(value_at(&r, "z", 0), 5, 0);
  assert_close(value_at(&r, "i", 0), 5, 0);
  assert_close(value_at(&r, "k", 0), 7, 0);
  assert_close(value_at(&r, "b", 0), 1, 0);
  assert_close(value_at(&r, "c", 1), 1, 0);
  assert_close(value_at(&r, "d", 0), 0, 0);
  assert_close(value_at(&r, "d", 1), 1, 0);
  assert_close(value_at(&r, "x", 1), 7, 1e-9);
  assert_close(value_at(&r, "dx/dp", 1), 2, 1e-9);
  run_free(&r);
}

static void terminate_ends_the_simulation(void **state) {
  (void)state;
  static const char TEXT[] = "model End\n"
                             "  Real x(start = 0, fixed = true);\n"
                             "equation\n"
                             "  der(x) = 1;\n"
                             "  when x > 0.55 then terminate(\"far enough\"); end when;\n"
                             "end End;\n";
  Run r = simulate(.text = TEXT, .stop = 1, .step = 0.1);
  assert_int_equal(outcome(&r), ENTRAIN_TERMINATED);
  assert_int_equal(rows(&r), 6);
  assert_non_null(strstr(entrain_result_message(r.result), "far enough"));
  run_free(&r);
}

static void discrete_variables_without_end_are_named(void **state) {
  (void)state;
  static const char TEXT[] = "model Loop\n"
                             "  Boolean b, c;\n"
                             "equation\n"
                             "  b = time > 0.5 and not pre(c);\n"
                             "  c = b;\n"
                             "end Loop;\n";
  Run r = simulate(.text = TEXT, .stop = 1, .step = 0.1);
  assert_int_equal(outcome(&r), ENTRAIN_CHATTER);
  assert_non_null(
      strstr(entrain_result_message(r.result), "discrete variables change without end: c;"));
  run_free(&r);
}

static void integers_count_and_compare(void **state) {
  (void)state;
  static const char TEXT[] = "model Whole\n"
                             "  Integer i(start = 0), third, left;\n"
                             "  Boolean two, odd;\n"
                             "  Real y;\n"
                             "equation\n"
                             "  when sample(0, 1) then i = pre(i) + 1; end when;\n"
                             "  third = div(i, 3);\n"
                             "  left = mod(i, 3);\n"
                             "  two = left == 2;\n"
                             "  odd = rem(i, 2) <> 0;\n"
                             "  y = if two == odd then 1 elseif i >= 4 then 2 else 3;\n"
                             "end Whole;\n";
  Run r = simulate_fully(.text = TEXT, .stop = 20, .step = 0.5);
  for (int row = 0; row < rows(&r); row++) {
    int i = (int)floor(value_at(&r, "time", row)) + 1;
    bool two = i % 3 == 2, odd = i % 2;
    assert_close(value_at(&r, "i", row), i, 0);
    assert_close(value_at(&r, "third", row), i / 3, 0);
    assert_close(value_at(&r, "left", row), i % 3, 0);
    assert_close(value_at(&r, "y", row), two == odd ? 1 : i >= 4 ? 2 : 3, 0);
  }
  run_free(&r);
}

// A variable that tells the time of its next event, and a delay by one sample of an algebraic variable.
static void events_plan_their_next_time(void **state) {
  (void)state;
  static const char TEXT[] = "model Plan\n"
                             "  parameter Real d = 0.3;\n"
                             "  discrete Real next(start = 0.3);\n"
                             "  discrete Real y(start = 0), old(start = 0);\n"
                             "  Real u, x(start = 0, fixed = true);\n"
                             "equation\n"
                             "  der(x) = u;\n"
                             "  u = 2*y;\n"
                             "  when time >= pre(next) then\n"
                             "    next = pre(next) + d*(1 + y);\n"
                             "    y = pre(y) + 1;\n"
                             "    old = pre(u);\n"
                             "  end when;\n"
                             "end Plan;\n";
  Spec spec = {.text = TEXT, .stop = 5, .step = 0.17, .sens = "d next.start y.start"};
  spec.options = "rel_tol=1e-11 abs_tol=1e-13";
  Run r = simulate_spec_fully(&spec);
  double next = 0.3, x = 0, y = 0, t = 0;
  for (int i = 0; i < rows(&r); i++) {
    double now = value_at(&r, "time", i);
    while (next <= now + 1e-12) x += 2 * y * (next - t), t = next, y += 1, next += 0.3 * (1 + y);
    assert_close(value_at(&r, "x", i), x + 2 * y * (now - t), 1e-9);
    assert_close(value_at(&r, "old", i), y > 0 ? 2 * (y - 1) : 0, 1e-12);
  }
  run_free(&r);
  assert_sensitivities(&spec, .step = 1e-5, .tolerance = 1e-6,
                       .options = "rel_tol=1e-13 abs_tol=1e-15");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_follows_the_exact_solution),
      cmocka_unit_test(ball_sensitivities_match_differences),
      cmocka_unit_test(ball_without_guard_ends_with_an_outcome),
      cmocka_unit_test(ball_with_guard_comes_to_rest),
      cmocka_unit_test(thermostat_follows_the_exact_solution),
      cmocka_unit_test(thermostat_sensitivities_match_differences),
      cmocka_unit_test(sampled_controller_is_a_recursion),
      cmocka_unit_test(sampled_sensitivities_match_differences),
      cmocka_unit_test(samples_are_neither_missed_nor_doubled),
      cmocka_unit_test(samples_begin_at_their_start),
      cmocka_unit_test(a_later_branch_waits_for_an_earlier_one),
      cmocka_unit_test(edges_and_changes_are_seen_once),
      cmocka_unit_test(initial_equations_and_initial_set_discrete_variables),
      cmocka_unit_test(terminate_ends_the_simulation),
      cmocka_unit_test(discrete_variables_without_end_are_named),
      cmocka_unit_test(integers_count_and_compare),
      cmocka_unit_test(events_plan_their_next_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
