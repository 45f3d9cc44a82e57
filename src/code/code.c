// Chooses interpreter or machine code, and places the code of a batch in one piece of executable memory.
#include "code/code.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "code/cpu.h"
#include "code/emit_x86.h"
#include "code/pages.h"

bool code_available(CodeChoice choice) {
  switch (choice) {
  case CODE_AVX2: return cpu_has_avx2();
  case CODE_AVX512: return cpu_has_avx512();
  default: return true;
  }
}

int code_lanes(void) {
  const char *choice = getenv("ENTRAIN_LANES");
  if (choice && strcmp(choice, "4") == 0) return 4;
  return code_available(CODE_AVX512) ? 8 : 4;
}

static bool is_switched_off(void) {
  const char *value = getenv("ENTRAIN_JIT");
  return value && !strcmp(value, "off");
}

static CodeChoice decide(CodeChoice wish, int lanes) {
  if (wish == CODE_INTERPRETER || !code_available(CODE_AVX2) || is_switched_off())
    return CODE_INTERPRETER;
  bool is_wide = lanes == 8 && wish != CODE_AVX2 && code_available(CODE_AVX512);
  return is_wide ? CODE_AVX512 : CODE_AVX2;
}

static CodeFn *function_at(const void *address) { // C has no cast for this
  CodeFn *fn;
  memcpy(&fn, &address, sizeof fn);
  return fn;
}

// One value more than instructions: SINCOS always writes two.
static void use_interpreter(Code *c) {
  c->work_count = (c->program->work_count + c->program->count + 1) * c->lanes;
  c->used = CODE_INTERPRETER;
}

static Code *new_code(void) {
  return must_have(calloc(1, sizeof(Code)));
}

// ---------------------------------------------------------------- batches

typedef struct BatchItem {
  Code *code;
  Emitted emitted;
  CodeChoice choice;
  size_t at; // offset in the pages
} BatchItem;

struct CodeBatch {
  Arena *arena; // what was emitted, until it is sealed
  ARRAY(BatchItem) items;
  size_t count; // bytes
  Pages *pages;
};

CodeBatch *code_batch_new(void) {
  Arena *a = arena_new();
  CodeBatch *b = ARENA_NEW(a, CodeBatch);
  b->arena = a;
  return b;
}

static size_t aligned(size_t count) { // as emitted code needs it
  return (count + 63) / 64 * 64;
}

Code *code_compile_in(CodeBatch *b, const Program *program, int lanes, unsigned uniform,
                      CodeChoice choice) {
  Code *c = new_code();
  c->program = program;
  c->lanes = lanes;
  c->uniform = lanes > 1 ? uniform : 0;
  use_interpreter(c); // unless it is placed
  BatchItem item = {.code = c, .choice = decide(choice, lanes)};
  bool zmm = item.choice == CODE_AVX512;
  if (item.choice == CODE_INTERPRETER ||
      !emit_x86(program, lanes, c->uniform, zmm, b->arena, &item.emitted))
    return c;
  if (item.emitted.work_count > c->work_count) c->work_count = item.emitted.work_count;
  item.at = b->count;
  b->count = aligned(b->count + item.emitted.count);
  array_push(b->arena, &b->items, item);
  return c;
}

static bool fill(CodeBatch *b) {
  b->pages = pages_new(b->count);
  if (!b->pages) return false;
  char *bytes = ARENA_ARRAY(b->arena, char, b->count);
  const char *start = pages_start(b->pages);
  for (int i = 0; i < b->items.count; i++) {
    BatchItem *item = &b->items.at[i];
    emit_x86_place(&item->emitted, start + item->at);
    memcpy(bytes + item->at, item->emitted.bytes, item->emitted.count);
  }
  return pages_fill(b->pages, bytes);
}

void code_batch_seal(CodeBatch *b) {
  if (b->items.count == 0 || !fill(b)) return;
  const char *start = pages_start(b->pages);
  for (int i = 0; i < b->items.count; i++) {
    const BatchItem *item = &b->items.at[i];
    item->code->fn = function_at(start + item->at + item->emitted.entry);
    item->code->used = item->choice;
  }
}

void code_batch_free(CodeBatch *b) {
  if (!b) return;
  pages_free(b->pages);
  arena_free(b->arena);
}

// ---------------------------------------------------------------- one by one

Code *code_compile(const Program *program, int lanes, unsigned uniform, CodeChoice choice) {
  CodeBatch *b = code_batch_new();
  Code *c = code_compile_in(b, program, lanes, uniform, choice);
  code_batch_seal(b);
  if (c->fn && b->items.count) c->work_count = b->items.at[0].emitted.work_count;
  c->pages = b->pages;
  b->pages = NULL;
  code_batch_free(b);
  return c;
}

void code_free(Code *c) {
  if (!c) return;
  pages_free(c->pages);
  free(c);
}
