#include "global_laws.h"

static void the_swarm_has_ten_particles_for_each_number(void **state) {
  (void)state;
  for (int n = 1; n < 5; n++) {
    Trial *t = trial_new(hills, n, 4);
    t->population.generations = 6;
    run(t);
    assert_int_equal(t->points, 7 * 10 * n);
    trial_free(t);
  }
}

// Without inertia and attraction nothing moves.
static void particles_without_any_drive_stay(void **state) {
  (void)state;
  Trial *t = trial_new(hills, 2, 4);
  t->population.pso_inertia_least = t->population.pso_inertia_most = t->population.pso_self =
      t->population.pso_social = 0;
  t->population.generations = 3;
  run(t);
  for (int k = 20; k < t->points; k++)
    assert_true(memcmp(t->seen[k], t->seen[k - 20], 2 * sizeof(double)) == 0);
  trial_free(t);
}

// With inertia alone a particle flies along a line as far as the bounds, and stays there.
static void inertia_keeps_the_speed_up_to_the_bounds(void **state) {
  (void)state;
  Trial *t = trial_new(flat, 1, 4);
  t->population.pso_inertia_least = t->population.pso_inertia_most = 1;
  t->population.pso_self = t->population.pso_social = 0;
  t->population.generations = 12;
  run(t);
  int stopped = 0;
  for (int k = 20; k < t->points; k++) {
    double now = t->seen[k][0], before = t->seen[k - 10][0], last = t->seen[k - 20][0];
    bool bound = fabs(now) == 5;
    stopped += bound;
    if (!bound) assert_close(now - before, before - last, 1e-12);
    if (fabs(before) == 5) assert_true(now == before);
  }
  assert_true(stopped > 20);
  trial_free(t);
}

// Attraction by the best neighbour alone draws all particles to it.
static void neighbours_draw_particles_to_the_best(void **state) {
  (void)state;
  Trial *t = trial_new(exact_sphere, 2, 4);
  t->population.pso_inertia_least = t->population.pso_inertia_most = t->population.pso_self = 0;
  t->population.pso_neighbours = 1;
  t->population.generations = 400;
  t->population.stall = 1000;
  run(t);
  assert_int_equal(t->result.end, LOCAL_TOGETHER_END);
  trial_free(t);
}

int main(void) {
  method = global_pso;
  const struct CMUnitTest tests[] = {
      GLOBAL_LAWS,
      cmocka_unit_test(the_swarm_has_ten_particles_for_each_number),
      cmocka_unit_test(particles_without_any_drive_stay),
      cmocka_unit_test(inertia_keeps_the_speed_up_to_the_bounds),
      cmocka_unit_test(neighbours_draw_particles_to_the_best),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
