#include "residual/budget.h"

#include "base/patience.h"
#include "residual/many_points.h"
#include "swings.h"

static void what_is_left_and_what_is_used_make_the_whole(void **state) {
  (void)state;
  Budget b = {.max_simulations = 10};
  for (int used = 0; used <= 12; used++) {
    b.used.simulations = used / 2, b.used.sensitivity_simulations = used - used / 2;
    assert_int_equal(budget_left(&b) + work_count_simulations(&b.used), 10);
    for (int more = 1; more < 5; more++) {
      b.exhausted = false;
      assert_true(budget_allows(&b, more) == (used + more <= 10));
      assert_true(b.exhausted == (used + more > 10)); // and stays so
    }
  }
}

static void what_is_afforded_fits_and_one_more_does_not(void **state) {
  (void)state;
  for (int most = 0; most < 12; most++)
    for (int experiments = 1; experiments < 5; experiments++)
      for (int wanted = 0; wanted < 9; wanted++) {
        Budget b = {.max_simulations = most};
        int some = budget_affords(&b, wanted, experiments);
        assert_true(some >= 0 && some <= wanted && some * experiments <= most);
        if (some < wanted) assert_true((some + 1) * experiments > most);
      }
}

static void an_overdrawn_budget_affords_nothing(void **state) {
  (void)state;
  Budget b = {.max_simulations = 3, .used.simulations = 8};
  assert_int_equal(budget_affords(&b, 5, 1), 0);
  assert_false(budget_allows(&b, 1));
}

static bool no_more_than(void *data) {
  return --*(int *)data >= 0;
}

static void patience_and_the_flag_end_it(void **state) {
  (void)state;
  int answers = 1;
  Budget b = {.max_simulations = 5}, done = {.max_simulations = 5, .exhausted = true};
  assert_true(budget_allows(&b, 1) && budget_allows(NULL, 1));
  assert_false(budget_allows(&done, 1));
  Patience patience = {.goes_on = no_more_than, .data = &answers};
  patience_begin(&patience);
  assert_true(budget_allows(&b, 1));
  assert_false(budget_allows(&b, 1) || budget_allows(NULL, 1));
  patience_end(&patience);
  assert_true(budget_allows(&b, 1));
}

// ---------------------------------------------------------------- evaluations keep to it

static void no_evaluation_begins_without_budget(void **state) {
  (void)state;
  Hand *h = duffing(1, 0);
  Evaluation *e = evaluation_new(&h->problem);
  e->budget.max_simulations = 3;
  for (int i = 0; i < 6; i++) {
    EvalPoint at = {0};
    EvalEnd end = evaluate(e->work, &e->spec, DUFFING_TRUTH, &at);
    assert_int_equal(end, i < 3 ? EVAL_DONE : EVAL_STOPPED);
    assert_true((at.objective == HUGE_VAL) == (i >= 3));
  }
  assert_int_equal(work_count_simulations(&e->budget.used), 3);
  evaluation_free(e);
  hand_done(h);
}

static void of_many_points_the_first_that_it_affords_are_computed(void **state) {
  (void)state;
  enum { COUNT = 7 };
  Hand *h = duffing(2, 0.05);
  for (int threads = 1; threads <= 2; threads++)
    for (int most = 0; most <= 2 * COUNT + 1; most += 3) {
      Evaluation *e = evaluation_new(&h->problem);
      ManyPoints *m = many_points_new(e->work, threads);
      double x[COUNT][2], V[COUNT];
      long steps;
      for (int k = 0; k < COUNT; k++) x[k][0] = 1.5 + 0.1 * k, x[k][1] = 0.5;
      e->budget.max_simulations = most;
      EvalEnd end = many_values(m, &e->spec, x[0], COUNT, V, &steps);
      int affordable = most / 2 < COUNT ? most / 2 : COUNT;
      for (int k = 0; k < COUNT; k++) assert_true((V[k] < HUGE_VAL) == (k < affordable));
      assert_int_equal(end, affordable < COUNT ? EVAL_STOPPED : EVAL_DONE);
      assert_true(e->budget.exhausted == (affordable < COUNT));
      assert_int_equal(work_count_simulations(&e->budget.used), 2 * affordable);
      many_points_free(m);
      evaluation_free(e);
    }
  hand_done(h);
}

static void what_a_simulator_wrote_stands_in_quotes(void **state) {
  (void)state;
  static const char *const CASES[][2] = {
      {"it broke", "it broke"},
      {"it broke.", "it broke"},
      {"it broke\n", "it broke"},
      {"it broke\n\nno licence\n", "it broke; it wrote: 'no licence'"},
      {"it broke.\na\nb", "it broke; it wrote: 'a / b'"},
      {"", ""},
  };
  Arena *a = arena_new();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    assert_string_equal(failure_sentence(a, CASES[i][0]), CASES[i][1]);
  arena_free(a);
}

// With one example of the last kind, at the point.
static void failed_runs_are_added(void **state) {
  (void)state;
  Arena *a = arena_new();
  double x[] = {1, 2};
  Budget b = {.failed = failed_simulations_new(a, 2)};
  ClosedRuns runs = {.count = 5, .how = OUTCOME_CRASHED, .message = "why"};
  runs.ended[OUTCOME_CRASHED] = 2, runs.ended[OUTCOME_TIMED_OUT] = 1;
  for (int i = 0; i < 2; i++) budget_count_failed_runs(&b, &runs, x, 2);
  assert_int_equal(b.used.ended[OUTCOME_CRASHED], 4);
  assert_int_equal(b.used.ended[OUTCOME_TIMED_OUT], 2);
  assert_true(b.failed[OUTCOME_CRASHED].seen && !b.failed[OUTCOME_TIMED_OUT].seen);
  assert_string_equal(b.failed[OUTCOME_CRASHED].message, "why");
  assert_memory_equal(b.failed[OUTCOME_CRASHED].x, x, sizeof x);
  arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_simulator_wrote_stands_in_quotes),
      cmocka_unit_test(failed_runs_are_added),
      cmocka_unit_test(what_is_left_and_what_is_used_make_the_whole),
      cmocka_unit_test(what_is_afforded_fits_and_one_more_does_not),
      cmocka_unit_test(an_overdrawn_budget_affords_nothing),
      cmocka_unit_test(patience_and_the_flag_end_it),
      cmocka_unit_test(no_evaluation_begins_without_budget),
      cmocka_unit_test(of_many_points_the_first_that_it_affords_are_computed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
