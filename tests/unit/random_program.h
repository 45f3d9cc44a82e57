// Random programs with every operator, for the tests that compare ways of running them.
#pragma once
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code/code.h"
#include "test.h"

typedef struct RandomShape {
  uint64_t seed;
  int instructions;
  int inputs; // in each segment
  int results;
  int work;
  int blocks;
  int calls_percent; // of the instructions
  bool has_specials; // NaN, infinities, subnormals among inputs and constants
} RandomShape;

static inline uint64_t random_next(uint64_t *state) { // xorshift64*
  *state ^= *state >> 12, *state ^= *state << 25, *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1du;
}

static inline int random_below(uint64_t *state, int n) {
  return n > 0 ? (int)(random_next(state) >> 33) % n : 0;
}

static inline double random_number(uint64_t *state, bool has_specials) {
  static const double specials[] = {0.0,    -0.0,    HUGE_VAL, -HUGE_VAL, (double)NAN,
                                    5e-324, -3e-310, 1e-308,   1e300,     -1e300,
                                    1e9,    2e9,     1,        -1};
  enum { COUNT = sizeof specials / sizeof specials[0] };
  if (has_specials && random_below(state, 8) == 0) return specials[random_below(state, COUNT)];
  return ((double)(random_next(state) >> 11) * 0x1p-53 - 0.5) * 4;
}

static inline void random_fill(double *at, size_t count, uint64_t seed, bool has_specials) {
  for (size_t k = 0; k < count; k++) at[k] = random_number(&seed, has_specials);
}

// Mixes the slots from `first` on; every lane by itself, so that lanes and scalar runs agree.
typedef struct MixData {
  int first, count;
} MixData;

static inline void mix_slots(const CodeBlock *self, double *work, int lanes) {
  const MixData *d = self->data;
  for (int s = 0; s < d->count; s++)
    for (int k = 0; k < lanes; k++) {
      double *at = work + (size_t)(d->first + s) * (size_t)lanes + k;
      double other = work[(size_t)(d->first + (s + 1) % d->count) * (size_t)lanes + (size_t)k];
      *at = 0.5 * *at - 0.25 * other + 0.125;
    }
}

typedef struct ProgramMaker {
  Arena *arena;
  uint64_t state;
  ARRAY(Instr) code;
  IntArray values; // instructions that define a value
} ProgramMaker;

static inline int maker_add(ProgramMaker *m, Instr at) {
  array_push(m->arena, &m->code, at);
  int i = m->code.count - 1;
  bool is_value = at.op != OP_STORE && at.op != OP_BLOCK && at.op != OP_RESULT;
  if (is_value) array_push(m->arena, &m->values, i);
  return i;
}

// Near values, as in real programs, and sometimes any.
static inline int random_operand(ProgramMaker *m) {
  int count = m->values.count, near = 1 + random_below(&m->state, 40);
  bool is_far = random_below(&m->state, 5) == 0;
  int back = random_below(&m->state, is_far ? count : near);
  return m->values.at[back < count ? count - 1 - back : 0];
}

static inline Op random_op(ProgramMaker *m, const RandomShape *s) {
  static const Op plain[] = {OP_ADD, OP_SUB, OP_MUL,   OP_FMA,    OP_FMS,    OP_FNMA, OP_FNMS,
                             OP_ADD, OP_MUL, OP_FMA,   OP_DIV,    OP_NEG,    OP_SQRT, OP_ABS,
                             OP_MIN, OP_MAX, OP_FLOOR, OP_SELECT, OP_LT,     OP_LE,   OP_EQ,
                             OP_NE,  OP_AND, OP_OR,    OP_NOT,    OP_SELECT, OP_LT};
  static const Op calls[] = {
#define OP(...)
#define SPECIAL(...)
#define TABLE_CALL(...)
#define CALL(name, ...) OP_##name,
#include "expr/ops.def"
      OP_SINCOS};
  if (random_below(&m->state, 100) < s->calls_percent)
    return calls[random_below(&m->state, sizeof calls / sizeof calls[0])];
  return plain[random_below(&m->state, sizeof plain / sizeof plain[0])];
}

static inline void add_leaf(ProgramMaker *m, const RandomShape *s, int constants) {
  int segment = random_below(&m->state, SEGMENTS);
  if (s->inputs > 0 && random_below(&m->state, 3) > 0)
    maker_add(m, (Instr){.op = OP_INPUT,
                         .segment = (uint8_t)segment,
                         .index = random_below(&m->state, s->inputs)});
  else
    maker_add(m, (Instr){.op = OP_CONST, .index = random_below(&m->state, constants)});
}

static inline void add_operation(ProgramMaker *m, const RandomShape *s) {
  Op op = random_op(m, s);
  int args = OPS[op].args, a = random_operand(m), b = 0, c = 0;
  if (args > 1) b = random_below(&m->state, 8) == 0 ? a : random_operand(m);
  if (args > 2) c = random_below(&m->state, 8) == 0 ? a : random_operand(m);
  int i = maker_add(m, (Instr){.op = (uint8_t)op, .a = a, .b = b, .c = c});
  if (op == OP_SINCOS) maker_add(m, (Instr){.op = OP_SECOND, .a = i});
}

static inline void add_memory(ProgramMaker *m, const RandomShape *s) {
  int slot = random_below(&m->state, s->work);
  switch (random_below(&m->state, 5)) {
  case 0:
    if (s->blocks)
      maker_add(m, (Instr){.op = OP_BLOCK, .index = random_below(&m->state, s->blocks)});
    break;
  case 1:
  case 2: maker_add(m, (Instr){.op = OP_STORE, .a = random_operand(m), .index = slot}); break;
  default: maker_add(m, (Instr){.op = OP_FETCH, .index = slot});
  }
}

static inline void add_result(ProgramMaker *m, int index) {
  maker_add(m, (Instr){.op = OP_RESULT, .a = random_operand(m), .index = index});
}

static inline CodeBlock *random_blocks(ProgramMaker *m, const RandomShape *s) {
  CodeBlock *blocks = ARENA_ARRAY(m->arena, CodeBlock, s->blocks);
  for (int k = 0; k < s->blocks; k++) {
    MixData *data = ARENA_NEW(m->arena, MixData);
    data->first = random_below(&m->state, s->work);
    data->count = 1 + random_below(&m->state, s->work - data->first);
    blocks[k] = (CodeBlock){mix_slots, data};
  }
  return blocks;
}

static inline Program random_program(const RandomShape *s, Arena *arena) {
  enum { CONSTANTS = 40 };
  ProgramMaker m = {.arena = arena, .state = s->seed * 0x9e3779b97f4a7c15u + 1};
  double *constants = ARENA_ARRAY(arena, double, CONSTANTS);
  random_fill(constants, CONSTANTS, s->seed + 77, s->has_specials);
  constants[0] = 0.0;
  add_leaf(&m, s, CONSTANTS);
  while (m.code.count < s->instructions) {
    int kind = random_below(&m.state, 100);
    if (kind < 25)
      add_leaf(&m, s, CONSTANTS);
    else if (kind < 30 && s->work > 0)
      add_memory(&m, s);
    else if (kind < 33 && s->results > 0)
      add_result(&m, random_below(&m.state, s->results));
    else
      add_operation(&m, s);
  }
  for (int k = 0; k < s->results; k++) add_result(&m, k);
  Program p = {.code = m.code.at,
               .count = m.code.count,
               .constants = constants,
               .constant_count = CONSTANTS,
               .blocks = random_blocks(&m, s),
               .block_count = s->blocks,
               .result_count = s->results,
               .work_count = s->work};
  for (int k = 0; k < SEGMENTS; k++) p.input_counts[k] = s->inputs;
  return p;
}

// --- running ---

typedef struct RandomRun {
  double *in[SEGMENTS], *out, *work;
  size_t out_count;
} RandomRun;

static inline bool same_number(double a, double b) {
  return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

enum { GUARD = 8 };
static const double GUARD_NUMBER = -1.2345678e77;

static inline double *guarded(Arena *arena, size_t count) {
  double *x = ARENA_ARRAY(arena, double, count + GUARD);
  for (size_t k = count; k < count + GUARD; k++) x[k] = GUARD_NUMBER;
  return x;
}

// Inputs for all lanes; uniform segments get one number a slot.
static inline RandomRun run_new(const Code *c, uint64_t seed, bool has_specials, Arena *arena) {
  const Program *p = c->program;
  size_t lanes = (size_t)c->lanes;
  RandomRun r = {.out_count = (size_t)p->result_count * lanes};
  for (int k = 0; k < SEGMENTS; k++) {
    size_t count = (size_t)p->input_counts[k] * (c->uniform >> k & 1 ? 1 : lanes);
    r.in[k] = guarded(arena, count);
    random_fill(r.in[k], count, seed + (uint64_t)k, has_specials);
  }
  r.out = guarded(arena, r.out_count);
  r.work = guarded(arena, (size_t)c->work_count);
  return r;
}

static inline void run_code(const Code *c, RandomRun *r) {
  code_run(c, r->in[0], r->in[1], r->in[2], r->out, r->work);
}

// Nothing was written beyond the ends.
static inline bool run_guards_hold(const Code *c, const RandomRun *r) {
  for (int k = 0; k < GUARD; k++)
    if (r->out[r->out_count + (size_t)k] != GUARD_NUMBER ||
        r->work[c->work_count + k] != GUARD_NUMBER)
      return false;
  return true;
}

// The inputs of one lane of a run: for scalar code, or for all lanes alike.
static inline RandomRun run_of_lane(const Code *wide, const Code *other, const RandomRun *all,
                                    int lane, Arena *arena) {
  const Program *p = wide->program;
  RandomRun r = run_new(other, 0, false, arena);
  for (int s = 0; s < SEGMENTS; s++) {
    bool is_uniform = wide->uniform >> s & 1, is_still_uniform = other->uniform >> s & 1;
    int copies = is_still_uniform ? 1 : other->lanes;
    for (int k = 0; k < p->input_counts[s]; k++)
      for (int j = 0; j < copies; j++)
        r.in[s][k * copies + j] = all->in[s][is_uniform ? k : k * wide->lanes + lane];
  }
  return r;
}

// Every lane gives what it gives when all lanes are like it.
static inline void check_lane_by_lane(const Code *code, uint64_t seed, bool has_specials,
                                      Arena *arena) {
  RandomRun all = run_new(code, seed, has_specials, arena);
  run_code(code, &all);
  size_t lanes = (size_t)code->lanes;
  for (size_t lane = 0; lane < lanes; lane++) {
    RandomRun one = run_of_lane(code, code, &all, (int)lane, arena);
    run_code(code, &one);
    for (size_t k = lane; k < one.out_count; k += lanes)
      if (!same_number(one.out[k], all.out[k]))
        fail_msg("seed %d, lane %zu: %a and %a", (int)seed, lane, one.out[k], all.out[k]);
  }
}

static inline RandomShape random_shape(uint64_t seed, int instructions_most) {
  uint64_t s = seed * 0x9e3779b97f4a7c15u + 12345;
  int sizes[] = {1 + random_below(&s, 20), 1 + random_below(&s, 200),
                 1 + random_below(&s, instructions_most)};
  int many[] = {0, 1, 5, 40, 3000};
  RandomShape shape = {.seed = seed,
                       .instructions = sizes[random_below(&s, 3)],
                       .inputs = many[random_below(&s, 5)],
                       .results = many[random_below(&s, 5)],
                       .work = random_below(&s, 3) ? 1 + random_below(&s, 30) : 0,
                       .calls_percent = random_below(&s, 2) ? random_below(&s, 30) : 0,
                       .has_specials = random_below(&s, 3) == 0};
  if (shape.work) shape.blocks = random_below(&s, 4);
  if (shape.results > shape.instructions) shape.results = 5;
  return shape;
}
