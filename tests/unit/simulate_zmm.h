// Runs AVX-512 code on any x86-64 processor: disassembles it with objdump and carries out the text,
// line by line. Knows only what the emitter writes; anything else fails the test. Calls are made
// for real, and spoil all registers that a function may spoil.
#pragma once
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "code/emit_x86.h"
#include "test.h"

enum { ZMM_LANES = 8, STACK_WORDS = 64 };

typedef struct Machine {
  const uint8_t *image;
  double zmm[32][ZMM_LANES];
  unsigned k1;
  uint64_t gpr[16];
  uint64_t stack[STACK_WORDS];
  int depth;
} Machine;

static const char *const GPR_NAMES[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

typedef struct Line {
  char name[32];
  char operand[4][64]; // text, spaces and masks removed
  int count;
  bool has_mask, is_zeroing;
  uint64_t rip_target;
} Line;

static inline bool line_parse(char *text, Line *line) {
  memset(line, 0, sizeof *line);
  char *colon = strchr(text, ':'), *comment = strchr(text, '#');
  if (!colon || colon[1] != '\t') return false;
  if (comment) {
    line->rip_target = strtoull(comment + 1, NULL, 16);
    *comment = 0;
  }
  int used = 0;
  if (sscanf(colon + 1, " %31s%n", line->name, &used) != 1) return false;
  for (char *part = strtok(colon + 1 + used, ",\n"); part; part = strtok(NULL, ",\n")) {
    if (strstr(part, "{k1}")) line->has_mask = true;
    if (strstr(part, "{z}")) line->is_zeroing = true;
    char word[96] = "";
    size_t length = 0;
    for (const char *c = part; *c && *c != '{' && length < sizeof word - 1; c++)
      if (*c != ' ') word[length++] = *c;
    assert_true(length < 64 && line->count < 4);
    if (length) memcpy(line->operand[line->count++], word, length + 1);
  }
  return true;
}

static inline int gpr_number(const char *name) {
  size_t length = strcspn(name, "+-]");
  for (int k = 0; k < 16; k++)
    if (strlen(GPR_NAMES[k]) == length && !strncmp(name, GPR_NAMES[k], length)) return k;
  fail_msg("no register: %s", name);
  return 0;
}

static inline uint64_t address_of(const Machine *m, const Line *line, const char *operand) {
  const char *at = strchr(operand, '[');
  if (!at) {
    fail_msg("no address: %s", operand);
    return 0;
  }
  if (!strncmp(at + 1, "rip", 3)) return (uint64_t)(uintptr_t)m->image + line->rip_target;
  const char *sign = strpbrk(at, "+-");
  uint64_t distance = sign ? strtoull(sign + 1, NULL, 16) : 0;
  uint64_t base = m->gpr[gpr_number(at + 1)];
  return sign && *sign == '-' ? base - distance : base + distance;
}

static inline int zmm_number(const char *operand) {
  if (strncmp(operand, "zmm", 3)) fail_msg("no zmm register: %s", operand);
  return atoi(operand + 3);
}

static inline void read_lanes(const Machine *m, const Line *line, int k, double x[ZMM_LANES]) {
  const char *operand = line->operand[k];
  if (!strchr(operand, '[')) {
    memcpy(x, m->zmm[zmm_number(operand)], sizeof m->zmm[0]);
    return;
  }
  const double *at = (const double *)(uintptr_t)address_of(m, line, operand);
  bool is_one = !strncmp(operand, "QWORD", 5);
  for (int j = 0; j < ZMM_LANES; j++) x[j] = at[is_one ? 0 : j];
}

static inline double bit_operation(char kind, double a, double b) {
  uint64_t x, y;
  memcpy(&x, &a, sizeof x), memcpy(&y, &b, sizeof y);
  x = kind == '&' ? x & y : x ^ y;
  memcpy(&a, &x, sizeof a);
  return a;
}

// a is the destination before the instruction, for FMA
static inline double lane_result(const char *name, double old, double b, double c) {
  if (!strcmp(name, "vmovupd") || !strcmp(name, "vmovapd") || !strcmp(name, "vbroadcastsd"))
    return b;
  if (!strcmp(name, "vaddpd")) return b + c;
  if (!strcmp(name, "vsubpd")) return b - c;
  if (!strcmp(name, "vmulpd")) return b * c;
  if (!strcmp(name, "vdivpd")) return b / c;
  if (!strcmp(name, "vminpd")) return b < c ? b : c;
  if (!strcmp(name, "vmaxpd")) return b > c ? b : c;
  if (!strcmp(name, "vsqrtpd")) return sqrt(b);
  if (!strcmp(name, "vrndscalepd")) return floor(b);
  if (!strcmp(name, "vpandq")) return bit_operation('&', b, c);
  if (!strcmp(name, "vpxorq")) return bit_operation('^', b, c);
  if (!strcmp(name, "vfmadd132pd")) return fma(old, c, b);
  if (!strcmp(name, "vfmadd213pd")) return fma(b, old, c);
  if (!strcmp(name, "vfmadd231pd")) return fma(b, c, old);
  if (!strcmp(name, "vfmsub132pd")) return fma(old, c, -b);
  if (!strcmp(name, "vfmsub213pd")) return fma(b, old, -c);
  if (!strcmp(name, "vfmsub231pd")) return fma(b, c, -old);
  if (!strcmp(name, "vfnmadd132pd")) return fma(-old, c, b);
  if (!strcmp(name, "vfnmadd213pd")) return fma(-b, old, c);
  if (!strcmp(name, "vfnmadd231pd")) return fma(-b, c, old);
  if (!strcmp(name, "vfnmsub132pd")) return fma(-old, c, -b);
  if (!strcmp(name, "vfnmsub213pd")) return fma(-b, old, -c);
  if (!strcmp(name, "vfnmsub231pd")) return fma(-b, c, -old);
  fail_msg("unknown instruction %s", name);
  return 0;
}

static inline void do_vector(Machine *m, const Line *line) {
  double a[ZMM_LANES] = {0}, b[ZMM_LANES] = {0}, *dst = m->zmm[zmm_number(line->operand[0])];
  read_lanes(m, line, 1, a);
  if (!strcmp(line->name, "vrndscalepd"))
    assert_string_equal(line->operand[2], "0x9");
  else if (line->count > 2)
    read_lanes(m, line, 2, b);
  for (int k = 0; k < ZMM_LANES; k++) {
    bool on = m->k1 >> k & 1;
    if (!strcmp(line->name, "vblendmpd"))
      dst[k] = on ? b[k] : a[k];
    else if (line->has_mask && !on && line->is_zeroing)
      dst[k] = 0;
    else if (!line->has_mask || on)
      dst[k] = lane_result(line->name, dst[k], a[k], b[k]);
  }
}

static inline bool lane_relation(const char *name, double a, double b) {
  if (!strcmp(name, "vcmpeqpd")) return a == b;
  if (!strcmp(name, "vcmpneqpd")) return a != b;
  if (!strcmp(name, "vcmplt_oqpd")) return a < b;
  if (!strcmp(name, "vcmple_oqpd")) return a <= b;
  if (!strcmp(name, "vcmpgt_oqpd")) return a > b;
  if (!strcmp(name, "vcmpge_oqpd")) return a >= b;
  fail_msg("unknown comparison %s", name);
  return false;
}

static inline void do_compare(Machine *m, const Line *line) {
  double a[ZMM_LANES], b[ZMM_LANES];
  unsigned mask = 0;
  assert_string_equal(line->operand[0], "k1");
  read_lanes(m, line, 1, a);
  read_lanes(m, line, 2, b);
  for (int k = 0; k < ZMM_LANES; k++) mask |= (unsigned)lane_relation(line->name, a[k], b[k]) << k;
  m->k1 = line->has_mask ? mask & m->k1 : mask;
}

static inline void do_call(Machine *m, const Line *line) {
  typedef void Callee(uint64_t, uint64_t, uint64_t);
  Callee *callee;
  memcpy(&callee, m->image + line->rip_target, sizeof callee);
  assert_int_equal(m->depth % 2, 1); // the stack is aligned
  callee(m->gpr[7], m->gpr[6], m->gpr[2]);
  memset(m->zmm, 0xa5, sizeof m->zmm);
  m->k1 = 0xa5;
  static const int spoiled[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
  for (int k = 0; k < 9; k++) m->gpr[spoiled[k]] = 0xdeadbeefdeadbeef;
}

static inline void do_move(Machine *m, const Line *line) {
  const char *to = line->operand[0], *from = line->operand[1];
  int dst = !strcmp(to, "edx") ? 2 : !strcmp(to, "edi") ? 7 : gpr_number(to);
  m->gpr[dst] = from[0] == '0' ? strtoull(from, NULL, 16) : m->gpr[gpr_number(from)];
}

static inline void store_lanes(Machine *m, const Line *line) {
  double *at = (double *)(uintptr_t)address_of(m, line, line->operand[0]);
  memcpy(at, m->zmm[zmm_number(line->operand[1])], sizeof m->zmm[0]);
}

// False at the return.
static inline bool do_line(Machine *m, const Line *line) {
  const char *name = line->name;
  if (!strcmp(name, "ret")) return false;
  if (!strcmp(name, "push"))
    m->stack[m->depth++] = m->gpr[gpr_number(line->operand[0])];
  else if (!strcmp(name, "pop"))
    m->gpr[gpr_number(line->operand[0])] = m->stack[--m->depth];
  else if (!strcmp(name, "mov") || !strcmp(name, "movabs"))
    do_move(m, line);
  else if (!strcmp(name, "lea"))
    m->gpr[gpr_number(line->operand[0])] = address_of(m, line, line->operand[1]);
  else if (!strcmp(name, "call"))
    do_call(m, line);
  else if (!strcmp(name, "knotw"))
    m->k1 = ~m->k1;
  else if (!strcmp(name, "vzeroupper"))
    for (int k = 0; k < 16; k++) memset(&m->zmm[k][2], 0, 6 * sizeof(double));
  else if (!strncmp(name, "vcmp", 4))
    do_compare(m, line);
  else if (!strcmp(name, "vmovupd") && line->operand[0][0] == 'Z')
    store_lanes(m, line);
  else
    do_vector(m, line);
  return true;
}

static inline bool has_objdump(void) {
  return system("objdump --version >/dev/null 2>&1") == 0;
}

static inline FILE *disassemble(const Emitted *code, const char *path, int file) {
  char command[200];
  assert_true(write(file, code->bytes, code->count) == (ssize_t)code->count);
  snprintf(command, sizeof command,
           "objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn --start-address=%zu %s",
           code->entry, path);
  return popen(command, "r");
}

static inline void simulate_zmm(const Emitted *code, const double *const in[3], double *out,
                                double *work) {
  char path[] = "/tmp/entrain_test_XXXXXX", text[512];
  int file = mkstemp(path);
  assert_true(file >= 0);
  FILE *listing = disassemble(code, path, file);
  assert_non_null(listing);
  Machine *m = calloc(1, sizeof *m);
  const void *const arguments[5] = {in[0], in[1], in[2], out, work};
  static const int argument_registers[5] = {7, 6, 2, 1, 8};
  m->image = code->bytes;
  for (int k = 0; k < 5; k++) m->gpr[argument_registers[k]] = (uint64_t)(uintptr_t)arguments[k];
  uint64_t saved[16];
  memcpy(saved, m->gpr, sizeof saved);
  bool has_returned = false;
  while (fgets(text, sizeof text, listing)) {
    Line line;
    if (!has_returned && line_parse(text, &line)) has_returned = !do_line(m, &line);
  }
  pclose(listing);
  close(file);
  unlink(path);
  assert_true(has_returned);
  assert_int_equal(m->depth, 0);
  static const int kept[] = {3, 5, 12, 13, 14, 15};
  for (int k = 0; k < 6; k++) assert_true(m->gpr[kept[k]] == saved[kept[k]]);
  free(m);
}
