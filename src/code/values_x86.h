// Where the values of a program are while its code is emitted: registers, slots of work[], or the
// memory that they came from. Given to the operators of emit_x86.c and call_x86.c.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "code/encode_x86.h"
#include "code/live.h"
#include "code/vector_math.h"

enum { NONE = -1, TEMPORARY = -2, REGISTERS_MOST = 32, HALF_BYTES = 32 };
enum { BASE_OUT = SEGMENTS, BASE_WORK, BASES };

// Constants that the code itself needs, by their bits.
#define EACH_MASK(DO)                                                                              \
  DO(SIGN, 0x8000000000000000)                                                                     \
  DO(MAGNITUDE, 0x7fffffffffffffff)                                                                \
  DO(ONE, 0x3ff0000000000000)                                                                      \
  DO(ALL, 0xffffffffffffffff)                                                                      \
  DO(ZERO, 0)
#define MASK_NAME(name, bits) MASK_##name,
typedef enum Mask { EACH_MASK(MASK_NAME) MASKS } Mask;
#undef MASK_NAME

typedef struct CallSite {
  size_t at; // in the code
  void (*function)(void);
} CallSite;

// Where a value is now. A value can be in a register and in memory at the same time.
typedef struct ValueState {
  int next; // instruction that uses it next
  int slot; // spilled there, NONE if not
  int8_t reg;
} ValueState;

typedef struct Emitter {
  const Program *p;
  const LiveValue *live;
  Arena *arena;
  Encoder code;
  int lanes;
  unsigned uniform;
  int halves; // ymm registers that make a value: 2 for 8 lanes without zmm
  int at;     // current instruction

  ValueState *values;
  int register_count;
  int in_register[REGISTERS_MOST]; // value, NONE or TEMPORARY
  uint32_t free_registers, locked;
  IntArray free_slots;
  int slot_count;
  int dying_slots[6]; // free after the current instruction, which may still read them
  int dying_count;

  int bases[BASES]; // general registers that hold the arguments
  bool uses_base[BASES];
  bool has_calls;
  bool touches_work;
  bool is_upper_dirty;
  int *constants; // offsets in the pool, 0: not there yet
  int masks[MASKS];
  int functions[OP_COUNT];
  ARRAY(CallSite) calls;
  const VectorMath *math;
} Emitter;

// A memory operand and what to add to its address for the upper half.
typedef struct Home {
  X86Place place;
  int step;
  bool is_single; // one double for all lanes
} Home;

static inline const Instr *instr_at(const Emitter *e, int i) {
  return &e->p->code[i];
}
static inline bool is_scalar(const Emitter *e) {
  return e->code.width == WIDTH_SCALAR;
}
static inline int values_slot_bytes(const Emitter *e) {
  return e->lanes * (int)sizeof(double);
}
static inline int values_next_after(const Emitter *e, int operand) {
  return e->live[e->at].next[operand];
}

static inline Home home_register(int reg) {
  return (Home){place_register(reg), 8, false};
}
static inline Home home_pool(X86Place place) {
  return (Home){place, 0, false};
}
X86Place home_half(Home home, int half);

void values_reset(Emitter *e); // nothing is anywhere
void values_end_instruction(Emitter *e);

// Memory
X86Place values_work(Emitter *e, int index);
X86Place values_slot(Emitter *e, int slot);
X86Place values_mask(Emitter *e, Mask mask);
Home values_home(Emitter *e, int v); // of a value that is in memory
bool values_is_uniform(const Emitter *e, const Instr *at);
bool values_has_source(const Emitter *e, int v); // in memory from the beginning
bool values_can_fold(const Emitter *e, int v);   // its memory can be an operand
int values_take_slot(Emitter *e);
void values_free_slot_later(Emitter *e, int slot);
void values_spill(Emitter *e, int v); // from its register to a new slot

// One instruction on all parts of a value
void values_put(Emitter *e, Inst inst, int dst, int a, Home b);
void values_put_imm(Emitter *e, Inst inst, int dst, int a, Home b, int imm);
void values_put_blend(Emitter *e, int dst, int no, Home yes, int mask);
void values_load(Emitter *e, int reg, int v);
void values_store(Emitter *e, int reg, X86Place to);

// Registers. What is needed or locked stays in its register until the instruction is complete.
int values_take_register(Emitter *e, int v, int wish);
int values_take_temporary(Emitter *e);
void values_free_temporaries(Emitter *e);
int values_need_register(Emitter *e, int v);
void values_lock(Emitter *e, const int *operand, int count);
int values_define(Emitter *e); // a register for the result of the current instruction

// The operands of the current instruction are read. The second function also frees those without a
// later use.
void values_note_operands(Emitter *e);
void values_pass_operands(Emitter *e);

// Calls: first save what is used later, then forget what the registers held.
void values_save_all(Emitter *e);
void values_forget_all(Emitter *e);
