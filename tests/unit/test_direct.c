#include "simulate/direct.h"

#include <string.h>

#include "expr/simplify.h"
#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/couple.h"
#include "model/model_build.h"
#include "simulate/follow.h"
#include "simulate/implicit.h"
#include "simulate/steppers.h"
#include "test.h"

// ---- models

static const char CIRCLE[] = "model Circle\n"
                             "  Real x(start = 1, fixed = true), y(start = 0, fixed = true);\n"
                             "equation\n"
                             "  der(x) = -y;\n"
                             "  der(y) = x;\n"
                             "end Circle;\n";

// Frewin's pendulum as published, and what elimination by hand leaves of it.
static const char FREWIN[] =
    "model Frewin\n"
    "  parameter Real c = 6, d = 2, m = 1, l = 1, IA = 1, g = 9.81;\n"
    "  Real alpha(start = 1.5707963267948966, fixed = true), w(start = 0, fixed = true);\n"
    "  Real y(start = 1, fixed = true), vy(start = 0, fixed = true), lam;\n"
    "equation\n"
    "  der(alpha) = w;\n"
    "  der(y) = vy;\n"
    "  (IA + m*l^2*cos(alpha)^2)*der(w) + l*sin(alpha)*lam =\n"
    "    1/2*m*l^2*sin(2*alpha)*w^2 - c*l*sin(alpha) - d*l*cos(alpha)*w;\n"
    "  m*der(vy) - lam = -m*g;\n"
    "  l - l*cos(alpha) - y = 0;\n"
    "end Frewin;\n";
static const char REDUCED[] =
    "model Reduced\n"
    "  parameter Real c = 6, d = 2, m = 1, l = 1, IA = 1, g = 9.81;\n"
    "  Real alpha(start = 1.5707963267948966, fixed = true), w(start = 0, fixed = true);\n"
    "equation\n"
    "  der(alpha) = w;\n"
    "  (IA + m*l^2)*der(w) = -(m*g + c)*l*sin(alpha) - d*l*cos(alpha)*w;\n"
    "end Reduced;\n";

// A point on a circle, its constraint once or twice.
#define PENDULUM(unknowns, force, more)                                                            \
  "model Pendulum\n"                                                                               \
  "  parameter Real g = 9.81, L = 1;\n"                                                            \
  "  Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy;\n"       \
  "  Real " unknowns ";\n"                                                                         \
  "equation\n"                                                                                     \
  "  der(x) = vx;\n"                                                                               \
  "  der(y) = vy;\n"                                                                               \
  "  der(vx) = -x*" force ";\n"                                                                    \
  "  der(vy) = -y*" force " - g;\n"                                                                \
  "  x^2 + y^2 = L^2;\n" more "end Pendulum;\n"
static const char ONCE[] = PENDULUM("lam", "lam", "");
static const char TWICE[] = PENDULUM("lam, mu", "(lam + 3*mu)", "  3*x^2 + 3*y^2 = 3*L^2;\n");

// Two solutions of the loop, and the motion follows the one that its start value names.
static const char LOOP[] = "model Loop\n"
                           "  parameter Real k = 0.7;\n"
                           "  Real x(start = 4, fixed = true), z(start = -2), a(start = -1.1);\n"
                           "equation\n"
                           "  der(x) = k*z;\n"
                           "  z^2 + 0.01*a = x;\n"
                           "  a + sin(a) = z;\n"
                           "end Loop;\n";

// ---- a run

typedef struct Run {
  Arena *arena;
  Model *model;
  System *system;
  SystemWork *work;
  Follower *follower;
  Implicit *implicit;
  Dae dae; // the one of implicit, to be changed
  Ode ode;
  Stepper *stepper;
  double *p, *abs;
} Run;

static void ode_rhs(void *self, double t, const double *y, double *dy) {
  SystemWork *w = self;
  if (w->system->ns)
    system_rhs_sens(w, t, y, dy);
  else
    system_rhs(w, t, y, dy);
}

static Run *run_read(const char *text) {
  Err err = {0};
  Arena *a = arena_new();
  Run *r = ARENA_NEW(a, Run);
  r->arena = a;
  Source *s = source_new(r->arena, "test", text, strlen(text), &err);
  const AstModel *ast = s ? parse_model(r->arena, s, &err) : NULL;
  r->model = ast ? model_new(s, ast, NULL, 0, &err) : NULL;
  if (!r->model) fail_msg("%s", err.text);
  r->p = ARENA_ARRAY(r->arena, double, r->model->np + 1);
  for (int k = 0; k < r->model->np; k++) r->p[k] = r->model->flat->parameters.at[k].value;
  return r;
}

static bool is_direct(const char *row) {
  return strncmp(row, "ida", 3) == 0;
}

// Sensitivities to the first ns parameters.
static void run_compile(Run *r, const char *row, int ns, double rel) {
  static const int PARAMETERS[] = {0, 1, 2, 3};
  SystemSpec spec = {.outputs = r->model->x,
                     .output_count = r->model->nx,
                     .parameters = PARAMETERS,
                     .parameter_count = ns,
                     .lanes = 1};
  const System *s = r->system = system_new(r->model, &spec);
  r->work = system_work_new(s);
  r->follower = follower_new(r->arena, r->work);
  r->ode = (Ode){
      .n = s->nx, .ns = s->ns, .stride = s->stride, .lanes = 1, .self = r->work, .rhs = ode_rhs};
  if (is_direct(row)) {
    bool typed = strcmp(row, "ida-index3") == 0;
    r->implicit = implicit_new(r->work, typed ? IMPLICIT_AS_TYPED : IMPLICIT_INVARIANTS);
    r->dae = *implicit_dae(r->implicit);
    r->ode.dae = &r->dae;
  }
  int numbers = s->nx * (1 + s->stride);
  r->abs = ARENA_ARRAY(r->arena, double, numbers + 1);
  for (int i = 0; i < numbers; i++) r->abs[i] = rel / 100;
  Tolerance tol = {.rel = rel, .abs = r->abs, .max_steps = 200000};
  r->stepper = stepper_new(r->arena, stepper_find(row), &r->ode, &tol);
}

static Stepper *run_begin(Run *r, double t_end) {
  system_set_parameters(r->work, r->p);
  r->stepper->t = 0;
  system_start(r->work, 0, r->stepper->y);
  follow_begin(r->follower, 0, r->stepper->y, t_end);
  r->stepper->row->start(r->stepper, t_end);
  return r->stepper;
}

static Run *run_new(const char *text, const char *row, int ns, double rel) {
  Run *r = run_read(text);
  run_compile(r, row, ns, rel);
  run_begin(r, 1e9);
  return r;
}

static void run_free(Run *r) {
  stepper_done(r->stepper);
  implicit_free(r->implicit);
  system_work_free(r->work);
  system_free(r->system);
  model_free(r->model);
  arena_free(r->arena);
}

static bool goes_on(StepEnd e) {
  return e == STEP_DONE || e == STEP_STIFF || e == STEP_NOT_STIFF;
}

static StepEnd run_to(Run *r, double t_end) {
  Stepper *s = r->stepper;
  StepEnd end = STEP_DONE;
  while (s->t < t_end && goes_on(end)) {
    end = s->row->step(s, t_end);
    if (goes_on(end)) follow_step(r->follower, s);
  }
  return goes_on(end) ? STEP_DONE : end;
}

static const double *reach(Run *r, double t_end) {
  assert_int_equal(run_to(r, t_end), STEP_DONE);
  return r->stepper->y;
}

static double largest_invariant(Run *r, double t, const double *y) {
  double most = 0, *g = ARENA_ARRAY(r->arena, double, r->system->ni + 16);
  system_invariants(r->work, t, y, g);
  for (int i = 0; i < r->system->ni; i++) most = fmax(most, fabs(g[i]));
  return most;
}

static int number_of(const Run *r, const char *state) {
  for (int i = 0; i < r->model->nx; i++)
    if (strcmp(r->model->flat->variables.at[r->model->state[i]].name, state) == 0) return i;
  fail_msg("there is no state %s", state);
  return -1;
}

static double sens_of(const Run *r, const char *state, int column) {
  return r->stepper->y[r->ode.n + number_of(r, state) * r->ode.stride + column];
}

// ---- the motion with its invariants

static void an_invariant_written_by_hand_is_kept(void **state) {
  (void)state;
  Run *r = run_read(CIRCLE);
  Expr one = expr_const(r->model->graph, 1), sum = expr_neg(r->model->graph, one);
  for (int i = 0; i < 2; i++)
    sum = expr_add(r->model->graph, sum, expr_mul(r->model->graph, r->model->x[i], r->model->x[i]));
  Invariant circle = {.residual = sum};
  r->model->invariants = &circle;
  r->model->invariant_count = 1;
  run_compile(r, "ida-ggl", 0, 1e-7);
  assert_int_equal(r->dae.m, 3);
  run_begin(r, 1e9);
  for (double t = 1; t <= 50; t++) {
    const double *y = reach(r, t);
    assert_close(y[0] * y[0] + y[1] * y[1], 1, 1e-8);
    assert_close(y[0], cos(t), 1e-3);
  }
  run_free(r);
}

typedef struct Reference { // case file, section 003
  double c, d, alpha[4], y[2];
} Reference;

static const double TIMES[4] = {1, 2, 4, 8};
static const Reference PAPER[] = {
    {6, 2, {-.721222, .184005, -.118766, -.029222}, {.249000, .016881}},
    {0, 0, {-.499188, -1.311246, .565901, -1.233452}, {.122028, .743354}},
    {2, 1, {-.575965, -.456874, -.544393, .217511}, {.161333, .102564}},
    {1, 2, {-.311709, -.402578, -.155898, .011179}, {.048189, .079946}},
    {1, 3, {-.184389, -.293397, -.043953, -.000660}, {.016952, .042733}},
    {100, 100, {.334156, .106649, .011255, .000126}, {.055313, .005682}},
};

static void frewin_begin(Run *r, double c, double d) {
  r->p[0] = c, r->p[1] = d;
  run_begin(r, 8);
}

static void frewin_meets_the_references_without_drift(void **state) {
  (void)state;
  Run *r = run_new(FREWIN, "ida-ggl", 0, 1e-8);
  for (size_t k = 0; k < sizeof PAPER / sizeof *PAPER; k++) {
    frewin_begin(r, PAPER[k].c, PAPER[k].d);
    for (int i = 0; i < 4; i++) {
      const double *y = reach(r, TIMES[i]);
      assert_close(y[number_of(r, "alpha")], PAPER[k].alpha[i], 1e-5);
      if (i < 2) assert_close(y[number_of(r, "y")], PAPER[k].y[i], 1e-5);
      assert_close(largest_invariant(r, TIMES[i], y), 0, 1e-8);
    }
  }
  run_free(r);
}

// Largest difference of alpha and its rate from the reduced equations at rel_tol 1e-12, over 8 s.
static double frewin_error(const char *row, double rel, double *drift) {
  Run *r = run_new(FREWIN, row, 0, rel), *truth = run_new(REDUCED, "rk8", 0, 1e-12);
  double most = 0;
  *drift = 0;
  for (double t = 0.1; t < 8.05; t += 0.1) {
    const double *y = reach(r, t), *x = reach(truth, t);
    most = fmax(most, fmax(fabs(y[0] - x[0]), fabs(y[1] - x[1])));
    *drift = fmax(*drift, largest_invariant(r, t, y));
  }
  run_free(r);
  run_free(truth);
  return most;
}

static void both_forms_agree_with_elimination_by_hand(void **state) {
  (void)state;
  double drift;
  assert_close(frewin_error("ida-ggl", 1e-8, &drift), 0, 1e-6);
  assert_close(drift, 0, 1e-8);
  assert_close(frewin_error("ida-index3", 1e-8, &drift), 0, 2e-5);
  assert_true(frewin_error("ida-ggl", 1e-10, &drift) < 1e-8);
  assert_true(frewin_error("ida-index3", 1e-10, &drift) < 1e-6);
}

static void sensitivities_meet_the_references(void **state) {
  (void)state;
  static const double AT[5] = {.5, 1, 2, 4, 8};
  static const double ALPHA_C[5] = {-.052220, -.060873, .105836, .073356, -.010107},
                      Y_C[5] = {-.031811, .040195, .019365, -.008692, .000295},
                      ALPHA_D[5] = {.019747, .186767, -.093188, .109454, .060146},
                      STRONG_C[5] = {-.003697, -.003625, -.002237, -.000471, -.000011};
  static const char *const ROWS[] = {"ida-ggl", "ida-index3"};
  for (int k = 0; k < 2; k++) {
    Run *r = run_new(FREWIN, ROWS[k], 2, 1e-8);
    for (int i = 0; i < 5; i++) {
      reach(r, AT[i]);
      assert_close(sens_of(r, "alpha", 0), ALPHA_C[i], 1e-5);
      assert_close(sens_of(r, "y", 0), Y_C[i], 1e-5);
      assert_close(sens_of(r, "alpha", 1), ALPHA_D[i], 1e-5);
    }
    frewin_begin(r, 100, 100);
    for (int i = 0; i < 5; i++) {
      reach(r, AT[i]);
      assert_close(sens_of(r, "alpha", 0), STRONG_C[i], 1e-5);
    }
    run_free(r);
  }
}

static void sensitivities_keep_the_derivatives_of_the_invariants(void **state) {
  (void)state;
  Run *r = run_new(ONCE, "ida-ggl", 2, 1e-8);
  const System *s = r->system;
  const double *y = reach(r, 3), *out = r->work->invariant_out;
  system_invariant_sens(r->work, 3, y);
  for (int i = 0; i < s->ni; i++)
    for (int k = 0; k < s->ns; k++) {
      double sum = 0;
      for (int e = s->sparse.g_p.pattern.start[i]; e < s->sparse.g_p.pattern.start[i + 1]; e++)
        if (s->sparse.g_p.pattern.column[e] == k) sum += out[s->sparse.g_p.at + e];
      for (int e = s->sparse.g_x.pattern.start[i]; e < s->sparse.g_x.pattern.start[i + 1]; e++)
        sum +=
            out[s->sparse.g_x.at + e] * y[s->nx + s->sparse.g_x.pattern.column[e] * s->stride + k];
      assert_close(sum, 0, 1e-8);
    }
  run_free(r);
}

static void a_constraint_written_twice_changes_nothing(void **state) {
  (void)state;
  Run *once = run_new(ONCE, "ida-ggl", 2, 1e-9), *twice = run_new(TWICE, "ida-ggl", 2, 1e-9);
  assert_null(implicit_refusal(once->model, IMPLICIT_AS_TYPED));
  assert_null(implicit_refusal(twice->model, IMPLICIT_INVARIANTS));
  assert_non_null(implicit_refusal(twice->model, IMPLICIT_AS_TYPED));
  assert_int_equal(once->dae.m, twice->dae.m);
  for (double t = 0.5; t <= 3; t += 0.5) {
    const double *a = reach(once, t), *b = reach(twice, t);
    for (int i = 0; i < 4 * 3; i++) assert_close(a[i], b[i], 1e-6);
  }
  run_free(once);
  run_free(twice);
}

// ---- the equations as typed

static void velocities_in_the_error_test_end_the_run(void **state) {
  (void)state;
  static const bool ALL[5] = {true, true, true, true, true};
  static const double ONE[5] = {1, 1, 1, 1, 1};
  Run *r = run_new(FREWIN, "ida-index3", 0, 1e-8);
  const bool *tested = r->dae.tested;
  assert_true(tested[number_of(r, "alpha")] && tested[number_of(r, "y")]);
  assert_false(tested[number_of(r, "w")] || tested[number_of(r, "vy")] || tested[4]);
  run_free(r);

  r = run_read(FREWIN);
  run_compile(r, "ida-index3", 0, 1e-8);
  stepper_done(r->stepper);
  r->dae.tested = ALL;
  r->dae.nominal = ONE;
  Tolerance tol = r->stepper->tol;
  r->stepper = stepper_new(r->arena, &STEPPER_IDA_INDEX3, &r->ode, &tol);
  run_begin(r, 8);
  assert_int_equal(run_to(r, 8), STEP_TOO_SMALL);
  run_free(r);
}

// s is in no constraint, but its acceleration comes with the force of the rod.
static const char HELD[] =
    "model Held\n"
    "  Real x(start = 0.6, fixed = true), y(start = -0.8), s(start = 0, fixed = true);\n"
    "  Real vx(start = 0, fixed = true), vy, vs(start = 0, fixed = true), lam;\n"
    "equation\n"
    "  der(x) = vx;\n"
    "  der(y) = vy;\n"
    "  der(s) = vs;\n"
    "  2*der(vs) + der(vx) = -4*s;\n"
    "  der(vs) + 2*der(vx) = -x*lam;\n"
    "  der(vy) = -y*lam - 9.81;\n"
    "  x^2 + y^2 = 1;\n"
    "end Held;\n";

static void velocities_of_what_is_not_constrained_are_not_tested_either(void **state) {
  (void)state;
  Run *r = run_new(HELD, "ida-index3", 0, 1e-8), *truth = run_new(HELD, "rk8", 0, 1e-11);
  assert_true(r->dae.tested[number_of(r, "s")] && r->dae.tested[number_of(r, "x")]);
  assert_false(r->dae.tested[number_of(r, "vs")] || r->dae.tested[number_of(r, "vx")]);
  const double *a = reach(r, 3), *b = reach(truth, 3);
  for (int i = 0; i < 3; i++) assert_close(a[i], b[i], 2e-5);
  run_free(r);
  run_free(truth);
}

static void the_branch_of_a_loop_is_that_of_the_start(void **state) {
  (void)state;
  static const char *const ROWS[] = {"ida-ggl", "ida-index3"};
  for (int k = 0; k < 2; k++) {
    Run *r = run_new(LOOP, ROWS[k], 1, 1e-8), *truth = run_new(LOOP, "rk8", 1, 1e-11);
    for (double t = 1; t <= 3; t++) {
      const double *a = reach(r, t), *b = reach(truth, t);
      assert_true(a[0] < 4); // z is negative
      for (int i = 0; i < 2; i++) assert_close(a[i], b[i], 1e-6);
    }
    run_free(r);
    run_free(truth);
  }
}

// z = x and z = x + pi solve the loop; y is the integral of z = time.
static const char WINDING[] = "model Winding\n"
                              "  Real x(start = 0, fixed = true), y(start = 0, fixed = true);\n"
                              "  Real z(start = 0);\n"
                              "equation\n"
                              "  der(x) = 1;\n"
                              "  der(y) = z;\n"
                              "  cos(z)*sin(x) = sin(z)*cos(x);\n"
                              "end Winding;\n";

static void taking_over_keeps_the_solution_of_a_loop(void **state) {
  (void)state;
  static const StepperRow *const ROWS[] = {&STEPPER_IDA_GGL, &STEPPER_IDA_INDEX3};
  static const ImplicitKind KINDS[] = {IMPLICIT_INVARIANTS, IMPLICIT_AS_TYPED};
  for (int k = 0; k < 2; k++) {
    Run *r = run_new(WINDING, "rk8", 0, 1e-9);
    assert_close(reach(r, 5)[1], 12.5, 1e-6);
    Stepper *before = r->stepper;
    r->implicit = implicit_new(r->work, KINDS[k]);
    r->ode.dae = implicit_dae(r->implicit);
    r->stepper = stepper_new(r->arena, ROWS[k], &r->ode, &before->tol);
    r->stepper->t = 5;
    memcpy(r->stepper->y, before->y, 2 * sizeof(double));
    r->stepper->row->start(r->stepper, 8);
    assert_close(reach(r, 8)[1], 32, 1e-6);
    run_free(r);
  }
}

static void push(void *data, double t, double *u, double *du) {
  (void)data;
  u[0] = cos(t), du[0] = -sin(t);
}

// y is led along the input, so that vy is its slope and F the force that takes.
static const char LED[] = "model Led\n"
                          "  parameter Real k = 2;\n"
                          "  input Real u;\n"
                          "  Real y(start = 2), x(start = 0, fixed = true), F;\n"
                          "equation\n"
                          "  der(y) = F;\n"
                          "  y = k*u;\n"
                          "  der(x) = F + u;\n"
                          "end Led;\n";

static void inputs_reach_the_equations(void **state) {
  (void)state;
  static const char *const ROWS[] = {"ida-ggl", "ida-index3"};
  for (int k = 0; k < 2; k++) {
    Run *r = run_read(LED);
    run_compile(r, ROWS[k], 1, 1e-8);
    r->work->inputs = push;
    run_begin(r, 2);
    const double *y = reach(r, 2);
    int n = number_of(r, "x");
    assert_close(y[number_of(r, "y")], 2 * cos(2), 1e-6);
    assert_close(y[n], 2 * cos(2) - 2 + sin(2), 1e-6);
    assert_close(sens_of(r, "x", 0), cos(2) - 1, 1e-6);
    run_free(r);
  }
}

// A chain of cells; as typed it has 2*cells - 1 unknowns, a sparse matrix.
static void chain_text(Text *t, int cells) {
  text_add(t, "model Chain\n  parameter Real k = 2;\n");
  for (int i = 0; i < cells; i++)
    text_print(t, "  Real x%d(start = %d, fixed = true), q%d;\n", i, i % 3, i);
  text_add(t, "equation\n");
  for (int i = 0; i < cells; i++) {
    text_print(t, "  der(x%d) = %s%d%s - x%d^3;\n", i, i ? "q" : "0*q", i ? i - 1 : 0, "", i);
    text_print(t, "  q%d = k*(x%d - x%d);\n", i, i, i + 1 < cells ? i + 1 : 0);
  }
  text_add(t, "end Chain;\n");
}

static void a_large_model_takes_sparse_matrices(void **state) {
  (void)state;
  Text t;
  text_init(&t);
  chain_text(&t, 30);
  Run *r = run_new(t.at, "ida-index3", 1, 1e-8), *truth = run_new(t.at, "rk8", 1, 1e-11);
  assert_int_equal(r->dae.m, 60);
  const double *a = reach(r, 0.5), *b = reach(truth, 0.5);
  for (int i = 0; i < 60; i++) assert_close(a[i], b[i], 1e-6);
  run_free(r);
  run_free(truth);
  text_done(&t);
}

// ---- exact derivatives

static double noise(int i) {
  return sin(12.9898 * i) * 0.3;
}

// At a point that satisfies nothing, so that every term counts.
static void some_point(const Run *r, double *z, double *dz) {
  int numbers = r->dae.m * (1 + r->ode.stride);
  for (int i = 0; i < numbers; i++) z[i] = 0.8 + noise(i), dz[i] = 0.1 + noise(i + 50);
}

static void jacobian_is_that_of_the_residual(const char *text, const char *row) {
  enum { MOST = 16 };
  double z[MOST], dz[MOST], J[MOST * MOST], up[MOST], down[MOST], h = 1e-6, c = 3;
  Run *r = run_new(text, row, 0, 1e-8);
  const Pattern *p = r->dae.pattern;
  some_point(r, z, dz);
  r->dae.jacobian(r->dae.self, 0.3, z, dz, c, J);
  for (int j = 0; j < r->dae.m; j++) {
    double at = z[j], slope = dz[j], full[MOST] = {0};
    z[j] = at + h, dz[j] = slope + c * h;
    r->dae.residual(r->dae.self, 0.3, z, dz, up);
    z[j] = at - h, dz[j] = slope - c * h;
    r->dae.residual(r->dae.self, 0.3, z, dz, down);
    z[j] = at, dz[j] = slope;
    for (int i = 0; i < r->dae.m; i++)
      for (int e = p->start[i]; e < p->start[i + 1]; e++)
        if (p->column[e] == j) full[i] = J[e];
    for (int i = 0; i < r->dae.m; i++) assert_close(full[i], (up[i] - down[i]) / (2 * h), 1e-6);
  }
  run_free(r);
}

// Along z + h S, dz + h dS, p + h for each column.
static void columns_are_those_of_the_residual(const char *text, const char *row) {
  enum { MOST = 64 };
  double z[MOST], dz[MOST], F[MOST], side[2][MOST], moved[2][MOST], h = 1e-6;
  Run *r = run_new(text, row, 2, 1e-8);
  int m = r->dae.m, stride = r->ode.stride;
  some_point(r, z, dz);
  r->dae.residual_sens(r->dae.self, 0.3, z, dz, F);
  for (int k = 0; k < r->ode.ns; k++) {
    for (int way = 0; way < 2; way++) {
      double step = way ? h : -h, *p = &r->p[r->system->columns.parameter[k]], at = *p;
      for (int i = 0; i < m; i++) {
        moved[0][i] = z[i] + step * z[m + i * stride + k];
        moved[1][i] = dz[i] + step * dz[m + i * stride + k];
      }
      *p += step;
      system_set_parameters(r->work, r->p);
      r->dae.residual(r->dae.self, 0.3, moved[0], moved[1], side[way]);
      *p = at;
    }
    for (int i = 0; i < m; i++)
      assert_close(F[m + i * stride + k], (side[1][i] - side[0][i]) / (2 * h), 1e-6);
  }
  run_free(r);
}

static void derivatives_of_the_forms_are_exact(void **state) {
  (void)state;
  static const char *const ROWS[] = {"ida-ggl", "ida-index3"}, *const TEXTS[] = {FREWIN, ONCE,
                                                                                 LOOP};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++) {
      jacobian_is_that_of_the_residual(TEXTS[i], ROWS[k]);
      columns_are_those_of_the_residual(TEXTS[i], ROWS[k]);
    }
}

static void the_start_satisfies_the_equations(void **state) {
  (void)state;
  static const char *const ROWS[] = {"ida-ggl", "ida-index3"}, *const TEXTS[] = {FREWIN, ONCE,
                                                                                 LOOP};
  double z[64], dz[64], F[64];
  for (int k = 0; k < 6; k++) {
    Run *r = run_new(TEXTS[k / 2], ROWS[k % 2], 2, 1e-8);
    int numbers = r->dae.m * (1 + r->ode.stride);
    r->dae.begin(r->dae.self, 0, r->stepper->y, z, dz);
    r->dae.residual_sens(r->dae.self, 0, z, dz, F);
    for (int i = 0; i < numbers; i++) assert_close(F[i], 0, 1e-10);
    run_free(r);
  }
}

static void a_tied_model_takes_the_form_with_invariants(void **state) {
  (void)state;
  Run *r = run_read(FREWIN);
  CoupleTerm term = {.channel = 0, .state = 0, .direction = expr_const(r->model->graph, 1)};
  Coupling how = {.measured = r->model->x, .channels = 1, .terms = &term, .term_count = 1};
  Model *whole = r->model;
  r->model = couple(whole, &how)->model;
  run_compile(r, "ida-index3", 0, 1e-8);
  int independent = 0;
  for (int i = 0; i < r->model->invariant_count; i++)
    independent += !r->model->invariants[i].redundant;
  assert_int_equal(r->dae.m, r->model->nx + independent);
  r->model = whole;
  run_free(r);
}

// ---- the contract of steppers

static void values_inside_a_step_are_as_accurate(void **state) {
  (void)state;
  Run *r = run_new(FREWIN, "ida-ggl", 1, 1e-8), *truth = run_new(REDUCED, "rk8", 1, 1e-11);
  Stepper *s = r->stepper;
  double y[16];
  reach(r, 2);
  for (int k = 0; k < 20; k++) {
    assert_int_equal(s->row->step(s, 8), STEP_DONE);
    double t = 0.3 * s->t_old + 0.7 * s->t;
    const double *x = reach(truth, t);
    s->row->dense(s, t, true, y);
    for (int i = 0; i < 2; i++) {
      assert_close(y[i], x[i], 1e-6);
      assert_close(y[4 + i], x[2 + i], 1e-6);
    }
    assert_close(largest_invariant(r, t, y), 0, 1e-8);
    s->row->dense(s, s->t, true, y);
    assert_memory_equal(y, s->y, 8 * sizeof *y);
    s->row->dense(s, s->t_old, true, y);
    assert_memory_equal(y, s->y_old, 8 * sizeof *y);
  }
  run_free(r);
  run_free(truth);
}

static void it_can_start_again_anywhere(void **state) {
  (void)state;
  Run *r = run_new(FREWIN, "ida-ggl", 2, 1e-9), *through = run_new(FREWIN, "ida-ggl", 2, 1e-9);
  for (double t = 0.7; t < 3; t += 0.7) {
    reach(r, t);
    r->stepper->row->start(r->stepper, 8);
  }
  const double *a = reach(r, 3), *b = reach(through, 3);
  for (int i = 0; i < 12; i++) assert_close(a[i], b[i], 1e-6);
  run_free(r);
  run_free(through);
}

static void runs_on_the_same_stepper_do_not_remember(void **state) {
  (void)state;
  Run *r = run_new(LOOP, "ida-ggl", 1, 1e-8);
  double first[4];
  memcpy(first, reach(r, 2), 2 * sizeof *first);
  run_begin(r, 2);
  assert_memory_equal(reach(r, 2), first, 2 * sizeof *first);
  run_free(r);
}

static void ends_are_told_apart(void **state) {
  (void)state;
  Run *r = run_new("model Ends\n  Real x(start = 1, fixed = true);\nequation\n"
                   "  der(x) = -1 + 0.001*noEvent(sqrt(x));\nend Ends;\n",
                   "ida-ggl", 0, 1e-8);
  assert_int_equal(run_to(r, 3), STEP_NOT_COMPUTABLE);
  assert_close(r->stepper->t, 1, 0.01);
  run_free(r);

  r = run_new("model Grows\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x^2;\n"
              "end Grows;\n",
              "ida-ggl", 0, 1e-8);
  StepEnd end = run_to(r, 3);
  assert_true(end == STEP_TOO_SMALL || end == STEP_NOT_COMPUTABLE);
  assert_close(r->stepper->t, 1, 1e-3);
  run_free(r);

  r = run_new(FREWIN, "ida-ggl", 0, 1e-8);
  r->stepper->tol.max_steps = 10;
  assert_int_equal(run_to(r, 8), STEP_TOO_MANY);
  assert_true(r->stepper->count.steps <= 10);
  run_free(r);

  r = run_new("model Nothing\n  Real y;\nequation\n  y = time;\nend Nothing;\n", "ida-index3", 0,
              1e-8);
  reach(r, 3);
  run_free(r);
}

static void work_is_counted(void **state) {
  (void)state;
  Run *r = run_new(FREWIN, "ida-ggl", 1, 1e-6);
  reach(r, 1);
  const StepCount *c = &r->stepper->count;
  assert_true(c->steps > 10 && c->rhs > c->steps && c->rhs_sens > c->steps / 2);
  assert_true(c->jacobians > 0 && c->factorisations >= c->jacobians);
  run_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_invariant_written_by_hand_is_kept),
      cmocka_unit_test(frewin_meets_the_references_without_drift),
      cmocka_unit_test(both_forms_agree_with_elimination_by_hand),
      cmocka_unit_test(sensitivities_meet_the_references),
      cmocka_unit_test(sensitivities_keep_the_derivatives_of_the_invariants),
      cmocka_unit_test(a_constraint_written_twice_changes_nothing),
      cmocka_unit_test(velocities_in_the_error_test_end_the_run),
      cmocka_unit_test(velocities_of_what_is_not_constrained_are_not_tested_either),
      cmocka_unit_test(the_branch_of_a_loop_is_that_of_the_start),
      cmocka_unit_test(taking_over_keeps_the_solution_of_a_loop),
      cmocka_unit_test(inputs_reach_the_equations),
      cmocka_unit_test(a_large_model_takes_sparse_matrices),
      cmocka_unit_test(derivatives_of_the_forms_are_exact),
      cmocka_unit_test(the_start_satisfies_the_equations),
      cmocka_unit_test(a_tied_model_takes_the_form_with_invariants),
      cmocka_unit_test(values_inside_a_step_are_as_accurate),
      cmocka_unit_test(it_can_start_again_anywhere),
      cmocka_unit_test(runs_on_the_same_stepper_do_not_remember),
      cmocka_unit_test(ends_are_told_apart),
      cmocka_unit_test(work_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
