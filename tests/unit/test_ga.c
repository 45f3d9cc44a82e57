#include "global_laws.h"

// 50 members, of which 3 are elite.
static void the_elite_is_not_evaluated_again(void **state) {
  (void)state;
  Trial *t = trial_new(hills, 3, 4);
  t->population.generations = 10;
  run(t);
  assert_int_equal(t->points, 50 + 10 * 47);
  t->population.ga_elite = 0.5;
  run(t);
  assert_int_equal(t->points, 50 + 10 * 25);
  t->population.ga_elite = 0; // one stays even so
  run(t);
  assert_int_equal(t->points, 50 + 10 * 49);
  trial_free(t);
}

// Whether number i of a point is that of one of the first members.
static bool is_inherited(const Trial *t, int point, int i, int members) {
  for (int k = 0; k < members; k++)
    if (t->seen[k][i] == t->seen[point][i]) return true;
  return false;
}

static void crossover_makes_no_new_numbers(void **state) {
  (void)state;
  Trial *t = trial_new(hills, 3, 4);
  t->population.ga_crossover = 1;
  t->population.generations = 5;
  run(t);
  int mixed = 0;
  for (int k = 50; k < t->points; k++) {
    bool copy = false;
    for (int i = 0; i < 3; i++) assert_true(is_inherited(t, k, i, 50));
    for (int l = 0; l < 50; l++)
      copy = copy || memcmp(t->seen[k], t->seen[l], 3 * sizeof(double)) == 0;
    mixed += !copy;
  }
  assert_true(mixed > 50);
  trial_free(t);
}

static void mutation_makes_new_numbers(void **state) {
  (void)state;
  Trial *t = trial_new(sphere, 3, 4);
  t->population.ga_crossover = 0;
  t->population.generations = 5;
  run(t);
  for (int k = 50; k < t->points; k++)
    for (int i = 0; i < 3; i++) assert_false(is_inherited(t, k, i, 50));
  t->population.generations = 0;
  run(t); // finds its way without any crossover
  assert_at_sphere(t, 0.02);
  trial_free(t);
}

// All members but the best are rarely parents when there are many children of few parents: the first children take more
// of their numbers from the better half.
static void better_members_have_more_children(void **state) {
  (void)state;
  int better = 0, all = 0;
  for (int seed = 1; seed <= 20; seed++) {
    Trial *t = trial_new(sphere, 1, 4);
    t->population.seed = seed;
    t->population.ga_crossover = 1;
    t->population.generations = 1;
    run(t);
    double V[50];
    for (int k = 0; k < 50; k++) V[k] = sphere(t->seen[k], 1);
    for (int k = 50; k < t->points; k++) {
      int rank = 0;
      for (int l = 0; l < 50; l++) rank += V[l] < sphere(t->seen[k], 1);
      better += rank < 25;
      all++;
    }
    trial_free(t);
  }
  // The sum of 1/sqrt(rank) over the first 25 of 50.
  assert_close((double)better / all, 8.639 / 12.752, 0.03);
}

int main(void) {
  method = global_ga;
  const struct CMUnitTest tests[] = {
      GLOBAL_LAWS,
      cmocka_unit_test(the_elite_is_not_evaluated_again),
      cmocka_unit_test(crossover_makes_no_new_numbers),
      cmocka_unit_test(mutation_makes_new_numbers),
      cmocka_unit_test(better_members_have_more_children),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
