#include "base/deep.h"

#include "base/fiber.h"

void deep_call(void (*work)(void *data), void *data) {
  Fiber *f = fiber_new(work, data);
  while (fiber_resume(f)) continue;
  fiber_free(f);
}
