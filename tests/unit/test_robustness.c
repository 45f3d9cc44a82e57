// Whatever the parameters: a simulation ends, says how, and never gives a number that is not finite.
#include <dirent.h>

#include "instance/flat_model.h"
#include "lang/parse.h"
#include "model/model_build.h"
#include "random_expression.h"
#include "simulate/simulate.h"
#include "simulation.h"

// ---------------------------------------------------------------- random points in the bounds of a model

typedef struct Many { // one model, simulated at many points without building it again
  Arena *arena;
  Model *model;
  System *system;
  SimulateWork *work;
  double *p;
} Many;

static Many many_new(const char *file, int sensitivities) {
  Many m = {.arena = arena_new()};
  Err err = {0};
  Source *source = source_load(m.arena, file, &err);
  const AstModel *ast = source ? parse_model(m.arena, source, &err) : NULL;
  m.model = ast ? model_new(source, ast, NULL, 0, &err) : NULL;
  if (!m.model) fail_msg("%s", err.text);
  SimulateOptions options;
  simulate_options_init(&options);
  options.max_steps = 20000;
  Expr *outputs = ARENA_ARRAY(m.arena, Expr, m.model->flat->variables.count);
  int *parameters = ARENA_ARRAY(m.arena, int, m.model->np), count = 0;
  SystemSpec spec = {.outputs = outputs, .parameters = parameters, .lanes = 1, .code = CODE_AUTO};
  for (int i = 0; i < m.model->flat->variables.count; i++)
    if (m.model->flat->variables.at[i].kind == VARIABLE_UNKNOWN)
      outputs[spec.output_count++] = m.model->value[i];
  for (int k = 0; k < m.model->np && count < sensitivities; k++)
    if (isfinite(m.model->flat->variables.at[m.model->flat->parameters.at[k].variable].max))
      parameters[count++] = k;
  spec.parameter_count = count;
  simulate_needs(&options, m.model->nx, &spec);
  m.system = system_new(m.model, &spec);
  m.work = simulate_work_new(m.system, &options);
  m.p = ARENA_ARRAY(m.arena, double, m.model->np);
  return m;
}

static void many_free(Many *m) {
  simulate_work_free(m->work);
  system_free(m->system);
  model_free(m->model);
  arena_free(m->arena);
}

static void random_point(Many *m, Rng *r, bool logarithmic) {
  const Flat *f = m->model->flat;
  for (int k = 0; k < m->model->np; k++) {
    const Variable *v = &f->variables.at[f->parameters.at[k].variable];
    m->p[k] = f->parameters.at[k].value;
    if (f->parameters.at[k].is_start || !isfinite(v->min) || !isfinite(v->max)) continue;
    m->p[k] = logarithmic && v->min > 0 ? exp(rng_between(r, log(v->min), log(v->max)))
                                        : rng_between(r, v->min, v->max);
  }
}

static void survive_random_points(const char *file, int points, int sensitivities, double stop,
                                  int *ends) {
  enum { ROWS = 5 };
  Rng r = {61};
  Many m = many_new(file, sensitivities);
  double times[ROWS], values[ROWS * 64], sens[ROWS * 64 * 16];
  for (int i = 0; i < ROWS; i++) times[i] = stop * i / (ROWS - 1);
  for (int k = 0; k < points; k++) {
    random_point(&m, &r, k % 2);
    SimulateRequest request = {.p = m.p, .times = times, .count = ROWS};
    Trajectory out = {.values = values, .sens = m.system->np ? sens : NULL};
    simulate_run(m.work, &request, &out);
    assert_true(out.outcome >= 0 && out.outcome < OUTCOME_COUNT);
    assert_true(out.outcome == OUTCOME_REACHED_END ? out.rows == ROWS : strlen(out.message) > 10);
    assert_true(out.work.steps + out.work.rejected <= 20001);
    for (int i = 0; i < out.rows * m.system->ny; i++) assert_true(isfinite(values[i]));
    for (int i = 0; i < out.rows * m.system->ny * m.system->np; i++) assert_true(isfinite(sens[i]));
    ends[out.outcome]++;
  }
  many_free(&m);
}

static void random_points_end_with(const char *file, double stop) {
  int ends[OUTCOME_COUNT] = {0};
  survive_random_points(file, 10000, 0, stop, ends);
  survive_random_points(file, 500, 16, stop, ends);
  for (int i = 0; i < OUTCOME_COUNT; i++)
    if (ends[i]) print_message("%s: %s %d\n", file, outcome_word((Outcome)i), ends[i]);
  assert_true(ends[OUTCOME_REACHED_END] > 10000); // nearly all of them are fine
}

static void random_points_of_the_published_mount_are_survived(void **state) {
  (void)state;
  random_points_end_with("models/mount_published.mo", 0.1);
}

static void random_points_of_the_consistent_mount_are_survived(void **state) {
  (void)state;
  random_points_end_with("models/mount_consistent.mo", 0.005);
}

static void random_points_of_the_damper_are_survived(void **state) {
  (void)state;
  random_points_end_with("models/mr_damper.mo", 0.12);
}

// ---------------------------------------------------------------- extreme values

static bool is_model(const char *name) {
  size_t n = strlen(name);
  return n > 3 && strcmp(name + n - 3, ".mo") == 0;
}

static void try_values(const char *file, const char *parameter) {
  static const char *const VALUES[] = {"0", "1e300", "-1e300", "1e-300", "-1", "1e10", "-1e-10"};
  for (int k = 0; k < 7; k++) {
    char set[200];
    snprintf(set, sizeof set, "%s=%s", parameter, VALUES[k]);
    Spec s = {.file = file,
              .set = set,
              .options = "max_steps=1000 max_events=200",
              .stop = 1,
              .step = 0.25,
              .sens = parameter};
    Run r = simulate_try(&s);
    if (r.result) {
      assert_all_finite(&r, __FILE__, __LINE__);
      if (outcome(&r) != ENTRAIN_REACHED_END)
        assert_true(strlen(entrain_result_message(r.result)) > 10);
    } else {
      assert_true(r.error.code != 0 && strlen(r.error.text) > 10);
      if (r.error.exit_status != 2) print_error("%s %s: %s\n", file, set, r.error.text);
      assert_int_equal(r.error.exit_status, 2);
    }
    run_free(&r);
  }
}

static void extreme_parameters_are_survived(void **state) {
  (void)state;
  DIR *models = opendir("models");
  assert_non_null(models);
  for (struct dirent *entry; (entry = readdir(models));) {
    char file[300];
    if (!is_model(entry->d_name)) continue;
    snprintf(file, sizeof file, "models/%s", entry->d_name);
    EntrainModel *m = entrain_model_load(file, NULL);
    assert_non_null(m);
    int count = entrain_model_count(m, ENTRAIN_PARAMETER);
    for (int i = 0; i < count && i < 8; i++) {
      EntrainVariable v = {.size = sizeof v};
      entrain_model_variable(m, ENTRAIN_PARAMETER, i, &v);
      try_values(file, v.name);
    }
    entrain_model_free(m);
  }
  closedir(models);
}

// ---------------------------------------------------------------- what cannot be computed

typedef struct Failure {
  const char *name, *text, *set;
  EntrainOutcome outcome;
  const char *says[4]; // all of these stand in the message
} Failure;

static const Failure FAILURES[] = {
    {"square root of a negative number",
     "model A\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n  der(x) = -1;\n  y = "
     "sqrt(x - 0.5);\nend A;\n",
     NULL,
     ENTRAIN_NOT_COMPUTABLE,
     {"sqrt", "line 6", "0.5"}},
    {"square root in the right-hand side",
     "model A\n  Real x(start = 1, fixed = true);\nequation\n\n  der(x) = -1 - sqrt(x);\nend A;\n",
     NULL,
     ENTRAIN_NOT_COMPUTABLE,
     {"sqrt(x)", "line 5"}},
    {"division by a parameter that is zero",
     "model A\n  parameter Real m = 1;\n  Real x(start = 1, fixed = true);\n  Real v(start = 0, "
     "fixed = true);\nequation\n"
     "  der(x) = v;\n  m*der(v) = -x;\nend A;\n",
     "m=0",
     ENTRAIN_NOT_COMPUTABLE,
     {"1/m", "m = 0"}},
    {"division by a variable that is zero",
     "model A\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n  der(x) = -1;\n  y = "
     "1/(time - 0.5);\nend A;\n",
     NULL,
     ENTRAIN_NOT_COMPUTABLE,
     {"1/(", "line 6"}},
    {"logarithm of zero at the start",
     "model A\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = log(x);\nend A;\n",
     NULL,
     ENTRAIN_NOT_COMPUTABLE,
     {"log(x)", "line 4"}},
    {"Newton's method without a solution",
     "model A\n  Real x(start = 1, fixed = true);\n  Real y(start = 1);\nequation\n  der(x) = "
     "-1;\n  y^2 + y^4 = x - 0.5;\nend A;\n",
     NULL,
     ENTRAIN_NOT_COMPUTABLE,
     {"Newton", "y", "line 6"}},
    {"a singular linear system",
     "model A\n  parameter Real p = 2;\n  Real x(start = 1, fixed = true);\n  Real a;\n  Real "
     "b;\nequation\n"
     "  der(x) = a;\n  a + b = x;\n  p*a + sin(p)*b = 1;\n  end A;\n",
     "p=0",
     ENTRAIN_NOT_COMPUTABLE,
     {"line"}},
    {"two equations that say the same",
     "model A\n  parameter Real p = 2;\n  Real x(start = 1, fixed = true);\n  Real a;\n  Real "
     "b;\nequation\n"
     "  der(x) = a;\n  cos(x)*a + sin(x)*b = 1;\n  p*cos(x)*a + p*sin(x)*b = 1;\nend A;\n",
     NULL,
     ENTRAIN_NOT_COMPUTABLE,
     {"2 linear equations", "singular", "line"}},
    {"initial equations without a solution",
     "model A\n  parameter Real p = 1;\n  Real x(start = 1);\ninitial equation\n  x^2 + x^4 = "
     "p;\nequation\n  der(x) = -x;\nend A;\n",
     "p=-1",
     ENTRAIN_NO_START,
     {"Newton", "x"}},
    {"overflow",
     "model A\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = exp(x^3);\nend A;\n",
     NULL,
     ENTRAIN_STEP_TOO_SMALL,
     {"x"}},
};
enum { FAILURE_COUNT = sizeof FAILURES / sizeof *FAILURES };

static const char *const SOLVERS[] = {"auto", "rk5", "rk8", "rosenbrock", "bdf", "adams"};

static bool is_named(const Failure *f, const char *solver) {
  char options[100];
  snprintf(options, sizeof options, "solver=%s max_steps=20000", solver);
  Run r = simulate(.text = f->text, .set = f->set, .options = options, .stop = 2, .step = 0.01);
  const char *message = entrain_result_message(r.result);
  bool fine = outcome(&r) == f->outcome ||
              (outcome(&r) == ENTRAIN_NOT_COMPUTABLE && f->outcome == ENTRAIN_STEP_TOO_SMALL);
  for (int i = 0; i < 4 && f->says[i]; i++) fine &= strstr(message, f->says[i]) != NULL;
  if (!fine)
    print_error("%s with %s: %s: %s\n", f->name, solver, entrain_result_outcome_name(r.result),
                message);
  run_free(&r);
  return fine;
}

static void what_cannot_be_computed_is_named(void **state) {
  (void)state;
  bool fine = true;
  for (int k = 0; k < FAILURE_COUNT; k++)
    for (int s = 0; s < 6; s++) fine &= is_named(&FAILURES[k], SOLVERS[s]);
  assert_true(fine);
}

static void start_values_that_are_not_finite_are_an_error(void **state) {
  (void)state;
  Spec s = {.text = "model A\n  parameter Real p = 1;\n  Real x(start = sqrt(p), fixed = "
                    "true);\nequation\n  der(x) = -x;\nend A;\n",
            .set = "p=-1",
            .stop = 1};
  Run r = simulate_try(&s);
  assert_null(r.result);
  assert_int_equal(r.error.line, 3);
  assert_non_null(strstr(r.error.text, "start value of x"));
  run_free(&r);
}

static void solutions_that_blow_up_end_there(void **state) {
  (void)state;
  for (int s = 0; s < 6; s++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s rel_tol=1e-8", SOLVERS[s]);
    Run r = simulate(.text = "model Blow\n  Real y(start = 1, fixed = true);\nequation\n  der(y) = "
                             "y^2;\nend Blow;\n",
                     .options = options, .stop = 2, .step = 0.15);
    assert_true(outcome(&r) == ENTRAIN_STEP_TOO_SMALL || outcome(&r) == ENTRAIN_NOT_COMPUTABLE);
    assert_non_null(strstr(entrain_result_message(r.result), "y"));
    assert_non_null(strstr(entrain_result_message(r.result), s < 4 ? "t = 1" : "t = "));
    assert_int_equal(rows(&r), 7); // until t = 0.9
    for (int i = 0; i < 7; i++)
      assert_close_relative(value_at(&r, "y", i), 1 / (1 - 0.15 * i), 1e-5);
    run_free(&r);
  }
}

static void max_steps_ends_the_simulation(void **state) {
  (void)state;
  for (int s = 0; s < 6; s++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s max_steps=50", SOLVERS[s]);
    Run r = simulate(.file = "models/lorenz.mo", .options = options, .stop = 1000, .step = 0.1);
    assert_int_equal(outcome(&r), ENTRAIN_TOO_MANY_STEPS);
    assert_non_null(strstr(entrain_result_message(r.result), "max_steps"));
    assert_true(r.work.steps + r.work.rejected <= 51);
    assert_true(rows(&r) >= 2); // what was reached is there
    run_free(&r);
  }
}

// ---------------------------------------------------------------- small and large

static void a_simulation_of_no_time_gives_the_start(void **state) {
  (void)state;
  for (int s = 0; s < 6; s++) {
    char options[100];
    snprintf(options, sizeof options, "solver=%s", SOLVERS[s]);
    Run r = simulate_fully(.file = "models/pendulum.mo", .options = options, .start = 3, .stop = 3,
                           .sens = "p theta.start");
    assert_int_equal(rows(&r), 1);
    assert_close(value_at(&r, "theta", 0), 0.5235987755982988, 0);
    assert_close(value_at(&r, "dtheta/dtheta.start", 0), 1, 0);
    assert_close(value_at(&r, "dtheta/dp", 0), 0, 0);
    run_free(&r);
    static const double ONE[] = {3.5};
    r = simulate_fully(.file = "models/pendulum.mo", .options = options, .start = 3, .times = ONE,
                       .count = 1);
    assert_int_equal(rows(&r), 1);
    assert_close(value_at(&r, "time", 0), 3.5, 0);
    run_free(&r);
  }
}

static void time_scales_do_not_matter(void **state) {
  (void)state;
  static const char *const RATES[] = {"1e-15", "1e-9", "1", "1e9", "1e15"};
  for (int k = 0; k < 5; k++)
    for (int s = 0; s < 6; s++) {
      char options[100], set[60];
      double rate = strtod(RATES[k], NULL), stop = 3 / rate;
      snprintf(options, sizeof options, "solver=%s rel_tol=1e-7 abs_tol=1e-10", SOLVERS[s]);
      snprintf(set, sizeof set, "r=%s", RATES[k]);
      Run r = simulate_fully(
              .text = "model Scale\n  parameter Real r = 1;\n  Real x(start = 1, fixed = true);\n"
                      "  Real y(start = 0, fixed = true);\nequation\n"
                      "  der(x) = -r*y - 0.1*r*x;\n  der(y) = r*x;\nend Scale;\n",
              .set = set, .options = options, .stop = stop, .step = stop / 4, .sens = "r");
      double w = sqrt(1 - 0.0025), t = 3;
      double x = exp(-0.05 * t) * (cos(w * t) - 0.05 / w * sin(w * t));
      assert_close(last_value(&r, "x"), x, 1e-5);
      assert_true(r.work.steps < 1000);
      run_free(&r);
    }
}

static char *many_outputs(int n) {
  char *text = malloc((size_t)n * 60 + 400), *at = text;
  at += sprintf(at, "model Wide\n  Real x(start = 1, fixed = true);\n");
  for (int i = 0; i < n; i++) at += sprintf(at, "  output Real y%d;\n", i);
  at += sprintf(at, "equation\n  der(x) = -x;\n");
  for (int i = 0; i < n; i++) at += sprintf(at, "  y%d = %d*x;\n", i, i);
  sprintf(at, "end Wide;\n");
  return text;
}

static void a_thousand_outputs_are_fine(void **state) {
  (void)state;
  char *text = many_outputs(1000);
  Run r = simulate_fully(.text = text, .options = "rel_tol=1e-9", .stop = 1, .step = 0.1,
                         .sens = "x.start");
  assert_int_equal(entrain_result_columns(r.result), 1 + 1001 * 2);
  assert_close(last_value(&r, "y999"), 999 * exp(-1), 1e-5);
  assert_close(last_value(&r, "dy999/dx.start"), 999 * exp(-1), 1e-5);
  run_free(&r);
  free(text);
}

// A chain of n decaying states: sparse and large, so that the automatic choice leaves its own method.
static char *chain(int n) {
  char *text = malloc((size_t)n * 120 + 400), *at = text;
  at += sprintf(at, "model Chain\n  parameter Real k = 1000;\n");
  for (int i = 0; i < n; i++)
    at += sprintf(at, "  Real x%d(start = %d, fixed = true);\n", i, i == 0);
  at += sprintf(at, "equation\n  der(x0) = -k*(x0 - x1);\n");
  for (int i = 1; i < n - 1; i++)
    at += sprintf(at, "  der(x%d) = k*(x%d - 2*x%d + x%d);\n", i, i - 1, i, i + 1);
  at += sprintf(at, "  der(x%d) = k*(x%d - x%d);\nend Chain;\n", n - 1, n - 2, n - 1);
  return text;
}

static void large_stiff_models_are_handed_to_sparse_methods(void **state) {
  (void)state;
  char *text = chain(200);
  Run r = simulate_fully(.text = text, .options = "rel_tol=1e-7 abs_tol=1e-10", .stop = 5,
                         .step = 1, .sens = "k");
  Run other = simulate_fully(.text = text, .options = "solver=rk8 rel_tol=1e-9 abs_tol=1e-12",
                             .stop = 5, .step = 1, .sens = "k");
  assert_close(last_value(&r, "x0"), last_value(&other, "x0"), 1e-6);
  assert_close(last_value(&r, "dx0/dk"), last_value(&other, "dx0/dk"), 1e-8);
  double sum = 0;
  for (int i = 0; i < 200; i++) {
    char name[20];
    snprintf(name, sizeof name, "x%d", i);
    sum += last_value(&r, name);
  }
  assert_close(sum, 1, 1e-6); // nothing gets lost
  run_free(&r);
  run_free(&other);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_points_of_the_published_mount_are_survived),
      cmocka_unit_test(random_points_of_the_consistent_mount_are_survived),
      cmocka_unit_test(random_points_of_the_damper_are_survived),
      cmocka_unit_test(extreme_parameters_are_survived),
      cmocka_unit_test(what_cannot_be_computed_is_named),
      cmocka_unit_test(start_values_that_are_not_finite_are_an_error),
      cmocka_unit_test(solutions_that_blow_up_end_there),
      cmocka_unit_test(max_steps_ends_the_simulation),
      cmocka_unit_test(a_simulation_of_no_time_gives_the_start),
      cmocka_unit_test(time_scales_do_not_matter),
      cmocka_unit_test(a_thousand_outputs_are_fine),
      cmocka_unit_test(large_stiff_models_are_handed_to_sparse_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
