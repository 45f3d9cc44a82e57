// Translates a program to x86-64 machine code in one pass over its instructions. When a
// register is needed, the value whose next use is farthest away leaves it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/program.h"

typedef struct Emitted {
  uint8_t *bytes; // in the arena; runs at any address that is aligned to 64
  size_t count;
  size_t entry;   // offset of the first instruction: a CodeFn
  int work_count; // doubles that work[] must have
  struct CallSite *calls;
  int call_count;
} Emitted;

// lanes = 1, 4 or 8; uniform as in code.h. Scalar and ymm code needs AVX2 and FMA; use_zmm (8 lanes
// only) needs AVX-512. Runs nothing, so any target can be chosen anywhere. False: the program is
// too large for 32-bit distances.
bool emit_x86(const Program *p, int lanes, unsigned uniform, bool use_zmm, Arena *arena,
              Emitted *out);

// Optional, when the address is known: functions within 2 GB are called directly.
void emit_x86_place(Emitted *code, const void *address);
