#include "global_laws.h"

// Without crossover a trial differs from its target in one number.
static void a_trial_always_has_a_number_of_the_mutant(void **state) {
  (void)state;
  Trial *t = trial_new(hills, 4, 4);
  t->population.de_crossover = 0;
  t->population.generations = 1;
  run(t);
  for (int k = 40; k < t->points; k++) {
    int differs = 0;
    for (int i = 0; i < 4; i++) differs += t->seen[k][i] != t->seen[k - 40][i];
    assert_int_equal(differs, 1);
  }
  trial_free(t);
}

// A number of a mutant is a sum of those of three others, none of them its target.
static bool is_a_mutant(const Trial *t, int trial, int members) {
  double most = 1.0, least = 0.5, x = t->seen[trial][0];
  for (int a = 0; a < members; a++)
    for (int b = 0; b < members; b++)
      for (int c = 0; c < members; c++) {
        double weight = (x - t->seen[a][0]) / (t->seen[b][0] - t->seen[c][0]);
        bool own = a == trial - members || b == trial - members || c == trial - members;
        if (!own && a != b && a != c && b != c && weight >= least && weight <= most) return true;
      }
  return false;
}

static void mutants_are_sums_of_members(void **state) {
  (void)state;
  Trial *t = trial_new(hills, 1, 0);
  t->population.population = 4;
  t->population.generations = 1;
  t->population.de_crossover = 1;
  t->lower[0] = -100, t->upper[0] = 100; // no mutant is moved inside
  run(t);
  for (int k = 4; k < t->points; k++) assert_true(is_a_mutant(t, k, 4));
  trial_free(t);
}

static void the_best_as_base_is_faster_on_a_sphere(void **state) {
  (void)state;
  int points[2] = {0};
  for (int seed = 1; seed <= 5; seed++)
    for (int strategy = DE_STRATEGY_RAND; strategy <= DE_STRATEGY_BEST; strategy++) {
      Trial *t = trial_new(sphere, 4, 4);
      t->population.seed = seed;
      t->population.de_strategy = strategy;
      t->options.target = 0.2501;
      run(t);
      assert_int_equal(t->result.end, LOCAL_TARGET_END);
      points[strategy] += t->points;
      trial_free(t);
    }
  assert_true(points[DE_STRATEGY_BEST] < points[DE_STRATEGY_RAND]);
}

static void few_members_are_enough_to_go_on(void **state) {
  (void)state;
  for (int size = 1; size < 4; size++) {
    Trial *t = trial_new(sphere, 2, 4);
    t->population.population = size;
    t->population.generations = 20;
    run(t);
    assert_true(t->result.best->objective <= sphere((double[]){4, 4}, 2));
    trial_free(t);
  }
}

int main(void) {
  method = global_de;
  const struct CMUnitTest tests[] = {
      GLOBAL_LAWS,
      cmocka_unit_test(a_trial_always_has_a_number_of_the_mutant),
      cmocka_unit_test(mutants_are_sums_of_members),
      cmocka_unit_test(the_best_as_base_is_faster_on_a_sphere),
      cmocka_unit_test(few_members_are_enough_to_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
