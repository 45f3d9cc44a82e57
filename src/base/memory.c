#include "base/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum { EXIT_STATUS = 3 }; // as ERR_INTERNAL

static _Atomic(MemoryHandler *) on_failure;

void memory_on_failure(MemoryHandler *handler) {
  atomic_store(&on_failure, handler);
}

void out_of_memory(void) {
  static const char SAID[] = "entrain: error: out of memory\n";
  MemoryHandler *handler = atomic_load(&on_failure);
  if (handler) handler();
  ssize_t put = write(STDERR_FILENO, SAID, sizeof SAID - 1); // streams may need memory
  (void)put;
  _exit(EXIT_STATUS);
}

void *must_have(void *memory) {
  if (!memory) out_of_memory();
  return memory;
}

void memory_check_errno(void) {
  if (errno == ENOMEM) out_of_memory();
}
