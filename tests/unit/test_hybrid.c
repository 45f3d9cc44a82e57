// Hybrid models through whole simulations: values of discrete variables and jumps of states against laws, sensitivities
// over jumps against differences.
#include <stdint.h>

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

static void an_interval_that_is_not_positive_is_named(void **state) {
  (void)state;
  static const char *const SETS[] = {"T=0", "T=-1"};
  for (int i = 0; i < 2; i++) {
    Run r = simulate_try(&(Spec){.text = SAMPLED, .set = SETS[i], .stop = 1, .step = 0.5});
    assert_true(r.error.code != 0 || outcome(&r) == ENTRAIN_NO_START);
    run_free(&r);
  }
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

// ---------------------------------------------------------------- mixed systems

static const char RECTIFIER[] =
    "model Rectifier\n"
    "  parameter Real R = 1, C = 0.5, Ron = 1e-2, Goff = 1e-3, V = 2, L = 10;\n"
    "  Real v_c(start = 0, fixed = true);\n"
    "  Real s, v, i, vin;\n"
    "  Boolean off;\n"
    "equation\n"
    "  vin = V*sin(5*time);\n"
    "  off = s < 0;\n"
    "  v = s*(if off then 1 else Ron);\n"
    "  i = s*(if off then Goff else 1);\n"
    "  vin = R*i + v + v_c;\n"
    "  C*der(v_c) = i - v_c/L;\n"
    "end Rectifier;\n";

static double rectifier_slope(double t, double v) {
  double drop = 2 * sin(5 * t) - v, i = drop > 0 ? drop / 1.01 : drop / (1 + 1000);
  return (i - v / 10) / 0.5;
}

static double rk4(double (*f)(double, double), double t, double x, double h) {
  double a = f(t, x), b = f(t + h / 2, x + h / 2 * a), c = f(t + h / 2, x + h / 2 * b);
  return x + h / 6 * (a + 2 * b + 2 * c + f(t + h, x + h * c));
}

static void rectifier_follows_the_current(void **state) {
  (void)state;
  Run r = simulate_fully(.text = RECTIFIER, .options = "rel_tol=1e-10 abs_tol=1e-12", .stop = 5,
                         .step = 0.1);
  double x = 0, h = 1e-4;
  for (int i = 0; i < rows(&r); i++) {
    assert_close(value_at(&r, "v_c", i), x, 1e-8);
    for (int k = 0; k < 1000; k++) x = rk4(rectifier_slope, 0.1 * i + k * h, x, h);
  }
  run_free(&r);
  Spec spec = {.text = RECTIFIER, .stop = 3, .step = 0.173, .sens = "R C Ron V L"};
  spec.options = "rel_tol=1e-10 abs_tol=1e-12";
  assert_sensitivities(&spec, .step = 1e-5, .tolerance = 1e-5,
                       .options = "rel_tol=1e-12 abs_tol=1e-14");
}

// Four diodes that switch two by two, and at the start all at once.
static void bridge_rectifies(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Bridge\n"
      "  parameter Real Ron = 1e-5, Goff = 1e-5, V = 10, L = 20, C = 0.01, Rs = 0.1;\n"
      "  Real vc(start = 0, fixed = true);\n"
      "  Real s1, s2, s3, s4, v1, v2, v3, v4, i1, i2, i3, i4, vin, is, vp, vn;\n"
      "equation\n"
      "  vin = V*sin(6.28*time);\n"
      "  v1 = s1*(if s1 < 0 then 1 else Ron);\n"
      "  i1 = s1*(if s1 < 0 then Goff else 1);\n"
      "  v2 = s2*(if s2 < 0 then 1 else Ron);\n"
      "  i2 = s2*(if s2 < 0 then Goff else 1);\n"
      "  v3 = s3*(if s3 < 0 then 1 else Ron);\n"
      "  i3 = s3*(if s3 < 0 then Goff else 1);\n"
      "  v4 = s4*(if s4 < 0 then 1 else Ron);\n"
      "  i4 = s4*(if s4 < 0 then Goff else 1);\n"
      "  vin - Rs*is - vp = v1;\n"
      "  0 - vp = v2;\n"
      "  vn - (vin - Rs*is) = v3;\n"
      "  vn - 0 = v4;\n"
      "  is + i3 = i1;\n"
      "  i1 + i2 = C*der(vc) + vc/L;\n"
      "  vp - vn = vc;\n"
      "  i3 + i4 = i1 + i2;\n"
      "end Bridge;\n";
  Run r = simulate_fully(.text = TEXT, .options = "rel_tol=1e-8", .stop = 2, .step = 0.01);
  double x = 0, h = 1e-5;
  for (int i = 0; i < rows(&r); i++) {
    assert_close(value_at(&r, "vc", i), x, 2e-3);
    for (int k = 0; k < 1000; k++) {
      double drive = fabs(10 * sin(6.28 * (0.01 * i + k * h))),
             current = (drive - x) / (0.1 + 2e-5);
      x += h * ((current > 0 ? current : 0) - x / 20) / 0.01;
    }
  }
  run_free(&r);
}

// ---------------------------------------------------------------- friction that sticks

static const char BRAKE[] =
    "model Brake\n"
    "  parameter Real J = 1, mu = 2, A = 4;\n"
    "  constant Integer Forward = 1, Stuck = 0, Backward = -1;\n"
    "  Real phi(start = 0, fixed = true), w(start = 0, fixed = true), a, sa, tau;\n"
    "  Boolean locked;\n"
    "  Boolean startForward(start = false, fixed = true), startBackward(start = false, fixed = "
    "true);\n"
    "  Integer mode(start = 3, fixed = true);\n"
    "equation\n"
    "  der(phi) = w;\n"
    "  der(w) = a;\n"
    "  J*a = A*sin(time) - tau;\n"
    "  startForward = pre(mode) == Stuck and (sa > mu or pre(startForward) and sa > mu)\n"
    "    or initial() and w > 0;\n"
    "  startBackward = pre(mode) == Stuck and (sa < -mu or pre(startBackward) and sa < -mu)\n"
    "    or initial() and w < 0;\n"
    "  locked = not (pre(mode) == Forward or startForward or pre(mode) == Backward or "
    "startBackward);\n"
    "  a = if locked then 0 else if startForward then sa - mu else if startBackward then sa + mu\n"
    "    else if pre(mode) == Forward then sa - mu else sa + mu;\n"
    "  tau = if locked then sa else if startForward then mu else if startBackward then -mu\n"
    "    else if pre(mode) == Forward then mu else -mu;\n"
    "  mode = if (pre(mode) == Forward or startForward) and w > 0 then Forward\n"
    "    else if (pre(mode) == Backward or startBackward) and w < 0 then Backward else Stuck;\n"
    "end Brake;\n";

// Steps of 1e-6 that end where the speed would change its sign: then it sticks unless the drive is stronger.
static void brake_reference(double A, double *w, double *phi, double from, double to) {
  int steps = (int)((to - from) / 1e-6 + 0.5);
  double h = (to - from) / steps;
  for (int k = 0; k < steps; k++) {
    double drive = A * sin(from + (k + 0.5) * h), side = *w > 0 ? 1 : *w < 0 ? -1 : 0;
    if (side == 0) side = drive > 2 ? 1 : drive < -2 ? -1 : 0;
    double next = side == 0 ? 0 : *w + h * (drive - 2 * side);
    if (next * side < 0) next = 0;
    *phi += h * (*w + next) / 2;
    *w = next;
  }
}

static void brake_sticks_and_slides(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++)
    for (double A = 2.2; A < 5; A += 1.8) {
      char options[100], set[40];
      double w = 0, phi = 0;
      snprintf(set, sizeof set, "A=%g", A);
      with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-9 abs_tol=1e-11");
      Run r =
          simulate_fully(.text = BRAKE, .options = options, .set = set, .stop = 7, .step = 0.25);
      for (int i = 0; i < rows(&r); i++) {
        assert_close(value_at(&r, "w", i), w, 1e-5);
        assert_close(value_at(&r, "phi", i), phi, 1e-5);
        if (fabs(w) > 1e-4) assert_close(value_at(&r, "mode", i), w > 0 ? 1 : -1, 0);
        if (s == 0) assert_true(fabs(value_at(&r, "tau", i)) <= 2 + 1e-9);
        brake_reference(A, &w, &phi, 0.25 * i, 0.25 * (i + 1));
      }
      run_free(&r);
    }
  Spec spec = {.text = BRAKE, .stop = 7, .step = 0.217, .sens = "J mu A"};
  spec.options = "rel_tol=1e-10 abs_tol=1e-12", spec.select = "w phi";
  assert_sensitivities(&spec, .step = 1e-5, .tolerance = 1e-5,
                       .options = "rel_tol=1e-12 abs_tol=1e-14");
}

// The speed between two shafts as a variable of its own, whose derivative occurs or not: a constraint between states.
#define CLUTCH(name, acceleration)                                                                 \
  "model " name "\n"                                                                               \
  "  parameter Real J1 = 1, J2 = 2, mu = 0.5, peak = 1.1;\n"                                       \
  "  constant Integer Free = 2, Forward = 1, Stuck = 0, Backward = -1;\n"                          \
  "  Real w1(start = 10, fixed = true), w2(start = 0, fixed = true);\n"                            \
  "  Real w_rel(start = 10), a_rel, sa, tau, tau0, tau0_max, fn;\n"                                \
  "  Boolean free, locked;\n"                                                                      \
  "  Boolean startForward(start = false, fixed = true), startBackward(start = false, fixed = "     \
  "true);\n"                                                                                       \
  "  Integer mode(start = 3, fixed = true);\n"                                                     \
  "equation\n"                                                                                     \
  "  fn = 10*sin(1.3*time)^2;\n"                                                                   \
  "  J1*der(w1) = 3*sin(2*time) - tau;\n"                                                          \
  "  J2*der(w2) = tau - 0.1*w2;\n"                                                                 \
  "  w_rel = w1 - w2;\n"                                                                           \
  "  a_rel = " acceleration ";\n"                                                                  \
  "  free = fn <= 0.5;\n"                                                                          \
  "  tau0 = mu*fn;\n"                                                                              \
  "  tau0_max = peak*tau0;\n"                                                                      \
  "  startForward = pre(mode) == Stuck and (sa > tau0_max or pre(startForward) and sa > tau0)\n"   \
  "    or initial() and w_rel > 0;\n"                                                              \
  "  startBackward = pre(mode) == Stuck and (sa < -tau0_max or pre(startBackward) and sa < "       \
  "-tau0)\n"                                                                                       \
  "    or initial() and w_rel < 0;\n"                                                              \
  "  locked = not free and not (pre(mode) == Forward or startForward or pre(mode) == Backward\n"   \
  "    or startBackward);\n"                                                                       \
  "  a_rel = if locked then 0 else if free then sa else if startForward then sa - tau0_max\n"      \
  "    else if startBackward then sa + tau0_max\n"                                                 \
  "    else if pre(mode) == Forward then sa - tau0_max else sa + tau0_max;\n"                      \
  "  tau = if locked then sa else if free then 0 else if startForward then tau0\n"                 \
  "    else if startBackward then -tau0 else if pre(mode) == Forward then tau0 else -tau0;\n"      \
  "  mode = if free then Free\n"                                                                   \
  "    else if (pre(mode) == Forward or pre(mode) == Free or startForward) and w_rel > 0 then\n"   \
  "    Forward else if (pre(mode) == Backward or pre(mode) == Free or startBackward) and w_rel < " \
  "0\n"                                                                                            \
  "    then Backward else Stuck;\n"                                                                \
  "end " name ";\n"

static void clutch_locks_and_opens(void **state) {
  (void)state;
  static const char TEXT[] = CLUTCH("Clutch", "der(w1) - der(w2)"),
                    CONSTRAINED[] = CLUTCH("Clutch", "der(w_rel)");
  static const char OPTIONS[] = "rel_tol=1e-10 abs_tol=1e-12";
  Run a = simulate_fully(.text = TEXT, .options = OPTIONS, .stop = 12, .step = 0.1);
  Run b = simulate_fully(.text = CONSTRAINED, .options = OPTIONS, .stop = 12, .step = 0.1);
  int locked = 0, sliding = 0, open = 0;
  for (int i = 0; i < rows(&a); i++) {
    double limit = 1.1 * value_at(&a, "tau0", i) + 1e-9;
    bool is_locked = value_at(&a, "locked", i) != 0, is_free = value_at(&a, "free", i) != 0;
    if (is_locked) assert_close(value_at(&a, "w_rel", i), 0, 1e-9);
    if (is_free) assert_close(value_at(&a, "tau", i), 0, 0);
    if (!is_free) assert_true(fabs(value_at(&a, "tau", i)) <= limit);
    if (!is_locked && !is_free)
      assert_close(value_at(&a, "tau", i),
                   copysign(value_at(&a, "tau0", i), value_at(&a, "w_rel", i)), 1e-9);
    locked += is_locked, open += is_free, sliding += !is_locked && !is_free;
  }
  assert_true(locked > 20 && sliding > 20 && open > 5);
  assert_true(largest_difference(&a, &b, "w1") < 1e-7);
  assert_true(largest_difference(&a, &b, "w2") < 1e-7);
  assert_true(largest_difference(&a, &b, "mode") == 0);
  run_free(&a);
  run_free(&b);
}

// ---------------------------------------------------------------- random automata

enum { PLACES = 3 };

typedef struct
    Automaton { // x1 runs between two walls, x2 is halved at samples, the place q changes at the walls
  double slope[PLACES][2], high, low, back_high, back_low, start, interval;
} Automaton;

typedef struct Moment {
  double x[2], d, t;
  int q, n, samples;
} Moment;

static double next_random(uint64_t *seed, double least, double most) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * (double)(*seed >> 11) / 9007199254740992.0;
}

static Automaton random_automaton(uint64_t seed) {
  Automaton a;
  seed = seed * 77 + 5;
  for (int q = 0; q < PLACES; q++) {
    double size = next_random(&seed, 0.3, 3);
    a.slope[q][0] = next_random(&seed, 0, 1) < 0.5 ? size : -size;
    a.slope[q][1] = next_random(&seed, -2, 2);
  }
  a.high = next_random(&seed, 0.3, 1), a.low = next_random(&seed, -1, -0.3);
  a.back_high = next_random(&seed, 0.1, 0.5), a.back_low = next_random(&seed, 0.1, 0.5);
  a.start = next_random(&seed, 0.05, 0.5), a.interval = next_random(&seed, 0.1, 0.7);
  return a;
}

static void write_automaton(const Automaton *a, char *out, size_t size) {
  snprintf(out, size,
           "model Automaton\n"
           "  parameter Real high = %.17g, low = %.17g, rh = %.17g, rl = %.17g;\n"
           "  parameter Real t0 = %.17g, h = %.17g, k = %.17g;\n"
           "  Real x1(start = 0, fixed = true), x2(start = 0, fixed = true);\n"
           "  discrete Real d(start = 0, fixed = true);\n"
           "  Integer q(start = 0, fixed = true), n(start = 0, fixed = true);\n"
           "equation\n"
           "  der(x1) = if q == 0 then k elseif q == 1 then %.17g else %.17g;\n"
           "  der(x2) = if q == 0 then %.17g elseif q == 1 then %.17g else %.17g;\n"
           "  when x1 >= high then\n"
           "    q = mod(pre(q) + 1, 3); n = pre(n) + 1; d = x2; reinit(x1, pre(x1) - rh);\n"
           "  elsewhen x1 <= low then\n"
           "    q = mod(pre(q) + 2, 3); n = pre(n) + 1; d = pre(d) - x2; reinit(x1, x1 + rl);\n"
           "  end when;\n"
           "  when sample(t0, h) then reinit(x2, 0.5*x2 + d/4); end when;\n"
           "end Automaton;\n",
           a->high, a->low, a->back_high, a->back_low, a->start, a->interval, a->slope[0][0],
           a->slope[1][0], a->slope[2][0], a->slope[0][1], a->slope[1][1], a->slope[2][1]);
}

static void run_until(const Automaton *a, Moment *m, double until) {
  for (;;) {
    double v = a->slope[m->q][0], wall = m->t + ((v > 0 ? a->high : a->low) - m->x[0]) / v;
    double sample = a->start + m->samples * a->interval;
    double next = fmin(until, fmin(wall, sample));
    for (int i = 0; i < 2; i++) m->x[i] += a->slope[m->q][i] * (next - m->t);
    m->t = next;
    if (next == until) return;
    if (next == sample) {
      m->x[1] = 0.5 * m->x[1] + m->d / 4, m->samples++;
      continue;
    }
    m->x[0] = v > 0 ? a->high - a->back_high : a->low + a->back_low;
    m->d = v > 0 ? m->x[1] : m->d - m->x[1];
    m->q = (m->q + (v > 0 ? 1 : 2)) % PLACES, m->n++;
  }
}

static void random_automata_follow_the_reference(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    char text[3000];
    Automaton a = random_automaton(seed);
    Moment m = {0};
    write_automaton(&a, text, sizeof text);
    Run r = simulate_fully(.text = text, .options = "rel_tol=1e-10 abs_tol=1e-12", .stop = 10,
                           .step = 0.0999);
    for (int i = 0; i < rows(&r); i++) {
      run_until(&a, &m, value_at(&r, "time", i));
      assert_close(value_at(&r, "x1", i), m.x[0], 1e-8);
      assert_close(value_at(&r, "x2", i), m.x[1], 1e-8);
      assert_close(value_at(&r, "d", i), m.d, 1e-8);
      assert_close(value_at(&r, "q", i), m.q, 0);
      assert_close(value_at(&r, "n", i), m.n, 0);
    }
    run_free(&r);
    if (seed > 10) continue;
    Spec spec = {.text = text, .stop = 5, .step = 0.317, .sens = "high low rh rl t0 h k x1.start"};
    spec.options = "rel_tol=1e-10 abs_tol=1e-12";
    assert_sensitivities(&spec, .step = 1e-6, .tolerance = 1e-4,
                         .options = "rel_tol=1e-12 abs_tol=1e-14");
  }
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
      cmocka_unit_test(an_interval_that_is_not_positive_is_named),
      cmocka_unit_test(terminate_ends_the_simulation),
      cmocka_unit_test(discrete_variables_without_end_are_named),
      cmocka_unit_test(integers_count_and_compare),
      cmocka_unit_test(events_plan_their_next_time),
      cmocka_unit_test(rectifier_follows_the_current),
      cmocka_unit_test(bridge_rectifies),
      cmocka_unit_test(brake_sticks_and_slides),
      cmocka_unit_test(clutch_locks_and_opens),
      cmocka_unit_test(random_automata_follow_the_reference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
