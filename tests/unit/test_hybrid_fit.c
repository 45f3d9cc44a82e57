// Identification of models with when-clauses and discrete variables.
#include <math.h>

#include "made_problem.h"
#include "search/fit.h"

static const char BALL[] = "model Ball\n"
                           "  parameter Real e = 0.8, g = 9.81;\n"
                           "  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                           "equation\n"
                           "  der(h) = v;\n"
                           "  der(v) = -g;\n"
                           "  when h <= 0 then\n"
                           "    reinit(v, -e*pre(v));\n"
                           "  end when;\n"
                           "end Ball;\n";

static double ball_height(double t, double e, double g) {
  double fall = sqrt(2 / g), v = g * fall;
  if (t < fall) return 1 - g * t * t / 2;
  for (t -= fall;; t -= 2 * v / g) {
    v *= e;
    if (t < 2 * v / g) return v * t - g * t * t / 2;
  }
}

static double relay_temperature(double t, double low, double high, double power) {
  double T = 20, k = 0.1, on = 1;
  for (;;) {
    double rest = 10 + (on != 0 ? power / k : 0), goal = on != 0 ? high : low;
    double until = log((T - rest) / (goal - rest)) / k;
    if (t < until) return rest + (T - rest) * exp(-k * t);
    t -= until, T = goal, on = on == 0;
  }
}

static const char RELAY[] = "model Relay\n"
                            "  parameter Real low = 19, high = 21, P = 5;\n"
                            "  Real T(start = 20, fixed = true);\n"
                            "  Boolean on(start = true, fixed = true);\n"
                            "equation\n"
                            "  der(T) = -0.1*(T - 10) + (if on then P else 0);\n"
                            "  when T >= high then on = false;\n"
                            "  elsewhen T <= low then on = true;\n"
                            "  end when;\n"
                            "end Relay;\n";

static void assert_fit(const Made *m, const double *truth, const char *method) {
  FitResult *r = fit_run(m->problem, NULL, NULL, NULL);
  for (int i = 0; i < m->problem->unknown_count; i++) {
    if (fabs(r->x[i] - truth[i]) > 1e-5 * fabs(truth[i]))
      fail_msg("%s: %s = %.9g", method, m->problem->unknowns[i].name, r->x[i]);
  }
  fit_free(r);
}

static const char *const METHODS[] = {"lm", "newton", "homotopy", "auto", "gauss-newton"};

static void a_ball_tells_gravity_and_restitution(void **state) {
  (void)state;
  Made m;
  char data[20000] = "time,h\n";
  for (int i = 0; i <= 120; i++) {
    double t = 0.02 * i;
    snprintf(data + strlen(data), 60, "%.17g,%.17g\n", t, ball_height(t, 0.8, 9.81));
  }
  for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
    char yaml[400];
    made_open(&m);
    made_file(&m, "ball.mo", BALL);
    made_file(&m, "data.csv", data);
    snprintf(yaml, sizeof yaml,
             "model: ball.mo\n"
             "experiments:\n"
             "  - data: data.csv\n"
             "    measure: {h: h}\n"
             "estimate:\n"
             "  e: {start: 0.7, min: 0.1, max: 1}\n"
             "  g: {start: 8, min: 1, max: 20}\n"
             "method: %s\n"
             "options: {rel_tol: 1e-9}\n",
             METHODS[k]);
    made_load(&m, yaml);
    assert_fit(&m, (double[]){0.8, 9.81}, METHODS[k]);
    made_close(&m);
  }
}

static void a_relay_tells_its_limits(void **state) {
  (void)state;
  Made m;
  char data[20000] = "time,T\n";
  for (int i = 0; i <= 200; i++) {
    double t = 0.05 * i;
    snprintf(data + strlen(data), 60, "%.17g,%.17g\n", t, relay_temperature(t, 19, 21, 5));
  }
  made_open(&m);
  made_file(&m, "relay.mo", RELAY);
  made_file(&m, "data.csv", data);
  made_load(&m, "model: relay.mo\n"
                "experiments:\n"
                "  - data: data.csv\n"
                "    measure: {T: T}\n"
                "estimate:\n"
                "  low: {start: 18.7, min: 10, max: 19.8}\n"
                "  high: {start: 20.8, min: 20.2, max: 25}\n"
                "  P: {start: 4.8, min: 1, max: 10}\n"
                "method: lm\n"
                "options: {rel_tol: 1e-9}\n");
  assert_fit(&m, (double[]){19, 21, 5}, "lm");
  made_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_tells_gravity_and_restitution),
      cmocka_unit_test(a_relay_tells_its_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
