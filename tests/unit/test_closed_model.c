#include "closed/closed_model.h"

#include "closed_trial.h"

static void rows_are_those_of_the_simulator(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  assert_int_equal(closed_trial_run(t, false), OUTCOME_REACHED_END);
  assert_int_equal(t->out.rows, CLOSED_ROWS);
  for (int i = 0; i < CLOSED_ROWS; i++) {
    double at = t->times[i];
    assert_close(t->values[2 * i], exp(0.7 * at) - 1.3 * sin(at), 1e-15);
    assert_close(t->values[2 * i + 1], 0.7 * 1.69 + 3, 1e-14); // the input is 3
  }
  assert_int_equal(t->calls, 1);
  assert_int_equal(t->out.runs.count, 1);
  assert_string_equal(t->out.solver, "trial");
  assert_string_equal(t->out.slopes_by, "");
  assert_close(t->out.t_end, 2, 0);
  closed_trial_close(t);
}

static void parameters_reach_it_and_those_that_differ_are_marked(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  t->p[t->parameter[CLOSED_B]] = 2;
  const SimulatorCall *c = closed_call(simulate_closed_work(t->work), &t->request, t->p);
  assert_int_equal(c->parameter_count, CLOSED_PARAMETERS);
  assert_close(c->parameters[CLOSED_A], 0.7, 0);
  assert_close(c->parameters[CLOSED_B], 2, 0);
  assert_false(c->given[CLOSED_A]);
  assert_true(c->given[CLOSED_B]);
  closed_trial_close(t);
}

static void what_is_not_read_is_not_recorded(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  const ClosedWork *w = simulate_closed_work(t->work);
  assert_int_equal(w->variable_count, 2);
  simulate_work_free(t->work);
  system_free(t->system);
  Expr y = t->model->value[closed_trial_find(t->model->flat, "y")];
  SystemSpec spec = {.outputs = &y, .output_count = 1, .lanes = 1, .code = CODE_AUTO};
  t->system = system_new(t->model, &spec);
  t->work = simulate_work_new(t->system, &t->options);
  assert_int_equal(simulate_closed_work(t->work)->variable_count, 1);
  closed_trial_close(t);
}

static void numbers_that_are_not_finite_end_it_with_the_rows_before(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  t->p[t->parameter[CLOSED_A]] = 600; // exp(600 t) is too large from t = 1.2 on
  assert_int_equal(closed_trial_run(t, false), OUTCOME_BAD_OUTPUT);
  assert_int_equal(t->out.rows, 6);
  assert_int_equal(strncmp(t->out.message, "trial: y is not finite at time 1.2", 34), 0);
  closed_trial_close(t);
}

static void an_outcome_of_the_simulator_is_that_of_the_run(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  t->a_fails_above = 0.5;
  for (int sens = 0; sens < 2; sens++) {
    assert_int_equal(closed_trial_run(t, sens), OUTCOME_CRASHED);
    assert_int_equal(t->out.rows, 0);
    assert_string_equal(t->out.message, "it broke at a = 0.7");
    assert_int_equal(t->calls, 1); // no differences of what failed
  }
  closed_trial_close(t);
}

static bool seen_enough(void *data, int rows) {
  *(int *)data = rows;
  return false;
}

static void who_watches_may_end_it(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  int rows = 0;
  t->out = (Trajectory){.values = t->values, .watch = seen_enough, .watch_data = &rows};
  simulate_run(t->work, &t->request, &t->out);
  assert_int_equal(t->out.outcome, OUTCOME_ABANDONED);
  assert_int_equal(rows, CLOSED_ROWS);
  closed_trial_close(t);
}

static void rows_by_columns_are_the_same(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  double y[CLOSED_ROWS], z[CLOSED_ROWS], slopes[4][CLOSED_ROWS];
  double *column[] = {y, z, slopes[0], slopes[1], slopes[2], slopes[3]};
  closed_trial_run(t, true);
  t->out = (Trajectory){.column = column, .with_sens = true};
  simulate_run(t->work, &t->request, &t->out);
  assert_int_equal(t->out.outcome, OUTCOME_REACHED_END);
  for (int i = 0; i < CLOSED_ROWS; i++) {
    assert_close(y[i], t->values[2 * i], 0);
    assert_close(z[i], t->values[2 * i + 1], 0);
    for (int k = 0; k < 4; k++) assert_close(slopes[k][i], t->sens[4 * i + k], 0);
  }
  closed_trial_close(t);
}

static void texts_have_numbers_of_their_own(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  ClosedModel *m = &t->simulator->model;
  double one = closed_text(m, "one"), two = closed_text(m, "two"), empty = closed_text(m, "");
  assert_true(one > 0 && two > 0 && empty > 0); // 0 is the default
  assert_true(one != two && two != empty);
  assert_close(closed_text(m, "one"), one, 0);
  assert_string_equal(t->simulator->texts.at[(int)two], "two");
  closed_trial_close(t);
}

static void parameters_are_found_by_name(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  assert_close(closed_parameter(&t->simulator->model, "b")->value, -1.3, 0);
  assert_null(closed_parameter(&t->simulator->model, "y"));
  assert_null(closed_parameter(&t->simulator->model, ""));
  closed_trial_close(t);
}

// A step of a parameter at 0 has a size, too.
static void sizes_of_steps_come_from_values_bounds_and_nominals(void **state) {
  (void)state;
  ClosedTrial *t = closed_trial_open();
  const ClosedWork *w = simulate_closed_work(t->work);
  assert_close(closed_default_step(w, t->parameter[CLOSED_B], -1.3).size, 1.3, 0);
  assert_close(closed_default_step(w, t->parameter[CLOSED_B], 0).size, 1, 0);
  assert_true(isinf(closed_default_step(w, t->parameter[CLOSED_B], 0).low));
  closed_trial_close(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_those_of_the_simulator),
      cmocka_unit_test(parameters_reach_it_and_those_that_differ_are_marked),
      cmocka_unit_test(what_is_not_read_is_not_recorded),
      cmocka_unit_test(numbers_that_are_not_finite_end_it_with_the_rows_before),
      cmocka_unit_test(an_outcome_of_the_simulator_is_that_of_the_run),
      cmocka_unit_test(who_watches_may_end_it),
      cmocka_unit_test(rows_by_columns_are_the_same),
      cmocka_unit_test(texts_have_numbers_of_their_own),
      cmocka_unit_test(parameters_are_found_by_name),
      cmocka_unit_test(sizes_of_steps_come_from_values_bounds_and_nominals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
