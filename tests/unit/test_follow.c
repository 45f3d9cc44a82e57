// Roots of simultaneous equations follow the motion: whatever is asked, and whatever was computed before.
#include "simulate/follow.h"

#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "simulate/simulate.h"
#include "test.h"

enum { ROWS_MOST = 500, LANES = 8 };

// All have the parameter k first, the output y, and more than one root at every time.
typedef struct Case {
  const char *name, *text;
  double stop;
} Case;

static const Case TEXTS[] = {
    {"outside the motion",
     "model A parameter Real k = 0.3; Real x(start = 0, fixed = true); Real y(start = 1);\n"
     "equation der(x) = 1; y^3 - y = k*sin(5*x); end A;",
     20},
    {"in the motion",
     "model B parameter Real k = 0.3; Real x(start = 0.5, fixed = true); Real y(start = -1);\n"
     "equation der(x) = -x + k*cos(5*time)*y; y^2 = 1 + x; end B;",
     10},
    {"without states",
     "model C parameter Real k = 1; Real y(start = 1), b(start = 0);\n"
     "equation y*sin(k*time) = b*cos(k*time); y^2 + b^2 = 1; end C;",
     40},
    {"torn",
     "model D parameter Real k = 0.2; Real x(start = 0, fixed = true); Real y(start = 2), z;\n"
     "equation der(x) = y; y + z = 3; y*z = 2 + k*sin(3*time); end D;",
     10},
    {"an event",
     "model E parameter Real k = 0.3; Real x(start = 1, fixed = true); Real y(start = -1);\n"
     "equation der(x) = if y > -1.1 then 1 else 2; y^3 - y = k*sin(3*x) - 0.05; end E;",
     6},
    {"a condition outside the motion",
     "model F parameter Real k = 0.3; Real x(start = 0, fixed = true), s(start = 0, fixed = "
     "true);\n"
     "Real y(start = 1);\n"
     "equation der(x) = 1; der(s) = if y > 1.1 then 1 else 0; y^3 - y = k*sin(5*x); end F;",
     10},
    {"winding",
     "model G parameter Real k = 1; Real x(start = 0, fixed = true), s(start = 0, fixed = true);\n"
     "Real y(start = 0);\n"
     "equation der(x) = k; der(s) = y; cos(y)*sin(x) = sin(y)*cos(x); end G;",
     30},
};
enum { TEXT_COUNT = sizeof TEXTS / sizeof *TEXTS };
static const char *const SOLVERS[] = {"auto", "rk5", "rk8", "rosenbrock", "bdf", "adams"};
enum { SOLVER_COUNT = sizeof SOLVERS / sizeof *SOLVERS };

typedef struct Bench {
  Arena *arena;
  Model *model;
  System *system;
  SimulateOptions options;
  SimulateWork *work;
  double p[LANES * 8];
} Bench;

static void bench_open(Bench *b, const char *text, const char *solver, double rel_tol, int lanes) {
  Err err = {0};
  memset(b, 0, sizeof *b);
  b->arena = arena_new();
  Source *s = source_new(b->arena, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(b->arena, s, &err) : NULL;
  b->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!b->model) fail_msg("%s", err.text);
  simulate_options_init(&b->options);
  b->options.rel_tol = rel_tol, b->options.abs_tol = 1e-2 * rel_tol;
  assert_true(options_set(&SIMULATE_OPTIONS, &b->options, "solver", solver, &err));
  Expr y = b->model->value[names_find(b->model->flat->names, "y")];
  SystemSpec spec = {.outputs = &y,
                     .output_count = 1,
                     .parameters = (const int[]){0},
                     .parameter_count = 1,
                     .lanes = lanes};
  if (lanes == 1) simulate_needs(&b->options, b->model->nx, &spec);
  b->system = system_new(b->model, &spec);
  b->work = simulate_work_new(b->system, &b->options);
  for (int k = 0; k < b->model->np; k++)
    for (int l = 0; l < lanes; l++) b->p[k * lanes + l] = b->model->flat->parameters.at[k].value;
}

static void bench_close(Bench *b) {
  simulate_work_free(b->work);
  system_free(b->system);
  model_free(b->model);
  arena_free(b->arena);
}

// y, and dy/dk where sens is not NULL.
static void run(Bench *b, const double *times, int count, double *y, double *sens) {
  SimulateRequest request = {.p = b->p, .times = times, .count = count};
  Trajectory out = {.values = y, .sens = sens};
  simulate_run(b->work, &request, &out);
  if (out.outcome != OUTCOME_REACHED_END) fail_msg("%s", out.message);
}

static int fill(double *times, double stop, int rows) {
  for (int i = 0; i < rows; i++) times[i] = stop * i / (rows - 1);
  return rows;
}

static void rows_do_not_depend_on_other_rows(void **state) {
  (void)state;
  static const int KEEP[] = {1, 7, 33, 400}; // every so manyth row of 401
  for (int k = 0; k < TEXT_COUNT; k++)
    for (int s = 0; s < SOLVER_COUNT; s++) {
      Bench b;
      double times[ROWS_MOST], all[ROWS_MOST], some_times[ROWS_MOST], some[ROWS_MOST];
      bench_open(&b, TEXTS[k].text, SOLVERS[s], 1e-6, 1);
      int rows = fill(times, TEXTS[k].stop, 401);
      run(&b, times, rows, all, NULL);
      for (size_t j = 1; j < sizeof KEEP / sizeof *KEEP; j++) {
        int count = 0;
        for (int i = KEEP[j] % 5; i < rows - 1; i += KEEP[j]) some_times[count++] = times[i];
        some_times[count++] = times[rows - 1];
        run(&b, some_times, count, some, NULL);
        for (int i = 0; i < count - 1; i++) assert_true(some[i] == all[KEEP[j] % 5 + i * KEEP[j]]);
        assert_true(some[count - 1] == all[rows - 1]);
      }
      bench_close(&b);
    }
}

static void earlier_simulations_do_not_matter(void **state) {
  (void)state;
  for (int k = 0; k < TEXT_COUNT; k++)
    for (int s = 0; s < SOLVER_COUNT; s++) {
      Bench used, fresh;
      double times[ROWS_MOST], y[2][ROWS_MOST], slope[2][ROWS_MOST];
      int rows = fill(times, TEXTS[k].stop, 40);
      bench_open(&used, TEXTS[k].text, SOLVERS[s], 1e-6, 1);
      bench_open(&fresh, TEXTS[k].text, SOLVERS[s], 1e-6, 1);
      double p = used.p[0];
      for (int i = 0; i < 3; i++) {
        used.p[0] = p * (i < 2 ? 0.3 + 0.4 * i : 1);
        run(&used, times, rows, y[0], slope[0]);
      }
      run(&fresh, times, rows, y[1], slope[1]);
      assert_memory_equal(y[0], y[1], (size_t)rows * sizeof(double));
      assert_memory_equal(slope[0], slope[1], (size_t)rows * sizeof(double));
      bench_close(&used);
      bench_close(&fresh);
    }
}

static void lanes_follow_the_roots_of_each_alone(void **state) {
  (void)state;
  for (int k = 0; k < TEXT_COUNT; k++)
    for (int lanes = 4; lanes <= LANES; lanes += 4) {
      Bench wide, one;
      double times[ROWS_MOST], y[ROWS_MOST * LANES], alone[ROWS_MOST];
      int rows = fill(times, TEXTS[k].stop, 20);
      bench_open(&one, TEXTS[k].text, "rk8", 1e-9, 1);
      if (one.model->ne) { // several lanes have no events
        bench_close(&one);
        continue;
      }
      bench_open(&wide, TEXTS[k].text, "rk8", 1e-9, lanes);
      double p = one.p[0];
      for (int l = 0; l < lanes; l++) wide.p[l] = p * (1 - 0.1 * l);
      run(&wide, times, rows, y, NULL);
      for (int l = 0; l < lanes; l++) {
        one.p[0] = p * (1 - 0.1 * l);
        run(&one, times, rows, alone, NULL);
        for (int i = 0; i < rows; i++) assert_close(y[i * lanes + l], alone[i], 1e-5);
      }
      bench_close(&wide);
      bench_close(&one);
    }
}

static void tolerances_agree_in_the_root(void **state) {
  (void)state;
  static const double TOLERANCES[] = {1e-4, 1e-6, 1e-8};
  for (int k = 0; k < TEXT_COUNT; k++) {
    double times[ROWS_MOST], right[ROWS_MOST], y[ROWS_MOST];
    Bench truth;
    int rows = fill(times, TEXTS[k].stop, 50);
    bench_open(&truth, TEXTS[k].text, "rk8", 1e-11, 1);
    run(&truth, times, rows, right, NULL);
    bench_close(&truth);
    for (int s = 0; s < SOLVER_COUNT; s++)
      for (int j = 0; j < 3; j++) {
        Bench b;
        bench_open(&b, TEXTS[k].text, SOLVERS[s], TOLERANCES[j], 1);
        run(&b, times, rows, y, NULL);
        for (int i = 0; i < rows; i++) assert_close(y[i], right[i], 0.05);
        bench_close(&b);
      }
  }
}

static void turning_inputs_are_followed_over_one_long_step(void **state) {
  (void)state;
  for (int k = 1; k <= 40; k += 3) { // turns of y and b
    Bench b;
    double stop = 2 * M_PI * k + 1, y[2];
    bench_open(&b, TEXTS[2].text, "auto", 1e-6, 1);
    run(&b, (double[]){0, stop}, 2, y, NULL);
    assert_close(y[1], cos(stop), 1e-9);
    bench_close(&b);
  }
}

static void derivatives_belong_to_the_root_that_is_followed(void **state) {
  (void)state;
  for (int k = 0; k < TEXT_COUNT; k++) {
    Bench b;
    double times[ROWS_MOST], y[3][ROWS_MOST], slope[ROWS_MOST];
    int rows = fill(times, 0.2 * TEXTS[k].stop, 9);
    bench_open(&b, TEXTS[k].text, "auto", 1e-10, 1);
    double p = b.p[0], h = 1e-4 * p;
    run(&b, times, rows, y[0], slope);
    for (int i = 0; i < 2; i++) {
      b.p[0] = p + (i ? -h : h);
      run(&b, times, rows, y[1 + i], NULL);
    }
    for (int i = 0; i < rows; i++)
      assert_close(slope[i], (y[1][i] - y[2][i]) / (2 * h), 1e-4 * (1 + fabs(slope[i])));
    bench_close(&b);
  }
}

// Behind a fold the branch of y has ended: no row shows a number that is no root, and rows before it stay as they are.
static void rows_before_the_end_of_a_branch_do_not_depend_on_it(void **state) {
  (void)state;
  static const char FOLD[] =
      "model Fold parameter Real k = 1; Real x(start = 0, fixed = true); Real y(start = -1);\n"
      "equation der(x) = 1; y^3 - y = k*x - 0.2; end Fold;";
  double times[ROWS_MOST], y[2][ROWS_MOST], fold = 2 / sqrt(27);
  for (int stop = 0; stop < 2; stop++) {
    Bench b;
    int rows = fill(times, stop ? 1 : 0.5, stop ? 101 : 51), before = 0;
    bench_open(&b, FOLD, "auto", 1e-6, 1);
    SimulateRequest request = {.p = b.p, .times = times, .count = rows};
    Trajectory out = {.values = y[stop]};
    simulate_run(b.work, &request, &out);
    while (before < rows && times[before] - 0.2 < fold) before++;
    assert_true(out.rows >= before);
    assert_true(out.rows == rows || out.message[0]);
    for (int i = 0; i < out.rows; i++) {
      assert_close(pow(y[stop][i], 3) - y[stop][i], times[i] - 0.2, 1e-10);
      assert_true(i >= before || y[stop][i] < 0);
    }
    bench_close(&b);
  }
  for (int i = 0; i < 51; i++) assert_close(y[0][i], y[1][i], 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_do_not_depend_on_other_rows),
      cmocka_unit_test(earlier_simulations_do_not_matter),
      cmocka_unit_test(lanes_follow_the_roots_of_each_alone),
      cmocka_unit_test(tolerances_agree_in_the_root),
      cmocka_unit_test(turning_inputs_are_followed_over_one_long_step),
      cmocka_unit_test(derivatives_belong_to_the_root_that_is_followed),
      cmocka_unit_test(rows_before_the_end_of_a_branch_do_not_depend_on_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
