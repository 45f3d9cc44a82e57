#include "expr/op.h"

#include <math.h>

const OpRow OPS[OP_COUNT] = {
#define OP(op, arguments, op_kind, op_text, ...)                                                   \
  [OP_##op] = {.name = #op, .args = arguments, .kind = OP_KIND_##op_kind, .text = op_text},
#include "expr/ops.def"
};

double op_apply(Op op, double a, double b, double c) {
  switch (op) {
#define OP(name, args, kind, text, value, ...)                                                     \
  case OP_##name:                                                                                  \
    return value;
#define SPECIAL(...)
#include "expr/ops.def"
  case OP_SINCOS: {
    double sine, cosine;
    sincos(a, &sine, &cosine);
    return sine;
  }
  default: return a; // STORE and RESULT pass their operand on
  }
}
