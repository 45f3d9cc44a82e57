// The reference: one instruction after the other, every value kept in the tail of work[].
#include <math.h>
#include <string.h>

#include "code/code.h"
#include "code/vector_math.h"

static void interpret_scalar(const Program *p, const double *const in[SEGMENTS], double *out,
                             double *work) {
  double *value = work + p->work_count;
  for (int i = 0; i < p->count; i++) {
    const Instr *at = &p->code[i];
    double a = value[at->a], b = value[at->b], c = value[at->c];
    switch (at->op) {
#define APPLY(name, expression)                                                                    \
  case OP_##name:                                                                                  \
    value[i] = expression;                                                                         \
    break;
#define CALL APPLY
#include "expr/apply.def"
#undef CALL
#undef APPLY
    case OP_CONST: value[i] = p->constants[at->index]; break;
    case OP_INPUT: value[i] = in[at->segment][at->index]; break;
    case OP_FETCH: value[i] = work[at->index]; break;
    case OP_STORE: work[at->index] = a; break;
    case OP_RESULT: out[at->index] = a; break;
    case OP_SINCOS: sincos(a, &value[i], &value[i + 1]); break;
    case OP_BLOCK: p->blocks[at->index].run(&p->blocks[at->index], work, 1); break;
    default: break; // SECOND was written by the SINCOS before it
    }
  }
}

typedef struct LaneOperands {
  const double *a, *b, *c;
  double *result;
} LaneOperands;

typedef void LaneFn(LaneOperands o, int lanes);

#define APPLY(name, expression)                                                                    \
  static void lanes_##name(LaneOperands o, int lanes) {                                            \
    for (int k = 0; k < lanes; k++) {                                                              \
      double a = o.a[k], b = o.b[k], c = o.c[k];                                                   \
      (void)a, (void)b, (void)c;                                                                   \
      o.result[k] = expression;                                                                    \
    }                                                                                              \
  }
#define CALL(name, expression)
#include "expr/apply.def"
#undef APPLY

static LaneFn *const LANE_FNS[OP_COUNT] = {
#define APPLY(name, expression) [OP_##name] = lanes_##name,
#include "expr/apply.def"
#undef CALL
#undef APPLY
};

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
    switch (at->op) {
    case OP_CONST: fill(result, p->constants[at->index], lanes); break;
    case OP_INPUT: read_input(code, at, in[at->segment], result); break;
    case OP_FETCH: copy(result, work + slot, lanes); break;
    case OP_STORE: copy(work + slot, a, lanes); break;
    case OP_RESULT: copy(out + slot, a, lanes); break;
    case OP_SINCOS: math->sincos(a, result, result + width); break;
    case OP_BLOCK: p->blocks[at->index].run(&p->blocks[at->index], work, lanes); break;
    default:
      if (LANE_FNS[at->op])
        LANE_FNS[at->op]((LaneOperands){a, b, c, result}, lanes);
      else if (math->fn[at->op])
        math->fn[at->op](a, b, result);
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
