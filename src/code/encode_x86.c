// Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.1 (ModRM, SIB, REX), 2.3
// (VEX) and 2.7 (EVEX). The rows of inst_x86.def hold what differs between instructions.
#include "code/encode_x86.h"

#include <assert.h>
#include <string.h>

enum {
  F2 = 1,
  PLUS_1 = 2,
  PLUS_2 = 4,
  TWO = 8,
  TWO_WIDE = 16,
  SWAPS = 32,
  DOUBLE = 64,
  LONGEST = 16, // bytes of an instruction
  LINE = 64
};
static const size_t BYTES_MOST = 1 << 30; // so that all distances fit 32 bits

typedef struct InstRow {
  uint8_t map, opcode, zmm_opcode, w, flags;
} InstRow;

static const InstRow INSTS[INST_COUNT] = {
#define INST(name, map, opcode, zmm_opcode, w, flags) {map, opcode, zmm_opcode, w, flags},
#include "code/inst_x86.def"
#undef INST
};

Encoder encode_new(Arena *arena, Width width) {
  return (Encoder){.arena = arena, .width = width};
}

static void reserve(Encoder *e, Bytes *b, size_t count) {
  if (b->count + count > BYTES_MOST) { // write over it: the code will not be used
    e->is_too_large = true;
    b->count = 0;
  }
  if (b->count + count <= b->room) return;
  size_t room = 2 * (b->room + count) + 256;
  uint8_t *grown = arena_alloc(e->arena, room, 1);
  if (b->count) memcpy(grown, b->at, b->count);
  b->at = grown;
  b->room = room;
}

static void put(Encoder *e, unsigned byte) {
  e->code.at[e->code.count++] = (uint8_t)byte;
}

static void put32(Encoder *e, int32_t x) {
  memcpy(e->code.at + e->code.count, &x, sizeof x);
  e->code.count += sizeof x;
}

static void begin(Encoder *e) {
  reserve(e, &e->code, LONGEST);
}

int encode_constant(Encoder *e, const void *bytes, size_t count) {
  size_t padding = (count - e->pool.count % count) % count;
  reserve(e, &e->pool, count + padding);
  memset(e->pool.at + e->pool.count, 0, padding);
  e->pool.count += padding;
  for (size_t k = 0; k < count; k++)
    e->pool.at[e->pool.count + k] = ((const uint8_t *)bytes)[count - 1 - k];
  e->pool.count += count;
  return -(int)e->pool.count;
}

uint8_t *encode_finish(Encoder *e, size_t *count, size_t *entry) {
  *entry = (e->pool.count + LINE - 1) / LINE * LINE;
  *count = *entry + e->code.count;
  uint8_t *image = arena_alloc(e->arena, *count, 1);
  for (size_t k = 0; k < e->pool.count; k++) image[*entry - 1 - k] = e->pool.at[k];
  memcpy(image + *entry, e->code.at, e->code.count);
  return image;
}

// --- ModRM, SIB, displacement ---

static void put_modrm(Encoder *e, int mod, int reg, int rm) {
  put(e, (unsigned)(mod << 6 | (reg & 7) << 3 | (rm & 7)));
}

// The displacement counts from the end of the instruction, after `tail` more bytes.
static void put_pool_operand(Encoder *e, int reg, int at, int tail) {
  put_modrm(e, 0, reg, 5);
  int end = (int)e->code.count + 4 + tail;
  put32(e, at - end);
}

// EVEX counts short displacements in units of the memory operand.
static void put_memory_operand(Encoder *e, int reg, int base, int at, int unit) {
  bool is_short = at % unit == 0 && at / unit >= -128 && at / unit <= 127;
  int mod = at == 0 && (base & 7) != RBP ? 0 : is_short ? 1 : 2;
  put_modrm(e, mod, reg, base);
  if ((base & 7) == RSP) put(e, 0x24);
  if (mod == 1) put(e, (uint8_t)(at / unit));
  if (mod == 2) put32(e, at);
}

static void put_operand(Encoder *e, int reg, X86Place b, int unit, int tail) {
  if (b.kind == PLACE_REGISTER)
    put_modrm(e, 3, reg, b.number);
  else if (b.kind == PLACE_POOL)
    put_pool_operand(e, reg, b.at, tail);
  else
    put_memory_operand(e, reg, b.number, b.at, unit);
}

// --- vector instructions ---

typedef struct Vector {
  int opcode, map, w;
  int prefix; // 1 is 66, 3 is F2
  int reg, a;
  X86Place b;
  int imm;  // -1: none
  int mask; // of k1, 0: none
  bool is_zeroing;
} Vector;

static void put_vex(Encoder *e, const Vector *v) {
  int high_reg = v->reg >> 3 & 1, high_b = v->b.kind == PLACE_POOL ? 0 : v->b.number >> 3 & 1;
  int length = e->width == WIDTH_YMM;
  unsigned last = (unsigned)((~v->a & 15) << 3 | length << 2 | v->prefix);
  if (v->map == 1 && !v->w && !high_b) {
    put(e, 0xc5);
    put(e, (unsigned)!high_reg << 7 | last);
  } else {
    put(e, 0xc4);
    put(e, (unsigned)(!high_reg << 7 | 1 << 6 | !high_b << 5 | v->map));
    put(e, (unsigned)v->w << 7 | last);
  }
}

static void put_evex(Encoder *e, const Vector *v) {
  int number = v->b.kind == PLACE_POOL ? 0 : v->b.number;
  int x = v->b.kind == PLACE_REGISTER ? number >> 4 & 1 : 0;
  put(e, 0x62);
  put(e, (unsigned)((~v->reg >> 3 & 1) << 7 | !x << 6 | (~number >> 3 & 1) << 5 |
                    (~v->reg >> 4 & 1) << 4 | v->map));
  put(e, (unsigned)(1 << 7 | (~v->a & 15) << 3 | 1 << 2 | v->prefix));
  put(e, (unsigned)(v->is_zeroing << 7 | 2 << 5 | v->b.is_broadcast << 4 | (~v->a >> 4 & 1) << 3 |
                    v->mask));
}

static void put_vector(Encoder *e, const Vector *v, int unit) {
  begin(e);
  if (e->width == WIDTH_ZMM)
    put_evex(e, v);
  else
    put_vex(e, v);
  put(e, (unsigned)v->opcode);
  put_operand(e, v->reg, v->b, unit, v->imm >= 0);
  if (v->imm >= 0) put(e, (unsigned)v->imm);
}

// Low registers as the last operand make short codes.
static void swap_for_short_code(Vector *v) {
  if (v->b.kind != PLACE_REGISTER || v->b.number < 8 || v->a >= 8) return;
  int b = v->b.number;
  v->b = place_register(v->a);
  v->a = b;
}

static Vector make_vector(Width width, Inst inst, int dst, int a, X86Place b) {
  InstRow row = INSTS[inst];
  bool is_scalar = width == WIDTH_SCALAR;
  int plus = !is_scalar ? 0 : row.flags & PLUS_1 ? 1 : row.flags & PLUS_2 ? 2 : 0;
  bool has_two = row.flags & TWO || (!is_scalar && row.flags & TWO_WIDE);
  Vector v = {
      .opcode = width == WIDTH_ZMM ? row.zmm_opcode : row.opcode + plus,
      .map = row.map,
      .w = row.w,
      .prefix = is_scalar && row.flags & F2 ? 3 : 1,
      .reg = dst,
      .a = has_two ? 0 : a,
      .b = b,
      .imm = -1,
  };
  assert(v.opcode); // the instruction has a form of this width
  if (row.flags & SWAPS && width != WIDTH_ZMM) swap_for_short_code(&v);
  return v;
}

static int unit_of(Width width, Inst inst, X86Place b) {
  if (width != WIDTH_ZMM) return 1;
  return b.is_broadcast || INSTS[inst].flags & DOUBLE ? 8 : 64;
}

void encode_vector(Encoder *e, Inst inst, int dst, int a, X86Place b) {
  Vector v = make_vector(e->width, inst, dst, a, b);
  put_vector(e, &v, unit_of(e->width, inst, b));
}

void encode_vector_imm(Encoder *e, Inst inst, int dst, int a, X86Place b, int imm) {
  Vector v = make_vector(e->width, inst, dst, a, b);
  v.imm = imm;
  put_vector(e, &v, unit_of(e->width, inst, b));
}

void encode_zeroing(Encoder *e, Inst inst, int dst, int a, X86Place b) {
  Vector v = make_vector(e->width, inst, dst, a, b);
  v.mask = 1;
  v.is_zeroing = true;
  put_vector(e, &v, unit_of(e->width, inst, b));
}

void encode_blend_k1(Encoder *e, int dst, int no, X86Place yes) {
  Vector v = make_vector(e->width, INST_BLEND_K1, dst, no, yes);
  v.mask = 1;
  put_vector(e, &v, unit_of(e->width, INST_BLEND_K1, yes));
}

void encode_compare_k1(Encoder *e, int a, X86Place b, int predicate, bool also) {
  Vector v = make_vector(e->width, INST_COMPARE, 1, a, b);
  v.imm = predicate;
  v.mask = also;
  put_vector(e, &v, unit_of(e->width, INST_COMPARE, b));
}

static void put_bytes(Encoder *e, const char *bytes, size_t count) {
  begin(e);
  for (size_t k = 0; k < count; k++) put(e, (uint8_t)bytes[k]);
}

void encode_not_k1(Encoder *e) {
  put_bytes(e, "\xc5\xf8\x44\xc9", 4);
}
void encode_zero_upper(Encoder *e) {
  put_bytes(e, "\xc5\xf8\x77", 3);
}
void encode_return(Encoder *e) {
  put_bytes(e, "\xc3", 1);
}

// --- general registers ---

void encode_push(Encoder *e, int reg) {
  begin(e);
  if (reg >= 8) put(e, 0x41);
  put(e, 0x50u + (reg & 7));
}

void encode_pop(Encoder *e, int reg) {
  begin(e);
  if (reg >= 8) put(e, 0x41);
  put(e, 0x58u + (reg & 7));
}

static void put_rex(Encoder *e, int reg, int rm) {
  put(e, 0x48u | (unsigned)(reg >> 3 & 1) << 2 | (unsigned)(rm >> 3 & 1));
}

void encode_move(Encoder *e, int dst, int src) {
  begin(e);
  put_rex(e, src, dst);
  put(e, 0x89);
  put_modrm(e, 3, src, dst);
}

void encode_move_imm(Encoder *e, int dst, uint64_t imm) {
  begin(e);
  if (imm > INT32_MAX)
    put_rex(e, 0, dst);
  else if (dst >= 8)
    put(e, 0x41);
  put(e, 0xb8u + (dst & 7));
  size_t size = imm > INT32_MAX ? 8 : 4;
  memcpy(e->code.at + e->code.count, &imm, size);
  e->code.count += size;
}

void encode_address(Encoder *e, int dst, X86Place memory) {
  begin(e);
  put_rex(e, dst, memory.kind == PLACE_POOL ? 0 : memory.number);
  put(e, 0x8d);
  put_operand(e, dst, memory, 1, 0);
}

void encode_add_stack(Encoder *e, int bytes) {
  begin(e);
  put_rex(e, 0, RSP);
  put(e, 0x83);
  put_modrm(e, 3, 0, RSP);
  put(e, (uint8_t)bytes);
}

size_t encode_call(Encoder *e, X86Place memory) {
  begin(e);
  size_t at = e->code.count;
  put(e, 0xff);
  put_operand(e, 2, memory, 1, 0);
  return at;
}

void encode_near_call(uint8_t *call, int64_t distance) {
  int32_t near = (int32_t)distance;
  if (near != distance) return;
  call[0] = 0x67; // without meaning here, fills the sixth byte
  call[1] = 0xe8;
  memcpy(call + 2, &near, sizeof near);
}
