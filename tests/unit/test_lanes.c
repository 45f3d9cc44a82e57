// Simulations side by side: each is what it would be alone, and none hurts another.
#include "simulate/lanes.h"

#include <math.h>
#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "test.h"

enum { ROWS = 81, MOST_COLUMNS = 64, MOST_PARAMETERS = 16, LANES = 8 };

static const char FORCED[] =
    "model Forced\n"
    "  parameter Real a = 1;\n"
    "  parameter Real b = 0.5;\n"
    "  parameter Real unused = 2;\n"
    "  input Real u;\n"
    "  Real x(start = 1, fixed = true);\n"
    "  Real v(start = 0, fixed = true);\n"
    "  Real y;\n"
    "equation\n"
    "  der(x) = v;\n"
    "  der(v) = -0.2*v - a*x - b*x^3 + 0.5*cos(0.79*time) + exp(-time)*a + u;\n"
    "  y = a*x + v*exp(-v^2);\n"
    "end Forced;\n";

// The same with the zero of its time in 2023, in seconds since 1970.
static const char FORCED_LATER[] =
    "model Forced\n"
    "  parameter Real a = 1;\n"
    "  parameter Real b = 0.5;\n"
    "  parameter Real unused = 2;\n"
    "  input Real u;\n"
    "  Real x(start = 1, fixed = true);\n"
    "  Real v(start = 0, fixed = true);\n"
    "  Real y;\n"
    "equation\n"
    "  der(x) = v;\n"
    "  der(v) = -0.2*v - a*x - b*x^3 + 0.5*cos(0.79*(time - 1672884000)) +\n"
    "    exp(-(time - 1672884000))*a + u;\n"
    "  y = a*x + v*exp(-v^2);\n"
    "end Forced;\n";

// x' = a x^2 + b: grows without bound at a = b = 1 when time is pi/2, not before the end when a is small.
static const char EXPLODES[] = "model Explodes\n"
                               "  parameter Real a = 1;\n"
                               "  parameter Real b = 1;\n"
                               "  Real x(start = 0, fixed = true);\n"
                               "  Real z(start = 1, fixed = true);\n"
                               "equation\n"
                               "  der(x) = a*x^2 + b;\n"
                               "  der(z) = -z + sin(time);\n"
                               "end Explodes;\n";

// Cannot be computed once z falls below c.
static const char ENDS[] = "model Ends\n"
                           "  parameter Real a = 1;\n"
                           "  parameter Real c = -1;\n"
                           "  Real x(start = 0, fixed = true);\n"
                           "  Real z(start = 1, fixed = true);\n"
                           "equation\n"
                           "  der(x) = sqrt(z - c);\n"
                           "  der(z) = -a*z;\n"
                           "end Ends;\n";

// The start cannot be computed when a is not positive; y cannot once x < c.
static const char OUTPUTS[] = "model Outputs\n"
                              "  parameter Real a = 1;\n"
                              "  parameter Real c = -1;\n"
                              "  Real x(start = log(a), fixed = true);\n"
                              "  Real y;\n"
                              "equation\n"
                              "  der(x) = -1;\n"
                              "  y = sqrt(x - c);\n"
                              "end Outputs;\n";

// Becomes stiff when k is large.
static const char RELAXES[] = "model Relaxes\n"
                              "  parameter Real k = 1;\n"
                              "  parameter Real w = 1;\n"
                              "  Real x(start = 0, fixed = true);\n"
                              "  Real y(start = 1, fixed = true);\n"
                              "equation\n"
                              "  der(x) = -k*(x - sin(w*time));\n"
                              "  der(y) = -y;\n"
                              "end Relaxes;\n";

typedef struct Case {
  const char *text;
  const char *outputs[3];
  const Input *inputs[1];
  double stop;
  const char *solver;
  double rel_tol;
  int rows; // 0: ROWS
} Case;

typedef struct Bench {
  Arena *arena;
  Model *model;
  const Case *c;
  SimulateOptions options;
  int ny, np, rows;
  double origin;
  double times[4 * ROWS];
} Bench;

static void bench_open(Bench *b, const Case *c) {
  Err err = {0};
  memset(b, 0, sizeof *b);
  b->arena = arena_new();
  b->c = c;
  Source *s = source_new(b->arena, "test", c->text, strlen(c->text), &err);
  const AstModel *ast = s ? parse_model(b->arena, s, &err) : NULL;
  b->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!b->model) fail_msg("%s", err.text);
  simulate_options_init(&b->options);
  b->options.rel_tol = c->rel_tol, b->options.abs_tol = c->rel_tol * 1e-2;
  assert_true(options_set(&SIMULATE_OPTIONS, &b->options, "solver", c->solver, &err));
  b->rows = c->rows ? c->rows : ROWS;
  for (int i = 0; i < b->rows; i++) b->times[i] = c->stop * i / (b->rows - 1);
  while (b->ny < 3 && c->outputs[b->ny]) b->ny++;
  b->np = b->model->np;
  assert_true(b->np <= MOST_PARAMETERS && b->ny * (1 + b->np) <= MOST_COLUMNS);
}

static void bench_close(Bench *b) {
  model_free(b->model);
  arena_free(b->arena);
}

static System *system_for(Bench *b, int lanes, const SimulateOptions *o) {
  Expr outputs[3];
  int parameters[MOST_PARAMETERS];
  for (int i = 0; i < b->ny; i++)
    outputs[i] = b->model->value[names_find(b->model->flat->names, b->c->outputs[i])];
  for (int k = 0; k < b->np; k++) parameters[k] = k;
  SystemSpec spec = {.outputs = outputs,
                     .output_count = b->ny,
                     .parameters = parameters,
                     .parameter_count = b->np,
                     .lanes = lanes};
  if (lanes == 1) simulate_needs(o, b->model->nx, &spec);
  return system_new(b->model, &spec);
}

static double **columns_new(Bench *b) {
  double **column = ARENA_ARRAY(b->arena, double *, MOST_COLUMNS);
  for (int i = 0; i < b->ny * (1 + b->np); i++)
    column[i] = ARENA_ARRAY(b->arena, double, b->rows + 8);
  return column;
}

static Outcome run_alone(Bench *b, const double *p, double rel_tol, double **column, int *rows) {
  SimulateOptions o = b->options;
  o.rel_tol = rel_tol, o.abs_tol = rel_tol * 1e-2;
  System *s = system_for(b, 1, &o);
  SimulateWork *w = simulate_work_new(s, &o);
  SimulateRequest request = {.p = p, .inputs = b->c->inputs, .times = b->times, .count = b->rows};
  Trajectory t = {.column = column, .with_sens = true};
  simulate_run(w, &request, &t);
  if (rows) *rows = t.rows;
  simulate_work_free(w);
  system_free(s);
  return t.outcome;
}

static void run_lanes(Bench *b, int width, Lane *lanes, int count) {
  System *s = system_for(b, width, &b->options);
  LanesWork *w = lanes_work_new(s, &b->options);
  LanesRequest request = {.inputs = b->c->inputs,
                          .origin = b->origin,
                          .times = b->times,
                          .count = b->rows,
                          .with_sens = true};
  for (int l = 0; l < count; l++)
    if (!lanes[l].column) lanes[l].column = columns_new(b);
  lanes_run(w, &request, lanes, count);
  lanes_work_free(w);
  system_free(s);
}

// The first two are given.
static double *parameters(Bench *b, const double *values) {
  double *p = ARENA_ARRAY(b->arena, double, b->np + 1);
  for (int k = 0; k < b->np; k++) p[k] = k < 2 ? values[k] : b->model->flat->parameters.at[k].value;
  return p;
}

// The largest error of a column against what it is, relative to its range.
static double error_of(const Bench *b, double *const *column, double *const *exact, int rows) {
  double most = 0;
  for (int c = 0; c < b->ny * (1 + b->np); c++) {
    double size = 1e-3, error = 0;
    for (int i = 0; i < rows; i++) {
      size = fmax(size, fabs(exact[c][i]));
      error = fmax(error, fabs(column[c][i] - exact[c][i]));
    }
    most = fmax(most, error / size);
  }
  return most;
}

// ---------------------------------------------------------------- accuracy

static void each_lane_is_as_accurate_as_alone(void **state) {
  (void)state;
  static const char *const SOLVERS[] = {"rk5", "rk8", "auto"};
  double t[] = {0, 3, 7, 11, 20}, u[] = {0, 0.4, -0.3, 0.2, 0};
  Arena *a = arena_new();
  Err err = {0};
  for (int solver = 0; solver < 3; solver++)
    for (int kind = INPUT_HOLD; kind <= INPUT_SPLINE; kind++)
      for (int width = 4; width <= LANES; width += 4)
        for (int rows = 21; rows <= 4 * ROWS; rows += 4 * ROWS - 21) { // few and many in a step
          Case c = {FORCED, {"x", "v", "y"}, {0}, 20, SOLVERS[solver], 1e-6, rows};
          if (width == 4) c.outputs[2] = NULL; // states alone
          c.inputs[0] = input_new(a, t, u, 5, (InputKind)kind, &err);
          Bench b;
          Lane lanes[LANES] = {0};
          double alone_most = 0, lanes_most = 0;
          bench_open(&b, &c);
          for (int l = 0; l < width; l++)
            lanes[l].p = parameters(&b, (double[]){0.5 + 0.6 * l, 0.2 + 0.3 * (l % 3)});
          run_lanes(&b, width, lanes, width);
          for (int l = 0; l < width; l++) {
            double **exact = columns_new(&b), **alone = columns_new(&b);
            assert_int_equal(run_alone(&b, lanes[l].p, 1e-11, exact, NULL), OUTCOME_REACHED_END);
            run_alone(&b, lanes[l].p, 1e-6, alone, NULL);
            assert_int_equal(lanes[l].outcome, OUTCOME_REACHED_END);
            assert_int_equal(lanes[l].rows, rows);
            assert_true(lanes[l].t_end == 20);
            alone_most = fmax(alone_most, error_of(&b, alone, exact, rows));
            lanes_most = fmax(lanes_most, error_of(&b, lanes[l].column, exact, rows));
          }
          if (!(lanes_most <= 2 * alone_most))
            fail_msg("%s, %d lanes, %d rows: error %g, alone %g", SOLVERS[solver], width, rows,
                     lanes_most, alone_most);
          bench_close(&b);
        }
  arena_free(a);
}

// They save nothing, so they take the steps of one.
static void equal_lanes_give_what_one_gives_alone(void **state) {
  (void)state;
  Arena *a = arena_new();
  Case c = {FORCED, {"x", "v", "y"}, {input_constant(a, 0.1)}, 20, "rk8", 1e-6, 0};
  Bench b;
  Lane lanes[LANES] = {0};
  bench_open(&b, &c);
  for (int l = 0; l < LANES; l++) lanes[l].p = parameters(&b, (double[]){3, 1});
  run_lanes(&b, LANES, lanes, LANES);
  double **alone = columns_new(&b);
  run_alone(&b, lanes[0].p, 1e-6, alone, NULL);
  for (int l = 0; l < LANES; l++) assert_true(error_of(&b, lanes[l].column, alone, ROWS) < 1e-10);
  bench_close(&b);
  arena_free(a);
}

static void fewer_than_the_lanes_are_served(void **state) {
  (void)state;
  Arena *a = arena_new();
  Case c = {FORCED, {"x", "v", NULL}, {input_constant(a, 0)}, 20, "auto", 1e-8, 0};
  for (int count = 1; count <= 5; count++) {
    Bench b;
    Lane lanes[LANES] = {0};
    bench_open(&b, &c);
    for (int l = 0; l < count; l++) lanes[l].p = parameters(&b, (double[]){1 + l, 0.5});
    run_lanes(&b, LANES, lanes, count);
    for (int l = 0; l < count; l++) {
      double **exact = columns_new(&b);
      run_alone(&b, lanes[l].p, 1e-11, exact, NULL);
      assert_int_equal(lanes[l].rows, ROWS);
      assert_true(error_of(&b, lanes[l].column, exact, ROWS) < 1e-6);
    }
    bench_close(&b);
  }
  arena_free(a);
}

// ---------------------------------------------------------------- lanes that fail

// `bad` lanes fail with an outcome; all others are as accurate as ever.
static void check_failing(const Case *c, double good[][2], double bad[][2], Outcome outcome) {
  for (unsigned which = 1; which < 256; which += 37) { // bits: lanes that fail
    Bench b;
    Lane lanes[LANES] = {0};
    bench_open(&b, c);
    for (int l = 0; l < LANES; l++)
      lanes[l].p = parameters(&b, which >> l & 1 ? bad[l % 2] : good[l % 3]);
    run_lanes(&b, LANES, lanes, LANES);
    for (int l = 0; l < LANES; l++) {
      double **exact = columns_new(&b);
      int rows;
      Outcome alone = run_alone(&b, lanes[l].p, 1e-10, exact, &rows);
      bool fails = which >> l & 1;
      assert_int_equal(alone, fails ? outcome : OUTCOME_REACHED_END);
      if (lanes[l].alone) continue; // there is no answer
      assert_int_equal(lanes[l].outcome, alone);
      if (!fails) assert_int_equal(lanes[l].rows, b.rows);
      int valid = lanes[l].rows < rows ? lanes[l].rows : rows;
      assert_true(valid >= rows - 1);
      // close to where it fails, it has no accuracy left
      int calm = fails ? valid * 9 / 10 : valid;
      double error = error_of(&b, lanes[l].column, exact, calm);
      if (!(error < 1e-4)) fail_msg("lanes %x, lane %d: error %g", which, l, error);
    }
    bench_close(&b);
  }
}

static void a_lane_that_explodes_leaves_the_others_alone(void **state) {
  (void)state;
  static const char *const SOLVERS[] = {"rk5", "rk8", "auto"};
  for (int s = 0; s < 3; s++) {
    Case c = {EXPLODES, {"x", "z", NULL}, {0}, 4, SOLVERS[s], 1e-7, 0};
    check_failing(&c, (double[][2]){{0.01, 1}, {0.1, 0.5}, {-1, 1}}, (double[][2]){{1, 1}, {2, 1}},
                  OUTCOME_STEP_TOO_SMALL);
  }
}

static void a_lane_that_cannot_be_computed_leaves_the_others_alone(void **state) {
  (void)state;
  Case c = {ENDS, {"x", "z", NULL}, {0}, 4, "rk8", 1e-7, 0};
  check_failing(&c, (double[][2]){{1, -1}, {0.1, 0.5}, {2, -0.1}},
                (double[][2]){{1, 0.3}, {3, 0.2}}, OUTCOME_NOT_COMPUTABLE);
}

static void a_lane_without_start_leaves_the_others_alone(void **state) {
  (void)state;
  Case c = {OUTPUTS, {"y", "x", NULL}, {0}, 4, "rk8", 1e-7, 0};
  check_failing(&c, (double[][2]){{1, -10}, {2, -10}, {0.5, -20}},
                (double[][2]){{-1, -10}, {-2, -10}}, OUTCOME_NO_START);
}

static void a_lane_without_outputs_leaves_the_others_alone(void **state) {
  (void)state;
  Case c = {OUTPUTS, {"y", "x", NULL}, {0}, 4, "rk8", 1e-7, 0};
  check_failing(&c, (double[][2]){{1, -10}, {2, -10}, {0.5, -20}},
                (double[][2]){{1, -2.02}, {2, -0.51}}, OUTCOME_NOT_COMPUTABLE);
}

// ---------------------------------------------------------------- lanes that are not wanted, or in the way

typedef struct Until {
  int rows, asked;
} Until;

static bool until(void *data, int rows) {
  Until *u = data;
  u->asked++;
  return rows < u->rows;
}

static void a_lane_that_is_not_wanted_leaves_the_others_alone(void **state) {
  (void)state;
  Arena *a = arena_new();
  Case c = {FORCED, {"x", "v", NULL}, {input_constant(a, 0)}, 20, "auto", 1e-8, 0};
  Bench b;
  Lane lanes[LANES] = {0};
  Until limits[LANES] = {{1000, 0}, {30, 0},   {5, 0},  {1000, 0},
                         {60, 0},   {1000, 0}, {30, 0}, {1000, 0}};
  bench_open(&b, &c);
  for (int l = 0; l < LANES; l++) {
    lanes[l].p = parameters(&b, (double[]){1 + 0.3 * l, 0.5});
    lanes[l].watch = until, lanes[l].watch_data = &limits[l];
  }
  run_lanes(&b, LANES, lanes, LANES);
  for (int l = 0; l < LANES; l++) {
    double **exact = columns_new(&b);
    run_alone(&b, lanes[l].p, 1e-11, exact, NULL);
    bool wanted = limits[l].rows > ROWS;
    assert_int_equal(lanes[l].outcome, wanted ? OUTCOME_REACHED_END : OUTCOME_ABANDONED);
    if (!wanted)
      assert_true(lanes[l].rows >= limits[l].rows && lanes[l].rows < limits[l].rows + 32);
    assert_true(limits[l].asked > 0);
    assert_true(error_of(&b, lanes[l].column, exact, lanes[l].rows) < 1e-6);
  }
  bench_close(&b);
  arena_free(a);
}

static void a_stiff_lane_is_left_to_a_simulation_of_its_own(void **state) {
  (void)state;
  Case c = {RELAXES, {"x", "y", NULL}, {0}, 10, "auto", 1e-6, 0};
  Bench b;
  Lane lanes[LANES] = {0};
  bench_open(&b, &c);
  for (int l = 0; l < LANES; l++)
    lanes[l].p = parameters(&b, (double[]){l == 3 ? 1e5 : 1 + l, 1 + 0.1 * l});
  run_lanes(&b, LANES, lanes, LANES);
  for (int l = 0; l < LANES; l++) {
    double **exact = columns_new(&b);
    run_alone(&b, lanes[l].p, 1e-10, exact, NULL);
    assert_int_equal(lanes[l].alone, l == 3);
    if (l != 3) assert_true(error_of(&b, lanes[l].column, exact, ROWS) < 1e-4);
  }
  // it costs the others little
  assert_true(lanes[0].work.steps + lanes[0].work.rejected < 1000);
  bench_close(&b);
}

static void a_lane_that_is_much_faster_than_the_others_is_left_too(void **state) {
  (void)state;
  Arena *a = arena_new();
  Case c = {FORCED, {"x", "v", NULL}, {input_constant(a, 0)}, 20, "rk8", 1e-6, 0};
  Bench b;
  Lane lanes[LANES] = {0};
  bench_open(&b, &c);
  for (int l = 0; l < LANES; l++)
    lanes[l].p = parameters(&b, (double[]){l == 5 ? 1e6 : 0.1 + 0.05 * l, 0.1});
  run_lanes(&b, LANES, lanes, LANES);
  for (int l = 0; l < LANES; l++) {
    assert_int_equal(lanes[l].alone, l == 5);
    if (l != 5) assert_int_equal(lanes[l].outcome, OUTCOME_REACHED_END);
  }
  assert_true(lanes[0].work.steps < 500);
  bench_close(&b);
  arena_free(a);
}

// Whoever needs too many is asked to try alone, where it is told what it needs them for.
static void too_many_steps_end_all_of_them(void **state) {
  (void)state;
  Arena *a = arena_new();
  Case c = {FORCED, {"x", "v", NULL}, {input_constant(a, 0)}, 20, "rk8", 1e-6, 0};
  Bench b;
  Lane lanes[LANES] = {0};
  bench_open(&b, &c);
  for (int l = 0; l < LANES; l++) lanes[l].p = parameters(&b, (double[]){100 + l, 0.1});
  System *s = system_for(&b, LANES, &b.options);
  LanesWork *w = lanes_work_new(s, &b.options);
  LanesRequest request = {.inputs = c.inputs, .times = b.times, .count = b.rows, .max_steps = 40};
  for (int l = 0; l < LANES; l++) lanes[l].column = columns_new(&b);
  lanes_run(w, &request, lanes, LANES);
  for (int l = 0; l < LANES; l++) {
    assert_true(lanes[l].alone);
    assert_int_equal(lanes[l].outcome, OUTCOME_TOO_MANY_STEPS);
    assert_int_equal(lanes[l].work.steps + lanes[l].work.rejected, 40);
  }
  lanes_work_free(w);
  system_free(s);
  bench_close(&b);
  arena_free(a);
}

static void demand_is_about_the_steps_of_a_lane_alone(void **state) {
  (void)state;
  Arena *a = arena_new();
  Case c = {FORCED, {"x", "v", NULL}, {input_constant(a, 0)}, 20, "rk8", 1e-6, 0};
  Bench b;
  Lane lanes[LANES] = {0}, one[1] = {0};
  bench_open(&b, &c);
  for (int l = 0; l < LANES; l++) lanes[l].p = parameters(&b, (double[]){0.5 + 2 * l, 0.2});
  run_lanes(&b, LANES, lanes, LANES);
  for (int l = 0; l < LANES; l++) {
    one[0] = (Lane){.p = lanes[l].p};
    run_lanes(&b, LANES, one, 1);
    double steps = (double)one[0].work.steps;
    assert_true(lanes[l].steps > 0.6 * steps && lanes[l].steps < 1.4 * steps);
  }
  bench_close(&b);
  arena_free(a);
}

// ---------------------------------------------------------------- what can be done

static bool can(const char *text, const char *solver) {
  Case c = {text, {NULL}, {0}, 1, solver, 1e-6, 0};
  Bench b;
  bench_open(&b, &c);
  bool answer = lanes_can(b.model, &b.options);
  bench_close(&b);
  return answer;
}

static void only_explicit_methods_without_events_have_lanes(void **state) {
  (void)state;
  static const char BOUNCES[] = "model Bounces\n"
                                "  Real x(start = 1, fixed = true);\n"
                                "equation\n"
                                "  der(x) = if x > 0.5 then -1 else -2;\n"
                                "end Bounces;\n";
  static const char NOTHING[] = "model Nothing\n  Real x;\nequation\n  x = time;\nend Nothing;\n";
  assert_true(can(FORCED, "auto"));
  assert_true(can(FORCED, "rk5"));
  assert_true(can(FORCED, "rk8"));
  assert_false(can(FORCED, "rosenbrock"));
  assert_false(can(FORCED, "adams"));
  assert_false(can(FORCED, "bdf"));
  assert_false(can(BOUNCES, "auto"));
  assert_false(can(NOTHING, "auto"));
}

static void a_run_does_not_depend_on_the_one_before(void **state) {
  (void)state;
  Arena *a = arena_new();
  Case c = {FORCED, {"x", "v", "y"}, {input_constant(a, 0)}, 20, "auto", 1e-6, 0};
  Bench b;
  bench_open(&b, &c);
  System *s = system_for(&b, LANES, &b.options);
  LanesWork *w = lanes_work_new(s, &b.options);
  LanesRequest request = {.inputs = c.inputs, .times = b.times, .count = b.rows, .with_sens = true};
  Lane first[LANES] = {0}, other[LANES] = {0}, again[LANES] = {0};
  for (int l = 0; l < LANES; l++) {
    double *p = parameters(&b, (double[]){0.5 + l, 0.2});
    first[l] = (Lane){.p = p, .column = columns_new(&b)};
    again[l] = (Lane){.p = p, .column = columns_new(&b)};
    other[l] = (Lane){.p = parameters(&b, (double[]){9 - l, 0.7}), .column = columns_new(&b)};
  }
  lanes_run(w, &request, first, LANES);
  lanes_run(w, &request, other, 3);
  lanes_run(w, &request, again, LANES);
  for (int l = 0; l < LANES; l++)
    for (int i = 0; i < b.ny * (1 + b.np); i++)
      assert_memory_equal(first[l].column[i], again[l].column[i], ROWS * sizeof(double));
  lanes_work_free(w);
  system_free(s);
  bench_close(&b);
  arena_free(a);
}

// Functions of time alone are computed for the times that were announced, or one by one.
static void announced_times_change_no_bit(void **state) {
  (void)state;
  Case c = {FORCED, {"x", NULL}, {0}, 20, "auto", 1e-6, 0};
  Bench b;
  bench_open(&b, &c);
  System *s = system_for(&b, LANES, &b.options), *one = system_for(&b, 1, &b.options);
  SystemWork *w = system_work_new(s), *alone = system_work_new(one);
  double p[MOST_PARAMETERS * LANES], y[16 * LANES], dy[2][16 * LANES], times[13], y1[16], dy1[16];
  assert_true(s->kernel[KERNEL_CLOCK].results > 0);
  assert_int_equal(one->kernel[KERNEL_CLOCK].results, 0);
  for (int k = 0; k < b.np; k++)
    for (int l = 0; l < LANES; l++) p[k * LANES + l] = 0.5 + 0.1 * k + 0.01 * l;
  for (int i = 0; i < 16 * LANES; i++) y[i] = 0.3 + 0.01 * i;
  for (int i = 0; i < 13; i++) times[i] = 0.7 * i * i;
  system_set_parameters(w, p);
  for (int k = 0; k < 40; k++) {
    double t = k < 26 ? times[k % 13] : 0.3 * k; // those of the list twice, then others
    if (k == 0) system_set_times(w, times, 13);
    system_rhs_sens(w, t, y, dy[0]);
    system_set_times(w, times, 0);
    system_rhs_sens(w, t, y, dy[1]);
    system_set_times(w, times, 13);
    int numbers = s->nx * (1 + s->stride);
    assert_memory_equal(dy[0], dy[1], (size_t)(numbers * LANES) * sizeof(double));
    for (int i = 0; i < b.np; i++) dy1[i] = p[i * LANES + 5];
    system_set_parameters(alone, dy1);
    for (int i = 0; i < numbers; i++) y1[i] = y[i * LANES + 5];
    system_rhs_sens(alone, t, y1, dy1);
    for (int i = 0; i < numbers; i++) assert_close(dy[0][i * LANES + 5], dy1[i], 1e-13);
  }
  system_work_free(w);
  system_work_free(alone);
  system_free(s);
  system_free(one);
  bench_close(&b);
}

static void lanes_do_not_depend_on_the_zero_of_time(void **state) {
  (void)state;
  Arena *a = arena_new();
  double t[] = {-1, 3, 9, 30}, u[] = {0, 1, -1, 2};
  Err err = {0};
  const Input *in = input_new(a, t, u, 4, INPUT_LINEAR, &err);
  Case here = {FORCED, {"x", "y", NULL}, {in}, 20, "auto", 1e-6, 0}, there = here;
  there.text = FORCED_LATER;
  const Case *cases[] = {&here, &there};
  Bench b[2];
  Lane lanes[2][LANES] = {0};
  for (int k = 0; k < 2; k++) {
    bench_open(&b[k], cases[k]);
    b[k].origin = k ? 1672884000 : 0;
    for (int l = 0; l < LANES; l++)
      lanes[k][l].p = parameters(&b[k], (double[]){0.5 + 0.1 * l, 0.3});
    run_lanes(&b[k], LANES, lanes[k], LANES);
  }
  for (int l = 0; l < LANES; l++) {
    assert_int_equal(lanes[0][l].rows, ROWS);
    assert_int_equal(lanes[0][l].work.steps, lanes[1][l].work.steps);
    assert_true(lanes[0][l].t_end + 1672884000 == lanes[1][l].t_end);
    for (int c = 0; c < b[0].ny * (1 + b[0].np); c++)
      for (int i = 0; i < ROWS; i++)
        assert_true(lanes[0][l].column[c][i] == lanes[1][l].column[c][i]);
  }
  for (int k = 0; k < 2; k++) bench_close(&b[k]);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_lane_is_as_accurate_as_alone),
      cmocka_unit_test(equal_lanes_give_what_one_gives_alone),
      cmocka_unit_test(fewer_than_the_lanes_are_served),
      cmocka_unit_test(a_lane_that_explodes_leaves_the_others_alone),
      cmocka_unit_test(a_lane_that_cannot_be_computed_leaves_the_others_alone),
      cmocka_unit_test(a_lane_without_start_leaves_the_others_alone),
      cmocka_unit_test(a_lane_without_outputs_leaves_the_others_alone),
      cmocka_unit_test(a_lane_that_is_not_wanted_leaves_the_others_alone),
      cmocka_unit_test(a_stiff_lane_is_left_to_a_simulation_of_its_own),
      cmocka_unit_test(a_lane_that_is_much_faster_than_the_others_is_left_too),
      cmocka_unit_test(too_many_steps_end_all_of_them),
      cmocka_unit_test(demand_is_about_the_steps_of_a_lane_alone),
      cmocka_unit_test(only_explicit_methods_without_events_have_lanes),
      cmocka_unit_test(a_run_does_not_depend_on_the_one_before),
      cmocka_unit_test(announced_times_change_no_bit),
      cmocka_unit_test(lanes_do_not_depend_on_the_zero_of_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
