#include "residual/evaluate.h"

#include <pthread.h>

#include "evaluation.h"
#include "hand_problem.h"
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
  Evaluation *evaluation;
  Arena *arena;
  LsqPoint *at;
} Fixture;

static void open_problem(Fixture *f, const char *yaml) {
  made_open(&f->made);
  made_file(&f->made, "duffing.mo", MODEL);
  made_waves(&f->made, "one.csv", 0, 101);
  made_waves(&f->made, "two.csv", 0.4, 81);
  f->problem = made_load(&f->made, yaml);
  f->evaluation = evaluation_new(f->problem);
  f->arena = arena_new();
  f->at = lsq_point_new(f->arena, f->problem->unknown_count);
  for (int i = 0; i < f->problem->unknown_count; i++) f->at->x[i] = f->problem->unknowns[i].start;
}

static void close_problem(Fixture *f) {
  evaluation_free(f->evaluation);
  arena_free(f->arena);
  made_close(&f->made);
}

static double value_at(Fixture *f, int i, double change) {
  double before = f->at->x[i];
  f->at->x[i] += change;
  assert_int_equal(evaluation_point(f->evaluation, f->at, false), EVAL_DONE);
  f->at->x[i] = before;
  return f->at->objective;
}

// Half the sum of the squares of all rows is the objective, and J'r its gradient.
static void check_rows(Fixture *f, double objective, const double *gradient, double size) {
  Evaluation *e = f->evaluation;
  int n = f->problem->unknown_count, rows = residual_count(f->problem, e->spec.horizon);
  double *r = ARENA_ARRAY(f->arena, double, rows), *J = ARENA_ARRAY(f->arena, double, rows *n);
  assert_int_equal(evaluate_residuals(e->work, &e->spec, f->at->x, r, J, NULL), EVAL_DONE);
  double sum = 0;
  for (int k = 0; k < rows; k++) sum += r[k] * r[k] / 2;
  assert_close_relative(sum, objective, 1e-10);
  for (int i = 0; i < n; i++) {
    double slope = 0;
    for (int k = 0; k < rows; k++) slope += J[i * rows + k] * r[k];
    assert_close(slope, gradient[i], 1e-9 * size);
  }
}

// R'Qr is the gradient of the objective, whatever the problem asks for.
static void check_gradient(Fixture *f, double step, double tol) {
  int n = f->problem->unknown_count;
  assert_int_equal(evaluation_point(f->evaluation, f->at, true), EVAL_DONE);
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

// With and without integrals of the error.
static void gradient_of_the_coupled_model_is_exact(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    char yaml[2000];
    snprintf(yaml, sizeof yaml, "options: {coupling: %s, gain: 3, gain_integral: 0.5}\n%s",
             k % 2 ? "pid-squared" : "pid", PROBLEMS[k]);
    Fixture f;
    open_problem(&f, yaml);
    double free_objective = value_at(&f, 0, 0);
    f.evaluation->spec.lambda = 0.7;
    check_gradient(&f, 1e-2, 1e-3);
    assert_true(value_at(&f, 0, 0) < free_objective);
    f.evaluation->spec.lambda = 0;
    assert_close(value_at(&f, 0, 0), free_objective, 0);
    close_problem(&f);
  }
}

static void gradient_over_a_part_is_exact(void **state) {
  (void)state;
  Fixture f;
  open_problem(&f, PROBLEMS[1]);
  double whole = value_at(&f, 0, 0);
  f.evaluation->spec.horizon = 0.4;
  check_gradient(&f, 1e-4, 2e-5);
  assert_true(value_at(&f, 0, 0) < whole);
  close_problem(&f);
}

static void bad_points_are_abandoned(void **state) {
  (void)state;
  Fixture f;
  open_problem(&f, PROBLEMS[0]);
  double objective = value_at(&f, 0, 0);
  Evaluation *e = f.evaluation;
  long rhs = e->budget.used.rhs;
  e->spec.abandon_above = objective / 10;
  assert_int_equal(evaluation_point(e, f.at, false), EVAL_ABANDONED);
  long partial = e->budget.used.rhs - rhs;
  assert_true(partial < 0.7 * rhs);
  e->spec.abandon_above = objective * (1 + 1e-9);
  assert_int_equal(evaluation_point(e, f.at, false), EVAL_DONE);
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
  assert_true(evaluation_rows(f.evaluation, f.at->x, true, see, &seen));
  int samples = 0;
  for (int e = 0; e < f.problem->experiment_count; e++)
    for (int c = 0; c < f.problem->experiments[e].channel_count; c++)
      samples += f.problem->experiments[e].channels[c].count;
  assert_int_equal(seen.rows, samples);
  evaluation_point(f.evaluation, f.at, true);
  assert_close_relative(seen.half_squares, f.at->objective, 1e-9);
  close_problem(&f);
}

static void failed_simulations_say_why(void **state) {
  (void)state;
  Fixture f;
  open_problem(&f, "model: duffing.mo\n"
                   "experiments: [{data: one.csv, measure: {x: x}, inputs: {force: F}}]\n"
                   "estimate: {b: {start: -5, min: -9, max: 1}}\n");
  assert_int_equal(evaluation_point(f.evaluation, f.at, true), EVAL_FAILED);
  assert_true(f.at->objective == HUGE_VAL);
  assert_true(strlen(eval_why(f.evaluation->work)) > 20);
  close_problem(&f);
}

// ---------------------------------------------------------------- nothing but the arguments

enum { SPECS = 24, POINTS = 4 };

typedef struct Answer {
  EvalEnd end;
  double objective, R[9], Qr[3];
  long steps;
} Answer;

// Two experiments, one with a delay, which moves its sample times; the last point escapes to infinity.
static const double LAW_POINTS[POINTS][3] = {
    {2, 0.5, 0.1}, {1.2, 0.9, 0}, {3, 0.1, 0.37}, {-9, -9, 0.2}};

typedef struct Laws {
  Hand *hand;
  Fitting *fitting;
  Weighting *other;
  EvalSpec spec[SPECS];
  Answer right[SPECS][POINTS];
} Laws;

static void answer(EvalWork *w, const EvalSpec *spec, const double *x, Answer *out) {
  memset(out, 0, sizeof *out);
  EvalPoint at = {.R = out->R, .Qr = out->Qr};
  out->end = evaluate(w, spec, x, &at);
  out->objective = at.objective;
  out->steps = at.steps;
}

static void laws_open(Laws *l) {
  Random random;
  random_seed(&random, 3);
  l->hand = hand_text("model Duffing\n  parameter Real a = 2;\n  parameter Real b = 0.5;\n"
                      "  parameter Real d = 0;\n"
                      "  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\n"
                      "equation\n  der(x) = v;\n  der(v) = -0.1*v - a*x - b*x^3;\nend Duffing;\n");
  for (int e = 0; e < 2; e++)
    hand_experiment(l->hand, (HandData){.channels = {"x", "v"},
                                        .step = 0.1,
                                        .count = 41 + 10 * e,
                                        .noise = 0.05,
                                        .seed = (uint64_t)e + 1});
  l->hand->experiments[1].channels[0].delay = hand_parameter(l->hand, "d");
  hand_estimate(l->hand, "a", -1, 2, -9, 9);
  hand_estimate(l->hand, "b", -1, 0.5, -9, 9);
  hand_estimate(l->hand, "d", 1, 0.1, 0, 1);
  l->fitting = fitting_new(&l->hand->problem);
  l->other = weighting_new(l->fitting->data, (const double[]){0.1, 0.5, 2, 1});
  for (int k = 0; k < SPECS; k++) {
    EvalSpec *s = &l->spec[k];
    *s = eval_spec(l->fitting, NULL);
    s->lambda = (k % 3) * 0.5;
    s->strength = 1 + random_uniform(&random);
    s->horizon = k % 4 ? 0.3 + 0.7 * random_uniform(&random) : 1;
    s->quick = k % 5 == 1;
    s->slopes = k % 2;
    if (k % 7 == 2) s->abandon_above = 1e-3;
    if (k % 6 == 5) s->step_limit = 3;
    if (random_uniform(&random) < 0.4) s->weighting = l->other;
    for (int m = 0; m < POINTS; m++) { // by a work that has seen nothing else
      EvalWork *w = eval_work_new(l->fitting, 1, NULL);
      answer(w, s, LAW_POINTS[m], &l->right[k][m]);
      eval_work_free(w);
    }
  }
}

static void laws_close(Laws *l) {
  weighting_free(l->other);
  fitting_free(l->fitting);
  hand_done(l->hand);
}

typedef struct LawThread {
  const Laws *laws;
  uint64_t seed;
  int wrong;
} LawThread;

static void ignore(void *data, const ResidualBlock *b) {
  (void)data, (void)b;
}

// Everything in a random order, rows and states in between.
static void *ask_at_random(void *data) {
  LawThread *t = data;
  const Laws *l = t->laws;
  EvalWork *w = eval_work_new(l->fitting, 1, NULL);
  Random random;
  random_seed(&random, t->seed);
  for (int i = 0; i < 300; i++) {
    int k = (int)(random_uniform(&random) * SPECS), m = (int)(random_uniform(&random) * POINTS);
    Answer a;
    if (i % 10 == 3) evaluate_rows(w, &l->spec[k], LAW_POINTS[m], ignore, NULL);
    if (i % 50 == 7) {
      double states[4];
      const double times[] = {0.3, 0.7};
      evaluate_states(w, &l->spec[k], LAW_POINTS[m], i % 2, times, 2, states);
    }
    answer(w, &l->spec[k], LAW_POINTS[m], &a);
    t->wrong += memcmp(&a, &l->right[k][m], sizeof a) != 0;
  }
  eval_work_free(w);
  return NULL;
}

static void evaluation_depends_on_nothing_but_its_arguments(void **state) {
  (void)state;
  enum { THREADS = 3 };
  Laws *l = calloc(1, sizeof *l);
  laws_open(l);
  int ends[4] = {0};
  for (int k = 0; k < SPECS; k++)
    for (int m = 0; m < POINTS; m++) ends[l->right[k][m].end]++;
  assert_true(ends[EVAL_DONE] > 20 && ends[EVAL_ABANDONED] > 2 && ends[EVAL_FAILED] > 10);
  LawThread alone = {l, 1, 0}, side[THREADS];
  ask_at_random(&alone);
  assert_int_equal(alone.wrong, 0);
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) {
    side[i] = (LawThread){l, (uint64_t)i + 2, 0};
    assert_int_equal(pthread_create(&thread[i], NULL, ask_at_random, &side[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(side[i].wrong, 0);
  }
  laws_close(l);
  free(l);
}

static void the_objective_grows_with_the_horizon_up_to_all_data(void **state) {
  (void)state;
  Laws *l = calloc(1, sizeof *l);
  laws_open(l);
  EvalWork *w = eval_work_new(l->fitting, 1, NULL);
  EvalSpec spec = eval_spec(l->fitting, NULL);
  double whole = evaluate_value(w, &spec, LAW_POINTS[1]), before = 0;
  for (int k = 1; k <= 10; k++) {
    spec.horizon = k / 10.0;
    double now = evaluate_value(w, &spec, LAW_POINTS[1]);
    assert_true(now >= before * (1 - 1e-6));
    before = now;
  }
  assert_true(before == whole);
  eval_work_free(w);
  laws_close(l);
  free(l);
}

// What code was made of a model before must not change a bit: a study that goes on makes less of it. The gradient after nothing,
// the values alone, the quick and the coupled model.
static void code_that_was_made_before_changes_nothing(void **state) {
  static const char OSCILLATOR[] =
      "model Oscillator\n  parameter Real a(min = 0.1, max = 10) = 0.5;\n"
      "  parameter Real b(min = 0.1, max = 10) = 0.5;\n"
      "  parameter Real mu(min = 0.01, max = 2) = 0.1;\n"
      "  Real x(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\n"
      "equation\n  der(x) = v;\n"
      "  der(v) = mu*(1 - x^2)*v - a*x - b*x^3 + 0.5*cos(0.79*time);\nend Oscillator;\n";
  (void)state;
  double R[5][9], objective[5];
  for (int before = 0; before < 5; before++) {
    Made made;
    made_open(&made);
    made_file(&made, "oscillator.mo", OSCILLATOR);
    made_waves(&made, "one.csv", 0, 401);
    Problem *p =
        made_load(&made, "model: oscillator.mo\nexperiments: [{data: one.csv, measure: {x: x}}]\n"
                         "estimate: {a: {start: 10}, b: {start: 10}, mu: {start: 2}}\n");
    Evaluation *e = evaluation_new(p);
    Arena *a = arena_new();
    LsqPoint *at = lsq_point_new(a, 3);
    for (int i = 0; i < 3; i++) at->x[i] = p->unknowns[i].start;
    EvalSpec usual = e->spec;
    if (before == 1 || before == 4) evaluation_point(e, at, false);
    if (before == 2) e->spec.quick = true, evaluation_point(e, at, true);
    if (before >= 3) e->spec.lambda = 1, evaluation_point(e, at, before == 3);
    e->spec = usual;
    assert_int_equal(evaluation_point(e, at, true), EVAL_DONE);
    objective[before] = at->objective;
    memcpy(R[before], at->R, sizeof *R);
    assert_memory_equal(&objective[before], &objective[0], sizeof *objective);
    assert_memory_equal(R[before], R[0], sizeof *R);
    evaluation_free(e);
    arena_free(a);
    made_close(&made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradient_is_exact),
      cmocka_unit_test(gradient_of_the_coupled_model_is_exact),
      cmocka_unit_test(gradient_over_a_part_is_exact),
      cmocka_unit_test(bad_points_are_abandoned),
      cmocka_unit_test(rows_sum_up_to_the_objective),
      cmocka_unit_test(failed_simulations_say_why),
      cmocka_unit_test(evaluation_depends_on_nothing_but_its_arguments),
      cmocka_unit_test(the_objective_grows_with_the_horizon_up_to_all_data),
      cmocka_unit_test(code_that_was_made_before_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
