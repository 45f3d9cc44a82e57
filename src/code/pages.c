#include "code/pages.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

struct Pages {
  void *start;
  size_t count;
};

#ifndef MFD_EXEC
#define MFD_EXEC 0x10U // Linux 6.3; older kernels refuse it
#endif

static int open_memory_file(void) {
  int file = memfd_create("entrain-code", MFD_CLOEXEC | MFD_EXEC);
  return file >= 0 ? file : memfd_create("entrain-code", MFD_CLOEXEC);
}

Pages *pages_new(size_t count) {
  if (count == 0) return NULL;
  int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *start = mmap(NULL, count, PROT_NONE, kind, -1, 0);
  if (start == MAP_FAILED) return NULL;
  Pages *p = malloc(sizeof *p);
  if (p)
    *p = (Pages){start, count};
  else
    munmap(start, count);
  return p;
}

bool pages_fill(Pages *p, const void *bytes) {
  int file = open_memory_file();
  if (file < 0) return false;
  void *start = MAP_FAILED;
  if (file_write_all(file, bytes, p->count))
    start = mmap(p->start, p->count, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0);
  close(file);
  return start != MAP_FAILED;
}

void pages_free(Pages *p) {
  if (!p) return;
  munmap(p->start, p->count);
  free(p);
}

const void *pages_start(const Pages *p) {
  return p->start;
}
