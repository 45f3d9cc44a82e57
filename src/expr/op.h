// The operators, one table for the expression graph and for the instruction list.
#pragma once

typedef enum Op {
#define OP(name, args, kind, text) OP_##name,
#include "expr/ops.def"
#undef OP
  OP_COUNT
} Op;

typedef enum OpKind { OP_KIND_LEAF, OP_KIND_ARITH, OP_KIND_RELATION, OP_KIND_CALL } OpKind;

typedef struct OpRow {
  const char *name; // "ADD"
  int args;
  OpKind kind;
  const char *text;
} OpRow;

extern const OpRow OPS[OP_COUNT];

// One element, as the interpreter does it and as forensics repeats it. For ARITH, RELATION and CALL operators
// (SINCOS gives the sine).
double op_apply(Op op, double a, double b, double c);
