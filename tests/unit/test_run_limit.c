// A run ends at its limits, and what is around it goes on as if nothing had been cut. Also what these limits rest on: bytes by
// thread (base/arena.h), and which ends of patience are cuts (base/patience.h).
#include "base/run_limit.h"

#include <pthread.h>

#include "base/arena.h"
#include "base/clock.h"
#include "test.h"

static bool counts(void *data) {
  return --*(int *)data >= 0;
}

static void wait_for_the_end(void) {
  double begin = clock_seconds();
  while (patience_lasts(PATIENCE_LOOK)) assert_true(clock_seconds() < begin + 60);
}

static void without_limits_nothing_is_limited(void **state) {
  (void)state;
  RunLimit l;
  Arena *a = arena_new();
  run_limit_begin(&l, 0, 0);
  arena_alloc(a, 1, 1 << 24);
  assert_true(patience_asks());
  assert_false(run_limit_end(&l));
  assert_true(patience_asks());
  arena_free(a);
}

static void time_is_a_limit_and_no_cut(void **state) {
  (void)state;
  RunLimit l;
  int answers = 1 << 30;
  Patience around = {.goes_on = counts, .data = &answers};
  patience_forget_cut();
  patience_begin(&around);
  double begin = clock_seconds();
  run_limit_begin(&l, 0.03, 0);
  assert_true(patience_asks());
  wait_for_the_end();
  assert_true(clock_seconds() >= begin + 0.03 - 1e-3);
  assert_true(run_limit_end(&l));
  assert_false(patience_was_cut());
  assert_true(patience_asks()); // the next run
  run_limit_begin(&l, 100, 0);
  assert_true(patience_asks());
  assert_false(run_limit_end(&l));
  patience_end(&around);
}

// Time that was spent before counts for limits of a study, not for those of a run.
static void a_run_has_its_whole_time(void **state) {
  (void)state;
  RunLimit l;
  patience_set_spent(1000);
  run_limit_begin(&l, 50, 0);
  assert_true(patience_asks());
  assert_false(run_limit_end(&l));
  patience_set_spent(0);
}

typedef struct MemoryTrial {
  size_t bytes; // of one allocation
} MemoryTrial;

static bool fits_into(void *data, double limit) {
  const MemoryTrial *t = data;
  RunLimit l;
  Arena *a = arena_new();
  run_limit_begin(&l, 0, limit);
  arena_alloc(a, 1, t->bytes);
  bool fits = patience_asks();
  assert_int_equal(run_limit_end(&l), !fits);
  arena_free(a);
  return fits;
}

static void memory_is_a_limit_and_no_cut(void **state) {
  (void)state;
  patience_forget_cut();
  for (size_t bytes = 100; bytes < 1 << 23; bytes *= 17) {
    MemoryTrial t = {bytes};
    Arena *a = arena_new();
    ptrdiff_t before = arena_thread_bytes();
    arena_alloc(a, 1, bytes);
    double taken = (double)(arena_thread_bytes() - before);
    arena_free(a);
    assert_true(taken >= (double)bytes);
    assert_false(fits_into(&t, taken - 1));
    assert_true(fits_into(&t, taken));
  }
  assert_false(patience_was_cut());
  assert_true(patience_asks());
}

static void only_memory_that_is_held_counts(void **state) {
  (void)state;
  RunLimit l;
  Arena *before = arena_new();
  arena_alloc(before, 1, 1 << 24); // it was there
  run_limit_begin(&l, 0, 1 << 20);
  for (int i = 0; i < 100; i++) {
    Arena *a = arena_new();
    arena_alloc(a, 1, 1 << 18);
    assert_true(patience_asks());
    arena_free(a);
  }
  assert_false(run_limit_end(&l));
  arena_free(before);
}

// A user or the clock, with a run in it: the run has not reached its limits.
static void patience_around_a_run_is_told_apart(void **state) {
  (void)state;
  for (int by_work = 0; by_work < 2; by_work++)
    for (int timed = 0; timed < 2; timed++) {
      RunLimit l;
      int answers = 2;
      Patience around = {.goes_on = timed ? NULL : counts,
                         .data = &answers,
                         .until = timed ? clock_seconds() + 0.02 : 0,
                         .by_work = by_work};
      patience_forget_cut();
      patience_begin(&around);
      run_limit_begin(&l, 100, 1e12);
      wait_for_the_end();
      assert_false(run_limit_end(&l));
      assert_int_equal(patience_was_cut(), !by_work);
      assert_false(patience_asks());
      patience_end(&around);
    }
  patience_forget_cut();
}

// Both at once: nobody knows what the run would have been.
static void a_limit_that_is_reached_after_the_end_does_not_count(void **state) {
  (void)state;
  RunLimit l;
  int none = 0;
  Patience around = {.goes_on = counts, .data = &none};
  patience_begin(&around);
  run_limit_begin(&l, 1e-6, 0);
  wait_for_the_end();
  assert_false(run_limit_end(&l));
  assert_true(patience_was_cut());
  patience_end(&around);
  patience_forget_cut();
}

static void limits_inside_of_limits_end_what_is_inside(void **state) {
  (void)state;
  RunLimit outer, inner;
  run_limit_begin(&outer, 100, 0);
  run_limit_begin(&inner, 1e-6, 0);
  wait_for_the_end();
  assert_true(run_limit_end(&inner));
  assert_true(patience_asks());
  assert_false(run_limit_end(&outer));
  run_limit_begin(&outer, 1e-6, 0);
  run_limit_begin(&inner, 100, 0);
  wait_for_the_end();
  assert_false(run_limit_end(&inner));
  assert_true(run_limit_end(&outer));
  assert_false(patience_was_cut());
}

// ---- base/patience.h

static void a_no_is_a_cut_unless_it_follows_from_the_work(void **state) {
  (void)state;
  for (int by_work = 0; by_work < 2; by_work++) {
    int none = 0;
    Patience p = {.goes_on = counts, .data = &none, .by_work = by_work};
    patience_forget_cut();
    patience_begin(&p);
    assert_false(patience_was_cut());
    assert_false(patience_asks());
    patience_end(&p);
    assert_int_equal(patience_was_cut(), !by_work); // also when it has ended
  }
  patience_forget_cut();
  assert_false(patience_was_cut());
  patience_cut();
  assert_true(patience_was_cut());
  patience_forget_cut();
}

static void *look_elsewhere(void *data) {
  bool *seen = data;
  seen[0] = patience_was_cut();
  seen[1] = patience_spent() != 0;
  return NULL;
}

static void what_is_spent_shortens_limits(void **state) {
  (void)state;
  bool seen[2] = {true, true};
  pthread_t thread;
  assert_close(patience_spent(), 0, 0);
  assert_close(patience_until(1000) - clock_seconds(), 1000, 60);
  patience_set_spent(700);
  patience_cut();
  assert_close(patience_spent(), 700, 0);
  assert_close(patience_until(1000) - clock_seconds(), 300, 60);
  assert_true(patience_until(0) == 0); // there is still none
  Patience p = {.until = patience_until(600)};
  patience_begin(&p);
  assert_false(patience_asks()); // it was used up before
  patience_end(&p);
  pthread_create(&thread, NULL, look_elsewhere, seen);
  pthread_join(thread, NULL);
  assert_false(seen[0] || seen[1]); // of this thread alone
  patience_set_spent(0);
  patience_forget_cut();
}

// ---- base/arena.h

static void *alloc_elsewhere(void *data) {
  ptrdiff_t *grown = data, before = arena_thread_bytes();
  Arena *a = arena_new();
  arena_alloc(a, 1, 1 << 20);
  grown[0] = arena_thread_bytes() - before;
  arena_free(a);
  grown[1] = arena_thread_bytes() - before;
  return NULL;
}

static void bytes_are_counted_by_thread(void **state) {
  (void)state;
  ptrdiff_t before = arena_thread_bytes(), grown[2];
  pthread_t thread;
  pthread_create(&thread, NULL, alloc_elsewhere, grown);
  pthread_join(thread, NULL);
  assert_true(grown[0] >= 1 << 20);
  assert_int_equal(grown[1], 0);
  assert_int_equal(arena_thread_bytes(), before);
  Arena *a[5];
  ptrdiff_t last = before;
  for (int i = 0; i < 5; i++) {
    a[i] = arena_new();
    for (int k = 0; k < 100; k++) arena_alloc(a[i], 1, 1000u << i);
    assert_true(arena_thread_bytes() - last >= (100 * 1000) << i);
    last = arena_thread_bytes();
    arena_reset(a[i]); // keeps the memory
    assert_true(arena_thread_bytes() - last >= -(ptrdiff_t)(1 << 21));
    last = arena_thread_bytes();
  }
  for (int i = 0; i < 5; i++) arena_free(a[i]);
  assert_int_equal(arena_thread_bytes(), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_limits_nothing_is_limited),
      cmocka_unit_test(time_is_a_limit_and_no_cut),
      cmocka_unit_test(a_run_has_its_whole_time),
      cmocka_unit_test(memory_is_a_limit_and_no_cut),
      cmocka_unit_test(only_memory_that_is_held_counts),
      cmocka_unit_test(patience_around_a_run_is_told_apart),
      cmocka_unit_test(a_limit_that_is_reached_after_the_end_does_not_count),
      cmocka_unit_test(limits_inside_of_limits_end_what_is_inside),
      cmocka_unit_test(a_no_is_a_cut_unless_it_follows_from_the_work),
      cmocka_unit_test(what_is_spent_shortens_limits),
      cmocka_unit_test(bytes_are_counted_by_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
