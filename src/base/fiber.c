#include "base/fiber.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/patience.h"
#include "base/sanitizer.h"

#ifdef ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

// As large as the stack of a thread; pages are allocated when they are used.
enum { STACK = 8 << 20 };

struct Fiber {
  void (*run)(void *);
  void *data;
  char *memory; // a guard page, then the stack
  size_t guard;
  ucontext_t inside, outside;
  bool begun, ended;
  Patience *patience, *around; // the innermost inside, and of who resumes it
  // The address sanitizer needs to know both stacks.
  void *fake_inside, *fake_outside;
  const void *outside_stack;
  size_t outside_size;
};

// ---------------------------------------------------------------- switches

#ifdef ADDRESS_SANITIZER
static void leave(void **fake, const void *stack, size_t size) {
  __sanitizer_start_switch_fiber(fake, stack, size);
}
static void arrive(void *fake, const void **stack, size_t *size) {
  __sanitizer_finish_switch_fiber(fake, stack, size);
}
#else
static void leave(void **fake, const void *stack, size_t size) {
  (void)fake, (void)stack, (void)size;
}
static void arrive(void *fake, const void **stack, size_t *size) {
  (void)fake, (void)stack, (void)size;
}
#endif

static void hand_over(Fiber *f) {
  leave(f->ended ? NULL : &f->fake_inside, f->outside_stack, f->outside_size);
  swapcontext(&f->inside, &f->outside);
  arrive(f->fake_inside, &f->outside_stack, &f->outside_size);
}

// makecontext passes ints: the pointer comes in two halves.
static void enter(unsigned high, unsigned low) {
  Fiber *f = (Fiber *)((uintptr_t)high << 32 | (uintptr_t)low); // NOLINT(performance-no-int-to-ptr)
  arrive(NULL, &f->outside_stack, &f->outside_size);
  f->run(f->data);
  f->ended = true;
  hand_over(f);
}

// ---------------------------------------------------------------- fibers

Fiber *fiber_new(void (*run)(void *data), void *data) {
  size_t guard = (size_t)sysconf(_SC_PAGESIZE);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE;
  void *memory = mmap(NULL, guard + STACK, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE) != 0) out_of_memory();
  Fiber *f = must_have(calloc(1, sizeof *f));
  f->run = run, f->data = data;
  f->memory = memory, f->guard = guard;
  return f;
}

void fiber_free(Fiber *f) {
  if (!f) return;
  assert(!f->begun || f->ended);
  munmap(f->memory, f->guard + STACK);
  free(f);
}

static void begin(Fiber *f) {
  uintptr_t address = (uintptr_t)f;
  getcontext(&f->inside);
  f->inside.uc_stack.ss_sp = f->memory + f->guard;
  f->inside.uc_stack.ss_size = STACK;
  f->inside.uc_link = NULL; // it never returns
  makecontext(&f->inside, (void (*)(void))enter, 2, (unsigned)(address >> 32), (unsigned)address);
  f->begun = true;
}

bool fiber_resume(Fiber *f) {
  assert(!f->ended);
  if (!f->begun) begin(f);
  Patience *around = patience_swap(NULL);
  if (f->patience == f->around) f->patience = around; // it has none of its own
  f->around = around;
  patience_swap(f->patience);
  leave(&f->fake_outside, f->memory + f->guard, STACK);
  swapcontext(&f->outside, &f->inside);
  arrive(f->fake_outside, NULL, NULL);
  f->patience = patience_swap(around);
  return !f->ended;
}

void fiber_wait(Fiber *f) {
  hand_over(f);
}
