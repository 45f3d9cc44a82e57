// One pass backwards over the program: at each instruction the nearest later use of every value is known.
#include "code/live.h"

typedef struct Scan {
  const Program *p;
  LiveValue *live;
  int *seen;       // by value: the nearest use found so far
  int *last;       // by value: its last use
  int *next_store; // by slot of work[]
  int next_block;
  bool *computes; // by value: some use needs the number, not only true or false
} Scan;

static int min_int(int a, int b) {
  return a < b ? a : b;
}

int live_operands(const Instr *at) {
  return at->op == OP_SECOND ? 0 : OPS[at->op].args;
}

static bool has_effect(Op op) {
  return op == OP_STORE || op == OP_BLOCK || op == OP_RESULT;
}

static bool asks_only_if_true(Op op, int operand) {
  if (op == OP_SELECT) return operand == 0;
  return op == OP_AND || op == OP_OR || op == OP_NOT;
}

static bool is_needed(const Scan *s, int i) {
  Op op = (Op)s->p->code[i].op;
  if (op == OP_SINCOS && i + 1 < s->p->count && s->live[i + 1].is_needed) return true;
  return has_effect(op) || s->seen[i] != LIVE_NEVER;
}

static void note_uses(Scan *s, int i) {
  const Instr *at = &s->p->code[i];
  const int operand[3] = {at->a, at->b, at->c};
  int count = live_operands(at);
  for (int k = 0; k < count; k++) {
    int v = operand[k];
    s->live[i].next[k] = s->seen[v];
    if (s->seen[v] == LIVE_NEVER) s->last[v] = i;
    if (!asks_only_if_true((Op)at->op, k)) s->computes[v] = true;
  }
  for (int k = 0; k < count; k++) s->seen[operand[k]] = i;
}

static void note_memory(Scan *s, int i) {
  const Instr *at = &s->p->code[i];
  if (at->op == OP_BLOCK) s->next_block = i;
  if (at->op == OP_STORE) s->next_store[at->index] = i;
  if (at->op == OP_FETCH)
    s->live[i].can_read_again = s->last[i] <= min_int(s->next_block, s->next_store[at->index]);
}

LiveValue *live_find(const Program *p, Arena *arena) {
  Scan s = {
      .p = p,
      .live = ARENA_ARRAY(arena, LiveValue, p->count),
      .seen = ARENA_ARRAY(arena, int, p->count),
      .last = ARENA_ARRAY(arena, int, p->count),
      .next_store = ARENA_ARRAY(arena, int, p->work_count),
      .next_block = LIVE_NEVER,
      .computes = ARENA_ARRAY(arena, bool, p->count),
  };
  for (int i = 0; i < p->count; i++) s.seen[i] = LIVE_NEVER;
  for (int i = 0; i < p->work_count; i++) s.next_store[i] = LIVE_NEVER;
  for (int i = p->count - 1; i >= 0; i--) {
    LiveValue *v = &s.live[i];
    v->first = s.seen[i];
    v->is_needed = is_needed(&s, i);
    if (!v->is_needed) continue;
    v->stays_mask = OPS[p->code[i].op].kind == OP_KIND_RELATION && !s.computes[i];
    note_memory(&s, i);
    note_uses(&s, i);
  }
  return s.live;
}
