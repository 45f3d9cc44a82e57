// State and time events through whole simulations: located where they are, crossed with the right sensitivities.
#include "simulation.h"

static const char *const SOLVERS[] = {"auto", "rk5", "rk8", "rosenbrock", "bdf", "adams"};
enum { SOLVER_COUNT = 6, OWN_COUNT = 4 };

static const char *with_solver(char *out, size_t size, const char *solver, const char *rest) {
  snprintf(out, size, "solver=%s %s", solver, rest);
  return out;
}

// ---------------------------------------------------------------- dry friction

static const char FRICTION[] = "model Friction\n"
                               "  parameter Real k = 10;\n"
                               "  parameter Real F = 0.5;\n"
                               "  Real x(start = 1, fixed = true);\n"
                               "  Real v(start = 0, fixed = true);\n"
                               "equation\n"
                               "  der(x) = v;\n"
                               "  der(v) = -k*x - F*sign(v);\n"
                               "end Friction;\n";

// Half swings about +-F/k, whose amplitude falls by 2 F/k each time.
static double friction_exact(double k, double F, double x0, double t) {
  double omega = sqrt(k), half = M_PI / omega, shift = F / k, x = x0;
  int n = (int)floor(t / half);
  for (int i = 0; i < n; i++) x = -x + (x > 0 ? 2 * shift : -2 * shift);
  double centre = x > 0 ? shift : -shift;
  return centre + (x - centre) * cos(omega * (t - n * half));
}

static void friction_follows_the_exact_solution(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    bool own = s < OWN_COUNT;
    with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-10 abs_tol=1e-12");
    Run r = simulate_fully(.text = FRICTION, .options = options, .stop = 8, .step = 0.05);
    for (int i = 0; i < rows(&r); i++)
      assert_close(value_at(&r, "x", i), friction_exact(10, 0.5, 1, value_at(&r, "time", i)),
                   own ? 1e-8 : 1e-7);
    assert_int_equal(r.work.events, 9); // one at the start; the last half swing ends at t = 8.94
    run_free(&r);
  }
}

static void friction_error_falls_with_the_tolerance(void **state) {
  (void)state;
  double before = 1;
  static const char *const OPTIONS[] = {"solver=rk8 rel_tol=1e-4 abs_tol=1e-5",
                                        "solver=rk8 rel_tol=1e-7 abs_tol=1e-8",
                                        "solver=rk8 rel_tol=1e-10 abs_tol=1e-11"};
  for (int k = 0; k < 3; k++) {
    Run r = simulate_fully(.text = FRICTION, .options = OPTIONS[k], .stop = 8, .step = 8);
    double error = fabs(last_value(&r, "x") - friction_exact(10, 0.5, 1, 8));
    assert_true(error < before / 30);
    before = fmax(error, 1e-13);
    run_free(&r);
  }
  assert_true(before < 1e-9);
}

static void friction_sensitivities_follow_the_exact_solution(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-10 abs_tol=1e-12");
    Run r = simulate_fully(.text = FRICTION, .options = options, .stop = 8, .step = 0.1,
                           .sens = "k F x.start");
    double h = 1e-5;
    for (int i = 0; i < rows(&r); i++) {
      double t = value_at(&r, "time", i);
      double k = (friction_exact(10 + h, 0.5, 1, t) - friction_exact(10 - h, 0.5, 1, t)) / (2 * h);
      double F = (friction_exact(10, 0.5 + h, 1, t) - friction_exact(10, 0.5 - h, 1, t)) / (2 * h);
      double x0 = (friction_exact(10, 0.5, 1 + h, t) - friction_exact(10, 0.5, 1 - h, t)) / (2 * h);
      assert_close(value_at(&r, "dx/dk", i), k, 1e-6);
      assert_close(value_at(&r, "dx/dF", i), F, 1e-6);
      assert_close(value_at(&r, "dx/dx.start", i), x0, 1e-6);
    }
    run_free(&r);
  }
}

static void forced_friction_sensitivities_match_differences(void **state) {
  (void)state;
  for (int s = 0; s < OWN_COUNT; s++) {
    char options[100];
    Spec spec = {.file = "models/friction_oscillator.mo",
                 .stop = 20,
                 .step = 0.5,
                 .set = "v.start=0.3",
                 .sens = "m k mu g F0 omega x.start v.start"};
    spec.options = with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-9 abs_tol=1e-11");
    assert_sensitivities(&spec, .step = 1e-5, .tolerance = 1e-5,
                         .options = "rel_tol=1e-12 abs_tol=1e-14");
  }
}

// ---------------------------------------------------------------- kinks and jumps in given functions of time

typedef struct Kink {
  const char *slope; // of x
  double (*exact)(double stop);
  int events; // until t = 10
} Kink;

static double exact_abs(double t) {
  return 2 * floor(t / M_PI) + 1 - cos(t - M_PI * floor(t / M_PI));
}
static double exact_sign(double t) {
  double r = t - 2 * M_PI * floor(t / (2 * M_PI));
  return r < M_PI ? r : 2 * M_PI - r;
}

static double above_half(double t) { // integral of max(sin(t), 0.5) over one period from 0
  double a = M_PI / 6, b = 5 * M_PI / 6, r = t < a ? t : a;
  double sum = 0.5 * r;
  if (t > a) sum += cos(a) - cos(t < b ? t : b);
  if (t > b) sum += 0.5 * (t - b);
  return sum;
}
static double exact_max(double t) {
  double n = floor(t / (2 * M_PI));
  return n * above_half(2 * M_PI) + above_half(t - n * 2 * M_PI);
}
static double exact_min(double t) {
  return 1 - cos(t) + 0.5 * t - exact_max(t);
} // min + max = sum
static double exact_if(double t) {
  return t < 3 ? t : 3 + 2 * (t - 3);
}
static double exact_floor(double t) {
  double n = floor(2 * t);
  return 0.5 * n * (n - 1) / 2 + n * (t - n / 2);
}
static double exact_ceil(double t) {
  return exact_floor(t) + t;
}
static double exact_mod(double t) {
  double n = floor(t / 0.7), r = t - 0.7 * n;
  return n * 0.245 + r * r / 2;
}
static double exact_and(double t) {
  return t < 2 ? 0 : t < 5 ? t - 2 : 3;
}
static double exact_quadratic(double t) {
  return t < 2 ? t * t / 2 : 2 + (t - 2) / 2;
}

static const Kink KINKS[] = {
    {"abs(sin(time))", exact_abs, 3},
    {"sign(sin(time))", exact_sign, 4},
    {"max(sin(time), 0.5)", exact_max, 4},
    {"min(sin(time), 0.5)", exact_min, 4},
    {"if time < 3 then 1 else 2", exact_if, 1},
    {"if time >= 3 then 2 else 1", exact_if, 1},
    {"floor(2*time)", exact_floor, 19},
    {"ceil(2*time)", exact_ceil, 20},
    {"mod(time, 0.7)", exact_mod, 14},
    {"if time > 2 and time < 5 then 1 else 0", exact_and, 2},
    {"if not (time <= 2 or time >= 5) then 1 else 0", exact_and, 2},
    {"if time < 2 then time else 0.5", exact_quadratic, 1},
};
enum { KINK_COUNT = sizeof KINKS / sizeof *KINKS };

static void kink_model(char *out, size_t size, const char *slope) {
  snprintf(out, size,
           "model Kink\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = %s;\nend Kink;\n",
           slope);
}

static void kinks_in_time_are_located(void **state) {
  (void)state;
  for (int k = 0; k < KINK_COUNT; k++)
    for (int s = 0; s < SOLVER_COUNT; s++) {
      char text[300], options[100];
      kink_model(text, sizeof text, KINKS[k].slope);
      with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-9 abs_tol=1e-11");
      Run r = simulate_fully(.text = text, .options = options, .stop = 9.9, .step = 0.3);
      for (int i = 0; i < rows(&r); i++) {
        double wanted = KINKS[k].exact(value_at(&r, "time", i)),
               error = fabs(value_at(&r, "x", i) - wanted);
        double allowed = (s < OWN_COUNT ? 1e-8 : 1e-6) * (1 + fabs(wanted));
        if (error <= allowed) continue;
        print_error("%s with %s: x(%g) = %.12g, exact %.12g, wrong by %.2g\n", KINKS[k].slope,
                    SOLVERS[s], value_at(&r, "time", i), value_at(&r, "x", i), wanted, error);
        fail();
      }
      if (r.work.events != KINKS[k].events)
        print_error("%s with %s: %ld events\n", KINKS[k].slope, SOLVERS[s], r.work.events);
      assert_int_equal(r.work.events, KINKS[k].events);
      run_free(&r);
    }
}

static void no_event_switches_them_off(void **state) {
  (void)state;
  for (int k = 0; k < KINK_COUNT; k++) {
    char text[400], slope[200];
    snprintf(slope, sizeof slope, "noEvent(%s)", KINKS[k].slope);
    kink_model(text, sizeof text, slope);
    Run r = simulate_fully(.text = text, .options = "rel_tol=1e-8 max_step=0.05", .stop = 9.9,
                           .step = 9.9);
    assert_int_equal(r.work.events, 0);
    assert_close(last_value(&r, "x"), KINKS[k].exact(9.9), 1e-3);
    run_free(&r);
  }
}

static void smooth_of_order_one_needs_no_events(void **state) {
  (void)state;
  static const char TEXT[] = "model S\n  Real x(start = -1, fixed = true);\nequation\n"
                             "  der(x) = smooth(1, if x > 0 then 1 + x^2 else 1);\nend S;\n";
  Run r =
      simulate_fully(.text = TEXT, .options = "rel_tol=1e-9 abs_tol=1e-11", .stop = 2, .step = 2);
  assert_int_equal(r.work.events, 0);
  assert_close(last_value(&r, "x"), tan(1), 1e-6);
  run_free(&r);
}

// A slope that is constant between events invites long steps, which must not jump over them.
static void fast_events_in_a_slow_model_are_not_missed(void **state) {
  (void)state;
  for (int s = 0; s < OWN_COUNT; s++) {
    char options[100];
    with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-6 abs_tol=1e-8");
    Run r = simulate_fully(.text = "model Fast\n  Real x(start = 0, fixed = true);\nequation\n"
                                   "  der(x) = if sin(20*time) > 0.9 then 1 else 0;\nend Fast;\n",
                           .options = options, .stop = 10, .step = 10);
    double width = (M_PI - 2 * asin(0.9)) / 20, wanted = 0;
    int events = 0;
    for (int n = 0; n < 40; n++) {
      double on = (asin(0.9) + 2 * M_PI * n) / 20, off = on + width;
      if (on < 10) wanted += fmin(off, 10) - on, events += 1 + (off < 10);
    }
    if (r.work.events != events)
      print_error("%s: %ld events of %d\n", SOLVERS[s], r.work.events, events);
    assert_close(last_value(&r, "x"), wanted, 1e-6);
    assert_int_equal(r.work.events, events);
    run_free(&r);
  }
}

// ---------------------------------------------------------------- sensitivities of event times

static void time_of_switching_has_its_exact_sensitivity(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    with_solver(options, sizeof options, SOLVERS[s], "");
    Run r = simulate_fully(.text = "model Switch\n  parameter Real p = 1.5;\n  Real x(start = 0, "
                                   "fixed = true);\nequation\n"
                                   "  der(x) = if time < p then 3 else 1;\nend Switch;\n",
                           .options = options, .stop = 4, .step = 0.25, .sens = "p");
    for (int i = 0; i < rows(&r); i++) {
      double t = value_at(&r, "time", i);
      assert_close(value_at(&r, "x", i), t < 1.5 ? 3 * t : 3 * 1.5 + t - 1.5, 1e-10);
      if (t != 1.5) assert_close(value_at(&r, "dx/dp", i), t < 1.5 ? 0 : 2, 1e-10);
    }
    assert_int_equal(r.work.events, 1);
    run_free(&r);
  }
}

// x reaches p at t = p/a; then the slope changes from a to b: x = p + b (t - p/a).
static void threshold_of_a_state_has_its_exact_sensitivity(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model Threshold\n  parameter Real p = 2;\n  parameter Real a = "
                                 "4;\n  parameter Real b = 1;\n"
                                 "  Real x(start = 0, fixed = true);\nequation\n"
                                 "  der(x) = if x < p then a else b;\nend Threshold;\n",
                         .stop = 3, .step = 1, .sens = "p a b x.start");
  assert_close(last_value(&r, "x"), 2 + (3 - 0.5), 1e-9);
  assert_close(last_value(&r, "dx/dp"), 1 - 1. / 4, 1e-9);
  assert_close(last_value(&r, "dx/da"), 1. * 2 / 16, 1e-9);
  assert_close(last_value(&r, "dx/db"), 3 - 0.5, 1e-9);
  assert_close(last_value(&r, "dx/dx.start"), 1. / 4, 1e-9);
  run_free(&r);
}

// Each has its own parameters, which move its own events: differences of runs in which they no longer happen together say the same.
static void events_at_one_time_have_sensitivities_of_their_own(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "model M parameter Real p = 0.8, q = 0.8, g = 9.81;"
      " Real h1(start = 1), v1(start = 0), h2(start = 1), v2(start = 0);"
      " equation der(h1) = v1; der(v1) = -g; der(h2) = v2; der(v2) = -g;"
      " when h1 <= 0 then reinit(v1, -p*pre(v1)); end when;"
      " when h2 <= 0 then reinit(v2, -q*pre(v2)); end when; end M;",
      // coupled, with stops that parameters move
      "model M parameter Real p = -0.5, q = -0.5;"
      " Real h1(start = 1), h2(start = 1), v1(start = 0), v2(start = 0);"
      " equation der(h1) = v1; der(h2) = v2;"
      " der(v1) = -4*h1 + 0.5*(h2 - h1); der(v2) = -4*h2 + 0.5*(h1 - h2);"
      " when h1 <= p then reinit(v1, -0.8*pre(v1)); end when;"
      " when h2 <= q then reinit(v2, -0.8*pre(v2)); end when; end M;",
      // discrete variables
      "model M parameter Real p = 0.7, q = 0.7; discrete Real a(start = 1), b(start = 2);"
      " Real h1(start = 0), h2(start = 0), v1(start = 0), v2(start = 0);"
      " equation der(v1) = 1; der(v2) = 1; der(h1) = a; der(h2) = b;"
      " when v1 > p then a = 3*p; end when; when v2 > q then b = 5*q; end when; end M;"};
  for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
    Spec spec = {.text = TEXTS[k], .stop = 1.5, .step = 0.37, .sens = "p q"};
    spec.options = "rel_tol=1e-9 abs_tol=1e-11";
    assert_sensitivities(&spec, .step = 1e-6, .tolerance = 1e-5,
                         .options = "rel_tol=1e-12 abs_tol=1e-14");
  }
}

static void sensitivities_across_events_match_differences(void **state) {
  (void)state;
  static const char *const TEXTS[] = {
      "model A\n  parameter Real p = 1.3;\n  parameter Real q = 0.4;\n  Real x(start = 1, fixed = "
      "true);\n"
      "  Real v(start = 0, fixed = true);\nequation\n  der(x) = v;\n"
      "  der(v) = -p*x - q*v*abs(v) + (if x > 0.3 then 0.5 else -0.2) + 0.3*min(time, 2);\nend "
      "A;\n",
      "model B\n  parameter Real p = 1.3;\n  parameter Real q = 0.4;\n  Real x(start = 1, fixed = "
      "true);\n  Real y;\nequation\n"
      "  der(x) = -p*x + y;\n  y = if x < q then mod(p*time, 0.9) else floor(3*x);\nend B;\n",
      "model C\n  parameter Real p = 2;\n  parameter Real q = 0.1;\n  Real x(start = 0, fixed = "
      "true);\n"
      "  Real z(start = 0.1, fixed = true);\nequation\n"
      "  der(x) = max(0.2, cos(p*time)) - q*abs(x - 0.5);\n  der(z) = if z*sin(3*x) < q then 1 - z "
      "else 1 + z;\nend C;\n",
  };
  for (int k = 0; k < 3; k++)
    for (int s = 0; s < OWN_COUNT; s++) {
      char options[100];
      Spec spec = {.text = TEXTS[k], .stop = 4.83, .step = 0.69, .sens = "p q"};
      spec.options = with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-9 abs_tol=1e-11");
      assert_sensitivities(&spec, .step = 1e-6, .tolerance = 1e-5,
                           .options = "rel_tol=1e-12 abs_tol=1e-14");
    }
}

// ---------------------------------------------------------------- special places

static void two_events_in_one_step_happen_in_their_order(void **state) {
  (void)state;
  static const double GAP[] = {0, 1e-12, 1e-6, 1e-2};
  for (int k = 0; k < 4; k++)
    for (int s = 0; s < SOLVER_COUNT; s++) {
      char text[400], options[100];
      snprintf(text, sizeof text,
               "model Two\n  Real x(start = 0, fixed = true);\n  Real y(start = 0, fixed = "
               "true);\nequation\n"
               "  der(x) = if x < 1 then 1 else 3;\n  der(y) = (if y < %.17g then 1 else 2) * (if "
               "x < 1 then 1 else 10);\n"
               "end Two;\n",
               1 + GAP[k]);
      with_solver(options, sizeof options, SOLVERS[s], "");
      Run r = simulate_fully(.text = text, .options = options, .stop = 2, .step = 2);
      assert_close(last_value(&r, "x"), 4, 1e-7);
      double passed =
          1 + GAP[k] / 10; // y is 1 when x is, then runs with 10 until it passes its own threshold
      assert_close(last_value(&r, "y"), 1 + GAP[k] + 20 * (2 - passed), 1e-6);
      run_free(&r);
    }
}

static void an_event_at_an_output_time_gives_one_row(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    with_solver(options, sizeof options, SOLVERS[s], "");
    Run r =
        simulate_fully(.text = "model At\n  Real x(start = 0, fixed = true);\n  Real y;\nequation\n"
                               "  der(x) = if time < 0.5 then 1 else 2;\n  y = if time < 0.5 then "
                               "0 else 1;\nend At;\n",
                       .options = options, .stop = 1, .step = 0.25);
    static const double X[] = {0, 0.25, 0.5, 1, 1.5}, Y[] = {0, 0, 1, 1, 1};
    assert_int_equal(rows(&r), 5);
    for (int i = 0; i < 5; i++) {
      assert_close(value_at(&r, "time", i), 0.25 * i, 0);
      assert_close(value_at(&r, "x", i), X[i], 1e-9);
      assert_close(value_at(&r, "y", i), Y[i], 0); // y is what the model says at that time
    }
    run_free(&r);
  }
}

static void events_at_the_start_follow_the_motion(void **state) {
  (void)state;
  static const char *const DOWN[] = {"x < 0", "x <= 0", "not x >= 0", "not x > 0"};
  for (int k = 0; k < 4; k++)
    for (int direction = -1; direction <= 1; direction += 2) {
      char text[300];
      snprintf(text, sizeof text,
               "model Start\n  Real x(start = 0, fixed = true);\n  Real y(start = 0, fixed = "
               "true);\nequation\n"
               "  der(x) = %d;\n  der(y) = if %s then 5 else 7;\nend Start;\n",
               direction, DOWN[k]);
      Run r = simulate_fully(.text = text, .stop = 1, .step = 1);
      assert_close(last_value(&r, "y"), direction < 0 ? 5 : 7, 1e-9);
      run_free(&r);
    }
}

// The rate at the start is 0 too: only the second derivative tells where it goes.
static void a_start_at_rest_on_a_kink_is_left_in_the_right_direction(void **state) {
  (void)state;
  for (int direction = -1; direction <= 1; direction += 2) {
    char text[300];
    snprintf(text, sizeof text,
             "model Rest\n  Real x(start = 0, fixed = true);\n  Real v(start = 0, fixed = "
             "true);\nequation\n"
             "  der(x) = v;\n  der(v) = %d*2 + (if x < 0 then -1 else 1);\nend Rest;\n",
             direction);
    Run r = simulate_fully(.text = text, .stop = 2, .step = 2);
    assert_close(last_value(&r, "x"), direction * 6, 1e-8);
    run_free(&r);
  }
}

static void grazing_is_survived(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    with_solver(options, sizeof options, SOLVERS[s], "");
    Run r = simulate_fully(.text = "model Graze\n  Real x(start = 0, fixed = true);\n  Real "
                                   "h(start = 1, fixed = true);\n"
                                   "  Real v(start = -2, fixed = true);\nequation\n"
                                   "  der(h) = v;\n  der(v) = 2;\n  der(x) = 1 + (if h < 0 then 1 "
                                   "else 0) + abs(h)/10;\nend Graze;\n",
                           .options = options, .stop = 2, .step = 0.5, .sens = "h.start");
    assert_close(last_value(&r, "x"), 2 + 2. / 30, 1e-5); // h = (1 - t)^2
    run_free(&r);
  }
}

static void a_short_excursion_is_seen(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text = "model Short\n  Real x(start = 0, fixed = true);\nequation\n"
                             "  der(x) = if (time - 1)^2 < 1e-4 then 1000 else 0;\nend Short;\n",
                     .stop = 3, .step = 3);
  assert_int_equal(r.work.events, 2);
  assert_close(last_value(&r, "x"), 20, 1e-5);
  run_free(&r);
}

static void sticking_friction_comes_to_rest(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    with_solver(options, sizeof options, SOLVERS[s], "");
    Run r = simulate_fully(.text = FRICTION, .options = options, .stop = 100, .step = 1);
    double rests = value_at(&r, "x", 10); // it sticks after 10 half swings, at t = 9.93
    for (int i = 10; i < rows(&r); i++) {
      assert_close(value_at(&r, "v", i), 0, 1e-12);
      assert_close(value_at(&r, "x", i), rests, 1e-12);
    }
    run_free(&r);
  }
}

static void many_events_that_come_to_an_end_are_no_chatter(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model Many\n  Real x(start = 0, fixed = true);\nequation\n"
                                 "  der(x) = sign(sin(1000*time));\nend Many;\n",
                         .stop = 10, .step = 10);
  assert_int_equal(r.work.events, 3184); // one at the start
  run_free(&r);
}

static void max_events_ends_the_simulation(void **state) {
  (void)state;
  Run r = simulate(.text = "model Many\n  Real x(start = 0, fixed = true);\nequation\n"
                           "  der(x) = sign(sin(1000*time));\nend Many;\n",
                   .options = "max_events=100", .stop = 10, .step = 10);
  assert_int_equal(outcome(&r), ENTRAIN_TOO_MANY_EVENTS);
  assert_true(strlen(entrain_result_message(r.result)) > 20);
  run_free(&r);
}

// ---------------------------------------------------------------- modes inside algebraic loops

static void loops_with_modes_are_solved_on_both_sides(void **state) {
  (void)state;
  static const char *const LOOPS[] = {
      "y + (if y > 0 then 3*y else y) = sin(time)", // linear on each side
      "y + 3*max(y, 0) + min(y, 0) = sin(time)",
      "2*y + y^3*0 + abs(y)/2*2 + y = sin(time)", // abs(y): 4 y or 2 y
  };
  for (int k = 0; k < 3; k++) {
    char text[300];
    snprintf(text, sizeof text,
             "model Loop\n  Real y;\n  Real x(start = 0, fixed = true);\nequation\n  %s;\n  der(x) "
             "= y;\nend Loop;\n",
             LOOPS[k]);
    Run r = simulate_fully(.text = text, .options = "rel_tol=1e-9 abs_tol=1e-11", .stop = 9.9,
                           .step = 0.33);
    for (int i = 0; i < rows(&r); i++) {
      double s = sin(value_at(&r, "time", i));
      assert_close(value_at(&r, "y", i), s > 0 ? s / 4 : s / 2, 1e-9);
    }
    assert_int_equal(r.work.events, k == 0 ? 4 : 3); // y > 0 becomes true right after the start
    run_free(&r);
  }
}

// Two unknowns of one nonlinear loop whose law changes with one of them.
static void nonlinear_loops_with_modes_are_solved(void **state) {
  (void)state;
  Run r = simulate_fully(
          .text = "model Loop\n  Real a;\n  Real b;\n  Real x(start = 0, fixed = true);\nequation\n"
                  "  a + exp(b)/4 = 2*cos(time);\n  b = if a < 0.5 then a else 0.5 + 2*(a - 0.5);\n"
                  "  der(x) = a;\nend Loop;\n",
          .options = "rel_tol=1e-9 abs_tol=1e-11", .stop = 6, .step = 0.2);
  for (int i = 0; i < rows(&r); i++) {
    double a = value_at(&r, "a", i), b = value_at(&r, "b", i);
    assert_close(a + exp(b) / 4, 2 * cos(value_at(&r, "time", i)), 1e-9);
    assert_close(b, a < 0.5 ? a : 2 * a - 0.5, 1e-9);
  }
  assert_int_equal(r.work.events, 0); // computed on the spot
  run_free(&r);
}

// q*abs(q) = dp: with its branch held fixed the loop has no solution beyond q = 0, and its slope vanishes at the guess 0.
static void a_turbulent_flow_reverses(void **state) {
  (void)state;
  Run r =
      simulate_fully(.text = "model Flow\n  Real h(start = 1, fixed = true);\n  Real q;\nequation\n"
                             "  q*abs(q) = h - 0.2*time;\n  der(h) = -q;\nend Flow;\n",
                     .stop = 5, .step = 0.25);
  for (int i = 0; i < rows(&r); i++) {
    double q = value_at(&r, "q", i);
    assert_close(q * fabs(q), value_at(&r, "h", i) - 0.2 * value_at(&r, "time", i), 1e-12);
  }
  assert_true(value_at(&r, "q", 0) > 0 && last_value(&r, "q") < 0);
  run_free(&r);
}

// x = t: the inner choice jumps at 1 from -1 to 1, and takes the outer one with it.
static void a_choice_inside_a_condition_switches_both(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    with_solver(options, sizeof options, SOLVERS[s], "");
    Run r = simulate_fully(
            .text = "model Nested\n  parameter Real p = 1;\n  Real x(start = 0, fixed = true);\n"
                    "  Real y(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
                    "  der(y) = if (if x > p then x else -x) > 0.5 then 3 else 1;\nend Nested;\n",
            .options = options, .stop = 2, .step = 2, .sens = "p");
    assert_close(last_value(&r, "y"), 1 + 3, 1e-7);
    assert_close(last_value(&r, "dy/dp"), -2, 1e-7);
    run_free(&r);
  }
}

// A heater that is switched by time, with a fast sensor: stiff, and 20 jumps.
static void stiff_models_with_events_are_the_same_with_all_solvers(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Heater\n  parameter Real rate = 1e5;\n  parameter Real width = 0.3;\n"
      "  Real T(start = 0, fixed = true);\n  Real s(start = 0, fixed = true);\nequation\n"
      "  der(T) = (if mod(time, 0.5) < width then 2 else 0) - T;\n  der(s) = rate*(T^2 - s);\nend "
      "Heater;\n";
  Run exact =
      simulate_fully(.text = TEXT, .options = "solver=rosenbrock rel_tol=1e-11 abs_tol=1e-13",
                     .stop = 5, .step = 0.23, .sens = "width");
  static const char *const STIFF[] = {"auto", "rosenbrock", "bdf"};
  for (int k = 0; k < 3; k++) {
    char options[100];
    with_solver(options, sizeof options, STIFF[k], "rel_tol=1e-8 abs_tol=1e-10");
    Run r =
        simulate_fully(.text = TEXT, .options = options, .stop = 5, .step = 0.23, .sens = "width");
    assert_close(largest_difference(&r, &exact, "T"), 0, 2e-6);
    assert_close(largest_difference(&r, &exact, "s"), 0, 2e-6);
    assert_close(largest_difference(&r, &exact, "dT/dwidth"), 0, 2e-5);
    assert_close(largest_difference(&r, &exact, "ds/dwidth"), 0, 1e-4);
    assert_int_equal(r.work.events, exact.work.events);
    run_free(&r);
  }
  run_free(&exact);
}

// ---------------------------------------------------------------- where one side does not exist

static void a_tank_runs_empty(void **state) {
  (void)state;
  static const char *const LAWS[] = {"if h > 0 then sqrt(h) else 0", "sqrt(max(h, 0))",
                                     "sign(h)*sqrt(abs(h))"};
  for (int k = 0; k < 3; k++)
    for (int s = 0; s < OWN_COUNT; s++) {
      char text[300], options[100];
      snprintf(text, sizeof text,
               "model Tank\n  parameter Real c = 1;\n  Real h(start = 1, fixed = true);\nequation\n"
               "  der(h) = -c*(%s) - 0.1;\nend Tank;\n",
               LAWS[k]);
      with_solver(options, sizeof options, SOLVERS[s], "rel_tol=1e-8 abs_tol=1e-10");
      Run r =
          simulate_fully(.text = text, .options = options, .stop = 1.5, .step = 0.1, .sens = "c");
      // sqrt(h) = s: 2 s ds = -(s + 0.1) dt, so t = 2 (1 - s) - 0.2 log(1.1/(s + 0.1)) until s = 0
      for (int i = 0; i < rows(&r); i++) {
        double root = sqrt(value_at(&r, "h", i));
        assert_close(2 * (1 - root) - 0.2 * log(1.1 / (root + 0.1)), value_at(&r, "time", i), 1e-6);
      }
      run_free(&r);
      r = simulate_fully(.text = text, .options = options, .stop = 3, .step = 3);
      double empty = 2 - 0.2 * log(11), rest = 3 - empty;
      if (k < 2) assert_close(last_value(&r, "h"), -0.1 * rest, 1e-6);
      run_free(&r);
    }
}

// ---------------------------------------------------------------- exactly on a kink

static void at_rest_on_a_kink_each_relation_has_its_own_value(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model Rest\n  Real x(start = 0, fixed = true);\n"
                                 "  Real v(start = 0, fixed = true);\n"
                                 "  Real less;\n  Real at_most;\n  Real s;\nequation\n"
                                 "  der(x) = 0;\n  der(v) = -2*sign(v);\n"
                                 "  less = if x < 0 then 1 else 0;\n"
                                 "  at_most = if x <= 0 then 1 else 0;\n  s = sign(x);\n"
                                 "end Rest;\n",
                         .stop = 1, .step = 0.5);
  for (int i = 0; i < rows(&r); i++) {
    assert_close(value_at(&r, "less", i), 0, 0);
    assert_close(value_at(&r, "at_most", i), 1, 0);
    assert_close(value_at(&r, "s", i), 0, 0);
    assert_close(value_at(&r, "v", i), 0, 0);
  }
  run_free(&r);
}

static void events_at_the_same_time_have_their_own_sensitivities(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    Run r = simulate_fully(.text = "model Two\n  parameter Real p = 0.5;\n"
                                   "  parameter Real q = 0.5;\n"
                                   "  Real x(start = 0, fixed = true);\nequation\n"
                                   "  der(x) = (if time < p then 1 else 0)\n"
                                   "    + (if 1e6*(time - q) < 0 then 0 else 3);\nend Two;\n",
                           .options = with_solver(options, sizeof options, SOLVERS[s], ""),
                           .stop = 1, .step = 1, .sens = "p q");
    assert_close(last_value(&r, "dx/dp"), 1, 1e-6);
    assert_close(last_value(&r, "dx/dq"), -3, 1e-6);
    run_free(&r);
  }
}

static void equal_parts_may_switch_all_at_once(void **state) {
  (void)state;
  enum { PARTS = 100 };
  char *text = calloc(PARTS, 200);
  strcat(text, "model Equal\n");
  for (int i = 0; i < PARTS; i++)
    sprintf(text + strlen(text), "  Real x%d(start = 0, fixed = true);\n", i);
  strcat(text, "equation\n");
  for (int i = 0; i < PARTS; i++)
    sprintf(text + strlen(text), "  der(x%d) = if x%d < 0.5 then 1 else 0.5;\n", i, i);
  strcat(text, "end Equal;\n");
  Run r = simulate_fully(.text = text, .stop = 1, .step = 1);
  assert_close(last_value(&r, "x0"), 0.75, 1e-9);
  assert_close(last_value(&r, "x99"), 0.75, 1e-9);
  run_free(&r);
  free(text);
}

static void a_row_at_an_event_shows_what_comes_after_it(void **state) {
  (void)state;
  static const double TIMES[] = {0, 0.25, 0.5, 0.75}, VALUES[] = {0, 1, 0, 1};
  for (int k = 0; k < 2; k++) { // at the end of the run, and at a break of the input
    Run r = simulate_fully(.text = "model Step\n  input Real u;\n"
                                   "  Real x(start = 0, fixed = true);\n"
                                   "  Real y;\n  Real n;\nequation\n  der(x) = u;\n"
                                   "  y = if time < 0.5 then 0 else 1;\n  n = floor(2*time);\n"
                                   "end Step;\n",
                           .stop = k ? 0.75 : 0.5, .step = 0.25, .input = "u", .input_times = TIMES,
                           .input_values = VALUES, .input_count = 4);
    assert_close(value_at(&r, "y", 1), 0, 0);
    assert_close(value_at(&r, "n", 1), 0, 0);
    assert_close(value_at(&r, "y", 2), 1, 0);
    assert_close(value_at(&r, "n", 2), 1, 0);
    run_free(&r);
  }
}

static void a_boolean_input_is_true_from_its_sample_on(void **state) {
  (void)state;
  static const double TIMES[] = {0, 0.5, 1}, VALUES[] = {0, 1, 0};
  Run r = simulate_fully(.text = "model Switch\n  input Boolean on;\n"
                                 "  Real x(start = 0, fixed = true);\nequation\n"
                                 "  der(x) = if on then 1 else 0;\nend Switch;\n",
                         .stop = 1, .step = 0.5, .input = "on", .input_times = TIMES,
                         .input_values = VALUES, .input_count = 3);
  assert_close(value_at(&r, "x", 1), 0, 1e-12);
  assert_close(value_at(&r, "x", 2), 0.5, 1e-12);
  run_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_follows_the_exact_solution),
      cmocka_unit_test(friction_error_falls_with_the_tolerance),
      cmocka_unit_test(friction_sensitivities_follow_the_exact_solution),
      cmocka_unit_test(forced_friction_sensitivities_match_differences),
      cmocka_unit_test(kinks_in_time_are_located),
      cmocka_unit_test(no_event_switches_them_off),
      cmocka_unit_test(smooth_of_order_one_needs_no_events),
      cmocka_unit_test(fast_events_in_a_slow_model_are_not_missed),
      cmocka_unit_test(time_of_switching_has_its_exact_sensitivity),
      cmocka_unit_test(threshold_of_a_state_has_its_exact_sensitivity),
      cmocka_unit_test(sensitivities_across_events_match_differences),
      cmocka_unit_test(events_at_one_time_have_sensitivities_of_their_own),
      cmocka_unit_test(two_events_in_one_step_happen_in_their_order),
      cmocka_unit_test(an_event_at_an_output_time_gives_one_row),
      cmocka_unit_test(events_at_the_start_follow_the_motion),
      cmocka_unit_test(a_start_at_rest_on_a_kink_is_left_in_the_right_direction),
      cmocka_unit_test(grazing_is_survived),
      cmocka_unit_test(a_short_excursion_is_seen),
      cmocka_unit_test(sticking_friction_comes_to_rest),
      cmocka_unit_test(many_events_that_come_to_an_end_are_no_chatter),
      cmocka_unit_test(max_events_ends_the_simulation),
      cmocka_unit_test(loops_with_modes_are_solved_on_both_sides),
      cmocka_unit_test(nonlinear_loops_with_modes_are_solved),
      cmocka_unit_test(a_turbulent_flow_reverses),
      cmocka_unit_test(a_choice_inside_a_condition_switches_both),
      cmocka_unit_test(stiff_models_with_events_are_the_same_with_all_solvers),
      cmocka_unit_test(a_tank_runs_empty),
      cmocka_unit_test(at_rest_on_a_kink_each_relation_has_its_own_value),
      cmocka_unit_test(events_at_the_same_time_have_their_own_sensitivities),
      cmocka_unit_test(equal_parts_may_switch_all_at_once),
      cmocka_unit_test(a_row_at_an_event_shows_what_comes_after_it),
      cmocka_unit_test(a_boolean_input_is_true_from_its_sample_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
