// The FMU integrates itself; its steps of communication are ours.
#include "fmu_trial.h"

static const char *const OSCILLATORS[] = {"oscillator2", "oscillator3"};

// x'' = -w^2 x - 2 d x' from x = 1 at rest.
static double decaying(double t, double k, double c) {
  double d = c / 2, w = sqrt(k - d * d);
  return exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
}

static void a_motion_is_that_of_its_equations(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    FmuTrial *t = fmu_trial_open(OSCILLATORS[f], FMU_CS);
    fmu_trial_set(t, "k", 5);
    fmu_trial_record(t, "x");
    fmu_trial_times(t, 0, 10, 101);
    const SimulatorAnswer *a = fmu_trial_run_fully(t);
    for (int i = 0; i < 101; i++)
      assert_close(fmu_trial_value(t, i, 0), decaying(t->times[i], 5, 0.2), 1e-9);
    assert_string_equal(a->solver, "co-simulation");
    assert_close(a->t_end, 10, 0);
    assert_int_equal(a->work.steps, 100);
    fmu_trial_close(t);
  }
}

static void slopes_are_left_to_others(void **state) {
  (void)state;
  FmuTrial *t = fmu_trial_open("oscillator2", FMU_CS);
  fmu_trial_record(t, "x");
  fmu_trial_slope(t, "k");
  fmu_trial_times(t, 0, 1, 3);
  assert_null(fmu_trial_run_fully(t)->slopes);
  fmu_trial_close(t);
}

static void rows_need_not_be_points_of_the_step(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    FmuTrial *t = fmu_trial_open_spec(OSCILLATORS[f], FMU_CS, 0.07);
    fmu_trial_record(t, "x");
    fmu_trial_times(t, 0, 1, 8);
    fmu_trial_run_fully(t);
    for (int i = 0; i < 8; i++)
      assert_close(fmu_trial_value(t, i, 0), decaying(t->times[i], 4, 0.2), 1e-9);
    assert_true(t->answer->work.steps >= 14 && t->answer->work.steps <= 22);
    fmu_trial_close(t);
  }
}

// Every step is one of the step's length, or shorter; the last one ends exactly at the end.
static void a_smaller_step_makes_more_steps(void **state) {
  (void)state;
  long before = 0;
  for (double step = 1; step > 1e-3; step /= 2) {
    FmuTrial *t = fmu_trial_open_spec("oscillator2", FMU_CS, step);
    fmu_trial_record(t, "x");
    fmu_trial_times(t, 0, 3, 4);
    fmu_trial_run_fully(t);
    assert_true(t->answer->work.steps > before);
    assert_int_equal(t->answer->work.steps, lround(3 / step));
    before = t->answer->work.steps;
    fmu_trial_close(t);
  }
}

static void inputs_that_hold_are_followed_exactly(void **state) {
  (void)state;
  static const double TIMES[] = {0, 0.73, 1.9}, FORCE[] = {0, 2, -1};
  for (int f = 0; f < 2; f++) {
    FmuTrial *t = fmu_trial_open(OSCILLATORS[f], FMU_CS);
    FmuTrial *me = fmu_trial_open(OSCILLATORS[f], FMU_ME);
    FmuTrial *both[] = {t, me};
    for (int k = 0; k < 2; k++) {
      fmu_trial_input(both[k], "F", input_new(both[k]->arena, TIMES, FORCE, 3, INPUT_HOLD, NULL));
      fmu_trial_record(both[k], "x");
      fmu_trial_record(both[k], "a");
      fmu_trial_times(both[k], 0, 3.8, 39); // the second jump is at a row
      fmu_trial_run_fully(both[k]);
    }
    for (int i = 0; i < 39; i++)
      for (int v = 0; v < 2; v++)
        assert_close(fmu_trial_value(t, i, v), fmu_trial_value(me, i, v), 1e-6);
    fmu_trial_close(t);
    fmu_trial_close(me);
  }
}

// Inputs are constant during a step: halving it halves the error.
static void inputs_that_vary_are_followed_the_better_the_smaller_the_step(void **state) {
  (void)state;
  static const double TIMES[] = {0, 1, 2, 3}, FORCE[] = {0, 3, -2, 1};
  double error[2];
  FmuTrial *me = fmu_trial_open("oscillator2", FMU_ME);
  fmu_trial_input(me, "F", input_new(me->arena, TIMES, FORCE, 4, INPUT_LINEAR, NULL));
  fmu_trial_record(me, "x");
  fmu_trial_times(me, 0, 3, 31);
  fmu_trial_run_fully(me);
  for (int k = 0; k < 2; k++) {
    FmuTrial *t = fmu_trial_open_spec("oscillator2", FMU_CS, k ? 0.01 : 0.02);
    fmu_trial_input(t, "F", input_new(t->arena, TIMES, FORCE, 4, INPUT_LINEAR, NULL));
    fmu_trial_record(t, "x");
    fmu_trial_times(t, 0, 3, 31);
    fmu_trial_run_fully(t);
    error[k] = 0;
    for (int i = 0; i < 31; i++)
      error[k] = fmax(error[k], fabs(fmu_trial_value(t, i, 0) - fmu_trial_value(me, i, 0)));
    fmu_trial_close(t);
  }
  assert_close(error[0] / error[1], 2, 0.4);
  fmu_trial_close(me);
}

static void an_origin_moves_time_and_nothing_else(void **state) {
  (void)state;
  FmuTrial *t = fmu_trial_open("stairs3", FMU_CS), *moved = fmu_trial_open("stairs3", FMU_CS);
  FmuTrial *both[] = {t, moved};
  moved->call.origin = 5000;
  for (int k = 0; k < 2; k++) {
    fmu_trial_record(both[k], "x");
    fmu_trial_record(both[k], "counter");
    fmu_trial_times(both[k], 0, 4.6, 24);
    fmu_trial_run_fully(both[k]);
  }
  for (int i = 0; i < 24; i++)
    for (int v = 0; v < 2; v++)
      assert_close(fmu_trial_value(t, i, v), fmu_trial_value(moved, i, v), 1e-9);
  fmu_trial_close(t);
  fmu_trial_close(moved);
}

static void texts_and_numbers_of_all_types_are_set(void **state) {
  (void)state;
  static const char *const NAMES[] = {"table2", "table3"};
  for (int f = 0; f < 2; f++) {
    FmuTrial *t = fmu_trial_open(NAMES[f], FMU_CS);
    fmu_trial_record(t, "x");
    fmu_trial_times(t, 0, 1, 2);
    double plain = (fmu_trial_run_fully(t), fmu_trial_value(t, 1, 0));
    fmu_trial_set(t, "order", 0); // gain^0 = 1
    fmu_trial_run_fully(t);
    assert_close(fmu_trial_value(t, 1, 0), 1 - exp(-1), 1e-9);
    fmu_trial_set(t, "speed", 2);
    fmu_trial_run_fully(t);
    assert_close(fmu_trial_value(t, 1, 0), 1 - exp(-10), 1e-6);
    fmu_trial_set(t, "invert", 1);
    fmu_trial_set(t, "speed", 1);
    fmu_trial_run_fully(t);
    assert_close(fmu_trial_value(t, 1, 0), 1 - exp(1), 1e-9);
    fmu_trial_set(t, "order", 1);
    fmu_trial_set(t, "invert", 0);
    fmu_trial_set_text(t, "file", "gains.txt");
    fmu_trial_run_fully(t);
    assert_close(fmu_trial_value(t, 1, 0), plain, 0);
    fmu_trial_set_text(t, "file", "no such file");
    const SimulatorAnswer *a = fmu_trial_run(t);
    assert_int_equal(a->outcome, OUTCOME_REFUSED);
    assert_non_null(strstr(a->log, "cannot read no such file: No such file or directory"));
    fmu_trial_close(t);
  }
}

static void numbers_of_every_type_come_back(void **state) {
  (void)state;
  static const char *const TYPES[] = {"Float64", "Float32", "Int8",  "UInt8",  "Int16",  "UInt16",
                                      "Int32",   "UInt32",  "Int64", "UInt64", "Boolean"};
  static const double VALUES[] = {-1e300,        0.25,         -128,  255,  -32768, 65535,
                                  -2147483648.0, 4294967295.0, -9e15, 9e15, 0};
  enum { COUNT = sizeof TYPES / sizeof *TYPES };
  for (int interface = 0; interface < 2; interface++) {
    FmuTrial *t = fmu_trial_open("types3", interface ? FMU_CS : FMU_ME);
    for (int i = 0; i < COUNT; i++) {
      fmu_trial_set(t, arena_print(t->arena, "p%s", TYPES[i]), VALUES[i]);
      fmu_trial_record(t, arena_print(t->arena, "y%s", TYPES[i]));
    }
    fmu_trial_times(t, 0, 1, 2);
    fmu_trial_run_fully(t);
    for (int i = 0; i < COUNT; i++) assert_close(fmu_trial_value(t, 1, i), VALUES[i], 0);
    fmu_trial_close(t);
  }
}

static void ends_before_the_end_are_outcomes(void **state) {
  (void)state;
  static const struct {
    int mode;
    Outcome outcome;
    const char *says, *log;
  } ENDS[] = {
      {7, OUTCOME_REFUSED, "reported an error at time 0.4", "the spring \\x1b[31mbroke"},
      {9, OUTCOME_TERMINATED, "ended the simulation itself at time 0.5", ""},
      {10, OUTCOME_REFUSED, "refused (discarded) the step from time 0.4", ""},
  };
  for (int version = 2; version <= 3; version++)
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
      FmuTrial *t = fmu_trial_open(version == 2 ? "bad2" : "bad3", FMU_CS);
      fmu_trial_set(t, "mode", ENDS[i].mode);
      fmu_trial_record(t, "x");
      fmu_trial_times(t, 0, 1, 11);
      const SimulatorAnswer *a = fmu_trial_run(t);
      if (a->outcome != ENDS[i].outcome || !strstr(a->message, ENDS[i].says))
        fail_msg("mode %d: %s: %s", ENDS[i].mode, outcome_word(a->outcome), a->message);
      if (!strstr(a->log, ENDS[i].log)) fail_msg("log: %s", a->log);
      assert_true(a->rows == 5 || a->rows == 6); // before 0.5, and perhaps that one
      for (int row = 0; row < a->rows && row < 5; row++)
        assert_close(fmu_trial_value(t, row, 0), cos(2 * t->times[row]), 1e-6);
      fmu_trial_close(t);
    }
}

static void steps_without_number_are_refused(void **state) {
  (void)state;
  FmuTrial *t = fmu_trial_open_spec("oscillator2", FMU_CS, 1e-9);
  fmu_trial_record(t, "x");
  fmu_trial_times(t, 0, 10, 2);
  const SimulatorAnswer *a = fmu_trial_run(t);
  assert_int_equal(a->outcome, OUTCOME_TOO_MANY_STEPS);
  assert_non_null(strstr(a->message, "steps of 1e-09 are too many for this simulation"));
  fmu_trial_close(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motion_is_that_of_its_equations),
      cmocka_unit_test(slopes_are_left_to_others),
      cmocka_unit_test(rows_need_not_be_points_of_the_step),
      cmocka_unit_test(a_smaller_step_makes_more_steps),
      cmocka_unit_test(inputs_that_hold_are_followed_exactly),
      cmocka_unit_test(inputs_that_vary_are_followed_the_better_the_smaller_the_step),
      cmocka_unit_test(an_origin_moves_time_and_nothing_else),
      cmocka_unit_test(texts_and_numbers_of_all_types_are_set),
      cmocka_unit_test(numbers_of_every_type_come_back),
      cmocka_unit_test(ends_before_the_end_are_outcomes),
      cmocka_unit_test(steps_without_number_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
