#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/c_locale.h"
#include "base/memory.h"

enum { BLOCK_BYTES = 1 << 14, LINE = 64, HUGE_PAGE = 1 << 21 };

typedef struct ArenaBlock ArenaBlock;
struct ArenaBlock {
  ArenaBlock *next;
  size_t used, size; // of the bytes that follow the header
};

struct Arena {
  ArenaBlock *blocks;
  size_t total;
};

static _Thread_local ptrdiff_t
    thread_bytes; // in blocks that this thread took, less those that it freed

static char *block_bytes(ArenaBlock *b) {
  return (char *)b + LINE;
}

// Large blocks use large pages, because page faults are their main cost.
static ArenaBlock *block_new(Arena *a, size_t size) {
  if (size > SIZE_MAX / 2) out_of_memory();
  size_t whole = size + LINE, align = whole >= HUGE_PAGE ? HUGE_PAGE : LINE;
  whole = (whole + align - 1) & ~(align - 1);
  ArenaBlock *b = must_have(aligned_alloc(align, whole));
  if (align == HUGE_PAGE) madvise(b, whole, MADV_HUGEPAGE);
  b->used = 0;
  b->size = whole - LINE;
  b->next = a->blocks;
  a->blocks = b;
  thread_bytes += (ptrdiff_t)whole;
  return b;
}

Arena *arena_new(void) {
  return must_have(calloc(1, sizeof(Arena)));
}

static void free_blocks(Arena *a) {
  for (ArenaBlock *b = a->blocks; b;) {
    ArenaBlock *next = b->next;
    thread_bytes -= (ptrdiff_t)(b->size + LINE);
    free(b);
    b = next;
  }
  a->blocks = NULL;
}

void arena_free(Arena *a) {
  if (!a) return;
  free_blocks(a);
  free(a);
}

void *arena_alloc(Arena *a, size_t count, size_t size) {
  void *p = arena_alloc_raw(a, count, size);
  memset(p, 0, count * size);
  return p;
}

// Replaces the blocks by one of their total size, so that the same requests fit into it next time.
void arena_reset(Arena *a) {
  size_t whole = 0;
  for (const ArenaBlock *b = a->blocks; b; b = b->next) whole += b->size;
  if (a->blocks && a->blocks->next) {
    free_blocks(a);
    block_new(a, whole);
  }
  if (a->blocks) a->blocks->used = 0;
  a->total = 0;
}

void *arena_alloc_raw(Arena *a, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) out_of_memory();
  size_t align = bytes >= LINE ? LINE : 16;
  ArenaBlock *b = a->blocks;
  size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;
  if (!b || at > b->size || b->size - at < bytes) {
    size_t grown = a->total / 2; // large arenas take few blocks
    size_t want = grown > BLOCK_BYTES ? grown : BLOCK_BYTES;
    b = block_new(a, bytes > want ? bytes : want);
    at = 0;
  }
  b->used = at + bytes;
  a->total += bytes;
  return block_bytes(b) + at;
}

char *arena_copy(Arena *a, const char *text, size_t length) {
  char *copy = arena_alloc(a, length + 1, 1);
  if (length) memcpy(copy, text, length);
  return copy;
}

char *arena_print(Arena *a, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = c_vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1, 1);
  if (n > 0) c_vsnprintf(text, (size_t)n + 1, format, again);
  va_end(again);
  return text;
}

ptrdiff_t arena_thread_bytes(void) {
  return thread_bytes;
}

size_t arena_bytes(const Arena *a) {
  return a->total;
}
