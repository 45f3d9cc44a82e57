// System V calling convention: doubles in xmm0 and xmm1, pointers in rdi, rsi, rdx; rbx, rbp and r12 to r15 survive.
#include "code/call_x86.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const int CALL_ARGUMENTS[BASES] = {RDI, RSI, RDX, RCX, R8};
const int CALL_SAVED[BASES] = {RBP, R14, R15, R13, RBX};

static void put_call(Emitter *e, int *function_at, void (*function)(void)) {
  if (!*function_at) *function_at = encode_constant(&e->code, &function, sizeof function);
  if (!is_scalar(e) && e->is_upper_dirty) encode_zero_upper(&e->code);
  size_t at = encode_call(&e->code, place_pool(*function_at));
  array_push(e->arena, &e->calls, ((CallSite){at, function}));
  e->is_upper_dirty = false;
  memcpy(e->bases, CALL_SAVED, sizeof CALL_SAVED);
}

#define FUNCTION(f) ((void (*)(void))(f))
static void (*const LIBM[OP_COUNT])(void) = {
#define OP(...)
#define SPECIAL(...)
#define CALL(name, args, text, function, ...) [OP_##name] = FUNCTION(function),
#include "expr/ops.def"
};

static void put_argument(Emitter *e, int reg, int v) {
  if (e->values[v].reg == NONE)
    values_load(e, reg, v);
  else if (e->values[v].reg != reg)
    values_put(e, INST_MOVE, reg, 0, home_register(e->values[v].reg));
}

// Every live value is saved, so all other registers may be overwritten.
static void put_two_arguments(Emitter *e, int a, int b) {
  if (e->values[a].reg == 1 && e->values[b].reg == 0) {
    values_put(e, INST_MOVE, 2, 0, home_register(0));
    values_put(e, INST_MOVE, 0, 0, home_register(1));
    values_put(e, INST_MOVE, 1, 0, home_register(2));
  } else if (e->values[b].reg == 0) {
    put_argument(e, 1, b);
    put_argument(e, 0, a);
  } else {
    put_argument(e, 0, a);
    put_argument(e, 1, b);
  }
}

static void call_libm(Emitter *e, Op op) {
  const Instr *at = instr_at(e, e->at);
  values_note_operands(e);
  values_save_all(e);
  if (OPS[op].args == 2)
    put_two_arguments(e, at->a, at->b);
  else
    put_argument(e, 0, at->a);
  values_forget_all(e);
  values_pass_operands(e);
  put_call(e, &e->functions[op], LIBM[op]);
  values_take_register(e, e->at, 0);
}

// The lanes of a value in memory, for a function to read.
static X86Place lanes_in_memory(Emitter *e, int v) {
  bool has_lanes =
      e->values[v].slot != NONE || (values_has_source(e, v) && instr_at(e, v)->op != OP_CONST &&
                                    !values_is_uniform(e, instr_at(e, v)));
  if (!has_lanes) {
    values_need_register(e, v);
    values_spill(e, v);
  }
  return values_home(e, v).place;
}

// For a result that is not used, but that the function writes.
static X86Place spare_slot(Emitter *e) {
  int slot = values_take_slot(e);
  values_free_slot_later(e, slot);
  return values_slot(e, slot);
}

static X86Place result_slot(Emitter *e, int v) {
  if (e->live[v].first == LIVE_NEVER) return spare_slot(e);
  e->values[v].slot = values_take_slot(e);
  return values_slot(e, e->values[v].slot);
}

static void call_kernel(Emitter *e, Op op) {
  const Instr *at = instr_at(e, e->at);
  X86Place a = lanes_in_memory(e, at->a), b = a;
  if (OPS[op].args == 2) b = lanes_in_memory(e, at->b);
  values_note_operands(e);
  values_save_all(e);
  values_forget_all(e);
  values_pass_operands(e);
  encode_address(&e->code, RDI, a);
  if (OPS[op].args == 2) encode_address(&e->code, RSI, b);
  encode_address(&e->code, RDX, result_slot(e, e->at));
  put_call(e, &e->functions[op], FUNCTION(e->math->fn[op]));
}

void emit_call(Emitter *e) {
  Op op = (Op)instr_at(e, e->at)->op;
  assert(LIBM[op]); // a row CALL(...) in ops.def
  if (is_scalar(e))
    call_libm(e, op);
  else
    call_kernel(e, op);
}

// libm and the kernel write both results to memory.
void emit_sincos(Emitter *e) {
  int a = instr_at(e, e->at)->a;
  bool has_second = e->at + 1 < e->p->count && instr_at(e, e->at + 1)->op == OP_SECOND;
  X86Place argument = {0};
  if (!is_scalar(e)) argument = lanes_in_memory(e, a);
  values_note_operands(e);
  values_save_all(e);
  if (is_scalar(e))
    put_argument(e, 0, a);
  else
    encode_address(&e->code, RDI, argument);
  values_forget_all(e);
  values_pass_operands(e);
  X86Place sine = result_slot(e, e->at);
  X86Place cosine = has_second ? result_slot(e, e->at + 1) : spare_slot(e);
  encode_address(&e->code, is_scalar(e) ? RDI : RSI, sine);
  encode_address(&e->code, is_scalar(e) ? RSI : RDX, cosine);
  put_call(e, &e->functions[OP_SINCOS],
           is_scalar(e) ? FUNCTION(sincos) : FUNCTION(e->math->sincos));
}

void emit_block(Emitter *e) {
  const CodeBlock *block = &e->p->blocks[instr_at(e, e->at)->index];
  int function_at = 0;
  values_save_all(e);
  values_forget_all(e);
  encode_move_imm(&e->code, RDI, (uint64_t)(uintptr_t)block);
  encode_move(&e->code, RSI, values_work(e, 0).number);
  encode_move_imm(&e->code, RDX, (uint64_t)e->lanes);
  put_call(e, &function_at, FUNCTION(block->run));
}
