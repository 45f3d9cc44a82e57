// Fits side by side in lanes find what fits by themselves find, and the number of threads changes no bit.
#include "residual/lane_scheduler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluation.h"
#include "hand_problem.h"
#include "residual/many_points.h"
#include "search/fit.h"
#include "search/many_fits.h"

static const char DUFFING[] = "model Duffing\n"
                              "  parameter Real a = 0.5;\n"
                              "  parameter Real b = 0.5;\n"
                              "  parameter Real d = 0.1;\n"
                              "  Real x(start = 1, fixed = true);\n"
                              "  Real v(start = 0, fixed = true);\n"
                              "equation\n"
                              "  der(x) = v;\n"
                              "  der(v) = d*(1 - x^2)*v - a*x - b*x^3 + 0.5*cos(0.79*time);\n"
                              "end Duffing;\n";

// Falls out of its well, and grows without bound, when the well is too low for its energy.
static const char ESCAPES[] = "model Escapes\n"
                              "  parameter Real a = 1.5;\n"
                              "  parameter Real b = -0.5;\n"
                              "  Real x(start = 1, fixed = true);\n"
                              "  Real v(start = 0, fixed = true);\n"
                              "equation\n"
                              "  der(x) = v;\n"
                              "  der(v) = -0.1*v - a*x - b*x^3 + 0.5*cos(0.79*time);\n"
                              "end Escapes;\n";

enum { SIDE = 5, STARTS = SIDE * SIDE, MOST = 3 };

static Hand *duffing(double stop) {
  Hand *h = hand_text(DUFFING);
  hand_experiment(h, (HandData){.channels = {"x"}, .step = 0.1, .count = (int)(stop / 0.1) + 1});
  hand_estimate(h, "a", -1, 2, 0.1, 10);
  hand_estimate(h, "b", -1, 2, 0.1, 10);
  hand_estimate(h, "d", -1, 1, 0.01, 2);
  h->problem.simulate.rel_tol = 1e-6;
  h->problem.simulate.abs_tol = 1e-8;
  return h;
}

static void list_starts(const Problem *p, double *x) {
  for (int k = 0; k < STARTS; k++)
    for (int i = 0; i < p->unknown_count; i++) {
      const Unknown *f = &p->unknowns[i];
      double share = (i == 0 ? k / SIDE : k % SIDE) / (SIDE - 1.);
      x[k * p->unknown_count + i] = i < 2 ? f->min + share * (f->max - f->min) : f->start;
    }
}

// ---------------------------------------------------------------- fits

typedef struct Taken {
  int n, count;
  double x[STARTS * MOST], objective[STARTS];
  WorkCount work[STARTS];
} Taken;

static bool take(void *data, int number, const ManyFitsAnswer *a) {
  Taken *t = data;
  assert_int_equal(number, t->count++);
  memcpy(t->x + number * t->n, a->x, (size_t)t->n * sizeof *t->x);
  t->objective[number] = a->objective;
  t->work[number] = a->work;
  return true;
}

static void run(const Problem *p, bool lanes, int threads, Taken *t) {
  double starts[STARTS * MOST];
  memset(t, 0, sizeof *t);
  t->n = p->unknown_count;
  list_starts(p, starts);
  ManyFitsRequest q = {.starts = starts,
                       .count = STARTS,
                       .threads = threads,
                       .lanes = lanes,
                       .take = take,
                       .data = t};
  q.fit = fit_run_on;
  Fitting *f = fitting_new(p);
  assert_true(many_fits_run(f, p, &q));
  fitting_free(f);
  assert_int_equal(t->count, STARTS);
}

static int differing(const Taken *a, const Taken *b) {
  int count = 0;
  for (int k = 0; k < STARTS; k++) {
    bool same = true;
    for (int i = k * a->n; i < (k + 1) * a->n; i++)
      same &= fabs(a->x[i] - b->x[i]) <= 1e-3 * fabs(a->x[i]);
    count += !same;
  }
  return count;
}

static void lanes_find_the_same_optima(void **state) {
  (void)state;
  Hand *h = duffing(8);
  static const Method METHODS[] = {METHOD_LM, METHOD_HOMOTOPY};
  for (int m = 0; m < 2; m++) {
    Taken alone, lanes;
    h->problem.method = METHODS[m];
    run(&h->problem, false, 1, &alone);
    run(&h->problem, true, 1, &lanes);
    assert_true(differing(&alone, &lanes) <= 2); // at the borders of basins
    int truth = 0;
    long simulations[2] = {0};
    for (int k = 0; k < STARTS; k++) {
      truth += lanes.objective[k] < 1e-6;
      simulations[0] += alone.work[k].sensitivity_simulations;
      simulations[1] += lanes.work[k].sensitivity_simulations;
    }
    assert_true(m < 2 ? truth > 0 : truth == STARTS);
    assert_true(labs(simulations[0] - simulations[1]) < simulations[0] / 5);
  }
  hand_done(h);
}

static void the_number_of_threads_changes_no_bit(void **state) {
  (void)state;
  static const Method METHODS[] = {METHOD_LM, METHOD_HOMOTOPY};
  static const int THREADS[] = {2, 3, 8};
  Hand *h = duffing(8);
  for (int m = 0; m < 2; m++) {
    Taken one;
    h->problem.method = METHODS[m];
    run(&h->problem, true, 1, &one);
    for (int k = 0; k < 3; k++) {
      Taken more;
      run(&h->problem, true, THREADS[k], &more);
      assert_memory_equal(one.x, more.x, sizeof one.x);
      assert_memory_equal(one.objective, more.objective, sizeof one.objective);
      for (int i = 0; i < STARTS; i++) assert_int_equal(one.work[i].steps, more.work[i].steps);
    }
  }
  hand_done(h);
}

// ---------------------------------------------------------------- points

static void values_of(const Problem *p, const double *x, int count, double *V) {
  Evaluation *e = evaluation_new(p);
  ManyPoints *m = many_points_new(e->work, p->options.threads);
  long steps;
  assert_int_equal(many_values(m, &e->spec, x, count, V, &steps), EVAL_DONE);
  assert_int_equal(e->budget.used.simulations, count);
  many_points_free(m);
  evaluation_free(e);
}

// Some of the points cannot be simulated.
static void values_in_lanes_are_those_of_points_alone(void **state) {
  (void)state;
  Hand *h = hand_text(ESCAPES);
  hand_truth(h, "a", 4);
  hand_truth(h, "b", -0.2);
  hand_experiment(h, (HandData){.channels = {"x", "v"}, .step = 0.05, .count = 400});
  hand_estimate(h, "a", -1, 2, 0.2, 5);
  hand_estimate(h, "b", -1, -0.3, -0.9, -0.1);
  h->problem.simulate.rel_tol = 1e-8;
  h->problem.simulate.abs_tol = 1e-10;
  enum { POINTS = 77 };
  double x[2 * POINTS], alone[POINTS], lanes[POINTS], again[POINTS];
  Random random;
  random_seed(&random, 5);
  for (int k = 0; k < POINTS; k++) {
    x[2 * k] = 0.2 + 2 * random_uniform(&random);
    x[2 * k + 1] = -0.9 + 0.8 * random_uniform(&random);
  }
  h->problem.options.lanes = LANES_OFF;
  values_of(&h->problem, x, POINTS, alone);
  h->problem.options.lanes = LANES_AUTO;
  h->problem.options.threads = 1;
  values_of(&h->problem, x, POINTS, lanes);
  int failed = 0;
  for (int k = 0; k < POINTS; k++) {
    failed += alone[k] == HUGE_VAL;
    if (alone[k] == HUGE_VAL)
      assert_true(lanes[k] == HUGE_VAL);
    else
      assert_close(lanes[k], alone[k], 1e-4 * fmax(1, alone[k]));
  }
  assert_true(failed > 5 && failed < POINTS - 5);
  for (int threads = 2; threads <= 8; threads += 3) {
    h->problem.options.threads = threads;
    values_of(&h->problem, x, POINTS, again);
    assert_memory_equal(lanes, again, sizeof lanes);
  }
  hand_done(h);
}

// ---------------------------------------------------------------- tasks

typedef struct Tally {
  int begun, ended, evaluations;
  double V[100];
} Tally;

// As many evaluations as its number says, some with slopes, some over a part of the data.
static void evaluate_some(void *data, int number, EvalWork *w) {
  Tally *t = data;
  double R[9], Qr[3];
  EvalPoint at = {.R = R, .Qr = Qr};
  EvalSpec spec = eval_spec(eval_fitting(w), NULL);
  assert_int_equal(number, t->begun++);
  spec.horizon = number % 3 ? 1 : 0.5;
  for (int k = 0; k <= number % 7; k++) {
    spec.slopes = (number + k) % 2;
    double x[3] = {1 + 0.1 * number, 0.5 + 0.05 * k, 0.1};
    assert_int_equal(evaluate(w, &spec, x, &at), EVAL_DONE);
    t->evaluations++;
  }
  t->V[number] = at.objective;
  t->ended++;
}

static void every_task_is_begun_in_order_and_ends(void **state) {
  (void)state;
  Hand *h = duffing(8);
  Evaluation *alone = evaluation_new(&h->problem);
  LaneScheduler *scheduler = lane_scheduler_new(alone->fitting);
  static const int COUNTS[] = {0, 1, 2, 9, 70, 100};
  assert_true(lane_scheduler_can(&h->problem));
  for (int k = 0; k < 6; k++) {
    Tally t = {0}, one = {0};
    lane_scheduler_run(scheduler, COUNTS[k], evaluate_some, &t);
    assert_int_equal(t.begun, COUNTS[k]);
    assert_int_equal(t.ended, COUNTS[k]);
    for (int i = 0; i < COUNTS[k]; i++) evaluate_some(&one, i, alone->work);
    assert_int_equal(t.evaluations, one.evaluations);
    for (int i = 0; i < COUNTS[k]; i++) assert_close(t.V[i], one.V[i], 1e-3 * one.V[i] + 1e-6);
  }
  lane_scheduler_free(scheduler);
  evaluation_free(alone);
  hand_done(h);
}

// Many points inside a task share simulations with the other tasks.
static void population(void *data, int number, EvalWork *w) {
  double *V = (double *)data + 9 * number, x[27];
  for (int k = 0; k < 9; k++)
    x[3 * k] = 1 + 0.2 * k, x[3 * k + 1] = 0.5 + 0.1 * number, x[3 * k + 2] = 0.1;
  Budget budget = {.max_simulations = 1000};
  EvalSpec spec = eval_spec(eval_fitting(w), &budget);
  ManyPoints *m = many_points_new(w, 1);
  long steps;
  assert_int_equal(many_values(m, &spec, x, 9, V, &steps), EVAL_DONE);
  assert_int_equal(budget.used.simulations, 9);
  many_points_free(m);
}

static void tasks_may_ask_for_many_points(void **state) {
  (void)state;
  Hand *h = duffing(8);
  Evaluation *alone = evaluation_new(&h->problem);
  LaneScheduler *scheduler = lane_scheduler_new(alone->fitting);
  double lanes[5 * 9], one[5 * 9];
  lane_scheduler_run(scheduler, 5, population, lanes);
  for (int k = 0; k < 5; k++) population(one, k, alone->work);
  for (int i = 0; i < 5 * 9; i++) assert_close(lanes[i], one[i], 1e-3 * one[i] + 1e-6);
  lane_scheduler_free(scheduler);
  evaluation_free(alone);
  hand_done(h);
}

// ---------------------------------------------------------------- stopping

typedef struct Patience {
  int asked, most, taken;
} Patience;

static bool be_patient(void *data, int finished) {
  Patience *p = data;
  assert_true(finished >= p->taken);
  return ++p->asked < p->most;
}

static bool count_taken(void *data, int number, const ManyFitsAnswer *a) {
  Patience *p = data;
  (void)number, (void)a;
  p->taken++;
  return true;
}

static void many_fits_can_be_stopped(void **state) {
  (void)state;
  Hand *h = duffing(20);
  double starts[STARTS * MOST];
  list_starts(&h->problem, starts);
  h->problem.method = METHOD_LM;
  for (int threads = 1; threads <= 2; threads++) {
    Patience p = {.most = 1};
    ManyFitsRequest q = {.starts = starts,
                         .count = STARTS,
                         .threads = threads,
                         .lanes = true,
                         .take = count_taken,
                         .listener = be_patient,
                         .data = &p};
    q.fit = fit_run_on;
    Fitting *f = fitting_new(&h->problem);
    assert_false(many_fits_run(f, &h->problem, &q));
    fitting_free(f);
    assert_true(p.taken < STARTS);
  }
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_find_the_same_optima),
      cmocka_unit_test(the_number_of_threads_changes_no_bit),
      cmocka_unit_test(values_in_lanes_are_those_of_points_alone),
      cmocka_unit_test(every_task_is_begun_in_order_and_ends),
      cmocka_unit_test(tasks_may_ask_for_many_points),
      cmocka_unit_test(many_fits_can_be_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
