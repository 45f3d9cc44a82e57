#include "simulate/simulate.h"

#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "test.h"

static const char DUFFING[] = "model Duffing\n"
                              "  parameter Real a = 0.5;\n"
                              "  parameter Real b = 0.5;\n"
                              "  parameter Real unused = 1;\n"
                              "  Real x(start = 1, fixed = true);\n"
                              "  Real v(start = 0, fixed = true);\n"
                              "  Real y;\n"
                              "equation\n"
                              "  der(x) = v;\n"
                              "  der(v) = -0.1*v - a*x - b*x^3 + 0.5*cos(0.79*time);\n"
                              "  y = a*x + v*exp(-v^2);\n"
                              "end Duffing;\n";

enum { ROWS = 6, NY = 3, NP = 3, LANES = 8 };
static const double TIMES[ROWS] = {0, 1, 2.5, 4, 7, 9};

typedef struct Fixture {
  Arena *arena;
  Model *model;
  System *system;
  SimulateOptions options;
  SimulateWork *work;
} Fixture;

static void fixture_open(Fixture *f, const char *text, const char *solver) {
  Err err = {0};
  memset(f, 0, sizeof *f);
  f->arena = arena_new();
  Source *s = source_new(f->arena, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(f->arena, s, &err) : NULL;
  f->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!f->model) fail_msg("%s", err.text);
  simulate_options_init(&f->options);
  f->options.rel_tol = 1e-9, f->options.abs_tol = 1e-11;
  assert_true(options_set(&SIMULATE_OPTIONS, &f->options, "solver", solver, &err));
}

// x, v, y and their derivatives by a, b, unused
static void fixture_build(Fixture *f, int lanes) {
  static const int PARAMETERS[NP] = {0, 1, 2};
  Expr outputs[NY] = {f->model->x[0], f->model->x[1], f->model->value[5]};
  SystemSpec spec = {.outputs = outputs,
                     .output_count = NY,
                     .parameters = PARAMETERS,
                     .parameter_count = NP,
                     .lanes = lanes,
                     .code = CODE_AUTO};
  if (lanes == 1) simulate_needs(&f->options, f->model->nx, &spec);
  f->system = system_new(f->model, &spec);
  f->work = simulate_work_new(f->system, &f->options);
}

static void fixture_close(Fixture *f) {
  simulate_work_free(f->work);
  system_free(f->system);
  model_free(f->model);
  arena_free(f->arena);
}

static void parameters_of(const Fixture *f, int point, int lanes, int lane, double *p) {
  for (int k = 0; k < f->model->np; k++)
    p[k * lanes + lane] = f->model->flat->parameters.at[k].value;
  p[0 * lanes + lane] = 0.3 + 0.1 * point;
  p[1 * lanes + lane] = 0.9 - 0.05 * point;
}

static void run(Fixture *f, const double *p, Trajectory *out) {
  SimulateRequest request = {.p = p, .times = TIMES, .count = ROWS};
  simulate_run(f->work, &request, out);
  assert_string_equal(outcome_word(out->outcome), "reached-end");
  assert_int_equal(out->rows, ROWS);
}

static void lanes_are_simulations_side_by_side(void **state) {
  (void)state;
  static const char *const SOLVERS[] = {"rk5", "rk8", "auto"};
  for (int s = 0; s < 3; s++)
    for (int lanes = 4; lanes <= LANES; lanes += 4) {
      Fixture wide, single;
      fixture_open(&wide, DUFFING, SOLVERS[s]);
      fixture_open(&single, DUFFING, SOLVERS[s]);
      fixture_build(&wide, lanes);
      fixture_build(&single, 1);
      double p[16 * LANES], q[16], values[ROWS * NY * LANES], sens[ROWS * NY * NP * LANES];
      double one[ROWS * NY], one_sens[ROWS * NY * NP];
      for (int l = 0; l < lanes; l++) parameters_of(&wide, l, lanes, l, p);
      Trajectory all = {.values = values, .sens = sens};
      run(&wide, p, &all);
      for (int l = 0; l < lanes; l++) {
        parameters_of(&single, l, 1, 0, q);
        Trajectory alone = {.values = one, .sens = one_sens};
        run(&single, q, &alone);
        for (int i = 0; i < ROWS * NY; i++) assert_close(values[i * lanes + l], one[i], 1e-7);
        for (int i = 0; i < ROWS * NY * NP; i++)
          assert_close(sens[i * lanes + l], one_sens[i], 1e-6);
      }
      fixture_close(&wide);
      fixture_close(&single);
    }
}

static void rows_and_columns_hold_the_same(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, DUFFING, "auto");
  fixture_build(&f, 1);
  double p[16], values[ROWS * NY], sens[ROWS * NY * NP], numbers[NY * (1 + NP)][ROWS];
  double *column[NY * (1 + NP)];
  for (int c = 0; c < NY * (1 + NP); c++) column[c] = numbers[c];
  parameters_of(&f, 2, 1, 0, p);
  Trajectory by_rows = {.values = values, .sens = sens},
             by_columns = {.column = column, .with_sens = true};
  run(&f, p, &by_rows);
  run(&f, p, &by_columns);
  for (int row = 0; row < ROWS; row++) {
    for (int i = 0; i < NY; i++) assert_true(numbers[i][row] == values[row * NY + i]);
    for (int i = 0; i < NY * NP; i++) assert_true(numbers[NY + i][row] == sens[row * NY * NP + i]);
  }
  fixture_close(&f);
}

static void one_work_runs_many_points_as_if_each_were_the_first(void **state) {
  (void)state;
  static const char *const SOLVERS[] = {"rk5", "rk8", "rosenbrock", "bdf", "adams", "auto"};
  for (int s = 0; s < 6; s++) {
    Fixture f;
    fixture_open(&f, DUFFING, SOLVERS[s]);
    fixture_build(&f, 1);
    double p[16], first[ROWS * NY], later[ROWS * NY], sens[ROWS * NY * NP];
    Trajectory a = {.values = first, .sens = sens}, b = {.values = later, .sens = sens};
    for (int point = 0; point < 4; point++) {
      parameters_of(&f, point, 1, 0, p);
      run(&f, p, point ? &b : &a);
    }
    parameters_of(&f, 0, 1, 0, p);
    run(&f, p, &b);
    assert_memory_equal(first, later, sizeof first);
    assert_int_equal(a.work.rhs, b.work.rhs);
    fixture_close(&f);
  }
}

static void without_output_times_nothing_happens(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, DUFFING, "auto");
  fixture_build(&f, 1);
  double p[16];
  parameters_of(&f, 0, 1, 0, p);
  SimulateRequest request = {.p = p, .start = 1};
  Trajectory out = {0};
  simulate_run(f.work, &request, &out);
  assert_int_equal(out.outcome, OUTCOME_REACHED_END);
  assert_int_equal(out.rows, 0);
  assert_int_equal(out.work.steps, 0);
  fixture_close(&f);
}

// x and y on a circle whose radius is a, with the force of the rod; b acts along y.
static const char CIRCLE[] = "model Circle\n"
                             "  parameter Real a = 1;\n"
                             "  parameter Real b = 9.81;\n"
                             "  parameter Real unused = 1;\n"
                             "  Real x(start = 0.2, fixed = true);\n"
                             "  Real y(start = -1);\n"
                             "  Real force;\n"
                             "  Real vx, vy(start = 0, fixed = true);\n"
                             "equation\n"
                             "  der(x) = vx;\n"
                             "  der(y) = vy;\n"
                             "  der(vx) = -x*force;\n"
                             "  der(vy) = -y*force - b;\n"
                             "  x^2 + y^2 = a^2;\n"
                             "end Circle;\n";

static void open_circle(Fixture *f, const char *solver, const char *index) {
  Err err = {0};
  fixture_open(f, CIRCLE, solver);
  assert_true(options_set(&SIMULATE_OPTIONS, &f->options, "index", index, &err));
}

static void constrained_lanes_are_simulations_side_by_side(void **state) {
  (void)state;
  Fixture wide, single;
  open_circle(&wide, "rk8", "stabilise");
  open_circle(&single, "rk8", "stabilise");
  fixture_build(&wide, 4);
  fixture_build(&single, 1);
  double p[16 * LANES], q[16], values[ROWS * NY * LANES], sens[ROWS * NY * NP * LANES];
  double one[ROWS * NY], one_sens[ROWS * NY * NP];
  for (int l = 0; l < 4; l++) parameters_of(&wide, l, 4, l, p);
  Trajectory all = {.values = values, .sens = sens};
  run(&wide, p, &all);
  assert_true(all.violation > 0);
  assert_true(all.violation < 1e-9);
  assert_true(all.violation_of == 0 || all.violation_of == 1);
  for (int l = 0; l < 4; l++) {
    parameters_of(&single, l, 1, 0, q);
    Trajectory alone = {.values = one, .sens = one_sens};
    run(&single, q, &alone);
    for (int i = 0; i < ROWS * NY; i++) assert_close(values[i * 4 + l], one[i], 1e-7);
    for (int i = 0; i < ROWS * NY * NP; i++) assert_close(sens[i * 4 + l], one_sens[i], 1e-6);
  }
  fixture_close(&wide);
  fixture_close(&single);
}

static void constrained_motions_begin_anew_in_every_run(void **state) {
  (void)state;
  static const char *const INDEX[] = {"stabilise", "project", "direct", "index3"};
  for (int k = 0; k < 4; k++) {
    Fixture f;
    open_circle(&f, "auto", INDEX[k]);
    f.options.rel_tol = 1e-7, f.options.abs_tol = 1e-9;
    fixture_build(&f, 1);
    double p[16], first[ROWS * NY], later[ROWS * NY], sens[ROWS * NY * NP];
    Trajectory a = {.values = first, .sens = sens}, b = {.values = later, .sens = sens};
    parameters_of(&f, 0, 1, 0, p);
    run(&f, p, &a);
    parameters_of(&f, 3, 1, 0, p);
    run(&f, p, &b);
    parameters_of(&f, 0, 1, 0, p);
    run(&f, p, &b);
    assert_memory_equal(first, later, sizeof first);
    assert_true(a.violation == b.violation && a.violation_sens == b.violation_sens);
    assert_true(simulate_violation(f.work, a.violation_of) == a.violation);
    assert_true(simulate_violation_sens(f.work, a.violation_sens_of) == a.violation_sens);
    fixture_close(&f);
  }
}

static void without_constraints_nothing_is_violated(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f, DUFFING, "auto");
  fixture_build(&f, 1);
  double p[16], values[ROWS * NY], sens[ROWS * NY * NP];
  parameters_of(&f, 0, 1, 0, p);
  Trajectory out = {.values = values, .sens = sens};
  run(&f, p, &out);
  assert_true(out.violation == 0 && out.violation_sens == 0);
  assert_int_equal(out.violation_of, -1);
  assert_int_equal(out.violation_sens_of, -1);
  assert_true(simulate_violation(f.work, 0) == 0);
  fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_are_simulations_side_by_side),
      cmocka_unit_test(rows_and_columns_hold_the_same),
      cmocka_unit_test(one_work_runs_many_points_as_if_each_were_the_first),
      cmocka_unit_test(without_output_times_nothing_happens),
      cmocka_unit_test(constrained_lanes_are_simulations_side_by_side),
      cmocka_unit_test(constrained_motions_begin_anew_in_every_run),
      cmocka_unit_test(without_constraints_nothing_is_violated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
