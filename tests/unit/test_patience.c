// One question for all loops: whoever is around may end what is inside, and a no stays a no.
#include "base/patience.h"

#include <sched.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/fiber.h"
#include "base/pool.h"
#include "test.h"

static bool counts(void *data) {
  return --*(int *)data >= 0;
}

static void without_an_owner_everything_goes_on(void **state) {
  (void)state;
  for (int i = 0; i < 1000; i++) assert_true(patience_lasts(PATIENCE_LOOK) && patience_asks());
  assert_false(patience_is_late());
}

static void *hold(void *data) { // until somebody says so
  pthread_mutex_t *locks = data;
  pthread_mutex_lock(&locks[0]);
  pthread_mutex_unlock(&locks[1]);
  while (pthread_mutex_trylock(&locks[2]) != 0) sched_yield();
  pthread_mutex_unlock(&locks[0]);
  return NULL;
}

// Whoever waits for a lock asks, and only then gives up.
static void a_lock_is_waited_for_as_long_as_patience_lasts(void **state) {
  (void)state;
  pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                              PTHREAD_MUTEX_INITIALIZER};
  pthread_t holder;
  int answers = 3;
  Patience p = {.goes_on = counts, .data = &answers};
  assert_true(patience_lock(&locks[1]) && patience_lock(&locks[2])); // free ones
  pthread_create(&holder, NULL, hold, locks);
  assert_true(patience_lock(&locks[1])); // the other one has his
  patience_begin(&p);
  assert_false(patience_lock(&locks[0]));
  assert_int_equal(answers, -1);
  patience_end(&p);
  pthread_mutex_unlock(&locks[2]);
  assert_true(patience_lock(&locks[0])); // it was not held before
  pthread_join(holder, NULL);
}

static void a_no_is_final_and_ends_with_its_patience(void **state) {
  (void)state;
  int answers = 2;
  Patience p = {.goes_on = counts, .data = &answers};
  patience_begin(&p);
  assert_true(patience_asks() && patience_asks());
  assert_false(patience_asks());
  answers = 10;
  assert_false(patience_asks() || patience_lasts(0) || patience_lasts(PATIENCE_LOOK));
  assert_int_equal(answers, 10);
  patience_end(&p);
  assert_true(patience_asks());
}

static void little_work_is_not_asked_about(void **state) {
  (void)state;
  int answers = 0;
  Patience p = {.goes_on = counts, .data = &answers};
  patience_asks(); // the work so far is none
  patience_begin(&p);
  for (int i = 0; i < 100; i++) assert_true(patience_lasts(PATIENCE_LOOK / 101));
  assert_int_equal(answers, 0);
  assert_false(patience_lasts(PATIENCE_LOOK));
  patience_end(&p);
}

static void the_owner_is_not_asked_more_often_than_fifty_times_a_second(void **state) {
  (void)state;
  int answers = 1000;
  Patience p = {.goes_on = counts, .data = &answers};
  patience_begin(&p);
  double begin = clock_seconds();
  while (clock_seconds() < begin + 0.2) assert_true(patience_lasts(PATIENCE_LOOK));
  double seconds = clock_seconds() - begin;
  patience_end(&p);
  assert_true(1000 - answers >= 2 && 1000 - answers <= seconds / 0.02 + 2);
}

static void whoever_is_around_ends_what_is_inside(void **state) {
  (void)state;
  int around = 1, inside = 1 << 30;
  Patience p = {.goes_on = counts, .data = &around}, q = {.goes_on = counts, .data = &inside};
  patience_begin(&p);
  patience_begin(&q);
  double begin = clock_seconds();
  while (patience_asks()) assert_true(clock_seconds() < begin + 10);
  assert_true(q.over && p.over && inside > 0);
  patience_end(&q);
  assert_false(patience_asks());
  patience_end(&p);
}

static void the_end_of_what_is_inside_does_not_end_what_is_around(void **state) {
  (void)state;
  int none = 0;
  Patience p = {0}, q = {.goes_on = counts, .data = &none};
  patience_begin(&p);
  patience_begin(&q);
  assert_false(patience_asks());
  patience_end(&q);
  assert_true(patience_asks());
  patience_end(&p);
}

static void time_is_a_limit(void **state) {
  (void)state;
  Patience p = {.until = patience_until(0.05)};
  patience_begin(&p);
  double begin = clock_seconds();
  while (patience_lasts(PATIENCE_LOOK)) assert_true(clock_seconds() < begin + 10);
  assert_true(clock_seconds() >= begin + 0.05 - 1e-3 && patience_is_late());
  patience_end(&p);
  assert_true(patience_until(0) == 0);
}

// Statistics of a fit that was stopped.
static void what_has_a_grace_goes_on_for_a_moment(void **state) {
  (void)state;
  int none = 0;
  Patience p = {.goes_on = counts, .data = &none}, q = {.grace = 0.1};
  patience_begin(&p);
  assert_false(patience_asks());
  patience_begin(&q);
  double begin = clock_seconds();
  assert_true(patience_asks());
  while (patience_asks()) assert_true(clock_seconds() < begin + 10);
  assert_true(clock_seconds() >= begin + 0.1 - 1e-3);
  assert_false(patience_is_late()); // it was stopped, not late
  patience_end(&q);
  patience_end(&p);
}

static bool asks_itself(void *data) {
  ++*(int *)data;
  return patience_asks();
}

static void an_owner_may_ask_itself(void **state) {
  (void)state;
  int calls = 0;
  Patience p = {.goes_on = asks_itself, .data = &calls};
  patience_begin(&p);
  assert_true(patience_asks());
  assert_int_equal(calls, 1);
  patience_end(&p);
}

typedef struct Guest {
  Fiber *fiber;
  int answers, turns;
} Guest;

static void visit(void *data) {
  Guest *g = data;
  Patience own = {.goes_on = counts, .data = &g->answers};
  patience_begin(&own);
  while (patience_asks()) {
    g->turns++;
    fiber_wait(g->fiber);
  }
  patience_end(&own);
}

static void fibers_take_their_patience_with_them(void **state) {
  (void)state;
  Guest a = {.answers = 3}, b = {.answers = 7};
  a.fiber = fiber_new(visit, &a), b.fiber = fiber_new(visit, &b);
  bool more_a = true, more_b = true;
  while (more_a || more_b) {
    if (more_a) more_a = fiber_resume(a.fiber);
    if (more_b) more_b = fiber_resume(b.fiber);
    assert_true(patience_asks()); // none of them is here
  }
  assert_int_equal(a.turns, 3);
  assert_int_equal(b.turns, 7);
  fiber_free(a.fiber);
  fiber_free(b.fiber);
}

// ---------------------------------------------------------------- pauses

static void limits_do_not_count_pauses(void **state) {
  (void)state;
  int waits = 40;
  Patience p = {.until = patience_until(0.7)};
  patience_begin(&p);
  double began = patience_clock(), real = clock_seconds();
  patience_pause(counts, &waits); // 0.8 s
  double worked = patience_clock() - began;
  assert_true(clock_seconds() - real - worked > 0.75);
  assert_true(patience_asks());
  assert_false(patience_is_late());
  while (patience_lasts(PATIENCE_LOOK)) sched_yield();
  assert_true(patience_is_late());
  patience_end(&p);
}

static void a_no_from_around_ends_a_pause(void **state) {
  (void)state;
  int around = 3, waits = 1000;
  Patience outer = {.goes_on = counts, .data = &around}, inner = {.goes_on = NULL};
  patience_begin(&outer);
  patience_begin(&inner);
  patience_pause(counts, &waits);
  assert_int_equal(around, -1);
  assert_true(waits > 990);
  assert_false(patience_asks());
  patience_end(&inner);
  patience_end(&outer);
}

static bool pauses_again(void *data) {
  int waits = 1000;
  patience_pause(counts, &waits);
  assert_true(waits >= 999); // at once
  return counts(data);
}

static void a_pause_inside_of_a_pause_returns_at_once(void **state) {
  (void)state;
  int around = 100, waits = 3;
  Patience p = {.goes_on = pauses_again, .data = &around};
  patience_begin(&p);
  patience_pause(counts, &waits);
  assert_true(around > 90);
  patience_end(&p);
}

static void forbidden_pauses_return_at_once(void **state) {
  (void)state;
  int waits = 5;
  patience_forbid_pauses();
  patience_pause(counts, &waits);
  assert_int_equal(waits, 5);
  patience_allow_pauses();
  patience_pause(counts, &waits);
  assert_int_equal(waits, -1);
}

typedef struct Beat {
  int unused;
} Beat;

static atomic_long beats;

static void beat(void *own, void *job) {
  (void)own;
  (void)job;
  for (double until = patience_clock() + 0.2; patience_clock() < until && patience_lasts(10000);)
    atomic_fetch_add(&beats, 1);
}

typedef struct Still {
  int waits;
  long early, late; // beats, when all threads had time to notice, and at the end
} Still;

static bool counts_beats(void *data) {
  Still *s = data;
  s->waits--;
  if (s->waits == 10) s->early = atomic_load(&beats);
  if (s->waits == 0) s->late = atomic_load(&beats);
  return s->waits > 0;
}

static bool pauses_once(void *data) {
  Still *s = data;
  if (atomic_load(&beats) > 0 && s->waits > 0) patience_pause(counts_beats, s);
  return true;
}

static void threads_of_a_pool_wait_in_a_pause(void **state) {
  (void)state;
  PoolWorker work = {sizeof(Beat), NULL, NULL, beat, NULL};
  Still still = {.waits = 25};
  Patience p = {.goes_on = pauses_once, .data = &still};
  patience_begin(&p);
  Pool *pool = pool_new(3, &work);
  for (int i = 0; i < 6; i++) pool_submit(pool, &(Beat){0});
  for (int i = 0; i < 6; i++) assert_true(pool_collect(pool, &(Beat){0}));
  assert_int_equal(still.waits, 0);
  assert_true(still.early > 0 && still.late == still.early);
  assert_true(atomic_load(&beats) > still.late);
  pool_free(pool);
  patience_end(&p);
}

typedef struct Told {
  int calls, inside, answers; // inside: the call goes on
  bool lasted;                // what it computed
} Told;

static bool computes(void *data) {
  Told *t = data;
  assert_int_equal(t->inside, 0);
  t->calls++;
  PatienceLeft around = patience_leave();
  t->inside++;
  Patience own = {.goes_on = counts, .data = &t->answers};
  patience_begin(&own);
  t->lasted = patience_asks();
  patience_cut(); // of its own work
  patience_end(&own);
  t->inside--;
  return patience_return(around, true);
}

// Not by those who wait for its answer, be it that they asked or that they told; by the thread.
static void what_a_listener_computes_is_ended_by_the_thread_alone(void **state) {
  (void)state;
  int thread = 1000;
  Told told = {.answers = 3};
  Patience all = {.goes_on = counts, .data = &thread, .of_thread = true};
  Patience study = {.goes_on = computes, .data = &told, .until = clock_seconds() + 1e-3};
  patience_forget_cut();
  patience_begin(&all), patience_begin(&study);
  assert_true(computes(&told) && told.lasted && told.calls == 1);
  while (clock_seconds() < study.until) sched_yield();
  assert_true(computes(&told) && told.lasted && told.calls == 2);
  assert_false(patience_was_cut());
  thread = 0;
  for (double until = clock_seconds() + 0.03; clock_seconds() < until;)
    sched_yield(); // it is asked again
  assert_true(computes(&told) && !told.lasted);
  assert_false(patience_asks());
  patience_end(&study), patience_end(&all);
  patience_forget_cut();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_an_owner_everything_goes_on),
      cmocka_unit_test(a_no_is_final_and_ends_with_its_patience),
      cmocka_unit_test(a_lock_is_waited_for_as_long_as_patience_lasts),
      cmocka_unit_test(little_work_is_not_asked_about),
      cmocka_unit_test(the_owner_is_not_asked_more_often_than_fifty_times_a_second),
      cmocka_unit_test(whoever_is_around_ends_what_is_inside),
      cmocka_unit_test(the_end_of_what_is_inside_does_not_end_what_is_around),
      cmocka_unit_test(time_is_a_limit),
      cmocka_unit_test(what_has_a_grace_goes_on_for_a_moment),
      cmocka_unit_test(an_owner_may_ask_itself),
      cmocka_unit_test(what_a_listener_computes_is_ended_by_the_thread_alone),
      cmocka_unit_test(fibers_take_their_patience_with_them),
      cmocka_unit_test(limits_do_not_count_pauses),
      cmocka_unit_test(a_no_from_around_ends_a_pause),
      cmocka_unit_test(a_pause_inside_of_a_pause_returns_at_once),
      cmocka_unit_test(forbidden_pauses_return_at_once),
      cmocka_unit_test(threads_of_a_pool_wait_in_a_pause),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
