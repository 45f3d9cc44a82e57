#include "search/fit.h"

#include <pthread.h>

#include "evaluation.h"
#include "made_problem.h"
#include "num/random.h"
#include "searching.h"
#include "threshold.h"

static const char MODEL[] = "model Oscillator\n"
                            "  parameter Real k(min = 0.1, max = 100) = 4;\n"
                            "  parameter Real c(min = 0, max = 5) = 0.2;\n"
                            "  Real x(start = 1, fixed = true);\n"
                            "  Real v(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(x) = v;\n"
                            "  der(v) = -c*v - k*x;\n"
                            "end Oscillator;\n";

static double motion(double t, double k, double c, double x0) {
  double w = sqrt(k - c * c / 4);
  return x0 * exp(-c * t / 2) * (cos(w * t) + c / (2 * w) * sin(w * t));
}

typedef struct Data {
  double k, c, x0, noise, wrong; // wrong: what the model does not have
  int seed;
} Data;

static void write_data(const Made *m, const char *name, Data d) {
  Random random;
  random_seed(&random, (uint64_t)d.seed + 1);
  static char text[60000];
  int used = snprintf(text, sizeof text, "t,a,b\n");
  for (int i = 0; i <= 200; i++) {
    double t = 0.1 * i, x = motion(t, d.k, d.c, d.x0) + d.wrong * sin(0.3 * t);
    used +=
        snprintf(text + used, sizeof text - (size_t)used, "%.1f,%.12g,%.12g\n", t,
                 x + d.noise * random_normal(&random), x + 10 * d.noise * random_normal(&random));
  }
  made_file(m, name, text);
}

static void open_problem(Made *m, Data d) {
  made_open(m);
  made_file(m, "oscillator.mo", MODEL);
  write_data(m, "one.csv", d);
  d.k *= 1.5, d.x0 *= 0.7, d.seed++;
  write_data(m, "two.csv", d);
}

static const char PLAIN[] = "model: oscillator.mo\n"
                            "experiments: [{data: one.csv, measure: {x: a}}]\n"
                            "estimate: {k: 30, c: 1}\n";

static void finds_the_truth_and_knows_it(void **state) {
  (void)state;
  static const char *const METHODS[] = {"auto", "homotopy"};
  for (int k = 0; k < 2; k++) {
    Made m;
    open_problem(&m, (Data){4, 0.2, 1, 0, 0, 0});
    Problem *p = made_load(&m, PLAIN);
    assert_true(method_find(METHODS[k], &p->method));
    FitResult *r = fit_run(p, NULL, NULL, NULL);
    assert_string_equal(fit_outcome_word(r->outcome), "converged");
    assert_int_equal(r->verdict, FIT_CERTAIN);
    assert_close_relative(r->x[0], 4.0, 1e-6);
    assert_close_relative(r->x[1], 0.2, 1e-5);
    Evaluation *o = evaluation_new(p);
    fit_evaluate_start(r, o->work);
    assert_true(r->objective < 1e-10 && r->objective_start > 1);
    evaluation_free(o);
    fit_free(r);
    made_close(&m);
  }
}

static void is_not_certain_of_a_wrong_optimum(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0, 0});
  Problem *p = made_load(&m, "model: oscillator.mo\n"
                             "experiments: [{data: one.csv, measure: {x: a}}]\n"
                             "estimate: {k: 60}\nmethod: lm\n");
  double start[] = {60};
  FitResult *r = fit_run(p, start, NULL, NULL);
  assert_true(fabs(r->x[0] - 4) > 1);
  assert_false(r->fits);
  assert_true(strlen(r->why) > 20);
  fit_free(r);
  made_close(&m);
}

// Fewer than three samples in a period: other frequencies fit as well, and differences show no noise.
static void coarse_samples_certify_nothing_wrong(void **state) {
  (void)state;
  for (int i = 1; i < 6; i++) {
    Made m;
    made_open(&m);
    made_file(&m, "oscillator.mo", MODEL);
    Random random;
    random_seed(&random, (uint64_t)i);
    char text[4000] = "t,a\n";
    double k = 4 + 6 * i;
    for (int j = 0; j < 60; j++) {
      double t = 1.4 * (j + 0.6 * random_uniform(&random));
      snprintf(text + strlen(text), 60, "%.4f,%.6f\n", t,
               motion(t, k, 0.02, 1) + 0.02 * random_normal(&random));
    }
    made_file(&m, "one.csv", text);
    Problem *p = made_load(&m, "model: oscillator.mo\n"
                               "experiments: [{data: one.csv, start: 0, measure: {x: a}}]\n"
                               "estimate: {k: 2, c: 1}\noptions: {restarts: 2}\n");
    FitResult *r = fit_run(p, NULL, NULL, NULL);
    assert_true(r->verdict != FIT_CERTAIN || fabs(r->x[0] / k - 1) < 0.01);
    double truth[] = {k, 0.02};
    FitResult *better = fit_run(p, truth, NULL, NULL); // a good start is never lost
    assert_close_relative(better->x[0], k, 0.01);
    fit_free(r);
    fit_free(better);
    made_close(&m);
  }
}

// Whoever fits again and again keeps the memory of the first: the graph of the model gives none back.
static void more_fits_add_nothing_to_the_model(void **state) {
  (void)state;
  static const char *const METHODS[] = {"auto", "homotopy", "lm"};
  for (int k = 0; k < 3; k++) {
    Made m;
    open_problem(&m, (Data){4, 0.2, 1, 0.01, 0.1, 0}); // misses something: terms are tried
    Problem *p = made_load(&m, PLAIN);
    assert_true(method_find(METHODS[k], &p->method));
    int nodes = 0, symbols = 0;
    for (int i = 0; i < 4; i++) {
      fit_free(fit_run(p, NULL, NULL, NULL));
      if (i == 0) nodes = p->model->graph->count, symbols = p->model->graph->symbols.count;
    }
    assert_int_equal(p->model->graph->count, nodes);
    assert_int_equal(p->model->graph->symbols.count, symbols);
    made_close(&m);
  }
}

static void says_when_the_model_misses_something(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0.3, 0});
  Problem *p = made_load(&m, PLAIN);
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_string_equal(fit_outcome_word(r->outcome), "converged");
  assert_false(r->fits);
  assert_int_equal(r->verdict, FIT_AGREED);
  assert_non_null(strstr(r->why, "unexplained"));
  assert_close_relative(r->x[0], 4.0, 0.05); // the best optimum all the same
  fit_free(r);
  made_close(&m);
}

static void experiments_have_numbers_of_their_own(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.002, 0, 0});
  Problem *p =
      made_load(&m, "model: oscillator.mo\n"
                    "experiments:\n"
                    "  - {name: first, data: one.csv, measure: {x: a}}\n"
                    "  - {name: second, data: two.csv, measure: {x: a}, set: {x.start: 0.7}}\n"
                    "estimate: {k: {start: 20, per_experiment: true}, c: 1}\n");
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_int_equal(p->unknown_count, 3);
  assert_int_equal(r->verdict, FIT_CERTAIN);
  for (int i = 0; i < 3; i++) {
    double truth = strcmp(p->unknowns[i].name, "k[first]") == 0    ? 4
                   : strcmp(p->unknowns[i].name, "k[second]") == 0 ? 6
                                                                   : 0.2;
    assert_close_relative(r->x[i], truth, 0.01);
  }
  fit_free(r);
  made_close(&m);
}

static void finds_start_values_and_constants_of_a_sensor(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1.3, 0.001, 0, 0});
  Problem *p =
      made_load(&m, "model: oscillator.mo\n"
                    "experiments:\n"
                    "  - data: one.csv\n"
                    "    measure: {x: {column: a, offset: {start: 0.2, min: -1, max: 1}}}\n"
                    "estimate: {k: 12, c: 1, x.start: {start: 0.5, min: 0, max: 3}}\n");
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_int_equal(r->verdict, FIT_CERTAIN);
  for (int i = 0; i < p->unknown_count; i++) {
    if (strcmp(p->unknowns[i].name, "x.start") == 0) assert_close(r->x[i], 1.3, 0.01);
    if (strcmp(p->unknowns[i].name, "x.offset") == 0) assert_close(r->x[i], 0, 0.005);
    if (strcmp(p->unknowns[i].name, "k") == 0) assert_close(r->x[i], 4, 0.01);
  }
  fit_free(r);
  made_close(&m);
}

// The second column is ten times noisier: its weight must come out a hundred times smaller.
static void estimated_sigma_weighs_the_channels(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0, 0});
  Problem *p = made_load(
      &m, "model: oscillator.mo\n"
          "experiments:\n"
          "  - data: one.csv\n"
          "    measure: {x: {column: a, sigma: estimate}, 1*x: {column: b, sigma: estimate}}\n"
          "estimate: {k: 10, c: 1}\n");
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_int_equal(r->verdict, FIT_CERTAIN);
  assert_close_relative(r->sigma[0], 0.01, 0.2);
  assert_close_relative(r->sigma[1], 0.1, 0.2);
  assert_close_relative(r->objective, 201.0, 0.01); // half a square for each of 402 samples
  fit_free(r);
  made_close(&m);
}

static void huber_ignores_outliers(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.005, 0, 0});
  double errors[2];
  for (int robust = 0; robust < 2; robust++) {
    char yaml[300];
    snprintf(yaml, sizeof yaml, "%s%s", PLAIN,
             robust ? "loss: huber\nmethod: lm\n" : "method: lm\n");
    Problem *p = made_load(&m, yaml);
    for (int i = 10; i < 200; i += 25) ((double *)p->experiments[0].channels[0].y)[i] += 1.5;
    double start[] = {4.2, 0.3};
    FitResult *r = fit_run(p, start, NULL, NULL);
    errors[robust] = fabs(r->x[0] - 4) + fabs(r->x[1] - 0.2);
    fit_free(r);
    problem_free(p);
    m.problem = NULL;
  }
  assert_true(errors[1] < 0.3 * errors[0]);
  made_close(&m);
}

// A sigma that outliers had enlarged would let them in.
static void huber_estimates_sigma_without_outliers(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0, 0});
  Problem *p =
      made_load(&m, "model: oscillator.mo\n"
                    "loss: huber\n"
                    "experiments: [{data: one.csv, measure: {x: {column: a, sigma: estimate}}}]\n"
                    "estimate: {k: 4.2, c: 0.3}\n");
  for (int i = 10; i < 200; i += 13) ((double *)p->experiments[0].channels[0].y)[i] += 3;
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_close_relative(r->sigma[0], 0.01, 0.3);
  assert_close(r->x[0], 4, 0.02);
  assert_int_equal(r->verdict, FIT_CERTAIN);
  fit_free(r);
  made_close(&m);
}

// Outliers are no part of the noise that a result is compared with.
static void huber_is_certain_of_the_bulk_only(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0, 0});
  char yaml[300];
  snprintf(yaml, sizeof yaml, "%sloss: huber\nmethod: lm\n", PLAIN);
  Problem *p = made_load(&m, yaml);
  for (int i = 10; i < 200; i += 13) ((double *)p->experiments[0].channels[0].y)[i] += 3;
  int rights = 0, starts = 10;
  for (int k = 0; k < starts; k++) {
    FitResult *r = fit_run(p, (double[]){4.2 + 9 * k, 0.3}, NULL, NULL);
    bool right = fabs(r->x[0] - 4) < 0.05;
    assert_int_equal(r->fits, right);
    assert_true(r->floor < 3 * 201 * 0.01 * 0.01 / 2);
    rights += right;
    fit_free(r);
  }
  assert_in_range(rights, 1, starts - 1);
  made_close(&m);
}

typedef struct Listening {
  int calls, most;
} Listening;

static bool listen(void *data, const FitProgress *p) {
  Listening *l = data;
  assert_non_null(p->stage);
  return ++l->calls < l->most;
}

// Nobody is asked again who said stop, and a point once found is never lost.
static void stops_at_any_moment(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0, 0});
  Problem *p = made_load(
      &m, "model: oscillator.mo\n"
          "experiments:\n"
          "  - data: one.csv\n"
          "    measure: {x: {column: a, sigma: estimate}, 1*x: {column: b, sigma: estimate}}\n"
          "estimate: {k: 10, c: 1}\n");
  bool stopped = true, found = false;
  for (int most = 1; stopped; most++) {
    Listening l = {.most = most};
    FitResult *r = fit_run(p, NULL, listen, &l);
    stopped = r->outcome == FIT_STOPPED;
    if (stopped) assert_int_equal(l.calls, most);
    if (found) assert_true(r->objective < HUGE_VAL);
    found = r->objective < HUGE_VAL;
    fit_free(r);
  }
  assert_true(found);
  made_close(&m);
}

// The other tolerances do not depend on it.
static void needs_no_tolerance_of_steps(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.05, 0, 0});
  Problem *p = made_load(&m, PLAIN);
  double start[] = {4.3, 0.4};
  p->method = METHOD_LM;
  FitResult *usual = fit_run(p, start, NULL, NULL);
  p->options.step_tol = 0;
  FitResult *r = fit_run(p, start, NULL, NULL);
  assert_close_relative(r->objective, usual->objective, 1e-9);
  fit_free(usual);
  fit_free(r);
  made_close(&m);
}

static void *run_fit(void *problem) {
  return fit_run(problem, NULL, NULL, NULL);
}

static void fits_of_one_problem_run_side_by_side(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0, 0});
  char yaml[300];
  snprintf(yaml, sizeof yaml, "%smethod: homotopy\noptions: {coupling: pid}\n", PLAIN);
  Problem *p = made_load(&m, yaml);
  pthread_t threads[4];
  void *results[4];
  for (int k = 0; k < 4; k++) assert_int_equal(pthread_create(&threads[k], NULL, run_fit, p), 0);
  for (int k = 0; k < 4; k++) pthread_join(threads[k], &results[k]);
  for (int k = 0; k < 4; k++) {
    const FitResult *r = results[k], *first = results[0];
    assert_true(r->verdict == FIT_CERTAIN && r->objective == first->objective);
    assert_memory_equal(r->x, first->x, 2 * sizeof *r->x);
  }
  for (int k = 0; k < 4; k++) fit_free(results[k]);
  made_close(&m);
}

static void stops_with_the_best_point(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0.3, 0});
  Problem *p = made_load(&m, PLAIN);
  Listening l = {.most = 12};
  FitResult *r = fit_run(p, NULL, listen, &l);
  assert_string_equal(fit_outcome_word(r->outcome), "stopped");
  assert_int_equal(l.calls, 12);
  Evaluation *o = evaluation_new(p);
  fit_evaluate_start(r, o->work);
  assert_true(r->objective <= r->objective_start);
  evaluation_free(o);
  fit_free(r);
  made_close(&m);
}

// A simulation of very many steps does not keep anybody waiting.
static void stops_inside_a_simulation(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0.3, 0});
  Problem *p = made_load(&m, PLAIN);
  p->simulate.max_step = 1e-6; // 20 000 000 steps each
  p->simulate.max_steps = 100000000;
  Listening l = {.most = 3};
  FitResult *r = fit_run(p, NULL, listen, &l);
  assert_string_equal(fit_outcome_word(r->outcome), "stopped");
  assert_int_equal(r->work.simulations + r->work.sensitivity_simulations, 1);
  assert_true(r->work.steps < 15000000 && r->objective == HUGE_VAL);
  fit_free(r);
  made_close(&m);
}

static void keeps_to_its_budget(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0.3, 0});
  Problem *p = made_load(&m, PLAIN);
  p->options.max_simulations = 15;
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_string_equal(fit_outcome_word(r->outcome), "budget");
  assert_true(r->work.simulations + r->work.sensitivity_simulations <= 17);
  assert_true(r->objective < HUGE_VAL);
  fit_free(r);
  for (int most = 1; most <= 4; most++) {
    p->options.max_simulations = most;
    p->method = METHOD_LM;
    r = fit_run(p, NULL, NULL, NULL);
    assert_string_equal(fit_outcome_word(r->outcome), "budget");
    assert_true(r->objective < HUGE_VAL);
    fit_free(r);
  }
  made_close(&m);
}

// A start so good that one step leaves nothing but noise: it fits, but has not converged.
static void what_fits_need_not_have_converged(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0, 0});
  Problem *p = made_load(&m, PLAIN);
  p->method = METHOD_LM;
  p->options.max_iterations = 1;
  int seen = 0;
  for (double away = 1e-4; away < 1; away *= 2) {
    FitResult *r = fit_run(p, (double[]){4 * (1 + away), 0.2 * (1 + away)}, NULL, NULL);
    bool converged = local_end_converged(r->end);
    assert_string_equal(fit_outcome_word(r->outcome), converged ? "converged" : "not-converged");
    seen += r->fits && !converged;
    fit_free(r);
  }
  assert_true(seen > 0);
  made_close(&m);
}

static void says_when_nothing_can_be_simulated(void **state) {
  (void)state;
  Made m;
  made_open(&m);
  made_file(&m, "bad.mo",
            "model Bad\n  parameter Real a(min = 1, max = 2) = 1;\n"
            "  Real x(start = 1, fixed = true);\nequation\n"
            "  der(x) = a*x^2 + sqrt(-1 - a + 0*x);\nend Bad;\n");
  made_file(&m, "d.csv", "t,x\n0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n");
  Problem *p = made_load(&m, "model: bad.mo\nexperiments: [{data: d.csv, measure: {x: x}}]\n"
                             "estimate: {a: 1.5}\nmethod: lm\n");
  FitResult *r = fit_run(p, NULL, NULL, NULL);
  assert_string_equal(fit_outcome_word(r->outcome), "no-start");
  assert_non_null(strstr(r->message, "sqrt"));
  assert_close(r->x[0], 1.5, 0);
  fit_free(r);
  made_close(&m);
}

static void is_the_same_every_time(void **state) {
  (void)state;
  Made m;
  open_problem(&m, (Data){4, 0.2, 1, 0.01, 0.3, 0});
  Problem *p = made_load(&m, PLAIN);
  p->options.restarts = 3;
  FitResult *a = fit_run(p, NULL, NULL, NULL), *b = fit_run(p, NULL, NULL, NULL);
  for (int i = 0; i < 2; i++) assert_true(a->x[i] == b->x[i]);
  assert_int_equal(a->work.sensitivity_simulations, b->work.sensitivity_simulations);
  fit_free(a);
  fit_free(b);
  made_close(&m);
}

// ---------------------------------------------------------------- constants of the driver

typedef struct Strengths {
  double of[64]; // of the feedback, as they are tried
  int count;
} Strengths;

static void note_strength(Watched *w, const SimulationOrder *o) {
  Strengths *s = w->data;
  if (!order_is_coupled(w, o)) {
    set_residuals(w, o, 0.5, 0); // the free model never follows
    return;
  }
  const Feedback *f = fitting_feedback(w->fitting);
  set_residuals(w, o, 0.005, 0); // above the noise floor, not lost
  if (o->run->compiled != f->compiled) return;
  double strength = o->run->p[f->coupled->gain[0]] / f->gain[0];
  if (s->count && fabs(s->of[s->count - 1] - strength) < 1e-9) return;
  assert_true(s->count < 64);
  s->of[s->count++] = strength;
}

// With the usual strength, then with others, halving lambda five times each.
static void a_homotopy_that_fails_tries_other_strengths(void **state) {
  (void)state;
  static const double TRIED[] = {1, 4, 0.25, 16};
  Hand *h = pendulum(0, 15);
  h->problem.method = METHOD_HOMOTOPY;
  h->problem.options.confirm = CONFIRM_OFF; // all starts would agree
  Searching q;
  Strengths seen = {.count = 0};
  searching_open(&q, &h->problem, NULL, NULL);
  q.watched.change = note_strength, q.watched.keep_all = true, q.watched.data = &seen;
  FitResult *r = fit_run_on(&h->problem, q.work, NULL, NULL, NULL);
  assert_int_equal(r->outcome, FIT_UNCERTAIN);
  assert_int_equal(seen.count, 4);
  for (int k = 0; k < 4; k++) assert_close(seen.of[k], TRIED[k], 1e-9);
  assert_int_equal(r->path.count, 4 * 2 * (1 + 5) + 3); // and two fits of the second observer
  fit_free(r);
  searching_close(&q);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_truth_and_knows_it),
      cmocka_unit_test(is_not_certain_of_a_wrong_optimum),
      cmocka_unit_test(coarse_samples_certify_nothing_wrong),
      cmocka_unit_test(more_fits_add_nothing_to_the_model),
      cmocka_unit_test(says_when_the_model_misses_something),
      cmocka_unit_test(experiments_have_numbers_of_their_own),
      cmocka_unit_test(finds_start_values_and_constants_of_a_sensor),
      cmocka_unit_test(estimated_sigma_weighs_the_channels),
      cmocka_unit_test(huber_ignores_outliers),
      cmocka_unit_test(huber_is_certain_of_the_bulk_only),
      cmocka_unit_test(huber_estimates_sigma_without_outliers),
      cmocka_unit_test(stops_with_the_best_point),
      cmocka_unit_test(stops_inside_a_simulation),
      cmocka_unit_test(fits_of_one_problem_run_side_by_side),
      cmocka_unit_test(stops_at_any_moment),
      cmocka_unit_test(needs_no_tolerance_of_steps),
      cmocka_unit_test(keeps_to_its_budget),
      cmocka_unit_test(what_fits_need_not_have_converged),
      cmocka_unit_test(says_when_nothing_can_be_simulated),
      cmocka_unit_test(is_the_same_every_time),
      cmocka_unit_test(a_homotopy_that_fails_tries_other_strengths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
