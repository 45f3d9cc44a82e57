#include "residual/simulation.h"

#include "base/patience.h"
#include "swings.h"
#include "threshold.h"

typedef struct Trial {
  Fitting *fitting;
  long steps; // of the one that succeeded
} Trial;

static bool trial_may_take(void *data, double steps) {
  const Trial *t = data;
  long limit = eval_step_limit(t->fitting, t->steps);
  return limit == 0 || steps <= (double)limit;
}

// 20000 steps and 50 times those of a run that succeeded; never more than the options allow, and no limit before.
static void trials_are_limited_by_the_run_before(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  h->problem.simulate.max_steps = 1000000;
  Trial t = {fitting_new(&h->problem), 0};
  assert_int_equal(eval_step_limit(t.fitting, 0), 0);
  for (t.steps = 1; t.steps < 10000; t.steps *= 10)
    assert_threshold(trial_may_take, &t, 20000 + 50.0 * (double)t.steps);
  assert_int_equal(eval_step_limit(t.fitting, 1000000), 0);
  fitting_free(t.fitting);
  hand_done(h);
}

static void the_usual_spec_is_full(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  Fitting *f = fitting_new(&h->problem);
  EvalSpec usual = eval_spec(f, NULL), s = usual;
  assert_true(eval_spec_is_full(&s));
  s.lambda = 0.1;
  assert_false(eval_spec_is_full(&s));
  s = usual, s.horizon = 0.9;
  assert_false(eval_spec_is_full(&s));
  s = usual, s.quick = true;
  assert_false(eval_spec_is_full(&s));
  fitting_free(f);
  hand_done(h);
}

// r^2/2, from the limit on a line that continues it smoothly.
static void the_huber_loss_is_smooth_at_its_limit(void **state) {
  (void)state;
  for (double limit = 0.1; limit < 100; limit *= 3) {
    double d = 1e-6 * limit;
    for (int sign = -1; sign <= 1; sign += 2) {
      double below = residual_loss(sign * (limit - d), limit),
             above = residual_loss(sign * (limit + d), limit);
      assert_close_relative((above - below) / (2 * d), limit, 1e-5);
      assert_close_relative(residual_loss(sign * 3 * limit, limit), 2.5 * limit * limit, 1e-12);
    }
    assert_close_relative(residual_loss(5 * limit, HUGE_VAL), 12.5 * limit * limit, 1e-12);
  }
}

// ---------------------------------------------------------------- giving up

static bool is_abandoned(void *data, double abandon_above) {
  Evaluation *e = data;
  static const double WRONG[] = {1, 1};
  EvalSpec spec = e->spec;
  EvalPoint at = {0};
  spec.abandon_above = abandon_above;
  return evaluate(e->work, &spec, WRONG, &at) == EVAL_ABANDONED;
}

static void a_simulation_is_abandoned_above_the_limit_alone(void **state) {
  (void)state;
  static const double WRONG[] = {1, 1};
  Hand *h = duffing(2, 0);
  Evaluation *e = evaluation_new(&h->problem);
  double objective = evaluate_value(e->work, &e->spec, WRONG);
  assert_threshold(is_abandoned, e, objective);
  long all = e->budget.used.rhs;
  is_abandoned(e, objective / 100); // and takes little then
  assert_true(e->budget.used.rhs - all < all / 6);
  evaluation_free(e);
  hand_done(h);
}

static bool never(void *data) {
  ++*(int *)data;
  return false;
}

static void the_end_of_patience_ends_a_simulation(void **state) {
  (void)state;
  int asked = 0;
  Hand *h = duffing(1, 0);
  h->problem.simulate.max_step = 1e-4; // many steps
  Evaluation *e = evaluation_new(&h->problem);
  SimulationWork *w = simulation_work_new(e->fitting, NULL);
  ModelRun *r = simulation_set(w, &e->spec, 0, DUFFING_TRUTH);
  Patience patience = {.goes_on = never, .data = &asked};
  patience_begin(&patience);
  EvalEnd end = simulation_run(w, &e->spec, r, 0, false, 0);
  patience_end(&patience);
  assert_int_equal(end, EVAL_STOPPED);
  assert_int_equal(asked, 1);
  simulation_work_free(w);
  evaluation_free(e);
  hand_done(h);
}

static void failures_say_why_and_are_counted(void **state) {
  (void)state;
  static const double ESCAPES[] = {-9, -9};
  Hand *h = duffing(1, 0);
  Evaluation *e = evaluation_new(&h->problem);
  SimulationWork *w = simulation_work_new(e->fitting, NULL);
  ModelRun *r = simulation_set(w, &e->spec, 0, ESCAPES);
  assert_int_equal(simulation_run(w, &e->spec, r, 0, false, 0), EVAL_FAILED);
  assert_true(strlen(w->message) > 10);
  assert_int_equal(e->budget.used.simulations, 1);
  assert_true(e->budget.used.steps > 0);
  simulation_work_free(w);
  evaluation_free(e);
  hand_done(h);
}

static void outputs_are_rounded_where_that_is_asked_for(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  h->problem.options.round_digits = 3;
  Evaluation *e = evaluation_new(&h->problem);
  SimulationWork *w = simulation_work_new(e->fitting, NULL);
  ModelRun *r = simulation_set(w, &e->spec, 0, DUFFING_TRUTH);
  assert_int_equal(simulation_run(w, &e->spec, r, 0, false, 0), EVAL_DONE);
  for (int i = 0; i < DUFFING_SAMPLES; i++) {
    char text[40];
    snprintf(text, sizeof text, "%.3g", r->column[0][i]);
    assert_close(atof(text), r->column[0][i], 1e-14);
  }
  simulation_work_free(w);
  evaluation_free(e);
  hand_done(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trials_are_limited_by_the_run_before),
      cmocka_unit_test(the_usual_spec_is_full),
      cmocka_unit_test(the_huber_loss_is_smooth_at_its_limit),
      cmocka_unit_test(a_simulation_is_abandoned_above_the_limit_alone),
      cmocka_unit_test(the_end_of_patience_ends_a_simulation),
      cmocka_unit_test(failures_say_why_and_are_counted),
      cmocka_unit_test(outputs_are_rounded_where_that_is_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
