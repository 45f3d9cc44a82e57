#include "expr/op.h"

#include <math.h>

const OpRow OPS[OP_COUNT] = {
#define OP(name, args, kind, text) [OP_##name] = {#name, args, OP_KIND_##kind, text},
#include "expr/ops.def"
#undef OP
};

double op_apply(Op op, double a, double b, double c) {
  switch (op) {
#define APPLY(name, expression)                                                                    \
  case OP_##name:                                                                                  \
    return expression;
#define CALL APPLY
#include "expr/apply.def"
#undef CALL
#undef APPLY
  case OP_SINCOS: {
    double sine, cosine;
    sincos(a, &sine, &cosine);
    return sine;
  }
  default: return a; // STORE and RESULT hand their operand on
  }
}
