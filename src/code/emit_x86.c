#include "code/emit_x86.h"

#if defined(__x86_64__)
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "code/encode_x86.h"
#include "code/live.h"
#include "code/vector_math.h"

enum { NONE = -1, TEMPORARY = -2, REGISTERS_MOST = 32, HALF_BYTES = 32 };
enum { BASE_OUT = SEGMENTS, BASE_WORK, BASES };

// Predicates of vcmppd; O: false, U: true if an operand is NaN; Q: quiet.
enum { EQ_OQ = 0x00, NEQ_UQ = 0x04, LT_OQ = 0x11, LE_OQ = 0x12, GE_OQ = 0x1d, GT_OQ = 0x1e };

typedef enum Mask { MASK_SIGN, MASK_MAGNITUDE, MASK_ONE, MASK_ALL, MASK_ZERO, MASKS } Mask;
static const uint64_t MASK_BITS[MASKS] = {
    [MASK_SIGN] = 0x8000000000000000,
    [MASK_MAGNITUDE] = 0x7fffffffffffffff,
    [MASK_ONE] = 0x3ff0000000000000,
    [MASK_ALL] = 0xffffffffffffffff,
    [MASK_ZERO] = 0,
};

typedef struct CallSite {
  size_t at; // in the code
  void (*function)(void);
} CallSite;

// Where a value is now. A value can be in a register and in memory at the same time.
typedef struct Value {
  int next;  // instruction that uses it next
  int slot;  // spilled there, NONE if not
  int8_t reg;
} Value;

typedef struct Emitter {
  const Program *p;
  const LiveValue *live;
  Arena *arena;
  Encoder code;
  int lanes;
  unsigned uniform;
  int halves; // ymm registers that make a value: 2 for 8 lanes without zmm
  int at;     // current instruction

  Value *values;
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
  int *constants;   // offsets in the pool, 0: not there yet
  int masks[MASKS];
  int functions[OP_COUNT];
  ARRAY(CallSite) calls;
  const VectorMath *math;
} Emitter;

// --- memory ---

// A memory operand and what to add to its address for the upper half.
typedef struct Home {
  Place place;
  int step;
  bool is_single; // one double for all lanes
} Home;

static const Instr *instr(const Emitter *e, int i) { return &e->p->code[i]; }
static bool is_scalar(const Emitter *e) { return e->code.width == WIDTH_SCALAR; }
static int slot_bytes(const Emitter *e) { return e->lanes * (int)sizeof(double); }

static Place work_place(Emitter *e, int index) {
  e->touches_work = true;
  return place_memory(e->bases[BASE_WORK], index * slot_bytes(e));
}

static Place slot_place(Emitter *e, int slot) {
  return work_place(e, e->p->work_count + slot);
}

// A constant as an operand: once on xmm and for broadcasts, repeated for ymm. Bit operations always read 16 bytes.
static int pool_constant(Emitter *e, uint64_t bits, bool is_mask) {
  const uint64_t repeated[4] = {bits, bits, bits, bits};
  size_t count = e->code.width == WIDTH_YMM ? 4 : is_scalar(e) && is_mask ? 2 : 1;
  return encode_constant(&e->code, repeated, count * sizeof bits);
}

static Place pool_place(const Emitter *e, int at) {
  Place place = place_pool(at);
  place.is_broadcast = e->code.width == WIDTH_ZMM;
  return place;
}

static Place mask_place(Emitter *e, Mask mask) {
  if (!e->masks[mask]) e->masks[mask] = pool_constant(e, MASK_BITS[mask], true);
  return pool_place(e, e->masks[mask]);
}

static uint64_t constant_bits(const Emitter *e, int index) {
  uint64_t bits;
  memcpy(&bits, &e->p->constants[index], sizeof bits);
  return bits;
}

static Home constant_home(Emitter *e, int index) {
  if (!e->constants[index])
    e->constants[index] = pool_constant(e, constant_bits(e, index), false);
  return (Home){pool_place(e, e->constants[index]), 0, e->code.width == WIDTH_ZMM};
}

static bool is_uniform_input(const Emitter *e, const Instr *at) {
  return at->op == OP_INPUT && e->lanes > 1 && (e->uniform >> at->segment & 1);
}

static Home input_home(const Emitter *e, const Instr *at) {
  int base = e->bases[at->segment];
  if (!is_uniform_input(e, at))
    return (Home){place_memory(base, at->index * slot_bytes(e)), HALF_BYTES, false};
  Place place = place_memory(base, at->index * (int)sizeof(double));
  place.is_broadcast = e->code.width == WIDTH_ZMM;
  return (Home){place, 0, true};
}

// Memory that holds the value without being asked to: inputs, constants, fetched slots.
static bool has_source(const Emitter *e, int v) {
  Op op = (Op)instr(e, v)->op;
  return op == OP_CONST || op == OP_INPUT || (op == OP_FETCH && e->live[v].can_read_again);
}

static bool has_home(const Emitter *e, int v) {
  return e->values[v].slot != NONE || has_source(e, v);
}

static Home home_of(Emitter *e, int v) {
  const Instr *at = instr(e, v);
  if (e->values[v].slot != NONE)
    return (Home){slot_place(e, e->values[v].slot), HALF_BYTES, false};
  if (at->op == OP_CONST) return constant_home(e, at->index);
  if (at->op == OP_INPUT) return input_home(e, at);
  return (Home){work_place(e, at->index), HALF_BYTES, false};
}

// ymm instructions cannot broadcast their memory operand.
static bool can_fold(const Emitter *e, int v) {
  if (e->code.width != WIDTH_YMM || e->values[v].slot != NONE) return true;
  return !is_uniform_input(e, instr(e, v));
}

// --- instructions on whole values ---

static Home in_register(int reg) { return (Home){place_register(reg), 8, false}; }
static Home in_pool(Place place) { return (Home){place, 0, false}; }

static Place half_of(Home home, int half) {
  if (home.place.kind == PLACE_REGISTER) home.place.number += (uint8_t)(half * home.step);
  else home.place.at += half * home.step;
  return home.place;
}

static void put(Emitter *e, Inst inst, int dst, int a, Home b) {
  for (int half = 0; half < e->halves; half++)
    encode_vector(&e->code, inst, dst + 8 * half, a + 8 * half, half_of(b, half));
  e->is_upper_dirty = true;
}

static void put_imm(Emitter *e, Inst inst, int dst, int a, Home b, int imm) {
  for (int half = 0; half < e->halves; half++)
    encode_vector_imm(&e->code, inst, dst + 8 * half, a + 8 * half, half_of(b, half), imm);
  e->is_upper_dirty = true;
}

static void put_blend(Emitter *e, int dst, int no, Home yes, int mask) {
  for (int half = 0; half < e->halves; half++)
    encode_vector_imm(&e->code, INST_BLEND, dst + 8 * half, no + 8 * half, half_of(yes, half),
                      (mask + 8 * half) << 4);
  e->is_upper_dirty = true;
}

static void put_load(Emitter *e, int reg, int v) {
  const Instr *at = instr(e, v);
  if (at->op == OP_CONST && constant_bits(e, at->index) == 0) {
    put(e, INST_XOR, reg, reg, in_register(reg));
    return;
  }
  Home home = home_of(e, v);
  home.place.is_broadcast = false; // BROADCAST says it by itself
  put(e, home.is_single ? INST_BROADCAST : INST_LOAD, reg, 0, home);
}

static void put_store(Emitter *e, int reg, Place to) {
  put(e, INST_STORE, reg, 0, (Home){to, HALF_BYTES, false});
}

// --- slots and registers ---

static int take_slot(Emitter *e) {
  if (e->free_slots.count > 0) return e->free_slots.at[--e->free_slots.count];
  return e->slot_count++;
}

static void store_to_slot(Emitter *e, int v) {
  e->values[v].slot = take_slot(e);
  put_store(e, e->values[v].reg, slot_place(e, e->values[v].slot));
}

static void free_register(Emitter *e, int reg) {
  e->in_register[reg] = NONE;
  e->free_registers |= 1u << reg;
}

static void forget_register(Emitter *e, int v) {
  if (e->values[v].reg != NONE) free_register(e, e->values[v].reg);
  e->values[v].reg = NONE;
}

static void free_slot_later(Emitter *e, int slot) { e->dying_slots[e->dying_count++] = slot; }

static void forget_value(Emitter *e, int v) {
  forget_register(e, v);
  if (e->values[v].slot != NONE) free_slot_later(e, e->values[v].slot);
  e->values[v].slot = NONE;
}

// The value needed latest; one that costs no store may be needed sooner.
static int choose_victim(const Emitter *e) {
  int victim = NONE;
  int64_t latest = -1;
  for (int reg = 0; reg < e->register_count; reg++) {
    int v = e->in_register[reg];
    if (v < 0 || e->locked >> reg & 1) continue;
    int64_t distance = (int64_t)e->values[v].next - e->at;
    if (has_home(e, v)) distance *= 2;
    if (distance > latest) {
      latest = distance;
      victim = reg;
    }
  }
  return victim;
}

static void make_room(Emitter *e) {
  int v = e->in_register[choose_victim(e)];
  if (!has_home(e, v)) store_to_slot(e, v);
  forget_register(e, v);
}

static int lowest(uint32_t set) { return __builtin_ctz(set); }

// Arguments of calls are wanted in xmm0 and xmm1, so leave these to them.
static int pick_free(const Emitter *e, int wish) {
  if (wish != NONE && e->free_registers >> wish & 1) return wish;
  uint32_t others = e->free_registers & ~3u;
  if (is_scalar(e) && e->has_calls && others) return lowest(others);
  return lowest(e->free_registers);
}

static int take_register(Emitter *e, int v, int wish) {
  if (!e->free_registers) make_room(e);
  int reg = pick_free(e, wish);
  e->free_registers &= ~(1u << reg);
  e->in_register[reg] = v;
  if (v >= 0) e->values[v].reg = (int8_t)reg;
  return reg;
}

static void lock(Emitter *e, int reg) { e->locked |= 1u << reg; }

static int take_temporary(Emitter *e) {
  int reg = take_register(e, TEMPORARY, NONE);
  lock(e, reg);
  return reg;
}

// Brings the value into a register, which it keeps until the instruction is complete.
static int need_register(Emitter *e, int v) {
  if (e->values[v].reg == NONE) {
    take_register(e, v, NONE);
    put_load(e, e->values[v].reg, v);
  }
  lock(e, e->values[v].reg);
  return e->values[v].reg;
}

static void lock_operands(Emitter *e, const int *operand, int count) {
  for (int k = 0; k < count; k++)
    if (e->values[operand[k]].reg != NONE) lock(e, e->values[operand[k]].reg);
}

// The operands of the current instruction are read: those that nobody uses again die.
static void pass_operands(Emitter *e) {
  const Instr *at = instr(e, e->at);
  const int operand[3] = {at->a, at->b, at->c};
  int count = live_operands(at);
  for (int k = 0; k < count; k++) e->values[operand[k]].next = e->live[e->at].next[k];
  for (int k = 0; k < count; k++)
    if (e->values[operand[k]].next == LIVE_NEVER) forget_value(e, operand[k]);
}

static int next_after(const Emitter *e, int operand) { return e->live[e->at].next[operand]; }

// A call wants its arguments in xmm0 and xmm1.
static int wished_register(const Emitter *e) {
  int user = e->live[e->at].first;
  if (!is_scalar(e) || user == LIVE_NEVER || OPS[instr(e, user)->op].kind != OP_KIND_CALL)
    return NONE;
  return instr(e, user)->a == e->at ? 0 : 1;
}

// What the call is going to push out of the wished register anyway goes now.
static void clear_wish(Emitter *e, int wish) {
  int v = e->in_register[wish];
  if (v < 0 || e->values[v].next <= e->live[e->at].first) return;
  if (!has_home(e, v)) store_to_slot(e, v);
  forget_register(e, v);
}

static int define(Emitter *e) {
  int wish = wished_register(e);
  if (wish != NONE) clear_wish(e, wish);
  return take_register(e, e->at, wish);
}

// --- operands in memory ---

enum { KEEP_WITHIN = 200 }; // instructions: a value used again later than that is not worth a register

// Whether to use operand k, which is in memory only, directly from there.
static bool prefers_memory(const Emitter *e, int v, int operand) {
  if (!can_fold(e, v)) return false;
  int next = next_after(e, operand);
  if (next == LIVE_NEVER) return true;
  return next - e->at > KEEP_WITHIN || !e->free_registers;
}

static bool is_in_memory_only(const Emitter *e, int v) { return e->values[v].reg == NONE; }

static Home last_operand(Emitter *e, int v, int operand) {
  if (is_in_memory_only(e, v) && prefers_memory(e, v, operand)) return home_of(e, v);
  return in_register(need_register(e, v));
}

typedef struct Pair {
  int a;
  Home b;
  bool is_swapped;
} Pair;

// a in a register, b anywhere.
static Pair load_pair(Emitter *e, bool can_swap) {
  const Instr *at = instr(e, e->at);
  int operand[2] = {at->a, at->b};
  bool swap = can_swap && is_in_memory_only(e, at->a) &&
              (!is_in_memory_only(e, at->b) || next_after(e, 0) > next_after(e, 1));
  int first = swap, second = !swap;
  lock_operands(e, operand, 2);
  Pair pair = {.is_swapped = swap};
  pair.a = need_register(e, operand[first]);
  pair.b = last_operand(e, operand[second], second);
  return pair;
}

// --- arithmetic ---

static const Inst INST_OF[OP_COUNT] = {
    [OP_ADD] = INST_ADD,   [OP_SUB] = INST_SUB, [OP_MUL] = INST_MUL, [OP_DIV] = INST_DIV,
    [OP_MIN] = INST_MIN,   [OP_MAX] = INST_MAX, [OP_AND] = INST_AND, [OP_OR] = INST_OR,
    [OP_SQRT] = INST_SQRT,
};

static void emit_binary(Emitter *e, Op op) {
  Pair pair = load_pair(e, op == OP_ADD || op == OP_MUL);
  pass_operands(e);
  put(e, INST_OF[op], define(e), pair.a, pair.b);
}

static void emit_sqrt(Emitter *e, Op op) {
  int a = need_register(e, instr(e, e->at)->a);
  pass_operands(e);
  put(e, INST_OF[op], define(e), a, in_register(a));
}

static void emit_floor(Emitter *e, Op op) {
  (void)op;
  enum { DOWN_QUIET = 9 };
  int a = need_register(e, instr(e, e->at)->a);
  pass_operands(e);
  put_imm(e, INST_ROUND, define(e), a, in_register(a), DOWN_QUIET);
}

static void emit_with_mask(Emitter *e, Inst inst, Mask mask) {
  int a = need_register(e, instr(e, e->at)->a);
  pass_operands(e);
  put(e, inst, define(e), a, in_pool(mask_place(e, mask)));
}

static void emit_negate(Emitter *e, Op op) { (void)op, emit_with_mask(e, INST_XOR, MASK_SIGN); }
static void emit_abs(Emitter *e, Op op) { (void)op, emit_with_mask(e, INST_AND, MASK_MAGNITUDE); }

// --- fused multiply-add: the result takes the register of one operand ---

typedef struct FmaRow {
  Inst form_132, form_213, form_231;
} FmaRow;

static const FmaRow FMAS[OP_COUNT] = {
    [OP_FMA] = {INST_FMA132, INST_FMA213, INST_FMA231},
    [OP_FMS] = {INST_FMS132, INST_FMS213, INST_FMS231},
    [OP_FNMA] = {INST_FNMA132, INST_FNMA213, INST_FNMA231},
};

enum { FMA_OPERANDS = 3, ADDEND = 2 };

// Leaves at most one operand in memory only; gives its number or NONE.
static int load_all_but_one(Emitter *e, const int operand[FMA_OPERANDS]) {
  int folded = NONE;
  for (int k = 0; k < FMA_OPERANDS; k++) {
    int v = operand[k];
    if (!is_in_memory_only(e, v)) continue;
    bool is_repeated = v == operand[(k + 1) % 3] || v == operand[(k + 2) % 3];
    if (is_repeated || !can_fold(e, v)) need_register(e, v);
    else if (folded == NONE) folded = k;
    else if (next_after(e, k) > next_after(e, folded)) {
      need_register(e, operand[folded]);
      folded = k;
    } else need_register(e, v);
  }
  return folded;
}

static int dying_operand(const Emitter *e, const int operand[FMA_OPERANDS]) {
  for (int k = FMA_OPERANDS - 1; k >= 0; k--)
    if (!is_in_memory_only(e, operand[k]) && next_after(e, k) == LIVE_NEVER) return k;
  return NONE;
}

// dst holds operand `target` already; `folded` is in memory or NONE.
static void put_fma(Emitter *e, Op op, int target, int dst, const Home home[FMA_OPERANDS], int folded) {
  const FmaRow *row = &FMAS[op];
  int other = 1 - target; // the other factor, unless the target is the addend
  if (target == ADDEND) {
    int last = folded == 0 ? 0 : 1;
    put(e, row->form_231, dst, home[1 - last].place.number, home[last]);
  } else if (folded == other) {
    put(e, row->form_132, dst, home[ADDEND].place.number, home[other]);
  } else {
    put(e, row->form_213, dst, home[other].place.number, home[ADDEND]);
  }
}

// No operand dies: the result starts as a copy of one, best of the one in memory.
static void emit_fma_on_copy(Emitter *e, Op op, const Home home[FMA_OPERANDS], int folded) {
  const Instr *at = instr(e, e->at);
  const int operand[FMA_OPERANDS] = {at->a, at->b, at->c};
  int dst = take_temporary(e);
  if (folded != NONE) put_load(e, dst, operand[folded]);
  else put(e, INST_MOVE, dst, 0, home[ADDEND]);
  put_fma(e, op, folded != NONE ? folded : ADDEND, dst, home, NONE);
  pass_operands(e);
  e->in_register[dst] = e->at;
  e->values[e->at].reg = (int8_t)dst;
}

static void emit_fma(Emitter *e, Op op) {
  const Instr *at = instr(e, e->at);
  const int operand[FMA_OPERANDS] = {at->a, at->b, at->c};
  lock_operands(e, operand, FMA_OPERANDS);
  int folded = load_all_but_one(e, operand);
  int target = dying_operand(e, operand);
  if (folded != NONE && target != NONE && !prefers_memory(e, operand[folded], folded)) {
    need_register(e, operand[folded]);
    folded = NONE;
  }
  Home home[FMA_OPERANDS];
  for (int k = 0; k < FMA_OPERANDS; k++)
    home[k] = k == folded ? home_of(e, operand[k]) : in_register(e->values[operand[k]].reg);
  if (target == NONE) {
    emit_fma_on_copy(e, op, home, folded);
    return;
  }
  int dst = home[target].place.number;
  pass_operands(e);
  take_register(e, e->at, dst);
  put_fma(e, op, target, dst, home, folded);
}

// --- relations ---

typedef struct Predicate {
  int straight, swapped;
} Predicate;

static const Predicate PREDICATES[OP_COUNT] = {
    [OP_LT] = {LT_OQ, GT_OQ},
    [OP_LE] = {LE_OQ, GE_OQ},
    [OP_EQ] = {EQ_OQ, EQ_OQ},
    [OP_NE] = {NEQ_UQ, NEQ_UQ},
};

// 1 in the lanes of k1, 0 elsewhere
static void put_one_by_k1(Emitter *e) {
  Place one = mask_place(e, MASK_ONE);
  one.is_broadcast = false;
  encode_zeroing(&e->code, INST_BROADCAST, define(e), 0, one);
  e->is_upper_dirty = true;
}

// A mask that is needed as a number becomes 1 or 0.
static void finish_mask(Emitter *e, int reg) {
  if (!e->live[e->at].stays_mask) put(e, INST_AND, reg, reg, in_pool(mask_place(e, MASK_ONE)));
}

static void emit_relation(Emitter *e, Op op) {
  Pair pair = load_pair(e, true);
  int predicate = pair.is_swapped ? PREDICATES[op].swapped : PREDICATES[op].straight;
  pass_operands(e);
  if (e->code.width == WIDTH_ZMM) {
    encode_compare_k1(&e->code, pair.a, half_of(pair.b, 0), predicate, false);
    put_one_by_k1(e);
    return;
  }
  int dst = define(e);
  put_imm(e, INST_COMPARE, dst, pair.a, pair.b, predicate);
  finish_mask(e, dst);
}

static bool is_mask(const Emitter *e, int v) { return e->live[v].stays_mask; }

// All bits set where v is not 0: v itself if it is a mask already, else a temporary.
static int need_mask(Emitter *e, int v) {
  int reg = need_register(e, v);
  if (is_mask(e, v)) return reg;
  int mask = take_temporary(e);
  put_imm(e, INST_COMPARE, mask, reg, in_pool(mask_place(e, MASK_ZERO)), NEQ_UQ);
  return mask;
}

static void free_temporaries(Emitter *e) {
  for (int reg = 0; reg < e->register_count; reg++)
    if (e->in_register[reg] == TEMPORARY) free_register(e, reg);
}

static void compare_zero_k1(Emitter *e, int v, int predicate, bool also) {
  encode_compare_k1(&e->code, need_register(e, v), mask_place(e, MASK_ZERO), predicate, also);
}

static void emit_logic_zmm(Emitter *e, Op op) {
  const Instr *at = instr(e, e->at);
  int predicate = op == OP_AND ? NEQ_UQ : EQ_OQ; // a or b = not (a = 0 and b = 0)
  compare_zero_k1(e, at->a, predicate, false);
  if (op != OP_NOT) compare_zero_k1(e, at->b, predicate, true);
  if (op == OP_OR) encode_not_k1(&e->code);
  pass_operands(e);
  put_one_by_k1(e);
}

static void emit_logic(Emitter *e, Op op) {
  const Instr *at = instr(e, e->at);
  if (e->code.width == WIDTH_ZMM) {
    emit_logic_zmm(e, op);
    return;
  }
  int a = need_mask(e, at->a);
  Home b = op == OP_NOT ? in_pool(mask_place(e, MASK_ALL)) : in_register(need_mask(e, at->b));
  pass_operands(e);
  free_temporaries(e);
  int dst = define(e);
  put(e, op == OP_NOT ? INST_XOR : INST_OF[op], dst, a, b);
  finish_mask(e, dst);
}

static void emit_select(Emitter *e, Op op) {
  (void)op;
  const Instr *at = instr(e, e->at);
  const int operand[3] = {at->a, at->b, at->c};
  lock_operands(e, operand, 3);
  int no = need_register(e, at->c);
  int mask = NONE;
  if (e->code.width != WIDTH_ZMM) mask = need_mask(e, at->a);
  else compare_zero_k1(e, at->a, NEQ_UQ, false);
  Home yes = last_operand(e, at->b, 1);
  pass_operands(e);
  free_temporaries(e);
  if (mask != NONE) put_blend(e, define(e), no, yes, mask);
  else encode_blend_k1(&e->code, define(e), no, half_of(yes, 0));
}

// --- memory instructions ---

static void emit_fetch(Emitter *e, Op op) {
  (void)op;
  if (e->live[e->at].can_read_again) return;
  int dst = define(e);
  put(e, INST_LOAD, dst, 0, (Home){work_place(e, instr(e, e->at)->index), HALF_BYTES, false});
}

static void emit_store(Emitter *e, Op op) {
  const Instr *at = instr(e, e->at);
  int reg = need_register(e, at->a);
  Place out = place_memory(e->bases[BASE_OUT], at->index * slot_bytes(e));
  put_store(e, reg, op == OP_STORE ? work_place(e, at->index) : out);
  pass_operands(e);
}

// --- calls: all vector registers are lost ---

// After the operands were noted as read, before they are forgotten.
static void save_registers(Emitter *e) {
  for (int reg = 0; reg < e->register_count; reg++) {
    int v = e->in_register[reg];
    if (v >= 0 && e->values[v].next != LIVE_NEVER && !has_home(e, v)) store_to_slot(e, v);
  }
}

static void forget_registers(Emitter *e) {
  for (int reg = 0; reg < e->register_count; reg++)
    if (e->in_register[reg] >= 0) forget_register(e, e->in_register[reg]);
}

static void note_operands_read(Emitter *e) {
  const Instr *at = instr(e, e->at);
  const int operand[3] = {at->a, at->b, at->c};
  for (int k = 0; k < live_operands(at); k++)
    e->values[operand[k]].next = e->live[e->at].next[k];
}

// The registers in which the arguments arrive, and those that survive a call.
static const int ARGUMENTS[BASES] = {RDI, RSI, RDX, RCX, R8};
static const int SAVED[BASES] = {RBP, R14, R15, R13, RBX};

static void put_call(Emitter *e, int *function_at, void (*function)(void)) {
  if (!*function_at) *function_at = encode_constant(&e->code, &function, sizeof function);
  if (!is_scalar(e) && e->is_upper_dirty) encode_zero_upper(&e->code);
  size_t at = encode_call(&e->code, place_pool(*function_at));
  array_push(e->arena, &e->calls, ((CallSite){at, function}));
  e->is_upper_dirty = false;
  memcpy(e->bases, SAVED, sizeof SAVED);
}

#define FUNCTION(f) ((void (*)(void))(f))
static void (*const LIBM[OP_COUNT])(void) = {
    [OP_POW] = FUNCTION(pow),     [OP_SIN] = FUNCTION(sin),       [OP_COS] = FUNCTION(cos),
    [OP_TAN] = FUNCTION(tan),     [OP_ASIN] = FUNCTION(asin),     [OP_ACOS] = FUNCTION(acos),
    [OP_ATAN] = FUNCTION(atan),   [OP_ATAN2] = FUNCTION(atan2),   [OP_SINH] = FUNCTION(sinh),
    [OP_COSH] = FUNCTION(cosh),   [OP_TANH] = FUNCTION(tanh),     [OP_EXP] = FUNCTION(exp),
    [OP_LOG] = FUNCTION(log),     [OP_LOG10] = FUNCTION(log10),   [OP_SINCOS] = FUNCTION(sincos),
};

static void put_argument(Emitter *e, int reg, int v) {
  if (e->values[v].reg == NONE) put_load(e, reg, v);
  else if (e->values[v].reg != reg) put(e, INST_MOVE, reg, 0, in_register(e->values[v].reg));
}

// Every live value is saved, so all other registers may be overwritten.
static void put_two_arguments(Emitter *e, int a, int b) {
  if (e->values[a].reg == 1 && e->values[b].reg == 0) {
    put(e, INST_MOVE, 2, 0, in_register(0));
    put(e, INST_MOVE, 0, 0, in_register(1));
    put(e, INST_MOVE, 1, 0, in_register(2));
  } else if (e->values[b].reg == 0) {
    put_argument(e, 1, b);
    put_argument(e, 0, a);
  } else {
    put_argument(e, 0, a);
    put_argument(e, 1, b);
  }
}

static void emit_call_scalar(Emitter *e, Op op) {
  const Instr *at = instr(e, e->at);
  note_operands_read(e);
  save_registers(e);
  if (OPS[op].args == 2) put_two_arguments(e, at->a, at->b);
  else put_argument(e, 0, at->a);
  forget_registers(e);
  pass_operands(e);
  put_call(e, &e->functions[op], LIBM[op]);
  take_register(e, e->at, 0);
}

// The lanes of a value in memory, for a function to read.
static Place lanes_in_memory(Emitter *e, int v) {
  bool has_lanes = e->values[v].slot != NONE ||
                   (has_source(e, v) && instr(e, v)->op != OP_CONST &&
                    !is_uniform_input(e, instr(e, v)));
  if (!has_lanes) {
    need_register(e, v);
    store_to_slot(e, v);
  }
  return home_of(e, v).place;
}

// For a result that nobody wants, but the function writes.
static Place spare_slot(Emitter *e) {
  int slot = take_slot(e);
  free_slot_later(e, slot);
  return slot_place(e, slot);
}

static Place result_slot(Emitter *e, int v) {
  if (e->live[v].first == LIVE_NEVER) return spare_slot(e);
  e->values[v].slot = take_slot(e);
  return slot_place(e, e->values[v].slot);
}

static void emit_call_lanes(Emitter *e, Op op) {
  const Instr *at = instr(e, e->at);
  Place a = lanes_in_memory(e, at->a), b = a;
  if (OPS[op].args == 2) b = lanes_in_memory(e, at->b);
  note_operands_read(e);
  save_registers(e);
  forget_registers(e);
  pass_operands(e);
  encode_address(&e->code, RDI, a);
  if (OPS[op].args == 2) encode_address(&e->code, RSI, b);
  encode_address(&e->code, RDX, result_slot(e, e->at));
  put_call(e, &e->functions[op], FUNCTION(e->math->fn[op]));
}

static void emit_call(Emitter *e, Op op) {
  if (is_scalar(e)) emit_call_scalar(e, op);
  else emit_call_lanes(e, op);
}

// libm and the kernel write both results to memory.
static void emit_sincos(Emitter *e, Op op) {
  int a = instr(e, e->at)->a;
  bool has_second = e->at + 1 < e->p->count && instr(e, e->at + 1)->op == OP_SECOND;
  Place argument = {0};
  if (!is_scalar(e)) argument = lanes_in_memory(e, a);
  note_operands_read(e);
  save_registers(e);
  if (is_scalar(e)) put_argument(e, 0, a);
  else encode_address(&e->code, RDI, argument);
  forget_registers(e);
  pass_operands(e);
  Place sine = result_slot(e, e->at);
  Place cosine = has_second ? result_slot(e, e->at + 1) : spare_slot(e);
  encode_address(&e->code, is_scalar(e) ? RDI : RSI, sine);
  encode_address(&e->code, is_scalar(e) ? RSI : RDX, cosine);
  put_call(e, &e->functions[op], is_scalar(e) ? LIBM[op] : FUNCTION(e->math->sincos));
}

static void emit_block(Emitter *e, Op op) {
  (void)op;
  const Block *block = &e->p->blocks[instr(e, e->at)->index];
  int function_at = 0;
  save_registers(e);
  forget_registers(e);
  encode_move_imm(&e->code, RDI, (uint64_t)(uintptr_t)block);
  encode_move(&e->code, RSI, work_place(e, 0).number);
  encode_move_imm(&e->code, RDX, (uint64_t)e->lanes);
  put_call(e, &function_at, FUNCTION(block->run));
}

// --- the whole program ---

typedef void EmitFn(Emitter *e, Op op);

static EmitFn *const EMITTERS[OP_COUNT] = {
    [OP_ADD] = emit_binary,      [OP_SUB] = emit_binary,    [OP_MUL] = emit_binary,
    [OP_DIV] = emit_binary,      [OP_MIN] = emit_binary,    [OP_MAX] = emit_binary,
    [OP_NEG] = emit_negate,      [OP_ABS] = emit_abs,       [OP_SQRT] = emit_sqrt,
    [OP_FLOOR] = emit_floor,     [OP_SELECT] = emit_select, [OP_LT] = emit_relation,
    [OP_LE] = emit_relation,     [OP_EQ] = emit_relation,   [OP_NE] = emit_relation,
    [OP_AND] = emit_logic,       [OP_OR] = emit_logic,      [OP_NOT] = emit_logic,
    [OP_FMA] = emit_fma,         [OP_FMS] = emit_fma,       [OP_FNMA] = emit_fma,
    [OP_POW] = emit_call,        [OP_SIN] = emit_call,      [OP_COS] = emit_call,
    [OP_TAN] = emit_call,        [OP_ASIN] = emit_call,     [OP_ACOS] = emit_call,
    [OP_ATAN] = emit_call,       [OP_ATAN2] = emit_call,    [OP_SINH] = emit_call,
    [OP_COSH] = emit_call,       [OP_TANH] = emit_call,     [OP_EXP] = emit_call,
    [OP_LOG] = emit_call,        [OP_LOG10] = emit_call,    [OP_SINCOS] = emit_sincos,
    [OP_BLOCK] = emit_block,     [OP_FETCH] = emit_fetch,   [OP_STORE] = emit_store,
    [OP_RESULT] = emit_store,    // CONST, INPUT and SECOND are loaded where they are used
};

static void emit_instruction(Emitter *e, int i) {
  Op op = (Op)instr(e, i)->op;
  if (!e->live[i].is_needed || !EMITTERS[op]) return;
  e->at = i;
  EMITTERS[op](e, op);
  e->locked = 0;
  while (e->dying_count > 0)
    array_push(e->arena, &e->free_slots, e->dying_slots[--e->dying_count]);
}

static int saved_count(const Emitter *e) {
  int count = 0;
  for (int k = 0; k < BASES; k++) count += e->uses_base[k];
  return count;
}

static bool needs_padding(const Emitter *e) { return saved_count(e) % 2 == 0; } // calls want rsp at 16 n

// Scalar code reads the argument registers until the first call; lane code needs them for the calls themselves.
static void put_prologue(Emitter *e) {
  memcpy(e->bases, ARGUMENTS, sizeof ARGUMENTS);
  if (!e->has_calls) return;
  for (int k = 0; k < BASES; k++)
    if (e->uses_base[k]) encode_push(&e->code, SAVED[k]);
  if (needs_padding(e)) encode_push(&e->code, RAX);
  for (int k = 0; k < BASES; k++)
    if (e->uses_base[k]) encode_move(&e->code, SAVED[k], ARGUMENTS[k]);
  if (!is_scalar(e)) memcpy(e->bases, SAVED, sizeof SAVED);
}

static void put_epilogue(Emitter *e) {
  if (!is_scalar(e) && e->is_upper_dirty) encode_zero_upper(&e->code);
  if (e->has_calls) {
    if (needs_padding(e)) encode_pop(&e->code, RCX);
    for (int k = BASES - 1; k >= 0; k--)
      if (e->uses_base[k]) encode_pop(&e->code, SAVED[k]);
  }
  encode_return(&e->code);
}

static int first_call(const Emitter *e) {
  for (int i = 0; i < e->p->count; i++)
    if (e->live[i].is_needed && OPS[instr(e, i)->op].kind == OP_KIND_CALL) return i;
  return LIVE_NEVER;
}

// Which arguments are read after the first call.
static void find_bases(Emitter *e) {
  int call = first_call(e);
  e->has_calls = call != LIVE_NEVER;
  if (!e->has_calls) return;
  for (int i = is_scalar(e) ? call + 1 : 0; i < e->p->count; i++) {
    const Instr *at = instr(e, i);
    if (!e->live[i].is_needed) continue;
    const int operand[3] = {at->a, at->b, at->c};
    for (int k = 0; k < live_operands(at); k++) {
      const Instr *read = instr(e, operand[k]);
      if (read->op == OP_INPUT) e->uses_base[read->segment] = true;
    }
    if (at->op == OP_RESULT) e->uses_base[BASE_OUT] = true;
  }
}

static void reset_values(Emitter *e) {
  for (int i = 0; i < e->p->count; i++)
    e->values[i] = (Value){.next = e->live[i].first, .slot = NONE, .reg = NONE};
  for (int reg = 0; reg < REGISTERS_MOST; reg++) e->in_register[reg] = NONE;
  e->free_registers = (uint32_t)((1ull << e->register_count) - 1);
}

static Emitter emitter_new(const Program *p, int lanes, unsigned uniform, Width width,
                           const LiveValue *live, Arena *arena) {
  Emitter e = {
      .p = p,
      .live = live,
      .arena = arena,
      .code = encode_new(arena, width),
      .lanes = lanes,
      .uniform = uniform,
      .halves = lanes == 8 && width == WIDTH_YMM ? 2 : 1,
      .values = ARENA_ARRAY(arena, Value, p->count),
      .constants = ARENA_ARRAY(arena, int, p->constant_count),
      .math = lanes > 1 ? vector_math(lanes) : NULL,
  };
  e.register_count = width == WIDTH_ZMM ? 32 : e.halves == 2 ? 8 : 16;
  reset_values(&e);
  find_bases(&e);
  return e;
}

static void emit_all(Emitter *e) {
  put_prologue(e);
  for (int i = 0; i < e->p->count; i++) emit_instruction(e, i);
  put_epilogue(e);
}

// Every address must be within 2^30 bytes of its base.
static bool fits(const Program *p, int lanes) {
  int64_t most = (1 << 30) / (lanes * (int64_t)sizeof(double));
  for (int k = 0; k < SEGMENTS; k++)
    if (p->input_counts[k] > most) return false;
  return p->result_count <= most && (int64_t)p->work_count + p->count <= most;
}

enum { SMALL = 40 }; // instructions: such a program may do without work[], so first try it so

bool emit_x86(const Program *p, int lanes, unsigned uniform, bool use_zmm, Arena *arena,
              Emitted *out) {
  if (!fits(p, lanes)) return false;
  Width width = lanes == 1 ? WIDTH_SCALAR : use_zmm && lanes == 8 ? WIDTH_ZMM : WIDTH_YMM;
  const LiveValue *live = live_find(p, arena);
  Emitter e = emitter_new(p, lanes, uniform, width, live, arena);
  e.uses_base[BASE_WORK] = p->count > SMALL;
  emit_all(&e);
  if (e.has_calls && e.touches_work && !e.uses_base[BASE_WORK]) {
    e = emitter_new(p, lanes, uniform, width, live, arena);
    e.uses_base[BASE_WORK] = true;
    emit_all(&e);
  }
  if (e.code.is_too_large) return false;
  out->bytes = encode_finish(&e.code, &out->count, &out->entry);
  out->work_count = (p->work_count + e.slot_count) * lanes;
  out->calls = e.calls.at;
  out->call_count = e.calls.count;
  return true;
}

void emit_x86_place(Emitted *code, const void *address) {
  for (int k = 0; k < code->call_count; k++) {
    size_t at = code->entry + code->calls[k].at;
    uint64_t end = (uint64_t)(uintptr_t)address + at + CALL_BYTES;
    uint64_t target = (uint64_t)(uintptr_t)code->calls[k].function;
    encode_near_call(code->bytes + at, (int64_t)(target - end));
  }
}
#else
bool emit_x86(const Program *p, int lanes, unsigned uniform, bool use_zmm, Arena *arena,
              Emitted *out) {
  (void)p, (void)lanes, (void)uniform, (void)use_zmm, (void)arena, (void)out;
  return false;
}

void emit_x86_place(Emitted *code, const void *address) { (void)code, (void)address; }
#endif
