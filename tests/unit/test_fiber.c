#include "base/fiber.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { FIBERS = 40, TURNS = 25 };

typedef struct Walk {
  Fiber *fiber;
  int number, turns, *log, *logged;
  double sum;
} Walk;

// Keeps numbers on its own stack while others run.
static void walk(void *data) {
  Walk *w = data;
  double kept[64];
  for (int i = 0; i < 64; i++) kept[i] = w->number * 1000 + i;
  for (int turn = 0; turn < w->turns; turn++) {
    w->log[(*w->logged)++] = w->number;
    fiber_wait(w->fiber);
    for (int i = 0; i < 64; i++) w->sum += kept[i] - (w->number * 1000 + i);
    kept[turn % 64] += 1, kept[turn % 64] -= 1;
  }
}

static void fibers_take_turns_and_keep_their_stacks(void **state) {
  (void)state;
  int log[FIBERS * TURNS], logged = 0;
  Walk walks[FIBERS];
  for (int k = 0; k < FIBERS; k++) {
    walks[k] = (Walk){.number = k, .turns = TURNS, .log = log, .logged = &logged};
    walks[k].fiber = fiber_new(walk, &walks[k]);
    assert_non_null(walks[k].fiber);
  }
  for (int turn = 0; turn < TURNS; turn++)
    for (int k = 0; k < FIBERS; k++) assert_true(fiber_resume(walks[k].fiber));
  assert_int_equal(logged, FIBERS * TURNS);
  for (int i = 0; i < logged; i++) assert_int_equal(log[i], i % FIBERS);
  for (int k = 0; k < FIBERS; k++) {
    assert_false(fiber_resume(walks[k].fiber));
    assert_true(walks[k].sum == 0);
    fiber_free(walks[k].fiber);
  }
}

static void fibers_end_at_different_times(void **state) {
  (void)state;
  int log[FIBERS * FIBERS], logged = 0, ended = 0;
  Walk walks[FIBERS];
  bool living[FIBERS];
  for (int k = 0; k < FIBERS; k++) {
    walks[k] = (Walk){.number = k, .turns = k, .log = log, .logged = &logged};
    walks[k].fiber = fiber_new(walk, &walks[k]);
    living[k] = true;
  }
  for (int turn = 0; ended < FIBERS; turn++)
    for (int k = 0; k < FIBERS; k++) {
      if (!living[k]) continue;
      living[k] = fiber_resume(walks[k].fiber);
      assert_int_equal(living[k], turn < k);
      ended += !living[k];
    }
  for (int k = 0; k < FIBERS; k++) fiber_free(walks[k].fiber);
}

// A recursion through a megabyte, waiting at the bottom.
static int descend(Walk *w, int depth) {
  volatile char room[4096];
  memset((char *)room, depth, sizeof room);
  if (depth == 0) {
    fiber_wait(w->fiber);
    return 0;
  }
  int below = descend(w, depth - 1);
  return below + room[100] - room[200] + 1;
}

static void dive(void *data) {
  Walk *w = data;
  w->sum = descend(w, 250);
}

static void stacks_are_deep(void **state) {
  (void)state;
  Walk w = {0};
  w.fiber = fiber_new(dive, &w);
  assert_true(fiber_resume(w.fiber));
  assert_false(fiber_resume(w.fiber));
  assert_true(w.sum == 250);
  fiber_free(w.fiber);
}

typedef struct Nest {
  Fiber *fiber;
  Walk inner;
} Nest;

static void run_inner(void *data) {
  Nest *n = data;
  n->inner.fiber = fiber_new(walk, &n->inner);
  while (fiber_resume(n->inner.fiber)) fiber_wait(n->fiber);
  fiber_free(n->inner.fiber);
}

static void a_fiber_may_resume_others(void **state) {
  (void)state;
  int log[TURNS], logged = 0, turns = 0;
  Nest n = {.inner = {.number = 7, .turns = TURNS, .log = log, .logged = &logged}};
  n.fiber = fiber_new(run_inner, &n);
  while (fiber_resume(n.fiber)) turns++;
  assert_int_equal(turns, TURNS);
  assert_int_equal(logged, TURNS);
  fiber_free(n.fiber);
}

static void one_that_never_began_can_be_freed(void **state) {
  (void)state;
  Walk w = {0};
  fiber_free(fiber_new(walk, &w));
  fiber_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fibers_take_turns_and_keep_their_stacks),
      cmocka_unit_test(fibers_end_at_different_times),
      cmocka_unit_test(stacks_are_deep),
      cmocka_unit_test(a_fiber_may_resume_others),
      cmocka_unit_test(one_that_never_began_can_be_freed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
