// Bytes of the x86-64 instructions that the emitter uses, and the constants that they read.
//
// Constants lie before the code, the first one nearest to it, so that their distance is known
// before the code is complete. Vector instructions are VEX on xmm (scalar) and ymm, EVEX on zmm.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum Width { WIDTH_SCALAR, WIDTH_YMM, WIDTH_ZMM } Width;

typedef enum Inst {
#define INST(name, map, opcode, zmm_opcode, w, flags) INST_##name,
#include "code/inst_x86.def"
#undef INST
  INST_COUNT
} Inst;

enum { CALL_BYTES = 6 };
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

typedef enum PlaceKind { PLACE_REGISTER, PLACE_MEMORY, PLACE_POOL } PlaceKind;

// The last operand of an instruction.
typedef struct X86Place {
  PlaceKind kind;
  uint8_t number;    // of the vector register, or of the base register
  bool is_broadcast; // one double in memory for all lanes of a zmm
  int at;            // bytes from the base register; pool: from the start of the code
} X86Place;

typedef struct Bytes {
  uint8_t *at;
  size_t count, room;
} Bytes;

typedef struct Encoder {
  Arena *arena;
  Width width;
  Bytes code;
  Bytes pool; // backwards: the last byte is the first in memory
  bool is_too_large;
} Encoder;

Encoder encode_new(Arena *arena, Width width);

static inline X86Place place_register(int number) {
  return (X86Place){.kind = PLACE_REGISTER, .number = (uint8_t)number};
}
static inline X86Place place_memory(int base, int at) {
  return (X86Place){.kind = PLACE_MEMORY, .number = (uint8_t)base, .at = at};
}
static inline X86Place place_pool(int at) {
  return (X86Place){.kind = PLACE_POOL, .at = at};
}

// Gives its place, aligned to its size.
int encode_constant(Encoder *e, const void *bytes, size_t count);

// dst = inst(a, b). Instructions with two operands do not look at a. STORE writes dst to b.
void encode_vector(Encoder *e, Inst inst, int dst, int a, X86Place b);
void encode_vector_imm(Encoder *e, Inst inst, int dst, int a, X86Place b, int imm);
// Only with zmm, by the mask register k1:
void encode_zeroing(Encoder *e, Inst inst, int dst, int a,
                    X86Place b); // 0 in lanes without the mask
void encode_blend_k1(Encoder *e, int dst, int no, X86Place yes);
// k1 = compare(a, b); with `also`, k1 = k1 and compare(a, b)
void encode_compare_k1(Encoder *e, int a, X86Place b, int predicate, bool also);
void encode_not_k1(Encoder *e);

void encode_zero_upper(Encoder *e);
void encode_push(Encoder *e, int reg);
void encode_pop(Encoder *e, int reg);
void encode_move(Encoder *e, int dst, int src);
void encode_move_imm(Encoder *e, int dst, uint64_t imm);
void encode_address(Encoder *e, int dst, X86Place memory);
void encode_add_stack(Encoder *e, int bytes);
// Of the address stored in memory. Gives the place of the call in the code.
size_t encode_call(Encoder *e, X86Place memory);
// Makes that a direct call, if the distance from the end of the instruction fits.
void encode_near_call(uint8_t *call, int64_t distance);
void encode_return(Encoder *e);

// The image: pool, then code from *entry on (aligned to 64). In the arena.
uint8_t *encode_finish(Encoder *e, size_t *count, size_t *entry);
