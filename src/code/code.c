#include "code/code.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static Pages *place(Emitted *code) {
  Pages *pages = pages_new(code->count);
  if (!pages) return NULL;
  emit_x86_place(code, pages_start(pages));
  if (pages_fill(pages, code->bytes)) return pages;
  pages_free(pages);
  return NULL;
}

static bool emit_pages(Code *c, CodeChoice choice) {
  Arena *arena = arena_new();
  Emitted code;
  if (emit_x86(c->program, c->lanes, c->uniform, choice == CODE_AVX512, arena, &code))
    c->pages = place(&code);
  if (c->pages) {
    c->fn = function_at((const char *)pages_start(c->pages) + code.entry);
    c->work_count = code.work_count;
    c->used = choice;
  }
  arena_free(arena);
  return c->pages != NULL;
}

// One value more than instructions: SINCOS always writes two.
static void use_interpreter(Code *c) {
  c->work_count = (c->program->work_count + c->program->count + 1) * c->lanes;
  c->used = CODE_INTERPRETER;
}

static Code *new_code(void) {
  Code *c = calloc(1, sizeof *c);
  if (!c) abort(); // the same end as in the arena; nothing can be said without memory
  return c;
}

Code *code_compile(const Program *program, int lanes, unsigned uniform, CodeChoice choice) {
  Code *c = new_code();
  c->program = program;
  c->lanes = lanes;
  c->uniform = lanes > 1 ? uniform : 0;
  choice = decide(choice, lanes);
  if (choice == CODE_INTERPRETER || !emit_pages(c, choice)) use_interpreter(c);
  return c;
}

void code_free(Code *c) {
  if (!c) return;
  pages_free(c->pages);
  free(c);
}
