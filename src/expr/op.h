// The operators, one table for the expression graph and for the instruction list.
#pragma once

typedef enum Op {
#define OP(name, ...) OP_##name,
#include "expr/ops.def"
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

double table_rank(double table, double u); // table.h
double table_lookup(double table, double i);

// The value at one point, as the interpreter computes it. For ARITH, RELATION and CALL operators (SINCOS gives the sine).
double op_apply(Op op, double a, double b, double c);
