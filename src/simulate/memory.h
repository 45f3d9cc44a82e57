// What a part of the simulator remembers between steps, copied out and in. Each part lists its fields once, in one function
// that serves for counting, keeping and restoring.
#pragma once
#include <string.h>

typedef enum MemoryUse { MEMORY_COUNT, MEMORY_KEEP, MEMORY_RESTORE } MemoryUse;

typedef struct Memory {
  MemoryUse use;
  char *at;     // NULL while counting
  size_t bytes; // so far
} Memory;

static inline void memory_field(Memory *m, void *field, size_t bytes) {
  if (m->use == MEMORY_KEEP) memcpy(m->at + m->bytes, field, bytes);
  if (m->use == MEMORY_RESTORE) memcpy(field, m->at + m->bytes, bytes);
  m->bytes += bytes;
}

#define MEMORY_VALUE(m, lvalue) memory_field((m), &(lvalue), sizeof(lvalue))
#define MEMORY_ARRAY(m, array, count) memory_field((m), (array), (size_t)(count) * sizeof *(array))
