#include "base/deep.h"

#include <pthread.h>

#include "base/fiber.h"
#include "base/sanitizer.h"

#ifdef ADDRESS_SANITIZER
// It warns on standard error whenever a program changes stacks. Where the stack of the thread will do, none is changed.
static bool stack_is_large(void) {
  pthread_attr_t a;
  void *low;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &a) != 0) return false;
  pthread_attr_getstack(&a, &low, &size);
  pthread_attr_destroy(&a);
  return size >= 7 << 20;
}
#else
static bool stack_is_large(void) { // asking would cost more than another stack
  return false;
}
#endif

void deep_call(void (*work)(void *data), void *data) {
  if (stack_is_large()) {
    work(data);
    return;
  }
  Fiber *f = fiber_new(work, data);
  while (fiber_resume(f)) continue;
  fiber_free(f);
}
