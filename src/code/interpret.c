// The reference: one instruction after the other, every value kept in the tail of work[].
//
// The cases of the operators come from ops.def; those of the SPECIAL rows are written out, and a missing one does not
// compile.
#include <math.h>
#include <string.h>

#include "code/code.h"
#include "code/vector_math.h"

#pragma GCC diagnostic error "-Wswitch" // clang knows this pragma, too

static void interpret_scalar(const Program *p, const double *const in[SEGMENTS], double *out,
                             double *work) {
  double *values = work + p->work_count;
  for (int i = 0; i < p->count; i++) {
    const Instr *at = &p->code[i];
    double a = values[at->a], b = values[at->b], c = values[at->c];
    switch ((Op)at->op) {
#define OP(name, args, kind, text, value, ...)                                                     \
  case OP_##name:                                                                                  \
    values[i] = value;                                                                             \
    break;
#define SPECIAL(...)
#include "expr/ops.def"
    case OP_CONST: values[i] = p->constants[at->index]; break;
    case OP_INPUT: values[i] = in[at->segment][at->index]; break;
    case OP_FETCH: values[i] = work[at->index]; break;
    case OP_STORE: work[at->index] = a; break;
    case OP_RESULT: out[at->index] = a; break;
    case OP_SINCOS: sincos(a, &values[i], &values[i + 1]); break;
    case OP_SECOND: break; // written by the SINCOS before it
    case OP_BLOCK: p->blocks[at->index].run(&p->blocks[at->index], work, 1); break;
    case OP_SYMBOL:
    case OP_SOLVED:
    case OP_COUNT: break; // not in a program
    }
  }
}

#define OP(name, args, kind, text, value, ...)                                                     \
  static void lanes_##name(const double *as, const double *bs, const double *cs, double *results,  \
                           int lanes) {                                                            \
    for (int k = 0; k < lanes; k++) {                                                              \
      double a = as[k], b = bs[k], c = cs[k];                                                      \
      (void)a, (void)b, (void)c;                                                                   \
      results[k] = value;                                                                          \
    }                                                                                              \
  }
#define CALL(...)
#define SPECIAL(...)
#include "expr/ops.def"

static void fill(double *result, double x, int lanes) {
  for (int k = 0; k < lanes; k++) result[k] = x;
}

static void copy(double *to, const double *from, int lanes) {
  memcpy(to, from, (size_t)lanes * sizeof *to);
}

static void read_input(const Code *code, const Instr *at, const double *segment, double *result) {
  if (code->uniform >> at->segment & 1)
    fill(result, segment[at->index], code->lanes);
  else
    copy(result, segment + (size_t)at->index * (size_t)code->lanes, code->lanes);
}

static void interpret_lanes(const Code *code, const double *const in[SEGMENTS], double *out,
                            double *work) {
  const Program *p = code->program;
  const VectorMath *math = vector_math(code->lanes);
  int lanes = code->lanes;
  size_t width = (size_t)lanes;
  double *value = work + (size_t)p->work_count * width;
  for (int i = 0; i < p->count; i++) {
    const Instr *at = &p->code[i];
    size_t slot = (size_t)at->index * width;
    double *result = value + (size_t)i * width;
    const double *a = value + (size_t)at->a * width, *b = value + (size_t)at->b * width;
    const double *c = value + (size_t)at->c * width;
    switch ((Op)at->op) {
#define OP(name, ...)                                                                              \
  case OP_##name:                                                                                  \
    lanes_##name(a, b, c, result, lanes);                                                          \
    break;
#define CALL(name, ...)                                                                            \
  case OP_##name:                                                                                  \
    math->fn[OP_##name](a, b, result);                                                             \
    break;
#define SPECIAL(...)
#include "expr/ops.def"
    case OP_CONST: fill(result, p->constants[at->index], lanes); break;
    case OP_INPUT: read_input(code, at, in[at->segment], result); break;
    case OP_FETCH: copy(result, work + slot, lanes); break;
    case OP_STORE: copy(work + slot, a, lanes); break;
    case OP_RESULT: copy(out + slot, a, lanes); break;
    case OP_SINCOS: math->sincos(a, result, result + width); break;
    case OP_SECOND: break; // written by the SINCOS before it
    case OP_BLOCK: p->blocks[at->index].run(&p->blocks[at->index], work, lanes); break;
    case OP_SYMBOL:
    case OP_SOLVED:
    case OP_COUNT: break; // not in a program
    }
  }
}

void interpret(const Code *c, const double *in0, const double *in1, const double *in2, double *out,
               double *work) {
  const double *const in[SEGMENTS] = {in0, in1, in2};
  if (c->lanes == 1)
    interpret_scalar(c->program, in, out, work);
  else
    interpret_lanes(c, in, out, work);
}
