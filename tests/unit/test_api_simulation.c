// Laws of whole simulations, through the public functions.
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>

#include "simulation.h"

static const char *const SOLVERS[] = {"auto", "rk5", "rk8", "rosenbrock", "bdf", "adams"};
enum { SOLVER_COUNT = 6 };

static const char *options_of(char *out, size_t size, const char *solver, double rel_tol) {
  snprintf(out, size, "solver=%s rel_tol=%g abs_tol=%g", solver, rel_tol, rel_tol);
  return out;
}

// ---------------------------------------------------------------- accuracy against tolerance

// A driven, damped pair whose exact solution is known: x = exp(-t/5) cos(3 t) + sin(t), v its derivative.
static const char EXACT[] =
    "model Exact\n  Real x(start = 1, fixed = true);\n  Real v(start = 0.8, fixed = true);\n"
    "  Real s(start = 0, fixed = true);\n  Real c(start = 1, fixed = true);\nequation\n"
    "  der(s) = c;\n  der(c) = -s;\n  der(x) = v;\n"
    "  der(v) = -s - 0.4*(v - c) - 9.04*(x - s);\nend Exact;\n";
static double exact_x(double t) {
  return exp(-t / 5) * cos(3 * t) + sin(t);
}

typedef struct Accuracy {
  double error;
  long steps;
} Accuracy;

static Accuracy accuracy_at(const char *solver, double rel_tol) {
  char options[100];
  Run r =
      simulate_fully(.text = EXACT, .options = options_of(options, sizeof options, solver, rel_tol),
                     .stop = 10, .step = 0.1);
  Accuracy a = {0, r.work.steps};
  for (int i = 0; i < rows(&r); i++)
    a.error = fmax(a.error, fabs(value_at(&r, "x", i) - exact_x(value_at(&r, "time", i))));
  run_free(&r);
  return a;
}

static void errors_are_proportional_to_the_tolerance(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++)
    for (double tol = 1e-4; tol > 1e-11; tol /= 10) {
      double error = accuracy_at(SOLVERS[s], tol).error, most = s < 4 ? 30 : 300;
      if (!(error < most * tol)) print_error("%s at %g: error %g\n", SOLVERS[s], tol, error);
      assert_true(error < most * tol);
      assert_true(error > 1e-4 * tol); // not wastefully exact
    }
}

// error ~ steps^-order, also between the steps: all rows are compared.
static void errors_fall_with_the_order_of_the_method(void **state) {
  (void)state;
  static const struct {
    const char *solver;
    double loose, tight, order;
  } METHODS[] = {{"rk5", 1e-5, 1e-9, 5}, {"rk8", 1e-5, 1e-10, 8}, {"rosenbrock", 1e-5, 1e-9, 5}};
  for (int k = 0; k < 3; k++) {
    Accuracy a = accuracy_at(METHODS[k].solver, METHODS[k].loose),
             b = accuracy_at(METHODS[k].solver, METHODS[k].tight);
    double order = log(a.error / b.error) / log((double)b.steps / (double)a.steps);
    if (!(order > METHODS[k].order - 1)) print_error("%s: order %g\n", METHODS[k].solver, order);
    assert_true(order > METHODS[k].order - 1 && order < METHODS[k].order + 2);
  }
}

static void all_solvers_agree(void **state) {
  (void)state;
  static const struct {
    const char *file;
    double stop;
  } MODELS[] = {{"models/lorenz.mo", 5},
                {"models/two_dof.mo", 20},
                {"models/arctan_oscillator.mo", 20},
                {"models/hires.mo", 5},
                {"models/frewin_pendulum.mo", 8},
                {"models/vanderpol_duffing.mo", 20},
                {"models/pendulum.mo", 20},
                {"models/double_pendulum.mo", 3},
                {"models/mr_damper.mo", 0.3}};
  for (int k = 0; k < 9; k++) {
    char options[2][100];
    Spec spec = {.file = MODELS[k].file, .stop = MODELS[k].stop, .step = MODELS[k].stop / 20};
    spec.options = options_of(options[0], sizeof options[0], "rk8", 1e-12);
    Run tight = simulate_spec_fully(&spec);
    for (int s = 0; s < SOLVER_COUNT; s++) {
      spec.options = options_of(options[1], sizeof options[1], SOLVERS[s], s < 4 ? 1e-9 : 1e-10);
      Run r = simulate_spec_fully(&spec);
      for (int c = 1; c < entrain_result_columns(r.result); c++) {
        const char *name = entrain_result_name(r.result, c);
        double size = 1 + largest(column(&tight, name), rows(&tight)),
               apart = largest_difference(&r, &tight, name);
        if (!(apart < 1e-5 * size))
          print_error("%s: %s with %s is wrong by %g\n", MODELS[k].file, name, SOLVERS[s], apart);
        assert_true(apart < 1e-5 * size);
      }
      run_free(&r);
    }
    run_free(&tight);
  }
}

static void energy_of_the_double_pendulum_is_kept(void **state) {
  (void)state;
  Run r = simulate_fully(.file = "models/double_pendulum.mo",
                         .options = "rel_tol=1e-11 abs_tol=1e-13", .stop = 20, .step = 0.1);
  const double *energy = column(&r, "energy");
  for (int i = 0; i < rows(&r); i++) assert_close(energy[i], energy[0], 1e-7);
  run_free(&r);
}

// ---------------------------------------------------------------- machine code and interpreter

static void assert_same_bits(const Run *a, const Run *b, const char *what) {
  assert_int_equal(rows(a), rows(b));
  assert_int_equal(a->work.steps, b->work.steps);
  assert_int_equal(a->work.rhs, b->work.rhs);
  for (int c = 0; c < entrain_result_columns(a->result); c++)
    if (memcmp(entrain_result_column(a->result, c), entrain_result_column(b->result, c),
               (size_t)rows(a) * sizeof(double))) {
      print_error("%s: %s differs\n", what, entrain_result_name(a->result, c));
      fail();
    }
}

static bool is_model(const char *name) {
  size_t n = strlen(name);
  return n > 3 && strcmp(name + n - 3, ".mo") == 0;
}

static void machine_code_and_interpreter_simulate_bit_for_bit_the_same(void **state) {
  (void)state;
  static const char *const METHODS[] = {"auto", "rosenbrock", "bdf"};
  DIR *models = opendir("models");
  int count = 0;
  assert_non_null(models);
  for (struct dirent *entry; (entry = readdir(models));) {
    if (!is_model(entry->d_name)) continue;
    char file[300], fast[100], slow[100];
    snprintf(file, sizeof file, "models/%s", entry->d_name);
    for (int k = 0; k < 3; k++) {
      snprintf(fast, sizeof fast, "solver=%s jit=auto max_steps=500", METHODS[k]);
      snprintf(slow, sizeof slow, "solver=%s jit=off max_steps=500", METHODS[k]);
      Spec s = {.file = file, .stop = 0.05, .step = 0.005, .sens = "*"};
      s.options = fast;
      Run a = simulate_spec(&s);
      s.options = slow;
      Run b = simulate_spec(&s);
      assert_same_bits(&a, &b, file);
      run_free(&a);
      run_free(&b);
      count++;
    }
  }
  closedir(models);
  assert_true(count >= 30);
}

static void the_environment_switches_machine_code_off(void **state) {
  (void)state;
  Spec s = {.file = "models/lorenz.mo", .stop = 2, .step = 0.1, .sens = "sigma rho"};
  Run a = simulate_spec_fully(&s);
  setenv("ENTRAIN_JIT", "off", 1);
  Run b = simulate_spec_fully(&s);
  unsetenv("ENTRAIN_JIT");
  assert_same_bits(&a, &b, "lorenz");
  run_free(&a);
  run_free(&b);
}

static void running_again_gives_the_same(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    Run r = simulate_fully(.file = "models/friction_oscillator.mo",
                           .options = options_of(options, sizeof options, SOLVERS[s], 1e-6),
                           .stop = 5, .step = 0.1, .sens = "k mu");
    for (int again = 0; again < 2; again++) {
      Run other = r;
      other.result = entrain_simulation_run(r.simulation, NULL);
      entrain_result_work(other.result, &other.work);
      assert_same_bits(&r, &other, SOLVERS[s]);
      entrain_result_free(other.result);
    }
    run_free(&r);
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__has_feature)
enum { COUNTS_MEMORY = 0 }; // the sanitizer has its own allocator
#else
enum { COUNTS_MEMORY = 1 };
#endif

static void assert_runs_keep_their_memory(const char *file, const char *set, const char *solver) {
  char options[100];
  snprintf(options, sizeof options, "solver=%s max_steps=1000", solver);
  Run r = simulate(.file = file, .set = set, .options = options, .stop = 5, .step = 0.5);
  size_t before = 0;
  for (int i = 0; i < 200; i++) {
    entrain_result_free(entrain_simulation_run(r.simulation, NULL));
    if (i == 20) before = mallinfo2().uordblks;
  }
  if (COUNTS_MEMORY) assert_int_equal(mallinfo2().uordblks, before);
  run_free(&r);
}

// Events, failures, changes of the method: an optimiser runs them thousands of times.
static void repeated_runs_take_no_more_memory(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    assert_runs_keep_their_memory("models/friction_oscillator.mo", NULL, SOLVERS[s]);
    assert_runs_keep_their_memory("models/friction_oscillator.mo", "F0=0", SOLVERS[s]); // chatter
    assert_runs_keep_their_memory("models/oscillator.mo", "m=0", SOLVERS[s]); // not computable
    assert_runs_keep_their_memory("models/lorenz.mo", "rho=1e4", SOLVERS[s]); // too many steps
  }
  assert_runs_keep_their_memory("models/robertson.mo", NULL, "auto");
}

enum { THREADS = 4, ROUNDS = 25 };

typedef struct Thread {
  const EntrainModel *model;
  int number, wrong;
} Thread;

// Its own simulations of the shared model: with and without sensitivities, solvers in turn, some of them fail.
static void *simulate_shared(void *data) {
  Thread *t = data;
  for (int round = 0; round < ROUNDS; round++) {
    EntrainOptions *o = entrain_options_new();
    entrain_options_set(o, "solver", SOLVERS[(t->number + round) % SOLVER_COUNT], NULL);
    entrain_options_set(o, "max_steps", round % 3 ? "100000" : "10", NULL);
    EntrainSimulation *s = entrain_simulation_new(t->model, o, NULL);
    entrain_simulation_grid(s, 0, 1, 0.5, NULL);
    if (round % 2) entrain_simulation_sensitivities(s, (const char *[]){"rho"}, 1, NULL);
    EntrainResult *r = entrain_simulation_run(s, NULL);
    if (round % 3 && fabs(entrain_result_column(r, 1)[2] + 9.4) > 0.1) t->wrong++;
    if (round % 3 == 0 && entrain_result_outcome(r) != ENTRAIN_TOO_MANY_STEPS) t->wrong++;
    entrain_result_free(r);
    entrain_simulation_free(s);
    entrain_options_free(o);
  }
  return NULL;
}

static void threads_may_share_a_model(void **state) {
  (void)state;
  EntrainModel *model = entrain_model_load("models/lorenz.mo", NULL);
  pthread_t id[THREADS];
  Thread thread[THREADS];
  for (int i = 0; i < THREADS; i++) {
    thread[i] = (Thread){model, i, 0};
    assert_int_equal(pthread_create(&id[i], NULL, simulate_shared, &thread[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(id[i], NULL);
    assert_int_equal(thread[i].wrong, 0);
  }
  entrain_model_free(model);
}

// ---------------------------------------------------------------- sensitivities

static void sensitivities_do_not_change_the_solution(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    Spec spec = {.file = "models/lorenz.mo", .stop = 5, .step = 0.1};
    spec.options = options_of(options, sizeof options, SOLVERS[s], 1e-9);
    Run without = simulate_spec_fully(&spec);
    spec.sens = "*";
    Run with = simulate_spec_fully(&spec);
    double allowed = s < 4 ? 1e-5 : 1e-4; // chaos amplifies
    assert_close(largest_difference(&with, &without, "x"), 0, allowed);
    assert_close(largest_difference(&with, &without, "z"), 0, allowed);
    run_free(&without);
    run_free(&with);
  }
}

static void parameters_that_do_not_enter_cost_nothing(void **state) {
  (void)state;
  static const char TEXT[] = "model Idle\n  parameter Real p = 2;\n  parameter Real idle = 3;\n  "
                             "parameter Real shown = 4;\n"
                             "  Real x(start = 1, fixed = true);\n  Real y;\nequation\n  der(x) = "
                             "-p*x;\n  y = shown*x;\nend Idle;\n";
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    Spec spec = {.text = TEXT, .stop = 3, .step = 0.5, .sens = "p"};
    spec.options = options_of(options, sizeof options, SOLVERS[s], 1e-7);
    Run one = simulate_spec_fully(&spec);
    spec.sens = "idle p shown";
    Run three = simulate_spec_fully(&spec);
    assert_int_equal(one.work.steps, three.work.steps);
    assert_int_equal(one.work.rhs, three.work.rhs);
    for (int i = 0; i < rows(&one); i++) {
      assert_true(value_at(&three, "dx/didle", i) == 0 && value_at(&three, "dy/didle", i) == 0);
      assert_true(value_at(&three, "dx/dshown", i) == 0);
      assert_close(value_at(&three, "dy/dshown", i), value_at(&three, "x", i), 0);
      assert_close(value_at(&three, "dx/dp", i), value_at(&one, "dx/dp", i), 0);
    }
    run_free(&one);
    run_free(&three);
    Spec plain = spec;
    plain.sens = NULL;
    Run none = simulate_spec_fully(&plain);
    spec.sens = "idle shown";
    Run idle = simulate_spec_fully(&spec);
    assert_int_equal(none.work.rhs, idle.work.rhs);
    run_free(&none);
    run_free(&idle);
  }
}

static EntrainResult *second_order_at(const char *file, const char *const parameters[2],
                                      const char *variable, const double at[2], bool second) {
  EntrainError error = {.size = sizeof error};
  EntrainModel *m = entrain_model_load(file, &error);
  EntrainOptions *o = entrain_options_new();
  char value[40];
  for (int k = 0; k < 2; k++) {
    snprintf(value, sizeof value, "%.17g", at[k]);
    assert_true(entrain_model_set(m, parameters[k], value, &error));
  }
  assert_true(entrain_options_set(o, "rel_tol", "1e-11", &error));
  assert_true(entrain_options_set(o, "abs_tol", "1e-13", &error));
  EntrainSimulation *s = entrain_simulation_new(m, o, &error);
  assert_true(entrain_simulation_grid(s, 0, 2, 0.5, &error));
  assert_true(entrain_simulation_select(s, &variable, 1, &error));
  assert_true(entrain_simulation_sensitivities(s, parameters, 2, &error));
  entrain_simulation_second_order(s, second);
  EntrainResult *r = entrain_simulation_run(s, &error);
  assert_non_null(r);
  entrain_simulation_free(s);
  entrain_options_free(o);
  entrain_model_free(m);
  return r;
}

// Columns: time, x, dx/dp, dx/dq, d2x/dpdp, d2x/dpdq, d2x/dqdq. Also of a mechanism with a constraint.
static void second_derivatives_are_differences_of_first_ones(void **state) {
  (void)state;
  static const struct {
    const char *file, *variable, *parameters[2];
    double at[2];
  } CASES[] = {{"models/pendulum.mo", "theta", {"p", "theta.start"}, {10, 0.5}},
               {"examples/frewin/frewin.mo", "alpha", {"c", "d"}, {6, 2}},
               {"examples/frewin/frewin.mo", "y", {"d", "c"}, {1, 3}}};
  const double h = 1e-4;
  for (int i = 0; i < 3; i++) {
    EntrainResult *r =
        second_order_at(CASES[i].file, CASES[i].parameters, CASES[i].variable, CASES[i].at, true);
    EntrainResult *first =
        second_order_at(CASES[i].file, CASES[i].parameters, CASES[i].variable, CASES[i].at, false);
    assert_int_equal(entrain_result_columns(r), 7);
    assert_int_equal(entrain_result_columns(first), 4);
    for (int q = 0; q < 2; q++) {
      double up[2] = {CASES[i].at[0], CASES[i].at[1]}, down[2] = {up[0], up[1]};
      up[q] += h, down[q] -= h;
      EntrainResult *a =
          second_order_at(CASES[i].file, CASES[i].parameters, CASES[i].variable, up, false);
      EntrainResult *b =
          second_order_at(CASES[i].file, CASES[i].parameters, CASES[i].variable, down, false);
      for (int row = 0; row < entrain_result_rows(r); row++) {
        for (int c = 0; c < 4; c++)
          assert_close(entrain_result_column(r, c)[row], entrain_result_column(first, c)[row],
                       1e-8);
        for (int k = 0; k < 2; k++) {
          double slope =
              (entrain_result_column(a, 2 + k)[row] - entrain_result_column(b, 2 + k)[row]) /
              (2 * h);
          assert_close(entrain_result_column(r, 4 + k + q)[row], slope, 2e-6);
        }
      }
      entrain_result_free(a), entrain_result_free(b);
    }
    entrain_result_free(first), entrain_result_free(r);
  }
}

// c = 2 sqrt(k m) and the start depend on k: the chain rule goes through both.
static void dependent_parameters_follow_the_chain_rule(void **state) {
  (void)state;
  static const char TEXT[] = "model Chain\n  parameter Real k = 3;\n  parameter Real m = 1.5;\n  "
                             "parameter Real c = 2*sqrt(k*m);\n"
                             "  parameter Real x0 = k/10;\n  Real x(start = x0, fixed = true);\n  "
                             "Real v(start = -c, fixed = true);\n"
                             "  Real power;\nequation\n  der(x) = v;\n  m*der(v) = -k*x - "
                             "0.3*c*v;\n  power = c*v^2;\nend Chain;\n";
  Spec s = {
      .text = TEXT, .options = "rel_tol=1e-9 abs_tol=1e-11", .stop = 4, .step = 0.4, .sens = "k m"};
  assert_sensitivities(&s, .step = 1e-4, .tolerance = 1e-7,
                       .options = "rel_tol=1e-13 abs_tol=1e-15");
  s.set = "c=2"; // now it stands on its own
  s.sens = "k m c";
  assert_sensitivities(&s, .step = 1e-4, .tolerance = 1e-7,
                       .options = "rel_tol=1e-13 abs_tol=1e-15");
}

static void a_dependent_parameter_has_no_sensitivity_of_its_own(void **state) {
  (void)state;
  Spec s = {.text = "model D\n  parameter Real a = 1;\n  parameter Real b = 2*a;\n  Real x(start = "
                    "1, fixed = true);\n"
                    "equation\n  der(x) = -b*x;\nend D;\n",
            .stop = 1,
            .sens = "b"};
  Run r = simulate_try(&s);
  assert_null(r.result);
  assert_non_null(strstr(r.error.text, "depends on other parameters"));
  run_free(&r);
}

static void start_values_have_sensitivities(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    Spec s = {.file = k ? "models/double_pendulum.mo" : "models/lorenz.mo",
              .options = "rel_tol=1e-10 abs_tol=1e-12",
              .stop = 1,
              .step = 0.1,
              .sens = k ? "theta1.start theta2.start omega1.start omega2.start m2 l1"
                        : "x.start y.start z.start rho"};
    assert_sensitivities(&s, .step = 1e-4, .tolerance = 1e-6,
                         .options = "rel_tol=1e-13 abs_tol=1e-15");
  }
}

static void every_solver_has_the_same_sensitivities(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    Spec spec = {.file = "models/two_dof.mo", .stop = 10, .step = 0.5, .sens = "C1 C2 C3"};
    spec.options = options_of(options, sizeof options, SOLVERS[s], s < 4 ? 1e-9 : 1e-10);
    assert_sensitivities(&spec, .step = 1e-4, .tolerance = 1e-5,
                         .options = "rel_tol=1e-13 abs_tol=1e-15");
  }
}

// ---------------------------------------------------------------- algebraic loops and initial equations

static void loops_are_solved_and_differentiated(void **state) {
  (void)state;
  static const char TEXT[] = "model Loops\n  parameter Real p = 0.7;\n  parameter Real q = 1.2;\n  "
                             "Real x(start = 1, fixed = true);\n"
                             "  Real a(start = 0.5);\n  Real b;\n  Real c;\n  Real d;\nequation\n"
                             "  a + p*sinh(b) = x;\n  b - q*tanh(a) = 0.1;\n  3*c + p*d = a;\n  "
                             "q*c - 2*d = b + c*sin(x);\n"
                             "  der(x) = -c - 0.2*d*x;\nend Loops;\n";
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    Spec spec = {.text = TEXT, .stop = 5, .step = 0.5, .sens = "p q x.start"};
    spec.options = options_of(options, sizeof options, SOLVERS[s], 1e-10);
    Run r = simulate_spec_fully(&spec);
    for (int i = 0; i < rows(&r); i++) {
      double x = value_at(&r, "x", i), a = value_at(&r, "a", i), b = value_at(&r, "b", i),
             c = value_at(&r, "c", i);
      double d = value_at(&r, "d", i);
      assert_close(a + 0.7 * sinh(b), x, 1e-12);
      assert_close(b - 1.2 * tanh(a), 0.1, 1e-12);
      assert_close(3 * c + 0.7 * d, a, 1e-12);
      assert_close(1.2 * c - 2 * d, b + c * sin(x), 1e-12);
    }
    run_free(&r);
    assert_sensitivities(&spec, .step = 1e-4, .tolerance = 1e-6,
                         .options = "rel_tol=1e-13 abs_tol=1e-15");
  }
}

// The start is the rest position of a nonlinear spring: x + k x^3 = F, and moves with the parameters.
static void initial_equations_are_solved_and_differentiated(void **state) {
  (void)state;
  static const char TEXT[] =
      "model Rest\n  parameter Real k = 0.5;\n  parameter Real F = 2;\n  Real x(start = 1);\n  "
      "Real v;\n"
      "initial equation\n  der(x) = 0;\n  der(v) = 0;\nequation\n  der(x) = v;\n"
      "  der(v) = F - x - k*x^3 - 0.1*v + sin(time);\nend Rest;\n";
  Spec s = {.text = TEXT,
            .options = "rel_tol=1e-10 abs_tol=1e-12",
            .stop = 5,
            .step = 0.5,
            .sens = "k F"};
  Run r = simulate_spec_fully(&s);
  double x = value_at(&r, "x", 0);
  assert_close(x + 0.5 * x * x * x, 2, 1e-13);
  assert_close(value_at(&r, "v", 0), 0, 1e-15);
  assert_close(value_at(&r, "dx/dF", 0), 1 / (1 + 1.5 * x * x), 1e-13);
  assert_close(value_at(&r, "dx/dk", 0), -x * x * x / (1 + 1.5 * x * x), 1e-13);
  run_free(&r);
  assert_sensitivities(&s, .step = 1e-4, .tolerance = 1e-6,
                       .options = "rel_tol=1e-13 abs_tol=1e-15");
}

static void models_without_states_are_evaluated(void **state) {
  (void)state;
  Spec s = {.text =
                "model Static\n  parameter Real p = 2;\n  Real a;\n  Real b(start = 1);\nequation\n"
                "  a = p*sin(time);\n  b + b^3 = a + 3;\nend Static;\n",
            .stop = 5,
            .step = 0.25,
            .sens = "p"};
  Run r = simulate_spec_fully(&s);
  for (int i = 0; i < rows(&r); i++) {
    double t = value_at(&r, "time", i), b = value_at(&r, "b", i);
    assert_close(value_at(&r, "a", i), 2 * sin(t), 1e-15);
    assert_close(value_at(&r, "da/dp", i), sin(t), 1e-15);
    assert_close(b + b * b * b, 2 * sin(t) + 3, 1e-13);
    assert_close(value_at(&r, "db/dp", i), sin(t) / (1 + 3 * b * b), 1e-13);
  }
  run_free(&r);
}

// ---------------------------------------------------------------- steps

static void max_step_is_the_longest_step(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s rel_tol=1e-3 max_step=0.01", SOLVERS[s]);
    Run r = simulate_fully(.file = "models/pendulum.mo", .options = options, .stop = 5, .step = 5);
    assert_true(r.work.steps >= 500 && r.work.steps < 620);
    run_free(&r);
  }
}

static void the_first_step_may_be_given(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s first_step=1e-9", SOLVERS[s]);
    Run tiny =
        simulate_fully(.file = "models/pendulum.mo", .options = options, .stop = 1, .step = 1);
    snprintf(options, sizeof options, "solver=%s first_step=100", SOLVERS[s]);
    Run huge =
        simulate_fully(.file = "models/pendulum.mo", .options = options, .stop = 1, .step = 1);
    assert_close(last_value(&tiny, "theta"), last_value(&huge, "theta"), 1e-4);
    run_free(&tiny);
    run_free(&huge);
  }
}

static void no_absolute_tolerance_is_allowed(void **state) {
  (void)state;
  Run exact = simulate_fully(.file = "models/pendulum.mo", .options = "rel_tol=1e-12 abs_tol=1e-14",
                             .stop = 10, .step = 1);
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s rel_tol=1e-6 abs_tol=0", SOLVERS[s]);
    Run r = simulate_fully(.file = "models/pendulum.mo", .options = options, .stop = 10, .step = 1,
                           .sens = "p");
    assert_close(largest_difference(&r, &exact, "theta"), 0, 1e-4);
    run_free(&r);
  }
  run_free(&exact);
}

// ---------------------------------------------------------------- output times

static void outputs_do_not_restrict_the_steps(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++)
    for (int sens = 0; sens < 2; sens++) {
      char options[100];
      Spec spec = {.file = "models/vanderpol_duffing.mo",
                   .stop = 20,
                   .step = 2,
                   .sens = sens ? "alpha mu" : NULL};
      spec.options = options_of(options, sizeof options, SOLVERS[s], 1e-7);
      Run few = simulate_spec_fully(&spec);
      spec.step = 0.002;
      Run many = simulate_spec_fully(&spec);
      assert_int_equal(rows(&few), 11);
      assert_int_equal(rows(&many), 10001);
      assert_int_equal(few.work.steps, many.work.steps);
      assert_int_equal(few.work.rejected, many.work.rejected);
      for (int i = 0; i < 11; i++)
        assert_close(value_at(&few, "x1", i), value_at(&many, "x1", 1000 * i), 1e-12);
      run_free(&few);
      run_free(&many);
    }
}

// Dense output is as good as the steps themselves.
static void values_between_steps_are_within_the_tolerance(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    Run r = simulate_fully(.text = EXACT,
                           .options = options_of(options, sizeof options, SOLVERS[s], 1e-8),
                           .stop = 10, .step = 0.001);
    double most = 0;
    for (int i = 0; i < rows(&r); i++)
      most = fmax(most, fabs(value_at(&r, "x", i) - exact_x(value_at(&r, "time", i))));
    assert_true(most < (s < 4 ? 1e-7 : 2e-6));
    run_free(&r);
  }
}

static void a_grid_ends_at_its_stop(void **state) {
  (void)state;
  Run r = simulate_fully(.file = "models/pendulum.mo", .stop = 1, .step = 0.3);
  static const double TIMES[] = {0, 0.3, 0.6, 0.9, 1};
  assert_int_equal(rows(&r), 5);
  for (int i = 0; i < 5; i++) assert_close(value_at(&r, "time", i), TIMES[i], 1e-15);
  run_free(&r);
  r = simulate_fully(.file = "models/pendulum.mo", .stop = 50, .step = 0.1);
  assert_int_equal(rows(&r), 501);
  assert_true(last_value(&r, "time") == 50);
  run_free(&r);
  r = simulate_fully(.file = "models/pendulum.mo", .stop = 50);
  assert_int_equal(rows(&r), 501);
  run_free(&r);
}

static void a_later_start_is_a_shift_in_time(void **state) {
  (void)state;
  static const double TIMES[] = {100.5, 103};
  Run late = simulate_fully(.file = "models/pendulum.mo", .options = "rel_tol=1e-9", .start = 100,
                            .times = TIMES, .count = 2);
  Run early = simulate_fully(.file = "models/pendulum.mo", .options = "rel_tol=1e-9", .stop = 3,
                             .step = 0.5);
  assert_int_equal(rows(&late), 2);
  assert_close(value_at(&late, "theta", 0), value_at(&early, "theta", 1), 1e-7);
  assert_close(value_at(&late, "theta", 1), value_at(&early, "theta", 6), 1e-7);
  run_free(&late);
  run_free(&early);
}

// ---------------------------------------------------------------- inputs

static const char DRIVEN[] =
    "model Driven\n  parameter Real k = 4;\n  input Real u;\n  Real x(start = 1, fixed = true);\n"
    "  Real v(start = 0, fixed = true);\nequation\n  der(x) = v;\n  der(v) = -k*x - 0.3*v + "
    "u;\nend Driven;\n";
// The same with u as a formula.
static void typed_in(char *out, size_t size, const char *formula) {
  snprintf(out, size,
           "model Typed\n  parameter Real k = 4;\n  Real u;\n  Real x(start = 1, fixed = true);\n"
           "  Real v(start = 0, fixed = true);\nequation\n  u = %s;\n  der(x) = v;\n  der(v) = "
           "-k*x - 0.3*v + u;\nend Typed;\n",
           formula);
}

typedef struct Driven {
  const char *interpolation, *formula;
  double times[6], values[6];
  int count;
} Driven;

static const Driven INPUTS[] = {
    {"hold",
     "if time < 1 then 0 elseif time < 2.5 then 3 elseif time < 4 then -1 else 0.5",
     {0, 1, 2.5, 4},
     {0, 3, -1, 0.5},
     4},
    {"linear",
     "if time < 1 then 2*time elseif time < 3 then 2 - (time - 1)*1.5 else -1",
     {0, 1, 3, 5},
     {0, 2, -1, -1},
     4},
    {"spline",
     "time^3/10 - time + 0.5",
     {0, 1, 2, 3.5, 5, 6},
     {0.5, -0.4, -0.7, 1.2875, 8, 16.1},
     6},
};

static void sampled_inputs_are_as_good_as_typed_formulas(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++)
    for (int s = 0; s < SOLVER_COUNT; s++) {
      char text[700], options[200];
      const Driven *d = &INPUTS[k];
      typed_in(text, sizeof text, d->formula);
      Run typed = simulate_fully(.text = text, .options = "rel_tol=1e-11 abs_tol=1e-13", .stop = 5,
                                 .step = 0.25, .sens = "k");
      snprintf(options, sizeof options, "solver=%s rel_tol=1e-9 abs_tol=1e-11 interpolation=%s",
               SOLVERS[s], d->interpolation);
      Run sampled =
          simulate_fully(.text = DRIVEN, .options = options, .stop = 5, .step = 0.25,
                         .select = "x v u", .sens = "k", .input = "u", .input_times = d->times,
                         .input_values = d->values, .input_count = d->count);
      double allowed = s < 4 ? 1e-7 : 1e-6;
      assert_close(largest_difference(&typed, &sampled, "x"), 0, allowed);
      assert_close(largest_difference(&typed, &sampled, "v"), 0, allowed);
      assert_close(largest_difference(&typed, &sampled, "dx/dk"), 0, allowed);
      assert_close(largest_difference(&typed, &sampled, "u"), 0, 1e-12); // at a jump: the new value
      run_free(&typed);
      run_free(&sampled);
    }
}

// x' = u with u of 1000 random steps: nothing is lost at the jumps.
static void jumps_of_inputs_are_stepped_onto(void **state) {
  (void)state;
  enum { N = 1000 };
  double times[N], values[N], exact = 0;
  unsigned seed = 5;
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    times[i] = 0.01 * i;
    values[i] = (double)(seed >> 8) / 8388608.0 - 1;
    exact += 0.01 * values[i];
  }
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[200];
    snprintf(options, sizeof options, "solver=%s interpolation=hold", SOLVERS[s]);
    Run r = simulate_fully(.text = "model I\n  input Real u;\n  Real x(start = 0, fixed = "
                                   "true);\nequation\n  der(x) = u;\nend I;\n",
                           .options = options, .stop = 10, .step = 10, .input = "u",
                           .input_times = times, .input_values = values, .input_count = N);
    assert_close(last_value(&r, "x"), exact, 1e-9);
    run_free(&r);
  }
}

static void errors_with_jumping_inputs_follow_the_tolerance(void **state) {
  (void)state;
  char text[700];
  const Driven *d = &INPUTS[0];
  typed_in(text, sizeof text, d->formula);
  Run exact = simulate_fully(.text = text, .options = "rel_tol=1e-13 abs_tol=1e-15", .stop = 5,
                             .step = 0.1);
  for (double tol = 1e-4; tol > 1e-10; tol /= 100) {
    char options[200];
    snprintf(options, sizeof options, "solver=rk8 rel_tol=%g abs_tol=%g interpolation=hold", tol,
             tol);
    Run r =
        simulate_fully(.text = DRIVEN, .options = options, .stop = 5, .step = 0.1, .input = "u",
                       .input_times = d->times, .input_values = d->values, .input_count = d->count);
    assert_true(largest_difference(&r, &exact, "x") < 30 * tol);
    run_free(&r);
  }
  run_free(&exact);
}

static void inputs_may_make_events(void **state) {
  (void)state;
  static const double TIMES[] = {0, 1, 3}, VALUES[] = {0, 1, -1};
  Run r =
      simulate_fully(.text =
                         "model E\n  input Real u;\n  Real x(start = 0, fixed = true);\nequation\n"
                         "  der(x) = if u > 0.25 then 1 else 0;\nend E;\n",
                     .stop = 3, .step = 3, .input = "u", .input_times = TIMES,
                     .input_values = VALUES, .input_count = 3);
  assert_close(last_value(&r, "x"), 1.75 - 0.25, 1e-9);
  assert_int_equal(r.work.events, 2);
  run_free(&r);
}

static void a_jump_of_an_input_changes_modes(void **state) {
  (void)state;
  static const double TIMES[] = {0, 1, 2}, VALUES[] = {-1, 1, -1};
  Run r = simulate_fully(
          .text =
              "model E\n  input Real u;\n  Real x(start = 0, fixed = true);\n  Real y;\nequation\n"
              "  der(x) = if u > 0 then 1 else -3;\n  y = abs(u);\nend E;\n",
          .options = "interpolation=hold", .stop = 3, .step = 0.25, .input = "u",
          .input_times = TIMES, .input_values = VALUES, .input_count = 3);
  assert_close(last_value(&r, "x"), -3 + 1 - 3, 1e-9);
  for (int i = 0; i < rows(&r); i++) assert_close(value_at(&r, "y", i), 1, 0);
  run_free(&r);
}

static void a_jump_of_an_input_may_pass_many_integers(void **state) {
  (void)state;
  static const double TIMES[] = {0, 1, 2}, VALUES[] = {0.5, 1000.5, -1000.5};
  Run r =
      simulate_fully(.text =
                         "model E\n  input Real u;\n  Real x(start = 0, fixed = true);\nequation\n"
                         "  der(x) = floor(u);\nend E;\n",
                     .options = "interpolation=hold", .stop = 3, .step = 1, .input = "u",
                     .input_times = TIMES, .input_values = VALUES, .input_count = 3);
  assert_close(value_at(&r, "x", 2), 1000, 1e-6);
  assert_close(last_value(&r, "x"), -1, 1e-6);
  run_free(&r);
}

// ---------------------------------------------------------------- nonlinear loops

// An unknown that enters through a relation only has no slope there, but it has a value.
static void a_loop_through_a_relation_is_consistent(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model Loop\n  Real x(start = 0.3, fixed = true);\n  Real a;\n"
                                 "  Real b;\n  Real z(start = -0.7);\nequation\n  der(x) = 0;\n"
                                 "  a = x + noEvent(if b > -0.1 then 10 else 0);\n"
                                 "  z^3 + z + a = 0;\n  b = z;\nend Loop;\n",
                         .stop = 1, .step = 0.5);
  for (int i = 0; i < rows(&r); i++) {
    double b = value_at(&r, "b", i), a = value_at(&r, "a", i);
    assert_close(a, 0.3 + (b > -0.1 ? 10 : 0), 1e-12);
    assert_close(b * b * b + b + a, 0, 1e-12);
  }
  run_free(&r);
}

static void the_motion_follows_the_solution_of_the_start(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    char options[100];
    Run r = simulate_fully(
            .text = "model Branch\n  parameter Real a = 9;\n  Real x;\n  Real z(start = 1);\n"
                    "  Real w(start = 0, fixed = true);\nequation\n  der(x) = -0.1;\n"
                    "  z^2 = x*a/9;\n  der(w) = z;\ninitial equation\n  z = -3;\nend Branch;\n",
            .options = options_of(options, sizeof options, SOLVERS[s], 1e-8), .stop = 1,
            .step = 0.5, .sens = "a");
    assert_close(value_at(&r, "z", 0), -3, 1e-12);
    assert_close(last_value(&r, "z"), -sqrt(8.9), 1e-7);
    assert_true(last_value(&r, "w") < -2.9);
    run_free(&r);
  }
}

static void a_solution_near_zero_is_found_to_rounding(void **state) {
  (void)state;
  Run r = simulate_fully(.text = "model Small\n  Real x(start = 1, fixed = true);\n"
                                 "  Real z(start = 0);\nequation\n  der(x) = 1e-3*z;\n"
                                 "  1000.1*exp(z) + 0.3*z = 1000.1*x*(1 + 1e-10);\nend Small;\n",
                         .stop = 1, .step = 0.01);
  for (int i = 0; i < rows(&r); i++) assert_close(value_at(&r, "z", i), 1e-10, 1e-12);
  run_free(&r);
}

static void a_branch_that_is_not_taken_is_not_blamed(void **state) {
  (void)state;
  Run r = simulate(.text = "model Blame\n  Real h(start = -1, fixed = true);\n"
                           "  Real y(start = 1, fixed = true);\nequation\n"
                           "  der(h) = if h > 0 then sqrt(h) else 0;\n  der(y) = -1/sqrt(y);\n"
                           "end Blame;\n",
                   .stop = 2, .step = 1);
  assert_non_null(strstr(entrain_result_message(r.result), "sqrt(y)"));
  assert_null(strstr(entrain_result_message(r.result), "sqrt(h)"));
  run_free(&r);
}

// ---------------------------------------------------------------- values that are set

static void a_value_that_is_refused_leaves_the_model_as_it_was(void **state) {
  (void)state;
  static const char TEXT[] = "model Set\n  parameter Real p = 2;\n  parameter Real q = 1/p;\n"
                             "  parameter Real r = 1;\n  input Real u = 2*r;\n"
                             "  Real x(start = 1, fixed = true);\n"
                             "equation\n  der(x) = -q*x + u;\nend Set;\n";
  EntrainError error = {.size = sizeof error};
  EntrainModel *m = entrain_model_parse("set", TEXT, strlen(TEXT), &error);
  EntrainOptions *o = entrain_options_new();
  EntrainSimulation *s = entrain_simulation_new(m, o, &error);
  assert_true(entrain_simulation_grid(s, 0, 1, 1, &error));
  for (int r = 1; r <= 3; r += 2) { // the default of u follows r
    assert_false(entrain_model_set(m, "p", "0", &error));
    assert_true(entrain_model_set(m, "r", r == 1 ? "1" : "3", &error));
    EntrainResult *result = entrain_simulation_run(s, &error);
    double decay = exp(-0.5), x = decay + 4 * r * (1 - decay);
    assert_close(entrain_result_column(result, 1)[1], x, 1e-5);
    entrain_result_free(result);
  }
  entrain_simulation_free(s);
  entrain_model_free(m);
  entrain_options_free(o);
}

static void a_parameter_is_named_once(void **state) {
  (void)state;
  EntrainError error = {.size = sizeof error};
  EntrainModel *m = entrain_model_parse("exact", EXACT, strlen(EXACT), &error);
  EntrainOptions *o = entrain_options_new();
  EntrainSimulation *s = entrain_simulation_new(m, o, &error);
  const char *const names[] = {"x.start", "x.start"};
  assert_false(entrain_simulation_sensitivities(s, names, 2, &error));
  assert_non_null(strstr(error.text, "x.start is named twice"));
  entrain_simulation_free(s);
  entrain_model_free(m);
  entrain_options_free(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_proportional_to_the_tolerance),
      cmocka_unit_test(errors_fall_with_the_order_of_the_method),
      cmocka_unit_test(all_solvers_agree),
      cmocka_unit_test(energy_of_the_double_pendulum_is_kept),
      cmocka_unit_test(machine_code_and_interpreter_simulate_bit_for_bit_the_same),
      cmocka_unit_test(the_environment_switches_machine_code_off),
      cmocka_unit_test(running_again_gives_the_same),
      cmocka_unit_test(repeated_runs_take_no_more_memory),
      cmocka_unit_test(threads_may_share_a_model),
      cmocka_unit_test(sensitivities_do_not_change_the_solution),
      cmocka_unit_test(second_derivatives_are_differences_of_first_ones),
      cmocka_unit_test(parameters_that_do_not_enter_cost_nothing),
      cmocka_unit_test(dependent_parameters_follow_the_chain_rule),
      cmocka_unit_test(a_dependent_parameter_has_no_sensitivity_of_its_own),
      cmocka_unit_test(start_values_have_sensitivities),
      cmocka_unit_test(every_solver_has_the_same_sensitivities),
      cmocka_unit_test(loops_are_solved_and_differentiated),
      cmocka_unit_test(initial_equations_are_solved_and_differentiated),
      cmocka_unit_test(models_without_states_are_evaluated),
      cmocka_unit_test(max_step_is_the_longest_step),
      cmocka_unit_test(the_first_step_may_be_given),
      cmocka_unit_test(no_absolute_tolerance_is_allowed),
      cmocka_unit_test(outputs_do_not_restrict_the_steps),
      cmocka_unit_test(values_between_steps_are_within_the_tolerance),
      cmocka_unit_test(a_grid_ends_at_its_stop),
      cmocka_unit_test(a_later_start_is_a_shift_in_time),
      cmocka_unit_test(sampled_inputs_are_as_good_as_typed_formulas),
      cmocka_unit_test(jumps_of_inputs_are_stepped_onto),
      cmocka_unit_test(errors_with_jumping_inputs_follow_the_tolerance),
      cmocka_unit_test(inputs_may_make_events),
      cmocka_unit_test(a_jump_of_an_input_changes_modes),
      cmocka_unit_test(a_jump_of_an_input_may_pass_many_integers),
      cmocka_unit_test(a_loop_through_a_relation_is_consistent),
      cmocka_unit_test(the_motion_follows_the_solution_of_the_start),
      cmocka_unit_test(a_solution_near_zero_is_found_to_rounding),
      cmocka_unit_test(a_value_that_is_refused_leaves_the_model_as_it_was),
      cmocka_unit_test(a_branch_that_is_not_taken_is_not_blamed),
      cmocka_unit_test(a_parameter_is_named_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
