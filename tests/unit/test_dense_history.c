#include "residual/dense_history.h"

#include "recorded_motion.h"

static void a_history_gives_the_motion_and_its_sensitivities(void **state) {
  (void)state;
  const char *const SOLVERS[] = {"rk5", "rk8", "rosenbrock", "bdf"};
  for (int s = 0; s < 4; s++) {
    Recorded f;
    record(&f, 0.3, SOLVERS[s]);
    double tol = strcmp(SOLVERS[s], "bdf") == 0 ? 1e-6 : 1e-8;
    for (int i = 0; i <= 100; i++) {
      double t = RECORDED_END * ((i * 37) % 101) / 100, values[6], x = exp(-0.3 * t);
      history_read(f.history, t, 6, values);
      assert_close(values[0], x, tol);
      assert_close(values[1], 0.5 * cos(2 * t), tol);
      assert_close(values[3], -t * x, tol);
      assert_close(values[4], 0, 0);
      const HistoryStep *step = &f.history->steps.at[history_find(f.history, t)];
      assert_true(t == 0 || (step->begin < t && t <= step->end));
    }
    record_done(&f);
  }
}

static void steps_follow_each_other_without_gaps(void **state) {
  (void)state;
  Recorded f;
  record(&f, 0.3, "rk8");
  const DenseHistory *h = f.history;
  assert_true(h->steps.at[0].begin == 0);
  for (int i = 1; i < h->steps.count; i++)
    assert_true(h->steps.at[i].begin == h->steps.at[i - 1].end);
  assert_true(h->steps.at[h->steps.count - 1].end == RECORDED_END);
  record_done(&f);
}

// What was read before only makes the next reading faster.
static void reading_does_not_depend_on_the_order(void **state) {
  (void)state;
  enum { N = 50 };
  double forward[N], value;
  Recorded f;
  record(&f, 0.3, "rk5");
  for (int i = 0; i < N; i++) history_read(f.history, RECORDED_END * i / (N - 1), 1, &forward[i]);
  for (int i = N - 1; i >= 0; i--) {
    history_read(f.history, RECORDED_END * i / (N - 1), 1, &value);
    assert_memory_equal(&value, &forward[i], sizeof value);
  }
  for (int i = 0; i < N; i++) {
    int k = i * 17 % N;
    history_read(f.history, RECORDED_END * k / (N - 1), 1, &value);
    assert_memory_equal(&value, &forward[k], sizeof value);
  }
  record_done(&f);
}

static void a_cleared_history_is_empty_and_can_be_filled_again(void **state) {
  (void)state;
  Recorded f;
  record(&f, 0.3, "rk8");
  double before, after, nothing[1], untouched = 7;
  const double stop = RECORDED_END;
  int steps = f.history->steps.count;
  history_read(f.history, 2, 1, &before);
  history_clear(f.history);
  assert_int_equal(f.history->steps.count, 0);
  history_read(f.history, 2, 1, &untouched);
  assert_true(untouched == 7);
  SimulateRequest request = {.p = f.hand->truth, .times = &stop, .count = 1};
  Trajectory t = {.values = nothing, .stepped = history_record, .stepped_data = f.history};
  simulate_run(f.simulate, &request, &t);
  assert_int_equal(f.history->steps.count, steps);
  history_read(f.history, 2, 1, &after);
  assert_memory_equal(&before, &after, sizeof before);
  record_done(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_history_gives_the_motion_and_its_sensitivities),
      cmocka_unit_test(steps_follow_each_other_without_gaps),
      cmocka_unit_test(reading_does_not_depend_on_the_order),
      cmocka_unit_test(a_cleared_history_is_empty_and_can_be_filled_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
