// Register allocation in one pass (linear scan): when no register is free, the value whose next use is farthest away
// leaves (Belady, IBM Systems Journal 5, 1966). It is stored only if memory does not have it yet.
#include "code/values_x86.h"

#include <string.h>

#define BITS(name, bits) bits,
static const uint64_t MASK_BITS[MASKS] = {EACH_MASK(BITS)};
#undef BITS

// --- memory ---

X86Place values_work(Emitter *e, int index) {
  e->touches_work = true;
  return place_memory(e->bases[BASE_WORK], index * values_slot_bytes(e));
}

X86Place values_slot(Emitter *e, int slot) {
  return values_work(e, e->p->work_count + slot);
}

// A constant as an operand: once on xmm and for broadcasts, repeated for ymm. Bit operations on xmm
// read 16 bytes.
static int pool_constant(Emitter *e, uint64_t bits, bool is_mask) {
  const uint64_t repeated[4] = {bits, bits, bits, bits};
  size_t count = e->code.width == WIDTH_YMM ? 4 : is_scalar(e) && is_mask ? 2 : 1;
  return encode_constant(&e->code, repeated, count * sizeof bits);
}

static X86Place pool_place(const Emitter *e, int at) {
  X86Place place = place_pool(at);
  place.is_broadcast = e->code.width == WIDTH_ZMM;
  return place;
}

X86Place values_mask(Emitter *e, Mask mask) {
  if (!e->masks[mask]) e->masks[mask] = pool_constant(e, MASK_BITS[mask], true);
  return pool_place(e, e->masks[mask]);
}

static uint64_t constant_bits(const Emitter *e, int index) {
  uint64_t bits;
  memcpy(&bits, &e->p->constants[index], sizeof bits);
  return bits;
}

static Home constant_home(Emitter *e, int index) {
  if (!e->constants[index]) e->constants[index] = pool_constant(e, constant_bits(e, index), false);
  return (Home){pool_place(e, e->constants[index]), 0, e->code.width == WIDTH_ZMM};
}

bool values_is_uniform(const Emitter *e, const Instr *at) {
  return at->op == OP_INPUT && e->lanes > 1 && (e->uniform >> at->segment & 1);
}

static Home input_home(const Emitter *e, const Instr *at) {
  int base = e->bases[at->segment];
  if (!values_is_uniform(e, at))
    return (Home){place_memory(base, at->index * values_slot_bytes(e)), HALF_BYTES, false};
  X86Place place = place_memory(base, at->index * (int)sizeof(double));
  place.is_broadcast = e->code.width == WIDTH_ZMM;
  return (Home){place, 0, true};
}

// Memory that holds the value without being asked to: inputs, constants, fetched slots.
bool values_has_source(const Emitter *e, int v) {
  Op op = (Op)instr_at(e, v)->op;
  return op == OP_CONST || op == OP_INPUT || (op == OP_FETCH && e->live[v].can_read_again);
}

static bool has_home(const Emitter *e, int v) {
  return e->values[v].slot != NONE || values_has_source(e, v);
}

Home values_home(Emitter *e, int v) {
  const Instr *at = instr_at(e, v);
  if (e->values[v].slot != NONE)
    return (Home){values_slot(e, e->values[v].slot), HALF_BYTES, false};
  if (at->op == OP_CONST) return constant_home(e, at->index);
  if (at->op == OP_INPUT) return input_home(e, at);
  return (Home){values_work(e, at->index), HALF_BYTES, false};
}

// ymm instructions cannot broadcast their memory operand.
bool values_can_fold(const Emitter *e, int v) {
  if (e->code.width != WIDTH_YMM || e->values[v].slot != NONE) return true;
  return !values_is_uniform(e, instr_at(e, v));
}

// --- instructions on whole values ---

X86Place home_half(Home home, int half) {
  if (home.place.kind == PLACE_REGISTER)
    home.place.number += (uint8_t)(half * home.step);
  else
    home.place.at += half * home.step;
  return home.place;
}

void values_put(Emitter *e, Inst inst, int dst, int a, Home b) {
  for (int half = 0; half < e->halves; half++)
    encode_vector(&e->code, inst, dst + 8 * half, a + 8 * half, home_half(b, half));
  e->is_upper_dirty = true;
}

void values_put_imm(Emitter *e, Inst inst, int dst, int a, Home b, int imm) {
  for (int half = 0; half < e->halves; half++)
    encode_vector_imm(&e->code, inst, dst + 8 * half, a + 8 * half, home_half(b, half), imm);
  e->is_upper_dirty = true;
}

void values_put_blend(Emitter *e, int dst, int no, Home yes, int mask) {
  for (int half = 0; half < e->halves; half++)
    encode_vector_imm(&e->code, INST_BLEND, dst + 8 * half, no + 8 * half, home_half(yes, half),
                      (mask + 8 * half) << 4);
  e->is_upper_dirty = true;
}

void values_load(Emitter *e, int reg, int v) {
  const Instr *at = instr_at(e, v);
  if (at->op == OP_CONST && constant_bits(e, at->index) == 0) {
    values_put(e, INST_XOR, reg, reg, home_register(reg));
    return;
  }
  Home home = values_home(e, v);
  home.place.is_broadcast = false; // BROADCAST says it by itself
  values_put(e, home.is_single ? INST_BROADCAST : INST_LOAD, reg, 0, home);
}

void values_store(Emitter *e, int reg, X86Place to) {
  values_put(e, INST_STORE, reg, 0, (Home){to, HALF_BYTES, false});
}

// --- slots and registers ---

int values_take_slot(Emitter *e) {
  if (e->free_slots.count > 0) return e->free_slots.at[--e->free_slots.count];
  return e->slot_count++;
}

void values_spill(Emitter *e, int v) {
  e->values[v].slot = values_take_slot(e);
  values_store(e, e->values[v].reg, values_slot(e, e->values[v].slot));
}

static void free_register(Emitter *e, int reg) {
  e->in_register[reg] = NONE;
  e->free_registers |= 1u << reg;
}

static void forget_register(Emitter *e, int v) {
  if (e->values[v].reg != NONE) free_register(e, e->values[v].reg);
  e->values[v].reg = NONE;
}

void values_free_slot_later(Emitter *e, int slot) {
  e->dying_slots[e->dying_count++] = slot;
}

static void forget_value(Emitter *e, int v) {
  forget_register(e, v);
  if (e->values[v].slot != NONE) values_free_slot_later(e, e->values[v].slot);
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
  if (!has_home(e, v)) values_spill(e, v);
  forget_register(e, v);
}

static int lowest(uint32_t set) {
  return __builtin_ctz(set);
}

// Arguments of calls are wanted in xmm0 and xmm1, so leave these to them.
static int pick_free(const Emitter *e, int wish) {
  if (wish != NONE && e->free_registers >> wish & 1) return wish;
  uint32_t others = e->free_registers & ~3u;
  if (is_scalar(e) && e->has_calls && others) return lowest(others);
  return lowest(e->free_registers);
}

int values_take_register(Emitter *e, int v, int wish) {
  if (!e->free_registers) make_room(e);
  int reg = pick_free(e, wish);
  e->free_registers &= ~(1u << reg);
  e->in_register[reg] = v;
  if (v >= 0) e->values[v].reg = (int8_t)reg;
  return reg;
}

static void lock(Emitter *e, int reg) {
  e->locked |= 1u << reg;
}

int values_take_temporary(Emitter *e) {
  int reg = values_take_register(e, TEMPORARY, NONE);
  lock(e, reg);
  return reg;
}

// Brings the value into a register, which it keeps until the instruction is complete.
int values_need_register(Emitter *e, int v) {
  if (e->values[v].reg == NONE) {
    values_take_register(e, v, NONE);
    values_load(e, e->values[v].reg, v);
  }
  lock(e, e->values[v].reg);
  return e->values[v].reg;
}

void values_lock(Emitter *e, const int *operand, int count) {
  for (int k = 0; k < count; k++)
    if (e->values[operand[k]].reg != NONE) lock(e, e->values[operand[k]].reg);
}

// The operands of the current instruction are read: those without a later use die.
void values_pass_operands(Emitter *e) {
  const Instr *at = instr_at(e, e->at);
  const int operand[3] = {at->a, at->b, at->c};
  int count = live_operands(at);
  for (int k = 0; k < count; k++) e->values[operand[k]].next = e->live[e->at].next[k];
  for (int k = 0; k < count; k++)
    if (e->values[operand[k]].next == LIVE_NEVER) forget_value(e, operand[k]);
}

// A call wants its arguments in xmm0 and xmm1.
static int wished_register(const Emitter *e) {
  int user = e->live[e->at].first;
  if (!is_scalar(e) || user == LIVE_NEVER || OPS[instr_at(e, user)->op].kind != OP_KIND_CALL)
    return NONE;
  return instr_at(e, user)->a == e->at ? 0 : 1;
}

// What the call is going to push out of the wished register anyway goes now.
static void clear_wish(Emitter *e, int wish) {
  int v = e->in_register[wish];
  if (v < 0 || e->values[v].next <= e->live[e->at].first) return;
  if (!has_home(e, v)) values_spill(e, v);
  forget_register(e, v);
}

int values_define(Emitter *e) {
  int wish = wished_register(e);
  if (wish != NONE) clear_wish(e, wish);
  return values_take_register(e, e->at, wish);
}

// After the operands were noted as read, before they are forgotten.
void values_save_all(Emitter *e) {
  for (int reg = 0; reg < e->register_count; reg++) {
    int v = e->in_register[reg];
    if (v >= 0 && e->values[v].next != LIVE_NEVER && !has_home(e, v)) values_spill(e, v);
  }
}

void values_forget_all(Emitter *e) {
  for (int reg = 0; reg < e->register_count; reg++)
    if (e->in_register[reg] >= 0) forget_register(e, e->in_register[reg]);
}

void values_note_operands(Emitter *e) {
  const Instr *at = instr_at(e, e->at);
  const int operand[3] = {at->a, at->b, at->c};
  for (int k = 0; k < live_operands(at); k++) e->values[operand[k]].next = e->live[e->at].next[k];
}

void values_free_temporaries(Emitter *e) {
  for (int reg = 0; reg < e->register_count; reg++)
    if (e->in_register[reg] == TEMPORARY) free_register(e, reg);
}

void values_reset(Emitter *e) {
  for (int i = 0; i < e->p->count; i++)
    e->values[i] = (ValueState){.next = e->live[i].first, .slot = NONE, .reg = NONE};
  for (int reg = 0; reg < REGISTERS_MOST; reg++) e->in_register[reg] = NONE;
  e->free_registers = (uint32_t)((1ull << e->register_count) - 1);
}

void values_end_instruction(Emitter *e) {
  e->locked = 0;
  while (e->dying_count > 0) array_push(e->arena, &e->free_slots, e->dying_slots[--e->dying_count]);
}
