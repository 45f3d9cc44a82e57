// One function for each operator that has machine code of its own; ops.def names them. Each asks values_x86.h for its
// operands in registers or memory, puts its instructions, and says where the result is. Relations give masks (all bits
// set or none), which become 1 or 0 only if arithmetic uses them.
#include "code/emit_x86.h"

#if defined(__x86_64__)
#include <string.h>

#include "code/call_x86.h"

// Predicates of vcmppd; O: false, U: true if an operand is NaN; Q: quiet.
enum { EQ_OQ = 0x00, NEQ_UQ = 0x04, LT_OQ = 0x11, LE_OQ = 0x12, GE_OQ = 0x1d, GT_OQ = 0x1e };

// --- operands in memory ---

enum {
  KEEP_WITHIN = 200
}; // instructions: a value used again later than that does not get a register

// Whether to use operand k, which is in memory only, directly from there.
static bool prefers_memory(const Emitter *e, int v, int operand) {
  if (!values_can_fold(e, v)) return false;
  int next = values_next_after(e, operand);
  if (next == LIVE_NEVER) return true;
  return next - e->at > KEEP_WITHIN || !e->free_registers;
}

static bool is_in_memory_only(const Emitter *e, int v) {
  return e->values[v].reg == NONE;
}

static Home last_operand(Emitter *e, int v, int operand) {
  if (is_in_memory_only(e, v) && prefers_memory(e, v, operand)) return values_home(e, v);
  return home_register(values_need_register(e, v));
}

typedef struct OperandPair {
  int a;
  Home b;
  bool is_swapped;
} OperandPair;

// a in a register, b anywhere.
static OperandPair load_pair(Emitter *e, bool can_swap) {
  const Instr *at = instr_at(e, e->at);
  int operand[2] = {at->a, at->b};
  bool swap = can_swap && is_in_memory_only(e, at->a) &&
              (!is_in_memory_only(e, at->b) || values_next_after(e, 0) > values_next_after(e, 1));
  int first = swap, second = !swap;
  values_lock(e, operand, 2);
  OperandPair pair = {.is_swapped = swap};
  pair.a = values_need_register(e, operand[first]);
  pair.b = last_operand(e, operand[second], second);
  return pair;
}

// --- arithmetic ---

static void put_binary(Emitter *e, Inst inst, bool can_swap) {
  OperandPair pair = load_pair(e, can_swap);
  values_pass_operands(e);
  values_put(e, inst, values_define(e), pair.a, pair.b);
}

static void emit_add(Emitter *e) {
  put_binary(e, INST_ADD, true);
}
static void emit_sub(Emitter *e) {
  put_binary(e, INST_SUB, false);
}
static void emit_mul(Emitter *e) {
  put_binary(e, INST_MUL, true);
}
static void emit_div(Emitter *e) {
  put_binary(e, INST_DIV, false);
}
static void emit_min(Emitter *e) {
  put_binary(e, INST_MIN, false);
}
static void emit_max(Emitter *e) {
  put_binary(e, INST_MAX, false);
}

static void emit_sqrt(Emitter *e) {
  int a = values_need_register(e, instr_at(e, e->at)->a);
  values_pass_operands(e);
  values_put(e, INST_SQRT, values_define(e), a, home_register(a));
}

static void emit_floor(Emitter *e) {
  enum { DOWN_QUIET = 9 };
  int a = values_need_register(e, instr_at(e, e->at)->a);
  values_pass_operands(e);
  values_put_imm(e, INST_ROUND, values_define(e), a, home_register(a), DOWN_QUIET);
}

static void put_with_mask(Emitter *e, Inst inst, Mask mask) {
  int a = values_need_register(e, instr_at(e, e->at)->a);
  values_pass_operands(e);
  values_put(e, inst, values_define(e), a, home_pool(values_mask(e, mask)));
}

static void emit_neg(Emitter *e) {
  put_with_mask(e, INST_XOR, MASK_SIGN);
}
static void emit_abs(Emitter *e) {
  put_with_mask(e, INST_AND, MASK_MAGNITUDE);
}

// --- fused multiply-add: the result takes the register of one operand ---

typedef struct
    FmaForms { // which two operands are multiplied: 1 is the result's register, 3 may be in memory
  Inst form_132, form_213, form_231;
} FmaForms;

enum { FMA_OPERANDS = 3, ADDEND = 2 };

// Leaves at most one operand in memory only; gives its number or NONE.
static int load_all_but_one(Emitter *e, const int operand[FMA_OPERANDS]) {
  int folded = NONE;
  for (int k = 0; k < FMA_OPERANDS; k++) {
    int v = operand[k];
    if (!is_in_memory_only(e, v)) continue;
    bool is_repeated = v == operand[(k + 1) % 3] || v == operand[(k + 2) % 3];
    if (is_repeated || !values_can_fold(e, v))
      values_need_register(e, v);
    else if (folded == NONE)
      folded = k;
    else if (values_next_after(e, k) > values_next_after(e, folded)) {
      values_need_register(e, operand[folded]);
      folded = k;
    } else
      values_need_register(e, v);
  }
  return folded;
}

static int dying_operand(const Emitter *e, const int operand[FMA_OPERANDS]) {
  for (int k = FMA_OPERANDS - 1; k >= 0; k--)
    if (!is_in_memory_only(e, operand[k]) && values_next_after(e, k) == LIVE_NEVER) return k;
  return NONE;
}

// dst holds operand `target` already; `folded` is in memory or NONE.
static void put_fma_form(Emitter *e, FmaForms forms, int target, int dst,
                         const Home home[FMA_OPERANDS], int folded) {
  int other = 1 - target; // the other factor, unless the target is the addend
  if (target == ADDEND) {
    int last = folded == 0 ? 0 : 1;
    values_put(e, forms.form_231, dst, home[1 - last].place.number, home[last]);
  } else if (folded == other) {
    values_put(e, forms.form_132, dst, home[ADDEND].place.number, home[other]);
  } else {
    values_put(e, forms.form_213, dst, home[other].place.number, home[ADDEND]);
  }
}

// No operand dies: the result starts as a copy of one, best of the one in memory.
static void put_fma_on_copy(Emitter *e, FmaForms forms, const Home home[FMA_OPERANDS], int folded) {
  const Instr *at = instr_at(e, e->at);
  const int operand[FMA_OPERANDS] = {at->a, at->b, at->c};
  int dst = values_take_temporary(e);
  if (folded != NONE)
    values_load(e, dst, operand[folded]);
  else
    values_put(e, INST_MOVE, dst, 0, home[ADDEND]);
  put_fma_form(e, forms, folded != NONE ? folded : ADDEND, dst, home, NONE);
  values_pass_operands(e);
  e->in_register[dst] = e->at;
  e->values[e->at].reg = (int8_t)dst;
}

static void put_fma(Emitter *e, FmaForms forms) {
  const Instr *at = instr_at(e, e->at);
  const int operand[FMA_OPERANDS] = {at->a, at->b, at->c};
  values_lock(e, operand, FMA_OPERANDS);
  int folded = load_all_but_one(e, operand);
  int target = dying_operand(e, operand);
  if (folded != NONE && target != NONE && !prefers_memory(e, operand[folded], folded)) {
    values_need_register(e, operand[folded]);
    folded = NONE;
  }
  Home home[FMA_OPERANDS];
  for (int k = 0; k < FMA_OPERANDS; k++)
    home[k] = k == folded ? values_home(e, operand[k]) : home_register(e->values[operand[k]].reg);
  if (target == NONE) {
    put_fma_on_copy(e, forms, home, folded);
    return;
  }
  int dst = home[target].place.number;
  values_pass_operands(e);
  values_take_register(e, e->at, dst);
  put_fma_form(e, forms, target, dst, home, folded);
}

static void emit_fma(Emitter *e) {
  put_fma(e, (FmaForms){INST_FMA132, INST_FMA213, INST_FMA231});
}
static void emit_fms(Emitter *e) {
  put_fma(e, (FmaForms){INST_FMS132, INST_FMS213, INST_FMS231});
}
static void emit_fnma(Emitter *e) {
  put_fma(e, (FmaForms){INST_FNMA132, INST_FNMA213, INST_FNMA231});
}
static void emit_fnms(Emitter *e) {
  put_fma(e, (FmaForms){INST_FNMS132, INST_FNMS213, INST_FNMS231});
}

// --- relations ---

// 1 in the lanes of k1, 0 elsewhere
static void put_one_by_k1(Emitter *e) {
  X86Place one = values_mask(e, MASK_ONE);
  one.is_broadcast = false;
  encode_zeroing(&e->code, INST_BROADCAST, values_define(e), 0, one);
  e->is_upper_dirty = true;
}

// A mask that is needed as a number becomes 1 or 0.
static void finish_mask(Emitter *e, int reg) {
  if (!e->live[e->at].stays_mask)
    values_put(e, INST_AND, reg, reg, home_pool(values_mask(e, MASK_ONE)));
}

// `swapped` is the predicate of b and a.
static void put_relation(Emitter *e, int straight, int swapped) {
  OperandPair pair = load_pair(e, true);
  int predicate = pair.is_swapped ? swapped : straight;
  values_pass_operands(e);
  if (e->code.width == WIDTH_ZMM) {
    encode_compare_k1(&e->code, pair.a, home_half(pair.b, 0), predicate, false);
    put_one_by_k1(e);
    return;
  }
  int dst = values_define(e);
  values_put_imm(e, INST_COMPARE, dst, pair.a, pair.b, predicate);
  finish_mask(e, dst);
}

static void emit_lt(Emitter *e) {
  put_relation(e, LT_OQ, GT_OQ);
}
static void emit_le(Emitter *e) {
  put_relation(e, LE_OQ, GE_OQ);
}
static void emit_eq(Emitter *e) {
  put_relation(e, EQ_OQ, EQ_OQ);
}
static void emit_ne(Emitter *e) {
  put_relation(e, NEQ_UQ, NEQ_UQ);
}

static bool is_mask(const Emitter *e, int v) {
  return e->live[v].stays_mask;
}

// All bits set where v is not 0: v itself if it is a mask already, else a temporary.
static int need_mask(Emitter *e, int v) {
  int reg = values_need_register(e, v);
  if (is_mask(e, v)) return reg;
  int mask = values_take_temporary(e);
  values_put_imm(e, INST_COMPARE, mask, reg, home_pool(values_mask(e, MASK_ZERO)), NEQ_UQ);
  return mask;
}

static void compare_zero_k1(Emitter *e, int v, int predicate, bool also) {
  encode_compare_k1(&e->code, values_need_register(e, v), values_mask(e, MASK_ZERO), predicate,
                    also);
}

static void put_logic_zmm(Emitter *e, Op op) {
  const Instr *at = instr_at(e, e->at);
  int predicate = op == OP_AND ? NEQ_UQ : EQ_OQ; // a or b = not (a = 0 and b = 0)
  compare_zero_k1(e, at->a, predicate, false);
  if (op != OP_NOT) compare_zero_k1(e, at->b, predicate, true);
  if (op == OP_OR) encode_not_k1(&e->code);
  values_pass_operands(e);
  put_one_by_k1(e);
}

// op: AND, OR or NOT
static void put_logic(Emitter *e, Op op) {
  const Instr *at = instr_at(e, e->at);
  if (e->code.width == WIDTH_ZMM) {
    put_logic_zmm(e, op);
    return;
  }
  int a = need_mask(e, at->a);
  Home b = op == OP_NOT ? home_pool(values_mask(e, MASK_ALL)) : home_register(need_mask(e, at->b));
  values_pass_operands(e);
  values_free_temporaries(e);
  int dst = values_define(e);
  values_put(e, op == OP_NOT ? INST_XOR : op == OP_AND ? INST_AND : INST_OR, dst, a, b);
  finish_mask(e, dst);
}

static void emit_and(Emitter *e) {
  put_logic(e, OP_AND);
}
static void emit_or(Emitter *e) {
  put_logic(e, OP_OR);
}
static void emit_not(Emitter *e) {
  put_logic(e, OP_NOT);
}

static void emit_select(Emitter *e) {
  const Instr *at = instr_at(e, e->at);
  const int operand[3] = {at->a, at->b, at->c};
  values_lock(e, operand, 3);
  int no = values_need_register(e, at->c);
  int mask = NONE;
  if (e->code.width != WIDTH_ZMM)
    mask = need_mask(e, at->a);
  else
    compare_zero_k1(e, at->a, NEQ_UQ, false);
  Home yes = last_operand(e, at->b, 1);
  values_pass_operands(e);
  values_free_temporaries(e);
  if (mask != NONE)
    values_put_blend(e, values_define(e), no, yes, mask);
  else
    encode_blend_k1(&e->code, values_define(e), no, home_half(yes, 0));
}

// --- memory instructions ---

static void emit_fetch(Emitter *e) {
  if (e->live[e->at].can_read_again) return;
  int dst = values_define(e);
  values_put(e, INST_LOAD, dst, 0,
             (Home){values_work(e, instr_at(e, e->at)->index), HALF_BYTES, false});
}

static void emit_store(Emitter *e) {
  const Instr *at = instr_at(e, e->at);
  int reg = values_need_register(e, at->a);
  values_store(e, reg, values_work(e, at->index));
  values_pass_operands(e);
}

static void emit_result(Emitter *e) {
  const Instr *at = instr_at(e, e->at);
  int reg = values_need_register(e, at->a);
  values_store(e, reg, place_memory(e->bases[BASE_OUT], at->index * values_slot_bytes(e)));
  values_pass_operands(e);
}

static void emit_nothing(Emitter *e) { // loaded where it is used
  (void)e;
}

// --- the whole program ---

typedef void EmitFn(Emitter *e);

static EmitFn *const EMITTERS[OP_COUNT] = {
#define OP(name, args, kind, text, value, derivative, simplification, range, machine_code)         \
  [OP_##name] = machine_code,
#include "expr/ops.def"
};

static void emit_instruction(Emitter *e, int i) {
  if (!e->live[i].is_needed) return;
  e->at = i;
  EMITTERS[instr_at(e, i)->op](e);
  values_end_instruction(e);
}

// At a call the stack must be aligned to 16; on entry it is 8 off.
static bool needs_padding(const Emitter *e) {
  int saved = 0;
  for (int k = 0; k < BASES; k++) saved += e->uses_base[k];
  return saved % 2 == 0;
}

// Scalar code reads the argument registers until the first call; lane code needs them for the
// calls themselves.
static void put_prologue(Emitter *e) {
  memcpy(e->bases, CALL_ARGUMENTS, sizeof CALL_ARGUMENTS);
  if (!e->has_calls) return;
  for (int k = 0; k < BASES; k++)
    if (e->uses_base[k]) encode_push(&e->code, CALL_SAVED[k]);
  if (needs_padding(e)) encode_push(&e->code, RAX);
  for (int k = 0; k < BASES; k++)
    if (e->uses_base[k]) encode_move(&e->code, CALL_SAVED[k], CALL_ARGUMENTS[k]);
  if (!is_scalar(e)) memcpy(e->bases, CALL_SAVED, sizeof CALL_SAVED);
}

static void put_epilogue(Emitter *e) {
  if (!is_scalar(e) && e->is_upper_dirty) encode_zero_upper(&e->code);
  if (e->has_calls) {
    if (needs_padding(e)) encode_pop(&e->code, RCX);
    for (int k = BASES - 1; k >= 0; k--)
      if (e->uses_base[k]) encode_pop(&e->code, CALL_SAVED[k]);
  }
  encode_return(&e->code);
}

static int first_call(const Emitter *e) {
  for (int i = 0; i < e->p->count; i++)
    if (e->live[i].is_needed && OPS[instr_at(e, i)->op].kind == OP_KIND_CALL) return i;
  return LIVE_NEVER;
}

// Which arguments are read after the first call.
static void find_bases(Emitter *e) {
  int call = first_call(e);
  e->has_calls = call != LIVE_NEVER;
  if (!e->has_calls) return;
  for (int i = is_scalar(e) ? call + 1 : 0; i < e->p->count; i++) {
    const Instr *at = instr_at(e, i);
    if (!e->live[i].is_needed) continue;
    const int operand[3] = {at->a, at->b, at->c};
    for (int k = 0; k < live_operands(at); k++) {
      const Instr *read = instr_at(e, operand[k]);
      if (read->op == OP_INPUT) e->uses_base[read->segment] = true;
    }
    if (at->op == OP_RESULT) e->uses_base[BASE_OUT] = true;
  }
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
      .values = ARENA_ARRAY(arena, ValueState, p->count),
      .constants = ARENA_ARRAY(arena, int, p->constant_count),
      .math = lanes > 1 ? vector_math(lanes) : NULL,
  };
  e.register_count = width == WIDTH_ZMM ? 32 : e.halves == 2 ? 8 : 16;
  values_reset(&e);
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

void emit_x86_place(Emitted *code, const void *address) {
  (void)code, (void)address;
}
#endif
