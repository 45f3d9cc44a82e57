// Memory by lifetime: one call frees everything that was allocated in an arena.
#pragma once
#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *a); // NULL is allowed
// Zeroed memory for count * size bytes, aligned to 64 if it is 64 bytes or more. Never NULL: without memory, and
// on overflow, out_of_memory() of base/memory.h decides.
void *arena_alloc(Arena *a, size_t count, size_t size);
void *arena_alloc_raw(Arena *a, size_t count, size_t size); // the same, not zeroed
void arena_reset(Arena *a); // frees the contents but keeps the memory for reuse
char *arena_copy(Arena *a, const char *text, size_t length); // adds the closing NUL
char *arena_print(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
size_t arena_bytes(const Arena *a); // in use, for reports and tests
// Of all arenas: what the calling thread has taken from the system and not freed.
ptrdiff_t arena_thread_bytes(void);

#define ARENA_RAW(a, T, n) ((T *)arena_alloc_raw((a), (size_t)(n), sizeof(T)))
#define ARENA_NEW(a, T) ((T *)arena_alloc((a), 1, sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), (size_t)(n), sizeof(T)))
