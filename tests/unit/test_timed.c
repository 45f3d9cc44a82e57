#include "model/timed.h"

#include "loaded.h"
#include "model/system.h"

#define MODEL(u, beyond)                                                                           \
  "model A parameter Real t0 = 0.5; Real s(start = 0, fixed = true), y; equation der(s) = 1; y = " \
  "Entrain.Tables.linear(" u ", {0, 1, 3}, {0, 1, 5}, " beyond "); end A;"

// The times of all events up to 7.
static int list_times(Loaded *l, double *times) {
  System *s = system_new(l->m, &(SystemSpec){.lanes = 1});
  SystemWork *w = system_work_new(s);
  double p[8], y[8], t = 0;
  int count = 0;
  for (int k = 0; k < l->m->np; k++) p[k] = l->m->flat->parameters.at[k].value;
  system_set_parameters(w, p);
  system_start(w, 0, y);
  while ((t = system_next_timed(w, t, y)) <= 7) times[count++] = t;
  system_work_free(w);
  system_free(s);
  return count;
}

static void assert_times(Loaded *l, double a, double b, double c) {
  double t[16], wanted[3] = {a, b, c};
  assert_int_equal(list_times(l, t), 3);
  for (int i = 0; i < 3; i++) assert_close(t[i], wanted[i], 1e-14);
}

static void the_times_of_events_are_known(void **state) {
  (void)state;
  double t[16];
  Loaded l = load_good(MODEL("time", "1"));
  assert_int_equal(l.m->timed_count, 1);
  assert_int_equal(list_times(&l, t), 2);
  assert_close(t[0], 1, 0);
  assert_close(t[1], 3, 0);
  unload(&l);
  l = load_good(MODEL("2*(time - t0)", "1"));
  assert_times(&l, 0.5, 1, 2);
  unload(&l);
  l = load_good(MODEL("4 - time", "1"));
  assert_times(&l, 1, 3, 4);
  unload(&l);
}

static void a_period_has_its_own_events(void **state) {
  (void)state;
  Loaded l = load_good(MODEL("time", "3"));
  assert_int_equal(l.m->timed_count, 2);
  assert_times(&l, 1, 3, 6); // with the modes of the start
  unload(&l);
}

static void what_follows_the_motion_is_not_known(void **state) {
  (void)state;
  Loaded l = load_good(MODEL("s", "1"));
  assert_int_equal(l.m->timed_count, 0);
  unload(&l);
  l = load_good(MODEL("sin(time)", "1"));
  assert_int_equal(l.m->timed_count, 0);
  unload(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_times_of_events_are_known),
      cmocka_unit_test(a_period_has_its_own_events),
      cmocka_unit_test(what_follows_the_motion_is_not_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
