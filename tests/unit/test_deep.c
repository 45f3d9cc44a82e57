#include "base/deep.h"

#include <pthread.h>

#include "test.h"

typedef struct Dive {
  int levels, deepest;
} Dive;

static __attribute__((noinline)) int dive(int left) {
  volatile char frame[400];
  frame[left % 400] = (char)left;
  return left ? dive(left - 1) + (frame[left % 400] == (char)left) : 0;
}

static void run(void *data) {
  Dive *d = data;
  d->deepest = dive(d->levels);
}

static void run_nested(void *data) {
  deep_call(run, data);
}

static void *in_thread(void *data) {
  deep_call(run, data);
  deep_call(run_nested, data);
  return NULL;
}

static void recursion_fits_under_a_small_stack(void **state) {
  (void)state;
  enum { SMALL = 256 << 10, LEVELS = 8000 }; // 3 MiB and more
  pthread_attr_t attributes;
  pthread_t thread;
  Dive d = {LEVELS, 0};
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, SMALL);
  assert_int_equal(pthread_create(&thread, &attributes, in_thread, &d), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  assert_int_equal(d.deepest, LEVELS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(recursion_fits_under_a_small_stack)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
