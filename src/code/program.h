// Straight-line code in single assignment: the instruction list that the interpreter runs and the emitter translates.
//
// Instruction i defines value i; a, b, c name values defined before. All arithmetic is IEEE double, rounded as written:
// fused multiply-adds are instructions of their own, nothing else may be fused or reordered, so that the interpreter and
// the emitted code agree bit for bit.
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "expr/op.h" // Op, OPS and op_apply; defined in expr/op.c

enum { SEGMENTS = 3, LANES_MOST = 8 };

typedef struct Instr {
  uint8_t op;
  uint8_t segment; // INPUT: which of the three input arrays
  int a, b, c;     // operands: indices of values; unused ones are 0
  int index;       // CONST: into constants; INPUT, STORE, FETCH, BLOCK, RESULT: see ops.def
} Instr;

// A computation that is no straight line: factor and solve a linear system, Newton's method. It reads and writes work[]
// only. With lanes, every slot is `lanes` neighbouring numbers.
typedef struct CodeBlock CodeBlock;
struct CodeBlock {
  void (*run)(const CodeBlock *self, double *work, int lanes);
  const void *data; // borrowed
};

typedef struct Program {
  Instr *code;
  int count;
  const double *constants;
  int constant_count;
  const CodeBlock *blocks; // borrowed by compiled code: must outlive it
  int block_count;
  int input_counts[SEGMENTS]; // slots that may be read
  int result_count;           // slots of out[]
  int work_count;             // slots of work[] that STORE, FETCH and BLOCK use
} Program;
