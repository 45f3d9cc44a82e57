#include "lang/words.h"

#include <string.h>

struct WordTable {
  Arena *arena;
  Word *slots; // name is NULL in an empty one
  uint32_t slot_count, count;
};

enum { SHORT_NAME = 8 }; // such a name is its own key

static uint64_t long_key(const char *text, size_t length) { // FNV-1a
  uint64_t key = 14695981039346656037u;
  for (size_t i = 0; i < length; i++) key = (key ^ (unsigned char)text[i]) * 1099511628211u;
  return key;
}

static uint64_t short_key(const char *text, size_t length) {
  uint64_t key = 0;
  for (size_t i = 0; i < length; i++) key = key << 8 | (unsigned char)text[i];
  return key;
}

static uint64_t key_of(const char *text, size_t length) {
  return length <= SHORT_NAME ? short_key(text, length) : long_key(text, length);
}

static Word *find_slot(const WordTable *w, const char *text, size_t length, uint64_t key) {
  uint32_t mask = w->slot_count - 1, i = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 40) & mask;
  for (;; i = (i + 1) & mask) {
    Word *word = &w->slots[i];
    if (!word->name) return word;
    if (word->key == key && word->length == length &&
        (length <= SHORT_NAME || memcmp(word->name, text, length) == 0))
      return word;
  }
}

static void grow(WordTable *w) {
  WordTable old = *w;
  w->slot_count = 2 * old.slot_count;
  w->slots = ARENA_ARRAY(w->arena, Word, w->slot_count);
  for (uint32_t i = 0; i < old.slot_count; i++) {
    const Word *word = &old.slots[i];
    if (word->name) *find_slot(w, word->name, word->length, word->key) = *word;
  }
}

Word *words_find(WordTable *w, const char *text, size_t length) {
  uint64_t key = key_of(text, length);
  Word *word = find_slot(w, text, length, key);
  if (word->name) return word;
  if (2 * ++w->count > w->slot_count) {
    grow(w);
    word = find_slot(w, text, length, key);
  }
  *word = (Word){key, arena_copy(w->arena, text, length), (uint32_t)length, 0};
  return word;
}

WordTable *words_new(Arena *a) {
  WordTable *w = ARENA_NEW(a, WordTable);
  w->arena = a;
  w->slot_count = 256;
  w->slots = ARENA_ARRAY(a, Word, w->slot_count);
  return w;
}
