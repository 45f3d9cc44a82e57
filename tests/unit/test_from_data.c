// Predictions and computed derivatives: closed forms, slopes against differences, and changes of the problem that must not
// change anything.
#include "residual/from_data.h"

#include "evaluation.h"
#include "made_problem.h"
#include "problem/residual_kind.h"

static const char *const FORCED = "model Forced\n"
                                  "  parameter Real k = 2, c = 0.3, b = 1;\n"
                                  "  input Real F;\n"
                                  "  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                                  "equation\n"
                                  "  der(x) = v;\n"
                                  "  der(v) = b*F - k*sin(x) - c*v*abs(v);\n"
                                  "end Forced;\n";

static const char *const ESTIMATE =
    "estimate: {k: {start: 1.3, min: 0, max: 9}, c: {start: 0.7}, b: {start: 0.6}}\n";

typedef struct Rows {
  int n, count;
  double *r, *J;
} Rows;

static Rows rows_at(const Problem *p, const double *x, bool slopes) {
  Evaluation *e = evaluation_new(p);
  int count = residual_count(p, 1), n = p->unknown_count;
  Rows rows = {n, count, calloc((size_t)count, sizeof(double)), NULL};
  if (slopes) rows.J = calloc((size_t)count * (size_t)n, sizeof(double));
  assert_int_equal(evaluate_residuals(e->work, &e->spec, x, rows.r, rows.J, NULL), EVAL_DONE);
  evaluation_free(e);
  return rows;
}

static void rows_free(Rows r) {
  free(r.r);
  free(r.J);
}

// The problem with these keys on top, at points near its start values: slopes by central differences are those of the rows.
static void check_slopes(const char *keys, const char *experiments, int least_rows, double tol) {
  Made m;
  char text[2000];
  made_open(&m);
  made_file(&m, "forced.mo", FORCED);
  made_waves(&m, "a.csv", 0, 60);
  made_waves(&m, "b.csv", 0.9, 40);
  snprintf(text, sizeof text,
           "model: forced.mo\n%s%sestimate:\n  k: {start: 1.3, per_experiment: "
           "true}\n  c: 0.7\n  b: 0.6\n",
           keys, experiments);
  const Problem *p = made_load(&m, text);
  double x[8];
  for (int i = 0; i < p->unknown_count; i++) x[i] = p->unknowns[i].start * (1 + 0.1 * i);
  Rows at = rows_at(p, x, true);
  assert_true(at.count >= least_rows);
  for (int i = 0; i < at.n; i++) {
    double h = 1e-5, centre = x[i], moved = 0;
    x[i] = centre + h;
    Rows up = rows_at(p, x, false);
    x[i] = centre - h;
    Rows down = rows_at(p, x, false);
    x[i] = centre;
    for (int k = 0; k < at.count; k++) {
      double slope = at.J[(size_t)i * (size_t)at.count + (size_t)k];
      assert_close(slope, (up.r[k] - down.r[k]) / (2 * h), tol * (1 + fabs(slope)));
      moved = fmax(moved, fabs(slope));
    }
    assert_true(moved > 1e-6); // it matters at all
    rows_free(up), rows_free(down);
  }
  rows_free(at);
  made_close(&m);
}

static const char *const TWO = "experiments:\n"
                               "  - {data: a.csv, measure: {x: x, v: {column: v, sigma: 0.2}}}\n"
                               "  - data: b.csv\n"
                               "    measure: {v: v, x: {column: x, gain: 2, offset: -0.5}}\n";

static void slopes_of_predictions_are_exact(void **state) {
  (void)state;
  check_slopes("residual: prediction\n", TWO, 120, 1e-8);
  check_slopes("residual: prediction\nprediction: {ahead: 2}\nscale: range\n", TWO, 120, 1e-8);
  check_slopes("residual: prediction\nprediction: {by: euler, ahead: 3}\n", TWO, 120, 1e-8);
  check_slopes("residual: prediction\noptions: {interpolation: hold}\nscale: range-squared\n", TWO,
               120, 1e-8);
}

static const char *const ONE_OF_TWO = "experiments:\n"
                                      "  - {data: a.csv, measure: {x: x}}\n"
                                      "  - {data: b.csv, measure: {x: x, v: v}}\n";

// By the integrator within its tolerances; with states that the coupled model supplies, whose slopes count.
static void slopes_by_the_integrator_and_of_coupled_states_are_exact(void **state) {
  (void)state;
  check_slopes("residual: prediction\nprediction: {by: integrator}\noptions: {rel_tol: 1e-11, "
               "abs_tol: 1e-13}\n",
               TWO, 120, 1e-6);
  check_slopes("residual: prediction\nprediction: {by: integrator, ahead: 3}\noptions: {rel_tol: "
               "1e-11, abs_tol: 1e-13}\n",
               ONE_OF_TWO, 80, 1e-6);
  check_slopes("residual: prediction\noptions: {rel_tol: 1e-11, abs_tol: 1e-13}\n", ONE_OF_TWO, 80,
               1e-6);
}

static void slopes_of_derivatives_are_exact(void **state) {
  (void)state;
  check_slopes("residual: equation\n", TWO, 60, 1e-8);
  check_slopes(
      "residual: equation\nscale: range\n",
      "experiments:\n  - {data: a.csv, measure: {x: x}}\n  - {data: b.csv, measure: {x: x, "
      "v: v, der(v): F}}\n",
      60, 1e-8);
}

// dx/dt = -a x + u with u held: one step of order 4 is the Taylor polynomial of the exponential, ahead of it its powers.
static void a_linear_prediction_is_the_closed_form(void **state) {
  (void)state;
  static const double X[] = {1, 0.3, -2, 5, 4}, U[] = {2, -1, 0.5, 3, 9}, h = 0.4;
  for (int ahead = 1; ahead <= 3; ahead++) {
    Made m;
    char text[300];
    made_open(&m);
    made_file(&m, "lag.mo",
              "model Lag parameter Real a = 1; input Real u; Real x(start = 0, fixed = "
              "true); equation der(x) = -a*x + u; end Lag;");
    made_file(&m, "lag.csv", "t,x,u\n0,1,2\n0.4,0.3,-1\n0.8,-2,0.5\n1.2,5,3\n1.6,4,9\n");
    snprintf(
        text, sizeof text,
        "model: lag.mo\nresidual: prediction\nprediction: {by: rk4, ahead: "
        "%d}\nexperiments: {data: lag.csv, measure: [x], interpolation: hold}\nestimate: [a]\n",
        ahead);
    double a = 0.8, z = -a * h;
    double grow = 1 + z + z * z / 2 + z * z * z / 6 + z * z * z * z / 24;
    Rows rows = rows_at(made_load(&m, text), &a, false);
    assert_int_equal(rows.count, 5 - ahead);
    for (int k = 0; k < rows.count; k++) {
      double x = X[k];
      for (int j = 0; j < ahead; j++) x = grow * x + (grow - 1) / -a * U[k + j];
      assert_close(rows.r[k], x - X[k + ahead], 1e-14 * 10);
    }
    rows_free(rows);
    made_close(&m);
  }
}

// Samples whose base has no state are left out, and only those.
static void samples_after_a_gap_are_left_out(void **state) {
  (void)state;
  Made m;
  made_open(&m);
  made_file(&m, "lag.mo",
            "model Lag parameter Real a = 1; Real x(start = 0, fixed = true), y; "
            "equation der(x) = -a*x; y = 3*x; end Lag;");
  made_file(&m, "lag.csv", "t,x,y\n0,1,3\n1,,6\n2,4,9\n3,5,\n4,6,12\n5,,\n6,8,1\n");
  const Problem *p = made_load(&m, "model: lag.mo\nresidual: prediction\nexperiments: {data: "
                                   "lag.csv, measure: [x, y]}\nestimate: [a]\n");
  const Channel *x = &p->experiments[0].channels[0], *y = &p->experiments[0].channels[1];
  static const double X[] = {3, 4}, Y[] = {1, 4};
  assert_int_equal(x->count, 2);
  assert_int_equal(y->count, 2);
  for (int i = 0; i < 2; i++) {
    assert_close(x->t[i], X[i], 0);
    assert_close(y->t[i], Y[i], 0);
  }
  assert_int_equal(x->unpredicted, 3);
  assert_close(x->from[0], 4, 0);
  assert_close(y->from[0], 3, 0);
  assert_true(isnan(y->from[1])); // y is missing at t = 3, x is not
  made_close(&m);
}

static void measured_derivatives_give_linear_parameters_exactly(void **state) {
  (void)state;
  Made m;
  char text[4000] = "t,x,v,a\n";
  made_open(&m);
  made_file(&m, "osc.mo",
            "model Osc parameter Real k = 1, c = 1; Real x(start = 1, fixed = true), v(start = 0, "
            "fixed = true); equation der(x) = v; der(v) = -k*x^3 - c*v; end Osc;");
  for (int i = 0; i < 30; i++) {
    double x = sin(1.7 * i), v = cos(0.4 * i * i), a = -2.5 * x * x * x - 0.125 * v;
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d,%.17g,%.17g,%.17g\n", i, x, v, a);
  }
  made_file(&m, "osc.csv", text);
  const Problem *p = made_load(
      &m, "model: osc.mo\nresidual: equation\nexperiments: {data: osc.csv, measure: {x: x, "
          "v: v, der(v): a}}\nestimate: [k, c]\n");
  assert_int_equal(p->experiments[0].channel_count, 1); // that of x has no unknowns
  double truth[] = {2.5, 0.125}, other[] = {2.4, 0.125};
  Rows at = rows_at(p, truth, false), away = rows_at(p, other, false);
  assert_int_equal(at.count, 30);
  for (int k = 0; k < 30; k++) assert_close(at.r[k], 0, 1e-15);
  assert_true(fabs(away.r[1]) > 1e-3);
  rows_free(at), rows_free(away);
  made_close(&m);
}

static double objective_of(const char *measure, double shift) {
  Made m;
  char text[8000] = "t,x,v,F\n", yaml[500];
  made_open(&m);
  made_file(&m, "forced.mo", FORCED);
  for (int i = 0; i < 50; i++) {
    double t = i / 16.0; // exact in binary, and so is the shifted one
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g,%.17g,%.17g\n",
             t + shift, cos(t), -sin(t), 0.3 * cos(0.8 * t));
  }
  made_file(&m, "w.csv", text);
  snprintf(yaml, sizeof yaml,
           "model: forced.mo\nresidual: prediction\nscale: range\nexperiments: "
           "{data: w.csv, measure: %s}\n%s",
           measure, ESTIMATE);
  Evaluation *e = evaluation_new(made_load(&m, yaml));
  double x[] = {1.3, 0.7, 0.6}, V = evaluate_value(e->work, &e->spec, x);
  evaluation_free(e);
  made_close(&m);
  return V;
}

static void neither_the_order_of_channels_nor_the_epoch_changes_anything(void **state) {
  (void)state;
  double V = objective_of("[x, v]", 0);
  assert_true(V > 1e-6);
  assert_close_relative(objective_of("[v, x]", 0), V, 1e-14);
  assert_close_relative(objective_of("[x, v]", 1u << 30), V, 1e-14);
}

// With events in the model single steps see what the relations are at their stages.
static void relations_are_what_the_states_make_them(void **state) {
  (void)state;
  Made m;
  made_open(&m);
  made_file(&m, "two.mo",
            "model Two parameter Real a = 1; Real x(start = 0, fixed = true); equation "
            "der(x) = if x > 1 then -a else 2*a; end Two;");
  made_file(&m, "two.csv", "t,x\n0,0\n1,3\n2,0.5\n");
  const Problem *p = made_load(&m, "model: two.mo\nresidual: prediction\nprediction: {by: euler}\n"
                                   "experiments: {data: two.csv, measure: [x]}\nestimate: [a]\n");
  double a = 0.7;
  Rows rows = rows_at(p, &a, true);
  assert_close(rows.r[0], 2 * a - 3, 1e-15);
  assert_close(rows.r[1], 3 - a - 0.5, 1e-15);
  assert_close(rows.J[0], 2, 1e-15);
  assert_close(rows.J[1], -1, 1e-15);
  rows_free(rows);
  made_close(&m);
}

// Random linear and nonlinear motions, recorded by the program itself: their own predictions by the integrator are exact, with
// any number of samples ahead, and other parameters are not.
static void predictions_of_own_data_are_exact(void **state) {
  (void)state;
  static const char *const MODELS[] = {
      "der(x) = v; der(v) = -a*x - 0.2*v + F;",
      "der(x) = a*(v - x); der(v) = x*(2 - x) - v + F;",
      "der(x) = -a*x*v; der(v) = a*x*v - 0.7*v + F;",
      "der(x) = if x > 0.3 then -a*x else v; der(v) = F - a*abs(x);",
  };
  for (int k = 0; k < 4; k++) {
    Made m;
    char text[8000] = "t,x,v,F\n", model[400], yaml[400];
    made_open(&m);
    snprintf(
        model, sizeof model,
        "model M parameter Real a = 1; input Real F; Real x(start = 1, fixed = true), v(start = "
        "0.2, fixed = true); equation %s end M;",
        MODELS[k]);
    made_file(&m, "m.mo", model);
    for (int i = 0; i < 40; i++)
      snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,0,0,%.17g\n", 0.1 * i,
               sin(0.5 * i));
    made_file(&m, "m.csv", text);
    snprintf(yaml, sizeof yaml,
             "model: m.mo\nresidual: prediction\nprediction: {by: integrator, ahead: "
             "%d}\nexperiments: {data: m.csv, measure: [x, v]}\nestimate: {a: 1.3}\n",
             1 + k % 3);
    Problem *p = made_load(&m, yaml);
    Evaluation *e = evaluation_new(p);
    double a = 1.3, b = 1.2, *recorded = calloc(80, sizeof(double));
    assert_true(evaluate_states(e->work, &e->spec, &a, 0, p->experiments[0].row_t, 40, recorded));
    evaluation_free(e);
    for (int c = 0; c < 2; c++) {
      double *y = calloc(40, sizeof(double));
      for (int i = 0; i < 40; i++) y[i] = recorded[2 * i + c];
      p->experiments[0].recorded[c].y = y;
    }
    Err err = {0};
    assert_true(residual_kind_apply(p, p->arena, &err));
    Rows at = rows_at(p, &a, false), away = rows_at(p, &b, false);
    double most = 0;
    for (int i = 0; i < at.count; i++) assert_close(at.r[i], 0, 1e-6);
    for (int i = 0; i < at.count; i++) most = fmax(most, fabs(away.r[i]));
    assert_true(most > 1e-3);
    rows_free(at), rows_free(away);
    for (int c = 0; c < 2; c++) free((double *)p->experiments[0].recorded[c].y);
    free(recorded);
    made_close(&m);
  }
}

// x[k] = a x[k-1] + b u[k-1]: predictions from the data, and a simulation by the recursion; slopes in closed form.
static void a_discrete_model_predicts_by_its_recursion(void **state) {
  (void)state;
  static const double a = 0.7, b = -1.2;
  for (int simulate = 0; simulate < 2; simulate++) {
    Made m;
    char text[4000] = "t,u,x\n";
    double u[30], x[30], at[] = {a, b}, run = 0.5, by_a = 0, by_b = 0;
    made_open(&m);
    made_file(
        &m, "d.mo",
        "model D parameter Real a = 1, b = 1; input Real u; discrete Real x(start = 0.5, fixed = "
        "true), last(start = 0, fixed = true); equation when sample(0.1, 0.1) then x = a*pre(x) "
        "+ b*pre(last); last = u; end when; end D;");
    for (int i = 0; i < 30; i++) {
      u[i] = sin(3.0 * i), x[i] = cos(2.0 * i);
      snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g,%.17g\n", 0.1 * i,
               u[i], x[i]);
    }
    made_file(&m, "d.csv", text);
    Rows rows = rows_at(made_load(&m, simulate ? "model: d.mo\nexperiments: {data: d.csv, measure: "
                                                 "[x], interpolation: hold}\nestimate: [a, b]\n"
                                               : "model: d.mo\nresidual: prediction\nexperiments: "
                                                 "{data: d.csv, measure: [x], interpolation: "
                                                 "hold}\nestimate: [a, b]\n"),
                        at, true);
    assert_int_equal(rows.count, 29 + simulate);
    for (int i = 1; i < 30; i++) {
      double last = i > 1 ? u[i - 1] : 0, from = simulate ? run : x[i - 1];
      double slope_a = from + (simulate ? a * by_a : 0), slope_b = last + (simulate ? a * by_b : 0);
      int row = i - 1 + simulate;
      run = a * from + b * last, by_a = slope_a, by_b = slope_b;
      assert_close(rows.r[row], run - x[i], 1e-13);
      assert_close(rows.J[row], slope_a, 1e-13);
      assert_close(rows.J[rows.count + row], slope_b, 1e-13);
    }
    rows_free(rows);
    made_close(&m);
  }
}

// Where constraints hold between states, the integrator begins at the nearest states that satisfy them.
static void states_off_their_constraints_are_predicted(void **state) {
  (void)state;
  Made m;
  char text[4000] = "t,x,y,u,v\n";
  made_open(&m);
  made_file(&m, "swing.mo",
            "model Swing parameter Real g = 9; Real x(start = 0.6), y(start = -0.8, fixed = true), "
            "u(start = 0, fixed = true), v, lam; equation der(x) = u; der(y) = v; der(u) = -lam*x; "
            "der(v) = -lam*y - g; x^2 + y^2 = 1; end Swing;");
  for (int i = 0; i < 20; i++) {
    double t = 0.05 * i, angle = 0.6435 * cos(3 * t), rate = -3 * 0.6435 * sin(3 * t);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.4f,%.4f,%.4f,%.4f\n", t,
             sin(angle), -cos(angle), rate * cos(angle), rate * sin(angle));
  }
  made_file(&m, "swing.csv", text);
  const Problem *p =
      made_load(&m, "model: swing.mo\nresidual: prediction\nprediction: {by: integrator}\n"
                    "experiments: {data: swing.csv, measure: [x, y, u, v]}\nestimate: [g]\n");
  double g = 9;
  Rows rows = rows_at(p, &g, true);
  double more = g + 1e-3, less = g - 1e-3;
  Rows up = rows_at(p, &more, false), down = rows_at(p, &less, false);
  for (int i = 0; i < rows.count; i++) {
    assert_close(rows.r[i], 0, 0.1);
    assert_close(rows.J[i], (up.r[i] - down.r[i]) / 2e-3, 1e-5);
  }
  rows_free(rows), rows_free(up), rows_free(down);
  made_close(&m);
}

// Several samples at once in the lanes of the processor, or one after the other.
static void lanes_change_nothing_but_rounding(void **state) {
  (void)state;
  static const char *const KEYS[] = {"residual: prediction\n",
                                     "residual: prediction\nprediction: {by: euler, ahead: 2}\n",
                                     "residual: equation\n"};
  for (int k = 0; k < 3; k++) {
    Rows rows[2];
    double x[] = {1.3, 1.5, 0.7, 0.6};
    for (int off = 0; off < 2; off++) {
      Made m;
      char text[1000];
      made_open(&m);
      made_file(
          &m, "forced.mo",
          "model F parameter Real k = 2, c = 0.3, b = 1; input Real F; Real x(start = 1), v(start "
          "= 0); equation der(x) = v; der(v) = b*F - k*sin(x) - c*v; end F;");
      made_waves(&m, "a.csv", 0, 61);
      made_waves(&m, "b.csv", 0.9, 13);
      snprintf(text, sizeof text,
               "model: forced.mo\n%soptions: {lanes: %s, interpolation: hold}\n%sestimate:\n  k: "
               "{start: "
               "1.3, per_experiment: true}\n  c: 0.7\n  b: 0.6\n",
               KEYS[k], off ? "off" : "auto", TWO);
      rows[off] = rows_at(made_load(&m, text), x, true);
      made_close(&m);
    }
    assert_int_equal(rows[0].count, rows[1].count);
    for (int i = 0; i < rows[0].count; i++) assert_close(rows[0].r[i], rows[1].r[i], 1e-13);
    for (int i = 0; i < rows[0].count * rows[0].n; i++)
      assert_close(rows[0].J[i], rows[1].J[i], 1e-13);
    rows_free(rows[0]), rows_free(rows[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_of_predictions_are_exact),
      cmocka_unit_test(slopes_by_the_integrator_and_of_coupled_states_are_exact),
      cmocka_unit_test(slopes_of_derivatives_are_exact),
      cmocka_unit_test(predictions_of_own_data_are_exact),
      cmocka_unit_test(a_discrete_model_predicts_by_its_recursion),
      cmocka_unit_test(states_off_their_constraints_are_predicted),
      cmocka_unit_test(a_linear_prediction_is_the_closed_form),
      cmocka_unit_test(samples_after_a_gap_are_left_out),
      cmocka_unit_test(measured_derivatives_give_linear_parameters_exactly),
      cmocka_unit_test(neither_the_order_of_channels_nor_the_epoch_changes_anything),
      cmocka_unit_test(relations_are_what_the_states_make_them),
      cmocka_unit_test(lanes_change_nothing_but_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
