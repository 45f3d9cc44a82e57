#include "simulate/invariants.h"

#include <string.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "num/random.h"
#include "simulate/simulate.h"
#include "simulate/steppers.h"
#include "steppers.h"
#include "test.h"

// The same motion twice: on a circle by a multiplier, and by its angle.
static const char CIRCLE[] = "model Pendulum\n"
                             "  parameter Real m = 1.3;\n"
                             "  parameter Real L = 0.8;\n"
                             "  parameter Real g = 9.81;\n"
                             "  Real x(start = 0.7, fixed = true), y(start = -0.4);\n"
                             "  Real vx, vy(start = 0, fixed = true);\n"
                             "  Real force;\n"
                             "equation\n"
                             "  der(x) = vx;\n"
                             "  der(y) = vy;\n"
                             "  m*der(vx) = -x*force - 0.1*vx;\n"
                             "  m*der(vy) = -y*force - m*g - 0.1*vy;\n"
                             "  x^2 + y^2 = L^2;\n"
                             "end Pendulum;\n";

static const char ANGLE[] = "model Angle\n"
                            "  parameter Real m = 1.3;\n"
                            "  parameter Real L = 0.8;\n"
                            "  parameter Real g = 9.81;\n"
                            "  Real phi(start = asin(0.7/L), fixed = true);\n"
                            "  Real w(start = 0, fixed = true);\n"
                            "  Real x = L*sin(phi);\n"
                            "  Real y = -L*cos(phi);\n"
                            "equation\n"
                            "  der(phi) = w;\n"
                            "  der(w) = -g/L*sin(phi) - 0.1/m*w;\n"
                            "end Angle;\n";

// A spring that acts on one side only: an event in a constrained motion.
static const char BUFFER[] = "model Buffer\n"
                             "  parameter Real k = 40;\n"
                             "  parameter Real L = 0.8;\n"
                             "  parameter Real g = 9.81;\n"
                             "  Real x(start = 0.5, fixed = true), y(start = -0.6);\n"
                             "  Real vx, vy(start = 0, fixed = true);\n"
                             "  Real force;\n"
                             "equation\n"
                             "  der(x) = vx;\n"
                             "  der(y) = vy;\n"
                             "  der(vx) = -x*force - (if x < -0.1 then k*(x + 0.1) else 0);\n"
                             "  der(vy) = -y*force - g;\n"
                             "  x^2 + y^2 = L^2;\n"
                             "end Buffer;\n";

// Four bars of equal lengths in pairs: they lie flat where q1 is 0. Without forces q1 changes at w1 = -1.
static const char FLAT[] = "model Flat\n"
                           "  parameter Real b = 2;\n"
                           "  Real q1(start = 1, fixed = true), q2(start = 0), q3(start = 1);\n"
                           "  Real w1(start = -1, fixed = true), w2, w3;\n"
                           "  Real fx, fy;\n"
                           "equation\n"
                           "  der(q1) = w1;\n"
                           "  der(q2) = w2;\n"
                           "  der(q3) = w3;\n"
                           "  der(w1) = -sin(q1)*fx + cos(q1)*fy;\n"
                           "  0.5*der(w2) = -b*sin(q2)*fx + b*cos(q2)*fy;\n"
                           "  1.2*der(w3) = sin(q3)*fx - cos(q3)*fy;\n"
                           "  cos(q1) + b*cos(q2) - cos(q3) = b;\n"
                           "  sin(q1) + b*sin(q2) = sin(q3);\n"
                           "end Flat;\n";

// The first of four bars is turned until the next two are stretched: cos(q1) = (1 + 9 - 2.5^2)/6.
static const char STRETCHED[] = "model Stretched\n"
                                "  Real q1(start = 0.2), q2(start = 0.5), q3(start = 1.4);\n"
                                "  Real w1(start = 1), w2, w3;\n"
                                "  Real fx, fy, torque;\n"
                                "equation\n"
                                "  der(q1) = w1;\n"
                                "  der(q2) = w2;\n"
                                "  der(q3) = w3;\n"
                                "  der(w1) = -sin(q1)*fx + cos(q1)*fy + torque;\n"
                                "  0.5*der(w2) = -1.5*sin(q2)*fx + 1.5*cos(q2)*fy;\n"
                                "  1.2*der(w3) = sin(q3)*fx - cos(q3)*fy;\n"
                                "  cos(q1) + 1.5*cos(q2) - cos(q3) = 3;\n"
                                "  sin(q1) + 1.5*sin(q2) = sin(q3);\n"
                                "  q1 = 0.2 + time;\n"
                                "end Stretched;\n";

// Crank and rod, which turn all the way round; with l = 1 the slider could stop at the pivot.
static const char CRANK[] = "model Crank\n"
                            "  parameter Real l = 1.001;\n"
                            "  Real q1(start = 1, fixed = true), q2(start = -1), x(start = 1);\n"
                            "  Real w1(start = 3, fixed = true), w2, v;\n"
                            "  Real fx, fy;\n"
                            "equation\n"
                            "  der(q1) = w1;\n"
                            "  der(q2) = w2;\n"
                            "  der(x) = v;\n"
                            "  der(w1) = -sin(q1)*fx + cos(q1)*fy;\n"
                            "  0.5*der(w2) = -l*sin(q2)*fx + l*cos(q2)*fy;\n"
                            "  1.2*der(v) = -fx - 0.5*x;\n"
                            "  cos(q1) + l*cos(q2) - x = 0;\n"
                            "  sin(q1) + l*sin(q2) = 0;\n"
                            "end Crank;\n";

enum { ROWS = 41, NP = 3, NY_MOST = 8, NX_MOST = 8 };
static const char *const SOLVERS[] = {"rk8", "rk5", "rosenbrock", "adams", "bdf"};
enum { SOLVER_COUNT = 5 };

typedef struct Fixture {
  Arena *arena;
  Model *model;
  System *system;
  SimulateOptions options;
  SimulateWork *work;
  double p[16], times[ROWS];
  double values[ROWS * NY_MOST], sens[ROWS * NY_MOST * NP];
  const Input *inputs[1];
  Trajectory out;
} Fixture;

static void set(Fixture *f, const char *name, const char *value) {
  Err err = {0};
  if (!options_set(&SIMULATE_OPTIONS, &f->options, name, value, &err)) fail_msg("%s", err.text);
}

// Outputs are the states; sensitivities by all parameters.
static void open_model(Fixture *f, const char *text, double stop) {
  Err err = {0};
  memset(f, 0, sizeof *f);
  f->arena = arena_new();
  Source *s = source_new(f->arena, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(f->arena, s, &err) : NULL;
  f->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!f->model) fail_msg("%s", err.text);
  for (int k = 0; k < f->model->np; k++) f->p[k] = f->model->flat->parameters.at[k].value;
  for (int i = 0; i < ROWS; i++) f->times[i] = stop * i / (ROWS - 1);
  simulate_options_init(&f->options);
  f->options.rel_tol = 1e-8, f->options.abs_tol = 1e-10;
}

static void build_outputs(Fixture *f, const Expr *outputs, int count, int np_most) {
  static const int PARAMETERS[NP] = {0, 1, 2};
  int np = f->model->np < np_most ? f->model->np : np_most;
  SystemSpec spec = {.outputs = outputs,
                     .output_count = count,
                     .parameters = PARAMETERS,
                     .parameter_count = np,
                     .lanes = 1,
                     .code = CODE_AUTO};
  simulate_needs(&f->options, f->model->nx, &spec);
  f->system = system_new(f->model, &spec);
  f->work = simulate_work_new(f->system, &f->options);
  f->out = (Trajectory){.values = f->values, .sens = np ? f->sens : NULL};
}

static void build(Fixture *f) {
  build_outputs(f, f->model->x, f->model->nx, NP);
}

static void build_states(Fixture *f) {
  build_outputs(f, f->model->x, f->model->nx, 0);
}

static Outcome run(Fixture *f) {
  SimulateRequest r = {.p = f->p, .inputs = f->inputs, .times = f->times, .count = ROWS};
  simulate_run(f->work, &r, &f->out);
  return f->out.outcome;
}

static void finish(Fixture *f) {
  if (run(f) != OUTCOME_REACHED_END) fail_msg("%s", f->out.message);
}

static void close_model(Fixture *f) {
  simulate_work_free(f->work);
  system_free(f->system);
  model_free(f->model);
  arena_free(f->arena);
}

// ---------------------------------------------------------------- drift

static void stabilisation_stops_the_drift_and_costs_few_steps(void **state) {
  (void)state;
  for (int s = 0; s < 3; s++) { // those with error control that compares
    double violation[2], sens[2], steps[2];
    for (int with = 0; with < 2; with++) {
      Fixture f;
      open_model(&f, CIRCLE, 40);
      set(&f, "solver", SOLVERS[s]);
      if (!with) set(&f, "stabilise_rate", "1e-12");
      build(&f);
      finish(&f);
      violation[with] = f.out.violation, sens[with] = f.out.violation_sens;
      steps[with] = (double)f.out.work.steps;
      close_model(&f);
    }
    assert_true(violation[1] < 1e-8);
    assert_true(violation[0] > 20 * violation[1]);
    assert_true(sens[0] > 5 * sens[1]);
    assert_true(steps[1] < 1.1 * steps[0]);
  }
}

// The same pendulum in other units of length: only what is told relative to the terms stays.
static void what_is_relative_has_no_unit(void **state) {
  (void)state;
  static const double UNIT[] = {1, 1000};
  double violation[2], relative[2];
  for (int k = 0; k < 2; k++) {
    Fixture f;
    char text[1000];
    snprintf(text, sizeof text,
             "model Unit\n"
             "  Real x(start = %g, fixed = true, nominal = %g), y(start = -%g, nominal = %g);\n"
             "  Real vx(start = 0, fixed = true, nominal = %g), vy(nominal = %g), force;\n"
             "equation\n"
             "  der(x) = vx;\n"
             "  der(y) = vy;\n"
             "  der(vx) = -x*force;\n"
             "  der(vy) = -y*force - %g;\n"
             "  x^2 + y^2 = %g;\n"
             "end Unit;\n",
             0.6 * UNIT[k], UNIT[k], UNIT[k], UNIT[k], UNIT[k], UNIT[k], 10 * UNIT[k],
             UNIT[k] * UNIT[k]);
    open_model(&f, text, 5);
    build_states(&f);
    finish(&f);
    violation[k] = f.out.violation, relative[k] = f.out.violation_relative;
    assert_true(relative[k] > 0 && relative[k] < 1e-7);
    assert_true(simulate_violation_relative(f.work, f.out.violation_relative_of) == relative[k]);
    close_model(&f);
  }
  assert_true(relative[1] < 3 * relative[0] && relative[0] < 3 * relative[1]); // other steps
  assert_true(violation[1] > 1e5 * violation[0]);
}

static void every_solver_keeps_the_constraints(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    Fixture f;
    open_model(&f, CIRCLE, 20);
    set(&f, "solver", SOLVERS[s]);
    build(&f);
    finish(&f);
    assert_true(f.out.violation < 2e-7);
    assert_true(f.out.violation > 0);
    assert_true(f.out.violation_sens < 5e-6);
    close_model(&f);
  }
}

// Given to eight digits, the start is off the circle by more than the integration would be.
static void an_error_at_the_start_dies_out(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Digits\n"
      "  Real x(start = 0.6, fixed = true), y(start = -0.80000001, fixed = true);\n"
      "  Real vx(start = 0, fixed = true), vy(start = 0, fixed = true);\n"
      "  Real force;\n"
      "equation\n"
      "  der(x) = vx;\n"
      "  der(y) = vy;\n"
      "  der(vx) = -x*force;\n"
      "  der(vy) = -y*force - 9.81;\n"
      "  x^2 + y^2 = 1;\n"
      "end Digits;\n";
  for (int k = 0; k < 2; k++) {
    Fixture f;
    open_model(&f, TEXT, 40);
    set(&f, "index", k ? "project" : "stabilise");
    build_states(&f);
    finish(&f);
    const double *end = f.values + (ROWS - 1) * f.model->nx;
    assert_true(fabs(end[0] * end[0] + end[1] * end[1] - 1) < 5e-9);
    assert_true(fabs(f.values[0] * f.values[0] + f.values[1] * f.values[1] - 1) > 1e-8 ||
                k == 1); // shown as it was given, or projected at once
    close_model(&f);
  }
}

// ---------------------------------------------------------------- projection

typedef struct Hand { // constraints without a simulation
  Fixture f;
  SystemWork *work;
  InvariantWork *invariants;
  Tolerance tol;
  double abs_tol[NX_MOST * (1 + NP)], y[NX_MOST * (1 + NP) + 16];
} Hand;

static void open_hand(Hand *h, const char *text) {
  open_model(&h->f, text, 1);
  build(&h->f);
  h->work = system_work_new(h->f.system);
  for (size_t i = 0; i < sizeof h->abs_tol / sizeof *h->abs_tol; i++) h->abs_tol[i] = 1e-10;
  h->tol = (Tolerance){.rel = 1e-8, .abs = h->abs_tol};
  h->invariants = invariants_new(h->f.arena, h->work, &h->tol);
  system_set_parameters(h->work, h->f.p);
  system_start(h->work, 0, h->y);
  invariants_begin(h->invariants, h->f.p);
}

static void close_hand(Hand *h) {
  system_work_free(h->work);
  close_model(&h->f);
}

static void projection_reaches_invariants_and_identities(void **state) {
  (void)state;
  Hand h;
  open_hand(&h, CIRCLE);
  const System *s = h.f.system;
  double moved[NX_MOST * (1 + NP) + 16];
  int numbers = s->nx * (1 + s->stride);
  memcpy(moved, h.y, sizeof moved);
  for (int i = 0; i < numbers; i++) moved[i] += 1e-5 * sin(7 * i + 1);
  double before[NX_MOST * (1 + NP) + 16];
  memcpy(before, moved, sizeof before);
  assert_true(invariants_project(h.invariants, 0, moved));
  invariants_watch(h.invariants, 0, moved);
  for (int i = 0; i < s->ni; i++) {
    assert_true(invariants_violation(h.invariants, i) < 1e-14);
    assert_true(invariants_violation_sens(h.invariants, i) < 1e-13);
  }
  // the change has no part along the invariants: it is the least
  double x = moved[0], y = moved[1], vx = moved[2], vy = moved[3], d[4];
  for (int i = 0; i < 4; i++) d[i] = moved[i] - before[i];
  double along_velocity = y * d[2] - x * d[3];
  double along_position = y * d[0] - x * d[1]; // which turns the velocity as well
  along_position += vy * d[2] - vx * d[3];
  assert_true(fabs(d[0]) + fabs(d[1]) + fabs(d[2]) + fabs(d[3]) > 1e-6);
  assert_close(along_velocity, 0, 1e-9);
  assert_close(along_position, 0, 1e-9);
  close_hand(&h);
}

static void what_is_close_enough_is_left_alone(void **state) {
  (void)state;
  Hand h;
  open_hand(&h, CIRCLE);
  double y[NX_MOST * (1 + NP) + 16];
  h.y[0] += 1e-12;
  memcpy(y, h.y, sizeof y);
  assert_false(invariants_project(h.invariants, 0, h.y));
  assert_memory_equal(y, h.y, sizeof y);
  h.y[0] += 1e-7;
  assert_true(invariants_project(h.invariants, 1, h.y));
  close_hand(&h);
}

// Sensitivities alone may have drifted.
static void sensitivities_are_projected_too(void **state) {
  (void)state;
  Hand h;
  open_hand(&h, CIRCLE);
  const System *s = h.f.system;
  double x[4];
  memcpy(x, h.y, sizeof x);
  h.y[s->nx + 1] += 1e-3;
  assert_true(invariants_project(h.invariants, 0, h.y));
  for (int i = 0; i < 4; i++) assert_close(h.y[i], x[i], 1e-15);
  invariants_watch(h.invariants, 0, h.y);
  for (int i = 0; i < s->ni; i++) assert_true(invariants_violation_sens(h.invariants, i) < 1e-13);
  close_hand(&h);
}

static void the_watch_multiplies_with_the_parameter(void **state) {
  (void)state;
  Hand h;
  open_hand(&h, CIRCLE);
  const System *s = h.f.system;
  invariants_watch(h.invariants, 0, h.y);
  assert_true(invariants_violation(h.invariants, 0) < 1e-15);
  assert_true(invariants_violation_sens(h.invariants, 0) < 1e-14);
  h.y[0] += 1e-3; // x^2 + y^2 - L^2 changes by 2 x dx + dx^2, its identity by 2 dx s
  invariants_watch(h.invariants, 1, h.y);
  assert_close(invariants_violation(h.invariants, 0), 2 * 0.7e-3 + 1e-6, 1e-12);
  h.y[0] -= 1e-3;
  h.y[s->nx + 0 * s->stride + 2] += 1e-3; // dx/dg
  invariants_watch(h.invariants, 2, h.y);
  double by_L = 2 * 1e-3 * fabs(h.y[s->nx + 1]) * h.f.p[1]; // of the first change
  assert_close(invariants_violation_sens(h.invariants, 0), fmax(2 * 0.7e-3 * 9.81, by_L), 1e-9);
  close_hand(&h);
}

// ---------------------------------------------------------------- one motion, many ways

static void all_ways_agree_with_the_angle(void **state) {
  (void)state;
  static const struct {
    const char *index, *solver;
    double tol, tol_sens;
  } WAYS[] = {{"stabilise", "rk8", 1e-7, 1e-6},        {"project", "rk8", 1e-7, 1e-6},
              {"stabilise", "rk5", 1e-6, 1e-5},        {"project", "rk5", 1e-6, 1e-5},
              {"stabilise", "rosenbrock", 1e-6, 1e-5}, {"project", "rosenbrock", 1e-6, 1e-5},
              {"stabilise", "adams", 3e-6, 1e-4},      {"project", "adams", 3e-6, 1e-4},
              {"stabilise", "bdf", 2e-5, 2e-4},        {"direct", "auto", 2e-5, 2e-4},
              {"index3", "auto", 2e-3, 2e-2}};
  Fixture angle;
  open_model(&angle, ANGLE, 10);
  angle.options.rel_tol = 1e-11, angle.options.abs_tol = 1e-12;
  Expr outputs[2] = {angle.model->value[5], angle.model->value[6]}; // x, y
  build_outputs(&angle, outputs, 2, NP);
  finish(&angle);
  for (size_t k = 0; k < sizeof WAYS / sizeof *WAYS; k++) {
    Fixture f;
    open_model(&f, CIRCLE, 10);
    set(&f, "index", WAYS[k].index);
    set(&f, "solver", WAYS[k].solver);
    build(&f);
    finish(&f);
    for (int row = 0; row < ROWS; row++)
      for (int i = 0; i < 2; i++) {
        assert_close(f.values[row * 4 + i], angle.values[row * 2 + i], WAYS[k].tol);
        for (int p = 0; p < NP; p++)
          assert_close(f.sens[(row * 4 + i) * NP + p], angle.sens[(row * 2 + i) * NP + p],
                       WAYS[k].tol_sens);
      }
    close_model(&f);
  }
  close_model(&angle);
}

static void sensitivities_are_central_differences(void **state) {
  (void)state;
  static const char *const INDEX[] = {"stabilise", "project"};
  static const char *const TEXTS[] = {CIRCLE, BUFFER, CRANK};
  for (int t = 0; t < 3; t++)
    for (int k = 0; k < 2; k++) {
      Fixture f;
      open_model(&f, TEXTS[t], 2);
      if (TEXTS[t] == CRANK) f.p[0] = 1.3; // well away from what is singular
      f.options.rel_tol = 1e-10, f.options.abs_tol = 1e-12;
      set(&f, "index", INDEX[k]);
      build(&f);
      finish(&f);
      int nx = f.model->nx, np = f.system->np;
      assert_true(f.out.violation_sens < 1e-8);
      static double sens[ROWS * NY_MOST * NP], up[ROWS * NY_MOST];
      memcpy(sens, f.sens, sizeof sens);
      for (int p = 0; p < np; p++) {
        double at = f.p[p], h = 1e-4 * at;
        f.p[p] = at + h;
        finish(&f);
        memcpy(up, f.values, sizeof up);
        f.p[p] = at - h;
        finish(&f);
        f.p[p] = at;
        for (int i = 0; i < ROWS * nx; i++)
          assert_close(sens[i * np + p], (up[i] - f.values[i]) / (2 * h),
                       2e-5 * (1 + fabs(sens[i * np + p])));
      }
      close_model(&f);
    }
}

// Steps of one size: the error falls as the method promises, projected or not.
static void the_order_of_the_method_is_kept(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double error[2];
    Fixture angle;
    open_model(&angle, ANGLE, 2);
    angle.options.rel_tol = 1e-12, angle.options.abs_tol = 1e-13;
    Expr outputs[2] = {angle.model->value[5], angle.model->value[6]};
    build_outputs(&angle, outputs, 2, NP);
    finish(&angle);
    for (int half = 0; half < 2; half++) {
      Fixture f;
      open_model(&f, CIRCLE, 2);
      f.options.rel_tol = 0.1, f.options.abs_tol = 1;
      set(&f, "solver", "rk5");
      set(&f, "max_step", half ? "0.02" : "0.04");
      set(&f, "first_step", half ? "0.02" : "0.04");
      set(&f, "index", k ? "project" : "stabilise");
      set(&f, "stabilise_rate", "3");
      build(&f);
      finish(&f);
      int last = ROWS - 1;
      error[half] = hypot(f.values[last * 4] - angle.values[last * 2],
                          f.values[last * 4 + 1] - angle.values[last * 2 + 1]);
      close_model(&f);
    }
    close_model(&angle);
    assert_true(error[0] / error[1] > 20);
    assert_true(error[1] > 1e-13);
  }
}

static void projection_holds_through_events(void **state) {
  (void)state;
  double end[2][4];
  for (int k = 0; k < 2; k++) {
    Fixture f;
    open_model(&f, BUFFER, 6);
    set(&f, "index", k ? "project" : "stabilise");
    build(&f);
    finish(&f);
    assert_true(f.out.events >= 6);
    assert_true(f.out.violation < (k ? 2e-10 : 1e-8));
    assert_true(f.out.violation_sens < (k ? 2e-8 : 2e-6));
    memcpy(end[k], f.values + (ROWS - 1) * 4, sizeof end[k]);
    close_model(&f);
  }
  for (int i = 0; i < 4; i++) assert_close(end[0][i], end[1][i], 1e-6);
}

static const char TWICE[] = "model Twice\n"
                            "  parameter Real L = 1;\n"
                            "  Real x(start = 0.6, fixed = true), y(start = -0.7);\n"
                            "  Real vx(start = 0, fixed = true), vy;\n"
                            "  Real f1, f2;\n"
                            "equation\n"
                            "  der(x) = vx;\n"
                            "  der(y) = vy;\n"
                            "  der(vx) = -x*(f1 + f2);\n"
                            "  der(vy) = -y*(f1 + f2) - 9.81;\n"
                            "  x^2 + y^2 = L^2;\n"
                            "  2*x^2 + 2*y^2 = 2*L^2;\n"
                            "end Twice;\n";

static void a_constraint_written_twice_is_kept_once(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    Fixture f;
    open_model(&f, TWICE, 10);
    set(&f, "index", k ? "project" : "stabilise");
    build(&f);
    finish(&f);
    int redundant = 0;
    for (int i = 0; i < f.system->ni; i++) {
      redundant += f.model->invariants[i].redundant;
      assert_true(simulate_violation(f.work, i) < 1e-8);
    }
    assert_true(redundant > 0);
    close_model(&f);
  }
}

static void what_an_integrator_cannot_take_is_refused(void **state) {
  (void)state;
  Fixture f;
  open_model(&f, TWICE, 1);
  set(&f, "index", "index3");
  build(&f);
  for (int again = 0; again < 2; again++) {
    assert_int_equal(run(&f), OUTCOME_NO_START);
    assert_int_equal(f.out.rows, 0);
    assert_true(strlen(f.out.message) > 20);
  }
  close_model(&f);
}

// ---------------------------------------------------------------- start

// The states as declared, on a circle of radius 1.
static void expect_no_start(const char *states, const char *const *words, int count) {
  char text[1000];
  snprintf(text, sizeof text,
           "model Start\n"
           "  %s\n"
           "  Real force;\n"
           "equation\n"
           "  der(x) = vx;\n"
           "  der(y) = vy;\n"
           "  der(vx) = -x*force;\n"
           "  der(vy) = -y*force - 9.81;\n"
           "  x^2 + y^2 = 1;\n"
           "end Start;\n",
           states);
  Fixture f;
  open_model(&f, text, 1);
  build(&f);
  assert_int_equal(run(&f), OUTCOME_NO_START);
  assert_int_equal(f.out.rows, 0);
  for (int i = 0; i < count; i++)
    if (!strstr(f.out.message, words[i])) fail_msg("no '%s' in: %s", words[i], f.out.message);
  close_model(&f);
}

static void a_start_off_the_constraint_is_named(void **state) {
  (void)state;
  static const char *const POSITION[] = {"satisfy the constraint of line 9", "differ by 0.25",
                                         "fix fewer"};
  expect_no_start("Real x(start = 0.5, fixed = true), y(start = 1, fixed = true), vx, vy;",
                  POSITION, 3);
  static const char *const VELOCITY[] = {"satisfy the time derivative of the constraint of line 9",
                                         "differ by 1.2", "fix fewer"};
  expect_no_start("Real x(start = 0.6, fixed = true), y(start = 0.8), "
                  "vx(start = 1, fixed = true), vy(start = 0, fixed = true);",
                  VELOCITY, 3);
}

static void fixed_start_values_have_no_derivative(void **state) {
  (void)state;
  static const char TEXT[] = "model Fixed\n"
                             "  parameter Real L = 1;\n"
                             "  Real x(start = 0.6, fixed = true), y(start = 0.8, fixed = true);\n"
                             "  Real vx, vy, force;\n"
                             "equation\n"
                             "  der(x) = vx;\n"
                             "  der(y) = vy;\n"
                             "  der(vx) = -x*force;\n"
                             "  der(vy) = -y*force - 9.81;\n"
                             "  x^2 + y^2 = L^2;\n"
                             "end Fixed;\n";
  Fixture f;
  open_model(&f, TEXT, 1);
  build_states(&f);
  finish(&f);
  simulate_work_free(f.work);
  system_free(f.system);
  build_outputs(&f, f.model->x, f.model->nx, 1); // L
  assert_int_equal(run(&f), OUTCOME_NO_START);
  assert_non_null(strstr(f.out.message, "the constraint of line 10 at this value of L only"));
  close_model(&f);
}

// Lengths of the links; those of the others do not move A: nothing but rounding is left of dA/db.
static const char LINKS[] =
    "model Links\n"
    "  parameter Real a = 0.1;\n"
    "  parameter Real b = 0.35;\n"
    "  parameter Real c = 0.25;\n"
    "  Real xA(start = 0.05, fixed = true), yA(start = 0.09), xB(start = 0.3), yB(start = 0.23);\n"
    "  Real ua(start = 0, fixed = true), va, ub, vb, FA, FB, FC;\n"
    "equation\n"
    "  der(xA) = ua;\n"
    "  der(yA) = va;\n"
    "  der(xB) = ub;\n"
    "  der(yB) = vb;\n"
    "  0.5*der(ua) = -FA*xA - FC*(xA - xB) - 30*yA;\n"
    "  0.5*der(va) = -FA*yA - FC*(yA - yB) + 30*xA - 4.9;\n"
    "  der(ub) = -FB*(xB - 0.4) + FC*(xA - xB);\n"
    "  der(vb) = -FB*yB + FC*(yA - yB) - 9.81;\n"
    "  xA^2 + yA^2 = a^2;\n"
    "  (xB - 0.4)^2 + yB^2 = c^2;\n"
    "  (xA - xB)^2 + (yA - yB)^2 = b^2;\n"
    "end Links;\n";

static void rounding_is_no_derivative(void **state) {
  (void)state;
  Fixture f;
  Random r;
  open_model(&f, LINKS, 0.001);
  build(&f);
  random_seed(&r, 1);
  for (int i = 0; i < 200; i++) {
    f.p[0] = 0.06 + 0.14 * random_uniform(&r);
    f.p[1] = 0.3 + 0.3 * random_uniform(&r);
    f.p[2] = 0.2 + 0.3 * random_uniform(&r);
    finish(&f);
  }
  close_model(&f);
}

static void a_start_without_slope_asks_for_a_rough_value(void **state) {
  (void)state;
  static const char *const WORDS[] = {"the constraint of line 9", "y starts at 0",
                                      "give y a rough start value"};
  expect_no_start("Real x(start = 0.6, fixed = true), y, vx(start = 0, fixed = true), vy;", WORDS,
                  3);
}

static void an_integrator_of_its_own_takes_no_solver(void **state) {
  (void)state;
  Fixture f;
  open_model(&f, CIRCLE, 1);
  set(&f, "index", "direct");
  set(&f, "solver", "rk5");
  build_states(&f);
  assert_int_equal(run(&f), OUTCOME_NO_START);
  assert_non_null(strstr(f.out.message, "solver=rk5 cannot be used"));
  close_model(&f);
}

// ---------------------------------------------------------------- what jumps

// v follows the input, and its derivative the slope of the input.
static const char FOLLOW[] = "model Follow\n"
                             "  input Real u = 0;\n"
                             "  Real s(start = 0, fixed = true), x, v, force;\n"
                             "equation\n"
                             "  der(s) = u;\n"
                             "  der(x) = v;\n"
                             "  der(v) = force;\n"
                             "  x = s;\n"
                             "end Follow;\n";

static void open_follow(Fixture *f, InputKind kind) {
  static const double T[] = {0, 0.7, 1.1, 1.5, 3}, U[] = {0, 1, -2, -2, 5};
  Err err = {0};
  open_model(f, FOLLOW, 3);
  f->inputs[0] = input_new(f->arena, T, U, 5, kind, &err);
  assert_non_null(f->inputs[0]);
}

static void kinks_of_inputs_are_kinks_of_velocities(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++)
    for (int k = 0; k < 4; k++) {
      Fixture f;
      open_follow(&f, k < 2 ? INPUT_LINEAR : INPUT_SPLINE);
      set(&f, "solver", SOLVERS[s]);
      set(&f, "index", k % 2 ? "project" : "stabilise");
      build_states(&f);
      finish(&f);
      for (int row = 0; row < ROWS; row++) {
        double u, slope;
        int piece = input_piece(f.inputs[0], f.times[row], -1);
        input_eval(f.inputs[0], f.times[row], &piece, &u, &slope);
        assert_close(f.values[row * 3 + 1], f.values[row * 3], 1e-6); // x = s
        assert_close(f.values[row * 3 + 2], u, 1e-6);
        if (s < 3 && k < 2) assert_close(f.values[row * 3 + 2], u, 1e-9); // exact: f is constant
      }
      close_model(&f);
    }
}

static void inputs_that_jump_cannot_be_followed(void **state) {
  (void)state;
  Fixture f;
  open_follow(&f, INPUT_HOLD);
  build_states(&f);
  assert_int_equal(run(&f), OUTCOME_NO_START);
  assert_non_null(strstr(f.out.message, "linear or spline"));
  close_model(&f);
}

// A point that is moved by an input, and the force that this takes.
static void open_moved(Fixture *f, double stop) {
  static const char TEXT[] = "model Moved\n"
                             "  input Real u = 0;\n"
                             "  Real x, v, force;\n"
                             "equation\n"
                             "  der(x) = v;\n"
                             "  der(v) = force;\n"
                             "  x = u;\n"
                             "end Moved;\n";
  enum { SAMPLES = 41 };
  static double t[SAMPLES], u[SAMPLES];
  Err err = {0};
  for (int i = 0; i < SAMPLES; i++) t[i] = 0.1 * i, u[i] = t[i] * t[i] * t[i];
  open_model(f, TEXT, stop);
  f->inputs[0] = input_new(f->arena, t, u, SAMPLES, INPUT_SPLINE, &err);
  Expr outputs[3] = {f->model->x[0], f->model->x[1], 0};
  for (int i = 0; i < f->model->flat->variables.count; i++)
    if (strcmp(f->model->flat->variables.at[i].name, "force") == 0) outputs[2] = f->model->value[i];
  build_outputs(f, outputs, 3, 0);
}

// Cubic splines reproduce u = t^3, whose second derivative is 6 t up to the last sample.
static void the_last_row_has_the_derivatives_of_the_motion_before(void **state) {
  (void)state;
  Fixture f;
  open_moved(&f, 4);
  finish(&f);
  for (int row = 0; row < ROWS; row++) assert_close(f.values[row * 3 + 2], 6 * f.times[row], 1e-6);
  close_model(&f);
}

static void a_spline_that_ends_in_a_constraint_ends_the_motion(void **state) {
  (void)state;
  Fixture f;
  open_moved(&f, 5);
  assert_int_equal(run(&f), OUTCOME_NOT_COMPUTABLE);
  assert_close(f.out.t_end, 4, 1e-12);
  assert_non_null(
      strstr(f.out.message, "the time derivative of the constraint of line 7 jumps by 48"));
  close_model(&f);
}

static void a_constraint_with_a_kink_ends_the_motion(void **state) {
  (void)state;
  static const char TEXT[] = "model Kink\n"
                             "  Real x(start = 1), v, force;\n"
                             "equation\n"
                             "  der(x) = v;\n"
                             "  der(v) = force;\n"
                             "  x = abs(time - 1);\n"
                             "end Kink;\n";
  Fixture f;
  open_model(&f, TEXT, 2);
  build_states(&f);
  assert_int_equal(run(&f), OUTCOME_NOT_COMPUTABLE);
  assert_close(f.out.t_end, 1, 1e-9);
  assert_non_null(
      strstr(f.out.message, "the time derivative of the constraint of line 6 jumps by 2,"));
  close_model(&f);
}

// ---------------------------------------------------------------- singular positions

static void bars_that_lie_flat_are_a_singular_position(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++)
    for (int k = 0; k < 2; k++) {
      Fixture f;
      open_model(&f, FLAT, 2.05);
      f.options.rel_tol = s % 2 ? 1e-6 : 1e-9;
      set(&f, "solver", SOLVERS[s]);
      set(&f, "index", k ? "project" : "stabilise");
      build(&f);
      assert_int_equal(run(&f), OUTCOME_SINGULAR);
      assert_close(f.out.t_end, 1, 1e-5);
      assert_int_equal(f.out.rows, 20); // all before 1
      assert_close(f.values[19 * 6], 1 - f.times[19], 1e-5);
      assert_non_null(strstr(f.out.message, "line"));
      assert_non_null(strstr(f.out.message, "13"));
      assert_string_equal(outcome_word(f.out.outcome), "singular-position");
      close_model(&f);
    }
}

static void a_stretched_linkage_ends_in_a_singular_position(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    Fixture f;
    open_model(&f, STRETCHED, 2);
    set(&f, "solver", SOLVERS[s]);
    build(&f);
    if (run(&f) != OUTCOME_SINGULAR) fail_msg("%s", f.out.message);
    assert_close(f.out.t_end, acos(0.625) - 0.2, 2e-4); // bdf: 1.3e-4 or 2e-5, as rounding has it
    assert_non_null(strstr(f.out.message, "12, 13 and 14"));
    close_model(&f);
  }
}

static void near_misses_are_passed(void **state) {
  (void)state;
  static const double LENGTHS[] = {1.3, 1.03, 1.001, 1.00001};
  for (int i = 0; i < 8; i++) {
    Fixture f;
    open_model(&f, CRANK, 6);
    f.p[0] = LENGTHS[i % 4];
    if (i < 4) f.options.rel_tol = 1e-3, f.options.abs_tol = 1e-3;
    build(&f);
    finish(&f);
    double turns = f.values[(ROWS - 1) * 6] / 6.283185307179586;
    assert_true(turns > 1);
    close_model(&f);
  }
}

// A spring turns the bars back before they lie flat: the step that was too long does not count.
static void an_event_before_a_singular_position_comes_first(void **state) {
  (void)state;
  Fixture f;
  char text[2 * sizeof FLAT];
  const char *at = strstr(FLAT, "cos(q1)*fy;");
  snprintf(text, sizeof text, "%.*scos(q1)*fy + (if q1 < 0.1 then 1000*(0.1 - q1) else 0);%s",
           (int)(at - FLAT), FLAT, at + strlen("cos(q1)*fy;"));
  open_model(&f, text, 1.5);
  f.options.rel_tol = 1e-4;
  build(&f);
  finish(&f);
  assert_int_equal(f.out.events, 2);
  assert_close(f.values[(ROWS - 1) * 6 + 3], 1, 1e-3); // as fast as it came
  close_model(&f);
}

static void a_start_in_a_singular_position_is_told(void **state) {
  (void)state;
  Fixture f;
  char text[sizeof FLAT];
  strcpy(text, FLAT);
  char *start = strstr(text, "q1(start = 1");
  start[11] = '0';
  start = strstr(text, "q3(start = 1");
  start[11] = '0';
  open_model(&f, text, 1);
  build(&f);
  assert_int_equal(run(&f), OUTCOME_SINGULAR);
  assert_int_equal(f.out.rows, 0);
  close_model(&f);
}

// Crank and rod of equal length above each other: cos(pi/2) is not quite 0.
static void rounding_does_not_hide_a_dead_centre(void **state) {
  (void)state;
  Fixture f;
  char text[sizeof CRANK + 60];
  const char *at = strstr(CRANK, "q1(start = 1,");
  snprintf(text, sizeof text, "%.*sq1(start = 1.5707963267948966,%s", (int)(at - CRANK), CRANK,
           at + strlen("q1(start = 1,"));
  open_model(&f, text, 1);
  f.p[0] = 1;
  build(&f);
  assert_int_equal(run(&f), OUTCOME_SINGULAR);
  assert_int_equal(f.out.rows, 0);
  close_model(&f);
}

// The angle is computed from x, which says nothing of it at the side of the circle: the motion cannot pass there.
static void a_lost_solution_is_never_silent(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Over\n"
      "  Real x(start = 0.1, fixed = true), y(start = -1), vx(start = 6.8, fixed = true), vy;\n"
      "  Real phi(start = 0.1), force;\n"
      "equation\n"
      "  der(x) = vx;\n"
      "  der(y) = vy;\n"
      "  der(vx) = -force*sin(phi);\n"
      "  der(vy) = force*cos(phi) - 9.81;\n"
      "  x = sin(phi);\n"
      "  y = -cos(phi);\n"
      "end Over;\n";
  static const double TOLERANCES[] = {1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-11};
  int lost = 0;
  for (int s = 0; s < SOLVER_COUNT; s++)
    for (int k = 0; k < 12; k++) {
      Fixture f;
      open_model(&f, TEXT, 0.5);
      f.options.rel_tol = TOLERANCES[k / 2], f.options.abs_tol = 0.01 * f.options.rel_tol;
      set(&f, "solver", SOLVERS[s]);
      set(&f, "index", k % 2 ? "project" : "stabilise");
      build_states(&f);
      Outcome outcome = run(&f);
      if (outcome == OUTCOME_REACHED_END)
        fail_msg("%s at %g passes", SOLVERS[s], f.options.rel_tol);
      assert_true(f.out.t_end < 0.4);
      lost += outcome == OUTCOME_LOST;
      close_model(&f);
    }
  assert_true(lost > 20);
}

// As accurate as loose tolerances are, sound motions are not taken for lost ones.
static void loose_tolerances_are_not_lost(void **state) {
  (void)state;
  static const char *const TEXTS[] = {CIRCLE, BUFFER, LINKS};
  for (int t = 0; t < 3; t++)
    for (int s = 0; s < SOLVER_COUNT; s++)
      for (int k = 0; k < 4; k++) {
        Fixture f;
        open_model(&f, TEXTS[t], TEXTS[t] == LINKS ? 0.2 : 4);
        f.options.rel_tol = k < 2 ? 1e-3 : 1e-5, f.options.abs_tol = 0.01 * f.options.rel_tol;
        set(&f, "solver", SOLVERS[s]);
        set(&f, "index", k % 2 ? "project" : "stabilise");
        build_states(&f);
        finish(&f);
        close_model(&f);
      }
}

// ---------------------------------------------------------------- steppers whose state is moved

// Each step is followed by a move; the answer is that of as many integrations from the moved values.
static void a_moved_state_goes_on_with_its_own_slope(void **state) {
  (void)state;
  static const Problem *const PROBLEMS[] = {&OSCILLATOR, &LOGISTIC, &TIMED};
  for (int s = 0; s < 3; s++)
    for (int k = 0; k < 3; k++) {
      const Problem *q = PROBLEMS[k];
      double p[4];
      memcpy(p, q->p, sizeof p);
      Ode ode = {.n = q->n, .ns = q->ns, .stride = q->ns, .lanes = 1, .self = p, .rhs = q->rhs};
      Pattern pattern = {q->n, q->n, FULL_START[q->n - 1], FULL_COLUMN[q->n - 1]};
      ode.pattern = &pattern;
      ode.jacobian = q->jacobian;
      ode.jacobian_sens = q->jacobian_sens;
      double abs_tol[MOST_NUMBERS];
      for (int i = 0; i < MOST_NUMBERS; i++) abs_tol[i] = 1e-12;
      Tolerance tol = {.rel = 1e-10, .abs = abs_tol, .max_steps = 100000};
      Arena *a = arena_new();
      Stepper *kept = stepper_new(a, stepper_find(SOLVERS[s]), &ode, &tol);
      Stepper *fresh = stepper_new(a, stepper_find(SOLVERS[s]), &ode, &tol);
      int numbers = q->n * (1 + q->ns);
      memcpy(kept->y, q->y0, (size_t)numbers * sizeof(double));
      kept->t = q->t0;
      kept->row->start(kept, q->t1);
      double h = kept->h_next;
      while (kept->t < q->t1) {
        assert_int_equal(kept->row->step(kept, q->t1) == STEP_TOO_SMALL, 0);
        for (int i = 0; i < numbers; i++) kept->y[i] *= 1 + 1e-3;
        kept->row->moved(kept);
        assert_true(kept->h_next >= h); // it does not begin anew
        memcpy(fresh->y, kept->y, (size_t)numbers * sizeof(double));
        fresh->t = kept->t;
        fresh->row->start(fresh, q->t1);
        double t = kept->t + 1e-3;
        if (t > q->t1) break;
        double limit = t;
        long rejected = kept->count.rejected;
        while (kept->t < limit) kept->row->step(kept, limit);
        assert_int_equal(kept->count.rejected, rejected); // an old slope would look like an error
        while (fresh->t < limit) fresh->row->step(fresh, limit);
        for (int i = 0; i < numbers; i++)
          assert_close(kept->y[i], fresh->y[i], 1e-9 * (1 + fabs(fresh->y[i])));
      }
      stepper_done(kept);
      stepper_done(fresh);
      arena_free(a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stabilisation_stops_the_drift_and_costs_few_steps),
      cmocka_unit_test(what_is_relative_has_no_unit),
      cmocka_unit_test(every_solver_keeps_the_constraints),
      cmocka_unit_test(an_error_at_the_start_dies_out),
      cmocka_unit_test(projection_reaches_invariants_and_identities),
      cmocka_unit_test(what_is_close_enough_is_left_alone),
      cmocka_unit_test(sensitivities_are_projected_too),
      cmocka_unit_test(the_watch_multiplies_with_the_parameter),
      cmocka_unit_test(all_ways_agree_with_the_angle),
      cmocka_unit_test(sensitivities_are_central_differences),
      cmocka_unit_test(the_order_of_the_method_is_kept),
      cmocka_unit_test(projection_holds_through_events),
      cmocka_unit_test(a_constraint_written_twice_is_kept_once),
      cmocka_unit_test(what_an_integrator_cannot_take_is_refused),
      cmocka_unit_test(a_start_off_the_constraint_is_named),
      cmocka_unit_test(fixed_start_values_have_no_derivative),
      cmocka_unit_test(rounding_is_no_derivative),
      cmocka_unit_test(a_start_without_slope_asks_for_a_rough_value),
      cmocka_unit_test(an_integrator_of_its_own_takes_no_solver),
      cmocka_unit_test(kinks_of_inputs_are_kinks_of_velocities),
      cmocka_unit_test(the_last_row_has_the_derivatives_of_the_motion_before),
      cmocka_unit_test(a_spline_that_ends_in_a_constraint_ends_the_motion),
      cmocka_unit_test(inputs_that_jump_cannot_be_followed),
      cmocka_unit_test(a_constraint_with_a_kink_ends_the_motion),
      cmocka_unit_test(bars_that_lie_flat_are_a_singular_position),
      cmocka_unit_test(a_stretched_linkage_ends_in_a_singular_position),
      cmocka_unit_test(near_misses_are_passed),
      cmocka_unit_test(an_event_before_a_singular_position_comes_first),
      cmocka_unit_test(a_start_in_a_singular_position_is_told),
      cmocka_unit_test(rounding_does_not_hide_a_dead_centre),
      cmocka_unit_test(a_lost_solution_is_never_silent),
      cmocka_unit_test(loose_tolerances_are_not_lost),
      cmocka_unit_test(a_moved_state_goes_on_with_its_own_slope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
