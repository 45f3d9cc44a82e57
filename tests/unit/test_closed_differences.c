#include "closed/closed_differences.h"

#include "closed_trial.h"

// Steps by parameter of the model; 0: chosen.
static const SlopeStep *steps_of(ClosedTrial *t, double step, double low, double high) {
  int np = t->model->flat->parameters.count;
  SlopeStep *steps = ARENA_ARRAY(t->arena, SlopeStep, np);
  for (int k = 0; k < np; k++)
    steps[k] = (SlopeStep){.size = 1, .low = -HUGE_VAL, .high = HUGE_VAL, .step = step};
  steps[t->parameter[CLOSED_A]].low = low;
  steps[t->parameter[CLOSED_A]].high = high;
  return steps;
}

static void use(ClosedTrial *t, ClosedDifference difference, const SlopeStep *steps) {
  ClosedSlopes *s = ARENA_NEW(t->arena, ClosedSlopes);
  *s = (ClosedSlopes){.difference = difference, .steps = steps};
  t->request.slopes = s;
}

static void assert_slopes(ClosedTrial *t, double tol) {
  if (closed_trial_run(t, true) != OUTCOME_REACHED_END) fail_msg("%s", t->out.message);
  assert_int_equal(t->out.rows, CLOSED_ROWS);
  assert_int_equal(t->out.runs.count, t->calls);
  assert_close(closed_trial_error(t, CLOSED_A), 0, tol);
  assert_close(closed_trial_error(t, CLOSED_B), 0, tol);
}

static void a_central_difference_has_an_error_of_second_order(void **state) {
  (void)state;
  double error[2];
  for (int i = 0; i < 2; i++) {
    ClosedTrial *t = closed_trial_open();
    use(t, CLOSED_CENTRAL, steps_of(t, i ? 0.005 : 0.01, -HUGE_VAL, HUGE_VAL));
    assert_slopes(t, 1e-3);
    error[i] = closed_trial_error(t, CLOSED_A);
    assert_int_equal(t->calls, 5); // two for each of two slopes
    assert_string_equal(t->out.slopes_by, "central differences of whole runs");
    closed_trial_close(t);
  }
  assert_close(error[0] / error[1], 4, 0.05);
}

static void a_forward_difference_has_an_error_of_first_order(void **state) {
  (void)state;
  double error[2];
  for (int i = 0; i < 2; i++) {
    ClosedTrial *t = closed_trial_open();
    use(t, CLOSED_FORWARD, steps_of(t, i ? 0.0005 : 0.001, -HUGE_VAL, HUGE_VAL));
    assert_slopes(t, 0.02);
    error[i] = closed_trial_error(t, CLOSED_A);
    assert_int_equal(t->calls, 3);
    assert_string_equal(t->out.slopes_by, "forward differences of whole runs");
    closed_trial_close(t);
  }
  assert_close(error[0] / error[1], 2, 0.02);
}

// At a bound, near one, and in the middle of a range that is smaller than the step.
static void bounds_are_never_passed(void **state) {
  (void)state;
  static const struct {
    double low, high;
  } BOUNDS[] = {{-HUGE_VAL, 0.7}, {0.7, HUGE_VAL}, {0.695, 0.7005}, {0.6999, 0.705},
                {0.699, 0.701},   {0.7, 0.7001},   {0.6999, 0.7}};
  for (int difference = 0; difference < 2; difference++)
    for (size_t i = 0; i < sizeof BOUNDS / sizeof *BOUNDS; i++) {
      ClosedTrial *t = closed_trial_open();
      t->a_fails_below = BOUNDS[i].low;
      t->a_fails_above = BOUNDS[i].high;
      use(t, difference ? CLOSED_FORWARD : CLOSED_CENTRAL,
          steps_of(t, 0.01, BOUNDS[i].low, BOUNDS[i].high));
      assert_slopes(t, difference ? 0.2 : 2e-3);
      for (int k = 0; k < t->calls; k++)
        assert_true(t->a_called[k] >= BOUNDS[i].low && t->a_called[k] <= BOUNDS[i].high);
      closed_trial_close(t);
    }
}

static void a_parameter_that_cannot_move_has_no_slope(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  use(t, CLOSED_CENTRAL, steps_of(t, 0.01, 0.7, 0.7));
  assert_int_equal(closed_trial_run(t, true), OUTCOME_REACHED_END);
  for (int i = 0; i < CLOSED_ROWS; i++)
    assert_close(closed_trial_sens(t, i, CLOSED_Y, CLOSED_A), 0, 0);
  assert_close(closed_trial_error(t, CLOSED_B), 0, 1e-3);
  closed_trial_close(t);
}

static void where_one_side_fails_the_other_serves(void **state) {
  (void)state;
  for (int side = 0; side < 2; side++) {
    ClosedTrial *t = closed_trial_open();
    if (side)
      t->a_fails_above = 0.7 + 1e-9;
    else
      t->a_fails_below = 0.7 - 1e-9;
    use(t, CLOSED_CENTRAL, steps_of(t, 1e-4, -HUGE_VAL, HUGE_VAL));
    assert_slopes(t, 5e-3);
    closed_trial_close(t);
  }
}

static void where_both_fail_the_outcome_is_theirs(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  t->a_fails_above = 0.7 + 1e-9;
  t->a_fails_below = 0.7 - 1e-9;
  use(t, CLOSED_CENTRAL, steps_of(t, 1e-4, -HUGE_VAL, HUGE_VAL));
  assert_int_equal(closed_trial_run(t, true), OUTCOME_CRASHED);
  assert_string_equal(t->out.message, "it broke at a = 0.7001 (in a run for the slope by a)");
  closed_trial_close(t);
}

static void the_plateau_is_found_without_noise(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  t->request.slopes = NULL; // steps are chosen, within the bounds of the model
  assert_slopes(t, 1e-7);
  assert_int_equal(t->calls, 1 + 2 * (14 + 2));
  closed_trial_close(t);
}

// The best central step for noise e and third derivative of about 1 is of the order of e^(1/3), its error of e^(2/3).
static void the_plateau_suits_the_noise(void **state) {
  (void)state;
  for (double noise = 1e-11; noise < 1e-4; noise *= 100) {
    ClosedTrial *t = closed_trial_open();
    int np = t->model->flat->parameters.count;
    SlopeStep *steps = ARENA_ARRAY(t->arena, SlopeStep, np);
    memcpy(steps, steps_of(t, 0, -HUGE_VAL, HUGE_VAL), (size_t)np * sizeof *steps);
    t->noise = noise;
    ClosedRuns runs = {0};
    t->simulator->model.choose_steps(simulate_closed_work(t->work), &t->request, t->parameter,
                                     CLOSED_PARAMETERS, steps, &runs);
    assert_int_equal(runs.count, 1 + 2 * 14);
    double best = cbrt(noise), step = steps[t->parameter[CLOSED_A]].step;
    assert_true(step > best / 30 && step < best * 30);
    use(t, CLOSED_CENTRAL, steps);
    assert_slopes(t, 200 * pow(noise, 2. / 3));
    assert_int_equal(t->calls, 5); // the steps are there
    closed_trial_close(t);
  }
}

static void steps_that_are_given_stay(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  int np = t->model->flat->parameters.count;
  SlopeStep *steps = ARENA_ARRAY(t->arena, SlopeStep, np);
  memcpy(steps, steps_of(t, 0.0123, -HUGE_VAL, HUGE_VAL), (size_t)np * sizeof *steps);
  t->calls = 0;
  ClosedRuns runs = {0};
  t->simulator->model.choose_steps(simulate_closed_work(t->work), &t->request, t->parameter,
                                   CLOSED_PARAMETERS, steps, &runs);
  assert_int_equal(runs.count, 0);
  assert_int_equal(t->calls, 0);
  assert_close(steps[t->parameter[CLOSED_A]].step, 0.0123, 0);
  closed_trial_close(t);
}

static void where_nothing_can_be_chosen_a_usual_step_is_taken(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  int np = t->model->flat->parameters.count;
  SlopeStep *steps = ARENA_ARRAY(t->arena, SlopeStep, np);
  memcpy(steps, steps_of(t, 0, -HUGE_VAL, HUGE_VAL), (size_t)np * sizeof *steps);
  t->a_fails_below = HUGE_VAL; // every run
  ClosedRuns runs = {0};
  t->simulator->model.choose_steps(simulate_closed_work(t->work), &t->request, t->parameter,
                                   CLOSED_PARAMETERS, steps, &runs);
  assert_int_equal(runs.ended[OUTCOME_CRASHED], t->calls);
  assert_true(steps[t->parameter[CLOSED_A]].step > 0);
  closed_trial_close(t);
}

// Those for slopes too, whether the other side serves or not.
static void failed_runs_are_counted(void **state) {
  (void)state;
  for (int both = 0; both < 2; both++) {
    ClosedTrial *t = closed_trial_open();
    double a = t->p[t->parameter[CLOSED_A]];
    t->a_fails_above = a;
    if (both) t->a_fails_below = a;
    use(t, CLOSED_CENTRAL, steps_of(t, 0.01, -HUGE_VAL, HUGE_VAL));
    Outcome end = closed_trial_run(t, true);
    assert_int_equal(end, both ? OUTCOME_CRASHED : OUTCOME_REACHED_END);
    assert_int_equal(t->out.slopes_failed, both);
    assert_int_equal(t->out.runs.ended[OUTCOME_CRASHED], 1 + both);
    assert_int_equal(t->out.runs.count, t->calls);
    assert_non_null(strstr(t->out.runs.message, "it broke at a = "));
    closed_trial_close(t);
  }
}

static ClosedParts judged(double factor, double noise, double tolerance, long *count) {
  ClosedTrial *t = closed_trial_open();
  t->slopes = factor;
  t->simulator->model.makes_slopes = true;
  t->noise = noise;
  t->options.rel_tol = tolerance;
  SlopeStep *steps = (SlopeStep *)steps_of(t, 0, -HUGE_VAL, HUGE_VAL);
  ClosedRuns runs = {0};
  ClosedParts parts = closed_choose_parts(simulate_closed_work(t->work), &t->request, steps, &runs);
  *count = runs.count;
  closed_trial_close(t);
  return parts;
}

// Whatever the noise, and whether the tolerance tells of it: what is right is never called wrong.
static void right_slopes_of_a_simulator_are_confirmed(void **state) {
  (void)state;
  long runs;
  assert_int_equal(judged(1, 0, 1e-7, &runs), CLOSED_PARTS_CHOSEN);
  assert_int_equal(runs, 4);
  for (double noise = 1e-12; noise < 1; noise *= 10)
    for (double tolerance = 1e-12; tolerance < 1e-2; tolerance *= 100)
      assert_int_equal(judged(1, noise, tolerance, &runs), CLOSED_PARTS_CHOSEN);
}

static void wrong_slopes_of_a_simulator_are_noticed(void **state) {
  (void)state;
  static const double FACTORS[] = {1.03, 0.9, 1e-9, -1, 100};
  long runs;
  for (size_t i = 0; i < sizeof FACTORS / sizeof *FACTORS; i++)
    for (double noise = 1e-12; noise < 1e-5; noise *= 10)
      assert_int_equal(judged(FACTORS[i], noise, 1e-7, &runs), CLOSED_PARTS_WRONG);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_central_difference_has_an_error_of_second_order),
      cmocka_unit_test(a_forward_difference_has_an_error_of_first_order),
      cmocka_unit_test(bounds_are_never_passed),
      cmocka_unit_test(a_parameter_that_cannot_move_has_no_slope),
      cmocka_unit_test(where_one_side_fails_the_other_serves),
      cmocka_unit_test(where_both_fail_the_outcome_is_theirs),
      cmocka_unit_test(the_plateau_is_found_without_noise),
      cmocka_unit_test(the_plateau_suits_the_noise),
      cmocka_unit_test(steps_that_are_given_stay),
      cmocka_unit_test(failed_runs_are_counted),
      cmocka_unit_test(right_slopes_of_a_simulator_are_confirmed),
      cmocka_unit_test(wrong_slopes_of_a_simulator_are_noticed),
      cmocka_unit_test(where_nothing_can_be_chosen_a_usual_step_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
