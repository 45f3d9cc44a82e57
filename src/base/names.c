#include "base/names.h"

#include <stdint.h>
#include <string.h>

typedef struct Entry {
  const char *name;
  int value;
} Entry;

struct Names {
  Arena *arena;
  Entry *entries;
  int *slots; // index into entries plus 1
  int count, room, slot_count;
};

static uint32_t hash(const char *s) { // FNV-1a
  uint32_t h = 2166136261u;
  for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
  return h ^ h >> 15;
}

Names *names_new(Arena *a) {
  Names *n = ARENA_NEW(a, Names);
  n->arena = a;
  n->slot_count = 32;
  n->slots = ARENA_ARRAY(a, int, n->slot_count);
  return n;
}

static int *find_slot(const Names *n, const char *name) {
  uint32_t mask = (uint32_t)n->slot_count - 1, i = hash(name) & mask;
  while (n->slots[i] && strcmp(n->entries[n->slots[i] - 1].name, name) != 0) i = (i + 1) & mask;
  return &n->slots[i];
}

int names_find(const Names *n, const char *name) {
  int slot = *find_slot(n, name);
  return slot ? n->entries[slot - 1].value : -1;
}

static void grow(Names *n) {
  n->slot_count *= 2;
  n->slots = ARENA_ARRAY(n->arena, int, n->slot_count);
  for (int i = 0; i < n->count; i++) *find_slot(n, n->entries[i].name) = i + 1;
}

void names_set(Names *n, const char *name, int value) {
  int *slot = find_slot(n, name);
  if (*slot) {
    n->entries[*slot - 1].value = value;
    return;
  }
  if (n->count == n->room) {
    n->room = n->room ? 2 * n->room : 16;
    Entry *entries = ARENA_ARRAY(n->arena, Entry, n->room);
    if (n->count) memcpy(entries, n->entries, (size_t)n->count * sizeof *entries);
    n->entries = entries;
  }
  n->entries[n->count++] = (Entry){arena_copy(n->arena, name, strlen(name)), value};
  *slot = n->count;
  if (3 * n->count > 2 * n->slot_count) grow(n);
}

int names_count(const Names *n) {
  return n->count;
}

const char *names_at(const Names *n, int i) {
  return n->entries[i].name;
}
