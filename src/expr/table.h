// Tables of numbers in the expression graph. RANK(table, u) says where u lies between the break points of a table,
// LOOKUP(table, i) gives its number i. Both take O(log n) time or less, however long the table is.
//
// In the graph the first operand is a constant, the number of the table among those of the graph. In a program it is the
// address of the table, an integer below 2^53, so that calls have nothing but doubles to pass.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "expr/op.h"

typedef struct ExprTable {
  int count;
  const double *at;
  uint64_t hash; // of its numbers
} ExprTable;

uint64_t table_hash(const double *numbers, int count);
double table_address(const ExprTable *t);
// Width of the stretch that numbers below the first break point (piece 0), between two of them or above the last one are
// measured with.
double table_width(const ExprTable *breaks, int piece);

// A rising function r of u: floor(r) is k where u lies between break points k-1 and k (counted from 0; the first belongs
// to it), 0 below all n of them, n above. Between two of them it is linear. NaN for NaN.
double table_rank(double table, double u);
// Number floor(i), the first or the last if there is none. NaN for NaN.
double table_lookup(double table, double i);

static inline bool op_reads_table(Op op) {
  return op == OP_RANK || op == OP_LOOKUP;
}
