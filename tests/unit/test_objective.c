#include "residual/objective.h"

#include "made_problem.h"

static const char MODEL[] = "model Duffing\n"
                            "  parameter Real a(min = 0, max = 5) = 0.5;\n"
                            "  parameter Real b(min = 0, max = 5) = 0.5;\n"
                            "  input Real force = 0;\n"
                            "  Real x(start = 1, fixed = true);\n"
                            "  Real v(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(x) = v;\n"
                            "  der(v) = -0.1*v - a*x - b*x^3 + force;\n"
                            "end Duffing;\n";

typedef struct Fixture {
  Made made;
  Problem *problem;
  Objective *objective;
  Arena *arena;
  LsqPoint *at;
} Fixture;

static void open_problem(Fixture *f, const char *yaml) {
  made_open(&f->made);
  made_file(&f->made, "duffing.mo", MODEL);
  made_waves(&f->made, "one.csv", 0, 101);
  made_waves(&f->made, "two.csv", 0.4, 81);
  f->problem = made_load(&f->made, yaml);
  f->objective = objective_new(f->problem);
  f->arena = arena_new();
  f->at = lsq_point_new(f->arena, f->problem->unknown_count);
  for (int i = 0; i < f->problem->unknown_count; i++) f->at->x[i] = f->problem->unknowns[i].start;
}

static void close_problem(Fixture *f) {
  objective_free(f->objective);
  arena_free(f->arena);
  made_close(&f->made);
}

static double value_at(Fixture *f, int i, double change) {
  double before = f->at->x[i];
  f->at->x[i] += change;
  assert_int_equal(objective_eval(f->objective, f->at, HUGE_VAL, false), LSQ_DONE);
  f->at->x[i] = before;
  return f->at->objective;
}

// Half the sum of the squares of all rows is the objective, and J'r its gradient.
static void check_rows(Fixture *f, double objective, const double *gradient, double size) {
  int n = f->problem->unknown_count, rows = objective_vector_rows(f->objective);
  double *r = ARENA_ARRAY(f->arena, double, rows), *J = ARENA_ARRAY(f->arena, double, rows *n);
  assert_int_equal(objective_vector(f->objective, f->at->x, r, J), LSQ_DONE);
  double sum = 0;
  for (int k = 0; k < rows; k++) sum += r[k] * r[k] / 2;
  assert_close_relative(sum, objective, 1e-10);
  for (int i = 0; i < n; i++) {
    double slope = 0;
    for (int k = 0; k < rows; k++) slope += J[i * rows + k] * r[k];
    assert_close(slope, gradient[i], 1e-9 * size);
  }
}

// R'z is the gradient of the objective, whatever the problem asks for.
static void check_gradient(Fixture *f, double step, double tol) {
  int n = f->problem->unknown_count;
  assert_int_equal(objective_eval(f->objective, f->at, HUGE_VAL, true), LSQ_DONE);
  double gradient[16] = {0}, size = 0, objective = f->at->objective;
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) gradient[j] += f->at->R[i * n + j] * f->at->Qr[i];
  for (int j = 0; j < n; j++) size = fmax(size, fabs(gradient[j]));
  assert_true(size > 0);
  check_rows(f, objective, gradient, size);
  for (int j = 0; j < n; j++) {
    double h = step * fmax(0.1, fabs(f->at->x[j]));
    double slope = (value_at(f, j, h) - value_at(f, j, -h)) / (2 * h);
    assert_close(gradient[j], slope, tol * size + tol * fabs(slope));
  }
  assert_close(value_at(f, 0, 0), objective, 1e-6 * objective);
}

static const char *const PROBLEMS[] = {
    "model: duffing.mo\n"
    "experiments:\n"
    "  - {data: one.csv, measure: {x: x, v: v}, inputs: {force: F}}\n"
    "estimate: {a: 0.8, b: 0.3}\n",
    "model: duffing.mo\n"
    "criterion: integral\n"
    "experiments:\n"
    "  - {data: one.csv, measure: {x: x}, inputs: {force: F}}\n"
    "  - {data: two.csv, measure: {v: v}, inputs: {force: F}, window: [1, 7]}\n"
    "estimate: {a: {start: 0.8, per_experiment: true}, b: 0.3, x.start: 0.9}\n",
    "model: duffing.mo\n"
    "experiments:\n"
    "  - data: one.csv\n"
    "    inputs: {force: F}\n"
    "    measure:\n"
    "      x: {column: x, sigma: 0.1, weight: 2}\n"
    "      'a*x + v^2': {column: v, sigma: 5%}\n"
    "estimate: {a: {start: 0.8, prior: {mean: 1, sd: 0.05}}, b: {start: 0.3, scale: log, min: "
    "0.1}}\n",
    "model: duffing.mo\n"
    "experiments:\n"
    "  - data: one.csv\n"
    "    inputs: {force: F}\n"
    "    measure:\n"
    "      x: {column: x, gain: {start: 1.1, min: 0.5, max: 2}, offset: {start: 0.1, min: -1, max: "
    "1}}\n"
    "      v: {column: v, delay: {start: 0.13, min: 0, max: 1}}\n"
    "estimate: {a: 0.8, b: 0.3}\n",
    "model: duffing.mo\n"
    "loss: huber\n"
    "experiments:\n"
    "  - {data: one.csv, measure: {x: {column: x, sigma: 0.2}}, inputs: {force: F}}\n"
    "estimate: {a: 0.8, b: 0.3}\n",
    // As many samples of v from before the start, in one row, as rows of x between those after it.
    "model: duffing.mo\n"
    "experiments:\n"
    "  - data: one.csv\n"
    "    window: [0, 6]\n"
    "    inputs: {force: F}\n"
    "    measure: {x: x, v: {column: v, delay: 2.737}}\n"
    "estimate: {a: 0.8, b: 0.3}\n",
    // What is measured follows the input at once.
    "model: duffing.mo\n"
    "experiments:\n"
    "  - data: one.csv\n"
    "    inputs: {force: F}\n"
    "    measure: {force - a*x: {column: v, delay: {start: 0.57, min: 0, max: 1}}}\n"
    "estimate: {a: 0.8, b: 0.3}\n",
};

static void gradient_is_exact(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof PROBLEMS / sizeof *PROBLEMS; k++) {
    Fixture f;
    open_problem(&f, PROBLEMS[k]);
    check_gradient(&f, 1e-4, 2e-5);
    close_problem(&f);
  }
}

static void tie(Fixture *f, CoupleIntegral integral) {
  static CoupleTerm terms[32];
  double gain[32];
  int count = 0;
  for (int k = 0; k < f->problem->measured_count; k++)
    count += couple_default_terms(f->problem->model, f->arena, f->problem->measured, k, true,
                                  terms + count);
  for (int k = 0; k < count; k++) gain[k] = 3;
  Coupling c = {f->problem->measured, f->problem->measured_count, terms, count, integral};
  objective_tie(f->objective, &c, gain, 0.5);
}

static void gradient_of_the_tied_model_is_exact(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    Fixture f;
    open_problem(&f, PROBLEMS[k]);
    double free_objective = value_at(&f, 0, 0);
    tie(&f, k % 2 ? COUPLE_SQUARE : COUPLE_ERROR);
    objective_set_lambda(f.objective, 0.7);
    check_gradient(&f, 1e-2, 1e-3);
    assert_true(value_at(&f, 0, 0) < free_objective);
    objective_set_lambda(f.objective, 0);
    assert_close(value_at(&f, 0, 0), free_objective, 0);
    close_problem(&f);
  }
}

static void gradient_over_a_part_is_exact(void **state) {
  (void)state;
  Fixture f;
  open_problem(&f, PROBLEMS[1]);
  double whole = value_at(&f, 0, 0);
  objective_set_horizon(f.objective, 0.4);
  check_gradient(&f, 1e-4, 2e-5);
  assert_true(value_at(&f, 0, 0) < whole);
  close_problem(&f);
}

static void bad_points_are_abandoned(void **state) {
  (void)state;
  Fixture f;
  open_problem(&f, PROBLEMS[0]);
  double objective = value_at(&f, 0, 0);
  long rhs = objective_work(f.objective)->rhs;
  assert_int_equal(objective_eval(f.objective, f.at, objective / 10, false), LSQ_ABANDONED);
  long partial = objective_work(f.objective)->rhs - rhs;
  assert_true(partial < 0.7 * rhs);
  assert_int_equal(objective_eval(f.objective, f.at, objective * (1 + 1e-9), false), LSQ_DONE);
  assert_close(f.at->objective, objective, 0);
  close_problem(&f);
}

typedef struct Seen {
  int rows, n;
  double half_squares;
} Seen;

static void see(void *data, const ResidualBlock *b) {
  Seen *s = data;
  for (int j = 0; j < b->rows; j++) s->half_squares += b->column[s->n][j] * b->column[s->n][j] / 2;
  s->rows += b->rows;
}

static void rows_sum_up_to_the_objective(void **state) {
  (void)state;
  Fixture f;
  open_problem(&f, PROBLEMS[1]);
  Seen seen = {.n = f.problem->unknown_count};
  assert_true(objective_rows(f.objective, f.at->x, see, &seen, NULL));
  int samples = 0;
  for (int e = 0; e < f.problem->experiment_count; e++)
    for (int c = 0; c < f.problem->experiments[e].channel_count; c++)
      samples += f.problem->experiments[e].channels[c].count;
  assert_int_equal(seen.rows, samples);
  objective_eval(f.objective, f.at, HUGE_VAL, true);
  assert_close_relative(seen.half_squares, f.at->objective, 1e-9);
  close_problem(&f);
}

static void failed_simulations_say_why(void **state) {
  (void)state;
  Fixture f;
  open_problem(&f, "model: duffing.mo\n"
                   "experiments: [{data: one.csv, measure: {x: x}, inputs: {force: F}}]\n"
                   "estimate: {b: {start: -5, min: -9, max: 1}}\n");
  assert_int_equal(objective_eval(f.objective, f.at, HUGE_VAL, true), LSQ_FAILED);
  assert_true(f.at->objective == HUGE_VAL);
  assert_true(strlen(objective_why(f.objective)) > 20);
  close_problem(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradient_is_exact),
      cmocka_unit_test(gradient_of_the_tied_model_is_exact),
      cmocka_unit_test(gradient_over_a_part_is_exact),
      cmocka_unit_test(bad_points_are_abandoned),
      cmocka_unit_test(rows_sum_up_to_the_objective),
      cmocka_unit_test(failed_simulations_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
