// Computations that take turns in one thread, each with a stack of its own: ordinary code that can wait in the middle.
#pragma once
#include <stdbool.h>

typedef struct Fiber Fiber;

// Not begun yet. NULL: there is no memory for its stack.
Fiber *fiber_new(void (*run)(void *data), void *data);
// Only once it has ended, or was never begun. NULL is allowed.
void fiber_free(Fiber *f);
// Lets it run until it waits or ends, in the thread that made it. false: it has ended.
bool fiber_resume(Fiber *f);
// For the fiber itself: hands over to whoever resumed it, and comes back when it is resumed again.
void fiber_wait(Fiber *f);
