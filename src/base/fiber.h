// Fibers: computations that take turns in one thread, each with its own stack, so that ordinary code can wait anywhere.
#pragma once
#include <stdbool.h>

typedef struct Fiber Fiber;

// Does not run it yet. Never NULL.
Fiber *fiber_new(void (*run)(void *data), void *data);
// Only after it has ended, or if it was never begun. NULL is allowed.
void fiber_free(Fiber *f);
// Runs it until it waits or ends; only in the thread that made it. false: it has ended.
bool fiber_resume(Fiber *f);
// Called in the fiber: returns to the caller of fiber_resume; continues at the next fiber_resume.
void fiber_wait(Fiber *f);
