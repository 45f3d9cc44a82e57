// A growing array of ints or of any type: ARRAY(T) name = {0}; array_push(arena, &name, value). Lives in an arena.
#pragma once
#include <string.h>

#include "base/arena.h"

#define ARRAY(T)                                                                                   \
  struct {                                                                                         \
    T *at;                                                                                         \
    int count, room;                                                                               \
  }

// Grows by doubling; the old storage stays in the arena until the arena is freed.
#define array_push(arena, a, value)                                                                \
  do {                                                                                             \
    if ((a)->count == (a)->room) {                                                                 \
      int room_ = (a)->room ? 2 * (a)->room : 8;                                                   \
      void *grown_ = arena_alloc((arena), (size_t)room_, sizeof *(a)->at);                         \
      if ((a)->count) memcpy(grown_, (a)->at, (size_t)(a)->count * sizeof *(a)->at);               \
      (a)->at = grown_;                                                                            \
      (a)->room = room_;                                                                           \
    }                                                                                              \
    (a)->at[(a)->count++] = (value);                                                               \
  } while (0)

typedef ARRAY(int) IntArray;
